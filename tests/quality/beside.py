"""How well words alone tell the class of the engine's items beside items that a language model wrote for the same jobs.

Run as `python -m tests.quality beside SOURCE`. `sheets/nq-model-gains.jsonl` holds, for 328 jobs that were drawn from
the engine (instance, cell and lever), the words that a model's item for the same job gained. What the classifier finds
in those is the wording that a lever calls for, whoever writes it; what it finds beyond that in the engine's is the
engine's own. Both sides bring the same levers in the same numbers, over the same instances.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from perturb.catalogue import Catalogue
from perturb.curate.curation import curate
from perturb.curate.source import SourceRequest
from perturb.errors import SourceError
from perturb.metrics.intervals import wilson_interval
from perturb.records import Cell, Intensity, PerturbationClass
from tests.quality.drawing import DrawnItem, candidate_of
from tests.quality.fingerprints import FEWEST_GAINED, Gain, accuracy_by_class, balanced, gained_words

MODEL_GAINS = Path(__file__).parent / "sheets" / "nq-model-gains.jsonl"
DRAWS = 10
"""The items that are left when classes are made equally large are drawn so often; the figures are means."""
FEWEST_ITEMS = 40
"""A class with fewer items on either side is left out: most of P-MissingInfo only loses words."""


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """What a model's item gained, and the job that it was written for."""

    source: str
    cell: Cell
    lever: str
    gained: str


def read_written(path: Path) -> list[WrittenItem]:
    """The items of a file of JSON lines. Raises `SourceError` naming the first line that cannot be used."""
    items = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
            items.append(WrittenItem(row["source_id"], cell, row["lever"], row["gained"]))
        except (json.JSONDecodeError, KeyError, ValueError) as error:
            raise SourceError(f"{path}, line {number}: is no written item ({error!r})") from None
    return items


def pairs(source: Path, written: Sequence[WrittenItem], seed: int) -> tuple[list[Gain], list[Gain]]:
    """The gains of the engine's items and of the written ones, for the jobs in which both have a wording."""
    catalogue = Catalogue.load()
    instances = {instance.id: instance for instance in curate(SourceRequest(source)).instances}
    ours, theirs = [], []
    for item in written:
        instance = instances.get(item.source)
        candidate = instance and candidate_of(catalogue, instance, item.cell, seed, item.lever)
        if not instance or not candidate:
            continue
        both = gained_words(DrawnItem(instance, candidate)), item.gained
        if min(len(text.split()) for text in both) >= FEWEST_GAINED:
            name = str(item.cell.perturbation_class)
            ours.append(Gain(name, item.source, both[0]))
            theirs.append(Gain(name, item.source, both[1]))
    return ours, theirs


def mean_accuracy(gains: Sequence[Gain], draws: int = DRAWS) -> dict[str, float]:
    """Accuracy of each class and of `all`, 0 to 1, over classes made equally large `draws` times."""
    totals: Counter[str] = Counter()
    for draw in range(draws):
        kept = balanced(gains, len(gains), draw)
        columns = zip(*((g.text, g.perturbation_class, g.source) for g in kept), strict=True)
        texts, classes, groups = (list(column) for column in columns)
        totals.update(accuracy_by_class(texts, classes, groups))
    return {name: total / draws for name, total in totals.items()}


def main(
    source: Annotated[Path, typer.Argument(help="Base instances that the items were written for.")],
    items: Annotated[Path, typer.Option(help="The written items.")] = MODEL_GAINS,
    seed: Annotated[int, typer.Option(help="Decides the engine's wordings.")] = 1,
) -> None:
    """Print the accuracy for each class on both sides."""
    sides = pairs(source, read_written(items), seed)
    n = Counter(gain.perturbation_class for gain in sides[0])
    large = {name for name, count in n.items() if count >= FEWEST_ITEMS}
    ours, theirs = ([g for g in side if g.perturbation_class in large] for side in sides)
    engine, model = mean_accuracy(ours), mean_accuracy(theirs)
    each = min(n[name] for name in large)
    typer.echo(f"{'':26}{'engine':>16}{'model':>18}")
    for name in engine:
        many = each * len(large) if name == "all" else each
        cells = (_shown(side[name], many) for side in (engine, model))
        typer.echo(f"{name:26}{'  '.join(cells)}")
    typer.echo(f"{each} items of each of {len(large)} classes on either side; chance {1 / len(large):.0%}")


def _shown(share: float, n: int) -> str:
    low, high = wilson_interval(share, n)
    return f"{share:6.0%} ({low:.0%}-{high:.0%})"
