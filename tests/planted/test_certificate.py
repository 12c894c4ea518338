"""What planted items say of a panel whose error rates are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from perturb.auditing.audit_report import audit
from perturb.auditing.certificate import Certificate, PlantedVerdicts
from perturb.auditing.rubric import QUESTION_NAMES
from perturb.auditing.votes import Tally, read_member_tallies
from perturb.building.plan import plan_build
from perturb.building.planting import choose_rules
from perturb.building.run import build
from perturb.catalogue.classes import Judges
from perturb.cli.main import app
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import ReviewLedger, sample_ids
from perturb.ledger.plans import Ledger, current_plan
from perturb.ledger.queries import votes_of
from perturb.metrics.corrected_rates import Share, combined_wrong_share, wrong_label_share
from perturb.records import (
    PUBLISHED_CLASSES,
    BaseInstance,
    Candidate,
    Cell,
    ClassRule,
    Intensity,
    Passage,
    PerturbationClass,
    PlantedItem,
    PlantedKind,
    Verdict,
    VerdictState,
)
from perturb.reports.audit_page import make_page
from perturb.reports.words import describe_certificate
from perturb.snapshots.snapshot import check_snapshot, read_snapshot
from tests.building import (
    configure,
    content_of,
    perturb,
    query,
    run_build,
    serve,
    write_config,
)
from tests.loopback.players import ContentFaults
from tests.review.made_run import VERIFIERS, make_run

CELL = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)
INSTANCE = BaseInstance("b", "made", "who", (Passage("Ann did."),), ("Ann",))


Told = dict[PlantedKind, tuple[int, int]]
"""Kind → how many items a verifier passes, of how many."""


def planted(kind: PlantedKind, number: int, cell: Cell = CELL) -> PlantedItem:
    name = f"{kind}{number}"
    return PlantedItem(kind, INSTANCE, Candidate(name, "b", "g", cell, "l", "who", (), "", ""))


def certificate(passed: Mapping[str, Told], tally: Tally, needed: int | None = None) -> Certificate:
    """A certificate from how many items of each kind each verifier passes: the first ones."""
    kinds = {kind: of for told in passed.values() for kind, (_, of) in told.items()}
    items = [planted(kind, number) for kind, of in kinds.items() for number in range(of)]
    votes: dict[str, dict[str, Verdict]] = {item.id: {} for item in items}
    for name, told in passed.items():
        for kind, (n, of) in told.items():
            for number in range(of):
                state = VerdictState.PASS if number < n else VerdictState.FAIL
                votes[f"{kind}{number}"][name] = Verdict(f"{kind}{number}", name, state)
    judges = Judges(dict.fromkeys(passed, "p"), {}, PUBLISHED_CLASSES)
    return Certificate(PlantedVerdicts.of(items, votes, judges, needed or len(passed)), tally, {})


@pytest.mark.parametrize("hard", [1, 40, 180])
def test_wrong_labels_of_the_hard_part_may_be_all_that_there_are(hard: int) -> None:
    made = replace(certificate({"only": {"class": (4, 40), "right": (38, 40)}}, Tally(180, 200)), hard=hard)
    whole, part = made.wrong_labels(), made.wrong_labels_of_hard()
    assert part is not None
    assert part.value is None
    assert whole.low is not None
    assert whole.high is not None
    assert part.high == pytest.approx(min(1, 180 * whole.high / hard))
    assert part.low == pytest.approx(max(0, 180 * whole.low - (180 - hard)) / hard)
    assert (
        f"Of the {hard} accepted items that solvers fail" in list(describe_certificate(made.to_dict(), 1))[1]
    )


def test_a_panel_is_certified_by_its_joint_verdicts() -> None:
    strict: Told = {"class": (0, 20), "behaviour": (0, 20), "right": (18, 20)}
    lax: Told = {"class": (10, 20), "behaviour": (2, 20), "right": (20, 20)}
    told = certificate({"strict": strict, "lax": lax}, Tally(180, 200)).to_dict()
    assert (told["planted"], told["caught"], told["right"], told["failed_right"]) == (40, 40, 20, 2)
    assert told["by_verifier"]["lax"]["false_pass"]["value"] == 12 / 40
    assert told["by_verifier"]["strict"]["false_fail"]["value"] == 2 / 20
    assert told["by_kind"]["class"]["by_verifier"]["lax"]["value"] == 0.5
    assert told["by_kind"]["mechanical"]["planted"] == 40
    assert told["by_kind"]["written"]["planted"] == 0
    assert told["by_kind"]["written"]["share"]["value"] is None
    assert told["wrong_labels"]["value"] == 0
    assert 0 < told["wrong_labels"]["high"] < 0.05
    assert told["by_class"][CELL.perturbation_class]["planted"] == 40


def test_written_faults_come_first_where_there_are_24() -> None:
    caught: Told = {"class": (0, 40), "right": (20, 20)}
    missed: Told = {"written": (12, 24)}
    few = certificate({"one": {**caught, "written": (12, 23)}}, Tally(150, 200))
    many = certificate({"one": {**caught, **missed}}, Tally(150, 200))
    assert few.to_dict()["rests_on"] == "all"
    assert many.to_dict()["rests_on"] == "written"
    low, high = few.wrong_labels().value, many.wrong_labels().value
    assert low is not None
    assert high is not None
    assert low < high


def test_faults_of_lever_and_degree_stay_out_of_the_estimate() -> None:
    base: Told = {"class": (0, 24), "right": (20, 20)}
    plain = certificate({"one": base}, Tally(180, 200)).to_dict()
    beside = certificate({"one": {**base, "lever": (24, 24), "degree": (24, 24)}}, Tally(180, 200)).to_dict()
    assert plain["wrong_labels"] == beside["wrong_labels"]
    assert beside["planted"] == 24
    assert beside["by_kind"]["degree"]["caught"] == 0


@pytest.mark.parametrize(
    ("passed", "reason"),
    [
        ({"class": (30, 40), "right": (16, 20)}, "cannot tell"),
        ({"right": (20, 20)}, "no planted faults"),
        ({"class": (0, 40)}, "no right items"),
    ],
)
def test_nothing_is_known_where_the_panel_cannot_tell(passed: Told, reason: str) -> None:
    told = certificate({"one": passed}, Tally(180, 200)).to_dict()["wrong_labels"]
    assert (told["value"], told["high"]) == (None, 1.0)
    assert reason in told["reason"]


def test_who_misses_most_of_a_kind_is_named_with_advice() -> None:
    blind = certificate(
        {"sharp": {"class": (0, 8), "nothing": (0, 8)}, "blind": {"class": (6, 8), "nothing": (4, 8)}},
        Tally(1, 2),
    )
    assert len(blind.advice) == 1
    assert blind.advice[0].startswith("blind caught 2 of 8 planted faults of the kind 'class'")
    assert "stronger model" in blind.advice[0]


def test_verifiers_that_err_together_are_worth_one() -> None:
    same: Told = {"class": (10, 40), "right": (20, 20)}
    alike = certificate({"a": same, "b": same, "c": same}, Tally(1, 2)).to_dict()["effective_votes"]
    assert alike["value"] == pytest.approx(1.0)
    none = certificate({"a": {"class": (0, 9)}, "b": {"class": (0, 9)}}, Tally(1, 2)).to_dict()
    assert none["effective_votes"]["value"] is None
    assert "erred" in none["effective_votes"]["reason"]


def test_an_unread_vote_is_neither_a_catch_nor_a_miss() -> None:
    made = certificate({"one": {"class": (0, 10)}}, Tally(1, 2))
    states = made.verdicts.states.copy()
    states[0] = -1
    verdicts = PlantedVerdicts(made.verdicts.items, made.verdicts.verifiers, states, 1)
    assert verdicts.passes(verdicts.of_kinds("class")).n == 9


def test_candidates_of_one_base_instance_that_fare_alike_count_for_less() -> None:
    spread = Tally(150, 200, {str(n): (3, 4) for n in range(50)})
    alike = Tally(150, 200, {str(n): (4 if n < 37 else 0, 4) for n in range(50)})
    assert spread.share.n == 200
    assert alike.share.n < 100


def test_more_planted_items_and_fewer_misses_give_a_lower_end() -> None:
    ends = [
        wrong_label_share(Share(x, n), Share(36, 36), Share(190, 200)).high or 0.0
        for x, n in ((4, 24), (0, 24), (0, 48), (0, 200))
    ]
    assert ends == sorted(ends, reverse=True)
    assert len(set(ends)) == 4


def test_the_certificate_stands_in_audit_report_card_and_manifest(tmp_path: Path) -> None:
    with serve({"v1": 0.97, "v2": 0.96, "v3": 0.99}) as server:
        content = content_of(server.url, limit=6, panel={"planted": {"mechanical": 48, "written": 2}})
        report = run_build(tmp_path, content)
    told = report.facts["certificate"]
    assert told["planted"] + told["by_kind"]["lever"]["planted"] + told["by_kind"]["degree"]["planted"] == 50
    assert told == audit(report.run, resamples=20).to_dict()["certificate"]
    # The loopback verifiers do not read what they judge.
    assert told["wrong_labels"]["value"] is None
    line = "rong labels: not known (the panel cannot tell right from wrong"
    summary = make_page(report.run, items=0, resamples=20).sections[0].sentences
    assert line in summary[0]
    assert any("v1 caught" in sentence for sentence in summary)
    assert report.snapshot is not None
    assert check_snapshot(report.snapshot) == ()
    assert read_snapshot(report.snapshot).manifest["certificate"] == told
    assert line in (report.snapshot / "README.md").read_text(encoding="utf-8").replace("\\", "")
    out = str(tmp_path / "out")
    refused = perturb("export", report.run, "--out", out, "--max-wrong", "0.03")
    assert refused.returncode == 1
    assert "above 3 % (--max-wrong)" in refused.stderr
    allowed = perturb("export", report.run, "--out", out, "--max-wrong", "1", "--json")
    assert allowed.returncode == 0, allowed.stderr
    assert allowed.json["certificate"] == told
    told_by_audit = perturb("audit", report.run, "--resamples", "20")
    assert line in told_by_audit.stdout


def test_a_run_without_planted_items_has_no_certificate(tmp_path: Path) -> None:
    with serve() as server:
        report = run_build(tmp_path, content_of(server.url))
    assert report.facts["certificate"] is None
    assert audit(report.run, resamples=20).to_dict()["certificate"] is None
    assert report.snapshot is not None
    assert read_snapshot(report.snapshot).manifest["certificate"] is None
    assert "How many labels are wrong" not in (report.snapshot / "README.md").read_text(encoding="utf-8")
    assert "Nothing is certified" in make_page(report.run, items=0, resamples=20).sections[0].sentences[0]
    refused = perturb("export", report.run, "--out", tmp_path / "out", "--max-wrong", "0.5")
    assert refused.returncode == 1
    assert "no items were planted" in refused.stderr


def test_the_estimate_counts_planted_items(tmp_path: Path) -> None:
    content = content_of("http://localhost:1", limit=6)
    made: dict[str, Any] = {}
    for name, number in (("off", 0), ("on", {"mechanical": 24, "written": 3})):
        config = write_config(tmp_path / name, {**content, "panel": {**content["panel"], "planted": number}})
        ended = perturb("build", config, "--dry-run", "--json")
        assert ended.returncode == 0, ended.stderr
        made[name] = ended.json
    assert made["on"]["planted"] == 24 + 3 + 18
    assert made["on"]["calls"] - made["off"]["calls"] == 3 * 45 + 3
    printed = perturb("build", tmp_path / "on" / "build.yaml", "--dry-run").stdout
    share = 45 / (made["on"]["jobs"] + 45)
    assert f"The estimate includes 45 planted items to test the panel, {share:.1%} of all votes" in printed


def test_the_columns_of_the_matrix_are_verifiers() -> None:
    made = certificate({"a": {"class": (1, 3)}, "b": {"class": (2, 3)}}, Tally(1, 2))
    assert np.array_equal(made.verdicts.states, [[1, 1], [0, 1], [0, 0]])
    assert np.array_equal(made.verdicts.errors, [[1, 1], [0, 1], [0, 0]])


def test_the_cheapest_rule_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    sharp: Told = {"class": (0, 120), "right": (54, 54)}
    blind: Told = {"class": (100, 120), "right": (54, 54)}
    told = certificate({"blind": blind, "sharp": sharp, "dear": sharp}, Tally(1, 2)).verdicts
    rules = choose_rules(told, 0.02)
    assert set(rules) == {CELL.perturbation_class}
    rule = rules[CELL.perturbation_class]
    assert (rule.verifiers, rule.needed) == (("sharp",), 1)
    assert 0 < rule.bound <= 0.02
    half = told.used_to_choose_rules.sum() / len(told.items)
    assert 0.3 < half < 0.7
    assert choose_rules(told, 0.0001) == {}
    few = certificate({"a": {"class": (0, 19), "right": (54, 54)}}, Tally(1, 2)).verdicts
    assert choose_rules(few, 0.5) == {}


def test_under_certified_planted_votes_come_first_and_choose_who_votes(tmp_path: Path) -> None:
    panel = {"consensus": "certified", "target": 0.02, "planted": 150}
    with serve() as server:
        content = content_of(server.url, limit=6, panel=panel)
        report = run_build(tmp_path, content)
        again = run_build(tmp_path, content)
    # The loopback verifiers pass whatever they see, so that no rule is good enough and all of them vote.
    assert report.facts["rules"] == again.facts["rules"] == {}
    assert report.facts["votes_saved"] == 0
    assert report.facts["votes"] == 3 * report.facts["candidates"]
    ((last_planted,),) = query(
        report.run,
        "SELECT max(rowid) FROM calls WHERE subject IN (SELECT id FROM planted) AND purpose = 'verify'",
    )
    ((first_other,),) = query(
        report.run,
        "SELECT min(rowid) FROM calls WHERE subject IN (SELECT id FROM jobs) AND purpose = 'verify'",
    )
    assert last_planted < first_other
    assert report.snapshot is not None
    assert read_snapshot(report.snapshot).manifest["panel"]["consensus"] == "certified, target 2 %"


def test_a_rule_that_was_chosen_decides_with_fewer_votes(tmp_path: Path) -> None:
    panel = {"consensus": "certified", "target": 0.02, "planted": 24}
    with serve({"v2": 0.5}) as server:
        content = content_of(server.url, limit=2, panel=panel)
        with_rule = configure(tmp_path, content)
        plan = plan_build(with_rule)
        with Ledger(tmp_path / "run") as ledger:
            number = ledger.start_plan(plan.digest, with_rule.to_yaml(), plan.facts)
            ledger.store_rules(number, {CELL.perturbation_class: ClassRule(("v1",), 1, 0.01)})
        report = build(with_rule, tmp_path / "run")
    voters = query(
        report.run,
        "SELECT j.perturbation_class = 'P-Contradiction', group_concat(DISTINCT v.verifier) FROM votes v"
        " JOIN jobs j ON j.id = v.candidate_id GROUP BY 1 ORDER BY 1",
    )
    assert voters[1] == (1, "v1")
    assert set(voters[0][1].split(",")) == {"v1", "v2", "v3"}
    decided = query(
        report.run,
        "SELECT count(*), sum(acceptance = 'accepted') FROM decisions d JOIN jobs j ON j.id = d.candidate_id"
        " WHERE j.perturbation_class = 'P-Contradiction'",
    )
    assert decided[0][0] == decided[0][1] > 0
    assert report.facts["votes_saved"] == 2 * decided[0][0]
    audited = audit(report.run, resamples=20).to_dict()
    assert audited["certificate"]["planted"] > 0
    # The rule leaves two verifiers out of a class, so what each would let through alone is not known.
    assert all(entry["wrong_labels"] is None for entry in audited["certificate"]["by_verifier"].values())


@pytest.mark.parametrize(
    ("wrong", "read", "reason"),
    [(0, 60, None), (1, 60, None), (40, 60, "contradict"), (60, 60, "contradict")],
)
def test_people_and_planted_items_are_combined_unless_they_contradict_each_other(
    wrong: int, read: int, reason: str | None
) -> None:
    people = Share(wrong, read)
    panel = Share(0, 60), Share(36, 36), Share(240, 250)
    both, alone = combined_wrong_share(*panel, people, 240), people.estimate()
    assert both.low is not None
    assert both.value is not None
    assert both.high is not None
    assert alone.high is not None
    assert both.low <= both.value <= both.high
    if reason is None:
        assert both.reason is None
        assert both.high < alone.high
        planted = wrong_label_share(*panel, 240)
        assert planted.value is not None
        assert alone.value is not None
        assert planted.value <= both.value <= alone.value
    else:
        assert reason in str(both.reason)
        assert (both.value, both.low, both.high) == (alone.value, alone.low, alone.high)


def test_people_stand_alone_where_the_panel_cannot_tell() -> None:
    people = Share(1, 60)
    both = combined_wrong_share(Share(30, 40), Share(16, 20), Share(180, 200), people, 180)
    assert replace(both, reason=None) == people.estimate()
    assert "cannot tell" in str(both.reason)


@given(
    faults=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    right=st.tuples(st.integers(0, 54), st.integers(0, 54)),
    candidates=st.tuples(st.integers(0, 400), st.integers(1, 400)),
    people=st.tuples(st.floats(0, 100), st.floats(0.5, 100)),
)
@example(faults=(0, 0), right=(0, 0), candidates=(0, 1), people=(5e-324, 1.0))
@example(faults=(1, 5), right=(5, 5), candidates=(1, 5), people=(1.0, 1.0))
@settings(max_examples=40, deadline=None)
def test_the_combined_interval_holds_its_value_whatever_the_counts(
    faults: tuple[int, int], right: tuple[int, int], candidates: tuple[int, int], people: tuple[float, float]
) -> None:
    faults_passed, right_passed, accepted, wrong = (
        Share(min(pair), max(pair)) for pair in (faults, right, candidates, people)
    )
    both = combined_wrong_share(faults_passed, right_passed, accepted, wrong, min(candidates))
    assert both.low is not None
    assert both.value is not None
    assert both.high is not None
    assert 0 <= both.low <= both.value <= both.high <= 1


def test_a_larger_sample_of_people_lowers_the_upper_end() -> None:
    panel = Share(2, 60), Share(35, 36), Share(230, 250)
    highs = [combined_wrong_share(*panel, Share(0, n), 230).high or 0.0 for n in (15, 30, 60, 120)]
    assert highs == sorted(highs, reverse=True)
    assert len(set(highs)) == 4


def test_the_sample_counts_by_weights_and_for_less_if_base_instances_fare_alike() -> None:
    hits = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    weighted = Share.of_sample(hits, np.array([3.0, 1, 1, 1, 1, 1, 1, 1]), np.arange(8))
    assert weighted.value == pytest.approx(4 / 10)
    assert weighted.n < 8
    apart, alike = (Share.of_sample(hits, np.ones(8), bases) for bases in (np.arange(8), np.arange(8) // 2))
    assert apart.value == alike.value == 0.25
    assert alike.n < apart.n


WRONG = ("intensity_achieved", "ground_truth_alignment", "linguistic_soundness", "lever_fidelity")
"""What the reader answers with no, in turn; the first two make the label wrong."""


def make_read_run(folder: Path, population: str) -> Path:
    """A run with 40 faults, all caught, and 20 right items, all passed; people read two items of each cell."""
    run = make_run(folder, per_cell=4)
    kinds: Told = {"class": (0, 40), "right": (20, 20)}
    with Ledger(run) as ledger:
        for kind, (passed, number) in kinds.items():
            for one in (planted(kind, n) for n in range(number)):
                ledger.record_planted(one, "")
                for verifier in VERIFIERS:
                    state = VerdictState.PASS if passed else VerdictState.FAIL
                    ledger.record_vote(Verdict(one.id, verifier, state, prompt_version="f"), planted=True)
    drawn = CliRunner().invoke(app, ["review", str(run), "draw", "--per-cell", "2", "--from", population])
    assert drawn.exit_code == 0
    with ReviewLedger.of_run(run) as reviews:
        for number, name in enumerate(sorted(sample_ids(reviews.db, run))):
            answers = dict.fromkeys(QUESTION_NAMES, "yes")
            if number < len(WRONG):
                answers[WRONG[number]] = "no"
            for question, answer in answers.items():
                reviews.record_answer(name, "ann", question, answer)
    return run


def test_what_people_read_stands_beside_planted_items_and_is_quoted(tmp_path: Path) -> None:
    read_run = make_read_run(tmp_path / "run", "accepted")
    told = audit(read_run, resamples=20).to_dict()["certificate"]
    # Of 36 items read, two have a wrong label: those of the first cell, with 3 of 48 accepted candidates.
    assert (told["people"]["n"], told["right"], told["right_read"]) == (36, 20, 0)
    assert told["people"]["value"] == pytest.approx(3 / 48)
    assert told["wrong_labels"]["value"] == 0
    both, alone = told["combined"], told["people"]
    assert both["reason"] is None
    assert 0 < both["value"] < alone["value"]
    assert both["high"] < alone["high"]
    line = f"rong labels: {100 * both['value']:.1f} %"
    printed = " ".join(perturb("audit", read_run, "--resamples", "20").stdout.split())
    assert line in printed
    assert "36 items read by people" in printed
    assert "Planted items alone say 0.0 %" in printed
    out = tmp_path / "out"
    refused = perturb("export", read_run, "--out", out, "--max-wrong", str(both["high"] - 0.001))
    assert refused.returncode == 1
    assert "36 items read by people" in refused.stderr
    assert "let people read more items" in refused.stderr
    allowed = perturb("export", read_run, "--out", out, "--max-wrong", str(both["high"]))
    assert allowed.returncode == 0, allowed.stderr
    snapshot = read_snapshot(out)
    assert snapshot.manifest["certificate"] == told
    card = (out / "README.md").read_text(encoding="utf-8").replace("\\", "")
    assert line in card
    assert "people alone 6.2 % (" in card


def test_candidates_that_people_found_right_count_as_right_items_if_drawn_from_all(tmp_path: Path) -> None:
    run = make_read_run(tmp_path / "run", "decided")
    told = audit(run, resamples=20).to_dict()["certificate"]
    drawn = query(
        run,
        "SELECT acceptance FROM review_samples s JOIN decisions d ON d.candidate_id = s.candidate_id"
        " ORDER BY s.candidate_id",
    )
    accepted = drawn.count(("accepted",))
    rejected = drawn[2:].count(("rejected",))  # of the first two the label is wrong
    assert told["right_read"] == 36 - 2
    assert told["right"] == 20 + 36 - 2
    assert told["failed_right"] == rejected > 0
    assert told["people"]["n"] == accepted
    assert told["by_verifier"]["cedar"]["false_fail"]["value"] == pytest.approx(rejected / told["right"])
    assert told["by_verifier"]["birch"]["false_fail"]["value"] == 0
    printed = " ".join(perturb("audit", run, "--resamples", "20").stdout.split())
    assert f"60 planted items, panel of 2, {accepted} items read by people" in printed


def test_without_readers_nothing_is_combined() -> None:
    told = certificate({"one": {"class": (0, 24), "right": (20, 20)}}, Tally(180, 200)).to_dict()
    assert (told["people"], told["combined"]) == (None, None)


def test_right_items_that_are_harder_than_the_round_do_not_make_it_certain() -> None:
    """If fewer right items than candidates pass, the upper end is about that of a panel that fails no right item."""
    accepted, false_passes = Share(246, 266), Share(0, 24)
    harder = wrong_label_share(false_passes, Share(14, 18), accepted)
    none_failed = wrong_label_share(false_passes, Share(18, 18), accepted)
    assert harder.high is not None
    assert none_failed.high is not None
    assert 0.5 * none_failed.high < harder.high < 2 * none_failed.high


def alone(rejected: int, strict: Told, needed: int = 2) -> dict[str, Any]:
    """What `hurried` alone lets through in the measured round: it passes 263 of 266 candidates."""
    hurried: Told = {"class": (0, 44), "right": (17, 18)}
    made = certificate({"hurried": hurried, "strict": strict}, Tally(246, 266), needed)
    made = replace(made, tally_by_verifier={"hurried": Tally(263, 266, rejected_by_panel=rejected)})
    by_verifier = made.to_dict()["by_verifier"]
    assert by_verifier["strict"]["wrong_labels"] is None
    return dict(by_verifier["hurried"]["wrong_labels"])


def test_what_the_panel_rejects_counts_against_a_verifier_that_decides_alone() -> None:
    """Two readers found 1.1 % and 1.5 % of the items wrong that `hurried` alone accepts."""
    strict: Told = {"class": (0, 44), "right": (14, 18)}
    planted_alone = wrong_label_share(Share(0, 44), Share(17, 18), Share(263, 266), 263).spread("value")
    assert alone(0, strict) == planted_alone
    assert planted_alone["high"] == pytest.approx(0.004, abs=0.001)
    measured = alone(17, strict)
    assert 0.015 < measured["high"] < 0.15
    assert measured | {"high": planted_alone["high"]} == planted_alone


def test_a_panel_that_cannot_tell_does_not_bound_what_its_verifiers_let_through() -> None:
    bounds = alone(17, {"class": (40, 44), "right": (14, 18)}, needed=1)
    assert (bounds["value"], bounds["high"]) == (0, 1)
    assert "the panel cannot tell" in bounds["reason"]


@pytest.mark.parametrize("schedule", ["full", "economy"])
def test_the_votes_of_a_verifier_count_if_they_are_current_and_on_classes_that_it_judges(
    tmp_path: Path, schedule: str
) -> None:
    faults = ContentFaults({"empty": 0.3}, stubborn=True)
    with serve({"v1": 0.8, "v2": 0.7, "v3": 0.9}, verifier_faults=faults) as server:
        content = content_of(server.url)
        content["panel"] |= {"schedule": schedule, "audit_fraction": 0.5}
        run_build(tmp_path, content)
        content["panel"]["verifiers"][0]["params"] = {"max_tokens": 400}
        content["panel"]["verifiers"][2]["classes"] = ["P-Contradiction"]
        run = run_build(tmp_path, content).run
    with reading(run) as db:
        plan = current_plan(db, run)
        tallies = read_member_tallies(db, plan)
        # A verifier that votes only on what the others passed would seem to let less through than it does.
        statement = "SELECT candidate_id, acceptance FROM decisions WHERE panel = ? AND audited"
        decided = query(run, statement, plan.panel)
        ballots = [(word, votes_of(db, name, plan.judges)) for name, word in decided if word != "undecided"]
    for name, tally in tallies.items():
        votes = [(of[name].state, word) for word, of in ballots if name in of]
        passed = [word for state, word in votes if state == VerdictState.PASS]
        failed = [word for state, word in votes if state == VerdictState.FAIL]
        assert (tally.accepted, tally.decided) == (len(passed), len(passed + failed))
        assert tally.rejected_by_panel == passed.count("rejected") > 0
        assert [*map(sum, zip(*tally.bases.values(), strict=True))] == [tally.accepted, tally.decided]
    assert tallies["v3"].decided < tallies["v2"].decided < len(ballots)
