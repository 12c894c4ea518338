"""The key figures of a build, an audit, a review and the demo, in sentences for people."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perturb.ledger.calls import reading
from perturb.ledger.plans import CurrentPlan, current_plan
from perturb.records import Facts
from perturb.reports.model import CellFormat, show
from perturb.text.wording import capitalised, certificate_line, counted, listed

if TYPE_CHECKING:
    from perturb.auditing.audit_report import AuditReport
    from perturb.auditing.bias import SelfBias
    from perturb.auditing.review_agreement import HumanReport, StandIn
    from perturb.metrics.inputs import Estimate
    from perturb.reports.run_data import RunData


def describe_run(data: RunData) -> Iterator[str]:
    """Sentences on jobs that became rows, cells without accepted items, and the cost."""
    stages = dict(data.funnel)
    n_jobs, n_accepted, n_done = stages["jobs"], stages["accepted"], data.stages.done
    jobs, of_jobs = counted(n_jobs, "job"), "of the jobs"
    if n_done != n_jobs:
        jobs, of_jobs = f"{n_done:,} of {jobs}", "of the jobs done"
    share = f", {show(n_accepted / n_done, 'share')} {of_jobs}" if n_done else ""
    yield (
        f"{counted(len(data.generators), 'generator')} worked through {jobs}; the panel accepted"
        f" {counted(n_accepted, 'candidate')}{share}."
    )
    empty_cells = _empty_cells(data)
    if empty_cells:
        yield f"Nothing was accepted in {counted(len(empty_cells), 'cell')}: {listed(empty_cells)}."
    else:
        yield f"All {len(data.cells)} cells have accepted candidates."
    # A replay calls nobody; its figures of calls and cost are those of the recorded run.
    calls = sum(entry["calls"] for entry in data.models.values())
    if data.recorded_replies:
        yield f"{describe_replay(data.recorded_replies)}."
    elif calls:
        cost = show(data.cost_usd, "usd")
        yield f"Models were called {counted(calls, 'time')}; the cost is {cost}."
    else:
        yield "No model was called: all work was done by rules."


def _empty_cells(data: RunData) -> list[str]:
    """The cells without an accepted candidate."""
    filled_cells = {cell for (cell, _), n in data.coverage.items() if n}
    return [cell for cell in data.cells if cell not in filled_cells]


# The sentence on a build that planted no items.
NOT_CERTIFIED = (
    "Nothing is certified: no items were planted. To measure the panel, add `planted: 60` to `panel` in build.yaml and"
    " build again."
)


def describe_certificate(certificate: Facts | None, verifiers: int) -> Iterator[str]:
    """How many labels are wrong and what the panel misses; without planted items, that this is not known.

    `certificate` is what `Certificate.to_dict` gives and a manifest holds.
    """
    if certificate is None:
        yield NOT_CERTIFIED
        return
    line = certificate_line(certificate, verifiers)
    yield f"{capitalised(line)}."
    if people := certificate.get("people"):
        by_planted, by_people = _percent_interval(certificate["wrong_labels"]), _percent_interval(people)
        two_sources = f"Planted items alone say {by_planted}, people alone {by_people}"
        reason = certificate["combined"]["reason"]  # why the two are not taken together
        yield f"{two_sources}: {reason}." if reason else f"{two_sources}."
    hard = certificate.get("hard")  # certificates of earlier versions have no such entry
    if hard and hard["high"] is not None:
        yield (
            f"Of the {hard['n']} accepted items that solvers fail, at most {100 * hard['high']:.1f} % are wrong."
        )
    yield (
        f"The panel caught {certificate['caught']} of {certificate['planted']} planted faults and wrongly failed"
        f" {certificate['failed_right']} of {certificate['right']} right items ({certificate['note']})."
    )
    for advice in certificate["advice"]:
        yield f"{advice}."


def _percent_interval(figure: Facts) -> str:
    """A share with its interval, in percent."""
    if figure["value"] is None:
        return "nothing"
    return f"{100 * figure['value']:.1f} % ({100 * figure['low']:.1f} to {100 * figure['high']:.1f} %)"


def describe_replay(replies: int) -> str:
    """Where the replies of a replay came from.

    >>> describe_replay(3)
    'No model was asked: all 3 replies come from the recording'
    """
    return f"No model was asked: all {counted(replies, 'reply', 'replies')} come from the recording"


def judge_run(data: RunData, audit: AuditReport | None) -> str:
    """The verdict on a build in one sentence: what its snapshot still lacks, or whether the verifiers agree."""
    if data.stages.left:
        return data.stages.unfinished
    empty_cells = _empty_cells(data)
    if empty_cells:
        return f"Incomplete: {len(empty_cells)} of {len(data.cells)} cells have no accepted item."
    cells = "Every cell has accepted items"
    if audit is None or not audit.agreement.pairs:
        return f"{cells}, but no two verifiers can be compared."
    kappa = audit.agreement.mean_kappa
    if kappa.value is None or kappa.low is None:
        return f"{cells}; whether the verifiers agree beyond chance cannot be told."
    agreement = "and the verifiers agree beyond" if kappa.low > 0 else "but the verifiers may agree by"
    return f"{cells}, {agreement} chance (mean κ {kappa.value:.2f})."


def describe_audit(report: AuditReport) -> Iterator[str]:
    """Sentences on acceptance, agreement, the hardest class, and self-evaluation bias."""
    yield _describe_acceptance(report)
    partly_absent = [
        f"{name} judged {n:,} of {report.n_candidates:,}"
        for name, n in report.judged.items()
        if n < report.n_candidates
    ]
    if partly_absent:
        yield (
            f"Not every verifier judges every candidate: {'; '.join(partly_absent)}. For the others it is absent,"
            " neither pass nor fail, and figures of two verifiers rest on what both judged."
        )
    if report.basis.note:
        yield f"Note: {report.basis.note}."
    yield from _describe_agreement(report)
    ranking = report.class_ranking
    # Rates that look equal when rounded are not worth a sentence.
    rates = [show(rate.rate, "share") for rate in ranking]
    if len(set(rates)) > 1:
        yield (
            f"Verifiers pass {ranking[0].name} least often ({rates[0]} of votes) and {ranking[-1].name} most often"
            f" ({rates[-1]})."
        )
    yield from _describe_bias(report.self_bias)
    if report.caveat:
        yield report.caveat
    unscored = sum(report.unscored.values())
    if unscored:
        by_verifier = ", ".join(f"{name} {n}" for name, n in report.unscored.items() if n)
        yield (
            f"{counted(unscored, 'vote')} could not be read ({by_verifier}) and counted as neither pass nor fail."
        )


def _describe_acceptance(report: AuditReport) -> str:
    if len(report.verifiers) == 1:
        return f"There is one verifier, {report.verifiers[0]}; agreement takes two."
    passed = report.rules.unanimous.rate.estimate
    return (
        f"The {counted(len(report.verifiers), 'verifier')} unanimously passed {show(passed.value, 'share')} of"
        f" {counted(passed.n, 'candidate')}{_interval_clause(passed, 'share')}."
    )


def _describe_agreement(report: AuditReport) -> Iterator[str]:
    pairs, mean = report.agreement.pairs, report.agreement.mean_kappa
    if not pairs:
        return
    if mean.value is None:
        yield f"Agreement beyond chance cannot be determined: {pairs[0].kappa.reason}."
        return
    defined = [pair for pair in pairs if pair.kappa.value is not None]
    lowest = min(defined, key=lambda pair: pair.kappa.value or 0.0)
    sentence = (
        f"Verifiers agree with a mean Cohen's κ of {_with_interval(mean, 'number')} over"
        f" {counted(len(defined), 'pair')}"
    )
    if len(defined) < len(pairs):
        sentence += f" ({len(pairs) - len(defined)} more undefined, for want of variance)"
    sentence += f"; least between {lowest.a} and {lowest.b} ({show(lowest.kappa.value, 'number')})."
    ac1 = report.agreement.panel["ac1"]
    if ac1.value is not None:
        sentence += f" Gwet's AC1, which high pass rates do not push down, is {show(ac1.value, 'number')}."
    yield sentence


def _describe_bias(rows: Sequence[SelfBias]) -> list[str]:
    compared = [row for row in rows if row.role == "both"]
    if not compared:
        return ["No model both generates and verifies, so there is no self-evaluation to measure."]
    measured = [row for row in compared if row.bias.low is not None]
    if not measured:
        return [f"Whether models favour their own work cannot be told ({compared[0].bias.reason})."]
    certain = [row for row in measured if is_certain(row.bias)]
    if not certain:
        names = listed([row.model for row in measured])
        return [f"No model that judges its own work differs from its peers beyond chance ({names})."]
    sentences = []
    for row in sorted(certain, key=_size_of_bias, reverse=True):
        direction = "more" if (row.bias.value or 0.0) > 0 else "less"
        sentence = (
            f"{row.model} passes its own candidates {_size_of_bias(row):.1f} percentage points {direction} often than"
            f" its peers do{_interval_clause(row.bias, 'points')}"
        )
        # The bias by difference-in-differences.
        if row.did.value is not None:
            sentence += (
                "; with the verifiers' leniency and the generators' quality taken out it is"
                f" {_with_interval(row.did, 'points')}"
            )
        sentences.append(f"{sentence}.")
    return sentences


def _size_of_bias(row: SelfBias) -> float:
    return abs(row.bias.value or 0.0)


def is_certain(bias: Estimate) -> bool:
    """Whether the interval excludes 0."""
    return bias.low is not None and bias.high is not None and bias.low * bias.high > 0


def describe_review(report: HumanReport) -> Iterator[str]:
    """Sentences on the verdicts of people about the sample and the panel."""
    overall, passed = report.pass_rates["all"][0], report.panel.passed
    yield (
        f"{counted(len(report.annotators), 'person', 'people')} reviewed {report.reviewed} of {report.items} sampled"
        f" items; a majority passes {show(overall.rate, 'share')} of them{_interval_clause(overall.wilson, 'share')}."
    )
    if passed.rate is not None:
        yield (
            f"Of {counted(passed.n, 'item')} that the panel accepted, people pass"
            f" {_with_interval(passed.wilson, 'share')}."
        )
    mean = report.agreement.mean_kappa
    if len(report.annotators) > 1 and mean.value is None:
        yield f"Agreement among them cannot be determined: {mean.reason}."
    elif len(report.annotators) > 1:
        yield f"They agree with a mean Cohen's κ of {_with_interval(mean, 'number')}."
    if stand_in := describe_stand_in(report.stand_in, "the panel"):
        yield stand_in


def describe_stand_in(test: StandIn | None, who: str) -> str:
    """The verdict of the alternative-annotator test on `who`, the panel or a judge; empty without a verdict."""
    if test is None or test.stands_in is None:
        return ""
    beaten = f"{sum(person.beaten for person in test.people)} of {len(test.people)}"
    verdict = "may" if test.stands_in else "may not"
    return (
        f"{capitalised(who)} {verdict} stand in for a person: it is as close to the other people as {beaten} of"
        f" them, to within {test.epsilon:g} (alternative-annotator test)."
    )


def _with_interval(estimate: Estimate, cell_format: CellFormat) -> str:
    return show(estimate.value, cell_format) + _interval_clause(estimate, cell_format)


def _interval_clause(estimate: Estimate, cell_format: CellFormat) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" (95 % interval {show(estimate.low, cell_format)} to {show(estimate.high, cell_format)})"


def describe_demo(run: Path, page: Path) -> Iterator[str]:
    """Lines on the items of the demo, the agreement of its verifiers, wrong labels, rejections, and its report."""
    from perturb.snapshots.snapshot import read_snapshot

    snapshot = read_snapshot(run / "snapshot")
    manifest = snapshot.manifest
    stages = manifest["counts"]["stages"]
    generators = " and ".join(entry["name"] for entry in manifest["generators"])
    verifiers = ", ".join(entry["name"] for entry in manifest["verifiers"])
    with reading(run) as db:
        rejections = _rejections(db, current_plan(db, run))
    yield (
        f"Made: {counted(manifest['counts']['rows'], 'item')} of {counted(stages['jobs'], 'job')}, written by"
        f" {generators}, judged by {verifiers}: {snapshot.folder}"
    )
    yield describe_replay(manifest["replies"]["replies"])
    yield _agreement_line(manifest)
    if certificate := manifest["certificate"]:
        yield capitalised(certificate_line(certificate, len(manifest["verifiers"])))
    yield f"Rejected: {rejections}"
    yield f"Report: {page}"


def _agreement_line(manifest: Facts) -> str:
    """The agreement of the panel, as the manifest of a snapshot has it if the panel voted."""
    figures = (manifest["agreement"] or {}).get("figures") or {}
    kappa = figures.get("mean of Cohen's κ") or {"value": None, "reason": "no votes"}
    if kappa["value"] is None:
        return f"Agreement: κ cannot be told ({kappa['reason']})"
    if kappa["low"] is not None:
        interval = f" (95 % {kappa['low']:.2f} … {kappa['high']:.2f})"
    else:
        interval = f" ({kappa['reason']})" if kappa["reason"] else ""
    return f"Agreement: mean Cohen's κ over pairs of verifiers {kappa['value']:.2f}{interval}"


def _rejections(db: sqlite3.Connection, plan: CurrentPlan) -> str:
    """How many candidates the machine checks and the panel rejected, each with the commonest reason."""
    checks = db.execute(
        "SELECT detail FROM jobs WHERE plan = ? AND outcome = 'rejected_by_checks'", (plan.number,)
    )
    panel = db.execute(
        "SELECT d.reason FROM decisions d JOIN jobs j ON j.id = d.candidate_id"
        " WHERE j.plan = ? AND d.panel = ? AND d.acceptance = 'rejected'",
        (plan.number, plan.panel),
    )
    by_checks, by_panel = [reason for (reason,) in checks], [reason for (reason,) in panel]
    return (
        f"{len(by_checks)} by machine checks{_commonest(by_checks)},"
        f" {len(by_panel)} by the panel{_commonest(by_panel)}"
    )


def _commonest(reasons: list[str]) -> str:
    """The commonest reason and how often it is given, in brackets."""
    if not reasons:
        return ""
    # Reasons that differ in a quoted text or a number alone are counted together.
    counts = Counter(re.sub(r"'[^']*'|\d+", "…", reason) for reason in reasons)
    reason, times = counts.most_common(1)[0]
    # The reason of the panel names who failed the candidate: "failed by judge-1, judge-2".
    if reason.startswith("failed by "):
        verifiers = reason.removeprefix("failed by ").split(", ")
        by = f"all of {listed(verifiers)}" if len(verifiers) > 1 else f"{verifiers[0]} alone"
        return f" ({times} of them by {by})"
    return f" ({times} of them: {reason})"
