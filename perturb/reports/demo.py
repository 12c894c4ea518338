"""Items as text, for `perturb show`, and what the demo says of itself, in the few lines that a newcomer needs."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.ledger.queries import call_totals
from perturb.reports.run_data import choose_items
from perturb.reports.words import describe_replay
from perturb.snapshots.snapshot import read_snapshot
from perturb.text.passages import mark_change
from perturb.text.wording import counted, listed


def shown_items(folder: Path) -> list[dict[str, Any]]:
    """The items of a run, accepted or not, or those of a snapshot, as `describe_item` gives them, with their outcome.

    Raises `LedgerError` or `SnapshotError` if the folder holds neither.
    """
    if (folder / "manifest.json").is_file():
        return list(map(_item_of_row, read_snapshot(folder).read_rows()))
    with reading(folder) as db:
        return choose_items(db, current_plan(db, folder), sys.maxsize)[0]


def _item_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    change = mark_change(row["original_context"], row["perturbed_context"])
    return {
        "id": row["id"],
        "cell": f"{row['perturbation_class']}/{row['intensity']}",
        "class": row["perturbation_class"],
        "intensity": row["intensity"],
        "generator": row["generator_model"],
        "lever": row["lever_selected"],
        "expected": row["expected_rag_behavior"],
        "answers": list(row["original_answers"]),
        "query": mark_change(row["original_query"], row["perturbed_query"]),
        "passages": [{"pieces": change}],
        "unchanged": 0,
        "votes": [],
        "outcome": "accepted",
        "reason": "",
    }


_MARKS = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
_COLOURED = {"same": "{}", "out": "\x1b[9;31m{}\x1b[0m", "in": "\x1b[32m{}\x1b[0m"}


def render_item(item: Mapping[str, Any], *, colour: bool = False) -> str:
    """An item as text, its changes marked: `[-out-]` and `{+in+}`, or struck out in red and set in green.

    What would steer a terminal is taken out of the texts.
    """
    marks = _COLOURED if colour else _MARKS

    def text(pieces: Iterable[Sequence[str]]) -> str:
        return "".join(marks[kind].format(_printable(words)) for kind, words in pieces if words)

    lines = [
        f"{item['cell']}, lever {item['lever']}, by {item['generator']}: {item['outcome']}",
        f"Question: {text(item['query'])}",
        *(f"Passage: {text(one['pieces'])}" for one in item["passages"]),
        f"Answers before the change: {', '.join(map(_printable, item['answers']))}",
        f"Expected now: {item['expected']}",
    ]
    if item["unchanged"]:
        lines.insert(-2, f"({counted(item['unchanged'], 'further passage')} not changed)")
    if item["votes"]:
        votes = (f"{one['verifier']} {one['verdict']}" for one in item["votes"])
        lines.append(f"Votes: {', '.join(votes)}")
    if item["reason"]:
        lines.append(f"Reason: {_printable(item['reason'])}")
    return "\n".join(lines)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def describe_demo(run: Path, page: Path) -> Iterator[str]:
    """What was made, how far the verifiers agree, what was rejected and why, where the report is, what to do next."""
    snapshot = read_snapshot(run / "snapshot")
    manifest = snapshot.manifest
    stages = manifest["counts"]["stages"]
    writers = " and ".join(entry["name"] for entry in manifest["generators"])
    verifiers = ", ".join(entry["name"] for entry in manifest["verifiers"])
    with reading(run) as db:
        calls = sum(entry["calls"] for entry in call_totals(db).values())
    yield (
        f"Made: {counted(manifest['counts']['rows'], 'item')} of {counted(stages['jobs'], 'job')}, written by"
        f" {writers}, judged by {verifiers}: {snapshot.folder}"
    )
    yield describe_replay(calls, manifest["replies"]["replies"])
    kappa = ((manifest["agreement"] or {}).get("figures") or {}).get("mean of Cohen's κ")
    if kappa is None or kappa["value"] is None:
        yield f"Agreement: κ cannot be told ({kappa['reason'] if kappa else 'no votes'})"
    else:
        width = f" ({kappa['reason']})" if kappa["reason"] else ""
        if kappa["low"] is not None:
            width = f" (95 % {kappa['low']:.2f} … {kappa['high']:.2f})"
        yield f"Agreement: mean Cohen's κ of two verifiers {kappa['value']:.2f}{width}"
    yield f"Rejected: {_rejections(run)}"
    yield f"Report: {page}"
    yield "Next: `perturb init`, name models of your own in build.yaml, then `perturb build build.yaml --dry-run`"


def _rejections(run: Path) -> str:
    with reading(run) as db:
        plan = current_plan(db, run)
        checks = db.execute(
            "SELECT detail FROM jobs WHERE plan = ? AND outcome = 'rejected_by_checks'", (plan.number,)
        ).fetchall()
        panel = db.execute(
            "SELECT d.reason FROM decisions d JOIN jobs j ON j.id = d.candidate_id"
            " WHERE j.plan = ? AND d.panel = ? AND d.acceptance = 'rejected'",
            (plan.number, plan.panel),
        ).fetchall()
    by_checks = f"{len(checks)} by machine checks{_most([row[0] for row in checks])}"
    return f"{by_checks}, {len(panel)} by the panel{_most([row[0] for row in panel])}"


def _most(reasons: list[str]) -> str:
    """The commonest reason and how often it is given, as a clause."""
    if not reasons:
        return ""
    plain = Counter(re.sub(r"'[^']*'|\d+", "…", reason) for reason in reasons)
    reason, times = plain.most_common(1)[0]
    verifiers = reason.removeprefix("failed by ").split(", ")
    if reason.startswith("failed by ") and len(verifiers) > 1:
        return f" ({times} of them by all of {listed(verifiers)})"
    return f" ({times} of them: {reason})"
