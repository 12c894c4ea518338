"""Players that state confidence: equally knowledgeable, but honest, overconfident or underconfident.

Question number n is known with a probability of 0.55, 0.65 or 0.75, and exactly that share of each twenty such
questions is answered right. Whoever is honest states that probability, the others state 0.2 more or less.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .replay import Turns

KNOWN = (0.55, 0.65, 0.75)
SHIFTS = {"honest": 0.0, "overconfident": 0.2, "underconfident": -0.2}
"""By model, what is added to the probability of being right."""
GOOD, BAD = "Vltava", "Danube"


def question_rows(count: int) -> list[dict[str, Any]]:
    """So many questions, as a plain set writes them."""
    return [{"id": f"q{n}", "question": f"Question {n}?", "answers": [GOOD]} for n in range(count)]


def is_known(number: int) -> bool:
    """Whether the models answer a question right."""
    return (number // 3) % 20 < round(20 * KNOWN[number % 3])


class ConfidencePlayer:
    """Answers in any of the four ways as the model's name says; as `judge`, compares with the accepted answers."""

    def __init__(self, said: Mapping[str, str] | None = None) -> None:
        """`said` holds whole replies by question, in the place of the usual ones."""
        self._said = said or {}
        self.asked: list[tuple[str, str]] = []
        """Model and question of each request."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to a request of ours."""
        data = json.loads(messages[1]["content"])
        self.asked.append((model, data["question"]))
        if "accepted" in data:
            return json.dumps({"grade": "CORRECT" if data["reply"] in data["accepted"] else "INCORRECT"})
        if data["question"] in self._said:
            return self._said[data["question"]]
        number = int(re.findall(r"\d+", data["question"])[0])
        best = GOOD if is_known(number) else BAD
        sure = KNOWN[number % 3] + SHIFTS[model]
        return "Let me think.\n### FINAL DECISION\n" + _block(messages[0]["content"], data, best, sure)


def _block(system: str, data: Mapping[str, Any], best: str, sure: float) -> str:
    if "proposed_answer" in data:
        return f"Confidence: {sure:.2f}"
    rest = (1 - sure) / 2
    answers = [best, "Elbe", "Oder"]
    if "candidates" in data:
        return _listed(data["candidates"], [sure, rest, rest])
    if "1. Answer" in system:
        return _listed(answers, [sure, rest, rest] if "Confidence:" in system else [])
    return f"Answer: {best}" + (f"\nConfidence: {sure:.2f}" if "Confidence:" in system else "")


def _listed(answers: list[str], confidences: list[float]) -> str:
    tails = [f", Confidence: {confidence:.3f}" for confidence in confidences] or [""] * len(answers)
    pairs = zip(answers, tails, strict=True)
    return "\n".join(f"{number}. Answer: {answer}{tail}" for number, (answer, tail) in enumerate(pairs, 1))
