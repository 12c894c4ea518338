"""Base sets: read from a file in one of several forms, or curated from a larger source by a recipe."""

from __future__ import annotations

from perturb.curate.base_sets import BaseSet, demo_path, load_base_set

__all__ = ["BaseSet", "demo_path", "load_base_set"]
