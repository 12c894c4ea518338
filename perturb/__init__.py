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

# These packages share their names with functions. Python binds a package to its name here once, when it is imported
# first; imported before the functions are, they give way to them.
from perturb import audit as _audit  # noqa: F401
from perturb import curate as _curate  # noqa: F401
from perturb import evaluate as _evaluate  # noqa: F401
from perturb import score as _score  # noqa: F401
from perturb.api.functions import abuild, aevaluate, build, curate, evaluate, publish
from perturb.api.questions import abas, arefusal_index, bas, refusal_index
from perturb.api.stored import audit, audit_shortcuts, load_config, load_snapshot, score

if TYPE_CHECKING:
    from perturb.api.runs import Evaluation as Evaluation
    from perturb.api.runs import QuestionRun as QuestionRun
    from perturb.api.runs import Run as Run
    from perturb.catalogue import Catalogue as Catalogue
    from perturb.curate.base_sets import BaseSet as BaseSet
    from perturb.errors import PerturbError as PerturbError
    from perturb.export.snapshot import Snapshot as Snapshot

    __version__: str

_HOMES = {
    "BaseSet": "perturb.curate.base_sets",
    "Catalogue": "perturb.catalogue",
    "Evaluation": "perturb.api.runs",
    "PerturbError": "perturb.errors",
    "QuestionRun": "perturb.api.runs",
    "Run": "perturb.api.runs",
    "Snapshot": "perturb.export.snapshot",
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
        return import_module("perturb.resources").code_version()
    raise AttributeError(f"module 'perturb' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
