"""Models under test: asked about the items of a snapshot, their replies classified and judged."""

from perturb.callable_modules import make_callable
from perturb.evaluate.loading import ItemSource
from perturb.evaluate.models_under_test import ModelNames
from perturb.evaluate.refusalbench import EvaluationPlan, evaluate
from perturb.evaluate.results import EvaluationRun, Result, read_run
from perturb.evaluate.task import EvaluationReport

__all__ = [
    "EvaluationPlan",
    "EvaluationReport",
    "EvaluationRun",
    "ItemSource",
    "ModelNames",
    "Result",
    "evaluate",
    "read_run",
]

make_callable(__name__, "evaluate")
