"""Scores over what is known of the models: lines over size and date, budgets of reasoning, stages of training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perturb.reports.figures import GREY, Drawing, Mark, draw_intervals, put_legend, short_label
from perturb.reports.model import NUMBER, CellValue, Figure, Section, Table, table_columns
from perturb.reports.scores_figures import look_of, plot_series
from perturb.scoring.covariates import ALL, FITTED, CovariateReport, ModelValues, Trend, covariate_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES: tuple[str, ...] = ("base", "sft", "dpo", "rl")
"""Stages of training in their order."""
_AXES = {
    "size_b": "billions of parameters",
    "correct": "correct-answer rate",
    "C/A": "C/A, right among answered",
}


def covariates_section(report: CovariateReport) -> Section:
    """The section; a covariate that is known of too few models has no figure."""
    figures = [
        Figure(
            f"{covariate.replace('/', '-over-').lower()}-{number}",
            f"{score} by {_AXES.get(covariate, covariate)}",
            "A point for each model, in the colour of its family; 95 % intervals where there are any. Black: the line"
            " through all models; coloured: through a family of three or more.",
            _draw_trend(report, score, covariate),
        )
        for covariate in report.fitted
        for number, score in enumerate(report.models[0].scores, start=1)
        if any((one.score, one.covariate) == (score, covariate) for one in report.trends)
    ]
    figures += _budgets(report) + _stages(report)
    rows: list[list[CellValue]] = [
        [one.score, report.fitted[one.covariate], one.family, one.slope.n, one.slope, one.r_squared]
        for one in report.trends
    ]
    columns = "score | over | family | models: count | slope: number | R²: number"
    tables = (_models(report), Table("trends", "Lines", columns, rows))
    return Section("covariates", "What the models are", (), figures, tables)


def _models(report: CovariateReport) -> Table:
    columns = table_columns(
        "model | family | training | release | size, 10⁹: number | reasoning tokens: count"
    ) | dict.fromkeys(report.models[0].scores, NUMBER)
    rows = [
        (
            one.model,
            one.known.family or "",
            one.known.training or "",
            str(one.known.release or ""),
            one.known.size_b,
            one.known.reasoning_tokens,
            *one.scores.values(),
        )
        for one in report.models
    ]
    note = "A model with several data sets, settings or elicitations has their mean, without an interval."
    return Table("models", "The models and their scores", columns, rows, note)


def _draw_trend(report: CovariateReport, score: str, covariate: str) -> Drawing:
    families = list(dict.fromkeys(one.known.family or "" for one in report.models))
    lines = [one for one in report.trends if (one.score, one.covariate) == (score, covariate)]

    def paint(axes: Axes) -> None:
        for number, family in enumerate(families):
            label = family or "no family"
            points = (
                (x, Mark.of(f"{label}: {x:g}", one.scores[score]))
                for one in report.models
                if (one.known.family or "") == family and (x := covariate_value(one, covariate)) is not None
            )
            plot_series(axes, points, label, number)
        for line in lines:
            colour = "black" if line.family == ALL else look_of(families.index(line.family))[0]
            _paint_line(axes, line, colour, report)
        if covariate == "size_b":
            low, high = axes.get_xlim()
            sizes = [m * 10.0**k for k in range(-3, 6) for m in (1, 2, 5)]
            shown = [size for size in sizes if low <= np.log10(size) <= high]
            axes.set_xticks(np.log10(shown), [f"{size:g}" for size in shown])
        else:
            axes.ticklabel_format(axis="x", useOffset=False)
        if covariate not in FITTED:
            _name_points(axes, report, score, covariate)
        axes.set(xlabel=_AXES.get(covariate, covariate), ylabel=score)
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.2 + 0.1 * len(families)), paint)


def _name_points(axes: Axes, report: CovariateReport, score: str, covariate: str) -> None:
    """Above and below the points in turn, so that neighbours do not cover each other."""
    points = [(covariate_value(one, covariate), one.scores[score].value, one.model) for one in report.models]
    known = sorted((y, x, name) for x, y, name in points if x is not None and y is not None)
    for number, (y, x, name) in enumerate(known):
        place = (3, -8 if number % 2 else 3)
        axes.annotate(short_label(name), (x, y), place, textcoords="offset points", fontsize=6.5, color=GREY)


def _paint_line(axes: Axes, line: Trend, colour: str, report: CovariateReport) -> None:
    xs = [
        x
        for one in report.models
        if line.family in (ALL, one.known.family) and (x := covariate_value(one, line.covariate)) is not None
    ]
    ends = np.array([min(xs), max(xs)])
    height = (line.intercept or 0.0) + (line.slope.value or 0.0) * ends
    axes.plot(ends, height, color=colour, linewidth=1.2, label=f"{line.family}: R² = {line.r_squared:.2f}")


def _budgets(report: CovariateReport) -> list[Figure]:
    """A curve over the budget of reasoning for each family that was run with more than one."""
    curves: dict[str, list[ModelValues]] = {}
    for one in report.models:
        if one.known.reasoning_tokens is not None:
            size = f"{one.known.size_b:g}B" if one.known.size_b else ""
            curves.setdefault(" ".join(filter(None, (one.known.family, size))) or one.model, []).append(one)
    curves = {
        name: sorted(found, key=_tokens) for name, found in curves.items() if len({*map(_tokens, found)}) > 1
    }
    return [
        Figure(
            f"reasoning-{number}",
            f"{score} by budget of reasoning",
            "Models of one family and size, by the tokens that they may think; 95 % intervals where there are any.",
            _draw_budget(curves, score),
        )
        for number, score in enumerate(report.models[0].scores if curves else (), start=1)
    ]


def _tokens(one: ModelValues) -> int:
    return one.known.reasoning_tokens or 0


def _draw_budget(curves: dict[str, list[ModelValues]], score: str) -> Drawing:
    def paint(axes: Axes) -> None:
        for number, (name, found) in enumerate(curves.items()):
            budgets = ((_tokens(one), one.scores[score]) for one in found)
            marks = ((tokens, Mark.of(f"{name}: {tokens:g}", value)) for tokens, value in budgets)
            plot_series(axes, marks, name, number, "-")
        axes.set_xscale("symlog", linthresh=100, base=10)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.set(xlabel="reasoning tokens", ylabel=score)
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.0), paint)


def _stages(report: CovariateReport) -> list[Figure]:
    """The stages of training beside each other, for families and sizes of which there are several."""
    found: dict[str, dict[str, ModelValues]] = {}
    for one in report.models:
        if one.known.training and one.known.family:
            size = f" {one.known.size_b:g}B" if one.known.size_b else ""
            found.setdefault(one.known.family + size, {})[one.known.training] = one
    several = {name: stages for name, stages in found.items() if len(stages) > 1}
    used = [stage for stage in STAGES if any(stage in stages for stages in several.values())]
    figures, named = [], list(several.items())
    for number, score in enumerate(report.models[0].scores if several else (), start=1):
        series = [
            (stage, [Mark.of(name, by[stage].scores[score] if stage in by else None) for name, by in named])
            for stage in used
        ]
        figures.append(
            Figure(
                f"stages-{number}",
                f"{score} by stage of training",
                "One line for each family and size; 95 % intervals where there are any.",
                draw_intervals(series, x_label=score),
            )
        )
    return figures
