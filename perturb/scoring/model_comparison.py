"""Comparisons of models on the same items: differences with paired intervals and p-values.

Three kinds of results are compared: stated confidence and refusals on questions, and the scores on the items of a
snapshot. A further comparison asks whether a model does better on items that it generated itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from perturb.metrics.calibrated_scores import paired_bas
from perturb.metrics.inputs import Estimate, Flags
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.ranking import holm
from perturb.metrics.refusal_registry import REFUSAL_METRICS, RefusalMetric, ResampledReplies
from perturb.metrics.resampling import Resamples, SignFlips, bootstrap_means
from perturb.metrics.tetrachoric import paired_p_value
from perturb.records import JsonObject
from perturb.scoring.confidence_table import ConfidenceGroup
from perturb.scoring.model_scores import Resampling, corrected_values, plain_difference
from perturb.scoring.refusal_table import RefusalGroup
from perturb.scoring.table import ModelReplies, in_common


@dataclass(frozen=True, slots=True)
class Difference:
    """The uniform BAS of `a` minus that of `b`, on the questions that both answered."""

    a: str
    b: str
    bas: Estimate
    p_value: float | None
    """Two-sided: the p for which the interval with the confidence level 1 - p just touches 0. None without an
    interval."""


def compare_confidence(groups: Sequence[ConfidenceGroup], resamples: int, seed: int) -> Iterator[Difference]:
    """The differences of all pairs of groups on one data set whose tables name questions, and that share some."""
    for a, b in combinations(groups, 2):
        if a.dataset != b.dataset or a.items is None or b.items is None:
            continue
        # A table that names a question twice does not say which of its replies to pair.
        if len({*a.items}) < len(a.items) or len({*b.items}) < len(b.items):
            continue
        rows_a, rows_b = _shared_rows(a.items, b.items)
        if not rows_a:
            continue
        gap = paired_bas(
            a.correct[rows_a],
            a.confidence[rows_a],
            b.correct[rows_b],
            b.confidence[rows_b],
            None if a.bases is None else np.array(a.bases)[rows_a],
            resamples=resamples,
            seed=seed,
        )
        p_value = gap.p_value() if isinstance(gap, WeightedSum) else None
        yield Difference(a.name, b.name, reported_estimate(gap), p_value)


def compare_refusals(a: RefusalGroup, b: RefusalGroup, resamples: int, seed: int) -> float | None:
    """Two-sided p-value for an equal Refusal Index, on the questions that both groups have.

    None if they share no question, or if an index has no standard error.
    """
    rows_a, rows_b = _shared_rows(a.items, b.items)
    if not rows_a:
        return None
    # The four cells of both groups are resampled together, so that each resample has the same questions in both.
    columns = np.hstack([a.cells[rows_a], b.cells[rows_b]]).astype(np.float64)
    bases = np.array(a.bases)[rows_a]
    resampled_means = bootstrap_means(columns, clusters=bases, resamples=resamples, seed=seed)
    # `paired_p_value` takes the data in the first row, then the resamples.
    means = np.vstack([columns.mean(axis=0), resampled_means])
    # Rounding may leave a mean just below 0, which is not a count.
    counts = np.maximum(means, 0.0) * len(rows_a)
    counts_a, counts_b = np.hsplit(counts, 2)
    return paired_p_value(counts_a, counts_b, clusters=len(set(bases)))


def _shared_rows(a: Sequence[str | None], b: Sequence[str | None]) -> tuple[list[int], list[int]]:
    """The positions of the shared questions in `a` and in `b`, in the same order."""
    row_in_b = {item: row for row, item in enumerate(b) if item is not None}
    pairs = [(row, row_in_b[item]) for row, item in enumerate(a) if item in row_in_b]
    return [row_a for row_a, _ in pairs], [row_b for _, row_b in pairs]


# The metrics in which a model's own items are compared with those of other generators.
METRICS: tuple[str, ...] = ("answer_accuracy", "refusal_accuracy", "calibrated_refusal_score")


@dataclass(frozen=True, slots=True)
class SelfGeneratedComparison:
    """One metric of a model on its own items and on those of other generators."""

    model: str
    generator: str
    """The generator that is this model."""
    metric: str
    own: float | None
    others: float | None
    difference: Estimate
    """Own minus others. A part of it may be that this generator's items are easier for every model."""
    beyond_peers: Estimate
    """The difference minus the mean difference of the other models on the same items."""


def compare_self_generated(
    models: Sequence[ModelReplies], resampling: Resampling
) -> tuple[SelfGeneratedComparison, ...]:
    """The comparisons of every model that also generated items, on the items that all models replied to."""
    shared = in_common(*models)
    if not shared[0].rows:
        return ()
    generators = shared[0].labels("generator")
    resamples = resampling.draw(shared[0].rows)
    comparisons: list[SelfGeneratedComparison] = []
    for replies in shared:
        peer_models = [model for model in shared if model is not replies]
        for generator in sorted({name for name in generators if name and same_model(name, replies.model)}):
            is_own = np.array([label == generator for label in generators])
            if is_own.all():  # there is nothing to compare its own items with
                continue
            compared = _split_by_generator(replies, is_own, resamples)
            peers = [_split_by_generator(peer, is_own, resamples) for peer in peer_models]
            comparisons += [
                _compare_own_items(REFUSAL_METRICS[name], replies.model, generator, compared, peers)
                for name in METRICS
            ]
    return tuple(comparisons)


def same_model(generator: str, model: str) -> bool:
    """Whether two names mean one model: they are equal without the provider in front.

    >>> same_model("openai/gpt-4o", "gpt-4o"), same_model("gpt-4o", "gpt-4.1")
    (True, False)
    """
    return generator.rsplit("/", maxsplit=1)[-1].casefold() == model.rsplit("/", maxsplit=1)[-1].casefold()


class _RepliesByGenerator(NamedTuple):
    """The replies of a model to the items of one generator, and to those of all others."""

    own: ResampledReplies
    others: ResampledReplies


def _split_by_generator(replies: ModelReplies, is_own: Flags, drawn: Resamples) -> _RepliesByGenerator:
    own_rows, other_rows = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    return _RepliesByGenerator(
        own=replies.select(own_rows).resampled(drawn.rows_with_all_clusters(own_rows)),
        others=replies.select(other_rows).resampled(drawn.rows_with_all_clusters(other_rows)),
    )


def _compare_own_items(
    metric: RefusalMetric,
    model: str,
    generator: str,
    replies: _RepliesByGenerator,
    peers: Sequence[_RepliesByGenerator],
) -> SelfGeneratedComparison:
    """The comparison in one metric; `peers` are the replies of the other models."""
    n = metric.n(replies.own.point) + metric.n(replies.others.point)
    own, others = replies.own.bounded(metric), replies.others.bounded(metric)
    values, weights = [own, others], [1.0, -1.0]
    difference = estimate_sum(values, weights, n, "the metric is undefined on one side")
    # The mean of the peers' differences is taken away from the difference of the model.
    for peer in peers:
        values += [peer.own.bounded(metric), peer.others.bounded(metric)]
        weights += [-1 / len(peers), 1 / len(peers)]
    if peers:
        beyond = estimate_sum(values, weights, n, "the metric is undefined on one side for some model")
    else:
        beyond = Estimate.undefined("no other model replied to these items")
    return SelfGeneratedComparison(model, generator, metric.name, own.value, others.value, difference, beyond)


def estimate_sum(
    values: Sequence[Bounded | Estimate], weights: Sequence[float], n: int, reason: str
) -> Estimate:
    """The weighted sum of values from `n` items, undefined with this reason if one of the values is undefined."""
    if any(value.value is None for value in values):
        return Estimate.undefined(reason, n)
    return reported_estimate(weighted_sum(values, weights, n))


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One metric of model `a` minus the same metric of model `b`, on the items that both replied to."""

    metric: str
    a: str
    b: str
    difference: Estimate
    p_value: float | None
    """Two-sided; None without an interval.

    If the metric is a share of the items that both models were asked, a sign-flip test over base instances gives it.
    Otherwise it is the p for which the interval with the confidence level 1 - p just touches 0."""
    p_holm: float | None = None
    """`p_value` after Holm's correction over all pairs of models, for each metric."""
    corrected: Estimate | None = None
    """The difference corrected by the grades of people."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        content = plain_difference(self)
        del content["corrected"]
        if self.corrected is not None:
            content["corrected"] = corrected_values(self.corrected)
        return content


def compare_models(models: Sequence[ModelReplies], resampling: Resampling) -> tuple[ModelComparison, ...]:
    """Every pair of models in every metric, metric by metric in the order of the registry."""
    by_metric: dict[str, list[ModelComparison]] = {name: [] for name in REFUSAL_METRICS}
    for a, b in combinations(models, 2):
        if a.base_model != b.base_model and a.prompt != b.prompt:
            # a difference between two models in two settings could come from either
            continue
        for comparison in _compare_pair(a, b, resampling):
            by_metric[comparison.metric].append(comparison)
    corrected = []
    for comparisons in by_metric.values():
        # Within each metric, since readers look at one metric at a time.
        p_values = holm([comparison.p_value for comparison in comparisons])
        corrected += [
            replace(comparison, p_holm=p) for comparison, p in zip(comparisons, p_values, strict=True)
        ]
    return tuple(corrected)


def _compare_pair(a: ModelReplies, b: ModelReplies, resampling: Resampling) -> list[ModelComparison]:
    """One comparison for each metric."""
    a, b = in_common(a, b)  # from here on, row i of both models is the same item
    if not a.rows:
        undefined = Estimate.undefined("the two models share no item")
        return [ModelComparison(name, a.model, b.model, undefined, None) for name in REFUSAL_METRICS]
    resamples = resampling.draw(a.rows)
    without_each = resamples.without_each(resampling.seed)
    compared = [
        _ComparedModel(model.model, model.resampled(resamples), model.resampled(without_each))
        for model in (a, b)
    ]
    comparisons = []
    for metric in REFUSAL_METRICS.values():
        difference, p_value = _difference(metric, *compared, n=len(a.rows), seed=resampling.seed)
        comparisons.append(ModelComparison(metric.name, a.model, b.model, difference, p_value))
    return comparisons


class _ComparedModel(NamedTuple):
    """The replies of a model in the bootstrap resamples, and in samples that lack one base instance each."""

    model: str
    resampled: ResampledReplies
    without_each: ResampledReplies


def _difference(
    metric: RefusalMetric, a: _ComparedModel, b: _ComparedModel, *, n: int, seed: int
) -> tuple[Estimate, float | None]:
    """The difference of two models in one metric, on `n` shared items, and its p-value."""
    values = []
    for model in (a, b):
        value = model.resampled.bounded(metric)
        if isinstance(value, Estimate) and value.value is None:
            return Estimate.undefined(f"{model.model}: {value.reason}"), None
        values.append(value)
    difference = weighted_sum(values, [1.0, -1.0], n)
    if not isinstance(difference, WeightedSum):  # one of the values has no interval
        return difference, None
    estimate = difference.estimate()
    flips = _sign_flips(metric, a, b, difference.value, seed)
    if flips is None or estimate.low is None or estimate.high is None:
        return estimate, difference.p_value()
    # The interval and the test must not contradict each other about a difference of 0.
    low, high = flips.agree(estimate.low, estimate.high)
    return replace(estimate, low=low, high=high), flips.p_value()


def _sign_flips(
    metric: RefusalMetric, a: _ComparedModel, b: _ComparedModel, difference: float, seed: int
) -> SignFlips | None:
    """The difference with the models exchanged on some base instances; None if such an exchange is not fair.

    It is fair if the metric is a share with the same denominator for both models: a metric with `hits`.
    """
    if not metric.hits:
        return None
    without_each = metric.compute(a.without_each.replicates) - metric.compute(b.without_each.replicates)
    return SignFlips.of(difference, without_each, seed)
