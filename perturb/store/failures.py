"""What failed in a run: calls and unread replies by model and cause; jobs and votes by a fault of a rule or check."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from perturb.classes import Judges
from perturb.store import queries
from perturb.store.recorded import is_missing
from perturb.wording import counted

_WRAPPING = re.compile(
    r"^model '[^']*': |(?: \((?:after \d+ (?:tries|refused calls in a row[^)]*)|no call has passed [^)]*)\))+$"
)
_CHANGING = re.compile(r"(?<!status )\b\w*\d\w*")
"""What differs between two messages of one cause: ids of requests, dates, ports."""

_ADVICE = (
    ("insufficient_quota", "check the account's credit"),
    ("status 40[13]|Authentication|PermissionDenied", "check its key (api_key_env)"),
    ("status 404|NotFound", "check the model's name and api_base"),
    ("connect|getaddrinfo|Name or service", "check that the server is running, and its address (api_base)"),
    ("status 429|RateLimit", "lower max_connections, or set rpm and tpm"),
    ("status 5|InternalServer|ServiceUnavailable", "look at the server's log"),
    ("no reply within", "raise timeout, or lower max_connections"),
)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Calls of one model that failed for one cause."""

    model: str
    calls: int
    cause: str
    """As the first of them says it."""

    def __str__(self) -> str:
        """One line: who, what, and what to do about it where that is known."""
        advice = next((f": {do}" for seen, do in _ADVICE if re.search(seen, self.cause, re.IGNORECASE)), "")
        times = f" ({counted(self.calls, 'call')})" if self.calls > 1 else ""
        return f"{self.model}: {self.cause}{times}{advice}"


@dataclass(frozen=True, slots=True)
class UnreadReplies:
    """Items about which a model gave no readable reply, for one cause."""

    model: str
    items: int
    cause: str
    """As the first of them says it."""

    def __str__(self) -> str:
        """One line: who, how many, why, and what to do about it."""
        items = counted(self.items, "item")
        return f"{self.model}: no readable reply about {items} ({self.cause}): --retry-unparsed asks again"


def call_failures(db: sqlite3.Connection, plan: int | None = None) -> list[CallFailure]:
    """The calls that failed and were not answered since, the most frequent cause first.

    With the `plan` of a build, only those about its jobs.
    """
    mended, about = "d.key = c.key", "1"
    if plan is not None:
        mended = "d.subject = c.subject AND d.model = c.model AND d.purpose = c.purpose AND d.id > c.id"
        about = "c.subject IN (SELECT id FROM jobs WHERE plan = ?)"
    rows = db.execute(
        "SELECT model, error, count(DISTINCT key) AS calls FROM calls c"
        f" WHERE status = 'error' AND NOT {is_missing('error')} AND {about}"
        f" AND NOT EXISTS (SELECT 1 FROM calls d WHERE {mended} AND d.status != 'error')"
        " GROUP BY model, error ORDER BY min(id)",
        () if plan is None else (plan,),
    )
    return [CallFailure(*group) for group in _by_cause(rows)]


def unread_replies(db: sqlite3.Connection, plan: int, panel: str, judges: Judges) -> list[UnreadReplies]:
    """The replies of generators and verifiers of a plan that could not be read, the most frequent cause first.

    Votes that the panel's decision did without are left out: nobody asks for them again.
    """
    rows = db.execute(
        "SELECT generator, detail, 1 FROM jobs WHERE plan = ?3 AND outcome = 'unparsed'"
        f" UNION ALL SELECT v.verifier, coalesce({queries.FIRST_ISSUE}, ''), 1 {queries.UNREAD_VOTES}",
        (json.dumps(judges.keys), panel, plan),
    )
    return [UnreadReplies(*group) for group in _by_cause(rows)]


def _by_cause(rows: Iterable[tuple[str, str, int]]) -> list[tuple[str, int, str]]:
    """Model, number and first message of each cause, the most frequent first, from models, messages and numbers."""
    numbers: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for model, message, number in rows:
        cause = plain_cause(message)
        key = model, _CHANGING.sub("", cause)
        numbers[key] += number
        first.setdefault(key, cause)
    return [(model, number, first[model, cause]) for (model, cause), number in numbers.most_common()]


def first_error(db: sqlite3.Connection, plan: int) -> str:
    """Why the first of the plan's failed jobs failed, faults of rules aside; empty if none did."""
    row = db.execute(
        "SELECT detail FROM jobs WHERE plan = ? AND outcome = 'error'"
        f" AND NOT {queries.is_fault('detail')} ORDER BY seq",
        (plan,),
    ).fetchone()
    return str(row["detail"]) if row else ""


def first_fault(db: sqlite3.Connection, plan: int, judges: Judges) -> str:
    """The line of the plan's first fault of a rule, or else of a check; empty if there is none."""
    row = db.execute(
        f"SELECT detail FROM jobs WHERE plan = ?2 AND outcome = 'error' AND {queries.is_fault('detail')}"
        " UNION ALL SELECT v.raw FROM jobs j JOIN votes v ON v.candidate_id = j.id"
        f" WHERE j.plan = ?2 AND {queries.BY_JUDGE} AND {queries.VOTE_FAULT} LIMIT 1",
        (json.dumps(judges.keys), plan),
    ).fetchone()
    return str(row["detail"]) if row else ""


def plain_cause(error: str) -> str:
    """The text of a failed call without the model's name and the number of tries.

    >>> plain_cause("model 'beta': status 500: out of memory (no call has passed for 240 seconds) (after 7 tries)")
    'status 500: out of memory'
    """
    return _WRAPPING.sub("", error)
