"""What `perturb --help` shows, and the page of variables that the options read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import typer.main
import yaml
from typer.testing import CliRunner

from perturb.cli.main import app
from perturb.cli.working import WORKFLOW
from perturb.files.resources import data_folder
from tests.building import environment, perturb

PAGE = Path(__file__).resolve().parents[2] / "docs" / "README.md"
UNDERSCORES = str.maketrans(" -", "__")
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


def variables(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """Command, option and variable, as the parser reads them."""
    for option in command.params:
        if path and option.param_type_name == "option" and option.name != "help":
            name = "_".join(("PERTURB", *path, option.name)).upper().replace("-", "_")
            yield " ".join(path), max(option.opts, key=len), name
    for name, inner in getattr(command, "commands", {}).items():
        yield from variables(inner, (*path, name))


def test_the_page_of_variables_names_each_of_them() -> None:
    """The page states the rule; its table lists every variable that the rule does not give."""
    rows = [
        f"| `{command}` | `{option}` | `{name}` |"
        for command, option, name in variables(ROOT)
        if option != "--json"
        and name != "_".join(("PERTURB", command, option[2:])).upper().translate(UNDERSCORES)
    ]
    assert all(name.endswith("_JSON_OUTPUT") for _, option, name in variables(ROOT) if option == "--json")
    page = PAGE.read_text(encoding="utf-8")
    shown = [line for line in page.splitlines() if line.startswith("| `") and "`PERTURB_" in line]
    assert shown == rows, "write these rows:\n" + "\n".join(rows)


def test_a_variable_of_the_page_is_read(tmp_path: Path) -> None:
    said = perturb("build", cwd=tmp_path, env=environment(PERTURB_BUILD_BASE_FORMAT="odd"))
    assert said.returncode == 2
    assert "--format" in said.stderr


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
