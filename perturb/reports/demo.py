"""What the demo says of itself, in the few lines that a newcomer needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from perturb.ledger.calls import reading
from perturb.ledger.plans import current_plan
from perturb.ledger.queries import call_totals
from perturb.reports.words import describe_replay
from perturb.snapshots.snapshot import read_snapshot
from perturb.text.wording import counted


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
    parts = [f"{len(checks)} by machine checks{_most([row[0] for row in checks])}"]
    parts.append(f"{len(panel)} by the panel{_most([row[0] for row in panel])}")
    return ", ".join(parts)


def _most(reasons: list[str]) -> str:
    if not reasons:
        return ""
    plain = Counter(re.sub(r"'[^']*'|\d+", "…", reason) for reason in reasons)
    reason, times = plain.most_common(1)[0]
    return f" (mostly: {reason}, {counted(times, 'time')})"
