"""The shape of an offline rule: when it may be tried, what it does, and what must hold afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from perturb.records import Cell, Passage
from perturb.rules.analyse import Analysis


@dataclass(frozen=True, slots=True)
class Draft:
    """What a rule makes of an instance."""

    query: str
    passages: tuple[Passage, ...]
    """The whole context after the change; passages the rule leaves alone are the instance's own."""
    reasoning: str
    """One plain sentence for the row's `implementation_reasoning`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One lever done without a language model."""

    lever: str
    """The lever's name in the catalogue."""
    cell: Cell
    precondition: str
    """In words: which instances it serves."""
    applies: Callable[[Analysis], bool]
    apply: Callable[[Analysis, random.Random], Draft | None]
    """Make the draft; None when, looking closer, the result would be doubtful."""
    postcondition: Callable[[Analysis, Draft], str | None]
    """None if the draft keeps its promise, else what is wrong with it."""
