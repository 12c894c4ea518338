"""Reading votes: from tables, from a ledger, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from perturb.auditing.audit_report import audit
from perturb.auditing.rates import read_votes
from perturb.auditing.votes import COLUMNS, FAIL, NOT_ASKED, PASS, UNSCORED, vote_table
from perturb.errors import LedgerError, SourceError
from perturb.ledger.plans import Ledger
from perturb.records import (
    Acceptance,
    BaseInstance,
    Candidate,
    Cell,
    Decision,
    Intensity,
    Job,
    JobOutcome,
    Passage,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from tests.auditing.simulated_panels import Truth, frame_of, long_rows, simulate, stop_at_first_fail
from tests.building import plan_facts

ROW = ("c1", "b1", "amber", "birch", "P-Ambiguity", "LOW", "a lever", "pass")


def row(**changes: Any) -> tuple[Any, ...]:
    return tuple((dict(zip(COLUMNS, ROW, strict=True)) | changes).values())


def rows() -> list[tuple[Any, ...]]:
    return [
        row(),
        row(verifier="cedar", verdict="FAIL"),
        row(candidate_id="c2", base_id="b2", verdict=" Unscored "),
    ]


def test_votes_become_a_matrix_of_candidates_and_verifiers() -> None:
    table = vote_table(frame_of(rows()), "votes")
    assert table.verifiers == ("birch", "cedar")
    assert table.states.tolist() == [[PASS, FAIL], [UNSCORED, NOT_ASKED]]
    assert table.base.names == ("b1", "b2")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_three_formats_say_the_same(kind: str, tmp_path: Path) -> None:
    table = simulate(Truth(), 3, 1)
    frame = frame_of(long_rows(table))
    path = tmp_path / f"votes.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    expected, got = audit(vote_table(frame, str(path))).to_dict(), audit(path).to_dict()
    assert got == expected
    assert got["n_votes"] == 3 * 18 * 4 * 4


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    frame = frame_of(long_rows(simulate(Truth(), 5, 1)))
    shuffled = frame.sample(frac=1, random_state=3)
    assert audit(vote_table(frame, "votes")).to_dict() == audit(vote_table(shuffled, "votes")).to_dict()


def test_numbers_may_be_ids(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    content = dict(zip(COLUMNS, row(candidate_id=7, base_id=12), strict=True))
    path.write_text(json.dumps(content) + "\n\n")
    assert read_votes(path).base.names == ("12",)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([row(verdict="maybe")], "row 1: verdict 'maybe' is not one of pass, fail, unscored"),
        ([row(), row(candidate_id="c2", verdict="passed")], "row 2: verdict 'passed'"),
        ([row(), row(verdict="fail")], "row 2: verifier 'birch' votes twice on candidate 'c1', first at"),
        (
            [row(), row(verifier="cedar", base_id="b2")],
            "candidate 'c1' has another value of 'base_id' than at .*row 1: 'b2' and 'b1'",
        ),
        ([row(), row(verifier="cedar", lever="other")], "another value of 'lever'"),
        ([row(verifier="")], "row 1: 'verifier' is empty"),
        ([row(), row(candidate_id=None)], "row 2: 'candidate_id' is empty"),
        ([], "no votes in it"),
    ],
)
def test_bad_tables_are_refused_in_one_line(bad: Sequence[Any], message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        vote_table(frame_of(bad), "votes.csv")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("votes.csv: ")


def test_a_missing_column_is_named() -> None:
    with pytest.raises(SourceError, match="no column 'lever'"):
        vote_table(frame_of(rows()).drop(columns="lever"), "votes.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("votes.csv", "", "the file is empty"),
        ("votes.csv", ",".join(COLUMNS) + "\n", "no votes in it"),
        ("votes.csv", "a,b\n1,2\n", "no column 'candidate_id'"),
        ("votes.csv", 'a,b\n1,2\n"3', "not a CSV table"),
        ("votes.jsonl", "", "no votes in it"),
        ("votes.jsonl", '{"candidate_id": 1}\n', "no column 'base_id'"),
        ("votes.jsonl", "{}\n{\n", "votes.jsonl:2: not JSON"),
        ("votes.jsonl", "[1]\n", "votes.jsonl:1: not an object"),
        ("votes.jsonl", '{"lever": ["a"]}\n', "votes.jsonl:1: field 'lever' must be a single value"),
        ("votes.parquet", "PAR", "not a Parquet table"),
        ("votes.xlsx", "x", "a table is a .jsonl, .jsonl.gz, .csv or .parquet file"),
    ],
)
def test_unreadable_files_are_refused_in_one_line(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(SourceError, match=message) as caught:
        read_votes(path)
    assert "\n" not in str(caught.value)


def test_other_encodings_and_absent_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file or run"):
        read_votes(tmp_path / "none.csv")
    path = tmp_path / "votes.csv"
    path.write_bytes("candidate_id,é\n1,2\n".encode("latin-1"))
    with pytest.raises(SourceError, match="not UTF-8"):
        read_votes(path)
    path.write_text(f"{','.join(COLUMNS)}\nc,b,a,a,P-Ambiguity,LOW,x,pass,pass\n")
    with pytest.raises(SourceError, match="cells where the header has"):
        read_votes(path)


def test_the_audited_column_is_read_and_checked() -> None:
    frame = frame_of(rows())
    table = vote_table(frame.assign(audited=["TRUE", "TRUE", 0]), "votes")
    assert table.audited is not None
    assert table.audited.tolist() == [True, False]
    with pytest.raises(SourceError, match="'audited' holds 'perhaps'"):
        vote_table(frame.assign(audited="perhaps"), "votes")
    with pytest.raises(SourceError, match="another value of 'audited'"):
        vote_table(frame.assign(audited=[True, False, True]), "votes")


@pytest.mark.slow
def test_a_million_votes(tmp_path: Path) -> None:
    n = 250_000
    rng = np.random.default_rng(0)
    candidate = np.repeat(np.arange(n), 4)
    names = np.array(["amber", "birch", "cedar", "dune"], dtype=object)
    frame = pd.DataFrame(
        {
            "candidate_id": candidate,
            "base_id": candidate // 72,
            "generator_model": names[candidate % 4],
            "verifier": np.tile(names, n),
            "perturbation_class": "P-Ambiguity",
            "intensity": "LOW",
            "lever": np.char.add("lever ", (candidate % 176).astype(str)),
            "verdict": np.where(rng.random(4 * n) < 0.8, "pass", "fail"),
        }
    )
    frame.to_parquet(tmp_path / "votes.parquet")
    report = audit(tmp_path / "votes.parquet", resamples=200)
    assert report.n_votes == 1_000_000
    kappa = report.agreement.mean_kappa.value
    assert kappa is not None
    assert abs(kappa) < 0.01


# -- from a ledger -----------------------------------------------------------------------------------------

CELL = Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)
MEMBERS = {"birch": "f1", "amber-judge": "f2"}


def write_run(folder: Path, schedule: str) -> None:
    """Three candidates: one with all votes, one stopped at its first fail, one with a vote of an older panel."""
    facts = plan_facts(
        {"digest": "p1", "members": MEMBERS, "schedule": schedule},
        generators=[{"name": "amber", "model": "maker/amber"}, {"name": "rules", "model": "rules"}],
        verifiers=[
            {"name": "birch", "model": "maker/birch"},
            {"name": "amber-judge", "model": "maker/amber"},
        ],
        cells=[str(CELL)],
    )
    base = BaseInstance("b1", "demo", "Who?", (Passage("Ann did."),), ("Ann",))
    jobs = [Job(f"j{i}", "b1", CELL, "amber", i, "r1") for i in range(4)]
    votes = {
        "j0": [("birch", "f1", "pass"), ("amber-judge", "f2", "pass")],
        "j1": [("birch", "f1", "fail")],
        "j2": [("birch", "f1", "unscored"), ("amber-judge", "old", "fail")],
    }
    with Ledger(folder) as ledger:
        plan = ledger.start_plan("d1", "name: demo\n", facts)
        ledger.add_jobs(plan, jobs, {"b1": base})
        for job in jobs:
            candidate = Candidate(
                job.id, "b1", "amber", CELL, "a lever", "?", base.passages, "", "ANSWER_CORRECTLY"
            )
            ledger.record_candidate(candidate)
            ledger.record_outcome(job.id, JobOutcome.CANDIDATE, "")
            ledger.record_decision(Decision(job.id, Acceptance.UNDECIDED, "", job.id == "j0"), "p1")
            for verifier, version, word in votes.get(job.id, []):
                ledger.record_vote(Verdict(job.id, verifier, VerdictState(word), prompt_version=version))


def test_a_run_is_read_with_the_panel_as_it_is_set_now(tmp_path: Path) -> None:
    write_run(tmp_path / "demo", "full")
    table = read_votes(tmp_path / "demo")
    assert table.verifiers == ("amber-judge", "birch")
    assert table.states.tolist() == [[PASS, PASS], [NOT_ASKED, FAIL], [NOT_ASKED, UNSCORED]]
    assert table.full_schedule
    assert table.audited is None
    assert dict(table.same_model) == {"amber": "amber-judge"}
    assert len(table.known_levers) > 5


def test_an_economy_run_says_which_candidates_were_drawn_for_all_votes(tmp_path: Path) -> None:
    write_run(tmp_path / "demo", "economy")
    table = read_votes(tmp_path / "demo")
    assert table.audited is not None
    assert table.audited.tolist() == [True, False, False]
    assert audit(table).basis.n == 1
    usage = audit(table).lever_usage[0]
    assert usage.levers == 1
    assert len(usage.never_chosen) == len(table.known_levers)


def test_a_run_without_votes_or_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no run there"):
        read_votes(tmp_path)
    with Ledger(tmp_path) as ledger:
        ledger.add_jobs(ledger.start_plan("d1", "", plan_facts({})), (), {})
    with pytest.raises(SourceError, match="no votes in it"):
        read_votes(tmp_path)


def test_the_economy_simulation_asks_nobody_after_a_fail() -> None:
    table = stop_at_first_fail(simulate(Truth(), 5, 1), 0.0, 1)
    later = np.cumsum(table.states == FAIL, axis=1) - (table.states == FAIL) > 0
    assert (table.states[later] == NOT_ASKED).all()


def test_a_verifier_that_abstains_now_and_then_judges_the_class_and_counts_as_asked() -> None:
    table = vote_table(
        frame_of(
            [
                row(),
                row(verifier="cedar", verdict="abstain"),
                row(candidate_id="c2", base_id="b2"),
                row(candidate_id="c2", base_id="b2", verifier="cedar"),
                row(candidate_id="c3", base_id="b3", verdict="unscored"),
            ]
        ),
        "votes",
    )
    assert table.judged.tolist() == [[True, True]]
    assert table.mean_judges == pytest.approx((1 + 2 + 2) / 3)
