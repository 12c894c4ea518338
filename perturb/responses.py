"""What models under test reply, and what judges say of the replies; imports nothing of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ResponseStatus(StrEnum):
    """Whether a model under test answered at all."""

    ANSWERED = "answered"
    """There is a reply, be it empty."""
    ERROR = "error"
    """The call failed for good; asked again when the run is resumed."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a model under test replied to one item."""

    item_id: str
    model: str
    variant: str
    """How it was asked: the name of the prompt or the elicitation."""
    status: ResponseStatus
    text: str
    """The reply as it came."""
    error: str = ""
    fingerprint: str = ""
    """Digest of the model, its settings and the prompt: a response with another one is out of date."""


class JudgementStatus(StrEnum):
    """Whether a judgement could be read; unreadable is unscored, never right or wrong."""

    READ = "read"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge, or an exact rule, says of one response in one respect."""

    item_id: str
    model: str
    variant: str
    kind: str
    """What is judged: `classification`, `quality`, `eligibility`, `factuality`, `grade`, …"""
    judge: str
    """The name of the judge, or `rule` where no call was needed."""
    status: JudgementStatus
    value: Mapping[str, Any] = field(default_factory=dict)
    """The judgement, by the names of its kind; empty when unscored."""
    raw: str = ""
    """The judge's reply as it came, or the error that stood in its place."""
    fingerprint: str = ""
    """Digest of the judge, its prompt and the response judged."""
