"""The format of GaRAGe (Sorodoc et al. 2025): a question with many passages, each labelled by annotators.

Every entry of `grounding` has a text under a key `cite_N`, which begins with its marker "[N] Title: ". The labels in
`evidence_correct` tell how useful each entry is, and those in `evidence_cited` whether the answer cites it.
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
"""The label of passages that answer the question, which become signal."""
RELATED = "RELATED-INFORMATION"
"""The label of noise passages on the same topic."""
LABELS = "evidence"
"""Key in the metadata: the label of each passage."""
CITED = "cited"
"""Key in the metadata: for each passage, whether the reference answer cites it."""
DROPPED = "dropped_passages"
"""Key in the metadata: how many passages were `empty` or `repeated`."""

# The labels that matter, the strongest first.
_STRENGTH = (ANSWERS, RELATED)
# "[3] " at the start of a passage.
_MARKER = re.compile(r"\s*\[\d+\]\s*")
# "Old Mill: " with the title as group 1.
_TITLE = re.compile(r"([^\n]{1,120}?): +(?=\S)")
# An end mark after a word of four letters or more, which is not an abbreviation such as "St.".
_SENTENCE_END = re.compile(r"\w{4,}[.!?] ")
# "[3]" or "[1, 4]" in an answer.
_CITATION = re.compile(r"\s*\[\d+(?:\s*[,;]\s*\d+)*\]")
# The beginnings of the names of fields that go into the metadata.
_METADATA_FIELDS = ("question_", "answer_validate", "topic_tag")


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A passage with the judgement of the annotators."""

    passage: Passage
    label: str
    cited: bool


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like GaRAGe."""
    return "grounding" in fields and "evidence_correct" in fields


def read_row(row: SourceRow) -> BaseInstance | SkippedRow:
    """An instance with all passages of the record, except empty and repeated ones, which are counted.

    A passage that answers the question is signal, and every other passage is noise. Raises `RowError` for a malformed
    record.
    """
    identifier = row.identifier("sample_id")
    query = row.question("question")
    entries = row.objects("grounding")
    labels = _evidence(row, "evidence_correct", len(entries))
    # Every other mark means that the answer does not cite the passage.
    cited = [mark == "YES" for mark in _evidence(row, "evidence_cited", len(entries))]
    passages = [
        _Labelled(_passage(row, position, entry, labels[position]), labels[position], cited[position])
        for position, entry in enumerate(entries)
    ]
    not_empty = [labelled for labelled in passages if labelled.passage.text]
    distinct = _without_repeats(not_empty)
    if not distinct:
        return SkippedRow("every passage is empty")
    written_answer = _text_or_none(row, "answer_generate", MAX_QUERY_CHARS) or ""
    # The marks of citations refer to numbers of passages, which change when the context is cut.
    answer = _CITATION.sub("", written_answer).strip()
    if not answer:
        return SkippedRow("answer_generate holds no answer")
    context = tuple(labelled.passage for labelled in distinct)
    # Rows without an id get a digest of their content, so that the same row always gets the same id.
    contents = [[passage.title, passage.text, passage.role] for passage in context]
    return row.instance(
        query,
        context,
        (answer,),
        id=identifier or digest(query, contents, answer),
        reference_answer=answer,
        domain=_text_or_none(row, "question_category", MAX_NAME_CHARS),
        metadata={
            **{key: value for key, value in row.fields.items() if key.startswith(_METADATA_FIELDS)},
            LABELS: [labelled.label for labelled in distinct],
            CITED: [labelled.cited for labelled in distinct],
            DROPPED: {
                "empty": len(passages) - len(not_empty),
                "repeated": len(not_empty) - len(distinct),
            },
        },
    )


def cited_text(entry: Mapping[str, Any]) -> Any:
    """The first `cite_N` value of an entry that is not null; None if all are null or missing. Its type is not checked.

    >>> cited_text({"cite_1": None, "cite_2": "[2] A: b", "date": ""})
    '[2] A: b'
    """
    values = (value for key, value in entry.items() if key.startswith("cite_") and value is not None)
    return next(values, None)


def split_marker(text: str) -> tuple[str, str]:
    """Title and text of a passage that begins with its marker. The title is empty if the passage has no title.

    `render_context` puts number and title back, so that the rendered passage reads as before.

    >>> split_marker("[3] Old Mill: It stands.")
    ('Old Mill', 'It stands.')
    >>> split_marker("[4] It stands still. It has one wheel: the old one.")
    ('', 'It stands still. It has one wheel: the old one.')
    """
    marker = _MARKER.match(text)
    body = text[marker.end() :] if marker else text
    match = _TITLE.match(body)
    title = match.group(1) if match else ""
    # A colon after a whole sentence belongs to the text and does not end a title.
    if match is None or _SENTENCE_END.search(title):
        return "", body.strip()
    return title.strip(), body[match.end() :].strip()


def _text_or_none(row: SourceRow, field: str, limit: int) -> str | None:
    """The text of a field; None if the annotators left it empty."""
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
    """The labels in a field, one for each of `length` passages, in capitals."""
    values = row.fields.get(field)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise row.error(field, "must be a list of labels, one for each passage")
    if len(values) != length:
        raise row.error(field, "is not as long as 'grounding': give each passage one label")
    return [value.strip().upper() for value in values]


def _without_repeats(passages: Sequence[_Labelled]) -> list[_Labelled]:
    """Each text once, at its first position, with the strongest label of its copies."""
    merged: dict[tuple[str, str], _Labelled] = {}
    for labelled in passages:
        # Copies may differ in blanks and line breaks.
        key = (labelled.passage.title, " ".join(labelled.passage.text.split()))
        earlier_copy = merged.get(key)
        if earlier_copy is None:
            merged[key] = labelled
            continue
        strongest = min(earlier_copy, labelled, key=_rank)
        passage = replace(earlier_copy.passage, role=strongest.passage.role)
        merged[key] = _Labelled(passage, strongest.label, earlier_copy.cited or labelled.cited)
    return list(merged.values())


def _rank(labelled: _Labelled) -> int:
    """The rank of a label: 0 for the strongest."""
    label = labelled.label
    return _STRENGTH.index(label) if label in _STRENGTH else len(_STRENGTH)


def titled_passages(context: str, texts: list[str]) -> list[tuple[str, str]] | None:
    """Titles and texts of the passages that `context` numbers, in the order of `texts`.

    In snapshots of this package, `texts` are exactly the passages of the context. In other data sets, they may be the
    passages before the change. Then the context is split at its numbers. None if the numbers do not run from 1 to the
    number of texts.

    >>> titled_passages("[1] Mill: It stands.\\n\\n[2] It fell.", ["It stands.", "It fell."])
    [('Mill', 'It stands.'), ('', 'It fell.')]
    """
    return _match_texts(context, texts) or parted_context(context, len(texts))


def _match_texts(context: str, texts: list[str]) -> list[tuple[str, str]] | None:
    """Titles and texts if `context` is exactly the numbered texts with their titles; else None."""
    titled_texts, remaining = [], context
    for number, text in enumerate(texts, start=1):
        marker = f"[{number}] "
        if not remaining.startswith(marker):
            return None
        # With the next marker, so that a text that begins inside another passage is not taken for the whole passage.
        separator = f"\n\n[{number + 1}] " if number < len(texts) else ""
        remaining = remaining.removeprefix(marker)
        # The last passage may be empty, and `partition` refuses an empty text.
        start = remaining.find(text + separator)
        title = remaining[:start]
        if start < 0 or (title and not title.endswith(": ")):
            return None
        titled_texts.append((title.removesuffix(": "), text))
        remaining = separator.lstrip() + remaining[start + len(text + separator) :]
    return None if remaining else titled_texts


def parted_context(context: str, count: int) -> list[tuple[str, str]] | None:
    """Titles and texts from the numbers in `context`; None if they do not run from 1 to `count`."""
    titled_texts, remaining = [], context.strip()
    for number in range(1, count + 1):
        if not remaining.startswith(f"[{number}]"):
            return None
        piece, mark, following = remaining.partition(f"\n[{number + 1}]")
        titled_texts.append(split_marker(piece.strip()))
        remaining = f"[{number + 1}]{following}" if mark else ""
    return None if remaining else titled_texts
