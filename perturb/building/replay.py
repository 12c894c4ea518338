"""What follows from replies on record: the rows of a snapshot, made again and compared, or an evaluation."""

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
    """What speaks against the rows of a snapshot having come from this file of replies, one line each.

    The base instances are those of the file. `levers` are folders with a user's own. Raises `RecordingError` for a
    file that cannot be read or is that of another round, `SnapshotError` if the folder is not a snapshot.
    """
    snapshot, recording = read_snapshot(folder), read_recording(file)
    return tuple(_problems(snapshot, recording, tuple(levers)))


def replay_evaluation(recording: Recording, folder: Path) -> EvaluationReport:
    """The run of an evaluation, of the Refusal Index or of stated confidence again, in an empty folder.

    Raises `RecordingError` if any reply is not on record.
    """
    kind, replay = recording.header["kind"], Replay(recording)
    if kind == "evaluation":
        report = evaluate(EvaluationPlan(source=None, replay=replay, out=folder))
    else:
        ways = refusal_ways((), 1) if kind == "refusal-index" else confidence_ways((), 1)
        report = ask_questions(QuestionPlan(kind=kind, ways=ways, out=folder, replay=replay))
    if lost := report.facts["missing_replies"]:
        first = f"{lost[0]['model']}, {lost[0]['role']}, item {lost[0]['item']}"
        raise RecordingError(
            f"{recording.path}: lacks {counted(len(lost), 'reply', 'replies')} (the first: {first}): give the file of"
            " a run that was finished"
        )
    return report


def _problems(snapshot: Snapshot, recording: Recording, levers: tuple[Path, ...]) -> Iterator[str]:
    stated = snapshot.manifest.get("replies")
    if stated and stated["sha256"] != recording.digest:
        yield f"{recording.path}: is not the file of replies that the manifest names"
    config = load_config(snapshot.folder / "build.yaml")
    # Without a quota: all that is on record counts, in whatever sessions it was made.
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
            made = export_snapshot(db, current_plan(db, run), SelectionPlan(**selection), again, None)
        if made.content_digest == snapshot.content_digest:
            return
        stands, follows = (set(one.manifest["row_digests"]) for one in (snapshot, made))
    lost = len(report.facts["missing_replies"])
    why = f" ({lost} replies are not on record)" if lost else ""
    yield (
        f"{len(stands - follows)} of {len(stands)} rows do not follow from the replies,"
        f" and {len(follows - stands)} that do are not there{why}"
    )
