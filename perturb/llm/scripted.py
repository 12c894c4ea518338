"""A model that says what it is told: for tests, ours and those of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perturb.errors import ModelError
from perturb.llm.client import ChatReply, ChatRequest, ModelSettings

Line = str | ChatReply | ModelError
"""What a scripted model does with one request: say a text, give a whole reply, or fail."""


class ScriptedModel:
    """Answers from a list in order, the last line over and over, or from a function of the request.

    >>> import asyncio
    >>> model = ScriptedModel(["one", "two"])
    >>> asyncio.run(model.complete(ChatRequest(()))).text
    'one'
    """

    def __init__(
        self,
        script: Sequence[Line] | Callable[[ChatRequest], Line],
        settings: ModelSettings | None = None,
    ) -> None:
        self._script = script
        self.settings = settings or ModelSettings(name="scripted", model="scripted/model")
        self.requests: list[ChatRequest] = []
        """Every request so far."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Say the next line; raises it if it is a `ModelError`."""
        self.requests.append(request)
        line = self._next(request)
        if isinstance(line, ModelError):
            raise line
        return line if isinstance(line, ChatReply) else ChatReply(line, finish_reason="stop")

    async def close(self) -> None:
        """Nothing to give back."""

    def _next(self, request: ChatRequest) -> Line:
        if callable(self._script):
            return self._script(request)
        return self._script[min(len(self.requests), len(self._script)) - 1]
