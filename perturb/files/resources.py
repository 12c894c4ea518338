"""Where the data folders are, beside the package in a wheel or at the top of a checkout, and which version runs.

The one place that makes Jinja environments: for prompts, pages, cards and files of harnesses.

Content hashes and the seeds drawn from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

from perturb.errors import ConfigError

DATA_FOLDERS: tuple[str, ...] = ("levers", "templates", "base_sets", "verifiers")


def data_folder(name: str) -> Path:
    """The folder of embedded data called `name` (one of `DATA_FOLDERS`).

    Raises `ConfigError` if the installation lacks it.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_data", package.parent):
        if (root / name).is_dir():
            return root / name
    raise ConfigError(f"the embedded folder '{name}' is missing from this installation: reinstall perturb")


def demo_recording(name: str) -> Path | None:
    """The embedded file of recorded replies called `name` (the round is `recorded`), if there is one."""
    path = data_folder("base_sets") / f"{name}.replies.jsonl.gz"
    return path if path.exists() else None


@cache
def code_version() -> str:
    """The version of perturb that is running."""
    try:
        return version("refusalbench-builder")
    except PackageNotFoundError:
        return "unknown"


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spare blanks: equal values give equal text.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _ENCODER.encode(value)


def digest(*parts: Any, length: int = 16) -> str:
    """Hexadecimal SHA-256 of the parts, cut to `length` digits.

    >>> digest("a", "b") == digest("ab")
    False
    """
    return hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()[:length]


def seed_of(*parts: Any) -> int:
    """A 64-bit seed that depends on nothing but the parts."""
    return int(digest(*parts, length=16), 16)


def fraction_of(*parts: Any) -> float:
    """A number in [0, 1) that depends on nothing but the parts: a coin that can be tossed again."""
    return seed_of(*parts) / 2**64


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
