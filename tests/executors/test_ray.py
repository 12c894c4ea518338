"""A real cluster of three nodes on this machine: one is killed, one is frozen, the driver is killed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.building import (
    KEY,
    KEY_NAME,
    accepted,
    content_of,
    environment,
    fates,
    interrupt_after,
    perturb_process,
    query,
    run_build,
    serve,
    start,
    wait_for_calls,
    write_config,
)
from tests.loopback import LoopbackServer

INSTALLED = importlib.util.find_spec("ray") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not INSTALLED and not os.environ.get("CI"), reason="ray is not installed: pip install -e '.[ray]'"
    ),
]
CALLS_OF_A_NODE = 16
"""At most: 40 calls in flight are spread over three nodes, and a few are lost again while Ray lists a dead node."""

# Not 127.0.0.1, in whose place Ray puts another address of the machine.
_NODES = """
import os, sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "node_ip_address": "127.0.0.2"})
workers = [cluster.add_node(num_cpus=1, node_ip_address=f"127.0.0.{n}") for n in (3, 4, 5)]
print(cluster.address, *(node.all_processes["raylet"][0].process.pid for node in workers), flush=True)
sys.stdin.read()
cluster.shutdown()
"""


class Cluster:
    """Three nodes with one CPU each, and a head without."""

    def __init__(self, address: str, raylets: list[int]) -> None:
        self.address = address
        self.raylets = raylets

    def harm(self, number: int, how: signal.Signals) -> None:
        """Kill or freeze everything of one node."""
        for pid in [self.raylets[number], *descendants(self.raylets[number])]:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                continue


def descendants(parent: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True)
    pids = [int(line) for line in listed.stdout.split()]
    return [*pids, *(descendant for pid in pids for descendant in descendants(pid))]


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Start the nodes in a process of their own; they end with it."""
    env = environment(RAY_USAGE_STATS_ENABLED="0", **{KEY_NAME: KEY})
    with subprocess.Popen(
        [sys.executable, "-c", _NODES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        assert len(words) == 4, "the cluster did not start"
        nodes = Cluster(words[0], [int(pid) for pid in words[1:]])
        try:
            yield nodes
        finally:
            for number in range(3):
                nodes.harm(number, signal.SIGCONT)
            process.communicate("", timeout=60)


@pytest.fixture(autouse=True)
def _token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters and drivers of these tests know each other by a token."""
    path = tmp_path / "token"
    path.write_text("0123456789abcdef" * 4)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(path))


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with serve(latency=(0.05, 0.15)) as running:
        yield running


def content(server: LoopbackServer, address: str, seconds: float = 60) -> dict[str, Any]:
    """A build whose calls go to the cluster and are late after so many seconds.

    Within them a worker process must start, on a busy machine: a call that was late six times is given up.
    """
    executor = {"kind": "ray", "address": address, "grace": seconds / 2}
    made = content_of(server.url, limit=4, executor=executor)
    for entry in [*made["generators"], *made["panel"]["verifiers"]]:
        entry["timeout"] = seconds / 2
    return made


def expected(server: LoopbackServer, folder: Path, address: str) -> dict[str, str]:
    """How the jobs of the same build end here; the server forgets it was asked."""
    plain = {**content(server, address), "executor": "local"}
    ends = fates(run_build(folder / "whole", plain).run)
    server.counters.bodies.clear()
    server.counters.requests.clear()
    return ends


@pytest.mark.slow
@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_a_build_outlives_a_node(tmp_path: Path, server: LoopbackServer, harm: signal.Signals) -> None:
    with cluster() as nodes:
        whole = expected(server, tmp_path, nodes.address)
        # Nothing but the deadline tells of a frozen node.
        late = 20 if harm is signal.SIGSTOP else 60
        config = write_config(tmp_path, content(server, nodes.address, late))
        process = start(config, tmp_path / "out")
        wait_for_calls(process, server, 200)  # every node is at work by then
        nodes.harm(0, harm)
        _, problems = process.communicate(timeout=300)
        assert process.returncode == 0, problems
    run = tmp_path / "out" / "run"
    assert fates(run) == whole
    assert query(run, "SELECT count(*) FROM calls WHERE status = 'error'") == [(0,)]
    print(f"{harm.name}: {server.counters.total} calls, {server.counters.repeated} of them again")
    assert server.counters.repeated <= CALLS_OF_A_NODE, "more than the calls of one node was asked again"


def assert_turned_away(config: Path, folder: Path) -> None:
    """A driver with another token is refused in one line of ours, after Ray's own."""
    folder.mkdir()
    token = folder / "token"
    token.write_text("fedcba9876543210" * 4)
    env = environment(**{KEY_NAME: KEY, "RAY_AUTH_TOKEN_PATH": str(token)})
    ended = perturb_process("build", config, "--out", folder / "out", env=env)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("perturb: no Ray cluster at 127.0.0.2")
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_the_driver_killed_is_a_run_that_goes_on(tmp_path: Path, server: LoopbackServer) -> None:
    with cluster() as nodes:
        whole = expected(server, tmp_path, nodes.address)
        config = write_config(tmp_path, content(server, nodes.address))
        assert_turned_away(config, tmp_path / "stranger")
        process = start(config, tmp_path / "out")
        interrupt_after(process, server, 60, signal.SIGKILL)
        kept = set(accepted(tmp_path / "out" / "run"))
        # In a process of its own: Ray reads the token once for a whole process, and later tests use none.
        finished = perturb_process("build", config, "--out", tmp_path / "out")
        assert finished.returncode == 0, finished.stderr
    assert fates(tmp_path / "out" / "run") == whole
    assert kept <= set(accepted(tmp_path / "out" / "run"))
    print(f"driver killed: {server.counters.total} calls, {server.counters.repeated} of them again")
    assert server.counters.repeated <= 3 * CALLS_OF_A_NODE, "more than the calls in flight was asked again"


def test_a_local_cluster_is_started_and_gives_the_same_data_file(tmp_path: Path) -> None:
    files = {}
    for kind in ("local", "ray"):
        ended = perturb_process(
            "build", "--demo", "rules", "--limit", "3", "--out", tmp_path, "--name", kind, "--executor", kind
        )
        assert ended.returncode == 0, ended.stderr
        [files[kind]] = (tmp_path / kind / "snapshot" / "data").rglob("*.parquet")
    assert files["local"].read_bytes() == files["ray"].read_bytes()


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    made = content_of("http://127.0.0.1:9/v1", executor={"kind": "ray", "address": "127.0.0.1:1"})
    ended = perturb_process("build", write_config(tmp_path, made), "--out", tmp_path / "out")
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert "127.0.0.1:1" in ended.stderr
