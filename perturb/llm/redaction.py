"""Finds keys in texts: taken out before anything is shown, logged or stored, and looked for before publishing."""

from __future__ import annotations

import base64
import functools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MARK = "[redacted]"

LEAKED = "the reply held a key, which was taken out"
"""Why a reply with a removed key counts as unread: its text has changed."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?)(_ID)?$")
_SHORTEST = 8
"""Shorter values are often plain words, so they are keys only if their variable is named as a key."""
_SHORTEST_NAMED = 4
_SHORTEST_IN_REPLIES = 12
"""Replies are data: what is shorter may stand in them by chance, and must stand for itself in an error."""

_PHRASE = 16
"""Words of at least this length together are a pass phrase and not a placeholder, if a text is to be published."""

_WORD = re.compile(r"[A-Z]?[a-z]{0,15}|[A-Z]{2,16}")
_PLACEHOLDERS = frozenset({"token-abc123"})
"""Placeholders in manuals of servers that check no key; most of them are words."""

_LOOKS_LIKE_KEY = re.compile(
    r"""
    # OpenAI, Anthropic, Hugging Face, Groq, Cerebras, Tavily, Fireworks, LangSmith, ...
    \b(?:sk|pk|rk|hf|gsk|xai|pplx|ghp|gho|nvapi|r8|csk|tvly|tgp|fw|lsv2|xkeysib|shpat)[-_][\w*.-]{6,}
    # GitHub, GitLab, registries of packages, DigitalOcean
    | \b(?:github_pat|gh[supr]|glpat|gldt|glrt|pypi|npm|dop_v1|whsec|rubygems|ntn)[-_][\w-]{10,}
    | \bxox[abeoprs]-[\w-]{8,} | \bxapp-[\w-]{8,}                # Slack
    | \bya29\.[\w-]{8,} | \bGOCSPX-[\w-]{8,}                     # Google
    | \bdapi[0-9a-f]{16,}                                          # Databricks
    | \bSG\.[\w-]{8,}\.[\w-]{8,}                                  # SendGrid
    | \bAIza[\w-]{10,}                                             # Google
    | \b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{8,}             # AWS
    | \beyJ[\w-]{8,}\.[\w-]+\.[\w-]*                              # JSON web tokens
    | (?<=Bearer[ ])[^\s"',)]+
    | (?<=[?&]key=)[^\s"'&]+
    """,
    re.VERBOSE,
)
"""Prefixes of keys, from the lists of gitleaks and detect-secrets."""

_SECRET_IN_ADDRESS = re.compile(
    r"""
    (?<=://)[^\s"'/?\#:]*:(?!\d+[/?\#])[^\s"']+(?=@)      # user and password, in which anything may stand
    | (?<=://)[^\s"'/?\#]+(?=@)                            # user, or a token instead
    | (?P<name>[?&][\w.-]*(?:key(?!word)|token|secret|password|signature)[\w.-]*=)[^\s"'&\#]+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Secrets in addresses. `find_keys` ignores them, since published texts hold only addresses of their authors."""

_in_use: set[str] = set()


def read_key(variable: str | None) -> str | None:
    """The key in an environment variable, None if it is missing; the variable is known to hold a key from now on."""
    if not variable:
        return None
    _in_use.add(variable)
    return os.environ.get(variable) or None


def redact(text: str) -> str:
    r"""The text of an error without keys, what looks like a key, and what is secret in addresses.

    Keys are the values of the variables that `read_key` has read, and of those whose name says so; in base64, in
    hexadecimal, URL-quoted and with the escapes of JSON too.

    >>> redact("401: bad key sk-proj-abcdef123456 in Bearer xyz")
    '401: bad key [redacted] in Bearer [redacted]'
    >>> redact("no way through http://ada:pass@proxy:3128 to https://host/v1?api_token=abc&page=2")
    'no way through http://[redacted]@proxy:3128 to https://host/v1?api_token=[redacted]&page=2'
    """
    secret_values = _values(_SHORTEST_NAMED)
    text = _finder(
        frozenset(value for value in secret_values if len(value) >= _SHORTEST or not _is_words(value))
    ).replace(text)
    *_, plain = _readings(text)
    hidden = set(_LOOKS_LIKE_KEY.findall(plain)) - set(_LOOKS_LIKE_KEY.findall(text))
    text = _LOOKS_LIKE_KEY.sub(MARK, plain if hidden else text)
    return _SECRET_IN_ADDRESS.sub(lambda match: (match["name"] or "") + MARK, text)


def without_keys(reply: str) -> str:
    """A model's reply without keys of 12 characters or more; one that has changed is not what the model said.

    Plain words are not keys: one's own server is often given one in place of a key.
    """
    return _secrets(_SHORTEST_IN_REPLIES).replace(reply)


def find_keys(text: str, variables: Iterable[str] = ()) -> tuple[str, ...]:
    r"""Keys in the text, for refusing to publish it; `variables` are environment variables that hold keys.

    Stricter than `redact`, which may take out too much: words of under 16 characters are not keys, and what only looks
    like a key has 20 characters, or 12 with a digit among them.

    >>> find_keys("the sk-learning key is sk-proj-abcdef123456")
    ('sk-proj-abcdef123456',)
    """
    _in_use.update(variables)
    secrets = _secrets(_SHORTEST, _PHRASE)
    readings = [*_readings(text)][::-1]  # a key is named as it is, not as it was written
    alike = [
        match
        for reading in readings
        for match in _LOOKS_LIKE_KEY.findall(reading)
        if len(match) >= (12 if re.search(r"\d", match) else 20)
    ]
    keys = (match for reading in readings for match in secrets.pattern.findall(reading))
    return tuple(dict.fromkeys((*keys, *alike)))


def show_key(value: Any, variables: Iterable[str] = ()) -> str | None:
    """The first key in the strings of a value, as it may be shown: four characters of it. None if there is no key.

    >>> show_key({"system": ["Use sk-proj-abcdef123456."]})
    'sk-p…'
    """
    return next((f"{key[:4]}…" for text in _strings(value) for key in find_keys(text, variables)), None)


def key_variables(facts: Any) -> set[str]:
    """The environment variables that facts about models name as holding a key.

    >>> key_variables({"generators": [{"name": "g", "api_key_env": "CORP_LLM"}]})
    {'CORP_LLM'}
    """
    members = (
        [*facts.values()] if isinstance(facts, Mapping) else facts if isinstance(facts, list | tuple) else []
    )
    variable = facts.get("api_key_env") if isinstance(facts, Mapping) else None
    return ({variable} if isinstance(variable, str) else set()).union(*map(key_variables, members))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from _strings(name)
            yield from _strings(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _strings(member)


_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|(["\\/]))""")
_DEEPEST = 4
"""The number of times that nested JSON is decoded."""


def _readings(text: str) -> Iterator[str]:
    """The text as it stands, then with the escapes of JSON read, once for each time that it was encoded."""
    yield text
    for _ in range(_DEEPEST):
        plain = _ESCAPE.sub(lambda match: match[2] or chr(int(match[1], 16)), text) if "\\" in text else text
        if plain == text:
            return
        yield (text := plain)


def _values(shortest: int) -> list[str]:
    variables = [(name in _in_use, name) for name in os.environ if name in _in_use or _is_secret_name(name)]
    return [
        value
        for in_use, name in variables
        if len(value := os.environ[name]) >= (shortest if in_use else max(shortest, _SHORTEST))
    ]


@functools.lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name.upper()) is not None


def _secrets(shortest: int, phrase: int = sys.maxsize) -> _Finder:
    """Finds the values that are not placeholders; words are one if they have fewer than `phrase` characters."""
    forms = (
        value
        for value in _values(shortest)
        if value not in _PLACEHOLDERS and (len(value) >= phrase or not _is_words(value))
    )
    return _finder(frozenset(forms))


def _is_words(value: str) -> bool:
    """Whether a value is a word or several, such as `no-key-needed`."""
    return all(_WORD.fullmatch(part) for part in re.split(r"[\W_]+", value))


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds secret values in texts."""

    pattern: re.Pattern[str]
    probes: tuple[str, ...]
    """One of them stands in each text that the pattern matches: a tenth of the time for a text without keys."""

    def replace(self, text: str) -> str:
        """The text with a mark in place of each value."""
        is_present = any(probe in reading for reading in _readings(text) for probe in self.probes)
        return self.pattern.sub(MARK, text) if is_present else text


@functools.lru_cache(maxsize=16)
def _finder(values: frozenset[str]) -> _Finder:
    # The longest first, so that a value that holds another goes as a whole.
    forms = [form for value in sorted(values, key=len, reverse=True) for form in _forms(value)]
    pattern = re.compile("|".join(pattern for pattern, _ in forms) or r"(?!)")
    return _Finder(pattern, tuple(probe for _, probe in forms))


def _forms(value: str) -> Iterator[tuple[str, str]]:
    """Pattern and probe of each form of a value: plain, escaped, URL-quoted, hexadecimal, base64 in a longer text."""
    plain = "".join(map(_any_form, value))
    probe = max(re.split(r"[\W_]+", value), key=len)
    if len(value) < _SHORTEST_IN_REPLIES:
        yield rf"(?<![^\W_]){plain}(?![^\W_])", probe
        return
    yield plain, probe
    content = value.encode("utf-8", "surrogateescape")
    quoted = "".join(f"%{byte:02x}" for byte in content)
    yield from ((form, form) for form in (quoted, quoted.upper(), content.hex(), content.hex().upper()))
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        # The characters at the ends hold bits of what stands beside it.
        inner = encoded[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        yield inner.replace("+", "[+-]").replace("/", "[/_]"), max(re.split("[+/]", inner), key=len)


def _any_form(char: str) -> str:
    escaped = rf"\\{{1,8}}u(?i:{ord(char):04x})"
    if char.isalnum():
        return f"(?:{char}|{escaped})"
    quoted = "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))
    slashed = r"\\{0,8}" if char in '"/' else r"\\{0,7}" if char == "\\" else ""
    return (
        f"(?:{slashed}{re.escape(char)}|{escaped}|{quoted}|{quoted.lower()}{'|[+]' if char == ' ' else ''})"
    )
