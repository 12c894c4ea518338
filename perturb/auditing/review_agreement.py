"""The results of a review by people: pass rates, agreement among people, and the panel compared with them.

The alternative-annotator test asks whether a judge may replace a person. Each person in turn is left out: is the judge
at least as close to the others? Reference: Calderon, Reichart and Dror (ACL 2025), arXiv 2501.10970.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from perturb.auditing.agreement import Agreement, measure_agreement
from perturb.auditing.rates import Rate, grouped_rates, overall_rate
from perturb.auditing.rubric import QUESTION_NAMES, YES, finished_verdicts, human_verdict
from perturb.auditing.votes import FAIL, NOT_ASKED, PASS, Labels, VoteTable
from perturb.errors import LedgerError
from perturb.ledger import queries
from perturb.ledger.evaluations import Reviews, read_reviews, read_sample_fact, sample_ids
from perturb.ledger.plans import CurrentPlan
from perturb.metrics.agreement import cohen_kappa
from perturb.metrics.inputs import Estimate, Floats, Integers
from perturb.metrics.resampling import Resamples


@dataclass(frozen=True, slots=True)
class AnnotatorWork:
    """How far one annotator is, and how much passes."""

    name: str
    finished: int
    begun: int
    """Items with some answers, but not all five."""
    pass_rate: float | None


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """The panel, or one of its verifiers, against people."""

    name: str
    passed: Rate
    """Share of what it passed that people pass: its precision."""
    failed: Rate
    """Share of what it failed that people do not pass."""
    kappa: Estimate


EPSILON = 0.15
"""What a judge may be worse by and still be preferred, being cheaper: what the paper takes for trained annotators."""
FEWEST_SHARED = 30
"""So many items must a person share with another one."""
FALSE_DISCOVERIES = 0.05
ASSUMPTIONS = (
    "The people who reviewed are like those for whom the judge would stand in.",
    "The items of the sample are like those that it would judge; base instances are independent.",
    f"A judge is preferred to a person whom it trails by less than {EPSILON:g} in the share of items.",
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The judge against one person, by how close each is to the other people."""

    annotator: str
    n: int
    """Items that this person, another one and the judge have judged."""
    judge: float
    """Share of them on which the judge agrees with the others at least as much as this person does."""
    person: float
    """The same the other way round."""
    p_value: float
    """One-sided, of the judge being worse by `EPSILON` or more."""
    beaten: bool
    """Whether that is refuted, with the rate of false discoveries kept over all people."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Whether a judge may stand in for a person."""

    judge: str
    epsilon: float
    people: tuple[LeftOut, ...]
    winning_rate: float | None
    """The share of people whom the judge beats; it may stand in from a half on."""
    advantage: float | None
    """Mean of `LeftOut.judge`: the chance that the judge is at least as close to people as a person drawn at random."""
    stands_in: bool | None
    reason: str | None = None
    """Why there is no verdict."""
    assumptions: tuple[str, ...] = ASSUMPTIONS


def alternative_annotator(
    name: str, judge: Floats, people: Mapping[str, Floats], base: Integers
) -> StandIn | None:
    """The alternative-annotator test; None with fewer than two people.

    Judgements are numbers that are equal or not, NaN where one is missing. `base` numbers the base instance of each
    item.

    Formula: with S the share of the other people who agree, d = [S(person) >= S(judge)] - [S(judge) >= S(person)] on
    each item. A t-test over base instances of mean d >= `EPSILON` for each person, corrected after Benjamini-Yekutieli.
    """
    from scipy.stats import false_discovery_control

    if len(people) < 2:
        return None
    table = np.stack(list(people.values()), axis=1)
    compared: list[tuple[str, int, float, float]] = []
    p_values: list[float] = []
    for place, person in enumerate(people):
        own, others = table[:, place], np.delete(table, place, axis=1)
        rows = ~np.isnan(judge + own) & ~np.isnan(others).all(axis=1)
        n = int(rows.sum())
        if n < FEWEST_SHARED:
            reason = f"{person} shares {n} items with another person: {FEWEST_SHARED} are needed"
            return StandIn(name, EPSILON, (), None, None, None, reason)
        by_judge, by_person = ((others == one[:, None])[rows].sum(axis=1) for one in (judge, own))
        judge_wins, person_wins = by_judge >= by_person, by_person >= by_judge
        compared.append((person, n, float(judge_wins.mean()), float(person_wins.mean())))
        p_values.append(_p_of_worse(person_wins * 1.0 - judge_wins, base[rows]))
    beaten = false_discovery_control(p_values, method="by") <= FALSE_DISCOVERIES
    left_out = tuple(
        LeftOut(*figures, p_value, bool(hit))
        for figures, p_value, hit in zip(compared, p_values, beaten, strict=True)
    )
    rate = float(beaten.mean())
    return StandIn(
        name, EPSILON, left_out, rate, float(np.mean([one.judge for one in left_out])), rate >= 0.5
    )


def _p_of_worse(worse: Floats, base: Integers) -> float:
    """Of a mean of `EPSILON` or more, by a t-test over base instances."""
    from scipy.special import stdtr

    codes = np.unique(base, return_inverse=True)[1]
    mean = float(worse.mean())
    sums = np.bincount(codes, weights=worse - mean)
    count = len(sums)
    if sums.any() and count > 1:
        error = np.sqrt(sums @ sums * count / (count - 1)) / len(worse)
        return float(stdtr(count - 1, (mean - EPSILON) / error))
    # nothing varies: as likely as no base instance with a worse item, if their share were EPSILON
    return float((1 - EPSILON) ** count) if mean < EPSILON else 1.0


@dataclass(frozen=True, slots=True)
class HumanReport:
    """All that is said about a review.

    An item passes if more than half of its finished reviews pass it; one on which people are split evenly does not
    pass, for leaving it out would leave out what people find doubtful.
    """

    drawn: Mapping[str, Any]
    """How the sample was drawn."""
    items: int
    """Items of the sample."""
    reviewed: int
    """Items with a finished review."""
    split: int
    """Items on which people are split evenly; they count as not passed."""
    annotators: tuple[AnnotatorWork, ...]
    pass_rates: dict[str, tuple[Rate, ...]]
    """Items that pass: all, by class, by intensity, by cell."""
    questions: tuple[Rate, ...]
    """Share of yes to each question, over all finished reviews."""
    agreement: Agreement
    """Among the annotators, as for a panel of verifiers."""
    panel: JudgeComparison
    panel_by_class: tuple[Rate, ...]
    """Precision of the panel's acceptance in each class."""
    verifiers: tuple[JudgeComparison, ...]
    stand_in: StandIn | None = None
    """Whether the panel may stand in for a person; None with fewer than two people."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; what is undefined is None beside a reason."""
        agreement = {
            "pairs": [pair.to_dict() for pair in self.agreement.pairs],
            "mean_kappa": self.agreement.mean_kappa.to_dict(),
            **{name: one.to_dict() for name, one in self.agreement.panel.items()},
        }
        return {**asdict(self), "agreement": agreement}


def measure_review(
    db: sqlite3.Connection, plan: CurrentPlan, run: Path, *, seed: int = 0, resamples: int = 1000
) -> HumanReport:
    """Evaluate the reviews of a run's sample.

    Raises `LedgerError` if there is no sample or nobody has finished an item.
    """
    ids = sample_ids(db, run)
    reviews = read_reviews(db)
    table = review_table(db, reviews, str(run))
    if not len(table):
        raise LedgerError(f"{run}: no item has all five answers yet: `perturb review {run} serve`")
    human = majority(table.votes)
    finished = [review for review in reviews if finished_verdicts(reviews[review])]
    decisions = [queries.acceptance_of(db, one, plan.panel) for one in finished]
    votes = [queries.votes_of(db, one, plan.judges) for one in finished]
    panel = np.array(
        [{"accepted": 1.0, "rejected": 0.0}.get(str(decision), np.nan) for decision in decisions]
    )
    cells = [
        f"{table.perturbation_class.names[c]}/{table.intensity.names[i]}"
        for c, i in zip(table.perturbation_class.codes, table.intensity.codes, strict=True)
    ]
    by = {"class": table.perturbation_class, "intensity": table.intensity, "cell": Labels.of_words(cells)}
    base = table.base.codes
    everything = Labels(("all",), np.zeros(len(table), dtype=np.int64))
    return HumanReport(
        drawn=read_sample_fact(db),
        items=len(ids),
        reviewed=len(table),
        split=int((np.nanmean(table.votes, axis=1) == 0.5).sum()),
        annotators=tuple(
            _work(name, reviews) for name in sorted({name for by in reviews.values() for name in by})
        ),
        pass_rates={
            name: grouped_rates(human, np.ones(len(table)), labels, base)
            for name, labels in {"all": everything, **by}.items()
        },
        questions=_question_rates(reviews, table),
        agreement=measure_agreement(table, Resamples.draw(base, resamples, seed)),
        panel=_compare("panel", panel, human, base),
        panel_by_class=grouped_rates(
            human * (panel == 1), (panel == 1).astype(np.float64), table.perturbation_class, base
        ),
        verifiers=tuple(
            _compare(name, np.array([_state(vote.get(name)) for vote in votes]), human, base)
            for name in sorted(plan.judges.fingerprints)
        ),
        stand_in=alternative_annotator(
            "panel", panel, dict(zip(table.verifiers, table.votes.T, strict=True)), base
        ),
    )


def review_table(db: sqlite3.Connection, reviews: Reviews, source: str) -> VoteTable:
    """The finished reviews as votes: annotators stand for verifiers, items with one finished review or more."""
    finished = {one: finished_verdicts(by) for one, by in reviews.items() if finished_verdicts(by)}
    annotators = tuple(sorted({name for verdicts in finished.values() for name in verdicts}))
    states = np.full((len(finished), len(annotators)), NOT_ASKED, dtype=np.int8)
    for row, verdicts in enumerate(finished.values()):
        for name, verdict in verdicts.items():
            states[row, annotators.index(name)] = PASS if verdict else FAIL
    rows = [
        db.execute(
            "SELECT j.base_id, j.generator, j.perturbation_class, j.intensity, c.lever FROM jobs j"
            " JOIN candidates c ON c.id = j.id WHERE j.id = ?",
            (candidate_id,),
        ).fetchone()
        for candidate_id in finished
    ]
    base, generator, perturbation_class, intensity, lever = (
        Labels.of_words([str(row[column]) for row in rows]) for column in range(5)
    )
    return VoteTable(
        source, base, generator, perturbation_class, intensity, lever, annotators, states, full_schedule=False
    )


def majority(votes: Floats) -> Floats:
    """1 where more than half of an item's votes pass it, else 0; each item has a vote.

    >>> majority(np.array([[1, 1, 0], [0, np.nan, np.nan], [1, 0, np.nan]])).tolist()
    [1.0, 0.0, 0.0]
    """
    return np.asarray(np.nanmean(votes, axis=1) > 0.5, dtype=np.float64)


def _compare(name: str, verdicts: Floats, human: Floats, base: Integers) -> JudgeComparison:
    def agreeing(word: float) -> Rate:
        rows = verdicts == word
        return overall_rate(name, (human[rows] == word).astype(np.float64), base[rows])

    kappa = cohen_kappa(human, verdicts)
    if kappa.reason:
        reason = kappa.reason.replace("the first rater", "people").replace("the second rater", name)
        kappa = replace(kappa, reason=reason)
    return JudgeComparison(name, agreeing(1.0), agreeing(0.0), kappa)


def _work(name: str, reviews: Reviews) -> AnnotatorWork:
    verdicts = [human_verdict(by[name]) for by in reviews.values() if name in by]
    finished = [verdict for verdict in verdicts if verdict is not None]
    rate = sum(finished) / len(finished) if finished else None
    return AnnotatorWork(name, len(finished), len(verdicts) - len(finished), rate)


def _question_rates(reviews: Reviews, table: VoteTable) -> tuple[Rate, ...]:
    finished = [
        [by[name] for name in verdicts] for by in reviews.values() if (verdicts := finished_verdicts(by))
    ]
    counted = np.array([float(len(answers)) for answers in finished])
    rates: list[Rate] = []
    for question in QUESTION_NAMES:
        yes = np.array([float(sum(answer[question] == YES for answer in answers)) for answers in finished])
        labels = Labels((question,), np.zeros(len(finished), dtype=np.int64))
        rates += grouped_rates(yes, counted, labels, table.base.codes)
    return tuple(rates)


def _state(vote: Any) -> float:
    return {"pass": 1.0, "fail": 0.0}.get(str(vote.state), np.nan) if vote is not None else np.nan
