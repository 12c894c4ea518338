"""Snapshots with rows of both kinds: two parts, each loaded by its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from perturb.errors import SnapshotError
from perturb.evaluation.loading import ItemSource, load_items
from perturb.snapshots.card import canary
from perturb.snapshots.harness_files import harness_paths
from perturb.snapshots.rows import (
    SEVERAL_COLUMNS,
    SINGLE_COLUMNS,
    SnapshotRow,
    build_rows,
    part_rows,
    read_part,
    write_rows,
)
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot, write_snapshot
from tests.offline.test_old_rules import unpacked
from tests.snapshots.test_snapshot import facts, item

LOADER = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder, *names = sys.argv[1:]
loaded = {name: list(load_dataset(folder, name or None, split="test")) for name in names}
print(json.dumps({"names": get_dataset_config_names(folder), "rows": loaded}))
"""


def load(home: Path, folder: Path, *names: str) -> dict[str, Any]:
    """What `datasets` calls the parts of a folder, and the rows it loads for each name."""
    settings = {
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOADER, str(folder), *names],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def mixed_rows() -> tuple[SnapshotRow, ...]:
    """Five rows with several passages and four with one, one after the other by id."""
    licences = ("CC BY-SA 3.0", "CC-BY-NC-4.0")
    items = (item(number, several=number % 2 == 0, licence=licences[number % 2 == 0]) for number in range(9))
    return tuple(build_rows(items, "2026-Q4", "paper"))


@pytest.fixture
def mixed(tmp_path: Path) -> Snapshot:
    return write_snapshot(
        tmp_path / "s", mixed_rows(), facts({"base_set": {"attribution": "The mill society; NQ"}}), ""
    )


def test_datasets_loads_each_part_by_its_name(tmp_path: Path, mixed: Snapshot) -> None:
    rows = mixed_rows()
    content = load(tmp_path, mixed.folder, "nq", "garage", "default", "")
    assert content["names"] == ["default", "nq", "garage", "prompts"]
    every = united([*rows[1::2], *rows[::2]])
    assert content["rows"] == {"nq": list(rows[1::2]), "garage": list(rows[::2]), "default": every, "": every}


def united(rows: Sequence[SnapshotRow]) -> list[SnapshotRow]:
    """The rows with the columns of both parts."""
    return [{column.name: row.get(column.name) for column in SEVERAL_COLUMNS} for row in rows]


def test_rows_of_both_parts_are_one_data_frame_and_one_set_of_items(mixed: Snapshot) -> None:
    frame = mixed.to_pandas()
    assert list(frame["id"]) == [row["id"] for row in mixed.read_rows()]
    assert frame["grounding"].isna().sum() == len(mixed.to_pandas("nq")) == 4
    assert mixed.to_dataset().column_names == [column.name for column in SEVERAL_COLUMNS]
    assert mixed.whole_file is not None
    whole, parts = (load_items(ItemSource(str(path))) for path in (mixed.whole_file, mixed.folder))
    assert whole.items == parts.items


def test_a_snapshot_from_before_there_was_a_default_verifies_and_loads(tmp_path: Path) -> None:
    old = read_snapshot(unpacked("two-parts.tar.gz", tmp_path) / "two-parts")
    assert (old.check(), old.whole_file) == ((), None)
    assert len(old.read_rows()) == len(old.to_pandas("nq")) + len(old.to_pandas("garage")) == 6
    with pytest.raises(SnapshotError, match="has the parts nq, garage: name one of them"):
        old.to_pandas()
    new = write_snapshot(tmp_path / "new", old.read_rows(), facts(), "")
    assert new.content_digest == old.content_digest
    assert new.manifest["row_digests"] == old.manifest["row_digests"]
    assert load(tmp_path, old.folder, "nq")["names"][:2] == ["nq", "garage"]


def test_several_passages_alone_load_with_and_without_their_name(tmp_path: Path) -> None:
    rows = mixed_rows()[::2]
    folder = write_snapshot(tmp_path / "s", rows, facts(), "").folder
    assert load(tmp_path, folder, "garage", "default", "") == {
        "names": ["default", "garage", "prompts"],
        "rows": {name: list(rows) for name in ("garage", "default", "")},
    }


def test_the_layout_the_counts_and_the_digest_of_two_parts(mixed: Snapshot) -> None:
    content = mixed.content_digest
    paths = [f"data/{content}/nq/test.parquet", f"data/{content}/garage/test.parquet"]
    assert [path.relative_to(mixed.folder).as_posix() for path in mixed.data_files.values()] == paths
    listed = [entry["path"] for entry in mixed.manifest["files"]]
    data = [*paths, f"data/{content}/test.parquet"]
    assert listed == ["README.md", "build.yaml", *data, *harness_paths(mixed.manifest), "croissant.json"]
    counts = mixed.manifest["counts"]
    assert counts["rows"] == 9
    assert {name: part["rows"] for name, part in counts["configs"].items()} == {"nq": 4, "garage": 5}
    assert sum(counts["configs"]["garage"]["cells"].values()) == 5
    assert [row["row_digest"] for row in mixed.read_rows()] == mixed.manifest["row_digests"]
    assert len(set(mixed.manifest["row_digests"])) == 9
    assert mixed.manifest["canary"] == canary(content)
    assert check_snapshot(mixed.folder) == ()
    again = write_snapshot(mixed.folder.with_name("again"), mixed_rows()[::-1], facts(), "")
    assert again.content_digest == content


def test_the_card_states_the_stricter_licence_the_attribution_and_both_parts(mixed: Snapshot) -> None:
    text = (mixed.folder / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---")[1])
    assert header["license"] == "cc-by-nc-4.0"
    named = [(entry["config_name"], entry.get("default", False)) for entry in header["configs"]]
    assert named == [("default", True), ("nq", False), ("garage", False), ("prompts", False)]
    assert "Base set: The mill society; NQ." in text
    assert "| `garage` | several passages | 5 |" in text
    assert 'garage = load_dataset("path/to/this/folder", "garage", split="test")' in text
    assert all(f"| `{column.name}` |" in text for column in (*SINGLE_COLUMNS, *SEVERAL_COLUMNS))
    assert "\n\n\n" not in text
    assert mixed.manifest["attribution"] == "The mill society; NQ"
    assert mixed.manifest["licences"] == [
        {"licence": "CC-BY-NC-4.0", "rows": 5},
        {"licence": "CC BY-SA 3.0", "rows": 4},
    ]


def test_an_edit_in_either_part_is_found(mixed: Snapshot) -> None:
    for path in mixed.data_files.values():
        whole = path.read_bytes()
        table = pq.read_table(path)
        pq.write_table(table.slice(1), path)
        problems = check_snapshot(mixed.folder)
        assert any("differs from the file" in problem for problem in problems)
        assert any("counts of configs differ" in problem for problem in problems)
        pq.write_table(table.drop_columns(["domain"]), path)
        shown = path.relative_to(mixed.folder).as_posix()
        assert check_snapshot(mixed.folder)[-1] == f"{shown}: the columns are not those of a snapshot"
        path.write_bytes(whole)
    assert check_snapshot(mixed.folder) == ()


def test_a_file_of_all_rows_that_does_not_fit_its_parts_is_found(mixed: Snapshot) -> None:
    path, manifest_path = mixed.whole_file, mixed.folder / "manifest.json"
    assert path is not None
    table = pq.read_table(path)
    for other in (
        table.slice(1),
        pa.concat_tables([table, table.slice(0, 1)]),
        table.drop_columns(["domain"]),
    ):
        pq.write_table(other, path)
        found = check_snapshot(mixed.folder)
        assert found[-1].endswith("/test.parquet: its rows are not those of nq and garage")
        assert not [problem for problem in found if "counts" in problem]
    path.unlink()
    assert any("missing" in problem for problem in check_snapshot(mixed.folder))
    manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    assert manifest["counts"]["rows"] == 9


@pytest.mark.parametrize("configs", [None, [], ["../../secret"], ["garage", "nq"], "garage"])
def test_unknown_parts_are_refused(mixed: Snapshot, configs: Any) -> None:
    path = mixed.folder / "manifest.json"
    manifest = {**json.loads(path.read_text(encoding="utf-8")), "configs": configs}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(SnapshotError, match="unknown parts under 'configs'"):
        read_snapshot(mixed.folder)


def test_parts_are_named_by_what_lies_beside_them() -> None:
    rows = mixed_rows()
    assert list(part_rows(rows)) == ["nq", "garage"]
    assert list(part_rows(rows[1::2])) == ["default"]
    assert list(part_rows(rows[::2])) == ["garage"]


@pytest.mark.parametrize("number", [1, 1000, 1001])
def test_every_row_is_written_however_many_make_a_group(tmp_path: Path, number: int) -> None:
    rows = [{"id": str(place)} for place in range(number)]
    write_rows(tmp_path / "rows.parquet", rows, pa.schema([("id", pa.string())]))
    assert read_part(tmp_path / "rows.parquet").to_pylist() == rows
