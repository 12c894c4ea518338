"""Tables of stated confidence, with a row for each answer, and files of calibration maps.

The rows of a table fall into groups, by model, elicitation (how a model was asked for its confidence) and data set. A
calibration map, stored as JSON, belongs to one model and elicitation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from perturb.errors import ConfigError, SourceError
from perturb.files.resources import read_text, writing_errors
from perturb.files.tables import read_columns, read_flag, rename, row_place
from perturb.ledger.evaluations import CONFIDENCE_TABLE
from perturb.metrics.calibrated_scores import CalibrationMap
from perturb.metrics.inputs import PERCENT_FROM, Flags, Floats
from perturb.metrics.outcomes import LEVELS, SCORED
from perturb.metrics.refusal import RIGHT
from perturb.records import JsonObject
from perturb.scoring.datasets import AnswerGroup, with_datasets
from perturb.text.wording import counted

if TYPE_CHECKING:
    import pandas as pd

# Columns that a table must have.
NEEDED: tuple[str, ...] = ("is_correct", "confidence")
# Columns that a table may have; other columns are ignored.
LABELS: tuple[str, ...] = ("model", "elicitation", "dataset", "item_id", "base_id", "unscored")


@dataclass(frozen=True)
class ConfidenceGroup(AnswerGroup):
    """The scored answers of one model under one elicitation."""

    model: str
    """The name of the file if the table has no column `model`."""
    correct: Flags
    confidence: Floats
    """In [0, 1]."""
    items: tuple[str, ...] | None
    """The question that each row answers; None if the table has no such column."""
    bases: tuple[str, ...] | None
    """The base instance of each question."""
    notes: tuple[str, ...] = ()
    """Other remarks on the table, one line each."""

    @property
    def elicitation(self) -> str | None:
        """How the model was asked for its confidence: the setting of an `AnswerGroup`."""
        return self.setting

    @property
    def name(self) -> str:
        """Model, elicitation and data set."""
        name = self.model if self.elicitation is None else f"{self.model} ({self.elicitation})"
        return name if self.dataset is None else f"{name}, {self.dataset}"

    @property
    def clusters(self) -> tuple[str, ...] | None:
        """A label for each row; rows with the same label are resampled and split together. None if all differ."""
        for labels in (self.bases, self.items):
            if labels is not None and len(set(labels)) < len(labels):
                return labels
        return None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons why some metrics are not informative, one line each."""
        warnings = list(self.notes)
        if self.unscored:
            total = self.unscored + len(self.correct)
            warnings.append(f"{self.name}: {self.unscored} of {total} rows are unscored and left out")
        if self.correct.all() or not self.correct.any():
            side = "right" if self.correct.all() else "wrong"
            warnings.append(
                f"{self.name}: every answer is {side}: AURC and a calibration map tell nothing about the model"
            )
        if np.ptp(self.confidence) == 0:
            warnings.append(
                f"{self.name}: confidence is {self.confidence[0]:g} throughout: AURC is then just the error rate"
            )
        return tuple(warnings)


def read_confidence_tables(
    sources: Sequence[Path], *, percent: bool = False, columns: Mapping[str, str] | None = None
) -> tuple[ConfidenceGroup, ...]:
    """The groups of several tables, in order of appearance.

    A source is a `.csv`, `.jsonl` or `.parquet` file, or the folder of `perturb bas run` or `perturb evaluate`.
    Columns: `is_correct` (0/1, true/false) and `confidence` (0 to 1, or one of the five levels; with `percent` 0 to
    100), and the optional `LABELS`. `columns` maps fields to columns with other names. A row with a reason in
    `unscored` may leave the first two empty.

    Raises `SourceError`, with file and row, for other values, and if two tables have the same model and data set.
    """
    return with_datasets([(source, _read(source, percent, columns or {})) for source in sources])


def _read(source: Path, percent: bool, columns: Mapping[str, str]) -> Sequence[ConfidenceGroup]:
    """The groups of one source: of a table, of the folder of `bas run`, or of the folder of an evaluation."""
    if source.is_dir() and not (source / CONFIDENCE_TABLE).is_file():
        return _of_evaluation(source)
    import pandas as pd

    path = source / CONFIDENCE_TABLE if source.is_dir() else source
    texts = (*LABELS, *columns.values())
    frame = read_columns(path, (*NEEDED, *texts), texts=texts)
    for name in (*NEEDED, *columns.values()):
        if name not in frame.columns:
            present = ", ".join(map(str, frame.columns)) or "none"
            needs = ": it needs is_correct and confidence" if name in NEEDED else ""
            raise SourceError(f"{path}: no column '{name}'{needs} (there is {present})")
    # Unlike `DataFrame.rename`, this drops a column if another column takes its name.
    frame = pd.DataFrame(rename({str(name): values for name, values in frame.items()}, columns))
    if frame.empty:
        raise SourceError(f"{path}: the table has no rows: give one row per answer")
    return _groups(path, frame, percent)


def _of_evaluation(folder: Path) -> Sequence[ConfidenceGroup]:
    """The replies to the items of a snapshot that state a level of confidence, by model."""
    from perturb.scoring.table import read_results

    groups: list[ConfidenceGroup] = []
    without_confidence: list[str] = []
    for replies in read_results(folder).models:
        rows = [row for row in replies.rows if row.outcome in SCORED and row.level is not None]
        if not rows:
            without_confidence.append(replies.model)
            continue
        groups.append(
            ConfidenceGroup(
                model=replies.model,
                setting=None,
                correct=np.array([row.outcome in RIGHT for row in rows]),
                confidence=np.array([LEVELS[str(row.level)] for row in rows]),
                items=tuple(row.item_id for row in rows),
                bases=tuple(row.item.base_id for row in rows),
                unscored=len(replies.rows) - len(rows),
            )
        )
    if not groups:
        raise SourceError(f"{folder}: no model states a confidence: evaluate with --confidence")
    notes = tuple(f"{model}: states no confidence and is left out" for model in without_confidence)
    # Only groups have notes, so the first group gets the notes on models without a group.
    return [replace(groups[0], notes=notes), *groups[1:]]


class _Answers(NamedTuple):
    """The columns of a table that are scored, with an entry for each row."""

    correct: Floats
    """0 or 1."""
    confidence: Floats
    """In [0, 1]."""
    is_unscored: Flags
    """Rows whose two other values may be anything, or NaN."""


def _read_answers(path: Path, frame: pd.DataFrame, percent: bool) -> _Answers:
    """The scored columns. Raises `SourceError` for the first value that cannot be used."""
    correct = _flags(frame["is_correct"])
    confidence = _probabilities(path, frame["confidence"], percent)
    is_unscored = _present(frame["unscored"]) if "unscored" in frame else np.zeros(len(frame), dtype=np.bool_)
    for name, values in (("is_correct", correct), ("confidence", confidence)):
        unreadable = np.flatnonzero(np.isnan(values) & ~is_unscored)
        if unreadable.size:
            row = unreadable[0]
            raise SourceError(f"{row_place(path, row)}: {_describe_fault(name, frame[name].iloc[row])}")
    # An unscored row may hold any number, or none; 0 is always in range.
    _refuse_outside(path, np.where(is_unscored, 0.0, confidence), percent)
    return _Answers(correct, confidence / 100 if percent else confidence, is_unscored)


def _groups(path: Path, frame: pd.DataFrame, percent: bool) -> list[ConfidenceGroup]:
    """The groups of a table, in order of appearance."""
    answers = _read_answers(path, frame, percent)
    # A table without a column of models is about one model: the file is named after it. The table of a run has the same
    # name in every run, so there the folder counts.
    models = _labels(frame, "model", path.stem if path.name != CONFIDENCE_TABLE else path.parent.name)
    elicitations, datasets = _labels(frame, "elicitation"), _labels(frame, "dataset")
    rows_by_labels: dict[tuple[str | None, str | None, str | None], list[int]] = {}
    for row, labels in enumerate(zip(models, elicitations, datasets, strict=True)):
        rows_by_labels.setdefault(labels, []).append(row)
    groups = []
    for (model, elicitation, dataset), rows in rows_by_labels.items():
        usable = np.array(rows)[~answers.is_unscored[rows]]
        if not len(usable):
            raise SourceError(
                f"{path}: '{model}' has no scored row ({counted(len(rows), 'row')}): see column 'unscored'"
            )
        groups.append(
            ConfidenceGroup(
                str(model),
                elicitation,
                correct=answers.correct[usable] == 1,
                confidence=answers.confidence[usable],
                items=_ids(path, frame.iloc[usable], "item_id"),
                bases=_ids(path, frame.iloc[usable], "base_id"),
                dataset=dataset,
                unscored=len(rows) - len(usable),
            )
        )
    return groups


def _flags(column: pd.Series[Any]) -> Floats:
    """Each value as 0.0 or 1.0, NaN if it is neither."""
    if column.dtype.kind in "biuf":
        numbers = column.to_numpy(dtype=np.float64)
        return np.where((numbers == 0) | (numbers == 1), numbers, np.nan)
    flags = {False: 0.0, True: 1.0, None: np.nan}
    return np.array([flags[read_flag(value)] for value in column])


def _probabilities(path: Path, column: pd.Series[Any], percent: bool) -> Floats:
    """Each number as it is, each level as the middle of its range, NaN for other values."""
    import pandas as pd

    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64).copy()
    booleans = np.array([isinstance(value, bool) for value in column])  # pandas reads True as 1
    for row in np.flatnonzero(np.isnan(numbers) | booleans):
        numbers[row] = _read_word(path, int(row), column.iloc[row], percent)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _read_word(path: Path, row: int, value: Any, percent: bool) -> float:
    """The confidence in a text that is not a plain number: a level, or a percentage such as `85%`; NaN if neither."""
    text = value.strip() if isinstance(value, str) else ""
    level = LEVELS.get(text.upper().replace(" ", "_"))
    if level is not None:
        return 100 * level if percent else level
    number, percent_sign, after_sign = text.partition("%")
    if not percent_sign or after_sign:
        return np.nan
    if not percent:
        raise SourceError(f"{row_place(path, row)}: confidence '{text}' is a percentage: add --percent")
    try:
        return float(number)
    except ValueError:
        return np.nan


def _refuse_outside(path: Path, confidence: Floats, percent: bool) -> None:
    """Raise `SourceError` for confidence outside the range, or in what seems to be the other unit."""
    top = 100 if percent else 1
    outside = np.flatnonzero((confidence < 0) | (confidence > top))
    if outside.size:
        value = confidence[outside[0]]
        hint = ": correct it"
        if not percent and confidence.min() >= 0 and PERCENT_FROM < confidence.max() <= 100:
            hint = ": these look like percentages, so add --percent"
        raise SourceError(
            f"{row_place(path, outside[0])}: confidence {value:g} lies outside 0 to {top}{hint}"
        )
    if percent and 0 < confidence.max() <= 1:
        raise SourceError(
            f"{path}: no confidence is above 1: these are not percentages, so leave --percent out"
        )


def _describe_fault(name: str, value: Any) -> str:
    """What is wrong with a value of the column `name`, and what it must be."""
    expected = "0 or 1" if name == "is_correct" else "a number from 0 to 1"
    is_missing = _is_null(value) or str(value).strip() == ""
    problem = "is missing" if is_missing else f"is {str(value)[:40]!r}"
    return f"{name} {problem}: it must be {expected}"


def _present(column: pd.Series[Any]) -> Flags:
    """Whether each value is a text that is not blank."""
    return np.array([isinstance(value, str) and value.strip() != "" for value in column], dtype=np.bool_)


def _is_null(value: Any) -> bool:
    """Whether a value is None or NaN, which differs from itself."""
    return value is None or value != value


def _labels(frame: pd.DataFrame, name: str, default: str | None = None) -> list[str | None]:
    """The names in a column as text, or `default` if the column is missing or a cell is empty."""
    if name not in frame:
        return [default] * len(frame)
    return [default if _is_null(value) or value == "" else str(value) for value in frame[name].tolist()]


def _ids(path: Path, frame: pd.DataFrame, name: str) -> tuple[str, ...] | None:
    """The ids in a column, or None if the column is missing.

    Raises `SourceError` if a cell is empty: rows without an id cannot be told apart.
    """
    if name not in frame:
        return None
    ids = [label for label in _labels(frame, name) if label is not None]
    if len(ids) < len(frame):
        raise SourceError(f"{path}: column '{name}' is empty in places: fill it in or leave it out")
    return tuple(ids)


# What a file of maps says about itself, with the version of its format.
FORMAT = "perturb calibration maps 1"


@dataclass(frozen=True, slots=True)
class SavedMap:
    """A calibration map with its model and elicitation, and the rows that it was fitted on."""

    model: str
    elicitation: str | None
    fitted: CalibrationMap
    fitted_on: tuple[str, ...]
    """The questions and bases, or keys, of the rows that it was fitted on: it must not score them later."""


def save_maps(path: Path, maps: Sequence[SavedMap]) -> None:
    """Write a file of maps. Raises `ConfigError` if it cannot be written."""
    entries = [
        {
            "model": saved.model,
            "elicitation": saved.elicitation,
            **saved.fitted.to_dict(),
            "fitted_on": list(saved.fitted_on),
        }
        for saved in maps
    ]
    text = json.dumps({"format": FORMAT, "maps": entries}, ensure_ascii=False, allow_nan=False, indent=1)
    with writing_errors(path, ConfigError):
        path.write_text(text + "\n", encoding="utf-8")


def load_maps(path: Path) -> tuple[SavedMap, ...]:
    """Read a file that `save_maps` wrote. Raises `ConfigError` if it is not such a file."""
    try:
        content = json.loads(read_text(path, ConfigError))
    except (ValueError, RecursionError):
        raise ConfigError(
            f"{path}: not JSON: give a file that `perturb bas calibrate --save` wrote"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not content.get("maps"):
        raise ConfigError(f"{path}: holds no maps: give a file that `perturb bas calibrate --save` wrote")
    try:
        return tuple(_read_entry(entry) for entry in content["maps"])
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ConfigError(f"{path}: {exc}: save the map again") from None


def map_for(maps: Sequence[SavedMap], model: str, elicitation: str | None) -> SavedMap:
    """The map of a model and elicitation; a single map applies to every model.

    Raises `ConfigError` if the model has no map.
    """
    if len(maps) == 1:
        return maps[0]
    for saved in maps:
        if (saved.model, saved.elicitation) == (model, elicitation):
            return saved
    names = ", ".join(saved.model for saved in maps)
    raise ConfigError(f"--apply: there is no map for '{model}', only for {names}: calibrate it first")


def _read_entry(entry: JsonObject) -> SavedMap:
    """A map from its entry in a file. Raises an error of Python for an entry of another form."""
    keys = entry["fitted_on"]
    if not isinstance(keys, list):
        raise TypeError("'fitted_on' is not a list")
    return SavedMap(
        str(entry["model"]), entry["elicitation"], CalibrationMap.from_dict(entry), tuple(map(str, keys))
    )
