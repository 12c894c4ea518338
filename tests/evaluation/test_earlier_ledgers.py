"""Runs that an earlier version stopped half-way are gone on with: what was paid for then is not paid for again.

`ledgers/` holds a run of each kind as the first version of the ledgers left it (format 5), as SQL. The address of a
model and the words it is asked in are part of what its replies are kept under, so the provider answers at the address
of that time, and prompts are rendered from the templates of that time, which lie beside the ledgers.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.ledger.calls import LEDGER_FILE
from perturb.llm.recording import Replay, read_recording
from perturb.scoring.score_report import score
from perturb.scoring.table import read_results
from tests.loopback import LoopbackServer
from tests.loopback.answerers import AnswererPlayer
from tests.loopback.confiders import ConfidencePlayer
from tests.loopback.replay import Player, Turns
from tests.loopback.responders import BEHAVIOURS, Responders

from .rows import items_of
from .test_solvability import SolverPlayer

LEDGERS = Path(__file__).parent / "ledgers"
PORT = 18471


AS_OF_THEN = f"""
from pathlib import Path
import perturb.files.resources as resources
today = resources.data_folder
resources.data_folder = lambda name: Path({str(LEDGERS / "templates")!r}) if name == "templates" else today(name)
from perturb.cli.entry import main
main()
"""
"""The command line, with the templates of that time."""


class ByQuery(Responders):
    """Knows an item by its question, however it is asked."""

    def play(self, model: str, messages: Turns) -> str:
        if messages[0]["role"] == "system":
            return super().play(model, messages)
        return BEHAVIOURS[model](
            next(item for item in self._items.values() if item.query in messages[0]["content"])
        )


def answerer(folder: Path) -> Player:
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    return AnswererPlayer({row["question"]: row["answers"][0] for row in rows})


MODELS = ["--models", "models.yaml", "--judge", "judge"]
WAYS = ["--elicitation", "direct", "--elicitation", "reflection"]
RUNS: dict[str, tuple[str, Callable[[Path], Player], list[str], str, str]] = {
    "evaluation": (
        "127.83.71.1",
        lambda folder: ByQuery(items_of(folder / "items.jsonl"), ["mill 1?"]),
        ["evaluate", "items.jsonl", *MODELS, "--model", "never", "--model", "refuse", "--confidence"],
        "run",
        "run/results.jsonl",
    ),
    "refusal-index": (
        "127.83.71.2",
        answerer,
        ["refusal-index", "run", "questions.jsonl", *MODELS, "--model", "m1"],
        "run",
        "run/refusals.jsonl",
    ),
    "bas": (
        "127.83.71.3",
        lambda folder: ConfidencePlayer(),
        ["bas", "run", "questions.jsonl", *MODELS, "--model", "honest", *WAYS],
        "run",
        "run/confidence.jsonl",
    ),
    "solvability": (
        "127.83.71.4",
        lambda folder: SolverPlayer(),
        ["curate", "base.jsonl", "--solvers", "solvers.yaml", "--judge"],
        "run.solve",
        "run.jsonl",
    ),
}
"""By kind: the provider's address, who plays the models, the command, its ledger's folder, and the table it writes."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUNS)
def test_an_earlier_run_is_finished_without_a_repeated_call(tmp_path: Path, kind: str) -> None:
    host, player, words, folder, table = RUNS[kind]
    out = ["--out", "run.jsonl" if kind == "solvability" else "run", "--json"]
    with LoopbackServer(player(LEDGERS / kind), host=host, port=PORT) as server:
        begun, whole = (Path(shutil.copytree(LEDGERS / kind, tmp_path / name)) for name in ("begun", "whole"))
        (begun / folder).mkdir()
        with closing(sqlite3.connect(begun / folder / LEDGER_FILE)) as db:
            db.executescript((begun / "ledger.sql").read_text("utf-8"))
            (paid_for,) = db.execute("SELECT count(*) FROM calls").fetchone()
        sent = []
        for place in (whole, begun):
            ended = subprocess.run(
                [sys.executable, "-c", AS_OF_THEN, *words, *out],
                cwd=place,
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert ended.returncode == 0, ended.stderr
            sent.append(server.counters.total)
    assert 0 < paid_for < sent[0]
    assert sent[1] - sent[0] == sent[0] - paid_for
    assert (begun / table).read_text("utf-8") == (whole / table).read_text("utf-8")


def test_a_run_of_before_prompt_settings_is_opened_scored_and_gone_on_with(tmp_path: Path) -> None:
    """The run was made at 3068e22 from the recorded replies of an example, which lie there still."""
    before = LEDGERS / "before-settings"
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as db:
        db.executescript((before / "ledger.sql").read_text("utf-8"))
        (calls,) = db.execute("SELECT count(*) FROM calls").fetchone()
    then = [json.loads(line) for line in (before / "results.jsonl").read_text("utf-8").splitlines()]
    now = [result.to_dict() for result in read_run(tmp_path).results]
    assert [{name: row[name] for name in then[0]} for row in now] == then
    assert {(row["prompt"], row["behaviour_kind"], row["construction"]) for row in now} == {
        ("codes", None, None)
    }
    scored = score(read_results(tmp_path), resamples=20)
    (model,) = scored.models
    right = [row["predicted"] == row["expected_rag_behavior"] for row in then if row["intensity"] != "LOW"]
    assert model.metrics["refusal_accuracy"].value == pytest.approx(sum(right) / len(right))
    assert (scored.exam_gaps, scored.lenient, scored.kinds) == ((), (), ())
    recording = read_recording(Path("docs/examples/stale-info/evaluate.replies.jsonl.gz"))
    evaluate(EvaluationPlan(source=None, out=tmp_path, replay=Replay(recording, fill=False)))
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as db:
        assert db.execute("SELECT count(*) FROM calls").fetchone() == (calls,)
    assert [result.to_dict() for result in read_run(tmp_path).results] == now
