"""Chapters of the scores page on prompt settings, samples, domains and item response.

Settings: the exam gap, both readings, and what free replies do. Samples: replies drawn more than once. Domains: items,
the best model and what is hard in each (RefusalBench, figures 7 and 28 to 30). Item response: abilities of models,
difficulties of cells and items, information. FRR is the false refusal rate, CRS the calibrated refusal score.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from perturb.metrics.inputs import Estimate
from perturb.metrics.item_response import PRIORS
from perturb.metrics.outcomes import BehaviourKind
from perturb.reports.figures import SERIES, Drawing, Mark, draw_bars, draw_intervals, plot_points, put_legend
from perturb.reports.model import Figure, Section, Table, TableRows, metric_columns
from perturb.reports.scores_breakdowns import (
    Models,
    draw_group_map,
    group_names,
    in_group,
    in_percent,
    mean_known,
)
from perturb.reports.scores_figures import draw_grouped_bars, draw_stacks
from perturb.scoring.item_response import ABILITIES, ItemResponseReport, Scale
from perturb.scoring.score_report import ScoreReport
from perturb.scoring.settings import ALL_CLASSES, KindCount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The metrics that the two readings of free replies change, with their headings.
_READING_METRICS = {
    "refusal_accuracy": "refusal accuracy",
    "correct_refusal_rate": "correct refusal rate",
    "false_refusal_rate": "FRR",
    "answer_accuracy": "answer accuracy",
    "calibrated_refusal_score": "CRS",
}


def settings_section(report: ScoreReport) -> Section:
    """Settings beside each other; for reports with exam gaps or kinds of free replies."""
    sentences = [
        "Free replies are read twice. Strict: only a reply that offers nothing as an answer is a refusal. Lenient: a"
        " list without a preference is a refusal too. The other chapters have the strict reading."
    ]
    figures = [_kinds_figure(report.kinds)] if report.kinds else []
    tables = [_gap_table(report), _readings_table(report), _kinds_table(report.kinds)]
    return Section("settings", "Prompt settings", sentences if report.kinds else (), figures, tables)


def samples_section(report: ScoreReport) -> Section:
    """How often models behave differently on the same item; for reports with samples."""
    flips = Table.of(
        "flips",
        "Behaviour on the same item, by model and class, in percent",
        "model = flips.model | class | items = flips.items: count | samples = flips.samples: number"
        " | answered and refused = flips.flips: percent | two replies differ = flips.disagreement: percent",
        [{"class": _class_name(flips.perturbation_class), "flips": flips} for flips in report.samples],
        note="Two replies differ if one answers and the other refuses, or if they refuse with two codes. More samples"
        " find more items that are both answered and refused; the chance that two replies differ stays.",
    )
    errors = Table.of(
        "sample-errors",
        "Standard errors in two parts, in percent",
        "model = error.model | metric | all = error.se: percent | items = error.se_items: percent"
        " | replies = error.se_replies: percent | variance within items = error.within: percent",
        [{"metric": error.metric.replace("_", " "), "error": error} for error in report.sample_errors],
        note="More samples lower the part of the replies, more items lower both: see `perturb power --replies`.",
    )
    return Section("samples", "Replies drawn more than once", tables=(flips, errors))


def _class_name(perturbation_class: str) -> str:
    return "all classes" if perturbation_class == ALL_CLASSES else perturbation_class


def _gap_table(report: ScoreReport) -> Table:
    """A row for each model, setting, reading and class; the JSON of `score` has every metric.

    Columns: the value in the setting with the refusal codes in the prompt, the value in the other setting, and the gap.
    """
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for gap in report.exam_gaps:
        class_name = _class_name(gap.perturbation_class)
        row = rows.setdefault((gap.model, gap.prompt, gap.reading, class_name), {"class": class_name})
        row[gap.metric] = gap
    return Table.of(
        "exam-gap",
        "Exam gap: refusal accuracy with the codes, in the other setting, and the difference, in percent",
        "model = refusal_accuracy.model | prompt = refusal_accuracy.prompt | reading = refusal_accuracy.reading | class"
        " | codes = refusal_accuracy.codes: percent | other = refusal_accuracy.other: percent"
        " | gap = refusal_accuracy.difference: percent | gap of FRR = false_refusal_rate.difference: percent",
        rows.values(),
    )


def _readings_table(report: ScoreReport) -> Table:
    lenient = {model.model: model for model in report.lenient}
    rows = []
    for model in report.models:
        rows.append({"reading": "strict", "scores": model})
        if model.model in lenient:
            rows.append({"reading": "lenient", "scores": lenient[model.model]})
    columns = f"model = scores.model | reading | {metric_columns('scores.metrics', _READING_METRICS)}"
    return Table.of("readings", "Both readings of free replies, in percent", columns, rows if lenient else [])


def _kinds_table(kinds: Sequence[KindCount]) -> Table:
    rows = [
        {
            "to do": "answer" if count.answerable else "refuse",
            "kind": count.kind.replace("_", " "),
            "count": count,
        }
        for count in kinds
    ]
    columns = "model = count.model | class = count.perturbation_class | to do | kind | replies = count.replies: count"
    return Table.of("kinds", "What free replies do", columns, rows)


def _kinds_figure(kinds: Sequence[KindCount]) -> Figure:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for count in kinds:
        if not count.answerable:
            counts[f"{count.model}: {count.perturbation_class}"][count.kind] = count.replies
    kinds_shown = (*BehaviourKind, "unscored")
    shares: dict[str, dict[str, float | None]] = {}
    for label, n_of_kind in counts.items():
        shares[label] = {kind: n_of_kind[kind] / n_of_kind.total() for kind in kinds_shown}
    if not shares:  # a single bar then says NA
        shares["no such item"] = dict.fromkeys(kinds_shown)
    return Figure(
        "kinds",
        "What free replies do to items that cannot be answered",
        "By model and class, in percent of the replies.",
        draw_stacks(list(shares), list(shares.values())),
    )


# Domains that figures show; tables have all.
MAX_DOMAINS = 30


def domains_section(models: Models) -> Section:
    """Items, best models, difficulty of answering and of refusing, and the models' scores, domain by domain."""
    quality_known = any(model.metrics["answer_quality"].value is not None for model in models)
    answering = "answer_quality" if quality_known else "answer_accuracy"
    names = group_names(models, "domain")
    difficulties = {name: _difficulties(models, name, answering) for name in names}
    # A domain whose difficulty is unknown comes last.
    ranked = sorted(names, key=lambda name: -(difficulties[name].both or 0.0))
    figures = _domain_figures(models, answering, ranked[:MAX_DOMAINS], difficulties)
    table = _domains_table(models, answering, ranked, difficulties)
    left_out = len(names) - MAX_DOMAINS
    sentences = (f"{left_out} more domains are in the tables only.",) if left_out > 0 else ()
    return Section("domains", "Domains", sentences, figures, (table,))


def _domain_figures(
    models: Models, answering: str, hardest: Sequence[str], difficulties: Mapping[str, _Difficulties]
) -> list[Figure]:
    """Scores, difficulties, and a heat map of each metric; `answering` is the metric of answers."""
    figures = []
    marks = _domain_scores(models)[:MAX_DOMAINS]
    if marks:
        whose = "Mean over the models" if len(models) > 1 else f"Of {models[0].model}, with 95 % intervals"
        chart = draw_bars(marks, x_label="CRS, percent", form=".1f")
        figures.append(
            Figure("domains", "Domains by calibrated refusal score", f"{whose}, highest first.", chart)
        )
    bars = [
        (task, [Estimate(getattr(difficulties[name], task)) for name in hardest])
        for task in ("answering", "refusing")
    ]
    figures.append(
        Figure(
            "domain-difficulty",
            "Difficulty of domains",
            "100 less the mean over the models; the domain that is hardest in both together comes first.",
            draw_grouped_bars(hardest, bars, x_label="difficulty"),
        )
    )
    for metric in (answering, "refusal_accuracy"):
        figures.append(
            Figure(
                f"domain-{metric.replace('_', '-')}",
                f"{metric.replace('_', ' ').capitalize()} by domain",
                "In percent; the hardest domain comes first.",
                draw_group_map(models, "domain", metric, hardest),
            )
        )
    return figures


def _domains_table(
    models: Models, answering: str, ranked: Sequence[str], difficulties: Mapping[str, _Difficulties]
) -> Table:
    n_items = {name: _count_items(models, name) for name in ranked}
    total = max(1, sum(n_items.values()))  # at least 1, since shares are divided by it
    rows: TableRows = []
    for name in ranked:
        best = [_best_models(models, name, metric) for metric in (answering, "refusal_accuracy")]
        rows.append([name, n_items[name], n_items[name] / total, *best, *difficulties[name]])
    return Table(
        "domains",
        "Domains: items, the best models and the difficulty, in percent",
        "domain | items: count | share: share | best at answering | best at refusing"
        " | answering is hard: percent | refusing is hard: percent | both: percent",
        rows,
    )


def _count_items(models: Models, name: str) -> int:
    """The largest number of items of a domain that a model replied to. Every reply counts in the refusal rate."""
    rates = [in_group(model, "domain", name, "refusal_rate") for model in models]
    return max(value.n for value in rates if value is not None)


def _best_models(models: Models, name: str, metric: str) -> str | None:
    """The models with the highest value in a domain, and the value in percent."""
    values = {model.model: in_percent(in_group(model, "domain", name, metric)) for model in models}
    defined = {model: value for model, value in values.items() if value is not None}
    if not defined:
        return None
    best = max(defined.values())
    return f"{', '.join(model for model, value in defined.items() if value == best)} ({best:.1f})"


class _Difficulties(NamedTuple):
    """1 minus the mean of a metric over the models, from 0 to 1; None if no model has it."""

    answering: float | None
    refusing: float | None
    both: float | None


def _difficulties(models: Models, name: str, answering: str) -> _Difficulties:
    """How hard a domain is; `answering` is the metric of answers."""

    def difficulty(metric: str) -> float | None:
        estimates = [in_group(model, "domain", name, metric) for model in models]
        mean = mean_known(None if estimate is None else estimate.value for estimate in estimates)
        return None if mean is None else 1 - mean

    of_answering, of_refusing = difficulty(answering), difficulty("refusal_accuracy")
    is_known = of_answering is not None and of_refusing is not None
    return _Difficulties(
        of_answering, of_refusing, mean_known((of_answering, of_refusing)) if is_known else None
    )


def _domain_scores(models: Models) -> list[Mark]:
    """The calibrated refusal score of each domain: of a single model with its interval, or the mean of several."""
    marks = []
    for name in group_names(models, "domain"):
        estimates = [in_group(model, "domain", name, "calibrated_refusal_score") for model in models]
        value = mean_known(in_percent(estimate) for estimate in estimates)
        if value is not None:
            # Models answer the same items, so a mean over them has no interval of its own.
            marks.append(Mark.of(name, estimates[0], 100) if len(models) == 1 else Mark(name, value))
    return sorted(marks, key=lambda mark: -(mark.value or 0.0))


# Below this reliability, more than half of the spread of a figure comes from the prior.
_LOW_RELIABILITY = 0.5
# Rows of the table of hardest items; the CSV file has all items.
_ITEMS_SHOWN = 10


def item_response_section(report: ItemResponseReport) -> Section:
    """The section on the two-parameter model: abilities, cells and items."""
    fitted = [scale for scale in report.scales if scale.fit is not None]
    abilities = [(scale.name, [Mark.of(*entry) for entry in scale.models]) for scale in fitted]
    figures = [
        Figure(
            "abilities",
            "Ability of models",
            "In logits; 0 is the mean of the models, apart for answering and refusing. 95 % intervals.",
            draw_intervals(abilities, x_label="ability", zero=True),
        ),
        *(
            Figure(
                f"difficulty-{scale.name}",
                f"Difficulty of cells: {scale.name}",
                "Mean of a cell's items in logits, with 95 % intervals; a model of mean ability is right on half of"
                " such items at 0, on fewer to the right.",
                draw_intervals(
                    [(scale.name, [Mark.of(*entry) for entry in scale.cells])],
                    x_label="difficulty",
                    zero=True,
                ),
            )
            for scale in fitted
        ),
        Figure(
            "information",
            "Information of the items",
            "How precisely the items place a further model of an ability: the standard error is 1 / √information. The"
            " marks are the models.",
            _draw_information(fitted),
        ),
    ]
    sentences = (*_describe_fits(report), f"Priors: {PRIORS}.")
    return Section("item-response", "Item response theory", sentences, figures, _fit_tables(fitted))


def _describe_fits(report: ItemResponseReport) -> Iterator[str]:
    yield (
        "The two-parameter logistic model, fitted to answering and refusing apart; unscored replies are left out."
    )
    for scale in report.scales:
        if scale.fit is None:
            yield f"No fit for {scale.name}: {scale.reason}."
            continue
        difficulty, slope = scale.fit.difficulty_reliability, scale.fit.discrimination_reliability
        yield (
            f"{scale.name.capitalize()}: {len(scale.items):,} items; reliability of their difficulties"
            f" {difficulty:.2f}, of their discriminations {slope:.2f}."
        )
        if slope < _LOW_RELIABILITY:
            yield (
                f"So few models say little about how {scale.name} items discriminate: those figures are mostly prior."
            )
        if not scale.fit.converged:
            yield f"The fit of {scale.name} did not converge ({scale.fit.message}): do not quote it."


def _fit_tables(fitted: list[Scale]) -> list[Table]:
    models = [(scale.name, name, ability, ability.n) for scale in fitted for name, ability in scale.models]
    cells = [(scale.name, name, value, value.n) for scale in fitted for name, value in scale.cells]
    hardest = sorted((item for scale in fitted for item in scale.items), key=lambda item: -item.difficulty)
    return [
        Table("abilities", "Ability in logits", "scale | model | ability: number | replies: count", models),
        Table(
            "cell-difficulty",
            "Difficulty of cells in logits",
            "scale | cell | difficulty: number | items: count",
            cells,
        ),
        Table.of(
            "group-difficulty",
            "Cells, levers and constructions: means of their items",
            "by = grouping | name | items = n: count | difficulty: number | discrimination: number",
            [group for scale in fitted for group in scale.groups],
        ),
        Table.of(
            "item-difficulty",
            f"The {_ITEMS_SHOWN} hardest items, by posterior mean, with standard deviations",
            "item = item_id | cell | difficulty: number | SD = difficulty_se: number"
            " | discrimination: number | its SD = discrimination_se: number",
            hardest,
            shown=_ITEMS_SHOWN,
        ),
    ]


def _draw_information(fitted: list[Scale]) -> Drawing:
    def paint(axes: Axes) -> None:
        for number, scale in enumerate(fitted):
            if scale.fit is None:
                continue
            colour, marker = SERIES[number]  # there are two scales: answering and refusing
            axes.plot(ABILITIES, scale.fit.information(ABILITIES), color=colour, label=scale.name)
            defined = [(name, value.value) for name, value in scale.models if value.value is not None]
            heights = scale.fit.information([ability for _, ability in defined])
            points = (
                (x, y, f"{name}: ability {x:.2f}, information {y:.2f}")
                for (name, x), y in zip(defined, heights, strict=True)
            )
            plot_points(axes, points, marker, colour)
        axes.set(xlabel="ability", ylabel="information", ylim=(0, None))
        axes.grid(axis="y")
        put_legend(axes, ncols=2)

    return Drawing((5.4, 3.4), paint)
