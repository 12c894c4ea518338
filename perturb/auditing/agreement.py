"""Agreement between pairs of verifiers and within the panel, with intervals, and the effective number of votes.

The coefficients themselves are in `perturb.metrics.agreement`; this module adds resamples and reasons for gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from perturb.auditing.votes import CANDIDATE_WORDS, VoteTable
from perturb.metrics import agreement as vote_counts
from perturb.metrics.agreement import NO_PAIRS, NO_VARIANCE, VoteWords, no_variance
from perturb.metrics.inputs import Estimate, Flags, Floats, plain
from perturb.metrics.intervals import TAIL, Bounded, reported_estimate
from perturb.metrics.resampling import Resamples, Totals
from perturb.records import JsonObject

# The reason why there is no agreement to measure.
ONE_VERIFIER = "agreement takes two raters; there is one"

# The coefficients of a whole panel, with their usual names.
PANEL_NAMES = {
    "agreement": "raw agreement",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
    "fleiss": "Fleiss' κ",
    "alpha": "Krippendorff's α",
}

# With fewer votes of the rarer kind κ gets no interval: it would contain nearly every value.
MIN_RARE = 3

# With this many votes of the rarer kind each counts twice: the commoner votes are informative too.
MANY_RARE = 20

# The function of each coefficient, and the reason why it may be undefined.
_PANEL: dict[str, tuple[Callable[[Floats], Floats], str]] = {
    "agreement": (vote_counts.panel_agreement, NO_PAIRS),
    "pabak": (vote_counts.panel_pabak, NO_PAIRS),
    "ac1": (vote_counts.panel_ac1, NO_PAIRS),
    "fleiss": (vote_counts.panel_fleiss, NO_VARIANCE),
    "alpha": (vote_counts.panel_alpha, NO_VARIANCE),
}


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two raters on the items that both scored.

    The raters are verifiers who vote on candidates, or judges and people who grade replies.
    """

    a: str
    b: str
    n: int
    """Number of items that both scored."""
    prevalence: float | None
    """Share of passes, or of the first kind, among their votes. Near 0 or 1, κ is low even if raters agree well."""
    kappa: Estimate
    agreement: Estimate
    pabak: Estimate
    ac1: Estimate

    def to_dict(self) -> JsonObject:
        """One entry of the JSON of the audit, with κ and its interval at the top level."""
        return plain(self) | self.kappa.spread("kappa")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of every pair of raters and of the whole panel."""

    pairs: tuple[PairAgreement, ...]
    mean_kappa: Estimate
    """Mean of κ over the pairs that define it; `n` counts those pairs."""
    panel: dict[str, Estimate]
    """The whole panel: agreement, pabak, ac1, fleiss, alpha."""


def measure_agreement(table: VoteTable, resamples: Resamples) -> Agreement:
    """Agreement of the panel (spec, section 5)."""
    kinds, names = 1 - table.votes, table.verifiers  # a pass is the kind 0
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
    """Agreement of two raters who give each reply one of several kinds of grade: 0, 1, … or NaN for no grade."""
    return _Pair.of(names, first, second, resamples, kinds, graded=True).measure()


@dataclass(frozen=True)
class _Pair:
    """The votes of two raters on the items that both scored, and their coefficients."""

    a: str
    b: str
    totals: Totals
    """How often each pair of votes occurs: for two kinds pass-pass, pass-fail, fail-pass, fail-fail."""
    scored_by_both: Flags
    """Whether both scored the item."""
    resamples: Resamples
    graded: bool = False
    """Whether the raters graded replies, rather than passed or failed candidates."""
    words: VoteWords = CANDIDATE_WORDS

    @classmethod
    def of(
        cls,
        names: tuple[str, str],
        first_votes: Floats,
        second_votes: Floats,
        resamples: Resamples,
        kinds: int = 2,
        *,
        graded: bool = False,
        words: VoteWords = CANDIDATE_WORDS,
    ) -> _Pair:
        scored_by_both, codes = vote_counts.pair_codes(first_votes, second_votes, kinds)
        ones = np.ones((len(codes), 1))
        totals = resamples.totals(ones, groups=codes, n_groups=kinds**2, rows=np.flatnonzero(scored_by_both))
        summed = Totals(totals.point[..., 0], totals.replicates[..., 0])
        return cls(*names, summed, scored_by_both, resamples, graded, words)

    @property
    def n(self) -> int:
        return int(self.totals.point.sum())

    @cached_property
    def kappas(self) -> Floats:
        return vote_counts.pair_kappa(self.totals.replicates)

    @property
    def rare(self) -> tuple[float, float]:
        """The number of votes that are not of the commonest kind, for each of the two raters."""
        rare_of_a, rare_of_b = (
            self.n - float(pair_margin.max()) for pair_margin in vote_counts.pair_margins(self.totals.point)
        )
        return rare_of_a, rare_of_b

    @cached_property
    def kappa(self) -> Bounded | Estimate:
        """κ on the range that it can have at these pass rates.

        Nearly all its information comes from the votes of the rarer kind: κ is close to the share that both gave.
        """
        value = float(vote_counts.pair_kappa(self.totals.point))
        if np.isnan(value):
            return Estimate.undefined(self._no_variance or NO_PAIRS, self.n)
        if min(self.rare) < MIN_RARE:
            reason = f"no interval: {min(self.rare):.0f} of {self.n} {self._rare_verb}: too few to say"
            return Estimate(value, n=self.n, reason=reason)
        low, trials = vote_counts.pair_kappa_floor(self.totals.point), _worth(sum(self.rare) / 2, self.n)
        return self.bounded(value, self.kappas, float(low), trials)

    @property
    def _rare_verb(self) -> str:
        """What raters rarely did: failed, passed, or graded in an uncommon way."""
        if self.graded:
            return "graded other than the commonest way"
        _, pass_fail, fail_pass, fail_fail = self.totals.point
        failed = min(fail_pass + fail_fail, pass_fail + fail_fail)
        return self.words.failed if failed <= self.n / 2 else self.words.passed

    @property
    def _no_variance(self) -> str | None:
        """The reason why κ is undefined; None if the raters' votes vary."""
        if not self.graded:
            return no_variance(self.totals.point, self.a, self.b, self.words)
        margins = zip((self.a, self.b), vote_counts.pair_margins(self.totals.point), strict=True)
        names = [name for name, margin in margins if margin.max() == self.n]
        return f"{' and '.join(names)} gave every reply the same grade" if self.n and names else None

    def bounded(
        self, value: float, replicates: Floats, low: float, trials: float | None = None
    ) -> Bounded | Estimate:
        clusters = self.resamples.count(self.scored_by_both)
        return self.resamples.bounded(
            value, replicates, self.n, NO_PAIRS, clusters=clusters, low=low, trials=trials
        )

    def measure(self) -> PairAgreement:
        counts, n = self.totals.point, self.n
        margin_a, margin_b = vote_counts.pair_margins(counts)

        def measured(coefficient: Callable[[Floats], Floats], low: float) -> Estimate:
            """The coefficient with its interval; `low` is its lowest possible value."""
            return reported_estimate(
                self.bounded(float(coefficient(counts)), coefficient(self.totals.replicates), low)
            )

        return PairAgreement(
            a=self.a,
            b=self.b,
            n=n,
            prevalence=float((margin_a[0] + margin_b[0]) / (2 * n)) if n else None,
            kappa=reported_estimate(self.kappa),
            agreement=measured(vote_counts.pair_agreement, 0.0),
            pabak=measured(vote_counts.pair_pabak, -1.0),
            ac1=measured(vote_counts.pair_ac1, -1.0),
        )


def _worth(rare: float, n: float) -> float:
    """The number of independent trials that κ is worth without clusters, at most n.

    Each of a few rare votes is one trial. A large panel is then worth no more than a pair: all its verifiers may fail
    the same few candidates.
    """
    return min(n, rare * (1 + rare / MANY_RARE))


def _mean_kappa(pairs: Sequence[_Pair], table: VoteTable, resamples: Resamples) -> Estimate:
    defined = [pair for pair in pairs if pair.kappa.value is not None]
    if not defined:
        undefined = f"κ is undefined for every pair of {table.words.raters}"
        return Estimate.undefined(ONE_VERIFIER if len(table.verifiers) < 2 else undefined)
    value = float(np.mean([pair.kappa.value for pair in defined]))
    bounded = [pair.kappa for pair in defined if isinstance(pair.kappa, Bounded)]
    if len(bounded) < len(defined):
        without = next(pair.kappa for pair in defined if isinstance(pair.kappa, Estimate))
        return Estimate(value, n=len(defined), reason=without.reason)
    # the mean over the pairs that a resample defines; `np.nanmean` warns about resamples that define none
    kappas = np.stack([pair.kappas for pair in defined])
    is_defined = ~np.isnan(kappas)
    sums, counts = np.where(is_defined, kappas, 0.0).sum(axis=0), is_defined.sum(axis=0)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    low = float(np.mean([kappa.low for kappa in bounded]))
    trials = float(np.mean([_worth(sum(pair.rare) / 2, pair.n * table.mean_judges / 2) for pair in defined]))
    clusters = min(kappa.clusters for kappa in bounded)
    return reported_estimate(
        resamples.bounded(value, means, len(defined), clusters=clusters, low=low, trials=trials)
    )


def _panel(table: VoteTable, resamples: Resamples) -> dict[str, Estimate]:
    if len(table.verifiers) < 2:
        return {name: Estimate.undefined(ONE_VERIFIER) for name in _PANEL}
    totals = resamples.totals(vote_counts.panel_counts(table.votes))
    counts, replicates = totals.point[0], totals.replicates[:, 0]
    n, clusters = int(counts[0]), resamples.count(table.scored.sum(axis=1) >= 2)
    # Of `panel_counts`: the number of candidates with a vote, and the sum of their shares of passing votes.
    candidates, passing = counts[2:4]
    rare, common = sorted((passing, candidates - passing))
    pairs_worth = table.mean_judges / 2  # a large panel is more informative about a candidate than a pair
    floors = {"agreement": 0.0, "pabak": -1.0, "ac1": -1.0}

    def measured(name: str) -> Estimate:
        coefficient, reason_undefined = _PANEL[name]
        value = float(coefficient(counts))
        if name in floors:
            low, trials = floors[name], n * pairs_worth
        else:  # the votes of the rarer kind limit Fleiss' κ and α, as they do κ of a pair
            if not np.isnan(value) and rare < MIN_RARE:
                passed, votes = counts[5:7]
                rarer = (
                    f"fails are {votes - passed:.0f}" if 2 * passed > votes else f"passes are {passed:.0f}"
                )
                return Estimate(
                    value, n=n, reason=f"no interval: {rarer} of {votes:.0f} votes: too few to say"
                )
            low, trials = min(value, 1 - candidates / max(common, 1)), _worth(rare, n * pairs_worth)
        reason = reason_undefined if n else NO_PAIRS
        return reported_estimate(
            resamples.bounded(
                value, coefficient(replicates), n, reason, clusters=clusters, low=low, trials=trials
            )
        )

    return {name: measured(name) for name in _PANEL}


def effective_votes(errors: Floats, seed: int = 0, resamples: int = 1000) -> Estimate:
    """The number of independent verifiers that the panel is worth: k / (1 + (k - 1) r), in [1, k].

    `r` is the mean correlation of the errors of k verifiers. `errors` has a row for each item with a known label and a
    column for each verifier: 1 for an error. Undefined if fewer than two verifiers erred. Reference: Kish (1965),
    Survey Sampling.

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
    # A resample without two verifiers that err has no correlation, and is left out of the interval.
    replicates = [_effective(errors[generator.integers(0, n, n)]) for _ in range(resamples)]
    defined = [replicate for replicate in replicates if replicate is not None]
    low, high = np.quantile(defined, [TAIL, 1 - TAIL])
    return Estimate(value, float(min(low, value)), float(max(high, value)), n=n)


def _effective(errors: Floats) -> float | None:
    members = errors.shape[1]
    varied = errors[:, errors.std(axis=0) > 0]  # a verifier without errors has no correlation with others
    if varied.shape[1] < 2:
        return None
    correlation = np.atleast_2d(np.corrcoef(varied, rowvar=False))
    pairs = correlation[np.triu_indices(varied.shape[1], 1)]
    return float(members / (1 + (members - 1) * max(float(pairs.mean()), 0.0)))
