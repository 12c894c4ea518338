"""Replies that a judge graded, for people to check. People see what the judge saw, without its judgement.

A *judgement* answers one or more questions about a reply. Its kind is `grade` for questions with a known answer, and
`classification`, `quality` or `raf` for items of a snapshot. A panel of judges gives a judgement, and each of its
members a vote.

`draw_replies` draws the sample that people check, `read_judged_replies` reads it again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from perturb.auditing.rubric import GRADE_QUESTIONS, NO, YES, RubricQuestion, Sample, draw_evenly
from perturb.catalogue.levers import Catalogue
from perturb.errors import ConfigError
from perturb.evaluation.adapters import judge_request
from perturb.evaluation.answers import KIND as QUESTION_GRADE
from perturb.evaluation.answers import allowed_grades, grade_request
from perturb.evaluation.question_formats import Question, question_from_payload
from perturb.evaluation.reading import ANSWER, refusal_codes
from perturb.evaluation.results import classes_of, is_current, judgement_holds
from perturb.evaluation.session import RULE
from perturb.files.resources import digest
from perturb.ledger.db import stored_values
from perturb.ledger.evaluations import (
    PANEL_FACT,
    read_facts,
    read_items,
    read_judgements,
    response_of,
    sample_ids,
    votes_on,
)
from perturb.llm.client import ChatRequest
from perturb.records import Facts, Item, JsonObject, Judgement, JudgementStatus, Response
from perturb.snapshots.settings import setting_of, split_sample

# Names of the texts that a judge gets → their headings on the page.
HEADINGS = {
    "query": "Question",
    "question": "Question",
    "reply": "The reply",
    "accepted": "Accepted answers",
    "reference": "Reference answer",
    "signal": "Signal passages",
    "context": "Text it was to answer from",
    "passages": "Passages it was to answer from",
}


@dataclass(frozen=True)
class JudgedReply:
    """A reply and one kind of judgement of it.

    For pages, sheets and exports it has the same attributes as `perturb.auditing.review_items.CandidateItem`.
    """

    # What differs between the kinds of review item, for pages and sheets.
    page: ClassVar[str] = "review/judged.html.j2"
    id_column: ClassVar[str] = "reply_id"
    focus: ClassVar[str] = "reply"
    grouped_by: ClassVar[tuple[str, ...]] = ("kind",)
    guidelines: ClassVar[str] = "Grade each reply as the judge was told to, by what it says."

    position: int
    """The place in the order of review, from 1."""
    kind: str
    """The kind of judgement: `grade`, `classification`, `quality` or `raf`."""
    model: str
    """The model under test; hidden from people."""
    subject: Item | Question
    reply: str
    """The text that the judge got."""
    judge: str
    """The judge whose judgement counts, `panel` for a panel. Hidden from people."""
    answers: Mapping[str, str]
    """Question → the answer of that judge. Hidden from people."""
    votes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Member of the panel → question → its answer; empty without a panel. Hidden from people."""
    catalogue: Catalogue = field(default_factory=Catalogue.load, compare=False)
    """The catalogue with the codes that the judge could choose from."""
    prompt: str | None = None
    """The name of the setting in which the model was asked; None for questions with a known answer."""
    sample: int = 1
    """The number of the reply among the model's replies to the item, from 1."""

    @cached_property
    def id(self) -> str:
        """A digest that reveals neither model nor judge. People judge equal replies of a model only once."""
        return digest(self.subject.id, self.model, self.kind, self.reply)

    @property
    def label(self) -> str:
        """The label of the reply in an overview."""
        return self.kind

    @cached_property
    def request(self) -> ChatRequest:
        """The request that the judge got."""
        if isinstance(self.subject, Item):
            return judge_request(self.kind, self.subject, self.reply, self.catalogue.own_codes)
        return grade_request(self.subject, self.reply)

    @property
    def instructions(self) -> str:
        """The system message that the judge got."""
        return self.request.messages[0].content

    @cached_property
    def judge_input(self) -> JsonObject:
        """The texts and lists that the judge got, by name."""
        return dict(json.loads(self.request.messages[1].content))

    @cached_property
    def questions(self) -> tuple[RubricQuestion, ...]:
        """The questions that people answer: the same as those of the judge."""
        questions = GRADE_QUESTIONS[self.kind]
        if isinstance(self.subject, Question):
            return (replace(questions[0], choices=allowed_grades(self.subject)),)
        if self.kind == "classification":
            choices = (ANSWER, *refusal_codes(self.catalogue.codes))
            return (replace(questions[0], choices=choices),)
        return questions

    @property
    def headings(self) -> Mapping[str, str]:
        """Columns of `values` that other tools show → their headings."""
        return {name: heading for name, heading in HEADINGS.items() if name in self.judge_input}

    @property
    def values(self) -> dict[str, str]:
        """One row of a sheet: the reply with everything the judge got, as texts by column."""
        texts = {name: _as_text(value) for name, value in self.judge_input.items()}
        choices = "; ".join(f"{question.name}: {' | '.join(question.choices)}" for question in self.questions)
        head = {"item": str(self.position), self.id_column: self.id, "kind": self.kind}
        return {**head, **texts, "choices": choices}

    def verdict(self, answers: Mapping[str, str]) -> str:
        """A person's finished answers as one text."""
        return ", ".join(answers[question.name] for question in self.questions)


def draw_replies(db: sqlite3.Connection, size: int = 200, seed: int = 0, kinds: Sequence[str] = ()) -> Sample:
    """Draw `size` replies for each kind of judgement, or all if there are fewer.

    Replies that a rule graded, and judgements that could not be read, are left out. Raises `ConfigError` if no reply
    remains.
    """
    pool = {reply.id: reply.kind for reply in judged_replies(db) if not kinds or reply.kind in kinds}
    if not pool:
        of_kinds = f" for {', '.join(kinds)}" if kinds else ""
        raise ConfigError(
            f"no reply was graded by a judge{of_kinds}: let the evaluation finish, with --judge"
        )
    chosen = draw_evenly(pool, size, seed)
    judged = Counter(pool.values())
    drawn = Counter(pool[reply_id] for reply_id in chosen)
    counts = {kind: {"judged": n, "drawn": drawn[kind]} for kind, n in sorted(judged.items())}
    return chosen, {"size": size, "seed": seed, "kinds": counts}


def read_judged_replies(db: sqlite3.Connection, run: Path) -> tuple[JudgedReply, ...]:
    """The drawn replies whose judgement still counts, in order. Raises `LedgerError` if none were drawn."""
    judged = {reply.id: reply for reply in judged_replies(db)}
    # If the model was asked again after the draw, the reply has another text, and so another id.
    still_judged = [judged[reply_id] for reply_id in sample_ids(db, run) if reply_id in judged]
    return tuple(replace(reply, position=position) for position, reply in enumerate(still_judged, start=1))


@stored_values()
def judged_replies(db: sqlite3.Connection) -> tuple[JudgedReply, ...]:
    """Every reply with a readable judgement by a judge, drawn or not."""
    facts, payloads = read_facts(db), dict(read_items(db))
    catalogue = Catalogue.load().with_classes(classes_of(facts))
    replies = []
    for judgement in read_judgements(db):
        # What a rule has read needs no check by people, and an unreadable judgement cannot be checked.
        if judgement.judge == RULE or judgement.status is not JudgementStatus.READ:
            continue
        # Replies are read one by one, by their key, so that replies without a judgement are never in memory.
        response = response_of(db, judgement.item_id, judgement.model, judgement.variant)
        payload = payloads.get(judgement.item_id)
        if response is None or payload is None or not _holds(judgement, response, facts):
            continue
        subject, text, prompt = _judged_text(judgement, response, payload, facts)
        _, sample = split_sample(judgement.variant)
        replies.append(
            JudgedReply(
                position=0,  # `read_judged_replies` numbers the replies that were drawn
                kind=judgement.kind,
                model=judgement.model,
                subject=subject,
                reply=text,
                judge=judgement.judge,
                answers=_answers(judgement),
                votes=_votes_of_members(db, judgement) if facts.get(PANEL_FACT) else {},
                catalogue=catalogue,
                prompt=prompt,
                sample=sample,
            )
        )
    return tuple(replies)


def _judged_text(
    judgement: Judgement, response: Response, payload: JsonObject, facts: Facts
) -> tuple[Item | Question, str, str | None]:
    """The item or question, the text that the judge graded, and the name of the setting (None for questions)."""
    if judgement.kind == QUESTION_GRADE:
        return question_from_payload(judgement.item_id, payload), str(judgement.value["answer"]), None
    setting = setting_of(facts["models"][judgement.model], judgement.variant)
    return Item.from_payload(judgement.item_id, payload), response.text, setting.name


def _votes_of_members(db: sqlite3.Connection, judgement: Judgement) -> dict[str, dict[str, str]]:
    """Member of the panel → its answers, if they could be read."""
    votes = votes_on(db, judgement.item_id, judgement.model, judgement.variant, judgement.kind)
    return {judge: _answers(vote) for judge, vote in votes.items() if vote.status is JudgementStatus.READ}


def _holds(judgement: Judgement, response: Response, facts: Facts) -> bool:
    """Whether a judgement is about the reply that counts now."""
    if judgement.kind == QUESTION_GRADE:
        return True  # it stores the answer that it is about
    models = facts["models"]
    return is_current(response, models) and judgement_holds(
        judgement.fingerprint, models[judgement.model]["authors"], response.text
    )


def _answers(judgement: Judgement) -> dict[str, str]:
    """The judgement as a person would give it: answers by question."""
    answers = {}
    for question in GRADE_QUESTIONS[judgement.kind]:
        value = judgement.value[question.name]
        if isinstance(value, bool):
            value = YES if value else NO
        answers[question.name] = str(value)
    return answers


def _as_text(value: Any) -> str:
    """A value of the judge's input as a cell of a sheet: a text, a list, or a numbered passage."""
    if isinstance(value, list):
        return " | ".join(map(_as_text, value))
    if isinstance(value, dict):
        return f"[{value['number']}] {value['text']}"
    return str(value)
