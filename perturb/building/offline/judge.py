"""A panel of rule-based verifiers that read the finished item and nothing else.

They share no code with the rules that generate, so that a slip in the analysis of an instance is not repeated here.
Where a verifier has no test for an item it abstains, and for a class on which it never has one it is absent.
Agreement between these rules and the generating rules does not validate either.
"""

from __future__ import annotations

from collections.abc import Mapping

from perturb.building.offline.answer_state import check_answer_state
from perturb.building.offline.checked_item import (
    NO_OPINION,
    Check,
    CheckedItem,
    RuleVerdict,
    check_target_diff,
    checked_item,
)
from perturb.building.offline.contradiction import check_contradiction
from perturb.building.offline.fluency import check_fluency
from perturb.building.offline.leftovers import check_leftovers
from perturb.errors import ConfigError
from perturb.records import BaseInstance, Candidate, PerturbationClass, Target

__all__ = [
    "CHECKS",
    "CHECK_VERSION",
    "CLASSES_JUDGED",
    "Check",
    "CheckedItem",
    "RuleVerdict",
    "judge_by_rule",
]

CHECK_VERSION = "9e601c323445c3b8"
"""Enters the id of every vote by a rule. Change it whenever a check decides differently."""

CHECKS: Mapping[str, Check] = {
    "target-diff": check_target_diff,
    "answer-state": check_answer_state,
    "contradiction": check_contradiction,
    "leftovers": check_leftovers,
    "fluency": check_fluency,
}
"""Name -> verifier, in the order in which they are asked."""

CLASSES_JUDGED: Mapping[str, frozenset[PerturbationClass]] = {
    "contradiction": frozenset(
        {PerturbationClass.CONTRADICTION, PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC}
    ),
}
"""Name -> the classes on which a verifier may have an opinion, for those that have none on others."""


def judge_by_rule(
    check: str, original: BaseInstance, candidate: Candidate, target: frozenset[Target]
) -> RuleVerdict:
    """Ask the verifier called `check` about one item.

    `target` holds what the item's class may change. None has an opinion on texts that are too long, or no prose: see
    `perturb.text.matching`. Raises `ConfigError` if there is no such verifier.
    """
    if check not in CHECKS:
        known = ", ".join(CHECKS)
        raise ConfigError(f"there is no rule verifier '{check}': choose one of {known}")
    item = checked_item(original, candidate, target)
    return NO_OPINION if item.beyond_reading else CHECKS[check](item)
