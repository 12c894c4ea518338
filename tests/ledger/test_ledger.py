"""The ledger: what it refuses, what survives, and the order in which things reach the disk."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from perturb.catalogue.classes import Judges
from perturb.errors import LedgerError
from perturb.ledger import queries
from perturb.ledger.calls import LEDGER_FILE, AnsweredCalls, open_read_only
from perturb.ledger.db import BEHIND_ROWS, Write, Writer, connect, ledger_errors
from perturb.ledger.ends import first_error
from perturb.ledger.migrations import APPLICATION_ID, STEPS, migrate
from perturb.ledger.plans import Ledger, current_plan
from perturb.llm.model_client import Call, Status
from perturb.records import (
    ALL_CELLS,
    Acceptance,
    BaseInstance,
    Candidate,
    Decision,
    Job,
    JobOutcome,
    Passage,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from tests.building import plan_facts

INSTANCE = BaseInstance(
    "i1",
    "test",
    "When? \x00 \u202e",
    (Passage("In 1984.", title="T"),),
    ("1984", "MCMLXXXIV"),
    metadata={"a": [1]},
)
VERIFIERS = Judges({"v1": "print1", "v2": "print2"})


def job(number: int, generator: str = "g") -> Job:
    offers = (("L", "M"), ("N",)) if number % 2 else None
    return Job(f"job{number:05}", "i1", ALL_CELLS[number % 18], generator, 0, "r1", offers)


def candidate(number: int) -> Candidate:
    one = job(number)
    passages = (Passage("In 1984 or \ud7ff \x00.", title="T"),)
    return Candidate(one.id, "i1", "g", one.cell, "L", "When?", passages, "r", "CODE", {"claim": "x"})


def call(number: int, status: Status = "read", cost: float | None = 0.5) -> Call:
    return Call(
        f"key{number}", "m", "generate", "s", status, f"reply{number}", "", 10, 5, cost, cost or 0.0, 0.1, 2
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "run") as opened:
        yield opened


def plan(ledger: Ledger, jobs: int = 4, digest: str = "d1") -> int:
    number = ledger.start_plan(digest, "name: x\n", {"panel": {}})
    assert ledger.add_jobs(number, (job(n) for n in range(jobs)), {"i1": INSTANCE}) == jobs
    return number


# -- what is written is read back ------------------------------------------------------------------------------


def test_a_plan_counts_once_its_jobs_are_in(ledger: Ledger) -> None:
    number = ledger.start_plan("d1", "name: x\n", plan_facts({}))
    with pytest.raises(LedgerError, match="no plan yet"):
        current_plan(ledger.db, ledger.path)
    ledger.add_jobs(number, (), {})
    assert current_plan(ledger.db, ledger.path).number == number


def test_records_come_back_as_they_were(ledger: Ledger) -> None:
    number = plan(ledger)
    planned = list(queries.pending_jobs(ledger.db, number, "g", page=3))
    assert [one.job for one in planned] == [job(n) for n in range(4)]
    assert queries.instance(ledger.db, planned[0].instance_key) == INSTANCE
    vote = Verdict(
        "job00001", "v1", VerdictState.FAIL, {"intensity": False}, "CODE", ("bad \x00",), "raw", "print1"
    )
    ledger.record_candidate(candidate(1))
    ledger.record_outcome("job00001", JobOutcome.CANDIDATE, "L \x00")
    ledger.record_vote(vote)
    ledger.record_decision(Decision("job00001", Acceptance.ACCEPTED, "why", True), "panel")
    ledger.flush()
    assert queries.candidate(ledger.db, "job00001") == candidate(1)
    assert queries.votes_of(ledger.db, "job00001", VERIFIERS) == {"v1": vote}
    assert queries.votes_of(ledger.db, "job00001", Judges({"v1": "other"})) == {}
    assert queries.acceptance_of(ledger.db, "job00001", "panel") is Acceptance.ACCEPTED
    assert queries.acceptance_of(ledger.db, "job00001", "other") is None
    assert [accepted_job.job.id for accepted_job in queries.accepted_jobs(ledger.db, number, "panel")] == [
        "job00001"
    ]
    assert [pending_job.job.id for pending_job in queries.pending_jobs(ledger.db, number, "g")] == [
        job(n).id for n in (0, 2, 3)
    ]


def test_of_several_prompts_the_one_that_gave_the_reply_is_found(ledger: Ledger) -> None:
    for number in range(3):
        ledger.record(call(number))
    ledger.flush()
    (found,) = AnsweredCalls(ledger.db).behind("s", "m", ["generate"], "reply1")
    assert found["key"] == "key1"


def test_counts_tell_the_stages_apart(ledger: Ledger) -> None:
    number = plan(ledger, 18)
    ends = [JobOutcome.CANDIDATE] * 4 + [
        JobOutcome.UNPARSED,
        JobOutcome.REJECTED,
        JobOutcome.ABSTAINED,
        JobOutcome.ERROR,
    ]
    for index, outcome in enumerate(ends):
        ledger.record_outcome(job(index).id, outcome, f"detail {index}")
    for index, acceptance in enumerate((Acceptance.ACCEPTED, Acceptance.REJECTED, Acceptance.UNDECIDED)):
        ledger.record_decision(Decision(job(index).id, acceptance, "", False), "panel")
        ledger.record_vote(Verdict(job(index).id, "v1", VerdictState.PASS, prompt_version="print1"))
        ledger.record_vote(Verdict(job(index).id, "v2", VerdictState.UNSCORED, prompt_version="print2"))
        ledger.record_vote(Verdict(job(index).id, "v2", VerdictState.PASS, prompt_version="old"))
    ledger.flush()
    counts = queries.stage_counts(ledger.db, number, "panel", VERIFIERS)
    assert counts.jobs == 18
    assert dict(counts.outcomes) == {
        "candidate": 4,
        "unparsed": 1,
        "rejected_by_checks": 1,
        "abstained": 1,
        "error": 1,
    }
    assert dict(counts.decisions) == {"accepted": 1, "rejected": 1, "undecided": 1}
    assert counts.votes == 3
    cells = queries.cell_counts(ledger.db, number, "panel")
    assert set(cells) == set(ALL_CELLS)
    assert cells[ALL_CELLS[0]] == {"jobs": 1, "candidates": 1, "accepted": 1}
    assert cells[ALL_CELLS[1]] == {"jobs": 1, "candidates": 1, "accepted": 0}
    assert cells[ALL_CELLS[9]] == {"jobs": 1, "candidates": 0, "accepted": 0}
    assert queries.cell_counts(ledger.db, number, "other")[ALL_CELLS[0]]["accepted"] == 0
    assert [
        undecided_job.job.id
        for undecided_job in queries.undecided_jobs(ledger.db, number, "panel", VERIFIERS)
    ] == [
        job(2).id,
        job(3).id,
    ]
    assert first_error(ledger.db, number) == "detail 7"


def test_errors_are_done_again_and_unparsed_replies_when_asked(ledger: Ledger) -> None:
    number = plan(ledger)
    for index, outcome in enumerate((JobOutcome.ERROR, JobOutcome.UNPARSED, JobOutcome.CANDIDATE)):
        ledger.record_outcome(job(index).id, outcome, "")
    ledger.flush()
    plan(ledger)

    def pending() -> list[str]:
        return [pending_job.job.id for pending_job in queries.pending_jobs(ledger.db, number, "g")]

    assert pending() == [job(0).id, job(3).id]
    assert ledger.forget_outcomes(number, JobOutcome.UNPARSED) == 1
    assert pending() == [job(0).id, job(1).id, job(3).id]


def test_plans_take_turns_and_share_their_jobs(ledger: Ledger) -> None:
    first = plan(ledger, 4, "d1")
    ledger.record_outcome(job(1).id, JobOutcome.ABSTAINED, "")
    ledger.flush()
    second = plan(ledger, 6, "d2")
    assert (first, second) == (1, 2)
    assert queries.stage_counts(ledger.db, second, "p", Judges({})).outcomes == {"abstained": 1}
    assert plan(ledger, 4, "d1") == first
    assert queries.stage_counts(ledger.db, first, "p", Judges({})).jobs == 4
    assert ledger.db.execute("SELECT digest FROM plans WHERE current").fetchall()[0][0] == "d1"


def test_calls_answer_the_same_question_for_good(ledger: Ledger, tmp_path: Path) -> None:
    ledger.record(call(1))
    assert ledger.find("key1") == "reply1", "at once, not when it is on disk"
    ledger.record(call(2, "unread"))
    ledger.record(call(3, "error", None))
    ledger.flush()
    assert (ledger.find("key1"), ledger.find("key2"), ledger.find("key3")) == ("reply1", None, None)
    assert ledger.cached_calls == 2
    assert queries.spent_usd(ledger.db) == 1.0
    totals = queries.call_totals(ledger.db)["m"]
    assert (totals["calls"], totals["tries"], totals["errors"], totals["cost_usd"]) == (3, 6, 1, 1.0)
    ledger.record(call(4, "read", None))
    ledger.flush()
    assert queries.call_totals(ledger.db)["m"]["cost_usd"] is None, "one unknown price makes the sum unknown"


def test_replies_are_held_in_memory_until_they_are_on_disk_and_no_longer(ledger: Ledger) -> None:
    with held_disk(ledger):
        for number in range(3):
            ledger.record(call(number))
        assert ledger._uncommitted.keys() == {"key0", "key1", "key2"}
    ledger.flush()
    assert not ledger._uncommitted
    assert ledger.find("key1") == "reply1"


def test_a_plan_of_several_batches_of_jobs_is_entered_whole(ledger: Ledger) -> None:
    number = plan(ledger, 4100)
    entered = [pending_job.job.id for pending_job in queries.pending_jobs(ledger.db, number, "g", page=1000)]
    assert entered == [job(n).id for n in range(4100)]
    assert ledger.db.execute("SELECT jobs FROM plans").fetchone()[0] == 4100


def test_a_second_ledger_finds_what_the_first_one_kept(tmp_path: Path) -> None:
    with Ledger(tmp_path) as first:
        first.record(call(1))
    with Ledger(tmp_path) as second:
        assert second.find("key1") == "reply1"


# -- the writer ------------------------------------------------------------------------------------------------


def test_callbacks_come_after_the_commit_and_in_order(ledger: Ledger) -> None:
    number = plan(ledger, 300)
    seen: list[tuple[int, bool]] = []
    reader = connect(ledger.path, read_only=True)
    reader.close()

    def on_done(index: int) -> None:
        with closing(sqlite3.connect(ledger.path)) as db:
            row = db.execute("SELECT outcome FROM jobs WHERE id = ?", (job(index).id,)).fetchone()
        seen.append((index, row[0] == "abstained"))

    for index in range(300):
        ledger.record_outcome(job(index).id, JobOutcome.ABSTAINED, "", lambda index=index: on_done(index))  # type: ignore[misc]
    ledger.flush()
    assert seen == [(index, True) for index in range(300)]
    assert queries.stage_counts(ledger.db, number, "p", Judges({})).outcomes == {"abstained": 300}


def test_a_later_write_takes_the_place_of_an_earlier_one(ledger: Ledger) -> None:
    plan(ledger)
    for state in (VerdictState.UNSCORED, VerdictState.FAIL, VerdictState.PASS):
        ledger.record_vote(Verdict("job00001", "v1", state, prompt_version="print1"))
    ledger.flush()
    assert queries.votes_of(ledger.db, "job00001", VERIFIERS)["v1"].state is VerdictState.PASS


def test_who_does_not_judge_a_class_is_absent_from_every_count(ledger: Ledger) -> None:
    number = plan(ledger, 2)
    judges = Judges(VERIFIERS.fingerprints, {"v2": (PerturbationClass.CONTRADICTION,)})
    for index in range(2):
        ledger.record_outcome(job(index).id, JobOutcome.CANDIDATE, "")
        ledger.record_decision(Decision(job(index).id, Acceptance.UNDECIDED, "", False), "panel")
        for name, fingerprint in VERIFIERS.fingerprints.items():
            ledger.record_vote(Verdict(job(index).id, name, VerdictState.FAIL, prompt_version=fingerprint))
    ledger.record_vote(Verdict(job(1).id, "v1", VerdictState.ABSTAIN, prompt_version="print1"))
    ledger.flush()
    assert job(0).cell.perturbation_class is PerturbationClass.AMBIGUITY
    assert list(queries.votes_of(ledger.db, job(0).id, judges)) == ["v1"]
    counts = queries.stage_counts(ledger.db, number, "panel", judges)
    assert (counts.votes, counts.stuck) == (1, 2), "an abstention is final, and no vote"
    assert not list(queries.undecided_jobs(ledger.db, number, "panel", judges))
    other_case = Judges(
        judges.fingerprints, judges.classes, (*judges.every_class, PerturbationClass("P-ambiguity"))
    )
    assert queries.stage_counts(ledger.db, number, "panel", other_case).stuck == 2, "another class"
    wider = Judges({**VERIFIERS.fingerprints, "v3": "print3"}, judges.classes)
    assert len(list(queries.undecided_jobs(ledger.db, number, "panel", wider))) == 2


@pytest.mark.parametrize("poison", ["\ud800", 2**70, object()])
def test_a_failed_write_is_heard_and_nobody_waits_for_ever(tmp_path: Path, poison: object) -> None:
    writer = Writer(tmp_path / "x.sqlite")
    try:
        writer.put(Write("CREATE TABLE t (a)", ()))
        writer.flush()
        writer.put(Write("INSERT INTO t VALUES (?)", (poison,)))
        with pytest.raises(LedgerError, match="run the same command again"):
            writer.flush()
        with pytest.raises(LedgerError):
            writer.put(Write("INSERT INTO t VALUES (1)", ()))
    finally:
        writer.close()


@pytest.mark.parametrize("poison", ["\ud800", 2**70, None])
def test_one_bad_row_takes_no_other_with_it(tmp_path: Path, poison: object) -> None:
    """Rows that stand alone are all kept; of the others, which build on one another, those before it."""
    writer = Writer(tmp_path / "x.sqlite")
    writer.put(Write("CREATE TABLE t (a NOT NULL)", ()))
    writer.flush()
    rows = [(f"alone {n}", True) for n in range(20)] + [(f"linked {n}", False) for n in range(20)]
    for value, alone in [*rows, (poison, False), *rows]:
        writer._queue.put(Write("INSERT INTO t VALUES (?)", (value,), independent=alone))
    with pytest.raises(LedgerError, match="run the same command again"):
        writer.flush()
    writer.close()
    with closing(connect(tmp_path / "x.sqlite")) as db:
        kept = [row[0] for row in db.execute("SELECT a FROM t ORDER BY rowid")]
    assert kept == [value for value, _ in rows] + [value for value, alone in rows if alone]


def test_calls_stand_alone(tmp_path: Path) -> None:
    with suppress(LedgerError), Ledger(tmp_path) as ledger, held_disk(ledger):
        ledger.record_outcome("x", JobOutcome.ERROR, "\ud800")
        for number in range(20):
            ledger.record(call(number))
    with closing(open_read_only(tmp_path)) as db:
        assert db.execute("SELECT count(*) FROM calls").fetchone()[0] == 20


def test_a_callback_that_fails_stops_the_writer_but_not_the_program(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "x.sqlite")

    def fail() -> None:
        raise RuntimeError("no bar")

    writer.put(Write("CREATE TABLE t (a)", (), fail))
    with pytest.raises(LedgerError, match="no bar"):
        writer.flush()
    writer.close()


def test_a_failure_that_nobody_asked_about_is_raised_at_the_end(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.__enter__()
    ledger.record_outcome("x", JobOutcome.ERROR, "\ud800")
    with pytest.raises(LedgerError):
        ledger.__exit__(None, None, None)
    with Ledger(tmp_path):
        pass  # the lock was given back


@contextmanager
def held_disk(ledger: Ledger) -> Iterator[None]:
    """The writer commits nothing within the block."""
    hold, held = threading.Event(), threading.Event()

    def stop_the_disk() -> None:
        held.set()
        hold.wait(timeout=30)

    ledger.record_outcome("x", JobOutcome.ERROR, "", stop_the_disk)
    assert held.wait(timeout=30)
    yield
    hold.set()


async def test_whoever_makes_more_than_the_disk_takes_waits(ledger: Ledger) -> None:
    with held_disk(ledger):
        for _ in range(BEHIND_ROWS + 1):
            ledger.record_outcome("x", JobOutcome.ERROR, "")
        assert ledger._writer.behind
    await ledger.apply_backpressure()
    assert not ledger._writer.behind


# -- what is refused -------------------------------------------------------------------------------------------


def refusal(folder: Path) -> str:
    with pytest.raises(LedgerError) as caught, Ledger(folder):
        pass
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_votes_that_shared_a_call_are_told_apart_in_earlier_ledgers(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as db:
        for step in STEPS[:6]:
            db.executescript(step)
        db.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 6;")
        jobs = [("own", "k1", "LOW"), ("twin", "k1", "LOW"), ("elsewhere", "k1", "HIGH")]
        for number, (name, key, intensity) in enumerate(jobs):
            db.execute(
                "INSERT INTO jobs VALUES (?, ?, 1, ?, 'b', 'P-Ambiguity', ?, 'g', 0, 'r', 'null', '', '', '', '{}')",
                (number, name, key, intensity),
            )
            db.execute("INSERT INTO candidates VALUES (?, 'L', 'q', '[]', '', '', '{}')", (name,))
            db.execute("INSERT INTO votes VALUES (?, 'v', 'f', 'pass', '{}', '', '[]', 'PASS')", (name,))
        call = "(key, model, purpose, subject, status, reply, error, seconds, tries)"
        db.execute(
            f"INSERT INTO calls {call} VALUES ('other', 'v', 'generate', 'own', 'read', 'x', '', 0, 1)"
        )
        db.execute(
            f"INSERT INTO calls {call} VALUES ('asked', 'v', 'verify', 'twin', 'read', 'PASS', '', 0, 1)"
        )
        db.commit()
    with Ledger(tmp_path) as ledger:
        shared = ledger.db.execute("SELECT subject, model, purpose, key FROM shared_calls").fetchall()
    assert [tuple(row) for row in shared] == [("own", "v", "verify", "asked")]


def test_every_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    for version in range(1, len(STEPS) + 1):
        folder = tmp_path / str(version)
        folder.mkdir()
        with closing(sqlite3.connect(folder / LEDGER_FILE)) as db:
            for step in STEPS[:version]:
                db.executescript(step)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {version}")
        before = (folder / LEDGER_FILE).read_bytes()
        with closing(open_read_only(folder)) as db:
            assert db.execute("PRAGMA user_version").fetchone()[0] == len(STEPS)
            assert db.execute("SELECT count(planted) FROM plans").fetchone()[0] == 0
        assert (folder / LEDGER_FILE).read_bytes() == before
        with Ledger(folder) as ledger:
            assert plan(ledger, 2) == 1
            assert ledger.db.execute("PRAGMA user_version").fetchone()[0] == len(STEPS)
        open_read_only(folder).close()


def test_jobs_of_the_version_that_named_one_lever_are_read(tmp_path: Path) -> None:
    with closing(connect(tmp_path / LEDGER_FILE)) as db:
        for step in STEPS[:5]:
            db.executescript(step)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 5")
        for number, lever in enumerate([None, 'Say "no"']):
            db.execute(
                "INSERT INTO jobs (id, plan, instance_key, base_id, perturbation_class, intensity, generator,"
                " replicate, round, lever) VALUES (?, 1, 'k', 'i', 'P-Ambiguity', 'LOW', 'g', 0, 'r', ?)",
                (f"j{number}", lever),
            )
        db.commit()
    with Ledger(tmp_path) as ledger:
        planned = [pending_job.job.offers for pending_job in queries.pending_jobs(ledger.db, 1, "g")]
        assert planned == [None, (('Say "no"',),)]
        assert queries.declines(ledger.db, 1) == {}


def test_declined_levers_are_counted(ledger: Ledger) -> None:
    number = plan(ledger)
    ledger.record_outcome("job00000", JobOutcome.NOT_APPLICABLE, "No.", None, {"L": "No rule.", "M": "No."})
    ledger.record_outcome("job00001", JobOutcome.UNPARSED, "x", None, {"M": "None."})
    ledger.flush()
    assert queries.declines(ledger.db, number) == {
        "M": {"jobs": 2, "reason": "No."},
        "L": {"jobs": 1, "reason": "No rule."},
    }


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "x.sqlite")) as db:
        migrate(db, "x")
        before = db.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
        migrate(db, "x")
        assert [tuple(row) for row in db.execute("SELECT sql FROM sqlite_master ORDER BY name")] == [
            tuple(row) for row in before
        ]
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_newer_ledger_is_left_alone(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    before = (tmp_path / LEDGER_FILE).read_bytes()
    assert "written by a newer perturb" in refusal(tmp_path)
    with pytest.raises(LedgerError, match="newer perturb"):
        open_read_only(tmp_path)
    assert (tmp_path / LEDGER_FILE).read_bytes() == before


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / LEDGER_FILE
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (a)")
    before = path.read_bytes()
    assert "not a perturb ledger" in refusal(tmp_path)
    with pytest.raises(LedgerError, match="not a perturb ledger"):
        open_read_only(tmp_path)
    assert path.read_bytes() == before


def filled(folder: Path, plans: int = 40) -> bytes:
    """A ledger with calls and jobs that was closed as it should be."""
    with Ledger(folder) as ledger:
        plan(ledger, plans)
        for number in range(plans):
            ledger.record(call(number))
    return (folder / LEDGER_FILE).read_bytes()


def _with_broken_schema(sound: bytes) -> bytes:
    return sound.replace(b"CREATE TABLE calls", b"\xff\xfe\xfd TABLE calls")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing left": lambda sound: b"",
    "one byte left": lambda sound: sound[:1],
    "half the header left": lambda sound: sound[:50],
    "the header left": lambda sound: sound[:100],
    "the first page left": lambda sound: sound[:4096],
    "half of it left": lambda sound: sound[: len(sound) // 2],
    "the last page lost": lambda sound: sound[:-4096],
    "text": lambda sound: b"not a database at all" * 500,
    "zeros": lambda sound: bytes(len(sound)),
    "zeros after the header": lambda sound: sound[:100] + bytes(len(sound) - 100),
    "a schema that is no text": _with_broken_schema,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_ledger_is_never_taken_for_a_new_one(tmp_path: Path, damage: str) -> None:
    broken = DAMAGES[damage](filled(tmp_path))
    (tmp_path / LEDGER_FILE).write_bytes(broken)
    assert "restore a copy, or remove the run folder to start again" in refusal(tmp_path)
    with pytest.raises(LedgerError, match=r"restore a copy"):
        open_read_only(tmp_path)
    assert (tmp_path / LEDGER_FILE).read_bytes() == broken


def test_a_folder_in_the_place_of_a_ledger_or_a_log_without_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a" / LEDGER_FILE).mkdir(parents=True)
    assert "the ledger is a folder: restore a copy" in refusal(tmp_path / "a")
    filled(tmp_path / "b")
    (tmp_path / "b" / LEDGER_FILE).rename(tmp_path / "b" / f"{LEDGER_FILE}-wal")
    assert "the ledger is missing, but its ledger.sqlite-wal is there" in refusal(tmp_path / "b")
    with pytest.raises(LedgerError, match="restore a copy"):
        open_read_only(tmp_path / "a")


def test_a_table_that_is_gone_is_damage(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as db:
        db.execute("DROP TABLE calls")
    with (
        pytest.raises(LedgerError, match=r"the ledger is corrupt.*no such table"),
        Ledger(tmp_path) as ledger,
        ledger_errors(ledger.path),
    ):
        ledger.find("key1")


def test_a_ledger_that_was_being_made_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "ledger.new").write_bytes(b"")
    (tmp_path / "ledger.new-wal").write_bytes(b"x" * 100)
    filled(tmp_path)
    assert not (tmp_path / "ledger.new").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("x")
    assert "cannot be written" in refusal(tmp_path / "run")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no run there"):
        open_read_only(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become a user without rights")
def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="perturb-test-"))
    try:
        folder.chmod(0o555)
        code = f"""
import os, pathlib, perturb.ledger.plans, perturb.errors
os.setuid(65534)
try:
    perturb.ledger.plans.Ledger(pathlib.Path({str(folder)!r}) / "run")
except perturb.errors.LedgerError as error:
    print(error)
"""
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (
            ended.stdout.strip()
            == f"{folder}/run: cannot be written (Permission denied): check the folder's permissions"
        )
    finally:
        shutil.rmtree(folder)


def test_a_second_process_is_refused_by_the_number_of_the_first(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from perturb.ledger.plans import Ledger\n"
        "held = Ledger(Path(sys.argv[1]))\n"
        "print('in', flush=True); sys.stdin.read()"
    )
    first = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "mine")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "in\n"
        message = refusal(tmp_path / "mine")
        assert (
            message == f"run 'mine' is being worked on by process {first.pid}: wait for it, or stop it first"
        )
        first.send_signal(signal.SIGKILL)
    finally:
        first.kill()
        first.communicate(timeout=30)
    with Ledger(tmp_path / "mine"):
        assert (tmp_path / "mine" / "run.pid").read_text().strip() == str(os.getpid())
    assert not (tmp_path / "mine" / "run.pid").exists()


def fill(ledger: Ledger) -> None:
    """Record big calls until the disk is full."""
    for number in range(2000):
        ledger.record(Call(f"key{number}", "m", "p", "s", "read", "x" * 3000, "", 1, 1, None, 0.0, 0.0, 1))
        ledger.flush()


def test_a_full_disk_stops_the_run_and_nothing_is_lost(tmp_path: Path) -> None:
    with suppress(LedgerError), Ledger(tmp_path) as ledger:
        pages = ledger.db.execute("PRAGMA page_count").fetchone()[0]
        ledger._writer._connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(LedgerError, match="no space left"):
            fill(ledger)
        ledger.flush()
    with Ledger(tmp_path) as ledger:
        kept = ledger.db.execute("SELECT count(*) FROM calls").fetchone()[0]
        assert 0 < kept < 200
        assert ledger.find(f"key{kept - 1}") == "x" * 3000
        assert ledger.find(f"key{kept}") is None
        ledger.record(call(1))
        ledger.flush()


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="needs a small file system")
def test_a_file_system_that_fills_up_is_survived(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True
    ).returncode:
        pytest.skip("may not mount a file system")
    try:
        with suppress(LedgerError), Ledger(disk / "run") as ledger:
            with pytest.raises(LedgerError, match="no space left"):
                fill(ledger)
            ledger.flush()
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        with Ledger(disk / "run") as ledger:
            assert ledger.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert ledger.db.execute("SELECT count(*) FROM calls").fetchone()[0] > 0
            ledger.record(call(1))
            ledger.flush()
    finally:
        subprocess.run(["umount", disk], check=True)
