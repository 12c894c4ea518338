"""How well words alone tell the class of an item: a bag-of-words classifier on the changed text, cross-validated.

Run as `python -m tests.quality fingerprints SOURCE --seed N` for items of the offline engine, or with `--items FILE`
for items of any origin: JSON lines with the columns of a snapshot's rows (`source_id`, `perturbation_class`,
`original_query`, `original_context`, `original_answers`, `perturbed_query`, `perturbed_context`). Folds never share a
base instance, and all classes bring equally many items.

What counts as the changed text are the words that the question and the context gained over the original, without the
words of the original itself. Items that gained next to none, as most of P-MissingInfo do, are left out and counted:
that they only lose words would tell their class by itself, and no wording could change that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from perturb.building.offline.words import plain, tokens
from perturb.errors import SourceError
from perturb.files.resources import fraction_of
from perturb.metrics.intervals import wilson_interval
from tests.quality.drawing import DrawnItem, draw_items

FOLDS = 5
FEWEST_GAINED = 3
"""An item that gained fewer words than these has no wording to speak of."""
TOP = 12
"""So many of the most telling words are shown for each class."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The words that an item gained, its class, and the base instance it comes from."""

    perturbation_class: str
    source: str
    text: str
    """The gained words in the order of the item, parted by blanks."""


def gained_words(item: DrawnItem) -> str:
    """The words that an item has and its original lacks, in the order of the item."""
    original, candidate = item.original, item.candidate
    known = " ".join((original.query, original.context, *original.answers))
    return _beyond(known, f"{candidate.query} {candidate.context}")


def read_gains(path: Path) -> list[Gain]:
    """The gains of items in a file of JSON lines. Raises `SourceError` naming the first line that cannot be used."""
    gains = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            parts = (row["original_query"], row["original_context"], row.get("original_answers", ""))
            text = _beyond(_plain(parts), _plain((row["perturbed_query"], row["perturbed_context"])))
            gains.append(Gain(str(row["perturbation_class"]), str(row["source_id"]), text))
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise SourceError(f"{path}, line {number}: is no row of a snapshot ({error!r})") from None
    return gains


def _plain(parts: Sequence[object]) -> str:
    """Texts, or lists of texts, as one text."""
    return " ".join(" ".join(map(str, part)) if isinstance(part, list) else str(part) for part in parts)


def _beyond(known: str, text: str) -> str:
    had = {plain(word) for word in tokens(known)}
    return " ".join(word for word in map(plain, tokens(text)) if word not in had)


def balanced(gains: Sequence[Gain], per_class: int, seed: int) -> list[Gain]:
    """Equally many gains of each class, at most `per_class`, of those that have a wording to speak of."""
    ordered = sorted(gains, key=lambda g: fraction_of("gain", seed, g.perturbation_class, g.source, g.text))
    full = [gain for gain in ordered if len(gain.text.split()) >= FEWEST_GAINED]
    n = min(per_class, *Counter(gain.perturbation_class for gain in full).values())
    taken: Counter[str] = Counter()
    kept = []
    for gain in full:
        taken[gain.perturbation_class] += 1
        if taken[gain.perturbation_class] <= n:
            kept.append(gain)
    return kept


def accuracy_by_class(texts: list[str], classes: list[str], groups: list[str]) -> dict[str, float]:
    """Share of the items of each class that a logistic regression on word counts names rightly, and of `all`.

    Every item is judged by a model that has seen no item of its group.
    """
    from sklearn.model_selection import GroupKFold, cross_val_predict

    guessed = cross_val_predict(_model(), texts, classes, groups=groups, cv=GroupKFold(FOLDS))
    right = Counter(c for c, g in zip(classes, guessed, strict=True) if c == g)
    n = Counter(classes)
    return {name: right[name] / n[name] for name in sorted(n)} | {"all": sum(right.values()) / len(classes)}


def telling_words(texts: list[str], classes: list[str], top: int = TOP) -> dict[str, list[str]]:
    """The words that weigh most for each class, the heaviest first; needs three classes or more."""
    model = _model().fit(texts, classes)
    names = model[0].get_feature_names_out()
    weights = model[-1].coef_
    return {
        str(name): [str(names[i]) for i in row.argsort()[::-1][:top]]
        for name, row in zip(model.classes_, weights, strict=True)
    }


def _model() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        CountVectorizer(binary=True, token_pattern=r"\S+"),
        LogisticRegression(max_iter=500, class_weight="balanced"),
    )


def main(
    source: Annotated[
        Path | None, typer.Argument(help="Base instances for items of the offline engine.")
    ] = None,
    items: Annotated[Path | None, typer.Option(help="Items as JSON lines, in place of the engine's.")] = None,
    seed: Annotated[int, typer.Option(help="Decides which items are drawn.")] = 1,
    per_class: Annotated[int, typer.Option(min=FOLDS, help="Items of each class.")] = 120,
) -> None:
    """Print the accuracy for each class with its interval, what chance would give, and the most telling words."""
    if (source is None) == (items is None):
        raise typer.BadParameter("give either base instances or --items")
    if items is not None:
        gains = read_gains(items)
    else:
        assert source is not None
        gains = [
            Gain(str(i.candidate.cell.perturbation_class), i.original.id, gained_words(i))
            for i in draw_items(source, seed, per_class)
        ]
    kept = balanced(gains, per_class, seed)
    texts, classes = [gain.text for gain in kept], [gain.perturbation_class for gain in kept]
    found = accuracy_by_class(texts, classes, [gain.source for gain in kept])
    n = len(kept) // len(set(classes))
    for name, accuracy in found.items():
        low, high = wilson_interval(accuracy, len(kept) if name == "all" else n)
        typer.echo(f"{name:26}{accuracy:6.0%}  ({low:.0%}-{high:.0%})")
    low, high = wilson_interval(1 / len(set(classes)), n)
    typer.echo(f"{'chance, for one class':26}{1 / len(set(classes)):6.0%}  ({low:.0%}-{high:.0%})")
    typer.echo(
        f"{n} items of each class; median of the words gained, and items with fewer than {FEWEST_GAINED}:"
    )
    for name, top in telling_words(texts, classes).items():
        sizes = sorted(len(gain.text.split()) for gain in gains if gain.perturbation_class == name)
        few = sum(size < FEWEST_GAINED for size in sizes)
        typer.echo(f"  {name:24}{sizes[len(sizes) // 2]:4} {few:4} of {len(sizes)}; {', '.join(top)}")
