"""Plants items about which the truth is known among the candidates of a build, and has the panel vote on them.

To verifiers they look like any other candidate, and they come mixed among them. What a run has planted stands in its
ledger, apart from jobs, candidates and votes.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

from perturb.auditing.certificate import LEAST_OF_CLASS, PlantedVerdicts
from perturb.building.panel import Panel, is_final
from perturb.building.plan import BuildPlan
from perturb.building.planted_faults import FaultMaker, kinds_in_turn
from perturb.building.planted_written import ATTEMPTS, Commission, commissions, write_fault
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import data_folder, digest, fraction_of, seed_of
from perturb.ledger import planted, queries
from perturb.ledger.plans import Ledger
from perturb.llm.model_client import ModelClient
from perturb.metrics.corrected_rates import Share
from perturb.metrics.inputs import Flags
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
    Verdict,
)

RIGHT_ITEMS = "planted/right.jsonl"

MOST_WRONG = 0.1
"""Share of the candidates that is taken to be wrong when rules are chosen, before any candidate has a vote."""

Cast = Callable[[str, BaseInstance, Candidate], Awaitable[Verdict]]
"""Has one verifier vote on a candidate."""


def fix_numbers(build_plan: BuildPlan, ledger: Ledger, plan: int, jobs: int) -> dict[str, int]:
    """How many items of each sort the run plants; stored with the plan once it is known.

    A run that was begun without planted items stays without, and so does a replay of a recording that has none, unless
    the configuration says how many there are to be.
    """
    entry, replay = build_plan.config.resolved_panel, build_plan.replay
    held = planted.planted_items(ledger.db)
    if replay is not None and (not replay.fill or (entry.plants_by_default and replay.recording.planted)):
        kinds = Counter(_sort_of(PlantedItem.from_payload(one).kind) for one in replay.recording.planted)
        numbers = {name: kinds[name] for name in ("mechanical", "written", "right")}
    elif not entry.plants_by_default:
        numbers = expected_numbers(build_plan, jobs)
    elif (stored := planted.planted_numbers(ledger.db, plan)) is not None:
        numbers = stored
    else:
        begun = planted.jobs_have_begun(ledger.db, plan) and not held
        numbers = expected_numbers(build_plan, 0 if begun or replay is not None else jobs)
    ledger.fix_planted(plan, numbers)
    return numbers


def expected_numbers(build_plan: BuildPlan, jobs: int) -> dict[str, int]:
    """How many items of each sort a new run of so many jobs plants."""
    entry = build_plan.config.resolved_panel
    offline = all(verifier.kind == "rules" for verifier in build_plan.config.verifiers)
    return entry.planting.numbers(0 if offline and entry.plants_by_default else jobs)


def _sort_of(kind: str) -> str:
    return kind if kind in ("written", "right") else "mechanical"


def right_items(catalogue: Catalogue, cells: tuple[Cell, ...], number: int, seed: int) -> list[PlantedItem]:
    """So many of the embedded items whose labels are right, evenly over the cells in play."""
    text = (data_folder("base_sets") / RIGHT_ITEMS).read_text(encoding="utf-8")
    of_cell: dict[Cell, list[PlantedItem]] = {cell: [] for cell in cells}
    for row in map(json.loads, text.splitlines()):
        cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
        lever = catalogue.find(row["lever"])
        if cell in of_cell and lever is not None and lever.cell == cell:
            of_cell[cell].append(_right_item(row, cell, catalogue, seed))
    for items in of_cell.values():
        items.sort(key=lambda item: seed_of("right", seed, item.id))
    rounds = range(max(map(len, of_cell.values()), default=0))
    in_turn = [items[n] for n in rounds for items in of_cell.values() if n < len(items)]
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


def choose_rules(told: PlantedVerdicts, target: float) -> dict[str, ClassRule]:
    """The cheapest rule of each class that keeps the share of wrong labels under the target, where there is one.

    The rule is chosen on one half of the class's faults: the fewest verifiers, then the most passes. It holds only if
    the other half bounds it under the target as well. A class with too few faults is left to unanimity.
    """
    rules = {}
    for name in told.classes:
        faults = told.of_kinds(*LABEL_FAULTS) & told.of_class(name)
        if int(faults.sum()) < LEAST_OF_CLASS:
            continue
        right = told.of_kinds("right")
        for rule in _rules_by_cost(told.verifiers):
            if _bound(told, faults & told.chooses, right, rule) <= target:
                bound = _bound(told, faults & ~told.chooses, right, rule)
                if bound <= target:
                    rules[name] = replace(rule, bound=bound)
                break
    return rules


def _rules_by_cost(verifiers: Sequence[str]) -> Iterator[ClassRule]:
    """Every rule that is cheaper than the whole panel: who votes, and how many passes it takes; the laxest last."""
    for size in range(1, len(verifiers)):
        for needed in range(size, 0, -1):
            for chosen in combinations(verifiers, size):
                yield ClassRule(chosen, needed, 1.0)


def _bound(told: PlantedVerdicts, faults: Flags, right: Flags, rule: ClassRule) -> float:
    """The highest share of wrong labels that a rule may let through if one candidate in ten is wrong."""
    highest, lowest = (
        Share(int(accepted.sum()), int((accepted | rejected).sum())).estimate()
        for accepted, rejected in (told.by_rule(faults, rule), told.by_rule(right, rule))
    )
    if highest.high is None or not lowest.low:
        return 1.0
    wrong, sound = MOST_WRONG * highest.high, (1 - MOST_WRONG) * lowest.low
    return wrong / (wrong + sound)


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
        self._hosts = planted.planted_hosts(ledger.db)
        self._votes = planted.planted_votes(ledger.db, build_plan.panel.members)
        replay = build_plan.replay
        self._made = replay is not None and not replay.fill  # what is on record is all there is
        for payload in replay.recording.planted if replay is not None else ():
            self._add(PlantedItem.from_payload(payload), "")
        right = numbers.get("right", 0) - sum(item.kind == "right" for item in self._items.values())
        if right > 0 and not self._made:
            for item in right_items(build_plan.catalogue, config.chosen_cells, numbers["right"], config.seed):
                self._add(item, "")
        self._waiting = [item for item in self._items.values() if self.missing_votes(item)]
        self._waiting.sort(key=self._order, reverse=True)

    @property
    def wanted(self) -> int:
        """How many items the run is to have."""
        return sum(self.numbers.values())

    @cached_property
    def _rate(self) -> float:
        """Share of the candidates that are tried as hosts as they come; what they do not yield is made at the end."""
        jobs = self._ledger.db.execute("SELECT jobs FROM plans WHERE id = ?", (self._plan,)).fetchone()[0]
        return min(1.0, 2 * self.numbers.get("mechanical", 0) / max(1, jobs or 0))

    def offer(self, candidate: Candidate, instance: BaseInstance) -> None:
        """Let a candidate of the round be the host of a mechanical fault, if it was drawn."""
        drawn = fraction_of("host", self._build_plan.config.seed, candidate.id) < self._rate
        if drawn and not self._made:
            self._host(candidate, instance)

    def complete(self) -> None:
        """Make the mechanical faults that are still missing, from any candidates of the plan."""
        if self._made:
            return
        seed = self._build_plan.config.seed
        rows = self._ledger.db.execute(
            "SELECT id FROM jobs WHERE plan = ? AND outcome = 'candidate'", (self._plan,)
        ).fetchall()
        hosts = sorted((row["id"] for row in rows), key=lambda name: seed_of("host", seed, name))
        for any_kind in (False, True):
            for name in hosts:
                if not self._missing_kinds():
                    return
                if name not in self._hosts:
                    instance = queries.instance_of(self._ledger.db, name)
                    self._host(queries.candidate(self._ledger.db, name), instance, any_kind=any_kind)

    def take_due(self, key: str, left: int) -> PlantedItem | None:
        """The next item to be voted on beside a candidate (`key`), while so many candidates are still expected."""
        due = len(self._waiting) / max(1, left)
        drawn = fraction_of("mix", self._build_plan.config.seed, key) < due
        return self._waiting.pop() if drawn and self._waiting else None

    def take_rest(self) -> Iterator[PlantedItem]:
        """All items that wait for votes, in an order drawn by the seed."""
        while self._waiting:
            yield self._waiting.pop()

    def commissioned(self) -> Iterator[Commission]:
        """What generators are to write, once for each item that is missing and for each that fails."""
        config = self._build_plan.config
        wanted = self.numbers.get("written", 0)
        if self._made or wanted <= self._number("written"):
            return
        instances = [instance for _, instance in self._build_plan.instances]
        writers = list(self._build_plan.generator_settings)
        asked = commissions(self._build_plan.prompts, instances, config.chosen_cells, writers, config.seed)
        for number, one in enumerate(asked):
            if self._number("written") >= wanted or number >= wanted * ATTEMPTS:
                return
            if one.id not in self._items:
                yield one

    async def write(self, client: ModelClient, width: int) -> None:
        """Have the generators write what is missing, some at a time. Raises `BudgetSpent`."""
        source = self.commissioned()
        short = self.numbers.get("written", 0) - self._number("written")
        while short > 0:
            batch = [one for _, one in zip(range(min(short, width)), source, strict=False)]
            if not batch:
                return
            made = await asyncio.gather(
                *(write_fault(client, self._build_plan.prompts, one) for one in batch)
            )
            for item in filter(None, made):
                self._add(item, "")
                self._wait(item)
            short = self.numbers.get("written", 0) - self._number("written")

    def choose_rules(self, target: float) -> dict[str, ClassRule]:
        """The rules that the votes on planted items choose for the classes."""
        panel, items = self._build_plan.panel, sorted(self._items.values(), key=lambda item: item.id)
        verdicts = PlantedVerdicts.of(items, self._votes, panel.judges, panel.needed)
        return choose_rules(verdicts, target)

    def missing_votes(self, item: PlantedItem) -> list[str]:
        """The verifiers whose vote on an item is missing or may come yet."""
        panel = self._panel_of(item)
        votes = self._votes.get(item.id, {})
        return [name for name in panel.members if not is_final(votes.get(name))]

    async def vote(self, item: PlantedItem, cast: Cast) -> None:
        """Let every verifier that judges the class vote on an item, whatever the others say. Raises `BudgetSpent`."""
        names = self.missing_votes(item)
        for vote in await asyncio.gather(*(cast(name, item.instance, item.candidate) for name in names)):
            self._votes.setdefault(item.id, {})[vote.verifier] = vote
            self._ledger.record_vote(vote, planted=True)

    def _panel_of(self, item: PlantedItem) -> Panel:
        return self._build_plan.panel.of_class(item.candidate.cell.perturbation_class)

    def _number(self, sort: str) -> int:
        return sum(_sort_of(item.kind) == sort for item in self._items.values())

    def _missing_kinds(self) -> Counter[str]:
        """The kinds of mechanical faults that are missing, no more than are wanted altogether."""
        wanted = self.numbers.get("mechanical", 0)
        held = Counter(str(item.kind) for item in self._items.values())
        short = wanted - self._number("mechanical")
        return Counter(map(str, kinds_in_turn(wanted))) - held if short > 0 else Counter()

    def _host(self, candidate: Candidate, instance: BaseInstance, *, any_kind: bool = False) -> None:
        """Make the first missing fault that a candidate lends itself to; of `any_kind` if its own cannot be had."""
        if candidate.id in self._hosts:
            return
        missing = self._missing_kinds()
        kinds = [kind for kind in kinds_in_turn(12) if kind in missing]
        if any_kind and missing:
            kinds += [kind for kind in LABEL_FAULTS if kind != "written"]
        for kind in dict.fromkeys(kinds):
            item = self._maker.make(kind, instance, candidate)
            if item is not None:
                self._add(item, candidate.id)
                self._wait(item)
                return

    def _add(self, item: PlantedItem, host: str) -> None:
        if item.id not in self._items:
            self._items[item.id] = item
            self._hosts.add(host)
            self._ledger.record_planted(item, host)

    def _wait(self, item: PlantedItem) -> None:
        self._waiting.append(item)
        self._waiting.sort(key=self._order, reverse=True)

    def _order(self, item: PlantedItem) -> int:
        return seed_of("order", self._build_plan.config.seed, item.id)
