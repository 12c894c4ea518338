"""The commands that precede a build: `perturb init`, `schema`, `levers` and `curate`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    print_json,
    print_report,
    print_result,
    read_columns_option,
    reject_given,
    reject_option,
)
from perturb.errors import ConfigError, suggestion
from perturb.files.resources import data_folder, writing_errors
from perturb.records import JsonObject, Lever, taxonomy_place
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.catalogue.levers import Catalogue
    from perturb.curation.curation import Curation
    from perturb.curation.source import SourceRequest

# The word that makes `perturb levers` draft a class instead of showing the lever of this name.
_DRAFT = "draft"


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
    name: Annotated[str | None, Argument(help="Show this lever in full; `draft` drafts a class.")] = None,
    sentence: Annotated[
        str | None, Argument(metavar="SENTENCE", help="With draft: the flaw, in a sentence.")
    ] = None,
    perturbation_class: shared.ClassOption = None,
    intensity: shared.IntensityOption = None,
    folder: Annotated[list[Path] | None, Option("--levers", help="A folder with levers of your own.")] = None,
    offline: Annotated[
        bool, Option("--offline", help="Only levers that the offline engine has a rule for.")
    ] = False,
    model: Annotated[
        str | None,
        Option(metavar="MODEL", help="With draft: the model that writes the class and tries its levers."),
    ] = None,
    out: Annotated[
        Path | None, Option(help="With draft: the folder for the class file.", show_default=False)
    ] = None,
    api_base: Annotated[str | None, Option(metavar="URL", help="With draft: server of the model.")] = None,
    budget_usd: Annotated[
        float | None, Option(min=0, help="With draft: stop before the calls cost more than this.")
    ] = None,
    json_output: shared.JsonOption = False,
) -> None:
    """List the levers, show one, or draft a class of your own from a sentence.

    Example: perturb levers --class P-FalsePremise --intensity LOW

    Example: perturb levers draft "the passage is out of date" --model openai/gpt-4o --out my-levers
    """
    if name == _DRAFT:
        _draft(sentence, model, out, api_base, budget_usd, json_output)
        return
    draft_options = {"SENTENCE": sentence, "--model": model, "--out": out, "--api-base": api_base}
    reject_given(
        {**draft_options, "--budget-usd": budget_usd}, "goes with `perturb levers draft`: leave it out"
    )
    from perturb.catalogue.levers import Catalogue
    from perturb.reports.runs import make_lever_report, make_levers_report

    catalogue = Catalogue.load(folder or ())
    # Classes of the user's own can be named too, so the choices are known only now.
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
        # The order is stable: within a cell, the levers stay as their files have them.
        levers.sort(key=lambda lever: taxonomy_place(str(lever.cell)))
        page = make_levers_report(levers, catalogue.cells_without_rule(catalogue.cells) if offline else None)
    else:
        lever = _find_lever(catalogue, name)
        levers, entry = [lever], catalogue.classes[lever.cell.perturbation_class]
        page = make_lever_report(lever, entry, catalogue.expected_behavior(lever.cell))
    print_result([_as_json(catalogue, lever) for lever in levers], page, json_output)


def _find_lever(catalogue: Catalogue, name: str) -> Lever:
    lever = catalogue.find(name)
    if lever is None:
        names = (lever.name for lever in catalogue.levers)
        advice = suggestion(name, names) or "`perturb levers` lists them all"
        raise ConfigError(f"no lever is called '{name}': {advice}")
    return lever


def _draft(
    sentence: str | None,
    model: str | None,
    out: Path | None,
    api_base: str | None,
    budget_usd: float | None,
    json_output: bool,
) -> None:
    """Write the class file and print what its levers made."""
    from perturb.building.drafting import draft_class
    from perturb.evaluation.models_under_test import ModelNames
    from perturb.evaluation.session import RunOptions
    from perturb.reports.runs import make_draft_report

    if sentence is None or model is None or out is None:
        needed = {"SENTENCE": sentence, "--model": model, "--out": out}
        missing = next(option for option, value in needed.items() if value is None)
        reject_option(missing, "is missing: perturb levers draft SENTENCE --model MODEL --out FOLDER")
    models = ModelNames(api_base=api_base).find_all([model])
    draft = draft_class(sentence, models, out, RunOptions(budget_usd=budget_usd))
    print_result(draft.to_dict(), make_draft_report(draft), json_output)


def _as_json(catalogue: Catalogue, lever: Lever) -> JsonObject:
    """An entry of the list that `perturb levers --json` prints."""
    cell, rule = lever.cell, lever.rule
    return {
        "name": lever.name,
        "perturbation_class": str(cell.perturbation_class),
        "intensity": str(cell.intensity),
        "target": sorted(catalogue.classes[cell.perturbation_class].target),
        "expected_rag_behavior": catalogue.expected_behavior(cell),
        "expected_answer": lever.answer or None,
        "needs": list(lever.needs),
        "rule": None if rule is None else {"do": rule.do, "what": rule.what, "needs": list(rule.needs)},
        "instruction": lever.instruction,
        "illustration": asdict(lever.illustration),
    }


def curate_command(
    *,
    source: Annotated[
        str,
        Argument(
            help="A file, a folder of documents, or hub:OWNER/NAME or hub:OWNER/NAME@REVISION.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, Option(help="The base set to write: NAME.jsonl.", show_default=False)],
    form: Annotated[
        str,
        Option("--format", help="auto, jsonl, garage, refusalbench, squad, nq, kilt, articles or documents."),
    ] = "auto",
    recipe: Annotated[
        str | None,
        Option(help="nq, garage, precisewikiqa or a .yaml file; without one, all that can be read is kept."),
    ] = None,
    seed: Annotated[int | None, Option(help="Seed of the draw.  [default: the recipe's]")] = None,
    limit: Annotated[int | None, Option(min=1, help="At most N records: the first ones.")] = None,
    knowledge: Annotated[Path | None, Option(help="The knowledge source of a KILT task.")] = None,
    subset: shared.HubSubsetOption = None,
    split: shared.HubSplitOption = None,
    column: shared.ColumnOption = None,
    solvers: Annotated[
        Path | None, Option(help="Panel file of models that must all answer every question correctly.")
    ] = None,
    judge: Annotated[
        bool, Option("--judge", help="Have the panel's judge grade single-passage answers too.")
    ] = False,
    writer: Annotated[
        Path | None, Option(help="File of the model that writes questions from articles or documents.")
    ] = None,
    since: Annotated[
        str | None,
        Option(metavar="DATE", help="Keep documents dated YYYY-MM-DD or later, and no undated ones."),
    ] = None,
    calling: shared.CallOptions,
    force: Annotated[bool, Option("--force", help="Overwrite an existing base set.")] = False,
    json_output: shared.JsonOption = False,
) -> None:
    """Make a base set from a source: filter, trim contexts, sample; every record left out is counted.

    Example: perturb curate GaRAGe_benchmark.jsonl --format garage --recipe garage --out base.jsonl
    """
    from perturb.curation.curation import check_name
    from perturb.curation.hub import PREFIX, HubSource
    from perturb.curation.source import FORMATS, PLAIN, SourceRequest, load_recipe, read_since
    from perturb.evaluation.question_writing import curate_source
    from perturb.evaluation.session import RunOptions

    check_choice("--format", form, FORMATS)
    place: Path | HubSource = Path(source)
    with given_by_options():
        check_name(out)
        columns = read_columns_option(column)
        if source.startswith(PREFIX):
            # the columns are now those of the data set on the Hub
            place, columns = HubSource.named(source, subset, split, columns), {}
    if isinstance(place, Path):
        hub_options = {"--subset": subset, "--split": split}
        reject_given(hub_options, f"goes with {PREFIX}OWNER/NAME: leave it out")
        if place.resolve() == out.resolve():
            reject_option("--out", f"{out} is the source itself: choose another name")
    chosen_recipe = PLAIN if recipe is None else load_recipe(recipe)
    with given_by_options():
        first_day = None if since is None else read_since(since)
    request = SourceRequest(place, form, chosen_recipe, seed, limit, knowledge, columns, first_day)
    _check_writer(request, writer, solvers)
    if not request.is_folder:
        reject_given({"--since": since}, "goes with a folder of documents: leave it out")
    if solvers is None:
        reject_given({"--judge": judge}, "goes with --solvers: leave it out")
    # Without either, no model is called.
    if writer is None and solvers is None:
        call_options = {"--batch": calling.batch, "--executor": calling.executor != "local"}
        reject_given(call_options, "goes with --solvers or --writer: leave it out")
    run = RunOptions(**calling.run_options())
    curation, digest = curate_source(request, out, solvers, writer, run, judged=judge, force=force)
    _print_curation(curation, out, digest, json_output)


def _check_writer(request: SourceRequest, writer: Path | None, solvers: Path | None) -> None:
    """Reject a source that needs a writer without one, a writer that has nothing to write, and solvers of articles."""
    # with a writer, the format auto means articles unless the source is a folder of documents
    by_default = request.form == "auto" and writer is not None and not request.is_folder
    are_articles = request.form == "articles" or by_default
    if writer is None and request.is_folder:
        reject_option("--writer", "is missing: a folder of documents needs a model that writes questions")
    if writer is None and are_articles:
        reject_option("--writer", "is missing: articles need a model that writes questions")
    if writer is not None and not (are_articles or request.is_folder):
        reject_option("--writer", "goes with --format articles or a folder of documents: leave it out")
    if are_articles and solvers:
        reject_option("--solvers", "cannot test questions that are written from articles: leave it out")


def _print_curation(curation: Curation, out: Path, digest: str, json_output: bool) -> None:
    """Print what was written; without `--json`, note on stderr what was left out and what is short."""
    from perturb.curation.curation import manifest_path

    report = curation.report
    if json_output:
        files = {"base_set": str(out), "manifest": str(manifest_path(out))}
        identity = {"digest": digest, "name": curation.name, "licence": curation.licence}
        print_json({**files, **identity, **report})
        return
    for kind, entry in report["passages_dropped"].items():
        if entry["passages"]:
            dropped = counted(entry["passages"], f"{kind} passage")
            note(f"{dropped} dropped from {counted(entry['records'], 'record')}")
    for missed in report["shortfalls"]:
        note(f"short: {missed['domain'] or 'all'}: {missed['got']} of {missed['wanted']}")
    from perturb.reports.runs import make_curation_report

    places = (f"Base set: {out} (digest {digest})", f"Manifest: {manifest_path(out)}")
    licence = f"Licence: {curation.licence or 'differs between records or is not stated'}"
    print_report(make_curation_report(report, (licence, *places)))
