"""The format of GaRAGe (Sorodoc et al. 2025): a question with many passages, each labelled by annotators.

Every entry of `grounding` has one text, under a key `cite_N`, which begins with its marker "[N] Title: ".
`evidence_correct` and `evidence_cited` say how useful each entry is and whether the answer cites it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perturb.curation.source_rows import (
    MAX_NAME_CHARS,
    MAX_PASSAGE_CHARS,
    MAX_QUERY_CHARS,
    SkippedRow,
    SourceRow,
)
from perturb.files.resources import digest
from perturb.records import BaseInstance, Passage

ANSWERS = "ANSWER-THE-QUESTION"
"""The label of a signal passage."""
RELATED = "RELATED-INFORMATION"
"""The label of noise on the same topic."""
LABELS = "evidence"
"""Metadata: the label of each passage."""
CITED = "cited"
"""Metadata: whether the reference answer cites it, for each passage."""
DROPPED = "dropped_passages"
"""Metadata: how many passages were `empty` or `repeated`."""

_STRENGTH = (ANSWERS, RELATED)
_MARKER = re.compile(r"\s*\[\d+\]\s*")
_TITLE = re.compile(r"([^\n]{1,120}?): +(?=\S)")
_SENTENCE_END = re.compile(r"\w{4,}[.!?] ")
_CITATION = re.compile(r"\s*\[\d+(?:\s*[,;]\s*\d+)*\]")
_KEPT = ("question_", "answer_validate", "question_tag", "topic_tag")


@dataclass(frozen=True, slots=True)
class _Labelled:
    passage: Passage
    label: str
    cited: bool


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like GaRAGe."""
    return "grounding" in fields and "evidence_correct" in fields


def read_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """An instance with all passages of the record; empty and repeated ones are dropped and counted.

    A passage that answers the question is signal, every other one noise. Raises `RowError` for a malformed record.
    """
    identifier = row.identifier("sample_id")
    query = row.question("question")
    entries = row.objects("grounding")
    labels = _evidence(row, "evidence_correct", len(entries))
    cited = [mark == "YES" for mark in _evidence(row, "evidence_cited", len(entries))]
    read = [
        _Labelled(_passage(row, position, entry, labels[position]), labels[position], cited[position])
        for position, entry in enumerate(entries)
    ]
    told = [each for each in read if each.passage.text]
    kept = _without_repeats(told)
    if not kept:
        return SkippedRow("every passage is empty")
    answer = _CITATION.sub("", _told(row, "answer_generate", MAX_QUERY_CHARS) or "").strip()
    if not answer:
        return SkippedRow("answer_generate holds no answer")
    passages = tuple(each.passage for each in kept)
    return row.instance(
        query,
        passages,
        (answer,),
        id=identifier or digest(query, [[p.title, p.text, p.role] for p in passages], answer),
        reference_answer=answer,
        domain=_told(row, "question_category", MAX_NAME_CHARS),
        metadata={
            **{key: value for key, value in row.fields.items() if key.startswith(_KEPT)},
            LABELS: [each.label for each in kept],
            CITED: [each.cited for each in kept],
            DROPPED: {"empty": len(read) - len(told), "repeated": len(told) - len(kept)},
        },
    )


def cited_text(entry: Mapping[str, Any]) -> Any:
    """What stands under the one `cite_N` key of an entry that holds something; None if there is no such key.

    >>> cited_text({"cite_1": None, "cite_2": "[2] A: b", "date": ""})
    '[2] A: b'
    """
    held = (value for key, value in entry.items() if key.startswith("cite_") and value is not None)
    return next(held, None)


def split_marker(text: str) -> tuple[str, str]:
    """Title and text of a passage that begins with its marker; the title is empty if the passage has no title.

    The passage is numbered anew when it is rendered, so the two together read as before.

    >>> split_marker("[3] Old Mill: It stands.")
    ('Old Mill', 'It stands.')
    >>> split_marker("[4] It stands still. It has one wheel: the old one.")
    ('', 'It stands still. It has one wheel: the old one.')
    """
    marker = _MARKER.match(text)
    body = text[marker.end() :] if marker else text
    title = _TITLE.match(body)
    if title is None or _SENTENCE_END.search(title[1]):
        return "", body.strip()
    return title[1].strip(), body[title.end() :].strip()


def _told(row: SourceRow, field: str, limit: int) -> str | None:
    """The text of a field that the annotators may have left empty."""
    return None if row.fields.get(field) == "" else row.optional_text(field, limit)


def _passage(row: SourceRow, position: int, entry: Mapping[str, Any], label: str) -> Passage:
    field = f"grounding[{position}]"
    text = cited_text(entry)
    if text is None:
        raise row.error(field, "has no 'cite_' key: name its text cite_1, cite_2, …")
    if text == "":
        return Passage("")
    title, body = split_marker(row.text(text, field, MAX_PASSAGE_CHARS))
    return Passage(body, title=title, role="signal" if label == ANSWERS else "noise")


def _evidence(row: SourceRow, field: str, length: int) -> list[str]:
    values = row.fields.get(field)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise row.error(field, "must be a list of labels, one for each passage")
    if len(values) != length:
        raise row.error(field, "is not as long as 'grounding': give each passage one label")
    return [value.strip().upper() for value in values]


def _without_repeats(read: Sequence[_Labelled]) -> list[_Labelled]:
    """Each text once, where it first stands, with the strongest label that any copy of it has."""
    first: dict[tuple[str, str], _Labelled] = {}
    for each in read:
        key = (each.passage.title, " ".join(each.passage.text.split()))
        known = first.get(key)
        if known is None:
            first[key] = each
            continue
        best = min(known, each, key=_rank)
        passage = replace(known.passage, role=best.passage.role)
        first[key] = _Labelled(passage, best.label, known.cited or each.cited)
    return list(first.values())


def _rank(one: _Labelled) -> int:
    return _STRENGTH.index(one.label) if one.label in _STRENGTH else len(_STRENGTH)
