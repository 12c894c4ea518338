"""A round made again from the replies on record, with nobody to ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.build import build
from perturb.config import BuildConfig
from perturb.export.replies import export_replies
from perturb.export.snapshot import read_snapshot
from perturb.llm.recording import Replay, read_recording
from tests.building import KEY, KEY_NAME, configure, content_of, query, serve
from tests.loopback.players import ContentFaults

FAULTS = {"prose-only": 0.1, "fenced": 0.1, "empty": 0.05, "wrong-lever": 0.05}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[BuildConfig, Path, Path]:
    """The configuration, run folder and file of replies of a round whose provider is gone."""
    folder = tmp_path_factory.mktemp("recorded")
    rates = {"g1": 0.9, "v2": 0.8, "v3": 0.9}
    faulty, unread = ContentFaults(FAULTS, stubborn=True), ContentFaults({"empty": 0.1})
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(KEY_NAME, KEY)
        with serve(rates, generator_faults=faulty, verifier_faults=unread) as server:
            content = content_of(server.url, verifiers=("g1", "v2", "v3"), limit=3, lever_choice="covering")
            config = configure(folder, content)
            build(config, folder / "run")
    file = folder / "replies.jsonl.gz"
    export_replies(folder / "run", file)
    return config, folder / "run", file


def replayed(config: BuildConfig, file: Path, run: Path, **options: Any) -> dict[str, Any]:
    report = build(config, run, replay=Replay(read_recording(file)), **options)
    return {**report.facts, "warnings": report.warnings}


def data_file(run: Path) -> bytes:
    return read_snapshot(run / "snapshot").data_file.read_bytes()


def test_the_same_data_and_the_same_record_without_the_provider(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path
) -> None:
    config, run, file = recorded
    facts = replayed(config, file, tmp_path / "again")
    assert facts["missing_replies"] == []
    assert facts["cost_usd"] == 0
    assert data_file(tmp_path / "again") == data_file(run)
    for table in ("jobs", "candidates", "votes", "decisions"):
        columns = {"jobs": "id, outcome, detail, declined"}.get(table, "*")
        sql = f"SELECT {columns} FROM {table} ORDER BY 1, 2"
        assert query(tmp_path / "again", sql) == query(run, sql)
    export_replies(tmp_path / "again", tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == file.read_bytes()
