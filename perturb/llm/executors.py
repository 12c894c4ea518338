"""From what a configuration says of an executor to one that is ready."""

from __future__ import annotations

from typing import Any

from perturb.llm.worker_tasks import ExecutorEntry
from perturb.llm.workers import Executor, LocalExecutor


async def open_executor(entry: ExecutorEntry, setup: Any = None) -> Executor:
    """Start the executor that the entry names; close it when the run is over.

    `setup` is needed for tasks of the rule engine. Raises `ExecutorError` if workers cannot be started, and
    `ConfigError` if ray is asked for and not installed.
    """
    if entry.kind == "processes":
        from perturb.llm.processes import open_processes

        return await open_processes(entry.workers, setup, entry.chunk, entry.grace)
    if entry.kind == "ray":
        from perturb.llm.ray_cluster import open_ray

        return await open_ray(entry, setup)
    return LocalExecutor(setup)
