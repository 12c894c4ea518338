"""The report of a run: from jobs to rows, agreement, pass rates, partiality, people's view, cost, items."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from perturb.audit.audit_report import AuditReport, audit
from perturb.audit.shortcuts import measure_shortcuts
from perturb.errors import SourceError
from perturb.export.accepted import accepted_items
from perturb.records import Acceptance, Intensity, JobOutcome
from perturb.report.audit_sections import audit_sections
from perturb.report.figures import Mark, draw_bars, draw_heat_map
from perturb.report.model import CellFormat, Figure, ItemBrowser, Report, Section, Table
from perturb.report.review_section import review_section
from perturb.report.run_data import RunData, choose_items, item_browser, read_run_data
from perturb.report.runs import call_table
from perturb.report.shortcuts_section import shortcuts_section
from perturb.report.words import describe_audit, describe_review, describe_run, judge_run
from perturb.review.agreement import measure_review
from perturb.review.rubric import human_verdict
from perturb.store.calls import reading
from perturb.store.plans import CurrentPlan, current_plan
from perturb.store.reviews import read_reviews
from perturb.wording import counted


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
        votes = _audit(run, precision)
        reviews = (answers for by in read_reviews(db).values() for answers in by.values())
        reviewed = any(human_verdict(answers) is not None for answers in reviews)
        review = measure_review(db, plan, run, **precision) if reviewed else None
        browser = _browser(db, plan, data, items) if items > 0 else None
        accepted = accepted_items(db, plan) if shortcuts else []
    summary = describe_run(data) + (
        describe_audit(votes) if votes else ("No verifier has voted yet, so there is nothing to audit.",)
    )
    if review:
        summary += describe_review(review)
    sections = [Section("summary", "Summary", summary, verdict=judge_run(data, votes)), funnel_section(data)]
    if votes:
        sections += audit_sections(votes)
    if shortcuts:
        sections.append(
            shortcuts_section(measure_shortcuts(str(run), accepted, seed=seed, resamples=resamples))
        )
    if review:
        sections.append(review_section(review))
    rules = () if data.models else ("No model was called: all work was done by rules.",)
    sections.append(Section("cost", "Cost", rules, tables=(call_table(data.models),)))
    return Report(
        title=f"{plan.facts.name}: report",
        subtitle=" · ".join(
            (
                f"round {plan.facts.round}",
                counted(len(data.generators), "generator"),
                counted(len(plan.judges.fingerprints), "verifier"),
            )
        ),
        sections=tuple(sections),
        browser=browser,
    )


def funnel_section(data: RunData) -> Section:
    """From jobs to rows, and how well generators cover the cells."""
    total, done = data.stages.jobs, data.stages.done
    faults = (
        "Faults of the offline engine, by which items were lost:"
        f" {counted(data.stages.rule_faults, 'fault')} of a rule and"
        f" {counted(data.stages.check_faults, 'unscored vote')}."
    )
    stages = [Mark(name, float(n)) for name, n in data.funnel]
    coverage = [[float(data.coverage.get((cell, one), 0)) for one in data.generators] for cell in data.cells]
    most = max((n for row in coverage for n in row), default=0.0)
    counts: dict[str, CellFormat] = dict.fromkeys(data.generators, "count")
    outcomes = [(str(one).replace("_", " "), data.stages.outcomes.get(one, 0)) for one in JobOutcome]
    return Section(
        "funnel",
        "From jobs to rows",
        sentences=[faults] if data.stages.faults else [],
        figures=(
            Figure(
                "funnel",
                "Pipeline",
                "Each stage counts what reached it. A job that the rule engine cannot do ends at the first stage.",
                draw_bars(stages, x_label="count", form=",.0f"),
            ),
            Figure(
                "coverage",
                "Accepted candidates by cell and generator",
                "Dark cells are thinly covered; 0 means that nothing can be drawn from there.",
                draw_heat_map(coverage, data.cells, data.generators, limits=(0.0, most), form=".0f"),
            ),
        ),
        tables=(
            Table(
                "funnel",
                "Stages",
                f"stage | count: count | of jobs{' done' if done < total else ''}: share",
                [(name, n, n / done if 0 < n <= done else None) for name, n in data.funnel],
            ),
            Table(
                "outcomes",
                "How jobs ended",
                "outcome | jobs: count",
                [*outcomes, ("not done yet", total - sum(n for _, n in outcomes))],
            ),
            Table(
                "coverage",
                "Accepted candidates",
                {"cell": "text", **counts},
                [(cell, *map(int, row)) for cell, row in zip(data.cells, coverage, strict=True)],
                shown=0,
            ),
        ),
    )


def _audit(run: Path, precision: Mapping[str, int]) -> AuditReport | None:
    try:
        return audit(run, **precision)
    except SourceError:  # no vote yet: the page says so
        return None


def _browser(db: sqlite3.Connection, plan: CurrentPlan, data: RunData, at_most: int) -> ItemBrowser:
    items, of = choose_items(db, plan, at_most)
    there = {one["outcome"] for one in items}
    filters = {
        "class": [str(cell.perturbation_class) for cell in plan.cells],
        "intensity": [str(name) for name in Intensity],
        "generator": data.generators,
        "outcome": [name for name in (*map(str, Acceptance), str(JobOutcome.REJECTED)) if name in there],
        "language": [one["language"] for one in items],
    }
    return item_browser(items, of, "cells, generators and outcomes", filters)
