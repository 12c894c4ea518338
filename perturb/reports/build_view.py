"""What the live page of a run asks its ledger for: figures, filtered items, and one item with its prompts and votes."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from perturb.catalogue.prompts import Prompts
from perturb.files.resources import code_version
from perturb.ledger import queries
from perturb.ledger.calls import LEDGER_FILE, open_read_only
from perturb.ledger.db import ledger_errors
from perturb.ledger.failures import call_failures
from perturb.ledger.plans import current_plan
from perturb.ledger.queries import BY_JUDGE
from perturb.llm.client import ChatRequest
from perturb.records import Cell, Intensity, JobOutcome, PerturbationClass
from perturb.reports.model import Table
from perturb.reports.run_data import describe_item, read_run_data
from perturb.reports.runs import call_table

FIELDS = ("cell", "lever", "generator", "verdict")
"""The columns of the list that items are chosen by."""
PAGE = 50
"""Items in one page of the list."""
_PATIENCE = 10
"""The list of a running run is rebuilt after this many times the duration of the last rebuild."""

Row = tuple[str, str, str, str, str, bool, str]
"""An item in the list: id, cell, lever, generator, verdicts one a line, whether they disagree, question."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the list of items."""

    equal: Mapping[str, str]
    """The chosen value for some of the `FIELDS`; an item may have several verdicts."""
    disagreement: bool = False
    """Only items on which the verdicts disagree."""
    text: str = ""
    """Only items that contain this text, in upper or lower case."""

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
        """The rows of all items with any result, in the order of the list."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The kind of the run, its title, and its figures and tables."""

    @abstractmethod
    def describe_item(self, item_id: str) -> dict[str, Any]:
        """One item with its texts, prompts, replies and votes."""

    def overview(self) -> dict[str, Any]:
        """The figures and tables that the page shows first."""
        with self._reading():
            models = queries.call_totals(self.db)
            return {
                **self.describe(),
                "running": self._is_running(),
                "items": self.db.execute("SELECT count(*) FROM temp.shown").fetchone()[0],
                "calls": sum(usage["calls"] for usage in models.values()),
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
        """One item with those before and after it among the filtered; None if the id is unknown."""
        with self._reading():
            found_row = self.db.execute("SELECT * FROM temp.shown WHERE id = ?", (item_id,)).fetchone()
            if found_row is None:
                return None
            where, values = self._where(filters)
            values["place"] = found_row["place"]
            around = {
                name: self.db.execute(
                    f"SELECT id FROM temp.shown s WHERE {where} AND place {sign} :place ORDER BY place {direction}",
                    values,
                ).fetchone()
                for name, sign, direction in (("previous", "<", "DESC"), ("next", ">", "ASC"))
            }
            row = {name: found_row[name] for name in ("cell", "lever", "generator", "verdict")}
            return {
                **row,
                **self.describe_item(item_id),
                **{name: neighbour and neighbour["id"] for name, neighbour in around.items()},
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
            speed = [(name, usage["seconds"] / usage["calls"]) for name, usage in models.items()]
            yield Table("speed", "Speed", "model | seconds a call: number", speed)
        if not self.published and (failures := call_failures(self.db)):
            yield Table.of(
                "errors", "Errors by model", "model | error = cause | calls: count", failures, shown=20
            )

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


_VERDICT = (
    "CASE WHEN j.outcome = 'candidate' THEN coalesce(d.acceptance, 'undecided') ELSE j.outcome END AS verdict"
)
_STAGES: Mapping[str, Mapping[str, str]] = {"accepted": {"verdict": "accepted"}}
"""The stages of the funnel that are one verdict."""


class BuildView(RunView):
    """Jobs that ended with an item or a failure."""

    text_sql = (
        "s.id LIKE :text OR s.id IN (SELECT id FROM candidates WHERE query LIKE :text ESCAPE '\\'"
        " OR lever LIKE :text ESCAPE '\\' OR passages LIKE :quoted ESCAPE '\\')"
    )

    def __init__(self, run: Path, *, published: bool = False) -> None:
        super().__init__(run, published=published)
        self.plan = current_plan(self.db, run)

    def make_rows(self) -> Iterable[Row]:
        """In the order of the plan."""
        self.plan = current_plan(self.db, self.run)
        rows = self.db.execute(
            "SELECT j.id, j.perturbation_class || '/' || j.intensity, coalesce(c.lever, ''), j.generator,"
            f" {_VERDICT}, (SELECT count(DISTINCT v.state) > 1 FROM votes v WHERE v.candidate_id = j.id"
            f" AND v.state IN ('pass', 'fail') AND {BY_JUDGE}),"
            " coalesce(c.query, json_extract(i.payload, '$.query'))"
            " FROM jobs j JOIN instances i ON i.key = j.instance_key LEFT JOIN candidates c ON c.id = j.id"
            " LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?2"
            " WHERE j.plan = ?3 AND j.outcome IS NOT NULL ORDER BY j.seq",
            (json.dumps(self.plan.judges.keys), self.plan.panel, self.plan.number),
        )
        return map(tuple, rows)

    def describe(self) -> dict[str, Any]:
        """The funnel, and cells by generator; each number leads to its items."""
        data = read_run_data(self.db, self.plan, self.run)
        outcomes = {str(name): data.stages.outcomes.get(name, 0) for name in JobOutcome}
        failed = [
            [name.replace("_", " "), n, {"verdict": name}]
            for name, n in outcomes.items()
            if n and name != JobOutcome.CANDIDATE
        ]
        rejected = data.stages.decisions.get("rejected", 0)

        def accepted(cell: str, name: str) -> list[Any]:
            filters = {"cell": cell, "generator": name, "verdict": "accepted"}
            return [data.coverage.get((cell, name), 0), filters]

        grid = {
            "title": "Accepted items by cell and generator",
            "columns": list(data.generators),
            "rows": [[cell, [accepted(cell, name) for name in data.generators]] for cell in data.cells],
        }
        return {
            "kind": "build",
            "title": self.plan.facts.name,
            "subtitle": " · ".join(filter(None, (f"round {self.plan.facts.round}", data.stages.unfinished))),
            "done": sum(outcomes.values()),
            "of": data.stages.jobs,
            "funnel": [
                *([name, n, _STAGES.get(name)] for name, n in data.funnel),
                *([["rejected by the panel", rejected, {"verdict": "rejected"}]] if rejected else []),
                *failed,
            ],
            "grids": [grid],
        }

    def describe_item(self, item_id: str) -> dict[str, Any]:
        """The change, the prompts of generator and verifiers, their replies, the votes."""
        row = self.db.execute(
            "SELECT j.*, d.reason FROM jobs j LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?"
            " WHERE j.id = ?",
            (self.plan.panel, item_id),
        ).fetchone()
        has_candidate = self.db.execute("SELECT 1 FROM candidates WHERE id = ?", (item_id,)).fetchone()
        if has_candidate:
            content = describe_item(self.db, self.plan, item_id)
        else:
            instance = queries.instance(self.db, row["instance_key"])
            content = plain_item(
                instance.query, [passage.text for passage in instance.passages], instance.answers
            )
        hidden = self.published and row["outcome"] == JobOutcome.ERROR
        reason = row["reason"] if row["outcome"] == JobOutcome.CANDIDATE else row["detail"]
        votes = queries.votes_of(self.db, item_id, self.plan.judges)
        for vote in content["votes"]:
            stored_vote = votes[vote["verifier"]]
            vote["raw"] = stored_vote.raw
            if self.published and vote["verdict"] == "unscored":
                vote |= {"raw": "", "issues": []}
        return {
            **content,
            "id": item_id,
            "reason": "" if hidden else reason or "",
            "generated": [] if hidden else self._generated(item_id, row["raw"]),
            "prompts": self._prompts(row, content),
            "prompt_note": self._prompt_note,
        }

    @cached_property
    def _rebuilt(self) -> Prompts:
        return Prompts(self.plan.load_catalogue())

    @property
    def _prompt_note(self) -> str:
        then = self.plan.facts.code_version
        changed = f"; the run was planned by perturb {then}" if then != code_version() else ""
        return f"Rebuilt from the templates and levers of perturb {code_version()}{changed}."

    def _generated(self, job_id: str, raw: str | None) -> list[str]:
        """The replies of the generator in order, or the reply stored with the job if the calls are missing."""
        rows = self.db.execute(
            "SELECT reply FROM calls WHERE subject = ? AND purpose = 'generate' AND reply != '' ORDER BY id",
            (job_id,),
        )
        return [row["reply"] for row in rows] or ([raw] if raw else [])

    def _prompts(self, row: sqlite3.Row, content: Mapping[str, Any]) -> list[dict[str, Any]]:
        instance = queries.instance(self.db, row["instance_key"])
        writers = {entry.name for entry in self.plan.facts.generators if entry.model != "rules"}
        prompts = []
        if row["generator"] in writers:
            offers, declined = json.loads(row["offers"]), json.loads(row["declined"])
            refused = [offer for offer in offers or () if declined.keys() >= set(offer)]
            for offer in offers[: len(refused) + 1] if offers else [[]]:
                levers = [lever for name in offer if (lever := self._rebuilt.catalogue.find(name))]
                cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
                prompts.append(prompt(row["generator"], self._rebuilt.generation(cell, instance, levers)))
        judges = {entry.name for entry in self.plan.facts.verifiers if entry.model != "rules"}
        if voters := [vote["verifier"] for vote in content["votes"] if vote["verifier"] in judges]:
            request = self._rebuilt.verification(instance, queries.candidate(self.db, row["id"]))
            prompts.append(prompt(", ".join(voters), request))
        return prompts


def plain_item(query: str, passages: Iterable[str], answers: Iterable[str]) -> dict[str, Any]:
    """Texts as the page shows an item in which nothing was changed."""
    return {
        "expected": "",
        "answers": list(answers),
        "query": [["same", query]],
        "passages": [{"pieces": [["same", text]]} for text in passages],
        "unchanged": 0,
        "votes": [],
    }


def prompt(title: str, request: ChatRequest) -> dict[str, Any]:
    """A prompt as the page shows it."""
    return {"title": title, "messages": [[message.role, message.content] for message in request.messages]}
