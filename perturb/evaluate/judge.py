"""Judges replies: by rule where the reply itself settles it, else by asking the judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from perturb.digests import digest
from perturb.evaluate.classify import ANSWER, read_code, refusal_codes
from perturb.evaluate.prompts import (
    classification_request,
    judge_version,
    quality_request,
    raf_request,
)
from perturb.evaluate.results import judgement_version
from perturb.llm.asking import Asker
from perturb.llm.client import ChatRequest, ModelSettings
from perturb.llm.replies import ReplyError
from perturb.llm.rulings import read_flags, read_ruling
from perturb.records import ANSWER_CORRECTLY, Item, Judgement, JudgementStatus, Response

RULE = "rule"
"""Who made a judgement for which nobody had to be asked."""

_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "classification": {"predicted": ANSWER},
    "quality": {"quality": 1},
    "raf": {"eligible": False, "factual_all": False, "factual_signal": False},
}
"""What an empty reply counts as: an answer attempt that is worth nothing. It is no refusal, and earns no credit."""


def rule_author(codes: Mapping[str, str]) -> str:
    """Digest of the rules of this module, for `judgement_version`."""
    return digest(RULE, dict(codes), _EMPTY)


def judge_author(settings: ModelSettings) -> str:
    """Digest of a judge, its settings and its prompts, for `judgement_version`."""
    return digest(settings.fingerprint(), judge_version())


def judge_by_rule(kind: str, response: Response, codes: Mapping[str, str]) -> Judgement | None:
    """The judgement that needs nobody: the whole reply is a code, or there is no reply; None otherwise."""
    value: Mapping[str, Any] | None = None
    if not response.text.strip():
        value = _EMPTY[kind]
    elif kind == "classification" and (code := read_code(response.text, codes)) is not None:
        value = {"predicted": code}
    if value is None:
        return None
    version = judgement_version(rule_author(codes), response.text)
    return _judgement(response, kind, RULE, version, value=value)


class Judge:
    """A model that judges, under the name that the asker knows it by."""

    def __init__(self, asker: Asker, name: str, author: str, codes: Mapping[str, str]) -> None:
        """`author` is the judge's digest (`judge_author`)."""
        self._asker = asker
        self._name = name
        self._author = author
        self._codes = codes

    async def judge(self, kind: str, item: Item, response: Response) -> Judgement:
        """Ask about one reply; unscored when no judgement could be read after the retry, or the call failed for good.

        A failed call leaves a judgement without a fingerprint, which the next run replaces. Raises `BudgetSpent`.
        """
        request, read = self._question(kind, item, response.text)
        asked = await self._asker.ask(self._name, request, read, purpose=f"judge {kind}", subject=item.id)
        if asked.status == "error":
            return _judgement(response, kind, self._name, "", raw=asked.error)
        version = judgement_version(self._author, response.text)
        return _judgement(response, kind, self._name, version, value=asked.value, raw=asked.raw)

    def _question(
        self, kind: str, item: Item, reply: str
    ) -> tuple[ChatRequest, Callable[[str], dict[str, Any]]]:
        if kind == "classification":
            return (
                classification_request(item, reply),
                lambda text: read_classification(text, self._codes, reply),
            )
        if kind == "raf":
            return raf_request(item, reply), lambda text: read_raf(text, reply)
        return quality_request(item, reply), lambda text: read_quality(text, reply)


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


def _judgement(
    response: Response,
    kind: str,
    judge: str,
    version: str,
    *,
    value: Mapping[str, Any] | None = None,
    raw: str = "",
) -> Judgement:
    return Judgement(
        item_id=response.item_id,
        model=response.model,
        variant=response.variant,
        kind=kind,
        judge=judge,
        status=JudgementStatus.UNSCORED if value is None else JudgementStatus.READ,
        value=value or {},
        raw=raw,
        fingerprint=version,
    )
