from __future__ import annotations

import pytest

from perturb.records import BaseInstance, Passage
from perturb.rules.analyse import analyse
from perturb.rules.answers import AnswerType, clusters_of, is_place
from perturb.rules.question_parsing import parse_question
from perturb.rules.sentences import split_sentences, without
from perturb.rules.topics import recase
from perturb.rules.values import changed_number, dice, shifted_date


def instance(query: str, text: str, *answers: str, title: str = "") -> BaseInstance:
    return BaseInstance("i1", "test", query, (Passage(text, title),), answers)


SONG = instance(
    "who wrote the copper road",
    '"The Copper Road" is a song of 1954 about a miners\' strike. It was written by the Welsh poet David Pryce. '
    "He also composed its tune, and the miners' choir sang it first.",
    "David Pryce",
    title="The Copper Road",
)


def test_a_song_is_understood() -> None:
    found = analyse(SONG)
    assert found.reasons == ()
    assert found.query == "who wrote The Copper Road"
    assert (found.answer, found.answer_type, found.gender) == ("David Pryce", AnswerType.PERSON, "m")
    assert found.topic is not None
    assert (found.topic.text, found.topic.kind, found.topic.whole_title) == ("The Copper Road", "song", True)
    assert found.question is not None
    assert found.question.claim("Ann Lee") == "Ann Lee wrote The Copper Road"
    assert found.answer_sentences == (1,)
    assert found.only_sentence == found.sentences[1]
    assert found.alternative is not None
    assert found.alternative not in SONG.passages[0].text


@pytest.mark.parametrize(
    ("query", "claim"),
    [
        ("when was the Corran Bridge opened", "the Corran Bridge was opened in 1901"),
        ("when did Toyota first come to Peru", "Toyota first came to Peru in 1901"),
        ("when does the new season start", "the new season starts in 1901"),
        ("where was the film Rust shot", "the film Rust was shot in 1901"),
        ("who is the head of the Merrow Society", "1901 is the head of the Merrow Society"),
        ("how many towers are there in Eastmere", "there are 1901 towers in Eastmere"),
    ],
)
def test_questions_become_claims(query: str, claim: str) -> None:
    question = parse_question(query)
    assert question is not None
    assert question.claim("1901") == claim


@pytest.mark.parametrize(
    "query",
    [
        "why is the sky blue",
        "who did Puss grow up with",
        "when did it begin and end",
        "the uvea is a layer of the",
        "who",
    ],
)
def test_forms_that_are_not_known_are_not_parsed(query: str) -> None:
    assert parse_question(query) is None


def test_full_dates_take_on() -> None:
    question = parse_question("when was the bridge opened")
    assert question is not None
    assert question.claim("3 May 1901") == "the bridge was opened on 3 May 1901"


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        (instance("who wrote the anthem", "Nobody knows.", "Ann Lee"), "no accepted answer"),
        (
            instance("who wrote Ann Lee's anthem here", "Ann Lee wrote an anthem.", "Ann Lee"),
            "stands in the question",
        ),
        (instance("who built it", "Ann Lee built it.", "Ann Lee"), "fragment"),
        (instance("when was the old abbey built", "The old abbey was built by Ann Lee.", "Ann Lee"), ""),
        (
            instance("who designed the marble fountain at Tarn", "Rain fell on Ann Lee.", "Ann Lee"),
            "weak support",
        ),
        (
            instance(
                "who sings copper morning",
                "Copper Morning is sung by Ann Lee. It was covered by Bo Dee.",
                "Ann Lee",
            ),
            "another performer",
        ),
        (
            instance(
                "who sings copper morning", "Copper Morning is a single by folk singer Ann Lee.", "Ann Lee"
            ),
            "",
        ),
        (
            instance(
                "who sings copper morning",
                "Copper Morning is a single by American folk singer Ann Lee.",
                "Ann Lee",
            ),
            "",
        ),
    ],
)
def test_bad_bases_are_gated(base: BaseInstance, reason: str) -> None:
    reasons = "; ".join(analyse(base).reasons)
    assert reason in reasons
    assert bool(reasons) == bool(reason)


def test_aliases_of_one_thing_make_one_cluster() -> None:
    base = instance(
        "when was it", "It was on 3 May 1901, in 1901. Not in 1950.", "1901", "3 May 1901", "1950"
    )
    clusters = clusters_of(base)
    assert [cluster.longest for cluster in clusters] == ["3 May 1901", "1950"]
    assert [m.text for m in clusters[0].mentions] == ["3 May 1901", "1901"]


@pytest.mark.parametrize(
    ("query", "text", "answer", "kind"),
    [
        ("when was the mill built", "The mill was built in 1901.", "1901", AnswerType.YEAR),
        ("when was the mill built", "The mill was built on 3 May 1901.", "3 May 1901", AnswerType.DATE),
        ("how many mills are there", "There are 1,204 mills.", "1,204", AnswerType.NUMBER),
        ("where is the mill", "The mill is in Leeds, Vermont.", "Leeds, Vermont", AnswerType.PLACE),
        ("who owns the mill", "The mill is owned by the Lee family.", "the Lee family", AnswerType.PHRASE),
        ("what drives the mill", "Falling water drives the mill.", "Falling water", AnswerType.PHRASE),
    ],
)
def test_types_of_answers(query: str, text: str, answer: str, kind: AnswerType) -> None:
    assert analyse(instance(query, text, answer)).answer_type is kind


def test_a_film_is_no_person() -> None:
    base = instance(
        "who won the prize for best film", "The prize for best film went to Rocky that year.", "Rocky"
    )
    assert analyse(base).answer_type is AnswerType.PHRASE


def test_a_gender_that_is_not_sure_gives_no_rival() -> None:
    base = instance("who owns the old mill", "The singer Robin Kell owns the old mill.", "Robin Kell")
    found = analyse(base)
    assert found.gender is None
    assert found.alternative is None


def test_queries_in_lower_case_are_recased_from_the_passage() -> None:
    passages = (Passage("Boy meets Girl in Oslo. The Vigeland Park is large.", "Vigeland Park (Oslo)"),)
    assert (
        recase("who built vigeland park in oslo for a boy", passages)
        == "who built Vigeland Park in Oslo for a boy"
    )
    assert recase("Who built vigeland park?", passages) == "who built Vigeland Park?".replace("who", "Who")


def test_sentences_are_merged_after_abbreviations_and_found_again() -> None:
    text = "Robert Downey Jr. played it. He was paid $2 million.  She (cf. p. 3) was not. Ends mid"
    sentences = split_sentences(text)
    assert [s.text for s in sentences][:2] == ["Robert Downey Jr. played it.", "He was paid $2 million."]
    assert all(text[s.start : s.end] == s.text for s in sentences)
    assert not sentences[-1].complete
    assert without(text, [sentences[0]]).startswith("He was")


def test_shifted_dates_keep_form_and_order() -> None:
    for seed in range(30):
        moved = shifted_date("May 3, 1901", "begun 1900, May 3, 1901, rebuilt 1903", dice(seed))
        assert moved is not None
        assert moved.endswith(", 1902")
        assert not moved.startswith("May")
    assert shifted_date("1901–05", "", dice(1)) is None


def test_changed_numbers_keep_their_form() -> None:
    assert changed_number("57 days", dice(1)) != "57 days"
    assert changed_number("one season", dice(1)) is None
    assert changed_number("95%", dice(3)) is None or "%" in str(changed_number("95%", dice(3)))


def test_places_are_known_by_list_or_form() -> None:
    assert is_place("the Ravi River")
    assert not is_place("Gettysburg College")


@pytest.mark.parametrize(
    "base",
    [
        instance("", "", ""),
        instance("??", "\n\n", " "),
        instance("من كتب النشيد الوطني هنا", "كتب علي النشيد الوطني.", "علي"),
        instance("who wrote {{ 7 * 7 }} in {x}", "Ann Lee wrote {{ 7 * 7 }} in {x}. {% raw %}", "Ann Lee"),
        instance(
            "who\u0000 wrote \ud83d\ude00 for us all", "Ann\u00a0Lee wrote \ud83d\ude00 for us.", "Ann Lee"
        ),
        instance(
            "who wrote ((( the [song", "Ann Lee wrote ((( the [song. (((", "Ann Lee", title="((( the [song"
        ),
        BaseInstance("none", "test", "who is it then", (), ("x",)),
    ],
)
def test_odd_inputs_do_not_crash(base: BaseInstance) -> None:
    assert analyse(base).instance is base
