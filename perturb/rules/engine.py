"""The offline engine: picks a lever of the cell whose rule fits the instance, applies it and checks the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perturb.catalogue import Catalogue
from perturb.features import Need
from perturb.passages import removes_answer
from perturb.prose import beyond_reading
from perturb.records import BaseInstance, Cell, Intensity, Lever, Passage
from perturb.rules.facts import Facts, facts_of
from perturb.rules.gaps import Filling
from perturb.rules.operators import OPERATIONS, Draft
from perturb.rules.several import undone_by, with_noise
from perturb.rules.words import dice, has_word

RULE_VERSION = "945b3eedcc6b018a"
"""Enters the id of every rule job. Change it whenever a rule makes other items; a move or a comment must not."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """The engine has nothing sound to offer for this instance and cell."""

    reason: str


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A perturbed instance as a rule made it."""

    lever: str
    query: str
    passages: tuple[Passage, ...]
    reasoning: str


def perturb_by_rule(
    catalogue: Catalogue,
    instance: BaseInstance,
    cell: Cell,
    lever: str | None,
    seed: int,
    donors: Sequence[BaseInstance] = (),
) -> RuleCandidate | Abstention:
    """Perturb an instance for a cell, by the lever named or by one the seed draws among those that fit.

    `donors` are other instances of the base set, from which rivals and passages may be taken. An exception is a fault
    of the engine; the note that it carries names the lever.
    """
    levers = [one for one in catalogue.levers_of(cell) if one.rule and lever in (None, one.name)]
    if not levers:
        return Abstention(
            f"no rule for {cell}" if lever is None else f"no rule for the lever {lever!r} in {cell}"
        )
    if unread := beyond_reading(instance.query, instance.passages):
        return Abstention(unread)
    facts = facts_of(instance)
    if facts.unfit is not None:
        return Abstention(facts.unfit)
    dice("order", seed).shuffle(levers)
    failures: list[str] = []
    for one in levers:
        try:
            result = _apply(one, instance, facts, seed, donors)
        except Exception as error:
            error.add_note(f"rule '{one.name}'")
            raise
        if isinstance(result, RuleCandidate):
            return result
        if result is not None:
            failures.append(f"{one.name}: {result}")
    return Abstention("; ".join(failures) or f"no rule of {cell} fits")


def _apply(
    lever: Lever, instance: BaseInstance, facts: Facts, seed: int, donors: Sequence[BaseInstance]
) -> RuleCandidate | str | None:
    """What the lever's rule makes of the instance, or why nothing; None if it does not fit."""
    rule = lever.rule
    if rule is None or not all(Need.read(need).holds(facts.features) for need in (*lever.needs, *rule.needs)):
        return None
    filling = Filling(facts, donors, (lever.name, seed))
    problem: str | None = None
    for draft in OPERATIONS[rule.do](rule, filling):
        problem = _broken(facts, lever.cell, draft)
        if problem is None and len(instance.passages) > 1:
            problem = undone_by(instance, lever.cell, facts, draft.query, draft.passages)
        if problem is None:
            why = filling.fill((rule.why,)) or rule.why
            source = f" Taken from {', '.join(sorted(filling.used))}." if filling.used else ""
            return RuleCandidate(lever.name, draft.query, with_noise(instance, draft.passages), why + source)
    return problem


def _broken(facts: Facts, cell: Cell, draft: Draft) -> str | None:
    """The promise that a draft of the cell does not keep, in one line."""
    old = facts.instance
    if not all(passage.text.strip() for passage in draft.passages):
        return "nothing would be left of a passage"
    if (draft.query, draft.passages) == (old.query, facts.passages):
        return "nothing changed"
    answers = {one.text for one in facts.mentions}
    if (
        draft.query != old.query
        and any(has_word(draft.query, one) for one in answers)
        and cell.intensity is Intensity.LOW
    ):
        return "the question gives the answer away"
    if not removes_answer(cell) and not any(has_word(one.text, facts.answer) for one in draft.passages):
        return "the answer is gone"
    return None
