"""Training data from a run's ledger, without what named benchmarks contain, split by base instance.

The data teach a model when to refuse. Each accepted item and each original gives an example: the prompt with the right
reply (format `sft`), or with a wrong one too (`dpo`). The right reply to an unanswerable item is its refusal code.

The folder that `export_training` writes:

README.md                          the card
data/train.parquet, .jsonl         what TRL loads; validation likewise
items.jsonl                        the items behind the examples, as `perturb compare` reads them
training.json                      counts, what was left out, and what `compare` found
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from perturb.catalogue.classes import ClassEntry
from perturb.catalogue.levers import Catalogue
from perturb.curation.hub import licence_header
from perturb.errors import SnapshotError, SourceError
from perturb.evaluation.reading import ANSWER
from perturb.evaluation.results import Result, run_of, write_json_lines
from perturb.files.resources import atomic_directory, data_folder, seed_of
from perturb.files.templating import environment
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_responses
from perturb.ledger.plans import CurrentPlan
from perturb.records import ANSWER_CORRECTLY, JsonObject
from perturb.snapshots.card import count_languages, escape
from perturb.snapshots.freshness import (
    HUB_PREFIX,
    BaseIndex,
    Freshness,
    FreshnessIndex,
    RoundItem,
    measure_freshness,
    original_of,
    read_round_item,
    read_set,
)
from perturb.snapshots.items import accepted_controls, accepted_rows, items_of, render_prompt
from perturb.snapshots.published_card import join_card
from perturb.snapshots.rows import write_rows
from perturb.snapshots.settings import CODES
from perturb.text.wording import one_line

# The file that says what was left out of an export, and proves it.
FACTS = "training.json"
# The share of base instances that go into the validation split.
VALIDATION = 0.1
# `sft` has the columns prompt and completion, `dpo` has prompt, chosen and rejected, as TRL's trainers name them.
TrainingFormat = Literal["sft", "dpo"]
# Id of an item → the wrong replies of models to it.
Replies = Mapping[str, Sequence[str]]
# A row of a snapshot, or an example, by field.
Row = JsonObject
# The fields of an item's row that an example has as well.
_COPIED_FIELDS = (
    "source_id",
    "perturbation_class",
    "intensity",
    "lever_selected",
    "generator_model",
    "licence",
    "source",
)


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The format of the training data, and the sets to exclude."""

    form: TrainingFormat
    exclude: tuple[str, ...] = ()
    keep_levers: bool = False
    """Whether items with levers of the excluded sets stay in the training data, if their questions are others."""
    evaluations: tuple[Path, ...] = ()
    """Evaluations of the run's items, whose wrong replies are rejected."""
    seed: int = 0


def export_training(
    db: sqlite3.Connection, plan: CurrentPlan, training: TrainingPlan, folder: Path
) -> JsonObject:
    """Write training data from the accepted items of a run; returns what `training.json` says.

    Raises `SourceError` if nothing may be trained on, an excluded set or an evaluation cannot be read or an item lacks
    its original; `SnapshotError` if the folder cannot be written or holds something else.
    """
    _refuse_other_folder(folder)
    rows = accepted_rows(db, plan)
    if not rows:
        raise SourceError(f"{plan.facts.name}: no accepted item to train on: see the run's status")
    exclusion = Exclusion(training.exclude, levers=not training.keep_levers)
    chosen_rows, reasons = exclusion.apply(rows)
    # Items of one base instance have the same original, which is taken once.
    originals: dict[str, Row] = {}
    for row in accepted_controls(db, plan):
        originals.setdefault(row["source_id"], row)
    bases = sorted({row["source_id"] for row in chosen_rows})
    used_rows = [*chosen_rows, *(originals[base] for base in bases)]
    # The chosen rows are compared again, so that `training.json` proves what it claims.
    proof = exclusion.prove(used_rows)
    replies = _wrong_replies(training.evaluations)
    if training.evaluations and replies.keys().isdisjoint(row["id"] for row in chosen_rows):
        raise SourceError(
            f"{training.evaluations[0]}: holds no wrong reply to an item of the run: give an evaluation of its snapshot"
        )
    all_examples = make_examples(training.form, chosen_rows, originals, replies, plan.facts.classes)
    examples = _split(list(all_examples), training.seed)
    facts = {
        "name": plan.facts.name,
        "round": plan.facts.round,
        "training": training.form,
        "seed": training.seed,
        "splits": {name: _counts(split) for name, split in examples.items()},
        "licences": dict(Counter(str(row["licence"]) for row in used_rows)),
        "languages": count_languages(used_rows),
        "attribution": plan.facts.base_set.attribution,
        "excluded": _exclusion_facts(training, reasons, proof),
    }
    with atomic_directory(folder) as target:
        _write(target, examples, used_rows, facts)
    return facts


def _refuse_other_folder(folder: Path) -> None:
    """Raise `SnapshotError` if the folder holds something that is not a training export."""
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not is_empty and not (folder / FACTS).is_file():
        raise SnapshotError(
            f"{folder} exists and is not a training export: give a new or empty folder, or move it away"
        )


def _exclusion_facts(training: TrainingPlan, reasons: Mapping[str, int], proof: Freshness) -> JsonObject:
    """What was excluded, and what a comparison with the excluded sets then found."""
    # Of a path only the end is named, since the rest describes the machine and not the set.
    names = [
        source if source.startswith(HUB_PREFIX) else "/".join(Path(source).parts[-2:])
        for source in training.exclude
    ]
    return {
        "sets": names,
        "levers": bool(training.exclude) and not training.keep_levers,
        "items": reasons,
        "compared": {"items": proof.items, "with_items": proof.old_items, "with_bases": proof.old_bases},
        "left": {"near_duplicate": proof.near, "same_base": proof.same_base},
    }


def _wrong_replies(evaluations: Sequence[Path]) -> Replies:
    """Id of an item → the replies to it that are wrong (`_is_wrong`)."""
    replies: dict[str, list[str]] = {}
    for run in evaluations:
        with reading(run) as db:
            results = run_of(db, run).results
            # Training asks with codes, so only first replies to the prompt with codes are comparable.
            by_item_and_model = {
                (result.item_id, result.model): result
                for result in results
                if result.prompt == CODES and result.sample == 1
            }
            for response in read_responses(db):
                text = response.text.strip()
                result = by_item_and_model.get((response.item_id, response.model))
                # The variant `plain` is the first reply to the prompt with codes that does not ask for a confidence.
                if text and response.variant == "plain" and result is not None and _is_wrong(result):
                    replies.setdefault(response.item_id, []).append(text)
    return replies


def _is_wrong(result: Result) -> bool:
    """Whether a model answered what it should refuse, or the other way round, or gave another code."""
    expected = result.expected_rag_behavior
    right = ANSWER if expected == ANSWER_CORRECTLY else expected
    return result.predicted is not None and result.predicted != right


def _split(examples: Sequence[Row], seed: int) -> dict[str, list[Row]]:
    """The examples by split. Whole base instances are drawn by `seed` for validation: the share `VALIDATION`, at least
    one if there are two. An empty split is left out.
    """
    bases = {row["source_id"] for row in examples}
    shuffled = sorted(bases, key=lambda base: (seed_of(seed, "validation", base), base))
    n_validation = max(round(VALIDATION * len(bases)), 1) if len(bases) > 1 else 0
    validation_bases = set(shuffled[:n_validation])
    splits = {
        "train": [row for row in examples if row["source_id"] not in validation_bases],
        "validation": [row for row in examples if row["source_id"] in validation_bases],
    }
    return {name: split for name, split in splits.items() if split}


def _counts(examples: Sequence[Row]) -> JsonObject:
    """The numbers of examples, of their base instances, and of the examples of each kind."""
    kinds = Counter(row["kind"] for row in examples)
    return {"examples": len(examples), "base_instances": len({row["source_id"] for row in examples}), **kinds}


def _write(
    folder: Path, examples: Mapping[str, list[Row]], used_rows: Iterable[Row], facts: JsonObject
) -> None:
    """Write all files of the export; `examples` are by split."""
    import pyarrow as pa

    first_example = next(iter(examples.values()))[0]  # all examples have the same fields
    chat = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    schema = pa.schema(
        [(name, chat if isinstance(value, list) else pa.string()) for name, value in first_example.items()]
    )
    for name, split in examples.items():
        write_rows(folder / f"data/{name}.parquet", split, schema)
        write_json_lines(folder / f"data/{name}.jsonl", split)
    write_json_lines(folder / "items.jsonl", used_rows)
    (folder / FACTS).write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    header = {
        "language": list(facts["languages"]),
        **licence_header(None if name == "None" else name for name in facts["licences"]),
        "pretty_name": one_line(f"{facts['name']} ({facts['round']}), {facts['training']}"),
        "tags": ["rag", "refusal", "selective-refusal", "trl", "synthetic"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": name, "path": f"data/{name}.parquet"} for name in examples],
            }
        ],
    }
    card = environment(data_folder("templates") / "card", finalize=escape).get_template("training.md.j2")
    (folder / "README.md").write_text(join_card(header, card.render(facts)), encoding="utf-8")


def make_examples(
    form: TrainingFormat,
    rows: Sequence[Row],
    originals: Mapping[str, Row],
    replies: Replies,
    classes: Sequence[ClassEntry] = (),
) -> Iterator[Row]:
    """Examples of the rows of a build and of their originals (`originals`: base instance → control row).

    An original comes once; in preference data, once for each code, so that every refusal has its counterpart. The
    rejected text is a recorded wrong reply. Without one it is the original's answer for an item to be refused, and the
    code of its class for an item to be answered. Raises `SourceError` for a row whose original, or text, cannot be
    read.
    """
    catalogue = Catalogue.load().with_classes(classes)
    prompt = partial(render_prompt, own_codes=catalogue.own_codes)
    items = {item.id: item for item in items_of((*rows, *originals.values()), classes)}
    seen_pairs: set[tuple[str, str]] = set()
    for row in rows:
        original = originals.get(row["source_id"], {})
        item, control = items.get(row["id"]), items.get(original.get("id", ""))
        if item is None or control is None:
            raise SourceError(
                f"item '{row['id']}': a training export needs each item with its unperturbed original, and one of the"
                " two cannot be read: build the run again"
            )
        code = catalogue.classes[item.cell.perturbation_class].refusal_code
        original_answer = control.answers[0]
        # It is wrong to refuse what can be answered, and to answer like the original what must be refused.
        right, wrong = (item.answers[0], code) if item.answerable else (code, original_answer)
        recorded = list(dict.fromkeys(replies.get(item.id, ())))
        kind = "reply" if recorded else "item"
        rejected = recorded or [wrong]
        if form == "sft":
            # Without the rejected text, further examples would be the same.
            rejected = rejected[:1]
        for number, reply in enumerate(rejected):
            yield _example(form, row, f"{item.id}-{number}", kind, prompt(item), right, reply)
        # Preference data need the original once for each code that it should not get.
        original_and_code = (item.base_id, code if form == "dpo" else "")
        if original_and_code not in seen_pairs:
            seen_pairs.add(original_and_code)
            example_id = f"{control.id}-{len(seen_pairs)}"
            yield _example(form, original, example_id, "original", prompt(control), original_answer, code)


def _example(
    form: TrainingFormat, row: Row, example_id: str, kind: str, prompt: str, right: str, wrong: str
) -> Row:
    """The example with these texts as messages; `sft` leaves out the wrong reply."""
    if form == "sft":
        texts = {"prompt": prompt, "completion": right}
    else:
        texts = {"prompt": prompt, "chosen": right, "rejected": wrong}
    example: Row = {"id": example_id, "kind": kind, **{name: row[name] for name in _COPIED_FIELDS}}
    for name, text in texts.items():
        example[name] = [{"role": "user" if name == "prompt" else "assistant", "content": text}]
    return example


class Exclusion:
    """The sets whose questions training data may not contain, and unless `levers` is False also their levers.

    Raises `SnapshotError` or `SourceError` if one of the `sources` cannot be read.
    """

    def __init__(self, sources: Sequence[str], *, levers: bool = True) -> None:
        self.items = tuple(item for source in sources for item in read_set(source).items)
        self._levers = {item.lever for item in self.items} if levers else set()
        self._bases = BaseIndex(self.items)
        self._index = FreshnessIndex(self.items)

    def apply(self, rows: Sequence[Row]) -> tuple[list[Row], dict[str, int]]:
        """The rows that may be trained on, and how many are excluded by base instance, lever, and near duplicate.

        A base instance is recognised by its id, or by its text if the sets give it another id. Raises `SourceError` if
        no row is left.
        """
        reasons: Counter[str] = Counter()
        kept_rows = []
        for row, item in zip(rows, _round_items(rows), strict=True):
            if reason := self._reason(item):
                reasons[reason] += 1
            else:
                kept_rows.append(row)
        if not kept_rows:
            counts = ", ".join(f"{n} by {reason}" for reason, n in reasons.items())
            remedy = " or give --keep-levers" if "lever" in reasons else ""
            raise SourceError(
                f"--exclude: all {len(rows)} accepted items are excluded ({counts}): build from other questions"
                f"{remedy}"
            )
        return kept_rows, dict(reasons)

    def _reason(self, item: RoundItem) -> str | None:
        """Why an item may not be trained on; None if it may."""
        if self._bases.find(item) or self._index.find(original_of(item)):
            return "base instance"
        if item.lever in self._levers:
            return "lever"
        return "near duplicate" if self._index.find(item) else None

    def prove(self, rows: Sequence[Row]) -> Freshness:
        """What `perturb compare` finds between the excluded sets and the rows about to be written.

        It checks `apply` with the method that users have. Raises `SourceError` if an excluded question remains.
        """
        fresh = measure_freshness(self.items, _round_items(rows))
        if fresh.near or fresh.same_base:
            raise SourceError(
                f"--exclude: {fresh.near} near duplicates and {fresh.same_base} items of the same base instance are"
                " left: nothing was written"
            )
        return fresh


def _round_items(rows: Sequence[Row]) -> list[RoundItem]:
    return [read_round_item(row, "item", number) for number, row in enumerate(rows, start=1)]
