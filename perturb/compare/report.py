"""Two rounds side by side, as one object for tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from perturb.compare.freshness import Freshness, measure_freshness
from perturb.compare.items import ComparedSet, read_set
from perturb.compare.scores import RankAgreement, ScoreChange, compare_scores, read_scores
from perturb.compare.shift import Shift, measure_shift


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the newer round repeats of the older one, and how the two differ."""

    old: ComparedSet
    new: ComparedSet
    freshness: Freshness
    shifts: Mapping[str, Shift]
    score_changes: tuple[ScoreChange, ...] = ()
    rankings: tuple[RankAgreement, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; shares are of the newer round's items."""
        fresh = self.freshness
        return {
            "old": _described(self.old),
            "new": _described(self.new),
            "freshness": {
                "items": fresh.items,
                **{
                    name: {"items": number, "share": number / fresh.items}
                    for name, number in (
                        ("exact", fresh.exact),
                        ("near_duplicate", fresh.near),
                        ("same_base_and_lever", fresh.same_base_and_lever),
                        ("same_base", fresh.same_base),
                    )
                },
                "by_lever": _overlaps(fresh.by_lever),
                "by_cell": _overlaps(fresh.by_cell),
                "pairs": [
                    {"new": new, "old": match.id, **_rest(asdict(match))} for new, match in fresh.pairs
                ],
            },
            "drift": {name: asdict(shift) for name, shift in self.shifts.items()},
            "scores": [asdict(change) for change in self.score_changes],
            "rankings": [asdict(ranking) for ranking in self.rankings],
        }


def compare(old: str | Path, new: str | Path, scores: tuple[Path, Path] | None = None) -> Comparison:
    """Compare a newer round with an older one; `scores` are evaluations of both, older first.

    Raises `SnapshotError` or `SourceError` if anything cannot be read.
    """
    before, after = read_set(old), read_set(new)
    changes, rankings = compare_scores(*map(read_scores, scores)) if scores else ([], [])
    return Comparison(
        before,
        after,
        measure_freshness(before.items, after.items),
        measure_shift(before.items, after.items),
        tuple(changes),
        tuple(rankings),
    )


def _described(one: ComparedSet) -> dict[str, Any]:
    return {"set": one.name, "round": one.round, "items": len(one.items)}


def _overlaps(tally: Mapping[str, tuple[int, int, int]]) -> list[dict[str, Any]]:
    return [
        {"name": name, "items": items, "near_duplicate": near, "same_base_and_lever": again}
        for name, (items, near, again) in tally.items()
    ]


def _rest(match: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in match.items() if name != "id"}
