"""Selection by quota: floors, totals, shortfalls, and independence of the input's order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ConfigError
from perturb.records import ALL_CELLS, Cell, Job
from perturb.snapshots.select import Selection, SelectionPlan, Shortfall, select

CELLS = ALL_CELLS[:3]
GENERATORS = ("g1", "g2", "silent")


def items(draws: list[tuple[int, str, int]]) -> list[Job]:
    return [
        Job(f"item-{number:04d}", f"base-{base}", CELLS[cell], generator, 0, "r")
        for number, (base, generator, cell) in enumerate(draws)
    ]


accepted_lists = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["g1", "g2"]), st.integers(0, len(CELLS) - 1)), max_size=60
).map(items)


@st.composite
def plans(draw: st.DrawFn) -> SelectionPlan:
    floor = draw(st.integers(0, 5))
    total = draw(st.integers(floor * len(CELLS), floor * len(CELLS) + 20))
    return SelectionPlan("balanced", total, floor, draw(st.integers(0, 3)))


def chosen_of(selection: Selection, accepted: list[Job]) -> list[Job]:
    ids = set(selection.ids)
    return [item for item in accepted if item.id in ids]


@given(accepted_lists, plans(), st.randoms(use_true_random=False))
def test_the_same_items_in_any_order_give_the_same_selection(accepted, plan, random):  # type: ignore[no-untyped-def]
    shuffled = list(accepted)
    random.shuffle(shuffled)
    assert select(accepted, plan, GENERATORS, CELLS) == select(shuffled, plan, GENERATORS[::-1], CELLS[::-1])


@given(accepted_lists, plans())
def test_every_floor_and_total_is_met_as_far_as_the_items_go(
    accepted: list[Job], plan: SelectionPlan
) -> None:
    selection = select(accepted, plan, GENERATORS, CELLS)
    assert list(selection.ids) == sorted(set(selection.ids))
    assert set(selection.ids) <= {item.id for item in accepted}
    chosen = chosen_of(selection, accepted)
    for generator in GENERATORS:
        here = [item for item in accepted if item.generator == generator]
        got = [item for item in chosen if item.generator == generator]
        assert len(got) == min(plan.per_generator, len(here))
        there, taken = Counter(i.cell for i in here), Counter(i.cell for i in got)
        assert all(taken[cell] >= min(plan.min_per_cell, there[cell]) for cell in CELLS)


@given(accepted_lists, plans())
def test_shortfalls_are_exact(accepted: list[Job], plan: SelectionPlan) -> None:
    selection = select(accepted, plan, GENERATORS, CELLS)
    chosen = chosen_of(selection, accepted)
    expected = set()
    for generator in GENERATORS:
        got = Counter(item.cell for item in chosen if item.generator == generator)
        expected |= {
            Shortfall(generator, c, plan.min_per_cell, got[c]) for c in CELLS if got[c] < plan.min_per_cell
        }
        if got.total() < plan.per_generator:
            expected.add(Shortfall(generator, None, plan.per_generator, got.total()))
    assert len(selection.shortfalls) == len(expected)
    assert set(selection.shortfalls) == expected


@given(accepted_lists, plans())
def test_base_instances_take_turns_within_a_cell(accepted: list[Job], plan: SelectionPlan) -> None:
    chosen = chosen_of(select(accepted, plan, GENERATORS, CELLS), accepted)
    for generator in GENERATORS:
        for cell in CELLS:

            def per_base(pool: list[Job], g: str = generator, c: Cell = cell) -> Counter[str]:
                return Counter(i.instance_id for i in pool if i.generator == g and i.cell == c)

            there, taken = per_base(accepted), per_base(chosen)
            most = max(taken.values(), default=0)
            assert all(taken[base] >= min(there[base], most - 1) for base in there)


def test_natural_takes_everything_and_misses_nothing() -> None:
    accepted = items([(0, "g1", 0), (0, "g1", 0), (1, "g2", 2)])
    selection = select(accepted, SelectionPlan("natural", per_generator=1))
    assert selection == Selection(("item-0000", "item-0001", "item-0002"), ())


def test_items_of_cells_and_generators_not_in_play_are_left_out() -> None:
    accepted = items([(0, "g1", 0), (0, "g1", 1), (1, "g2", 0)])
    assert select(accepted, SelectionPlan("natural"), ["g1"], CELLS[:1]).ids == ("item-0000",)


def test_floors_above_the_total_are_refused_with_the_numbers() -> None:
    with pytest.raises(
        ConfigError, match=r"per_generator is 100, but 18 cells × min_per_cell 22 = 396.*to 5"
    ):
        select([], SelectionPlan(per_generator=100))


def test_negative_quotas_are_refused() -> None:
    with pytest.raises(ConfigError, match="negative"):
        select([], SelectionPlan(per_generator=-1, min_per_cell=-1))


def test_the_published_quota_gives_400_of_each_generator() -> None:
    accepted = [
        Job(f"{generator}-{cell}-{n}", f"base-{n}", cell, generator, 0, "r")
        for generator in ("a", "b", "c", "d")
        for cell in ALL_CELLS
        for n in range(30)
    ]
    selection = select(accepted, SelectionPlan(seed=7))
    assert len(selection.ids) == 1600
    assert selection.shortfalls == ()


def test_the_rest_is_drawn_uniformly_from_what_remains() -> None:
    """With 10 items left in one cell and 30 in another, a draw of 1 falls on them as 1 to 3 over many seeds."""
    accepted = items([(n, "g1", 0) for n in range(10)] + [(n, "g1", 1) for n in range(30)])
    cell_of = {item.id: item.cell for item in accepted}
    draws = Counter(
        cell_of[select(accepted, SelectionPlan("balanced", 1, 0, seed), ["g1"], CELLS).ids[0]]
        for seed in range(600)
    )
    assert 0.19 < draws[CELLS[0]] / 600 < 0.31


def test_another_seed_draws_other_items() -> None:
    accepted = items([(n, "g1", 0) for n in range(40)])
    drawn = {select(accepted, SelectionPlan("balanced", 10, 0, seed), ["g1"], CELLS).ids for seed in range(5)}
    assert len(drawn) == 5
