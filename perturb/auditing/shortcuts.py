"""Shortcuts: how well baselines that see only a part of an item predict its label.

A part alone does not show whether a question can be answered: that takes both question and context. A baseline that
beats chance has found an artefact, which a model can learn instead of the task (Gururangan et al., NAACL 2018). Each
baseline is a linear support vector machine on tf-idf of words and word pairs, or on lengths. Folds never share a base
instance.

A *view* is the part of an item that a baseline sees, such as the question. A *target* is what it predicts: whether to
answer, or the expected behaviour. `measure_shortcuts` trains and tests a baseline for each view and target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.votes import Labels
from perturb.errors import SourceError
from perturb.files.resources import seed_of
from perturb.metrics.inputs import Estimate, Floats, Integers, plain, ratio
from perturb.metrics.intervals import reported_estimate
from perturb.metrics.resampling import Resamples, Totals, check_resampling
from perturb.records import Item, JsonObject
from perturb.text.matching import word_source, words

# A baseline is trained on four fifths of the base instances and tested on the others, five times.
FOLDS = 5
# Replaces a text without words, so that a baseline can learn from its absence.
NOTHING = "∅"
# A word that occurs in fewer base instances is a word of their topic, and is not reported.
FEWEST_BASES = 3
# The number of words that are reported for a label.
TOP_WORDS = 10

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
    return [
        len(item.query),
        len(item.context),
        len(item.query.split()),
        len(item.context.split()),
        len(item.passages),
    ]


def added_words(item: Item) -> str:
    """The words that occur more often in question and context than in the original, in their order.

    >>> from perturb.records import ALL_CELLS, Passage
    >>> added_words(Item("i", "b", ALL_CELLS[0], "", "Who won twice?", (Passage("A."),), (), original_query="Who won?"))
    'twice'
    """
    original = " ".join((item.original_query or "", *item.original_passages))
    left_in_original = Counter(words(original.casefold()))
    texts = [item.query]
    if item.original_passages:  # without them, every word of the context would count as added
        texts += (passage.text for passage in item.passages)
    added = []
    for word in words(" ".join(texts).casefold()):
        left_in_original[word] -= 1
        if left_in_original[word] < 0:  # all its occurrences in the original are used up
            added.append(word)
    return " ".join(added)


def folds_of(items: Sequence[Item], seed: int) -> Integers:
    """The fold of each item, shape (items,): base instances in an order drawn by `seed`, dealt out in turn."""
    bases = sorted({item.base_id for item in items}, key=lambda base: (seed_of(seed, "fold", base), base))
    fold_of = {base: number % FOLDS for number, base in enumerate(bases)}
    return np.array([fold_of[item.base_id] for item in items])


def predict_held_out(inputs: NDArray[Any], labels: Integers, folds: Integers) -> Integers:
    """The prediction for each item of a baseline that was trained on the other folds.

    So no item is predicted by a model that has seen its base instance.
    """
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
    items: Sequence[Item], view: str, labels: Integers, names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Label → the words with the largest weights for it, the largest first; empty for lengths."""
    inputs = view_of(items, view)
    if view == _LENGTHS or len(np.unique(labels)) < 2:
        return {}
    model = _model(inputs).fit(inputs, labels)
    vectorizer, trained_classifier = model[0], model[-1]
    vocabulary = vectorizer.get_feature_names_out()
    item_numbers, word_numbers = vectorizer.transform(inputs).nonzero()
    words_and_bases = np.column_stack([word_numbers, _base_codes(items)[item_numbers]])
    base_counts = np.bincount(np.unique(words_and_bases, axis=0)[:, 0], minlength=len(vocabulary))
    weights = trained_classifier.coef_
    if len(weights) == 1:  # two labels share one row of weights, with opposite signs
        weights = np.vstack([-weights, weights])
    telling = {}
    for label, label_weights in zip(model.classes_, weights, strict=True):
        by_weight = np.argsort(-label_weights)
        is_reported = (label_weights > 0) & (base_counts >= FEWEST_BASES)
        telling[names[label]] = tuple(vocabulary[by_weight[is_reported[by_weight]]][:TOP_WORDS].tolist())
    return telling


def _base_codes(items: Sequence[Item]) -> Integers:
    """The number of each item's base instance, shape (items,)."""
    return np.unique([item.base_id for item in items], return_inverse=True)[1]


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
class GuessScores:
    """The scores of guesses that do not look at the items. A baseline without a shortcut scores no better."""

    target: str
    chance_accuracy: float
    """Of random guesses in which each label is as frequent as among the items."""
    chance_macro_f1: float
    majority_accuracy: float
    """Of guesses that are always the commonest label."""
    majority_macro_f1: float


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The scores of a baseline on a group of items, and the scores of guesses on it."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    """Over the labels that occur in the group."""
    floor: GuessScores


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
    floors: tuple[GuessScores, ...]
    scores: tuple[BaselineScore, ...]

    def best(self, target: str) -> BaselineScore:
        """The baseline with the highest macro-F1."""
        return max(
            (score for score in self.scores if score.target == target),
            key=lambda score: score.macro_f1.value or 0.0,
        )

    def floor(self, target: str) -> GuessScores:
        """The scores of guesses for a target."""
        return next(floor for floor in self.floors if floor.target == target)

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON."""
        content = plain(self)
        # Only the JSON calls the scores `baselines`.
        return content | {"baselines": content.pop("scores")}


def measure_shortcuts(
    source: str,
    items: Sequence[Item],
    *,
    earlier: tuple[str, Sequence[Item]] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Shortcuts:
    """Train the baselines, and test them on `items`. Controls are left out.

    The baselines are trained on an `earlier` round (its name and items). Without one they are trained on the same
    items, and cross-validated with folds by base instance. Raises `SourceError` if the items are too few or all have
    the same label, and `ConfigError` for a seed or resamples out of range.
    """
    check_resampling(resamples, seed)
    tested = _usable(source, items)
    earlier_name, training_items = None, tested
    if earlier is not None:
        earlier_name, earlier_items = earlier
        training_items = _usable(earlier_name, earlier_items)
    drawn = Resamples.draw(_base_codes(tested), resamples, seed)
    folds = folds_of(tested, seed)
    floors, scores = [], []
    for target in TARGETS:
        names, truth, training_labels = _code_labels(tested, training_items, target)
        floors.append(_guess_scores(target, truth))
        for view in VIEWS:
            inputs = view_of(tested, view)
            if earlier is None:
                predicted = predict_held_out(inputs, truth, folds)
            else:
                predicted = predict(view_of(training_items, view), training_labels, inputs)
            telling = telling_words(training_items, view, training_labels, names)
            predictions = _Predictions(tested, truth, predicted, len(names), drawn)
            scores.append(predictions.score(target, view, telling))
    training_bases = {item.base_id for item in training_items}
    return Shortcuts(
        source=source,
        against=earlier_name,
        n_items=len(tested),
        n_bases=len({item.base_id for item in tested}),
        shared_bases=None if earlier is None else sum(item.base_id in training_bases for item in tested),
        seed=seed,
        resamples=resamples,
        floors=tuple(floors),
        scores=tuple(scores),
    )


def _code_labels(
    tested: Sequence[Item], training_items: Sequence[Item], target: str
) -> tuple[list[str], Integers, Integers]:
    """The different labels, and the code of the label of each tested item and of each training item.

    Both are coded together, so that a label has the same code in both.
    """
    labels = [_label(item, target) for item in (*tested, *training_items)]
    names, codes = np.unique(labels, return_inverse=True)
    return [str(name) for name in names], codes[: len(tested)], codes[len(tested) :]


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


def _guess_scores(target: str, truth: Integers) -> GuessScores:
    _, counts = np.unique(truth, return_counts=True)
    shares = counts / len(truth)
    n_labels, largest = len(shares), float(shares.max())
    return GuessScores(
        target,
        chance_accuracy=float((shares**2).sum()),
        # precision, recall and F1 of each label are its share, and the mean of the shares is 1 / n
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

    def score(self, target: str, view: str, telling: dict[str, tuple[str, ...]]) -> BaselineScore:
        """The scores for all items and for each group of items."""
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
        return BaselineScore(target, view, overall.accuracy, overall.macro_f1, by, telling)

    def _group_scores(self, target: str, values: Sequence[str]) -> tuple[GroupScore, ...]:
        """The scores for the items that have the same value, for each value."""
        groups = Labels.of_words(values)
        confusions = self._confusion_matrices(groups)
        scores = []
        for group, name in enumerate(groups.names):
            is_member = groups.codes == group
            n, clusters = int(is_member.sum()), self.resamples.count(is_member)
            estimates = []
            for measure in (_accuracy, _macro_f1):
                value, replicates = measure(confusions.point[group]), measure(confusions.replicates[:, group])
                bounded = self.resamples.bounded(float(value), replicates, n, clusters=clusters)
                estimates.append(reported_estimate(bounded))
            accuracy, macro_f1 = estimates
            scores.append(GroupScore(name, accuracy, macro_f1, _guess_scores(target, self.truth[is_member])))
        return tuple(scores)

    def _confusion_matrices(self, groups: Labels) -> Totals:
        """The confusion matrix of each group, shape (groups, truth, predicted), in the data and in each resample."""
        shape = len(groups.names), self.n_labels, self.n_labels
        # Each combination of group, right label and predicted label is a cell of the array, numbered row by row.
        cells = np.ravel_multi_index((groups.codes, self.truth, self.predicted), shape)
        counts = self.resamples.totals(
            np.ones((len(cells), 1)), groups=cells, n_groups=len(groups.names) * self.n_labels**2
        )
        return Totals(counts.point.reshape(shape), counts.replicates.reshape(-1, *shape))


def _accuracy(confusion: NDArray[np.float64]) -> Floats:
    """The share of right guesses; shape (…, truth, predicted) to (…), NaN if there are no items."""
    return ratio(np.trace(confusion, axis1=-2, axis2=-1), confusion.sum(axis=(-2, -1)))


def _macro_f1(confusion: NDArray[np.float64]) -> Floats:
    """Mean F1 over the labels that occur; shape (…, truth, predicted) to (…), NaN if there are no items.

    >>> _macro_f1(np.array([[[2.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [2.0, 0.0]]])).round(3).tolist()
    [1.0, 0.333]
    """
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    true_counts, predicted_counts = confusion.sum(axis=-1), confusion.sum(axis=-2)
    f1 = 2 * right / np.maximum(true_counts + predicted_counts, 1)
    occurs = true_counts > 0
    return ratio((f1 * occurs).sum(axis=-1), occurs.sum(axis=-1))
