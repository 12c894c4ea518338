"""Candidates by rule: the same ones each time, and honest abstentions."""

from __future__ import annotations

from perturb.building.checks import find_fault
from perturb.building.generate import generate_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.records import ALL_CELLS, BaseInstance, Job, JobOutcome, Passage

CATALOGUE = Catalogue.load()
DEMO = load_base_set(embedded_path("demo"), limit=8).instances


def job(instance: BaseInstance, cell_index: int, replicate: int = 0) -> Job:
    return Job(f"j{cell_index}", instance.id, ALL_CELLS[cell_index], "rules", replicate, "r1")


def test_candidates_pass_the_machine_checks_and_abstentions_say_why() -> None:
    outcomes = set()
    for instance in DEMO:
        for index in range(len(ALL_CELLS)):
            made = generate_by_rule(CATALOGUE, job(instance, index), instance, 7)
            outcomes.add(made.outcome)
            assert made.detail
            if made.outcome is JobOutcome.CANDIDATE:
                assert made.candidate is not None
                assert find_fault(CATALOGUE, instance, made.candidate) is None
                assert made.candidate.expected_behavior == CATALOGUE.expected_behavior(ALL_CELLS[index])
    assert JobOutcome.CANDIDATE in outcomes
    assert outcomes <= {JobOutcome.CANDIDATE, JobOutcome.ABSTAINED, JobOutcome.REJECTED}


def test_the_same_job_gives_the_same_candidate() -> None:
    one, two = ([generate_by_rule(CATALOGUE, job(i, 5), i, 7) for i in DEMO] for _ in range(2))
    assert one == two


def test_an_instance_that_no_rule_fits_is_an_abstention() -> None:
    unfit = BaseInstance("u", "test", "Is it so?", (Passage("It is."),), ("yes",))
    made = generate_by_rule(CATALOGUE, job(unfit, 5), unfit, 7)
    assert (made.outcome, made.candidate) == (JobOutcome.ABSTAINED, None)
    assert made.detail
