from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import BudgetSpent, PermanentModelError, TransientModelError
from perturb.files.resources import digest
from perturb.ledger import queries
from perturb.ledger.calls import CallLedger
from perturb.llm.budget import Budget
from perturb.llm.client import (
    ChatReply,
    ChatRequest,
    Line,
    Message,
    ModelSettings,
    Price,
    Schema,
    ScriptedModel,
)
from perturb.llm.limits import OutOfTriesError
from perturb.llm.model_client import Call, ModelClient, ModelResult, _key
from perturb.llm.replies import read_object
from tests.building import MemoryLog

REQUEST = ChatRequest((Message("user", "Which?"),))
GOOD = '{"verdict": "PASS"}'


def verdict(text: str) -> str:
    return str(read_object(text, frozenset({"verdict"}))["verdict"])


class Bench:
    """One scripted model, its asker and its log."""

    def __init__(self, script: Sequence[Line], budget: Budget | None = None, **settings: Any) -> None:
        self.log = MemoryLog()
        self.budget = budget or Budget()
        self.model = ScriptedModel(script, ModelSettings("m", "openai/m", **settings))
        self.client = ModelClient({"m": self.model}, self.log, self.budget)

    async def ask(
        self, request: ChatRequest = REQUEST, read: Any = verdict, salt: str = ""
    ) -> ModelResult[Any]:
        return await self.client.ask("m", request, read, purpose="verify", subject="c1", salt=salt)

    @property
    def sent(self) -> int:
        return len(self.model.requests)

    @property
    def statuses(self) -> list[str]:
        return [call.status for call in self.log.calls]


async def test_a_readable_reply_is_returned_and_recorded() -> None:
    reply = ChatReply(GOOD, prompt_tokens=5, completion_tokens=3, cost_usd=0.25, seconds=1.5, tries=2)
    bench = Bench([reply])
    assert await bench.ask() == ModelResult("PASS", GOOD, "", "read")
    call = bench.log.calls[0]
    assert call == Call(call.key, "m", "verify", "c1", "read", GOOD, "", 5, 3, 0.25, 0.25, 1.5, 2)
    assert bench.budget.spent == 0.25


async def test_an_answer_is_given_once_its_reply_is_on_disk() -> None:
    bench, on_disk = Bench([GOOD]), asyncio.Event()
    bench.log.wait_until_committed = on_disk.wait  # type: ignore[method-assign,assignment]
    asked = asyncio.create_task(bench.ask())
    for _ in range(20):
        await asyncio.sleep(0)
    assert (bench.statuses, asked.done()) == (["read"], False)
    on_disk.set()
    assert (await asked).value == "PASS"


async def test_an_unreadable_reply_is_asked_for_once_more_with_the_error() -> None:
    bench = Bench(["I would say it passes.", GOOD])
    assert (await bench.ask()).value == "PASS"
    assert bench.statuses == ["unread", "read"]
    assert len({call.key for call in bench.log.calls}) == 1
    repair = bench.model.requests[1].messages
    assert [message.role for message in repair] == ["user", "assistant", "user"]
    assert repair[1].content == "I would say it passes."
    assert "text without a JSON object" in repair[2].content


async def test_a_repaired_reply_is_not_paid_for_again() -> None:
    bench = Bench(["prose", GOOD])
    await bench.ask()
    again = await bench.ask()
    assert (again.value, again.cached, bench.sent) == ("PASS", True, 2)


async def test_twice_unreadable_keeps_the_last_raw_text() -> None:
    bench = Bench(["first", "second", GOOD])
    asked = await bench.ask()
    assert (asked.status, asked.value, asked.raw, bench.sent) == ("unread", None, "second", 2)
    assert bench.statuses == ["unread", "unread"]
    assert (await bench.ask()).value == "PASS", "an unread reply is not in the way of another try"


async def test_a_reply_with_a_problem_is_unread_whatever_it_says() -> None:
    bench = Bench([ChatReply(GOOD, problem="it held a key"), GOOD])
    assert (await bench.ask()).value == "PASS"
    assert bench.statuses == ["unread", "read"]
    assert bench.log.calls[0].error == "it held a key"


async def test_an_empty_reply_is_quoted_as_such() -> None:
    bench = Bench(["", GOOD])
    assert (await bench.ask()).value == "PASS"
    assert bench.model.requests[1].messages[1].content == "(empty)"


@pytest.mark.parametrize("text", ["x" * 1001, "\u00e9" * 501, GOOD + " " * 5000])
async def test_of_a_reply_that_is_too_long_the_beginning_is_kept_once(text: str) -> None:
    bench = Bench([text, GOOD], max_reply_bytes=1000)
    asked = await bench.ask(read=str)
    assert (asked.status, asked.value, bench.sent) == ("unread", None, 1)
    assert asked.error == "the reply is longer than 1000 bytes (max_reply_bytes)"
    call = bench.log.calls[0]
    assert (call.status, call.error) == ("unread", asked.error)
    assert text.startswith(call.reply)
    assert len(call.reply.encode()) == 1000
    assert (await bench.ask()).value == "PASS", "and it is asked for again the next time"


async def test_only_the_record_holds_more_of_a_long_reply_than_is_quoted() -> None:
    bench = Bench(["x" * 3_000_000])
    asked = await bench.ask(read=str)
    assert (len(asked.raw), len(bench.log.calls[0].reply)) == (8000, 2_000_000)
    fitting = Bench(["x" * 2_000_000])
    assert (await fitting.ask(read=str)).value == "x" * 2_000_000


@pytest.mark.parametrize(
    "reply",
    [
        ChatReply(GOOD + "\ud800", prompt_tokens=10**30, completion_tokens=10**30, cost_usd=float("inf")),
        ChatReply(GOOD + "\udfff", prompt_tokens=2**63, completion_tokens=-1, cost_usd=float("nan")),
        ChatReply(GOOD + "\x00", prompt_tokens=2**62, completion_tokens=2**62, cost_usd=-1.0),
        PermanentModelError("half a character: \ud800\x00"),
    ],
)
async def test_whatever_a_model_reports_can_be_stored(tmp_path: Path, reply: Line) -> None:
    budget = Budget()
    with CallLedger(tmp_path) as ledger:
        model = ScriptedModel([reply], ModelSettings("m", "openai/m"))
        client = ModelClient({"m": model}, ledger, budget)
        for number in range(3):
            await client.ask("m", REQUEST, str, purpose="verify", subject="c1", salt=str(number))
        ledger.flush()
        totals = queries.call_totals(ledger.db)["m"]
    assert (totals["calls"], totals["prompt_tokens"], totals["completion_tokens"]) == (3, None, None)
    assert json.dumps(totals, allow_nan=False)
    assert budget.spent == 0.0


async def test_a_cut_off_reply_is_said_to_be_cut_off() -> None:
    bench = Bench([ChatReply('{"verdict": "PA', finish_reason="length"), GOOD])
    await bench.ask()
    assert "limit of tokens" in bench.log.calls[0].error


@pytest.mark.parametrize("transient", [True, False])
async def test_failures_are_values(transient: bool) -> None:
    error = OutOfTriesError("m: 503", 7) if transient else PermanentModelError("m: no such model")
    bench = Bench([error])
    asked = await bench.ask()
    assert asked == ModelResult(None, "", str(error), "error", transient=transient)
    assert bench.statuses == ["error"]
    assert bench.log.calls[0].tries == (7 if transient else 1)
    assert bench.log.calls[0].cost_usd is None
    assert bench.log.calls[0].charged_usd == bench.budget.spent
    assert (bench.budget.spent, bench.budget.reserved) == (0.0, 0.0)


async def test_a_failure_of_the_second_call_keeps_the_first_text() -> None:
    asked = await Bench(["prose", TransientModelError("503")]).ask()
    assert (asked.status, asked.raw, asked.transient) == ("error", "prose", True)


async def test_keys_are_taken_out_of_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-looking-value")
    bench = Bench([PermanentModelError("bad key plain-looking-value or sk-proj-abcdefghijkl")])
    asked = await bench.ask()
    assert asked.error == "bad key [redacted] or [redacted]"
    assert bench.log.calls[0].error == asked.error


async def test_an_identical_question_is_answered_from_the_log() -> None:
    bench = Bench([GOOD])
    await bench.ask()
    assert await bench.ask() == ModelResult("PASS", GOOD, "", "read", cached=True)
    assert (bench.sent, len(bench.log.calls)) == (1, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"request": ChatRequest((Message("user", "Which one?"),))},
        {"request": ChatRequest((Message("system", "Which?"),))},
        {"request": ChatRequest(REQUEST.messages, schema={"type": "object"})},
        {"salt": "replicate 2"},
    ],
)
async def test_a_different_question_is_asked(changes: dict[str, Any]) -> None:
    bench = Bench([GOOD])
    await bench.ask()
    assert not (await bench.ask(**changes)).cached


async def test_the_settings_that_decide_replies_are_part_of_the_question() -> None:
    first = Bench([GOOD], params={"temperature": 0.0})
    await first.ask()
    for settings, cached in [
        ({"params": {"temperature": 0.0}, "rpm": 5, "timeout": 1.0}, True),
        ({"params": {"temperature": 1.0}}, False),
    ]:
        other = Bench([GOOD], **settings)  # type: ignore[arg-type]
        other.log.calls.extend(first.log.calls)
        assert (await other.ask()).cached is cached


async def test_a_logged_reply_that_no_longer_reads_is_asked_for_again() -> None:
    bench = Bench(['{"answer": 1}', GOOD])
    await bench.ask(read=read_object)
    assert await bench.ask() == ModelResult("PASS", GOOD, "", "read")


async def test_an_unread_answer_is_shared_too() -> None:
    bench, on_disk = Bench(["It passes."]), asyncio.Event()
    bench.log.wait_until_committed = on_disk.wait  # type: ignore[method-assign,assignment]
    asking = [asyncio.create_task(bench.ask()) for _ in range(3)]
    for _ in range(20):
        await asyncio.sleep(0)
    on_disk.set()
    assert [one.status for one in await asyncio.gather(*asking)] == ["unread"] * 3
    assert bench.sent == 2


async def test_identical_questions_at_the_same_time_share_one_call() -> None:
    bench = Bench([GOOD])
    slow = asyncio.Event()
    send = bench.model.complete

    async def complete(request: ChatRequest) -> ChatReply:
        await slow.wait()
        return await send(request)

    bench.model.complete = complete  # type: ignore[method-assign]
    asking = [asyncio.create_task(bench.ask()) for _ in range(5)]
    await asyncio.sleep(0)
    asking.append(asyncio.create_task(bench.ask(read=len)))
    await asyncio.sleep(0)
    asking[1].cancel()
    slow.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)
    assert bench.sent == 1
    assert isinstance(answers.pop(1), asyncio.CancelledError)
    assert [answer.value for answer in answers if isinstance(answer, ModelResult)] == ["PASS"] * 4 + [
        len(GOOD)
    ]


async def test_if_the_one_who_asks_is_cancelled_another_asks() -> None:
    bench = Bench([GOOD])
    send = bench.model.complete

    async def complete(request: ChatRequest) -> ChatReply:
        await asyncio.sleep(0.01)
        return await send(request)

    bench.model.complete = complete  # type: ignore[method-assign]
    leader, follower = asyncio.create_task(bench.ask()), asyncio.create_task(bench.ask())
    await asyncio.sleep(0)
    leader.cancel()
    assert (await follower).value == "PASS"
    assert bench.budget.reserved == 0.0


async def test_a_spent_budget_ends_it() -> None:
    bench = Bench([GOOD], Budget(0.0), price=Price(1.0, 1.0))
    with pytest.raises(BudgetSpent):
        await bench.ask()
    assert (bench.sent, bench.log.calls) == (0, [])


async def test_a_reply_without_usage_is_charged_in_full() -> None:
    bench = Bench([GOOD], Budget(1.0), price=Price(1.0, 1.0), params={"max_tokens": 100})
    await bench.ask()
    assert bench.budget.spent == pytest.approx((len("Which?") + 16 + 100) / 1e6)
    assert bench.log.calls[0].cost_usd is None
    assert bench.log.calls[0].charged_usd == bench.budget.spent


async def test_an_error_of_the_reader_is_no_unreadable_reply() -> None:
    bench = Bench([GOOD])
    with pytest.raises(KeyError):
        await bench.ask(read=lambda text: {}[text])
    assert bench.budget.reserved == 0.0


@pytest.mark.parametrize("roles", [("user",), ("system",), ("system", "user"), ("user", "assistant", "user")])
def test_the_key_of_a_request_is_the_digest_of_all_that_decides_its_reply(roles: tuple[Any, ...]) -> None:
    request = ChatRequest(tuple(Message(role, f"Größe \ud800 {role}") for role in roles), {"b": 1, "a": [2]})
    messages = [(message.role, message.content) for message in request.messages]
    for schema in (request.schema, Schema(request.schema or {}), None):
        named = None if schema is None else dict(schema)
        assert _key("abc", replace(request, schema=schema), "1") == digest(
            "abc", messages, named, "1", length=32
        )


async def test_a_system_message_of_the_users_own_comes_first_and_makes_another_question() -> None:
    plain, careful = Bench([GOOD]), Bench([GOOD], system="Be careful.")
    await plain.ask()
    await careful.ask(ChatRequest((Message("system", "Ours."), *REQUEST.messages)))
    sent = [(message.role, message.content) for message in careful.model.requests[0].messages]
    assert sent == [("system", "Be careful."), ("system", "Ours."), ("user", "Which?")]
    await careful.ask()
    assert plain.log.calls[0].key != careful.log.calls[-1].key
    assert plain.model.settings.fingerprint() != careful.model.settings.fingerprint()
