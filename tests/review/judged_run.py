"""Evaluations whose replies a judge has graded, made straight in a ledger, and people who grade them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from perturb.auditing.judged_replies import JudgedReply, draw_replies, read_judged_replies
from perturb.evaluation.question_formats import Question
from perturb.evaluation.results import judgement_fingerprint
from perturb.ledger.evaluations import EvaluationLedger, ReviewLedger
from perturb.records import Judgement, JudgementStatus, Response, ResponseStatus
from tests.evaluation.rows import items_of, several, single, write_rows

SECRETS = ("stern-judge", "model-under-test")


def make_graded(folder: Path, grades: Sequence[str], models: Sequence[str] = SECRETS[1:]) -> Path:
    """The run of `perturb bas` in which each model answered each question and was graded so; one more by rule."""
    questions = [Question(f"q{i}", f"Who built mill {i}?", (f"Ada{i}",)) for i in range(len(grades) + 1)]
    with EvaluationLedger(folder) as ledger:
        ledger.add_items((one.id, one.to_payload()) for one in questions)
        ledger.write_fact("confidence", {"models": list(models), "judge": SECRETS[0]})
        for model in models:
            for question, grade in zip(questions, [*grades, "CORRECT"], strict=True):
                answer = f"Perhaps {question.answers[0]} <b>{grade.lower()}</b>"
                value = {"grade": grade, "answer": answer}
                judge = "rule" if question is questions[-1] else SECRETS[0]
                _record(ledger, question.id, model, "direct", "grade", judge, value, f"Answer: {answer}")
    return folder


def make_evaluated(folder: Path, size: int = 36) -> Path:
    """The run of `perturb evaluate` over `size` items, all classified as answers and graded where they can be."""
    rows = [(single if number % 2 else several)(number) for number in range(size)]
    items = items_of(write_rows(folder.parent / "items.jsonl", rows))
    with EvaluationLedger(folder) as ledger:
        ledger.add_items((item.id, item.to_payload()) for item in items)
        ledger.write_fact("snapshot", {"name": "made", "digest": "d", "round": "r1"})
        entry = {
            "variant": "plain",
            "fingerprint": "",
            "authors": ["rule", "author"],
            "judge": {"name": SECRETS[0]},
        }
        ledger.write_fact("models", {SECRETS[1]: entry})
        for item in items:
            words: dict[str, Mapping[str, object]] = {"classification": {"predicted": "ANSWER"}}
            if item.answerable and item.several:
                words["raf"] = {"eligible": True, "factual_all": True, "factual_signal": False}
            elif item.answerable:
                words["quality"] = {"quality": 4, "reason": "the judge's reason"}
            for kind, value in words.items():
                _record(ledger, item.id, SECRETS[1], "plain", kind, SECRETS[0], value, f"It was {item.id}.")
    return folder


def draw(run: Path, size: int = 200) -> tuple[JudgedReply, ...]:
    """Draw the sample; what is to be graded."""
    with ReviewLedger.of_run(run) as ledger:
        ledger.replace_sample(*draw_replies(ledger.db, size, seed=1))
        return read_judged_replies(ledger.db, run)


def give(run: Path, who: str, answers: Mapping[str, Mapping[str, str]]) -> None:
    """Record what somebody answers, by reply."""
    with ReviewLedger.of_run(run) as ledger:
        for reply_id, given in answers.items():
            for question, answer in given.items():
                ledger.record_answer(reply_id, who, question, answer)


def _record(
    ledger: EvaluationLedger,
    item_id: str,
    model: str,
    variant: str,
    kind: str,
    judge: str,
    value: Mapping[str, object],
    text: str,
) -> None:
    ledger.record_response(Response(item_id, model, variant, ResponseStatus.ANSWERED, text))
    version = judgement_fingerprint("author", text)
    read = JudgementStatus.READ
    ledger.record_judgement(Judgement(item_id, model, variant, kind, judge, read, value, "raw", version))
