"""What the functions of `perturb` take as arguments: folders, names and ways to run."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

PathOrName: TypeAlias = "str | PathLike[str]"
ExecutorName: TypeAlias = Literal["local", "processes", "ray"]
Batch: TypeAlias = "bool | Mapping[str, float]"
"""Whether batch APIs are used, or `{"rows": 10_000, "poll": 15}`: with these limits."""


class RunFolder(Protocol):
    """A `Run`, `QuestionRun` or `Evaluation`: anything that stands for the folder of a run."""

    @property
    def folder(self) -> Path:
        """The folder."""


def path_of(source: RunFolder | PathOrName) -> Path:
    """The folder of a run, or the path given."""
    return Path(getattr(source, "folder", source))  # type: ignore[arg-type]
