"""The certificate of a round: the panel's votes on planted items, and the share of wrong labels that they imply.

A *planted item* is an item whose label is known to be right or wrong, and on which the panel votes as on any candidate.
A *fault* is a planted item with a wrong label. A panel that passes faults also passes wrongly labelled candidates.
`perturb.metrics.corrected_rates` turns both rates into the share of wrong labels. The error rates are measured on
planted faults; natural faults may be harder to see.

`certify` reads the votes, `PlantedVerdicts` counts them, and `Certificate` makes the estimates.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

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
    read_class_tallies,
    read_member_tallies,
    read_tally,
)
from perturb.catalogue.classes import Judges
from perturb.files.resources import fraction_of
from perturb.ledger.calls import reading
from perturb.ledger.plans import CurrentPlan, current_plan
from perturb.ledger.planted import class_rules, failed_items, planted_items, planted_votes
from perturb.ledger.queries import accepted_jobs, votes_of
from perturb.metrics.corrected_rates import (
    Share,
    Shares,
    combined_wrong_share,
    wrong_label_share,
    wrong_label_share_alone,
)
from perturb.metrics.inputs import Estimate, Flags
from perturb.records import LABEL_FAULTS, ClassRule, JsonObject, PlantedItem, Verdict, taxonomy_place
from perturb.text.wording import certificate_line

# With this many written faults or more, the share of wrong labels is estimated from them alone.
LEAST_WRITTEN = 24
# With this many faults or more, a class gets its own share of wrong labels.
LEAST_OF_CLASS = 20
# The certificate names each verifier that catches a smaller share of a kind of fault.
POORLY_CAUGHT = 0.5
# It names no verifier that judged fewer faults of the kind.
LEAST_NAMED = 4

# The note of every certificate: what it cannot know.
CAVEAT = "measured on planted faults; natural ones may be harder to see"

# Kinds of faults that a program makes; only `written` ones come from a model.
MECHANICAL = tuple(kind for kind in LABEL_FAULTS if kind != "written")


@dataclass(frozen=True)
class PlantedVerdicts:
    """The vote of each verifier on each planted item."""

    items: tuple[PlantedItem, ...]
    verifiers: tuple[str, ...]
    states: NDArray[np.int8]
    """Shape (items, verifiers), in the codes of `perturb.auditing.votes`."""
    needed: int
    """The number of passes that accept an item."""
    rules: Mapping[str, ClassRule] = field(default_factory=dict)
    """Class → its own rule, for classes that have one."""

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
            votes_on_item = votes.get(item.id, {})
            for name in judges.of(item.candidate.cell.perturbation_class):
                vote = votes_on_item.get(name)
                states[row, names.index(name)] = NOT_ASKED if vote is None else STATE_CODES[vote.state]
        return cls(tuple(items), names, states, needed, rules or {})

    def of_kinds(self, *kinds: str) -> Flags:
        """True for items of one of these kinds."""
        return np.array([item.kind in kinds for item in self.items], dtype=np.bool_)

    @cached_property
    def faults(self) -> Flags:
        """True for items whose label is wrong."""
        return self.of_kinds(*LABEL_FAULTS)

    @cached_property
    def right(self) -> Flags:
        """True for items whose label is right."""
        return self.of_kinds("right")

    @cached_property
    def labelled_classes(self) -> list[str]:
        """The class in the label of each item."""
        return [str(item.candidate.cell.perturbation_class) for item in self.items]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in the labels of the items, in the order of the taxonomy."""
        return tuple(sorted(set(self.labelled_classes), key=taxonomy_place))

    def of_class(self, name: str) -> Flags:
        """True for items whose label has the class."""
        return np.array([labelled == name for labelled in self.labelled_classes], dtype=np.bool_)

    def passes(self, chosen: Flags, verifier: int | None = None) -> Share:
        """The share of the chosen items that a verifier passes, or that the panel accepts, among the decided ones."""
        if verifier is None:
            accepted, rejected = self._panel_decisions
        else:
            states = self.states[:, verifier]
            accepted, rejected = states == PASS, states == FAIL
        return Share(int(accepted[chosen].sum()), int((accepted | rejected)[chosen].sum()))

    @cached_property
    def _panel_decisions(self) -> tuple[Flags, Flags]:
        """Which items the panel accepts, and which it rejects."""
        accepted, rejected = decide_by_rule(self.states, self.needed)
        for name, rule in self.rules.items():
            of_class = self.of_class(name)
            accepted[of_class], rejected[of_class] = self.by_rule(of_class, rule)
            # The rule was chosen because it catches these faults, so they would flatter it. They count as undecided.
            flattering = of_class & self.used_to_choose_rules & self.faults
            accepted[flattering] = False
            rejected[flattering] = False
        return accepted, rejected

    @cached_property
    def used_to_choose_rules(self) -> Flags:
        """True for the half of the items that the rules of classes are chosen by; the other half measures the rules."""
        return np.array([fraction_of("half", item.id) < 0.5 for item in self.items], dtype=np.bool_)

    def by_rule(self, chosen: Flags, rule: ClassRule) -> tuple[Flags, Flags]:
        """Which of the chosen items a rule accepts, and which it rejects."""
        columns = [number for number, name in enumerate(self.verifiers) if name in rule.verifiers]
        return decide_by_rule(self.states[chosen][:, columns], rule.needed)

    @property
    def errors(self) -> NDArray[np.float64]:
        """1 where a verifier passed a fault or failed a right item; one row for each item that all verifiers scored."""
        scored = ((self.states == PASS) | (self.states == FAIL)).all(axis=1)
        wrong_state = np.where(self.faults, PASS, FAIL)
        errors = self.states == wrong_state[:, None]
        return np.asarray(errors[scored & (self.faults | self.right)], dtype=np.float64)


@dataclass(frozen=True)
class Certificate:
    """Estimates of the share of wrong labels of a round, with the votes that they come from."""

    verdicts: PlantedVerdicts
    tally: Tally
    """The panel's decisions on all candidates."""
    tally_by_class: Mapping[str, Tally]
    """The panel's decisions on the candidates of each class."""
    hard: int | None = None
    """Number of hard items: accepted candidates that the solvers failed; None without solvers."""
    people: LabelSample | None = None
    """The labels of accepted candidates that people checked; None if nobody finished one."""
    right_read: int = 0
    """Number of right items that were not planted: candidates whose label people found right."""
    tally_by_verifier: Mapping[str, Tally] = field(default_factory=dict)
    """The votes of each verifier on candidates that the panel decided."""

    @property
    def faults(self) -> Flags:
        """The planted faults that the share of wrong labels is estimated from."""
        written = self.verdicts.of_kinds("written")
        # written faults are the hardest to see, and the most like natural ones
        return written if self.verdicts.passes(written).n >= LEAST_WRITTEN else self.verdicts.faults

    def wrong_labels(self) -> Estimate:
        """The share of wrong labels among the accepted candidates, by planted items."""
        return wrong_label_share(*self._shares(self.tally), items=self.tally.accepted)

    def wrong_labels_alone(self, name: str) -> Estimate | None:
        """The share of wrong labels among the candidates that a verifier passes; None if its votes cannot tell.

        They cannot if the schedule `economy` drew no candidate for every vote, or if classes have rules of their own,
        under which a verifier may be left out.
        """
        tally = self.tally_by_verifier.get(name)
        if tally is None or self.verdicts.rules:
            return None
        alone = self._shares(tally, self.verdicts.verifiers.index(name))
        # Of the candidates that the verifier passes, the share that the panel rejects.
        rejected_share = tally.rejected_by_panel / max(tally.accepted, 1)
        return wrong_label_share_alone(alone, self._shares(self.tally), rejected_share, tally.accepted)

    def _shares(self, tally: Tally, verifier: int | None = None) -> Shares:
        """The shares of planted faults, right items and candidates that a verifier passes, or the panel accepts."""
        false_passes = self.verdicts.passes(self.faults, verifier)
        right_passes = self.verdicts.passes(self.verdicts.right, verifier)
        return false_passes, right_passes, tally.share

    def combined(self) -> Estimate | None:
        """The share by planted items and people together; None if people read no accepted candidate."""
        if self.people is None:
            return None
        return combined_wrong_share(*self._shares(self.tally), self.people.share, items=self.tally.accepted)

    def quoted(self) -> Estimate:
        """The estimate to quote: from planted items and people, or from planted items if people read no candidate."""
        return self.combined() or self.wrong_labels()

    def wrong_labels_of_hard(self) -> Estimate | None:
        """Bounds of the share of wrong labels among the accepted candidates that solvers failed; None without solvers.

        Solvers fail wrongly labelled items more often than others, but it is unknown how much more often. So there is
        no value. At the upper end, all wrong labels are among these items. At the lower end, the other items have as
        many wrong labels as they can.
        """
        if self.hard is None:
            return None
        if not self.hard:
            return Estimate.undefined("solvers failed no accepted item")
        quoted, items = self.quoted(), self.tally.accepted
        # If an end of the interval is missing, anything is possible there.
        fewest_wrong = (0.0 if quoted.low is None else quoted.low) * items
        most_wrong = (1.0 if quoted.high is None else quoted.high) * items
        # At most this many wrong labels fit among the items that solvers did not fail.
        others = items - self.hard
        fewest_wrong_of_hard = max(0.0, fewest_wrong - others)
        return Estimate(
            None,
            low=fewest_wrong_of_hard / self.hard,
            high=min(1.0, most_wrong / self.hard),
            n=self.hard,
            reason="any share of the wrong labels may be among the items that solvers fail",
        )

    def wrong_labels_of(self, name: str) -> Estimate | None:
        """The share of wrong labels in one class, from faults labelled with the class; None if they are too few."""
        false_passes = self.verdicts.passes(self.verdicts.faults & self.verdicts.of_class(name))
        if false_passes.n < LEAST_OF_CLASS or name not in self.tally_by_class:
            return None
        tally = self.tally_by_class[name]
        right_passes = self.verdicts.passes(self.verdicts.right)
        return wrong_label_share(false_passes, right_passes, tally.share, items=tally.accepted)

    @property
    def advice(self) -> list[str]:
        """One line for each verifier and kind of fault that it mostly misses: the numbers, and what to do."""
        lines = []
        for number, name in enumerate(self.verdicts.verifiers):
            for kind, meaning in _MEANING.items():
                caught = self.verdicts.passes(self.verdicts.of_kinds(kind), number).misses
                if caught.n >= LEAST_NAMED and caught.value < POORLY_CAUGHT:
                    lines.append(
                        f"{name} caught {caught.hits:.0f} of {caught.n:.0f} planted faults of the kind '{kind}'"
                        f" ({meaning}): replace it with a stronger model, or set clearer instructions (system)"
                    )
        return lines

    @property
    def headline(self) -> str:
        """The certificate in one line, for reports, audits, cards and builds.

        For example: wrong labels: 1.2 %, 95 % interval 0.2 to 3.4 %, 60 planted items, panel of 3.
        """
        return certificate_line(self.to_dict(), len(self.verdicts.verifiers))

    def to_dict(self) -> JsonObject:
        """Plain values, under the names that docs/panel-details.md explains."""
        verdicts = self.verdicts
        false_passes, right_passes = verdicts.passes(verdicts.faults), verdicts.passes(verdicts.right)
        groups: dict[str, tuple[str, ...]] = {"mechanical": MECHANICAL, "written": ("written",)}
        # The label of `lever` and `degree` items is right although they are flawed, so they count in no other group.
        groups |= {kind: (kind,) for kind in (*MECHANICAL, "lever", "degree")}
        people = None if self.people is None else self.people.estimate
        return {
            "planted": int(false_passes.n),
            "caught": int(false_passes.misses.hits),
            "right": int(right_passes.n),
            "failed_right": int(right_passes.misses.hits),
            "right_read": self.right_read,
            "by_kind": {name: self._kind_fields(verdicts.of_kinds(*kinds)) for name, kinds in groups.items()},
            "panel": self._error_fields(),
            "by_verifier": {
                name: self._error_fields(number) | {"wrong_labels": _spread(self.wrong_labels_alone(name))}
                for number, name in enumerate(verdicts.verifiers)
            },
            "by_class": {name: self._class_fields(name) for name in verdicts.classes},
            "effective_votes": effective_votes(verdicts.errors).to_dict(),
            "wrong_labels": _spread(self.wrong_labels()),
            "people": _spread_with_n(people),
            "combined": _spread(self.combined()),
            "hard": _spread_with_n(self.wrong_labels_of_hard()),
            "rests_on": "written" if (self.faults == verdicts.of_kinds("written")).all() else "all",
            "advice": self.advice,
            "note": CAVEAT,
        }

    def _error_fields(self, verifier: int | None = None) -> JsonObject:
        """The shares of wrong decisions on faults and on right items, of a verifier or of the panel."""
        false_passes = self.verdicts.passes(self.verdicts.faults, verifier)
        false_fails = self.verdicts.passes(self.verdicts.right, verifier).misses
        return {"false_pass": _share_fields(false_passes), "false_fail": _share_fields(false_fails)}

    def _kind_fields(self, is_of_kind: Flags) -> JsonObject:
        """The numbers of planted and caught faults of a kind, for the panel and for each verifier."""
        caught = self.verdicts.passes(is_of_kind).misses
        return {
            "planted": int(caught.n),
            "caught": int(caught.hits),
            "share": _share_fields(caught),
            "by_verifier": {
                name: _share_fields(self.verdicts.passes(is_of_kind, number).misses)
                for number, name in enumerate(self.verdicts.verifiers)
            },
        }

    def _class_fields(self, name: str) -> JsonObject:
        caught = self.verdicts.passes(self.verdicts.faults & self.verdicts.of_class(name)).misses
        too_few = Estimate.undefined(f"fewer than {LEAST_OF_CLASS} planted faults of the class")
        return {
            "planted": int(caught.n),
            "caught": int(caught.hits),
            "wrong_labels": (self.wrong_labels_of(name) or too_few).spread("value"),
        }


# Kind of planted fault → what is wrong with such an item, in the words of the advice.
_MEANING = {
    "class": "another class",
    "behaviour": "answer and refusal swapped",
    "nothing": "nothing was changed",
    "undone": "the answer is back or the rival is gone",
    "written": "wrong in one quiet way",
}


def _spread(estimate: Estimate | None) -> JsonObject | None:
    return None if estimate is None else estimate.spread("value")


def _spread_with_n(estimate: Estimate | None) -> JsonObject | None:
    return None if estimate is None else estimate.spread("value") | {"n": estimate.n}


def _share_fields(share: Share) -> JsonObject:
    estimate = share.estimate()
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def certify(db: sqlite3.Connection, plan: CurrentPlan) -> Certificate | None:
    """The certificate of a plan; None if nothing is planted or no verifier voted on it."""
    votes = planted_votes(db, plan.judges.fingerprints)
    items = [item for item in planted_items(db) if item.id in votes]
    if not items:
        return None
    right_items = read_right_items(db, plan)
    votes |= {item.id: votes_of(db, item.id, plan.judges) for item in right_items}
    rules = class_rules(db, plan.number)
    verdicts = PlantedVerdicts.of([*items, *right_items], votes, plan.judges, plan.facts.panel.needed, rules)
    return Certificate(
        verdicts=verdicts,
        tally=read_tally(db, plan),
        tally_by_class=read_class_tallies(db, plan),
        hard=_count_hard(db, plan),
        people=read_label_sample(db, plan),
        right_read=len(right_items),
        tally_by_verifier=read_member_tallies(db, plan),
    )


def _count_hard(db: sqlite3.Connection, plan: CurrentPlan) -> int | None:
    if not plan.facts.solvers:
        return None
    accepted = {accepted_job.job.id for accepted_job in accepted_jobs(db, plan.number, plan.panel)}
    return len(accepted & failed_items(db, plan.facts.solvers, plan.facts.select.at_least))


def run_certificate(run: Path) -> Certificate | None:
    """The certificate of a run folder. Raises `LedgerError` if it has no run."""
    with reading(run) as db:
        return certify(db, current_plan(db, run))
