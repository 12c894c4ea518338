"""Curates a base set from a source: reads, filters, cuts contexts, draws and writes.

`curate` does this with the filters and numbers of a recipe, and `write_base_set` writes the result as JSON Lines with a
header, and with a manifest. Records that are left out are counted by reason. Every context is cut to the same number of
passages, so that the instances of a set are alike (spec, section 2).

A *signal* passage answers the question. A *noise* passage does not.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from perturb.curation.base_sets import load_base_set
from perturb.curation.forms import render
from perturb.curation.garage import CITED, DROPPED, LABELS, RELATED
from perturb.curation.source import PLAIN, OpenedSource, PassageBudget, Recipe, SourceRequest, open_source
from perturb.curation.source_rows import Header, RowError, SkippedRow
from perturb.errors import SourceError
from perturb.files.resources import digest, fraction_of, writing_errors
from perturb.records import BaseInstance
from perturb.text.matching import holds_answer

# Reasons in the report for records that were left out.
NO_SIGNAL = "no passage answers the question"
TOO_FEW = "fewer than {} passages"
_NO_ANSWER = "no signal passage holds an answer"


def cut_context(instance: BaseInstance, budget: PassageBudget) -> BaseInstance | SkippedRow:
    """The instance with exactly `budget.count` passages in their old order, or the reason why that is impossible.

    At most `max_signal` signal passages are chosen, first those that the reference answer cites. Noise fills up the
    context, first with passages on the topic. Further signal passages are never used as noise.
    """
    passages = instance.passages
    # The lists below hold positions of passages.
    signal = [position for position, passage in enumerate(passages) if passage.role == "signal"]
    noise = [position for position, passage in enumerate(passages) if passage.role == "noise"]
    if not signal:
        return SkippedRow(NO_SIGNAL)
    if len(passages) < budget.count:
        return SkippedRow(TOO_FEW.format(budget.count))
    cited, labels = _marks(instance, CITED), _marks(instance, LABELS)
    # False sorts before True. Passages with equal marks keep their order.
    signal.sort(key=lambda position: cited[position] is not True)
    noise.sort(key=lambda position: labels[position] != RELATED)
    chosen = signal[: min(budget.max_signal, budget.count)]
    chosen += noise[: budget.count - len(chosen)]
    if len(chosen) < budget.count:
        return SkippedRow(
            f"too few noise passages for {budget.count} with at most {budget.max_signal} of signal"
        )
    # The chosen passages keep their order in the source, so that the position of signal does not tell anything.
    chosen.sort()
    metadata = dict(instance.metadata)
    for key, marks in ((CITED, cited), (LABELS, labels)):
        if key in metadata:
            metadata[key] = [marks[position] for position in chosen]
    return replace(instance, passages=tuple(passages[position] for position in chosen), metadata=metadata)


def _marks(instance: BaseInstance, key: str) -> list[object]:
    """The list under a key of the metadata, with a mark for each passage; a list of None if there is no such list."""
    marks = instance.metadata.get(key)
    if isinstance(marks, list) and len(marks) == len(instance.passages):
        return marks
    return [None] * len(instance.passages)


NAMED = 5
"""How many records the report names for each reason."""

SolveTest = Callable[[Sequence[BaseInstance]], Mapping[str, str]]
"""A pre-test. It takes instances, and returns id → reason for those that fail."""


@dataclass(frozen=True, slots=True)
class Curation:
    """A curated base set that has not been written yet."""

    name: str
    instances: tuple[BaseInstance, ...]
    licence: str | None
    """The licence that all instances share."""
    attribution: str | None
    report: Mapping[str, Any]
    """The content of the manifest, such as the counts for each filter."""


@dataclass(slots=True)
class LeftOut:
    """The records that were left out, by step and reason, in the order of the steps."""

    records: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Step and reason → the names of the records."""

    def add(self, step: str, reason: str, name: str) -> None:
        """Count a record."""
        self.expect(step, reason)
        self.records[step, reason].append(name)

    def expect(self, step: str, reason: str) -> None:
        """List a reason, so that it is reported even if no record is left out for it."""
        self.records.setdefault((step, reason), [])

    def to_list(self) -> list[dict[str, Any]]:
        """One entry for each reason: step, reason, count and the ids of the first records."""
        return [
            {"step": step, "reason": reason, "count": len(names), "ids": names[:NAMED]}
            for (step, reason), names in self.records.items()
        ]


def curate(request: SourceRequest, solve: SolveTest | None = None, step: str = "pre-test") -> Curation:
    """Curate a source. `solve` is a pre-test of drawn instances, and `step` is its name in the report.

    Raises `SourceError` if the source cannot be read, if a line is not a JSON object, or if no instance remains.
    """
    recipe = request.recipe
    seed = recipe.seed if request.seed is None else request.seed
    opened = open_source(request)
    left_out = LeftOut()
    usable, n_records = _read_usable(opened, left_out)
    _list_filters(recipe, left_out)
    filtered = [_filtered(instance, recipe, left_out) for instance in usable]
    pool = [instance for instance in filtered if instance is not None]

    def note_failure(reason: str, identifier: str) -> None:
        left_out.add(step, reason, identifier)

    # The pre-test costs calls to models, so it runs last and only on instances that are drawn.
    drawn = _draw(pool, recipe, seed, solve, note_failure)
    if not drawn:
        raise _nothing_remains(opened.name, n_records, left_out)
    drawn = [_finished(instance, recipe, opened) for instance in drawn]
    licences = {instance.licence for instance in drawn}
    domains = Counter(instance.domain for instance in drawn if instance.domain)
    report = {
        "source": opened.facts,
        "format": opened.form,
        "recipe": recipe.model_dump(mode="json", exclude_none=True),
        "seed": seed,
        "limit": request.limit,
        "records": n_records,
        "left_out": left_out.to_list(),
        "passages_dropped": _dropped_passages(usable),
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


def _nothing_remains(source: str, n_records: int, left_out: LeftOut) -> SourceError:
    """The error for a source from which nothing is drawn. It names the most frequent reason."""
    # Most often, that reason is the mistake in the recipe.
    commonest = max(left_out.to_list(), key=lambda entry: int(entry["count"]), default=None)
    most = f" (most fell because {commonest['reason']})" if commonest and commonest["count"] else ""
    return SourceError(f"{source}: no instance remains of {n_records} records{most}: check the recipe")


def _dropped_passages(instances: Sequence[BaseInstance]) -> dict[str, dict[str, int]]:
    """Why passages were dropped → how many passages, of how many records. Only some formats tell."""
    dropped: dict[str, dict[str, int]] = {}
    for instance in instances:
        for reason, number in instance.metadata.get(DROPPED, {}).items():
            counts = dropped.setdefault(reason, {"passages": 0, "records": 0})
            counts["passages"] += number
            counts["records"] += 1 if number else 0
    return dropped


def _read_usable(opened: OpenedSource, left_out: LeftOut) -> tuple[list[BaseInstance], int]:
    """The instances of the source with distinct ids, and the number of all records."""
    usable: list[BaseInstance] = []
    seen_ids: set[str] = set()
    n_records = 0
    for name, outcome in opened.records:
        n_records += 1
        if isinstance(outcome, RowError):
            left_out.add("malformed", outcome.reason, name)
        elif isinstance(outcome, SkippedRow):
            left_out.add("unusable", outcome.reason, name)
        elif outcome.id not in seen_ids:
            seen_ids.add(outcome.id)
            usable.append(outcome)
        elif opened.repeats:
            left_out.add("repeated", "another row tells of the same instance", name)
        else:
            left_out.add("malformed", "the id repeats that of an earlier record", name)
    return usable, n_records


def _list_filters(recipe: Recipe, left_out: LeftOut) -> None:
    """List the recipe's filters in their order, so that a filter that drops nothing is reported with 0."""
    for rule in recipe.filters:
        left_out.expect("filter", rule.reason)
    if recipe.domains:
        left_out.expect("domain", _other_domain(recipe))
    if recipe.passages is not None:
        left_out.expect("passages", NO_SIGNAL)
        if recipe.passages.count > 1:
            left_out.expect("passages", TOO_FEW.format(recipe.passages.count))
    if recipe.answer_in_signal:
        left_out.expect("answer", _NO_ANSWER)


def _filtered(instance: BaseInstance, recipe: Recipe, left_out: LeftOut) -> BaseInstance | None:
    """The instance with its context cut to size; None if a filter of the recipe drops it."""
    for rule in recipe.filters:
        if not rule.admits(instance):
            left_out.add("filter", rule.reason, instance.id)
            return None
    if recipe.domains and _domain(instance, recipe) is None:
        left_out.add("domain", _other_domain(recipe), instance.id)
        return None
    if recipe.passages is not None:
        shortened = cut_context(instance, recipe.passages)
        if isinstance(shortened, SkippedRow):
            left_out.add("passages", shortened.reason, instance.id)
            return None
        instance = shortened
    elif not any(passage.role == "signal" for passage in instance.passages):
        left_out.add("passages", NO_SIGNAL, instance.id)
        return None
    if recipe.answer_in_signal:
        signal = (passage.text for passage in instance.passages if passage.role == "signal")
        if not any(holds_answer(text, *instance.answers) for text in signal):
            left_out.add("answer", _NO_ANSWER, instance.id)
            return None
    return instance


def _other_domain(recipe: Recipe) -> str:
    """Why a record of another domain is left out, for the report."""
    return f"the {recipe.by or 'domain'} is not one of the recipe's"


def _domain(instance: BaseInstance, recipe: Recipe) -> str | None:
    """The recipe's spelling of the instance's domain; None if the recipe does not name it."""
    value = instance.metadata.get(recipe.by) if recipe.by else instance.domain
    instance_domain = "" if value is None else str(value).strip().casefold()
    return next((domain for domain in recipe.domains if domain.casefold() == instance_domain), None)


def _draw(
    pool: Sequence[BaseInstance],
    recipe: Recipe,
    seed: int,
    solve: SolveTest | None,
    note_failure: Callable[[str, str], None],
) -> list[BaseInstance]:
    """Draw uniformly, by domain if the recipe says so. Returns the instances in the order of the source.

    The order of the draw depends on seed and id alone. With a pre-test, only drawn instances are tested, and the next
    one replaces each that fails. This gives the same instances as testing the whole pool first, with fewer calls.
    `note_failure` gets the reason and the id of each instance that fails.
    """
    queues: dict[str | None, list[BaseInstance]] = {}
    for instance in sorted(pool, key=lambda instance: fraction_of("draw", seed, instance.id)):
        stratum = _domain(instance, recipe) if recipe.per_domain else None
        queues.setdefault(stratum, []).append(instance)
    wanted_number = recipe.per_domain or recipe.size or len(pool)
    passed: dict[str | None, set[str]] = {stratum: set() for stratum in queues}
    # A wave takes from each stratum as many instances as it lacks. The next wave makes up for those that fail.
    while True:
        # All strata are tested together, so that the calls of a wave run side by side.
        wave: list[tuple[str | None, BaseInstance]] = []
        for stratum, queue in queues.items():
            n_missing = wanted_number - len(passed[stratum])
            taken, queues[stratum] = queue[:n_missing], queue[n_missing:]
            wave += [(stratum, instance) for instance in taken]
        if not wave:  # every stratum is full or has no instances left
            break
        unsolved = solve([instance for _, instance in wave]) if solve else {}
        for stratum, instance in wave:
            if instance.id in unsolved:
                note_failure(unsolved[instance.id], instance.id)
            else:
                passed[stratum].add(instance.id)
    drawn = {identifier for identifiers in passed.values() for identifier in identifiers}
    return [instance for instance in pool if instance.id in drawn]


def _shortfalls(drawn: Sequence[BaseInstance], recipe: Recipe) -> list[dict[str, Any]]:
    """The domains with fewer instances than the recipe asks for."""
    if recipe.size is not None and len(drawn) < recipe.size:
        return [{"domain": None, "wanted": recipe.size, "got": len(drawn)}]
    if recipe.per_domain is None:
        return []
    numbers = Counter(_domain(instance, recipe) for instance in drawn)
    return [
        {"domain": domain, "wanted": recipe.per_domain, "got": numbers[domain]}
        for domain in recipe.domains
        if numbers[domain] < recipe.per_domain
    ]


def _finished(instance: BaseInstance, recipe: Recipe, opened: OpenedSource) -> BaseInstance:
    """The instance for writing. Its licence comes from the row, or else the recipe, or else the source."""
    metadata = {key: value for key, value in instance.metadata.items() if key != DROPPED}
    licence = instance.licence or recipe.licence or opened.licence
    return replace(instance, metadata=metadata, licence=licence)


def check_name(out: Path) -> None:
    """Raise `SourceError` unless a base set can have this name."""
    if out.suffix != ".jsonl":
        raise SourceError(f"{out}: a base set is JSON Lines: give it a name that ends in .jsonl")


def check_place(out: Path, force: bool = False) -> None:
    """Raise `SourceError` if `out` cannot be written, before anything is read.

    An existing base set is replaced only with `force`.
    """
    if out.is_dir():
        raise SourceError(f"{out}: is a folder: give the name of a file in it")
    if out.exists() and not force:
        raise SourceError(f"{out}: already exists: choose another name, or give --force to replace it")
    existing_folder = next(folder for folder in out.absolute().parents if folder.exists())
    if not existing_folder.is_dir() or not os.access(existing_folder, os.W_OK):
        raise SourceError(f"{out}: cannot be written, because of {existing_folder}: choose another place")


def manifest_path(out: Path) -> Path:
    """The path of the manifest of a base set."""
    return out.with_suffix(".manifest.json")


def write_base_set(curation: Curation, out: Path, code_version: str) -> str:
    """Write `out` and its manifest, each atomically. Returns the digest of the instances.

    Raises `SourceError` if the folder cannot be written to.
    """
    since = curation.report["source"].get("since")
    header = Header(curation.name, curation.licence, curation.attribution, since=since)
    text = render(header, curation.instances)
    with writing_errors(out, SourceError):
        out.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder, since a file can only be replaced atomically within a file system.
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".curate-") as folder:
            base_set, manifest = Path(folder, out.name), Path(folder, manifest_path(out).name)
            base_set.write_text(text, encoding="utf-8")
            # Reading the file back computes the digest, and shows that the file is valid before it gets its name.
            content_digest = load_base_set(base_set, form="jsonl").digest
            manifest.write_text(_manifest(curation, content_digest, code_version), encoding="utf-8")
            base_set.replace(out)
            manifest.replace(manifest_path(out))
    return content_digest


def _manifest(curation: Curation, content_digest: str, code_version: str) -> str:
    content = {
        "name": curation.name,
        "licence": curation.licence,
        "attribution": curation.attribution,
        "digest": content_digest,
        "recipe_digest": digest(curation.report["recipe"]),
        **curation.report,
        "code_version": code_version,
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
