"""The certificate of a round: how the panel voted on planted items, and how many labels of the round are wrong.

The error rates are those on planted faults; natural faults may be harder to see.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.agreement import effective_votes
from perturb.auditing.rubric import LabelSample, read_label_sample, read_right_items
from perturb.auditing.votes import (
    ABSENT,
    FAIL,
    NOT_ASKED,
    PASS,
    STATE_CODES,
    Tally,
    decide_by_rule,
    read_tallies,
)
from perturb.catalogue.classes import Judges
from perturb.files.resources import fraction_of
from perturb.ledger.calls import reading
from perturb.ledger.plans import CurrentPlan, current_plan
from perturb.ledger.planted import class_rules, failed_items, planted_items, planted_votes
from perturb.ledger.queries import accepted_jobs, votes_of
from perturb.metrics.corrected_rates import Share, combined_wrong_share, wrong_label_share
from perturb.metrics.inputs import Estimate, Flags
from perturb.records import LABEL_FAULTS, ClassRule, PlantedItem, Verdict, taxonomy_place
from perturb.text.wording import certificate_line

LEAST_WRITTEN = 24
"""From so many written faults on, the share of wrong labels rests on them alone."""
LEAST_OF_CLASS = 20
"""With so many faults of a class, it has a share of its own."""
POORLY_CAUGHT = 0.5
"""A verifier that catches a smaller share of a kind is named."""
LEAST_NAMED = 4
"""Of so few faults of a kind nothing is said of a verifier."""

CAVEAT = "measured on planted faults; natural ones may be harder to see"

MECHANICAL = tuple(kind for kind in LABEL_FAULTS if kind != "written")


@dataclass(frozen=True)
class PlantedVerdicts:
    """What each verifier said of each planted item."""

    items: tuple[PlantedItem, ...]
    verifiers: tuple[str, ...]
    states: NDArray[np.int8]
    """Shape (items, verifiers), in the codes of `perturb.auditing.votes`."""
    needed: int
    """How many passes accept an item."""
    rules: Mapping[str, ClassRule] = field(default_factory=dict)
    """Classes that are decided by a rule of their own."""

    @classmethod
    def of(
        cls,
        items: Sequence[PlantedItem],
        votes: Mapping[str, Mapping[str, Verdict]],
        judges: Judges,
        needed: int,
        rules: Mapping[str, ClassRule] | None = None,
    ) -> PlantedVerdicts:
        """The votes as a matrix; verifiers that do not judge a class are absent."""
        names = tuple(judges.fingerprints)
        states = np.full((len(items), len(names)), ABSENT, dtype=np.int8)
        for row, item in enumerate(items):
            judging = judges.of(item.candidate.cell.perturbation_class)
            for column, name in enumerate(names):
                if name in judging:
                    vote = votes.get(item.id, {}).get(name)
                    states[row, column] = NOT_ASKED if vote is None else STATE_CODES[vote.state]
        return cls(tuple(items), names, states, needed, rules or {})

    def of_kinds(self, *kinds: str) -> Flags:
        """Which items are of one of these kinds."""
        return np.array([item.kind in kinds for item in self.items], dtype=np.bool_)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that faults claim to be of, in the order of the taxonomy."""
        claimed = {str(item.candidate.cell.perturbation_class) for item in self.items}
        return tuple(sorted(claimed, key=taxonomy_place))

    def of_class(self, name: str) -> Flags:
        """Which items claim to be of the class."""
        claimed = [str(item.candidate.cell.perturbation_class) == name for item in self.items]
        return np.array(claimed, dtype=np.bool_)

    def passes(self, chosen: Flags, verifier: int | None = None) -> Share:
        """The share of the chosen items that a verifier passes, or that the panel accepts; of those decided."""
        if verifier is None:
            accepted, rejected = (told[chosen] for told in self._joint)
        else:
            accepted, rejected = self.states[chosen, verifier] == PASS, self.states[chosen, verifier] == FAIL
        return Share(int(accepted.sum()), int((accepted | rejected).sum()))

    @cached_property
    def _joint(self) -> tuple[Flags, Flags]:
        """Which items the panel accepts and rejects. Faults that took part in the choice of a rule count as neither."""
        accepted, rejected = decide_by_rule(self.states, self.needed)
        for name, rule in self.rules.items():
            own = self.of_class(name)
            accepted[own], rejected[own] = self.by_rule(own, rule)
            spent = own & self.chooses & self.of_kinds(*LABEL_FAULTS)
            accepted[spent] = rejected[spent] = False
        return accepted, rejected

    @cached_property
    def chooses(self) -> Flags:
        """The half of the items that choose rules; the other half measures them."""
        return np.array([fraction_of("half", item.id) < 0.5 for item in self.items], dtype=np.bool_)

    def by_rule(self, chosen: Flags, rule: ClassRule) -> tuple[Flags, Flags]:
        """Which of the chosen items a rule accepts and rejects."""
        columns = [number for number, name in enumerate(self.verifiers) if name in rule.verifiers]
        return decide_by_rule(self.states[chosen][:, columns], rule.needed)

    @property
    def errors(self) -> NDArray[np.float64]:
        """For each item that every verifier scored: 1 where a verifier passed a fault or failed a right item."""
        scored = ((self.states == PASS) | (self.states == FAIL)).all(axis=1)
        faults = self.of_kinds(*LABEL_FAULTS)
        rows = scored & (faults | self.of_kinds("right"))
        wrong = np.where(faults[:, None], self.states == PASS, self.states == FAIL)
        return np.asarray(wrong[rows], dtype=np.float64)


@dataclass(frozen=True)
class Certificate:
    """What can be said of the labels of a round."""

    verdicts: PlantedVerdicts
    tally: Tally
    tallies: Mapping[str, Tally]
    """By class."""
    hard: int | None = None
    """How many accepted candidates the solvers failed; None if no solver was asked."""
    people: LabelSample | None = None
    """What people found of a sample of accepted candidates; None if nobody finished one."""
    right_read: int = 0
    """So many of the right items are candidates that people read."""

    @property
    def faults(self) -> Flags:
        """The planted items that the share of wrong labels rests on."""
        written = self.verdicts.of_kinds("written")
        enough = self.verdicts.passes(written).n >= LEAST_WRITTEN
        return written if enough else self.verdicts.of_kinds(*LABEL_FAULTS)

    def wrong_labels(self) -> Estimate:
        """The share of wrong labels among the accepted candidates, by planted items."""
        return wrong_label_share(*self._panel, self.tally.accepted)

    @property
    def _panel(self) -> tuple[Share, Share, Share]:
        """The shares of planted faults, right items and candidates that the panel accepts."""
        right = self.verdicts.of_kinds("right")
        return self.verdicts.passes(self.faults), self.verdicts.passes(right), self.tally.share

    def combined(self) -> Estimate | None:
        """The same by planted items and people together; None if nobody read any."""
        if self.people is None:
            return None
        return combined_wrong_share(*self._panel, self.people.share, self.tally.accepted)

    def quoted(self) -> Estimate:
        """What is quoted: both together where people read items, else planted items alone."""
        return self.combined() or self.wrong_labels()

    def wrong_labels_of_hard(self) -> Estimate | None:
        """The bounds of the same among the accepted candidates that solvers failed; None if no solver was asked.

        Solvers fail wrongly labelled items more often than others. Nobody knows how much more often, so there is no
        value. All wrong labels may be among these items (the upper end), or as few as there is room for elsewhere.
        """
        if self.hard is None:
            return None
        reason = "any share of the wrong labels may be among the items that solvers fail"
        if not self.hard:
            return Estimate.undefined("solvers failed no accepted item")
        whole, items = self.quoted(), self.tally.accepted
        low, high = ((1.0 if end is None else end) * items for end in (whole.low or 0.0, whole.high))
        low = max(0.0, low - (items - self.hard))
        return Estimate(None, low / self.hard, min(1.0, high / self.hard), n=self.hard, reason=reason)

    def wrong_labels_of(self, name: str) -> Estimate | None:
        """The same in one class, by the faults that claim to be of it; None if they are too few."""
        faults = self.verdicts.of_kinds(*LABEL_FAULTS) & self.verdicts.of_class(name)
        passed = self.verdicts.passes(faults)
        if passed.n < LEAST_OF_CLASS or name not in self.tallies:
            return None
        right = self.verdicts.passes(self.verdicts.of_kinds("right"))
        tally = self.tallies[name]
        return wrong_label_share(passed, right, tally.share, tally.accepted)

    @property
    def poorly_caught(self) -> tuple[tuple[str, str, Share], ...]:
        """Verifier, kind and share caught, where a verifier misses more than half of a kind's faults."""
        rows = []
        for number, name in enumerate(self.verdicts.verifiers):
            for kind in LABEL_FAULTS:
                passed = self.verdicts.passes(self.verdicts.of_kinds(kind), number)
                caught = passed.misses
                if passed.n >= LEAST_NAMED and caught.value < POORLY_CAUGHT:
                    rows.append((name, kind, caught))
        return tuple(rows)

    @property
    def advice(self) -> tuple[str, ...]:
        """A line for each verifier and kind of fault that it mostly misses: what is the matter, and what to do."""
        return tuple(
            f"{name} caught {caught.hits:.0f} of {caught.n:.0f} planted faults of the kind '{kind}'"
            f" ({_MEANING[kind]}): replace it with a stronger model, or set clearer instructions (system)"
            for name, kind, caught in self.poorly_caught
        )

    @property
    def headline(self) -> str:
        """The certificate in a line, as report, audit, card and build say it.

        For example: wrong labels: 1.2 %, 95 % interval 0.2 to 3.4 %, 60 planted items, panel of 3.
        """
        return certificate_line(self.to_dict(), len(self.verdicts.verifiers))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, by the names of spec section 13."""
        told, faults = self.verdicts, self.verdicts.of_kinds(*LABEL_FAULTS)
        right = told.of_kinds("right")
        passed, passed_right = told.passes(faults), told.passes(right)
        groups: dict[str, tuple[str, ...]] = {"mechanical": MECHANICAL, "written": ("written",)}
        groups |= {kind: (kind,) for kind in (*MECHANICAL, "lever", "degree")}
        return {
            "planted": int(passed.n),
            "caught": int(passed.n - passed.hits),
            "right": int(passed_right.n),
            "failed_right": int(passed_right.n - passed_right.hits),
            "right_read": self.right_read,
            "by_kind": {name: self._kind(told.of_kinds(*kinds)) for name, kinds in groups.items()},
            "panel": {"false_pass": _told(passed), "false_fail": _told(passed_right.misses)},
            "by_verifier": {
                name: {
                    "false_pass": _told(told.passes(faults, number)),
                    "false_fail": _told(told.passes(right, number).misses),
                }
                for number, name in enumerate(told.verifiers)
            },
            "by_class": {name: self._class(name) for name in told.classes},
            "effective_votes": effective_votes(told.errors).to_dict(),
            "wrong_labels": self.wrong_labels().spread("value"),
            "people": self.people and self.people.estimate.spread("value") | {"n": self.people.read},
            "combined": (both := self.combined()) and both.spread("value"),
            "hard": None
            if (hard := self.wrong_labels_of_hard()) is None
            else hard.spread("value") | {"n": hard.n},
            "rests_on": "written" if (self.faults == told.of_kinds("written")).all() else "all",
            "advice": list(self.advice),
            "note": CAVEAT,
        }

    def _kind(self, chosen: Flags) -> dict[str, Any]:
        """How many faults of a kind were planted and caught, by the panel and by each verifier."""
        passed = self.verdicts.passes(chosen)
        return {
            "planted": int(passed.n),
            "caught": int(passed.n - passed.hits),
            "share": _told(passed.misses),
            "by_verifier": {
                name: _told(self.verdicts.passes(chosen, number).misses)
                for number, name in enumerate(self.verdicts.verifiers)
            },
        }

    def _class(self, name: str) -> dict[str, Any]:
        chosen = self.verdicts.of_kinds(*LABEL_FAULTS) & self.verdicts.of_class(name)
        passed, share = self.verdicts.passes(chosen), self.wrong_labels_of(name)
        few = f"fewer than {LEAST_OF_CLASS} planted faults of the class"
        wrong = Estimate.undefined(few) if share is None else share
        return {
            "planted": int(passed.n),
            "caught": int(passed.n - passed.hits),
            "wrong_labels": wrong.spread("value"),
        }


_MEANING = {
    "class": "another class",
    "behaviour": "answer and refusal swapped",
    "nothing": "nothing was changed",
    "undone": "the answer is back or the rival is gone",
    "written": "wrong in one quiet way",
}


def _told(share: Share) -> dict[str, Any]:
    content = share.estimate().to_dict()
    return {name: content[name] for name in ("value", "low", "high", "n")}


def certify(db: sqlite3.Connection, plan: CurrentPlan) -> Certificate | None:
    """The certificate of a plan; None if nothing is planted or no verifier voted on it."""
    votes = planted_votes(db, plan.judges.fingerprints)
    items = [item for item in planted_items(db) if item.id in votes]
    if not items:
        return None
    read = read_right_items(db, plan)
    votes |= {item.id: votes_of(db, item.id, plan.judges) for item in read}
    rules = class_rules(db, plan.number)
    verdicts = PlantedVerdicts.of([*items, *read], votes, plan.judges, plan.facts.panel.needed, rules)
    tallies = read_tallies(db, plan)
    people = read_label_sample(db, plan)
    return Certificate(verdicts, tallies.pop(""), tallies, _count_hard(db, plan), people, len(read))


def _count_hard(db: sqlite3.Connection, plan: CurrentPlan) -> int | None:
    if not plan.facts.solvers:
        return None
    accepted = {accepted_job.job.id for accepted_job in accepted_jobs(db, plan.number, plan.panel)}
    return len(accepted & failed_items(db, plan.facts.solvers, plan.facts.select.at_least))


def run_certificate(run: Path) -> Certificate | None:
    """The certificate of a run folder. Raises `LedgerError` if it holds no run."""
    with reading(run) as db:
        return certify(db, current_plan(db, run))
