"""A run over questions, of the Refusal Index or of stated confidence: as a user asks for it, or as it is on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perturb.evaluate.bas import BasTask
from perturb.evaluate.elicit import Elicitation
from perturb.evaluate.question_task import QuestionTask
from perturb.evaluate.questions import QuestionSet
from perturb.evaluate.refusal_index import REFUSAL_PROMPTS, RefusalIndexTask
from perturb.evaluate.replayed import find_items, find_models, recorded_questions
from perturb.evaluate.run import run_task
from perturb.evaluate.task import AskPlan, EvaluationReport

Ways = Callable[[QuestionSet, Mapping[str, Any]], QuestionTask[Any]]
"""Makes the task of the questions; the mapping says how they were asked that are on record, if they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan(AskPlan):
    """What is to be asked, and whom."""

    kind: Literal["refusal-index", "bas"]
    questions: QuestionSet | None = None
    """None for those on record."""
    ways: Ways


def ask_questions(plan: QuestionPlan, *, progress: bool = False) -> EvaluationReport:
    """Ask them, or go on with a run that was stopped. Raises `PerturbError`s for what a user can mend."""
    missing = "no questions are given: name a file"
    questions = find_items(plan.kind, plan.questions, plan.replay, recorded_questions, missing)
    task = plan.ways(questions, plan.replay.recording.header["ways"] if plan.replay else {})
    run = plan.out or Path("outputs") / f"{plan.kind}-{questions.name}"
    return run_task(task, find_models(plan), run, plan, progress=progress)


def refusal_ways(settings: Sequence[str], samples: int) -> Ways:
    """Both passes, under these first-pass prompts, all of them if none is named."""
    return lambda questions, said: RefusalIndexTask(
        questions, tuple(settings or said.get("settings", REFUSAL_PROMPTS)), said.get("samples", samples)
    )


def confidence_ways(elicitations: Sequence[str], k: int) -> Ways:
    """Confidence, asked for in these ways, directly if none is named."""
    return lambda questions, said: BasTask(
        questions,
        tuple(map(Elicitation, elicitations or said.get("elicitations", [Elicitation.DIRECT]))),
        said.get("k", k),
    )
