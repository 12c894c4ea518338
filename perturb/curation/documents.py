"""Reads a folder of documents into passages, so that questions can be written about them.

It reads text, Markdown and HTML files, and with the extra `pdf` also PDF files. A document is divided at its headings
and a section at its paragraphs. The date of a document comes from front matter, `<meta>` or `<time>`, never from the
file.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from perturb.curation.source_rows import MAX_NAME_CHARS, MAX_PASSAGE_CHARS, SkippedRow
from perturb.errors import SourceError
from perturb.files.resources import digest, read_text, reading_errors
from perturb.files.yaml_files import YamlFile
from perturb.records import BaseInstance, Passage
from perturb.text.matching import words
from perturb.text.passages import split_sentences
from perturb.text.wording import read_language

MIN_WORDS, MAX_WORDS = 30, 300
"""The least and the most words of a passage. A shorter passage is left out, and a longer paragraph is cut."""
# How many characters are split into sentences at a time. `split_sentences` takes quadratic time in a text whose bracket
# is never closed, since no sentence ends within brackets.
_STRETCH = 20_000
# A larger PDF is refused, since its pages are read into memory.
_MAX_PDF_BYTES = 256 * 2**20

# Names of the publication date in front matter and `<meta>`, in lower case.
_DATES = frozenset(
    [
        "date",
        "published",
        "published_at",
        "published_time",
        "publish_date",
        "publishdate",
        "pubdate",
        "date_published",
        "datepublished",
        "dc.date",
        "dc.date.issued",
        "dcterms.date",
        "dcterms.issued",
        "dcterms.created",
        "article:published_time",
        "og:published_time",
    ]
)
# Names of the licence, in lower case.
_LICENCES = frozenset(["licence", "license", "dcterms.license", "dcterms.rights", "dc.rights", "rights"])


class Section(NamedTuple):
    """A heading with the paragraphs under it."""

    heading: str
    paragraphs: list[str]


@dataclass(slots=True)
class Document:
    """The content of a file."""

    title: str = ""
    date: date | None = None
    licence: str | None = None
    language: str | None = None
    sections: list[Section] = field(default_factory=lambda: [Section("", [])])
    """The sections in order. The first section has no heading."""

    def add_heading(self, text: str) -> None:
        """Begin a section. The first heading becomes the title if the document has none."""
        if heading := _one_line(text):
            self.title = self.title or heading
            self.sections.append(Section(heading, []))

    def add_paragraph(self, text: str) -> None:
        """Add a paragraph to the last section."""
        if paragraph := _one_line(text):
            self.sections[-1].paragraphs.append(paragraph)

    def note(self, name: str, value: Any) -> None:
        """Store a fact from front matter or `<meta>`, if it is useful and was not given before."""
        name = name.strip().lower()
        text = _one_line(value)[:MAX_NAME_CHARS] if isinstance(value, str) else ""
        if name in _DATES:
            self.date = self.date or read_date(value)
        elif name in _LICENCES:
            self.licence = self.licence or text or None
        elif name in ("lang", "language"):
            self.language = self.language or _language(text)
        elif name == "title":
            self.title = text or self.title

    def passages(self) -> Iterator[Passage]:
        """The passages, each with the title of the document and the heading of its section."""
        for heading, paragraphs in self.sections:
            title = self.title if heading in ("", self.title) else f"{self.title}: {heading}"
            for text in _join(paragraphs):
                yield Passage(text, title[:MAX_NAME_CHARS])


def _join(paragraphs: list[str]) -> Iterator[str]:
    """Join paragraphs into passages of at most `MAX_WORDS` words. A longer paragraph is cut between its sentences."""
    passage, n_words = "", 0
    for paragraph in paragraphs:
        pieces = [paragraph]
        if len(words(paragraph)) > MAX_WORDS:
            stretches = wrap(paragraph, _STRETCH, break_long_words=False, break_on_hyphens=False)
            pieces = [sentence.text for stretch in stretches for sentence in split_sentences(stretch)]
        for number, piece in enumerate(pieces):
            length = len(words(piece))
            if passage and n_words + length > MAX_WORDS:
                yield passage
                passage, n_words = "", 0
            # Sentences of a cut paragraph are joined by a blank, paragraphs by an empty line.
            gap = " " if number else "\n\n"
            passage = f"{passage}{gap}{piece}" if passage else piece
            n_words += length
    if passage:
        yield passage


def read_date(value: Any) -> date | None:
    """The day of a date in a document; None if the text is not a date, or is ambiguous.

    >>> read_date("2026-03-01T08:00:00Z"), read_date("Sun, 01 Mar 2026 08:00:00 GMT"), read_date("03/01/2026")
    (datetime.date(2026, 3, 1), datetime.date(2026, 3, 1), None)
    """
    text = _one_line(str(value))[:100]
    readers: list[Callable[[str], datetime]] = [
        datetime.fromisoformat,
        parsedate_to_datetime,
        _read_long_date,
    ]
    for read_form in readers:
        try:
            return read_form(text).date()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue  # the text is in another form, or not a date
    return None


def _read_long_date(text: str) -> datetime:
    """The day in a text such as `1 March 2026` or `Mar 1, 2026`. Raises `ValueError` for any other text."""
    # Dates such as 03/01/2026 are left out, since countries read them differently.
    for form in ("%d %B %Y", "%B %d, %Y", "%d %b %Y"):
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return datetime.strptime(text, "%b %d, %Y")


def _language(text: str) -> str | None:
    """The code of a language; None if a page states something else, which happens often."""
    try:
        return read_language(text)
    except ValueError:
        return None


def _one_line(text: str) -> str:
    """The text with single blanks and without control characters and lone surrogates."""
    return " ".join(re.sub(r"[\x00-\x08\x0e-\x1f\ud800-\udfff]", "", text).split())


def read_plain(text: str) -> Document:
    """Read plain text. Blank lines separate paragraphs."""
    document = Document()
    for paragraph in re.split(r"\n\s*\n", text):
        document.add_paragraph(paragraph)
    return document


# Front matter: YAML (group 1) between two lines of "---" at the start of the file.
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
# "## Heading ##", and a line of "===" or "---" below a heading.
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|$)")
_CLOSING_MARKS = re.compile(r"[ \t]#+$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_CODE_BLOCK = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*\n?|\Z)", re.DOTALL | re.MULTILINE)
# Markup and what replaces it, in this order. An image looks like a link after "!", so images go first.
_MARKUP = (
    (_COMMENT, ""),
    (_IMAGE, ""),
    (_LINK, r"\1"),
    (_BOLD, r"\1"),
    (_INLINE_CODE, r"\1"),
    (_CODE_BLOCK, ""),
)


def read_markdown(text: str) -> Document:
    """Read Markdown. Front matter may give title, date, licence and language. Blocks of code are left out.

    Raises `SourceError` if the front matter is not YAML.
    """
    document = Document()
    if front := _FRONT_MATTER.match(text):
        content = YamlFile(Path("document.md"), SourceError, front[1]).content
        for name, value in content.items() if isinstance(content, dict) else ():
            document.note(str(name), value)
        text = text[front.end() :]
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    paragraph: list[str] = []
    # A blank line, a heading or an underline ends a paragraph. The empty line at the end ends the last one.
    for line in [*text.splitlines(), ""]:
        heading_mark = _HEADING.match(line)
        is_underline = len(paragraph) == 1 and _UNDERLINE.fullmatch(line)
        is_blank = not line.strip()
        if not (is_blank or heading_mark or is_underline):
            paragraph.append(line)
            continue
        # An underline turns the one line above it into a heading.
        if is_underline:
            document.add_heading(paragraph[0])
        else:
            document.add_paragraph(" ".join(paragraph))
        paragraph = []
        if heading_mark:
            document.add_heading(_CLOSING_MARKS.sub("", line[heading_mark.end() :].rstrip()))
    return document


# Elements of HTML. Blocks begin a heading or a paragraph.
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_BLOCKS = _HEADINGS.union(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
_LEFT_OUT = frozenset(
    ["aside", "button", "footer", "iframe", "nav", "noscript", "script", "select", "style", "svg", "template"]
)
# Elements that stand for a blank in the text, and elements with the main text of a page.
_BLANKS = frozenset(("br", "td", "th"))
_CONTENT = frozenset(("article", "main"))
# Element whose text is a fact about the page → the name of the fact.
_FACTS = {"title": "title", "time": "date"}


class _Page(HTMLParser):
    """Collects the headings and paragraphs of a page, or of its `<article>` and `<main>` if it has such elements."""

    def __init__(self) -> None:
        super().__init__()
        self.whole, self.content = Document(), Document()
        """The whole page, and the part of it inside `<article>` and `<main>`."""
        self._text: list[str] = []
        """The pieces of the current heading or paragraph."""
        self._facts: dict[str, list[str]] = {}
        """Open element with a fact → the pieces of its text."""
        self._is_heading = False
        """Whether the current text is a heading."""
        self._left_out: list[str] = []
        """The open elements that are left out, from the outside in."""
        self._open_contents = 0
        """How many `<article>` and `<main>` elements are open."""

    def document(self) -> Document:
        """The collected document."""
        self._end_block()
        has_content = any(section.paragraphs for section in self.content.sections)
        content = self.content if has_content else self.whole
        return replace(self.whole, title=self.whole.title or content.title, sections=content.sections)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in _LEFT_OUT:
            self._left_out.append(tag)
        elif tag in _FACTS:
            self._facts[tag] = []
        elif tag in _BLOCKS:
            self._end_block()
            self._is_heading = tag in _HEADINGS
            if tag in _CONTENT:
                self._open_contents += 1
        elif tag in _BLANKS:
            self._text.append(" ")
        self._note_attributes(tag, attributes)

    def _note_attributes(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note a fact that stands in the attributes of a start tag, and not in its text."""
        if tag == "meta":
            for key in ("property", "name", "itemprop"):
                # The title comes from `<title>` or the first heading.
                if attributes.get(key, "").lower() != "title":
                    self.whole.note(attributes.get(key, ""), attributes.get("content", ""))
        elif tag in ("a", "link") and "license" in attributes.get("rel", "").lower().split():
            self.whole.note("licence", attributes.get("href", ""))
        elif tag == "time":  # its text is a date too, which `handle_endtag` notes
            self.whole.note("date", attributes.get("datetime", ""))
        elif tag == "html":
            self.whole.note("lang", attributes.get("lang", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in self._left_out:
            # An element that was not closed inside of this one ends with it.
            while self._left_out.pop() != tag:
                pass
        elif tag in self._facts:
            self.whole.note(_FACTS[tag], "".join(self._facts.pop(tag)))
        elif tag in _BLOCKS:
            self._end_block()
            self._is_heading = False
            # A page may close an element that it has not opened.
            if tag in _CONTENT and self._open_contents:
                self._open_contents -= 1

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            for text in self._facts.values():
                text.append(data)
            # The text of `<title>` is not part of the page's content.
            if "title" not in self._facts:
                self._text.append(data)

    def _end_block(self) -> None:
        """Add the collected text as a heading or paragraph."""
        text = "".join(self._text)
        self._text = []
        documents = [self.whole, self.content] if self._open_contents else [self.whole]
        for document in documents:
            if self._is_heading:
                document.add_heading(text)
            else:
                document.add_paragraph(text)


def read_html(text: str) -> Document:
    """Read an HTML page without menus, forms and scripts. Raises `SourceError` if it cannot be parsed."""
    page = _Page()
    try:
        page.feed(text)
        page.close()
    except AssertionError as error:  # the parser raises it for a broken declaration
        raise SourceError(f"page: not HTML that can be read: {error}") from None
    return page.document()


def read_pdf(path: Path) -> Document:
    """Read the text layer of a PDF file. Raises `SourceError` if it cannot be read."""
    from pypdf import PdfReader

    # It warns about many harmless faults of PDF files.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    with reading_errors(path, SourceError):
        if path.stat().st_size > _MAX_PDF_BYTES:
            raise SourceError(f"{path}: has more than {_MAX_PDF_BYTES:,} bytes: split the file")
        content = BytesIO(path.read_bytes())
    try:
        reader = PdfReader(content)
        document = read_plain("\n\n".join(page.extract_text() for page in reader.pages))
        document.note("title", reader.metadata.title if reader.metadata else None)
    except Exception as error:  # noqa: BLE001 - a broken file makes pypdf raise errors of many kinds
        reason = _one_line(str(error)) or type(error).__name__
        raise SourceError(f"{path}: not a PDF that can be read: {reason}: save it again") from None
    return document


# Suffix of a file → its reader.
_READERS = {
    **dict.fromkeys((".txt", ".text"), read_plain),
    **dict.fromkeys((".md", ".markdown"), read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
}


def read_document(path: Path, since: date | None = None) -> Document | SkippedRow:
    """Read a document, or return the reason why it is left out. A document without a title gets the name of its file.

    With `since`, a document is left out unless its date is that day or later.
    """
    ending = path.suffix.lower()
    if ending == ".pdf" and find_spec("pypdf") is None:
        return SkippedRow("a PDF: install refusalbench-builder[pdf]")
    try:
        if ending == ".pdf":
            document = read_pdf(path)
        elif ending in _READERS:
            document = _READERS[ending](read_text(path, SourceError))
        else:
            return SkippedRow("not a text, Markdown, HTML or PDF file")
    except SourceError as error:
        # The report needs only the problem of a message, as in "a.txt: not UTF-8 text at byte 3: save it as UTF-8".
        _, problem, *_ = re.split(r": | at byte", str(error).removeprefix(str(path)))
        return SkippedRow(problem)
    if since is not None:
        if document.date is None:
            return SkippedRow("it states no date")
        if document.date < since:
            return SkippedRow(f"it is dated before {since.isoformat()}")
    document.title = document.title or path.stem
    return document


def read_folder(
    folder: Path, since: date | None, language: str, facts: dict[str, Any]
) -> Iterator[tuple[str, BaseInstance | SkippedRow]]:
    """Yield the passages of all documents under a folder, except hidden files, in the order of their paths.

    With `since`, documents of that day and later are kept. `facts` gets an entry for each document that is used, with
    its file, digest, date and licence. The entries are added while the passages are taken, so `facts` is complete only
    after the last passage. Raises `SourceError` if the folder holds no file.
    """
    facts["documents"] = []
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [name for name in names if not re.search(r"(?:^|/)\.", name)]
    if not names:
        raise SourceError(f"{folder}: holds no file: put documents there or name another folder")
    for name in names:
        path = folder / name
        document = read_document(path, since)
        if isinstance(document, SkippedRow):
            yield name, document
            continue
        passages = list(document.passages())
        if not passages:
            yield name, SkippedRow("it holds no text")
            continue
        day = document.date.isoformat() if document.date else None
        origin = {"file": name, "date": day, "licence": document.licence}
        facts["documents"].append(
            {**origin, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "passages": len(passages)}
        )
        for number, passage in enumerate(passages, start=1):
            yield f"{name}, passage {number}", _instance(passage, document, language, folder.name, origin)


def _instance(
    passage: Passage, document: Document, language: str, source: str, origin: Mapping[str, Any]
) -> BaseInstance | SkippedRow:
    """A passage as an instance that has no question yet."""
    if len(words(passage.text)) < MIN_WORDS:
        return SkippedRow(f"the passage has fewer than {MIN_WORDS} words")
    if len(passage.text) > MAX_PASSAGE_CHARS:
        return SkippedRow(
            f"the passage has more than {MAX_PASSAGE_CHARS:,} characters without an end of a sentence"
        )
    return BaseInstance(
        id=digest(passage.title, passage.text),
        source=source,
        query="",
        passages=(passage,),
        answers=(),
        licence=document.licence,
        metadata={name: value for name, value in origin.items() if value and name != "licence"},
        language=document.language or language,
    )
