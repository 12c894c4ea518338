"""What answers to items with several passages are made of: the parts of relevance-aware factuality, each by itself."""

from __future__ import annotations

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.outcomes import ANSWER
from perturb.metrics.resampling import Resamples
from perturb.score.metric_intervals import rate_of
from perturb.score.table import ModelReplies

PARTS: tuple[str, ...] = ("eligible", "factual_all", "factual_signal", "raf")
"""The answer does what was asked; all passages support it; the signal passages do; the first and the last together."""


def measure_answer_parts(replies: ModelReplies, drawn: Resamples) -> dict[str, Estimate]:
    """The share of attempted answers to answerable items that has each part, among those for which it was read.

    A refusal is in no denominator, as it is in `answer_quality`. Empty where no answer is judged by relevance-aware
    factuality, or would be. Reference: RefusalBench, figure 24.
    """
    if all(row.judged_by != "raf" for row in replies.rows):
        return {}
    attempted = np.array([row.expected == row.predicted == ANSWER for row in replies.rows])
    found = {}
    for place, name in enumerate(PARTS):
        flags = [row.parts[place] for row in replies.rows]
        known = attempted & np.array([flag is not None for flag in flags])
        hits = np.array([bool(flag) for flag in flags], dtype=np.float64)
        found[name] = rate_of(hits, known.astype(np.float64), drawn, "no attempted answer was judged for it")
    return found
