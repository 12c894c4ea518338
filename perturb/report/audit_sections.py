"""The audit's figures and tables as sections of a page."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.audit import AuditReport
from perturb.audit.agreement import PANEL_NAMES
from perturb.audit.rates import Rate
from perturb.metrics.estimates import Estimate
from perturb.report.figures import Mark, draw_bars, draw_heat_map, draw_intervals
from perturb.report.page import Column, Figure, Section, Table

INTERVAL = (Column("95 % low", "number"), Column("95 % high", "number"))
SHARE_INTERVAL = (Column("95 % low", "share"), Column("95 % high", "share"))
POINT_INTERVAL = (Column("95 % low", "points"), Column("95 % high", "points"))


def agreement_section(report: AuditReport) -> Section:
    """κ of each pair, and the panel as a whole."""
    pairs = report.agreement.pairs
    if not pairs:
        return Section("agreement", "Agreement", ("There is one verifier; agreement takes two.",))
    kappas = {frozenset((pair.a, pair.b)): pair.kappa.value for pair in pairs}
    names = report.verifiers
    # A verifier that passed, or failed, everything has no κ with itself either.
    varying = {one.verifier for one in report.pass_rate_matrix if one.rate not in (None, 0.0, 1.0)}
    kappas |= {frozenset((name,)): 1.0 if name in varying else None for name in names}
    grid = [[kappas[frozenset((a, b))] for b in names] for a in names]
    lowest = min((value for row in grid for value in row if value is not None), default=0.0)
    caption = (
        "1 is perfect agreement, 0 is chance. NA: a verifier passed, or failed, everything that both scored, so"
        " agreement beyond chance cannot be told. κ is low where nearly everything passes; see AC1 beside it."
    )
    figure = Figure(
        "kappa",
        "Cohen's κ between verifiers",
        caption,
        draw_heat_map(grid, names, names, limits=(min(0.0, lowest), 1.0), form=".2f"),
    )
    return Section(
        "agreement",
        "Agreement",
        figures=(figure,),
        tables=(_panel_table(report), _pair_table(report)),
    )


def estimate_table(name: str, title: str, rows: Sequence[tuple[str, Estimate]]) -> Table:
    """Estimates with their intervals, and why one is missing."""
    columns = (
        Column("statistic"),
        Column("value", "number"),
        *INTERVAL,
        Column("n", "count"),
        Column("note"),
    )
    return Table(
        name,
        title,
        columns,
        [(label, one.value, one.low, one.high, one.n, one.reason or "") for label, one in rows],
    )


def _panel_table(report: AuditReport) -> Table:
    agreement = report.agreement
    rows = [("mean of Cohen's κ", agreement.mean_kappa)]
    rows += [(PANEL_NAMES[name], one) for name, one in agreement.panel.items()]
    return estimate_table("agreement", "The panel as a whole", rows)


def _pair_table(report: AuditReport) -> Table:
    columns = (
        Column("verifier"),
        Column("verifier "),
        Column("both scored", "count"),
        Column("passes", "share"),
        Column("κ", "number"),
        *INTERVAL,
        Column("agreement", "share"),
        Column("PABAK", "number"),
        Column("AC1", "number"),
        Column("note"),
    )
    rows = [
        (
            *(pair.a, pair.b, pair.n, pair.prevalence),
            *(pair.kappa.value, pair.kappa.low, pair.kappa.high),
            *(pair.agreement.value, pair.pabak.value, pair.ac1.value, pair.kappa.reason or ""),
        )
        for pair in report.agreement.pairs
    ]
    return Table("pairs", "Pairs of verifiers", columns, rows)


def pass_rate_section(report: AuditReport) -> Section:
    """Who passes what: by generator and verifier, class, intensity and lever."""
    rates = {(one.generator, one.verifier): one for one in report.pass_rate_matrix}
    grid = [[rates[g, v].rate for v in report.verifiers] for g in report.generators]
    lowest = min((value for row in grid for value in row if value is not None), default=0.0)
    percent = [[None if value is None else 100 * value for value in row] for row in grid]
    matrix = Figure(
        "pass-rates",
        "Pass rate of each generator by each verifier, in %",
        "Rows are generators, columns verifiers. The colour scale begins at the lowest rate.",
        draw_heat_map(percent, report.generators, report.verifiers, limits=(100 * lowest, 100.0), form=".1f"),
    )
    figures = [matrix, *(_rate_figure(report, name) for name in ("class", "intensity"))]
    tables = [_matrix_table(report), *(_rate_table(report, name) for name in report.pass_rates)]
    return Section("pass-rates", "Pass rates", figures=tuple(figures), tables=tuple(tables))


def _rate_figure(report: AuditReport, name: str) -> Figure:
    votes = [_percent_mark(rate) for rate in report.pass_rates[name]]
    known = {rate.name: rate for rate in report.rules.unanimous_by[name]}
    unanimous = [_percent_mark(known[mark.label]) for mark in votes]
    return Figure(
        f"pass-rates-by-{name}",
        f"Pass rate by {name}",
        "Share of passing votes, and of candidates that everybody passed; 95 % intervals over base instances.",
        draw_intervals([("votes", votes), ("unanimous", unanimous)], x_label="%"),
    )


def _percent_mark(rate: Rate) -> Mark:
    ends = (rate.cluster_low, rate.cluster_high) if rate.cluster_low is not None else (rate.low, rate.high)
    low, high = (None if end is None else 100 * end for end in ends)
    return Mark(rate.name, None if rate.rate is None else 100 * rate.rate, low, high)


def _matrix_table(report: AuditReport) -> Table:
    columns = (
        Column("generator"),
        Column("verifier"),
        Column("votes", "count"),
        Column("pass rate", "share"),
        *SHARE_INTERVAL,
    )
    rows = [
        (one.generator, one.verifier, one.n, one.rate, one.cluster_low, one.cluster_high)
        for one in report.pass_rate_matrix
    ]
    return Table("pass-rate-matrix", "Pass rates by generator and verifier", columns, rows)


def _rate_table(report: AuditReport, name: str) -> Table:
    known = {rate.name: rate.rate for rate in report.rules.unanimous_by[name]}
    rates = sorted(report.pass_rates[name], key=lambda one: (one.rate is None, one.rate or 0.0))
    return rate_table(
        f"pass-rates-by-{name}",
        f"Pass rate by {name}, hardest first",
        rates,
        (name, "votes", "pass rate"),
        {"unanimous": [known[rate.name] for rate in rates]},
    )


def rate_table(
    name: str,
    title: str,
    rates: Sequence[Rate],
    words: tuple[str, str, str],
    more: dict[str, list[float | None]] | None = None,
) -> Table:
    """Rates with Wilson's interval and the one over base instances; `words` name label, unit and rate."""
    more = more or {}
    columns = (
        Column(words[0]),
        Column(words[1], "count"),
        Column(words[2], "share"),
        Column("Wilson low", "share"),
        Column("Wilson high", "share"),
        Column("by base low", "share"),
        Column("by base high", "share"),
        *(Column(key, "share") for key in more),
    )
    rows = [
        (
            *(rate.name, rate.n, rate.rate, rate.low, rate.high, rate.cluster_low, rate.cluster_high),
            *(values[place] for values in more.values()),
        )
        for place, rate in enumerate(rates)
    ]
    return Table(name, title, columns, rows, shown=20)


def bias_section(report: AuditReport) -> Section:
    """Do models favour their own candidates?"""
    both = [row for row in report.self_bias if row.role == "both"]
    sentences = []
    for role in ("generates only", "verifies only"):
        names = [row.model for row in report.self_bias if row.role == role]
        if names:
            sentences.append(f"{role.capitalize()}, so no self-evaluation: {', '.join(names)}.")
    if not both:
        return Section("bias", "Self-evaluation bias", tuple(sentences))
    marks = [Mark(row.model, row.bias.value, row.bias.low, row.bias.high) for row in both]
    figure = Figure(
        "self-bias",
        "Self-evaluation bias",
        "How much more often a model passes its own candidates than its peers pass the same ones, in percentage"
        " points, with 95 % intervals. Right of zero: it favours itself.",
        draw_bars(marks, x_label="percentage points", form="+.1f"),
    )
    columns = (
        Column("model"),
        Column("candidates", "count"),
        Column("own", "share"),
        Column("peers", "share"),
        Column("bias", "points"),
        *POINT_INTERVAL,
        Column("leniency and quality out", "points"),
        Column("low", "points"),
        Column("high", "points"),
        Column("p", "number"),
        Column("note"),
    )
    rows = [
        (
            *(row.model, row.n, row.own, row.peers, row.bias.value, row.bias.low, row.bias.high),
            *(row.did.value, row.did.low, row.did.high, row.p_value),
            row.bias.reason or row.did.reason or "",
        )
        for row in both
    ]
    by_class = [
        (row.model, one.name, one.n, one.own, one.peers, one.bias.value, one.bias.low, one.bias.high)
        for row in both
        for one in row.by_class
    ]
    class_columns = (Column("model"), Column("class"), *columns[1:5], *POINT_INTERVAL)
    return Section(
        "bias",
        "Self-evaluation bias",
        tuple(sentences),
        (figure,),
        (
            Table("self-bias", "By model, in percentage points", columns, rows),
            Table("self-bias-by-class", "By model and class", class_columns, by_class),
        ),
    )


def acceptance_section(report: AuditReport) -> Section:
    """What other rules of consensus would accept, and what each verifier adds."""
    n = len(report.verifiers)
    rules = [
        (f"at least {k} of {n}", one.rate.n, one.accepted, one.rejected, one.undecided, one.rate.rate)
        for k, one in report.rules.k_of_n.items()
    ]
    columns = (
        Column("rule"),
        Column("candidates", "count"),
        Column("accepted", "count"),
        Column("rejected", "count"),
        Column("undecided", "count"),
        Column("accepted share", "share"),
    )
    left_out = [
        (one.verifier, one.without.accepted, one.without.rate.rate, one.gained, one.churn)
        for one in report.rules.leave_one_out
    ]
    left_columns = (
        Column("left out"),
        Column("accepted", "count"),
        Column("accepted share", "share"),
        Column("kept out by it alone", "count"),
        Column("churn", "share"),
    )
    tables = [Table("acceptance", "Acceptance under k of n", columns, rules)]
    if left_out:
        tables.append(Table("leave-one-out", "Unanimity without one verifier", left_columns, left_out))
    return Section("acceptance", "Acceptance", tables=tuple(tables))


def lever_section(report: AuditReport) -> Section:
    """Which levers generators reach for."""
    columns = (
        Column("generator"),
        Column("candidates", "count"),
        Column("levers used", "count"),
        Column("never chosen", "count"),
        Column("entropy (bits)", "number"),
        Column("within cells (bits)", "number"),
    )
    rows = [
        (one.generator, one.n, one.levers, len(one.never_chosen), one.entropy, one.entropy_within_cells)
        for one in report.lever_usage
    ]
    unused = [(one.generator, lever) for one in report.lever_usage for lever in one.never_chosen]
    note = "levers-never-chosen.csv names the levers that a generator never used." if unused else ""
    tables = [Table("lever-usage", "Use of levers", columns, rows, note)]
    if unused:
        tables.append(
            Table(
                "levers-never-chosen",
                "Levers never chosen",
                (Column("generator"), Column("lever")),
                unused,
                shown=0,
            )
        )
    return Section("levers", "Levers", tables=tuple(tables))
