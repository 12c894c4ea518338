"""Takes the pictures of docs/report.md, of the recorded demo in a headless Chromium: `python -m tests.gallery`."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import markdown
from PIL import Image

from perturb.reports.local_server import LocalServer
from perturb.reports.review_site import ReviewServer
from perturb.reports.site import ViewSite, open_view
from tests.browser import Browser, open_browser, wait_until

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
_OWN_CLASS = f"{ROOT}/docs/examples/stale-info"
_COMMANDS = (
    "build",
    "report outputs/demo --shortcuts --out shortcuts.html",
    f"build {_OWN_CLASS}/build.yaml --replay {_OWN_CLASS}/replies.jsonl.gz",
    f"evaluate outputs/stale-info/snapshot --replay {_OWN_CLASS}/evaluate.replies.jsonl.gz --out outputs/own",
    "report outputs/own",
    f"build {ROOT}/base_sets/languages.build.yaml --replay {ROOT}/base_sets/languages.replies.jsonl.gz",
    "report outputs/languages",
    "evaluate --demo",
    "report outputs/evaluate-demo-items",
    "report outputs/evaluate-deep",
    "refusal-index run --demo",
    "bas run --demo",
    "report outputs/evaluate-demo-items outputs/refusal-index-closed-book outputs/bas-closed-book"
    " --out side-by-side.html",
    "publish board --leaderboard --add outputs/evaluate-demo-items --add outputs/refusal-index-closed-book"
    " --add outputs/bas-closed-book",
    "review outputs/demo draw --per-cell 1",
)
# Name of the picture: the page, and the heading at its upper edge.
_SECTIONS = {
    "report": ("outputs/demo/report.html", ""),
    "report-agreement": ("outputs/demo/report.html", "Agreement"),
    "report-pass-rates": ("outputs/demo/report.html", "Pass rates"),
    "report-bias": ("outputs/demo/report.html", "Self-evaluation bias"),
    "report-acceptance": ("outputs/demo/report.html", "Acceptance"),
    "report-levers": ("outputs/demo/report.html", "Levers"),
    "report-items": ("outputs/demo/report.html", "Items"),
    "report-shortcuts": ("shortcuts.html", "Shortcuts"),
    "report-languages": ("outputs/languages/report.html", "Pass rates"),
    "evaluation-own-class": ("outputs/own/report.html", "Refusal codes"),
    "evaluation": ("outputs/evaluate-demo-items/report.html", ""),
    "evaluation-scores": ("outputs/evaluate-demo-items/report.html", "Scores"),
    "evaluation-balance": ("outputs/evaluate-demo-items/report.html", "Balance"),
    "evaluation-behaviour": ("outputs/evaluate-demo-items/report.html", "Behaviour"),
    "evaluation-codes": ("outputs/evaluate-demo-items/report.html", "Refusal codes"),
    "evaluation-classes": ("outputs/evaluate-demo-items/report.html", "Classes and levers"),
    "evaluation-domains": ("outputs/evaluate-demo-items/report.html", "Domains"),
    "evaluation-prompts": ("outputs/evaluate-deep/report.html", "Prompt settings"),
    "evaluation-items": ("outputs/evaluate-demo-items/report.html", "Items"),
    "refusal-index": ("outputs/refusal-index-closed-book/report.html", ""),
    "refusal-index-curves": ("outputs/refusal-index-closed-book/report.html", "Accuracy against refusal"),
    "bas": ("outputs/bas-closed-book/report.html", ""),
    "bas-decisions": ("outputs/bas-closed-book/report.html", "Decisions"),
    "bas-confidence": ("outputs/bas-closed-book/report.html", "Confidence"),
    "side-by-side": ("side-by-side.html", ""),
    "leaderboard": ("board/index.html", ""),
    "card": ("card.html", ""),
}
_CARD = """<meta charset="utf-8"><style>body {{ font: 16px/1.5 sans-serif; max-width: 56rem; margin: 2rem auto }}
td, th {{ border: 1px solid #ddd; padding: .3em .7em; text-align: left }} table {{ border-collapse: collapse }}
pre {{ background: #f6f8fa; padding: 1em }}</style>{body}"""
_TO_HEADING = """const wanted = arguments[0];
const heading = [...document.querySelectorAll('h2')].find(heading => heading.textContent.trim() === wanted);
heading.scrollIntoView(); scrollBy(0, -16)"""


def take_pictures(folder: Path) -> None:
    """Make the runs in an empty folder and write a picture of every page. Takes half a minute."""
    for command in _COMMANDS:
        subprocess.run(
            [sys.executable, "-m", "perturb", *command.split()],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
        )
    card = (folder / "outputs/demo/snapshot/README.md").read_text(encoding="utf-8").split("---", 2)[2]
    body = markdown.markdown(card, extensions=["tables", "fenced_code", "pymdownx.tilde"])
    (folder / "card.html").write_text(_CARD.format(body=body), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    with open_browser(folder) as browser:
        for name in _visit(browser, folder):
            _save(browser.get_screenshot_as_png(), FOLDER / f"{name}.png")


def _visit(browser: Browser, folder: Path) -> Iterator[str]:
    """Show one page after another; yields the name of the picture that is to be taken of it."""
    _set_screen(browser, 1280, 900)
    for name, (page, heading) in _SECTIONS.items():
        browser.get((folder / page).as_uri())
        if heading:
            browser.execute_script(_TO_HEADING, heading)
        yield name
    run = folder / "outputs/demo"
    with closing(open_view(run)) as view, LocalServer({"view": ViewSite(view)}) as server:
        for name, path, action in (
            ("view", "#/", ""),
            ("view-items", "#/items?verdict=rejected", ""),
            ("view-item", "#/items?verdict=rejected", "document.querySelector('#list a').click()"),
        ):
            _open(browser, server.links["view"] + path)
            if action:
                browser.execute_script(action)
                wait_until(browser, "!document.getElementById('item').hidden")
            yield name
        _set_screen(browser, 400, 800, scheme="dark")
        _open(browser, server.links["view"] + "#/")
        yield "view-phone"
        _set_screen(browser, 1280, 900)
    with ReviewServer(run, ["ann"]) as desk:
        browser.get(desk.links["ann"])
        yield "review"


def _open(browser: Browser, address: str) -> None:
    browser.get("about:blank")
    browser.get(address)
    wait_until(browser, "document.body?.dataset.ready")


def _set_screen(browser: Browser, width: int, height: int, scheme: str = "light") -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def _save(picture: bytes, path: Path) -> None:
    """Few colours, so that the pictures weigh little."""
    shown = Image.open(io.BytesIO(picture)).convert("RGB")
    shown.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        take_pictures(Path(place))
