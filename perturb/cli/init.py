"""`perturb init`: write a commented build configuration to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.usage_errors import check_choice
from perturb.errors import ConfigError
from perturb.resources import data_folder
from perturb.text_files import writing_errors


def init_command(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("build.yaml"),
    template: Annotated[
        str,
        typer.Option("--from", help="What to start from: init, or the protocols paper-nq and paper-garage."),
    ] = "init",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented build.yaml.

    Example: perturb init my-round.yaml
    """
    if path.exists() and not force:
        raise ConfigError(f"{path}: already exists: choose another name, or give --force to replace it")
    check_choice("--from", template, ("init", "paper-nq", "paper-garage"))
    text = (data_folder("base_sets") / f"{template}.build.yaml").read_text(encoding="utf-8")
    with writing_errors(path, ConfigError):
        path.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {path}: edit it, then run `perturb build {path} --dry-run`")
