"""Chapters of the scores page over all replies: balance, behaviour, refusal codes and stated confidence.

A confusion matrix counts replies: a row for each ground truth, which is a refusal code or `ANSWER_CORRECTLY`, and a
column for each prediction, which is a refusal code or `NONE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from perturb.metrics.inputs import Floats
from perturb.records import ANSWER_CORRECTLY, Intensity
from perturb.reports.figures import Drawing, draw_heat_map
from perturb.reports.model import (
    COUNT,
    SHARE,
    CellFormat,
    Figure,
    Section,
    Table,
    metric_columns,
    table_columns,
)
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

# A row of percentages for each ground truth.
Matrix = list[list[float | None]]
# Models that get figures of their own.
MAX_MODELS = 12
# Scores whose points of equal score are joined by a grey line.
_GUIDES = (0.25, 0.5, 0.75)


def balance_section(models: Models) -> Section:
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
                    guides=[_mean_guide(level) for level in _GUIDES],
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


def behaviour_section(models: Models) -> Section:
    """False and missed refusals, the six outcomes, refusals by intensity."""
    ranked = sorted(models, key=lambda model: -(model.metrics["refusal_accuracy"].value or 0.0))
    errors = {"false_refusal_rate": "FRR", "missed_refusal_rate": "MRR"}
    scores = {"refusal_accuracy": "refusal accuracy", "hierarchical_refusal_score": "hierarchical score"}
    return Section(
        "behaviour",
        "Behaviour",
        figures=(
            Figure(
                "errors",
                "False and missed refusals",
                "FRR: refused among answerable items. MRR: answered among unanswerable ones. Lower is better.",
                _draw_metric_bars(models, errors, "rate"),
            ),
            Figure(
                "refusal-ranking",
                "Refusal accuracy and hierarchical score",
                "In the order of refusal accuracy. The hierarchical score is detection F1 times category accuracy.",
                _draw_metric_bars(ranked, scores, "score"),
            ),
            Figure(
                "intensity",
                "Refusal rate by intensity",
                "LOW items must be answered, MEDIUM and HIGH ones refused: the steeper the first step, the better.",
                _draw_intensities(models),
            ),
            Figure(
                "outcomes",
                "What became of the replies",
                "The six outcomes of scored replies, summing to 100 percent; plain colours are right.",
                draw_stacks([model.model for model in models], list(map(_ordered_outcomes, models))),
            ),
        ),
        tables=(
            outcomes_table(models),
            _outcomes("outcome-counts", "Outcomes, replies", models, "outcome_counts", COUNT, shown=0),
        ),
    )


def outcomes_table(models: Models) -> Table:
    """The share of each outcome among the scored replies of a model."""
    return _outcomes("outcomes", "What became of the scored replies", models, "outcomes", SHARE)


def _draw_metric_bars(models: Models, headings: Mapping[str, str], x_label: str) -> Drawing:
    """A group of bars for each model; `headings` has a heading for each metric."""
    series = [(heading, [model.metrics[name] for model in models]) for name, heading in headings.items()]
    return draw_grouped_bars([model.model for model in models], series, x_label=x_label)


def _draw_intensities(models: Models) -> Drawing:
    intensities = [str(name) for name in Intensity]
    rates = []
    for model in models:
        rates_of_model = [in_group(model, "intensity", name, "refusal_rate") for name in intensities]
        rates.append((model.model, rates_of_model))
    return draw_lines(intensities, rates, y_label="refusal rate")


def codes_section(models: Models) -> Section:
    """Confusion matrices: averages over all models and at each intensity, and those of each model."""
    confusion = models[0].confusion  # all models have the same rows and columns
    draw = partial(_draw_confusion, confusion)
    matrices = [_row_shares(model.confusion) for model in models]
    figures = []
    if len(models) > 1:
        figures.append(draw("confusion", "Average over models", _average_matrices(matrices)))
    for intensity in (Intensity.MEDIUM, Intensity.HIGH):
        figures += _confusion_at(intensity, models)
    for number, model in enumerate(models[:MAX_MODELS]):
        figures.append(draw(f"confusion-{number + 1}", model.model, matrices[number]))
    table = Table(
        "confusion",
        "Replies by ground truth and prediction",
        table_columns("model | ground truth") | dict.fromkeys(_predictions(confusion), COUNT),
        [
            (model.model, truth, *cells.values())
            for model in models
            for truth, cells in model.confusion.items()
        ],
        shown=0,
    )
    return Section("codes", "Refusal codes", _note_left_out(models), figures, (table,))


def _confusion_at(intensity: Intensity, models: Models) -> list[Figure]:
    """The matrix averaged over the models at one intensity, and at MEDIUM also the matrix of each model."""
    matrices: dict[str, Matrix] = {}
    for model in models:
        confusion = model.confusion_by_intensity.get(intensity, {})
        # Answerable items are all LOW.
        unanswerable = {truth: row for truth, row in confusion.items() if truth != ANSWER_CORRECTLY}
        if unanswerable:
            matrices[model.model] = _row_shares(unanswerable)
    if not matrices:
        return []
    name, draw = f"confusion-{intensity.lower()}", partial(_draw_confusion, models[0].confusion)
    whose = "Average over models" if len(models) > 1 else models[0].model
    figures = [draw(name, f"{whose}, {intensity} items", _average_matrices(matrices.values()))]
    # RefusalBench shows each model at MEDIUM only, in figures 26 and 27.
    if intensity is Intensity.MEDIUM and len(models) > 1:
        for number, (model_name, matrix) in enumerate(list(matrices.items())[:MAX_MODELS], start=1):
            figures.append(draw(f"{name}-{number}", f"{model_name}, {intensity} items", matrix))
    return figures


def _draw_confusion(
    confusion: Mapping[str, Mapping[str, int]], name: str, title: str, matrix: Matrix
) -> Figure:
    """A heat map of a matrix in percent. Its rows are those of `confusion`, or the first of them."""
    truths, predictions = list(confusion), _predictions(confusion)
    # The right reply to an answerable item has no code.
    right_codes = [NONE if truth == ANSWER_CORRECTLY else truth for truth in truths]
    drawing = draw_heat_map(
        matrix,
        [_code_name(truth) for truth in truths[: len(matrix)]],
        [_code_name(code) for code in predictions],
        limits=(0.0, 100.0),
        form=".0f",
        cell_width=0.37,
        framed={(row, predictions.index(code)) for row, code in enumerate(right_codes)},
    )
    caption = (
        "Rows: what is right, in percent of the replies read. Columns: what the model did; framed: right."
    )
    return Figure(name, title, caption, drawing)


def _predictions(confusion: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The columns, which all rows have."""
    return list(next(iter(confusion.values())))


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
        "model | replies = level.replies | level = level.level | midpoint = level.midpoint: number"
        " | n = level.n: count | accuracy = level.accuracy: share",
        [{"model": model.model, "level": level} for model in models for level in model.calibration],
        shown=0,
    )
    return Section("calibration", "Stated confidence", _note_left_out(models), figures, (table,))


def _average_matrices(matrices: Iterable[Matrix]) -> Matrix:
    """The mean of each cell over the matrices in which it is defined."""
    averages: Matrix = []
    for same_rows in zip(*matrices, strict=True):
        averages.append([mean_known(same_cells) for same_cells in zip(*same_rows, strict=True)])
    return averages


def _row_shares(confusion: Mapping[str, Mapping[str, int]]) -> Matrix:
    """The confusion matrix in percent of each row; a row without replies is undefined."""
    shares: Matrix = []
    for cells in confusion.values():
        total = sum(cells.values())
        shares.append([100 * n / total if total else None for n in cells.values()])
    return shares


def _outcomes(
    name: str, title: str, models: Models, attribute: str, cell_format: CellFormat, shown: int = 60
) -> Table:
    """A column for each outcome in one of the attributes `outcomes` and `outcome_counts` of the models."""
    headings = {outcome: outcome.replace("_", " ") for outcome in getattr(models[0], attribute)}
    columns = f"model | {metric_columns(attribute, headings, cell_format)}"
    return Table.of(name, title, columns, models, shown=shown)


def _ordered_outcomes(model: ModelScores) -> dict[str, float | None]:
    """The two right outcomes first, so that their sum can be read off."""
    ordered = sorted(model.outcomes, key=lambda name: not name.startswith("correct"))
    return {name: model.outcomes[name] for name in ordered}


def _count_refusals(model: ModelScores) -> int:
    return sum(n for cells in model.confusion.values() for code, n in cells.items() if code != NONE)


def _code_name(code: str) -> str:
    names = {ANSWER_CORRECTLY: "answerable", NONE: "answered"}
    return names.get(code) or code.removeprefix("REFUSE_").replace("_", " ").lower()


def _mean_guide(level: float) -> Guide:
    """The line of points whose coordinates have the mean `level`."""
    xs = np.linspace(max(0.0, 2 * level - 1), min(1.0, 2 * level), 3)
    return _guide(level, xs, 2 * level - xs)


def _product_guide(level: float) -> Guide:
    """The curve of points whose coordinates have the product `level`."""
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
