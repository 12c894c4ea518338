"""The verifier `lever`: what a lever leaves behind in the text."""

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
    THEATRE,
    judge,
)

CHECK = "lever"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "month trimmed": (BRIDGE, (MIS, LOW), "Trim Month but Keep Year", None, ("12 May 1923", "1923")),
    "parenthesis cut": (OPERA, (MIS, LOW), "Parenthetical Excise", None, (" (without the repeat)", "")),
    "colour cut": (BRIDGE, (MIS, LOW), "Delete Color Adjective", None, ("a red tramway", "a tramway")),
    "sentence dropped": (
        OPERA,
        (MIS, LOW),
        "Drop Example Sentence",
        None,
        (" Critics of the time praised the music.", ""),
    ),
    "answer clause cut": (BRIDGE, (MIS, MEDIUM), "Missing Temporal Adjunct", None, (" on 12 May 1923", "")),
    "rounded": (THEATRE, (CON, LOW), "Minor Numeric Rounding", None, ("", "Posters give about 1,200 seats.")),
    "magnitude": (
        THEATRE,
        (CON, HIGH),
        "Order-of-Magnitude Numeric Clash",
        None,
        ("", "The theatre has 118,400 seats."),
    ),
    "respectively": (
        OPERA,
        (AMB, HIGH),
        "Ambiguous 'Respectively' Mapping",
        None,
        ("", "The three were by Brenneck and Prenn respectively."),
    ),
    "prize presupposed": (
        OPERA,
        (FAL, LOW),
        "Award Presupposition",
        "Who wrote the opera The Glass Harbour, winner of the Heron Prize?",
    ),
    "other year asked": (
        OPERA,
        (FAL, LOW),
        "Over-specific Year",
        "Who wrote the opera The Glass Harbour in 1897?",
    ),
    "median asked": (
        THEATRE,
        (GRA, MEDIUM),
        "Median-With-Missing Member",
        "What is the median number of seats in the five theatres?",
    ),
    "beauty asked": (
        OPERA,
        (EPI, HIGH),
        "Most Beautiful Aspect",
        "What is the loveliest thing about The Glass Harbour?",
    ),
    "unknown lever": (
        OPERA,
        (EPI, HIGH),
        "Ontological Modality",
        "Does The Glass Harbour exist of necessity?",
    ),
    "names blacked out": (
        OPERA,
        (MIS, HIGH),
        "All Names Redacted",
        None,
        ("Edda Brenneck", "[redacted]"),
        ("Orlow", "[redacted]"),
    ),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "year gone too": (BRIDGE, (MIS, LOW), "Trim Month but Keep Year", None, (" on 12 May 1923", "")),
    "parenthesis kept": (
        OPERA,
        (MIS, LOW),
        "Parenthetical Excise",
        None,
        (" Critics of the time praised the music.", ""),
    ),
    "colour kept": (
        BRIDGE,
        (MIS, LOW),
        "Delete Color Adjective",
        None,
        ("after four years of work", "after work"),
    ),
    "sentence edited instead": (
        OPERA,
        (MIS, LOW),
        "Drop Example Sentence",
        None,
        (" (without the repeat)", ""),
    ),
    "answer sentence kept": (
        BRIDGE,
        (MIS, MEDIUM),
        "Answer Clause Excised",
        None,
        ("The bridge is 340 metres long and carries a red tramway.", ""),
    ),
    "far from rounding": (
        THEATRE,
        (CON, LOW),
        "Minor Numeric Rounding",
        None,
        ("", "Posters give 2,400 seats."),
    ),
    "same magnitude": (
        THEATRE,
        (CON, HIGH),
        "Order-of-Magnitude Numeric Clash",
        None,
        ("", "The theatre has 1,300 seats."),
    ),
    "no respectively": (
        OPERA,
        (AMB, HIGH),
        "Ambiguous 'Respectively' Mapping",
        None,
        ("", "The three were by Brenneck and Prenn."),
    ),
    "no prize": (
        OPERA,
        (FAL, LOW),
        "Award Presupposition",
        "Who wrote the opera The Glass Harbour, now in its second edition?",
    ),
    "year of the passage": (
        OPERA,
        (FAL, LOW),
        "Over-specific Year",
        "Who wrote the opera The Glass Harbour in 1911?",
    ),
    "mean instead of median": (
        THEATRE,
        (GRA, MEDIUM),
        "Median-With-Missing Member",
        "What is the mean number of seats?",
    ),
    "no beauty": (
        OPERA,
        (EPI, HIGH),
        "Most Beautiful Aspect",
        "What is the longest part of The Glass Harbour?",
    ),
    "sentence swallowed by the redaction": (
        OPERA,
        (MIS, HIGH),
        "All Names Redacted",
        None,
        ("Edda Brenneck in 1911 and first staged in the town of Orlow. The", "[redacted] the"),
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


def test_a_lever_without_a_test_gets_no_opinion() -> None:
    verdict = judge(
        CHECK, OPERA, (EPI, HIGH), "Ontological Modality", "Does The Glass Harbour exist of necessity?"
    )
    assert not verdict.checks
