"""What is told of an evaluation when it ends: counts by model, costs, and what is left to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from perturb.evaluate.classify import ANSWER
from perturb.evaluate.question_run import call_facts
from perturb.evaluate.results import EvaluationRun
from perturb.evaluate.setting import Setting
from perturb.store import EvaluationLedger
from perturb.store.batches import count_batches


def report_facts(
    ledger: EvaluationLedger, run: Path, state: EvaluationRun, setting: Setting
) -> dict[str, Any]:
    """Counts, tokens and cost, under the names of `perturb evaluate --json`."""
    return {
        "run": str(run),
        "snapshot": state.facts["snapshot"],
        "items": state.items,
        "judge": setting.judge.name if setting.judge else None,
        "judge_under_test": list(setting.judges_itself),
        "models": [_counts(name, state) for name in setting.contestants],
        **call_facts(ledger),
        "batches": count_batches(ledger.db),
    }


def _counts(name: str, state: EvaluationRun) -> dict[str, Any]:
    rows = [row for row in state.results if row.model == name]
    unscored = [row.unscored for row in rows if row.unscored is not None]
    errors = [reason.removeprefix("response: ") for reason in unscored if reason.startswith("response: ")]
    return {
        "model": name,
        "replies": len(rows) - len(errors),
        "answers": sum(row.predicted == ANSWER for row in rows),
        "refusals": sum(row.predicted not in (None, ANSWER) for row in rows),
        "unscored": len(unscored) - len(errors),
        "errors": len(errors),
        "missing": state.items - len(rows),
        "first_error": errors[0] if errors else None,
    }


def report_warnings(setting: Setting, facts: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the scores should know, and what is left to do, one line each."""
    yield from setting.item_set.warnings
    for name in setting.judges_itself:
        yield f"{name}: is the judge too and judges its own replies, so its scores may be partial: name another judge"
    judge = setting.judge
    if setting.plan.batch and judge is not None and not setting.goes_by_batch(judge):
        yield f"{judge.name}: cannot be asked by the batch, so the judge was called one by one, at its full price"
    for model in facts["models"]:
        name, unscored = model["model"], model["unscored"]
        if model["errors"]:
            yield f"{name}: {model['errors']} calls failed ({model['first_error']}): run the same command to retry"
        if unscored and setting.judge is None:
            yield f"{name}: {unscored} replies wait for a judge: run again with --judge"
        elif unscored:
            yield f"{name}: {unscored} replies are unscored: run again with --retry-unscored to ask the judge once more"
