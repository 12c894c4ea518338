"""Control rows: exported beside the items, paired with them, loadable, and counted nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perturb.records import CONTROL_SUFFIX
from perturb.snapshots.items import build_controls
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.rows import AcceptedItem, build_rows
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot, write_snapshot
from tests.building import perturb, run_build
from tests.snapshots.test_snapshot import LOADER, facts, header_of, item, load, page_of

NAMED_LOADER = LOADER.replace("load_dataset(folder, split", "load_dataset(*folder.split('|'), split")


def write(folder: Path, items: list[AcceptedItem], twins: bool = True) -> Snapshot:
    rows = build_rows(items, "2026-Q4", "paper")
    controls = build_controls(items, "2026-Q4", "paper") if twins else ()
    return write_snapshot(folder, rows, facts(), "", controls)


def load_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str
) -> list[dict[str, Any]]:
    """What `load_dataset(folder, name, split="test")` gives."""
    monkeypatch.setattr("tests.snapshots.test_snapshot.LOADER", NAMED_LOADER)
    return load(home, *(Path(f"{folder}|{name}") for name in names))


def test_a_control_is_the_original_of_its_row() -> None:
    (control,) = build_controls([item(4, licence="MIT")], "2026-Q4", "paper")
    (row,) = build_rows([item(4, licence="MIT")], "2026-Q4", "paper")
    assert list(control) == list(row)
    assert control["id"] == row["id"] + CONTROL_SUFFIX
    assert (control["intensity"], control["expected_rag_behavior"]) == ("NONE", "ANSWER_CORRECTLY")
    assert control["perturbed_query"] == row["original_query"]
    assert control["perturbed_context"] == row["original_context"]
    same = ("source_id", "perturbation_class", "original_answers", "licence", "round", "panel")
    assert {name: control[name] for name in same} == {name: row[name] for name in same}
    assert (control["lever_selected"], control["verifier_votes"], control["generator_model"]) == (
        "unperturbed",
        [],
        "original",
    )


def test_controls_are_loaded_by_name_and_items_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = write(tmp_path / "s", [item(number) for number in range(5)])
    assert load(tmp_path, snapshot.folder)[0]["rows"] == list(snapshot.read_rows())
    loaded = load_named(tmp_path, monkeypatch, snapshot.folder, "controls", "default")
    assert [one["rows"] for one in loaded] == [list(snapshot.read_controls()), list(snapshot.read_rows())]


def test_each_part_has_controls_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = write(tmp_path / "s", [item(0), item(1, several=True), item(2)])
    nq, garage = load_named(tmp_path, monkeypatch, snapshot.folder, "nq-controls", "garage-controls")
    assert [row["id"] for row in nq["rows"]] == ["item-00000-control", "item-00002-control"]
    assert [row["grounding"] for row in garage["rows"]] == [["Noise plain", "Signal plain", "More noise"]]
    assert check_snapshot(snapshot.folder) == ()


def test_controls_change_no_count_and_no_digest_of_the_items(tmp_path: Path) -> None:
    items = [item(number) for number in range(20)]
    plain, twins = write(tmp_path / "a", items, twins=False), write(tmp_path / "b", items)
    assert twins.content_digest == plain.content_digest
    assert twins.manifest["counts"] == plain.manifest["counts"]
    assert (plain.manifest["controls"], plain.read_controls()) == (None, ())
    assert twins.manifest["controls"]["rows"] == 20
    assert check_snapshot(twins.folder) == check_snapshot(plain.folder) == ()
    assert [one["config_name"] for one in header_of(plain.folder)["configs"]] == ["default", "prompts"]
    assert [one["config_name"] for one in header_of(twins.folder)["configs"]] == [
        "default",
        "controls",
        "prompts",
    ]
    assert "`controls`" in page_of(twins.folder)
    assert "control" not in page_of(plain.folder)


def test_an_edited_a_missing_and_a_foreign_control_are_found(tmp_path: Path) -> None:
    items = [item(number) for number in range(4)]
    snapshot = write(tmp_path / "s", items)
    path = snapshot.control_files["controls"]
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 3), path)
    problems = check_snapshot(snapshot.folder)
    assert any(
        "1 row without a control, the first is 'item-00003-control'" in problem for problem in problems
    )
    rows = [{**row, "perturbed_query": "Edited?"} for row in table.to_pylist()]
    pq.write_table(type(table).from_pylist(rows, schema=table.schema), path)
    assert any("does not match its digest" in one for one in check_snapshot(snapshot.folder))
    path.unlink()
    assert any("missing" in problem for problem in verify_snapshot(snapshot.folder).problems)

    others = build_controls([item(number, text="other") for number in range(4)], "2026-Q4", "paper")
    foreign = write_snapshot(tmp_path / "t", build_rows(items, "2026-Q4", "paper"), facts(), "", others)
    assert any("is not the original of a row" in one for one in check_snapshot(foreign.folder))


@pytest.mark.parametrize("name", ["controls", "twins"])
def test_a_build_and_an_export_add_controls_when_asked(tmp_path: Path, name: str) -> None:
    content = {
        **{"name": "run", "round": "r1", "base_set": {"demo": "demo", "limit": 3}},
        "generators": [{"name": "rules", "kind": "rules"}],
        "panel": "verifiers/offline.yaml",
        "select": {"strategy": "natural", name: True},
    }
    built = run_build(tmp_path, content)
    assert built.snapshot is not None
    snapshot = read_snapshot(built.snapshot)
    assert len(snapshot.read_controls()) == built.facts["rows"] > 0
    assert verify_snapshot(built.snapshot).problems == ()
    for option, expected in (("--controls", built.facts["rows"]), ("--no-controls", 0)):
        out = tmp_path / f"out{option}"
        done = perturb("export", tmp_path / "run", "--out", out, option, "--json")
        assert done.json["rows"] == built.facts["rows"]
        assert len(read_snapshot(out).read_controls()) == expected
