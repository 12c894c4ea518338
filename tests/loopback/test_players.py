"""The players' replies through the reading functions of the package."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from perturb.building.generate import GenerationResult, generate_by_model
from perturb.building.offline.engine import RuleCandidate
from perturb.building.verify import ask_verifier, read_verdict
from perturb.catalogue.prompts import GENERATION_KEYS, Prompts
from perturb.curation.base_sets import demo_path, load_base_set
from perturb.llm.budget import Budget
from perturb.llm.client import ChatRequest, ScriptedModel
from perturb.llm.model_client import Call, ModelClient
from perturb.llm.replies import ReplyError
from perturb.records import (
    ALL_CELLS,
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

from . import players
from .players import (
    GENERATOR_FAULTS,
    VERIFIER_FAULTS,
    ContentFault,
    ContentFaults,
    GeneratorPlayer,
    RolePlayer,
    VerifierPlayer,
    embedded_catalogue,
    read_request,
    simple_edits,
)
from .replay import Player, Turns

PROMPTS = Prompts(embedded_catalogue())
INSTANCES = load_base_set(demo_path("demo"), limit=10).instances
UNREADABLE = {ContentFault.CUT, ContentFault.PROSE_ONLY, ContentFault.EMPTY}
PREMISE = Cell(PerturbationClass.FALSE_PREMISE, Intensity.MEDIUM)
MISSING = Cell(PerturbationClass.MISSING_INFO, Intensity.HIGH)


class NoLog:
    """Keeps nothing, so that every question is asked."""

    def find(self, key: str) -> str | None:
        return None

    def record(self, call: Call) -> None:
        pass

    def record_shared(self, key: str, model: str, purpose: str, subject: str) -> None: ...

    async def committed(self) -> None:
        """At once."""


def turns(request: ChatRequest) -> Turns:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def asker(player: Player, name: str = "g") -> ModelClient:
    return ModelClient(
        {name: ScriptedModel(lambda request: player.play(name, turns(request)))}, NoLog(), Budget()
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


@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
async def test_every_cell_and_instance_gives_a_candidate(cell: Cell) -> None:
    player = GeneratorPlayer()
    for instance in INSTANCES:
        result = await made(player, cell, instance)
        assert result.outcome is JobOutcome.CANDIDATE, result.detail
        assert tuple(json.loads(result.raw)) == GENERATION_KEYS
        assert (await made(player, cell, instance)).raw == result.raw


@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
async def test_an_assigned_lever_is_used(cell: Cell) -> None:
    for lever in PROMPTS.catalogue.levers_of(cell):
        result = await made(GeneratorPlayer(), cell, INSTANCES[0], lever.name)
        assert (result.outcome, result.detail) == (JobOutcome.CANDIDATE, lever.name)


async def test_models_differ() -> None:
    player = GeneratorPlayer()
    request = turns(PROMPTS.generation(PREMISE, INSTANCES[0]))
    assert len({player.play(f"g{number}", request) for number in range(10)}) > 1


@pytest.mark.parametrize(
    ("context", "answers"),
    [
        ("Ada.", ("Ada",)),
        ("Ada wrote it with Bob. Bob left. It rained.", ("Ada", "Bob")),
        ("It cost 5. 3 million", ("5. 3 million",)),
        ("An unnamed party met in Straße 9.", ("party", "STRASSE 9", "day")),
        ("Café “Z” — open", ('Café "Z"',)),
    ],
)
@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
async def test_odd_instances(cell: Cell, context: str, answers: tuple[str, ...]) -> None:
    instance = replace(INSTANCES[0], query="which one???", passages=(Passage(context),), answers=answers)
    result = await made(GeneratorPlayer(), cell, instance)
    assert result.outcome is JobOutcome.CANDIDATE, result.detail


@pytest.mark.parametrize("side", ["query", "context"])
async def test_a_rule_comes_first_if_its_item_is_valid(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = INSTANCES[0]
    query, context = instance.query, instance.context
    if side == "query":
        query += " in the year zero"
    else:
        context += " It was the year zero."
    ruled = RuleCandidate(
        PROMPTS.catalogue.levers_of(PREMISE)[3].name, query, (Passage(context),), "By rule."
    )
    monkeypatch.setattr(players, "perturb_by_rule", lambda *_: ruled)
    result = await made(GeneratorPlayer(), PREMISE, instance)
    assert result.outcome is JobOutcome.CANDIDATE
    assert (json.loads(result.raw)["implementation_reasoning"] == "By rule.") is (side == "query")


def test_the_simple_edit_drops_only_sentences_with_an_answer() -> None:
    instance = replace(INSTANCES[0], passages=(Passage("Ada wrote it. It rained."),), answers=("Ada",))
    first = next(simple_edits(instance, MISSING, "lever", random.Random(0)))
    assert first.texts == ("It rained.",)


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


async def test_rejections_name_the_fault() -> None:
    for fault, words in (
        (ContentFault.WRONG_LEVER, "belongs to"),
        (ContentFault.WRONG_TARGET, "the query was changed"),
    ):
        result = await made(GeneratorPlayer(faults=faulty(fault, stubborn=True)), MISSING, INSTANCES[0])
        assert words in result.detail


@pytest.mark.parametrize("fault", sorted(UNREADABLE))
async def test_the_second_ask_is_clean(fault: ContentFault) -> None:
    faults = faulty(fault, stubborn=False)
    result = await made(GeneratorPlayer(faults=faults), MISSING, INSTANCES[0])
    assert result.candidate == (await made(GeneratorPlayer(), MISSING, INSTANCES[0])).candidate
    assert (await vote(VerifierPlayer({}, faults=faults))).state is VerdictState.PASS


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


def test_a_decoy_says_the_opposite() -> None:
    player = VerifierPlayer({}, faults=faulty(ContentFault.DECOY, stubborn=False))
    text = player.play("v", turns(PROMPTS.verification(INSTANCES[0], candidate(MISSING, INSTANCES[0]))))
    thought, said = text.split("</think>")
    assert '"FAIL"' in thought
    assert read_verdict(said, PROMPTS.catalogue.codes).passed


@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
async def test_votes_agree_with_themselves(cell: Cell) -> None:
    passed = await vote(VerifierPlayer({"v": 1.0}), cell)
    assert (passed.state, passed.issues, all(passed.checks.values())) == (VerdictState.PASS, (), True)
    for number in range(20):
        failed = await vote(VerifierPlayer({"v": 0.0}), cell, number)
        assert failed.state is VerdictState.FAIL
        assert list(failed.checks.values()).count(False) == len(failed.issues) in {1, 2}


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


def test_roles_follow_the_request() -> None:
    player = RolePlayer(GeneratorPlayer(), VerifierPlayer({}))
    instance = INSTANCES[0]
    asked = player.play("m", turns(PROMPTS.generation(PREMISE, instance)))
    judged = player.play("m", turns(PROMPTS.verification(instance, candidate(PREMISE, instance))))
    assert "perturbed_query" in json.loads(asked)
    assert json.loads(judged)["verdict"] == "PASS"
    assert player.play("m", [{"role": "user", "content": "Say OK"}]) == "Say OK"
    with pytest.raises(ValueError, match="perturbation class"):
        read_request([{"role": "user", "content": "[]"}])


def test_the_command_serves_and_counts() -> None:
    command = [sys.executable, "-m", "tests.loopback", "--port", "0", "--pass-rates", '{"v": 0}']
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            messages = turns(PROMPTS.verification(INSTANCES[0], candidate(MISSING, INSTANCES[0])))
            body = json.dumps({"model": "v", "messages": messages}).encode()
            headers = {"Content-Type": "application/json"}
            with urlopen(Request(f"{url}/chat/completions", body, headers), timeout=30) as response:
                text = json.load(response)["choices"][0]["message"]["content"]
            process.send_signal(signal.SIGTERM)
            figures = json.loads(process.stdout.readline())
        finally:
            process.kill()
    assert json.loads(text)["verdict"] == "FAIL"
    assert figures["requests"] == {"v": 1}
