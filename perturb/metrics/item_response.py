"""Item response theory: the two-parameter logistic model, for few models and many items.

A reply of model m to item i is right with the probability 1 / (1 + exp(-logit)), where logit = a_i (θ_m - b_i). θ is
the ability of the model, b the difficulty of the item, and a its discrimination. Items are random: b_i is normal
around the mean of its group, and log a_i is normal around 0. Both are integrated out on a grid of nodes. Abilities,
group means and the two spreads are estimated by penalised maximum likelihood.

Items of a group to which all models gave the same replies have the same likelihood. They form a *pattern*, which is
computed once and counted as often as it has items.

Reference: Birnbaum (1968); Bock and Aitkin (1981), Psychometrika 46, with the roles of persons and items exchanged;
De Boeck (2008), Psychometrika 73, on random items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers, logistic
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
_PRIOR_SD = 3.0
_SPREAD_SCALES = np.array([2.0, 0.5])
# The grid of difficulties and of log discriminations, in standard deviations of their normal distributions.
_DIFFICULTY_NODES = np.linspace(-4, 4, 41)
_DISCRIMINATION_NODES = np.linspace(-3, 3, 9)
# The indices of the logarithms of the two spreads among the parameters of a fit: they come last.
_LOG_DIFFICULTY_SPREAD = -2
_LOG_DISCRIMINATION_SPREAD = -1
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
        return self.posterior.mean(self.posterior.chances_at_nodes(ability))

    def information(self, ability: ArrayLike) -> Floats:
        """The Fisher information of all items at some abilities; its root is 1 / SE of another model's ability."""
        abilities = np.asarray(ability, dtype=np.float64)
        sums = [self.posterior.information(value) for value in abilities.ravel()]
        return np.array(sums).reshape(abilities.shape)


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
    n_items = right.shape[1]
    group_of_item = _codes(np.zeros(n_items) if groups is None else groups, n_items, "groups")
    cluster_of_item = _codes(np.arange(n_items) if clusters is None else clusters, n_items, "clusters")
    likelihood = _Likelihood(right, group_of_item)
    # All parameters at 0 means: equal models, equal groups, and spreads of exp(0) = 1.
    start = np.zeros(likelihood.n_parameters)
    optimum = minimize(likelihood.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    parameters = optimum.x
    estimator = _estimator(likelihood, parameters, cluster_of_item)
    posterior = likelihood.posterior(parameters)
    return ItemResponses(
        abilities=estimator.estimates(likelihood.ability_rows(), (~np.isnan(right)).sum(axis=1)),
        group_difficulties=estimator.estimates(likelihood.mean_rows(), np.bincount(group_of_item)),
        difficulty=posterior.mean(posterior.difficulties),
        difficulty_se=posterior.sd(posterior.difficulties),
        discrimination=posterior.mean(posterior.discriminations),
        discrimination_se=posterior.sd(posterior.discriminations),
        difficulty_spread=float(np.exp(parameters[_LOG_DIFFICULTY_SPREAD])),
        slope_spread=float(np.exp(parameters[_LOG_DISCRIMINATION_SPREAD])),
        log_likelihood=-float(likelihood.counts @ likelihood.terms(parameters)[0]),
        converged=bool(optimum.success),
        message=str(optimum.message),
        posterior=posterior,
    )


@dataclass(frozen=True)
class _Estimator:
    """Gives linear functions of the parameters, such as the ability of a model, with their intervals."""

    parameters: Floats
    """Shape (parameters,)."""
    clusters: int
    """The number of clusters that the covariance comes from."""
    covariance: Floats | None
    """Shape (parameters, parameters)."""
    reason: str | None = None
    """The reason why there is no covariance, and so no interval."""

    def estimates(self, rows: Floats, counts: Integers) -> tuple[Estimate, ...]:
        """An estimate of row · parameters for each row.

        `rows` has the shape (estimates, parameters); `counts` has the number of replies or items behind each estimate.
        """
        values, ns = (rows @ self.parameters).tolist(), counts.tolist()
        if self.covariance is None:
            return tuple(
                Estimate(value, n=n, reason=self.reason) for value, n in zip(values, ns, strict=True)
            )
        # The variance of row · parameters is rowᵀ · covariance · row. e: estimates, p and q: parameters.
        errors = np.sqrt(np.einsum("ep,pq,eq->e", rows, self.covariance, rows)).tolist()
        t = t_quantile(self.clusters - 1)
        return tuple(
            Estimate(value, value - t * error, value + t * error, error, n)
            for value, error, n in zip(values, errors, ns, strict=True)
        )


@dataclass(frozen=True)
class _Posterior:
    """The posterior distribution of each item on the grid."""

    weights: Floats
    """Shape (patterns, nodes); each row sums to 1."""
    difficulties: Floats
    """Shape (patterns, nodes)."""
    discriminations: Floats
    """Shape (nodes,)."""
    of_item: Integers
    """The pattern of each item."""

    def mean(self, values: Floats) -> Floats:
        """The posterior mean for each item of values at the nodes, shape (patterns, nodes) or (nodes,)."""
        means: Floats = (self.weights * values).sum(axis=1)
        return means[self.of_item]

    def sd(self, values: Floats) -> Floats:
        """The posterior standard deviation for each item, as in `mean`."""
        # E[x²] - E[x]² may come out just below 0 by rounding
        variance = np.maximum(self.mean(values**2) - self.mean(values) ** 2, 0)
        return np.asarray(np.sqrt(variance))

    def chances_at_nodes(self, ability: float) -> Floats:
        """The probability that a model of this ability is right, shape (patterns, nodes)."""
        return logistic(self.discriminations * (ability - self.difficulties))

    def information(self, ability: float) -> float:
        """The Fisher information of all items: the sum of a² p (1 - p), averaged over the posterior of each item."""
        p = self.chances_at_nodes(ability)
        return float((self._items_at_node * self.discriminations**2 * p * (1 - p)).sum())

    @cached_property
    def _items_at_node(self) -> Floats:
        """The expected number of items of each pattern at each node, shape (patterns, nodes)."""
        items_of_pattern = np.bincount(self.of_item, minlength=len(self.weights))
        return np.asarray(items_of_pattern[:, np.newaxis] * self.weights)


class _Residuals(NamedTuple):
    """Replies and their probabilities: what the gradient of the log-likelihood is made of."""

    right: Floats
    """1 for a right reply: shape (patterns, models)."""
    scored: Floats
    """1 for any reply: shape (patterns, models)."""
    weights: Floats
    """Posterior weights of the nodes: shape (patterns, nodes)."""
    p: Floats
    """The probability of a right reply: shape (models, nodes)."""

    def along(self, derivative: Floats) -> Floats:
        """The derivative of the log-likelihood in a parameter of each model's logit, shape (patterns, models).

        `derivative` is that of the logit, shape (models, nodes). At a node, the log-likelihood of a reply y has the
        derivative (y - p) × derivative. It is averaged over the nodes.
        """
        of_right_replies = self.right * (self.weights @ derivative.T)
        of_expected_replies = self.scored * (self.weights @ (derivative * self.p).T)
        return of_right_replies - of_expected_replies


class _Likelihood:
    """The marginal likelihood of all items, with its gradient.

    The parameters are, in this order: φ, the group means, the log spread of difficulties and that of log
    discriminations. The abilities are θ = contrasts · φ. The columns of `contrasts` are Helmert contrasts, which keep
    the mean ability at 0, because a common shift of abilities and difficulties changes no probability.
    """

    def __init__(self, right: Floats, groups: Integers) -> None:
        from scipy.linalg import helmert

        models = len(right)
        # A row for each item: its group, then the reply of each model, or -1 for no reply.
        replies_of_item = np.where(np.isnan(right), -1, right).T.astype(np.int64)
        patterns, self.of_item, self.counts = np.unique(
            np.column_stack([groups, replies_of_item]), axis=0, return_inverse=True, return_counts=True
        )
        self.group_of_pattern, replies = patterns[:, 0], patterns[:, 1:]
        # Both have the shape (patterns, models).
        self.right = (replies == 1).astype(np.float64)
        self.scored = (replies >= 0).astype(np.float64)
        # Shape (models, models - 1).
        self.contrasts: Floats = helmert(models).T
        self.n_groups = int(groups.max()) + 1
        # The places of φ and of the group means among the parameters; the two log spreads follow.
        self.phi = slice(0, models - 1)
        self.means = slice(models - 1, models - 1 + self.n_groups)
        self.n_parameters = self.means.stop + 2
        # The nodes of the grid: z for difficulties, w for log discriminations, both standard normal.
        z, w = np.meshgrid(_DIFFICULTY_NODES, _DISCRIMINATION_NODES, indexing="ij")
        self.z, self.w = z.ravel(), w.ravel()
        log_density = -(self.z**2 + self.w**2) / 2
        self.log_weights = log_density - np.log(np.exp(log_density).sum())

    def ability_rows(self) -> Floats:
        """A row for each model, whose product with the parameters is its ability."""
        rows = np.zeros((len(self.contrasts), self.n_parameters))
        rows[:, self.phi] = self.contrasts
        return rows

    def mean_rows(self) -> Floats:
        """A row for each group, whose product with the parameters is its mean difficulty."""
        return np.eye(self.n_parameters)[self.means]

    def loss(self, parameters: Floats) -> tuple[float, Floats]:
        """Penalised negative log-likelihood and its gradient."""
        values, gradients = self.terms(parameters)
        penalty, penalty_gradient = _penalty(parameters)
        return float(self.counts @ values) + penalty, self.counts @ gradients + penalty_gradient

    def terms(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Negative log-likelihood of each pattern and its gradient: shapes (patterns,) and (patterns, parameters)."""
        values = np.empty(len(self.group_of_pattern))
        gradients = np.zeros((len(values), self.n_parameters))
        difficulty_spread = np.exp(parameters[_LOG_DIFFICULTY_SPREAD])
        discrimination_spread = np.exp(parameters[_LOG_DISCRIMINATION_SPREAD])
        a = self._discriminations(parameters)
        for group in range(self.n_groups):
            rows = self.group_of_pattern == group
            logits = self._logits(parameters, group)
            p = logistic(logits)
            values[rows], weights = self._loss_and_node_weights(rows, logits)
            residuals = _Residuals(self.right[rows], self.scored[rows], weights, p)
            # The derivative of the logit a (θ - b) is a in θ, and -a in b. Both spreads are parameters by their
            # logarithm. With b = mean + spread · z, the derivative is -a z spread in the log spread of difficulties.
            # With a = exp(spread · w), it is logit · w · spread in the log spread of discriminations.
            by_ability = residuals.along(np.broadcast_to(a, p.shape))
            by_difficulty = residuals.along(np.broadcast_to(self.z * a, p.shape))
            by_discrimination = residuals.along(self.w * logits)
            gradients[rows, self.phi] = by_ability @ self.contrasts
            gradients[rows, self.means.start + group] = -by_ability.sum(axis=1)
            gradients[rows, _LOG_DIFFICULTY_SPREAD] = -difficulty_spread * by_difficulty.sum(axis=1)
            gradients[rows, _LOG_DISCRIMINATION_SPREAD] = discrimination_spread * by_discrimination.sum(
                axis=1
            )
        return values, -gradients

    def posterior(self, parameters: Floats) -> _Posterior:
        """The posterior distribution of every pattern."""
        weights = np.empty((len(self.group_of_pattern), len(self.z)))
        difficulties = np.empty_like(weights)
        for group in range(self.n_groups):
            rows = self.group_of_pattern == group
            _, weights[rows] = self._loss_and_node_weights(rows, self._logits(parameters, group))
            difficulties[rows] = self._difficulties(parameters, group)
        return _Posterior(weights, difficulties, self._discriminations(parameters), self.of_item)

    def _difficulties(self, parameters: Floats, group: int) -> Floats:
        """The difficulty at each node, shape (nodes,)."""
        mean = parameters[self.means.start + group]
        return np.asarray(mean + np.exp(parameters[_LOG_DIFFICULTY_SPREAD]) * self.z)

    def _discriminations(self, parameters: Floats) -> Floats:
        """The discrimination at each node, shape (nodes,)."""
        return np.asarray(np.exp(np.exp(parameters[_LOG_DISCRIMINATION_SPREAD]) * self.w))

    def _logits(self, parameters: Floats, group: int) -> Floats:
        """The logit of each model at each node, shape (models, nodes)."""
        abilities = (self.contrasts @ parameters[self.phi])[:, np.newaxis]
        return self._discriminations(parameters) * (abilities - self._difficulties(parameters, group))

    def _loss_and_node_weights(self, rows: Flags, logits: Floats) -> tuple[Floats, Floats]:
        """Negative log-likelihoods and posterior weights of the nodes: shapes (patterns,) and (patterns, nodes).

        `rows` marks the patterns, which are of one group; `logits` are those of this group.
        """
        # log P(replies | node) is the sum over models of reply · logit - log(1 + exp(logit))
        log_likelihood = self.right[rows] @ logits - self.scored[rows] @ np.logaddexp(0, logits)
        log_joint = log_likelihood + self.log_weights
        top = log_joint.max(axis=1, keepdims=True)  # taken out, so that the exponentials do not underflow
        weights = np.exp(log_joint - top)
        total = weights.sum(axis=1, keepdims=True)
        return -(top + np.log(total))[:, 0], weights / total


def _penalty(parameters: Floats) -> tuple[float, Floats]:
    """The negative log density of the priors, without its constant, and its gradient."""
    normal, log_spreads = parameters[:_LOG_DIFFICULTY_SPREAD], parameters[_LOG_DIFFICULTY_SPREAD:]
    # A spread has a half-normal prior, and its logarithm is the parameter. The density of the logarithm has the spread
    # as a factor more, which is why `log_spreads` is subtracted.
    scaled = np.exp(log_spreads) / _SPREAD_SCALES
    penalty = float((normal**2).sum()) / (2 * _PRIOR_SD**2) + float((scaled**2 / 2 - log_spreads).sum())
    return penalty, np.concatenate([normal / _PRIOR_SD**2, scaled**2 - 1])


def _estimator(likelihood: _Likelihood, parameters: Floats, clusters: Integers) -> _Estimator:
    """The parameters with their covariance, which allows for clusters: H⁻¹ B H⁻¹."""
    n = int(clusters.max()) + 1
    if n < 2:
        return _Estimator(parameters, n, None, ONE_CLUSTER)
    hessian = _hessian(likelihood, parameters)
    if np.linalg.eigvalsh(hessian)[0] <= 0:
        return _Estimator(parameters, n, None, "no interval: the fit did not end at a maximum")
    gradient_of_item = likelihood.terms(parameters)[1][likelihood.of_item]
    gradient_of_cluster = np.zeros((n, len(parameters)))
    np.add.at(gradient_of_cluster, clusters, gradient_of_item)
    # At the optimum these sum to minus the gradient of the priors, not to 0. The priors do not vary between clusters.
    gradient_of_cluster -= gradient_of_cluster.mean(axis=0)
    inverse = np.linalg.inv(hessian)
    # the factor n / (n - 1) allows for few clusters
    covariance = inverse @ (gradient_of_cluster.T @ gradient_of_cluster) @ inverse * n / (n - 1)
    return _Estimator(parameters, n, covariance)


def _hessian(likelihood: _Likelihood, parameters: Floats) -> Floats:
    """The second derivatives of the loss, from central differences of its gradient."""
    rows = []
    for step in _STEP * np.eye(len(parameters)):
        _, above = likelihood.loss(parameters + step)
        _, below = likelihood.loss(parameters - step)
        rows.append((above - below) / (2 * _STEP))
    hessian = np.array(rows)
    # Differences of gradients are symmetric only up to rounding.
    return np.asarray((hessian + hessian.T) / 2)


def _codes(labels: ArrayLike, items: int, name: str) -> Integers:
    """The number of each item's label, 0, 1, …; `name` is the argument that errors speak of."""
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    if codes.shape != (items,):
        raise ValueError(f"{name} must have one value for each of {items} items, got shape {codes.shape}")
    return codes


def _check(right: Floats) -> None:
    """Raise ValueError for replies that the model cannot be fitted to."""
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
