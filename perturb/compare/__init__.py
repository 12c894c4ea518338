"""Compares two rounds: how fresh the newer one is, and what has shifted."""

from perturb.compare.freshness import Freshness, FreshnessIndex, Match, measure_freshness
from perturb.compare.round_comparison import RoundComparison, compare
from perturb.compare.round_items import ComparedSet, RoundItem, read_set

__all__ = [
    "ComparedSet",
    "Freshness",
    "FreshnessIndex",
    "Match",
    "RoundComparison",
    "RoundItem",
    "compare",
    "measure_freshness",
    "read_set",
]
