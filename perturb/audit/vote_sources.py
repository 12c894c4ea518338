"""Where votes come from: a run's ledger, or a file with one row per vote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perturb.audit.votes import (
    ABSENT,
    AUDITED,
    COLUMNS,
    LANGUAGE,
    Coded,
    VoteTable,
    coded_vote_table,
    vote_table,
)
from perturb.classes import Judges
from perturb.records import PerturbationClass
from perturb.store.calls import reading
from perturb.store.queries import BY_JUDGE
from perturb.tables import read_columns

if TYPE_CHECKING:
    import sqlite3

    from perturb.store.plans import CurrentPlan, PlanFacts

_PAGE = 4_000
"""Votes that are read at a time."""

_VOTES_QUERY = f"""
    SELECT j.id, j.base_id, j.generator, v.verifier, j.perturbation_class, j.intensity, c.lever, v.state,
        coalesce(d.audited, 0), j.instance_key
    FROM jobs j
    JOIN candidates c ON c.id = j.id
    JOIN votes v ON v.candidate_id = j.id
    LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?2
    WHERE j.plan = ?3 AND j.outcome = 'candidate' AND {BY_JUDGE}
"""  # noqa: S608  (constants; every value is bound)


def read_votes(source: Path | str) -> VoteTable:
    """The votes of a run (its folder), or of a `.jsonl`, `.csv` or `.parquet` file.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder holds no run.
    """
    path = Path(source)
    if path.is_dir():
        return read_run(path)
    columns = (*COLUMNS, AUDITED, LANGUAGE)
    frame = read_columns(path, columns, texts=columns)
    empty = [name for name in (AUDITED, LANGUAGE) if name in frame and frame[name].isna().all()]
    return vote_table(frame.drop(columns=empty), str(path))


def read_run(folder: Path) -> VoteTable:
    """The votes of the current plan by the panel as it is set now.

    Raises `LedgerError` if there is no ledger or no plan, `SourceError` if there is no vote.
    """
    from perturb.store.plans import current_plan

    with reading(folder) as db:
        return read_plan(db, current_plan(db, folder), str(folder))


def read_plan(db: sqlite3.Connection, plan: CurrentPlan, name: str) -> VoteTable:
    """The votes of a plan in an open ledger; `name` says in messages where they come from.

    Raises `SourceError` if there is no vote.
    """
    table = coded_vote_table(_query(db, plan), name)
    economy = plan.facts.panel.schedule == "economy"
    catalogue = plan.load_catalogue()
    return replace(
        table,
        states=np.where(_absent(table, plan.judges), ABSENT, table.states).astype(np.int8),
        audited=table.audited if economy else None,
        full_schedule=not economy,
        same_model=_same_model(plan.facts),
        unfinished=plan.count_stages(db).unfinished,
        known_levers=frozenset(lever.name for cell in plan.cells for lever in catalogue.levers_of(cell)),
    )


def _absent(table: VoteTable, judges: Judges) -> NDArray[np.bool_]:
    """Where a verifier does not judge the class of a candidate: shape (candidates, verifiers)."""
    named = [judges.of(PerturbationClass(name)) for name in table.perturbation_class.names]
    absent = np.array(
        [[verifier not in one for verifier in table.verifiers] for one in named], dtype=np.bool_
    )
    return absent[table.perturbation_class.codes]


def _query(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Coded]:
    """The votes' columns, numbered page by page: as Python objects they would need ten times the memory."""
    names: dict[str, dict[Any, int]] = {name: {} for name in (*COLUMNS, AUDITED, LANGUAGE)}
    pages: dict[str, list[NDArray[np.int32]]] = {name: [] for name in names}
    cursor = db.execute(_VOTES_QUERY, (json.dumps(plan.judges.keys), plan.panel, plan.number))
    for rows in iter(lambda: cursor.fetchmany(_PAGE), []):
        for (name, known), values in zip(names.items(), zip(*rows, strict=True), strict=True):
            numbers = (known.setdefault(value, len(known)) for value in values)
            pages[name].append(np.fromiter(numbers, np.int32, len(rows)))
    spoken = dict(
        db.execute("SELECT key, coalesce(json_extract(payload, '$.language'), 'en') FROM instances")
    )
    found = {**names, LANGUAGE: [spoken[key] for key in names[LANGUAGE]]}
    return {
        name: (np.concatenate([np.empty(0, np.int32), *pages[name]]), list(found[name])) for name in names
    }


def _same_model(facts: PlanFacts) -> dict[str, str]:
    """Generators and verifiers that have different names and are one model all the same."""
    names = {entry.name for entry in facts.verifiers}
    pairs = {}
    for generator in facts.generators:
        twins = [one.name for one in facts.verifiers if one.model == generator.model != "rules"]
        if generator.name not in names and len(twins) == 1:
            pairs[generator.name] = twins[0]
    return pairs
