"""Texts that no rule was written for: words, titles and answers of NQ-like instances, shuffled between them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.building import write_rows

NQ = Path(__file__).resolve().parents[2] / "shared" / "data" / "nq-open-oracle-400.jsonl"
"""Where the instances lie, if they are there."""

_BLANKS = re.compile(r"(\s+)")


def shuffled(
    rows: list[dict[str, Any]], number: int, seed: int, mild_share: float
) -> Iterator[dict[str, Any]]:
    """So many rows in the form of `rows`, each made of several of them; the first answer stands in the passage.

    `mild_share` of them, from 0 to 1, stay close to one instance.
    """
    dice = random.Random(seed)
    for place in range(number):
        asked, told, other = (dice.choice(rows) for _ in range(3))
        if (
            mild := dice.random() < 0.5
        ):  # still a question about its passage, so that many rules have something to do
            asked = told
        answers = asked["answers"] if mild else dice.choice((asked, told, other))["answers"]
        few, many = (0.02, 0.05) if mild else (0.1, 0.5)
        text = _text(told)
        for known in () if mild else told["answers"]:
            text = text.replace(known, dice.choice(answers))
        sentences = [*text.split(". "), *dice.sample(_text(other).split(". "), k=1)]
        if not mild and dice.random() < 0.5:
            dice.shuffle(sentences)
        text = _exchange(". ".join(sentences), _text(other), dice.choice((0.0, few, many)), dice)
        if answers[0] not in text:
            cut = dice.choice([match.end() for match in _BLANKS.finditer(text)] or [0])
            text = f"{text[:cut]}{answers[0]} {text[cut:]}"
        if dice.random() < 0.3:  # as in the lists and verses of a dump
            text = _BLANKS.sub(lambda blank: "\n" if dice.random() < 0.1 else blank[0], text)
        yield {
            "id": f"shuffled-{seed}-{place}",
            "question": _exchange(asked["question"], told["question"], dice.choice((0.0, few, many)), dice),
            "answers": answers,
            "ctxs": [
                {"title": dice.choice((asked, told, other))["ctxs"][0]["title"], "text": text, "isgold": True}
            ],
        }


def write_shuffled(source: Path, out: Path, number: int, seed: int = 1, mild_share: float = 0.5) -> Path:
    """Write so many shuffled rows; the same ones for the same source and seed."""
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    write_rows(out, shuffled(rows, number, seed, mild_share))
    return out


def _text(row: dict[str, Any]) -> str:
    return str(row["ctxs"][0]["text"])


def _exchange(text: str, donor: str, share: float, dice: random.Random) -> str:
    """The text with about this share of its words taken from another one."""
    words = donor.split() or [""]
    parts = _BLANKS.split(text)
    return "".join(dice.choice(words) if part.strip() and dice.random() < share else part for part in parts)
