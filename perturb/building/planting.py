"""Plants items with known labels among the candidates of a build, and has the panel vote on them.

Verifiers cannot tell planted items from candidates, since both look alike and come in one stream. The ledger of a run
keeps planted items apart from jobs, candidates and votes. `choose_rules` uses the votes on planted items to choose the
rules by which the panel decides on candidates.
"""

from __future__ import annotations

import asyncio
import json
from bisect import insort
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, cycle, islice, zip_longest
from typing import Any

from perturb.auditing.certificate import LEAST_OF_CLASS, PlantedVerdicts
from perturb.building.panel import is_final
from perturb.building.plan import BuildPlan, OpenBuild
from perturb.building.planted_faults import ATTEMPTS, FaultMaker, commissions, write_fault
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import data_folder, digest, fraction_of, seed_of
from perturb.ledger import planted, queries
from perturb.llm.model_client import ModelClient
from perturb.metrics.corrected_rates import Share
from perturb.metrics.inputs import Estimate, Flags
from perturb.records import (
    LABEL_FAULTS,
    BaseInstance,
    Candidate,
    Cell,
    ClassRule,
    Intensity,
    Passage,
    PerturbationClass,
    PlantedItem,
    PlantedKind,
    Verdict,
)

RIGHT_ITEMS = "planted/right.jsonl"
"""The embedded items with right labels, in the data folder `base_sets`."""
MOST_WRONG = 0.1
"""The share of wrong candidates that the choice of rules assumes, since no candidate has a vote yet."""

# Where a planted item comes from: a fault made by rule, a fault written by a generator, or an embedded right item.
_ORIGINS = ("mechanical", "written", "right")

Cast = Callable[[str, BaseInstance, Candidate], Awaitable[Verdict]]
"""Gets the vote of the named verifier on a candidate."""

# The order in which kinds of faults take turns. `planted_faults._MAKERS` explains the kinds. Ten of the twelve make the
# label wrong. A wrong lever and a wrong degree leave it right.
_TURN: tuple[PlantedKind, ...] = (
    "class",
    "behaviour",
    "undone",
    "nothing",
    "class",
    "behaviour",
    "undone",
    "lever",
    "class",
    "behaviour",
    "nothing",
    "degree",
)


def numbers_to_plant(build: OpenBuild) -> dict[str, int]:
    """How many items of each origin a run plants.

    The numbers are those of its recording, of the configuration, of an earlier run of the plan, or the default ones.
    """
    db, replay = build.ledger.db, build.plan.replay
    panel = build.plan.config.resolved_panel
    # A replay without models (`fill` asks models for what the recording lacks) plants what its recording has.
    if replay is not None and (not replay.fill or (panel.plants_by_default and replay.recording.planted)):
        recorded = map(PlantedItem.from_payload, replay.recording.planted)
        counts = Counter(_origin_of(item.kind) for item in recorded)
        return {origin: counts[origin] for origin in _ORIGINS}
    if not panel.plants_by_default:
        return expected_numbers(build.plan)
    stored = planted.planted_numbers(db, build.number)
    if stored is not None:
        return stored
    # A recording without planted items is filled without them. A run of an older version, or one whose jobs began
    # without planted items, must not change halfway.
    began_without = planted.jobs_have_begun(db, build.number) and not planted.planted_items(db)
    if began_without or replay is not None:
        return dict.fromkeys(_ORIGINS, 0)
    return expected_numbers(build.plan)


def expected_numbers(build_plan: BuildPlan) -> dict[str, int]:
    """How many items of each origin a new run plants."""
    panel = build_plan.config.resolved_panel
    # By default, nothing is planted for a panel of offline checks alone, whose errors do not depend on the round.
    offline = all(verifier.kind == "rules" for verifier in panel.verifiers)
    return panel.planting.numbers(0 if offline and panel.plants_by_default else build_plan.least_jobs)


def _origin_of(kind: PlantedKind) -> str:
    """The origin of an item of this kind, one of `_ORIGINS`."""
    return kind if kind in ("written", "right") else "mechanical"


def right_items(catalogue: Catalogue, cells: tuple[Cell, ...], number: int, seed: int) -> list[PlantedItem]:
    """`number` of the embedded items with right labels, spread evenly over the cells of the build."""
    text = (data_folder("base_sets") / RIGHT_ITEMS).read_text(encoding="utf-8")
    of_cell: dict[Cell, list[PlantedItem]] = {cell: [] for cell in cells}
    # Only items whose cell and lever are in the build are used, so that they look like its candidates.
    for row in map(json.loads, text.splitlines()):
        cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
        lever = catalogue.find(row["lever"])
        if cell in of_cell and lever is not None and lever.cell == cell:
            of_cell[cell].append(_right_item(row, cell, catalogue, seed))
    for items in of_cell.values():
        items.sort(key=lambda item: seed_of("right", seed, item.id))
    # One item of each cell in turn, so that every cell has about the same number.
    in_turn = chain.from_iterable(zip_longest(*of_cell.values()))
    return [item for item in in_turn if item is not None][:number]


def _right_item(row: Mapping[str, Any], cell: Cell, catalogue: Catalogue, seed: int) -> PlantedItem:
    instance = BaseInstance.from_payload(row["instance"])
    candidate = Candidate(
        id=digest("planted", seed, "right", instance.id, str(cell), row["lever"], row["query"]),
        instance_id=instance.id,
        generator="",
        cell=cell,
        lever=row["lever"],
        query=row["query"],
        passages=tuple(Passage(**passage) for passage in row["passages"]),
        reasoning=row["reasoning"],
        expected_behavior=catalogue.expected_behavior(cell),
    )
    return PlantedItem("right", instance, candidate)


def choose_rules(verdicts: PlantedVerdicts, target: float) -> dict[str, ClassRule]:
    """The cheapest rule of each class that keeps the share of wrong labels under the target, if there is such a rule.

    One half of the class's faults chooses the rule with the fewest verifiers, and among these the rule that needs the
    most passes. The rule holds only if the other half bounds the share under the target as well. A class with too few
    faults gets no rule.
    """
    rules = {}
    for name in verdicts.classes:
        rule = _rule_of_class(verdicts, name, target)
        if rule is not None:
            rules[name] = rule
    return rules


def _rule_of_class(verdicts: PlantedVerdicts, name: str, target: float) -> ClassRule | None:
    """The rule that `choose_rules` chooses for a class, with its bound on the share of wrong labels."""
    right = verdicts.right
    faults = verdicts.faults & verdicts.of_class(name)
    # With fewer faults, the interval of any rule would be too wide for a decision.
    if int(faults.sum()) < LEAST_OF_CLASS:
        return None
    for rule in _rules_by_cost(verdicts.verifiers):
        if _bound(verdicts, faults & verdicts.used_to_choose_rules, right, rule) <= target:
            # The cheapest rule that the first half accepts gets a single test on the second half. Trying more rules
            # would make the bound too optimistic.
            bound = _bound(verdicts, faults & ~verdicts.used_to_choose_rules, right, rule)
            return replace(rule, bound=bound) if bound <= target else None
    return None


def _rules_by_cost(verifiers: Sequence[str]) -> Iterator[ClassRule]:
    """Yield every rule that is cheaper than the whole panel, by cost. Of equal cost, the stricter rule comes first."""
    # The cost of a rule is the number of its verifiers.
    for size in range(1, len(verifiers)):
        for needed in range(size, 0, -1):
            for chosen in combinations(verifiers, size):
                yield ClassRule(chosen, needed, 1.0)


def _bound(verdicts: PlantedVerdicts, faults: Flags, right: Flags, rule: ClassRule) -> float:
    """The highest share of wrong labels among accepted items under a rule, if `MOST_WRONG` of all candidates are wrong.

    By Bayes' rule, the share is w·f / (w·f + (1 − w)·r). Here w is `MOST_WRONG`, and f and r are the rates at which
    faults and right items pass. The upper end of f and the lower end of r give the highest share.
    """
    false_passes = _acceptance(verdicts, faults, rule)
    right_passes = _acceptance(verdicts, right, rule)
    # Without votes on faults and right items, nothing is known about the rule. Then all labels may be wrong.
    if false_passes.high is None or not right_passes.low:
        return 1.0
    wrong_share = MOST_WRONG * false_passes.high
    right_share = (1 - MOST_WRONG) * right_passes.low
    return wrong_share / (wrong_share + right_share)


def _acceptance(verdicts: PlantedVerdicts, items: Flags, rule: ClassRule) -> Estimate:
    """The share of planted items that a rule accepts."""
    accepted, rejected = verdicts.by_rule(items, rule)
    return Share(int(accepted.sum()), int((accepted | rejected).sum())).estimate()


class Planting:
    """The planted items of one run of a pipeline. `numbers` says how many of each origin it plants."""

    def __init__(self, build: OpenBuild, numbers: Mapping[str, int]) -> None:
        self._build = build
        self._plan = build.plan
        self._ledger = build.ledger
        self._wanted = Counter(numbers)
        config, replay = build.plan.config, build.plan.replay
        self._seed = config.seed
        self._maker = FaultMaker(build.plan.catalogue, config.chosen_cells, config.seed)
        # A continued run keeps what earlier runs planted, and asks only for votes that are missing.
        self._items = {item.id: item for item in planted.planted_items(self._ledger.db)}
        self._hosts = planted.planted_hosts(self._ledger.db)
        """The candidates that planted items were made from."""
        self._votes = planted.planted_votes(self._ledger.db, build.plan.panel.members)
        unvoted = (item for item in self._items.values() if self._missing_votes(item))
        self._waiting = sorted(unvoted, key=self._order)
        """The items that wait for votes. The first one is voted on next."""
        self._is_fixed = not build.plan.asks_models
        """Whether no further items can be planted, because all replies come from a recording."""
        for payload in replay.recording.planted if replay is not None else ():
            self._add(PlantedItem.from_payload(payload))
        if self._number("right") < self._wanted["right"] and not self._is_fixed:
            for item in right_items(build.plan.catalogue, config.chosen_cells, numbers["right"], config.seed):
                self._add(item)

    def offer(self, candidate: Candidate, instance: BaseInstance) -> None:
        """Try to make a mechanical fault from a candidate of the round, if it is drawn."""
        is_drawn = fraction_of("host", self._seed, candidate.id) < self._host_share
        if is_drawn and not self._is_fixed:
            self._make_fault(candidate, instance)

    @cached_property
    def _host_share(self) -> float:
        """Share of the candidates from which the run tries to make a fault as soon as they are generated.

        It is twice the share that is needed, since some candidates do not allow a fault. Faults that are missing at the
        end are made from any candidate.
        """
        query = "SELECT jobs FROM plans WHERE id = ?"
        jobs = self._ledger.db.execute(query, (self._build.number,)).fetchone()[0]
        return min(1.0, 2 * self._wanted["mechanical"] / max(1, jobs or 0))

    def complete(self) -> None:
        """Make the mechanical faults that are still missing, from any candidates of the plan."""
        if self._is_fixed:
            return
        db = self._ledger.db
        query = "SELECT id FROM jobs WHERE plan = ? AND outcome = 'candidate'"
        candidate_ids = [row["id"] for row in db.execute(query, (self._build.number,))]
        candidate_ids.sort(key=lambda candidate_id: seed_of("host", self._seed, candidate_id))
        # First each missing kind where it fits. If kinds are still missing, other kinds take their place.
        for any_kind in (False, True):
            for candidate_id in candidate_ids:
                if not self._missing_kinds():
                    return
                if candidate_id not in self._hosts:
                    instance = queries.instance_of(db, candidate_id)
                    self._make_fault(queries.candidate(db, candidate_id), instance, any_kind=any_kind)

    async def write(self, client: ModelClient, width: int) -> None:
        """Have the generators write the missing items, at most `width` at a time. Raises `BudgetSpent`."""
        plan, wanted = self._plan, self._wanted["written"]
        if self._is_fixed:
            return
        stream = commissions(
            plan.catalogue,
            plan.base_set.instances,
            plan.config.chosen_cells,
            list(plan.generator_settings),
            self._seed,
        )
        # The items of an earlier run are in the ledger already.
        new = (item for item in islice(stream, wanted * ATTEMPTS) if item.id not in self._items)
        while (missing := wanted - self._number("written")) > 0:
            batch = list(islice(new, min(missing, width)))
            if not batch:
                return
            written = await asyncio.gather(
                *(write_fault(client, plan.prompts, commission) for commission in batch)
            )
            for item in filter(None, written):
                self._add(item)

    def take_due(self, candidate_id: str, candidates_left: int) -> PlantedItem | None:
        """A waiting item to vote on beside this candidate, or None.

        The waiting items are spread evenly over the candidates that are still expected.
        """
        # As many items per candidate as are needed to use up all waiting items by the last candidate.
        share = len(self._waiting) / max(1, candidates_left)
        is_drawn = fraction_of("mix", self._seed, candidate_id) < share
        return self._waiting.pop(0) if is_drawn else None

    def take_rest(self) -> Iterator[PlantedItem]:
        """All items that still wait for votes, in an order drawn by the seed."""
        while self._waiting:
            yield self._waiting.pop(0)

    async def vote(self, item: PlantedItem, cast: Cast) -> None:
        """Let every verifier of the class vote on an item, even if the first votes decide. Raises `BudgetSpent`."""
        names = self._missing_votes(item)
        for vote in await asyncio.gather(*(cast(name, item.instance, item.candidate) for name in names)):
            self._votes.setdefault(item.id, {})[vote.verifier] = vote
            self._ledger.record_vote(vote, planted=True)

    def choose_rules(self, target: float) -> dict[str, ClassRule]:
        """The rule of each class that the votes on planted items choose."""
        panel, items = self._plan.panel, sorted(self._items.values(), key=lambda item: item.id)
        verdicts = PlantedVerdicts.of(items, self._votes, panel.judges, panel.needed)
        return choose_rules(verdicts, target)

    def _missing_votes(self, item: PlantedItem) -> list[str]:
        """The verifiers that have not voted on an item yet, or whose call failed."""
        panel = self._plan.panel.of_class(item.candidate.cell.perturbation_class)
        votes = self._votes.get(item.id, {})
        return [name for name in panel.members if not is_final(votes.get(name))]

    def _number(self, origin: str) -> int:
        """How many items of an origin there are already."""
        return sum(_origin_of(item.kind) == origin for item in self._items.values())

    def _missing_kinds(self) -> Counter[PlantedKind]:
        """How many mechanical faults of each kind are missing; none if there are enough of any kind."""
        wanted = self._wanted["mechanical"]
        if self._number("mechanical") >= wanted:
            return Counter()
        return Counter(islice(cycle(_TURN), wanted)) - Counter(item.kind for item in self._items.values())

    def _make_fault(self, candidate: Candidate, instance: BaseInstance, *, any_kind: bool = False) -> None:
        """Make the first missing fault that the candidate allows.

        With `any_kind`, a fault of another kind will do if it allows none of the missing ones.
        """
        if candidate.id in self._hosts:
            return
        missing = self._missing_kinds()
        kinds = [kind for kind in _TURN if kind in missing]
        if any_kind and missing:
            kinds += [kind for kind in LABEL_FAULTS if kind != "written"]  # models write those
        for kind in dict.fromkeys(kinds):
            item = self._maker.make(kind, instance, candidate)
            if item is not None:
                self._add(item, candidate.id)
                return

    def _add(self, item: PlantedItem, host: str = "") -> None:
        """Keep a new item, which then waits for votes.

        `host` is the id of the candidate that it was made from; empty if there is none.
        """
        if item.id not in self._items:
            self._items[item.id] = item
            self._hosts.add(host)
            self._ledger.record_planted(item, host)
            insort(self._waiting, item, key=self._order)

    def _order(self, item: PlantedItem) -> int:
        """The seeded place of an item, so that its kind does not decide when it is voted on."""
        return seed_of("order", self._seed, item.id)
