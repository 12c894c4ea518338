"""What a report is asked about: the run of a build, an evaluation, refusals in two passes, or stated confidence."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from perturb.errors import SourceError
from perturb.score import confidence_table
from perturb.score.result_rows import REQUIRED
from perturb.store.calls import reading
from perturb.store.evaluations import CONFIDENCE_TABLE, REFUSAL_TABLE, read_facts
from perturb.tables import column_names


class SourceKind(Enum):
    """What a run folder or a table holds."""

    BUILD = "build"
    """The run of `perturb build`."""
    SCORES = "scores"
    """Replies to items: `perturb evaluate`, or a results table."""
    REFUSALS = "refusals"
    """Refusals and errors: `perturb refusal-index run`, or its table."""
    CONFIDENCE = "confidence"
    """Correctness and confidence: `perturb bas run`, or its table."""


_COLUMNS = {
    SourceKind.SCORES: REQUIRED,
    SourceKind.REFUSALS: ("refused", "wrong"),
    SourceKind.CONFIDENCE: confidence_table.NEEDED,
}


def source_kind(source: Path) -> SourceKind:
    """The kind of a run folder, by its table or ledger, or of a table, by its columns.

    Raises `SourceError` for a file that is none of them, `LedgerError` for a folder without a run.
    """
    if not source.is_dir():
        columns = set(column_names(source))
        for kind, needed in _COLUMNS.items():
            if set(needed) <= columns:
                return kind
        raise SourceError(
            f"{source}: holds no scores that are known: a table has the columns {', '.join(REQUIRED)};"
            " refused and wrong; or is_correct and confidence"
        )
    if (source / REFUSAL_TABLE).is_file():
        return SourceKind.REFUSALS
    if (source / CONFIDENCE_TABLE).is_file():
        return SourceKind.CONFIDENCE
    with reading(source) as db:
        return SourceKind.SCORES if "models" in read_facts(db) else SourceKind.BUILD
