"""`perturb levers`: list and show the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import print_json, print_table
from perturb.errors import ConfigError
from perturb.records import ALL_CELLS, Intensity, Lever, PerturbationClass

if TYPE_CHECKING:
    from perturb.catalogue import Catalogue


def levers_command(
    name: Annotated[str | None, typer.Argument(help="Show this lever in full.")] = None,
    perturbation_class: Annotated[
        PerturbationClass | None, typer.Option("--class", help="Only this class.")
    ] = None,
    intensity: Annotated[Intensity | None, typer.Option(help="Only this intensity.")] = None,
    folder: Annotated[
        list[Path] | None, typer.Option("--levers", help="A folder with levers of your own.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Only levers that the rule engine covers.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the levers, or show one.

    Example: perturb levers --class P-FalsePremise --intensity LOW
    """
    from perturb.catalogue import Catalogue

    catalogue = Catalogue.load(folder or ())
    levers = [
        lever
        for lever in catalogue.levers
        if perturbation_class in (None, lever.cell.perturbation_class)
        and intensity in (None, lever.cell.intensity)
    ]
    ruled = _ruled() if offline else {}
    if offline:
        levers = [lever for lever in levers if lever.name in ruled]
    if name is not None:
        found = catalogue.find(name)
        if found is None:
            raise ConfigError(f"no lever is called '{name}': `perturb levers` lists them all")
        levers = [found]
    levers.sort(key=lambda lever: ALL_CELLS.index(lever.cell))
    if json_output:
        print_json([_as_json(catalogue, lever) | ruled.get(lever.name, {}) for lever in levers])
    elif name is not None:
        _show(catalogue, levers[0])
    elif offline:
        rows = [(*_cell(lever), lever.name, *map(str, ruled[lever.name].values())) for lever in levers]
        print_table(("class", "intensity", "lever", "fit", "read", "precondition"), rows)
        typer.echo(
            "fit: share of the items read by one person that were fit to publish; read: how many those were"
        )
        _tell_switched_off()
    else:
        print_table(("class", "intensity", "lever"), [(*_cell(lever), lever.name) for lever in levers])
        typer.echo(f"{len(levers)} levers")


def _ruled() -> dict[str, dict[str, object]]:
    """What is known of the levers that have a rule in use."""
    from perturb.rules.engine import covered_levers
    from perturb.rules.measured import MEASURED

    ruled: dict[str, dict[str, object]] = {}
    for rule in covered_levers():
        fit, read = MEASURED.get(rule.lever, (0, 0))
        share = f"{fit / read:.0%}".replace("%", " %") if read else "-"
        ruled[rule.lever] = {"fit": share, "read": read, "precondition": rule.precondition}
    return ruled


def _tell_switched_off() -> None:
    from perturb.rules.quality import SWITCHED_OFF

    for lever, why in SWITCHED_OFF.items():
        typer.echo(f"switched off: {lever} ({why})")


def _cell(lever: Lever) -> tuple[str, str]:
    return str(lever.cell.perturbation_class), str(lever.cell.intensity)


def _as_json(catalogue: Catalogue, lever: Lever) -> dict[str, object]:
    perturbation_class, intensity = _cell(lever)
    return {
        "name": lever.name,
        "perturbation_class": perturbation_class,
        "intensity": intensity,
        "target": sorted(catalogue.classes[lever.cell.perturbation_class].target),
        "expected_rag_behavior": catalogue.expected_behavior(lever.cell),
        "needs": list(lever.needs),
        "instruction": lever.instruction,
        "illustration": {
            "query": lever.illustration.query,
            "context": lever.illustration.context,
            "expected": lever.illustration.expected,
        },
    }


def _show(catalogue: Catalogue, lever: Lever) -> None:
    from perturb.features import Need, vocabulary

    entry = catalogue.classes[lever.cell.perturbation_class]
    typer.echo(f"{lever.name}  ({lever.cell})")
    typer.echo(f"may change: {', '.join(sorted(entry.target))}")
    typer.echo(f"expected:   {catalogue.expected_behavior(lever.cell)}")
    typer.echo(f"needs:      {'; '.join(lever.needs) or 'nothing: it fits every instance'}")
    for need in lever.needs:
        for feature in sorted(Need.read(need).features):
            group, _, feature_name = feature.partition(":")
            typer.echo(f"            {feature}: {vocabulary()[group][feature_name]}")
    typer.echo(f"intensity:  {entry.criteria[lever.cell.intensity]}")
    typer.echo(f"\n{lever.instruction}\n")
    typer.echo(f"query:    {lever.illustration.query}")
    typer.echo(f"context:  {lever.illustration.context}")
    typer.echo(f"expected: {lever.illustration.expected}")
