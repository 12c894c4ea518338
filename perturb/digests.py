"""Content hashes and the seeds drawn from them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spare blanks: equal values give equal text.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _ENCODER.encode(value)


def digest(*parts: Any, length: int = 16) -> str:
    """Hexadecimal SHA-256 of the parts, cut to `length` digits.

    >>> digest("a", "b") == digest("ab")
    False
    """
    return hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()[:length]


def seed_of(*parts: Any) -> int:
    """A 64-bit seed that depends on nothing but the parts."""
    return int(digest(*parts, length=16), 16)


def fraction_of(*parts: Any) -> float:
    """A number in [0, 1) that depends on nothing but the parts: a coin that can be tossed again."""
    return seed_of(*parts) / 2**64
