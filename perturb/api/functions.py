"""The functions of `perturb` that build, evaluate, curate and publish.

They import what they need when they are called, so that `import perturb` is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from perturb.api.figures import Batch, ExecutorName, ModelLike, PathOrName, awaitable, load_snapshot

if TYPE_CHECKING:
    from datetime import date

    from perturb.api.runs import Evaluation, Run
    from perturb.config import BuildConfig
    from perturb.curation.base_sets import BaseSet
    from perturb.snapshots.hub import Publication
    from perturb.snapshots.snapshot import Snapshot


class MoreSettings(TypedDict, total=False):
    """The keys of a configuration that are seldom needed; docs/build-details.md explains them."""

    levers: Sequence[PathOrName]
    depth: Mapping[str, float]
    difficulty: Mapping[str, Any]
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
    wait: bool = False,
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
        retry_unparsed: Ask again if no reply could be read.
        force: Build from other data under a name that is taken; the old snapshot gets a dated name.
        wait: Keep trying if a server does not answer at the start.
        progress: Show a progress bar on a terminal or in a notebook.
        **settings: Further keys of the configuration.

    Returns:
        The run, with its snapshot if anything was accepted.

    Raises:
        PerturbError: For everything that you can fix, with a message of one line. After an interrupt, the same call
            resumes.
    """
    from perturb.api.calls import BuildCall, run_build
    from perturb.runtime import call

    named = {"name": name, "round": round, "cells": cells, "seed": seed, "budget_usd": budget_usd}
    changes = {key: value for key, value in {**named, **settings}.items() if value is not None}
    arguments = BuildCall(config, changes, base_set, generators, verifiers)
    replies = None if replay is None else Path(replay)
    options = {"progress": progress, "force": force, "wait": wait}
    return call(lambda: run_build(arguments, Path(out), replies, fill, retry_unparsed, **options))


def evaluate(
    snapshot: Snapshot | Run | PathOrName | None = None,
    models: Sequence[ModelLike] = (),
    judge: ModelLike | Sequence[ModelLike] | None = None,
    *,
    judge_rule: Literal["majority", "unanimity"] | None = None,
    out: PathOrName | None = None,
    prompts: Sequence[PathOrName] = (),
    confidence: bool = False,
    samples: int = 1,
    planted_judgements: int | None = None,
    limit: int | None = None,
    subset: str | None = None,
    split: str | None = None,
    until: str | None = None,
    budget_usd: float | None = None,
    retry_unscored: bool = False,
    replay: PathOrName | None = None,
    executor: ExecutorName = "local",
    batch: Batch = False,
    wait: bool = False,
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
        prompts: How models are asked, one setting after another: `"codes"` (unless given), `"plain"`, or template files
            (docs/evaluation-details.md). A run holds all of them.
        confidence: Also ask for one of five levels of confidence.
        samples: How many times each model is asked about each item; a higher number later asks for the missing replies.
        planted_judgements: Number of replies of known behaviour that each judge also reads, which count in no score; by
            default 24, if there are 200 replies or more.
        limit: Use only this number of items, the first ones.
        subset: Configuration of a data set on the Hub.
        split: Split of a data set on the Hub.
        until: Stop a model once a score is known well enough, as in `"ci(crs) <= 0.03"` (docs/evaluation-details.md).
        budget_usd: What the calls may cost together, in USD; needs known prices.
        retry_unscored: Ask the judge again where it could not be read.
        replay: Take the replies from this file, not from models.
        executor: Where calls are made: this process (local, processes) or a Ray cluster.
        batch: Use the provider's batch API: half the price, hours instead of minutes. `{"rows": …, "poll": …}` sets the
            most requests in one batch and the seconds between the first polls.
        wait: Keep trying if a server does not answer at the start.
        levers: Folders with classes of your own, where a bare table has rows of them.
        progress: Show a progress bar on a terminal or in a notebook.

    Returns:
        The evaluation, with one result for each item and model.

    Raises:
        PerturbError: For everything that you can fix, with a message of one line. After an interrupt, the same call
            resumes.
    """
    from perturb.api.calls import ModelArguments, source_name
    from perturb.api.runs import Evaluation, path_of, run_of
    from perturb.evaluation.loading import ItemSource
    from perturb.evaluation.refusalbench import EvaluationPlan
    from perturb.evaluation.refusalbench import evaluate as run_evaluation
    from perturb.evaluation.stop_rule import read_stop_rule
    from perturb.runtime import call

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
    stop_rule = None if until is None else read_stop_rule(until)
    source = None
    if snapshot is not None:
        source = ItemSource(source_name(snapshot), subset, split, limit, tuple(map(path_of, levers)))
    plan = EvaluationPlan(
        source=source,
        **arguments.plan(snapshot, "evaluate"),
        until=stop_rule,
        variant="confidence" if confidence else "plain",
        prompts=tuple(map(str, prompts)),
        samples=samples,
        planted_judgements=planted_judgements,
        retry_unscored=retry_unscored,
    )
    return call(lambda: run_of(Evaluation, run_evaluation(plan, progress=progress)))


def curate(
    source: PathOrName,
    out: PathOrName,
    *,
    format: str = "auto",  # noqa: A002 - as the command calls it
    recipe: PathOrName | None = None,
    seed: int | None = None,
    limit: int | None = None,
    knowledge: PathOrName | None = None,
    subset: str | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
    solvers: PathOrName | None = None,
    judge: bool = False,
    writer: PathOrName | None = None,
    since: str | date | None = None,
    executor: ExecutorName = "local",
    batch: Batch = False,
    wait: bool = False,
    force: bool = False,
) -> BaseSet:
    """Make a base set from a source: filter, trim contexts, sample; every record left out is counted.

    Args:
        source: A file, a folder of documents, or `hub:OWNER/NAME` or `hub:OWNER/NAME@REVISION`.
        out: The base set to write, `NAME.jsonl`; its manifest, with the counts, is written beside it.
        format: A format of docs/build-details.md; `auto` detects it from the first row.
        recipe: `nq`, `garage` or a YAML file; without one, all that can be read is kept.
        seed: Seed of the draw; the recipe's unless given.
        limit: Number of records to read at most, the first ones.
        knowledge: The knowledge source of a KILT task.
        subset: Configuration of a data set on the Hub.
        split: Split of a data set on the Hub.
        columns: For each field, the column that holds it under another name: `{"query": "question"}`.
        solvers: Panel file of models that must all answer every question correctly.
        judge: Have the panel's judge grade single-passage answers too.
        writer: File of the model that writes questions from articles or documents.
        since: Keep documents of this day or later, and no undated ones.
        executor: Where the models are called.
        batch: Ask the models with batch APIs, as in `perturb.evaluate`.
        wait: Keep trying if a server does not answer at the start.
        force: Replace an existing base set.

    Returns:
        The base set; its `warnings` say what was left out, and why.

    Raises:
        PerturbError: If the source cannot be read, nothing remains, or `out` cannot be written.
    """
    from perturb.api.calls import HubPart, curate_base_set, run_options
    from perturb.curation.source import read_since
    from perturb.evaluation.session import RunOptions
    from perturb.runtime import call

    options: dict[str, Any] = {
        "form": format,
        "seed": seed,
        "limit": limit,
        "knowledge": None if knowledge is None else Path(knowledge),
        "since": read_since(str(since)) if since else None,
    }
    models: dict[str, Any] = {
        "solvers": None if solvers is None else Path(solvers),
        "writer": None if writer is None else Path(writer),
        "judged": judge,
        "force": force,
        "options": RunOptions(**run_options(executor, batch, wait)),
    }
    on_hub = HubPart(subset, split, columns)
    return call(lambda: curate_base_set(str(source), on_hub, Path(out), recipe, models, **options))


def publish(
    snapshot: Snapshot | Run | PathOrName,
    repo: str,
    *,
    public: bool = False,
    replies: PathOrName | None = None,
    scores: Evaluation | PathOrName | None = None,
    progress: bool = True,
) -> Publication:
    """Push a snapshot to the Hugging Face Hub: one commit, and one tag for its round.

    Needs `HF_TOKEN` or a login (`hf auth login`). Publishing again changes nothing; after a broken upload it resumes.

    Args:
        snapshot: A `Snapshot`, a `Run` that has one, or a folder.
        repo: The data set on the Hub, `OWNER/NAME`.
        public: Make it public; a new data set is private.
        replies: Also push this file of `perturb export RUN --replies`.
        scores: Put the scores of this evaluation of the snapshot on the card.
        progress: Show progress bars.

    Returns:
        What is on the Hub now: `repo`, `tag`, `commit`, `url`, and whether anything was `uploaded`.

    Raises:
        PerturbError: If the snapshot was changed after it was written or holds what looks like a key, or if the Hub
            refuses it.
    """
    from perturb.api.calls import source_name
    from perturb.api.runs import path_of
    from perturb.reports.scores_page import scores_for_card
    from perturb.snapshots.publish import publish as push

    folder = load_snapshot(source_name(snapshot)).folder
    score_section = "" if scores is None else scores_for_card(path_of(scores), folder)
    file = None if replies is None else Path(replies)
    return push(folder, repo, public=public, replies=file, scores=score_section, progress=progress)


abuild = awaitable(build)
aevaluate = awaitable(evaluate)
