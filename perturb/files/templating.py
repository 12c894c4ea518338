"""The one place that makes Jinja environments: for prompts, pages, cards and files of harnesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

from perturb.files.resources import data_folder


def environment(
    folder: Path | Sequence[Path] | None = None,
    *,
    html: bool = False,
    last_newline: bool = True,
    finalize: Callable[[Any], Any] | None = None,
    instead: Mapping[str, str] | None = None,
) -> jinja2.Environment:
    """What renders the templates in a folder (the first that has one of several), ours unless another is given.

    With `html`, every value is escaped, so that no text of a data set becomes markup; `finalize` changes each value.
    `instead` holds sources that stand in the place of files.
    """
    files = jinja2.FileSystemLoader(folder or data_folder("templates"))
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.DictLoader(instead), files]) if instead else files,
        undefined=jinja2.StrictUndefined,
        autoescape=html,  # noqa: S701 - prompts, Markdown and Python are no HTML
        finalize=finalize,
        keep_trailing_newline=last_newline,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def html_environment() -> jinja2.Environment:
    """The templates of all pages."""
    return environment(html=True, last_newline=False)


def included_in(source: str) -> list[str]:
    """The templates that a template includes by name."""
    named = jinja2.meta.find_referenced_templates(environment().parse(source))
    return [name for name in named if name is not None]


def asset(name: str) -> str:
    """A style sheet or script of our own: `report/base.css`, say."""
    return (data_folder("templates") / name).read_text(encoding="utf-8")
