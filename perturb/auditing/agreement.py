"""Agreement between pairs of verifiers and within the panel, with intervals, and the effective number of votes.

`perturb.metrics.agreement` computes the coefficients. This module adds their intervals, and the reason why a
coefficient or an interval is missing. Intervals come from resamples of the base instances. They also need the lowest
value that a coefficient can have, and the number of independent trials that it is worth (`perturb.metrics.intervals`).

A verdict is *rare* if it is the less common one of pass and fail. κ and α learn nearly everything from rare verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from perturb.auditing.votes import CANDIDATE_WORDS, VoteTable
from perturb.metrics import agreement as vote_counts
from perturb.metrics.agreement import NO_PAIRS, NO_VARIANCE, PanelColumn, VoteWords, no_variance
from perturb.metrics.inputs import Estimate, Flags, Floats, plain, ratio
from perturb.metrics.intervals import TAIL, Bounded, reported_estimate
from perturb.metrics.resampling import Resamples, Totals
from perturb.records import JsonObject

# The reason why there is no agreement to measure.
ONE_VERIFIER = "agreement takes two raters; there is one"

# With fewer rare verdicts κ gets no interval: it would contain nearly every value.
MIN_RARE = 3

# The resamples of items behind the interval of the effective number of votes.
_RESAMPLES = 1000

# With this many rare verdicts each counts as two trials: the commoner verdicts are informative too.
MANY_RARE = 20


class _Coefficient(NamedTuple):
    """A coefficient of agreement of a whole panel."""

    title: str
    """Its usual name."""
    compute: Callable[[Floats], Floats]
    """From sums of `panel_counts`."""
    undefined: str
    """The reason why it may be undefined although some candidates have two votes."""
    lowest: float | None
    """The lowest value that it can have; None if that depends on how common the rare verdict is."""


_PANEL = {
    "agreement": _Coefficient("raw agreement", vote_counts.panel_agreement, NO_PAIRS, 0.0),
    "pabak": _Coefficient("PABAK", vote_counts.panel_pabak, NO_PAIRS, -1.0),
    "ac1": _Coefficient("Gwet's AC1", vote_counts.panel_ac1, NO_PAIRS, -1.0),
    "fleiss": _Coefficient("Fleiss' κ", vote_counts.panel_fleiss, NO_VARIANCE, None),
    "alpha": _Coefficient("Krippendorff's α", vote_counts.panel_alpha, NO_VARIANCE, None),
}
PANEL_NAMES = {name: coefficient.title for name, coefficient in _PANEL.items()}


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
    """Agreement of each pair of raters of a vote table, and of all of them."""
    fails = 1 - table.votes  # a pass is the kind 0, so that passes come first
    verifiers = zip(table.verifiers, fails.T, strict=True)
    pairs = [
        _Pair.of((a, b), fails_of_a, fails_of_b, resamples, words=table.words)
        for (a, fails_of_a), (b, fails_of_b) in combinations(verifiers, 2)
    ]
    return Agreement(
        pairs=tuple(pair.measure() for pair in pairs),
        mean_kappa=_mean_kappa(pairs, table, resamples),
        panel=_measure_panel(table, resamples),
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
        # Each item counts 1, in one column. Its last axis is dropped.
        ones = np.ones((len(codes), 1))
        rows = np.flatnonzero(scored_by_both)
        totals = resamples.totals(ones, groups=codes, n_groups=kinds**2, rows=rows)
        counts = Totals(totals.point[..., 0], totals.replicates[..., 0])
        a, b = names
        return cls(a, b, counts, scored_by_both, resamples, graded, words)

    @property
    def n(self) -> int:
        return int(self.totals.point.sum())

    @cached_property
    def kappas(self) -> Floats:
        return vote_counts.pair_kappa(self.totals.replicates)

    @property
    def rare(self) -> tuple[float, float]:
        """The number of votes that are not of the commonest kind, for each of the two raters."""
        margin_a, margin_b = vote_counts.pair_margins(self.totals.point)
        return self.n - float(margin_a.max()), self.n - float(margin_b.max())

    @cached_property
    def kappa(self) -> Bounded | Estimate:
        """κ on the range that it can have at these pass rates.

        κ is close to the share of the rare votes on which both raters agree. So its precision depends on their number.
        """
        value = float(vote_counts.pair_kappa(self.totals.point))
        if np.isnan(value):
            return Estimate.undefined(self._no_variance or NO_PAIRS, self.n)
        fewest = min(self.rare)
        if fewest < MIN_RARE:
            reason = f"no interval: {fewest:.0f} of {self.n} {self._rare_verb}: too few to say"
            return Estimate(value, n=self.n, reason=reason)
        lowest = float(vote_counts.pair_kappa_floor(self.totals.point))
        trials = _trials_of_kappa(sum(self.rare) / 2, self.n)
        return self.bounded(value, self.kappas, lowest, trials)

    @property
    def _rare_verb(self) -> str:
        """What raters rarely did: failed, passed, or graded in an uncommon way."""
        if self.graded:
            return "graded other than the commonest way"
        _, pass_fail, fail_pass, fail_fail = self.totals.point
        fails_of_a, fails_of_b = fail_pass + fail_fail, pass_fail + fail_fail
        # Fails are the rare votes if one of the raters failed at most half of the items.
        fails_are_rare = min(fails_of_a, fails_of_b) <= self.n / 2
        return self.words.failed if fails_are_rare else self.words.passed

    @property
    def _no_variance(self) -> str | None:
        """The reason why κ is undefined; None if the raters' votes vary."""
        if not self.graded:
            return no_variance(self.totals.point, self.a, self.b, self.words)
        if not self.n:
            return None
        names = [name for name, rare in zip((self.a, self.b), self.rare, strict=True) if rare == 0]
        return f"{' and '.join(names)} gave every reply the same grade" if names else None

    def bounded(
        self, value: float, replicates: Floats, low: float, trials: float | None = None
    ) -> Bounded | Estimate:
        """A coefficient with its precision; `low` is its lowest possible value."""
        clusters = self.resamples.count(self.scored_by_both)
        return self.resamples.bounded(
            value, replicates, self.n, NO_PAIRS, clusters=clusters, low=low, trials=trials
        )

    def measure(self) -> PairAgreement:
        counts, n = self.totals.point, self.n
        margin_a, margin_b = vote_counts.pair_margins(counts)

        def measured(coefficient: Callable[[Floats], Floats], low: float) -> Estimate:
            value, replicates = float(coefficient(counts)), coefficient(self.totals.replicates)
            return reported_estimate(self.bounded(value, replicates, low))

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


def _trials_of_kappa(rare: float, most: float) -> float:
    """The number of independent trials that κ is worth without clusters, at most `most`.

    If few verdicts are rare, each of them is one trial; each of `MANY_RARE` counts as two. This is a rule of thumb.
    `tests/measurements.md` has simulations of the intervals.
    """
    return min(most, rare * (1 + rare / MANY_RARE))


def _mean_kappa(pairs: Sequence[_Pair], table: VoteTable, resamples: Resamples) -> Estimate:
    """The mean of κ over the pairs that define it, with an interval if each of them has one.

    Its lowest possible value and the trials that it is worth are means over the pairs. The trials do not add up, since
    all verifiers may fail the same few candidates.
    """
    defined = [pair for pair in pairs if pair.kappa.value is not None]
    if not defined:
        undefined = f"κ is undefined for every pair of {table.words.raters}"
        return Estimate.undefined(ONE_VERIFIER if len(table.verifiers) < 2 else undefined)
    value = float(np.mean([pair.kappa.value for pair in defined]))
    bounded = []
    for pair in defined:
        if isinstance(pair.kappa, Estimate):
            return Estimate(value, n=len(defined), reason=pair.kappa.reason)
        bounded.append(pair.kappa)
    # The mean of each resample, over the pairs that it defines. `np.nanmean` warns if it defines none.
    kappas = np.stack([pair.kappas for pair in defined])
    sums = np.nansum(kappas, axis=0)
    means = ratio(sums, (~np.isnan(kappas)).sum(axis=0))
    lowest = float(np.mean([kappa.low for kappa in bounded]))
    trials = [_trials_of_kappa(sum(pair.rare) / 2, pair.n * table.mean_judges / 2) for pair in defined]
    # The pair with the fewest base instances has the widest interval, so it counts.
    clusters = min(kappa.clusters for kappa in bounded)
    return reported_estimate(
        resamples.bounded(
            value, means, len(defined), clusters=clusters, low=lowest, trials=float(np.mean(trials))
        )
    )


def _measure_panel(table: VoteTable, resamples: Resamples) -> dict[str, Estimate]:
    """Each coefficient of the whole panel, with its interval."""
    if len(table.verifiers) < 2:
        return {name: Estimate.undefined(ONE_VERIFIER) for name in _PANEL}
    totals = resamples.totals(vote_counts.panel_counts(table.votes))
    # All candidates are in one group, so the axis of groups is dropped.
    counts, replicates = totals.point[0], totals.replicates[:, 0]
    n = int(counts[PanelColumn.PAIRED])
    clusters = resamples.count(table.scored.sum(axis=1) >= 2)
    # A large panel is more informative about a candidate than a pair.
    trials_of_agreement = n * table.mean_judges / 2
    # Numbers of candidates. Each is split between the verdicts by the shares of its votes.
    passing = counts[PanelColumn.PASS_SHARE]
    rare, common = sorted((passing, counts[PanelColumn.RATED] - passing))
    # Of Fleiss' κ, if no candidate gets two rare verdicts. With a share r of rare verdicts, verifiers then disagree on
    # a share of 2r. By chance they would disagree on 2r (1 - r), so κ is 1 - 1 / (1 - r).
    lowest_kappa = 1 - (rare + common) / max(common, 1)

    def measured(coefficient: _Coefficient) -> Estimate:
        value = float(coefficient.compute(counts))
        if np.isnan(value):
            return Estimate.undefined(coefficient.undefined if n else NO_PAIRS, n)
        low, trials = coefficient.lowest, trials_of_agreement
        if low is None:
            # As for κ of a pair, the rare verdicts set the range and the number of trials.
            if rare < MIN_RARE:
                return Estimate(value, n=n, reason=_too_few_rare(counts))
            low = min(value, lowest_kappa)
            trials = _trials_of_kappa(rare, trials_of_agreement)
        resampled = coefficient.compute(replicates)
        return reported_estimate(
            resamples.bounded(value, resampled, n, clusters=clusters, low=low, trials=trials)
        )

    return {name: measured(coefficient) for name, coefficient in _PANEL.items()}


def _too_few_rare(counts: Floats) -> str:
    passes, votes = counts[PanelColumn.PASSES], counts[PanelColumn.VOTES]
    rare = f"fails are {votes - passes:.0f}" if 2 * passes > votes else f"passes are {passes:.0f}"
    return f"no interval: {rare} of {votes:.0f} votes: too few to say"


def effective_votes(errors: Floats) -> Estimate:
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
    generator = np.random.default_rng(0)  # a fixed seed, so that the same votes give the same interval
    # A resample without two verifiers that err has no correlation, and is left out of the interval.
    replicates = [_effective(errors[generator.integers(0, n, n)]) for _ in range(_RESAMPLES)]
    defined = [replicate for replicate in replicates if replicate is not None]
    low, high = np.quantile(defined, [TAIL, 1 - TAIL])
    return Estimate(value, float(min(low, value)), float(max(high, value)), n=n)


def _effective(errors: Floats) -> float | None:
    members = errors.shape[1]
    varied = errors[:, errors.std(axis=0) > 0]  # a verifier without errors has no correlation with others
    if varied.shape[1] < 2:
        return None
    correlation = np.asarray(np.corrcoef(varied, rowvar=False))
    pairs = correlation[np.triu_indices(varied.shape[1], 1)]
    return float(members / (1 + (members - 1) * max(float(pairs.mean()), 0.0)))
