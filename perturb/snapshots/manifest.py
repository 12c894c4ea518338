"""`manifest.json`: its schema, its content, and its digest, which the card and the message of the tag state."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from perturb.catalogue.classes import ClassEntry
from perturb.errors import SnapshotError
from perturb.files.resources import digest
from perturb.files.yaml_files import Strict
from perturb.records import Facts, JsonObject
from perturb.snapshots.card import SnapshotFacts, canary, count_cells, count_licences, count_values
from perturb.snapshots.rows import Parts, SnapshotRow
from perturb.snapshots.select import Strategy

# The version of the layout. It rises if older versions of perturb could misread a manifest, but not for new keys alone.
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
CARD = "README.md"

# The line of a card that states the digest.
_DIGEST_LINE = re.compile(r"^Manifest digest: ([0-9a-f]{64})$", re.MULTILINE)
# The advice of every message about a manifest that cannot be read.
_HOW_TO_REPAIR = "restore it, or export the run again"
# Keys that a manifest lacks if the run has nothing for them. Manifests from before these keys stay the same that way.
_OPTIONAL = ("people", "shortcuts", "solvers", "since", "classes", "replies")

# Types of entries: a number of rows, and a digest of 32 hexadecimal digits.
Count = Annotated[int, Field(ge=0)]
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}\z")]


class _Entry(Strict):
    """An entry whose types are checked strictly: JSON has types, so that nothing needs a conversion."""

    model_config = ConfigDict(strict=True)


class _Model(_Entry):
    # The other keys are settings of the model.
    model_config = ConfigDict(extra="allow")

    name: str
    model: str | None = None
    api_key_env: str | None = None


class _Panel(_Entry):
    name: str
    consensus: str
    offline: bool


class _Figure(_Entry):
    value: float | None
    low: float | None
    high: float | None
    reason: str | None


class _Agreement(_Entry):
    candidates: Count
    note: str | None
    figures: dict[str, _Figure]


class _Shortcuts(_Entry):
    note: str | None
    chance: dict[str, float]
    figures: dict[str, dict[str, _Figure]]


class _Certificate(_Entry):
    model_config = ConfigDict(extra="allow")

    planted: Count
    caught: Count
    right: Count
    failed_right: Count
    wrong_labels: _Figure


class _People(_Figure):
    n: Count


class _Counts(_Entry):
    rows: Count
    cells: dict[str, Count]
    generators: dict[str, Count]


class _AllCounts(_Counts):
    stages: dict[str, Count]
    configs: dict[str, _Counts]


class _Shortfall(_Entry):
    generator: str
    cell: str | None
    wanted: Count
    got: Count


class _Selection(_Entry):
    strategy: Strategy
    per_generator: Count
    min_per_cell: Count
    seed: int
    at_least: float | None = None
    reviewed: Literal["drop-failed", "only-passed"] | None = None
    drop_repeats: bool | None = None
    shortfalls: list[_Shortfall]


class _Licence(_Entry):
    licence: str | None
    rows: Count


class _Controls(_Entry):
    rows: Count
    configs: list[str]
    row_digests: list[Hex32]


class _Harness(_Entry):
    config: str
    digest: Hex32
    version: str
    rows: Annotated[dict[Literal["answerable", "unanswerable"], Count], Field(min_length=1)]
    settings: list[Literal["codes", "plain"]] = Field(default=["codes"])


class _Replies(_Entry):
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]
    replies: Count


class _File(_Entry):
    path: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]
    bytes: Count


class _Round(_Entry):
    round: str
    tag: str
    created: str | None
    rows: Count
    content_digest: Hex32
    changed: list[str]


class Manifest(_Entry):
    """The whole of `manifest.json`; the reference lists its keys with these descriptions."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    format_version: Literal[1]
    """Version of this layout: 1."""
    name: str
    """Name of the run."""
    round: str
    """The round; part of every seed and id."""
    seed: int
    """Seed of all sampling."""
    code_version: str
    """Version of perturb that made the snapshot."""
    created: str | None
    """Time of creation in UTC, or null."""
    configs: Any
    """Names of the parts: `["default"]`, `["garage"]` or `["nq", "garage"]`."""
    content_digest: Hex32
    """Digest of the rows; the same rows always have the same digest."""
    canary: str
    """A string that identifies the rows in training data; also printed on the card."""
    digests: dict[str, str]
    """Digests of the catalogue, the templates, the base set and the panel."""
    generators: list[_Model]
    """Names, models and settings, without keys."""
    panel: _Panel
    """Name of the panel, and its rule of consensus."""
    agreement: _Agreement | None
    """Raw agreement, mean κ, AC1 and α of the verifiers, with intervals, or null."""
    certificate: _Certificate | None = None
    """Share of wrong labels; null without planted items."""
    people: _People | None = None
    """Share of the reviewed, accepted items that people pass, with `low`, `high` and `n`; absent if nobody reviewed."""
    shortcuts: _Shortcuts | None = None
    """Scores of baselines that see a part of a row, if they were measured."""
    verifiers: list[_Model]
    """Names, models and settings, without keys."""
    solvers: dict[str, list[Literal["writes", "verifies", "judges"]]] | None = None
    """Name of each solver, with its other roles in the build."""
    counts: _AllCounts
    """Rows, items per cell and generator, in total and per configuration, and the run's counts by stage."""
    selection: _Selection
    """Quotas, seed, and `shortfalls`: missed quotas with `wanted` and `got` (`cell` null: the generator's total)."""
    tokens: dict[str, Count]
    """Tokens that the run used."""
    cost_usd: float | None
    """Cost of the run; null if a price is unknown."""
    licences: list[_Licence]
    """Number of rows under each licence."""
    attribution: str | None
    """The attribution that the base set states, or null."""
    since: str | None = None
    """The first day of the documents that the questions were written from."""
    controls: _Controls | None
    """Number, configurations and digests of control rows, or null."""
    harness: _Harness | None
    """The prompts for other harnesses, or null."""
    replies: _Replies | None = None
    """SHA-256 of the text of the recorded replies, and their number; only if they were exported."""
    classes: list[ClassEntry] = Field(default_factory=list)
    """Classes of your own, with their texts for models under test and judges."""
    files: list[_File]
    """Path, SHA-256 and size of every other file."""
    row_digests: list[Hex32]
    """Digests of the rows, in their order."""
    rounds: list[_Round] = Field(default_factory=list)
    """Every round so far, with tag, size and digest; only in published snapshots."""


def manifest_of(parts: Parts, facts: SnapshotFacts, content_digest: str) -> JsonObject:
    """The manifest's facts about the rows and the run, without controls, harness and files."""
    rows = list(chain.from_iterable(parts.values()))
    run, replies = facts.run, facts.replies
    created = facts.created.astimezone(UTC).isoformat(timespec="seconds") if facts.created else None
    manifest: JsonObject = {
        "format_version": FORMAT_VERSION,
        "name": run.name,
        "round": run.round,
        "seed": run.seed,
        "code_version": run.code_version,
        "created": created,
        "configs": list(parts),
        "content_digest": content_digest,
        "canary": canary(content_digest),
        "digests": dict(run.digests),
        "generators": [entry.model_dump() for entry in run.generators],
        "panel": {"name": run.panel.name, "consensus": run.panel.consensus, "offline": run.panel.offline},
        "agreement": facts.agreement,
        "certificate": facts.certificate,
        "people": facts.people,
        "shortcuts": facts.shortcuts,
        "verifiers": [entry.model_dump() for entry in run.verifiers],
        "solvers": {name: run.solver_roles.get(name, []) for name in run.solvers},
        "counts": {"stages": dict(facts.stages), **counts_of(parts)},
        "selection": _selection(facts),
        "tokens": dict(facts.tokens),
        "cost_usd": facts.cost_usd,
        "licences": [{"licence": name, "rows": number} for name, number in count_licences(rows).items()],
        "attribution": run.base_set.attribution,
        "since": run.base_set.since,
        "controls": None,
        "harness": None,
        "classes": [entry.to_payload() for entry in run.classes],
        "replies": replies and {"sha256": replies.sha256, "replies": replies.replies},
        "row_digests": [row["row_digest"] for row in rows],
    }
    # If unused, the later keys are left out, so that old snapshots keep the digest of their manifest.
    return {name: value for name, value in manifest.items() if value or name not in _OPTIONAL}


def _selection(facts: SnapshotFacts) -> JsonObject:
    """How the rows were selected, and which quotas were missed."""
    settings = {name: value for name, value in asdict(facts.plan).items() if value is not None}
    shortfalls = [
        {**asdict(shortfall), "cell": str(shortfall.cell) if shortfall.cell else None}
        for shortfall in facts.shortfalls
    ]
    return {**settings, "shortfalls": shortfalls}


def counts_of(parts: Parts) -> JsonObject:
    """The counts of rows, cells and generators: of all parts together and, under `configs`, of each part."""
    rows = list(chain.from_iterable(parts.values()))
    return {**_counts(rows), "configs": {name: _counts(part) for name, part in parts.items()}}


def _counts(rows: Sequence[SnapshotRow]) -> JsonObject:
    generators = count_values(rows, "generator_model")
    return {"rows": len(rows), "cells": count_cells(rows), "generators": generators}


def parse_manifest(text: str, path: Path | str = MANIFEST) -> JsonObject:
    """The content of a manifest, checked against `Manifest`. Raises `SnapshotError` for any text that fails."""
    try:
        content = json.loads(text)
        Manifest.model_validate(content)
        # fails on content that could be read but not written again, such as NaN or a text nested too deeply
        render_manifest(content)
    except ValidationError as error:
        raise SnapshotError(f"{path}: {_first_fault(error)}") from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise SnapshotError(f"{path} cannot be read ({reason}): {_HOW_TO_REPAIR}") from None
    if content["configs"] not in (["default"], ["garage"], ["nq", "garage"]):
        raise SnapshotError(f"{path} names unknown parts under 'configs': {_HOW_TO_REPAIR}")
    return dict(content)


def render_manifest(manifest: Facts) -> str:
    """The text of `manifest.json`."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def manifest_digest(manifest: Facts) -> str:
    """Digest of a manifest without the digest of the card, which states this digest (64 hexadecimal digits)."""
    files = [{"path": CARD} if entry["path"] == CARD else entry for entry in manifest["files"]]
    return digest({**manifest, "files": files}, length=64)


def states_digest(card: str, manifest: Facts) -> bool:
    """Whether a card states the digest of this manifest."""
    return manifest_digest(manifest) in _DIGEST_LINE.findall(card)


def with_digest(card: str, manifest: Facts) -> str:
    """The card with the digest of this manifest instead of an older one."""
    return _DIGEST_LINE.sub(f"Manifest digest: {manifest_digest(manifest)}", card)


def _first_fault(error: ValidationError) -> str:
    """The first fault of a manifest that does not fit its schema, in words, and what to do about it."""
    fault = error.errors(include_url=False)[0]
    # a damaged file may have keys of any length, with control characters
    field = ".".join(map(str, fault["loc"]))[:80]
    field = field if field.isprintable() else ascii(field)
    if field == "format_version" and fault["type"] == "literal_error":
        return (
            f"format_version {str(fault['input'])[:20]} is not {FORMAT_VERSION}, which this version of perturb reads:"
            " use the version that wrote it"
        )
    problem = fault["msg"][:1].lower() + fault["msg"][1:]
    if not field:
        return f"not a manifest ({problem}): check the path"
    return f"field '{field}' is wrong ({problem}): {_HOW_TO_REPAIR}"
