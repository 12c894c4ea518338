"""`perturb compare`: how fresh a round is, and what has shifted since an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.output import print_result
from perturb.cli.usage_errors import reject_option


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
    top: Annotated[int, typer.Option(min=1, help="Number of levers and changes of each kind to list.")] = 8,
    json_output: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare two rounds: repeated items, drift by cell, lever and generator, changes of scores.

    Example: perturb compare outputs/q3/snapshot outputs/q4/snapshot
    """
    from perturb.compare.round_comparison import compare
    from perturb.report.rounds import make_comparison_report

    if (second is None) == (against is None):
        reject_option("SNAP_B", "give two rounds, or one and --against")
    old, new = (against, first) if against is not None else (first, second)
    done = compare(str(old), str(new), scores)
    print_result(done.to_dict(), make_comparison_report(done, top), json_output)
