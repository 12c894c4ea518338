"""What a rule-based verifier answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from perturb.rules.checks.checked_item import CheckedItem


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """One rule-based verifier's opinion on one finished item."""

    passed: bool | None
    """None where it has no opinion."""
    checks: Mapping[str, bool] = field(default_factory=dict)
    """The checks of `records.CHECK_NAMES` that this verifier judged."""
    predicted_behavior: str | None = None
    """The behaviour it expects of a careful reader, where it can tell."""
    issues: tuple[str, ...] = ()
    """Plain sentences, one for each thing that is wrong."""


Check = Callable[[CheckedItem], RuleVerdict]
"""A verifier: reads an item, never the analysis of whoever made it."""

NO_OPINION = RuleVerdict(passed=None)
"""The verdict on an item that a verifier has nothing to say about."""


def verdict(
    item: CheckedItem, findings: Mapping[str, list[str]], predicted: str | None = None
) -> RuleVerdict:
    """Make a verdict of the findings: check name -> the sentences that speak against it.

    A check with no sentence against it holds. `predicted`, where given, is judged against the behaviour the
    item expects.
    """
    checks = {name: not against for name, against in findings.items()}
    issues = [sentence for against in findings.values() for sentence in against]
    if predicted is not None:
        checks["predicted_behavior"] = predicted == item.candidate.expected_behavior
        if not checks["predicted_behavior"] and not issues:
            issues.append(f"A careful reader would do {predicted}, not {item.candidate.expected_behavior}.")
    return RuleVerdict(all(checks.values()), checks, predicted, tuple(issues)) if checks else NO_OPINION
