"""Marked changes: both texts can be read back, and what is marked is what changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.records import Passage
from perturb.text import passages as changes
from perturb.text.passages import Piece, mark_change, mark_passages

TEXTS = st.text(alphabet="ab .,\n\té", max_size=60)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_back(before: str, after: str) -> None:
    pieces = mark_change(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "in") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "out") == after
    assert all(piece.text for piece in pieces)


@given(TEXTS)
def test_nothing_is_marked_where_nothing_changed(text: str) -> None:
    assert all(piece.kind == "same" for piece in mark_change(text, text))


def test_a_rewritten_clause_is_one_change() -> None:
    pieces = mark_change("The old stone bridge fell.", "The new steel tower fell.")
    assert [piece.kind for piece in pieces] == ["same", "out", "in", "same"]
    assert pieces[1].text.startswith("old stone bridge")


def test_long_texts_are_compared_by_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_MAX_PAIRS", 10)
    pieces = mark_change("One is here. Two is there. Three.", "One is here. Two was there. Three.")
    assert Piece("out", "Two is there. ") in pieces
    assert Piece("in", "Two was there. ") in pieces


def test_passages_are_compared_by_number() -> None:
    before = (Passage("Same."), Passage("Opened in 1968.", "Bridge"))
    after = (Passage("Same."), Passage("Opened in 1970.", "Bridge"), Passage("More."))
    first, second, third = mark_passages(before, after)
    assert (first.changed, second.changed, third.changed) == (False, True, True)
    assert (second.number, second.title) == (2, "Bridge")
    assert third.pieces == (Piece("in", "More."),)
