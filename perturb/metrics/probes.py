"""Two estimators of confidence that look past the refusal itself, for comparison with the Refusal Index.

A linear probe reads hidden states that the user supplies, an auxiliary calibrator reads the text of questions or
answers. Both are trained on some folds and applied to the others, so that no answer is scored by a classifier that
saw it. What they measure is the classifier as much as the model. Refusal Index paper, appendix L and table 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perturb.metrics.calibration import auroc, expected_calibration_error
from perturb.metrics.inputs import Estimate, Flags, Floats, read_flags
from perturb.metrics.resampling import cluster_codes


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Confidence that a trained classifier gives to each answer, and how good it is."""

    confidence: Floats | None
    """Probability of a right answer, each from a classifier trained without that answer; None when undefined."""
    auroc: Estimate
    """Ranking quality, higher is better."""
    ece: Estimate
    """Expected calibration error over 10 bins of equal width, lower is better."""
    reason: str | None
    """Why there is no confidence."""


def linear_probe(
    hidden_states: ArrayLike,
    is_correct: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> ProbeResult:
    """Logistic regression from hidden states, shape (answers, dimensions), to correctness, out of fold.

    States are standardised within each training fold. With `clusters` all answers of a cluster stay in one fold.
    Undefined when either class has fewer answers, or clusters, than there are folds.

    Raises ValueError for shapes that differ, values that are not finite, and correctness other than 0/1.

    Reference: Refusal Index paper, appendix L.

    >>> states = [[float(i % 2), 0.0] for i in range(40)]
    >>> linear_probe(states, [i % 2 for i in range(40)]).auroc.value
    1.0
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    states, correct = np.asarray(hidden_states, dtype=np.float64), read_flags(is_correct, "is_correct")
    if states.ndim != 2 or len(states) != len(correct):
        raise ValueError(f"hidden_states needs the shape ({len(correct)}, dimensions), got {states.shape}")
    if not np.all(np.isfinite(states)):
        raise ValueError("hidden_states holds a value that is missing or not finite")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    return _out_of_fold(model, states, correct, cluster_codes(clusters, len(correct)), folds, seed)


def text_calibrator(
    texts: Sequence[str],
    is_correct: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> ProbeResult:
    """Logistic regression from the letter groups (tf-idf, 1 to 4 letters) of texts to correctness, out of fold.

    A small stand-in for calibrators that fine-tune a language model on the outputs. Folds, clusters and undefined
    cases as in `linear_probe`.

    Raises ValueError when texts and correctness differ in length, and for correctness other than 0/1.

    Reference: Refusal Index paper, appendix L.

    >>> texts = ["sure thing", "no idea"] * 20
    >>> text_calibrator(texts, [1, 0] * 20).auroc.value
    1.0
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    correct = read_flags(is_correct, "is_correct")
    if len(texts) != len(correct):
        raise ValueError(
            f"columns differ in length: texts has {len(texts)}, is_correct has {len(correct)} rows"
        )
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    model = make_pipeline(letters, LogisticRegression(max_iter=5000))
    column = np.array([text if text.strip() else "∅" for text in texts], dtype=object)
    return _out_of_fold(model, column, correct, cluster_codes(clusters, len(correct)), folds, seed)


def _out_of_fold(
    model: Any, inputs: np.ndarray, correct: Flags, codes: np.ndarray | None, folds: int, seed: int
) -> ProbeResult:
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

    groups = np.arange(len(correct)) if codes is None else codes
    units = [len(np.unique(groups[side])) for side in (correct, ~correct)]
    if min(units) < folds:
        reason = f"{min(units)} right or wrong answers are too few for {folds} folds"
        undefined = Estimate.undefined(reason, len(correct))
        return ProbeResult(None, undefined, undefined, reason)
    split = StratifiedGroupKFold(n_splits=folds, shuffle=True, random_state=seed)
    fitted = cross_val_predict(model, inputs, correct, groups=groups, cv=split, method="predict_proba")
    confidence = np.asarray(fitted[:, 1], dtype=np.float64)
    error = expected_calibration_error(correct, confidence)
    return ProbeResult(confidence, auroc(correct, confidence), Estimate(error, n=len(correct)), None)
