"""The published RefusalBench sets, and snapshots of ours, as base sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.curation.base_sets import load_base_set
from perturb.curation.curation import curate
from perturb.curation.source import SourceRequest
from perturb.errors import SourceError
from perturb.records import Passage, render_context
from tests.building import write_rows

TEN = tuple(
    Passage(f"Text {n}.\n\nIt cites [{n}] and more.", title=f"T{n}", role="signal" if n == 3 else "noise")
    for n in range(1, 11)
)


def single(identifier: str = "a", **changes: Any) -> dict[str, Any]:
    return {
        "id": f"RB-{identifier}",
        "source_id": identifier,
        "perturbation_class": "P-Ambiguity",
        "intensity": "HIGH",
        "original_query": f"who built {identifier}",
        "original_context": "Ada built it.",
        "original_answers": ["Ada"],
        "perturbed_query": "who",
        "perturbed_context": "Somebody built it.",
        "verifier_votes": {"gpt": "PASS"},
        **changes,
    }


def several(identifier: str = "g", **changes: Any) -> dict[str, Any]:
    return single(
        identifier,
        original_context=render_context(TEN),
        grounding=["changed"] * 10,
        signal_indices=[2],
        noise_indices=[0, 1, *range(3, 10)],
        reference_answer="It was Ada.",
        domain="Science",
        **changes,
    )


def write(path: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(path, rows)


def test_rows_of_one_source_give_one_instance(tmp_path: Path) -> None:
    path = write(tmp_path / "rb.jsonl", single(), single(intensity="LOW"), single("b"))
    base_set = load_base_set(path)
    assert [instance.id for instance in base_set.instances] == ["a", "b"]
    (first, _) = base_set.instances
    assert (first.query, first.context, first.answers) == ("who built a", "Ada built it.", ("Ada",))
    report = curate(SourceRequest(path)).report
    assert (report["format"], report["records"], report["instances"]) == ("refusalbench", 3, 2)
    assert [(entry["step"], entry["count"]) for entry in report["left_out"]] == [("repeated", 1)]


def test_several_passages_are_parted_at_their_numbers(tmp_path: Path) -> None:
    (instance,) = load_base_set(write(tmp_path / "rb.jsonl", several())).instances
    assert instance.passages == TEN
    assert (instance.reference_answer, instance.domain) == ("It was Ada.", "Science")


def test_grounding_serves_only_where_the_passages_are_unchanged(tmp_path: Path) -> None:
    grounding = [{f"cite_{n}": f"[{n}] T{n}: {passage.text}"} for n, passage in enumerate(TEN, start=1)]
    bare = {**several(), "original_context": None, "grounding": grounding}
    premise = {**bare, "perturbation_class": "P-FalsePremise"}
    uneven = {**several("u"), "grounding": ["x"] * 9}
    curation = curate(SourceRequest(write(tmp_path / "rb.jsonl", bare, premise, uneven)))
    assert [instance.passages for instance in curation.instances] == [TEN]
    (entry,) = curation.report["left_out"]
    assert entry["reason"] == "the original passages cannot be determined from the row"
    assert entry["count"] == 2


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (single(original_query=None), "'original_query' is missing"),
        (single(source_id=None), "'source_id' is missing"),
        (single(original_answers=[]), "'original_answers' must be a list"),
        (single(original_context=None), "'original_context' must be a string"),
        ({**several(), "signal_indices": []}, "'signal_indices' names no passage"),
        ({**several(), "signal_indices": [10]}, "'signal_indices' must list positions"),
        ({**several(), "signal_indices": None}, "'signal_indices' must list positions"),
        (
            {**single(), "original_context": ["a", 3], "signal_indices": [0]},
            "'original_context[1]' must be a string",
        ),
    ],
)
def test_bad_rows(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    with pytest.raises(SourceError) as caught:
        load_base_set(write(tmp_path / "rb.jsonl", row))
    assert problem in str(caught.value)
