"""`perturb curate` from end to end: what it prints, what it writes, how it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.curation.base_sets import load_base_set
from perturb.curation.source import load_recipe
from perturb.errors import ConfigError
from tests.building import perturb, write_rows


def source(path: Path, count: int = 12, **changes: Any) -> Path:
    """Rows of our form; the last one holds no answer."""
    rows = [
        {"id": f"r{i}", "query": f"q{i}", "context": f"It is a{i}.", "answers": [f"a{i}"], **changes}
        for i in range(count - 1)
    ]
    rows.append({"id": "none", "query": "q", "context": "It is so.", "answers": ["b"]})
    return write_rows(path, rows)


RECIPE = "name: small\nlicence: CC0-1.0\nanswer_in_signal: true\nsize: 5\nseed: 1\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(RECIPE)
    return path


def test_base_set_and_manifest_are_written_and_agree(tmp_path: Path, recipe: Path) -> None:
    out = tmp_path / "new" / "base.jsonl"
    told = perturb("curate", source(tmp_path / "rows.jsonl"), "--recipe", recipe, "--out", out, "--json").json
    base_set = load_base_set(out)
    manifest = json.loads((tmp_path / "new" / "base.manifest.json").read_text())
    assert (base_set.name, base_set.licence, len(base_set.instances)) == ("small", "CC0-1.0", 5)
    assert told["digest"] == manifest["digest"] == base_set.digest
    assert (manifest["records"], manifest["pool"], manifest["instances"]) == (12, 11, 5)
    assert manifest["source"]["file"] == "rows.jsonl"
    assert len(manifest["source"]["sha256"]) == 64
    assert manifest["recipe"] == {**manifest["recipe"], "name": "small", "size": 5}
    (left_out,) = manifest["left_out"]
    assert left_out == {
        "step": "answer",
        "reason": "no signal passage holds an answer",
        "count": 1,
        "ids": ["none"],
    }
    assert str(tmp_path) not in json.dumps(manifest)
    assert sorted(path.name for path in out.parent.iterdir()) == ["base.jsonl", "base.manifest.json"]


def test_a_base_set_is_only_replaced_when_told_to(tmp_path: Path) -> None:
    rows, out = source(tmp_path / "rows.jsonl"), tmp_path / "base.jsonl"
    out.write_text("mine\n")
    perturb("curate", rows, "--out", out).fails("base.jsonl: already exists: ", "--force")
    assert out.read_text() == "mine\n"
    assert perturb("curate", rows, "--out", out, "--force").returncode == 0
    assert len(load_base_set(out).instances) == 12


def test_the_draw_depends_on_the_seed_and_not_on_the_order(tmp_path: Path, recipe: Path) -> None:
    rows = source(tmp_path / "rows.jsonl", 40)
    turned = tmp_path / "turned.jsonl"
    turned.write_text("".join(reversed(rows.read_text().splitlines(keepends=True))))

    def drawn(path: Path, *options: object) -> set[str]:
        out = tmp_path / "b.jsonl"
        assert perturb("curate", path, "--recipe", recipe, "--out", out, *options, "--force").returncode == 0
        return {instance.id for instance in load_base_set(out).instances}

    assert drawn(rows) == drawn(turned)
    assert drawn(rows) != drawn(rows, "--seed", 2)
    assert drawn(rows, "--limit", 3) == {"r0", "r1", "r2"}


def test_a_second_curation_of_a_curated_set_changes_nothing(tmp_path: Path, recipe: Path) -> None:
    first, second = tmp_path / "b.jsonl", tmp_path / "c.jsonl"
    assert (
        perturb("curate", source(tmp_path / "rows.jsonl"), "--recipe", recipe, "--out", first).returncode == 0
    )
    assert perturb("curate", first, "--recipe", recipe, "--out", second).returncode == 0
    assert load_base_set(first).instances == load_base_set(second).instances


def test_the_tables_say_who_fell_and_what_is_short(tmp_path: Path) -> None:
    recipe = tmp_path / "r.yaml"
    recipe.write_text("name: d\nanswer_in_signal: true\ndomains: [Law, Health]\nper_domain: 3\n")
    rows = source(tmp_path / "rows.jsonl", 6, domain="law")
    result = perturb("curate", rows, "--recipe", recipe, "--out", tmp_path / "b.jsonl")
    assert "the domain is not one of the recipe's        1  none" in result.stdout
    assert "Records: 6, past the filters: 5, drawn: 3 (law 3)" in result.stdout
    assert "short: Health: 0 of 3" in result.stderr


def test_rows_keep_their_own_licences(tmp_path: Path, recipe: Path) -> None:
    rows = source(tmp_path / "rows.jsonl", 3, licence="MIT")
    assert perturb("curate", rows, "--out", tmp_path / "b.jsonl").returncode == 0
    assert [i.licence for i in load_base_set(tmp_path / "b.jsonl").instances] == ["MIT", "MIT", None]
    recipe.write_text("name: small\nlicence: CC0-1.0\n")
    assert (
        perturb("curate", rows, "--out", tmp_path / "b.jsonl", "--recipe", recipe, "--force").returncode == 0
    )
    assert [i.licence for i in load_base_set(tmp_path / "b.jsonl").instances] == ["MIT", "MIT", "CC0-1.0"]


def test_an_id_stands_once_and_noise_answers_nothing(tmp_path: Path, recipe: Path) -> None:
    rows = source(tmp_path / "rows.jsonl", 3)
    rows.write_text(rows.read_text() * 2)
    assert perturb("curate", rows, "--out", tmp_path / "b.jsonl").returncode == 0
    assert [i.id for i in load_base_set(tmp_path / "b.jsonl").instances] == ["r0", "r1", "none"]
    passages = [{"text": "It is so."}, {"text": "It is a0 or a1.", "role": "noise"}]
    rows = source(rows, 3, context=None, passages=passages)
    perturb("curate", rows, "--out", tmp_path / "b.jsonl", "--recipe", recipe, "--force").fails(
        "most fell because no signal passage holds an answer"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--out", "rows.jsonl/b.jsonl"), "cannot be written, because of"),
        (("--out", "folder.jsonl"), "is a folder"),
        (
            ("--out", "b.jsonl", "--recipe", "nqq"),
            "no recipe is called 'nqq': use garage, nq, precisewikiqa or",
        ),
        (("--out", "b.jsonl", "--recipe", "none.yaml"), "no such file"),
        (("--out", "b.jsonl", "--knowledge", "k.jsonl"), "goes with --format kilt"),
        (("--out", "b.jsonl", "--recipe", "garage"), "no instance remains of 12 records (most fell because"),
    ],
)
def test_what_cannot_be_curated_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    source(tmp_path / "rows.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    ended = perturb("curate", "rows.jsonl", *arguments)
    assert ended.returncode in (1, 2)
    assert problem in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.jsonl", "rows.jsonl"]


def test_a_name_that_cannot_be_written_is_told_before_the_reading(tmp_path: Path) -> None:
    out = tmp_path / "folder.jsonl"
    out.mkdir()
    perturb("curate", tmp_path / "none.jsonl", "--out", out).fails("is a folder")


def test_a_failed_curation_leaves_the_old_base_set(tmp_path: Path, recipe: Path) -> None:
    out = tmp_path / "b.jsonl"
    assert (
        perturb("curate", source(tmp_path / "rows.jsonl"), "--recipe", recipe, "--out", out).returncode == 0
    )
    before = out.read_bytes()
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    perturb("curate", empty, "--recipe", recipe, "--out", out, "--force").fails("holds no rows")
    assert out.read_bytes() == before


# --- recipes ----------------------------------------------------------------------------------------


def test_the_embedded_recipes_say_what_the_specification_says() -> None:
    garage, nq = load_recipe("garage"), load_recipe("nq")
    assert garage.per_domain == 20
    assert garage.passages is not None
    assert (garage.passages.count, garage.passages.max_signal) == (10, 5)
    assert [rule.field for rule in garage.filters] == [
        "answer_validate",
        "question_valid",
        "question_false_premise",
        "question_type",
        "question_complexity",
    ]
    assert (nq.size, nq.answer_in_signal) == (100, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: a\ncolour: red\n", "unknown key 'colour'"),
        ("size: 3\n", "field 'name' is missing"),
        ("name: a\nsize: 0\n", "r.yaml:2: field 'size'"),
        ("name: a\nsize: 1\nper_domain: 2\n", "either 'size' or 'per_domain'"),
        ("name: a\nper_domain: 2\n", "'per_domain' needs 'domains'"),
        ("name: a\nfilters:\n  - {field: x}\n", "either 'keep' or 'drop'"),
        ("name: a\nfilters:\n  - {field: x, keep: [a], drop: [b]}\n", "either 'keep' or 'drop'"),
    ],
)
def test_bad_recipes(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_recipe(str(path))
    assert problem in str(caught.value)
