"""What may go wrong on the way to a model and back, drawn by seed or by script.

A fault depends on the content of the request and the number of the attempt only, so a run can be repeated
and a retry may pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from perturb.files.resources import fraction_of


class Fault(StrEnum):
    """One way to fail; the first group fails the call, the second spoils the reply."""

    RATE_LIMIT = "429"
    RATE_LIMIT_WITH_HINT = "429-retry-after"
    NO_QUOTA = "429-insufficient-quota"
    SERVER_ERROR = "500"
    OVERLOADED = "503"
    UNAUTHORISED = "401"
    BAD_REQUEST = "400"
    HANG = "hang"
    DROP = "drop"
    HTML = "html"
    NO_CHOICES = "no-choices"
    NO_USAGE = "no-usage"
    HUGE_USAGE = "huge-usage"
    NULL_CONTENT = "null-content"
    EMPTY = "empty"
    CUT_JSON = "cut-json"
    FENCED = "fenced"
    PROSE = "prose"
    WRONG_LEVER = "wrong-lever"
    WRONG_TARGET = "wrong-target"


class Faults(Protocol):
    """Decides whether an attempt fails, and how."""

    def pick(self, model: str, content: str, attempt: int) -> Fault | None:
        """The fault of attempt number `attempt` (from 0) at the request with digest `content`."""


class RandomFaults:
    """Each fault at its own rate; the rates are probabilities per attempt and sum to at most 1."""

    def __init__(self, rates: Mapping[Fault | str, float], seed: int = 0) -> None:
        self._rates = {Fault(fault): rate for fault, rate in rates.items()}
        self._seed = seed
        if sum(self._rates.values()) > 1 + 1e-9:
            raise ValueError("the rates of the faults sum to more than 1")

    def pick(self, model: str, content: str, attempt: int) -> Fault | None:
        drawn = fraction_of("fault", self._seed, model, content, attempt)
        for fault, rate in self._rates.items():
            drawn -= rate
            if drawn < 0:
                return fault
        return None


class ScriptedFaults:
    """The first attempts at any request fail as listed, later ones pass; `None` in the list passes."""

    def __init__(self, faults: Sequence[Fault | str | None]) -> None:
        self._faults = tuple(None if fault is None else Fault(fault) for fault in faults)

    def pick(self, model: str, content: str, attempt: int) -> Fault | None:
        return self._faults[attempt] if attempt < len(self._faults) else None


NO_FAULTS = ScriptedFaults(())


def spoil(fault: Fault, text: str) -> str | None:
    """The reply text after a fault of the second group; other faults leave it as it is."""
    spoiler = _SPOILERS.get(fault)
    return spoiler(text) if spoiler else text


def _nothing(text: str) -> None:
    return None


def _empty(text: str) -> str:
    return ""


def _cut(text: str) -> str:
    return text[: max(1, len(text) * 2 // 3)]


def _fence(text: str) -> str:
    return f"Here is the object you asked for:\n\n```json\n{text}\n```\nTell me if you want another."


def _prose(text: str) -> str:
    return "I have read the passages with care, but I would rather describe the change in words than as an object."


def _wrong_lever(text: str) -> str:
    return _edit(text, lambda reply: reply | {"lever_selected": "A lever that no catalogue holds"})


def _wrong_target(text: str) -> str:
    """Change both sides, so that a class with a single target sees the forbidden one changed."""

    def change(reply: dict[str, Any]) -> dict[str, Any]:
        sides = {key: reply[key] + " Or so." for key in _SIDES if isinstance(reply.get(key), str)}
        return reply | sides

    return _edit(text, change)


_SIDES = ("perturbed_query", "perturbed_context")


def _edit(text: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    try:
        reply = json.loads(text)
    except ValueError:
        return text
    return json.dumps(change(reply), ensure_ascii=False) if isinstance(reply, dict) else text


_SPOILERS: dict[Fault, Callable[[str], str | None]] = {
    Fault.NULL_CONTENT: _nothing,
    Fault.EMPTY: _empty,
    Fault.CUT_JSON: _cut,
    Fault.FENCED: _fence,
    Fault.PROSE: _prose,
    Fault.WRONG_LEVER: _wrong_lever,
    Fault.WRONG_TARGET: _wrong_target,
}
