"""The rule engine over several processes: the same results as in one, whatever becomes of the workers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import ExecutorError, PermanentModelError
from perturb.llm.client import ModelSettings
from perturb.llm.executors import check_key, open_executor
from perturb.llm.factory import ExecutorEntry
from tests.building import KEY_NAME, content_of, environment, perturb, perturb_process, run_build, serve

TWO_WORKERS: dict[str, Any] = {"kind": "processes", "workers": 2}


def children(parent: int) -> list[int]:
    """The living child processes of a process."""
    form = ["ps", "-o", "pid=,stat=,comm=", "--ppid", str(parent)]
    listed = subprocess.run(form, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split(maxsplit=2) for line in listed]
    return [int(pid) for pid, state, name in rows if not state.startswith("Z") and name != "ps"]


def alive(pid: int) -> bool:
    """Whether a process still runs."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def process_of(setup: object) -> tuple[object, int]:
    """What the executor was opened with, and the process that this runs in."""
    time.sleep(0.02)
    return setup, os.getpid()


def die(_: object) -> None:
    """End the process that this runs in."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(_: object, marker: Path) -> int:
    """End the process that this runs in, but the first time only."""
    if not marker.exists():
        marker.touch()
        die(_)
    return os.getpid()


def fail(_: object) -> None:
    """Raise what no rule should."""
    raise ZeroDivisionError("nothing to share")


async def test_all_workers_have_a_share_and_end_with_the_executor() -> None:
    executor = await open_executor(ExecutorEntry(**TWO_WORKERS), "setup")
    results = await asyncio.gather(*(executor.run(process_of) for _ in range(40)))
    await executor.close()
    assert {setup for setup, _ in results} == {"setup"}
    assert len({pid for _, pid in results} - {os.getpid()}) == 2
    assert not any(alive(pid) for _, pid in results)


@pytest.mark.slow
async def test_dead_workers_are_replaced_and_failures_are_named(tmp_path: Path) -> None:
    executor = await open_executor(ExecutorEntry(**TWO_WORKERS))
    try:
        assert await executor.run(die_once, tmp_path / "marker") != os.getpid()
        with pytest.raises(ExecutorError, match="die has lost 3 workers"):
            await executor.run(die)
        with pytest.raises(ExecutorError, match="ZeroDivisionError: nothing to share"):
            await executor.run(fail)
    finally:
        await executor.close()


def test_workers_end_with_a_driver_that_is_killed() -> None:
    code = (
        "import asyncio, time\n"
        "from perturb.llm.factory import ProcessExecutor\n"
        "from tests.executors.test_processes import process_of\n"
        "async def main():\n"
        "    executor = ProcessExecutor(None, 2)\n"
        "    await asyncio.gather(*(executor.run(process_of) for _ in range(8)))\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        orphans = children(driver.pid)
        driver.kill()
    assert len(orphans) >= 2
    deadline = time.monotonic() + 30
    while any(map(alive, orphans)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, orphans))


def test_an_offline_build_gives_the_same_data_file(tmp_path: Path) -> None:
    files = {}
    for kind, run in (("local", perturb), ("processes", perturb_process)):
        ended = run(
            *("build", "--demo", "rules", "--limit", "6", "--out", tmp_path, "--name", kind),
            *("--executor", kind),
        )
        assert (ended.returncode, "use executor: ray" in ended.stderr) == (0, False), ended.stderr
        [files[kind]] = (tmp_path / kind / "snapshot" / "data").rglob("*.parquet")
    assert files["local"].read_bytes() == files["processes"].read_bytes()


def test_calls_to_models_are_made_here_with_a_word_about_ray(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serve() as server:
        content: dict[str, Any] = content_of(server.url, limit=1)
        run_build(tmp_path, content)
        calls = server.counters.total
        run_build(tmp_path, {**content, "executor": {**TWO_WORKERS, "chunk": 8}})
        assert server.counters.total == calls > 0, "another executor asks for nothing again"
    assert [record.message for record in caplog.records if "executor: ray" in record.message]


def test_a_key_that_a_node_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_NAME, raising=False)
    settings = ModelSettings("m", "hosted_vllm/m", api_base="http://127.0.0.1:9/v1", api_key_env=KEY_NAME)
    with pytest.raises(PermanentModelError, match=f"{KEY_NAME} is not set where the worker runs"):
        check_key(settings)


def test_wrong_words_for_the_executor_are_named(tmp_path: Path) -> None:
    ended = perturb_process(
        "build", "--demo", "rules", "--out", tmp_path, "--executor", "cloud", env=environment()
    )
    assert ended.returncode in (1, 2)
    assert "executor" in ended.stderr
    assert ended.stderr.count("\n") == 1
