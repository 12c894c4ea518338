"""`perturb levers`: list and show the catalogue."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.output import print_result
from perturb.cli.usage_errors import check_choice
from perturb.errors import ConfigError
from perturb.records import Intensity, Lever, taxonomy_place
from perturb.wording import suggestion

if TYPE_CHECKING:
    from perturb.catalogue import Catalogue


def levers_command(
    name: Annotated[str | None, typer.Argument(help="Show this lever in full.")] = None,
    perturbation_class: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Only this class, say P-Ambiguity.")
    ] = None,
    intensity: Annotated[Intensity | None, typer.Option(help="Only this intensity.")] = None,
    folder: Annotated[
        list[Path] | None, typer.Option("--levers", help="A folder with levers of your own.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Only levers that the offline engine has a rule for.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the levers, or show one.

    Example: perturb levers --class P-FalsePremise --intensity LOW
    """
    from perturb.catalogue import Catalogue
    from perturb.report.lever_report import make_lever_report, make_levers_report

    catalogue = Catalogue.load(folder or ())
    if perturbation_class is not None:
        check_choice("--class", perturbation_class, sorted(catalogue.classes, key=taxonomy_place))
    levers = [
        lever
        for lever in catalogue.levers
        if perturbation_class in (None, lever.cell.perturbation_class)
        and intensity in (None, lever.cell.intensity)
    ]
    if offline:
        levers = [lever for lever in levers if lever.rule is not None]
    if name is None:
        levers.sort(key=lambda lever: taxonomy_place(str(lever.cell)))
        page = make_levers_report(levers, catalogue.cells_without_rule() if offline else None)
    else:
        found = catalogue.find(name)
        if found is None:
            near = (
                suggestion(name, (lever.name for lever in catalogue.levers))
                or "`perturb levers` lists them all"
            )
            raise ConfigError(f"no lever is called '{name}': {near}")
        levers, entry = [found], catalogue.classes[found.cell.perturbation_class]
        page = make_lever_report(found, entry, catalogue.expected_behavior(found.cell))
    print_result([_as_json(catalogue, lever) for lever in levers], page, json_output)


def _as_json(catalogue: Catalogue, lever: Lever) -> dict[str, object]:
    return {
        "name": lever.name,
        "perturbation_class": str(lever.cell.perturbation_class),
        "intensity": str(lever.cell.intensity),
        "target": sorted(catalogue.classes[lever.cell.perturbation_class].target),
        "expected_rag_behavior": catalogue.expected_behavior(lever.cell),
        "expected_answer": lever.answer or None,
        "needs": list(lever.needs),
        "rule": lever.rule
        and {"do": lever.rule.do, "what": lever.rule.what, "needs": list(lever.rule.needs)},
        "instruction": lever.instruction,
        "illustration": asdict(lever.illustration),
    }
