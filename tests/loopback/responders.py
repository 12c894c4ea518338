"""Players that act as models under test and as their judge, of known behaviour: what they score can be counted by hand.

They know the items by their prompts. What a model says depends on its name, or on the part of it before the first dash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from perturb.catalogue.classes import OwnCode
from perturb.files.resources import fraction_of
from perturb.records import Item, PerturbationClass
from perturb.snapshots.items import render_prompt

from .replay import Turns

REFUSAL_IN_WORDS = "I cannot answer that: the text does not say."
"""Takes a judge to see as a refusal for want of information."""

WRONG_ANSWER = "It was Wrongham."
RIGHT_SHARE = 0.6

CODES = {
    PerturbationClass.AMBIGUITY: "REFUSE_AMBIGUOUS",
    PerturbationClass.CONTRADICTION: "REFUSE_CONTRADICTORY_CONTEXT",
    PerturbationClass.MISSING_INFO: "REFUSE_INFO_MISSING_IN_CONTEXT",
    PerturbationClass.FALSE_PREMISE: "REFUSE_FALSE_PREMISE_IN_QUERY",
    PerturbationClass.GRANULARITY: "REFUSE_GRANULARITY_MISMATCH",
    PerturbationClass.EPISTEMIC: "REFUSE_NONFACTUAL_QUERY",
}


def right_answer(item: Item) -> str:
    """A reply that the judge below grades as right."""
    return f"It was {item.answers[0]}."


def has_right_code(item: Item) -> bool:
    """Whether the model `sixty` knows the code of an unanswerable item."""
    return fraction_of("right code", item.id) < RIGHT_SHARE


def always_refuse(item: Item) -> str:
    """Refuses in words, whatever the item."""
    return REFUSAL_IN_WORDS


def never_refuse(item: Item) -> str:
    """Gives the original answer, whatever the item."""
    return right_answer(item)


def right_code_in_sixty(item: Item) -> str:
    """Answers what can be answered; of the rest, names the right code of `RIGHT_SHARE` and `REFUSE_OTHER` else."""
    if item.answerable:
        return right_answer(item)
    known = CODES.get(item.cell.perturbation_class, item.expected_behavior)
    return known if has_right_code(item) else "REFUSE_OTHER"


def confident_and_wrong(item: Item) -> str:
    """Gives a wrong answer to everything and is sure of it."""
    return f"{WRONG_ANSWER}\nCONFIDENCE: VERY_CONFIDENT"


def empty(item: Item) -> str:
    """Says nothing."""
    return ""


def long(item: Item) -> str:
    """Answers right, and goes on for more than 100,000 characters."""
    return right_answer(item) + " So it was." * 10_000


BEHAVIOURS: dict[str, Callable[[Item], str]] = {
    "refuse": always_refuse,
    "never": never_refuse,
    "sixty": right_code_in_sixty,
    "wrong": confident_and_wrong,
    "empty": empty,
    "long": long,
}


class Responders:
    """Plays every model of `BEHAVIOURS` as one under test, and any model as a judge."""

    def __init__(
        self, items: Iterable[Item], unreadable: Sequence[str] = (), own_codes: tuple[OwnCode, ...] = ()
    ) -> None:
        """The judge does not give a readable grade of replies to questions that hold one of `unreadable`."""
        self._items = {
            render_prompt(item, variant, own_codes): item
            for item in items
            for variant in ("plain", "confidence")
        }
        self.unreadable = list(unreadable)
        self.judged: list[dict[str, object]] = []
        """What the judge was shown, request by request."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to the conversation."""
        if messages[0]["role"] == "system":
            return self._judge(json.loads(messages[1]["content"]))
        return BEHAVIOURS[model.partition("-")[0]](self._items[messages[0]["content"]])

    def _judge(self, data: dict[str, object]) -> str:
        self.judged.append(data)
        reply, query = str(data["reply"]), str(data["query"])
        if any(words in query for words in self.unreadable):
            return "A fine reply, I should say."
        if "accepted" in data:
            accepted = data["accepted"]
            assert isinstance(accepted, list)
            right = any(answer in reply for answer in accepted)
            return json.dumps({"quality": 5 if right else 1, "reason": "as it is"})
        if "passages" in data:
            right = str(data["reference"]) in reply
            return json.dumps({"eligible": True, "factual_all": right, "factual_signal": right})
        refused = reply.startswith(REFUSAL_IN_WORDS)
        code = "REFUSE_INFO_MISSING_IN_CONTEXT" if refused else ""
        return json.dumps({"behaviour": "refusal" if refused else "answer", "code": code})
