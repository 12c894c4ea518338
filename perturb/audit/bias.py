"""Self-evaluation bias: does a model pass its own candidates more readily than its peers do?

Two measures. The bias as published: the rate at which a model passes its own candidates less the mean rate at which the
other verifiers pass the same ones. A lenient verifier shows such a bias towards everybody, so beside it stands a
difference-in-differences: the pass rate of each generator by each verifier is taken as the generator's quality plus the
verifier's leniency, fitted on all pairs but those of a model with itself; what a model's own pair lies above the fit is
its effect.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.audit.permutation import swap_p_value
from perturb.audit.resamples import Resamples, Totals
from perturb.audit.votes import VoteTable
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats

NOT_SEPARABLE = "the pairs of other models are too few to tell leniency and quality from self-preference"


@dataclass(frozen=True, slots=True)
class ClassBias:
    """The bias of a model within one perturbation class."""

    name: str
    n: int
    own: float | None
    peers: float | None
    bias: Estimate
    """In percentage points."""


@dataclass(frozen=True, slots=True)
class SelfBias:
    """The bias of one model, or why there is none to report."""

    model: str
    role: str
    """"both", "generates only" or "verifies only"."""
    n: int
    """Its own candidates on which it and a peer voted."""
    own: float | None
    """Share of them that it passes."""
    peers: float | None
    """Mean share that the other verifiers pass."""
    bias: Estimate
    """`own` less `peers`, in percentage points."""
    did: Estimate
    """The difference-in-differences, in percentage points."""
    p_value: float | None
    """Permutation p-value of the latter, two-sided."""
    by_class: tuple[ClassBias, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """One row of the JSON."""
        return {
            "model": self.model,
            "role": self.role,
            "n": self.n,
            "self": self.own,
            "peers": self.peers,
            "bias_pp": self.bias.value,
            "low": self.bias.low,
            "high": self.bias.high,
            "reason": self.bias.reason,
            "did_pp": self.did.value,
            "did_low": self.did.low,
            "did_high": self.did.high,
            "did_reason": self.did.reason,
            "p_value": self.p_value,
            "by_class": [
                {
                    "name": one.name,
                    "n": one.n,
                    "self": one.own,
                    "peers": one.peers,
                    "bias_pp": one.bias.value,
                    "low": one.bias.low,
                    "high": one.bias.high,
                    "reason": one.bias.reason,
                }
                for one in self.by_class
            ],
        }


@dataclass(frozen=True, slots=True)
class Effects:
    """The additive fit of the pass-rate matrix."""

    own: Estimate
    leniency: Floats | None
    """One number per verifier, fixed up to a constant; None where the fit is not possible."""


def measure_bias(table: VoteTable, resamples: Resamples, seed: int) -> tuple[SelfBias, ...]:
    """Every generator and verifier with its bias, or with the part it does not play."""
    own_verifier = own_verifiers(table)
    matrix = _matrix_totals(table, resamples)
    rows = []
    for generator, name in enumerate(table.generator.names):
        verifier = own_verifier[generator]
        if verifier < 0:
            rows.append(_absent(name, "generates only", f"{name} is no verifier of this panel"))
        else:
            rows.append(_measure(table, resamples, matrix, (generator, verifier), seed))
    for verifier, name in enumerate(table.verifiers):
        if verifier not in own_verifier:
            rows.append(_absent(name, "verifies only", f"{name} made no candidate"))
    return tuple(rows)


def own_verifiers(table: VoteTable) -> NDArray[np.int64]:
    """For each generator, the number of the verifier that is the same model; −1 if there is none."""
    numbers = {name: number for number, name in enumerate(table.verifiers)}
    twins = (table.same_model.get(name, name) for name in table.generator.names)
    return np.array([numbers.get(twin, -1) for twin in twins], dtype=np.int64)


def _absent(model: str, role: str, reason: str) -> SelfBias:
    nothing = Estimate.undefined(reason)
    return SelfBias(model, role, 0, None, None, nothing, nothing, None)


def _measure(
    table: VoteTable, resamples: Resamples, matrix: Totals, pair: tuple[int, int], seed: int
) -> SelfBias:
    generator, verifier = pair
    name = table.generator.names[generator]
    rows = _own_rows(table, generator, verifier)
    if not len(rows):
        reason = f"no candidate of {name} has both its own vote and a peer's"
        return _absent(name, "both", reason)
    votes = _class_totals(table, resamples, rows)
    whole = Totals(votes.point.sum(axis=0), votes.replicates.sum(axis=1))
    own, peers, bias = _self_and_peers(whole.point, verifier)
    effects = _fit(table, matrix, pair, resamples)
    p_value = None
    if effects.leniency is not None:
        p_value = _p_value(table, pair, effects.leniency, resamples, seed)
    return SelfBias(
        model=name,
        role="both",
        n=len(rows),
        own=float(own),
        peers=float(peers),
        bias=resamples.estimate(
            float(bias), _self_and_peers(whole.replicates, verifier)[2], len(rows), scale=100
        ),
        did=effects.own,
        p_value=p_value,
        by_class=tuple(_class_biases(table, votes, verifier, resamples)),
    )


def _own_rows(table: VoteTable, generator: int, verifier: int) -> NDArray[np.intp]:
    """Candidates of the model that it and at least one peer scored."""
    peers = np.delete(table.scored, verifier, axis=1).any(axis=1)
    return np.flatnonzero((table.generator.codes == generator) & table.scored[:, verifier] & peers)


def _class_totals(table: VoteTable, resamples: Resamples, rows: NDArray[np.intp]) -> Totals:
    """Passes and votes by class and verifier: shape (classes, 2 × verifiers), passes first."""
    return resamples.totals(
        _passes_and_votes(table, rows),
        groups=table.perturbation_class.codes[rows],
        n_groups=len(table.perturbation_class.names),
        rows=rows,
    )


def _matrix_totals(table: VoteTable, resamples: Resamples) -> Totals:
    """Passes and votes by generator and verifier: shape (generators, 2 × verifiers), passes first."""
    return resamples.totals(
        _passes_and_votes(table, np.arange(len(table))),
        groups=table.generator.codes,
        n_groups=len(table.generator.names),
    )


def _passes_and_votes(table: VoteTable, rows: NDArray[np.intp]) -> Floats:
    return np.hstack([np.nan_to_num(table.votes[rows]), table.scored[rows].astype(np.float64)])


def _shares(totals: Floats) -> Floats:
    """Pass rates from passes and votes side by side; NaN where there is no vote."""
    passed, scored = np.split(totals, 2, axis=-1)
    return np.where(scored > 0, passed / np.maximum(scored, 1), np.nan)


def _self_and_peers(totals: Floats, verifier: int) -> tuple[Floats, Floats, Floats]:
    """A model's own rate, the mean rate of its peers, and the difference."""
    shares = _shares(totals)
    own, others = shares[..., verifier], np.delete(shares, verifier, axis=-1)
    known = ~np.isnan(others)
    count = known.sum(axis=-1)
    sums = np.where(known, others, 0.0).sum(axis=-1)
    peers = np.where(count > 0, sums / np.maximum(count, 1), np.nan)
    return own, peers, own - peers


def _class_biases(
    table: VoteTable, votes: Totals, verifier: int, resamples: Resamples
) -> Iterable[ClassBias]:
    own, peers, bias = _self_and_peers(votes.point, verifier)
    replicates = _self_and_peers(votes.replicates, verifier)[2]
    counts = votes.point[:, len(table.verifiers) + verifier].astype(int)
    for number, name in enumerate(table.perturbation_class.names):
        n = int(counts[number])
        yield ClassBias(
            name=name,
            n=n,
            own=float(own[number]) if n else None,
            peers=float(peers[number]) if n else None,
            bias=resamples.estimate(
                float(bias[number]),
                replicates[:, number],
                n,
                "none of its own candidates in this class",
                scale=100,
            ),
        )


def _fit(table: VoteTable, matrix: Totals, pair: tuple[int, int], resamples: Resamples) -> Effects:
    """Fit quality + leniency on the pairs of different models; the rest of the own pair is the effect."""
    point, replicates = _shares(matrix.point), _shares(matrix.replicates)
    generators, verifiers = point.shape
    own_verifier = own_verifiers(table)
    design = np.zeros((generators, verifiers, generators + verifiers))
    design[np.arange(generators), :, np.arange(generators)] = 1
    design[:, np.arange(verifiers), generators + np.arange(verifiers)] = 1
    used = ~np.isnan(point) & (np.arange(verifiers) != own_verifier[:, None])
    fitted = np.linalg.pinv(design[used])  # (effects, pairs)
    weights = design[pair] @ fitted
    if not np.allclose(weights @ design[used], design[pair], atol=1e-8):
        return Effects(Estimate.undefined(NOT_SEPARABLE), None)
    n = int(matrix.point[pair[0], verifiers + pair[1]])
    effect = float(point[pair] - point[used] @ weights)
    effects = replicates[:, *pair] - replicates[:, used] @ weights
    return Effects(resamples.estimate(effect, effects, n, scale=100), (fitted @ point[used])[generators:])


def _p_value(
    table: VoteTable, pair: tuple[int, int], leniency: Floats, resamples: Resamples, seed: int
) -> float | None:
    """Compare the model with its peers on each candidate, leniency taken out; then swap the makers' names.

    A candidate's own maker is no peer, so that the self-preference of others stays out.
    """
    generator, verifier = pair
    adjusted = table.votes - leniency
    peers = table.scored.copy()
    maker = own_verifiers(table)[table.generator.codes]
    made_by_verifier = np.flatnonzero(maker >= 0)
    peers[made_by_verifier, maker[made_by_verifier]] = False
    peers[:, verifier] = False
    rows = np.flatnonzero(table.scored[:, verifier] & peers.any(axis=1))
    others = np.where(peers, adjusted, 0.0)[rows].sum(axis=1) / peers[rows].sum(axis=1)
    gaps = adjusted[rows, verifier] - others
    return swap_p_value(
        gaps,
        table.generator.codes[rows],
        generator,
        resamples.clusters[rows],
        resamples.weights.shape[0],
        seed,
    )
