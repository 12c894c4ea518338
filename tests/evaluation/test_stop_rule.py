"""Evaluations that end once a score is known well enough."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perturb.cli.output import print_report
from perturb.errors import ConfigError
from perturb.evaluation.loading import ItemSource, load_items
from perturb.evaluation.results import outcome_of, read_run
from perturb.evaluation.status import read_status
from perturb.evaluation.stop_rule import AskingOrder, read_stop_rule
from perturb.ledger.evaluations import Stop
from perturb.llm.client import BatchLimits
from perturb.records import ALL_CELLS, Item
from perturb.reports.rendering import render_text
from perturb.reports.runs import make_status_report
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.score_report import score
from tests.building import begin, interrupt_after, perturb
from tests.loopback import LoopbackServer, ScriptedFaults
from tests.loopback.faults import Fault
from tests.loopback.responders import Responders

from .rows import items_of, run, several, single, write_models, write_rows

ITEMS = 720
RULE = read_stop_rule("ci(crs) <= 0.08")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", [single(number) for number in range(ITEMS)])


@pytest.fixture
def server(source: Path) -> Iterator[LoopbackServer]:
    with LoopbackServer(Responders(items_of(source))) as started:
        yield started


def order_of(path: Path, rule: str = "ci(crs) <= 0.08", **changes: Any) -> AskingOrder:
    return AskingOrder.of(read_stop_rule(rule), load_items(ItemSource(str(path), **changes)))


@pytest.mark.parametrize(
    "text", ["crs", "ci(crs)", "ci(crs) < 0.03", "ci(crs) <= 3", "ci(detection_f1) <= 0.03", "ci(crs) <= 0.0"]
)
def test_a_rule_that_cannot_be_read_gets_one_line_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ConfigError) as found:
        read_stop_rule(text)
    said = str(found.value)
    assert said.startswith(f"'{text}' is not a rule: write ci(METRIC) <= HALF_WIDTH")
    assert "crs, frr, mrr, answer_accuracy" in said
    assert "\n" not in said


def test_blocks_hold_every_cell_and_each_item_once(source: Path) -> None:
    order = order_of(source)
    assert len(order.blocks) == ITEMS // 18
    for block in order.blocks:
        assert Counter(item.cell for item in block) == dict.fromkeys(ALL_CELLS, 1)
    assert len({item.id for block in order.blocks for item in block}) == ITEMS
    assert order.blocks == order_of(source).blocks
    firsts = [block[0].cell for block in order.blocks]
    assert len({item.id for item in order.blocks[0]} & {f"item-{n:04}" for n in range(18)}) < 9, firsts


def test_small_cells_join_others_and_controls_follow_their_items(tmp_path: Path) -> None:
    rows = [single(number) for number in range(18 * 3)] + [single(18 * n) for n in range(3, 30)]
    control = {"intensity": "NONE", "expected_rag_behavior": "ANSWER_CORRECTLY"}
    rows += [{**single(0), **control, "id": "item-0000-control", "perturbed_query": "Who?"}]
    order = order_of(write_rows(tmp_path / "small.jsonl", rows))
    assert sorted(order.strata.sizes) == [36, 45]
    asked: list[Item] = [item for block in order.blocks for item in block]
    place = next(n for n, item in enumerate(asked) if item.id == "item-0000")
    assert asked[place + 1].control
    assert len(order.stratum) == 81


@pytest.mark.parametrize(
    ("rule", "numbers"), [("ci(crs) <= 0.1", [0, 3]), ("ci(hybrid_score) <= 0.1", [0, 1])]
)
def test_a_set_that_does_not_define_the_metric_is_refused(
    tmp_path: Path, rule: str, numbers: list[int]
) -> None:
    path = write_rows(tmp_path / "some.jsonl", [single(number) for number in numbers])
    with pytest.raises(ConfigError, match=r"no interval for 'ci\(.*\) <= 0.1': "):
        order_of(path, rule)


def test_each_model_stops_by_itself_and_the_interval_holds_its_score(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url, ("sixty", "refuse"), until=RULE)
    stops = {model["model"]: model["until"] for model in report.facts["models"]}
    assert all(stop["reached"] and stop["high"] - stop["low"] <= 0.16 for stop in stops.values())
    assert stops["refuse"]["asked"] < stops["sixty"]["asked"] < ITEMS / 2
    # Calls under way when the rule is met are finished: no more than there are connections.
    for model in report.facts["models"]:
        assert model["until"]["asked"] <= model["replies"] <= model["until"]["asked"] + 16 + 18
    run(tmp_path / "whole", source, server.url, ("sixty", "refuse"))
    for one in score(tmp_path / "whole" / "run").models:
        value = one.metrics["calibrated_refusal_score"].value
        assert value is not None
        assert stops[one.model]["low"] <= value <= stops[one.model]["high"]
    assert [words for words in report.warnings if "stopped early" in words] == list(report.warnings)


def test_run_again_it_asks_nothing_and_without_the_rule_the_rest(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    first = run(tmp_path, source, server.url, ("sixty",), until=RULE)
    asked = server.counters.total
    again = run(tmp_path, source, server.url, ("sixty",), until=RULE)
    assert (server.counters.total, again.facts["models"]) == (asked, first.facts["models"])
    everything = run(tmp_path, source, server.url, ("sixty",))
    assert everything.facts["models"][0]["replies"] == ITEMS
    assert "until" not in everything.facts["models"][0]
    assert server.counters.repeated == 0
    assert score(tmp_path / "run").warnings == ()


def test_scores_and_their_page_say_that_the_run_stopped_early(
    tmp_path: Path, source: Path, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, source, server.url, ("sixty",), until=RULE)
    report = score(tmp_path / "run")
    words = r"sixty stopped early by 'ci\(calibrated_refusal_score\) <= 0.08': \d+ of 720 items asked; .* between \d"
    assert [bool(re.match(words, warning)) for warning in report.warnings] == [True]
    assert report.to_dict()["until"]["sixty"]["items"] == ITEMS
    status = read_status(tmp_path / "run")
    left = status["left"]
    assert "stopped early by 'ci(" in render_text(make_status_report(status))
    assert left == 0
    print_report(make_scores_page(report))
    assert "stopped early" in capsys.readouterr().out


def test_replies_that_fail_or_cannot_be_read_widen_the_interval(tmp_path: Path, source: Path) -> None:
    player = Responders(items_of(source), unreadable=["mill 1"])
    with LoopbackServer(player) as server:
        report = run(tmp_path, source, server.url, ("never",), until=RULE)
    with LoopbackServer(Responders(items_of(source))) as server:
        readable = run(tmp_path / "readable", source, server.url, ("never",), until=RULE)
    unread, read = (one.facts["models"][0]["until"] for one in (report, readable))
    assert unread["asked"] > read["asked"]
    faults = ScriptedFaults([Fault.BAD_REQUEST] * 9)
    with LoopbackServer(player, faults=faults) as broken:
        nothing = run(tmp_path / "broken", source, broken.url, ("never",), until=RULE, limit=54)
    assert nothing.facts["models"][0]["until"] | {"rule": ""} == {
        **{"rule": "", "low": 0.0, "high": 1.0, "asked": 54, "items": 54, "reached": False}
    }


def test_the_order_of_replies_does_not_matter(tmp_path: Path, source: Path) -> None:
    """What decides are blocks that are answered whole, however slow one reply among them is."""
    order = order_of(source)
    with LoopbackServer(Responders(items_of(source)), latency=(0.0, 0.03)) as slow:
        run(tmp_path, source, slow.url, ("sixty",), until=RULE)
    state = read_run(tmp_path / "run")
    outcomes = {row.item_id: outcome_of(row.expected_rag_behavior, row.to_dict()) for row in state.results}
    stop = order.stop(outcomes)
    replied = [item.id in outcomes for block in order.blocks for item in block]
    assert all(replied[: stop.asked])
    assert sum(replied) == len(outcomes)


def test_several_passages_are_judged_by_their_own_metrics(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "several.jsonl", [several(number) for number in range(180)])
    with LoopbackServer(Responders(items_of(source))) as server:
        rule = read_stop_rule("ci(answer_quality) <= 0.1")
        report = run(tmp_path, source, server.url, ("never",), until=rule)
    assert report.facts["models"][0]["until"]["reached"]


def test_batches_and_rules_exclude_each_other(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    with pytest.raises(ConfigError, match="exclude each other"):
        run(tmp_path, source, server.url, ("sixty",), until=RULE, batch=BatchLimits())


def command(source: Path, models: Path, out: Path, *more: str) -> list[str]:
    words = ["evaluate", source, "--models", models, "--out", out, "--model", "sixty", "--judge", "judge"]
    return [*map(str, words), *more]


def test_the_command_refuses_a_bad_rule_as_wrong_use(tmp_path: Path, source: Path) -> None:
    models = write_models(tmp_path, "http://localhost:1", ["sixty", "judge"])
    for more in (["--until", "ci(foo) <= 0.03"], ["--until", "ci(crs) <= 0.03", "--batch"]):
        ended = perturb(*command(source, models, tmp_path / "run", *more))
        assert ended.returncode == 2
        assert ended.stderr.startswith("perturb evaluate:")
        assert re.search("--until|is not a rule", ended.stderr)
        assert ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_killed_and_resumed_it_stops_where_it_would_have(tmp_path: Path, source: Path) -> None:
    with LoopbackServer(Responders(items_of(source)), latency=(0.01, 0.03)) as slow:
        models = write_models(tmp_path, slow.url, ["sixty", "judge"], max_connections=4)
        again = command(source, models, tmp_path / "run", "--until", "ci(crs) <= 0.08")
        interrupt_after(begin(*again), slow, 100, signal.SIGKILL)
        under_way = render_text(make_status_report(read_status(tmp_path / "run")))
        assert "sixty is asked until 'ci(calibrated_refusal_score) <= 0.08'" in under_way
        ended = perturb(*again)
        assert ended.returncode == 0, ended.stderr
        assert "stopped early" in ended.stderr
        assert slow.counters.repeated <= 8  # those in flight when it was killed
        calm = run(tmp_path / "calm", source, slow.url, ("sixty",), until=RULE)
    outcomes = {
        row.item_id: outcome_of(row.expected_rag_behavior, row.to_dict())
        for row in read_run(tmp_path / "run").results
    }
    stop, order = calm.facts["models"][0]["until"], order_of(source)
    first = next(n for n in range(1, 41) if _reached(order, outcomes, n))
    assert first * 18 <= stop["asked"] <= first * 18 + 36
    assert len(outcomes) <= first * 18 + 8 + 18


def _reached(order: AskingOrder, outcomes: dict[str, Any], blocks: int) -> bool:
    asked = {item.id for block in order.blocks[:blocks] for item in block}
    return order.stop({name: one for name, one in outcomes.items() if name in asked}).reached


@pytest.mark.parametrize(
    ("asked", "reached", "early"), [(90, True, False), (72, True, True), (72, False, False)]
)
def test_a_model_that_was_asked_everything_did_not_stop_early(asked: int, reached: bool, early: bool) -> None:
    assert Stop("ci(crs) <= 0.1", 0.4, 0.6, asked, 90, reached).early is early
