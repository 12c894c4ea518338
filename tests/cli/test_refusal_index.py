"""`perturb refusal-index`: tables in, figures and warnings out; a run from the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from perturb.metrics import refusal_index, refusal_index_from_counts
from tests.building import model
from tests.cli.conftest import Run
from tests.loopback import LoopbackServer
from tests.loopback.answerers import AnswererPlayer

# litellm silences this one itself, but pytest puts its own filters in the place of litellm's.
pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

WORDS = ("refusal-index",)
SPEC_FIELDS = {
    *("refusal_index", "low", "high", "se", "rho", "n", "n11", "n10", "n01", "n00", "boundary", "reason"),
    *("correct_rate", "refusal_rate", "c_over_a", "f_score", "weighted"),
}
COUNTS = (60, 20, 50, 70)
ROWS = [(1, 1)] * 60 + [(1, 0)] * 20 + [(0, 1)] * 50 + [(0, 0)] * 70


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "t.csv", ("refused", "wrong"), ROWS)


@pytest.fixture
def settings_table(tmp_path: Path) -> Path:
    """Two models with one index each, under three settings."""
    rng = np.random.default_rng(5)
    rows: list[tuple[object, ...]] = []
    for name, rho in (("strong", 0.8), ("weak", 0.2)):
        urges = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], 800)
        for setting, threshold in (("low", 1.0), ("high", 0.2), ("highest", -0.4)):
            rows += [(name, setting, int(r > threshold), int(w > -0.2)) for r, w in urges]
    return write(tmp_path / "s.csv", ("model", "setting", "refused", "wrong"), rows)


# -- one table -------------------------------------------------------------------------------------------------


def test_the_json_of_one_table_has_the_fields_of_the_specification(run: Run, table: Path) -> None:
    ended = run(table, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    told = ended.json
    assert told.keys() >= SPEC_FIELDS
    expected = refusal_index_from_counts(*COUNTS).to_dict()
    assert {name: told[name] for name in expected} == expected
    assert set(told["weighted"]) == {"p=0.2", "p=1"}
    assert "model" not in told


def test_the_word_table_and_the_place_of_options_do_not_matter(run: Run, table: Path) -> None:
    plain = run(table, "--json").json
    assert run("table", table, "--json").json == run("--json", table).json == plain


def test_every_companion_has_an_interval_around_it(run: Run, table: Path) -> None:
    intervals = run(table, "--json").json["intervals"]
    assert set(intervals) == {
        *("correct_rate", "refusal_rate", "c_over_a", "f_score", "weighted p=0.2", "weighted p=1")
    }
    for interval in intervals.values():
        assert interval["low"] < interval["value"] < interval["high"]
    # The standard error of a share, by its formula.
    c = 70 / 200
    assert intervals["correct_rate"]["se"] == pytest.approx((c * (1 - c) / 200) ** 0.5, rel=0.1)


def test_questions_of_one_base_are_resampled_together(run: Run, tmp_path: Path) -> None:
    rows = [(r, w, n // 4) for n, (r, w) in enumerate(ROWS)]
    grouped = write(tmp_path / "g.csv", ("refused", "wrong", "base_id"), rows)
    told = run(grouped, "--json").json
    refused, wrong, bases = zip(*rows, strict=True)
    expected = refusal_index(refused, wrong, clusters=[str(base) for base in bases])
    assert (told["low"], told["high"]) == (expected.low, expected.high)
    assert told["high"] - told["low"] > 1.3 * (
        refusal_index_from_counts(*COUNTS).high - refusal_index_from_counts(*COUNTS).low  # type: ignore[operator]
    )
    ended = run(grouped, "--interval", "delta")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "--interval: the delta method takes items as independent" in ended.stderr


def test_the_printed_tables_hold_scores_counts_and_copulas(run: Run, table: Path) -> None:
    out = " ".join(run(table).stdout.split())
    index = refusal_index_from_counts(*COUNTS)
    assert f"{index.refusal_index:.3f} [{index.low:.3f}, {index.high:.3f}]" in out
    for family in ("gaussian", "student-t", "clayton", "gumbel"):
        assert family in out
    assert "it holds no evidence between them" in out
    assert "takes p = 0.2, its table 7 p = 1" in out
    assert "coefficient of variation of RI would be 0.1" in out


# -- limits told to the user -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(0, 1), (0, 0)] * 20, "no question was refused"),
        ([(1, 1), (1, 0)] * 20, "every question was refused"),
        ([(1, 0), (0, 0)] * 20, "no answer was wrong"),
        ([(1, 1), (0, 1)] * 20, "every answer was wrong"),
    ],
)
def test_an_undefined_index_is_null_with_its_reason(
    run: Run, tmp_path: Path, rows: list[tuple[int, int]], words: str
) -> None:
    path = write(tmp_path / "t.csv", ("refused", "wrong"), rows)
    told = run(path, "--json").json
    assert told["refusal_index"] is None
    assert words in told["reason"]
    assert told["questions_needed"]["value"] is None
    ended = run(path)
    assert ended.returncode == 0
    assert words in " ".join(ended.stdout.split())


def test_a_sparse_table_and_an_empty_cell_are_said(run: Run, tmp_path: Path) -> None:
    sparse = write(
        tmp_path / "t.csv", ("refused", "wrong"), [(1, 1)] * 2 + [(1, 0)] + [(0, 1)] * 10 + [(0, 0)] * 40
    )
    assert "fewer than 5" in run(sparse).stdout
    edge = write(tmp_path / "e.csv", ("refused", "wrong"), [(1, 1)] * 20 + [(0, 1)] * 20 + [(0, 0)] * 40)
    told = run(edge, "--json").json
    assert (told["refusal_index"], told["boundary"]) == (1.0, True)


def test_unscored_rows_are_left_out_and_counted(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", ("refused", "wrong"), [*ROWS, ("", ""), (1, "")])
    told = run(path, "--json").json
    assert (told["n"], told["unscored"]) == (200, 2)
    assert "2 rows unscored" in run(path).stdout
    nothing = tmp_path / "n.jsonl"
    nothing.write_text('{"refused": 1, "wrong": null}\n{"refused": null, "wrong": 1}\n')
    told = run(nothing, "--json").json
    assert (told["refusal_index"], told["reason"]) == (None, "every row is unscored")
    assert run(nothing).returncode == 0


def test_the_sample_size_follows_the_wanted_precision(run: Run, table: Path) -> None:
    coarse, fine = (run(table, "--json", "--cv", cv).json["questions_needed"]["value"] for cv in (0.2, 0.1))
    assert fine == pytest.approx(4 * coarse, rel=0.01)


# -- several groups --------------------------------------------------------------------------------------------


def test_each_model_and_setting_has_its_figures(run: Run, settings_table: Path) -> None:
    told = run(settings_table, "--json").json
    results = told["results"]
    assert [(result["model"], result["setting"]) for result in results] == [
        (name, setting) for name in ("strong", "weak") for setting in ("low", "high", "highest")
    ]
    assert all(result.keys() >= SPEC_FIELDS for result in results)
    stability = {(one["model"], one["metric"]): one for one in told["stability"]}
    for name in ("strong", "weak"):
        index, rate = stability[name, "refusal_index"], stability[name, "refusal_rate"]
        assert abs(index["difference"]["value"]) < abs(rate["difference"]["value"])
    ranking = {(one["metric"], one["given"]): one for one in told["ranking"]}
    assert ranking["refusal_index", "nothing"]["kendalls_w"]["value"] == 1.0
    assert {given for _, given in ranking} == {"nothing", "correct_rate", "refusal_rate", "both"}
    assert set(told["copula_win_rates"]) == {"student-t", "clayton", "gumbel"}


def test_groups_are_printed_with_stability_and_ranking(run: Run, settings_table: Path) -> None:
    out = run(settings_table).stdout
    assert "strong / highest" in out
    assert "Each metric between the settings of a model" in out
    assert "Kendall's W" in out
    assert " ".join(out.split()).count("it holds no evidence between them") == 1


def test_an_undefined_setting_leaves_stability_undefined(run: Run, tmp_path: Path) -> None:
    rows = [("m", s, r, w) for s in ("a", "b") for r, w in ROWS] + [("m", "c", 0, w) for _, w in ROWS]
    told = run(write(tmp_path / "t.csv", ("model", "setting", "refused", "wrong"), rows), "--json").json
    found = {one["metric"]: one for one in told["stability"]}
    assert found["refusal_index"]["difference"]["reason"] == "undefined under some setting"
    assert found["refusal_rate"]["difference"]["value"] is not None


def test_the_report_page_has_curves_scores_and_copulas(
    run: Run, settings_table: Path, tmp_path: Path
) -> None:
    ended = run(settings_table, "--report", tmp_path / "page.html")
    assert ended.returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Accuracy and refusal: strong" in page
    figures = {path.name for path in (tmp_path / "page" / "figures").glob("*.svg")}
    assert figures == {
        *(f"{name}.svg" for name in ("refusal-index", "subsets")),
        *(f"iso-{kind}-{number}.svg" for kind in ("ri", "metrics") for number in (1, 2)),
    }
    with (tmp_path / "page" / "tables" / "scores.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    told = run(settings_table, "--json").json["results"]
    assert [float(row["RI"]) for row in rows] == [one["refusal_index"] for one in told]
    assert [float(row["F low"]) for row in rows] == [one["intervals"]["f_score"]["low"] for one in told]
    assert (tmp_path / "page" / "tables" / "copulas.csv").exists()


# -- bad tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "rows", "words"),
    [
        (("refused",), [(1,)], "no column 'wrong'"),
        (("refused", "wrong"), [], "has no rows"),
        (("refused", "wrong"), [(1, 0), (2, 0)], "t.csv:3: field 'refused' must be 0 or 1, got '2'"),
        (("refused", "wrong"), [(1, "yes")], "t.csv:2: field 'wrong' must be 0 or 1"),
        (
            ("item_id", "refused", "wrong"),
            [("a", 1, 0), ("a", 1, 0)],
            "t.csv:3: field 'item_id' 'a' appears twice",
        ),
    ],
)
def test_a_bad_table_is_one_line(
    run: Run, tmp_path: Path, header: Sequence[str], rows: list[tuple[object, ...]], words: str
) -> None:
    ended = run(write(tmp_path / "t.csv", header, rows))
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert words in ended.stderr


# -- a run -----------------------------------------------------------------------------------------------------


@pytest.fixture
def player() -> AnswererPlayer:
    return AnswererPlayer({f"What is in box {n}?": f"thing {n}" for n in range(30)})


def arguments(folder: Path, player: AnswererPlayer, server: LoopbackServer) -> list[object]:
    rows = [(text, answer) for text, answer in player.answers.items()]
    questions = write(folder / "boxes.csv", ("problem", "answer"), rows)
    models = folder / "models.yaml"
    models.write_text(yaml.safe_dump({"models": [model(name, server.url) for name in ("m1", "judge")]}))
    return ["run", questions, "--models", models, "--model", "m1", "--judge", "judge"]


def test_a_run_ends_with_figures_a_table_and_a_folder_that_is_one(
    run: Run, player: AnswererPlayer, tmp_path: Path
) -> None:
    with LoopbackServer(player) as server:
        given = arguments(tmp_path, player, server)
        options = ("--limit", 12, "--setting", "high", "--setting", "highest")
        ended = run(*given, *options, "--json")
        assert ended.returncode == 0, ended.stderr
        again = run(*given, *options)
    told = ended.json
    assert (told["questions"], told["rows"], told["unscored"], len(told["results"])) == (12, 24, 0, 2)
    assert told["run"] == "outputs/refusal-index-boxes"
    assert f"Calls: {told['calls']}" in again.stdout
    folder = tmp_path / "outputs" / "refusal-index-boxes"
    assert run(folder, "--json").json["results"] == told["results"]


def test_a_mix_draws_as_many_of_each(run: Run, player: AnswererPlayer, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text(
        "".join(json.dumps({"question": text, "answerable": False}) + "\n" for text in [*player.answers][:10])
    )
    with LoopbackServer(player) as server:
        given = arguments(tmp_path, player, server)
        ended = run(*given, "--mix", nothing, "--limit", 8, "--setting", "high", "--out", "mixed", "--json")
    assert ended.returncode == 0, ended.stderr
    lines = (tmp_path / "mixed" / "refusals.jsonl").read_text().splitlines()
    answerable = [json.loads(line)["answerable"] for line in lines]
    assert (len(answerable), answerable.count(False)) == (8, 4)


def test_a_run_needs_models_that_can_be_asked(run: Run, table: Path, tmp_path: Path) -> None:
    questions = write(tmp_path / "q.csv", ("problem", "answer"), [("Who?", "Ada")])
    for options, words in (
        (("--model", "nobody"), "model 'nobody' is not known"),
        (("--model", "json:absent"), "has no function 'absent'"),
        (("--model", "openai/x"), "--judge: answers in words cannot be graded"),
    ):
        ended = run("run", questions, *options)
        assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
        assert words in ended.stderr


def test_scores_are_set_against_what_a_models_file_says(run: Run, settings_table: Path) -> None:
    lines = [
        f"  - {{name: {name}, model: x/{name}, size_b: {size}}}"
        for name, size in (("strong", 70), ("weak", 8))
    ]
    Path("m.yaml").write_text("models:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    told = run(settings_table, "--models", "m.yaml", "--json").json
    found = {one["model"]: one for one in told["covariates"]["models"]}
    indices = [one["refusal_index"] for one in told["results"] if one["model"] == "weak"]
    assert found["weak"]["size_b"] == 8
    assert found["weak"]["scores"]["RI"]["value"] == pytest.approx(sum(indices) / 3)
    assert "What the models are" in run(settings_table, "--models", "m.yaml").stdout
