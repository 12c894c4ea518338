"""Build, verify, audit and publish fresh benchmarks of selective refusal.

    import perturb

    run = perturb.build("build.yaml")
    run.audit()
    evaluation = perturb.evaluate(run, ["openai/gpt-4o"], judge="anthropic/claude-sonnet-4-5")
    evaluation.score()

Importing the package costs nothing: everything heavy is loaded when it is first used.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from perturb.api.figures import (
    abas,
    arefusal_index,
    audit,
    audit_shortcuts,
    bas,
    load_config,
    load_snapshot,
    refusal_index,
    score,
)
from perturb.api.functions import abuild, aevaluate, build, curate, evaluate, publish

if TYPE_CHECKING:
    from perturb.api.runs import Evaluation, QuestionRun, Run
    from perturb.catalogue.levers import Catalogue
    from perturb.curation.base_sets import BaseSet
    from perturb.errors import PerturbError
    from perturb.snapshots.snapshot import Snapshot

    __version__: str

# Public class → its module, which is imported when the class is first used (`__getattr__` below).
_MODULE_OF_CLASS = {
    "BaseSet": "perturb.curation.base_sets",
    "Catalogue": "perturb.catalogue.levers",
    "Evaluation": "perturb.api.runs",
    "PerturbError": "perturb.errors",
    "QuestionRun": "perturb.api.runs",
    "Run": "perturb.api.runs",
    "Snapshot": "perturb.snapshots.snapshot",
}

__all__ = [
    "BaseSet",
    "Catalogue",
    "Evaluation",
    "PerturbError",
    "QuestionRun",
    "Run",
    "Snapshot",
    "__version__",
    "abas",
    "abuild",
    "aevaluate",
    "arefusal_index",
    "audit",
    "audit_shortcuts",
    "bas",
    "build",
    "curate",
    "evaluate",
    "load_config",
    "load_snapshot",
    "publish",
    "refusal_index",
    "score",
]

# Paths that the documentation of 0.1 showed -> where they are now. They go in 0.3.
_MOVED_PATHS = {
    "audit": "auditing",
    "audit.audit_report": "auditing.audit_report",
    "audit.votes": "auditing.votes",
    "build_run": "building.run",
    "curate": "curation",
    "curate.base_sets": "curation.base_sets",
    "evaluate": "evaluation",
    "evaluate.run": "evaluation.run",
    "export": "snapshots",
    "export.snapshot": "snapshots.snapshot",
    "items": "snapshots.items",
    "llm.scripted": "llm.client",
    "llm.wire": "llm.transports",
    "local_server": "reports.local_server",
    "report": "reports",
    "report.figures": "reports.figures",
    "report.model": "reports.model",
    "report.page": "reports.rendering",
    "report.text": "reports.rendering",
    "score": "scoring",
    "score.refusal_report": "scoring.refusal_report",
}


class _MovedModule(ModuleType):
    """Stands in `sys.modules` for a path of 0.1. Whoever takes a name from it gets a warning and today's object."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"perturb.{old}", f"Moved to `perturb.{new}`.")
        # Python imports `perturb.report.page` only if `perturb.report` is a package, which is a module with a path.
        self.__path__: list[str] = []
        self._new = f"perturb.{new}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspection asks of every module does not count as use of the path
            raise AttributeError(name)
        message = f"{self.__name__} is now {self._new}: change the import, the old path goes in 0.3"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(self._new), name)


# An entry in `sys.modules` is enough for `import perturb.score.refusal_report`. The old modules are not attributes of
# `perturb`, because `perturb.score` must stay the function.
for _old, _new in _MOVED_PATHS.items():
    sys.modules[f"perturb.{_old}"] = _MovedModule(_old, _new)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF_CLASS:
        return getattr(import_module(_MODULE_OF_CLASS[name]), name)
    if name == "__version__":
        return import_module("perturb.files.resources").code_version()
    raise AttributeError(f"module 'perturb' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
