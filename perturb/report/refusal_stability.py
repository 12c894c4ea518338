"""How steady the metrics of refusals are: between settings, in ranking models, over subsets, and between prompts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

from perturb.report.figures import SERIES, Drawing, Mark, draw_heat_map, put_legend
from perturb.report.model import CellFormat, CellValue, Figure, Section, Table
from perturb.report.scores_figures import plot_series
from perturb.score.datasets import group_name
from perturb.score.prompt_agreement import FORCED, PromptAgreement
from perturb.score.refusal_report import GroupResult, RefusalReport
from perturb.score.refusal_stability import GIVEN, METRICS, RANDOM, ranking_settings
from perturb.wording import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEDIAN = "the median over models, data sets and settings"


def stability_section(report: RefusalReport) -> Section:
    """Each metric between settings, the ranking of models, and whether prompts agree on what is right."""
    tables = [
        Table(
            "stability",
            "Each metric between the settings of a model",
            "model | data set | metric | normalised difference: number | coefficient of variation: number",
            [
                (one.model or "", one.dataset or "", METRICS[one.metric], one.difference, one.cv)
                for one in report.stability
            ],
            note="Difference: most refusing setting minus least refusing one, over the absolute mean.",
        ),
        *([_ranking(report)] if report.ranking else []),
        Table(
            "agreement",
            "Agreement of prompts: the share of questions answered under both that both have right, or wrong",
            "model | data set | prompt | other prompt | agreement: number | questions: count",
            [
                (one.model or "", one.dataset or "", one.a, one.b, one.agreement, one.agreement.n)
                for one in report.agreement
            ],
        ),
    ]
    figures = []
    if report.agreement:
        caption = "The mean over models and data sets; forced: the answers of the second pass."
        drawing = _draw_agreement(report.agreement)
        figures.append(Figure("agreement", "Agreement of prompts", caption, drawing))
    return Section("stability", "Stability", figures=figures, tables=tables)


def _ranking(report: RefusalReport) -> Table:
    """Table 3 of the paper: a row for each metric, W and winner entropy side by side."""
    taken = dict(zip(GIVEN, ("", " − correct", " − refused", " − both"), strict=True))
    heads = [f"{measure}{text}" for measure in ("W", "H") for text in taken.values()]
    found = {(one.metric, one.given): one for one in report.ranking}
    rows: list[list[CellValue]] = [
        [
            head,
            *(found[metric, given].kendalls_w for given in GIVEN),
            *(found[metric, given].winner_entropy for given in GIVEN),
        ]
        for metric, head in {RANDOM: "random", **METRICS}.items()
    ]
    note = (
        "W: Kendall's W, higher is steadier; H: winner entropy, lower is steadier. Minus: what follows from the rate of"
        " correct answers, of refusals or from both is taken out first. Random: what chance gives on average."
    )
    if others := [group_name(None, *setting) for setting in ranking_settings(report.groups)[1]]:
        note += f" Left out, since some model lacks a metric there: {listed(others)}."
    columns: dict[str, CellFormat] = {"metric": "text", **dict.fromkeys(heads, "number")}
    return Table("ranking", "The ranking of models over the settings", columns, rows, note)


def subset_spreads(groups: Sequence[GroupResult], sizes: Sequence[int]) -> list[list[CellValue]]:
    """A row for each metric: its heading, and the median of its coefficients of variation at each size."""
    rows: list[list[CellValue]] = []
    for metric, head in METRICS.items():
        found = [[one.subset_cv.get(metric, {}).get(size) for one in groups] for size in sizes]
        known = [
            [one.value for one in column if one is not None and one.value is not None] for column in found
        ]
        rows.append([head, *(median(column) if column else None for column in known)])
    return rows


def draw_spreads(sizes: Sequence[int], rows: Sequence[Sequence[CellValue]]) -> Drawing:
    """The rows of `subset_spreads` as lines over the sizes (figure 10 of the paper)."""

    def paint(axes: Axes) -> None:
        for number, (head, *values) in enumerate(rows):
            known = ((x, y) for x, y in zip(sizes, values, strict=True) if isinstance(y, float) and y > 0)
            marks = ((x, Mark(f"{head}, {x:,} questions", y)) for x, y in known)
            plot_series(axes, marks, str(head), number, "-" if number < len(SERIES) else "--")
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set(ylim=(0, None), xlabel="questions", ylabel="coefficient of variation")
        axes.grid(axis="y")
        put_legend(axes, ncols=3, below=True)

    return Drawing((5.6, 4.2), paint)


def _draw_agreement(found: Sequence[PromptAgreement]) -> Drawing:
    by_pair: dict[tuple[str, str], list[float]] = {}
    for one in found:
        if one.agreement.value is not None:
            for pair in ((one.a, one.b), (one.b, one.a)):
                by_pair.setdefault(pair, []).append(one.agreement.value)
    names = list(dict.fromkeys(name for one in found for name in (one.a, one.b)))
    names.append(names.pop(names.index(FORCED)))
    by_pair |= {(name, name): [1.0] for name in names}
    grid = [[fmean(by_pair[a, b]) if (a, b) in by_pair else None for b in names] for a in names]
    return draw_heat_map(grid, names, names, limits=(0.5, 1), form=".2f")
