"""Training data: what TRL loads, split by base instance, and nothing in it that a benchmark holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.building.run import build
from perturb.config import default_config
from perturb.errors import SourceError
from perturb.evaluation.training_export import make_examples
from perturb.scoring.round_comparison import compare
from perturb.snapshots.snapshot import read_snapshot
from tests.building import perturb, write_rows

Row = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten questions."""
    folder = tmp_path_factory.mktemp("made") / "run"
    config = default_config()
    build(config.model_copy(update={"base_set": config.base_set.model_copy(update={"limit": 10})}), folder)
    return folder


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bench(run: Path, path: Path, number: int, **changes: str) -> Path:
    """A benchmark: the rows of the first base instances of a run's snapshot."""
    rows = read_snapshot(run / "snapshot").read_rows()
    bases = sorted({row["source_id"] for row in rows})[:number]
    kept = [{**row, **changes} for row in rows if row["source_id"] in bases]
    return write_rows(path, kept)


@pytest.mark.parametrize("form", ["sft", "dpo"])
def test_datasets_and_trl_read_the_examples(made: Path, tmp_path: Path, form: str) -> None:
    from datasets import load_dataset

    out = tmp_path / "out"
    assert perturb("export", made, "--training", form, "--out", out).returncode == 0
    loaded = load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    wanted = ("prompt", "completion") if form == "sft" else ("prompt", "chosen", "rejected")
    for name, part in loaded.items():
        assert [dict(row) for row in part] == lines(out / f"data/{name}.jsonl")
        for row in part:
            roles = [[message["role"] for message in row[column]] for column in wanted]
            assert roles == [["user"], *[["assistant"]] * (len(wanted) - 1)]
            assert all(message["content"] for column in wanted for message in row[column])
    bases = [{row["source_id"] for row in part} for part in loaded.values()]
    assert len(bases) == 2
    assert not set.intersection(*bases)


def test_the_format_check_of_trl_takes_them(made: Path, tmp_path: Path) -> None:
    trl = pytest.importorskip("trl")
    for form in ("sft", "dpo"):
        assert perturb("export", made, "--training", form, "--out", tmp_path / form).returncode == 0
        assert all(trl.is_conversational(row) for row in lines(tmp_path / form / "data/train.jsonl"))


def test_the_perturbed_question_is_refused_and_its_original_answered(made: Path, tmp_path: Path) -> None:
    assert perturb("export", made, "--training", "dpo", "--out", tmp_path / "out").returncode == 0
    rows = lines(tmp_path / "out/data/train.jsonl")
    for row in rows:
        chosen, rejected = row["chosen"][0]["content"], row["rejected"][0]["content"]
        refused = row["intensity"] in ("MEDIUM", "HIGH")
        assert (chosen.startswith("REFUSE_"), rejected.startswith("REFUSE_")) == (refused, not refused)
        assert row["kind"] == ("original" if row["intensity"] == "NONE" else "item")
    refusals = {
        (row["source_id"], row["chosen"][0]["content"])
        for row in rows
        if row["intensity"] in ("MEDIUM", "HIGH")
    }
    contrasts = {
        (row["source_id"], row["rejected"][0]["content"]) for row in rows if row["kind"] == "original"
    }
    assert refusals <= contrasts


_FAR = {
    "perturbed_query": "Who?",
    "perturbed_context": "Nothing of it.",
    "original_context": "Nothing of it.",
}


@pytest.mark.parametrize("changes", [{}, {"source_id": "elsewhere"}, {"source_id": "elsewhere", **_FAR}])
def test_nothing_of_an_excluded_set_is_left(made: Path, tmp_path: Path, changes: dict[str, str]) -> None:
    held, out = bench(made, tmp_path / "bench.jsonl", 4, **changes), tmp_path / "out"
    asked = ("export", made, "--training", "sft", "--out", out, "--exclude", held, "--keep-levers")
    done = perturb(*asked)
    assert done.returncode == 0, done.stderr
    assert "by base instance" in done.stderr
    fresh = compare(held, out / "items.jsonl").freshness
    assert (fresh.near, fresh.exact, fresh.same_base) == (0, 0, 0)
    texts = {row["original_query"] for row in lines(held)}
    assert not texts & {row["original_query"] for row in lines(out / "items.jsonl")}
    facts = json.loads((out / "training.json").read_text())
    assert facts["excluded"]["left"] == {"near_duplicate": 0, "same_base": 0}
    written, held_items = len(lines(out / "items.jsonl")), len(lines(held))
    assert facts["excluded"]["compared"] | {"with_bases": 4} == {
        "items": written,
        "with_items": held_items,
        "with_bases": 4,
    }
    assert f"compared with {held_items} items" in (out / "README.md").read_text()
    assert str(tmp_path.parent) not in (out / "README.md").read_text()


def test_levers_of_the_excluded_set_go_too(made: Path, tmp_path: Path) -> None:
    held, out = bench(made, tmp_path / "bench.jsonl", 1), tmp_path / "out"
    assert perturb("export", made, "--training", "sft", "--out", out, "--exclude", held).returncode == 0
    levers = {row["lever_selected"] for row in lines(held)}
    assert not levers & {row["lever_selected"] for row in lines(out / "items.jsonl")}


def test_wrong_use_and_bad_input_are_one_line(made: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "out", tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    wanted = ("export", made, "--training", "dpo", "--out", out)
    for code, words, *more in (
        (1, "all", "--exclude", made / "snapshot"),
        (1, "no such snapshot", "--exclude", tmp_path / "none"),
        (1, "bad.jsonl", "--exclude", bad),
        (2, "needs the originals", "--no-controls"),
        (2, "needs --exclude", "--keep-levers"),
        (2, "every accepted item", "--strategy", "hard"),
    ):
        ended = perturb(*wanted, *more)
        assert (ended.returncode, ended.stderr.count("\n")) == (code, 1), ended.stderr
        assert words in ended.stderr
        assert not out.exists()
    assert perturb("export", made, "--out", out, "--exclude", bad).returncode == 2
    assert perturb("export", made, "--training", "sft", "--out", tmp_path).returncode == 1


def test_an_item_without_its_original_is_refused(made: Path) -> None:
    rows = read_snapshot(made / "snapshot").read_rows()
    with pytest.raises(SourceError, match="needs each item with its unperturbed original"):
        list(make_examples("sft", rows, {}, {}))


def test_wrong_replies_on_record_are_what_is_rejected(made: Path) -> None:
    from perturb.ledger.calls import reading
    from perturb.ledger.plans import current_plan
    from perturb.snapshots.items import accepted_controls, accepted_rows

    with reading(made) as db:
        plan = current_plan(db, made)
        rows = list(accepted_rows(db, plan))
        originals = {row["source_id"]: row for row in accepted_controls(db, plan)}
    said = {rows[0]["id"]: ["It was Ann.", "It was Bob.", "It was Ann."]}
    made_of = [row for row in make_examples("dpo", rows, originals, said) if row["kind"] == "reply"]
    assert [row["rejected"][0]["content"] for row in made_of] == ["It was Ann.", "It was Bob."]


def test_the_seed_is_that_of_the_command_else_that_of_the_plan(made: Path, tmp_path: Path) -> None:
    for name, options in (("plan", ()), ("same", ()), ("other", ("--seed", 8))):
        assert (
            perturb("export", made, "--training", "sft", "--out", tmp_path / name, *options).returncode == 0
        )
    stated = {
        name: json.loads((tmp_path / name / "training.json").read_text())["seed"]
        for name in ("plan", "other")
    }
    assert stated["other"] == 8 != stated["plan"]
    kept, same, other = (lines(tmp_path / name / "data/train.jsonl") for name in ("plan", "same", "other"))
    assert kept == same != other
