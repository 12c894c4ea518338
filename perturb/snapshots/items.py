"""The items in a snapshot's rows, the prompt for a model under test, control rows, and the accepted items of a run.

A *row* is an item as a snapshot stores it. An *item* is what a model is asked about, and how it should behave.

A *control* is the unperturbed original of a row; it shows the effect of the perturbation alone on a model. Its id is
the id of the row with `-control` at the end, its intensity is NONE, and it must be answered. Controls have files of
their own in a snapshot, under configuration names of their own, and do not count as rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

from perturb.catalogue.classes import ClassEntry, OwnCode
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import folder_version, render_template
from perturb.curation.garage import cited_text, parted_context, split_marker, titled_passages
from perturb.curation.source_rows import MAX_PASSAGE_CHARS, MAX_QUERY_CHARS, Header, SourceRow
from perturb.errors import SnapshotError, SourceError
from perturb.files.resources import Spool, digest
from perturb.files.tables import type_name
from perturb.ledger import queries
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.planted import difficulties, solver_replies
from perturb.records import (
    ANSWER_CORRECTLY,
    CONTROL_SUFFIX,
    EXPECTED_ANSWER,
    NO_INTENSITY,
    Cell,
    Facts,
    Intensity,
    Item,
    JsonObject,
    Passage,
    PerturbationClass,
    taxonomy_place,
)
from perturb.snapshots.rows import (
    AcceptedItem,
    SnapshotRow,
    build_rows,
    part_rows,
    read_rows_of,
    row_digest,
    seal,
    write_part,
)
from perturb.text.wording import counted

# The form of the prompt: it asks for an answer or a code, or also for one of the five levels of confidence.
Variant = Literal["plain", "confidence"]

# Enough for the longest retrieval results in use. It keeps a damaged row from filling the memory.
_MAX_CONTEXT_CHARS = 40 * MAX_PASSAGE_CHARS


def items_of(rows: Iterable[Facts], classes: Iterable[ClassEntry] = ()) -> Iterator[Item]:
    """The items of a snapshot's rows, in their order; rows that no model can be asked about are left out.

    These are rows that `read_item` refuses, for example with a text above its limit, and rows whose expected behaviour
    does not fit their class and intensity. One such row must not keep the others from being used: `perturb evaluate`
    and `perturb verify-snapshot` report it. `classes` are the user's own.
    """
    catalogue, header = Catalogue.load().with_classes(classes), Header("rows")
    for number, fields in enumerate(rows, start=1):
        try:
            item = read_item(SourceRow(Path("rows"), number, fields, header), catalogue)
        except SourceError:
            continue
        if item.expected_behavior == catalogue.expected_behavior(item.cell):
            yield item


def read_item(row: SourceRow, catalogue: Catalogue) -> Item:
    """The item of a row. Raises `SourceError`, with file and line, if the row is malformed."""
    identifier, base = row.identifier("id"), row.identifier("source_id")
    if identifier is None:
        raise row.error("id", "is missing: each item needs one")
    own_answer = row.optional_text(EXPECTED_ANSWER)
    expected = row.text(row.fields.get("expected_rag_behavior"), "expected_rag_behavior", MAX_QUERY_CHARS)
    passages = _passages(row)
    return Item(
        id=identifier,
        base_id=base or identifier,
        cell=_cell(row, catalogue),
        expected_behavior=catalogue.codes.get(expected.strip().upper(), expected),
        query=_query(row),
        passages=passages,
        answers=(own_answer,) if own_answer else row.answers("original_answers"),
        reference_answer=row.optional_text("reference_answer", MAX_PASSAGE_CHARS),
        domain=row.optional_text("domain"),
        language=row.language(),
        lever=row.optional_text("lever_selected") or "",
        generator=row.optional_text("generator_model") or "",
        control=_is_control(row),
        construction=row.optional_text("construction"),
        original_query=_original(row, "original_query"),
        original_passages=_original_passages(row, len(passages)),
    )


def _original(row: SourceRow, field: str) -> str | None:
    """A text before the perturbation; None if the row lacks it. Only people see it, so it is not required."""
    text = row.fields.get(field)
    return text if isinstance(text, str) and len(text) <= _MAX_CONTEXT_CHARS else None


def _original_passages(row: SourceRow, n_passages: int) -> tuple[str, ...]:
    context = _original(row, "original_context")
    if context is None:
        return ()
    if n_passages == 1:
        return (context,)
    return tuple(text for _, text in parted_context(context, n_passages) or ())


def _cell(row: SourceRow, catalogue: Catalogue) -> Cell:
    perturbation_class = _choice(row, "perturbation_class", sorted(catalogue.classes, key=taxonomy_place))
    # an unperturbed item must be answered, as items of LOW must
    intensity = Intensity.LOW if _is_control(row) else _choice(row, "intensity", list(Intensity))
    return Cell(PerturbationClass(perturbation_class), Intensity(intensity))


def _choice(row: SourceRow, field: str, choices: Sequence[str]) -> str:
    value = row.fields.get(field)
    if value not in choices:
        raise row.error(field, f"is {value!r}, which is not one of {', '.join(choices)}: correct it")
    return str(value)


def _is_control(row: SourceRow) -> bool:
    return row.fields.get("intensity") == NO_INTENSITY


def _query(row: SourceRow) -> str:
    """The perturbed question, or the original one if the row does not repeat it."""
    for field in ("perturbed_query", "query", "original_query"):
        if row.fields.get(field) is not None:
            return row.text(row.fields[field], field, MAX_QUERY_CHARS)
    raise row.error("perturbed_query", "is missing: there is no question to ask")


def _passages(row: SourceRow) -> tuple[Passage, ...]:
    """The passages that a model gets.

    A row of several passages lists their texts in `grounding`. It may also have them in `perturbed_context`, as one
    text with numbered and titled passages, from which only the titles are taken. Any other row has a single passage:
    its `perturbed_context`, or else the only text of `grounding`, or else its original context.
    """
    context, grounding = row.fields.get("perturbed_context"), row.fields.get("grounding")
    if isinstance(context, list):  # some data sets list the passages in the field of the context
        grounding, context = context, None
    texts = [_entry_text(row, entry, position) for position, entry in enumerate(grounding or ())]
    if len(texts) > 1:
        titled = titled_passages(context, texts) if isinstance(context, str) else None
        # Without a context that fits, each text may begin with a marker of its own, as in "[1] Mill: It stands."
        titled = titled or [split_marker(text) for text in texts]
        signal = _signal_positions(row, len(titled))
        return tuple(
            Passage(text, title, "signal" if position in signal else "noise")
            for position, (title, text) in enumerate(titled)
        )
    if context is None:
        context = texts[0] if texts else row.fields.get("original_context")
    return (Passage(row.text(context, "perturbed_context", _MAX_CONTEXT_CHARS)),)


def _entry_text(row: SourceRow, entry: Any, position: int) -> str:
    """The text of an entry of `grounding`: plain, or under its `cite_N` or `text` key."""
    text = entry
    if isinstance(entry, Mapping):
        text = cited_text(entry)
        text = entry.get("text") if text is None else text
    if not isinstance(text, str):
        raise row.error(
            f"grounding[{position}]", f"must be a passage, got {type_name(text)}: correct the row"
        )
    return text


def _signal_positions(row: SourceRow, n_passages: int) -> frozenset[int]:
    """Positions of the signal passages, from 0; all positions if the row does not list them."""
    positions = row.fields.get("signal_indices")
    if positions is None:
        return frozenset(range(n_passages))
    if not isinstance(positions, list) or not all(
        isinstance(position, int) and 0 <= position < n_passages for position in positions
    ):
        raise row.error("signal_indices", "must list positions in the passages, from 0: correct the row")
    return frozenset(positions)


def render_prompt(item: Item, variant: Variant = "plain", own_codes: tuple[OwnCode, ...] = ()) -> str:
    """The prompt about an item; the same item and variant always give the same text.

    The question and each passage are between the lines `<<MARK` and `MARK>>`. MARK is computed from the item's texts,
    and none of them contains it, so that no text can pretend to end and give the model instructions. The prompt has no
    blanks at either end, since some harnesses drop them.
    """
    mark = _mark(item)
    blocks = [
        render_template(
            f"respond/{'several' if item.several else 'single'}",
            own_codes,
            confidence=variant == "confidence",
        ),
        _marked("QUESTION", item.query, mark),
    ]
    if item.several:
        for number, passage in enumerate(item.passages, start=1):
            text = f"{passage.title}: {passage.text}" if passage.title else passage.text
            blocks.append(_marked(f"PASSAGE {number}", text, mark))
    else:
        blocks.append(_marked("PASSAGE", item.context, mark))
    blocks.append(f"Reply to the question marked {mark}.")
    return "\n".join(blocks)


def respond_version(own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of the templates of prompts for models under test."""
    return folder_version("respond", own_codes)


def _mark(item: Item) -> str:
    """Eight digits that depend only on the item's texts and occur in none of them."""
    texts = [item.query]
    for passage in item.passages:
        texts += [passage.title, passage.text]
    marks = (digest(salt, texts, length=8) for salt in count())
    return next(mark for mark in marks if not any(mark in text for text in texts))


def _marked(name: str, text: str, mark: str) -> str:
    return f"{name}\n<<{mark}\n{text}\n{mark}>>\n"


# What a control's row has as its generator and as its lever.
_CONTROL_GENERATOR = "original"
_CONTROL_LEVER = "unperturbed"


def build_controls(items: Iterable[AcceptedItem], round_name: str, panel: str) -> Sequence[SnapshotRow]:
    """The control row of each item, in the layout of its row."""
    rows = build_rows(map(_unperturbed, items), round_name, panel)
    return Spool(seal({**row, "intensity": NO_INTENSITY}) for row in rows)


def _unperturbed(item: AcceptedItem) -> AcceptedItem:
    """The control of an item, with the intensity of the item."""
    candidate = item.candidate
    # A deep item hides its flaw in a longer context. Its control has this context without the flaw.
    instance = replace(item.instance, passages=candidate.control) if candidate.control else item.instance
    control = replace(
        candidate,
        id=f"{candidate.id}{CONTROL_SUFFIX}",
        generator=_CONTROL_GENERATOR,
        lever=_CONTROL_LEVER,
        query=instance.query,
        passages=instance.passages,
        reasoning="",
        # The depth stays on a control, so that the scores of deep items are compared with deep controls.
        stated={"depth": candidate.depth} if candidate.depth != "open" else {},
        expected_behavior=ANSWER_CORRECTLY,
    )
    return AcceptedItem(instance, control, votes=())


def control_paths(content_digest: str, configs: Sequence[str]) -> dict[str, str]:
    """Configuration name of the controls → their file, relative to the snapshot's folder.

    `configs` are the names of the parts of the snapshot. The controls of each part have a file of their own.

    >>> control_paths("ab", ["default"])
    {'controls': 'data/ab/controls/test.parquet'}
    >>> list(control_paths("ab", ["nq", "garage"]))
    ['nq-controls', 'garage-controls']
    """
    names = ["controls"] if len(configs) == 1 else [f"{config}-controls" for config in configs]
    return {name: f"data/{content_digest}/{name}/test.parquet" for name in names}


def write_controls(
    folder: Path, content_digest: str, configs: Sequence[str], controls: Sequence[SnapshotRow]
) -> JsonObject:
    """Write the control rows into a snapshot and return the entry of its manifest about them."""
    paths = control_paths(content_digest, configs)
    # A control has the layout of its row, so that controls and rows have the same parts.
    controls_of_part = part_rows(controls)
    for config, path in zip(configs, paths.values(), strict=True):
        write_part(folder / path, controls_of_part[config])
    return {
        "rows": len(controls),
        "configs": list(paths),
        "row_digests": [control["row_digest"] for config in configs for control in controls_of_part[config]],
    }


def check_controls(folder: Path, manifest: Facts, rows: Sequence[SnapshotRow]) -> list[str]:
    """Compare the controls with the manifest and with their rows; return the problems."""
    configs = manifest["configs"]
    paths = control_paths(manifest["content_digest"], configs)
    controls: list[SnapshotRow] = []
    try:
        for config, path in zip(configs, paths.values(), strict=True):
            controls += read_rows_of(folder, path, config)
    except SnapshotError as error:
        return [str(error)]
    problems = []
    if manifest["controls"]["row_digests"] != [control["row_digest"] for control in controls]:
        problems.append("the controls or their order differ from the manifest")
    # The row of each control is taken out of this mapping: what is left has none, and a second control finds none.
    rows_without_control = {f"{row['id']}{CONTROL_SUFFIX}": row for row in rows}
    for control in controls:
        row = rows_without_control.pop(control["id"], None)
        if control["row_digest"] != row_digest(control):
            problems.append(f"control {control['id']!r}: its content does not match its digest")
        elif row is None or not _is_original(control, row):
            problems.append(f"control {control['id']!r}: is not the original of a row of the snapshot")
    if rows_without_control:
        number, example = counted(len(rows_without_control), "row"), next(iter(rows_without_control))
        problems.append(f"{number} without a control, the first is {example!r}")
    return problems


def _is_original(control: SnapshotRow, row: SnapshotRow) -> bool:
    return (
        control["intensity"] == NO_INTENSITY
        and control["expected_rag_behavior"] == ANSWER_CORRECTLY
        and control["perturbed_context"] == control["original_context"]
        and control["perturbed_query"] == control["original_query"] == row["original_query"]
        # the control of a deep item has its longer context
        and (row.get("depth") == "deep" or control["original_context"] == row["original_context"])
    )


def accepted_items(db: sqlite3.Connection, plan: CurrentPlan) -> list[Item]:
    """The items that the panel of a run accepted, in the form that an evaluation takes."""
    return list(items_of(accepted_rows(db, plan), plan.facts.classes))


def accepted_rows(db: sqlite3.Connection, plan: CurrentPlan) -> Sequence[SnapshotRow]:
    """The rows of the items that the panel of a run accepted, ordered by id."""
    return build_rows(_accepted(db, plan), plan.facts.round, plan.facts.panel.name)


def accepted_controls(db: sqlite3.Connection, plan: CurrentPlan) -> Sequence[SnapshotRow]:
    """The control rows of the items of `accepted_rows`, in the same order."""
    return build_controls(_accepted(db, plan), plan.facts.round, plan.facts.panel.name)


def _accepted(db: sqlite3.Connection, plan: CurrentPlan) -> Iterator[AcceptedItem]:
    jobs = queries.accepted_jobs(db, plan.number, plan.panel)
    return items_with_votes(db, plan, sorted(planned.job.id for planned in jobs))


def items_with_votes(db: sqlite3.Connection, plan: CurrentPlan, ids: Iterable[str]) -> Iterator[AcceptedItem]:
    """Each of these candidates with its base instance, its votes and its difficulty for the solvers."""
    difficulty_of = difficulties(solver_replies(db, plan.facts.solvers))
    for candidate_id in ids:
        difficulty = difficulty_of.get(candidate_id)
        yield AcceptedItem(
            instance=queries.instance_of(db, candidate_id),
            candidate=queries.candidate(db, candidate_id),
            votes=tuple(queries.votes_of(db, candidate_id, plan.judges).values()),
            difficulty=difficulty.wrong if difficulty else None,
        )
