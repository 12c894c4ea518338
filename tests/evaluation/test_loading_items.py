"""Items from snapshots of ours, files of published rows, and the Hub."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perturb.errors import PerturbError, SnapshotError, SourceError
from perturb.evaluation.loading import ItemSource, load_items
from perturb.records import Item, Passage
from perturb.snapshots.rows import AcceptedItem, build_rows
from perturb.snapshots.snapshot import read_snapshot, write_snapshot
from tests.snapshots.test_snapshot import facts, item

from .rows import CATALOGUE, items_of, several, single, write_rows


def load(path: Path | str, **options: Any) -> Any:
    return load_items(ItemSource(str(path), **options))


def accepted(number: int) -> AcceptedItem:
    """An item of either kind, labelled as its cell wants it."""
    made = item(number, several=number % 2 == 1)
    expected = CATALOGUE.expected_behavior(made.candidate.cell)
    return dataclasses.replace(
        made, candidate=dataclasses.replace(made.candidate, expected_behavior=expected)
    )


ACCEPTED = tuple(accepted(number) for number in range(20))


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    rows = build_rows(ACCEPTED, "2026-Q4", "paper")
    return write_snapshot(tmp_path / "snap", rows, facts(), "name: x\n").folder


def test_a_snapshot_folder_or_the_run_around_it(snapshot: Path, tmp_path: Path) -> None:
    whole = load(snapshot)
    manifest = read_snapshot(snapshot).manifest
    assert (whole.digest, whole.name, whole.round) == (manifest["content_digest"], "demo", "2026-Q4")
    assert [one.id for one in whole.items] == [row["id"] for row in read_snapshot(snapshot).read_rows()]
    run = tmp_path / "run"
    run.mkdir()
    snapshot.rename(run / "snapshot")
    assert load(run).items == whole.items


def test_the_passages_of_a_snapshot_come_back_with_titles_and_roles(snapshot: Path) -> None:
    read = {one.id: one for one in load(snapshot).items}
    assert len(read) == len(ACCEPTED)
    for made in ACCEPTED:
        one, candidate = read[made.candidate.id], made.candidate
        assert (one.query, one.context, one.cell) == (candidate.query, candidate.context, candidate.cell)
        if one.several:
            assert one.passages == candidate.passages


def test_a_damaged_snapshot_is_refused(snapshot: Path) -> None:
    (snapshot / "README.md").write_text("other", encoding="utf-8")
    with pytest.raises(SnapshotError, match=r"README\.md: differs"):
        load(snapshot)


def test_a_damaged_manifest_is_refused_with_one_hint(snapshot: Path) -> None:
    (snapshot / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(SnapshotError) as caught:
        load(snapshot)
    assert "manifest.json cannot be read" in str(caught.value)
    assert str(caught.value).count("restore it, or export the run again") == 1


def test_rows_of_both_kinds_from_a_file(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [single(0), several(1)])
    one, other = items_of(path)
    assert one.passages == (Passage(single(0)["perturbed_context"]),)
    assert (one.base_id, one.generator, one.answers) == ("base-0", "g0", ("Ada0",))
    assert [(p.title, p.role) for p in other.passages] == [
        ("", "noise"),
        ("Mills: a list", "signal"),
        ("", "noise"),
    ]
    assert other.passages[1].text == "Ada1 built it.\n\n[3] Says who?"
    for read in (one, other):
        assert Item.from_payload(read.id, read.to_payload()) == read


def test_a_parquet_file_reads_the_same(tmp_path: Path) -> None:
    rows = [single(number) for number in range(4)]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert load(path).items == items_of(write_rows(tmp_path / "rows.jsonl", rows))


@pytest.mark.parametrize(
    "changes",
    [
        {"grounding": [{"cite_1": "[1] Old: one", "cite_2": None}, {"cite_2": "[2] two"}]},
        {"grounding": ["[1] Old: one", "[2] two"]},
        {"perturbed_context": ["[1] Old: one", "[2] two"]},
        {
            "grounding": ["before the change", "two"],
            "perturbed_context": "[1] Old: one\n[2] two",
        },
    ],
)
def test_published_shapes_of_several_passages(tmp_path: Path, changes: dict[str, Any]) -> None:
    row = single(0, signal_indices=[0], **{"perturbed_context": None, **changes})
    (one,) = items_of(write_rows(tmp_path / "rows.jsonl", [row]))
    assert one.passages == (Passage("one", "Old"), Passage("two", role="noise"))


def test_titles_stay_where_a_passage_is_empty(tmp_path: Path) -> None:
    texts = {"grounding": ["", "two"], "perturbed_context": "[1] Old: \n\n[2] A list: of mills: two"}
    (item,) = items_of(write_rows(tmp_path / "rows.jsonl", [single(0, **texts)]))
    assert item.passages == (Passage("", "Old"), Passage("two", "A list: of mills"))


def test_what_a_published_row_leaves_out_is_taken_from_the_original(tmp_path: Path) -> None:
    row = single(0, perturbed_query=None, perturbed_context=None, expected_rag_behavior="answer_correctly")
    (one,) = items_of(write_rows(tmp_path / "rows.jsonl", [row]))
    assert (one.query, one.context) == (row["original_query"], row["original_context"])
    short = single(1, expected_rag_behavior="REFUSE_AMBIGUOUS")
    (one,) = items_of(write_rows(tmp_path / "rows.jsonl", [short]))
    assert one.expected_behavior == "REFUSE_AMBIGUOUS_QUERY"


def test_the_limit_takes_the_first_and_leaves_the_digest(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(5)])
    whole, part = load(path), load(path, limit=2)
    assert part.items == whole.items[:2]
    assert part.digest == whole.digest


def test_mislabelled_rows_are_left_out_with_a_warning(tmp_path: Path) -> None:
    rows = [
        single(0),
        single(1, expected_rag_behavior="ANSWER_CORRECTLY"),
        single(2, expected_rag_behavior="?"),
    ]
    whole = load(write_rows(tmp_path / "rows.jsonl", rows))
    assert [one.id for one in whole.items] == ["item-0000"]
    assert "2 items left out (the first is 'item-0001')" in whole.warnings[0]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([single(0), single(0)], "rows.jsonl:2: field 'id' 'item-0000' appears twice"),
        (
            [single(0, round="r1"), single(1, round="r2")],
            "rows.jsonl:2: field 'round' differs from the rows before (r1 and r2)",
        ),
        ([single(0, id=None)], "rows.jsonl:1: field 'id' is missing"),
        ([single(0, intensity="SOME")], "field 'intensity' is 'SOME', which is not one of LOW, MEDIUM, HIGH"),
        ([single(0, perturbation_class=None)], "field 'perturbation_class' is None"),
        ([single(0, original_answers=[])], "field 'original_answers' must be a list"),
        ([several(0, signal_indices=[7])], "field 'signal_indices' must list positions"),
        ([single(0, grounding=[{}, {}])], "field 'grounding[0]' must be a passage"),
        ([], "has no item"),
    ],
)
def test_bad_rows(tmp_path: Path, rows: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(PerturbError) as caught:
        load(write_rows(tmp_path / "rows.jsonl", rows))
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_source_says_what_can_be_given(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such snapshot: give a snapshot folder"):
        load(tmp_path / "nothing")
    with pytest.raises(SourceError, match="no such file"):
        load(tmp_path / "nothing.jsonl")
    broken = tmp_path / "x.parquet"
    broken.write_bytes(b"no table")
    with pytest.raises(SourceError, match="not a Parquet table"):
        load(broken)


def test_the_hub_is_not_asked_when_it_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SourceError, match="HF_HUB_OFFLINE"):
        load("owner-of-sets/refusal@v1")
