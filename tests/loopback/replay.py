"""Players decide what the served models say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Turns = list[dict[str, Any]]
"""The `messages` of a chat completion request."""


class Player(Protocol):
    """Plays a model: text in, text out."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to the conversation."""


class EchoPlayer:
    """Says the last user message again."""

    def play(self, model: str, messages: Turns) -> str:
        return str(messages[-1]["content"])


class ScriptedPlayer:
    """Says the given texts in turn, over and over."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)
        self._said = 0

    def play(self, model: str, messages: Turns) -> str:
        self._said += 1
        return self._texts[(self._said - 1) % len(self._texts)]
