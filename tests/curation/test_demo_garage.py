"""The embedded set with several passages: the answer stands in every signal passage and in no noise."""

from __future__ import annotations

from collections import Counter

import pytest

from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.curation.curation import cut_context
from perturb.curation.source import load_recipe
from perturb.records import BaseInstance
from perturb.text.matching import holds_answer

GARAGE = load_base_set(embedded_path("garage"))
DOMAINS = load_recipe("garage").domains
each_instance = pytest.mark.parametrize("instance", GARAGE.instances, ids=lambda instance: str(instance.id))


def test_size_licence_and_spread() -> None:
    assert (GARAGE.name, GARAGE.licence, GARAGE.warnings) == ("garage", "Apache-2.0", ())
    spread = Counter(instance.domain for instance in GARAGE.instances)
    assert set(spread) == set(DOMAINS)
    assert all(number >= 3 for number in spread.values())


def test_no_question_and_no_passage_stands_twice() -> None:
    others = load_base_set(embedded_path("demo"))
    queries = [instance.query for instance in (*GARAGE.instances, *others.instances)]
    texts = [passage.text for instance in GARAGE.instances for passage in instance.passages]
    assert len(set(queries)) == len(queries)
    assert len(set(texts)) == len(texts)


@each_instance
def test_ten_passages_of_the_wanted_length(instance: BaseInstance) -> None:
    assert len(instance.passages) == 10
    assert 2 <= sum(passage.role == "signal" for passage in instance.passages) <= 4
    assert all(25 <= len(passage.text.split()) <= 60 for passage in instance.passages)
    assert all(passage.title for passage in instance.passages)


@each_instance
def test_signal_holds_the_answer_and_noise_does_not(instance: BaseInstance) -> None:
    for passage in instance.passages:
        assert holds_answer(passage.text, *instance.answers) == (passage.role == "signal")
        assert not holds_answer(passage.title, *instance.answers)
    assert not holds_answer(instance.query, *instance.answers)
    assert any(answer in passage.text for answer in instance.answers for passage in instance.passages)
    assert holds_answer(instance.reference_answer or "", *instance.answers)


@each_instance
def test_the_recipe_leaves_it_as_it_is(instance: BaseInstance) -> None:
    budget = load_recipe("garage").passages
    assert budget is not None
    assert cut_context(instance, budget) == instance
