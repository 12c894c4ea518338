"""The players' replies through the reading functions of the package."""

from __future__ import annotations

import json

import pytest

from perturb.building.generate import GenerationResult, generate_by_model
from perturb.building.verify import ask_verifier, read_verdict
from perturb.catalogue.prompts import Prompts
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.llm.budget import Budget
from perturb.llm.client import ChatRequest, ScriptedModel
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError
from perturb.records import (
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Job,
    JobOutcome,
    Passage,
    PerturbationClass,
    Verdict,
    VerdictState,
)
from tests.building import MemoryLog

from .players import (
    GENERATOR_FAULTS,
    VERIFIER_FAULTS,
    ContentFault,
    ContentFaults,
    GeneratorPlayer,
    VerifierPlayer,
    embedded_catalogue,
)
from .replay import Player, Turns

PROMPTS = Prompts(embedded_catalogue())
INSTANCES = load_base_set(embedded_path("demo"), limit=10).instances
UNREADABLE = {ContentFault.CUT, ContentFault.PROSE_ONLY, ContentFault.EMPTY}
PREMISE = Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM)
MISSING = Cell(PerturbationClass.MISSING_INFO, Intensity.HIGH)


def turns(request: ChatRequest) -> Turns:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def asker(player: Player, name: str = "g") -> ModelClient:
    return ModelClient(
        {name: ScriptedModel(lambda request: player.play(name, turns(request)))}, MemoryLog(), Budget()
    )


async def made(
    player: Player, cell: Cell, instance: BaseInstance, lever: str | None = None
) -> GenerationResult:
    job = Job("j", instance.id, cell, "g", 0, "r", ((lever,),) if lever else None)
    return await generate_by_model(asker(player), PROMPTS, job, instance, 0)


def candidate(cell: Cell, instance: BaseInstance, number: int = 0) -> Candidate:
    return Candidate(
        id=f"c{number}",
        instance_id=instance.id,
        generator="g",
        cell=cell,
        lever=PROMPTS.catalogue.levers_of(cell)[0].name,
        query=instance.query,
        passages=(Passage(f"{instance.context} Version {number}."),),
        reasoning="",
        expected_behavior=PROMPTS.catalogue.expected_behavior(cell),
    )


async def vote(player: Player, cell: Cell = MISSING, number: int = 0) -> Verdict:
    instance = INSTANCES[0]
    item = candidate(cell, instance, number)
    return await ask_verifier(asker(player, "v"), PROMPTS, "v", "1", instance, item)


def faulty(fault: ContentFault, *, stubborn: bool) -> ContentFaults:
    return ContentFaults({fault: 1.0}, stubborn=stubborn)


@pytest.mark.parametrize("fault", GENERATOR_FAULTS)
async def test_outcome_of_a_faulty_generator(fault: ContentFault) -> None:
    result = await made(GeneratorPlayer(faults=faulty(fault, stubborn=True)), PREMISE, INSTANCES[0])
    if fault in UNREADABLE:
        expected = JobOutcome.UNPARSED
    elif fault in {ContentFault.WRONG_LEVER, ContentFault.WRONG_TARGET}:
        expected = JobOutcome.REJECTED
    else:
        expected = JobOutcome.CANDIDATE
        good = await made(GeneratorPlayer(), PREMISE, INSTANCES[0])
        assert result.candidate == good.candidate
        assert result.raw != good.raw
    assert result.outcome is expected


@pytest.mark.parametrize("fault", VERIFIER_FAULTS)
@pytest.mark.parametrize("rate", [0.0, 1.0])
async def test_verdict_of_a_faulty_verifier(fault: ContentFault, rate: float) -> None:
    verdict = await vote(VerifierPlayer({"v": rate}, faults=faulty(fault, stubborn=True)))
    if fault in UNREADABLE:
        expected = VerdictState.UNSCORED
    elif fault is ContentFault.INCONSISTENT:
        expected = VerdictState.FAIL
        assert any("said PASS with failed checks" in issue for issue in verdict.issues)
    elif fault is ContentFault.PROSE_AROUND and rate:
        # A PASS with prose around it may be contradicted there, so it does not count.
        expected = VerdictState.UNSCORED
    else:
        expected = VerdictState.PASS if rate else VerdictState.FAIL
    assert verdict.state is expected


def votes(player: VerifierPlayer, model: str) -> list[bool]:
    request = PROMPTS.verification(INSTANCES[0], candidate(MISSING, INSTANCES[0]))
    said = []
    for number in range(2000):
        data = json.loads(request.messages[1].content)
        data["candidate"]["query"] += f" {number}"
        messages: Turns = [{"role": "user", "content": json.dumps(data)}]
        said.append(read_verdict(player.play(model, messages), PROMPTS.catalogue.codes).passed)
    return said


def kappa(one: list[bool], other: list[bool]) -> float:
    n = len(one)
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    p, q = sum(one) / n, sum(other) / n
    chance = p * q + (1 - p) * (1 - q)
    return (agreed - chance) / (1 - chance)


def test_planted_pass_rates_and_correlation() -> None:
    rates = {"v1": 0.95, "v2": 0.8, "*": 0.5}
    for name, rate in (("v1", 0.95), ("v2", 0.8), ("someone", 0.5)):
        deviation = (2000 * rate * (1 - rate)) ** 0.5
        for correlation in (0.0, 0.6):
            count = sum(votes(VerifierPlayer(rates, correlation=correlation), name))
            assert abs(count - 2000 * rate) < 4 * deviation
    for correlation in (0.0, 0.6, 1.0):
        player = VerifierPlayer({"*": 0.8}, correlation=correlation)
        assert kappa(votes(player, "v1"), votes(player, "v2")) == pytest.approx(correlation, abs=0.08)


def test_fault_rates_are_met_and_must_not_exceed_one() -> None:
    faults = ContentFaults({"cut": 0.2, "empty": 0.1})
    player = VerifierPlayer({}, faults=faults)
    request = turns(PROMPTS.verification(INSTANCES[0], candidate(MISSING, INSTANCES[0])))
    unread = empty = 0
    for number in range(1000):
        text = player.play(f"v{number}", request)
        empty += not text
        try:
            read_verdict(text, PROMPTS.catalogue.codes)
        except ReplyError:
            unread += 1
    assert abs(unread - 300) < 60
    assert abs(empty - 100) < 40
    with pytest.raises(ValueError, match="more than 1"):
        ContentFaults({"cut": 0.7, "empty": 0.4})
