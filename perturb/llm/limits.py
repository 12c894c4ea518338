"""Keeps a model within its limits and tries again where that may help.

The order of a try: a slot (`max_connections`), the breaker, the pace (`rpm`, `tpm`), the call. The slot is given
back before the wait for the next try, so a failing call never holds up the others.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from perturb.errors import PermanentModelError, TransientModelError, WorkerLostError
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
"""Seconds: the wait before retry n is drawn from 0 to FIRST_WAIT × 2ⁿ, LONGEST_WAIT at most."""

LONGEST_HINT = 600.0
"""A provider that asks for a longer wait than this (seconds) is not waited for."""

REFUSALS_BEFORE_GIVING_UP = 20
"""After so many permanent failures in a row, and no success between, nothing more is sent to the model."""

LOSSES_BEFORE_GIVING_UP = 5
"""How often one call may lose the worker that carries it; a loss says nothing about the model."""

_FIRST_GUESS = 512
"""Completion tokens expected of the first call, before any usage is known."""


class Clock(Protocol):
    """Time, so that tests need not wait for it."""

    def now(self) -> float:
        """Seconds since some fixed moment."""

    async def sleep(self, seconds: float) -> None:
        """Come back after that many seconds."""


class RealClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """`asyncio.sleep`."""
        await asyncio.sleep(seconds)


class OutOfTriesError(TransientModelError):
    """A call that failed on every try, with the number of `tries`."""

    def __init__(self, message: str, tries: int, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after)
        self.tries = tries


class Pace:
    """Spreads `per_minute` units evenly, so that no minute holds more."""

    def __init__(self, per_minute: float, clock: Clock) -> None:
        self._seconds_per_unit = 60.0 / per_minute
        self._clock = clock
        self._free_at = clock.now()
        self._turn = asyncio.Lock()

    async def take(self, units: float) -> None:
        """Wait for a turn, first come first served, and book `units` from there on."""
        async with self._turn:
            start = self._clock.now()
            while (wait := self._free_at - self._clock.now()) > 0:
                start = self._free_at
                await self._clock.sleep(wait)
            self._free_at = max(start, self._free_at) + units * self._seconds_per_unit

    def correct(self, units: float) -> None:
        """Book `units` more (or fewer, if negative) than were taken."""
        self._free_at += units * self._seconds_per_unit


class Breaker:
    """Pauses a model after `threshold` transient failures in a row.

    After the pause one call is let through as a probe; if it fails, the pause doubles, up to `longest` seconds.
    After `probes` failed probes in a row callers are refused at once, but for a probe after each pause.
    """

    def __init__(
        self, clock: Clock, *, threshold: int = 10, first: float = 2.0, longest: float = 60.0, probes: int = 8
    ) -> None:
        self.pauses = 0
        """How often the model was paused."""
        self._clock = clock
        self._threshold = threshold
        self._first = first
        self._longest = longest
        self._probes = probes
        self._failures = 0
        self._failed_probes = 0
        self._until: float | None = None
        self._probing = False
        self._changed = asyncio.Event()

    async def enter(self) -> bool:
        """Wait until a call may be sent; True if the caller is the probe.

        Raises `TransientModelError` if the model has been failing for so long that waiting is no use.
        """
        while self._until is not None:
            wait = self._until - self._clock.now()
            if wait <= 0 and not self._probing:
                self._probing = True
                return True
            if self._failed_probes >= self._probes:
                raise TransientModelError(f"paused after {self._probes} failed probes in a row")
            if self._probing:
                await self._changed.wait()
            else:
                await self._clock.sleep(wait)
        return False

    def succeeded(self) -> None:
        """The model answered: whoever waits may go on."""
        self._failures = self._failed_probes = 0
        self._until = None
        self._end_probe()

    def failed(self, *, probe: bool, retry_after: float | None = None) -> None:
        """A transient failure; calls sent before a pause do not lengthen it."""
        if probe:
            self._failed_probes += 1
            self._pause(retry_after)
            self._end_probe()
        elif self._until is None:
            self._failures += 1
            if self._failures >= self._threshold:
                self._pause(retry_after)

    def abandoned(self, *, probe: bool) -> None:
        """The call ended without telling anything about the model; the next caller probes instead."""
        if probe:
            self._end_probe()

    def _pause(self, retry_after: float | None) -> None:
        self.pauses += 1
        # The exponent is held down: a probe may fail any number of times.
        pause = min(self._longest, self._first * 2.0 ** min(self._failed_probes, 30))
        self._until = self._clock.now() + max(pause, min(retry_after or 0.0, LONGEST_HINT))

    def _end_probe(self) -> None:
        self._probing = False
        self._changed.set()
        self._changed = asyncio.Event()


@dataclass
class CallCounters:
    """What a limited model has done so far."""

    calls: int = 0
    tries: int = 0
    retries: int = 0


class LimitedModel:
    """A chat model that keeps to the limits in its settings and retries transient failures."""

    def __init__(
        self,
        model: ChatModel,
        *,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
        breaker: Breaker | None = None,
    ) -> None:
        """`jitter` draws from [0, 1)."""
        self._model = model
        self._clock = clock or RealClock()
        self._jitter = jitter
        settings = model.settings
        self.breaker = breaker or Breaker(self._clock)
        self.counters = CallCounters()
        self._refusals = 0
        self._given_up: str | None = None
        self._slots = asyncio.Semaphore(settings.max_connections)
        self._requests = Pace(settings.rpm, self._clock) if settings.rpm else None
        self._tokens = Pace(settings.tpm, self._clock) if settings.tpm else None
        limit = settings.params.get("max_tokens")
        self._expected_completion = float(
            min(_FIRST_GUESS, limit) if isinstance(limit, int) else _FIRST_GUESS
        )

    @property
    def settings(self) -> ModelSettings:
        """Those of the model inside."""
        return self._model.settings

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request, with up to `max_retries` tries after the first.

        Raises `OutOfTriesError` (a `TransientModelError`) after the last try, `PermanentModelError` at once.
        """
        self.counters.calls += 1
        if self._given_up is not None:
            raise PermanentModelError(self._given_up)
        tries = losses = 0
        while True:
            tries += 1
            try:
                reply = await self._try(request)
            except WorkerLostError as error:
                losses += 1
                if losses > LOSSES_BEFORE_GIVING_UP:
                    raise OutOfTriesError(_last_words(error, tries), tries) from None
            except TransientModelError as error:
                hint = error.retry_after or 0.0
                if (
                    isinstance(error, OutOfTriesError)
                    or tries - losses > self.settings.max_retries
                    or hint > LONGEST_HINT
                ):
                    raise OutOfTriesError(_last_words(error, tries), tries, error.retry_after) from None
                await self._clock.sleep(self._wait(tries - losses - 1, error.retry_after))
                self.counters.retries += 1
            else:
                return dataclasses.replace(reply, tries=tries)

    async def close(self) -> None:
        """Close the model inside."""
        await self._model.close()

    async def _try(self, request: ChatRequest) -> ChatReply:
        """One try, in a slot; raises `OutOfTriesError` where the breaker has given the model up."""
        async with self._slots:
            try:
                probe = await self.breaker.enter()
            except TransientModelError as error:
                raise OutOfTriesError(f"model '{self.settings.name}': {error}", 0) from None
            try:
                expected = await self._take_turn(request)
                self.counters.tries += 1
                reply = await self._model.complete(request)
            except WorkerLostError:
                self.breaker.abandoned(probe=probe)
                raise
            except TransientModelError as error:
                self.breaker.failed(probe=probe, retry_after=error.retry_after)
                raise
            except PermanentModelError as error:
                # An answer, if not the wanted one: the model is there.
                self.breaker.succeeded()
                self._note_refusal(error)
                raise
            except BaseException:
                self.breaker.abandoned(probe=probe)
                raise
            self.breaker.succeeded()
            self._refusals = 0
            self._correct(expected, reply)
            return reply

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
        self._tokens.correct(reply.prompt_tokens + reply.completion_tokens - expected)
        self._expected_completion += 0.1 * (reply.completion_tokens - self._expected_completion)

    def _wait(self, retry: int, hint: float | None) -> float:
        """Seconds before retry number `retry` (from 0): full jitter, on top of the provider's hint if any."""
        backoff = self._jitter() * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(retry, 30))
        return backoff if hint is None else hint + min(backoff, 1.0)


def _last_words(error: TransientModelError, tries: int) -> str:
    if tries == 1:
        return str(error)
    return f"{error} (after {tries} tries)"
