"""Studies of coverage and level: worlds with a known truth, through the functions that print the figures.

Used by `tests/metrics/test_intervals.py` with few replicates and by `tests/benchmarks/bench_intervals.py` with many.
A study hands back, for each figure, a list of whether its interval holds the truth (None: it gave none) or whether its
p-value is at most 0.05.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from perturb.audit import VoteTable, audit
from perturb.audit.votes import Labels
from perturb.metrics import BASReport, refusal_index
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.outcomes import NO_LEVEL, ReplyOutcome
from perturb.score.metric_intervals import estimate_metrics
from perturb.score.model_comparison import compare_models
from perturb.score.model_scores import Resampling
from perturb.score.result_rows import ResultRow
from perturb.score.table import ModelReplies

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
    rng: np.random.Generator, bases: int, on_a: Sequence[float], on_u: Sequence[float], alike: float
) -> Integers:
    """Cells of one answerable and two unanswerable items a base; chances of the first two outcomes of each kind."""
    kinds = (
        (ReplyOutcome.FALSE_REFUSAL, ReplyOutcome.CORRECT_ANSWER, ReplyOutcome.POOR_ANSWER),
        (ReplyOutcome.CORRECT_REFUSAL, ReplyOutcome.WRONG_CODE_REFUSAL, ReplyOutcome.MISSED_REFUSAL),
    )
    a = np.searchsorted(np.cumsum(on_a), rng.random(bases), side="right")
    u = np.searchsorted(np.cumsum(on_u), clustered(rng, bases, 2, alike), side="right")
    outcome = np.array([[PLACES[one] for one in kind] for kind in kinds])
    return np.concatenate([outcome[0][a], outcome[1][u]])


def rates(
    bases: int, refused: float, right: float, code: float, runs: int, seed: int = 0, alike: float = 0.3
) -> Found:
    """One model: `refused` of U, 1 − `right` of A refused or poor by halves, `code` of the refusals right."""
    rng = np.random.default_rng(seed)
    on_a = ((1 - right) / 2, right)
    on_u = (refused * code, refused * (1 - code))
    refusals = 2 * refused + on_a[0]
    f1 = 2 * 2 * refused / (refusals + 2)
    truths = {
        "answer_accuracy": right,
        "false_refusal_rate": on_a[0],
        "missed_refusal_rate": 1 - refused,
        "detection_precision": 2 * refused / refusals,
        "detection_f1": f1,
        "category_accuracy": code,
        "hierarchical_refusal_score": f1 * code,
        "refusal_accuracy": on_u[0],
        "calibrated_refusal_score": (right + on_u[0]) / 2,
    }
    base = np.concatenate([np.arange(bases), np.repeat(np.arange(bases), 2)])
    found: Found = defaultdict(list)
    drawn = Resampling(RESAMPLES, seed).draw([str(one) for one in base])
    for _ in range(runs):
        estimates = estimate_metrics(
            replies(rng, bases, on_a, on_u, alike) * (NO_LEVEL + 1) + NO_LEVEL, drawn, raf=False
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
            "", "m", f"i{i:04}", (f"b{one}", *[None] * 6), "", None, None, ReplyOutcome.CORRECT_ANSWER, None
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
            models.append(ModelReplies(name, rows, cells * (NO_LEVEL + 1) + level))
        for one in compare_models(models, Resampling(RESAMPLES, run), raf=False):
            if one.metric in ("category_accuracy", "detection_precision", "ece_refusals"):
                found[one.metric].append(None if one.p_value is None else one.p_value <= 0.05)
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


def panel(
    rng: np.random.Generator, chances: Floats, bases: int, per_base: int, agreement: float, one_maker: bool
) -> VoteTable:
    """Four models judge candidates of all; all cast one vote with probability `agreement`, else each for itself.

    Each base instance has `per_base` candidates of each maker, or of one maker only.
    """
    makers = len(chances)
    base = np.repeat(np.arange(bases), per_base * (1 if one_maker else makers))
    maker = base % makers if one_maker else np.tile(np.repeat(np.arange(makers), per_base), bases)
    n = len(base)
    alone = rng.random((n, makers))
    coins = np.where(rng.random((n, 1)) < agreement, rng.random((n, 1)), alone)
    names = tuple(f"m{i}" for i in range(makers))
    one = Labels(("x",), np.zeros(n, dtype=np.int64))
    return VoteTable(
        source="simulated",
        base=Labels(tuple(f"b{i}" for i in range(bases)), base),
        generator=Labels(names, maker),
        perturbation_class=one,
        intensity=one,
        lever=one,
        verifiers=names,
        states=(coins < chances[maker]).astype(np.int8),
        full_schedule=True,
    )


def panels(
    chances: Floats,
    bases: int,
    per_base: int,
    runs: int,
    seed: int = 0,
    agreement: float = 0.4,
    one_maker: bool = False,
    truth_did: float | None = 0.0,
) -> Found:
    """κ, panel coefficients, self-bias and the difference-in-differences of a panel of four."""
    rng = np.random.default_rng(seed)
    far = audit(panel(np.random.default_rng(99), chances, 40_000, 1, agreement, one_maker), resamples=1)
    found: Found = defaultdict(list)
    for run in range(runs):
        report = audit(
            panel(rng, chances, bases, per_base, agreement, one_maker), seed=run, resamples=RESAMPLES
        )
        for pair, true_pair in zip(report.agreement.pairs[:2], far.agreement.pairs, strict=False):
            found["κ of a pair"].append(holds(pair.kappa, float(true_pair.kappa.value or 0)))
        found["mean κ"].append(holds(report.agreement.mean_kappa, float(far.agreement.mean_kappa.value or 0)))
        for name, estimate in report.agreement.panel.items():
            found[name].append(holds(estimate, float(far.agreement.panel[name].value or 0)))
        row = report.self_bias[0]
        found["self-bias"].append(holds(row.bias, 100 * float(chances[0, 0] - chances[0, 1:].mean())))
        if truth_did is not None:
            found["favour"].append(holds(row.did, truth_did))
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


STUDIES: dict[str, Callable[[int], Found]] = {
    "99 items of 33 bases, rates .98 and .95": lambda runs: rates(33, 0.98, 0.95, 0.95, runs),
    "99 items of 33 bases, rates .95 and .98": lambda runs: rates(33, 0.95, 0.98, 0.98, runs),
    "99 items of 33 bases, rates .8 and .5": lambda runs: rates(33, 0.8, 0.5, 0.7, runs),
    "45 items of 15 bases, rates .95": lambda runs: rates(15, 0.95, 0.95, 0.95, runs, alike=0.5),
    "two models, U refused .95 and .10": lambda runs: equal_models(100, (0.95, 0.10), 0.7, runs),
    "two models, 50 bases, U refused .95 and .10": lambda runs: equal_models(50, (0.95, 0.10), 0.9, runs),
    "confidence always 1, 5 % wrong, n = 30": partial(confidence, "always 1", 30, 1, 0.05),
    "mostly sure, 3 % wrong, n = 30": partial(confidence, "mostly sure", 30, 1, 0.03),
    "mostly sure, 3 % wrong, 15 bases of 2": partial(confidence, "mostly sure", 15, 2, 0.03, alike=0.4),
    "uniform, calibrated, n = 30": partial(confidence, "uniform", 30, 1, None),
    "uniform, calibrated, 50 bases of 4": partial(confidence, "uniform", 50, 4, None, alike=0.3),
    "panel, 95 % pass, 30 candidates each of 30 bases": partial(panels, even(0.95), 30, 1),
    "panel, 95 % pass, 100 candidates each of 100 bases": partial(panels, even(0.95), 100, 1),
    "panel, 95 % pass, 102 candidates each of 17 bases": partial(panels, even(0.95), 17, 6),
    "panel, 75 % pass, 30 candidates each of 30 bases": partial(panels, even(0.75), 30, 1),
    "panel, logit world, 100 bases": partial(panels, multiplicative(), 100, 1),
    "panel, logit world, 1,000 bases": partial(panels, multiplicative(), 1000, 1),
    "panel, additive world, 100 bases": partial(panels, additive(), 100, 1),
    "panel, additive world, 1,000 bases": partial(panels, additive(), 1000, 1),
    "panel, +10 points, 100 bases": partial(panels, additive(0.10), 100, 1, truth_did=10.0),
    "panel, +10 points, 300 bases": partial(panels, additive(0.10), 300, 1, truth_did=10.0),
    "panel, 12 bases of one maker each, 6 candidates": partial(panels, additive(), 12, 6, one_maker=True),
    "RI .4, 10 bases of 20, .3 refused": lambda runs: indices(10, 20, 0.3, 0.5, 0.4, 0.1, runs),
    "RI .4, 30 bases of 10, .3 refused": lambda runs: indices(30, 10, 0.3, 0.5, 0.4, 0.1, runs),
}
"""Setting → a study of so many replicates."""
