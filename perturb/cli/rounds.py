"""Commands about finished rounds: `perturb compare`, `power`, `verify-snapshot` and `publish`."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    print_json,
    print_result,
    reject_given,
    reject_option,
)
from perturb.cli.run_options import PrintJsonOption
from perturb.records import JsonObject

if TYPE_CHECKING:
    from perturb.scoring.power import PowerQuestion
    from perturb.scoring.power_simulation import Simulation
    from perturb.snapshots.publish import Practice


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
    json_output: Annotated[bool, Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare two rounds: repeated items, drift by cell, lever and generator, changes of scores, and a verdict.

    A round is a snapshot folder, a run folder, a table, or hub:OWNER/NAME[@TAG]. To compare models, use `perturb
    score` on an evaluation of both.

    Example: perturb compare outputs/q3/snapshot outputs/q4/snapshot
    """
    from perturb.reports.rounds import make_comparison_report
    from perturb.scoring.round_comparison import compare

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
            help="Variance inflation from items that share a base instance; 1 if none do."
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
    json_output: PrintJsonOption = False,
) -> None:
    """Compute how many items a round needs, and how drift affects a benchmark that is never refreshed.

    A round gives its number of items and base instances; an evaluation, the variance of its scores as well.

    Example: perturb power --epsilon 0.05 --rounds 4 --drift 0.08 --simulate 1000 --figure power.png
    """
    from perturb.reports.rounds import make_power_report
    from perturb.scoring.power import (
        Budget,
        PowerQuestion,
        Split,
        observe,
        plan_sizes,
        read_design,
        split_budget,
    )
    from perturb.scoring.power_simulation import FORMATS

    if separate is not None and results is None:
        reject_option("--separate", "goes with --results: give both")
    if results is not None and separate is None and replies is None:
        reject_option("--results", "goes with --separate or --replies: give one of them")
    if replies is None and (within is not None or items is not None or item_cost):
        reject_option("--replies", "is missing: --within, --items and --item-cost go with it")
    if results is not None and separate is not None:
        _separate(results, separate, json_output)
        return
    if figure is not None:
        check_choice("--figure", figure.suffix, FORMATS)
    if source is not None:
        reject_given({"--scores": scores}, "does not go with RUN_OR_SNAPSHOT: leave one of them out")
    design = None if source is None else read_design(source)
    scores = source if design is None and source is not None else scores
    observed = None if scores is None else observe(scores)
    variance = rate * (1 - rate)
    if effect is None:
        effect = design.effect if design else 1.0
    if observed is not None:
        variance = observed.variance
        effect = effect if observed.effect is None else max(observed.effect, 1.0)
    question = PowerQuestion(epsilon, delta, rounds, drift, min(variance, 0.25), effect)
    with given_by_options():
        plan = plan_sizes(question)
    simulation = None
    if runs or figure is not None:
        sampled = observed or design
        per_base = None if sampled is None else math.ceil(sampled.n / sampled.bases)
        simulated = size or plan["generative"]["per_round_clustered"]
        simulation = _simulate(question, simulated, per_base, runs or 1000, seed, figure)
    splits: tuple[Split, ...] = ()
    if replies is not None:
        share = _share_within(results) if within is None else within
        with given_by_options():
            most_items = items or (design.n if design else None)
            splits = split_budget(Budget(replies, share, item_cost, most_items), question.variance, effect)
    content = {
        **plan,
        **({"split": [asdict(split) for split in splits]} if splits else {}),
        "round": design
        and {**asdict(design), "half_width": design.half_width(question.variance, question.effect)},
        "observed": observed and {**asdict(observed), "effective_n": observed.effective_n},
        "simulation": simulation and asdict(simulation),
    }
    print_result(
        content, make_power_report(question, plan, observed or design, simulation, splits), json_output
    )
    if figure is not None and not json_output:
        note(f"figure: {figure}")


def _share_within(results: Path | None) -> float:
    from perturb.scoring.settings import share_within
    from perturb.scoring.table import read_results

    if results is None:
        reject_option("--within", "is missing: give it, or --results with several samples of each item")
    return share_within(read_results(results).models)


def _separate(results: Path, scores: tuple[float, float], json_output: bool) -> None:
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
    import numpy as np

    from perturb.scoring.power_simulation import DriftSetting, clusters_of, draw_figure, simulate, sweep_drift

    # the true score moves around the middle, where a score varies most
    setting = DriftSetting(
        *(question.epsilon, question.rounds, question.drift, size, 0.5 - question.drift / 2),
        *clusters_of(question.effect, per_base),
    )
    with given_by_options():
        simulation = simulate(setting, runs, seed)
    if figure is not None:
        drifts = np.linspace(0, max(2 * question.epsilon, 1.2 * question.drift), 13)
        draw_figure(simulation, sweep_drift(setting, drifts, runs, seed + 1), figure)
    return simulation


def publish_command(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR",
            help="A snapshot folder, such as outputs/demo/snapshot; with --leaderboard, its folder.",
            show_default=False,
        ),
    ],
    repo: Annotated[
        str | None,
        Argument(
            help="The data set on the Hub, OWNER/NAME; with --leaderboard, the Space to push to, if any.",
            show_default=False,
        ),
    ] = None,
    public: Annotated[bool, Option("--public", help="Make it public; a new data set is private.")] = False,
    replies: Annotated[
        Path | None,
        Option(help="Also push this file of `perturb export RUN --replies`, beside the data."),
    ] = None,
    scores: Annotated[
        Path | None,
        Option(metavar="RUN", help="Put the scores of this run of `perturb evaluate` on the card."),
    ] = None,
    leaderboard: Annotated[
        bool,
        Option("--leaderboard", help="Write the leaderboard of a round: a static page, and a Space."),
    ] = False,
    add: Annotated[
        list[Path] | None,
        Option(
            metavar="RUN|FILE", help="Add rows: an evaluation, or somebody's file of replies; repeatable."
        ),
    ] = None,
    replay: Annotated[
        Path | None, Option(help="Compute rows again from this file of replies, and compare.")
    ] = None,
    dry_run: Annotated[
        Path | None,
        Option(
            "--dry-run",
            metavar="OUT",
            help="Only write the merged card and the list of files to this folder.",
        ),
    ] = None,
    json_output: PrintJsonOption = False,
) -> None:
    """Push a snapshot to the Hugging Face Hub: one commit, and one tag for its round.

    Needs HF_TOKEN or a login (`hf auth login`). Publishing again changes nothing; after a broken upload it resumes.

    With --leaderboard: write the page that ranks models, add rows to it, or check them; push it if a Space is named.

    Example: perturb publish outputs/demo/snapshot my-name/refusal-demo
    """
    if leaderboard:
        other_options = {"--replies": replies, "--scores": scores, "--dry-run": dry_run}
        reject_given(other_options, "cannot be used with --leaderboard")
        _publish_leaderboard(folder, repo, tuple(add or ()), replay, public=public, json_output=json_output)
        return
    reject_given({"--add": add, "--replay": replay}, "needs --leaderboard")
    if dry_run is None and repo is None:
        reject_option("repo", "is missing: name the data set on the Hub, OWNER/NAME")
    from perturb.reports.scores_page import scores_for_card
    from perturb.snapshots.hub import check_repo_name
    from perturb.snapshots.publish import publish, write_publication

    if repo is not None:
        with given_by_options():
            check_repo_name(repo)
    score_section = scores_for_card(scores, folder) if scores else ""
    if dry_run is not None:
        _print_planned(
            write_publication(folder, repo, dry_run, replies=replies, scores=score_section),
            dry_run,
            json_output,
        )
        return
    publication = publish(
        folder, repo or "", public=public, replies=replies, scores=score_section, progress=sys.stderr.isatty()
    )
    if json_output:
        print_json(asdict(publication))
        return
    if not publication.uploaded:
        note(f"the content was there already (commit {publication.commit[:12]}); nothing was uploaded")
    typer.echo(f"{publication.repo}, tag {publication.tag}: {publication.url}")


def _print_planned(listed: JsonObject, out: Path, json_output: bool) -> None:
    """What a push would do to each file."""
    if json_output:
        print_json(listed)
        return
    for file in listed["files"]:
        size = f" ({file['bytes']:,} bytes)" if file["bytes"] else ""
        typer.echo(f"{file['change']} {file['path']}{size}")
    typer.echo(f"{out / 'README.md'}: the card as it would be published; nothing was pushed")


def _publish_leaderboard(
    folder: Path,
    repo: str | None,
    add: tuple[Path, ...],
    replay: Path | None,
    *,
    public: bool,
    json_output: bool,
) -> None:
    """Write it and push it, or check the rows that a file of replies is about."""
    from perturb.text.wording import counted

    if replay is not None and (add or repo):
        reject_option("--replay", "only compares: leave out --add and the Space")
    if public and repo is None:
        reject_option("--public", "needs the Space to push to: name OWNER/NAME")
    if replay is not None:
        from perturb.reports.leaderboard_page import check_rows

        rows, problems = check_rows(folder, replay)
        if json_output:
            print_json(
                {"leaderboard": str(folder), "rows": rows, "sound": not problems, "problems": problems}
            )
        else:
            for problem in problems:
                typer.echo(problem)
            typer.echo(f"{folder}: {counted(rows, 'row')} computed again, {len(problems)} not as stated")
        if problems:
            raise typer.Exit(1)
        return
    from perturb.reports.leaderboard_page import files_of, write_leaderboard
    from perturb.snapshots.hub import check_repo_name
    from perturb.snapshots.publish import push_space

    if repo is not None:
        with given_by_options():
            check_repo_name(repo)
    board = write_leaderboard(folder, add)
    pushed = repo and push_space(folder, repo, files_of(board), public=public, progress=sys.stderr.isatty())
    rows = sum(len(table.rows) for table in board.standings)
    if json_output:
        print_json(
            {
                "leaderboard": str(folder),
                "rows": rows,
                "round": board.round,
                "space": asdict(pushed) if pushed else None,
            }
        )
        return
    typer.echo(f"{folder / 'index.html'}: {counted(rows, 'row')}")
    if pushed:
        typer.echo(f"{pushed.repo}: {pushed.url}")


SHOWN = 20
"""Problems printed before the rest is only counted."""


def _practices(folder: Path) -> tuple[Practice, ...]:
    from perturb.snapshots.publish import check_practices
    from perturb.snapshots.snapshot import read_snapshot

    return check_practices(read_snapshot(folder).manifest)


def verify_snapshot_command(
    folder: Annotated[Path, Argument(metavar="DIR", help="A snapshot folder.", show_default=False)],
    levers: Annotated[list[Path] | None, Option(help="Folder with levers of your own; repeatable.")] = None,
    replay: Annotated[
        Path | None, Option(help="Also make the rows again from this file of replies, and compare.")
    ] = None,
    checklist: Annotated[
        bool, Option("--checklist", help="Also list which practices of BetterBench the snapshot meets.")
    ] = False,
    json_output: Annotated[bool, Option("--json", help="Print every problem as JSON.")] = False,
) -> None:
    """Check digests, counts and schema, and every row's lever, target and label.

    Exits with 1 if anything is wrong.

    Example: perturb verify-snapshot outputs/demo/snapshot
    """
    from perturb.snapshots.replies import verify_snapshot
    from perturb.text.wording import counted

    check = verify_snapshot(folder, levers or ())
    if replay is not None:
        from perturb.building.replay import check_replay

        check = replace(check, problems=(*check.problems, *check_replay(folder, replay, levers or ())))
    practices = _practices(folder) if checklist else ()
    if json_output:
        extra = {"checklist": [asdict(practice) for practice in practices]} if checklist else {}
        print_json({"snapshot": str(folder), "sound": not check.problems, **asdict(check), **extra})
    else:
        for practice in practices:
            typer.echo(f"{practice.state:8} {practice.name} ({practice.reason})")
        for line in check.notes:
            note(f"note: {line}")
        for problem in check.problems[:SHOWN]:
            typer.echo(problem)
        if len(check.problems) > SHOWN:
            typer.echo(f"… and {len(check.problems) - SHOWN} more (--json lists all)")
        typer.echo(f"{folder}: {counted(check.rows, 'row')}, {counted(len(check.problems), 'problem')}")
    if check.problems:
        raise typer.Exit(1)
