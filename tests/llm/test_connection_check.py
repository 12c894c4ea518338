"""A server that is not there is reported before the first call, and only where a call is due."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from perturb.building.run import build
from perturb.curation.base_sets import embedded_path
from perturb.errors import UnreachableError
from perturb.llm.budget import Progress
from perturb.llm.client import ModelSettings, ScriptedModel
from perturb.llm.factory import ConnectionCheck
from perturb.llm.limits import LimitedModel, Trouble
from tests.building import (
    TWO_CELLS,
    configure,
    content_of,
    model,
    perturb,
    query,
    run_build,
    serve,
)
from tests.evaluation.rows import single, write_rows

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def environment_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and no proxy."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def closed() -> Iterator[str]:
    """An address that refuses connections: its port is taken, and nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def listening() -> Iterator[str]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def silent() -> Iterator[str]:
    """An address that drops what it gets: its queue of connections is full."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(server.getsockname())
        yield f"127.0.0.1:{server.getsockname()[1]}"


def at(address: str, name: str = "m") -> ModelSettings:
    return ModelSettings(name, "hosted_vllm/m", api_base=f"http://{address}/v1")


async def test_a_server_that_listens_passes_and_one_without_an_address_is_not_checked(listening: str) -> None:
    await ConnectionCheck([at(listening), ModelSettings("n", "openai/gpt-4o")]).passed()


async def test_models_of_one_closed_address_are_named_in_one_line(closed: str, listening: str) -> None:
    check = ConnectionCheck([at(closed, "a"), at(closed, "b"), at(listening, "c"), at(closed, "a")])
    with pytest.raises(
        UnreachableError, match=f"^a, b: cannot connect to {closed} .*refused.*api_base.*--wait"
    ):
        await check.passed()
    with pytest.raises(UnreachableError):
        await check.passed()


async def test_a_server_that_drops_connections_is_given_up(silent: str) -> None:
    with pytest.raises(UnreachableError, match=f"m: cannot connect to {silent} .no connection within 3 s"):
        await ConnectionCheck([at(silent)]).passed()


async def test_a_name_that_does_not_resolve_is_reported() -> None:
    with pytest.raises(UnreachableError, match=r"m: cannot connect to nowhere\.invalid:80 \("):
        await ConnectionCheck([at("nowhere.invalid")]).passed()


async def test_the_proxy_of_the_environment_is_checked_in_place_of_the_server(
    monkeypatch: pytest.MonkeyPatch, closed: str, listening: str
) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:password@{closed}")
    with pytest.raises(UnreachableError, match="proxy") as refusal:
        await ConnectionCheck([at(listening)]).passed()
    assert f"the proxy {closed}, which the environment names for 127.0.0.1" in str(refusal.value)
    assert "password" not in str(refusal.value)
    await ConnectionCheck([], services=[at(listening)]).passed()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    await ConnectionCheck([at(listening)]).passed()
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", f"http://{listening}")
    await ConnectionCheck([at("nowhere.invalid")]).passed()


@pytest.mark.parametrize(
    "line",
    [
        "build --generator hosted_vllm/m --verifier hosted_vllm/v --base-set",
        "evaluate SNAPSHOT --model hosted_vllm/m",
        "refusal-index run --model hosted_vllm/m --judge hosted_vllm/j q.jsonl",
        "bas run --model hosted_vllm/m --judge hosted_vllm/j q.jsonl",
    ],
)
def test_every_command_that_asks_models_ends_with_one_line(tmp_path: Path, closed: str, line: str) -> None:
    write_rows(tmp_path / "q.jsonl", [{"id": "q", "question": "What is in the box?", "answers": ["a pen"]}])
    snapshot = write_rows(tmp_path / "items.jsonl", [single(number) for number in range(2)])
    words = line.replace("SNAPSHOT", str(snapshot)).split()
    if words[0] == "build":
        words.append(str(embedded_path("demo")))
    ended = perturb(*words, "-q", "--api-base", f"http://{closed}/v1", cwd=tmp_path)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1), ended.stderr
    assert f"cannot connect to {closed} (Connection refused)" in ended.stderr


def test_nothing_is_sent_while_one_of_the_servers_is_missing(tmp_path: Path, closed: str) -> None:
    with serve() as server:
        content = content_of(server.url, panel={"verifiers": [model("v", f"http://{closed}/v1")]})
        with pytest.raises(UnreachableError, match="v: cannot connect"):
            run_build(tmp_path, content)
        assert server.counters.total == 0


def test_with_wait_a_build_goes_on_trying(tmp_path: Path, closed: str) -> None:
    url = f"http://{closed}/v1"
    content = content_of(url, generators=["g"], limit=1, cells=list(TWO_CELLS))
    content["generators"][0]["max_retries"] = 0
    build(configure(tmp_path, content), tmp_path / "run", wait=True)
    errors = {error for (error,) in query(tmp_path / "run", "SELECT error FROM calls")}
    assert errors
    assert all("cannot connect" in error or "no call has passed" in error for error in errors)


def test_a_finished_build_needs_no_server(tmp_path: Path) -> None:
    with serve() as server:
        content = content_of(server.url, limit=1)
        first = run_build(tmp_path, content)
    again = run_build(tmp_path, content)
    assert again.facts["accepted"] == first.facts["accepted"]


class _Failing(LimitedModel):
    """In trouble as long as it has a cause."""

    cause: str = ""

    def trouble(self) -> Trouble | None:
        return Trouble("failing for 2 s", self.cause) if self.cause else None


def test_models_of_one_name_report_each_cause_once(caplog: pytest.LogCaptureFixture) -> None:
    models = [_Failing(ScriptedModel([], at("127.0.0.1:1"))) for _ in range(2)]
    progress = Progress(1, "job", shown=False)

    def told() -> list[str]:
        caplog.clear()
        progress._tell_troubles(models)
        return [record.getMessage() for record in caplog.records]

    with caplog.at_level("INFO"):
        models[0].cause = "no route"
        assert told() == ["m: failing for 2 s, no route"]
        models[1].cause = "no route"
        assert told() == []
        models[1].cause = "status 503"
        assert told() == ["m: failing for 2 s, status 503"]
        models[0].cause = ""
        assert told() == []
        models[0].cause, models[1].cause = "no route", ""
        assert told() == []
        models[0].cause = ""
        assert told() == ["m: answers again"]
