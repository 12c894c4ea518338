"""Shortcuts: planted ones are found, items without any are at chance, and filtering leaves what cannot be told."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from perturb.auditing.shortcuts import VIEWS, Shortcuts, added_words, folds_of, measure_shortcuts
from perturb.building.run import build
from perturb.config import default_config
from perturb.errors import ConfigError, SourceError
from perturb.metrics.inputs import Estimate
from perturb.records import ALL_CELLS, Item, Passage
from perturb.reports.audit_page import make_page
from perturb.snapshots.snapshot import check_snapshot
from tests.building import perturb

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "islet",
    "jetty",
    "knoll",
    "larch",
]
CODES = {"LOW": "ANSWER_CORRECTLY", "MEDIUM": "REFUSE_A", "HIGH": "REFUSE_A"}


def planted(share: float, bases: int = 24, seed: int = 0, told_by: str = "maple") -> list[Item]:
    """Items of one class, of which a share of those to be refused holds a telling word in the question."""
    draw = random.Random(seed)
    items = []
    for base in range(bases):
        for number, cell in enumerate(ALL_CELLS[:3] * 2):
            text, last = " ".join(draw.choices(WORDS, k=12)), draw.choice(WORDS)
            if cell.intensity != "LOW" and draw.random() < share:
                last = told_by
            items.append(
                Item(
                    id=f"{base}-{number}",
                    base_id=f"b{base}",
                    cell=cell,
                    expected_behavior=CODES[cell.intensity],
                    query=f"{text} {last}?",
                    passages=(Passage(" ".join(draw.choices(WORDS, k=30))),),
                    generator="g",
                    lever="l",
                    original_query=f"{text}?",
                    original_passages=("amber",),
                    answers=("amber",),
                )
            )
    return items


def test_deep_items_are_measured_by_themselves() -> None:
    """A telling word in deep items alone is found there, and not in the others."""
    deep = [replace(item, id=f"deep-{item.id}", construction="distance") for item in planted(1.0)]
    measured = measure_shortcuts("round", [*deep, *planted(0.0, seed=1)], resamples=20)
    (by_query,) = (score for score in measured.scores if (score.target, score.view) == ("decision", "query"))
    accuracy = {one.name: (one.accuracy.value or 0.0, one.accuracy.n) for one in by_query.by["depth"]}
    assert accuracy["deep"][0] > accuracy["not deep"][0] + 0.2
    assert accuracy["deep"][1] == accuracy["not deep"][1] == len(deep)
    assert "depth" not in measure_shortcuts("round", planted(0.0), resamples=20).scores[0].by


def decisions(measured: Shortcuts) -> dict[str, float]:
    return {
        score.view: score.macro_f1.value or 0.0 for score in measured.scores if score.target == "decision"
    }


def test_a_planted_word_is_found_in_the_view_that_holds_it() -> None:
    measured = measure_shortcuts("planted", planted(1.0), resamples=50)
    best = measured.best("decision")
    assert best.view in ("query", "added")
    assert (best.macro_f1.low or 0) > 0.7
    assert decisions(measured)["context"] < 0.65
    query = next(score for score in measured.scores if (score.target, score.view) == ("decision", "query"))
    assert query.words["refuse"][0] == "maple"
    low = next(group for group in query.by["intensity"] if group.name == "LOW")
    assert (low.floor.majority_accuracy, low.accuracy.n) == (1.0, len(planted(1.0)) // 3)
    whole = query.by["generator"][0]
    assert (whole.accuracy, whole.macro_f1, whole.floor) == (
        query.accuracy,
        query.macro_f1,
        measured.floor("decision"),
    )


def test_without_a_shortcut_no_interval_lies_above_chance() -> None:
    measured = measure_shortcuts("none", planted(0.0), resamples=200)
    for score in measured.scores:
        if score.target == "decision":
            assert (score.macro_f1.low or 0) < 0.5


def test_the_same_seed_gives_the_same_json_in_any_order() -> None:
    items = planted(0.5)
    one = measure_shortcuts("x", items, resamples=20, seed=3).to_dict()
    assert one == measure_shortcuts("x", items, resamples=20, seed=3).to_dict()
    assert json.loads(json.dumps(one, allow_nan=False)) == one


def test_folds_never_part_a_base_instance() -> None:
    items = planted(0.0)
    folds = folds_of(items, 1)
    assert all(
        len({folds[i] for i, item in enumerate(items) if item.base_id == f"b{b}"}) == 1 for b in range(24)
    )
    assert sorted(Counter(folds.tolist())) == [0, 1, 2, 3, 4]


def test_a_word_of_the_last_round_is_found_against_it_and_one_of_this_round_is_not() -> None:
    new = planted(1.0, seed=1)
    same = measure_shortcuts("new", new, earlier=("old", planted(1.0)), resamples=20)
    other = measure_shortcuts("new", new, earlier=("old", planted(1.0, told_by="olive")), resamples=20)
    assert decisions(same)["query"] > 0.9 > 0.6 > decisions(other)["query"]
    assert (same.against, same.shared_bases) == ("old", len(new))


@pytest.mark.parametrize("items", [planted(0.5, bases=4), planted(0.5)[:0], planted(0.5)[::3]])
def test_too_little_to_tell_is_one_line(items: Sequence[Item]) -> None:
    with pytest.raises(SourceError, match=r"^few: \d+ base instances"):
        measure_shortcuts("few", items)


def test_a_seed_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError, match="seed -1"):
        measure_shortcuts("x", planted(0.5), seed=-1)


def test_added_words_are_those_beyond_the_original() -> None:
    item = planted(1.0)[1]
    assert added_words(item).split()[0] == "maple"
    chinese = replace(item, query="谁先到？", original_query="谁到？", original_passages=())
    assert added_words(chinese) == "先"


def test_the_command_measures_a_run_and_its_snapshot(tmp_path: Path) -> None:
    config = default_config()
    limited = config.model_copy(update={"base_set": config.base_set.model_copy(update={"limit": 8})})
    run = tmp_path / "run"
    build(limited, run)

    whole = perturb("audit", run, "--shortcuts", "--json", "--resamples", 20).json["shortcuts"]
    assert [one["view"] for one in whole["baselines"]] == [*VIEWS, *VIEWS]
    page = make_page(run, items=0, resamples=20, shortcuts=True)
    (table,) = (table for part in page.sections for table in part.tables if table.name == "shortcuts")
    accuracy = table.rows[0][2]
    assert isinstance(accuracy, Estimate)
    assert accuracy.value == pytest.approx(whole["baselines"][0]["accuracy"]["value"])
    audited = perturb("audit", run / "snapshot", "--shortcuts", "--against", run, "--resamples", 20)
    assert audited.returncode == 0, audited.stderr
    assert "trained on" in audited.stdout
    assert perturb("audit", run, "--against", run).returncode == 2
    refused = perturb("export", run, "--out", tmp_path / "hard", "--strategy", "hard")
    refused.fails("strategy hard now needs difficulty.solvers; use balanced")
    exported = perturb(
        *("export", run, "--out", tmp_path / "out", "--shortcuts", "--json"),
        *("--per-generator", 18, "--min-per-cell", 1),
    )
    assert exported.json["rows"] == 18
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    card = (tmp_path / "out" / "README.md").read_text()
    stated = manifest["shortcuts"]["figures"]["what was added"]["answer or refuse"]
    assert f"| what was added | {stated['value']:.2f} ({stated['low']:.2f} …" in card
    assert check_snapshot(tmp_path / "out") == ()


def test_the_card_says_why_shortcuts_were_not_measured_and_is_silent_unless_asked(tmp_path: Path) -> None:
    config = default_config()
    select = config.select.model_copy(update={"shortcuts": True})
    limited = config.base_set.model_copy(update={"limit": 2})
    for name, wanted in (("asked", select), ("not", config.select)):
        build(config.model_copy(update={"base_set": limited, "select": wanted}), tmp_path / name)
    cards = {name: (tmp_path / name / "snapshot" / "README.md").read_text() for name in ("asked", "not")}
    assert "Not measured: the rows: 2 base instances" in cards["asked"]
    assert "## Shortcuts" not in cards["not"]
    for name in cards:
        done = perturb("export", tmp_path / name, "--out", tmp_path / f"again-{name}")
        assert done.returncode == 0, done.stderr
        assert ("## Shortcuts" in (tmp_path / f"again-{name}" / "README.md").read_text()) == (name == "asked")
