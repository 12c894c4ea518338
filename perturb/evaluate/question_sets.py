"""Reads question sets: from a file, the Hub, or a snapshot of ours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from perturb.curate.hub import PREFIX, HubSource, open_hub
from perturb.curate.source_rows import SourceRow, read_rows
from perturb.errors import SourceError
from perturb.evaluate.loading import ItemSource, load_items
from perturb.evaluate.question_formats import ID_FIELDS, READERS, SNAPSHOT, format_of_row
from perturb.evaluate.questions import Question, QuestionSet

FAITHEVAL = "faitheval:"
"""What a source begins with to be one of the three FaithEval tasks: `faitheval:unanswerable`, say."""
FAITHEVAL_TASKS: tuple[str, ...] = ("unanswerable", "inconsistent", "counterfactual")


def read_questions(source: str, form: str = "auto") -> QuestionSet:
    """Read a set: a table, a snapshot folder, `hub:OWNER/NAME[@REVISION]`, or `faitheval:TASK`.

    `form` is `snapshot`, one of `question_forms.READERS`, or `auto` to tell it from the first row. Repeated
    questions without an id are kept once. Raises `SourceError` or `SnapshotError`, with file and line, for what
    cannot be used.
    """
    if form == SNAPSHOT or Path(source).is_dir():
        return _read_snapshot(source)
    name, rows = _open(source)
    first = next(rows, None)
    if first is None:
        raise SourceError(f"{source}: holds no questions: give at least one row")
    chosen = format_of_row(form, name, first)
    if chosen == SNAPSHOT:
        return _read_snapshot(source)
    read: dict[str, Question] = {}
    repeated = 0
    for row in chain([first], rows):
        question = READERS[chosen](row)
        if question.id not in read:
            read[question.id] = question
        elif any(row.fields.get(name) is not None for name in ID_FIELDS):
            raise row.error("id", f"'{question.id}' appears twice: give each question an id of its own")
        else:
            repeated += 1
    warnings = (f"{name}: {repeated} repeated questions were left out",) if repeated else ()
    return QuestionSet(name, tuple(read.values()), warnings)


def _open(source: str) -> tuple[str, Iterator[SourceRow]]:
    if source.startswith(FAITHEVAL):
        task = source.removeprefix(FAITHEVAL)
        if task not in FAITHEVAL_TASKS:
            raise SourceError(f"{source}: no such task: FaithEval has {', '.join(FAITHEVAL_TASKS)}")
        return f"faitheval-{task}", open_hub(HubSource(f"Salesforce/FaithEval-{task}-v1.0")).rows
    if source.startswith(PREFIX):
        named = HubSource.named(source, None, None)
        return Path(named.name).name, open_hub(named).rows
    path = Path(source)
    return path.name.split(".")[0], read_rows(path)


def _read_snapshot(source: str) -> QuestionSet:
    """Items of RefusalBench without their controls: LOW can be answered; of MEDIUM and HIGH any answer is wrong."""
    loaded = load_items(ItemSource(source))
    questions = tuple(
        Question(
            id=item.id,
            text=item.query,
            answers=item.answers if item.answerable else (),
            context=item.context,
            source=loaded.name,
            answerable=item.answerable,
            metadata={
                "base_id": item.base_id,
                "perturbation_class": str(item.cell.perturbation_class),
                "intensity": item.intensity,
            },
        )
        for item in loaded.items
        if not item.control
    )
    return QuestionSet(Path(loaded.name).name, questions, loaded.warnings)
