"""Difference-in-differences: how far a model's verdict on its own candidates lies above what leniency and quality say.

The pass rate of each generator by each verifier is taken as the generator's quality plus the verifier's leniency, on
the logit scale, fitted on all pairs but those of a model with itself; the fit says what the model's own pair would be
without favour. Pass rates themselves are not additive near 1, where a lenient judge has no room left on good
candidates, and a fit that takes them so sees favour in it; it stands beside the other for comparison.
Firth's penalty keeps the logits finite where a pair passed everything.

References: Firth (1993), Biometrika 80; Heinze and Schemper (2002), Statistics in Medicine 21.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from perturb.audit.votes import VoteTable
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Flags, Floats, ratio
from perturb.metrics.intervals import Bounded, WeightedSum, reported_estimate, weighted_sum
from perturb.metrics.resampling import Resamples, Totals

MIN_BASES = 5
"""A pass rate of fewer base instances gets no interval: it would hold nearly every value."""
NO_OWN_VOTE = "the model gives no vote on candidates of its own"
NOT_SEPARABLE = "the pairs of other models are too few to tell leniency and quality from self-preference"
MAX_STEPS = 50
LONGEST_STEP = 4.0
SETTLED = 1e-6


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """What a model's own pair lies above the fit, in percentage points."""

    logit: Estimate
    """On the logit scale; its interval holds that of the additive fit too."""
    additive: Estimate
    p_value: float | None
    """Two-sided, read off the interval of `logit`: favour is claimed only if both fits show it, on the same side."""


def passes_and_votes(table: VoteTable, rows: NDArray[np.intp]) -> Floats:
    """Shape (rows, 2 × verifiers), passes first."""
    return np.hstack([np.nan_to_num(table.votes[rows]), table.scored[rows].astype(np.float64)])


def shares_of(totals: Floats) -> tuple[Floats, Floats]:
    """Pass rates, NaN where there is no vote, and the number of votes."""
    passed, scored = np.split(totals, 2, axis=-1)
    return ratio(passed, scored), scored


def clustered_rate(
    resamples: Resamples, rate: float, replicates: Floats, n: float, clusters: int
) -> Bounded | Estimate:
    """A pass rate with its resamples, or without an interval where too few base instances stand behind it."""
    if 1 < clusters < MIN_BASES:
        return Estimate(rate, n=round(n), reason=f"no interval: {clusters} base instances are too few to say")
    return resamples.bounded(rate, replicates, round(n), clusters=clusters, trials=n)


def measure_self_preference(
    table: VoteTable, own_verifier: NDArray[np.int64], resamples: Resamples
) -> tuple[SelfPreference, ...]:
    """One entry per generator; undefined where it is not a verifier, or leniency and quality are unknown.

    Each rests on the classes that the model judges, and on the peers that judge all of these.
    """
    judged = table.judged[:, own_verifier]
    found: dict[int, SelfPreference] = {}
    for classes in np.unique(judged[:, own_verifier >= 0], axis=1).T:
        favours = _measure_on(table, own_verifier, resamples, classes)
        same = (judged == classes[:, None]).all(axis=0)
        found |= {g: one for g, one in enumerate(favours) if same[g]}
    nothing = _undefined(NO_OWN_VOTE)
    return tuple(
        found.get(g, nothing) if verifier >= 0 else nothing for g, verifier in enumerate(own_verifier)
    )


def _measure_on(
    table: VoteTable, own_verifier: NDArray[np.int64], resamples: Resamples, classes: Flags
) -> Sequence[SelfPreference]:
    """One entry per generator, from the candidates of some classes and the verifiers that judge all of these."""
    rows = np.flatnonzero(classes[table.perturbation_class.codes])
    totals = resamples.totals(
        passes_and_votes(table, rows),
        groups=table.generator.codes[rows],
        n_groups=len(table.generator.names),
        rows=rows,
    )
    (shares, votes), replicates = shares_of(totals.point), shares_of(totals.replicates)[0]
    others = np.arange(len(table.verifiers)) != own_verifier[:, None]
    used = (votes > 0) & others & table.judged[classes].all(axis=0)
    design = _design(*used.shape)
    fit = _Fit.of(design[used], totals, used) if used.any() else None
    clusters = _clusters(table, resamples, rows)

    def cell(i: int, j: int) -> Bounded | Estimate:
        return clustered_rate(
            resamples, float(shares[i, j]), replicates[:, i, j], votes[i, j], clusters[i, j]
        )

    cells = [cell(i, j) for i, j in np.argwhere(used)]
    found = []
    for generator, verifier in enumerate(own_verifier):
        pair = generator, int(verifier)
        if verifier < 0 or not votes[pair]:
            found.append(_undefined(NO_OWN_VOTE))
            continue
        weights = fit.weights(design[pair]) if fit is not None else None
        if fit is None or weights is None:
            found.append(_undefined(NOT_SEPARABLE))
            continue
        own, n = cell(*pair), int(votes[pair])
        expected = fit.expected(weights, resamples, clusters[used].min())
        found.append(
            _on_both_scales(
                weighted_sum([own, expected], [1.0, -1.0], n),
                weighted_sum([own, *cells], [1.0, *-weights], n),
            )
        )
    return found


def _on_both_scales(logit: WeightedSum | Estimate, additive: WeightedSum | Estimate) -> SelfPreference:
    """The value of the logit fit with the union of both intervals, and the level at which an end of it reaches 0."""
    one, other = reported_estimate(logit, 100), reported_estimate(additive, 100)
    if isinstance(logit, Estimate) or isinstance(additive, Estimate):
        reason = one.reason or other.reason
        return SelfPreference(Estimate(one.value, n=one.n, reason=reason), other, None)
    lows, highs = (one.low, other.low), (one.high, other.high)
    union = replace(
        one,
        low=min(low for low in lows if low is not None),
        high=max(high for high in highs if high is not None),
    )
    same_side = logit.value * additive.value > 0
    return SelfPreference(union, other, max(logit.p_value(), additive.p_value()) if same_side else 1.0)


def _undefined(reason: str) -> SelfPreference:
    return SelfPreference(Estimate.undefined(reason), Estimate.undefined(reason), None)


def _design(generators: int, verifiers: int) -> Floats:
    """Indicators of generator and verifier of each pair: shape (generators, verifiers, generators + verifiers)."""
    design = np.zeros((generators, verifiers, generators + verifiers))
    design[np.arange(generators), :, np.arange(generators)] = 1
    design[:, np.arange(verifiers), generators + np.arange(verifiers)] = 1
    return design


def _clusters(table: VoteTable, resamples: Resamples, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    within = np.isin(np.arange(len(table)), rows)
    made = [within & (table.generator.codes == generator) for generator in range(len(table.generator.names))]
    return np.array([[resamples.count(mine & voted) for voted in table.scored.T] for mine in made])


@dataclass(frozen=True)
class _Fit:
    """Logits of the pairs of different models, as quality plus leniency, in the data and in each resample."""

    pairs: Floats
    """Indicators, shape (pairs, effects)."""
    basis: Floats
    """An orthonormal basis of what they span, shape (pairs, rank)."""
    point: Floats
    """Shape (rank,)."""
    replicates: Floats
    """Shape (resamples, rank)."""
    covariance: Floats
    """Of `point`, if all votes were independent."""

    @classmethod
    def of(cls, pairs: Floats, totals: Totals, used: NDArray[np.bool_]) -> _Fit:
        left, values, _ = np.linalg.svd(pairs, full_matrices=False)
        basis = left[:, values > 1e-9]
        passed, votes = (part[used] for part in np.split(totals.point, 2, axis=-1))
        point = _firth(basis, passed[None], votes[None], np.zeros((1, basis.shape[1])))
        rate = expit(point @ basis.T)
        covariance = np.linalg.inv(_information(basis, votes * rate * (1 - rate)))[0]
        passed, votes = (part[:, used] for part in np.split(totals.replicates, 2, axis=-1))
        replicates = _firth(basis, passed, votes, np.repeat(point, len(passed), axis=0))
        return cls(pairs, basis, point[0], replicates, covariance)

    def weights(self, pair: Floats) -> Floats | None:
        """The weights of the fitted pairs in the logit, or rate, of another one; None if they do not determine it."""
        weights = np.asarray(pair @ np.linalg.pinv(self.pairs))
        return weights if np.allclose(weights @ self.pairs, pair, atol=1e-8) else None

    def expected(self, weights: Floats, resamples: Resamples, clusters: int) -> Bounded | Estimate:
        """The pass rate of another pair without favour, worth no more votes than its variance on the logits tells."""
        direction = weights @ self.basis
        rate = float(expit(direction @ self.point))
        trials = 1 / (rate * (1 - rate) * float(direction @ self.covariance @ direction))
        return clustered_rate(resamples, rate, expit(self.replicates @ direction), trials, clusters)


def _firth(basis: Floats, passed: Floats, votes: Floats, start: Floats) -> Floats:
    """Coefficients of logistic regressions with Firth's penalty, one per row."""
    at = start.copy()
    open_rows = np.arange(len(at))
    for _ in range(MAX_STEPS):
        rate = expit(at[open_rows] @ basis.T)
        weight = votes[open_rows] * rate * (1 - rate)
        inverse = np.linalg.inv(_information(basis, weight))
        leverage = weight * ((basis @ inverse) * basis).sum(axis=-1)
        score = (passed[open_rows] - votes[open_rows] * rate + leverage * (0.5 - rate)) @ basis
        step = np.einsum("rij,rj->ri", inverse, score)
        longest = np.abs(step).max(axis=1)
        at[open_rows] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))[:, None]
        open_rows = open_rows[longest >= SETTLED]
        if not len(open_rows):
            break
    return at


def _information(basis: Floats, weight: Floats) -> Floats:
    """Fisher information of each row's coefficients, with a ridge that keeps it invertible."""
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
    rank = basis.shape[1]
    return np.asarray((weight @ products).reshape(-1, rank, rank) + 1e-9 * np.eye(rank))
