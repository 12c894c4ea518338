"""Keeps a model within its limits and tries again where that may help.

The order of a try: a place (`max_connections`, fewer while the model fails), the pace (`rpm`, `tpm`), the call, the
record of its reply. The place is given back before the wait for the next try, so a failing call never holds up others.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import TypeVar

from perturb.errors import ModelError, PermanentModelError, TransientModelError, WorkerLostError
from perturb.events import INFO, event
from perturb.llm.client import ChatModel, ChatReply, ChatRequest
from perturb.llm.throttle import LONGEST_HINT, Clock, Pace, Throttle

T = TypeVar("T")

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
"""Seconds: the wait before retry n is drawn from 0 to FIRST_WAIT × 2ⁿ, LONGEST_WAIT at most."""

REFUSALS_BEFORE_GIVING_UP = 20
"""After so many permanent failures in a row, and no success between, nothing more is sent to the model."""

REFUSALS_BEFORE_NAMED = 3
"""So many permanent failures in a row are a trouble worth naming."""

FAILING_BEFORE_NAMED = 1.5
"""Seconds without an answer, since the first failure, after which a model counts as failing."""

LOSSES_BEFORE_GIVING_UP = 5
"""How often one call may lose the worker that carries it; a loss says nothing about the model."""

_FIRST_GUESS = 512
"""Completion tokens expected of the first call, before any usage is known."""


class OutOfTriesError(TransientModelError):
    """A call that failed on every try, with the number of `tries`."""

    def __init__(self, message: str, tries: int, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after)
        self.tries = tries


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a model does not answer."""

    state: str
    """`paused 8 s`, `failing for 3 s`, `refuses calls`."""
    cause: str
    """Its last error."""

    def __str__(self) -> str:
        """Both in words."""
        return f"{self.state}, {self.cause}"


class LimitedModel:
    """A chat model that keeps to the limits in its settings and retries transient failures."""

    def __init__(
        self,
        model: ChatModel,
        *,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`jitter` draws from [0, 1)."""
        self._model = model
        self._clock = clock or Clock()
        self._jitter = jitter
        self.settings = settings = model.settings
        self.throttle = Throttle(self._clock, settings.max_connections)
        self.answers = 0
        self.failures = 0
        """Calls that were given up."""
        self._refusals = 0
        self._given_up: str | None = None
        self._last_error = ""
        self._requests = Pace(settings.rpm, self._clock) if settings.rpm else None
        self._tokens = Pace(settings.tpm, self._clock) if settings.tpm else None
        limit = settings.params.get("max_tokens")
        self._expected_completion = float(
            min(_FIRST_GUESS, limit) if isinstance(limit, int) else _FIRST_GUESS
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request, with up to `max_retries` tries after the first.

        Raises `OutOfTriesError` (a `TransientModelError`) after the last try, `PermanentModelError` at once.
        """
        try:
            reply = await self._complete(request)
        except ModelError:
            self.failures += 1
            raise
        self.answers += 1
        return reply

    def trouble(self) -> Trouble | None:
        """What keeps the model from answering, if it has not answered for a while or refuses what it is asked."""
        throttle, state = self.throttle, ""
        if self._refusals >= REFUSALS_BEFORE_NAMED:
            state = "refuses calls"
        elif throttle.pause_left:
            state = f"paused {ceil(throttle.pause_left)} s"
        elif throttle.failing_for >= FAILING_BEFORE_NAMED:
            state = f"failing for {throttle.failing_for:.0f} s"
        return Trouble(state, self._last_error) if state else None

    async def _complete(self, request: ChatRequest) -> ChatReply:
        if self._given_up is not None:
            raise PermanentModelError(self._given_up)
        tries = excused = losses = 0
        while True:
            tries += 1
            at_low = self.throttle.is_low
            try:
                return await self._try(request, tries)
            except WorkerLostError as error:
                excused += 1
                losses += 1
                if losses > LOSSES_BEFORE_GIVING_UP:
                    raise OutOfTriesError(_last_words(error, tries), tries) from None
            except TransientModelError as error:
                hint = error.retry_after or 0.0
                excused += at_low
                if (
                    isinstance(error, OutOfTriesError)
                    or tries - excused > self.settings.max_retries
                    or hint > LONGEST_HINT
                ):
                    raise OutOfTriesError(_last_words(error, tries), tries, error.retry_after) from None
                wait = self._wait(max(0, tries - excused - 1), error.retry_after)
                event(
                    INFO, "retry", f"{error}: next try in {wait:.1f} s", model=self.settings.name, wait=wait
                )
                await self._clock.sleep(wait)

    async def close(self) -> None:
        """Close the model inside."""
        await self._model.close()

    async def _try(self, request: ChatRequest, number: int) -> ChatReply:
        """One try, in a place of its own; raises `OutOfTriesError` where the model is given up."""
        throttle = self.throttle
        try:
            pauses = await throttle.enter()
        except TransientModelError as error:
            cause = f"{self._last_error} ({error})" if self._last_error else error
            raise OutOfTriesError(f"model '{self.settings.name}': {cause}", 0) from None
        try:
            expected = await self._take_turn(request)
            if self._given_up is not None:  # while this call waited for its place
                raise PermanentModelError(self._given_up)
            reply = await self._model.complete(request)
            throttle.succeeded()
            self._refusals = 0
            self._correct(expected, reply)
            if number > 1:
                reply = replace(reply, tries=number)
            if request.keep is not None:
                await request.keep(reply)
            return reply
        except WorkerLostError:
            raise
        except TransientModelError as error:
            self._note_error(error)
            throttle.failed(pauses, error.retry_after)
            raise
        except PermanentModelError as error:
            # An answer, if not the wanted one: the model is there.
            throttle.succeeded()
            if self._given_up is None:
                self._note_error(error)
                self._note_refusal(error)
            raise
        finally:
            throttle.leave()

    def _note_error(self, error: ModelError) -> None:
        self._last_error = str(error).removeprefix(f"model '{self.settings.name}': ")

    def _note_refusal(self, error: PermanentModelError) -> None:
        """Count what the model refused in a row; a wrong key would else be tried once for every job."""
        self._refusals += 1
        if self._refusals >= REFUSALS_BEFORE_GIVING_UP:
            self._given_up = f"{error} (after {self._refusals} refused calls in a row no more are sent)"

    async def _take_turn(self, request: ChatRequest) -> float:
        """Wait for the pace; returns the tokens that were booked."""
        if self._requests:
            await self._requests.take(1)
        if not self._tokens:
            return 0.0
        expected = sum(len(m.content) for m in request.messages) / 4 + self._expected_completion
        await self._tokens.take(expected)
        return expected

    def _correct(self, expected: float, reply: ChatReply) -> None:
        if not self._tokens or reply.prompt_tokens is None or reply.completion_tokens is None:
            return
        most = self.settings.tpm or 0  # a report of more cannot be true, and would stop the model for hours
        self._tokens.correct(min(reply.prompt_tokens + reply.completion_tokens, most) - expected)
        self._expected_completion += 0.1 * (min(reply.completion_tokens, most) - self._expected_completion)

    def _wait(self, retry: int, hint: float | None) -> float:
        """Seconds before retry number `retry` (from 0): full jitter, on top of the provider's hint if any."""
        backoff = self._jitter() * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(retry, 30))
        return backoff if hint is None else hint + min(backoff, 1.0)


async def insist(call: Callable[[], Awaitable[T]], retries: int) -> T:
    """The result of a call, tried again after transient failures; raises the last of them."""
    for number in range(retries):
        try:
            return await call()
        except TransientModelError as error:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(number, 30))
            await asyncio.sleep(max(wait, min(error.retry_after or 0.0, LONGEST_HINT)))
    return await call()


def _last_words(error: TransientModelError, tries: int) -> str:
    return str(error) if tries == 1 else f"{error} (after {tries} tries)"
