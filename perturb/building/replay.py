"""Replays recorded replies: makes the rows of a snapshot again to compare them, or repeats an evaluation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from perturb.building.export import export_snapshot
from perturb.building.run import build
from perturb.config import load_config
from perturb.errors import RecordingError
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.session import EvaluationReport
from perturb.evaluation.standing import QuestionPlan, ask_questions, confidence_ways, refusal_ways
from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.llm.factory import ExecutorEntry
from perturb.llm.recording import Recording, Replay, read_recording
from perturb.snapshots.select import SelectionPlan
from perturb.snapshots.snapshot import Snapshot, read_snapshot
from perturb.text.wording import counted


def check_replay(folder: Path, file: Path, levers: Sequence[Path] = ()) -> tuple[str, ...]:
    """One line for each sign that the rows of a snapshot do not come from this file of replies; empty if they do.

    The base instances come from the file. `levers` are folders with levers of the user. Raises `RecordingError` for a
    file that cannot be read or belongs to another round, and `SnapshotError` if the folder is not a snapshot.
    """
    snapshot, recording = read_snapshot(folder), read_recording(file)
    return tuple(_problems(snapshot, recording, tuple(levers)))


def replay_evaluation(recording: Recording, folder: Path) -> EvaluationReport:
    """Repeat a run of RefusalBench, of the Refusal Index or of stated confidence in an empty folder.

    Raises `RecordingError` if the recording lacks a reply.
    """
    kind, replay = recording.header["kind"], Replay(recording)
    if kind == "evaluation":
        report = evaluate(EvaluationPlan(source=None, replay=replay, out=folder))
    else:
        ways = refusal_ways((), 1) if kind == "refusal-index" else confidence_ways((), 1)
        report = ask_questions(QuestionPlan(kind=kind, ways=ways, out=folder, replay=replay))
    if missing := report.facts["missing_replies"]:
        first = "{model}, {role}, item {item}".format(**missing[0])
        raise RecordingError(
            f"{recording.path}: lacks {counted(len(missing), 'reply', 'replies')} (the first: {first}): give the file"
            " of a run that was finished"
        )
    return report


def _problems(snapshot: Snapshot, recording: Recording, levers: tuple[Path, ...]) -> Iterator[str]:
    named_file = snapshot.manifest.get("replies")
    if named_file and named_file["sha256"] != recording.digest:
        yield f"{recording.path}: is not the file of replies that the manifest names"
    config = load_config(snapshot.folder / "build.yaml")
    # Without the quota, since the recording has the jobs of all sessions.
    changes = {"executor": ExecutorEntry(), "levers": levers or config.levers, "until": None}
    with tempfile.TemporaryDirectory() as place:
        run, again = Path(place) / "run", Path(place) / "again"
        replay = Replay(recording, own_base_set=True)
        report = build(config.model_copy(update=changes), run, replay=replay)
        if report.snapshot is None:
            yield f"{recording.path}: no row follows from the replies"
            return
        selection = {
            name: value for name, value in snapshot.manifest["selection"].items() if name != "shortfalls"
        }
        with reading(run) as db:
            replayed = export_snapshot(db, current_plan(db, run), SelectionPlan(**selection), again, None)
        if replayed.content_digest == snapshot.content_digest:
            return
        rows, replayed_rows = (set(one.manifest["row_digests"]) for one in (snapshot, replayed))
    missing = len(report.facts["missing_replies"])
    why = f" ({missing} replies are not on record)" if missing else ""
    yield (
        f"{len(rows - replayed_rows)} of {len(rows)} rows do not follow from the replies,"
        f" and {len(replayed_rows - rows)} that do are not there{why}"
    )
