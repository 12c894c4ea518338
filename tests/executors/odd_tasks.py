"""Tasks that no build has: they crash, freeze or fail in ways that a worker must outlive."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import Any, Literal

from perturb.errors import PermanentModelError, TransientModelError
from perturb.llm.worker_tasks import WorkerContext

Deed = Literal["echo", "sleep", "die", "freeze", "raise", "refuse", "overload"]


@dataclass(frozen=True, slots=True)
class OddTask:
    """Does its deed and gives back its number and the worker's process."""

    number: int
    deed: Deed = "echo"
    seconds: float = 5.0

    @property
    def key(self) -> str:
        """Its number, in words."""
        return f"odd-{self.number}"

    async def perform(self, context: WorkerContext) -> Any:
        """Do it."""
        if self.deed == "sleep":
            await asyncio.sleep(0.05)
        elif self.deed == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.deed == "freeze":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif self.deed == "raise":
            raise ZeroDivisionError("nothing to share")
        elif self.deed == "refuse":
            raise PermanentModelError("model 'm': no")
        elif self.deed == "overload":
            raise TransientModelError("model 'm': later", retry_after=7.0)
        return self.number, os.getpid()
