"""Models that are asked several times about an item: what is asked, kept, replayed and scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perturb.errors import ConfigError
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.evaluation.status import read_status
from perturb.evaluation.stop_rule import read_stop_rule
from perturb.ledger.calls import reading
from perturb.llm.recording import Replay, read_recording
from perturb.records import ANSWER_CORRECTLY
from perturb.reports.any_page import make_any_page
from perturb.reports.rendering import write_page
from perturb.scoring.power import Budget, split_budget
from perturb.scoring.score_report import score
from perturb.scoring.settings import share_within
from perturb.scoring.table import read_results
from perturb.snapshots.replies import export_replies
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns
from tests.loopback.responders import Responders
from tests.scoring.tables import Row, items, right, table, wrong

from .rows import items_of, run, single, write_rows

ITEMS = 18


class Waverer(Responders):
    """Refuses every second time it is asked about an item, and answers as it always does otherwise."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.asked: Counter[str] = Counter()

    def play(self, model: str, messages: Turns) -> str:
        text = messages[-1]["content"]
        item = next((one for one in self._items.values() if one.query in text), None)
        if item is None or model == "judge":
            return super().play(model, messages)
        self.asked[item.id] += 1
        return "REFUSE_INFO_MISSING_IN_CONTEXT" if self.asked[item.id] % 2 == 0 else "It was somebody."


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(ITEMS)])


def test_more_samples_ask_for_the_missing_replies_only(tmp_path: Path, source: Path) -> None:
    player = Waverer(items_of(source))
    with LoopbackServer(player) as server:
        run(tmp_path, source, server.url, ["sixty"])
        with reading(tmp_path / "run") as db:
            first = db.execute("SELECT key FROM calls WHERE purpose = 'respond' ORDER BY key").fetchall()
        two = run(tmp_path, source, server.url, ["sixty"], samples=2)
        assert set(player.asked.values()) == {2}
        three = run(tmp_path, source, server.url, ["sixty"], samples=3)
        again = run(tmp_path, source, server.url, ["sixty"], samples=3)
        fewer = run(tmp_path, source, server.url, ["sixty"])
    assert set(player.asked.values()) == {3}
    assert again.facts["calls"] == fewer.facts["calls"] == three.facts["calls"] > two.facts["calls"]
    assert fewer.facts["models"][0]["missing"] == 0
    with reading(tmp_path / "run") as db:
        keys = db.execute("SELECT key FROM calls WHERE purpose = 'respond' ORDER BY rowid").fetchall()
    assert sorted(map(tuple, keys[:ITEMS])) == list(map(tuple, first))
    assert len(set(map(tuple, keys))) == 3 * ITEMS
    results = read_run(tmp_path / "run").results
    assert Counter(result.sample for result in results) == {1: ITEMS, 2: ITEMS, 3: ITEMS}
    status = read_status(tmp_path / "run")
    assert status["under_test"]["sixty"]["done"] == 3 * ITEMS
    assert status["left"] == 0

    report = score(read_results(tmp_path / "run"), resamples=50)
    (everything,) = (sample for sample in report.samples if sample.perturbation_class == "all")
    assert (everything.items, everything.samples) == (ITEMS, 3)
    assert everything.flips.value == 1
    assert everything.disagreement.value == pytest.approx(2 / 3)
    assert {sample_error.model for sample_error in report.sample_errors} == {"sixty"}
    page = make_any_page(tmp_path / "run", items=10, resamples=20, seed=0, shortcuts=False)
    chapter = [section for section in page.sections if section.name == "samples"]
    assert chapter
    write_page(replace(page, sections=chapter), tmp_path / "page.html", tmp_path / "files")

    export_replies(tmp_path / "run", tmp_path / "replies.jsonl.gz")
    replay = Replay(read_recording(tmp_path / "replies.jsonl.gz"), fill=False)
    replayed = evaluate(EvaluationPlan(source=None, out=tmp_path / "again", replay=replay))
    assert replayed.facts["missing_replies"] == []
    assert read_run(tmp_path / "again").results == results


def test_a_budget_counts_every_sample(tmp_path: Path, source: Path) -> None:
    with LoopbackServer(Waverer(items_of(source))) as server:
        run(tmp_path, source, server.url, ["sixty"])
        stopped = run(tmp_path, source, server.url, ["sixty"], samples=3, budget_usd=1e-6)
        assert stopped.stopped
        assert stopped.facts["models"][0]["missing"] > 0
        ended = run(tmp_path, source, server.url, ["sixty"], samples=3)
    assert ended.facts["models"][0]["missing"] == 0


def test_samples_that_cannot_be_asked_for_are_refused(tmp_path: Path, source: Path) -> None:
    with pytest.raises(ConfigError, match="--samples must be at least 1"):
        run(tmp_path, source, "http://localhost:1", ["sixty"], samples=0)
    rule = read_stop_rule("ci(crs) <= 0.3")
    with pytest.raises(ConfigError, match="leave out --samples"):
        run(tmp_path, source, "http://localhost:1", ["sixty"], samples=2, until=rule)


def sampled(n: int, k: int, seed: int, spread: float = 1.0) -> list[Row]:
    """Replies of one model whose chance to be right differs by item: Beta(`spread`, `spread`)."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(spread, spread, size=n)
    return [
        {**(right if rng.random() < chance else wrong)(item, "m"), "sample": sample}
        for item, chance in zip(items(n), chances, strict=True)
        for sample in range(1, k + 1)
    ]


def test_standard_errors_fall_into_items_and_replies() -> None:
    rows = sampled(540, 4, seed=1)
    report = score(table(rows), unit="item", resamples=400)
    errors = {sample_error.metric: sample_error for sample_error in report.sample_errors}
    # Beta(1, 1): E[p (1 - p)] = 1/6 of a total variance of 1/4, and Var(p) = 1/12
    for name, one in errors.items():
        n = 540 / 3 if name == "answer_accuracy" else 540 * 2 / 3
        if name != "calibrated_refusal_score":
            assert one.se_replies == pytest.approx((1 / 6 / 4 / n) ** 0.5, rel=0.1)
            assert one.se_items == pytest.approx((1 / 12 / n) ** 0.5, rel=0.2)
        assert one.within == pytest.approx(2 / 3, abs=0.06)
        assert one.se**2 == pytest.approx(one.se_items**2 + one.se_replies**2)
    flips = next(sample for sample in report.samples if sample.perturbation_class == "all")
    assert flips.disagreement.value == pytest.approx(1 / 3, abs=0.04)
    assert share_within(table(rows).models) == pytest.approx(2 / 3, abs=0.06)


@pytest.mark.parametrize("unit", ["base", "item"])
def test_samples_of_one_reply_each_add_nothing(unit: str) -> None:
    rows = sampled(180, 1, seed=2)
    thrice = [{**row, "sample": sample} for row in rows for sample in (1, 2, 3)]
    single_report, report = (score(table(some), unit=unit, resamples=100) for some in (rows, thrice))
    one, three = (each.models[0].metrics["calibrated_refusal_score"] for each in (single_report, report))
    assert one.value == pytest.approx(three.value or 0)
    assert one.se == pytest.approx(three.se or 0), "a reply that is repeated word by word is no news"
    assert {sample.flips.value for sample in report.samples} == {0}
    assert not single_report.samples


def test_models_are_compared_on_the_samples_that_both_have() -> None:
    rows = sampled(180, 3, seed=3)
    other = [{**row, "model": "n"} for row in rows if row["sample"] == 1]
    report = score(table([*rows, *other]), resamples=50)
    gaps = {comparison.metric: comparison.difference for comparison in report.comparisons}
    assert gaps["refusal_rate"].value == 0
    assert gaps["refusal_rate"].n == 180
    assert sum(row["expected_rag_behavior"] == ANSWER_CORRECTLY for row in other) > 0


@pytest.mark.parametrize(("cost", "best"), [(0.0, 1), (8.0, 3), (32.0, 6)])
def test_a_budget_is_split_by_what_an_item_costs(cost: float, best: int) -> None:
    splits = split_budget(Budget(10_000, 0.5, cost))
    # Cochran's rule: the square root of cost x within / between, to a whole number
    assert min(splits, key=lambda split: split.half_width).samples == best
