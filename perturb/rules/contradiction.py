"""Rules of P-Contradiction."""

from __future__ import annotations

from perturb.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
