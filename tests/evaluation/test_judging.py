"""Judgements: by rule, and as a judge's replies are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from perturb.evaluation.reading import ANSWER
from perturb.evaluation.results import (
    judge_by_rule,
    judge_rubric,
    read_classification,
    read_quality,
    read_raf,
)
from perturb.llm.replies import ReplyError
from perturb.records import JudgementStatus, Response, ResponseStatus

from .rows import CATALOGUE, items_of, several, write_rows

CODES = CATALOGUE.codes


def response(text: str) -> Response:
    return Response("i", "m", "plain", ResponseStatus.ANSWERED, text)


def test_a_code_needs_no_judge() -> None:
    made = judge_by_rule("classification", response("REFUSE_MISSING"), CODES)
    assert made is not None
    assert (made.judge, made.status) == ("rule", JudgementStatus.READ)
    assert made.value == {"predicted": "REFUSE_INFO_MISSING_IN_CONTEXT"}


@pytest.mark.parametrize("kind", ["classification", "quality", "raf"])
def test_prose_does(kind: str) -> None:
    assert judge_by_rule(kind, response("It was Ada."), CODES) is None


@pytest.mark.parametrize("text", ["", " \n", "<think>for ever and ever", "<think>Ada?</think>\n"])
def test_an_empty_reply_is_an_answer_worth_nothing(text: str) -> None:
    values = {
        kind: made.value
        for kind in ("classification", "quality", "raf")
        if (made := judge_by_rule(kind, response(text), CODES)) is not None
    }
    assert values["classification"] == {"predicted": ANSWER}
    assert values["quality"] == {"quality": 1}
    assert set(values["raf"].values()) == {False}


@pytest.mark.parametrize("kind", ["classification", "quality", "raf"])
def test_a_judge_is_not_shown_the_thinking(kind: str, tmp_path: Path) -> None:
    item = items_of(write_rows(tmp_path / "rows.jsonl", [several(1)]))[0]
    rubric = judge_rubric(kind, item, response("[THINK]Eve?[/THINK]It was Ada."), "judge", CATALOGUE)
    shown = "\n".join(message.content for message in rubric.request().messages)
    assert "It was Ada." in shown
    assert "Eve?" not in shown


@pytest.mark.parametrize(
    ("text", "predicted"),
    [
        ('{"behaviour": "answer", "code": ""}', ANSWER),
        ('{"behaviour": "answer"}', ANSWER),
        ('{"behaviour": "answer", "code": null}', ANSWER),
        (
            '```json\n{"behaviour": "refusal", "code": "REFUSE_GRANULARITY"}\n```',
            "REFUSE_GRANULARITY_MISMATCH",
        ),
        ('{"behaviour": "refusal", "code": "refuse_other"}', "REFUSE_OTHER"),
    ],
)
def test_a_classification_is_read(text: str, predicted: str) -> None:
    assert read_classification(text, CODES) == {"predicted": predicted}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("an answer", "without a JSON object"),
        ('{"behaviour": "both", "code": ""}', "must be 'answer' or 'refusal'"),
        ('{"behaviour": ["answer"], "code": ""}', "must be 'answer' or 'refusal'"),
        ('{"behaviour": "refusal", "code": ""}', "one of the codes"),
        ('{"behaviour": "refusal", "code": "REFUSE_ALL"}', "one of the codes"),
        ('{"behaviour": "refusal", "code": "ANSWER_CORRECTLY"}', "one of the codes"),
        ('{"behaviour": "refusal", "code": 3}', "must be a string"),
        ('{"behaviour": "answer", "code": "REFUSE_OTHER"}', "has no refusal code"),
        ('{"behaviour": "answer"} {"behaviour": "refusal"}', "different JSON objects"),
    ],
)
def test_an_unclear_classification_is_not_read(text: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem):
        read_classification(text, CODES)


@pytest.mark.parametrize("quality", ["0", "6", "4.5", '"4"', "true", "null", "[4]"])
def test_a_quality_out_of_range_is_not_read(quality: str) -> None:
    with pytest.raises(ReplyError, match="whole number from 1 to 5"):
        read_quality(f'{{"quality": {quality}}}')
    assert read_quality('{"quality": 5}') == {"quality": 5, "reason": ""}


def test_the_three_flags_must_be_flags_and_agree() -> None:
    with pytest.raises(ReplyError, match="'eligible' must be true or false"):
        read_raf('{"eligible": 1, "factual_all": true, "factual_signal": true}')
    with pytest.raises(ReplyError, match="cannot be true where"):
        read_raf('{"eligible": true, "factual_all": false, "factual_signal": true}')
    flags = {"eligible": True, "factual_all": True, "factual_signal": False}
    assert read_raf('{"eligible": true, "factual_all": true, "factual_signal": false}') == flags
