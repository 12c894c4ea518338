"""Whether the prompts of the first pass, and the forced answers of the second, agree on what a model knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.metrics.intervals import Bounded, reported_estimate
from perturb.metrics.resampling import bootstrap_means
from perturb.score.refusal_table import RefusalGroup

FORCED = "forced"
"""What the second pass is called beside the settings of the first."""

Answers = dict[str, tuple[bool, str]]
"""Whether the answer to a question is wrong, and its base, by question."""


@dataclass(frozen=True, slots=True)
class PromptAgreement:
    """How often two prompts have one model be right, or wrong, on the same questions."""

    model: str | None
    dataset: str | None
    a: str
    b: str
    agreement: Estimate
    """Share of the questions that were answered under both; `n` is their number."""


def prompt_agreement(
    groups: Sequence[RefusalGroup], *, resamples: int, seed: int
) -> tuple[PromptAgreement, ...]:
    """Agreement of every two settings, and of each with the forced answers (paper, appendix I, figure 11).

    Empty where the table does not name its questions, or where a model has one setting.
    """
    found = []
    for model, dataset in dict.fromkeys((one.model, one.dataset) for one in groups):
        runs = [one for one in groups if (one.model, one.dataset) == (model, dataset) and all(one.items)]
        if len(runs) < 2:
            continue
        answers = {one.way or "": _answers(one, refused=False) for one in runs}
        forced: Answers = {}
        for one in runs:
            forced |= _answers(one, refused=True)
        for a, b in combinations([*answers, FORCED], 2):
            pair = answers[a], answers.get(b, forced)
            found.append(PromptAgreement(model, dataset, a, b, _agreement(*pair, resamples, seed)))
    return tuple(found)


def _answers(group: RefusalGroup, *, refused: bool) -> Answers:
    rows = zip(group.items, group.refused, group.wrong, group.bases, strict=True)
    return {str(item): (wrong, base) for item, r, wrong, base in rows if r is refused}


def _agreement(a: Answers, b: Answers, resamples: int, seed: int) -> Estimate:
    shared = [item for item in a if item in b]
    if not shared:
        return Estimate.undefined("no question was answered under both")
    same = np.array([a[item][0] == b[item][0] for item in shared], dtype=np.float64)
    bases = [a[item][1] for item in shared]
    means = bootstrap_means(same, clusters=bases, resamples=resamples, seed=seed)[:, 0]
    return reported_estimate(Bounded.of(float(same.mean()), means, len(shared), clusters=len(set(bases))))
