"""The ledger's account of provider batches: which there are, and which of their rows are still to come.

A row is taken when what came of it is in the ledger; those that are not are asked for again from the same batch.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from perturb.llm.batches import HeldBatch
from perturb.store.calls import CallLedger

_WAITING = "EXISTS (SELECT 1 FROM batch_rows AS r WHERE r.tag = b.tag AND r.taken = 0)"


class BatchLedger(CallLedger):
    """A `perturb.llm.batches.BatchStore`. The state of a batch is `intended`, `submitted`, `lost` or how it ended."""

    def held_batches(self, fingerprint: str) -> list[HeldBatch]:
        """The batches of a model with rows that are still to come, oldest first."""
        found = self.db.execute(
            f"SELECT tag, input_file, batch_id FROM batches AS b WHERE fingerprint = ? AND {_WAITING} ORDER BY rowid",
            (fingerprint,),
        ).fetchall()
        rows = "SELECT custom_id FROM batch_rows WHERE tag = ? AND taken = 0 ORDER BY rowid"
        return [
            HeldBatch(tag, input_file, batch_id, tuple(name for (name,) in self.db.execute(rows, (tag,))))
            for tag, input_file, batch_id in found
        ]

    async def intend_batch(self, batch: HeldBatch, model: str, fingerprint: str) -> None:
        """Note a batch that is about to be made; on disk when this returns."""
        rows = "INSERT INTO batch_rows (tag, custom_id) SELECT ?, value FROM json_each(?)"
        self._put(rows, batch.tag, json.dumps(batch.custom_ids))
        values = (batch.tag, model, fingerprint, batch.input_file)
        self._put("INSERT INTO batches VALUES (?, ?, ?, ?, NULL, 'intended')", *values)
        await self.committed()

    async def note_batch(self, tag: str, batch_id: str) -> None:
        """Note the id that the provider gave to a batch; on disk when this returns."""
        self._put("UPDATE batches SET batch_id = ?, state = 'submitted' WHERE tag = ?", batch_id, tag)
        await self.committed()

    def end_batch(self, tag: str, state: str) -> None:
        """Note how a batch ended; rows that are not taken can still be read from it."""
        self._put("UPDATE batches SET state = ? WHERE tag = ?", state, tag)

    def drop_batch(self, tag: str) -> None:
        """Note that nothing will come of a batch any more."""
        self.end_batch(tag, "lost")
        self._put("UPDATE batch_rows SET taken = 1 WHERE tag = ?", tag)

    def take_rows(self, tag: str, custom_ids: Sequence[str]) -> None:
        """Note that these rows need not be asked of the batch again."""
        rows = (
            "UPDATE batch_rows SET taken = 1 WHERE tag = ? AND custom_id IN (SELECT value FROM json_each(?))"
        )
        self._put(rows, tag, json.dumps(custom_ids))


def count_batches(db: sqlite3.Connection) -> dict[str, int]:
    """How many batches were submitted, with how many rows together, and how many still have rows to come."""
    row = db.execute(
        "SELECT count(*) AS submitted,"
        " (SELECT count(*) FROM batch_rows WHERE tag IN (SELECT tag FROM batches WHERE batch_id IS NOT NULL)) AS rows,"
        f" coalesce(sum({_WAITING}), 0) AS open FROM batches AS b WHERE batch_id IS NOT NULL"
    ).fetchone()
    return dict(row)
