"""The functions of `perturb` that work on stored data and call no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from perturb.api.runs import Audit, JudgesAudit, Scores, ShortcutAudit
    from perturb.config import BuildConfig
    from perturb.snapshots.snapshot import Snapshot


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
    from perturb.api.runs import Audit, JudgesAudit
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
    from perturb.api.runs import ShortcutAudit
    from perturb.auditing.shortcuts import measure_shortcuts
    from perturb.evaluation.loading import load_made_items

    path, earlier = path_of(source), None
    if against is not None:
        earlier_path = path_of(against)
        earlier = (str(earlier_path), load_made_items(earlier_path))
    measured = measure_shortcuts(
        str(path), load_made_items(path), earlier=earlier, resamples=resamples, seed=seed
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
    from perturb.api.runs import score_table

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


PathOrName: TypeAlias = "str | PathLike[str]"
ExecutorName: TypeAlias = Literal["local", "processes", "ray"]
Batch: TypeAlias = "bool | Mapping[str, float]"
"""Whether batch APIs are used, or `{"rows": 10_000, "poll": 15}`: with these limits."""


class RunFolder(Protocol):
    """A `Run`, `QuestionRun` or `Evaluation`: anything that stands for the folder of a run."""

    @property
    def folder(self) -> Path:
        """The folder."""


def path_of(source: RunFolder | PathOrName) -> Path:
    """The folder of a run, or the path given."""
    return Path(getattr(source, "folder", source))  # type: ignore[arg-type]
