"""Where votes come from: a run's ledger, or a file with one row per vote.

Pass rates: by generator and verifier, by class, intensity and lever, with two intervals each.

A Wilson interval takes the votes as independent. Votes on candidates of one base instance, and several votes on one
candidate, are not, so a second one is made as all intervals are (`perturb.metrics.intervals`).

Which levers the generators reach for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.votes import (
    ABSENT,
    AUDITED,
    COLUMNS,
    LANGUAGE,
    Coded,
    Labels,
    VoteTable,
    coded_vote_table,
    vote_table,
)
from perturb.catalogue.classes import Judges
from perturb.files.tables import read_columns
from perturb.ledger.calls import reading
from perturb.ledger.queries import BY_JUDGE
from perturb.metrics.inputs import Estimate, Floats, Integers
from perturb.metrics.intervals import effective_size, t_quantile, wilson_interval
from perturb.records import PerturbationClass

if TYPE_CHECKING:
    import sqlite3

    from perturb.ledger.plans import CurrentPlan, PlanFacts

_PAGE = 4_000
"""Votes that are read at a time."""

_VOTES_QUERY = f"""
    SELECT j.id, j.base_id, j.generator, v.verifier, j.perturbation_class, j.intensity, c.lever, v.state,
        coalesce(d.audited, 0), j.instance_key
    FROM jobs j
    JOIN candidates c ON c.id = j.id
    JOIN votes v ON v.candidate_id = j.id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?2
    WHERE j.plan = ?3 AND j.outcome = 'candidate' AND {BY_JUDGE}
"""  # noqa: S608  (constants; every value is bound)


def read_votes(source: Path | str) -> VoteTable:
    """The votes of a run (its folder), or of a `.jsonl`, `.csv` or `.parquet` file.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder holds no run.
    """
    path = Path(source)
    if path.is_dir():
        return read_run(path)
    columns = (*COLUMNS, AUDITED, LANGUAGE)
    frame = read_columns(path, columns, texts=columns)
    empty = [name for name in (AUDITED, LANGUAGE) if name in frame and frame[name].isna().all()]
    return vote_table(frame.drop(columns=empty), str(path))


def read_run(folder: Path) -> VoteTable:
    """The votes of the current plan by the panel as it is set now.

    Raises `LedgerError` if there is no ledger or no plan, `SourceError` if there is no vote.
    """
    from perturb.ledger.plans import current_plan

    with reading(folder) as db:
        return read_plan(db, current_plan(db, folder), str(folder))


def read_plan(db: sqlite3.Connection, plan: CurrentPlan, name: str) -> VoteTable:
    """The votes of a plan in an open ledger; `name` says in messages where they come from.

    Raises `SourceError` if there is no vote.
    """
    table = coded_vote_table(_query(db, plan), name)
    economy = plan.facts.panel.schedule == "economy"
    catalogue = plan.load_catalogue()
    return replace(
        table,
        states=np.where(_absent(table, plan.judges), ABSENT, table.states).astype(np.int8),
        audited=table.audited if economy else None,
        full_schedule=not economy and plan.facts.panel.target is None,
        same_model=_same_model(plan.facts),
        unfinished=plan.count_stages(db).unfinished,
        caveat=plan.facts.note or "",
        known_levers=frozenset(lever.name for cell in plan.cells for lever in catalogue.levers_of(cell)),
    )


def _absent(table: VoteTable, judges: Judges) -> NDArray[np.bool_]:
    """Where a verifier does not judge the class of a candidate: shape (candidates, verifiers)."""
    named = [judges.of(PerturbationClass(name)) for name in table.perturbation_class.names]
    absent = np.array(
        [[verifier not in one for verifier in table.verifiers] for one in named], dtype=np.bool_
    )
    return absent[table.perturbation_class.codes]


def _query(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Coded]:
    """The votes' columns, numbered page by page: as Python objects they would need ten times the memory."""
    names: dict[str, dict[Any, int]] = {name: {} for name in (*COLUMNS, AUDITED, LANGUAGE)}
    pages: dict[str, list[NDArray[np.int32]]] = {name: [] for name in names}
    cursor = db.execute(_VOTES_QUERY, (json.dumps(plan.judges.keys), plan.panel, plan.number))
    for rows in iter(lambda: cursor.fetchmany(_PAGE), []):
        for (name, known), values in zip(names.items(), zip(*rows, strict=True), strict=True):
            numbers = (known.setdefault(value, len(known)) for value in values)
            pages[name].append(np.fromiter(numbers, np.int32, len(rows)))
    spoken = dict(
        db.execute("SELECT key, coalesce(json_extract(payload, '$.language'), 'en') FROM instances")
    )
    found = {**names, LANGUAGE: [spoken[key] for key in names[LANGUAGE]]}
    return {
        name: (np.concatenate([np.empty(0, np.int32), *pages[name]]), list(found[name])) for name in names
    }


def _same_model(facts: PlanFacts) -> dict[str, str]:
    """Generators and verifiers that have different names and are one model all the same."""
    names = {entry.name for entry in facts.verifiers}
    pairs = {}
    for generator in facts.generators:
        twins = [one.name for one in facts.verifiers if one.model == generator.model != "rules"]
        if generator.name not in names and len(twins) == 1:
            pairs[generator.name] = twins[0]
    return pairs


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, with what it rests on."""

    name: str
    n: int
    """Votes, or candidates, that the share is taken over."""
    rate: float | None
    low: float | None
    """Wilson interval, as if all were independent."""
    high: float | None
    cluster_low: float | None
    """Wilson interval for the effective number of votes."""
    cluster_high: float | None
    design_effect: float | None
    """How many times wider the variance is than that of independent votes; None where the share is 0 or 1."""
    reason: str | None = None
    """Why the rate, or the second interval, is missing."""

    @property
    def estimate(self) -> Estimate:
        """The rate with its interval over base instances."""
        return Estimate(self.rate, self.cluster_low, self.cluster_high, n=self.n, reason=self.reason)


@dataclass(frozen=True, slots=True)
class MatrixRate:
    """What one verifier passes of one generator's candidates."""

    generator: str
    verifier: str
    n: int
    rate: float | None
    low: float | None
    high: float | None
    cluster_low: float | None
    cluster_high: float | None
    reason: str | None

    @property
    def estimate(self) -> Estimate:
        """The rate with its interval over base instances."""
        return Estimate(self.rate, self.cluster_low, self.cluster_high, n=self.n, reason=self.reason)


def pass_rates(table: VoteTable, labels: Labels) -> tuple[Rate, ...]:
    """Share of passes among the votes of all verifiers, for each label."""
    scored = table.scored.sum(axis=1).astype(np.float64)
    passed = np.nansum(table.votes, axis=1)
    return grouped_rates(passed, scored, labels, table.base.codes)


def pass_rate_matrix(table: VoteTable) -> tuple[MatrixRate, ...]:
    """Share of passes of each verifier for each generator."""
    rows = []
    columns = []
    for i, verifier in enumerate(table.verifiers):
        scored = table.scored[:, i].astype(np.float64)
        passed = np.nan_to_num(table.votes[:, i])
        columns.append((verifier, grouped_rates(passed, scored, table.generator, table.base.codes)))
    for number in range(len(table.generator.names)):
        for verifier, rates in columns:
            one = rates[number]
            interval = (one.low, one.high, one.cluster_low, one.cluster_high)
            rows.append(MatrixRate(one.name, verifier, one.n, one.rate, *interval, one.reason))
    return tuple(rows)


def grouped_rates(passed: Floats, scored: Floats, labels: Labels, base: Integers) -> tuple[Rate, ...]:
    """`passed` over `scored`, summed by label; `base` numbers the base instance of each candidate."""
    groups = len(labels.names)
    # A cluster is one base instance under one label. The variance of passes / votes is the usual one of a ratio, from
    # the residuals passes - share x votes of the clusters.
    cluster_keys, cluster = np.unique((base * groups + labels.codes)[scored > 0], return_inverse=True)
    group = (cluster_keys % groups).astype(np.int64)
    cluster_passes, cluster_votes = (
        np.bincount(cluster, weights=values[scored > 0], minlength=len(cluster_keys))
        for values in (passed, scored)
    )
    passes, votes = (
        np.bincount(group, weights=values, minlength=groups) for values in (cluster_passes, cluster_votes)
    )
    share = passes / np.maximum(votes, 1)
    residuals = cluster_passes - share[group] * cluster_votes
    squares = np.bincount(group, weights=residuals**2, minlength=groups)
    clusters = np.bincount(group, minlength=groups)
    return tuple(
        _rate(name, float(votes[g]), float(share[g]), float(squares[g]), int(clusters[g]))
        for g, name in enumerate(labels.names)
    )


def overall_rate(name: str, passed: Floats, base: Integers) -> Rate:
    """Share of ones among candidates."""
    everything = Labels((name,), np.zeros(len(passed), dtype=np.int64))
    return grouped_rates(passed, np.ones(len(passed)), everything, base)[0]


def _rate(name: str, n: float, share: float, squares: float, clusters: int) -> Rate:
    if n == 0:
        return Rate(name, 0, None, None, None, None, None, None, "nothing was scored")
    low, high = wilson_interval(share, n)
    if clusters < 2:
        why = "no interval by base instance: there is only one"
        return Rate(name, int(n), share, low, high, None, None, None, why)
    variance = clusters / (clusters - 1) * squares / n**2
    effect = variance * n / (share * (1 - share)) if 0 < share < 1 else None
    size = effective_size(share, variance, n, clusters)
    ends = wilson_interval(share, size, t_quantile(clusters))
    return Rate(name, int(n), share, low, high, *ends, effect)


@dataclass(frozen=True, slots=True)
class LeverUsage:
    """How one generator spreads its candidates over the levers."""

    generator: str
    n: int
    """Candidates that reached the panel."""
    levers: int
    """Different levers among them."""
    entropy: float
    """Shannon entropy of its levers, in bits."""
    entropy_within_cells: float
    """The same within a cell, averaged over its candidates: what it chose, as the cell is given to it."""
    never_chosen: tuple[str, ...]
    """Levers of the catalogue, or chosen by another generator, that it never used."""

    @property
    def left_out(self) -> int:
        """How many levers it never used."""
        return len(self.never_chosen)


def lever_usage(table: VoteTable) -> tuple[LeverUsage, ...]:
    """Lever usage of each generator that has candidates."""
    known = table.known_levers | {table.lever.names[code] for code in np.unique(table.lever.codes)}
    cells = table.perturbation_class.codes * len(table.intensity.names) + table.intensity.codes
    usages = []
    for number, name in enumerate(table.generator.names):
        mine = table.generator.codes == number
        if not mine.any():
            continue
        levers, counts = np.unique(table.lever.codes[mine], return_counts=True)
        pairs = np.unique(np.column_stack([cells, table.lever.codes])[mine], axis=0, return_counts=True)[1]
        in_cells = np.unique(cells[mine], return_counts=True)[1]
        chosen = {table.lever.names[code] for code in levers}
        usages.append(
            LeverUsage(
                generator=name,
                n=int(mine.sum()),
                levers=len(levers),
                entropy=_entropy(counts),
                entropy_within_cells=max(0.0, _entropy(pairs) - _entropy(in_cells)),
                never_chosen=tuple(sorted(known - chosen)),
            )
        )
    return tuple(usages)


def _entropy(counts: NDArray[np.integer]) -> float:
    shares = counts / counts.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))
