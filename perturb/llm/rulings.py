"""Reads what a judge rules about a reply: one object that is the judge's own word, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from perturb.llm.replies import FoundObject, ReplyError, find_object


def read_ruling(text: str, required: frozenset[str], judged: str) -> FoundObject:
    """The object of a judge's reply; unread if it may be quoted from the `judged` reply. Raises `ReplyError`."""
    found = find_object(text, required)
    if not found.is_alone:
        found.must_not_stand_in(judged)
    return found


def read_flags(text: str, keys: Sequence[str], judged: str = "") -> dict[str, bool]:
    """The flags in a judge's reply, none of which the text around them denies. Raises `ReplyError`."""
    found = read_ruling(text, frozenset(keys), judged)
    for key in keys:
        if not isinstance(found.value[key], bool):
            raise ReplyError(f"'{key}' must be true or false")
        name, denial = key.replace("_", "[_ ]"), "(?:false|no)" if found.value[key] else "(?:true|yes)"
        denied = rf"\b{name}[\W_]{{0,12}}(?:is)?[\W_]{{0,12}}{denial}\b(?! ?\w)"
        if found.value[key]:
            denied += rf"|(?:\bnot|n['’]t|\bin|\bun)\W{{0,3}}{name}\b"
        found.must_not_be_denied(re.compile(denied))
    return {key: found.value[key] for key in keys}
