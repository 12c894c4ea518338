"""The form of SQuAD: rows as the Hub has them, and those that are skipped or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.curation.base_sets import load_base_set
from perturb.errors import SourceError
from perturb.records import Passage
from tests.building import write_rows

ROW: dict[str, Any] = {
    "id": "5733be284776f41900661182",
    "title": "The_old_mill",
    "context": "The mill was built by Ada Stone in 1810.",
    "question": "Who built the mill?",
    "answers": {"text": ["Ada Stone", "Ada Stone", "Stone"], "answer_start": [22, 22, 26]},
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(path, rows)


def test_a_row_of_the_hub_is_read(tmp_path: Path) -> None:
    [instance] = load_base_set(write(tmp_path / "squad.jsonl", ROW)).instances
    assert (instance.id, instance.query) == ("5733be284776f41900661182", "Who built the mill?")
    assert instance.passages == (Passage("The mill was built by Ada Stone in 1810.", title="The old mill"),)
    assert instance.answers == ("Ada Stone", "Stone")


def test_questions_without_an_answer_are_skipped_and_counted(tmp_path: Path) -> None:
    unanswerable = {**ROW, "id": "2", "answers": {"text": [], "answer_start": []}}
    elsewhere = {**ROW, "id": "3", "answers": ["Otto Brandt"]}
    base_set = load_base_set(write(tmp_path / "squad.jsonl", ROW, unanswerable, elsewhere))
    assert [instance.id for instance in base_set.instances] == [ROW["id"], "3"]
    assert any("it has no answer (line 2)" in warning for warning in base_set.warnings)
    assert any(
        "do not hold an accepted answer word for word (line 3)" in warning for warning in base_set.warnings
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answers": {"answer_start": [1]}}, "field 'answers' is missing"),
        ({"answers": {"text": [3]}}, "field 'answers' must hold strings only"),
        ({"context": None}, "field 'context' is missing: a row needs question, context and answers"),
        ({"question": " "}, "field 'question' is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        load_base_set(write(tmp_path / "squad.jsonl", {**ROW, **change}), "squad")
    assert message in str(caught.value)
    assert "squad.jsonl:1" in str(caught.value)


def test_questions_that_hallulens_wrote_are_read(tmp_path: Path) -> None:
    row = {
        "title": "Old mill",
        "h_score_cat": 3,
        "pageid": 7,
        "reference": ROW["context"],
        "prompt": "Who built the old mill?",
        "answer": "Ada Stone",
    }
    [instance] = load_base_set(write(tmp_path / "wiki.jsonl", row)).instances
    assert (instance.query, instance.answers) == ("Who built the old mill?", ("Ada Stone",))
    assert (instance.passages[0].title, instance.metadata) == ("Old mill", {"difficulty": "3"})
