from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from perturb.errors import ModelError, PermanentModelError, TransientModelError
from perturb.llm.client import ChatReply, ChatRequest, Message, ModelSettings, ScriptedModel
from perturb.llm.limits import (
    LONGEST_HINT,
    REFUSALS_BEFORE_GIVING_UP,
    LimitedModel,
    OutOfTriesError,
    holding,
    retry_transient,
)
from tests.llm.virtual_time import VirtualClock


class TimedModel:
    """Takes `seconds` a call on the virtual clock, then does what `script(number, time)` says."""

    def __init__(
        self,
        clock: VirtualClock,
        script: Callable[[int, float], ChatReply | ModelError],
        seconds: float = 1.0,
        **settings: Any,
    ) -> None:
        self.settings = ModelSettings("m", "hosted_vllm/m", **settings)
        self.starts: list[float] = []
        self.active = self.max_active = 0
        self._clock, self._script, self._seconds = clock, script, seconds

    async def complete(self, request: ChatRequest) -> ChatReply:
        number = len(self.starts)
        self.starts.append(self._clock.now())
        self.active += 1
        self.max_active = max(self.max_active, self.active)
        try:
            await self._clock.sleep(self._seconds)
        finally:
            self.active -= 1
        said = self._script(number, self._clock.now())
        if isinstance(said, ModelError):
            raise said
        return said

    async def close(self) -> None:
        """Nothing."""


def fine(number: int, now: float) -> ChatReply:
    return ChatReply("fine", prompt_tokens=100, completion_tokens=100)


REQUEST = ChatRequest((Message("user", "x" * 400),))


async def many(model: LimitedModel, number: int) -> list[ChatReply | BaseException]:
    return await asyncio.gather(*(model.complete(REQUEST) for _ in range(number)), return_exceptions=True)


def most_in_a_minute(starts: list[float]) -> int:
    return max(sum(start <= other < start + 60 - 1e-6 for other in starts) for start in starts)


async def test_never_more_connections_than_allowed() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, fine, max_connections=4)
    model = LimitedModel(inner, clock=clock)
    await clock.run(many(model, 20))
    assert inner.max_active == 4
    assert clock.time == pytest.approx(5.0)
    assert (len(inner.starts), model.answers) == (20, 20)
    assert model.trouble() is None


@pytest.mark.parametrize("rpm", [1, 7, 60, 600])
async def test_no_minute_holds_more_requests_than_rpm(rpm: int) -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, fine, rpm=rpm)
    await clock.run(many(LimitedModel(inner, clock=clock), 100))
    assert most_in_a_minute(inner.starts) == min(rpm, 100)
    assert inner.starts[-1] == pytest.approx(99 * 60 / rpm), "and none is wasted"


async def test_tokens_a_minute_are_corrected_by_usage() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, fine, tpm=6000)
    await clock.run(many(LimitedModel(inner, clock=clock), 300))
    # 200 tokens a call: 30 calls a minute. The first guess is higher than that, so the start is slower.
    assert most_in_a_minute(inner.starts) <= 31
    assert most_in_a_minute(inner.starts[100:200]) >= 29
    steady = inner.starts[200:]
    assert steady[-1] - steady[0] == pytest.approx(99 * 2, rel=0.05), "200 tokens are two seconds"


@pytest.mark.parametrize("tokens", [2, 3000])
async def test_what_a_call_used_is_booked_in_the_place_of_the_estimate(tokens: int) -> None:
    clock = VirtualClock()
    reply = ChatReply("fine", prompt_tokens=tokens, completion_tokens=0)
    inner = TimedModel(clock, lambda n, now: reply, seconds=0, tpm=6000, max_connections=1)
    await clock.run(many(LimitedModel(inner, clock=clock), 2))
    assert inner.starts == pytest.approx([0, tokens / 100])


async def test_every_try_counts_against_rpm() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda n, _: TransientModelError("x") if n < 3 else fine(n, 0), rpm=1)
    await clock.run(LimitedModel(inner, clock=clock).complete(REQUEST))
    assert inner.starts == pytest.approx([0, 60, 120, 180])


async def test_back_off_doubles_up_to_a_minute_with_full_jitter() -> None:
    for share in (0.0, 0.5, 1.0):
        clock = VirtualClock()
        inner = TimedModel(clock, lambda n, _: TransientModelError("x"), seconds=0, max_retries=9)
        model = LimitedModel(inner, clock=clock, jitter=itertools.repeat(share).__next__)
        with pytest.raises(OutOfTriesError, match=r"^x \(after 10 tries\)$") as caught:
            await clock.run(model.complete(REQUEST))
        assert caught.value.tries == 10
        waits = [later - earlier for earlier, later in zip(inner.starts, inner.starts[1:], strict=False)]
        assert waits == pytest.approx([share * full for full in (1, 2, 4, 8, 16, 32, 60, 60, 60)])
        assert (len(inner.starts), model.failures) == (10, 1)


async def test_the_providers_hint_is_a_lower_bound() -> None:
    clock = VirtualClock()
    inner = TimedModel(
        clock, lambda n, _: fine(n, 0) if n else TransientModelError("x", retry_after=40), seconds=0
    )
    reply = await clock.run(LimitedModel(inner, clock=clock, jitter=lambda: 0.25).complete(REQUEST))
    assert inner.starts == pytest.approx([0, 40.25])
    assert reply.tries == 2


async def test_a_hint_of_hours_is_not_waited_for() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda n, _: TransientModelError("x", retry_after=LONGEST_HINT + 1), seconds=0)
    with pytest.raises(OutOfTriesError):
        await clock.run(LimitedModel(inner, clock=clock).complete(REQUEST))
    assert clock.time == 0


async def test_a_permanent_failure_is_not_retried() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda n, _: PermanentModelError("wrong key"))
    with pytest.raises(PermanentModelError, match="wrong key"):
        await clock.run(LimitedModel(inner, clock=clock).complete(REQUEST))
    assert len(inner.starts) == 1


async def test_the_slot_is_free_while_a_call_waits_for_its_retry() -> None:
    clock = VirtualClock()
    inner = TimedModel(
        clock,
        lambda n, _: fine(n, 0) if n else TransientModelError("x", retry_after=100),
        max_connections=1,
    )
    await clock.run(many(LimitedModel(inner, clock=clock, jitter=lambda: 0.0), 4))
    assert inner.starts == pytest.approx([0, 1, 2, 3, 101])


async def test_a_model_that_fails_on_is_paused_and_probed() -> None:
    clock = VirtualClock()
    inner = TimedModel(
        clock,
        lambda n, now: fine(n, now) if now > 60 else TransientModelError("down"),
        seconds=0.1,
        max_connections=50,
    )
    model = LimitedModel(inner, clock=clock, jitter=lambda: 0.5)
    replies = await clock.run(many(model, 50))
    assert all(isinstance(reply, ChatReply) for reply in replies), "one outage, no lost job"
    assert len(inner.starts) == 50 + 15 + 50, (
        "the first wave, a failed probe after each pause but the last, everyone"
    )
    assert model.throttle.pauses == 16
    probes = inner.starts[49:66]
    assert max(later - earlier for earlier, later in itertools.pairwise(probes)) < 60 / 6, "short pauses"
    ramp = [round((start - probes[-1]) / 0.1) for start in inner.starts[65:]]
    assert [ramp.count(n) for n in range(4)] == [1, 2, 4, 8], "never all at once"


@pytest.mark.parametrize(("seconds", "width"), [(0.5, 8), (2.0, 32), (0.5, 100), (1.0, 4)])
@pytest.mark.parametrize("seed", range(2))
async def test_after_a_storm_nothing_is_lost_and_calls_flow_again(
    seconds: float, width: int, seed: int
) -> None:
    """Nine calls in ten fail for a minute; the bounds are of virtual time."""
    clock, drawn = VirtualClock(), random.Random(seed)
    passed: list[float] = []

    def script(number: int, now: float) -> ChatReply | ModelError:
        if now < 60 and drawn.random() < 0.9:
            return TransientModelError("429")
        passed.append(now)
        return fine(number, now)

    inner = TimedModel(clock, script, seconds, max_connections=width)
    model = LimitedModel(inner, clock=clock, jitter=drawn.random)
    ideal = round(60 * width / seconds)
    jobs = iter(range(ideal + 200))

    async def work() -> None:
        for _ in jobs:
            await model.complete(REQUEST)

    await clock.run(asyncio.wait_for(asyncio.gather(*(work() for _ in range(width))), None))
    starts = [0.0, *(start for start in inner.starts if start < 60), 60.0]
    assert max(later - earlier for earlier, later in itertools.pairwise(starts)) < 60 / 6 + seconds
    assert sum(60 <= moment < 120 for moment in passed) > 0.7 * ideal


async def test_a_count_that_cannot_be_stops_nobody_for_hours() -> None:
    clock = VirtualClock()
    liar = ChatReply("fine", prompt_tokens=10**12, completion_tokens=10**12)
    inner = TimedModel(clock, lambda n, now: liar if n == 0 else fine(n, now), tpm=6000)
    await clock.run(many(LimitedModel(inner, clock=clock), 10))
    assert clock.time < 10 * 60


async def test_a_reply_is_kept_before_its_place_is_free() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, fine, max_connections=1)
    model = LimitedModel(inner, clock=clock)
    kept: list[float] = []

    async def keep() -> None:
        async with holding(model, REQUEST) as reply:
            assert reply.tries == 1
            await clock.sleep(5)
            kept.append(clock.now())

    await clock.run(asyncio.wait_for(asyncio.gather(keep(), keep()), None))
    assert (inner.starts, kept) == ([0, 6], [6, 12])


async def test_a_model_that_never_comes_back_is_given_up() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda n, _: TransientModelError("down"), seconds=0.1, max_connections=20)
    model = LimitedModel(inner, clock=clock, jitter=lambda: 0.5)
    failures = await clock.run(many(model, 1000))
    assert all(isinstance(failure, OutOfTriesError) for failure in failures)
    assert any("model 'm': down (no call has passed for 240 seconds)" in str(failure) for failure in failures)
    assert len(inner.starts) < 60
    assert clock.time < 600

    async def later() -> list[ChatReply | BaseException]:
        await clock.sleep(3600)
        return await many(model, 10)

    inner._script = fine
    replies = await clock.run(later())
    assert any(isinstance(reply, ChatReply) for reply in replies), "a later call is a probe again"


async def test_some_failures_among_successes_pause_nothing() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda n, now: fine(n, now) if n % 3 else TransientModelError("x"))
    model = LimitedModel(inner, clock=clock)
    replies = await clock.run(many(model, 300))
    assert all(isinstance(reply, ChatReply) for reply in replies)
    assert model.throttle.pauses == 0


async def test_a_cancelled_probe_leaves_the_probe_to_the_next() -> None:
    clock = VirtualClock()
    inner = TimedModel(
        clock,
        lambda n, _: TransientModelError("x") if n < 10 else fine(n, 0),
        max_connections=10,
        max_retries=0,
    )
    model = LimitedModel(inner, clock=clock)
    await clock.run(many(model, 10))
    assert model.throttle.pauses == 1

    async def cancel_the_probe() -> ChatReply:
        probe = asyncio.create_task(model.complete(REQUEST))
        await clock.sleep(2.5)
        probe.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probe
        return await model.complete(REQUEST)

    assert (await clock.run(cancel_the_probe())).text == "fine"


async def test_closing_closes_the_model_inside() -> None:
    inner = ScriptedModel(["x"])
    model = LimitedModel(inner)
    assert model.settings is inner.settings
    await model.close()


async def test_a_model_that_refuses_everything_is_asked_no_more() -> None:
    inner = ScriptedModel([PermanentModelError("401: wrong key")])
    model = LimitedModel(inner, clock=VirtualClock())
    for _ in range(REFUSALS_BEFORE_GIVING_UP + 3):
        with pytest.raises(PermanentModelError, match="wrong key"):
            await model.complete(ChatRequest((Message("user", "x"),)))
    assert len(inner.requests) == REFUSALS_BEFORE_GIVING_UP
    with pytest.raises(PermanentModelError, match="no more are sent"):
        await model.complete(ChatRequest((Message("user", "x"),)))


async def test_calls_that_wait_for_a_place_are_not_sent_once_the_model_is_given_up() -> None:
    clock = VirtualClock()
    inner = TimedModel(clock, lambda *_: PermanentModelError("401: wrong key"), max_connections=2)
    model = LimitedModel(inner, clock=clock)
    outcomes = await clock.run(many(model, 60))
    assert all(isinstance(outcome, PermanentModelError) for outcome in outcomes)
    assert len(inner.starts) <= REFUSALS_BEFORE_GIVING_UP + 1  # the other connection's call was on its way
    assert str(outcomes[-1]).count("no more are sent") == 1


async def test_a_refused_call_is_an_answer_and_an_answer_ends_a_row_of_refusals() -> None:
    clock, refusal = VirtualClock(), PermanentModelError("400: too long")
    model = LimitedModel(TimedModel(clock, lambda *_: refusal), clock=clock)
    for _ in range(4):
        model.throttle.failed(0)
    before = model.throttle.limit
    await clock.run(many(model, 2))
    assert model.throttle.limit > before

    def every_tenth(number: int, now: float) -> ChatReply | ModelError:
        return refusal if number % 10 else fine(number, now)

    model = LimitedModel(TimedModel(clock, every_tenth, max_connections=1), clock=clock)
    found = await clock.run(many(model, 10 * REFUSALS_BEFORE_GIVING_UP))
    assert sum(isinstance(one, ChatReply) for one in found) == REFUSALS_BEFORE_GIVING_UP


async def test_answers_between_refusals_keep_a_model_going_call_after_call() -> None:
    once: list[ChatReply | ModelError] = [PermanentModelError("400: too long"), ChatReply("ok", 1, 1)]
    replies = once * (REFUSALS_BEFORE_GIVING_UP + 2)
    inner = ScriptedModel(replies)
    model = LimitedModel(inner, clock=VirtualClock())
    for number in range(len(replies)):
        with nullcontext() if number % 2 else pytest.raises(PermanentModelError, match="too long"):
            await model.complete(ChatRequest((Message("user", str(number)),)))
    assert len(inner.requests) == len(replies)


async def test_a_hint_of_hours_is_not_obeyed_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("perturb.llm.limits.asyncio.sleep", sleep)
    outcomes = iter([TransientModelError("busy", retry_after=90_000.0), None])

    async def call() -> str:
        if error := next(outcomes):
            raise error
        return "done"

    assert await retry_transient(call, 2) == "done"
    assert waits == [LONGEST_HINT]
