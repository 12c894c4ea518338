"""The form of open-domain NQ dumps: `question`, `answers`, `ctxs` with a gold flag.

DPR (Karpukhin et al. 2020) and Lost in the Middle (Liu et al. 2023) publish it; DPR's training files list
the gold passages under `positive_ctxs` instead, without a flag. Fields that we do not read are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perturb.curation.source_rows import SkippedRow, SourceRow
from perturb.files.tables import type_name
from perturb.records import BaseInstance, Passage
from perturb.text.matching import holds_answer

GOLD_FLAGS: tuple[str, ...] = ("isgold", "is_gold", "hasanswer")
"""Names of the flag, the surest first: a passage may hold the answer without being the annotated one."""


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like an NQ dump."""
    return "question" in fields and not fields.keys().isdisjoint(("ctxs", "positive_ctxs"))


def read_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """A single-passage instance: the first gold passage that holds an answer, else the first gold one.

    Raises `SourceError` for a malformed row.
    """
    query = row.question("question")
    answers = row.answers("answer" if "answer" in row.fields and "answers" not in row.fields else "answers")
    gold = _gold_passages(row)
    if not gold:
        return SkippedRow("no passage is marked gold")
    passage = next((p for p in gold if holds_answer(p.text, *answers)), gold[0])
    return row.instance(query, (passage,), answers)


def _gold_passages(row: SourceRow) -> list[Passage]:
    if row.fields.get("ctxs") is not None:
        items = row.objects("ctxs")
        flag = next((name for name in GOLD_FLAGS if any(name in item for item in items)), None)
        if flag is None:
            raise row.error("ctxs", f"marks no passage as gold or not: add one of {', '.join(GOLD_FLAGS)}")
        numbered = [
            (i, item) for i, item in enumerate(items) if _flag(row, f"ctxs[{i}].{flag}", item.get(flag))
        ]
        return [row.passage(f"ctxs[{i}]", item) for i, item in numbered]
    if row.fields.get("positive_ctxs") is not None:
        if row.fields["positive_ctxs"] == []:
            return []
        items = row.objects("positive_ctxs")
        return [row.passage(f"positive_ctxs[{i}]", item) for i, item in enumerate(items)]
    raise row.error("ctxs", 'is missing: give a list of passages, one of them with "isgold": true')


def _flag(row: SourceRow, field: str, value: Any) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        raise row.error(field, f"must be true or false, got {type_name(value)}")
    return value
