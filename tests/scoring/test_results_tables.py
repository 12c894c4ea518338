"""Results tables as people give them: what is understood, and what is refused in one line with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perturb.errors import SourceError
from perturb.metrics.outcomes import LEVELS
from perturb.scoring.score_report import score
from perturb.scoring.table import read_results
from tests.building import write_rows
from tests.scoring.tables import Row, items, reply, right, table, write_csv

A, U = items(3)[0], items(3)[2]  # P-Ambiguity, LOW and HIGH


def outcome(item: Row, predicted: str | None, **judged: Any) -> str:
    (model,) = table([reply(item, "m", predicted, **judged)]).models
    return str(model.rows[0].outcome)


def level(stated: Any) -> str | None:
    (model,) = table([right(A, "m", confidence=stated)]).models
    return model.rows[0].level


@pytest.mark.parametrize("word", ["ANSWER", "answer", "NONE", "ANSWER_CORRECTLY"])
def test_words_for_an_answer(word: str) -> None:
    assert outcome(U, word) == "missed_refusal"


@pytest.mark.parametrize("word", [None, "", "  ", "unscored", float("nan")])
def test_words_for_a_reply_that_could_not_be_classified(word: Any) -> None:
    assert outcome(U, word) == "unread_unanswerable"


@pytest.mark.parametrize("code", ["REFUSE_AMBIGUOUS_QUERY", "REFUSE_AMBIGUOUS", "refuse_ambiguous"])
def test_codes_are_canonical_or_short(code: str) -> None:
    assert outcome(U, code) == "correct_refusal"
    assert outcome({**U, "expected_rag_behavior": code}, "REFUSE_AMBIGUOUS_QUERY") == "correct_refusal"


@pytest.mark.parametrize(
    ("quality", "expected"),
    [
        (5, "correct_answer"),
        ("4", "correct_answer"),
        (4.0, "correct_answer"),
        (3, "poor_answer"),
        ("", "ungraded_answer"),
    ],
)
def test_a_quality_of_4_or_5_is_correct(quality: Any, expected: str) -> None:
    assert outcome(A, "ANSWER", quality=quality) == expected


@pytest.mark.parametrize(
    ("eligible", "factual_signal", "expected"),
    [
        (True, True, "correct_answer"),
        ("True", "1", "correct_answer"),
        (1, 0, "poor_answer"),
        (False, None, "poor_answer"),
        (True, None, "ungraded_answer"),
        (None, None, "ungraded_answer"),
    ],
)
def test_raf_needs_both_parts(eligible: Any, factual_signal: Any, expected: str) -> None:
    judged = {"eligible": eligible, "factual_all": True, "factual_signal": factual_signal}
    assert outcome(A, "ANSWER", **judged) == expected


def test_factuality_on_all_passages_is_not_enough() -> None:
    assert outcome(A, "ANSWER", eligible=True, factual_all=True, factual_signal=False) == "poor_answer"


@pytest.mark.parametrize("name", LEVELS)
def test_levels_of_confidence_are_names_or_numbers(name: str) -> None:
    assert level(name) == level(name.lower().replace("_", " ")) == level(LEVELS[name]) == name


def test_the_ranges_of_numbers() -> None:
    stated = ("1", 0.9, 0.89, "0.7", 0.5, 0.3, 0.29, 0, "", None)
    assert [level(one) for one in stated] == [
        *("VERY_CONFIDENT", "VERY_CONFIDENT", "CONFIDENT", "CONFIDENT", "SOMEWHAT_CONFIDENT"),
        *("UNCERTAIN", "VERY_UNCERTAIN", "VERY_UNCERTAIN", None, None),
    ]


# -- refused ---------------------------------------------------------------------------------------------------


BAD_ROWS: list[tuple[dict[str, Any], str]] = [
    ({"predicted": "REFUSE_TO_SAY"}, "'predicted' holds 'REFUSE_TO_SAY', which is not a code"),
    ({"predicted": "x" * 100_000}, "'predicted' holds 'xxx"),
    ({"expected_rag_behavior": "REFUSE"}, "'expected_rag_behavior' holds 'REFUSE', which is not a code"),
    (
        {"expected_rag_behavior": "REFUSE_OTHER"},
        "is REFUSE_OTHER, but P-Ambiguity/LOW expects ANSWER_CORRECTLY",
    ),
    (
        {"perturbation_class": "Ambiguity"},
        "'perturbation_class' holds 'Ambiguity', which is not one of P-Ambiguity",
    ),
    ({"intensity": "MIDDLE"}, "'intensity' holds 'MIDDLE', which is not one of LOW, MEDIUM, HIGH"),
    ({"quality": 6}, "'quality' is 6: give a whole number from 1 to 5"),
    ({"quality": 0}, "'quality' is 0"),
    ({"quality": "4.5"}, "'quality' is 4.5"),
    ({"quality": 4, "eligible": True, "factual_signal": True}, "'quality' stands beside"),
    ({"quality": None, "eligible": "maybe"}, "'eligible' holds 'maybe': write true or false"),
    ({"quality": None, "factual_all": 2}, "'factual_all' holds '2': write true or false"),
    ({"confidence": "SURE"}, "'confidence' holds 'SURE': give a number from 0 to 1 or one of VERY_CONFIDENT"),
    ({"confidence": 95}, "'confidence' holds '95'"),
    ({"confidence": "1.01"}, "'confidence' holds '1.01'"),
    ({"item_id": ""}, "'item_id' is empty: fill it in"),
    ({"base_id": None}, "'base_id' is empty: fill it in"),
    ({"model": ["m"]}, "'model' must be a single value"),
]


@pytest.mark.parametrize(("changes", "words"), BAD_ROWS)
def test_a_bad_row_is_one_short_line_with_its_place(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    rows = [right(U, "m"), {**right(A, "m"), **changes}]
    path = write_rows(tmp_path / "results.jsonl", rows)
    with pytest.raises(SourceError) as caught:
        read_results(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:2: ")
    assert words in message
    assert "\n" not in message
    assert len(message) < 500


def test_the_line_is_that_of_the_file(tmp_path: Path) -> None:
    """Blank lines of JSON Lines and line breaks inside CSV fields count."""
    good, bad = right(U, "m", lever="one\ntwo"), {**right(A, "m", lever=""), "quality": 9}
    jsonl = write_rows(tmp_path / "results.jsonl", [good, bad])
    jsonl.write_text("\n" + jsonl.read_text(encoding="utf-8"), encoding="utf-8")
    for path, line in ((jsonl, 3), (write_csv(tmp_path / "results.csv", [good, bad]), 4)):
        with pytest.raises(SourceError, match=rf"{path.name}:{line}: 'quality' is 9"):
            read_results(path)


MIXED = "items of two snapshots are mixed"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [right(A, "m"), right(U, "m"), right(A, "m")],
            ["row 3: model 'm' replies to item 'item-0000' a second time, the first is at row 1"],
        ),
        (
            [right(A, "m"), {**right(A, "n"), "base_id": "other"}],
            ["row 2: item 'item-0000' has another 'base_id' than at row 1", MIXED],
        ),
        (
            [right(A, "m", snapshot="v1"), right(U, "m", snapshot="v2")],
            ["row 2: snapshot 'v2', but 'v1' at row 1", MIXED],
        ),
        (
            [right(A, "m"), right(U, "n")],
            ["row 2: model 'n' shares no item with 'm'", MIXED],
        ),
        ([], ["made up: no results in it"]),
    ],
)
def test_rows_that_contradict_each_other(rows: list[Row], words: list[str]) -> None:
    with pytest.raises(SourceError) as caught:
        table(rows)
    for word in words:
        assert word in str(caught.value)


def test_items_with_one_passage_and_with_several_may_stand_in_one_table() -> None:
    several = reply({**A, "item_id": "b"}, "m", "ANSWER", eligible=True, factual_signal=False)
    scores = score(table([right(A, "m"), several])).models[0]
    assert scores.metrics["answer_accuracy"].value == 0.5
    assert scores.answer_parts["eligible"].n == 1
    assert "not all answers have relevance-aware factuality" in (
        scores.metrics["answer_quality"].reason or ""
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("results.jsonl", "{", "results.jsonl:1: not JSON"),
        ("results.jsonl", "[1]", "results.jsonl:1: not an object"),
        ("results.jsonl", '{"item_id": "a"}', "results.jsonl:1: no column 'model'"),
        ("results.jsonl", "", "no results in it"),
        ("results.jsonl", b"\xff\xfe", "results.jsonl:1: not UTF-8"),
        ("results.csv", "", "the file is empty"),
        ("results.csv", "item_id,model\na,b\n", "no column 'base_id'"),
        (
            "results.csv",
            ",".join(right(U, "m")) + "\na,b,c,d,e,f,g,h,i,j,k\n",
            "results.csv:2: 11 cells where the header has 10",
        ),
        ("results.parquet", b"PAR?", "not a Parquet table"),
        ("results.txt", "", "a table is a .jsonl, .jsonl.gz, .csv or .parquet file"),
    ],
)
def test_a_file_that_is_no_results_table(tmp_path: Path, name: str, content: str | bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SourceError, match="no such file") as missing:
        read_results(tmp_path / "other.jsonl")
    assert "\n" not in str(missing.value)
    with pytest.raises(SourceError) as caught:
        read_results(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_row_of_csv_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "results.csv", [right(U, "m")])
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], lines[1].split(",")[0]]), encoding="utf-8")
    with pytest.raises(SourceError, match=r"results.csv:2: 1 cells where the header has"):
        read_results(path)


def test_columns_of_others_are_passed_over(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "results.jsonl", [right(U, "m", notes={"by": ["me"]})])
    assert read_results(path).models[0].model == "m"
