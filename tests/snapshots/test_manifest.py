"""Every field of a manifest counts: a change of any of them is found, and no JSON there ends in a traceback."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import SnapshotError
from perturb.records import ALL_CELLS
from perturb.snapshots.items import build_controls
from perturb.snapshots.manifest import manifest_digest, render_manifest
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.rows import build_rows
from perturb.snapshots.select import Shortfall
from perturb.snapshots.snapshot import Snapshot, check_snapshot, read_snapshot, write_snapshot
from tests.building import perturb
from tests.snapshots.test_snapshot import facts, item

REMOVED = object()
OTHERS: tuple[Any, ...] = (REMOVED, None, "x", 7, [], {"a": None})
FIGURE = {"value": 0.5, "low": None, "high": 1.0, "reason": None}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot whose manifest has every field that there is."""
    items = [item(0, licence="MIT"), item(1, several=True)]
    more = facts(
        {"base_set": {"attribution": "Somebody"}},
        cost_usd=1.5,
        agreement={"candidates": 2, "note": "n", "figures": {"AC1": FIGURE}},
        shortcuts={"note": None, "chance": {"answer": 0.5}, "figures": {"seen": {"answer": FIGURE}}},
        shortfalls=(Shortfall("generator-0", ALL_CELLS[0], 22, 1),),
    )
    rows = build_rows(items, "2026-Q4", "paper")
    controls = build_controls(items, "2026-Q4", "paper")
    return write_snapshot(tmp_path_factory.mktemp("full") / "s", rows, more, "seed: 7\n", controls)


def paths_in(value: Any) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, the whole of it first."""
    yield ()
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        yield from ((key, *path) for path in paths_in(member))


def changed(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The content with another value at a place."""
    if not path:
        return value
    content = copy.deepcopy(content)
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return content


def is_found(snapshot: Snapshot, text: str) -> bool:
    """Whether a manifest of these words is told from the true one; any error but ours ends the test."""
    path = snapshot.folder / "manifest.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        return bool(check_snapshot(snapshot.folder))
    finally:
        path.write_text(render_manifest(snapshot.manifest), encoding="utf-8")


def test_a_change_of_any_field_is_found(full: Snapshot) -> None:
    assert check_snapshot(full.folder) == ()
    missed = []
    for path in paths_in(full.manifest):
        old = full.manifest
        for key in path:
            old = old[key]
        for value in OTHERS:
            if value is REMOVED and not path:
                continue
            if not (value == old and type(value) is type(old)):
                text = render_manifest(changed(full.manifest, path, value))
                if not is_found(full, text):
                    missed.append((path, value))
    assert missed == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(data=st.data())
def test_any_value_in_any_place_is_found(full: Snapshot, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(paths_in(full.manifest))))
    text = (
        json.dumps(changed(full.manifest, path, data.draw(JSON_VALUES)), indent=1, ensure_ascii=False) + "\n"
    )
    assert (text == render_manifest(full.manifest)) != is_found(full, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '"x"',
        "1" * 5000,
        "[" * 100_000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "\ufeff{}",
    ],
)
def test_any_text_is_found_in_one_line(full: Snapshot, text: str) -> None:
    assert is_found(full, text)
    (full.folder / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(SnapshotError) as caught:
        verify_snapshot(full.folder)
    assert "\n" not in str(caught.value)
    assert str(full.folder) in str(caught.value)
    (full.folder / "manifest.json").write_text(render_manifest(full.manifest), encoding="utf-8")


def test_keys_said_twice_and_another_layout_are_found(full: Snapshot) -> None:
    text = render_manifest(full.manifest)
    assert is_found(full, text.replace(' "seed"', ' "seed": 8,\n "seed"', 1))
    assert is_found(full, json.dumps(full.manifest))
    assert is_found(full, text.replace("\n", "\r\n"))


def test_the_card_states_the_digest_of_the_manifest(full: Snapshot) -> None:
    card = (full.folder / "README.md").read_text(encoding="utf-8")
    assert f"\nManifest digest: {manifest_digest(full.manifest)}\n" in card
    assert read_snapshot(full.folder).manifest == full.manifest


@pytest.mark.parametrize(
    "changes",
    [{"panel": None}, {"generators": "x"}, {"digests": None}, {"selection": 7}, {"files": [{"path": ["a"]}]}],
    ids=lambda changes: next(iter(changes)),
)
def test_the_command_says_it_in_one_line(full: Snapshot, changes: dict[str, Any]) -> None:
    path = full.folder / "manifest.json"
    path.write_text(render_manifest({**full.manifest, **changes}), encoding="utf-8")
    done = perturb("verify-snapshot", full.folder)
    path.write_text(render_manifest(full.manifest), encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"field '{next(iter(changes))}" in done.stderr


def test_a_file_that_was_replaced_with_its_digest_is_found_by_the_card(full: Snapshot) -> None:
    config, manifest = full.folder / "build.yaml", full.folder / "manifest.json"
    kept = config.read_bytes(), manifest.read_bytes()
    config.write_bytes(b"name: other\n")
    digest = hashlib.sha256(config.read_bytes()).hexdigest()
    files = [
        {**entry, "sha256": digest, "bytes": 12} if entry["path"] == "build.yaml" else entry
        for entry in full.manifest["files"]
    ]
    manifest.write_text(render_manifest({**full.manifest, "files": files}), encoding="utf-8")
    problems = check_snapshot(full.folder)
    config.write_bytes(kept[0])
    manifest.write_bytes(kept[1])
    assert problems == ("manifest.json: differs from the one whose digest README.md states",)
