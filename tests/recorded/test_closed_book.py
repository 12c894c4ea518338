"""The embedded closed-book questions: those whose answers can be computed have the answers that are computed."""

from __future__ import annotations

import json

from perturb.evaluation.loading import read_questions
from perturb.files.resources import data_folder

from .computed_questions import computed_questions

FILE = data_folder("base_sets") / "questions" / "closed-book.jsonl"


def test_a_good_half_of_the_questions_is_computed_and_right() -> None:
    header, *rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    assert header["base_set"]["licence"] == "Apache-2.0"
    known = {
        row["id"]: (row["question"], row["answer"] if "answer" in row else row["answers"][0]) for row in rows
    }
    computed = {name: (question, answer) for name, question, answer in computed_questions()}
    assert {name: known.get(name) for name in computed} == computed
    assert len(computed) > len(known) / 2


def test_every_question_can_be_asked_and_its_answers_are_short() -> None:
    questions = read_questions(str(FILE)).questions
    assert len(questions) >= 110
    assert len({question.text for question in questions}) == len(questions)
    assert max(len(answer) for question in questions for answer in question.answers) <= 25
    assert {question.form for question in questions} == {"text", "number"}
