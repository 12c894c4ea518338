"""Keeps a model within its limits, and retries calls if that may help.

- `Pace` spreads requests or tokens evenly over time (`rpm`, `tpm`).
- `Throttle` limits how many calls are in flight (`max_connections`, or fewer while the model fails).
- `LimitedModel` makes the tries of a call with both.

A try waits for a free slot of the throttle and then for its turn. The slot is kept until the reply is recorded. A
failed try frees its slot before the wait for the next try, so that a failing call never holds up others.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from logging import INFO
from math import ceil
from typing import TypeVar

from perturb.errors import ModelError, PermanentModelError, TransientModelError, WorkerLostError
from perturb.llm.client import ChatModel, ChatReply, ChatRequest
from perturb.runtime import event

LONGEST_HINT = 600.0
"""The longest wait, in seconds, that a provider may ask for. A call that would have to wait longer fails."""


class Clock:
    """The clock of the machine. Tests replace it, so that they need not wait."""

    def now(self) -> float:
        """Seconds since a fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of seconds."""
        await asyncio.sleep(seconds)


class Pace:
    """Spreads `per_minute` units evenly, so that no minute holds more."""

    def __init__(self, per_minute: float, clock: Clock) -> None:
        self._seconds_per_unit = 60.0 / per_minute
        self._clock = clock
        self._free_at = clock.now()
        self._turn = asyncio.Lock()

    async def take(self, units: float) -> None:
        """Wait for a turn, first come first served, and book `units` from then on."""
        async with self._turn:
            turn_at = self._clock.now()
            # `correct` may move the time while this call sleeps, so it is looked at again after each sleep.
            while (wait := self._free_at - self._clock.now()) > 0:
                turn_at = self._free_at
                await self._clock.sleep(wait)
            # Counted from the planned time, so that a sleep that took too long does not slow the pace down.
            self._free_at = max(turn_at, self._free_at) + units * self._seconds_per_unit

    def correct(self, units: float) -> None:
        """Book `units` in addition to those that were taken, or release them if the number is negative."""
        self._free_at += units * self._seconds_per_unit


class Throttle:
    """Limits how many calls may be in flight: fewer after each transient failure, more after each answer.

    If all calls in flight fail, the limit halves. If all pass, it doubles, or grows by a fifth of `most` if that is
    less. After `threshold` failures in a row the limit is 1, and the model is paused for a sixth of the time that it
    has been failing, at least `least_pause` seconds. After each pause one call is sent. After `patience` seconds
    without an answer, all other callers are refused at once.
    """

    def __init__(
        self,
        clock: Clock,
        most: int,
        *,
        threshold: int = 10,
        least_pause: float = 2.0,
        patience: float = 240.0,
    ) -> None:
        self.limit = float(most)
        """How many calls may be in flight. It may hold a fraction, but only whole calls count."""
        self.pauses = 0
        """How often the model has been paused."""
        self._clock = clock
        self._most = most
        self._threshold = threshold
        self._least_pause = least_pause
        self._patience = patience
        self._active = 0
        """The calls that have a slot."""
        self._failures = 0
        """The failures since the last answer."""
        self._failing_since = 0.0
        """The time of the first of these failures."""
        self._paused_until: float | None = None
        """The end of the last pause; None after an answer."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        """The callers that wait for a slot, in their order."""

    @property
    def pause_left(self) -> float:
        """Seconds until the next call may be sent; 0 if the model is not paused."""
        return 0.0 if self._paused_until is None else max(0.0, self._paused_until - self._clock.now())

    @property
    def failing_for(self) -> float:
        """Seconds since the first of the failures in a row; 0 after an answer."""
        return self._clock.now() - self._failing_since if self._failures else 0.0

    @property
    def is_low(self) -> bool:
        """Whether so many calls have failed that a further failure says nothing about its own call."""
        return self._paused_until is not None or self.limit <= self._most / 4

    async def enter(self) -> int:
        """Wait for a slot, then for the end of a pause. Returns the number of pauses so far.

        Raises `TransientModelError` if the model has been failing for so long that waiting is pointless.
        """
        # A caller that would have to wait for a paused model is refused once the patience is over. The first caller
        # after a pause does not wait: its call finds out whether the model answers again.
        must_wait_for_pause = self._paused_until is not None and (bool(self._active) or self.pause_left > 0)
        if must_wait_for_pause:
            self._check_patience()
        if self._waiting or self._active >= int(self.limit):
            await self._wait_for_slot()
        else:
            self._active += 1
        try:
            # The pause may be prolonged meanwhile, so what is left is looked at again after each sleep.
            while (wait := self.pause_left) > 0:
                await self._clock.sleep(wait)
        except BaseException:
            self.leave()  # also if the caller is cancelled during the pause
            raise
        return self.pauses

    async def _wait_for_slot(self) -> None:
        """Wait in the queue. `_let_in` takes the slot for the caller."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The slot may have been granted just before the cancellation. Then it must be freed here.
            was_let_in = turn.done() and not turn.cancelled() and turn.exception() is None
            if was_let_in:
                self.leave()
            raise

    def leave(self) -> None:
        """Free the slot."""
        self._active -= 1
        self._let_in()

    def succeeded(self) -> None:
        """Note an answer of the model."""
        self._failures = 0
        self._paused_until = None
        # If each of `limit` calls adds 1, the limit doubles. If each adds the second term, it grows by `most` / 5.
        self.limit = min(self._most, self.limit + min(1.0, self._most / 5 / self.limit))
        self._let_in()

    def failed(self, pauses_at_entry: int, retry_after: float | None = None) -> None:
        """Note a transient failure of a call. `pauses_at_entry` is the number that `enter` returned for it.

        A call from before the last pause says nothing about the model now, and does not start another pause.
        """
        now = self._clock.now()
        self._failures += 1
        if self._failures == 1:
            self._failing_since = now
        self.limit = max(1.0, self.limit - 0.5)  # 0.5 for each of `limit` calls halves the limit
        if self._failures < self._threshold or pauses_at_entry != self.pauses:
            return
        self.pauses += 1
        self.limit = 1.0
        pause = max(self._least_pause, (now - self._failing_since) / 6)
        self._paused_until = now + max(pause, min(retry_after or 0.0, LONGEST_HINT))
        try:
            self._check_patience()
        except TransientModelError as error:
            # Those who wait would otherwise only learn it one by one, after a pause each.
            for turn in self._waiting:
                if not turn.done():
                    turn.set_exception(error)
            self._waiting.clear()

    def _let_in(self) -> None:
        """Give free slots to those who have waited longest."""
        while self._waiting and self._active < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._active += 1
                turn.set_result(None)

    def _check_patience(self) -> None:
        if self._clock.now() - self._failing_since > self._patience:
            raise TransientModelError(f"no call has passed for {self._patience:g} seconds")


T = TypeVar("T")

# The wait before retry n, in seconds, is drawn from 0 to FIRST_WAIT × 2ⁿ, and at most to LONGEST_WAIT.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

REFUSALS_BEFORE_GIVING_UP = 20
"""After this many permanent failures in a row, no more calls are sent to the model."""

REFUSALS_BEFORE_NAMED = 3
"""After this many permanent failures in a row, the progress lines show the trouble."""

FAILING_BEFORE_NAMED = 1.5
"""A model without an answer for this many seconds since its first failure counts as failing."""

LOSSES_BEFORE_GIVING_UP = 5
"""How often a call may lose its worker. Such a loss says nothing about the model."""

# The expected completion tokens of the first call, before any usage is known.
_FIRST_GUESS = 512
# Weight of a new reply in that expectation. So the expectation rests on about the last ten replies.
_WEIGHT_OF_A_REPLY = 0.1
# A rough figure for English. The true usage corrects it after each reply.
_CHARACTERS_PER_TOKEN = 4


class OutOfTriesError(TransientModelError):
    """A call that failed on every try, with the number of `tries`."""

    def __init__(self, message: str, tries: int, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after)
        self.tries = tries


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a model does not answer."""

    state: str
    """`paused 8 s`, `failing for 3 s` or `refuses calls`."""
    cause: str
    """The last error of the model."""

    def __str__(self) -> str:
        """The state and the cause in one line."""
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
        """How many calls ended without an answer."""
        self._refusals = 0
        """The permanent failures in a row."""
        self._given_up: str | None = None
        """Why no more calls are sent; None while calls are sent."""
        self._last_error = ""
        self._requests = Pace(settings.rpm, self._clock) if settings.rpm else None
        self._tokens = Pace(settings.tpm, self._clock) if settings.tpm else None
        limit = settings.params.get("max_tokens")
        # The tokens of a reply are booked before the call, so their number must be expected.
        self._expected_completion = float(
            min(_FIRST_GUESS, limit) if isinstance(limit, int) else _FIRST_GUESS
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request, with up to `max_retries` tries after the first.

        Raises `OutOfTriesError` (a `TransientModelError`) after the last try, `PermanentModelError` at once.
        """
        async with self.holding(request) as reply:
            return reply

    @asynccontextmanager
    async def holding(self, request: ChatRequest) -> AsyncIterator[ChatReply]:
        """Like `complete`, but the slot of the call is kept until the end of the block.

        So a caller that is slow to record replies slows down the calls, instead of piling up replies.
        """
        try:
            reply = await self._complete(request)
        except ModelError:
            self.failures += 1
            raise
        self.answers += 1
        try:
            yield reply
        finally:
            self.throttle.leave()

    def trouble(self) -> Trouble | None:
        """The trouble of a model that has not answered for a while or refuses calls; None if it has no trouble."""
        throttle, state = self.throttle, ""
        if self._refusals >= REFUSALS_BEFORE_NAMED:
            state = "refuses calls"
        elif throttle.pause_left:
            state = f"paused {ceil(throttle.pause_left)} s"
        elif throttle.failing_for >= FAILING_BEFORE_NAMED:
            state = f"failing for {throttle.failing_for:.0f} s"
        return Trouble(state, self._last_error) if state else None

    async def _complete(self, request: ChatRequest) -> ChatReply:
        """Try until there is a reply or another try would not help. The reply still has its slot."""
        if self._given_up is not None:
            raise PermanentModelError(self._given_up)
        # Excused tries were not the fault of the request, so they do not count against `max_retries`.
        tries = excused = losses = 0
        while True:
            tries += 1
            was_low = self.throttle.is_low
            try:
                return await self._try(request, tries)
            except WorkerLostError as error:
                excused += 1
                losses += 1
                if losses > LOSSES_BEFORE_GIVING_UP:
                    raise OutOfTriesError(_with_tries(error, tries), tries) from None
            except OutOfTriesError as error:  # the model has failed for too long
                raise OutOfTriesError(_with_tries(error, tries), tries) from None
            except TransientModelError as error:
                # While many calls fail, a failure says nothing about its request.
                if was_low:
                    excused += 1
                counted_tries = tries - excused
                is_last = counted_tries > self.settings.max_retries
                if is_last or (error.retry_after or 0.0) > LONGEST_HINT:
                    raise OutOfTriesError(_with_tries(error, tries), tries, error.retry_after) from None
                wait = self._wait(max(0, counted_tries - 1), error.retry_after)
                message = f"{error}: next try in {wait:.1f} s"
                event(INFO, "retry", message, model=self.settings.name, wait=wait)
                await self._clock.sleep(wait)

    async def close(self) -> None:
        """Close the wrapped model."""
        await self._model.close()

    async def _try(self, request: ChatRequest, number: int) -> ChatReply:
        """Make a try. A reply keeps its slot, which `holding` frees.

        Raises `OutOfTriesError` if the model has failed for too long.
        """
        throttle = self.throttle
        try:
            pauses = await throttle.enter()
        except TransientModelError as error:
            cause = f"{self._last_error} ({error})" if self._last_error else error
            raise OutOfTriesError(f"model '{self.settings.name}': {cause}", 0) from None
        try:
            expected = await self._take_turn(request)
            if self._given_up is not None:  # it may have happened while this call waited for its slot
                raise PermanentModelError(self._given_up)
            reply = await self._model.complete(request)
            throttle.succeeded()
            self._refusals = 0
            self._correct_tokens(expected, reply)
            return replace(reply, tries=number) if number > 1 else reply
        except BaseException as error:
            self._note_failure(error, pauses)
            throttle.leave()
            raise

    def _note_failure(self, error: BaseException, pauses_at_entry: int) -> None:
        """Note a failed try. `pauses_at_entry` is the number of pauses before it."""
        if isinstance(error, PermanentModelError):
            # A refusal shows that the model can be reached.
            self.throttle.succeeded()
            if self._given_up is None:
                self._note_error(error)
                self._note_refusal(error)
        elif isinstance(error, TransientModelError) and not isinstance(error, WorkerLostError):
            self._note_error(error)
            self.throttle.failed(pauses_at_entry, error.retry_after)

    def _note_error(self, error: ModelError) -> None:
        self._last_error = str(error).removeprefix(f"model '{self.settings.name}': ")

    def _note_refusal(self, error: PermanentModelError) -> None:
        """Count a refusal, and give the model up after many in a row."""
        # Otherwise a wrong key would be tried once for every job.
        self._refusals += 1
        if self._refusals >= REFUSALS_BEFORE_GIVING_UP:
            self._given_up = f"{error} (after {self._refusals} refused calls in a row no more are sent)"

    async def _take_turn(self, request: ChatRequest) -> float:
        """Wait for a turn. Returns the number of tokens that were booked."""
        if self._requests:
            await self._requests.take(1)
        if not self._tokens:
            return 0.0
        prompt_length = sum(len(message.content) for message in request.messages)
        expected = prompt_length / _CHARACTERS_PER_TOKEN + self._expected_completion
        await self._tokens.take(expected)
        return expected

    def _correct_tokens(self, expected: float, reply: ChatReply) -> None:
        """Replace the booked tokens by those that the reply used, and learn from the difference."""
        if not self._tokens or reply.prompt_tokens is None or reply.completion_tokens is None:
            return
        # A usage above the limit is an error of the provider, and would stop the model for hours.
        most = self.settings.tpm or 0  # never 0 here, since the model has a limit of tokens
        used = min(reply.prompt_tokens + reply.completion_tokens, most)
        self._tokens.correct(used - expected)
        difference = min(reply.completion_tokens, most) - self._expected_completion
        self._expected_completion += _WEIGHT_OF_A_REPLY * difference

    def _wait(self, retry: int, hint: float | None) -> float:
        """Seconds before retry number `retry`, counted from 0: full jitter, and a provider's hint in addition."""
        backoff = self._jitter() * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(retry, 30))
        return backoff if hint is None else hint + min(backoff, 1.0)


@asynccontextmanager
async def holding(model: ChatModel, request: ChatRequest) -> AsyncIterator[ChatReply]:
    """The reply of any model. A model with limits keeps the slot of the call until the end of the block."""
    hold = getattr(model, "holding", None)
    if hold is None:
        yield await model.complete(request)
    else:
        async with hold(request) as reply:
            yield reply


async def retry_transient(call: Callable[[], Awaitable[T]], retries: int) -> T:
    """The result of a call to a batch API, which is repeated after transient failures. Raises the last failure.

    The waits double from try to try, and are at least as long as the provider asks for.
    """
    for number in range(retries):
        try:
            return await call()
        except TransientModelError as error:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(number, 30))
            await asyncio.sleep(max(wait, min(error.retry_after or 0.0, LONGEST_HINT)))
    return await call()


def _with_tries(error: TransientModelError, tries: int) -> str:
    """The message of the last error, with the number of tries if there were several."""
    return str(error) if tries == 1 else f"{error} (after {tries} tries)"
