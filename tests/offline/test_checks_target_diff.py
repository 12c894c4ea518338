"""The verifier `target-diff`: only the target changed, and by a sane amount."""

from __future__ import annotations

from typing import Any

import pytest

from tests.offline.test_checks_samples import (
    AMB,
    CON,
    EPI,
    FAL,
    HIGH,
    LOW,
    MEDIUM,
    MIS,
    MOTHS,
    OPERA,
    THEATRE,
    judge,
)

CHECK = "target-diff"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "context of a contradiction": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A second register states that Olaf Prenn wrote it."),
    ),
    "cut in a missing-info item": (OPERA, (MIS, LOW), "-", None, (" (without the repeat)", "")),
    "most of the passage cut": (
        OPERA,
        (MIS, HIGH),
        "-",
        None,
        ("It was written by Edda Brenneck in 1911 and first staged in the town of Orlow. ", ""),
    ),
    "query of a false premise": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, winner of the Heron Prize?",
    ),
    "query alone of an epistemic item": (
        OPERA,
        (EPI, HIGH),
        "-",
        "What is the most beautiful aspect of The Glass Harbour?",
    ),
    "query and context of an ambiguity": (
        OPERA,
        (AMB, MEDIUM),
        "-",
        "Who wrote this opera?",
        ("", "The Salt Lantern is an opera by Olaf Prenn."),
    ),
    "unrelated passage on purpose": (
        MOTHS,
        (MIS, HIGH),
        "Entirely Irrelevant Context",
        None,
        (MOTHS.context, "Feed a sourdough starter once a day and leave the jar covered in a warm corner."),
    ),
    "bracketed words of a lever": (THEATRE, (MIS, HIGH), "All Names Redacted", None, ("1,184", "[redacted]")),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "nothing changed": (OPERA, (CON, MEDIUM), "-", None),
    "blanks only": (OPERA, (MIS, LOW), "-", None, (" in three acts", "  in three acts")),
    "capitals only": (OPERA, (FAL, LOW), "-", "Who wrote the opera The Glass Harbour"),
    "query of a contradiction": (
        OPERA,
        (CON, LOW),
        "-",
        "Who wrote The Glass Harbour?",
        ("praised", "scorned"),
    ),
    "query of a missing-info item": (OPERA, (MIS, MEDIUM), "-", "Who wrote it?", ("by Edda Brenneck ", "")),
    "context of a false premise": (
        OPERA,
        (FAL, MEDIUM),
        "-",
        "Who stopped the opera?",
        ("three acts", "four acts"),
    ),
    "everything rewritten": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        (
            OPERA.context,
            "Nobody can tell. Edda Brenneck, a baker, sold bread on the quay for thirty years and died rich.",
        ),
    ),
    "slot left open": (OPERA, (EPI, HIGH), "-", "What is the most beautiful aspect of {topic}?"),
    "label left in": (
        OPERA,
        (EPI, HIGH),
        "-",
        "Query: What is the most beautiful aspect of The Glass Harbour?",
    ),
    "markup left in": (OPERA, (CON, MEDIUM), "-", None, ("", "<b>Olaf Prenn</b> wrote the opera.")),
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
