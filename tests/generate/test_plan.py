"""The plan of a round: which jobs there are, and what gives a job a new id."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.building.jobs import JOB_FORMAT, PlanSettings, lever_service, plan_digest, plan_jobs
from perturb.catalogue.features import Need, features_of
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest
from perturb.ledger.plans import instance_key
from perturb.records import (
    ALL_CELLS,
    BaseInstance,
    Cell,
    Intensity,
    Job,
    LeverChoice,
    Passage,
    PerturbationClass,
)

CATALOGUE = Catalogue.load()
PLAIN = PlanSettings(round="r1", seed=7, cells=ALL_CELLS, replicates=2, generators={"a": "fa", "b": "fb"})


def instance(number: int, text: str = "It opened in 1984.") -> tuple[str, BaseInstance]:
    made = BaseInstance(f"i{number}", "test", "When did it open?", (Passage(text),), ("1984",))
    return instance_key(made), made


INSTANCES = tuple(instance(n, f"It opened in 1984, says note {n}.") for n in range(3))


def jobs(settings: PlanSettings = PLAIN, catalogue: Catalogue = CATALOGUE) -> list[Job]:
    return list(plan_jobs(settings, INSTANCES, catalogue))


def ids(settings: PlanSettings = PLAIN, catalogue: Catalogue = CATALOGUE) -> set[str]:
    return {job.id for job in jobs(settings, catalogue)}


def test_everything_is_crossed_once() -> None:
    planned = jobs()
    assert len(planned) == 3 * 18 * 2 * 2 == len({job.id for job in planned})
    assert Counter(job.cell for job in planned) == dict.fromkeys(ALL_CELLS, 12)
    assert {(job.generator, job.replicate) for job in planned} == {("a", 0), ("a", 1), ("b", 0), ("b", 1)}
    assert {job.round for job in planned} == {"r1"}


def test_the_identity_of_an_open_job_is_what_it_was_before_there_were_depths() -> None:
    cell = ALL_CELLS[4]
    settings = replace(PLAIN, cells=(cell,), replicates=1, generators={"a": "fa"})
    (key, _), (job, *_) = INSTANCES[0], jobs(settings)
    planned = ("job", JOB_FORMAT, key, str(cell), CATALOGUE.cell_digest(cell), job.offers)
    assert job.id == digest(planned, ("a", "fa", "r1", 7, 0))


def test_the_plan_is_the_same_each_time() -> None:
    assert jobs() == jobs()


def test_a_plan_that_is_cut_short_has_touched_every_cell_and_generator() -> None:
    first = jobs()[:36]
    assert {(job.cell, job.generator) for job in first} == {(c, g) for c in ALL_CELLS for g in ("a", "b")}


@pytest.mark.parametrize(
    "change",
    [
        {"round": "r2"},
        {"seed": 8},
        {"generators": {"a": "other", "b": "other too"}},
        {"generators": {"c": "fa", "d": "fb"}},
    ],
    ids=str,
)
def test_what_decides_a_result_decides_its_id(change: dict[str, object]) -> None:
    assert not ids() & ids(replace(PLAIN, **change))  # type: ignore[arg-type]


def test_a_generator_a_cell_or_a_replicate_more_leaves_the_others_alone() -> None:
    for more in (
        replace(PLAIN, generators={**PLAIN.generators, "c": "fc"}),
        replace(PLAIN, replicates=3),
        replace(PLAIN, replicates=3, lever_choice="assigned"),
    ):
        fewer = replace(PLAIN, lever_choice=more.lever_choice)
        assert ids(fewer) < ids(more)
    assert ids(replace(PLAIN, cells=ALL_CELLS[3:5])) < ids()


def test_a_changed_setting_of_one_generator_changes_its_jobs_only() -> None:
    changed = ids(replace(PLAIN, generators={"a": "fa", "b": "new"}))
    assert {job.id for job in jobs() if job.generator == "a"} == ids() & changed


def test_a_changed_text_changes_its_jobs_only() -> None:
    others = (INSTANCES[0], INSTANCES[1], instance(2, "It opened in 1985."))
    changed = {job.id for job in plan_jobs(PLAIN, others, CATALOGUE)}
    kept = {job.id for job in jobs() if job.instance_id in ("i0", "i1")}
    assert ids() & changed == kept


def test_a_changed_lever_changes_the_jobs_of_its_cell_only(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "class: P-Ambiguity\nlevers: [{name: Own Lever, intensity: LOW, instruction: Give it a second reading.,"
        " illustration: {query: q, context: c, expected: ANSWER_CORRECTLY}}]\n"
    )
    changed = ids(catalogue=Catalogue.load([tmp_path]))
    kept = {job.id for job in jobs() if job.cell != ALL_CELLS[0]}
    assert ids() & changed == kept


def test_equal_plans_have_equal_digests() -> None:
    keys = [key for key, _ in INSTANCES]
    assert plan_digest(PLAIN, keys, CATALOGUE) == plan_digest(replace(PLAIN), keys, CATALOGUE)
    for other in (
        replace(PLAIN, seed=8),
        replace(PLAIN, replicates=1),
        replace(PLAIN, cells=ALL_CELLS[:2]),
        replace(PLAIN, lever_choice="generator"),
    ):
        assert plan_digest(other, keys, CATALOGUE) != plan_digest(PLAIN, keys, CATALOGUE)
    assert plan_digest(PLAIN, keys[:2], CATALOGUE) != plan_digest(PLAIN, keys, CATALOGUE)


# -- levers on offer -------------------------------------------------------------------------------------------

MISSING = Cell(PerturbationClass.MISSING_INFO, Intensity.LOW)


MANY = tuple(instance(n, f"It opened in 1984, says note {n}.") for n in range(30))


def offers_of(
    settings: PlanSettings,
    generator: str,
    cell: Cell,
    instances: tuple[tuple[str, BaseInstance], ...] = INSTANCES,
) -> list[tuple[tuple[str, ...], ...]]:
    everything = plan_jobs(settings, instances, CATALOGUE)
    planned = [job.offers for job in everything if (job.generator, job.cell) == (generator, cell)]
    assert None not in planned
    return [offers for offers in planned if offers is not None]


def fitting(cell: Cell) -> set[str]:
    """The levers of a cell whose needs all instances here meet."""
    features = features_of(INSTANCES[0][1])
    assert {features_of(one) for _, one in INSTANCES} == {features}
    return {
        lever.name
        for lever in CATALOGUE.levers_of(cell)
        if all(Need.read(need).holds(features) for need in lever.needs)
    }


@pytest.mark.parametrize(("choice", "size"), [("covering", 3), ("assigned", 1)])
def test_offers_cover_the_fitting_levers_evenly(choice: LeverChoice, size: int) -> None:
    settings = replace(PLAIN, replicates=1, lever_choice=choice)
    for generator in ("a", "b"):
        for cell in ALL_CELLS:
            offers = offers_of(settings, generator, cell, MANY)
            first = [offer[0] for offer in offers if offer]
            alone = [levers[0] for at, levers in enumerate(first) if choice == "covering" and at % 6 == 5]
            alone = alone[: len(fitting(cell))]
            if choice == "covering":
                assert len(set(alone)) == len(alone) == min(len(first) // 6, len(fitting(cell))), (
                    "each in turn"
                )
            together = Counter(name for levers in first for name in levers) - Counter(alone)
            assert set(together) == fitting(cell)
            assert max(together.values(), default=0) - min(together.values(), default=0) <= 1
            for offer in offers:
                names = [name for levers in offer for name in levers]
                assert len(names) == len(set(names))
                assert (
                    min(2 * size + 1, len(fitting(cell))) <= len(names) <= min(3 * size, len(fitting(cell)))
                )
                assert all(len(levers) == size for levers in offer[1:-1])


def test_a_generator_that_chooses_is_offered_every_fitting_lever() -> None:
    settings = replace(PLAIN, lever_choice="generator")
    for cell in ALL_CELLS:
        for offers in offers_of(settings, "a", cell):
            assert {name for offer in offers for name in offer} == fitting(cell)
            assert len(offers) <= 1


def test_a_generator_with_an_order_of_its_own_is_offered_nothing() -> None:
    settings = replace(PLAIN, rule_engines=frozenset({"a"}))
    assert {job.offers for job in jobs(settings) if job.generator == "a"} == {None}
    assert offers_of(settings, "b", ALL_CELLS[0]) == offers_of(PLAIN, "b", ALL_CELLS[0])


def test_needs_decide_what_is_offered() -> None:
    assert "Trim Month but Keep Year" not in fitting(MISSING)
    dated = BaseInstance(
        "d", "test", "Who built it?", (Passage("Ada built it. It opened on 4 May 1984."),), ("Ada",)
    )
    (job,) = plan_jobs(
        replace(PLAIN, cells=(MISSING,), generators={"a": "fa"}, replicates=1),
        [(instance_key(dated), dated)],
        CATALOGUE,
    )
    assert "Trim Month but Keep Year" in [name for offer in job.offers or () for name in offer]


def test_levers_are_offered_in_ever_other_company() -> None:
    cell = Cell(PerturbationClass.EPISTEMIC, Intensity.HIGH)
    company = Counter(frozenset(offer[0]) for offer in offers_of(PLAIN, "a", cell, MANY))
    assert max(company.values()) <= 4, "or the one that a model likes least is never used"


def test_the_order_of_offers_is_seeded() -> None:
    def order(seed: int) -> list[tuple[tuple[str, ...], ...]]:
        return offers_of(replace(PLAIN, seed=seed), "a", ALL_CELLS[0])

    assert order(1) == order(1)
    assert order(1) != order(2)


@pytest.mark.parametrize("choice", ["generator", "assigned"])
def test_another_choice_gives_other_jobs(choice: LeverChoice) -> None:
    kept = {job.cell for job in jobs() if job.id in ids(replace(PLAIN, lever_choice=choice))}
    assert all(len(fitting(cell)) <= 3 for cell in kept), "the same offer, whatever it is due to"


def test_lever_service_counts_the_jobs_a_lever_may_serve() -> None:
    served = lever_service(PLAIN, INSTANCES, CATALOGUE)
    for cell in ALL_CELLS:
        assert {name: jobs for name, jobs in served[cell].items() if jobs} == dict.fromkeys(fitting(cell), 6)


def test_two_passages_are_asked_about_as_several() -> None:
    key, one = INSTANCES[0]
    two = replace(one, passages=(*one.passages, Passage("It is a mill.")))
    settings = replace(PLAIN, generators_of_several={"a": "other", "b": "fb"})
    (single, *_), (several, *_) = (list(plan_jobs(settings, [(key, each)], CATALOGUE)) for each in (one, two))
    assert single.id == jobs()[0].id
    assert several.id != single.id
