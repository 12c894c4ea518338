"""Rules of P-FalsePremise: they change the question alone."""

from __future__ import annotations

from perturb.rules import false_premise_high, false_premise_low, false_premise_medium
from perturb.rules.rule import Rule

RULES: tuple[Rule, ...] = (*false_premise_low.RULES, *false_premise_medium.RULES, *false_premise_high.RULES)
