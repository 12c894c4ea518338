"""What every transport does at the wire: headers of failures, schemas, usage, and texts without keys."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from perturb.errors import ModelError, PermanentModelError, TransientModelError
from perturb.llm.client import ChatReply, ModelSettings
from perturb.llm.redaction import LEAKED, redact, without_keys
from perturb.llm.replies import whole_characters

_RETRIED_STATUS = frozenset({408, 409, 425, 429})
_LONGEST_MESSAGE = 500
_MOST_TOKENS = 10**12
"""No call has so many: a larger count is a fault of the server, and sums of such do not fit into a database."""


def is_worth_retrying(status: object, said: str = "") -> bool:
    """Whether a failure may be gone next time: by its HTTP status, if it has one, and not if an account is spent.

    >>> is_worth_retrying(503), is_worth_retrying(None), is_worth_retrying(400)
    (True, True, False)
    >>> is_worth_retrying(429), is_worth_retrying(429, "code: insufficient_quota")
    (True, False)
    """
    passes = not isinstance(status, int) or status in _RETRIED_STATUS or status >= 500
    return passes and "insufficient_quota" not in said


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asked to wait: a number or a date in its headers.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (7.0, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            return _until_date(value)
        return max(0.0, seconds) if seconds < float("inf") else None
    return None


def _until_date(value: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema as the parameter of a chat completion."""
    # Strict mode refuses schemas that leave other properties open.
    strict = schema.get("additionalProperties") is False
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": strict},
    }


def redirect_words(location: str) -> str:
    """What to say of an answer that sends the request on to another address."""
    return f"sent on to {location}: redirects are not followed, give that address as api_base or url"


def failure(settings: ModelSettings, words: str, *, transient: bool, wait: float | None = None) -> ModelError:
    """A failed call as one line that names the model and holds no key."""
    words = redact(" ".join(words.split()))
    message = f"model '{settings.name}': {whole_characters(words[:_LONGEST_MESSAGE])}"
    return TransientModelError(message, retry_after=wait) if transient else PermanentModelError(message)


def chat_reply(
    settings: ModelSettings, text: str, usage: tuple[Any, Any], seconds: float, finish_reason: Any
) -> ChatReply:
    """A reply with its cost, whole characters and no key; `usage` is tokens of prompt and completion as reported."""
    said = whole_characters(text)
    text = without_keys(said)
    # Some report 0 where they have counted nothing; no real prompt is empty.
    prompt = count_of(usage[0]) or None
    completion = count_of(usage[1]) if prompt else None
    cost = None
    if settings.price is not None and prompt is not None and completion is not None:
        cost = settings.price.of(prompt, completion)
    return ChatReply(
        text=text,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost_usd=cost,
        seconds=seconds,
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        problem="" if text == said else LEAKED,
    )


def count_of(value: Any) -> int | None:
    """A number of tokens as it was reported, if it can be one.

    >>> count_of(7), count_of(-1), count_of(10**30), count_of("7")
    (7, None, None, None)
    """
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None
