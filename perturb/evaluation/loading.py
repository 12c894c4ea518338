"""Loads what an evaluation asks about, from a snapshot, a file, the Hub or a recording.

- `load_items` reads the items of RefusalBench.
- `read_questions` reads questions with known answers.
- `find_items` and `find_models` choose between what the user names and what is in a recording. A recording has items or
  questions, the models that were asked, and their replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from perturb.catalogue.classes import ClassEntry, read_classes
from perturb.catalogue.levers import Catalogue
from perturb.curation.hub import PREFIX, HubSource, open_hub
from perturb.curation.source_rows import Header, SourceRow, read_rows
from perturb.errors import ConfigError, RecordingError, SnapshotError, SourceError
from perturb.evaluation.models_under_test import ModelSet, ModelUnderTest
from perturb.evaluation.question_formats import (
    ID_FIELDS,
    READERS,
    SNAPSHOT,
    Question,
    QuestionSet,
    find_format,
    question_from_payload,
)
from perturb.evaluation.session import AskPlan, ItemT
from perturb.files.resources import digest
from perturb.files.tables import ending_of
from perturb.files.yaml_files import describe_fault
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import holds_items
from perturb.ledger.plans import current_plan
from perturb.llm.client import ModelSettings
from perturb.llm.recording import Kind, Recording, Replay
from perturb.records import CONTROL_SUFFIX, Facts, Item
from perturb.snapshots.items import accepted_items, read_item
from perturb.snapshots.snapshot import check_snapshot, read_snapshot
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class ItemSource:
    """The source of the items."""

    name: str
    """A snapshot folder, a run folder with a snapshot, a `.jsonl` or `.parquet` file, or `OWNER/NAME` on the Hub, with
    `@REVISION` for a certain commit or tag."""
    subset: str | None = None
    """The configuration, for a data set on the Hub with several configurations."""
    split: str | None = None
    limit: int | None = None
    """The number of items to take from the start, with their controls if the snapshot has controls."""
    levers: tuple[Path, ...] = ()
    """Folders with the user's own classes, for rows without a manifest."""


@dataclass(frozen=True, slots=True)
class ItemSet:
    """The items of one snapshot."""

    name: str
    digest: str
    """Digest of the whole snapshot, also if the items are limited."""
    round: str | None
    items: tuple[Item, ...]
    warnings: tuple[str, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    """The user's own classes."""


def load_items(source: ItemSource) -> ItemSet:
    """Read every item, then apply the limit.

    Raises `SnapshotError` for a damaged snapshot, and `SourceError` if the rows cannot be evaluated: an id appears
    twice, rows are of two rounds, or a row is malformed.
    """
    path = Path(source.name)
    catalogue = Catalogue.load(source.levers)
    for folder in (path, path / "snapshot"):
        if (folder / "manifest.json").is_file():
            return _first_items(_from_snapshot(folder, catalogue), source.limit)
    label, rows = _rows_without_manifest(source)
    return _first_items(_item_set(label, rows, catalogue, label=label), source.limit)


def load_made_items(source: Path) -> tuple[Item, ...]:
    """The items that the panel of a build accepted; if the source is not a run folder, the items of `load_items`."""
    if not (source / LEDGER_FILE).is_file():
        return load_items(ItemSource(str(source))).items
    with reading(source) as db:
        return tuple(accepted_items(db, current_plan(db, source)))


def _first_items(item_set: ItemSet, limit: int | None) -> ItemSet:
    """The first `limit` items with their controls, or all items for None. The digest is still of the whole set.

    Raises `SourceError` if the set is empty.
    """
    if not item_set.items:
        reason = f" ({item_set.warnings[0]})" if item_set.warnings else ""
        raise SourceError(f"{item_set.name}: has no item that can be evaluated{reason}: check the source")
    if limit is None:
        return item_set
    chosen = [item for item in item_set.items if not item.control][:limit]
    control_ids = {f"{item.id}{CONTROL_SUFFIX}" for item in chosen}
    controls = [item for item in item_set.items if item.control and item.id in control_ids]
    return replace(item_set, items=(*chosen, *controls))


def _from_snapshot(folder: Path, catalogue: Catalogue) -> ItemSet:
    """The items of a snapshot folder with a manifest. Raises `SnapshotError` if the folder is damaged."""
    snapshot = read_snapshot(folder)
    if problems := check_snapshot(folder):
        further_problems = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise SnapshotError(
            f"{folder} is not as it was written: {problems[0]}{further_problems}: restore it, or export the run again"
        )
    header = Header(str(snapshot.manifest.get("name") or folder.name))
    rows_and_controls = (*snapshot.read_rows(), *snapshot.read_controls())
    rows = (
        SourceRow(snapshot.folder, number, fields, header)
        for number, fields in enumerate(rows_and_controls, start=1)
    )
    catalogue = catalogue.with_classes(snapshot.classes)
    return _item_set(header.name, rows, catalogue, label=str(folder), content_digest=snapshot.content_digest)


def _rows_without_manifest(source: ItemSource) -> tuple[str, Iterator[SourceRow]]:
    """A label and the rows of a file, or of a data set on the Hub."""
    path = Path(source.name)
    if path.is_file() or ending_of(path) is not None:
        return path.name, read_rows(path)
    if (path / LEDGER_FILE).is_file():
        raise _missing_snapshot(path)
    name, _, revision = source.name.removeprefix(PREFIX).partition("@")
    # A misspelled path such as outputs/snapsho has the form of a name on the Hub. If its parent folder exists, it is a
    # path, and nobody should look for it on the Hub.
    is_on_hub = name.count("/") == 1 and (source.name.startswith(PREFIX) or not path.parent.is_dir())
    if not path.is_dir() and not is_on_hub:
        raise SourceError(f"{source.name}: no such snapshot: give a snapshot folder, a table, or OWNER/NAME")
    opened = open_hub(HubSource(name, revision or None, source.subset, source.split))
    label = f"{name}@{opened.revision}" if opened.revision else name
    return f"{label}/{source.subset}" if source.subset else label, opened.rows


def _missing_snapshot(run: Path) -> SourceError:
    """The error for a run folder without a snapshot."""
    with reading(run) as db:
        unfinished = "" if holds_items(db) else current_plan(db, run).count_stages(db).unfinished
    if unfinished:
        return SourceError(f"{run}: has no snapshot yet. {unfinished}")
    return SourceError(
        f"{run}: has no snapshot: finish the build, or export one with 'perturb export RUN --out DIR'"
    )


def _item_set(
    name: str,
    rows: Iterable[SourceRow],
    catalogue: Catalogue,
    *,
    label: str,
    content_digest: str | None = None,
) -> ItemSet:
    """The items of all rows. Rows with a wrong label are left out, with a warning that begins with `label`.

    Without a `content_digest`, the digest is computed from the items and classes.
    """
    items: dict[str, Item] = {}
    round_name: str | None = None
    mislabelled: list[str] = []
    for row in rows:
        item = read_item(row, catalogue)
        if item.id in items:
            raise row.error("id", f"'{item.id}' appears twice: an item may be evaluated once only")
        round_of_row = row.optional_text("round")
        if round_name is None:
            round_name = round_of_row
        if round_of_row not in (None, round_name):
            raise row.error(
                "round",
                f"differs from the rows before ({round_name} and {round_of_row}): evaluate one snapshot at a time",
            )
        if item.expected_behavior == catalogue.expected_behavior(item.cell):
            items[item.id] = item
        else:
            mislabelled.append(item.id)
    warnings: tuple[str, ...] = ()
    if mislabelled:
        warnings = (
            f"{label}: {counted(len(mislabelled), 'item')} left out (the first is '{mislabelled[0]}'): their expected"
            " behaviour is not that of their class and intensity",
        )
    classes = catalogue.own_classes
    if content_digest is None:
        # Models do not see the originals, so a set with other originals is the same set.
        without_originals = [
            replace(item, original_query=None, original_passages=()).to_payload() for item in items.values()
        ]
        content_digest = digest(without_originals, *map(ClassEntry.to_payload, classes))
    return ItemSet(name, content_digest, round_name, tuple(items.values()), warnings, classes)


# The prefix of a source that is a task of FaithEval, such as `faitheval:unanswerable`.
FAITHEVAL = "faitheval:"
# The tasks of FaithEval, each a data set on the Hub.
FAITHEVAL_TASKS: tuple[str, ...] = ("unanswerable", "inconsistent", "counterfactual")


def read_questions(source: str, set_format: str = "auto") -> QuestionSet:
    """Read a set: a table, a snapshot folder, `hub:OWNER/NAME[@REVISION]`, or `faitheval:TASK`.

    `set_format` is `snapshot`, one of `question_formats.READERS`, or `auto`: then the first row decides. Repeated
    questions without an id are used once. Raises `SourceError` or `SnapshotError`, with file and line, if the source
    cannot be used.
    """
    if set_format == SNAPSHOT or Path(source).is_dir():
        return _read_snapshot(source)
    name, rows = _open_questions(source)
    first_row = next(rows, None)
    if first_row is None:
        raise SourceError(f"{source}: has no questions: give at least one row")
    set_format = find_format(set_format, name, first_row)
    if set_format == SNAPSHOT:
        return _read_snapshot(source)
    questions: dict[str, Question] = {}
    repeated = 0
    for row in chain([first_row], rows):
        question = READERS[set_format](row)
        if question.id not in questions:
            questions[question.id] = question
        elif any(row.fields.get(field) is not None for field in ID_FIELDS):
            raise row.error("id", f"'{question.id}' appears twice: give each question an id of its own")
        else:
            repeated += 1
    warnings = (f"{name}: {repeated} repeated questions were left out",) if repeated else ()
    return QuestionSet(name, tuple(questions.values()), warnings)


def _open_questions(source: str) -> tuple[str, Iterator[SourceRow]]:
    """A name for the set, and its rows."""
    if source.startswith(FAITHEVAL):
        task = source.removeprefix(FAITHEVAL)
        if task not in FAITHEVAL_TASKS:
            raise SourceError(f"{source}: no such task: FaithEval has {', '.join(FAITHEVAL_TASKS)}")
        return f"faitheval-{task}", open_hub(HubSource(f"Salesforce/FaithEval-{task}-v1.0")).rows
    if source.startswith(PREFIX):
        hub_source = HubSource.named(source, None, None)
        return Path(hub_source.name).name, open_hub(hub_source).rows
    path = Path(source)
    return path.name.split(".")[0], read_rows(path)


def _read_snapshot(source: str) -> QuestionSet:
    """Items of RefusalBench as questions, without controls. Any answer to a MEDIUM or HIGH item is wrong."""
    loaded = load_items(ItemSource(source))
    questions = tuple(
        Question(
            id=item.id,
            text=item.query,
            answers=item.answers if item.answerable else (),
            context=item.context,
            source=loaded.name,
            answerable=item.answerable,
            metadata={
                "base_id": item.base_id,
                "perturbation_class": str(item.cell.perturbation_class),
                "intensity": item.intensity,
            },
        )
        for item in loaded.items
        if not item.control
    )
    return QuestionSet(Path(loaded.name).name, questions, loaded.warnings)


SetT = TypeVar("SetT", ItemSet, QuestionSet)


def recorded_items(recording: Recording) -> ItemSet:
    """The items in a recording, about which its models were asked."""
    header = recording.header
    items = _read_items(recording, Item.from_payload)
    try:
        classes = read_classes(header.get("classes", ()))
    except (TypeError, ValueError):
        raise RecordingError(
            f"{recording.path}: states a class that cannot be read: export the replies again"
        ) from None
    return ItemSet(header["name"], header["items"], header["round"], items, classes=classes)


def recorded_questions(recording: Recording) -> QuestionSet:
    """The questions in a recording, which its models were asked."""
    return QuestionSet(recording.header["name"], _read_items(recording, question_from_payload))


def recorded_models(recording: Recording, names: Sequence[str] = ()) -> ModelSet:
    """The judges of a recording and its models: all of them, or only those that `names` lists.

    Raises `RecordingError` if the recording has no replies of a named model.
    """
    recorded = {name: recorded_model(entry) for name, entry in recording.header["models"].items()}
    if unknown := [name for name in names if name not in recorded]:
        raise RecordingError(
            f"{recording.path}: holds no reply of a model '{unknown[0]}': name one of {', '.join(recorded)}"
        )
    chosen = {name: recorded[name] for name in names or recorded}
    # A recording has a single judge under `judge`, and a panel under `judges`.
    judge = recording.header["judge"]
    single_judge: Facts = {"members": [judge] if judge else [], "rule": "majority"}
    panel = recording.header.get("judges") or single_judge
    # A judge that is also under test is one model, with one set of connections.
    judges = tuple(chosen.get(entry["name"]) or recorded_model(entry) for entry in panel["members"])
    return ModelSet(chosen, judges, panel["rule"])


def find_items(
    kind: Kind,
    named_items: SetT | None,
    replay: Replay | None,
    read_recorded: Callable[[Recording], SetT],
    message_if_missing: str,
) -> SetT:
    """The items of the evaluation: the items that the user names, or else those of the recording.

    Raises `ConfigError` with the message `message_if_missing` without named items and without a recording, and
    `RecordingError` if the recorded replies are about other items.
    """
    if replay is None:
        if named_items is None:
            raise ConfigError(message_if_missing)
        return named_items
    replay.recording.require(kind)  # a recording of another kind has items that `read_recorded` cannot read
    items = named_items or read_recorded(replay.recording)
    replay.recording.require(kind, items=items.digest)
    return items


def find_models(plan: AskPlan) -> ModelSet:
    """The models and judges: the ones that the user names, or those of the recording.

    Raises `ConfigError` and `RecordingError`.
    """
    if plan.replay is None or plan.asks_models:
        return plan.names.find_all(plan.models, plan.judges, plan.judge_rule)
    return recorded_models(plan.replay.recording, plan.models)


def _read_items(recording: Recording, read: Callable[[str, Facts], ItemT]) -> tuple[ItemT, ...]:
    """The items or questions of a recording, read by `read` from their id and content."""
    try:
        return tuple(read(item_id, content) for item_id, content in recording.items.items())
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        problem = describe_fault(fault["loc"], fault["type"], fault["msg"])
        raise RecordingError(
            f"{recording.path}: holds an item that cannot be read: {problem}: export the replies again"
        ) from None


def recorded_model(entry: Facts) -> ModelUnderTest:
    """A model from its entry in a ledger or a recording."""
    system = entry.get("system", "")
    return ModelUnderTest(ModelSettings(entry["name"], entry["model"], params=entry["params"], system=system))
