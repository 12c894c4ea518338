"""Compares two rounds: how fresh the newer one is, and what has shifted."""

from perturb.compare.freshness import Freshness, FreshnessIndex, Match, measure_freshness
from perturb.compare.items import ComparedSet, RoundItem, read_set
from perturb.compare.report import Comparison, compare

__all__ = [
    "ComparedSet",
    "Comparison",
    "Freshness",
    "FreshnessIndex",
    "Match",
    "RoundItem",
    "compare",
    "measure_freshness",
    "read_set",
]
