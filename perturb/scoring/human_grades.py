"""Scores corrected by people who graded a sample of the judged replies, and the error rates of the judge.

If a reply should answer and does, the quality or the RAF (relevance-aware factuality) that people gave decides. For any
other reply, their classification decides: an answer, or a refusal with a code. If the judge takes an answer for a
refusal, nobody was asked for its quality. The reply then counts as not correct, as it does for the judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.files.tables import read_table
from perturb.metrics.corrected_rates import CorrectedRate, combined
from perturb.metrics.inputs import Estimate, Flags, Floats, NamedEstimates
from perturb.metrics.outcomes import CORRECT_FROM
from perturb.metrics.refusal_registry import REFUSAL_METRICS, rate_of
from perturb.records import ANSWER_CORRECTLY
from perturb.scoring.model_scores import Resampling
from perturb.scoring.result_rows import ResultRow
from perturb.scoring.table import ModelReplies
from perturb.snapshots.settings import CODES

if TYPE_CHECKING:
    from perturb.auditing.judged_replies import JudgedReply
    from perturb.ledger.evaluations import Reviews

# The kind of judgement that says whether a reply answers, or with which code it refuses.
CLASSIFICATION = "classification"
# What people choose for a reply that answers; for other replies they choose the code.
ANSWER_WORD = "ANSWER"
# The metric that the grades of people correct by way of its halves.
CRS = "calibrated_refusal_score"
# The two metrics whose mean is the CRS.
HALVES = ("answer_accuracy", "refusal_accuracy")
# The metrics that are shares of replies, so they can be corrected directly.
RATES = (*HALVES, "false_refusal_rate", "missed_refusal_rate")
# The metrics that people's grades correct.
CORRECTED: tuple[str, ...] = (*RATES, CRS)

# Model, setting, item and sample of a reply.
Key = tuple[str, str, str, int]
# Question → the answer that most people gave.
Answers = Mapping[str, str]
# Human grades by reply and kind of judgement; None for a judged reply without a grade.
Grades = dict[Key, dict[str, Answers | None]]


def read_grades(run: Path, table: Path | None = None) -> Grades:
    """The judged replies of a run with the grades of people, from the ledger or from an exported table.

    Raises `ConfigError` if the run is not the folder of an evaluation, `SourceError` if the table cannot be read or
    nobody has graded a reply.
    """
    from perturb.auditing.judged_replies import judged_replies
    from perturb.ledger.calls import reading
    from perturb.ledger.evaluations import read_reviews

    if not run.is_dir():
        raise ConfigError(f"{run}: has no ledger: --review needs the folder of an evaluation")
    with reading(run) as db:
        replies = judged_replies(db)
        reviews = read_reviews(db) if table is None else _read_answers(table)
    grades = grades_of(replies, reviews)
    if not any(answers for kinds in grades.values() for answers in kinds.values()):
        raise SourceError(f"{table or run}: nobody has graded a reply of {run}: `perturb review {run} serve`")
    return grades


def grades_of(replies: Iterable[JudgedReply], reviews: Reviews) -> Grades:
    """The majority answers to each reply; a reply without a majority on every question has no grade."""
    from perturb.auditing.judge_check import finished_grades, majority_word

    grades: Grades = defaultdict(dict)
    for reply in replies:
        finished = finished_grades(reply, reviews).values()
        majorities = {
            question.name: majority_word([answers[question.name] for answers in finished])
            for question in reply.questions
        }
        answers = {name: word for name, word in majorities.items() if word is not None}
        is_complete = len(answers) == len(majorities)
        grades[key_of_judged(reply)][reply.kind] = answers if is_complete else None
    return grades


def key_of_judged(reply: JudgedReply) -> Key:
    """The key of a reply that a judge graded; an evaluation without settings has the prompt with codes."""
    return reply.model, reply.prompt or CODES, reply.subject.id, reply.sample


def key_of_row(row: ResultRow) -> Key:
    """The key of a reply in a table of results."""
    return row.model, row.prompt or CODES, row.item_id, row.sample


def _read_answers(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    """The answers in a table of `perturb review export`: reply → annotator → question → answer."""
    grades: dict[str, dict[str, dict[str, str]]] = {}
    for row in read_table(path):
        reply, annotator = row.fields.get("reply_id"), row.fields.get("annotator")
        if reply is None or annotator is None:
            raise SourceError(
                f"{row.place}: no 'reply_id' or no 'annotator': give a table of `perturb review export`"
            )
        fields = {name: str(value) for name, value in row.fields.items() if value is not None}
        grades.setdefault(str(reply), {})[str(annotator)] = fields
    return grades


@dataclass(frozen=True, slots=True)
class CorrectedScores:
    """Corrected metrics by model and for pairs of models, and the errors of the judge."""

    models: Mapping[str, NamedEstimates]
    pairs: Mapping[tuple[str, str], NamedEstimates]
    """The first model minus the second, over all items of each."""
    judge_errors: tuple[JudgeErrors, ...]


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """The error rates of the judge for one model and kind of judgement, among the replies that people graded."""

    model: str
    kind: str
    """`classification`, `quality` or `raf`."""
    false_pass: Estimate
    """Among the replies that are wrong for people, the share that is right for the judge."""
    false_fail: Estimate
    """Among the replies that are right for people, the share that is wrong for the judge."""


@dataclass(frozen=True)
class GradedReply:
    """One reply with the grades of people."""

    row: ResultRow
    grades: Mapping[str, Answers | None] = field(default_factory=dict)
    """Kind of judgement → the grade of people; None if nobody graded it. A kind that no judge decided is missing."""

    @property
    def kind(self) -> str | None:
        """The kind of judgement that decides whether the behaviour is right; None if the judge made none."""
        if self.row.expected == self.row.predicted == ANSWER_CORRECTLY:
            return next((kind for kind in ("quality", "raf") if kind in self.grades), None)
        return CLASSIFICATION if CLASSIFICATION in self.grades else None

    def kind_for(self, rate: str) -> str | None:
        """The kind of judgement that decides whether the reply is a hit of a rate; None if the judge made none."""
        if rate == "answer_accuracy":
            return self.kind
        return CLASSIFICATION if CLASSIFICATION in self.grades else None

    def hit_for_people(self, rate: str) -> float:
        """1 if the reply is a hit of the rate for people, 0 if not, NaN without a grade."""
        kind = self.kind_for(rate)
        answers = None if kind is None else self.grades[kind]
        if kind is None or answers is None:
            return np.nan
        return float(is_hit(rate, kind, answers, self.row.expected))


def is_hit(rate: str, kind: str, answers: Answers, expected: str) -> bool:
    """Whether a grade of one kind makes the reply a hit of the rate."""
    if kind == "quality":
        return int(answers["quality"]) >= CORRECT_FROM
    if kind == "raf":
        return answers["eligible"] == "yes" and answers["factual_signal"] == "yes"
    is_answer = answers["predicted"] == ANSWER_WORD
    if rate == "false_refusal_rate":
        return not is_answer
    if rate == "missed_refusal_rate":
        return is_answer
    # For the accuracy of answers, a classification alone is never a hit: nobody was asked for the quality.
    return rate == "refusal_accuracy" and answers["predicted"] == expected


def correct_scores(
    models: Sequence[ModelReplies], grades: Grades, pairs: Collection[tuple[str, str]], resampling: Resampling
) -> CorrectedScores:
    """Correct the scores of each model, and the differences between `pairs`."""
    bases = number_bases(models)
    rates: dict[str, dict[str, CorrectedRate]] = {}
    errors: list[JudgeErrors] = []
    for model in models:
        replies = graded_replies(model.rows, grades)
        rates[model.model] = _rates(replies, bases)
        errors += _judge_errors(model.model, replies, resampling)
    by_model = {
        model: {name: rate.estimate() for name, rate in model_rates.items()}
        for model, model_rates in rates.items()
    }
    by_pair: dict[tuple[str, str], NamedEstimates] = {}
    for a, b in pairs:
        differences = {name: combined([rates[a][name], rates[b][name]], [1.0, -1.0]) for name in CORRECTED}
        by_pair[a, b] = {name: difference.estimate() for name, difference in differences.items()}
    return CorrectedScores(by_model, by_pair, tuple(errors))


def number_bases(models: Sequence[ModelReplies]) -> dict[str, int]:
    """Base instance → its number, the same for all models, so that differences know which replies share a base."""
    names = sorted({row.item.base_id for model in models for row in model.rows})
    return {base: number for number, base in enumerate(names)}


def graded_replies(rows: Iterable[ResultRow], grades: Grades) -> list[GradedReply]:
    """The rows, each with the grades of people for it."""
    return [GradedReply(row, grades.get(key_of_row(row), {})) for row in rows]


@dataclass(frozen=True)
class CountedReplies:
    """The replies that a rate counts, as judged and as graded by people; all fields have an entry for each reply."""

    replies: list[GradedReply]
    judge_hits: Floats
    """1 if the reply is a hit for the judge, 0 if not."""
    people_hits: Floats
    """1 if the reply is a hit for people, 0 if not, NaN without a grade."""
    was_judged: Flags
    """Whether a judge decided, rather than a rule."""
    strata: list[str]
    """Class and kind of judgement: replies in a stratum are equally likely to be graded."""

    @classmethod
    def of(cls, replies: Sequence[GradedReply], name: str) -> CountedReplies:
        """The replies that the rate with this name counts, out of all replies of a model."""
        metric = REFUSAL_METRICS[name]
        counted = [reply for reply in replies if reply.row.outcome in metric.over]
        return cls(
            replies=counted,
            judge_hits=np.array([reply.row.outcome in metric.hits for reply in counted], dtype=np.float64),
            people_hits=np.array([reply.hit_for_people(name) for reply in counted], dtype=np.float64),
            was_judged=np.array([reply.kind_for(name) is not None for reply in counted], dtype=np.bool_),
            strata=[f"{reply.row.item.perturbation_class} {reply.kind}" for reply in counted],
        )

    def corrected(self, grades: Floats, bases: Mapping[str, int]) -> CorrectedRate:
        """The rate corrected by these grades, such as `people_hits`; `bases` numbers the base instances of all models.

        With `judge_hits`, it is the rate if people agreed with the judge everywhere.
        """
        numbers = np.array([bases[reply.row.item.base_id] for reply in self.replies], dtype=np.int64)
        return CorrectedRate.of(self.judge_hits, grades, self.was_judged, self.strata, numbers, len(bases))


def _rates(replies: Sequence[GradedReply], bases: Mapping[str, int]) -> dict[str, CorrectedRate]:
    """The corrected rates of a model, and its corrected CRS."""
    rates = {}
    for name in RATES:
        counted = CountedReplies.of(replies, name)
        rates[name] = counted.corrected(counted.people_hits, bases)
    return {**rates, CRS: combined([rates[name] for name in HALVES], [0.5, 0.5])}


def _judge_errors(model: str, replies: Sequence[GradedReply], resampling: Resampling) -> list[JudgeErrors]:
    """The errors of the judge for each kind of judgement that people graded."""
    errors = []
    for kind in (CLASSIFICATION, "quality", "raf"):
        graded = [
            (reply.row, answers) for reply in replies if (answers := reply.grades.get(kind)) is not None
        ]
        if not graded:  # judges of quality and of RAF exclude each other
            continue
        resamples = resampling.draw([row for row, _ in graded])
        people = np.array([_is_right_for_people(kind, answers, row) for row, answers in graded])
        judge = np.array([_is_right_for_judge(kind, row) for row, _ in graded])
        errors.append(
            JudgeErrors(
                model,
                kind,
                false_pass=rate_of(judge, ~people, resamples, "people find no reply wrong"),
                false_fail=rate_of(~judge, people, resamples, "people find no reply right"),
            )
        )
    return errors


def _is_right_for_people(kind: str, answers: Answers, row: ResultRow) -> bool:
    if kind != CLASSIFICATION:
        return is_hit("answer_accuracy", kind, answers, row.expected)
    return answers["predicted"] == (ANSWER_WORD if row.expected == ANSWER_CORRECTLY else row.expected)


def _is_right_for_judge(kind: str, row: ResultRow) -> bool:
    if kind == "quality":
        return (row.quality or 0) >= CORRECT_FROM
    if kind == "raf":
        return bool(row.raf)
    return row.predicted == row.expected
