"""The verifier `fluency`: lengths, sentence shapes, repetition and agreement."""

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
    OPERA,
    judge,
)

CHECK = "fluency"

# What it is -> (base instance, cell, lever, question or None, edits of the passage).
FIT: dict[str, tuple[Any, ...]] = {
    "question with an insertion": (
        OPERA,
        (FAL, LOW),
        "-",
        "Who wrote the opera The Glass Harbour, which won the Heron Prize?",
    ),
    "question in the original's style": (
        OPERA,
        (FAL, LOW),
        "-",
        "who wrote the prize-winning opera the glass harbour",
    ),
    "whole new sentence": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A second register states that Olaf Prenn wrote it."),
    ),
    "short new sentence": (OPERA, (CON, MEDIUM), "-", None, ("", "Olaf Prenn wrote it.")),
    "did with a plain form": (
        OPERA,
        (FAL, MEDIUM),
        "-",
        "Why did Edda Brenneck need help, and did she succeed?",
    ),
    "subjunctive": (
        OPERA,
        (EPI, MEDIUM),
        "-",
        "If she were alive, would Edda Brenneck have changed the opera?",
    ),
    "did she have": (OPERA, (FAL, MEDIUM), "-", "Why did she have to stop writing the opera?"),
    "table": (
        OPERA,
        (MIS, HIGH),
        "Zero-Row Table",
        None,
        (
            OPERA.context,
            "Operas of the time and their writers, as the town register lists them:\nOpera | Writer | Year",
        ),
    ),
}

UNFIT: dict[str, tuple[Any, ...]] = {
    "question far too long": (OPERA, (EPI, HIGH), "-", "Who " + "really and truly " * 20 + "wrote it?"),
    "question of two words": (OPERA, (AMB, HIGH), "-", "Who wrote?"),
    "no question": (OPERA, (EPI, MEDIUM), "-", "The opera The Glass Harbour."),
    "asks twice": (OPERA, (FAL, LOW), "-", "Who wrote it? Did it win a prize?"),
    "sentence without an end": (
        OPERA,
        (CON, MEDIUM),
        "-",
        None,
        ("", "A second register states that Olaf Prenn wrote"),
    ),
    "fragment": (OPERA, (MIS, LOW), "-", None, ("Critics of the time praised the music.", "Music.")),
    "no verb": (
        OPERA,
        (MIS, MEDIUM),
        "-",
        None,
        ("Critics of the time praised the music.", "Critics of the time with the music."),
    ),
    "sentence twice": (OPERA, (CON, MEDIUM), "-", None, ("", "Critics of the time praised the music.")),
    "did with a past form": (OPERA, (FAL, MEDIUM), "-", "Why did Edda Brenneck wrote the opera?"),
    "plural with was": (OPERA, (CON, MEDIUM), "-", None, ("", "They was written by Olaf Prenn.")),
    "context far too long": (
        BRIDGE,
        (CON, MEDIUM),
        "-",
        None,
        ("", " ".join(f"The keeper wrote note {n} about its rails and lamps." for n in range(20))),
    ),
    "context nearly gone": (BRIDGE, (MIS, MEDIUM), "-", None, (BRIDGE.context, "The bridge stands.")),
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
