"""The unrelated texts of P-MissingInfo: enough of them, sound, each on its own, and foreign to the question."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from perturb.records import BaseInstance, Passage
from perturb.rules.checks.leftovers import _scars_of
from perturb.rules.engine import RuleCandidate, perturb_by_rule
from perturb.rules.missing_info import HIGH
from perturb.rules.missing_texts import unrelated_texts
from perturb.rules.words import content_stems

TEXTS = unrelated_texts()


def test_there_are_many_texts_of_a_passage_s_length() -> None:
    assert len(TEXTS) >= 110
    assert all(4 <= len(told) <= 11 and len(" ".join(told).split()) >= 60 for told in TEXTS)


@pytest.mark.parametrize("told", TEXTS, ids=lambda told: told[0][:30])
def test_each_sentence_is_whole_and_without_scars(told: tuple[str, ...]) -> None:
    assert all(re.fullmatch(r"[A-Z].*[a-z\d][.!?]", sentence) for sentence in told)
    assert _scars_of(" ".join(told)) == ()


def test_no_name_of_two_words_and_no_opening_comes_twice() -> None:
    names = Counter(
        name
        for told in TEXTS
        for name in set(re.findall(r"[A-Z][\w'’-]+ [A-Z][\w'’-]+", " ".join(told).replace(". ", ".")))
    )
    openings = Counter(" ".join(told[0].split()[:3]) for told in TEXTS)
    assert max(names.values()) == 1
    assert max(openings.values()) == 1


@pytest.mark.parametrize("seed", range(6))
def test_the_text_drawn_is_foreign_to_question_and_answer_and_as_long(seed: int) -> None:
    text = (
        "The village choir of Ambleton won the county prize in 1931. Its conductor was Ruth Pell, a teacher. "
        "It sang in churches, at fairs and once at the opening of a bridge over the river Tamble."
    )
    query = "who was the conductor of the village choir of ambleton"
    base = BaseInstance("choir", "test", query, (Passage(text, "Ambleton choir"),), ("Ruth Pell",))
    made = perturb_by_rule(base, HIGH, "Entirely Irrelevant Context", seed)
    assert isinstance(made, RuleCandidate)
    told = made.passages[0].text
    assert not content_stems(told) & content_stems(f"{query} Ruth Pell")
    assert abs(len(told.split()) - len(text.split())) <= 0.15 * len(text.split())
