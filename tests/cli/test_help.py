"""What `perturb --help` shows, and the page of variables that the options read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main
import yaml
from typer.testing import CliRunner

from perturb.cli.main import app
from perturb.cli.working import WORKFLOW, _placeholders
from perturb.files.resources import data_folder
from tests.building import environment, perturb

ROOT: Any = typer.main.get_command(app)


def test_every_command_stands_under_one_heading() -> None:
    named = [name for names in WORKFLOW.values() for name in names]
    assert sorted(named) == sorted(ROOT.commands)


def test_no_description_is_cut_and_no_line_names_a_variable() -> None:
    for words in ([], ["build"], ["evaluate"], ["bas", "run"], ["review", "serve"]):
        shown = CliRunner().invoke(app, [*words, "--help"], prog_name="perturb", terminal_width=80).output
        assert "..." not in re.sub(r"COMMAND \[ARGS\]\.\.\.", "", shown)
        assert "env var" not in shown
        assert max(map(len, shown.splitlines())) <= 80


def contexts(group: Any, above: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Words and context of every command, as if it had been given."""
    for name in group.commands:
        _, command, _ = group.resolve_command(above, [name])
        inner = [*getattr(command, "commands", ())]
        context = command.make_context(name, inner[:1], parent=above, resilient_parsing=True)
        if inner:
            yield from contexts(command, context, (*path, name))
        else:
            yield (*path, name), context


def every_command() -> dict[tuple[str, ...], Any]:
    """The context of every command of the tool, by its words."""
    return dict(contexts(ROOT, ROOT.make_context("perturb", [], resilient_parsing=True)))


def options(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "option" and param.name != "help"]


def test_every_flag_is_off_unless_it_is_given() -> None:
    flags = [
        (*words, param.opts[0], param.default)
        for words, context in every_command().items()
        for param in options(context.command)
        if param.is_flag
    ]
    assert len(flags) > 30
    assert [flag for flag in flags if flag[-1] not in (False, None)] == []


@pytest.mark.parametrize("words", ["evaluate", "build", "curate", "refusal-index run", "bas run"])
def test_a_command_that_asks_models_groups_its_options(words: str) -> None:
    shown = CliRunner().invoke(app, [*words.split(), "--help"], prog_name="perturb").output
    headings = re.findall(r"^(\w+):$", shown, re.MULTILINE)
    assert headings == ["Arguments", "Source", "Models", "Calls", "Limits", "Output"][-len(headings) :]
    assert {"Source", "Models", "Limits"} < {*headings}
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown[shown.index("Source:") :], re.MULTILINE)
    command = every_command()[tuple(words.split())].command
    assert sorted(listed) == sorted(["--help", *(max(option.opts, key=len) for option in options(command))])


DIFFERENT = {
    "--demo": "build makes one of several",
    "--dry-run": "publish writes to a folder what it would push",
    "--for": "a kind of file, or a rule",
    "--from": "a template, or the items drawn from",
    "--judge": "curate takes the judge of its panel file",
    "--replies": "a file, or how many can be paid for",
    "--scores": "compare takes two, publish a run",
    "--to": "score takes a folder too",
    "--against": "compare takes a data set on the Hub too",
    "--by": "votes and replies have different groups",
}
"""Options that take another kind of value in one command than in another, and why."""


def test_a_placeholder_and_what_it_limits_are_the_same_in_every_command() -> None:
    records = [
        (max(option.opts, key=len), _placeholders(option.get_help_record(context)[0]), option.help)
        for context in every_command().values()
        for option in options(context.command)
    ]
    placeholders = {name: {shown for other, shown, _ in records if other == name} for name, _, _ in records}
    assert {name for name, kinds in placeholders.items() if len(kinds) > 1} == {*DIFFERENT}
    openings = {
        "--limit": "At most N ",
        "--retry-": "Ask again if no ",
        "--budget-usd": "Stop before the calls cost",
    }
    for start, opening in openings.items():
        told = [help_ for name, _, help_ in records if name.startswith(start)]
        assert told
        assert all(opening.lower() in help_.lower() for help_ in told), told
    assert len({help_ for name, shown, help_ in records if shown == "--dry-run"}) == 1


def test_every_option_reads_the_variable_of_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    read = {}
    for words, context in every_command().items():
        for option in options(context.command):
            name = "_".join(("perturb", *words, max(option.opts, key=len)[2:])).upper().replace("-", "_")
            with monkeypatch.context() as patch:
                patch.setenv(name, "value")
                found = [one for one in options(context.command) if one.value_from_envvar(context)]
            assert found == [option], f"{name} sets {[one.name for one in found]}"
            read[name] = option
    assert {"PERTURB_INIT_FROM", "PERTURB_BUILD_ROUND", "PERTURB_POWER_SIMULATE", "PERTURB_BAS_RUN_JSON"} < {
        *read
    }


@pytest.mark.parametrize(
    ("new", "old"),
    [("PERTURB_BUILD_FORMAT", "PERTURB_BUILD_BASE_FORMAT"), ("PERTURB_BUILD_SEED", None)],
)
def test_a_variable_is_read_and_its_old_name_with_a_warning(
    tmp_path: Path, new: str, old: str | None
) -> None:
    done = perturb("build", cwd=tmp_path, env=environment(**{old or new: "odd"}))
    assert done.returncode == 2
    assert f"build: --{new.rpartition('_')[2].lower()}" in done.stderr
    assert done.stderr.count(f"{old} is now called {new}: rename the variable") == (old is not None)


def test_only_the_command_that_runs_warns_of_old_names(tmp_path: Path) -> None:
    assert perturb("schema", env=environment(PERTURB_BUILD_BASE_FORMAT="x")).stderr == ""
    said = perturb("schema", env=environment(PERTURB_SCHEMA_KIND="models")).stderr
    assert said == "PERTURB_SCHEMA_KIND is now called PERTURB_SCHEMA_FOR: rename the variable\n"


def test_the_file_of_init_keeps_to_the_schema() -> None:
    schema = json.loads(CliRunner().invoke(app, ["schema"]).stdout)
    text = (data_folder("base_sets") / "init.build.yaml").read_text(encoding="utf-8")
    assert "# yaml-language-server: $schema=build.schema.json" in text
    content = yaml.safe_load(text)
    jsonschema.validate(content, schema)
    jsonschema.validate({**content, "executor": {"kind": "ray"}, "round": 2026}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "rounds": "r"}, schema)


def test_a_shell_completes_commands_and_options() -> None:
    asked = environment(_PERTURB_COMPLETE="complete_bash", COMP_WORDS="perturb build --dry", COMP_CWORD="2")
    assert perturb(env=asked).stdout.split() == ["--dry-run"]
