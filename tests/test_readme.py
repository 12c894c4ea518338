"""The README against the commands it speaks of."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from perturb.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = vars(typer.main.get_command(app))["commands"]


def shell_lines(text: str) -> list[str]:
    """Lines of fenced blocks, and table entries, that call perturb."""
    fenced = re.findall(r"```\w*\n(.*?)```", text, flags=re.DOTALL)
    lines = [line.strip() for block in fenced for line in block.replace("\\\n", "").splitlines()]
    return [line for line in lines if line.startswith("perturb ")]


def test_the_readme_names_every_command() -> None:
    table = re.findall(r"^\| `perturb ([a-z-]+)` \|", README, flags=re.MULTILINE)
    others = re.search(r"^The others:\s(.*?)\. Each", README, flags=re.MULTILINE | re.DOTALL)
    assert others is not None
    assert sorted([*table, *re.findall(r"`([a-z-]+)`", others[1])]) == sorted(COMMANDS)


@pytest.mark.parametrize("line", shell_lines(README + TUTORIAL))
def test_every_line_uses_options_that_exist(line: str) -> None:
    _, command, *words = shlex.split(line, comments=True)
    known = [COMMANDS[command], *getattr(COMMANDS[command], "commands", {}).values()]
    options = {name for one in known for parameter in one.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_example_is_what_the_first_command_prints() -> None:
    """The figures are those of the embedded round, which `tests/recorded/test_embedded_round.py` makes again."""
    for start in ("Made: 423 items of 432 jobs", "Agreement: ", "Rejected: ", "Report: ", "Next: "):
        assert re.search(f"^{start}", README, flags=re.MULTILINE), start
    assert re.search(
        r"^expected_rag_behavior: (ANSWER_CORRECTLY|REFUSE_[A-Z_]+)$", README, flags=re.MULTILINE
    )


def test_the_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize(
    "page",
    [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "tests" / "measurements.md"],
    ids=lambda page: page.name,
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http|#)([^)#\s]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_listed() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    site = (ROOT / ".github" / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index or f" {name}\n" not in site] == []
    design = (ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8")
    notes = [note.name for note in (ROOT / "docs" / "design").glob("*.md") if f"({note.name})" not in design]
    assert notes == ["README.md"]


def test_the_gallery_shows_every_picture_and_weighs_little() -> None:
    shown = re.findall(r"\]\(gallery/(.+?)\)", (ROOT / "docs" / "report.md").read_text(encoding="utf-8"))
    pictures = list((ROOT / "docs" / "gallery").iterdir())
    assert sorted(shown) == sorted(picture.name for picture in pictures)
    assert sum(picture.stat().st_size for picture in pictures) < 1_500_000
