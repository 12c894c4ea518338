"""Recordings, empty tables, references and blacked-out names in the place of an answer."""

from __future__ import annotations

import re

import pytest

from perturb.catalogue import Catalogue
from perturb.records import BaseInstance, Candidate, Passage
from perturb.rules.checks import CHECKS, judge_by_rule
from perturb.rules.engine import RuleCandidate, perturb_by_rule
from perturb.rules.missing_info import HIGH, MEDIUM

TEXT = (
    "The Orlow Viaduct is a railway bridge in the north of the county. The Orlow Viaduct was designed by Hedda Marlin. "
    "It has nine arches and carries two tracks across a wooded valley."
)
BASE = BaseInstance(
    "orlow", "test", "who designed the Orlow Viaduct", (Passage(TEXT, "Orlow Viaduct"),), ("Hedda Marlin",)
)
SEEDS = range(40)
LEVERS = {
    "Audio-only Reference": HIGH,
    "Zero-Row Table": HIGH,
    "All Names Redacted": HIGH,
    "Placeholder Citation": MEDIUM,
}


def texts(lever: str) -> list[str]:
    made = [perturb_by_rule(BASE, LEVERS[lever], lever, seed) for seed in SEEDS]
    return [m.passages[0].text for m in made if isinstance(m, RuleCandidate)]


@pytest.mark.parametrize("lever", LEVERS)
def test_every_wording_passes_the_checks_and_few_are_alike(lever: str) -> None:
    cell = LEVERS[lever]
    target = Catalogue.load().classes[cell.perturbation_class].target
    told = texts(lever)
    assert len(told) == len(SEEDS)
    assert len(set(told)) >= 10
    for text in told:
        passages = (Passage(text, ""),)
        behaviour = "REFUSE_INFO_MISSING_IN_CONTEXT"
        candidate = Candidate("c", BASE.id, "rules", cell, lever, BASE.query, passages, "", behaviour)
        assert all(judge_by_rule(check, BASE, candidate, target).passed for check in CHECKS), text


def test_a_table_has_a_title_headings_and_no_row() -> None:
    for text in texts("Zero-Row Table"):
        title, head, rule, *rest = text.splitlines()
        assert "designed the Orlow Viaduct" in title
        assert len(head.split(" | ")) == len(rule.split(" | ")) in (2, 3)
        assert re.search(r"\b(?:Name|Full name|Name in full|Who|Person)\b", head)
        assert len(rest) <= 1
        assert all(re.fullmatch(r"\(.+\)", line) for line in rest)


def test_references_and_marks_bring_next_to_no_words() -> None:
    known = set(re.findall(r"\w+", TEXT))
    for lever in ("Placeholder Citation", "All Names Redacted"):
        for text in texts(lever):
            assert len(set(re.findall(r"[^\W_]+", text)) - known) <= 2
