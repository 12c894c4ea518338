"""Candidates by model: what a reply becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from perturb.building.generate import Declined, GenerationResult, generate_by_model, read_reply
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.errors import PermanentModelError
from perturb.llm.budget import Budget
from perturb.llm.client import Line, ScriptedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError
from perturb.records import BaseInstance, Cell, Intensity, Job, JobOutcome, Passage, PerturbationClass
from tests.building import MemoryLog

CATALOGUE = Catalogue.load()
CELL = Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH)
LEVER, OTHER = (lever.name for lever in CATALOGUE.levers_of(CELL)[:2])
INSTANCE = BaseInstance(
    "i1", "test", "When did it open?", (Passage("It’s open since  1984.", title="House"),), ("1984",)
)


def reply(**changes: Any) -> str:
    content = {
        "perturbed_query": "When did it open?",
        "perturbed_context": "It is open since 1984. It is open since 1990.",
        "lever_selected": LEVER,
        "implementation_reasoning": "Two years.",
        "intensity_achieved": "HIGH",
        "answer_constraint_satisfied": "No answer holds.",
        "expected_rag_behavior": "ANSWER_CORRECTLY",
    }
    return json.dumps({key: value for key, value in (content | changes).items() if value is not ...})


Offers = tuple[tuple[str, ...], ...]


async def make(
    *lines: Line, offers: Offers | None = None, replicate: int = 0, log: MemoryLog | None = None
) -> GenerationResult:
    model = ScriptedModel(lines)
    client = ModelClient({"gen": model}, log or MemoryLog(), Budget())
    job = Job("job", "i1", CELL, "gen", replicate, "r1", offers)
    return await generate_by_model(client, Prompts(CATALOGUE), job, INSTANCE, 7)


async def test_a_good_reply_is_a_candidate() -> None:
    made = await make(reply())
    assert made.outcome is JobOutcome.CANDIDATE
    candidate = made.candidate
    assert candidate is not None
    assert (candidate.id, candidate.lever, candidate.generator) == ("job", LEVER, "gen")
    assert candidate.passages == (Passage("It is open since 1984. It is open since 1990.", title="House"),)
    assert candidate.expected_behavior == "REFUSE_CONTRADICTORY_CONTEXT", "from the catalogue, not the reply"
    assert candidate.stated["expected_rag_behavior"] == "ANSWER_CORRECTLY"
    assert made.raw == reply()


async def test_the_lever_is_found_whatever_its_spelling() -> None:
    made = await make(reply(lever_selected=f" {LEVER.upper()}\n"))
    assert made.candidate is not None
    assert made.candidate.lever == LEVER


async def test_a_retyped_text_is_put_back() -> None:
    made = await make(reply(perturbed_query=" When did  it open? "))
    assert made.candidate is not None
    assert made.candidate.query == INSTANCE.query
    unchanged = await make(reply(perturbed_context="It's open since 1984."))
    assert (unchanged.outcome, unchanged.detail) == (JobOutcome.REJECTED, "nothing was changed")
    assert unchanged.candidate is not None
    assert unchanged.candidate.passages == INSTANCE.passages


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lever_selected": "No Such Lever"}, "unknown lever 'No Such Lever'"),
        ({"lever_selected": CATALOGUE.levers[0].name}, "belongs to P-Ambiguity/LOW"),
        ({"perturbed_query": "When did it close?"}, "the query was changed"),
        ({"perturbed_context": "x" * 9000}, "more than the"),
    ],
)
async def test_a_fault_rejects_and_keeps_the_reply(changes: dict[str, Any], words: str) -> None:
    made = await make(reply(**changes))
    assert made.outcome is JobOutcome.REJECTED
    assert words in made.detail
    assert made.raw == reply(**changes)


async def test_a_lever_that_was_not_offered_is_rejected() -> None:
    made = await make(reply(), offers=((OTHER,),))
    assert made.detail == f"lever '{LEVER}' was used, '{OTHER}' was asked for"
    assert (await make(reply(), offers=((OTHER, LEVER),))).outcome is JobOutcome.CANDIDATE


DECLINES = json.dumps({"lever_not_applicable": "There is no rule\nto break."})
STRICTLY = reply(perturbed_query="", perturbed_context="", lever_selected="", lever_not_applicable="No rule.")
"""As a schema that forces every field has it."""


@pytest.mark.parametrize("line", [DECLINES, f"```json\n{DECLINES}\n```", STRICTLY])
async def test_a_generator_that_declines_is_made_the_next_offer(line: str) -> None:
    log = MemoryLog()
    made = await make(line, reply(), offers=((OTHER,), (LEVER,)), log=log)
    assert made.outcome is JobOutcome.CANDIDATE
    assert list(made.declined) == [OTHER]
    assert made.declined[OTHER] in ("There is no rule to break.", "No rule.")
    assert [call.status for call in log.calls] == ["read", "read"], "a decline is a reply like any other"


async def test_a_job_whose_offers_are_all_declined_is_not_applicable() -> None:
    made = await make(DECLINES, DECLINES, offers=((OTHER,), (LEVER,)))
    assert (made.outcome, made.raw) == (JobOutcome.NOT_APPLICABLE, DECLINES)
    assert set(made.declined) == {LEVER, OTHER}
    assert (await make(DECLINES)).outcome is JobOutcome.NOT_APPLICABLE


async def test_a_job_that_no_lever_fits_is_not_asked() -> None:
    log = MemoryLog()
    made = await make(offers=(), log=log)
    assert (made.outcome, made.detail) == (
        JobOutcome.NOT_APPLICABLE,
        "no lever of the cell fits this instance",
    )
    assert not log.calls


@pytest.mark.parametrize(
    "line",
    [reply(lever_not_applicable="None fits."), f"{reply()}\n{DECLINES}", f"{DECLINES}\n{reply()}"],
)
async def test_an_item_beside_a_decline_is_asked_for_once_more(line: str) -> None:
    made = await make(line, reply())
    assert made.outcome is JobOutcome.CANDIDATE
    assert not made.declined
    assert (await make(line, line)).outcome is JobOutcome.UNPARSED


@pytest.mark.parametrize("reason", ["", " ", None, False])
async def test_an_item_with_an_empty_decline_is_an_item(reason: object) -> None:
    assert (await make(reply(lever_not_applicable=reason))).outcome is JobOutcome.CANDIDATE


async def test_an_unreadable_reply_is_asked_for_once_more() -> None:
    log = MemoryLog()
    made = await make("I would rather not.", reply(), log=log)
    assert made.outcome is JobOutcome.CANDIDATE
    assert [call.status for call in log.calls] == ["unread", "read"]


async def test_a_second_unreadable_reply_is_kept_as_it_came() -> None:
    made = await make("No.", reply(perturbed_query=...))
    assert made.outcome is JobOutcome.UNPARSED
    assert "perturbed_query" in made.detail
    assert made.raw == reply(perturbed_query=...)
    assert made.candidate is None


async def test_a_failed_call_is_an_error() -> None:
    made = await make(PermanentModelError("model 'gen': refused"))
    assert (made.outcome, made.detail, made.candidate) == (JobOutcome.ERROR, "model 'gen': refused", None)


async def test_replicates_are_separate_questions_and_the_same_one_is_not() -> None:
    log = MemoryLog()
    await make(reply(), log=log)
    await make(reply(), log=log)
    assert len(log.calls) == 1
    await make(reply(), replicate=1, log=log)
    assert len(log.calls) == 2


@pytest.mark.parametrize("value", [..., None, 5, ["x"], {"text": "x"}, "", "  \n"])
@pytest.mark.parametrize("key", ["perturbed_query", "perturbed_context", "lever_selected"])
def test_each_text_must_be_there_and_be_a_text(key: str, value: Any) -> None:
    with pytest.raises(ReplyError, match=key):
        read_reply(reply(**{key: value}))


def test_odd_claims_are_left_out() -> None:
    read = read_reply(reply(intensity_achieved=3, answer_constraint_satisfied=True, more="x"))
    assert not isinstance(read, Declined)
    assert read.claims == {"expected_rag_behavior": "ANSWER_CORRECTLY"}


def test_a_class_that_changes_the_query_alone_needs_no_copy_of_the_passages() -> None:
    short = json.dumps(
        {key: value for key, value in json.loads(reply()).items() if key != "perturbed_context"}
    )
    read = read_reply(short, query_only=True)
    assert not isinstance(read, Declined)
    assert read.texts == {}
    with pytest.raises(ReplyError, match="perturbed_context"):
        read_reply(short)
    copied = read_reply(reply(), query_only=True)
    assert not isinstance(copied, Declined)
    assert copied.texts == {1: json.loads(reply())["perturbed_context"]}
