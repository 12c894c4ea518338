"""The results of a review by people: pass rates, agreement among people, and the panel compared with them.

`alternative_annotator` tests whether a judge may replace a person. It leaves out one person at a time and asks whether
the judge agrees with the others at least as well as that person does.
Reference: Calderon, Reichart and Dror (ACL 2025), arXiv 2501.10970.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from perturb.auditing.agreement import Agreement, measure_agreement
from perturb.auditing.rates import Rate, grouped_rates, overall_rate
from perturb.auditing.rubric import QUESTION_NAMES, YES, AnnotatorWork, finished_verdicts
from perturb.auditing.votes import FAIL, NOT_ASKED, PASS, Labels, VoteTable
from perturb.errors import LedgerError
from perturb.ledger import queries
from perturb.ledger.evaluations import Reviews, read_reviews, read_sample_fact, sample_ids
from perturb.ledger.plans import CurrentPlan
from perturb.metrics.agreement import cohen_kappa
from perturb.metrics.inputs import Estimate, Floats, Integers, plain
from perturb.metrics.resampling import Resamples
from perturb.records import Facts, JsonObject


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
        agreement = plain(self.agreement)
        agreement |= agreement.pop("panel")
        return {**asdict(self), "agreement": agreement}


def alternative_annotator(
    name: str, judge: Floats, people: Mapping[str, Floats], base: Integers
) -> StandIn | None:
    """The alternative-annotator test; None with fewer than two people.

    Judgements are codes, one for each item, and NaN if the judgement is missing. `base` has the number of each item's
    base instance.

    On each item, the judge is as close to the others as the person is if at least as many of them agree with the judge.
    For each person, a t-test over base instances tests whether the judge is less often as close as the person, by
    `EPSILON` or more. The p-values are corrected by the method of Benjamini and Yekutieli.
    """
    from scipy.stats import false_discovery_control

    if len(people) < 2:
        return None
    table = np.stack(list(people.values()), axis=1)
    comparisons: list[LeftOut] = []
    for column, person in enumerate(people):
        by_person, by_others = table[:, column], np.delete(table, column, axis=1)
        is_shared = ~np.isnan(judge) & ~np.isnan(by_person) & ~np.isnan(by_others).all(axis=1)
        n = int(is_shared.sum())
        if n < FEWEST_SHARED:
            reason = f"{person} shares {n} items with another person: {FEWEST_SHARED} are needed"
            return StandIn(name, EPSILON, (), None, None, None, reason)
        by_judge, by_person, by_others = judge[is_shared], by_person[is_shared], by_others[is_shared]
        comparisons.append(_compare_with_person(person, by_judge, by_person, by_others, base[is_shared]))
    # the p-values share their items and people; this correction holds for any dependence
    p_values = false_discovery_control([comparison.p_value for comparison in comparisons], method="by")
    beaten = p_values <= FALSE_DISCOVERIES
    winning_rate = float(beaten.mean())
    return StandIn(
        judge=name,
        epsilon=EPSILON,
        people=tuple(
            replace(comparison, beaten=bool(is_beaten))
            for comparison, is_beaten in zip(comparisons, beaten, strict=True)
        ),
        winning_rate=winning_rate,
        advantage=float(np.mean([comparison.judge for comparison in comparisons])),
        stands_in=winning_rate >= 0.5,
    )


def _compare_with_person(
    name: str, by_judge: Floats, by_person: Floats, by_others: Floats, base: Integers
) -> LeftOut:
    """Compare the judge with one person on the items that both judged. Whether it is beaten is decided later."""
    agree_with_judge = (by_others == by_judge[:, None]).sum(axis=1)
    agree_with_person = (by_others == by_person[:, None]).sum(axis=1)
    judge_wins = (agree_with_judge >= agree_with_person).astype(np.float64)
    person_wins = (agree_with_person >= agree_with_judge).astype(np.float64)
    return LeftOut(
        annotator=name,
        n=len(by_judge),
        judge=float(judge_wins.mean()),
        person=float(person_wins.mean()),
        p_value=_p_value_of_worse(person_wins - judge_wins, base),
        beaten=False,
    )


def _p_value_of_worse(person_minus_judge: Floats, base: Integers) -> float:
    """The p-value of the hypothesis that the mean difference is `EPSILON` or more, by a t-test over base instances.

    Items of one base instance depend on each other, so their deviations from the mean are added up first. With G base
    instances and n items, the standard error of the mean is sqrt(G / (G - 1) * sum of squared sums) / n.
    """
    from scipy.special import stdtr

    codes = np.unique(base, return_inverse=True)[1]
    mean = float(person_minus_judge.mean())
    sums = np.bincount(codes, weights=person_minus_judge - mean)  # one for each base instance
    count = len(sums)
    if sums.any() and count > 1:
        error = np.sqrt(sums @ sums * count / (count - 1)) / len(person_minus_judge)
        return float(stdtr(count - 1, (mean - EPSILON) / error))
    # Without variance there is no t-test. If the judge were worse on a share of EPSILON of the base instances, it would
    # not be worse on any of these with this probability.
    return float((1 - EPSILON) ** count) if mean < EPSILON else 1.0


def measure_review(
    db: sqlite3.Connection, plan: CurrentPlan, run: Path, *, seed: int = 0, resamples: int = 1000
) -> HumanReport:
    """Evaluate the reviews of a run's sample.

    Raises `LedgerError` if there is no sample or nobody has finished an item.
    """
    sample, reviews = sample_ids(db, run), read_reviews(db)
    verdicts = {item_id: finished_verdicts(by_annotator) for item_id, by_annotator in reviews.items()}
    finished = {item_id: by_annotator for item_id, by_annotator in verdicts.items() if by_annotator}
    if not finished:
        raise LedgerError(f"{run}: no item has all five answers yet: `perturb review {run} serve`")
    # All arrays are in the order of `finished`.
    table = _review_table(db, finished, str(run))
    base = table.base.codes
    passing_share = np.nanmean(table.votes, axis=1)
    people = (passing_share > 0.5).astype(np.float64)
    panel = np.array([_as_number(queries.acceptance_of(db, item_id, plan.panel)) for item_id in finished])
    is_accepted = (panel == 1).astype(np.float64)
    annotators = sorted({name for by_annotator in reviews.values() for name in by_annotator})
    return HumanReport(
        drawn=read_sample_fact(db),
        items=len(sample),
        reviewed=len(table),
        split=int((passing_share == 0.5).sum()),
        annotators=tuple(AnnotatorWork.of(name, reviews) for name in annotators),
        pass_rates={
            name: grouped_rates(people, np.ones(len(table)), labels, base)
            for name, labels in _groupings(table).items()
        },
        questions=_question_rates(reviews, finished, base),
        agreement=measure_agreement(table, Resamples.draw(base, resamples, seed)),
        panel=_compare("panel", panel, people, base),
        panel_by_class=grouped_rates(people * is_accepted, is_accepted, table.perturbation_class, base),
        verifiers=_compare_verifiers(db, plan, finished, people, base),
        stand_in=alternative_annotator(
            "panel", panel, dict(zip(table.verifiers, table.votes.T, strict=True)), base
        ),
    )


def _compare_verifiers(
    db: sqlite3.Connection, plan: CurrentPlan, item_ids: Iterable[str], people: Floats, base: Integers
) -> tuple[JudgeComparison, ...]:
    votes = [queries.votes_of(db, item_id, plan.judges) for item_id in item_ids]
    comparisons = []
    for name in sorted(plan.judges.fingerprints):
        of_verifier = [votes_of_item.get(name) for votes_of_item in votes]
        verdicts = np.array([_as_number(vote and vote.state) for vote in of_verifier])
        comparisons.append(_compare(name, verdicts, people, base))
    return tuple(comparisons)


def _groupings(table: VoteTable) -> dict[str, Labels]:
    """The labels by which pass rates are grouped."""
    classes, intensities = table.perturbation_class, table.intensity
    cells = [
        f"{classes.names[class_code]}/{intensities.names[intensity_code]}"
        for class_code, intensity_code in zip(classes.codes, intensities.codes, strict=True)
    ]
    return {
        "all": Labels.of_words(["all"] * len(table)),
        "class": classes,
        "intensity": intensities,
        "cell": Labels.of_words(cells),
    }


def _review_table(
    db: sqlite3.Connection, finished: Mapping[str, Mapping[str, bool]], source: str
) -> VoteTable:
    """The verdicts of people (item → annotator → passed) as votes, with annotators in the role of verifiers."""
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

    def labels(column: str) -> Labels:
        return Labels.of_words([str(row[column]) for row in rows])

    return VoteTable(
        source,
        base=labels("base_id"),
        generator=labels("generator"),
        perturbation_class=labels("perturbation_class"),
        intensity=labels("intensity"),
        lever=labels("lever"),
        verifiers=annotators,
        states=states,
    )


def _compare(name: str, verdicts: Floats, people: Floats, base: Integers) -> JudgeComparison:
    """Compare a judge's verdicts (1, 0 or NaN) with those of people (1 or 0)."""

    def agreement_on(verdict: float) -> Rate:
        is_given = verdicts == verdict
        agrees = (people[is_given] == verdict).astype(np.float64)
        return overall_rate(name, agrees, base[is_given])

    kappa = cohen_kappa(people, verdicts)
    if kappa.reason:
        reason = kappa.reason.replace("the first rater", "people").replace("the second rater", name)
        kappa = replace(kappa, reason=reason)
    return JudgeComparison(name, passed=agreement_on(1.0), failed=agreement_on(0.0), kappa=kappa)


def _question_rates(
    reviews: Reviews, finished: Mapping[str, Mapping[str, bool]], base: Integers
) -> tuple[Rate, ...]:
    """The share of yes for each question, over all finished reviews."""
    finished_reviews = [reviews[item_id][name] for item_id, verdicts in finished.items() for name in verdicts]
    base_of_review = np.repeat(base, [len(verdicts) for verdicts in finished.values()])
    rates = []
    for question in QUESTION_NAMES:
        is_yes = np.array([answers[question] == YES for answers in finished_reviews], dtype=np.float64)
        rates.append(overall_rate(question, is_yes, base_of_review))
    return tuple(rates)


def _as_number(decision: object) -> float:
    """1 for a pass or an acceptance, 0 for a fail or a rejection, NaN for anything else."""
    numbers = {"pass": 1.0, "accepted": 1.0, "fail": 0.0, "rejected": 0.0}
    return numbers.get(str(decision), np.nan)
