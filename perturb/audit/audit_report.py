"""The audit of a panel: every figure from stored votes, without a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perturb.audit.agreement import Agreement, measure_agreement
from perturb.audit.bias import SelfBias, measure_bias
from perturb.audit.estimation_sample import EstimationSample, choose_sample
from perturb.audit.lever_usage import LeverUsage, lever_usage
from perturb.audit.panel_rules import PanelRules, compare_panel_rules
from perturb.audit.rates import MatrixRate, Rate, pass_rate_matrix, pass_rates
from perturb.audit.vote_sources import read_votes
from perturb.audit.votes import ABSENT, UNSCORED, VoteTable
from perturb.metrics.estimates import plain
from perturb.metrics.inputs import Flags
from perturb.metrics.resampling import Resamples, check_resampling


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All figures of an audit; `to_dict` gives the JSON of spec section 11."""

    source: str
    seed: int
    resamples: int
    basis: EstimationSample
    n_candidates: int
    n_votes: int
    """Passes and fails; unscored votes are counted apart."""
    verifiers: tuple[str, ...]
    generators: tuple[str, ...]
    agreement: Agreement
    pass_rate_matrix: tuple[MatrixRate, ...]
    pass_rates: dict[str, tuple[Rate, ...]]
    """By class, intensity, lever and generator."""
    generator_rates: dict[str, dict[str, tuple[Rate, ...]]]
    """By class and by intensity: generator → its rates, in the order of `pass_rates`."""
    self_bias: tuple[SelfBias, ...]
    rules: PanelRules
    lever_usage: tuple[LeverUsage, ...]
    unscored: dict[str, int]
    """Unscored votes of each verifier."""
    judged: dict[str, int]
    """Candidates that each verifier judges: the others are not of its classes, or it abstained."""
    unfinished: str
    """A sentence on the jobs that are left in the run; empty if there are none."""

    @property
    def class_ranking(self) -> tuple[Rate, ...]:
        """Classes from the hardest, the one with the lowest pass rate, to the easiest."""
        known = [rate for rate in self.pass_rates["class"] if rate.rate is not None]
        return tuple(sorted(known, key=lambda rate: (rate.rate, rate.name)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what is undefined is None beside a reason."""
        content = plain(self)
        agreement, rules = content.pop("agreement"), content.pop("rules")
        kappa = {"pairs": agreement["pairs"], "mean": agreement["mean_kappa"]}
        ranking = [rate.name for rate in self.class_ranking]
        content |= {"kappa": kappa, "class_ranking": ranking, "acceptance": rules}
        return content | dict(agreement["panel"])


def audit(source: VoteTable | Path | str, *, seed: int = 0, resamples: int = 1000) -> AuditReport:
    """Audit a run folder, a file of votes, or votes in memory.

    Raises `SourceError` if the votes cannot be read or contradict themselves, `LedgerError` if the folder holds no
    run, `ConfigError` if `resamples` or `seed` cannot be used.
    """
    check_resampling(resamples, seed)
    everything = source if isinstance(source, VoteTable) else read_votes(source)
    basis, table = choose_sample(everything)
    drawn = Resamples.draw(table.base.codes, resamples, seed)
    agreement, self_bias = measure_agreement(table, drawn), measure_bias(table, drawn)
    return AuditReport(
        source=everything.source,
        seed=seed,
        resamples=resamples,
        basis=_with_effective_numbers(basis, agreement, self_bias),
        n_candidates=len(everything),
        n_votes=int(everything.scored.sum()),
        verifiers=everything.verifiers,
        generators=everything.generator.names,
        agreement=agreement,
        pass_rate_matrix=pass_rate_matrix(table),
        pass_rates={name: pass_rates(table, labels) for name, labels in table.groupings.items()},
        generator_rates={
            name: {
                generator: pass_rates(table.keep(own), labels.keep(own))
                for number, generator in enumerate(table.generator.names)
                for own in [table.generator.codes == number]
            }
            for name, labels in table.groupings.items()
            if name in ("class", "intensity")
        },
        self_bias=self_bias,
        rules=compare_panel_rules(table, everything),
        lever_usage=lever_usage(everything),
        unscored=_by_verifier(everything, everything.states == UNSCORED),
        judged=_by_verifier(everything, everything.states != ABSENT),
        unfinished=everything.unfinished,
    )


def _by_verifier(table: VoteTable, where: Flags) -> dict[str, int]:
    return {name: int(n) for name, n in zip(table.verifiers, where.sum(axis=0), strict=True)}


def _with_effective_numbers(
    basis: EstimationSample, agreement: Agreement, self_bias: Sequence[SelfBias]
) -> EstimationSample:
    """Say of an audited share how many independent candidates its figures are worth."""
    figures = {
        "raw agreement": agreement.panel["agreement"],
        "mean κ (votes of the rarer kind)": agreement.mean_kappa,
        **{f"self-bias of {row.model}": row.bias for row in self_bias},
    }
    worth = [f"{name} {min(one.effective, basis.n):.0f}" for name, one in figures.items() if one.effective]
    if basis.candidates != "audited" or not worth:
        return basis
    return replace(basis, note=f"{basis.note}; effective numbers: {', '.join(worth)}")
