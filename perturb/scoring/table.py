"""The table that all scores are computed from: the checked replies of each model.

`read_results` reads it from the folder of an evaluation, or from a file with a row for each item and model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perturb.catalogue.levers import Catalogue
from perturb.errors import ConfigError, SourceError
from perturb.files.tables import read_table
from perturb.ledger.evaluations import PANEL_FACT, PLANTED_FACT, early_stop
from perturb.metrics.inputs import Integers
from perturb.metrics.outcomes import reply_cells
from perturb.metrics.refusal_registry import ResampledReplies
from perturb.metrics.resampling import Resamples
from perturb.records import NO_INTENSITY, Facts, Intensity, taxonomy_place
from perturb.scoring.result_rows import REQUIRED, ResultRow, read_row
from perturb.snapshots.settings import CODES, name_with_prompt
from perturb.text.wording import listed

if TYPE_CHECKING:
    from perturb.evaluation.results import EvaluationRun

# The groupings that scores are broken down by → the field of `ItemFields`.
GROUPINGS: dict[str, str] = {
    "class": "perturbation_class",
    "intensity": "intensity",
    "cell": "cell",
    "domain": "domain",
    "language": "language",
    "lever": "lever",
    "generator": "generator",
}

# How three errors about mixed tables end.
_MIXED = "items of two snapshots are mixed: score them apart"


@dataclass(frozen=True)
class ModelReplies:
    """The replies of one model in one setting, sorted by item."""

    model: str
    """The name of the model, with the setting if the table has several settings; `base_model` never has it."""
    rows: tuple[ResultRow, ...]
    outcome_levels: Integers
    """A number for each reply that stands for its outcome and its confidence level, from `reply_cells`."""
    raf: bool
    """Whether relevance-aware factuality, rather than a quality, judges the answers of all models."""

    @classmethod
    def of(cls, model: str, rows: tuple[ResultRow, ...], *, raf: bool) -> ModelReplies:
        """The replies of a model; `rows` are sorted by item."""
        outcome_levels = reply_cells([row.outcome for row in rows], [row.level for row in rows])
        return cls(model, rows, outcome_levels, raf)

    @property
    def item_ids(self) -> list[str]:
        """The items, in order."""
        return [row.item_id for row in self.rows]

    def labels(self, column: str) -> list[str | None]:
        """A field of `ItemFields` for each reply."""
        return [getattr(row.item, column) for row in self.rows]

    def resampled(self, resamples: Resamples) -> ResampledReplies:
        """The numbers of replies by outcome and level, in the data and in each resample of these replies."""
        return ResampledReplies.of(self.outcome_levels, resamples, raf=self.raf)

    def select(self, positions: Sequence[int] | Integers) -> ModelReplies:
        """The replies at these positions."""
        rows = tuple(self.rows[position] for position in positions)
        return replace(self, rows=rows, outcome_levels=self.outcome_levels[positions])

    def only(self, is_chosen: Callable[[ResultRow], bool]) -> ModelReplies:
        """The replies for which a function is true."""
        return self.select([position for position, row in enumerate(self.rows) if is_chosen(row)])

    @property
    def base_model(self) -> str:
        """The name of the model without the setting."""
        return self.rows[0].model

    @property
    def prompt(self) -> str | None:
        """The setting in which the model was asked; None for results without settings."""
        return self.rows[0].prompt

    @property
    def has_codes(self) -> bool:
        """Whether the prompt listed the refusal codes, as it does by default."""
        return self.prompt in (None, CODES)

    @property
    def free(self) -> bool:
        """Whether replies are in plain words: a judge named the kind of at least one reply."""
        return any(row.kind is not None for row in self.rows)

    def lenient(self) -> ModelReplies:
        """The same replies in the lenient reading of their kinds."""
        return ModelReplies.of(self.model, tuple(row.lenient() for row in self.rows), raf=self.raf)


def in_common(*models: ModelReplies) -> list[ModelReplies]:
    """The replies to the samples of items that all models were asked, in the same order for each model."""
    common = frozenset.intersection(
        *(frozenset((row.item_id, row.sample) for row in model.rows) for model in models)
    )
    return [model.only(lambda row: (row.item_id, row.sample) in common) for model in models]


@dataclass(frozen=True)
class ResultTable:
    """The checked replies of all models."""

    source: str
    models: tuple[ModelReplies, ...]
    """Sorted by name."""
    codes: tuple[str, ...]
    """The refusal codes that are a ground truth, in the order of the classes."""
    warnings: tuple[str, ...] = ()
    """Cautions for readers who quote the scores."""
    controls: tuple[ModelReplies, ...] = ()
    """Replies to unperturbed controls, by model; no score counts them."""
    stops: Mapping[str, Facts] = field(default_factory=dict)
    """Model → the fields of `perturb.evaluation.stop_rule.Stop`, for models that were asked under a stopping rule."""

    def firsts(self) -> ResultTable:
        """The first reply of each model to each item."""
        return replace(self, models=tuple(model.only(lambda row: row.sample == 1) for model in self.models))

    def of_models(self, names: Collection[str]) -> ResultTable:
        """The replies of these models only. Raises `ConfigError` if a model has no replies."""
        for name in names:
            if not _named(self.models, {name}):
                names_in_table = [model.model for model in self.models]
                raise ConfigError(f"{self.source}: no model '{name}': it has {listed(names_in_table)}")
        return replace(self, models=_named(self.models, names), controls=_named(self.controls, names))


def _named(models: Sequence[ModelReplies], names: Collection[str]) -> tuple[ModelReplies, ...]:
    """The models with one of these names. A name without a setting stands for all settings of the model."""
    return tuple(model for model in models if model.model in names or model.base_model in names)


def result_table(
    rows: Iterable[tuple[str, Facts]],
    source: str,
    *,
    items: int | None = None,
    warnings: tuple[str, ...] = (),
    catalogue: Catalogue | None = None,
    stops: Mapping[str, Facts] | None = None,
) -> ResultTable:
    """Check rows, each with its place in the source, and group them by model.

    `items` is the number of items that each model has to reply to, or None if it is unknown. `catalogue` has the
    classes; by default they are the published ones. `stops` are the stopping rules by model.

    Raises `SourceError` if there is no row, a row is wrong, a model replies twice to an item, or the rows come from two
    sets of items.
    """
    catalogue = catalogue or Catalogue.load()
    scored, controls = _read_rows(rows, catalogue)
    if not scored:
        raise SourceError(f"{source}: no results in it: give an evaluation with replies or a table of rows")
    _refuse_double_replies([*scored, *controls])
    _refuse_mixed_items(scored)
    if items is not None:  # the number of items of an evaluation includes its controls
        items -= len({row.item_id for row in controls})
    has_settings = len({row.prompt for row in (*scored, *controls)}) > 1
    # The judge of answers, which is RAF or a quality, is known even if all items were refused.
    raf = {row.judged_by for row in scored if row.judged_by is not None} == {"raf"}
    models = _by_model(scored, has_settings=has_settings, raf=raf)
    stops = stops or {}
    # A model that met its stopping rule has no replies to the other items, on purpose.
    unstopped = [model for model in models if not stops.get(model.model, {}).get("reached")]
    return ResultTable(
        source=source,
        models=models,
        codes=tuple(entry.refusal_code for entry in catalogue.classes.values()),
        warnings=(*warnings, *_missing(unstopped, source, items)),
        controls=_by_model(controls, has_settings=has_settings, raf=raf),
        stops=stops,
    )


def _read_rows(
    rows: Iterable[tuple[str, Facts]], catalogue: Catalogue
) -> tuple[list[ResultRow], list[ResultRow]]:
    """The replies to items, then those to controls."""
    scored, controls = [], []
    for place, fields in rows:
        if fields.get("intensity") == NO_INTENSITY:
            # A row needs an intensity. LOW fits a control, which must be answered too.
            controls.append(read_row({**fields, "intensity": str(Intensity.LOW)}, place, catalogue))
        else:
            scored.append(read_row(fields, place, catalogue))
    return scored, controls


def ordered_names(labels: Iterable[str | None]) -> list[str]:
    """The different labels, in the order of the taxonomy, then of the alphabet.

    >>> ordered_names(["HIGH", "LOW", None, "HIGH"])
    ['LOW', 'HIGH']
    """
    return sorted({label for label in labels if label is not None}, key=taxonomy_place)


def rows_by_label(labels: Sequence[str | None]) -> dict[str, Integers]:
    """The numbers of the rows with each label, in the order of `ordered_names`; a row without a label has no entry.

    >>> {name: rows.tolist() for name, rows in rows_by_label(["HIGH", "LOW", None, "HIGH"]).items()}
    {'LOW': [1], 'HIGH': [0, 3]}
    """
    rows: dict[str | None, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {name: np.array(rows[name]) for name in ordered_names(labels)}


def _by_model(rows: Iterable[ResultRow], *, has_settings: bool, raf: bool) -> tuple[ModelReplies, ...]:
    """The replies of each model; the setting is a part of the model's name if there are several settings."""
    rows_of: dict[str, list[ResultRow]] = {}
    for row in sorted(rows, key=lambda row: (row.item_id, row.sample)):
        name = name_with_prompt(row.model, row.prompt or CODES) if has_settings else row.model
        rows_of.setdefault(name, []).append(row)
    return tuple(ModelReplies.of(model, tuple(rows_of[model]), raf=raf) for model in sorted(rows_of))


def _refuse_double_replies(rows: list[ResultRow]) -> None:
    earlier_rows: dict[tuple[str, str, str, int], ResultRow] = {}
    for row in rows:
        earlier = earlier_rows.setdefault((row.model, row.prompt or CODES, row.item_id, row.sample), row)
        if earlier is not row:
            raise SourceError(
                f"{row.place}: model '{row.model}' replies to item '{row.item_id}' a second time, the first is at"
                f" {earlier.place}: keep one of the two, or give the models different names"
            )


def _refuse_mixed_items(rows: list[ResultRow]) -> None:
    """Refuse rows of two snapshots: an item with two contents, two names, or models without a shared item."""
    earlier_rows: dict[str, ResultRow] = {}
    items_of_model: dict[str, set[str]] = {}
    for row in rows:
        earlier = earlier_rows.setdefault(row.item_id, row)
        if row.item != earlier.item:
            content, earlier_content = row.item._asdict(), earlier.item._asdict()
            differing = next(name for name in content if content[name] != earlier_content[name])
            raise SourceError(
                f"{row.place}: item '{row.item_id}' has another '{differing}' than at {earlier.place}: {_MIXED}"
            )
        if row.item.snapshot != rows[0].item.snapshot:
            first = f"'{rows[0].item.snapshot}' at {rows[0].place}"
            raise SourceError(f"{row.place}: snapshot '{row.item.snapshot}', but {first}: {_MIXED}")
        items_of_model.setdefault(row.model, set()).add(row.item_id)
    # Every model is compared with the first. Without a shared item, the tables are most likely of two data sets.
    first_model = rows[0].model
    for model, items in items_of_model.items():
        if not items & items_of_model[first_model]:
            place = next(row.place for row in rows if row.model == model)
            raise SourceError(f"{place}: model '{model}' shares no item with '{first_model}': {_MIXED}")


def _missing(models: Sequence[ModelReplies], source: str, items: int | None) -> Iterator[str]:
    """Warnings about models that have no reply to some of the `items`; None: the items that any model replied to."""
    n_items = items or len({item for model in models for item in model.item_ids})
    for model in models:
        n_replied = len(set(model.item_ids))
        if n_replied < n_items:
            answered = f"{n_replied} of {n_items} items"
            yield f"{source}: model '{model.model}' has replies to {answered}: the others are not scored"


def read_results(source: Path | str, levers: Sequence[Path] = ()) -> ResultTable:
    """The results in the folder of an evaluation, or in a `.jsonl`, `.csv` or `.parquet` file.

    `levers` are folders with the user's own classes; an evaluation stores its classes, a file does not.

    Raises `SourceError` if the file cannot be read or its content is wrong, `LedgerError` if the folder has no
    evaluation.
    """
    path = Path(source)
    if path.is_dir():
        from perturb.evaluation.results import read_run

        return table_of_run(read_run(path), path)
    return result_table(_rows(path), str(path), catalogue=Catalogue.load(levers))


def table_of_run(run: EvaluationRun, folder: Path) -> ResultTable:
    """The results of an evaluation that was read from a folder."""
    rows = ((f"{folder}: item '{result.item_id}'", result.to_dict()) for result in run.results)
    catalogue = Catalogue.load().with_classes(run.classes)
    stops = {name: model["until"] for name, model in run.facts["models"].items() if "until" in model}
    warnings = tuple(_warnings(run))
    return result_table(
        rows, str(folder), items=run.items, warnings=warnings, catalogue=catalogue, stops=stops
    )


def _warnings(run: EvaluationRun) -> Iterator[str]:
    """What a reader must know about judges, stopped models and models without replies."""
    from perturb.evaluation.planted_replies import describe_planted

    replied = {result.model for result in run.results}
    for name, facts in run.facts["models"].items():
        if facts.get("judges_itself"):
            role = "one of the judges" if run.facts.get(PANEL_FACT) else "the judge"
            yield f"{name} is {role} too and judged its own replies: its scores may be partial"
        if stop := early_stop(facts):
            yield f"{name} {stop}"
        if name not in replied:
            yield f"{name} has no reply yet and is not scored: run `perturb evaluate` again"
    for line in describe_planted(run.facts.get(PLANTED_FACT, {}).get("entries", ())):
        yield f"judge {line}"


def _rows(path: Path) -> Iterator[tuple[str, Facts]]:
    """Each row of a file with its place in it."""
    for row in read_table(path):
        if missing := [name for name in REQUIRED if name not in row.fields]:
            raise SourceError(
                f"{row.place}: no column '{missing[0]}': a results table has the columns {', '.join(REQUIRED)}"
            )
        yield row.place, row.fields
