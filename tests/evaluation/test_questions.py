"""Question sets: every form, its errors with their place, draws and mixes."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perturb.building.run import build
from perturb.config import default_config
from perturb.curation.hub import HubRows, HubSource
from perturb.curation.source_rows import Header, SourceRow
from perturb.errors import ConfigError, SourceError
from perturb.evaluation import loading as question_sets
from perturb.evaluation.loading import read_questions
from perturb.evaluation.question_formats import Question, QuestionSet, mix_questions, question_from_payload
from tests.building import write_rows

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def jsonl(path: Path, *rows: Mapping[str, Any]) -> str:
    write_rows(path, rows)
    return str(path)


def table(path: Path, *rows: Sequence[str]) -> str:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return str(path)


def only(source: str, form: str = "auto") -> Question:
    (question,) = read_questions(source, form).questions
    return question


def error_of(source: str, form: str = "auto") -> str:
    with pytest.raises((SourceError, ConfigError)) as caught:
        read_questions(source, form)
    message = str(caught.value)
    assert "\n" not in message
    return message


# -- forms -----------------------------------------------------------------------------------------------------


def test_simpleqa_is_read_from_its_csv(tmp_path: Path) -> None:
    source = table(
        tmp_path / "simple_qa.csv",
        ("metadata", "problem", "answer"),
        ("{'topic': 'Art'}", "Who drew\nit, really?", "Ada, of course"),
        ("", "When?", "1911"),
    )
    one, two = read_questions(source).questions
    assert (one.text, one.answers, one.form, one.answerable) == (
        "Who drew\nit, really?",
        ("Ada, of course",),
        "text",
        None,
    )
    assert (two.answers, two.source) == (("1911",), "simple_qa")


def test_precisewikiqa_shows_no_article(tmp_path: Path) -> None:
    row = {
        "prompt": "Who built it?",
        "answer": "Ada",
        "title": "Mill",
        "reference": "Ada built it.",
        "pageid": 1,
    }
    question = only(jsonl(tmp_path / "wiki.jsonl", row))
    assert (question.text, question.answers, question.context) == ("Who built it?", ("Ada",), None)


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "Venus", "answer_idx": "B"},
        {"answer": "B"},
        {"answer": "Venus"},
    ],
)
def test_medqa_takes_the_letter_or_the_text_of_the_right_option(
    tmp_path: Path, answer: dict[str, str]
) -> None:
    row = {"question": "Which?", "options": {"A": "Mars", "B": "Venus"}, **answer}
    question = only(jsonl(tmp_path / "m.jsonl", row))
    assert (question.form, question.answers) == ("option", ("B",))
    assert question.options == {"A": "Mars", "B": "Venus"}


def test_options_may_be_a_list(tmp_path: Path) -> None:
    row = {"question": "Which?", "options": ["Mars", "Venus"], "answer": "A"}
    assert only(jsonl(tmp_path / "m.jsonl", row)).options == {"A": "Mars", "B": "Venus"}


def test_aime_is_told_by_its_whole_number_or_by_name(tmp_path: Path) -> None:
    told = only(jsonl(tmp_path / "a.jsonl", {"question": "How many?", "answer": 33}))
    named = only(
        jsonl(tmp_path / "b.jsonl", {"ID": "2024-I-1", "Problem": "How many?", "Answer": "033"}), "aime"
    )
    assert (told.form, told.answers) == (named.form, named.answers) == ("number", ("33",))
    assert named.id == "2024-I-1"


def test_a_plain_row_may_name_the_set_that_it_is_from(tmp_path: Path) -> None:
    rows = (
        {"question": "Who?", "answer": "Ada", "dataset": "facts"},
        {"question": "When?", "answer": "1911"},
    )
    assert [question.source for question in read_questions(jsonl(tmp_path / "q.jsonl", *rows)).questions] == [
        "facts",
        "q",
    ]


def test_the_files_of_the_bas_authors_are_told_by_their_columns(tmp_path: Path) -> None:
    """`benchmark/` of their repository: AIME, TriviaQA and MMLU as CSV."""
    aime = only(
        table(tmp_path / "a.csv", ("problem", "ground_truth_answer", "year"), ("Find $m+n$.", "033", "2024"))
    )
    assert (aime.form, aime.answers) == ("number", ("33",))
    header = ("ID", "prompt", "Answer")
    trivia = only(table(tmp_path / "t.csv", header, ("7", "Who wrote Dracula?", "bram stoker")))
    assert (trivia.id, trivia.form, trivia.text, trivia.answers) == (
        *("7", "text", "Who wrote Dracula?"),
        ("bram stoker",),
    )
    prompt = "Let x)\n be given. Which?\na) {1, 2}\nb) two\nlines\nc) f) or g)"
    mmlu = only(table(tmp_path / "m.csv", header, ("1", prompt, "c")))
    assert (mmlu.form, mmlu.answers, mmlu.text) == ("option", ("C",), "Let x)\n be given. Which?")
    assert mmlu.options == {"A": "{1, 2}", "B": "two\nlines", "C": "f) or g)"}


def test_mmlu_and_triviaqa_of_the_hub(tmp_path: Path) -> None:
    mmlu: dict[str, Any] = {
        "question": "Which?",
        "subject": "astronomy",
        "choices": ["Mars", "Venus"],
        "answer": 1,
    }
    answer = {"value": "Ada", "aliases": ["Ada", "Ada Lovelace"], "normalized_value": "ada"}
    trivia: dict[str, Any] = {"question": "Who?", "question_id": "tc_1", "answer": answer}
    found = [only(jsonl(tmp_path / f"{n}.jsonl", row)) for n, row in enumerate((mmlu, trivia))]
    assert [(one.form, one.answers) for one in found] == [
        ("option", ("B",)),
        ("text", ("Ada", "Ada Lovelace")),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"question": "Which?", "choices": ["a", "b"], "answer": 2},
            "answer' must be one of the letters A, B",
        ),
        ({"prompt": "Which?\na) one\nc) two", "Answer": "a"}, "prompt' must list its options as a), b)"),
        ({"question": "Who?", "answer": {"value": 3}}, "answer.value or aliases' must be a string"),
        (
            {"problem": "How many?", "ground_truth_answer": "3 or 4"},
            "ground_truth_answer' must be one number",
        ),
    ],
)
def test_rows_of_these_forms_that_cannot_be_used(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    assert problem in error_of(jsonl(tmp_path / "q.jsonl", row))


def test_a_whole_number_in_a_plain_set_is_graded_as_one(tmp_path: Path) -> None:
    rows = ({"question": "How many?", "answer": 33}, {"question": "Who?", "answer": "Ada"})
    source = jsonl(tmp_path / "a.jsonl", *rows)
    told = read_questions(str(source), "plain").questions
    assert [(one.form, one.answers) for one in told] == [("number", ("33",)), ("text", ("Ada",))]


def test_any_set_needs_a_question_and_an_answer(tmp_path: Path) -> None:
    rows = (
        {"id": 7, "query": "Who?", "answers": ["Ada", "Ada L."], "context": "Ada did.", "base_id": "b"},
        {"question": "What for?", "answerable": False},
    )
    first, second = read_questions(jsonl(tmp_path / "q.jsonl", *rows)).questions
    assert (first.id, first.answers, first.context, first.base_id) == (
        "7",
        ("Ada", "Ada L."),
        "Ada did.",
        "b",
    )
    assert (second.answers, second.answerable, second.base_id) == ((), False, second.id)


def test_a_flag_of_a_csv_is_a_word(tmp_path: Path) -> None:
    source = table(
        tmp_path / "q.csv", ("question", "answer", "answerable"), ("Who?", "Ada", "TRUE"), ("Why?", "", "no")
    )
    assert "q.csv:3: field 'answerable' must be 0 or 1, got 'no'" in error_of(source)


def test_items_of_our_snapshots_are_answerable_when_low(tmp_path: Path) -> None:
    config = default_config()
    small = config.model_copy(update={"base_set": config.base_set.model_copy(update={"limit": 3})})
    build(small, tmp_path / "run")
    read = read_questions(str(tmp_path / "run" / "snapshot"))
    assert {question.answerable for question in read.questions} == {True, False}
    for question in read.questions:
        low = question.metadata["intensity"] == "LOW"
        assert (question.answerable, bool(question.answers)) == (low, low)
        assert question.context
    assert len({question.base_id for question in read.questions}) <= 3 < len(read.questions)


def test_published_items_number_their_passages(tmp_path: Path) -> None:
    row = {
        "id": "x",
        "source_id": "s",
        "perturbation_class": "P-Ambiguity",
        "intensity": "HIGH",
        "expected_rag_behavior": "REFUSE_AMBIGUOUS_QUERY",
        "original_answers": ["Ada"],
        "perturbed_query": "Which one?",
        "grounding": ["One.", "Two."],
    }
    question = only(jsonl(tmp_path / "p.jsonl", row))
    assert (question.context, question.answers, question.base_id) == ("[1] One.\n\n[2] Two.", (), "s")


# -- the Hub ---------------------------------------------------------------------------------------------------

FAITHEVAL_ROWS: dict[str, dict[str, Any]] = {
    "unanswerable": {"qid": "u1", "question": "Who?", "context": "Nobody is named.", "answers": ["unknown"]},
    "inconsistent": {"qid": "i1", "question": "Who?", "context": "Ada. No, Eve.", "answers": ["Ada", "Eve"]},
    "counterfactual": {
        "id": "c1",
        "question": "What is wood like?",
        "context": "Wood is magnetic.",
        "choices": {"label": ["1", "2"], "text": ["dry", "magnetic"]},
        "answerKey": "2",
    },
}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[HubSource]:
    """The three FaithEval sets without a network; the list holds what was asked for."""
    asked: list[HubSource] = []

    def open_hub(source: HubSource) -> HubRows:
        asked.append(source)
        task = source.name.split("-")[1]
        row = SourceRow(Path(source.name), 1, FAITHEVAL_ROWS[task], Header(Path(source.name).name))
        return HubRows(iter([row]), None, None)

    monkeypatch.setattr(question_sets, "open_hub", open_hub)
    return asked


@pytest.mark.parametrize("task", ["unanswerable", "inconsistent"])
def test_no_answer_is_right_without_support_in_the_context(hub: list[HubSource], task: str) -> None:
    question = only(f"faitheval:{task}")
    assert hub == [HubSource(f"Salesforce/FaithEval-{task}-v1.0")]
    assert (question.answerable, question.answers, question.form) == (False, (), "text")
    assert question.context == FAITHEVAL_ROWS[task]["context"]


def test_counterfactual_rows_have_options_by_letter(hub: list[HubSource]) -> None:
    question = only("hub:Salesforce/FaithEval-counterfactual-v1.0@main")
    assert hub == [HubSource("Salesforce/FaithEval-counterfactual-v1.0", "main")]
    assert (question.form, question.answers, question.answerable) == ("option", ("B",), True)
    assert question.options == {"A": "dry", "B": "magnetic"}


def test_an_unknown_task_is_named(hub: list[HubSource]) -> None:
    assert "unanswerable, inconsistent, counterfactual" in error_of("faitheval:other")
    assert not hub


# -- bad input -------------------------------------------------------------------------------------------------

GOOD = {"question": "Which?", "answer": "Ada"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"question": "Which?"}, "'answers' is missing"),
        ({"answer": "Ada"}, "'question' is missing"),
        ({"question": " ", "answer": "Ada"}, "'question' is empty"),
        ({"question": ["a"], "answer": "Ada"}, "'question' must be a string, got a list"),
        ({"question": "Which?", "answers": []}, "'answers' must be a list of strings"),
        ({"question": "Which?", "answer": "Ada", "answerable": 3}, "'answerable' must be 0 or 1, got '3'"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    message = error_of(jsonl(tmp_path / "q.jsonl", GOOD, row))
    assert "q.jsonl:2: " in message
    assert words in message


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"options": {"A": "x", "C": "y"}, "answer": "A"}, "without a gap"),
        ({"options": {"A": "x"}, "answer": "A"}, "2 to 26 options"),
        ({"options": "x", "answer": "A"}, "must be an object by letter or a list, got a string"),
        ({"options": {"A": "x", "B": "y"}, "answer": "D"}, "one of the letters A, B"),
    ],
)
def test_options_are_checked(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    assert words in error_of(jsonl(tmp_path / "q.jsonl", {"question": "Which?", **row}))


def test_a_number_must_be_one(tmp_path: Path) -> None:
    assert "must be one number" in error_of(
        jsonl(tmp_path / "a.jsonl", {"question": "?", "answer": "3 or 4"}), "aime"
    )


def test_tables_are_checked(tmp_path: Path) -> None:
    short = table(tmp_path / "s.csv", ("problem", "answer"), ("Who?", "Ada"), ("Who?",))
    assert "s.csv:3: 1 cells where the header has 2" in error_of(short)
    assert "name each column once" in error_of(table(tmp_path / "t.csv", ("problem", "problem")))
    assert "no such file" in error_of(str(tmp_path / "none.csv"))
    assert "has no questions" in error_of(table(tmp_path / "e.csv", ("problem", "answer")))
    latin = tmp_path / "l.csv"
    latin.write_bytes("problem,answer\nWho?,Zoë\n".encode("latin-1"))
    assert "not UTF-8" in error_of(str(latin))


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    assert "simpleqa" in error_of(jsonl(tmp_path / "q.jsonl", GOOD), "squad")


def test_an_id_stands_once_and_a_repeated_question_is_left_out(tmp_path: Path) -> None:
    twice = jsonl(tmp_path / "q.jsonl", {"id": "a", **GOOD}, {"id": "a", **GOOD})
    assert "q.jsonl:2: field 'id' 'a' appears twice" in error_of(twice)
    read = read_questions(jsonl(tmp_path / "r.jsonl", GOOD, GOOD))
    assert len(read.questions) == 1
    assert read.warnings == ("r: 1 repeated questions were left out",)


# -- draws, mixes, payloads ------------------------------------------------------------------------------------


def made(name: str, count: int) -> QuestionSet:
    return QuestionSet(name, tuple(Question(str(n), f"{name} {n}?", ("Ada",)) for n in range(count)))


def test_a_draw_depends_on_the_seed_alone() -> None:
    whole = made("a", 50)
    assert whole.draw(10, 1) == whole.draw(10, 1) != whole.draw(10, 2)
    assert [int(question.id) for question in whole.draw(10, 1).questions] == sorted(
        int(question.id) for question in whole.draw(10, 1).questions
    )
    assert whole.draw(None, 1) is whole.draw(99, 1) is whole


def test_a_mix_is_one_to_one_and_its_ids_differ() -> None:
    mixed = mix_questions(made("a", 5), made("b", 9), seed=3)
    names = [question.id.split("/")[0] for question in mixed.questions]
    assert (names.count("a"), names.count("b")) == (5, 5)
    assert len({question.id for question in mixed.questions}) == 10
    assert all(question.base_id == question.id for question in mixed.questions)
    assert names not in (sorted(names), sorted(names, reverse=True))
    assert mixed == mix_questions(made("a", 5), made("b", 9), seed=3)
    same = mix_questions(made("a", 3), made("a", 3), seed=3)
    assert len({question.id for question in same.questions}) == 6


def test_a_question_survives_the_ledger() -> None:
    question = Question(
        "q", "Which?", ("B",), "option", {"A": "x", "B": "y"}, "c", "s", True, {"base_id": "b"}
    )
    assert question_from_payload("q", json.loads(json.dumps(question.to_payload()))) == question
