"""Votes from a ledger or a table, and what they show: pass rates of generators and verifiers, and the use of levers.

Each pass rate has two intervals. The Wilson interval treats the votes as independent. Votes on the same candidate, or
on candidates of the same base instance, are not independent. The second interval allows for that, as all other
intervals do (`perturb.metrics.intervals`).

`read_votes` reads the votes. `pass_rates`, `pass_rate_matrix` and `lever_usage` make tables of them.
`grouped_rates` and `overall_rate` do the same for other shares of candidates.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
from perturb.ledger.plans import CurrentPlan, PlanFacts, current_plan
from perturb.ledger.queries import BY_JUDGE, bind
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, plain
from perturb.metrics.intervals import effective_size, t_quantile, wilson_interval
from perturb.records import JsonObject, PerturbationClass

# Votes that are read from the ledger at a time.
_PAGE_ROWS = 4_000
# The last column of the query: the key of the base instance in the ledger.
_INSTANCE_KEY = "instance_key"

# A row for each vote of the current plan and panel; its columns are `COLUMNS`, `AUDITED` and `_INSTANCE_KEY`.
_VOTES_QUERY = f"""
    SELECT j.id, j.base_id, j.generator, v.verifier, j.perturbation_class, j.intensity, c.lever, v.state,
        coalesce(d.audited, 0), j.instance_key
    FROM jobs j
    JOIN candidates c ON c.id = j.id
    JOIN votes v ON v.candidate_id = j.id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel
    WHERE j.plan = :plan AND j.outcome = 'candidate' AND {BY_JUDGE}
"""  # noqa: S608  (constants; every value is bound)


def read_votes(source: Path | str) -> VoteTable:
    """The votes of a run folder, or of a `.jsonl`, `.csv` or `.parquet` file.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder has no run.
    """
    path = Path(source)
    if path.is_dir():
        with reading(path) as db:
            return read_plan(db, current_plan(db, path), str(path))
    columns = (*COLUMNS, AUDITED, LANGUAGE)
    frame = read_columns(path, columns, texts=columns)
    empty = [name for name in (AUDITED, LANGUAGE) if name in frame and frame[name].isna().all()]
    return vote_table(frame.drop(columns=empty), str(path))


def read_plan(db: sqlite3.Connection, plan: CurrentPlan, name: str) -> VoteTable:
    """The votes on the candidates of a plan, from its panel. Messages call their source `name`.

    Raises `SourceError` if there is no vote.
    """
    table = coded_vote_table(_query_votes(db, plan), name)
    # Under the economy schedule, the panel stops at the first fail, except for the candidates drawn for the audit.
    economy = plan.facts.panel.schedule == "economy"
    catalogue = plan.load_catalogue()
    return replace(
        table,
        states=np.where(_absent(table, plan.judges), ABSENT, table.states).astype(np.int8),
        audited=table.audited if economy else None,
        # With a target, classes have rules that may leave verifiers out.
        full_schedule=not economy and plan.facts.panel.target is None,
        same_model=_same_model(plan.facts),
        unfinished=plan.count_stages(db).unfinished,
        caveat=plan.facts.note or "",
        known_levers=frozenset(lever.name for cell in plan.cells for lever in catalogue.levers_of(cell)),
    )


def _absent(table: VoteTable, judges: Judges) -> Flags:
    """True where a verifier does not judge the class of a candidate; shape (candidates, verifiers)."""
    absent_by_class = []
    for name in table.perturbation_class.names:
        judging = judges.of(PerturbationClass(name))
        absent_by_class.append([verifier not in judging for verifier in table.verifiers])
    return np.array(absent_by_class)[table.perturbation_class.codes]


def _query_votes(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Coded]:
    """The columns of the votes.

    The values become numbers page by page: as Python objects, all votes would need ten times the memory.
    """
    names = (*COLUMNS, AUDITED, _INSTANCE_KEY)
    numbers_of_values: dict[str, dict[Any, int]] = {name: {} for name in names}
    pages: dict[str, list[NDArray[np.int32]]] = {name: [np.empty(0, np.int32)] for name in names}
    cursor = db.execute(_VOTES_QUERY, bind(plan.judges, plan.number, plan.panel))
    while rows := cursor.fetchmany(_PAGE_ROWS):
        for name, values in zip(names, zip(*rows, strict=True), strict=True):
            pages[name].append(_number_values(values, numbers_of_values[name]))
    columns: dict[str, Coded] = {
        name: (np.concatenate(pages[name]), list(numbers_of_values[name])) for name in names
    }
    # The language of a candidate is that of its base instance.
    instance_numbers, keys = columns.pop(_INSTANCE_KEY)
    languages = dict(
        db.execute("SELECT key, coalesce(json_extract(payload, '$.language'), 'en') FROM instances")
    )
    return {**columns, LANGUAGE: (instance_numbers, [languages[key] for key in keys])}


def _number_values(values: Sequence[Any], number_of: dict[Any, int]) -> NDArray[np.int32]:
    """The number of each value. New values get the next numbers, and are added to `number_of`."""
    numbers = (number_of.setdefault(value, len(number_of)) for value in values)
    return np.fromiter(numbers, np.int32, len(values))


def _same_model(facts: PlanFacts) -> dict[str, str]:
    """Generator → the verifier that is the same model under another name; none if several verifiers are."""
    verifier_names = {entry.name for entry in facts.verifiers}
    pairs = {}
    for generator in facts.generators:
        twins = [verifier.name for verifier in facts.verifiers if verifier.model == generator.model]
        # If there are several, they differ in their settings, and it is unclear which of them is the generator.
        has_one_twin = len(twins) == 1
        if has_one_twin and generator.name not in verifier_names and generator.model != "rules":
            pairs[generator.name] = twins[0]
    return pairs


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of passes with its two intervals."""

    name: str
    n: int
    """The number of votes, or of candidates, behind the share."""
    rate: float | None
    low: float | None = None
    """Lower end of the Wilson interval for independent votes."""
    high: float | None = None
    cluster_low: float | None = None
    """Lower end of the Wilson interval for the effective number of votes."""
    cluster_high: float | None = None
    design_effect: float | None = None
    """The variance divided by that of independent votes; None if the share is 0 or 1."""
    reason: str | None = None
    """The reason why the rate or the second interval is missing."""

    @property
    def estimate(self) -> Estimate:
        """The rate with its interval over base instances."""
        return Estimate(self.rate, self.cluster_low, self.cluster_high, n=self.n, reason=self.reason)

    @property
    def wilson(self) -> Estimate:
        """The rate with the Wilson interval for independent votes, which needs only a rate."""
        reason = self.reason if self.rate is None else None
        return Estimate(self.rate, self.low, self.high, n=self.n, reason=reason)


@dataclass(frozen=True, slots=True)
class MatrixRate:
    """The share of one generator's candidates that one verifier passes."""

    generator: str
    verifier: str
    passes: Rate

    def to_dict(self) -> JsonObject:
        """One entry of the JSON, which has the fields of the rate but its name and its design effect."""
        content = plain(self.passes)
        del content["name"], content["design_effect"]
        return {"generator": self.generator, "verifier": self.verifier, **content}


def pass_rates(table: VoteTable, labels: Labels) -> tuple[Rate, ...]:
    """Share of passes among the votes of all verifiers, for each label."""
    scored = table.scored.sum(axis=1).astype(np.float64)
    passed = np.nansum(table.votes, axis=1)
    return grouped_rates(passed, scored, labels, table.base.codes)


def pass_rate_matrix(table: VoteTable) -> tuple[MatrixRate, ...]:
    """Share of passes of each verifier for each generator."""
    passed, scored = np.nan_to_num(table.votes), table.scored.astype(np.float64)
    rates_by_verifier = [
        grouped_rates(passed[:, column], scored[:, column], table.generator, table.base.codes)
        for column in range(len(table.verifiers))
    ]
    matrix = []
    for row, generator in enumerate(table.generator.names):
        for verifier, rates in zip(table.verifiers, rates_by_verifier, strict=True):
            matrix.append(MatrixRate(generator, verifier, rates[row]))
    return tuple(matrix)


def grouped_rates(passed: Floats, scored: Floats, labels: Labels, base: Integers) -> tuple[Rate, ...]:
    """For each label, the passes of its candidates over their votes.

    All arrays have one entry for each candidate: `passed` counts its passes, `scored` counts its votes, and `base` is
    the number of its base instance.
    """
    n_labels = len(labels.names)
    has_votes = scored > 0
    # A cluster is one base instance under one label. Its key is a number from which the label can be recovered.
    cluster_keys = base * n_labels + labels.codes
    keys, cluster = np.unique(cluster_keys[has_votes], return_inverse=True)
    label_of_cluster = (keys % n_labels).astype(np.int64)
    cluster_passes: Floats = np.bincount(cluster, passed[has_votes], len(keys)).astype(np.float64)
    cluster_votes: Floats = np.bincount(cluster, scored[has_votes], len(keys)).astype(np.float64)

    def sum_by_label(values: Floats | Integers) -> Floats:
        return np.bincount(label_of_cluster, weights=values, minlength=n_labels).astype(np.float64)

    votes = sum_by_label(cluster_votes)
    shares = sum_by_label(cluster_passes) / np.maximum(votes, 1)
    # The variance of a ratio comes from the residuals of the clusters.
    residuals = cluster_passes - shares[label_of_cluster] * cluster_votes
    squared_residuals = sum_by_label(residuals**2)
    n_clusters = np.bincount(label_of_cluster, minlength=n_labels)
    return tuple(
        _rate(
            name,
            float(votes[code]),
            float(shares[code]),
            squared_residuals=float(squared_residuals[code]),
            n_clusters=int(n_clusters[code]),
        )
        for code, name in enumerate(labels.names)
    )


def overall_rate(name: str, passed: Floats, base: Integers) -> Rate:
    """The share of passes among candidates with one verdict each: 1 or 0."""
    everything = Labels((name,), np.zeros(len(passed), dtype=np.int64))
    return grouped_rates(passed, np.ones(len(passed)), everything, base)[0]


def _rate(name: str, n: float, share: float, *, squared_residuals: float, n_clusters: int) -> Rate:
    """The rate of `n` votes in some clusters, the sum of whose squared residuals is given.

    With G clusters, the variance of the share is G / (G - 1) * squared_residuals / n².
    """
    if n == 0:
        return Rate(name, 0, None, reason="nothing was scored")
    low, high = wilson_interval(share, n)
    if n_clusters < 2:
        reason = "no interval by base instance: there is only one"
        return Rate(name, int(n), share, low, high, reason=reason)
    variance = n_clusters / (n_clusters - 1) * squared_residuals / n**2
    effective_votes = effective_size(share, variance, n, n_clusters)
    cluster_low, cluster_high = wilson_interval(share, effective_votes, t_quantile(n_clusters))
    design_effect = variance * n / (share * (1 - share)) if 0 < share < 1 else None
    return Rate(name, int(n), share, low, high, cluster_low, cluster_high, design_effect)


@dataclass(frozen=True, slots=True)
class LeverUsage:
    """The levers of one generator's candidates."""

    generator: str
    n: int
    """Candidates that reached the panel."""
    levers: int
    """The number of different levers among them."""
    entropy: float
    """Shannon entropy of the levers, in bits."""
    entropy_within_cells: float
    """Mean entropy of the levers within a cell, in bits. The plan sets the cell; the generator chooses the lever."""
    never_chosen: tuple[str, ...]
    """Levers of the catalogue or of other generators that this generator never used."""

    @property
    def left_out(self) -> int:
        """The number of levers that it never used."""
        return len(self.never_chosen)


def lever_usage(table: VoteTable) -> tuple[LeverUsage, ...]:
    """The lever usage of each generator that has candidates."""
    lever_names = np.array(table.lever.names)
    all_levers = table.known_levers | set(lever_names[table.lever.codes].tolist())
    cells = table.perturbation_class.codes * len(table.intensity.names) + table.intensity.codes
    usages = []
    for code in np.unique(table.generator.codes):
        is_own = table.generator.codes == code
        own_levers, own_cells = table.lever.codes[is_own], cells[is_own]
        chosen = set(lever_names[own_levers].tolist())
        entropy_of_both = _entropy(np.column_stack([own_cells, own_levers]))
        usages.append(
            LeverUsage(
                generator=table.generator.names[code],
                n=len(own_levers),
                levers=len(chosen),
                entropy=_entropy(own_levers),
                # the chain rule: H(lever | cell) = H(cell, lever) - H(cell)
                entropy_within_cells=max(0.0, entropy_of_both - _entropy(own_cells)),
                never_chosen=tuple(sorted(all_levers - chosen)),
            )
        )
    return tuple(usages)


def _entropy(values: Integers) -> float:
    """Shannon entropy of the distribution of the values, or of the rows of a table, in bits."""
    _, counts = np.unique(values, axis=0, return_counts=True)
    shares = counts / counts.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum()))
