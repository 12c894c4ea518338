"""Drawing: the same number from each cell, by seed alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from perturb.auditing.rubric import Sample, draw_candidates, draw_evenly
from perturb.errors import ConfigError
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import ReviewLedger, answers_by, read_reviews, sample_ids
from perturb.ledger.plans import Ledger, current_plan
from perturb.records import ALL_CELLS
from tests.building import plan_facts
from tests.review.made_run import make_run

POOL = {f"{cell}-{i}": str(cell) for cell in ALL_CELLS for i in range(30)}


def drawn(
    run: Path, *, per_cell: int = 10, seed: int = 0, population: Literal["accepted", "decided"] = "accepted"
) -> Sample:
    with open_read_only(run) as db:
        return draw_candidates(db, current_plan(db, run), per_cell, seed, population)


def test_ten_from_each_of_eighteen_cells() -> None:
    sample = draw_evenly(POOL, 10, seed=0)
    assert len(set(sample)) == 180
    assert set(Counter(map(POOL.__getitem__, sample)).values()) == {10}


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_rows() -> None:
    sample = draw_evenly(POOL, 10, seed=3)
    assert draw_evenly(dict(reversed(POOL.items())), 10, seed=3) == sample
    assert set(draw_evenly(POOL, 10, seed=4)) != set(sample)


def test_cells_are_mixed_and_a_short_one_is_drawn_whole() -> None:
    short = "P-Ambiguity/LOW"
    pool = {one: cell for one, cell in POOL.items() if cell != short or int(one.rsplit("-", 1)[1]) < 4}
    sample = draw_evenly(pool, 10, seed=0)
    assert {cell: n for cell, n in Counter(map(pool.__getitem__, sample)).items() if n < 10} == {short: 4}
    assert len({pool[one] for one in sample[:18]}) > 6


def test_every_candidate_of_a_cell_is_as_likely_as_the_next() -> None:
    pool = {f"c{i}": "a cell" for i in range(10)}
    hits = Counter(one for seed in range(400) for one in draw_evenly(pool, 5, seed))
    assert sum((hits[name] - 200) ** 2 / 200 for name in pool) < 30


def test_accepted_candidates_only_unless_rejected_ones_are_asked_for(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", per_cell=6)
    with open_read_only(run) as db:
        words = dict(db.execute("SELECT candidate_id, acceptance FROM decisions").fetchall())
    accepted, _ = drawn(run, per_cell=6)
    assert {words[one] for one in accepted} == {"accepted"}
    both, facts = drawn(run, per_cell=6, population="decided")
    assert {words[one] for one in both} == {"accepted", "rejected"}
    assert set(facts["counts"].values()) == {6}


def test_drawing_anew_keeps_the_answers(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", per_cell=6)
    first, second = drawn(run, per_cell=2, seed=1), drawn(run, per_cell=2, seed=2)
    with ReviewLedger.of_run(run) as ledger:
        ledger.replace_sample(*first)
        for one in first[0]:
            ledger.record_answer(one, "ann", "comment", "seen")
        ledger.flush()
        ledger.replace_sample(*second)
        assert sample_ids(ledger.db, run) == second[0]
        assert set(answers_by(ledger.db, "ann")) == set(first[0])


def test_nothing_to_draw_from_is_said(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.add_jobs(ledger.start_plan("d", "", plan_facts({}, cells=[str(ALL_CELLS[0])])), (), {})
    with pytest.raises(ConfigError, match="no candidate was accepted yet"):
        drawn(tmp_path)


def test_answers_to_dropped_items_make_no_annotator_and_names_are_told_apart(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", per_cell=6)
    first, second = drawn(run, per_cell=2, seed=1), drawn(run, per_cell=2, seed=2)
    with ReviewLedger.of_run(run) as ledger:
        ledger.replace_sample(*first)
        (dropped, *_) = sorted(set(first[0]) - set(second[0]))
        for name in ("ann", "Ann", "a%"):
            ledger.record_answer(dropped, name, "comment", f"by {name}")
        ledger.flush()
        assert answers_by(ledger.db, "ann") == {dropped: {"comment": "by ann"}}
        assert answers_by(ledger.db, "a%") == {dropped: {"comment": "by a%"}}
        assert dropped in read_reviews(ledger.db)
        ledger.replace_sample(*second)
        assert dropped not in read_reviews(ledger.db)
