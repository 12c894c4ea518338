"""How scores depend on facts about the models (covariates): size, release date, accuracy, reasoning budget, stage.

`report_covariates` fits straight lines over size, release date and accuracy. `covariates_section` draws them. Budgets
and stages of training have figures alone. The *accuracy* of a model is one of its scores: `correct` and `C/A` (right
among answered) of the Refusal Index, `accuracy` of the Behavioral Alignment Score (BAS).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from perturb.config import Covariates
from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, NamedEstimates, plain, plain_value
from perturb.records import JsonObject
from perturb.reports.figures import GREY, Drawing, Mark, draw_intervals, put_legend, short_label
from perturb.reports.model import NUMBER, Figure, Section, Table, TableRows, table_columns
from perturb.reports.scores_figures import look_of, plot_series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Facts about models that lines are fitted over → how tables call them.
FITTED: Mapping[str, str] = {"size_b": "log10 of the size in billions", "release": "year of release"}
# Scores that also serve as covariates, as in figure 5 of the paper on the Refusal Index and figure 2 of that on BAS.
_ACCURACIES: tuple[str, ...] = ("accuracy", "correct", "C/A")
# The name of all families together.
ALL = "all"


@dataclass(frozen=True, slots=True)
class ModelValues:
    """The covariates and scores of one model."""

    model: str
    covariates: Covariates
    scores: NamedEstimates
    """By heading: the value with its interval, or the mean over data sets and ways of asking without one."""

    def to_dict(self) -> JsonObject:
        """Plain values; covariates that are not known are left out."""
        covariates = self.covariates.model_dump(
            mode="json", include=set(Covariates.model_fields), exclude_none=True
        )
        return {"model": self.model, **covariates, "scores": plain_value(self.scores)}


@dataclass(frozen=True, slots=True)
class Trend:
    """A line through a score over a covariate."""

    score: str
    covariate: str
    family: str
    """`ALL`, or a family of at least three models."""
    slope: Estimate
    """Change of the score per tenfold size, per year, or per 1 of accuracy; `n` is the number of models.

    With the 95 % interval of Student's t on n - 2 degrees of freedom.
    """
    intercept: float
    r_squared: float
    """Share of the variance of the score that the line explains, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class CovariateReport:
    """Scores, covariates and the lines between them."""

    models: tuple[ModelValues, ...]
    trends: tuple[Trend, ...]

    @property
    def fitted(self) -> dict[str, str]:
        """Covariate that lines are fitted over → how tables call it: `FITTED`, and the accuracy among the scores."""
        return _fitted_covariates(self.models)

    def to_dict(self) -> JsonObject:
        """Plain values."""
        return plain(self)


def report_covariates(
    values: Iterable[tuple[str, NamedEstimates]], covariates: Mapping[str, Covariates]
) -> CovariateReport:
    """Put the scores of models beside their covariates, and fit lines over them.

    A model that appears more than once, with several data sets or ways of asking, has the mean of its values. Raises
    `ConfigError` if `covariates` has none of the models.
    """
    runs_of_model: dict[str, list[NamedEstimates]] = {}
    for model, scores in values:
        if model in covariates:
            runs_of_model.setdefault(model, []).append(scores)
    if not runs_of_model:
        raise ConfigError(
            "--models: the file does not name any model of the tables: use the names in the tables"
        )
    models = []
    for model, runs in runs_of_model.items():
        scores = {name: _mean([run[name] for run in runs]) for name in runs[0]}
        models.append(ModelValues(model, covariates[model], scores))
    families = dict.fromkeys(model.covariates.family for model in models if model.covariates.family)
    trends = []
    for covariate, score in product(_fitted_covariates(models), models[0].scores):  # all have the same scores
        if score in _ACCURACIES and covariate in _ACCURACIES:
            continue  # one accuracy over another says nothing
        for family in (ALL, *families):
            trend = _trend(models, score, covariate, family)
            if trend is not None:
                trends.append(trend)
    return CovariateReport(tuple(models), tuple(trends))


def covariate_value(model: ModelValues, covariate: str) -> float | None:
    """The value of a covariate that a line is fitted over: see `CovariateReport.fitted`."""
    size_b, release = model.covariates.size_b, model.covariates.release
    if covariate == "size_b":
        return None if size_b is None else math.log10(size_b)
    if covariate == "release":
        if release is None:
            return None
        return release.year + (release.timetuple().tm_yday - 1) / 365.25  # the year with its elapsed part
    return model.scores[covariate].value


def _fitted_covariates(models: Sequence[ModelValues]) -> dict[str, str]:
    return {**FITTED, **{name: name for name in _ACCURACIES if name in models[0].scores}}


def _mean(values: Sequence[Estimate]) -> Estimate:
    """The mean over data sets or ways of asking, without an interval: ways share questions, so they are dependent."""
    if len(values) == 1:
        return values[0]
    numbers = [value.value for value in values if value.value is not None]
    if len(numbers) < len(values):
        return Estimate.undefined("undefined under some setting or on some data set")
    return Estimate(fmean(numbers), n=sum(value.n for value in values))


def _trend(models: Sequence[ModelValues], score: str, covariate: str, family: str) -> Trend | None:
    """The line of a family by least squares.

    None if fewer than three of its models have both values, or all have the same covariate.
    """
    from scipy.special import stdtrit
    from scipy.stats import linregress

    xs, ys = [], []
    for model in models:
        x, y = covariate_value(model, covariate), model.scores[score].value
        if family in (ALL, model.covariates.family) and x is not None and y is not None:
            xs.append(x)
            ys.append(y)
    # Two points always lie on a line, which shows nothing.
    if len(set(xs)) < 2 or len(xs) < 3:
        return None
    regression = linregress(xs, ys)
    slope, se = float(regression.slope), float(regression.stderr)
    half_width = float(stdtrit(len(xs) - 2, 0.975)) * se
    estimate = Estimate(slope, slope - half_width, slope + half_width, se, len(xs))
    r_squared = float(regression.rvalue) ** 2
    return Trend(score, covariate, family, estimate, float(regression.intercept), r_squared)


# Stages of training in their order.
STAGES: tuple[str, ...] = ("base", "sft", "dpo", "rl")
# The labels of axes; other covariates are labelled by their name.
_AXES = {
    "size_b": "billions of parameters",
    "correct": "correct-answer rate",
    "C/A": "C/A, right among answered",
}


def covariates_section(report: CovariateReport) -> Section:
    """The section; a covariate that too few models have gets no figure."""
    with_lines = {(trend.score, trend.covariate) for trend in report.trends}
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
        if (score, covariate) in with_lines
    ]
    figures += _budget_figures(report) + _stage_figures(report)
    trends = Table.of(
        "trends",
        "Lines",
        "score = trend.score | over | family = trend.family | models = trend.slope.n: count"
        " | slope = trend.slope: number | R² = trend.r_squared: number",
        [{"over": report.fitted[trend.covariate], "trend": trend} for trend in report.trends],
    )
    return Section("covariates", "What the models are", (), figures, (_models(report), trends))


def _models(report: CovariateReport) -> Table:
    columns = table_columns(
        "model | family | training | release | size, 10⁹: number | reasoning tokens: count"
    ) | dict.fromkeys(report.models[0].scores, NUMBER)
    rows: TableRows = []
    for model in report.models:
        facts = model.covariates
        names = [model.model, facts.family or "", facts.training or "", str(facts.release or "")]
        rows.append([*names, facts.size_b, facts.reasoning_tokens, *model.scores.values()])
    note = "A model with several data sets, settings or elicitations has their mean, without an interval."
    return Table("models", "The models and their scores", columns, rows, note)


def _draw_trend(report: CovariateReport, score: str, covariate: str) -> Drawing:
    families = list(dict.fromkeys(model.covariates.family or "" for model in report.models))
    lines = [trend for trend in report.trends if (trend.score, trend.covariate) == (score, covariate)]

    def paint(axes: Axes) -> None:
        for number, family in enumerate(families):
            label = family or "no family"
            points = []
            for model in report.models:
                x = covariate_value(model, covariate)
                if (model.covariates.family or "") == family and x is not None:
                    points.append((x, Mark.of(f"{label}: {x:g}", model.scores[score])))
            plot_series(axes, points, label, number)
        for line in lines:
            colour = "black"
            if line.family != ALL:
                colour, _ = look_of(families.index(line.family))
            _paint_line(axes, line, colour, report)
        if covariate == "size_b":
            _put_ticks_at_sizes(axes)
        else:
            # Years would otherwise be written as an offset from 2,000.
            axes.ticklabel_format(axis="x", useOffset=False)
        if covariate not in FITTED:  # over an accuracy, the reader looks for single models
            _name_points(axes, report, score, covariate)
        axes.set(xlabel=_AXES.get(covariate, covariate), ylabel=score)
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.2 + 0.1 * len(families)), paint)


def _put_ticks_at_sizes(axes: Axes) -> None:
    """Put the ticks at the round sizes 1, 2, 5, 10, …, since sizes are drawn by their logarithm."""
    low, high = axes.get_xlim()
    sizes = [factor * 10.0**power for power in range(-3, 6) for factor in (1, 2, 5)]
    ticks = [size for size in sizes if low <= np.log10(size) <= high]
    axes.set_xticks(np.log10(ticks), [f"{size:g}" for size in ticks])


def _name_points(axes: Axes, report: CovariateReport, score: str, covariate: str) -> None:
    """Write the names above and below the points in turn, so that neighbours do not cover each other."""
    points = []
    for model in report.models:
        x, y = covariate_value(model, covariate), model.scores[score].value
        if x is not None and y is not None:
            points.append((y, x, model.model))
    for number, (y, x, name) in enumerate(sorted(points)):
        offset = (3, -8 if number % 2 else 3)
        axes.annotate(short_label(name), (x, y), offset, textcoords="offset points", fontsize=6.5, color=GREY)


def _paint_line(axes: Axes, line: Trend, colour: str, report: CovariateReport) -> None:
    values = (
        covariate_value(model, line.covariate)
        for model in report.models
        if line.family in (ALL, model.covariates.family)
    )
    xs = [value for value in values if value is not None]
    ends = np.array([min(xs), max(xs)])
    height = line.intercept + (line.slope.value or 0.0) * ends
    axes.plot(ends, height, color=colour, linewidth=1.2, label=f"{line.family}: R² = {line.r_squared:.2f}")


def _budget_figures(report: CovariateReport) -> list[Figure]:
    """A curve over the reasoning budget for each family that was run with more than one budget."""
    by_family_and_size: dict[str, list[ModelValues]] = {}
    for model in report.models:
        if model.covariates.reasoning_tokens is not None:
            by_family_and_size.setdefault(_family_and_size(model) or model.model, []).append(model)
    curves = {
        name: sorted(members, key=_tokens)
        for name, members in by_family_and_size.items()
        if len({*map(_tokens, members)}) > 1
    }
    if not curves:
        return []
    return [
        Figure(
            f"reasoning-{number}",
            f"{score} by budget of reasoning",
            "Models of one family and size, by the tokens that they may think; 95 % intervals where there are any.",
            _draw_budget(curves, score),
        )
        for number, score in enumerate(report.models[0].scores, start=1)
    ]


def _family_and_size(model: ModelValues) -> str:
    """Such as "Llama 8B"; what is not known is left out."""
    size = f"{model.covariates.size_b:g}B" if model.covariates.size_b else ""
    return " ".join(filter(None, (model.covariates.family, size)))


def _tokens(model: ModelValues) -> int:
    return model.covariates.reasoning_tokens or 0


def _draw_budget(curves: dict[str, list[ModelValues]], score: str) -> Drawing:
    def paint(axes: Axes) -> None:
        for number, (name, members) in enumerate(curves.items()):
            points = []
            for member in members:
                tokens = _tokens(member)
                points.append((tokens, Mark.of(f"{name}: {tokens:g}", member.scores[score])))
            plot_series(axes, points, name, number, "-")
        axes.set_xscale("symlog", linthresh=100, base=10)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.set(xlabel="reasoning tokens", ylabel=score)
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 4.0), paint)


def _stage_figures(report: CovariateReport) -> list[Figure]:
    """The stages of training beside each other, for each family and size that was measured at several."""
    scores_by_stage: dict[str, dict[str, NamedEstimates]] = {}
    for model in report.models:
        if model.covariates.training and model.covariates.family:
            by_stage = scores_by_stage.setdefault(_family_and_size(model), {})
            by_stage[model.covariates.training] = model.scores
    compared = {name: by_stage for name, by_stage in scores_by_stage.items() if len(by_stage) > 1}
    if not compared:
        return []
    stages_used = [stage for stage in STAGES if any(stage in by_stage for by_stage in compared.values())]
    figures = []
    for number, score in enumerate(report.models[0].scores, start=1):
        series = []
        for stage in stages_used:
            marks = [Mark.of(name, by_stage.get(stage, {}).get(score)) for name, by_stage in compared.items()]
            series.append((stage, marks))
        figures.append(
            Figure(
                f"stages-{number}",
                f"{score} by stage of training",
                "One line for each family and size; 95 % intervals where there are any.",
                draw_intervals(series, x_label=score),
            )
        )
    return figures
