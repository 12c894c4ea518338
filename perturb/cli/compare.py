"""`perturb compare`: how fresh a round is, and what has shifted since an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import number, print_json, print_table, span
from perturb.cli.wrong_use import refuse

if TYPE_CHECKING:
    from perturb.compare import Comparison


def compare_command(
    first: Annotated[
        str,
        typer.Argument(
            metavar="SNAP_A", help="The older round; the newer one if --against is given.", show_default=False
        ),
    ],
    second: Annotated[str | None, typer.Argument(metavar="SNAP_B", help="The newer round.")] = None,
    against: Annotated[
        str | None,
        typer.Option(help="A published set: a folder, a .jsonl or .parquet file, or hub:OWNER/NAME[@TAG]."),
    ] = None,
    scores: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            help="Evaluations of the older and the newer round: folders, results, or stored scores."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="List so many levers and changes of each kind.")] = 8,
    json_output: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare two rounds: repeated items, drift by cell, lever and generator, changes of scores.

    Example: perturb compare outputs/q3/snapshot outputs/q4/snapshot
    """
    from perturb.compare import compare

    if (second is None) == (against is None):
        refuse("SNAP_B", "give two rounds, or one and --against")
    old, new = (against, first) if against is not None else (first, second)
    done = compare(str(old), str(new), scores)
    if json_output:
        print_json(done.to_dict())
        return
    _print_freshness(done, top)
    _print_shifts(done, top)
    _print_scores(done)


def _print_freshness(done: Comparison, top: int) -> None:
    fresh = done.freshness
    typer.echo(f"older: {done.old.name}, {len(done.old.items)} items")
    typer.echo(f"newer: {done.new.name}, {fresh.items} items\n")
    print_table(
        ("of the newer items", "items", "share"),
        [
            (name, number, f"{100 * number / fresh.items:.1f} %")
            for name, number in (
                ("exact copies", fresh.exact),
                ("near duplicates, copies included", fresh.near),
                ("same lever on the same base instance", fresh.same_base_and_lever),
                ("same base instance", fresh.same_base),
            )
        ],
    )
    repeated = [(name, *counts) for name, counts in fresh.by_lever.items() if counts[1] or counts[2]]
    if repeated:
        typer.echo(f"\nlevers that repeat: {len(repeated)} of {len(fresh.by_lever)}")
        header = ("lever", "items", "near duplicates", "same base and lever")
        print_table(header, sorted(repeated, key=lambda row: (-row[2], -row[3]))[:top])


def _print_shifts(done: Comparison, top: int) -> None:
    for name, shift in done.shifts.items():
        typer.echo(f"\ndrift by {name}: {100 * shift.distance:.1f} % of the items in another place")
        shown = [share for share in shift.shares[:top] if share.change]
        if shown:
            rows = [(share.name, share.old, share.new, f"{100 * share.change:+.1f} pp") for share in shown]
            print_table((name, "older", "newer", "change of share"), rows)


def _print_scores(done: Comparison) -> None:
    if done.score_changes:
        typer.echo("\nscores")
        print_table(
            ("model", "metric", "older", "newer", "difference", "95 %", "why NA"),
            [
                (
                    *(one.model, one.metric, number(one.old), number(one.new)),
                    *(number(one.difference, "+.3f"), span(one.low, one.high, "+.3f"), one.reason or ""),
                )
                for one in done.score_changes
            ],
        )
        typer.echo("\nranking of the models")
        rows = [(one.metric, one.models, number(one.tau), one.reason or "") for one in done.rankings]
        print_table(("metric", "models", "Kendall's τ", "why NA"), rows)
