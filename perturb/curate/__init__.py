"""Base sets: from a file in one of several forms to base instances."""

from __future__ import annotations

from perturb.curate.sources import BaseSet, demo_path, load_base_set

__all__ = ["BaseSet", "demo_path", "load_base_set"]
