"""The agreement of an evaluation's judge with people, and of people with each other.

A judge or a person answers the questions about a reply, such as its quality from 1 to 5. A *measure* turns these
answers into one *word* that can be compared between raters: the grade itself, or what scores make of it, such as
`correct`. The word of people is the one that most of them gave; a tie gives none.

`measure_judge` reads the answers, and compares the raters in each measure.

Reference: BAS, appendix D.1 (200 replies, all graded in the same way).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perturb.auditing.agreement import PairAgreement, measure_grades
from perturb.auditing.judged_replies import JudgedReply, read_judged_replies
from perturb.auditing.rates import Rate, grouped_rates, overall_rate
from perturb.auditing.review_agreement import StandIn, alternative_annotator
from perturb.auditing.rubric import YES, AnnotatorWork, is_finished
from perturb.auditing.votes import Labels
from perturb.errors import LedgerError
from perturb.evaluation.answers import Grade
from perturb.evaluation.reading import ANSWER
from perturb.ledger.evaluations import Reviews, read_reviews, read_sample_fact
from perturb.metrics.inputs import Floats, plain
from perturb.metrics.resampling import Resamples
from perturb.records import Facts, JsonObject

# Question about a reply → the answer of a judge or a person.
Answers = Mapping[str, str]
# The names of the majority of people, and of the judgement that counts, among the raters.
PEOPLE, JUDGE = "people", "judge"


class Measure(NamedTuple):
    """One way to compare raters."""

    title: str
    question: str
    """The question that the rater must have answered."""
    word_of: Callable[[Answers], str] | None = None
    """Turns answers into a word; None if the answer to the question is the word."""

    def read_word(self, answers: Answers) -> str | None:
        """The word of a rater; None if the rater was not asked."""
        if self.question not in answers:
            return None
        return self.word_of(answers) if self.word_of else answers[self.question]


def _correctness(is_correct: bool) -> str:
    return "correct" if is_correct else "incorrect"


MEASURES: Mapping[str, Measure] = {
    "grade": Measure("grade", "grade"),
    "correct": Measure(
        "correct (grade)", "grade", lambda answers: _correctness(answers["grade"] == Grade.CORRECT)
    ),
    "code": Measure("answer or code", "predicted"),
    "refusal": Measure(
        "answer or refusal",
        "predicted",
        lambda answers: "answer" if answers["predicted"] == ANSWER else "refusal",
    ),
    "quality": Measure("quality", "quality"),
    "quality_correct": Measure(
        "correct (quality)", "quality", lambda answers: _correctness(answers["quality"] in ("4", "5"))
    ),
    "eligible": Measure("eligible", "eligible"),
    "factual_all": Measure("factual", "factual_all"),
    "factual_signal": Measure("factual on signal", "factual_signal"),
    # Relevance-aware factuality: an answer is correct if it is eligible and its claims on the signal hold.
    "raf": Measure(
        "RAF",
        "eligible",
        lambda answers: _correctness(answers["eligible"] == answers["factual_signal"] == YES),
    ),
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
        content = plain(self)
        del content["title"]
        confusion = content.pop("confusion")
        return content | {
            "confusion": [{"judge": judge, "people": people, "n": n} for judge, people, n in confusion]
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
        content = plain(self)
        for annotator in content["annotators"]:
            del annotator["pass_rate"]  # people grade replies, and do not pass them
        return content


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
    measures = [
        _measure_agreement(name, graded, people, names, resamples=resamples, seed=seed) for name in MEASURES
    ]
    return JudgeReport(
        drawn=read_sample_fact(db),
        judges=tuple(sorted({judge for reply in graded for judge in (reply.judge, *reply.votes)})),
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
    if not commonest:
        return None
    word, count = commonest[0]
    is_tie = len(commonest) == 2 and commonest[1][1] == count
    return None if is_tie else word


def _measure_agreement(
    name: str,
    replies: Sequence[JudgedReply],
    people: Mapping[str, Mapping[str, Answers]],
    names: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> GradeAgreement | None:
    """The agreement in one measure; None if no reply has an answer for it."""
    measure = MEASURES[name]
    replies = [reply for reply in replies if measure.read_word(reply.answers) is not None]
    if not replies:
        return None
    members = sorted({member for reply in replies for member in reply.votes})
    words = _words_by_rater(measure, replies, people, names, members)
    numbers, n_categories = _number_words(words)
    base = Labels.of_words([reply.subject.base_id for reply in replies]).codes
    drawn = Resamples.draw(base, resamples, seed)

    def compare(first: str, second: str) -> PairAgreement:
        return measure_grades((first, second), numbers[first], numbers[second], n_categories, drawn)

    word_pairs = zip(words[JUDGE], words[PEOPLE], strict=True)
    confusion = Counter((judge, majority) for judge, majority in word_pairs if judge and majority)
    has_majority = ~np.isnan(numbers[PEOPLE])
    is_same = (numbers[JUDGE] == numbers[PEOPLE]).astype(np.float64)
    models = Labels.of_words([reply.model for reply in replies])
    numbers_of_people = {person: numbers[person] for person in names}
    return GradeAgreement(
        name,
        measure.title,
        n=int(has_majority.sum()),
        split=int((~has_majority).sum()),
        agreement=overall_rate(measure.title, is_same[has_majority], base[has_majority]),
        judge=compare(JUDGE, PEOPLE),
        judge_by_person=tuple(compare(JUDGE, person) for person in names),
        members=tuple(compare(_member_name(member), PEOPLE) for member in members),
        people=tuple(compare(first, second) for first, second in combinations(names, 2)),
        by_model=grouped_rates(is_same, has_majority.astype(np.float64), models, base),
        confusion=tuple((judge, majority, n) for (judge, majority), n in confusion.most_common()),
        stand_in=alternative_annotator(JUDGE, numbers[JUDGE], numbers_of_people, base),
    )


def _number_words(words: Mapping[str, Sequence[str | None]]) -> tuple[dict[str, Floats], int]:
    """Rater → the number of its word for each reply, NaN without a word; and how many different words there are.

    The agreement of two raters takes at least two words, even if all of theirs are the same.
    """
    categories = sorted({word for column in words.values() for word in column if word is not None})
    numbers = {
        rater: np.array([categories.index(word) if word else np.nan for word in column])
        for rater, column in words.items()
    }
    return numbers, max(len(categories), 2)


def _words_by_rater(
    measure: Measure,
    replies: Sequence[JudgedReply],
    people: Mapping[str, Mapping[str, Answers]],
    names: Sequence[str],
    members: Sequence[str],
) -> dict[str, list[str | None]]:
    """The word of each rater for each reply; None where the rater has none."""
    words = {JUDGE: [measure.read_word(reply.answers) for reply in replies]}
    for member in members:
        words[_member_name(member)] = [measure.read_word(reply.votes.get(member, {})) for reply in replies]
    for person in names:
        words[person] = [measure.read_word(people[reply.id].get(person, {})) for reply in replies]
    words[PEOPLE] = []
    for reply in replies:
        words_of_people = [measure.read_word(answers) for answers in people[reply.id].values()]
        words[PEOPLE].append(majority_word([word for word in words_of_people if word]))
    return words


def _member_name(member: str) -> str:
    """The name of a member of the panel among the raters; a person may have the same name as a judge."""
    return f"judge {member}"


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
            judge = reply.answers[question.name]
            if majority is not None and majority != judge:
                difference = {
                    "reply_id": reply.id,
                    "item_id": reply.subject.id,
                    "model": reply.model,
                    "question": question.name,
                    "judge": judge,
                    "people": majority,
                }
                differences.append(difference)
    return differences
