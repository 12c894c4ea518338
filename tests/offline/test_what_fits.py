"""Where a rule fits and where it abstains, on passages that differ in the point alone."""

from __future__ import annotations

import pytest

from perturb.building.offline.engine import DonorTable
from perturb.catalogue.levers import Catalogue
from perturb.records import BaseInstance, Passage
from tests.offline.test_engine import make

REST = "The choir of the valley sings it every winter, and its drums are heard far away. Few know the words."


def instance(
    query: str, text: str, answer: str, title: str = "Copper Waltz", name: str = "s1"
) -> BaseInstance:
    return BaseInstance(name, "test", query, (Passage(text, title),), (answer,))


@pytest.mark.parametrize(
    ("lever", "query", "answer", "fits", "abstains"),
    [
        (
            "Placeholder Citation",
            "who wrote the copper waltz",
            "David Pryce",
            f"The Copper Waltz is a tune. It was written by David Pryce. {REST}",
            f"The Copper Waltz is a tune. David Pryce, a miner, wrote it at night. {REST}",
        ),
        (
            "Answer Clause Excised",
            "who wrote the copper waltz",
            "David Pryce",
            f"The Copper Waltz is an old tune. In time it was written down by David Pryce. {REST}",
            f"The Copper Waltz is an old tune. It was written by David Pryce. {REST} A friend helped him.",
        ),
        (
            "Answer Clause Excised",
            "when was the copper waltz first played",
            "1921",
            f"The Copper Waltz is an old tune. The waltz was first played in 1921. {REST}",
            f"The Copper Waltz is an old tune. The waltz was first played in 1921. {REST} It was banned in 1934.",
        ),
        (
            "Factive Verb Contradiction",
            "who is the leader of the copper choir",
            "Ann Lee",
            f"The leader of the Copper Choir is Ann Lee. {REST}",
            f"The Copper Choir sang at the fair. Many still remember Ann Lee. {REST}",
        ),
        (
            "Intro Clause Removal",
            "who wrote the copper waltz",
            "David Pryce",
            f"In the reign of Oswald, the old tune was forgotten. The Copper Waltz was written by David Pryce. {REST}",
            "In the reign of Oswald, the heir of Edmund, the tune was forgotten. "
            f"The Copper Waltz was written by David Pryce. {REST}",
        ),
        (
            "Peripheral Attribute Clash",
            "who wrote the copper waltz",
            "David Pryce",
            "The Copper Waltz was written by David Pryce. The first hall burnt down on 4 May 1930. Few remember it.",
            "The Copper Waltz was written by David Pryce. The first hall burnt down on 4 May 1930. "
            "The roof had been new two days earlier.",
        ),
    ],
)
def test_a_rule_fits_one_passage_and_not_the_other(
    catalogue: Catalogue, lever: str, query: str, answer: str, fits: str, abstains: str
) -> None:
    assert make(catalogue, instance(query, fits, answer), lever, DonorTable()) is not None
    assert make(catalogue, instance(query, abstains, answer), lever, DonorTable()) is None


def test_an_unrelated_passage_credits_nobody_and_answers_another_kind_of_question(
    catalogue: Catalogue,
) -> None:
    own = instance(
        "who wrote the copper waltz", f"The Copper Waltz was written by David Pryce. {REST}", "David Pryce"
    )
    lake = "Lake Orr is a lake in the north. It froze in 1811 for the first time since records of ice began there."
    song = (
        "Lake Orr is a ballad of the north. It was first sung in 1811 by the boatmen who lived on its shore."
    )
    for text, taken in ((lake.replace("since records", "since notes"), True), (song, False)):
        donor = instance("when did lake orr freeze", text, "1811", "Lake Orr", "s2")
        made = make(catalogue, own, "Entirely Irrelevant Context", DonorTable.of([own, donor]))
        assert (made is not None) is taken


def test_a_rounded_figure_says_what_it_counts(catalogue: Catalogue) -> None:
    text = "The Copper Waltz was written by David Pryce. The printer sold 12,743 copies of the sheet. Few remain."
    made = make(
        catalogue,
        instance("who wrote the copper waltz", text, "David Pryce"),
        "Minor Numeric Rounding",
        DonorTable(),
    )
    assert made is not None
    assert "12,700 copies" in made.passages[0].text
