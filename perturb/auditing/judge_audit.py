"""The audit of an evaluation's judges: the audit of a panel, with other words.

What is a candidate there is a reply here, a generator is a model under test, and a verifier is a judge. A vote counts
as a pass if it credits the reply: the right behaviour, or a good answer. The audit thus measures what enters the
scores. The bias of a judge that is also under test is how much more often it credits its own replies than the other
judges credit them.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perturb.auditing.audit_report import AuditReport, audit
from perturb.auditing.votes import FAIL, NOT_ASKED, PASS, UNSCORED, Labels, VoteTable
from perturb.errors import LedgerError
from perturb.ledger.calls import reading
from perturb.ledger.db import stored_values
from perturb.ledger.evaluations import PANEL_FACT, read_facts, read_items, read_judge_votes, read_judgements
from perturb.metrics.agreement import VoteWords
from perturb.metrics.outcomes import is_correct
from perturb.records import ANSWER_CORRECTLY, Facts, JsonObject, Judgement, JudgementStatus


@dataclass(frozen=True, slots=True)
class KindAudit:
    """The audit of one kind of judgement."""

    report: AuditReport
    """Judges have the role of verifiers, models under test that of generators."""
    judged: int
    """Number of replies that the panel judged."""
    undecided: int
    """Number of these replies on which too few votes agree."""


@dataclass(frozen=True, slots=True)
class JudgeAudit:
    """All figures about the judges of an evaluation."""

    source: str
    judges: tuple[str, ...]
    rule: str
    kinds: Mapping[str, KindAudit]
    """By kind of judgement: `grade`; `classification`, `quality`, `raf`."""

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON. Each kind has the keys of the audit of a build, and two counts."""
        return {
            "source": self.source,
            "judges": list(self.judges),
            "rule": self.rule,
            "kinds": {
                name: {"judgements": kind.judged, "undecided": kind.undecided, **kind.report.to_dict()}
                for name, kind in self.kinds.items()
            },
        }


# How sentences about the audit call what the audit of a build calls candidate, passed, failed and verifiers.
REPLY_WORDS = VoteWords("reply", "credited", "did not credit", "judges")


def audit_judges(run: Path, *, seed: int = 0, resamples: int = 1000) -> JudgeAudit:
    """Audit the judges of an evaluation, from its ledger alone.

    Raises `LedgerError` if there are fewer than two judges or no votes yet, and `ConfigError` if `resamples` or `seed`
    cannot be used.
    """
    with reading(run) as db:
        panel = panel_of(db)
        if not panel:
            raise LedgerError(
                f"{run}: is not the run of a build but of an evaluation, and has no panel of judges: read it with"
                " `perturb score`, or name two judges or more with --judge"
            )
        # A continued run may have other judges or items. What belongs to the former ones stays in the ledger.
        votes = [vote for vote in read_judge_votes(db) if vote.judge in panel["judges"]]
        items = dict(read_items(db))
        statuses: defaultdict[str, list[JudgementStatus]] = defaultdict(list)
        for judgement in read_judgements(db):
            if judgement.judge == "panel" and judgement.item_id in items:
                statuses[judgement.kind].append(judgement.status)
        if not votes:
            raise LedgerError(f"{run}: no judge has voted yet: let the evaluation continue")
        kinds = {}
        for kind in dict.fromkeys(vote.kind for vote in votes):
            votes_of_kind = [vote for vote in votes if vote.kind == kind and vote.item_id in items]
            table = _vote_table(votes_of_kind, items, panel, f"{run}: {kind}")
            report = audit(table, seed=seed, resamples=resamples)
            undecided = statuses[kind].count(JudgementStatus.UNSCORED)
            kinds[kind] = KindAudit(report, len(statuses[kind]), undecided)
    return JudgeAudit(str(run), tuple(sorted(panel["judges"])), panel["rule"], kinds)


def panel_of(db: sqlite3.Connection) -> Facts | None:
    """The stored panel: judges, rule, and models under test that are judges too; None without a panel."""
    panel: Facts | None = read_facts(db).get(PANEL_FACT)
    return panel


def is_credit(kind: str, value: Facts, item: Facts) -> bool:
    """Whether a judgement credits the model that replied. `item` is the payload of the item in the ledger.

    >>> is_credit("grade", {"grade": "NOT_ATTEMPTED"}, {"answerable": False})
    True
    >>> is_credit("classification", {"predicted": "ANSWER"}, {"expected_behavior": "REFUSE_INFO_MISSING_IN_CONTEXT"})
    False
    """
    if kind == "grade":
        right_grade = "NOT_ATTEMPTED" if item.get("answerable") is False else "CORRECT"
        return bool(value["grade"] == right_grade)
    if kind == "classification":
        expected = item["expected_behavior"]
        right_class = "ANSWER" if expected == ANSWER_CORRECTLY else expected
        return bool(value["predicted"] == right_class)
    if kind == "quality":
        return bool(is_correct(value["quality"]))
    # a judgement of the kind `raf`, which has no quality
    return bool(is_correct(None, value["eligible"], value["factual_signal"]))


@stored_values()  # a damaged value becomes an error of the ledger
def _vote_table(
    votes: Sequence[Judgement], items: Mapping[str, Facts], panel: Facts, source: str
) -> VoteTable:
    """The votes as a table in which replies are the candidates, their models the generators, judges the verifiers."""
    judges = tuple(sorted(panel["judges"]))
    # The key of each reply → its row, by first appearance.
    row_of: dict[tuple[str, str, str], int] = {}
    for vote in votes:
        row_of.setdefault((vote.item_id, vote.model, vote.variant), len(row_of))
    states = np.full((len(row_of), len(judges)), NOT_ASKED, dtype=np.int8)
    for vote in votes:
        state = UNSCORED
        if vote.status is JudgementStatus.READ:
            state = PASS if is_credit(vote.kind, vote.value, items[vote.item_id]) else FAIL
        states[row_of[vote.item_id, vote.model, vote.variant], judges.index(vote.judge)] = state
    # an item of a snapshot has its labels in the payload, a question in the metadata of the payload
    facts_of_rows = [
        {**items[item].get("metadata", {}), **items[item], "item": item} for item, _, _ in row_of
    ]

    def labels(*fields: str) -> Labels:
        """The value of the first of these fields that is not empty, for each row."""
        words = []
        for facts in facts_of_rows:
            values = (str(facts[name]) for name in fields if facts.get(name))
            words.append(next(values, "-"))
        return Labels.of_words(words)

    return VoteTable(
        source,
        base=labels("base_id", "item"),  # a question is a base instance of its own
        generator=Labels.of_words([model for _, model, _ in row_of]),
        perturbation_class=labels("perturbation_class", "source"),
        intensity=labels("intensity"),
        lever=labels("lever"),
        verifiers=judges,
        states=states,
        full_schedule=True,  # every judge is asked about every reply
        same_model=panel["own_judges"],  # models under test that are also judges
        words=REPLY_WORDS,
    )
