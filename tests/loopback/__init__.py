"""An OpenAI-compatible server on the loopback interface, for tests and speed measurements."""

from .batches import BatchDesk, BatchPlan
from .faults import NO_FAULTS, Fault, Faults, RandomFaults, ScriptedFaults
from .replay import EchoPlayer, Player, ScriptedPlayer
from .server import Counters, LoopbackServer

__all__ = [
    "NO_FAULTS",
    "BatchDesk",
    "BatchPlan",
    "Counters",
    "EchoPlayer",
    "Fault",
    "Faults",
    "LoopbackServer",
    "Player",
    "RandomFaults",
    "ScriptedFaults",
    "ScriptedPlayer",
]
