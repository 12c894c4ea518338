"""The report page on refusals: accuracy against refusal with iso-RI curves, scores with intervals, copulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perturb.evaluate.refusal_report import METRICS, GroupResult, RefusalReport
from perturb.metrics.refusal_index import accuracy_refusal_curve
from perturb.report.figures import GREY, SERIES, Drawing, Mark, draw, draw_intervals
from perturb.report.page import Column, Figure, Page, Section, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ISO_LEVELS: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
"""Indices whose curves are drawn behind the points."""


def make_refusal_page(report: RefusalReport) -> Page:
    """The page of a report; scores, counts, copulas and stability also go into CSV files."""
    sections = [_scores(report), _curves(report), _copulas(report)]
    if report.stability:
        sections.append(_stability(report))
    return Page("Refusal Index", report.source, tuple(sections))


def _scores(report: RefusalReport) -> Section:
    columns = (
        Column("model"),
        Column("setting"),
        *(Column(name, "count") for name in ("n", "n11", "n10", "n01", "n00", "unscored")),
        *(Column(part, "number") for name in METRICS for part in (name, f"{name} low", f"{name} high")),
        Column("questions needed", "count"),
        Column("note"),
    )
    marks = [_mark(group, group.name, "refusal_index") for group in report.groups]
    figure = Figure(
        "refusal-index",
        "Refusal Index",
        "95 % intervals. 1: the model refuses where it errs; 0: refusal ignores errors.",
        draw_intervals([("RI", marks)], x_label="Refusal Index", zero=True),
    )
    table = Table(
        "scores",
        "Scores with 95 % intervals",
        columns,
        [_score_row(group) for group in report.groups],
        note="Weighted scores: the text of the Refusal Index paper takes p = 0.2, its table 7 p = 1."
        f" Questions needed: for a coefficient of variation of {report.precision.cv:g}.",
    )
    return Section("scores", "Scores", figures=(figure,), tables=(table,))


def _score_row(group: GroupResult) -> list[Value]:
    index = group.index
    counts = (index.n, index.n11, index.n10, index.n01, index.n00) if index else (0, 0, 0, 0, 0)
    row: list[Value] = [group.model, group.setting, *counts, group.unscored]
    for name in METRICS:
        mark = _mark(group, "", name)
        row += [mark.value, mark.low, mark.high]
    notes = [text for text in (index.reason, index.warning) if text] if index else ["every row is unscored"]
    return [*row, group.questions_needed.value, "; ".join(notes)]


def _mark(group: GroupResult, label: str, name: str) -> Mark:
    if name == "refusal_index":
        index = group.index
        return Mark(label, index.refusal_index, index.low, index.high) if index else Mark(label, None)
    found = group.companions.get(name)
    return Mark(label, found.value, found.low, found.high) if found else Mark(label, None)


def _curves(report: RefusalReport) -> Section:
    figures = []
    models = list(dict.fromkeys(group.model for group in report.groups))
    for number, model in enumerate(models, start=1):
        groups = [group for group in report.groups if group.model == model and group.index is not None]
        if groups:
            figures.append(
                Figure(
                    f"iso-ri-{number}",
                    f"Accuracy and refusal{f': {model}' if model else ''}",
                    "A point for each setting. Grey: what a model of equal knowledge would reach at the index written"
                    " on the curve; the coloured curve is the one of the mean index of the points.",
                    draw_iso_curves(groups),
                )
            )
    sentence = "A model with one index moves along a curve as it is made to refuse more or less."
    return Section("curves", "Accuracy against refusal", (sentence,), tuple(figures))


def draw_iso_curves(groups: list[GroupResult]) -> Drawing:
    """Correct-answer rate over refusal rate of one model's settings, before curves of equal index."""
    points = [
        (one.index.refusal_rate, one.index.correct_rate, one) for one in groups if one.index is not None
    ]
    forced = [1 - (one.index.n11 + one.index.n01) / one.index.n for one in groups if one.index is not None]
    accuracy = float(np.mean(forced))
    rates = np.linspace(0, 1, 201)
    known = [value for one in groups if (value := one.value("refusal_index")) is not None]

    def paint(axes: Axes) -> None:
        for level in ISO_LEVELS:
            curve = accuracy_refusal_curve(rates, accuracy, level)
            axes.plot(rates, curve, color=GREY, linewidth=0.8, zorder=1)
            axes.annotate(f"{level:g}", (rates[100], curve[100]), color=GREY, fontsize=8)
        if known:
            colour = SERIES[0][0]
            axes.plot(
                rates, accuracy_refusal_curve(rates, accuracy, float(np.mean(known))), color=colour, zorder=2
            )
        for number, (x, y, group) in enumerate(points):
            colour, marker = SERIES[number % len(SERIES)]
            axes.plot(
                [x], [y], marker, color=colour, label=group.setting or "all rows", markersize=8, zorder=3
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, max(accuracy * 1.1, 0.05))
        axes.set_xlabel("refusal rate")
        axes.set_ylabel("correct-answer rate")
        axes.legend(frameon=False)

    return draw((5.6, 4.2), paint)


def _copulas(report: RefusalReport) -> Section:
    columns = (
        Column("model"),
        Column("setting"),
        Column("family"),
        Column("parameters"),
        *(Column(name, "number") for name in ("log-likelihood", "AIC", "BIC")),
        Column("note"),
    )
    rows: list[list[Value]] = [
        [
            *(group.model, group.setting, fit.family),
            ", ".join(f"{name} {value:.3g}" for name, value in fit.parameters.items()),
            *(fit.log_likelihood, fit.aic, fit.bic, fit.note or ""),
        ]
        for group in report.groups
        for fit in group.copulas.fits
    ]
    sentences = (
        "With its margins fixed a table of four counts has one free number, so every family that can reach it fits"
        " exactly and the data prefer none of them. Families differ only in what they cannot reach.",
        *(
            f"Gaussian against {rival}: ahead by log-likelihood in {rates['log_likelihood']:.0%} of the groups,"
            " a tie counting one half."
            for rival, rates in report.win_rates.items()
        ),
    )
    return Section("copulas", "Copulas", sentences, tables=(Table("copulas", "Fits", columns, rows),))


def _stability(report: RefusalReport) -> Section:
    stability = Table(
        "stability",
        "Each metric between the settings of a model",
        (
            Column("model"),
            Column("metric"),
            Column("normalised difference", "number"),
            Column("coefficient of variation", "number"),
        ),
        [(one.model, METRICS[one.metric], one.difference.value, one.cv.value) for one in report.stability],
        note="Difference: most refusing setting minus least refusing one, over the absolute mean.",
    )
    ranking = Table(
        "ranking",
        "The ranking of models over the settings",
        (
            Column("metric"),
            Column("taken out first"),
            Column("Kendall's W", "number"),
            Column("winner entropy", "number"),
        ),
        [
            (METRICS[one.metric], one.given, one.kendalls_w.value, one.winner_entropy.value)
            for one in report.ranking
        ],
    )
    return Section("stability", "Stability", tables=(stability, ranking) if report.ranking else (stability,))
