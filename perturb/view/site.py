"""The page of a run: one document and its files, and the data that its script asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perturb.local_server import NOTHING_HERE, Reply, Request, asset_reply, json_reply, page_reply
from perturb.store.calls import reading
from perturb.store.evaluations import holds_items
from perturb.view.build_view import BuildView
from perturb.view.evaluation_view import EvaluationView
from perturb.view.run_view import Filters, RunView

STYLES = ("report/base.css", "report/items.css", "view/view.css")
SCRIPTS = ("report/items.js", "view/view.js")


def open_view(run: Path, *, published: bool = False) -> RunView:
    """The run in a folder, of a build or an evaluation; `published` leaves the texts of errors out.

    Raises `LedgerError` if there is none.
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
