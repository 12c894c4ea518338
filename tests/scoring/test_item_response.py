"""Item response theory from a results table, in JSON, report and refusals of one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from perturb.errors import ConfigError, SourceError
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.item_response import measure_item_response, separate_models
from perturb.scoring.score_report import score
from tests.building import perturb, write_rows
from tests.scoring.tables import Row, items, reply, right, right_at_rate, table, wrong

CAREFUL, BOLD = (-1.0, 1.0), (1.0, -1.0)


def trade_off(n: int = 360) -> list[Row]:
    """Six models: those that refuse well answer badly; refusing is harder at HIGH than at MEDIUM."""
    rng, every = np.random.default_rng(1), items(n)
    rows = []
    for place, share in enumerate(np.linspace(0, 1, 6)):
        answers, refuses = ((1 - share) * c + share * b for c, b in zip(CAREFUL, BOLD, strict=True))
        for item in every:
            ability = answers if item["intensity"] == "LOW" else refuses - 1.5 * (item["intensity"] == "HIGH")
            made = right if rng.random() < 1 / (1 + np.exp(-ability)) else wrong
            rows.append(made(item, f"m{place}"))
    return rows


def test_answering_and_refusing_are_two_scales() -> None:
    rows = trade_off()
    rows[0] |= {"predicted": None, "quality": None}
    report = score(table(rows), resamples=20, item_response=True)
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))["item_response"]
    answering, refusing = found["scales"]
    abilities = [[one["value"] for one in scale["models"]] for scale in (answering, refusing)]
    assert np.corrcoef(range(6), abilities[0])[0, 1] > 0.9
    assert np.corrcoef(range(6), abilities[1])[0, 1] < -0.9
    assert (len(answering["items"]), len(refusing["items"])) == (120, 240)
    assert answering["models"][0]["n"] == 119
    by_cell = {one["cell"]: one["value"] for one in refusing["cells"]}
    assert all(
        by_cell[name] > by_cell[name.replace("HIGH", "MEDIUM")] for name in by_cell if name.endswith("HIGH")
    )
    assert (answering["converged"], refusing["converged"]) == (True, True)
    assert "half-normal" in found["priors"]
    assert len(answering["information"]) == 33


def test_it_is_left_out_unless_asked_for() -> None:
    assert "item_response" not in score(table(trade_off(72)), resamples=20).to_dict()


def test_the_report_has_abilities_cells_items_and_information() -> None:
    page = make_scores_page(score(table(trade_off()), resamples=20, item_response=True))
    chapter = next(section for section in page.sections if section.name == "item-response")
    assert [figure.name for figure in chapter.figures] == [
        *("abilities", "difficulty-answering", "difficulty-refusing", "information")
    ]
    assert [len(one.rows) for one in chapter.tables] == [12, 18, 36, 360]
    assert any("Priors:" in sentence for sentence in chapter.sentences)
    difficulties = np.array([row[2] for row in chapter.tables[2].rows], dtype=np.float64)
    assert (np.diff(difficulties) <= 0).all()


def test_one_scale_may_lack_a_fit() -> None:
    rows = [row if row["intensity"] != "LOW" else right(row, row["model"]) for row in trade_off()]
    report = score(table(rows), resamples=20, item_response=True)
    assert report.item_response is not None
    answering, refusing = report.item_response.scales
    assert (answering.fit, refusing.reason) == (None, None)
    chapter = next(
        section for section in make_scores_page(report).sections if section.name == "item-response"
    )
    assert chapter.sentences[1].startswith("No fit for answering: all replies are right")


def test_too_few_models_are_refused_in_one_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "results.jsonl", right_at_rate(0.6, "m", 180, seed=1))
    perturb("score", path, "--item-response").fails("answering: too few to fit: 1 models, 0 items")


def test_unscored_replies_alone_are_refused() -> None:
    with pytest.raises(SourceError, match="refusing: no reply was scored"):
        score(table([reply(item, "m", None) for item in items(36)]), resamples=20, item_response=True)


def test_cells_and_levers_have_difficulty_and_discrimination() -> None:
    report = score(table(trade_off()), resamples=20, item_response=True)
    assert report.item_response is not None
    refusing = next(scale for scale in report.item_response.scales if scale.name == "refusing")
    cells = {group.name: group for group in refusing.groups if group.grouping == "cell"}
    assert sum(cell.n for cell in cells.values()) == 240
    assert all(cell.discrimination > 0 for cell in cells.values())
    harder = [cell for cell in cells if cell.endswith("HIGH")]
    assert all(cells[one].difficulty > cells[one.replace("HIGH", "MEDIUM")].difficulty for one in harder)


def test_items_are_read_again_if_all_models_fail_or_only_the_strong_ones() -> None:
    every = [item for item in items(60) if item["intensity"] != "LOW"]
    rows = []
    for place, item in enumerate(every):
        fails = {"strong": place in (0, 1), "middle": place in (0, 1) or place % 3 == 0, "weak": place != 1}
        rows += [(wrong if failed else right)(item, model) for model, failed in fails.items()]
    report = score(table(rows), resamples=20)
    found = {one.item_id: one for one in report.read_again}
    first, second = (item["item_id"] for item in every[:2])
    assert set(found) == {first, second}
    assert (found[first].reason, found[first].right) == ("every model fails", ())
    assert found[second].right == ("weak",)
    assert found[second].wrong == ("middle", "strong")
    chapter = next(section for section in make_scores_page(report).sections if section.name == "read-again")
    assert {row[0] for row in chapter.tables[0].rows} == {first, second}


def test_the_items_that_separate_two_models_do_so_in_a_simulation() -> None:
    fitted = measure_item_response(table(trade_off(720)))
    cells = separate_models(fitted, (0.7, 0.4))
    assert separate_models(fitted, (0.4, 0.7)) == cells
    assert [cell.items for cell in cells] == sorted(cell.items or 10**9 for cell in cells)
    first = cells[0]
    assert first.items is not None
    rng, runs = np.random.default_rng(5), 2000
    hits = [rng.random((runs, first.items)) < rate for rate in (first.a, first.b)]
    gaps = hits[0].astype(float) - hits[1]
    z = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) / np.sqrt(first.items))
    assert 0.74 < float((np.abs(z) > 1.96).mean()) < 0.9
    fewer = separate_models(fitted, (0.6, 0.5))[0].items
    assert fewer is not None
    assert fewer > first.items
    with pytest.raises(ConfigError, match="give two that differ"):
        separate_models(fitted, (0.5, 0.5))


def test_power_tells_how_many_items_separate_two_models(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "results.jsonl", trade_off())
    cells = perturb("power", "--results", file, "--separate", "0.7", "0.4", "--json").json["cells"]
    assert {cell["scale"] for cell in cells} == {"answering", "refusing"}
    assert all(cell["items"] > 0 for cell in cells)
    assert perturb("power", "--separate", "0.7", "0.4").returncode == 2
