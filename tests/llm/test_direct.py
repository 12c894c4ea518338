"""What is particular to the transport straight to OpenAI-compatible servers; what both share is in `test_remote`."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from perturb.errors import ConfigError, ModelError, PermanentModelError, TransientModelError
from perturb.llm import direct
from perturb.llm.budget import Budget
from perturb.llm.client import ChatReply, ChatRequest, Message, ModelSettings, Price, Transport
from perturb.llm.direct import DirectModel
from perturb.llm.factory import open_models, open_transport
from perturb.llm.limits import LimitedModel
from perturb.llm.remote import LiteLLMModel, check_model, load_litellm
from perturb.llm.transports import is_listed, transport_of
from tests.building import content_of, serve, write_config
from tests.loopback import LoopbackServer, ScriptedPlayer

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

HELLO = ChatRequest((Message("user", "Hello?"),))
BASE = "http://127.0.0.1:1/v1"
COMPLETION = {"choices": [{"message": {"content": "Good day."}, "finish_reason": "stop"}]}


class Answering:
    """A server that gives every request the same response, and keeps the last request."""

    def __init__(self, body: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = headers or {}
        self.requests = 0
        self.last: Any = None
        self.last_headers: dict[str, str] = {}
        self.path = ""

    async def handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        self.last, self.last_headers, self.path = (
            await request.json(),
            dict(request.headers),
            request.path_qs,
        )
        return web.Response(body=self.body, status=self.status, headers=self.headers)


@asynccontextmanager
async def serving(server: Answering) -> AsyncIterator[str]:
    """The address of a running server, without a path."""
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def ask(server: Answering, path: str = "/v1", **changes: Any) -> ChatReply:
    """One call over a model of its own."""
    async with serving(server) as address:
        settings = ModelSettings("tiny", "hosted_vllm/org/tiny", api_base=address + path, timeout=10)
        model = open_transport(replace(settings, **{"transport": "direct", **changes}))
        try:
            return await model.complete(HELLO)
        finally:
            await model.close()


async def failing(server: Answering, **changes: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(server, **changes)
    assert "\n" not in str(caught.value)
    return caught.value


class TestBodies:
    """What is made of bodies that say 200."""

    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ({"content": "Good day."}, "Good day."),
            ({"content": None}, ""),
            ({"content": None, "reasoning_content": "Hm."}, ""),
            ({}, ""),
            ({"content": "Yes.", "reasoning": "Hm.", "reasoning_content": "Hm."}, "Yes."),
            ({"content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "day."}]}, "Good day."),
            (
                {"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]},
                "Yes.",
            ),
            ({"content": []}, ""),
            ({"content": "caf\ud800"}, "caf�"),
        ],
    )
    async def test_texts(self, message: Any, text: str) -> None:
        reply = await ask(Answering({"choices": [{"message": message, "finish_reason": "length"}]}))
        assert (reply.text, reply.finish_reason) == (text, "length")

    @pytest.mark.parametrize(
        ("usage", "tokens"),
        [
            ({"prompt_tokens": 12, "completion_tokens": 3}, (12, 3)),
            ({"prompt_tokens": 12, "completion_tokens": 0}, (12, 0)),
            ({"prompt_tokens": 12}, (12, None)),
            ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None)),
            ({"prompt_tokens": "12", "completion_tokens": True}, (None, None)),
            ({"prompt_tokens": -1, "completion_tokens": 4}, (None, None)),
            (None, (None, None)),
            ([], (None, None)),
        ],
    )
    async def test_usage(self, usage: Any, tokens: tuple[int | None, int | None]) -> None:
        reply = await ask(Answering({**COMPLETION, "usage": usage}), price=Price(1.0, 1.0))
        assert (reply.prompt_tokens, reply.completion_tokens) == tokens
        assert (reply.cost_usd is None) is (None in tokens)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>Bad gateway</html>",
            b'{"choices": [{"mess',
            b'"text"',
            b"null",
            b"\xff\xfe\xfa",
            b"[" * 100_000,
            {},
            {"choices": None},
            {"choices": {}},
            {"choices": []},
            {"choices": ["text"]},
            {"choices": [{}]},
            {"choices": [{"message": None}]},
            {"choices": [{"message": "text"}]},
            {"choices": [{"message": {"content": 7}}]},
            {"choices": [{"message": {"content": ["text"]}}]},
            {"choices": [{"message": {"content": [{"type": "text"}]}}]},
            {"error": {"message": "overloaded", "code": 503}},
            {"error": "overloaded"},
        ],
    )
    async def test_bodies_that_are_no_completion_are_worth_another_try(self, body: Any) -> None:
        assert isinstance(await failing(Answering(body)), TransientModelError)

    @pytest.mark.parametrize("code", [402, "insufficient_quota"])
    async def test_a_refusal_in_a_body_that_says_200_is_for_good(self, code: Any) -> None:
        error = await failing(Answering({"error": {"message": "No credits left.", "code": code}}))
        assert isinstance(error, PermanentModelError)
        assert "No credits left." in str(error)

    async def test_of_a_body_without_end_the_beginning_is_read(self) -> None:
        endless = await ask(Answering(b"x" * 2**24), max_reply_bytes=1000)
        assert endless == ChatReply("x" * 1001, seconds=endless.seconds, finish_reason="length")
        full = {"choices": [{"message": {"content": "\u00e9" * 2_000_000}}]}  # six bytes each in the body
        assert len((await ask(Answering(full))).text) == 2_000_000

    async def test_a_body_that_is_not_packed_as_it_says_is_worth_another_try(self) -> None:
        error = await failing(Answering(b"plain", headers={"Content-Encoding": "gzip"}))
        assert isinstance(error, TransientModelError)

    async def test_a_packed_body_is_unpacked(self) -> None:
        packed = gzip.compress(json.dumps(COMPLETION).encode())
        assert (await ask(Answering(packed, headers={"Content-Encoding": "gzip"}))).text == "Good day."


class TestRefusals:
    """What is made of other statuses."""

    @pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
    async def test_worth_another_try(self, status: int) -> None:
        error = await failing(Answering({"error": {"message": "Not now."}}, status))
        assert isinstance(error, TransientModelError)
        assert str(error) == f"model 'tiny': status {status}: Not now."

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
    async def test_for_good(self, status: int) -> None:
        assert isinstance(await failing(Answering({"detail": "No."}, status)), PermanentModelError)

    @pytest.mark.parametrize("body", [b"Too\nmany", {"error": "Too many"}, {"message": "Too many"}])
    async def test_words_in_any_form(self, body: Any) -> None:
        assert str(await failing(Answering(body, 429))) == "model 'tiny': status 429: Too many"

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"Retry-After": "7"}, 7.0),
            ({"Retry-After": "0.5"}, 0.5),
            ({"retry-after-ms": "250", "Retry-After": "7"}, 0.25),
            ({"Retry-After": "-3"}, 0.0),
            ({"Retry-After": "soon"}, None),
            ({"Retry-After": "nan"}, None),
            ({"Retry-After": "inf"}, None),
            ({}, None),
        ],
    )
    async def test_hints(self, headers: dict[str, str], seconds: float | None) -> None:
        error = await failing(Answering({}, 429, headers))
        assert isinstance(error, TransientModelError)
        assert error.retry_after == seconds

    async def test_a_date_as_a_hint(self) -> None:
        error = await failing(Answering({}, 503, {"Retry-After": formatdate(time.time() + 100, usegmt=True)}))
        assert isinstance(error, TransientModelError)
        assert error.retry_after == pytest.approx(100, abs=30)

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    async def test_the_key_does_not_follow_a_redirect(
        self, status: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TINY_KEY", "plain-words-4711")
        elsewhere = Answering(COMPLETION)
        async with serving(elsewhere) as address:
            there = {"Location": f"{address}/v1/chat/completions"}
            error = await failing(Answering(b"", status, there), api_key_env="TINY_KEY")
        assert isinstance(error, PermanentModelError)
        assert address in str(error)
        assert elsewhere.requests == 0

    async def test_a_key_without_form_is_taken_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TINY", "plain-4711")
        said = {"error": {"message": "You sent plain-4711."}}
        assert str(await failing(Answering(said, 401), api_key_env="TINY")).endswith("You sent [redacted].")


class TestRequests:
    """What is sent."""

    async def test_params_extra_body_and_extra_headers(self) -> None:
        server = Answering(COMPLETION)
        await ask(
            server,
            params={
                "temperature": 0.5,
                "top_k": 20,
                "extra_body": {"chat_template_kwargs": {"enable_thinking": False}},
                "extra_headers": {"X-Team": "a", "X-Number": 7},
            },
        )
        assert server.last == {
            "model": "org/tiny",
            "messages": [{"role": "user", "content": "Hello?"}],
            "temperature": 0.5,
            "top_k": 20,
            "chat_template_kwargs": {"enable_thinking": False},
        }
        assert (server.last_headers["X-Team"], server.last_headers["X-Number"]) == ("a", "7")

    @pytest.mark.parametrize(
        ("path", "asked"),
        [
            ("/v1", "/v1/chat/completions"),
            ("/v1/", "/v1/chat/completions"),
            ("", "/chat/completions"),
            ("/v1/chat/completions", "/v1/chat/completions"),
            ("/v1?version=2", "/v1/chat/completions?version=2"),
        ],
    )
    async def test_the_address(self, path: str, asked: str) -> None:
        server = Answering(COMPLETION)
        await ask(server, path)
        assert server.path == asked

    async def test_a_provider_of_ones_own_may_have_its_key_in_its_own_variable(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOSTED_VLLM_API_KEY", "plain-4711")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-private-key-of-the-user")
        server = Answering(COMPLETION)
        await ask(server)
        assert server.last_headers["Authorization"] == "Bearer plain-4711"
        await ask(server, model="openai/tiny")
        assert "Authorization" not in server.last_headers

    async def test_a_key_that_no_header_takes_fails_for_good(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TINY", "plain-4711\nHost: elsewhere")
        error = await failing(Answering(COMPLETION), api_key_env="TINY")
        assert isinstance(error, PermanentModelError)
        assert "4711" not in str(error)

    @pytest.mark.slow
    @pytest.mark.parametrize("model", ["hosted_vllm/tiny", "openai/tiny", "lm_studio/tiny", "llamafile/tiny"])
    async def test_both_transports_send_the_same_body(self, model: str) -> None:
        params = {
            **{"temperature": 0.5, "max_tokens": 9, "top_k": 20, "seed": 1, "stop": ["x"]},
            "extra_body": {"guided_regex": "a+"},
        }
        schema = {"type": "object", "properties": {"a": {"type": "string"}}}
        bodies = []
        ways: tuple[Transport, ...] = ("litellm", "direct")
        with LoopbackServer() as server:
            for transport in ways:
                one = ModelSettings(
                    "tiny", model, api_base=server.url, params=params, transport=transport, timeout=10
                )
                opened = open_transport(one)
                await opened.complete(replace(HELLO, schema=schema))
                await opened.close()
                bodies.append(server.counters.last_request)
        assert bodies[0] == bodies[1]

    @pytest.mark.parametrize(
        ("said", "text"),
        [
            ("<think>Hm.</think>\n\nYes.", "\n\nYes."),
            ("<thinking>Hm.</thinking>Yes.", "Yes."),
            ("Hm.</think>Yes.", "Hm.</think>Yes."),
            ("Yes. <think>Hm.</think>", "Yes. <think>Hm.</think>"),
            ("<think>Hm.", "<think>Hm."),
            ("  漢字 😀\n", "  漢字 😀\n"),
        ],
    )
    @pytest.mark.parametrize("transport", ["litellm", "direct"])
    async def test_both_transports_read_the_same_text(
        self, transport: Transport, said: str, text: str
    ) -> None:
        with LoopbackServer(ScriptedPlayer([said])) as server:
            reply = await ask(Answering({}), api_base=server.url, transport=transport)
        assert reply.text == text

    async def test_a_proxy_of_the_environment_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        proxy = Answering(COMPLETION)
        async with serving(proxy) as address:
            monkeypatch.setenv("http_proxy", address)
            monkeypatch.delenv("no_proxy", raising=False)
            monkeypatch.delenv("NO_PROXY", raising=False)
            await ask(Answering({}, 500), api_base="http://example.invalid/v1")
        assert (proxy.requests, proxy.last_headers["Host"]) == (1, "example.invalid")

    def test_a_proxy_of_another_kind_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with pytest.raises(ConfigError, match=r"^model 'm': the proxy"):
            DirectModel(ModelSettings("m", "hosted_vllm/tiny", api_base="http://example.invalid/v1"))

    async def test_a_certificate_that_nobody_vouches_for_is_no_reply(self) -> None:
        with LoopbackServer() as server:
            secure = server.url.replace("http://", "https://")
            with pytest.raises(TransientModelError, match="cannot connect to "):
                await ask(Answering({}), api_base=secure)
            assert server.counters.total == 0
        trusted = DirectModel(ModelSettings("m", "hosted_vllm/tiny", api_base=secure))._connection["ssl"]
        assert trusted.verify_mode is ssl.CERT_REQUIRED
        assert trusted.get_ca_certs()


class TestConnections:
    """The pool that all models of an event loop share."""

    async def test_models_share_connections_until_the_last_is_closed(self) -> None:
        with LoopbackServer(ScriptedPlayer(["a"])) as server:
            settings = ModelSettings("m", "hosted_vllm/a", api_base=server.url)
            one, two = DirectModel(settings), DirectModel(replace(settings, model="hosted_vllm/b"))
            await one.complete(HELLO)
            session = direct._session(one)
            await two.complete(HELLO)
            assert direct._session(two) is session
            assert isinstance(session.connector, aiohttp.TCPConnector)
            assert sum(map(len, session.connector._conns.values())) == 1, "the connection is kept and shared"
            await one.close()
            await one.close()
            assert not session.closed
            await two.close()
            assert session.closed

    def test_each_event_loop_has_its_own(self) -> None:
        with LoopbackServer(ScriptedPlayer(["a"])) as server:
            model = DirectModel(ModelSettings("m", "hosted_vllm/a", api_base=server.url))

            async def once() -> str:
                try:
                    return (await model.complete(HELLO)).text
                finally:
                    await model.close()

            assert [asyncio.run(once()) for _ in range(2)] == ["a", "a"]
        assert not direct._pools

    async def test_the_pool_is_never_narrower_than_max_connections(self) -> None:
        with LoopbackServer(latency=(0.3, 0.3)) as server:
            settings = ModelSettings("m", "hosted_vllm/a", api_base=server.url, max_connections=300)
            model = LimitedModel(open_transport(settings))
            asked = [ChatRequest((Message("user", f"number {i}"),)) for i in range(300)]
            await asyncio.gather(*(model.complete(request) for request in asked))
            await model.close()
        assert server.counters.max_active > 200


class TestChoice:
    """Which transport a model gets."""

    @pytest.mark.parametrize(
        "model", ["hosted_vllm/Qwen/Qwen3-8B", "openai/my-model", "custom_openai/x", "openai/gpt-oss-20b"]
    )
    def test_compatible_servers_go_direct(self, model: str) -> None:
        assert transport_of(ModelSettings("m", model, api_base=BASE)) == "direct"
        assert isinstance(open_transport(ModelSettings("m", model, api_base=BASE)), DirectModel)
        by_litellm = ModelSettings("m", model, api_base=BASE, transport="litellm")
        assert isinstance(open_transport(by_litellm), LiteLLMModel)

    @pytest.mark.parametrize(
        "settings",
        [
            ModelSettings("m", "openai/gpt-4o"),
            ModelSettings("m", "openai/gpt-4o", api_base=BASE),
            ModelSettings("m", "openai/o3", api_base=BASE),
            ModelSettings("m", "anthropic/x", api_base=BASE),
            ModelSettings("m", "hosted_vllm/x"),
            ModelSettings("m", "hosted_vllm/x", api_base="localhost:8000/v1"),
            ModelSettings("m", "openai/x", api_base=BASE, params={"drop_params": False}),
        ],
    )
    def test_others_go_through_litellm(self, settings: ModelSettings) -> None:
        assert transport_of(settings) == "litellm"

    @pytest.mark.parametrize(
        ("settings", "why"),
        [
            (
                ModelSettings("m", "anthropic/x", api_base=BASE),
                "'anthropic' is not one of the OpenAI-compatible",
            ),
            (ModelSettings("m", "hosted_vllm/x"), "it has no api_base"),
            (
                ModelSettings("m", "hosted_vllm/x", api_base="localhost:8000"),
                "not an http:// or https:// address",
            ),
            (
                ModelSettings("m", "openai/x", api_base=BASE, params={"fallbacks": []}),
                "'fallbacks' in its params",
            ),
        ],
    )
    def test_direct_where_it_cannot_be_is_refused(self, settings: ModelSettings, why: str) -> None:
        with pytest.raises(ConfigError, match=why) as caught:
            check_model(replace(settings, transport="direct"))
        assert str(caught.value).startswith("model 'm': ")
        assert "\n" not in str(caught.value)

    def test_the_transport_is_no_part_of_what_identifies_a_call(self) -> None:
        ways: tuple[Transport, ...] = ("auto", "litellm", "direct")
        settings = [ModelSettings("m", "hosted_vllm/x", api_base=BASE, transport=way) for way in ways]
        assert len({setting.fingerprint() for setting in settings}) == 1

    def test_every_model_in_litellms_list_that_could_go_direct_is_known_as_such(self) -> None:
        listed = [
            name
            for name, entry in load_litellm().model_cost.items()
            if entry.get("litellm_provider") == "openai" and entry.get("mode") in ("chat", "responses")
        ]
        assert len(listed) > 100
        unknown = [name for name in listed if not is_listed(f"openai/{name.removeprefix('openai/')}")]
        assert unknown == ["openai/container"], "which is a tool"

    def test_a_budget_needs_a_price_of_its_own(self) -> None:
        settings = ModelSettings("m", "hosted_vllm/tiny", api_base=BASE)
        with pytest.raises(ConfigError, match=r"model 'm': its price is unknown"):
            open_models([settings], Budget(1.0))
        assert open_models([replace(settings, price=Price(1.0, 1.0))], Budget(1.0))


def test_a_build_with_compatible_servers_never_imports_litellm(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from perturb.building.run import build; from perturb.config import load_config\n"
        "report = build(load_config(Path(sys.argv[1])), Path(sys.argv[2]))\n"
        "print(report.facts['calls'] > 0, report.facts['errors'], 'litellm' in sys.modules)"
    )
    with serve({}) as server:
        content = content_of(server.url, limit=1, generators=("g",), verifiers=("v",), budget_usd=100)
        config = write_config(tmp_path, content)
        ended = subprocess.run(
            [sys.executable, "-c", code, config, tmp_path / "run"],
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (ended.stdout, ended.returncode) == ("True 0 False\n", 0), ended.stderr
