"""The audit of a panel as sections of a report: of the verifiers of a build, or of the judges of an evaluation.

A certificate is the estimate of how many labels are wrong, from items with known faults that were planted among the
candidates. The columns of tables are written `heading = attribute.path: format`: see `perturb.reports.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.auditing.agreement import PANEL_NAMES, effective_votes
from perturb.auditing.audit_report import AuditReport
from perturb.auditing.bias import SelfBias
from perturb.auditing.certificate import CAVEAT, Certificate, PlantedVerdicts
from perturb.auditing.judge_audit import JudgeAudit, audit_judges, panel_of
from perturb.auditing.rates import Rate
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import read_judge_votes
from perturb.metrics.inputs import Estimate
from perturb.records import LABEL_FAULTS, JsonObject, taxonomy_place
from perturb.reports.figures import Mark, draw_bars, draw_heat_map, draw_intervals
from perturb.reports.model import Figure, Report, Section, Table, TableRows, show
from perturb.reports.words import describe_audit, describe_certificate, is_certain
from perturb.text.wording import capitalised, counted, listed


def make_audit_report(report: AuditReport, by: Collection[str]) -> Report:
    """The report of an audit by itself; `by` names the pass rates to list."""
    subtitle = (
        f"{counted(report.n_votes, 'vote')} by {counted(len(report.verifiers), 'verifier')},"
        f" {counted(report.n_candidates, 'candidate')} of {counted(len(report.generators), 'generator')}"
    )
    sentences = list(describe_audit(report))
    if report.certificate is not None:
        certified = describe_certificate(report.certificate.to_dict(), len(report.verifiers))
        sentences = [*certified, *sentences]
    summary = Section("summary", "Summary", sentences, verdict=report.unfinished)
    return Report(f"Audit of {report.source}", subtitle, (summary, *audit_sections(report, by)))


def audit_sections(report: AuditReport, by: Collection[str] | None = None) -> list[Section]:
    """The certificate if items were planted, then agreement, pass rates, bias, acceptance and levers.

    `by` names the breakdowns of pass rates that are listed in full; by default the start of each is.
    """
    sections = [
        _agreement(report),
        _pass_rates(report, by),
        _bias(report),
        _acceptance(report),
        _levers(report),
    ]
    return [certificate_section(report.certificate), *sections] if report.certificate else sections


def certificate_section(certificate: Certificate) -> Section:
    """The section on planted items: verdicts of each verifier and of the panel."""
    verdicts = certificate.verdicts
    tables = [
        estimate_table("certificate", "The whole", _wrong_label_estimates(certificate)),
        Table(
            "planted",
            "Planted faults passed and right items failed",
            "verifier | faults passed: share | right items failed: share | wrong labels in what it passes: share",
            _planted_by_voter(certificate),
            "A verifier passes some candidates that the panel rejects. Planted faults tell little about these. At the"
            " upper end, they are wrong as often as all candidates that the panel rejects.",
        ),
        Table(
            "planted-kinds",
            "Planted faults caught, by kind",
            "kind | verifier | faults: count | caught: share",
            _caught_by_kind(verdicts),
            "A lever or a degree that is not as claimed may go with a right label: both stay out of the estimate.",
        ),
        Table(
            "certificate-classes",
            "Wrong labels, by class",
            "class | faults: count | wrong labels: share",
            _wrong_labels_by_class(certificate),
        ),
    ]
    votes = effective_votes(verdicts.errors)
    n_votes = votes.reason if votes.value is None else f"{votes.value:.1f} of {len(verdicts.verifiers)}"
    sentences = (f"Effective number of votes: {n_votes}.", f"{capitalised(CAVEAT)}.")
    return Section("certificate", "How many labels are wrong", sentences, tables=tables)


def _wrong_label_estimates(certificate: Certificate) -> list[tuple[str, Estimate]]:
    """By planted items and, if people also judged items, by people and by both together."""
    estimates = [("wrong labels, by planted items", certificate.wrong_labels())]
    by_both = certificate.combined() if certificate.people else None
    if certificate.people and by_both:
        estimates += [("by people", certificate.people.estimate), ("by both", by_both)]
    return estimates


def _voters(verdicts: PlantedVerdicts) -> list[tuple[str, int | None]]:
    """The name of each verifier with its position, then the panel with None, as `PlantedVerdicts.passes` takes them."""
    voters: list[tuple[str, int | None]] = [(name, place) for place, name in enumerate(verdicts.verifiers)]
    return [*voters, ("the panel", None)]


def _planted_by_voter(certificate: Certificate) -> TableRows:
    verdicts = certificate.verdicts
    faults, right = verdicts.faults, verdicts.right
    rows: TableRows = []
    for name, place in _voters(verdicts):
        wrong_labels = certificate.wrong_labels() if place is None else certificate.wrong_labels_alone(name)
        faults_passed = verdicts.passes(faults, place)
        right_failed = verdicts.passes(right, place).misses  # the decided items that did not pass
        rows.append([name, faults_passed.estimate(), right_failed.estimate(), wrong_labels])
    return rows


def _caught_by_kind(verdicts: PlantedVerdicts) -> TableRows:
    rows: TableRows = []
    for kind in (*LABEL_FAULTS, "lever", "degree"):
        for name, place in _voters(verdicts):
            caught = verdicts.passes(verdicts.of_kinds(kind), place).misses
            if caught.n:
                rows.append([kind, name, int(caught.n), caught.estimate()])
    return rows


def _wrong_labels_by_class(certificate: Certificate) -> TableRows:
    rows: TableRows = []
    for name in certificate.verdicts.classes:
        share = certificate.wrong_labels_of(name)
        if share is not None:
            rows.append([name, share.n, share])
    return rows


def estimate_table(name: str, title: str, rows: Sequence[tuple[str, Estimate]]) -> Table:
    """A table with a row for each named estimate."""
    columns = "statistic | value: number | n: count"
    return Table(name, title, columns, [(label, estimate, estimate.n) for label, estimate in rows])


def _agreement(report: AuditReport) -> Section:
    pairs = report.agreement.pairs
    if not pairs:
        return Section("agreement", "Agreement", ("There is one verifier; agreement takes two.",))
    figure = kappa_figure(report, "kappa", "Cohen's κ between verifiers")
    panel = [("mean of Cohen's κ", report.agreement.mean_kappa)]
    panel += [(PANEL_NAMES[name], estimate) for name, estimate in report.agreement.panel.items()]
    tables = (
        estimate_table("agreement", "The panel as a whole", panel),
        Table.of(
            "pairs",
            "Pairs of verifiers, with Cohen's κ",
            (
                "verifier = a | other verifier = b | n: count | passes = prevalence: share"
                " | κ = kappa: number | agreement = agreement.value: share"
                " | PABAK = pabak.value: number | AC1 = ac1.value: number"
            ),
            pairs,
        ),
    )
    return Section("agreement", "Agreement", figures=(figure,), tables=tables)


def kappa_figure(report: AuditReport, name: str, title: str) -> Figure:
    """κ of each pair as a heat map."""
    kappas = {frozenset((pair.a, pair.b)): pair.kappa.value for pair in report.agreement.pairs}
    names = report.verifiers
    # A verifier agrees with itself, so κ is 1 on the diagonal. Without any variance κ is undefined there as well.
    for verifier in names:
        rates = {entry.passes.rate for entry in report.pass_rate_matrix if entry.verifier == verifier}
        has_no_variance = rates <= {None, 0.0} or rates <= {None, 1.0}
        kappas[frozenset((verifier,))] = None if has_no_variance else 1.0
    grid = [[kappas[frozenset((a, b))] for b in names] for a in names]
    return Figure(
        name,
        title,
        "1 is perfect agreement, 0 is chance. NA: one of the two passed, or failed, everything that both scored, so"
        " agreement beyond chance cannot be determined. κ is low where nearly everything passes; see AC1 beside it.",
        draw_heat_map(grid, names, names, limits=(min(0.0, _lowest(grid)), 1.0), form=".2f"),
    )


def _lowest(grid: Sequence[Sequence[float | None]]) -> float:
    """The lowest value that is not None; 0 if there is none."""
    return min((value for row in grid for value in row if value is not None), default=0.0)


# How many rows of a breakdown of pass rates are shown if no breakdown was asked for.
_ROWS_AT_START = 20


def _pass_rates(report: AuditReport, by: Collection[str] | None) -> Section:
    rates_of_generators: dict[str, list[Rate]] = {}
    for entry in report.pass_rate_matrix:
        rates_of_generators.setdefault(entry.generator, []).append(entry.passes)
    figures = [
        _rate_map(
            "pass-rates",
            "Pass rate of each generator by each verifier, in %",
            "Rows are generators, columns verifiers.",
            rates_of_generators,
            report.verifiers,
        )
    ]
    if len(report.generators) > 1:
        for name, rates in report.generator_rates.items():
            labels = [rate.name for rate in report.pass_rates[name]]
            title = f"Pass rate of each generator by {name}, in %"
            figures.append(
                _rate_map(f"pass-rates-generator-{name}", title, "Votes of all verifiers.", rates, labels)
            )
    figures += [
        _rate_figure(report, name) for name in ("language", "class", "intensity") if name in report.pass_rates
    ]
    tables = [
        Table.of(
            "pass-rate-matrix",
            "Pass rate of each generator by each verifier",
            "generator | verifier | votes = passes.n: count | pass rate = passes.estimate: share",
            report.pass_rate_matrix,
        )
    ]
    # False sorts before True, so the table by lever, which is the longest, comes last.
    for name in sorted(report.pass_rates, key=lambda name: name == "lever"):
        n_shown = 0  # the CSV file alone has the rows
        if by is None:
            n_shown = _ROWS_AT_START
        elif name in by:
            n_shown = len(report.pass_rates[name])
        tables.append(_rate_table(report, name, n_shown))
    return Section("pass-rates", "Pass rates", figures=figures, tables=tables)


def _rate_figure(report: AuditReport, name: str) -> Figure:
    unanimous_rates = {rate.name: rate for rate in report.rules.unanimous_by[name]}
    rates = report.pass_rates[name]
    votes = [Mark.of(rate.name, rate.estimate, 100) for rate in rates]
    unanimous = [Mark.of(rate.name, unanimous_rates[rate.name].estimate, 100) for rate in rates]
    return Figure(
        f"pass-rates-by-{name}",
        f"Pass rate by {name}",
        "Share of passing votes, and of candidates that everybody passed; 95 % intervals over base instances.",
        draw_intervals([("votes", votes), ("unanimous", unanimous)], x_label="%"),
    )


def _rate_map(
    name: str,
    title: str,
    caption: str,
    rates_of_generators: Mapping[str, Sequence[Rate]],
    columns: Sequence[str],
) -> Figure:
    """Pass rates in percent; each generator has its rates in the order of the columns."""
    grid = [
        [None if rate.rate is None else 100 * rate.rate for rate in rates]
        for rates in rates_of_generators.values()
    ]
    limits = (_lowest(grid), 100.0)
    return Figure(
        name,
        title,
        f"{caption} The colour scale begins at the lowest rate.",
        draw_heat_map(grid, list(rates_of_generators), columns, limits=limits, form=".1f"),
    )


def _rate_table(report: AuditReport, name: str, n_shown: int) -> Table:
    unanimous = {rate.name: rate.rate for rate in report.rules.unanimous_by[name]}
    # The hardest first, and what nobody scored last.
    rates = sorted(report.pass_rates[name], key=lambda rate: (rate.rate is None, rate.rate or 0.0))
    return Table.of(
        f"pass-rates-by-{name}",
        f"Pass rate by {name}, hardest first",
        f"{name} = rate.name | votes = rate.n: count | pass rate = rate.estimate: share | unanimous: share",
        [{"rate": rate, "unanimous": unanimous[rate.name]} for rate in rates],
        shown=n_shown,
    )


def _bias(report: AuditReport) -> Section:
    both_roles = [row for row in report.self_bias if row.role == "both"]
    sentences = [report.caveat] if report.caveat else []
    for role in ("generates only", "verifies only"):
        names = [row.model for row in report.self_bias if row.role == role]
        if names:
            sentences.append(f"{role.capitalize()}, so no self-evaluation: {', '.join(names)}.")
    if not both_roles:
        return Section("bias", "Self-evaluation bias", sentences)
    marks = [Mark.of(row.model, row.bias) for row in both_roles]
    figure = Figure(
        "self-bias",
        "Self-evaluation bias",
        "How much more often a model passes its own candidates than its peers pass the same ones, in percentage"
        " points, with 95 % intervals. Right of zero: it favours itself.",
        draw_bars(marks, x_label="percentage points", form="+.1f"),
    )
    by_model = Table.of(
        "self-bias",
        "By model, in percentage points",
        "model | n: count | own: share | peers: share | bias: points"
        " | leniency and quality out = did: points | p = p_value: number",
        both_roles,
    )
    by_class = Table.of(
        "self-bias-by-class",
        "By model and class",
        "model | class = of_class.name | n = of_class.n: count | own = of_class.own: share"
        " | peers = of_class.peers: share | bias = of_class.bias: points",
        [{"model": row.model, "of_class": of_class} for row in both_roles for of_class in row.by_class],
    )
    figures = (figure, _bias_by_class(both_roles))
    return Section("bias", "Self-evaluation bias", sentences, figures, (by_model, by_class))


def _bias_by_class(rows: Sequence[SelfBias]) -> Figure:
    """The bias of each model by class as a heat map (RefusalBench, figure 13)."""
    names = sorted({of_class.name for row in rows for of_class in row.by_class}, key=taxonomy_place)
    biases = [{of_class.name: of_class.bias.value for of_class in row.by_class} for row in rows]
    values = [[by_class.get(name) for name in names] for by_class in biases]
    # Limits on both sides of 0, so that the middle colour means no bias.
    largest = max((abs(value) for row in values for value in row if value is not None), default=1.0)
    return Figure(
        "self-bias-by-class",
        "Self-evaluation bias by class",
        "The same by class of perturbation, in percentage points; intervals are in the table.",
        draw_heat_map(values, [row.model for row in rows], names, limits=(-largest, largest), form="+.1f"),
    )


def _acceptance(report: AuditReport) -> Section:
    """What other rules of consensus would accept, and what each verifier adds."""
    n = len(report.verifiers)
    rules = [("unanimous", report.rules.unanimous)]
    some_absent = any(n_judged < report.n_candidates for n_judged in report.judged.values())
    voters = " who judge it" if some_absent else ""
    rules += [(f"at least {k} of {n}{voters}", rate) for k, rate in report.rules.k_of_n.items()]
    accepted = Table.of(
        "acceptance",
        "Accepted by the panel",
        "rule = name | candidates = rule.rate.n: count | accepted = rule.accepted: count"
        " | rejected = rule.rejected: count | undecided = rule.undecided: count | rate = rule.rate.estimate: share",
        [{"name": name, "rule": rule} for name, rule in rules],
    )
    without = Table.of(
        "leave-one-out",
        "Unanimity without one verifier",
        (
            "left out = verifier | accepted = without.accepted: count"
            " | rate = without.rate.rate: share | kept out by it alone = gained: count"
            " | churn: share"
        ),
        report.rules.leave_one_out,
    )
    return Section("acceptance", "Acceptance", tables=(accepted, without))


def _levers(report: AuditReport) -> Section:
    usage = Table.of(
        "lever-usage",
        "Levers by generator",
        "generator | candidates = n: count | levers used = levers: count | never chosen = left_out: count"
        " | entropy (bits) = entropy: number | within cells (bits) = entropy_within_cells: number",
        report.lever_usage,
    )
    never_chosen = Table(
        "levers-never-chosen",
        "Levers never chosen",
        "generator | lever",
        [(usage.generator, lever) for usage in report.lever_usage for lever in usage.never_chosen],
        shown=0,
    )
    return Section("levers", "Levers", tables=(usage, never_chosen))


# The rule of a panel of judges → when a judgement stands.
_DECIDED = {"majority": "more than half of them say the same", "unanimity": "all of them say the same"}


def make_judges_report(audit: JudgeAudit) -> Report:
    """The audit of several judges by itself."""
    subtitle = f"{listed(list(audit.judges))}; a judgement stands if {_DECIDED[audit.rule]}"
    return Report(f"Judges of {audit.source}", subtitle, (judges_section(audit),))


def judges_section_of_run(run: Path, *, seed: int = 0, resamples: int = 1000) -> Section | None:
    """The section for an evaluation with several judges that have voted; None for any other."""
    with reading(run) as db:
        if not panel_of(db) or next(read_judge_votes(db), None) is None:
            return None
    return judges_section(audit_judges(run, seed=seed, resamples=resamples))


def judges_section(audit: JudgeAudit) -> Section:
    """The section on several judges; each table has its rows by kind of judgement.

    The audit of judges is an `AuditReport` for each kind. Its generators are the models that replied, its verifiers
    the judges, and its candidates the replies.
    """

    def rows(entries_of: Callable[[AuditReport], Iterable[Any]]) -> list[JsonObject]:
        """The entries of all reports, each with its kind of judgement."""
        return [
            {"kind": kind, "entry": entry}
            for kind, judged in audit.kinds.items()
            for entry in entries_of(judged.report)
        ]

    tables = [
        Table.of(
            "judges",
            "What the panel comes to",
            "judgement = kind | replies = entry.judged: count | undecided = entry.undecided: count"
            " | mean κ = entry.report.agreement.mean_kappa: number"
            " | Krippendorff's α = entry.report.agreement.panel.alpha: number",
            [{"kind": kind, "entry": judged} for kind, judged in audit.kinds.items()],
        ),
        Table.of(
            "judges-pairs",
            "Pairs of judges",
            "judgement = kind | judge = entry.a | other judge = entry.b | replies = entry.n: count"
            " | agreement = entry.agreement: share | κ = entry.kappa: number | AC1 = entry.ac1: number",
            rows(lambda report: report.agreement.pairs),
        ),
        Table.of(
            "judges-credit",
            "Share of replies that a judge credits",
            "judgement = kind | model = entry.generator | judge = entry.verifier | replies = entry.passes.n: count"
            " | credited = entry.passes.estimate: share",
            rows(lambda report: report.pass_rate_matrix),
        ),
        Table.of(
            "judges-bias",
            "Judges on their own replies, in percentage points",
            "judgement = kind | model = entry.model | replies = entry.n: count | own = entry.own: share"
            " | others = entry.peers: share | bias = entry.bias: points"
            " | leniency and quality out = entry.did: points",
            rows(lambda report: [row for row in report.self_bias if row.role == "both"]),
        ),
    ]
    figures = [
        kappa_figure(judged.report, f"judges-kappa-{kind}", f"Cohen's κ between judges: {kind}")
        for kind, judged in audit.kinds.items()
    ]
    return Section("judges", "Judges", tuple(_describe_judges(audit)), figures, tables)


def _describe_judges(audit: JudgeAudit) -> Iterator[str]:
    for kind, judged in audit.kinds.items():
        kappa, n_pairs = judged.report.agreement.mean_kappa, len(judged.report.agreement.pairs)
        if kappa.value is None:
            agreement = kappa.reason  # why there is no κ
        else:
            defined_pairs = f" over {kappa.n} of {counted(n_pairs, 'pair')}" if kappa.n < n_pairs else ""
            agreement = f"a mean Cohen's κ of {show(kappa, 'number')}{defined_pairs}"
        yield (
            f"{kind}: {counted(len(audit.judges), 'judge')} ({agreement}) leave"
            f" {counted(judged.undecided, 'judgement')} of {judged.judged:,} undecided."
        )
        for row in judged.report.self_bias:
            if is_certain(row.bias):
                bias = row.bias.value or 0.0
                direction = "more" if bias > 0 else "less"
                yield (
                    f"{kind}: {row.model} credits its own replies {abs(bias):.1f} percentage points"
                    f" {direction} often than the other judges do ({show(row.bias, 'points')})."
                )
