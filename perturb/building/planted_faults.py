"""Planted items, whose faults are known: made by rule from candidates of the round, or written by a generator.

Each rule (`FaultMaker.make`) takes a candidate and returns what verifiers will see, or None if it cannot be applied.
Four rules make the label wrong. The rules `lever` and `degree` change the lever or the intensity and leave the label
right. A generator writes an item that is wrong in one subtle way, which is named in advance (`commissions`,
`write_fault`). All draws depend on the seed and on the ids of the material.

The *cell* of an item is a perturbation class and an intensity (LOW, MEDIUM or HIGH). Its *label*, the right behaviour,
follows from the cell: to answer at LOW, and the refusal code of the class at the others. The *lever* is the way in
which the original was changed. A *deep* item hides its flaw in several passages (see `checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TypeVar

from perturb.building.checks import find_fault
from perturb.building.generate import Declined, Reply, known_levers, read_candidate, read_reply
from perturb.building.jobs import may_fit
from perturb.catalogue.features import features_of
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import Prompts
from perturb.files.resources import digest, seed_of
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError, read_object
from perturb.records import (
    ALL_CELLS,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Job,
    Lever,
    Passage,
    PerturbationClass,
    PlantedItem,
    PlantedKind,
)
from perturb.text.matching import folded, holds_answer, words
from perturb.text.passages import Sentence, removes_answer, split_sentences, without

T = TypeVar("T")

# Short names, for the tables below.
_AMBIGUITY, _CONTRADICTION = PerturbationClass.AMBIGUITY, PerturbationClass.CONTRADICTION
_MISSING, _PREMISE = PerturbationClass.MISSING_INFO, PerturbationClass.FALSE_PREMISE
_GRANULARITY, _EPISTEMIC = PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC

_UNLIKE_CLASSES: Mapping[PerturbationClass, tuple[PerturbationClass, ...]] = {
    _AMBIGUITY: (_EPISTEMIC, _CONTRADICTION),
    _CONTRADICTION: (_EPISTEMIC, _MISSING),
    _MISSING: (_CONTRADICTION, _EPISTEMIC),
    _PREMISE: (_EPISTEMIC, _GRANULARITY),
    _GRANULARITY: (_EPISTEMIC, _CONTRADICTION),
    _EPISTEMIC: (_GRANULARITY, _AMBIGUITY),
}
"""Class → classes that are clearly wrong for its items. The label of a neighbouring class would often be right too."""
# New words by which a contradiction may remain although its rival is gone.
_DENIALS = frozenset(
    {"not", "no", "never", "cannot", "neither", "nor", "denied", "disputed", "wrongly", "false"}
)


@dataclass(frozen=True, slots=True)
class FaultMaker:
    """Makes planted faults from the candidates of one build."""

    catalogue: Catalogue
    cells: tuple[Cell, ...]
    """The cells of the build. Items are presented only under these."""
    seed: int

    def make(self, kind: PlantedKind, instance: BaseInstance, candidate: Candidate) -> PlantedItem | None:
        """An item with a fault of this kind, made from a candidate; None if the candidate does not allow it."""
        faulty = _MAKERS[kind](self, instance, candidate)
        if faulty is None:
            return None
        item_id = digest("planted", self.seed, kind, candidate.id)
        return PlantedItem(kind, instance, replace(faulty, id=item_id))

    def presented_as(
        self, cell: Cell, instance: BaseInstance, candidate: Candidate, *, lever: str | None = None
    ) -> Candidate | None:
        """The candidate under the label of a cell, by another lever than `lever`; None if there is no such lever."""
        other_levers = [entry for entry in _plain_levers(self.catalogue, cell) if entry.name != lever]
        if cell not in self.cells or not other_levers:
            return None
        # A lever that cannot fit the instance would give the fault away.
        names = _prefer_fitting(other_levers, instance)
        chosen = _pick(names, seed_of("planted lever", self.seed, candidate.id, str(cell)))
        expected = self.catalogue.expected_behavior(cell)
        return replace(candidate, cell=cell, lever=chosen, expected_behavior=expected)


def _pick(options: Sequence[T], number: int) -> T:
    """An option by a number, which may be larger than there are options: then it starts again with the first."""
    return options[number % len(options)]


def _plain_levers(catalogue: Catalogue, cell: Cell) -> list[Lever]:
    """The levers of a cell that keep the question of the original."""
    return [lever for lever in catalogue.levers_of(cell) if not lever.answer]


def _prefer_fitting(levers: list[Lever], instance: BaseInstance) -> list[str]:
    """The names of the levers that may fit an instance; all of them if none does."""
    features = features_of(instance)
    fitting = [lever for lever in levers if may_fit(lever, instance, features)]
    return [lever.name for lever in fitting or levers]


def _another_class(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate under a class that is clearly another one and that may change the same parts."""
    # At LOW, every class expects the answer, so that another class would not make the label wrong.
    if candidate.cell.intensity is Intensity.LOW:
        return None
    changed = set()
    if candidate.query != instance.query:
        changed.add("query")
    if candidate.passages != instance.passages:
        changed.add("context")
    # For a class of the user, nothing is known about its neighbours.
    wrong_classes = _UNLIKE_CLASSES.get(
        candidate.cell.perturbation_class, (_EPISTEMIC, _CONTRADICTION, _AMBIGUITY)
    )
    for wrong_class in wrong_classes:
        if changed <= maker.catalogue.classes[wrong_class].target:
            cell = Cell(wrong_class, candidate.cell.intensity)
            mislabelled = maker.presented_as(cell, instance, candidate)
            if mislabelled is not None:
                return mislabelled
    return None


def _another_behaviour(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate with the opposite claim: an answerable item as unanswerable, or the reverse."""
    kind, intensity = candidate.cell.perturbation_class, candidate.cell.intensity
    gives_answer = _holds_answer(instance, candidate.passages)
    # A premise is false at LOW too. How much harm it does is a matter of degree, so HIGH would not be clearly wrong.
    if intensity is Intensity.LOW and gives_answer and kind != _PREMISE:
        return maker.presented_as(Cell(kind, Intensity.HIGH), instance, candidate)
    if removes_answer(candidate.cell) and not gives_answer:
        return maker.presented_as(Cell(kind, Intensity.LOW), instance, candidate)
    return None


def _unperturbed(_: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The original under the label of the candidate.

    A deep item gets the context of its control, which has no flaw. Of its proof, the sentences that show the flaw, it
    keeps the sentences that are still there.
    """
    if candidate.cell.intensity is Intensity.LOW:
        return None
    if candidate.depth != "deep":
        return replace(candidate, query=instance.query, passages=instance.passages)
    control_text = "\n".join(folded(passage.text) for passage in candidate.control)
    proof = [sentence for sentence in candidate.proof if folded(sentence) in control_text]
    if not proof:
        return None  # a proof without any sentence of the item would give the fault away
    claims = {**candidate.stated, "proof": proof}
    return replace(candidate, query=instance.query, passages=candidate.control, stated=claims)


def _undone(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate without its effect: the removed answer is back elsewhere, or the rival statement is gone."""
    if candidate.query != instance.query:
        return None
    if removes_answer(candidate.cell):
        return _with_answer_back(maker, instance, candidate)
    if candidate.cell.perturbation_class == _CONTRADICTION and candidate.cell.intensity is not Intensity.LOW:
        return _without_rival(instance, candidate)
    return None


def _with_answer_back(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate with the original answer sentence at the end of another passage, or of its only passage."""
    if _holds_answer(instance, candidate.passages):
        return None
    sentence = _answer_sentence(instance)
    if sentence is None:
        return None
    # Another passage, so that a verifier must read all of them.
    passages = list(candidate.passages)
    others = [index for index in range(len(passages)) if index != sentence.passage]
    chosen = _pick(others or [sentence.passage], seed_of("place", maker.seed, candidate.id))
    longer_text = f"{passages[chosen].text.rstrip()} {sentence.text}"
    passages[chosen] = replace(passages[chosen], text=longer_text)
    return replace(candidate, passages=tuple(passages))


def _answer_sentence(instance: BaseInstance) -> Sentence | None:
    """The first sentence of the original that holds an accepted answer; None if no single sentence does."""
    for number, passage in enumerate(instance.passages):
        for sentence in split_sentences(passage.text, number):
            if holds_answer(sentence.text, *instance.answers):
                return sentence
    return None


def _without_rival(instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate without its new sentences that lack an accepted answer, if something else still differs."""
    if len(candidate.passages) != len(instance.passages) or candidate.depth == "deep":
        return None
    remaining = tuple(
        _drop_rivals(instance.answers, old, new)
        for old, new in zip(instance.passages, candidate.passages, strict=True)
    )
    if remaining == candidate.passages:
        return None  # no sentence was a rival
    # A contradiction without its rival must still differ from the original, or the fault is too easy to see.
    remaining_texts = [folded(passage.text) for passage in remaining]
    if remaining_texts == [folded(passage.text) for passage in instance.passages]:
        return None
    if not _holds_answer(instance, remaining) or _may_hold_rival(instance, remaining):
        return None
    return replace(candidate, passages=remaining)


def _drop_rivals(answers: Sequence[str], old: Passage, new: Passage) -> Passage:
    """The new passage without its rivals, which are the new sentences that lack an accepted answer."""
    old_sentences = {folded(sentence.text) for sentence in split_sentences(old.text)}
    rivals = [
        sentence
        for sentence in split_sentences(new.text)
        if folded(sentence.text) not in old_sentences and not holds_answer(sentence.text, *answers)
    ]
    return replace(new, text=without(new.text, rivals))


def _may_hold_rival(instance: BaseInstance, passages: Sequence[Passage]) -> bool:
    """Whether a rival may remain: a new name, figure or denial, or the answer in more sentences than before."""
    new_words = {word for passage in passages for word in words(passage.text)} - set(words(instance.context))
    has_name_or_figure = any(word[0].isupper() or word[0].isdecimal() for word in new_words)
    if has_name_or_figure or new_words & _DENIALS:
        return True
    return _count_answers(instance, passages) > _count_answers(instance, instance.passages)


def _count_answers(instance: BaseInstance, passages: Sequence[Passage]) -> int:
    """How many sentences hold an accepted answer."""
    sentences = (sentence for passage in passages for sentence in split_sentences(passage.text))
    return sum(holds_answer(sentence.text, *instance.answers) for sentence in sentences)


def _holds_answer(instance: BaseInstance, passages: Sequence[Passage]) -> bool:
    """Whether a passage holds an accepted answer."""
    return any(holds_answer(passage.text, *instance.answers) for passage in passages)


def _another_lever(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate under another lever of its cell, which leaves the label right."""
    return maker.presented_as(candidate.cell, instance, candidate, lever=candidate.lever)


def _another_degree(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """A candidate of MEDIUM under HIGH. Both have the same ground truth, so the label stays right."""
    if candidate.cell.intensity is not Intensity.MEDIUM:
        return None
    high = Cell(candidate.cell.perturbation_class, Intensity.HIGH)
    return maker.presented_as(high, instance, candidate)


_Maker = Callable[[FaultMaker, BaseInstance, Candidate], Candidate | None]
# Kind of a mechanical fault -> the function that makes it. The docstrings of the functions say what each kind is.
_MAKERS: Mapping[PlantedKind, _Maker] = {
    "class": _another_class,
    "behaviour": _another_behaviour,
    "nothing": _unperturbed,
    "undone": _undone,
    "lever": _another_lever,
    "degree": _another_degree,
}


def _refused(perturbation_class: PerturbationClass) -> tuple[Cell, ...]:
    """The cells of a class that call for a refusal."""
    return tuple(Cell(perturbation_class, intensity) for intensity in (Intensity.MEDIUM, Intensity.HIGH))


WAYS: Mapping[str, tuple[Cell, ...]] = {
    # The answer seems to be gone, but other words give it.
    "paraphrase": _refused(_MISSING),
    # Two statements seem to clash, but they speak of different things.
    "no_clash": _refused(_CONTRADICTION),
    # The flaw seems harmless, but a detail changes the right answer.
    "shifted_answer": tuple(cell for cell in ALL_CELLS if cell.intensity is Intensity.LOW),
    # The premise sounds false, but the text supports it.
    "supported_premise": _refused(_PREMISE),
    # Two statements seem to clash, but they say the same in different forms.
    "agreeing_rival": _refused(_CONTRADICTION),
    # The question seems ambiguous, but the text settles which reading is meant.
    "settled_reading": _refused(_AMBIGUITY),
    # The text seems to lack the level of detail that the question asks for, but it has it.
    "given_level": _refused(_GRANULARITY),
    # The question seems to ask for an opinion, but the text makes it a question of fact.
    "factual": _refused(_EPISTEMIC),
}
"""A way to be wrong → the cells whose items can be wrong in that way.

Each way has an instruction in `templates/plant/ways/`.
"""

ATTEMPTS = 4
"""How many base instances, on average, may be tried for each item."""

# How many levers a commission offers, as many as a job under `lever_choice: covering`.
_LEVERS_OFFERED = 3
# The most sentences of a proof.
_MAX_PROOF = 8


@dataclass(frozen=True, slots=True)
class Commission:
    """An item that a generator is asked to write."""

    id: str
    instance: BaseInstance
    cell: Cell
    way: str
    """One of `WAYS`."""
    levers: tuple[str, ...]
    writer: str


def commissions(
    catalogue: Catalogue,
    instances: Sequence[BaseInstance],
    cells: Sequence[Cell],
    writers: Sequence[str],
    seed: int,
) -> Iterator[Commission]:
    """Yield commissions without end: ways and writers take turns, and the seed draws the order of base instances."""
    cells_of_way = {way: [cell for cell in WAYS[way] if cell in cells] for way in WAYS}
    ways = [way for way in WAYS if cells_of_way[way]]
    order = sorted(instances, key=lambda instance: seed_of("written", seed, instance.id, instance.query))
    if not ways or not order or not writers:
        return
    for number in count():
        way, instance = _pick(ways, number), _pick(order, number)
        cell = _pick(cells_of_way[way], seed_of("written cell", seed, number))
        levers = _prefer_fitting(_plain_levers(catalogue, cell), instance)
        shuffled = sorted(levers, key=lambda name: (seed_of("written lever", seed, number, name), name))
        yield Commission(
            id=digest("written", seed, number, instance.id, instance.query, str(cell), way),
            instance=instance,
            cell=cell,
            way=way,
            levers=tuple(shuffled[:_LEVERS_OFFERED]),
            # The writer changes after all ways, so that each writer gets every way.
            writer=_pick(writers, number // len(ways)),
        )


async def write_fault(client: ModelClient, prompts: Prompts, commission: Commission) -> PlantedItem | None:
    """Let a generator write an item; None if it declines or fails, or if a machine check catches the item.

    Raises `BudgetSpent` if the call could overspend.
    """
    catalogue, instance, cell = prompts.catalogue, commission.instance, commission.cell
    levers = known_levers(catalogue, commission.levers)
    query_only = catalogue.classes[cell.perturbation_class].query_only
    answer = await client.ask(
        commission.writer,
        prompts.planted_fault(cell, instance, levers, commission.way),
        partial(read_written, instance=instance, query_only=query_only),
        purpose="plant",
        subject=commission.id,
    )
    if answer.value is None:
        return None
    reply, proof = answer.value
    if isinstance(reply, Declined):
        return None
    job = Job(commission.id, instance.id, cell, commission.writer, replicate=0, round="")
    candidate = read_candidate(catalogue, job, instance, reply)
    # A fault that a machine check catches would never reach the panel in a real candidate.
    if find_fault(catalogue, instance, candidate, commission.levers) is not None:
        return None
    return PlantedItem("written", instance, candidate, proof, commission.way)


def read_written(
    text: str, *, instance: BaseInstance, query_only: bool
) -> tuple[Reply | Declined, tuple[str, ...]]:
    """A writer's reply and the sentences of the item that prove its fault. Raises `ReplyError` if they are unusable."""
    reply = read_reply(text, len(instance.passages), query_only=query_only)
    if isinstance(reply, Declined):
        return reply, ()
    proof = read_object(text, frozenset({"proof"}))["proof"]
    # Models write a single sentence without the list.
    if isinstance(proof, str):
        proof = [proof]
    if not isinstance(proof, list) or not 0 < len(proof) <= _MAX_PROOF:
        raise ReplyError(f"field 'proof' must be a list of 1 to {_MAX_PROOF} sentences of the item")
    passages = {number: passage.text for number, passage in enumerate(instance.passages, start=1)}
    passages |= reply.texts  # the reply has only the changed passages
    texts = [folded(text) for text in (reply.query, *passages.values())]
    for sentence in proof:
        quoted = folded(sentence) if isinstance(sentence, str) else ""
        if not quoted or not any(quoted in text for text in texts):
            raise ReplyError(
                f"field 'proof': {str(sentence)[:80]!r} does not stand in the item: copy it exactly"
            )
    return reply, tuple(proof)
