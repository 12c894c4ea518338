"""The chapter on item response theory: abilities, difficulties of cells and items, information."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perturb.metrics.item_response import PRIORS
from perturb.report.figures import SERIES, Drawing, Mark, draw_intervals, plot_points, put_legend
from perturb.report.model import Figure, Section, Table
from perturb.score.item_response import ABILITIES, ItemResponseReport, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LITTLE = 0.5
_ITEMS_SHOWN = 10


def item_response_section(report: ItemResponseReport) -> Section:
    """What the two-parameter model says of models, cells and items."""
    fitted = [one for one in report.scales if one.fit is not None]
    models = [(one.name, [Mark.of(name, ability) for name, ability in one.models]) for one in fitted]
    figures = [
        Figure(
            "abilities",
            "Ability of models",
            "In logits; 0 is the mean of the models, apart for answering and refusing. 95 % intervals.",
            draw_intervals(models, x_label="ability", zero=True),
        ),
        *(
            Figure(
                f"difficulty-{one.name}",
                f"Difficulty of cells: {one.name}",
                "Mean of a cell's items in logits, with 95 % intervals; a model of mean ability is right on half of"
                " such items at 0, on fewer to the right.",
                draw_intervals(
                    [(one.name, [Mark.of(name, value) for name, value in one.cells])],
                    x_label="difficulty",
                    zero=True,
                ),
            )
            for one in fitted
        ),
        Figure(
            "information",
            "Information of the items",
            "How precisely the items place a further model of an ability: the standard error is 1 / √information. The"
            " marks are the models.",
            _draw_information(fitted),
        ),
    ]
    sentences = (*_sentences(report), f"Priors: {PRIORS}.")
    return Section("item-response", "Item response theory", sentences, figures, _tables(fitted))


def _sentences(report: ItemResponseReport) -> list[str]:
    found = [
        "The two-parameter logistic model, fitted to answering and refusing apart; unscored replies are left out."
    ]
    for one in report.scales:
        if one.fit is None:
            found.append(f"No fit for {one.name}: {one.reason}.")
            continue
        difficulty, slope = one.fit.difficulty_reliability, one.fit.discrimination_reliability
        text = f"{one.name.capitalize()}: {len(one.items):,} items; reliability of their difficulties {difficulty:.2f}"
        found.append(f"{text}, of their discriminations {slope:.2f}.")
        if slope < _LITTLE:
            found.append(
                f"So few models say little of how {one.name} items discriminate: those figures are mostly prior."
            )
        if not one.fit.converged:
            found.append(f"The fit of {one.name} did not converge ({one.fit.message}): do not quote it.")
    return found


def _tables(fitted: list[Scale]) -> list[Table]:
    models = [(one.name, name, ability, ability.n) for one in fitted for name, ability in one.models]
    cells = [(one.name, name, value, value.n) for one in fitted for name, value in one.cells]
    hardest = sorted((item for scale in fitted for item in scale.items), key=lambda item: -item.difficulty)
    items = [
        (one.item_id, one.cell, one.difficulty, one.difficulty_se, one.discrimination, one.discrimination_se)
        for one in hardest
    ]
    abilities = "scale | model | ability: number | replies: count"
    difficulties = "scale | cell | difficulty: number | items: count"
    head = "item | cell | difficulty: number | SD: number | discrimination: number | its SD: number"
    title = f"The {_ITEMS_SHOWN} hardest items, by posterior mean, with standard deviations"
    return [
        Table("abilities", "Ability in logits", abilities, models),
        Table("cell-difficulty", "Difficulty of cells in logits", difficulties, cells),
        Table("item-difficulty", title, head, items, shown=_ITEMS_SHOWN),
    ]


def _draw_information(fitted: list[Scale]) -> Drawing:
    def paint(axes: Axes) -> None:
        for number, one in enumerate(fitted):
            if one.fit is None:
                continue
            colour, marker = SERIES[number]
            axes.plot(ABILITIES, one.fit.information(ABILITIES), color=colour, label=one.name)
            known = [(name, value.value) for name, value in one.models if value.value is not None]
            heights = one.fit.information([ability for _, ability in known])
            spots = (
                (x, y, f"{name}: ability {x:.2f}, information {y:.2f}")
                for (name, x), y in zip(known, heights, strict=True)
            )
            plot_points(axes, spots, marker, colour)
        axes.set(xlabel="ability", ylabel="information", ylim=(0, None))
        axes.grid(axis="y")
        put_legend(axes, ncols=2)

    return Drawing((5.4, 3.4), paint)
