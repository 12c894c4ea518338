"""Two halves of the questions: one that rules are tried on, and one held out, which nobody who changes a rule reads.

A row belongs to the held-out half if the first byte of the SHA-256 of `held-out 160 ` with the digits of its id is odd:
200 of the 400 NQ questions, and of the instances with ten passages those whose ids have the same digits.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Literal

Half = Literal["development", "held-out", "both"]
_SALT = "held-out 160 "


def is_held_out(name: str) -> bool:
    """Whether the row with this id is held out.

    >>> is_held_out("nq-0611"), is_held_out("nqg-0611")
    (False, False)
    """
    digits = re.sub(r"\D", "", name)
    return hashlib.sha256(f"{_SALT}{digits}".encode()).digest()[0] % 2 == 1


def write_half(source: Path, half: Half, target: Path) -> Path:
    """Write the rows of one half of a JSON Lines file; its ids stand in `id` or `sample_id`."""
    kept = []
    for line in source.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        held = is_held_out(str(row.get("id") or row.get("sample_id")))
        if half == "both" or held == (half == "held-out"):
            kept.append(line + "\n")
    target.write_text("".join(kept), encoding="utf-8")
    return target
