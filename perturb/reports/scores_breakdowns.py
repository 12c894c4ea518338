"""Chapters of the scores page that break results down by group or data set, or compare models.

A grouping, such as `class` or `lever`, divides the items of an evaluation into groups. `perturb.reports.model` says how
the columns of tables are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import mean

from perturb.metrics.inputs import Estimate, NamedEstimates
from perturb.reports.figures import Drawing, Mark, draw_heat_map, draw_intervals
from perturb.reports.model import CellFormat, Figure, Section, Table, TableRows, metric_columns
from perturb.reports.scores_figures import draw_grouped_bars
from perturb.scoring.datasets import AnswerGroup, DatasetMean
from perturb.scoring.model_scores import PARTS, ModelScores
from perturb.scoring.score_report import ScoreReport
from perturb.scoring.table import GROUPINGS

# The scores by which RefusalBench sums up a model, with their headings.
HEADLINES = {
    "calibrated_refusal_score": "CRS",
    "answer_accuracy": "answer accuracy",
    "refusal_accuracy": "refusal accuracy",
}
# The metrics of a breakdown, with their headings.
_GROUP_METRICS = {
    "answer_accuracy": "answer accuracy",
    "refusal_accuracy": "refusal accuracy",
    "calibrated_refusal_score": "CRS",
    "refusal_rate": "refusal rate",
}
# Those among them that also have a heat map of the classes.
_MAPPED_METRICS = ("answer_accuracy", "refusal_accuracy")
# The most rows of differences between models that the text and the page show.
_MOST_DIFFERENCES = 60
# The headings of `PARTS`.
_PART_HEADINGS = dict(zip(PARTS, ("eligible", "factual: all", "factual: signal", "RAF"), strict=True))

Models = Sequence[ModelScores]


def headline_figure(name: str, title: str, models: Mapping[str, Mapping[str, Estimate | None]]) -> Figure:
    """The headline scores of each model by its name."""
    series = [
        (heading, [Mark.of(model, scores[metric], 100) for model, scores in models.items()])
        for metric, heading in HEADLINES.items()
    ]
    caption = "95 % intervals. CRS, the calibrated refusal score, is the mean of the other two."
    return Figure(name, title, caption, draw_intervals(series, x_label="percent", limits=(-4, 104)))


def groups_section(models: Models, by: Collection[str]) -> Section:
    """Classes as heat maps; every breakdown as a table, those in `by` to be shown."""
    figures = [
        Figure(
            f"class-{metric.replace('_', '-')}",
            f"{_GROUP_METRICS[metric].capitalize()} by class",
            "In percent. NA: the class has no scored reply of this kind.",
            draw_group_map(models, "class", metric, group_names(models, "class")),
        )
        for metric in _MAPPED_METRICS
    ]
    tables = [
        _group_table(models, grouping, shown=grouping in (*by, "language"))
        for grouping in GROUPINGS
        if any(model.groups[grouping] for model in models)
    ]
    absent = [name for name in by if not any(model.groups[name] for model in models)]
    sentences = [
        "All items are in one language."
        if name == "language"
        else f"The results do not say the {name} of an item."
        for name in absent
    ]
    return Section("groups", "Classes and levers", sentences, figures=figures, tables=tables)


def answer_parts_section(models: Models) -> Section:
    """Of attempted answers to items with several passages: eligible, supported, and both."""
    series = [
        (heading, [model.answer_parts[name] for model in models]) for name, heading in _PART_HEADINGS.items()
    ]
    figure = Figure(
        "answer-parts",
        "Parts of answer quality",
        "Of answers to answerable items; refusals count in none. Eligible: does what was asked. Factual: all"
        " passages, or the signal passages alone, support every claim. RAF: eligible and factual by signal.",
        draw_grouped_bars([model.model for model in models], series, x_label="attempted answers"),
    )
    columns = f"model | {metric_columns('answer_parts', _PART_HEADINGS)} | judged answers = answer_parts.raf.n: count"
    legend = (
        "eligible: does what was asked; factual: all passages, or the signal passages alone, support every claim; RAF:"
        " eligible and factual by the signal passages."
    )
    table = Table.of("answer-parts", "Attempted answers, in percent", columns, models, note=legend)
    return Section("answers", "Answers that were attempted", figures=(figure,), tables=(table,))


def comparison_section(report: ScoreReport) -> Section:
    """Paired differences, own items, and items against their controls."""
    # The headline scores come first, and only they are shown in text; the others are in the CSV file.
    headlines = [comparison for comparison in report.comparisons if comparison.metric in HEADLINES]
    others = [comparison for comparison in report.comparisons if comparison.metric not in HEADLINES]
    differences = Table.of(
        "differences",
        "Differences on the same items, in percentage points",
        "metric | models | n = comparison.difference.n: count | difference = comparison.difference: change"
        " | p = comparison.p_value: number | p (Holm) = comparison.p_holm: number",
        [
            {
                "metric": _words(comparison.metric),
                "models": f"{comparison.a} - {comparison.b}",
                "comparison": comparison,
            }
            for comparison in [*headlines, *others]
        ],
        note="p-value of the difference; Holm: corrected for the number of pairs of models.",
        shown=min(_MOST_DIFFERENCES, len(headlines)),
    )
    own_items = Table.of(
        "own-items",
        "Items that a model generated itself, in percent and percentage points",
        "model = comparison.model | metric | own = comparison.own: percent | others = comparison.others: percent"
        " | difference = comparison.difference: change | beyond its peers = comparison.beyond_peers: change",
        [{"metric": _words(comparison.metric), "comparison": comparison} for comparison in report.own_items],
    )
    controls = Table.of(
        "controls",
        "Items against their unperturbed controls, in percent",
        "model | pairs: count | unread: count | refused controls = control_refusal_rate: percent"
        " | moved to refuse: unanswerable = flip_rate_unanswerable: percent"
        " | answerable = flip_rate_answerable: percent | moved to answer = answered_only_perturbed: percent",
        report.flips,
    )
    return Section("comparisons", "Comparisons", tables=(differences, own_items, controls))


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def _group_table(models: Models, grouping: str, *, shown: bool) -> Table:
    rows = []
    for name in group_names(models, grouping):
        for model in models:
            metrics = model.groups[grouping].get(name)
            if metrics:
                rows.append({"group": name, "model": model.model, "metrics": metrics})
    # Every reply that was read counts in the refusal rate.
    columns = (
        f"{grouping} = group | model | replies read = metrics.refusal_rate.n: count"
        f" | {metric_columns('metrics', _GROUP_METRICS)}"
    )
    n_shown = len(rows) if shown else 0
    return Table.of(f"by-{grouping}", f"By {grouping}, in percent", columns, rows, shown=n_shown)


def draw_group_map(models: Models, grouping: str, metric: str, names: Sequence[str]) -> Drawing:
    """A metric in percent, models × groups."""
    values = [[in_percent(in_group(model, grouping, name, metric)) for name in names] for model in models]
    return draw_heat_map(values, [model.model for model in models], names, limits=(0.0, 100.0), form=".0f")


def group_names(models: Models, grouping: str) -> list[str]:
    """The groups that some model has replies in."""
    return list(dict.fromkeys(name for model in models for name in model.groups[grouping]))


def in_group(model: ModelScores, grouping: str, name: str, metric: str) -> Estimate | None:
    """A metric of a model within a group; None if the model has no reply in it."""
    metrics = model.groups[grouping].get(name)
    return metrics[metric] if metrics else None


def in_percent(value: Estimate | None) -> float | None:
    """The value in percent; None if it is missing."""
    return None if value is None or value.value is None else 100 * value.value


def mean_known(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are not None; None without any."""
    defined = [value for value in values if value is not None]
    return mean(defined) if defined else None


# The note below the first table of `datasets_section`.
_MEANS_NOTE = (
    "Means are unweighted; the interval of a mean over data sets takes them as they are, not as a sample of more. The"
    " mean over models has none, since they answered the same questions."
)


def datasets_section(
    values: Iterable[tuple[AnswerGroup, NamedEstimates]],
    means: Sequence[DatasetMean],
    headings: Mapping[str, str],
    setting_heading: str,
) -> Section:
    """The section on metrics by data set. `headings` maps their names to headings, and the first one has a figure.

    `setting_heading` is `setting` or `elicitation`.
    """
    metrics_of = {(group.model, group.setting, group.dataset): metrics for group, metrics in values}
    datasets = tuple(dict.fromkeys(name for dataset_mean in means for name in dataset_mean.datasets))

    def on_dataset(dataset_mean: DatasetMean, dataset: str, metric: str) -> Estimate | None:
        return metrics_of.get((dataset_mean.model, dataset_mean.setting, dataset), {}).get(metric)

    columns: dict[str, CellFormat] = {"model": "text", setting_heading: "text"}
    for name in datasets:
        is_taken = name in (*columns, "mean")  # a data set may have the name of another column
        columns[f"{name}: data set" if is_taken else name] = "number"
    columns["mean"] = "number"
    tables: list[Table] = []
    for metric, heading in headings.items():
        rows: TableRows = []
        estimates_by_row = []
        for entry in means:
            estimates = [*(on_dataset(entry, name, metric) for name in datasets), entry.metrics[metric]]
            estimates_by_row.append(estimates)
            rows.append([entry.model or "", entry.setting or "", *estimates])
        if len(rows) > 1:
            columns_of_estimates = zip(*estimates_by_row, strict=True)
            rows.append(["mean", "", *map(_mean_over_models, columns_of_estimates)])
        # The note stands once, below the first table.
        tables.append(Table(f"datasets-{metric}", heading, columns, rows, "" if tables else _MEANS_NOTE))
    first_metric, heading = next(iter(headings.items()))
    series = []
    for name in datasets:
        marks = [Mark.of(_label(entry), on_dataset(entry, name, first_metric)) for entry in means]
        series.append((name, marks))
    figure = Figure(
        "datasets",
        f"{heading} by data set",
        "95 % intervals.",
        draw_intervals(series, x_label=heading, zero=True),
    )
    return Section("datasets", "Data sets", (), (figure,), tables)


def _label(dataset_mean: DatasetMean) -> str:
    return " / ".join(filter(None, (dataset_mean.model, dataset_mean.setting))) or "all rows"


def _mean_over_models(column: Iterable[Estimate | None]) -> float | None:
    """The mean over the models; None if a model lacks the value, since the others' mean would be of other models."""
    values = [estimate.value if estimate else None for estimate in column]
    return None if None in values else mean_known(values)
