"""`perturb bas`: tables in, figures and warnings out; calibration on disjoint rows; a run from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from perturb.metrics import BASReport, bas_score
from perturb.scoring.confidence_report import ConfidenceOptions, Split, calibrate_within, row_keys
from perturb.scoring.confidence_table import load_maps, read_confidence_tables
from tests.building import KEY, model
from tests.cli.conftest import Run
from tests.evaluation.rows import items_of, single, write_rows
from tests.evaluation.rows import run as evaluate_models
from tests.loopback import LoopbackServer
from tests.loopback.confiders import ConfidencePlayer, question_rows
from tests.loopback.responders import Responders

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

WORDS = ("bas",)
SPEC_FIELDS = {"bas", "accuracy", "ece", "aurc", "brier", "log_loss", "n", "intervals"}
WORKED = [(1, 0.7), (1, 0.7), (0, 0.3), (0, 0.3)]
"""A worked example of the paper: BAS 0.32."""


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def worked(name: str = "answers.csv") -> str:
    return write(name, "is_correct,confidence\n" + "".join(f"{z},{s}\n" for z, s in WORKED))


def overconfident(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, n)
    rows = {"item_id": [f"q{i}" for i in range(n)], "is_correct": rng.uniform(size=n) < p}
    return pd.DataFrame({**rows, "confidence": (p**0.3).round(3)})


# -- tables ----------------------------------------------------------------------------------------------------


def test_a_worked_example_to_the_printed_digits(run: Run) -> None:
    found = run(worked(), "--json").json
    assert found.keys() >= SPEC_FIELDS
    assert found["bas"].keys() == {"uniform", "linear", "quadratic"}
    assert round(found["bas"]["uniform"], 2) == 0.32
    assert (found["accuracy"], found["n"], round(found["brier"], 2)) == (0.5, 4, 0.09)
    assert found["intervals"]["bas_uniform"].keys() == {"low", "high", "se", "reason"}
    assert run("table", "answers.csv", "--json").json == found, "the word may be left out"
    assert run("--json", "answers.csv").json == found, "options may come first"
    printed = run("answers.csv").stdout
    assert re.search(r"^BAS +0\.322 \[", printed, re.M)
    assert re.search(rf"^ECE debiased +{found['ece_debiased']:.3f}$", printed, re.M)
    assert re.search(rf"^p calibrated +{found['calibration_p_value']:.3f}$", printed, re.M)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("flags", [[1, 1, 0, 0], [True, True, False, False], ["True", "true", "false", "0"]])
def test_every_form_and_spelling_says_the_same(run: Run, form: str, flags: list[Any]) -> None:
    frame = pd.DataFrame({"is_correct": flags, "confidence": [0.7, 0.7, 0.3, 0.3], "other": 1})
    name = f"answers.{form}"
    if form == "csv":
        frame.to_csv(name, index=False)
    elif form == "jsonl":
        frame.to_json(name, orient="records", lines=True)
    else:
        frame.to_parquet(name)
    assert run(name, "--json").json["bas"]["uniform"] == pytest.approx(
        bas_score([z for z, _ in WORKED], [s for _, s in WORKED])
    )


def test_percentages_are_taken_with_percent_and_named_without(run: Run) -> None:
    write("p.csv", "is_correct,confidence\n1,70\n1,70%\n0,30\n0,30 %\n")
    assert round(run("p.csv", "--percent", "--json").json["bas"]["uniform"], 2) == 0.32
    run("p.csv").fails("p.csv:3: confidence", "is a percentage: add --percent")
    write("n.csv", "is_correct,confidence\n1,0.7\n1,70\n")
    run("n.csv").fails("csv:3: confidence 70", "look like percentages, so add --percent")
    run(worked(), "--percent").fails("no confidence is above 1", "leave --percent out")
    write("slip.csv", "is_correct,confidence\n1,0.7\n1,1.2\n")
    run("slip.csv").fails("csv:3: confidence 1.2 lies outside 0 to 1: correct it")


def test_the_edge_of_a_bin_belongs_to_the_side_that_is_asked_for(run: Run) -> None:
    """Answers at .85 and .9 share a bin that is closed on the right; at .9 and .95 one that is closed on the left."""
    rows = [(1, 0.85)] * 3 + [(0, 0.9)] * 3 + [(1, 0.95)] * 3
    write("edge.csv", "is_correct,confidence\n" + "".join(f"{z},{s}\n" for z, s in rows))
    right = run("edge.csv", "--json").json
    left = run("edge.csv", "--json", "--ece-bins", "left").json
    ece = {"right": (abs(6 * 0.875 - 3) + 3 * 0.05) / 9, "left": (3 * 0.15 + abs(6 * 0.925 - 3)) / 9}
    for found, side in ((right, "right"), (left, "left")):
        assert found["bins_closed"] == side
        assert found["ece"] == pytest.approx(ece[side])
        assert [found[f"ece_bins_{one}"] for one in ece] == pytest.approx(list(ece.values()))
    swapped = "".join(f"{z},0.9\n" for z in (0, 0, 1))
    write("ties.csv", "is_correct,confidence\n" + swapped)
    found = run("ties.csv", "--json").json
    assert (found["aurc"], found["aurc_in_row_order"]) == pytest.approx((2 / 3, (1 + 1 + 2 / 3) / 3))


def test_levels_stand_for_the_middle_of_their_range(run: Run) -> None:
    write(
        "l.jsonl",
        '{"is_correct": 1, "confidence": "VERY_CONFIDENT"}\n{"is_correct": 0, "confidence": "uncertain"}\n',
    )
    expected = bas_score([1, 0], [0.95, 0.40])
    assert run("l.jsonl", "--json").json["bas"]["uniform"] == pytest.approx(expected)


def test_several_files_are_several_models_compared_on_the_same_questions(run: Run) -> None:
    first, second = overconfident(200), overconfident(200)
    second["confidence"] = (second["confidence"] ** 3).round(3)
    first.to_csv("over.csv", index=False)
    second.sample(frac=1, random_state=1).head(150).to_csv("better.csv", index=False)
    found = run("over.csv", "better.csv", "--json").json
    assert [one["model"] for one in found["results"]] == ["over", "better"]
    (gap,) = found["differences"]
    assert (gap["a"], gap["b"], gap["bas"]["n"]) == ("over", "better", 150)
    assert gap["bas"]["high"] < 0
    assert "over - better" in run("over.csv", "better.csv").stdout
    Path("other").mkdir()
    first.to_csv("other/over.csv", index=False)
    run("over.csv", "other/over.csv").fails("'over, over' is in over.csv too: rename a file")


def test_models_and_elicitations_of_one_table_are_scored_apart(run: Run) -> None:
    rows = [
        {"model": m, "elicitation": e, "is_correct": z, "confidence": s}
        for m in ("a", "b")
        for e in ("direct", "top-k")
        for z, s in WORKED
    ]
    pd.DataFrame(rows).to_csv("t.csv", index=False)
    found = run("t.csv", "--json").json["results"]
    assert [(one["model"], one["elicitation"], one["n"]) for one in found] == [
        ("a", "direct", 4),
        ("a", "top-k", 4),
        ("b", "direct", 4),
        ("b", "top-k", 4),
    ]


def test_rows_of_one_base_are_resampled_together(run: Run) -> None:
    frame = overconfident(50)
    copies = pd.concat([frame] * 8, ignore_index=True).drop(columns="item_id")
    copies.assign(base_id=np.tile(frame["item_id"], 8)).to_csv("c.csv", index=False)
    copies.to_csv("i.csv", index=False)
    together, apart = (run(name, "--json").json["intervals"]["accuracy"]["se"] for name in ("c.csv", "i.csv"))
    assert together > 2 * apart


def test_unscored_rows_are_left_out_and_counted(run: Run) -> None:
    write(
        "u.jsonl",
        '{"is_correct": 1, "confidence": 0.7, "unscored": null}\n'
        '{"is_correct": null, "confidence": null, "unscored": "reading: no block"}\n',
    )
    ended = run("u.jsonl", "--json")
    assert (ended.json["n"], ended.json["unscored"]) == (1, 1)
    assert "1 of 2 rows are unscored" in ended.stderr
    write("v.jsonl", '{"is_correct": null, "confidence": null, "unscored": "x"}\n')
    run("v.jsonl").fails("'v' has no scored row (1 row)")


def test_one_class_and_a_constant_confidence_are_scored_with_a_note(run: Run) -> None:
    ended = run(write("r.csv", "is_correct,confidence\n1,0.7\n1,0.9\n"), "--json")
    assert "every answer is right" in ended.stderr
    assert ended.json["warnings"]
    ended = run(write("c.csv", "is_correct,confidence\n1,0.7\n0,0.7\n"), "--json")
    assert "confidence is 0.7 throughout" in ended.stderr
    assert ended.json["aurc"] == pytest.approx(0.5)


def test_an_evaluation_with_confidence_is_a_source(run: Run, tmp_path: Path) -> None:
    source = write_rows(tmp_path / "items.jsonl", [single(number) for number in range(18)])
    with LoopbackServer(Responders(items_of(source))) as server:
        evaluate_models(tmp_path, source, server.url, ("wrong", "never"), variant="confidence")
        evaluate_models(tmp_path / "other", source, server.url, ("never",), variant="confidence")
    ended = run("./run", "--json")
    found = ended.json
    assert (found["model"], found["n"], found["accuracy"]) == ("wrong", 18, 0)
    assert found["bas"]["uniform"] == pytest.approx(bas_score([0], [0.95]))
    assert "never: states no confidence and is left out" in ended.stderr
    run("./other/run").fails("no model states a confidence: evaluate with --confidence")


BAD = [
    ("is_correct,confidence\n", "has no rows"),
    ("", "the file is empty"),
    ("correct,confidence\n1,0.5\n", "no column 'is_correct'"),
    ("is_correct,score\n1,0.5\n", "no column 'confidence'"),
    ("is_correct,confidence\n1,0.5\n2,0.5\n", ".csv:3: is_correct is '2"),
    ("is_correct,confidence\n1,0.5\n,0.5\n", ".csv:3: is_correct is missing"),
    ("is_correct,confidence\n1,0.5\n0,\n", ".csv:3: confidence is missing"),
    ("is_correct,confidence\n1,0.5\n0\n", ".csv:3: 1 cells where the header has 2"),
    ("is_correct,confidence\n1,0.5\n0,0.5,0.7\n", "3 cells where the header has 2"),
    ("is_correct,confidence\n1,0.5,0.7\n0,0.5,0.7\n", "3 cells where the header has 2"),
    ("confidence,is_correct,confidence\n1,0.5,1\n", "a column appears twice"),
    ("is_correct,confidence\n1,nan\n", ".csv:2: confidence is missing"),
    ("is_correct,confidence\n1,inf\n", ".csv:2: confidence"),
    ("is_correct,confidence\n1,high\n", ".csv:2: confidence is 'high'"),
    ("is_correct,confidence\n1,-0.1\n", ".csv:2: confidence -0.1 lies outside 0 to 1: correct it"),
    ("is_correct,confidence\n1,1.5\n0,101\n", ".csv:2: confidence 1.5 lies outside 0 to 1: correct it"),
    ("is_correct,confidence,item_id\n1,0.5,a\n0,0.5,\n", "column 'item_id' is empty in places"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_bad_table_is_one_line(run: Run, text: str, words: str) -> None:
    run(write("bad.csv", text)).fails("bad.csv", words)


# -- calibration -----------------------------------------------------------------------------------------------


def test_calibration_scores_no_row_it_has_learned_from(run: Run) -> None:
    overconfident(400).to_csv("a.csv", index=False)
    (group,) = read_confidence_tables([Path("a.csv")])
    found = calibrate_within(group, Split(), ConfidenceOptions())
    learned = set(found.fitted_on)
    scored = np.array([learned.isdisjoint(keys) for keys in row_keys(group)])
    assert (found.scores.n_calibration, found.scores.n_scored, int(scored.sum())) == (200, 200, 200)
    alone = BASReport(group.correct[scored], group.confidence[scored]).metrics
    assert found.scores.before.metrics == alone
    printed = run("calibrate", "a.csv", "--json").json
    assert printed["before"]["bas"]["uniform"] == pytest.approx(alone["bas_uniform"].value)
    assert printed["after"]["isotonic"]["bas"]["uniform"] > printed["before"]["bas"]["uniform"]
    assert printed["after"].keys() == {"isotonic", "platt", "temperature", "histogram"}
    assert [row["size"] for row in printed["ablation"]] == [10, 25, 50, 100]
    assert printed["ablation"][0]["repeats"] == 20


@pytest.mark.parametrize("named", [True, False])
def test_a_saved_map_is_applied_to_rows_it_has_not_seen(run: Run, named: bool) -> None:
    columns = ["item_id", "is_correct", "confidence"] if named else ["is_correct", "confidence"]
    overconfident(400)[columns].to_csv("a.csv", index=False)
    fitted = run("calibrate", "a.csv", "--save", "map.json", "--json").json
    applied = run("calibrate", "a.csv", "--apply", "map.json", "--json")
    assert (applied.json["n_scored"], applied.json["left_out"]) == (200, 200)
    assert "200 rows that a map has learned from left out" in applied.stderr
    assert applied.json["before"] == fitted["before"]
    assert applied.json["after"]["isotonic"] == fitted["after"]["isotonic"]
    (saved,) = load_maps(Path("map.json"))
    assert (saved.model, saved.fitted.method, saved.fitted.n) == ("a", "isotonic", 200)
    other = overconfident(100, seed=9)
    other.assign(item_id=[f"other{i}" for i in range(100)])[columns].to_csv("b.csv", index=False)
    assert run("calibrate", "b.csv", "--apply", "map.json", "--json").json["n_scored"] == 100


def test_a_table_of_its_own_calibrates_and_shared_questions_are_left_out(run: Run) -> None:
    frame = overconfident(400)
    frame.head(220).to_csv("fit.csv", index=False)
    frame.tail(200).to_csv("score.csv", index=False)
    ended = run(
        "calibrate", "score.csv", "--on", "fit.csv", "--json", "--method", "platt", "--save", "m.json"
    )
    assert (ended.json["n_calibration"], ended.json["n_scored"], ended.json["left_out"]) == (220, 180, 20)
    assert load_maps(Path("m.json"))[0].fitted.method == "platt"
    run("calibrate", "fit.csv", "--on", "fit.csv").fails("every row is in the calibration table")


def test_questions_of_one_base_stay_on_one_side(run: Run) -> None:
    frame = overconfident(120).assign(base_id=[f"b{i // 4}" for i in range(120)])
    frame.to_csv("a.csv", index=False)
    (group,) = read_confidence_tables([Path("a.csv")])
    learned = set(calibrate_within(group, Split(), ConfidenceOptions()).fitted_on)
    assert group.bases is not None
    sides = {
        (base, base in learned, item in learned)
        for base, item in zip(group.bases, group.items or (), strict=True)
    }
    assert len(sides) == 30
    assert sum(inside for _, inside, _ in sides) == 15


def test_calibration_prints_before_and_after(run: Run) -> None:
    overconfident(300).to_csv("a.csv", index=False)
    out = run("calibrate", "a.csv", "--share", 0.4).stdout
    assert re.search(r"^a +as stated +120 +180 +−?0\.\d{3} \[", out, re.M)
    assert "mean and standard deviation of 20 draws" in " ".join(out.split())


def test_a_report_page_is_written(run: Run) -> None:
    overconfident(60).to_csv("a.csv", index=False)
    assert "report: page.html" in run("a.csv", "--report", "page.html", "--resamples", 20).stderr
    assert "Decisions" in Path("page.html").read_text(encoding="utf-8")
    assert run("calibrate", "a.csv", "--report", "both.html", "--resamples", 20).returncode == 0
    assert Path("both/tables/calibration.csv").is_file()


def test_wrong_calibrations_are_one_line(run: Run) -> None:
    overconfident(40).to_csv("a.csv", index=False)
    run("calibrate", "a.csv", "--apply", "none.json").fails("none.json: no such file")
    run("calibrate", "a.csv", "--apply", write("m.json", "{}")).fails("m.json: holds no maps")
    run("calibrate", "a.csv", "--apply", write("m.json", "x")).fails("m.json: not JSON")
    entry: dict[str, Any] = {
        "model": "a",
        "elicitation": None,
        "method": "platt",
        "n": 1,
        "parameters": {},
        "fitted_on": [],
    }
    content = json.dumps({"format": "perturb calibration maps 1", "maps": [entry]})
    run("calibrate", "a.csv", "--apply", write("m.json", content)).fails("m.json: not a platt map")
    overconfident(1).to_csv("one.csv", index=False)
    run("calibrate", "one.csv").fails("1 questions cannot be split")
    run("calibrate", "a.csv", "--save", "no/such/m.json").fails("cannot be written")
    assert run("calibrate", "a.csv", "--share", 2).returncode == 2


# -- a run -----------------------------------------------------------------------------------------------------


def test_a_run_ends_with_scores_and_a_table(run: Run) -> None:
    write_rows(Path("qa.jsonl"), question_rows(12))
    with LoopbackServer(ConfidencePlayer()) as server:
        models = [model(name, server.url) for name in ("honest", "overconfident", "judge")]
        Path("models.yaml").write_text(yaml.safe_dump({"models": models}))
        arguments = ["run", "qa.jsonl", "--model", "honest", "--model", "overconfident", "--judge", "judge",
                     "--models", "models.yaml", "--elicitation", "direct", "--elicitation", "top-k"]  # fmt: skip
        found = run(*arguments, "--json").json
        assert (found["rows"], found["unscored"], found["run"]) == (48, 0, "outputs/bas-qa")
        assert len(found["results"]) == 4
        asked = server.counters.total
        again = run(*arguments)
        assert (again.returncode, server.counters.total) == (0, asked)
    assert "Table: outputs/bas-qa/confidence.jsonl" in again.stdout
    assert "Calls: 48" in again.stdout
    assert run("outputs/bas-qa", "--json").json["results"] == found["results"]
    assert KEY not in "".join(
        path.read_text(errors="replace") for path in Path("outputs").rglob("*") if path.is_file()
    )


def test_wrong_runs_are_one_line(run: Run) -> None:
    run("run", "none.csv", "--model", "a/b", "--judge", "a/b").fails("none.csv")
    write("qa.csv", "question,answer\nWho?,Ada\n")
    run("run", "qa.csv", "--model", "a/b").fails("--judge")
    run("run", "qa.csv", "--model", "nobody", "--judge", "a/b").fails("'nobody' is not known")
    assert run("run", "qa.csv", "--model", "a/b", "--elicitation", "magic").returncode == 2
    assert not Path("outputs").exists()


def test_a_weight_of_your_own_is_scored_as_the_named_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    overconfident(80).to_csv("t.csv", index=False)
    write("own_weight.py", "def cautious(t):\n    return 3 * t**2\n")
    monkeypatch.syspath_prepend(".")
    result = run("t.csv", "--weight", "own_weight:cautious", "--json").json
    assert result["bas_weighted"]["value"] == pytest.approx(result["bas"]["quadratic"], abs=1e-9)
    ends = result["intervals"]["bas_quadratic"]
    assert result["bas_weighted"]["low"] == pytest.approx(ends["low"], abs=1e-6)
    assert result["bas_weighted"]["high"] == pytest.approx(ends["high"], abs=1e-6)
    named = run("t.csv", "--weight", "quadratic", "--json").json["bas_weighted"]
    assert [named["low"], named["high"]] == pytest.approx([ends["low"], ends["high"]], abs=1e-9)
    assert "w = own_weight:cautious" in run("t.csv", "--weight", "own_weight:cautious").stdout


BAD_WEIGHTS = """
def small(t):
    return t

def negative(t):
    return 1.5 - t * 2

def failing(t):
    raise RuntimeError("out of order")
"""


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("bad_weights:small", "integrates to 0.5"),
        ("bad_weights:negative", "negative"),
        ("bad_weights:failing", "out of order"),
        ("bad_weights:missing", "no function 'missing'"),
        ("3*t**2", "give one of uniform, linear, quadratic"),
    ],
)
def test_a_bad_weight_is_wrong_use_in_one_line(run: Run, weight: str, words: str) -> None:
    overconfident(20).to_csv("t.csv", index=False)
    write("bad_weights.py", BAD_WEIGHTS)
    ended = run("t.csv", "--weight", weight)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.strip().splitlines()) <= 2


def test_calibration_across_data_sets_is_printed(run: Run) -> None:
    frame = pd.concat([overconfident(120).assign(model="m", dataset=name) for name in ("med", "aime")])
    frame.assign(item_id=[*range(len(frame))]).to_csv("t.csv", index=False)
    assert (
        "Maps across data sets: platt"
        in run("calibrate", "t.csv", "--method", "platt", "--repeats", 1).stdout
    )
    told = run("calibrate", "t.csv", "--repeats", 1, "--json").json["across"]
    assert {(one["fitted_on"], one["scored_on"]) for one in told} == {
        (a, b) for a in ("med", "aime") for b in ("med", "aime")
    }
