"""The models and the judge of a run that asks questions in a chat: services and functions cannot take part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perturb.errors import ConfigError
from perturb.evaluate.contestants import ModelNames
from perturb.llm.client import ModelSettings


def find_chat_models(
    names: Sequence[str], judge: str | None, file: Path | None
) -> tuple[tuple[ModelSettings, ...], ModelSettings | None]:
    """Settings of the models under test and of the judge; `file` is a models file, whose names come first.

    Raises `ConfigError` for a name that means nothing, one given twice, and a service or a function.
    """
    known = ModelNames(file)
    under_test = list(known.find(names).values())
    grader = known.find([judge])[judge] if judge else None
    for one in (*under_test, *([grader] if grader else [])):
        if one.adapter is not None:
            raise ConfigError(f"'{one.name}': a service or a function cannot be run here: name a model")
    return tuple(one.settings for one in under_test), grader.settings if grader else None
