"""Reads a CSV table into rows that know their line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from perturb.curate.rows import Header, Row
from perturb.errors import SourceError, at


def read_csv_rows(path: Path) -> Iterator[Row]:
    """The rows of a CSV file with a header, each with the line it begins on; empty cells are left out.

    Raises `SourceError` for a file that is missing, not UTF-8 or malformed.
    """
    header = Header(path.stem)
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            columns = next(reader, None)
            if not columns or len(set(columns)) < len(columns):
                raise SourceError(f"{at(path, 1)}: the first line must name the columns, each once")
            line = reader.line_num + 1
            for cells in reader:
                if cells and len(cells) != len(columns):
                    counts = f"{len(cells)} cells where the header has {len(columns)}"
                    raise SourceError(f"{at(path, line)}: {counts}: put texts that hold commas in quotes")
                if cells:
                    fields = {name: cell for name, cell in zip(columns, cells, strict=True) if cell.strip()}
                    yield Row(path, line, fields, header)
                line = reader.line_num + 1
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file: check the path") from None
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8 text: save it as UTF-8") from None
    except csv.Error as error:
        raise SourceError(f"{at(path, line)}: not a CSV table ({error}): mend the row") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}): check the file") from None
