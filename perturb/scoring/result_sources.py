"""Where results come from: the folder of an evaluation, or a file with one row for each item and model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturb.catalogue.levers import Catalogue
from perturb.errors import SourceError
from perturb.files.tables import read_table
from perturb.ledger.evaluations import PANEL_FACT
from perturb.scoring.result_rows import REQUIRED
from perturb.scoring.table import ResultTable, result_table

if TYPE_CHECKING:
    from perturb.evaluation.results import EvaluationRun


def read_results(source: Path | str, levers: Sequence[Path] = ()) -> ResultTable:
    """The results of an evaluation (its folder), or of a `.jsonl`, `.csv` or `.parquet` file.

    `levers` are folders with a user's own classes, which an evaluation states and a file does not.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder holds no
    evaluation.
    """
    path = Path(source)
    if path.is_dir():
        from perturb.evaluation.results import read_run

        return table_of_run(read_run(path), path)
    return result_table(_rows(path), str(path), catalogue=Catalogue.load(levers))


def table_of_run(run: EvaluationRun, folder: Path) -> ResultTable:
    """The results of an evaluation that was read from a folder."""
    rows = ((f"{folder}: item '{one.item_id}'", one.to_dict()) for one in run.results)
    known = Catalogue.load().with_classes(run.classes)
    stops = {name: one["until"] for name, one in run.facts["models"].items() if "until" in one}
    warnings = tuple(_warnings(run))
    return result_table(rows, str(folder), items=run.items, warnings=warnings, catalogue=known, stops=stops)


def _warnings(run: EvaluationRun) -> Iterator[str]:
    from perturb.evaluation.stop_rule import early_stop

    replied = {one.model for one in run.results}
    for name, facts in run.facts["models"].items():
        if facts.get("judges_itself"):
            role = "one of the judges" if run.facts.get(PANEL_FACT) else "the judge"
            yield f"{name} is {role} too and judged its own replies: its scores may be partial"
        if stop := early_stop(facts):
            yield f"{name} {stop}"
        if name not in replied:
            yield f"{name} has no reply yet and is not scored: run `perturb evaluate` again"


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each with its place in the file."""
    for row in read_table(path):
        if missing := [name for name in REQUIRED if name not in row.fields]:
            raise SourceError(
                f"{row.place}: no column '{missing[0]}': a results table has the columns {', '.join(REQUIRED)}"
            )
        yield row.place, row.fields
