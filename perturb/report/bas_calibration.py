"""What calibration makes of stated confidence: before and after, the maps, and maps across data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perturb.metrics.bas_report import BASReport
from perturb.report.figures import GREY, SERIES, Drawing, Mark, draw_heat_map, draw_intervals, plot_curve
from perturb.report.model import NUMBER, CellValue, Figure, Section, Table, table_columns
from perturb.score.calibration_matrix import Transfer
from perturb.score.confidence_report import GroupCalibration
from perturb.score.confidence_table import ConfidenceGroup
from perturb.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = table_columns("model | data set | elicitation")
"""The columns that name a group."""
MAX_MAPS = 12
"""Groups whose maps are drawn."""


def calibration_section(calibrations: Sequence[GroupCalibration]) -> Section:
    """Before and after, map by map, and the ablation over calibration sizes."""
    rows: list[list[CellValue]] = []
    for one in calibrations:
        named: list[tuple[str, BASReport, CellValue]] = [("as stated", one.scores.before, "-")]
        named += [(method, after, one.scores.gains[method]) for method, after in one.scores.after.items()]
        counts = (one.scores.n_calibration, one.scores.n_scored)
        for name, found, gain in named:
            scores = (found.metrics[metric] for metric in ("bas_uniform", "ece", "aurc"))
            rows.append([*group_labels(one.group), name, *counts, *scores, gain])
    columns = LABELS | table_columns(
        "map | fitted on: count | scored: count | BAS: number | ECE: number | AURC: number | gain in BAS: number"
    )
    tables = [Table("calibration", "Before and after, on rows that no map has learned from", columns, rows)]
    ablation = [
        (*group_labels(one.group), row.size, *row.bas, *row.ece, *row.aurc)
        for one in calibrations
        for row in one.ablation
    ]
    if ablation:
        deviations = {head: NUMBER for part in ("BAS", "ECE", "AURC") for head in (part, f"{part} sd")}
        draws = counted(calibrations[0].ablation[0].repeats, "draw")
        title = f"Isotonic regression by calibration size: mean and standard deviation of {draws}"
        tables.append(Table("ablation", title, {**LABELS, "size": "count", **deviations}, ablation))
    reports = [
        (one.group.name, one.scores.before, next(iter(one.scores.after.values()))) for one in calibrations
    ]
    series = [
        ("as stated", [Mark.of(name, before.metrics["bas_uniform"]) for name, before, _ in reports]),
        ("calibrated", [Mark.of(name, after.metrics["bas_uniform"]) for name, _, after in reports]),
    ]
    figure = Figure(
        "calibration",
        "BAS before and after calibration",
        "95 % intervals on the scored rows; calibrated by the first map of each group in the table below.",
        draw_intervals(series, x_label="BAS", zero=True),
    )
    maps = [
        Figure(
            f"map-{number}",
            f"Calibration maps: {one.group.name}",
            "Below the diagonal confidence is taken down. The ticks below the axis are the values that were stated.",
            _draw_maps(one),
        )
        for number, one in enumerate(calibrations[:MAX_MAPS], start=1)
    ]
    return Section("calibration", "Calibration", (), (figure, *maps), tables)


def group_labels(group: ConfidenceGroup) -> tuple[str, str, str]:
    """The cells of `LABELS`."""
    return group.model, group.dataset or "", group.elicitation or ""


def _draw_maps(one: GroupCalibration) -> Drawing:
    """Calibrated over stated confidence (figure A5 of the paper), with a tick for each stated value."""
    stated = np.linspace(0, 1, 401)

    def paint(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for number, (method, fitted) in enumerate(one.scores.maps.items()):
            style = ("-", "--", "-.", ":")[number % 4]
            look: Any = {"color": SERIES[number % len(SERIES)][0], "label": method}
            words = (method, "stated", "calibrated")
            plot_curve(axes, (stated, fitted.apply(stated)), style, words, **look)
        values = np.unique(one.group.confidence)[:400]
        axes.plot(values, np.full(len(values), -0.03), "|", color="black", markersize=6)
        axes.set(xlabel="stated confidence", ylabel="calibrated confidence")
        axes.legend(frameon=False)

    return Drawing((4.6, 3.8), paint)


def transfer_section(transfers: Sequence[Transfer]) -> Section:
    """Maps fitted on one data set and scored on another."""
    columns = (
        "model | elicitation | fitted on | scored on | scored: count | BAS before: number | BAS after: number"
        " | gain: number | ECE before: number | ECE after: number"
    )
    rows: list[list[CellValue]] = [
        [
            *(one.model, one.elicitation or "", one.fitted_on, one.scored_on, one.before.n),
            *(one.before.metrics["bas_uniform"], one.after.metrics["bas_uniform"], one.gain),
            *(one.before.metrics["ece"], one.after.metrics["ece"]),
        ]
        for one in transfers
    ]
    names = list(dict.fromkeys(one.fitted_on for one in transfers))
    figures = []
    for number, (model, way) in enumerate(
        dict.fromkeys((one.model, one.elicitation) for one in transfers), start=1
    ):
        gains = {
            (one.fitted_on, one.scored_on): one.gain.value
            for one in transfers
            if (one.model, one.elicitation) == (model, way)
        }
        reach = max((abs(value) for value in gains.values() if value is not None), default=1.0)
        grid = [[gains.get((fitted, scored)) for scored in names] for fitted in names]
        figures.append(
            Figure(
                f"transfer-{number}",
                f"Gain in BAS across data sets: {' / '.join(filter(None, (model, way)))}",
                "Rows: where the map was fitted; columns: where it was scored. Below 0 it did harm.",
                draw_heat_map(grid, names, names, limits=(-reach, reach), form="+.2f", cell_width=1.0),
            )
        )
    sentence = (
        "On the diagonal a map is fitted on a share of a data set and scored on the rest; elsewhere on all of one"
        " data set and scored on the other. No row that a map has learned from is scored."
    )
    title = f"Maps across data sets: {transfers[0].method}"
    table = Table("transfer", title, columns, rows)
    return Section("transfer", "Across data sets", (sentence,), figures, (table,))
