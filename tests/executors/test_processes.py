"""Worker processes: the same results as here, whatever becomes of the workers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import ExecutorError, PermanentModelError, TransientModelError, WorkerLostError
from perturb.llm import processes
from perturb.llm.client import ChatRequest, Message, ModelSettings
from perturb.llm.processes import open_processes
from perturb.llm.worker_pool import WorkerPool
from perturb.llm.worker_tasks import ChatTask, WorkerContext
from perturb.llm.workers import LocalExecutor, RemoteModel, run_with_retry
from tests.building import (
    KEY,
    KEY_NAME,
    content_of,
    environment,
    fates,
    finish,
    interrupt_after,
    perturb,
    run_build,
    serve,
    start,
    wait_for_calls,
    write_config,
)
from tests.executors.odd_tasks import OddTask
from tests.loopback import Fault, RandomFaults

TWO_WORKERS: dict[str, Any] = {"kind": "processes", "workers": 2, "chunk": 8}


@asynccontextmanager
async def workers(number: int = 2, chunk: int = 4, grace: float = 20.0) -> AsyncIterator[WorkerPool]:
    pool = await open_processes(number, None, chunk, grace)
    try:
        yield pool
    finally:
        await pool.close()


def children(parent: int) -> list[int]:
    """The living child processes of a process."""
    form = ["ps", "-o", "pid=,stat=,comm=", "--ppid", str(parent)]
    listed = subprocess.run(form, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split(maxsplit=2) for line in listed]
    return [int(pid) for pid, state, name in rows if not state.startswith("Z") and name != "ps"]


async def test_every_task_gets_its_own_row_and_all_workers_have_a_share() -> None:
    async with workers() as pool:
        results = await asyncio.gather(*(pool.run(OddTask(n, "sleep")) for n in range(40)))
    assert [number for number, _ in results] == list(range(40))
    assert len({pid for _, pid in results} - {os.getpid()}) == 2


async def test_errors_come_back_as_what_they_are() -> None:
    async with workers(1) as pool:
        with pytest.raises(PermanentModelError, match="model 'm': no"):
            await pool.run(OddTask(1, "refuse"))
        with pytest.raises(TransientModelError) as overload:
            await pool.run(OddTask(2, "overload"))
        assert (overload.value.retry_after, type(overload.value)) == (7.0, TransientModelError)
        with pytest.raises(ExecutorError, match="ZeroDivisionError: nothing to share"):
            await pool.run(OddTask(3, "raise"))
        assert (await pool.run(OddTask(4)))[0] == 4


async def test_a_worker_that_dies_costs_its_own_chunk_and_is_replaced() -> None:
    async with workers(1, chunk=3) as pool:
        fates = await asyncio.gather(
            *(pool.run(OddTask(n, "die" if n == 4 else "sleep")) for n in range(9)), return_exceptions=True
        )
        lost = [n for n, fate in enumerate(fates) if isinstance(fate, WorkerLostError)]
        assert 4 in lost
        assert "SIGKILL" in str(fates[4])
        assert (await pool.run(OddTask(10)))[0] == 10
        assert pool.lost >= 1


async def test_workers_that_have_done_something_may_die_as_often_as_they_like(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "MAX_RESTARTS", 2)
    async with workers(1) as pool:
        for number in range(3):
            assert (await pool.run(OddTask(number)))[0] == number
            with pytest.raises(WorkerLostError):
                await pool.run(OddTask(number, "die"))


async def test_the_idle_worker_is_asked_before_the_busy_one() -> None:
    async with workers(2, chunk=1, grace=1.0) as pool:
        stuck = asyncio.ensure_future(pool.run(OddTask(1, "freeze")))
        for _ in range(20):
            await asyncio.sleep(0)
        assert [(await pool.run(OddTask(number)))[0] for number in range(3)] == [0, 1, 2]
        stuck.cancel()


def test_a_worker_imports_from_the_current_folder_only_if_its_driver_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    others = [place for place in sys.path if place not in ("", os.curdir)]
    for here, options in ((None, ("-P",)), ("", ()), (str(tmp_path), ())):
        monkeypatch.setattr(sys, "path", others if here is None else [here, *others])
        assert processes._path_options() == options


async def test_a_frozen_worker_is_late_and_is_given_up() -> None:
    async with workers(1, grace=1.0) as pool:
        with pytest.raises(WorkerLostError, match="timed out"):
            await pool.run(OddTask(1, "freeze", seconds=0.5))
        assert (await pool.run(OddTask(2)))[0] == 2


async def test_a_task_that_kills_whoever_has_it_is_not_tried_for_ever() -> None:
    async with workers(2) as pool:
        with pytest.raises(ExecutorError, match="has lost 3 workers"):
            await run_with_retry(pool, OddTask(1, "die"))
        assert (await pool.run(OddTask(2)))[0] == 2


async def test_workers_that_cannot_start_are_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(ExecutorError, match=r"end before they do .* \(the process ended with exit code 1\)"):
        await open_processes(2, None, 4, 20.0)
    assert not children(os.getpid())


async def test_workers_that_never_get_ready_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "START_TIMEOUT", 0.05)
    with pytest.raises(ExecutorError, match="not ready after"):
        await open_processes(2, None, 4, 20.0)
    assert not children(os.getpid())


async def test_a_start_that_is_refused_ends_those_that_began(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = iter([OSError(11, "Resource temporarily unavailable")])
    create = asyncio.create_subprocess_exec

    async def refuse_first(*arguments: Any, **options: Any) -> Any:
        if (error := next(starts, None)) is not None:
            raise error
        return await create(*arguments, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse_first)
    with pytest.raises(ExecutorError, match="cannot be started"):
        await open_processes(3, None, 4, 20.0)
    assert not children(os.getpid())


async def test_workers_end_with_their_driver() -> None:
    async with workers(2) as pool:
        pids = {pid for _, pid in await asyncio.gather(*(pool.run(OddTask(n, "sleep")) for n in range(8)))}
        assert pids <= set(children(os.getpid()))
    assert not pids & set(children(os.getpid()))


async def test_a_key_that_the_worker_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_NAME, raising=False)
    settings = ModelSettings("m", "hosted_vllm/m", api_base="http://127.0.0.1:9/v1", api_key_env=KEY_NAME)
    task = ChatTask("k", "m", settings, ChatRequest((Message("user", "hello"),)))
    with pytest.raises(PermanentModelError, match=f"{KEY_NAME} is not set where the worker runs"):
        WorkerContext().model(task)


async def test_calls_go_through_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve() as server:
        settings = ModelSettings("e", "hosted_vllm/e", api_base=server.url, api_key_env=KEY_NAME)
        async with workers(2) as pool:
            far = pool.model(settings)
            assert isinstance(far, RemoteModel)
            asked = [ChatRequest((Message("user", f"number {n}"),), key=str(n)) for n in range(20)]
            there = await asyncio.gather(*(far.complete(request) for request in asked))
        local = LocalExecutor()
        near = local.model(settings)
        here = [await near.complete(request) for request in asked]
        await near.close()
        await local.close()
    assert [reply.text for reply in there] == [reply.text for reply in here]
    assert server.counters.total == 40


def test_an_offline_build_gives_the_same_data_file(tmp_path: Path) -> None:
    files = {}
    for kind in ("local", "processes"):
        ended = perturb(
            "build", "--demo", "rules", "--limit", "6", "--out", tmp_path, "--name", kind, "--executor", kind
        )
        assert ended.returncode == 0, ended.stderr
        [files[kind]] = (tmp_path / kind / "snapshot" / "data").rglob("*.parquet")
    assert files["local"].read_bytes() == files["processes"].read_bytes()


@pytest.mark.slow
def test_faults_on_the_way_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve(latency=(0.0, 0.02)) as server:
        whole = run_build(tmp_path / "whole", content_of(server.url, limit=1))
        server.faults = RandomFaults({Fault.RATE_LIMIT: 0.03, Fault.DROP: 0.03, Fault.SERVER_ERROR: 0.03})
        report = run_build(tmp_path / "far", content_of(server.url, limit=1, executor=TWO_WORKERS))
        assert server.counters.faults.total() > 5
        assert server.counters.max_active <= 8 * 5, "the limits are the driver's, not each worker's"
    assert fates(report.run) == fates(whole.run)
    assert report.facts["calls"] == whole.facts["calls"]


def test_the_budget_is_one_for_all_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve() as server:
        content = content_of(server.url, budget_usd=0.1, executor=TWO_WORKERS)
        stopped = run_build(tmp_path, content)
    assert "raise budget_usd" in (stopped.stopped or "")
    assert 0 < stopped.facts["cost_usd"] <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_a_build_outlives_its_workers(
    tmp_path: Path, harm: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve(latency=(0.02, 0.06)) as server:
        whole = run_build(tmp_path / "whole", content_of(server.url))
        server.counters.bodies.clear()
        server.counters.requests.clear()
        late = 10 if harm is signal.SIGSTOP else 60  # nothing but the deadline tells of a frozen worker
        content = content_of(server.url, executor={**TWO_WORKERS, "grace": late / 2})
        for entry in [*content["generators"], *content["panel"]["verifiers"]]:
            entry["timeout"] = late / 2
        process = start(write_config(tmp_path, content), tmp_path / "out")
        for moment in (40, 120):
            wait_for_calls(process, server, moment)
            os.kill(children(process.pid)[0], harm)
        _, problems = process.communicate(timeout=120)
        repeated = server.counters.repeated
    run = tmp_path / "out" / "run"
    assert process.returncode == 0, problems
    assert fates(run) == fates(whole.run)
    print(f"{harm.name}: {server.counters.total} calls, {repeated} of them again")
    assert repeated <= 2 * 8 * 5, "more was asked again than the calls in flight"
    assert not children(process.pid)


@pytest.mark.slow
def test_the_driver_killed_leaves_no_worker_and_a_run_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve(latency=(0.02, 0.06)) as server:
        whole = run_build(tmp_path / "whole", content_of(server.url))
        server.counters.bodies.clear()
        server.counters.requests.clear()
        config = write_config(tmp_path, content_of(server.url, executor=TWO_WORKERS))
        process = start(config, tmp_path / "out")
        wait_for_calls(process, server, 60)
        orphans = children(process.pid)
        interrupt_after(process, server, 60, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{pid}").exists() for pid in orphans) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(orphans) == 2
        assert not [pid for pid in orphans if Path(f"/proc/{pid}").exists()]
        finish(config, tmp_path / "out")
        print(f"driver killed: {server.counters.total} calls, {server.counters.repeated} of them again")
        on_their_way = TWO_WORKERS["workers"] * TWO_WORKERS["chunk"]
        assert server.counters.repeated <= 8 * 5 + on_their_way, "calls in flight, and rows on their way"
    assert fates(tmp_path / "out" / "run") == fates(whole.run)


@pytest.mark.slow
def test_an_interrupt_is_one_line_and_ends_the_workers(tmp_path: Path) -> None:
    with serve(latency=(0.02, 0.06)) as server:
        config = write_config(tmp_path, content_of(server.url, executor=TWO_WORKERS))
        process = start(config, tmp_path / "out")
        out, err = interrupt_after(process, server, 30, signal.SIGTERM)
    assert (process.returncode, out) == (130, "")
    assert err == "perturb: stopped: run the same command again to resume\n"


def test_wrong_words_for_the_executor_are_named(tmp_path: Path) -> None:
    ended = perturb("build", "--demo", "rules", "--out", tmp_path, "--executor", "cloud", env=environment())
    assert ended.returncode in (1, 2)
    assert "executor" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_another_executor_asks_for_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    with serve() as server:
        content: dict[str, Any] = content_of(server.url, limit=1)
        run_build(tmp_path, content)
        calls = server.counters.total
        run_build(tmp_path, {**content, "executor": TWO_WORKERS})
        assert server.counters.total == calls > 0
