"""Sizes and bounds against worked figures, and against simulations."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import binom

from perturb.errors import ConfigError, LedgerError, SourceError
from perturb.ledger.calls import LEDGER_FILE
from perturb.scoring.power import (
    PowerQuestion,
    design_effect,
    generative_failure_bound,
    generative_size,
    observe,
    paper_static_size,
    plan_sizes,
    read_scores,
    size_from_variance,
    static_failure_bound,
    static_failure_floor,
    static_size,
)
from perturb.scoring.power_simulation import DriftSetting, _draw_failures, _draw_rounds, draw_figure, simulate
from perturb.snapshots.snapshot import read_snapshot
from tests.building import perturb
from tests.offline.test_old_rules import unpacked

RUNS = 1000


def allowance(probability: float) -> float:
    """Four standard errors of a share of `RUNS` runs."""
    return 4 * float(np.sqrt(max(probability * (1 - probability), 1 / RUNS) / RUNS))


@pytest.mark.parametrize("epsilon", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.2])
def test_a_size_is_the_smallest_that_keeps_its_bound(epsilon: float, delta: float) -> None:
    for rounds in (1, 4, 12):
        m = generative_size(epsilon, delta, rounds)
        assert generative_failure_bound([m] * rounds, epsilon) <= delta
        assert generative_failure_bound([m - 1] * rounds, epsilon) > delta
    for drift in (0.0, epsilon / 2, 0.9 * epsilon):
        n = static_size(epsilon, delta, drift)
        assert n is not None
        assert static_failure_bound(n, epsilon, drift) <= delta
        assert static_failure_bound(n - 1, epsilon, drift) > delta


def test_the_printed_static_size_is_that_of_half_the_error_as_drift() -> None:
    for epsilon in (0.03, 0.05, 0.1):
        assert paper_static_size(epsilon, 0.05) == static_size(epsilon, 0.05, epsilon / 2)


def test_no_static_size_from_a_drift_of_epsilon_on() -> None:
    assert static_size(0.05, 0.05, 0.05) is None
    assert static_size(0.05, 0.05, 0.3) is None
    plan = plan_sizes(PowerQuestion(drift=0.08))
    assert plan["static"]["size"] is None
    assert "no size is enough" in plan["static"]["reason"]
    assert plan["static"]["floor_at_paper_size"] > 0.9


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0.0}, {"epsilon": 1.0}, {"delta": 0.0}, {"delta": 1.5}, {"rounds": 0}, {"drift": -0.1}],
)
def test_numbers_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"give "):
        plan_sizes(PowerQuestion(**wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("drift", [0.0, 0.02, 0.04, 0.05, 0.06, 0.08, 0.12])
@pytest.mark.parametrize("size", [400, 1016, 2952])
def test_simulated_failures_lie_within_the_bounds(drift: float, size: int) -> None:
    done = simulate(DriftSetting(epsilon=0.05, rounds=4, drift=drift, size=size, start=0.4), RUNS, seed=11)
    assert done.static <= done.static_bound + allowance(done.static_bound)
    assert done.static >= done.static_floor - allowance(done.static_floor)
    assert done.generative <= done.generative_bound + allowance(done.generative_bound)


def test_under_drift_the_static_benchmark_fails_and_fresh_rounds_hold() -> None:
    setting = DriftSetting(epsilon=0.05, rounds=4, drift=0.1, size=generative_size(0.05, 0.05, 4), start=0.45)
    assert setting.size == DriftSetting().size, "by default, fresh rounds are as large as their bound asks"
    done = simulate(setting, RUNS, seed=3)
    assert done.static > 0.98
    assert done.generative < 0.05
    assert simulate(setting, RUNS, seed=3) == done


def test_items_that_share_a_base_instance_need_the_design_effect() -> None:
    clustered = DriftSetting(drift=0.0, rounds=4, size=1016, per_base=18, icc=0.5)
    effect = 1 + (clustered.per_base - 1) * clustered.icc
    assert simulate(clustered, RUNS, seed=1).generative > 0.3
    enough = DriftSetting(drift=0.0, rounds=4, size=int(1016 * effect), per_base=18, icc=0.5)
    assert simulate(enough, RUNS, seed=1).generative < 0.05


def test_the_design_effect_of_known_clusters() -> None:
    rng = np.random.default_rng(5)
    bases = np.repeat(np.arange(4000), 6)
    rates = rng.beta(0.5, 0.5, 4000)  # correlation 1 / (0.5 + 0.5 + 1) = 0.5
    scores = rng.random(24000) < rates[bases]
    measured = design_effect(scores, bases)
    assert measured.effect == pytest.approx(1 + 5 * 0.5, rel=0.05)
    assert measured.effective_n == pytest.approx(24000 / 3.5, rel=0.05)
    single = design_effect(scores, np.arange(24000))
    assert single.effect == pytest.approx(1.0, abs=1e-3)


def test_an_undefined_design_effect_has_a_reason() -> None:
    assert design_effect([1, 1], ["a", "b"]).reason == "all scores are the same"
    assert design_effect([1, 0], ["a", "a"]).reason == "all items come from one base instance"


def test_the_normal_size_covers_and_is_smaller_than_the_bound() -> None:
    size = size_from_variance(0.05, 0.05, 4, variance=0.25)
    assert size < generative_size(0.05, 0.05, 4)
    done = simulate(DriftSetting(drift=0.0, rounds=4, size=size), RUNS, seed=2)
    assert 0.02 < done.generative < 0.05 + allowance(0.05)
    with pytest.raises(ConfigError, match=r"0 to 0\.25"):
        size_from_variance(0.05, 0.05, 4, variance=0.3)


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98, 1.0])
@pytest.mark.parametrize("epsilon", [0.05, 0.08])
def test_sizes_keep_the_error_near_the_ends_too(rate: float, epsilon: float) -> None:
    size = size_from_variance(epsilon, 0.05, 1, variance=rate * (1 - rate))
    beyond = np.abs(np.arange(size + 1) / size - rate) > epsilon + 1e-9
    assert binom.pmf(np.arange(size + 1), size, rate)[beyond].sum() <= 0.05
    assert (
        size >= 1.96**2 * (1 - epsilon) / epsilon
    )  # even a rate of 1 takes as many to be told from 1 - epsilon


def test_a_design_effect_of_0_is_planned_as_1(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("score,base_id\n" + "".join(f"1,b{i}\n0,b{i}\n" for i in range(20)))
    result = perturb("power", "--scores", str(path), "--simulate", "20", "--json")
    found = result.json
    assert (found["observed"]["effect"], found["observed"]["effective_n"], found["design_effect"]) == (
        0,
        None,
        1,
    )


@pytest.mark.slow
def test_the_simulation_takes_the_design_effect() -> None:
    options = ("power", "--drift", "0", "--rounds", "1", "--simulate", "2000", "--size", "385", "--json")
    alone, clustered = (
        perturb(*options, "--design-effect", effect).json["simulation"] for effect in ("1", "2.5")
    )
    assert alone["generative"] < 0.05 + allowance(0.05)
    assert clustered["generative"] > 0.15
    worth = generative_failure_bound([385 * 2 // 5], 0.05)
    assert clustered["generative_bound"] == pytest.approx(worth)


def test_bounds_never_leave_the_unit_interval() -> None:
    for n in (1, 10, 10_000):
        for drift in (0.0, 0.1, 0.9):
            assert 0 <= static_failure_floor(n, 0.05, drift) <= static_failure_bound(n, 0.05, drift) <= 1


def test_scores_are_read_and_bad_tables_refused(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("base_id,correct\na,1\na,0\nb,1\n", encoding="utf-8")
    scores, bases = read_scores(table)
    assert (scores.tolist(), bases) == ([1.0, 0.0, 1.0], ["a", "a", "b"])
    for text, problem in (
        ("base_id,other\na,1\n", "no column 'score'"),
        ("score\n1\n", "no column 'base_id'"),
        ("base_id,score\na,7\n", "scale it"),
        ("base_id,score\na,\n", "missing"),
        ("base_id,score,model\na,1,x\na,1,y\n", "2 models"),
        ("base_id,score\na,1,1\n", "cells where the header has"),
    ):
        table.write_text(text, encoding="utf-8")
        with pytest.raises(SourceError, match=problem):
            read_scores(table)
    with pytest.raises(SourceError, match=r"no such file"):
        read_scores(tmp_path / "scores.txt")
    with pytest.raises(SourceError, match="no such file"):
        read_scores(tmp_path / "absent.csv")


@pytest.mark.slow
def test_the_command_prints_sizes_and_draws_the_figure(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("base_id,score\n" + "a,1\na,1\nb,0\nb,1\nc,0\nc,0\n", encoding="utf-8")
    options = ["--drift", "0.08", "--simulate", "50", "--figure", tmp_path / "power.svg", "--scores", table]
    done = perturb("power", *map(str, options), "--json")
    content = done.json
    assert content["generative"]["per_round"] == 1016
    assert content["static"]["size"] is None
    assert content["simulation"]["static"] > 0.9
    assert content["observed"]["bases"] == 3
    assert "<svg" in (tmp_path / "power.svg").read_text(encoding="utf-8")
    plain = perturb("power", "--drift", "0.02")
    assert "2,050" in plain.stdout
    assert "NA: static" not in plain.stdout
    assert "NA: static" in perturb("power", "--drift", 0.08).stdout
    example = simulate(DriftSetting(0.05, 2, 0.02, 10, 0.5), 2, 0)
    for name in ("power.doc", "."):
        with pytest.raises(ConfigError, match=r"give a \.png"):
            draw_figure(example, [example], tmp_path / name)
    wrong = perturb("power", "--epsilon", "2")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def test_the_run_of_an_evaluation_is_a_source_of_scores(tmp_path: Path) -> None:
    """The run was made at 3068e22."""
    before = Path("tests/evaluation/ledgers/before-settings")
    with closing(sqlite3.connect(tmp_path / LEDGER_FILE)) as db:
        db.executescript((before / "ledger.sql").read_text("utf-8"))
    lines = (before / "results.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["unscored"] is None]
    right = [
        row["quality"] >= 4
        if row["intensity"] == "LOW" and row["quality"]
        else row["predicted"] == row["expected_rag_behavior"]
        for row in rows
    ]
    observed = observe(tmp_path)
    assert observed.n == len(rows)
    assert observed.mean == pytest.approx(sum(right) / len(right))
    assert observed.bases == len({row["base_id"] for row in rows})
    told = perturb("power", "--scores", tmp_path, "--json")
    assert told.json["observed"]["n"] == observed.n
    with pytest.raises(LedgerError):
        observe(before)


def test_the_figure_draws_the_bounds_of_the_simulation_if_items_of_one_base_are_alike() -> None:
    alike = simulate(DriftSetting(0.05, 2, 0.08, 400, 0.5, per_base=8, icc=0.5), 40, 0)
    axes = Figure().subplots()
    _draw_failures(axes, [alike])
    ends = {str(line.get_label()): float(np.asarray(line.get_ydata())[-1]) for line in axes.lines}
    assert ends["static: upper bound"] == pytest.approx(alike.static_bound)
    assert ends["static: lower bound"] == pytest.approx(alike.static_floor)
    assert ends["fresh rounds: upper bound"] == alike.generative_bound
    assert alike.static_floor < static_failure_floor(400, 0.05, 0.08), "fewer independent items promise less"


def test_the_figure_holds_the_simulated_shares_the_bounds_and_the_band(tmp_path: Path) -> None:
    setting = DriftSetting(0.05, 2, 0.08, 200, 0.5)
    example = simulate(setting, 40, 0)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    _draw_rounds(left, example)
    _draw_failures(right, [example])
    lines = {line.get_label(): list(map(float, line.get_ydata())) for line in right.lines}
    assert lines["static: simulated"] == [example.static]
    assert lines["fresh rounds: simulated"] == [example.generative]
    assert example.static > example.generative
    upper, lower = lines["static: upper bound"], lines["static: lower bound"]
    assert all(high >= low for high, low in zip(upper, lower, strict=True))
    assert upper[-1] == pytest.approx(static_failure_bound(200, 0.05, 0.08))
    assert lower[-1] == pytest.approx(static_failure_floor(200, 0.05, 0.08))
    band = left.collections[0].get_paths()[0].get_extents()
    truth = setting.truth
    assert band.ymin == pytest.approx(min(truth) - 0.05)
    assert band.ymax == pytest.approx(max(truth) + 0.05)
    with pytest.raises(ConfigError, match="the figure cannot be written"):
        draw_figure(example, [example], tmp_path / "no" / "folder" / "x.png")


@pytest.mark.parametrize("place", ["rules-2", "rules-2/snapshot"])
def test_a_build_and_its_snapshot_give_their_design(tmp_path: Path, place: str) -> None:
    """The run was made before 0.2."""
    source = unpacked("rules-2.tar.gz", tmp_path) / place
    rows = read_snapshot(tmp_path / "rules-2" / "snapshot").read_rows()
    sizes = list(Counter(row["source_id"] for row in rows).values())
    worst = sum(size * size for size in sizes) / len(rows)

    plan = perturb("power", source, "--replies", 200, "--within", 0.3, "--json").json
    assert isinstance(plan["round"], dict)
    assert plan["round"] | {"half_width": 0} == {
        "source": str(source),
        "n": len(rows),
        "bases": len(sizes),
        "effect": pytest.approx(worst),
        "half_width": 0,
    }
    assert plan["round"]["half_width"] == pytest.approx(1.96 * (0.25 * worst / len(rows)) ** 0.5)
    assert (plan["design_effect"], plan["observed"]) == (pytest.approx(worst), None)
    assert isinstance(plan["split"], list)
    assert max(one["items"] for one in plan["split"]) == len(rows)
    stated = perturb("power", source, "--design-effect", 1.5, "--json").json
    assert stated["design_effect"] == 1.5
    text = perturb("power", source).stdout
    assert f"{len(rows)} items of {len(sizes)} base instances" in " ".join(text.split())


def test_a_source_is_given_once_and_can_be_read(tmp_path: Path) -> None:
    source = str(unpacked("rules-2.tar.gz", tmp_path) / "rules-2")
    for arguments, message in (
        ((source, "--scores", source), "leave one of them out"),
        ((str(tmp_path / "none"),), "no such file or run"),
        ((source, "--design-effect", "0"), "give a number above 0"),
    ):
        failed = perturb("power", *arguments)
        assert failed.returncode in (1, 2)
        assert message in failed.stderr
        assert failed.stderr.count("\n") == 1
