"""The chapters of the report page on models under test that break results down or compare them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

from perturb.metrics.estimates import Estimate
from perturb.report.figures import Drawing, Mark, draw_bars, draw_heat_map
from perturb.report.page import Column, Figure, Section, Table, Value
from perturb.score import ScoreReport
from perturb.score.scores import ModelScores
from perturb.score.table import GROUPINGS

MAX_DOMAINS = 30
_GROUP_METRICS = {
    "answer_accuracy": "answer accuracy",
    "refusal_accuracy": "refusal accuracy",
    "calibrated_refusal_score": "CRS",
    "refusal_rate": "refusal rate",
}
_COMPARED = ("calibrated_refusal_score", "answer_accuracy", "refusal_accuracy")

Models = Sequence[ModelScores]


def groups_section(models: Models) -> Section:
    """Classes as heat maps, domains as a ranking; every breakdown as a table."""
    figures = [
        Figure(
            f"class-{metric.replace('_', '-')}",
            f"{heading.capitalize()} by class",
            "In percent. NA: the class has no scored reply of this kind.",
            _class_map(models, metric),
        )
        for metric, heading in list(_GROUP_METRICS.items())[:2]
    ]
    domains = _domain_marks(models)
    if domains:
        shown = f" The first {MAX_DOMAINS} of {len(domains)}." if len(domains) > MAX_DOMAINS else ""
        whose = "Mean over the models" if len(models) > 1 else f"Of {models[0].model}, with 95 % intervals"
        figures.append(
            Figure(
                "domains",
                "Domains by calibrated refusal score",
                f"{whose}, highest first.{shown}",
                draw_bars(domains[:MAX_DOMAINS], x_label="CRS, percent", form=".1f"),
            )
        )
    tables = [
        _group_table(models, grouping)
        for grouping in GROUPINGS
        if any(one.groups[grouping] for one in models)
    ]
    return Section("groups", "Classes, domains, levers", figures=tuple(figures), tables=tuple(tables))


def comparison_section(report: ScoreReport) -> Section:
    """Paired differences, own items, and items against their controls."""
    tables = []
    if report.comparisons:
        ordered = sorted(report.comparisons, key=lambda one: one.metric not in _COMPARED)
        rows: list[list[Value]] = [
            [
                one.metric.replace("_", " "),
                f"{one.a} - {one.b}",
                one.difference.n,
                one.difference,
                one.p_value,
                one.p_holm,
            ]
            for one in ordered
        ]
        columns = (
            *(Column("metric"), Column("models"), Column("items", "count"), Column("difference", "percent")),
            *(Column("p", "number"), Column("p (Holm)", "number")),
        )
        at_most = sum(one.metric in _COMPARED for one in ordered)
        note = "p: swapping the two models' replies within base instances at random; Holm: over all pairs of models."
        title = "Differences on the same items, in percentage points"
        tables.append(Table("differences", title, columns, rows, note, shown=min(60, at_most)))
    if report.own_items:
        tables.append(_own_items(report))
    if report.flips:
        tables.append(_flips(report))
    return Section("comparisons", "Comparisons", tables=tuple(tables))


def _own_items(report: ScoreReport) -> Table:
    columns = (
        *(Column("model"), Column("metric"), Column("own", "percent"), Column("others", "percent")),
        *(Column("difference", "percent"), Column("beyond its peers", "percent")),
    )
    rows: list[list[Value]] = [
        [one.model, one.metric.replace("_", " "), one.own, one.others, one.difference, one.beyond_peers]
        for one in report.own_items
    ]
    title = "Items that a model generated itself, in percent and percentage points"
    return Table("own-items", title, columns, rows)


def _flips(report: ScoreReport) -> Table:
    headings = ("refused controls", "moved to refuse: unanswerable", "answerable", "moved to answer")
    rows: list[list[Value]] = [
        [
            *(one.model, one.pairs, one.unread, one.control_refusal_rate, one.flip_rate_unanswerable),
            *(one.flip_rate_answerable, one.answered_only_perturbed),
        ]
        for one in report.flips
    ]
    counts = (Column("model"), Column("pairs", "count"), Column("unread", "count"))
    columns = (*counts, *(Column(heading, "percent") for heading in headings))
    return Table("controls", "Items against their unperturbed controls, in percent", columns, rows)


def _group_table(models: Models, grouping: str) -> Table:
    columns = (
        *(Column(grouping), Column("model"), Column("read", "count")),
        *(Column(heading, "percent") for heading in _GROUP_METRICS.values()),
    )
    rows: list[list[Value]] = [
        [name, one.model, metrics["refusal_rate"].n, *(metrics[metric] for metric in _GROUP_METRICS)]
        for name in _group_names(models, grouping)
        for one in models
        if (metrics := one.groups[grouping].get(name))
    ]
    shown = 60 if grouping in ("class", "intensity") else 0
    return Table(f"by-{grouping}", f"By {grouping}, in percent", columns, rows, shown=shown)


def _class_map(models: Models, metric: str) -> Drawing:
    classes = _group_names(models, "class")
    values = [[in_percent(in_group(one, "class", name, metric)) for name in classes] for one in models]
    return draw_heat_map(values, [one.model for one in models], classes, limits=(0.0, 100.0), form=".0f")


def _domain_marks(models: Models) -> list[Mark]:
    metric = "calibrated_refusal_score"
    marks = []
    for name in _group_names(models, "domain"):
        found = [in_group(one, "domain", name, metric) for one in models]
        value = mean_known(in_percent(one) for one in found)
        alone = found[0] if len(models) == 1 else None
        if value is not None:
            ends = (alone.low, alone.high) if alone else (None, None)
            marks.append(Mark(name, value, *(None if end is None else 100 * end for end in ends)))
    return sorted(marks, key=lambda mark: -(mark.value or 0.0))


def _group_names(models: Models, grouping: str) -> list[str]:
    return list(dict.fromkeys(name for one in models for name in one.groups[grouping]))


def in_group(one: ModelScores, grouping: str, name: str, metric: str) -> Estimate | None:
    """A metric of a model within a group; None if the model has no reply in it."""
    metrics = one.groups[grouping].get(name)
    return metrics[metric] if metrics else None


def in_percent(value: Estimate | None) -> float | None:
    """The value in percent; None if there is none."""
    return None if value is None or value.value is None else 100 * value.value


def mean_known(values: Iterable[float | None]) -> float | None:
    """Mean of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return mean(known) if known else None
