"""Replies of known behaviour that judges read beside the real ones: stored apart, counted in no score."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from perturb.building.estimate import estimate_run
from perturb.catalogue.levers import Catalogue
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.models_under_test import ModelNames
from perturb.evaluation.planted_replies import FORMS, plant_replies
from perturb.evaluation.reading import read_code
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate, prepare_evaluation
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import PLANTED_FACT, read_facts
from perturb.llm.recording import Replay, read_recording
from perturb.snapshots.replies import export_replies
from perturb.snapshots.settings import load_setting
from perturb.text.matching import holds_answer
from tests.building import perturb
from tests.evaluation.rows import items_of, single, write_models, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns

CODES = Catalogue.load().codes


class Judge:
    """`model` answers; `judge` reads replies as they are; `naive` takes all for right answers."""

    def __init__(self) -> None:
        self.asked: defaultdict[str, int] = defaultdict(int)

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model`."""
        self.asked[model] += 1
        if model not in ("judge", "naive"):
            return "It was built by somebody."
        data: dict[str, Any] = json.loads(str(messages[-1]["content"]))
        refuses = model == "judge" and ("REFUSE" in data["reply"] or "cannot answer" in data["reply"])
        if "accepted" in data:
            right = model == "naive" or any(holds_answer(data["reply"], one) for one in data["accepted"])
            return json.dumps({"quality": 5 if right else 1, "reason": ""})
        if "flaw" in data:
            return json.dumps({"kind": "refuses_right_reason" if refuses else "answers", "reason": ""})
        code = data["reply"].partition(".")[0] if "REFUSE" in data["reply"] else "REFUSE_OTHER"
        ruling = {"behaviour": "refusal", "code": code} if refuses else {"behaviour": "answer", "code": ""}
        return json.dumps(ruling)


def plan(folder: Path, url: str, judges: tuple[str, ...] = ("judge",), **changes: Any) -> EvaluationPlan:
    rows = write_rows(folder / "rows.jsonl", [single(number) for number in range(36)])
    names = ModelNames(write_models(folder, url, ["model", *judges]))
    options = {"out": folder / "run", "prompts": ("codes", "plain"), "planted_judgements": 8, **changes}
    return EvaluationPlan(
        source=ItemSource(str(rows)), models=("model",), judges=judges, names=names, **options
    )


def entries_of(run: Path) -> list[dict[str, Any]]:
    with reading(run) as db:
        return list(read_facts(db).get(PLANTED_FACT, {}).get("entries", ()))


def test_each_form_is_planted_in_each_setting_and_is_what_it_says(tmp_path: Path) -> None:
    items = items_of(write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(36)]))
    settings = [load_setting("codes"), load_setting("plain")]
    planted = list(plant_replies(items, settings, 24))
    assert planted == list(plant_replies(items[::-1], settings, 24))
    assert Counter((one.form, one.setting.name) for one in planted) == {
        (form, setting.name): 3 for form in FORMS for setting in settings
    }
    for one in planted:
        accepted = any(holds_answer(one.text, answer) for answer in one.item.answers)
        assert accepted == (one.form == "answer")
        assert read_code(one.text, CODES) is None  # a judge is asked


def test_judges_are_measured_on_planted_replies_which_count_nowhere(tmp_path: Path) -> None:
    with LoopbackServer(Judge()) as server:
        evaluate(plan(tmp_path / "without", server.url, planted_judgements=0))
        evaluate(plan(tmp_path / "with", server.url))
    entries = entries_of(tmp_path / "with" / "run")
    assert [entry["right"] for entry in entries] == [True] * 8
    assert entries_of(tmp_path / "without" / "run") == []
    scores = [perturb("score", tmp_path / name / "run", "--json").json for name in ("without", "with")]
    (line,) = scores[1].pop("warnings")
    assert scores[0].pop("warnings") == []
    assert line.startswith("judge judge read 8 of 8 planted replies rightly (100 %, 95 % interval ")
    assert "code 2 of 2, refusal 2 of 2, answer 2 of 2" in line
    assert _without_paths(scores[0]) == _without_paths(scores[1])
    tables = [(tmp_path / name / "run" / "results.jsonl").read_text() for name in ("without", "with")]
    assert tables[0] == tables[1]


def test_each_judge_of_a_panel_is_measured_by_itself(tmp_path: Path) -> None:
    with LoopbackServer(Judge()) as server:
        evaluate(plan(tmp_path, server.url, ("judge", "naive")))
    right = Counter(
        (entry["judge"], entry["form"]) for entry in entries_of(tmp_path / "run") if entry["right"]
    )
    assert [right["judge", form] for form in FORMS] == [2, 2, 2, 2]
    assert (right["naive", "code"], right["naive", "refusal"]) == (0, 0)


def test_judges_are_not_asked_again_and_a_run_without_stays_without(tmp_path: Path) -> None:
    judge = Judge()
    with LoopbackServer(judge) as server:
        evaluate(plan(tmp_path / "with", server.url))
        asked = judge.asked["judge"]
        evaluate(plan(tmp_path / "with", server.url))
        assert judge.asked["judge"] == asked
        evaluate(plan(tmp_path / "small", server.url, planted_judgements=None))  # 72 replies
        evaluate(plan(tmp_path / "small", server.url))
    assert entries_of(tmp_path / "small" / "run") == []


def test_planted_judgements_are_replayed(tmp_path: Path) -> None:
    with LoopbackServer(Judge()) as server:
        evaluate(plan(tmp_path, server.url))
    export_replies(tmp_path / "run", tmp_path / "replies.jsonl.gz")
    replay = Replay(read_recording(tmp_path / "replies.jsonl.gz"))
    report = evaluate(EvaluationPlan(source=None, replay=replay, out=tmp_path / "again"))
    assert report.facts["missing_replies"] == []
    assert report.facts["cost_usd"] == 0
    again = [(entry["form"], entry["right"]) for entry in entries_of(tmp_path / "again")]
    assert again == [(entry["form"], entry["right"]) for entry in entries_of(tmp_path / "run")]


def test_planted_judgements_are_in_the_estimate(tmp_path: Path) -> None:
    calls = []
    for number in (0, 8):
        task, models = prepare_evaluation(plan(tmp_path, "http://127.0.0.1:9", planted_judgements=number))
        calls.append(estimate_run(task, models, None).calls)
    assert calls[1] - calls[0] == 16  # a classification and a grade, at most


def _without_paths(scores: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scores.items() if name not in ("source", "run")}
