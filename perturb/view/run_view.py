"""A run's ledger as its page asks about it: figures, items that pass filters, and one item with all that was said."""

from __future__ import annotations

import json
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from perturb.report.model import Table
from perturb.report.runs import call_table
from perturb.store import queries
from perturb.store.calls import LEDGER_FILE, open_read_only
from perturb.store.db import ledger_errors
from perturb.store.failures import call_failures

FIELDS = ("cell", "lever", "generator", "verdict")
"""The columns of the list that items are chosen by."""
PAGE = 50
"""Items in one page of the list."""
_PATIENCE = 10
"""The list of a run at work is made anew when this many times as long has passed as making it took."""

Row = tuple[str, str, str, str, str, bool, str]
"""An item in the list: id, cell, lever, generator, verdicts one a line, whether they disagree, question."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which items are wanted."""

    equal: Mapping[str, str]
    """Of `FIELDS`, the value that is wanted; an item may have several verdicts."""
    disagreement: bool = False
    """Only items on which the verdicts disagree."""
    text: str = ""
    """Only items that say this, in upper case or lower."""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> Self:
        """From the query of an address."""
        equal = {name: query[name] for name in FIELDS if query.get(name)}
        return cls(equal, bool(query.get("disagreement")), query.get("text", "").strip())


class RunView(ABC):
    """One run; every method may be called from any thread. Raises `LedgerError` for a ledger that cannot be read."""

    text_sql: str
    """SQL that is true of the item `s.id` if it says `:text`, a pattern of LIKE, or `:quoted`, the same in JSON."""

    def __init__(self, run: Path, *, published: bool = False) -> None:
        """With `published`, the texts of errors are left out."""
        self.run, self.published = run, published
        self.db = open_read_only(run)
        self._lock = threading.RLock()
        self._seen, self._listed_at, self._took = -1, 0.0, 0.0
        self.db.execute("PRAGMA temp_store = MEMORY")
        self.db.execute(
            "CREATE TEMP TABLE shown (place INTEGER PRIMARY KEY, id TEXT UNIQUE, cell TEXT, lever TEXT,"
            " generator TEXT, verdict TEXT, disagreement INTEGER, query TEXT)"
        )

    def close(self) -> None:
        """Close the ledger."""
        self.db.close()

    @abstractmethod
    def make_rows(self) -> Iterable[Row]:
        """Every item that has got anywhere, in the order of the list."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The kind of the run, its title, and its figures and tables."""

    @abstractmethod
    def describe_item(self, item_id: str) -> dict[str, Any]:
        """One item with its texts, prompts, replies and votes."""

    def overview(self) -> dict[str, Any]:
        """What the page shows first: figures and tables."""
        with self._reading():
            models = queries.call_totals(self.db)
            return {
                **self.describe(),
                "running": self._is_running(),
                "items": self.db.execute("SELECT count(*) FROM temp.shown").fetchone()[0],
                "calls": sum(one["calls"] for one in models.values()),
                "tables": [_plain(table) for table in self._call_tables(models)],
            }

    def find(self, filters: Filters, start: int = 0, count: int = PAGE) -> dict[str, Any]:
        """Items of the list from `start` on, how many there are, and the values that items can be chosen by."""
        with self._reading():
            where, values = self._where(filters)
            total = self.db.execute(f"SELECT count(*) FROM temp.shown s WHERE {where}", values).fetchone()[0]
            rows = self.db.execute(
                "SELECT id, cell, lever, generator, verdict, disagreement, query FROM temp.shown s"
                f" WHERE {where} ORDER BY place LIMIT :count OFFSET :start",
                {**values, "count": count, "start": start},
            )
            items = [dict(row) for row in rows]
            choices = {name: self._values(name) for name in FIELDS}
            return {"total": total, "start": start, "items": items, "filters": choices}

    def item(self, item_id: str, filters: Filters) -> dict[str, Any] | None:
        """One item with those before and after it among the filtered; None if there is none of this id."""
        with self._reading():
            found = self.db.execute("SELECT * FROM temp.shown WHERE id = ?", (item_id,)).fetchone()
            if found is None:
                return None
            where, values = self._where(filters)
            values["place"] = found["place"]
            around = {
                name: self.db.execute(
                    f"SELECT id FROM temp.shown s WHERE {where} AND place {sign} :place ORDER BY place {way}",
                    values,
                ).fetchone()
                for name, sign, way in (("previous", "<", "DESC"), ("next", ">", "ASC"))
            }
            row = {name: found[name] for name in ("cell", "lever", "generator", "verdict")}
            return {
                **row,
                **self.describe_item(item_id),
                **{name: one and one["id"] for name, one in around.items()},
            }

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One question at a time; errors are said in a line, and the list is up to date."""
        with self._lock, ledger_errors(self.run / LEDGER_FILE):
            self._refresh()
            yield

    def _refresh(self) -> None:
        version = self.db.execute("PRAGMA data_version").fetchone()[0]
        now = time.monotonic()
        if version == self._seen or (self._seen >= 0 and now < self._listed_at + _PATIENCE * self._took):
            return
        self.db.execute("BEGIN")
        self.db.execute("DELETE FROM temp.shown")
        self.db.executemany(
            "INSERT INTO temp.shown (id, cell, lever, generator, verdict, disagreement, query)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            self.make_rows(),
        )
        self.db.execute("COMMIT")
        self._seen, self._listed_at, self._took = version, now, time.monotonic() - now

    def _where(self, filters: Filters) -> tuple[str, dict[str, Any]]:
        parts, values = ["1"], dict[str, Any](filters.equal)
        for name in filters.equal:
            lines = f"char(10) || s.{name} || char(10)"
            parts.append(f"instr({lines}, char(10) || :{name} || char(10))")
        if filters.disagreement:
            parts.append("s.disagreement")
        if filters.text:
            parts.append(f"({self.text_sql})")
            values |= {"text": _pattern(filters.text)}
            values |= {"quoted": _pattern(json.dumps(filters.text, ensure_ascii=False)[1:-1])}
        return " AND ".join(parts), values

    def _values(self, name: str) -> list[str]:
        rows = self.db.execute(f"SELECT DISTINCT {name} FROM temp.shown WHERE {name} != ''")
        return sorted({line for row in rows for line in row[0].split("\n")})

    def _call_tables(self, models: Mapping[str, Mapping[str, Any]]) -> Iterable[Table]:
        if models:
            yield call_table(models)
            speed = [(name, one["seconds"] / one["calls"]) for name, one in models.items()]
            yield Table("speed", "Speed", "model | seconds a call: number", speed)
        if not self.published and (failures := call_failures(self.db)):
            columns = "model | error | calls: count"
            rows = [(one.model, one.cause, one.calls) for one in failures]
            yield Table("errors", "Errors by model", columns, rows, shown=20)

    def _is_running(self) -> bool:
        with suppress(OSError, ValueError):
            os.kill(int((self.run / "run.pid").read_text()), 0)
            return not self.published
        return False


def _plain(table: Table) -> dict[str, Any]:
    columns = table.columns_shown
    rows = zip(*(texts for _, _, texts in columns), strict=True)
    return {
        "title": table.title,
        "columns": [{"name": name, "number": form != "text"} for name, form, _ in columns],
        "rows": list(map(list, rows)),
        "notes": table.notes,
    }


def _pattern(text: str) -> str:
    """The pattern of LIKE for texts that hold this one; its escape is a backslash."""
    for char in "\\%_":
        text = text.replace(char, f"\\{char}")
    return f"%{text}%"
