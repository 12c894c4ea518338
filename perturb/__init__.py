"""Build, verify, audit and publish fresh benchmarks of selective refusal.

    import perturb

    run = perturb.build("build.yaml")
    run.audit()
    evaluation = perturb.evaluate(run, ["openai/gpt-4o"], judge="anthropic/claude-sonnet-4-5")
    evaluation.score()

Importing the package costs nothing: everything heavy is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from perturb.api.functions import abuild, aevaluate, build, curate, evaluate, publish
from perturb.api.questions import abas, arefusal_index, bas, refusal_index
from perturb.api.stored import audit, audit_shortcuts, load_config, load_snapshot, score

if TYPE_CHECKING:
    from perturb.api.runs import Evaluation, QuestionRun, Run
    from perturb.catalogue.levers import Catalogue
    from perturb.curation.base_sets import BaseSet
    from perturb.errors import PerturbError
    from perturb.snapshots.snapshot import Snapshot

    __version__: str

_HOMES = {
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


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        return import_module("perturb.files.resources").code_version()
    raise AttributeError(f"module 'perturb' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
