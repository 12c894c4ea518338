"""Holds calls to a model back: the pace in calls and tokens a minute, and places that fall while it fails."""

from __future__ import annotations

import asyncio
import time
from collections import deque

from perturb.errors import TransientModelError

LONGEST_HINT = 600.0
"""A provider that asks for a longer wait than this (seconds) is not waited for."""


class Clock:
    """The clock of the machine; tests, which need not wait, have one of their own."""

    def now(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Come back after that many seconds."""
        await asyncio.sleep(seconds)


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


class Throttle:
    """How many calls may be in flight: fewer with every transient failure, more with every answer, gradually.

    In a round of calls that all fail the limit halves; in one that all pass it doubles, or grows by a fifth of `most`
    if that is less. After `threshold` failures in a row it is 1, and that one call is sent after a pause as long as
    a sixth of the time that the model has been failing, at least `first` seconds. After `patience` seconds without
    an answer callers are refused at once, but for one after each pause.
    """

    def __init__(
        self, clock: Clock, most: int, *, threshold: int = 10, first: float = 2.0, patience: float = 240.0
    ) -> None:
        self.limit = float(most)
        self.pauses = 0
        """How often the model was paused."""
        self._clock = clock
        self._most = most
        self._threshold = threshold
        self._first = first
        self._patience = patience
        self._active = 0
        self._failures = 0
        self._failing_since = 0.0
        self._until: float | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def pause_left(self) -> float:
        """Seconds until the next call is sent; 0 if the model is not paused."""
        return 0.0 if self._until is None else max(0.0, self._until - self._clock.now())

    @property
    def failing_for(self) -> float:
        """Seconds since the first of the failures in a row; 0 after an answer."""
        return self._clock.now() - self._failing_since if self._failures else 0.0

    @property
    def is_low(self) -> bool:
        """Whether so much has failed that one more failure says nothing about the call that met it."""
        return self._until is not None or self.limit <= self._most / 4

    async def enter(self) -> int:
        """Wait for a place, and in it for the end of a pause; returns the number of pauses so far.

        Raises `TransientModelError` if the model has been failing for so long that waiting is no use.
        """
        if self._until is not None and (self._active or self._clock.now() < self._until):
            self._check_patience()
        if self._waiting or self._active >= int(self.limit):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled() and place.exception() is None:
                    self.leave()
                raise
        else:
            self._active += 1
        try:
            while self._until is not None and (wait := self._until - self._clock.now()) > 0:
                await self._clock.sleep(wait)
        except BaseException:
            self.leave()
            raise
        return self.pauses

    def leave(self) -> None:
        """Give the place back."""
        self._active -= 1
        self._let_in()

    def succeeded(self) -> None:
        """The model answered."""
        self._failures = 0
        self._until = None
        self.limit = min(self._most, self.limit + min(1.0, self._most / 5 / self.limit))
        self._let_in()

    def failed(self, pauses: int, retry_after: float | None = None) -> None:
        """A transient failure of a call that `enter` let in after so many pauses; only the last one is lengthened."""
        now = self._clock.now()
        self._failures += 1
        if self._failures == 1:
            self._failing_since = now
        self.limit = max(1.0, self.limit - 0.5)
        if self._failures < self._threshold or pauses != self.pauses:
            return
        self.pauses += 1
        self.limit = 1.0
        pause = max(self._first, (now - self._failing_since) / 6)
        self._until = now + max(pause, min(retry_after or 0.0, LONGEST_HINT))
        try:
            self._check_patience()
        except TransientModelError as error:
            for place in self._waiting:
                if not place.done():
                    place.set_exception(error)
            self._waiting.clear()

    def _let_in(self) -> None:
        while self._waiting and self._active < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self._active += 1
                place.set_result(None)

    def _check_patience(self) -> None:
        if self._clock.now() - self._failing_since > self._patience:
            raise TransientModelError(f"no call has passed for {self._patience:g} seconds")
