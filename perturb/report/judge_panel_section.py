"""Several judges of an evaluation as a section of a report: agreement, bias, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from perturb.audit.judge_audit import JudgeAudit, audit_judges, panel_of
from perturb.metrics.estimates import Estimate
from perturb.report.audit_sections import kappa_figure, rate_estimate
from perturb.report.model import Report, Section, Table, show
from perturb.report.words import is_certain
from perturb.store.calls import reading
from perturb.store.evaluations import read_judge_votes
from perturb.wording import counted, listed

_DECIDED = {"majority": "more than half of them say the same", "unanimity": "all of them say the same"}


def make_panel_report(found: JudgeAudit) -> Report:
    """The audit of several judges by itself."""
    subtitle = f"{listed(list(found.judges))}; a judgement stands if {_DECIDED[found.rule]}"
    return Report(f"Judges of {found.source}", subtitle, (judge_panel_section(found),))


def panel_section(run: Path, *, seed: int = 0, resamples: int = 1000) -> Section | None:
    """The section for an evaluation with several judges that have voted; None for any other."""
    with reading(run) as db:
        voted = panel_of(db) and next(read_judge_votes(db), None)
    return judge_panel_section(audit_judges(run, seed=seed, resamples=resamples)) if voted else None


def judge_panel_section(found: JudgeAudit) -> Section:
    """Judgement by judgement."""
    tables = [
        Table(
            "judges",
            "What the panel comes to",
            "judgement | replies: count | undecided: count | mean κ: number | Krippendorff's α: number",
            [
                (kind, one.judged, one.undecided, _of_replies(said.mean_kappa), said.panel["alpha"])
                for kind, one in found.kinds.items()
                for said in [one.report.agreement]
            ],
        ),
        Table(
            "judges-pairs",
            "Pairs of judges",
            "judgement | judge | other judge | replies: count | agreement: share | κ: number | AC1: number",
            [
                (kind, pair.a, pair.b, pair.n, pair.agreement, _of_replies(pair.kappa), pair.ac1)
                for kind, one in found.kinds.items()
                for pair in one.report.agreement.pairs
            ],
        ),
        Table(
            "judges-credit",
            "Share of replies that a judge credits",
            "judgement | model | judge | replies: count | credited: share",
            [
                (kind, rate.generator, rate.verifier, rate.n, rate_estimate(rate))
                for kind, one in found.kinds.items()
                for rate in one.report.pass_rate_matrix
            ],
        ),
        Table(
            "judges-bias",
            "Judges on their own replies, in percentage points",
            "judgement | model | replies: count | own: share | others: share | bias: points"
            " | leniency and quality out: points",
            [
                (kind, row.model, row.n, row.own, row.peers, row.bias, row.did)
                for kind, one in found.kinds.items()
                for row in one.report.self_bias
                if row.role == "both"
            ],
        ),
    ]
    figures = tuple(
        kappa_figure(one.report, f"judges-kappa-{kind}", f"Cohen's κ between judges: {kind}")
        for kind, one in found.kinds.items()
    )
    return Section("judges", "Judges", tuple(_sentences(found)), figures, tables)


def _sentences(found: JudgeAudit) -> Iterator[str]:
    for kind, one in found.kinds.items():
        kappa, pairs = _of_replies(one.report.agreement.mean_kappa), len(one.report.agreement.pairs)
        over = f" over {kappa.n} of {counted(pairs, 'pair')}" if kappa.n < pairs else ""
        agree = (
            f"a mean Cohen's κ of {show(kappa, 'number')}{over}" if kappa.value is not None else kappa.reason
        )
        yield (
            f"{kind}: {counted(len(found.judges), 'judge')} ({agree}) leave"
            f" {counted(one.undecided, 'judgement')} of {one.judged:,} undecided."
        )
        for row in one.report.self_bias:
            if is_certain(row.bias):
                more = "more" if (row.bias.value or 0.0) > 0 else "less"
                yield (
                    f"{kind}: {row.model} credits its own replies {abs(row.bias.value or 0.0):.1f} percentage points"
                    f" {more} often than the other judges do ({show(row.bias, 'points')})."
                )


def _of_replies(kappa: Estimate) -> Estimate:
    words = {"candidate": "reply", "passed": "credited", "failed": "did not credit", "verifiers": "judges"}
    reason = kappa.reason or ""
    for ours, theirs in words.items():
        reason = reason.replace(ours, theirs)
    return replace(kappa, reason=reason or None)
