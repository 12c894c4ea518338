"""Human validation as a section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perturb.audit.agreement import PANEL_NAMES
from perturb.audit.rates import Rate
from perturb.metrics.estimates import Estimate
from perturb.records import taxonomy_place
from perturb.report.audit_sections import estimate_table, rate_estimate
from perturb.report.figures import Mark, draw_intervals
from perturb.report.model import Figure, Report, Section, Table
from perturb.report.words import describe_review
from perturb.review.agreement import HumanReport
from perturb.review.rubric import QUESTIONS


def make_review_report(report: HumanReport, source: str) -> Report:
    """The report of a review by itself."""
    split = f"{report.reviewed} of {report.items} items reviewed, {report.split} of them split evenly"
    summary = Section("summary", "Summary", describe_review(report))
    return Report(f"Human validation of {source}", split, (summary, review_section(report)))


def review_section(report: HumanReport) -> Section:
    """What people found in the sample."""
    figure = Figure(
        "human-pass-rates",
        "Items that people pass, by class",
        "Share of sampled items that a majority of reviewers pass, with Wilson's 95 % intervals.",
        draw_intervals(
            [("pass rate", [Mark.of(rate.name, _wilson(rate), 100) for rate in report.pass_rates["class"]])],
            x_label="%",
            limits=(0, 101),
        ),
    )
    pairs = report.agreement
    estimates = [("mean of Cohen's κ", pairs.mean_kappa)]
    estimates += [(PANEL_NAMES[name], one) for name, one in pairs.panel.items()]
    rates = [rate for name in ("all", "class", "intensity") for rate in report.pass_rates[name]]
    cells = sorted(report.pass_rates["cell"], key=lambda rate: taxonomy_place(rate.name))
    labels = {question.name: question.label for question in QUESTIONS}
    questions = [replace(rate, name=labels[rate.name]) for rate in report.questions]
    return Section(
        "people",
        "Human validation",
        figures=(figure,),
        tables=(
            _rate_table("human-pass-rates", "Items that pass", rates, ("items", "reviewed", "passed")),
            _rate_table(
                "human-pass-rates-by-cell", "Items that pass, by cell", cells, ("cell", "reviewed", "passed")
            ),
            _rate_table(
                "human-questions", "Share of yes to each question", questions, ("question", "reviews", "yes")
            ),
            Table(
                "human-annotators",
                "Annotators",
                "annotator | finished: count | begun: count | passes: share",
                [(one.name, one.finished, one.begun, one.pass_rate) for one in report.annotators],
            ),
            estimate_table("human-agreement", "Agreement among annotators", estimates),
            Table(
                "human-against-panel",
                "The panel and its verifiers against people",
                "judge | passed: count | people pass: share | failed: count | people do not: share"
                " | κ with people: number",
                [
                    (who.name, passed.n, _wilson(passed), failed.n, _wilson(failed), who.kappa)
                    for who in (report.panel, *report.verifiers)
                    for passed, failed in [(who.passed, who.failed)]
                ],
            ),
        ),
    )


def _rate_table(name: str, title: str, rates: Sequence[Rate], words: tuple[str, str, str]) -> Table:
    """Rates with Wilson's interval and the one over base instances; `words` name label, unit and rate."""
    label, unit, rate = words
    columns = f"{label} | {unit}: count | {rate} (Wilson): share | {rate} (by base): share"
    rows = [(one.name, one.n, _wilson(one), rate_estimate(one)) for one in rates]
    return Table(name, title, columns, rows)


def _wilson(rate: Rate) -> Estimate:
    reason = rate.reason if rate.rate is None else None
    return Estimate(rate.rate, rate.low, rate.high, n=rate.n, reason=reason)
