"""The agreement of an evaluation's judge with people, and of people with each other.

The comparison uses the judge's grade that counts, and also what scores make of it: correct or not, refusal or answer.
The grade of people is the grade that most of them gave; a tie gives none.

Reference: BAS, appendix D.1 (200 replies, all graded in the same way).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from perturb.auditing.agreement import PairAgreement, measure_grades
from perturb.auditing.judged_replies import JudgedReply, read_judged_replies
from perturb.auditing.rates import Rate, grouped_rates, overall_rate
from perturb.auditing.review_agreement import AnnotatorWork, StandIn, alternative_annotator
from perturb.auditing.rubric import YES, is_finished
from perturb.auditing.votes import Labels
from perturb.errors import LedgerError
from perturb.evaluation.answers import Grade
from perturb.evaluation.reading import ANSWER
from perturb.ledger.evaluations import Reviews, read_reviews, read_sample_fact
from perturb.metrics.resampling import Resamples
from perturb.records import Facts, JsonObject

# Question about a reply → the answer of a judge or a person.
Answers = Mapping[str, str]
# The names of the majority of people, and of the judgement that counts, among the raters.
PEOPLE, JUDGE = "people", "judge"
# What a rater says about a reply in a word; None if the rater was not asked.
_Measure = Callable[[Answers], str | None]


def _either(question: str, true_answers: tuple[str, ...], *, true: str, false: str) -> _Measure:
    """The word `true` if the answer to a question is among `true_answers`, or else the word `false`."""

    def word(answers: Answers) -> str | None:
        if question not in answers:
            return None
        return true if answers[question] in true_answers else false

    return word


def _raf(answers: Answers) -> str | None:
    # An answer counts for relevance-aware factuality only if it was eligible to be judged.
    if "eligible" not in answers:
        return None
    return "correct" if answers["eligible"] == answers["factual_signal"] == YES else "incorrect"


# Name of each measure → its title, and the function that turns answers into its word.
MEASURES: Mapping[str, tuple[str, _Measure]] = {
    "grade": ("grade", lambda answers: answers.get("grade")),
    "correct": ("correct (grade)", _either("grade", (Grade.CORRECT,), true="correct", false="incorrect")),
    "code": ("answer or code", lambda answers: answers.get("predicted")),
    "refusal": ("answer or refusal", _either("predicted", (ANSWER,), true="answer", false="refusal")),
    "quality": ("quality", lambda answers: answers.get("quality")),
    "quality_correct": (
        "correct (quality)",
        _either("quality", ("4", "5"), true="correct", false="incorrect"),
    ),
    "eligible": ("eligible", lambda answers: answers.get("eligible")),
    "factual_all": ("factual", lambda answers: answers.get("factual_all")),
    "factual_signal": ("factual on signal", lambda answers: answers.get("factual_signal")),
    "raf": ("RAF", _raf),
}


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """The agreement of judge and people in one measure, over the replies that people graded."""

    name: str
    title: str
    n: int
    """Replies on which people have a majority."""
    split: int
    """Replies on which people are tied."""
    agreement: Rate
    """Share of the `n` replies on which judge and people have the same word."""
    judge: PairAgreement
    """The judge and the majority of people."""
    judge_by_person: tuple[PairAgreement, ...]
    members: tuple[PairAgreement, ...]
    """Each member of a panel of judges and the majority of people."""
    people: tuple[PairAgreement, ...]
    """Each pair of people."""
    by_model: tuple[Rate, ...]
    """As `agreement`, for the replies of each model under test."""
    confusion: tuple[tuple[str, str, int], ...]
    """The judge's word, the people's word, and how often the pair occurs; the commonest first."""
    stand_in: StandIn | None = None
    """Whether the judge may replace a person; None with fewer than two people."""

    def to_dict(self) -> JsonObject:
        """One entry of the JSON."""
        return {
            "name": self.name,
            "n": self.n,
            "split": self.split,
            "agreement": asdict(self.agreement),
            "judge": self.judge.to_dict(),
            "judge_by_person": [pair.to_dict() for pair in self.judge_by_person],
            "members": [pair.to_dict() for pair in self.members],
            "people": [pair.to_dict() for pair in self.people],
            "by_model": [asdict(rate) for rate in self.by_model],
            "stand_in": self.stand_in and asdict(self.stand_in),
            "confusion": [{"judge": judge, "people": people, "n": n} for judge, people, n in self.confusion],
        }


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """All figures of a check of the judge."""

    drawn: Facts
    """The stored description of how the sample was drawn."""
    judges: tuple[str, ...]
    items: int
    """Replies of the sample whose judgement still counts."""
    reviewed: int
    """Replies that at least one person has graded in full."""
    annotators: tuple[AnnotatorWork, ...]
    measures: tuple[GradeAgreement, ...]
    differences: tuple[Mapping[str, str], ...]
    """Each answer on which the judge and the majority of people differ: reply, item, model, question, both words."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON; an undefined value is None, with a reason beside it."""
        annotators = [
            {"name": annotator.name, "finished": annotator.finished, "begun": annotator.begun}
            for annotator in self.annotators
        ]
        return {
            **asdict(self),
            "annotators": annotators,
            "measures": [measure.to_dict() for measure in self.measures],
        }


def measure_judge(db: sqlite3.Connection, run: Path, *, seed: int = 0, resamples: int = 1000) -> JudgeReport:
    """Compare the judge of an evaluation with the people who graded its sample.

    Raises `LedgerError` if there is no sample or nobody has finished a reply.
    """
    replies, reviews = read_judged_replies(db, run), read_reviews(db)
    people = {reply.id: finished_grades(reply, reviews) for reply in replies}
    graded = [reply for reply in replies if people[reply.id]]
    if not graded:
        raise LedgerError(f"{run}: nobody has graded a reply yet: `perturb review {run} serve`")
    names = sorted({name for by_annotator in reviews.values() for name in by_annotator})
    measures = [_measure_agreement(name, graded, people, names, (resamples, seed)) for name in MEASURES]
    return JudgeReport(
        drawn=read_sample_fact(db),
        judges=tuple(sorted({judge for reply in graded for judge in reply.judge_answers})),
        items=len(replies),
        reviewed=len(graded),
        annotators=tuple(_work(name, replies, reviews, people) for name in names),
        measures=tuple(measure for measure in measures if measure is not None),
        differences=tuple(_differences(graded, people)),
    )


def finished_grades(reply: JudgedReply, reviews: Reviews) -> dict[str, Answers]:
    """Annotator → answers about a reply, for the people who answered every question about it."""
    by_annotator = reviews.get(reply.id, {})
    return {name: answers for name, answers in by_annotator.items() if is_finished(reply.questions, answers)}


def majority_word(words: Sequence[str]) -> str | None:
    """The commonest word; None without words or if two words are equally common.

    >>> majority_word(["a", "b", "a"]), majority_word(["a", "b"])
    ('a', None)
    """
    commonest = Counter(words).most_common(2)
    if not commonest or len({count for _, count in commonest}) < len(commonest):
        return None
    return commonest[0][0]


def _measure_agreement(
    name: str,
    replies: Sequence[JudgedReply],
    people: Mapping[str, Mapping[str, Answers]],
    names: Sequence[str],
    drawing: tuple[int, int],
) -> GradeAgreement | None:
    """The agreement in one measure; None if no reply has an answer for it."""
    title, word = MEASURES[name]
    replies = [reply for reply in replies if word(_judge_answers(reply)) is not None]
    if not replies:
        return None
    # The first entry of `judge_answers` is the judgement that counts; the others are the votes of a panel.
    judges = sorted({judge for reply in replies for judge in list(reply.judge_answers)[1:]})
    members = [f"judge {judge}" for judge in judges]
    words = _words_by_rater(word, replies, people, names, dict(zip(members, judges, strict=True)))
    kinds = sorted({kind for column in words.values() for kind in column if kind is not None})
    codes = {
        rater: np.array([kinds.index(kind) if kind else np.nan for kind in column])
        for rater, column in words.items()
    }
    base = Labels.of_words([reply.subject.base_id for reply in replies]).codes
    drawn = Resamples.draw(base, *drawing)

    def pair(a: str, b: str) -> PairAgreement:
        # a confusion matrix needs two kinds even if all raters gave the same kind
        return measure_grades((a, b), codes[a], codes[b], max(len(kinds), 2), drawn)

    has_majority = ~np.isnan(codes[PEOPLE])
    is_same = (codes[JUDGE] == codes[PEOPLE]).astype(np.float64)
    confusion = Counter(
        (by_judge, by_people)
        for by_judge, by_people in zip(words[JUDGE], words[PEOPLE], strict=True)
        if by_judge and by_people
    )
    return GradeAgreement(
        name,
        title,
        n=int(has_majority.sum()),
        split=int((~has_majority).sum()),
        agreement=overall_rate(title, is_same[has_majority], base[has_majority]),
        judge=pair(JUDGE, PEOPLE),
        judge_by_person=tuple(pair(JUDGE, person) for person in names),
        members=tuple(pair(member, PEOPLE) for member in members),
        people=tuple(pair(a, b) for a, b in combinations(names, 2)),
        by_model=grouped_rates(
            is_same,
            has_majority.astype(np.float64),
            Labels.of_words([reply.model for reply in replies]),
            base,
        ),
        confusion=tuple((by_judge, by_people, n) for (by_judge, by_people), n in confusion.most_common()),
        stand_in=alternative_annotator(
            JUDGE, codes[JUDGE], {person: codes[person] for person in names}, base
        ),
    )


def _words_by_rater(
    word: _Measure,
    replies: Sequence[JudgedReply],
    people: Mapping[str, Mapping[str, Answers]],
    names: Sequence[str],
    judge_of_member: Mapping[str, str],
) -> dict[str, list[str | None]]:
    """The word of each rater for each reply; None where the rater has none."""
    words = {JUDGE: [word(_judge_answers(reply)) for reply in replies]}
    for member, judge in judge_of_member.items():
        words[member] = [word(reply.judge_answers.get(judge, {})) for reply in replies]
    for person in names:
        words[person] = [word(people[reply.id].get(person, {})) for reply in replies]
    words[PEOPLE] = [
        majority_word(list(filter(None, map(word, people[reply.id].values())))) for reply in replies
    ]
    return words


def _judge_answers(reply: JudgedReply) -> Answers:
    """The answers in the judgement that counts."""
    return next(iter(reply.judge_answers.values()))


def _work(
    name: str, replies: Sequence[JudgedReply], reviews: Reviews, people: Mapping[str, Mapping[str, Answers]]
) -> AnnotatorWork:
    touched = sum(name in reviews.get(reply.id, {}) for reply in replies)
    finished = sum(name in people[reply.id] for reply in replies)
    return AnnotatorWork(name, finished, begun=touched - finished, pass_rate=None)


def _differences(
    replies: Sequence[JudgedReply], people: Mapping[str, Mapping[str, Answers]]
) -> list[dict[str, str]]:
    """The entries of `JudgeReport.differences`; ties among people are left out."""
    differences = []
    for reply in replies:
        for question in reply.questions:
            majority = majority_word([answers[question.name] for answers in people[reply.id].values()])
            judge = _judge_answers(reply)[question.name]
            if majority not in (None, judge):
                ids = {"reply_id": reply.id, "item_id": reply.subject.id, "model": reply.model}
                differences.append(
                    {**ids, "question": question.name, "judge": judge, "people": str(majority)}
                )
    return differences
