"""Shortcuts: how well baselines that see only a part of an item predict its label.

A part alone does not show whether a question can be answered: that takes both question and context. A baseline that
beats chance has found an artefact, which a model can learn instead of the task (Gururangan et al., NAACL 2018). Each
baseline is a linear support vector machine on tf-idf of words and word pairs, or on lengths. Folds never share a base
instance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.votes import Labels
from perturb.errors import SourceError
from perturb.files.resources import seed_of
from perturb.metrics.inputs import Estimate, Floats, Integers, plain, ratio
from perturb.metrics.intervals import reported_estimate
from perturb.metrics.resampling import Resamples, check_resampling
from perturb.records import Item, JsonObject
from perturb.text.matching import word_source, words

# A baseline is trained on four fifths of the base instances and tested on the others, five times.
FOLDS = 5
# Replaces a text without words, so that a baseline can learn from its absence.
NOTHING = "∅"
# A word that occurs in fewer base instances is a word of their topic, and is not reported.
FEWEST_BASES = 3

# Baseline → the only part of an item that it sees.
VIEWS: dict[str, str] = {
    "query": "the question",
    "context": "the context",
    "added": "what was added",
    "lengths": "the lengths",
}

# The view that has numbers instead of texts.
_LENGTHS = "lengths"


def view_of(items: Sequence[Item], view: str) -> NDArray[Any]:
    """The part of the items that a baseline sees: texts, shape (items,), or lengths, shape (items, 5)."""
    if view == _LENGTHS:
        return np.log1p([_lengths(item) for item in items])
    text_of = {"query": lambda item: item.query, "context": lambda item: item.context, "added": added_words}
    return np.array([text_of[view](item) or NOTHING for item in items], dtype=object)


def _lengths(item: Item) -> list[int]:
    """Characters of question and context, words of both, and the number of passages."""
    texts = (item.query, item.context)
    return [*map(len, texts), *(len(text.split()) for text in texts), len(item.passages)]


def added_words(item: Item) -> str:
    """The words that occur more often in question and context than in the original, in their order.

    >>> from perturb.records import ALL_CELLS, Passage
    >>> added_words(Item("i", "b", ALL_CELLS[0], "", "Who won twice?", (Passage("A."),), (), original_query="Who won?"))
    'twice'
    """
    remaining = Counter(words(" ".join((item.original_query or "", *item.original_passages)).casefold()))
    texts = [item.query]
    if item.original_passages:  # without them, every word of the context would count as added
        texts += (passage.text for passage in item.passages)
    added = []
    for word in words(" ".join(texts).casefold()):
        remaining[word] -= 1
        if remaining[word] < 0:
            added.append(word)
    return " ".join(added)


def folds_of(items: Sequence[Item], seed: int) -> Integers:
    """The fold of each item, shape (items,): base instances in an order drawn by `seed`, dealt out in turn."""
    bases = sorted({item.base_id for item in items}, key=lambda base: (seed_of(seed, "fold", base), base))
    fold_of = {base: number % FOLDS for number, base in enumerate(bases)}
    return np.array([fold_of[item.base_id] for item in items])


def predict_held_out(inputs: NDArray[Any], labels: Integers, folds: Integers) -> Integers:
    """The prediction for each item of a baseline that was trained on the other folds."""
    predicted = np.empty_like(labels)
    for fold in np.unique(folds):
        held_out = folds == fold
        predicted[held_out] = predict(inputs[~held_out], labels[~held_out], inputs[held_out])
    return predicted


def predict(inputs: NDArray[Any], labels: Integers, new_inputs: NDArray[Any]) -> Integers:
    """The predictions for new items of a baseline that was trained on `inputs` and `labels`."""
    classes = np.unique(labels)
    if len(classes) < 2:  # a support vector machine needs two
        return np.full(len(new_inputs), classes[0])
    return np.asarray(_model(inputs).fit(inputs, labels).predict(new_inputs))


def telling_words(
    items: Sequence[Item], view: str, labels: Integers, names: Sequence[str], top: int = 10
) -> dict[str, tuple[str, ...]]:
    """Label → the words with the largest weights for it, the largest first; empty for lengths."""
    inputs = view_of(items, view)
    if view == _LENGTHS or len(np.unique(labels)) < 2:
        return {}
    model = _model(inputs).fit(inputs, labels)
    weights = model[-1].coef_
    if len(weights) == 1:  # two labels share one row of weights, with opposite signs
        weights = np.vstack([-weights, weights])
    bases: defaultdict[int, set[str]] = defaultdict(set)
    rows, columns = model[0].transform(inputs).nonzero()
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        bases[column].add(items[row].base_id)
    words = model[0].get_feature_names_out()
    is_common = np.array([len(bases[column]) >= FEWEST_BASES for column in range(len(words))])
    return {
        names[label]: tuple(
            str(words[column]) for column in np.argsort(-row) if is_common[column] and row[column] > 0
        )[:top]
        for label, row in zip(model.classes_, weights, strict=True)
    }


def features_of(inputs: NDArray[Any]) -> Any:
    """The features that a baseline is trained on, shape (items, features)."""
    return _model(inputs)[:-1].fit_transform(inputs)


def classifier() -> Any:
    """A linear support vector machine in which rare labels weigh as much as common ones."""
    from sklearn.svm import LinearSVC

    return LinearSVC(class_weight="balanced", random_state=0, max_iter=5000)


def _model(inputs: NDArray[Any]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    if inputs.ndim > 1:  # a linear model needs squares to find items that are neither short nor long
        return make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler(), classifier())
    return make_pipeline(
        TfidfVectorizer(token_pattern=rf"{word_source()}|{NOTHING}", ngram_range=(1, 2), sublinear_tf=True),
        classifier(),
    )


# The labels that baselines predict, with their titles.
TARGETS: dict[str, str] = {"decision": "answer or refuse", "behaviour": "expected behaviour"}


@dataclass(frozen=True, slots=True)
class Floor:
    """The scores of guesses that use only the shares of the labels."""

    target: str
    chance_accuracy: float
    """The accuracy of random guesses in which each label is as frequent as among the items."""
    chance_macro_f1: float
    majority_accuracy: float
    majority_macro_f1: float


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The scores of a baseline on a group of items, and the scores of guesses on it."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    """Over the labels that occur in the group."""
    floor: Floor


@dataclass(frozen=True, slots=True)
class BaselineScore:
    """The scores of one baseline for one target."""

    target: str
    view: str
    accuracy: Estimate
    macro_f1: Estimate
    by: dict[str, tuple[GroupScore, ...]]
    """The same by class, intensity, generator and lever; also by language if there are several, and by depth if some
    items are deep."""
    words: dict[str, tuple[str, ...]]
    """Label → the words with the largest weights for it."""


@dataclass(frozen=True, slots=True)
class Shortcuts:
    """The scores of all baselines for all targets."""

    source: str
    against: str | None
    """The earlier round that the baselines were trained on; None if they were trained on other folds."""
    n_items: int
    n_bases: int
    shared_bases: int | None
    """Number of items whose base instance is also in the earlier round; None without an earlier round."""
    seed: int
    resamples: int
    floors: tuple[Floor, ...]
    scores: tuple[BaselineScore, ...]

    def best(self, target: str) -> BaselineScore:
        """The baseline with the highest macro-F1."""
        return max(
            (score for score in self.scores if score.target == target),
            key=lambda score: score.macro_f1.value or 0.0,
        )

    def floor(self, target: str) -> Floor:
        """The scores of guesses for a target."""
        return next(floor for floor in self.floors if floor.target == target)

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        content = plain(self)
        return content | {"baselines": content.pop("scores")}


def measure_shortcuts(
    source: str,
    items: Sequence[Item],
    *,
    earlier: tuple[str, Sequence[Item]] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Shortcuts:
    """Train the baselines, and test them on other items. Controls are left out.

    The baselines are trained on an `earlier` round (its name and items). Without one they are cross-validated, with
    folds by base instance. Raises `SourceError` if the items are too few or all have the same label, and `ConfigError`
    for a seed or resamples out of range.
    """
    check_resampling(resamples, seed)
    tested = _usable(source, items)
    trained = tested if earlier is None else _usable(*earlier)
    _, base_numbers = np.unique([item.base_id for item in tested], return_inverse=True)
    drawn = Resamples.draw(base_numbers, resamples, seed)
    folds = folds_of(tested, seed)
    floors, scores = [], []
    for target in TARGETS:
        # Both rounds are coded together, so that a label has the same code in both.
        texts = [_label(item, target) for item in (*tested, *trained)]
        names, codes = np.unique(texts, return_inverse=True)
        truth, trained_labels = codes[: len(tested)], codes[len(tested) :]
        floors.append(_floor(target, truth))
        for view in VIEWS:
            inputs = view_of(tested, view)
            # Without an earlier round, no item is predicted by a model that has seen its base instance.
            if earlier is None:
                predicted = predict_held_out(inputs, truth, folds)
            else:
                predicted = predict(view_of(trained, view), trained_labels, inputs)
            words = telling_words(trained, view, trained_labels, [str(name) for name in names])
            predictions = _Predictions(tested, truth, predicted, len(names), drawn)
            scores.append(predictions.score(target, view, words))
    earlier_bases = {item.base_id for item in trained}
    return Shortcuts(
        source=source,
        against=earlier and earlier[0],
        n_items=len(tested),
        n_bases=len({item.base_id for item in tested}),
        shared_bases=None if earlier is None else sum(item.base_id in earlier_bases for item in tested),
        seed=seed,
        resamples=resamples,
        floors=tuple(floors),
        scores=tuple(scores),
    )


def _usable(source: str, items: Sequence[Item]) -> list[Item]:
    """The items without controls. Raises `SourceError` if they are too few, or all have the same label."""
    perturbed = [item for item in items if not item.control]
    bases = len({item.base_id for item in perturbed})
    if bases < FOLDS or len({item.answerable for item in perturbed}) < 2:
        raise SourceError(
            f"{source}: {bases} base instances, or one kind of label: give items of {FOLDS} base instances or more,"
            " some to be answered and some to be refused"
        )
    return perturbed


def _label(item: Item, target: str) -> str:
    if target == "behaviour":
        return item.expected_behavior
    return "answer" if item.answerable else "refuse"


def _floor(target: str, truth: Integers) -> Floor:
    _, counts = np.unique(truth, return_counts=True)
    shares = counts / len(truth)
    n_labels, largest = len(shares), float(shares.max())
    return Floor(
        target,
        chance_accuracy=float((shares**2).sum()),
        chance_macro_f1=1 / n_labels,
        majority_accuracy=largest,
        # only the commonest label has an F1 above 0: its recall is 1, and its precision is its share
        majority_macro_f1=2 * largest / (1 + largest) / n_labels,
    )


@dataclass(frozen=True)
class _Predictions:
    """The labels that a baseline predicted, and the right ones, as codes from 0 to `n_labels` - 1."""

    items: Sequence[Item]
    truth: Integers
    predicted: Integers
    n_labels: int
    resamples: Resamples

    def score(self, target: str, view: str, words: dict[str, tuple[str, ...]]) -> BaselineScore:
        groups = {
            "class": [str(item.cell.perturbation_class) for item in self.items],
            "intensity": [item.intensity for item in self.items],
            "generator": [item.generator or "unknown" for item in self.items],
            "lever": [item.lever or "unknown" for item in self.items],
        }
        if len({item.language for item in self.items}) > 1:
            groups["language"] = [item.language for item in self.items]
        if any(item.construction for item in self.items):
            groups["depth"] = ["deep" if item.construction else "not deep" for item in self.items]
        by = {name: self._group_scores(target, values) for name, values in groups.items()}
        (overall,) = self._group_scores(target, [""] * len(self.items))  # all items as a single group
        return BaselineScore(target, view, overall.accuracy, overall.macro_f1, by, words)

    def _group_scores(self, target: str, values: Sequence[str]) -> tuple[GroupScore, ...]:
        labels, k = Labels.of_words(values), self.n_labels
        # one number for each group, true label and predicted label: the counts are confusion matrices by group
        cells = (labels.codes * k + self.truth) * k + self.predicted
        totals = self.resamples.totals(
            np.ones((len(cells), 1)), groups=cells, n_groups=len(labels.names) * k * k
        )
        shape = -1, len(labels.names), k, k
        confusions, replicated = totals.point.reshape(shape)[0], totals.replicates.reshape(shape)

        def estimate(measure: Callable[[NDArray[np.float64]], Floats], group: int) -> Estimate:
            members = labels.codes == group
            value, replicates = float(measure(confusions[group])), measure(replicated[:, group])
            n, clusters = int(members.sum()), self.resamples.count(members)
            return reported_estimate(self.resamples.bounded(value, replicates, n, clusters=clusters))

        return tuple(
            GroupScore(
                name,
                estimate(_accuracy, group),
                estimate(_macro_f1, group),
                _floor(target, self.truth[labels.codes == group]),
            )
            for group, name in enumerate(labels.names)
        )


def _accuracy(confusion: NDArray[np.float64]) -> Floats:
    """The share of right guesses; shape (…, truth, predicted) to (…), NaN if there are no items."""
    return ratio(np.trace(confusion, axis1=-2, axis2=-1), confusion.sum(axis=(-2, -1)))


def _macro_f1(confusion: NDArray[np.float64]) -> Floats:
    """Mean F1 over the labels that occur; shape (…, truth, predicted) to (…), NaN if there are no items.

    >>> _macro_f1(np.array([[[2.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [2.0, 0.0]]])).round(3).tolist()
    [1.0, 0.333]
    """
    right, true_counts = np.diagonal(confusion, axis1=-2, axis2=-1), confusion.sum(axis=-1)
    f1 = 2 * right / np.maximum(true_counts + confusion.sum(axis=-2), 1)
    occurs = true_counts > 0
    return ratio((f1 * occurs).sum(axis=-1), occurs.sum(axis=-1))
