"""The functions of `perturb` that measure refusals and stated confidence, from tables or by asking models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from perturb.api.functions import ModelLike, awaitable
from perturb.api.stored import Batch, ExecutorName, PathOrName

if TYPE_CHECKING:
    from perturb.api.runs import ConfidenceFigures, QuestionRun, RefusalFigures

Tables: TypeAlias = "QuestionRun | PathOrName | Iterable[QuestionRun | PathOrName]"
"""A run, its folder or a table (CSV, JSON Lines or Parquet), or several; or, where models are asked, questions."""


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
    from perturb.api.calls import ModelArguments, tables_to_score
    from perturb.api.runs import RefusalFigures
    from perturb.evaluation.run import refusal_ways
    from perturb.scoring.refusal_report import RefusalOptions, report_refusals

    arguments = ModelArguments(models, judge, replay, executor, batch, judge_rule, wait)
    ways, draw = refusal_ways(settings, samples), (form, limit, seed)
    run_options = {"out": None if out is None else Path(out), "budget_usd": budget_usd}
    options = RefusalOptions(interval_by=interval, resamples=resamples, seed=seed)
    with tables_to_score("refusal-index", source, arguments, ways, draw, progress, **run_options) as (
        tables,
        run,
    ):
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
    from perturb.api.calls import ModelArguments, tables_to_score
    from perturb.api.runs import ConfidenceFigures
    from perturb.evaluation.run import confidence_ways
    from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence

    arguments = ModelArguments(models, judge, replay, executor, batch, judge_rule, wait)
    ways, draw = confidence_ways(elicitations, k), (form, limit, seed)
    run_options = {"out": None if out is None else Path(out), "budget_usd": budget_usd}
    options = ConfidenceOptions(bins, resamples, seed)
    with tables_to_score("bas", source, arguments, ways, draw, progress, **run_options) as (tables, run):
        return ConfidenceFigures.of(score_confidence(tables, percent=percent, precision=options), run=run)


arefusal_index = awaitable(refusal_index)
abas = awaitable(bas)
