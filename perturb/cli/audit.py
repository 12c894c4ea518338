"""`perturb audit`: do the verifiers agree, and are they partial."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perturb.cli.output import note, number, percent, print_json, print_table, print_title, span

if TYPE_CHECKING:
    from perturb.audit import AuditReport
    from perturb.audit.rates import Rate
    from perturb.metrics.estimates import Estimate


class Grouping(StrEnum):
    """What pass rates can be listed by."""

    CLASS = "class"
    INTENSITY = "intensity"
    LEVER = "lever"
    GENERATOR = "generator"


def audit_command(
    source: Annotated[
        Path,
        typer.Argument(
            help="A run folder, or a .jsonl, .csv or .parquet table of votes.", show_default=False
        ),
    ],
    by: Annotated[
        list[Grouping] | None,
        typer.Option(help="List pass rates by this; may be repeated. [default: class, intensity]"),
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples behind each interval.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print every figure as JSON.")] = False,
) -> None:
    """Show agreement, self-preference and pass rates from stored votes; asks no model.

    Example: perturb audit outputs/demo --by class --by lever
    """
    from perturb.audit import audit

    report = audit(source, seed=seed, resamples=resamples)
    if json_output:
        print_json(report.to_dict())
        return
    if report.basis.note:
        note(f"note: {report.basis.note}")
    _print_head(report)
    _print_agreement(report)
    _print_matrix(report)
    _print_bias(report)
    _print_acceptance(report)
    _print_left_out(report)
    for grouping in by or (Grouping.CLASS, Grouping.INTENSITY):
        _print_rates(grouping, report.pass_rates[grouping], report.rules.unanimous_by[grouping])
    _print_levers(report)


def _print_head(report: AuditReport) -> None:
    typer.echo(
        f"{report.source}: {report.n_votes} votes by {len(report.verifiers)} verifiers on {report.n_candidates}"
        f" candidates of {len(report.generators)} generators"
    )
    unscored = {name: n for name, n in report.unscored.items() if n}
    if unscored:
        typer.echo("unscored: " + ", ".join(f"{name} {n}" for name, n in unscored.items()))


def _print_agreement(report: AuditReport) -> None:
    from perturb.audit.agreement import PANEL_NAMES

    agreement = report.agreement
    if agreement.pairs:
        print_title("Cohen's κ between verifiers")
        values = {frozenset((pair.a, pair.b)): pair.kappa.value for pair in agreement.pairs}
        rows = [
            [a, *("1" if a == b else number(values[frozenset((a, b))]) for b in report.verifiers)]
            for a in report.verifiers
        ]
        print_table(("", *report.verifiers), rows)
        print_title("Pairs")
        header = ("pair", "both scored", "passes", "κ", "95 %", "agreement", "AC1", "note")
        print_table(
            header,
            [
                (
                    f"{pair.a} / {pair.b}",
                    pair.n,
                    percent(pair.prevalence),
                    number(pair.kappa.value),
                    span(pair.kappa.low, pair.kappa.high),
                    percent(pair.agreement.value),
                    number(pair.ac1.value),
                    pair.kappa.reason or "",
                )
                for pair in agreement.pairs
            ],
        )
    print_title("The panel as a whole")
    estimates = [("mean of Cohen's κ", agreement.mean_kappa)]
    estimates += [(name, agreement.panel[key]) for key, name in PANEL_NAMES.items()]
    print_table(("statistic", "value", "95 %", "note"), [_estimate_row(*one) for one in estimates])


def _print_matrix(report: AuditReport) -> None:
    print_title("Pass rate of each generator by each verifier")
    rates = {(one.generator, one.verifier): one for one in report.pass_rate_matrix}
    rows = [
        [generator, *(percent(rates[generator, verifier].rate) for verifier in report.verifiers)]
        for generator in report.generators
    ]
    print_table(("generator", *report.verifiers), rows)


def _print_bias(report: AuditReport) -> None:
    both = [row for row in report.self_bias if row.role == "both"]
    if both:
        print_title("Self-evaluation bias, in percentage points")
        header = ("model", "n", "self", "peers", "bias", "95 %", "leniency and quality out", "95 %", "p")
        print_table(
            header,
            [
                (
                    row.model,
                    row.n,
                    *(percent(row.own), percent(row.peers)),
                    *(_points(row.bias.value), span(row.bias.low, row.bias.high, "+.1f")),
                    *(_points(row.did.value), span(row.did.low, row.did.high, "+.1f")),
                    number(row.p_value, ".3f"),
                )
                for row in both
            ],
        )
        for reason in sorted({row.did.reason for row in both if row.did.value is None and row.did.reason}):
            typer.echo(f"NA: {reason}")
    for role in ("generates only", "verifies only"):
        names = [row.model for row in report.self_bias if row.role == role]
        if names:
            typer.echo(f"\n{role}, so no self-evaluation: {', '.join(names)}")


def _print_acceptance(report: AuditReport) -> None:
    print_title("Accepted by the panel")
    rules = [("unanimous", report.rules.unanimous)]
    rules += [(f"at least {k} of {len(report.verifiers)}", one) for k, one in report.rules.k_of_n.items()]
    header = ("rule", "candidates", "accepted", "rejected", "undecided", "rate", "95 %")
    print_table(
        header,
        [
            (
                *(name, one.rate.n, one.accepted, one.rejected, one.undecided),
                *(percent(one.rate.rate), _percent_span(one.rate.cluster_low, one.rate.cluster_high)),
            )
            for name, one in rules
        ],
    )


def _print_left_out(report: AuditReport) -> None:
    if not report.rules.leave_one_out:
        return
    print_title("Unanimity without one verifier")
    header = ("left out", "accepted", "rate", "kept out by it alone", "churn")
    print_table(
        header,
        [
            (
                *(row.verifier, row.without.accepted, percent(row.without.rate.rate)),
                *(row.gained, percent(row.churn)),
            )
            for row in report.rules.leave_one_out
        ],
    )


def _print_rates(grouping: Grouping, rates: Sequence[Rate], unanimous: Sequence[Rate]) -> None:
    print_title(f"Pass rate by {grouping}, hardest first")
    accepted = {rate.name: rate.rate for rate in unanimous}
    known = sorted(rates, key=lambda rate: (rate.rate is None, rate.rate or 0.0))
    header = (str(grouping), "votes", "pass rate", "95 % (Wilson)", "95 % (base instances)", "unanimous")
    print_table(
        header,
        [
            (
                *(rate.name, rate.n, percent(rate.rate), _percent_span(rate.low, rate.high)),
                *(_percent_span(rate.cluster_low, rate.cluster_high), percent(accepted[rate.name])),
            )
            for rate in known
        ],
    )


def _print_levers(report: AuditReport) -> None:
    print_title("Levers by generator")
    header = ("generator", "candidates", "levers used", "never chosen", "entropy (bits)", "within cells")
    print_table(
        header,
        [
            (
                *(usage.generator, usage.n, usage.levers, len(usage.never_chosen)),
                *(usage.entropy, usage.entropy_within_cells),
            )
            for usage in report.lever_usage
        ],
    )


def _estimate_row(name: str, estimate: Estimate) -> tuple[Any, ...]:
    value = number(estimate.value)
    return name, value, span(estimate.low, estimate.high), estimate.reason or ""


def _points(value: float | None) -> str:
    return number(value, "+.2f")


def _percent_span(low: float | None, high: float | None) -> str:
    return "NA" if low is None or high is None else f"{100 * low:.1f} … {100 * high:.1f} %"
