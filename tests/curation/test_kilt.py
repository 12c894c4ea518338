"""KILT: provenance looked up in a knowledge source that is streamed."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from perturb.curation.articles import PageName, Span, look_up
from perturb.curation.curation import Curation, curate
from perturb.curation.source import SourceRequest, load_recipe
from perturb.errors import SourceError
from perturb.records import Passage
from tests.building import write_rows

PAGES: list[dict[str, Any]] = [
    {
        "_id": "7",
        "wikipedia_id": "7",
        "wikipedia_title": "Old mill",
        "text": [
            "Old mill\n",
            "The mill stands.\n",
            "Section::::History.\n",
            "BULLET::::- Ada built it.\n",
            "It ran.\n",
        ],
        "anchors": [{"paragraph_id": 1, "wikipedia_id": "8", "wikipedia_title": 'Café "X"'}],
    },
    {"wikipedia_id": 8, "wikipedia_title": 'Café "X"', "text": ["Café\n", "Eve drew it.\n"]},
    {"wikipedia_id": "9", "wikipedia_title": "Blank", "text": ["", " \n", "Section::::None.\n"]},
]


def provenance(**changes: Any) -> dict[str, Any]:
    return {
        "wikipedia_id": "7",
        "title": "Old mill",
        "start_paragraph_id": 3,
        "end_paragraph_id": 3,
        **changes,
    }


def task(identifier: str = "q1", answer: str = "Ada", **changes: Any) -> dict[str, Any]:
    """A question that the fourth paragraph of page 7 answers."""
    output = [{"answer": answer, "provenance": [provenance(**changes)]}, {"answer": "nobody"}]
    return {"id": identifier, "input": "who built it", "output": output}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(path, rows)


def curated(tmp_path: Path, *tasks: dict[str, Any], form: str = "kilt") -> Curation:
    source = write(tmp_path / "nq-dev-kilt.jsonl", task("good"), *tasks)
    knowledge = write(tmp_path / "knowledge.jsonl", *PAGES)
    return curate(SourceRequest(source, form, load_recipe("nq"), knowledge=knowledge))


def fallen(curation: Curation) -> dict[str, list[str]]:
    return {entry["reason"]: entry["ids"] for entry in curation.report["left_out"] if entry["count"]}


@pytest.mark.parametrize("form", ["kilt", "auto"])
def test_provenance_is_resolved_by_page_id(tmp_path: Path, form: str) -> None:
    curation = curated(tmp_path, form=form)
    (instance,) = curation.instances
    assert instance.passages == (Passage("- Ada built it.", title="Old mill"),)
    assert (instance.id, instance.query, instance.answers) == ("good", "who built it", ("Ada", "nobody"))
    assert curation.report["format"] == "kilt"
    assert curation.report["source"]["knowledge"]["file"] == "knowledge.jsonl"


def test_a_range_leaves_headings_out_and_a_title_finds_its_page(tmp_path: Path) -> None:
    ranged = task("range", start_paragraph_id=1, end_paragraph_id=4)
    titled = task("title", "Eve", wikipedia_id="", title='Café "X"', start_paragraph_id=1, end_paragraph_id=1)
    by_id = {instance.id: instance for instance in curated(tmp_path, ranged, titled).instances}
    assert by_id["range"].context == "The mill stands.\n- Ada built it.\nIt ran."
    assert by_id["title"].passages == (Passage("Eve drew it.", title='Café "X"'),)


def test_the_first_range_that_holds_an_answer_is_taken(tmp_path: Path) -> None:
    several = task("several")
    several["output"][0]["provenance"] = [
        provenance(wikipedia_id="404"),
        provenance(start_paragraph_id=90, end_paragraph_id=91),
        provenance(start_paragraph_id=1, end_paragraph_id=1),
        provenance(),
    ]
    by_id = {instance.id: instance for instance in curated(tmp_path, several).instances}
    assert by_id["several"].context == "- Ada built it."


RANGE = "output[].provenance[]"
BAD: list[tuple[dict[str, Any], str]] = [
    (task("bad", end_paragraph_id=5), "the paragraph range runs past the end of the page"),
    (task("bad", wikipedia_id="404"), "no page of the provenance is in the knowledge source"),
    (
        task("bad", "Zoe") | {"output": [{"answer": "Zoe", "provenance": [provenance()]}]},
        "no signal passage holds an answer",
    ),
    (
        task("bad", wikipedia_id="9", start_paragraph_id=0, end_paragraph_id=2),
        "the paragraphs of the range are empty",
    ),
    (task("bad", wikipedia_id="", title=""), f"{RANGE} names no page"),
    (task("bad", start_paragraph_id=3, end_paragraph_id=2), f"{RANGE} needs 'start_paragraph_id'"),
    (task("bad", start_paragraph_id=-1), f"{RANGE} needs 'start_paragraph_id'"),
    (task("bad", start_paragraph_id=None), f"{RANGE} needs 'start_paragraph_id'"),
    ({"id": "bad", "input": "q", "output": [{"answer": "Ada"}]}, "no output holds a provenance"),
    ({"id": "bad", "input": "q", "output": [{"provenance": [provenance()]}]}, "no output holds an answer"),
    ({"id": "bad", "input": "q", "output": []}, "output must be a list of passages, got an empty list"),
    ({"id": "bad", "input": "q", "output": [{"provenance": 3}]}, "output[].provenance must be a list"),
    ({"id": "bad", "output": [{"answer": "Ada"}]}, "input is missing"),
    (task("good"), "the id repeats that of an earlier record"),
]


@pytest.mark.parametrize(("row", "reason"), BAD)
def test_a_bad_row_is_left_out_and_counted(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    curation = curated(tmp_path, row)
    assert [instance.id for instance in curation.instances] == ["good"]
    (found,) = fallen(curation).items()
    assert found[0].startswith(reason)
    assert found[1] == [row["id"]]


def test_a_missing_knowledge_source_is_asked_for(tmp_path: Path) -> None:
    source = write(tmp_path / "t.jsonl", task())
    with pytest.raises(SourceError, match="give it with --knowledge FILE"):
        curate(SourceRequest(source, "kilt"))
    with pytest.raises(SourceError, match="no such file"):
        curate(SourceRequest(source, "kilt", knowledge=tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"wikipedia_id": "7", "text": ', ":1: not JSON"),
        ("plain text", ":1: not JSON"),
        ('{"wikipedia_title": "Old mill", "text": []}', "field 'wikipedia_id' is missing"),
        ('{"wikipedia_id": "7", "text": "one string"}', "field 'text' must be a list of paragraphs"),
    ],
)
def test_a_malformed_knowledge_source_is_an_error(tmp_path: Path, line: str, problem: str) -> None:
    source = write(tmp_path / "t.jsonl", task())
    knowledge = tmp_path / "k.jsonl"
    knowledge.write_text(line + "\n")
    with pytest.raises(SourceError) as caught:
        curate(SourceRequest(source, "kilt", knowledge=knowledge))
    assert problem in str(caught.value)


def test_a_gzipped_source_is_streamed_with_flat_memory(tmp_path: Path) -> None:
    """60 MB of pages, of which three are wanted, may not take up more than one of them at a time."""
    knowledge = tmp_path / "knowledge.jsonl.gz"
    filler = "word " * 6000
    with gzip.open(knowledge, "wt", compresslevel=1) as stream:
        for number in range(2000):
            page = {
                "wikipedia_id": str(number),
                "wikipedia_title": f"P{number}",
                "text": ["P", f"A{number}", filler],
            }
            stream.write(json.dumps(page) + "\n")
    pages = [PageName("id", "3"), PageName("id", "1999"), PageName("title", "P5")]
    spans = [Span(page, 1, 1) for page in pages]
    tracemalloc.start()
    try:
        found = look_up(spans, knowledge)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sorted(passage.text for passage in found.values() if passage) == ["A1999", "A3", "A5"]
    assert peak < 2_000_000


def test_questions_keep_the_language_of_their_recipe(tmp_path: Path) -> None:
    source = write(tmp_path / "tasks.jsonl", task("good"))
    pages = write(tmp_path / "pages.jsonl", *PAGES)
    recipe = load_recipe("nq").model_copy(update={"language": "de"})
    curation = curate(SourceRequest(source, "kilt", recipe, knowledge=pages))
    assert {instance.language for instance in curation.instances} == {"de"}
