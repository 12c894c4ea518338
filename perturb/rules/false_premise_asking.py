"""How a question with a false premise is put: bare, or after a lead that other classes use as well."""

from __future__ import annotations

import random

from perturb.rules.asides import question_of

_LEADS = (
    "according to the passage, {question}",
    "by what the text says, {question}",
    "from what is said here, {question}",
    "going by this account, {question}",
    "I would like to know this: {question}",
    "tell me, {question}",
    "here is what I wonder about: {question}",
)
_BARE = 0.6
"""Share of the questions that come without a lead."""


def asking(rng: random.Random, text: str) -> str:
    """The question ready for print, now and then after a lead."""
    question = question_of(text)
    if rng.random() < _BARE:
        return question
    first, _, rest = question.partition(" ")
    return question_of(rng.choice(_LEADS).format(question=f"{first.lower()} {rest}"))
