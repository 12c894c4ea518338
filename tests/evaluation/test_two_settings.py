"""One evaluation in several prompt settings, from the replies to the exam gap."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.llm.recording import Replay, read_recording
from perturb.reports.any_page import make_any_page
from perturb.reports.rendering import write_page
from perturb.scoring.score_report import score
from perturb.scoring.table import read_results
from perturb.snapshots.replies import export_replies
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns
from tests.loopback.responders import Responders, right_answer

from .rows import items_of, run

ITEMS = 36


class Librarians(Responders):
    """Knows the codes; asked plainly, lists versions of single passages and flags its answers to several."""

    def play(self, model: str, messages: Turns) -> str:
        system = messages[0]["content"]
        if "public library" in system:
            item = next(one for one in self._items.values() if one.query in messages[1]["content"])
            if item.answerable:
                return right_answer(item)
            return "Either of two." if not item.several else f"{right_answer(item)} Though one doubts it."
        return super().play(model, messages)

    def _judge(self, data: dict[str, object]) -> str:
        if "flaw" not in data:
            return super()._judge(data)
        reply = str(data["reply"])
        self.judged.append(data)
        kind = (
            "lists_versions" if "Either" in reply else "answers_flagged" if "doubts" in reply else "answers"
        )
        return json.dumps({"kind": kind, "reason": "as it is"})


def test_one_run_holds_both_settings_and_tells_the_exam_gap(tmp_path: Path, source: Path) -> None:
    player = Librarians(items_of(source))
    with LoopbackServer(player) as server:
        first = run(tmp_path, source, server.url, ["sixty"])
        calls = first.facts["calls"]
        both = run(tmp_path, source, server.url, ["sixty"], prompts=("codes", "plain"))
        again = run(tmp_path, source, server.url, ["sixty"], prompts=("plain",))
    assert again.facts["calls"] == both.facts["calls"] > calls, "what is on record is not asked again"
    assert both.facts["models"][0]["missing"] == 0
    results = read_run(tmp_path / "run").results
    assert Counter(row.prompt for row in results) == {"codes": ITEMS, "plain": ITEMS}
    assert {row.behaviour_kind for row in results if row.prompt == "codes"} == {None}
    unanswerable = [row for row in results if row.prompt == "plain" and row.intensity != "LOW"]
    assert {row.behaviour_kind for row in unanswerable} == {"lists_versions", "answers_flagged"}
    assert {row.predicted for row in unanswerable} == {"ANSWER"}, "the strict reading"

    report = score(read_results(tmp_path / "run"), resamples=50)
    assert [model.model for model in report.models] == ["sixty (codes)", "sixty (plain)"]
    (lenient,) = report.lenient
    strict = report.models[1]
    listed = sum(row.behaviour_kind == "lists_versions" for row in unanswerable)
    assert strict.metrics["refusal_accuracy"].value == 0
    assert lenient.metrics["refusal_accuracy"].value == pytest.approx(listed / len(unanswerable))
    gaps = {
        (exam_gap.reading, exam_gap.metric): exam_gap
        for exam_gap in report.exam_gaps
        if exam_gap.perturbation_class == "all"
    }
    with_codes = report.models[0].metrics["refusal_accuracy"].value
    assert with_codes is not None
    gap = gaps["strict", "refusal_accuracy"]
    assert (gap.codes, gap.other, gap.difference.value) == (with_codes, 0, with_codes)
    assert gap.difference.low is not None
    assert gap.difference.high is not None
    assert gap.difference.low <= with_codes <= gap.difference.high
    assert gaps["lenient", "refusal_accuracy"].difference.value == pytest.approx(
        with_codes - listed / len(unanswerable)
    )
    assert sum(kind.replies for kind in report.kinds) == ITEMS
    page = make_any_page(tmp_path / "run", items=10, resamples=20, seed=0, shortcuts=False)
    chapter = [section for section in page.sections if section.name == "settings"]
    assert chapter
    write_page(replace(page, sections=chapter), tmp_path / "page.html", tmp_path / "files")


def test_settings_that_cannot_be_asked_in_are_refused(tmp_path: Path, source: Path) -> None:
    with pytest.raises(ConfigError, match="goes with the prompt 'codes'"):
        run(tmp_path, source, "http://localhost:1", ["sixty"], prompts=("plain",), variant="confidence")
    function = "tests.evaluation.test_two_settings:answer"
    plan = EvaluationPlan(
        ItemSource(str(source)), models=(function,), out=tmp_path / "own", prompts=("plain",)
    )
    with pytest.raises(ConfigError, match="has a prompt of its own: leave out --prompt"):
        evaluate(plan)


def answer(query: str) -> str:
    return query


def test_a_run_in_two_settings_is_exported_and_replayed(tmp_path: Path, source: Path) -> None:
    template = tmp_path / "mine.j2"
    template.write_text(
        "{% block system %}You work for a public library.{% endblock %}{% block user %}{{ query }}{% endblock %}"
    )
    with LoopbackServer(Librarians(items_of(source))) as server:
        run(tmp_path, source, server.url, ["sixty"], prompts=("codes", "plain", str(template)))
    results = read_run(tmp_path / "run").results
    assert {row.prompt for row in results} == {"codes", "plain", "mine"}
    file = tmp_path / "replies.jsonl.gz"
    export_replies(tmp_path / "run", file)
    template.unlink()
    replayed = evaluate(
        EvaluationPlan(source=None, out=tmp_path / "again", replay=Replay(read_recording(file), fill=False))
    )
    assert replayed.facts["models"][0]["missing"] == 0
    assert read_run(tmp_path / "again").results == results
