"""Base sets from a folder of documents, by the command, with the real client over HTTP."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from perturb.curation.base_sets import load_base_set
from perturb.curation.documents import (
    MAX_WORDS,
    Document,
    read_date,
    read_document,
    read_html,
    read_markdown,
    read_plain,
)
from perturb.errors import SourceError
from perturb.text.matching import words
from tests.building import perturb
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns

PLANTED = {
    "no-question": "its text allows no question",
    "no-sentence": "the supporting sentence does not stand in the passage",
    "elsewhere": "the answer does not stand in the supporting sentence",
    "gives-away": "the question holds its answer",
    "unanswered": "its text does not answer the question",
    "otherwise": "the answer is not reproduced",
}


class PassagePlayer:
    """Asks for the year in a passage, answers and solves it, but for passages whose title names a fault."""

    def play(self, model: str, messages: Turns) -> str:
        data = json.loads(messages[1]["content"])
        text = data.get("text") or data["context"]
        year = text.split("founded in ")[1][:4]
        if "question" in data:
            answer = "1066" if "otherwise" in data["question"] else year
            return json.dumps({"answerable": "unanswered" not in data["question"], "answer": answer})
        if "query" in data:
            return json.dumps({"answer": "1067" if "unsolved" in data["query"] else year})
        title = data["title"]
        if "no-question" in title:
            return json.dumps({"question": "", "answer": "", "sentence": ""})
        question = f"When was {title} founded{', if not ' + year if 'gives-away' in title else ''}?"
        sentence = next(one for one in text.split(". ") if "founded" in one).strip() + "."
        if "no-sentence" in title:
            sentence = sentence.replace("founded", "established")
        answer = "room" if "elsewhere" in title else year
        return json.dumps({"question": question, "answer": answer, "sentence": sentence})


def told(title: str, year: int) -> str:
    """A passage that shares few runs of words with those of other titles."""
    fill = " ".join(f"{title.lower()} room {number} was added." for number in range(1, 12))
    return f"{title} was founded in {year} by the river. {fill}"


def set_up(tmp_path: Path) -> Path:
    """A document of each kind, dated and not, and a Markdown file with a section for each planted fault."""
    folder = tmp_path / "handbook"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "plain.txt").write_text(told("Mill", 1801))
    sections = "".join(f"\n## Hall {name}\n\n{told(name, 1810)}\n" for name in [*PLANTED, "unsolved"])
    front = "---\ntitle: Halls\ndate: 2026-03-02\nlicence: CC-BY-4.0\n---\n"
    (folder / "halls.md").write_text(f"{front}\nShort.\n{sections}")
    page = f"""<html lang="en"><head><title>Pier</title><meta property="article:published_time"
content="2026-02-01T10:00:00Z"></head><body><nav>Home, founded in 9999</nav><h1>Pier</h1><p>{told("Pier", 1820)}</p>
<script>var founded = "founded in 8888";</script></body></html>"""
    (folder / "pier.html").write_text(page)
    # The same page with a few words changed: most of the passage is the same.
    (folder / "pier-copy.html").write_text(page.replace("room 7 was", "hall 7 was", 1))
    (folder / "old.htm").write_text(f"<time datetime='2025-12-31'></time><p>{told('Gate', 1830)}</p>")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text(told("Secret", 1840))
    return folder


def arguments(tmp_path: Path, server: LoopbackServer, *more: str) -> list[str]:
    entry = {"name": "writer", "model": "hosted_vllm/writer", "api_base": server.url, "max_retries": 0}
    (tmp_path / "w.yaml").write_text(yaml.safe_dump({"writer": entry}))
    (tmp_path / "s.yaml").write_text(yaml.safe_dump({"solvers": [{**entry, "name": "solver"}]}))
    files = ["--writer", str(tmp_path / "w.yaml"), "--out", str(tmp_path / "base.jsonl")]
    return ["curate", str(tmp_path / "handbook"), *files, "--json", *more]


def fallen(report: dict[str, Any], step: str) -> dict[str, int]:
    return {one["reason"]: one["count"] for one in report["left_out"] if one["step"] == step}


def test_questions_are_written_checked_and_solved(tmp_path: Path) -> None:
    set_up(tmp_path)
    with LoopbackServer(PassagePlayer()) as server:
        report = perturb(*arguments(tmp_path, server, "--solvers", str(tmp_path / "s.yaml"))).json
    base = load_base_set(tmp_path / "base.jsonl")
    assert sorted(one.query for one in base) == [
        "When was Pier founded?",
        "When was old founded?",
        "When was plain founded?",
    ]
    for one in base:
        (passage,) = one.passages
        assert one.metadata["sentence"] in passage.text
        assert one.answers[0] in one.metadata["sentence"]
        assert one.source == base.name == "handbook"
    assert fallen(report, "writing") == {
        **dict.fromkeys(PLANTED.values(), 1),
        "'solver' does not answer right": 1,
        "it repeats a question or passage of the set": 1,
    }
    assert fallen(report, "unusable") == {
        "the passage has fewer than 30 words": 1,
        "not a text, Markdown, HTML or PDF file": 1,
    }
    assert set(report["pre_test"]["solvers"]) == {"solver"}
    assert set(report["writing"]["templates"]) == {"passage", "answer"}


def test_the_manifest_names_documents_with_licence_and_date(tmp_path: Path) -> None:
    set_up(tmp_path)
    (tmp_path / "german.yaml").write_text("name: german\nlanguage: de\n")
    with LoopbackServer(PassagePlayer()) as server:
        done = perturb(*arguments(tmp_path, server, "--recipe", str(tmp_path / "german.yaml")))
    assert done.returncode == 0, done.stderr
    source = json.loads((tmp_path / "base.manifest.json").read_text())["source"]
    documents = {one["file"]: one for one in source["documents"]}
    assert source["folder"] == "handbook"
    assert set(documents) == {"parts/plain.txt", "halls.md", "pier.html", "pier-copy.html", "old.htm"}
    assert (documents["halls.md"]["licence"], documents["halls.md"]["date"]) == ("CC-BY-4.0", "2026-03-02")
    assert documents["parts/plain.txt"]["date"] is None
    (one,) = (one for one in load_base_set(tmp_path / "base.jsonl") if one.licence)
    assert one.metadata["file"] == "halls.md"
    assert one.language == "de"
    assert str(tmp_path) not in json.dumps(source)


def test_since_keeps_dated_documents_and_the_card_states_it(tmp_path: Path) -> None:
    set_up(tmp_path)
    with LoopbackServer(PassagePlayer()) as server:
        report = perturb(*arguments(tmp_path, server, "--since", "2026-01-01")).json
    assert fallen(report, "unusable")["it states no date"] == 1
    assert fallen(report, "unusable")["it is dated before 2026-01-01"] == 1
    base = load_base_set(tmp_path / "base.jsonl")
    assert base.since == "2026-01-01"
    assert {one.metadata["file"] for one in base} == {"halls.md", "pier-copy.html"}
    places = ["--out", str(tmp_path / "outputs"), "--quiet"]
    built = perturb("build", "--base-set", tmp_path / "base.jsonl", *places)
    assert built.returncode == 0, built.stdout
    snapshot = next((tmp_path / "outputs").rglob("snapshot"))
    assert json.loads((snapshot / "manifest.json").read_text())["since"] == "2026-01-01"
    assert "documents that are dated 2026-01-01 or later" in (snapshot / "README.md").read_text()
    checked = perturb("verify-snapshot", snapshot)
    assert checked.returncode == 0, checked.stdout


def test_what_was_written_is_not_asked_for_again(tmp_path: Path) -> None:
    set_up(tmp_path)
    with LoopbackServer(PassagePlayer()) as server:
        first = perturb(*arguments(tmp_path, server)).json
        asked = sum(server.counters.requests.values())
        again = perturb(*arguments(tmp_path, server, "--force")).json
        assert sum(server.counters.requests.values()) == asked
    assert again["digest"] == first["digest"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--since", "soon"], "'soon' is not a day: write YYYY-MM-DD"),
        (["--format", "jsonl"], "goes with --format articles"),
    ],
)
def test_wrong_use(tmp_path: Path, more: list[str], message: str) -> None:
    set_up(tmp_path)
    with LoopbackServer(PassagePlayer()) as server:
        result = perturb(*arguments(tmp_path, server, *more))
    assert result.returncode == 2
    assert message in result.stderr


def test_a_folder_needs_a_writer_and_a_file(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "b.jsonl")]
    result = perturb("curate", set_up(tmp_path), *out)
    assert result.returncode == 2
    (tmp_path / "handbook").rename(tmp_path / "away")
    (tmp_path / "handbook").mkdir()
    with LoopbackServer(PassagePlayer()) as server:
        perturb(*arguments(tmp_path, server)).fails("holds no file")


def test_markdown_is_cut_at_headings_and_paragraphs() -> None:
    text = (
        "# Bridge\n\nFirst **bold** line\ngoes on, see [there](http://x).\n\n```\n# no heading\n```\n"
        "Gates\n-----\n\nSecond. <!-- not this --> It stays.\n\n## C# ##\nThird.\n"
    )
    document = read_markdown(text)
    assert document.title == "Bridge"
    assert document.sections == [
        ("", []),
        ("Bridge", ["First bold line goes on, see there."]),
        ("Gates", ["Second. It stays."]),
        ("C#", ["Third."]),
    ]


def test_html_keeps_the_article_alone() -> None:
    page = (
        "<title>Site</title><a rel='license' href='https://creativecommons.org/licenses/by/4.0/'>CC</a>"
        "<p>Outside.</p><article><h2>In<b>side</b></h2><p>One<br>two &amp; three.</p><aside>Advert</aside>"
        "<table><tr><td>a</td><td>b</td></tr></table></article><footer>Below <time>1 March 2026</time></footer>"
    )
    document = read_html(page)
    assert (document.title, document.licence) == ("Site", "https://creativecommons.org/licenses/by/4.0/")
    assert document.sections == [("", []), ("Inside", ["One two & three.", "a b"])]


def pdf(path: Path, text: str) -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(612, 792)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): named})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    writer.add_metadata({"/Title": "Manual", "/CreationDate": "D:20260301000000"})
    writer.write(path)


def test_pdf_gives_its_text_and_no_date(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf", "The pump was founded in 1850.")
    assert len(PdfReader(tmp_path / "a.pdf").pages) == 1
    document = read_document(tmp_path / "a.pdf")
    assert isinstance(document, Document)
    assert (document.title, document.date) == ("Manual", None)
    assert document.sections == [("", ["The pump was founded in 1850."])]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"%PDF-1.4 broken", "not a PDF that can be read"),
        ("a.txt", b"\xff\xfe\x00", "not UTF-8 text"),
        ("a.md", b"---\na: [\n---\n", "not valid YAML"),
        ("a.html", b"<p>a</p><![xx[a]]>", "not HTML that can be read"),
    ],
)
def test_what_cannot_be_read_is_left_out_with_a_reason(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    read = read_document(tmp_path / name)
    assert not isinstance(read, Document)
    assert read.reason == reason


MARKUP = strategies.sampled_from(
    [
        "#",
        "##",
        "---",
        "```",
        "~~~",
        "[a](b)",
        "**",
        "<!--",
        "-->",
        "<p>",
        "</p>",
        "<h1>",
        "<time>",
        "</time>",
        "<nav>",
        "</nav>",
        "<![CDATA[",
        "<!x",
        "<![xx[",
        "&#",
        "&amp;",
        "\n",
        "\n\n",
        "\x00",
        "<script>",
        "<title>",
        "<article>",
        "</article>",
        "date: 2026",
    ]
)


@given(strategies.lists(strategies.one_of(MARKUP, strategies.text(max_size=20))).map("".join))
def test_no_text_stops_a_reader(text: str) -> None:
    for read in (read_plain, read_markdown, read_html):
        try:
            document = read(text)
        except SourceError:
            continue
        for passage in document.passages():
            assert passage.text.strip()


@given(strategies.binary(max_size=200), strategies.sampled_from(["txt", "md", "html", "pdf"]))
def test_no_file_stops_a_reader(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"a.{ending}"
    path.write_bytes(content)
    read = read_document(path)
    assert isinstance(read, Document) or read.reason


@given(strategies.one_of(strategies.text(max_size=30), strategies.dates(), strategies.integers()))
def test_any_date_is_read_or_not(value: Any) -> None:
    day = read_date(value)
    assert day is None or isinstance(day, date)
    assert read_date(value.isoformat()) == value if isinstance(value, date) else True


@given(strategies.lists(strategies.integers(1, 700), min_size=1, max_size=8))
def test_passages_hold_whole_sentences_of_bounded_length(lengths: list[int]) -> None:
    sentences = [" ".join(["Word", *["word"] * 9]) + "."] * 70
    document = read_plain("\n\n".join(" ".join(sentences[: max(1, n // 10)]) for n in lengths))
    passages = [passage.text for passage in document.passages()]
    assert all(len(words(passage)) <= MAX_WORDS for passage in passages)
    assert sum(len(words(passage)) for passage in passages) == sum(10 * max(1, n // 10) for n in lengths)
