"""Compares the judge of an evaluation with people, and people with each other.

The judge's grade that counts is compared with those of people, by grade and as scores read it: correct or not, refusal
or answer. The grade of people is that of most people who graded the reply; a tie gives none.

Reference: BAS, appendix D.1 (200 replies, all graded alike).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

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

Answers = Mapping[str, str]
PEOPLE, JUDGE = "people", "judge"


def _flag(question: str, words: tuple[str, str], first: tuple[str, ...]) -> Callable[[Answers], str | None]:
    """The first of two words where the answer is one of `first`, else the second."""
    return lambda given: words[given[question] not in first] if question in given else None


def _raf(given: Answers) -> str | None:
    if "eligible" not in given:
        return None
    return "correct" if given["eligible"] == given["factual_signal"] == YES else "incorrect"


_CORRECT = ("correct", "incorrect")
MEASURES: Mapping[str, tuple[str, Callable[[Answers], str | None]]] = {
    "grade": ("grade", lambda given: given.get("grade")),
    "correct": ("correct (grade)", _flag("grade", _CORRECT, (Grade.CORRECT,))),
    "code": ("answer or code", lambda given: given.get("predicted")),
    "refusal": ("answer or refusal", _flag("predicted", ("answer", "refusal"), (ANSWER,))),
    "quality": ("quality", lambda given: given.get("quality")),
    "quality_correct": ("correct (quality)", _flag("quality", _CORRECT, ("4", "5"))),
    "eligible": ("eligible", lambda given: given.get("eligible")),
    "factual_all": ("factual", lambda given: given.get("factual_all")),
    "factual_signal": ("factual on signal", lambda given: given.get("factual_signal")),
    "raf": ("RAF", _raf),
}
"""Title of each measure, and what answers come to in it; None where they were not asked for."""


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """One measure over the replies that people graded in it."""

    name: str
    title: str
    n: int
    """Replies on which people have a majority."""
    split: int
    """Replies on which they have none."""
    agreement: Rate
    """Share of the `n` replies that the judge grades as people do."""
    judge: PairAgreement
    """The judge and people's majority."""
    judge_by_person: tuple[PairAgreement, ...]
    members: tuple[PairAgreement, ...]
    """Each of several judges and people's majority."""
    people: tuple[PairAgreement, ...]
    """Each pair of people."""
    by_model: tuple[Rate, ...]
    """As `agreement`, for the replies of each model under test."""
    confusion: tuple[tuple[str, str, int], ...]
    """The judge's grade, people's, and how often the two met; the commonest first."""
    stand_in: StandIn | None = None
    """Whether the judge may stand in for a person; None with fewer than two people."""

    def to_dict(self) -> dict[str, Any]:
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
    """All that is said about a check of the judge."""

    drawn: Mapping[str, Any]
    """How the sample was drawn."""
    judges: tuple[str, ...]
    items: int
    """Judged replies of the sample that still stand."""
    reviewed: int
    """Those that somebody has graded in full."""
    annotators: tuple[AnnotatorWork, ...]
    measures: tuple[GradeAgreement, ...]
    differences: tuple[Mapping[str, str], ...]
    """Where people's majority is not the judge's: reply, item, model, question, and both words."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; what is undefined is None beside a reason."""
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
    """Set the judge of an evaluation against the people who graded its sample.

    Raises `LedgerError` if there is no sample or nobody has finished a reply.
    """
    replies, reviews = read_judged_replies(db, run), read_reviews(db)
    people = {reply.id: finished_grades(reply, reviews) for reply in replies}
    graded = [reply for reply in replies if people[reply.id]]
    if not graded:
        raise LedgerError(f"{run}: nobody has graded a reply yet: `perturb review {run} serve`")
    names = sorted({name for by in reviews.values() for name in by})
    found = [_measure(name, graded, people, names, (resamples, seed)) for name in MEASURES]
    return JudgeReport(
        drawn=read_sample_fact(db),
        judges=tuple(sorted({name for one in graded for name in one.said})),
        items=len(replies),
        reviewed=len(graded),
        annotators=tuple(_work(name, replies, reviews, people) for name in names),
        measures=tuple(one for one in found if one is not None),
        differences=tuple(_differences(graded, people)),
    )


def finished_grades(reply: JudgedReply, reviews: Reviews) -> dict[str, Answers]:
    """What the people who answered every question about a reply say of it."""
    given = reviews.get(reply.id, {})
    return {name: answers for name, answers in given.items() if is_finished(reply.questions, answers)}


def majority_word(words: Sequence[str]) -> str | None:
    """The word given most often; None where two are.

    >>> majority_word(["a", "b", "a"]), majority_word(["a", "b"])
    ('a', None)
    """
    (first, n), *others = Counter(words).most_common(2) or [("", 0)]
    return first if n and all(m < n for _, m in others) else None


def _measure(
    name: str,
    replies: Sequence[JudgedReply],
    people: Mapping[str, Mapping[str, Answers]],
    names: Sequence[str],
    drawing: tuple[int, int],
) -> GradeAgreement | None:
    """None where nobody was asked."""
    title, word = MEASURES[name]
    asked = [reply for reply in replies if word(_counted(reply)) is not None]
    if not asked:
        return None
    words = {JUDGE: [word(_counted(one)) for one in asked]}
    judges = sorted({judge for one in asked for judge in list(one.said)[1:]})
    members = {f"judge {judge}": [word(one.said.get(judge, {})) for one in asked] for judge in judges}
    words |= members | {name: [word(people[one.id].get(name, {})) for one in asked] for name in names}
    words[PEOPLE] = [
        majority_word([said for person in people[one.id].values() if (said := word(person)) is not None])
        for one in asked
    ]
    kinds = sorted({said for column in words.values() for said in column if said is not None})
    codes = {who: np.array([kinds.index(said) if said else np.nan for said in words[who]]) for who in words}
    base = Labels.of_words([one.subject.base_id for one in asked]).codes
    drawn = Resamples.draw(base, *drawing)

    def pair(a: str, b: str) -> PairAgreement:
        return measure_grades((a, b), codes[a], codes[b], max(len(kinds), 2), drawn)

    said = ~np.isnan(codes[PEOPLE])
    same = (codes[JUDGE] == codes[PEOPLE]).astype(np.float64)
    met = Counter(
        (judge, people) for judge, people in zip(words[JUDGE], words[PEOPLE], strict=True) if judge and people
    )
    return GradeAgreement(
        name,
        title,
        n=int(said.sum()),
        split=int((~said).sum()),
        agreement=overall_rate(title, same[said], base[said]),
        judge=pair(JUDGE, PEOPLE),
        judge_by_person=tuple(pair(JUDGE, name) for name in names),
        members=tuple(pair(name, PEOPLE) for name in members),
        people=tuple(pair(a, b) for a, b in combinations(names, 2)),
        by_model=grouped_rates(
            same, said.astype(np.float64), Labels.of_words([one.model for one in asked]), base
        ),
        confusion=tuple((judge, people, n) for (judge, people), n in met.most_common()),
        stand_in=alternative_annotator(JUDGE, codes[JUDGE], {name: codes[name] for name in names}, base),
    )


def _counted(reply: JudgedReply) -> Answers:
    return next(iter(reply.said.values()))


def _work(
    name: str, replies: Sequence[JudgedReply], reviews: Reviews, people: Mapping[str, Mapping[str, Answers]]
) -> AnnotatorWork:
    begun = sum(name in reviews.get(reply.id, {}) for reply in replies)
    finished = sum(name in people[reply.id] for reply in replies)
    return AnnotatorWork(name, finished, begun - finished, None)


def _differences(
    replies: Sequence[JudgedReply], people: Mapping[str, Mapping[str, Answers]]
) -> list[dict[str, str]]:
    found = []
    for reply in replies:
        for question in reply.questions:
            word = majority_word([person[question.name] for person in people[reply.id].values()])
            judge = _counted(reply)[question.name]
            if word not in (None, judge):
                place = {"reply_id": reply.id, "item_id": reply.subject.id, "model": reply.model}
                found.append({**place, "question": question.name, "judge": judge, "people": str(word)})
    return found
