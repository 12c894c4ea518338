"""Crosses instances × cells × generators × replicates into jobs: pure, and seeded by the round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

from perturb.catalogue.features import Need, features_of
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.records import BaseInstance, Cell, Construction, Depth, Job, LeverChoice
from perturb.text.wording import is_english

JOB_FORMAT = 1
"""Raised when the meaning of a job changes, so that old results are not taken for new ones."""

OFFERED: Mapping[LeverChoice, int | None] = {"covering": 3, "generator": None, "assigned": 1}
"""How many levers of a cell an offer holds; None: all that may fit."""

OFFERS = 3
"""A generator may decline all but the last of so many offers and still have another."""

ALONE_EVERY = 6
"""Of so many jobs of a generator in a cell, `covering` offers one a lever by itself, until each has had its turn."""


CONSTRUCTIONS_OFFERED = 3
"""How many constructions a deep job has to choose from."""

_GOLDEN = 0.6180339887498949
"""A step that spreads points evenly over [0, 1), however many there are."""


@dataclass(frozen=True)
class PlanSettings:
    """What the plan of a round depends on, beside instances and catalogue."""

    round: str
    seed: int
    cells: tuple[Cell, ...]
    replicates: int
    generators: Mapping[str, str]
    """Generator name → fingerprint of everything that decides its replies."""
    lever_choice: LeverChoice = "covering"
    own_order: frozenset[str] = frozenset()
    """Generators that are offered nothing and choose by an order of their own: rule engines."""
    several: Mapping[str, str] = field(default_factory=dict)
    """As `generators`, for instances with several passages, which are asked about with templates of their own."""
    wording: tuple[str, ...] = ()
    """Digest of what prompts say of languages other than English, if there are texts in any."""
    shares: Mapping[Depth, float] = field(default_factory=lambda: {"open": 1.0})
    """Depth → share of the jobs of each generator and cell."""
    hidden: Mapping[Depth, Mapping[str, str]] = field(default_factory=dict)
    """Depth beside `open` → generators that can do it, with the fingerprints of such jobs."""


def plan_jobs(
    settings: PlanSettings, instances: Sequence[tuple[str, BaseInstance]], catalogue: Catalogue
) -> Iterator[Job]:
    """Yield every job of the round; `instances` come with their content keys.

    Instances are the outer loop, so that a run that is cut short has touched every cell and generator alike.
    """
    cell_digests = {cell: catalogue.cell_digest(cell) for cell in settings.cells}
    offers, depths = _Offers(settings, catalogue), _Depths(settings, catalogue)
    for key, instance in instances:
        fingerprints = settings.several if len(instance.passages) > 1 else settings.generators
        fitting = offers.fitting(instance)
        # New candidates get new votes: what verifiers are told of the language needs no place of its own.
        wording = () if is_english(instance.language) else settings.wording
        for replicate in range(settings.replicates):
            for cell in settings.cells:
                for generator, fingerprint in fingerprints.items():
                    depth = depths.next(generator, cell, replicate)
                    names = [
                        name for name in fitting[cell] if depth != "deep" or name not in catalogue.open_levers
                    ]
                    offered = offers.next(generator, cell, replicate, key, names)
                    ways = depths.constructions(cell, instance, key) if depth == "deep" else ()
                    laid = [(depth, *map(astuple, ways))] if depth != "open" else []
                    identity = settings.hidden[depth][generator] if laid else fingerprint
                    job_id = digest(
                        ("job", JOB_FORMAT, key, str(cell), cell_digests[cell], offered),
                        (generator, identity, settings.round, settings.seed, replicate),
                        *laid,
                        *wording,
                    )
                    job = Job(job_id, instance.id, cell, generator, replicate, settings.round, offered)
                    constructions = tuple(construction.name for construction in ways)
                    yield replace(job, depth=depth, constructions=constructions) if laid else job


def plan_digest(settings: PlanSettings, instance_keys: Sequence[str], catalogue: Catalogue) -> str:
    """Digest of everything the plan depends on: two equal plans have the same jobs."""
    constructions = [astuple(one) for one in catalogue.constructions]
    shares: dict[str, float] = dict(settings.shares.items())
    return digest(
        (JOB_FORMAT, settings.round, settings.seed, settings.replicates, dict(settings.generators)),
        [catalogue.cell_digest(cell) for cell in settings.cells],
        (settings.lever_choice, sorted(settings.own_order), catalogue.needs_digest),
        list(instance_keys),
        *([dict(settings.several)] if settings.several else []),
        *([shares, settings.hidden, constructions, sorted(catalogue.open_levers)] if settings.hidden else []),
        *settings.wording,
    )


LeverService = Mapping[Cell, Mapping[str, int]]
"""Cell → lever → how many jobs of each generator it may serve."""


def lever_service(
    settings: PlanSettings, instances: Sequence[tuple[str, BaseInstance]], catalogue: Catalogue
) -> LeverService:
    """How many jobs each lever may serve, by what the instances offer; 0 for one that none of them fits."""
    offers = _Offers(settings, catalogue)
    fitting = Counter(
        (cell, name) for _, one in instances for cell, names in offers.fitting(one).items() for name in names
    )
    return {
        cell: {
            lever.name: fitting[cell, lever.name] * settings.replicates for lever in catalogue.levers_of(cell)
        }
        for cell in settings.cells
    }


@dataclass
class _History:
    """What one generator was offered in a cell."""

    jobs: int = 0
    together: Counter[str] = field(default_factory=Counter)
    alone: set[str] = field(default_factory=set)


class _Offers:
    """Hands out the levers of each generator and cell, those that were offered least before the others."""

    def __init__(self, settings: PlanSettings, catalogue: Catalogue) -> None:
        self._settings = settings
        self._histories: defaultdict[tuple[str, Cell, int], _History] = defaultdict(_History)
        self._levers = {
            cell: [(lever.name, tuple(map(Need.read, lever.needs))) for lever in catalogue.levers_of(cell)]
            for cell in settings.cells
        }

    def fitting(self, instance: BaseInstance) -> dict[Cell, list[str]]:
        """The levers of each cell that may fit an instance, in catalogue order."""
        features = features_of(instance)
        return {
            cell: [name for name, needs in levers if all(_may_hold(one, features, instance) for one in needs)]
            for cell, levers in self._levers.items()
        }

    def next(
        self, generator: str, cell: Cell, replicate: int, key: str, fitting: list[str]
    ) -> tuple[tuple[str, ...], ...] | None:
        """The offers of the generator's next job in a cell, for the instance with this content key.

        Ties are broken by a seeded draw, so that levers are combined differently each time. Every sixth job offers one
        lever alone, because a model that may choose keeps to its favourites.
        """
        settings = self._settings
        if generator in settings.own_order:
            return None
        size = OFFERED[settings.lever_choice]
        if size is None or not fitting:
            return (tuple(fitting),) if fitting else ()
        history = self._histories[generator, cell, replicate]
        draw = (settings.round, settings.seed, generator, str(cell), replicate, key)
        names = sorted(fitting, key=lambda name: (history.together[name], seed_of(*draw, name)))
        due = size > 1 and history.jobs % ALONE_EVERY == ALONE_EVERY - 1
        alone = [name for name in names if due and name not in history.alone][:1]
        first = alone or names[:size]
        # Count this offer for this and all later replicates, so that adding replicates never changes earlier offers.
        for later in range(replicate, settings.replicates):
            counted_for = self._histories[generator, cell, later]
            counted_for.jobs += 1
            (counted_for.alone if alone else counted_for.together).update(first)
        rest = [name for name in names if name not in first][: size * (OFFERS - 1)]
        return (tuple(first), *(tuple(rest[at : at + size]) for at in range(0, len(rest), size)))


class _Depths:
    """Gives each generator's jobs in a cell their depths, in shares, and deep jobs their constructions."""

    def __init__(self, settings: PlanSettings, catalogue: Catalogue) -> None:
        self._settings = settings
        self._jobs: Counter[tuple[str, Cell, int]] = Counter()
        self._offered: Counter[tuple[Cell, str]] = Counter()
        self._ways = [(one, tuple(map(Need.read, one.needs))) for one in catalogue.constructions]

    def next(self, generator: str, cell: Cell, replicate: int) -> Depth:
        """The depth of the next job. Steps of the golden ratio keep the shares at every length of the plan."""
        settings = self._settings
        able = {
            depth: share
            for depth, share in settings.shares.items()
            if share and (depth == "open" or generator in settings.hidden.get(depth, ()))
        }
        if len(able) < 2:
            return next(iter(able), "open")
        number = self._jobs[generator, cell, replicate]
        self._jobs[generator, cell, replicate] += 1
        start = fraction_of("depth", settings.round, settings.seed, generator, str(cell), replicate)
        place = (start + number * _GOLDEN) % 1.0 * sum(able.values())
        for depth, share in able.items():
            if place < share:
                return depth
            place -= share
        return depth

    def constructions(self, cell: Cell, instance: BaseInstance, key: str) -> tuple[Construction, ...]:
        """The constructions that a deep job is offered: of those that suit it, the ones offered least so far."""
        features = features_of(instance)
        suiting = [
            one
            for one, needs in self._ways
            if one.suits(cell) and all(_may_hold(need, features, instance) for need in needs)
        ]
        draw = (self._settings.round, self._settings.seed, str(cell), key)
        suiting.sort(key=lambda one: (self._offered[cell, one.name], seed_of(*draw, one.name)))
        offered = tuple(suiting[:CONSTRUCTIONS_OFFERED])
        self._offered.update((cell, one.name) for one in offered)
        return offered


def _may_hold(need: Need, features: frozenset[str], instance: BaseInstance) -> bool:
    """Whether an instance may meet a need.

    Features are read by English patterns: of texts in other languages they tell how many passages there are, no more.
    """
    read = is_english(instance.language) or all(one.startswith("passages:") for one in need.features)
    return not read or need.may_hold(features)


def may_fit(catalogue: Catalogue, lever: str, instance: BaseInstance) -> bool:
    """Whether an instance may offer what a lever needs."""
    entry, features = catalogue.find(lever), features_of(instance)
    needs = map(Need.read, entry.needs) if entry else ()
    return all(_may_hold(need, features, instance) for need in needs)
