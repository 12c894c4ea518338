"""`perturb review RUN draw --for RULE`: how many grades a corrected score needs, and of which replies."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from perturb.auditing.judged_replies import JudgedReply, read_judged_replies
from perturb.ledger.calls import reading
from perturb.metrics.corrected_rates import CorrectedRate, combined
from perturb.records import Item
from perturb.scoring.grades_needed import GradingStrata
from tests.building import Ended, perturb
from tests.review.judged_run import give, make_evaluated, make_graded


def invoke(run: Path, *options: str) -> Ended:
    return perturb("review", run, "draw", *options, "--json")


def test_more_precision_takes_more_grades_and_keeps_those_there_are(tmp_path: Path) -> None:
    run = make_evaluated(tmp_path / "run", 180)
    wide = invoke(run, "--for", "ci(mrr) <= 0.11").json
    (needed,) = wide["needed"]
    assert needed["source"] == "assumed"
    assert needed["half_width"] <= 0.11
    assert needed["needed"] < needed["judged"]
    with reading(run) as db:
        drawn = read_judged_replies(db, run)
    assert {one.kind for one in drawn} == {"classification"}, "the others say nothing about missed refusals"
    give(run, "ann", {one.id: {"predicted": "ANSWER"} for one in drawn})
    narrow = invoke(run, "--for", "ci(mrr) <= 0.03").json
    assert narrow["needed"][0]["graded"] == needed["needed"]
    assert narrow["needed"][0]["needed"] > needed["needed"]
    with reading(run) as db:
        assert {one.id for one in drawn} < {judged_reply.id for judged_reply in read_judged_replies(db, run)}
    found = perturb("review", run, "report")
    assert "More replies were drawn where the judge may be wrong" in found.stdout


def test_a_precision_that_the_items_do_not_allow_is_refused(tmp_path: Path) -> None:
    done = invoke(make_evaluated(tmp_path / "run"), "--for", "ci(crs) <= 0.01")
    done.fails("no number of grades is enough")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--for", "ci(crs) <= 2"], "is not a rule"),
        (["--for", "ci(crs) <= 0.1", "--size", "9"], "does not go with --for"),
    ],
)
def test_wrong_use_is_named(tmp_path: Path, options: list[str], said: str) -> None:
    done = invoke(make_evaluated(tmp_path / "run"), *options)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_metric_that_grades_do_not_correct_is_refused(tmp_path: Path) -> None:
    done = invoke(make_evaluated(tmp_path / "run"), "--for", "ci(refusal_rate) <= 0.1")
    done.fails("people's grades do not correct refusal_rate")


def test_runs_over_questions_have_no_such_score(tmp_path: Path) -> None:
    done = invoke(make_graded(tmp_path / "run", ["CORRECT"] * 5), "--for", "ci(crs) <= 0.1")
    done.fails("holds no evaluation")


def test_grades_go_where_judge_and_people_differ(tmp_path: Path) -> None:
    run = make_evaluated(tmp_path / "run", 360)

    def by_class() -> dict[str, list[JudgedReply]]:
        with reading(run) as db:
            found: dict[str, list[JudgedReply]] = defaultdict(list)
            for judged_reply in read_judged_replies(db, run):
                assert isinstance(judged_reply.subject, Item)
                found[str(judged_reply.subject.cell.perturbation_class)].append(judged_reply)
        return found

    invoke(run, "--for", "ci(mrr) <= 0.1")
    first = by_class()
    doubtful = sorted(first)[0]
    for name, replies in first.items():
        word = "REFUSE_OTHER" if name == doubtful else "ANSWER"
        give(run, "ann", {reply.id: {"predicted": word} for reply in replies})
    content = invoke(run, "--for", "ci(mrr) <= 0.05").json
    assert content["needed"][0]["source"] == "grades"
    more = {name: len(replies) - len(first[name]) for name, replies in by_class().items()}
    assert more[doubtful] > max(n for name, n in more.items() if name != doubtful)


def test_the_interval_is_as_wide_as_was_planned() -> None:
    """Plan for two rates with a judge of known errors, draw so, and look at the interval that comes out."""
    rng = np.random.default_rng(5)
    n, wrong_at = 1200, np.array([0.02, 0.3])
    strata = np.arange(n) % 2
    rates = np.repeat([0, 1], n // 2)
    human = (rng.random(n) < 0.6).astype(float)
    judge = np.where(rng.random(n) < wrong_at[strata], 1 - human, human)
    bases, names = np.arange(n) // 3, np.array(["easy", "hard"])[strata]

    def score(people: np.ndarray) -> CorrectedRate:
        halves = [
            CorrectedRate.of(
                judge[rows],
                people[rows],
                np.ones(rows.sum(), dtype=bool),
                list(names[rows]),
                bases[rows],
                n // 3,
            )
            for rows in (rates == 0, rates == 1)
        ]
        return combined(halves, [0.5, 0.5])

    whole = score(judge)
    parts = [(rate, stratum) for rate in (0, 1) for stratum in (0, 1)]
    plan = GradingStrata(
        sizes=np.full(4, n // 4),
        weights=np.full(4, 0.25),
        spreads=np.sqrt(wrong_at)[[stratum for _, stratum in parts]],
        graded=np.zeros(4, dtype=int),
        rates=np.array([rate for rate, _ in parts]),
        variance=float(whole.influence @ whole.influence),
        bases=n // 3,
    )
    counts = plan.fewest(0.05)
    assert counts is not None
    assert counts[1] > 3 * counts[0], "grades go where the judge errs"
    assert counts.sum() < n / 2
    people = np.full(n, np.nan)
    for (rate, stratum), count in zip(parts, counts, strict=True):
        chosen = rng.choice(np.flatnonzero((rates == rate) & (strata == stratum)), count, replace=False)
        people[chosen] = human[chosen]
    found = score(people).estimate()
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(0.05, rel=0.15)
