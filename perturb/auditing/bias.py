"""Self-evaluation bias: does a model pass its own candidates more readily than its peers do?

There are two measures. The published bias is the rate at which a model passes its own candidates, minus the mean rate
at which the other verifiers pass them. A lenient verifier shows such a bias towards everybody.

The difference-in-differences removes leniency and quality: it is the rate of a model on its own candidates, minus the
rate that leniency and quality predict. A *pair* is a generator and a verifier. A fit adds up the quality of the
generator and the leniency of the verifier, and uses all pairs of two different models.

Nobody knows on which scale quality and leniency add up, so there are three fits: to the logits of pass rates, to the
logarithms of failure rates, and to the pass rates themselves. Rates are not additive near 1, where a lenient verifier
has no room left on good candidates: there, a fit to the rates shows a preference that does not exist. So a bias counts
only if all three fits show it. Firth's penalty keeps the first two fits finite if a pair passed everything.

References: Firth (1993), Biometrika 80; Heinze and Schemper (2002), Statistics in Medicine 21.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.votes import Labels, VoteTable
from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, ratio
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.resampling import Resamples, Totals
from perturb.records import JsonObject

# A pass rate over fewer base instances gets no interval: it would include nearly every value.
MIN_BASES = 5
# The reasons why a bias is undefined.
NO_OWN_VOTE = "the model gives no vote on candidates of its own"
NOT_SEPARABLE = "the pairs of other models are too few to tell leniency and quality from self-preference"
# The steps of Newton's method after which a fit ends although it has not converged.
MAX_STEPS = 50
# The longest step of Newton's method in one coefficient; a longer step from a bad start may not come back.
LONGEST_STEP = 4.0
# A fit has converged if no coefficient moves by more.
SETTLED = 1e-6
# A small number on the diagonal of an information matrix, which makes it invertible.
_RIDGE = 1e-9
# Smaller variances count as this one, so that nothing is divided by 0.
_SMALLEST_VARIANCE = 1e-12
# The same for p (1 - p).
_SMALLEST_BINOMIAL = 1e-9


@dataclass(frozen=True, slots=True)
class ClassBias:
    """The bias of a model within one perturbation class, or within all of them."""

    name: str
    """The class; empty for all classes."""
    n: int
    """As in `SelfBias`, as are the fields below."""
    own: float | None
    peers: float | None
    bias: Estimate

    def to_dict(self) -> JsonObject:
        """One row of the JSON."""
        content = {"name": self.name, "n": self.n, "self": self.own, "peers": self.peers}
        return content | self.bias.spread("bias_pp")


@dataclass(frozen=True, slots=True)
class SelfBias:
    """The bias of one model, or the reason why it cannot be reported."""

    model: str
    role: str
    """"both", "generates only" or "verifies only"."""
    n: int
    """Number of its own candidates on which both it and a peer voted."""
    own: float | None
    """Share of them that it passes; a mean over the peers if some of them do not judge all classes."""
    peers: float | None
    """Mean share of them that the other verifiers pass."""
    bias: Estimate
    """`own` minus `peers`, in percentage points."""
    did: Estimate
    """The difference-in-differences, in percentage points; the interval contains those of all three scales."""
    p_value: float | None
    """Two-sided p-value of `did`, from its interval."""
    additive: Estimate
    """The difference-in-differences of the fit to pass rates themselves, for comparison."""
    by_class: tuple[ClassBias, ...] = ()

    def to_dict(self) -> JsonObject:
        """One row of the JSON."""
        return {
            "model": self.model,
            "role": self.role,
            "n": self.n,
            "self": self.own,
            "peers": self.peers,
            **self.bias.spread("bias_pp"),
            **self.did.spread("did_pp", "did_"),
            "did_additive_pp": self.additive.value,
            "did_additive_low": self.additive.low,
            "did_additive_high": self.additive.high,
            "p_value": self.p_value,
            "by_class": [bias.to_dict() for bias in self.by_class],
        }


def measure_bias(table: VoteTable, resamples: Resamples) -> tuple[SelfBias, ...]:
    """The bias of every generator and verifier; undefined for a model that has only one of the two roles."""
    own_verifier = own_verifiers(table)
    # The fit of a model uses the classes that it judges. Models that judge the same classes share their fits.
    rates_of_classes: dict[bytes, _PairRates] = {}
    rows = []
    for generator, name in enumerate(table.generator.names):
        verifier = int(own_verifier[generator])
        if verifier < 0:
            rows.append(_undefined_bias(name, "generates only", f"{name} is not a verifier of this panel"))
            continue
        classes = table.judged[:, verifier]
        key = classes.tobytes()
        if key not in rates_of_classes:
            rates_of_classes[key] = _PairRates.of(table, own_verifier, classes, resamples)
        preference = rates_of_classes[key].preference(generator, verifier)
        rows.append(_model_bias(table, resamples, preference, generator, verifier))
    for verifier, name in enumerate(table.verifiers):
        if verifier not in own_verifier:
            rows.append(_undefined_bias(name, "verifies only", f"{name} made no candidate"))
    return tuple(rows)


def own_verifiers(table: VoteTable) -> Integers:
    """For each generator, the index of the verifier that is the same model; -1 if there is no such verifier."""
    numbers = {name: number for number, name in enumerate(table.verifiers)}
    twins = (table.same_model.get(name, name) for name in table.generator.names)
    return np.array([numbers.get(twin, -1) for twin in twins], dtype=np.int64)


def _undefined_bias(model: str, role: str, reason: str) -> SelfBias:
    undefined = Estimate.undefined(reason)
    return SelfBias(model, role, 0, None, None, undefined, undefined, None, undefined)


def _model_bias(
    table: VoteTable, resamples: Resamples, preference: SelfPreference, generator: int, verifier: int
) -> SelfBias:
    name = table.generator.names[generator]
    # Only candidates with both votes count. Otherwise the two rates would be about different candidates.
    scored_by_peer = np.delete(table.scored, verifier, axis=1).any(axis=1)
    is_compared = (table.generator.codes == generator) & table.scored[:, verifier] & scored_by_peer
    rows = np.flatnonzero(is_compared)
    if not len(rows):
        return _undefined_bias(name, "both", f"no candidate of {name} has both its own vote and a peer's")
    labels = table.perturbation_class
    sums = _VoteSums.of(table, rows, labels, resamples)

    def compare(classes: Flags, class_name: str = "") -> ClassBias:
        clusters = resamples.count(is_compared & classes[labels.codes])
        return _compare_with_peers(sums, table.judged, verifier, classes, clusters, class_name)

    single_classes = np.eye(len(labels.names), dtype=np.bool_)
    overall = compare(np.ones(len(labels.names), dtype=np.bool_))
    return SelfBias(
        model=name,
        role="both",
        n=overall.n,
        own=overall.own,
        peers=overall.peers,
        bias=overall.bias,
        did=preference.logit,
        p_value=preference.p_value,
        additive=preference.additive,
        by_class=tuple(compare(single_classes[code], label) for code, label in enumerate(labels.names)),
    )


def _compare_with_peers(
    sums: _VoteSums, judged: Flags, verifier: int, classes: Flags, clusters: int, name: str
) -> ClassBias:
    """A model's own rate and the mean rate of the peers that voted, in some classes.

    `judged` has the shape (classes, verifiers). The model is compared with each peer in the classes that both judge.
    """
    votes = sums.votes.point[classes].sum(axis=0)
    n = int(votes[verifier])
    peers = [int(peer) for peer in np.flatnonzero(votes > 0) if peer != verifier]
    if not n or not peers:
        return ClassBias(name, n, None, None, Estimate.undefined("no candidates of its own in this class", n))
    # Whether both judge the class, shape (classes, peers).
    common = judged[:, peers] & judged[:, [verifier]] & classes[:, None]
    peer_rates = [
        sums.rate(both_judge, peer, clusters) for peer, both_judge in zip(peers, common.T, strict=True)
    ]
    # Peers that share the same classes with the model are compared with the same rate of the model.
    class_sets, peer_counts = np.unique(common, axis=1, return_counts=True)
    own_rates = [sums.rate(both_judge, verifier, clusters) for both_judge in class_sets.T]
    own_mean = float(np.average([own.value for own in own_rates], weights=peer_counts))
    peer_mean = float(np.mean([peer.value for peer in peer_rates]))
    # The bias is the own mean minus the mean of the peers, as one weighted sum, which also gives the interval.
    own_weights = peer_counts / len(peers)
    peer_weights = [-1 / len(peers)] * len(peers)
    difference = weighted_sum([*own_rates, *peer_rates], [*own_weights, *peer_weights], n)
    return ClassBias(name, n, own_mean, peer_mean, reported_estimate(difference, 100))


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """A model's pass rate on its own candidates minus the rate that the fit predicts, in percentage points."""

    logit: Estimate
    """The value from the logit fit. Its interval contains the intervals of all three fits."""
    additive: Estimate
    """The value from the fit to the pass rates themselves."""
    p_value: float | None
    """Two-sided p-value from the interval of `logit`. It is small only if all fits agree, with the same sign."""


@dataclass(frozen=True)
class _VoteSums:
    """The numbers of passes and of votes of each verifier in groups of candidates, in the data and in each resample.

    The sums of the data have the shape (groups, verifiers).
    """

    passes: Totals
    votes: Totals
    resamples: Resamples

    @classmethod
    def of(cls, table: VoteTable, rows: NDArray[np.intp], groups: Labels, resamples: Resamples) -> _VoteSums:
        """The sums over some rows of the table."""

        def totals(values: Floats) -> Totals:
            return resamples.totals(values, groups=groups.codes[rows], n_groups=len(groups.names), rows=rows)

        passes = totals(np.nan_to_num(table.votes[rows]))
        votes = totals(table.scored[rows].astype(np.float64))
        return cls(passes, votes, resamples)

    def rate(self, groups: Flags | list[int], verifier: int, clusters: int) -> Bounded | Estimate:
        """The pass rate of a verifier in some groups together, with votes on `clusters` base instances."""

        def add_up(sums: Totals) -> Totals:
            return Totals(
                sums.point[groups, verifier].sum(), sums.replicates[:, groups, verifier].sum(axis=1)
            )

        passes, votes = add_up(self.passes), add_up(self.votes)
        rate, replicates = ratio(passes.point, votes.point), ratio(passes.replicates, votes.replicates)
        return _clustered_rate(self.resamples, float(rate), replicates, float(votes.point), clusters)


def _clustered_rate(
    resamples: Resamples, rate: float, replicates: Floats, votes: float, clusters: int
) -> Bounded | Estimate:
    """A pass rate with its resamples, or without an interval if it comes from too few base instances."""
    if 1 < clusters < MIN_BASES:
        reason = f"no interval: {clusters} base instances are too few to say"
        return Estimate(rate, n=round(votes), reason=reason)
    return resamples.bounded(rate, replicates, round(votes), clusters=clusters, trials=votes)


@dataclass(frozen=True)
class _PairRates:
    """The pass rates of pairs of models in some classes, and the fits to them. Arrays begin with a generator's axis."""

    sums: _VoteSums
    """Its groups are the candidates of each generator."""
    clusters: Integers
    """The number of base instances behind the pass rate of each pair, shape (generators, verifiers)."""
    is_fitted: Flags
    """Whether the fits use the pair, shape (generators, verifiers)."""
    design: Floats
    """Indicators of each pair's generator and verifier, shape (generators, verifiers, generators + verifiers)."""

    @classmethod
    def of(cls, table: VoteTable, own_verifier: Integers, classes: Flags, resamples: Resamples) -> _PairRates:
        """The rates on the candidates of `classes`, and the fits for the verifiers that judge all of them."""
        is_in_classes = classes[table.perturbation_class.codes]
        sums = _VoteSums.of(table, np.flatnonzero(is_in_classes), table.generator, resamples)
        clusters = []
        for generator in range(len(table.generator.names)):
            is_made_by = is_in_classes & (table.generator.codes == generator)
            clusters.append([resamples.count(is_made_by & voted) for voted in table.scored.T])
        # A fit must not contain what it is to predict: the pair of a model with itself.
        is_peer = np.arange(len(table.verifiers)) != own_verifier[:, None]
        judges_all = table.judged[classes].all(axis=0)
        is_fitted = (sums.votes.point > 0) & is_peer & judges_all
        n_generators, n_verifiers = is_fitted.shape
        design = np.zeros((n_generators, n_verifiers, n_generators + n_verifiers))
        design[:, :, :n_generators] = np.eye(n_generators)[:, None]
        design[:, :, n_generators:] = np.eye(n_verifiers)
        return cls(sums, np.array(clusters), is_fitted, design)

    def preference(self, generator: int, verifier: int) -> SelfPreference:
        """The preference of the model that is this generator and this verifier."""
        n = int(self.sums.votes.point[generator, verifier])
        if not n:
            return _undefined(NO_OWN_VOTE)
        weights = self._weights_of_fitted(self.design[generator, verifier])
        if weights is None:
            return _undefined(NOT_SEPARABLE)
        own_rate = self._rate(generator, verifier)
        # A prediction is at best as precise as the pair with the fewest base instances.
        clusters = int(self.clusters[self.is_fitted].min())

        def own_minus_predicted(fit: _ScaleFit) -> WeightedSum | Estimate:
            predicted_rate = fit.predicted_rate(weights, self.sums.resamples, clusters)
            return weighted_sum([own_rate, predicted_rate], [1.0, -1.0], n)

        logit_fit, failure_fit = self._scale_fits
        return _on_all_scales(
            logit=own_minus_predicted(logit_fit),
            failures=own_minus_predicted(failure_fit),
            # Least squares predicts the weighted sum of the rates of the fitted pairs.
            additive=weighted_sum([own_rate, *self._fitted_rates], [1.0, *-weights], n),
        )

    def _rate(self, generator: int, verifier: int) -> Bounded | Estimate:
        return self.sums.rate([generator], verifier, int(self.clusters[generator, verifier]))

    @cached_property
    def _fitted_rates(self) -> list[Bounded | Estimate]:
        return [self._rate(generator, verifier) for generator, verifier in np.argwhere(self.is_fitted)]

    @cached_property
    def _scale_fits(self) -> list[_ScaleFit]:
        """The fit to logits of pass rates, then the fit to logarithms of failure rates."""
        pairs = self.design[self.is_fitted]
        scales = (_LogitScale(), _FailureScale())
        return [_ScaleFit.of(pairs, self.sums, self.is_fitted, scale) for scale in scales]

    def _weights_of_fitted(self, pair: Floats) -> Floats | None:
        """The weights with which the indicators of the fitted pairs add up to those of `pair`; None if none do so.

        On every scale, the value of `pair` is then the weighted sum of the fitted values. For example, the indicators
        of (A, X) are those of (A, Y) plus those of (B, X) minus those of (B, Y): the weights are 1, 1 and -1. The
        pseudoinverse gives the weights of ordinary least squares.
        """
        fitted_pairs = self.design[self.is_fitted]
        weights = np.asarray(pair @ np.linalg.pinv(fitted_pairs))
        return weights if np.allclose(weights @ fitted_pairs, pair, atol=1e-8) else None


def _on_all_scales(
    logit: WeightedSum | Estimate, failures: WeightedSum | Estimate, additive: WeightedSum | Estimate
) -> SelfPreference:
    """The result from the differences between own and predicted rate on each scale."""
    differences = (logit, failures, additive)
    estimates = [reported_estimate(difference, 100) for difference in differences]
    logit_estimate, _, additive_estimate = estimates
    # A difference that cannot have an interval is an `Estimate` already.
    precise = [difference for difference in differences if isinstance(difference, WeightedSum)]
    if len(precise) < len(differences):
        reason = next((estimate.reason for estimate in estimates if estimate.reason), None)
        without_interval = Estimate(logit_estimate.value, n=logit_estimate.n, reason=reason)
        return SelfPreference(without_interval, additive_estimate, None)
    # The interval is the union of all three. It excludes 0 only if all of them do, on the same side.
    union = replace(
        logit_estimate,
        low=min(estimate.low for estimate in estimates if estimate.low is not None),
        high=max(estimate.high for estimate in estimates if estimate.high is not None),
    )
    fits_agree = len({np.sign(difference.value) for difference in precise}) == 1
    p_value = max(difference.p_value() for difference in precise) if fits_agree else 1.0
    return SelfPreference(union, additive_estimate, p_value)


def _undefined(reason: str) -> SelfPreference:
    return SelfPreference(Estimate.undefined(reason), Estimate.undefined(reason), None)


class _LogitScale:
    """Logistic regression: quality plus leniency is the logit of the pass rate. An event is a pass."""

    def events(self, passes: Any, votes: Any) -> Any:  # noqa: ARG002  (both scales take both)
        """The number of events, from the number of passes."""
        return passes

    def pass_rate(self, fitted: Floats) -> Floats:
        """The rate of passes at fitted values."""
        return self.rate(fitted)

    def rate(self, fitted: Floats) -> Floats:
        """The rate of events at fitted values."""
        # This takes a fifth of a second, which commands without an audit do not need.
        from scipy.special import expit

        return np.asarray(expit(fitted))

    def weight(self, rate: Any, votes: Any) -> Any:
        """The weight of pairs in Fisher's information. For a single vote it is the slope of the rate."""
        return votes * rate * (1 - rate)

    def firth_term(self, leverage: Floats, rate: Floats) -> Floats:
        """Firth's term in the score: the derivative of half the logarithm of the information's determinant."""
        return leverage * (0.5 - rate)


class _FailureScale:
    """Poisson regression: quality plus leniency is the logarithm of the failure rate. An event is a failure.

    The methods are those of `_LogitScale`.
    """

    def events(self, passes: Any, votes: Any) -> Any:
        return votes - passes

    def pass_rate(self, fitted: Floats) -> Floats:
        return 1 - self.rate(fitted)

    def rate(self, fitted: Floats) -> Floats:
        return np.asarray(np.exp(np.minimum(fitted, 0.0)))  # a rate of at most 1

    def weight(self, rate: Any, votes: Any) -> Any:
        return votes * rate

    def firth_term(self, leverage: Floats, rate: Floats) -> Floats:  # noqa: ARG002  (both scales take both)
        return leverage * 0.5


@dataclass(frozen=True)
class _ScaleFit:
    """Quality plus leniency, fitted to the pairs of different models, in the data and in each resample."""

    basis: Floats
    """An orthonormal basis of the columns of the pairs' indicators, shape (pairs, rank).

    The indicators themselves are not independent: those of the generators have the same sum as those of the verifiers.
    """
    point: Floats
    """Coefficients in the data, shape (rank,)."""
    replicates: Floats
    """Coefficients in the resamples, shape (resamples, rank)."""
    covariance: Floats
    """The covariance of `point` if all votes were independent."""
    scale: _LogitScale | _FailureScale

    @classmethod
    def of(
        cls, pairs: Floats, sums: _VoteSums, is_fitted: Flags, scale: _LogitScale | _FailureScale
    ) -> _ScaleFit:
        """Fit the pairs that `is_fitted` marks, whose indicators are `pairs`."""
        left, singular_values, _ = np.linalg.svd(pairs, full_matrices=False)
        basis = left[:, singular_values > 1e-9]
        votes = sums.votes.point[is_fitted]
        events = scale.events(sums.passes.point[is_fitted], votes)
        start = np.zeros((1, basis.shape[1]))
        point = _firth(scale, basis, events[None], votes[None], start)
        weight = scale.weight(scale.rate(point @ basis.T), votes)
        covariance = np.linalg.inv(_information(basis, weight))[0]
        resampled_votes = sums.votes.replicates[:, is_fitted]
        resampled_events = scale.events(sums.passes.replicates[:, is_fitted], resampled_votes)
        starts = np.repeat(point, len(resampled_votes), axis=0)
        replicates = _firth(scale, basis, resampled_events, resampled_votes, starts)
        return cls(basis, point[0], replicates, covariance, scale)

    def predicted_rate(self, weights: Floats, resamples: Resamples, clusters: int) -> Bounded | Estimate:
        """The pass rate of another pair, as precise as the fit is. `weights` are those of the fitted pairs."""
        direction = weights @ self.basis
        rate = float(self.scale.pass_rate(self.point @ direction))
        replicates = self.scale.pass_rate(self.replicates @ direction)
        # The delta method: the variance of the rate is the variance of the fitted value, times the slope squared.
        slope = self.scale.weight(self.scale.events(rate, 1), 1)
        variance = max(float(slope**2 * (direction @ self.covariance @ direction)), _SMALLEST_VARIANCE)
        # The number of independent votes whose share would have this variance.
        votes = max(rate * (1 - rate), _SMALLEST_BINOMIAL) / variance
        return _clustered_rate(resamples, rate, replicates, votes, clusters)


def _firth(
    scale: _LogitScale | _FailureScale, basis: Floats, events: Floats, votes: Floats, start: Floats
) -> Floats:
    """Coefficients with Firth's penalty. Each row of `events`, `votes` and `start` is a regression of its own.

    Newton's method runs on all rows at once, since every resample is a regression; a converged row drops out.
    """
    coefficients = start.copy()
    open_rows = np.arange(len(coefficients))
    for _ in range(MAX_STEPS):
        rate = scale.rate(coefficients[open_rows] @ basis.T)
        weight = scale.weight(rate, votes[open_rows])
        inverse = np.linalg.inv(_information(basis, weight))
        leverage = weight * ((basis @ inverse) * basis).sum(axis=-1)
        residuals = events[open_rows] - votes[open_rows] * rate
        score = (residuals + scale.firth_term(leverage, rate)) @ basis
        step = np.einsum("rij,rj->ri", inverse, score)
        longest = np.abs(step).max(axis=1)
        shrink = LONGEST_STEP / np.maximum(longest, LONGEST_STEP)  # 1 if the step is short enough
        coefficients[open_rows] += step * shrink[:, None]
        open_rows = open_rows[longest >= SETTLED]
        if not len(open_rows):
            break
    return coefficients


def _information(basis: Floats, weight: Floats) -> Floats:
    """Fisher information of each row's coefficients, shape (rows, rank, rank)."""
    outer_products = basis[:, :, None] * basis[:, None, :]
    information = np.tensordot(weight, outer_products, axes=1)
    return np.asarray(information + _RIDGE * np.eye(basis.shape[1]))
