"""The report page on stated confidence: scores with intervals, confidence by model, and the effect of calibration.

BAS is the Behavioral Alignment Score, the utility of acting on stated confidence. An *elicitation* is a way to ask for
confidence. A *group* is the replies of a model to a data set under one elicitation. A *map* takes stated confidence to
calibrated confidence. ECE, the expected calibration error, and AURC, the area under the risk-coverage curve, are other
metrics of confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.metrics.bas import PRIORS, decision_curve
from perturb.metrics.bas_report import HIGHER_IS_BETTER
from perturb.metrics.calibration import reliability_bins, risk_coverage_curve
from perturb.metrics.inputs import Floats
from perturb.records import JsonObject
from perturb.reports.figures import (
    BLUE,
    GREY,
    SERIES,
    VERMILLION,
    Drawing,
    Mark,
    add_to_legend,
    describe,
    draw_heat_map,
    draw_intervals,
    hover,
    plot_curve,
    plot_points,
    put_legend,
)
from perturb.reports.model import Figure, Report, Section, Table
from perturb.reports.scores_breakdowns import datasets_section
from perturb.reports.scores_figures import draw_reliability
from perturb.scoring.confidence_report import ConfidenceScores, GroupCalibration, GroupScores, Transfer
from perturb.scoring.confidence_table import ConfidenceGroup
from perturb.text.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The columns that name a group, in tables whose items have the attribute or key `group`.
_GROUP_COLUMNS = "model = group.model | data set = group.dataset | elicitation = group.elicitation"
# Groups that get figures of their own.
MAX_GROUPS = 12
# Points of a risk-coverage curve that are drawn, however many answers there are.
_MAX_POINTS = 400
# Utility is drawn up to a threshold of 0.95; above it one wrong answer costs more than 19 right answers gain.
_THRESHOLDS = np.linspace(0, 0.95, 96)
# Metric → its heading; other metrics are headed by their name.
_HEADINGS = {
    "bas_uniform": "BAS",
    "bas_linear": "BAS linear",
    "bas_quadratic": "BAS quadratic",
    "ece": "ECE",
    "aurc": "AURC",
    "brier": "Brier",
    "log_loss": "log loss",
}


def calibration_section(calibrations: Sequence[GroupCalibration]) -> Section:
    """Scores before and after calibration, the maps, and the ablation over calibration sizes."""
    tables = [_before_and_after(calibrations)]
    if any(calibration.ablation for calibration in calibrations):
        tables.append(_ablation_table(calibrations))
    maps = [
        Figure(
            f"map-{number}",
            f"Calibration maps: {calibration.group.name}",
            "Below the diagonal confidence is taken down. The ticks below the axis are the values that were stated.",
            _draw_maps(calibration),
        )
        for number, calibration in enumerate(calibrations[:MAX_GROUPS], start=1)
    ]
    figures = (_before_after_figure(calibrations), *maps)
    return Section("calibration", "Calibration", (), figures, tables)


def _ablation_table(calibrations: Sequence[GroupCalibration]) -> Table:
    draws = counted(calibrations[0].ablation[0].repeats, "draw")
    return Table.of(
        "ablation",
        f"Isotonic regression by calibration size: mean and standard deviation of {draws}",
        f"{_GROUP_COLUMNS} | size = row.size: count"
        " | BAS = row.bas.mean: number | BAS sd = row.bas.sd: number"
        " | ECE = row.ece.mean: number | ECE sd = row.ece.sd: number"
        " | AURC = row.aurc.mean: number | AURC sd = row.aurc.sd: number",
        [
            {"group": calibration.group, "row": row}
            for calibration in calibrations
            for row in calibration.ablation
        ],
    )


def _before_after_figure(calibrations: Sequence[GroupCalibration]) -> Figure:
    before, after = [], []
    for calibration in calibrations:
        name, scores = calibration.group.name, calibration.scores
        first_report, *_ = scores.after.values()  # the maps are in the order of the table
        before.append(Mark.of(name, scores.before.metrics["bas_uniform"]))
        after.append(Mark.of(name, first_report.metrics["bas_uniform"]))
    return Figure(
        "calibration",
        "BAS before and after calibration",
        "95 % intervals on the scored rows; calibrated by the first map of each group in the table below.",
        draw_intervals([("as stated", before), ("calibrated", after)], x_label="BAS", zero=True),
    )


def _before_and_after(calibrations: Sequence[GroupCalibration]) -> Table:
    """For each group a row with the scores as stated, then a row for each map."""
    compared: list[JsonObject] = []
    for calibration in calibrations:
        scores = calibration.scores
        shared = {"group": calibration.group, "scores": scores}
        compared.append({**shared, "map": "as stated", "metrics": scores.before.metrics, "gain": "-"})
        for method, after in scores.after.items():
            compared.append({**shared, "map": method, "metrics": after.metrics, "gain": scores.gains[method]})
    return Table.of(
        "calibration",
        "Before and after, on rows that no map has learned from",
        f"{_GROUP_COLUMNS} | map | fitted on = scores.n_calibration: count | scored = scores.n_scored: count"
        " | BAS = metrics.bas_uniform: number | ECE = metrics.ece: number | AURC = metrics.aurc: number"
        " | gain in BAS = gain: number",
        compared,
    )


def _draw_maps(calibration: GroupCalibration) -> Drawing:
    """Calibrated over stated confidence (figure A5 of the paper), with a tick for each stated value."""
    confidences = np.linspace(0, 1, 401)

    def paint(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for number, (method, fitted) in enumerate(calibration.scores.maps.items()):
            style = ("-", "--", "-.", ":")[number % 4]
            look: Any = {"color": SERIES[number % len(SERIES)][0], "label": method}
            words = (method, "stated", "calibrated")
            plot_curve(axes, (confidences, fitted.apply(confidences)), style, words, **look)
        values = np.unique(calibration.group.confidence)[:400]  # more ticks would form a solid bar
        axes.plot(values, np.full(len(values), -0.03), "|", color="black", markersize=6)
        axes.set(xlabel="stated confidence", ylabel="calibrated confidence")
        axes.legend(frameon=False)

    return Drawing((4.6, 3.8), paint)


def transfer_section(transfers: Sequence[Transfer]) -> Section:
    """Maps fitted on one data set and scored on another."""
    datasets = list(dict.fromkeys(transfer.fitted_on for transfer in transfers))
    models = dict.fromkeys((transfer.model, transfer.elicitation) for transfer in transfers)
    figures = []
    for number, (model, elicitation) in enumerate(models, start=1):
        gains = {
            (transfer.fitted_on, transfer.scored_on): transfer.gain.value
            for transfer in transfers
            if (transfer.model, transfer.elicitation) == (model, elicitation)
        }
        # Limits on both sides of 0, so that the middle colour means no gain and no harm.
        largest = max((abs(gain) for gain in gains.values() if gain is not None), default=1.0)
        grid = [[gains.get((fitted_on, scored_on)) for scored_on in datasets] for fitted_on in datasets]
        limits = (-largest, largest)
        figures.append(
            Figure(
                f"transfer-{number}",
                f"Gain in BAS across data sets: {' / '.join(filter(None, (model, elicitation)))}",
                "Rows: where the map was fitted; columns: where it was scored. Below 0 it did harm.",
                draw_heat_map(grid, datasets, datasets, limits=limits, form="+.2f", cell_width=1.0),
            )
        )
    sentence = (
        "On the diagonal a map is fitted on a share of a data set and scored on the rest; elsewhere on all of one"
        " data set and scored on the other. No row that a map has learned from is scored."
    )
    table = Table.of(
        "transfer",
        f"Maps across data sets: {transfers[0].method}",
        "model | elicitation | fitted on = fitted_on | scored on = scored_on"
        " | scored = before.n: count | BAS before = before.metrics.bas_uniform: number"
        " | BAS after = after.metrics.bas_uniform: number | gain: number"
        " | ECE before = before.metrics.ece: number | ECE after = after.metrics.ece: number",
        transfers,
    )
    return Section("transfer", "Across data sets", (sentence,), figures, (table,))


def make_bas_page(
    scores: ConfidenceScores,
    source: str,
    calibrations: Sequence[GroupCalibration] = (),
    transfers: Sequence[Transfer] = (),
) -> Report:
    """The page of the scores, with chapters on calibration and transfer if those were measured."""
    sections = [_scores_section(scores)]
    if scores.means:
        headings = {name: _heading(name) for name in ("bas_uniform", "accuracy", "ece", "aurc")}
        values = ((scored.group, scored.report.metrics) for scored in scores.groups)
        sections.append(datasets_section(values, scores.means, headings, "elicitation"))
    sections += [_decisions_section(scores), _single_groups_section(scores)]
    if len(scores.groups) > 1:
        sections.append(_against_others_section(scores))
    if calibrations:
        sections.append(calibration_section(calibrations))
    if transfers:
        sections.append(transfer_section(transfers))
    return Report("Behavioral Alignment Score", source, sections)


def _scores_section(scores: ConfidenceScores) -> Section:
    series = []
    for prior in PRIORS:
        marks = [
            Mark.of(scored.group.name, scored.report.metrics[f"bas_{prior}"]) for scored in scores.groups
        ]
        series.append((prior, marks))
    figure = Figure(
        "bas",
        "Behavioral Alignment Score",
        "95 % intervals. 0 is what always abstaining earns; linear and quadratic priors weigh cautious users more.",
        draw_intervals(series, x_label="BAS", zero=True),
    )
    differences = Table(
        "differences",
        "Differences in BAS on the same questions",
        "models | questions: count | difference: number",
        [(f"{entry.a} - {entry.b}", entry.bas.n, entry.bas) for entry in scores.differences],
    )
    tables = (_score_table(scores), _companion_table(scores), differences)
    warnings = [warning for scored in scores.groups for warning in scored.group.warnings]
    return Section("scores", "Scores", warnings, (figure,), tables)


def _metrics_table(
    scores: ConfidenceScores, name: str, title: str, metrics: Iterable[str], last_columns: str, note: str
) -> Table:
    """A row for each group with its metrics. `last_columns` is empty or ends the columns, as in `Table.of`."""
    metric_columns = (f" | {_heading(metric)} = report.metrics.{metric}: number" for metric in metrics)
    columns = (
        f"{_GROUP_COLUMNS} | n = report.n: count | unscored = group.unscored: count{''.join(metric_columns)}"
    )
    return Table.of(name, title, columns + last_columns, scores.groups, note)


def _score_table(scores: ConfidenceScores) -> Table:
    """The metrics for which higher is better."""
    metrics = (metric for metric, is_higher in HIGHER_IS_BETTER.items() if is_higher)
    weight = scores.groups[0].weight
    weighted_column = f" | BAS, w = {weight} = weighted: number" if weight else ""
    return _metrics_table(
        scores, "scores", "Scores with 95 % intervals", metrics, weighted_column, "Higher is better."
    )


def _companion_table(scores: ConfidenceScores) -> Table:
    """The metrics for which lower is better."""
    metrics = (metric for metric, is_higher in HIGHER_IS_BETTER.items() if not is_higher)
    columns = (
        " | ECE debiased = report.debiased_ece: number | p calibrated = report.calibration_p_value: number"
    )
    note = (
        f"Lower is better. ECE over {scores.groups[0].report.bins} bins of equal width. With few answers ECE is above 0"
        " even if the model is calibrated: debiased subtracts the part that resampling puts down to chance, and p is"
        " how often a calibrated model would have at least this ECE."
    )
    return _metrics_table(scores, "companions", "Calibration with 95 % intervals", metrics, columns, note)


def _decisions_section(scores: ConfidenceScores) -> Section:
    figures = (
        Figure(
            "decision-curve",
            "Utility by risk threshold",
            "Mean gain of a user who acts on answers with at least the confidence t, gains 1 when right and loses"
            " t/(1 - t) when wrong. The area below a curve is the BAS.",
            _draw_curves(
                scores, _utility_curve, "risk threshold t", "mean utility", "bas_uniform", zero=True
            ),
        ),
        Figure(
            "risk-coverage",
            "Risk by coverage",
            "Share of errors among the most confident answers, as more of them are kept. The mean height is the AURC.",
            _draw_curves(scores, _risk_curve, "share of answers kept", "share of errors among them", "aurc"),
        ),
    )
    return Section("decisions", "Decisions", figures=figures)


def _utility_curve(group: ConfidenceGroup) -> tuple[Floats, Floats]:
    return _THRESHOLDS, decision_curve(group.correct, group.confidence, _THRESHOLDS).utility


def _risk_curve(group: ConfidenceGroup) -> tuple[Floats, Floats]:
    curve = risk_coverage_curve(group.correct, group.confidence)
    # Evenly spread points, with the first and the last one.
    indices = np.unique(np.linspace(0, len(curve.risk) - 1, _MAX_POINTS).astype(int))
    return curve.coverage[indices], curve.risk[indices]


def _draw_curves(
    scores: ConfidenceScores,
    curve_of: Callable[[ConfidenceGroup], tuple[Floats, Floats]],
    x_label: str,
    y_label: str,
    area: str,
    *,
    zero: bool = False,
) -> Drawing:
    """A curve for each group; its hover text gives the metric `area`, which is the area below the curve.

    `zero` draws a line at 0.
    """

    def paint(axes: Axes) -> None:
        if zero:
            axes.axhline(0, color=GREY, linewidth=0.8)
        for number, scored in enumerate(scores.groups[:MAX_GROUPS]):
            colour, _ = SERIES[number % len(SERIES)]
            style = ("-", "--")[number // len(SERIES) % 2]
            mark = Mark.of(f"{scored.group.name}, {_heading(area)}", scored.report.metrics[area])
            words = (describe(mark, ".3f"), x_label, y_label)
            plot_curve(axes, curve_of(scored.group), style, words, color=colour, label=scored.group.name[:40])
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.legend(frameon=False, fontsize=8)

    return Drawing((5.6, 3.8), paint)


def _single_groups_section(scores: ConfidenceScores) -> Section:
    figures = []
    for number, scored in enumerate(scores.groups[:MAX_GROUPS], start=1):
        cells = reliability_bins(scored.group.correct, scored.group.confidence, bins=scored.report.bins)
        figures += [
            Figure(
                f"confidence-{number}",
                f"Stated confidence: {scored.group.name}",
                "Right answers above the line, wrong ones below it.",
                _draw_histogram(scored),
            ),
            Figure(
                f"reliability-{number}",
                f"Reliability: {scored.group.name}",
                "Accuracy by stated confidence; below the diagonal the model is overconfident. Larger points stand for"
                " more answers.",
                draw_reliability([("answers", [(cell.confidence, cell.accuracy, cell.n) for cell in cells])]),
            ),
        ]
    left_out = len(scores.groups) - MAX_GROUPS
    sentences = (f"{left_out} more groups have no figures here.",) if left_out > 0 else ()
    return Section("confidence", "Confidence", sentences, figures)


def _draw_histogram(scored: GroupScores) -> Drawing:
    """Counts of stated confidence, right answers upwards and wrong ones downwards."""
    edges = np.linspace(0, 1, 21)
    confidence, correct = scored.group.confidence, scored.group.correct
    series = (
        ("right", confidence[correct], 1, BLUE, None),
        ("wrong", confidence[~correct], -1, VERMILLION, "///"),
    )

    def paint(axes: Axes) -> None:
        for name, confidences, direction, colour, hatch in series:
            counts, _ = np.histogram(confidences, edges)
            look: Any = {
                "width": 0.05,
                "align": "edge",
                "edgecolor": "white",
                "color": colour,
                "hatch": hatch,
            }
            bars = axes.bar(edges[:-1], direction * counts, label=name, **look)
            for bar, edge, n in zip(bars, edges, counts, strict=False):
                hover(bar, f"confidence {edge:.2f} to {edge + 0.05:.2f}: {n:,} {name}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(xlim=(0, 1), xlabel="stated confidence", ylabel="answers")
        # The bars of wrong answers reach below 0, but they are counts.
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        axes.legend(frameon=False)

    return Drawing((4.6, 3.2), paint)


def _against_others_section(scores: ConfidenceScores) -> Section:
    figures = tuple(
        Figure(
            f"bas-{name}",
            f"BAS against {_heading(name)}",
            "A point for each group. Groups above one another are equal to this metric.",
            _scatter(scores, name),
        )
        for name in ("ece", "aurc", "log_loss")
    )
    sentence = (
        "ECE does not tell overconfidence from underconfidence and AURC depends on the order alone, so equal values of"
        " either may go with different BAS. Log loss punishes confident errors as BAS does, and hesitant right answers"
        " too."
    )
    return Section("against", "BAS against other metrics", (sentence,), figures)


def _scatter(scores: ConfidenceScores, name: str) -> Drawing:
    def paint(axes: Axes) -> None:
        axes.axhline(0, color=GREY, linewidth=0.8)
        for number, scored in enumerate(scores.groups):
            colour, marker = SERIES[number % len(SERIES)]
            metrics = scored.report.metrics
            if number < MAX_GROUPS:
                add_to_legend(axes, scored.group.name, colour, marker)
            x, y = metrics[name].value, metrics["bas_uniform"].value
            if x is not None and y is not None:
                text = f"{scored.group.name}: {_heading(name)} {x:.3f}, BAS {y:.3f}"
                plot_points(axes, [(x, y, text)], marker, colour, markersize=7)
        axes.set(xlabel=_heading(name), ylabel="BAS")
        put_legend(axes, ncols=2, below=True)

    return Drawing((5.6, 3.8 + 0.1 * len(scores.groups)), paint)


def _heading(name: str) -> str:
    return _HEADINGS.get(name, name)
