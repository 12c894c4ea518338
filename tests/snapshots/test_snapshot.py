"""Snapshots: rows, layout, loading with datasets, and the finding of edits."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from perturb.curation.hub import licence_header
from perturb.errors import SnapshotError
from perturb.ledger.plans import PlanFacts
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Passage, Verdict, VerdictState
from perturb.snapshots.card import SnapshotFacts
from perturb.snapshots.manifest import render_manifest, with_digest
from perturb.snapshots.rows import (
    SEVERAL_COLUMNS,
    SINGLE_COLUMNS,
    AcceptedItem,
    SnapshotRow,
    build_rows,
    row_digest,
)
from perturb.snapshots.select import SelectionPlan, Shortfall
from perturb.snapshots.snapshot import check_snapshot, read_snapshot, write_snapshot

PUBLISHED = [
    *("id", "source_id", "generator_model", "perturbation_class", "intensity", "expected_rag_behavior"),
    *("lever_selected", "original_query", "original_context", "original_answers", "perturbed_query"),
    *("perturbed_context", "implementation_reasoning", "verifier_votes"),
]
SEVERAL = ["query", "grounding", "reference_answer", "signal_indices", "noise_indices", "domain"]

HOSTILE = (
    "{{ 7 * 7 }} {% raw %} {# gone #}",
    '{"verdict": "PASS"} \\" \\u0041',
    "nul \x00 bell \x07 escape \x1b[31m tab \t cr \r lf \n",
    "\u202eright to left\u202c עברית العربية 🏳️‍🌈 e\u0301",
    "---\nlicense: mit\n---\n| a | b |\n</table><script>",
)


def item(number: int, text: str = "plain", several: bool = False, licence: str | None = None) -> AcceptedItem:
    cell = ALL_CELLS[number % len(ALL_CELLS)]
    passages: tuple[Passage, ...] = (Passage(f"Signal {text}", "A title"),)
    if several:
        passages = (Passage(f"Noise {text}", role="noise"), *passages, Passage("More noise", role="noise"))
    instance = BaseInstance(
        id=f"base-{number % 7}",
        source="demo",
        query=f"Which river? {text}",
        passages=passages,
        answers=("the Taff", text),
        domain="Science" if several else None,
        licence=licence,
    )
    changed = tuple(dataclasses.replace(passage, text=passage.text + " changed") for passage in passages)
    candidate = Candidate(
        id=f"item-{number:05d}",
        instance_id=instance.id,
        generator=f"generator-{number % 2}",
        cell=cell,
        lever="Drop the name",
        query=f"Which one? {text}",
        passages=changed,
        reasoning=text,
        expected_behavior="ANSWER_CORRECTLY",
    )
    checks = {"refusal_class": False, "intensity": False, "lever_fidelity": True}
    votes = (
        Verdict(candidate.id, "zeta", VerdictState.UNSCORED, raw="not in the row"),
        Verdict(candidate.id, "alpha", VerdictState.FAIL, checks, "REFUSE_OTHER", (text,)),
    )
    return AcceptedItem(instance, candidate, votes)


def rows_of(count: int, **options: Any) -> tuple[SnapshotRow, ...]:
    return tuple(build_rows((item(number, **options) for number in range(count)), "2026-Q4", "paper"))


PLANNED: dict[str, Any] = {
    "name": "demo",
    "round": "2026-Q4",
    "seed": 7,
    "code_version": "0.1.0",
    "digests": {"catalogue": "c", "templates": "t", "base_set": "b", "panel": "p"},
    "base_set": {},
    "panel": {
        **{"name": "paper", "digest": "p", "schedule": "full", "offline": False},
        **{"members": {"alpha": "1", "zeta": "2"}, "needed": 2},
    },
    "generators": (
        {"name": "generator-0", "model": "openai/one"},
        {"name": "generator-1", "model": "rules"},
    ),
    "verifiers": (
        {"name": "alpha", "model": "openai/two", "params": {"temperature": 0}},
        {"name": "zeta", "model": "rules"},
    ),
    "cells": (),
    "select": {"strategy": "balanced", "per_generator": 400, "min_per_cell": 22},
}
"""Facts of a plan as a ledger keeps them."""


def facts(planned: Mapping[str, Any] | None = None, **changes: Any) -> SnapshotFacts:
    """Facts of a snapshot; `planned` changes those of its plan."""
    return SnapshotFacts(
        run=PlanFacts.model_validate({**PLANNED, **(planned or {})}),
        **{
            "stages": {"jobs": 40, "accepted": 20},
            "plan": SelectionPlan(),
            "tokens": {"prompt": 10, "completion": 2},
            **changes,
        },
    )


LOADER = """
import json, sys
from datasets import load_dataset
loaded = [load_dataset(folder, split="test") for folder in sys.argv[1:]]
print(json.dumps([{"features": {k: repr(v) for k, v in d.features.items()}, "rows": list(d)} for d in loaded]))
"""


def load(home: Path, *folders: Path) -> list[dict[str, Any]]:
    """What `datasets.load_dataset(folder, split="test")` gives, in a fresh process without a network."""
    settings = {
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOADER, *map(str, folders)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: list[dict[str, Any]] = json.loads(done.stdout)
    return result


def header_of(folder: Path) -> dict[str, Any]:
    match = re.match(r"---\n(.*?)\n---\n", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    header: dict[str, Any] = yaml.safe_load(match[1])
    return header


def page_of(folder: Path) -> str:
    """The card without its header."""
    return (folder / "README.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]


def test_a_row_of_one_passage_has_the_published_fields_first() -> None:
    (row,) = rows_of(1, licence="CC BY-SA 3.0")
    assert list(row)[:14] == PUBLISHED
    assert list(row)[14:] == ["round", "domain", "licence", "source", "panel", "row_digest"]
    assert list(row) == [column.name for column in SINGLE_COLUMNS]
    assert row["original_context"] == "Signal plain"
    assert row["perturbed_context"] == "Signal plain changed"
    assert (row["perturbation_class"], row["intensity"]) == ("P-Ambiguity", "LOW")
    assert (row["round"], row["licence"], row["panel"]) == ("2026-Q4", "CC BY-SA 3.0", "paper")


def test_a_row_of_several_passages_adds_the_published_fields_and_counts_from_zero() -> None:
    (row,) = rows_of(1, several=True)
    assert list(row)[:20] == PUBLISHED + SEVERAL
    assert list(row)[20:] == ["round", "licence", "source", "panel", "row_digest"]
    assert list(row) == [column.name for column in SEVERAL_COLUMNS]
    assert row["grounding"] == ["Noise plain changed", "Signal plain changed", "More noise changed"]
    assert (row["signal_indices"], row["noise_indices"]) == ([1], [0, 2])
    assert row["query"] == row["perturbed_query"]


def test_votes_are_sorted_by_verifier_and_name_the_failed_checks() -> None:
    (row,) = rows_of(1)
    assert row["verifier_votes"] == [
        {
            "verifier": "alpha",
            "verdict": "fail",
            "predicted_behavior": "REFUSE_OTHER",
            "failed_checks": ["intensity", "refusal_class"],
            "issues": ["plain"],
        },
        {
            "verifier": "zeta",
            "verdict": "unscored",
            "predicted_behavior": None,
            "failed_checks": [],
            "issues": ["unreadable reply"],
        },
    ]


def test_each_row_of_a_mixed_base_set_has_the_fields_of_its_kind() -> None:
    single, several = build_rows([item(0), item(1, several=True)], "r", "p")
    assert list(single) == [column.name for column in SINGLE_COLUMNS]
    assert list(several) == [column.name for column in SEVERAL_COLUMNS]


@pytest.mark.parametrize("name", PUBLISHED + SEVERAL + ["round", "licence", "source", "panel"])
def test_the_row_digest_covers_every_other_field(name: str) -> None:
    (row,) = rows_of(1, several=True)
    assert re.fullmatch("[0-9a-f]{32}", row["row_digest"])
    assert row_digest({**row, "row_digest": "another"}) == row["row_digest"]
    assert row_digest({**row, name: "edited"}) != row["row_digest"]


def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    rows = rows_of(1, text="broken \ud83d end")
    assert rows[0]["implementation_reasoning"] == "broken \ufffd end"
    write_snapshot(tmp_path / "s", rows, facts(), "")
    assert check_snapshot(tmp_path / "s") == ()


def test_datasets_loads_both_shapes_with_their_types(tmp_path: Path) -> None:
    single, several = rows_of(1), rows_of(20, several=True)
    write_snapshot(tmp_path / "single", single, facts(), "")
    write_snapshot(tmp_path / "several", several, facts(), "")
    loaded = load(tmp_path, tmp_path / "single", tmp_path / "several")
    assert [content["rows"] for content in loaded] == [list(single), list(several)]
    for content, columns in zip(loaded, (SINGLE_COLUMNS, SEVERAL_COLUMNS), strict=True):
        assert list(content["features"]) == [column.name for column in columns]
        types = content["features"]
        texts = "List(Value('string'))"
        assert types.pop("original_answers") == texts
        assert types.pop("grounding", texts) == texts
        assert types.pop("signal_indices", "List(Value('int32'))") == "List(Value('int32'))"
        assert types.pop("noise_indices", "List(Value('int32'))") == "List(Value('int32'))"
        assert types.pop("verifier_votes") == (
            "List({'verifier': Value('string'), 'verdict': Value('string'), 'predicted_behavior': Value('string'), "
            "'failed_checks': List(Value('string')), 'issues': List(Value('string'))})"
        )
        assert set(types.values()) == {"Value('string')"}


@pytest.mark.slow
def test_1600_rows_load_and_a_new_export_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "snapshot"
    rows = rows_of(1600)
    write_snapshot(folder, rows, facts(), "")
    assert check_snapshot(folder) == ()
    assert load(tmp_path, folder)[0]["rows"] == list(rows)
    again = rows_of(1600, text="second")
    write_snapshot(folder, again, facts(), "")
    assert load(tmp_path, folder)[0]["rows"] == list(again)


@pytest.mark.slow
def test_hostile_text_comes_back_exactly(tmp_path: Path) -> None:
    rows = build_rows((item(n, text, several=True) for n, text in enumerate(HOSTILE)), "r", "p")
    write_snapshot(tmp_path / "s", rows, facts(), "")
    assert load(tmp_path, tmp_path / "s")[0]["rows"] == list(rows)
    assert read_snapshot(tmp_path / "s").read_rows() == tuple(rows)
    assert check_snapshot(tmp_path / "s") == ()
    assert [row["implementation_reasoning"] for row in rows] == list(HOSTILE)


def test_the_same_rows_in_any_order_give_the_same_bytes(tmp_path: Path) -> None:
    rows = rows_of(30, several=True)
    first = write_snapshot(tmp_path / "a", rows, facts(), "seed: 7\n")
    second = write_snapshot(tmp_path / "b", rows[::-1], facts(), "seed: 7\n")
    for path in sorted(path for path in first.folder.rglob("*") if path.is_file()):
        assert path.read_bytes() == (second.folder / path.relative_to(first.folder)).read_bytes()
    assert write_snapshot(tmp_path / "c", rows[1:], facts(), "").content_digest != first.content_digest


def test_the_layout_and_the_manifest(tmp_path: Path) -> None:
    created = datetime(2026, 11, 21, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    missed = (Shortfall("generator-0", ALL_CELLS[0], 22, 1), Shortfall("generator-0", None, 400, 9))
    rows = [*rows_of(18, licence="MIT"), *build_rows([item(18)], "2026-Q4", "paper")]
    snapshot = write_snapshot(
        tmp_path / "s", rows, facts(created=created, shortfalls=missed, cost_usd=1.5), "seed: 7\n"
    )
    files = {
        path.relative_to(snapshot.folder).as_posix()
        for path in snapshot.folder.rglob("*.*")
        if path.is_file()
    }
    data = f"data/{snapshot.content_digest}/test.parquet"
    beside = {name for name in files if name.startswith("harness/")}
    assert files - beside == {"README.md", "build.yaml", "manifest.json", "croissant.json", "eval.yaml", data}
    assert (snapshot.folder / "build.yaml").read_text(encoding="utf-8") == "seed: 7\n"

    manifest = read_snapshot(tmp_path / "s").manifest
    assert manifest == snapshot.manifest
    assert manifest["format_version"] == 1
    assert manifest["created"] == datetime(2026, 11, 20, 23, 30, tzinfo=UTC).isoformat()
    assert manifest["digests"] == {"catalogue": "c", "templates": "t", "base_set": "b", "panel": "p"}
    assert manifest["verifiers"][0] == {"name": "alpha", "model": "openai/two", "params": {"temperature": 0}}
    assert manifest["counts"]["stages"] == {"jobs": 40, "accepted": 20}
    assert manifest["counts"]["cells"] == {str(c): 2 if c == ALL_CELLS[0] else 1 for c in ALL_CELLS}
    assert manifest["counts"]["generators"] == {"generator-0": 10, "generator-1": 9}
    assert manifest["selection"]["shortfalls"] == [
        {"generator": "generator-0", "cell": "P-Ambiguity/LOW", "wanted": 22, "got": 1},
        {"generator": "generator-0", "cell": None, "wanted": 400, "got": 9},
    ]
    assert (manifest["tokens"], manifest["cost_usd"]) == ({"prompt": 10, "completion": 2}, 1.5)
    assert manifest["licences"] == [{"licence": "MIT", "rows": 18}, {"licence": None, "rows": 1}]
    assert manifest["row_digests"] == [row["row_digest"] for row in rows]
    for entry in manifest["files"]:
        content = (snapshot.folder / entry["path"]).read_bytes()
        assert (entry["sha256"], entry["bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert {entry["path"] for entry in manifest["files"]} == files - {"manifest.json"}


def test_an_unknown_cost_is_null(tmp_path: Path) -> None:
    assert write_snapshot(tmp_path / "s", rows_of(1), facts(), "").manifest["cost_usd"] is None


def test_no_rows_no_snapshot(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match=r"no accepted item was selected.*add base instances"):
        write_snapshot(tmp_path / "s", (), facts(), "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("several", [False, True])
def test_repeated_ids_are_refused(tmp_path: Path, several: bool) -> None:
    with pytest.raises(SnapshotError, match="two rows have the id 'item-00000'"):
        write_snapshot(tmp_path / "s", [*rows_of(3), *rows_of(1, several=several)], facts(), "")
    assert list(tmp_path.iterdir()) == []


def test_an_old_snapshot_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    old = write_snapshot(folder, rows_of(2), facts(), "")
    new = write_snapshot(folder, rows_of(3), facts(), "")
    assert not (folder / "data" / old.content_digest).exists()
    assert len(new.read_rows()) == 3
    assert check_snapshot(folder) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize(
    "content", [{}, {"manifest.json": '{"manifest_version": 3}'}, {"thesis.tex": "years"}]
)
def test_a_folder_or_file_of_somebody_else_is_left_alone(tmp_path: Path, content: dict[str, str]) -> None:
    foreign = tmp_path / "s"
    if content:
        foreign.mkdir()
    else:
        foreign.write_text("a file", encoding="utf-8")
    for name, text in content.items():
        (foreign / name).write_text(text, encoding="utf-8")
    with pytest.raises(SnapshotError, match=r"is not a snapshot: nothing was written"):
        write_snapshot(foreign, rows_of(1), facts(), "")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert foreign.is_file() or {path.name for path in foreign.iterdir()} == set(content)


def test_a_failed_write_keeps_the_old_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s"
    write_snapshot(folder, rows_of(2), facts(), "")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(SnapshotError, match="No space left on device"):
            write_snapshot(folder, rows_of(3), facts(), "")
    assert len(read_snapshot(folder).read_rows()) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s"
    write_snapshot(folder, rows_of(2), facts(), "")
    rename = Path.rename

    def fragile(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError("busy")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fragile)
        with pytest.raises(SnapshotError, match="busy"):
            write_snapshot(folder, rows_of(3), facts(), "")
    assert len(read_snapshot(folder).read_rows()) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.fixture
def snapshot_folder(tmp_path: Path) -> Path:
    return write_snapshot(tmp_path / "s", rows_of(3), facts(), "seed: 7\n").folder


def edit_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


def reseal(folder: Path, **changes: Any) -> None:
    """Edit the manifest as somebody does who mends every digest of it as well."""
    manifest = {**read_snapshot(folder).manifest, **changes}
    card = with_digest((folder / "README.md").read_text(encoding="utf-8"), manifest).encode()
    described = {"path": "README.md", "sha256": hashlib.sha256(card).hexdigest(), "bytes": len(card)}
    manifest["files"] = [described, *manifest["files"][1:]]
    (folder / "README.md").write_bytes(card)
    (folder / "manifest.json").write_text(render_manifest(manifest), encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "build.yaml"])
def test_edited_and_missing_files_are_found(snapshot_folder: Path, name: str) -> None:
    path = snapshot_folder / name
    path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert check_snapshot(snapshot_folder) == (f"{name}: differs from the file that was written",)
    path.unlink()
    assert check_snapshot(snapshot_folder) == (f"{name}: missing",)


def test_an_edited_row_is_found_and_named(snapshot_folder: Path) -> None:
    path = read_snapshot(snapshot_folder).data_file
    table = pq.read_table(path)
    answers = ["REFUSE_OTHER", *table.column("expected_rag_behavior").to_pylist()[1:]]
    position = table.schema.get_field_index("expected_rag_behavior")
    pq.write_table(table.set_column(position, "expected_rag_behavior", pa.array(answers)), path)
    problems = check_snapshot(snapshot_folder)
    assert len(problems) == 2
    assert "differs from the file" in problems[0]
    assert problems[1] == "row 0 (id 'item-00000'): its content does not match its digest"


def test_missing_reordered_and_renamed_data_are_found(snapshot_folder: Path) -> None:
    path = read_snapshot(snapshot_folder).data_file
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 2), path)
    assert any("counts of rows" in problem for problem in check_snapshot(snapshot_folder))
    pq.write_table(table.slice(0, 0), path)
    assert any("content_digest" in problem for problem in check_snapshot(snapshot_folder))
    pq.write_table(table.take([1, 0, 2]), path)
    assert any("their order" in problem for problem in check_snapshot(snapshot_folder))
    pq.write_table(table.drop_columns(["panel"]), path)
    assert any("the columns are not" in problem for problem in check_snapshot(snapshot_folder))
    path.write_bytes(b"PAR1 no longer")
    assert any("cannot be read" in problem for problem in check_snapshot(snapshot_folder))
    path.unlink()
    assert any(problem.endswith("test.parquet: missing") for problem in check_snapshot(snapshot_folder))


def test_a_stray_data_file_is_found(snapshot_folder: Path) -> None:
    (snapshot_folder / "data" / "extra").write_text("", encoding="utf-8")
    assert check_snapshot(snapshot_folder) == ("data/extra: not part of the snapshot",)


@pytest.mark.parametrize(
    "name",
    ["notes.txt", ".hidden", "harness/extra.py", "harness/data/extra", "data/0/test.parquet", "empty/"],
)
def test_nothing_else_may_lie_in_a_snapshot(snapshot_folder: Path, name: str) -> None:
    added = snapshot_folder / name
    added.parent.mkdir(exist_ok=True)
    added.mkdir() if name.endswith("/") else added.write_text("", encoding="utf-8")
    stranger = "data/0" if name.startswith("data/") else name.rstrip("/")
    assert check_snapshot(snapshot_folder) == (f"{stranger}: not part of the snapshot",)


@pytest.mark.parametrize("name", ["build.yaml", "data", "manifest.json", "more"])
def test_a_link_is_no_file_of_a_snapshot(snapshot_folder: Path, tmp_path: Path, name: str) -> None:
    there = snapshot_folder / name
    if there.exists():
        there.rename(tmp_path / "elsewhere")
    there.symlink_to(tmp_path / "elsewhere")
    assert check_snapshot(snapshot_folder) == (f"{name}: a link",)


def test_what_a_download_from_the_hub_leaves_is_passed_over(snapshot_folder: Path) -> None:
    (snapshot_folder / ".cache" / "huggingface").mkdir(parents=True)
    (snapshot_folder / ".gitattributes").write_text("", encoding="utf-8")
    assert check_snapshot(snapshot_folder) == ()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"counts": None}, "'counts'"),
        ({"counts": {"rows": 3}}, "'counts.cells'"),
        ({"row_digests": []}, "'row_digests'"),
        ({"content_digest": "0" * 32}, "cannot be read"),
        ({"content_digest": "../../secret"}, "'content_digest'"),
        (
            {"files": [{"path": "../outside", "sha256": "0" * 64, "bytes": 0}]},
            "'files' does not list exactly",
        ),
        ({"files": [{"path": ["a"]}]}, "'files.0.path'"),
        ({"files": "none"}, "'files'"),
        ({"format_version": 2}, "format_version 2"),
    ],
)
def test_an_edited_manifest_is_found(snapshot_folder: Path, changes: dict[str, Any], problem: str) -> None:
    edit_manifest(snapshot_folder, **changes)
    assert any(problem in line for line in check_snapshot(snapshot_folder))


def test_what_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no readable manifest"):
        read_snapshot(tmp_path)
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(SnapshotError, match="cannot be read"):
        read_snapshot(tmp_path)


def test_the_card_header_names_the_data_file_licence_and_size(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "s", rows_of(3, licence="CC BY-SA 4.0"), facts(), "")
    header = header_of(snapshot.folder)
    assert header["configs"][0]["data_files"] == [
        {"split": "test", "path": f"data/{snapshot.content_digest}/test.parquet"}
    ]
    assert (header["language"], header["license"]) == (["en"], "cc-by-sa-4.0")
    assert header["size_categories"] == ["n<1K"]
    assert header["task_categories"] == ["question-answering"]


def test_the_card_counts_items_and_carries_the_canary(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "s", rows_of(20), facts(), "")
    card = (snapshot.folder / "README.md").read_text(encoding="utf-8")
    assert "| P-Ambiguity | 2 | 2 | 1 | 5 |" in card
    assert "| `ANSWER_CORRECTLY` |" in card
    assert all(f"| `{column.name}` |" in card for column in SINGLE_COLUMNS)
    assert f"perturb canary GUID {snapshot.manifest['canary']}\n" in card
    assert "arXiv" in card
    assert "\n\n\n" not in card


def test_the_card_shows_an_item_with_its_change_whose_texts_stay_texts(tmp_path: Path) -> None:
    rows = rows_of(20)
    for row in rows:
        row["original_query"], row["perturbed_query"] = (
            "# When\n<b>did</b> it open?",
            "# When\n<b>did</b> it |close|?",
        )
        row["original_context"] = "It opened in May. It is red. Mr. Low saw it in June, 1968."
        row["perturbed_context"] = "It opened in May. Mr. Low saw it in July, 1968. It is red."
    rows[7]["expected_rag_behavior"] = "REFUSE_OTHER"
    page = page_of(write_snapshot(tmp_path / "s", rows, facts(), "").folder)
    example = page.partition("## An example")[2].partition("\n## ")[0]
    quoted = [line.lstrip("> ") for line in example.splitlines() if line.startswith("> ")]
    assert quoted == [
        r"**Before, in the question.** \<b\>did\</b\> it open?",
        r"**Question, now.** \# When **\<b\>did\</b\> it \|close\|?**",
        "**Before, in the context.** Mr. Low saw it in June, 1968.",
        "**Context, now.** It opened in May. **Mr. Low saw it in July, 1968.** It is red.",
    ]
    assert "Expected now: `REFUSE_OTHER`" in example
    assert "## An example" not in page_of(write_snapshot(tmp_path / "t", rows[:7], facts(), "").folder)


def test_the_pages_explain_every_field_and_every_key_of_the_manifest(tmp_path: Path) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    page = "".join((docs / name).read_text(encoding="utf-8") for name in ("publishing.md", "reference.md"))
    manifest = write_snapshot(tmp_path / "s", rows_of(1), facts(), "").manifest
    names = {*manifest, *(column.name for column in SEVERAL_COLUMNS)}
    assert sorted(name for name in names if f"`{name}`" not in page) == []


@pytest.mark.parametrize(
    ("models", "told"),
    [
        (("rules",), "**No language model wrote these items: a rule engine did.**"),
        (("rules", "vendor/m"), "**No language model wrote the items by g0: a rule engine did.**"),
        (("vendor/rules",), None),
    ],
)
def test_the_card_begins_with_what_a_rule_engine_wrote(
    tmp_path: Path, models: tuple[str, ...], told: str | None
) -> None:
    generators = tuple({"name": f"g{number}", "model": model} for number, model in enumerate(models))
    page = page_of(write_snapshot(tmp_path / "s", rows_of(1), facts({"generators": generators}), "").folder)
    opening = page.partition("## ")[0]
    assert ("rule engine" in opening) is (told is not None)
    if told:
        first = opening.split("\n\n")[1]
        assert first.startswith(told)
        assert "91 % were fit to publish" in first


def test_only_an_offline_panel_is_called_one(tmp_path: Path) -> None:
    for offline in (True, False):
        folder = write_snapshot(
            tmp_path / "s", rows_of(1), facts({"panel": {**PLANNED["panel"], "offline": offline}}), ""
        ).folder
        assert ("does not validate" in (folder / "README.md").read_text(encoding="utf-8")) is offline


@pytest.mark.parametrize("shortfalls", [(), (Shortfall("generator-0", None, 400, 1),)])
def test_the_card_says_whether_quotas_were_filled(tmp_path: Path, shortfalls: tuple[Shortfall, ...]) -> None:
    folder = write_snapshot(tmp_path / "s", rows_of(1), facts(shortfalls=shortfalls), "").folder
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert ("Every quota was filled" in card) is not bool(shortfalls)
    assert ("could not be filled" in card) is bool(shortfalls)


@pytest.mark.parametrize(
    "name", [*HOSTILE, "a: [b, 'c", "# *x* | `y` <b>", "null", "x" * 300 + " --- " + "y" * 300]
)
def test_names_can_neither_break_the_header_nor_format_the_page(tmp_path: Path, name: str) -> None:
    plain = write_snapshot(tmp_path / "plain", rows_of(1), facts(), "")
    planned = {
        "name": name,
        "panel": {**PLANNED["panel"], "name": name},
        "generators": ({"name": name, "model": name},),
        "verifiers": ({"name": name, "model": name},),
    }
    snapshot = write_snapshot(tmp_path / "s", rows_of(1, licence=name), facts(planned), "")
    header = header_of(snapshot.folder)
    assert header.keys() == {*header_of(plain.folder), "license_name"}
    assert header["configs"][0]["data_files"][0]["path"] == f"data/{snapshot.content_digest}/test.parquet"
    assert header["pretty_name"].endswith(" (2026-Q4)")
    assert header["license"] == "other"
    assert re.fullmatch(r"[a-z0-9.-]+", header["license_name"])

    card, usual = (page_of(made.folder) for made in (snapshot, plain))
    headings = re.compile(r"^#+ .*$", re.MULTILINE)
    assert headings.findall(card)[1:] == headings.findall(usual)[1:]
    assert "<script>" not in card
    assert "<b>" not in card
    assert "49" not in headings.findall(card)[0]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", card)
    assert snapshot.manifest["name"] == name


@pytest.mark.parametrize(
    ("stated", "header"),
    [
        (["Apache-2.0"], {"license": "apache-2.0"}),
        (["CC0", "cc-by-4.0"], {"license": "cc-by-4.0"}),
        (["CC BY-SA 3.0", "CC BY-SA 4.0"], {"license": "cc-by-sa-4.0"}),
        (["MIT", "CC BY-SA 3.0", "CC-BY-NC-4.0"], {"license": "cc-by-nc-4.0"}),
        ([None], {"license": "unknown"}),
        (["MIT", None], {"license": "other", "license_name": "mit-and-unstated"}),
        (["MIT", "許諾"], {"license": "other", "license_name": "mit-and-unnamed"}),
    ],
)
def test_the_strictest_licence_travels_with_the_rows(
    stated: list[str | None], header: dict[str, str]
) -> None:
    assert licence_header(stated) == header
    assert licence_header(stated[::-1]) == header


def test_the_card_shows_agreement_sources_evaluation_and_citation(tmp_path: Path) -> None:
    figures = {
        "raw agreement": {"value": 0.98765, "low": 0.9, "high": 1.0, "reason": None},
        "mean of Cohen's κ": {"value": None, "low": None, "high": None, "reason": "no variance"},
    }
    agreement = {"candidates": 40, "note": "votes are missing by design", "figures": figures}
    folder = write_snapshot(tmp_path / "s", rows_of(2), facts(agreement=agreement), "").folder
    page = page_of(folder)
    assert "Over the 40 candidates" in page
    assert "| raw agreement | 0.988 | 0.900 … 1.000 | ██████████ |" in page
    assert "| NA | no variance |  |" in page
    assert "votes are missing by design." in page
    assert header_of(folder)["source_datasets"] == ["extended|other-demo"]
    assert "perturb evaluate" in page
    assert page.count("@misc{") == 2
    assert page.count("muhamed2025refusalbench") == page.count("RefusalBench: Generative") == 1
    without = page_of(write_snapshot(tmp_path / "t", rows_of(2), facts(), "").folder)
    assert "Agreement of the verifiers" not in without
