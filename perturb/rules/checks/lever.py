"""Stub."""

from __future__ import annotations

from perturb.rules.checks.items import Item
from perturb.rules.checks.verdicts import NO_OPINION, RuleVerdict


def check_lever(item: Item) -> RuleVerdict:  # noqa: ARG001
    """Pass."""
    return NO_OPINION
