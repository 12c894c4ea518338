"""How many labels are wrong, from what a panel makes of items about which the truth is known.

A panel accepts a share `a` of all candidates, a share `f` of items with a wrong label (false passes), and a share `s`
of right ones. The share of wrong labels among the candidates is w = (s - a) / (s - f), and among those accepted
q = w f / a. Nothing is assumed of the panel's members: `f` and `s` are shares of joint verdicts.

Intervals are melded: each share has a confidence distribution, the one that gives Clopper and Pearson's limits, and an
end of the interval is a quantile of q over draws from them. It keeps its level since q only rises, or only falls, with
each share.

References: Rogan and Gladen (1978), American Journal of Epidemiology 107; Lang and Reiczigel (2014), Preventive
Veterinary Medicine 113; Fay, Proschan and Brittain (2015), Biometrics 71, for melding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perturb.metrics.inputs import Estimate, Floats
from perturb.metrics.intervals import TAIL

DRAWS = 20_000

CANNOT_TELL = "the panel cannot tell right from wrong: it passes planted faults as often as right items"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; both may be effective numbers."""

    hits: float
    n: float

    @property
    def value(self) -> float:
        """The share, in [0, 1]."""
        return self.hits / self.n

    @property
    def misses(self) -> Share:
        """The share of the others."""
        return Share(self.n - self.hits, self.n)

    def draws(self, generator: np.random.Generator, *, upper: bool) -> Floats:
        """Draws from the confidence distribution of the upper or the lower limit."""
        hits, misses = self.hits + upper, self.n - self.hits + (not upper)
        if hits <= 0 or misses <= 0:
            return np.full(DRAWS, 0.0 if hits <= 0 else 1.0)
        return generator.beta(hits, misses, DRAWS)

    def estimate(self) -> Estimate:
        """The share with Clopper and Pearson's 95 % interval.

        >>> Share(0, 24).estimate().high.__round__(3)
        0.142
        """
        from scipy.special import betaincinv

        if not self.n:
            return Estimate.undefined("nothing of the kind was scored")
        low = float(betaincinv(self.hits, self.n - self.hits + 1, TAIL)) if self.hits else 0.0
        high = float(betaincinv(self.hits + 1, self.n - self.hits, 1 - TAIL)) if self.hits < self.n else 1.0
        return Estimate(self.value, low, high, n=round(self.n))


def wrong_label_share(
    false_passes: Share, right_passes: Share, accepted: Share, items: int | None = None, seed: int = 0
) -> Estimate:
    """The share of wrong labels among accepted candidates, in [0, 1], with its 95 % interval.

    `false_passes` are planted faults that the panel accepts, `right_passes` right items that it accepts, `accepted`
    candidates of the round that it accepts. With `items`, the interval is for the share among so many accepted items,
    which chance moves too; else for the share in the long run. Undefined, with 1 as upper end, if the panel passes
    faults as readily as right items.

    >>> found = wrong_label_share(Share(2, 40), Share(36, 36), Share(230, 250))
    >>> round(found.value, 4), found.low < found.value < found.high
    (0.0046, True)
    """
    n = round(false_passes.n)
    if not (false_passes.n and right_passes.n and accepted.hits):
        lacking = [
            what
            for what, share in (("planted faults", false_passes.n), ("right items", right_passes.n))
            if not share
        ]
        reason = f"there are no {' and no '.join(lacking)}" if lacking else "nothing was accepted"
        return Estimate(None, None, 1.0, n=n, reason=reason)
    generator = np.random.default_rng(seed)
    f_high, s_high, a_high = (
        share.draws(generator, upper=True) for share in (false_passes, right_passes, accepted)
    )
    f_low, s_low, a_low = (
        share.draws(generator, upper=False) for share in (false_passes, right_passes, accepted)
    )
    if np.quantile(s_low - f_high, TAIL) <= 0:
        return Estimate(None, None, 1.0, n=n, reason=CANNOT_TELL)
    shares = (np.array([one.value]) for one in (false_passes, right_passes, accepted))
    value = float(_wrong_share(*shares)[0])
    lows, highs = _wrong_share(f_low, s_low, a_high), _wrong_share(f_high, s_high, a_low)
    if items:
        lows, highs = (generator.binomial(items, shares) / items for shares in (lows, highs))
    low, high = float(np.quantile(lows, TAIL)), float(np.quantile(highs, 1 - TAIL))
    return Estimate(value, min(low, value), max(high, value), n=n)


def _wrong_share(f: Floats, s: Floats, a: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        among_all = np.where(s > f, np.clip((s - a) / (s - f), 0.0, 1.0), 1.0)
        return np.where(a > 0, np.clip(among_all * f / a, 0.0, 1.0), 1.0)


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
