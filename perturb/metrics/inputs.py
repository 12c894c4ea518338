"""Reads what callers pass to a metric: lists, tuples, NumPy arrays and pandas columns.

Every function raises ValueError with one line that names the argument and the first offending row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

PERCENT_FROM = 2
"""A confidence above 1 up to here is more likely a slip than a percentage."""

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
    correct, stated = read_flags(is_correct, "is_correct"), read_confidences(confidence)
    require_same_length(is_correct=correct, confidence=stated)
    return correct, stated


def require_same_length(**columns: Floats | Flags | Integers) -> None:
    """Refuse columns of different lengths, by name."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"columns differ in length: {listed} rows")


def ratio(top: ArrayLike, bottom: ArrayLike) -> Floats:
    """The quotient; NaN where the bottom is not above 0, up to rounding.

    >>> ratio([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    safe = np.asarray(bottom) > 1e-12
    return np.where(safe, top / np.where(safe, bottom, 1.0), np.nan)


def _refuse(bad: Flags, numbers: Floats, name: str, why: str) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        raise ValueError(f"{name}: row {rows[0]} holds {numbers[rows[0]]:g}, which {why}")
