"""Whether the rows of a leaderboard follow from a file of recorded replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from perturb.errors import RecordingError
from perturb.llm.recording import read_recording
from perturb.metrics.estimates import Estimate
from perturb.metrics.inputs import Floats
from perturb.report.leaderboard import BoardRow, Standings, make_leaderboard, read_leaderboard, recordings_of
from perturb.report.model import show
from perturb.wording import listed

_TOLERANCE = 2e-6


def check_rows(folder: Path, file: Path) -> tuple[int, tuple[str, ...]]:
    """Compute the rows on models in a file of replies again: how many there are, and one line for each that differs.

    Ranks are compared if the replies of all other rows lie in the folder. Raises `SourceError` if that holds no
    leaderboard, `RecordingError` for a file that cannot be read or has no row.
    """
    board, recording = read_leaderboard(folder), read_recording(file)
    kind, models = str(recording.header.get("kind")), recording.header.get("models", {})
    stated = [
        (table, row)
        for table in board.standings
        for row in table.rows
        if table.kind == kind and row.model in models
    ]
    if not stated:
        raise RecordingError(
            f"{file}: no row of {folder} is about its models ({listed([*models])}): give another file"
        )
    cited = {row.replies for _, row in stated}
    others = [one for one in recordings_of(folder) if one.digest not in {recording.digest, *cited}]
    needed = {row.replies for table in board.standings for row in table.rows} - cited
    ranked = needed <= {one.digest for one in others}
    made = make_leaderboard([recording, *others] if ranked else [recording])
    again = {(str(table.kind), row.name): (table, row) for table in made.standings for row in table.rows}
    found = (
        (row.name, [*_differences(table, row, again.get((kind, row.name)), ranked)]) for table, row in stated
    )
    return len(stated), tuple(f"{file}: '{name}': {'; '.join(differ)}" for name, differ in found if differ)


def _differences(
    table: Standings, row: BoardRow, again: tuple[Standings, BoardRow] | None, ranked: bool
) -> Iterator[str]:
    if again is None:
        yield "no such row follows from the replies"
        return
    made_in, made = again
    pairs = {
        "digest of the items": (table.items, made_in.items),
        "digest of the replies": (row.replies, made.replies),
    }
    names = ("n", "unscored", "judge", *(["rank"] if ranked else []))
    pairs |= {name: (str(getattr(row, name)), str(getattr(made, name))) for name in names}
    for heading in {**row.scores, **made.scores}:
        here, there = row.scores.get(heading), made.scores.get(heading)
        if not np.allclose(_ends(here), _ends(there), rtol=0, atol=_TOLERANCE, equal_nan=True):
            pairs[heading] = show(here, "number"), show(there, "number")
    for name, (stands, follows) in pairs.items():
        if stands != follows:
            yield f"{name} is {stands[:40]} on the board and {follows[:40]} by the replies"


def _ends(one: Estimate | None) -> Floats:
    return np.array([one.value, one.low, one.high] if one else [None] * 3, dtype=np.float64)
