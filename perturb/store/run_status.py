"""Where the run of a build stands."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from perturb.records import JobOutcome
from perturb.store import queries
from perturb.store.calls import reading
from perturb.store.failures import call_failures
from perturb.store.plans import current_plan
from perturb.store.quotas import quota_status
from perturb.store.recorded import missing_replies


def read_status(run: Path) -> dict[str, Any]:
    """Everything that `perturb status` shows of a build, from the ledger alone."""
    with reading(run) as db:
        plan = current_plan(db, run)
        counts = queries.stage_counts(db, plan.number, plan.panel, plan.judges)
        cells = queries.cell_counts(db, plan.number, plan.panel)
        models = queries.call_totals(db)
        declines = queries.declines(db, plan.number)
        missing = missing_replies(db, plan.number, plan.judges)
        failures = call_failures(db, plan.number)
        quota = quota_status(db, plan)
    return {
        "kind": "build",
        "run": str(run),
        "name": plan.facts.name,
        "round": plan.facts.round,
        "jobs": counts.jobs,
        "left": counts.left,
        "stages": {
            **{str(outcome): counts.outcomes.get(outcome, 0) for outcome in JobOutcome},
            "votes": counts.votes,
            "faults": counts.faults,
            **{name: counts.decisions.get(name, 0) for name in ("accepted", "rejected", "undecided")},
        },
        "cells": {str(cell): cells[cell] for cell in plan.cells if cell in cells},
        **({"quota": quota} if quota else {}),
        "declined": declines,
        "missing_replies": missing,
        "models": models,
        "failures": list(map(asdict, failures)),
    }
