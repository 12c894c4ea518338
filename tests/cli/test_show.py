"""`perturb show`: items in the terminal, chosen by class, intensity and verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from perturb import Run
from perturb.reports.rendering import render_item, shown_items
from tests.building import perturb


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the rule engine, whose printed end is beside it."""
    out = tmp_path_factory.mktemp("out")
    printed = perturb("build", "--demo", "rules", "--limit", 6, "--out", out).output
    (out / "printed.txt").write_text(printed, encoding="utf-8")
    return out / "rules"


def test_a_run_and_its_snapshot_show_the_same_accepted_items(built: Path) -> None:
    of_run = perturb("show", built, "--verdict", "accepted", "--limit", 1000, "--json").json
    of_snapshot = perturb("show", built / "snapshot", "--limit", 1000, "--json").json
    assert {one["id"] for one in of_run} == {one["id"] for one in of_snapshot}
    assert {one["outcome"] for one in of_run} == {"accepted"}
    assert all(one["votes"] for one in of_run)
    frame = Run(built).to_pandas()
    assert set(frame["id"]) == {one["id"] for one in of_run}


def test_items_are_chosen_by_class_intensity_and_verdict(built: Path) -> None:
    every = shown_items(built)
    wanted = every[0]["class"], every[0]["intensity"]
    number = sum((one["class"], one["intensity"]) == wanted for one in every)
    chosen = ("--class", wanted[0], "--intensity", wanted[1], "--limit", 1)
    printed = perturb("show", built, *chosen).output
    assert printed.endswith(f"1 of {number} item{'' if number == 1 else 's'} shown\n")
    assert printed.startswith(f"{wanted[0]}/{wanted[1]}, lever ")
    assert perturb("show", built, "--class", "P-None").returncode == 2


def test_changes_are_marked_and_nothing_steers_the_terminal(built: Path) -> None:
    item = dict(shown_items(built / "snapshot")[0])
    item["query"] = [["same", "When\x1b[2J "], ["out", "was"], ["in", "is"]]
    assert "When [2J [-was-]{+is+}" in render_item(item)
    assert "\x1b[32mis\x1b[0m" in render_item(item, colour=True)
    assert "\x1b[2J" not in render_item(item, colour=True)


def test_a_finished_build_prints_an_item(built: Path) -> None:
    printed = (built.parent / "printed.txt").read_text(encoding="utf-8")
    assert render_item(shown_items(built / "snapshot")[0]) in printed
