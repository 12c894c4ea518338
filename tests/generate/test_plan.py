"""The plan of a round: which jobs there are, and what gives a job a new id."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.catalogue import Catalogue
from perturb.generate.plan import PlanSettings, plan_digest, plan_jobs
from perturb.records import ALL_CELLS, BaseInstance, Job, Passage
from perturb.store.ledger import instance_key

CATALOGUE = Catalogue.load()
PLAIN = PlanSettings(
    round="r1", seed=7, cells=ALL_CELLS, replicates=2, generators={"a": "fa", "b": "fb"}, assignable={}
)


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
    ):
        assert ids() < ids(more)
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
    for other in (replace(PLAIN, seed=8), replace(PLAIN, replicates=1), replace(PLAIN, cells=ALL_CELLS[:2])):
        assert plan_digest(other, keys, CATALOGUE) != plan_digest(PLAIN, keys, CATALOGUE)
    assert plan_digest(PLAIN, keys[:2], CATALOGUE) != plan_digest(PLAIN, keys, CATALOGUE)


# -- levers named in advance -----------------------------------------------------------------------------------

ASSIGNABLE = {cell: tuple(lever.name for lever in CATALOGUE.levers_of(cell)) for cell in ALL_CELLS}


def test_assigned_levers_cover_a_cell_evenly() -> None:
    settings = replace(PLAIN, replicates=10, assignable={"a": ASSIGNABLE, "b": ASSIGNABLE})
    used = Counter((job.generator, job.cell, job.lever) for job in jobs(settings))
    for generator in ("a", "b"):
        for cell in ALL_CELLS:
            times = [used[generator, cell, name] for name in ASSIGNABLE[cell]]
            assert sum(times) == 30
            assert max(times) - min(times) <= 1


def test_a_generator_without_an_entry_chooses_for_itself() -> None:
    settings = replace(PLAIN, assignable={"a": ASSIGNABLE})
    assert {job.lever is None for job in jobs(settings) if job.generator == "b"} == {True}
    assert {job.lever is None for job in jobs(settings) if job.generator == "a"} == {False}
    assert ids(settings) & ids() == {job.id for job in jobs() if job.generator == "b"}


def test_the_order_of_assigned_levers_is_seeded() -> None:
    def order(seed: int) -> list[str | None]:
        settings = replace(PLAIN, seed=seed, replicates=10, assignable={"a": ASSIGNABLE})
        return [job.lever for job in jobs(settings) if (job.generator, job.cell) == ("a", ALL_CELLS[0])]

    assert order(1) == order(1)
    assert order(1) != order(2)
