"""Services behind HTTP and Python functions as models under test."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from perturb.errors import ConfigError, ModelError, PermanentModelError, TransientModelError
from perturb.evaluation.adapters import (
    DEFAULT_REQUEST,
    FunctionModel,
    ItemRequest,
    ServiceModel,
    fill,
    parts_of,
)
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.models_under_test import ModelNames, ModelSet, ModelsFile, ModelUnderTest
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.files.yaml_files import YamlFile
from perturb.llm.client import ChatReply, ChatRequest, Message, ModelSettings
from perturb.llm.redaction import HELD_KEY

from .rows import single, write_rows

REQUEST = ItemRequest(
    (Message("user", "P"),),
    fields={
        "prompt": "P",
        "query": "Who? {passages}",
        "context": "C",
        "passages": ["a", "b"],
        "item_id": "i",
    },
)


def ask_once(model: ServiceModel | FunctionModel, request: ChatRequest = REQUEST) -> ChatReply:
    async def once() -> ChatReply:
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(once())


def ask(model: ServiceModel | FunctionModel, request: ChatRequest = REQUEST) -> str:
    return ask_once(model, request).text


class Service:
    """A service on a free port that answers as it is told and keeps what it was sent."""

    def __init__(self) -> None:
        self.answer: Callable[[Any], Coroutine[Any, Any, web.Response]] = self.echo
        self.bodies: list[Any] = []
        self.headers: Mapping[str, str] = {}
        self.url = ""

    async def echo(self, body: Any) -> web.Response:
        return web.json_response({"answer": str(body["query"])})

    async def handle(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        self.headers = dict(request.headers)
        return await self.answer(self.bodies[-1])

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        app = web.Application()
        app.router.add_post("/ask", self.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/ask"
        started.set()
        await stop.wait()
        await runner.cleanup()


@pytest.fixture
def service() -> Iterator[Service]:
    made, started = Service(), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(made.serve(started, stop)))
    thread.start()
    assert started.wait(timeout=30)
    yield made
    loop.call_soon_threadsafe(stop.set)
    thread.join(timeout=30)
    loop.close()


def model_at(url: str, request: Any = DEFAULT_REQUEST, reply: str = "answer", **changes: Any) -> ServiceModel:
    return ServiceModel(ModelSettings("rag", url, params={"request": request, "reply": reply}, **changes))


def replies(content: Any, **options: Any) -> Callable[[Any], Coroutine[Any, Any, web.Response]]:
    async def answer(body: Any) -> web.Response:
        return (
            web.Response(text=content, **options) if isinstance(content, str) else web.json_response(content)
        )

    return answer


def test_a_template_is_filled_once() -> None:
    template = {"q": "{query}", "docs": ["{passages}", {"all": "[{context}] {item_id} {other}"}], "k": 3}
    assert fill(template, REQUEST.fields) == {
        "q": "Who? {passages}",
        "docs": [["a", "b"], {"all": "[C] i {other}"}],
        "k": 3,
    }
    assert fill("{passages}.", REQUEST.fields) == "a\n\nb."


def test_a_request_about_no_item_is_a_prompt() -> None:
    request = ChatRequest((Message("system", "S"), Message("user", "U")))
    assert fill(DEFAULT_REQUEST, parts_of(request)) == {"query": "", "passages": [], "prompt": "S\n\nU"}


def test_a_service_gets_the_parts_and_says_its_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_KEY", "k-1")
    assert ask(model_at(service.url, api_key_env="RAG_KEY")) == "Who? {passages}"
    assert service.bodies == [{"query": "Who? {passages}", "passages": ["a", "b"], "prompt": "P"}]
    assert service.headers["Authorization"] == "Bearer k-1"


@pytest.mark.parametrize(
    ("content", "path", "text"),
    [
        ({"choices": [{"text": "yes"}]}, "choices.0.text", "yes"),
        ({"answer": None}, "answer", ""),
        ("plain words", "answer", "plain words"),
        ("", "answer", ""),
        ("x" * 100_000, "answer", "x" * 100_000),
    ],
)
def test_where_the_text_is(service: Service, content: Any, path: str, text: str) -> None:
    service.answer = replies(content)
    assert ask(model_at(service.url, reply=path)) == text


@pytest.mark.parametrize(
    ("content", "options", "kind", "problem"),
    [
        ({"other": 1}, {}, PermanentModelError, "the reply has no 'answer'"),
        ({"answer": 3}, {}, PermanentModelError, "'answer' of the reply is not text"),
        ("no", {"status": 404}, PermanentModelError, "status 404: no"),
        ("busy", {"status": 503, "headers": {"Retry-After": "7"}}, TransientModelError, "status 503: busy"),
    ],
)
def test_what_a_service_does_wrong(
    service: Service, content: Any, options: Any, kind: type[ModelError], problem: str
) -> None:
    service.answer = replies(content, **options)
    with pytest.raises(kind, match=problem) as caught:
        ask(model_at(service.url))
    if isinstance(caught.value, TransientModelError):
        assert caught.value.retry_after == 7


KEY = "plain-key-0123456789"


@pytest.mark.parametrize(
    ("said", "options"),
    [
        ("You sent %s", {"status": 401}),
        ("busy, %s", {"status": 503}),
        ("", {"status": 307, "headers": {"Location": "http://elsewhere/?q=%s"}}),
        ({"answer": {"key": "%s"}}, {}),
    ],
)
def test_errors_of_a_service_hold_no_key(
    service: Service, said: Any, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG", KEY)
    said, options = json.loads(json.dumps([said, options]).replace("%s", KEY))
    service.answer = replies(said, **options)
    with pytest.raises(ModelError) as caught:
        ask(model_at(service.url, api_key_env="RAG"))
    assert KEY not in str(caught.value)


def test_a_reply_of_a_service_with_its_key_is_no_reply(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG", KEY)
    service.answer = replies({"answer": f"You sent {KEY}"})
    reply = ask_once(model_at(service.url, api_key_env="RAG"))
    assert (reply.text, reply.problem) == ("You sent [redacted]", HELD_KEY)


def test_an_evaluation_writes_no_key_that_a_service_says(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG", KEY)
    said = [({"answer": f"It is {KEY}"}, {}), (f"You sent {KEY}", {"status": 401})]

    async def answer(body: Any) -> web.Response:
        content, options = said[len(service.bodies) % 2]
        return await replies(content, **options)(body)

    service.answer = answer
    file = tmp_path / "models.yaml"
    entry = {"name": "rag", "url": service.url, "api_key_env": "RAG", "max_retries": 0}
    file.write_text(json.dumps({"models": [entry]}), encoding="utf-8")
    rows = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(6)])
    plan = EvaluationPlan(
        ItemSource(str(rows)), models=("rag",), out=tmp_path / "run", names=ModelNames(file)
    )
    print(evaluate(plan, progress=True))
    state = read_run(tmp_path / "run")
    assert [row.unscored is None for row in state.results] == [False] * 6
    assert service.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(capfd.readouterr())
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_service_is_not_followed_elsewhere(
    service: Service, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = replies("", status=status, headers={"Location": f"{service.url}?again"})
    with pytest.raises(PermanentModelError, match="redirects are not followed"):
        ask(model_at(service.url))
    assert len(service.bodies) == 1


def test_a_service_that_is_away_or_hangs(service: Service) -> None:
    async def hang(body: Any) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    service.answer = hang
    with pytest.raises(TransientModelError, match=r"no reply within 0\.2 s"):
        ask(model_at(service.url, timeout=0.2))
    with pytest.raises(TransientModelError, match="model 'rag'"):
        ask(model_at("http://127.0.0.1:1/ask"))


MODULE = """
import asyncio
async def by_parts(passages, query, style="plain"):
    await asyncio.sleep(0)
    return f"{query}|{len(passages)}|{style}"
def by_prompt(text): return text.lower()
def wrong_type(prompt): return 3
def fails(prompt): raise RuntimeError("no\\nluck")
def strange(prompt, temperature): return ""
def nothing(): return ""
number = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "rag_under_test.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "rag_under_test"
    sys.modules.pop("rag_under_test", None)


def function(address: str) -> FunctionModel:
    return FunctionModel(ModelSettings(address, address))


def test_a_function_gets_what_it_names(module: str) -> None:
    assert ask(function(f"{module}:by_parts")) == "Who? {passages}|2|plain"
    assert ask(function(f"{module}:by_prompt")) == "p"


def test_what_a_function_does_wrong(module: str) -> None:
    with pytest.raises(PermanentModelError, match="returned int: return the reply as a string"):
        ask(function(f"{module}:wrong_type"))
    with pytest.raises(PermanentModelError, match="RuntimeError: no luck"):
        ask(function(f"{module}:fails"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("absent", "has no function 'absent'"),
        ("number", "has no function 'number'"),
        ("strange", "not 'temperature'"),
        ("nothing", "the function must take"),
    ],
)
def test_functions_that_cannot_be_called(module: str, name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        function(f"{module}:{name}")


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(
        ConfigError, match=r"module 'no_such_module' cannot be imported \(ModuleNotFoundError"
    ):
        function("no_such_module:answer")


FILE = """
models:
  - {name: gpt, model: openai/gpt-4o, price: {input: 1, output: 2}}
  - name: rag
    url: http://127.0.0.1:1/ask
    request: {question: "{query}", top_k: 3}
    reply: out.text
  - {name: mine, function: "rag_under_test:by_prompt"}
"""


def test_a_judge_is_known_by_what_is_called_and_not_by_its_name() -> None:
    judge, twin, other = (
        ModelUnderTest(ModelSettings(name, "openai/x", api_base=base))
        for name, base in (("judge", None), ("twin", None), ("other", "http://127.0.0.1:1/v1"))
    )
    assert ModelSet({"twin": twin, "other": other}, (judge,)).own_judges == {"twin": "judge"}


def test_the_facts_of_a_model_hold_no_secret_of_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMEWHERE", "http://ada:hunter2@127.0.0.1:1/v1?token=abc123")
    file = tmp_path / "models.yaml"
    file.write_text("models: [{name: m, model: hosted_vllm/m, api_base: '${SOMEWHERE}'}]", encoding="utf-8")
    facts = ModelNames(file).find_all(["m"]).under_test["m"].facts()
    assert facts["api_base"] == "http://[redacted]@127.0.0.1:1/v1?token=[redacted]"


def test_names_of_every_kind(tmp_path: Path, module: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(FILE, encoding="utf-8")
    names = ["gpt", "rag", "mine", "openai/other", "http://127.0.0.1:2/x", f"{module}:by_parts"]
    found = ModelNames(file, {"q": "{prompt}"}).find_all(names).under_test
    assert list(found) == names
    assert [one.opener is None for one in found.values()] == [True, False, False, True, False, False]
    assert found["rag"].settings.params == {
        "request": {"question": "{query}", "top_k": 3},
        "reply": "out.text",
    }
    assert found["http://127.0.0.1:2/x"].settings.params == {"request": {"q": "{prompt}"}, "reply": "answer"}
    assert found["openai/other"].settings.model == "openai/other"


def test_an_address_is_for_the_models_under_test_that_have_none(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text("models:\n  - {name: own, model: hosted_vllm/x, api_base: http://own/v1}\n")
    names = ModelNames(file, api_base="http://here/v1")
    found = names.find_all(["own", "hosted_vllm/y", "http://rag/ask"], ["openai/gpt-4o"])
    assert [one.settings.api_base for one in found.under_test.values()] == [
        "http://own/v1",
        "http://here/v1",
        None,
    ]
    assert found.judge is not None
    assert found.judge.settings.api_base is None


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["openai/a", "openai/a"], "model 'openai/a' is given twice"),
        (["gpt"], "model 'gpt' is not known: give PROVIDER/MODEL"),
        (["http://user:word@host/ask"], "may not hold a secret"),
        (["http://host/ask?key=1"], "may not hold a secret"),
    ],
)
def test_names_that_mean_nothing(names: list[str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        ModelNames().find_all(names)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{name: a, url: ftp://host}", "models.yaml:2: field 'models[0].url'"),
        ("{name: a, url: 'http://host/?key=1'}", "may hold a secret"),
        ("{name: a, function: nothing}", "field 'models[0].function'"),
        ("{name: a, kind: rules}", "of kind rules and cannot be evaluated"),
        ("{name: a, modle: x/y}", "unknown key 'models[0].modle'"),
        ("{name: a, model: x/y}\n  - {name: a, model: x/z}", "two models are called 'a'"),
    ],
)
def test_models_files_with_faults(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(f"models:\n  - {line}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        YamlFile(file).parse(ModelsFile)
    assert problem in str(caught.value)


def test_the_address_of_all_models_covers_a_judge_that_needs_one() -> None:
    names = ModelNames(api_base="http://here/v1")
    found = names.find_all(["openai/m"], ["hosted_vllm/own", "openai/theirs"])
    assert [judge.settings.api_base for judge in found.judges] == ["http://here/v1", None]
