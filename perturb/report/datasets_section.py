"""Models by data sets: one table for each score, with means over the data sets and over the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from perturb.metrics.estimates import Estimate
from perturb.report.figures import Mark, draw_intervals
from perturb.report.model import CellFormat, CellValue, Figure, Section, Table
from perturb.report.scores_breakdowns import mean_known
from perturb.score.datasets import AnswerGroup, DatasetMean

NOTE = (
    "Means are unweighted; the interval of a mean over data sets takes them as they are, not as a sample of more. The"
    " mean over models has none, since they answered the same questions."
)


def datasets_section(
    values: Iterable[tuple[AnswerGroup, Mapping[str, Estimate]]],
    means: Sequence[DatasetMean],
    heads: Mapping[str, str],
    way: str,
) -> Section:
    """The section on some metrics, by name and heading; `way` is `setting` or `elicitation`. The first has a figure."""
    found = {(group.model, group.way, group.dataset): metrics for group, metrics in values}
    datasets = tuple(dict.fromkeys(name for one in means for name in one.datasets))
    columns: dict[str, CellFormat] = {"model": "text", way: "text"}
    columns |= {
        name if name not in (*columns, "mean") else f"{name}: data set": "number" for name in datasets
    }
    tables: list[Table] = []
    for metric, head in heads.items():
        rows: list[list[CellValue]] = []
        for one in means:
            known = [found.get((one.model, one.way, name), {}).get(metric) for name in datasets]
            rows.append([one.model or "", one.way or "", *known, one.metrics[metric]])
        if len(rows) > 1:
            rows.append(
                ["mean", "", *(_mean(row[place] for row in rows) for place in range(2, len(rows[0])))]
            )
        tables.append(
            Table(f"datasets-{metric}", head, {**columns, "mean": "number"}, rows, NOTE if not tables else "")
        )
    first, head = next(iter(heads.items()))
    series = [
        (name, [Mark.of(_label(one), found.get((one.model, one.way, name), {}).get(first)) for one in means])
        for name in datasets
    ]
    figure = Figure(
        "datasets", f"{head} by data set", "95 % intervals.", draw_intervals(series, x_label=head, zero=True)
    )
    return Section("datasets", "Data sets", (), (figure,), tables)


def _label(one: DatasetMean) -> str:
    return " / ".join(filter(None, (one.model, one.way))) or "all rows"


def _mean(cells: Iterable[CellValue]) -> float | None:
    values = [cell.value if isinstance(cell, Estimate) else None for cell in cells]
    return None if None in values else mean_known(values)
