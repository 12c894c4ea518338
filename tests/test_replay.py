"""A round made again from the replies on record, with nobody to ask."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perturb.building.run import build
from perturb.config import BuildConfig, recorded_config
from perturb.errors import RecordingError
from perturb.llm.recording import Replay, read_recording, write_recording
from perturb.reports.words import describe_demo
from perturb.snapshots.replies import export_replies
from perturb.snapshots.snapshot import read_snapshot
from tests.building import KEY, KEY_NAME, configure, content_of, perturb, query, serve
from tests.loopback.players import ContentFaults

PASSES = {"g1": 0.9, "v2": 0.8, "v3": 0.9}
FAULTY = ContentFaults({"prose-only": 0.1, "fenced": 0.1, "empty": 0.05, "wrong-lever": 0.05}, stubborn=True)
UNREAD = ContentFaults({"empty": 0.1})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[BuildConfig, Path, Path]:
    """The configuration, run folder and file of replies of a round whose provider is gone."""
    folder = tmp_path_factory.mktemp("recorded")
    with serve(PASSES, generator_faults=FAULTY, verifier_faults=UNREAD) as server:
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
    named = read_snapshot(tmp_path / "again" / "snapshot").manifest["replies"]
    assert named["sha256"] == read_recording(file).digest
    for table in ("jobs", "candidates", "votes", "decisions"):
        columns = {"jobs": "id, outcome, detail, declined"}.get(table, "*")
        sql = f"SELECT {columns} FROM {table} ORDER BY 1, 2"
        assert query(tmp_path / "again", sql) == query(run, sql)
    export_replies(tmp_path / "again", tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == file.read_bytes()


def test_nothing_is_opened_and_no_variable_is_read(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, run, file = recorded
    entry = config.generators[0].model_copy(update={"api_base": "${NOT_SET_ANYWHERE}/v1"})
    moved = config.model_copy(update={"generators": (entry, *config.generators[1:])})
    monkeypatch.delenv(KEY_NAME)
    monkeypatch.setattr("socket.socket.connect", None)
    assert replayed(moved, file, tmp_path / "again")["missing_replies"] == []
    assert data_file(tmp_path / "again") == data_file(run)


def test_another_rule_and_another_panel_cost_nothing(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path
) -> None:
    config, run, file = recorded
    panel = config.resolved_panel
    two = config.model_copy(update={"panel": panel.model_copy(update={"consensus": "k_of_n", "k": 2})})
    fewer = config.model_copy(update={"panel": panel.model_copy(update={"verifiers": panel.verifiers[:1]})})
    accepted = len(query(run, "SELECT 1 FROM decisions WHERE acceptance = 'accepted'"))
    for name, changed in (("two", two), ("fewer", fewer)):
        facts = replayed(changed, file, tmp_path / name)
        assert facts["missing_replies"] == []
        assert facts["accepted"] > accepted
    assert "Agreement: κ cannot be told (" in "".join(describe_demo(tmp_path / "fewer", tmp_path))


def edited(file: Path, to: Path, edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    """A file of replies whose lines were edited and whose digest was made to fit."""
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    header = {name: value for name, value in rows[0].items() if name != "sha256"}
    write_recording(to, header, edit(rows[1:]))
    return to


def test_missing_replies_are_counted_and_named_and_can_be_asked_for(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path
) -> None:
    config, run, file = recorded
    kept = [row[0] for row in query(run, "SELECT candidate_id FROM decisions WHERE acceptance = 'accepted'")]

    def without_two(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """All but what was said of one job, and one vote on another candidate."""
        vote = {"role": "verify", "id": kept[1], "model": "v2"}
        return [row for row in rows if row.get("id") != kept[0] and not vote.items() <= row.items()]

    fewer = edited(file, tmp_path / "fewer.jsonl.gz", without_two)
    facts = replayed(config, fewer, tmp_path / "again")
    lost = [(fact["role"], fact["model"]) for fact in facts["missing_replies"]]
    assert len(lost) == 2
    assert {role for role, _ in lost} == {"generate", "verify"}
    assert facts["undecided"] == 1
    assert "2 replies not on record" in "".join(facts["warnings"])
    status = perturb("status", tmp_path / "again", "--json").json
    assert status["missing_replies"] == facts["missing_replies"]

    with serve(PASSES, generator_faults=FAULTY, verifier_faults=UNREAD) as server:
        filled = {"api_base": server.url}
        panel = config.resolved_panel
        verifiers = tuple(verifier.model_copy(update=filled) for verifier in panel.verifiers)
        here = config.model_copy(
            update={
                "generators": tuple(generator.model_copy(update=filled) for generator in config.generators),
                "panel": panel.model_copy(update={"verifiers": verifiers}),
            }
        )
        report = build(here, tmp_path / "again", replay=Replay(read_recording(fewer), fill=True))
        assert 0 < server.counters.total <= 12
    assert report.facts["missing_replies"] == []
    assert data_file(tmp_path / "again") == data_file(run)


def test_a_change_of_wording_orphans_nothing(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, run, file = recorded
    monkeypatch.setattr("perturb.catalogue.prompts.Prompts.version", lambda *_: "another wording")
    facts = replayed(config, file, tmp_path / "again")
    assert facts["missing_replies"] == []
    assert "recorded with an earlier version of the prompts" in "".join(facts["warnings"])
    assert data_file(tmp_path / "again") == data_file(run)


def twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*rows, rows[-1]]


BAD: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "missing": (lambda good, bad: None, "no such file"),
    "foreign": (lambda good, bad: bad.write_text('{"a": 1}\n'), "holds no recorded replies"),
    "foreign, gzipped": (
        lambda good, bad: bad.write_bytes(gzip.compress(b'{"a": 1}\n')),
        "holds no recorded",
    ),
    "empty": (lambda good, bad: bad.write_bytes(gzip.compress(b"")), "holds no recorded replies"),
    "truncated": (lambda good, bad: bad.write_bytes(good.read_bytes()[:-2000]), "cut short"),
    "lines left out": (
        lambda good, bad: bad.write_bytes(
            gzip.compress(b"".join(gzip.decompress(good.read_bytes()).splitlines(keepends=True)[:-3]))
        ),
        "differs from what was written",
    ),
    "a changed byte": (
        lambda good, bad: bad.write_bytes(flipped(good.read_bytes(), len(good.read_bytes()) // 2)),
        "damaged|line .* holds no recorded replies",
    ),
    "a changed word": (
        lambda good, bad: bad.write_bytes(
            gzip.compress(gzip.decompress(good.read_bytes()).replace(b"PASS", b"FAIL", 1))
        ),
        "differs from what was written",
    ),
    "a doubled reply": (lambda good, bad: edited(good, bad, twice), "repeats the reply of"),
}


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_one_line_and_write_nothing(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path, kind: str
) -> None:
    config, _, file = recorded
    spoil, words = BAD[kind]
    spoil(file, tmp_path / "bad.jsonl.gz")
    with pytest.raises(RecordingError, match=words) as caught:
        replayed(config, tmp_path / "bad.jsonl.gz", tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert "bad.jsonl.gz" in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_another_round_is_refused(recorded: tuple[BuildConfig, Path, Path], tmp_path: Path) -> None:
    config, _, file = recorded
    with pytest.raises(RecordingError, match="another run, whose round is 'r1' and not 'r2'"):
        replayed(config.model_copy(update={"round": "r2"}), file, tmp_path / "run")
    several = config.base_set.model_copy(update={"demo": "garage"})
    with pytest.raises(RecordingError, match="no reply about this base set"):
        replayed(config.model_copy(update={"base_set": several}), file, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_snapshot_names_the_digest_of_its_replies(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path
) -> None:
    _, run, _ = recorded
    out, file = tmp_path / "snapshot", tmp_path / "replies.jsonl.gz"
    ended = perturb("export", run, "--out", out, "--replies", file, "--json")
    told = ended.json["replies"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["replies"] == {"sha256": told["sha256"], "replies": told["replies"]}
    assert told["sha256"] in (out / "README.md").read_text()
    assert read_recording(file).digest == told["sha256"]
    assert KEY not in gzip.decompress(file.read_bytes()).decode()


def test_the_default_replays_the_embedded_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve({"writer-a": 0.9, "writer-b": 0.8, "third": 0.85}) as server:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        config = recorded_config()
        small = config.model_copy(update={"base_set": config.base_set.model_copy(update={"limit": 2})})
        build(small, tmp_path / "run")
    monkeypatch.delenv("HOSTED_VLLM_API_BASE")
    file = tmp_path / "recorded.replies.jsonl.gz"
    export_replies(tmp_path / "run", file)
    # Both names: a module that is first imported while only one is replaced would keep the replacement.
    for module in ("perturb.api.calls", "perturb.files.resources"):
        monkeypatch.setattr(f"{module}.demo_recording", lambda name: file if name == "recorded" else None)
    told = perturb("build", "--limit", "2", "--out", tmp_path)
    assert told.returncode == 0, told.stdout
    lines = [line.split(":")[0] for line in told.stdout.splitlines()]
    assert lines == ["Made", "No model was asked", "Agreement", "Wrong labels", "Rejected", "Report", "Next"]
    assert (tmp_path / "demo" / "report.html").exists()
    assert data_file(tmp_path / "demo") == data_file(tmp_path / "run")


def test_a_snapshot_is_proved_by_its_replies(
    recorded: tuple[BuildConfig, Path, Path], tmp_path: Path
) -> None:
    _, run, _ = recorded
    out, file = tmp_path / "snapshot", tmp_path / "replies.jsonl.gz"
    perturb("export", run, "--out", out, "--replies", file, "--per-generator", 20, "--min-per-cell", 1)
    assert perturb("verify-snapshot", out, "--replay", file).returncode == 0
    kept = {row["id"] for row in read_snapshot(out).read_rows()}

    def turned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """One vote on a published row says the contrary, for whomever it was given."""
        votes = (row for row in rows if row.get("role") == "verify" and row["id"] in kept)
        vote = next(one for one in votes if '"PASS"' in one["text"])
        contrary = {"text": vote["text"].replace("PASS", "FAIL")}
        return [row | contrary if row.get("prompt") == vote["prompt"] else row for row in rows]

    forged = edited(file, tmp_path / "forged.jsonl.gz", turned)
    told = perturb("verify-snapshot", out, "--replay", forged)
    assert told.returncode == 1
    assert "is not the file of replies that the manifest names" in told.stdout
    assert "do not follow from the replies" in told.stdout


def test_the_card_says_whose_replies_they_are() -> None:
    note = recorded_config().note
    assert note is not None
    assert "contexts of one language model" in note
