"""Exports a snapshot from the ledger of a run: selects items, builds rows and writes them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from perturb.auditing.certificate import Certificate, certify
from perturb.auditing.rates import overall_rate
from perturb.auditing.rubric import people_verdicts
from perturb.auditing.votes import Labels
from perturb.errors import ConfigError, SnapshotError
from perturb.files.resources import seed_of
from perturb.ledger import queries
from perturb.ledger.evaluations import read_reviews
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.planted import failed_items
from perturb.records import NEAR_DUPLICATE, BaseInstance, Cell, Job
from perturb.snapshots.facts import ExportedReplies, SnapshotFacts, items_with_votes
from perturb.snapshots.freshness import FreshnessIndex, perturbed_item
from perturb.snapshots.items import build_controls, items_of
from perturb.snapshots.rows import build_rows, read_part
from perturb.snapshots.select import Selection, SelectionPlan, select
from perturb.snapshots.snapshot import Snapshot, write_snapshot
from perturb.text.matching import folded

NO_SOLVERS = "strategy hard now needs difficulty.solvers; use balanced"


def select_items(db: sqlite3.Connection, plan: CurrentPlan, quota: SelectionPlan) -> Selection:
    """Select from the accepted candidates of the current plan. Raises `ConfigError` or `SnapshotError`."""
    accepted = [planned.job for planned in queries.accepted_jobs(db, plan.number, plan.panel)]
    generators = [entry.name for entry in plan.facts.generators]
    if quota.strategy == "hard":
        if not plan.facts.solvers:
            raise ConfigError(NO_SOLVERS)
        failed = failed_items(db, plan.facts.solvers, quota.at_least or 0.5)
        accepted = [job for job in accepted if job.id in failed]
    if quota.reviewed:
        verdicts = people_verdicts(read_reviews(db))
        # Items without a review stay if only failed items are dropped, and go if only passed items are kept.
        default = quota.reviewed == "drop-failed"
        if not verdicts:
            raise SnapshotError("nobody has reviewed an item: use `perturb review`, or leave --reviewed out")
        accepted = [job for job in accepted if verdicts.get(job.id, default)]
    fresh = list(_without_repeats(db, accepted, quota.seed)) if quota.drop_repeats else accepted
    selection = select(fresh, quota, generators, plan.cells)
    return replace(selection, repeats=len(accepted) - len(fresh))


def _without_repeats(db: sqlite3.Connection, jobs: Iterable[Job], seed: int) -> Iterator[Job]:
    """Yield the jobs without near duplicates of another item of the same generator, cell and preferred answer.

    Similar items of different cells test different things, and generators are compared on the same questions. Similar
    questions with different answers ("When was the pier built?", "When was the mill built?") are not duplicates.
    """
    groups: defaultdict[tuple[str, Cell, str], list[Job]] = defaultdict(list)
    for job in jobs:
        answer = folded(queries.instance_of(db, job.id).answers[0])
        groups[job.generator, job.cell, answer].append(job)
    for group in groups.values():
        if len({job.instance_id for job in group}) == 1:
            yield from group  # these are replicates of one question, which the configuration asks for
            continue
        index = FreshnessIndex()
        # The seed decides which of two similar items stays, and not the order of the jobs.
        for job in sorted(group, key=lambda member: (seed_of(seed, "repeat", member.id), member.id)):
            item = perturbed_item(queries.instance_of(db, job.id), queries.candidate(db, job.id))
            if index.find(item) is None:
                index.add(item)
                yield job


def people_figures(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Any] | None:
    """The share of accepted items that most annotators pass, among reviewed items; None if no item was reviewed."""
    verdicts = people_verdicts(read_reviews(db))
    jobs = [planned.job for planned in queries.accepted_jobs(db, plan.number, plan.panel)]
    reviewed = [job for job in jobs if job.id in verdicts]
    if not reviewed:
        return None
    passed = np.array([float(verdicts[job.id]) for job in reviewed])
    rate = overall_rate("people", passed, Labels.of_words([job.instance_id for job in reviewed]).codes)
    # With several items of one base instance, the interval that allows for their likeness is the right one.
    low, high = (rate.low, rate.high) if rate.cluster_low is None else (rate.cluster_low, rate.cluster_high)
    return {"value": rate.rate, "low": low, "high": high, "reason": rate.reason, "n": rate.n}


def count_foreign_rows(snapshot: Snapshot, instances: Iterable[BaseInstance]) -> int:
    """How many rows of a snapshot come from other base instances than these. Raises `SnapshotError` as `read_rows`."""
    contents = {(instance.id, instance.query, instance.context, *instance.answers) for instance in instances}
    texts = ["source_id", "original_query", "original_context"]
    tables = (read_part(path) for path in snapshot.data_files.values())
    rows = (row for table in tables for row in table.select([*texts, "original_answers"]).to_pylist())
    return sum((*(row[name] for name in texts), *row["original_answers"]) not in contents for row in rows)


def export_snapshot(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    quota: SelectionPlan,
    folder: Path,
    created: datetime | None,
    controls: bool = False,
    replies: ExportedReplies | None = None,
    shortcuts: bool = False,
    max_wrong: float | None = None,
) -> Snapshot:
    """Select rows and write them as a snapshot, with `controls` also their unperturbed originals.

    If given, `replies` is the file that all rows follow from, which the manifest names. With `shortcuts`, the manifest
    says how well baselines guess labels from a part of a row. Raises `SnapshotError` if nothing was accepted, if the
    interval of wrong labels ends above `max_wrong` or if the folder cannot be written, and `ConfigError` if the quota
    contradicts itself.
    """
    from perturb.auditing.audit_report import shortcut_figures

    if max_wrong is not None:
        _refuse_wrong_labels(certify(db, plan), max_wrong, hard=quota.strategy == "hard")
    selection = select_items(db, plan, quota)
    round_and_panel = (plan.facts.round, plan.facts.panel.name)
    rows = build_rows(items_with_votes(db, plan, selection.ids), *round_and_panel)
    measured = shortcut_figures(list(items_of(rows, plan.facts.classes))) if shortcuts and rows else None
    return write_snapshot(
        folder,
        rows,
        replace(_facts(db, plan, quota, selection, created), replies=replies, shortcuts=measured),
        plan.config,
        build_controls(items_with_votes(db, plan, selection.ids), *round_and_panel) if controls else (),
    )


def _refuse_wrong_labels(certificate: Certificate | None, max_wrong: float, *, hard: bool) -> None:
    """Raise `SnapshotError` if more labels may be wrong than allowed, or if nothing was certified."""
    if certificate is None:
        raise SnapshotError(
            "nothing is certified: no items were planted: add `planted: 60` to `panel` in build.yaml and build again,"
            " or leave --max-wrong out"
        )
    wrong_share = certificate.wrong_labels_of_hard() if hard else certificate.quoted()
    high = None if wrong_share is None else wrong_share.high
    # The upper end must be below the limit, since the share itself is only an estimate.
    if high is None or high > max_wrong:
        raise SnapshotError(
            f"{certificate.headline}: the upper end is above {100 * max_wrong:g} % (--max-wrong): plant more items"
            " (`panel: {planted: N}`), add a stricter verifier, or allow more"
        )


def _facts(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    quota: SelectionPlan,
    selection: Selection,
    created: datetime | None,
) -> SnapshotFacts:
    from perturb.auditing.audit_report import agreement_figures
    from perturb.auditing.rates import read_plan

    facts = plan.facts
    counts = plan.count_stages(db)
    totals = queries.call_totals(db)
    # One unknown cost makes the sum unknown.
    costs = [entry["cost_usd"] for entry in totals.values()]
    certificate = certify(db, plan)
    return SnapshotFacts(
        run=facts,
        stages={
            **{"jobs": counts.jobs, **counts.outcomes, "votes": counts.votes, **counts.decisions},
            **({"repeats": selection.repeats} if quota.drop_repeats else {}),
            "near_duplicates": queries.count_rejected(db, plan.number, NEAR_DUPLICATE),
        },
        plan=quota,
        shortfalls=selection.shortfalls,
        tokens={
            kind: sum(entry[f"{kind}_tokens"] or 0 for entry in totals.values())
            for kind in ("prompt", "completion")
        },
        cost_usd=None if None in costs else round(sum(costs), 6),
        certificate=certificate.to_dict() if certificate else None,
        people=people_figures(db, plan),
        note=" ".join(filter(None, (facts.note, counts.unfinished))) or None,
        agreement=agreement_figures(read_plan(db, plan, facts.name)) if selection.ids else None,
        created=created,
    )
