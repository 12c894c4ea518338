"""The form of SQuAD and the many sets that follow it: `question`, `context`, `answers` with their texts.

SQuAD (Rajpurkar et al. 2016, 2018), as the Hugging Face Hub has it. Fields that are not read are ignored. HalluLens
(Bang et al. 2025) writes the questions of PreciseWikiQA under other names: `prompt`, `reference`, `answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from perturb.curation.source_rows import MAX_NAME_CHARS, MAX_PASSAGE_CHARS, SourceRow
from perturb.records import BaseInstance, Passage


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like SQuAD."""
    return {"question", "context"} <= fields.keys() or {"prompt", "reference", "answer"} <= fields.keys()


def read_row(row: SourceRow) -> BaseInstance:
    """A single-passage instance. Raises `SourceError` for a malformed row, `NoAnswer` for one without an answer."""
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
    query = row.question("question")
    context = row.text(row.fields["context"], "context", MAX_PASSAGE_CHARS)
    accepted = replace(row, fields={**row.fields, "answers": texts}).answers("answers")
    title = (row.optional_text("title", MAX_NAME_CHARS) or "").replace("_", " ")
    level = row.identifier("h_score_cat")
    metadata = {} if level is None else {"difficulty": level}
    return row.instance(query, (Passage(context, title),), accepted, metadata=metadata)
