"""Agreement between pairs of verifiers and within the panel, with intervals, and the number of votes it is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from perturb.auditing.votes import CANDIDATE_WORDS, VoteTable
from perturb.metrics import agreement as vote_counts
from perturb.metrics.agreement import NO_PAIRS, NO_VARIANCE, VoteWords, no_variance
from perturb.metrics.inputs import Estimate, Flags, Floats, plain
from perturb.metrics.intervals import TAIL, Bounded, reported_estimate
from perturb.metrics.resampling import Resamples, Totals

ONE_VERIFIER = "agreement takes two raters; there is one"

PANEL_NAMES = {
    "agreement": "raw agreement",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
    "fleiss": "Fleiss' κ",
    "alpha": "Krippendorff's α",
}
"""The coefficients of a whole panel, as readers know them."""

MIN_RARE = 3
"""With fewer votes of the rarer kind κ gets no interval: it would hold nearly every value."""

MANY_RARE = 20
"""With so many of them a rarer vote counts twice: the commoner ones tell something too."""

_PANEL: dict[str, tuple[Callable[[Floats], Floats], str]] = {
    "agreement": (vote_counts.panel_agreement, NO_PAIRS),
    "pabak": (vote_counts.panel_pabak, NO_PAIRS),
    "ac1": (vote_counts.panel_ac1, NO_PAIRS),
    "fleiss": (vote_counts.panel_fleiss, NO_VARIANCE),
    "alpha": (vote_counts.panel_alpha, NO_VARIANCE),
}


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters on the items that both scored: verifiers and candidates, judges or people and replies."""

    a: str
    b: str
    n: int
    """Items that both scored."""
    prevalence: float | None
    """Share of passes, or of the first kind, among their votes: κ is low near 0 or 1, however well they agree."""
    kappa: Estimate
    agreement: Estimate
    pabak: Estimate
    ac1: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of the audit: κ and its interval at the top level."""
        return plain(self) | self.kappa.spread("kappa")


@dataclass(frozen=True, slots=True)
class Agreement:
    """All that is said about agreement."""

    pairs: tuple[PairAgreement, ...]
    mean_kappa: Estimate
    """Mean of κ over the pairs in which it is defined; `n` counts those pairs."""
    panel: dict[str, Estimate]
    """The whole panel: agreement, pabak, ac1, fleiss, alpha."""


def measure_agreement(table: VoteTable, resamples: Resamples) -> Agreement:
    """Agreement of the panel (spec, section 5)."""
    kinds, names = 1 - table.votes, table.verifiers
    pairs = tuple(
        _Pair.of((names[i], names[j]), kinds[:, i], kinds[:, j], resamples, words=table.words)
        for i, j in combinations(range(len(names)), 2)
    )
    return Agreement(
        tuple(pair.measure() for pair in pairs),
        _mean_kappa(pairs, table, resamples),
        _panel(table, resamples),
    )


def measure_grades(
    names: tuple[str, str], first: Floats, second: Floats, kinds: int, resamples: Resamples
) -> PairAgreement:
    """Agreement of two raters who give each reply one of several kinds of grade, from 0; NaN where they give none."""
    return _Pair.of(names, first, second, resamples, kinds, graded=True).measure()


@dataclass(frozen=True)
class _Pair:
    """What two raters say of the items that both scored."""

    a: str
    b: str
    totals: Totals
    both: Flags
    resamples: Resamples
    graded: bool = False
    """Replies are graded, not candidates passed or failed."""
    words: VoteWords = CANDIDATE_WORDS

    @classmethod
    def of(
        cls,
        names: tuple[str, str],
        first: Floats,
        second: Floats,
        resamples: Resamples,
        kinds: int = 2,
        *,
        graded: bool = False,
        words: VoteWords = CANDIDATE_WORDS,
    ) -> _Pair:
        both, codes = vote_counts.pair_codes(first, second, kinds)
        ones = np.ones((len(codes), 1))
        totals = resamples.totals(ones, groups=codes, n_groups=kinds**2, rows=np.flatnonzero(both))
        summed = Totals(totals.point[..., 0], totals.replicates[..., 0])
        return cls(*names, summed, both, resamples, graded, words)

    @property
    def n(self) -> int:
        return int(self.totals.point.sum())

    @cached_property
    def kappas(self) -> Floats:
        return vote_counts.pair_kappa(self.totals.replicates)

    @property
    def rare(self) -> tuple[float, float]:
        """Votes of the rarer kinds, all but the commonest, of each of the two."""
        first, second = (
            self.n - float(pair_margin.max()) for pair_margin in vote_counts.pair_margins(self.totals.point)
        )
        return first, second

    @cached_property
    def kappa(self) -> Bounded | Estimate:
        """κ on the range that it can have at these pass rates.

        Nearly all its information lies in the votes of the rarer kind: there it is the share that both cast.
        """
        value = float(vote_counts.pair_kappa(self.totals.point))
        if np.isnan(value):
            return Estimate.undefined(self._no_variance or NO_PAIRS, self.n)
        if min(self.rare) < MIN_RARE:
            counts = self.totals.point
            failed = min(counts[2] + counts[3], counts[1] + counts[3])
            verb = self.words.failed if failed <= self.n / 2 else self.words.passed
            verb = "graded other than the commonest way" if self.graded else verb
            return Estimate(
                value,
                n=self.n,
                reason=f"no interval: {min(self.rare):.0f} of {self.n} {verb}: too few to say",
            )
        low, trials = vote_counts.pair_kappa_floor(self.totals.point), _worth(sum(self.rare) / 2, self.n)
        return self.bounded(value, self.kappas, float(low), trials)

    @property
    def _no_variance(self) -> str | None:
        """Why κ is undefined."""
        if not self.graded:
            return no_variance(self.totals.point, self.a, self.b, self.words)
        alike = (pair_margin.max() == self.n for pair_margin in vote_counts.pair_margins(self.totals.point))
        names = [name for name, same in zip((self.a, self.b), alike, strict=True) if same]
        return f"{' and '.join(names)} gave every reply the same grade" if self.n and names else None

    def bounded(
        self, value: float, replicates: Floats, low: float, trials: float | None = None
    ) -> Bounded | Estimate:
        clusters = self.resamples.count(self.both)
        return self.resamples.bounded(
            value, replicates, self.n, NO_PAIRS, clusters=clusters, low=low, trials=trials
        )

    def measure(self) -> PairAgreement:
        counts, n = self.totals.point, self.n
        first, second = vote_counts.pair_margins(counts)

        def measured(coefficient: Callable[[Floats], Floats], low: float) -> Estimate:
            return reported_estimate(
                self.bounded(float(coefficient(counts)), coefficient(self.totals.replicates), low)
            )

        return PairAgreement(
            a=self.a,
            b=self.b,
            n=n,
            prevalence=float((first[0] + second[0]) / (2 * n)) if n else None,
            kappa=reported_estimate(self.kappa),
            agreement=measured(vote_counts.pair_agreement, 0.0),
            pabak=measured(vote_counts.pair_pabak, -1.0),
            ac1=measured(vote_counts.pair_ac1, -1.0),
        )


def _worth(rare: float, n: float) -> float:
    """How many independent trials κ is worth at best: one for each rarer vote while they are few, up to n.

    A panel of many is then worth no more than a pair, as all may fail the same few candidates.
    """
    return min(n, rare * (1 + rare / MANY_RARE))


def _mean_kappa(pairs: Sequence[_Pair], table: VoteTable, resamples: Resamples) -> Estimate:
    defined = [pair for pair in pairs if pair.kappa.value is not None]
    if not defined:
        reason = (
            ONE_VERIFIER
            if len(table.verifiers) < 2
            else f"κ is undefined for every pair of {table.words.raters}"
        )
        return Estimate.undefined(reason)
    value = float(np.mean([pair.kappa.value for pair in defined]))
    bounded = [pair.kappa for pair in defined if isinstance(pair.kappa, Bounded)]
    if len(bounded) < len(defined):
        without = next(pair.kappa for pair in defined if isinstance(pair.kappa, Estimate))
        return Estimate(value, n=len(defined), reason=without.reason)
    columns = np.stack([pair.kappas for pair in defined])
    known = ~np.isnan(columns)
    sums, counts = np.where(known, columns, 0.0).sum(axis=0), known.sum(axis=0)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    low = float(np.mean([one.low for one in bounded]))
    trials = float(np.mean([_worth(sum(pair.rare) / 2, pair.n * table.mean_judges / 2) for pair in defined]))
    clusters = min(one.clusters for one in bounded)
    return reported_estimate(
        resamples.bounded(value, means, len(defined), clusters=clusters, low=low, trials=trials)
    )


def _panel(table: VoteTable, resamples: Resamples) -> dict[str, Estimate]:
    if len(table.verifiers) < 2:
        return {name: Estimate.undefined(ONE_VERIFIER) for name in _PANEL}
    totals = resamples.totals(vote_counts.panel_counts(table.votes))
    counts, replicates = totals.point[0], totals.replicates[:, 0]
    n, clusters = int(counts[0]), resamples.count(table.scored.sum(axis=1) >= 2)
    rare = min(counts[3], counts[2] - counts[3])  # in candidates
    worth = table.mean_judges / 2  # a panel of many says more of a candidate than a pair does

    def measured(name: str) -> Estimate:
        coefficient, reason = _PANEL[name]
        value, floors = float(coefficient(counts)), {"agreement": 0.0, "pabak": -1.0, "ac1": -1.0}
        options: dict[str, Any] = {"low": floors.get(name, 0.0), "trials": n * worth}
        if name not in floors:  # as κ of a pair
            if not np.isnan(value) and rare < MIN_RARE:
                passed, votes = counts[5:7]
                few = f"fails are {votes - passed:.0f}" if 2 * passed > votes else f"passes are {passed:.0f}"
                return Estimate(value, n=n, reason=f"no interval: {few} of {votes:.0f} votes: too few to say")
            common = max(counts[3], counts[2] - counts[3])
            options = {"low": min(value, 1 - counts[2] / max(common, 1)), "trials": _worth(rare, n * worth)}
        why = reason if n else NO_PAIRS
        return reported_estimate(
            resamples.bounded(value, coefficient(replicates), n, why, clusters=clusters, **options)
        )

    return {name: measured(name) for name in _PANEL}


def effective_votes(errors: Floats, seed: int = 0, resamples: int = 1000) -> Estimate:
    """How many independent verifiers err as rarely together: k / (1 + (k - 1) r), r the mean correlation of errors.

    `errors` has a row for each item about which the truth is known and a column for each of k verifiers: 1 where it
    erred. In [1, k]; undefined where fewer than two verifiers erred. Reference: Kish (1965), Survey Sampling.

    >>> alike = np.array([[1, 1], [0, 0], [1, 1], [0, 0]], dtype=float)
    >>> effective_votes(alike).value
    1.0
    """
    n, members = errors.shape
    if members < 2:
        return Estimate.undefined("the panel has one verifier", n)
    value = _effective(errors)
    if value is None:
        return Estimate.undefined("fewer than two verifiers erred on planted items", n)
    generator = np.random.default_rng(seed)
    again = [_effective(errors[generator.integers(0, n, n)]) for _ in range(resamples)]
    defined = [one for one in again if one is not None]
    low, high = np.quantile(defined, [TAIL, 1 - TAIL])
    return Estimate(value, float(min(low, value)), float(max(high, value)), n=n)


def _effective(errors: Floats) -> float | None:
    members = errors.shape[1]
    varied = errors[:, errors.std(axis=0) > 0]
    if varied.shape[1] < 2:
        return None
    correlation = np.atleast_2d(np.corrcoef(varied, rowvar=False))
    pairs = correlation[np.triu_indices(varied.shape[1], 1)]
    return float(members / (1 + (members - 1) * max(float(pairs.mean()), 0.0)))
