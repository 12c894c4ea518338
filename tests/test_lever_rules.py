"""Rules of levers as they are written: the documented example works, and what is wrong is told in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perturb.building.offline.engine import RuleCandidate, perturb_by_rule
from perturb.catalogue.features import word_table
from perturb.catalogue.levers import GAPS, OPERATORS, Catalogue
from perturb.errors import CatalogueError
from perturb.records import BaseInstance, Passage

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "levers.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")
EXAMPLE = next(block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "rule:" in block)


def write(folder: Path, content: str) -> Path:
    (folder / "own.yaml").write_text(content, encoding="utf-8")
    return folder


def test_the_documented_rule_makes_an_item(tmp_path: Path) -> None:
    catalogue = Catalogue.load([write(tmp_path, EXAMPLE)])
    passage = Passage("Emma is a novel by Jane Austen. It came out in London in three volumes.", "Emma")
    base = BaseInstance("b", "test", "who wrote the novel emma", (passage,), ("Jane Austen",))
    lever = catalogue.find("Favourite Scene")
    assert lever is not None
    made = perturb_by_rule(catalogue, base, lever.cell, lever.name, 1)
    assert isinstance(made, RuleCandidate)
    assert made.query == "Which chapter of the novel Emma deserves to be loved most?"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("do: ask", "do: sing", r"own\.yaml:6: .*unknown operator 'sing': choose from ask, "),
        ("{book}", "{chapbook}", r"own\.yaml:6: .*unknown gap '\{chapbook\}'"),
        ("{book}", "{book", r"own\.yaml:6: .*brace"),
        ("      do: ask\n", "      do: ask\n      what: colour\n", r"own\.yaml:\d+: .*takes no 'what'"),
        ("      do: ask\n", "      do: remark\n", r"own\.yaml:\d+: .*needs 'what', one of behind, before"),
        (
            "      do: ask\n",
            "      do: ask\n      needs: [has:wings]\n",
            r"own\.yaml:\d+: .*unknown feature 'has:wings'",
        ),
        ("      do: ask\n", "      do: ask\n      wyh: so\n", r"own\.yaml:8: unknown key"),
    ],
)
def test_a_wrong_rule_is_told_with_file_and_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(CatalogueError) as told:
        Catalogue.load([write(tmp_path, EXAMPLE.replace(old, new))])
    assert re.search(said, str(told.value)), told.value
    assert "\n" not in str(told.value)


def test_the_reference_lists_every_operator_gap_and_kind() -> None:
    for name in (*OPERATORS, *GAPS, *word_table("kinds"), *word_table("kind_groups")):
        assert f"`{name}`" in REFERENCE, name


def test_every_rule_that_says_something_has_several_wordings() -> None:
    for lever in Catalogue.load().levers:
        if lever.rule is not None and lever.rule.do not in ("rename", "join", "reword"):
            assert len(lever.rule.say) in (0, *range(4, 30)), lever.name
