"""The flat table of results, with one row for each reply, and the rubrics by which replies are judged.

All scores come from this table. It is made from an evaluation's ledger without a call to a model; `perturb evaluate`
also writes it into the run folder as `results.jsonl`.

There are three kinds of judgements. `classification` says whether a reply is an answer or a refusal, and with which
code. `quality` and `raf` grade an answer from one passage or from several. A rule judges a reply that is a bare code or
empty; a judge judges all others (`judge_rubric`).

A judgement is stored with a fingerprint. It is a digest of the reply and of the author, which is the rule, or a judge
with its settings and prompts. If one of them changes, the judgement no longer counts.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from perturb.catalogue.classes import ClassEntry, OwnCode, read_classes
from perturb.catalogue.levers import Catalogue
from perturb.errors import LedgerError
from perturb.evaluation.adapters import judge_request, judge_version, kind_request, kinds_version, read_kind
from perturb.evaluation.reading import ANSWER, read_code, read_confidence, refusal_codes
from perturb.evaluation.session import FAILED_CALL, NOT_JUDGED, RULE, Rubric, make_judgement
from perturb.files.resources import digest, writing_errors
from perturb.ledger.calls import reading
from perturb.ledger.db import stored_values
from perturb.ledger.evaluations import read_facts, read_items, read_judgements, read_responses
from perturb.llm.client import ChatRequest
from perturb.llm.replies import ReplyError, after_thinking, read_flags, read_ruling
from perturb.metrics.outcomes import ReplyOutcome, is_correct, predicted_behaviour, reply_outcome
from perturb.records import (
    ANSWER_CORRECTLY,
    Facts,
    Item,
    JsonObject,
    Judgement,
    JudgementStatus,
    Response,
    ResponseStatus,
)
from perturb.snapshots.settings import fingerprint_of, setting_of, split_sample

RESULTS_FILE = "results.jsonl"
# The start of the reason why a row is unscored if the call to the model under test failed.
CALL_FAILED = "response: "
# The start of the reason, after the kind of judgement, if the call to a judge failed. The same command then asks again.
JUDGE_FAILED = "call failed: "


@dataclass(frozen=True, slots=True)
class Result:
    """One judged reply of one model to one item. The fields are the columns of the table, in this order."""

    item_id: str
    """Identifier of the item."""
    model: str
    """Name of the model under test."""
    base_id: str
    """Identifier of the base instance of the item."""
    perturbation_class: str
    """The perturbation class of the item."""
    intensity: str
    """LOW, MEDIUM or HIGH; NONE for a control."""
    expected_rag_behavior: str
    """`ANSWER_CORRECTLY` or the refusal code that is right."""
    predicted: str | None
    """`ANSWER`, the refusal code of a class, or `REFUSE_OTHER`; null while unscored."""
    quality: int | None = None
    """1 to 5, for answers to answerable items with a single passage; 4 and 5 are correct."""
    eligible: bool | None = None
    """For answers to answerable items with several passages, as the next two: the answer does what is asked."""
    factual_all: bool | None = None
    """The passages support every claim."""
    factual_signal: bool | None = None
    """The signal passages support every claim; RAF is 1 if this and `eligible` are true."""
    confidence: str | None = None
    """One of the five levels; null if the model was not asked or stated none."""
    domain: str | None = None
    """Subject area of the item."""
    language: str | None = None
    """Language of the item."""
    lever: str | None = None
    """Lever of the item."""
    generator: str | None = None
    """Generator of the item."""
    unscored: str | None = None
    """Why `predicted` or a judgement that the item needs is missing, as `STAGE: reason`; null if nothing is missing."""
    graded_by: str | None = None
    """How answers to the item are graded, `quality` or `raf`, even if this reply is a refusal; null if unanswerable."""
    construction: str | None = None
    """Of a deep item: how its flaw is hidden."""
    prompt: str | None = None
    """The setting in which the model was asked: `codes`, `plain` or the name of a template file."""
    behaviour_kind: str | None = None
    """The kind of a free reply, such as `answers_flagged`; `predicted` is then the strict reading of that kind."""
    sample: int = 1
    """The number of the reply among the model's replies to the item, from 1."""

    def to_dict(self) -> JsonObject:
        """The row as plain values, with the columns in order."""
        return asdict(self)


# Columns that come from judgements.
_JUDGED = ("predicted", "quality", "eligible", "factual_all", "factual_signal", "behaviour_kind")


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """The present state of an evaluation, finished or not."""

    items: int
    """Number of items that every model is asked about."""
    results: tuple[Result, ...]
    """By model, then in the order of the items; an item without a reply has no row."""
    facts: Facts
    """The stored facts: `snapshot`, `models` (by name) and so on."""

    @property
    def classes(self) -> tuple[ClassEntry, ...]:
        """The user's own classes of the items."""
        return classes_of(self.facts)


def classes_of(facts: Facts) -> tuple[ClassEntry, ...]:
    """The user's own classes in the facts of an evaluation."""
    with stored_values():
        return read_classes(facts.get("snapshot", {}).get("classes", ()))


def judgement_fingerprint(author: str, text: str) -> str:
    """The fingerprint of a judgement of the reply `text`; `author` is the digest of the judge or rule that made it."""
    return digest(author, text)


def judgement_holds(fingerprint: str, authors: Iterable[str], text: str) -> bool:
    """Whether a judgement with this fingerprint is about the reply `text`, and from one of these authors.

    A judgement whose call failed holds as well, until it is replaced: it is the reason why the reply is unscored.
    """
    if fingerprint == FAILED_CALL:
        return True
    return any(fingerprint == judgement_fingerprint(author, text) for author in authors)


def read_run(run: Path) -> EvaluationRun:
    """Read the evaluation in a run folder.

    Replies and judgements that were made with other settings than the newest are left out. Raises `LedgerError` if
    there is no evaluation in the folder.
    """
    with reading(run) as db:
        return run_of(db, run)


@stored_values()
def run_of(db: sqlite3.Connection, run: Path) -> EvaluationRun:
    """The evaluation in an open ledger."""
    facts = read_facts(db)
    if "models" not in facts:
        raise LedgerError(f"{run}: holds no evaluation: give the folder that `perturb evaluate` wrote")
    items = {item_id: Item.from_payload(item_id, payload) for item_id, payload in read_items(db)}
    by_reply: defaultdict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
    for stored in read_judgements(db):
        by_reply[stored.item_id, stored.model, stored.variant].append(stored)
    results = []
    for response in read_responses(db):
        if response.item_id not in items or not is_current(response, facts["models"]):
            continue
        entry = facts["models"][response.model]
        valid_judgements = {
            judgement.kind: judgement
            for judgement in by_reply[response.item_id, response.model, response.variant]
            if judgement_holds(judgement.fingerprint, entry["authors"], response.text)
        }
        prompt = setting_of(entry, response.variant).name
        results.append(_result(items[response.item_id], response, valid_judgements, prompt))
    # Replies are stored in the order in which they arrived; the table must not depend on it.
    positions = {item_id: position for position, item_id in enumerate(items)}
    results.sort(
        key=lambda result: (result.model, result.prompt or "", positions[result.item_id], result.sample)
    )
    return EvaluationRun(len(items), tuple(results), facts)


def write_json_lines(path: Path, rows: Iterable[Facts]) -> None:
    """Write a table with one JSON object per line. Raises `LedgerError` if it cannot be written.

    An old file is replaced only when the new one is complete.
    """
    unfinished = path.with_suffix(".part")
    with writing_errors(path, LedgerError):
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
        unfinished.replace(path)


def is_current(response: Response, models: Facts) -> bool:
    """Whether a response has the settings in which its model was last asked."""
    entry = models.get(response.model)
    return entry is not None and response.fingerprint == fingerprint_of(entry, response.variant)


def _result(item: Item, response: Response, judgements: Mapping[str, Judgement], prompt: str) -> Result:
    values, unscored = _values(item, response, judgements)
    variant, sample = split_sample(response.variant)
    return Result(
        item_id=item.id,
        model=response.model,
        base_id=item.base_id,
        perturbation_class=str(item.cell.perturbation_class),
        intensity=item.intensity,
        expected_rag_behavior=item.expected_behavior,
        **{name: values.get(name) for name in _JUDGED},
        confidence=read_confidence(response.text) if variant == "confidence" else None,
        domain=item.domain,
        language=item.language,
        lever=item.lever or None,
        generator=item.generator or None,
        unscored=unscored,
        graded_by=answer_kind(item) if item.answerable else None,
        construction=item.construction,
        prompt=prompt,
        sample=sample,
    )


def _values(
    item: Item, response: Response, judgements: Mapping[str, Judgement]
) -> tuple[JsonObject, str | None]:
    """The judged values of a reply, and the reason why it is unscored, or None."""
    if response.status is ResponseStatus.ERROR:
        return {}, f"{CALL_FAILED}{response.error}"
    values: JsonObject = {}
    for kind in judgement_kinds(item):
        judgement = judgements.get(kind)
        if judgement is None:
            return values, f"{kind}: {NOT_JUDGED}"
        values |= judgement.value
        if judgement.status is JudgementStatus.UNSCORED:
            reason = " ".join(judgement.raw.split())[:200] or "an empty reply of the judge"
            prefix = JUDGE_FAILED if judgement.fingerprint == FAILED_CALL else ""
            return values, f"{kind}: {prefix}{reason}"
        if values.get("predicted") != ANSWER:
            break  # a refusal has no quality to judge
    return values, None


def outcome_of(expected: str, values: Facts) -> ReplyOutcome:
    """The outcome of a reply to an item, from its judgements."""
    predicted = values.get("predicted")
    return reply_outcome(
        expected,
        ANSWER_CORRECTLY if predicted == ANSWER else predicted,
        is_correct(values.get("quality"), values.get("eligible"), values.get("factual_signal")),
    )


def answer_kind(item: Item) -> str:
    """The kind of judgement for an answer to an answerable item."""
    return "raf" if item.several else "quality"


def judgement_kinds(item: Item) -> list[str]:
    """The judgements that a reply to an item may need, in the order in which they are made."""
    return ["classification", answer_kind(item)] if item.answerable else ["classification"]


# The judgements of an empty reply: a bad answer. It is not a refusal.
_EMPTY: Mapping[str, Facts] = {
    "classification": {"predicted": ANSWER},
    "quality": {"quality": 1},
    "raf": {"eligible": False, "factual_all": False, "factual_signal": False},
}


def rule_author(codes: Mapping[str, str]) -> str:
    """The author of judgements by rule: a digest of the rules of this module."""
    return digest(RULE, dict(codes), _EMPTY)


def judge_author(fingerprint: str, own_codes: tuple[OwnCode, ...], *, free: bool = False) -> str:
    """The author of a judge's judgements: a digest of the judge's `fingerprint` and its prompts.

    The prompts about `free` replies are others: they ask for the kind of reply.
    """
    prompts_version = kinds_version if free else judge_version
    return digest(fingerprint, prompts_version(own_codes))


def judge_by_rule(
    kind: str, response: Response, codes: Mapping[str, str], expected: str | None = None
) -> Judgement | None:
    """The judgement of a reply that is a bare code or empty; None for other replies, which need a judge.

    For a free reply, `expected` is the ground truth of the item, which decides the kind of refusal that a code is.
    """
    value: Facts
    if not after_thinking(response.text):
        value = _EMPTY[kind]
    elif kind == "classification" and (code := read_code(response.text, codes)) is not None:
        value = {"predicted": code}
        if expected:
            reason = "right" if code == expected else "other"
            value = {**value, "behaviour_kind": f"refuses_{reason}_reason"}
    else:
        return None
    fingerprint = judgement_fingerprint(rule_author(codes), response.text)
    return make_judgement(response, kind, RULE, fingerprint, value=value)


def judge_rubric(
    kind: str, item: Item, response: Response, judge: str | None, catalogue: Catalogue, *, free: bool = False
) -> Rubric:
    """The rubric for one kind of judgement of a reply: `classification`, `quality` or `raf`.

    `judge` is the fingerprint of the judge. A `free` reply is classified by its kind.
    """
    own_codes, judged_text = catalogue.own_codes, after_thinking(response.text)
    asks_for_kind = free and kind == "classification"

    def make_request() -> ChatRequest:
        if asks_for_kind:
            return kind_request(item, judged_text, own_codes)
        return judge_request(kind, item, judged_text, own_codes)

    def read(text: str) -> JsonObject:
        if asks_for_kind:
            return _read_kind(text, item.expected_behavior, response.text)
        if kind == "classification":
            return read_classification(text, catalogue.codes, response.text)
        return read_quality(text, response.text) if kind == "quality" else read_raf(text, response.text)

    fingerprint = None
    if judge is not None:
        author = judge_author(judge, own_codes, free=asks_for_kind)
        fingerprint = judgement_fingerprint(author, response.text)
    expected = item.expected_behavior if asks_for_kind else None
    return Rubric(
        kind,
        fingerprint,
        by_rule=judge_by_rule(kind, response, catalogue.codes, expected),
        request=make_request,
        read=read,
        purpose=f"judge {kind}",
    )


def _read_kind(text: str, expected: str, judged: str) -> JsonObject:
    """The kind that a judge names, and its prediction in the strict reading. Raises `ReplyError`."""
    kind = read_kind(text, judged)
    predicted = predicted_behaviour(kind, expected)
    return {"predicted": ANSWER if predicted == ANSWER_CORRECTLY else predicted, "behaviour_kind": str(kind)}


def read_classification(text: str, codes: Mapping[str, str], judged: str = "") -> JsonObject:
    """A judge's classification, as `{"predicted": ANSWER or the canonical code}`. Raises `ReplyError`.

    >>> read_classification('{"behaviour": "answer", "code": ""}', {})
    {'predicted': 'ANSWER'}
    """
    ruling = read_ruling(text, frozenset({"behaviour"}), judged)
    behaviour, code = ruling.value["behaviour"], ruling.value.get("code") or ""
    if behaviour not in ("answer", "refusal"):
        raise ReplyError("'behaviour' must be 'answer' or 'refusal'")
    if not isinstance(code, str):
        raise ReplyError("'code' must be a string")
    named_code = codes.get(code.strip().upper())
    is_refusal_code = named_code in refusal_codes(codes)
    if behaviour == "refusal" and not is_refusal_code:
        raise ReplyError("'code' of a refusal must be one of the codes that were listed")
    if behaviour == "answer" and is_refusal_code:
        raise ReplyError("an answer has no refusal code: decide for one of them")
    # The text beside the ruling must not decide otherwise: `behaviour is "refusal"`, or another refusal code.
    other_behaviour = "refusal" if behaviour == "answer" else "answer"
    denials = [rf"behaviou?r[\W_]{{0,12}}(?:is)?[\W_]{{0,12}}{other_behaviour}"]
    for spelling, name in codes.items():
        if name != ANSWER_CORRECTLY and not (is_refusal_code and name == named_code):
            denials.append(rf"\b{re.escape(spelling.lower())}\b")
    ruling.must_not_be_denied(re.compile("|".join(denials)))
    return {"predicted": named_code if is_refusal_code else ANSWER}


def read_quality(text: str, judged: str = "") -> JsonObject:
    """A judge's grade of an answer, 1 to 5. Raises `ReplyError`.

    >>> read_quality('{"quality": 4, "reason": "a needless remark"}')
    {'quality': 4, 'reason': 'a needless remark'}
    """
    ruling = read_ruling(text, frozenset({"quality"}), judged)
    quality, reason = ruling.value["quality"], ruling.value.get("reason")
    if isinstance(quality, bool) or quality not in (1, 2, 3, 4, 5):
        raise ReplyError("'quality' must be a whole number from 1 to 5")
    other_grade = f"(?!{int(quality)})[1-5]"
    # The text beside the ruling must not give another grade.
    named = (
        rf"(?:quality|score|grade|rating)[\W_]{{0,12}}(?:is|of|as)?[\W_]{{0,12}}{other_grade}"  # `score of 2`
    )
    of_five = rf"(?<![\d.]){other_grade} ?(?:/|out of) ?5"  # `2 out of 5`, but not the 2 of `4.2 out of 5`
    no_decimals = r"(?!\.?\d)"  # not the start of `2.5` or `25`
    ruling.must_not_be_denied(re.compile(f"{named}{no_decimals}|{of_five}"))
    return {"quality": int(quality), "reason": str(reason or "")}


def read_raf(text: str, judged: str = "") -> JsonObject:
    """A judge's three flags on an answer from several passages. Raises `ReplyError`."""
    flags = read_flags(text, ("eligible", "factual_all", "factual_signal"), judged)
    # The signal passages are some of all passages, so what they support is supported.
    if flags["factual_signal"] and not flags["factual_all"]:
        raise ReplyError("'factual_signal' cannot be true where 'factual_all' is false")
    return dict(flags)
