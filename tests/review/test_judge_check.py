"""People check a judge: what is drawn, what they see, and figures against counts made by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from perturb.auditing.judge_check import GradeAgreement, JudgeReport, measure_judge
from perturb.auditing.judged_replies import JudgedReply, draw_replies
from perturb.errors import ConfigError, LedgerError
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import EvaluationLedger
from perturb.reports.any_page import make_any_page
from tests.building import perturb
from tests.review.judged_run import SECRETS, draw, give, make_evaluated, make_graded

RIGHT, WRONG, NONE = "CORRECT", "INCORRECT", "NOT_ATTEMPTED"


def measure(run: Path) -> JudgeReport:
    with open_read_only(run) as db:
        return measure_judge(db, run)


def of(report: JudgeReport, name: str) -> GradeAgreement:
    (found,) = [one for one in report.measures if one.name == name]
    return found


def grades_of(replies: Sequence[JudgedReply]) -> dict[str, dict[str, str]]:
    """What the judge said, as people would enter it."""
    return {reply.id: dict(reply.answers) for reply in replies}


def test_two_hundred_pairs_on_which_all_agree(tmp_path: Path) -> None:
    """BAS, appendix D.1: 200 model-judge pairs, 100 % agreement; Wilson's interval begins at 98.1 %."""
    run = make_graded(tmp_path / "run", [RIGHT] * 120 + [WRONG] * 80)
    replies = draw(run)
    give(run, "ann", grades_of(replies))
    correct = of(measure(run), "correct")
    assert (len(replies), correct.n, correct.agreement.rate) == (200, 200, 1.0)
    assert correct.agreement.low == pytest.approx(0.9812, abs=1e-4)
    assert correct.judge.kappa.value == 1.0
    assert correct.judge.kappa.low == pytest.approx(0.95, abs=0.02)


def test_figures_against_counts_made_by_hand(tmp_path: Path) -> None:
    run = make_graded(tmp_path / "run", [RIGHT] * 30 + [WRONG] * 20 + [NONE] * 10)
    replies = draw(run)
    ann, ben = grades_of(replies), grades_of(replies)
    by_grade = {grade: [one for one in ann if ann[one]["grade"] == grade] for grade in (RIGHT, WRONG, NONE)}
    for one in by_grade[RIGHT][:6]:  # the judge is too kind to six
        ann[one] = ben[one] = {"grade": WRONG}
    for one in by_grade[NONE][:4]:  # and people cannot agree on four
        ben[one] = {"grade": WRONG}
    give(run, "ann", ann)
    give(run, "ben", ben)
    report = measure(run)
    grade = of(report, "grade")
    assert (report.judges, report.items, report.reviewed) == (("stern-judge",), 60, 60)
    assert (grade.n, grade.split) == (56, 4)
    assert grade.agreement.rate == pytest.approx(50 / 56)
    observed, chance = 50 / 56, (30 * 24 + 20 * 26 + 6 * 6) / 56**2
    assert grade.judge.kappa.value == pytest.approx((observed - chance) / (1 - chance))
    low, high = grade.judge.kappa.low, grade.judge.kappa.high
    assert low is not None
    assert high is not None
    assert low < (observed - chance) / (1 - chance) < high
    (pair,) = grade.people
    assert (pair.a, pair.b, pair.n) == ("ann", "ben", 60)
    assert pair.agreement.value == pytest.approx(56 / 60)
    assert of(report, "correct").judge.agreement.value == pytest.approx(54 / 60)
    assert (RIGHT, WRONG, 6) in grade.confusion
    assert {(difference["judge"], difference["people"]) for difference in report.differences} == {
        (RIGHT, WRONG)
    }
    assert len(report.differences) == 6
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["measures"][0]["judge"]["kappa"] == pytest.approx(grade.judge.kappa.value)


def test_a_judge_that_is_kinder_to_one_model_shows_by_model(tmp_path: Path) -> None:
    run = make_graded(tmp_path / "run", [RIGHT] * 20 + [WRONG] * 20, ("m1", "m2"))
    replies = draw(run)
    said = grades_of(replies)
    for one in [reply for reply in replies if reply.model == "m2"][:10]:
        said[one.id] = {"grade": NONE}
    give(run, "ann", said)
    rates = {rate.name: rate.rate for rate in of(measure(run), "grade").by_model}
    assert rates == {"m1": 1.0, "m2": 0.75}


def test_quality_codes_and_factuality_are_measured_each(tmp_path: Path) -> None:
    run = make_evaluated(tmp_path / "run")
    replies = draw(run)
    said = grades_of(replies)
    for reply in replies:
        if reply.kind == "quality":
            said[reply.id]["quality"] = "5"
    give(run, "ann", said)
    report = measure(run)
    kinds = {"classification": 36, "quality": 6, "raf": 6}
    assert {kind: n["drawn"] for kind, n in report.drawn["kinds"].items()} == kinds
    assert of(report, "quality").agreement.rate == 0.0
    assert of(report, "quality_correct").agreement.rate == 1.0
    assert (of(report, "raf").n, of(report, "code").n, of(report, "refusal").n) == (6, 36, 36)
    assert of(report, "quality_correct").judge.kappa.reason == (
        "judge and people gave every reply the same grade"
    )


def test_what_is_drawn_and_what_is_not(tmp_path: Path) -> None:
    run = make_graded(tmp_path / "run", [RIGHT] * 50)
    with open_read_only(run) as db:
        few, more = (draw_replies(db, size, 7)[0] for size in (10, 20))
        assert set(few) < set(more)
        with pytest.raises(ConfigError, match="no reply was graded by a judge for raf"):
            draw_replies(db, 10, 7, ["raf"])
    with pytest.raises(LedgerError, match="no sample yet"):
        measure(run)
    assert "q50" not in {one.subject.id for one in draw(run)}  # graded by rule
    with pytest.raises(LedgerError, match="nobody has graded a reply yet"):
        measure(run)


def test_the_command_from_draw_to_report(tmp_path: Path) -> None:
    run = make_evaluated(tmp_path / "run")
    facts = perturb("review", run, "draw", "--size", "5", "--json").json
    assert (facts["items"], facts["kinds"]["raf"]) == (15, {"judged": 6, "drawn": 5})
    sheet = Path(facts["sheet"])
    text = sheet.read_text(encoding="utf-8")
    assert not any(secret in text for secret in (*SECRETS, "the judge's reason"))
    rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        flags = dict.fromkeys(("eligible", "factual_all", "factual_signal"), "Y")
        words = {"classification": {"predicted": "answer"}, "quality": {"quality": "4"}, "raf": flags}
        row.update(words[row["kind"]])
    with sheet.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    read = perturb("review", run, "read", sheet, "--annotator", "ann")
    assert read.stdout == "25 answers about 15 items read\n", read.stderr
    report = perturb("review", run, "report", "--json").json
    assert {one["name"]: one["agreement"]["rate"] for one in report["measures"]}["factual_signal"] == 0.0
    tables = perturb("review", run, "report").stdout
    assert "The judge against people" in tables
    assert "nan" not in tables.lower()
    for tool in ("label-studio", "argilla", "answers"):
        exported = perturb("review", run, "export", "--to", tool)
        assert exported.returncode == 0, exported.stderr
        content = "".join(Path(line).read_text(encoding="utf-8") for line in exported.stdout.splitlines())
        assert not any(secret in content for secret in SECRETS)
    assert "judge-check" in {section.name for section in make_any_page(run, resamples=50).sections}


def test_wrong_use_is_one_line(tmp_path: Path) -> None:
    run = make_graded(tmp_path / "run", [RIGHT])
    sheet = tmp_path / "sheet.csv"
    for arguments, code, message in (
        (("draw", "--per-cell", "3"), 2, "--per-cell is for a build: give --size"),
        (("draw", "--kind", "taste"), 2, "--kind: 'taste' is unknown: use grade, classification"),
        (("draw", "--kind", "raf"), 1, "no reply was graded by a judge for raf"),
        (("draw",), 0, ""),
        (("read", sheet, "--annotator", "ann"), 1, "'grade' is 'fine': write CORRECT or INCORRECT or NOT"),
    ):
        if "read" in arguments:
            (reply,) = draw(run)
            sheet.write_text(f"reply_id,grade\n{reply.id},fine\n", encoding="utf-8")
        failed = perturb("review", run, *arguments)
        assert (failed.returncode, message in failed.stderr) == (code, True), failed.stderr
        assert failed.stderr.count("\n") == 1


def test_half_done_gradings_do_not_count_and_each_person_is_compared_with_the_judge(tmp_path: Path) -> None:
    run = make_graded(tmp_path / "run", [RIGHT] * 12 + [WRONG] * 8)
    replies = draw(run)
    ann, ben, eve = (grades_of(replies) for _ in range(3))
    for one in list(ann)[:5]:  # ann alone differs, so that the majority is the judge's grade
        ann[one] = {"grade": NONE}
    half = {one: {"comment": "later"} for one in list(ben)[:4]}
    for one in half:
        del ben[one]
    for name, answers in (("ann", ann), ("ben", ben | half), ("eve", eve)):
        give(run, name, answers)
    report = measure(run)
    work = {annotator.name: (annotator.finished, annotator.begun) for annotator in report.annotators}
    assert work == {"ann": (20, 0), "ben": (16, 4), "eve": (20, 0)}
    grade = of(report, "grade")
    assert grade.members == ()
    by_person = {pair.b: pair.agreement.value for pair in grade.judge_by_person}
    assert by_person == {"ann": pytest.approx(15 / 20), "ben": 1.0, "eve": 1.0}
    assert {pair.a for pair in grade.judge_by_person} == {grade.judge.a}


@pytest.mark.parametrize("step", ["draw", "report"])
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE judgements SET value = '{}'",
        "UPDATE facts SET value = replace(value, 'authors', 'other') WHERE name = 'models'",
    ],
)
def test_a_damaged_value_in_a_graded_run_is_one_line(tmp_path: Path, step: str, damage: str) -> None:
    run = make_evaluated(tmp_path / "run")
    give(run, "ann", grades_of(draw(run)))
    with EvaluationLedger(run) as ledger:
        ledger.db.execute(damage)
    failed = perturb("review", run, step)
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1), failed.stderr
    assert "the ledger is corrupt (malformed value" in failed.stderr
