"""The human check of a judge as a section of a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perturb.report.audit_sections import rate_estimate
from perturb.report.model import Report, Section, Table, show
from perturb.review.judge_check import JudgeReport, finished_grades, measure_judge
from perturb.review.judged_replies import read_judged_replies
from perturb.store.calls import reading
from perturb.store.reviews import read_reviews
from perturb.wording import counted


def make_judge_report(report: JudgeReport, source: str) -> Report:
    """The report of a check by itself."""
    by = counted(len(report.annotators), "person", "people")
    subtitle = f"{report.reviewed} of {counted(report.items, 'judgement')} checked by {by}"
    title = f"Human check of {' and '.join(report.judges)} in {source}"
    return Report(title, subtitle, (judge_section(report),))


def judge_section(report: JudgeReport) -> Section:
    """How far people agree with the judge, and with each other."""
    rows = [
        (one.title, one.n, one.split, rate_estimate(one.agreement), one.judge.kappa, one.judge.ac1)
        for one in report.measures
    ]
    several = len(report.annotators) > 1
    kappa = "agreement: share | κ: number"
    pairs = [
        (one.title, pair.a, pair.b, pair.n, pair.agreement, pair.kappa)
        for one in report.measures
        for pair in (*one.members, *(*one.people, *one.judge_by_person) * several)
    ]
    models = [
        (one.title, rate.name, rate.n, rate_estimate(rate))
        for one in report.measures
        if len(one.by_model) > 1
        for rate in one.by_model
    ]
    tables = [
        Table(
            "judge-check",
            "The judge against people",
            f"measure | replies: count | split: count | {kappa} | AC1: number",
            rows,
        ),
        Table(
            "judge-check-pairs",
            "Rater by rater",
            f"measure | rater | other rater | replies: count | {kappa}",
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
            [(one.title, *cell) for one in report.measures for cell in one.confusion],
        ),
        Table(
            "judge-check-people",
            "People",
            "person | finished: count | begun: count",
            [(one.name, one.finished, one.begun) for one in report.annotators],
        ),
    ]
    return Section("judge-check", "Human check of the judge", tuple(_sentences(report)), tables=tables)


def checked_judge(run: Path, *, seed: int = 0, resamples: int = 1000) -> Section | None:
    """The section for an evaluation whose judge people have checked; None where nobody has."""
    with reading(run) as db:
        reviews = read_reviews(db)
        replies = read_judged_replies(db, run) if reviews else ()
        if not any(finished_grades(one, reviews) for one in replies):
            return None
        return judge_section(measure_judge(db, run, seed=seed, resamples=resamples))


def _sentences(report: JudgeReport) -> Iterator[str]:
    for one in report.measures:
        rate = one.agreement
        if rate.rate is not None:
            yield (
                f"{one.title[0].upper()}{one.title[1:]}: people agree with the judge on"
                f" {show(rate_estimate(rate), 'share')} of {counted(one.n, 'reply', 'replies')}."
            )
