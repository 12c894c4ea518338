"""Evaluations made again from the replies on record, with nobody to ask."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import RecordingError
from perturb.evaluation.loading import recorded_items, recorded_questions
from perturb.files.resources import demo_recording
from perturb.llm.recording import read_recording, write_recording
from tests.building import perturb
from tests.loopback import LoopbackServer

from .test_earlier_ledgers import LEDGERS, RUNS

TABLES = {"evaluation": "results.jsonl", "refusal-index": "refusals.jsonl", "bas": "confidence.jsonl"}
COMMANDS = {"evaluation": ["evaluate"], "refusal-index": ["refusal-index", "run"], "bas": ["bas", "run"]}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an evaluation of each kind, made over a provider that is gone, and its replies."""
    folder = tmp_path_factory.mktemp("evaluations")
    with pytest.MonkeyPatch.context() as patch:
        for kind in TABLES:
            host, player, words, _, _ = RUNS[kind]
            place = Path(shutil.copytree(LEDGERS / kind, folder / kind))
            patch.chdir(place)
            with LoopbackServer(player(LEDGERS / kind)) as server:
                models = (place / "models.yaml").read_text().replace(f"http://{host}:18471/v1", server.url)
                (place / "models.yaml").write_text(models)
                done = perturb(*words, "--out", "run", "--json")
                assert done.returncode == 0, done.stderr
            done = perturb("export", "run", "--replies", "replies.jsonl.gz", "--json")
            assert done.json["replies"]["replies"] > 0
    return folder


@pytest.mark.parametrize("kind", TABLES)
def test_the_same_table_from_the_replies_alone(
    recorded: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket.connect", None)
    file = recorded / kind / "replies.jsonl.gz"
    done = perturb(*COMMANDS[kind], "--replay", file, "--out", tmp_path / "run", "--json")
    assert done.json["missing_replies"] == []
    table = TABLES[kind]
    assert (tmp_path / "run" / table).read_text() == (recorded / kind / "run" / table).read_text()


@pytest.mark.parametrize("kind", TABLES)
def test_a_demo_replays_what_is_embedded_or_says_what_is_missing(
    recorded: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [COMMANDS[kind][0], "--demo", "--out", tmp_path / "run"]
    embedded: dict[str, Path] = {}
    monkeypatch.setattr("perturb.files.resources.demo_recording", embedded.get)
    missing = perturb(*words)
    missing.fails("is embedded in this version")
    embedded[COMMANDS[kind][0]] = recorded / kind / "replies.jsonl.gz"
    done = perturb(*words)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / TABLES[kind]).exists()
    if kind != "evaluation":
        assert (tmp_path / "run" / "report.html").exists()
        assert "FILE.html" in failure([*words, "--report", "page.pdf"])


def failure(words: Sequence[object]) -> str:
    done = perturb(*words)
    assert done.returncode != 0
    return done.stderr


def test_wrong_use_is_one_line(recorded: Path, tmp_path: Path) -> None:
    bas, items = recorded / "bas" / "replies.jsonl.gz", recorded / "evaluation" / "items.jsonl"
    out = ["--out", tmp_path / "run"]
    assert "replies of a run of another kind (bas)" in failure(["evaluate", "--replay", bas, *out])
    own = recorded / "evaluation" / "replies.jsonl.gz"
    assert "holds no reply of a model 'nobody'" in failure(
        ["evaluate", "--replay", own, "--model", "nobody", *out]
    )
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("".join(items.read_text().splitlines(keepends=True)[:-1]))
    assert "another run, whose items is" in failure(["evaluate", fewer, "--replay", own, *out])
    assert "stands alone" in failure(["evaluate", items, "--demo", *out])
    assert "stands alone: leave out --levers" in failure(["evaluate", "--demo", "--judge", "a/b", *out])
    assert "--model" in failure(["evaluate", items, *out])
    assert "on record: leave it out" in failure(["evaluate", "--replay", own, "--preset", "paper", *out])
    assert not (tmp_path / "run").exists()


def paths(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The places in a line, of the first entry of each list."""
    entries = (
        value.items()
        if isinstance(value, dict)
        else list(enumerate(value))[:1]
        if isinstance(value, list)
        else ()
    )
    for name, inner in entries:
        yield (*path, name)
        yield from paths(inner, *path, name)


def read_whole(file: Path) -> None:
    recording = read_recording(file)
    (recorded_items if recording.header["kind"] == "evaluation" else recorded_questions)(recording)


FREE = {"key", "params", "templates", "metadata", "classes", "system", "panel"}
"""What may hold anything, or is not read."""


@pytest.mark.parametrize("name", ["recorded", "evaluate", "bas", "refusal-index"])
def test_a_wrong_type_in_any_field_is_one_line(name: str, tmp_path: Path) -> None:
    with gzip.open(str(demo_recording(name))) as file:
        lines = [json.loads(line) for line in file]
    firsts = list({line["kind"]: line for line in reversed(lines[1:])}.values())
    header = {key: value for key, value in lines[0].items() if key not in ("format", "version", "sha256")}
    bad = tmp_path / "bad.jsonl.gz"
    for number, line in enumerate([header, *firsts]):
        for *parents, last in paths(line):
            if FREE & {*parents, last}:
                continue
            whole = deepcopy([header, *firsts])
            inner: Any = whole[number]
            for step in parents:
                inner = inner[step]
            inner[last] = 7 if isinstance(inner[last], dict | list) else [[]]
            write_recording(bad, whole[0], whole[1:])
            with pytest.raises(RecordingError) as caught:
                read_whole(bad)
            assert "\n" not in str(caught.value), (*parents, last)
