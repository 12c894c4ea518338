"""Calling with batch APIs: the real litellm over real HTTP to the batch endpoints of the loopback server."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from perturb.errors import ConfigError, ModelError, PermanentModelError, TransientModelError
from perturb.ledger.evaluations import EvaluationLedger, count_batches
from perturb.llm.batch_model import GONE_POLLS, BatchModel, open_batch_models
from perturb.llm.budget import Budget
from perturb.llm.client import BatchLimits, ChatReply, ChatRequest, Message, ModelSettings, Price, RowOutcome
from perturb.llm.limits import OutOfTriesError
from perturb.llm.model_client import ModelClient, ModelResult
from perturb.llm.remote import LiteLLMModel
from perturb.llm.remote_batches import LiteLLMBatches, RowReader, check_batches
from tests.loopback import BatchPlan, LoopbackServer

pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

# litellm leaves the connections of listings and of interrupted calls open; others are closed by the server.
LEFT_OPEN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

KEY = "sk-loopback-0123456789abcdef"
QUICK = BatchLimits(idle_seconds=0.05, first_poll=0.01, longest_poll=0.05)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    monkeypatch.setattr("perturb.llm.limits.FIRST_WAIT", 0.01)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as started:
        yield started


def settings_for(server: LoopbackServer, **changes: Any) -> ModelSettings:
    plain = ModelSettings(
        *("tiny", "hosted_vllm/tiny"),
        api_base=server.url,
        api_key_env="LOOPBACK_KEY",
        price=Price(10.0, 20.0),
        timeout=20,
    )
    return replace(plain, **changes)


@asynccontextmanager
async def opened(
    server: LoopbackServer, folder: Path, limits: BatchLimits = QUICK, **changes: Any
) -> AsyncIterator[BatchModel]:
    with EvaluationLedger(folder) as ledger:
        (model,) = open_batch_models([settings_for(server, **changes)], Budget(), ledger, limits)
        try:
            yield model
        finally:
            await model.close()
            await collect_clients()


async def collect_clients() -> None:
    """Have the clients that litellm left behind close themselves as long as the loop runs."""
    before = asyncio.all_tasks()
    gc.collect()
    await asyncio.gather(*(asyncio.all_tasks() - before), return_exceptions=True)


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> Iterator[None]:
    """Collections look at the objects of a test alone: going through all of litellm takes 0.3 s each time."""
    import litellm  # noqa: F401 - so that it is frozen too

    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def request(text: str) -> ChatRequest:
    return ChatRequest((Message("system", "Echo."), Message("user", text)))


async def ask_all(model: BatchModel, count: int) -> list[ChatReply | BaseException]:
    return await asyncio.gather(
        *(model.complete(request(f"Nr {number}?")) for number in range(count)), return_exceptions=True
    )


async def replies(
    server: LoopbackServer, folder: Path, count: int, limits: BatchLimits = QUICK, **changes: Any
) -> list[Any]:
    async with opened(server, folder, limits, **changes) as model:
        return await ask_all(model, count)


def texts(found: Sequence[ChatReply]) -> list[str]:
    return [reply.text for reply in found]


def echoes(count: int) -> list[str]:
    return [f"Nr {number}?" for number in range(count)]


def counts(folder: Path) -> dict[str, int]:
    with EvaluationLedger(folder) as ledger:
        return count_batches(ledger.db)


@pytest.mark.parametrize("route", ["openai/tiny", "hosted_vllm/tiny"])
async def test_requests_become_one_batch_at_half_the_price(
    server: LoopbackServer, tmp_path: Path, route: str
) -> None:
    server.batches.plans = [BatchPlan(looks=3)]
    found = await replies(server, tmp_path, 20, model=route)
    assert texts(found) == echoes(20)
    tokens = found[0].prompt_tokens, found[0].completion_tokens
    assert found[0].cost_usd == pytest.approx((10 * tokens[0] + 20 * tokens[1]) / 2e6)
    assert (found[0].tries, found[0].finish_reason) == (1, "stop")
    desk = server.batches
    assert server.counters.total == 0, "nothing was asked one by one"
    assert dict(desk.calls) == {"upload": 1, "create": 1, "view": 4, "content": 1}
    assert (len(desk.rows), desk.rows.total()) == (20, 20)
    assert desk.keys == {f"Bearer {KEY}"}
    assert counts(tmp_path) == {"submitted": 1, "rows": 20, "open": 0}


async def test_a_row_asks_what_a_single_call_asks(server: LoopbackServer, tmp_path: Path) -> None:
    params = {"temperature": 0.5, "max_tokens": 70, "top_k": 3, "extra_body": {"min_p": 0.1}}
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    asked = replace(request("Hé?"), schema=schema)
    for route in ("openai/tiny", "hosted_vllm/tiny"):
        settings = settings_for(server, model=route, params=params, json_schema="on")
        single = LiteLLMModel(settings)
        await single.complete(asked)
        await single.close()
        async with opened(server, tmp_path / route, model=route, params=params, json_schema="on") as model:
            await model.complete(asked)
        (row,) = server.batches.batches[-1].rows
        assert row["body"] == {
            name: value for name, value in server.counters.last_request.items() if name != "stream"
        }
        assert (row["method"], row["url"]) == ("POST", "/v1/chat/completions")


async def test_it_is_told_how_batches_go(server: LoopbackServer, tmp_path: Path) -> None:
    said: list[str] = []
    server.batches.plans = [BatchPlan(answered=1)]
    with EvaluationLedger(tmp_path) as ledger:
        (model,) = open_batch_models([settings_for(server)], Budget(), ledger, QUICK, said.append)
        await ask_all(model, 3)
        await model.close()
    assert said == [
        *("tiny: batch of 3 under way", "tiny: batch of 3 expired"),
        *("tiny: batch of 2 under way", "tiny: batch of 2 completed"),
    ]


async def test_a_row_may_be_a_batch_by_itself(server: LoopbackServer, tmp_path: Path) -> None:
    assert texts(await replies(server, tmp_path, 3, replace(QUICK, max_rows=1))) == echoes(3)
    assert [len(batch.rows) for batch in server.batches.batches] == [1, 1, 1]


@pytest.mark.slow
async def test_batches_are_cut_by_rows_and_by_bytes(server: LoopbackServer, tmp_path: Path) -> None:
    assert texts(await replies(server, tmp_path / "a", 25, replace(QUICK, max_rows=10))) == echoes(25)
    assert sorted(len(batch.rows) for batch in server.batches.batches) == [5, 10, 10]
    size = max(len(content) for name, content in server.batches.files.items() if name.startswith("file-"))
    server.batches.batches.clear()
    assert texts(await replies(server, tmp_path / "b", 10, replace(QUICK, max_bytes=size // 2))) == echoes(10)
    assert [len(batch.rows) for batch in server.batches.batches] == [5, 5]


async def test_the_same_request_may_wait_twice(server: LoopbackServer, tmp_path: Path) -> None:
    async with opened(server, tmp_path) as model:
        found = await asyncio.gather(model.complete(request("A?")), model.complete(request("A?")))
    assert texts(found) == ["A?", "A?"]
    assert len(server.batches.rows) == 2


AGAIN = {
    "missing lines": (BatchPlan(missing=2), 2),
    "broken lines": (BatchPlan(malformed=3), 3),
    "rows over the rate limit": (BatchPlan(limited=4), 4),
    "an expired batch": (BatchPlan(answered=6), 4),
    "an expired batch without an answer": (BatchPlan(answered=0), 10),
    "a failed batch": (BatchPlan(failure="The file is no good."), 10),
    "a batch that is gone": (BatchPlan(gone=True), 10),
    "all of it": (BatchPlan(missing=1, malformed=1, limited=1, answered=4), 6),
}


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "again"), AGAIN.values(), ids=AGAIN.keys())
async def test_what_a_batch_leaves_out_is_queued_again(
    server: LoopbackServer, tmp_path: Path, plan: BatchPlan, again: int
) -> None:
    server.batches.plans = [plan]
    found = await replies(server, tmp_path, 10)
    assert texts(found) == echoes(10)
    assert [len(batch.rows) for batch in server.batches.batches] == [10, again]
    assert counts(tmp_path)["open"] == 0


async def test_a_batch_that_somebody_cancels_is_submitted_again(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.batches.frozen = True
    async with opened(server, tmp_path) as model:
        asking = asyncio.create_task(ask_all(model, 4))
        while not server.batches.calls["view"]:  # noqa: ASYNC110  (it counts in a thread of its own)
            await asyncio.sleep(0.01)
        cancel = Request(f"{server.url}/batches/batch_0/cancel", method="POST")
        (await asyncio.to_thread(urlopen, cancel, timeout=30)).close()
        server.batches.frozen = False
        found = await asking
    assert [one for one in found if isinstance(one, ChatReply)] == found
    assert [len(batch.rows) for batch in server.batches.batches] == [4, 4]
    assert counts(tmp_path)["open"] == 0


@pytest.mark.slow
async def test_rows_that_are_refused_fail_for_good_and_the_others_count(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.batches.plans = [BatchPlan(refused=3)]
    found = await replies(server, tmp_path, 8)
    assert [type(one) for one in found[:3]] == [PermanentModelError] * 3
    assert str(found[0]).startswith("model 'tiny': in a batch, status 400: ")
    assert texts(found[3:]) == echoes(8)[3:]
    assert len(server.batches.batches) == 1


async def test_queueing_again_has_an_end(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.plans = [BatchPlan(failure="Over the quota of tokens.")] * 5
    found = await replies(server, tmp_path, 3)
    assert {type(one) for one in found} == {OutOfTriesError}
    assert str(found[0]) == "model 'tiny': batch failed: Over the quota of tokens. (submitted 3 times)"
    assert found[0].tries == 3
    assert len(server.batches.batches) == 3


@pytest.mark.slow
async def test_batches_that_are_gone_are_not_made_without_end(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.plans = [BatchPlan(gone=True)] * 5
    found = await replies(server, tmp_path, 3)
    assert [str(one) for one in found] == ["model 'tiny': the batch is gone (submitted 3 times)"] * 3
    assert len(server.batches.batches) == 3
    assert counts(tmp_path)["open"] == 0


@pytest.mark.slow
async def test_a_batch_that_is_not_known_at_once_is_not_made_again(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.batches.statuses["view"] = [404] * (GONE_POLLS - 1)
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert len(server.batches.batches) == 1


@LEFT_OPEN
async def test_a_file_that_is_not_known_at_once_is_read_all_the_same(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.batches.statuses["content"] = [404] * (GONE_POLLS - 1)
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert len(server.batches.batches) == 1


@pytest.mark.slow
@LEFT_OPEN
async def test_a_shaky_provider_is_asked_again(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.statuses |= {
        "upload": [500, 429], "create": [503], "view": [500, 429, 502, 500], "content": [500]
    }  # fmt: skip
    assert texts(await replies(server, tmp_path, 4, max_retries=2)) == echoes(4)
    assert server.batches.rows.total() == 4
    assert not any(server.batches.statuses.values())


@pytest.mark.parametrize("status", [401, 307])
@pytest.mark.parametrize("route", ["upload", "create"])
async def test_a_refused_or_redirected_batch_is_an_error_without_the_key(
    server: LoopbackServer, tmp_path: Path, route: str, status: int
) -> None:
    server.batches.statuses[route] = [status]
    found = await replies(server, tmp_path, 2)
    assert {type(one) for one in found} == {PermanentModelError}
    assert server.batches.calls[route] == 1
    assert KEY not in str(found)
    assert counts(tmp_path) == {"submitted": 0, "rows": 0, "open": 0}
    assert texts(await replies(server, tmp_path, 2)) == echoes(2)


async def test_a_key_that_is_refused_later_loses_no_batch(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.statuses["view"] = [401]
    assert {type(reply) for reply in await replies(server, tmp_path, 3)} == {PermanentModelError}
    assert counts(tmp_path)["open"] == 1
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert server.batches.rows.total() == 3


async def stop_when(server: LoopbackServer, folder: Path, count: int, begun: str, **limits: Any) -> None:
    """Ask, and stop as soon as the server has been asked for what `begun` names."""
    async with opened(server, folder, replace(QUICK, **limits)) as model:
        asking = asyncio.create_task(ask_all(model, count))
        while not server.batches.calls[begun]:  # noqa: ASYNC110  (it counts in a thread of its own)
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


@LEFT_OPEN
async def test_an_open_batch_is_awaited_by_the_next_session(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.frozen = True
    await stop_when(server, tmp_path, 12, "view")
    assert counts(tmp_path) == {"submitted": 1, "rows": 12, "open": 1}
    server.batches.frozen = False
    assert texts(await replies(server, tmp_path, 15)) == echoes(15)
    assert [len(batch.rows) for batch in server.batches.batches] == [12, 3]
    assert server.batches.rows.total() == 15, "no row was submitted twice"


@LEFT_OPEN
async def test_rows_asked_for_later_come_from_the_batch_that_has_ended(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.batches.frozen = True
    await stop_when(server, tmp_path, 6, "view")
    server.batches.frozen = False
    async with opened(server, tmp_path) as model:
        assert texts([await model.complete(request(f"Nr {number}?")) for number in range(3)]) == echoes(3)
    # The other three are still to come, and neither asked again nor forgotten.
    assert counts(tmp_path)["open"] == 1
    assert texts(await replies(server, tmp_path, 6)) == echoes(6)
    assert [len(batch.rows) for batch in server.batches.batches] == [6, 3]


@LEFT_OPEN
async def test_a_row_asked_for_while_the_files_are_read_comes_from_the_one_that_is_read(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    download = LiteLLMBatches.outcomes
    output_read, go_on = asyncio.Event(), asyncio.Event()

    async def outcomes(service: LiteLLMBatches, file_id: str) -> Iterator[tuple[str, RowOutcome]]:
        if file_id.startswith("error"):
            output_read.set()
            await go_on.wait()
        return await download(service, file_id)

    monkeypatch.setattr(LiteLLMBatches, "outcomes", outcomes)
    server.batches.plans = [BatchPlan(refused=1)]
    server.batches.frozen = True
    await stop_when(server, tmp_path, 2, "view")
    server.batches.frozen = False
    async with opened(server, tmp_path) as model:
        refused = asyncio.create_task(model.complete(request("Nr 0?")))
        await output_read.wait()
        answered = asyncio.create_task(model.complete(request("Nr 1?")))
        await asyncio.sleep(0)
        go_on.set()
        assert (await answered).text == "Nr 1?"
        with pytest.raises(PermanentModelError, match="status 400"):
            await refused
    assert [len(batch.rows) for batch in server.batches.batches] == [2]
    assert counts(tmp_path)["open"] == 0


@LEFT_OPEN
async def test_a_batch_whose_id_was_not_noted_is_found_by_its_tag(
    server: LoopbackServer, tmp_path: Path
) -> None:
    # The desk lists two batches a page, so that the one without a noted id stands on the second.
    server.batches.plans = [BatchPlan(create_seconds=30)]
    await stop_when(server, tmp_path, 5, "create")
    assert counts(tmp_path)["submitted"] == 0
    for number in range(3):
        await replies(server, tmp_path / f"other-{number}", 1, replace(QUICK), params={"seed": number})
    assert texts(await replies(server, tmp_path, 5)) == echoes(5)
    assert server.batches.calls["list"] == 2
    assert [len(batch.rows) for batch in server.batches.batches] == [5, 1, 1, 1]


@LEFT_OPEN
async def test_a_batch_that_was_never_made_is_made_anew(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.statuses["create"] = [500] * 2
    found = await replies(server, tmp_path, 3, max_retries=1)
    assert {type(one) for one in found} == {TransientModelError}
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert server.batches.rows.total() == 3


@LEFT_OPEN
async def test_a_lost_response_does_not_make_a_second_batch(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.plans = [BatchPlan(create_seconds=30)]
    assert texts(await replies(server, tmp_path, 3, timeout=0.5)) == echoes(3)
    assert [len(batch.rows) for batch in server.batches.batches] == [3]


@LEFT_OPEN
@pytest.mark.parametrize("status", [401, 404])
async def test_a_lost_response_and_a_list_that_fails_lose_no_batch(
    server: LoopbackServer, tmp_path: Path, status: int
) -> None:
    server.batches.plans = [BatchPlan(create_seconds=30)]
    server.batches.statuses["list"] = [status]
    found = await replies(server, tmp_path, 3, timeout=1.0)
    assert all(isinstance(one, PermanentModelError) for one in found)
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert [len(batch.rows) for batch in server.batches.batches] == [3]


@LEFT_OPEN
async def test_a_lost_response_and_a_refusal_lose_no_batch(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_early(_service: LiteLLMBatches, _input_file: str, _tag: str) -> None:
        server.batches.statuses["create"] = [400]

    server.batches.plans = [BatchPlan(create_seconds=30)]
    with monkeypatch.context() as patch:
        patch.setattr(LiteLLMBatches, "find", too_early)
        found = await replies(server, tmp_path, 3, timeout=1.0)
    assert {type(one) for one in found} == {PermanentModelError}
    assert texts(await replies(server, tmp_path, 3)) == echoes(3)
    assert [len(batch.rows) for batch in server.batches.batches] == [3]


@LEFT_OPEN
@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_server_without_a_list_does_not_block_what_it_may_hold(
    server: LoopbackServer, tmp_path: Path, status: int
) -> None:
    server.batches.statuses["create"] = [500]
    await replies(server, tmp_path, 3, max_retries=0)
    server.batches.statuses["list"] = [status]
    found = await replies(server, tmp_path, 3)
    assert texts(found) == echoes(3)
    assert {one.tries for one in found} == {1}
    assert server.batches.calls["list"] == 1


async def test_an_asker_keeps_calls_and_takes_rows_once(server: LoopbackServer, tmp_path: Path) -> None:
    """An unread reply is repaired by the next batch, and asked anew by the next session."""

    async def session() -> ModelResult[str]:
        with EvaluationLedger(tmp_path) as ledger:
            (model,) = open_batch_models([settings_for(server)], Budget(1.0), ledger, QUICK)
            asker = ModelClient({"tiny": model}, ledger, Budget(1.0))
            asked = await asker.ask("tiny", request("A?"), _unreadable, purpose="p", subject="s")
            await model.close()
            return asked

    first, second = await session(), await session()
    assert (first.status, second.status) == ("unread", "unread")
    assert [len(batch.rows) for batch in server.batches.batches] == [1, 1, 1, 1]
    assert counts(tmp_path) == {"submitted": 4, "rows": 4, "open": 0}


def _unreadable(text: str) -> str:
    raise ValueError("it says nothing")


def test_no_key_is_kept(server: LoopbackServer, tmp_path: Path) -> None:
    server.batches.plans = [BatchPlan(refused=1)]
    asyncio.run(replies(server, tmp_path, 2))
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert b"tiny" in kept
    assert KEY.encode() not in kept


def test_a_provider_without_batches_is_refused() -> None:
    settings = ModelSettings("ollama", "ollama_chat/tiny", api_base="http://127.0.0.1:1")
    with pytest.raises(ConfigError, match=r"model 'ollama': provider ollama_chat has no .* openai, azure,"):
        check_batches(settings)


def test_batches_need_the_address_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://127.0.0.1:1/v1")
    with pytest.raises(ConfigError, match=r"give its address as api_base$"):
        check_batches(ModelSettings("m", "hosted_vllm/tiny"))


ROWS: dict[str, tuple[dict[str, Any], str | type[ModelError]]] = {
    "anthropic on bedrock": (
        {
            "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "da"}],
            "stop_reason": "max_tokens",
            "usage": {"input_tokens": 7, "output_tokens": 2},
        },
        "Ada",
    ),
    "nova on bedrock": (
        {
            "output": {"message": {"content": [{"text": "Ada"}]}},
            "stopReason": "max_tokens",
            "usage": {"inputTokens": 7, "outputTokens": 2},
        },
        "Ada",
    ),
    "a completion": (
        {
            "choices": [{"message": {"content": "Ada"}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2},
        },
        "Ada",
    ),
    "something else": ({"generation": "Ada"}, TransientModelError),
}


@pytest.mark.parametrize(("body", "expected"), ROWS.values(), ids=ROWS.keys())
def test_rows_of_other_providers(body: dict[str, Any], expected: str | type[ModelError]) -> None:
    reader = RowReader(ModelSettings("m", "bedrock/m", price=Price(1.0, 1.0)))
    ((custom_id, outcome),) = reader.read(json.dumps({"recordId": "r1", "modelOutput": body}).encode())
    assert custom_id == "r1"
    if isinstance(expected, type):
        assert isinstance(outcome, expected)
    else:
        assert isinstance(outcome, ChatReply)
        assert (outcome.text, outcome.finish_reason, outcome.prompt_tokens) == (expected, "length", 7)
        assert outcome.cost_usd == pytest.approx(9e-6)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"errorCode": 400, "errorMessage": "no"}, PermanentModelError),
        ({"errorCode": 429, "errorMessage": "slow down"}, TransientModelError),
        ({"code": "batch_expired", "message": "too late"}, TransientModelError),
        ({"code": "insufficient_quota", "message": "pay"}, PermanentModelError),
        ("no JSON at all", TransientModelError),
    ],
)
def test_errors_of_rows(error: Any, kind: type[ModelError]) -> None:
    line = json.dumps({"custom_id": "r1", "error": error}).encode()
    reader = RowReader(ModelSettings("m", "openai/m"))
    ((_, outcome),) = reader.read(b"\n[]\nnot json\n" + line)
    assert type(outcome) is kind
