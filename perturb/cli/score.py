"""`perturb score`: every refusal metric of stored results."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perturb.cli.output import note, print_json, print_table, print_title
from perturb.cli.pages import check_page_name, write_beside

if TYPE_CHECKING:
    from perturb.metrics.estimates import Estimate
    from perturb.report.page import Page
    from perturb.score import ScoreReport


class Grouping(StrEnum):
    """What scores can be listed by."""

    CLASS = "class"
    INTENSITY = "intensity"
    DOMAIN = "domain"
    LEVER = "lever"
    GENERATOR = "generator"


class ResampleUnit(StrEnum):
    """What a bootstrap resample draws."""

    BASE = "base"
    ITEM = "item"


_IN_GROUPS = {
    "answer_accuracy": "answer acc.",
    "refusal_accuracy": "refusal acc.",
    "calibrated_refusal_score": "CRS",
    "refusal_rate": "refusal rate",
}
"""Columns of the tables by group."""

_COMPARED = ("calibrated_refusal_score", "answer_accuracy", "refusal_accuracy")
"""Metrics whose paired differences are printed; the JSON has all."""


def score_command(
    source: Annotated[
        Path,
        typer.Argument(
            help="The folder of an evaluation, or a .jsonl, .csv or .parquet table of results.",
            show_default=False,
        ),
    ],
    by: Annotated[
        list[Grouping] | None,
        typer.Option(help="List scores by this; may be repeated. [default: class, intensity]"),
    ] = None,
    unit: Annotated[
        ResampleUnit, typer.Option(help="Resample base instances with all their items, or single items.")
    ] = ResampleUnit.BASE,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples behind each interval.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    page: Annotated[
        Path | None, typer.Option("--report", help="Also write a report page: FILE.html.")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print every figure as JSON.")] = False,
) -> None:
    """Show the scores of models from stored results; asks no model.

    Example: perturb score outputs/evaluation --by class --by domain
    """
    from perturb.score import score

    check_page_name("--report", page)
    report = score(source, resamples=resamples, seed=seed, unit=unit.value)
    for warning in report.warnings:
        note(f"note: {warning}")
    write_beside(page, lambda: _page(report))
    if json_output:
        print_json(report.to_dict())
        return
    _print_metrics(report)
    _print_unscored(report)
    _print_outcomes(report)
    for grouping in by or (Grouping.CLASS, Grouping.INTENSITY):
        _print_groups(report, grouping)
    _print_comparisons(report)
    _print_own_items(report)
    _print_flips(report)


def _page(report: ScoreReport) -> Page:
    from perturb.report.scores_page import make_scores_page

    return make_scores_page(report)


def _print_metrics(report: ScoreReport) -> None:
    counts = ", ".join(f"{one.model} {one.n}" for one in report.models)
    typer.echo(f"{report.source}: replies by model: {counts}")
    print_title("Scores in percent, with 95 % intervals")
    names = list(report.models[0].metrics)
    print_table(
        ("metric", *(one.model for one in report.models)),
        [(name, *(_with_interval(one.metrics[name]) for one in report.models)) for name in names],
    )
    without: dict[tuple[str | None, str], list[str]] = {}
    for name in names:
        undefined = [one for one in report.models if one.metrics[name].value is None]
        for reason in dict.fromkeys(one.metrics[name].reason for one in undefined):
            models = ", ".join(one.model for one in undefined if one.metrics[name].reason == reason)
            without.setdefault((reason, models), []).append(name)
    for (reason, models), metrics in without.items():
        typer.echo(f"NA: {', '.join(metrics)} of {models}: {reason}")


def _print_unscored(report: ScoreReport) -> None:
    """Where replies could not be read: how many, and what they could change."""
    short = [one for one in report.models if one.unscored]
    if not short:
        return
    print_title("Range as unscored replies are read one way or the other, in percent")
    header = ("metric", *(f"{one.model} ({one.unscored} unscored)" for one in short))
    rows: list[list[Any]] = []
    for name in short[0].bounds:
        ends = [one.bounds[name] for one in short]
        if any(ends):
            rows.append([name, *("NA" if pair is None else _span(*pair) for pair in ends)])
    print_table(header, rows)


def _print_outcomes(report: ScoreReport) -> None:
    print_title("What became of the scored replies, in percent")
    outcomes = list(report.models[0].outcomes)
    header = ("model", *(outcome.replace("_", " ") for outcome in outcomes))
    print_table(
        header, [(one.model, *(_percent(one.outcomes[name]) for name in outcomes)) for one in report.models]
    )


def _print_groups(report: ScoreReport, grouping: Grouping) -> None:
    rows = [
        (group, one.model, metrics["refusal_rate"].n, *(_percent(metrics[name].value) for name in _IN_GROUPS))
        for one in report.models
        for group, metrics in one.groups[grouping].items()
    ]
    if not rows:
        note(f"note: the results do not say the {grouping} of an item")
        return
    print_title(f"By {grouping}, in percent")
    order = {group: place for place, (group, *_) in enumerate(rows)}
    print_table(
        (grouping.value, "model", "read", *_IN_GROUPS.values()), sorted(rows, key=lambda row: order[row[0]])
    )


def _print_comparisons(report: ScoreReport) -> None:
    rows = [
        (
            *(one.metric, f"{one.a} - {one.b}", one.difference.n, _points(one.difference.value)),
            _span(one.difference.low, one.difference.high, "+.1f"),
            *(_p_value(one.p_value), _p_value(one.p_holm)),
        )
        for name in _COMPARED
        for one in report.comparisons
        if one.metric == name
    ]
    if rows:
        print_title("Differences on the same items, in percentage points")
        print_table(("metric", "models", "items", "difference", "95 %", "p", "p (Holm)"), rows)


def _print_own_items(report: ScoreReport) -> None:
    if not report.own_items:
        return
    print_title("Items that the model generated itself, in percent and percentage points")
    header = ("model", "metric", "own", "others", "difference", "95 %", "beyond its peers", "95 %")
    print_table(
        header,
        [
            (
                *(one.model, one.metric, _percent(one.own), _percent(one.others)),
                *(_points(one.difference.value), _span(one.difference.low, one.difference.high, "+.1f")),
                _points(one.beyond_peers.value),
                _span(one.beyond_peers.low, one.beyond_peers.high, "+.1f"),
            )
            for one in report.own_items
        ],
    )


def _print_flips(report: ScoreReport) -> None:
    if not report.flips:
        return
    print_title("Items against their unperturbed controls, in percent")
    header = (
        "model",
        "pairs",
        "refused controls",
        "moved to refuse: unanswerable",
        "answerable",
        "moved to answer",
    )
    print_table(
        header,
        [
            (
                *(one.model, one.pairs, _with_interval(one.control_refusal_rate)),
                *(_with_interval(one.flip_rate_unanswerable), _with_interval(one.flip_rate_answerable)),
                _with_interval(one.answered_only_perturbed),
            )
            for one in report.flips
        ],
    )


def _with_interval(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return _percent(estimate.value)
    return f"{_percent(estimate.value)} [{_span(estimate.low, estimate.high)}]"


def _percent(value: float | None) -> str:
    return "NA" if value is None else f"{100 * value:.1f}"


def _points(value: float | None) -> str:
    return "NA" if value is None else f"{100 * value:+.1f}"


def _p_value(value: float | None) -> str:
    return "NA" if value is None else f"{value:.3f}"


def _span(low: float | None, high: float | None, form: str = ".1f") -> str:
    return "NA" if low is None or high is None else f"{100 * low:{form}} … {100 * high:{form}}"
