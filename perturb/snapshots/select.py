"""Draw the rows of a snapshot from the accepted items, by quota (spec, section 6).

A *cell* is a class and an intensity. The *floor* of a cell is the number of rows that each generator should have in it.

Every choice compares hashes of the seed and the item's id. The result therefore does not depend on the order of the
input, on the platform or on the Python version, and one more accepted item changes little.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from perturb.errors import ConfigError
from perturb.files.resources import seed_of
from perturb.records import ALL_CELLS, Cell, Job

# Explained at `SelectionPlan.strategy`.
Strategy = Literal["balanced", "natural", "hard"]


@dataclass(frozen=True, slots=True)
class SelectionPlan:
    """How many rows to draw, and how."""

    strategy: Strategy = "balanced"
    """`balanced` draws the same number for every generator; `natural` takes every accepted item.
    `hard` draws as `balanced` does, from the items that solvers fail."""
    per_generator: int = 400
    """Number of rows from each generator; no limit for `natural`."""
    min_per_cell: int = 22
    """Number of rows from each generator in each cell, drawn before the other rows; 0 for `natural`."""
    seed: int = 0
    at_least: float | None = None
    """For `hard`: the share of the solvers, in (0, 1], that must fail an item; None for the others."""
    reviewed: Literal["drop-failed", "only-passed"] | None = None
    """Leaves out items that people failed, or all items that they did not pass; None ignores reviews."""
    drop_repeats: bool | None = None
    """Leaves out near duplicates of other accepted items; None in snapshots that are older than this rule."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A quota that the accepted items could not fill."""

    generator: str
    cell: Cell | None
    """The cell whose floor was missed; None for the generator's total."""
    wanted: int
    got: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids that were drawn, in ascending order, and the quotas that were missed."""

    ids: tuple[str, ...]
    shortfalls: tuple[Shortfall, ...] = ()
    repeats: int = 0
    """Number of accepted items that were left out as near duplicates of others."""


def select(
    accepted: Iterable[Job],
    plan: SelectionPlan,
    generators: Sequence[str] | None = None,
    cells: Sequence[Cell] = ALL_CELLS,
) -> Selection:
    """Draw rows from the accepted items, given as the jobs that made them.

    Items of other `generators` or `cells` are left out. A generator without any accepted item has shortfalls in all
    cells. Without `generators`, all generators in the input count.

    Balanced: each generator first gets `min_per_cell` items in each cell, or all that exist. The other rows, up to
    `per_generator`, are spread over the cells as in a uniform draw from all remaining items. Within a cell the base
    instances take turns: a second item of one is drawn only after every other has its first. A missing row is listed
    as a shortfall, never replaced. Hard: the same, from the items that the caller chose. Natural: every accepted item,
    without quotas.

    Raises `ConfigError` if the minimums of all cells together exceed `per_generator`, or if a number is negative.

    >>> job = Job("a", "base-1", ALL_CELLS[0], "rules", 0, "2027-Q1")
    >>> select([job], SelectionPlan("natural")).ids
    ('a',)
    """
    cell_set = set(cells)
    unique = {item.id: item for item in accepted if item.cell in cell_set}
    # sorted, so that the order of the input does not matter
    pool = [unique[item_id] for item_id in sorted(unique)]
    names = sorted({item.generator for item in pool} if generators is None else set(generators))
    by_generator: dict[str, list[Job]] = {name: [] for name in names}
    for item in pool:
        if item.generator in by_generator:
            by_generator[item.generator].append(item)

    if plan.strategy == "natural":
        return Selection(tuple(item.id for item in pool if item.generator in by_generator))
    _check(plan, len(cell_set))
    ids: list[str] = []
    shortfalls: list[Shortfall] = []
    for name, items in by_generator.items():
        chosen = _draw(items, plan)
        ids += [item.id for item in chosen]
        shortfalls += _shortfalls(name, chosen, plan, sorted(cell_set))
    return Selection(tuple(sorted(ids)), tuple(shortfalls))


def _check(plan: SelectionPlan, n_cells: int) -> None:
    if plan.per_generator < 0 or plan.min_per_cell < 0:
        raise ConfigError(
            f"select: per_generator is {plan.per_generator} and min_per_cell is {plan.min_per_cell}: "
            "neither may be negative"
        )
    needed = n_cells * plan.min_per_cell
    if plan.per_generator < needed:
        raise ConfigError(
            f"select: per_generator is {plan.per_generator}, but {n_cells} cells × min_per_cell "
            f"{plan.min_per_cell} = {needed}: raise per_generator to {needed} or more, or lower min_per_cell "
            f"to {plan.per_generator // n_cells} or less"
        )


def _draw(items: list[Job], plan: SelectionPlan) -> list[Job]:
    """The rows of one generator: the floor of each cell first, then a uniform draw from the others."""
    by_cell: defaultdict[Cell, list[Job]] = defaultdict(list)
    for item in items:
        by_cell[item.cell].append(item)
    queues = {cell: _take_turns(members, plan.seed) for cell, members in by_cell.items()}

    quota = Counter({cell: min(plan.min_per_cell, len(queue)) for cell, queue in queues.items()})
    others = chain.from_iterable(queue[quota[cell] :] for cell, queue in queues.items())
    shuffled = sorted(others, key=lambda item: (seed_of(plan.seed, "rest", item.id), item.id))
    # the uniform draw decides how many more items each cell gets; the cell's queue decides which, to keep the turns
    quota.update(item.cell for item in shuffled[: plan.per_generator - quota.total()])
    return list(chain.from_iterable(queue[: quota[cell]] for cell, queue in queues.items()))


def _take_turns(items: list[Job], seed: int) -> list[Job]:
    """The items of one cell in random order, with the first item of each base instance before all second ones."""
    shuffled = sorted(items, key=lambda item: (seed_of(seed, "turn", item.id), item.id))
    n_drawn: Counter[str] = Counter()
    turns: dict[str, int] = {}  # id of an item → how many items of its base instance come before it
    for item in shuffled:
        turns[item.id] = n_drawn[item.instance_id]
        n_drawn[item.instance_id] += 1
    return sorted(shuffled, key=lambda item: turns[item.id])


def _shortfalls(generator: str, chosen: list[Job], plan: SelectionPlan, cells: list[Cell]) -> list[Shortfall]:
    counts = Counter(item.cell for item in chosen)
    missed = [
        Shortfall(generator, cell, plan.min_per_cell, counts[cell])
        for cell in cells
        if counts[cell] < plan.min_per_cell
    ]
    if len(chosen) < plan.per_generator:
        missed.append(Shortfall(generator, None, plan.per_generator, len(chosen)))
    return missed
