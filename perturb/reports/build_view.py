"""The data of the live page of a run: figures, filtered items, and one item with its prompts and votes.

`RunView` reads a ledger that another process may still be writing. `BuildView` adds what is special to builds. A build
has *jobs*: for each base instance and *cell* (perturbation class and intensity) a generator tries to make a candidate,
which changes the instance by a *lever*. Then a panel of verifiers votes on the candidate.
"""

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
from typing import Any, NamedTuple, Self

from perturb.catalogue.prompts import Prompts
from perturb.files.resources import code_version
from perturb.ledger import queries
from perturb.ledger.calls import LEDGER_FILE, open_read_only
from perturb.ledger.db import ledger_errors
from perturb.ledger.ends import call_failures
from perturb.ledger.plans import ModelFacts, current_plan
from perturb.ledger.queries import BY_JUDGE, bind
from perturb.llm.client import ChatRequest
from perturb.records import Cell, Facts, Intensity, JobOutcome, JsonObject, PerturbationClass
from perturb.reports.model import Table
from perturb.reports.run_data import describe_item, read_run_data
from perturb.reports.runs import call_table

# The columns of the list that items are filtered by.
FIELDS = ("cell", "lever", "generator", "verdict")
# Items in one page of the list.
ITEMS_PER_PAGE = 50
# The list waits this many times as long as its last rebuild took. So rebuilding takes at most a tenth of the time.
_REBUILD_PAUSE_FACTOR = 10


class ListRow(NamedTuple):
    """An item in the list. The fields are the columns of the table `shown`, which the list is kept in."""

    id: str
    cell: str
    lever: str
    generator: str
    verdict: str
    """One line for each verdict."""
    disagreement: bool
    """Whether the verdicts disagree."""
    query: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the list of items."""

    equal: Mapping[str, str]
    """Field → the value that items must have. An item with several verdicts needs the value as one of them."""
    disagreement: bool = False
    """Only items on which the verdicts disagree."""
    text: str = ""
    """Only items that contain this text, in upper or lower case."""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> Self:
        """The filters in the query of a URL."""
        equal = {name: query[name] for name in FIELDS if query.get(name)}
        return cls(equal, bool(query.get("disagreement")), query.get("text", "").strip())


class RunView(ABC):
    """The items and figures of one run. Any thread may call any method.

    Every method raises `LedgerError` if the ledger cannot be read.
    """

    text_sql: str
    """SQL that is true if the item `s.id` contains the text that a reader searches for.

    `:text` is the LIKE pattern of the text. `:quoted` is the pattern of the text as it is written in JSON, for columns
    that hold JSON. In both, a backslash escapes `%` and `_`.
    """

    def __init__(self, run: Path, *, published: bool = False) -> None:
        """Open the ledger of a run; `published` leaves the texts of errors out."""
        self.run, self.published = run, published
        self.db = open_read_only(run)
        self._lock = threading.RLock()
        self._listed_version: int | None = None
        """The version of the ledger that the list was made from; None before the list is made."""
        self._next_rebuild = 0.0
        """The earliest time for the next rebuild, by the monotonic clock."""
        # The ledger is open for reading only, so the list cannot be a table or a file beside it.
        self.db.execute("PRAGMA temp_store = MEMORY")
        self.db.execute(
            "CREATE TEMP TABLE shown (place INTEGER PRIMARY KEY, id TEXT UNIQUE, cell TEXT, lever TEXT,"
            " generator TEXT, verdict TEXT, disagreement INTEGER, query TEXT)"
        )

    def close(self) -> None:
        """Close the ledger."""
        self.db.close()

    @abstractmethod
    def make_rows(self) -> Iterable[ListRow]:
        """The rows of all items that have a result, in the order of the list."""

    @abstractmethod
    def describe(self) -> JsonObject:
        """The kind and title of the run, and its figures and tables, as JSON for the page."""

    @abstractmethod
    def describe_item(self, item_id: str) -> JsonObject:
        """One item with its texts, prompts, replies and votes."""

    def overview(self) -> JsonObject:
        """The figures and tables that the page shows first."""
        with self._reading():
            models = queries.call_totals(self.db)
            return {
                **self.describe(),
                "running": self._is_running(),
                "items": self.db.execute("SELECT count(*) FROM temp.shown").fetchone()[0],
                "calls": sum(usage["calls"] for usage in models.values()),
                "tables": [_json_of_table(table) for table in self._call_tables(models)],
            }

    def find(self, filters: Filters, start: int = 0, count: int = ITEMS_PER_PAGE) -> JsonObject:
        """Up to `count` items of the list from `start` on, their total number, and the values to filter by."""
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

    def item(self, item_id: str, filters: Filters) -> JsonObject | None:
        """One item with the ids of its neighbours among the filtered items; None if the id is unknown."""
        with self._reading():
            listed_row = self.db.execute("SELECT * FROM temp.shown WHERE id = ?", (item_id,)).fetchone()
            if listed_row is None:
                return None
            where, values = self._where(filters)
            values["place"] = listed_row["place"]
            neighbours = {
                name: self.db.execute(
                    f"SELECT id FROM temp.shown s WHERE {where} AND place {sign} :place ORDER BY place {direction}",
                    values,
                ).fetchone()
                for name, sign, direction in (("previous", "<", "DESC"), ("next", ">", "ASC"))
            }
            return {
                **{name: listed_row[name] for name in FIELDS},
                **self.describe_item(item_id),
                **{name: neighbour and neighbour["id"] for name, neighbour in neighbours.items()},
            }

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the lock, turn SQLite's errors into `LedgerError`, and bring the list up to date."""
        with self._lock, ledger_errors(self.run / LEDGER_FILE):
            self._refresh()
            yield

    def _refresh(self) -> None:
        """Make the list again if the ledger has changed, but not so often that it takes most of the time."""
        # The number changes when another connection has written.
        version = self.db.execute("PRAGMA data_version").fetchone()[0]
        start = time.monotonic()
        if version == self._listed_version or start < self._next_rebuild:
            return
        self.db.execute("BEGIN")
        self.db.execute("DELETE FROM temp.shown")
        self.db.executemany(
            f"INSERT INTO temp.shown ({', '.join(ListRow._fields)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            self.make_rows(),
        )
        self.db.execute("COMMIT")
        self._listed_version = version
        self._next_rebuild = start + _REBUILD_PAUSE_FACTOR * (time.monotonic() - start)

    def _where(self, filters: Filters) -> tuple[str, JsonObject]:
        """The filters as an SQL condition on rows `s` of the list, and the values of its parameters."""
        conditions = ["1"]  # true, so that the condition is never empty
        values = dict[str, Any](filters.equal)
        for name in filters.equal:
            # A column may have several lines. With line breaks at both ends, the value matches only a whole line.
            lines = f"char(10) || s.{name} || char(10)"
            conditions.append(f"instr({lines}, char(10) || :{name} || char(10))")
        if filters.disagreement:
            conditions.append("s.disagreement")
        if filters.text:
            conditions.append(f"({self.text_sql})")
            values["text"] = _like_pattern(filters.text)
            json_string = json.dumps(filters.text, ensure_ascii=False)
            values["quoted"] = _like_pattern(json_string[1:-1])  # without the quotes around it
        return " AND ".join(conditions), values

    def _values(self, name: str) -> list[str]:
        """The values of a field that can be chosen: every line of its column."""
        rows = self.db.execute(f"SELECT DISTINCT {name} FROM temp.shown WHERE {name} != ''")
        return sorted({line for row in rows for line in row[0].split("\n")})

    def _call_tables(self, models: Mapping[str, Facts]) -> Iterable[Table]:
        if models:
            yield call_table(models)
            speed = [(name, usage["seconds"] / usage["calls"]) for name, usage in models.items()]
            yield Table("speed", "Speed", "model | seconds a call: number", speed)
        failures = [] if self.published else call_failures(self.db)
        if failures:
            yield Table.of(
                "errors", "Errors by model", "model | error = cause | calls: count", failures, shown=20
            )

    def _is_running(self) -> bool:
        with suppress(OSError, ValueError):
            process_id = int((self.run / "run.pid").read_text())
            os.kill(process_id, 0)  # signal 0 only asks whether the process exists
            return not self.published
        return False


def _json_of_table(table: Table) -> JsonObject:
    columns = table.columns_shown
    return {
        "title": table.title,
        "columns": [{"name": column.heading, "number": column.cell_format != "text"} for column in columns],
        "rows": list(zip(*(column.texts for column in columns), strict=True)),
        "notes": table.notes,
    }


def _like_pattern(text: str) -> str:
    """The LIKE pattern of all texts that contain this text; the escape character is a backslash."""
    for char in "\\%_":
        text = text.replace(char, f"\\{char}")
    return f"%{text}%"


# SQL of the list, with the columns of `ListRow`. The verdict is that of the panel, or how the job failed. The panel
# disagrees if some members pass the candidate and some fail it. The parameters are those of `bind`.
_LIST = f"""
    SELECT
        j.id,
        j.perturbation_class || '/' || j.intensity AS cell,
        coalesce(c.lever, '') AS lever,
        j.generator,
        CASE WHEN j.outcome = 'candidate' THEN coalesce(d.acceptance, 'undecided') ELSE j.outcome END AS verdict,
        (
            SELECT count(DISTINCT v.state) > 1 FROM votes v
            WHERE v.candidate_id = j.id AND v.state IN ('pass', 'fail') AND {BY_JUDGE}
        ) AS disagreement,
        coalesce(c.query, json_extract(i.payload, '$.query')) AS query
    FROM jobs j
    JOIN instances i ON i.key = j.instance_key
    LEFT JOIN candidates c ON c.id = j.id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = :panel
    WHERE j.plan = :plan AND j.outcome IS NOT NULL
    ORDER BY j.seq
"""


class BuildView(RunView):
    """The jobs of a build that ended with a candidate or a failure."""

    # An id is a digest, in which nothing needs an escape.
    text_sql = r"""
        s.id LIKE :text
        OR s.id IN (
            SELECT id FROM candidates
            WHERE query LIKE :text ESCAPE '\' OR lever LIKE :text ESCAPE '\' OR passages LIKE :quoted ESCAPE '\'
        )
    """

    def __init__(self, run: Path, *, published: bool = False) -> None:
        super().__init__(run, published=published)
        self.plan = current_plan(self.db, run)

    def make_rows(self) -> Iterable[ListRow]:
        """The rows in the order of the plan."""
        self.plan = current_plan(self.db, self.run)
        rows = self.db.execute(_LIST, bind(self.plan.judges, self.plan.number, self.plan.panel))
        return (ListRow(*row) for row in rows)

    def describe(self) -> JsonObject:
        """The funnel, and accepted items by cell and generator; each number comes with the filter of its items."""
        data = read_run_data(self.db, self.plan, self.run)
        outcomes = {str(name): data.stages.outcomes.get(name, 0) for name in JobOutcome}
        # Each entry of the funnel is a name, a number and the filter that lists its jobs.
        # Only the last stage is a single verdict.
        funnel: list[list[Any]] = [
            [name, n, {"verdict": name} if name == "accepted" else None] for name, n in data.funnel
        ]
        # The funnel counts what came through. What the panel rejected gets an entry of its own, to be looked at.
        if rejected := data.stages.decisions.get("rejected", 0):
            funnel.append(["rejected by the panel", rejected, {"verdict": "rejected"}])
        for name, n in outcomes.items():
            if n and name != JobOutcome.CANDIDATE:
                funnel.append([name.replace("_", " "), n, {"verdict": name}])

        # A row of the grid is a cell and its fields. A field is a number and the filter that lists its items.
        rows = []
        for cell in data.cells:
            fields = []
            for name in data.generators:
                filters = {"cell": cell, "generator": name, "verdict": "accepted"}
                fields.append([data.coverage.get((cell, name), 0), filters])
            rows.append([cell, fields])
        title = "Accepted items by cell and generator"
        return {
            "kind": "build",
            "title": self.plan.facts.name,
            "subtitle": " · ".join(filter(None, (f"round {self.plan.facts.round}", data.stages.unfinished))),
            "done": sum(outcomes.values()),
            "of": data.stages.jobs,
            "funnel": funnel,
            "grids": [{"title": title, "columns": list(data.generators), "rows": rows}],
        }

    def describe_item(self, item_id: str) -> JsonObject:
        """The item with its change, the prompts and replies of generator and verifiers, and the votes."""
        row = self.db.execute(
            "SELECT j.*, d.reason FROM jobs j LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?"
            " WHERE j.id = ?",
            (self.plan.panel, item_id),
        ).fetchone()
        if self.db.execute("SELECT 1 FROM candidates WHERE id = ?", (item_id,)).fetchone():
            content = describe_item(self.db, self.plan, item_id)
        else:
            instance = queries.instance(self.db, row["instance_key"])
            content = plain_item(
                instance.query, [passage.text for passage in instance.passages], instance.answers
            )
        # Errors of providers can contain internal addresses, which are not published.
        is_error_hidden = self.published and row["outcome"] == JobOutcome.ERROR
        reason = row["reason"] if row["outcome"] == JobOutcome.CANDIDATE else row["detail"]
        votes = queries.votes_of(self.db, item_id, self.plan.judges)
        for vote in content["votes"]:
            vote["raw"] = votes[vote["verifier"]].raw
            if self.published and vote["verdict"] == "unscored":
                vote |= {"raw": "", "issues": []}  # they may be an error of the provider
        return {
            **content,
            "id": item_id,
            "reason": "" if is_error_hidden else reason or "",
            "generated": [] if is_error_hidden else self._generator_replies(item_id, row["raw"]),
            "prompts": self._prompts(row, content),
            "prompt_note": self._prompt_note,
        }

    @cached_property
    def _rebuilt_prompts(self) -> Prompts:
        return Prompts(self.plan.load_catalogue())

    @property
    def _prompt_note(self) -> str:
        planned_by = self.plan.facts.code_version
        difference = f"; the run was planned by perturb {planned_by}" if planned_by != code_version() else ""
        return f"Rebuilt from the templates and levers of perturb {code_version()}{difference}."

    def _generator_replies(self, job_id: str, raw: str | None) -> list[str]:
        """The replies of the generator in order, or the reply stored with the job if the calls are missing."""
        rows = self.db.execute(
            "SELECT reply FROM calls WHERE subject = ? AND purpose = 'generate' AND reply != '' ORDER BY id",
            (job_id,),
        )
        return [row["reply"] for row in rows] or ([raw] if raw else [])

    def _prompts(self, row: sqlite3.Row, content: Facts) -> list[JsonObject]:
        """The prompts of the generator and of the verifiers that voted, if they are models."""
        instance = queries.instance(self.db, row["instance_key"])
        prompts = []
        if row["generator"] in _names_of_models(self.plan.facts.generators):
            cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
            for offer in _offers_made(row):
                levers = [lever for name in offer if (lever := self._rebuilt_prompts.catalogue.find(name))]
                request = self._rebuilt_prompts.generation(cell, instance, levers)
                prompts.append(prompt(row["generator"], request))
        model_verifiers = _names_of_models(self.plan.facts.verifiers)
        voters = [vote["verifier"] for vote in content["votes"] if vote["verifier"] in model_verifiers]
        if voters:
            request = self._rebuilt_prompts.verification(instance, queries.candidate(self.db, row["id"]))
            prompts.append(prompt(", ".join(voters), request))
        return prompts


def _names_of_models(entries: Iterable[ModelFacts]) -> set[str]:
    """The names of generators or verifiers that are models, and not rules of this package."""
    return {entry.name for entry in entries if entry.model != "rules"}


def _offers_made(row: sqlite3.Row) -> list[list[str]]:
    """The levers that each prompt of a job offered its generator.

    The job holds all offers that were planned. A further one was made only after the generator had declined all levers
    of the one before.
    """
    offers, declined = json.loads(row["offers"]), json.loads(row["declined"])
    if not offers:
        return [[]]  # the only prompt named no lever
    n_refused = sum(declined.keys() >= set(offer) for offer in offers)
    return list(offers[: n_refused + 1])


def plain_item(query: str, passages: Iterable[str], answers: Iterable[str]) -> JsonObject:
    """The JSON of an item without a change, for the page."""
    return {
        "expected": "",
        "answers": list(answers),
        "query": [["same", query]],
        "passages": [{"pieces": [["same", text]]} for text in passages],
        "unchanged": 0,
        "votes": [],
    }


def prompt(title: str, request: ChatRequest) -> JsonObject:
    """The JSON of a prompt, for the page."""
    return {"title": title, "messages": [[message.role, message.content] for message in request.messages]}
