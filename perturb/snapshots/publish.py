"""Publish a snapshot: check it, look for keys in it, then push it.

Push a static page to the Hugging Face Hub, as a Space.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.errors import PublishError, RecordingError, SnapshotError
from perturb.files.text_files import writing_errors
from perturb.llm.recording import read_recording
from perturb.llm.redaction import key_variables, show_key
from perturb.snapshots.hub import Publication, RoundOnHub, check_repo_name, log_in
from perturb.snapshots.manifest import CARD, MANIFEST
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot

if TYPE_CHECKING:
    from perturb.snapshots.hub import Publication


def publish(
    folder: Path,
    repo: str,
    *,
    public: bool = False,
    replies: Path | None = None,
    scores: str = "",
    endpoint: str | None = None,
    progress: bool = False,
) -> Publication:
    """Push the snapshot in `folder` to the data set `repo` (`OWNER/NAME`): one commit, and a tag for its round.

    Doing it again changes nothing, and after a broken upload it goes on. See `perturb.snapshots.hub.push`.

    The file of `replies` that the manifest names goes beside the data, `scores` (from `scores_section`) on the card.

    Raises `SnapshotError` if the folder is not a snapshot or does not match its manifest, `RecordingError` if the file
    of replies is another, `PublishError` if either holds a key, or for anything that the Hub says no to.
    """
    from perturb.snapshots.hub import push

    check_repo_name(repo)
    round_ = _checked_round(folder, repo, replies, scores)
    return push(round_, public=public, endpoint=endpoint, progress=progress)


def write_publication(
    folder: Path,
    repo: str | None,
    out: Path,
    *,
    replies: Path | None = None,
    scores: str = "",
    endpoint: str | None = None,
) -> dict[str, Any]:
    """Write what `publish` would push into the folder `out`: card and manifest as merged, and `files.json`.

    With `repo`, they are merged with what stands there, if anything can be read there; nothing is written on the Hub.
    Returns the content of `files.json`: path, bytes and whether it is added, kept or deleted. Raises as `publish` does,
    and `PublishError` if `out` cannot be written.
    """
    from perturb.snapshots.hub import plan_push

    if repo is not None:
        check_repo_name(repo)
    round_ = _checked_round(folder, repo or "OWNER/NAME", replies, scores)
    planned = plan_push(round_, endpoint, online=repo is not None)
    listed = {
        "repo": repo,
        "tag": round_.tag,
        "merged_with": planned.head,
        "files": [
            *planned.files,
            *({"path": path, "bytes": None, "change": "delete"} for path in planned.stale),
        ],
    }
    with writing_errors(out, PublishError):
        out.mkdir(parents=True, exist_ok=True)
        for name, text in ((CARD, planned.card), (MANIFEST, planned.manifest)):
            (out / name).write_text(text, encoding="utf-8")
        text = json.dumps(listed, ensure_ascii=False, indent=1) + "\n"
        (out / "files.json").write_text(text, encoding="utf-8")
    return listed


def _checked_round(folder: Path, repo: str, replies: Path | None, scores: str) -> RoundOnHub:
    """The round to be pushed, sound and without a key. Raises as `publish` does."""
    snapshot = read_snapshot(folder)
    problems = check_snapshot(folder)
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise SnapshotError(
            f"{folder}: not published, since it does not match its manifest: {problems[0]}{more}: export the run again"
        )
    refuse_keys(snapshot)
    if replies is not None:
        _check_replies(snapshot, replies)
    return RoundOnHub(snapshot, repo, replies, scores)


def refuse_keys(snapshot: Snapshot) -> None:
    """Raise `PublishError` if any file or row of the snapshot holds what looks like a key."""
    names = key_variables(snapshot.manifest)
    for place, content in _contents(snapshot):
        if shown := show_key(content, names):
            raise PublishError(
                f"{snapshot.folder}: not published, since {place} holds what looks like a key ({shown}): take"
                " it out where it comes from, build again, and revoke the key"
            )


def _check_replies(snapshot: Snapshot, file: Path) -> None:
    recording = read_recording(file)
    stated = snapshot.manifest.get("replies") or {}
    if stated.get("sha256") != recording.digest:
        raise RecordingError(
            f"{file}: is not the file of replies that {snapshot.folder} names: `perturb export RUN --replies {file}`"
            " writes both"
        )
    names = key_variables(snapshot.manifest)
    for place, content in recording.contents():
        if shown := show_key(content, names):
            raise PublishError(
                f"{file}: not published, since {place} holds what looks like a key ({shown}): revoke the key,"
                " and publish without --replies"
            )


def _contents(snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
    for path in ("manifest.json", *(entry["path"] for entry in snapshot.manifest["files"])):
        if not path.endswith(".parquet"):
            yield path, (snapshot.folder / path).read_text(encoding="utf-8", errors="replace")
    for number, row in enumerate(snapshot.read_rows()):
        yield f"row {number} (id {row['id']!r})", row


def push_space(
    folder: Path,
    repo: str,
    files: Sequence[str],
    *,
    public: bool = False,
    endpoint: str | None = None,
    progress: bool = False,
) -> Publication:
    """Push these files of a folder of static pages to the Space `repo`, in one commit; others there are deleted.

    A new Space is private, as a data set of `push` is. Raises `PublishError` as `push` does.
    """
    check_repo_name(repo)
    hub = log_in(repo, endpoint, progress, "space")
    hub.create()
    before = hub.api.repo_info(repo, repo_type="space").sha
    send = partial(
        hub.api.upload_folder,
        repo_id=repo,
        repo_type="space",
        folder_path=folder,
        allow_patterns=[*files],
        delete_patterns="*",
    )
    made = hub.call("commit", send)
    if public:
        hub.open()
    return Publication(repo, "", str(made.oid), f"{hub.api.endpoint}/spaces/{repo}", made.oid != before)
