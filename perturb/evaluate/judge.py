"""Scores replies to the items of a snapshot: by rule where the reply itself settles it, else by asking the judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from perturb.catalogue import Catalogue
from perturb.classes import OwnCode
from perturb.digests import digest
from perturb.evaluate.classify import ANSWER, read_code, refusal_codes
from perturb.evaluate.requests import judge_request, judge_version
from perturb.evaluate.results import judgement_version
from perturb.evaluate.session import RULE, Rubric, judgement
from perturb.llm.replies import ReplyError, after_thinking
from perturb.llm.rulings import read_flags, read_ruling
from perturb.records import ANSWER_CORRECTLY
from perturb.responses import Item, Judgement, Response

_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "classification": {"predicted": ANSWER},
    "quality": {"quality": 1},
    "raf": {"eligible": False, "factual_all": False, "factual_signal": False},
}
"""What an empty reply counts as: an answer attempt that is worth nothing. It is no refusal, and earns no credit."""


def rule_author(codes: Mapping[str, str]) -> str:
    """Digest of the rules of this module, for `judgement_version`."""
    return digest(RULE, dict(codes), _EMPTY)


def judge_author(fingerprint: str, own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of a judge, its settings and its prompts, for `judgement_version`."""
    return digest(fingerprint, judge_version(own_codes))


def judge_by_rule(kind: str, response: Response, codes: Mapping[str, str]) -> Judgement | None:
    """The judgement that needs nobody: the whole reply is a code, or there is no reply; None otherwise."""
    if not after_thinking(response.text):
        value = _EMPTY[kind]
    elif kind == "classification" and (code := read_code(response.text, codes)) is not None:
        value = {"predicted": code}
    else:
        return None
    version = judgement_version(rule_author(codes), response.text)
    return judgement(response, kind, RULE, version, value=value)


def judge_rubric(
    kind: str, item: Item, response: Response, judge: str | None, catalogue: Catalogue
) -> Rubric:
    """What is to be said of a reply to an item: `classification`, `quality` or `raf`; `judge` is its fingerprint."""
    codes, own_codes, said = catalogue.codes, catalogue.own_codes, response.text
    read: Callable[[str], dict[str, Any]] = partial(read_raf if kind == "raf" else read_quality, judged=said)
    if kind == "classification":
        read = partial(read_classification, codes=codes, judged=said)
    return Rubric(
        kind,
        version=judgement_version(judge_author(judge, own_codes), said) if judge else None,
        by_rule=judge_by_rule(kind, response, codes),
        request=partial(judge_request, kind, item, after_thinking(said), own_codes),
        read=read,
        purpose=f"judge {kind}",
    )


def read_classification(text: str, codes: Mapping[str, str], judged: str = "") -> dict[str, Any]:
    """A judge's classification, as `{"predicted": ANSWER or the canonical code}`. Raises `ReplyError`.

    >>> read_classification('{"behaviour": "answer", "code": ""}', {})
    {'predicted': 'ANSWER'}
    """
    found = read_ruling(text, frozenset({"behaviour"}), judged)
    behaviour, code = found.value["behaviour"], found.value.get("code") or ""
    if behaviour not in ("answer", "refusal"):
        raise ReplyError("'behaviour' must be 'answer' or 'refusal'")
    if not isinstance(code, str):
        raise ReplyError("'code' must be a string")
    known = codes.get(code.strip().upper())
    refused = known in refusal_codes(codes)
    if behaviour == "refusal" and not refused:
        raise ReplyError("'code' of a refusal must be one of the codes that were listed")
    if behaviour == "answer" and refused:
        raise ReplyError("an answer has no refusal code: decide for one of them")
    others = [
        spelling.lower()
        for spelling, name in codes.items()
        if name not in (known if refused else None, ANSWER_CORRECTLY)
    ]
    denied = "refusal" if behaviour == "answer" else "answer"
    stated = rf"behaviou?r[\W_]{{0,12}}(?:is)?[\W_]{{0,12}}{denied}"
    found.must_not_be_denied(re.compile("|".join([stated, *(rf"\b{re.escape(one)}\b" for one in others)])))
    return {"predicted": known if refused else ANSWER}


def read_quality(text: str, judged: str = "") -> dict[str, Any]:
    """A judge's grade of an answer, 1 to 5. Raises `ReplyError`.

    >>> read_quality('{"quality": 4, "reason": "a needless remark"}')
    {'quality': 4, 'reason': 'a needless remark'}
    """
    found = read_ruling(text, frozenset({"quality"}), judged)
    reply, quality = found.value, found.value["quality"]
    if isinstance(quality, bool) or quality not in (1, 2, 3, 4, 5):
        raise ReplyError("'quality' must be a whole number from 1 to 5")
    other = f"(?!{int(quality)})[1-5]"
    found.must_not_be_denied(
        re.compile(
            rf"(?:quality|score|grade|rating)[\W_]{{0,12}}(?:is|of|as)?[\W_]{{0,12}}{other}(?!\.?\d)"
            rf"|(?<![\d.]){other} ?(?:/|out of) ?5"
        )
    )
    return {"quality": int(quality), "reason": str(reply.get("reason") or "")}


def read_raf(text: str, judged: str = "") -> dict[str, Any]:
    """A judge's three flags on an answer from several passages. Raises `ReplyError`."""
    keys = ("eligible", "factual_all", "factual_signal")
    reply = read_flags(text, keys, judged)
    if reply["factual_signal"] and not reply["factual_all"]:
        raise ReplyError("'factual_signal' cannot be true where 'factual_all' is false")
    return dict(reply)
