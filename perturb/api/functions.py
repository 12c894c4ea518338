"""The functions of `perturb`. What they need is imported when they are called, so that importing them costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from perturb.api.runs import Evaluation, QuestionRun, Run
    from perturb.config import BuildConfig
    from perturb.curate.base_sets import BaseSet
    from perturb.export.snapshot import Snapshot

PathOrName: TypeAlias = "str | PathLike[str]"
ModelLike: TypeAlias = "str | Mapping[str, Any] | Callable[..., Any]"
"""A litellm name (`openai/gpt-4o`), an entry as a configuration writes it, or a function of your own."""

ExecutorName: TypeAlias = Literal["local", "processes", "ray"]
Batch: TypeAlias = "bool | Mapping[str, float]"
"""Whether batch APIs are used, or `{"rows": 10_000, "poll": 15}`: with these limits."""

P = ParamSpec("P")
R = TypeVar("R")


class MoreSettings(TypedDict, total=False):
    """The keys of a configuration that are seldom needed; docs/build.md explains them."""

    levers: Sequence[PathOrName]
    avoid: Sequence[str]
    replicates: int
    lever_choice: Literal["covering", "generator", "assigned"]
    panel: Mapping[str, Any] | PathOrName
    select: Mapping[str, Any]
    note: str
    until: str
    executor: str | Mapping[str, Any]


def build(
    config: BuildConfig | Mapping[str, Any] | PathOrName | None = None,
    *,
    base_set: BaseSet | PathOrName | Mapping[str, Any] | Callable[[], Any] | None = None,
    generators: Sequence[ModelLike] | None = None,
    verifiers: Sequence[ModelLike] | None = None,
    name: str | None = None,
    round: str | None = None,  # noqa: A002 - as the configuration calls it
    cells: Literal["all"] | Sequence[Mapping[str, str]] | None = None,
    seed: int | None = None,
    budget_usd: float | None = None,
    out: PathOrName = "outputs",
    replay: PathOrName | None = None,
    fill: bool = False,
    retry_unparsed: bool = False,
    force: bool = False,
    progress: bool = True,
    **settings: Unpack[MoreSettings],
) -> Run:
    """Build a benchmark, or resume one that was stopped: generate, verify, decide, select, export.

    Args:
        config: A `build.yaml`, its content, or a loaded configuration. Without one, the other arguments change the
            offline default, and with no arguments at all the embedded round is replayed.
        base_set: Questions with the passages that answer them: a `BaseSet`, a file, the name of an embedded set, an
            entry as the configuration writes it, or a function that returns the records.
        generators: Who writes the items: `["openai/gpt-4o"]`, `[{"name": "gpt", "model": "openai/gpt-4o"}]`, or
            functions.
        verifiers: Who votes on them, named likewise.
        name: Name of the run, whose folder is `out/name`.
        round: Round of the benchmark; a new one gives new items.
        cells: `"all"`, or the cells wanted: `[{"class": "P-Ambiguity", "intensity": "LOW"}]`.
        seed: Seed of every draw.
        budget_usd: What the calls may cost together, in USD; needs known prices.
        out: Folder that holds the runs.
        replay: Take the replies from this file (of `perturb export RUN --replies`), not from models.
        fill: With `replay`: ask the models for replies that the file lacks.
        retry_unparsed: Ask again where no reply could be read.
        force: Build from other data under a name that is taken; the old snapshot gets a dated name.
        progress: Show a progress bar on a terminal or in a notebook.
        **settings: Further keys of the configuration.

    Returns:
        The run, with its snapshot if anything was accepted.

    Raises:
        PerturbError: For everything that you can mend, on one line. After an interrupt, the same call resumes.
    """
    from perturb.api.calls import BuildCall, run_build
    from perturb.event_loops import call

    given = {"name": name, "round": round, "cells": cells, "seed": seed, "budget_usd": budget_usd}
    changes = {key: value for key, value in {**given, **settings}.items() if value is not None}
    asked = BuildCall(config, changes, base_set, generators, verifiers)
    replies = None if replay is None else Path(replay)
    options = {"progress": progress, "force": force}
    return call(lambda: run_build(asked, Path(out), replies, fill, retry_unparsed, **options))


def evaluate(
    snapshot: Snapshot | Run | PathOrName | None = None,
    models: Sequence[ModelLike] = (),
    judge: ModelLike | Sequence[ModelLike] | None = None,
    *,
    judge_rule: Literal["majority", "unanimity"] | None = None,
    out: PathOrName | None = None,
    confidence: bool = False,
    limit: int | None = None,
    subset: str | None = None,
    split: str | None = None,
    until: str | None = None,
    budget_usd: float | None = None,
    retry_unscored: bool = False,
    replay: PathOrName | None = None,
    executor: ExecutorName = "local",
    batch: Batch = False,
    levers: Sequence[PathOrName] = (),
    progress: bool = True,
) -> Evaluation:
    """Evaluate models on a snapshot, or resume an evaluation that was stopped.

    Args:
        snapshot: A `Snapshot`, a `Run` that has one, a folder, a table, or `OWNER/NAME[@REVISION]` on the Hub.
            Without one, the items are those of `replay`, and without that, the embedded evaluation is replayed.
        models: Whom to ask: `["openai/gpt-4o"]`, `[{"name": "gpt", "model": "openai/gpt-4o"}]`, functions, or the
            addresses of services (`http://…`).
        judge: Who judges replies that are not a code and nothing else, named likewise; or a scorer of your own; or a
            list of several.
        judge_rule: How many of several judges must say the same; `majority` unless given.
        out: Run folder; `outputs/evaluate-NAME`, after the snapshot, unless given.
        confidence: Also ask for one of five levels of confidence.
        limit: Use the first so many items only.
        subset: Configuration of a data set on the Hub.
        split: Split of a data set on the Hub.
        until: Stop a model once a score is known well enough, as in `"ci(crs) <= 0.03"` (docs/evaluation.md).
        budget_usd: What the calls may cost together, in USD; needs known prices.
        retry_unscored: Ask the judge again where it could not be read.
        replay: Take the replies from this file, not from models.
        executor: Where calls are made: this process, worker processes or a Ray cluster.
        batch: Use the provider's batch API: half the price, hours instead of minutes. `{"rows": …, "poll": …}` sets the
            most requests in one batch and the seconds between the first polls.
        levers: Folders with classes of your own, where a bare table has rows of them.
        progress: Show a progress bar on a terminal or in a notebook.

    Returns:
        The evaluation, with one result for each item and model.

    Raises:
        PerturbError: For everything that you can mend, on one line. After an interrupt, the same call resumes.
    """
    from perturb.api.calls import Asked, evaluation_plan, run_evaluation
    from perturb.evaluate.stop_rule import read_stop_rule
    from perturb.event_loops import call

    plan = evaluation_plan(
        snapshot,
        Asked(models, judge, replay, executor, batch, judge_rule),
        part=(subset, split, limit, tuple(map(path_of, levers))),
        until=None if until is None else read_stop_rule(until),
        out=None if out is None else Path(out),
        variant="confidence" if confidence else "plain",
        budget_usd=budget_usd,
        retry_unscored=retry_unscored,
    )
    return call(lambda: run_evaluation(plan, progress))


def awaitable(function: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The twin of a function for `await`."""

    @wraps(function)
    async def awaited(*args: P.args, **options: P.kwargs) -> R:
        from perturb.event_loops import acall

        return await acall(partial(function, *args, **options))

    awaited.__name__ = awaited.__qualname__ = f"a{function.__name__}"
    awaited.__doc__ = (
        f"`perturb.{function.__name__}` for `await`: other tasks of the event loop go on meanwhile."
    )
    return awaited


abuild = awaitable(build)
aevaluate = awaitable(evaluate)


def path_of(source: Run | QuestionRun | Evaluation | PathOrName) -> Path:
    """The folder of a run, or the path given."""
    return Path(getattr(source, "folder", source))  # type: ignore[arg-type]
