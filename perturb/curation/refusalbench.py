"""The published RefusalBench sets (Muhamed et al. 2025) as base sets: the originals behind their rows.

Many rows are made from one base instance, known by `source_id`. Where the set has several passages,
`original_context` numbers them; a row without it serves only if its class leaves the passages as they were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from perturb.curation.garage import cited_text, split_marker
from perturb.curation.source_rows import MAX_PASSAGE_CHARS, MAX_QUERY_CHARS, SkippedRow, SourceRow
from perturb.records import BaseInstance, Passage, PerturbationClass

_NUMBER = re.compile(r"(?:\A|\n)\s*(?=\[(\d+)\] ?)")


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like a row of a RefusalBench set, ours included."""
    return "original_query" in fields and "perturbation_class" in fields


def read_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """The base instance that a row was made from. Raises `RowError` for a malformed row."""
    if row.fields.get("original_query") is None:
        raise row.error("original_query", "is missing: the row does not say what it was made from")
    identifier = row.identifier("source_id")
    if identifier is None:
        raise row.error("source_id", "is missing: the row does not say what it was made from")
    texts = _original_texts(row)
    if texts is None:
        return SkippedRow("the original passages cannot be determined from the row")
    return row.instance(
        row.text(row.fields["original_query"], "original_query", MAX_QUERY_CHARS),
        _passages(row, texts),
        row.answers("original_answers"),
        id=identifier,
        reference_answer=row.optional_text("reference_answer", MAX_PASSAGE_CHARS),
        domain=row.optional_text("domain"),
        licence=row.optional_text("licence") or row.header.licence,
    )


def _original_texts(row: SourceRow) -> list[str] | None:
    """The original passages as they were shown, or None if the row does not tell them."""
    context, grounding = row.fields.get("original_context"), row.fields.get("grounding")
    if isinstance(context, list) and context:
        return _listed(row, "original_context")
    if not grounding:
        return [row.text(context, "original_context", MAX_PASSAGE_CHARS)]
    if isinstance(context, str) and context.strip():
        pieces = _numbered(context)
        return pieces if len(pieces) == len(grounding) else None
    if row.fields.get("perturbation_class") == PerturbationClass.FALSE_PREMISE:
        return _listed(row, "grounding")
    return None


def _numbered(context: str) -> list[str]:
    """Split a context at its markers [1], [2], … as long as they count on."""
    starts: list[int] = []
    for mark in _NUMBER.finditer(context):
        if int(mark[1]) == len(starts) + 1:
            starts.append(mark.end())
    return [context[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=False)]


def _listed(row: SourceRow, field: str) -> list[str]:
    listed = row.fields[field]
    if not isinstance(listed, list):
        raise row.error(field, "must be a list of passages")
    texts = [cited_text(item) or item.get("text") if isinstance(item, dict) else item for item in listed]
    return [row.text(text, f"{field}[{i}]", MAX_PASSAGE_CHARS) for i, text in enumerate(texts)]


def _passages(row: SourceRow, texts: list[str]) -> tuple[Passage, ...]:
    if len(texts) == 1:
        return (Passage(texts[0]),)
    signal = row.fields.get("signal_indices")
    if not isinstance(signal, list) or not all(isinstance(i, int) and 0 <= i < len(texts) for i in signal):
        raise row.error("signal_indices", "must list positions in the context, from 0")
    if not signal:
        raise row.error("signal_indices", "names no passage: one has to answer the question")
    parted = [split_marker(text) for text in texts]
    return tuple(
        Passage(
            row.text(text, f"passage {i + 1}", MAX_PASSAGE_CHARS), title, "signal" if i in signal else "noise"
        )
        for i, (title, text) in enumerate(parted)
    )
