"""Adversarial filtering: leaves the items that baselines get wrong (AFLite).

Le Bras et al., "Adversarial Filters of Dataset Biases", ICML 2020, after Sakaguchi et al., "WinoGrande", AAAI 2020: an
ensemble of linear classifiers, each trained on a random part, judges the rest; what they mostly get right goes, a slice
at a time, and they are trained again on what is left. Here parts are drawn by base instance, the classifiers are the
baselines of the shortcut audit, and no group of items falls below what is wanted of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from perturb.auditing.shortcuts import VIEWS, classifier, features_of, folds_of, view_of
from perturb.files.resources import seed_of
from perturb.metrics.inputs import Floats, Integers
from perturb.records import Cell, Item

PARTITIONS = 4
"""So often are the folds drawn anew in each round."""
THRESHOLD = 0.5
"""An item goes if more of the predictions than this are right."""
SLICE = 0.1
"""The share of the items that goes in one round at most."""

Group = tuple[str, Cell]
"""Generator and cell."""


def keep_hard(items: Sequence[Item], wanted: Mapping[Group, int], seed: int) -> frozenset[str]:
    """Ids of the items left when those go whose label, answer or refuse, the baselines can tell.

    Of each group at least so many stay as are `wanted`.
    """
    features = [features_of(view_of(items, view)) for view in VIEWS]
    labels = np.array([item.answerable for item in items], dtype=np.int64)
    left = np.arange(len(items))
    while len(left):
        kept = [items[place] for place in left.tolist()]
        score = _predictability([matrix[left] for matrix in features], labels[left], kept, seed)
        spare = Counter((item.generator, item.cell) for item in kept)
        spare.subtract({group: wanted.get(group, 0) for group in spare})
        order = sorted(range(len(kept)), key=lambda at: (-score[at], seed_of(seed, "hard", kept[at].id)))
        gone: set[int] = set()
        for at in order:
            group = (kept[at].generator, kept[at].cell)
            if score[at] > THRESHOLD and spare[group] > 0 and len(gone) < max(1, SLICE * len(kept)):
                spare[group] -= 1
                gone.add(at)
        if not gone:
            break
        left = np.delete(left, sorted(gone))
    return frozenset(items[place].id for place in left.tolist())


def _predictability(features: Sequence[Any], labels: Integers, items: Sequence[Item], seed: int) -> Floats:
    """The share of right predictions of each item by baselines that have not seen its base instance.

    A baseline counts for as much as its balanced accuracy is above chance: one that knows nothing has no say, and
    where none knows anything, no item is predictable.
    """
    right = np.zeros((len(features), len(labels)))
    for partition in range(PARTITIONS):
        folds = folds_of(items, seed_of(seed, partition))
        for fold in np.unique(folds):
            held = folds == fold
            if len(np.unique(labels[~held])) == 2:
                for view, matrix in enumerate(features):
                    told = classifier().fit(matrix[~held], labels[~held]).predict(matrix[held])
                    right[view, held] += (told == labels[held]) / PARTITIONS
    accuracy = np.mean([right[:, labels == label].mean(axis=1) for label in np.unique(labels)], axis=0)
    weights = np.maximum(accuracy - 0.5, 0.0)
    return np.asarray(weights @ right / (weights.sum() or 1.0))
