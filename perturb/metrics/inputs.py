"""The arguments of metrics, and `Estimate`, the record of a number that may be undefined.

Callers pass lists, tuples, NumPy arrays or pandas columns. Every function that reads them raises ValueError with one
line that names the argument and the first wrong row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A confidence between 1 and this is more likely a typing error than a percentage.
PERCENT_FROM = 2

# Arrays of any shape.
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


def read_numbers(values: ArrayLike, name: str) -> Floats:
    """One non-empty column of finite numbers.

    >>> read_numbers([1, 2], "score")
    array([1., 2.])
    """
    raw = np.asarray(values)
    if raw.ndim != 1:
        raise ValueError(f"{name} must be one column of values, got an array of shape {raw.shape}")
    if raw.size == 0:
        raise ValueError(f"{name} is empty: a metric needs at least one row")
    if raw.dtype.kind not in "biufO":
        raise ValueError(f"{name} holds {raw.dtype} values where numbers are expected")
    try:
        numbers = raw.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds a value that is missing or not a number: {error}") from error
    _refuse(~np.isfinite(numbers), numbers, name, "is missing or not finite; drop such rows first")
    return numbers


def read_flags(values: ArrayLike, name: str) -> Flags:
    """One non-empty column of 0/1 or False/True.

    >>> read_flags([1, 0, True], "wrong")
    array([ True, False,  True])
    """
    numbers = read_numbers(values, name)
    _refuse((numbers != 0) & (numbers != 1), numbers, name, "is neither 0 nor 1")
    return np.asarray(numbers == 1)


def read_confidences(values: ArrayLike) -> Floats:
    """One non-empty column of probabilities in [0, 1].

    >>> read_confidences([85, 90])
    Traceback (most recent call last):
    ...
    ValueError: confidence must lie in [0, 1], row 0 holds 85: these look like percentages, divide them by 100
    """
    numbers = read_numbers(values, "confidence")
    outside = np.flatnonzero((numbers < 0) | (numbers > 1))
    if outside.size:
        percent = numbers.min() >= 0 and PERCENT_FROM < numbers.max() <= 100
        hint = ": these look like percentages, divide them by 100" if percent else ""
        raise ValueError(
            f"confidence must lie in [0, 1], row {outside[0]} holds {numbers[outside[0]]:g}{hint}"
        )
    return numbers


def read_graded(is_correct: ArrayLike, confidence: ArrayLike) -> tuple[Flags, Floats]:
    """Correctness and confidence of the same rows."""
    correct, confidences = read_flags(is_correct, "is_correct"), read_confidences(confidence)
    require_same_length(is_correct=correct, confidence=confidences)
    return correct, confidences


def require_same_length(**columns: Floats | Flags | Integers) -> None:
    """Raise ValueError if the named columns differ in length."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"columns differ in length: {listed} rows")


def ratio(top: ArrayLike, bottom: ArrayLike) -> Floats:
    """The quotient; NaN if the bottom is 0 or less, up to rounding.

    >>> ratio([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    safe = np.asarray(bottom) > 1e-12
    return np.where(safe, top / np.where(safe, bottom, 1.0), np.nan)


def logistic(logits: Floats) -> Floats:
    """The probabilities 1 / (1 + exp(-logit)), in the shape of the logits."""
    # scipy is slow to import, and most metrics do without it
    from scipy.special import expit

    return np.asarray(expit(logits), dtype=np.float64)


def _refuse(is_wrong: Flags, numbers: Floats, name: str, problem: str) -> None:
    """Raise ValueError about the first wrong row, if there is one."""
    rows = np.flatnonzero(is_wrong)
    if rows.size:
        raise ValueError(f"{name}: row {rows[0]} holds {numbers[rows[0]]:g}, which {problem}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty, or no number with the reason.

    >>> Estimate(0.5, n=4).to_dict()["value"]
    0.5
    >>> Estimate.undefined("no item was refused", n=4).value is None
    True
    """

    value: float | None
    """The estimate; None if the data do not define it."""
    low: float | None = None
    """Lower end of the interval; None without an interval."""
    high: float | None = None
    """Upper end of the interval."""
    se: float | None = None
    """Standard error."""
    n: int = 0
    """Number of items behind the estimate."""
    reason: str | None = None
    """The reason why `value`, or its interval, is missing."""
    effective: float | None = field(default=None, repr=False, compare=False)
    """The number of independent trials with the same precision; not in the JSON."""

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> Estimate:
        """An estimate without a value, with the reason."""
        return cls(None, n=n, reason=reason)

    def to_dict(self) -> dict[str, float | int | str | None]:
        """The fields as plain values for JSON."""
        content = asdict(self)
        del content["effective"]
        return content

    def spread(self, name: str, prefix: str = "") -> dict[str, float | str | None]:
        """The value under a name, the ends of its interval and the reason: the fields for a row with several values."""
        named_ends = {"low": self.low, "high": self.high, "reason": self.reason}
        return {name: self.value, **{f"{prefix}{end}": value for end, value in named_ends.items()}}


# Name of a score → its value.
NamedEstimates: TypeAlias = Mapping[str, Estimate]


def plain(record: Any) -> dict[str, Any]:
    """The fields of a record as plain values for JSON; a record inside it may have a `to_dict`.

    >>> plain(Estimate(0.5))["value"]
    0.5
    """
    return {field.name: plain_value(getattr(record, field.name)) for field in fields(record)}


def plain_value(value: Any) -> Any:
    """The value of a field as a plain value for JSON.

    >>> plain_value({"a": (Estimate(0.5, n=2),)})["a"][0]["n"]
    2
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return plain(value)
    if hasattr(value, "_asdict"):
        return plain_value(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): plain_value(element) for name, element in value.items()}
    return [plain_value(element) for element in value] if isinstance(value, tuple | list) else value


def mean_of_independent(estimates: Sequence[Estimate]) -> Estimate:
    """The unweighted mean of estimates from different data, such as several data sets.

    Formula: the distance of each end from the mean is the root of the parts' squared distances, divided by the number
    of parts (MOVER). The parts are not treated as a sample of further parts. Undefined if a part is undefined; without
    an interval if a part has none.

    Reference: Zou and Donner (2008), Statistics in Medicine 27.

    >>> mean_of_independent([Estimate(0.2, 0.1, 0.5), Estimate(0.4, 0.4, 0.8)])
    Estimate(value=0.3, low=0.25, high=0.55, se=None, n=0, reason=None)
    """
    count, n = len(estimates), sum(estimate.n for estimate in estimates)
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values or len(values) < count:
        reason = next((estimate.reason for estimate in estimates if estimate.value is None), None)
        return Estimate.undefined(reason or "there is nothing to compute it from", n)
    # A plain sum would depend on the order of the parts, and show 0.30000000000000004.
    mean = round(math.fsum(values) / count, 15)
    pairs = list(zip(values, estimates, strict=True))
    below = [value - estimate.low for value, estimate in pairs if estimate.low is not None]
    above = [estimate.high - value for value, estimate in pairs if estimate.high is not None]
    if len(below) < count or len(above) < count:
        reason = next((estimate.reason for estimate in estimates if estimate.low is None), None)
        return Estimate(mean, n=n, reason=reason)
    # The variance of a sum of independent parts is the sum of their variances.
    errors = [estimate.se for estimate in estimates if estimate.se is not None]
    se = math.hypot(*errors) / count if len(errors) == count else None
    low, high = mean - math.hypot(*below) / count, mean + math.hypot(*above) / count
    return Estimate(mean, low, high, se, n)
