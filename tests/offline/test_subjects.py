"""What a passage is about, and the question as a claim."""

from __future__ import annotations

import pytest

from perturb.building.offline.question import parse_question, recase
from perturb.building.offline.subject import subject_of
from perturb.records import Passage


@pytest.mark.parametrize(
    ("title", "text", "full", "kind", "start"),
    [
        (
            "Fix You",
            '"Fix You" is a song by the band Coldplay, released in 2005.',
            'the song "Fix You"',
            "song",
            2005,
        ),
        (
            "Heat (film)",
            "Heat is a 1995 American crime film. It stars Al Pacino.",
            "the film Heat",
            "film",
            1995,
        ),
        ("Salton Sea", "The Salton Sea is a shallow lake in California.", "the Salton Sea", "lake", None),
        ("Ada Lee", "Ada Lee (born May 1, 1971) is a Canadian actress.", "Ada Lee", "person", 1971),
        (
            "Red wolf",
            "The red wolf is a wolf native to the east. A red wolf barks.",
            "the red wolf",
            "animal",
            None,
        ),
        (
            "Blue Bloods (season 8)",
            "The eighth season of Blue Bloods began.",
            "the series Blue Bloods",
            "series",
            None,
        ),
        ("Acid rain", "Some say that acid rain is rain. It harms acid rain.", "acid rain", "", None),
    ],
)
def test_a_subject_is_named_as_a_sentence_would(
    title: str, text: str, full: str, kind: str, start: int | None
) -> None:
    subject = subject_of("who is it", Passage(text, title))
    assert subject is not None
    assert (subject.full, subject.kind, subject.first_year) == (full, kind, start)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("List of songs", "This is a list of songs."),
        ("Steffy Forrester", "Steffy Forrester is a fictional character of a soap opera."),
        ("San Juan Mountains", "The San Juan Mountains are a range."),
        ("Emma", "A novel by Jane Austen."),
    ],
)
def test_what_is_unclear_or_plural_or_not_named_is_no_subject(title: str, text: str) -> None:
    assert subject_of("who is it", Passage(text, title)) is None


@pytest.mark.parametrize(
    ("query", "answer", "claim", "denial"),
    [
        ("who wrote Emma", "Jane Austen", "Jane Austen wrote Emma", "Jane Austen did not write Emma"),
        (
            "who plays Yoda in Jedi",
            "Ann Oz",
            "Ann Oz plays Yoda in Jedi",
            "Ann Oz does not play Yoda in Jedi",
        ),
        (
            "when did the dam open",
            "1 May 1912",
            "the dam opened on 1 May 1912",
            "the dam did not open on 1 May 1912",
        ),
        ("where was Heat filmed", "Rome", "Heat was filmed in Rome", "Heat was not filmed in Rome"),
        (
            "who is the coach of Leeds",
            "Al Po",
            "Al Po is the coach of Leeds",
            "Al Po is not the coach of Leeds",
        ),
    ],
)
def test_a_question_is_read_as_a_claim(query: str, answer: str, claim: str, denial: str) -> None:
    asked = parse_question(query)
    assert asked is not None
    assert (asked.claim(answer), asked.denial(answer)) == (claim, denial)


@pytest.mark.parametrize(
    "query",
    ["who become king", "who wrote most of this year", "when did it", "what is it", "who won last year"],
)
def test_a_question_that_print_would_show_as_faulty_is_not_read(query: str) -> None:
    assert parse_question(query) is None


def test_names_get_their_letter_case_from_title_and_passage() -> None:
    passages = (Passage("The film is set in Broken Hill. Crate & Barrel paid.", "Crate & Barrel"),)
    assert recase("who is the ceo of crate and barrel", passages) == "who is the ceo of Crate & Barrel"
    assert recase("who lives in broken hill", passages) == "who lives in Broken Hill"
    assert recase("who lives in Kenya", passages) == "who lives in Kenya"
    assert recase("who sold the ai model", (Passage("It was sold.", "AI model"),)) == "who sold the AI model"
    assert recase("who sold the go cart", (Passage("It was sold.", "Go cart"),)) == "who sold the go cart"
