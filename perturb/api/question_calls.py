"""What `perturb.refusal_index` and `perturb.bas` do where models are asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from perturb.api.calls import Asked
from perturb.api.paths import path_of
from perturb.api.runs import QuestionRun
from perturb.errors import ConfigError, SourceError
from perturb.evaluate.question_run import QuestionPlan, Ways, ask_questions
from perturb.evaluate.question_sets import read_questions
from perturb.event_loops import call


@contextmanager
def tables_to_score(
    kind: Literal["refusal-index", "bas"],
    source: Any,
    asked: Asked,
    ways: Ways,
    draw: tuple[str, int | None, int],
    progress: bool,
    **options: Any,
) -> Iterator[tuple[list[Path], QuestionRun | None]]:
    """The tables of `source`; or, where models are asked, the folder of the run, and the run.

    `draw` says of questions their format, how many, and the seed. Where nothing can be scored, what the run has to say
    of it comes first.
    """

    def ask() -> QuestionRun:
        if not isinstance(source, str | PathLike | None):
            raise ConfigError("source: name one set of questions where models are asked")
        form, limit, seed = draw
        questions = None if source is None else read_questions(str(source), form).draw(limit, seed)
        plan = QuestionPlan(kind=kind, questions=questions, ways=ways, **asked.plan(source, kind), **options)
        report = ask_questions(plan, progress=progress)
        return QuestionRun(report.run, report.facts, report.warnings, report.stopped)

    run = call(ask) if source is None or asked.models or asked.replay is not None else None
    several = isinstance(source, Iterable) and not isinstance(source, str)
    try:
        yield [run.folder] if run else [path_of(one) for one in (source if several else [source])], run
    except SourceError as error:
        if run is None or not run.warnings:
            raise
        raise SourceError(f"{run.warnings[0]} ({error})") from None
