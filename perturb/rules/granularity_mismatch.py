"""Rules of P-GranularityMismatch."""

from __future__ import annotations

from perturb.rules import granularity_mismatch_high, granularity_mismatch_low, granularity_mismatch_medium
from perturb.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *granularity_mismatch_low.RULES,
    *granularity_mismatch_medium.RULES,
    *granularity_mismatch_high.RULES,
)
