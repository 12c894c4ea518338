"""Plants items with known labels among the candidates of a build, and has the panel vote on them.

Verifiers cannot tell planted items from candidates, since both look alike and come in one stream. The ledger of a run
keeps planted items apart from jobs, candidates and votes.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, cycle, islice, zip_longest

from perturb.auditing.certificate import LEAST_OF_CLASS, PlantedVerdicts
from perturb.building.panel import Panel, is_final
from perturb.building.plan import BuildPlan
from perturb.building.planted_faults import (
    ATTEMPTS,
    Commission,
    FaultMaker,
    commissions,
    write_fault,
)
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import data_folder, digest, fraction_of, seed_of
from perturb.ledger import planted, queries
from perturb.ledger.plans import Ledger
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


def kinds_in_turn(number: int) -> Iterator[PlantedKind]:
    """The kinds of the first `number` faults that are made by rule.

    >>> list(kinds_in_turn(3))
    ['class', 'behaviour', 'undone']
    """
    return islice(cycle(_TURN), number)


def fix_numbers(build_plan: BuildPlan, ledger: Ledger, plan: int, jobs: int) -> dict[str, int]:
    """Decide how many items of each sort the run plants, and store the numbers with the plan."""
    numbers = _numbers_to_plant(build_plan, ledger, plan, jobs)
    ledger.fix_planted(plan, numbers)
    return numbers


def _numbers_to_plant(build_plan: BuildPlan, ledger: Ledger, plan: int, jobs: int) -> dict[str, int]:
    """The numbers of the recording, of the configuration, of an earlier run of the plan, or by default."""
    panel, replay = build_plan.config.resolved_panel, build_plan.replay
    # A replay without models (`fill` asks models for what the recording lacks) plants what its recording has.
    if replay is not None and (not replay.fill or (panel.plants_by_default and replay.recording.planted)):
        recorded = map(PlantedItem.from_payload, replay.recording.planted)
        sorts = Counter(_sort_of(item.kind) for item in recorded)
        return {name: sorts[name] for name in ("mechanical", "written", "right")}
    if not panel.plants_by_default:
        return expected_numbers(build_plan, jobs)
    stored = planted.planted_numbers(ledger.db, plan)
    if stored is not None:
        return stored
    # A recording without planted items is filled without them. A run of an older version, or one whose jobs began
    # without planted items, must not change halfway.
    has_planted = bool(planted.planted_items(ledger.db))
    began_without = planted.jobs_have_begun(ledger.db, plan) and not has_planted
    return expected_numbers(build_plan, 0 if began_without or replay is not None else jobs)


def expected_numbers(build_plan: BuildPlan, jobs: int) -> dict[str, int]:
    """How many items of each sort a new run with `jobs` jobs plants."""
    entry = build_plan.config.resolved_panel
    offline = all(verifier.kind == "rules" for verifier in build_plan.config.verifiers)
    # By default, nothing is planted for a panel of offline checks alone, whose errors do not depend on the round.
    return entry.planting.numbers(0 if offline and entry.plants_by_default else jobs)


def _sort_of(kind: str) -> str:
    """The sort that the configuration counts: `written`, `right`, or `mechanical` for all faults made by rule."""
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
    in_turn: list[PlantedItem] = []
    for turn in zip_longest(*of_cell.values()):
        in_turn += [item for item in turn if item is not None]
    return in_turn[:number]


def _right_item(row: Mapping[str, object], cell: Cell, catalogue: Catalogue, seed: int) -> PlantedItem:
    instance = BaseInstance.from_payload(row["instance"])  # type: ignore[arg-type]
    passages = tuple(Passage(**passage) for passage in row["passages"])  # type: ignore[attr-defined]
    query, lever = str(row["query"]), str(row["lever"])
    candidate = Candidate(
        id=digest("planted", seed, "right", instance.id, str(cell), lever, query),
        instance_id=instance.id,
        generator="",
        cell=cell,
        lever=lever,
        query=query,
        passages=passages,
        reasoning=str(row["reasoning"]),
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
    right = verdicts.of_kinds("right")
    faults = verdicts.of_kinds(*LABEL_FAULTS) & verdicts.of_class(name)
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

    This is Bayes' rule, with the upper end of the rate at which faults pass and the lower end of that of right items.
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
    """The planted items of one run of a pipeline."""

    def __init__(self, build_plan: BuildPlan, ledger: Ledger, plan: int, numbers: Mapping[str, int]) -> None:
        self.numbers = numbers
        self._build_plan = build_plan
        self._ledger = ledger
        self._plan = plan
        config = build_plan.config
        self._maker = FaultMaker(build_plan.catalogue, config.chosen_cells, config.seed)
        self._items = {item.id: item for item in planted.planted_items(ledger.db)}
        # A continued run keeps what earlier runs planted, and asks only for votes that are missing.
        self._hosts = planted.planted_hosts(ledger.db)
        self._votes = planted.planted_votes(ledger.db, build_plan.panel.members)
        replay = build_plan.replay
        self._is_fixed = not build_plan.asks_models
        """Whether no further items can be planted, because all replies come from a recording."""
        for payload in replay.recording.planted if replay is not None else ():
            self._add(PlantedItem.from_payload(payload))
        if self._number("right") < numbers.get("right", 0) and not self._is_fixed:
            for item in right_items(build_plan.catalogue, config.chosen_cells, numbers["right"], config.seed):
                self._add(item)
        # The last item of this list is voted on next.
        self._waiting = [item for item in self._items.values() if self.missing_votes(item)]
        self._waiting.sort(key=self._order, reverse=True)

    @property
    def wanted(self) -> int:
        """How many items the run plants."""
        return sum(self.numbers.values())

    @cached_property
    def _host_share(self) -> float:
        """Share of the candidates from which the run tries to make a fault as soon as they are generated.

        It is twice the share that is needed, since some candidates do not allow a fault. Faults that are missing at the
        end are made from any candidate.
        """
        jobs = self._ledger.db.execute("SELECT jobs FROM plans WHERE id = ?", (self._plan,)).fetchone()[0]
        return min(1.0, 2 * self.numbers.get("mechanical", 0) / max(1, jobs or 0))

    def offer(self, candidate: Candidate, instance: BaseInstance) -> None:
        """Try to make a mechanical fault from a candidate of the round, if it is drawn."""
        is_drawn = fraction_of("host", self._build_plan.config.seed, candidate.id) < self._host_share
        if is_drawn and not self._is_fixed:
            self._make_fault(candidate, instance)

    def complete(self) -> None:
        """Make the mechanical faults that are still missing, from any candidates of the plan."""
        if self._is_fixed:
            return
        seed = self._build_plan.config.seed
        rows = self._ledger.db.execute(
            "SELECT id FROM jobs WHERE plan = ? AND outcome = 'candidate'", (self._plan,)
        ).fetchall()
        hosts = sorted((row["id"] for row in rows), key=lambda name: seed_of("host", seed, name))
        # First each missing kind where it fits. If kinds are still missing, other kinds take their place.
        for any_kind in (False, True):
            for name in hosts:
                if not self._missing_kinds():
                    return
                if name not in self._hosts:
                    instance = queries.instance_of(self._ledger.db, name)
                    self._make_fault(queries.candidate(self._ledger.db, name), instance, any_kind=any_kind)

    def take_due(self, key: str, candidates_left: int) -> PlantedItem | None:
        """A waiting item to vote on beside the candidate with this key, or None.

        The waiting items are spread evenly over the candidates that are still expected.
        """
        # As many items per candidate as are needed to use up all waiting items by the last candidate.
        share = len(self._waiting) / max(1, candidates_left)
        is_drawn = fraction_of("mix", self._build_plan.config.seed, key) < share
        return self._waiting.pop() if is_drawn and self._waiting else None

    def take_rest(self) -> Iterator[PlantedItem]:
        """All items that still wait for votes, in an order drawn by the seed."""
        while self._waiting:
            yield self._waiting.pop()

    def commissioned(self) -> Iterator[Commission]:
        """Yield commissions for generators: one for each missing item, and one more for each that fails."""
        config = self._build_plan.config
        wanted_number = self.numbers.get("written", 0)
        if self._is_fixed or wanted_number <= self._number("written"):
            return
        instances = [instance for _, instance in self._build_plan.instances]
        writers = list(self._build_plan.generator_settings)
        stream = commissions(self._build_plan.prompts, instances, config.chosen_cells, writers, config.seed)
        for commission in islice(stream, wanted_number * ATTEMPTS):
            if self._number("written") >= wanted_number:
                return
            # The items of an earlier run are in the ledger already.
            if commission.id not in self._items:
                yield commission

    async def write(self, client: ModelClient, width: int) -> None:
        """Have the generators write the missing items, at most `width` at a time. Raises `BudgetSpent`."""
        stream = self.commissioned()
        while (missing := self.numbers.get("written", 0) - self._number("written")) > 0:
            batch = list(islice(stream, min(missing, width)))
            if not batch:
                return
            written = await asyncio.gather(
                *(write_fault(client, self._build_plan.prompts, commission) for commission in batch)
            )
            for item in filter(None, written):
                self._add(item)
                self._wait(item)

    def choose_rules(self, target: float) -> dict[str, ClassRule]:
        """The rule of each class that the votes on planted items choose."""
        panel, items = self._build_plan.panel, sorted(self._items.values(), key=lambda item: item.id)
        verdicts = PlantedVerdicts.of(items, self._votes, panel.judges, panel.needed)
        return choose_rules(verdicts, target)

    def missing_votes(self, item: PlantedItem) -> list[str]:
        """The verifiers that have not voted on an item yet, or whose call failed."""
        panel = self._panel_of(item)
        votes = self._votes.get(item.id, {})
        return [name for name in panel.members if not is_final(votes.get(name))]

    async def vote(self, item: PlantedItem, cast: Cast) -> None:
        """Let every verifier of the class vote on an item, even if the first votes decide. Raises `BudgetSpent`."""
        names = self.missing_votes(item)
        for vote in await asyncio.gather(*(cast(name, item.instance, item.candidate) for name in names)):
            self._votes.setdefault(item.id, {})[vote.verifier] = vote
            self._ledger.record_vote(vote, planted=True)

    def _panel_of(self, item: PlantedItem) -> Panel:
        return self._build_plan.panel.of_class(item.candidate.cell.perturbation_class)

    def _number(self, sort: str) -> int:
        """How many items of a sort there are already."""
        return sum(_sort_of(item.kind) == sort for item in self._items.values())

    def _missing_kinds(self) -> Counter[str]:
        """How many mechanical faults of each kind are missing; none if there are enough of any kind."""
        wanted_number = self.numbers.get("mechanical", 0)
        if self._number("mechanical") >= wanted_number:
            return Counter()
        existing = Counter(str(item.kind) for item in self._items.values())
        return Counter(map(str, kinds_in_turn(wanted_number))) - existing

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
                self._wait(item)
                return

    def _add(self, item: PlantedItem, host: str = "") -> None:
        """Keep an item. `host` is the id of the candidate that it was made from; empty if there is none."""
        if item.id not in self._items:
            self._items[item.id] = item
            self._hosts.add(host)
            self._ledger.record_planted(item, host)

    def _wait(self, item: PlantedItem) -> None:
        """Put an item among those that wait for votes."""
        self._waiting.append(item)
        self._waiting.sort(key=self._order, reverse=True)

    def _order(self, item: PlantedItem) -> int:
        """The seeded place of an item, so that its kind does not decide when it is voted on."""
        return seed_of("order", self._build_plan.config.seed, item.id)
