"""The embedded demo set: enough of every kind, and each answer in exactly one sentence."""

from __future__ import annotations

from collections import Counter

import pytest

from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.records import BaseInstance
from perturb.text.matching import holds_answer
from perturb.text.passages import split_sentences

DEMO = load_base_set(embedded_path("demo"))
DOMAINS = {
    "Science",
    "Health",
    "Business & Industrial",
    "Law & Government",
    "Finance",
    "Arts",
    "Geography",
    "Sports",
    "History",
}
each_instance = pytest.mark.parametrize("instance", DEMO.instances, ids=lambda instance: str(instance.id))


def test_size_licence_and_spread() -> None:
    kinds = Counter(str(instance.metadata["kind"]) for instance in DEMO.instances)
    least = {"person": 20, "date": 12, "number": 10, "place": 10, "work": 6, "phrase": 6}
    assert len(DEMO.instances) >= 60
    assert DEMO.warnings == ()
    assert DEMO.licence == "Apache-2.0"
    assert set(kinds) == set(least)
    assert all(kinds[kind] >= number for kind, number in least.items())
    assert {instance.domain for instance in DEMO.instances} == DOMAINS
    assert sum(len(instance.answers) > 1 for instance in DEMO.instances) >= 15


def test_questions_and_titles_are_distinct() -> None:
    assert len({instance.query for instance in DEMO.instances}) == len(DEMO.instances)
    assert len({instance.passages[0].title for instance in DEMO.instances}) == len(DEMO.instances)


@each_instance
def test_the_answer_stands_in_exactly_one_sentence(instance: BaseInstance) -> None:
    (passage,) = instance.passages
    sentences = [sentence.text for sentence in split_sentences(passage.text)]
    holding = [sentence for sentence in sentences if holds_answer(sentence, *instance.answers)]
    assert instance.answers[0] in passage.text
    assert len(holding) == 1
    assert instance.answers[0] in holding[0]
    assert 3 <= len(sentences) <= 6


@each_instance
def test_the_answer_is_not_given_away(instance: BaseInstance) -> None:
    assert not holds_answer(instance.passages[0].title, *instance.answers)
    assert not holds_answer(instance.query, *instance.answers)


@each_instance
def test_the_shape_of_a_natural_question(instance: BaseInstance) -> None:
    (passage,) = instance.passages
    assert passage.title
    assert instance.query == instance.query.lower()
    assert not instance.query.endswith("?")
    assert 55 <= len(passage.text.split()) <= 130
    topic = {word.strip("(),").removesuffix("'s").lower() for word in passage.title.split()}
    assert any(word in instance.query for word in topic if len(word) > 3)
