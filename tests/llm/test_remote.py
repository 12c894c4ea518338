"""Both transports over real HTTP to a server on the loopback interface: the real litellm, and our own."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from perturb.errors import ConfigError, ModelError, PermanentModelError, TransientModelError
from perturb.llm.budget import Budget
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, Message, ModelSettings, Price, Transport
from perturb.llm.factory import open_models, open_transport
from perturb.llm.limits import Clock, LimitedModel
from perturb.llm.redaction import HELD_KEY
from perturb.llm.remote import check_model, with_price, without_redirects
from tests.loopback import Fault, LoopbackServer, ScriptedFaults, ScriptedPlayer

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

KEY = "sk-loopback-0123456789abcdef"
HELLO = ChatRequest((Message("system", "Be brief."), Message("user", "Hello?")))

Route = dict[str, Any]
"""The settings that decide which way a call goes."""

ROUTES: tuple[Route, ...] = tuple(
    {"model": model, "transport": transport}
    for transport in ("litellm", "direct")
    for model in ("openai/tiny", "hosted_vllm/tiny")
)


def over(*routes: Route) -> pytest.MarkDecorator:
    """Run a test over these routes."""
    names = [f"{route['transport']}-{route['model'].partition('/')[0]}" for route in routes]
    return pytest.mark.parametrize("route", routes, ids=names)


every_route = over(*ROUTES)
each_transport = over(*ROUTES[1::2])


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", KEY)


def settings_for(server: LoopbackServer, **changes: Any) -> ModelSettings:
    plain = ModelSettings(
        "tiny", "hosted_vllm/tiny", api_base=server.url, api_key_env="LOOPBACK_KEY", timeout=10
    )
    return replace(plain, **changes)


@asynccontextmanager
async def opened(
    settings: ModelSettings, wrap: Callable[[ChatModel], ChatModel] | None = None
) -> AsyncIterator[ChatModel]:
    model = open_transport(settings)
    if wrap:
        model = wrap(model)
    try:
        yield model
    finally:
        await model.close()


async def ask(settings: ModelSettings, request: ChatRequest = HELLO) -> ChatReply:
    async with opened(settings) as model:
        return await model.complete(request)


async def failure(route: Route, fault: Fault) -> ModelError:
    with LoopbackServer(faults=ScriptedFaults([fault] * 3), retry_after=7) as server:
        with pytest.raises(ModelError) as caught:
            await ask(settings_for(server, **route))
        assert server.counters.total == 1, "a transport must not retry by itself"
        return caught.value


@every_route
async def test_a_reply_carries_text_usage_and_cost(route: Route) -> None:
    with LoopbackServer(ScriptedPlayer(["Good day."])) as server:
        reply = await ask(settings_for(server, **route, price=Price(1.0, 2.0), params={"temperature": 0.5}))
        sent, headers = server.counters.last_request, server.counters.last_headers
    assert (reply.text, reply.finish_reason, reply.tries) == ("Good day.", "stop", 1)
    assert reply.prompt_tokens
    assert reply.completion_tokens
    assert reply.cost_usd == pytest.approx((reply.prompt_tokens + 2 * reply.completion_tokens) / 1e6)
    assert reply.seconds > 0
    assert sent["model"] == "tiny"
    assert sent["temperature"] == 0.5
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello?"},
    ]
    assert headers["Authorization"] == f"Bearer {KEY}"


@every_route
async def test_an_unknown_price_or_usage_is_none(route: Route) -> None:
    with LoopbackServer(faults=ScriptedFaults([None, Fault.NO_USAGE])) as server:
        unpriced = await ask(settings_for(server, **route))
        uncounted = await ask(settings_for(server, **route, price=Price(1.0, 1.0)))
    assert unpriced.prompt_tokens is not None
    assert unpriced.cost_usd is None
    assert (uncounted.prompt_tokens, uncounted.completion_tokens, uncounted.cost_usd) == (None, None, None)


TRANSIENT = [
    Fault.RATE_LIMIT,
    Fault.RATE_LIMIT_WITH_HINT,
    Fault.SERVER_ERROR,
    Fault.OVERLOADED,
    Fault.DROP,
    Fault.HTML,
    Fault.NO_CHOICES,
]
PERMANENT = [Fault.NO_QUOTA, Fault.UNAUTHORISED, Fault.BAD_REQUEST]


@every_route
@pytest.mark.parametrize("fault", TRANSIENT)
async def test_transient_faults(route: Route, fault: Fault) -> None:
    error = await failure(route, fault)
    assert isinstance(error, TransientModelError)
    assert error.retry_after == (7 if fault is Fault.RATE_LIMIT_WITH_HINT else None)


@every_route
@pytest.mark.parametrize("fault", PERMANENT)
async def test_permanent_faults(route: Route, fault: Fault) -> None:
    assert isinstance(await failure(route, fault), PermanentModelError)


@every_route
@pytest.mark.parametrize(
    "fault", [Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.UNAUTHORISED, Fault.BAD_REQUEST]
)
async def test_errors_name_the_model_on_one_line_and_hold_no_key(route: Route, fault: Fault) -> None:
    message = str(await failure(route, fault))
    assert message.startswith("model 'tiny': ")
    assert "litellm." not in message
    assert "Exception - " not in message
    assert "\n" not in message
    assert KEY not in message
    assert "[redacted]" in message, "the server quotes the key, so something must have been taken out"


@every_route
async def test_logs_hold_no_key(route: Route, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await failure(route, Fault.UNAUTHORISED)
    assert KEY not in caplog.text


PROVIDERS = ("openai", "hosted_vllm", "anthropic", "ollama_chat", "mistral", "azure")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize(
    ("provider", "transport"),
    [
        *((name, "litellm") for name in (*PROVIDERS, "gemini", "groq", "cohere_chat")),
        ("hosted_vllm", "direct"),
    ],
)
async def test_no_transport_follows_a_redirect(provider: str, transport: Transport, status: int) -> None:
    with LoopbackServer() as elsewhere:
        head = (
            f"HTTP/1.1 {status} Elsewhere\r\nLocation: {elsewhere.url}/chat/completions\r\nContent-Length: 0"
        )
        async with answering(head.encode()) as server:
            settings = ModelSettings(
                "m", f"{provider}/tiny", api_base=f"http://{server}/v1", api_key_env="LOOPBACK_KEY"
            )
            params = {"api_version": "v1"} if transport == "litellm" else {}
            with pytest.raises(PermanentModelError, match="redirects are not followed"):
                await ask(replace(settings, transport=transport, params=params))
        assert elsewhere.counters.total == 0, "neither the prompt nor the key went on"


HOST = """
import asyncio, gc, logging, os, sys
import httpx, litellm
host = [print]
litellm.success_callback = host
def state():
    return (
        httpx.Client.send, httpx.AsyncClient.send, gc.get_threshold(), gc.get_freeze_count(), litellm.drop_params,
        litellm.success_callback, logging.getLogger("httpx").level, *logging.getLogger("httpx").filters,
    )
before = state()
import perturb
from perturb.llm.budget import Budget
from perturb.llm.client import ChatRequest, Message, ModelSettings
from perturb.llm.factory import open_models

async def ask():
    settings = ModelSettings("m", "openai/tiny", api_base=sys.argv[1], api_key_env="LOOPBACK_KEY", transport="litellm")
    (model,) = open_models([settings], Budget()).values()
    await model.complete(ChatRequest((Message("user", "Hello?"),)))
    await model.close()

asyncio.run(ask())
litellm.success_callback = [one for one in litellm.success_callback if one in host]
assert state() == before, (before, state())
"""


@pytest.mark.slow
def test_a_process_that_calls_models_is_left_as_it_was() -> None:
    with LoopbackServer() as server:
        done = subprocess.run(
            [sys.executable, "-c", HOST, server.url],
            capture_output=True,
            text=True,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )
        assert done.returncode == 0, done.stderr
        assert server.counters.total == 1


async def test_calls_of_others_still_follow_redirects_meanwhile() -> None:
    import httpx

    with LoopbackServer() as elsewhere:
        head = f"HTTP/1.1 307 Elsewhere\r\nLocation: {elsewhere.url}/models\r\nContent-Length: 0"
        async with answering(head.encode()) as server:
            others = asyncio.Event()

            async def of_the_host() -> int:
                await others.wait()
                async with httpx.AsyncClient(follow_redirects=True) as client:
                    return len((await client.get(f"http://{server}/")).history)

            task = asyncio.create_task(of_the_host())
            with without_redirects():
                others.set()
                assert await task == 1


PASSWORD = "hunter2secret"


@asynccontextmanager
async def answering(head: bytes) -> AsyncIterator[str]:
    """HOST:PORT of a server that says the same to everybody, HTTP or not, and hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + b"\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"


async def failure_at(address: str, route: Route) -> str:
    with pytest.raises(TransientModelError) as caught:
        await ask(ModelSettings("tiny", api_base=address, timeout=10, **route))
    return str(caught.value)


@each_transport
@pytest.mark.parametrize("password", [PASSWORD, f"p@{PASSWORD}"])
async def test_errors_do_not_hold_the_password_of_a_proxy(
    route: Route, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with answering(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://alice:{password}@{proxy}")
        message = await failure_at("https://example.invalid/v1", route)
    assert "407" in message
    assert "Proxy Authentication Required" in message
    assert PASSWORD not in message
    assert "alice" not in message


@each_transport
async def test_errors_do_not_hold_a_token_of_the_address(route: Route) -> None:
    async with answering(b"nonsense") as server:
        message = await failure_at(f"http://{server}/v1?token={PASSWORD}", route)
    assert message.startswith("model 'tiny': ")
    assert PASSWORD not in message


@each_transport
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"http://ada:{PASSWORD}@host/v1", "http://[redacted]@host/v1"),
        (f"http://ada:p@/?{PASSWORD}@host:80/v1", "http://[redacted]@host:80/v1"),
        (f"http://{PASSWORD}@host/v1", "http://[redacted]@host/v1"),
        ("http://host:80/v1/@ada", None),
        (f"https://host/?Client-Secret={PASSWORD}&a=1", "https://host/?Client-Secret=[redacted]&a=1"),
        ("https://host/?keyword=tide&page=2 from ada@host", None),
    ],
)
async def test_addresses_in_words_of_a_server(route: Route, said: str, shown: str | None) -> None:
    body = f'{{"error": {{"message": "Try {said} now"}}}}'
    head = f"HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    async with answering(head.encode()) as server:
        message = await failure_at(f"http://{server}/v1", route)
    assert f"Try {shown or said} now" in message


@every_route
@pytest.mark.parametrize("fault", [Fault.EMPTY, Fault.NULL_CONTENT])
async def test_an_empty_content_is_an_empty_reply(route: Route, fault: Fault) -> None:
    with LoopbackServer(faults=ScriptedFaults([fault])) as server:
        assert (await ask(settings_for(server, **route))).text == ""


@each_transport
@pytest.mark.parametrize("fault", [Fault.CUT_JSON, Fault.FENCED, Fault.PROSE])
async def test_spoiled_content_comes_as_it_is(route: Route, fault: Fault) -> None:
    with LoopbackServer(ScriptedPlayer(['{"a": 1, "b": 2}']), faults=ScriptedFaults([fault])) as server:
        reply = await ask(settings_for(server, **route))
    assert reply.text not in ("", '{"a": 1, "b": 2}')
    assert (reply.finish_reason == "length") is (fault is Fault.CUT_JSON)


@every_route
async def test_a_hang_ends_at_the_timeout(route: Route) -> None:
    with (
        LoopbackServer(faults=ScriptedFaults([Fault.HANG])) as server,
        pytest.raises(TransientModelError, match=r"no reply within 1 s"),
    ):
        await ask(settings_for(server, **route, timeout=1.0))


@each_transport
async def test_a_server_that_is_gone_is_transient(route: Route) -> None:
    with LoopbackServer() as server:
        pass
    with pytest.raises(TransientModelError):
        await ask(settings_for(server, **route))


@each_transport
async def test_retries_pass_through_every_transient_fault_and_honour_the_hint(route: Route) -> None:
    slept: list[float] = []

    class Impatient(Clock):
        def now(self) -> float:
            return sum(slept)

        async def sleep(self, seconds: float) -> None:
            slept.append(seconds)

    with LoopbackServer(faults=ScriptedFaults(TRANSIENT[:6]), retry_after=7) as server:
        settings = settings_for(server, **route, max_retries=6)
        async with opened(
            settings, lambda model: LimitedModel(model, clock=Impatient(), jitter=lambda: 0.5)
        ) as model:
            reply = await model.complete(HELLO)
        assert server.counters.total == 7
    assert (reply.text, reply.tries) == ("Hello?", 7)
    assert slept == [0.5, 8.0, 2.0, 4.0, 8.0, 16.0]


@pytest.mark.parametrize(
    ("model", "use", "sent"),
    [
        ("hosted_vllm/tiny", "auto", True),
        ("hosted_vllm/tiny", "off", False),
        ("openai/tiny", "auto", False),
        ("openai/tiny", "on", True),
        ("openai/gpt-4o", "auto", True),
    ],
)
@pytest.mark.parametrize("transport", ["litellm", "direct"])
async def test_the_schema_is_sent_where_the_model_reads_it(
    transport: Transport, model: str, use: Any, sent: bool
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    with LoopbackServer() as server:
        settings = settings_for(server, model=model, transport=transport, json_schema=use)
        await ask(settings, replace(HELLO, schema=schema))
        body = server.counters.last_request
    assert ("response_format" in body) is sent
    if sent:
        assert body["response_format"]["json_schema"]["schema"] == schema


@pytest.mark.parametrize(("transport", "sent"), [("litellm", "Bearer no-key"), ("direct", None)])
async def test_no_key_of_the_environment_is_sent_to_an_api_base(
    monkeypatch: pytest.MonkeyPatch, transport: Transport, sent: str | None
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private-key-of-the-user")
    with LoopbackServer() as server:
        await ask(settings_for(server, model="openai/tiny", api_key_env=None, transport=transport))
        assert server.counters.last_headers.get("Authorization") == sent


@each_transport
async def test_a_reply_with_a_key_is_no_reply(route: Route) -> None:
    with LoopbackServer(ScriptedPlayer([f"You sent {KEY}."])) as server:
        reply = await ask(settings_for(server, **route))
    assert (reply.text, reply.problem) == ("You sent [redacted].", HELD_KEY)


@each_transport
@pytest.mark.parametrize("key", ["x", "test", "secret4711", "placeholder-key", "token-abc123"])
async def test_a_short_or_plain_key_changes_no_reply(
    route: Route, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", key)
    said = f"The fittest are tested by {key}."
    with LoopbackServer(ScriptedPlayer([said])) as server:
        reply = await ask(settings_for(server, **route))
    assert (reply.text, reply.problem) == (said, "")


@each_transport
async def test_max_connections_is_held_over_http(route: Route) -> None:
    with LoopbackServer(latency=(0.02, 0.04)) as server:
        async with opened(settings_for(server, **route, max_connections=3), LimitedModel) as model:
            asked = [ChatRequest((Message("user", f"number {i}"),)) for i in range(12)]
            replies = await asyncio.gather(*(model.complete(request) for request in asked))
        assert server.counters.max_active == 3
    assert [reply.text for reply in replies] == [f"number {i}" for i in range(12)]


class TestCheckModel:
    """What is refused before a run."""

    @pytest.fixture(autouse=True)
    def _no_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MY_KEY"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(
        ("model", "variable"),
        [
            ("openai/gpt-4o", "OPENAI_API_KEY"),
            ("anthropic/claude-x", "ANTHROPIC_API_KEY"),
            ("gemini/gemini-x", "GEMINI_API_KEY"),
        ],
    )
    def test_a_missing_key_is_named(self, model: str, variable: str) -> None:
        with pytest.raises(ConfigError, match=rf"^model 'm': environment variable .*{variable}.* is not set"):
            check_model(ModelSettings("m", model))

    def test_an_empty_variable_holds_no_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "")
        with pytest.raises(ConfigError, match="environment variable OPENAI_API_KEY is not set"):
            check_model(ModelSettings("m", "openai/gpt-4o"))

    def test_a_missing_variable_of_ones_own_is_named(self) -> None:
        with pytest.raises(ConfigError) as caught:
            check_model(ModelSettings("gpt", "openai/gpt-4o", api_key_env="MY_KEY"))
        assert str(caught.value) == (
            "model 'gpt': environment variable MY_KEY is not set: export it, or name another in api_key_env"
        )

    @pytest.mark.parametrize("model", ["nosuch/model", "no-provider-at-all"])
    @pytest.mark.parametrize("api_base", [None, "http://127.0.0.1:1/v1"])
    def test_an_unknown_provider(
        self, model: str, api_base: str | None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(ConfigError, match="names no provider"):
            check_model(ModelSettings("m", model, api_base=api_base))
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize(
        "params",
        [{"api_key": "sk-x"}, {"stream": True}, {"n": 3}, {"extra_headers": {"Authorization": "Bearer x"}}],
    )
    def test_parameters_that_are_not_the_users_to_set(self, params: dict[str, Any]) -> None:
        with pytest.raises(ConfigError, match="params may not hold"):
            check_model(
                ModelSettings("m", "hosted_vllm/tiny", api_base="http://127.0.0.1:1/v1", params=params)
            )

    @pytest.mark.parametrize(
        "settings",
        [
            ModelSettings("m", "hosted_vllm/tiny", api_base="http://127.0.0.1:1/v1"),
            ModelSettings("m", "openai/tiny", api_base="http://127.0.0.1:1/v1", params={"max_tokens": 5}),
            ModelSettings("m", "openai/gpt-4o", api_key_env="LOOPBACK_KEY"),
            ModelSettings("m", "bedrock/anthropic.claude-3-haiku-20240307-v1:0"),
            ModelSettings("m", "vertex_ai/gemini-2.5-pro"),
            ModelSettings("m", "ollama_chat/llama3", api_base="http://127.0.0.1:1"),
        ],
        ids=lambda settings: settings.model,
    )
    def test_models_that_can_be_called(self, settings: ModelSettings) -> None:
        check_model(settings)

    @pytest.mark.parametrize("transport", ["auto", "litellm"])
    @pytest.mark.parametrize(
        ("provider", "variable"),
        [
            *((name, f"{name.upper()}_API_BASE") for name in ("hosted_vllm", "lm_studio", "llamafile")),
            *((name, f"{name.upper()}_API_BASE") for name in ("xinference", "openai_like", "litellm_proxy")),
            *(("ollama", "OLLAMA_API_BASE"), ("ollama_chat", "OLLAMA_API_BASE")),
            *(("custom_openai", None), ("oobabooga", None)),
        ],
    )
    def test_a_server_of_ones_own_needs_an_address(
        self, provider: str, variable: str | None, transport: Transport, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings = ModelSettings("m", f"{provider}/tiny", transport=transport)
        monkeypatch.delenv(str(variable), raising=False)
        with pytest.raises(ConfigError, match=f"own: give its address as api_base.*{variable or ''}"):
            open_models([settings], Budget())
        check_model(replace(settings, api_base="http://127.0.0.1:1/v1"))
        if variable is not None:
            monkeypatch.setenv(variable, "http://127.0.0.1:1/v1")
            check_model(settings)

    def test_a_prefix_that_follows_redirects_is_refused(self) -> None:
        settings = ModelSettings("m", "aiohttp_openai/tiny", api_base="http://127.0.0.1:1/v1")
        with pytest.raises(ConfigError, match="follows redirects to other hosts: write 'hosted_vllm/tiny'"):
            check_model(settings)

    def test_a_budget_needs_a_price(self) -> None:
        settings = ModelSettings("m", "hosted_vllm/tiny", api_base="http://127.0.0.1:1/v1")
        with pytest.raises(ConfigError, match=r"model 'm': its price is unknown.*'price:"):
            open_models([settings], Budget(1.0))


async def test_the_address_of_a_server_may_stand_in_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(ScriptedPlayer(["Good day."])) as server:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        settings = ModelSettings("m", "hosted_vllm/tiny", timeout=30)
        check_model(settings)
        assert (await ask(settings)).text == "Good day."


def test_prices_come_from_the_settings_then_the_table() -> None:
    own = ModelSettings("m", "openai/gpt-4o", price=Price(9.0, 9.0))
    assert with_price(own).price == Price(9.0, 9.0)
    listed = with_price(ModelSettings("m", "openai/gpt-4o")).price
    assert listed is not None
    assert 0 < listed.input < listed.output
    assert with_price(ModelSettings("m", "openai/nobody-lists-this")).price is None
    assert with_price(ModelSettings("m", "ollama/llama3")).price is None, "a listed 0 is no price"


def test_nothing_imports_litellm_before_it_is_used() -> None:
    code = "import sys, perturb.llm.factory, perturb.llm.model_client; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
