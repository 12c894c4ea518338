"""Rates corrected by people: against ppi-python, in worlds of known truth, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.metrics.corrected_rates import CorrectedRate, combined
from tests.simulated_corrections import JUDGES, World, play


@pytest.mark.parametrize(
    ("rate", "false_pass", "false_fail"),
    [(0.6, 0.2, 0.2), (0.3, 0.4, 0.02), (0.8, 0.02, 0.3), (0.5, 0.5, 0.5)],
)
def test_a_single_rate_is_that_of_ppi_python(rate: float, false_pass: float, false_fail: float) -> None:
    """Without strata, on many replies: there labelled replies are apart, here they are among all."""
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is in the extra 'dev'")
    generator = np.random.default_rng(3)
    people = (generator.random(40_000) < rate).astype(float)
    wrong_at = np.where(people == 1, false_fail, false_pass)
    judge = np.where(generator.random(40_000) < wrong_at, 1 - people, people)
    human = np.where(np.arange(40_000) < 500, people, np.nan)
    decided, bases = np.ones(40_000, dtype=bool), np.arange(40_000)
    found = CorrectedRate.of(judge, human, decided, ["all"] * 40_000, bases, 40_000).estimate()
    sample = people[:500, None], judge[:500, None], judge[500:, None]
    low, high = ppi.ppi_mean_ci(*sample, alpha=0.05)
    assert found.value == pytest.approx(float(ppi.ppi_mean_pointestimate(*sample)[0]), abs=0.003)
    assert (found.low, found.high) == pytest.approx((float(low[0]), float(high[0])), abs=0.006)


@pytest.mark.parametrize(
    "judge",
    [
        "lenient",
        "kappa .7",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("strict", "model-partial")),
    ],
)
def test_the_interval_holds_the_true_rate(judge: str) -> None:
    for quantity, one in play(World(), JUDGES[judge], 200, 200).items():
        assert one.coverage >= 0.93 - 2 * 0.018, quantity


def test_a_judge_of_kappa_07_makes_intervals_narrower() -> None:
    found = play(World(), JUDGES["kappa .7"], 400, 40)
    assert found["composite"].width < 0.78 * found["composite"].human_width


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0]),
            st.sampled_from([0.0, 1.0, np.nan]),
            st.booleans(),
            st.sampled_from("abc"),
            st.integers(0, 4),
        ),
        max_size=60,
    )
)
def test_whatever_was_graded_the_value_lies_in_its_interval(
    rows: list[tuple[float, float, bool, str, int]],
) -> None:
    judge, human, decided, names, bases = (list(one) for one in zip(*rows, strict=True)) if rows else [[]] * 5
    one = CorrectedRate.of(
        np.array(judge, dtype=float),
        np.array(human, dtype=float),
        np.array(decided, dtype=bool),
        names,
        np.array(bases, dtype=np.int64),
        5,
    )
    for found in (one.estimate(), combined([one, one], [0.5, 0.5]).estimate()):
        if found.value is None:
            assert found.reason
        elif found.low is not None and found.high is not None:
            assert 0 <= found.low <= found.value + 1e-9
            assert found.value - 1e-9 <= found.high <= 1


def test_replies_graded_by_rule_are_taken_as_they_are() -> None:
    rows, none = np.repeat([1.0, 0.0], [30, 10]), np.full(40, np.nan)
    found = CorrectedRate.of(rows, none, none == 0, ["a"] * 40, np.arange(40), 40).estimate()
    assert found.value == 0.75
    assert found.n == 0
    assert found.low is not None


def test_too_few_grades_correct_nothing() -> None:
    rows = np.ones(40)
    human = np.where(np.arange(40) < 9, 1.0, np.nan)
    found = CorrectedRate.of(rows, human, rows > 0, ["a"] * 40, np.arange(40), 40).estimate()
    assert found.value is None
    assert "graded 9" in (found.reason or "")
