"""Commands about rounds: `perturb compare` sets two beside each other, `perturb power` sizes a new one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    print_result,
    reject_given,
    reject_option,
)
from perturb.cli.run_options import JsonOption
from perturb.records import JsonObject

if TYPE_CHECKING:
    from perturb.scoring.power import DesignEffect, PowerQuestion, RoundDesign, Split
    from perturb.scoring.power_simulation import Simulation


def compare_command(
    first: Annotated[
        str,
        Argument(
            metavar="SNAP_A", help="The older round; the newer one if --against is given.", show_default=False
        ),
    ],
    second: Annotated[str | None, Argument(metavar="SNAP_B", help="The newer round.")] = None,
    against: Annotated[
        str | None,
        Option(help="A published set: a folder, a .jsonl or .parquet file, or hub:OWNER/NAME[@TAG]."),
    ] = None,
    scores: Annotated[
        tuple[Path, Path] | None,
        Option(help="Evaluations of the older and the newer round: folders, results, or stored scores."),
    ] = None,
    check: Annotated[
        bool, Option("--check", help="Exit with 0 if the newer round is fresh, 1 for repeats, 3 for drift.")
    ] = False,
    top: Annotated[int, Option(min=1, help="Number of levers and changes of each kind to list.")] = 8,
    json_output: JsonOption = False,
) -> None:
    """Compare two rounds: repeated items, drift by cell, lever and generator, changes of scores, and a verdict.

    A round is a snapshot folder, a run folder, a table, or hub:OWNER/NAME[@TAG]. To compare models, use `perturb
    score` on an evaluation of both.

    Example: perturb compare outputs/q3/snapshot outputs/q4/snapshot
    """
    from perturb.reports.rounds import make_comparison_report
    from perturb.scoring.round_comparison import compare

    # Exactly one of them names the other round.
    if (second is None) == (against is None):
        reject_option("SNAP_B", "is missing: give two rounds, or one and --against")
    old, new = (against, first) if against is not None else (first, second)
    comparison = compare(str(old), str(new), scores)
    print_result(comparison.to_dict(), make_comparison_report(comparison, top), json_output)
    if check:
        raise typer.Exit({"fresh": 0, "repeats found": 1, "drifted": 3}[comparison.verdict])


def power_command(
    source: Annotated[
        Path | None,
        Argument(
            metavar="RUN_OR_SNAPSHOT",
            help="What to plan from: a build's run, a snapshot, hub:OWNER/NAME[@TAG], or an evaluation.",
        ),
    ] = None,
    epsilon: Annotated[float, Option(help="Error of the score allowed in any round.")] = 0.05,
    delta: Annotated[float, Option(help="Probability that the error is larger.")] = 0.05,
    rounds: Annotated[int, Option(min=1, help="Number of rounds, T + 1 in the theorem.")] = 4,
    drift: Annotated[float, Option(help="How far the true score drifts from the first round's.")] = 0.02,
    rate: Annotated[float, Option(min=0, max=1, help="Expected score; 0.5 is the worst case.")] = 0.5,
    effect: Annotated[
        float | None,
        Option(
            "--design-effect",
            help="Variance inflation from items that share a base instance; 1 if none do. Observed scores win over it."
            "  [default: 1, or the worst that the round can have]",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        Option(help="Run of an evaluation, or table with score and base_id: its variance and design effect."),
    ] = None,
    results: Annotated[
        Path | None,
        Option(
            help="An evaluation or its table of results: with --separate of 4 models or more, with --replies one"
            " that has several samples."
        ),
    ] = None,
    separate: Annotated[
        tuple[float, float] | None,
        Option(help="Two mean scores: how many items of which cell tell two such models apart."),
    ] = None,
    replies: Annotated[
        int | None,
        Option(min=1, help="So many replies can be paid for: how many items, and how many samples of each."),
    ] = None,
    within: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="With --replies: the part of the variance that lies between replies to one item."
            "  [default: as --results has it]",
        ),
    ] = None,
    item_cost: Annotated[
        float, Option(min=0, help="With --replies: what a new item costs, in replies.")
    ] = 0.0,
    items: Annotated[
        int | None, Option(min=1, help="With --replies: so many items are there at most.")
    ] = None,
    runs: Annotated[int, Option("--simulate", min=0, help="Number of runs to simulate.")] = 0,
    size: Annotated[
        int | None,
        Option(min=1, help="Items a round in the simulation.  [default: what the bound requires]"),
    ] = None,
    seed: Annotated[int, Option(min=0, help="Seed of the simulation.")] = 0,
    figure: Annotated[Path | None, Option(help="File for the figure of the simulation.")] = None,
    json_output: JsonOption = False,
) -> None:
    """Compute how many items a round needs, and how drift affects a benchmark that is never refreshed.

    A round gives its number of items and base instances; an evaluation, the variance of its scores as well.

    Example: perturb power --epsilon 0.05 --rounds 4 --drift 0.08 --simulate 1000 --figure power.png
    """
    from perturb.reports.rounds import make_power_report
    from perturb.scoring.power import (
        Budget,
        PowerQuestion,
        plan_sizes,
        split_budget,
    )
    from perturb.scoring.power_simulation import FORMATS

    if separate is not None and results is None:
        reject_option("--separate", "goes with --results: give both")
    if results is not None and separate is None and replies is None:
        reject_option("--results", "goes with --separate or --replies: give one of them")
    _check_budget_options(replies, within, items, item_cost)
    if results is not None and separate is not None:
        _separate(results, separate, json_output)
        return
    if figure is not None:
        check_choice("--figure", figure.suffix, FORMATS)
    if source is not None:
        reject_given({"--scores": scores}, "does not go with RUN_OR_SNAPSHOT: leave one of them out")
    design, observed = _read_source(source, scores)
    variance = rate * (1 - rate) if observed is None else observed.variance
    effect = _choose_effect(effect, design, observed)
    # Scores in [0, 1] have a variance of 1/4 at most, but an estimate with divisor n - 1 can exceed it.
    question = PowerQuestion(epsilon, delta, rounds, drift, min(variance, 0.25), effect)
    with given_by_options():
        plan = plan_sizes(question)
    # Both tell how many items share a base instance; scores tell it of the items that were really scored.
    counts = observed or design
    simulation = None
    if runs or figure is not None:
        per_base = None if counts is None else math.ceil(counts.n / counts.bases)
        # By default, the simulation shows the size that the plan recommends.
        items_a_round = size or plan["generative"]["per_round_clustered"]
        simulation = _simulate(question, items_a_round, per_base, runs or 1000, seed, figure)
    splits: Sequence[Split] = ()
    if replies is not None:
        within_share = _share_within(results) if within is None else within
        budget = Budget(replies, within_share, item_cost, items or (design.n if design else None))
        with given_by_options():
            splits = split_budget(budget, question.variance, effect)
    content = _power_content(question, plan, design, observed, simulation, splits)
    print_result(content, make_power_report(question, plan, counts, simulation, splits), json_output)
    if figure is not None and not json_output:
        note(f"figure: {figure}")


def _read_source(source: Path | None, scores: Path | None) -> tuple[RoundDesign | None, DesignEffect | None]:
    """The design of the round to plan from, and the scores to plan from; either may be None."""
    from perturb.scoring.power import observe, read_design

    design = None if source is None else read_design(source)
    if source is not None and design is None:
        scores = source  # not a round, so an evaluation
    return design, None if scores is None else observe(scores)


def _choose_effect(effect: float | None, design: RoundDesign | None, observed: DesignEffect | None) -> float:
    """The design effect to plan with: as observed, else as the option says, else the worst that the round can have."""
    if observed is not None and observed.effect is not None:
        return max(observed.effect, 1.0)  # an effect below 1 is mostly chance, so plans do not rely on it
    if effect is not None:
        return effect
    return 1.0 if design is None else design.effect


def _power_content(
    question: PowerQuestion,
    plan: JsonObject,
    design: RoundDesign | None,
    observed: DesignEffect | None,
    simulation: Simulation | None,
    splits: Sequence[Split],
) -> JsonObject:
    """The object of `perturb power --json`."""
    content = dict(plan)
    if splits:
        content["split"] = [asdict(split) for split in splits]
    content |= {"round": None, "observed": None, "simulation": None}
    if design is not None:
        half_width = design.half_width(question.variance, question.effect)
        content["round"] = {**asdict(design), "half_width": half_width}
    if observed is not None:
        content["observed"] = {**asdict(observed), "effective_n": observed.effective_n}
    if simulation is not None:
        content["simulation"] = asdict(simulation)
    return content


def _check_budget_options(
    replies: int | None, within: float | None, items: int | None, item_cost: float
) -> None:
    """Reject options about a budget of replies if the budget is missing."""
    if replies is None and (within is not None or items is not None or item_cost):
        reject_option("--replies", "is missing: --within, --items and --item-cost go with it")


def _share_within(results: Path | None) -> float:
    """The part of the variance that lies between replies to one item, measured from several samples."""
    from perturb.scoring.settings import share_within
    from perturb.scoring.table import read_results

    if results is None:
        reject_option("--within", "is missing: give it, or --results with several samples of each item")
    return share_within(read_results(results).models)


def _separate(results: Path, scores: tuple[float, float], json_output: bool) -> None:
    """Print how many items of each cell tell two models with these scores apart."""
    from perturb.reports.rounds import make_separation_report
    from perturb.scoring.item_response import measure_item_response, separate_models
    from perturb.scoring.table import read_results

    fitted = measure_item_response(read_results(results))
    with given_by_options():
        cells = separate_models(fitted, scores)
    content = {"scores": list(scores), "cells": [asdict(cell) for cell in cells]}
    print_result(content, make_separation_report(scores, cells), json_output)


def _simulate(
    question: PowerQuestion, size: int, per_base: int | None, runs: int, seed: int, figure: Path | None
) -> Simulation:
    """Simulate rounds of `size` items, and draw the figure if a file for it is given."""
    import numpy as np

    from perturb.scoring.power_simulation import DriftSetting, clusters_of, draw_figure, simulate, sweep_drift

    # The true score moves around 0.5, where a score varies most.
    items_of_a_base, correlation = clusters_of(question.effect, per_base)
    setting = DriftSetting(
        epsilon=question.epsilon,
        rounds=question.rounds,
        drift=question.drift,
        size=size,
        start=0.5 - question.drift / 2,
        per_base=items_of_a_base,
        icc=correlation,
    )
    with given_by_options():
        simulation = simulate(setting, runs, seed)
    if figure is not None:
        # Up to twice the tolerance, so that the figure shows where a static benchmark begins to fail.
        drifts = np.linspace(0, max(2 * question.epsilon, 1.2 * question.drift), 13)
        draw_figure(simulation, sweep_drift(setting, drifts, runs, seed + 1), figure)
    return simulation
