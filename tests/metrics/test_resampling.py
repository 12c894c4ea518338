from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from perturb.metrics import resampling
from perturb.metrics.resampling import (
    bootstrap_means,
    cluster_codes,
    resampled_weights,
)


def test_means_have_the_standard_error_of_theory() -> None:
    values = np.random.default_rng(0).exponential(size=(500, 2))
    means = bootstrap_means(values, resamples=4000)
    assert means.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.005)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / np.sqrt(500), rel=0.05)


def test_poisson_weights_agree_with_multinomial_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(3, 2, size=3000)
    exact = bootstrap_means(values, resamples=3000)
    monkeypatch.setattr(resampling, "EXACT_UNITS", 100)
    quick = bootstrap_means(values, resamples=3000)
    assert quick.mean() == pytest.approx(exact.mean(), abs=0.005)
    assert quick.std() == pytest.approx(exact.std(), rel=0.06)
    assert not np.array_equal(quick, exact)


def test_poisson_table_is_poisson() -> None:
    table = resampling._poisson_table()
    shares = np.bincount(table.astype(int)) / len(table)
    assert shares == pytest.approx(poisson.pmf(np.arange(len(shares)), 1), abs=2**-16)
    assert table.mean() == pytest.approx(1, abs=1e-4)


def test_equal_columns_stay_equal_in_every_resample() -> None:
    values = np.random.default_rng(2).normal(size=50)
    means = bootstrap_means(np.column_stack([values, values + 1]))
    assert means[:, 1] - means[:, 0] == pytest.approx(np.ones(1000))


def test_clusters_are_drawn_whole() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([f"q{i}" for i in range(100)], 4)
    values = np.repeat(rng.normal(size=100), 4)
    clustered = bootstrap_means(values, clusters=labels, resamples=4000)
    assert clustered.std() == pytest.approx(values.std() / 10, rel=0.06)
    assert bootstrap_means(values, resamples=4000).std() == pytest.approx(values.std() / 20, rel=0.06)


def test_clusters_of_different_sizes_weigh_by_their_rows() -> None:
    means = bootstrap_means([1.0, 1.0, 1.0, 0.0], clusters=["a", "a", "a", "b"], resamples=400)[:, 0]
    assert set(means.round(6)) == {0.0, 0.75, 1.0}


def test_weights_come_in_chunks_and_keep_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "CHUNK_WEIGHTS", 30)
    chunks = list(resampled_weights(np.array([5.0, 3.0, 2.0]), 25, seed=0))
    assert [len(chunk) for chunk in chunks] == [10, 10, 5]
    assert np.all(np.concatenate(chunks).sum(axis=1) == 10)


def test_a_seed_repeats_and_another_does_not() -> None:
    values = [0.0, 1.0, 5.0]
    assert np.array_equal(bootstrap_means(values, seed=1), bootstrap_means(values, seed=1))
    assert not np.array_equal(bootstrap_means(values, seed=1), bootstrap_means(values, seed=2))


def test_labels_must_match_the_rows() -> None:
    assert cluster_codes(None, 3) is None
    codes = cluster_codes(np.array(["b", "a", "b"], dtype=object), 3)
    assert codes is not None
    assert codes.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="one label for each of the 3 rows"):
        cluster_codes(["a"], 3)
