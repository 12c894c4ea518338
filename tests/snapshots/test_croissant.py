"""The metadata of a snapshot in the Croissant format, read and validated by `mlcroissant`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mlcroissant
import pytest

from perturb.snapshots.croissant import CROISSANT
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot, write_snapshot
from tests.snapshots.test_snapshot import HOSTILE, PLANNED, facts, rows_of

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:mlcroissant"
)

CONSTANT = {"dataCollectionType"}
"""Fields that say the same of every snapshot."""


def metadata(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / CROISSANT).read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("text", ["plain", *HOSTILE])
def test_every_record_is_read_without_a_fault(tmp_path: Path, text: str) -> None:
    rows = (*rows_of(6, text=text), *rows_of(9, text=text, several=True)[6:])
    snapshot = write_snapshot(
        tmp_path / "s", rows, facts(created=datetime(2026, 11, 1, tzinfo=UTC)), "name: demo\n"
    )
    check_records(snapshot)


def check_records(snapshot: Snapshot) -> None:
    """That mlcroissant has nothing against the metadata, and reads every record as it was written."""
    dataset = mlcroissant.Dataset(str(snapshot.folder / CROISSANT))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    for part in snapshot.configs:
        path = snapshot.data_files[part]
        written = snapshot.to_pandas(part).to_dict("records")
        records = list(dataset.records(part))
        assert len(records) == len(written) > 0, path
        for record, row in zip(records, written, strict=True):
            for name, value in record.items():
                stored = row[name.removeprefix(f"{part}/")]
                if isinstance(value, bytes):
                    assert value.decode("utf-8") == stored
                elif value is not None and not isinstance(value, float):
                    read = [one.decode("utf-8") if isinstance(one, bytes) else one for one in value]
                    assert read == list(stored)


def test_the_fields_of_responsible_ai_follow_from_the_manifest(tmp_path: Path) -> None:
    agreement = {
        "candidates": 20,
        "note": None,
        "figures": {"raw agreement": {"value": 0.9, "low": 0.8, "high": 0.95, "reason": None}},
    }
    one = write_snapshot(tmp_path / "one", rows_of(6), facts(), "")
    planned = {
        "name": "other",
        "round": "2027-Q1",
        "code_version": "0.9",
        "digests": {"catalogue": "c2", "base_set": "b2"},
        "panel": {**PLANNED["panel"], "name": "small"},
        "generators": ({"name": "solo", "model": "openai/solo"},),
        "verifiers": ({"name": "judge", "model": "openai/judge"},),
        "base_set": {"attribution": "House archive"},
    }
    changes = {
        "stages": {"jobs": 9, "accepted": 4, "unparsed": 2, "near_duplicates": 1},
        "agreement": agreement,
    }
    other = write_snapshot(tmp_path / "other", rows_of(4, licence="MIT"), facts(planned, **changes), "")
    told, changed = (
        {name: value for name, value in metadata(one.folder).items() if name.startswith("rai:")}
        for one in (one, other)
    )
    differing = {name for name, value in changed.items() if value != told.get(name)}
    assert len(differing - {f"rai:{name}" for name in CONSTANT}) >= 15, sorted(differing)
    assert "raw agreement: 0.9, 95 % interval 0.8 to 0.95" in changed["rai:dataAnnotationAnalysis"]


def test_an_edited_or_missing_file_is_found_and_older_snapshots_have_none(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "s", rows_of(4), facts(), "")
    assert check_snapshot(snapshot.folder) == ()
    (snapshot.folder / CROISSANT).write_text("{}", encoding="utf-8")
    assert f"{CROISSANT}: differs from the file that was written" in check_snapshot(snapshot.folder)
    (snapshot.folder / CROISSANT).unlink()
    assert f"{CROISSANT}: missing" in check_snapshot(snapshot.folder)
    assert CROISSANT in {entry["path"] for entry in read_snapshot(snapshot.folder).manifest["files"]}
