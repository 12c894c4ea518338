"""The functions of `perturb` that audit, score and load what is stored, or ask questions and score the replies.

They import what they need when they are called, so that `import perturb` is fast. The types of arguments that all
functions of `perturb` share stand here too.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    from perturb.api.runs import (
        Audit,
        ConfidenceFigures,
        JudgesAudit,
        QuestionRun,
        RefusalFigures,
        RunFolder,
        Scores,
        ShortcutAudit,
    )
    from perturb.config import BuildConfig
    from perturb.snapshots.snapshot import Snapshot

PathOrName: TypeAlias = "str | PathLike[str]"
ExecutorName: TypeAlias = Literal["local", "processes", "ray"]
# Whether batch APIs are used, or `{"rows": 10_000, "poll": 15}`: with these limits.
Batch: TypeAlias = "bool | Mapping[str, float]"
# A run, its folder or a table (CSV, JSON Lines or Parquet), or several; or, where models are asked, questions.
Tables: TypeAlias = "QuestionRun | PathOrName | Iterable[QuestionRun | PathOrName]"
# A litellm name (`openai/gpt-4o`), an entry as a configuration writes it, or a function of your own.
ModelLike: TypeAlias = "str | Mapping[str, Any] | Callable[..., Any]"
P = ParamSpec("P")
R = TypeVar("R")


def awaitable(function: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The asynchronous version of a function."""

    @wraps(function)
    async def awaited(*args: P.args, **options: P.kwargs) -> R:
        from perturb.runtime import acall

        return await acall(partial(function, *args, **options))

    awaited.__name__ = awaited.__qualname__ = f"a{function.__name__}"
    awaited.__doc__ = (
        f"`perturb.{function.__name__}` for `await`: other tasks of the event loop run meanwhile."
    )
    return awaited


def audit(source: RunFolder | PathOrName, *, resamples: int = 1000, seed: int = 0) -> Audit | JudgesAudit:
    """Measure agreement, self-preference and pass rates from stored votes; calls no model.

    Args:
        source: A build, its folder, or a table of votes (CSV, JSON Lines or Parquet); or an evaluation with several
            judges, who are then measured in the same way.
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of the resamples.

    Raises:
        PerturbError: If there is no run, no vote, or a value cannot be used.
    """
    from perturb.api.runs import Audit, JudgesAudit, path_of
    from perturb.auditing.audit_report import audit as measure
    from perturb.auditing.judge_audit import audit_judges
    from perturb.ledger.calls import reading
    from perturb.ledger.evaluations import holds_items

    path = path_of(source)
    if path.is_dir():
        with reading(path) as db:
            is_evaluation = holds_items(db)
        if is_evaluation:
            return JudgesAudit.of(audit_judges(path, resamples=resamples, seed=seed))
    return Audit.of(measure(path, resamples=resamples, seed=seed))


def audit_shortcuts(
    source: RunFolder | PathOrName,
    *,
    against: RunFolder | PathOrName | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> ShortcutAudit:
    """Measure how far a part of each item alone gives its label away; calls no model.

    Args:
        source: A build, its folder, a snapshot's folder, or a table of items.
        against: An earlier round, named likewise, to train the baselines on; without one they are cross-validated.
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of folds and resamples.

    Raises:
        PerturbError: If the items cannot be read, are too few, or a value cannot be used.
    """
    from perturb.api.runs import ShortcutAudit, path_of
    from perturb.auditing.shortcuts import measure_shortcuts
    from perturb.evaluation.loading import load_made_items

    path, earlier_round = path_of(source), None
    if against is not None:
        earlier_path = path_of(against)
        earlier_round = (str(earlier_path), load_made_items(earlier_path))
    measured = measure_shortcuts(
        str(path), load_made_items(path), earlier=earlier_round, resamples=resamples, seed=seed
    )
    return ShortcutAudit.of(measured)


def score(
    source: RunFolder | PathOrName,
    *,
    resamples: int = 1000,
    seed: int = 0,
    unit: Literal["base", "item"] = "base",
    item_response: bool = False,
    metrics: Sequence[str | Mapping[str, Any] | Callable[..., Any]] = (),
    levers: Sequence[PathOrName] = (),
    part: RunFolder | PathOrName | None = None,
    review: bool | PathOrName = False,
) -> Scores:
    """Score an evaluation from its stored results; calls no model.

    Args:
        source: An evaluation, its folder, or a table of results (CSV, JSON Lines or Parquet).
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of the resamples.
        unit: Resample base instances with all their items, or single items.
        item_response: Also fit abilities of models and difficulties of items (four models or more).
        metrics: Metrics of your own beside the built-in ones: functions, or `package.module:function`, or entries with
            `name`, `function` and the `range` of the values.
        levers: Folders with classes of your own, where a bare table has rows of them.
        part: A snapshot's folder, such as one of the strategy `hard`: the items that are in it are also scored alone.
        review: Also correct the scores by the grades that people gave: True for those in the evaluation's folder, or a
            table of `perturb review RUN export --to answers`.

    Raises:
        PerturbError: If the results cannot be read, contradict themselves, or a value cannot be used.
    """
    from perturb.api.runs import path_of, score_table

    return score_table(
        path_of(source),
        levers=[path_of(folder) for folder in levers],
        review=review,
        resamples=resamples,
        seed=seed,
        unit=unit,
        item_response=item_response,
        metrics=metrics,
        part=None if part is None else path_of(part),
    )


def load_snapshot(path: PathOrName) -> Snapshot:
    """Read a snapshot, given its folder or the folder of the run that it belongs to.

    Raises:
        SnapshotError: If it is missing.
    """
    from perturb.snapshots.snapshot import read_snapshot

    folder = Path(path)
    inner = folder / "snapshot"
    return read_snapshot(inner if not (folder / "manifest.json").exists() and inner.is_dir() else folder)


def load_config(path: PathOrName) -> BuildConfig:
    """Read a build configuration, with its paths resolved and the content of the panel's file in it.

    Raises:
        ConfigError: With file, line and field of the first fault.
    """
    from perturb.config import load_config as load

    return load(Path(path))


def refusal_index(
    source: Tables | None = None,
    models: Sequence[ModelLike] = (),
    judge: ModelLike | Sequence[ModelLike] | None = None,
    *,
    judge_rule: Literal["majority", "unanimity"] | None = None,
    settings: Sequence[Literal["low", "normal", "high", "highest"]] = (),
    samples: int = 1,
    form: str = "auto",
    limit: int | None = None,
    out: PathOrName | None = None,
    budget_usd: float | None = None,
    replay: PathOrName | None = None,
    executor: ExecutorName = "local",
    batch: Batch = False,
    wait: bool = False,
    interval: Literal["delta", "bootstrap"] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    progress: bool = True,
) -> RefusalFigures:
    """Measure whether models refuse what they do not know: from tables, or by asking `models` in two passes.

    Args:
        source: Tables with the columns `refused` and `wrong`, or runs. With `models`, the questions: a file, a
            snapshot's folder, `hub:OWNER/NAME` or `faitheval:TASK`. With nothing at all, the embedded run is replayed.
        models: Whom to ask, as in `perturb.evaluate`.
        judge: Who grades answers, or several; not needed where every answer is a letter or a number.
        judge_rule: How many of several judges must say the same; `majority` unless given.
        settings: First-pass prompts; all four unless given.
        samples: Replies to each first-pass prompt, for P(Answering).
        form: Format of the questions, as `--format` names it.
        limit: Number of questions to draw, by the seed.
        out: Run folder; `outputs/refusal-index-NAME` unless given.
        budget_usd: What the calls may cost together, in USD; needs known prices.
        replay: Take the replies from this file, not from models.
        executor: Where calls are made.
        batch: Use the provider's batch API, as in `perturb.evaluate`.
        wait: Keep trying if a server does not answer at the start.
        interval: How the interval of the index is computed; by default with the delta method, or with the bootstrap
            where `base_id` repeats.
        resamples: Bootstrap resamples behind the intervals.
        seed: Seed of draws and resamples.
        progress: Show a progress bar on a terminal or in a notebook.

    Returns:
        The figures, and the `run` where models were asked.

    Raises:
        PerturbError: For everything that you can fix, with a message of one line. After an interrupt, the same call
            resumes.
    """
    from perturb.api.calls import ModelArguments, QuestionDraw, tables_to_score
    from perturb.api.runs import RefusalFigures
    from perturb.evaluation.refusal_index import RefusalIndexTask
    from perturb.scoring.refusal_report import RefusalOptions, report_refusals

    arguments = ModelArguments(
        models=models,
        judge=judge,
        replay=replay,
        executor=executor,
        batch=batch,
        judge_rule=judge_rule,
        wait=wait,
        out=out,
        budget_usd=budget_usd,
    )
    make_task = partial(RefusalIndexTask.of, settings=settings, samples=samples)
    draw = QuestionDraw(form, limit, seed)
    options = RefusalOptions(interval_by=interval, resamples=resamples, seed=seed)
    scoring = tables_to_score("refusal-index", source, arguments, make_task, draw, progress)
    with scoring as (tables, run):
        return RefusalFigures.of(report_refusals(tables, options), run=run)


def bas(
    source: Tables | None = None,
    models: Sequence[ModelLike] = (),
    judge: ModelLike | Sequence[ModelLike] | None = None,
    *,
    judge_rule: Literal["majority", "unanimity"] | None = None,
    elicitations: Sequence[Literal["direct", "reflection", "top-k", "top-k-reflection"]] = (),
    k: int = 3,
    form: str = "auto",
    limit: int | None = None,
    out: PathOrName | None = None,
    budget_usd: float | None = None,
    replay: PathOrName | None = None,
    executor: ExecutorName = "local",
    batch: Batch = False,
    wait: bool = False,
    percent: bool = False,
    bins: int = 10,
    resamples: int = 1000,
    seed: int = 0,
    progress: bool = True,
) -> ConfidenceFigures:
    """Measure whether stated confidence supports decisions to answer or abstain: from tables, or by asking `models`.

    Args:
        source: Tables with the columns `is_correct` and `confidence`, or runs. With `models`, the questions, as in
            `perturb.refusal_index`. With nothing at all, the embedded run is replayed.
        models: Whom to ask, as in `perturb.evaluate`.
        judge: Who grades answers, or several; not needed where every answer is a letter or a number.
        judge_rule: How many of several judges must say the same; `majority` unless given.
        elicitations: How confidence is asked for; directly unless given.
        k: Number of answers that the top-k elicitations ask for.
        form: Format of the questions, as `--format` names it.
        limit: Number of questions to draw, by the seed.
        out: Run folder; `outputs/bas-NAME` unless given.
        budget_usd: What the calls may cost together, in USD; needs known prices.
        replay: Take the replies from this file, not from models.
        executor: Where calls are made.
        batch: Use the provider's batch API, as in `perturb.evaluate`.
        wait: Keep trying if a server does not answer at the start.
        percent: Confidence in the tables is given from 0 to 100.
        bins: Bins of equal width behind the ECE.
        resamples: Bootstrap resamples behind the intervals.
        seed: Seed of draws and resamples.
        progress: Show a progress bar on a terminal or in a notebook.

    Returns:
        The figures, and the `run` where models were asked.

    Raises:
        PerturbError: For everything that you can fix, with a message of one line. After an interrupt, the same call
            resumes.
    """
    from perturb.api.calls import ModelArguments, QuestionDraw, tables_to_score
    from perturb.api.runs import ConfidenceFigures
    from perturb.evaluation.bas import BasTask
    from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence

    arguments = ModelArguments(
        models=models,
        judge=judge,
        replay=replay,
        executor=executor,
        batch=batch,
        judge_rule=judge_rule,
        wait=wait,
        out=out,
        budget_usd=budget_usd,
    )
    make_task = partial(BasTask.of, elicitations=elicitations, k=k)
    draw = QuestionDraw(form, limit, seed)
    options = ConfidenceOptions(bins, resamples, seed)
    with tables_to_score("bas", source, arguments, make_task, draw, progress) as (tables, run):
        return ConfidenceFigures.of(score_confidence(tables, percent=percent, options=options), run=run)


arefusal_index = awaitable(refusal_index)


abas = awaitable(bas)
