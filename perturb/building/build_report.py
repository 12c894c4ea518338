"""The report on a build: its figures, what failed, and what another run could still do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from perturb.auditing.certificate import certify
from perturb.auditing.votes import read_tallies
from perturb.building.panel import ALL_ABSTAINED
from perturb.building.plan import BuildPlan
from perturb.building.solvers import other_roles
from perturb.files.resources import code_version, data_folder
from perturb.ledger import queries
from perturb.ledger.failures import call_failures, first_error, first_fault, missing_replies, unread_replies
from perturb.ledger.plans import CurrentPlan, Ledger, current_plan
from perturb.ledger.planted import (
    class_rules,
    count_planted_votes,
    failed_items,
    missing_planted_replies,
    solver_replies,
)
from perturb.ledger.quotas import quota_status
from perturb.records import NEAR_DUPLICATE, Acceptance, Facts, JobOutcome, PerturbationClass
from perturb.snapshots.facts import ExportedReplies
from perturb.snapshots.snapshot import Snapshot
from perturb.text.wording import counted

_MAX_NAMED = 5
"""How many missing replies, and how many causes of failures, a report names."""


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


@dataclass(frozen=True, slots=True)
class OpenBuild:
    """A build with its open ledger and the number of its plan there."""

    plan: BuildPlan
    ledger: Ledger
    number: int

    def current_plan(self) -> CurrentPlan:
        """The plan as the ledger stores it."""
        return current_plan(self.ledger.db, self.ledger.folder)

    def count_stages(self) -> queries.StageCounts:
        """How many jobs have reached each stage."""
        panel = self.plan.panel
        return queries.stage_counts(self.ledger.db, self.number, panel.digest, panel.judges)

    def exported_replies(self) -> ExportedReplies | None:
        """The file that all replies came from; None if models were asked."""
        if self.plan.asks_models or self.plan.replay is None:
            return None
        recording = self.plan.replay.recording
        return ExportedReplies(recording.path, recording.digest, len(recording))


def build_facts(build: OpenBuild, snapshot: Snapshot | None) -> dict[str, Any]:
    """The figures of a build as `perturb build --json` prints them, without the seconds."""
    plan, ledger, number = build.plan, build.ledger, build.number
    db, panel = ledger.db, plan.panel
    counts = build.count_stages()
    outcomes, decisions = Counter(counts.outcomes), Counter(counts.decisions)
    calls = queries.call_facts(db, ledger.cached_calls)
    cells = queries.cell_counts(db, number, panel.digest)
    certificate = certify(db, build.current_plan())
    quota = quota_status(db, build.current_plan())
    replies = build.exported_replies()
    exported: Facts = snapshot.manifest["counts"] if snapshot else {"rows": 0, "stages": {}}
    return {
        "run": str(ledger.folder),
        "snapshot": str(snapshot.folder) if snapshot else None,
        "jobs": counts.jobs,
        "candidates": outcomes[JobOutcome.CANDIDATE],
        "unparsed": outcomes[JobOutcome.UNPARSED],
        "not_applicable": outcomes[JobOutcome.NOT_APPLICABLE],
        "rejected_by_checks": outcomes[JobOutcome.REJECTED],
        "near_duplicates": queries.count_rejected(db, number, NEAR_DUPLICATE),
        "repeats": exported["stages"].get("repeats", 0),
        "abstained": outcomes[JobOutcome.ABSTAINED],
        "errors": outcomes[JobOutcome.ERROR],
        "faults": counts.faults,
        "votes": counts.votes,
        "planted_votes": count_planted_votes(db, panel.judges),
        "certificate": certificate and certificate.to_dict(),
        **_rule_facts(build),
        "accepted": decisions[Acceptance.ACCEPTED],
        "undecided": decisions[Acceptance.UNDECIDED],
        **_solver_facts(build),
        **({"quota": quota} if quota else {}),
        "rows": exported["rows"],
        "cells_filled": sum(1 for numbers in cells.values() if numbers["accepted"]),
        "cells_without_rule": list(plan.cells_without_rule),
        "calls": calls["calls"],
        "cached_calls": calls["cached_calls"],
        "recorded_replies": replies.replies if replies else None,
        "missing_replies": [
            *missing_replies(db, number, panel.judges),
            *missing_planted_replies(db, panel.judges),
        ],
        "tokens": calls["tokens"],
        "cost_usd": calls["cost_usd"],
    }


def _rule_facts(build: OpenBuild) -> dict[str, Any]:
    """The rules of the classes under `consensus: certified`, and how many votes they saved; empty otherwise."""
    rules = class_rules(build.ledger.db, build.number)
    if build.plan.panel.target is None or rules is None:
        return {}
    tallies = read_tallies(build.ledger.db, build.current_plan())
    judges = build.plan.panel.judges
    # The rule asked fewer verifiers about each decided candidate.
    saved = sum(
        tallies[name].decided * (len(judges.of(PerturbationClass(name))) - len(rule.verifiers))
        for name, rule in rules.items()
        if name in tallies
    )
    return {"rules": {name: asdict(rule) for name, rule in rules.items()}, "votes_saved": saved}


def _solver_facts(build: OpenBuild) -> dict[str, Any]:
    """How many items the solvers failed, and how many replies they gave; None and 0 without solvers."""
    if build.plan.solvers is None:
        return {"hard": None, "solver_calls": 0}
    db, fingerprints = build.ledger.db, build.plan.solvers.fingerprints
    failed = failed_items(db, fingerprints, build.plan.config.select.at_least)
    return {"hard": len(failed), "solver_calls": len(solver_replies(db, fingerprints))}


def failure_notes(build: OpenBuild, missing: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """One line for each failure: what another run would try again, and what only a repaired rule can change.

    `missing` are the replies that a recording lacks.
    """
    plan, ledger, number = build.plan, build.ledger, build.number
    panel, replay = plan.panel, plan.replay
    counts = build.count_stages()
    # Embedded recordings may be older than the prompts, which users cannot change.
    if replay and plan.reworded and replay.recording.path.parent != data_folder("base_sets"):
        yield "Replaying replies recorded with an earlier version of the prompts."
    if missing:
        names = ", ".join(
            f"{reply['job']} ({reply['role']}, {reply['model']})" for reply in missing[:_MAX_NAMED]
        )
        more = f" and {len(missing) - _MAX_NAMED} more" if len(missing) > _MAX_NAMED else ""
        yield (
            f"{counted(len(missing), 'reply', 'replies')} not on record, the jobs stay undecided: {names}{more}:"
            " --fill calls the models for them"
        )
    else:
        yield from _retry_notes(build, counts)
    if plan.asks_models:  # the lines advise to ask again, but a replay would get the same replies
        unread = unread_replies(ledger.db, number, panel.digest, panel.judges)
        yield from map(str, unread[:_MAX_NAMED])
    if abstained := queries.count_decisions(ledger.db, panel.digest, number, ALL_ABSTAINED):
        yield (
            f"{counted(abstained, 'candidate')} left out, since every verifier of the class abstained: add a model to"
            " the panel"
        )
    if counts.faults:
        fault = first_fault(ledger.db, number, panel.judges)
        yield (
            f"{counted(counts.faults, 'fault')} of offline rules and checks, whose items are left out (the first:"
            f" {fault}): please report this line, with 'perturb {code_version()}'"
        )
    for name, roles in other_roles(plan.config).items():
        yield f"solver '{name}' also {' and '.join(roles)}: how hard it finds items is a judgement of its own work"


def _retry_notes(build: OpenBuild, counts: queries.StageCounts) -> Iterator[str]:
    """The causes of failed jobs and missing votes, and a line that the same command tries again."""
    # A rule's fault comes again, so another run would not help.
    failed = counts.outcomes.get(JobOutcome.ERROR, 0) - counts.rule_faults
    undecided = counts.decisions.get(Acceptance.UNDECIDED, 0) - counts.stuck
    if not failed and not undecided:
        return
    causes = list(map(str, call_failures(build.ledger.db, build.number)[:_MAX_NAMED]))
    # A function of the user may fail without any call to a model.
    yield from causes or [first_error(build.ledger.db, build.number)]
    ends = []
    if failed:
        ends.append(f"{counted(failed, 'job')} failed")
    if undecided:
        ends.append(f"{counted(undecided, 'candidate')} {'lack' if undecided > 1 else 'lacks'} votes")
    yield f"{' and '.join(ends)}: run the same command again to retry"
