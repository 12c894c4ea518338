"""Tables of the three papers, made by commands from what one language model replied to embedded questions and items.

BAS table 2, RI tables 3 and 4, RefusalBench figure 24. Elicitations and prompts stand in the place of models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perturb.files.tables import read_table
from perturb.metrics import REFUSAL_METRICS, BASReport, refusal_index_from_counts
from tests.building import perturb

SETS = {"facts": 55, "letters": 39, "numbers": 47}
"""The data sets among the 141 questions, and how many each has."""
Row = dict[str, Any]


def run(*words: object) -> dict[str, Any]:
    result = perturb(*words, "--json")
    return dict(result.json)


def replay(command: str, table: str, folder: Path) -> list[Row]:
    """The rows of a recorded run's table."""
    run(command, "--demo", "--out", folder)
    return [dict(row.fields) for row in read_table(folder / table)]


def grouped(rows: Iterable[Row], way: str) -> dict[tuple[str, str], list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[row[way], row["source"]].append(row)
    return found


@pytest.mark.slow
def test_table_2_of_the_bas_paper(tmp_path: Path) -> None:
    """Four elicitations by three data sets: accuracy, BAS, ECE and AURC of each, and their means."""
    expected = grouped(replay("bas", "confidence.jsonl", tmp_path / "run"), "elicitation")
    assert {key: len(rows) for key, rows in expected.items()} == {
        (way, name): n
        for way in ("direct", "reflection", "top-k", "top-k-reflection")
        for name, n in SETS.items()
    }
    columns = ("--column", "model=elicitation", "--column", "dataset=source")
    found = run("bas", tmp_path / "run", "--resamples", 20, *columns)
    groups = {(one["model"], one["dataset"]): one for one in found["results"]}
    assert set(groups) == set(expected)
    for key, rows in expected.items():
        report = BASReport([row["is_correct"] for row in rows], [row["confidence"] for row in rows])
        for name in ("accuracy", "ece", "aurc"):
            assert groups[key][name] == pytest.approx(report.metrics[name].value), (key, name)
        assert groups[key]["bas"]["uniform"] == pytest.approx(report.metrics["bas_uniform"].value)
    assert [one["model"] for one in found["means"]] == ["direct", "reflection", "top-k", "top-k-reflection"]


def test_table_4_of_the_ri_paper_and_its_table_3(tmp_path: Path) -> None:
    """Four prompts by three data sets; of facts nothing was refused, so that there is no index, nor a ranking."""
    rows = replay("refusal-index", "refusals.jsonl", tmp_path / "run")
    columns = ("--column", "model=setting", "--column", "dataset=source")
    whole = run("refusal-index", tmp_path / "run", *columns)
    reasons = {one["dataset"]: one["reason"] for one in whole["results"] if one["refusal_index"] is None}
    assert reasons == {"facts": "no question was refused"}
    index = {(one["model"], one["dataset"]): one["refusal_index"] for one in whole["results"]}
    counts = {
        key: np.bincount([3 - 2 * row["refused"] - row["wrong"] for row in group], minlength=4)
        for key, group in grouped(rows, "setting").items()
    }
    assert len(counts) == 12
    for key, cells in counts.items():
        assert index[key] == pytest.approx(refusal_index_from_counts(*cells.tolist()).refusal_index), key
    ranking = {(one["metric"], one["given"]): one for one in whole["ranking"]}
    assert {metric for metric, _ in ranking} >= {"refusal_index", "c_over_a", "f_score", "correct_rate"}
    assert {one["kendalls_w"]["n"] for one in ranking.values()} == {2}  # letters and numbers
    assert all(one["kendalls_w"]["value"] is not None for one in ranking.values())


def test_figure_24_of_refusalbench(tmp_path: Path) -> None:
    """Three system messages on the items with ten passages, though the snapshot holds single passages too."""
    rows = replay("evaluate", "results.jsonl", tmp_path / "run")
    found = {one["model"]: one for one in run("score", tmp_path / "run", "--resamples", 20)["models"]}
    assert set(found) == {"steady", "cautious", "eager"}
    for model, one in found.items():
        answers = [
            row
            for row in rows
            if row["model"] == model and row["predicted"] == "ANSWER" and row["eligible"] is not None
        ]
        parts = one["answer_parts"]
        assert {part["n"] for part in parts.values()} == {len(answers)}
        assert len(answers) == {"steady": 9, "cautious": 8, "eager": 9}[model]
        for name in ("eligible", "factual_all", "factual_signal"):
            assert parts[name]["value"] == pytest.approx(sum(row[name] for row in answers) / len(answers))
        assert set(one["metrics"]) == set(REFUSAL_METRICS)
