"""The verifier `leftovers`: scars of cutting and filling."""

from __future__ import annotations

from typing import Any

import pytest

from tests.offline.test_checks_samples import (
    AMB,
    BRIDGE,
    CON,
    EPI,
    FAL,
    HIGH,
    LOW,
    MEDIUM,
    MIS,
    MOTHS,
    OPERA,
    REGATTA,
    judge,
)

CHECK = "leftovers"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "clean cut of a parenthesis": (OPERA, (MIS, LOW), "-", None, (" (without the repeat)", "")),
    "clean cut of a sentence": (
        OPERA,
        (MIS, LOW),
        "-",
        None,
        (" Critics of the time praised the music.", ""),
    ),
    "clean insertion": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "An hourly guide names Olaf Prenn, a university man, as its writer."),
    ),
    "clean question": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote The Glass Harbour, an opera with a one-act prologue?",
    ),
    "quotation": (OPERA, (CON, MEDIUM), "-", None, ("", 'The register says: "Olaf Prenn wrote it."')),
    "two women and a pronoun": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        None,
        ("It was written by Edda Brenneck in 1911", "Edda Brenneck met Anna Prenn in 1911, and she wrote it"),
    ),
    "initials": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "An M.A. thesis by J. R. Prenn gives an FBI file as its source."),
    ),
    "stranded preposition before an aside": (
        MOTHS,
        (FAL, LOW),
        "-",
        "Where do glimmer moths come from, as the moth board noted?",
    ),
    "passive with by": (OPERA, (CON, MEDIUM), "-", None, ("", "The poster was looked at by nine people.")),
    "name before a noun of its own": (
        BRIDGE,
        (CON, LOW),
        "-",
        None,
        ("", "A leaflet of Orlow is blue, or green."),
    ),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "double blank": (OPERA, (MIS, LOW), "-", None, ("(without the repeat)", " ")),
    "blank before a stop": (OPERA, (MIS, LOW), "-", None, ("(without the repeat)", "")),
    "dangling bracket": (OPERA, (MIS, LOW), "-", None, ("without the repeat)", "")),
    "empty bracket": (OPERA, (MIS, LOW), "-", None, ("without the repeat", "")),
    "doubled word": (OPERA, (CON, MEDIUM), "-", None, ("", "It was was written by Olaf Prenn.")),
    "wrong article a": (OPERA, (EPI, MEDIUM), "-", "Is The Glass Harbour a excellent opera?"),
    "wrong article an": (OPERA, (EPI, MEDIUM), "-", "Is The Glass Harbour an good opera?"),
    "two commas": (OPERA, (MIS, LOW), "-", None, ("14 roles, and", "14 roles,, and")),
    "dangling by": (OPERA, (MIS, MEDIUM), "-", None, ("Edda Brenneck in 1911 and first", "and first")),
    "lower-case start": (
        OPERA,
        (MIS, LOW),
        "-",
        None,
        ("Critics of the time", "critics of the time"),
        ("the music.", "the score."),
    ),
    "two determiners": (OPERA, (AMB, MEDIUM), "-", "Who wrote the this opera?"),
    "telling pronoun": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        None,
        ("It was written by Edda Brenneck in 1911", "Anna Brenneck met John Prenn in 1911, and he wrote it"),
    ),
    "name without its article": (
        REGATTA,
        (CON, LOW),
        "-",
        None,
        ("", "A leaflet about Amber Regatta is blue."),
    ),
    "possessive after a cut": (OPERA, (MIS, MEDIUM), "-", None, ("Edda Brenneck", "'s")),
    "blacked-out joint": (OPERA, (MIS, HIGH), "-", None, ("Edda Brenneck", "[WITHHELD]&[WITHHELD]")),
    "question without the article of a name": (
        BRIDGE,
        (EPI, HIGH),
        "-",
        "What is the most beautiful aspect of Tarn Bridge?",
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
