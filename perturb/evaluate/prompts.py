"""What models under test and their judges are sent.

A model under test gets one text, the same that is published beside a snapshot for other harnesses: instructions, then
question and passages between marks that occur nowhere else in it. A judge gets instructions and one JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import jinja2

from perturb.digests import digest
from perturb.evaluate.items import EvaluationItem
from perturb.llm.client import ChatRequest, Message
from perturb.resources import data_folder

Variant = Literal["plain", "confidence"]
"""How a model is asked: for an answer or a code alone, or with one of the five levels of confidence."""

JUDGED_CHARS = 12_000
"""Characters of a reply that a judge is shown; of a longer one, the first two thirds of them and the last third."""


@dataclass(frozen=True, slots=True)
class ItemRequest(ChatRequest):
    """A request about one item, with its parts for a service that takes them apart."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """`prompt`, `query`, `context`, `passages` (a list of texts), `item_id`."""


def render_prompt(item: EvaluationItem, variant: Variant = "plain") -> str:
    """The text that a model is sent about an item; the same item and variant always give the same text.

    Question and passages each stand between `<<MARK` and `MARK>>` on lines of their own, where MARK is drawn from the
    item's texts so that none of them contains it. There are no blanks at either end, which some harnesses would drop.
    """
    mark = _mark(item)
    parts = [_instructions(item.several, variant == "confidence"), _marked("QUESTION", item.query, mark)]
    if item.several:
        for number, passage in enumerate(item.passages, start=1):
            text = f"{passage.title}: {passage.text}" if passage.title else passage.text
            parts.append(_marked(f"PASSAGE {number}", text, mark))
    else:
        parts.append(_marked("PASSAGE", item.context, mark))
    parts.append(f"Reply to the question marked {mark}.")
    return "\n".join(parts)


def respond_request(item: EvaluationItem, variant: Variant) -> ItemRequest:
    """Ask a model under test about an item."""
    prompt = render_prompt(item, variant)
    fields = {
        "prompt": prompt,
        "query": item.query,
        "context": item.context,
        "passages": [passage.text for passage in item.passages],
        "item_id": item.id,
    }
    return ItemRequest((Message("user", prompt),), fields=fields)


def classification_request(item: EvaluationItem, reply: str) -> ChatRequest:
    """Ask a judge whether a reply is an answer or a refusal, and of which code.

    Neither the text nor the expected behaviour is shown: the judge is to read the reply, not to answer in its place.
    """
    fields = {
        "behaviour": {"type": "string", "enum": ["answer", "refusal"]},
        "code": {"type": "string"},
    }
    return _request("classify", {"query": item.query, "reply": shorten(reply)}, fields)


def quality_request(item: EvaluationItem, reply: str) -> ChatRequest:
    """Ask a judge to grade an answer from one passage, 1 to 5."""
    data = {
        "query": item.query,
        "context": item.context,
        "accepted": list(item.answers),
        "reply": shorten(reply),
    }
    return _request("quality", data, {"quality": {"type": "integer"}, "reason": {"type": "string"}})


def raf_request(item: EvaluationItem, reply: str) -> ChatRequest:
    """Ask a judge for eligibility and factuality of an answer from several passages."""
    data = {
        "query": item.query,
        "passages": [
            {"number": number, "title": passage.title, "text": passage.text}
            for number, passage in enumerate(item.passages, start=1)
        ],
        "signal": list(item.signal_numbers),
        "reference": item.reference_answer or next(iter(item.answers), ""),
        "reply": shorten(reply),
    }
    keys = ("eligible", "factual_all", "factual_signal")
    return _request("garage", data, {key: {"type": "boolean"} for key in keys})


def shorten(text: str) -> str:
    """A reply as a judge is shown it: whole, or its beginning and its end if it is longer than `JUDGED_CHARS`."""
    if len(text) <= JUDGED_CHARS:
        return text
    head, tail = JUDGED_CHARS * 2 // 3, JUDGED_CHARS // 3
    return f"{text[:head]}\n[… {len(text) - head - tail} characters left out …]\n{text[-tail:]}"


@lru_cache(maxsize=1)
def respond_version() -> str:
    """Digest of the templates that models under test are asked with."""
    return _folder_digest("respond")


@lru_cache(maxsize=1)
def judge_version() -> str:
    """Digest of the templates that judges are asked with."""
    return digest(_folder_digest("judge"), _folder_digest("respond"))


def _folder_digest(name: str) -> str:
    files = sorted((data_folder("templates") / name).glob("*.j2"))
    return digest([(file.name, file.read_text(encoding="utf-8")) for file in files])


def _mark(item: EvaluationItem) -> str:
    """Eight digits that occur in none of the item's texts, and depend on nothing but them."""
    texts = [item.query, *(part for passage in item.passages for part in (passage.title, passage.text))]
    salt = 0
    while any((mark := digest(salt, texts, length=8)) in text for text in texts):
        salt += 1
    return mark


def _marked(name: str, text: str, mark: str) -> str:
    return f"{name}\n<<{mark}\n{text}\n{mark}>>\n"


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_folder("templates")),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - plain text for models, not HTML
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=4)
def _instructions(several: bool, confidence: bool) -> str:
    name = "several" if several else "single"
    return _environment().get_template(f"respond/{name}.j2").render(confidence=confidence)


@lru_cache(maxsize=4)
def _judge_instructions(name: str) -> str:
    return _environment().get_template(f"judge/{name}.j2").render()


def _request(name: str, data: Mapping[str, Any], fields: Mapping[str, Any]) -> ChatRequest:
    schema = {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return ChatRequest((Message("system", _judge_instructions(name)), Message("user", text)), schema)
