"""The status of a run, for builds and evaluations."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

from perturb.ledger import queries
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import count_batches, read_facts
from perturb.ledger.failures import call_failures, missing_answers, missing_replies, unread_replies
from perturb.ledger.plans import current_plan
from perturb.ledger.quotas import quota_status
from perturb.records import JobOutcome


def read_status(run: Path) -> dict[str, Any]:
    """The content of `perturb status` for a build or an evaluation, from its ledger.

    Raises `LedgerError` if there is no run, or if it cannot be read.
    """
    with reading(run) as db:
        facts = read_facts(db)
        if not facts:
            return _build_status(db, run)
        from perturb.evaluation.standing import LEFT, count_replies

        name, counts = count_replies(db, facts, run)
        return {
            "kind": "evaluation",
            "run": str(run),
            "name": name,
            "replies": sum(sum(states.values()) for states in counts.values()),
            "left": sum(states[state] for states in counts.values() for state in LEFT),
            "under_test": counts,
            "until": {
                name: model_facts["until"]
                for name, model_facts in facts.get("models", {}).items()
                if "until" in model_facts
            },
            "batches": count_batches(db),
            "missing_replies": missing_answers(db),
            "models": queries.call_totals(db),
            "failures": list(map(asdict, call_failures(db))),
        }


def _build_status(db: sqlite3.Connection, run: Path) -> dict[str, Any]:
    plan = current_plan(db, run)
    counts = plan.count_stages(db)
    cells = queries.cell_counts(db, plan.number, plan.panel)
    quota = quota_status(db, plan)
    depths = queries.depth_counts(db, plan.number, plan.panel)
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
        **({"depths": depths} if depths else {}),
        **({"quota": quota} if quota else {}),
        "declined": queries.declines(db, plan.number),
        "missing_replies": missing_replies(db, plan.number, plan.judges),
        "models": queries.call_totals(db),
        "failures": list(map(asdict, call_failures(db, plan.number))),
        "unread": list(map(asdict, unread_replies(db, plan.number, plan.panel, plan.judges))),
    }
