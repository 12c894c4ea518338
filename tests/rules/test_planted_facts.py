"""Where a planted fact goes, what kind of thing it is about, and which bases take one at LOW."""

from __future__ import annotations

import random
import re

import pytest

from perturb.records import BaseInstance, Passage
from perturb.rules.analyse import analyse
from perturb.rules.fact_kinds import fact_kind
from perturb.rules.granularity_low_facts import MEASURES, TOTALS
from perturb.rules.granularity_medium_facts import SHARE_QUESTIONS, SHARE_SENTENCES
from perturb.rules.granularity_mismatch_low import RULES as LOW
from perturb.rules.granularity_mismatch_medium import RULES as MEDIUM
from perturb.rules.granularity_scenes import scene
from perturb.rules.marking import can_mark
from perturb.rules.passage_edits import added, addition_place
from perturb.rules.subjects import subject_of

SONG = "Copper Morning is a folk song. It was written by Henry Selick."


def base(query: str, title: str, text: str, *answers: str) -> BaseInstance:
    return BaseInstance("i", "t", query, (Passage(text, title),), answers)


def song(tail: str = "") -> BaseInstance:
    return base("who wrote the song copper morning", "Copper Morning", SONG + tail, "Henry Selick")


@pytest.mark.parametrize(
    ("tail", "last"),
    [
        ("", "It was written by Henry Selick."),
        (" These verses were cut.", "These verses were cut."),
        (" In 2013, Ann Price released a", "It was written by Henry Selick."),
        (" The song is played at the", "It was written by Henry Selick."),
        (" In 2013, these verses were", None),
        (" The next scene shows a", None),
        (" Price then released a", None),
    ],
)
def test_a_fact_goes_to_the_end_or_before_a_fragment_that_begins_anew(tail: str, last: str | None) -> None:
    place = addition_place(analyse(song(tail)))
    assert (place.text if place else None) == last


def test_no_two_figures_stand_side_by_side() -> None:
    analysis = analyse(song())
    assert added(analysis, "Clubs booked Daddy's Home 2 51 times.") is None
    assert added(analysis, "Clubs booked Copper Morning 51 times.") is not None


def test_a_title_with_an_article_is_no_place_and_an_animated_film_needs_no_camera() -> None:
    ocean = base(
        "who kidnapped ben in the deep end of the ocean",
        "The Deep End of the Ocean",
        "In The Deep End of the Ocean a woman called Cecil Lockhart kidnapped Ben.",
        "Cecil Lockhart",
    )
    dogs = base(
        "who directed isle of cats",
        "Isle of Cats (film)",
        "Isle of Cats is a 2018 stop-motion animated film directed by Ann Price.",
        "Ann Price",
    )
    kinds = []
    for instance in (ocean, dogs):
        analysis = analyse(instance)
        subject = subject_of(analysis)
        assert subject is not None
        kinds.append(fact_kind(analysis, subject))
    assert kinds == ["thing", "screen"]


@pytest.mark.parametrize(
    ("query", "text", "answer", "fits"),
    [
        ("where did the tea come from in the quiet tea party", "tea brought by the East India Company.", "East India "
         "Company", True),
        ("where did the tea come from in the quiet tea party", "tea from China, brought by the East India Company.",
         "East India Company", False),
        ("where did the tea come from in the quiet tea party", "tea of the East India Company, or The Company.",
         "East India Company", False),
    ],
)  # fmt: skip
def test_a_base_with_a_rival_of_the_answer_takes_no_aside(
    query: str, text: str, answer: str, fits: bool
) -> None:
    told = f"The Quiet Tea Party was a protest. At the Quiet Tea Party people destroyed {text}"
    analysis = analyse(base(query, "Quiet Tea Party", told, answer))
    assert can_mark(TOTALS)(analysis) is fits


def test_the_larger_population_stands_in_the_passage() -> None:
    assert all("{all}" in sentence for sentence in (*SHARE_SENTENCES, *SHARE_QUESTIONS))


def test_a_measurement_is_converted_rightly() -> None:
    def size(text: str, factors: dict[str, float]) -> float:
        number, _, unit = text.replace(",", "").partition(" ")
        return float(number) * factors[unit]

    metres = {
        "cm": 0.01, "centimetres": 0.01, "mm": 0.001, "millimetres": 0.001, "inches": 0.0254, "in": 0.0254,
        "feet": 0.3048, "km": 1000, "kilometres": 1000, "metres": 1, "miles": 1609.34, "yards": 0.9144,
    }  # fmt: skip
    grams = {
        "grams": 1, "g": 1, "kg": 1000, "kilograms": 1000, "ounces": 28.35, "oz": 28.35, "pound": 453.6,
        "pounds": 453.6,
    }  # fmt: skip
    area = {"square metres": 1, "square feet": 0.0929}
    for kind, factors in (
        ("width", metres),
        ("height", metres),
        ("distance", metres),
        ("weight", grams),
        ("area", area),
    ):
        for left, right in MEASURES[kind]:
            assert size(left, factors) == pytest.approx(size(right, factors), rel=0.03), (left, right)


def test_a_scene_names_its_thing_one_way_in_passage_and_question() -> None:
    analysis = analyse(song())
    subject = subject_of(analysis)
    assert subject is not None
    for seed in range(20):
        words = scene(analysis, subject, random.Random(seed))
        assert words["this"].removeprefix("the ") == words["one"].partition(" ")[2]
        assert words["that"].removeprefix("the ") == words["event"].partition(" ")[2]
        assert len({words["f1"], words["f2"], words["f3"]}) == 3


def test_persons_with_a_goal_in_common_are_told_to_be_members() -> None:
    rule = next(r for r in MEDIUM if r.lever == "Individual Actions vs. Collective Goal")
    for seed in range(20):
        draft = rule.apply(analyse(song()), random.Random(seed))
        assert draft is not None
        assert "members" in draft.passages[0].text.removeprefix(SONG)


def test_a_title_keeps_its_article_in_the_question_and_days_stand_in_their_order() -> None:
    series = base(
        "how many seasons of the glades were made",
        "The Glades",
        "The Glades is an American drama series. The Glades was produced over four seasons.",
        "four",
    )
    rule = next(r for r in LOW if r.lever == "Exact Degree Value")
    draft = rule.apply(analyse(series), random.Random(0))
    assert draft is not None
    assert "seasons of The Glades, " in draft.query
    rule = next(r for r in LOW if r.lever == "Explicit Total Line")
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    for seed in range(40):
        draft = rule.apply(analyse(song()), random.Random(seed))
        assert draft is not None
        named = [day for day in re.findall(r"\w+day\b", draft.passages[0].text) if day in days]
        assert named == sorted(named, key=days.index)


def test_the_missing_member_can_move_the_median_far() -> None:
    rule = next(r for r in MEDIUM if r.lever == "Median-With-Missing Member")
    for seed in range(20):
        draft = rule.apply(analyse(song()), random.Random(seed))
        assert draft is not None
        addition = draft.passages[0].text.removeprefix(SONG)
        values = sorted(int(word.strip(",.;")) for word in addition.split() if word.strip(",.;").isdigit())
        half = len(values) // 2
        assert len(values) in (2, 4, 6)
        assert values[half] - values[half - 1] >= 10
