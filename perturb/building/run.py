"""`perturb build` as a function: plan, generate, verify, decide, select, export; resumes by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from perturb.auditing.certificate import certify
from perturb.auditing.votes import read_tallies
from perturb.building.export import count_foreign_rows, export_snapshot
from perturb.building.panel import ALL_ABSTAINED
from perturb.building.pipeline import Pipeline, Waves, Workers
from perturb.building.plan import BuildPlan, plan_build
from perturb.building.planting import Planting, fix_numbers
from perturb.building.solvers import SolverStage, other_roles, quieter_jobs
from perturb.config import BuildConfig
from perturb.errors import BudgetSpent, ConfigError, LedgerError, SnapshotError
from perturb.files.resources import code_version, data_folder
from perturb.files.text_files import writing_errors
from perturb.ledger import queries
from perturb.ledger.db import ledger_errors
from perturb.ledger.failures import call_failures, first_error, first_fault, missing_replies, unread_replies
from perturb.ledger.plans import Ledger, current_plan
from perturb.ledger.planted import (
    class_rules,
    count_planted_votes,
    failed_items,
    missing_planted_replies,
    solver_replies,
)
from perturb.ledger.quotas import quota_status
from perturb.llm.budget import Budget, Progress
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.executors import open_executor
from perturb.llm.factory import ConnectionCheck, open_models, open_replay
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import Replay
from perturb.records import NEAR_DUPLICATE, Acceptance, JobOutcome, PerturbationClass
from perturb.runtime.asyncs import run_sync, sigterm_as_interrupt
from perturb.snapshots.accepted import accepted_items
from perturb.snapshots.facts import ExportedReplies
from perturb.snapshots.select import SelectionPlan
from perturb.snapshots.snapshot import Snapshot, read_snapshot
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How a build ended."""

    run: Path
    snapshot: Path | None
    """None when nothing was accepted, or the build stopped early."""
    facts: Mapping[str, Any]
    """Counts, tokens, cost and seconds, under the names of `perturb build --json`."""
    stopped: str | None = None
    """Why the build stopped before its end, if it did."""
    warnings: tuple[str, ...] = ()


def build(
    config: BuildConfig,
    run: Path,
    *,
    progress: bool = False,
    retry: frozenset[JobOutcome] = frozenset(),
    replay: Replay | None = None,
    force: bool = False,
    wait: bool = False,
) -> BuildReport:
    """Build a benchmark into the run folder, or go on with one that was stopped.

    `retry` names outcomes whose jobs are done once more (`UNPARSED`, `ERROR`); errors always are. With `replay`,
    replies on record take the place of models, and nothing is sent unless it says so. With `force`, a snapshot of
    other data is renamed; without it, the build is refused. With `wait`, a server that
    takes no connection at the start is tried again and again. Raises `PerturbError`s for everything a user can mend;
    an interrupt leaves a ledger from which the same call goes on.
    """
    started = time.monotonic()
    build_plan = plan_build(config, replay)
    if replay is None or replay.fill:
        check_models(build_plan)
    select = config.select
    shortcuts = select.shortcuts
    with Ledger(run) as ledger, ledger_errors(ledger.path):
        renamed = _protect_snapshot(build_plan, ledger, run / "snapshot", force)
        plan, waves = _register_plan(build_plan, ledger, retry)
        with writing_errors(run / "build.yaml", LedgerError):
            (run / "build.yaml").write_text(config.to_yaml(), encoding="utf-8")
        stopped = _run(build_plan, ledger, plan, waves, progress=progress, wait=wait)
        current = current_plan(ledger.db, run)
        at_least = select.at_least if select.strategy == "hard" else None
        quota = SelectionPlan(
            select.strategy,
            select.per_generator,
            select.min_per_cell,
            config.seed,
            at_least,
            drop_repeats=True,
        )
        snapshot: Snapshot | None = None
        empty: tuple[str, ...] = ()
        if stopped is None:
            try:
                now = datetime.now(UTC)
                kept = _replies_of(build_plan)
                snapshot = export_snapshot(
                    ledger.db, current, quota, run / "snapshot", now, select.controls, kept, shortcuts
                )
            except SnapshotError as exc:
                empty = (str(exc),)
        facts = _report_facts(ledger, build_plan, plan, run, snapshot)
        failures = _unfinished(ledger, plan, build_plan, facts["missing_replies"])
        failures += tuple(
            f"solver '{name}' also {' and '.join(roles)}: how hard it finds items is a judgement of its own work"
            for name, roles in other_roles(config).items()
        )
        if waves and stopped is None:
            failures += waves.unfilled()
    # The cause comes first: where calls failed, an empty snapshot surprises nobody.
    unreadable = facts["unparsed"] and not (facts["candidates"] or facts["rejected_by_checks"])
    nothing_failed = not (facts["errors"] or facts["undecided"] or (failures and unreadable))
    warnings = (*renamed, *failures, *build_plan.base_set.warnings, *(empty if nothing_failed else ()))
    facts["seconds"] = round(time.monotonic() - started, 2)
    return BuildReport(
        run, snapshot.folder if snapshot else None, facts, str(stopped) if stopped else None, warnings
    )


def _protect_snapshot(build_plan: BuildPlan, ledger: Ledger, folder: Path, force: bool) -> tuple[str, ...]:
    """Refuse a base set that lacks instances of the snapshot in the folder; with `force`, rename the snapshot.

    Returns a line about the new name. Raises `SnapshotError`.
    """
    try:
        snapshot = read_snapshot(folder)
        lost = count_foreign_rows(snapshot, build_plan.base_set.instances)
    except SnapshotError:  # it is missing or damaged: the build writes a new one
        return ()
    if not lost:
        return ()
    if force:
        former = folder.with_name(f"{folder.name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}")
        with writing_errors(former, SnapshotError):
            folder.rename(former)
        ledger.forget_sample()
        return (f"the snapshot of the former base set is now in {former}; its review is no longer shown",)
    old = _base_set_name((folder / "build.yaml").read_text(encoding="utf-8"), snapshot.manifest["digests"])
    new = _base_set_name(build_plan.config.to_yaml(), build_plan.facts["digests"])
    raise SnapshotError(
        f"{folder}: {counted(lost, 'row')} of this snapshot came from base set {old}, and base set {new} lacks"
        " their questions: choose another name (--name), or give --force, which keeps the old snapshot under a"
        " dated name"
    )


def _base_set_name(config: str, digests: Mapping[str, str]) -> str:
    """The base set of a stored configuration, with the beginning of its digest."""
    entry = yaml.safe_load(config)["base_set"]
    name = entry.get("path") or entry.get("demo") or entry.get("function")
    return f"{name} ({digests['base_set'][:8]})"


def _replies_of(build_plan: BuildPlan) -> ExportedReplies | None:
    """The file that the rows follow from, if they follow from one alone."""
    if build_plan.replay is None or build_plan.replay.fill:
        return None
    recording = build_plan.replay.recording
    return ExportedReplies(recording.path, recording.digest, len(recording))


def check_models(build_plan: BuildPlan) -> None:
    """Refuse a model that cannot be called: no key in the environment, an unknown provider, no price for a budget."""
    from perturb.llm.remote import check_model

    for one in _called(build_plan):
        check_model(one)


def _called(build_plan: BuildPlan) -> list[ModelSettings]:
    """All models of the build, some of them in several roles."""
    settings = [*build_plan.generator_settings.values(), *build_plan.verifier_settings.values()]
    if build_plan.solvers is not None:
        settings += [*build_plan.solvers.settings.values(), build_plan.solvers.judge]
    return settings


def _register_plan(
    build_plan: BuildPlan, ledger: Ledger, retry: frozenset[JobOutcome]
) -> tuple[int, Waves | None]:
    """Enter the jobs of the plan; of one with a quota, those of earlier sessions."""
    plan = ledger.start_plan(build_plan.digest, build_plan.config.to_yaml(), build_plan.facts)
    instances = {instance.id: instance for _, instance in build_plan.instances}
    waves = Waves(build_plan, ledger, plan, rule) if (rule := build_plan.config.until) else None
    ledger.add_jobs(plan, waves.begun() if waves else build_plan.jobs(), instances)
    for outcome in retry:
        ledger.forget_outcomes(plan, outcome)
    if JobOutcome.UNPARSED in retry:
        ledger.forget_unread_votes(plan, build_plan.panel.digest, build_plan.panel.judges)
    return plan, waves


def _run(
    build_plan: BuildPlan, ledger: Ledger, plan: int, waves: Waves | None, *, progress: bool, wait: bool
) -> BudgetSpent | None:
    panel = build_plan.panel
    counts = queries.stage_counts(ledger.db, plan, panel.digest, panel.judges)
    with Progress(counts.jobs, "job", _ends(counts), shown=progress) as shown:
        return run_sync(_run_pipeline(build_plan, ledger, plan, waves, shown, wait))


def _ends(counts: queries.StageCounts) -> dict[str, int]:
    """The jobs that earlier sessions brought to an end, as a reader of the progress sees them."""
    accepted = counts.decisions.get(Acceptance.ACCEPTED, 0)
    rejected = counts.decisions.get(Acceptance.REJECTED, 0) + counts.outcomes.get(JobOutcome.REJECTED, 0)
    failed = counts.stuck + counts.rule_faults
    others = counts.done - accepted - rejected - failed
    return {"accepted": accepted, "rejected": rejected, "no candidate": others, "failed": failed}


def _end(outcome: str) -> str:
    """Under which word the end of a job is counted."""
    if outcome in (JobOutcome.ERROR, Acceptance.UNDECIDED):
        return "failed"
    if outcome in (Acceptance.REJECTED, JobOutcome.REJECTED):
        return "rejected"
    return "accepted" if outcome == Acceptance.ACCEPTED else "no candidate"


async def _run_pipeline(
    build_plan: BuildPlan, ledger: Ledger, plan: int, waves: Waves | None, progress: Progress, wait: bool
) -> BudgetSpent | None:
    replay = build_plan.replay
    config = build_plan.config
    asks = replay is None or replay.fill
    limit = config.budget_usd if asks else None
    budget = Budget(limit, queries.spent_usd(ledger.db))
    executor = await open_executor(config.executor, build_plan.catalogue)
    # The nodes of a Ray cluster may reach servers that this machine does not.
    check = (
        ConnectionCheck(_called(build_plan)) if asks and not wait and config.executor.kind != "ray" else None
    )
    with sigterm_as_interrupt():  # after the executor: Ray sets a handler of its own
        models: list[ChatModel] = []
        try:
            opening = partial(open_replay, replay) if replay else open_models
            generators = opening(build_plan.generator_settings.values(), budget, executor.model)
            models += generators.values()
            both = {
                name: generators[name]
                for name, settings in build_plan.verifier_settings.items()
                if settings == build_plan.generator_settings.get(name)
            }
            others = (one for name, one in build_plan.verifier_settings.items() if name not in both)
            verifiers = opening(others, budget, executor.model)
            models += verifiers.values()
            workers = Workers(
                # A model in both roles has its limits once.
                ModelClient(generators, ledger, budget, check and check.passed),
                ModelClient(verifiers | both, ledger, budget, check and check.passed),
                executor,
            )
            planting = _plant(build_plan, ledger, plan, waves)
            pipeline = Pipeline(
                build_plan, ledger, plan, workers, lambda end: progress.count(_end(end)), planting
            )
            async with progress.watching(models, budget):
                await pipeline.run()
                while waves and pipeline.budget_spent is None and (jobs := waves.enter_next()):
                    progress.expect(jobs)
                    await pipeline.run(leftovers=False)
                if build_plan.solvers is not None and pipeline.budget_spent is None:
                    opener = partial(opening, transport=executor.model)
                    pipeline.budget_spent = await _solve(build_plan, ledger, budget, opener, models)
                    while pipeline.budget_spent is None and (
                        jobs := _enter_quieter(build_plan, ledger, plan)
                    ):
                        progress.expect(jobs)
                        await pipeline.run(leftovers=False)
                        if pipeline.budget_spent is None:
                            pipeline.budget_spent = await _solve(build_plan, ledger, budget, opener, models)
        finally:
            for model in models:
                await model.close()
            await executor.close()
        return pipeline.budget_spent


async def _solve(
    build_plan: BuildPlan,
    ledger: Ledger,
    budget: Budget,
    opening: Callable[..., dict[str, ChatModel]],
    models: list[ChatModel],
) -> BudgetSpent | None:
    """Ask the solvers about every accepted item; returns what stopped them, if the budget did.

    The models that are opened for it are added to `models`, for the caller to close; one that is open already, with the
    same settings, has its limits once.
    """
    plan = build_plan.solvers
    if plan is None:
        return None
    config = build_plan.config
    open_already = {model.settings.name: model for model in models}

    def opened(settings: Iterable[ModelSettings]) -> dict[str, ChatModel]:
        wanted = {one.name: one for one in settings}
        held = {
            name: model
            for name, one in wanted.items()
            if (model := open_already.get(name)) is not None and model.settings == one
        }
        new = opening([one for name, one in wanted.items() if name not in held], budget)
        models.extend(new.values())
        return held | new

    solvers, judge = opened(plan.settings.values()), opened([plan.judge])
    width = sum(one.max_connections for one in config.difficulty.solvers) if config.difficulty else 1
    stage = SolverStage(
        plan, ledger, ModelClient(solvers, ledger, budget), ModelClient(judge, ledger, budget), width
    )
    ledger.flush()
    return await stage.run(accepted_items(ledger.db, current_plan(ledger.db, ledger.folder)))


def _enter_quieter(build_plan: BuildPlan, ledger: Ledger, plan: int) -> int:
    """Enter the next attempts to make items harder that all solvers mastered; return how many jobs they are."""
    entry = build_plan.config.difficulty
    if entry is None or not entry.harden:
        return 0
    ledger.flush()
    recorded = build_plan.replay.recording.hardened if build_plan.replay else {}
    now = current_plan(ledger.db, ledger.folder)
    jobs = list(quieter_jobs(ledger.db, now, entry.harden, build_plan.generator_settings, recorded))
    if jobs:
        ledger.add_jobs(plan, jobs, {one.id: one for _, one in build_plan.instances}, retry=False)
    return len(jobs)


def _rule_facts(ledger: Ledger, build_plan: BuildPlan, plan: int) -> dict[str, Any]:
    """Under `consensus: certified`: the rules of the classes, and how many votes they saved."""
    rules = class_rules(ledger.db, plan)
    if build_plan.panel.target is None or rules is None:
        return {}
    decided = read_tallies(ledger.db, current_plan(ledger.db, ledger.folder))
    judges = build_plan.panel.judges
    saved = sum(
        decided[name].decided * (len(judges.of(PerturbationClass(name))) - len(rule.verifiers))
        for name, rule in rules.items()
        if name in decided
    )
    return {"rules": {name: asdict(rule) for name, rule in rules.items()}, "votes_saved": saved}


def _plant(build_plan: BuildPlan, ledger: Ledger, plan: int, waves: Waves | None) -> Planting | None:
    """The planted items of the run; None if it has none. Raises `ConfigError` if nobody can write those asked for."""
    numbers = fix_numbers(build_plan, ledger, plan, waves.least_jobs if waves else build_plan.count_jobs())
    if not any(numbers.values()):
        return None
    if numbers["written"] and not build_plan.generator_settings:
        raise ConfigError("panel.planted.written: no generator is a model: name one, or leave 'written' out")
    return Planting(build_plan, ledger, plan, numbers)


def _unfinished(
    ledger: Ledger, plan: int, build_plan: BuildPlan, missing: Sequence[Mapping[str, str]]
) -> tuple[str, ...]:
    """What failed, one line each: what would be tried again, and what only a repaired rule can do."""
    panel = build_plan.panel
    counts = queries.stage_counts(ledger.db, plan, panel.digest, panel.judges)
    notes = []
    replay = build_plan.replay
    if replay and build_plan.reworded and replay.recording.path.parent != data_folder("base_sets"):
        notes.append("Replaying replies recorded with an earlier version of the prompts.")
    if missing:
        named = ", ".join(f"{one['job']} ({one['role']}, {one['model']})" for one in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        notes.append(
            f"{counted(len(missing), 'reply', 'replies')} not on record, the jobs stay undecided: {named}{more}:"
            " --fill calls the models for them"
        )
    failed = counts.outcomes.get(JobOutcome.ERROR, 0) - counts.rule_faults
    undecided = counts.decisions.get(Acceptance.UNDECIDED, 0) - counts.stuck
    if (failed or undecided) and not missing:
        causes = [str(one) for one in call_failures(ledger.db, plan)[:_NAMED]]
        notes += causes or [first_error(ledger.db, plan)]
        ends = []
        if failed:
            ends.append(f"{counted(failed, 'job')} failed")
        if undecided:
            ends.append(f"{counted(undecided, 'candidate')} {'lack' if undecided > 1 else 'lacks'} votes")
        notes.append(f"{' and '.join(ends)}: run the same command again to retry")
    if replay is None or replay.fill:  # a replay says the same again
        unread = unread_replies(ledger.db, plan, panel.digest, panel.judges)
        notes += map(str, unread[:_NAMED])
    if abstained := queries.count_decisions(ledger.db, panel.digest, plan, ALL_ABSTAINED):
        notes.append(
            f"{counted(abstained, 'candidate')} left out, since every verifier of the class abstained: add a model to"
            " the panel"
        )
    if counts.faults:
        fault = first_fault(ledger.db, plan, panel.judges)
        notes.append(
            f"{counted(counts.faults, 'fault')} of offline rules and checks, whose items are left out (the first:"
            f" {fault}): please report this line, with 'perturb {code_version()}'"
        )
    return tuple(notes)


def _solver_facts(ledger: Ledger, build_plan: BuildPlan) -> dict[str, Any]:
    """How many items solvers failed, and the replies that they gave; null without solvers."""
    if build_plan.solvers is None:
        return {"hard": None, "solver_calls": 0}
    prints, at_least = build_plan.solvers.fingerprints, build_plan.config.select.at_least
    replies = solver_replies(ledger.db, prints)
    return {"hard": len(failed_items(ledger.db, prints, at_least)), "solver_calls": len(replies)}


_NAMED = 5
"""Missing replies and causes that are named before the rest is only counted or left out."""


def _report_facts(
    ledger: Ledger, build_plan: BuildPlan, plan: int, run: Path, snapshot: Snapshot | None
) -> dict[str, Any]:
    panel = build_plan.panel
    counts = queries.stage_counts(ledger.db, plan, panel.digest, panel.judges)
    calls = queries.call_facts(ledger.db, ledger.cached_calls)
    cells = queries.cell_counts(ledger.db, plan, panel.digest)
    certificate = certify(ledger.db, current_plan(ledger.db, run))
    return {
        "run": str(run),
        "snapshot": str(snapshot.folder) if snapshot else None,
        "jobs": counts.jobs,
        "candidates": counts.outcomes.get(JobOutcome.CANDIDATE, 0),
        "unparsed": counts.outcomes.get(JobOutcome.UNPARSED, 0),
        "not_applicable": counts.outcomes.get(JobOutcome.NOT_APPLICABLE, 0),
        "rejected_by_checks": counts.outcomes.get(JobOutcome.REJECTED, 0),
        "near_duplicates": queries.count_rejected(ledger.db, plan, NEAR_DUPLICATE),
        "repeats": snapshot.manifest["counts"]["stages"].get("repeats", 0) if snapshot else 0,
        "abstained": counts.outcomes.get(JobOutcome.ABSTAINED, 0),
        "errors": counts.outcomes.get(JobOutcome.ERROR, 0),
        "faults": counts.faults,
        "votes": counts.votes,
        "planted_votes": count_planted_votes(ledger.db, panel.judges),
        "certificate": certificate and certificate.to_dict(),
        **_rule_facts(ledger, build_plan, plan),
        "accepted": counts.decisions.get(Acceptance.ACCEPTED, 0),
        "undecided": counts.decisions.get(Acceptance.UNDECIDED, 0),
        **_solver_facts(ledger, build_plan),
        **({"quota": quota} if (quota := quota_status(ledger.db, current_plan(ledger.db, run))) else {}),
        "rows": snapshot.manifest["counts"]["rows"] if snapshot else 0,
        "cells_filled": sum(1 for numbers in cells.values() if numbers["accepted"]),
        "cells_without_rule": list(build_plan.cells_without_rule),
        **{name: calls[name] for name in ("calls", "cached_calls")},
        "recorded_replies": kept.replies if (kept := _replies_of(build_plan)) else None,
        "missing_replies": [
            *missing_replies(ledger.db, plan, panel.judges),
            *missing_planted_replies(ledger.db, panel.judges),
        ],
        **{name: calls[name] for name in ("tokens", "cost_usd")},
    }
