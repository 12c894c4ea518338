"""How a report on refusals is printed: scores with intervals, counts, copulas, stability, ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from perturb.cli.output import note, number, print_table, print_title

if TYPE_CHECKING:
    from perturb.evaluate.refusal_report import GroupResult, RefusalReport
    from perturb.metrics.estimates import Estimate


def print_refusals(report: RefusalReport) -> None:
    """Print the whole report; what is unsure or undefined is said on stderr, group by group."""
    _print_scores(report)
    _print_counts(report)
    _print_copulas(report)
    _print_stability(report)
    _print_ranking(report)
    for group in report.groups:
        for line in warnings_of(group):
            note(f"note: {group.name}: {line}")


def warnings_of(group: GroupResult) -> list[str]:
    """What a reader must know before quoting the figures of a group."""
    lines = []
    if group.index is None:
        lines.append("every row is unscored")
    else:
        lines += [text for text in (group.index.reason, group.index.warning) if text]
    if group.unscored and group.index is not None:
        lines.append(f"{group.unscored} rows are unscored and left out")
    return lines


def _print_scores(report: RefusalReport) -> None:
    from perturb.evaluate.refusal_report import METRICS

    print_title("Scores, and their 95 % intervals below")
    print_table(
        ("", "n", *METRICS.values()),
        [
            (
                group.name,
                group.index.n if group.index else 0,
                *(number(group.value(name)) for name in METRICS),
            )
            for group in report.groups
        ],
    )
    typer.echo("")
    print_table(
        ("", *METRICS.values()),
        [(group.name, *(_interval(group, name) for name in METRICS)) for group in report.groups],
    )
    typer.echo("weighted: the text of the Refusal Index paper takes p = 0.2, its table 7 p = 1")


def _print_counts(report: RefusalReport) -> None:
    print_title("Questions")
    header = (
        "",
        "refused, wrong",
        "refused, right",
        "answered, wrong",
        "answered, right",
        "unscored",
        "needed",
    )
    print_table(
        header,
        [
            (
                group.name,
                *((index.n11, index.n10, index.n01, index.n00) if (index := group.index) else (0, 0, 0, 0)),
                group.unscored,
                _count(group.questions_needed),
            )
            for group in report.groups
        ],
    )
    typer.echo(
        f"needed: questions at which the coefficient of variation of RI would be {report.precision.cv:g}"
    )
    sizes = sorted({size for group in report.groups for size in group.subset_cv})
    if sizes:
        print_title("Coefficient of variation of RI over random subsets, by their size")
        rows = [
            (
                group.name,
                *(number(one.value) if (one := group.subset_cv.get(size)) else "-" for size in sizes),
            )
            for group in report.groups
        ]
        print_table(("", *map(str, sizes)), rows)


def _print_copulas(report: RefusalReport) -> None:
    rows = [
        (
            group.name,
            fit.family,
            _parameters(fit.parameters),
            number(fit.log_likelihood, ".4f"),
            fit.note or "",
        )
        for group in report.groups
        for fit in group.copulas.fits
    ]
    if not rows:
        return
    print_title("Copulas")
    print_table(("", "family", "parameters", "log-likelihood", "note"), rows)
    named: dict[str, list[str]] = {}
    for group in report.groups:
        if group.copulas.reason and group.index is not None:
            named.setdefault(group.copulas.reason, []).append(group.name)
    for reason, names in named.items():
        typer.echo(f"{'all' if len(names) == len(report.groups) else ', '.join(names)}: {reason}")


def _print_stability(report: RefusalReport) -> None:
    if not report.stability:
        return
    from perturb.evaluate.refusal_report import METRICS

    print_title("Stability between settings: normalised difference, and coefficient of variation below")
    models = list(dict.fromkeys(one.model for one in report.stability))
    found = {(one.model, one.metric): one for one in report.stability}
    header = ("", *METRICS.values())
    print_table(
        header,
        [
            (model or "", *(number(found[model, name].difference.value, "+.2f") for name in METRICS))
            for model in models
        ],
    )
    typer.echo("")
    print_table(
        header,
        [
            (model or "", *(number(found[model, name].cv.value, ".2f") for name in METRICS))
            for model in models
        ],
    )


def _print_ranking(report: RefusalReport) -> None:
    if not report.ranking:
        return
    from perturb.evaluate.refusal_report import METRICS

    print_title("Stability of the ranking of models over the settings")
    header = ("metric", "taken out first", "Kendall's W", "winner entropy", "note")
    print_table(
        header,
        [
            (
                *(METRICS[one.metric], "-" if one.given == "nothing" else one.given.replace("_", " ")),
                *(number(one.kendalls_w.value), number(one.winner_entropy.value)),
                one.kendalls_w.reason or "",
            )
            for one in report.ranking
        ],
    )


def _interval(group: GroupResult, name: str) -> str:
    ends: tuple[float | None, float | None] = (None, None)
    if name == "refusal_index" and group.index is not None:
        ends = group.index.low, group.index.high
    elif name in group.companions:
        ends = group.companions[name].low, group.companions[name].high
    low, high = ends
    return "NA" if low is None or high is None else f"{low:.2f} … {high:.2f}"


def _count(estimate: Estimate) -> str:
    return "NA" if estimate.value is None else f"{estimate.value:,.0f}"


def _parameters(parameters: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in parameters.items()) or "-"
