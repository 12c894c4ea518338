"""Near duplicates: recall of repeats with other words, and how many items of one round repeat another.

Run `python -m tests.benchmarks.bench_freshness [SET]`; SET is a snapshot or a table with the originals, the embedded
round without one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from perturb.building.run import build
from perturb.config import recorded_config
from perturb.files.resources import demo_recording
from perturb.llm.recording import Replay, read_recording
from perturb.snapshots.freshness import FreshnessIndex, RoundItem, read_set
from tests.compare.reworded import recall

WORDS = (1, 2, 3, 5, 8)


def embedded_round() -> tuple[RoundItem, ...]:
    """The items of the embedded round, made from the replies on record."""
    recording = demo_recording("recorded")
    assert recording is not None
    with tempfile.TemporaryDirectory() as folder:
        report = build(
            recorded_config(), Path(folder) / "run", replay=Replay(read_recording(recording), False)
        )
        assert report.snapshot is not None
        return read_set(report.snapshot).items


def repeats_within(items: Sequence[RoundItem]) -> int:
    """How many items of a round repeat an earlier one of the same round."""
    index, repeats = FreshnessIndex(), 0
    for item in items:
        repeats += index.find(item) is not None
        index.add(item)
    return repeats


def main(arguments: list[str]) -> None:
    items = read_set(arguments[0]).items if arguments else embedded_round()
    print(f"{len(items)} items, once each with other words; recall among repeats with Jaccard ≥ .8")
    for words in WORDS:
        near, found = recall(items, words)
        share = f"{found / near:.3f}" if near else "none to find"
        print(f"{words} other words: {near:4} of {len(items)} alike, found {share}")
    print(f"as they are, {repeats_within(items)} repeat an earlier one")


if __name__ == "__main__":
    main(sys.argv[1:])
