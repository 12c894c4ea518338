"""Our own form: `query`, `passages` or `context`, `answers`, and a few optional fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from perturb.curation.source_rows import MAX_PASSAGE_CHARS, Header, SourceRow, propose_columns
from perturb.files.tables import quote, type_name
from perturb.records import BaseInstance, Passage
from perturb.text.wording import ENGLISH, suggestion

FIELDS: tuple[str, ...] = (
    "id",
    "query",
    "question",
    "passages",
    "context",
    "answers",
    "reference_answer",
    "domain",
    "licence",
    "metadata",
    "source",
    "language",
)
PASSAGE_FIELDS: tuple[str, ...] = ("text", "title", "role")


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like our form."""
    return "query" in fields or ("question" in fields and "passages" in fields)


def read_row(row: SourceRow) -> BaseInstance:
    """The base instance of one row. Raises `SourceError` naming the field that is wrong."""
    for key in row.fields:
        if key not in FIELDS:
            advice = suggestion(key, FIELDS) or "put it under 'metadata', or correct its name"
            mapping = propose_columns(row.fields)
            if mapping:
                advice = f"{advice} ({mapping})"
            raise row.error(quote(key)[1:-1], f"is unknown: {advice}")
    name = "question" if row.fields.get("query") is None and "question" in row.fields else "query"
    if name == "query" and "question" in row.fields:
        raise row.error("question", "stands beside 'query': keep one of the two")
    query = row.question(name)
    return row.instance(
        query,
        _passages(row),
        row.answers("answers"),
        source=row.optional_text("source") or row.header.name,
        reference_answer=row.optional_text("reference_answer", MAX_PASSAGE_CHARS),
        domain=row.optional_text("domain"),
        licence=row.optional_text("licence") or row.header.licence,
        metadata=_metadata(row),
    )


def write_row(instance: BaseInstance, header: Header | None = None) -> dict[str, Any]:
    """The row of an instance; source, licence and language are left out where the header line says them for all."""
    header = header or Header("")
    row: dict[str, Any] = {
        "id": instance.id,
        "query": instance.query,
        "passages": [
            {**({"title": one.title} if one.title else {}), "text": one.text, "role": one.role}
            for one in instance.passages
        ],
        "answers": list(instance.answers),
        "reference_answer": instance.reference_answer,
        "domain": instance.domain,
        "licence": None if instance.licence == header.licence else instance.licence,
        "source": None if instance.source == header.name else instance.source,
        "metadata": dict(instance.metadata) or None,
        "language": None if instance.language == header.language else instance.language,
    }
    return {key: value for key, value in row.items() if value is not None}


def render(header: Header, instances: Iterable[BaseInstance]) -> str:
    """A whole base set as text: the header line, then a line for each instance."""
    known = {
        key: value for key, value in asdict(header).items() if value and (key, value) != ("language", ENGLISH)
    }
    rows = (write_row(one, header) for one in instances)
    lines = ({"base_set": known}, *rows)
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def _passages(row: SourceRow) -> tuple[Passage, ...]:
    context, passages = row.fields.get("context"), row.fields.get("passages")
    if context is not None and passages is not None:
        raise row.error("context", "stands beside 'passages': keep one of the two")
    if context is not None:
        return (Passage(row.text(context, "context", MAX_PASSAGE_CHARS)),)
    if passages is None:
        raise row.error("passages", "is missing: give a list of passages, or one 'context' string")
    if not isinstance(passages, list) or not passages:
        got = "an empty list" if passages == [] else type_name(passages)
        raise row.error("passages", f'must be a list of passages, got {got}: write it as ["…"]')
    read = tuple(_passage(row, f"passages[{position}]", item) for position, item in enumerate(passages))
    if all(passage.role == "noise" for passage in read):
        raise row.error("passages", "are all noise: give the passage that answers the role 'signal'")
    return read


def _passage(row: SourceRow, field: str, item: Any) -> Passage:
    if isinstance(item, str):
        return Passage(row.text(item, field, MAX_PASSAGE_CHARS))
    if not isinstance(item, dict):
        raise row.error(field, f"must be a string or an object with 'text', got {type_name(item)}")
    for key in item:
        if key not in PASSAGE_FIELDS:
            problem = f"has the unknown key {quote(key)}: a passage takes {', '.join(PASSAGE_FIELDS)}"
            raise row.error(field, problem)
    role = item.get("role", "signal")
    if role not in ("signal", "noise"):
        raise row.error(f"{field}.role", "must be 'signal' or 'noise'")
    return row.passage(field, item, role)


def _metadata(row: SourceRow) -> Mapping[str, Any]:
    value = row.fields.get("metadata")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise row.error("metadata", f'must be an object, got {type_name(value)}: write it as {{"name": …}}')
    return value
