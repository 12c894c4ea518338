"""Draw the items that people review: the same number from each cell (spec, section 5)."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Literal

from perturb.digests import seed_of
from perturb.errors import ConfigError
from perturb.store.plans import CurrentPlan

Sample = tuple[list[str], dict[str, Any]]
"""Ids in the order they are reviewed in, and how they were drawn, for the ledger."""


def draw_candidates(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    per_cell: int = 10,
    seed: int = 0,
    population: Literal["accepted", "decided"] = "accepted",
) -> Sample:
    """Draw from the candidates that the run's panel accepted, or from those that it rejected as well.

    `counts` has every cell of the run, so that a gap is seen. Raises `ConfigError` if there are no candidates.
    """
    words = ("accepted", "rejected") if population == "decided" else ("accepted",)
    rows = db.execute(
        "SELECT j.id, j.perturbation_class || '/' || j.intensity, d.acceptance FROM jobs j"
        " JOIN decisions d ON d.candidate_id = j.id AND d.panel = ? WHERE j.plan = ? AND j.outcome = 'candidate'",
        (plan.panel, plan.number),
    )
    pool = {candidate_id: cell for candidate_id, cell, acceptance in rows if acceptance in words}
    if not pool:
        raise ConfigError(
            f"no candidate was {' or '.join(words)} yet: let `perturb build` finish, or draw --from decided"
        )
    chosen = draw_evenly(pool, per_cell, seed)
    drawn = Counter(pool[one] for one in chosen)
    counts = {str(cell): drawn[str(cell)] for cell in plan.cells}
    return chosen, {"per_cell": per_cell, "seed": seed, "population": population, "counts": counts}


def draw_evenly(groups: Mapping[str, str], size: int, seed: int) -> list[str]:
    """Draw up to `size` ids from each group uniformly, then shuffle them together.

    Every choice compares hashes of the seed and the id, so a larger `size` adds ids and takes none away.

    >>> groups = {f"c{i}": "P-Ambiguity/LOW" for i in range(9)}
    >>> few, more = (set(draw_evenly(groups, size, seed=0)) for size in (3, 5))
    >>> few < more, len(more)
    (True, 5)
    """
    ranked: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(groups, key=lambda one: seed_of(seed, "review", one)):
        ranked[groups[one]].append(one)
    chosen = [one for ids in ranked.values() for one in ids[:size]]
    return sorted(chosen, key=lambda one: seed_of(seed, "review order", one))
