"""`perturb curate`: from a source to a base set, with a report of what was left out and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from perturb.cli import run_options as shared
from perturb.cli.output import (
    check_choice,
    given_by_options,
    note,
    print_json,
    print_report,
    read_columns_option,
    reject_given,
    reject_option,
)
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.curation.curation import Curation


def curate_command(
    *,
    source: Annotated[
        str, Argument(help="A file, or hub:OWNER/NAME or hub:OWNER/NAME@REVISION.", show_default=False)
    ],
    out: Annotated[Path, Option(help="The base set to write: NAME.jsonl.", show_default=False)],
    form: Annotated[
        str, Option("--format", help="auto, jsonl, garage, refusalbench, squad, nq, kilt or articles.")
    ] = "auto",
    recipe: Annotated[
        str | None,
        Option(help="nq, garage, precisewikiqa or a .yaml file; without one, all that can be read is kept."),
    ] = None,
    seed: Annotated[int | None, Option(help="Seed of the draw.  [default: the recipe's]")] = None,
    limit: Annotated[int | None, Option(min=1, help="Look at the first N records only.")] = None,
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
        Path | None, Option(help="File of the model that writes questions from articles.")
    ] = None,
    calling: shared.CallOptions,
    force: Annotated[bool, Option("--force", help="Overwrite an existing base set.")] = False,
    json_output: shared.PrintJsonOption = False,
) -> None:
    """Make a base set from a source: filter, trim contexts, sample; every record left out is counted.

    Example: perturb curate GaRAGe_benchmark.jsonl --format garage --recipe garage --out base.jsonl
    """
    from perturb.curation.hub import PREFIX, HubSource
    from perturb.curation.recipes import PLAIN, load_recipe
    from perturb.curation.source import FORMATS, SourceRequest
    from perturb.curation.writing import check_name
    from perturb.evaluation.question_writing import curate_source
    from perturb.evaluation.session import RunOptions

    check_choice("--format", form, FORMATS)
    opened: Path | HubSource = Path(source)
    with given_by_options():
        check_name(out)
        columns = read_columns_option(column)
        if source.startswith(PREFIX):
            opened, columns = HubSource.named(source, subset, split, columns), {}
    if isinstance(opened, Path):
        options = {"--subset": subset, "--split": split}
        reject_given(options, f"goes with {PREFIX}OWNER/NAME: leave it out")
        if opened.resolve() == out.resolve():
            reject_option("--out", f"{out} is the source itself: choose another name")
    articles = form == "articles" or (form == "auto" and writer is not None)
    if articles != (writer is not None) or (writer and solvers):
        reject_option("--writer", "goes with --format articles, and not with --solvers")
    if solvers is None:
        reject_given({"--judge": judge}, "goes with --solvers: leave it out")
    if writer is None and solvers is None:
        given = {"--batch": calling.batch, "--executor": calling.executor != "local"}
        reject_given(given, "goes with --solvers or --writer: leave it out")
    used = PLAIN if recipe is None else load_recipe(recipe)
    request = SourceRequest(opened, form, used, seed, limit, knowledge, columns)
    run = RunOptions(**calling.run_options())
    curation, digest = curate_source(request, out, solvers, writer, run, judged=judge, force=force)
    _report(curation, out, digest, json_output)


def _report(curation: Curation, out: Path, digest: str, json_output: bool) -> None:
    from perturb.curation.writing import manifest_path

    report = curation.report
    if json_output:
        files = {"base_set": str(out), "manifest": str(manifest_path(out))}
        names = {"digest": digest, "name": curation.name, "licence": curation.licence}
        print_json({**files, **names, **report})
        return
    for kind, entry in report["passages_dropped"].items():
        if entry["passages"]:
            dropped = counted(entry["passages"], f"{kind} passage")
            note(f"{dropped} dropped from {counted(entry['records'], 'record')}")
    for missed in report["shortfalls"]:
        note(f"short: {missed['domain'] or 'all'}: {missed['got']} of {missed['wanted']}")
    from perturb.reports.runs import make_curation_report

    places = (f"Base set: {out} (digest {digest})", f"Manifest: {manifest_path(out)}")
    licence = f"Licence: {curation.licence or 'differs or is not stated'}"
    print_report(make_curation_report(report, (licence, *places)))
