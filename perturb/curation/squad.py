"""The form of SQuAD and the many sets that follow it: `question`, `context`, `answers` with their texts.

SQuAD (Rajpurkar et al. 2016, 2018), as the Hugging Face Hub has it. Fields that are not read are ignored. HalluLens
(Bang et al. 2025) writes the questions of PreciseWikiQA under other names: `prompt`, `reference`, `answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from perturb.curation.source_rows import MAX_NAME_CHARS, MAX_PASSAGE_CHARS, SkippedRow, SourceRow
from perturb.records import BaseInstance, Passage
from perturb.text.matching import holds_answer


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like SQuAD."""
    return {"question", "context"} <= fields.keys() or {"prompt", "reference", "answer"} <= fields.keys()


def read_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """A single-passage instance; SQuAD 2.0's questions without an answer are skipped.

    Raises `SourceError` for a malformed row.
    """
    if "prompt" in row.fields and "question" not in row.fields:
        named = {"question": "prompt", "context": "reference", "answers": "answer"}
        row = replace(
            row, fields={**row.fields, **{ours: row.fields.get(own) for ours, own in named.items()}}
        )
    if row.fields.get("question") is None or row.fields.get("context") is None:
        missing = "context" if row.fields.get("context") is None else "question"
        raise row.error(missing, "is missing: a row needs question, context and answers")
    answers = row.fields.get("answers")
    texts = answers.get("text") if isinstance(answers, dict) else answers
    if texts == []:
        return SkippedRow("it has no answer")
    query = row.question("question")
    context = row.text(row.fields["context"], "context", MAX_PASSAGE_CHARS)
    accepted = replace(row, fields={**row.fields, "answers": texts}).answers("answers")
    if not holds_answer(context, *accepted):
        return SkippedRow("the context holds none of the answers")
    title = (row.optional_text("title", MAX_NAME_CHARS) or "").replace("_", " ")
    level = row.identifier("h_score_cat")
    metadata = {} if level is None else {"difficulty": level}
    return row.instance(query, (Passage(context, title),), accepted, metadata=metadata)
