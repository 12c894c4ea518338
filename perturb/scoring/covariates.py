"""Scores against what is known of the models: size, date of release, accuracy, budget of reasoning, family, stage.

A straight line through scores: how they move with the size of a model, say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from numpy.typing import ArrayLike

from perturb.config import Covariates
from perturb.errors import ConfigError
from perturb.metrics.inputs import Estimate, plain, plain_value, read_numbers, require_same_length


@dataclass(frozen=True, slots=True)
class LinearFit:
    """y = intercept + slope x."""

    slope: Estimate
    """With the 95 % interval of Student's t on n - 2 degrees of freedom."""
    intercept: float
    r_squared: float
    """Share of the variance of y that the line explains, from 0 to 1."""


def linear_fit(x: ArrayLike, y: ArrayLike) -> LinearFit:
    """Least squares.

    Raises ValueError for fewer than three points, and where every x is the same.

    >>> fit = linear_fit([1, 2, 3, 4], [1.0, 2.0, 2.0, 4.0])
    >>> round(fit.slope.value, 3), round(fit.intercept, 3), round(fit.r_squared, 3)
    (0.9, 0.0, 0.853)
    """
    from scipy.special import stdtrit
    from scipy.stats import linregress

    xs, ys = read_numbers(x, "x"), read_numbers(y, "y")
    require_same_length(x=xs, y=ys)
    if len(xs) < 3:
        raise ValueError(f"a line with an interval needs three points, got {len(xs)}")
    found = linregress(xs, ys)
    half = float(stdtrit(len(xs) - 2, 0.975)) * float(found.stderr)
    slope = float(found.slope)
    estimate = Estimate(slope, slope - half, slope + half, float(found.stderr), len(xs))
    return LinearFit(estimate, float(found.intercept), float(found.rvalue) ** 2)


FITTED: Mapping[str, str] = {"size_b": "log10 of the size in billions", "release": "year of release"}
"""The covariates that a line is fitted over, and what it is a line over."""
_ACCURACIES: tuple[str, ...] = ("accuracy", "correct", "C/A")
"""Scores that the others are set against too: figure 5 of the RI paper, figure 2 of the BAS paper."""
ALL = "all"
"""What the models of every family together are called."""


@dataclass(frozen=True, slots=True)
class ModelValues:
    """What a report holds of one model."""

    model: str
    known: Covariates
    scores: Mapping[str, Estimate]
    """By heading: the value with its interval, or the mean over data sets and ways of asking without one."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, those of the covariates that are known beside the model."""
        known = self.known.model_dump(mode="json", include=set(Covariates.model_fields), exclude_none=True)
        return {"model": self.model, **known, "scores": plain_value(self.scores)}


@dataclass(frozen=True, slots=True)
class Trend:
    """A line through a score over a covariate."""

    score: str
    covariate: str
    family: str
    """`ALL`, or a family of at least three models."""
    slope: Estimate
    """Change of the score per tenfold size, per year, or per 1 of accuracy; `n` is the number of models."""
    intercept: float | None
    r_squared: float | None


@dataclass(frozen=True, slots=True)
class CovariateReport:
    """Everything that is said of scores and covariates."""

    models: tuple[ModelValues, ...]
    trends: tuple[Trend, ...]

    @property
    def fitted(self) -> dict[str, str]:
        """`FITTED`, and the accuracy among the scores."""
        return _fitted(self.models)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return plain(self)


def report_covariates(
    values: Iterable[tuple[str, Mapping[str, Estimate]]], known: Mapping[str, Covariates]
) -> CovariateReport:
    """Bring scores by model together with covariates, and fit lines over them.

    A model that appears more than once, with several data sets or ways of asking, has the mean of its values. Raises
    `ConfigError` if nothing is known of any model.
    """
    found: dict[str, list[Mapping[str, Estimate]]] = {}
    for model, scores in values:
        if model in known:
            found.setdefault(model, []).append(scores)
    if not found:
        raise ConfigError(
            "--models: the file names none of the models in the tables: use the names of the tables"
        )
    models = tuple(
        ModelValues(model, known[model], {name: _mean([one[name] for one in runs]) for name in runs[0]})
        for model, runs in found.items()
    )
    families = dict.fromkeys(one.known.family for one in models if one.known.family)
    trends = [
        trend
        for covariate in _fitted(models)
        for score in models[0].scores
        for family in (ALL, *families)
        if not {score, covariate} <= {*_ACCURACIES}
        and (trend := _trend(models, score, covariate, family)) is not None
    ]
    return CovariateReport(models, tuple(trends))


def covariate_value(one: ModelValues, covariate: str) -> float | None:
    """What a line is fitted over: see `CovariateReport.fitted`."""
    known = one.known
    if covariate in one.scores:
        return one.scores[covariate].value
    if covariate == "size_b":
        return None if known.size_b is None else math.log10(known.size_b)
    if known.release is None:
        return None
    return known.release.year + (known.release.timetuple().tm_yday - 1) / 365.25


def _fitted(models: Sequence[ModelValues]) -> dict[str, str]:
    return {**FITTED, **{name: name for name in _ACCURACIES if name in models[0].scores}}


def _mean(values: Sequence[Estimate]) -> Estimate:
    if len(values) == 1:
        return values[0]
    known = [one.value for one in values if one.value is not None]
    undefined = Estimate.undefined("undefined under some setting or on some data set")
    return Estimate(fmean(known), n=sum(one.n for one in values)) if len(known) == len(values) else undefined


def _trend(models: Sequence[ModelValues], score: str, covariate: str, family: str) -> Trend | None:
    """None where the covariate is known of no three models of the family."""
    points = [
        (x, y)
        for one in models
        if family in (ALL, one.known.family)
        if (x := covariate_value(one, covariate)) is not None and (y := one.scores[score].value) is not None
    ]
    if len({x for x, _ in points}) < 2 or len(points) < 3:
        return None
    fit = linear_fit([x for x, _ in points], [y for _, y in points])
    return Trend(score, covariate, family, fit.slope, fit.intercept, fit.r_squared)
