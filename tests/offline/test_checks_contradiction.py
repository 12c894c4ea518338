"""The verifier `contradiction`: clashes where they belong, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.offline.test_checks_samples import (
    BRIDGE,
    CON,
    EPI,
    GRA,
    HIGH,
    LOW,
    MEDIUM,
    MOTHS,
    OPERA,
    THEATRE,
    judge,
)

CHECK = "contradiction"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "rival statement": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "The Glass Harbour was written by Olaf Prenn in 1911."),
    ),
    "two reports": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        (
            "",
            "The theatre's yearbook states that the opera was written by Olaf Prenn, and does not name anybody else.",
        ),
    ),
    "two dates": (
        BRIDGE,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A county register dates the opening of the bridge to traffic to 3 October 1931."),
    ),
    "magnitude": (THEATRE, (CON, HIGH), "-", None, ("", "The theatre has 118,400 seats on three levels.")),
    "denial": (OPERA, (CON, HIGH), "-", None, ("", "The Glass Harbour was never written by Edda Brenneck.")),
    "either or": (
        OPERA,
        (CON, HIGH),
        "-",
        None,
        ("", "Either Edda Brenneck or Olaf Prenn wrote the opera, but not both, and both wrote it."),
    ),
    "phrase against phrase": (
        MOTHS,
        (CON, HIGH),
        "-",
        None,
        ("", "Glimmer moths feed on pine resin, a sap that flows at night."),
    ),
    "low from a blog": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "A fan blog claims that the opera was written by Olaf Prenn."),
    ),
    "low side fact": (OPERA, (CON, LOW), "-", None, ("", "Another page gives the overture ten minutes.")),
    "low with the official source": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "A comment says that the opera was written by Olaf Prenn; the official record says otherwise."),
    ),
    "low rounding": (
        THEATRE,
        (CON, LOW),
        "-",
        None,
        ("", "The theatre has about 1,200 seats, as posters put it."),
    ),
    "granularity with a fact of its own": (
        OPERA,
        (GRA, HIGH),
        "-",
        "What is the average cost of an opera worldwide?",
        ("", "A ticket cost two crowns on the first night."),
    ),
    "two equal sources": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("It was written by Edda Brenneck", "Half of the board signed that it was written by Edda Brenneck"),
        ("Orlow. ", "Orlow. The other half signed the statement that this is false. "),
    ),
    "biconditional": (
        OPERA,
        (CON, HIGH),
        "Logical Biconditional Break",
        None,
        ("It was written", "The next sentence holds if and only if the seal is whole. It was written"),
        ("The opera has", "The seal is not whole. The opera has"),
    ),
    "side fact on the topic": (
        OPERA,
        (GRA, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, a score of which is 122 cm wide?",
        ("", "A score of the opera The Glass Harbour in Tucson is 122 cm wide."),
    ),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "nothing clashes": (OPERA, (CON, MEDIUM), "-", None, ("", "The score is kept in a glass case.")),
    "answer replaced": (
        OPERA,
        (CON, HIGH),
        "-",
        None,
        ("Edda Brenneck", "Olaf Prenn"),
        ("praised", "scorned"),
    ),
    "blog at medium": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A fan blog claims that the opera was written by Olaf Prenn."),
    ),
    "corrected at medium": (
        BRIDGE,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A register dates the opening of the bridge to traffic to 1931, which was later corrected."),
    ),
    "mistaken at high": (
        OPERA,
        (CON, HIGH),
        "-",
        None,
        ("", "The Glass Harbour was mistakenly said to be written by Olaf Prenn."),
    ),
    "one side official": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "Official records say that the opera was written by Olaf Prenn."),
    ),
    "low without a cue": (
        OPERA,
        (CON, LOW),
        "-",
        None,
        ("", "The opera The Glass Harbour was written by Olaf Prenn."),
    ),
    "low date without a cue": (
        BRIDGE,
        (CON, LOW),
        "-",
        None,
        ("", "The Tarn Bridge was opened to traffic in 1931."),
    ),
    "granularity with a rival": (
        OPERA,
        (GRA, HIGH),
        "-",
        "What is the average cost of an opera worldwide?",
        ("", "The opera The Glass Harbour was written by Olaf Prenn."),
    ),
    "epistemic with a denial": (
        OPERA,
        (EPI, LOW),
        "-",
        "Who wrote the major opera The Glass Harbour?",
        ("", "The Glass Harbour was not written by Edda Brenneck."),
    ),
    "answer mixed with a rival": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("It was written by Edda Brenneck in 1911", "It was written by Olaf Prenn in 1911"),
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
