"""Instances with several passages: rules change signal passages, and no passage left alone undoes what they did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perturb.building.generate import generate_by_rule
from perturb.building.offline.engine import DonorTable, RuleCandidate, perturb_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.records import ALL_CELLS, BaseInstance, Cell, Job, JobOutcome, Passage, Rule
from perturb.text.passages import passages_fault, removes_answer

SIGNAL = Passage(
    "The Copper March is a tune for brass. It was written by David Pryce (a miner) in 1911 for the silver band of the "
    "town. Its drums can be heard far away. Bands of the valley still play the tune every winter at the fair.",
    "Copper March",
    "signal",
)
BASE = BaseInstance("b", "test", "who wrote the copper march", (SIGNAL,), ("David Pryce",))
MISSING = [cell for cell in ALL_CELLS if removes_answer(cell)]


def with_noise(text: str) -> BaseInstance:
    return replace(BASE, passages=(Passage(text, "Elsewhere", "noise"), SIGNAL))


def made(catalogue: Catalogue, instance: BaseInstance, cell: Cell) -> list[RuleCandidate]:
    tried = (perturb_by_rule(catalogue, instance, cell, None, seed) for seed in range(8))
    return [one for one in tried if isinstance(one, RuleCandidate)]


def test_noise_stays_where_and_as_it_was(catalogue: Catalogue) -> None:
    noise = with_noise("The ferry leaves at noon. It carries goats.")
    items = [one for cell in ALL_CELLS for one in made(catalogue, noise, cell)]
    assert len({item.lever for item in items}) > 5
    assert all(item.passages[0] == noise.passages[0] and len(item.passages) == 2 for item in items)


@pytest.mark.parametrize("cell", MISSING, ids=str)
def test_an_answer_in_a_noise_passage_is_not_left_over(catalogue: Catalogue, cell: Cell) -> None:
    assert made(catalogue, with_noise("The mayor met David Pryce at the fair."), cell) == []


def test_a_passage_that_still_answers_settles_a_contradiction(
    catalogue: Catalogue, demo: tuple[BaseInstance, ...], donors: DonorTable
) -> None:
    lever = catalogue.find("Spatial Location Clash")
    assert lever is not None
    say = ("A register of equal standing names another place.",)
    lever = replace(lever, rule=Rule("add", "answer", say, (), (), "Two sources of equal standing differ."))
    catalogue = replace(catalogue, levers=(lever,))
    base = next(
        one
        for one in demo
        if isinstance(
            perturb_by_rule(catalogue, one, lever.cell, lever.name, 1, donors.lent_to(one)), RuleCandidate
        )
    )
    again = replace(base, passages=(*base.passages, replace(base.passages[0], role="noise")))
    found = perturb_by_rule(catalogue, again, lever.cell, lever.name, 1, donors.lent_to(base))
    assert not isinstance(found, RuleCandidate)


def test_items_of_the_embedded_set_with_ten_passages_pass_the_machine_checks(catalogue: Catalogue) -> None:
    instances = load_base_set(embedded_path("garage")).instances
    table = DonorTable.of(instances)
    outcomes = []
    for instance in instances[:12]:
        for cell in ALL_CELLS:
            job = Job("j", instance.id, cell, "rules", 0, "r")
            result = generate_by_rule(catalogue, job, instance, 7, table.lent_to(instance))
            outcomes.append(result.outcome)
            if result.candidate is not None:
                assert passages_fault(instance, result.candidate) is None
    assert set(outcomes) <= {JobOutcome.CANDIDATE, JobOutcome.ABSTAINED, JobOutcome.REJECTED}
    assert outcomes.count(JobOutcome.CANDIDATE) > 10
