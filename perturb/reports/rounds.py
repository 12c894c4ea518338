"""Reports on rounds: the comparison of two of them, and how large a round has to be."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.metrics.inputs import Estimate
from perturb.records import Facts
from perturb.reports.model import Report, Section, Table, show
from perturb.scoring.item_response import Separation
from perturb.scoring.power import DesignEffect, PowerQuestion, RoundDesign, Split
from perturb.scoring.power_simulation import Simulation
from perturb.scoring.round_comparison import RoundComparison, Shift
from perturb.snapshots.freshness import ComparedSet
from perturb.text.wording import capitalised, counted


def make_comparison_report(comparison: RoundComparison, top: int) -> Report:
    """Repeated items, drift and changed scores; `top` levers and changes of each kind."""
    fresh = comparison.freshness
    counts = {
        "exact copies": fresh.exact,
        "near duplicates, copies included": fresh.near,
        "same lever on the same base instance": fresh.same_base_and_lever,
        "same base instance": fresh.same_base,
    }
    repeats = [(name, n, n / fresh.items) for name, n in counts.items()]
    items = Table("freshness", "", "of the newer items | items: count | share: share", repeats)

    def n_repeats(lever: str) -> tuple[int, int]:
        overlap = fresh.by_lever[lever]
        return overlap.near_duplicate, overlap.same_base_and_lever

    # There are dozens of levers, and one without repeats needs no line.
    repeated = sorted(
        (lever for lever in fresh.by_lever if any(n_repeats(lever))), key=n_repeats, reverse=True
    )
    levers = Table(
        "levers",
        f"Levers that repeat: {len(repeated)} of {len(fresh.by_lever)}",
        "lever | items: count | near duplicates: count | same base and lever: count",
        [(lever, *fresh.by_lever[lever]) for lever in repeated],
        shown=top,
    )
    drift = [_drift_table(name, shift, top) for name, shift in comparison.shifts.items()]
    # Tables without rows are not printed; their titles say that nothing changed.
    unchanged = [table.title for table in drift if not table.rows]
    sections = [
        Section("freshness", "Repeated items", tables=(items, levers)),
        Section("drift", "Drift", unchanged, tables=drift),
    ]
    if comparison.score_changes:
        sections.append(_scores(comparison))
    older, newer = _describe_items(comparison.old), _describe_items(comparison.new)
    sections.append(Section("verdict", "Verdict", [f"{capitalised(comparison.verdict)}."]))
    return Report(f"Older: {older}", f"Newer: {newer}", sections)


def _describe_items(item_set: ComparedSet) -> str:
    return f"{item_set.name}, {counted(len(item_set.items), 'item')}"


def _drift_table(name: str, shift: Shift, top: int) -> Table:
    moved = f"{show(shift.distance, 'share')} of the items moved" if shift.distance else "unchanged"
    return Table.of(
        f"drift-{name}",
        f"Distribution over {name}: {moved}",
        f"{name} = name | older = old: count | newer = new: count | change of share, points = change: change",
        [share for share in shift.shares[:top] if share.change],
    )


def _scores(comparison: RoundComparison) -> Section:
    columns = "model | metric | older: number | newer: number | difference: number"
    changes = []
    for change in comparison.score_changes:
        difference = Estimate(change.difference, change.low, change.high, reason=change.reason)
        changes.append((change.model, change.metric, change.old, change.new, difference))
    ranking_columns = "metric | models: count | Kendall's τ: number"
    rankings = [
        (ranking.metric, ranking.models, Estimate(ranking.tau, reason=ranking.reason))
        for ranking in comparison.rankings
    ]
    tables = (
        Table("changes", "", columns, changes, shown=len(changes)),
        Table("ranking", "Ranking of the models", ranking_columns, rankings),
    )
    return Section("scores", "Scores", tables=tables)


def make_separation_report(scores: tuple[float, float], cells: Sequence[Separation]) -> Report:
    """How many items of each cell tell two models apart."""
    high, low = max(scores), min(scores)
    table = Table.of(
        "separation",
        "",
        "scale | cell | stronger = a: number | weaker = b: number | items: count",
        cells,
        note="For a two-sided test at 5 % with a power of 80 %. Both models answer the same items. NA: the two are"
        " expected to score the same. Items that share a base instance need more, by the design effect.",
    )
    title = f"Items that tell a model with a mean score of {high:g} from one with {low:g}"
    return Report(title, "", [Section("separation", "", tables=(table,))])


def _describe_design(design: RoundDesign, question: PowerQuestion) -> str:
    width = design.half_width(question.variance, question.effect)
    assumption = (
        "" if question.effect < design.effect else ", as if all items of a base instance were scored alike"
    )
    return (
        f"Read from {design.source}: {counted(design.n, 'item')} of {counted(design.bases, 'base instance')},"
        f" {design.n / design.bases:.1f} of each. With a design effect of {question.effect:.2f}{assumption}, a score"
        f" of these items is known to ± {width:.3f} (95 %)"
    )


def _describe_effect(observed: DesignEffect) -> str:
    effect = "NA" if observed.effect is None else f"{observed.effect:.2f}"
    effective = "NA" if observed.effective_n is None else f"{observed.effective_n:.0f}"
    reason = f" ({observed.reason})" if observed.reason else ""
    return (
        f"Observed: {counted(observed.n, 'item')} of {counted(observed.bases, 'base instance')}, mean"
        f" {observed.mean:.3f}, variance {observed.variance:.3f}, design effect {effect}, effective size"
        f" {effective}{reason}"
    )


def _sizes_table(question: PowerQuestion, plan: Facts) -> Table:
    fresh, static, normal = plan["generative"], plan["static"], plan["normal"]
    half_drift = f"static, once, if drift is {question.epsilon / 2:g}"
    note = ""
    if static["reason"]:
        note = (
            f"NA: static: {static['reason']}. With {static['paper_size']} items it fails with a probability of at"
            f" least {static['floor_at_paper_size']:.3f}."
        )
    return Table(
        "sizes",
        "",
        f"benchmark | by | items: count | with design effect {question.effect:.2f}: count",
        [
            ("fresh, each round", "Hoeffding's bound", fresh["per_round"], fresh["per_round_clustered"]),
            ("fresh, each round", "Wilson, exact binomial", normal["effective"], normal["per_round"]),
            ("static, once", "Hoeffding's bound", static["size"], static["size_clustered"]),
            (half_drift, "as the paper prints it", static["paper_size"], "-"),
        ],
        note=note,
    )


def _splits_table(splits: Sequence[Split]) -> Table:
    best = min(splits, key=lambda split: split.half_width)
    # The budget may allow hundreds of splits. A few common ones and the best suffice.
    typical = [split for split in splits if split.samples in (1, 2, 3, 5, 10, best.samples)]
    return Table.of(
        "split",
        "The budget split between items and samples",
        "samples of each item = samples: count | items: count | plus or minus = half_width: share",
        typical,
        note=f"The narrowest interval: {counted(best.items, 'item')}, {counted(best.samples, 'sample')} of each.",
    )


def make_power_report(
    question: PowerQuestion,
    plan: Facts,
    observed: DesignEffect | RoundDesign | None,
    simulation: Simulation | None,
    splits: Sequence[Split] = (),
) -> Report:
    """Sizes by each bound, what was read, how to split a budget, and what was simulated."""
    sections = [Section("sizes", "", tables=(_sizes_table(question, plan),))]
    if isinstance(observed, RoundDesign):
        sections.append(Section("round", "", (_describe_design(observed, question),)))
    elif observed is not None:
        sections.append(Section("observed", "", (_describe_effect(observed),)))
    if splits:
        sections.append(Section("split", "", tables=(_splits_table(splits),)))
    if simulation is not None:
        rows = [
            ("static", simulation.static, simulation.static_floor, simulation.static_bound),
            ("fresh", simulation.generative, 0.0, simulation.generative_bound),
        ]
        title = f"Simulated: {counted(simulation.runs, 'run')}, {counted(simulation.setting.size, 'item')} a round"
        columns = "benchmark | failed: number | at least: number | at most: number"
        sections.append(Section("simulation", "", tables=(Table("simulation", title, columns, rows),)))
    return Report(
        f"With probability {1 - question.delta:.0%}, each score is within {question.epsilon:g} of the truth in all"
        f" {counted(question.rounds, 'round')}; drift {question.drift:g}",
        "",
        sections,
    )
