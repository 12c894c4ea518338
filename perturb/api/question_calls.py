"""The work behind `perturb.refusal_index` and `perturb.bas`, and the figures that they return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from perturb.api.calls import Asked
from perturb.api.figures import Shown, metric_values
from perturb.api.runs import QuestionRun
from perturb.api.stored import path_of
from perturb.errors import ConfigError, SourceError
from perturb.evaluation.loading import read_questions
from perturb.evaluation.standing import QuestionPlan, Ways, ask_questions
from perturb.metrics.inputs import Estimate
from perturb.reports.bas_page import make_bas_page
from perturb.reports.refusal_index_page import make_refusal_page
from perturb.reports.rendering import render_fragment
from perturb.runtime.asyncs import call
from perturb.scoring.confidence_report import ConfidenceScores
from perturb.scoring.refusal_report import RefusalReport

if TYPE_CHECKING:
    import pandas


@contextmanager
def tables_to_score(
    kind: Literal["refusal-index", "bas"],
    source: Any,
    asked: Asked,
    ways: Ways,
    draw: tuple[str, int | None, int],
    progress: bool,
    **options: Any,
) -> Iterator[tuple[list[Path], QuestionRun | None]]:
    """The tables of `source`; or, where models are asked, the folder of the run, and the run.

    `draw` says of questions their format, how many, and the seed. Where nothing can be scored, what the run has to say
    of it comes first.
    """

    def ask() -> QuestionRun:
        if not isinstance(source, str | PathLike | None):
            raise ConfigError("source: name one set of questions where models are asked")
        form, limit, seed = draw
        questions = None if source is None else read_questions(str(source), form).draw(limit, seed)
        plan = QuestionPlan(kind=kind, questions=questions, ways=ways, **asked.plan(source, kind), **options)
        report = ask_questions(plan, progress=progress)
        return QuestionRun(report.run, report.facts, report.warnings, report.stopped)

    run = call(ask) if source is None or asked.models or asked.replay is not None else None
    several = isinstance(source, Iterable) and not isinstance(source, str)
    try:
        yield [run.folder] if run else [path_of(one) for one in (source if several else [source])], run
    except SourceError as error:
        if run is None or not run.warnings:
            raise
        raise SourceError(f"{run.warnings[0]} ({error})") from None


class RefusalFigures(Shown, RefusalReport):
    """The Refusal Index of models beside its companions; a notebook shows the tables, `to_dict` gives every figure."""

    run: QuestionRun | None
    """The run that they are from, where models were asked."""

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each model, data set and prompt, a column for each metric."""
        return _frame(
            ({"model": group.model, "dataset": group.dataset, "setting": group.setting}, group.metrics)
            for group in self.groups
        )

    def _repr_html_(self) -> str:
        return render_fragment(make_refusal_page(self))


class ConfidenceFigures(Shown, ConfidenceScores):
    """The Behavioral Alignment Score of models beside its companions; shown and given likewise."""

    run: QuestionRun | None
    """The run that they are from, where models were asked."""

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each model, data set and elicitation, a column for each metric."""
        return _frame(
            (
                {"model": group.model, "dataset": group.dataset, "elicitation": group.elicitation},
                one.report.metrics,
            )
            for one in self.groups
            for group in [one.group]
        )

    def _repr_html_(self) -> str:
        return render_fragment(make_bas_page(self, str(self.run.folder) if self.run else ""))


def _frame(rows: Iterable[tuple[Mapping[str, str | None], Mapping[str, Estimate]]]) -> pandas.DataFrame:
    import pandas as pd

    return pd.DataFrame([{**names, **metric_values(metrics)} for names, metrics in rows])
