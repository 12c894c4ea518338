"""From what a configuration says to an executor that is ready."""

from __future__ import annotations

from perturb.catalogue import Catalogue
from perturb.config import ExecutorEntry
from perturb.executors.executor import Executor, LocalExecutor


async def open_executor(entry: ExecutorEntry, catalogue: Catalogue | None = None) -> Executor:
    """Start the executor that the entry names; close it when the run is over.

    `catalogue` is needed for tasks of the rule engine. Raises `ExecutorError` if workers cannot be started, and
    `ConfigError` if ray is asked for and not installed.
    """
    if entry.kind == "processes":
        from perturb.executors.processes import open_processes

        return await open_processes(entry.workers, catalogue, entry.chunk, entry.grace)
    if entry.kind == "ray":
        from perturb.executors.ray_cluster import open_ray

        return await open_ray(entry, catalogue)
    return LocalExecutor(catalogue)
