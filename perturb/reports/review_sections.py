"""Human validation as sections of a report: of a build's panel, and of the judge of an evaluation.

The columns of tables are written `heading = attribute.path: format`: see `perturb.reports.model`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perturb.auditing.agreement import PANEL_NAMES
from perturb.auditing.judge_check import JudgeReport, finished_grades, measure_judge
from perturb.auditing.judged_replies import read_judged_replies
from perturb.auditing.rates import Rate
from perturb.auditing.review_agreement import ASSUMPTIONS, HumanReport, StandIn
from perturb.auditing.rubric import QUESTIONS
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_reviews
from perturb.records import taxonomy_place
from perturb.reports.audit_sections import estimate_table
from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.model import Figure, Report, Section, Table, show
from perturb.reports.words import describe_review, describe_stand_in
from perturb.text.wording import capitalised, counted


def make_review_report(report: HumanReport, source: str) -> Report:
    """The report of a review by itself."""
    split = f"{report.reviewed} of {report.items} items reviewed, {report.split} of them split evenly"
    summary = Section("summary", "Summary", list(describe_review(report)))
    return Report(f"Human validation of {source}", split, (summary, review_section(report)))


def review_section(report: HumanReport) -> Section:
    """The section on the verdicts of people about the sample."""
    figure = Figure(
        "human-pass-rates",
        "Items that people pass, by class",
        "Share of sampled items that a majority of reviewers pass, with Wilson's 95 % intervals.",
        draw_intervals(
            [("pass rate", [Mark.of(rate.name, rate.wilson, 100) for rate in report.pass_rates["class"]])],
            x_label="%",
            limits=(0, 101),
        ),
    )
    estimates = [("mean of Cohen's κ", report.agreement.mean_kappa)]
    estimates += [(PANEL_NAMES[name], estimate) for name, estimate in report.agreement.panel.items()]
    # One table for the whole sample, the classes and the intensities. The cells are too many for it.
    rates = [rate for name in ("all", "class", "intensity") for rate in report.pass_rates[name]]
    cells = sorted(report.pass_rates["cell"], key=lambda rate: taxonomy_place(rate.name))
    # People know the questions by their wording on the page, not by their names in sheets.
    labels = {question.name: question.label for question in QUESTIONS}
    questions = [replace(rate, name=labels[rate.name]) for rate in report.questions]
    tables = [
        _rate_table("human-pass-rates", "Items that pass", rates, label="items"),
        _rate_table("human-pass-rates-by-cell", "Items that pass, by cell", cells, label="cell"),
        _rate_table(
            "human-questions",
            "Share of yes to each question",
            questions,
            label="question",
            unit="reviews",
            share="yes",
        ),
        Table.of(
            "human-annotators",
            "Annotators",
            "annotator = name | finished: count | begun: count | passes = pass_rate: share",
            report.annotators,
        ),
        estimate_table("human-agreement", "Agreement among annotators", estimates),
        stand_in_table("human-stand-in", [("all", report.stand_in)]),
        Table.of(
            "human-against-panel",
            "The panel and its verifiers against people",
            "judge = name | passed = passed.n: count | people pass = passed.wilson: share"
            " | failed = failed.n: count | people do not = failed.wilson: share | κ with people = kappa: number",
            (report.panel, *report.verifiers),
        ),
    ]
    return Section("people", "Human validation", figures=(figure,), tables=tables)


def stand_in_table(name: str, tests: Sequence[tuple[str, StandIn | None]]) -> Table:
    """The alternative-annotator test (Calderon et al., 2025), person by person; `tests` are by what was measured."""
    rows = []
    for measure_title, test in tests:
        for person in test.people if test else ():
            beaten = "yes" if person.beaten else "no"
            rows.append({"measure": measure_title, "left_out": person, "beaten": beaten})
    notes = [f"{measure_title}: {test.reason}." for measure_title, test in tests if test and test.reason]
    return Table.of(
        name,
        "Alternative-annotator test: each person in turn against the judge, by how close they are to the others",
        "measure | person left out = left_out.annotator | items = left_out.n: count"
        " | judge as close = left_out.judge: share | person as close = left_out.person: share"
        " | p = left_out.p_value: number | beaten",
        rows,
        note=" ".join([*notes, *(ASSUMPTIONS if rows else ())]),
    )


def _rate_table(
    name: str,
    title: str,
    rates: Sequence[Rate],
    *,
    label: str,
    unit: str = "reviewed",
    share: str = "passed",
) -> Table:
    """Rates with Wilson's interval and with the one over base instances, under the given headings."""
    shares = f"{share} (Wilson) = wilson: share | {share} (by base) = estimate: share"
    columns = f"{label} = name | {unit} = n: count | {shares}"
    return Table.of(name, title, columns, rates)


def make_judge_report(report: JudgeReport, source: str) -> Report:
    """The report of a check by itself."""
    people = counted(len(report.annotators), "person", "people")
    subtitle = f"{report.reviewed} of {counted(report.items, 'judgement')} checked by {people}"
    title = f"Human check of {' and '.join(report.judges)} in {source}"
    return Report(title, subtitle, (judge_section(report),))


def judge_section(report: JudgeReport) -> Section:
    """The section on agreement of people with the judge and with each other."""
    pairs = []
    for measure in report.measures:
        measure_pairs = measure.members
        # A single person against the judge is what the first table shows already.
        if len(report.annotators) > 1:
            measure_pairs = (*measure.members, *measure.people, *measure.judge_by_person)
        pairs += [{"measure": measure.title, "pair": pair} for pair in measure_pairs]
    models = []
    for measure in report.measures:
        # With a single model, its agreement is that of the first table.
        if len(measure.by_model) > 1:
            models += [(measure.title, rate.name, rate.n, rate.estimate) for rate in measure.by_model]
    tables = [
        Table.of(
            "judge-check",
            "The judge against people",
            "measure = title | replies = n: count | split: count | agreement = agreement.estimate: share"
            " | κ = judge.kappa: number | AC1 = judge.ac1: number",
            report.measures,
        ),
        Table.of(
            "judge-check-pairs",
            "Rater by rater",
            "measure | rater = pair.a | other rater = pair.b | replies = pair.n: count"
            " | agreement = pair.agreement: share | κ = pair.kappa: number",
            pairs,
        ),
        Table(
            "judge-check-models",
            "Agreement by model under test",
            "measure | model | replies: count | agreement: share",
            models,
        ),
        Table(
            "judge-check-grades",
            "Grades of the judge and of people",
            "measure | judge | people | replies: count",
            [(measure.title, *cell) for measure in report.measures for cell in measure.confusion],
        ),
        stand_in_table(
            "judge-check-stand-in", [(measure.title, measure.stand_in) for measure in report.measures]
        ),
        Table.of(
            "judge-check-people",
            "People",
            "person = name | finished: count | begun: count",
            report.annotators,
        ),
    ]
    return Section("judge-check", "Human check of the judge", tuple(_check_sentences(report)), tables=tables)


def checked_judge_section(run: Path, *, seed: int = 0, resamples: int = 1000) -> Section | None:
    """The section for an evaluation whose judge people have checked; None if nobody has."""
    with reading(run) as db:
        reviews = read_reviews(db)
        # Replies are read only if there are reviews, since that takes long in a large evaluation.
        replies = read_judged_replies(db, run) if reviews else ()
        if not any(finished_grades(reply, reviews) for reply in replies):
            return None
        return judge_section(measure_judge(db, run, seed=seed, resamples=resamples))


def _check_sentences(report: JudgeReport) -> Iterator[str]:
    # "for" names the purpose if replies on which the judge may be wrong were drawn more often than others.
    if "for" in report.drawn:
        yield (
            "More replies were drawn where the judge may be wrong, so agreement over all replies is higher than here;"
            " corrected scores weigh the sample."
        )
    for measure in report.measures:
        if stand_in := describe_stand_in(measure.stand_in, f"for {measure.title}, the judge"):
            yield stand_in
        rate = measure.agreement
        if rate.rate is not None:
            yield (
                f"{capitalised(measure.title)}: people agree with the judge on"
                f" {show(rate.estimate, 'share')} of {counted(measure.n, 'reply', 'replies')}."
            )
