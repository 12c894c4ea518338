"""What models under test and their judges are sent.

A model under test gets one text, the same that is published beside a snapshot for other harnesses: instructions, then
question and passages between marks that occur nowhere else in it. A judge gets instructions and one JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perturb.classes import OwnCode
from perturb.digests import digest
from perturb.evaluate.questions import Question
from perturb.items import Variant, render_prompt
from perturb.llm.client import ChatRequest, Message
from perturb.prompts import data_request, folder_version, object_schema, render_template
from perturb.records import BaseInstance
from perturb.responses import Item

JUDGED_CHARS = 12_000
"""Characters of a reply that a judge is shown; of a longer one, the first two thirds of them and the last third."""


@dataclass(frozen=True, slots=True)
class ItemRequest(ChatRequest):
    """A request about one item, with its parts for a service that takes them apart."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """`prompt`, `query`, `context`, `passages` (a list of texts), `item_id`."""


def item_request(request: ChatRequest, item: Item | BaseInstance | Question, **known: Any) -> ItemRequest:
    """A request with the parts of what it is about, and what else is `known` of that."""
    if isinstance(item, Question):
        query, context = item.text, item.context or ""
        passages = [] if item.context is None else [item.context]
    else:
        query, context, passages = item.query, item.context, [one.text for one in item.passages]
    prompt = "\n\n".join(message.content for message in request.messages)
    parts = {"prompt": prompt, "query": query, "context": context, "passages": passages, "item_id": item.id}
    return ItemRequest(request.messages, request.schema, fields={**parts, **known})


def respond_request(item: Item, variant: Variant, own_codes: tuple[OwnCode, ...] = ()) -> ItemRequest:
    """Ask a model under test about an item; `own_codes` are those of a user's own classes."""
    return item_request(ChatRequest((Message("user", render_prompt(item, variant, own_codes)),)), item)


def judge_request(kind: str, item: Item, reply: str, own_codes: tuple[OwnCode, ...] = ()) -> ItemRequest:
    """Ask a judge about a reply in one respect.

    `classification`: whether it is an answer or a refusal, and of which code. Neither the text nor the expected
    behaviour is shown: the judge is to read the reply, not to answer in its place. `quality`: a grade of an answer from
    one passage, 1 to 5. `raf`: eligibility and factuality of an answer from several passages.

    A function in the judge's place gets the parts of the item, the reply and what is known of it.
    """
    data: dict[str, Any] = {"query": item.query}
    fields: dict[str, Any]
    if kind == "classification":
        template = render_template("judge/classify", own_codes)
        fields = {
            "behaviour": {"type": "string", "enum": ["answer", "refusal"]},
            "code": {"type": "string"},
        }
    elif kind == "quality":
        template = render_template("judge/quality")
        data |= {"context": item.context, "accepted": list(item.answers)}
        fields = {"quality": {"type": "integer"}, "reason": {"type": "string"}}
    else:
        template = render_template("judge/garage")
        data["passages"] = [
            {"number": number, "title": passage.title, "text": passage.text}
            for number, passage in enumerate(item.passages, start=1)
        ]
        data["signal"] = list(item.signal_numbers)
        data["reference"] = item.reference_answer or next(iter(item.answers), "")
        fields = {key: {"type": "boolean"} for key in ("eligible", "factual_all", "factual_signal")}
    data["reply"] = shorten(reply)
    return item_request(
        data_request(template, data, object_schema(fields)),
        item,
        reply=reply,
        asked=kind,
        answers=list(item.answers),
        reference=item.reference_answer,
        expected=item.expected_behavior,
        signal=list(item.signal_numbers),
    )


def shorten(text: str) -> str:
    """A reply as a judge is shown it: whole, or its beginning and its end if it is longer than `JUDGED_CHARS`."""
    if len(text) <= JUDGED_CHARS:
        return text
    head, tail = JUDGED_CHARS * 2 // 3, JUDGED_CHARS // 3
    return f"{text[:head]}\n[… {len(text) - head - tail} characters left out …]\n{text[-tail:]}"


def judge_version(own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of the templates that judges are asked with."""
    return digest(folder_version("judge"), folder_version("respond", own_codes))
