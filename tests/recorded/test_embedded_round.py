"""The embedded recordings: replies of a language model, read, checked, audited and scored by today's code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.auditing.audit_report import audit
from perturb.files.resources import demo_recording
from perturb.llm.recording import read_recording
from perturb.reports.audit_page import make_page
from perturb.snapshots.snapshot import read_snapshot
from perturb.text.wording import certificate_line
from tests.building import perturb

FILE = demo_recording("recorded")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The run that the bare command makes of the embedded round, and what the command prints."""
    folder = tmp_path_factory.mktemp("embedded")
    return folder / "demo", perturb("build", "--out", folder).output


@pytest.fixture(scope="module")
def facts(printed: tuple[Path, str]) -> dict[str, Any]:
    """What the same command says as JSON."""
    run, _ = printed
    return dict(perturb("build", "--out", run.parent, "--json").json)


def test_the_recorded_round_is_whole_and_has_something_to_show(facts: dict[str, Any]) -> None:
    assert FILE is not None
    assert FILE.stat().st_size < 3_000_000
    assert facts["missing_replies"] == []
    assert facts["undecided"] == facts["errors"] == 0
    assert facts["candidates"] >= 400
    assert facts["cells_filled"] == 18
    assert facts["accepted"] < facts["candidates"]
    assert (facts["planted_votes"], facts["votes"]) == (3 * 42, 3 * facts["candidates"])
    found = audit(Path(facts["run"]), resamples=100).to_dict()
    assert found["certificate"] == facts["certificate"]
    assert all(pair["kappa"] is not None for pair in found["kappa"]["pairs"])
    assert {one["model"] for one in found["self_bias"]} >= {"writer-a", "writer-b"}


def test_the_recorded_round_is_certified(facts: dict[str, Any]) -> None:
    told = facts["certificate"]
    assert (told["planted"], told["right"]) == (20, 18)
    assert told["by_kind"]["lever"]["planted"] + told["by_kind"]["degree"]["planted"] == 4
    assert all(one["false_pass"]["value"] == 0 for one in told["by_verifier"].values())
    assert {one["false_fail"]["n"] for one in told["by_verifier"].values()} == {18}
    assert told["wrong_labels"]["value"] == 0
    assert told["wrong_labels"]["high"] < 0.05
    snapshot = read_snapshot(Path(facts["snapshot"]))
    assert snapshot.manifest["certificate"] == told
    line = certificate_line(told, 3)[1:]
    assert line in (snapshot.folder / "README.md").read_text(encoding="utf-8").replace("\\", "")
    assert line in make_page(Path(facts["run"]), items=0, resamples=50).sections[0].sentences[0]
    planted = {one["candidate"]["id"] for one in read_recording(FILE).planted} if FILE else set()
    assert len(planted) == 42
    assert planted.isdisjoint(row["id"] for row in snapshot.read_rows())


def test_the_demo_counts_its_replies_alike_everywhere_and_says_what_its_bias_is_worth(
    printed: tuple[Path, str],
) -> None:
    run, output = printed
    first, second, _, certified = output.splitlines()[:4]
    assert certified.startswith("Wrong labels: 0.0 %")
    assert first.startswith("Made: 423 items of 432 jobs"), "nothing else comes first"
    assert second == "No model was asked: all 1,854 replies come from the recording"
    text = (run / "report.html").read_text()
    assert second in text
    audited = perturb("audit", run, "--resamples", "50").stdout
    caveat = "contexts of one language model"
    assert " ".join(audited.split()).count(caveat) == 2, (
        "in the summary, and above the table of self-evaluation"
    )
    assert text.count(caveat) >= 2


def test_the_recorded_evaluation_tells_three_instructions_of_one_model_apart(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    made = perturb("evaluate", "--demo", "--out", run, "--json")
    assert made.json["missing_replies"] == []
    scored = perturb("score", run, "--json", "--resamples", "100")
    models = {one["model"]: one for one in scored.json["models"]}
    assert set(models) == {"steady", "cautious", "eager"}

    def value(model: str, metric: str) -> float:
        return float(models[model]["metrics"][metric]["value"])

    assert {model["n"] for model in models.values()} == {126}
    assert value("steady", "refusal_accuracy") > 0.95 > value("eager", "refusal_accuracy")
    assert value("eager", "missed_refusal_rate") > 0.5 > value("steady", "missed_refusal_rate")
    assert value("cautious", "false_refusal_rate") > 0.1 > value("steady", "false_refusal_rate")


def demo(command: str, run: Path) -> dict[str, Any]:
    made = perturb(command, "--demo", "--out", run, "--json")
    facts: dict[str, Any] = made.json
    assert facts["missing_replies"] == []
    assert facts["unscored"] == 0
    assert (run / "report.html").exists()
    return facts


def test_the_recorded_two_passes_refuse_what_would_be_wrong(tmp_path: Path) -> None:
    facts = demo("refusal-index", tmp_path / "run")
    groups = {fact["setting"]: fact for fact in facts["results"]}
    assert set(groups) == {"low", "normal", "high", "highest"}
    assert {group["n"] for group in groups.values()} == {facts["questions"]} == {141}
    for group in groups.values():
        assert 0.15 < group["refusal_rate"] < 0.4
        assert group["n11"] > group["n01"], (
            "more errors among the refused questions than among those answered"
        )
        assert group["n10"] > 5, "forced answers that are right"
        assert group["refusal_index"] > 0.5


def test_the_recorded_confidence_tells_right_from_wrong_in_every_elicitation(tmp_path: Path) -> None:
    facts = demo("bas", tmp_path / "run")
    groups = {fact["elicitation"]: fact for fact in facts["results"]}
    assert set(groups) == {"direct", "reflection", "top-k", "top-k-reflection"}
    assert {group["n"] for group in groups.values()} == {facts["questions"]} == {141}
    rows = [json.loads(line) for line in (tmp_path / "run" / "confidence.jsonl").read_text().splitlines()]
    for way in groups:
        of_way = [row for row in rows if row["elicitation"] == way]
        right, wrong = ([row["confidence"] for row in of_way if row["is_correct"] == one] for one in (1, 0))
        assert sum(right) / len(right) > sum(wrong) / len(wrong) + 0.2
