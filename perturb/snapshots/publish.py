"""Publish a snapshot: check it, search it for keys, and push it (`perturb.snapshots.hub`).

The second half lists the practices of BetterBench that a snapshot meets according to its manifest. Practices that
concern a run of an evaluation, or the work of the authors, are listed as unknown. Source: A. Reuel and others,
BetterBench: Assessing AI Benchmarks (NeurIPS 2024, arXiv 2411.12990).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perturb.curation.hub import hub_licence
from perturb.errors import PublishError, RecordingError, SnapshotError
from perturb.files.resources import writing_errors
from perturb.llm.recording import read_recording
from perturb.llm.redaction import key_variables, show_key
from perturb.records import Facts, JsonObject
from perturb.snapshots.hub import Publication, RoundOnHub, check_repo_name, plan_push, push
from perturb.snapshots.manifest import CARD, MANIFEST
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot
from perturb.text.wording import certificate_line


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

    A second call changes nothing; after a broken upload it continues. See `perturb.snapshots.hub.push`.

    The file of `replies` that the manifest names is published beside the data, `scores` (from `scores_section`) on the
    card.

    Raises `SnapshotError` if the folder is not a snapshot or does not match its manifest, `RecordingError` if the
    manifest names another file of replies, `PublishError` if the snapshot or the replies contain a key, or if the Hub
    refuses.
    """
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
) -> JsonObject:
    """Write the card and the manifest that `publish` would push, and `files.json`, into the folder `out`.

    With `repo`, card and manifest are merged with those in the repository, if it has them; nothing changes on the Hub.
    Returns the content of `files.json`: path, bytes and change (add, same or delete) of each file. Raises as `publish`
    does, and `PublishError` if `out` cannot be written.
    """
    if repo is not None:
        check_repo_name(repo)
    round_ = _checked_round(folder, repo or "OWNER/NAME", replies, scores)
    planned = plan_push(round_, endpoint, online=repo is not None)
    listed = {"repo": repo, "tag": round_.tag, "merged_with": planned.head, "files": planned.files}
    with writing_errors(out, PublishError):
        out.mkdir(parents=True, exist_ok=True)
        for name, text in ((CARD, planned.card), (MANIFEST, planned.manifest)):
            (out / name).write_text(text, encoding="utf-8")
        text = json.dumps(listed, ensure_ascii=False, indent=1) + "\n"
        (out / "files.json").write_text(text, encoding="utf-8")
    return listed


def _checked_round(folder: Path, repo: str, replies: Path | None, scores: str) -> RoundOnHub:
    """The round to push, after all checks. Raises as `publish` does."""
    snapshot = read_snapshot(folder)
    # A published round is never changed, so a damaged one could not be repaired.
    problems = check_snapshot(folder)
    if problems:
        further_problems = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise SnapshotError(
            f"{folder}: not published, since it does not match its manifest: {problems[0]}{further_problems}: export"
            " the run again"
        )
    refuse_keys(snapshot)
    if replies is not None:
        _check_replies(snapshot, replies)
    return RoundOnHub(snapshot, repo, replies, scores)


def refuse_keys(snapshot: Snapshot) -> None:
    """Raise `PublishError` if a file or row of the snapshot contains a text that looks like a key."""
    names = key_variables(snapshot.manifest)
    for label, content in _contents(snapshot):
        if masked_key := show_key(content, names):
            raise PublishError(
                f"{snapshot.folder}: not published, since {label} holds what looks like a key ({masked_key}): take"
                " it out where it comes from, build again, and revoke the key"
            )


def _contents(snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
    """Each text file and each row, with a label for messages."""
    for path in (MANIFEST, *(entry["path"] for entry in snapshot.manifest["files"])):
        if not path.endswith(".parquet"):
            yield path, (snapshot.folder / path).read_text(encoding="utf-8", errors="replace")
    for number, row in enumerate(snapshot.read_rows()):
        yield f"row {number} (id {row['id']!r})", row


def _check_replies(snapshot: Snapshot, file: Path) -> None:
    """Raise an error if the manifest names other replies, or if the replies contain a key."""
    recording = read_recording(file)
    expected = snapshot.manifest.get("replies") or {}
    if expected.get("sha256") != recording.digest:
        raise RecordingError(
            f"{file}: is not the file of replies that {snapshot.folder} names: `perturb export RUN --replies {file}`"
            " writes both"
        )
    names = key_variables(snapshot.manifest)
    for label, content in recording.contents():
        if masked_key := show_key(content, names):
            raise PublishError(
                f"{file}: not published, since {label} holds what looks like a key ({masked_key}): revoke the key,"
                " and publish without --replies"
            )


State = Literal["met", "not met", "unknown"]


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice, and whether a snapshot meets it, with the reason."""

    stage: str
    name: str
    state: State
    reason: str


# Whether a snapshot meets a practice, and the reason.
Finding = tuple[State, str]


def check_practices(manifest: Facts) -> tuple[Practice, ...]:
    """The practices by stage in the life of a benchmark: design, implementation, documentation, maintenance."""
    checked = []
    for stage, practices in _PRACTICES.items():
        for name, finding in practices.items():
            state, reason = finding(manifest) if callable(finding) else finding
            checked.append(Practice(stage, name, state, reason))
    return tuple(checked)


def _if_given(key: str, reason_met: str, reason_not_met: str) -> Callable[[Facts], Finding]:
    """A practice that is met if the manifest has something under `key`."""
    return lambda manifest: ("met", reason_met) if manifest.get(key) else ("not met", reason_not_met)


def _labels(manifest: Facts) -> Finding:
    certificate = manifest.get("certificate")
    if certificate and (line := certificate_line(certificate, len(manifest["verifiers"]))):
        return "met", line
    return "not met", "nothing was planted: build with `panel: {planted: 24}`"


def _people(manifest: Facts) -> Finding:
    people = manifest.get("people")
    if people and people["n"]:
        return "met", f"people read {people['n']} items"
    return "not met", "nobody read items: perturb review RUN"


def _licence(manifest: Facts) -> Finding:
    licences = [entry["licence"] for entry in manifest["licences"]]
    missing = [licence or "none" for licence in licences if licence is None or hub_licence(licence) is None]
    if missing:
        return "not met", f"licences that the Hub does not know: {', '.join(missing)}"
    return "met", ", ".join(licences)


def _creation_date(manifest: Facts) -> Finding:
    created = manifest["created"]
    return ("met", f"created {created}") if created else ("not met", "the date is missing")


# A practice is a function of the manifest, or a finding that is the same for every snapshot.
_PRACTICES: dict[str, dict[str, Finding | Callable[[Facts], Finding]]] = {
    "design": {
        "The tested capability is defined": (
            "met",
            "the card lists every class, intensity and expected behaviour",
        ),
        "How the capability becomes a task is described": (
            "met",
            "levers, classes and intensities are in the rows",
        ),
        "How scores are to be read is described": ("unknown", "a matter of what you publish beside it"),
        "Experts of the domain took part": _people,
        "Users and uses are described": ("met", "card and croissant.json: evaluation, not training"),
        "Metrics have floors and ceilings": ("met", "every metric is documented with its range"),
        "Human performance is known": (
            "unknown",
            "the manifest has people's verdicts on labels, not their answers",
        ),
        "Random performance is known": _if_given(
            "shortcuts",
            "baselines that see a part of an item, and chance",
            "not measured: select.shortcuts: true",
        ),
        "Automatic judgements are validated": _if_given(
            "agreement", "agreement of the verifiers with intervals", "the panel's agreement was not measured"
        ),
        "Labels are validated": _labels,
        "Sensitivity to the wording of the prompt is addressed": (
            "unknown",
            "evaluate with two settings: --prompt",
        ),
    },
    "implementation": {
        "Code of the evaluation is available": _if_given(
            "harness", "tasks for Inspect, lm-evaluation-harness and lighteval", "no task files"
        ),
        "Data and the way they were made are available": (
            "met",
            "rows, build.yaml and digests of catalogue and templates",
        ),
        "Models behind an API and local ones can be evaluated": ("met", "any model that litellm reaches"),
        "A string identifies the data in training corpora": ("met", "canary in the manifest and on the card"),
        "Results can be replicated": _if_given(
            "replies",
            "the rows can be made again from the replies: verify-snapshot --replay",
            "the replies were not exported: perturb export RUN --replies FILE",
        ),
        "Uncertainty is reported": ("unknown", "perturb score gives intervals; quote them"),
    },
    "documentation": {
        "The construction is documented": ("met", "card, manifest and build.yaml"),
        "Limitations are documented": (
            "met",
            "card: known limits, wrong labels and shortcuts where measured",
        ),
        "The licence is stated": _licence,
        "A quick start is there": ("met", "card: how to load and evaluate"),
        "A reviewed paper accompanies it": ("unknown", "the manifest knows of no paper"),
    },
    "maintenance": {
        # A round is frozen when it is made, so the date of its creation is that of its last check.
        "The date of the last check is known": _creation_date,
        "A channel for feedback is there": ("unknown", "the Hub's discussions, if you publish there"),
        "A person can be reached": ("unknown", "name one on the card"),
    },
}
