"""How a metric of refusals moves between the settings of a model, and how steadily it ranks the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.metrics.ranking import (
    additive_isotonic_residuals,
    coefficient_of_variation,
    isotonic_residuals,
    kendalls_w,
    normalised_difference,
    random_ranking,
    winner_entropy,
)
from perturb.score.datasets import AnswerGroup

METRICS: Mapping[str, str] = {
    "correct_rate": "correct",
    "refusal_rate": "refused",
    "c_over_a": "C/A",
    "f_score": "F",
    "weighted p=0.2": "weighted p=0.2",
    "weighted p=1": "weighted p=1",
    "refusal_index": "RI",
}
"""The metrics of a group and their headings; the two rates are also the covariates of the others' rankings."""


RANDOM = "random"
"""The row of the ranking table that says what chance gives."""
GIVEN: tuple[str, ...] = ("nothing", "correct_rate", "refusal_rate", "both")
"""What is taken out of a metric before models are ranked by it."""


@dataclass(frozen=True)
class MeasuredGroup(AnswerGroup):
    """One model under one setting on one data set, with its metrics."""

    metrics: Mapping[str, Estimate]
    """Each of `METRICS` with its interval."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How one metric of one model moves between settings, on one data set."""

    model: str | None
    dataset: str | None
    metric: str
    difference: Estimate
    """Most refusing setting minus least refusing one, over the absolute mean (equation 7)."""
    cv: Estimate
    """Coefficient of variation over the settings (equation 8)."""


@dataclass(frozen=True, slots=True)
class RankingStability:
    """How steadily one metric ranks the models over the settings, those of every data set."""

    metric: str
    """One of `METRICS`, or `RANDOM`."""
    given: str
    """What was taken out of the metric first: nothing, correct_rate, refusal_rate, or both."""
    kendalls_w: Estimate
    winner_entropy: Estimate


def setting_stability(groups: Sequence[MeasuredGroup]) -> tuple[Stability, ...]:
    """Each metric of each model that was run under several settings."""
    found = []
    for model, dataset in dict.fromkeys((one.model, one.dataset) for one in groups):
        runs = [one.metrics for one in groups if (one.model, one.dataset) == (model, dataset)]
        if len(runs) < 2:
            continue
        for metric in METRICS:
            values = [(run[metric].value, run["refusal_rate"].value) for run in runs]
            known = [(value, rate) for value, rate in values if value is not None and rate is not None]
            difference = cv = Estimate.undefined("undefined under some setting", n=len(known))
            if len(known) == len(runs):
                scores, rates = zip(*known, strict=True)
                difference, cv = normalised_difference(scores, rates), coefficient_of_variation(scores)
            found.append(Stability(model, dataset, metric, difference, cv))
    return tuple(found)


def ranking_settings(
    groups: Sequence[MeasuredGroup],
) -> tuple[list[tuple[str | None, str | None]], list[tuple[str | None, str | None]]]:
    """The settings, as data set and way, under which every model has every metric, and the others."""
    models = dict.fromkeys(one.model for one in groups)
    complete: dict[tuple[str | None, str | None], set[str | None]] = {}
    for one in groups:
        found = complete.setdefault((one.dataset, one.way), set())
        if all(one.metrics[metric].value is not None for metric in METRICS):
            found.add(one.model)
    kept = [setting for setting, found in complete.items() if len(found) == len(models)]
    return kept, [setting for setting in complete if setting not in kept]


def ranking_stability(groups: Sequence[MeasuredGroup]) -> tuple[RankingStability, ...]:
    """Kendall's W and winner entropy of each metric, plain and as residuals; empty for one model or one setting.

    A setting is a prompt on a data set: four prompts on one and a prompt on each of four others make eight. It counts
    where every model has every metric: see `ranking_settings`.
    """
    models = list(dict.fromkeys(one.model for one in groups))
    settings, others = ranking_settings(groups)
    if len(models) < 2 or len(settings) + len(others) < 2:
        return ()
    if len(settings) < 2:
        missing = Estimate.undefined(
            "undefined for some model under all settings but one, or all", len(settings)
        )
        return tuple(
            RankingStability(name, given, missing, missing) for name in (RANDOM, *METRICS) for given in GIVEN
        )
    by_place = {(one.model, one.dataset, one.way): one.metrics for one in groups}

    def values(metric: str) -> Floats:
        return np.array(
            [[by_place[model, *setting][metric].value for setting in settings] for model in models],
            dtype=np.float64,
        )

    chance = [Estimate(value, n=len(settings)) for value in random_ranking(len(models), len(settings))]
    found = [RankingStability(RANDOM, given, *chance) for given in GIVEN]
    correct, refused = values("correct_rate"), values("refusal_rate")
    for metric in METRICS:
        scores = values(metric)
        variants = (
            scores,
            isotonic_residuals(scores, correct),
            isotonic_residuals(scores, refused),
            additive_isotonic_residuals(scores, correct, refused),
        )
        found += [
            RankingStability(metric, given, kendalls_w(table), winner_entropy(table))
            for given, table in zip(GIVEN, variants, strict=True)
        ]
    return tuple(found)
