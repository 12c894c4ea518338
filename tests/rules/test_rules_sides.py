"""Two sides of one weight: which comes first, what else must go, and what a second clause is about."""

from __future__ import annotations

import random

import pytest

from perturb.records import BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules.ambiguity_rivals import half_named, hinted_year, thing_of
from perturb.rules.analyse import analyse
from perturb.rules.answer_person import asserts_deed
from perturb.rules.contradiction_claims import claims, denial_for, denial_of, either_of, needs_denial
from perturb.rules.contradiction_sources import equals
from perturb.rules.drafts import restated
from perturb.rules.engine import RuleCandidate, perturb_by_rule

MEDIUM = Cell(PerturbationClass.CONTRADICTION, Intensity.MEDIUM)


def instance(query: str, text: str, *answers: str, title: str = "") -> BaseInstance:
    return BaseInstance(query, "test", query, (Passage(text, title),), answers)


OPENED = instance(
    "when did the Corran Bridge open",
    "The Corran Bridge opened in 1901. Its blue railings are famous. The toll house was sold to a painter.",
    "1901",
    title="Corran Bridge",
)


@pytest.mark.parametrize("seed", range(12))
def test_the_answer_is_the_certain_one(seed: int) -> None:
    made = perturb_by_rule(OPENED, MEDIUM, "Modal Dilution", seed)
    assert isinstance(made, RuleCandidate)
    rival = analyse(OPENED).alternative or ""
    text = made.passages[0].text
    assert text.index("in 1901") < text.index(rival)


def test_a_date_is_denied_and_no_other_part_of_the_claim() -> None:
    analysis = analyse(OPENED)
    said = claims(analysis)
    assert said is not None
    assert denial_of(analysis, said[0]) == "it was not in 1901 that the Corran Bridge opened"
    either = either_of(analysis)
    assert either is not None
    assert either[0].startswith("the Corran Bridge opened either in ")


def test_a_denial_covers_the_shortest_accepted_answer() -> None:
    told = instance(
        "when did the Corran Bridge open",
        "The Corran Bridge opened on 3 May 1901. Its blue railings are famous.",
        "3 May 1901",
        "1901",
        title="Corran Bridge",
    )
    analysis = analyse(told)
    assert needs_denial(analysis)
    assert denial_of(analysis, "…") == "it was not in 1901 that the Corran Bridge opened"
    assert not needs_denial(analyse(OPENED))


def test_two_accepted_people_are_denied_one_by_one() -> None:
    text = "Copper Morning is a song written by Ann Lee and Moira Parton. Children like it."
    told = instance(
        "who wrote Copper Morning", text, "Ann Lee and Moira Parton", "Ann Lee", title="Copper Morning"
    )
    denial = denial_for(analyse(told), "Ann Lee and Moira Parton wrote Copper Morning", random.Random(0))
    assert denial == "neither Ann Lee nor Moira Parton wrote Copper Morning"


def test_nothing_is_set_before_a_sentence_that_looks_back() -> None:
    told = instance(
        "when did the Corran Bridge open",
        "The Corran Bridge opened in 1901. Some painters love it. The toll house was sold to a mayor.",
        "1901",
        title="Corran Bridge",
    )
    low = Cell(PerturbationClass.CONTRADICTION, Intensity.LOW)
    drafts = [perturb_by_rule(told, low, "Peripheral Attribute Clash", seed) for seed in range(8)]
    made = [draft.passages[0].text for draft in drafts if isinstance(draft, RuleCandidate)]
    assert made
    assert all("opened in 1901. Some painters love it." in text for text in made)


@pytest.mark.parametrize(
    ("query", "text", "answer"),
    [
        ("who won the rowing cup 2018", "Ann Lee won the rowing cup in 2018.", "Ann Lee"),
        ("where does the fox live in the world", "The fox lives in Ireland.", "Ireland"),
    ],
)
def test_the_wording_of_a_search_makes_no_claim(query: str, text: str, answer: str) -> None:
    assert claims(analyse(instance(query, text, answer))) is None


def test_who_loses_the_first_mention_goes_too() -> None:
    told = instance(
        "who wrote the song Copper Morning",
        "Copper Morning is a song. It was written by Ann Lee for Moira Parton. Parton sang it in Leeds. "
        "The song has nine verses. Children like it.",
        "Ann Lee",
        title="Copper Morning",
    )
    passages = restated(analyse(told), "The record is lost.")
    assert passages is not None
    assert "Parton" not in passages[0].text
    assert "nine verses" in passages[0].text


def test_a_second_clause_names_what_it_is_about() -> None:
    coach = instance("who is the coach for the Ottawa Senators", "Ann Lee is the coach.", "Ann Lee")
    assert thing_of(analyse(coach)) == "the Ottawa Senators"
    law = instance("when did martial law end", "Martial law ended in 1981.", "1981")
    assert thing_of(analyse(law)) == "this subject"


def test_a_name_in_the_question_or_a_year_beside_tells() -> None:
    rose = instance(
        "who did Ann Lee play in The Rose", "Ann Lee played Mary Rose Foster.", "Mary Rose Foster"
    )
    assert half_named(analyse(rose))
    assert not hinted_year(analyse(OPENED))


def test_a_coinage_has_to_be_told() -> None:
    quoted = instance("who coined the phrase", "The phrase stands in the book of Ann Lee.", "Ann Lee")
    coined = instance("who coined the phrase", "The phrase was coined by Ann Lee.", "Ann Lee")
    assert asserts_deed(analyse(coined))
    assert not asserts_deed(analyse(quoted))


@pytest.mark.parametrize("seed", range(30))
def test_two_sources_are_of_one_kind_and_unknown_to_the_text(seed: int) -> None:
    text = "The Halden Gazette praised Edith Ashdown and Martin Bexley of Merrow."
    pair = equals(random.Random(seed), text)
    first, second = pair.a.split(), pair.b.split()
    assert pair.a != pair.b
    assert len(first) == len(second)
    assert not {"Halden", "Merrow", "Edith", "Ashdown", "Martin", "Bexley"} & {*first, *second}


def test_opposite_words_of_taste_leave_the_fact() -> None:
    low = Cell(PerturbationClass.CONTRADICTION, Intensity.LOW)
    drafts = [perturb_by_rule(OPENED, low, "Soft Antonym Modifiers", seed) for seed in range(30)]
    made = [draft for draft in drafts if isinstance(draft, RuleCandidate)]
    assert len({draft.passages[0].text for draft in made}) >= 6
    assert all("The Corran Bridge opened in 1901." in draft.passages[0].text for draft in made)


@pytest.mark.parametrize("seed", range(12))
def test_a_rule_keeps_two_properties_apart(seed: int) -> None:
    high = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)
    made = perturb_by_rule(OPENED, high, "Mutual Exclusion Claim", seed)
    assert isinstance(made, RuleCandidate)
    rule = made.passages[0].text.split(". ")[0]
    assert "in 1901" in rule
    assert "Corran" not in rule
