"""Self-evaluation bias: does a model pass its own candidates more readily than its peers do?

Two measures. The bias as published: the rate at which a model passes its own candidates less the mean rate at which the
other verifiers pass the same ones. A lenient verifier shows such a bias towards everybody, so beside it stands a
difference-in-differences (`perturb.audit.leniency`), which takes out leniency and quality.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.audit.leniency import (
    SelfPreference,
    clustered_rate,
    measure_self_preference,
    passes_and_votes,
    shares_of,
)
from perturb.audit.votes import VoteTable
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Flags
from perturb.metrics.intervals import Bounded, reported_estimate, weighted_sum
from perturb.metrics.resampling import Resamples, Totals


@dataclass(frozen=True, slots=True)
class ClassBias:
    """The bias of a model within one perturbation class."""

    name: str
    n: int
    own: float | None
    peers: float | None
    bias: Estimate
    """In percentage points."""

    def to_dict(self) -> dict[str, Any]:
        """One row of the JSON."""
        content = {"name": self.name, "n": self.n, "self": self.own, "peers": self.peers}
        return content | self.bias.spread("bias_pp")


@dataclass(frozen=True, slots=True)
class SelfBias:
    """The bias of one model, or why there is none to report."""

    model: str
    role: str
    """"both", "generates only" or "verifies only"."""
    n: int
    """Its own candidates on which it and a peer voted."""
    own: float | None
    """Share of them that it passes; averaged over the peers if some do not judge all classes."""
    peers: float | None
    """Mean share that the other verifiers pass."""
    bias: Estimate
    """`own` less `peers`, in percentage points."""
    did: Estimate
    """The difference-in-differences, in percentage points; the interval holds those of both scales."""
    p_value: float | None
    """Two-sided p-value of the latter, read off its interval."""
    additive: Estimate
    """The same difference with leniency and quality taken as additive in pass rates, for comparison."""
    by_class: tuple[ClassBias, ...] = ()

    def to_dict(self) -> dict[str, Any]:
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
            "by_class": [one.to_dict() for one in self.by_class],
        }


def measure_bias(table: VoteTable, resamples: Resamples) -> tuple[SelfBias, ...]:
    """Every generator and verifier with its bias, or with the part it does not play."""
    own_verifier = own_verifiers(table)
    favours = measure_self_preference(table, own_verifier, resamples)
    rows = []
    for generator, name in enumerate(table.generator.names):
        verifier = own_verifier[generator]
        if verifier < 0:
            rows.append(_absent(name, "generates only", f"{name} is not a verifier of this panel"))
        else:
            rows.append(_measure(table, resamples, favours[generator], (generator, verifier)))
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
    return SelfBias(model, role, 0, None, None, nothing, nothing, None, nothing)


def _measure(
    table: VoteTable, resamples: Resamples, favour: SelfPreference, pair: tuple[int, int]
) -> SelfBias:
    generator, verifier = pair
    name = table.generator.names[generator]
    by_peers = np.delete(table.scored, verifier, axis=1).any(axis=1)
    mask = (table.generator.codes == generator) & table.scored[:, verifier] & by_peers
    rows = np.flatnonzero(mask)
    if not len(rows):
        reason = f"no candidate of {name} has both its own vote and a peer's"
        return _absent(name, "both", reason)
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
        did=favour.logit,
        p_value=favour.p_value,
        additive=favour.additive,
        by_class=tuple(_class_biases(table, votes, verifier, resamples, mask)),
    )


def _bias(
    by_class: Totals, judged: Flags, verifier: int, n: int, resamples: Resamples, clusters: int
) -> tuple[float | None, float | None, Estimate]:
    """A model's own rate, the mean rate of the peers that voted, and the difference in percentage points.

    `judged` has the shape (classes, verifiers). Each peer is set against the model in the classes that both judge.
    """
    votes = shares_of(by_class.point.sum(axis=0))[1]
    peers = [int(peer) for peer in np.flatnonzero(votes > 0) if peer != verifier]
    if not n or not peers:
        return None, None, Estimate.undefined("none of its own candidates in this class", n)

    def rate(voter: int, classes: Flags) -> Bounded | Estimate:
        shares, votes = shares_of(by_class.point[classes].sum(axis=0))
        replicates = shares_of(by_class.replicates[:, classes].sum(axis=1))[0][:, voter]
        return clustered_rate(resamples, float(shares[voter]), replicates, votes[voter], clusters)

    both = judged[:, peers] & judged[:, [verifier]]
    kinds, counts = np.unique(both, axis=1, return_counts=True)
    own = [rate(verifier, classes) for classes in kinds.T]
    theirs = [rate(peer, classes) for peer, classes in zip(peers, both.T, strict=True)]
    shares = [*(counts / len(peers)), *[-1 / len(peers)] * len(peers)]
    gap = reported_estimate(weighted_sum([*own, *theirs], shares, n), 100)
    means = (
        float(np.average([one.value for one in own], weights=counts)),
        float(np.mean([p.value for p in theirs])),
    )
    return *means, gap


def _class_biases(
    table: VoteTable, votes: Totals, verifier: int, resamples: Resamples, mine: Flags
) -> Iterable[ClassBias]:
    counts = votes.point[:, len(table.verifiers) + verifier].astype(int)
    for number, name in enumerate(table.perturbation_class.names):
        totals = Totals(votes.point[[number]], votes.replicates[:, [number]])
        clusters = resamples.count(mine & (table.perturbation_class.codes == number))
        n = int(counts[number])
        yield ClassBias(name, n, *_bias(totals, table.judged[[number]], verifier, n, resamples, clusters))
