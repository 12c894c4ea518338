"""How often the interval of wrong labels holds the true share, by simulation.

    python -m tests.simulated_certificates [ROUNDS]
    python -m tests.simulated_certificates alone [ROUNDS]
    python -m tests.simulated_certificates people [ROUNDS]
    python -m tests.simulated_certificates hardest [ROUNDS]

Rounds of 360 candidates from 20 base instances; a candidate is wrong at a rate that varies between base instances.
Three verifiers miss a fault, or fail a right item, if a common difficulty and a part of their own together pass a
threshold, so their errors are correlated. The panel is unanimous. Planted faults are of the same difficulty as natural
ones; 18 right items go with them. The truth is the share of wrong labels among the items that a round accepts: in the
long run, and in that round.

`alone` tells what the first verifier would let through if it decided alone. It misses natural faults as often as
planted ones, or twice as often; the other verifiers miss both as often. The true share is that among the candidates
that it passes.

`people` adds a random sample of accepted items whose labels people read without error, and combines both. Verifiers
miss natural faults as often as planted ones, or twice as often.

`hardest` shows what a choice by difficulty does. Solvers answer the question as it is, whatever its label says. So they
are wrong about a right label as often as the item is difficult, and about a wrong label as often as it is not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.stats import norm

from perturb.auditing.votes import Tally
from perturb.metrics.corrected_rates import (
    CONTRADICTED,
    Share,
    Shares,
    combined_wrong_share,
    wrong_label_share,
    wrong_label_share_alone,
)
from perturb.metrics.inputs import Estimate, Flags

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
    first: int = 1
    """The first verifier misses a fault so many times as often as the others."""

    def passes(self, wrong: Flags, generator: np.random.Generator) -> Flags:
        """Which items each verifier passes, given which have a wrong label: shape (items, verifiers)."""
        common = generator.standard_normal((len(wrong), 1))
        own = generator.standard_normal((len(wrong), VERIFIERS))
        met = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
        missed = met < norm.ppf(self.miss * np.array([self.first, 1, 1]))
        failed = met < norm.ppf(FALSE_FAIL)
        return np.asarray(np.where(wrong[:, None], missed, ~failed))


Panels = tuple[Panel, Panel]
"""The panel before planted items, and before natural ones."""


@cache
def long_run(panel: Panel) -> tuple[float, float]:
    """The shares of wrong and of right items that a panel accepts."""
    generator = np.random.default_rng(1)
    many = 2_000_000
    wrong, right = np.ones(many, dtype=np.bool_), np.zeros(many, dtype=np.bool_)
    false_pass, right_pass = (panel.passes(items, generator).all(axis=1).mean() for items in (wrong, right))
    return float(false_pass), float(right_pass)


def rate_for(share: float, panel: Panel) -> float:
    """How many candidates must be wrong for this share of wrong labels among the accepted ones."""
    false_pass, right_pass = long_run(panel)
    return share * right_pass / (false_pass * (1 - share) + share * right_pass)


@dataclass(frozen=True)
class Round:
    """Candidates and planted items of a round, with what verifiers pass: shape (items, verifiers)."""

    wrong: Flags
    """Which candidates have a wrong label; those of one base instance stand together."""
    candidates: Flags
    faults: Flags
    right: Flags

    @classmethod
    def drawn(cls, share: float, planted: int, panels: Panels, generator: np.random.Generator) -> Round:
        """A round in which the panel accepts this share of wrong labels in the long run."""
        on_planted, panel = panels
        rate = rate_for(share, panel)
        rates = generator.beta(rate * 10, (1 - rate) * 10, BASES)
        wrong = (generator.random((BASES, EACH)) < rates[:, None]).ravel()
        return cls(
            wrong=wrong,
            candidates=panel.passes(wrong, generator),
            faults=on_planted.passes(np.ones(planted, dtype=np.bool_), generator),
            right=panel.passes(np.zeros(RIGHT, dtype=np.bool_), generator),
        )

    def passed(self, verifiers: int = VERIFIERS) -> Flags:
        """Which candidates the first verifiers pass together."""
        return np.asarray(self.candidates[:, :verifiers].all(axis=1))

    def shares(self, verifiers: int = VERIFIERS) -> Shares:
        """The shares of planted faults, right items and candidates that the first verifiers pass together."""
        faults, right = (
            Share(int(passes[:, :verifiers].all(axis=1).sum()), len(passes))
            for passes in (self.faults, self.right)
        )
        passed = self.passed(verifiers).reshape(BASES, EACH)
        counts = {str(base): (int(row.sum()), EACH) for base, row in enumerate(passed)}
        return faults, right, Tally(int(passed.sum()), passed.size, counts).share


def holds(estimates: Sequence[Estimate], *truths: float) -> list[float]:
    """Whether each interval holds each true share, then the upper ends."""
    ends = [(estimate.low or 0.0, 1.0 if estimate.high is None else estimate.high) for estimate in estimates]
    held = [float(low <= truth <= high) for low, high in ends for truth in truths]
    return held + [high for _, high in ends]


def simulate(share: float, planted: int, panels: Panels, generator: np.random.Generator) -> list[float]:
    """Of one round: whether the interval holds the share in the long run and that of the round; its upper end."""
    drawn = Round.drawn(share, planted, panels, generator)
    accepted = drawn.passed()
    estimate = wrong_label_share(*drawn.shares(), int(accepted.sum()))
    return holds([estimate], share, drawn.wrong[accepted].mean())


def table(rounds: int) -> Iterator[str]:
    """The table of the documentation, line by line."""
    generator = np.random.default_rng(7)
    yield "| a verifier misses, correlation | planted | true share | coverage | in the round | median upper end |"
    yield "|---|---:|---:|---:|---:|---:|"
    for miss, correlation in PANELS:
        for planted in PLANTED:
            for share in SHARES:
                panels = (Panel(miss, correlation),) * 2
                rows = np.array([simulate(share, planted, panels, generator) for _ in range(rounds)])
                held, held_round, _ = rows.mean(axis=0)
                figures = f"{share:.1%} | {held:.3f} | {held_round:.3f} | {np.median(rows[:, 2]):.1%}"
                yield f"| {miss:.0%}, {correlation} | {planted} | {figures} |"


READ = (30, 100)
MISSED = {1: "as often", 2: "twice as often"}
HARDER = tuple(MISSED)
"""So many times as often as a planted fault does a verifier miss a natural one."""


def simulate_alone(share: float, planted: int, panels: Panels, generator: np.random.Generator) -> list[float]:
    """Of one round: whether the interval of the first verifier, then that of planted items, hold the two shares.

    Then the two upper ends, and the true share. `share` is that of the panel.
    """
    drawn, panel = Round.drawn(share, planted, panels, generator), panels[1]
    passed = drawn.passed(1)
    member, items = drawn.shares(1), int(passed.sum())
    rejected = 1 - drawn.passed().sum() / items
    estimates = (
        wrong_label_share_alone(member, drawn.shares(), rejected, items),
        wrong_label_share(*member, items),
    )
    missed = rate_for(share, panel) * panel.miss * panel.first
    truth = missed / (missed + (1 - rate_for(share, panel)) * (1 - FALSE_FAIL))
    return [*holds(estimates, truth, drawn.wrong[passed].mean()), truth]


def alone_table(rounds: int) -> Iterator[str]:
    """The table of what the first verifier would let through alone, line by line."""
    generator = np.random.default_rng(10)
    yield (
        "| a verifier misses, correlation | the first misses natural faults | planted | the panel's share | its share"
        " | coverage | in the round | planted items alone | in the round | median upper end | planted items alone |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (miss, correlation), harder, planted, share in product(PANELS, HARDER, (24, 200), SHARES):
        panels = Panel(miss, correlation), Panel(miss, correlation, harder)
        rows = np.array([simulate_alone(share, planted, panels, generator) for _ in range(rounds)])
        coverage = " | ".join(f"{held:.3f}" for held in rows[:, :4].mean(axis=0))
        highs = " | ".join(f"{high:.1%}" for high in np.median(rows[:, 4:6], axis=0))
        setting = f"{miss:.0%}, {correlation} | {MISSED[harder]} | {planted} | {share:.1%} | {rows[0, 6]:.1%}"
        yield f"| {setting} | {coverage} | {highs} |"


def simulate_people(
    share: float, planted: int, read: int, panels: Panels, generator: np.random.Generator
) -> list[float]:
    """Of one round: whether both together, then people alone, hold the two shares; the upper ends.

    At last, whether people and planted items contradict each other.
    """
    drawn = Round.drawn(share, planted, panels, generator)
    places = np.flatnonzero(drawn.passed())
    chosen = generator.choice(places, min(read, len(places)), replace=False)
    hits = drawn.wrong[chosen].astype(np.float64)
    people = Share.of_sample(hits, np.ones(len(chosen)), chosen // EACH)
    both = combined_wrong_share(*drawn.shares(), people, len(places))
    held = holds([both, people.estimate()], share, drawn.wrong[places].mean())
    return [*held, float(both.reason == CONTRADICTED)]


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
        rows = np.array([simulate_people(share, planted, read, panels, generator) for _ in range(rounds)])
        held, of_round, alone, *_, contradicted = rows.mean(axis=0)
        high, high_alone = np.median(rows[:, 4:6], axis=0)
        yield (
            f"| {miss:.0%}, {correlation} | {MISSED[harder]} | {planted} | {read} | {share:.1%} | {held:.3f}"
            f" | {of_round:.3f} | {alone:.3f} | {contradicted:.1%} | {high:.1%} | {high_alone:.1%} |"
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
    tables = {"alone": alone_table, "people": people_table, "hardest": hardest_table}
    chosen = next((make for name, make in tables.items() if name in sys.argv), table)
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    for line in chosen(numbers[0] if numbers else 500):
        print(line, flush=True)
