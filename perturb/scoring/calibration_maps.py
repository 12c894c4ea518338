"""Saves calibration maps and reads them back: one JSON file with a map for each model and way of asking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError
from perturb.files.text_files import read_text, writing_errors
from perturb.metrics.calibrated_scores import CalibrationMap

FORMAT = "perturb calibration maps 1"


@dataclass(frozen=True, slots=True)
class SavedMap:
    """A map, for whom it is, and what it has learned from."""

    model: str
    elicitation: str | None
    fitted: CalibrationMap
    fitted_on: tuple[str, ...]
    """The questions and bases, or keys, of the rows it was fitted on, so that they are not scored later."""


def save_maps(path: Path, maps: Sequence[SavedMap]) -> None:
    """Write the file. Raises `ConfigError` if it cannot be written."""
    entries = [
        {
            "model": one.model,
            "elicitation": one.elicitation,
            **one.fitted.to_dict(),
            "fitted_on": list(one.fitted_on),
        }
        for one in maps
    ]
    text = json.dumps({"format": FORMAT, "maps": entries}, ensure_ascii=False, allow_nan=False, indent=1)
    with writing_errors(path, ConfigError):
        path.write_text(text + "\n", encoding="utf-8")


def load_maps(path: Path) -> tuple[SavedMap, ...]:
    """Read the file back. Raises `ConfigError` if it is not such a file."""
    try:
        content = json.loads(read_text(path, ConfigError))
    except (ValueError, RecursionError):
        raise ConfigError(
            f"{path}: not JSON: give a file that `perturb bas calibrate --save` wrote"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not content.get("maps"):
        raise ConfigError(f"{path}: holds no maps: give a file that `perturb bas calibrate --save` wrote")
    try:
        return tuple(_read_entry(entry) for entry in content["maps"])
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise ConfigError(f"{path}: {exc}: save the map again") from None


def map_for(maps: Sequence[SavedMap], model: str, elicitation: str | None) -> SavedMap:
    """The map of a model and way of asking; a file with one map serves everybody.

    Raises `ConfigError` if the model has no map.
    """
    if len(maps) == 1:
        return maps[0]
    for one in maps:
        if (one.model, one.elicitation) == (model, elicitation):
            return one
    names = ", ".join(one.model for one in maps)
    raise ConfigError(f"--apply: there is no map for '{model}', only for {names}: calibrate it first")


def _read_entry(entry: dict[str, Any]) -> SavedMap:
    keys = entry["fitted_on"]
    if not isinstance(keys, list):
        raise TypeError("'fitted_on' is not a list")
    return SavedMap(
        str(entry["model"]), entry["elicitation"], CalibrationMap.from_dict(entry), tuple(map(str, keys))
    )
