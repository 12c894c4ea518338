"""Holds a run to `budget_usd`: a call is sent only if it cannot overspend, whatever it turns out to cost."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque

from perturb.errors import BudgetSpent, ConfigError
from perturb.llm.client import ChatRequest, ModelSettings, schema_text

DEFAULT_MAX_TOKENS = 4096
"""The `max_tokens` of a call under a budget whose parameters name none."""

_TURN_TOKENS = 16
"""What a chat template may add to a message: role names, separators."""


class Budget:
    """What may be spent, what is spent, and what the calls in flight may still cost; all in USD."""

    def __init__(self, limit_usd: float | None = None, spent_usd: float = 0.0) -> None:
        """`limit_usd` None means no limit; `spent_usd` is what earlier sessions of the run have cost."""
        self.limit = limit_usd
        self.spent = spent_usd
        self.reserved = 0.0
        self._in_flight = 0
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()

    async def reserve(self, bound: float) -> None:
        """Set `bound` aside for a call, waiting for calls in flight to settle where that may make room.

        Raises `BudgetSpent` if the bound does not fit although nothing is in flight.
        """
        if not self._waiting and self._fits(bound):
            self._set_aside(bound)
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((bound, granted))
        self._serve()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.settle(bound, 0.0)
            raise

    def settle(self, bound: float, actual: float | None) -> None:
        """Replace a reserved bound by the actual cost; None, an unknown cost, is charged as the bound."""
        self._in_flight -= 1
        # Sums of floats leave crumbs, which must not be waited for.
        self.reserved = self.reserved - bound if self._in_flight else 0.0
        self.spent += bound if actual is None else actual
        self._serve()

    def _set_aside(self, bound: float) -> None:
        self._in_flight += 1
        self.reserved += bound

    def _fits(self, bound: float) -> bool:
        return self.limit is None or self.spent + self.reserved + bound <= self.limit

    def _serve(self) -> None:
        """Let the longest waiting calls in; refuse those that can never fit."""
        while self._waiting:
            bound, granted = self._waiting[0]
            if granted.done():
                self._waiting.popleft()
            elif self._fits(bound):
                self._waiting.popleft()
                self._set_aside(bound)
                granted.set_result(None)
            elif not self._in_flight:
                self._waiting.popleft()
                granted.set_exception(self._refusal(bound))
            else:
                return

    def _refusal(self, bound: float) -> BudgetSpent:
        return BudgetSpent(
            f"budget_usd: {self.spent:.4f} of {self.limit:.4f} USD are spent and the next call may cost "
            f"{bound:.4f}: raise budget_usd and run the same command again"
        )


def bounded(settings: ModelSettings, budget: Budget) -> ModelSettings:
    """The settings with an upper bound on the tokens of a reply, which a budget needs.

    Raises `ConfigError` if the budget is limited and the model's price is unknown.
    """
    if budget.limit is None:
        return settings
    if settings.price is None:
        raise ConfigError(
            f"model '{settings.name}': its price is unknown, so budget_usd cannot be kept: "
            "add 'price: {input: …, output: …}' (USD per million tokens) to the model"
        )
    if _max_tokens(settings) is not None:
        return settings
    return dataclasses.replace(settings, params={**settings.params, "max_tokens": DEFAULT_MAX_TOKENS})


def upper_bound(settings: ModelSettings, request: ChatRequest) -> float:
    """The most that one call can cost, in USD: a token is at least one byte of the prompt.

    0 for a model without a price, which only an unlimited budget admits.

    >>> from perturb.llm.client import Message, Price
    >>> model = ModelSettings("m", "openai/m", params={"max_tokens": 100}, price=Price(10.0, 20.0))
    >>> upper_bound(model, ChatRequest((Message("user", "x" * 84),)))
    0.003
    """
    if settings.price is None:
        return 0.0
    prompt = sum(len(m.content.encode("utf-8", "surrogatepass")) + _TURN_TOKENS for m in request.messages)
    if request.schema is not None:
        prompt += len(schema_text(request.schema).encode("utf-8", "surrogatepass"))
    return settings.price.of(prompt, _max_tokens(settings) or DEFAULT_MAX_TOKENS)


def _max_tokens(settings: ModelSettings) -> int | None:
    values = (settings.params.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((value for value in values if isinstance(value, int)), None)
