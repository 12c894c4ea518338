"""The chapters of the report page on models under test that break results down or compare them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import mean

from perturb.metrics.estimates import Estimate
from perturb.report.figures import Drawing, Mark, draw_heat_map, draw_intervals
from perturb.report.model import COUNT, PERCENT, TEXT, CellValue, Figure, Section, Table, table_columns
from perturb.report.scores_figures import draw_grouped_bars
from perturb.score.answer_parts import PARTS
from perturb.score.model_scores import ModelScores
from perturb.score.score_report import ScoreReport
from perturb.score.table import GROUPINGS

HEADLINES: dict[str, str] = {
    "calibrated_refusal_score": "CRS",
    "answer_accuracy": "answer accuracy",
    "refusal_accuracy": "refusal accuracy",
}
"""The scores of RefusalBench that stand for all, with their headings."""
_GROUP_METRICS = {
    **{name: HEADLINES[name] for name in ("answer_accuracy", "refusal_accuracy", "calibrated_refusal_score")},
    "refusal_rate": "refusal rate",
}
_PART_HEADINGS = ("eligible", "factual: all", "factual: signal", "RAF")

Models = Sequence[ModelScores]


def headline_figure(name: str, title: str, models: Mapping[str, Mapping[str, Estimate | None]]) -> Figure:
    """The headline scores of each model by its name."""
    series = [
        (head, [Mark.of(model, scores[metric], 100) for model, scores in models.items()])
        for metric, head in HEADLINES.items()
    ]
    caption = "95 % intervals. CRS, the calibrated refusal score, is the mean of the other two."
    return Figure(name, title, caption, draw_intervals(series, x_label="percent", limits=(-4, 104)))


def groups_section(models: Models, by: Collection[str] = ("class", "intensity")) -> Section:
    """Classes as heat maps; every breakdown as a table, those in `by` to be shown."""
    figures = [
        Figure(
            f"class-{metric.replace('_', '-')}",
            f"{heading.capitalize()} by class",
            "In percent. NA: the class has no scored reply of this kind.",
            draw_group_map(models, "class", metric, group_names(models, "class")),
        )
        for metric, heading in list(_GROUP_METRICS.items())[:2]
    ]
    tables = [
        _group_table(models, grouping, shown=grouping in (*by, "language"))
        for grouping in GROUPINGS
        if any(one.groups[grouping] for one in models)
    ]
    lacking = [
        f"The results do not say the {name} of an item."
        if name != "language"
        else "All items are in one language."
        for name in by
        if not any(one.groups[name] for one in models)
    ]
    return Section("groups", "Classes and levers", lacking, figures=tuple(figures), tables=tuple(tables))


def answer_parts_section(models: Models) -> Section:
    """Of attempted answers to items with several passages: eligible, supported, and both."""
    parts = zip(PARTS, _PART_HEADINGS, strict=True)
    series = [(heading, [one.answer_parts[name] for one in models]) for name, heading in parts]
    figure = Figure(
        "answer-parts",
        "Parts of answer quality",
        "Of answers to answerable items; refusals count in none. Eligible: does what was asked. Factual: all"
        " passages, or the signal passages alone, support every claim. RAF: eligible and factual by signal.",
        draw_grouped_bars([one.model for one in models], series, x_label="attempted answers"),
    )
    columns = {"model": TEXT, **dict.fromkeys(_PART_HEADINGS, PERCENT), "judged answers": COUNT}
    rows: list[list[CellValue]] = [
        [one.model, *one.answer_parts.values(), one.answer_parts["raf"].n] for one in models
    ]
    table = Table("answer-parts", "Attempted answers, in percent", columns, rows)
    return Section("answers", "Answers that were attempted", figures=(figure,), tables=(table,))


def comparison_section(report: ScoreReport) -> Section:
    """Paired differences, own items, and items against their controls."""
    ordered = sorted(report.comparisons, key=lambda one: one.metric not in HEADLINES)
    differences = Table(
        "differences",
        "Differences on the same items, in percentage points",
        "metric | models | n: count | difference: change | p: number | p (Holm): number",
        [
            (_plain(one.metric), f"{one.a} - {one.b}", found.n, found, one.p_value, one.p_holm)
            for one in ordered
            for found in [one.difference]
        ],
        note="p: the level at which the interval of the difference ends at 0; Holm: over all pairs of models.",
        shown=min(60, sum(one.metric in HEADLINES for one in ordered)),
    )
    own = Table(
        "own-items",
        "Items that a model generated itself, in percent and percentage points",
        "model | metric | own: percent | others: percent | difference: change | beyond its peers: change",
        [
            (one.model, _plain(one.metric), one.own, one.others, one.difference, one.beyond_peers)
            for one in report.own_items
        ],
    )
    rates = ("refused controls", "moved to refuse: unanswerable", "answerable", "moved to answer")
    controls = Table(
        "controls",
        "Items against their unperturbed controls, in percent",
        table_columns("model | pairs: count | unread: count") | dict.fromkeys(rates, PERCENT),
        [
            (
                *(one.model, one.pairs, one.unread, one.control_refusal_rate),
                *(one.flip_rate_unanswerable, one.flip_rate_answerable, one.answered_only_perturbed),
            )
            for one in report.flips
        ],
    )
    return Section("comparisons", "Comparisons", tables=(differences, own, controls))


def _plain(metric: str) -> str:
    return metric.replace("_", " ")


def _group_table(models: Models, grouping: str, *, shown: bool) -> Table:
    rows: list[list[CellValue]] = [
        [name, one.model, metrics["refusal_rate"].n, *(metrics[metric] for metric in _GROUP_METRICS)]
        for name in group_names(models, grouping)
        for one in models
        if (metrics := one.groups[grouping].get(name))
    ]
    columns = table_columns(f"{grouping} | model | read: count")
    columns |= dict.fromkeys(_GROUP_METRICS.values(), PERCENT)
    most = len(rows) if shown else 0
    return Table(f"by-{grouping}", f"By {grouping}, in percent", columns, rows, shown=most)


def draw_group_map(models: Models, grouping: str, metric: str, names: Sequence[str]) -> Drawing:
    """A metric in percent, models × groups."""
    values = [[in_percent(in_group(one, grouping, name, metric)) for name in names] for one in models]
    return draw_heat_map(values, [one.model for one in models], names, limits=(0.0, 100.0), form=".0f")


def group_names(models: Models, grouping: str) -> list[str]:
    """The groups that some model has replies in."""
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
