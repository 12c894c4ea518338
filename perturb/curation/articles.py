"""Two source formats that are incomplete: articles have no questions, and the passages of KILT are in another file.

Articles have `title`, `document` or `text`, and an optional difficulty. HalluLens publishes GoodWiki in this format,
with the harmonic centrality of a page, from 0 to 9, as `h_score_cat`.

In KILT (Petroni et al. 2021), each `output` of a question has an `answer`, a `provenance` (page and range of
paragraphs), or both. The knowledge source is JSON Lines with a page on each line: `wikipedia_id`, `wikipedia_title`,
`text` (a list of paragraphs). It has many gigabytes and is read once, page by page. Only the questions and their
paragraphs stay in memory. A *span* is a page with a range of its paragraphs, from which a question can be answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from perturb.curation.base_sets import FormatReader
from perturb.curation.source_rows import (
    MAX_NAME_CHARS,
    MAX_PASSAGE_CHARS,
    MAX_QUERY_CHARS,
    Header,
    RowError,
    SkippedRow,
    SourceRow,
    parse_line,
    row_label,
)
from perturb.files.resources import digest
from perturb.files.tables import read_raw_lines
from perturb.records import BaseInstance, Passage
from perturb.text.matching import holds_answer

# The fields that may hold the difficulty. The first that is present counts.
_LEVELS: tuple[str, ...] = ("difficulty", "h_score_cat")
# A longer article comes from a broken file. Of any other article, the beginning is enough for a question.
_MAX_ARTICLE_CHARS = 100 * MAX_PASSAGE_CHARS


def recognises(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like an article."""
    return "title" in fields and ("document" in fields or "text" in fields)


def read_row(row: SourceRow) -> BaseInstance:
    """An instance without question and answers. Its passage is the first 50,000 characters of the article.

    Raises `RowError` for a row that cannot be used.
    """
    field = "document" if row.fields.get("document") is not None else "text"
    title = row.text(row.fields.get("title"), "title", MAX_NAME_CHARS)
    text = row.text(row.fields.get(field), field, _MAX_ARTICLE_CHARS)[:MAX_PASSAGE_CHARS]
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
"""The reader of articles. It is not among the formats of base sets, since an article has no question yet."""


# Parsing gigabytes of pages is slow, so these patterns find the lines that are worth parsing. Inside a JSON string, the
# quotation marks of a key would be escaped, so they match real keys only. "*+" keeps the time linear.
_PAGE_ID = re.compile(rb'"wikipedia_id"\s*:\s*(?:"([^"\\]*)"|(\d+))')
_PAGE_TITLE = re.compile(rb'"wikipedia_title"\s*:\s*("(?:[^"\\]|\\.)*+")')
# KILT's marks at the beginning of headings and of entries of lists.
_HEADING = "Section::::"
_BULLET = "BULLET::::"


class PageName(NamedTuple):
    """How a question names a page of the knowledge source."""

    kind: Literal["id", "title"]
    name: str


class Span(NamedTuple):
    """A page, and its first and last paragraph, counted from 0."""

    page: PageName
    first: int
    last: int


Passages = Mapping[Span, Passage | None]
"""The passage of each span whose page was read; None if the range runs past the end of the page."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A row of a KILT task whose spans have not been looked up yet."""

    id: str
    query: str
    answers: tuple[str, ...]
    spans: tuple[Span, ...]
    source: Header


def recognises_kilt(fields: Mapping[str, Any]) -> bool:
    """True if a row looks like a row of a KILT task."""
    return "input" in fields and "output" in fields


def read_instances(
    rows: Iterable[SourceRow], knowledge: Path
) -> Iterator[tuple[str, BaseInstance | SkippedRow | RowError]]:
    """Yield the id or the line of each row, with its single-passage instance or the reason why it has none.

    Raises `SourceError` if the knowledge source cannot be read.
    """
    # In place of a question there may be the reason why the row has none.
    questions = [(row_label(row, "id"), _question(row)) for row in rows]
    spans: list[Span] = []
    for _, question in questions:
        if isinstance(question, _Question):
            spans += question.spans
    passages = look_up(spans, knowledge)
    for label, question in questions:
        yield label, _instance(question, passages) if isinstance(question, _Question) else question


def look_up(spans: Iterable[Span], knowledge: Path) -> Passages:
    """Read the knowledge source once and keep the paragraphs of these spans."""
    spans_of_page: dict[PageName, set[Span]] = {}
    for span in spans:
        spans_of_page.setdefault(span.page, set()).add(span)
    ids = {page.name.encode() for page in spans_of_page if page.kind == "id"}
    titles = {page.name for page in spans_of_page if page.kind == "title"}
    passages: dict[Span, Passage | None] = {}
    for number, line in read_raw_lines(knowledge):
        if _may_be_wanted(line, ids, titles) and line.strip():
            fields = parse_line(knowledge, number, line)
            page_row = SourceRow(knowledge, number, fields, Header("knowledge"))
            passages.update(_read_page(page_row, spans_of_page))
    return passages


def _may_be_wanted(line: bytes, ids: set[bytes], titles: set[str]) -> bool:
    """Whether a line must be parsed. A line without an id is parsed too, so that its fault is reported."""
    # Of the two groups, one holds the id: as a text or as a number.
    page_ids = [as_text or as_number for as_text, as_number in _PAGE_ID.findall(line)]
    # The text of a page may mention other ids, so any match is enough. The parsed line decides.
    if not page_ids or any(page_id in ids for page_id in page_ids):
        return True
    return bool(titles) and any(_title(quoted) in titles for quoted in _PAGE_TITLE.findall(line))


def _title(quoted: bytes) -> str:
    """A title without JSON's quotation marks and escapes; empty if it cannot be read."""
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""


def _read_page(page: SourceRow, spans_of_page: Mapping[PageName, set[Span]]) -> Passages:
    """The passage of each span of a page. Raises `RowError` if a page with spans is malformed."""
    title_field = page.fields.get("wikipedia_title")
    title = title_field if isinstance(title_field, str) and len(title_field) <= MAX_NAME_CHARS else ""
    identifier = page.identifier("wikipedia_id")
    if identifier is None:
        raise page.error("wikipedia_id", "is missing: give each page its id")
    spans = spans_of_page.get(PageName("id", identifier), set())
    spans = spans | spans_of_page.get(PageName("title", title), set())
    if not spans:
        return {}
    paragraphs = page.fields.get("text")
    if not isinstance(paragraphs, list) or not all(isinstance(text, str) for text in paragraphs):
        raise page.error("text", "must be a list of paragraphs")
    passages: dict[Span, Passage | None] = {}
    for span in spans:
        if span.last < len(paragraphs):
            passages[span] = Passage(_joined(paragraphs[span.first : span.last + 1]), title)
        else:
            passages[span] = None
    return passages


def _joined(paragraphs: list[str]) -> str:
    """Paragraphs as one text, without headings and without KILT's marks of list entries."""
    texts = [text.removeprefix(_BULLET).strip() for text in paragraphs if not text.startswith(_HEADING)]
    return "\n".join(text for text in texts if text)


def _question(row: SourceRow) -> _Question | SkippedRow | RowError:
    """The question of a row with all of its spans, or why the row cannot be used."""
    try:
        query = row.question("input")
        answers: list[str] = []
        spans: list[Span] = []
        for position, output in enumerate(row.objects("output")):
            field = f"output[{position}]"
            if output.get("answer"):
                answers.append(row.text(output["answer"], f"{field}.answer", MAX_QUERY_CHARS))
            spans += _spans(row, f"{field}.provenance", output.get("provenance") or [])
        identifier = row.identifier()
    except RowError as error:
        return error
    if not answers:
        return SkippedRow("no output holds an answer")
    if not spans:
        return SkippedRow("no output holds a provenance")
    distinct_answers = dict.fromkeys(answers)
    return _Question(
        identifier or digest(query, list(distinct_answers)),
        query,
        tuple(distinct_answers),
        tuple(spans),
        row.header,
    )


def _spans(row: SourceRow, path: str, provenance: Any) -> Iterator[Span]:
    """Yield the spans of a provenance; `path` names it in errors."""
    if not isinstance(provenance, list):
        raise row.error(path, "must be a list of ranges")
    for position, entry in enumerate(provenance):
        entry_path = f"{path}[{position}]"
        if not isinstance(entry, dict):
            raise row.error(entry_path, "must be an object with a page and a range of paragraphs")
        identifier, title = entry.get("wikipedia_id"), entry.get("title")
        start, end = entry.get("start_paragraph_id"), entry.get("end_paragraph_id")
        if not identifier and not title:
            raise row.error(entry_path, "names no page: give 'wikipedia_id' or 'title'")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            raise row.error(
                entry_path, "needs 'start_paragraph_id' and 'end_paragraph_id', from 0 and in order"
            )
        # The id is certain, while titles change.
        page = PageName("id", str(identifier)) if identifier else PageName("title", str(title))
        yield Span(page, start, end)


def _instance(question: _Question, passages_of_span: Passages) -> BaseInstance | SkippedRow:
    """The instance with the first span that holds an answer, or else with the first usable span."""
    # The reasons go from the earliest obstacle to the latest, so that the report names what is really missing.
    present_spans = [span for span in question.spans if span in passages_of_span]
    if not present_spans:
        return SkippedRow("no page of the provenance is in the knowledge source")
    passages = [passage for span in present_spans if (passage := passages_of_span[span]) is not None]
    if not passages:
        return SkippedRow("the paragraph range runs past the end of the page")
    usable = [passage for passage in passages if 0 < len(passage.text) <= MAX_PASSAGE_CHARS]
    if not usable:
        return SkippedRow("the paragraphs of the range are empty or too long")
    passage = next(
        (passage for passage in usable if holds_answer(passage.text, *question.answers)), usable[0]
    )
    return BaseInstance(
        id=question.id,
        source=question.source.name,
        query=question.query,
        passages=(passage,),
        answers=question.answers,
        licence=question.source.licence,
        language=question.source.language,
    )
