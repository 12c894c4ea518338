"""Studies of coverage and level: worlds with a known truth, through the functions that print the figures.

Used by `tests/metrics/test_intervals.py` with few replicates and by `tests/benchmarks/bench_intervals.py` with many.
A study hands back, for each figure, a list of whether its interval holds the truth (None: it gave none) or whether its
p-value is at most 0.05.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from perturb.auditing.agreement import measure_agreement
from perturb.auditing.audit_report import choose_sample
from perturb.auditing.bias import measure_bias
from perturb.auditing.votes import Labels, VoteTable
from perturb.metrics import BASReport, refusal_index
from perturb.metrics.inputs import Estimate, Floats, Integers
from perturb.metrics.outcomes import NO_LEVEL, ReplyOutcome
from perturb.metrics.refusal_registry import estimate_metrics
from perturb.metrics.resampling import Resamples
from perturb.scoring.model_comparison import compare_models
from perturb.scoring.model_scores import Resampling
from perturb.scoring.result_rows import ItemFields, ResultRow
from perturb.scoring.table import ModelReplies
from tests.auditing.simulated_panels import stop_at_first_fail

Found = dict[str, list[bool | None]]
RESAMPLES = 400
PLACES = {outcome: place for place, outcome in enumerate(ReplyOutcome)}


def shares(found: Found) -> dict[str, tuple[float, float, int]]:
    """Figure → share of hits, its Monte Carlo error, and of how many replicates it is taken."""
    table = {}
    for name, hits in found.items():
        known = np.array([hit for hit in hits if hit is not None], dtype=float)
        if len(known):
            share = float(known.mean())
            table[name] = (
                share,
                float(np.sqrt(max(share * (1 - share), 0.25 / len(known)) / len(known))),
                len(known),
            )
    return table


def holds(estimate: Any, truth: float) -> bool | None:
    """Whether an interval holds the truth; None where there is none."""
    if estimate.value is None or estimate.low is None:
        return None
    return bool(estimate.low - 1e-9 <= truth <= estimate.high + 1e-9)


def clustered(rng: np.random.Generator, bases: int, per_base: int, alike: float) -> Floats:
    """Uniform numbers; those of one base instance are one number with probability √`alike` each."""
    shared = np.repeat(rng.random(bases), per_base)
    return np.where(rng.random(len(shared)) < np.sqrt(alike), shared, rng.random(len(shared)))


# -- score ---------------------------------------------------------------------------------------------------


def replies(
    rng: np.random.Generator,
    bases: int,
    on_a: Sequence[float],
    on_u: Sequence[float],
    alike: float,
    per_u: int = 2,
) -> Integers:
    """Cells of an answerable and `per_u` unanswerable items a base; chances of the first two outcomes of each kind."""
    kinds = (
        (ReplyOutcome.FALSE_REFUSAL, ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.POOR_ANSWER),
        (ReplyOutcome.CORRECT_REFUSAL, ReplyOutcome.WRONG_CODE_REFUSAL, ReplyOutcome.MISSED_REFUSAL),
    )
    a = np.searchsorted(np.cumsum(on_a), rng.random(bases), side="right")
    u = np.searchsorted(np.cumsum(on_u), clustered(rng, bases, per_u, alike), side="right")
    outcome = np.array([[PLACES[one] for one in kind] for kind in kinds])
    return np.concatenate([outcome[0][a], outcome[1][u]])


def rates(
    bases: int,
    refused: float,
    right: float,
    code: float,
    runs: int,
    seed: int = 0,
    alike: float = 0.3,
    per_u: int = 2,
) -> Found:
    """One model: `refused` of U, 1 − `right` of A refused or poor by halves, `code` of the refusals right."""
    rng = np.random.default_rng(seed)
    on_a = ((1 - right) / 2, right)
    on_u = (refused * code, refused * (1 - code))
    refusals = per_u * refused + on_a[0]
    f1 = 2 * per_u * refused / (refusals + per_u)
    truths = {
        "answer_accuracy": right,
        "false_refusal_rate": on_a[0],
        "missed_refusal_rate": 1 - refused,
        "detection_precision": per_u * refused / refusals,
        "detection_f1": f1,
        "category_accuracy": code,
        "hierarchical_refusal_score": f1 * code,
        "refusal_accuracy": on_u[0],
        "calibrated_refusal_score": (right + on_u[0]) / 2,
    }
    base = np.concatenate([np.arange(bases), np.repeat(np.arange(bases), per_u)])
    found: Found = defaultdict(list)
    drawn = Resamples.draw(base, RESAMPLES, seed)
    for _ in range(runs):
        estimates = estimate_metrics(
            replies(rng, bases, on_a, on_u, alike, per_u) * (NO_LEVEL + 1) + NO_LEVEL, drawn, raf=False
        )
        for name, truth in truths.items():
            found[name].append(holds(estimates[name], truth))
    return found


def equal_models(bases: int, refused: tuple[float, float], code: float, runs: int, seed: int = 0) -> Found:
    """Two models that refuse differently often, with the same category accuracy, precision and calibration."""
    rng = np.random.default_rng(seed)
    base = np.concatenate([np.arange(bases), np.repeat(np.arange(bases), 2)])
    rows = tuple(
        ResultRow(
            "",
            "m",
            f"i{i:04}",
            ItemFields(f"b{one}", "", ""),
            "",
            None,
            None,
            ReplyOutcome.CORRECT_ANSWER,
            None,
        )
        for i, one in enumerate(base)
    )
    found: Found = defaultdict(list)
    for run in range(runs):
        models = []
        for name, rate in zip("ab", refused, strict=True):
            false = 2 * rate * 0.05 / 0.95  # the same precision of .95
            cells = replies(rng, bases, (false, 0.8 * (1 - false)), (rate * code, rate * (1 - code)), 0.3)
            level = np.where(rng.random(len(cells)) < 0.5, 0, 1)
            models.append(ModelReplies(name, rows, cells * (NO_LEVEL + 1) + level, raf=False))
        for compare_model in compare_models(models, Resampling(RESAMPLES, run)):
            if compare_model.metric in ("category_accuracy", "detection_precision", "ece_refusals"):
                found[compare_model.metric].append(
                    None if compare_model.p_value is None else compare_model.p_value <= 0.05
                )
    return found


# -- stated confidence ---------------------------------------------------------------------------------------

CONFIDENCES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "always 1": lambda rng, n: np.ones(n),
    "mostly sure": lambda rng, n: rng.choice(
        [0.5, 0.7, 0.9, 0.95, 0.99, 1.0], n, p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.2]
    ),
    "uniform": lambda rng, n: rng.uniform(0, 1, n),
}


def confidence(
    kind: str, bases: int, per_base: int, error: float | None, runs: int, seed: int = 0, alike: float = 0.0
) -> Found:
    """Answers with an error rate, or perfectly calibrated ones (`error` None): BAS and its companions."""
    from perturb.metrics import bas_utility

    rng = np.random.default_rng(seed)

    def chances(stated: Floats) -> Floats:
        return stated if error is None else np.full(len(stated), 1 - error)

    many = CONFIDENCES[kind](rng, 400_000)
    p = chances(many)
    by_prior = {
        f"bas_{prior}": float(
            np.mean(
                p * bas_utility(np.ones(len(many)), many, prior)
                + (1 - p) * bas_utility(np.zeros(len(many)), many, prior)
            )
        )
        for prior in ("uniform", "quadratic")
    }
    truths = {
        **by_prior,
        "accuracy": float(p.mean()),
        "brier": float(np.mean(p * (1 - many) ** 2 + (1 - p) * many**2)),
    }
    if error is None:
        truths["ece"] = 0.0
    base = np.repeat(np.arange(bases), per_base)
    found: Found = defaultdict(list)
    for run in range(runs):
        stated = CONFIDENCES[kind](rng, bases * per_base)
        correct = clustered(rng, bases, per_base, alike) < chances(stated)
        clusters = base if per_base > 1 else None
        report = BASReport(correct, stated, clusters=clusters, resamples=RESAMPLES, seed=run)
        for name, truth in truths.items():
            found[name].append(holds(report.metrics[name], truth))
        if error is None and hasattr(report, "calibration_p_value"):
            found["test of calibration: p ≤ .05"].append(report.calibration_p_value <= 0.05)
    return found


# -- panels --------------------------------------------------------------------------------------------------


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(x)))


@dataclass(frozen=True)
class Panel:
    """Four models judge candidates of all; all cast one vote with probability `agreement`, else each for itself.

    Each base instance has `per_base` candidates of each maker, or of one maker only. With `audited` the panel stops at
    the first fail, but for this share of the candidates.
    """

    chances: Floats
    bases: int
    per_base: int = 1
    one_maker: bool = False
    audited: float | None = None
    agreement: float = 0.4
    favour: float = 0.0
    """Points by which the first model's verdict on itself is planted above leniency and quality."""

    def draw(self, rng: np.random.Generator) -> VoteTable:
        """One such panel."""
        makers = len(self.chances)
        base = np.repeat(np.arange(self.bases), self.per_base * (1 if self.one_maker else makers))
        alternating = np.tile(np.repeat(np.arange(makers), self.per_base), self.bases)
        maker = base % makers if self.one_maker else alternating
        n = len(base)
        alone = rng.random((n, makers))
        coins = np.where(rng.random((n, 1)) < self.agreement, rng.random((n, 1)), alone)
        names = tuple(f"m{i}" for i in range(makers))
        one = Labels(("x",), np.zeros(n, dtype=np.int64))
        table = VoteTable(
            source="simulated",
            base=Labels(tuple(f"b{i}" for i in range(self.bases)), base),
            generator=Labels(names, maker),
            perturbation_class=one,
            intensity=one,
            lever=one,
            verifiers=names,
            states=(coins < self.chances[maker]).astype(np.int8),
            full_schedule=True,
        )
        if self.audited is None:
            return table
        return stop_at_first_fail(table, self.audited, int(rng.integers(2**31)))

    def samples(self, runs: int) -> Iterator[tuple[VoteTable, Resamples]]:
        """What an audit rests on, again and again."""
        rng = np.random.default_rng(0)
        for run in range(runs):
            _, table = choose_sample(self.draw(rng))
            yield table, Resamples.draw(table.base.codes, RESAMPLES, run)


def coefficients(panel: Panel) -> dict[str, float]:
    """The true ones of such a panel; κ of a pair is that of the first two."""
    chances, together = panel.chances, panel.agreement
    pairs = list(combinations(range(len(chances)), 2))
    first, second = (chances[:, [pair[side] for pair in pairs]] for side in (0, 1))
    both = (together * np.minimum(first, second) + (1 - together) * first * second).mean(axis=0)
    p, q = first.mean(axis=0), second.mean(axis=0)
    agreed, by_chance = 1 - p - q + 2 * both, p * q + (1 - p) * (1 - q)
    each = (agreed - by_chance) / (1 - by_chance)
    raw, differing = float(agreed.mean()), float(2 * chances.mean() * (1 - chances.mean()))
    fleiss = 1 - (1 - raw) / differing
    return {
        "κ of a pair": float(each[0]),
        "mean κ": float(each.mean()),
        "agreement": raw,
        "pabak": 2 * raw - 1,
        "ac1": (raw - differing) / (1 - differing),
        "fleiss": fleiss,
        "alpha": fleiss,
    }


def agreements(panel: Panel, runs: int) -> Found:
    """κ and the coefficients of a whole panel."""
    truths = coefficients(panel)
    found: Found = defaultdict(list)
    for table, drawn in panel.samples(runs):
        report = measure_agreement(table, drawn)
        estimates = {"κ of a pair": report.pairs[0].kappa, "mean κ": report.mean_kappa, **report.panel}
        for name, estimate in estimates.items():
            found[name].append(holds(estimate, truths[name]))
    return found


def biases(panel: Panel, runs: int) -> Found:
    """Self-bias and the difference-in-differences of the first model."""
    bias = 100 * float(panel.chances[0, 0] - panel.chances[0, 1:].mean())
    found: Found = defaultdict(list)
    for table, drawn in panel.samples(runs):
        row = measure_bias(table, drawn)[0]
        found["self-bias"].append(holds(row.bias, bias))
        found["favour"].append(holds(row.did, panel.favour))
        found["favour: p ≤ .05"].append(None if row.p_value is None else row.p_value <= 0.05)
    return found


# -- refusal index -------------------------------------------------------------------------------------------


def indices(
    bases: int, per_base: int, refused: float, wrong: float, index: float, alike: float, runs: int
) -> Found:
    """Urges to refuse and to err, bivariate normal, with a share `alike` of their variance in the base instance."""
    from scipy.special import ndtri

    rng = np.random.default_rng(0)
    rho = 2 * np.sin(np.pi * index / 6)
    root = np.linalg.cholesky([[1, rho], [rho, 1]])
    base = np.repeat(np.arange(bases), per_base)
    found: Found = defaultdict(list)
    for run in range(runs):
        shared, alone = (rng.normal(size=(k, 2)) @ root.T for k in (bases, bases * per_base))
        urge = np.sqrt(alike) * shared[base] + np.sqrt(1 - alike) * alone
        r, w = urge[:, 0] > ndtri(1 - refused), urge[:, 1] > ndtri(1 - wrong)
        one = refusal_index(r, w, clusters=base if per_base > 1 else None, resamples=RESAMPLES, seed=run)
        found["RI"].append(holds(Estimate(one.refusal_index, one.low, one.high), index))
    return found


def additive(own: float = 0.0) -> Floats:
    """Pass rates .62 to .97: quality and leniency add up."""
    table = np.add.outer([0.70, 0.75, 0.80, 0.85], [-0.08, -0.03, 0.04, 0.12])
    table[0, 0] += own
    return np.asarray(table)


def multiplicative(own: float = 0.0) -> Floats:
    """Pass rates .62 to .99: quality and leniency add up on the logit scale; the last model is good and lenient."""
    table = logistic(np.add.outer([-1.0, -0.3, 0.3, 1.0], [-1.0, -0.3, 0.3, 1.0]) + 2.5)[::-1, ::-1]
    table[0, 0] = table[0, 0] + own
    return np.asarray(table)


def even(rate: float) -> Floats:
    """Every verifier passes this share of everybody's candidates."""
    return np.full((4, 4), rate)


PANELS = {
    "95 % pass, 30 candidates": Panel(even(0.95), 30, one_maker=True),
    "95 % pass, 100 candidates": Panel(even(0.95), 100, one_maker=True),
    "95 % pass, 120 candidates of 30 bases": Panel(even(0.95), 30),
    "95 % pass, 102 candidates of 17 bases": Panel(even(0.95), 17, 6, one_maker=True),
    "75 % pass, 30 candidates": Panel(even(0.75), 30, one_maker=True),
    "75 % pass, 30 audited": Panel(even(0.75), 75, audited=0.1),
    "additive in rates, 30 audited": Panel(additive(), 75, audited=0.1),
    "95 % pass, 30 audited": Panel(even(0.95), 75, audited=0.1),
    "95 % pass, 100 audited": Panel(even(0.95), 250, audited=0.1),
    "additive on logits, 400 candidates": Panel(multiplicative(), 100),
    "additive in rates, 400 candidates": Panel(additive(), 100),
    "additive on logits, 4,000 candidates": Panel(multiplicative(), 1000),
    "additive in rates, 4,000 candidates": Panel(additive(), 1000),
    "+10 points, 400 candidates": Panel(additive(0.10), 100, favour=10.0),
    "+10 points, 1,200 candidates": Panel(additive(0.10), 300, favour=10.0),
    "20 bases of one maker each, 6 candidates": Panel(additive(), 20, 6, one_maker=True),
}

STUDIES: dict[str, Callable[[int], Found]] = {
    "99 items of 33 bases, rates .98 and .95": lambda runs: rates(33, 0.98, 0.95, 0.95, runs),
    "99 items of 33 bases, rates .95 and .98": lambda runs: rates(33, 0.95, 0.98, 0.98, runs),
    "99 items of 33 bases, rates .8 and .5": lambda runs: rates(33, 0.8, 0.5, 0.7, runs),
    "45 items of 15 bases, rates .95": lambda runs: rates(15, 0.95, 0.95, 0.95, runs, alike=0.5),
    **{
        f"30 items of 15 bases, rates {rate:g}": partial(rates, 15, rate, right, rate, per_u=1)
        for rate, right in ((0.5, 0.5), (0.8, 0.8), (0.95, 0.95), (0.98, 0.96))
    },
    "two models, U refused .95 and .10": lambda runs: equal_models(100, (0.95, 0.10), 0.7, runs),
    "two models, 50 bases, U refused .95 and .10": lambda runs: equal_models(50, (0.95, 0.10), 0.9, runs),
    "confidence always 1, 5 % wrong, n = 30": partial(confidence, "always 1", 30, 1, 0.05),
    "mostly sure, 3 % wrong, n = 30": partial(confidence, "mostly sure", 30, 1, 0.03),
    "mostly sure, 3 % wrong, 15 bases of 2": partial(confidence, "mostly sure", 15, 2, 0.03, alike=0.4),
    "uniform, calibrated, n = 30": partial(confidence, "uniform", 30, 1, None),
    "uniform, calibrated, 50 bases of 4": partial(confidence, "uniform", 50, 4, None, alike=0.3),
    "RI .4, 10 bases of 20, .3 refused": lambda runs: indices(10, 20, 0.3, 0.5, 0.4, 0.1, runs),
    "RI .4, 30 bases of 10, .3 refused": lambda runs: indices(30, 10, 0.3, 0.5, 0.4, 0.1, runs),
    **{f"agreement, {name}": partial(agreements, one) for name, one in PANELS.items()},
    **{f"bias, {name}": partial(biases, one) for name, one in PANELS.items()},
}
"""Setting → a study of so many replicates."""
