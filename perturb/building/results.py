"""What a build gives: its snapshot, its figures and notes on its failures.

A build stores everything in a ledger: jobs, candidates and votes. `export_snapshot` selects from the accepted
candidates and writes them as a snapshot. `build_facts` gives the figures that `perturb build --json` prints, and
`failure_notes` the lines on what failed.

There are three plans here. A `BuildPlan` says what a build does. A `CurrentPlan` is what the ledger stores of it, which
can be read without the configuration. A `SelectionPlan` says which accepted candidates a snapshot takes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from perturb.auditing.certificate import Certificate, certify
from perturb.auditing.rubric import people_figures, people_verdicts
from perturb.auditing.votes import read_class_tallies
from perturb.building.panel import ALL_ABSTAINED
from perturb.building.plan import NO_SOLVERS, OpenBuild
from perturb.building.solvers import other_roles
from perturb.errors import ConfigError, SnapshotError
from perturb.files.resources import code_version, data_folder, seed_of
from perturb.ledger import queries
from perturb.ledger.ends import (
    call_failures,
    first_error,
    first_fault,
    missing_planted_replies,
    missing_replies,
    quota_status,
    unread_replies,
)
from perturb.ledger.evaluations import read_reviews
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.planted import class_rules, count_planted_votes, failed_items, solver_replies
from perturb.records import (
    NEAR_DUPLICATE,
    Acceptance,
    BaseInstance,
    Cell,
    Facts,
    Job,
    JobOutcome,
    PerturbationClass,
)
from perturb.snapshots.card import ExportedReplies, SnapshotFacts
from perturb.snapshots.freshness import FreshnessIndex, perturbed_item
from perturb.snapshots.items import build_controls, items_of, items_with_votes
from perturb.snapshots.rows import SnapshotRow, build_rows, read_part
from perturb.snapshots.select import Selection, SelectionPlan, select
from perturb.snapshots.snapshot import Snapshot, write_snapshot
from perturb.text.matching import folded
from perturb.text.wording import counted


def select_items(db: sqlite3.Connection, plan: CurrentPlan, selection_plan: SelectionPlan) -> Selection:
    """Select from the accepted candidates of the current plan. Raises `ConfigError` or `SnapshotError`."""
    jobs = [planned.job for planned in queries.accepted_jobs(db, plan.number, plan.panel)]
    if selection_plan.strategy == "hard":
        jobs = _keep_hard(db, plan, jobs, selection_plan.at_least or 0.5)
    if selection_plan.reviewed:
        # Items without a review stay if only failed items are dropped, and go if only passed items are kept.
        jobs = _keep_reviewed(db, jobs, keep_unreviewed=selection_plan.reviewed == "drop-failed")
    n_with_repeats = len(jobs)
    if selection_plan.drop_repeats:
        # Last, so that a repeat is dropped only if the item that it repeats has a chance to be selected.
        jobs = list(_without_repeats(db, jobs, selection_plan.seed))
    generators = [entry.name for entry in plan.facts.generators]
    selection = select(jobs, selection_plan, generators, plan.cells)
    return replace(selection, repeats=n_with_repeats - len(jobs))


def _keep_hard(db: sqlite3.Connection, plan: CurrentPlan, jobs: Iterable[Job], at_least: float) -> list[Job]:
    """The jobs whose items at least this share of the solvers failed. Raises `ConfigError` if there are no solvers."""
    if not plan.facts.solvers:
        raise ConfigError(NO_SOLVERS)
    failed = failed_items(db, plan.facts.solvers, at_least)
    return [job for job in jobs if job.id in failed]


def _keep_reviewed(db: sqlite3.Connection, jobs: Iterable[Job], *, keep_unreviewed: bool) -> list[Job]:
    """The jobs whose items people passed. Raises `SnapshotError` if nobody has reviewed an item."""
    verdicts = people_verdicts(read_reviews(db))
    if not verdicts:
        raise SnapshotError("nobody has reviewed an item: use `perturb review`, or leave --reviewed out")
    return [job for job in jobs if verdicts.get(job.id, keep_unreviewed)]


def _without_repeats(db: sqlite3.Connection, jobs: Iterable[Job], seed: int) -> Iterator[Job]:
    """The jobs, but only one of several whose items are near duplicates.

    Items are compared within the same generator, cell and first answer. Similar items of different cells test different
    things, and generators are compared on the same questions. Similar questions with different answers ("When was the
    pier built?", "When was the mill built?") are not duplicates.
    """
    groups: defaultdict[tuple[str, Cell, str], list[Job]] = defaultdict(list)
    for job in jobs:
        answer = folded(queries.instance_of(db, job.id).answers[0])
        groups[job.generator, job.cell, answer].append(job)
    for group in groups.values():
        if len({job.instance_id for job in group}) == 1:
            # These are replicates of one question, which the configuration asks for.
            yield from group
            continue
        index = FreshnessIndex()
        # The seed decides which of two similar items stays, and not the order of the jobs.
        for job in sorted(group, key=lambda member: (seed_of(seed, "repeat", member.id), member.id)):
            item = perturbed_item(queries.instance_of(db, job.id), queries.candidate(db, job.id))
            if index.find(item) is None:
                index.add(item)
                yield job


def count_foreign_rows(snapshot: Snapshot, instances: Iterable[BaseInstance]) -> int:
    """How many rows of a snapshot come from other base instances than these. Raises `SnapshotError` as `read_rows`."""
    contents = {(instance.id, instance.query, instance.context, *instance.answers) for instance in instances}
    text_columns = ["source_id", "original_query", "original_context"]
    n_foreign = 0
    for path in snapshot.data_files.values():
        for row in read_part(path).select([*text_columns, "original_answers"]).to_pylist():
            texts = [row[name] for name in text_columns]
            if (*texts, *row["original_answers"]) not in contents:
                n_foreign += 1
    return n_foreign


def export_snapshot(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    selection_plan: SelectionPlan,
    folder: Path,
    *,
    created: datetime | None,
    controls: bool = False,
    replies: ExportedReplies | None = None,
    shortcuts: bool = False,
    max_wrong: float | None = None,
) -> Snapshot:
    """Select rows and write them as a snapshot, with `controls` also their unperturbed originals.

    If given, `replies` is the file that all rows follow from, which the manifest names. With `shortcuts`, the manifest
    says how well baselines guess labels from a part of a row. Raises `SnapshotError` if nothing was accepted, if the
    interval of wrong labels ends above `max_wrong` or if the folder cannot be written, and `ConfigError` if the
    selection plan contradicts itself.
    """
    from perturb.auditing.audit_report import shortcut_figures

    # This comes first, since a snapshot that is refused needs no selection.
    if max_wrong is not None:
        _refuse_wrong_labels(certify(db, plan), max_wrong, hard=selection_plan.strategy == "hard")
    selection = select_items(db, plan, selection_plan)
    round_name, panel = plan.facts.round, plan.facts.panel.name
    rows = build_rows(items_with_votes(db, plan, selection.ids), round_name, panel)
    # Training the baselines takes a while, so they are trained only if somebody asks.
    measured = shortcut_figures(list(items_of(rows, plan.facts.classes))) if shortcuts and rows else None
    snapshot_facts = _snapshot_facts(db, plan, selection_plan, selection, created)
    facts = replace(snapshot_facts, replies=replies, shortcuts=measured)
    control_rows: Sequence[SnapshotRow] = ()
    if controls:
        # The items are read again, since they may be too many to keep in memory.
        control_rows = build_controls(items_with_votes(db, plan, selection.ids), round_name, panel)
    return write_snapshot(folder, rows, facts, plan.config, control_rows)


def _refuse_wrong_labels(certificate: Certificate | None, max_wrong: float, *, hard: bool) -> None:
    """Raise `SnapshotError` if more labels may be wrong than allowed, or if nothing was certified."""
    if certificate is None:
        raise SnapshotError(
            "nothing is certified: no items were planted: add `planted: 60` to `panel` in build.yaml and build again,"
            " or leave --max-wrong out"
        )
    # Solvers fail wrongly labelled items more often, so the hard items have an estimate of their own.
    wrong_share = certificate.wrong_labels_of_hard() if hard else certificate.quoted()
    high = None if wrong_share is None else wrong_share.high
    # The upper end must not be above the limit, since the share itself is only an estimate.
    if high is None or high > max_wrong:
        # a small sample of people, who may find faults that are harder to see, widens the interval
        remedy = (
            "let people read more items" if certificate.people else "plant more items (`panel: {planted: N}`)"
        )
        raise SnapshotError(
            f"{certificate.headline}: the upper end is above {100 * max_wrong:g} % (--max-wrong): {remedy},"
            " add a stricter verifier, or allow more"
        )


def _snapshot_facts(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    selection_plan: SelectionPlan,
    selection: Selection,
    created: datetime | None,
) -> SnapshotFacts:
    """The facts for manifest and card that the ledger and the selection give."""
    from perturb.auditing.audit_report import agreement_figures
    from perturb.auditing.rates import read_plan

    facts = plan.facts
    counts = plan.count_stages(db)
    stages = {"jobs": counts.jobs, **counts.outcomes, "votes": counts.votes, **counts.decisions}
    if selection_plan.drop_repeats:
        stages["repeats"] = selection.repeats
    stages["near_duplicates"] = queries.count_rejected(db, plan.number, NEAR_DUPLICATE)
    totals = queries.call_totals(db)
    tokens = {
        kind: sum(entry[f"{kind}_tokens"] or 0 for entry in totals.values())
        for kind in ("prompt", "completion")
    }
    # One unknown cost makes the sum unknown.
    costs = [entry["cost_usd"] for entry in totals.values()]
    certificate = certify(db, plan)
    return SnapshotFacts(
        run=facts,
        stages=stages,
        plan=selection_plan,
        shortfalls=selection.shortfalls,
        tokens=tokens,
        cost_usd=None if None in costs else round(sum(costs), 6),
        certificate=certificate.to_dict() if certificate else None,
        people=people_figures(db, plan),
        note=" ".join(filter(None, (facts.note, counts.unfinished))) or None,
        agreement=agreement_figures(read_plan(db, plan, facts.name)) if selection.ids else None,
        created=created,
    )


# How many missing replies, and how many causes of failures, a report names.
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How a build ended."""

    run: Path
    snapshot: Path | None
    """None if nothing was accepted or if the build stopped early."""
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of `perturb build --json`."""
    stopped: str | None = None
    """Why the build stopped before its end, if it did."""
    warnings: tuple[str, ...] = ()


def build_facts(build: OpenBuild, snapshot: Snapshot | None) -> dict[str, Any]:
    """The figures of a build as `perturb build --json` prints them, without the seconds."""
    db, judges = build.ledger.db, build.plan.panel.judges
    counts = build.count_stages()
    # The snapshot is missing if the build stopped early or if nothing was selected.
    snapshot_counts: Facts = snapshot.manifest["counts"] if snapshot else {"rows": 0, "stages": {}}
    certificate = certify(db, build.stored)
    quota = quota_status(db, build.stored)
    cells = queries.cell_counts(db, build.number, build.plan.panel.digest)
    facts = {
        "run": str(build.ledger.folder),
        "snapshot": str(snapshot.folder) if snapshot else None,
        **_job_facts(build, counts, repeats=snapshot_counts["stages"].get("repeats", 0)),
        "votes": counts.votes,
        "planted_votes": count_planted_votes(db, judges),
        "certificate": certificate.to_dict() if certificate else None,
        **_rule_facts(build),
        # A decision that no candidate has is missing in `decisions`.
        "accepted": counts.decisions.get(Acceptance.ACCEPTED, 0),
        "undecided": counts.decisions.get(Acceptance.UNDECIDED, 0),
        **_solver_facts(build),
    }
    if quota:
        facts["quota"] = quota
    return {
        **facts,
        "rows": snapshot_counts["rows"],
        "cells_filled": sum(1 for numbers in cells.values() if numbers["accepted"]),
        "cells_without_rule": list(build.plan.cells_without_rule),
        **_call_facts(build),
    }


def _job_facts(build: OpenBuild, counts: queries.StageCounts, *, repeats: int) -> dict[str, Any]:
    """How many jobs ended in which way. `repeats` are the accepted items that the selection dropped as repeats."""
    outcomes = Counter(counts.outcomes)
    return {
        "jobs": counts.jobs,
        "candidates": outcomes[JobOutcome.CANDIDATE],
        "unparsed": outcomes[JobOutcome.UNPARSED],
        "not_applicable": outcomes[JobOutcome.NOT_APPLICABLE],
        "rejected_by_checks": outcomes[JobOutcome.REJECTED],
        "near_duplicates": queries.count_rejected(build.ledger.db, build.number, NEAR_DUPLICATE),
        "repeats": repeats,
        "abstained": outcomes[JobOutcome.ABSTAINED],
        "errors": outcomes[JobOutcome.ERROR],
        "faults": counts.faults,
    }


def _call_facts(build: OpenBuild) -> dict[str, Any]:
    """The calls with their tokens and cost, and the replies that came from a recording or that it lacks."""
    db, judges = build.ledger.db, build.plan.panel.judges
    calls = queries.call_facts(db, build.ledger.cached_calls)
    replies = build.plan.exported_replies
    return {
        "calls": calls["calls"],
        "cached_calls": calls["cached_calls"],
        "recorded_replies": replies.replies if replies else None,
        "missing_replies": [
            *missing_replies(db, build.number, judges),
            *missing_planted_replies(db, judges),
        ],
        "tokens": calls["tokens"],
        "cost_usd": calls["cost_usd"],
    }


def _rule_facts(build: OpenBuild) -> dict[str, Any]:
    """The rules of the classes under `consensus: certified`, and how many votes they saved; empty otherwise."""
    rules = class_rules(build.ledger.db, build.number)
    if build.plan.panel.target is None or rules is None:
        return {}
    tallies = read_class_tallies(build.ledger.db, build.stored)
    judges = build.plan.panel.judges
    saved = 0
    for name, rule in rules.items():
        if name in tallies:
            # Without the rule, all verifiers of the class would have voted on each decided candidate.
            n_verifiers = len(judges.of(PerturbationClass(name)))
            saved += tallies[name].decided * (n_verifiers - len(rule.verifiers))
    return {"rules": {name: asdict(rule) for name, rule in rules.items()}, "votes_saved": saved}


def _solver_facts(build: OpenBuild) -> dict[str, Any]:
    """How many items the solvers failed, and how many replies they gave; None and 0 without solvers."""
    if build.plan.solvers is None:
        return {"hard": None, "solver_calls": 0}
    db, fingerprints = build.ledger.db, build.plan.solvers.fingerprints
    failed = failed_items(db, fingerprints, build.plan.config.select.at_least)
    return {"hard": len(failed), "solver_calls": len(solver_replies(db, fingerprints))}


def failure_notes(build: OpenBuild, missing: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """One line for each failure: what another run would try again, and what it would not change.

    `missing` are the replies that a recording lacks.
    """
    plan, db, judges = build.plan, build.ledger.db, build.plan.panel.judges
    replay = plan.replay
    counts = build.count_stages()
    # Embedded recordings may be older than the prompts, which users cannot change.
    if replay and plan.changed_since_recording and replay.recording.path.parent != data_folder("base_sets"):
        yield "Replaying replies recorded with an earlier version of the prompts."
    if missing:
        yield _missing_replies_note(missing)
    else:
        yield from _retry_notes(build, counts)
    if plan.asks_models:  # the lines advise to ask again, but a replay would get the same replies
        unread = unread_replies(db, build.number, plan.panel.digest, judges)
        yield from map(str, unread[:_MAX_NAMED])
    abstained = queries.count_decisions(db, plan.panel.digest, build.number, ALL_ABSTAINED)
    if abstained:
        yield (
            f"{counted(abstained, 'candidate')} left out, since every verifier of the class abstained: add a model to"
            " the panel"
        )
    if counts.faults:
        fault = first_fault(db, build.number, judges)
        yield (
            f"{counted(counts.faults, 'fault')} of offline rules and checks, whose items are left out (the first:"
            f" {fault}): please report this line, with 'perturb {code_version()}'"
        )
    for name, roles in other_roles(plan.config).items():
        yield f"solver '{name}' also {' and '.join(roles)}: how hard it finds items is a judgement of its own work"


def _missing_replies_note(missing: Sequence[Mapping[str, str]]) -> str:
    """A line that names the first replies that a recording lacks."""
    names = [f"{reply['job']} ({reply['role']}, {reply['model']})" for reply in missing[:_MAX_NAMED]]
    unnamed = f" and {len(missing) - _MAX_NAMED} more" if len(missing) > _MAX_NAMED else ""
    return (
        f"{counted(len(missing), 'reply', 'replies')} not on record, the jobs stay undecided:"
        f" {', '.join(names)}{unnamed}: --fill calls the models for them"
    )


def _retry_notes(build: OpenBuild, counts: queries.StageCounts) -> Iterator[str]:
    """The causes of failed jobs and missing votes, and a line that the same command tries again."""
    # Faults of rules, which come again, and stuck candidates are not counted: another run would not change them.
    failed = counts.outcomes.get(JobOutcome.ERROR, 0) - counts.rule_faults
    undecided = counts.decisions.get(Acceptance.UNDECIDED, 0) - counts.stuck
    if not failed and not undecided:
        return
    causes = list(map(str, call_failures(build.ledger.db, build.number)[:_MAX_NAMED]))
    # A function of the user may fail without any call to a model.
    yield from causes or [first_error(build.ledger.db, build.number)]
    unfinished = []
    if failed:
        unfinished.append(f"{counted(failed, 'job')} failed")
    if undecided:
        unfinished.append(f"{counted(undecided, 'candidate')} {'lack' if undecided > 1 else 'lacks'} votes")
    yield f"{' and '.join(unfinished)}: run the same command again to retry"
