"""The command line: help, exit codes, one-line errors, JSON, and nothing done on a dry run."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer.core
import typer.main

from perturb.cli.main import app
from perturb.ledger.calls import LEDGER_FILE
from perturb.snapshots.snapshot import check_snapshot
from tests.building import content_of, model, perturb, write_config
from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `perturb ARGUMENTS` in an empty folder within that of the test."""
    (work := tmp_path / "work").mkdir()
    monkeypatch.chdir(work)
    return perturb


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name."""

    def walk(prefix: str, one: Any) -> Iterator[tuple[str, Any]]:
        for name, command in getattr(one, "commands", {}).items():
            yield f"{prefix}{name}", command
            yield from walk(f"{prefix}{name} ", command)

    yield from walk("", typer.main.get_command(app))


COMMANDS = dict(commands())


# -- help ------------------------------------------------------------------------------------------------------


def invocation(name: str) -> list[str]:
    """The words that reach a command: a group that takes an argument of its own gets one."""
    words, so_far = [], ""
    for step in name.split():
        so_far = f"{so_far} {step}".strip()
        words.append(step)
        if so_far != name and any(param.param_type_name == "argument" for param in COMMANDS[so_far].params):
            words.append("outputs/demo")
    return words


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_a_command_does_and_gives_an_example(run: Run, name: str) -> None:
    ended = run(*invocation(name), "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    words = r"\b.* ".join(map(re.escape, name.split()))
    if not getattr(COMMANDS[name], "commands", {}):
        assert re.search(rf"Example: perturb {words}\b", " ".join(ended.stdout.split()))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is(name: str) -> None:
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, typer.core.TyperOption):
            assert (parameter.help or "").strip(), f"{name} {parameter.opts}"


def test_the_help_of_perturb_lists_every_command(run: Run) -> None:
    ended = run("--help")
    assert ended.returncode == 0
    for name in COMMANDS:
        if " " not in name:
            assert re.search(rf"^  {name} ", ended.stdout, re.MULTILINE), name


@pytest.mark.parametrize("name", [name for name in COMMANDS if " " not in name])
def test_every_command_is_documented(name: str) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"perturb {name}" in page.read_text(encoding="utf-8") for page in pages)


def test_the_version_is_printed_if_it_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    version = run("--version").stdout
    assert re.fullmatch(r"perturb \d+\.\d+.*\n", version)
    monkeypatch.setenv("PERTURB_VERSION", "1")
    assert version not in run("levers", "--json").stdout


def test_a_closed_pipe_is_no_traceback() -> None:
    first = subprocess.Popen(
        [sys.executable, "-m", "perturb", "levers", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert first.stdout is not None
    assert first.stderr is not None
    first.stdout.close()
    words = first.stderr.read()
    first.stderr.close()
    assert (first.wait(timeout=60), words) == (1, b"")


# -- levers and init -------------------------------------------------------------------------------------------


def test_levers_lists_all_and_some(run: Run) -> None:
    assert run("levers").stdout.endswith("176 levers\n")
    assert len(run("levers", "--json").json) == 176
    some = run("levers", "--class", "P-FalsePremise", "--intensity", "LOW", "--json").json
    assert {(one["perturbation_class"], one["intensity"]) for one in some} == {("P-FalsePremise", "LOW")}
    assert {tuple(one["target"]) for one in some} == {("query",)}
    offline = run("levers", "--offline", "--json").json
    assert 0 < len(offline) < 176
    assert "a model is needed: P-Ambiguity/HIGH" in " ".join(run("levers", "--offline").stdout.split())


def test_levers_shows_one_by_name(run: Run) -> None:
    one = run("levers", "--json").json[0]
    shown = run("levers", one["name"].lower())
    words = " ".join(shown.stdout.split())
    assert one["instruction"] in words
    assert "Needs: nothing" in words
    assert "has:colour: the passage has a colour word" in " ".join(
        run("levers", "Delete Color Adjective").stdout.split()
    )
    assert one["expected_rag_behavior"] in shown.stdout


def test_init_writes_a_file_that_builds_and_never_overwrites(run: Run) -> None:
    assert "wrote build.yaml" in run("init").stdout
    assert run("build", "build.yaml", "--limit", 1, "--dry-run", "--json").json["jobs"] == 18
    run("init").fails("already exists")
    Path("build.yaml").write_text("x")
    assert run("init", "--force").returncode == 0
    assert Path("build.yaml").read_text() != "x"
    run("init", "no/such/folder.yaml").fails("cannot be written")


# -- build, status, export -------------------------------------------------------------------------------------

KEYS = {
    "run",
    "snapshot",
    "jobs",
    "candidates",
    "unparsed",
    "rejected_by_checks",
    "votes",
    "accepted",
    "rows",
    "cells_filled",
    "calls",
    "cached_calls",
    "tokens",
    "cost_usd",
    "seconds",
}


def test_from_build_to_export_offline(run: Run, tmp_path: Path) -> None:
    built = run("build", "--demo", "rules", "--limit", 4, "--json", "--name", "mine")
    assert (built.returncode, built.stderr) == (0, "")
    facts = built.json
    assert facts.keys() >= KEYS
    assert (facts["run"], facts["calls"], facts["cost_usd"]) == ("outputs/mine", 0, 0)
    assert facts["jobs"] == 72
    assert facts["accepted"] == facts["rows"] > 0

    status = run("status", "outputs/mine", "--json").json
    assert (status["left"], status["jobs"]) == (0, 72)
    assert status["stages"]["accepted"] == facts["accepted"]
    assert len(status["cells"]) == 18
    assert sum(cell["accepted"] for cell in status["cells"].values()) == facts["accepted"]
    assert "0 of 72 jobs left" in run("status", "outputs/mine").stdout
    assert run("review", "outputs/mine", "draw", "--per-cell", "1").returncode == 0
    assert run("status", "outputs/mine", "--json").json == status, "a review makes no evaluation of a build"
    assert run("export", "outputs/mine", "--out", "again").returncode == 0

    exported = run("export", "outputs/mine", "--out", tmp_path / "snap", "--json").json
    assert exported["rows"] == facts["rows"]
    assert check_snapshot(tmp_path / "snap") == ()
    one = run("export", "outputs/mine", "--out", tmp_path / "one", "--strategy", "balanced",
              "--per-generator", 1, "--min-per-cell", 0, "--json").json  # fmt: skip
    assert one["rows"] == 1
    quota = ["--per-generator", 1, "--min-per-cell", 0]
    assert run("export", "outputs/mine", "--out", tmp_path / "one", *quota, "--json").json["rows"] == 1
    assert (
        run("export", "outputs/mine", "--out", tmp_path / "no", "--strategy", "natural", *quota).returncode
        == 2
    )
    short = run("export", "outputs/mine", "--out", tmp_path / "all", "--strategy", "balanced")
    assert short.returncode == 0
    assert "short: rules" in short.stderr
    run(
        "export", "outputs/mine", "--out", tmp_path / "no", "--strategy", "balanced", "--per-generator", 5
    ).fails("raise per_generator")
    assert not (tmp_path / "no").exists()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("x")
    run("export", "outputs/mine", "--out", tmp_path / "theirs").fails("is not a snapshot")

    again = run("build", "--demo", "rules", "--limit", 4, "--name", "mine")
    assert (again.returncode, "Snapshot: outputs/mine/snapshot" in again.stdout) == (0, True)


def test_options_come_from_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERTURB_BUILD_LIMIT", "2")
    monkeypatch.setenv("PERTURB_BUILD_DRY_RUN", "1")
    monkeypatch.setenv("PERTURB_BUILD_SEED", "x")
    assert run("build", "--demo", "rules", "--json").returncode == 2
    monkeypatch.setenv("PERTURB_BUILD_SEED", "5")
    assert run("build", "--demo", "rules", "--json").json["instances"] == 2
    assert run("build", "--demo", "rules", "--json", "--limit", 3).json["instances"] == 3, (
        "what is written comes first"
    )


def test_options_change_the_configuration(run: Run) -> None:
    first = run("build", "--demo", "rules", "--limit", 1, "--name", "a", "--json").json
    assert (
        run(
            "build", "--demo", "rules", "--limit", 1, "--name", "a", "--seed", 99, "--round", "r9", "--json"
        ).returncode
        == 0
    )
    with closing(sqlite3.connect(Path("outputs/a") / LEDGER_FILE)) as db:
        assert db.execute("SELECT count(*), count(DISTINCT round) FROM jobs").fetchone() == (36, 2)
    assert first["jobs"] == 18
    assert "seed: 99" in Path("outputs/a/build.yaml").read_text()
    for option, value in (("--name", "../up"), ("--round", "")):
        wrong = run("build", option, value)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert wrong.stderr.startswith(f"perturb build: {option}: ")


def test_a_dry_run_says_what_it_would_cost_and_does_nothing(run: Run, tmp_path: Path) -> None:
    content = content_of("http://127.0.0.1:9/v1", limit=3)
    config = write_config(tmp_path, content)
    before = sorted(tmp_path.rglob("*"))
    estimate = run("build", config, "--dry-run", "--json").json
    assert (estimate["instances"], estimate["cells"], estimate["jobs"]) == (3, 18, 108)
    assert estimate["calls"] == 108 + 3 * 108
    assert estimate["cost_usd"] > 0
    assert {entry["name"]: entry["calls"] for entry in estimate["models"]} == {
        "g1": 54,
        "g2": 54,
        "v1": 108,
        "v2": 108,
        "v3": 108,
    }
    assert estimate["audit_fraction"] is None
    economy = write_config(tmp_path, content | {"panel": content["panel"] | {"schedule": "economy"}})
    said = " ".join(run("build", economy, "--dry-run").stdout.split())
    assert "With 108 candidates, an audit share of 0.10 gives 11 fully voted ones" in said
    assert "κ of a pair to about ±0.72; ±0.10 takes more candidates" in said
    many = content | {"panel": content["panel"] | {"schedule": "economy"}, "replicates": 30}
    said = " ".join(run("build", write_config(tmp_path, many), "--dry-run").stdout.split())
    # Donner and Eliasziw: 1.96² × .5 × (.5 × 1.5 / (2 × .85 × .15)) = 5.65, so 565 of 3,240 candidates for ±0.10.
    assert "gives 324 fully voted ones: κ of a pair to about ±0.13; ±0.10 needs 0.17" in said
    config = write_config(tmp_path, content)
    assert "No instance fits, in" not in run("build", config, "--dry-run").stdout
    dry = run("build", config, "--dry-run", "--verbose").stdout
    assert "108 jobs" in dry
    assert estimate["levers"]["Dominant-sense Polysemy"] == 3
    assert estimate["levers"]["Price Redacted"] == 0
    assert re.search(r"No instance fits, in P-MissingInfo/MEDIUM: [^:]*Price Redacted", " ".join(dry.split()))
    content["generators"][0] = model("g1", "http://127.0.0.1:9/v1", price=None)
    unknown = run("build", write_config(tmp_path, content), "--dry-run", "--json").json
    assert unknown["cost_usd"] is None
    assert "unknown" in run("build", config, "--dry-run").stdout
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dry_run_names_what_a_budget_does_not_reach(run: Run, tmp_path: Path) -> None:
    content = content_of("http://127.0.0.1:9/v1", limit=1, budget_usd=0.01)
    content["generators"][0] = model("g1", "http://127.0.0.1:9/v1", price=None)
    content["generators"][1] = model("g2", "http://127.0.0.1:9/v1", price={"input": 0.1, "output": 30})
    said = " ".join(run("build", write_config(tmp_path, content), "--dry-run").stdout.split())
    assert "No price: g1: add 'price', budget_usd needs one" in said
    assert "One call to g2 (generator) may cost $0.0" in said
    assert "One call to v1" not in said
    content["generators"][0], content["generators"][1] = (
        model(f"g{n}", "http://127.0.0.1:9/v1") for n in (1, 2)
    )
    said = " ".join(run("build", write_config(tmp_path, content), "--dry-run").stdout.split())
    assert "The estimate is higher than budget_usd ($0.01)" in said


def test_a_dry_run_says_which_keys_are_not_set_and_refuses_what_has_no_address(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NOT_SET", "LOOPBACK_KEY"):
        monkeypatch.delenv(name, raising=False)
    content = content_of("http://127.0.0.1:9/v1", limit=1)
    content["generators"][0]["api_key_env"] = content["generators"][1]["api_key_env"] = "NOT_SET"
    config = write_config(tmp_path, content)
    assert run("build", config, "--dry-run", "--json").json["missing_keys"] == ["NOT_SET", "LOOPBACK_KEY"]
    assert "Not set: NOT_SET, LOOPBACK_KEY" in run("build", config, "--dry-run").stdout
    del content["generators"][0]["api_base"]
    refused = run("build", write_config(tmp_path, content), "--dry-run")
    assert refused.returncode == 1
    assert "give its address as api_base" in refused.stderr


ROW = {"query": "When did it open?", "context": "It opened in 1984.", "answers": ["1984"]}


def rows_of(*changes: dict[str, Any]) -> str:
    rows = [{key: value for key, value in (ROW | change).items() if value is not ...} for change in changes]
    return "".join(json.dumps(row) + "\n" for row in rows)


BAD_SETS = [
    (rows_of({}, {"query": ...}), "base.jsonl:2: field 'query' is missing"),
    (rows_of({"context": ...}), "base.jsonl:1: field 'passages' is missing"),
    (rows_of({"answers": ...}), "base.jsonl:1: field 'answers' is missing"),
    (rows_of({"answers": []}), "base.jsonl:1: field 'answers'"),
    (rows_of({"answers": [1984]}), "base.jsonl:1: field 'answers' must hold strings"),
    (rows_of({"id": "a"}, {"id": "a"}), "base.jsonl:2: field 'id' repeats"),
    (rows_of({"context": "x" * 200_000}), "the limit is 50,000"),
    (rows_of({"colour": "red"}), "base.jsonl:1: field 'colour' is unknown"),
    (rows_of({}) + "{broken\n", "base.jsonl:2: not JSON"),
    ("", "holds no rows"),
]


@pytest.mark.parametrize(("text", "words"), BAD_SETS)
def test_a_bad_base_set_is_one_line_and_leaves_nothing(run: Run, text: str, words: str) -> None:
    Path("base.jsonl").write_text(text)
    run("build", "--base-set", "base.jsonl").fails(words)
    assert not Path("outputs").exists()


def bad_config(**changes: Any) -> dict[str, Any]:
    return content_of("http://127.0.0.1:9/v1") | changes


BAD_CONFIGS = [
    ({"colour": "red"}, ["build.yaml:", "unknown key 'colour'"]),
    ({"base_set": {"path": "none.jsonl"}}, ["none.jsonl: no such file"]),
    ({"base_set": {"demo": "none"}}, ["no embedded base set is called 'none'"]),
    ({"panel": "none.yaml"}, ["none.yaml: no such panel file"]),
    ({"levers": ["none"]}, ["no such lever folder"]),
    ({"generators": [model("g", "x", api_key_env="NOT_SET_KEY")]}, ["NOT_SET_KEY is not set"]),
    (
        {"generators": [{"name": "g", "model": "nobody/knows", "price": {"input": 1, "output": 1}}]},
        ["'nobody/knows'"],
    ),
    ({"generators": [{"name": "g", "model": "openai/gpt-4o"}]}, ["OPENAI_API_KEY is not set"]),
    ({"generators": [model("g", "${NOT_SET_URL}")]}, ["NOT_SET_URL is not set"]),
    (
        {"panel": {"verifiers": [{"name": "v", "kind": "rules", "check": "none"}]}},
        ["unknown offline check 'none'"],
    ),
    ({"select": {"per_generator": 3}}, ["build.yaml:", "per_generator is 3"]),
]


@pytest.mark.parametrize(("changes", "words"), BAD_CONFIGS)
def test_a_bad_configuration_is_one_line_and_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], words: list[str]
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", "x")
    for name in ("NOT_SET_KEY", "NOT_SET_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    config = write_config(tmp_path, bad_config(**changes))
    run("build", config).fails(*words)
    assert not Path("outputs").exists()


def test_an_unknown_price_is_refused_only_under_a_budget(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", "x")
    generators = [model("g", "http://127.0.0.1:9/v1", price=None)]
    config = write_config(tmp_path, bad_config(generators=generators, budget_usd=1.0))
    run("build", config).fails("its price is unknown")


@pytest.mark.parametrize(
    "command", [["status"], ["export", "--out", "x"], ["build", "--demo", "rules", "--limit", "1", "--name"]]
)
def test_a_damaged_ledger_is_one_line(run: Run, command: list[str]) -> None:
    assert run("build", "--demo", "rules", "--limit", 1, "--name", "mine").returncode == 0
    name = "mine" if command[0] == "build" else "outputs/mine"
    path = Path("outputs/mine") / LEDGER_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    run(*command, name).fails("ledger.sqlite", "corrupt")
    path.write_bytes(b"no database " * 1000)
    run(*command, name).fails("ledger.sqlite", "corrupt")
    with closing(sqlite3.connect(path.with_name("other"))) as db:
        db.execute("CREATE TABLE theirs (a)")
    path.write_bytes(path.with_name("other").read_bytes())
    run(*command, name).fails("not a perturb ledger")


def test_a_ledger_from_a_newer_version_is_one_line(run: Run) -> None:
    assert run("build", "--demo", "rules", "--limit", 1, "--name", "mine").returncode == 0
    with closing(sqlite3.connect(Path("outputs/mine") / LEDGER_FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    for arguments in (
        ["build", "--demo", "rules", "--limit", 1, "--name", "mine"],
        ["status", "outputs/mine"],
    ):
        run(*arguments).fails("written by a newer perturb")


def test_a_run_in_use_is_refused_by_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from perturb.ledger.plans import Ledger

    with Ledger(Path("outputs/mine")):
        run("build", "--demo", "rules", "--limit", 1, "--name", "mine").fails(
            f"run 'mine' is being worked on by process {os.getpid()}"
        )


def test_a_run_without_a_plan_is_one_line(run: Run) -> None:
    from perturb.ledger.plans import Ledger

    with Ledger(Path("outputs/mine")):
        pass
    run("status", "outputs/mine").fails("has no plan yet")


@pytest.mark.parametrize("command", [["status"], ["audit"], ["export", "--out", "x"]])
def test_a_run_that_is_an_evaluation_is_named_as_such(run: Run, command: list[str]) -> None:
    from perturb.ledger.evaluations import EvaluationLedger

    with EvaluationLedger(Path("outputs/eval")) as ledger:
        ledger.add_items([("a", {})])
    run(*command, "outputs/eval").fails("not the run of a build but of an evaluation", "`perturb score`")


def test_a_snapshot_that_cannot_be_written_fails_the_build(run: Run) -> None:
    folder = Path("outputs/mine/snapshot")
    folder.mkdir(parents=True)
    (folder / "theirs.txt").write_text("x")
    ended = run("build", "--demo", "rules", "--limit", 2, "--name", "mine", "--json")
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["snapshot"] is None
    assert "is not a snapshot" in ended.stderr
    assert (folder / "theirs.txt").read_text() == "x"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "folder", "replies"),
    [
        (["evaluate"], "evaluate-demo-items", 378),
        (["refusal-index", "run"], "refusal-index-closed-book", 564),
        (["bas", "run"], "bas-closed-book", 564),
    ],
)
def test_the_status_of_an_evaluation(run: Run, command: list[str], folder: str, replies: int) -> None:
    assert run(*command, "--demo", "--json").returncode == 0
    status = run("status", f"outputs/{folder}", "--json").json
    assert (status["replies"], status["left"], status["failures"]) == (replies, 0, [])
    assert sum(one["done"] for one in status["under_test"].values()) == replies
    assert f"0 of {replies} replies left" in run("status", f"outputs/{folder}", "--watch").stdout
