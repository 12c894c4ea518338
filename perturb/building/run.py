"""`perturb build` as a function: it plans, generates, verifies, decides, selects and exports.

A build that was stopped goes on where it was. `check_replay` builds a snapshot again from recorded replies and compares
the rows.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import yaml

from perturb.building.pipeline import Pipeline, Waves, Workers
from perturb.building.plan import BuildPlan, OpenBuild, plan_build
from perturb.building.planting import Planting, numbers_to_plant
from perturb.building.results import (
    BuildReport,
    build_facts,
    count_foreign_rows,
    export_snapshot,
    failure_notes,
)
from perturb.building.solvers import SolverPlan, SolverStage, quieter_jobs
from perturb.config import BuildConfig, load_config
from perturb.errors import BudgetSpent, ConfigError, LedgerError, SnapshotError
from perturb.files.resources import writing_errors
from perturb.ledger import queries
from perturb.ledger.calls import reading
from perturb.ledger.ends import begun_jobs
from perturb.ledger.plans import Ledger, current_plan
from perturb.llm.budget import Budget, Progress
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.executors import open_executor
from perturb.llm.factory import ConnectionCheck, ExecutorEntry, open_models, open_replay
from perturb.llm.model_client import ModelClient
from perturb.llm.recording import Recording, Replay, read_recording
from perturb.records import Acceptance, Facts, Job, JobOutcome
from perturb.runtime import run_sync, sigterm_as_interrupt
from perturb.snapshots.items import accepted_items
from perturb.snapshots.select import SelectionPlan
from perturb.snapshots.snapshot import Snapshot, read_snapshot
from perturb.text.wording import counted


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
    """Build a benchmark into the run folder, or go on with a build that was stopped or interrupted.

    Jobs that ended with an error are always done again, and `retry` names further outcomes to do again (`UNPARSED`).
    With `replay`, recorded replies answer instead of models, which may fill gaps if `replay` allows it. With `force`, a
    snapshot of another base set in the folder is renamed; otherwise the build is refused. With `wait`, a server that
    takes no connection at the start is tried again and again. Raises a `PerturbError` for everything that a user can
    correct.
    """
    started = time.monotonic()
    build_plan = plan_build(config, replay)
    if build_plan.asks_models:
        _check_models(build_plan)
    with Ledger(run) as ledger:
        renamed = _protect_snapshot(build_plan, ledger, run / "snapshot", force)
        open_build, waves = _register_plan(build_plan, ledger, retry)
        with writing_errors(run / "build.yaml", LedgerError):
            (run / "build.yaml").write_text(config.to_yaml(), encoding="utf-8")
        stopped = _run(open_build, waves, progress=progress, wait=wait)
        snapshot, nothing_selected = None, ""
        if stopped is None:
            try:
                snapshot = _export(open_build)
            except SnapshotError as error:
                nothing_selected = str(error)
        facts = build_facts(open_build, snapshot)
        failures = [*failure_notes(open_build, facts["missing_replies"])]
        if waves and stopped is None:
            failures += waves.unfilled()
    facts["seconds"] = round(time.monotonic() - started, 2)
    warnings = [*renamed, *failures, *build_plan.base_set.warnings]
    if nothing_selected and not _failures_explain_it(facts, failures):
        warnings.append(nothing_selected)
    return BuildReport(
        run,
        snapshot.folder if snapshot else None,
        facts,
        stopped=str(stopped) if stopped else None,
        warnings=tuple(warnings),
    )


def _failures_explain_it(facts: Facts, failures: Sequence[str]) -> bool:
    """Whether the failures say already why nothing could be selected, so that another line would distract from them.

    An empty snapshot may follow from failed calls, missing votes, or replies that could all not be read.
    """
    no_reply_was_readable = facts["unparsed"] and not (facts["candidates"] or facts["rejected_by_checks"])
    return bool(facts["errors"] or facts["undecided"] or (failures and no_reply_was_readable))


def _export(build: OpenBuild) -> Snapshot:
    """Write the snapshot of a build that has reached its end. Raises `SnapshotError` if nothing was accepted."""
    config, ledger = build.plan.config, build.ledger
    select = config.select
    selection = SelectionPlan(
        select.strategy,
        select.per_generator,
        select.min_per_cell,
        config.seed,
        select.at_least if select.strategy == "hard" else None,
        drop_repeats=True,
    )
    return export_snapshot(
        ledger.db,
        build.stored,
        selection,
        ledger.folder / "snapshot",
        created=datetime.now(UTC),
        controls=select.controls,
        replies=build.plan.exported_replies,
        shortcuts=select.shortcuts,
    )


def _protect_snapshot(build_plan: BuildPlan, ledger: Ledger, folder: Path, force: bool) -> tuple[str, ...]:
    """Refuse a base set that lacks instances of the snapshot in the folder, or rename the snapshot with `force`.

    Returns a line about the new name, if there is one. Raises `SnapshotError`.
    """
    try:
        snapshot = read_snapshot(folder)
        lost = count_foreign_rows(snapshot, build_plan.base_set.instances)
    except SnapshotError:
        return ()  # there is no readable snapshot to protect, so the build writes a new one
    if not lost:
        return ()
    if force:
        new_name = folder.with_name(f"{folder.name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}")
        with writing_errors(new_name, SnapshotError):
            folder.rename(new_name)
        # The drawn sample has items of the former base set.
        ledger.forget_sample()
        return (f"the snapshot of the former base set is now in {new_name}; its review is no longer shown",)
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


def _check_models(build_plan: BuildPlan) -> None:
    """Refuse a model that cannot be called: no key in the environment, or an unknown provider."""
    from perturb.llm.remote import check_model

    for settings in build_plan.model_settings:
        check_model(settings)


def _register_plan(
    build_plan: BuildPlan, ledger: Ledger, retry: frozenset[JobOutcome]
) -> tuple[OpenBuild, Waves | None]:
    """Enter the jobs of the plan in the ledger. With a quota, returns the waves that enter the further jobs."""
    number = ledger.start_plan(build_plan.digest, build_plan.config.to_yaml(), build_plan.facts)
    quota = build_plan.config.quota
    jobs: Iterable[Job] = build_plan.jobs()
    waiting: list[Job] = []
    if quota:
        # Jobs are entered wave by wave, so only those that earlier runs began are entered here.
        begun_ids = set(begun_jobs(ledger.db, number))
        all_jobs = list(jobs)
        jobs = [job for job in all_jobs if job.id in begun_ids]
        waiting = [job for job in all_jobs if job.id not in begun_ids]
    ledger.add_jobs(number, jobs, build_plan.instances_by_id)
    for outcome in retry:
        ledger.forget_outcomes(number, outcome)
    # An unread vote belongs to the same option as an unread reply of a generator.
    if JobOutcome.UNPARSED in retry:
        ledger.forget_unread_votes(number, build_plan.panel.digest, build_plan.panel.judges)
    open_build = OpenBuild(build_plan, ledger, current_plan(ledger.db, ledger.folder))
    return open_build, Waves(open_build, quota, waiting) if quota else None


def _run(build: OpenBuild, waves: Waves | None, *, progress: bool, wait: bool) -> BudgetSpent | None:
    """Run the build with a progress bar. Returns the error if the budget stopped it."""
    counts = build.count_stages()
    with Progress(counts.jobs, "job", _ended_before(counts), shown=progress) as bar:
        return run_sync(_run_pipeline(build, waves, bar, wait))


def _ended_before(counts: queries.StageCounts) -> dict[str, int]:
    """How many jobs ended in earlier runs, by the words of `_word_for_end`. The progress bar begins with them."""
    accepted = counts.decisions.get(Acceptance.ACCEPTED, 0)
    rejected = counts.decisions.get(Acceptance.REJECTED, 0) + counts.outcomes.get(JobOutcome.REJECTED, 0)
    failed = counts.stuck + counts.rule_faults
    without_candidate = counts.done - accepted - rejected - failed
    return {
        "accepted": accepted,
        "rejected": rejected,
        "no candidate": without_candidate,
        "failed": failed,
    }


def _word_for_end(outcome: str) -> str:
    """The word under which the progress bar counts the end of a job."""
    if outcome in (JobOutcome.ERROR, Acceptance.UNDECIDED):
        return "failed"
    if outcome in (Acceptance.REJECTED, JobOutcome.REJECTED):
        return "rejected"
    return "accepted" if outcome == Acceptance.ACCEPTED else "no candidate"


@dataclass
class _OpenModels:
    """The open models of a build. A model in several roles is opened once, so that its limits hold for all of them."""

    open_all: Callable[..., dict[str, ChatModel]]
    budget: Budget
    models: list[ChatModel] = field(default_factory=list)
    settings: list[ModelSettings] = field(default_factory=list)
    """The settings of each of `models`."""

    def open(self, wanted_settings: Iterable[ModelSettings]) -> dict[str, ChatModel]:
        """The models with these settings, by name. Models that are not open yet are opened."""
        shared: dict[str, ChatModel] = {}
        new: dict[str, ModelSettings] = {}
        for settings in wanted_settings:
            # Two roles may have equal settings under one name. They share limits, so that the provider sees one client.
            if settings in self.settings:
                shared[settings.name] = self.models[self.settings.index(settings)]
            else:
                new[settings.name] = settings
        opened_now = self.open_all(new.values(), self.budget)
        self.models += opened_now.values()
        self.settings += (new[name] for name in opened_now)
        return shared | opened_now

    async def close(self) -> None:
        for model in self.models:
            await model.close()


async def _run_pipeline(
    build: OpenBuild, waves: Waves | None, progress: Progress, wait: bool
) -> BudgetSpent | None:
    """Open the executor and the models, run all stages, and close them. Returns the error of a spent budget."""
    plan, ledger = build.plan, build.ledger
    config = plan.config
    budget = Budget(config.budget_usd if plan.asks_models else None, queries.spent_usd(ledger.db))
    executor = await open_executor(config.executor, plan.catalogue)
    # The nodes of a Ray cluster may reach servers that this machine does not.
    checks_connection = plan.asks_models and not wait and config.executor.kind != "ray"
    check = ConnectionCheck(plan.model_settings) if checks_connection else None
    open_all = partial(open_replay, plan.replay) if plan.replay else open_models
    models = _OpenModels(partial(open_all, transport=executor.model), budget)
    with sigterm_as_interrupt():  # after the executor, since Ray replaces the handler
        try:
            generators = models.open(plan.generator_settings.values())
            verifiers = models.open(plan.verifier_settings.values())
            wait_for_check = check.passed if check is not None else None
            workers = Workers(
                ModelClient(generators, ledger, budget, wait_for_check),
                ModelClient(verifiers, ledger, budget, wait_for_check),
                executor,
            )
            pipeline = Pipeline(
                build,
                workers,
                lambda outcome: progress.count(_word_for_end(outcome)),
                _make_planting(build),
            )
            async with progress.watching(models.models, budget):
                await _run_stages(build, waves, pipeline, models, progress, budget)
        finally:
            await models.close()
            await executor.close()
        return pipeline.budget_spent


async def _run_stages(
    build: OpenBuild,
    waves: Waves | None,
    pipeline: Pipeline,
    models: _OpenModels,
    progress: Progress,
    budget: Budget,
) -> None:
    """Run the jobs of the plan, then its further waves.

    Then solvers answer the accepted items, and quieter attempts replace the items that were too easy. Both alternate
    until nothing is left to replace.
    """
    await pipeline.run()
    # Candidates that earlier runs left over have already gone to the panel with the first call.
    while waves and pipeline.budget_spent is None and (jobs := waves.enter_next()):
        progress.expect(jobs)
        await pipeline.run(finish_undecided=False)
    solver_plan = build.plan.solvers
    while solver_plan is not None and pipeline.budget_spent is None:
        pipeline.budget_spent = await _solve(build, solver_plan, models, budget)
        if pipeline.budget_spent is not None or not (jobs := _enter_quieter(build, solver_plan)):
            return
        progress.expect(jobs)
        await pipeline.run(finish_undecided=False)


async def _solve(
    build: OpenBuild, solver_plan: SolverPlan, models: _OpenModels, budget: Budget
) -> BudgetSpent | None:
    """Ask the solvers about every accepted item. Returns the error if the budget stopped them."""
    ledger = build.ledger
    solvers = ModelClient(models.open(solver_plan.settings.values()), ledger, budget)
    judge = ModelClient(models.open([solver_plan.judge]), ledger, budget)
    ledger.flush()
    items = accepted_items(ledger.db, build.stored)
    return await SolverStage(solver_plan, ledger, solvers, judge).run(items)


def _enter_quieter(build: OpenBuild, solver_plan: SolverPlan) -> int:
    """Enter jobs that try to make items harder which all solvers mastered. Returns the number of jobs."""
    plan, ledger = build.plan, build.ledger
    if not solver_plan.harden:
        return 0
    ledger.flush()
    recorded = plan.replay.recording.hardened if plan.replay else {}
    jobs = list(quieter_jobs(ledger.db, build.stored, solver_plan.harden, plan.generator_settings, recorded))
    build.add_jobs(jobs)
    return len(jobs)


def _make_planting(build: OpenBuild) -> Planting | None:
    """The planting of the run; None if it plants nothing. Raises `ConfigError` if no generator can write items."""
    numbers = numbers_to_plant(build)
    build.ledger.fix_planted(build.number, numbers)
    if not any(numbers.values()):
        return None
    if numbers["written"] and not build.plan.generator_settings:
        raise ConfigError("panel.planted.written: no generator is a model: name one, or leave 'written' out")
    return Planting(build, numbers)


def check_replay(folder: Path, file: Path, levers: Sequence[Path] = ()) -> tuple[str, ...]:
    """One line for each sign that the rows of a snapshot do not come from this file of replies; empty if they do.

    The base instances come from the file. `levers` are folders with levers of the user. Raises `RecordingError` for a
    file that cannot be read or belongs to another round, and `SnapshotError` if the folder is not a snapshot.
    """
    snapshot, recording = read_snapshot(folder), read_recording(file)
    return tuple(_replay_problems(snapshot, recording, tuple(levers)))


def _replay_problems(snapshot: Snapshot, recording: Recording, levers: tuple[Path, ...]) -> Iterator[str]:
    """Build the snapshot again from the replies in a temporary folder, and yield the lines of `check_replay`."""
    replies_entry = snapshot.manifest.get("replies")
    if replies_entry and replies_entry["sha256"] != recording.digest:
        yield f"{recording.path}: is not the file of replies that the manifest names"
    config = load_config(snapshot.folder / "build.yaml")
    # The quota is left out, since the recording has the jobs of all waves.
    changes = {"executor": ExecutorEntry(), "levers": levers or config.levers, "until": None}
    with tempfile.TemporaryDirectory() as temporary_folder:
        run = Path(temporary_folder) / "run"
        replay = Replay(recording, own_base_set=True)
        report = build(config.model_copy(update=changes), run, replay=replay)
        if report.snapshot is None:
            yield f"{recording.path}: no row follows from the replies"
            return
        # The snapshot may have been exported later with another selection than build.yaml has. So the rows are selected
        # anew, as its manifest says.
        selection = {
            name: value for name, value in snapshot.manifest["selection"].items() if name != "shortfalls"
        }
        again = Path(temporary_folder) / "again"
        with reading(run) as db:
            replayed = export_snapshot(
                db, current_plan(db, run), SelectionPlan(**selection), again, created=None
            )
    if replayed.content_digest == snapshot.content_digest:
        return
    rows, replayed_rows = set(snapshot.manifest["row_digests"]), set(replayed.manifest["row_digests"])
    missing = len(report.facts["missing_replies"])
    why = f" ({missing} replies are not on record)" if missing else ""
    yield (
        f"{len(rows - replayed_rows)} of {len(rows)} rows of the snapshot do not follow from the replies;"
        f" {len(replayed_rows - rows)} rows that follow from them are missing{why}"
    )
