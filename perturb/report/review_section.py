"""Human validation as a section of a page."""

from __future__ import annotations

from dataclasses import replace

from perturb.audit.agreement import PANEL_NAMES
from perturb.audit.rates import Rate
from perturb.records import ALL_CELLS
from perturb.report.audit_sections import estimate_table, rate_table
from perturb.report.figures import Mark, draw_intervals
from perturb.report.page import Column, Figure, Section, Table
from perturb.review.agreement import HumanReport
from perturb.review.questions import QUESTIONS


def review_section(report: HumanReport) -> Section:
    """What people found in the sample."""
    classes = report.pass_rates["class"]
    figure = Figure(
        "human-pass-rates",
        "Items that people pass, by class",
        "Share of sampled items that a majority of reviewers pass, with Wilson's 95 % intervals.",
        draw_intervals([("pass rate", [_mark(rate) for rate in classes])], x_label="%", limits=(0, 101)),
    )
    pairs = report.agreement
    estimates = [("mean of Cohen's κ", pairs.mean_kappa)]
    estimates += [(PANEL_NAMES[name], one) for name, one in pairs.panel.items()]
    rates = [rate for name in ("all", "class", "intensity") for rate in report.pass_rates[name]]
    order = [str(cell) for cell in ALL_CELLS]
    cells = sorted(report.pass_rates["cell"], key=lambda rate: order.index(rate.name))
    labels = {question.name: question.label for question in QUESTIONS}
    questions = [replace(rate, name=labels[rate.name]) for rate in report.questions]
    return Section(
        "people",
        "Human validation",
        figures=(figure,),
        tables=(
            rate_table("human-pass-rates", "Items that pass", rates, ("items", "reviewed", "passed")),
            rate_table(
                "human-pass-rates-by-cell", "Items that pass, by cell", cells, ("cell", "reviewed", "passed")
            ),
            rate_table(
                "human-questions", "Share of yes to each question", questions, ("question", "reviews", "yes")
            ),
            Table(
                "human-annotators",
                "Annotators",
                (
                    Column("annotator"),
                    Column("finished", "count"),
                    Column("begun", "count"),
                    Column("passes", "share"),
                ),
                [(one.name, one.finished, one.begun, one.pass_rate) for one in report.annotators],
            ),
            estimate_table("human-agreement", "Agreement among annotators", estimates),
            _judges(report),
        ),
    )


def _judges(report: HumanReport) -> Table:
    columns = (
        Column("judge"),
        Column("passed", "count"),
        Column("people pass", "share"),
        Column("Wilson low", "share"),
        Column("Wilson high", "share"),
        Column("failed", "count"),
        Column("people do not", "share"),
        Column("κ with people", "number"),
        Column("note"),
    )
    rows = [
        (
            *(one.name, one.passed.n, one.passed.rate, one.passed.low, one.passed.high),
            *(one.failed.n, one.failed.rate, one.kappa.value, one.kappa.reason or ""),
        )
        for one in (report.panel, *report.verifiers)
    ]
    return Table("human-against-panel", "The panel and its verifiers against people", columns, rows)


def _mark(rate: Rate) -> Mark:
    value, low, high = (None if one is None else 100 * one for one in (rate.rate, rate.low, rate.high))
    return Mark(rate.name, value, low, high)
