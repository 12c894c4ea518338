"""An evaluation from recorded replies alone: its items, its models, and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from perturb.classes import read_classes
from perturb.errors import ConfigError, RecordingError
from perturb.evaluate.loading import ItemSet
from perturb.evaluate.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluate.questions import QuestionSet, question_from_payload
from perturb.evaluate.task import AskPlan
from perturb.llm.client import ModelSettings
from perturb.llm.recording import Kind, Recording, Replay
from perturb.responses import Item
from perturb.yaml_files import describe_fault

Asked = TypeVar("Asked")
SetT = TypeVar("SetT", ItemSet, QuestionSet)


def recorded_items(recording: Recording) -> ItemSet:
    """The items of a snapshot that models were asked about."""
    items = _read(recording, Item.from_payload)
    try:
        classes = read_classes(recording.header.get("classes", ()))
    except (TypeError, ValueError):
        raise RecordingError(
            f"{recording.path}: states a class that cannot be read: export the replies again"
        ) from None
    header = recording.header
    return ItemSet(header["name"], header["items"], header["round"], items, classes=classes)


def recorded_questions(recording: Recording) -> QuestionSet:
    """The questions that models were asked."""
    return QuestionSet(recording.header["name"], _read(recording, question_from_payload))


def recorded_models(recording: Recording, names: Sequence[str] = ()) -> ModelSet:
    """The models whose replies are on record, or those of them that are named, and the judge.

    Raises `RecordingError` for a name that is not on record.
    """
    known = {name: recorded_model(entry) for name, entry in recording.header["models"].items()}
    if unknown := [name for name in names if name not in known]:
        raise RecordingError(
            f"{recording.path}: holds no reply of a model '{unknown[0]}': name one of {', '.join(known)}"
        )
    judge, panel = recording.header["judge"], recording.header.get("judges")
    chosen = {name: known[name] for name in names or known}
    entries = panel["members"] if panel else [judge] if judge else []
    judges = tuple(chosen.get(one["name"]) or recorded_model(one) for one in entries)
    return ModelSet(chosen, judges, panel["rule"] if panel else "majority")


def find_items(
    kind: Kind, given: SetT | None, replay: Replay | None, read: Callable[[Recording], SetT], missing: str
) -> SetT:
    """What is asked about: as given, or else as it is on record, by `read`; `missing` is said where it is neither.

    Raises `ConfigError`, and `RecordingError` for replies to something else than what is given.
    """
    if replay is None:
        if given is None:
            raise ConfigError(missing)
        return given
    replay.recording.require(kind)
    found = given or read(replay.recording)
    replay.recording.require(kind, items=found.digest)
    return found


def find_models(plan: AskPlan) -> ModelSet:
    """Who is asked and who judges: as named, or as it is on record. Raises `ConfigError` and `RecordingError`."""
    if plan.replay is None or plan.replay.fill:
        return plan.names.find_all(plan.models, plan.judge, plan.judge_rule)
    return recorded_models(plan.replay.recording, plan.models)


def _read(recording: Recording, reader: Callable[[str, Mapping[str, Any]], Asked]) -> tuple[Asked, ...]:
    try:
        return tuple(reader(item_id, content) for item_id, content in recording.items.items())
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        said = describe_fault(fault["loc"], fault["type"], fault["msg"])
        raise RecordingError(
            f"{recording.path}: holds an item that cannot be read: {said}: export the replies again"
        ) from None


def recorded_model(entry: Mapping[str, Any]) -> ModelUnderTest:
    """A model as a ledger or a recording tells of it."""
    system = entry.get("system", "")
    return ModelUnderTest(ModelSettings(entry["name"], entry["model"], params=entry["params"], system=system))
