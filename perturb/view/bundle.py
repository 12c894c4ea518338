"""The page of a run as a static site, for any host of files, or none: it opens from a folder as well.

A browser lets no page read files beside it, but run scripts from there: the data are scripts that hand over JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perturb.errors import ConfigError
from perturb.export.atomic_directory import atomic_directory
from perturb.llm.redaction import find_keys
from perturb.local_server import POLICY, page_reply
from perturb.templating import asset
from perturb.view.run_view import PAGE, Filters, RunView
from perturb.view.site import STYLES, page_values

_SCRIPTS = ("report/items.js", "view/bundle.js", "view/view.js")


def write_bundle(view: RunView, folder: Path) -> int:
    """Write the page of a run, opened as `published`, into a folder; return how many items it has.

    An earlier bundle there is replaced. Raises `ConfigError` for a folder with other files in it, and if a text holds
    a key.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "data" / "overview.js").exists():
        raise ConfigError(f"{folder}: holds other files: give a new folder, or an earlier bundle to replace")
    overview = view.overview()
    with atomic_directory(folder) as place:
        (place / "data").mkdir()
        for name in (*STYLES, *_SCRIPTS):
            (place / Path(name).name).write_text(asset(name), encoding="utf-8")
        page = page_reply("view/page.html.j2", **page_values(overview["title"], POLICY, _SCRIPTS))
        (place / "index.html").write_text(page.body, encoding="utf-8")
        found = view.find(Filters({}), 0, overview["items"])
        rows = found["items"]
        _write(place, "overview", {**overview, "running": False})
        _write(place, "items", found)
        for start in range(0, len(rows), PAGE):
            ids = [row["id"] for row in rows[start : start + PAGE]]
            _write(place, f"items-{start // PAGE}", {one: view.item(one, Filters({})) for one in ids})
    return len(rows)


def _write(place: Path, name: str, content: Any) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if found := find_keys(text):
        raise ConfigError(
            f"the run's texts hold a key ({found[0][:4]}…): nothing is published; take it out first"
        )
    script = f"perturbData({json.dumps(name)}, {text});\n"
    (place / "data" / f"{name}.js").write_text(script, encoding="utf-8", errors="replace")
