"""The run of a build on its page."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from perturb.llm.client import ChatRequest
from perturb.prompts import Prompts
from perturb.records import Cell, Intensity, JobOutcome, PerturbationClass
from perturb.report.run_data import describe_item, read_run_data
from perturb.resources import code_version
from perturb.store import queries
from perturb.store.plans import current_plan
from perturb.store.queries import BY_JUDGE
from perturb.view.run_view import Row, RunView

_VERDICT = (
    "CASE WHEN j.outcome = 'candidate' THEN coalesce(d.acceptance, 'undecided') ELSE j.outcome END AS verdict"
)
_STAGES: Mapping[str, Mapping[str, str]] = {"accepted": {"verdict": "accepted"}}
"""The stages of the funnel that are one verdict."""


class BuildView(RunView):
    """Jobs that came to an end, be it an item or a failure."""

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
            wanted = {"cell": cell, "generator": name, "verdict": "accepted"}
            return [data.coverage.get((cell, name), 0), wanted]

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
        made = self.db.execute("SELECT 1 FROM candidates WHERE id = ?", (item_id,)).fetchone()
        if made:
            content = describe_item(self.db, self.plan, item_id)
        else:
            instance = queries.instance(self.db, row["instance_key"])
            content = plain_item(instance.query, [one.text for one in instance.passages], instance.answers)
        hidden = self.published and row["outcome"] == JobOutcome.ERROR
        reason = row["reason"] if row["outcome"] == JobOutcome.CANDIDATE else row["detail"]
        votes = queries.votes_of(self.db, item_id, self.plan.judges)
        for vote in content["votes"]:
            said = votes[vote["verifier"]]
            vote["raw"] = said.raw
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
        """What the generator replied, the last reply last; what the job itself kept if the calls are not there."""
        rows = self.db.execute(
            "SELECT reply FROM calls WHERE subject = ? AND purpose = 'generate' AND reply != '' ORDER BY id",
            (job_id,),
        )
        return [row["reply"] for row in rows] or ([raw] if raw else [])

    def _prompts(self, row: sqlite3.Row, content: Mapping[str, Any]) -> list[dict[str, Any]]:
        instance = queries.instance(self.db, row["instance_key"])
        writers = {entry.name for entry in self.plan.facts.generators if entry.model != "rules"}
        found = []
        if row["generator"] in writers:
            offers, declined = json.loads(row["offers"]), json.loads(row["declined"])
            refused = [offer for offer in offers or () if declined.keys() >= set(offer)]
            for offer in offers[: len(refused) + 1] if offers else [[]]:
                levers = [lever for name in offer if (lever := self._rebuilt.catalogue.find(name))]
                cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
                found.append(prompt(row["generator"], self._rebuilt.generation(cell, instance, levers)))
        judges = {entry.name for entry in self.plan.facts.verifiers if entry.model != "rules"}
        if asked := [vote["verifier"] for vote in content["votes"] if vote["verifier"] in judges]:
            request = self._rebuilt.verification(instance, queries.candidate(self.db, row["id"]))
            found.append(prompt(", ".join(asked), request))
        return found


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
    return {"title": title, "messages": [[one.role, one.content] for one in request.messages]}
