"""The report page of a build: summary, funnel from jobs to rows, audit, shortcuts, human review, cost, items.

The sections on the audit and on the review come from modules of their own; those on shortcuts and the funnel are here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.review_agreement import HumanReport, measure_review
from perturb.auditing.rubric import human_verdict
from perturb.auditing.shortcuts import TARGETS, VIEWS, Shortcuts, measure_shortcuts
from perturb.errors import SourceError
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_reviews
from perturb.ledger.plans import current_plan
from perturb.records import Acceptance, Intensity, JobOutcome
from perturb.reports.audit_sections import audit_sections
from perturb.reports.figures import Mark, draw_bars, draw_heat_map, draw_intervals
from perturb.reports.model import (
    COUNT,
    SHARE,
    TEXT,
    Figure,
    ItemBrowser,
    Report,
    Section,
    Table,
    TableRows,
    show,
    table_columns,
)
from perturb.reports.review_sections import review_section
from perturb.reports.run_data import RunData, choose_items, item_browser, read_run_data
from perturb.reports.runs import call_table
from perturb.reports.words import (
    describe_audit,
    describe_certificate,
    describe_review,
    describe_run,
    judge_run,
)
from perturb.snapshots.items import accepted_items
from perturb.text.wording import counted


def make_shortcuts_report(measured: Shortcuts, by: Collection[str]) -> Report:
    """The report of a shortcut audit by itself; `by` names the groupings to list."""
    size = f"{counted(measured.n_items, 'item')} of {counted(measured.n_bases, 'base instance')}"
    return Report(f"Shortcuts in {measured.source}", size, (shortcuts_section(measured, by),))


def shortcuts_section(measured: Shortcuts, by: Collection[str] = ("class", "intensity")) -> Section:
    """The section on shortcuts: how well each baseline guesses a label, from which part, by which words."""
    scores = {(score.target, score.view): score for score in measured.scores}
    marks = [
        (label, [Mark.of(VIEWS[view], scores[target, view].macro_f1) for view in VIEWS])
        for target, label in TARGETS.items()
    ]
    floors = [f"{floor.chance_macro_f1:.2f} ({TARGETS[floor.target]})" for floor in measured.floors]
    figure = Figure(
        "shortcuts",
        "What baselines tell from a part of an item",
        f"Macro-F1 with 95 % intervals over base instances. Chance is {' and '.join(floors)}.",
        draw_intervals(marks, x_label="macro-F1", limits=(0.0, 1.0)),
    )
    by_group = [_accuracy_table(measured, name, is_listed=name in by) for name in measured.scores[0].by]
    tables = (_baseline_table(measured), *by_group, _word_table(measured))
    sentences, verdict = (_describe_training(measured),), _judge_shortcuts(measured)
    return Section("shortcuts", "Shortcuts", sentences, (figure,), tables, verdict)


def _judge_shortcuts(measured: Shortcuts) -> str:
    """The verdict: whether a part of an item gives away whether it is to be answered."""
    best, floor = measured.best("decision"), measured.floor("decision")
    f1 = best.macro_f1
    # The best of several baselines can be above chance by luck. So the whole interval must lie above it.
    if f1.low is None or f1.low <= floor.chance_macro_f1:
        return "No baseline that sees a part of an item tells beyond chance whether it is to be answered."
    return (
        f"The label can be told from {VIEWS[best.view]} alone: macro-F1 {show(f1, 'number')}, where chance is"
        f" {floor.chance_macro_f1:.2f}."
    )


def _describe_training(measured: Shortcuts) -> str:
    if measured.against is None:
        return "Baselines are trained on four fifths of the base instances and tested on the others."
    return (
        f"Baselines are trained on {measured.against} and tested on {measured.source};"
        f" {counted(measured.shared_bases or 0, 'item')} of it share a base instance with the former."
    )


def _baseline_table(measured: Shortcuts) -> Table:
    rows: TableRows = []
    for target, label in TARGETS.items():
        scores = [score for score in measured.scores if score.target == target]
        rows += [[label, VIEWS[score.view], score.accuracy, score.macro_f1] for score in scores]
        floor = measured.floor(target)
        rows.append([label, "chance", floor.chance_accuracy, floor.chance_macro_f1])
        rows.append([label, "majority", floor.majority_accuracy, floor.majority_macro_f1])
    return Table("shortcuts", "Baselines", "target | seen | accuracy: share | macro-F1: number", rows)


def _accuracy_table(measured: Shortcuts, grouping: str, *, is_listed: bool) -> Table:
    """The accuracy of each baseline by a grouping of items; in text only if it is to be listed."""
    scores = [score for score in measured.scores if score.target == "decision"]
    columns = table_columns(f"{grouping} | items: count")
    columns |= dict.fromkeys((*(VIEWS[score.view] for score in scores), "majority"), SHARE)
    rows: TableRows = []
    # One turn for each group of items, with the scores of all baselines on this group.
    for group_scores in zip(*(score.by[grouping] for score in scores), strict=True):
        group = group_scores[0]  # name, number and floor are the same for every baseline
        accuracies = [score.accuracy for score in group_scores]
        rows.append([group.name, group.accuracy.n, *accuracies, group.floor.majority_accuracy])
    title = f"Accuracy on answer or refuse, by {grouping}"
    return Table(f"shortcuts-by-{grouping}", title, columns, rows, shown=len(rows) if is_listed else 0)


def _word_table(measured: Shortcuts) -> Table:
    rows = [
        (TARGETS[score.target], VIEWS[score.view], label, ", ".join(words))
        for score in measured.scores
        for label, words in score.words.items()
    ]
    columns = "target | seen | label | words"
    # The rows on answering or refusing come first, and only these are shown.
    n_shown = sum(len(score.words) for score in measured.scores if score.target == "decision")
    note = "∅ stands for nothing at all. The words for each expected behaviour are in the CSV and the JSON."
    return Table("shortcut-words", "The most telling words", columns, rows, note, shown=n_shown)


def make_page(
    run: Path, *, items: int = 1000, seed: int = 0, resamples: int = 1000, shortcuts: bool = False
) -> Report:
    """The report of a run, from its ledger alone, with up to `items` items to leaf through.

    `shortcuts` measures what baselines tell from a part of each item, which takes seconds to minutes. Raises
    `LedgerError` if there is no run, `ConfigError` if seed or resamples cannot be used.
    """
    precision = {"seed": seed, "resamples": resamples}
    with reading(run) as db:
        plan = current_plan(db, run)
        data = read_run_data(db, plan, run)
        audit_report = _audit(run, precision)
        review = measure_review(db, plan, run, **precision) if _has_human_verdict(db) else None
        browser = _browser(db, data, items) if items > 0 else None
        accepted = accepted_items(db, plan) if shortcuts else []
    sections = [_summary_section(data, audit_report, review), funnel_section(data)]
    if audit_report:
        sections += audit_sections(audit_report)
    if shortcuts:
        sections.append(
            shortcuts_section(measure_shortcuts(str(run), accepted, seed=seed, resamples=resamples))
        )
    if review:
        sections.append(review_section(review))
    sentences = () if data.models else ("No model was called: all work was done by rules.",)
    sections.append(Section("cost", "Cost", sentences, tables=(call_table(data.models),)))
    n_generators = counted(len(data.generators), "generator")
    n_verifiers = counted(len(plan.judges.fingerprints), "verifier")
    return Report(
        f"{plan.facts.name}: report",
        f"round {plan.facts.round} · {n_generators} · {n_verifiers}",
        sections,
        browser,
    )


def _has_human_verdict(db: sqlite3.Connection) -> bool:
    for answers_by_person in read_reviews(db).values():
        for answers in answers_by_person.values():
            if human_verdict(answers) is not None:
                return True
    return False


def _summary_section(data: RunData, audit_report: AuditReport | None, review: HumanReport | None) -> Section:
    """The key figures in sentences. What readers ask first comes first: whether the labels are right."""
    sentences = list(describe_run(data))
    if audit_report:
        certificate = audit_report.certificate.to_dict() if audit_report.certificate else None
        certified = describe_certificate(certificate, len(data.plan.judges.fingerprints))
        sentences = [*certified, *sentences, *describe_audit(audit_report)]
    else:
        sentences.append("No verifier has voted yet, so there is nothing to audit.")
    if review:
        sentences += describe_review(review)
    return Section("summary", "Summary", sentences, verdict=judge_run(data, audit_report))


def funnel_section(data: RunData) -> Section:
    """From jobs to rows, and how well generators cover the cells."""
    n_jobs, n_done = data.stages.jobs, data.stages.done
    faults = (
        "Faults of the offline engine, by which items were lost:"
        f" {counted(data.stages.rule_faults, 'fault')} of a rule and"
        f" {counted(data.stages.check_faults, 'unscored vote')}."
    )
    coverage = [
        [data.coverage.get((cell, generator), 0) for generator in data.generators] for cell in data.cells
    ]
    most_accepted = max(chain.from_iterable(coverage), default=0)
    outcomes = [
        (str(outcome).replace("_", " "), data.stages.outcomes.get(outcome, 0)) for outcome in JobOutcome
    ]
    outcomes.append(("not done yet", n_jobs - sum(n for _, n in outcomes)))
    pipeline = Figure(
        "funnel",
        "Pipeline",
        "Each stage counts what reached it. A job that the rule engine cannot do ends at the first stage.",
        draw_bars([Mark(name, n) for name, n in data.funnel], x_label="count", form=",.0f"),
    )
    coverage_map = Figure(
        "coverage",
        "Accepted candidates by cell and generator",
        "Dark cells are thinly covered; 0 means that nothing can be drawn from there.",
        draw_heat_map(coverage, data.cells, data.generators, limits=(0, most_accepted), form=".0f"),
    )
    stage_table = Table(
        "funnel",
        "Stages",
        f"stage | count: count | {'of jobs' if n_done == n_jobs else 'of jobs done'}: share",
        # While jobs are left, the stage "jobs" is more than the jobs done, and has no share of them.
        [(name, n, n / n_done if 0 < n <= n_done else None) for name, n in data.funnel],
    )
    outcome_table = Table("outcomes", "How jobs ended", "outcome | jobs: count", outcomes)
    coverage_table = Table(
        "coverage",
        "Accepted candidates",
        {"cell": TEXT, **dict.fromkeys(data.generators, COUNT)},
        [(cell, *row) for cell, row in zip(data.cells, coverage, strict=True)],
        shown=0,  # the heat map shows them
    )
    return Section(
        "funnel",
        "From jobs to rows",
        [faults] if data.stages.faults else [],
        (pipeline, coverage_map),
        (stage_table, outcome_table, coverage_table),
    )


def _audit(run: Path, precision: Mapping[str, int]) -> AuditReport | None:
    try:
        return audit(run, **precision)
    except SourceError:  # no vote yet: the page says so
        return None


def _browser(db: sqlite3.Connection, data: RunData, max_items: int) -> ItemBrowser:
    items, total = choose_items(db, data.plan, max_items)
    outcomes = {item["outcome"] for item in items}
    # Values in the order of the taxonomy or of the pipeline; outcomes that no item has are not offered.
    filters = {
        "class": [str(cell.perturbation_class) for cell in data.plan.cells],
        "intensity": [str(name) for name in Intensity],
        "generator": data.generators,
        "outcome": [name for name in (*map(str, Acceptance), str(JobOutcome.REJECTED)) if name in outcomes],
        "language": [item["language"] for item in items],
    }
    return item_browser(items, total, "cells, generators and outcomes", filters)
