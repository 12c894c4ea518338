from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perturb.errors import BudgetSpent, ConfigError
from perturb.llm.budget import DEFAULT_MAX_TOKENS, Budget, bounded, upper_bound
from perturb.llm.client import ChatRequest, Message, ModelSettings, Price

PRICED = ModelSettings("m", "openai/m", price=Price(1.0, 2.0))


async def test_without_a_limit_everything_is_let_through_and_counted() -> None:
    budget = Budget()
    await budget.reserve(1e9)
    budget.settle(1e9, 3.0)
    assert (budget.spent, budget.reserved) == (3.0, 0.0)


async def test_a_call_that_could_overspend_is_refused() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.6)
    budget.settle(0.6, 0.5)
    await budget.reserve(0.5)
    budget.settle(0.5, 0.5)
    with pytest.raises(BudgetSpent, match=r"budget_usd: 1\.0000 of 1\.0000 USD are spent"):
        await budget.reserve(0.0001)


async def test_what_earlier_sessions_spent_counts() -> None:
    with pytest.raises(BudgetSpent):
        await Budget(1.0, 0.9).reserve(0.2)


async def test_calls_in_flight_are_waited_for_before_giving_up() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.8))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.settle(0.8, 0.1)
    await waiting
    assert budget.reserved == pytest.approx(0.8)
    refused = asyncio.create_task(budget.reserve(0.8))
    await asyncio.sleep(0)
    budget.settle(0.8, 0.7)
    with pytest.raises(BudgetSpent):
        await refused


async def test_a_small_call_does_not_overtake_one_that_waits() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.6)
    large, small = (asyncio.create_task(budget.reserve(bound)) for bound in (0.6, 0.3))
    await asyncio.sleep(0)
    assert not small.done()
    budget.settle(0.6, 0.0)
    await asyncio.gather(large, small)


async def test_an_unknown_cost_is_charged_as_the_bound() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.4)
    budget.settle(0.4, None)
    assert budget.spent == 0.4


async def test_a_cancelled_wait_reserves_nothing() -> None:
    budget = Budget(1.0)
    await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.8))
    await asyncio.sleep(0)
    budget.settle(0.8, 0.0)  # grants the wait, which is cancelled before it learns of it
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert budget.reserved == 0.0
    await budget.reserve(1.0)


@example(limit=0.65, calls=[(0.1, 0.0), (0.2, 0.0), (0.3, 0.4), (0.1, 0.4), (0.65, 0.0), (0.65, 0.0)])
@given(
    limit=st.floats(0.0, 2.0),
    calls=st.lists(st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 1.0)), max_size=30),
)
def test_no_order_of_calls_overspends(limit: float, calls: list[tuple[float, float]]) -> None:
    budget = Budget(limit)
    outcomes: list[str] = []

    async def call(bound: float, share: float) -> None:
        try:
            await budget.reserve(bound)
        except BudgetSpent:
            outcomes.append("refused")
            return
        for _ in range(int(share * 5)):
            await asyncio.sleep(0)
        assert budget.spent + budget.reserved <= limit + 1e-9
        budget.settle(bound, bound * share)
        outcomes.append("sent")

    async def everything() -> None:
        async with asyncio.timeout(20):
            await asyncio.gather(*(call(*one) for one in calls))

    asyncio.run(everything())
    assert len(outcomes) == len(calls), "nobody waits for ever"
    assert budget.spent <= limit + 1e-9
    assert budget.reserved == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("params", "limit"),
    [({}, 1.0), ({"max_tokens": 7}, 1.0), ({"max_completion_tokens": 7}, 1.0), ({}, None)],
)
def test_a_budget_bounds_the_length_of_replies(params: dict[str, Any], limit: float | None) -> None:
    settings = ModelSettings("m", "openai/m", params=params, price=PRICED.price)
    added = {"max_tokens": DEFAULT_MAX_TOKENS} if limit and not params else {}
    assert bounded(settings, Budget(limit)).params == params | added


def test_a_budget_needs_a_price() -> None:
    unpriced = ModelSettings("cheap", "openai/m")
    assert bounded(unpriced, Budget()) is unpriced
    with pytest.raises(ConfigError, match=r"model 'cheap': its price is unknown.*'price:"):
        bounded(unpriced, Budget(1.0))


def test_the_bound_counts_every_byte_the_schema_and_the_reply() -> None:
    short = upper_bound(PRICED, ChatRequest((Message("user", "é" * 100),)))
    assert short == pytest.approx((200 + 16 + 2 * DEFAULT_MAX_TOKENS) / 1e6)
    with_schema = upper_bound(PRICED, ChatRequest((Message("user", "é" * 100),), schema={"type": "object"}))
    assert with_schema == pytest.approx(short + len('{"type":"object"}') / 1e6)
    assert upper_bound(ModelSettings("m", "openai/m"), ChatRequest(())) == 0.0
