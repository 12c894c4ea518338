"""The one reader of tables: the same rows from every format, and errors that name file and line."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.curation.base_sets import load_base_set
from perturb.errors import SourceError
from perturb.files.tables import MAX_LINE_BYTES, column_names, read_columns, read_table, row_place

NAMES = ("rows.jsonl", "rows.jsonl.gz", "rows.csv", "rows.parquet", "ROWS.CSV")
ROWS = [
    {"name": "a", "text": "one, two"},
    {"name": "b", "text": "two\nlines"},
    {"name": "c\u2028d", "text": '"quoted"'},
]


def write_table(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows in the format that the name asks for."""
    name = path.name.lower()
    if name.endswith(".csv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_rows_columns_and_places(tmp_path: Path, name: str) -> None:
    path = write_table(tmp_path / name, ROWS)
    assert [row.fields for row in read_table(path)] == ROWS
    assert column_names(path) == ["name", "text"]
    frame = read_columns(path, ("text", "absent"), texts=("text",))
    assert frame.to_dict("list") == {"text": [row["text"] for row in ROWS]}
    places = {"csv": "5", "parquet": " row 3", "jsonl": "3", "gz": "3"}
    assert row_place(path, 2) == f"{path}:{places[name.lower().rpartition('.')[2]]}"


def test_what_looks_like_another_type_comes_as_it_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("id,n\n007,1\n,2\n")
    assert [row.fields for row in read_table(path)] == [{"id": "007", "n": "1"}, {"id": None, "n": "2"}]
    assert read_columns(path, ("id",), texts=("id",))["id"].fillna("").tolist() == ["007", ""]
    path = tmp_path / "ids.jsonl"
    path.write_text('{"id": 7}\n{"id": true}\n{"id": null}\n')
    assert read_columns(path, ("id",), texts=("id",))["id"].fillna("").tolist() == ["7", "true", ""]
    path = tmp_path / "odd.parquet"
    pq.write_table(pa.table({"day": [date(2026, 1, 2)], "x": [[float("nan"), 0.5]]}), path)
    assert next(read_table(path)).fields == {"day": "2026-01-02", "x": [None, 0.5]}


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1, max_size=5
    )
)
def test_any_text_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    for name in NAMES:
        path = write_table(folder / name, [{"k": "x", "text": text} for text in texts])
        assert [row.fields["text"] for row in read_table(path)] == texts, name


@pytest.mark.parametrize("name", ["base.csv", "base.parquet", "base.jsonl"])
def test_a_base_set_may_be_a_table(tmp_path: Path, name: str) -> None:
    answers: Any = ["Paris", "Paname"]
    rows = [
        {"id": "1", "query": "capital of France", "context": "It is Paris.", "answers": answers},
        {"id": "2", "query": "its river", "context": "The Seine flows there.", "answers": ["Seine"]},
    ]
    if name.endswith(".csv"):
        rows = [{**rows[0], "answers": json.dumps(answers)}, {**rows[1], "answers": "Seine"}]
    base = load_base_set(write_table(tmp_path / name, rows))
    assert [instance.answers for instance in base.instances] == [("Paris", "Paname"), ("Seine",)]
    assert base.name == "base"
    rows[1]["query"] = " "
    with pytest.raises(SourceError, match=r"base\.\w+:( row )?[23]: field 'query' is empty"):
        load_base_set(write_table(tmp_path / name, rows))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"a,a\n1,2\n", "a.csv:1: a column appears twice"),
        ("a.csv", b'a,b\n1,2\n"x\ny",2\n1\n', "a.csv:5: 1 cells where the header has 2"),
        ("a.csv", b'a,b\n1,2\n"3', "a.csv:3: not a CSV table"),
        ("a.csv", b"a,b\n1,2\n\xff,2\n", "a.csv:3: not UTF-8"),
        ("a.jsonl", b'{"a": 1}\n\n[' + b"[" * 100_000, "a.jsonl:3: not JSON"),
        ("a.jsonl", b'{"a": 1}\n3\n', "a.jsonl:2: not an object"),
        ("a.jsonl.gz", b"not gzip", "cannot be read"),
        ("a.jsonl", b'{"a": "' + b"x" * MAX_LINE_BYTES + b'"}', "a.jsonl:1: the line is too long"),
        ("a.parquet", b"PAR1", "not a Parquet table"),
        ("a.xlsx", b"", "not a table: a table is a .jsonl, .jsonl.gz, .csv or .parquet file"),
        ("a.csv", None, "no such file or run"),
    ],
)
def test_what_is_no_table_is_one_line(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    for read in (lambda: list(read_table(path)), lambda: read_columns(path, ("a", "b"), texts=("a",))):
        with pytest.raises(SourceError, match=message) as caught:
            read()
        assert "\n" not in str(caught.value)


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(SourceError, match=r"/dev/zero:1: the line is too long"):
        load_base_set(Path("/dev/zero"))
