"""Two rounds side by side, as one object for tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.compare.freshness import Freshness, Overlap, measure_freshness
from perturb.compare.round_items import ComparedSet, read_set
from perturb.compare.score_changes import (
    RankAgreement,
    ScoreChange,
    Scores,
    compare_scores,
    evaluated_ids,
    read_scores,
)
from perturb.compare.shift import Shift, measure_shift
from perturb.errors import SourceError
from perturb.metrics.estimates import plain_value


@dataclass(frozen=True, slots=True)
class RoundComparison:
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
                    {"new": new, "old": match.id, "similarity": match.similarity, "exact": match.exact}
                    for new, match in fresh.pairs
                ],
            },
            "drift": plain_value(self.shifts),
            "scores": plain_value(self.score_changes),
            "rankings": plain_value(self.rankings),
        }


def compare(old: str | Path, new: str | Path, scores: tuple[Path, Path] | None = None) -> RoundComparison:
    """Compare a newer round with an older one; `scores` are evaluations of both, older first.

    Raises `SnapshotError` or `SourceError` if anything cannot be read.
    """
    before, after = read_set(old), read_set(new)
    changes, rankings = compare_scores(*_read_both(scores, (before, after))) if scores else ([], [])
    return RoundComparison(
        before,
        after,
        measure_freshness(before.items, after.items),
        measure_shift(before.items, after.items),
        tuple(changes),
        tuple(rankings),
    )


def _read_both(paths: tuple[Path, Path], rounds: tuple[ComparedSet, ComparedSet]) -> tuple[Scores, Scores]:
    """The scores on each round. Raises `SourceError` where an evaluation is not of the round it is given for."""
    for path, one, other in zip(paths, rounds, reversed(rounds), strict=True):
        ids, own = evaluated_ids(path), {item.id for item in one.items}
        foreign = (ids - own) & {item.id for item in other.items}
        if foreign or (ids and ids.isdisjoint(own)):
            raise SourceError(
                f"{path}: is not an evaluation of {one.name}, which has no item '{min(foreign or ids)[:80]}': give"
                " --scores the evaluation of the older round, then that of the newer one"
            )
    old, new = paths
    if old.resolve() == new.resolve() and rounds[0].items != rounds[1].items:
        raise SourceError(f"{old}: the same scores are given for two rounds: give --scores one for each")
    return read_scores(old), read_scores(new)


def _described(one: ComparedSet) -> dict[str, Any]:
    return {"set": one.name, "round": one.round, "items": len(one.items)}


def _overlaps(tally: Mapping[str, Overlap]) -> list[dict[str, Any]]:
    return [{"name": name, **one._asdict()} for name, one in tally.items()]
