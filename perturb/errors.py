"""Every exception that perturb raises on purpose.

    PerturbError                what a user can act on: one line, no traceback
    ├── ConfigError             a YAML file or an option says something that cannot be done
    ├── CatalogueError          a lever file is malformed, or two levers share a name
    ├── SourceError             a base set cannot be read, or a record in it is unusable
    ├── LedgerError             the run's database cannot be read, written, or is in use
    ├── SnapshotError           a snapshot cannot be written, or does not match its manifest
    ├── PublishError            the Hub refused a snapshot, cannot be reached, or holds something else
    ├── RecordingError          a file of recorded replies cannot be read, or belongs to another round
    ├── BudgetSpent             the next call could overspend `budget_usd`; the run can be resumed
    ├── UnreachableError        the server of a model, or the proxy before it, takes no connection
    ├── ExecutorError           workers cannot be started or reached, or keep being lost
    └── ModelError              a call to a model failed
        ├── TransientModelError     another try may succeed: 408, 409, 429, 5xx, broken connections, time-outs
        │   └── WorkerLostError         the worker that made the call is gone; says nothing about the model
        └── PermanentModelError     it will fail again: a wrong key, an unknown model, a refused request

Each message states what happened, where, and what to do about it, on one line.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable
from pathlib import Path

FAULT = "fault in "
"""How the stored text of a fault begins. A fault is an exception in a rule or an offline check, on some text."""


class PerturbError(Exception):
    """Base of the tree; the command line prints it as one line and exits with 1."""


class ConfigError(PerturbError):
    """A configuration file or an option says something that cannot be done."""


class CatalogueError(PerturbError):
    """A lever file is malformed, or two levers share a name."""


class SourceError(PerturbError):
    """A base set cannot be read, or a record in it is unusable."""


class LedgerError(PerturbError):
    """The run's database cannot be read, written, or is in use by another process."""


class SnapshotError(PerturbError):
    """A snapshot cannot be written, or does not match its manifest."""


class PublishError(PerturbError):
    """The Hub refused a snapshot, cannot be reached, or holds something else under the name."""


class RecordingError(PerturbError):
    """A file of recorded replies cannot be read or written, or belongs to another round."""


class BudgetSpent(PerturbError):
    """The next call could overspend the budget; what is done is kept and the run can be resumed."""


class UnreachableError(PerturbError):
    """The server of a model, or the proxy before it, takes no connection."""


class ExecutorError(PerturbError):
    """Workers cannot be started or reached, or are lost again and again."""


class ModelError(PerturbError):
    """A call to a model failed."""


class TransientModelError(ModelError):
    """A failure after which another try may succeed.

    `retry_after` is the number of seconds the provider asked for, if it did.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class WorkerLostError(TransientModelError):
    """The worker that had the task died, froze or lost its connection; nothing is known of the result."""


class PermanentModelError(ModelError):
    """A failure that will repeat: a wrong key, an unknown model, a refused request."""


def fault_line(error: Exception, where: str) -> str:
    """A fault of our own code as a run stores it: one line to report, while the run continues.

    The line names `where` it happened, with the notes that were added to the error.
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    context = ", ".join([where, *getattr(error, "__notes__", ())])
    text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"{FAULT}{context} ({Path(place.filename).name}:{place.lineno}): {text}"


def location(path: Path | str, line: int | None = None) -> str:
    """Name a place in a file for an error message.

    >>> location("levers/ambiguity.yaml", 12)
    'levers/ambiguity.yaml:12'
    """
    return f"{path}:{line}" if line is not None else str(path)


def suggestion(word: str, words: Iterable[str]) -> str:
    """A question that suggests the most similar known word; empty if no word is similar.

    >>> suggestion("ronud", ["name", "round"]), suggestion("x", ["round"])
    ("did you mean 'round'?", '')
    """
    matches = difflib.get_close_matches(word, sorted(set(words)), n=1)
    return f"did you mean '{matches[0]}'?" if matches else ""
