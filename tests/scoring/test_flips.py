"""Flip rates on pairs of items and unperturbed controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.errors import SourceError
from perturb.records import CONTROL_SUFFIX, NO_INTENSITY
from perturb.scoring.score_report import score
from perturb.scoring.table import result_table
from tests.building import perturb, write_rows
from tests.scoring.tables import Row, items, reply, right, wrong


def control(item: Row, model: str, predicted: str | None = "ANSWER") -> Row:
    """The reply of a model to the control of an item."""
    changes = {
        "item_id": item["item_id"] + CONTROL_SUFFIX,
        "intensity": NO_INTENSITY,
        "expected_rag_behavior": "ANSWER_CORRECTLY",
    }
    judged: dict[str, Any] = {"quality": 5} if predicted == "ANSWER" else {}
    return reply({**item, **changes}, model, predicted, **judged)


def scored(rows: list[Row]) -> dict[str, Any]:
    table = result_table(((f"row {number}", row) for number, row in enumerate(rows)), "made up")
    return score(table, resamples=200).to_dict()


def test_flips_are_counted_by_what_the_item_calls_for() -> None:
    some = items(36)
    replies = [right(item, "m") for item in some]
    pairs = [control(item, "m") for item in some]
    (flips,) = scored(replies + pairs)["flips"]
    assert (flips["pairs"], flips["unread"]) == (36, 0)
    assert flips["control_refusal_rate"]["value"] == 0
    assert flips["flip_rate_unanswerable"]["value"] == 1
    assert flips["flip_rate_answerable"]["value"] == 0
    assert flips["answered_only_perturbed"]["reason"] == "no control was refused"


def test_a_refused_control_is_no_flip() -> None:
    some = items(36)
    pairs = [
        control(item, "m", "REFUSE_OTHER" if number < 18 else "ANSWER") for number, item in enumerate(some)
    ]
    (flips,) = scored([wrong(item, "m") for item in some] + pairs)["flips"]
    assert flips["control_refusal_rate"]["value"] == 0.5
    assert flips["control_refusal_rate"]["low"] < 0.5 < flips["control_refusal_rate"]["high"]
    assert (flips["flip_rate_unanswerable"]["value"], flips["flip_rate_unanswerable"]["n"]) == (0, 12)
    assert (flips["flip_rate_answerable"]["value"], flips["flip_rate_answerable"]["n"]) == (1, 6)
    assert flips["answered_only_perturbed"]["value"] == pytest.approx(12 / 18)


def test_controls_change_no_score() -> None:
    some = items(36)
    replies = [right(item, "m") for item in some[:20]] + [wrong(item, "m") for item in some[20:]]
    with_controls = scored(replies + [control(item, "m", "REFUSE_OTHER") for item in some])
    without = scored(replies)
    assert without["flips"] == []
    assert {**with_controls, "flips": []} == without


def test_a_control_is_no_item_that_was_to_be_asked() -> None:
    some = items(18)
    rows = [right(item, model) for item in some[:17] for model in "mn"]
    rows += [control(item, model) for item in some for model in "mn"]
    found = result_table(((f"row {number}", row) for number, row in enumerate(rows)), "made up", items=36)
    assert [warning.partition("replies to ")[2][:8] for warning in found.warnings] == ["17 of 18"] * 2


def test_pairs_that_cannot_be_read_are_counted_apart() -> None:
    some = items(18)
    pairs = [control(item, "m", None if number == 0 else "ANSWER") for number, item in enumerate(some)]
    replies = [right(item, "m") for item in some[:17]] + [reply(some[17], "m", None)]
    (flips,) = scored(replies + pairs)["flips"]
    assert (flips["pairs"], flips["unread"]) == (16, 2)
    (none,) = scored([reply(item, "m", None) for item in some] + pairs)["flips"]
    assert (none["pairs"], none["control_refusal_rate"]["reason"]) == (0, "no pair of replies was read")


def test_a_control_that_expects_a_refusal_is_refused() -> None:
    some = items(18)
    wrong_row = {**control(some[1], "m"), "expected_rag_behavior": "REFUSE_OTHER"}
    with pytest.raises(SourceError, match="expected_rag_behavior"):
        scored([right(item, "m") for item in some] + [wrong_row])


def test_the_command_prints_the_pairs(tmp_path: Path) -> None:
    some = items(36)
    rows = [right(item, "m") for item in some] + [control(item, "m") for item in some]
    table = tmp_path / "results.jsonl"
    write_rows(table, rows)
    shown = perturb("score", table, "--all", "--resamples", "50")
    assert "against their unperturbed controls" in shown.stdout, shown.stderr
