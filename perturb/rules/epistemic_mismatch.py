"""Rules of P-EpistemicMismatch."""

from __future__ import annotations

from perturb.rules import epistemic_mismatch_high, epistemic_mismatch_low, epistemic_mismatch_medium
from perturb.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *epistemic_mismatch_low.RULES,
    *epistemic_mismatch_medium.RULES,
    *epistemic_mismatch_high.RULES,
)
