"""Players that answer questions in two passes, with planted knowledge and caution, and one that grades them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perturb.files.resources import digest, fraction_of, seed_of

from .replay import Turns

FORCED = "Always give an answer"
UNANSWERED_EXAMPLE = "OUTPUT: <answer>UNANSWERED</answer>"
THRESHOLDS = {0: 1.2, 1: 0.8, 4: 0.3, 6: -0.2}
"""How far the urge to refuse must rise, by the number of unanswered examples in the prompt."""
DIFFICULTY = -0.2
"""Where the urge to err makes an answer wrong."""


@dataclass
class AnswererPlayer:
    """Answers right or wrong and refuses by two correlated draws for each question; as `judge`, grades."""

    answers: Mapping[str, str]
    """The right answer by the text of the question."""
    rho: Mapping[str, float] = field(default_factory=dict)
    """Correlation of the urges to refuse and to err, by model; 0.6 unless given."""
    unreadable: float = 0.0
    """Share of requests to the judge that get no readable grade, however often it is asked."""
    forced: list[tuple[str, str]] = field(default_factory=list)
    """Model and question of each request of a second pass."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model`."""
        data = json.loads(messages[1]["content"])
        if "reply" in data:
            return self._grade(data)
        system = str(messages[0]["content"])
        refuses, errs = self.urges(model, data["question"])
        if FORCED in system:
            self.forced.append((model, data["question"]))
        elif refuses > THRESHOLDS[system.count(UNANSWERED_EXAMPLE)]:
            in_words = fraction_of("in words", model, data["question"]) < 0.3
            return "I do not know that." if in_words else "<think>Hm.</think><answer>UNANSWERED</answer>"
        if errs > DIFFICULTY:
            return "Well. <answer>something else</answer>"
        return f"Well. <answer>surely {self.answers[data['question']]}</answer>"

    def urges(self, model: str, question: str) -> tuple[float, float]:
        """The urges to refuse and to err, standard normal and correlated."""
        chance = random.Random(seed_of("urges", model, question))
        rho = self.rho.get(model, 0.6)
        shared, other = chance.gauss(), chance.gauss()
        return shared, rho * shared + (1 - rho**2) ** 0.5 * other

    def truth(self, model: str, question: str, unanswered: int) -> tuple[int, int]:
        """Whether `model` refuses the question with so many unanswered examples, and whether it is wrong."""
        refuses, errs = self.urges(model, question)
        return int(refuses > THRESHOLDS[unanswered]), int(errs > DIFFICULTY)

    def _grade(self, data: Mapping[str, Any]) -> str:
        if fraction_of("unreadable", digest(data)) < self.unreadable:
            return "It is hard to say."
        reply = data["reply"]
        if reply.startswith("I do not know"):
            grade = "NOT_ATTEMPTED"
        else:
            grade = "CORRECT" if any(answer in reply for answer in data.get("accepted", ())) else "INCORRECT"
        return json.dumps({"grade": grade})
