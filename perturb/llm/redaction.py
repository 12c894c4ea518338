"""Takes keys out of texts before they are shown, logged or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

MARK = "[redacted]"

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_ID)?$")
_SHORTEST = 8
"""Values shorter than this are words as often as keys, unless the variable is named as a key."""

_LOOKS_LIKE_KEY = re.compile(
    r"""
    \b(?:sk|pk|rk|hf|gsk|xai|pplx|ghp|gho|nvapi|r8)[-_][\w*.-]{6,}   # OpenAI, Anthropic, Hugging Face, Groq, …
    | \bAIza[\w-]{10,}                                               # Google
    | \b(?:AKIA|ASIA)[A-Z0-9]{8,}                                    # AWS
    | \beyJ[\w-]{8,}\.[\w-]+\.[\w-]*                                 # JSON web tokens
    | (?<=Bearer[ ])[^\s"',)]+
    | (?<=[?&]key=)[^\s"'&]+
    """,
    re.VERBOSE,
)

_SECRET_IN_ADDRESS = re.compile(
    r"""
    (?<=://)[^\s"'/?\#:]*:(?!\d+[/?\#])[^\s"']+(?=@)      # user and password, in which anything may stand
    | (?<=://)[^\s"'/?\#]+(?=@)                            # user, or a token instead
    | (?P<name>[?&][\w.-]*(?:key(?!word)|token|secret|password|signature)[\w.-]*=)[^\s"'&\#]+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Addresses in texts that are published are the authors' own, so `find_keys` leaves these alone."""


def redact(text: str, names: Iterable[str] = ()) -> str:
    r"""The text without the values of key variables, what looks like a key, and what is secret in addresses.

    `names` are environment variables that hold keys; those whose name says so are known anyway.

    >>> redact("401: bad key sk-proj-abcdef123456 in Bearer xyz")
    '401: bad key [redacted] in Bearer [redacted]'
    >>> redact("no way through http://ada:pass@proxy:3128 to https://host/v1?api_token=abc&page=2")
    'no way through http://[redacted]@proxy:3128 to https://host/v1?api_token=[redacted]&page=2'
    """
    for value in _secret_values(frozenset(names)):
        text = text.replace(value, MARK)
    text = _LOOKS_LIKE_KEY.sub(MARK, text)
    return _SECRET_IN_ADDRESS.sub(lambda found: (found["name"] or "") + MARK, text)


def find_keys(text: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    r"""Keys in the text, for refusing to publish it.

    Stricter than `redact`, which may take out too much: what only looks like a key has 20 characters, or 12 with a
    digit among them.

    >>> find_keys("the sk-learning key is sk-proj-abcdef123456")
    ('sk-proj-abcdef123456',)
    """
    known = [value for value in _secret_values(frozenset(names)) if value in text]
    alike = [
        found
        for found in _LOOKS_LIKE_KEY.findall(text)
        if len(found) >= (12 if re.search(r"\d", found) else 20)
    ]
    return (*known, *alike)


def _secret_values(names: frozenset[str]) -> list[str]:
    """Longest first, so that a value that holds another one goes as a whole."""
    values = {
        value
        for name, value in os.environ.items()
        if value and (name in names or (_SECRET_NAME.search(name.upper()) and len(value) >= _SHORTEST))
    }
    return sorted(values, key=len, reverse=True)
