"""Publishing to a Hub on the loopback interface: real requests, faults, and loading back."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError

from perturb.errors import PublishError, RecordingError, SnapshotError
from perturb.files.resources import data_folder
from perturb.ledger.evaluations import EvaluationLedger
from perturb.llm.recording import read_recording, write_recording
from perturb.snapshots import hub as hub_module
from perturb.snapshots.card import ExportedReplies
from perturb.snapshots.harness_files import harness_paths
from perturb.snapshots.hub import tag_of
from perturb.snapshots.items import build_controls
from perturb.snapshots.manifest import manifest_digest
from perturb.snapshots.publish import publish, write_publication
from perturb.snapshots.published_card import BEGIN, END, merge_cards, scores_section, split_card
from perturb.snapshots.rows import build_rows, row_digest
from perturb.snapshots.snapshot import check_snapshot, read_snapshot, write_snapshot
from tests.building import perturb, perturb_process
from tests.loopback_hub import LoopbackHub, Repository
from tests.snapshots.test_croissant import check_records, metadata
from tests.snapshots.test_snapshot import facts, item, rows_of

# huggingface_hub sends large files in a way that httpx warns about.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

REPO = "someone/refusals"

LOADER = """
import json, sys
from datasets import load_dataset
repo, *tags = sys.argv[1:]
print(json.dumps([list(load_dataset(repo, split="test", revision=tag)) for tag in tags]))
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackHub]:
    """A running Hub; this process is logged in to it and does not wait between tries."""
    monkeypatch.setattr(hub_module, "FIRST_WAIT", 0.0)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    with LoopbackHub() as server:
        monkeypatch.setenv("HF_TOKEN", server.token)
        yield server


def snapshot(folder: Path, round_name: str = "2026-Q4", count: int = 5, config: str = "seed: 7\n") -> Path:
    rows = rows_of(count, licence="MIT", text=round_name)
    return write_snapshot(folder, rows, facts({"round": round_name}), config).folder


def push(hub: LoopbackHub, folder: Path, **options: Any) -> hub_module.Publication:
    return publish(folder, REPO, endpoint=hub.url, **options)


def repository(hub: LoopbackHub) -> Repository:
    return hub.repositories[REPO]


def environment(hub: LoopbackHub, home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": hub.token,
        "HF_HOME": str(home / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }


def load(hub: LoopbackHub, home: Path, *tags: str) -> list[list[dict[str, Any]]]:
    """What `load_dataset` gives at each tag, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LOADER, REPO, *tags],
        env=environment(hub, home),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    loaded: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return loaded


def download(hub: LoopbackHub, tag: str, folder: Path) -> Path:
    """The files at a tag, as a folder."""
    commit = repository(hub).find(tag)
    assert commit is not None
    for name, content in commit.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_one_commit_and_one_tag_in_a_private_repository(hub: LoopbackHub, tmp_path: Path) -> None:
    done = push(hub, snapshot(tmp_path / "s"))
    repo = repository(hub)
    assert (repo.private, len(repo.commits), repo.tags) == (True, 2, {"2026-Q4": done.commit})
    assert (done.uploaded, done.commit, done.tag) == (True, repo.head.sha, "2026-Q4")
    content = read_snapshot(tmp_path / "s").content_digest
    assert set(repo.head.files) == {
        *(".gitattributes", "README.md", "build.yaml", "manifest.json", "croissant.json"),
        f"data/{content}/test.parquet",
        *harness_paths(read_snapshot(tmp_path / "s").manifest),
    }
    assert not [name for name in hub.requests if name.startswith("unknown")]


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:mlcroissant")
def test_the_croissant_metadata_is_valid_at_each_tag(hub: LoopbackHub, tmp_path: Path) -> None:
    for round_name, count in (("2026-Q4", 5), ("2027-Q1", 7)):
        rows = rows_of(count, licence="MIT", text=round_name)
        told = facts({"round": round_name}, created=datetime(2026, 11, 1, tzinfo=UTC))
        push(hub, write_snapshot(tmp_path / round_name, rows, told, "seed: 7\n").folder)
    for round_name, count in (("2026-Q4", 5), ("2027-Q1", 7)):
        folder = snapshot_download(
            REPO,
            repo_type="dataset",
            revision=round_name,
            endpoint=hub.url,
            token=hub.token,
            local_dir=tmp_path / f"{round_name} of the Hub",
        )
        downloaded = read_snapshot(Path(folder))
        assert len(downloaded.read_rows()) == count
        files = [one for one in metadata(downloaded.folder)["distribution"] if "sha256" in one]
        assert files
        for file in files:
            content = (downloaded.folder / file["contentUrl"]).read_bytes()
            assert sha256(content).hexdigest() == file["sha256"]
        check_records(downloaded)


def test_a_hub_without_xet_gets_large_files_over_plain_http(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", False)  # the client's default
    done = push(hub, snapshot(tmp_path / "s"))
    assert any("xet-write-token" in name for name in hub.requests), "Xet was not tried first"
    assert repository(hub).tags == {"2026-Q4": done.commit}
    assert hub.requests["upload"] == len(hub.blobs) > 0
    hub.fault("lfs-batch", 403, times=9)
    with pytest.raises(PublishError, match="commit: the Hub answered 403"):
        push(hub, snapshot(tmp_path / "t", "2027-Q1"))


def test_a_status_is_never_called_a_broken_connection() -> None:
    words = "Network error: Request error: HTTP status client error (404 Not Found), domain: http://h/xet-write-token"
    told = hub_module._explain(REPO, "commit", ConnectionError(words))
    assert told.startswith(f"{REPO}: commit: the answer was 404 (")
    assert "connection" not in told


@pytest.mark.slow
def test_two_rounds_load_back_at_their_tags_and_verify(hub: LoopbackHub, tmp_path: Path) -> None:
    first, second = snapshot(tmp_path / "a", "2026-Q4"), snapshot(tmp_path / "b", "2027-Q1", 7)
    push(hub, first)
    push(hub, second)
    loaded = load(hub, tmp_path, "2026-Q4", "2027-Q1", "main")
    newest = list(read_snapshot(second).read_rows())
    assert loaded == [list(read_snapshot(first).read_rows()), newest, newest]
    for tag in ("2026-Q4", "2027-Q1"):
        folder = download(hub, tag, tmp_path / tag)
        assert check_snapshot(folder) == ()
        stated = f"Manifest digest: {manifest_digest(read_snapshot(folder).manifest)}"
        assert repository(hub).tag_messages[tag] == stated
        assert f"\n{stated}\n" in (folder / "README.md").read_text(encoding="utf-8")
    data = [name for name in repository(hub).head.files if name.startswith("data/")]
    assert data == [f"data/{read_snapshot(second).content_digest}/test.parquet"]


def test_scores_stand_on_the_card_before_the_rounds(hub: LoopbackHub, tmp_path: Path) -> None:
    scores = scores_section([("model", ["good <b>", "bad"]), ("CRS", ["65.3 [60.1, 70.2]", "NA"])])
    push(hub, snapshot(tmp_path / "a"), scores=scores)
    card = repository(hub).head.files["README.md"].decode()
    assert "| good \\<b\\> | 65.3 \\[60.1, 70.2\\] |\n| bad | NA |\n\n## Published rounds" in card


@pytest.mark.slow
def test_scores_of_another_snapshot_are_refused(tmp_path: Path) -> None:
    with EvaluationLedger(tmp_path / "run") as ledger:
        ledger.write_fact("snapshot", {"name": "other", "digest": "d", "round": "r"})
        ledger.write_fact("models", {})
    done = perturb("publish", snapshot(tmp_path / "a"), REPO, "--scores", tmp_path / "run")
    assert done.returncode == 1
    assert "is an evaluation of another snapshot" in done.stderr


def test_the_card_lists_the_rounds_and_says_what_changed(hub: LoopbackHub, tmp_path: Path) -> None:
    push(hub, snapshot(tmp_path / "a", "2026-Q4"))
    other = facts(
        {
            "round": "2027-Q1",
            "digests": {"catalogue": "c", "templates": "t", "base_set": "new", "panel": "p"},
        }
    )
    push(hub, write_snapshot(tmp_path / "b", rows_of(7), other, "").folder)
    card = repository(hub).head.files["README.md"].decode()
    lines = [line for line in card.splitlines() if line.startswith(("| 2026-Q4", "| 2027-Q1"))]
    assert [line.split(" | ")[0] for line in lines] == ["| 2027-Q1", "| 2026-Q4"]
    assert lines[0].endswith("| base_set |")
    assert lines[1].endswith("| the first round |")
    assert card.count("## Published rounds") == 1
    assert f'load_dataset("{REPO}", split="test", revision="2027-Q1")' in card


def test_publishing_again_changes_nothing(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    first = push(hub, folder)
    again = push(hub, folder)
    assert again == dataclasses.replace(first, uploaded=False)
    assert (len(repository(hub).commits), hub.requests["commit"], hub.requests["upload"]) == (2, 1, 2)


def test_public_opens_the_repository_only_when_asked(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    push(hub, folder)
    assert repository(hub).private
    push(hub, folder, public=True)
    assert not repository(hub).private
    push(hub, snapshot(tmp_path / "t", "2027-Q1"))
    assert not repository(hub).private


@pytest.mark.parametrize("there", ["nothing", "an earlier round"])
def test_a_dry_run_writes_what_is_pushed_afterwards(hub: LoopbackHub, tmp_path: Path, there: str) -> None:
    if there != "nothing":
        push(hub, snapshot(tmp_path / "old", "2026-Q3", count=3))
    before = len(repository(hub).commits) if there != "nothing" else 0
    folder, out = snapshot(tmp_path / "new"), tmp_path / "dry"
    told = write_publication(folder, REPO, out, endpoint=hub.url)
    assert (REPO in hub.repositories) == (there != "nothing")
    assert before == (len(repository(hub).commits) if there != "nothing" else 0)
    assert told == json.loads((out / "files.json").read_text())
    assert (told["merged_with"] is None) == (there == "nothing")
    changes = {one["path"]: one["change"] for one in told["files"]}
    push(hub, folder)
    pushed = repository(hub).head.files
    assert {path for path, change in changes.items() if change != "delete"} == set(pushed) - {
        ".gitattributes"
    }
    for name in ("README.md", "manifest.json"):
        assert (out / name).read_bytes() == pushed[name]
    assert ("delete" in changes.values()) == (there != "nothing")


def test_a_dry_run_needs_no_repository_and_no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    folder = snapshot(tmp_path / "s")
    ended = perturb("publish", folder, "--dry-run", tmp_path / "dry", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "add manifest.json" in ended.stdout
    assert BEGIN in (tmp_path / "dry" / "README.md").read_text()
    (folder / "build.yaml").write_text("seed: 8\n")
    assert perturb("publish", folder, "--dry-run", tmp_path / "dry", cwd=tmp_path).returncode == 1


def test_an_existing_card_is_merged(hub: LoopbackHub, tmp_path: Path) -> None:
    theirs = {
        "license": "apache-2.0",
        "tags": ["mine", "rag"],
        "extra_gated_prompt": "Say why.",
        "configs": [
            {"config_name": "default", "data_files": "old.csv"},
            {"config_name": "extra", "data_files": "extra.csv"},
        ],
        "dataset_info": [
            {"config_name": "default", "splits": [{"name": "test", "num_examples": 1, "num_bytes": 1}]},
            {"config_name": "extra", "features": [{"name": "a", "dtype": "int64"}]},
        ],
    }
    card = f"---\n{yaml.safe_dump(theirs)}---\n# My page\n\nWritten by hand.\n"
    hub.repositories[REPO] = Repository(REPO, private=True)
    repository(hub).commit("by hand", {"README.md": card.encode(), "extra.csv": b"a\n1\n"})
    push(hub, snapshot(tmp_path / "a"))
    push(hub, snapshot(tmp_path / "b", "2027-Q1"))
    header, page = split_card(repository(hub).head.files["README.md"].decode())
    assert (header["license"], header["extra_gated_prompt"]) == ("mit", "Say why.")
    assert {"mine", "rag", "refusal"} <= set(header["tags"])
    assert len(header["tags"]) == len(set(header["tags"]))
    assert [entry["config_name"] for entry in header["configs"]] == ["default", "prompts", "extra"]
    assert header["configs"][0]["data_files"][0]["split"] == "test"
    assert [entry["config_name"] for entry in header["dataset_info"]] == ["extra"]
    assert page.startswith("# My page\n\nWritten by hand.\n")
    assert (page.count(BEGIN), page.count(END), page.count("## Known limits")) == (1, 1, 1)
    assert repository(hub).head.files["extra.csv"] == b"a\n1\n"


def test_text_around_our_part_of_the_page_stays() -> None:
    once = merge_cards("---\nlicense: mit\n---\n# Ours\n", "# Theirs\n", "rounds 1")
    twice = merge_cards("---\nlicense: mit\n---\n# Newer\n", once + "\nBelow.\n", "rounds 2")
    page = split_card(twice)[1]
    assert page.startswith("# Theirs\n")
    assert page.endswith("Below.\n")
    assert "# Newer" in page
    assert "# Ours" not in page
    with pytest.raises(PublishError, match="not YAML"):
        merge_cards("---\nlicense: mit\n---\n", "---\na: [\n---\n", "rounds")


@pytest.mark.parametrize("route", ["create", "refs", "info", "resolve", "commit", "tag"])
@pytest.mark.parametrize("status", [429, 503, None])
def test_a_busy_hub_and_a_broken_connection_are_waited_for(
    hub: LoopbackHub, tmp_path: Path, route: str, status: int | None
) -> None:
    hub.fault(route, status, times=2)
    push(hub, snapshot(tmp_path / "s"))
    assert (len(repository(hub).commits), list(repository(hub).tags)) == (2, ["2026-Q4"])


def test_a_conflict_is_tried_again_from_the_new_state(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.fault("commit", 409, body="another commit is in progress")
    push(hub, snapshot(tmp_path / "s"))
    hub.fault("tag", 409, body="a lock is held")
    push(hub, snapshot(tmp_path / "t", "2027-Q1"))
    assert (len(repository(hub).commits), sorted(repository(hub).tags)) == (3, ["2026-Q4", "2027-Q1"])


@pytest.mark.parametrize("route", ["commit", "tag", "create"])
def test_an_answer_that_was_lost_makes_no_second_commit(hub: LoopbackHub, tmp_path: Path, route: str) -> None:
    hub.fault(route, None, after=True)
    push(hub, snapshot(tmp_path / "s"))
    assert (len(repository(hub).commits), list(repository(hub).tags)) == (2, ["2026-Q4"])


@pytest.mark.slow
def test_a_dropped_upload_goes_on_where_it_stopped(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    hub.fault("upload", None, times=100)
    with pytest.raises(PublishError, match="run the same command again to resume"):
        push(hub, folder)
    assert (len(repository(hub).commits), repository(hub).tags) == (1, {})
    hub.faults.clear()
    hub.fault("commit", 500, times=100)
    with pytest.raises(PublishError, match="the Hub answered 500"):
        push(hub, folder)
    uploads = hub.requests["upload"]
    hub.faults.clear()
    push(hub, folder)
    assert hub.requests["upload"] == uploads
    assert (len(repository(hub).commits), list(repository(hub).tags)) == (2, ["2026-Q4"])
    assert load(hub, tmp_path, "2026-Q4") == [list(read_snapshot(folder).read_rows())]


def test_a_commit_without_its_tag_is_found(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    hub.fault("tag", 503, times=100)
    with pytest.raises(PublishError, match="tag: the Hub answered 503"):
        push(hub, folder)
    hub.faults.clear()
    done = push(hub, folder)
    assert (done.uploaded, len(repository(hub).commits)) == (False, 2)
    assert repository(hub).tags == {"2026-Q4": done.commit}


def test_a_tag_with_other_content_is_refused(hub: LoopbackHub, tmp_path: Path) -> None:
    push(hub, snapshot(tmp_path / "a"))
    with pytest.raises(PublishError, match=r"tag '2026-Q4' exists with other content.*new round name"):
        push(hub, snapshot(tmp_path / "b", count=6))
    assert len(repository(hub).commits) == 2


def test_a_tag_of_somebody_else_is_refused(hub: LoopbackHub, tmp_path: Path) -> None:
    repo = hub.repositories[REPO] = Repository(REPO, private=True)
    repo.tags["2026-Q4"] = repo.head.sha
    with pytest.raises(PublishError, match="no manifest of ours"):
        push(hub, snapshot(tmp_path / "s"))


@pytest.mark.parametrize(
    ("route", "status", "told"),
    [
        ("create", 401, "export HF_TOKEN"),
        ("commit", 403, "may not write"),
        ("commit", 404, "no such repository"),
    ],
)
def test_a_refusal_is_not_tried_again(
    hub: LoopbackHub, tmp_path: Path, route: str, status: int, told: str
) -> None:
    hub.fault(route, status, times=100)
    with pytest.raises(PublishError, match=told) as caught:
        push(hub, snapshot(tmp_path / "s"))
    assert hub.requests[route] == 1
    assert "\n" not in str(caught.value)


def test_a_token_of_nobody_and_no_token(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = snapshot(tmp_path / "s")
    monkeypatch.setenv("HF_TOKEN", "a-stranger")
    with pytest.raises(PublishError, match="401"):
        push(hub, folder)
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(hub_module, "get_token", lambda: None)
    with pytest.raises(PublishError, match="nobody is logged in"):
        push(hub, folder)
    assert hub.repositories == {}


def test_a_hub_that_is_not_there(tmp_path: Path, hub: LoopbackHub) -> None:
    with pytest.raises(PublishError, match=r"the connection failed .*run the same command again"):
        publish(snapshot(tmp_path / "s"), REPO, endpoint="http://127.0.0.1:9")


def test_a_gitignore_on_the_hub_cannot_swallow_files(hub: LoopbackHub, tmp_path: Path) -> None:
    repo = hub.repositories[REPO] = Repository(REPO, private=True)
    repo.commit("ignore", {".gitignore": b"build.yaml"})
    with pytest.raises(PublishError, match=r"left out build\.yaml"):
        push(hub, snapshot(tmp_path / "s"))


@pytest.mark.parametrize(
    "name",
    ["", "name", "a/b/c", "a b/c", "https://huggingface.co/a/b", "-a/b", "a/b--c", "a/b.git", "a/../b"],
)
def test_what_is_no_repository_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PublishError, match="give OWNER/NAME"):
        publish(tmp_path, name)


def test_a_folder_that_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no readable manifest"):
        publish(tmp_path, REPO)


def test_rows_edited_by_hand_are_refused(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    card = folder / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("test items", "items"), encoding="utf-8")
    with pytest.raises(SnapshotError, match=r"does not match its manifest: README\.md: differs"):
        push(hub, folder)
    assert hub.requests.total() == 0


@pytest.mark.parametrize(
    "said",
    [
        "I used plain-words-as-a-key",
        base64.b64encode(b"user:plain-4711-0815").decode(),
        b"plain-4711-0815".hex(),
        "plain%2D4711%2d0815",
    ],
)
def test_a_key_in_the_configuration_or_in_a_row_is_refused(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    with pytest.raises(PublishError, match=r"build\.yaml holds what looks like a key \(sk-p…\)"):
        push(hub, snapshot(tmp_path / "a", config="key: sk-proj-0123456789abcdef\n"))
    monkeypatch.setenv("MY_API_KEY", "plain-words-as-a-key")
    monkeypatch.setenv("ANOTHER_API_KEY", "plain-4711-0815")
    rows = [dict(row) for row in rows_of(3)]
    rows[1]["implementation_reasoning"] = said
    rows[1]["row_digest"] = row_digest(rows[1])
    folder = write_snapshot(tmp_path / "b", rows, facts(), "").folder
    with pytest.raises(
        PublishError, match=r"row 1 \(id 'item-00001'\) holds what looks like a key \(....…\)"
    ):
        push(hub, folder)
    assert hub.requests.total() == 0


@pytest.mark.parametrize(
    ("round_name", "tag"),
    [("r 1", "r-1"), ("a..b", "a.b"), (".x.lock", "x-lock"), ("HEAD", "round-HEAD"), ("v1~^:?*[\\", "v1")],
)
def test_tags_are_names_that_git_takes(round_name: str, tag: str) -> None:
    assert tag_of(round_name) == tag
    assert tag_of("第一").startswith("round-")


@pytest.mark.slow
def test_python_publishes_as_the_command_does(hub: LoopbackHub, tmp_path: Path) -> None:
    code = (
        "import sys, perturb\n"
        "done = perturb.publish(perturb.load_snapshot(sys.argv[1]), sys.argv[2], progress=False)\n"
        "print(done.uploaded, done.tag)"
    )
    words = [sys.executable, "-c", code, str(snapshot(tmp_path / "s")), REPO]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(hub, tmp_path), check=False)
    assert (done.returncode, done.stdout) == (0, "True 2026-Q4\n"), done.stderr


@pytest.mark.slow
def test_the_command_publishes_and_repeats(hub: LoopbackHub, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "s")
    first = perturb_process("publish", folder, REPO, "--json", env=environment(hub, tmp_path))
    assert first.json["uploaded"] is True
    again = perturb_process("publish", folder, REPO, env=environment(hub, tmp_path))
    assert (again.returncode, "nothing was uploaded" in again.stderr) == (0, True)
    hub.fault("lfs-batch", 503)
    retried = perturb_process(
        "publish", snapshot(tmp_path / "t", "2027-Q1"), REPO, env=environment(hub, tmp_path)
    )
    assert (retried.returncode, retried.stderr) == (0, "")
    wrong = perturb_process("publish", folder, "no name", env=environment(hub, tmp_path))
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def test_controls_are_published_and_a_later_round_without_them_names_none(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    items = [item(number) for number in range(3)]
    labels = ("2026-Q4", "paper")
    first = write_snapshot(
        tmp_path / "a", build_rows(items, *labels), facts(), "", build_controls(items, *labels)
    )
    push(hub, first.folder)
    names = [entry["config_name"] for entry in card_header(hub)["configs"]]
    assert names == ["default", "controls", "prompts"]
    assert check_snapshot(download(hub, "2026-Q4", tmp_path / "back")) == ()
    assert load(hub, tmp_path, "2026-Q4") == [list(first.read_rows())]
    push(hub, snapshot(tmp_path / "b", "2027-Q1"))
    assert [entry["config_name"] for entry in card_header(hub)["configs"]] == ["default", "prompts"]


def card_header(hub: LoopbackHub) -> dict[str, Any]:
    return split_card(repository(hub).head.files["README.md"].decode())[0]


def test_a_round_of_two_parts_loads_without_a_name_and_counts_each_row_once(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    items = [item(number, several=number % 2 == 0) for number in range(7)]
    rows = build_rows(items, "2026-Q4", "paper")
    snapshot = write_snapshot(tmp_path / "s", rows, facts(), "")
    push(hub, snapshot.folder)
    (loaded,) = load(hub, tmp_path, "2026-Q4")
    assert [row["row_digest"] for row in loaded] == snapshot.manifest["row_digests"]
    assert [row["id"] for row in loaded if row["grounding"] is None] == [row["id"] for row in rows[1::2]]
    card = repository(hub).head.files["README.md"].decode()
    assert f'load_dataset("{REPO}", split="test"' in card
    assert check_snapshot(download(hub, "2026-Q4", tmp_path / "back")) == ()
    other = tmp_path / "other" / "2027-Q1"
    write_snapshot(other, rows_of(2, text="2027-Q1"), facts({"round": "2027-Q1"}), "")
    done = perturb_process("compare", f"hub:{REPO}", other, "--json", env=environment(hub, tmp_path))
    compared = done.json
    assert [compared[name]["items"] for name in ("old", "new")] == [7, 2]
    push(hub, other)
    header = split_card(repository(hub).head.files["README.md"].decode())[0]
    assert [entry["config_name"] for entry in header["configs"]] == ["default", "prompts"]


def test_replies_lie_beside_the_data_they_prove(hub: LoopbackHub, tmp_path: Path) -> None:
    file, other = (data_folder("base_sets") / f"{name}.replies.jsonl.gz" for name in ("recorded", "bas"))
    told = facts(replies=ExportedReplies(file, read_recording(file).digest, 0))
    folder = write_snapshot(tmp_path / "s", rows_of(5, licence="MIT"), told, "seed: 7\n").folder
    with pytest.raises(RecordingError, match="is not the file of replies"):
        push(hub, folder, replies=other)
    push(hub, folder, replies=file)
    head = repository(hub).commits[-1]
    assert head.files["replies.jsonl.gz"] == file.read_bytes()
    (folder / "replies.jsonl.gz").write_bytes(file.read_bytes())
    assert check_snapshot(folder) == ()


@pytest.mark.parametrize("place", ["base instance", "header"])
def test_a_key_in_the_replies_beside_the_data_is_refused_wherever_it_stands(
    hub: LoopbackHub, tmp_path: Path, place: str
) -> None:
    key, file = "sk-proj-0123456789abcdef", tmp_path / "leaky.jsonl.gz"
    with gzip.open(data_folder("base_sets") / "recorded.replies.jsonl.gz", "rt", encoding="utf-8") as stream:
        header, *rows = map(json.loads, stream)
    header = {name: value for name, value in header.items() if name not in ("sha256", "format", "version")}
    if place == "header":
        next(iter(header["models"].values()))["params"]["note"] = key
    else:
        next(row for row in rows if row["kind"] == "instance")["content"]["query"] = key
    told = facts(replies=ExportedReplies(file, write_recording(file, header, rows), 0))
    folder = write_snapshot(tmp_path / "s", rows_of(3), told, "").folder
    with pytest.raises(PublishError, match=rf"{place} holds what looks like a key \(sk-p…\)"):
        push(hub, folder, replies=file)
    assert hub.requests.total() == 0


def test_a_hint_to_wait_is_bounded_and_what_the_hub_says_is_redacted(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    hub.fault("commit", 503, retry_after="86400")
    push(hub, snapshot(tmp_path / "s"))
    assert waits == [hub_module.LONGEST_WAIT]
    token = "hf_" + "a1B2" * 8
    request = httpx.Request("POST", "https://hub.invalid")
    error = HfHubHTTPError(
        "x", response=httpx.Response(403, request=request), server_message=f"not for {token}"
    )
    told = hub_module._explain(REPO, "the commit", error)
    assert "not for" in told
    assert token not in told
