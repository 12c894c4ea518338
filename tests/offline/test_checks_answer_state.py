"""The verifier `answer-state`: answers that must stand, and answers that must be gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.offline.test_checks_samples import (
    AMB,
    BRIDGE,
    CON,
    EPI,
    FAL,
    GRA,
    HIGH,
    LOW,
    MEDIUM,
    MIS,
    MOTHS,
    OPERA,
    REGATTA,
    THEATRE,
    judge,
)

CHECK = "answer-state"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "low contradiction on a side fact": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "Another page gives the overture ten minutes."),
    ),
    "low contradiction from a blog": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "A fan blog claims that the opera was written by Olaf Prenn."),
    ),
    "low rounding": (
        THEATRE,
        (CON, LOW),
        "-",
        None,
        ("", "Posters speak of about 1,200 seats in the theatre."),
    ),
    "low missing info": (BRIDGE, (MIS, LOW), "-", None, ("12 May 1923", "1923")),
    "low parenthesis": (OPERA, (MIS, LOW), "-", None, (" (without the repeat)", "")),
    "low presupposition": (
        REGATTA,
        (FAL, LOW),
        "-",
        "Where is the Amber Regatta, winner of the Heron Prize, held?",
    ),
    "which figure for who": (OPERA, (AMB, LOW), "-", "Which figure wrote the opera The Glass Harbour?"),
    "sentence cut": (
        OPERA,
        (MIS, MEDIUM),
        "-",
        None,
        ("It was written by Edda Brenneck in 1911 and first staged in the town of Orlow. ", ""),
    ),
    "date cut": (BRIDGE, (MIS, MEDIUM), "-", None, (" on 12 May 1923", "")),
    "number cut": (
        THEATRE,
        (MIS, HIGH),
        "-",
        None,
        ("The theatre has 1,184 seats on three levels, and its stage is", "The stage of the theatre is"),
    ),
    "place purged": (REGATTA, (MIS, HIGH), "-", None, (" at Lissel, a small port in Portugal,", "")),
    "phrase purged": (
        MOTHS,
        (MIS, HIGH),
        "-",
        None,
        ("Glimmer moths feed on the nectar of the marsh lantern, a reed that flowers at night. ", ""),
    ),
    "year of something else stays": (
        THEATRE,
        (MIS, MEDIUM),
        "-",
        None,
        ("1,184 seats", "an unstated number of seats"),
    ),
    "contradiction keeps the answer": (
        OPERA,
        (CON, HIGH),
        "-",
        None,
        ("", "The opera was written by Olaf Prenn."),
    ),
    "ambiguity keeps the answer": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        "Who wrote this opera?",
        ("", "The Salt Lantern is an opera by Olaf Prenn."),
    ),
    "low epithet that is explained": (
        OPERA,
        (AMB, LOW),
        "-",
        "Who wrote the opera known as “the Grand Clock”?",
        ("", "Only the opera The Glass Harbour is called “the Grand Clock”."),
    ),
    "low list of siblings": (
        OPERA,
        (GRA, LOW),
        "-",
        "According to its own entry, who wrote the opera The Glass Harbour?",
        (
            "",
            "Three entries of a list are: The Glass Harbour, written by Edda Brenneck; Winter, written by Olaf Prenn.",
        ),
    ),
    "citation in place of the answer": (THEATRE, (MIS, MEDIUM), "-", None, ("1,184", "[source 32]")),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "low item without its answer": (OPERA, (CON, LOW), "-", None, ("Edda Brenneck", "Olaf Prenn")),
    "low item with the answer denied": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("was written by", "was not written by"),
    ),
    "low item with a credible rival": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "The opera The Glass Harbour was written by Olaf Prenn."),
    ),
    "low item turned into yes or no": (
        OPERA,
        (EPI, LOW),
        "-",
        "Is The Glass Harbour a major opera by a known writer?",
    ),
    "low item that asks for a date": (
        OPERA,
        (FAL, LOW),
        "-",
        "When was the opera The Glass Harbour first staged?",
    ),
    "low item that tells its answer": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, composed by Edda Brenneck?",
    ),
    "low item about something else": (
        OPERA,
        (GRA, LOW),
        "-",
        "Who built the tallest of the town's three churches?",
    ),
    "alias stays": (OPERA, (MIS, MEDIUM), "-", None, ("", "Edda Brenneck kept the score.")),
    "surname stays": (
        OPERA,
        (MIS, MEDIUM),
        "-",
        None,
        ("by Edda Brenneck ", ""),
        ("", "Brenneck later taught at Orlow."),
    ),
    "surname stays as a possessive": (
        OPERA,
        (MIS, HIGH),
        "-",
        None,
        ("by Edda Brenneck ", ""),
        ("", "It was Brenneck's first success."),
    ),
    "year of the date stays": (BRIDGE, (MIS, MEDIUM), "-", None, ("12 May 1923", "a day in 1923")),
    "number in words stays": (
        MOTHS,
        (MIS, MEDIUM),
        "-",
        None,
        ("Glimmer moths feed on the nectar of the marsh lantern, a reed", "They like a marsh reed"),
        ("", "They drink nectars of all kinds."),
    ),
    "adjective of the place stays": (
        REGATTA,
        (MIS, HIGH),
        "-",
        None,
        (" at Lissel, a small port in Portugal,", " at a Portuguese port"),
    ),
    "another value steps in": (OPERA, (MIS, MEDIUM), "-", None, ("Edda Brenneck", "Olaf Prenn")),
    "another date steps in": (
        BRIDGE,
        (MIS, MEDIUM),
        "-",
        None,
        ("It was opened to traffic on 12 May 1923", "The Tarn Bridge was opened to traffic in 1931"),
    ),
    "another count steps in": (THEATRE, (MIS, HIGH), "-", None, ("1,184", "900")),
    "answer lost in a contradiction": (OPERA, (CON, MEDIUM), "-", None, ("Edda Brenneck", "Olaf Prenn")),
}


@pytest.mark.parametrize("item", FIT.values(), ids=FIT.keys())
def test_a_fit_item_passes(item: tuple[Any, ...]) -> None:
    verdict = judge(CHECK, *item)
    assert verdict.passed, verdict.issues


@pytest.mark.parametrize("item", UNFIT.values(), ids=UNFIT.keys())
def test_an_unfit_item_fails_with_a_reason(item: tuple[Any, ...]) -> None:
    verdict = judge(CHECK, *item)
    assert not verdict.passed
    assert verdict.issues
    assert not all(verdict.checks.values())


def test_it_has_no_opinion_where_no_answer_stands_in_the_passage() -> None:
    long_form = replace(
        OPERA, answers=("A composer from the north wrote it in the end, as far as anybody knows today.",)
    )
    verdict = judge(CHECK, long_form, (CON, MEDIUM), "-", None, ("praised", "scorned"))
    assert verdict.passed is None
    assert not verdict.checks


def test_it_predicts_an_answer_where_a_trace_is_left() -> None:
    verdict = judge(CHECK, BRIDGE, (MIS, MEDIUM), "-", None, ("12 May 1923", "a day in 1923"))
    assert verdict.predicted_behavior == "ANSWER_CORRECTLY"
    assert verdict.checks == {"answer_constraint": False, "predicted_behavior": False}
