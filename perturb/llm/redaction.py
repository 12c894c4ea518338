"""Finds keys in texts.

Errors and replies are stripped of keys before they are shown, logged or stored. Texts with a key are not published.
Keys are the values of environment variables. How long a value must be depends on the place:

- In an error (`redact`), 4 characters are enough if a configuration names the variable, and 8 if only its name tells
  that it holds a key. Plain words must have 8. The error also loses everything that looks like a key.
- In a reply (`without_keys`), a key has 12 characters, and is not a plain word.
- In a text to publish (`find_keys`), a key has 8 characters, or 16 if it consists of plain words. What looks like a key
  counts from 20 characters, or 12 with a digit.
"""

from __future__ import annotations

import base64
import functools
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# What stands in a text instead of a key.
REDACTED = "[redacted]"
# Why a reply that held a key counts as unread: the text that is left is not what the model wrote.
HELD_KEY = "the reply held a key, which was taken out"

# The end of the name of a variable that holds a key: OPENAI_API_KEY, AWS_ACCESS_KEY_ID, DB_PASSWORD
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?)(_ID)?$")
# The least characters of a key, if only the name of its variable tells that it is one. Shorter values are often words.
_SHORTEST = 8
# The least characters of a key, if a configuration names its variable.
_SHORTEST_NAMED = 4
# The least characters of a key in a reply, which may hold a shorter value by chance. In an error, a shorter value must
# be a whole word.
_SHORTEST_IN_REPLIES = 12

# The least characters of a text that looks like a key and stops a publication.
_SHORTEST_LOOKALIKE = 20
_SHORTEST_LOOKALIKE_WITH_DIGIT = 12

# The least characters of plain words that stop a publication, as a pass phrase. Fewer are a placeholder.
_PHRASE = 16

# A plain word: "no", "Needed" or "EMPTY". A key mixes small letters, capitals and digits.
_WORD = re.compile(r"[A-Z]?[a-z]{0,15}|[A-Z]{2,16}")
# Placeholders from the manuals of servers that do not check keys. Other placeholders are plain words.
_PLACEHOLDERS = frozenset({"token-abc123"})

# Prefixes of keys, from the lists of gitleaks and detect-secrets.
_LOOKS_LIKE_KEY = re.compile(
    r"""
    # OpenAI, Anthropic, Hugging Face, Groq, Cerebras, Tavily, Fireworks, LangSmith, ...
    \b(?:sk|pk|rk|hf|gsk|xai|pplx|ghp|gho|nvapi|r8|csk|tvly|tgp|fw|lsv2|xkeysib|shpat)[-_][\w*.-]{6,}
    # GitHub, GitLab, registries of packages, DigitalOcean
    | \b(?:github_pat|gh[supr]|glpat|gldt|glrt|pypi|npm|dop_v1|whsec|rubygems|ntn)[-_][\w-]{10,}
    | \bxox[abeoprs]-[\w-]{8,} | \bxapp-[\w-]{8,}                # Slack
    | \bya29\.[\w-]{8,} | \bGOCSPX-[\w-]{8,} | \bAIza[\w-]{10,}  # Google
    | \bdapi[0-9a-f]{16,}                                          # Databricks
    | \bSG\.[\w-]{8,}\.[\w-]{8,}                                  # SendGrid
    | \b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{8,}             # AWS
    | \beyJ[\w-]{8,}\.[\w-]+\.[\w-]*                              # JSON web tokens
    | (?<=Bearer[ ])[^\s"',)]+
    | (?<=[?&]key=)[^\s"'&]+
    """,
    re.VERBOSE,
)

# Secrets in addresses. `find_keys` ignores them, since the addresses in published texts come from their authors.
_SECRET_IN_ADDRESS = re.compile(
    r"""
    (?<=://)[^\s"'/?\#:]*:(?!\d+[/?\#])[^\s"']+(?=@)      # user and password, in which anything may stand
    | (?<=://)[^\s"'/?\#]+(?=@)                            # user, or a token instead
    | (?P<name>[?&][\w.-]*(?:key(?!word)|token|secret|password|signature)[\w.-]*=)[^\s"'&\#]+
    """,
    re.VERBOSE | re.IGNORECASE,
)

# The environment variables that hold a key, as far as this process has learned: redaction must know them all.
_in_use: set[str] = set()


def read_key(variable: str | None) -> str | None:
    """The key in an environment variable; None if it is missing. From now on its value is taken out of texts."""
    if not variable:
        return None
    _in_use.add(variable)
    return os.environ.get(variable) or None


def redact(text: str) -> str:
    r"""The text of an error without keys, without anything that looks like a key, and without secrets in addresses.

    Keys are the values of the variables that `read_key` has read, and of those whose names say that they hold a key.
    They are also found in base64, in hexadecimal, URL-quoted and with the escapes of JSON.

    >>> redact("401: bad key sk-proj-abcdef123456 in Bearer xyz")
    '401: bad key [redacted] in Bearer [redacted]'
    >>> redact("no way through http://ada:pass@proxy:3128 to https://host/v1?api_token=abc&page=2")
    'no way through http://[redacted]@proxy:3128 to https://host/v1?api_token=[redacted]&page=2'
    """
    # A short plain word, such as "none" as the key of a local server, would be taken out of every sentence.
    secrets = frozenset(
        value for value in _key_values(_SHORTEST_NAMED) if len(value) >= _SHORTEST or not _is_words(value)
    )
    text = _value_finder(secrets).replace(text)
    *_, unescaped = _decodings(text)  # the last one has no escapes left
    # The escapes are kept, since the text may be read as JSON later. But a key may hide behind them.
    hidden_keys = set(_LOOKS_LIKE_KEY.findall(unescaped)) - set(_LOOKS_LIKE_KEY.findall(text))
    if hidden_keys:
        text = unescaped
    text = _LOOKS_LIKE_KEY.sub(REDACTED, text)
    return _SECRET_IN_ADDRESS.sub(lambda match: (match["name"] or "") + REDACTED, text)


def without_keys(reply: str) -> str:
    """A model's reply without keys of 12 characters or more. Callers treat a changed reply as unread.

    Plain words are not keys, since users often configure a word as the key of a server that does not check keys.
    """
    return _key_finder(_SHORTEST_IN_REPLIES).replace(reply)


def find_keys(text: str, variables: Iterable[str] = ()) -> tuple[str, ...]:
    r"""The keys in a text that is to be published; `variables` are environment variables that hold keys.

    `redact` may take out too much, but a key found here stops a publication. So words of under 16 characters are not
    keys, and what merely looks like a key must have 20 characters, or 12 with a digit.

    >>> find_keys("the sk-learning key is sk-proj-abcdef123456")
    ('sk-proj-abcdef123456',)
    """
    return _keys_in(text, _publication_finder(variables))


def _publication_finder(variables: Iterable[str]) -> _Finder:
    """The finder of keys that must not be published, among them the values of these variables."""
    _in_use.update(variables)
    return _key_finder(_SHORTEST, _PHRASE)


def _keys_in(text: str, secrets: _Finder) -> tuple[str, ...]:
    """The secrets in a text, then the texts that look like keys, each once."""
    # The decoded text comes first, so that a key is reported without escapes.
    readings = list(reversed(list(_decodings(text))))
    keys = [key for reading in readings for key in secrets.pattern.findall(reading)]
    for reading in readings:
        for lookalike in _LOOKS_LIKE_KEY.findall(reading):
            # Names such as "sk-learning" begin like a key too, but seldom hold digits.
            has_digit = re.search(r"\d", lookalike) is not None
            if len(lookalike) >= (_SHORTEST_LOOKALIKE_WITH_DIGIT if has_digit else _SHORTEST_LOOKALIKE):
                keys.append(lookalike)
    return tuple(dict.fromkeys(keys))


def show_key(value: Any, variables: Iterable[str] = ()) -> str | None:
    """The first four characters of the first key in the strings of a value; None if they hold no key.

    >>> show_key({"system": ["Use sk-proj-abcdef123456."]})
    'sk-p…'
    """
    secrets = _publication_finder(variables)  # once for all strings: it looks through the environment
    return next((f"{key[:4]}…" for text in _strings(value) for key in _keys_in(text, secrets)), None)


def key_variables(facts: Any) -> set[str]:
    """The environment variables that facts about models name as variables with a key.

    >>> key_variables({"generators": [{"name": "g", "api_key_env": "CORP_LLM"}]})
    {'CORP_LLM'}
    """
    if isinstance(facts, list | tuple):
        return set().union(*map(key_variables, facts))
    if not isinstance(facts, Mapping):
        return set()
    variables = set().union(*map(key_variables, facts.values()))
    if isinstance(variable := facts.get("api_key_env"), str):
        variables.add(variable)
    return variables


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from _strings(name)
            yield from _strings(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _strings(member)


# An escape of JSON: a character by its number (group 1), or a quotation mark or slash (group 2).
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|(["\\/]))""")
# How often JSON within JSON is decoded. Each level of a proxy or a log adds one.
_DEEPEST = 4


def _decodings(text: str) -> Iterator[str]:
    """Yield the text, then the text with one level of JSON escapes decoded after another, while that changes it."""
    yield text
    for _ in range(_DEEPEST):
        decoded = _ESCAPE.sub(_unescaped, text)
        if decoded == text:
            return
        text = decoded
        yield text


def _unescaped(escape: re.Match[str]) -> str:
    number, character = escape.groups()
    return character or chr(int(number, 16))


def _key_values(shortest: int) -> list[str]:
    """The values of variables with a key, if long enough: `shortest` holds for variables that a configuration names."""
    values = []
    # Every call comes here, and reading a value costs more than reading a name.
    for name in os.environ:
        if name in _in_use:
            least = shortest
        elif _is_secret_name(name):
            least = max(shortest, _SHORTEST)
        else:
            continue
        value = os.environ.get(name, "")
        if len(value) >= least:
            values.append(value)
    return values


@functools.lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name.upper()) is not None


def _key_finder(shortest: int, phrase: int = sys.maxsize) -> _Finder:
    """The finder of keys that are not placeholders. Words of fewer than `phrase` characters are placeholders."""
    keys = (
        value
        for value in _key_values(shortest)
        if value not in _PLACEHOLDERS and (len(value) >= phrase or not _is_words(value))
    )
    return _value_finder(frozenset(keys))


def _is_words(value: str) -> bool:
    """Whether a value consists of words, such as `no-key-needed`."""
    return all(map(_WORD.fullmatch, re.split(r"[\W_]+", value)))


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds secret values in texts, in all forms of `_forms`."""

    pattern: re.Pattern[str]
    probes: tuple[str, ...]
    """A text that the pattern matches holds one of these. Looking for them first takes a tenth of the time."""

    def replace(self, text: str) -> str:
        """The text with a mark instead of each value."""
        is_present = any(probe in decoding for decoding in _decodings(text) for probe in self.probes)
        return self.pattern.sub(REDACTED, text) if is_present else text


@functools.lru_cache(maxsize=16)
def _value_finder(values: frozenset[str]) -> _Finder:
    # The longest value comes first, so that a value that contains another is taken out as a whole.
    forms = [form for value in sorted(values, key=len, reverse=True) for form in _forms(value)]
    pattern = re.compile("|".join(pattern for pattern, _ in forms) or r"(?!)")
    return _Finder(pattern, tuple(probe for _, probe in forms))


def _forms(value: str) -> Iterator[tuple[str, str]]:
    """Yield pattern and probe of each form of a value: plain, escaped, URL-quoted, hexadecimal, base64."""
    plain = "".join(map(_any_form, value))
    # The probe must hold no character that may be escaped, so it is the longest run of letters and digits.
    probe = max(re.split(r"[\W_]+", value), key=len)
    if len(value) < _SHORTEST_IN_REPLIES:
        yield rf"(?<![^\W_]){plain}(?![^\W_])", probe
        return
    yield plain, probe
    content = value.encode("utf-8", "surrogateescape")
    quoted = "".join(f"%{byte:02x}" for byte in content)
    yield from ((form, form) for form in (quoted, quoted.upper(), content.hex(), content.hex().upper()))
    yield from _base64_forms(content)


def _base64_forms(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield pattern and probe of the base64 forms of a value."""
    # Base64 packs three bytes of 8 bits into four characters of 6 bits. Within an encoded text, the value can begin at
    # any of the three bytes, and each beginning gives other characters.
    for bytes_before in range(3):
        encoded = base64.b64encode(bytes(bytes_before) + content).decode()
        # The characters at the edges also hold bits of what stands before or after the value, so they are cut off.
        start = math.ceil(bytes_before * 8 / 6)
        end = (bytes_before + len(content)) * 8 // 6
        inner = encoded[start:end]
        # The alphabet for URLs has "-" and "_" instead of "+" and "/".
        yield inner.replace("+", "[+-]").replace("/", "[/_]"), max(re.split("[+/]", inner), key=len)


def _any_form(char: str) -> str:
    """A pattern of a character as it is, with JSON escapes, or URL-quoted.

    Each level of JSON within JSON doubles the backslashes: 1, 2, 4 or 8 before a number, a quotation mark or a slash.
    A backslash itself is one of them, so up to 7 stand before it.
    """
    escaped = rf"\\{{1,8}}u(?i:{ord(char):04x})"
    if char.isalnum():
        return f"(?:{char}|{escaped})"
    quoted = "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))
    forms = [re.escape(char), escaped, quoted, quoted.lower()]
    if char in '"/':
        forms[0] = r"\\{0,8}" + forms[0]
    elif char == "\\":
        forms[0] = r"\\{0,7}" + forms[0]
    elif char == " ":
        forms.append("[+]")
    return f"(?:{'|'.join(forms)})"
