"""How scores of confidence are printed: values with intervals, differences, before and after calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from perturb.cli.output import print_table

if TYPE_CHECKING:
    from perturb.evaluate.confidence_report import ConfidenceScores, GroupCalibration
    from perturb.metrics.bas import BASReport
    from perturb.metrics.estimates import Estimate

_HEADS = {
    "bas_uniform": "BAS",
    "bas_linear": "BAS linear",
    "bas_quadratic": "BAS quadratic",
    "accuracy": "accuracy",
    "ece": "ECE",
    "aurc": "AURC",
    "brier": "Brier",
    "log_loss": "log loss",
}
_CALIBRATED = ("bas_uniform", "ece", "aurc")


def print_scores(found: ConfidenceScores) -> None:
    """Every metric of each group, intervals below, and paired differences."""
    bins = found.groups[0].report.bins
    typer.echo(f"Scores, and their 95 % intervals below; ECE over {bins} bins of equal width")
    print_table(
        ("", "n", *_HEADS.values()),
        [
            (one.group.name, one.report.n, *(_number(one.report.metrics[name].value) for name in _HEADS))
            for one in found.groups
        ],
    )
    typer.echo("")
    print_table(
        ("", *_HEADS.values()),
        [(one.group.name, *(_span(one.report.metrics[name]) for name in _HEADS)) for one in found.groups],
    )
    typer.echo(
        "BAS and accuracy: higher is better; 0 is what always abstaining earns. The others: lower is better."
    )
    if found.differences:
        typer.echo("\nDifferences in BAS on the same questions")
        print_table(
            ("", "n", "difference", "95 %"),
            [
                (f"{one.a} - {one.b}", one.bas.n, _number(one.bas.value, "+.4f"), _span(one.bas, "+.4f"))
                for one in found.differences
            ],
        )


def print_calibrations(found: Sequence[GroupCalibration]) -> None:
    """Before and after, map by map, and the ablation over calibration sizes."""
    for number, one in enumerate(found):
        scores = one.scores
        typer.echo(
            ("\n" if number else "")
            + f"{one.group.name}: fitted on {scores.n_calibration} rows, scored on {scores.n_scored} others"
        )
        rows = [("as stated", *_three(scores.before), "")]
        rows += [
            (
                method,
                *_three(report),
                f"{_number(scores.gains[method].value, '+.4f')} {_span(scores.gains[method])}",
            )
            for method, report in scores.after.items()
        ]
        print_table(("confidence", *(_HEADS[name] for name in _CALIBRATED), "gain in BAS, 95 %"), rows)
        if one.ablation:
            repeats = one.ablation[0].repeats
            typer.echo(
                f"\nIsotonic regression by calibration size: mean ± standard deviation of {repeats} draws"
            )
            print_table(
                ("size", *(_HEADS[name] for name in _CALIBRATED)),
                [
                    (
                        row.size,
                        *(
                            f"{mean:.4f} ± {sd:.4f}"
                            for mean, sd in (
                                (row.bas, row.bas_sd),
                                (row.ece, row.ece_sd),
                                (row.aurc, row.aurc_sd),
                            )
                        ),
                    )
                    for row in one.ablation
                ],
            )


def _three(report: BASReport) -> list[str]:
    metrics = [report.metrics[name] for name in _CALIBRATED]
    return [f"{_number(one.value)} {_span(one)}" for one in metrics]


def _number(value: float | None, form: str = ".4f") -> str:
    return "NA" if value is None else format(value, form)


def _span(estimate: Estimate, form: str = ".4f") -> str:
    low, high = estimate.low, estimate.high
    return "NA" if low is None or high is None else f"[{low:{form}}, {high:{form}}]"
