"""Self-evaluation bias: does a model pass its own candidates more readily than its peers do?

There are two measures. The published bias is the rate at which a model passes its own candidates, minus the mean rate
at which the other verifiers pass them. A lenient verifier shows such a bias towards everybody.

The difference-in-differences removes leniency and quality: it is the rate of a model on its own candidates, minus the
rate that leniency and quality predict. The logit of each pass rate is modelled as the quality of the generator plus
the leniency of the verifier. The fit uses all pairs of different models. Firth's penalty keeps the logits finite if a
pair passed everything.

Pass rates are not additive near 1, where a lenient judge has no room left on good candidates. A fit on that scale would
show a preference there. It is reported for comparison.

References: Firth (1993), Biometrika 80; Heinze and Schemper (2002), Statistics in Medicine 21.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.votes import VoteTable
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


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """A model's pass rate on its own candidates minus the rate that the fit predicts, in percentage points."""

    logit: Estimate
    """The value from the logit fit. Its interval contains the intervals of all three fits."""
    additive: Estimate
    """The value from the fit to the pass rates themselves."""
    p_value: float | None
    """Two-sided p-value from the interval of `logit`. It is small only if all fits agree, with the same sign."""


def passes_and_votes(table: VoteTable, rows: NDArray[np.intp]) -> Floats:
    """1 for each pass and 1 for each vote; shape (rows, 2 × verifiers), passes first."""
    return np.hstack([np.nan_to_num(table.votes[rows]), table.scored[rows].astype(np.float64)])


def shares_of(totals: Floats) -> tuple[Floats, Floats]:
    """Pass rates, NaN where there is no vote, and the number of votes."""
    passed, scored = np.split(totals, 2, axis=-1)
    return ratio(passed, scored), scored


def clustered_rate(
    resamples: Resamples, rate: float, replicates: Floats, n: float, clusters: int
) -> Bounded | Estimate:
    """A pass rate with its resamples, or without an interval if it comes from too few base instances."""
    if 1 < clusters < MIN_BASES:
        return Estimate(rate, n=round(n), reason=f"no interval: {clusters} base instances are too few to say")
    return resamples.bounded(rate, replicates, round(n), clusters=clusters, trials=n)


def measure_self_preference(
    table: VoteTable, own_verifier: Integers, resamples: Resamples
) -> tuple[SelfPreference, ...]:
    """One entry for each generator; undefined if it is not a verifier, or if the votes do not determine the fit.

    The entry of a model uses the classes that it judges, and the peers that judge all of them. `own_verifier` has, for
    each generator, the index of the verifier that is the same model, or -1.
    """
    judged = table.judged[:, own_verifier]
    preferences = [_undefined(NO_OWN_VOTE)] * len(own_verifier)
    # models that judge the same classes share one fit
    for classes in np.unique(judged[:, own_verifier >= 0], axis=1).T:
        measured = _measure_on(table, own_verifier, resamples, classes)
        judges_these = (judged == classes[:, None]).all(axis=0)
        for generator in map(int, np.flatnonzero(judges_these & (own_verifier >= 0))):
            preferences[generator] = measured[generator]
    return tuple(preferences)


def _measure_on(
    table: VoteTable, own_verifier: Integers, resamples: Resamples, classes: Flags
) -> Sequence[SelfPreference]:
    """One entry for each generator, from the candidates of `classes` and the verifiers that judge all of them."""
    rows = np.flatnonzero(classes[table.perturbation_class.codes])
    totals = resamples.totals(
        passes_and_votes(table, rows),
        groups=table.generator.codes[rows],
        n_groups=len(table.generator.names),
        rows=rows,
    )
    shares, votes = shares_of(totals.point)
    replicates, _ = shares_of(totals.replicates)
    is_peer = np.arange(len(table.verifiers)) != own_verifier[:, None]
    # The fit must not contain what it is to predict: no pair of a model with itself.
    used = (votes > 0) & is_peer & table.judged[classes].all(axis=0)
    design = _design(*used.shape)
    # One fit for each scale: the logit of pass rates, then the logarithm of failure rates.
    fits = []
    if used.any():
        fits = [_Fit.of(design[used], totals, used, failures=failures) for failures in (False, True)]
    clusters = _count_clusters(table, resamples, rows)

    def pair_rate(generator: int, verifier: int) -> Bounded | Estimate:
        pair = generator, verifier
        return clustered_rate(
            resamples, float(shares[pair]), replicates[:, *pair], votes[pair], clusters[pair]
        )

    fitted_rates = [pair_rate(*pair) for pair in np.argwhere(used)]
    preferences = []
    for generator, verifier in enumerate(own_verifier):
        pair = generator, int(verifier)
        if verifier < 0 or not votes[pair]:
            preferences.append(_undefined(NO_OWN_VOTE))
            continue
        # The weights depend only on which pairs were fitted, and both fits have the same pairs.
        weights = fits[0].weights(design[pair]) if fits else None
        if weights is None:
            preferences.append(_undefined(NOT_SEPARABLE))
            continue
        own_rate, n = pair_rate(*pair), int(votes[pair])
        # the prediction is as precise as its least precise pair at best
        fewest = clusters[used].min()
        logit, failures = (
            weighted_sum([own_rate, fit.expected(weights, resamples, fewest)], [1.0, -1.0], n) for fit in fits
        )
        # Least squares predicts the rate of a pair as this weighted sum of the rates of the fitted pairs.
        additive = weighted_sum([own_rate, *fitted_rates], [1.0, *-weights], n)
        preferences.append(_on_all_scales(logit, failures, additive))
    return preferences


def _count_clusters(table: VoteTable, resamples: Resamples, rows: NDArray[np.intp]) -> Integers:
    """The number of base instances behind each pass rate, shape (generators, verifiers), counting `rows` alone."""
    is_counted = np.isin(np.arange(len(table)), rows)
    counts = []
    for generator in range(len(table.generator.names)):
        is_made_by = is_counted & (table.generator.codes == generator)
        counts.append([resamples.count(is_made_by & voted) for voted in table.scored.T])
    return np.array(counts)


def _on_all_scales(
    logit: WeightedSum | Estimate, failures: WeightedSum | Estimate, additive: WeightedSum | Estimate
) -> SelfPreference:
    """The value of the logit fit with the union of all intervals, and the p-value that belongs to the union."""
    # Nobody knows on which scale leniency and quality add up, so a bias counts only if it shows on all three.
    gaps = [gap for gap in (logit, failures, additive) if isinstance(gap, WeightedSum)]
    estimates = [reported_estimate(gap, 100) for gap in (logit, failures, additive)]
    logit_estimate, _, additive_estimate = estimates
    if len(gaps) < len(estimates):
        reason = next((estimate.reason for estimate in estimates if estimate.reason), None)
        without_interval = Estimate(logit_estimate.value, n=logit_estimate.n, reason=reason)
        return SelfPreference(without_interval, additive_estimate, None)
    union = replace(
        logit_estimate,
        low=min(estimate.low for estimate in estimates if estimate.low is not None),
        high=max(estimate.high for estimate in estimates if estimate.high is not None),
    )
    fits_agree = len({np.sign(gap.value) for gap in gaps}) == 1
    p_value = max(gap.p_value() for gap in gaps) if fits_agree else 1.0
    return SelfPreference(union, additive_estimate, p_value)


def _undefined(reason: str) -> SelfPreference:
    return SelfPreference(Estimate.undefined(reason), Estimate.undefined(reason), None)


def _design(generators: int, verifiers: int) -> Floats:
    """Indicators of each pair's generator and verifier, shape (generators, verifiers, generators + verifiers)."""
    design = np.zeros((generators, verifiers, generators + verifiers))
    design[np.arange(generators), :, np.arange(generators)] = 1
    design[:, np.arange(verifiers), generators + np.arange(verifiers)] = 1
    return design


@dataclass(frozen=True)
class _Fit:
    """Quality plus leniency, fitted to the pairs of different models, in the data and in each resample.

    Their sum is the logit of a pass rate, or the logarithm of a failure rate.
    """

    pairs: Floats
    """Indicators of generator and verifier, shape (pairs, effects)."""
    basis: Floats
    """An orthonormal basis of the columns of `pairs`, which are not independent; shape (pairs, rank)."""
    point: Floats
    """Coefficients in the data, shape (rank,)."""
    replicates: Floats
    """Coefficients in the resamples, shape (resamples, rank)."""
    covariance: Floats
    """The covariance of `point` if all votes were independent."""
    failures: bool
    """Whether logarithms of failure rates were fitted."""

    @classmethod
    def of(cls, pairs: Floats, totals: Totals, used: Flags, *, failures: bool) -> _Fit:
        # the columns for generators and for verifiers have the same sum, so coefficients would not be unique
        left, singular_values, _ = np.linalg.svd(pairs, full_matrices=False)
        basis = left[:, singular_values > 1e-9]

        def event_counts(sums: Floats) -> tuple[Floats, Floats]:
            passed, votes = (half[..., used] for half in np.split(sums, 2, axis=-1))
            return (votes - passed if failures else passed), votes

        events, votes = event_counts(totals.point)
        start = np.zeros((1, basis.shape[1]))
        point = _firth(basis, events[None], votes[None], start, failures=failures)
        covariance = np.linalg.inv(_information(basis, _weight(point @ basis.T, votes, failures=failures)))[0]
        replicated = np.repeat(point, len(totals.replicates), axis=0)
        replicates = _firth(basis, *event_counts(totals.replicates), replicated, failures=failures)
        return cls(pairs, basis, point[0], replicates, covariance, failures)

    def weights(self, pair: Floats) -> Floats | None:
        """The weights by which the fitted pairs predict another pair; None if they do not determine it."""
        weights = np.asarray(pair @ np.linalg.pinv(self.pairs))
        return weights if np.allclose(weights @ self.pairs, pair, atol=1e-8) else None

    def expected(self, weights: Floats, resamples: Resamples, clusters: int) -> Bounded | Estimate:
        """The pass rate that the fit predicts for another pair, as precise as the fit is."""
        direction = weights @ self.basis
        rate = float(self._pass_rate(self.point @ direction))
        replicates = self._pass_rate(self.replicates @ direction)
        # the delta method: the variance on the fitted scale becomes a variance of the rate
        slope = 1 - rate if self.failures else rate * (1 - rate)
        variance = max(float(slope**2 * (direction @ self.covariance @ direction)), 1e-12)
        # the number of independent votes whose share would have this variance
        trials = max(rate * (1 - rate), 1e-9) / variance
        return clustered_rate(resamples, rate, replicates, trials, clusters)

    def _pass_rate(self, fitted: Floats) -> Floats:
        return np.asarray(1 - np.minimum(np.exp(fitted), 1.0) if self.failures else _logistic(fitted))


def _logistic(fitted: Floats) -> Floats:
    from scipy.special import expit  # takes a fifth of a second, which commands without an audit do not need

    return np.asarray(expit(fitted))


def _firth(basis: Floats, events: Floats, votes: Floats, start: Floats, *, failures: bool) -> Floats:
    """Coefficients with Firth's penalty, one row for each regression: logistic, or log-linear for failures.

    Newton's method runs on all rows at once, since every resample is a regression; a converged row drops out.
    """
    coefficients = start.copy()
    open_rows = np.arange(len(coefficients))
    for _ in range(MAX_STEPS):
        fitted = coefficients[open_rows] @ basis.T
        rate = np.exp(np.minimum(fitted, 0.0)) if failures else _logistic(fitted)
        weight = _weight(fitted, votes[open_rows], failures=failures)
        inverse = np.linalg.inv(_information(basis, weight))
        leverage = weight * ((basis @ inverse) * basis).sum(axis=-1)
        # Firth's term in the score: the derivative of half the log determinant of the information
        penalty = leverage * (0.5 if failures else 0.5 - rate)
        score = (events[open_rows] - votes[open_rows] * rate + penalty) @ basis
        step = np.einsum("rij,rj->ri", inverse, score)
        longest = np.abs(step).max(axis=1)
        shrink = LONGEST_STEP / np.maximum(longest, LONGEST_STEP)  # 1 if the step is short enough
        coefficients[open_rows] += step * shrink[:, None]
        open_rows = open_rows[longest >= SETTLED]
        if not len(open_rows):
            break
    return coefficients


def _weight(fitted: Floats, votes: Floats, *, failures: bool) -> Floats:
    """The weight of each pair in Fisher's information."""
    if failures:
        return np.asarray(votes * np.exp(np.minimum(fitted, 0.0)))
    rate = _logistic(fitted)
    return np.asarray(votes * rate * (1 - rate))


def _information(basis: Floats, weight: Floats) -> Floats:
    """Fisher information of each row's coefficients, with a ridge that keeps it invertible."""
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
    rank = basis.shape[1]
    return np.asarray((weight @ products).reshape(-1, rank, rank) + 1e-9 * np.eye(rank))


@dataclass(frozen=True, slots=True)
class ClassBias:
    """The bias of a model within one perturbation class."""

    name: str
    n: int
    own: float | None
    peers: float | None
    bias: Estimate
    """In percentage points."""

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
    preferences = measure_self_preference(table, own_verifier, resamples)
    rows = []
    for generator, name in enumerate(table.generator.names):
        verifier = own_verifier[generator]
        if verifier < 0:
            rows.append(_undefined_bias(name, "generates only", f"{name} is not a verifier of this panel"))
        else:
            rows.append(_model_bias(table, resamples, preferences[generator], (generator, verifier)))
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
    table: VoteTable, resamples: Resamples, preference: SelfPreference, pair: tuple[int, int]
) -> SelfBias:
    generator, verifier = pair
    name = table.generator.names[generator]
    # Only candidates with both votes count. Otherwise the two rates would be about different candidates.
    scored_by_peer = np.delete(table.scored, verifier, axis=1).any(axis=1)
    mask = (table.generator.codes == generator) & table.scored[:, verifier] & scored_by_peer
    rows = np.flatnonzero(mask)
    if not len(rows):
        return _undefined_bias(name, "both", f"no candidate of {name} has both its own vote and a peer's")
    votes = resamples.totals(  # passes, then votes, by class and verifier
        passes_and_votes(table, rows),
        groups=table.perturbation_class.codes[rows],
        n_groups=len(table.perturbation_class.names),
        rows=rows,
    )
    own, peers, bias = _bias(votes, table.judged, verifier, len(rows), resamples, resamples.count(mask))
    return SelfBias(
        model=name,
        role="both",
        n=len(rows),
        own=own,
        peers=peers,
        bias=bias,
        did=preference.logit,
        p_value=preference.p_value,
        additive=preference.additive,
        by_class=tuple(_class_biases(table, votes, verifier, resamples, mask)),
    )


def _bias(
    by_class: Totals, judged: Flags, verifier: int, n: int, resamples: Resamples, clusters: int
) -> tuple[float | None, float | None, Estimate]:
    """A model's own rate, the mean rate of the peers that voted, and the difference in percentage points.

    `judged` has the shape (classes, verifiers). The model is compared with each peer in the classes that both judge.
    """
    votes = shares_of(by_class.point.sum(axis=0))[1]
    peers = [int(peer) for peer in np.flatnonzero(votes > 0) if peer != verifier]
    if not n or not peers:
        return None, None, Estimate.undefined("no candidates of its own in this class", n)

    def rate(voter: int, classes: Flags) -> Bounded | Estimate:
        shares, votes = shares_of(by_class.point[classes].sum(axis=0))
        replicates = shares_of(by_class.replicates[:, classes].sum(axis=1))[0][:, voter]
        return clustered_rate(resamples, float(shares[voter]), replicates, votes[voter], clusters)

    common = judged[:, peers] & judged[:, [verifier]]
    # Peers that share the same classes with the model are compared with the same rate of the model.
    class_sets, peer_counts = np.unique(common, axis=1, return_counts=True)
    own_rates = [rate(verifier, classes) for classes in class_sets.T]
    peer_rates = [rate(peer, classes) for peer, classes in zip(peers, common.T, strict=True)]
    weights = [*(peer_counts / len(peers)), *(-1 / len(peers) for _ in peers)]
    bias = reported_estimate(weighted_sum([*own_rates, *peer_rates], weights, n), 100)
    own_mean = float(np.average([own.value for own in own_rates], weights=peer_counts))
    return own_mean, float(np.mean([peer.value for peer in peer_rates])), bias


def _class_biases(
    table: VoteTable, votes: Totals, verifier: int, resamples: Resamples, is_own: Flags
) -> Iterable[ClassBias]:
    # the columns of `votes` are the passes of each verifier, then the votes of each verifier
    own_votes = votes.point[:, len(table.verifiers) + verifier].astype(int)
    for code, name in enumerate(table.perturbation_class.names):
        totals = Totals(votes.point[[code]], votes.replicates[:, [code]])
        clusters = resamples.count(is_own & (table.perturbation_class.codes == code))
        n = int(own_votes[code])
        yield ClassBias(name, n, *_bias(totals, table.judged[[code]], verifier, n, resamples, clusters))
