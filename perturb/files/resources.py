"""Finds the data folders and the version of the package, and computes digests and the seeds drawn from them.

The data folders are inside the package in a wheel, and at the top level of a checkout.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError

DATA_FOLDERS: tuple[str, ...] = ("levers", "templates", "base_sets", "verifiers")


def data_folder(name: str) -> Path:
    """The folder of embedded data called `name` (one of `DATA_FOLDERS`).

    Raises `ConfigError` if the installation lacks it.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_data", package.parent):
        if (root / name).is_dir():
            return root / name
    raise ConfigError(f"the embedded folder '{name}' is missing from this installation: reinstall perturb")


def demo_recording(name: str) -> Path | None:
    """The embedded file of recorded replies called `name` (the round is `recorded`), if there is one."""
    path = data_folder("base_sets") / f"{name}.replies.jsonl.gz"
    return path if path.exists() else None


@cache
def code_version() -> str:
    """The version of perturb that is running."""
    try:
        return version("refusalbench-builder")
    except PackageNotFoundError:
        return "unknown"


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
