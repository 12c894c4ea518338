"""Chapters of the scores page over all replies: balance, behaviour, refusal codes and stated confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from perturb.metrics.inputs import Estimate, Floats
from perturb.records import ANSWER_CORRECTLY, Intensity
from perturb.reports.figures import draw_heat_map
from perturb.reports.model import COUNT, SHARE, TEXT, Figure, Section, Table, table_columns
from perturb.reports.scores_breakdowns import Models, in_group, mean_known
from perturb.reports.scores_figures import (
    Guide,
    Point,
    draw_grouped_bars,
    draw_lines,
    draw_points,
    draw_reliability,
    draw_stacks,
)
from perturb.scoring.model_scores import NONE, ModelScores

# Models that get figures of their own.
MAX_MODELS = 12
# Scores whose points of equal score are joined by a grey line.
_GUIDES = (0.25, 0.5, 0.75)


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
                    _points(models, "answer_accuracy", "refusal_accuracy"),
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
                    _points(models, "detection_f1", "category_accuracy", weigh=_count_refusals),
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
                "model | refusals: count | replies: count",
                [(model.model, _count_refusals(model), model.n) for model in models],
                shown=0,
            ),
        ),
    )


def _points(
    models: Models, x: str, y: str, weigh: Callable[[ModelScores], int | None] = lambda _: None
) -> list[Point]:
    return [Point(model.model, model.metrics[x], model.metrics[y], weigh(model)) for model in models]


def _series(models: Models, metrics: Mapping[str, str]) -> list[tuple[str, list[Estimate]]]:
    """By heading, the value of each model."""
    return [(heading, [model.metrics[name] for model in models]) for name, heading in metrics.items()]


def behaviour_section(models: Models) -> Section:
    """False and missed refusals, the six outcomes, refusals by intensity."""
    labels = [model.model for model in models]
    errors = _series(models, {"false_refusal_rate": "FRR", "missed_refusal_rate": "MRR"})
    ranked = sorted(models, key=lambda model: -(model.metrics["refusal_accuracy"].value or 0.0))
    headings = {"refusal_accuracy": "refusal accuracy", "hierarchical_refusal_score": "hierarchical score"}
    ranking = _series(ranked, headings)
    shares = {name.replace("_", " "): SHARE for name in models[0].outcomes}
    counts = {name.replace("_", " "): COUNT for name in models[0].outcome_counts}
    intensities = [str(name) for name in Intensity]
    rates = [
        (model.model, [in_group(model, "intensity", name, "refusal_rate") for name in intensities])
        for model in models
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
                "refusal-ranking",
                "Refusal accuracy and hierarchical score",
                "In the order of refusal accuracy. The hierarchical score is detection F1 times category accuracy.",
                draw_grouped_bars([model.model for model in ranked], ranking, x_label="score"),
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
                draw_stacks(labels, [_ordered_outcomes(model) for model in models]),
            ),
        ),
        tables=(
            Table(
                "outcomes",
                "What became of the scored replies",
                {"model": TEXT, **shares},
                [(model.model, *model.outcomes.values()) for model in models],
            ),
            Table(
                "outcome-counts",
                "Outcomes, replies",
                {"model": TEXT, **counts},
                [(model.model, *model.outcome_counts.values()) for model in models],
                shown=0,
            ),
        ),
    )


def codes_section(models: Models) -> Section:
    """Confusion matrices, averaged and model by model."""
    truths = list(models[0].confusion)
    predictions = list(models[0].confusion[truths[0]])
    shares = [_row_shares(model.confusion) for model in models]
    rows = [_code_name(truth) for truth in truths]
    columns = [_code_name(code) for code in predictions]
    right_cells = set()
    for row, truth in enumerate(truths):
        # the right reply to an answerable item has no code
        right_code = NONE if truth == ANSWER_CORRECTLY else truth
        right_cells.add((row, predictions.index(right_code)))

    def figure(name: str, title: str, values: list[list[float | None]]) -> Figure:
        look: Any = {"limits": (0.0, 100.0), "form": ".0f", "cell_width": 0.37, "framed": right_cells}
        drawing = draw_heat_map(values, rows[: len(values)], columns, **look)
        caption = (
            "Rows: what is right, in percent of the replies read. Columns: what the model did; framed: right."
        )
        return Figure(name, title, caption, drawing)

    figures = []
    if len(models) > 1:
        figures.append(figure("confusion", "Average over models", _average_matrices(shares)))
    for intensity in (Intensity.MEDIUM, Intensity.HIGH):
        drawable: dict[str, list[list[float | None]]] = {}
        for model in models:
            matrix = _row_shares(model.confusion_by_intensity.get(intensity, {}))
            if matrix:  # the last row, of answerable items, is empty at these intensities
                drawable[model.model] = matrix[: len(truths) - 1]
        name = f"confusion-{intensity.lower()}"
        if drawable:
            whose = "Average over models" if len(models) > 1 else models[0].model
            figures.append(
                figure(name, f"{whose}, {intensity} items", _average_matrices(list(drawable.values())))
            )
        if intensity is Intensity.MEDIUM and len(models) > 1:  # RefusalBench, figures 26 and 27
            figures += [
                figure(f"{name}-{number}", f"{model}, {intensity} items", matrix)
                for number, (model, matrix) in enumerate(list(drawable.items())[:MAX_MODELS], start=1)
            ]
    figures += [
        figure(f"confusion-{number}", model.model, matrix)
        for number, (model, matrix) in enumerate(
            zip(models[:MAX_MODELS], shares[:MAX_MODELS], strict=True), start=1
        )
    ]
    table = Table(
        "confusion",
        "Replies by ground truth and prediction",
        table_columns("model | ground truth") | dict.fromkeys(predictions, COUNT),
        [
            (model.model, truth, *cells.values())
            for model in models
            for truth, cells in model.confusion.items()
        ],
        shown=0,
    )
    return Section("codes", "Refusal codes", _note_left_out(models), tuple(figures), (table,))


def calibration_section(models: Models) -> Section:
    """Accuracy by stated confidence."""
    figures = []
    for number, model in enumerate(models[:MAX_MODELS], start=1):
        if model.calibration:
            series: dict[str, list[tuple[float, float, int]]] = {}
            for level in model.calibration:
                series.setdefault(level.replies, []).append((level.midpoint, level.accuracy, level.n))
            figures.append(
                Figure(
                    f"reliability-{number}",
                    model.model,
                    "Below the diagonal the model is overconfident. Larger points stand for more replies.",
                    draw_reliability(list(series.items())),
                )
            )
    table = Table.of(
        "calibration",
        "Accuracy by stated level",
        "model | replies = of.replies | level = of.level | midpoint = of.midpoint: number | n = of.n: count"
        " | accuracy = of.accuracy: share",
        [{"model": model.model, "of": level} for model in models for level in model.calibration],
        shown=0,
    )
    return Section("calibration", "Stated confidence", _note_left_out(models), tuple(figures), (table,))


def _average_matrices(matrices: list[list[list[float | None]]]) -> list[list[float | None]]:
    """The mean of each cell over the matrices in which it is defined."""
    return [[mean_known(cells) for cells in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def _row_shares(confusion: Mapping[str, Mapping[str, int]]) -> list[list[float | None]]:
    """The confusion matrix in percent of each row; a row without replies is undefined."""
    shares: list[list[float | None]] = []
    for cells in confusion.values():
        total = sum(cells.values())
        shares.append([100 * n / total if total else None for n in cells.values()])
    return shares


def _ordered_outcomes(model: ModelScores) -> dict[str, float | None]:
    """The two right outcomes first, so that their sum can be read off."""
    ordered = sorted(model.outcomes, key=lambda name: not name.startswith("correct"))
    return {name: model.outcomes[name] for name in ordered}


def _count_refusals(model: ModelScores) -> int:
    return sum(n for cells in model.confusion.values() for code, n in cells.items() if code != NONE)


def _code_name(code: str) -> str:
    names = {ANSWER_CORRECTLY: "answerable", NONE: "answered"}
    return names.get(code) or code.removeprefix("REFUSE_").replace("_", " ").lower()


def _sum_guide(level: float) -> Guide:
    """The points whose coordinates have the mean `level`."""
    xs = np.linspace(max(0.0, 2 * level - 1), min(1.0, 2 * level), 3)
    return _guide(level, xs, 2 * level - xs)


def _product_guide(level: float) -> Guide:
    """The points whose coordinates have the product `level`."""
    xs = np.linspace(level, 1, 41)
    return _guide(level, xs, level / xs)


def _guide(level: float, xs: Floats, ys: Floats) -> Guide:
    return f"{100 * level:.0f}", 100 * xs, 100 * ys


def _note_left_out(models: Models) -> tuple[str, ...]:
    """A sentence on the models without figures, if there are any."""
    left_out = len(models) - MAX_MODELS
    if left_out <= 0:
        return ()
    have = "more model has no figures of its" if left_out == 1 else "more models have no figures of their"
    return (f"{left_out} {have} own; the CSV files have them all.",)
