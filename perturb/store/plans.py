"""The plan that a build's ledger works on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import LedgerError
from perturb.records import ALL_CELLS, Cell


@dataclass(frozen=True, slots=True)
class CurrentPlan:
    """The plan a ledger works on now."""

    number: int
    config: str
    """The resolved, redacted configuration (YAML)."""
    facts: Mapping[str, Any]
    """What `Blueprint.facts` said when it was planned."""

    @property
    def panel(self) -> str:
        """Digest of the panel whose decisions count."""
        return str(self.facts["panel"]["digest"])

    @property
    def members(self) -> dict[str, str]:
        """Verifier name → fingerprint."""
        return dict(self.facts["panel"]["members"])

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in play."""
        return tuple(cell for cell in ALL_CELLS if str(cell) in self.facts["cells"])


def current_plan(db: sqlite3.Connection, run: Path) -> CurrentPlan:
    """The current plan of a ledger.

    Raises `LedgerError` if the run was never planned, or is not that of a build.
    """
    row = db.execute("SELECT id, config, facts FROM plans WHERE current = 1").fetchone()
    if row is None and db.execute("SELECT 1 FROM items LIMIT 1").fetchone() is not None:
        raise LedgerError(
            f"{run}: is not the run of a build but of an evaluation: read it with `perturb score`,"
            " `perturb refusal-index` or `perturb bas`"
        )
    if row is None:
        raise LedgerError(f"{run}: the run has no plan yet: start it with `perturb build`")
    return CurrentPlan(row["id"], row["config"], json.loads(row["facts"]))
