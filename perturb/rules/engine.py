"""The offline engine: picks a rule of the cell that fits the instance, applies it and checks the result."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from perturb.digests import digest
from perturb.prose import beyond_reading
from perturb.records import BaseInstance, Cell, Passage
from perturb.rules import (
    ambiguity,
    contradiction,
    epistemic_mismatch,
    false_premise,
    granularity_mismatch,
    missing_info,
)
from perturb.rules.analyse import Analysis, analyse
from perturb.rules.quality import SWITCHED_OFF
from perturb.rules.rule import Draft, Rule
from perturb.rules.several import signal_part, undone_by, with_noise
from perturb.rules.values import dice

_ALL_RULES: tuple[Rule, ...] = (
    *ambiguity.RULES,
    *contradiction.RULES,
    *missing_info.RULES,
    *false_premise.RULES,
    *granularity_mismatch.RULES,
    *epistemic_mismatch.RULES,
)
_RULES: tuple[Rule, ...] = tuple(rule for rule in _ALL_RULES if rule.lever not in SWITCHED_OFF)
_COMMON = frozenset(
    {
        "Dominant-sense Polysemy",
        "Sluiced-Wh Ambiguity",
        "Ambiguous 'Respectively' Mapping",
        "Peripheral Attribute Clash",
        "Parenthetical Excise",
        "Placeholder Citation",
        "Entirely Irrelevant Context",
        "Non-existent Committee",
    }
)
"""Levers that fit far more instances than the others of their cell: mostly tried last, so that it is not all theirs."""
_YIELDING = 0.8
"""Share of the draws in which they are."""


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


def covered_levers() -> tuple[Rule, ...]:
    """Every rule that is in use, in the order of the taxonomy."""
    return _RULES


def perturb_by_rule(
    instance: BaseInstance, cell: Cell, lever: str | None, seed: int
) -> RuleCandidate | Abstention:
    """Perturb an instance for a cell, by the lever named or by one the seed draws among those that fit.

    An exception is a fault of the engine; the note that it carries names the lever of the rule.
    """
    rules = [rule for rule in _of_cell(_RULES, cell) if lever in (None, rule.lever)]
    if not rules:
        return Abstention(
            f"no rule for {cell}" if lever is None else f"no rule for the lever {lever!r} in {cell}"
        )
    if unread := beyond_reading(instance.query, instance.passages):
        return Abstention(unread)
    analysis = _analysed(signal_part(instance))
    if analysis.reasons:
        return Abstention("; ".join(analysis.reasons))
    order = dice("order", seed)
    order.shuffle(rules)
    if order.random() < _YIELDING:
        rules.sort(key=lambda rule: rule.lever in _COMMON)
    failures: list[str] = []
    for rule in rules:
        try:
            result = _apply(rule, instance, analysis, seed)
        except Exception as error:
            error.add_note(f"rule '{rule.lever}'")
            raise
        if isinstance(result, RuleCandidate):
            return result
        if result is not None:
            failures.append(f"{rule.lever}: {result}")
    return Abstention("; ".join(failures) or f"no precondition of {cell} holds")


def _apply(rule: Rule, instance: BaseInstance, analysis: Analysis, seed: int) -> RuleCandidate | str | None:
    """What the rule makes of the instance, or why nothing; None if it does not apply."""
    if not rule.applies(analysis):
        return None
    draft = rule.apply(analysis, dice(rule.lever, seed))
    if draft is None:
        return "abstained"
    problem = _problem(analysis, rule, draft)
    if problem is None and len(instance.passages) > 1:
        problem = undone_by(instance, rule.cell, analysis, draft)
    if problem is not None:
        return problem
    return RuleCandidate(rule.lever, draft.query, with_noise(instance, draft.passages), draft.reasoning)


def _of_cell(rules: tuple[Rule, ...], cell: Cell) -> list[Rule]:
    kind, intensity = cell.perturbation_class, cell.intensity
    return [r for r in rules if r.cell.perturbation_class is kind and r.cell.intensity is intensity]


def _problem(analysis: Analysis, rule: Rule, draft: Draft) -> str | None:
    instance = analysis.instance
    if len(draft.passages) != len(instance.passages):
        return "the number of passages changed"
    if not all(passage.text.strip() for passage in draft.passages):
        return "nothing would be left of a passage"
    if draft.query == instance.query and draft.passages == instance.passages:
        return "nothing changed"
    return rule.postcondition(analysis, draft)


@lru_cache(maxsize=1)
def rule_version() -> str:
    """Digest of the sources that make items: a changed rule makes new jobs.

    The verifiers in `checks` have a version of their own, and what was measured by reading makes no item.
    """
    room = Path(__file__).parent
    files = [
        *sorted(path for path in room.glob("*.py") if path.name != "measured.py"),
        room.parent / "prose.py",
    ]
    return digest(*((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files))


_Key = tuple[str, str, tuple[str, ...], tuple[Passage, ...]]
_CACHE: OrderedDict[_Key, Analysis] = OrderedDict()
_CACHE_SIZE = 32


def _analysed(instance: BaseInstance) -> Analysis:
    """The analysis of an instance, kept for the next cells of the same one."""
    key = (instance.id, instance.query, instance.answers, instance.passages)
    analysis = _CACHE.get(key)
    if analysis is None:
        analysis = _CACHE[key] = analyse(instance)
        if len(_CACHE) > _CACHE_SIZE:
            _CACHE.popitem(last=False)
    return analysis
