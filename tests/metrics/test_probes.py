from __future__ import annotations

import numpy as np
import pytest

from perturb.metrics.calibration import auroc
from perturb.metrics.index_companions import linear_probe, text_calibrator


def test_probe_finds_a_direction_and_nothing_in_noise() -> None:
    rng = np.random.default_rng(0)
    correct = rng.random(400) < 0.5
    noise = rng.normal(size=(400, 8))
    signal = noise + 2 * correct[:, None] * np.eye(8)[3]
    found, nothing = linear_probe(signal, correct), linear_probe(noise, correct)
    assert found.auroc.value is not None
    assert found.auroc.value > 0.85
    assert nothing.auroc.value == pytest.approx(0.5, abs=0.1)
    assert found.confidence is not None
    assert auroc(correct, found.confidence) == found.auroc
    assert np.all((found.confidence >= 0) & (found.confidence <= 1))
    assert found.ece.value is not None
    assert found.ece.value < 0.15


def test_clusters_keep_copies_out_of_the_training_folds() -> None:
    rng = np.random.default_rng(1)
    # copies of a state tell the label, states of different clusters do not: only leakage could rank them
    states = np.repeat(rng.normal(size=(60, 300)), 4, axis=0)
    correct = np.repeat(np.arange(60) % 2 == 0, 4)
    leaking = linear_probe(states, correct)
    clean = linear_probe(states, correct, clusters=np.repeat(np.arange(60), 4))
    assert leaking.auroc.value is not None
    assert leaking.auroc.value > 0.95
    assert clean.auroc.value is not None
    assert clean.auroc.value < 0.75


def test_calibrator_reads_words_and_survives_empty_texts() -> None:
    texts = ["clearly Paris", "maybe Rome, perhaps", "", "clearly Oslo"] * 15
    found = text_calibrator(texts, [1, 0, 0, 1] * 15)
    assert found.auroc.value == 1.0
    assert found.confidence is not None
    assert found.confidence[0] > 0.5 > found.confidence[1]


def test_too_few_of_a_class_is_a_reason() -> None:
    result = linear_probe(np.eye(10), [1] * 7 + [0] * 3)
    assert result.confidence is None
    assert result.auroc.value is None
    assert "3 right or wrong answers are too few for 5 folds" in str(result.reason)


def test_bad_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="hidden_states needs the shape"):
        linear_probe([[1.0], [2.0]], [1, 0, 1])
    with pytest.raises(ValueError, match="not finite"):
        linear_probe([[1.0], [float("nan")]], [1, 0])
    with pytest.raises(ValueError, match="texts has 1"):
        text_calibrator(["a"], [1, 0])
