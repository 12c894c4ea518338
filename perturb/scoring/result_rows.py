"""One row of a results table: the reply of one model to one item, checked field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from perturb.catalogue.levers import Catalogue
from perturb.errors import SourceError
from perturb.files.tables import read_flag
from perturb.metrics.outcomes import (
    LEVELS,
    BehaviourKind,
    ReplyOutcome,
    is_correct,
    predicted_behaviour,
    reply_outcome,
)
from perturb.records import ANSWER_CORRECTLY, Cell, Facts, Intensity, PerturbationClass, taxonomy_place
from perturb.text.wording import ENGLISH

# Columns that a results table must have (spec, section 11).
REQUIRED: tuple[str, ...] = (
    "item_id",
    "model",
    "base_id",
    "perturbation_class",
    "intensity",
    "expected_rag_behavior",
    "predicted",
)

# Confidence level → the lower end of its range, in [0, 1], from the highest level to the lowest.
_LOWER_ENDS = dict(zip(LEVELS, (0.9, 0.7, 0.5, 0.3, 0.0), strict=True))


class ItemFields(NamedTuple):
    """The columns of a results table that describe the item, not the reply."""

    base_id: str
    perturbation_class: str
    intensity: str
    domain: str | None = None
    language: str | None = None
    lever: str | None = None
    generator: str | None = None
    snapshot: str | None = None
    construction: str | None = None

    @property
    def cell(self) -> str:
        """Class and intensity."""
        return f"{self.perturbation_class}/{self.intensity}"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The fields of one reply that scores need."""

    place: str
    """File and line, for messages."""
    model: str
    item_id: str
    item: ItemFields
    """The same for every model."""
    expected: str
    predicted: str | None
    """`ANSWER_CORRECTLY` for an attempted answer, a canonical refusal code, or None if the reply is unreadable."""
    judged_by: str | None
    """`quality` or `raf`, from the judgement in the row or from its column `graded_by`; None if both are missing."""
    outcome: ReplyOutcome
    level: str | None
    """The confidence level that the reply states."""
    eligible: bool | None = None
    """Whether the answer does what the question asks; None if this was not judged, as for the next three."""
    factual_all: bool | None = None
    """Whether all passages together support it."""
    factual_signal: bool | None = None
    """Whether the signal passages support it."""
    raf: bool | None = None
    """Relevance-aware factuality: `eligible` and `factual_signal`."""
    quality: int | None = None
    """From 1 to 5."""
    prompt: str | None = None
    """The setting in which the model was asked; None in tables from before there were several."""
    kind: BehaviourKind | None = None
    """The kind of a reply in plain words; None if the model was asked for codes."""
    sample: int = 1
    """The number of the reply among the model's replies to the item, from 1."""

    def lenient(self) -> ResultRow:
        """The same reply in the lenient reading of its kind, in which some answers count as refusals.

        `predicted_behaviour` has both readings. A reply without a kind does not change.
        """
        if self.kind is None or self.predicted != ANSWER_CORRECTLY:
            return self
        predicted = predicted_behaviour(self.kind, self.expected, "lenient")
        if predicted == self.predicted:
            return self
        return replace(self, predicted=predicted, outcome=reply_outcome(self.expected, predicted))


def read_row(fields: Facts, place: str, catalogue: Catalogue) -> ResultRow:
    """Check one row and read it.

    Raises `SourceError` with the place if a field is empty, a class, intensity, code or level is unknown, a judgement
    is out of range, or the ground truth does not fit the cell.
    """
    row = _FieldReader(fields, place)
    cell = Cell(
        PerturbationClass(row.one_of("perturbation_class", sorted(catalogue.classes, key=taxonomy_place))),
        Intensity(row.one_of("intensity", list(Intensity))),
    )
    codes = catalogue.codes
    expected = row.code("expected_rag_behavior", codes)
    if expected != catalogue.expected_behavior(cell):
        raise row.error(
            "expected_rag_behavior", f"is {expected}, but {cell} expects {catalogue.expected_behavior(cell)}"
        )
    predicted = row.prediction(codes)
    quality, raf = row.quality(), row.raf()
    if quality is not None and raf is not None:
        raise row.error(
            "quality", "stands beside 'eligible' or 'factual_signal': fill in one of the two judgements"
        )
    # None if neither quality nor RAF was judged. Then an attempted answer is not scored.
    is_correct_answer = raf if quality is None else is_correct(quality)
    return ResultRow(
        place=place,
        model=row.text("model"),
        item_id=row.text("item_id"),
        item=row.item(cell),
        expected=expected,
        predicted=predicted,
        judged_by=row.judged_by(),
        outcome=reply_outcome(expected, predicted, is_correct_answer),
        level=row.level(),
        eligible=row.flag("eligible"),
        factual_all=row.flag("factual_all"),
        factual_signal=row.flag("factual_signal"),
        raf=raf,
        quality=quality,
        prompt=row.optional_text("prompt"),
        kind=row.kind(),
        sample=row.sample(),
    )


class _FieldReader:
    """Reads the fields of one row. Every error begins with the place of the row.

    A method without the parameter `name` reads the field that it is named after.
    """

    def __init__(self, fields: Facts, place: str) -> None:
        self._fields = fields
        self._place = place

    def error(self, name: str, problem: str) -> SourceError:
        return SourceError(f"{self._place}: '{name}' {problem}")

    def optional_text(self, name: str) -> str | None:
        value = self._fields.get(name)
        # An empty cell of a data frame is NaN, which differs from itself.
        if value is None or (isinstance(value, float) and value != value):
            return None
        if isinstance(value, list | dict):
            raise self.error(name, "must be a single value")
        return str(value).strip() or None

    def text(self, name: str) -> str:
        value = self.optional_text(name)
        if value is None:
            raise self.error(name, "is empty: fill it in")
        return value

    def one_of(self, name: str, choices: Sequence[str]) -> str:
        value = self.text(name)
        if value not in choices:
            raise self.error(name, f"holds '{_short(value)}', which is not one of {', '.join(choices)}")
        return value

    def item(self, cell: Cell) -> ItemFields:
        return ItemFields(
            self.text("base_id"),
            str(cell.perturbation_class),
            str(cell.intensity),
            language=self.optional_text("language") or ENGLISH,
            **{
                name: self.optional_text(name)
                for name in ("domain", "lever", "generator", "snapshot", "construction")
            },
        )

    def code(self, name: str, codes: Mapping[str, str]) -> str:
        value = self.text(name)
        code = codes.get(value.upper())
        if code is None:
            code_names = ", ".join(dict.fromkeys(codes.values()))
            raise self.error(name, f"holds '{_short(value)}', which is not a code: {code_names} are known")
        return code

    def prediction(self, codes: Mapping[str, str]) -> str | None:
        value = self.optional_text("predicted")
        if value is None or value.upper() == "UNSCORED":
            return None
        return ANSWER_CORRECTLY if value.upper() in ("ANSWER", "NONE") else self.code("predicted", codes)

    def quality(self) -> int | None:
        value = self.optional_text("quality")
        if value is None:
            return None
        if not re.fullmatch(r"[1-5](?:\.0+)?", value):  # a data frame stores 4 as 4.0 if a cell is empty
            raise self.error("quality", f"is {_short(value)}: give a whole number from 1 to 5")
        return int(value[0])

    def raf(self) -> bool | None:
        """Relevance-aware factuality: False if one part is False, else None if one is missing."""
        return is_correct(None, self.flag("eligible"), self.flag("factual_signal"))

    def kind(self) -> BehaviourKind | None:
        value = self.optional_text("behaviour_kind")
        return None if value is None else BehaviourKind(self.one_of("behaviour_kind", list(BehaviourKind)))

    def sample(self) -> int:
        value = self.optional_text("sample") or "1"
        if not re.fullmatch(r"[1-9]\d{0,5}(?:\.0+)?", value):
            raise self.error("sample", f"holds '{_short(value)}': give a whole number from 1 up")
        return int(float(value))

    def judged_by(self) -> str | None:
        if self.optional_text("quality") is not None:
            return "quality"
        flags = ("eligible", "factual_all", "factual_signal")
        if any(self.optional_text(name) is not None for name in flags):
            return "raf"
        # A refusal has no judgement of its own. This column says how its judge grades answers.
        graded_by = self.optional_text("graded_by")
        return None if graded_by is None else self.one_of("graded_by", ["quality", "raf"])

    def level(self) -> str | None:
        """The level with this name, or the level whose range contains the number."""
        value = self.optional_text("confidence")
        if value is None:
            return None
        name = re.sub(r"[\s-]+", "_", value).upper()
        if name in LEVELS:
            return name
        if re.fullmatch(r"[01]?\.?\d*", value) and value != "." and float(value) <= 1:
            return next(level for level, low in _LOWER_ENDS.items() if float(value) >= low)
        raise self.error(
            "confidence", f"holds '{_short(value)}': give a number from 0 to 1 or one of {', '.join(LEVELS)}"
        )

    def flag(self, name: str) -> bool | None:
        value = self.optional_text(name)
        if value is None:
            return None
        flag = read_flag(value)
        if flag is None:
            raise self.error(name, f"holds '{_short(value)}': write true or false")
        return flag


def _short(text: str) -> str:
    """A text for an error message: one line of at most 60 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."
