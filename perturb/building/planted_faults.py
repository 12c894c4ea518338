"""Items whose labels are known to be wrong, made by rule from candidates of the round.

Each maker takes a candidate and returns what verifiers are to be shown, or None if it cannot turn this one. All draws
depend on the candidate's id and the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from perturb.building.jobs import may_fit
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest, seed_of
from perturb.records import (
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
    PlantedItem,
    PlantedKind,
)
from perturb.text.matching import folded, holds_answer, words
from perturb.text.passages import removes_answer, split_sentences, without

_ORDER: tuple[PlantedKind, ...] = (
    "class",
    "behaviour",
    "undone",
    "nothing",
    "class",
    "behaviour",
    "undone",
    "lever",
    "class",
    "behaviour",
    "nothing",
    "degree",
)
"""Of twelve faults, ten make the label wrong. A lever and a degree may be wrong where the label is right."""

_AMBIGUITY, _CONTRADICTION = PerturbationClass.AMBIGUITY, PerturbationClass.CONTRADICTION
_MISSING, _PREMISE = PerturbationClass.MISSING_INFO, PerturbationClass.FALSE_PREMISE
_GRANULARITY, _EPISTEMIC = PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC

_FAR_CLASSES: Mapping[PerturbationClass, tuple[PerturbationClass, ...]] = {
    _AMBIGUITY: (_EPISTEMIC, _CONTRADICTION),
    _CONTRADICTION: (_EPISTEMIC, _MISSING),
    _MISSING: (_CONTRADICTION, _EPISTEMIC),
    _PREMISE: (_EPISTEMIC, _GRANULARITY),
    _GRANULARITY: (_EPISTEMIC, _CONTRADICTION),
    _EPISTEMIC: (_GRANULARITY, _AMBIGUITY),
}
"""Classes whose code no reader would give to an item of the class: some others share items at their edges."""


_DENIALS = frozenset(
    {"not", "no", "never", "cannot", "neither", "nor", "denied", "disputed", "wrongly", "false"}
)


@dataclass(frozen=True, slots=True)
class FaultMaker:
    """Makes planted faults from the candidates of one build."""

    catalogue: Catalogue
    cells: tuple[Cell, ...]
    """The cells in play: no item claims another one."""
    seed: int

    def make(self, kind: PlantedKind, instance: BaseInstance, candidate: Candidate) -> PlantedItem | None:
        """An item with a fault of this kind, from a candidate; None if the candidate does not lend itself to it."""
        shown = _MAKERS[kind](self, instance, candidate)
        if shown is None:
            return None
        name = digest("planted", self.seed, kind, candidate.id)
        return PlantedItem(kind, instance, replace(shown, id=name))

    def presented_as(
        self, cell: Cell, instance: BaseInstance, candidate: Candidate, *, lever: str | None = None
    ) -> Candidate | None:
        """The candidate under the label of a cell, by a lever that the instance may offer."""
        levers = [one.name for one in self.catalogue.levers_of(cell) if not one.answer and one.name != lever]
        fitting = [name for name in levers if may_fit(self.catalogue, name, instance)] or levers
        if cell not in self.cells or not fitting:
            return None
        chosen = fitting[seed_of("planted lever", self.seed, candidate.id, str(cell)) % len(fitting)]
        expected = self.catalogue.expected_behavior(cell)
        return replace(candidate, cell=cell, lever=chosen, expected_behavior=expected)


def kinds_in_turn(number: int) -> Iterator[PlantedKind]:
    """The kinds of so many planted faults.

    >>> list(kinds_in_turn(3))
    ['class', 'behaviour', 'undone']
    """
    return islice(cycle(_ORDER), number)


def _another_class(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate under a class far from its own that may change the same parts."""
    if candidate.cell.intensity is Intensity.LOW:
        return None
    changed = {
        *(["query"] if candidate.query != instance.query else []),
        *(["context"] if candidate.passages != instance.passages else []),
    }
    others = _FAR_CLASSES.get(candidate.cell.perturbation_class, (_EPISTEMIC, _CONTRADICTION, _AMBIGUITY))
    for other in others:
        if changed <= maker.catalogue.classes[other].target:
            shown = maker.presented_as(Cell(other, candidate.cell.intensity), instance, candidate)
            if shown is not None:
                return shown
    return None


def _another_behaviour(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """An item without its answer that claims to be answerable, or an answerable one that claims to be none."""
    kind, intensity = candidate.cell.perturbation_class, candidate.cell.intensity
    stands = _stands(instance, candidate.passages)
    # A false premise is false at LOW too: whether it does harm is a matter of degree.
    if intensity is Intensity.LOW and stands and kind != _PREMISE:
        return maker.presented_as(Cell(kind, Intensity.HIGH), instance, candidate)
    if removes_answer(candidate.cell) and not stands:
        return maker.presented_as(Cell(kind, Intensity.LOW), instance, candidate)
    return None


def _unperturbed(_: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The original, which is said to be perturbed; of a deep item, its context without the flaw."""
    if candidate.cell.intensity is Intensity.LOW:
        return None
    if candidate.depth != "deep":
        return replace(candidate, query=instance.query, passages=instance.passages)
    shown = "\n".join(folded(passage.text) for passage in candidate.control)
    proof = [sentence for sentence in candidate.proof if folded(sentence) in shown]
    if not proof:  # a proof that is not there would give the item away
        return None
    stated = {**candidate.stated, "proof": proof}
    return replace(candidate, query=instance.query, passages=candidate.control, stated=stated)


def _undone(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """A removed answer put back elsewhere, or a contradiction without its rival."""
    if candidate.query != instance.query:
        return None
    if removes_answer(candidate.cell):
        return _with_answer_back(maker, instance, candidate)
    if candidate.cell.perturbation_class == _CONTRADICTION and candidate.cell.intensity is not Intensity.LOW:
        return _without_rival(instance, candidate)
    return None


def _with_answer_back(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The sentence that gave the answer has been moved: to another passage, or to the end of the only one."""
    if _stands(instance, candidate.passages):
        return None
    for number, passage in enumerate(instance.passages):
        for sentence in split_sentences(passage.text, number):
            if holds_answer(sentence.text, *instance.answers):
                places = [place for place in range(len(candidate.passages)) if place != number] or [number]
                place = places[seed_of("place", maker.seed, candidate.id) % len(places)]
                return replace(candidate, passages=_with_last(candidate.passages, place, sentence.text))
    return None


def _with_last(passages: Sequence[Passage], place: int, sentence: str) -> tuple[Passage, ...]:
    longer = replace(passages[place], text=f"{passages[place].text.rstrip()} {sentence}")
    return (*passages[:place], longer, *passages[place + 1 :])


def _without_rival(instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    """The candidate without the last new sentence that lacks an accepted answer, if the rest still differs."""
    passages = list(candidate.passages)
    if len(passages) != len(instance.passages) or candidate.depth == "deep":
        return None
    for number, (old, new) in enumerate(zip(instance.passages, candidate.passages, strict=True)):
        before = {folded(one.text) for one in split_sentences(old.text)}
        rivals = [
            one
            for one in split_sentences(new.text)
            if folded(one.text) not in before and not holds_answer(one.text, *instance.answers)
        ]
        passages[number] = replace(new, text=without(new.text, rivals))
    left = tuple(passages)
    same = all(folded(a.text) == folded(b.text) for a, b in zip(left, instance.passages, strict=True))
    if same or left == candidate.passages or not _stands(instance, left) or _says_more(instance, left):
        return None
    return replace(candidate, passages=left)


def _says_more(instance: BaseInstance, passages: Sequence[Passage]) -> bool:
    """Whether a rival may be left: a name, a figure or a denial that the original lacks, or the answer once more."""
    before = set(words(instance.context))
    new = {word for passage in passages for word in words(passage.text)} - before
    names = any(word[0].isupper() or word[0].isdecimal() for word in new)
    return bool(
        names or new & _DENIALS or _times_told(instance, passages) > _times_told(instance, instance.passages)
    )


def _times_told(instance: BaseInstance, passages: Sequence[Passage]) -> int:
    """How many sentences hold an accepted answer."""
    sentences = (one for passage in passages for one in split_sentences(passage.text))
    return sum(holds_answer(one.text, *instance.answers) for one in sentences)


def _stands(instance: BaseInstance, passages: Sequence[Passage]) -> bool:
    return any(holds_answer(passage.text, *instance.answers) for passage in passages)


def _another_lever(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    return maker.presented_as(candidate.cell, instance, candidate, lever=candidate.lever)


def _another_degree(maker: FaultMaker, instance: BaseInstance, candidate: Candidate) -> Candidate | None:
    if candidate.cell.intensity is not Intensity.MEDIUM:
        return None
    high = Cell(candidate.cell.perturbation_class, Intensity.HIGH)
    return maker.presented_as(high, instance, candidate)


_Maker = Callable[[FaultMaker, BaseInstance, Candidate], Candidate | None]

_MAKERS: Mapping[PlantedKind, _Maker] = {
    "class": _another_class,
    "behaviour": _another_behaviour,
    "nothing": _unperturbed,
    "undone": _undone,
    "lever": _another_lever,
    "degree": _another_degree,
}
