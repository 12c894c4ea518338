"""Ambiguities that set people beside the answer, or settle a comparison or an adjective."""

from __future__ import annotations

import pytest

from perturb.records import BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules import engine
from perturb.rules.engine import RuleCandidate, perturb_by_rule

LOW, MEDIUM, HIGH = (Cell(PerturbationClass.AMBIGUITY, intensity) for intensity in Intensity)
SONG = BaseInstance(
    "song",
    "test",
    "who wrote the song copper morning",
    (
        Passage(
            "Copper Morning is a folk song in three verses, often heard at weddings by the sea. "
            "Copper Morning was written by Henry Selick in a barn. Choirs on many coasts know its tune by heart.",
            "Copper Morning",
        ),
    ),
    ("Henry Selick",),
)


def made(cell: Cell, lever: str) -> list[RuleCandidate]:
    drafts = (perturb_by_rule(SONG, cell, lever, seed) for seed in range(40))
    return [draft for draft in drafts if isinstance(draft, RuleCandidate)]


@pytest.mark.parametrize(
    ("cell", "lever"),
    [
        (MEDIUM, "PP-Attachment Ambiguity"),
        (HIGH, "Dangling VP Ellipsis"),
        (HIGH, "Attachment Cascade"),
    ],
)
def test_people_beside_the_answer(cell: Cell, lever: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_RULES", engine._ALL_RULES)  # one of the levers is switched off
    drafts = made(cell, lever)
    assert len({draft.passages[0].text for draft in drafts}) >= 6
    assert all("Henry Selick" in draft.passages[0].text for draft in drafts)
    assert all("was written by Henry Selick" not in draft.passages[0].text for draft in drafts)
    assert all(draft.query == SONG.query for draft in drafts)


@pytest.mark.parametrize("lever", ["Comparative Ellipsis Resolved", "Coercive Adjective Polysemy"])
def test_a_second_reading_is_settled(lever: str) -> None:
    drafts = made(LOW, lever)
    assert len({draft.query for draft in drafts}) >= 6
    assert all("was written by Henry Selick" in draft.passages[0].text for draft in drafts)
