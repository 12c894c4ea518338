"""Where a run stands, of whatever kind it is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from perturb.store import queries, run_status
from perturb.store.batches import count_batches
from perturb.store.calls import reading
from perturb.store.evaluations import read_facts
from perturb.store.failures import call_failures
from perturb.store.recorded import missing_answers


def read_status(run: Path) -> dict[str, Any]:
    """Everything that `perturb status` shows of a build or an evaluation, from the ledger alone.

    Raises `LedgerError` if there is no run, or one that cannot be read.
    """
    with reading(run) as db:
        facts = read_facts(db)
        if not facts:
            return run_status.read_status(run)
        from perturb.evaluate.standing import LEFT, count_replies

        name, counts = count_replies(db, facts, run)
        return {
            "kind": "evaluation",
            "run": str(run),
            "name": name,
            "replies": sum(sum(found.values()) for found in counts.values()),
            "left": sum(found[state] for found in counts.values() for state in LEFT),
            "under_test": counts,
            "until": {name: one["until"] for name, one in facts.get("models", {}).items() if "until" in one},
            "batches": count_batches(db),
            "missing_replies": missing_answers(db),
            "models": queries.call_totals(db),
            "failures": list(map(asdict, call_failures(db))),
        }
