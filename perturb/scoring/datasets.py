"""Groups of answers, by model, data set and setting: how they are named, and means over data sets.

A setting is how a model was asked: a prompt in a table of refusals, an elicitation in a table of stated confidence.
Both tables share this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TypeVar

from perturb.errors import SourceError
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import read_facts
from perturb.metrics.inputs import Estimate, NamedEstimates, mean_of_independent, plain_value
from perturb.records import Facts, JsonObject

# The label of a group if the table names no model, data set or setting.
ALL_ROWS = "all rows"


@dataclass(frozen=True)
class AnswerGroup:
    """The answers of one model to one data set in one setting. A label is None if the table does not have it."""

    model: str | None
    setting: str | None
    _: KW_ONLY
    dataset: str | None = None
    unscored: int = 0
    """Number of rows that lack a value; no other field counts them."""

    @property
    def name(self) -> str:
        """Model, data set and setting in one label."""
        return group_name(self.model, self.dataset, self.setting)

    def labels(self, setting_name: str) -> dict[str, str]:
        """The labels that the table has, for JSON; a setting is called `setting` or `elicitation` there."""
        labels = {"model": self.model, "dataset": self.dataset, setting_name: self.setting}
        return {name: value for name, value in labels.items() if value is not None}


def group_name(model: str | None, dataset: str | None, setting: str | None) -> str:
    """Model, data set and setting in one label.

    >>> group_name("gpt", None, "high"), group_name(None, None, None)
    ('gpt / high', 'all rows')
    """
    return " / ".join(label for label in (model, dataset, setting) if label) or ALL_ROWS


GroupT = TypeVar("GroupT", bound=AnswerGroup)


def with_datasets(groups_by_source: Sequence[tuple[Path, Sequence[GroupT]]]) -> tuple[GroupT, ...]:
    """The groups of all sources, each with its data set.

    The column `dataset` names it. A group without that column takes the data set of its source (`source_datasets`).
    Raises `SourceError` if two groups still have the same labels.
    """
    unnamed_groups_by_source = [
        (source, {(group.model, group.setting) for group in groups if group.dataset is None})
        for source, groups in groups_by_source
    ]
    names = source_datasets(unnamed_groups_by_source)
    source_of_group: dict[tuple[object, ...], Path] = {}
    labelled_groups = []
    for (source, groups), name in zip(groups_by_source, names, strict=True):
        for group in groups:
            labelled = replace(group, dataset=group.dataset or name)
            key = (labelled.model, labelled.dataset, labelled.setting)
            if key in source_of_group:
                raise SourceError(
                    f"{source}: '{labelled.name}' is in {source_of_group[key]} too: rename a file, or fill in the"
                    " columns 'model' and 'dataset'"
                )
            source_of_group[key] = source
            labelled_groups.append(labelled)
    return tuple(labelled_groups)


def source_datasets(sources: Sequence[tuple[Path, Collection[object]]]) -> list[str | None]:
    """The name of the data set that each source stands for; None if it needs no name.

    Each source comes with the keys of its groups without a data set. A single source needs no name. Otherwise a run
    folder stands for its questions or snapshot. A file stands for itself, but only if two sources hold the same group:
    files with different models are usually about the same data set.
    """
    if len(sources) == 1:
        return [None]
    occurrences = Counter(group for _, groups in sources for group in groups)
    some_group_repeats = max(occurrences.values(), default=0) > 1
    names = []
    for source, _ in sources:
        name = run_dataset(source)
        if not name and some_group_repeats:
            name = source.name.split(".")[0]  # nq.jsonl.gz -> nq
        names.append(name)
    return names


def run_dataset(source: Path) -> str | None:
    """The name of the snapshot or the questions of a run; None if the source is not a run folder."""
    if not (source / LEDGER_FILE).exists():
        return None
    with reading(source) as db:
        facts = read_facts(db)
    # An evaluation of items stores its snapshot. One on questions stores them in the fact about its kind, which is a
    # dictionary such as {"questions": {"name": "nq"}}.
    question_sets = [
        fact["questions"] for fact in facts.values() if isinstance(fact, dict) and "questions" in fact
    ]
    evaluated: Facts = facts.get("snapshot") or next(iter(question_sets), {})
    return evaluated.get("name")


@dataclass(frozen=True, slots=True)
class DatasetMean:
    """The means of one model in one setting over all data sets."""

    model: str | None
    setting: str | None
    datasets: tuple[str, ...]
    metrics: NamedEstimates
    """Unweighted means by metric; undefined if one of the data sets lacks the metric."""

    def to_dict(self, setting_name: str) -> JsonObject:
        """Plain values; a setting is called `setting` or `elicitation`."""
        return {
            **AnswerGroup(self.model, self.setting).labels(setting_name),
            "datasets": list(self.datasets),
            "metrics": plain_value(self.metrics),
        }


def dataset_means(
    values: Iterable[tuple[AnswerGroup, NamedEstimates]],
) -> tuple[DatasetMean, ...]:
    """The mean of each metric over the data sets, by model and setting; only for settings with two data sets or more.

    A model that lacks a data set on which others were asked in the same setting has no mean.
    """
    by_group: dict[tuple[str | None, str | None], dict[str, NamedEstimates]] = {}
    for group, metrics in values:
        if group.dataset is not None:
            by_group.setdefault((group.model, group.setting), {})[group.dataset] = metrics
    # Settings such as "high" and elicitations such as "direct" may be asked on different data sets. The inner
    # dictionaries are sets that keep their order.
    datasets_by_setting: dict[str | None, dict[str, None]] = {}
    for (_, setting), by_dataset in by_group.items():
        datasets_by_setting.setdefault(setting, {}).update(dict.fromkeys(by_dataset))
    all_means = []
    for (model, setting), by_dataset in by_group.items():
        datasets = tuple(datasets_by_setting[setting])
        if len(datasets) < 2:
            continue
        names = dict.fromkeys(name for metrics in by_dataset.values() for name in metrics)
        means = {name: _mean_of_metric(name, by_dataset, datasets) for name in names}
        all_means.append(DatasetMean(model, setting, datasets, means))
    return tuple(all_means)


def _mean_of_metric(name: str, by_dataset: Mapping[str, NamedEstimates], datasets: Sequence[str]) -> Estimate:
    """The mean over all data sets, undefined if the metric was not measured on one of them."""
    estimates, missing = [], []
    for dataset in datasets:
        estimate = by_dataset.get(dataset, {}).get(name)
        if estimate is None:
            missing.append(dataset)
        else:
            estimates.append(estimate)
    if missing:
        return Estimate.undefined(f"not measured on {', '.join(missing)}")
    return mean_of_independent(estimates)
