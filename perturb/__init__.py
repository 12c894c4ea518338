"""Build, verify, audit and publish fresh benchmarks of selective refusal.

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perturb.audit import audit as audit
    from perturb.build import build as build
    from perturb.catalogue import Catalogue as Catalogue
    from perturb.config import load_config as load_config
    from perturb.evaluate import evaluate as evaluate

_HOMES = {"Catalogue": "perturb.catalogue", "load_config": "perturb.config"}
_CALLABLE_MODULES = ("audit", "build", "evaluate")

__all__ = ["Catalogue", "audit", "build", "evaluate", "load_config"]


def __getattr__(name: str) -> Any:
    if name in _CALLABLE_MODULES:
        return import_module(f"perturb.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'perturb' has no attribute '{name}'")
