"""Data sets of the Hub: a local folder that `datasets` loads stands in for them; without a network, one line."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from perturb.curation.curation import curate
from perturb.curation.hub import HubSource, open_hub
from perturb.curation.source import SourceRequest
from perturb.errors import SourceError
from perturb.records import Passage
from tests.building import write_rows

ROWS: list[dict[str, Any]] = [
    {"q": "who built it", "text": "Ada built it.", "ans": ["Ada"], "date": "2018-12-20", "n": 1.5},
    {"q": "who drew it", "text": "Eve drew it.", "ans": ["Eve"], "date": "2018-12-21", "n": None},
]
COLUMNS = {"query": "q", "context": "text", "answers": "ans"}


@pytest.fixture(autouse=True)
def _no_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "mills"
    target.mkdir()
    write_rows(target / "train.jsonl", ROWS)
    return target


def error_of(source: HubSource) -> str:
    with pytest.raises(SourceError) as caught:
        list(open_hub(source).rows)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_rows_are_curated_through_a_column_map(folder: Path) -> None:
    curation = curate(SourceRequest(HubSource(str(folder), columns=COLUMNS), "jsonl"))
    assert [instance.passages for instance in curation.instances] == [
        (Passage("Ada built it."),),
        (Passage("Eve drew it."),),
    ]
    assert curation.name == "mills"
    assert curation.report["source"] == {
        "dataset": "mills",
        "revision": None,
        "subset": None,
        "split": None,
        "columns": COLUMNS,
    }


def test_without_a_map_every_column_is_read_as_json_would_write_it(folder: Path) -> None:
    rows = [dict(row.fields) for row in open_hub(HubSource(str(folder))).rows]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert [row["q"] for row in rows] == ["who built it", "who drew it"]
    assert rows[0]["date"].startswith("2018-12-20")


def test_the_limit_ends_the_reading(folder: Path) -> None:
    curation = curate(SourceRequest(HubSource(str(folder), columns=COLUMNS), "jsonl", limit=1))
    assert curation.report["records"] == 1


def test_a_column_that_is_not_there_is_named_with_those_that_are(folder: Path) -> None:
    message = error_of(HubSource(str(folder), columns={**COLUMNS, "query": "question"}))
    assert message == f"{folder}: no column 'question': there is q, text, ans, date, n"


def test_splits(folder: Path) -> None:
    (folder / "test.jsonl").write_text(json.dumps(ROWS[1]) + "\n")
    assert "has the splits train, test: choose one with --split" in error_of(HubSource(str(folder)))
    assert "cannot be loaded (Bad split: dev" in error_of(HubSource(str(folder), split="dev"))
    assert len(list(open_hub(HubSource(str(folder), split="test")).rows)) == 1


def test_a_broken_file_is_one_line(folder: Path) -> None:
    (folder / "train.jsonl").write_text('{"q": "a"}\n{"q": \n')
    assert "cannot be loaded" in error_of(HubSource(str(folder)))


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
def test_offline_is_said_before_anything_is_tried(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setenv(name, "1")
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    assert error_of(HubSource("owner/name")) == (
        f"owner/name: {name} is set, so the Hub is not asked: unset it, or give a file"
    )


def test_no_network_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "owner/name: the Hub is out of reach" in error_of(HubSource("owner/name"))


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    assert "is not an address" in error_of(HubSource("owner/name"))


class _Hub(BaseHTTPRequestHandler):
    paths: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.paths.append(self.path)
        body = json.dumps({"sha": "c0ffee", "cardData": {"license": "cc-by-4.0"}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def loopback_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Hub]]:
    server = HTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    _Hub.paths.clear()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield _Hub
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_commit_and_the_licence_come_from_the_hub(
    loopback_hub: type[_Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    asked: dict[str, Any] = {}

    def load(name: str, subset: str | None, **options: Any) -> list[dict[str, Any]]:
        asked.update(options, name=name, subset=subset)
        return [{"query": "who built it", "context": "Ada built it.", "answers": ["Ada"]}]

    monkeypatch.setattr(datasets, "load_dataset", load)
    source = HubSource("owner/name", revision="v1.0", subset="nq", split="test")
    curation = curate(SourceRequest(source))
    assert loopback_hub.paths == ["/api/datasets/owner/name/revision/v1.0"]
    assert (asked["revision"], asked["subset"], asked["split"]) == ("c0ffee", "nq", "test")
    assert curation.report["source"]["revision"] == "c0ffee"
    assert (curation.name, curation.licence) == ("name", "cc-by-4.0")
