"""Levers that have a rule and are not used, because too few of their items were fit to publish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SWITCHED_OFF: Mapping[str, str] = MappingProxyType(
    {
        "Ambiguous Deictic Reference": "1 of 3 fit: the passage says more of the thing it is about than of its rival",
        "Attachment Cascade": "2 of 4 fit: the closing clause leans to the name beside it",
        "Century vs. Millisecond": "4 of 7 fit: what is timed is not what the question speaks of",
        "Contradiction in Reported Speech": "11 of 16 fit: other words of the quoted sentence tell which is right",
        "Dual-eligible Pronoun": "4 of 6 fit: one of the two people is the likelier one",
        "Ethical Stance": "4 of 6 fit: hardly anybody would take the other side",
        "Fringe vs. Official Source": "11 of 18 fit: the added sentence does not say what it is about",
        "Placeholder Entity Substitution": "10 of 16 fit: another value steps in, or the description reads badly",
    }
)
"""Lever -> why, with the figure that a reader found."""
