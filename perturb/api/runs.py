"""Runs and reports as Python objects.

A run is a folder, with its status, its report and its data. A report holds figures, which a notebook shows as tables.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.judge_audit import JudgeAudit
from perturb.auditing.shortcuts import Shortcuts
from perturb.evaluation.results import Result, read_run
from perturb.evaluation.status import read_status
from perturb.ledger.calls import reading
from perturb.metrics.inputs import Estimate
from perturb.records import Item
from perturb.reports.any_page import figures_folder, make_any_page
from perturb.reports.audit_page import make_shortcuts_report
from perturb.reports.audit_sections import make_audit_report, make_judges_report
from perturb.reports.bas_page import make_bas_page
from perturb.reports.refusal_index_page import make_refusal_page
from perturb.reports.rendering import render_fragment, write_page
from perturb.reports.runs import make_evaluation_report, make_status_report
from perturb.reports.scores_page import make_scores_page
from perturb.runtime import call
from perturb.scoring.confidence_report import ConfidenceScores
from perturb.scoring.human_grades import read_grades
from perturb.scoring.refusal_report import RefusalReport
from perturb.scoring.score_report import ScoreReport, score
from perturb.scoring.table import read_results
from perturb.snapshots.items import items_of
from perturb.snapshots.snapshot import Snapshot, read_snapshot
from perturb.text.wording import html_table

if TYPE_CHECKING:
    import pandas

    from perturb.building.results import BuildReport
    from perturb.evaluation.session import EvaluationReport

# What a notebook lists rates and scores by.
_GROUPINGS = ("class", "intensity")


class NotebookReport:
    """A report whose subclasses say how a notebook shows it."""

    @classmethod
    def of(cls, report: Any, **attributes: Any) -> Self:
        """A report with the same fields, and with further attributes."""
        copy = cls(**{field.name: getattr(report, field.name) for field in fields(report)})
        for name, value in attributes.items():
            object.__setattr__(copy, name, value)  # reports are frozen
        return copy


class Audit(NotebookReport, AuditReport):
    """What the votes say about the verifiers; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_audit_report(self, _GROUPINGS))


class JudgesAudit(NotebookReport, JudgeAudit):
    """What the votes of several judges say about them; a notebook shows its tables, `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_judges_report(self))


class ShortcutAudit(NotebookReport, Shortcuts):
    """What baselines tell from a part of each item; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_shortcuts_report(self, _GROUPINGS))


def metric_values(metrics: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Metric -> its value, None where it is undefined."""
    return {name: estimate.value for name, estimate in metrics.items()}


class Scores(NotebookReport, ScoreReport):
    """The scores of models; a notebook shows their tables, and `to_dict` gives every figure."""

    def to_pandas(self) -> pandas.DataFrame:
        """The metrics as a data frame: a row for each model, a column for each metric, NaN where it is undefined."""
        import pandas as pd

        rows = {model.model: metric_values(model.metrics) for model in self.models}
        return pd.DataFrame.from_dict(rows, orient="index", dtype=float)

    def _repr_html_(self) -> str:
        return render_fragment(make_scores_page(self, by=_GROUPINGS))


class ReportPage(type(Path())):  # type: ignore[misc]  # before Python 3.12, Path itself has no subclasses
    """The path of a report page, which a notebook shows as a link and the main figure of the page."""

    _figure: Path | None = None

    def showing(self, figure: Path | None) -> ReportPage:
        """The same path with a figure beneath it."""
        # no argument of the constructor, which takes parts of a path
        self._figure = figure
        return self

    def _repr_html_(self) -> str:
        link = f'<p><a href="{escape(self.as_posix())}" target="_blank">{escape(str(self))}</a></p>'
        if self._figure is None or not self._figure.exists():
            return link
        content = base64.b64encode(self._figure.read_bytes()).decode("ascii")
        return f'{link}<img alt="{escape(self._figure.stem)}" src="data:image/png;base64,{content}">'


class _Folder:
    """A folder with a ledger, and how the last call that wrote to it ended."""

    def __init__(
        self,
        folder: str | PathLike[str],
        facts: Mapping[str, Any] | None = None,
        warnings: Sequence[str] = (),
        stopped: str | None = None,
    ) -> None:
        self.folder = Path(folder)
        """Where everything is kept."""
        self.facts: Mapping[str, Any] = facts or {}
        """Counts, tokens, cost and seconds of the call that returned this, as `--json` prints them; else empty."""
        self.warnings = tuple(warnings)
        """What to know, and what is left to do: one line for each."""
        self.stopped = stopped
        """Why the work stopped before its end, if it did."""

    @property
    def status(self) -> Mapping[str, Any]:
        """Counts, calls, cost, failures and what is left, as `perturb status --json` prints them."""
        return call(lambda: read_status(self.folder))

    def report(self, path: str | PathLike[str] | None = None, *, items: int = 1000) -> ReportPage:
        """Write the HTML report, with its figures and tables beside it; returns the page's path.

        In a notebook the path is shown as a link, above the first figure of the page.

        `path` is `report.html` in the folder unless given; the page has at most `items` items to leaf through.
        """
        page = Path(path) if path is not None else self.folder / "report.html"
        written = write_page(make_any_page(self.folder, items=items), page, figures_folder(self.folder, page))
        first_figure = next((file for file in written if file.suffix == ".png"), None)
        return ReportPage(page).showing(first_figure)

    def _repr_html_(self) -> str:
        return render_fragment(make_status_report(self.status)) + html_table("", notes=self.warnings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"


RunT = TypeVar("RunT", bound=_Folder)


def run_of(run_class: type[RunT], report: BuildReport | EvaluationReport) -> RunT:
    """The run that a build or an evaluation has worked on, with how that ended."""
    return run_class(report.run, report.facts, report.warnings, report.stopped)


class Run(_Folder):
    """The run of a build: `perturb.build` returns one, and `Run("outputs/demo")` opens an existing one.

    `facts`, and the object that `perturb build --json` prints, have these keys:

    - `run`, `snapshot`: the folders; `snapshot` is null when nothing was accepted or the build stopped early
    - `jobs`; by final state `candidates`, `unparsed`, `not_applicable`, `rejected_by_checks`, `abstained`, `errors`
    - `faults`: crashes of offline rules (part of `errors`) and checks (unscored votes)
    - `cells_without_rule`: if only the rule engine writes: cells that need a model
    - `repeats`: accepted items left out of the snapshot, since they repeat another item of their generator and cell
    - `near_duplicates`: rejected candidates that repeat an item of a round to `avoid`
    - `votes`, `planted_votes`: scored votes; votes on planted items
    - `accepted`, `undecided`: accepted candidates; candidates that lack votes
    - `certificate`: how many labels are wrong
    - `quota`: with `until`: `per_cell`, and what is `missing` by generator and cell
    - `rows`, `cells_filled`: rows of the snapshot; cells with at least one accepted item
    - `hard`, `solver_calls`: with solvers: hard items and calls to solvers
    - `calls`, `tokens`, `cost_usd`: of the run so far; the cost is null if any price is unknown
    - `cached_calls`, `seconds`: requests answered from stored replies, and duration, of this command
    - `missing_replies`: in a replay: what the file lacks

    Attributes:
        folder: Where everything is kept.
        facts: Counts, tokens, cost and seconds of the call that returned it.
        warnings: What to know, and what is left to do.
        stopped: Why the build stopped before its end, if it did.
    """

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot that the build has exported; None if nothing was accepted, or if it has not finished."""
        folder = self.folder / "snapshot"
        if folder.is_dir():
            return read_snapshot(folder)
        with reading(self.folder):  # raises if the folder has no run at all
            return None

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the snapshot; empty without one."""
        snapshot = self.snapshot
        return tuple(items_of(snapshot.read_rows(), snapshot.classes)) if snapshot is not None else ()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of the snapshot as a data frame, a row for each item; empty without a snapshot."""
        import pandas as pd

        snapshot = self.snapshot
        return pd.DataFrame(snapshot.read_rows() if snapshot is not None else ())

    def audit(self, *, resamples: int = 1000, seed: int = 0) -> Audit:
        """Agreement, self-preference and pass rates of the verifiers; see `perturb.audit`."""
        return Audit.of(audit(self.folder, resamples=resamples, seed=seed))


class QuestionRun(_Folder):
    """The run of `perturb.refusal_index` or `perturb.bas`, where models were asked.

    Attributes:
        folder: Where everything is kept.
        facts: Counts, tokens, cost and seconds of the call that returned it.
        warnings: What to know, and what is left to do.
        stopped: Why the run stopped before its end, if it did.
    """


class Evaluation(_Folder):
    """An evaluation: `perturb.evaluate` returns one, and `Evaluation("outputs/evaluate-demo")` opens an existing one.

    Attributes:
        folder: Where everything is kept.
        facts: Counts, tokens, cost and seconds of the call that returned it.
        warnings: What to know, and what is left to do.
        stopped: Why the evaluation stopped before its end, if it did.
    """

    @property
    def results(self) -> tuple[Result, ...]:
        """What each model did with each item, in the order of the table `results.jsonl`."""
        return read_run(self.folder).results

    def to_pandas(self) -> pandas.DataFrame:
        """The results as a data frame, a row for each item and model."""
        import pandas as pd

        return pd.DataFrame([result.to_dict() for result in self.results])

    def score(
        self,
        *,
        resamples: int = 1000,
        seed: int = 0,
        metrics: Sequence[str | Mapping[str, Any] | Callable[..., Any]] = (),
        review: bool | str | PathLike[str] = False,
    ) -> Scores:
        """Every refusal metric, and `metrics` of your own, with intervals; see `perturb.score`."""
        return score_table(self.folder, review=review, resamples=resamples, seed=seed, metrics=metrics)

    def _repr_html_(self) -> str:
        report = make_evaluation_report(self.facts) if self.facts else make_status_report(self.status)
        return render_fragment(report) + html_table("", notes=self.warnings)


def score_table(
    source: Path, *, levers: Sequence[Path] = (), review: bool | str | PathLike[str] = False, **options: Any
) -> Scores:
    """Score a table or an evaluation; `options` are those of `score_report.score`."""
    grades = None
    if review is not False:
        grades = read_grades(source, None if review is True else Path(review))
    return Scores.of(score(read_results(source, levers), grades=grades, **options))


class RefusalFigures(NotebookReport, RefusalReport):
    """The Refusal Index and related metrics of models; a notebook shows the tables, `to_dict` gives every figure."""

    run: QuestionRun | None
    """The run that asked the models; None for figures from tables."""

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each model, data set and prompt, a column for each metric."""
        return _frame(
            ({"model": group.model, "dataset": group.dataset, "setting": group.setting}, group.metrics)
            for group in self.groups
        )

    def _repr_html_(self) -> str:
        return render_fragment(make_refusal_page(self))


class ConfidenceFigures(NotebookReport, ConfidenceScores):
    """The Behavioral Alignment Score and related metrics of models.

    A notebook shows the tables, and `to_dict` gives every figure.
    """

    run: QuestionRun | None
    """The run that asked the models; None for figures from tables."""

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each model, data set and elicitation, a column for each metric."""
        labels = ("model", "dataset", "elicitation")
        return _frame(
            ({label: getattr(scored.group, label) for label in labels}, scored.report.metrics)
            for scored in self.groups
        )

    def _repr_html_(self) -> str:
        return render_fragment(make_bas_page(self, str(self.run.folder) if self.run else ""))


def _frame(rows: Iterable[tuple[Mapping[str, str | None], Mapping[str, Estimate]]]) -> pandas.DataFrame:
    import pandas as pd

    return pd.DataFrame([{**names, **metric_values(metrics)} for names, metrics in rows])


class RunFolder(Protocol):
    """A `Run`, `QuestionRun` or `Evaluation`: anything that stands for the folder of a run."""

    @property
    def folder(self) -> Path:
        """The folder."""


def path_of(source: RunFolder | str | PathLike[str]) -> Path:
    """The folder of a run, or the path given."""
    return Path(getattr(source, "folder", source))  # type: ignore[arg-type]
