"""The public API: `import perturb`, its functions and classes, with and without a running event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import datasets
import nbformat
import pandas as pd
import pytest

import perturb
import perturb.auditing.votes
import perturb.scoring.table
from perturb.config import BuildConfig
from perturb.errors import ConfigError, SourceError
from perturb.records import BaseInstance
from perturb.runtime import acall, call, run_sync
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from tests import tutorial
from tests.building import write_rows

RECORD = {
    "query": "When was the <b>pier</b> at Aldmouth built?",
    "context": "The pier at Aldmouth was built in 1968 by Ruth Fenn. It has two cafés.",
    "answers": ["1968"],
}
CODE = "INFO_MISSING_IN_CONTEXT"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> perturb.Run:
    """A small offline build."""
    some = perturb.BaseSet.from_records(list(perturb.BaseSet.read("demo"))[:6], name="six")
    return perturb.build(base_set=some, seed=3, out=tmp_path_factory.mktemp("out"), progress=False)


def test_the_names_are_functions_and_classes_whatever_was_imported_before() -> None:
    for name in (
        "build",
        "evaluate",
        "audit",
        "audit_shortcuts",
        "bas",
        "curate",
        "publish",
        "refusal_index",
        "score",
        "load_snapshot",
        "load_config",
        "abuild",
        "aevaluate",
    ):
        function = getattr(perturb, name)
        assert inspect.isfunction(function), name
        assert function.__doc__, name
    for name in ("BaseSet", "Snapshot", "Run", "Evaluation"):
        assert inspect.isclass(getattr(perturb, name)), name
    assert set(perturb.__all__) <= set(dir(perturb))
    assert perturb.__version__[0].isdigit()
    assert (
        inspect.signature(perturb.abuild).parameters.keys()
        == inspect.signature(perturb.build).parameters.keys()
    )


def test_every_key_of_a_configuration_is_an_argument() -> None:
    from perturb.api.functions import MoreSettings

    given = {*inspect.signature(perturb.build).parameters, *MoreSettings.__annotations__}
    assert set(BuildConfig.model_fields) <= given


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, perturb; perturb.build; perturb.audit\n"
        "print([name for name in ('asyncio', 'numpy', 'pydantic', 'yaml', 'pandas') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


def test_a_build_says_where_it_stands_and_what_it_made(run: perturb.Run) -> None:
    assert run.folder.name == "six"
    assert run.stopped is None
    assert run.status["left"] == 0
    snapshot = run.snapshot
    assert snapshot is not None
    assert len(run.items) == run.facts["rows"] == len(snapshot.to_pandas()) == snapshot.to_dataset().num_rows
    assert perturb.load_snapshot(run.folder).content_digest == snapshot.content_digest
    written = perturb.load_config(str(run.folder / "build.yaml")).base_set.path
    assert [written] == list(run.folder.glob("base_set-*.jsonl"))
    assert run.audit(resamples=10).n_candidates == run.facts["candidates"]
    assert perturb.audit(str(run.folder), resamples=10).to_dict() == run.audit(resamples=10).to_dict()
    told = perturb.audit_shortcuts(run, against=run.folder / "snapshot", resamples=10)
    assert told.to_dict()["shared_bases"] == told.n_items == len(run.items)
    assert "what was added" in told._repr_html_()
    page = run.report(run.folder / "page.html", items=3)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    shown = json.loads(data[1])
    assert len(shown["items"] if isinstance(shown, dict) else shown) == 3
    assert f'<a href="{page}"' in page._repr_html_()
    assert '<img alt="' in page._repr_html_()
    assert perturb.Run(run.folder).items == run.items
    assert snapshot.check() == ()


@pytest.mark.slow
def test_the_tutorial_runs_in_a_kernel_and_shows_what_its_file_shows(tmp_path: Path) -> None:
    kept = nbformat.read(tutorial.NOTEBOOK, as_version=4)
    made = tutorial.execute(tmp_path)

    def kinds(notebook: nbformat.NotebookNode) -> list[list[list[str]]]:
        return [
            [sorted(one.get("data", ["text"])) for one in cell.get("outputs", ())] for cell in notebook.cells
        ]

    assert kinds(made) == kinds(kept), "run: python -m tests.tutorial"
    assert [cell.source for cell in made.cells] == [cell.source for cell in kept.cells]
    assert (tmp_path / "outputs" / "demo" / "report.html").exists()
    assert sum(len(cell.outputs) for cell in kept.cells if cell.cell_type == "code") > 10


def test_a_parts_name_is_asked_for_where_there_is_none_of_it(run: perturb.Run) -> None:
    assert run.snapshot is not None
    with pytest.raises(perturb.PerturbError, match="has the parts default: name one of them"):
        run.snapshot.to_pandas("garage")


def test_a_run_that_is_not_there_and_one_model_in_the_place_of_a_list_are_refused(tmp_path: Path) -> None:
    with pytest.raises(perturb.PerturbError, match="no run there"):
        _ = perturb.Run(tmp_path / "nothing").items
    with pytest.raises(ConfigError, match="generators: give a list"):
        perturb.build(out=tmp_path, generators="openai/gpt-4o")
    with pytest.raises(ConfigError, match="verifiers: give a list"):
        perturb.build(out=tmp_path, verifiers="openai/gpt-4o")


def test_a_build_goes_on_in_the_same_folder(run: perturb.Run) -> None:
    again = perturb.build(run.folder / "build.yaml", out=run.folder.parent, progress=False)
    assert again.facts["cached_calls"] == 0
    assert again.facts["rows"] == run.facts["rows"]
    assert again.snapshot is not None
    assert run.snapshot is not None
    assert again.snapshot.content_digest == run.snapshot.content_digest


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A model under test that refuses whatever it is asked."""
    (tmp_path / "apibot.py").write_text(f"def reply(prompt):\n    return {CODE!r}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return {"name": "bot", "function": "apibot:reply"}


def test_scores_are_a_frame(tmp_path: Path) -> None:
    done = perturb.evaluate(out=tmp_path, progress=False)
    frame = done.score(resamples=10).to_pandas()
    assert sorted(frame.index) == ["cautious", "eager", "steady"]
    assert frame["refusal_accuracy"].between(0, 1).all()
    assert frame["answer_quality"].isna().all()


async def test_all_of_it_works_in_a_running_event_loop(
    run: perturb.Run, bot: dict[str, str], tmp_path: Path
) -> None:
    again = perturb.build(run.folder / "build.yaml", name="again", out=tmp_path, progress=False)
    assert again.facts["rows"] == run.facts["rows"]
    done = perturb.evaluate(run, [bot], out=tmp_path / "done", limit=4, progress=False)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    other = asyncio.create_task(tick())
    awaited = await perturb.aevaluate(run, [bot], out=tmp_path / "awaited", limit=4, progress=False)
    other.cancel()
    assert ticks > 10, "the loop went on meanwhile"
    assert awaited.results == done.results
    assert len(done.to_pandas()) == len(done.results) == 4
    assert done.score(resamples=10).to_dict()["models"] == awaited.score(resamples=10).to_dict()["models"]
    assert len(done.warnings) == 1
    assert perturb.Evaluation(done.folder).report().exists()


def test_refusals_and_confidence_are_measured_from_models_tables_and_runs(
    bot: dict[str, str], tmp_path: Path
) -> None:
    def sure(prompt: str) -> str:
        return f"{prompt[:0]}### FINAL DECISION\nAnswer: A\nConfidence: 0.9"

    options: Any = {"resamples": 10, "progress": False}
    demo = perturb.refusal_index(out=tmp_path / "ri", **options)
    assert demo.run is not None
    assert demo.run.status["left"] == 0
    from_table = perturb.refusal_index(tmp_path / "ri" / "refusals.jsonl", **options)
    from_runs = perturb.refusal_index([demo.run], **options)
    assert from_table.run is None
    for other in (from_table, from_runs):
        assert [group.index for group in other.groups] == [group.index for group in demo.groups]
    assert set(demo.to_pandas()["setting"]) == {"low", "normal", "high", "highest"}
    stated = perturb.bas(out=tmp_path / "bas", **options)
    rows = tmp_path / "bas" / "confidence.jsonl"
    binned = score_confidence([rows], options=ConfidenceOptions(3, 10, 5))
    again = perturb.bas(rows, bins=3, seed=5, **options)
    assert [one.report.metrics for one in again.groups] == [one.report.metrics for one in binned.groups]
    assert stated.to_pandas()["bas_uniform"].between(-1, 1).all()
    assert all("<table>" in shown._repr_html_() for shown in (demo, stated, demo.run, from_table))
    letters = tmp_path / "letters.jsonl"
    letters.write_text('{"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "A"}\n', "utf-8")
    asked = perturb.bas(letters, [sure], out=tmp_path / "asked", **options)
    assert asked.run is not None
    assert asked.run.status["under_test"]["sure"]["done"] == 1
    assert asked.run.report().exists()
    with pytest.raises(
        SourceError,
        match=r"^bot, direct: no answer with a confidence .* in 1 of 1 replies .*'bot' has no scored row \(1 row\)",
    ):
        perturb.bas(letters, [bot], out=tmp_path / "unread", **options)
    with pytest.raises(ConfigError, match="source: name one set of questions"):
        perturb.bas([letters, letters], [bot])
    with pytest.raises(ConfigError, match="unknown key 'row': did you mean 'rows'"):
        perturb.bas(letters, [bot], batch={"row": 5})


async def test_what_asks_models_can_be_awaited(tmp_path: Path) -> None:
    index = await perturb.arefusal_index(out=tmp_path / "ri", resamples=10, progress=False)
    stated = await perturb.abas(out=tmp_path / "bas", resamples=10, progress=False)
    assert len(index.groups) == len(stated.groups) == 4


def test_a_base_set_is_curated_from_a_file_and_from_a_data_set(tmp_path: Path) -> None:
    rows = [
        RECORD,
        {**RECORD, "query": "How many cafés has it?", "answers": ["two"]},
        {**RECORD, "answers": []},
    ]
    (tmp_path / "mills").mkdir()
    source = tmp_path / "mills" / "train.jsonl"
    write_rows(source, rows)
    base = perturb.curate(source, tmp_path / "base.jsonl")
    assert len(base) == 2
    assert any("1 record left out" in warning for warning in base.warnings)
    assert (tmp_path / "base.manifest.json").exists()
    assert perturb.BaseSet.read(tmp_path / "base.jsonl").digest == base.digest
    with pytest.raises(SourceError, match="already exists"):
        perturb.curate(source, tmp_path / "base.jsonl")
    with pytest.raises(SourceError, match="leave them out"):
        perturb.curate(source, tmp_path / "base.jsonl", split="train", force=True)
    source.write_text(json.dumps(RECORD | {"asked": RECORD["query"]}) + "\n", encoding="utf-8")
    columns = {"query": "asked", "context": "context", "answers": "answers"}
    read = perturb.BaseSet.from_hub(str(source.parent), split="train", columns=columns)
    assert read.instances[0].query == RECORD["query"]
    same = perturb.curate(f"hub:{source.parent}", tmp_path / "hub.jsonl", split="train", columns=columns)
    assert [one.query for one in same] == [RECORD["query"]]


async def test_a_cancellation_ends_the_work_in_order() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            ended.append("in order")

    waiting = asyncio.create_task(acall(lambda: run_sync(work())))
    await asyncio.sleep(0.1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == ["in order"]


async def test_an_interrupt_in_a_notebook_ends_the_work_in_order() -> None:
    ended: list[str] = []

    async def work() -> None:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("in order")

    def interrupted() -> None:
        with pytest.raises(KeyboardInterrupt):
            call(lambda: run_sync(work()))

    started = time.monotonic()
    interrupted()
    assert ended == ["in order"]
    assert time.monotonic() - started < 30


async def test_an_error_comes_through_as_it_is(run: perturb.Run) -> None:
    with pytest.raises(ConfigError, match=r"unknown key 'panel.verifiers\[0\].modle': did you mean 'model'"):
        perturb.build(base_set="demo", verifiers=[{"name": "a", "modle": "b"}])
    with pytest.raises(ConfigError, match="cannot be imported"):
        await perturb.aevaluate(run, [{"name": "a", "function": "no_such_module:f"}])
    with pytest.raises(ConfigError, match="models: give a list"):
        perturb.evaluate(run, "openai/gpt-4o")


def test_a_base_set_comes_from_records_frames_and_data_sets(tmp_path: Path) -> None:
    own = perturb.BaseSet.from_records([RECORD], name="pier", licence="CC0-1.0")
    assert own.licence == "CC0-1.0"
    frame, split = pd.DataFrame([RECORD]), datasets.Dataset.from_list([RECORD])
    same = (perturb.BaseSet.from_pandas(frame), perturb.BaseSet.from_dataset(split))
    assert [[one.id for one in each] for each in same] == [[one.id for one in own]] * 2
    assert perturb.BaseSet.read(own.write(tmp_path / "pier.jsonl")) == own
    assert perturb.BaseSet.from_records(own.instances, name="pier", licence="CC0-1.0") == own
    assert isinstance(next(iter(own)), BaseInstance)
    with pytest.raises(SourceError, match=r"^some:2: field 'answers' must be a list"):
        perturb.BaseSet.from_records([RECORD, {"query": "?", "context": ".", "answers": 7}], name="some")
    with pytest.raises(SourceError, match="holds no rows"):
        perturb.BaseSet.from_records([])


def test_what_a_notebook_shows_holds_no_markup_of_the_data(run: perturb.Run) -> None:
    own = perturb.BaseSet.from_records([RECORD], name="<i>pier</i>")
    shown = own._repr_html_()
    assert "&lt;b&gt;pier&lt;/b&gt;" in shown
    assert "<i>" not in shown
    assert "0 of" in run._repr_html_()
    assert run.snapshot is not None
    assert "<table>" in run.snapshot._repr_html_()
    assert "κ" in run.audit(resamples=10)._repr_html_()


def test_the_reference_is_what_the_docstrings_say() -> None:
    docs = Path(__file__).parents[2] / "docs"
    made = runpy.run_path(str(docs / "make_reference.py"))["render"]()
    assert made == (docs / "reference.md").read_text(encoding="utf-8"), "run: python docs/make_reference.py"
