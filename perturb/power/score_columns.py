"""Scores of one model with their base instances, from a table."""

from __future__ import annotations

from pathlib import Path

from perturb.errors import SourceError
from perturb.metrics.inputs import Floats, read_numbers
from perturb.tables import column_names, read_columns

SCORE_COLUMNS = ("score", "correct", "is_correct")
BASE_COLUMNS = ("base_id", "source_id")


def read_scores(path: Path) -> tuple[Floats, list[str]]:
    """Scores in [0, 1] and base instances from a table.

    The file has a column `score` (or `correct`, `is_correct`) and a column `base_id` (or `source_id`), one row for each
    item and one model only.

    Raises `SourceError` if the file cannot be read, lacks a column, or holds something else than scores.
    """
    table = read_columns(path, (*SCORE_COLUMNS, *BASE_COLUMNS, "model"), texts=(*BASE_COLUMNS, "model"))
    score, base = (
        next((name for name in names if name in table.columns), None)
        for names in (SCORE_COLUMNS, BASE_COLUMNS)
    )
    if score is None or base is None:
        lacking = "score" if score is None else "base_id"
        raise SourceError(f"{path}: has no column '{lacking}': it has {', '.join(column_names(path))}")
    if "model" in table.columns and table["model"].nunique() > 1:
        raise SourceError(f"{path}: holds {table['model'].nunique()} models: keep the rows of one")
    try:
        scores = read_numbers(table[score], score)
    except ValueError as error:
        raise SourceError(f"{path}: {error}") from None
    if scores.min() < 0 or scores.max() > 1:
        raise SourceError(
            f"{path}: column '{score}' reaches from {scores.min():g} to {scores.max():g}: scale it to 0 … 1"
        )
    return scores, [str(name) for name in table[base]]
