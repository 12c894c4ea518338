"""Rates corrected by items with a known truth: replies that people graded, and planted items.

**A judge's rate** (`CorrectedRate`). People grade a sample of the replies that a judge graded. Their grades correct the
judge's rate in each stratum (PPI++). A tuning weight says how much the judge's grades count: 1 if the judge agrees with
people, 0 if its grades are uninformative. The interval is Wilson's, with the size that gives the variance of the sums
over base instances.

**The share of wrong labels** (`wrong_label_share`) comes from the verdicts of a panel on planted items:

- a: the share of all candidates that the panel accepts,
- f: the share of items with a wrong label that it accepts (false passes),
- s: the share of items with a right label that it accepts (right passes),
- w = (s - a) / (s - f): the share of wrong labels among the candidates,
- q = w f / a: the share of wrong labels among the accepted candidates,
- r = w (1 - f) / (1 - a): the share of wrong labels among the rejected candidates.

f and s are shares of joint verdicts, so the members of the panel may depend on each other. Intervals are melded: each
share has the confidence distribution of Clopper and Pearson's limits, and an end of the interval is a quantile of q
over draws from these distributions. It keeps its level because q is monotone in each share.

Right candidates pass at least as often as all candidates do. A draw with s below a therefore says nothing about the
right candidates of the round. For the upper end it is taken as s = 1: the panel fails no right candidate.

**What one verifier would let through alone** (`wrong_label_share_alone`). A member of the panel passes some candidates
that the panel rejects. Natural faults can be harder to see than planted ones, so planted faults tell little about these
candidates. For the upper end, they are wrong as often as all candidates that the panel rejects, which is r.

**People and planted items together** (`combined_wrong_share`). People read a random sample of accepted items. The
confidence distributions of both estimates are added on the scale of normal deviates. A narrow interval has a large
weight.

References: Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453; Fisch et al. (2024), arXiv 2406.04291, on strata;
Rogan and Gladen (1978), American Journal of Epidemiology 107; Lang and Reiczigel (2014), Preventive Veterinary
Medicine 113; Fay, Proschan and Brittain (2015), Biometrics 71, on melding; Singh, Xie and Strawderman (2005), Annals of
Statistics 33, on combining; Kish (1965), Survey Sampling, on effective sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from perturb.metrics.inputs import Estimate, Flags, Floats, Integers
from perturb.metrics.intervals import TAIL, t_quantile, wilson_interval

# The fewest grades of judged replies with which a rate is corrected.
FEWEST_GRADES = 10
# Strata with fewer grades are merged.
SMALLEST_STRATUM = 5


@dataclass(frozen=True)
class CorrectedRate:
    """A corrected rate, or a weighted sum of such rates, with the parts of its interval."""

    value: float
    influence: Floats
    """The contribution of each base instance to the error, shape (base instances); the squares sum to the variance."""
    floor: float
    """The variance that one more disagreement would add: the sample may have missed some."""
    n_human: int
    """Number of replies that people graded."""
    clusters: int
    """Number of base instances with a counted reply, or with a graded one if these are fewer."""
    low: float = 0.0
    """The smallest possible value."""
    high: float = 1.0
    reason: str | None = None
    """The reason why there is no value."""

    @classmethod
    def of(
        cls, judge: Floats, human: Floats, decided: Flags, strata: Sequence[str], bases: Integers, total: int
    ) -> CorrectedRate:
        """The rate, from columns with one row for each reply that it counts.

        `judge` has 0 or 1; `human` also has NaN for a reply without a grade. `decided` is False for replies that a rule
        graded, which need no correction. `strata` has the name of each reply's group, and `bases` the number of its
        base instance, from 0 to `total` - 1.

        >>> grades = np.tile([1.0, 0.0], 20)
        >>> rate = CorrectedRate.of(grades, grades, grades > -1, ["a"] * 40, np.arange(40), 40)
        >>> rate.value, rate.n_human
        (0.5, 40)
        """
        # whether people graded a reply that a judge decided
        graded = ~np.isnan(human) & decided
        n_human = int(graded.sum())
        if not len(judge):
            return cls._undefined("no reply counts", total)
        if decided.any() and n_human < min(FEWEST_GRADES, int(decided.sum())):
            reason = (
                f"people graded {n_human} of the replies that a judge decided: {FEWEST_GRADES} are needed"
            )
            return cls._undefined(reason, total, n_human)
        terms = _terms(judge, human, decided, graded, strata)
        by_people = np.bincount(bases, terms.value_influence, minlength=total)
        by_judge = np.bincount(bases, terms.correction_influence, minlength=total)
        weight = _tuning_weight(by_people, by_judge)
        counted_bases = bases[graded] if n_human else bases
        # One grade stands for the share of judged replies, divided by the number of grades.
        floor = (decided.mean() / n_human) ** 2 if 0 < n_human < decided.sum() else 0.0
        return cls(
            value=terms.value + weight * terms.correction,
            influence=by_people + weight * by_judge,
            floor=floor,
            n_human=n_human,
            clusters=len(np.unique(counted_bases)),
        )

    @classmethod
    def _undefined(cls, reason: str, total: int, n_human: int = 0) -> CorrectedRate:
        return cls(math.nan, np.zeros(total), 0.0, n_human, 0, reason=reason)

    def estimate(self) -> Estimate:
        """The value with its 95 % interval; `n` is the number of human grades."""
        if self.reason:
            return Estimate.undefined(self.reason, self.n_human)
        value = min(max(self.value, self.low), self.high)
        if self.clusters < 2:
            return Estimate(value, n=self.n_human, reason="there is only one base instance")
        variance = self._variance()
        t = t_quantile(self.clusters)
        is_difference = self.low < 0
        if is_difference:
            reach = t * math.sqrt(variance)
            low, high = value - reach, value + reach
        else:
            low, high = wilson_interval(value, self._effective_trials(value, variance), t)
        return Estimate(value, max(low, self.low), min(high, self.high), math.sqrt(variance), self.n_human)

    def _variance(self) -> float:
        """The variance of the value, with an allowance for disagreements that the sample of grades has missed."""
        count = np.count_nonzero(self.influence) or self.clusters
        observed = float(self.influence @ self.influence) * count / max(count - 1, 1)
        # Half a disagreement more than the grades show, and at least two.
        return max(observed + self.floor / 2, 2 * self.floor)

    def _effective_trials(self, value: float, variance: float) -> float:
        """The number of independent trials in which a share of this value has this variance."""
        size = max(self.n_human, self.clusters)
        if not variance:
            return float(size)
        # A share of 0 or 1 has no binomial variance, so one hit and one miss are added.
        share = (value * size + 1) / (size + 2)
        # No real sample is so large; the limit keeps a tiny variance from an overflow.
        most = size * 1e6
        return min(share * (1 - share) / variance, most)


def combined(parts: Sequence[CorrectedRate], weights: Sequence[float]) -> CorrectedRate:
    """The weighted sum of rates over the same base instances, such as a mean or a difference.

    >>> grades = np.tile([1.0, 0.0], 20)
    >>> rate = CorrectedRate.of(grades, grades, grades > -1, ["a"] * 40, np.arange(40), 40)
    >>> combined([rate, rate], [1.0, -1.0]).estimate().value
    0.0
    """
    if undefined := [part for part in parts if part.reason]:
        return replace(undefined[0], n_human=sum(part.n_human for part in parts))
    pairs = list(zip(weights, parts, strict=True))
    return CorrectedRate(
        value=float(sum(weight * part.value for weight, part in pairs)),
        influence=np.asarray(sum(weight * part.influence for weight, part in pairs)),
        floor=sum(weight**2 * part.floor for weight, part in pairs),
        n_human=sum(part.n_human for part in parts),
        clusters=min(part.clusters for part in parts),
        # A negative weight turns an interval around.
        low=sum(weight * (part.low if weight > 0 else part.high) for weight, part in pairs),
        high=sum(weight * (part.high if weight > 0 else part.low) for weight, part in pairs),
    )


@dataclass(frozen=True)
class _Terms:
    """The two parts of a corrected rate, each with the influence of every reply on it."""

    value: float
    """The rate from people's grades, and from those of rules."""
    correction: float
    """The judge's rate on all replies minus its rate on the replies that people graded."""
    value_influence: Floats
    correction_influence: Floats


def _terms(judge: Floats, human: Floats, decided: Flags, graded: Flags, strata: Sequence[str]) -> _Terms:
    """Sum both parts over the strata.

    The influence of a reply on a mean of strata has two parts. If the reply is in the sample of its stratum, its
    deviation from the mean of the sample counts. The weight is the share of the stratum, divided by the size of the
    sample. The sizes of the strata are random too: the mean of its stratum counts for each reply, divided by their
    number.
    """
    n = len(judge)
    value, correction = 0.0, 0.0
    value_influence, correction_influence = np.zeros(n), np.zeros(n)
    for rows in _strata(graded, decided, strata):
        # a rule's grades are right, so all its replies are a sample
        by_rule = not decided[rows].any()
        sample = rows if by_rule else rows & graded
        grades = (judge if by_rule else human)[sample]
        share, size = rows.sum() / n, sample.sum()
        people_mean, judge_mean = grades.mean(), judge[sample].mean()
        value += share * people_mean
        correction += share * (judge[rows].mean() - judge_mean)
        # the root is the correction n / (n - 1) of a sample variance
        weight_of_grade = share / size * math.sqrt(size / max(size - 1, 1))
        value_influence[rows] += people_mean / n
        value_influence[sample] += weight_of_grade * (grades - people_mean)
        correction_influence[rows] += (judge[rows] - judge_mean) / n
        correction_influence[sample] -= weight_of_grade * (judge[sample] - judge_mean)
    return _Terms(
        float(value), float(correction), value_influence - value / n, correction_influence - correction / n
    )


def _tuning_weight(by_people: np.ndarray, by_judge: np.ndarray) -> float:
    """The weight in [0, 1] of the correction that gives the sum of both influences the smallest variance.

    |people + w judge|² is smallest at w = -(people · judge) / |judge|².
    """
    judge_variance = by_judge @ by_judge
    if judge_variance == 0:
        return 1.0
    return float(np.clip(-(by_people @ by_judge) / judge_variance, 0, 1))


def _strata(graded: Flags, decided: Flags, names: Sequence[str]) -> list[Flags]:
    """The rows of each stratum of replies that a judge decided, then the replies that a rule graded.

    Strata with too few grades are merged, unless every reply in them has a grade.
    """
    labels = np.array(names, dtype=str)
    strata, remaining = [], decided
    for name in np.unique(labels[decided]):
        rows = decided & (labels == name)
        if (rows & graded).sum() >= SMALLEST_STRATUM or graded[rows].all():
            strata.append(rows)
            remaining = remaining & ~rows
    if strata and (remaining & graded).sum() < SMALLEST_STRATUM:
        strata[0] = strata[0] | remaining
    else:
        strata.append(remaining)
    return [rows for rows in (*strata, ~decided) if rows.any()]


# Number of draws from each confidence distribution.
DRAWS = 20_000

# The reasons why a share of wrong labels cannot be estimated: by the panel, and by a single verifier.
CANNOT_TELL = "the panel cannot tell right from wrong: it passes planted faults as often as right items"
MEMBER_CANNOT_TELL = "it passes planted faults as often as right items"

# The odds that the panel passes a natural fault may be this many times those of a planted fault.
#
# That is so for a unanimous panel of three if each verifier misses natural faults twice as often.
HARDER_TO_SEE = 6.0

# The note of a combined estimate if the two sources differ by more than chance.
CONTRADICTED = "people and planted items contradict each other: these are the figures of people"


@dataclass(frozen=True, slots=True)
class Share:
    """A count of hits among a number of trials; both may be effective numbers."""

    hits: float
    n: float

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self.hits / self.n

    @property
    def misses(self) -> Share:
        """The share of the trials that are not hits."""
        return Share(self.n - self.hits, self.n)

    @classmethod
    def of_sample(cls, hits: Floats, weights: Floats, bases: Integers) -> Share:
        """The weighted share of hits (0 or 1), with the effective number of independent trials.

        A weight is the number of items that a row stands for; `bases` has the number of each row's base instance.
        Unequal weights and shared base instances lower the effective number.

        >>> Share.of_sample(np.array([1.0, 0, 0, 0]), np.ones(4), np.arange(4))
        Share(hits=0.75, n=3.0)
        """
        weights = weights / weights.sum()
        share = float(weights @ hits)
        # Kish's effective number of unequal weights that sum to 1
        n = float(1 / (weights @ weights))
        deviation_of_base = np.bincount(bases, weights * (hits - share))
        clusters = len(np.unique(bases))
        if 0 < share < 1 and clusters > 1:
            variance = float(deviation_of_base @ deviation_of_base) * clusters / (clusters - 1)
            n = min(n, share * (1 - share) / variance)
        return cls(share * n, n)

    def confidence(self, shares: Floats, *, upper: bool) -> Floats:
        """The confidence distribution function of the upper or the lower limit, at these shares."""
        from scipy.special import betainc

        hits, misses = self._beta(upper=upper)
        # a limit that is certain, at 0 or at 1
        if hits <= 0 or misses <= 0:
            return (shares >= float(hits > 0)).astype(np.float64)
        return np.asarray(betainc(hits, misses, shares))

    def draws(self, generator: np.random.Generator, *, upper: bool) -> Floats:
        """Draws from the confidence distribution of the upper or the lower limit."""
        hits, misses = self._beta(upper=upper)
        if hits <= 0 or misses <= 0:
            return np.full(DRAWS, float(hits > 0))
        return generator.beta(hits, misses, DRAWS)

    def _beta(self, *, upper: bool) -> tuple[float, float]:
        """The parameters of the beta distribution of Clopper and Pearson's upper or lower limit: hits and misses.

        It is the distribution of the share if the next trial is a hit (upper limit) or a miss (lower limit).
        """
        misses = self.n - self.hits
        return (self.hits + 1, misses) if upper else (self.hits, misses + 1)

    def estimate(self) -> Estimate:
        """The share with Clopper and Pearson's 95 % interval.

        >>> Share(0, 24).estimate().high.__round__(3)
        0.142
        """
        from scipy.special import betaincinv

        if not self.n:
            return Estimate.undefined("nothing of the kind was scored")
        low = float(betaincinv(*self._beta(upper=False), TAIL)) if self.hits else 0.0
        high = float(betaincinv(*self._beta(upper=True), 1 - TAIL)) if self.hits < self.n else 1.0
        # for very small numbers of hits the inverse has an error of about 1e-12, which could exclude the value
        return Estimate(self.value, min(low, self.value), max(high, self.value), n=round(self.n))


# The shares of planted faults, of right items and of candidates that a panel, or a member of it, passes.
Shares = tuple[Share, Share, Share]


def wrong_label_share(
    false_passes: Share, right_passes: Share, accepted: Share, items: int | None = None
) -> Estimate:
    """The share of wrong labels among accepted candidates, in [0, 1], with its 95 % interval.

    `false_passes` is the share of planted faults that the panel accepts, `right_passes` that of right items, and
    `accepted` that of the round's candidates. With `items`, the interval is for the share among this number of accepted
    items, which also varies by chance; without, for the long-run share. Undefined, with the upper end 1, if the panel
    passes faults as often as right items.

    >>> wrong = wrong_label_share(Share(2, 40), Share(36, 36), Share(230, 250))
    >>> round(wrong.value, 4), wrong.low < wrong.value < wrong.high
    (0.0046, True)
    """
    n = round(false_passes.n)
    # without a value, any share up to 1 is possible
    undefined = Estimate(None, high=1.0, n=n)
    counts = {"planted faults": false_passes.n, "right items": right_passes.n}
    missing = [name for name, count in counts.items() if not count]
    if missing:
        return replace(undefined, reason=f"there are no {' and no '.join(missing)}")
    if not accepted.hits:
        return replace(undefined, reason="nothing was accepted")
    panel = false_passes, right_passes, accepted
    limits = _limits(panel, items)
    if limits is None:
        return replace(undefined, reason=CANNOT_TELL)
    value = float(_wrong_share(*(np.array([share.value]) for share in panel))[0])
    lows, highs = limits
    low, high = float(np.quantile(lows, TAIL)), float(np.quantile(highs, 1 - TAIL))
    return Estimate(value, min(low, value), max(high, value), n=n)


def wrong_label_share_alone(
    member: Shares, panel: Shares, rejected: float, items: int | None = None
) -> Estimate:
    """The share of wrong labels among the candidates that one member of the panel passes, in [0, 1].

    `rejected` is the share of these candidates that the panel rejects. The value and the lower end are those of
    `wrong_label_share` for the member. The upper end is at least that of a mixture: the candidates that the panel
    accepts are wrong as often as it says, and the others as often as all candidates that the panel rejects. `items` is
    the number of candidates that the member passes, if the interval is for these.

    >>> hurried, panel = (Share(0, 44), Share(17, 18), Share(263, 266)), (Share(0, 44), Share(14, 18), Share(246, 266))
    >>> wrong = wrong_label_share_alone(hurried, panel, 17 / 263)
    >>> wrong.value, round(wrong_label_share(*hurried).high, 3), round(wrong.high, 2)
    (0.0, 0.001, 0.07)
    """
    alone = wrong_label_share(*member, items)
    if alone.reason == CANNOT_TELL:
        return replace(alone, reason=MEMBER_CANNOT_TELL)
    if alone.value is None or not rejected:
        return alone
    limits = _limits(panel, items, rejected=rejected)
    if limits is None:
        return replace(alone, high=1.0, reason=CANNOT_TELL)
    _, highs = limits
    return replace(alone, high=max(alone.high or 0.0, float(np.quantile(highs, 1 - TAIL))))


def _limits(
    panel: Shares, items: int | None, *, odds: float = 1.0, rejected: float = 0.0
) -> tuple[Floats, Floats] | None:
    """Draws of the lower and of the upper limit of the share of wrong labels, each of shape (`DRAWS`,).

    None if the panel cannot tell right from wrong. For the upper limit, the odds of a false pass are multiplied by
    `odds`, and a share `rejected` of the candidates is wrong as often as those that the panel rejects. With `items`,
    the limits are of the share among this number of items.
    """
    generator = np.random.default_rng(0)
    # f, s and a as in the docstring of the module: draws from the confidence distributions of both limits of each
    f_high, s_high, a_high = (share.draws(generator, upper=True) for share in panel)
    f_low, s_low, a_low = (share.draws(generator, upper=False) for share in panel)
    # The panel can tell if right items pass more often than faults, even at the unfavourable ends of both shares.
    if np.quantile(s_low - f_high, TAIL) <= 0:
        return None
    # If the odds f / (1 - f) are multiplied, f becomes odds f / (1 - f + odds f).
    f_high = odds * f_high / (1 + (odds - 1) * f_high)
    # Right candidates pass at least as often as all candidates. If the planted right items pass less often, they are
    # harder than those of the round and say nothing about it. Then the panel is taken to fail no right candidate.
    s_high = np.where(s_high < a_low, 1.0, s_high)
    # The share of wrong labels rises with f and s, and falls with a.
    lows = _wrong_share(f_low, s_low, a_high)
    highs = _wrong_share(f_high, s_high, a_low, rejected=rejected)
    if items:
        return generator.binomial(items, lows) / items, generator.binomial(items, highs) / items
    return lows, highs


def combined_wrong_share(
    false_passes: Share, right_passes: Share, accepted: Share, people: Share, items: int
) -> Estimate:
    """The share of wrong labels, from planted items and from `people`, the share that people found wrong; in [0, 1].

    People estimate the share directly, planted items through the panel. Each gives a confidence distribution. An end of
    the interval is the share at which the weighted sum of their normal deviates has the deviate of that end. The
    weights are inverse to the widths of the two intervals. Natural faults may be harder to see than planted ones: for
    the upper end, the odds that the panel passes them are multiplied by `HARDER_TO_SEE`. The interval can therefore be
    wider than that of planted items alone.

    If the two contradict each other at the 5 % level, or if the panel cannot tell right from wrong, the estimate is
    that of people, with the reason.

    >>> wrong = combined_wrong_share(Share(0, 40), Share(36, 36), Share(240, 250), Share(0, 60), 240)
    >>> wrong.value, wrong.high < Share(0, 60).estimate().high
    (0.0, True)
    """
    panel = false_passes, right_passes, accepted
    planted, read = wrong_label_share(*panel, items), people.estimate()
    limits = _limits(panel, items, odds=HARDER_TO_SEE)
    if planted.value is None or limits is None or read.low is None or read.high is None:
        return replace(read, reason=planted.reason or read.reason)
    lows, highs = map(np.sort, limits)
    # the confidence that people find more, or fewer, wrong labels than planted items imply
    more = (1 - people.confidence(highs, upper=False)).mean()
    fewer = people.confidence(lows, upper=True).mean()
    if max(more, fewer) > 1 - TAIL:
        return replace(read, reason=CONTRADICTED)
    # Two weights: of people, then of planted items.
    widths = [read.high - read.low, np.quantile(highs, 1 - TAIL) - np.quantile(lows, TAIL)]
    weights = 1 / np.maximum(widths, 1e-9)
    # A sum of independent normal deviates is one itself if the squares of the weights sum to 1.
    weights /= np.linalg.norm(weights)
    # they do so apart from the last digit
    value = min(1.0, float(weights**2 @ [read.value, planted.value]))
    low = _combined_end(people, lows, weights, upper=False)
    high = _combined_end(people, highs, weights, upper=True)
    return Estimate(value, min(low, value), max(high, value), n=planted.n + read.n)


def _combined_end(people: Share, draws: Floats, weights: Floats, *, upper: bool) -> float:
    """An end of the combined interval: the first share at which the weighted deviates reach the deviate of the end.

    `draws` are the sorted limits from planted items; `weights` are of people and of planted items.
    """
    from scipy.special import ndtri

    shares = np.linspace(0.0, 1.0, DRAWS + 1)
    # The confidence of both sources that the share of wrong labels is at most this.
    people_level = people.confidence(shares, upper=upper)
    planted_level = np.searchsorted(draws, shares, side="right") / DRAWS
    # a level of 0 or 1 has no finite deviate
    levels = np.clip([people_level, planted_level], 1 / DRAWS, 1 - 1 / DRAWS)
    combined_deviates = weights @ ndtri(levels)
    end = ndtri(1 - TAIL if upper else TAIL)
    return float(shares[np.argmax(combined_deviates >= end)])


def _wrong_share(f: Floats, s: Floats, a: Floats, *, rejected: float = 0.0) -> Floats:
    """The share of wrong labels among accepted candidates, q in the docstring of the module; 1 if undefined.

    If a share `rejected` of the candidates was rejected instead, r is the share of wrong labels among these.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        # This is above 1 if a < f. Then q and r are 1 too, after clipping.
        among_all = np.where(s > f, np.maximum((s - a) / (s - f), 0.0), 1.0)
        of_accepted = np.where(a > 0, np.clip(among_all * f / a, 0.0, 1.0), 1.0)
        of_rejected = np.where(a < 1, np.clip(among_all * (1 - f) / (1 - a), 0.0, 1.0), 1.0)
        return of_accepted + rejected * (of_rejected - of_accepted)
