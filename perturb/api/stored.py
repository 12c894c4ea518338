"""The functions of `perturb` over what is stored, which call no model.

Figures as Python code gets them: the report's data, shown as tables in a notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from perturb.api.paths import PathOrName, RunFolder, path_of
from perturb.auditing.audit_report import AuditReport
from perturb.auditing.judge_audit import JudgeAudit
from perturb.auditing.shortcuts import Shortcuts
from perturb.metrics.inputs import Estimate
from perturb.reports.audit_page import make_shortcuts_report
from perturb.reports.audit_sections import make_audit_report, make_panel_report
from perturb.reports.model import render_fragment
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.score_report import ScoreReport

if TYPE_CHECKING:
    import pandas

    from perturb.config import BuildConfig
    from perturb.snapshots.snapshot import Snapshot


def audit(source: RunFolder | PathOrName, *, resamples: int = 1000, seed: int = 0) -> Audit | JudgesAudit:
    """Measure agreement, self-preference and pass rates from stored votes; calls no model.

    Args:
        source: A build, its folder, or a table of votes (CSV, JSON Lines or Parquet); or an evaluation with several
            judges, of which it measures the same.
        resamples: Bootstrap resamples behind each interval.
        seed: Seed of the resamples.

    Raises:
        PerturbError: If there is no run, no vote, or a value cannot be used.
    """
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
    from perturb.auditing.shortcuts import measure_shortcuts
    from perturb.evaluation.loading import load_made_items

    path, old = path_of(source), None if against is None else path_of(against)
    earlier = None if old is None else (str(old), load_made_items(old))
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
    from perturb.scoring.result_sources import read_results
    from perturb.scoring.score_report import score as measure

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
    from perturb.snapshots.snapshot import read_snapshot

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


_BY = ("class", "intensity")


class Shown:
    """The fields of a report, and how a notebook shows them."""

    @classmethod
    def of(cls, report: Any, **beside: Any) -> Self:
        """The same figures, with what stands beside them."""
        made = cls(**{field.name: getattr(report, field.name) for field in fields(report)})
        for name, value in beside.items():
            object.__setattr__(made, name, value)
        return made


class Audit(Shown, AuditReport):
    """What the votes say of the verifiers; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_audit_report(self, _BY))


class JudgesAudit(Shown, JudgeAudit):
    """What the votes of several judges say of them; shown and given likewise."""

    def _repr_html_(self) -> str:
        return render_fragment(make_panel_report(self))


class ShortcutAudit(Shown, Shortcuts):
    """What baselines tell from a part of each item; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_shortcuts_report(self, _BY))


def metric_values(metrics: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Metric -> its value, None where it is undefined."""
    return {name: found.value for name, found in metrics.items()}


class Scores(Shown, ScoreReport):
    """The scores of models; a notebook shows their tables, and `to_dict` gives every figure."""

    def to_pandas(self) -> pandas.DataFrame:
        """The metrics as a data frame: a row for each model, a column for each metric, NaN where it is undefined."""
        import pandas as pd

        rows = {one.model: metric_values(one.metrics) for one in self.models}
        return pd.DataFrame.from_dict(rows, orient="index", dtype=float)

    def _repr_html_(self) -> str:
        return render_fragment(make_scores_page(self, by=_BY))
