"""The rule of the exit codes: 2 and one line for a wrong command line, 1 and one line for everything else."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from perturb.cli.main import app
from perturb.ledger.evaluations import EvaluationLedger
from perturb.ledger.plans import Ledger
from tests.building import Ended, perturb_process
from tests.cli.conftest import Run


def leaves() -> Iterator[tuple[tuple[str, ...], Any]]:
    """The words that reach each command which does something, and the command."""

    def walk(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
        below = getattr(command, "commands", {})
        own = tuple("x" for param in command.params if below and param.param_type_name == "argument")
        for name, one in below.items():
            yield from walk((*words, *own, name), one)
        if not below:
            yield words, command

    yield from walk((), typer.main.get_command(app))


LEAVES = dict(leaves())
COMMANDS = [pytest.param(words, id=" ".join(words)) for words in LEAVES]


def needed(command: Any) -> list[str]:
    """Something for every argument and option that a command cannot do without."""
    words: list[str] = []
    for param in command.params:
        if param.required:
            value = str(param.type_descriptor.choices[0]) if param.type_descriptor.is_choice else "x.jsonl"
            words += [value] if param.param_type_name == "argument" else [param.opts[0], value]
    return words


def refused(ended: Ended, *words: str) -> None:
    """The command was called wrongly, and says so in one line."""
    assert (ended.returncode, ended.stdout) == (2, ""), ended
    assert re.fullmatch(r"perturb\b[^\n]*: [^\n]+ \(see perturb\b[^\n]* --help\)\n", ended.stderr), (
        ended.stderr
    )
    for word in words:
        assert word in ended.stderr


@pytest.mark.parametrize("words", COMMANDS)
def test_an_unknown_option_is_wrong_use(run: Run, words: tuple[str, ...]) -> None:
    refused(run(*words, *needed(LEAVES[words]), "--no-such-option"), "no such option: --no-such-option")


@pytest.mark.parametrize("words", COMMANDS)
def test_a_word_too_many_or_too_few_is_wrong_use(run: Run, words: tuple[str, ...]) -> None:
    command = LEAVES[words]
    if all(param.nargs == 1 for param in command.params if param.param_type_name == "argument"):
        refused(run(*words, *needed(command), *["x.jsonl"] * 9), "unexpected extra argument")
    if needed(command):
        refused(run(*words), "missing ")


def bad_values(command: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Options that take a number or one of several words, with values that they cannot take."""
    for param in command.params:
        described = param.type_descriptor
        kinds = {described.annotation, *getattr(described.annotation, "__args__", ())}
        if param.param_type_name != "option" or param.is_flag:
            continue
        if kinds & {int, float}:
            yield param.opts[0], ("many",) * param.nargs
        if described.is_choice:
            yield param.opts[0], ("nonsense",)
        if getattr(param, "min", None) is not None:
            yield param.opts[0], (str(param.min - 1),)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_value_that_an_option_cannot_take_is_wrong_use(run: Run, words: tuple[str, ...]) -> None:
    command = LEAVES[words]
    for option, values in bad_values(command):
        refused(run(*words, *needed(command), option, *values), f": {option}")


def test_the_options_with_values_of_a_kind_are_found() -> None:
    """The test before this one looks at the parser's own records: it must not go blind."""
    found = {option for command in LEAVES.values() for option, _ in bad_values(command)}
    assert {"--limit", "--seed", "--budget-usd", "--strategy", "--by", "--share"} <= found


WRONG = [
    ("evaluate x --model", "option '--model' requires an argument (see perturb evaluate --help)"),
    ("show x --limit 0", "show: --limit must be at least 1"),
    ("show x --limit many", "show: --limit must be a whole number"),
    ("bild", "no such command 'bild': did you mean 'build'?"),
    ("review", "missing argument 'RUN'"),
    ("review x", "give draw, serve, read, report or export"),
    ("review x drow", "did you mean 'draw'?"),
    ("bas", "give a TABLE, or one of the commands table, run, calibrate"),
    ("refusal-index", "give a TABLE, or one of the commands table, run"),
    ("build --demo nonsense", "there is deep, demo, garage"),
    ("build --demo demo --base-set x", "--demo: give --demo or --base-set, not both"),
    ("build --format nq", "--format goes with --base-set"),
    ("build --base-set x --format nonsense", "--format: 'nonsense' is unknown: use auto, "),
    ("build --name ../up", "--name: "),
    ("curate x.jsonl --out base.json", "ends in .jsonl"),
    ("curate x.jsonl --out x.jsonl", "--out: x.jsonl is the source itself"),
    ("curate x.jsonl --out b.jsonl --format nonsense", "--format: 'nonsense' is unknown"),
    ("curate x.jsonl --out b.jsonl --split test", "--split goes with hub:OWNER/NAME"),
    ("curate x.jsonl --out b.jsonl --judge", "--judge goes with --solvers"),
    ("curate x.jsonl --out b.jsonl --format articles", "--writer is missing: articles need"),
    ("curate x.jsonl --out b.jsonl --writer w.yaml --solvers s.yaml", "--solvers: cannot test questions"),
    ("curate x.jsonl --out b.jsonl --writer w.yaml --format nq", "--writer goes with --format articles"),
    ("bas x.csv --column setting=way", "--column: 'setting' is not a field: use model, elicitation"),
    ("refusal-index x.csv --column model", "--column: 'model' is not a pair"),
    ("curate hub:a/b --out b.jsonl --column query", "--column: 'query' is not a pair"),
    ("curate hub:a/b --out b.jsonl --column query=", "--column: 'query' is not a pair"),
    ("curate hub:a/b --out b.jsonl --column =q", "--column: 'q' is not a pair"),
    ("curate hub: --out b.jsonl", "names no data set"),
    ("export x --out y --strategy natural --per-generator 3", "takes no quotas"),
    ("compare x", "SNAP_B is missing: give two rounds, or one and --against"),
    ("evaluate x --model a/b --model a/b", "--model: 'a/b' is given 2 times"),
    ("evaluate x --model a/b --request {query}", "--request: not JSON"),
    ("evaluate x --model a/b --request 3", "--request must be a JSON object"),
    ("power --epsilon 0", "epsilon is 0"),
    ("power --delta nan", "delta is nan"),
    ("power --drift nan", "drift is nan"),
    ("power --design-effect inf", "design effect is inf"),
    ("power --simulate 5 --drift 0.99999999999999999", "true score"),
    ("power --figure power.doc", "--figure: '.doc' is unknown: use .png, .svg, .pdf"),
    ("publish x name", "OWNER/NAME"),
    ("review x serve --annotator a --annotator a", "name each annotator once"),
    ("review x read sheet.csv --annotator " + "n" * 61, "1 to 60"),
    ("bas run x --model a/b --elicitation direct --elicitation direct", "--elicitation: 'direct' is given 2 times"),
    ("bas run x --model a/b --format nonsense", "--format: 'nonsense' is unknown"),
    ("bas calibrate x --apply m.json --save n.json", "--apply fits no map"),
    ("bas x --report page", "--report: 'page' cannot be the name of a page"),
    ("refusal-index run x --model a/b --format nonsense", "--format: 'nonsense' is unknown"),
    ("refusal-index x --report page.pdf", "--report: 'page.pdf' cannot be the name of a page"),
    ("score x --report page", "--report: 'page' cannot be the name of a page"),
    ("report x --out page", "--out: 'page' cannot be the name of a page"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_words_that_cannot_be_meant_are_wrong_use(run: Run, tmp_path: Path, line: str, words: str) -> None:
    refused(run(*line.split()), words)
    assert list(tmp_path.iterdir()) == []


FAILING = [
    ("levers --levers none", "no such lever folder"),
    ("levers nonsense", "no lever is called"),
    ("init none/build.yaml", "cannot be written"),
    ("curate none.jsonl --out b.jsonl", "none.jsonl"),
    ("build none.yaml", "none.yaml: no such file"),
    ("build --base-set none.jsonl", "none.jsonl: no such file"),
    ("status none", "no run there"),
    ("show none", "none"),
    ("audit none", "none"),
    ("export none --out x", "no run there"),
    ("evaluate none --model a/b", "none"),
    ("report none", "none"),
    ("view none", "none: no"),
    ("verify-snapshot none", "none"),
    ("publish none a/b", "none is not a snapshot"),
    ("compare none none", "no such snapshot"),
    ("power --scores none.csv", "none.csv"),
    ("score none", "none"),
    ("review none draw", "no run there"),
    ("review none serve --annotator a", "no run there"),
    ("review none read none.csv", "no run there"),
    ("review none report", "no run there"),
    ("review none export --to argilla", "no run there"),
    ("refusal-index none.csv", "none.csv: no such file"),
    ("refusal-index run none.csv --model a/b", "none.csv"),
    ("bas none.csv", "none.csv: no such file"),
    ("bas run none.csv --model a/b", "none.csv"),
    ("bas calibrate none.csv", "none.csv: no such file"),
]


@pytest.mark.parametrize(("line", "words"), FAILING)
def test_what_is_not_there_is_a_failure(run: Run, tmp_path: Path, line: str, words: str) -> None:
    run(*line.split()).fails(words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", ["init NAME", "curate none.jsonl --out NAME.jsonl", "verify-snapshot NAME"])
def test_a_name_that_the_system_cannot_take_is_a_failure(run: Run, line: str) -> None:
    run(*line.replace("NAME", "n" * 300).split()).fails()


def test_every_command_has_a_failure_that_is_tried() -> None:
    tried = {" ".join(word for word in line.split() if word != "none") for line, _ in FAILING}
    for words in LEAVES:
        name = " ".join(word for word in words if word not in ("x", "table"))
        assert any(one.startswith(name) for one in tried) or name in ("power", "schema"), name


def test_perturb_alone_shows_its_help(run: Run) -> None:
    ended = run()
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("Usage: perturb ")


MISTAKEN = [
    ("status outputs", "give the folder of a run, one of outputs/demo, outputs/scores"),
    ("status outputs/demo/snapshot", "this folder is part of the run outputs/demo: give that folder"),
    (
        "verify-snapshot outputs/demo",
        "is not a snapshot: it has no readable manifest.json: give outputs/demo/snapshot",
    ),
    ("publish outputs/demo a/b", "give outputs/demo/snapshot"),
    ("evaluate outputs/scores --model a/b", "outputs/scores: has no snapshot: finish the build"),
    ("export outputs/scores --out x", "outputs/scores: is an evaluation and has no snapshot"),
    ("score outputs/demo", "outputs/demo: holds no evaluation"),
    ("audit outputs/scores", "is not the run of a build but of an evaluation"),
    ("compare outputs/scores outputs/scores", "to compare models, run 'perturb score outputs/scores'"),
]


@pytest.mark.parametrize(("line", "words"), MISTAKEN)
def test_one_folder_in_the_place_of_another_is_answered_with_the_right_one(
    run: Run, line: str, words: str
) -> None:
    (folder := Path("outputs/demo/snapshot")).mkdir(parents=True)
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    with Ledger(Path("outputs/demo")), EvaluationLedger(Path("outputs/scores")) as ledger:
        ledger.add_items([("a", {})])
        ledger.write_fact("snapshot", {"name": "a", "digest": "d", "round": "r"})
    Path("outputs/scores/results.jsonl").touch()
    run(*line.split()).fails(words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("build --demo rules --limit 10", "rules/ledger.sqlite: no space left for the ledger"),
        ("evaluate --demo", "temporary files cannot be written (File too large)"),
        ("bas run --demo --report page.html", ""),
    ],
)
def test_files_that_may_not_grow_are_one_line(tmp_path: Path, line: str, words: str) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200 * 1024, 200 * 1024))

    ended = perturb_process(*line.split(), cwd=tmp_path, preexec_fn=small)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1), ended.stderr
    assert ended.stderr.startswith("perturb: ")
    assert words in ended.stderr
