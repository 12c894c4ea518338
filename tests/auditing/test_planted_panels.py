"""Estimates beside a planted truth, under both schedules, and the self-evaluation biases as published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.bias import SelfBias, _FailureScale, _firth, _LogitScale, measure_bias
from perturb.auditing.votes import VoteTable, vote_table
from perturb.metrics.inputs import Floats
from perturb.reports.words import describe_audit
from tests import simulated_intervals as worlds
from tests.auditing.simulated_panels import MODELS, Truth, frame_of, simulate, stop_at_first_fail

PANELS = 100
PLANTED = Truth(own=(0.08, -0.06, 0.0, 0.0))
Schedule = Callable[[VoteTable, int], VoteTable]


def full(table: VoteTable, seed: int) -> VoteTable:
    return table


def economy(table: VoteTable, seed: int) -> VoteTable:
    return stop_at_first_fail(table, 0.3, seed + 10_000)


def bias_of(report: AuditReport, model: str) -> SelfBias:
    return next(row for row in report.self_bias if row.model == model)


@pytest.mark.slow
@pytest.mark.parametrize(("schedule", "bases"), [(full, 40), (economy, 80)])
def test_intervals_cover_the_planted_truth_at_the_stated_rate(schedule: Schedule, bases: int) -> None:
    covered: dict[str, list[bool]] = {"kappa": [], "bias": [], "did": []}
    off: dict[str, list[float]] = {"kappa": [], "bias": [], "did": []}
    false_alarms = []
    for seed in range(PANELS):
        report = audit(schedule(simulate(PLANTED, bases, seed), seed), seed=seed, resamples=400)
        for pair in report.agreement.pairs:
            truth = PLANTED.kappa(MODELS.index(pair.a), MODELS.index(pair.b))
            assert pair.kappa.value is not None
            assert pair.kappa.low is not None
            assert pair.kappa.high is not None
            covered["kappa"].append(pair.kappa.low <= truth <= pair.kappa.high)
            off["kappa"].append(pair.kappa.value - truth)
        for model, row in enumerate(report.self_bias):
            truths = {"bias": PLANTED.bias_pp(model), "did": 100 * PLANTED.own[model]}
            for name, one in (("bias", row.bias), ("did", row.did)):
                assert one.value is not None
                assert one.low is not None
                assert one.high is not None
                covered[name].append(one.low <= truths[name] <= one.high)
                off[name].append(one.value - truths[name])
            if PLANTED.own[model] == 0:
                false_alarms.append(row.p_value is not None and row.p_value <= 0.05)
    for name, hits in covered.items():
        assert 0.90 <= np.mean(hits) <= 0.985, name
    assert abs(np.mean(off["kappa"])) < 0.005
    assert abs(np.mean(off["bias"])) < 0.5
    assert abs(np.mean(off["did"])) < 0.5
    assert np.mean(false_alarms) < 0.1


def test_votes_that_were_not_asked_would_have_misled() -> None:
    """The mark matters: the same votes without it are far off, and the report says that it cannot tell."""
    table = stop_at_first_fail(simulate(PLANTED, 200, 1), 0.3, 2)
    marked, unmarked = audit(table), audit(replace(table, audited=None))
    truth = PLANTED.kappa(0, 1)
    first, blind = marked.agreement.pairs[0].kappa.value, unmarked.agreement.pairs[0].kappa.value
    assert first == pytest.approx(truth, abs=0.03)
    assert blind is not None
    assert blind < truth - 0.05
    assert marked.basis.candidates == "audited"
    worth = str(marked.basis.note).partition("effective numbers: ")[2].split(", ")
    numbers = dict(one.rsplit(" ", 1) for one in worth)
    assert 0 < int(numbers["raw agreement"]) <= marked.basis.n
    assert 0 < int(numbers["self-bias of amber"]) <= marked.self_bias[0].n
    assert unmarked.basis.candidates == "unknown"
    assert "distorted" in str(unmarked.basis.note)


def test_unanimous_acceptance_is_the_same_under_both_schedules() -> None:
    table = simulate(PLANTED, 30, 1)
    assert audit(economy(table, 1)).rules.unanimous == audit(table).rules.unanimous


def test_an_economy_run_without_an_audit_share_says_that_it_cannot_tell() -> None:
    report = audit(stop_at_first_fail(simulate(PLANTED, 10, 1), 0.0, 1))
    assert report.basis.n == 0
    assert "cannot be estimated" in str(report.basis.note)
    assert report.agreement.mean_kappa.value is None
    assert all(row.bias.value is None and row.bias.reason for row in report.self_bias)
    assert report.rules.unanimous.rate.n == 10 * 18 * 4
    words = " ".join(describe_audit(report))
    assert "Whether models favour their own work cannot be told" in words
    assert "No model both generates and verifies" not in words


def test_leniency_and_quality_are_no_self_preference() -> None:
    """A verifier that is lenient to everybody has a bias as published, and none once leniency is taken out."""
    lenient = audit(simulate(Truth(leniency=(0.2, 0.0, 0.0, 0.0)), 150, 3))
    row = bias_of(lenient, "amber")
    assert row.bias.value == pytest.approx(20, abs=2.5)
    assert row.did.value == pytest.approx(0, abs=2.5)
    assert row.p_value is not None
    assert row.p_value > 0.05


@pytest.mark.parametrize("chances", [worlds.additive(), worlds.multiplicative(), worlds.additive(0.05)])
def test_interval_and_p_of_favour_agree(chances: Floats) -> None:
    for seed in range(3):
        table = worlds.Panel(chances, 1000).draw(np.random.default_rng(seed))
        for row in audit(table, resamples=200).self_bias:
            assert row.p_value is not None
            assert row.did.low is not None
            assert row.did.high is not None
            assert row.did.value is not None
            assert row.did.low <= row.did.value <= row.did.high
            assert (row.did.low <= 0 <= row.did.high) == (row.p_value > 0.05)


def test_defects_that_verifiers_detect_at_unlike_rates_are_no_favour() -> None:
    # Each generator has its share of defects, each verifier finds its share of any: rates of failure multiply.
    chances = 1 - np.outer([0.35, 0.2, 0.1, 0.03], [0.95, 0.7, 0.45, 0.25])
    accused = [
        row.p_value is not None and row.p_value <= 0.05
        for table, resamples in worlds.Panel(chances, 400).samples(25)
        for row in measure_bias(table, resamples)
    ]
    assert sum(accused) <= 10  # 5 are expected of 100; without the scale of failures there are 15


def test_the_favour_of_others_is_not_laid_at_an_honest_models_door() -> None:
    """Three models favour themselves by 15 points: pairs of a model with itself are no peers of the fourth."""
    report = audit(simulate(Truth(own=(0.0, 0.15, 0.15, 0.15)), 60, 5))
    honest = bias_of(report, "amber")
    assert honest.did.value == pytest.approx(0, abs=3)
    assert honest.p_value is not None
    assert honest.p_value > 0.2


def test_a_planted_self_preference_is_found() -> None:
    report = audit(simulate(Truth(own=(0.1, 0.0, 0.0, 0.0)), 100, 4))
    row = bias_of(report, "amber")
    assert row.did.value == pytest.approx(10, abs=2.5)
    assert row.p_value is not None
    assert row.p_value < 0.01


# -- the published figures: RefusalBench, appendix E.4, RefusalBench-NQ ------------------------------------

PUBLISHED = {
    "claude-4-sonnet": (87.99, 96.73, -8.74),
    "nova-pro": (100.0, 84.43, 15.57),
    "gpt-4o": (100.0, 91.91, 8.09),
    "deepseek-r1": (99.28, 97.80, 1.48),
}


def published_votes() -> VoteTable:
    """10,000 candidates of each model, passed as often as published by itself and by each peer."""
    models = list(PUBLISHED)
    generator = np.repeat(models, 10_000)
    place = np.tile(np.arange(10_000), 4)
    frames = []
    for verifier in models:
        rates = np.array([PUBLISHED[g][0 if g == verifier else 1] for g in models])
        frame = frame_of([])
        frame["candidate_id"] = [f"{g}-{i}" for g, i in zip(generator, place, strict=True)]
        frame["base_id"] = place % 500
        frame["generator_model"] = generator
        frame["verifier"] = verifier
        frame["perturbation_class"], frame["intensity"], frame["lever"] = "P-Ambiguity", "LOW", "a lever"
        frame["verdict"] = np.where(place < np.repeat(np.round(rates * 100), 10_000), "pass", "fail")
        frames.append(frame)
    import pandas as pd

    return vote_table(pd.concat(frames), "published")


def test_the_published_biases_come_out_of_a_vote_table() -> None:
    report = audit(published_votes(), resamples=100)
    for model, (own, peers, bias) in PUBLISHED.items():
        row = bias_of(report, model)
        assert row.own is not None
        assert row.peers is not None
        assert 100 * row.own == pytest.approx(own)
        assert 100 * row.peers == pytest.approx(peers)
        assert row.bias.value == pytest.approx(bias)


@pytest.mark.parametrize("passed", [0, 7, 40])
def test_a_pair_that_passed_everything_has_firths_finite_coefficient(passed: int) -> None:
    """For a single rate the penalty adds half an event: (k + 1/2) / (n + 1), and (k + 1/2) / n of failures."""
    one, votes = np.ones((1, 1)), np.array([[40.0]])
    logit = _firth(_LogitScale(), one, np.array([[float(passed)]]), votes, np.zeros((1, 1)))
    assert expit(logit[0, 0]) == pytest.approx((passed + 0.5) / 41, rel=1e-4)
    if passed < 40:
        log = _firth(_FailureScale(), one, np.array([[float(passed)]]), votes, np.full((1, 1), -1.0))
        assert np.exp(log[0, 0]) == pytest.approx((passed + 0.5) / 40, rel=1e-4)
