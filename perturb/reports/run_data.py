"""What a report page reads from the ledger of a run beside the audit: counts, coverage, cost, items with replies."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.files.resources import seed_of
from perturb.ledger import queries
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_items, read_responses
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.queries import StageCounts
from perturb.metrics.outcomes import SCORED, ReplyOutcome
from perturb.metrics.refusal import RIGHT
from perturb.records import (
    NO_INTENSITY,
    PUBLISHED_CLASSES,
    Facts,
    Intensity,
    Item,
    JobOutcome,
    JsonObject,
    taxonomy_place,
)
from perturb.reports.model import ItemBrowser
from perturb.scoring.table import ResultTable
from perturb.snapshots.settings import name_with_sample, setting_of, split_sample
from perturb.text.passages import Piece, describe_change, mark_change
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.evaluation.results import EvaluationRun, Result


@dataclass(frozen=True, slots=True)
class RunData:
    """The counts of a run."""

    plan: CurrentPlan
    stages: StageCounts
    rows: int | None
    """Rows of the run's snapshot; None if it has none."""
    coverage: Mapping[tuple[str, str], int]
    """Accepted candidates by cell (`class/intensity`) and generator."""
    models: Mapping[str, Facts]
    """Calls, tokens and cost by model, as `queries.call_totals` gives them."""
    recorded_replies: int | None = None
    """Replies on record that stood in for the models; None if models were asked."""

    @property
    def generators(self) -> tuple[str, ...]:
        """The generators of the plan, in its order."""
        return tuple(entry.name for entry in self.plan.facts.generators)

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells in play, in the order of the taxonomy."""
        return tuple(str(cell) for cell in self.plan.cells)

    @property
    def funnel(self) -> tuple[tuple[str, int], ...]:
        """The name of each stage of a job, and how many jobs reached it."""
        outcomes, decisions = self.stages.outcomes, self.stages.decisions
        candidates = outcomes.get(JobOutcome.CANDIDATE, 0)
        stages = [
            ("jobs", self.stages.jobs),
            ("with a readable item", candidates + outcomes.get(JobOutcome.REJECTED, 0)),
            ("past the machine checks", candidates),
            ("decided by the panel", decisions.get("accepted", 0) + decisions.get("rejected", 0)),
            ("accepted", decisions.get("accepted", 0)),
        ]
        if self.rows is not None:
            stages.append(("rows of the snapshot", self.rows))
        return tuple(stages)

    @property
    def cost_usd(self) -> float | None:
        """What all calls cost; None when any price is unknown."""
        costs = [entry["cost_usd"] for entry in self.models.values()]
        return None if None in costs else float(sum(costs))


def read_run_data(db: sqlite3.Connection, plan: CurrentPlan, run: Path) -> RunData:
    """Count what the ledger of a run holds."""
    rows = db.execute(
        "SELECT j.perturbation_class || '/' || j.intensity, j.generator, count(*) FROM jobs j"
        " JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?"
        f" WHERE j.plan = ? AND d.acceptance = 'accepted' AND NOT {queries.REPLACED} GROUP BY 1, 2",
        (plan.panel, plan.number),
    )
    manifest = _snapshot_manifest(run / "snapshot" / "manifest.json")
    return RunData(
        plan=plan,
        stages=plan.count_stages(db),
        # The snapshot may be missing, if the build was stopped before its end.
        rows=manifest["counts"]["rows"] if manifest else None,
        recorded_replies=(manifest.get("replies") or {}).get("replies"),
        coverage={(cell, generator): n for cell, generator, n in rows},
        models=queries.call_totals(db),
    )


def item_browser(
    items: Sequence[Facts], total: int, drawn_over: str, filters: Mapping[str, Iterable[str]]
) -> ItemBrowser:
    """Items of a page, drawn from `total` evenly over the groups that `drawn_over` names, with the filters for them.

    All published classes can be chosen, in the order of the taxonomy; a single language is not offered as a filter.
    """
    note = f"{counted(total, 'item')}, all of them."
    if len(items) < total:
        note = f"{len(items):,} of {total:,} items, drawn evenly over {drawn_over}."
    languages = sorted({*filters["language"]})
    values = {
        **filters,
        "class": sorted({*PUBLISHED_CLASSES, *filters["class"]}, key=taxonomy_place),
        "language": languages if len(languages) > 1 else [],
    }
    return ItemBrowser(note, {name: list(labels) for name, labels in values.items() if labels}, items)


def choose_items(db: sqlite3.Connection, plan: CurrentPlan, at_most: int) -> tuple[list[JsonObject], int]:
    """Every candidate that can be read, or an even draw over cells, generators and outcomes; how many there are."""
    rows = db.execute(
        "SELECT j.id, j.perturbation_class || '/' || j.intensity || '/' || j.generator AS place, j.outcome,"
        " j.detail, d.acceptance, d.reason FROM jobs j JOIN candidates c ON c.id = j.id"
        " LEFT JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?"
        " WHERE j.plan = ? AND j.outcome IN ('candidate', 'rejected_by_checks') ORDER BY j.seq",
        (plan.panel, plan.number),
    ).fetchall()
    chosen = set(even_draw({row["id"]: f"{row['place']}/{_outcome(row)}" for row in rows}, at_most))
    items = [
        {
            **describe_item(db, plan, row["id"]),
            "outcome": _outcome(row),
            "reason": str((row["detail"] if row["outcome"] == JobOutcome.REJECTED else row["reason"]) or ""),
        }
        for row in rows
        if row["id"] in chosen
    ]
    return items, len(rows)


def even_draw(groups: Mapping[str, str], at_most: int) -> list[str]:
    """Up to `at_most` ids of `groups` (id → group), the groups taking turns; the same ids at every call.

    >>> even_draw({"a": "x", "b": "x", "c": "y"}, 9)
    ['a', 'c', 'b']
    """
    # A hash of the id, rather than the place in the run, decides which ids of a group are drawn.
    ids = list(groups)
    if len(ids) > at_most:
        ids.sort(key=lambda item_id: seed_of("report", item_id))
    # The first id of a group has turn 0, the second has turn 1.
    turn_of_id: dict[str, int] = {}
    n_of_group: Counter[str] = Counter()
    for item_id in ids:
        turn_of_id[item_id] = n_of_group[groups[item_id]]
        n_of_group[groups[item_id]] += 1
    return sorted(ids, key=turn_of_id.__getitem__)[:at_most]


def _outcome(row: sqlite3.Row) -> str:
    if row["outcome"] == JobOutcome.REJECTED:
        return str(JobOutcome.REJECTED)
    return str(row["acceptance"] or "undecided")


def describe_item(db: sqlite3.Connection, plan: CurrentPlan, candidate_id: str) -> JsonObject:
    """A candidate with its change and its votes, as the item browser of a page takes it."""
    candidate = queries.candidate(db, candidate_id)
    instance = queries.instance_of(db, candidate_id)
    votes = queries.votes_of(db, candidate.id, plan.judges)
    return {
        "id": candidate.id,
        "cell": str(candidate.cell),
        "class": str(candidate.cell.perturbation_class),
        "intensity": str(candidate.cell.intensity),
        "generator": candidate.generator,
        "language": instance.language,
        "lever": candidate.lever,
        "expected": candidate.expected_behavior,
        "answers": list(instance.answers),
        **describe_change(instance, candidate),
        "votes": [
            {
                "verifier": vote.verifier,
                "verdict": str(vote.state),
                "predicted_behavior": vote.predicted_behavior,
                "failed_checks": sorted(name for name, passed in vote.checks.items() if not passed),
                "issues": list(vote.issues),
            }
            for _, vote in sorted(votes.items())
        ],
    }


def describe_row(row: Facts) -> JsonObject:
    """A row of a snapshot in the form of `describe_item`."""
    change = mark_change(row["original_context"], row["perturbed_context"])
    return {
        "id": row["id"],
        "cell": f"{row['perturbation_class']}/{row['intensity']}",
        "class": row["perturbation_class"],
        "intensity": row["intensity"],
        "generator": row["generator_model"],
        "lever": row["lever_selected"],
        "expected": row["expected_rag_behavior"],
        "answers": list(row["original_answers"]),
        "query": mark_change(row["original_query"], row["perturbed_query"]),
        "passages": [{"pieces": change}],
        "unchanged": 0,
        "votes": [],
        "outcome": "accepted",
        "reason": "",
    }


def _snapshot_manifest(path: Path) -> Facts:
    try:
        manifest: Facts = json.loads(path.read_text(encoding="utf-8"))
        int(manifest["counts"]["rows"])
    except (OSError, ValueError, KeyError, TypeError):  # no snapshot, or one that `perturb` did not write
        return {}
    return manifest


# Characters of a passage or reply that are shown; the rest is counted.
MAX_CHARACTERS = 4000


def browse_replies(
    run: Path, evaluation: EvaluationRun, table: ResultTable, at_most: int
) -> ItemBrowser | None:
    """Every item with its replies, or an even draw over classes and intensities; None if `at_most` is 0.

    `table` is what `table_of_run` made of the evaluation. Raises `LedgerError` if the folder has no evaluation.
    """
    from perturb.evaluation.results import is_current

    if at_most < 1:
        return None
    with reading(run) as db:
        items = [Item.from_payload(item_id, payload) for item_id, payload in read_items(db)]
        groups = {item.id: f"{item.cell.perturbation_class}/{item.intensity}" for item in items}
        chosen, models = set(even_draw(groups, at_most)), evaluation.facts["models"]
        # The keys of `texts` and `outcomes` are item, model, setting and sample.
        texts = {}
        for response in read_responses(db):
            if response.item_id in chosen and is_current(response, models):
                setting = setting_of(models[response.model], response.variant).name
                _, sample = split_sample(response.variant)
                texts[response.item_id, response.model, setting, sample] = response.text
    outcomes = {
        (row.item_id, replies.base_model, replies.prompt, row.sample): (replies.model, row.outcome)
        for replies in (*table.models, *table.controls)
        for row in replies.rows
    }
    replies_to_item: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for result in evaluation.results:
        key = result.item_id, result.model, result.prompt, result.sample
        # An evaluation that is still running may have more replies by now than the table.
        if key in outcomes and key in texts:
            name, outcome = outcomes[key]
            replies_to_item[result.item_id].append(_reply(result, name, outcome, texts[key]))
    described = [describe_replies(item, replies_to_item[item.id]) for item in items if item.id in chosen]
    intensities = {item.intensity for item in items}
    filters = {
        "class": [str(item.cell.perturbation_class) for item in items],
        "intensity": [name for name in (*map(str, Intensity), NO_INTENSITY) if name in intensities],
        "reply": sorted({name for item in described for name in item["reply"]}),
        "domain": sorted({item.domain for item in items if item.domain}),
        "language": [item.language for item in items],
    }
    return item_browser(described, len(items), "classes and intensities", filters)


# The fields of a result that a page shows with the reply, if they have a value.
_SHOWN_FIELDS = (
    "behaviour_kind",
    "quality",
    "eligible",
    "factual_all",
    "factual_signal",
    "confidence",
    "unscored",
)


def _reply(result: Result, model: str, outcome: ReplyOutcome, text: str) -> dict[str, str]:
    """A reply as the page shows it; `model` is the name of the model with its setting, if it has several."""
    judgements = [
        f"{name.replace('_', ' ')}: {value}"
        for name in _SHOWN_FIELDS
        if (value := getattr(result, name)) is not None
    ]
    return {
        "model": name_with_sample(model, result.sample),
        "predicted": result.predicted or "not read",
        "outcome": outcome.replace("_", " "),
        "mark": mark_of(outcome),
        "judged": ", ".join(judgements),
        "text": _cut(text) or "(an empty reply)",
    }


def describe_replies(item: Item, replies: Sequence[Facts]) -> JsonObject:
    """An item with its replies, as the item browser of a page takes it."""
    after = [passage.text for passage in item.passages]
    # Without an original for each passage the changes cannot be marked.
    before = item.original_passages if len(item.original_passages) == len(after) else after
    return {
        "id": item.id,
        "cell": f"{item.cell.perturbation_class}/{item.intensity}",
        "class": str(item.cell.perturbation_class),
        "intensity": item.intensity,
        "domain": item.domain or "",
        "language": item.language,
        "reply": [f"{reply['model']}: {reply['outcome']}" for reply in replies],
        "generator": item.generator,
        "outcome": "",
        "reason": "",
        "lever": "unperturbed" if item.control else item.lever,
        "expected": item.expected_behavior,
        "answers": list(item.answers),
        "query": mark_change(item.original_query or item.query, item.query),
        "passages": [
            {"pieces": [Piece("same", f"[{number}] " if item.several else ""), *mark_change(*texts)]}
            for number, texts in enumerate(zip(map(_cut, before), map(_cut, after), strict=True), start=1)
        ],
        "unchanged": 0,
        "votes": [],
        "replies": replies,
    }


def mark_of(outcome: ReplyOutcome) -> str:
    """How a page marks a reply: right, wrong or unscored."""
    if outcome not in SCORED:
        return "unscored"
    return "right" if outcome in RIGHT else "wrong"


def _cut(text: str) -> str:
    n_cut = len(text) - MAX_CHARACTERS
    return text if n_cut <= 0 else f"{text[:MAX_CHARACTERS]} … ({n_cut:,} more characters)"
