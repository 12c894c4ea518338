"""A verifier's reply becomes one of three states, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from perturb.building.verify import ask_rule, ask_verifier, read_verdict
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.errors import PermanentModelError
from perturb.llm.budget import Budget
from perturb.llm.client import Line, ScriptedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError
from perturb.records import (
    CHECK_NAMES,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from tests.building import MemoryLog

CATALOGUE = Catalogue.load()
CODE = "REFUSE_INFO_MISSING_IN_CONTEXT"
INSTANCE = BaseInstance("i", "test", "When?", (Passage("In 1984. It rained."),), ("1984",))
CELL = Cell(PerturbationClass.MISSING_INFO, Intensity.HIGH)
CANDIDATE = Candidate("c", "i", "g", CELL, "L", "When?", (Passage("It rained."),), "r", CODE)


def reply(verdict: Any = "PASS", code: Any = CODE, issues: Any = (), **checks: Any) -> str:
    all_checks = dict.fromkeys(CHECK_NAMES, True) | checks
    content = {
        "verdict": verdict,
        "checks": {name: value for name, value in all_checks.items() if value is not ...},
        "predicted_rag_behavior": code,
        "issues": list(issues) if isinstance(issues, tuple) else issues,
    }
    return json.dumps({key: value for key, value in content.items() if value is not ...})


async def ask(*lines: Line) -> Verdict:
    asker = ModelClient({"v": ScriptedModel(lines)}, MemoryLog(), Budget())
    return await ask_verifier(asker, Prompts(CATALOGUE), "v", "version", INSTANCE, CANDIDATE)


STATES = [
    (reply(), "pass", None),
    (reply("pass"), "pass", None),
    (reply(True), "pass", None),
    (reply(code="refuse_missing"), "pass", None),
    (reply(intensity="true", answer_constraint="Yes"), "pass", None),
    (f"<think>{reply('FAIL')}</think>{reply()}", "pass", None),
    (f"```json\n{reply()}\n```", "pass", None),
    (f"Is it a fail? No.</think>{reply()}", "pass", None),
    (reply("FAIL"), "fail", None),
    (reply("FAIL", issues="it is dull"), "fail", "it is dull"),
    (reply(linguistic_soundness=False), "fail", "said PASS with failed checks: linguistic_soundness"),
    (reply(intensity="no"), "fail", "said PASS with failed checks: intensity"),
    (reply(code="ANSWER_CORRECTLY"), "fail", "said PASS but predicts ANSWER_CORRECTLY"),
    (reply(code="REFUSE_OTHER"), "fail", "said PASS but predicts REFUSE_OTHER"),
    (f"<think>{reply('PASS')}</think>{reply('FAIL')}", "fail", None),
    (reply("FAIL", issues=(reply("PASS"),)), "fail", None),
]


@pytest.mark.parametrize(("text", "state", "issue"), STATES)
async def test_readable_replies(text: str, state: str, issue: str | None) -> None:
    vote = await ask(text)
    assert vote.state == state
    assert (vote.verifier, vote.candidate_id, vote.prompt_version, vote.raw) == ("v", "c", "version", text)
    assert set(vote.checks) == set(CHECK_NAMES)
    if issue:
        assert issue in vote.issues[-1]


UNREADABLE = [
    "",
    "PASS",
    "The verdict is PASS, all eight checks are true.",
    reply("MAYBE"),
    reply(1),
    reply(None),
    reply(...),
    reply(code="REFUSE_BORING"),
    reply(code=""),
    reply(code=None),
    reply(code=...),
    reply(intensity=...),
    reply(intensity=1),
    reply(intensity=None),
    reply(intensity="n/a"),
    json.dumps({"verdict": "PASS", "checks": [True] * 8, "predicted_rag_behavior": CODE}),
    json.dumps({"original": json.loads(reply())}),
    json.dumps({"passage": reply()}),
    f"<think>{reply()}",
    f"{reply('PASS')}\n{reply('FAIL')}",
    reply()[:-20],
    json.dumps([json.loads(reply())])[1:-1].replace("{", "", 1),
]


@pytest.mark.parametrize("text", UNREADABLE)
async def test_unreadable_replies_are_unscored_with_their_text(text: str) -> None:
    vote = await ask(text)
    assert vote.state == "unscored"
    assert (vote.raw, vote.is_unread) == (text, True)
    assert vote.issues[0]
    assert (dict(vote.checks), vote.predicted_behavior) == ({}, None)


async def test_an_unreadable_reply_is_asked_for_once_more() -> None:
    assert (await ask("hm", reply())).state == "pass"
    assert (await ask("hm", "hm", reply())).state == "unscored"


@pytest.mark.parametrize("before", [(), ("hm",)])
async def test_a_failed_call_is_unscored_with_its_error(before: tuple[str, ...]) -> None:
    vote = await ask(*before, PermanentModelError("model 'v': refused"))
    assert (vote.state, vote.raw, vote.issues) == ("unscored", "model 'v': refused", ("model 'v': refused",))
    assert not vote.is_unread


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ReplyError, match="lacks 'intensity'"):
        read_verdict(reply(intensity=...), CATALOGUE.codes)
    with pytest.raises(ReplyError, match="must be one of"):
        read_verdict(reply(code="NO"), CATALOGUE.codes)


def test_an_offline_verifier_votes_without_a_call() -> None:
    vote = ask_rule(CATALOGUE, "diff", "target-diff", "version", INSTANCE, CANDIDATE)
    assert (vote.state, vote.verifier, vote.prompt_version) == (VerdictState.PASS, "diff", "version")
    spoilt = Candidate("c", "i", "g", CANDIDATE.cell, "L", "Where?", (Passage("It rained."),), "r", CODE)
    vote = ask_rule(CATALOGUE, "diff", "target-diff", "version", INSTANCE, spoilt)
    assert vote.state is VerdictState.FAIL
    assert vote.issues
