"""The offline checks find what is wrong and leave alone what is not: measured on questions they were not written on."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.offline.planted_faults import (
    MEASURED,
    PER_FAULT,
    Planted,
    planted,
    recorded_good,
    rejecting,
    rule_items,
)

MOST_FALSE = 0.03
FOUND = {"grammar": 0.6}
"""Least recall by fault where it is not 0.9: a verb or an end that is missing takes a parser to see."""


@pytest.fixture(scope="module")
def faulty() -> list[Planted]:
    return planted(MEASURED)


def test_nine_in_ten_planted_faults_are_found(faulty: list[Planted]) -> None:
    found = Counter(item.fault for item in faulty if rejecting(item))
    assert Counter(item.fault for item in faulty) == PER_FAULT
    assert sum(found.values()) / len(faulty) >= 0.9, found
    for fault, n in PER_FAULT.items():
        assert found[fault] / n >= FOUND.get(fault, 0.9), (fault, found[fault], n)


def test_hardly_any_sound_item_is_rejected() -> None:
    sound = [*recorded_good(MEASURED), *rule_items(MEASURED)]
    assert len(sound) >= 200
    rejected = [f"{item.way} {item.candidate.cell} {item.candidate.id}" for item in sound if rejecting(item)]
    assert len(rejected) / len(sound) <= MOST_FALSE, rejected
