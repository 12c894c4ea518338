"""How large a round has to be, and what contamination does to a benchmark that stays as it is."""

from perturb.power.bounds import (
    generative_failure_bound,
    generative_size,
    paper_static_size,
    static_failure_bound,
    static_failure_floor,
    static_size,
)
from perturb.power.plan import PowerQuestion, plan_sizes
from perturb.power.precision import DesignEffect, design_effect, size_from_variance
from perturb.power.simulation import DriftSetting, Simulation, simulate, sweep_drift

__all__ = [
    "DesignEffect",
    "DriftSetting",
    "PowerQuestion",
    "Simulation",
    "design_effect",
    "generative_failure_bound",
    "generative_size",
    "paper_static_size",
    "plan_sizes",
    "simulate",
    "size_from_variance",
    "static_failure_bound",
    "static_failure_floor",
    "static_size",
    "sweep_drift",
]
