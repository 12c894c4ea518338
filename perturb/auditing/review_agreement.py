"""The results of a review by people: pass rates, agreement among people, and the panel compared with them.

The alternative-annotator test asks whether a judge may replace a person. It leaves out one person at a time and asks
whether the judge agrees with the others at least as well as that person does.
Reference: Calderon, Reichart and Dror (ACL 2025), arXiv 2501.10970.
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
from perturb.records import Facts, JsonObject


@dataclass(frozen=True, slots=True)
class AnnotatorWork:
    """The progress of one annotator, and the share of items that the annotator passes."""

    name: str
    finished: int
    begun: int
    """Items with some answers, but not all five."""
    pass_rate: float | None


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """The panel, or one of its verifiers, compared with people."""

    name: str
    passed: Rate
    """Precision: the share of the items that it passed which people pass too."""
    failed: Rate
    """The share of the items that it failed which people do not pass either."""
    kappa: Estimate


# A judge is cheaper than a person, so it may be worse by this share of items (the paper's for trained annotators).
EPSILON = 0.15
# The number of items that a person must share with another person.
FEWEST_SHARED = 30
# The false discovery rate over all people.
FALSE_DISCOVERIES = 0.05
# What a reader must believe to accept the result of the test.
ASSUMPTIONS = (
    "The reviewers resemble the people whom the judge would replace.",
    "The items of the sample resemble those that the judge would get; base instances are independent.",
    f"A judge is preferred to a person if it is worse by less than {EPSILON:g} in the share of items.",
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The judge and one person, compared by their agreement with the other people."""

    annotator: str
    n: int
    """Items judged by this person, by at least one other person, and by the judge."""
    judge: float
    """Share of these items on which the judge agrees with at least as many others as this person does."""
    person: float
    """Share of these items on which this person agrees with at least as many others as the judge does."""
    p_value: float
    """One-sided, for the hypothesis that the judge is worse by `EPSILON` or more."""
    beaten: bool
    """Whether that hypothesis is rejected, with the false discovery rate controlled over all people."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Whether a judge may replace a person."""

    judge: str
    epsilon: float
    people: tuple[LeftOut, ...]
    winning_rate: float | None
    """The share of people whom the judge beats; with a half or more it may replace a person."""
    advantage: float | None
    """Mean of `LeftOut.judge`: the chance that the judge is at least as close to people as a person drawn at random."""
    stands_in: bool | None
    reason: str | None = None
    """The reason why there is no result."""
    assumptions: tuple[str, ...] = ASSUMPTIONS


def alternative_annotator(
    name: str, judge: Floats, people: Mapping[str, Floats], base: Integers
) -> StandIn | None:
    """The alternative-annotator test; None with fewer than two people.

    Judgements are codes, one for each item, and NaN if the judgement is missing. `base` has the number of each item's
    base instance.

    Formula: S is the share of the other people who agree. On each item, d = [S(person) >= S(judge)] - [S(judge) >=
    S(person)]. For each person, a t-test over base instances tests mean d >= `EPSILON`; the p-values are corrected by
    the method of Benjamini and Yekutieli.
    """
    from scipy.stats import false_discovery_control

    if len(people) < 2:
        return None
    table = np.stack(list(people.values()), axis=1)
    left_out: list[LeftOut] = []
    for column, person in enumerate(people):
        by_person, by_others = table[:, column], np.delete(table, column, axis=1)
        is_shared = ~np.isnan(judge + by_person) & ~np.isnan(by_others).all(axis=1)
        n = int(is_shared.sum())
        if n < FEWEST_SHARED:
            reason = f"{person} shares {n} items with another person: {FEWEST_SHARED} are needed"
            return StandIn(name, EPSILON, (), None, None, None, reason)
        agree_with_judge, agree_with_person = (
            (by_others == judgements[:, None])[is_shared].sum(axis=1) for judgements in (judge, by_person)
        )
        judge_wins = agree_with_judge >= agree_with_person
        person_wins = agree_with_person >= agree_with_judge
        p_value = _p_value_of_worse(person_wins.astype(np.float64) - judge_wins, base[is_shared])
        left_out.append(
            LeftOut(person, n, float(judge_wins.mean()), float(person_wins.mean()), p_value, beaten=False)
        )
    p_values = [comparison.p_value for comparison in left_out]
    # the p-values share their items and people; this correction holds for any dependence
    beaten = false_discovery_control(p_values, method="by") <= FALSE_DISCOVERIES
    rate = float(beaten.mean())
    return StandIn(
        judge=name,
        epsilon=EPSILON,
        people=tuple(
            replace(comparison, beaten=bool(is_beaten))
            for comparison, is_beaten in zip(left_out, beaten, strict=True)
        ),
        winning_rate=rate,
        advantage=float(np.mean([comparison.judge for comparison in left_out])),
        stands_in=rate >= 0.5,
    )


def _p_value_of_worse(differences: Floats, base: Integers) -> float:
    """The p-value of a mean difference of `EPSILON` or more, by a t-test over base instances."""
    from scipy.special import stdtr

    codes = np.unique(base, return_inverse=True)[1]
    mean = float(differences.mean())
    sums = np.bincount(codes, weights=differences - mean)
    count = len(sums)
    if sums.any() and count > 1:
        error = np.sqrt(sums @ sums * count / (count - 1)) / len(differences)
        return float(stdtr(count - 1, (mean - EPSILON) / error))
    # A t-test needs variance. Without it: the chance that no base instance is worse if a share of EPSILON of them were.
    return float((1 - EPSILON) ** count) if mean < EPSILON else 1.0


@dataclass(frozen=True, slots=True)
class HumanReport:
    """All figures of a review.

    An item passes if more than half of its finished reviews pass it. An item on which people are split evenly does not
    pass: to leave it out would leave out the doubtful items.
    """

    drawn: Facts
    """The stored description of how the sample was drawn."""
    items: int
    """Items of the sample."""
    reviewed: int
    """Items with a finished review."""
    split: int
    """Items on which people are split evenly; they count as not passed."""
    annotators: tuple[AnnotatorWork, ...]
    pass_rates: dict[str, tuple[Rate, ...]]
    """Share of items that pass: over all items, by class, by intensity and by cell."""
    questions: tuple[Rate, ...]
    """Share of yes among the answers to each question, over all finished reviews."""
    agreement: Agreement
    """Agreement among the annotators, computed as for a panel of verifiers."""
    panel: JudgeComparison
    panel_by_class: tuple[Rate, ...]
    """Precision of the panel's acceptance in each class."""
    verifiers: tuple[JudgeComparison, ...]
    stand_in: StandIn | None = None
    """Whether the panel may replace a person; None with fewer than two people."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON; an undefined value is None, with a reason beside it."""
        agreement = {
            "pairs": [pair.to_dict() for pair in self.agreement.pairs],
            "mean_kappa": self.agreement.mean_kappa.to_dict(),
            **{name: measure.to_dict() for name, measure in self.agreement.panel.items()},
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
    # in the order of the rows of `table`
    reviewed_ids = [item_id for item_id, by_annotator in reviews.items() if finished_verdicts(by_annotator)]
    decisions = [queries.acceptance_of(db, item_id, plan.panel) for item_id in reviewed_ids]
    votes = [queries.votes_of(db, item_id, plan.judges) for item_id in reviewed_ids]
    panel = np.array(
        [{"accepted": 1.0, "rejected": 0.0}.get(str(decision), np.nan) for decision in decisions]
    )
    classes, intensities = table.perturbation_class, table.intensity
    cells = [
        f"{classes.names[class_code]}/{intensities.names[intensity_code]}"
        for class_code, intensity_code in zip(classes.codes, intensities.codes, strict=True)
    ]
    groupings = {
        "all": Labels(("all",), np.zeros(len(table), dtype=np.int64)),
        "class": table.perturbation_class,
        "intensity": table.intensity,
        "cell": Labels.of_words(cells),
    }
    base = table.base.codes
    annotators = sorted({name for by_annotator in reviews.values() for name in by_annotator})
    return HumanReport(
        drawn=read_sample_fact(db),
        items=len(ids),
        reviewed=len(table),
        split=int((np.nanmean(table.votes, axis=1) == 0.5).sum()),
        annotators=tuple(_work(name, reviews) for name in annotators),
        pass_rates={
            name: grouped_rates(human, np.ones(len(table)), labels, base)
            for name, labels in groupings.items()
        },
        questions=_question_rates(reviews, table),
        agreement=measure_agreement(table, Resamples.draw(base, resamples, seed)),
        panel=_compare("panel", panel, human, base),
        panel_by_class=grouped_rates(
            human * (panel == 1), (panel == 1).astype(np.float64), table.perturbation_class, base
        ),
        verifiers=tuple(
            _compare(
                name, np.array([_vote_value(by_verifier.get(name)) for by_verifier in votes]), human, base
            )
            for name in sorted(plan.judges.fingerprints)
        ),
        stand_in=alternative_annotator(
            "panel", panel, dict(zip(table.verifiers, table.votes.T, strict=True)), base
        ),
    )


def review_table(db: sqlite3.Connection, reviews: Reviews, source: str) -> VoteTable:
    """The finished reviews as votes, with annotators in the role of verifiers; items without one are left out."""
    all_verdicts = {item_id: finished_verdicts(by_annotator) for item_id, by_annotator in reviews.items()}
    finished = {item_id: verdicts for item_id, verdicts in all_verdicts.items() if verdicts}
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
    """For each item, 1 if more than half of its votes pass it, else 0. Each item needs at least one vote.

    >>> majority(np.array([[1, 1, 0], [0, np.nan, np.nan], [1, 0, np.nan]])).tolist()
    [1.0, 0.0, 0.0]
    """
    return np.asarray(np.nanmean(votes, axis=1) > 0.5, dtype=np.float64)


def _compare(name: str, verdicts: Floats, human: Floats, base: Integers) -> JudgeComparison:
    """Compare a judge's verdicts (1, 0 or NaN) with those of people (1 or 0)."""

    def agreement_on(verdict: float) -> Rate:
        rows = verdicts == verdict
        return overall_rate(name, (human[rows] == verdict).astype(np.float64), base[rows])

    kappa = cohen_kappa(human, verdicts)
    if kappa.reason:
        reason = kappa.reason.replace("the first rater", "people").replace("the second rater", name)
        kappa = replace(kappa, reason=reason)
    return JudgeComparison(name, passed=agreement_on(1.0), failed=agreement_on(0.0), kappa=kappa)


def _work(name: str, reviews: Reviews) -> AnnotatorWork:
    verdicts = [
        human_verdict(by_annotator[name]) for by_annotator in reviews.values() if name in by_annotator
    ]
    finished = [verdict for verdict in verdicts if verdict is not None]
    rate = sum(finished) / len(finished) if finished else None
    return AnnotatorWork(name, len(finished), len(verdicts) - len(finished), rate)


def _question_rates(reviews: Reviews, table: VoteTable) -> tuple[Rate, ...]:
    """The share of yes for each question, over the finished reviews."""
    # item → the answers of each person who finished it, for the items of `table`, in the order of its rows
    finished = []
    for by_annotator in reviews.values():
        if verdicts := finished_verdicts(by_annotator):
            finished.append([by_annotator[name] for name in verdicts])
    review_counts = np.array([float(len(reviews_of_item)) for reviews_of_item in finished])
    rates: list[Rate] = []
    for question in QUESTION_NAMES:
        yes = np.array([float(sum(answers[question] == YES for answers in people)) for people in finished])
        labels = Labels((question,), np.zeros(len(finished), dtype=np.int64))
        rates += grouped_rates(yes, review_counts, labels, table.base.codes)
    return tuple(rates)


def _vote_value(vote: Any) -> float:
    """1 for a pass, 0 for a fail, NaN for any other vote or for none."""
    return {"pass": 1.0, "fail": 0.0}.get(str(vote.state), np.nan) if vote is not None else np.nan
