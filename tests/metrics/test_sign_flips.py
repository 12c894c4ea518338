"""Flipping the signs of base instances: exact on small samples, and in step with its interval."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.metrics.inputs import Floats
from perturb.metrics.resampling import EXACT_UP_TO, SignFlips


def flips_of(differences: Floats) -> SignFlips:
    count = len(differences)
    flips = SignFlips.of(float(differences.mean()), (differences.sum() - differences) / (count - 1))
    assert flips is not None
    return flips


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_the_exact_p_value_counts_every_pattern(values: list[int]) -> None:
    differences = np.array(values, dtype=float)
    sums = [abs(float(np.dot(signs, differences))) for signs in product((-1, 1), repeat=len(values))]
    reached = [total >= abs(differences.sum()) - 1e-9 for total in sums]
    assert flips_of(differences).p_value() == pytest.approx(np.mean(reached))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0, 2), st.floats(0, 2))
def test_the_interval_excludes_0_if_and_only_if_the_test_does(
    values: list[float], below: float, above: float
) -> None:
    flips = flips_of(np.array(values))
    low, high = flips.agree(flips.observed - below, flips.observed + above)
    assert low <= flips.observed + 1e-9
    assert high >= flips.observed - 1e-9
    if flips.p_value() > 0.05:
        assert low <= 0 <= high
    elif flips.observed != 0:
        assert low > 0 or high < 0


def test_few_rare_failures_on_one_side_are_enough() -> None:
    # Six of 30 base instances differ, all in favour of one model: 2 of 64 patterns are as extreme.
    differences = np.array([0.25] * 6 + [0.0] * 24)
    assert len(differences) > EXACT_UP_TO
    assert flips_of(differences).p_value() == pytest.approx(2 / 64, abs=0.006)


@pytest.mark.parametrize("without", [np.array([0.5]), np.array([0.5, np.nan, 0.5])])
def test_no_test_without_every_value(without: Floats) -> None:
    assert SignFlips.of(0.5, without) is None
