"""The audit of a panel from its stored votes: agreement, bias, rates, and what other panel rules would accept.

Votes can be missing by design. Under the economy schedule a panel stops as soon as its decision is certain. Most
candidates with every vote are then candidates that nobody failed, and figures from all votes would be wrong. Only the
audited share is safe: a hash draws it before any vote. The figures of the manifest and the card are also made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perturb.auditing.agreement import Agreement, measure_agreement
from perturb.auditing.bias import SelfBias, measure_bias
from perturb.auditing.certificate import Certificate, run_certificate
from perturb.auditing.rates import (
    LeverUsage,
    MatrixRate,
    Rate,
    grouped_rates,
    lever_usage,
    overall_rate,
    pass_rate_matrix,
    pass_rates,
    read_votes,
)
from perturb.auditing.shortcuts import TARGETS, VIEWS, measure_shortcuts
from perturb.auditing.votes import ABSENT, FAIL, NOT_ASKED, UNSCORED, VoteTable, decide_by_rule
from perturb.errors import SourceError
from perturb.metrics.inputs import Estimate, Flags, Integers, plain
from perturb.metrics.resampling import Resamples, check_resampling
from perturb.records import Item, JsonObject


@dataclass(frozen=True, slots=True)
class AcceptanceRate:
    """The decisions of one panel rule on all candidates."""

    rate: Rate
    """The share of accepted candidates."""
    accepted: int
    rejected: int
    """Candidates with so many fails that they can no longer meet the rule."""
    undecided: int
    """All others: a vote is unscored or missing, or no verifier judges the candidate."""

    def to_dict(self) -> JsonObject:
        """The fields of the rate without its name, and the counts."""
        content = plain(self)
        rate: JsonObject = content.pop("rate")
        del rate["name"]
        return rate | content


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """What a unanimous panel accepts without one of its verifiers."""

    verifier: str
    without: AcceptanceRate
    gained: int
    """Candidates that only this verifier rejects."""
    churn: float | None
    """The share of the acceptances without it that it prevents: `gained` of `without.accepted`; None if that is 0."""

    def to_dict(self) -> JsonObject:
        """One row of the JSON."""
        content = plain(self)
        return {**content.pop("without"), **content}


@dataclass(frozen=True, slots=True)
class PanelRules:
    """Acceptance under different rules of the panel."""

    unanimous: AcceptanceRate
    unanimous_by: dict[str, tuple[Rate, ...]]
    """Unanimous acceptance by class, intensity, lever and generator."""
    k_of_n: dict[str, AcceptanceRate]
    """By k as text: "1" means that one pass is enough, and the number of verifiers means unanimity.

    If fewer than k verifiers judge a candidate, all of them must pass it.
    """
    leave_one_out: tuple[LeaveOneOut, ...]


def unanimity_is_known(table: VoteTable) -> bool:
    """Whether the votes show every unanimous decision, even if some votes are missing.

    They do if each candidate has either a fail or all of its votes: one fail decides, and under the economy schedule
    the panel stops there.
    """
    has_failed = (table.states == FAIL).any(axis=1)
    lacks_votes = (table.states == NOT_ASKED).any(axis=1)
    return bool((has_failed | ~lacks_votes).all())


def compare_panel_rules(complete: VoteTable, all_candidates: VoteTable) -> PanelRules:
    """Acceptance under each rule, from the candidates of `complete`, which have every vote.

    Unanimous acceptance comes from `all_candidates` if their votes show every unanimous decision.
    """
    decidable = all_candidates if unanimity_is_known(all_candidates) else complete
    panel_size, base = len(complete.verifiers), complete.base.codes
    accepted = decide_by_rule(decidable.states, panel_size)[0].astype(np.float64)
    candidate_counts = np.ones(len(decidable))
    return PanelRules(
        unanimous=_acceptance_rate(decidable.states, panel_size, decidable.base.codes),
        unanimous_by={
            name: grouped_rates(accepted, candidate_counts, labels, decidable.base.codes)
            for name, labels in decidable.groupings.items()
        },
        k_of_n={str(k): _acceptance_rate(complete.states, k, base) for k in range(1, panel_size + 1)},
        leave_one_out=_leave_one_out(complete) if panel_size > 1 else (),
    )


def _acceptance_rate(states: NDArray[np.int8], needed: int, base: Integers) -> AcceptanceRate:
    accepted, rejected = decide_by_rule(states, needed)
    return AcceptanceRate(
        rate=overall_rate("all", accepted.astype(np.float64), base),
        accepted=int(accepted.sum()),
        rejected=int(rejected.sum()),
        undecided=int((~accepted & ~rejected).sum()),
    )


def _leave_one_out(table: VoteTable) -> tuple[LeaveOneOut, ...]:
    panel_size = len(table.verifiers)
    accepted_by_all, _ = decide_by_rule(table.states, panel_size)
    rows = []
    for column, verifier in enumerate(table.verifiers):
        other_states = np.delete(table.states, column, axis=1)
        accepted_by_others, _ = decide_by_rule(other_states, panel_size - 1)
        without = _acceptance_rate(other_states, panel_size - 1, table.base.codes)
        gained = int((accepted_by_others & ~accepted_by_all).sum())
        churn = gained / without.accepted if without.accepted else None
        rows.append(LeaveOneOut(verifier, without, gained, churn))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class EstimationSample:
    """The candidates that agreement, pass rates and bias are estimated from."""

    candidates: str
    """"all", "audited" (the share drawn to get every vote), or "unknown" (votes are missing for unknown reasons)."""
    n: int
    of: int
    """The number of all candidates with a vote, readable or not."""
    note: str | None = None
    """A caution for readers who quote the figures."""


def choose_sample(table: VoteTable) -> tuple[EstimationSample, VoteTable]:
    """The candidates to estimate from, with their votes."""
    n = len(table)
    missing = (table.states == NOT_ASKED).any(axis=1)
    if table.full_schedule or not missing.any():
        return EstimationSample("all", n, n), table
    if table.audited is None:
        note = (
            f"{int(missing.sum())} of {n} candidates lack votes, for an unknown reason: if the panel stopped asking at"
            " the first fail, agreement, pass rates and bias below are distorted; add a column 'audited' to rule it out"
        )
        return EstimationSample("unknown", n, n, note), table
    audited = table.keep(table.audited)
    if len(audited):
        note = (
            f"votes are missing by design: figures rest on the {len(audited)} of {n} candidates that were drawn to get"
            " every vote"
        )
    else:
        note = (
            "votes are missing by design and no candidate was drawn to get every vote: agreement, pass rates and bias"
            " cannot be estimated; set audit_fraction in the panel"
        )
    return EstimationSample("audited", len(audited), n, note), audited


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All figures of an audit."""

    source: str
    seed: int
    resamples: int
    basis: EstimationSample
    n_candidates: int
    n_votes: int
    """Passes and fails; `unscored` counts the other votes."""
    verifiers: tuple[str, ...]
    generators: tuple[str, ...]
    agreement: Agreement
    pass_rate_matrix: tuple[MatrixRate, ...]
    pass_rates: dict[str, tuple[Rate, ...]]
    """By class, intensity, lever and generator."""
    generator_rates: dict[str, dict[str, tuple[Rate, ...]]]
    """`class` and `intensity` → generator → its rates, in the order of `pass_rates`."""
    self_bias: tuple[SelfBias, ...]
    rules: PanelRules
    lever_usage: tuple[LeverUsage, ...]
    unscored: dict[str, int]
    """Unscored votes of each verifier."""
    judged: dict[str, int]
    """Verifier → the number of candidates that it judges. It abstains on the others, or does not judge their class."""
    unfinished: str
    """A sentence on the jobs that the run has yet to do; empty if all are done."""
    caveat: str = ""
    """The note of the run's configuration on what bias means; empty if the configuration has none."""
    certificate: Certificate | None = None
    """Bounds for the share of wrong labels, from planted items; None without planted items."""

    @property
    def class_ranking(self) -> tuple[Rate, ...]:
        """The classes by pass rate, the hardest class (with the lowest rate) first."""
        defined = [rate for rate in self.pass_rates["class"] if rate.rate is not None]
        return tuple(sorted(defined, key=lambda rate: (rate.rate, rate.name)))

    def to_dict(self) -> JsonObject:
        """Plain values, ready for JSON, with the coefficients of the panel at the top level."""
        content = plain(self)
        agreement = content.pop("agreement")
        content["kappa"] = {"pairs": agreement["pairs"], "mean": agreement["mean_kappa"]}
        content["class_ranking"] = [rate.name for rate in self.class_ranking]
        content["acceptance"] = content.pop("rules")
        content |= agreement["panel"]
        return content


def audit(source: VoteTable | Path | str, *, seed: int = 0, resamples: int = 1000) -> AuditReport:
    """Audit a run folder, a file of votes, or votes in memory.

    Raises `SourceError` if the votes cannot be read or contradict themselves, `LedgerError` if the folder holds no
    run, `ConfigError` if `resamples` or `seed` cannot be used.
    """
    check_resampling(resamples, seed)
    all_candidates = source if isinstance(source, VoteTable) else read_votes(source)
    basis, table = choose_sample(all_candidates)
    drawn = Resamples.draw(table.base.codes, resamples, seed)
    agreement, self_bias = measure_agreement(table, drawn), measure_bias(table, drawn)
    certificate = None
    if not isinstance(source, VoteTable) and Path(source).is_dir():
        certificate = run_certificate(Path(source))
    return AuditReport(
        source=all_candidates.source,
        seed=seed,
        resamples=resamples,
        basis=_with_effective_numbers(basis, agreement, self_bias),
        n_candidates=len(all_candidates),
        n_votes=int(all_candidates.scored.sum()),
        verifiers=all_candidates.verifiers,
        generators=all_candidates.generator.names,
        agreement=agreement,
        pass_rate_matrix=pass_rate_matrix(table),
        pass_rates={name: pass_rates(table, labels) for name, labels in table.groupings.items()},
        generator_rates={name: _generator_rates(table, name) for name in ("class", "intensity")},
        self_bias=self_bias,
        rules=compare_panel_rules(table, all_candidates),
        lever_usage=lever_usage(all_candidates),
        unscored=_by_verifier(all_candidates, all_candidates.states == UNSCORED),
        judged=_by_verifier(all_candidates, all_candidates.states != ABSENT),
        unfinished=all_candidates.unfinished,
        caveat=all_candidates.caveat,
        certificate=certificate,
    )


def _generator_rates(table: VoteTable, grouping: str) -> dict[str, tuple[Rate, ...]]:
    """Generator → the pass rates of its candidates, by the labels of the grouping."""
    labels = table.groupings[grouping]
    rates = {}
    for code, generator in enumerate(table.generator.names):
        is_own = table.generator.codes == code
        rates[generator] = pass_rates(table.keep(is_own), labels.keep(is_own))
    return rates


def _by_verifier(table: VoteTable, where: Flags) -> dict[str, int]:
    return {name: int(n) for name, n in zip(table.verifiers, where.sum(axis=0), strict=True)}


def _with_effective_numbers(
    basis: EstimationSample, agreement: Agreement, self_bias: Sequence[SelfBias]
) -> EstimationSample:
    """Add a note on how many independent candidates would give the intervals of an audited share."""
    figures = {
        "raw agreement": agreement.panel["agreement"],
        "mean κ (votes of the rarer kind)": agreement.mean_kappa,
        **{f"self-bias of {row.model}": row.bias for row in self_bias},
    }
    # never more than there are
    numbers = [
        f"{name} {min(figure.effective, basis.n):.0f}" for name, figure in figures.items() if figure.effective
    ]
    if basis.candidates != "audited" or not numbers:
        return basis
    return replace(basis, note=f"{basis.note}; effective numbers: {', '.join(numbers)}")


# The resamples behind the intervals in the manifest. With the seed 0, the same votes always give the same figures.
RESAMPLES = 1000
# Digits of the figures in the manifest: machines may differ in later ones.
_DIGITS = 4


def agreement_figures(votes: VoteTable) -> JsonObject | None:
    """Agreement over all candidates with votes, with 95 % intervals; None without any candidate to estimate it from.

    `candidates` is their number and `note` a caution for readers. `figures` holds raw agreement, the mean of Cohen's κ
    over the pairs, Gwet's AC1 and Krippendorff's α. Each has a `value`, `low`, `high`, and a `reason` if it is missing.
    """
    basis, table = choose_sample(votes)
    if not len(table):
        return None
    measured = measure_agreement(table, Resamples.draw(table.base.codes, RESAMPLES, seed=0))
    estimates = {
        "raw agreement": measured.panel["agreement"],
        "mean of Cohen's κ": measured.mean_kappa,
        "Gwet's AC1": measured.panel["ac1"],
        "Krippendorff's α": measured.panel["alpha"],
    }
    figures = {name: _rounded(estimate) for name, estimate in estimates.items()}
    return {"candidates": basis.n, "note": basis.note, "figures": figures}


def shortcut_figures(items: Sequence[Item]) -> JsonObject:
    """How well baselines predict a label from a part of an item: macro-F1 by visible part and target.

    `figures` have 95 % intervals. `chance` is the macro-F1 of guesses drawn by the shares of the labels. `note` gives
    the reason if there are no `figures`.
    """
    try:
        measured = measure_shortcuts("the rows", items, resamples=RESAMPLES)
    except SourceError as error:  # a small snapshot is still published, without these figures
        return {"note": str(error), "chance": {}, "figures": {}}
    figures: dict[str, JsonObject] = {visible_part: {} for visible_part in VIEWS.values()}
    for score in measured.scores:
        figures[VIEWS[score.view]][TARGETS[score.target]] = _rounded(score.macro_f1)
    chance = {TARGETS[guess.target]: round(guess.chance_macro_f1, _DIGITS) for guess in measured.floors}
    return {"note": None, "chance": chance, "figures": figures}


def _rounded(estimate: Estimate) -> JsonObject:
    fields = estimate.spread("value").items()
    return {name: round(value, _DIGITS) if isinstance(value, float) else value for name, value in fields}
