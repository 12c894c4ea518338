"""How well words alone tell the class of an item: a bag-of-words classifier on the changed text, cross-validated.

Run as `python -m tests.quality.fingerprints SOURCE --seed N`. Folds never share a base instance. What counts as the
changed text are the words that the question and the context gained over the original, without the words of the
original itself; items that only lose words (most of P-MissingInfo) have little or no such text.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from perturb.rules.checks.texts import words
from tests.quality.drawing import DrawnItem, draw_items

FOLDS = 5


def gained_words(item: DrawnItem) -> str:
    """The words that an item has and its original lacks, in the order of the item."""
    original, candidate = item.original, item.candidate
    known = set(words(f"{original.query} {original.context}")) | {
        word for answer in original.answers for word in words(answer)
    }
    return " ".join(w for w in words(f"{candidate.query} {candidate.context}") if w not in known)


def accuracy_by_class(texts: list[str], classes: list[str], groups: list[str]) -> dict[str, float]:
    """Share of the items of each class that a logistic regression on word counts names rightly, and of `all`.

    Every item is judged by a model that has seen no item of its group.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        CountVectorizer(binary=True, token_pattern=r"\S+"),
        LogisticRegression(max_iter=500, class_weight="balanced"),
    )
    guessed = cross_val_predict(model, texts, classes, groups=groups, cv=GroupKFold(FOLDS))
    right = Counter(c for c, g in zip(classes, guessed, strict=True) if c == g)
    n = Counter(classes)
    return {name: right[name] / n[name] for name in sorted(n)} | {"all": sum(right.values()) / len(classes)}


def main(
    source: Annotated[Path, typer.Argument(help="Base instances.")],
    seed: Annotated[int, typer.Option(help="Decides which items are drawn.")],
    per_cell: Annotated[int, typer.Option(help="Items of each cell.")] = 40,
) -> None:
    """Print the accuracy for each class, and chance."""
    items = draw_items(source, seed, per_cell)
    classes = [str(item.candidate.cell.perturbation_class) for item in items]
    found = accuracy_by_class(
        [gained_words(item) for item in items], classes, [item.original.id for item in items]
    )
    for name, accuracy in found.items():
        typer.echo(f"{name:26}{accuracy:6.0%}")
    typer.echo(f"{'chance':26}{1 / len(set(classes)):6.0%}  ({len(items)} items)")


if __name__ == "__main__":
    typer.run(main)
