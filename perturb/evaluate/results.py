"""The flat table of results: one row for each item and model, read from an evaluation's ledger without a call.

Everything that scores reads this table, and `perturb evaluate` leaves it in the run folder as `results.jsonl`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from perturb.classes import ClassEntry, read_classes
from perturb.digests import digest
from perturb.errors import LedgerError
from perturb.evaluate.classify import ANSWER, read_confidence
from perturb.evaluate.session import NOT_JUDGED
from perturb.metrics.outcomes import ReplyOutcome, is_correct, reply_outcome
from perturb.records import ANSWER_CORRECTLY
from perturb.responses import Item, Judgement, JudgementStatus, Response, ResponseStatus
from perturb.store.calls import reading
from perturb.store.db import stored_values
from perturb.store.evaluations import read_facts, read_items, read_judgements, read_responses
from perturb.text_files import writing_errors

RESULTS_FILE = "results.jsonl"
JUDGE_FAILED = "call failed: "
"""Why there is no judgement, where the same command asks for it again."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one model did with one item. The fields are the columns of the table, in this order."""

    item_id: str
    model: str
    base_id: str
    perturbation_class: str
    intensity: str
    """LOW, MEDIUM or HIGH; NONE for a control."""
    expected_rag_behavior: str
    """`ANSWER_CORRECTLY` or the refusal code that is right."""
    predicted: str | None
    """`ANSWER`, the refusal code of a class, or `REFUSE_OTHER`; None while unscored."""
    quality: int | None = None
    """1 to 5, for answer attempts on answerable items with a single passage; 4 and 5 are correct."""
    eligible: bool | None = None
    """This and the next two: for answer attempts on answerable items with several passages."""
    factual_all: bool | None = None
    """Every claim is supported by the passages, whichever they are."""
    factual_signal: bool | None = None
    """Every claim is supported by the signal passages alone; RAF = `eligible` and this."""
    confidence: str | None = None
    """One of `classify.CONFIDENCE_LEVELS`; None where the model was not asked or stated none."""
    domain: str | None = None
    language: str | None = None
    lever: str | None = None
    generator: str | None = None
    """Who made the item."""
    unscored: str | None = None
    """Why `predicted` or a judgement that the item needs is missing: `STAGE: reason`; None when all are there."""
    graded_by: str | None = None
    """How an answer to the item is graded, `quality` or `raf`, be it answered or not; None for unanswerable items."""

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, columns in order."""
        return asdict(self)


_JUDGED = ("predicted", "quality", "eligible", "factual_all", "factual_signal")
"""Columns that say what judges said."""
COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Result))


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """An evaluation as it stands, be it finished or not."""

    items: int
    """Items that every model is to be asked about."""
    results: tuple[Result, ...]
    """By model, then in the order of the items; an item without a reply yet has no row."""
    facts: Mapping[str, Any]
    """`snapshot`, `models` (by name), `judge_under_test`, … as `perturb.evaluate.run` writes them."""

    @property
    def classes(self) -> tuple[ClassEntry, ...]:
        """A user's own classes among those of the items."""
        return classes_of(self.facts)


def classes_of(facts: Mapping[str, Any]) -> tuple[ClassEntry, ...]:
    """The classes of a user's own that the facts of an evaluation state."""
    with stored_values():
        return read_classes(facts.get("snapshot", {}).get("classes", ()))


def judgement_version(author: str, text: str) -> str:
    """The fingerprint of a judgement of the reply `text`; `author` is the digest of the judge or rule that made it."""
    return digest(author, text)


def judgement_holds(version: str, authors: Iterable[str], text: str) -> bool:
    """Whether a judgement with this fingerprint is still one of the reply `text`, by one of these authors."""
    return not version or any(version == judgement_version(author, text) for author in authors)


def read_run(run: Path) -> EvaluationRun:
    """Read the evaluation in a run folder.

    Replies and judgements that were made with other settings than the newest are left out. Raises `LedgerError` if
    there is no evaluation in the folder.
    """
    with reading(run) as db:
        return run_of(db, run)


@stored_values()
def run_of(db: sqlite3.Connection, run: Path) -> EvaluationRun:
    """The evaluation behind an open ledger."""
    facts = read_facts(db)
    if "models" not in facts:
        raise LedgerError(f"{run}: holds no evaluation: give the folder that `perturb evaluate` wrote")
    items = {item_id: Item.from_payload(item_id, payload) for item_id, payload in read_items(db)}
    judged: dict[tuple[str, str, str], list[Judgement]] = {}
    for one in read_judgements(db):
        judged.setdefault((one.item_id, one.model, one.variant), []).append(one)
    results = []
    for response in read_responses(db):
        if response.item_id in items and is_current(response, facts["models"]):
            authors = facts["models"][response.model]["authors"]
            said = judged.get((response.item_id, response.model, response.variant), ())
            # one that failed for good has no fingerprint and is always shown
            holding = {
                one.kind: one for one in said if judgement_holds(one.fingerprint, authors, response.text)
            }
            results.append(_result(items[response.item_id], response, holding))
    places = {item_id: place for place, item_id in enumerate(items)}
    results.sort(key=lambda one: (one.model, places[one.item_id]))
    return EvaluationRun(len(items), tuple(results), facts)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table, one JSON object a line, whole or not at all; raises `LedgerError` if it cannot be."""
    beside = path.with_suffix(".part")
    with writing_errors(path, LedgerError):
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
        beside.replace(path)


def is_current(response: Response, models: Mapping[str, Any]) -> bool:
    """Whether a response was made as its model was asked last."""
    known = models.get(response.model)
    return known is not None and (response.variant, response.fingerprint) == (
        known["variant"],
        known["fingerprint"],
    )


def _result(item: Item, response: Response, judged: Mapping[str, Judgement]) -> Result:
    values, unscored = _values(item, response, judged)
    return Result(
        item_id=item.id,
        model=response.model,
        base_id=item.base_id,
        perturbation_class=str(item.cell.perturbation_class),
        intensity=item.intensity,
        expected_rag_behavior=item.expected_behavior,
        **{name: values.get(name) for name in _JUDGED},
        confidence=read_confidence(response.text) if response.variant == "confidence" else None,
        domain=item.domain,
        language=item.language,
        lever=item.lever or None,
        generator=item.generator or None,
        unscored=unscored,
        graded_by=answer_kind(item) if item.answerable else None,
    )


def _values(
    item: Item, response: Response, judged: Mapping[str, Judgement]
) -> tuple[dict[str, Any], str | None]:
    if response.status is ResponseStatus.ERROR:
        return {}, f"response: {response.error}"
    values: dict[str, Any] = {}
    for kind in ["classification", *([answer_kind(item)] if item.answerable else [])]:
        found = judged.get(kind)
        if found is None:
            return values, f"{kind}: {NOT_JUDGED}"
        values |= found.value
        if found.status is JudgementStatus.UNSCORED:
            said = " ".join(found.raw.split())[:200] or "an empty reply of the judge"
            return values, f"{kind}: {'' if found.fingerprint else JUDGE_FAILED}{said}"
        if values.get("predicted") != ANSWER:
            break
    return values, None


def outcome_of(expected: str, values: Mapping[str, Any]) -> ReplyOutcome:
    """What became of a reply to an item, by what its judgements say."""
    predicted = values.get("predicted")
    return reply_outcome(
        expected,
        ANSWER_CORRECTLY if predicted == ANSWER else predicted,
        is_correct(values.get("quality"), values.get("eligible"), values.get("factual_signal")),
    )


def answer_kind(item: Item) -> str:
    """The kind of judgement that an answer attempt on an answerable item needs."""
    return "raf" if item.several else "quality"
