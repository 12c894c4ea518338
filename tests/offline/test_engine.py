"""The offline engine: what its rules promise, whatever the instance."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from perturb.building.generate import generate_by_rule
from perturb.building.offline.engine import (
    RULE_VERSION,
    Abstention,
    DonorTable,
    RuleCandidate,
    perturb_by_rule,
)
from perturb.building.offline.facts import facts_of
from perturb.building.offline.gaps import DRAWN_GAPS, FACT_GAPS
from perturb.building.offline.judge import CHECK_VERSION, CHECKS, judge_by_rule
from perturb.building.offline.material import CUTTERS
from perturb.building.offline.operators import OPERATIONS
from perturb.building.offline.words import has_word
from perturb.catalogue.features import FEATURES_VERSION, features_of
from perturb.catalogue.levers import GAPS, OPERATORS, Catalogue
from perturb.files.resources import digest
from perturb.records import ALL_CELLS, ANSWER_CORRECTLY, BaseInstance, Intensity, Job, Passage
from perturb.text.passages import removes_answer

LOCAL = {
    "figure",
    "round_figure",
    "other_date",
}
"""Gaps that an operator or another gap fills."""


def make(
    catalogue: Catalogue, instance: BaseInstance, lever: str, donors: DonorTable, seed: int = 0
) -> RuleCandidate | None:
    found = catalogue.find(lever)
    assert found is not None
    made = perturb_by_rule(catalogue, instance, found.cell, lever, seed, donors.lent_to(instance))
    return made if isinstance(made, RuleCandidate) else None


def all_made(
    catalogue: Catalogue, instances: tuple[BaseInstance, ...], donors: DonorTable
) -> list[tuple[BaseInstance, RuleCandidate]]:
    tried = (
        (one, make(catalogue, one, lever.name, donors, seed))
        for lever in catalogue.levers
        if lever.rule
        for seed, one in enumerate(instances)
    )
    return [(one, made) for one, made in tried if made is not None]


@pytest.fixture(scope="module")
def made(
    catalogue: Catalogue, demo: tuple[BaseInstance, ...], donors: DonorTable
) -> list[tuple[BaseInstance, RuleCandidate]]:
    return all_made(catalogue, demo, donors)


def test_a_change_of_what_the_rules_do_needs_another_version(
    catalogue: Catalogue, demo: tuple[BaseInstance, ...], donors: DonorTable
) -> None:
    """Jobs and votes of rules are told apart by these versions. Whoever changes an output changes both sides here."""
    jobs = [
        (base, Job(f"{base.id} {cell}", base.id, cell, "rules", 0, "now"))
        for base in demo
        for cell in ALL_CELLS
    ]
    items = [
        (base, made.candidate)
        for base, job in jobs
        if (made := generate_by_rule(catalogue, job, base, 0, donors.lent_to(base))).candidate
    ]
    votes = [
        judge_by_rule(check, base, item, catalogue.classes[item.cell.perturbation_class].target)
        for base, item in items
        for check in CHECKS
    ]
    outputs = {
        RULE_VERSION: digest([(item.lever, item.query, item.context, item.reasoning) for _, item in items]),
        CHECK_VERSION: digest([(vote.passed, dict(vote.checks), vote.issues) for vote in votes]),
        FEATURES_VERSION: digest([sorted(features_of(base)) for base in demo]),
    }
    assert outputs == {
        "3": "a7dd791d0380c513",
        "9e601c323445c3b8": "9f74893b2cb8b5ec",
        "fbb0296dd996e5a7": "973a5f65087d2c95",
    }


@pytest.mark.parametrize(
    ("what", "sentence", "left"),
    [
        ("bracket", "The mill (a brick house) is tall.", "The mill is tall."),
        ("opening", "Despite heavy rain, the mill was painted.", "The mill was painted."),
        ("city", "The owner lived in Paris, France.", "The owner lived in France."),
        ("colour", "It has a red roof and two doors.", "It has a roof and two doors."),
        ("colour", "It has a dark green roof and two doors.", ""),
        ("figure", "Visitors see the 14 rooms.", "Visitors see the rooms."),
        ("month", "It closed on May 4, 1818, and fell.", "It closed in 1818, and fell."),
        ("alias", "The mill, also known as the Red House, is tall.", "The mill is tall."),
        ("companion", "Ben Hall painted it along with Carl Dean.", "Ben Hall painted it."),
        ("companion", "It was painted by Ben Hall, together with Carl Dean.", "It was painted by Ben Hall."),
    ],
)
def test_what_stands_beside_the_answer_is_cut_cleanly(what: str, sentence: str, left: str) -> None:
    text = "The mill was opened by Ada Stone."
    passage = Passage(f"{text} {sentence}")
    instance = BaseInstance("i", "test", "who opened the mill", (passage,), ("Ada Stone",))
    cut = [(0, f"{text} {left}")] if left else []
    assert list(CUTTERS[what](facts_of(instance))) == cut


def test_what_levers_may_say_is_what_the_engine_can_do() -> None:
    assert set(OPERATIONS) == set(OPERATORS)
    assert set(CUTTERS) == set(OPERATORS["delete"].what)
    assert {*FACT_GAPS, *DRAWN_GAPS} | LOCAL == set(GAPS)


def test_at_least_thirty_eight_levers_have_a_rule_and_most_of_them_serve_the_demo(
    catalogue: Catalogue, made: list[tuple[BaseInstance, RuleCandidate]]
) -> None:
    ruled = {lever.name for lever in catalogue.levers if lever.rule}
    assert len(ruled) >= 38
    assert len({one.lever for _, one in made}) >= 0.7 * len(ruled)


def test_every_item_keeps_to_its_cell(
    catalogue: Catalogue, made: list[tuple[BaseInstance, RuleCandidate]]
) -> None:
    for base, item in made:
        lever = catalogue.find(item.lever)
        assert lever is not None
        target = catalogue.classes[lever.cell.perturbation_class].target
        changed = {"query"} if item.query != base.query else set()
        changed |= {"context"} if item.passages != base.passages else set()
        assert changed
        assert changed <= target, item
        answer = facts_of(base).answer
        held = any(has_word(passage.text, answer) for passage in item.passages)
        assert held != removes_answer(lever.cell), item
        if lever.cell.intensity is Intensity.LOW:
            assert catalogue.expected_behavior(lever.cell) == ANSWER_CORRECTLY
            assert not has_word(item.query, answer), item
        assert "{" not in item.query + item.reasoning
        assert "  ," not in item.query


def test_no_name_is_invented(made: list[tuple[BaseInstance, RuleCandidate]], catalogue: Catalogue) -> None:
    """What a sentence brings in beside its fixed wording stands in the instance, or is said to come from another."""
    for base, item in made:
        lever = catalogue.find(item.lever)
        if lever is None or lever.rule is None or lever.rule.do not in ("exchange", "join"):
            continue
        assert "Taken from demo-" in item.reasoning, (base.id, item)


def test_the_same_seed_gives_the_same_item_in_another_process() -> None:
    code = (
        "from perturb.catalogue.levers import Catalogue\n"
        "from perturb.curation.base_sets import embedded_path, load_base_set\n"
        "from perturb.building.offline.engine import DonorTable\n"
        "from perturb.building.offline.engine import perturb_by_rule\n"
        "from perturb.records import ALL_CELLS\n"
        "c = Catalogue.load(); b = load_base_set(embedded_path('demo')).instances[:9]; t = DonorTable.of(b)\n"
        "print([perturb_by_rule(c, i, cell, None, 3, t.lent_to(i)) for i in b for cell in ALL_CELLS])"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(n)},
        ).stdout
        for n in (1, 2)
    }
    assert len(shown) == 1
    assert "RuleCandidate" in shown.pop()


def test_a_lever_without_a_rule_and_an_unfit_instance_are_abstained_from(
    catalogue: Catalogue, demo: tuple[BaseInstance, ...]
) -> None:
    lever = next(one for one in catalogue.levers if one.rule is None)
    none = perturb_by_rule(catalogue, demo[0], lever.cell, lever.name, 1)
    assert isinstance(none, Abstention)
    assert lever.name in none.reason
    unfit = replace(demo[0], answers=("a word that stands nowhere",))
    for cell in ALL_CELLS:
        assert isinstance(perturb_by_rule(catalogue, unfit, cell, None, 1), Abstention)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("who wrote frankenstein by mary shelley", "Mary Shelley"),
        ("when was it", "1818"),
        ("when did mary shelley write frankenstein", "Mary Shelley"),
    ],
)
def test_bases_that_give_the_answer_away_or_do_not_fit_it_are_left_alone(query: str, answer: str) -> None:
    passage = Passage("Frankenstein is a novel that Mary Shelley wrote. It came out in 1818.", "Frankenstein")
    assert facts_of(BaseInstance("x", "test", query, (passage,), (answer,))).unfit


def test_a_donor_table_hardly_changes_as_the_base_set_grows(demo: tuple[BaseInstance, ...]) -> None:
    assert DonorTable.of(demo).digest == DonorTable.of(reversed(demo)).digest
    table = DonorTable.of(demo)
    assert all(one.id != demo[0].id for one in table.lent_to(demo[0]))
    assert len(table.lent_to(demo[0])) <= 30
