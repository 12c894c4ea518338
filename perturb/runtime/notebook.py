"""What a notebook shows: tables in HTML, every text escaped, and progress bars.

What happens in a run, for whoever listens: records of the standard `logging`, with their fields beside the words.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterable, Sequence
from html import escape
from logging import DEBUG, INFO, WARNING
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

_LONGEST = 160
"""Characters of a text in a cell; the rest is cut off with an ellipsis."""


def html_table(
    title: str, columns: Sequence[str] = (), rows: Iterable[Sequence[object]] = (), notes: Iterable[str] = ()
) -> str:
    """A title, a table and notes for `_repr_html_`; texts are data, so markup in them is shown as it is written.

    >>> html_table("Two", ["text"], [["<b>"]])
    '<p><b>Two</b></p><table><tr><th>text</th></tr><tr><td style="text-align:left">&lt;b&gt;</td></tr></table>'
    """
    parts = [f"<p><b>{escape(title)}</b></p>"] if title else []
    if columns:
        parts.append("<table><tr>" + "".join(f"<th>{escape(name)}</th>" for name in columns) + "</tr>")
        parts += [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
        parts.append("</table>")
    return "".join((*parts, *(f"<p>{escape(note)}</p>" for note in notes)))


def progress_bar(wanted: bool, **options: Any) -> tqdm[Any]:
    """A tqdm bar where it can be seen, on a terminal or in a notebook; silent elsewhere, and if it is not wanted."""
    disable = (None if not in_notebook() else False) if wanted else True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets the bar is text
        from tqdm.auto import tqdm

        return tqdm(disable=disable, **options)


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


def _cell(value: object) -> str:
    number = isinstance(value, int | float)
    text = str(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f'<td style="text-align:{"right" if number else "left"}">{escape(text)}</td>'


__all__ = ["DEBUG", "INFO", "LOG", "WARNING", "event"]

LOG = logging.getLogger("perturb")
"""The logger of everything below the command line; silent unless a handler is added."""

LOG.addHandler(logging.NullHandler())


def event(level: int, name: str, message: str, **fields: Any) -> None:
    """Log one event: `name` and `fields` are for programs, `message` is for people. No key may stand in any."""
    if LOG.isEnabledFor(level):
        LOG.log(level, "%s", message, extra={"event": name, "fields": fields})
