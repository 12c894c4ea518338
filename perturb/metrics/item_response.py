"""Item response theory: the two-parameter logistic model, for few models and many items.

A reply of model m to item i is right with the probability 1 / (1 + exp(-a_i (θ_m - b_i))), with ability θ, difficulty b
and discrimination a. Items are random: b_i is normal around the mean of its group, log a_i is normal around 0, and both
are integrated out on a grid. Abilities, group means and the two spreads are estimated by penalised maximum likelihood.
Items of a group to which all models gave the same replies have the same likelihood. They form a pattern, which is
computed once and counted as often as it has items.

Reference: Birnbaum (1968); Bock and Aitkin (1981), Psychometrika 46, with the roles of persons and items exchanged;
De Boeck (2008), Psychometrika 73, on random items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Estimate, Floats, Integers
from perturb.metrics.intervals import ONE_CLUSTER, t_quantile

# With fewer models or items the priors would decide the estimates.
MIN_MODELS = 4
MIN_ITEMS = 30
# The priors in words, in logits. They keep estimates finite if all replies of a model are right, or all wrong.
PRIORS = (
    "abilities and mean difficulties: normal with mean 0 and SD 3; spread of difficulties: half-normal with scale 2;"
    " spread of log discriminations: half-normal with scale 0.5"
)
# The numbers in `PRIORS`; the scales are those of difficulties and of log discriminations.
_PRIOR_SD, _SPREAD_SCALES = 3.0, np.array([2.0, 0.5])
# The grid of difficulties and of log discriminations, in standard deviations of their normal distributions.
_DIFFICULTY_NODES, _SLOPE_NODES = np.linspace(-4, 4, 41), np.linspace(-3, 3, 9)
# The step of the numerical derivative of the gradient.
_STEP = 1e-4


@dataclass(frozen=True)
class ItemResponses:
    """A fitted two-parameter model; abilities and difficulties are logits, and the mean ability is 0."""

    abilities: tuple[Estimate, ...]
    """The ability of each model, with a 95 % interval."""
    group_difficulties: tuple[Estimate, ...]
    """The mean difficulty of the items of each group, with a 95 % interval."""
    difficulty: Floats
    """Posterior mean of the difficulty of each item."""
    difficulty_se: Floats
    """Posterior standard deviation, which ignores the errors of the spread and of the group means."""
    discrimination: Floats
    """Discrimination of each item, greater than 0; a typical item has 1."""
    discrimination_se: Floats
    difficulty_spread: float
    """Standard deviation of difficulties within a group."""
    slope_spread: float
    """Standard deviation of log discriminations."""
    log_likelihood: float
    converged: bool
    message: str
    """The message of the optimiser."""
    posterior: _Posterior

    @property
    def difficulty_reliability(self) -> float:
        """The share of the variance of difficulties that the replies explain, from 0 to 1."""
        variance = float(self.difficulty.var())
        return variance / (variance + float((self.difficulty_se**2).mean()))

    @property
    def discrimination_reliability(self) -> float:
        """The same for discriminations; near 0, the value of an item comes almost only from the prior."""
        variance = float(self.discrimination.var())
        return variance / (variance + float((self.discrimination_se**2).mean()))

    def chances(self, ability: float) -> Floats:
        """The probability that a model of this ability is right, for each item."""
        return self.posterior.chances(ability)

    def information(self, ability: ArrayLike) -> Floats:
        """The Fisher information of all items at some abilities; its root is 1 / SE of another model's ability."""
        return self.posterior.information(np.asarray(ability, dtype=np.float64))


def item_responses(
    right: ArrayLike, groups: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> ItemResponses:
    """Fit the model to replies, shape (models, items): 1 for right, 0 for wrong, NaN for no reply.

    `groups` and `clusters` have a label for each item. Without `groups` all items are one group; without `clusters`
    every item is its own cluster. Standard errors allow for clusters: H⁻¹ B H⁻¹, from the Hessian H of the penalised
    likelihood and the sum B of the squared gradients of clusters. Reference: Liang and Zeger (1986).

    Raises ValueError for fewer than `MIN_MODELS` models or `MIN_ITEMS` items with two replies, if all replies are right
    or all are wrong, and for columns of other lengths.

    >>> replies = np.arange(40) % 8 >= np.array([[1], [3], [5], [7]])
    >>> [round(ability.value, 1) for ability in item_responses(replies).abilities]
    [4.2, 1.2, -1.2, -4.2]
    """
    from scipy.optimize import minimize

    right = np.asarray(right, dtype=np.float64)
    _check(right)
    items = right.shape[1]
    groups = _codes(np.zeros(items) if groups is None else groups, items, "groups")
    clusters = _codes(np.arange(items) if clusters is None else clusters, items, "clusters")
    likelihood = _Likelihood(right, groups)
    # All parameters at 0 means: equal models, equal groups, and spreads of exp(0) = 1.
    optimum = minimize(
        likelihood.loss, np.zeros(likelihood.size), jac=True, method="L-BFGS-B", options={"maxiter": 1000}
    )
    estimator = _Estimator(optimum.x, *_covariance(likelihood, optimum.x, clusters))
    # Each row, multiplied by the parameters, gives an ability, or the mean of a group.
    abilities = np.pad(likelihood.contrasts, ((0, 0), (0, likelihood.groups + 2)))
    means = np.eye(likelihood.size)[likelihood.contrasts.shape[1] : -2]
    posterior = likelihood.posterior(optimum.x)
    return ItemResponses(
        abilities=estimator.estimates(abilities, (~np.isnan(right)).sum(axis=1)),
        group_difficulties=estimator.estimates(means, np.bincount(groups)),
        difficulty=posterior.mean(posterior.difficulties),
        difficulty_se=posterior.sd(posterior.difficulties),
        discrimination=posterior.mean(posterior.slopes),
        discrimination_se=posterior.sd(posterior.slopes),
        difficulty_spread=float(np.exp(optimum.x[-2])),
        slope_spread=float(np.exp(optimum.x[-1])),
        log_likelihood=-float(likelihood.counts @ likelihood.terms(optimum.x)[0]),
        converged=bool(optimum.success),
        message=str(optimum.message),
        posterior=posterior,
    )


@dataclass(frozen=True)
class _Estimator:
    """Estimates with intervals of linear functions of the parameters."""

    parameters: Floats
    covariance: Floats
    clusters: int
    reason: str | None
    """The reason why there is no interval; None if there is one."""

    def estimates(self, rows: Floats, counts: Integers) -> tuple[Estimate, ...]:
        """The products of the rows with the parameters; `counts` has the number of replies or items of each."""
        pairs = zip((rows @ self.parameters).tolist(), counts.tolist(), strict=True)
        if self.reason is not None:
            return tuple(Estimate(value, n=n, reason=self.reason) for value, n in pairs)
        errors = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.covariance, rows)).tolist()
        t = t_quantile(self.clusters - 1)
        return tuple(
            Estimate(value, value - t * se, value + t * se, se, n)
            for (value, n), se in zip(pairs, errors, strict=True)
        )


@dataclass(frozen=True)
class _Posterior:
    """The posterior distribution of each item on the grid."""

    weights: Floats
    """Shape (patterns, nodes); each row sums to 1."""
    difficulties: Floats
    """Shape (patterns, nodes)."""
    slopes: Floats
    """Shape (nodes,)."""
    of_item: Integers
    """The pattern of each item."""

    def mean(self, values: Floats) -> Floats:
        means: Floats = (self.weights * values).sum(axis=1)
        return means[self.of_item]

    def sd(self, values: Floats) -> Floats:
        spread: Floats = np.sqrt(np.maximum(self.mean(values**2) - self.mean(values) ** 2, 0))
        return spread

    def chances(self, ability: float) -> Floats:
        return self.mean(_logistic(self.slopes * (ability - self.difficulties)))

    def information(self, abilities: Floats) -> Floats:
        counts = np.bincount(self.of_item, minlength=len(self.weights))[:, np.newaxis] * self.weights
        shares = (_logistic(self.slopes * (ability - self.difficulties)) for ability in np.ravel(abilities))
        sums = [float((counts * self.slopes**2 * p * (1 - p)).sum()) for p in shares]
        return np.array(sums).reshape(abilities.shape)


class _Likelihood:
    """The marginal likelihood of all items, with its gradient.

    The parameters are φ, the group means, the log spread of difficulties and that of log discriminations, in this
    order. The abilities are θ = contrasts φ. Helmert contrasts keep their mean at 0, because a common shift of
    abilities and difficulties changes no probability.
    """

    def __init__(self, right: Floats, groups: Integers) -> None:
        from scipy.linalg import helmert

        # A row for each item: its group, then the reply of each model, or -1 for no reply.
        rows = np.column_stack([groups, np.where(np.isnan(right), -1, right).T.astype(np.int64)])
        patterns, self.of_item, self.counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        self.group, replies = patterns[:, 0], patterns[:, 1:]
        self.right, self.scored = (replies == 1).astype(np.float64), (replies >= 0).astype(np.float64)
        self.contrasts: Floats = helmert(len(right)).T
        self.groups = int(groups.max()) + 1
        self.size = self.contrasts.shape[1] + self.groups + 2
        # The nodes of the grid: z for difficulties, w for log discriminations, both standard normal.
        z, w = (grid.ravel() for grid in np.meshgrid(_DIFFICULTY_NODES, _SLOPE_NODES, indexing="ij"))
        self.z, self.w = z, w
        self.log_weights = -(z**2 + w**2) / 2 - np.log(np.exp(-(z**2 + w**2) / 2).sum())

    def loss(self, parameters: Floats) -> tuple[float, Floats]:
        """Penalised negative log-likelihood and its gradient."""
        values, gradients = self.terms(parameters)
        # the priors; - parameters[-2:] turns the density of a spread into the density of its logarithm
        normal, log_spreads = parameters[:-2], parameters[-2:]
        scaled = np.exp(log_spreads) / _SPREAD_SCALES
        penalty = float((normal**2).sum()) / (2 * _PRIOR_SD**2) + float((scaled**2 / 2 - log_spreads).sum())
        slope = np.concatenate([normal / _PRIOR_SD**2, scaled**2 - 1])
        return float(self.counts @ values) + penalty, self.counts @ gradients + slope

    def terms(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Negative log-likelihood of each pattern and its gradient: shapes (patterns,) and (patterns, parameters)."""
        values, gradients = np.empty(len(self.group)), np.zeros((len(self.group), self.size))
        abilities = self.contrasts.shape[1]
        spread, slope_spread = np.exp(parameters[-2:])
        for group in range(self.groups):
            rows = self.group == group
            right, is_scored = self.right[rows], self.scored[rows]
            a, eta = self._logits(parameters, group)
            p = _logistic(eta)
            values[rows], weights = self._weigh(right, is_scored, eta)
            # The gradient of the logit in each parameter, averaged over the quadrature points with their posterior
            # weights: the observed replies minus the expected ones.
            by_ability, by_difficulty, by_slope = (
                right * (weights @ slopes.T) - is_scored * (weights @ (slopes * p).T)
                for slopes in (
                    np.broadcast_to(a, p.shape),
                    np.broadcast_to(self.z * a, p.shape),
                    self.w * eta,
                )
            )
            gradients[rows, :abilities] = by_ability @ self.contrasts
            gradients[rows, abilities + group] = -by_ability.sum(axis=1)
            gradients[rows, -2] = -spread * by_difficulty.sum(axis=1)
            gradients[rows, -1] = slope_spread * by_slope.sum(axis=1)
        return values, -gradients

    def posterior(self, parameters: Floats) -> _Posterior:
        """The posterior distribution of every pattern."""
        weights = np.empty((len(self.group), len(self.z)))
        for group in range(self.groups):
            rows = self.group == group
            _, eta = self._logits(parameters, group)
            _, weights[rows] = self._weigh(self.right[rows], self.scored[rows], eta)
        means = parameters[self.contrasts.shape[1] : -2]
        difficulties = means[self.group][:, np.newaxis] + np.exp(parameters[-2]) * self.z
        return _Posterior(weights, difficulties, np.exp(np.exp(parameters[-1]) * self.w), self.of_item)

    def _logits(self, parameters: Floats, group: int) -> tuple[Floats, Floats]:
        """The discrimination at each node, and the logit of each model at each node."""
        abilities = self.contrasts.shape[1]
        a = np.exp(np.exp(parameters[-1]) * self.w)
        difficulties = parameters[abilities + group] + np.exp(parameters[-2]) * self.z
        return a, a * ((self.contrasts @ parameters[:abilities])[:, np.newaxis] - difficulties)

    def _weigh(self, right: Floats, is_scored: Floats, eta: Floats) -> tuple[Floats, Floats]:
        """Negative log-likelihood of each pattern, and the weights of the nodes given it."""
        joint = right @ eta - is_scored @ np.logaddexp(0, eta) + self.log_weights
        top = joint.max(axis=1, keepdims=True)  # taken out, so that the exponentials do not underflow
        weights = np.exp(joint - top)
        total = weights.sum(axis=1, keepdims=True)
        return -(top + np.log(total))[:, 0], weights / total


def _covariance(
    likelihood: _Likelihood, parameters: Floats, clusters: Integers
) -> tuple[Floats, int, str | None]:
    """The covariance of the parameters, the number of clusters, and the reason if there is no covariance."""
    n = int(clusters.max()) + 1
    undefined = np.zeros((len(parameters), len(parameters)))
    if n < 2:
        return undefined, n, ONE_CLUSTER
    steps = _STEP * np.eye(len(parameters))
    hessian = np.array(
        [likelihood.loss(parameters + d)[1] - likelihood.loss(parameters - d)[1] for d in steps]
    ) / (2 * _STEP)
    # Differences of gradients are symmetric only up to rounding.
    hessian = (hessian + hessian.T) / 2
    if np.linalg.eigvalsh(hessian)[0] <= 0:
        return undefined, n, "no interval: the fit did not end at a maximum"
    sums = np.zeros((n, len(parameters)))
    np.add.at(sums, clusters, likelihood.terms(parameters)[1][likelihood.of_item])
    # At the optimum the gradients sum to minus that of the prior, which is shared by all clusters and no sign of
    # variation.
    sums -= sums.mean(axis=0)
    inverse = np.linalg.inv(hessian)
    return inverse @ (sums.T @ sums) @ inverse * n / (n - 1), n, None


def _codes(labels: ArrayLike, items: int, name: str) -> Integers:
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    if codes.shape != (items,):
        raise ValueError(f"{name} must have one value for each of {items} items, got shape {codes.shape}")
    return codes


def _check(right: Floats) -> None:
    if right.ndim != 2:
        raise ValueError(f"right must have the shape (models, items), got {right.shape}")
    is_scored = ~np.isnan(right)
    models, items = len(right), int((is_scored.sum(axis=0) > 1).sum())
    if models < MIN_MODELS or items < MIN_ITEMS:
        raise ValueError(
            f"too few to fit: {models} models, {items} items with two replies; {MIN_MODELS} and {MIN_ITEMS} are needed"
        )
    if len(np.unique(right[is_scored])) < 2:
        raise ValueError("all replies are right, or all are wrong: difficulties cannot be estimated")


def _logistic(x: Any) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(x), dtype=np.float64)
