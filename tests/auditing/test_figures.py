"""Pass rates, panel rules, lever usage, and what the report says where nothing can be said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.votes import ABSENT, VoteTable, vote_table
from perturb.errors import ConfigError
from perturb.metrics.intervals import wilson_interval
from perturb.metrics.resampling import MAX_CLUSTERS, Resamples, bundle
from perturb.reports.audit_sections import make_audit_report
from tests.auditing.simulated_panels import Truth, frame_of, long_rows, simulate
from tests.building import Ended, perturb

WORDS = {"P": "pass", "F": "fail", "U": "unscored", "A": "abstain"}


def votes(patterns: Sequence[str], generators: Sequence[str] = ("amber",), **place: Any) -> AuditReport:
    """An audit of candidates given as one letter per verifier v0, v1, …; a dot is a vote nobody asked for."""
    rows = []
    for i, pattern in enumerate(patterns):
        cell = (place.get("perturbation_class", "P-Ambiguity"), "LOW", place.get("lever", "a lever"))
        for j, letter in enumerate(pattern):
            if letter != ".":
                generator = generators[i % len(generators)]
                rows.append((f"c{i}", f"b{i // 2}", generator, f"v{j}", *cell, WORDS[letter]))
    return audit(vote_table(frame_of(rows), "votes"), resamples=50)


def assert_no_nan(report: AuditReport) -> dict[str, Any]:
    """The report as JSON text has no NaN, and every missing value of a statistic comes with a reason."""
    content = report.to_dict()
    text = json.dumps(content, allow_nan=False)
    assert "NaN" not in text
    for name in ("pabak", "ac1", "fleiss", "alpha"):
        assert content[name]["value"] is not None or content[name]["reason"]
    for pair in content["kappa"]["pairs"]:
        assert pair["kappa"] is not None or pair["reason"]
    for row in content["self_bias"]:
        assert row["bias_pp"] is not None or row["reason"]
    return content


def test_the_json_has_the_keys_that_others_rely_on() -> None:
    content = assert_no_nan(audit(simulate(Truth(), 5, 1), resamples=50))
    assert {
        *("n_candidates", "n_votes", "verifiers", "generators", "kappa", "pabak", "ac1", "fleiss", "alpha"),
        *("pass_rate_matrix", "pass_rates", "self_bias", "acceptance", "unscored"),
    } <= set(content)
    assert set(content["kappa"]) == {"pairs", "mean"}
    assert {"a", "b", "n", "kappa", "low", "high", "reason"} <= set(content["kappa"]["pairs"][0])
    assert {"class", "intensity", "lever"} <= set(content["pass_rates"])
    assert {"name", "n", "rate", "low", "high"} <= set(content["pass_rates"]["class"][0])
    assert {"generator", "verifier", "n", "rate", "low", "high"} <= set(content["pass_rate_matrix"][0])
    bias = {"model", "self", "peers", "bias_pp", "low", "high", "did_pp", "p_value"}
    assert bias <= set(content["self_bias"][0])
    assert {"unanimous", "k_of_n", "leave_one_out"} <= set(content["acceptance"])


def test_the_seed_decides_the_intervals() -> None:
    table = simulate(Truth(), 8, 1)
    assert audit(table, seed=1).to_dict() == audit(table, seed=1).to_dict()
    assert audit(table, seed=1).agreement.mean_kappa != audit(table, seed=2).agreement.mean_kappa


# -- where nothing can be said -----------------------------------------------------------------------------


def test_one_verifier_only() -> None:
    content = assert_no_nan(votes(["P", "F", "P", "P"]))
    assert content["kappa"]["pairs"] == []
    assert content["kappa"]["mean"]["reason"] == "agreement takes two raters; there is one"
    assert content["alpha"]["value"] is None
    assert content["acceptance"]["leave_one_out"] == []
    assert content["acceptance"]["unanimous"]["rate"] == 0.75


def test_no_variance_anywhere() -> None:
    content = assert_no_nan(votes(["PPP"] * 6))
    assert {pair["reason"] for pair in content["kappa"]["pairs"]} >= {"v0 passed every candidate"}
    assert content["kappa"]["mean"]["reason"] == "κ is undefined for every pair of verifiers"
    assert content["alpha"]["reason"] == "all votes are the same: chance agreement is 1"
    assert content["ac1"]["value"] == 1
    assert content["pass_rates"]["class"][0]["low"] < 1


def test_a_verifier_that_fails_everything_is_named() -> None:
    report = votes(["PF", "FF", "PF", "FF"])
    assert report.agreement.pairs[0].kappa.reason == "v1 failed every candidate"


def test_a_verifier_that_never_came_to_a_verdict() -> None:
    content = assert_no_nan(votes(["PFU", "FPU", "PPU", "FFU"]))
    assert content["unscored"] == {"v0": 0, "v1": 0, "v2": 4}
    assert content["n_votes"] == 8
    matrix = {row["verifier"]: row for row in content["pass_rate_matrix"]}
    assert matrix["v2"]["rate"] is None
    assert matrix["v2"]["reason"] == "nothing was scored"
    assert content["kappa"]["pairs"][1]["reason"] == "no candidate was scored by both raters"
    assert content["acceptance"]["unanimous"]["accepted"] == 0
    assert content["acceptance"]["unanimous"]["undecided"] == 1


def test_one_base_instance_gives_values_without_intervals() -> None:
    report = votes(["PF", "PP"])
    assert report.agreement.panel["agreement"].value == 0.5
    assert report.agreement.panel["agreement"].low is None
    assert "one base instance" in str(report.agreement.panel["agreement"].reason)
    assert_no_nan(report)


def test_a_single_vote() -> None:
    assert_no_nan(votes(["U"]))
    assert_no_nan(votes(["P"]))


@pytest.mark.parametrize("options", [{"resamples": 0}, {"seed": -1}])
def test_options_that_cannot_be_used_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="give at least 1 resample"):
        audit(simulate(Truth(), 2, 1), **options)


def plain(content: Any) -> bool:
    """Whether a value is made of what JSON has, and says why wherever a statistic is missing."""
    if isinstance(content, dict):
        missing = any(content.get(key, 0) is None for key in ("value", "rate", "kappa", "bias_pp"))
        return (not missing or bool(content["reason"])) and all(plain(value) for value in content.values())
    if isinstance(content, list):
        return all(plain(value) for value in content)
    return content is None or type(content) in (str, int, float, bool)


@pytest.mark.parametrize("seed", range(40))
def test_small_and_sparse_tables_never_print_a_nan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [("c0", "b0", "v0", "v0", "Other", "LOW", "a lever", "pass")]
    for i in range(1, int(rng.integers(2, 9))):
        made = (f"c{i}", f"b{rng.integers(3)}", str(rng.choice(["v0", "v1", "v2", "maker"])))
        cell = (str(rng.choice(["P-Ambiguity", "Other"])), "LOW", "a lever")
        for j in np.flatnonzero(rng.random(4) < 0.7):
            rows.append((*made, f"v{j}", *cell, str(rng.choice(["pass", "fail", "unscored"]))))
    frame = frame_of(rows)
    if seed % 3 == 0:
        frame["audited"] = frame["candidate_id"].isin(["c1", "c2"])
    report = audit(vote_table(frame, "votes"), resamples=20, seed=seed)
    assert_no_nan(report)
    assert plain(report.to_dict())


# -- rates and rules ---------------------------------------------------------------------------------------


def test_pass_rates_count_votes_and_unscored_ones_are_none() -> None:
    report = votes(["PPU", "PFU", "FF.", "PPP"])
    rate = report.pass_rates["class"][0]
    assert (rate.n, rate.rate) == (9, 6 / 9)


@pytest.mark.parametrize(("passes", "n"), [(0, 10), (3, 10), (10, 10), (87, 100)])
def test_wilson_is_statsmodels(passes: int, n: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(passes, n, method="wilson")
    assert wilson_interval(passes / n, n) == pytest.approx(expected)


def test_base_instances_that_stick_together_widen_the_interval() -> None:
    alike = Truth(likeness=1.0, spread=0.25)
    apart = Truth(likeness=0.0, spread=0.0)
    for truth, effect in ((alike, (5, 60)), (apart, (0.5, 2))):
        rate = audit(simulate(truth, 60, 1), resamples=20).pass_rates["intensity"][0]
        assert rate.design_effect is not None
        assert effect[0] < rate.design_effect < effect[1]


def test_classes_are_ranked_by_difficulty() -> None:
    rows = []
    for number, (name, failing) in enumerate(
        (("P-Contradiction", 1), ("P-Ambiguity", 4), ("P-MissingInfo", 2))
    ):
        for i in range(6):
            cell = (name, "LOW", "a lever", "fail" if i < failing else "pass")
            rows.append((f"c{number}-{i}", f"b{i}", "amber", "birch", *cell))
    ranking = audit(vote_table(frame_of(rows), "votes")).to_dict()["class_ranking"]
    assert ranking == ["P-Ambiguity", "P-MissingInfo", "P-Contradiction"]


def test_acceptance_under_k_of_n() -> None:
    rules = votes(["PPP", "PPF", "PFF", "PPU", "FFF", "PUU"]).rules
    assert [rules.k_of_n[k].accepted for k in "123"] == [5, 3, 1]
    assert [rules.k_of_n[k].undecided for k in "123"] == [0, 1, 2]
    assert rules.unanimous.rejected == 3
    assert rules.unanimous.rate.rate == pytest.approx(1 / 6)


def test_unanimous_acceptance_is_given_by_class_and_generator() -> None:
    rules = votes(["PPP", "PPF", "PFF", "PPP"], generators=("amber", "birch")).rules
    assert [unanimou.rate for unanimou in rules.unanimous_by["class"]] == [0.5]
    assert [(unanimou.name, unanimou.rate) for unanimou in rules.unanimous_by["generator"]] == [
        ("amber", 0.5),
        ("birch", 0.5),
    ]
    assert [unanimou.rate for unanimou in votes(["PP", "PP", "PF", "PP"]).rules.unanimous_by["class"]] == [
        0.75
    ]


def test_a_verifier_left_out_lets_in_what_it_alone_kept_out() -> None:
    rows = votes(["PPP", "PPF", "PPF", "PFF", "FPP"]).rules.leave_one_out
    assert [(row.verifier, row.without.accepted, row.gained) for row in rows] == [
        ("v0", 2, 1),
        ("v1", 1, 0),
        ("v2", 3, 2),
    ]
    assert rows[2].churn == pytest.approx(2 / 3)
    assert votes(["FF", "FF"]).rules.leave_one_out[0].churn is None


def test_models_that_play_one_part_are_reported_as_such() -> None:
    report = votes(["PF", "FP", "PP", "PF"], generators=("v0", "maker"))
    roles = {row.model: (row.role, row.bias.reason) for row in report.self_bias}
    assert roles["maker"] == ("generates only", "maker is not a verifier of this panel")
    assert roles["v1"] == ("verifies only", "v1 made no candidate")
    assert roles["v0"][0] == "both"


def test_own_candidates_count_where_a_peer_voted_too() -> None:
    row = next(r for r in votes(["P.", "PF", ".P", "FP"], generators=("v0",)).self_bias if r.model == "v0")
    assert (row.n, row.own, row.peers) == (2, 0.5, 0.5)


def test_two_models_that_judge_each_other_cannot_be_told_apart() -> None:
    row = votes(["PF", "FP", "PP", "PF"], generators=("v0", "v1")).self_bias[0]
    assert row.bias.value is not None
    assert row.did.value is None
    assert row.p_value is None
    assert "too few" in str(row.did.reason)


def test_own_candidates_that_no_peer_scored_are_left_out_of_the_bias() -> None:
    row = votes(["PF", "F.", "PP", "FU"], generators=("v0",)).self_bias[0]
    assert (row.n, row.own, row.peers, row.bias.value) == (2, 1.0, 0.5, 50)


def test_bias_is_given_by_class() -> None:
    rows = []
    for name, own in (("P-Ambiguity", "pass"), ("P-Contradiction", "fail")):
        for i in range(4):
            for verifier, verdict in (("amber", own), ("birch", "pass" if i % 2 else "fail")):
                rows.append((f"{name}{i}", f"b{i}", "amber", verifier, name, "LOW", "a lever", verdict))
    report = audit(vote_table(frame_of(rows), "votes"))
    row = next(r for r in report.self_bias if r.model == "amber")
    assert [(one.name, one.bias.value) for one in row.by_class] == [
        ("P-Ambiguity", 50),
        ("P-Contradiction", -50),
    ]
    assert row.bias.value == 0
    figures = [figure for part in make_audit_report(report, ()).sections for figure in part.figures]
    drawn = next(figure for figure in figures if figure.name == "self-bias-by-class").drawing.svg
    assert "amber, P-Ambiguity: +50.0" in drawn
    assert "amber, P-Contradiction: \N{MINUS SIGN}50.0" in drawn


def test_who_abstains_is_absent_from_every_rule() -> None:
    rules = votes(["PPA", "PFA", "AAP", "AAA", "PAA"]).rules
    assert (rules.unanimous.accepted, rules.unanimous.rejected, rules.unanimous.undecided) == (3, 1, 1)
    assert [rules.k_of_n[k].accepted for k in "123"] == [4, 3, 3]
    assert [(row.without.accepted, row.gained) for row in rules.leave_one_out] == [(2, 0), (4, 1), (2, 0)]
    report = votes(["PPA", "PFA", "AAP", "PPP"])
    assert (report.basis.candidates, report.n_votes) == ("all", 8)
    assert report.judged == {"v0": 3, "v1": 3, "v2": 2}
    assert [pair.n for pair in report.agreement.pairs] == [3, 1, 1]


def limited_panel(absent: str) -> VoteTable:
    """Four models of equal strictness; everybody passes ambiguities more often; one does not judge them all."""
    table, rng = simulate(Truth(), 300, 3), np.random.default_rng(5)
    easy = table.perturbation_class.codes < 3
    states = (rng.random(table.states.shape) < np.where(easy, 0.9, 0.4)[:, None]).astype(np.int8)
    states[np.flatnonzero(easy), table.verifiers.index(absent)] = ABSENT
    return replace(table, states=states)


@pytest.mark.parametrize("absent", ["amber", "birch"])
def test_a_verifier_that_does_not_judge_the_easy_classes_makes_nobody_look_partial(absent: str) -> None:
    for row in audit(limited_panel(absent), resamples=200).self_bias:
        assert row.bias.value == pytest.approx(0, abs=3), row.model
        assert row.did.value == pytest.approx(0, abs=4), row.model
        assert row.own == pytest.approx(0.4 if row.model == absent else 0.6, abs=0.06)


def test_lever_usage_by_generator() -> None:
    rows = []
    for i, lever in enumerate(("a", "b", "c", "d", "a", "a", "a", "a")):
        generator = "amber" if i < 4 else "birch"
        rows.append((f"c{i}", f"b{i}", generator, "cedar", "P-Ambiguity", "LOW", lever, "pass"))
    amber, birch = audit(vote_table(frame_of(rows), "votes")).lever_usage
    assert (amber.levers, amber.entropy, amber.entropy_within_cells, amber.never_chosen) == (4, 2, 2, ())
    assert (birch.levers, birch.entropy, birch.never_chosen) == (1, 0, ("b", "c", "d"))


# -- the machinery -----------------------------------------------------------------------------------------


def test_many_base_instances_are_bundled_evenly() -> None:
    clusters = np.repeat(np.arange(3 * MAX_CLUSTERS), 2)
    bundled = bundle(clusters, MAX_CLUSTERS, seed=1)
    assert set(np.bincount(bundled)) == {6}
    assert (bundled[0::2] == bundled[1::2]).all()


def test_resampled_totals_are_those_of_the_drawn_base_instances() -> None:
    base = np.array([0, 0, 1, 2, 2, 2])
    values = np.arange(12, dtype=float).reshape(6, 2)
    drawn = Resamples.draw(base, 20, seed=3)
    totals = drawn.totals(values, groups=np.array([0, 1, 0, 0, 1, 1]), n_groups=2)
    for weights, replicate in zip(drawn.weights, totals.replicates, strict=True):
        copies = np.repeat(np.arange(6), weights[base].astype(int))
        by_group = [values[[i for i in copies if [0, 1, 0, 0, 1, 1][i] == g]].sum(axis=0) for g in (0, 1)]
        assert replicate == pytest.approx(np.array(by_group))


# -- the command -------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Ended]:
    """Run `perturb audit` on a table."""

    def call(rows: Sequence[Any], *options: str) -> Ended:
        path = tmp_path / "votes.csv"
        frame_of(rows).to_csv(path, index=False)
        return perturb("audit", path, *options)

    return call


def test_the_command_prints_tables(run: Callable[..., Ended]) -> None:
    result = run(long_rows(simulate(Truth(), 4, 1)), "--resamples", "50", "--by", "lever")
    assert result.returncode == 0
    for title in (
        "Cohen's κ",
        "Krippendorff's α",
        "Self-evaluation bias",
        "at least 3 of 4",
        "Pass rate by lever",
    ):
        assert title in result.stdout
    assert "nan" not in result.stdout.lower().replace("unanimous", "").replace("unanimity", "")


def test_the_command_prints_na_and_why(run: Callable[..., Ended]) -> None:
    rows = [
        (f"c{i}", f"b{i}", "amber", v, "P-Ambiguity", "LOW", "x", "pass")
        for i in range(3)
        for v in ("p", "q")
    ]
    result = run(rows)
    assert re.search(r"^p +q +3 +100\.0 % +NA", result.stdout, re.M)
    assert "p passed every candidate" in result.stdout
    assert "Generates only, so no self-evaluation: amber" in result.stdout
    assert "Verifies only, so no self-evaluation: p, q" in result.stdout


def test_the_command_prints_json(run: Callable[..., Ended]) -> None:
    result = run(long_rows(simulate(Truth(), 3, 1)), "--json", "--resamples", "20")
    assert result.json["n_votes"] == 3 * 18 * 4 * 4


def test_the_command_notes_votes_that_are_missing(run: Callable[..., Ended]) -> None:
    rows = long_rows(simulate(Truth(), 3, 1))[:-1]
    result = run(rows)
    assert "Note: 1 of 216 candidates lack votes" in result.stdout
    assert result.stderr == run(rows, "--json").stderr == ""
