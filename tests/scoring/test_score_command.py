"""`perturb score`: from an evaluation's folder or a table to tables, notes and JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from perturb.cli.main import main
from perturb.records import Intensity
from perturb.scoring.score_report import score
from tests.building import perturb
from tests.evaluation.rows import items_of, run, several, single, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns
from tests.loopback.responders import Responders, has_right_code
from tests.scoring.tables import items, reply, right, right_at_rate, write_csv

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def perturb_score(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `perturb score ARGUMENTS` in this process: exit code, output, notes."""

    def command(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["perturb", "score", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        return (code, *capsys.readouterr())

    return command


class JudgeUnderTest(Responders):
    """Plays a judge whatever its name is: only judges get two messages."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to the conversation."""
        return super().play("judge" if len(messages) == 2 else model, messages)


def test_scripted_models_get_the_scores_counted_by_hand(tmp_path: Path) -> None:
    """From snapshot to scores, over the loopback provider."""
    source = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(36)])
    every = items_of(source)
    models = ("refuse", "never", "sixty", "wrong")
    with LoopbackServer(Responders(every)) as server:
        run(tmp_path, source, server.url, models, variant="confidence")
    report = score(tmp_path / "run", resamples=20)
    values = {
        model.model: {name: estimate.value for name, estimate in model.metrics.items()}
        for model in report.models
    }
    unanswerable = [item for item in every if item.cell.intensity is not Intensity.LOW]
    known = sum(has_right_code(item) for item in unanswerable) / len(unanswerable)
    assert report.warnings == ()
    assert values["refuse"]["false_refusal_rate"] == values["never"]["missed_refusal_rate"] == 1
    assert values["refuse"]["refusal_accuracy"] == pytest.approx(1 / 6)
    assert values["never"]["calibrated_refusal_score"] == pytest.approx(0.5)
    assert values["sixty"]["refusal_accuracy"] == values["sixty"]["category_accuracy"] == pytest.approx(known)
    assert values["sixty"]["calibrated_refusal_score"] == pytest.approx((1 + known) / 2)
    assert values["wrong"]["answer_accuracy"] == 0
    assert values["wrong"]["ece"] == pytest.approx(0.95)
    assert values["sixty"]["ece"] is values["never"]["answer_quality"] is None


def test_a_run_and_its_results_file_score_alike(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [several(number) for number in range(36)])
    with LoopbackServer(Responders(items_of(source))) as server:
        run(tmp_path, source, server.url, ["never", "wrong"])
    from_run = score(tmp_path / "run", resamples=20).to_dict()
    from_file = score(tmp_path / "run" / "results.jsonl", resamples=20).to_dict()
    assert from_run.pop("source") != from_file.pop("source")
    assert from_run == from_file
    assert from_run["models"][0]["metrics"]["answer_quality"]["value"] == 1
    assert from_run["models"][0]["metrics"]["hybrid_score"]["value"] == pytest.approx(1 / 3)


def test_where_every_question_is_refused_answer_quality_is_zero(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [several(number) for number in range(18)])
    with LoopbackServer(Responders(items_of(source))) as server:
        run(tmp_path, source, server.url, ["refuse"])
    for results in (tmp_path / "run", tmp_path / "run" / "results.jsonl"):
        (model,) = score(results, resamples=20).to_dict()["models"]
        assert model["metrics"]["answer_quality"]["value"] == 0
        assert model["metrics"]["hybrid_score"]["value"] == pytest.approx(2 / 18)


def test_a_judge_under_test_and_items_without_reply_are_noted(tmp_path: Path, perturb_score: Command) -> None:
    source = write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(18)])
    with LoopbackServer(JudgeUnderTest(items_of(source))) as server:
        run(tmp_path, source, server.url, ["sixty", "never"], judge="never")
    code, out, err = perturb_score(tmp_path / "run", "--all", "--resamples", 10)
    assert (code, err) == (0, "")
    assert "never is the judge too and judged its own replies" in out
    assert re.search(r"^replies +18 +18$", out, re.M)
    _, _, err = perturb_score(tmp_path / "run", "--resamples", 10, "--json")
    assert "note: never is the judge too and judged its own replies" in err


def test_the_overview_of_three_models_in_two_settings_fits_a_screen(
    tmp_path: Path, perturb_score: Command
) -> None:
    rows = [
        row | {"prompt": prompt}
        for name, rate in (("strong", 0.9), ("middling", 0.6), ("weak", 0.3))
        for prompt in ("codes", "plain")
        for row in right_at_rate(rate, name, 90, seed=1)
    ]
    rows[3] |= {"predicted": None}
    path = write_rows(tmp_path / "results.jsonl", rows)
    code, out, _ = perturb_score(path, "--resamples", 20)
    assert code == 0
    assert len(out.splitlines()) <= 40
    assert re.search(r"^strong \(codes\) has a calibrated refusal score", out, re.MULTILINE)
    assert "do not count as right or wrong: strong (codes) 1." in " ".join(out.split())
    titles = ("Ranking", "What became of the scored replies", "Refusal accuracy by class")
    assert [title for title in titles if f"\n{title}" in out] == list(titles)
    _, everything, _ = perturb_score(path, "--resamples", 20, "--all")
    _, listed, _ = perturb_score(path, "--resamples", 20, "--by", "intensity")
    assert "By intensity" in everything
    assert "By intensity" in listed


def test_the_tables(tmp_path: Path, perturb_score: Command) -> None:
    rows = right_at_rate(0.6, "g0", 180, seed=1) + [right(item, "m") for item in items(180)]
    rows[5] |= {"predicted": None}
    path = write_csv(tmp_path / "results.csv", rows)
    code, out, err = perturb_score(path, "--all", "--resamples", 50)
    assert (code, err) == (0, "")
    titles = re.findall(r"^\n?(\w[^\n]*, in p\w+ points|By \w+|Ranking|Range|What)", out, re.MULTILINE)
    assert [title.split(",")[0] for title in titles] == [
        *("Ranking", "Range", "What", "By class", "By intensity"),
        "Differences on the same items",
    ]
    assert "do not count as right or wrong: g0 1." in " ".join(out.split())
    assert re.search(r"^CRS +100\.0 \[\d\d\.\d, 100\.0\] +\d\d\.\d \[\d\d\.\d, \d\d\.\d\]", out, re.M)
    assert "Items that a model generated itself" in out
    assert "ECE" not in out, "no reply states a confidence"


def test_groups_are_listed_as_asked(tmp_path: Path, perturb_score: Command) -> None:
    path = write_rows(tmp_path / "results.jsonl", [right(item, "m") for item in items(36)])
    code, out, _ = perturb_score(path, "--by", "domain", "--by", "lever", "--resamples", 10)
    assert code == 0
    assert "By domain" in out
    assert "By lever" in out
    assert "By class" not in out


def test_a_grouping_that_the_table_lacks_is_noted(tmp_path: Path, perturb_score: Command) -> None:
    rows = [{**right(item, "m"), "domain": None} for item in items(36)]
    code, out, err = perturb_score(
        write_rows(tmp_path / "r.jsonl", rows), "--by", "domain", "--resamples", 10
    )
    assert (code, err) == (0, "")
    assert "The results do not say the domain of an item." in out
    assert "By domain" not in out


def test_the_json_is_one_line_on_stdout(tmp_path: Path, perturb_score: Command) -> None:
    path = write_rows(tmp_path / "results.jsonl", right_at_rate(0.6, "m", 36, seed=1))
    code, out, err = perturb_score(path, "--json", "--resamples", 10, "--seed", 3, "--unit", "item")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert (found["resamples"], found["seed"], found["unit"]) == (10, 3, "item")
    assert found == score(path, resamples=10, seed=3, unit="item").to_dict()


def test_scores_are_set_against_what_a_models_file_says(tmp_path: Path, perturb_score: Command) -> None:
    rows = [row for name, rate in (("a", 0.4), ("b", 0.9)) for row in right_at_rate(rate, name, 36, seed=1)]
    path = write_rows(tmp_path / "results.jsonl", rows)
    (tmp_path / "m.yaml").write_text("models:\n  - {name: a, model: x/a, size_b: 8}\n", encoding="utf-8")
    code, out, _ = perturb_score(path, "--models", tmp_path / "m.yaml", "--json", "--resamples", 10)
    (known,) = json.loads(out)["covariates"]["models"]
    assert (code, known["model"], known["size_b"]) == (0, "a", 8)
    assert set(known["scores"]) == {"CRS", "answer accuracy", "refusal accuracy"}


def test_a_bad_table_is_one_line_and_exit_1(tmp_path: Path, perturb_score: Command) -> None:
    path = write_rows(tmp_path / "results.jsonl", [reply(items(1)[0], "m", "ANSWER", quality=7)])
    code, out, err = perturb_score(path)
    assert (code, out) == (1, "")
    assert err == f"perturb: {path}:1: 'quality' is 7: give a whole number from 1 to 5\n"


@pytest.mark.parametrize("arguments", [["--unit", "question"], ["--resamples", "0"], ["--by", "colour"]])
def test_wrong_use_is_exit_2(tmp_path: Path, perturb_score: Command, arguments: list[str]) -> None:
    assert perturb_score(tmp_path / "results.jsonl", *arguments)[0] == 2


def test_a_folder_without_an_evaluation(tmp_path: Path, perturb_score: Command) -> None:
    code, out, err = perturb_score(tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_one_model_alone_scores_as_beside_others(tmp_path: Path) -> None:
    rows = [row for model in ("a", "b") for row in right_at_rate(0.6, model, 90, seed=3)]
    path = write_rows(tmp_path / "results.jsonl", rows)
    both, alone = score(path, resamples=20).to_dict(), score(path, resamples=20, models=["b"]).to_dict()
    assert alone["models"] == both["models"][1:]
    assert alone["comparisons"] == []
    perturb("score", path, "--model", "c").fails(f"{path}: no model 'c': it has a, b")


def test_the_items_of_a_part_are_scored_beside_the_whole(tmp_path: Path, perturb_score: Command) -> None:
    rows = [row for number, row in enumerate(right_at_rate(0.6, "a", 36, seed=3)) if number != 20]
    path = write_rows(tmp_path / "results.jsonl", rows)
    part = write_rows(tmp_path / "part.jsonl", [single(number) for number in range(18, 40)])
    _, out, _ = perturb_score(path, "--part", part, "--resamples", 20, "--json")
    found = json.loads(out)
    alone = score(write_rows(tmp_path / "alone.jsonl", rows[18:]), resamples=20).to_dict()
    assert found["part"] == {"source": str(part), "models": alone["models"]}
    assert (found["models"][0]["n"], found["part"]["models"][0]["n"]) == (35, 17)
    assert f"The same on the items of {part} alone" in perturb_score(path, "--part", part)[1].replace(
        "\n", " "
    )
    strange = write_rows(tmp_path / "strange.jsonl", [single(99)])
    code, _, err = perturb_score(path, "--part", strange)
    assert (code, err.count("\n")) == (1, 1)
    assert "has no reply to its items" in err
