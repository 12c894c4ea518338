"""The judge that names the kind of a free reply: what it is sent, and how its word is read.

`kind_request` asks, `read_kind` reads, and `perturb.metrics.kinds.predicted_behaviour` says what a kind counts as.
"""

from __future__ import annotations

import re
from functools import cache

from perturb.catalogue.classes import OwnCode
from perturb.catalogue.prompts import data_request, folder_version, object_schema, render_template
from perturb.evaluation.adapters import ItemRequest, item_request, shorten
from perturb.files.resources import digest
from perturb.llm.replies import ReplyError, read_ruling
from perturb.metrics.kinds import BehaviourKind
from perturb.records import Item

_UNREADABLE = "unreadable"
_ENTRY = re.compile(r"^- (\w+): (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)


def kind_request(item: Item, reply: str, own_codes: tuple[OwnCode, ...] = ()) -> ItemRequest:
    """Ask a judge for the kind of a free reply to an item.

    The judge sees the question, the reply and what the item's code means; it sees neither passages nor answers.
    """
    data = {"query": item.query, "reply": shorten(reply), "flaw": flaw_of(item, own_codes)}
    fields = {
        "kind": {"type": "string", "enum": [*BehaviourKind, _UNREADABLE]},
        "reason": {"type": "string"},
    }
    return item_request(
        data_request(render_template("judge/kinds/kind"), data, object_schema(fields)),
        item,
        reply=reply,
        asked="kind",
        answers=list(item.answers),
        reference=item.reference_answer,
        expected=item.expected_behavior,
        signal=list(item.signal_numbers),
    )


def flaw_of(item: Item, own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Why an item cannot be answered, as the list of codes words it; empty for one that can be."""
    return "" if item.answerable else _meanings(own_codes)[item.expected_behavior]


@cache
def _meanings(own_codes: tuple[OwnCode, ...]) -> dict[str, str]:
    listed = render_template("respond/codes", own_codes, examples=False)
    return {code: " ".join(text.split()) for code, text in _ENTRY.findall(listed)}


def read_kind(text: str, judged: str = "") -> BehaviourKind:
    """The kind in a judge's reply about the reply `judged`. Raises `ReplyError`, also where the judge cannot tell.

    >>> read_kind('{"kind": "answers_flagged", "reason": "It names two dates and prefers one."}').value
    'answers_flagged'
    """
    found = read_ruling(text, frozenset({"kind"}), judged)
    kind = found.value["kind"]
    if kind == _UNREADABLE:
        raise ReplyError("the judge says that the reply fits no kind")
    if kind not in list(BehaviourKind):
        raise ReplyError(f"'kind' must be one of {', '.join(BehaviourKind)}")
    others = [
        one for one in BehaviourKind if one != kind and "_" in one
    ]  # a bare "answers" is a word of prose too
    found.must_not_be_denied(re.compile(rf"\b(?:{'|'.join(others)})\b"))
    return BehaviourKind(kind)


def kinds_version(own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of the templates that the judge of kinds is asked with."""
    codes = render_template("respond/codes", own_codes, examples=False)
    return digest(folder_version("judge/kinds"), codes)
