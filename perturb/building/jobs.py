"""Plans the jobs of a round (base instances × cells × generators × replicates), and the waves of a quota.

Everything here is a pure function of the settings, the instances, the catalogue and, for waves, of how earlier jobs
ended. Draws are seeded by the round.

The jobs of a quota come in waves. For each generator and cell, a wave has as many jobs as items are missing, or half of
the jobs that are needed at the rate of acceptance so far, whichever is more. So a build pays for hardly any item beyond
the quota. Jobs whose levers were accepted most often come first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from itertools import product
from math import ceil
from typing import Any

from perturb.catalogue.features import Need, features_of
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.ledger.ends import JobEnd, Place, missing_items
from perturb.records import BaseInstance, Cell, Construction, Depth, Job, Lever, LeverChoice
from perturb.text.wording import is_english

JOB_FORMAT = 1
"""Increased when the meaning of a job changes, so that old results are not taken for new ones."""

OFFERED: Mapping[LeverChoice, int | None] = {"covering": 3, "generator": None, "assigned": 1}
"""How many levers of a cell an offer holds; None means all that may fit."""

OFFERS = 3
"""The most offers that a job carries. A generator that declines an offer gets the next one."""

ALONE_EVERY = 6
"""Under `covering`, every sixth job of a generator in a cell is offered one lever alone, until each had its turn."""

CONSTRUCTIONS_OFFERED = 3
"""How many constructions a deep job has to choose from."""

# The fractional part of the golden ratio. Any number of its multiples, modulo 1, spread evenly over [0, 1).
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class PlanSettings:
    """The settings that the plan of a round depends on, besides the instances and the catalogue."""

    round: str
    seed: int
    cells: tuple[Cell, ...]
    replicates: int
    generators: Mapping[str, str]
    """Generator name → fingerprint of everything that decides its replies."""
    lever_choice: LeverChoice = "covering"
    rule_engines: frozenset[str] = frozenset()
    """Generators that are rule engines. They get no offers, since they choose levers in their own order."""
    generators_of_several: Mapping[str, str] = field(default_factory=dict)
    """Like `generators`, for instances with several passages: their prompts come from other templates."""
    language_version: tuple[str, ...] = ()
    """Digest of what prompts say about languages other than English; empty if all texts are English."""
    depth_shares: Mapping[Depth, float] = field(default_factory=lambda: {"open": 1.0})
    """Depth → share of the jobs of each generator and cell."""
    hiding_generators: Mapping[Depth, Mapping[str, str]] = field(default_factory=dict)
    """Depth other than `open` → generator that supports it → fingerprint of such jobs."""


def plan_jobs(
    settings: PlanSettings, instances: Sequence[tuple[str, BaseInstance]], catalogue: Catalogue
) -> Iterator[Job]:
    """Yield every job of the round. `instances` are pairs of content key and instance.

    Instances are the outer loop, so that all cells and generators have equal shares of the jobs if a run stops early.
    """
    cell_digests = {cell: catalogue.cell_digest(cell) for cell in settings.cells}
    offers, depths = _Offers(settings), _Depths(settings, catalogue)
    for key, instance in instances:
        fingerprints = settings.generators_of_several if len(instance.passages) > 1 else settings.generators
        fitting = _fitting_levers(settings.cells, catalogue, instance)
        # The prompts of verifiers mention the language too, but need no part in the identity of a job: a new job has a
        # new candidate, and a new candidate gets new votes.
        language_version = () if is_english(instance.language) else settings.language_version
        every_job = product(range(settings.replicates), settings.cells, fingerprints.items())
        for replicate, cell, (generator, fingerprint) in every_job:
            depth = depths.next_depth(generator, cell, replicate)
            levers = fitting[cell]
            constructions: tuple[Construction, ...] = ()
            if depth == "deep":
                # An open lever announces its flaw, which a deep item must not.
                levers = [name for name in levers if name not in catalogue.open_levers]
                constructions = depths.constructions(cell, instance, key)
            offered = offers.next_offers(generator, cell, replicate, key, levers)
            version = fingerprint if depth == "open" else settings.hiding_generators[depth][generator]
            # Depth came later: open jobs keep the ids that they had before.
            depth_identity = [] if depth == "open" else [(depth, *map(astuple, constructions))]
            # Everything that the candidate depends on: a changed job is a new one.
            job_id = digest(
                ("job", JOB_FORMAT, key, str(cell), cell_digests[cell], offered),
                (generator, version, settings.round, settings.seed, replicate),
                *depth_identity,
                *language_version,
            )
            yield Job(
                id=job_id,
                instance_id=instance.id,
                cell=cell,
                generator=generator,
                replicate=replicate,
                round=settings.round,
                offers=offered,
                depth=depth,
                constructions=tuple(construction.name for construction in constructions),
            )


def _fitting_levers(
    cells: Sequence[Cell], catalogue: Catalogue, instance: BaseInstance
) -> dict[Cell, list[str]]:
    """The levers of each cell that may fit an instance, in catalogue order."""
    features = features_of(instance)
    return {
        cell: [lever.name for lever in catalogue.levers_of(cell) if may_fit(lever, instance, features)]
        for cell in cells
    }


def may_fit(entry: Lever | Construction, instance: BaseInstance, features: frozenset[str]) -> bool:
    """Whether an instance with these features may offer what a lever or a construction needs.

    English patterns find the features. In other languages only the number of passages is certain, so that every other
    need counts as met.
    """
    for need in map(Need.read, entry.needs):
        counts_passages = all(feature.startswith("passages:") for feature in need.features)
        is_certain = counts_passages or is_english(instance.language)
        if is_certain and not need.holds(features):
            return False
    return True


def plan_digest(settings: PlanSettings, instance_keys: Sequence[str], catalogue: Catalogue) -> str:
    """Digest of everything that the plan depends on. Plans with equal digests have the same jobs."""
    identity: list[Any] = [
        (JOB_FORMAT, settings.round, settings.seed, settings.replicates, dict(settings.generators)),
        [catalogue.cell_digest(cell) for cell in settings.cells],
        (settings.lever_choice, sorted(settings.rule_engines), catalogue.needs_digest),
        list(instance_keys),
    ]
    # Settings that were added later enter only if they are used, so that earlier plans keep their digests.
    if settings.generators_of_several:
        identity.append(dict(settings.generators_of_several))
    if settings.hiding_generators:
        constructions = [astuple(construction) for construction in catalogue.constructions]
        identity += [
            dict(settings.depth_shares),
            settings.hiding_generators,
            constructions,
            sorted(catalogue.open_levers),
        ]
    return digest(*identity, *settings.language_version)


LeverService = Mapping[Cell, Mapping[str, int]]
"""Cell → lever → how many jobs of each generator it may serve."""


def lever_service(
    settings: PlanSettings, instances: Sequence[tuple[str, BaseInstance]], catalogue: Catalogue
) -> LeverService:
    """How many jobs each lever may serve, by the features of the instances.

    0 if it fits no instance, or if all jobs are deep and the lever is for other depths.
    """
    only_deep = all(depth == "deep" for depth, share in settings.depth_shares.items() if share)
    unused = catalogue.open_levers if only_deep else frozenset()
    fitting: Counter[str] = Counter()
    for _, instance in instances:
        for names in _fitting_levers(settings.cells, catalogue, instance).values():
            fitting.update(name for name in names if name not in unused)
    return {
        cell: {lever.name: fitting[lever.name] * settings.replicates for lever in catalogue.levers_of(cell)}
        for cell in settings.cells
    }


@dataclass
class _History:
    """The levers that one generator has been offered in a cell."""

    jobs: int = 0
    offered: Counter[str] = field(default_factory=Counter)
    """Lever → how often it was among the levers of a job's first offer."""
    offered_alone: set[str] = field(default_factory=set)

    def add(self, first_offer: Sequence[str], *, is_alone: bool) -> None:
        """Count the first offer of a job, which `is_alone` if it was the turn of a single lever."""
        self.jobs += 1
        if is_alone:
            self.offered_alone.update(first_offer)
        else:
            self.offered.update(first_offer)


class _Offers:
    """Offers levers to each generator in each cell. Levers that were offered least often come first."""

    def __init__(self, settings: PlanSettings) -> None:
        self._settings = settings
        self._histories: defaultdict[tuple[str, Cell, int], _History] = defaultdict(_History)

    def next_offers(
        self, generator: str, cell: Cell, replicate: int, key: str, fitting: list[str]
    ) -> tuple[tuple[str, ...], ...] | None:
        """The offers of the generator's next job in a cell, for the instance with this content key.

        `fitting` are the levers that may fit the instance. A seeded draw breaks ties, so that offers combine levers
        in different ways. Every sixth job offers one lever alone, because a model with a choice keeps to its
        favourites. None means that the generator chooses for itself.
        """
        settings = self._settings
        if generator in settings.rule_engines:
            return None
        if not fitting:
            return ()
        size = OFFERED[settings.lever_choice]
        if size is None:
            return (tuple(fitting),)
        history = self._histories[generator, cell, replicate]
        draw = (settings.round, settings.seed, generator, str(cell), replicate, key)
        names = sorted(fitting, key=lambda name: (history.offered[name], seed_of(*draw, name)))
        never_alone = [name for name in names if name not in history.offered_alone]
        is_turn_of_one = size > 1 and history.jobs % ALONE_EVERY == ALONE_EVERY - 1
        is_alone = is_turn_of_one and bool(never_alone)
        first_offer = never_alone[:1] if is_alone else names[:size]
        # The offer counts for this replicate and the later ones only. So the jobs of earlier replicates stay the same
        # if the user raises the number of replicates.
        for counting_replicate in range(replicate, settings.replicates):
            self._histories[generator, cell, counting_replicate].add(first_offer, is_alone=is_alone)
        # The next offers take the other levers in the same order, for generators that decline the first offer.
        not_offered = [name for name in names if name not in first_offer]
        later_offers = [tuple(not_offered[i : i + size]) for i in range(0, len(not_offered), size)]
        return (tuple(first_offer), *later_offers[: OFFERS - 1])


class _Depths:
    """Divides each generator's jobs in a cell among the depths, and offers constructions to deep jobs."""

    def __init__(self, settings: PlanSettings, catalogue: Catalogue) -> None:
        self._settings = settings
        self._jobs: Counter[tuple[str, Cell, int]] = Counter()
        self._offered: Counter[tuple[Cell, str]] = Counter()
        self._constructions = catalogue.constructions

    def next_depth(self, generator: str, cell: Cell, replicate: int) -> Depth:
        """The depth of the next job.

        The shares lie end to end on a line, and each job takes a step of the golden ratio along it. When a step leaves
        the line, it goes on from the start. So the depths keep their shares for any number of jobs.
        """
        settings = self._settings
        shares = {
            depth: share
            for depth, share in settings.depth_shares.items()
            if share and (depth == "open" or generator in settings.hiding_generators.get(depth, ()))
        }
        # With a single depth, nothing is drawn. A generator that supports no chosen depth writes open items.
        if len(shares) < 2:
            return next(iter(shares), "open")
        number = self._jobs[generator, cell, replicate]
        self._jobs[generator, cell, replicate] += 1
        start = fraction_of("depth", settings.round, settings.seed, generator, str(cell), replicate)
        place_on_line = (start + number * _GOLDEN) % 1.0
        position = place_on_line * sum(shares.values())
        for depth, share in shares.items():
            if position < share:
                return depth
            position -= share
        return depth  # rounding put the position just behind the last share

    def constructions(self, cell: Cell, instance: BaseInstance, key: str) -> tuple[Construction, ...]:
        """The constructions that suit a deep job and that were offered least often."""
        features = features_of(instance)
        suiting = [
            construction
            for construction in self._constructions
            if construction.suits(cell) and may_fit(construction, instance, features)
        ]
        draw = (self._settings.round, self._settings.seed, str(cell), key)
        suiting.sort(
            key=lambda construction: (
                self._offered[cell, construction.name],
                seed_of(*draw, construction.name),
            )
        )
        offered = tuple(suiting[:CONSTRUCTIONS_OFFERED])
        self._offered.update((cell, construction.name) for construction in offered)
        return offered


def jobs_to_go(places: Iterable[Place], ends: Sequence[JobEnd], quota: int) -> int:
    """About how many more jobs the quota needs, at each place's rate of acceptance so far."""
    counts = _EndCounts(ends)
    return sum(
        # This is missing / rate as a single division: the rounding errors of two divisions could add a job.
        ceil(missing * (counts.ended[place] + 2) / (counts.accepted[place] + 1))
        for place, missing in missing_items(places, ends, quota).items()
    )


def plan_wave(waiting: Iterable[Job], ends: Iterable[JobEnd], quota: int) -> list[Job]:
    """The jobs to do next, in the order of the plan; empty if every quota is met or its jobs are used up.

    `waiting` are the jobs that have not been in a wave yet, in the order of the plan. Open jobs count as if accepted.
    """
    counts = _EndCounts(ends)
    jobs_in_order = list(waiting)
    jobs_of_place: dict[Place, list[Job]] = defaultdict(list)
    for job in jobs_in_order:
        jobs_of_place[job.generator, job.cell].append(job)
    wave: set[str] = set()
    for place, jobs in jobs_of_place.items():
        missing = quota - counts.expected[place]
        if missing > 0:
            # Half of the jobs that the rate calls for: the rate may rise, and the next wave makes up for the rest.
            size = max(missing, int(missing / counts.rate(place) / 2))
            # Every instance is tried once before its next replicate. Then the jobs with the best levers come first.
            best_first = sorted(jobs, key=lambda job: (job.replicate, -counts.lever_rate(job)))
            wave.update(job.id for job in best_first[:size])
    return [job for job in jobs_in_order if job.id in wave]


class _EndCounts:
    """How jobs ended so far, counted by place (a generator in a cell) and by lever."""

    def __init__(self, ends: Iterable[JobEnd]) -> None:
        self.ended: Counter[Place] = Counter()
        self.accepted: Counter[Place] = Counter()
        self.expected: Counter[Place] = Counter()
        """Accepted and open jobs."""
        self.lever_ended: Counter[tuple[Cell, str]] = Counter()
        self.lever_accepted: Counter[tuple[Cell, str]] = Counter()
        for end in ends:
            if end.end != "lost":
                self.expected[end.place] += 1
            if end.end != "open":
                self.ended[end.place] += 1
                self.lever_ended.update(end.cell_levers)
            if end.end == "accepted":
                self.accepted[end.place] += 1
                self.lever_accepted.update(end.cell_levers)

    def rate(self, place: Place) -> float:
        """The rate of acceptance by Laplace's rule of succession, which is never 0."""
        return (self.accepted[place] + 1) / (self.ended[place] + 2)

    def lever_rate(self, job: Job) -> float:
        """The mean rate of acceptance of the levers in a job's first offer; 0 without levers."""
        levers = job.offers[0] if job.offers else ()
        # The rate of the place counts as much as two jobs, so that a lever is not judged by its first job alone.
        prior = self.rate((job.generator, job.cell))
        rates = [
            (self.lever_accepted[job.cell, lever] + 2 * prior) / (self.lever_ended[job.cell, lever] + 2)
            for lever in levers
        ]
        return sum(rates) / len(rates) if rates else 0.0
