"""The chapters of the report page on models under test, below its first table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean

import numpy as np

from perturb.metrics.estimates import Estimate
from perturb.records import ANSWER_CORRECTLY, Intensity
from perturb.report.figures import Drawing, Mark, draw_bars, draw_heat_map
from perturb.report.page import Column, Figure, Section, Table, Value
from perturb.report.scores_figures import (
    Guide,
    Point,
    draw_grouped_bars,
    draw_lines,
    draw_points,
    draw_reliability,
    draw_stacks,
)
from perturb.score import ScoreReport
from perturb.score.scores import NONE, ModelScores
from perturb.score.table import GROUPINGS

MAX_MODELS = 12
"""Models that get figures of their own."""
MAX_DOMAINS = 30
_GUIDES = (0.25, 0.5, 0.75)
_GROUP_METRICS = {
    "answer_accuracy": "answer accuracy",
    "refusal_accuracy": "refusal accuracy",
    "calibrated_refusal_score": "CRS",
    "refusal_rate": "refusal rate",
}
_COMPARED = ("calibrated_refusal_score", "answer_accuracy", "refusal_accuracy")

Models = Sequence[ModelScores]


def plane_section(models: Models) -> Section:
    """Answer against refusal accuracy, and detection against category accuracy."""
    return Section(
        "balance",
        "Balance",
        figures=(
            Figure(
                "answer-refusal",
                "Answer against refusal accuracy",
                "Top right is best. Models on one grey line have the same calibrated refusal score, written on it in"
                " percent.",
                draw_points(
                    [
                        Point(one.model, one.metrics["answer_accuracy"], one.metrics["refusal_accuracy"])
                        for one in models
                    ],
                    x_label="answer accuracy",
                    y_label="refusal accuracy",
                    guides=[_sum_guide(level) for level in _GUIDES],
                ),
            ),
            Figure(
                "detection-category",
                "Detection F1 against category accuracy",
                "Right: knows whether to refuse. Up: knows why. The area of a bubble stands for the refusals of the"
                " model; models on one grey line have the same product of the two.",
                draw_points(
                    [
                        Point(
                            one.model,
                            one.metrics["detection_f1"],
                            one.metrics["category_accuracy"],
                            _refusals(one),
                        )
                        for one in models
                    ],
                    x_label="detection F1",
                    y_label="category accuracy",
                    guides=[_product_guide(level) for level in _GUIDES],
                ),
            ),
        ),
        tables=(
            Table(
                "refusals",
                "Refusals",
                (Column("model"), Column("refusals", "count"), Column("replies", "count")),
                [(one.model, _refusals(one), one.n) for one in models],
                shown=0,
            ),
        ),
    )


def behaviour_section(models: Models) -> Section:
    """False and missed refusals, the six outcomes, refusals by intensity."""
    labels = [one.model for one in models]
    errors = [
        (heading, [one.metrics[name] for one in models])
        for name, heading in (("false_refusal_rate", "FRR"), ("missed_refusal_rate", "MRR"))
    ]
    columns = (
        Column("model"),
        *(Column(name.replace("_", " "), "share") for name in models[0].outcomes),
        *(Column(f"{name.replace('_', ' ')}, replies", "count") for name in models[0].outcome_counts),
    )
    intensities = [str(name) for name in Intensity]
    rates = [
        (one.model, [_in_group(one, "intensity", name, "refusal_rate") for name in intensities])
        for one in models
    ]
    return Section(
        "behaviour",
        "Behaviour",
        figures=(
            Figure(
                "errors",
                "False and missed refusals",
                "FRR: refused among answerable items. MRR: answered among unanswerable ones. Lower is better.",
                draw_grouped_bars(labels, errors, x_label="rate"),
            ),
            Figure(
                "intensity",
                "Refusal rate by intensity",
                "LOW items must be answered, MEDIUM and HIGH ones refused: the steeper the first step, the better.",
                draw_lines(intensities, rates, y_label="refusal rate"),
            ),
            Figure(
                "outcomes",
                "What became of the replies",
                "The six outcomes of scored replies, summing to 100 percent; plain colours are right.",
                draw_stacks(labels, [_ordered_outcomes(one) for one in models]),
            ),
        ),
        tables=(
            Table(
                "outcomes",
                "Outcomes",
                columns,
                [(one.model, *one.outcomes.values(), *one.outcome_counts.values()) for one in models],
                shown=0,
            ),
        ),
    )


def codes_section(models: Models) -> Section:
    """Confusion matrices, averaged and model by model."""
    truths = list(models[0].confusion)
    predictions = list(models[0].confusion[truths[0]])
    shares = [_row_shares(one) for one in models]
    rows = [_code_name(truth) for truth in truths]
    columns = [_code_name(code) for code in predictions]

    def heat_map(values: list[list[float | None]]) -> Drawing:
        return draw_heat_map(values, rows, columns, limits=(0.0, 100.0), form=".0f", cell_width=0.37)

    caption = (
        "Rows: what is right, in percent of its replies that could be read. Columns: what the model did."
    )
    figures = []
    if len(models) > 1:
        average = [
            [_mean(one[row][column] for one in shares) for column in range(len(columns))]
            for row in range(len(rows))
        ]
        figures.append(Figure("confusion", "Average over models", caption, heat_map(average)))
    figures += [
        Figure(f"confusion-{number}", one.model, caption, heat_map(values))
        for number, (one, values) in enumerate(
            zip(models[:MAX_MODELS], shares[:MAX_MODELS], strict=True), start=1
        )
    ]
    table = Table(
        "confusion",
        "Replies by ground truth and prediction",
        (Column("model"), Column("ground truth"), *(Column(code, "count") for code in predictions)),
        [(one.model, truth, *cells.values()) for one in models for truth, cells in one.confusion.items()],
        shown=0,
    )
    return Section("codes", "Refusal codes", _left_out(models), tuple(figures), (table,))


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


def calibration_section(models: Models) -> Section:
    """Accuracy by stated confidence."""
    figures = []
    for number, one in enumerate(models[:MAX_MODELS], start=1):
        if one.calibration:
            series = [
                (kind, [(at.midpoint, at.accuracy, at.n) for at in one.calibration if at.replies == kind])
                for kind in dict.fromkeys(at.replies for at in one.calibration)
            ]
            figures.append(
                Figure(
                    f"reliability-{number}",
                    one.model,
                    "Below the diagonal the model is overconfident. Larger points stand for more replies.",
                    draw_reliability(series),
                )
            )
    table = Table(
        "calibration",
        "Accuracy by stated level",
        (
            *(Column("model"), Column("replies"), Column("level"), Column("midpoint", "number")),
            *(Column("n", "count"), Column("accuracy", "share")),
        ),
        [
            (one.model, at.replies, at.level, at.midpoint, at.n, at.accuracy)
            for one in models
            for at in one.calibration
        ],
        shown=0,
    )
    return Section("calibration", "Stated confidence", _left_out(models), tuple(figures), (table,))


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
    values = [[_percent(_in_group(one, "class", name, metric)) for name in classes] for one in models]
    return draw_heat_map(values, [one.model for one in models], classes, limits=(0.0, 100.0), form=".0f")


def _domain_marks(models: Models) -> list[Mark]:
    metric = "calibrated_refusal_score"
    marks = []
    for name in _group_names(models, "domain"):
        found = [_in_group(one, "domain", name, metric) for one in models]
        value = _mean(_percent(one) for one in found)
        alone = found[0] if len(models) == 1 else None
        if value is not None:
            ends = (alone.low, alone.high) if alone else (None, None)
            marks.append(Mark(name, value, *(None if end is None else 100 * end for end in ends)))
    return sorted(marks, key=lambda mark: -(mark.value or 0.0))


def _group_names(models: Models, grouping: str) -> list[str]:
    return list(dict.fromkeys(name for one in models for name in one.groups[grouping]))


def _in_group(one: ModelScores, grouping: str, name: str, metric: str) -> Estimate | None:
    metrics = one.groups[grouping].get(name)
    return metrics[metric] if metrics else None


def _row_shares(one: ModelScores) -> list[list[float | None]]:
    """The confusion matrix in percent of each row; a row without replies is undefined."""
    shares: list[list[float | None]] = []
    for cells in one.confusion.values():
        total = sum(cells.values())
        shares.append([100 * n / total if total else None for n in cells.values()])
    return shares


def _ordered_outcomes(one: ModelScores) -> dict[str, float | None]:
    """The two right outcomes first, so that their sum can be read off."""
    right = [name for name in one.outcomes if name.startswith("correct")]
    return {
        name: one.outcomes[name] for name in [*right, *(name for name in one.outcomes if name not in right)]
    }


def _refusals(one: ModelScores) -> int:
    return sum(n for cells in one.confusion.values() for code, n in cells.items() if code != NONE)


def _code_name(code: str) -> str:
    plain = {ANSWER_CORRECTLY: "answerable", NONE: "answered"}
    return plain.get(code) or code.removeprefix("REFUSE_").replace("_", " ").lower()


def _sum_guide(level: float) -> Guide:
    """All pairs whose mean is the level."""
    low, high = max(0.0, 2 * level - 1), min(1.0, 2 * level)
    xs = np.linspace(low, high, 3)
    return _guide(level, xs, lambda x: 2 * level - x)


def _product_guide(level: float) -> Guide:
    """All pairs whose product is the level."""
    return _guide(level, np.linspace(level, 1, 41), lambda x: level / x)


def _guide(level: float, xs: Iterable[float], y_of: Callable[[float], float]) -> Guide:
    listed = list(xs)
    return f"{100 * level:.0f}", [100 * x for x in listed], [100 * y_of(x) for x in listed]


def _percent(value: Estimate | None) -> float | None:
    return None if value is None or value.value is None else 100 * value.value


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _left_out(models: Models) -> tuple[str, ...]:
    left = len(models) - MAX_MODELS
    return (f"{left} more models have no figures of their own; the CSV files have them.",) if left > 0 else ()
