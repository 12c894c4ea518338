"""Sections of the Refusal Index page: iso-metric curves, stability over settings, and P(Answering) of sampled replies.

An iso-metric curve joins the points (refusal rate, correct-answer rate) at which a metric has the same value. A metric
that measures knowledge of errors, and not the readiness to refuse, keeps its value along the curve of a model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.metrics.inputs import Floats
from perturb.metrics.refusal_index import accuracy_refusal_curve
from perturb.reports.figures import (
    GREY,
    SERIES,
    Drawing,
    Mark,
    add_to_legend,
    draw_bars,
    draw_heat_map,
    plot_curve,
    plot_points,
    put_legend,
)
from perturb.reports.model import NUMBER, Figure, Section, Table, metric_columns
from perturb.reports.scores_breakdowns import mean_known
from perturb.reports.scores_figures import draw_reliability, plot_series
from perturb.scoring.datasets import group_name
from perturb.scoring.refusal_report import GroupResult, RefusalReport
from perturb.scoring.refusal_table import FORCED, GIVEN, METRICS, RANDOM, PromptAgreement, ranking_settings
from perturb.text.wording import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Indices whose curves are drawn behind the points.
ISO_LEVELS: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
# The refusal rates at which curves are computed.
_RATES = np.linspace(0, 1, 201)
# The names of the horizontal and the vertical axis.
_AXES = ("refusal rate", "correct-answer rate")
# The metrics whose curves are drawn, and their lines.
_LINE_STYLES = {"refusal_index": "-", "c_over_a": "--", "f_score": "-.", "weighted p=0.2": ":"}


def iso_curve(metric: str, value: float, refusal_rates: Floats, forced_accuracy: float) -> Floats:
    """The correct-answer rates at which a metric keeps its value as the refusal rate moves (figure 3 of the paper).

    C/A: c = v (1 - r); F: c = v (2 - r) / 2; weighted: c = v + p (1 - r); RI: `accuracy_refusal_curve`.

    >>> iso_curve("f_score", 0.4, np.array([0.0, 0.5]), 0.4).tolist()
    [0.4, 0.30000000000000004]
    """
    if metric == "refusal_index":
        return accuracy_refusal_curve(refusal_rates, forced_accuracy, value)
    answered = 1 - refusal_rates
    if metric == "c_over_a":
        return value * answered
    if metric == "f_score":
        return value * (1 + answered) / 2
    return value + float(metric.partition("=")[2]) * answered


def draw_iso_curves(groups: list[GroupResult]) -> Drawing:
    """One model's settings before curves of equal index, with the curve of their mean index."""
    accuracy = _forced_accuracy(groups)
    index = mean_known(group.metrics["refusal_index"].value for group in groups)

    def paint(axes: Axes) -> None:
        for level in ISO_LEVELS:
            curve = accuracy_refusal_curve(_RATES, accuracy, level)
            axes.plot(_RATES, curve, color=GREY, linewidth=0.8, zorder=1)
            # The index is written on its curve, where the curves lie farthest apart.
            middle = len(_RATES) // 2
            axes.annotate(f"{level:g}", (_RATES[middle], curve[middle]), color=GREY, fontsize=8)
        if index is not None:
            curve = accuracy_refusal_curve(_RATES, accuracy, index)
            words = (f"RI {index:.3f}", *_AXES)
            plot_curve(axes, (_RATES, curve), "-", words, color=SERIES[0][0], zorder=2)
        _paint_points(axes, groups, accuracy)

    return Drawing((5.6, 4.2), paint)


def draw_iso_metrics(groups: list[GroupResult]) -> Drawing:
    """One model's settings, and for each metric the curve on which it is equal to its mean over them."""
    accuracy = _forced_accuracy(groups)

    def paint(axes: Axes) -> None:
        for metric, style in _LINE_STYLES.items():
            value = mean_known(group.metrics[metric].value for group in groups)
            if value is not None:
                curve = iso_curve(metric, value, _RATES, accuracy)
                words = (f"{METRICS[metric]} {value:.3f}", *_AXES)
                look: Any = {"color": "black", "linewidth": 1.2, "label": METRICS[metric], "zorder": 2}
                plot_curve(axes, (_RATES, curve), style, words, **look)
        _paint_points(axes, groups, accuracy)

    return Drawing((5.6, 4.2), paint)


def _forced_accuracy(groups: list[GroupResult]) -> float:
    """The mean share of questions that are right if the model may not refuse."""
    indices = [group.index for group in groups if group.index is not None]
    # Wrong are n11 of the refused questions and n01 of the answered ones.
    return float(np.mean([1 - (index.n11 + index.n01) / index.n for index in indices]))


def _paint_points(axes: Axes, groups: list[GroupResult], accuracy: float) -> None:
    for number, group in enumerate(groups):
        colour, marker = SERIES[number % len(SERIES)]
        name = group.setting or "all rows"
        add_to_legend(axes, name, colour, marker)
        x, y, index = (group.metrics[key].value for key in ("refusal_rate", "correct_rate", "refusal_index"))
        if x is not None and y is not None:
            index_words = "" if index is None else f", RI {index:.3f}"
            text = f"{name}: refusal rate {x:.3f}, correct-answer rate {y:.3f}{index_words}"
            plot_points(axes, [(x, y, text)], marker, colour, markersize=8, zorder=6)
    axes.set(xlim=(0, 1), ylim=(0, max(accuracy * 1.1, 0.05)), xlabel=_AXES[0], ylabel=_AXES[1])
    axes.legend(frameon=False)


# How captions name the spreads of `subset_spreads`.
MEDIAN = "the median over models, data sets and settings"


def stability_section(report: RefusalReport) -> Section:
    """Each metric between settings, the ranking of models, and whether prompts agree on what is right."""
    tables = [
        Table.of(
            "stability",
            "Each metric between the settings of a model",
            "model = row.model | data set = row.dataset | metric | normalised difference = row.difference: number"
            " | coefficient of variation = row.cv: number",
            [{"metric": METRICS[row.metric], "row": row} for row in report.stability],
            note="Difference: most refusing setting minus least refusing one, over the absolute mean.",
        )
    ]
    if report.ranking:
        tables.append(_ranking_table(report))
    tables.append(
        Table.of(
            "agreement",
            "Agreement of prompts: the share of questions answered under both that both have right, or wrong",
            (
                "model | data set = dataset | prompt = a | other prompt = b | agreement: number"
                " | questions = agreement.n: count"
            ),
            report.agreement,
        )
    )
    figures = []
    if report.agreement:
        caption = "The mean over models and data sets; forced: the answers of the second pass."
        drawing = _draw_agreement(report.agreement)
        figures.append(Figure("agreement", "Agreement of prompts", caption, drawing))
    return Section("stability", "Stability", figures=figures, tables=tables)


def _ranking_table(report: RefusalReport) -> Table:
    """Table 3 of the paper: a row for each metric, W and winner entropy side by side."""
    suffixes = dict(zip(GIVEN, ("", " − correct", " − refused", " − both"), strict=True))
    columns = "metric"
    for measure, attribute in (("W", "kendalls_w"), ("H", "winner_entropy")):
        paths = {f"{given}.{attribute}": f"{measure}{suffix}" for given, suffix in suffixes.items()}
        columns += f" | {metric_columns('by_given', paths, NUMBER)}"
    rows = []
    for metric, heading in {RANDOM: "random", **METRICS}.items():
        by_given = {row.given: row for row in report.ranking if row.metric == metric}
        rows.append({"metric": heading, "by_given": by_given})
    note = (
        "W: Kendall's W, higher is steadier; H: winner entropy, lower is steadier. Minus: what follows from the rate of"
        " correct answers, of refusals or from both is taken out first. Random: what chance gives on average."
    )
    _, incomplete = ranking_settings(report.groups)
    if incomplete:
        names = listed([group_name(None, *setting) for setting in incomplete])
        note += f" Left out, since some model lacks a metric there: {names}."
    return Table.of("ranking", "The ranking of models over the settings", columns, rows, note)


def subset_spreads(groups: Sequence[GroupResult], sizes: Sequence[int]) -> dict[str, list[float | None]]:
    """Heading of each metric → the median over groups of its coefficient of variation at each size."""
    medians: dict[str, list[float | None]] = {}
    for metric, heading in METRICS.items():
        medians[heading] = []
        for size in sizes:
            spreads = [group.subset_cv.get(metric, {}).get(size) for group in groups]
            values = [spread.value for spread in spreads if spread and spread.value is not None]
            medians[heading].append(median(values) if values else None)
    return medians


def draw_spreads(sizes: Sequence[int], spreads: Mapping[str, Sequence[float | None]]) -> Drawing:
    """What `subset_spreads` returns as lines over the sizes (figure 10 of the paper); a spread of 0 is left out."""

    def paint(axes: Axes) -> None:
        for number, (heading, values) in enumerate(spreads.items()):
            marks = [
                (size, Mark(f"{heading}, {size:,} questions", value or None))
                for size, value in zip(sizes, values, strict=True)
            ]
            plot_series(axes, marks, heading, number, "-" if number < len(SERIES) else "--")
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set(ylim=(0, None), xlabel="questions", ylabel="coefficient of variation")
        axes.grid(axis="y")
        put_legend(axes, ncols=3, below=True)

    return Drawing((5.6, 4.2), paint)


def _draw_agreement(agreements: Sequence[PromptAgreement]) -> Drawing:
    """A heat map of prompts by prompts; the forced answers come last."""
    by_pair: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    for agreement in agreements:
        for pair in ((agreement.a, agreement.b), (agreement.b, agreement.a)):
            by_pair[pair].append(agreement.agreement.value)
    prompts = dict.fromkeys(name for agreement in agreements for name in (agreement.a, agreement.b))
    names = sorted(prompts, key=lambda name: name == FORCED)
    # Every prompt agrees with itself.
    by_pair |= {(name, name): [1.0] for name in names}
    grid = [[mean_known(by_pair[a, b]) for b in names] for a in names]
    return draw_heat_map(grid, names, names, limits=(0.5, 1), form=".2f")


def sampling_section(report: RefusalReport) -> Section | None:
    """The section on groups whose questions were asked several times; None without such a group."""
    sampled = by_model([group for group in report.groups if group.sampling is not None])
    if not sampled:
        return None
    figures = [
        Figure(
            f"p-answering-{number}",
            f"Reliability of P(Answering){f': {name}' if name else ''}",
            "Below the diagonal the model answers more often than it is right; larger points hold more questions.",
            draw_reliability([_reliability_series(group) for group in groups], "P(Answering)"),
        )
        for number, (name, groups) in enumerate(sampled.items(), start=1)
    ]
    if report.correlations:
        marks = [
            Mark(METRICS[correlation.metric], correlation.pearson) for correlation in report.correlations
        ]
        chart = draw_bars(marks, x_label="Pearson correlation with the AUROC", form=".2f")
        note = "Over models and settings: 1 where a metric ranks them as the AUROC of P(Answering) does."
        figures.append(Figure("auroc-correlations", "Correlation of each metric with the AUROC", note, chart))
    scores = Table.of(
        "p-answering",
        "Scores",
        "model | data set = dataset | setting | AUROC = sampling.auroc: number | ECE = sampling.ece: number",
        [group for groups in sampled.values() for group in groups],
    )
    correlations = Table.of(
        "auroc-correlations",
        "Correlation of each metric with the AUROC, over models and settings",
        "metric | Pearson = correlation.pearson: number | Spearman = correlation.spearman: number"
        " | n = correlation.n: count",
        [{"metric": METRICS[entry.metric], "correlation": entry} for entry in report.correlations],
    )
    sentence = (
        "P(Answering) is the share of a question's sampled replies that are not refusals. AUROC: how well it tells"
        " questions that the model gets right, forced to answer or not, from those it gets wrong."
    )
    return Section("sampling", "P(Answering)", (sentence,), figures, (scores, correlations))


def by_model(groups: Sequence[GroupResult]) -> dict[str, list[GroupResult]]:
    """The settings of each model on each data set, under the name of both."""
    by_name: dict[str, list[GroupResult]] = {}
    for group in groups:
        by_name.setdefault(", ".join(filter(None, (group.model, group.dataset))), []).append(group)
    return by_name


def _reliability_series(group: GroupResult) -> tuple[str, list[tuple[float, float, int]]]:
    """The name of a setting and its points for `draw_reliability`."""
    bins = group.sampling.reliability if group.sampling else ()
    return group.setting or "all rows", [(bin_.confidence, bin_.accuracy, bin_.n) for bin_ in bins]
