"""Which data set an answer belongs to, where a table or several tables hold more than one, and means over data sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from perturb.errors import SourceError
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import read_facts
from perturb.metrics.inputs import Estimate, mean_of_independent

ALL_ROWS = "all rows"
"""The label of a group if the table names no model, data set or setting."""


@dataclass(frozen=True)
class AnswerGroup:
    """The answers of one model, asked in one way, to one data set; None where a table does not say."""

    model: str | None
    way: str | None
    """The setting or elicitation under which the model was asked."""
    _: KW_ONLY
    dataset: str | None = None
    unscored: int = 0
    """Number of rows in which something is unknown; they are not counted elsewhere."""

    @property
    def name(self) -> str:
        """Model, data set and setting in one label."""
        return group_name(self.model, self.dataset, self.way)

    def labels(self, way: str) -> dict[str, str]:
        """The labels that are known, for JSON; `way` names the third one: `setting` or `elicitation`."""
        labels = {"model": self.model, "dataset": self.dataset, way: self.way}
        return {name: value for name, value in labels.items() if value is not None}


def group_name(model: str | None, dataset: str | None, way: str | None) -> str:
    """Model, data set and way of asking in one label.

    >>> group_name("gpt", None, "high"), group_name(None, None, None)
    ('gpt / high', 'all rows')
    """
    return " / ".join(part for part in (model, dataset, way) if part) or ALL_ROWS


GroupT = TypeVar("GroupT", bound=AnswerGroup)


def with_datasets(groups_by_source: Sequence[tuple[Path, Sequence[GroupT]]]) -> tuple[GroupT, ...]:
    """The groups of all sources, each with its data set.

    That is what the column `dataset` says; of several sources a run folder stands for the questions it was asked, and a
    file for itself where the same model is in two. Raises `SourceError` where that leaves two groups alike.
    """
    names = source_datasets(
        [
            (source, {(group.model, group.way) for group in groups if group.dataset is None})
            for source, groups in groups_by_source
        ]
    )
    source_of_group: dict[tuple[object, ...], Path] = {}
    with_dataset = []
    for (source, groups), name in zip(groups_by_source, names, strict=True):
        for group in groups:
            placed = replace(group, dataset=group.dataset or name)
            key = (placed.model, placed.dataset, placed.way)
            if key in source_of_group:
                raise SourceError(
                    f"{source}: '{placed.name}' is in {source_of_group[key]} too: rename a file, or fill in the"
                    " columns 'model' and 'dataset'"
                )
            source_of_group[key] = source
            with_dataset.append(placed)
    return tuple(with_dataset)


def source_datasets(sources: Sequence[tuple[Path, Collection[object]]]) -> list[str | None]:
    """The data set that each source stands for, told what each holds; None where nothing is in two of them."""
    is_only_source = len(sources) == 1
    twice = max(Counter(key for _, keys in sources for key in keys).values(), default=0) > 1
    return [
        None if is_only_source else run_dataset(source) or (source.name.split(".")[0] if twice else None)
        for source, _ in sources
    ]


def run_dataset(source: Path) -> str | None:
    """The name of the questions or the snapshot that a run was about; None for anything but a run folder."""
    if not (source / LEDGER_FILE).exists():
        return None
    with reading(source) as db:
        facts = read_facts(db)
    evaluated: dict[str, str] = facts.get("snapshot") or next(
        (fact["questions"] for fact in facts.values() if isinstance(fact, dict) and "questions" in fact), {}
    )
    return evaluated.get("name")


@dataclass(frozen=True, slots=True)
class DatasetMean:
    """One model, asked in one way, over all data sets."""

    model: str | None
    way: str | None
    datasets: tuple[str, ...]
    metrics: Mapping[str, Estimate]
    """Unweighted means by metric; undefined if one of the data sets lacks the metric."""

    def to_dict(self, way: str) -> dict[str, Any]:
        """Plain values; `way` names the setting: `setting` or `elicitation`."""
        labels = {"model": self.model, way: self.way}
        return {
            **{name: value for name, value in labels.items() if value is not None},
            "datasets": list(self.datasets),
            "metrics": {name: metric.to_dict() for name, metric in self.metrics.items()},
        }


def dataset_means(
    values: Iterable[tuple[AnswerGroup, Mapping[str, Estimate]]],
) -> tuple[DatasetMean, ...]:
    """The mean of every metric over the data sets, of each model and way; ways with fewer than two are passed over."""
    by_group: dict[tuple[str | None, str | None], dict[str, Mapping[str, Estimate]]] = {}
    for group, metrics in values:
        if group.dataset is not None:
            by_group.setdefault((group.model, group.way), {})[group.dataset] = metrics
    mean_list = []
    for (model, setting), measured in by_group.items():
        datasets = tuple(
            dict.fromkeys(name for (_, other), sets in by_group.items() if other == setting for name in sets)
        )
        if len(datasets) < 2:
            continue
        names = dict.fromkeys(name for metrics in measured.values() for name in metrics)
        means = {}
        for name in names:
            parts = [measured.get(dataset, {}).get(name) for dataset in datasets]
            defined = [part for part in parts if part is not None]
            missing = [dataset for dataset, part in zip(datasets, parts, strict=True) if part is None]
            lack = Estimate.undefined(f"not measured on {', '.join(missing)}")
            means[name] = lack if missing else mean_of_independent(defined)
        mean_list.append(DatasetMean(model, setting, datasets, means))
    return tuple(mean_list)
