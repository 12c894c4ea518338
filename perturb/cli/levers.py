"""`perturb levers`: list and show the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import print_json, print_report
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
    from perturb.report.lever_report import make_lever_report, make_levers_report

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
        cell = levers[0].cell
        entry = catalogue.classes[cell.perturbation_class]
        print_report(make_lever_report(levers[0], entry, catalogue.expected_behavior(cell)))
    elif offline:
        from perturb.rules.quality import SWITCHED_OFF

        print_report(make_levers_report(levers, ruled, SWITCHED_OFF))
    else:
        print_report(make_levers_report(levers))


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


def _as_json(catalogue: Catalogue, lever: Lever) -> dict[str, object]:
    return {
        "name": lever.name,
        "perturbation_class": str(lever.cell.perturbation_class),
        "intensity": str(lever.cell.intensity),
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
