"""Ambiguities and false premises: second values, lists of unequal length, denials and what they rest on."""

from __future__ import annotations

import re

import pytest

from perturb.records import BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules.ambiguity_rivals import anybody, rival_of
from perturb.rules.analyse import analyse
from perturb.rules.answer_person import is_clean, maybe_person
from perturb.rules.engine import RuleCandidate, perturb_by_rule
from perturb.rules.subjects import subject_of

AMBIGUITY_MEDIUM = Cell(PerturbationClass.AMBIGUITY, Intensity.MEDIUM)
AMBIGUITY_HIGH = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)
PREMISE_MEDIUM = Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM)


def instance(query: str, title: str, text: str, *answers: str) -> BaseInstance:
    return BaseInstance(query, "test", query, (Passage(text, title),), answers)


def made(base: BaseInstance, cell: Cell, lever: str) -> list[RuleCandidate]:
    drafts = (perturb_by_rule(base, cell, lever, seed) for seed in range(30))
    return [draft for draft in drafts if isinstance(draft, RuleCandidate)]


BAND = instance(
    "who sings the song copper morning",
    "Copper Morning",
    "Copper Morning is a folk song. It was recorded by Chilliwack in a barn. The song has three verses.",
    "Chilliwack",
)
WRITTEN = instance(
    "who sings the song copper morning",
    "Copper Morning",
    "Copper Morning is a folk song written by Henry Selick. Many bands have covered it. The song has three verses.",
    "Henry Selick",
)
BROADCAST = instance(
    "when was the glass ferry made",
    "The Glass Ferry",
    "The Glass Ferry is a sitcom. The Glass Ferry was first broadcast on March 18, 2005. It has three seasons.",
    "March 18, 2005",
)
TRAM = instance(
    "when did the blue tram start in chicago",
    "Blue Tram",
    "The Blue Tram started in Chicago in 1984. Citizens used it daily. Fares stayed low for a long time.",
    "1984",
)
WAIT = instance(
    "how long do riders wait for a blue tram",
    "Blue Tram",
    "The tram is blue. In summer riders wait for a blue tram for 12 minutes. The cars were built in Leeds. "
    "Citizens used them daily, and fares stayed low for a long time. Dogs travel free of charge.",
    "12 minutes",
)
FIRST = instance(
    "when was the first blue tram built",
    "Blue Tram",
    "The first blue tram was built in 1984. Citizens used it daily. Fares stayed low for a long time.",
    "1984",
)


def test_a_band_has_an_invented_person_for_a_rival() -> None:
    analysis = analyse(BAND)
    assert maybe_person(analysis)
    assert rival_of(analysis) == anybody(analysis) is not None
    rival = anybody(analysis) or ""
    drafts = made(BAND, AMBIGUITY_MEDIUM, "Sluiced-Wh Ambiguity")
    assert drafts
    assert all(rival in draft.passages[0].text and rival not in draft.query for draft in drafts)


def test_a_sentence_is_added_where_nothing_hangs_on_the_one_before() -> None:
    drafts = made(BAND, AMBIGUITY_MEDIUM, "Sluiced-Wh Ambiguity")
    assert drafts
    for draft in drafts:
        text = draft.passages[0].text
        assert text.startswith(BAND.passages[0].text)
        told = text.removeprefix(BAND.passages[0].text)
        assert told.count("Copper Morning") == 1
        assert " this" not in told


def test_who_did_it_may_be_either_of_two_people_in_a_photograph() -> None:
    song = instance(
        "who wrote the song copper morning",
        "Copper Morning",
        "Copper Morning is a folk song. It was written by Henry Selick in a barn. Many bands have covered it since.",
        "Henry Selick",
    )
    drafts = made(song, AMBIGUITY_MEDIUM, "PP-Attachment Ambiguity")
    assert drafts
    for draft in drafts:
        assert re.search(r"Henry Selick.* with the (?:award|prize|medal) for writing", draft.passages[0].text)


def test_a_team_has_no_person_for_a_rival() -> None:
    team = instance(
        "who won the copper cup",
        "Copper Cup",
        "The Copper Cup was won by Leeds Rovers in 1984.",
        "Leeds Rovers",
    )
    assert rival_of(analyse(team)) is None


@pytest.mark.parametrize("base", [BAND, TRAM, WAIT], ids=lambda base: base.query)
def test_what_is_asked_stands_in_the_middle_of_three(base: BaseInstance) -> None:
    drafts = made(base, AMBIGUITY_HIGH, "Ambiguous 'Respectively' Mapping")
    assert drafts
    for draft in drafts:
        sentence = re.search(
            r"[^.]*\b(?:respectively|in that order|in the same order)\b[^.]*", draft.passages[0].text
        )
        assert sentence is not None
        told = sentence.group()
        name = next(
            word for word in ("Copper Morning", "Blue Tram", "blue tram", "Blue tram") if word in told
        )
        at = (
            told.find(base.answers[0])
            if base is BAND and "?”" not in told and "“" not in told
            else told.find(name)
        )
        assert re.search(r"[\w”]", told[:at])
        assert re.search(r"\band\b", told[at:])


@pytest.mark.parametrize("base", [WRITTEN, BROADCAST], ids=lambda base: base.query)
def test_no_denial_of_a_deed_that_the_passage_does_not_assert(base: BaseInstance) -> None:
    assert made(base, PREMISE_MEDIUM, "Factive Verb Contradiction") == []


def test_a_denial_of_what_a_band_did() -> None:
    drafts = made(BAND, PREMISE_MEDIUM, "Factive Verb Contradiction")
    assert drafts
    assert all("Chilliwack does not sing the song Copper Morning" in draft.query for draft in drafts)


def test_nothing_stops_before_it_began_and_nothing_precedes_the_first() -> None:
    stopped = made(TRAM, PREMISE_MEDIUM, "Stopped vs. Never Started")
    assert stopped
    for draft in stopped:
        assert re.search(r" end(?:ed)? in Chicago", draft.query)
        assert max(int(year) for year in re.findall(r"\b\d{4}\b", draft.query)) < 1984
    before = made(FIRST, PREMISE_MEDIUM, "First vs. Second Mission Clash")
    assert before
    assert all("first" in draft.query for draft in before)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("who sings the song i want to go outside", "Go Outside"),
        ("who sings every light in the house is on", "Every Light in the House"),
        ("when does the new episodes of copper morning start", "Copper Morning"),
        ("who become head of copper morning", "Copper Morning"),
    ],
)
def test_a_question_with_a_slip_or_half_a_title_is_not_printed(query: str, title: str) -> None:
    assert not is_clean(analyse(instance(query, title, f"{title} was sung by Ann Lee in 1984.", "Ann Lee")))


def test_words_that_the_passage_writes_small_are_no_names() -> None:
    text = "The orca is a whale. The first orca was put in captivity in 1961, during the winter."
    assert is_clean(analyse(instance("when was the sixth orca put in captivity", "Orca", text, "1961")))


def test_a_cup_has_its_article_where_the_passage_only_counts_it() -> None:
    cup = instance(
        "who has trained the most copper cup winners",
        "Copper Cup",
        "The trainer Bart Cummings won his fifth Copper Cup in 1975.",
        "Bart Cummings",
    )
    subject = subject_of(analyse(cup))
    assert subject is not None
    assert subject.full == "the Copper Cup"
