"""`perturb review` as a user types it."""

from __future__ import annotations

import csv
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from perturb.auditing.rubric import QUESTION_NAMES
from tests.building import command, perturb
from tests.review.made_run import make_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", per_cell=3)


def test_draw_fill_in_read_report_export(run: Path) -> None:
    drawn = perturb("review", run, "draw", "--per-cell", "2", "--seed", "5", "--json")
    facts = drawn.json
    assert (facts["items"], facts["per_cell"], facts["seed"]) == (36, 2, 5)
    sheet = Path(facts["sheet"])
    with sheet.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        row.update(dict.fromkeys(QUESTION_NAMES, "yes"))
    with sheet.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    read = perturb("review", run, "read", sheet, "--annotator", "ann")
    assert read.stdout == "180 answers about 36 items read\n"
    report = perturb("review", run, "report", "--json").json
    assert report["pass_rates"]["all"][0]["rate"] == 1.0
    assert report["panel"]["kappa"]["value"] is None
    tables = perturb("review", run, "report").stdout
    assert "The panel and its verifiers against people" in tables
    assert "Krippendorff's α" in tables
    assert "passed (by base)" in tables
    assert "nan" not in tables.lower()
    for tool in ("label-studio", "argilla", "answers"):
        exported = perturb("review", run, "export", "--to", tool)
        assert exported.returncode == 0, exported.stderr
        assert all(Path(line).is_file() for line in exported.stdout.splitlines())


def test_serve_prints_links_and_ends_with_an_interrupt(run: Path) -> None:
    assert perturb("review", run, "draw", "--per-cell", "1").returncode == 0
    arguments = command("review", run, "serve", "--annotator", "ann", "--annotator", "ben")
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        links = dict(server.stdout.readline().strip().split(": ", 1) for _ in range(2))
        assert set(links) == {"ann", "ben"}
        with urllib.request.urlopen(links["ben"], timeout=10) as page:
            assert "Item" in page.read().decode()
        busy = perturb("review", run, "draw")
        assert busy.returncode == 1
        assert "is being worked on by process" in busy.stderr
        server.send_signal(signal.SIGINT)
        _, notes = server.communicate(timeout=30)
    assert server.returncode == 0
    assert "ann: 0 of 18 items finished" in notes


def test_wrong_use_is_one_line(run: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, message in (
        ((tmp_path / "none", "draw"), "no run there"),
        ((tmp_path / "empty", "draw"), "no run there"),
        ((run, "serve", "--annotator", "ann"), "no sample yet"),
        ((run, "report"), "no sample yet"),
        ((run, "read", tmp_path / "none.csv", "--annotator", "ann"), "no sample yet"),
    ):
        failed = perturb("review", *arguments)
        assert failed.returncode == 1
        assert message in failed.stderr
        assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()
    assert list((tmp_path / "empty").iterdir()) == []
