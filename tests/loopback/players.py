"""Players that act as generators and verifiers: any cell of any instance, by seed, without a model.

They stand in for models in tests and in speed measurements. A generator's item is valid, not good: it passes the
machine checks and no more. A verifier does not read the item at all: its vote is drawn from the item's content.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import repeat
from typing import Any

from perturb.building.checks import copy_unchanged_parts, find_fault
from perturb.building.offline.engine import RuleCandidate, perturb_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.records import (
    CHECK_NAMES,
    REFUSE_OTHER,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
    Target,
)
from perturb.text.matching import folded, holds_answer
from perturb.text.passages import removes_answer, without_telling_titles

from .replay import EchoPlayer, Player, Turns

Reply = dict[str, Any]
"""What a model was asked to say, before it is written as JSON."""


class ContentFault(StrEnum):
    """One way to spoil what a model says; the call itself succeeds."""

    FENCED = "fenced"
    PROSE_AROUND = "prose-around"
    CUT = "cut"
    PROSE_ONLY = "prose-only"
    EMPTY = "empty"
    DECOY = "decoy"
    """A thinking block that holds another object of the wanted form."""
    WRONG_LEVER = "wrong-lever"
    """A lever of another cell."""
    WRONG_TARGET = "wrong-target"
    """A change where the class allows none; none is possible where it allows both."""
    INCONSISTENT = "inconsistent"
    """A PASS with a failed check."""
    FALSE_PROOF = "false-proof"
    """Of a deep item: a quotation that its texts do not hold."""


_OF_BOTH = (
    ContentFault.FENCED,
    ContentFault.PROSE_AROUND,
    ContentFault.CUT,
    ContentFault.PROSE_ONLY,
    ContentFault.EMPTY,
    ContentFault.DECOY,
)
GENERATOR_FAULTS = (*_OF_BOTH, ContentFault.WRONG_LEVER, ContentFault.WRONG_TARGET)
VERIFIER_FAULTS = (*_OF_BOTH, ContentFault.INCONSISTENT)


class ContentFaults:
    """Each fault at its own rate; drawn once for a request, and gone when it is asked again."""

    def __init__(
        self, rates: Mapping[ContentFault | str, float], seed: int = 0, *, stubborn: bool = False
    ) -> None:
        """`rates` are probabilities that sum to at most 1; a `stubborn` model makes its fault again."""
        self._rates = {ContentFault(fault): rate for fault, rate in rates.items()}
        self._seed = seed
        self._stubborn = stubborn
        if sum(self._rates.values()) > 1 + 1e-9:
            raise ValueError("the rates of the content faults sum to more than 1")

    def pick(self, model: str, request: Request) -> ContentFault | None:
        """The fault of `model` at `request`."""
        if not self._rates or (request.asked_before and not self._stubborn):
            return None
        drawn = fraction_of("content fault", self._seed, model, request.system, request.data)
        for fault, rate in self._rates.items():
            drawn -= rate
            if drawn < 0:
                return fault
        return None


NO_CONTENT_FAULTS = ContentFaults({})


@dataclass(frozen=True, slots=True)
class Request:
    """One of our prompts, read back."""

    system: str
    data: Mapping[str, Any]
    """The JSON object of the user message."""
    asked_before: bool
    """True if the conversation holds an earlier reply."""

    @property
    def cell(self) -> Cell:
        """The cell that the item belongs to."""
        return Cell(PerturbationClass(self.data["perturbation_class"]), Intensity(self.data["intensity"]))

    @property
    def instance(self) -> BaseInstance:
        """The instance to perturb, as far as the prompt shows it: a single passage has no title there."""
        query, answers = self.data["query"], tuple(self.data["answers"])
        shown = self.data["passages"] if self.several else [{"text": self.data["context"]}]
        passages = tuple(Passage(p["text"], p.get("title", ""), p.get("role", "signal")) for p in shown)
        name = digest(query, shown if self.several else self.data["context"], answers)
        return BaseInstance(name, "loopback", query, passages, answers)

    @property
    def several(self) -> bool:
        """Whether the prompt numbers several passages."""
        return "passages" in self.data

    @property
    def deep(self) -> bool:
        """Whether a generator is asked for a deep item."""
        return '"construction_selected":' in self.system

    @property
    def offered(self) -> list[str]:
        """The levers that the prompt offers."""
        return _OFFERED.findall(self.system)


_OFFERED = re.compile(r"^\d+\. (.+)\n   What to do: ", re.MULTILINE)


def read_request(messages: Turns) -> Request:
    """Read one of our prompts. Raises `ValueError` if the conversation is not one."""
    said = {role: [turn["content"] for turn in messages if turn["role"] == role] for role in _ROLES}
    data = json.loads(said["user"][0]) if said["user"] else None
    if not isinstance(data, dict) or "perturbation_class" not in data:
        raise ValueError("the first user message is not an object with a perturbation class")
    return Request("\n".join(said["system"]), data, bool(said["assistant"]))


_ROLES = ("system", "user", "assistant")


class RolePlayer:
    """Generates or verifies as the request asks; any other conversation is echoed."""

    def __init__(self, generator: Player, verifier: Player) -> None:
        self._generator = generator
        self._verifier = verifier

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to the conversation."""
        if _asks_blind(messages):
            return json.dumps(blind_reply(model, messages))
        try:
            request = read_request(messages)
        except ValueError:
            return EchoPlayer().play(model, messages)
        player = self._verifier if "candidate" in request.data else self._generator
        return player.play(model, messages)


def _asks_blind(messages: Turns) -> bool:
    """Whether a prompt asks for a decision on a deep item without its claim."""
    system = "\n".join(turn["content"] for turn in messages if turn["role"] == "system")
    return '"certainty":' in system and '"decision":' in system


def blind_reply(model: str, messages: Turns) -> Reply:
    """A decision that is drawn from the item: an answer, or one of two refusals."""
    codes = ("ANSWER_CORRECTLY", "REFUSE_CONTRADICTORY_CONTEXT", "REFUSE_INFO_MISSING_IN_CONTEXT")
    drawn = codes[seed_of("blind", model, messages[-1]["content"]) % len(codes)]
    return {"why": "It says so.", "decision": drawn, "answer": "", "certainty": "4"}


class GeneratorPlayer:
    """Perturbs by the offline rules, and by a simple edit where they abstain; each model in its own way."""

    def __init__(
        self, *, faults: ContentFaults = NO_CONTENT_FAULTS, catalogue: Catalogue | None = None, seed: int = 0
    ) -> None:
        """`catalogue` is the embedded one unless the prompts are made from another."""
        self._catalogue = catalogue or embedded_catalogue()
        self._faults = faults
        self._seed = seed

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to a generation prompt."""
        request = read_request(messages)
        instance, cell = request.instance, request.cell
        if request.deep:
            return self._play_deep(model, request)
        edit = self._edit(model, request, instance)
        reply: Reply = {
            "perturbed_query": edit.query,
            **_context(instance, edit, several=request.several),
            "lever_selected": edit.lever,
            "implementation_reasoning": edit.reasoning,
            "intensity_achieved": str(cell.intensity),
            "answer_constraint_satisfied": "It fares as the cell asks.",
            "expected_rag_behavior": self._catalogue.expected_behavior(cell),
        }
        if request.system.startswith("You write control items"):
            reply["proof"] = [edit.query]
        fault = self._faults.pick(model, request)
        if fault is ContentFault.WRONG_LEVER:
            reply["lever_selected"] = next(each.name for each in self._catalogue.levers if each.cell != cell)
        if fault is ContentFault.WRONG_TARGET:
            for side in _SIDES - self._catalogue.classes[cell.perturbation_class].target:
                if side == "context" and request.several:
                    reply["changed_passages"] = [{"number": 1, "text": f"{instance.passages[0].text} Or so."}]
                else:
                    reply[f"perturbed_{side}"] += " Or so."
        return say(reply, fault, decoy=reply | {"perturbed_query": "is this the question after all"})

    def _play_deep(self, model: str, request: Request) -> str:
        """An item whose flaw lies in a passage that is added to the instance's, or in the query."""
        instance, cell, offered = request.instance, request.cell, request.offered
        target = self._catalogue.classes[cell.perturbation_class].target
        sentence = f"The {model} bridge was closed for the whole of that winter and the next."
        sound = "Visitors of the valley have spoken well of its roads and inns since the railway came."
        flaw = f"{sound} {sentence}" if "context" in target else f"{sentence} {sound}"
        without = sound if "context" in target else ""
        query = instance.query if "query" not in target else f"{instance.query.rstrip('? ')} that winter"
        kept = [{"from": number, "title": "", "text": ""} for number in range(1, len(instance.passages) + 1)]
        levers = [name for name in offered if self._catalogue.find(name)]
        ways = [name for name in offered if self._catalogue.construction(name)]
        reply: Reply = {
            "trap": "The old answer.",
            "implementation_reasoning": "The added passages say otherwise.",
            "perturbed_query": query,
            "passages": [
                *kept,
                {"from": 0, "title": "Valley", "text": flaw, "without_flaw": without},
                {"from": 0, "title": "Weather", "text": "Snow lay on the pass until the last days of May."},
            ],
            "construction_selected": ways[0],
            "proof": [sentence, "Snow lay on the pass until the last days of May."],
            "lever_selected": levers[0],
            "intensity_achieved": str(cell.intensity),
            "answer_constraint_satisfied": "It fares as the cell asks.",
            "expected_rag_behavior": self._catalogue.expected_behavior(cell),
        }
        fault = self._faults.pick(model, request)
        if fault is ContentFault.FALSE_PROOF:
            reply["proof"] = ["Nobody has ever written this sentence.", *reply["proof"]]
        if fault is ContentFault.WRONG_LEVER:
            reply["lever_selected"] = next(each.name for each in self._catalogue.levers if each.cell != cell)
        return say(reply, fault, decoy=reply | {"perturbed_query": "is this the question after all"})

    def _edit(self, model: str, request: Request, instance: BaseInstance) -> Edit:
        """The first edit that passes the machine checks; the last one if none does."""
        cell, offered = request.cell, request.offered
        seed = seed_of(self._seed, model, instance.id, str(cell), offered)
        chance = random.Random(seed)
        chance.shuffle(offered)
        tried = (perturb_by_rule(self._catalogue, instance, cell, lever, seed) for lever in offered)
        edits = next(([_ruled(made)] for made in tried if isinstance(made, RuleCandidate)), [])
        for edit in (*edits, *simple_edits(instance, cell, offered[0], chance)):
            if find_fault(self._catalogue, instance, _candidate(instance, cell, edit), offered) is None:
                break
        return edit


_SIDES: frozenset[Target] = frozenset({"query", "context"})


@lru_cache(maxsize=1)
def embedded_catalogue() -> Catalogue:
    """The catalogue of the package, read once."""
    return Catalogue.load()


@dataclass(frozen=True, slots=True)
class Edit:
    """A perturbed instance and the lever it is put down to."""

    lever: str
    query: str
    texts: tuple[str, ...]
    """Of all passages, changed or not."""
    reasoning: str


def _ruled(made: RuleCandidate) -> Edit:
    return Edit(made.lever, made.query, tuple(p.text for p in made.passages), made.reasoning)


def _context(instance: BaseInstance, edit: Edit, *, several: bool) -> Reply:
    """The part of a reply that tells the context."""
    if not several:
        return {"perturbed_context": edit.texts[0]}
    pairs = zip(instance.passages, edit.texts, strict=True)
    changed = [(number, text) for number, (old, text) in enumerate(pairs, start=1) if old.text != text]
    return {"changed_passages": [{"number": number, "text": text} for number, text in changed]}


def _candidate(instance: BaseInstance, cell: Cell, edit: Edit) -> Candidate:
    candidate = Candidate(
        id=instance.id,
        instance_id=instance.id,
        generator="loopback",
        cell=cell,
        lever=edit.lever,
        query=edit.query,
        passages=tuple(
            replace(old, text=text) for old, text in zip(instance.passages, edit.texts, strict=True)
        ),
        reasoning=edit.reasoning,
        expected_behavior="",
    )
    return without_telling_titles(instance, copy_unchanged_parts(instance, candidate))


def simple_edits(instance: BaseInstance, cell: Cell, lever: str, chance: random.Random) -> Iterator[Edit]:
    """Edits that serve any instance of a cell, the best one first."""
    query, texts = instance.query, tuple(passage.text for passage in instance.passages)
    name = cell.perturbation_class
    home = next((i for i, passage in enumerate(instance.passages) if passage.role == "signal"), 0)
    if removes_answer(cell):
        told = {i for i, t in enumerate(texts) if any(holds_answer(t, answer) for answer in instance.answers)}
        options = (
            _without_answers(t, instance.answers) if i in told or i == home else repeat(t)
            for i, t in enumerate(texts)
        )
        for kept in zip(*options, strict=False):
            yield Edit(lever, query, kept, "The context no longer says what is asked.")
    elif name in _CLAUSES:
        asked = query.rstrip("? ")
        mark = "?" if "?" in query else ""
        clause = chance.choice(_CLAUSES[name])
        yield Edit(lever, f"{asked} {clause}{mark}", texts, "A clause was added to the question.")
    else:
        own = (f"So it was said long ago, in a {cell.intensity.lower()} voice.",)
        sentence = chance.choice(_SENTENCES.get(name, own))
        longer = tuple(f"{t.rstrip()} {sentence}" if i == home else t for i, t in enumerate(texts))
        yield Edit(lever, query, longer, "A sentence was added to a passage.")


def _without_answers(context: str, answers: tuple[str, ...]) -> Iterator[str]:
    """The context without the sentences that hold an answer, with answers replaced, and other texts instead."""
    sentences = re.split(r"(?<=[.!?])\s+", context)
    kept = [text for text in sentences if not any(holds_answer(text, answer) for answer in answers)]
    if kept and len(kept) < len(sentences):
        yield " ".join(kept)
    text = folded(context)
    for answer in sorted(answers, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(folded(answer))}(?!\w)"
        text = re.sub(pattern, "an unnamed party", text, flags=re.IGNORECASE)
    yield text
    yield "Rain fell on quiet hills all day."
    yield "Old bread tastes sour."


_CLAUSES: dict[PerturbationClass, tuple[str, ...]] = {
    PerturbationClass.FALSE_PREMISE: (
        "after the moon was moved",
        "in the edition that was never printed",
        "during the nine-day week",
    ),
    PerturbationClass.GRANULARITY: (
        "in every country of the world",
        "down to the last millisecond",
        "for each atom involved",
    ),
    PerturbationClass.EPISTEMIC: (
        "and was that the right thing to do",
        "and will it still matter in a century",
        "and should everyone be glad of it",
    ),
}
_SENTENCES: dict[PerturbationClass, tuple[str, ...]] = {
    PerturbationClass.AMBIGUITY: (
        "Somebody else of the same name is often mixed up with this one.",
        "It then passed to the other one, which changed it.",
        "Which of the two was meant is left open.",
    ),
    PerturbationClass.CONTRADICTION: (
        "Another account says the exact opposite.",
        "The same source later denies all of this.",
        "None of this is so, the register states.",
    ),
    PerturbationClass.MISSING_INFO: (
        "Further details are left out here.",
        "The rest is not told.",
        "No more is said of it.",
    ),
}


class VerifierPlayer:
    """Votes by planted pass rates; the same item always gets the same vote from the same verifier."""

    def __init__(
        self,
        pass_rates: Mapping[str, float],
        *,
        correlation: float = 0.0,
        faults: ContentFaults = NO_CONTENT_FAULTS,
        catalogue: Catalogue | None = None,
        seed: int = 0,
    ) -> None:
        """Plant the rates.

        `pass_rates` holds the share of items that each model passes; `*` stands for every other model, which
        pass everything without it. At the share `correlation` of items the verifiers share one draw: Cohen's
        kappa of two verifiers with the same rate strictly between 0 and 1 is then expected to be `correlation`.
        """
        self._pass_rates = pass_rates
        self._correlation = correlation
        self._faults = faults
        self._catalogue = catalogue or embedded_catalogue()
        self._seed = seed

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model` to a verification prompt."""
        request = read_request(messages)
        expected = self._catalogue.expected_behavior(request.cell)
        item = digest(request.data)
        fault = self._faults.pick(model, request)
        passed, failed = _reply(expected), _reply(expected, _failed_checks(model, item))
        reply, decoy = (passed, failed) if self.passes(model, item) else (failed, passed)
        if fault is ContentFault.INCONSISTENT:
            reply = failed | {"verdict": "PASS"}
        return say(reply, fault, decoy)

    def passes(self, model: str, item: str) -> bool:
        """Whether `model` passes the item with digest `item`."""
        rate = self._pass_rates.get(model, self._pass_rates.get("*", 1.0))
        shared = fraction_of("shared", self._seed, item) < self._correlation
        return fraction_of("vote", self._seed, None if shared else model, item) < rate


def _failed_checks(model: str, item: str) -> list[str]:
    """One or two checks."""
    chance = random.Random(seed_of("failed checks", model, item))
    return chance.sample(CHECK_NAMES, chance.choice((1, 2)))


_OF_BEHAVIOUR = frozenset({"predicted_behavior", "refusal_class"})
"""Checks that cannot fail where the expected behaviour is predicted."""


def _reply(expected: str, failed: list[str] | None = None) -> Reply:
    """A verifier's reply that agrees with itself."""
    missed = failed or []
    return {
        "verdict": "FAIL" if missed else "PASS",
        "checks": {name: name not in missed for name in CHECK_NAMES},
        "predicted_rag_behavior": REFUSE_OTHER if _OF_BEHAVIOUR.intersection(missed) else expected,
        "issues": [f"The item does not meet {name}." for name in missed],
    }


def say(reply: Reply, fault: ContentFault | None, decoy: Reply) -> str:
    """Write a reply as a model would; faults of the content itself are in the reply already."""
    text = json.dumps(reply, ensure_ascii=False)
    match fault:
        case ContentFault.FENCED:
            return f"```json\n{json.dumps(reply, ensure_ascii=False, indent=2)}\n```"
        case ContentFault.PROSE_AROUND:
            return f"I weighed everything with care. Here is my answer:\n\n{text}\n\nI hope that this helps."
        case ContentFault.CUT:
            return text[: len(text) * 2 // 3]
        case ContentFault.PROSE_ONLY:
            return "I would rather describe my answer in words than write it down as an object."
        case ContentFault.EMPTY:
            return ""
        case ContentFault.DECOY:
            return f"<think>Perhaps {json.dumps(decoy, ensure_ascii=False)}? No.</think>\n{text}"
    return text
