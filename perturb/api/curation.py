"""What `perturb.curate` does with its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from perturb.curate.base_sets import BaseSet
from perturb.curate.hub import PREFIX, HubSource
from perturb.curate.recipes import PLAIN, load_recipe
from perturb.curate.source import SourceRequest
from perturb.curate.writing import check_name, check_place, write_base_set
from perturb.errors import ConfigError, SourceError
from perturb.evaluate.curation import curate_with_models
from perturb.evaluate.task import RunOptions
from perturb.resources import code_version
from perturb.wording import counted


def curate_source(
    source: str | HubSource,
    out: Path,
    files: tuple[Path | None, Path | None],
    recipe: str | PathLike[str] | None,
    run: Mapping[str, Any],
    *,
    judged: bool,
    force: bool,
    form: str,
    **options: Any,
) -> BaseSet:
    """Curate a source, write it, and return what was written. Raises `PerturbError`s.

    `files` name the solvers and the writer, if any take part; `run` says how they are asked, as `RunOptions` takes it.
    """
    solvers, writer = files
    check_name(out)
    check_place(out, force)
    if not isinstance(source, HubSource) and Path(source).resolve() == out.resolve():
        raise SourceError(f"{out}: is the source itself: choose another name")
    request = SourceRequest(
        source if isinstance(source, HubSource) else Path(source),
        recipe=PLAIN if recipe is None else load_recipe(str(recipe)),
        form="articles" if writer and form == "auto" else form,
        **options,
    )
    if (request.form == "articles") != (writer is not None) or (writer and solvers):
        raise ConfigError("writer: goes with the format 'articles', and not with solvers")
    found = curate_with_models(request, out, solvers, writer, RunOptions(**run), judged=judged)
    write_base_set(found, out, code_version())
    written = BaseSet.read(out, "jsonl")
    return replace(written, warnings=(*_left_out(found.report), *written.warnings))


def hub_source(
    source: str, subset: str | None, split: str | None, columns: Mapping[str, str] | None
) -> str | HubSource:
    """The data set on the Hub that a source names, or the source as it is. Raises `SourceError`."""
    if source.startswith(PREFIX):
        return HubSource.named(source, subset, split, columns)
    if subset or split or columns:
        raise SourceError(f"{source}: subset, split and columns go with {PREFIX}OWNER/NAME: leave them out")
    return source


def _left_out(report: Mapping[str, Any]) -> Iterator[str]:
    for one in report["left_out"]:
        if one["count"]:
            yield f"{one['step']}: {counted(one['count'], 'record')} left out: {one['reason']}"
    for missed in report["shortfalls"]:
        yield f"short: {missed['domain'] or 'all'}: {missed['got']} of {missed['wanted']}"
