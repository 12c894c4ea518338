"""The audit of several judges of an evaluation: that of a panel, with replies instead of candidates.

A vote passes a reply if it is to the credit of the model under test: the right behaviour, a good answer. So what is
audited is what scores read, agreement is about that, and bias is how much more often a judge that is under test itself
credits its own replies than the other judges do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.votes import FAIL, NOT_ASKED, PASS, UNSCORED, Labels, VoteTable
from perturb.errors import LedgerError
from perturb.ledger.calls import reading
from perturb.ledger.db import stored_values
from perturb.ledger.evaluations import PANEL_FACT, read_facts, read_items, read_judge_votes, read_judgements
from perturb.metrics.agreement import VoteWords
from perturb.metrics.outcomes import is_correct
from perturb.records import ANSWER_CORRECTLY, Judgement, JudgementStatus


@dataclass(frozen=True, slots=True)
class KindAudit:
    """One kind of judgement."""

    report: AuditReport
    """Judges stand for verifiers, models under test for generators."""
    judged: int
    """Judgements of the panel."""
    undecided: int
    """Those on which too few votes were the same."""


@dataclass(frozen=True, slots=True)
class JudgeAudit:
    """All figures about several judges."""

    source: str
    judges: tuple[str, ...]
    rule: str
    kinds: Mapping[str, KindAudit]
    """By kind of judgement: `grade`; `classification`, `quality`, `raf`."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; each kind as the audit of a build, beside what the panel came to."""
        return {
            "source": self.source,
            "judges": list(self.judges),
            "rule": self.rule,
            "kinds": {
                name: {"judgements": one.judged, "undecided": one.undecided, **one.report.to_dict()}
                for name, one in self.kinds.items()
            },
        }


REPLY_WORDS = VoteWords("reply", "credited", "did not credit", "judges")


def audit_judges(run: Path, *, seed: int = 0, resamples: int = 1000) -> JudgeAudit:
    """Audit the judges of an evaluation, from its ledger alone.

    Raises `LedgerError` if it has one judge or none, `SourceError` if they gave no vote yet, `ConfigError` if
    `resamples` or `seed` cannot be used.
    """
    with reading(run) as db:
        found = panel_of(db)
        if not found:
            raise LedgerError(
                f"{run}: is not the run of a build but of an evaluation, and has no panel of judges: read it with"
                " `perturb score`, or name two judges or more with --judge"
            )
        votes = [judge_vote for judge_vote in read_judge_votes(db) if judge_vote.judge in found["judges"]]
        items = _items(db)
        decided = [
            judgement
            for judgement in read_judgements(db)
            if judgement.judge == "panel" and judgement.item_id in items
        ]
    if not votes:
        raise LedgerError(f"{run}: no judge has voted yet: let the evaluation go on")
    kinds = {}
    for kind in dict.fromkeys(vote.kind for vote in votes):
        of_kind = [vote for vote in votes if vote.kind == kind and vote.item_id in items]
        table = _vote_table(of_kind, items, found, f"{run}: {kind}")
        said = [one.status for one in decided if one.kind == kind]
        report = audit(table, seed=seed, resamples=resamples)
        kinds[kind] = KindAudit(report, len(said), said.count(JudgementStatus.UNSCORED))
    return JudgeAudit(str(run), tuple(sorted(found["judges"])), found["rule"], kinds)


def panel_of(db: sqlite3.Connection) -> Mapping[str, Any] | None:
    """Who judges an evaluation, by which rule, and which models under test are among them; None of one judge."""
    found: Mapping[str, Any] | None = read_facts(db).get(PANEL_FACT)
    return found


def is_credit(kind: str, value: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Whether a judge's word is to the credit of the model that replied; `item` is what the ledger holds of it.

    >>> is_credit("grade", {"grade": "NOT_ATTEMPTED"}, {"answerable": False})
    True
    >>> is_credit("classification", {"predicted": "ANSWER"}, {"expected_behavior": "REFUSE_INFO_MISSING_IN_CONTEXT"})
    False
    """
    if kind == "grade":
        return bool(value["grade"] == ("NOT_ATTEMPTED" if item.get("answerable") is False else "CORRECT"))
    if kind == "classification":
        expected = item["expected_behavior"]
        return bool(value["predicted"] == ("ANSWER" if expected == ANSWER_CORRECTLY else expected))
    if kind == "quality":
        return bool(is_correct(value["quality"]))
    return bool(is_correct(None, value["eligible"], value["factual_signal"]))


@stored_values()
def _items(db: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    return dict(read_items(db))


@stored_values()
def _vote_table(
    votes: Sequence[Judgement], items: Mapping[str, Mapping[str, Any]], found: Mapping[str, Any], source: str
) -> VoteTable:
    judges = tuple(sorted(found["judges"]))
    places: dict[tuple[str, str, str], int] = {}
    for vote in votes:
        places.setdefault((vote.item_id, vote.model, vote.variant), len(places))
    states = np.full((len(places), len(judges)), NOT_ASKED, dtype=np.int8)
    for vote in votes:
        state = UNSCORED
        if vote.status is JudgementStatus.READ:
            state = PASS if is_credit(vote.kind, vote.value, items[vote.item_id]) else FAIL
        states[places[vote.item_id, vote.model, vote.variant], judges.index(vote.judge)] = state
    about = [{**items[item].get("metadata", {}), **items[item], "item": item} for item, _, _ in places]

    def labels(*names: str) -> Labels:
        """By the first of the fields that says something."""
        words = [next((str(one[name]) for name in names if one.get(name)), "-") for one in about]
        return Labels.of_words(words)

    return VoteTable(
        source,
        base=labels("base_id", "item"),
        generator=Labels.of_words([model for _, model, _ in places]),
        perturbation_class=labels("perturbation_class", "source"),
        intensity=labels("intensity"),
        lever=labels("lever"),
        verifiers=judges,
        states=states,
        full_schedule=True,
        same_model=found["own_judges"],
        words=REPLY_WORDS,
    )
