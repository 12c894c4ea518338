"""How pages are rendered: Jinja with every value escaped, so that no text of a data set becomes markup."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from perturb.resources import data_folder


@cache
def html_environment() -> jinja2.Environment:
    """The templates of all pages; values are escaped, an undefined name is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_folder("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """A style sheet or script of our own: `report/base.css`, say."""
    return (Path(data_folder("templates")) / name).read_text(encoding="utf-8")
