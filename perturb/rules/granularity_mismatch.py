"""Rules of P-GranularityMismatch."""

from __future__ import annotations

from perturb.rules import granularity_mismatch_low, granularity_mismatch_refusals
from perturb.rules.rule import Rule

RULES: tuple[Rule, ...] = (*granularity_mismatch_low.RULES, *granularity_mismatch_refusals.RULES)
