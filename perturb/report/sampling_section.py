"""P(Answering) on the report page: AUROC and ECE, reliability, and which metric goes with the AUROC."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.report.figures import Mark, draw_bars
from perturb.report.model import Figure, Section, Table, table_columns
from perturb.report.scores_figures import draw_reliability
from perturb.score.refusal_report import GroupResult, RefusalReport
from perturb.score.refusal_stability import METRICS

NAMES = table_columns("model | data set | setting")


def sampling_section(report: RefusalReport) -> Section | None:
    """Of groups whose questions were asked several times; None without any."""
    sampled = by_model([group for group in report.groups if group.sampling is not None])
    if not sampled:
        return None
    figures = [
        Figure(
            f"p-answering-{number}",
            f"Reliability of P(Answering){f': {name}' if name else ''}",
            "Below the diagonal the model answers more often than it is right; larger points hold more questions.",
            draw_reliability([_series(one) for one in groups], "P(Answering)"),
        )
        for number, (name, groups) in enumerate(sampled.items(), start=1)
    ]
    if report.correlations:
        marks = [Mark(METRICS[one.metric], one.pearson) for one in report.correlations]
        chart = draw_bars(marks, x_label="Pearson correlation with the AUROC", form=".2f")
        told = "Over models and settings: 1 where a metric ranks them as the AUROC of P(Answering) does."
        figures.append(Figure("auroc-correlations", "Correlation of each metric with the AUROC", told, chart))
    rows = [
        (one.model or "", one.dataset or "", one.setting or "", one.sampling.auroc, one.sampling.ece)
        for groups in sampled.values()
        for one in groups
        if one.sampling is not None
    ]
    scores = Table("p-answering", "Scores", {**NAMES, "AUROC": "number", "ECE": "number"}, rows)
    correlations = Table(
        "auroc-correlations",
        "Correlation of each metric with the AUROC, over models and settings",
        "metric | Pearson: number | Spearman: number | n: count",
        [(METRICS[one.metric], one.pearson, one.spearman, one.n) for one in report.correlations],
    )
    sentence = (
        "P(Answering) is the share of a question's sampled replies that are no refusal. AUROC: how well it tells"
        " questions that the model gets right, forced to answer or not, from those it gets wrong."
    )
    return Section("sampling", "P(Answering)", (sentence,), tuple(figures), (scores, correlations))


def by_model(groups: Sequence[GroupResult]) -> dict[str, list[GroupResult]]:
    """The settings of each model on each data set, under the name of both."""
    found: dict[str, list[GroupResult]] = {}
    for group in groups:
        found.setdefault(", ".join(filter(None, (group.model, group.dataset))), []).append(group)
    return found


def _series(group: GroupResult) -> tuple[str, list[tuple[float, float, int]]]:
    bins = group.sampling.reliability if group.sampling else ()
    return group.setting or "all rows", [(one.confidence, one.accuracy, one.n) for one in bins]
