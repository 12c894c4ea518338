"""Lever fidelity: one small test for each lever that leaves a trace in the finished text."""

from __future__ import annotations

from perturb.rules.checks.checked_item import CheckedItem
from perturb.rules.checks.lever_signs import LEVER_TESTS
from perturb.rules.checks.verdicts import NO_OPINION, RuleVerdict, verdict


def check_lever(item: CheckedItem) -> RuleVerdict:
    """Judge `lever_fidelity` where there is a test for the lever, and leave it out where there is none."""
    test = LEVER_TESTS.get(item.candidate.lever)
    if test is None:
        return NO_OPINION
    shows = test(item)
    against = [] if shows else [f"The text does not show the lever '{item.candidate.lever}'."]
    return verdict(item, {"lever_fidelity": against})
