"""Makes the Jinja environments for prompts, pages, cards and files of harnesses. No other module imports Jinja."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import jinja2.sandbox

from perturb.errors import ConfigError
from perturb.files.resources import data_folder


def environment(
    folder: Path | Sequence[Path] | None = None,
    *,
    html: bool = False,
    keep_last_newline: bool = True,
    finalize: Callable[[Any], Any] | None = None,
    replacements: Mapping[str, str] | None = None,
) -> jinja2.Environment:
    """The Jinja environment for the templates in a folder, by default our own.

    Args:
        folder: One folder or several. A template comes from the first folder that has it.
        html: Whether every value is escaped, so that no text of a data set becomes markup.
        keep_last_newline: Whether a line break at the end of a template stays.
        finalize: A function that is applied to each value before it is printed.
        replacements: Name of a template → the text that replaces its file.
    """
    files = jinja2.FileSystemLoader(folder or data_folder("templates"))
    return jinja2.Environment(
        # Jinja asks the loaders in turn, so a replacement wins over the file of the same name.
        loader=jinja2.ChoiceLoader([jinja2.DictLoader(replacements), files]) if replacements else files,
        undefined=jinja2.StrictUndefined,  # a misspelt name must fail, and not leave a gap in a prompt
        autoescape=html,  # noqa: S701 - prompts, Markdown and Python are not HTML
        finalize=finalize,
        keep_trailing_newline=keep_last_newline,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def html_environment() -> jinja2.Environment:
    """The Jinja environment of all pages."""
    return environment(html=True, keep_last_newline=False)


@cache
def text_environment() -> jinja2.Environment:
    """Our templates of plain text. Each is compiled once."""
    return environment()


@cache
def included_in(source: str) -> tuple[str, ...]:
    """The templates that a template includes by name."""
    # A template that is included by a computed name is reported as None. Ours never do that.
    names = jinja2.meta.find_referenced_templates(text_environment().parse(source))
    return tuple(name for name in names if name is not None)


def asset(name: str) -> str:
    """The text of a style sheet or script of ours, for example `report/base.css`."""
    return (data_folder("templates") / name).read_text(encoding="utf-8")


def render_blocks(source: str, names: Sequence[str], values: Mapping[str, Any], label: str) -> list[str]:
    """Render the named blocks of a template in a sandbox. Blanks at the ends of a block are removed.

    The template cannot load files, and it cannot change or call the values. Raises `ConfigError` that begins with
    `label` if it cannot be read or rendered, or lacks a block.

    >>> render_blocks("{% block user %} Q: {{ query }} {% endblock %}", ["user"], {"query": "{{ 1 }}"}, "a.j2")
    ['Q: {{ 1 }}']
    """
    try:
        # Users write these templates, for instance prompts, so they run in a sandbox.
        template = _compiled(source)
        if missing := [name for name in names if name not in template.blocks]:
            raise ConfigError(f"{label}: has no block '{missing[0]}': write {{% block {missing[0]} %}}")
        context = template.new_context(dict(values))
        return ["".join(template.blocks[name](context)).strip() for name in names]
    except jinja2.TemplateSyntaxError as error:
        raise ConfigError(f"{label}: line {error.lineno}: {error.message}: correct the template") from None
    except (
        jinja2.TemplateError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise ConfigError(f"{label}: cannot be rendered ({error}): correct the template") from None


@cache
def _compiled(source: str) -> jinja2.Template:
    sandbox = jinja2.sandbox.ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return sandbox.from_string(source)
