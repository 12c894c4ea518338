"""Publish a snapshot: check it, look for keys in it, then push it.

Push a static page to the Hugging Face Hub, as a Space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.errors import PublishError, RecordingError, SnapshotError
from perturb.llm.recording import read_recording
from perturb.llm.redaction import key_variables, show_key
from perturb.snapshots.hub import Publication, check_repo_name, log_in
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
    from perturb.snapshots.hub import RoundOnHub, check_repo_name, push

    check_repo_name(repo)
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
    round_ = RoundOnHub(snapshot, repo, replies, scores)
    return push(round_, public=public, endpoint=endpoint, progress=progress)


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
