"""The functions of `perturb` over what is stored, which call no model, and those that make and publish data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from perturb.api.functions import Batch, ExecutorName, PathOrName, path_of

if TYPE_CHECKING:
    from perturb.api.reports import Audit, JudgesAudit, Scores, ShortcutAudit
    from perturb.api.runs import Evaluation, Run
    from perturb.config import BuildConfig
    from perturb.curate.base_sets import BaseSet
    from perturb.export.hub import Publication
    from perturb.export.snapshot import Snapshot


def audit(
    source: Run | Evaluation | PathOrName, *, resamples: int = 1000, seed: int = 0
) -> Audit | JudgesAudit:
    """Measure agreement, self-preference and pass rates from stored votes; calls no model.

    Args:
        source: A build, its folder, or a table of votes (CSV, JSON Lines or Parquet); or an evaluation with several
            judges, of which it measures the same.
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of the resamples.

    Raises:
        PerturbError: If there is no run, no vote, or a value cannot be used.
    """
    from perturb.api.reports import Audit, JudgesAudit
    from perturb.audit.audit_report import audit as measure
    from perturb.audit.judge_audit import audit_judges
    from perturb.store.calls import reading
    from perturb.store.evaluations import holds_items

    path = path_of(source)
    if path.is_dir():
        with reading(path) as db:
            is_evaluation = holds_items(db)
        if is_evaluation:
            return JudgesAudit.of(audit_judges(path, resamples=resamples, seed=seed))
    return Audit.of(measure(path, resamples=resamples, seed=seed))


def audit_shortcuts(
    source: Run | PathOrName, *, against: Run | PathOrName | None = None, resamples: int = 1000, seed: int = 0
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
    from perturb.api.reports import ShortcutAudit
    from perturb.audit.shortcuts import measure_shortcuts
    from perturb.evaluate.loading import load_made_items

    path, old = path_of(source), None if against is None else path_of(against)
    earlier = None if old is None else (str(old), load_made_items(old))
    measured = measure_shortcuts(
        str(path), load_made_items(path), earlier=earlier, resamples=resamples, seed=seed
    )
    return ShortcutAudit.of(measured)


def score(
    source: Evaluation | PathOrName,
    *,
    resamples: int = 1000,
    seed: int = 0,
    unit: Literal["base", "item"] = "base",
    item_response: bool = False,
    metrics: Sequence[str | Mapping[str, Any] | Callable[..., Any]] = (),
    levers: Sequence[PathOrName] = (),
    part: Run | PathOrName | None = None,
) -> Scores:
    """Score an evaluation from its stored results; calls no model.

    Args:
        source: An evaluation, its folder, or a table of results (CSV, JSON Lines or Parquet).
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of the resamples.
        unit: Resample base instances with all their items, or single items.
        item_response: Also fit abilities of models and difficulties of items (four models or more).
        metrics: Functions of your own beside the metrics that there are, or `package.module:function`, or entries with
            `name`, `function` and the `range` of the values.
        levers: Folders with classes of your own, where a bare table has rows of them.
        part: A snapshot's folder, such as one of the strategy `hard`: the items that are in it are also scored alone.

    Raises:
        PerturbError: If the results cannot be read, contradict themselves, or a value cannot be used.
    """
    from perturb.api.reports import Scores
    from perturb.score.result_sources import read_results
    from perturb.score.score_report import score as measure

    return Scores.of(
        measure(
            read_results(path_of(source), [path_of(folder) for folder in levers]),
            resamples=resamples,
            seed=seed,
            unit=unit,
            item_response=item_response,
            metrics=metrics,
            part=None if part is None else path_of(part),
        )
    )


def load_snapshot(path: PathOrName) -> Snapshot:
    """Read a snapshot, given its folder or the folder of the run that it belongs to.

    Raises:
        SnapshotError: If there is none.
    """
    from perturb.export.snapshot import read_snapshot

    folder = Path(path)
    inner = folder / "snapshot"
    return read_snapshot(inner if not (folder / "manifest.json").exists() and inner.is_dir() else folder)


def load_config(path: PathOrName) -> BuildConfig:
    """Read a build configuration; paths come back resolved and the panel's file read in.

    Raises:
        ConfigError: With file, line and field of the first fault.
    """
    from perturb.config import load_config as load

    return load(Path(path))


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
    executor: ExecutorName = "local",
    batch: Batch = False,
    force: bool = False,
) -> BaseSet:
    """Make a base set from a source: filter, trim contexts, sample; every record left out is counted.

    Args:
        source: A file, or `hub:OWNER/NAME` or `hub:OWNER/NAME@REVISION`.
        out: The base set to write, `NAME.jsonl`; its manifest, with the counts, is written beside it.
        format: A format of docs/base-sets.md; `auto` tells it from the first row.
        recipe: `nq`, `garage` or a YAML file; without one, all that can be read is kept.
        seed: Seed of the draw; the recipe's unless given.
        limit: Look at the first so many records only.
        knowledge: The knowledge source of a KILT task.
        subset: Configuration of a data set on the Hub.
        split: Split of a data set on the Hub.
        columns: Of a data set on the Hub, our field for each column to read: `{"query": "question"}`.
        solvers: Panel file of models that must all answer every question correctly.
        judge: Have the panel's judge grade single-passage answers too.
        writer: File of the model that writes questions from articles.
        executor: Where the models are called.
        batch: Ask the models with batch APIs, as in `perturb.evaluate`.
        force: Replace a base set that is there.

    Returns:
        The base set; its `warnings` say what was left out, and why.

    Raises:
        PerturbError: If the source cannot be read, nothing remains, or `out` cannot be written.
    """
    from perturb.api.calls import run_options
    from perturb.api.curation import curate_source, hub_source
    from perturb.event_loops import call

    opened = hub_source(str(source), subset, split, columns)
    panel, author, pages = (None if file is None else Path(file) for file in (solvers, writer, knowledge))
    options: dict[str, Any] = {"form": format, "seed": seed, "limit": limit, "knowledge": pages}
    options |= {"run": run_options(executor, batch), "judged": judge, "force": force}
    return call(lambda: curate_source(opened, Path(out), (panel, author), recipe, **options))


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
        What stands on the Hub now: `repo`, `tag`, `commit`, `url`, and whether anything was `uploaded`.

    Raises:
        PerturbError: If the snapshot is not as it was written, holds what looks like a key, or the Hub says no.
    """
    from perturb.api.calls import source_name
    from perturb.export.publish import publish as push
    from perturb.report.scores_page import scores_for_card

    folder = load_snapshot(source_name(snapshot)).folder
    shown = "" if scores is None else scores_for_card(path_of(scores), folder)
    file = None if replies is None else Path(replies)
    return push(folder, repo, public=public, replies=file, scores=shown, progress=progress)
