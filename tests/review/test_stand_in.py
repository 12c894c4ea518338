"""The alternative-annotator test: may a judge stand in for a person?"""

from __future__ import annotations

import numpy as np
import pytest

from perturb.auditing.review_agreement import EPSILON, StandIn, alternative_annotator
from perturb.metrics.inputs import Floats


def raters(n: int, errors: tuple[float, ...], seed: int) -> list[Floats]:
    """Judgements of a truth, each wrong at its rate."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.6
    return [np.where(rng.random(n) < error, ~truth, truth).astype(float) for error in errors]


def run(errors: tuple[float, ...], seed: int = 0, n: int = 200) -> StandIn:
    judge, *people = raters(n, errors, seed)
    test = alternative_annotator(
        "judge", judge, {f"p{i}": one for i, one in enumerate(people)}, np.arange(n) // 2
    )
    assert test is not None
    return test


def test_figures_are_those_of_a_count_by_hand() -> None:
    truth = np.tile([0.0, 1.0], 20)
    ann, ben = truth.copy(), truth.copy()
    ben[:10] = 1 - ben[:10]
    judge = truth.copy()
    judge[8:12] = 1 - judge[8:12]
    test = alternative_annotator("judge", judge, {"ann": ann, "ben": ben}, np.arange(40))
    assert test is not None
    # left out ann: ben is the other; items 8 and 9 the judge alone meets him, 0-7 nobody, 10 and 11 ann alone
    left_ann, left_ben = test.people
    assert (left_ann.judge, left_ann.person) == (38 / 40, 38 / 40)
    # left out ben: ann is the other; on 0-7 the judge alone meets her, on 10 and 11 ben alone
    assert (left_ben.judge, left_ben.person) == (38 / 40, 32 / 40)
    assert test.advantage == pytest.approx(38 / 40)
    assert left_ben.p_value < left_ann.p_value


@pytest.mark.parametrize("people", [2, 3, 5])
def test_a_judge_as_good_as_people_stands_in_and_a_poor_one_does_not(people: int) -> None:
    good = run((0.08, *[0.1] * people))
    assert good.stands_in
    poor = run((0.5, *[0.05] * people))
    assert poor.stands_in is False
    assert poor.winning_rate == 0


def test_false_verdicts_are_rare_at_the_border() -> None:
    """A judge that trails each of two people by EPSILON in the share of items: d has that mean."""
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        truth = np.zeros(120)
        judge = (rng.random(120) < EPSILON).astype(float)
        test = alternative_annotator("judge", judge, {"a": truth, "b": truth}, np.arange(120))
        assert test is not None
        wrong += bool(test.stands_in)
    assert wrong / 200 <= 0.06


def test_missing_judgements_and_few_items() -> None:
    judge, ann, ben = raters(60, (0.1, 0.1, 0.1), 1)
    ben[:40] = np.nan
    test = alternative_annotator("judge", judge, {"ann": ann, "ben": ben}, np.arange(60))
    assert test is not None
    assert test.stands_in is None
    assert "ann shares 20 items" in (test.reason or "")
    assert alternative_annotator("judge", judge, {"ann": ann}, np.arange(60)) is None


def test_agreement_without_exception_needs_base_instances() -> None:
    truth = np.ones(40)
    many, few = (
        alternative_annotator("judge", truth, {"a": truth, "b": truth}, base)
        for base in (np.arange(40), np.arange(40) // 20)
    )
    assert many is not None
    assert few is not None
    assert (many.stands_in, few.stands_in) == (True, False)
