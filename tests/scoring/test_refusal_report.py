"""Reports on tables: stability of the index beside its companions, intervals, subsets, bad lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from perturb.errors import SourceError
from perturb.metrics import bootstrap_means
from perturb.metrics.inputs import Floats
from perturb.metrics.intervals import wilson_interval
from perturb.metrics.tetrachoric import rank_correlation
from perturb.reports.refusal_sections import iso_curve
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from perturb.scoring.refusal_table import METRICS, RANDOM, read_refusals

SETTINGS = ("low", "normal", "high", "highest")
THRESHOLDS = (1.3, 0.6, 0.0, -0.7)


def simulated(path: Path, rhos: dict[str, float], n: int = 4000, seed: int = 1) -> Path:
    """Models with known correlations of the urges to refuse and to err; every setting sees the same urges."""
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8") as file:
        for name, rho in rhos.items():
            urges = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n)
            for setting, threshold in zip(SETTINGS, THRESHOLDS, strict=True):
                for item, (refuses, errs) in enumerate(urges):
                    row = {"item_id": item, "model": name, "setting": setting}
                    file.write(
                        json.dumps(row | {"refused": int(refuses > threshold), "wrong": int(errs > -0.25)})
                        + "\n"
                    )
    return path


@pytest.mark.slow
def test_the_index_is_steady_and_as_planted_away_from_the_ends_of_the_refusal_rate(tmp_path: Path) -> None:
    # Where it is not the steadiest: tests/measurements.md, "The Refusal Index".
    rhos = {"weak": 0.3, "middling": 0.5, "strong": 0.7}
    report = report_refusals([simulated(tmp_path / "t.jsonl", rhos)])
    found = {(one.model, one.metric): one for one in report.stability}
    for name, rho in rhos.items():
        index = found[name, "refusal_index"].cv.value
        assert index is not None
        for other in ("c_over_a", "f_score", "weighted p=0.2", "weighted p=1"):
            moved = found[name, other].cv.value
            assert moved is not None
            assert index < 0.6 * moved, (name, other)
        for group in report.groups:
            if group.model == name:
                assert group.index is not None
                assert group.index.refusal_index == pytest.approx(float(rank_correlation(rho)), abs=0.1)
    plain = {one.metric: one.kendalls_w.value for one in report.ranking if one.given == "nothing"}
    assert plain["refusal_index"] == 1.0
    assert set(plain) == {RANDOM, *METRICS}


def test_intervals_of_single_questions_agree_with_the_general_bootstrap(tmp_path: Path) -> None:
    path = simulated(tmp_path / "t.jsonl", {"m": 0.5}, n=500)
    group = read_refusals([path])[1]
    assert group.clusters is None
    found = report_refusals([path], RefusalOptions(resamples=4000)).groups[1].metrics
    refused, wrong = np.array(group.refused), np.array(group.wrong)
    drawn = bootstrap_means(np.column_stack([(1 - refused) * (1 - wrong), refused]), resamples=4000)
    c, r = drawn.T
    expected = {"correct_rate": c, "refusal_rate": r, "c_over_a": c / (1 - r), "f_score": 2 * c / (2 - r)}
    expected |= {"weighted p=0.2": c - 0.2 * (1 - r), "weighted p=1": c - (1 - r)}
    assert set(expected) == set(found) - {"refusal_index"} == set(METRICS) - {"refusal_index"}
    for name, replicates in expected.items():
        assert found[name].se == pytest.approx(replicates.std(), rel=0.06), name


def test_the_weighted_score_is_as_precise_as_its_range_allows(tmp_path: Path) -> None:
    # 39 right and 41 wrong answers, none refused: c - (1 - r) is c - 1, so its interval is that of c, moved by 1.
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"refused": 0, "wrong": {int(number < 41)}}}\n' for number in range(80)))
    weighted = report_refusals([path], RefusalOptions(resamples=4000)).groups[0].metrics["weighted p=1"]
    low, high = wilson_interval(39 / 80, 80)
    assert weighted.value == pytest.approx(39 / 80 - 1)
    assert (weighted.low, weighted.high) == pytest.approx((low - 1, high - 1), abs=0.01)


def test_subsets_grow_up_to_the_table(tmp_path: Path) -> None:
    report = report_refusals([simulated(tmp_path / "t.jsonl", {"m": 0.5}, n=600)])
    assert [list(group.subset_cv["refusal_index"]) for group in report.groups] == [[50, 100, 200, 500]] * 4
    for group in report.groups[1:]:
        small, large = (group.subset_cv["refusal_index"][size].value for size in (50, 500))
        assert small is not None
        assert large is not None
        assert small > large
        correct = group.metrics["correct_rate"].value
        assert correct is not None
        for size, found in group.subset_cv["correct_rate"].items():
            # a share of a subset drawn without replacement
            expected = np.sqrt((1 - correct) / (correct * size) * (600 - size) / 599)
            assert found.value == pytest.approx(expected, rel=0.35), size


def test_prompts_agree_as_counted_by_hand(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    answers = {
        setting: [(int(rng.uniform() < share), int(rng.uniform() < 0.4)) for _ in range(200)]
        for setting, share in (("low", 0.2), ("high", 0.6))
    }
    forced = [int(rng.uniform() < 0.5) for _ in range(200)]
    path = tmp_path / "t.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for setting, rows in answers.items():
            for item, (refused, wrong) in enumerate(rows):
                row = {"item_id": str(item), "model": "m", "setting": setting, "refused": refused}
                file.write(json.dumps(row | {"wrong": forced[item] if refused else wrong}) + "\n")
    found = {(one.a, one.b): one.agreement for one in report_refusals([path]).agreement}

    def known(setting: str) -> dict[int, int]:
        if setting == "forced":
            return {
                item: forced[item] for item in range(200) if any(rows[item][0] for rows in answers.values())
            }
        return {item: wrong for item, (refused, wrong) in enumerate(answers[setting]) if not refused}

    assert set(found) == {("low", "high"), ("low", "forced"), ("high", "forced")}
    for (a, b), agreement in found.items():
        shared = known(a).keys() & known(b).keys()
        same = [known(a)[item] == known(b)[item] for item in shared]
        assert agreement.value == pytest.approx(np.mean(same))
        assert agreement.n == len(same)
        assert agreement.low is not None
        assert agreement.high is not None
        assert agreement.low < np.mean(same) < agreement.high


def test_a_setting_named_forced_is_not_compared_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    # Question a is answered rightly in the setting `forced`, and wrongly in the second pass of `low`.
    path.write_text(
        "item_id,setting,refused,wrong\na,low,1,1\nb,low,0,0\na,forced,0,0\nb,forced,0,0\n", encoding="utf-8"
    )
    agreements = report_refusals([path], RefusalOptions(resamples=20)).agreement
    assert [(one.a, one.b, one.agreement.value) for one in agreements] == [
        ("low", "forced", 1.0),
        ("low", "forced", None),
        ("forced", "forced", 0.0),
    ]


@pytest.mark.parametrize(
    ("metric", "of"),
    [
        ("c_over_a", lambda c, r: c / (1 - r)),
        ("f_score", lambda c, r: 2 * c / (2 - r)),
        ("weighted p=0.2", lambda c, r: c - 0.2 * (1 - r)),
    ],
)
def test_a_metric_is_equal_along_its_curve(metric: str, of: Callable[[Floats, Floats], Floats]) -> None:
    rates = np.linspace(0, 0.9, 10)
    assert of(iso_curve(metric, 0.3, rates, 0.4), rates) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"refused": 1', "t.jsonl:2: not JSON"),
        ("[1, 0]", "t.jsonl:2: not an object"),
        ('{"refused": NaN, "wrong": 1}', "field 'refused' must be 0 or 1, got 'nan'"),
        ('{"refused": 1, "wrong": 1, "model": ["m"]}', "field 'model' must be a name, got a list"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"refused": 1, "wrong": 1}}\n{line}\n')
    with pytest.raises(SourceError) as caught:
        read_refusals([path])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
