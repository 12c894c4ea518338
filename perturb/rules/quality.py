"""Levers that have a rule and are not used, because too few of their items were fit to publish."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SWITCHED_OFF: Mapping[str, str] = MappingProxyType({})
"""Lever -> why, with the figure that a reader found."""
