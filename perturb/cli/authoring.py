"""`perturb init`: write a commented build configuration to start from.

`perturb schema`: the JSON schema of a file that users write, for editors.

`perturb levers`: list and show the catalogue.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from perturb.cli.output import check_choice, print_result
from perturb.cli.run_options import PrintJsonOption
from perturb.errors import ConfigError
from perturb.files.resources import data_folder
from perturb.files.text_files import writing_errors
from perturb.records import Intensity, Lever, taxonomy_place
from perturb.text.wording import suggestion

if TYPE_CHECKING:
    from perturb.catalogue.levers import Catalogue


def init_command(
    path: Annotated[Path, Argument(help="The file to write.")] = Path("build.yaml"),
    template: Annotated[
        str,
        Option("--from", help="What to start from: init, or the protocols paper-nq and paper-garage."),
    ] = "init",
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented build.yaml.

    Example: perturb init my-round.yaml
    """
    if path.exists() and not force:
        raise ConfigError(f"{path}: already exists: choose another name, or give --force to replace it")
    check_choice("--from", template, ("init", "paper-nq", "paper-garage"))
    from perturb.config import current_round

    text = (data_folder("base_sets") / f"{template}.build.yaml").read_text(encoding="utf-8")
    if template == "init":
        text = text.replace("2026-Q4", current_round())
    with writing_errors(path, ConfigError):
        path.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {path}: edit it, then run `perturb build {path} --dry-run`")


def schema_command(
    kind: Annotated[
        Literal["build", "panel", "models", "solvers", "writer", "levers"],
        Option("--for", help="The kind of file."),
    ] = "build",
) -> None:
    """Print the JSON schema of build.yaml or another file, for completion and checks in editors.

    Example: perturb schema > build.schema.json
    """
    from perturb.catalogue.levers import ClassFile
    from perturb.config import BuildConfig, PanelEntry
    from perturb.evaluation.models_under_test import ModelsFile
    from perturb.evaluation.question_writing import WriterFile
    from perturb.evaluation.solvability import SolverPanel
    from perturb.files.yaml_files import Strict

    files: dict[str, type[Strict]] = {
        "build": BuildConfig,
        "panel": PanelEntry,
        "models": ModelsFile,
        "solvers": SolverPanel,
        "writer": WriterFile,
        "levers": ClassFile,
    }
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **files[kind].model_json_schema()}
    typer.echo(json.dumps(schema, ensure_ascii=False, indent=2))


def levers_command(
    name: Annotated[str | None, Argument(help="Show this lever in full.")] = None,
    perturbation_class: Annotated[
        str | None, Option("--class", metavar="CLASS", help="Only this class, say P-Ambiguity.")
    ] = None,
    intensity: Annotated[Intensity | None, Option(help="Only this intensity.")] = None,
    folder: Annotated[list[Path] | None, Option("--levers", help="A folder with levers of your own.")] = None,
    offline: Annotated[
        bool, Option("--offline", help="Only levers that the offline engine has a rule for.")
    ] = False,
    json_output: PrintJsonOption = False,
) -> None:
    """List the levers, or show one.

    Example: perturb levers --class P-FalsePremise --intensity LOW
    """
    from perturb.catalogue.levers import Catalogue
    from perturb.reports.lever_report import make_lever_report, make_levers_report

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
