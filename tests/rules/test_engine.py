from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from perturb.records import ALL_CELLS, BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules.engine import (
    _ALL_RULES,
    Abstention,
    RuleCandidate,
    covered_levers,
    perturb_by_rule,
    rule_version,
)
from perturb.rules.quality import SWITCHED_OFF

BASE = BaseInstance(
    "i1",
    "test",
    "who wrote the copper road",
    (
        Passage(
            '"The Copper Road" is a song about a miners\' strike. It was written by the Welsh poet David Pryce. '
            "Its tune (an old march) is known all over the valley. In later years, the choir (of the chapel) sang it "
            "every winter.",
            "The Copper Road",
        ),
    ),
    ("David Pryce",),
)
OURS = (PerturbationClass.AMBIGUITY, PerturbationClass.CONTRADICTION, PerturbationClass.MISSING_INFO)


@pytest.mark.parametrize("cell", [c for c in ALL_CELLS if c.perturbation_class in OURS], ids=str)
def test_every_cell_serves_a_plain_instance_and_repeats_itself(cell: Cell) -> None:
    made = [perturb_by_rule(BASE, cell, None, seed) for seed in range(8)]
    assert made == [perturb_by_rule(BASE, cell, None, seed) for seed in range(8)]
    candidates = [m for m in made if isinstance(m, RuleCandidate)]
    assert candidates
    assert len({(c.query, c.passages) for c in candidates}) > 1
    levers = {rule.lever for rule in covered_levers() if rule.cell == cell}
    assert {c.lever for c in candidates} <= levers


def test_a_named_lever_is_the_only_one_tried() -> None:
    cell = Cell(PerturbationClass.CONTRADICTION, Intensity.LOW)
    made = perturb_by_rule(BASE, cell, "Peripheral Attribute Clash", 3)
    assert isinstance(made, RuleCandidate)
    assert made.lever == "Peripheral Attribute Clash"
    assert isinstance(perturb_by_rule(BASE, cell, "Approx vs Exact", 3), Abstention)
    unknown = perturb_by_rule(BASE, cell, "No Such Lever", 3)
    assert isinstance(unknown, Abstention)
    assert "No Such Lever" in unknown.reason


def test_an_unfit_instance_is_refused_with_the_reason() -> None:
    unfit = BaseInstance("i2", "test", BASE.query, (Passage("Nothing here."),), ("David Pryce",))
    made = perturb_by_rule(unfit, ALL_CELLS[0], None, 1)
    assert isinstance(made, Abstention)
    assert "no accepted answer stands in a passage" in made.reason


def test_other_passages_stay_as_they_are() -> None:
    noise = tuple(
        Passage(f"Number {n} is about geese and their flight.", f"Geese {n}", "noise") for n in range(9)
    )
    base = BaseInstance("i3", "test", BASE.query, (*noise[:4], BASE.passages[0], *noise[4:]), BASE.answers)
    for cell in ALL_CELLS:
        if cell.perturbation_class in OURS:
            made = perturb_by_rule(base, cell, None, 5)
            if isinstance(made, RuleCandidate) and made.lever not in (
                "Entirely Irrelevant Context",
                "All Names Redacted",
            ):
                assert [p for p in made.passages if p in noise] == list(noise)
                assert [p.role for p in made.passages] == [p.role for p in base.passages]


def test_each_lever_has_one_rule_and_words_of_its_own() -> None:
    counted = Counter((rule.cell, rule.lever) for rule in covered_levers())
    assert set(counted.values()) == {1}
    for rule in covered_levers():
        assert rule.precondition
    for cell in ALL_CELLS:
        if cell.perturbation_class in OURS:
            assert sum(rule.cell == cell for rule in covered_levers()) >= 3


def test_lever_names_are_those_of_the_catalogue() -> None:
    levers = Path(__file__).resolve().parents[2] / "levers"
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(levers.glob("*.yaml")))
    names = {
        line.split("name:", 1)[1].strip().strip("\"'").replace("''", "'")
        for line in text.splitlines()
        if "- name:" in line
    }
    assert {rule.lever for rule in covered_levers() if rule.cell.perturbation_class in OURS} <= names


def test_levers_that_are_switched_off_are_not_used() -> None:
    assert not {rule.lever for rule in covered_levers()} & set(SWITCHED_OFF)
    assert set(SWITCHED_OFF) <= {rule.lever for rule in _ALL_RULES}


def test_the_version_is_a_stable_digest() -> None:
    assert rule_version() == rule_version()
    assert len(rule_version()) == 16


def test_results_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from perturb.records import *\n"
        "from perturb.rules.engine import perturb_by_rule\n"
        "b = BaseInstance('i', 't', 'who wrote the copper road', (Passage('The Copper Road is a song. It was written by"
        " David Pryce. The choir sings it every winter in the valley.', 'The Copper Road'),), ('David Pryce',))\n"
        "print([perturb_by_rule(b, c, None, 3) for c in ALL_CELLS])"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
            cwd=Path(__file__).resolve().parents[2],
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(shown) == 1
    assert "RuleCandidate" in shown.pop()
