"""Draw the rows of a snapshot from the accepted items, by quota (spec, section 6).

Every choice is a comparison of hashes of the seed and the item's id. The result therefore does not depend on the
order of the input, on the platform or on the Python version, and one more accepted item disturbs little.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from perturb.errors import ConfigError
from perturb.files.resources import seed_of
from perturb.records import ALL_CELLS, Cell, Job

Strategy = Literal["balanced", "natural", "hard"]


@dataclass(frozen=True, slots=True)
class SelectionPlan:
    """How many rows to draw, and how."""

    strategy: Strategy = "balanced"
    """`balanced` draws the same number for every generator; `natural` takes every accepted item.
    `hard` draws as `balanced` does, from the items that solvers fail."""
    per_generator: int = 400
    """Rows wanted from each generator (not under natural)."""
    min_per_cell: int = 22
    """Rows wanted from each generator in each cell before the rest is drawn (not under natural)."""
    seed: int = 0
    at_least: float | None = None
    """Under `hard`: the share of the solvers, in (0, 1], that have to fail an item; None under the others."""
    reviewed: Literal["drop-failed", "only-passed"] | None = None
    """Leaves out what people failed, or all that they did not pass; None asks nobody."""
    drop_repeats: bool | None = None
    """Leaves out near duplicates of other accepted items; None in snapshots from before there was the rule."""


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
    """Accepted items that were left out as near duplicates of others."""


def select(
    accepted: Iterable[Job],
    plan: SelectionPlan,
    generators: Sequence[str] | None = None,
    cells: Sequence[Cell] = ALL_CELLS,
) -> Selection:
    """Draw rows from the accepted items, given as the jobs that made them.

    `generators` and `cells` are those in play: items of others are left out, and a generator without a single
    accepted item is listed with its shortfalls. Without `generators`, those that occur in the input are in play.

    Balanced: each generator first gets `min_per_cell` items in each cell, or all there are. The rest, up to
    `per_generator`, falls on the cells as a uniform draw from all remaining items would. Within a cell the base
    instances take turns: no second item of one is drawn while another has not had its first. Nothing is ever
    padded; what is missing is listed. Hard: the same, from the items that the caller has kept. Natural: every accepted
    item; there is no quota to miss.

    Raises `ConfigError` if the floors of all cells together exceed `per_generator`, or a number is negative.

    >>> job = Job("a", "base-1", ALL_CELLS[0], "rules", 0, "2027-Q1")
    >>> select([job], SelectionPlan("natural")).ids
    ('a',)
    """
    in_play = set(cells)
    unique = {item.id: item for item in accepted if item.cell in in_play}
    pool = [unique[name] for name in sorted(unique)]
    names = sorted({item.generator for item in pool} if generators is None else set(generators))
    by_generator: dict[str, list[Job]] = {name: [] for name in names}
    for item in pool:
        if item.generator in by_generator:
            by_generator[item.generator].append(item)

    if plan.strategy == "natural":
        return Selection(tuple(sorted(item.id for items in by_generator.values() for item in items)))
    _check(plan, len(in_play))
    ids: list[str] = []
    shortfalls: list[Shortfall] = []
    for name, items in by_generator.items():
        chosen = _draw(items, plan)
        ids += [item.id for item in chosen]
        shortfalls += _shortfalls(name, chosen, plan, sorted(in_play))
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
    by_cell: defaultdict[Cell, list[Job]] = defaultdict(list)
    for item in items:
        by_cell[item.cell].append(item)
    queues = {cell: _take_turns(members, plan.seed) for cell, members in by_cell.items()}

    quota = Counter({cell: min(plan.min_per_cell, len(queue)) for cell, queue in queues.items()})
    remaining = [item for cell, queue in queues.items() for item in queue[quota[cell] :]]
    remaining.sort(key=lambda item: (seed_of(plan.seed, "rest", item.id), item.id))
    # The uniform draw settles how many more each cell gets; its queue settles which, so that the turns go on.
    quota.update(item.cell for item in remaining[: plan.per_generator - quota.total()])
    return [item for cell, queue in queues.items() for item in queue[: quota[cell]]]


def _take_turns(items: list[Job], seed: int) -> list[Job]:
    """Order the items of one cell at random, one of each base instance before the second of any."""
    shuffled = sorted(items, key=lambda item: (seed_of(seed, "turn", item.id), item.id))
    items_so_far: Counter[str] = Counter()
    turns: list[int] = []
    for item in shuffled:
        turns.append(items_so_far[item.instance_id])
        items_so_far[item.instance_id] += 1
    order = sorted(range(len(shuffled)), key=turns.__getitem__)
    return [shuffled[position] for position in order]


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
