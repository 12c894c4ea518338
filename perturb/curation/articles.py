"""The form of articles that questions are to be written about: `title`, `document` or `text`, maybe a difficulty.

HalluLens publishes GoodWiki in it, with the harmonic centrality of a page, from 0 to 9, as `h_score_cat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perturb.curation.base_sets import FormatReader
from perturb.curation.source_rows import MAX_NAME_CHARS, MAX_PASSAGE_CHARS, SourceRow
from perturb.files.resources import digest
from perturb.records import BaseInstance, Passage

_LEVELS: tuple[str, ...] = ("difficulty", "h_score_cat")


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like an article."""
    return "title" in fields and ("document" in fields or "text" in fields)


def read_row(row: SourceRow) -> BaseInstance:
    """An instance without question and answers, its passage the first 50,000 characters of the article.

    Raises `RowError` for a row that cannot be used.
    """
    field = "document" if row.fields.get("document") is not None else "text"
    title = row.text(row.fields.get("title"), "title", MAX_NAME_CHARS)
    text = row.text(row.fields.get(field), field, 100 * MAX_PASSAGE_CHARS)[:MAX_PASSAGE_CHARS]
    level = next((row.identifier(name) for name in _LEVELS if row.fields.get(name) is not None), None)
    return row.instance(
        "",
        (Passage(text, title),),
        (),
        id=row.identifier() or row.identifier("pageid") or digest(title, text),
        licence=row.optional_text("licence") or row.header.licence,
        metadata={} if level is None else {"difficulty": level},
    )


READER = FormatReader(recognises, read_row)
"""Not among the forms of base sets: an article has no question yet."""
