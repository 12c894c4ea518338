"""Formats of base sets: recognises and reads rows of our own format, SQuAD, NQ and RefusalBench.

Our format has `query`, `passages` or `context`, `answers`, and a few optional fields (`FIELDS`). Any other field is an
error; further data go under `metadata`.

SQuAD (Rajpurkar et al. 2016, 2018), as on the Hugging Face Hub, has `question`, `context` and `answers` with their
texts; many sets follow it. HalluLens (Bang et al. 2025) uses other names for PreciseWikiQA: `prompt`, `reference`,
`answer`.

Open-domain NQ has `question`, `answers`, and `ctxs` with a gold flag. DPR (Karpukhin et al. 2020) and Lost in the
Middle (Liu et al. 2023) publish this format. The training files of DPR have no flag; they list the gold passages under
`positive_ctxs`.

The published RefusalBench sets (Muhamed et al. 2025) contain the originals of their rows. Many rows share a base
instance, `source_id`. In the set with several passages, `original_context` numbers them. A row without it can be used
only if its class leaves the passages unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

from perturb.curation.garage import cited_text, split_marker
from perturb.curation.source_rows import (
    MAX_NAME_CHARS,
    MAX_PASSAGE_CHARS,
    MAX_QUERY_CHARS,
    Header,
    SkippedRow,
    SourceRow,
    propose_columns,
)
from perturb.errors import suggestion
from perturb.files.tables import ending_of, quote, type_name
from perturb.records import BaseInstance, Passage, PerturbationClass
from perturb.text.matching import holds_answer
from perturb.text.wording import ENGLISH

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
"""The fields of a row in our own format. Any other field is an error."""
PASSAGE_FIELDS: tuple[str, ...] = ("text", "title", "role")
"""The fields of a passage in our own format."""


def recognises_own(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like our own format."""
    return "query" in fields or ("question" in fields and "passages" in fields)


def read_own_row(row: SourceRow) -> BaseInstance:
    """The base instance of a row. Raises `SourceError` that names the wrong field."""
    for key in row.fields:
        if key not in FIELDS:
            advice = suggestion(key, FIELDS) or _advice_about_unknown(row)
            # A wrong name is often one of several columns that need a mapping.
            mapping = propose_columns(row.fields)
            if mapping:
                advice = f"{advice} ({mapping})"
            # `quote` escapes control characters. The marks are left out, since `error` adds its own.
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


def _advice_about_unknown(row: SourceRow) -> str:
    """What to do about a field that is not similar to one of ours. Columns of a table can be left out when reading."""
    if ending_of(row.path) not in (".csv", ".parquet"):
        return "leave it out, put it under 'metadata', or correct its name"
    name = "question" if "question" in row.fields else "query"
    return f"remove the column, or add --column query={name} to read only the question, context and answers"


def write_row(instance: BaseInstance, header: Header | None = None) -> dict[str, Any]:
    """The row of an instance. Source, licence and language are left out if they equal those of the header line."""
    header = header or Header("")
    row: dict[str, Any] = {
        "id": instance.id,
        "query": instance.query,
        "passages": [
            {
                **({"title": passage.title} if passage.title else {}),
                "text": passage.text,
                "role": passage.role,
            }
            for passage in instance.passages
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
    """The text of a base set: the header line, then a line for each instance."""
    header_fields = {
        key: value for key, value in asdict(header).items() if value and (key, value) != ("language", ENGLISH)
    }
    lines = ({"base_set": header_fields}, *(write_row(instance, header) for instance in instances))
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def _passages(row: SourceRow) -> tuple[Passage, ...]:
    """The passages of a row, or its single context as a passage."""
    context, passages = row.fields.get("context"), row.fields.get("passages")
    if context is not None:
        if passages is not None:
            raise row.error("context", "stands beside 'passages': keep one of the two")
        return (Passage(row.text(context, "context", MAX_PASSAGE_CHARS)),)
    if passages is None:
        raise row.error("passages", "is missing: give a list of passages, or one 'context' string")
    if not isinstance(passages, list) or not passages:
        problem = "an empty list" if passages == [] else type_name(passages)
        raise row.error("passages", f'must be a list of passages, got {problem}: write it as ["…"]')
    passages_read = tuple(
        _passage(row, f"passages[{position}]", item) for position, item in enumerate(passages)
    )
    if all(passage.role == "noise" for passage in passages_read):
        raise row.error("passages", "are all noise: give the passage that answers the role 'signal'")
    return passages_read


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


def recognises_squad(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like SQuAD."""
    return {"question", "context"} <= fields.keys() or {"prompt", "reference", "answer"} <= fields.keys()


def read_squad_row(row: SourceRow) -> BaseInstance:
    """A single-passage instance. Raises `SourceError` for a malformed row or one without an answer."""
    row = _with_plain_squad_fields(row)
    if row.fields.get("question") is None or row.fields.get("context") is None:
        missing = "context" if row.fields.get("context") is None else "question"
        raise row.error(missing, "is missing: a row needs question, context and answers")
    query = row.question("question")
    context = row.text(row.fields["context"], "context", MAX_PASSAGE_CHARS)
    answers = row.answers("answers")
    # Titles of SQuAD are parts of Wikipedia addresses, with underscores for blanks.
    title = (row.optional_text("title", MAX_NAME_CHARS) or "").replace("_", " ")
    level = row.identifier("h_score_cat")  # HalluLens's name of the difficulty
    metadata = {} if level is None else {"difficulty": level}
    return row.instance(query, (Passage(context, title),), answers, metadata=metadata)


def _with_plain_squad_fields(row: SourceRow) -> SourceRow:
    """The row with `question`, `context` and the texts of its `answers`, without their positions."""
    fields = dict(row.fields)
    if "prompt" in fields and "question" not in fields:  # a row of HalluLens
        names = {"question": "prompt", "context": "reference", "answers": "answer"}
        fields |= {name: fields.get(hallulens_name) for name, hallulens_name in names.items()}
    answers = fields.get("answers")
    if isinstance(answers, dict):
        fields["answers"] = answers.get("text")
    return replace(row, fields=fields)


GOLD_FLAGS: tuple[str, ...] = ("isgold", "is_gold", "hasanswer")
"""Names of the gold flag. The last is the least certain, since other passages may also hold the answer."""


def recognises_nq(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like an NQ dump."""
    return "question" in fields and not fields.keys().isdisjoint(("ctxs", "positive_ctxs"))


def read_nq_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """An instance with the first gold passage that holds an answer, or else with the first gold passage.

    Raises `SourceError` for a malformed row.
    """
    query = row.question("question")
    answers_field = "answer" if "answer" in row.fields and "answers" not in row.fields else "answers"
    answers = row.answers(answers_field)
    gold = _gold_passages(row)
    if not gold:
        return SkippedRow("no passage is marked gold")
    passage = next((p for p in gold if holds_answer(p.text, *answers)), gold[0])
    return row.instance(query, (passage,), answers)


def _gold_passages(row: SourceRow) -> list[Passage]:
    """The passages that a row marks as gold; empty if it marks none of them."""
    if row.fields.get("ctxs") is not None:
        items = row.objects("ctxs")
        # One flag for the whole row, since passages without it are not gold.
        flag = next((name for name in GOLD_FLAGS if any(name in item for item in items)), None)
        if flag is None:
            raise row.error("ctxs", f"marks no passage as gold or not: add one of {', '.join(GOLD_FLAGS)}")
        return [
            row.passage(f"ctxs[{i}]", item)
            for i, item in enumerate(items)
            if _flag(row, f"ctxs[{i}].{flag}", item.get(flag))
        ]
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


# The place before a marker [N] at the start of a line, with N as group 1. The marker itself is not matched.
_MARKER_PLACE = re.compile(r"(?:\A|\n)\s*(?=\[(\d+)\] ?)")


def recognises_refusalbench(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like one of a RefusalBench set, including those of perturb."""
    return "original_query" in fields and "perturbation_class" in fields


def read_refusalbench_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """The base instance that a row was made from. Raises `SourceError` for a malformed row."""
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
        _passages_with_roles(row, texts),
        row.answers("original_answers"),
        id=identifier,
        reference_answer=row.optional_text("reference_answer", MAX_PASSAGE_CHARS),
        domain=row.optional_text("domain"),
        licence=row.optional_text("licence") or row.header.licence,
    )


def _original_texts(row: SourceRow) -> list[str] | None:
    """The texts of the original passages; None if the row does not have them separately."""
    context, grounding = row.fields.get("original_context"), row.fields.get("grounding")
    if isinstance(context, list) and context:
        return _texts_of_list(row, "original_context")
    # A row of the set with single passages has no `grounding`, and its context is the passage.
    if not grounding:
        return [row.text(context, "original_context", MAX_PASSAGE_CHARS)]
    if isinstance(context, str) and context.strip():
        # A marker may also be part of a text, so the number of pieces is compared with the number of passages.
        pieces = _split_at_markers(context)
        return pieces if len(pieces) == len(grounding) else None
    # This class changes the question alone, so the passages of the row are the original ones.
    if row.fields.get("perturbation_class") == PerturbationClass.FALSE_PREMISE:
        return _texts_of_list(row, "grounding")
    return None


def _split_at_markers(context: str) -> list[str]:
    """Split a context at its markers [1], [2], …. A marker out of order is part of the text."""
    starts: list[int] = []
    for place in _MARKER_PLACE.finditer(context):
        if int(place[1]) == len(starts) + 1:
            # The marker stays in the text for `split_marker`.
            starts.append(place.end())
    return [context[start:end].strip() for start, end in pairwise([*starts, len(context)])]


def _texts_of_list(row: SourceRow, field: str) -> list[str]:
    """The texts of a list of passages, each given as a text or as an object."""
    entries = row.fields[field]
    if not isinstance(entries, list):
        raise row.error(field, "must be a list of passages")
    texts = []
    for number, entry in enumerate(entries):
        text = entry
        if isinstance(entry, dict):
            text = cited_text(entry) or entry.get("text")
        texts.append(row.text(text, f"{field}[{number}]", MAX_PASSAGE_CHARS))
    return texts


def _passages_with_roles(row: SourceRow, texts: list[str]) -> tuple[Passage, ...]:
    """The passages with these texts; `signal_indices` of the row lists those that are signal."""
    if len(texts) == 1:
        return (Passage(texts[0]),)
    signal = row.fields.get("signal_indices")
    if not isinstance(signal, list) or not all(isinstance(i, int) and 0 <= i < len(texts) for i in signal):
        raise row.error("signal_indices", "must list positions in the context, from 0")
    if not signal:
        raise row.error("signal_indices", "names no passage: one has to answer the question")
    passages = []
    for index, (title, text) in enumerate(map(split_marker, texts)):
        checked_text = row.text(text, f"passage {index + 1}", MAX_PASSAGE_CHARS)
        passages.append(Passage(checked_text, title, "signal" if index in signal else "noise"))
    return tuple(passages)
