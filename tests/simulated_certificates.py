"""How often the interval of wrong labels holds the true share, by simulation.

    python -m tests.simulated_certificates [ROUNDS]
    python -m tests.simulated_certificates people [ROUNDS]
    python -m tests.simulated_certificates hardest [ROUNDS]

Rounds of 360 candidates from 20 base instances; a candidate is wrong at a rate that varies between base instances.
Three verifiers miss a fault, or fail a right item, if a common difficulty and a part of their own together pass a
threshold, so their errors are correlated. The panel is unanimous. Planted faults are of the same difficulty as natural
ones; 18 right items go with them. The truth is the share of wrong labels among the items that a round accepts: in the
long run, and in that round.

`people` adds a random sample of accepted items whose labels people read without error, and combines both. Verifiers
miss natural faults as often as planted ones, or twice as often.

`hardest` shows what a choice by difficulty does. Solvers answer the question as it is, whatever its label says. So they
are wrong about a right label as often as the item is difficult, and about a wrong label as often as it is not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.stats import norm

from perturb.auditing.votes import Tally
from perturb.metrics.corrected_rates import CONTRADICTED, Share, combined_wrong_share, wrong_label_share
from perturb.metrics.inputs import Flags

BASES, EACH, RIGHT, VERIFIERS = 20, 18, 18, 3
FALSE_FAIL = 0.05
SHARES = (0.005, 0.01, 0.03, 0.1)
PLANTED = (24, 60, 200)
PANELS = ((0.1, 0.5), (0.3, 0.3), (0.3, 0.7))
"""Miss rate of a verifier, and the correlation of the difficulties that verifiers meet."""


@dataclass(frozen=True)
class Panel:
    """A unanimous panel whose members err together."""

    miss: float
    correlation: float

    def accepts(self, wrong: Flags, generator: np.random.Generator) -> Flags:
        """Which items it accepts, given which have a wrong label."""
        common = generator.standard_normal((len(wrong), 1))
        own = generator.standard_normal((len(wrong), VERIFIERS))
        met = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
        missed = met < norm.ppf(self.miss)
        failed = met < norm.ppf(FALSE_FAIL)
        return np.asarray(np.where(wrong[:, None], missed, ~failed).all(axis=1))


@cache
def long_run(panel: Panel) -> tuple[float, float]:
    """The shares of wrong and of right items that a panel accepts."""
    generator = np.random.default_rng(1)
    many = 2_000_000
    wrong, right = np.ones(many, dtype=np.bool_), np.zeros(many, dtype=np.bool_)
    return float(panel.accepts(wrong, generator).mean()), float(panel.accepts(right, generator).mean())


def rate_for(share: float, panel: Panel) -> float:
    """How many candidates must be wrong for this share of wrong labels among the accepted ones."""
    false_pass, right_pass = long_run(panel)
    return share * right_pass / (false_pass * (1 - share) + share * right_pass)


@cache
def interval(
    passes: int, planted: int, right: int, accepted: float, n: float, items: int
) -> tuple[float, float]:
    """The ends of the interval; a share that is not known may be anything."""
    found = wrong_label_share(Share(passes, planted), Share(right, RIGHT), Share(accepted, n), items)
    return found.low or 0.0, 1.0 if found.high is None else found.high


def draw_round(share: float, panel: Panel, generator: np.random.Generator) -> tuple[Flags, Flags]:
    """Which candidates are wrong and which the panel accepts: shape (base instances, candidates)."""
    rate = rate_for(share, panel)
    rates = generator.beta(rate * 10, (1 - rate) * 10, BASES)
    wrong = generator.random((BASES, EACH)) < rates[:, None]
    return wrong, panel.accepts(wrong.ravel(), generator).reshape(wrong.shape)


def share_accepted(accepted: Flags) -> Share:
    """The share that the panel accepts, as a certificate counts it."""
    counts = {str(base): (int(row.sum()), EACH) for base, row in enumerate(accepted)}
    return Tally(int(accepted.sum()), accepted.size, counts).share


def simulate(
    share: float, planted: int, panel: Panel, rounds: int, generator: np.random.Generator
) -> tuple[float, float, float]:
    """Coverage of the share in the long run and of that of the round, and the median upper end."""
    held, held_round, highs = [], [], []
    for _ in range(rounds):
        wrong, accepted = draw_round(share, panel, generator)
        passes = int(panel.accepts(np.ones(planted, dtype=np.bool_), generator).sum())
        right = int(panel.accepts(np.zeros(RIGHT, dtype=np.bool_), generator).sum())
        tally = share_accepted(accepted)
        n = round(tally.n)  # rounded, so that rounds alike share an interval
        low, high = interval(passes, planted, right, round(tally.value * n), n, int(accepted.sum()))
        of_round = float((wrong & accepted).sum() / max(1, accepted.sum()))
        held.append(low <= share <= high)
        held_round.append(low <= of_round <= high)
        highs.append(high)
    return float(np.mean(held)), float(np.mean(held_round)), float(np.median(highs))


def table(rounds: int) -> Iterator[str]:
    """The table of the documentation, line by line."""
    generator = np.random.default_rng(7)
    yield "| a verifier misses, correlation | planted | true share | coverage | in the round | median upper end |"
    yield "|---|---:|---:|---:|---:|---:|"
    for miss, correlation in PANELS:
        for planted in PLANTED:
            for share in SHARES:
                panel = Panel(miss, correlation)
                held, held_round, high = simulate(share, planted, panel, rounds, generator)
                figures = f"{share:.1%} | {held:.3f} | {held_round:.3f} | {high:.1%}"
                yield f"| {miss:.0%}, {correlation} | {planted} | {figures} |"


READ = (30, 100)
HARDER = (1, 2)
"""So many times as often as a planted fault does a verifier miss a natural one."""


def simulate_people(
    share: float, planted: int, read: int, panels: tuple[Panel, Panel], generator: np.random.Generator
) -> tuple[float, ...]:
    """Of one round: whether both together, then people alone, hold the two shares; whether they contradict; upper ends.

    `panels` are the panel before planted items and before natural ones.
    """
    on_planted, panel = panels
    wrong, accepted = draw_round(share, panel, generator)
    passes = int(on_planted.accepts(np.ones(planted, dtype=np.bool_), generator).sum())
    right = int(panel.accepts(np.zeros(RIGHT, dtype=np.bool_), generator).sum())
    places = np.flatnonzero(accepted)
    chosen = generator.choice(places, min(read, len(places)), replace=False)
    hits = wrong.ravel()[chosen].astype(np.float64)
    people = Share.of_sample(hits, np.ones(len(chosen)), chosen // EACH)
    shares = Share(passes, planted), Share(right, RIGHT), share_accepted(accepted), people
    both, alone = combined_wrong_share(*shares, len(places)), people.estimate()
    truths = share, float(wrong[accepted].mean())
    ends = [(one.low or 0.0, 1.0 if one.high is None else one.high) for one in (both, alone)]
    holds = [float(low <= truth <= high) for low, high in ends for truth in truths]
    return (*holds, float(both.reason == CONTRADICTED), *(high for _, high in ends))


def people_table(rounds: int) -> Iterator[str]:
    """The table of planted items beside a sample that people read, line by line."""
    generator = np.random.default_rng(9)
    yield (
        "| a verifier misses, correlation | natural faults | planted | read | true share | coverage | in the round"
        " | people alone | contradicted | median upper end | people alone |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (miss, correlation), harder, planted, read, share in product(PANELS, HARDER, (24, 200), READ, SHARES):
        panels = Panel(miss, correlation), Panel(miss * harder, correlation)
        told = np.array([simulate_people(share, planted, read, panels, generator) for _ in range(rounds)])
        held, of_round, alone, _, contradicted, *_ = told.mean(axis=0)
        high, high_alone = np.median(told[:, 5:], axis=0)
        missed = "as often" if harder == 1 else "twice as often"
        yield (
            f"| {miss:.0%}, {correlation} | {missed} | {planted} | {read} | {share:.1%} | {held:.3f} | {of_round:.3f}"
            f" | {alone:.3f} | {contradicted:.1%} | {high:.1%} | {high_alone:.1%} |"
        )


SOLVERS, SAMPLES, ITEMS = 3, 2, 1000
DIFFICULTIES = (0.05, 0.2, 0.5)
"""Mean share of the replies to rightly labelled items that are wrong; items vary by a beta distribution around it."""


def hardest_tenth(
    error: float, difficulty: float, rounds: int, generator: np.random.Generator
) -> list[float]:
    """The share of wrong labels among the tenth of the items that solvers get wrong most often, by round."""
    shares = []
    for _ in range(rounds):
        wrong = generator.random(ITEMS) < error
        hard = generator.beta(2 * difficulty, 2 * (1 - difficulty), ITEMS)
        missed = generator.binomial(SOLVERS * SAMPLES, np.where(wrong, 1 - hard, hard))
        order = np.lexsort((generator.random(ITEMS), -missed))
        shares.append(float(wrong[order[: ITEMS // 10]].mean()))
    return shares


def hardest_table(rounds: int) -> Iterator[str]:
    """The table of what choosing hard items does to wrong labels, line by line."""
    generator = np.random.default_rng(8)
    yield "| wrong labels in the round | replies that are wrong | wrong labels in the hardest tenth | 95 % of rounds |"
    yield "|---:|---:|---:|---:|"
    for error in (0.01, 0.03):
        for difficulty in DIFFICULTIES:
            shares = hardest_tenth(error, difficulty, rounds, generator)
            low, high = np.quantile(shares, (0.025, 0.975))
            yield f"| {error:.0%} | {difficulty:.0%} | {np.mean(shares):.1%} | {low:.0%} to {high:.0%} |"


if __name__ == "__main__":
    tables = {"people": people_table, "hardest": hardest_table}
    chosen = next((one for name, one in tables.items() if name in sys.argv), table)
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    for line in chosen(numbers[0] if numbers else 500):
        print(line, flush=True)
