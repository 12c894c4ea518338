"""From a source to a base set: read, filter, cut the contexts, draw; every record that falls is counted with why."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from perturb.curate import kilt
from perturb.curate.contexts import NO_SIGNAL, TOO_FEW, cut_context
from perturb.curate.garage import DROPPED
from perturb.curate.hub import HubSource, open_hub
from perturb.curate.recipes import PLAIN, Recipe
from perturb.curate.rows import LeftOut, Row, RowError, holds_answer, read_rows, row_label
from perturb.curate.sources import FORMS, form_of
from perturb.digests import fraction_of
from perturb.errors import SourceError
from perturb.records import BaseInstance

FORMATS: tuple[str, ...] = ("auto", *FORMS, "kilt")
"""Every form that can be curated; KILT needs its knowledge source beside it."""
NAMED = 5
"""How many records the report names for each reason."""

_OTHER_DOMAIN = "the domain is not one of the recipe's"
_NO_ANSWER = "no signal passage holds an answer"

Read = tuple[str, BaseInstance | LeftOut | RowError]
"""What a record is called, and its instance or why it has none."""
SolveTest = Callable[[Sequence[BaseInstance]], Mapping[str, str]]
"""Gives for each instance that is not solved its id and why."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is curated, and how."""

    source: Path | HubSource
    form: str = "auto"
    recipe: Recipe = PLAIN
    seed: int | None = None
    """Takes the place of the recipe's seed."""
    limit: int | None = None
    """Records of the source that are looked at."""
    knowledge: Path | None = None
    """The knowledge source of a KILT task."""


@dataclass(frozen=True, slots=True)
class Curation:
    """A curated base set, not written yet."""

    name: str
    instances: tuple[BaseInstance, ...]
    licence: str | None
    """The licence that all instances share."""
    attribution: str | None
    report: Mapping[str, Any]
    """Counts by filter and all else that the manifest states."""


@dataclass(slots=True)
class Tally:
    """Who fell where, in the order of the steps."""

    fallen: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def expect(self, step: str, reason: str) -> None:
        """Report this reason even if nobody falls for it."""
        self.fallen.setdefault((step, reason), [])

    def add(self, step: str, reason: str, label: str) -> None:
        """Count one record."""
        self.fallen.setdefault((step, reason), []).append(label)

    def to_list(self) -> list[dict[str, Any]]:
        """One entry for each reason: step, reason, count and the first few records."""
        return [
            {"step": step, "reason": reason, "count": len(labels), "ids": labels[:NAMED]}
            for (step, reason), labels in self.fallen.items()
        ]


def curate(request: Request, solve: SolveTest | None = None) -> Curation:
    """Curate a source; `solve` is the pre-test that an instance must pass to be drawn.

    Raises `SourceError` if the source cannot be read, if a line of it is no JSON object, or if nothing remains.
    """
    recipe = request.recipe
    seed = recipe.seed if request.seed is None else request.seed
    opened = _open(request)
    tally = Tally()
    pool: list[BaseInstance] = []
    dropped: dict[str, dict[str, int]] = {}
    records = 0
    seen: set[str] = set()
    for label, read in opened.records:
        records += 1
        instance = _usable(label, read, seen, tally, opened.repeats)
        if instance is not None:
            _count_dropped(instance, dropped)
            pool.append(instance)
    _expect(recipe, tally)
    pool = [kept for instance in pool if (kept := _filtered(instance, recipe, tally)) is not None]
    drawn = _draw(pool, recipe, seed, solve, tally)
    if not drawn:
        fallen = max(tally.to_list(), key=lambda entry: int(entry["count"]), default=None)
        most = f" (most fell because {fallen['reason']})" if fallen and fallen["count"] else ""
        raise SourceError(f"{opened.name}: no instance remains of {records} records{most}: check the recipe")
    drawn = [_finished(instance, recipe, opened) for instance in drawn]
    licences = {instance.licence for instance in drawn}
    domains = Counter(instance.domain for instance in drawn if instance.domain)
    report = {
        "source": opened.facts,
        "format": opened.form,
        "recipe": recipe.model_dump(mode="json", exclude_none=True),
        "seed": seed,
        "limit": request.limit,
        "records": records,
        "left_out": tally.to_list(),
        "passages_dropped": dropped,
        "pool": len(pool),
        "instances": len(drawn),
        "domains": dict(sorted(domains.items())),
        "shortfalls": _shortfalls(drawn, recipe),
    }
    return Curation(
        name=recipe.name if recipe is not PLAIN else opened.name,
        instances=tuple(drawn),
        licence=licences.pop() if len(licences) == 1 else None,
        attribution=opened.attribution or recipe.attribution,
        report=report,
    )


# -- the source --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Opened:
    """A source that is being read."""

    name: str
    form: str
    records: Iterable[Read]
    repeats: bool
    """Whether several records may tell of one instance."""
    facts: dict[str, Any]
    licence: str | None
    attribution: str | None


def _open(request: Request) -> _Opened:
    rows, facts, licence = _rows(request.source)
    if request.limit is not None:
        rows = islice(rows, request.limit)
    first = next(rows, None)
    if first is None:
        raise SourceError(f"{_name(request.source)}: holds no rows: write one JSON object per line")
    rows = chain([first], rows)
    if request.form == "kilt" or (request.form == "auto" and kilt.recognises(first.fields)):
        return _open_kilt(request, rows, first, facts, licence)
    if request.knowledge is not None:
        raise SourceError(f"{request.knowledge}: a knowledge source goes with --format kilt: leave it out")
    form = form_of(request.form, first)
    name = next(name for name, known in FORMS.items() if known is form)
    records = (
        (row_label(row, "sample_id" if name == "garage" else "id"), _read(row, form.read_row)) for row in rows
    )
    header = first.header
    return _Opened(header.name, name, records, form.repeats, facts, licence, header.attribution)


def _open_kilt(
    request: Request, rows: Iterable[Row], first: Row, facts: dict[str, Any], licence: str | None
) -> _Opened:
    knowledge = request.knowledge
    if knowledge is None:
        raise SourceError(
            f"{_name(request.source)}: a KILT task needs its knowledge source: give it with --knowledge FILE"
        )
    records = kilt.read_instances(rows, knowledge)
    if knowledge.is_file():
        facts = {**facts, "knowledge": {"file": knowledge.name, "bytes": knowledge.stat().st_size}}
    return _Opened(first.header.name, "kilt", records, False, facts, licence, first.header.attribution)


def _rows(source: Path | HubSource) -> tuple[Iterator[Row], dict[str, Any], str | None]:
    """The rows of a source, what the manifest says of it, and its licence as the Hub states it."""
    if isinstance(source, Path):
        return read_rows(source), {"file": source.name, "sha256": _sha256(source)}, None
    opened = open_hub(source)
    local = source.folder is not None
    facts: dict[str, Any] = {
        "dataset": Path(source.name).name if local else source.name,
        "revision": opened.revision,
        "subset": source.subset,
        "split": source.split,
        "columns": dict(source.columns),
    }
    return opened.rows, facts, opened.licence


def _sha256(path: Path) -> str | None:
    """Digest of a file's bytes; None if it cannot be read, which the reader then says better."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _name(source: Path | HubSource) -> str:
    return str(source) if isinstance(source, Path) else source.name


def _read(row: Row, read_row: Callable[[Row], BaseInstance | LeftOut]) -> BaseInstance | LeftOut | RowError:
    try:
        return read_row(row)
    except RowError as error:
        return error


# -- filters -----------------------------------------------------------------------------------------------


def _usable(
    label: str, read: BaseInstance | LeftOut | RowError, seen: set[str], tally: Tally, repeats: bool
) -> BaseInstance | None:
    """The instance of a record, unless it has none or its id was seen before."""
    if isinstance(read, RowError):
        tally.add("malformed", read.reason, label)
        return None
    if isinstance(read, LeftOut):
        tally.add("unusable", read.reason, label)
        return None
    if read.id in seen:
        if repeats:
            tally.add("repeated", "another row tells of the same instance", label)
        else:
            tally.add("malformed", "the id repeats that of an earlier record", label)
        return None
    seen.add(read.id)
    return read


def _count_dropped(instance: BaseInstance, dropped: dict[str, dict[str, int]]) -> None:
    for kind, number in instance.metadata.get(DROPPED, {}).items():
        entry = dropped.setdefault(kind, {"passages": 0, "records": 0})
        entry["passages"] += number
        entry["records"] += number > 0


def _expect(recipe: Recipe, tally: Tally) -> None:
    """List the recipe's filters in their order, with 0 for those at which nobody falls."""
    for rule in recipe.filters:
        tally.expect("filter", rule.reason)
    if recipe.domains:
        tally.expect("domain", _OTHER_DOMAIN)
    if recipe.passages is not None:
        tally.expect("passages", NO_SIGNAL)
        if recipe.passages.count > 1:
            tally.expect("passages", TOO_FEW.format(recipe.passages.count))
    if recipe.answer_in_signal:
        tally.expect("answer", _NO_ANSWER)


def _filtered(instance: BaseInstance, recipe: Recipe, tally: Tally) -> BaseInstance | None:
    """The instance with its context cut, or None where it falls at one of the recipe's filters."""
    for rule in recipe.filters:
        if not rule.admits(instance):
            tally.add("filter", rule.reason, instance.id)
            return None
    if recipe.domains and _domain(instance, recipe) is None:
        tally.add("domain", _OTHER_DOMAIN, instance.id)
        return None
    if recipe.passages is not None:
        cut = cut_context(instance, recipe.passages)
        if isinstance(cut, str):
            tally.add("passages", cut, instance.id)
            return None
        instance = cut
    if recipe.answer_in_signal:
        signal = (passage.text for passage in instance.passages if passage.role == "signal")
        if not any(holds_answer(text, instance.answers) for text in signal):
            tally.add("answer", _NO_ANSWER, instance.id)
            return None
    return instance


def _domain(instance: BaseInstance, recipe: Recipe) -> str | None:
    """The recipe's spelling of the instance's domain; None if the recipe does not name it."""
    own = (instance.domain or "").strip().casefold()
    return next((domain for domain in recipe.domains if domain.casefold() == own), None)


# -- the draw ----------------------------------------------------------------------------------------------


def _draw(
    pool: Sequence[BaseInstance], recipe: Recipe, seed: int, solve: SolveTest | None, tally: Tally
) -> list[BaseInstance]:
    """A uniform draw, by domain where the recipe says so, in the order of the source.

    The order of the draw depends on seed and id alone. With a pre-test, those drawn are tested and those that fail
    replaced by the next ones: the same instances as if all had been tested first, for fewer calls.
    """
    waiting: dict[str | None, list[BaseInstance]] = {}
    for instance in sorted(pool, key=lambda one: fraction_of("draw", seed, one.id)):
        stratum = _domain(instance, recipe) if recipe.per_domain else None
        waiting.setdefault(stratum, []).append(instance)
    wanted = recipe.per_domain or recipe.size or len(pool)
    kept: dict[str | None, set[str]] = {stratum: set() for stratum in waiting}
    while True:
        wave: list[tuple[str | None, BaseInstance]] = []
        for stratum, queue in waiting.items():
            missing = wanted - len(kept[stratum])
            wave += [(stratum, instance) for instance in queue[:missing]]
            del queue[:missing]
        if not wave:
            break
        unsolved = solve([instance for _, instance in wave]) if solve else {}
        for stratum, instance in wave:
            if instance.id in unsolved:
                tally.add("pre-test", unsolved[instance.id], instance.id)
            else:
                kept[stratum].add(instance.id)
    chosen = set().union(*kept.values()) if kept else set()
    return [instance for instance in pool if instance.id in chosen]


def _shortfalls(drawn: Sequence[BaseInstance], recipe: Recipe) -> list[dict[str, Any]]:
    """Where fewer instances were drawn than the recipe asks for; never padded."""
    if recipe.size is not None and len(drawn) < recipe.size:
        return [{"domain": None, "wanted": recipe.size, "got": len(drawn)}]
    if recipe.per_domain is None:
        return []
    got = Counter(_domain(instance, recipe) for instance in drawn)
    return [
        {"domain": domain, "wanted": recipe.per_domain, "got": got[domain]}
        for domain in recipe.domains
        if got[domain] < recipe.per_domain
    ]


def _finished(instance: BaseInstance, recipe: Recipe, opened: _Opened) -> BaseInstance:
    """The instance as it is written: under the licence that is nearest to its text."""
    metadata = {key: value for key, value in instance.metadata.items() if key != DROPPED}
    licence = instance.licence or recipe.licence or opened.licence
    return replace(instance, metadata=metadata, licence=licence)
