"""The record in which a metric hands back a number that may be undefined."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty, or no number and the reason why.

    >>> Estimate(0.5, n=4).to_dict()["value"]
    0.5
    >>> Estimate.undefined("no item was refused", n=4).value is None
    True
    """

    value: float | None
    """The estimate; None when the data do not define it."""
    low: float | None = None
    """Lower end of the interval, if one was asked for and exists."""
    high: float | None = None
    """Upper end of the interval."""
    se: float | None = None
    """Standard error."""
    n: int = 0
    """Number of items that the estimate rests on."""
    reason: str | None = None
    """Why `value`, or its interval, is missing."""
    effective: float | None = field(default=None, repr=False, compare=False)
    """As many independent trials are as precise; stays out of JSON."""

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> Estimate:
        """An estimate without a value, and why."""
        return cls(None, n=n, reason=reason)

    def to_dict(self) -> dict[str, float | int | str | None]:
        """The fields as JSON takes them."""
        content = asdict(self)
        del content["effective"]
        return content
