"""Lets a room be called by its name: `perturb.audit(...)` although `perturb.audit` is a package."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def make_callable(module: str, function: str) -> None:
    """Make calling the module `module` call its function `function`.

    Python sets a submodule as an attribute of its package on the first import, over a function of the same name;
    this way both spellings work, whatever was imported first.
    """
    package = sys.modules[module]

    class CallableModule(ModuleType):
        def __call__(self, *args: Any, **options: Any) -> Any:
            return getattr(self, function)(*args, **options)

    package.__class__ = CallableModule
