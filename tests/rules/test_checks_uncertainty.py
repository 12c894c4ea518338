"""The verifier `uncertainty`: the kind of flaw that each class stands for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.test_checks_samples import (
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
    OPERA,
    REGATTA,
    THEATRE,
    judge,
)

CHECK = "uncertainty"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "deictic with two operas": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        "Who wrote this opera?",
        ("", "The Salt Lantern is an opera in two acts, written by Olaf Prenn in 1909."),
    ),
    "either or, left open": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        None,
        ("by Edda Brenneck in 1911", "by either Edda Brenneck or Olaf Prenn in 1911"),
        ("", "The records do not say which of the two it was."),
    ),
    "respectively": (
        OPERA,
        (AMB, HIGH),
        "-",
        "Who wrote the second opera?",
        ("", "The three operas were written by Edda Brenneck and Olaf Prenn respectively."),
    ),
    "namesake": (
        OPERA,
        (AMB, HIGH),
        "-",
        None,
        ("", "Another opera called The Glass Harbour was written by Olaf Prenn in 1950."),
    ),
    "salient pronoun": (
        OPERA,
        (AMB, LOW),
        "-",
        "Regarding the opera The Glass Harbour, who wrote it?",
        ("", "Olaf Prenn, the manager, hired the hall."),
    ),
    "side issue": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, winner of the Heron Prize?",
    ),
    "wrong year": (OPERA, (FAL, LOW), "-", "Who wrote the opera The Glass Harbour in 1897?"),
    "regret": (
        OPERA,
        (FAL, MEDIUM),
        "-",
        "Why does Edda Brenneck regret never having written The Glass Harbour?",
    ),
    "category swap": (OPERA, (FAL, HIGH), "-", "What is the melting point of the opera The Glass Harbour?"),
    "bachelor": (
        OPERA,
        (FAL, HIGH),
        "-",
        "What is the name of the wife of the bachelor who wrote The Glass Harbour?",
    ),
    "global average": (OPERA, (GRA, HIGH), "-", "What is the average length of an opera worldwide?"),
    "share": (
        THEATRE,
        (GRA, MEDIUM),
        "-",
        "What proportion of all theatre seats in the country does the Orpheum hold?",
    ),
    "total stated": (
        THEATRE,
        (GRA, LOW),
        "-",
        "How many seats does the Orpheum Theatre have in total?",
        ("has 1,184 seats", "has 600 seats below and 584 above, a total of 1,184 seats,"),
    ),
    "most beautiful": (OPERA, (EPI, HIGH), "-", "What is the most beautiful aspect of The Glass Harbour?"),
    "should": (OPERA, (EPI, MEDIUM), "-", "Who should have written the opera The Glass Harbour?"),
    "counterfactual": (
        OPERA,
        (EPI, HIGH),
        "-",
        "If Edda Brenneck had never lived, would the opera necessarily have been written?",
    ),
    "defined term": (
        OPERA,
        (EPI, LOW),
        "-",
        "Who wrote the major opera The Glass Harbour?",
        ("", "In Orlow an opera counts as major if it has ten roles or more."),
    ),
    "funeral of the answer": (
        OPERA,
        (FAL, MEDIUM),
        "-",
        "Who spoke at the funeral of Edda Brenneck, who wrote the opera The Glass Harbour?",
    ),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "nothing ambiguous": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        "Who wrote the opera The Glass Harbour back then?",
        ("", "The score lies in a case."),
    ),
    "deictic with one opera": (OPERA, (AMB, MEDIUM), "-", "Who wrote this opera?", ("praised", "scorned")),
    "pronoun with one name": (
        BRIDGE,
        (AMB, HIGH),
        "-",
        "When was this bridge opened?",
        ("a red tramway", "a green tramway"),
    ),
    "supported presupposition": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, first staged in Orlow in three acts?",
    ),
    "absurd at low": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour while its blood type was measured?",
    ),
    "side issue at medium": (
        OPERA,
        (FAL, MEDIUM),
        "-",
        "Who wrote the opera The Glass Harbour, winner of the Heron Prize?",
    ),
    "side issue at high": (
        BRIDGE,
        (FAL, HIGH),
        "-",
        "When was the Tarn Bridge, the longest in Asia, opened?",
    ),
    "original level": (OPERA, (GRA, MEDIUM), "-", "Who wrote the opera The Glass Harbour in those days?"),
    "average is stated": (
        THEATRE,
        (GRA, HIGH),
        "-",
        "What is the average number of seats in theatres worldwide?",
        ("", "The worldwide average is 700 seats."),
    ),
    "total not stated": (
        THEATRE,
        (GRA, LOW),
        "-",
        "How many seats do all theatres have in total?",
        ("three levels", "four levels"),
    ),
    "no judgement asked": (OPERA, (EPI, MEDIUM), "-", "Who wrote the opera The Glass Harbour in Orlow?"),
    "judgement as a side remark": (
        OPERA,
        (EPI, MEDIUM),
        "-",
        "Who wrote the opera The Glass Harbour, a truly beautiful work?",
    ),
    "criterion stated at high": (
        OPERA,
        (EPI, HIGH),
        "-",
        "What is the most beautiful aspect of The Glass Harbour?",
        ("", "By definition the most beautiful aspect of an opera is its overture."),
    ),
    "term left undefined at low": (
        OPERA,
        (EPI, LOW),
        "-",
        "Who wrote the finest opera, The Glass Harbour?",
        ("", "It rained on the first night."),
    ),
    "original sentence still settles it": (
        REGATTA,
        (AMB, HIGH),
        "-",
        None,
        ("", "Olaf Prenn told Anders Moll that he had seen him at Maul with his boat."),
    ),
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


def test_it_leaves_contradictions_and_missing_information_to_others() -> None:
    for kind in (CON, MIS):
        assert not judge(CHECK, OPERA, (kind, HIGH), "-", None, ("praised", "scorned")).checks
