"""Measures of a text in another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNITS = {
    "miles": ("km", 1.609344),
    "mile": ("km", 1.609344),
    "feet": ("m", 0.3048),
    "ft": ("m", 0.3048),
    "inches": ("cm", 2.54),
    "pounds": ("kg", 0.45359237),
    "kilometres": ("miles", 0.621371),
    "kilometers": ("miles", 0.621371),
    "km": ("miles", 0.621371),
    "metres": ("ft", 3.28084),
    "meters": ("ft", 3.28084),
    "kg": ("lb", 2.204623),
    "acres": ("ha", 0.404686),
}
_MEASURE = re.compile(
    rf"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?) ({'|'.join(_UNITS)})\b(?!\s*[(/²³]|\s+(?:per|an?) )(?![-–])"
)


def measures_in(text: str) -> Iterator[tuple[int, str]]:
    """Where each measure ends that is given in one unit only, and what it is in another.

    >>> list(measures_in("The canal is 100 miles long."))
    [(22, '161 km')]
    """
    for found in _MEASURE.finditer(text):
        if text[max(0, found.start() - 1) : found.start()] == "(" or re.match(
            r"[^.;]{0,20}\(", text[found.end() :]
        ):
            continue
        unit, factor = _UNITS[found[2]]
        value = float(found[1].replace(",", "")) * factor
        yield found.end(), f"{value:,.1f} {unit}" if value < 10 or "." in found[1] else f"{value:,.0f} {unit}"
