"""Whole evaluations over the loopback provider, by models of known behaviour."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import ConfigError, LedgerError
from perturb.evaluation.loading import ItemSource
from perturb.evaluation.reading import ANSWER
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import RESULTS_FILE, EvaluationRun, Result, read_run
from perturb.evaluation.status import read_status
from perturb.ledger.evaluations import EvaluationLedger
from perturb.ledger.plans import Ledger
from perturb.records import REFUSE_OTHER
from perturb.scoring.table import read_results
from tests.building import begin, interrupt_after, perturb, query
from tests.loopback import LoopbackServer, ScriptedFaults
from tests.loopback.faults import Fault
from tests.loopback.responders import Responders, has_right_code

from .rows import items_of, run, single, write_models, write_rows

FOUR = ("refuse", "never", "sixty", "wrong")
ITEMS = 72


@pytest.fixture
def player(source: Path) -> Responders:
    return Responders(items_of(source))


@pytest.fixture
def server(player: Responders) -> Iterator[LoopbackServer]:
    with LoopbackServer(player) as started:
        yield started


def rows_of(state: EvaluationRun, model: str) -> tuple[Result, ...]:
    return tuple(row for row in state.results if row.model == model)


@pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")  # litellm's
@pytest.mark.parametrize("transport", ["litellm", "direct"])
def test_models_of_known_behaviour_give_the_rows_counted_by_hand(
    tmp_path: Path, source: Path, server: LoopbackServer, transport: str
) -> None:
    report = run(tmp_path, source, server.url, FOUR, variant="confidence", transport=transport)
    assert (report.stopped, report.warnings) == (None, ())
    state = read_run(tmp_path / "run")
    by_id = {item.id: item for item in items_of(source)}
    assert state.items == ITEMS
    for model in FOUR:
        rows = rows_of(state, model)
        assert [row.item_id for row in rows] == list(by_id)
        assert {row.unscored for row in rows} == {None}
    assert {row.predicted for row in rows_of(state, "refuse")} == {"REFUSE_INFO_MISSING_IN_CONTEXT"}
    assert {row.predicted for row in rows_of(state, "never")} == {ANSWER}
    for row in rows_of(state, "sixty"):
        item = by_id[row.item_id]
        known = row.expected_rag_behavior if has_right_code(item) else REFUSE_OTHER
        assert row.predicted == (ANSWER if item.answerable else known)
    assert {row.confidence for row in rows_of(state, "wrong")} == {"VERY_CONFIDENT"}
    assert {row.confidence for row in rows_of(state, "never")} == {None}


def test_only_answers_to_answerable_items_are_graded_and_by_their_kind(
    tmp_path: Path, source: Path, server: LoopbackServer, player: Responders
) -> None:
    run(tmp_path, source, server.url, ("never", "wrong"))
    grades = {"never": (5, (True, True, True)), "wrong": (1, (True, False, False))}
    kinds = {item.id: item for item in items_of(source)}
    for row in read_run(tmp_path / "run").results:
        item = kinds[row.item_id]
        quality, flags = grades[row.model]
        assert row.quality == (quality if item.answerable and not item.several else None)
        judged = (row.eligible, row.factual_all, row.factual_signal)
        assert judged == (flags if item.answerable and item.several else (None, None, None))
    answerable = sum(item.answerable for item in kinds.values())
    assert len(player.judged) == 2 * (ITEMS + answerable)


def test_the_table_carries_what_the_breakdowns_need(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    source = write_rows(source, [single(number) for number in (0, 2, 1)])
    run(tmp_path, source, server.url, ("refuse",))
    row, *others = read_run(tmp_path / "run").results
    assert [other.item_id for other in others] == ["item-0002", "item-0001"]
    made = single(0)
    assert (row.base_id, row.domain, row.lever, row.generator) == (
        made["source_id"],
        made["domain"],
        made["lever_selected"],
        made["generator_model"],
    )
    text = (tmp_path / "run" / RESULTS_FILE).read_text(encoding="utf-8")
    assert text.startswith('{"item_id": "item-0000", "model": "refuse", "base_id": "base-0", ')
    assert text.count("\n") == 3


def test_nothing_is_asked_twice(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    first = run(tmp_path, source, server.url, FOUR)
    asked, rows = server.counters.total, read_run(tmp_path / "run").results
    second = run(tmp_path, source, server.url, FOUR)
    assert server.counters.total == asked
    assert read_run(tmp_path / "run").results == rows
    assert first.facts["cost_usd"] == second.facts["cost_usd"] > 0


def test_models_of_an_earlier_session_stay_in_the_table(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    run(tmp_path, source, server.url, ("refuse",))
    run(tmp_path, source, server.url, ("never",), judge="other-judge")
    state = read_run(tmp_path / "run")
    assert Counter(row.model for row in state.results) == {"refuse": ITEMS, "never": ITEMS}
    assert {row.unscored for row in state.results} == {None}
    assert state.facts["models"]["refuse"]["judge"]["name"] == "judge"


def test_replies_of_other_settings_are_not_mixed_in(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    run(tmp_path, source, server.url, ("wrong",))
    asked = server.counters.requests["wrong"]
    run(tmp_path, source, server.url, ("wrong",), variant="confidence", limit=3)
    assert server.counters.requests["wrong"] == asked + 3
    state = read_run(tmp_path / "run")
    assert (state.items, len(state.results)) == (3, 3)
    assert {row.confidence for row in state.results} == {"VERY_CONFIDENT"}
    file = write_models(tmp_path, server.url, ("wrong",), params={"max_tokens": 77})
    plan = EvaluationPlan(ItemSource(str(source), limit=3), models=("wrong",), out=tmp_path / "run")
    names = type(plan.names)(file)
    evaluate(EvaluationPlan(plan.source, models=plan.models, out=plan.out, variant="confidence", names=names))
    assert server.counters.requests["wrong"] == asked + 6


def test_without_a_judge_replies_wait_for_one(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    report = run(tmp_path, source, server.url, ("sixty",), judge=None)
    answerable = sum(item.answerable for item in items_of(source))
    assert report.warnings == (f"sixty: {answerable} replies not judged yet: run again with --judge",)
    waiting = [row.unscored for row in read_run(tmp_path / "run").results if row.predicted is None]
    assert waiting == ["classification: not judged yet"] * answerable
    standing = read_status(tmp_path / "run")
    assert (standing["left"], standing["under_test"]["sixty"]["not_judged"]) == (answerable, answerable)
    asked = server.counters.requests["sixty"]
    assert run(tmp_path, source, server.url, ("sixty",)).warnings == ()
    assert server.counters.requests["sixty"] == asked
    # What was judged stays judged when the same command is given without a judge.
    assert run(tmp_path, source, server.url, ("sixty",), judge=None).warnings == ()


def test_unread_judgements_are_kept_and_asked_again_on_demand(
    tmp_path: Path, source: Path, server: LoopbackServer, player: Responders
) -> None:
    player.unreadable.append("mill 7?")
    report = run(tmp_path, source, server.url, ("never",))
    assert report.facts["models"][0]["unscored"] == 1
    assert "--retry-unscored" in report.warnings[0]
    (row,) = [row for row in read_run(tmp_path / "run").results if row.unscored]
    assert (row.item_id, row.predicted) == ("item-0007", None)
    assert row.unscored == "classification: A fine reply, I should say."
    asked = server.counters.total
    run(tmp_path, source, server.url, ("never",))
    assert server.counters.total == asked, "unscored replies are asked about again on demand only"
    player.unreadable.clear()
    assert run(tmp_path, source, server.url, ("never",), retry_unscored=True).warnings == ()
    assert server.counters.total == asked + 1
    assert server.counters.requests["never"] == ITEMS


def test_failed_calls_are_made_again(tmp_path: Path, source: Path, player: Responders) -> None:
    with LoopbackServer(player, faults=ScriptedFaults([Fault.BAD_REQUEST])) as broken:
        report = run(tmp_path, source, broken.url, ("never",), limit=5)
        assert report.facts["models"][0]["errors"] == 5
        assert report.warnings[0].startswith("never: status 400: ")
        assert "(5 calls)" in report.warnings[0]
        (state,) = {row.unscored for row in read_run(tmp_path / "run").results}
        assert state is not None
        assert state.startswith("response: model 'never'")
        # Now the models answer, and the judge fails; then it answers too.
        report = run(tmp_path, source, broken.url, ("never",), limit=5)
        assert (report.facts["models"][0]["errors"], report.facts["models"][0]["unscored"]) == (0, 5)
        for _ in range(2):
            report = run(tmp_path, source, broken.url, ("never",), limit=5)
        assert report.warnings == ()


def test_empty_and_endless_replies(
    tmp_path: Path, source: Path, server: LoopbackServer, player: Responders
) -> None:
    report = run(tmp_path, source, server.url, ("empty", "long"))
    assert report.warnings == ()
    state = read_run(tmp_path / "run")
    assert {row.predicted for row in rows_of(state, "empty")} == {ANSWER}
    assert {row.quality for row in rows_of(state, "empty")} == {1, None}
    assert {row.quality for row in rows_of(state, "long")} == {5, None}
    assert max(len(str(shown["reply"])) for shown in player.judged) < 13_000
    ((length,),) = query(tmp_path / "run", "SELECT max(length(text)) FROM responses")
    assert length > 100_000, "the reply itself is kept whole"


def test_a_judge_under_test_is_warned_about_and_named(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url, ("never", "sixty"), judge="never", limit=3)
    assert report.facts["judge_under_test"] == ["never"]
    assert report.warnings[0].startswith("never: is the judge too")
    models = read_run(tmp_path / "run").facts["models"]
    assert (models["never"]["judges_itself"], models["sixty"]["judges_itself"]) == (True, False)


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    report = run(tmp_path, source, server.url, FOUR, budget_usd=0.02)
    assert report.stopped is not None
    assert "budget_usd" in report.stopped
    assert report.facts["cost_usd"] <= 0.02
    assert sum(model["missing"] for model in report.facts["models"]) > 0
    assert len(read_run(tmp_path / "run").results) < 4 * ITEMS
    spent, asked = report.facts["cost_usd"], server.counters.total
    again = run(tmp_path, source, server.url, FOUR, budget_usd=spent)
    assert (again.stopped is None, server.counters.total) == (False, asked), "what was spent counts"
    assert run(tmp_path, source, server.url, FOUR, budget_usd=5).stopped is None
    assert len(read_run(tmp_path / "run").results) == 4 * ITEMS
    assert server.counters.repeated == 0


def test_a_model_that_is_done_hides_no_other_that_is_stopped(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    assert run(tmp_path, source, server.url, ("never",), limit=3).stopped is None
    stopped = run(tmp_path, source, server.url, ("never", "wrong"), limit=3, budget_usd=1e-9).stopped
    assert "budget_usd" in str(stopped)
    assert any(
        warning.startswith("wrong has no reply yet") for warning in read_results(tmp_path / "run").warnings
    )


def test_the_word_of_another_judge_does_not_stand(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    run(tmp_path, source, server.url, ("wrong",), limit=3)
    assert {row.unscored for row in read_run(tmp_path / "run").results} == {None}
    run(tmp_path, source, server.url, ("wrong",), limit=3, judge="another", budget_usd=1e-9)
    waiting = {row.unscored for row in read_run(tmp_path / "run").results}
    assert waiting == {"classification: not judged yet"}


def test_items_of_two_snapshots_are_not_mixed(tmp_path: Path, source: Path, server: LoopbackServer) -> None:
    run(tmp_path, source, server.url, ("never",), limit=1)
    other = write_rows(tmp_path / "other.jsonl", [single(1)])
    with pytest.raises(ConfigError, match=r"holds an evaluation of another snapshot \(rows\.jsonl.*--out"):
        run(tmp_path, other, server.url, ("never",))


def test_folders_of_something_else_are_refused(tmp_path: Path, source: Path) -> None:
    with Ledger(tmp_path / "run") as ledger:
        ledger.start_plan("d", "name: x\n", {})
    with pytest.raises(ConfigError, match="is the run of a build"):
        run(tmp_path, source, "http://127.0.0.1:1/v1", ("never",))
    with pytest.raises(LedgerError, match="holds no evaluation"):
        read_run(tmp_path / "run")
    with EvaluationLedger(tmp_path / "other" / "run") as ledger:
        ledger.add_items([("q1", {})])
        ledger.write_fact("two_pass", {})
    with pytest.raises(ConfigError, match="holds another kind of run"):
        run(tmp_path / "other", source, "http://127.0.0.1:1/v1", ("never",))
    with EvaluationLedger(tmp_path / "other" / "run") as ledger:
        assert [row["id"] for row in ledger.db.execute("SELECT id FROM items")] == ["q1"], (
            "nothing was replaced"
        )


def test_a_model_named_twice_is_refused(tmp_path: Path, source: Path) -> None:
    with pytest.raises(ConfigError, match="model 'never' is given twice"):
        run(tmp_path, source, "http://127.0.0.1:1/v1", ("never", "never"))
    assert not (tmp_path / "run").exists()


def test_faults_on_the_way_change_nothing(tmp_path: Path, source: Path, player: Responders) -> None:
    faults = ScriptedFaults([Fault.OVERLOADED])
    with LoopbackServer(player, faults=faults, latency=(0.0, 0.01)) as shaky:
        assert run(tmp_path, source, shaky.url, ("sixty",), limit=4).warnings == ()
    with LoopbackServer(player) as calm:
        run(tmp_path / "calm", source, calm.url, ("sixty",), limit=4)
    assert read_run(tmp_path / "run").results == read_run(tmp_path / "calm" / "run").results


def command(tmp_path: Path, source: Path, models: Path, *more: str) -> list[str]:
    words: list[str | Path] = ["evaluate", source, "--models", models, "--out", tmp_path / "run"]
    named: Sequence[Any] = [option for name in FOUR for option in ("--model", name)]
    return list(map(str, [*words, *named, "--judge", "judge", *more]))


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_and_resumed_nothing_paid_for_is_asked_again(
    tmp_path: Path, source: Path, player: Responders, ending: signal.Signals
) -> None:
    with LoopbackServer(player, latency=(0.05, 0.1)) as slow:
        models = write_models(tmp_path, slow.url, [*FOUR, "judge"], max_connections=4)
        again = command(tmp_path, source, models, "--limit", "24")
        process = begin(*again)
        _, said = interrupt_after(process, slow, 60, ending)
        if ending is signal.SIGKILL:
            assert process.returncode == -signal.SIGKILL
        else:
            assert process.returncode == 130
            assert said.strip().splitlines()[-1] == "perturb: stopped: run the same command again to resume"
        ended = perturb(*again)
        assert ended.returncode == 0, ended.stderr
        # Only calls that were in flight at the end are made twice: at most 4 for each of the 5 models.
        assert slow.counters.repeated <= 20
    results = read_run(tmp_path / "run").results
    assert len(results) == 4 * 24
    assert {row.unscored for row in results} == {None}
    with LoopbackServer(player) as calm:
        run(tmp_path / "calm", source, calm.url, FOUR, limit=24)
    assert results == read_run(tmp_path / "calm" / "run").results


def test_the_command_prints_a_table_and_says_what_is_wrong(
    tmp_path: Path, source: Path, server: LoopbackServer
) -> None:
    models = write_models(tmp_path, server.url, [*FOUR, "judge"])
    ended = perturb(*command(tmp_path, source, models, "--limit", "4", "--confidence"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[2].split() == [
        *("model", "replies", "answers", "refusals"),
        *("unscored", "errors", "missing"),
    ]
    assert "perturb score" in ended.stdout
    wrong = perturb(*command(tmp_path, source, models, "--request", "{query}"))
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("perturb evaluate: --request: not JSON")
    assert wrong.stderr.count("\n") == 1
