"""The page of a run: one document and its files, and the data that its script asks for.

The page of a run as a static site, for any host of files, or none: it opens from a folder as well.

A browser lets no page read files beside it, but run scripts from there: the data are scripts that hand over JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError
from perturb.files.templating import asset
from perturb.files.text_files import atomic_directory
from perturb.ledger.calls import reading
from perturb.ledger.evaluations import holds_items
from perturb.ledger.plans import key_variables_of
from perturb.llm.redaction import show_key
from perturb.reports.build_view import PAGE, BuildView, Filters, RunView
from perturb.reports.evaluation_view import EvaluationView
from perturb.runtime.local_server import (
    NOTHING_HERE,
    POLICY,
    Reply,
    Request,
    asset_reply,
    json_reply,
    page_reply,
)

STYLES = ("report/base.css", "report/items.css", "view/view.css")
SCRIPTS = ("report/items.js", "view/view.js")


def open_view(run: Path, *, published: bool = False) -> RunView:
    """The run in a folder, of a build or an evaluation; `published` leaves the texts of errors out.

    Raises `LedgerError` if there is no run.
    """
    with reading(run) as db:
        kind = EvaluationView if holds_items(db) else BuildView
    return kind(run, published=published)


def page_values(title: str, policy: str = "", scripts: tuple[str, ...] = SCRIPTS) -> dict[str, Any]:
    """What `view/page.html.j2` is rendered with; a `policy` stands in the page where no server sends one."""
    names = [[name.rpartition("/")[2] for name in group] for group in (STYLES, scripts)]
    return {"title": title, "policy": policy, "styles": names[0], "scripts": names[1]}


class ViewSite:
    """Answers the browser."""

    def __init__(self, view: RunView) -> None:
        self._view = view

    def __call__(self, request: Request) -> Reply:
        """The page, one of its files, or data as JSON. Raises `Refused`, and `LedgerError` for a damaged ledger."""
        path, query = request.path, request.query
        filters = Filters.of_query(query)
        if request.read_json is not None:
            raise NOTHING_HERE()
        if path == "":
            return page_reply("view/page.html.j2", **page_values(self._view.run.name))
        for name in (*STYLES, *SCRIPTS):
            if name.endswith(f"/{path}"):
                return asset_reply(name)
        if path == "data/overview":
            return json_reply(self._view.overview())
        if path == "data/items":
            start = query.get("start", "0")
            at = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0
            return json_reply(self._view.find(filters, at))
        if path == "data/item" and (item := self._view.item(query.get("id", ""), filters)):
            return json_reply(item)
        raise NOTHING_HERE()


_SCRIPTS = ("report/items.js", "view/bundle.js", "view/view.js")


def write_bundle(view: RunView, folder: Path) -> int:
    """Write the page of a run, opened as `published`, into a folder; return how many items it has.

    An earlier bundle there is replaced. Raises `ConfigError` for a folder with other files in it, and if a text holds
    a key.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "data" / "overview.js").exists():
        raise ConfigError(f"{folder}: holds other files: give a new folder, or an earlier bundle to replace")
    overview = view.overview()
    with reading(view.run) as db:
        variables = key_variables_of(db)
    with atomic_directory(folder) as place:
        (place / "data").mkdir()
        for name in (*STYLES, *_SCRIPTS):
            (place / Path(name).name).write_text(asset(name), encoding="utf-8")
        page = page_reply("view/page.html.j2", **page_values(overview["title"], POLICY, _SCRIPTS))
        (place / "index.html").write_text(page.body, encoding="utf-8")
        found = view.find(Filters({}), 0, overview["items"])
        rows = found["items"]
        _write(place, "overview", {**overview, "running": False}, variables)
        _write(place, "items", found, variables)
        for start in range(0, len(rows), PAGE):
            ids = [row["id"] for row in rows[start : start + PAGE]]
            _write(
                place, f"items-{start // PAGE}", {one: view.item(one, Filters({})) for one in ids}, variables
            )
    return len(rows)


def _write(place: Path, name: str, content: Any, variables: set[str]) -> None:
    if shown := show_key(content, variables):
        raise ConfigError(f"the run's texts hold a key ({shown}): nothing is published; take it out first")
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = f"perturbData({json.dumps(name)}, {text});\n"
    (place / "data" / f"{name}.js").write_text(script, encoding="utf-8", errors="replace")
