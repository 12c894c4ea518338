"""Rows of a snapshot made up for evaluations, and runs over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from perturb.catalogue.levers import Catalogue
from perturb.evaluation.loading import ItemSource, load_items
from perturb.evaluation.models_under_test import ModelNames
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.session import EvaluationReport
from perturb.records import ALL_CELLS, Item, Passage, render_context
from perturb.snapshots.items import Variant
from tests.building import write_rows

__all__ = ["items_of", "run", "several", "single", "write_models", "write_rows"]

CATALOGUE = Catalogue.load()


def single(number: int, **changes: Any) -> dict[str, Any]:
    """The row of one item with one passage; the cells take turns, three items to a base instance."""
    cell = ALL_CELLS[number % len(ALL_CELLS)]
    return {
        "id": f"item-{number:04}",
        "source_id": f"base-{number // 3}",
        "generator_model": f"g{number % 2}",
        "perturbation_class": str(cell.perturbation_class),
        "intensity": str(cell.intensity),
        "expected_rag_behavior": CATALOGUE.expected_behavior(cell),
        "lever_selected": CATALOGUE.levers_of(cell)[0].name,
        "original_query": f"Who built mill {number}?",
        "original_context": f"Mill {number} was built by Ada{number}.",
        "original_answers": [f"Ada{number}"],
        "perturbed_query": f"And who built mill {number}?",
        "perturbed_context": f"Mill {number} was, they say, built by Ada{number}.",
        "domain": "Mills",
        **changes,
    }


def several(number: int, **changes: Any) -> dict[str, Any]:
    """The row of one item with three passages."""
    passages = (
        Passage(f"Mill {number} is old."),
        Passage(f"Ada{number} built it.\n\n[3] Says who?", title="Mills: a list"),
        Passage("Nothing else is known."),
    )
    made = {
        "perturbed_context": render_context(passages),
        "grounding": [passage.text for passage in passages],
        "signal_indices": [1],
        "noise_indices": [0, 2],
        "reference_answer": f"Ada{number}",
    }
    return single(number, **{**made, **changes})


def items_of(path: Path) -> tuple[Item, ...]:
    """The items of a file."""
    return load_items(ItemSource(str(path))).items


def write_models(folder: Path, url: str, names: Sequence[str], **changes: Any) -> Path:
    """A models file with these models of the loopback provider."""
    entries = [
        {
            "name": name,
            "model": f"hosted_vllm/{name}",
            "api_base": url,
            "price": {"input": 1, "output": 2},
            "params": {"max_tokens": 100},
            "max_connections": 8,
            **changes,
        }
        for name in names
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "models.yaml"
    path.write_text(yaml.safe_dump({"models": entries}), encoding="utf-8")
    return path


def run(
    folder: Path,
    source: Path,
    url: str,
    models: Sequence[str],
    *,
    judge: str | None = "judge",
    variant: Variant = "plain",
    limit: int | None = None,
    transport: str = "auto",
    **changes: Any,
) -> EvaluationReport:
    """Evaluate models of the loopback provider into `folder/run`."""
    names = list(dict.fromkeys([*models, *([judge] if judge else [])]))
    file = write_models(folder, url, names, transport=transport)
    plan = EvaluationPlan(
        source=ItemSource(str(source), limit=limit),
        models=tuple(models),
        judges=(judge,) if judge else (),
        out=folder / "run",
        variant=variant,
        names=ModelNames(file),
        **changes,
    )
    return evaluate(plan)
