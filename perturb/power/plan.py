"""The sizes that one question needs, all in one table."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from perturb.power.bounds import (
    generative_failure_bound,
    generative_size,
    paper_static_size,
    static_failure_bound,
    static_failure_floor,
    static_size,
)
from perturb.power.precision import size_from_variance


@dataclass(frozen=True, slots=True)
class PowerQuestion:
    """How precise the score has to be, for how long, and what is known of the items."""

    epsilon: float = 0.05
    """Error allowed in any round."""
    delta: float = 0.05
    """Probability with which a larger error may happen."""
    rounds: int = 4
    """Number of rounds, T + 1 in the theorem."""
    drift: float = 0.02
    """How far what should be measured moves away from the first round's."""
    variance: float = 0.25
    """Variance of one score; 0.25 is the worst case."""
    effect: float = 1.0
    """Design effect of items that share a base instance; 1 if none do."""


def plan_sizes(question: PowerQuestion) -> dict[str, Any]:
    """The sizes and bounds, as plain values for a table or JSON; a size that does not exist is None, with a reason.

    Raises `ConfigError` if a number is out of its range.
    """
    epsilon, delta, drift = question.epsilon, question.delta, question.drift
    static = static_size(epsilon, delta, drift)
    fresh = generative_size(epsilon, delta, question.rounds)
    normal = size_from_variance(epsilon, delta, question.rounds, question.variance, question.effect)
    asked = asdict(question)
    asked["design_effect"] = asked.pop("effect")
    return {
        **asked,
        "generative": {
            "per_round": fresh,
            "all_rounds": fresh * question.rounds,
            "bound": generative_failure_bound([fresh] * question.rounds, epsilon),
            "per_round_clustered": math.ceil(fresh * question.effect),
        },
        "static": {
            "size": static,
            "reason": None
            if static
            else f"no size is enough: the drift ({drift:g}) reaches epsilon ({epsilon:g})",
            "paper_size": paper_static_size(epsilon, delta),
            "paper_size_assumes_drift": epsilon / 2,
            "size_clustered": None if static is None else math.ceil(static * question.effect),
            "bound_at_paper_size": static_failure_bound(paper_static_size(epsilon, delta), epsilon, drift),
            "floor_at_paper_size": static_failure_floor(paper_static_size(epsilon, delta), epsilon, drift),
        },
        "normal": {"per_round": normal, "effective": math.ceil(normal / question.effect)},
    }
