"""The harness files of a snapshot: prompts equal to ours, rules equal to ours, and edits found."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import render_template
from perturb.evaluation.adapters import flaw_of
from perturb.evaluation.reading import read_code
from perturb.files.resources import digest
from perturb.metrics.outcomes import ANSWER, BehaviourKind, predicted_behaviour
from perturb.records import Intensity
from perturb.snapshots.harness import code_marks, code_pattern, mark_pattern, refusal_spellings
from perturb.snapshots.items import render_prompt, respond_version
from perturb.snapshots.replies import verify_snapshot
from perturb.snapshots.settings import load_setting
from perturb.snapshots.snapshot import Snapshot, check_snapshot, write_snapshot
from perturb.text.matching import holds_answer
from tests.snapshots.harness.replies import TO_ANSWERABLE, TO_UNANSWERABLE
from tests.snapshots.harness.snapshots import HOSTILE, items_of, write_both, write_single
from tests.snapshots.test_snapshot import facts, reseal, rows_of

CODES = Catalogue.load().codes
MARKS = code_marks(CODES)
PLAIN = load_setting("plain")
CODE, MARK = re.compile(code_pattern(CODES)), re.compile(mark_pattern(CODES), re.IGNORECASE)

LOADER = """
import json, sys
from datasets import load_dataset
folder = sys.argv[1]
splits = load_dataset(folder, "prompts")
print(json.dumps({"main": len(load_dataset(folder, split="test")), **{n: list(s) for n, s in splits.items()}}))
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot with two parts and controls; not to be changed."""
    return write_both(tmp_path_factory.mktemp("both") / "snapshot")


def prompts_of(snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Id -> the published prompt and what belongs to it, with the name of its split."""
    rows = {}
    for path in (snapshot.folder / "harness" / "data").rglob("*.parquet"):
        for row in pq.read_table(path).to_pylist():
            rows[row["id"]] = {**row, "split": path.stem}
    return rows


def exported_rules(snapshot: Snapshot) -> ModuleType:
    """The exported Python that lm-evaluation-harness runs."""
    spec = importlib.util.spec_from_file_location("rules", snapshot.folder / "harness/lm_eval/utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_published_prompts_are_those_of_an_evaluation(both: Snapshot) -> None:
    items, prompts = items_of(both), prompts_of(both)
    assert {name: row["prompt"] for name, row in prompts.items()} == {
        name: render_prompt(item) for name, item in items.items()
    }
    assert all(any(text in row["prompt"] for text in HOSTILE) for row in prompts.values())
    for name, item in items.items():
        row = prompts[name]
        assert [row["plain_system"], row["plain_prompt"]] == [
            message.content for message in PLAIN.messages(item)
        ]
        assert [row["query"], row["flaw"]] == [item.query, flaw_of(item)]
        assert row["split"] == ("answerable" if item.answerable else "unanswerable")
        assert row["answers"] == list(item.answers)
        assert row["expected_rag_behavior"] == item.expected_behavior
        assert row["match"] == (item.answers[0] if item.answerable else MARKS[item.expected_behavior])


def test_controls_have_no_prompts(both: Snapshot) -> None:
    assert len(both.read_controls()) == len(prompts_of(both)) == 36


def test_datasets_loads_the_prompts_by_name_and_the_rows_without(tmp_path: Path) -> None:
    snapshot = write_single(tmp_path / "s")
    settings_of_hub = {
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOADER, str(snapshot.folder)],
        env={**os.environ, **settings_of_hub},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert loaded.pop("main") == 18
    assert {name: len(rows) for name, rows in loaded.items()} == {"answerable": 6, "unanswerable": 12}
    found = {row["id"]: row["prompt"] for rows in loaded.values() for row in rows}
    assert found == {name: row["prompt"] for name, row in prompts_of(snapshot).items()}


def test_templates_are_given_a_column_and_no_text(both: Snapshot) -> None:
    for path in (both.folder / "harness" / "lm_eval").glob("perturb_*.yaml"):
        text = path.read_text(encoding="utf-8")
        if path.stem != "perturb_plain":  # a group of tasks
            column = "plain_prompt" if "plain" in path.stem else "prompt"
            assert f"\ndoc_to_text: {column} " in text
        assert "{{" not in text
    for name in (
        "eval.yaml",
        "harness/inspect_task.py",
        "harness/lighteval_task.py",
        "harness/lm_eval/utils.py",
    ):
        assert "mill" not in (both.folder / name).read_text(encoding="utf-8")
    tasks = yaml.safe_load((both.folder / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert [task["solvers"] for task in tasks] == [[{"name": "generate"}]] * 2


@pytest.mark.parametrize("intensity", list(Intensity))
def test_a_snapshot_of_one_kind_of_items_has_the_tasks_for_it(tmp_path: Path, intensity: Intensity) -> None:
    snapshot = write_both(tmp_path / "s", (intensity,))
    low = intensity is Intensity.LOW
    group = yaml.safe_load((snapshot.folder / "harness/lm_eval/perturb.yaml").read_text(encoding="utf-8"))
    tasks = yaml.safe_load((snapshot.folder / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    plain = yaml.safe_load(
        (snapshot.folder / "harness/lm_eval/perturb_plain.yaml").read_text(encoding="utf-8")
    )
    assert group["task"] == ["perturb_answer" if low else "perturb_refusal"]
    assert plain["task"] == ["perturb_plain_answer" if low else "perturb_plain_refusal"]
    assert [task["id"] for task in tasks] == ["answer" if low else "refusal"]
    assert (snapshot.folder / "harness/lm_eval/perturb_refusal.yaml").exists() is not low
    assert check_snapshot(snapshot.folder) == ()


def test_the_patterns_part_the_codes_from_each_other() -> None:
    assert len(set(MARKS.values())) == len(MARKS) == 7
    for spelling, code in refusal_spellings(CODES).items():
        found = MARK.search(spelling)
        assert found is not None
        assert [group for group in found.groups() if group] == [MARKS[code]]


PIECES = st.sampled_from(
    [
        *("REFUSE_MISSING", "refuse_ambiguous_query", "REFUSE_OTHER", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        *(
            "ANSWER_CORRECTLY",
            "REFUSE_NOTHING",
            "Ada",
            "**",
            "`",
            '"',
            "“",
            "(",
            ")",
            " ",
            "\n",
            ".",
            ",",
            "_",
        ),
        *("[THINK]", "[/THINK]", "◁/think▷", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
        *("<think>", "</think>", "<reasoning>why</reasoning>", "<think>REFUSE_OTHER</think>", "x" * 190),
        *(" | CONFIDENCE: CONFIDENT", "\nCONFIDENCE: VERY UNCERTAIN", "CONFIDENCE = [UNCERTAIN] (30%)"),
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=7).map("".join))
@example(" | CONFIDENCE: CONFIDENT\nREFUSE_MISSING")
def test_every_form_of_the_rule_reads_as_ours(both: Snapshot, reply: str) -> None:
    ours = read_code(reply, CODES)
    assert exported_rules(both).read_code(reply) == ours
    groups = CODE.findall(reply)
    assert (CODES[groups[0].upper()] if groups else None) == ours
    found = MARK.search(reply)
    marks = [group.upper() for group in found.groups() if group] if found else []
    assert marks == ([MARKS[ours]] if ours else [])


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_long_replies_are_read_without_delay(both: Snapshot, length: int) -> None:
    rules = exported_rules(both)
    for reply in (
        " " * length,
        "<think>" * length,
        "</think>" * length,
        "CONFIDENCE: " * length,
        "*" * length,
        "REFUSE_" * length,
    ):
        assert CODE.findall(reply) == []
        assert MARK.search(reply) is None
        assert rules.read_code(reply) is None


def test_an_answer_is_matched_as_whole_words(both: Snapshot) -> None:
    rules = exported_rules(both)
    for text in ("It was  ADA\n0.", "Ada 01", "“Ada 0”", "ada", "<think>Ada 0</think> Eve", ""):
        shown = text.replace("<think>Ada 0</think>", "")
        assert rules.is_answer(text, ["Nobody", "Ada 0"]) == holds_answer(shown, "Ada 0")
    assert not rules.is_answer("REFUSE_OTHER", ["REFUSE_OTHER"])


def test_the_known_replies_cover_every_outcome() -> None:
    assert "" in TO_ANSWERABLE
    assert "" in TO_UNANSWERABLE


def test_rows_that_no_evaluation_takes_make_a_snapshot_without_harness_files(tmp_path: Path) -> None:
    refused = [row for row in rows_of(18) if row["intensity"] != "LOW"]  # their labels are those of LOW items
    snapshot = write_snapshot(tmp_path / "s", refused, facts(), "")
    assert snapshot.manifest["harness"] is None
    assert not (snapshot.folder / "eval.yaml").exists()
    assert check_snapshot(snapshot.folder) == ()


def test_any_beginning_of_the_inspect_task_is_balanced(both: Snapshot) -> None:
    """`--limit` takes the first items: LOW ones alone, if those to answer came first."""
    source = (both.folder / "harness" / "inspect_task.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {"Counter": Counter}
    tree = ast.parse(source)
    function: list[ast.stmt] = [
        one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "interleaved"
    ]
    exec(compile(ast.Module(function, []), "inspect_task.py", "exec"), names)
    sizes = {("A", "LOW"): 40, ("A", "HIGH"): 80, ("B", "LOW"): 20, ("B", "MEDIUM"): 60}
    rows = [
        {"id": f"{cell}{number}", "perturbation_class": cell[0], "intensity": cell[1]}
        for cell, size in sizes.items()
        for number in range(size)
    ]
    ordered = names["interleaved"](rows)
    assert sorted(row["id"] for row in ordered) == sorted(row["id"] for row in rows)
    for limit in range(1, 201):
        found = Counter((row["perturbation_class"], row["intensity"]) for row in ordered[:limit])
        assert all(abs(found[cell] - limit * size / 200) <= 2 for cell, size in sizes.items())


def test_edits_of_harness_files_are_found(tmp_path: Path) -> None:
    folder = write_single(tmp_path / "s").folder
    task = folder / "harness" / "inspect_task.py"
    task.write_text(task.read_text(encoding="utf-8") + "#\n", encoding="utf-8")
    assert check_snapshot(folder) == ("harness/inspect_task.py: differs from the file that was written",)
    task.unlink()
    assert check_snapshot(folder) == ("harness/inspect_task.py: missing",)


def test_compiled_python_beside_the_tasks_is_no_part_of_a_snapshot(tmp_path: Path) -> None:
    snapshot = write_single(tmp_path / "s")
    compiled = snapshot.folder / "harness" / "lm_eval" / "__pycache__" / "utils.cpython-311.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"compiled")
    assert check_snapshot(snapshot.folder) == ("harness/lm_eval/__pycache__: not part of the snapshot",)


def test_prompts_that_are_not_those_of_the_rows_are_found(tmp_path: Path) -> None:
    snapshot = write_single(tmp_path / "s")
    (path,) = (snapshot.folder / "harness" / "data").rglob("unanswerable.parquet")
    table = pq.read_table(path)
    pq.write_table(table.take([1, 0, *range(2, 12)]), path)
    problems = verify_snapshot(snapshot.folder).problems
    assert any("differs from the file" in line for line in problems)
    assert any("the prompts are not those of the rows" in line for line in problems)
    path.write_bytes(b"PAR1")
    assert any("cannot be read" in line for line in check_snapshot(snapshot.folder))


def test_prompts_of_other_templates_are_compared_in_all_but_their_text(tmp_path: Path) -> None:
    snapshot = write_single(tmp_path / "s")
    reseal(snapshot.folder, harness={**snapshot.manifest["harness"], "version": "of an older perturb"})
    assert check_snapshot(snapshot.folder) == ()


def files_of(snapshot: Snapshot) -> list[dict[str, Any]]:
    """The files of a manifest with the digests that they have now, without those that are gone."""
    paths = [(entry["path"], snapshot.folder / entry["path"]) for entry in snapshot.manifest["files"]]
    return [
        {
            "path": name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for name, path in paths
        if path.exists()
    ]


@pytest.mark.parametrize("same", [True, False])
def test_a_snapshot_of_before_the_plain_tasks_still_verifies(tmp_path: Path, same: bool) -> None:
    """It has neither the columns of the plain prompt nor the tasks; a changed prompt is found by its own templates."""
    snapshot = write_single(tmp_path / "s")
    entry = dict(snapshot.manifest["harness"])
    del entry["settings"]
    entry["version"] = digest(respond_version(), dict(CODES)) if same else "of an older perturb"
    for path in (snapshot.folder / "harness" / "lm_eval").glob("perturb_plain*"):
        path.unlink()
    for path in (snapshot.folder / "harness" / "data").rglob("*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.drop_columns(["query", "plain_system", "plain_prompt", "flaw"]), path)
    reseal(snapshot.folder, harness=entry, files=files_of(snapshot))
    assert check_snapshot(snapshot.folder) == ()
    (path,) = (snapshot.folder / "harness" / "data").rglob("answerable.parquet")
    table = pq.read_table(path)
    prompts = pa.array([f"{text}!" for text in table["prompt"].to_pylist()])
    pq.write_table(table.set_column(table.column_names.index("prompt"), "prompt", prompts), path)
    reseal(snapshot.folder, harness=entry, files=files_of(snapshot))
    assert any("are not those of the rows" in line for line in check_snapshot(snapshot.folder)) == same


def test_the_inspect_task_holds_the_prompt_and_the_table_of_kinds(both: Snapshot) -> None:
    tree = ast.parse((both.folder / "harness" / "inspect_task.py").read_text(encoding="utf-8"))
    values = {
        one.targets[0].id: ast.literal_eval(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Name)
        and one.targets[0].id in ("JUDGE", "KINDS")
    }
    assert values["JUDGE"] == render_template("judge/kinds/kind")
    assert set(values["KINDS"]) == set(BehaviourKind)
    for kind, counts in values["KINDS"].items():
        for reading, name in counts.items():
            assert (predicted_behaviour(kind, "REFUSE_INFO_MISSING_IN_CONTEXT", reading) == ANSWER) == (
                name == "answer"
            )


def test_plain_tasks_without_a_judge_tell_which_replies_hold_an_accepted_answer(both: Snapshot) -> None:
    rules, accepted = exported_rules(both), {"answers": ["Ada 0", "Miss A. 0"]}
    for reply, held in (
        ("It was  ADA 0.", 1.0),
        ("REFUSE_OTHER", 0.0),
        ("<think>Ada 0</think>Eve", 0.0),
        ("", 0.0),
    ):
        assert rules.score_plain_answer(accepted, [reply]) == {"answer_match": held}
        assert rules.score_plain_refusal(accepted, [reply]) == {"original_answer_given": held}


@pytest.mark.parametrize("entry", ["all", {"digest": "../..", "rows": {}}, {"rows": {"other": 1}}])
def test_an_entry_that_cannot_be_read_is_found(tmp_path: Path, entry: Any) -> None:
    folder = write_single(tmp_path / "s").folder
    reseal(folder, harness=entry)
    assert any("'harness" in line for line in check_snapshot(folder))
