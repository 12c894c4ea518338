"""Reports as text: nothing is wider than the terminal, nothing is lost, and no name steers it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from perturb.auditing.audit_report import audit
from perturb.auditing.votes import vote_table
from perturb.metrics.inputs import Estimate
from perturb.records import ALL_CELLS
from perturb.reports.audit_page import make_page
from perturb.reports.audit_sections import make_audit_report
from perturb.reports.bas_page import make_bas_page
from perturb.reports.model import Report, Section, Table
from perturb.reports.refusal_index_page import make_refusal_page
from perturb.reports.rendering import render_text
from perturb.reports.rounds import make_comparison_report, make_power_report
from perturb.reports.runs import (
    make_curation_report,
    make_evaluation_report,
    make_lever_report,
    make_levers_report,
    make_status_report,
)
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.confidence_report import Split, calibrate_within, score_groups
from perturb.scoring.power import PowerQuestion, plan_sizes
from perturb.scoring.refusal_report import RefusalOptions as RefusalPrecision
from perturb.scoring.refusal_report import report_refusals
from perturb.scoring.round_comparison import compare
from perturb.scoring.score_report import score
from perturb.scoring.table import GROUPINGS
from perturb.snapshots.freshness import Overlap
from tests.auditing.simulated_panels import Truth, frame_of, long_rows, simulate
from tests.building import write_rows
from tests.evaluation.rows import single
from tests.reports.test_bas_page import FEW, group
from tests.review.made_run import NASTY, make_run
from tests.scoring.tables import CATALOGUE, right_at_rate, table, write_csv

MODELS = (
    "anthropic/claude-sonnet-4-5-20250929",
    "openai/gpt-4o-2024-11-20-preview",
    "vertex_ai/mistral-large-2411@001",
    "模型/一个名字很长的模型",
)
"""Names as long as those of providers."""


def audits(_: Path) -> Report:
    rows = long_rows(simulate(Truth(), 3, 1))
    names = dict(zip(("amber", "birch", "cedar", "dune"), MODELS, strict=True))
    frame = frame_of([[names.get(cell, cell) for cell in row] for row in rows])
    return make_audit_report(
        audit(vote_table(frame, "votes.csv"), resamples=20), ("class", "intensity", "lever")
    )


def scores(_: Path) -> Report:
    rows = [
        row for seed, name in enumerate(MODELS) for row in right_at_rate(0.5 + 0.1 * seed, name, 108, seed)
    ]
    for number, row in enumerate(rows):
        row |= {"generator": MODELS[number % 4], "predicted": None if number % 31 == 0 else row["predicted"]}
    return make_scores_page(score(table(rows), resamples=20), by=GROUPINGS)


def refusals(folder: Path) -> Report:
    cells = itertools.product(MODELS, ("low", "normal", "high", "highest"), range(60))
    rows = [
        {"model": model, "setting": setting, "refused": int(n % 7 < 2), "wrong": int(n % 3 == 0)}
        for model, setting, n in cells
    ]
    return make_refusal_page(
        report_refusals([write_csv(folder / "t.csv", rows)], RefusalPrecision(resamples=20))
    )


def confidence(_: Path) -> Report:
    groups = [group(name, 1.0 + place) for place, name in enumerate(MODELS)]
    return make_bas_page(
        score_groups(groups, FEW), "a.csv", [calibrate_within(one, Split(), FEW) for one in groups]
    )


def comparison(folder: Path) -> Report:
    texts = {"original_query": "who", "perturbed_query": "who was it then", "original_context": "Ann."}
    texts |= {"perturbation_class": "P-GranularityMismatch", "intensity": "MEDIUM"}
    rows = [
        {**texts, "id": f"item-{n:04}", "source_id": f"b{n % 9}", "perturbed_context": f"It was {n}."}
        | {"generator_model": MODELS[n % 4], "lever_selected": f"Lever {n % 5} of a long name"}
        | {"expected_rag_behavior": "REFUSE_GRANULARITY_MISMATCH", "original_answers": ["Ann"]}
        for n in range(36)
    ]
    old = write_rows(folder / "old.jsonl", rows)
    new = write_rows(folder / "new.jsonl", [row | {"lever_selected": "Another"} for row in rows])
    results = [
        write_csv(
            folder / f"{seed}.csv", [row for name in MODELS for row in right_at_rate(0.6, name, 36, seed)]
        )
        for seed in (1, 2)
    ]
    found = compare(old, new, (results[0], results[1]))
    # A path has no place to break at.
    return make_comparison_report(
        replace(found, old=replace(found.old, name="old"), new=replace(found.new, name="new")), 8
    )


def sizes(_: Path) -> Report:
    question = PowerQuestion(0.05, 0.05, 4, 0.08)
    return make_power_report(question, plan_sizes(question), None, None)


def levers(_: Path) -> Report:
    return make_levers_report(CATALOGUE.levers, ALL_CELLS)


def lever(_: Path) -> Report:
    one = CATALOGUE.levers[0]
    return make_lever_report(one, CATALOGUE.classes[one.cell.perturbation_class], "ANSWER_CORRECTLY")


def run_page(folder: Path) -> Report:
    return make_page(make_run(folder / "run", per_cell=3, text=NASTY), resamples=20, items=0)


def evaluation(_: Path) -> Report:
    names = ("replies", "answers", "refusals", "unscored", "errors", "missing")
    models = [{"model": name, **dict.fromkeys(names, 123456)} for name in MODELS]
    facts = {
        "items": 9,
        "snapshot": {"name": "s"},
        "models": models,
        "run": "outputs/run",
        "calls": 12,
        "tokens": 3,
    }
    return make_evaluation_report(
        {**facts, "cost_usd": None, "seconds": 2, "batches": {"submitted": 1, "rows": 9}}
    )


def curation(_: Path) -> Report:
    fallen = [
        {"step": "filter", "reason": "x is not y or " * 9, "count": 1234, "ids": ["first", "second"] * 20}
    ]
    return make_curation_report(
        {"left_out": fallen, "domains": {"law": 3}, "records": 4, "pool": 3, "instances": 3}, ()
    )


def status(_: Path) -> Report:
    names = ("calls", "tries", "errors", "prompt_tokens", "completion_tokens")
    models = {name: {**dict.fromkeys(names, 123456789), "cost_usd": None} for name in MODELS}
    cells = {"P-GranularityMismatch/MEDIUM": {"jobs": 123456, "candidates": 123456, "accepted": 123456}}
    facts: dict[str, Any] = {"name": "x " * 60, "round": "r1", "left": 3, "jobs": 123456789}
    failures = [{"model": name, "calls": 3, "cause": NASTY} for name in MODELS]
    facts |= {"stages": {"rejected_by_checks": 1}, "cells": cells, "models": models, "failures": failures}
    facts["unread"] = [{"model": name, "items": 3, "cause": NASTY} for name in MODELS]
    missing = [{"job": "0123456789abcdef", "role": "generate", "model": "x" * 60}]
    declined = {"A Lever": {"jobs": 3, "reason": "no such thing in it, " * 9}}
    return make_status_report({"kind": "build", **facts, "declined": declined, "missing_replies": missing})


MAKERS: tuple[Callable[[Path], Report], ...] = (
    *(
        audits,
        scores,
        refusals,
        confidence,
        comparison,
        sizes,
        levers,
        lever,
        run_page,
        evaluation,
        curation,
        status,
    ),
)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_wider_than_the_terminal(
    make: Callable[[Path], Report], width: int, tmp_path: Path
) -> None:
    text = render_text(make(tmp_path), width)
    assert [line for line in text.splitlines() if cell_len(line) > width] == []
    assert not re.search(r"\b(nan|None)\b", text)
    assert "\x1b" not in text
    assert text.strip()


RATES = Table(
    "t",
    "Rates",
    {"name": "text", "items": "count", "rate": "share", "spread of it": "number", "p": "number"},
    [
        ("a/b", 1, Estimate(0.5, 0.4, 0.6), -0.5, 0.5),
        ("c", 2000, Estimate(0.25, reason="one base"), None, 1.0),
    ],
)


def test_rows_that_are_not_shown_are_counted() -> None:
    short = replace(RATES, shown=1)
    text = render_text(Report("", "", (Section("s", "", tables=(short,)),)), 80)
    assert text.splitlines()[-1] == "1 of 2 rows shown; all of them: --json."


def lines_of(width: int) -> list[str]:
    return render_text(Report("", "", (Section("s", "", tables=(RATES,)),)), width).splitlines()


def test_levers_are_listed_by_their_near_duplicates_first(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(2)])
    found = compare(rows, rows)
    by_lever = {"none": Overlap(5, 0, 0), "same base": Overlap(5, 1, 1), "near": Overlap(5, 2, 0)}
    report = make_comparison_report(replace(found, freshness=replace(found.freshness, by_lever=by_lever)), 8)
    (levers,) = (table for part in report.sections for table in part.tables if table.name == "levers")
    assert [row[0] for row in levers.rows] == ["near", "same base"]


def test_a_table_wraps_then_turns_then_splits() -> None:
    assert lines_of(61) == [
        "Rates",
        "name  items                 rate  spread of it      p",
        "a/b       1  50.0 % [40.0, 60.0]        −0.500  0.500",
        "c     2,000               25.0 %            NA  1.000",
        "No interval: rate of c: one base.",
    ]
    assert lines_of(47)[1:4] == [
        "                                  spread",
        "name  items                 rate   of it      p",
        "a/b       1  50.0 % [40.0, 60.0]  −0.500  0.500",
    ]
    assert lines_of(46)[1:-1] == [
        "                               a/",
        "name                            b       c",
        "items                           1   2,000",
        "rate          50.0 % [40.0, 60.0]  25.0 %",
        "spread of it               −0.500      NA",
        "p                           0.500   1.000",
    ]
    assert lines_of(34)[1:-1] == [
        "name  items                 rate",
        "a/b       1  50.0 % [40.0, 60.0]",
        "c     2,000               25.0 %",
        "",
        "name  spread of it      p",
        "a/b         −0.500  0.500",
        "c               NA  1.000",
    ]


def test_names_steer_no_terminal_and_lines_break_at_no_percent_sign() -> None:
    report = Report("\x1b[31mred\r\nnext", "", (Section("s", "", ("It is 12.5 % of all of it.",)),))
    assert render_text(report, 10).splitlines() == ["[31mred", "next", "", "It is", "12.5 % of", "all of it."]
