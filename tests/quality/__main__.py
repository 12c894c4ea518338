"""`python -m tests.quality COMMAND`: read items of the offline engine, and count what was found in them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from perturb.errors import PerturbError
from perturb.records import ALL_CELLS
from tests.quality.drawing import Drawing, draw_items, draw_rejected
from tests.quality.figures import Figures, figures_by_cell, figures_by_check, figures_by_lever
from tests.quality.halves import Half, write_half
from tests.quality.sheets import Reading, read_sheet, strip_sheet, write_sheet

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


@app.command()
def draw(
    source: Annotated[Path, typer.Argument(help="Base instances, in a form that `perturb curate` reads.")],
    sheet: Annotated[Path, typer.Argument(help="The sheet to write.")],
    seed: Annotated[int, typer.Option(help="Decides which items are drawn; take one not used before.")],
    per_cell: Annotated[int, typer.Option(min=1, help="Items of each cell, or of each check.")] = 20,
    per_lever: Annotated[
        int | None, typer.Option(min=1, help="So many items of each lever in place of each cell.")
    ] = None,
    half: Annotated[
        Half, typer.Option(help="Which questions: see `halves.py`; take held-out ones for readers only.")
    ] = "both",
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Items that the offline checks reject.")
    ] = False,
) -> None:
    """Draw items into a sheet with the rubric's five questions, to be answered with yes or no."""
    with tempfile.TemporaryDirectory() as folder:
        rows = source if half == "both" else write_half(source, half, Path(folder) / source.name)
        if rejected:
            items = draw_rejected(rows, seed, per_cell)
        else:
            items = draw_items(rows, seed, per_cell, per_lever=per_lever)
    write_sheet(sheet, items, seed)
    typer.echo(f"{len(items)} items in {sheet}")


@app.command("yield")
def yield_(
    source: Annotated[Path, typer.Argument(help="Base instances, in a form that `perturb curate` reads.")],
    seed: Annotated[int, typer.Option(help="Decides the wordings.")],
    half: Annotated[Half, typer.Option(help="Which questions.")] = "development",
) -> None:
    """Print for each cell its levers with a rule, those that gave items, and the instances with an accepted item."""
    with tempfile.TemporaryDirectory() as folder:
        drawing = Drawing.of(write_half(source, half, Path(folder) / source.name), seed)
    for cell in ALL_CELLS:
        levers = [lever.name for lever in drawing.catalogue.levers_of(cell) if lever.rule is not None]
        found = [{item.original.id for item in drawing.accepted(cell, lever)} for lever in levers]
        typer.echo(f"| {cell} | {len(levers)} | {sum(map(bool, found))} | {len(set().union(*found))} |")


@app.command()
def figures(
    sheets: Annotated[list[Path], typer.Argument(help="Filled sheets.")],
    levers: Annotated[bool, typer.Option("--levers", help="By lever as well.")] = False,
) -> None:
    """Print the figures of filled sheets: fit (five times yes) and rightly labelled, with 95 % intervals."""
    readings: list[Reading] = [reading for sheet in sheets for reading in read_sheet(sheet)]
    _print(figures_by_cell(readings))
    if any(reading.rejected_by for reading in readings):
        typer.echo("")
        _print(figures_by_check(readings))
    if levers:
        typer.echo("")
        _print(figures_by_lever(readings))


@app.command()
def strip(
    filled: Annotated[Path, typer.Argument(help="A filled sheet.")],
    kept: Annotated[Path, typer.Argument(help="Where the sheet without the texts goes.")],
) -> None:
    """Leave the texts out of a filled sheet, so that it can be kept; the digests still name the items."""
    strip_sheet(filled, kept)


def _print(rows: list[Figures]) -> None:
    typer.echo(f"{'':42}{'fit':>22}{'rightly labelled':>24}")
    for row in rows:
        typer.echo(f"{row.group:42}{row.fit!s:>22}{row.labelled!s:>24}")


if __name__ == "__main__":
    try:
        app()
    except PerturbError as error:
        typer.echo(str(error), err=True)
        raise SystemExit(2) from None
