"""Candidates by model from several passages: what a reply becomes, and which passages may change."""

from __future__ import annotations

import json
from typing import Any

import pytest

from perturb.building.generate import Declined, GenerationResult, generate_by_model, read_reply
from perturb.building.jobs import PlanSettings, plan_digest, plan_jobs
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts, generation_schema
from perturb.llm.budget import Budget
from perturb.llm.client import ScriptedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError
from perturb.records import BaseInstance, Cell, Intensity, Job, JobOutcome, Passage, PerturbationClass
from tests.building import MemoryLog

CATALOGUE = Catalogue.load()
CONTRADICTION, MISSING, PREMISE, AMBIGUITY = (
    PerturbationClass.CONTRADICTION,
    PerturbationClass.MISSING_INFO,
    PerturbationClass.FALSE_PREMISE,
    PerturbationClass.AMBIGUITY,
)
MEDIUM, LOW = Intensity.MEDIUM, Intensity.LOW
QUERY = "When did the mill open?"
PASSAGES = (
    Passage("A town.", "Town", "noise"),
    Passage("The mill’s doors  opened in 1984.", "Mill", "signal"),
    Passage("In 1984 the mill opened. It is red.", "Mills", "signal"),
    Passage("A shop opened in 1984 too.", "Opened 1984", "noise"),
    Passage("It all began in 1984.", "Start", "signal"),
)
INSTANCE = BaseInstance("i1", "test", QUERY, PASSAGES, ("1984",))


def reply(cell: Cell, changed: Any, query: str = QUERY) -> str:
    return json.dumps(
        {
            "perturbed_query": query,
            "changed_passages": changed,
            "lever_selected": CATALOGUE.levers_of(cell)[0].name,
            "implementation_reasoning": "Two years.",
            "intensity_achieved": str(cell.intensity),
            "answer_constraint_satisfied": "No answer holds.",
            "expected_rag_behavior": "ANSWER_CORRECTLY",
        }
    )


def texts(**changed: str) -> list[dict[str, Any]]:
    """The value of `changed_passages` for p1=…, p2=…"""
    return [{"number": int(name[1:]), "text": text} for name, text in changed.items()]


async def make(
    name: PerturbationClass, intensity: Intensity, changed: Any, *more: str, query: str = QUERY
) -> GenerationResult:
    cell = Cell(name, intensity)
    client = ModelClient({"gen": ScriptedModel([reply(cell, changed, query), *more])}, MemoryLog(), Budget())
    job = Job("job", "i1", cell, "gen", 0, "r1")
    return await generate_by_model(client, Prompts(CATALOGUE), job, INSTANCE, 7)


async def test_the_changed_passages_come_from_the_reply_and_the_rest_from_us() -> None:
    made = await make(CONTRADICTION, MEDIUM, texts(p3="In 1990 the mill opened. It is red."))
    assert made.outcome is JobOutcome.CANDIDATE
    assert made.candidate is not None
    assert made.candidate.query == QUERY
    assert made.candidate.passages[2] == Passage("In 1990 the mill opened. It is red.", "Mills", "signal")
    for index in (0, 1, 3, 4):
        assert made.candidate.passages[index] is PASSAGES[index]


async def test_a_passage_typed_again_is_not_a_changed_one() -> None:
    changed = texts(p1="A  town.", p2="The mill's doors opened in 1984.", p3="The mill opened in 1990.")
    made = await make(CONTRADICTION, MEDIUM, changed)
    assert made.outcome is JobOutcome.CANDIDATE
    assert made.candidate is not None
    assert made.candidate.passages[:2] == PASSAGES[:2]


GONE = texts(p2="The doors opened.", p3="It is red.", p5="It all began.")
TABLE = [
    (MISSING, MEDIUM, [*GONE, *texts(p4="A shop opened too.")], None),
    (MISSING, MEDIUM, GONE, "the answer '1984' is left in the context"),
    (
        MISSING,
        MEDIUM,
        [*GONE, *texts(p1="Another town.", p4="A shop.")],
        "passage 1 was changed, which is noise and held no answer",
    ),
    (
        CONTRADICTION,
        MEDIUM,
        texts(p4="A shop opened in 1990 too."),
        "passage 4 was changed, which is noise: P-Contradiction/MEDIUM changes signal passages only",
    ),
    (CONTRADICTION, MEDIUM, texts(p2="In 1990.", p3="In 1991.", p5="In 1992."), None),
    (
        CONTRADICTION,
        LOW,
        texts(p2="In 1984 or so.", p3="Around 1984.", p5="Near 1984."),
        "3 passages were changed, P-Contradiction/LOW allows 2",
    ),
    (CONTRADICTION, LOW, texts(p2="In 1984 or so.", p3="Around 1984."), None),
    (CONTRADICTION, MEDIUM, [], "nothing was changed"),
    (
        PREMISE,
        MEDIUM,
        texts(p2="In 1990."),
        "the context was changed, which P-FalsePremise does not allow",
    ),
]


@pytest.mark.parametrize(("name", "intensity", "changed", "fault"), TABLE)
async def test_which_passages_may_change(
    name: PerturbationClass, intensity: Intensity, changed: Any, fault: str | None
) -> None:
    made = await make(name, intensity, changed)
    assert made.outcome is (JobOutcome.CANDIDATE if fault is None else JobOutcome.REJECTED)
    if fault is not None:
        assert made.detail == fault


async def test_a_low_item_needs_the_answer_in_some_passage_only() -> None:
    kept = await make(AMBIGUITY, LOW, texts(p2="The doors opened.", p3="It is red."))
    assert kept.outcome is JobOutcome.CANDIDATE
    bare = BaseInstance("i1", "test", QUERY, PASSAGES[:3], ("1984",))
    cell = Cell(AMBIGUITY, LOW)
    lines = [reply(cell, texts(p2="The doors opened.", p3="It is red."))]
    client = ModelClient({"gen": ScriptedModel(lines)}, MemoryLog(), Budget())
    job = Job("job", "i1", cell, "gen", 0, "r1")
    lost = await generate_by_model(client, Prompts(CATALOGUE), job, bare, 7)
    assert lost.detail == "no accepted answer stands in the context any more"


async def test_titles_that_hold_the_answer_go_with_it() -> None:
    made = await make(MISSING, MEDIUM, [*GONE, *texts(p4="A shop opened too.")])
    assert made.candidate is not None
    assert [passage.title for passage in made.candidate.passages] == ["Town", "Mill", "Mills", "", "Start"]
    other = await make(CONTRADICTION, MEDIUM, texts(p2="In 1990."))
    assert other.candidate is not None
    assert other.candidate.passages[3].title == "Opened 1984"


async def test_a_query_may_change_alone() -> None:
    made = await make(PREMISE, MEDIUM, [], query="Why did the mill never open?")
    assert made.outcome is JobOutcome.CANDIDATE
    assert made.candidate is not None
    assert made.candidate.passages == PASSAGES


BROKEN = [
    (texts(p6="x"), "names passage 6, the passages are 1 to 5"),
    (texts(p0="x"), "names passage 0, the passages are 1 to 5"),
    (texts(p2="x") * 2, "names passage 2 twice"),
    (texts(p2=" "), "field 'changed_passages.text' must be a non-empty string"),
    ([{"number": 2}], "field 'changed_passages.text' must be a non-empty string"),
    ([{"number": True, "text": "x"}], "must give each passage its 'number'"),
    ([{"number": "two", "text": "x"}], "must give each passage its 'number'"),
    ([{"text": "x"}], "must give each passage its 'number'"),
    (["x"], "must be a list of objects with 'number' and 'text'"),
    ({"2": "x"}, "must be a list of objects with 'number' and 'text'"),
    ("x", "must be a list of objects with 'number' and 'text'"),
]


@pytest.mark.parametrize(("changed", "error"), BROKEN)
async def test_a_reply_about_other_passages_is_asked_for_once_more_and_then_unparsed(
    changed: Any, error: str
) -> None:
    cell = Cell(CONTRADICTION, MEDIUM)
    with pytest.raises(ReplyError, match=error):
        read_reply(reply(cell, changed), len(PASSAGES))
    made = await make(CONTRADICTION, MEDIUM, changed, reply(cell, changed))
    assert made.outcome is JobOutcome.UNPARSED
    assert error in made.detail
    mended = await make(CONTRADICTION, MEDIUM, changed, reply(cell, texts(p2="In 1990.")))
    assert mended.outcome is JobOutcome.CANDIDATE


def test_numbers_may_be_written_as_text() -> None:
    read = read_reply(reply(Cell(CONTRADICTION, MEDIUM), [{"number": " 2 ", "text": "x"}]), 5)
    assert not isinstance(read, Declined)
    assert read.texts == {2: "x"}


def test_a_reply_of_the_other_kind_is_unreadable() -> None:
    with pytest.raises(ReplyError):
        read_reply(reply(Cell(CONTRADICTION, MEDIUM), texts(p2="x")), 1)


def test_the_schema_asks_for_changed_passages() -> None:
    schema = generation_schema(Cell(CONTRADICTION, MEDIUM), "several")
    assert "perturbed_context" not in schema["properties"]
    entry = schema["properties"]["changed_passages"]["items"]
    assert entry["required"] == ["number", "text"]
    assert entry["additionalProperties"] is False


def test_each_kind_of_instance_has_jobs_by_its_own_templates() -> None:
    single = BaseInstance("s", "test", QUERY, PASSAGES[1:2], ("1984",))
    instances = [("k1", single), ("k2", INSTANCE)]

    def plan(one: str, many: str | None) -> PlanSettings:
        several = {"gen": many} if many else {}
        return PlanSettings("r1", 7, (Cell(AMBIGUITY, LOW),), 1, {"gen": one}, generators_of_several=several)

    def ids(one: str, many: str) -> list[str]:
        return [job.id for job in plan_jobs(plan(one, many), instances, CATALOGUE)]

    alone = [job.id for job in plan_jobs(plan("a", None), instances[:1], CATALOGUE)]
    assert ids("a", "b")[0] == alone[0] == ids("a", "c")[0]
    assert ids("a", "b")[1] == ids("c", "b")[1] != ids("a", "c")[1]
    digests = {plan_digest(plan("a", many), ["k1", "k2"], CATALOGUE) for many in (None, "b", "c")}
    assert len(digests) == 3
