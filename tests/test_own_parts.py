"""Generators, verifiers, base-set readers, scorers and models under test that are functions of a user's own."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

import perturb
from perturb.errors import ConfigError, SourceError
from perturb.llm.functions import find_function, name_function
from perturb.records import BaseInstance, Candidate, Cell, JobOutcome, Lever

from .building import query as rows_of
from .building import start, write_config

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
CELL = [{"class": "P-MissingInfo", "intensity": "HIGH"}]
CODE = "INFO_MISSING_IN_CONTEXT"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The modules and files that docs/python.md shows, in a working directory of their own."""
    for name, text in re.findall(
        r"```\w+\n# ([\w.]+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_example_of_the_page_runs(example: Path) -> None:
    run = perturb.build("build.yaml", progress=False)
    assert run.facts["errors"] == run.facts["unparsed"] == 0
    assert run.facts["accepted"] == run.facts["rows"] == 2
    assert {item.generator for item in run.items} == {"cutter"}
    assert run.snapshot is not None
    assert run.snapshot.manifest["generators"][0]["model"] == "my_parts:cut_answer"
    done = perturb.evaluate(
        run,
        [{"name": "system", "kind": "python", "function": "my_parts:answer"}],
        judge={"name": "scorer", "kind": "python", "function": "my_parts:score"},
        progress=False,
    )
    assert done.facts["models"][0]["unscored"] == 0
    assert {result.predicted for result in done.results} == {"REFUSE_INFO_MISSING_IN_CONTEXT"}
    scores = done.score(resamples=20, metrics=["my_parts:share_of_wrong_codes"])
    assert scores.models[0].metrics["share_of_wrong_codes"].value == 0.0
    assert "share_of_wrong_codes" in scores._repr_html_()
    again = perturb.build("build.yaml", progress=False)
    assert again.facts["candidates"] == 2, "nothing is done twice"


def records() -> Iterator[dict[str, Any]]:
    for year in (1968, 1971):
        yield {
            "query": f"When was pier {year % 7} at Aldmouth built?",
            "context": f"Pier {year % 7} at Aldmouth is long. It was built in {year}. It has two cafés.",
            "answers": [str(year)],
        }


def test_callables_are_given_as_they_are_sync_or_async(tmp_path: Path) -> None:
    async def cut(instance: BaseInstance, levers: tuple[Lever, ...]) -> dict[str, str]:
        kept = [one for one in instance.passages[0].text.split(". ") if instance.answers[0] not in one]
        return {"context": ". ".join(kept), "lever": levers[0].name}

    def agree(candidate: Candidate) -> dict[str, Any]:
        return {"verdict": True, "checks": {"linguistic_soundness": True}, "reason": candidate.lever}

    async def abstain(instance: BaseInstance) -> None:
        return None

    run = perturb.build(
        base_set=records,
        generators=[cut],
        verifiers=[agree, abstain],
        cells=CELL,
        out=tmp_path,
        progress=False,
    )
    assert (run.facts["accepted"], run.facts["errors"]) == (2, 0)
    assert run.folder.name == "records"
    written = yaml.safe_load((run.folder / "build.yaml").read_text(encoding="utf-8"))
    assert written["generators"][0]["function"].startswith("tests.test_own_parts:cut_")

    async def refuse(query: str) -> str:
        return CODE if "pier" in query else "no"

    def score(reply: str, asked: str, expected: str) -> dict[str, Any]:
        assert asked == "classification"
        return {"behaviour": "refusal", "code": expected} if reply == CODE else {"behaviour": "answer"}

    done = perturb.evaluate(run, [refuse], judge=score, out=tmp_path / "done", progress=False)
    assert done.warnings == ()
    assert {result.predicted for result in done.results} == {"REFUSE_INFO_MISSING_IN_CONTEXT"}
    assert {result.model for result in done.results} == {"refuse"}


def test_a_function_that_raises_is_a_stored_failure_and_tried_again(tmp_path: Path) -> None:
    broken = True

    def cut(instance: BaseInstance, levers: tuple[Lever, ...]) -> Any:
        if broken:
            raise KeyError("no such table")
        return {"context": "It has two cafés.", "lever": levers[0].name}

    def vote(candidate: Candidate) -> Any:
        if broken:
            raise RuntimeError("not today")
        return "pass"

    def build() -> perturb.Run:
        given: dict[str, Any] = {"base_set": records, "cells": CELL, "out": tmp_path, "progress": False}
        return perturb.build(generators=[cut], verifiers=[vote], **given)

    failed = build()
    assert failed.facts["errors"] == 2
    assert failed.snapshot is None
    assert any("KeyError: 'no such table'" in line for line in failed.warnings)
    broken = False
    assert build().facts["accepted"] == 2


def leave() -> None:
    sys.exit(0)


def end_early() -> None:
    next(iter(()))


def cancel() -> None:
    raise asyncio.CancelledError("stop")


def interrupt() -> None:
    raise KeyboardInterrupt


def half_a_character() -> str:
    return "It has two caf\ud800s."


def complain_in_half_characters() -> None:
    raise ValueError("caf\ud800")


ODD_ENDS = [
    (leave, "SystemExit: 0"),
    (end_early, "StopIteration"),
    (cancel, "CancelledError"),
    (interrupt, "KeyboardInterrupt"),
    (half_a_character, "UnicodeEncodeError"),
    (complain_in_half_characters, "ValueError: caf\N{REPLACEMENT CHARACTER}"),
]


@pytest.mark.parametrize(("end", "cause"), ODD_ENDS)
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_function_does_is_a_failure_of_its_own_job(
    end: Callable[[], Any], cause: str, is_async: bool, tmp_path: Path
) -> None:
    if is_async and end is end_early:
        pytest.skip("Python makes a RuntimeError of a StopIteration in a coroutine")
    broken = True

    def cut(instance: BaseInstance, levers: tuple[Lever, ...]) -> Any:
        context = end() if broken and "1971" in instance.answers else "It has two cafés."
        return {"context": context, "lever": levers[0].name}

    def vote(instance: BaseInstance) -> Any:
        return {"verdict": True, "reason": end() if broken and "1968" in instance.answers else ""}

    def answer(query: str) -> Any:
        return (end() if broken else None) or CODE

    async def cut_later(instance: BaseInstance, levers: tuple[Lever, ...]) -> Any:
        return cut(instance, levers)

    async def vote_later(instance: BaseInstance) -> Any:
        return vote(instance)

    async def answer_later(query: str) -> Any:
        return answer(query)

    def build() -> perturb.Run:
        parts = [cut_later, vote_later] if is_async else [cut, vote]
        given: dict[str, Any] = {"base_set": records, "cells": CELL, "out": tmp_path, "progress": False}
        return perturb.build(
            generators=[{"name": "cutter", "function": parts[0]}],
            verifiers=[{"name": "voter", "function": parts[1]}],
            **given,
        )

    run = build()
    assert (run.facts["errors"], run.facts["undecided"], run.facts["accepted"]) == (1, 1, 0)
    stored = rows_of(
        run.folder, "SELECT detail FROM jobs WHERE outcome = 'error' UNION ALL SELECT raw FROM votes"
    )
    assert [cause in detail for (detail,) in stored] == [True, True], stored
    broken = False
    run = build()
    assert (run.facts["errors"], run.facts["accepted"]) == (0, 2)

    broken = True
    under_test = {"name": "own", "function": answer_later if is_async else answer}

    def evaluate() -> perturb.Evaluation:
        return perturb.evaluate(run, [under_test], judge=None, out=tmp_path / "done", progress=False)

    failed = evaluate()
    assert failed.facts["models"][0]["replies"] == 0
    assert any(cause in line for line in failed.warnings), failed.warnings
    broken = False
    assert evaluate().facts["models"][0]["replies"] == 2


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (None, JobOutcome.NOT_APPLICABLE),
        ("text", JobOutcome.UNPARSED),
        ({"contxt": ""}, JobOutcome.UNPARSED),
        ({"passages": ["a", "b"]}, JobOutcome.UNPARSED),
        ({"query": 7, "lever": "x"}, JobOutcome.UNPARSED),
        ({"lever": "x"}, JobOutcome.REJECTED),
    ],
)
def test_what_a_generator_may_not_return(made: Any, outcome: JobOutcome, tmp_path: Path) -> None:
    def cut(cell: Cell, seed: int) -> Any:
        return made

    run = perturb.build(base_set=records, generators=[cut], cells=CELL, out=tmp_path, progress=False)
    assert run.status["stages"][outcome] == 2


def test_a_vote_that_cannot_be_read_is_unscored(tmp_path: Path) -> None:
    def cut(levers: tuple[Lever, ...]) -> Any:
        return {"context": "It has two cafés.", "lever": levers[0].name}

    def vote(candidate: Candidate) -> Any:
        return 0.7

    given: dict[str, Any] = {"cells": CELL, "out": tmp_path, "progress": False}
    for _ in range(2):
        run = perturb.build(base_set=records, generators=[cut], verifiers=[vote], **given)
        assert run.facts["undecided"] == 2
        assert [(one["model"], one["items"]) for one in run.status["unread"]] == [("vote", 2)]
        assert run.status["left"] == 0


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (
            "no_such_module:f",
            "no_such_module:f: module 'no_such_module' cannot be imported (ModuleNotFoundError",
        ),
        (
            "my_parts:no_such",
            "'own': my_parts:no_such: module 'my_parts' has no function 'no_such': check the name",
        ),
        (
            "my_parts:answer",
            "the function must take instance, cell, levers, seed or some of them, not 'query'",
        ),
        ("my parts", "field 'generators[0].function'"),
    ],
)
def test_a_wrong_name_is_one_line(address: str, words: str, example: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)) as raised:
        perturb.build(generators=[{"name": "own", "kind": "python", "function": address}], progress=False)
    assert "\n" not in str(raised.value)


def test_a_module_that_ends_the_process_is_one_line(example: Path) -> None:
    (example / "leaving.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    sys.path.remove(str(example))
    with pytest.raises(ConfigError, match=r"'leaving' cannot be imported \(SystemExit: 0\)"):
        find_function("leaving:f", "own")
    assert sys.path[0] == str(example), "modules of the working directory go before all others"


def test_a_reader_that_raises_says_so_in_one_line(tmp_path: Path) -> None:
    def broken() -> Any:
        raise ValueError("two\nlines")

    async def nothing() -> Any:
        return []

    async def cancelled() -> Any:
        cancel()

    for reader, words in (
        (broken, r"broken_\w+: ValueError: two lines"),
        (nothing, "holds no rows"),
        (leave, "leave: SystemExit: 0"),
        (cancelled, r"cancelled_\w+: CancelledError"),
        (dict, "no rows"),
    ):
        with pytest.raises(SourceError, match=words):
            perturb.build(base_set=reader, out=tmp_path, progress=False)


def test_kind_and_function_go_together() -> None:
    for entry, words in (
        ({"name": "a", "function": "m:f", "kind": "model"}, "'a' needs 'model'"),
        ({"name": "a", "kind": "python"}, "goes with 'kind: python'"),
        (
            {"name": "a", "kind": "python", "function": "m:f", "system": "x"},
            "is of kind python and takes no model",
        ),
    ):
        with pytest.raises(ConfigError, match=re.escape(words)):
            perturb.build(generators=[entry], progress=False)
    with pytest.raises(ConfigError, match="goes with 'kind: python'"):
        perturb.build(base_set={"function": "m:f"}, progress=False)


def test_two_functions_of_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    def taking(text: str) -> Callable[..., Any]:
        return lambda levers: {"context": text, "lever": levers[0].name}

    def other(levers: tuple[Lever, ...]) -> Any:
        return {"context": "It is long.", "lever": levers[0].name}

    given: dict[str, Any] = {"base_set": records, "cells": CELL, "out": tmp_path, "progress": False}
    entries = [
        {"name": "a", "function": taking("It has two cafés.")},
        {"name": "b", "function": taking("No.")},
    ]
    with pytest.raises(ConfigError, match="give each its own name"):
        perturb.build(generators=entries, **given)
    run = perturb.build(generators=[entries[0], {"name": "b", "function": other}], **given)
    made = {(row.generator, row.context) for row in run.items}
    assert made <= {("a", "It has two cafés."), ("b", "It is long.")}
    assert run.facts["candidates"] == 4


def test_an_address_leads_back_to_the_function() -> None:
    def inner() -> None: ...

    assert find_function(name_function(inner), "test") is inner


# -- functions that hang -----------------------------------------------------------------------------------------

HANGING = """
import time
from pathlib import Path

def records():
    return [{"query": "When was the pier built?", "context": "It was built in 1968.", "answers": ["1968"]}]

def agree(candidate):
    return True

def hang():
    Path("hanging").touch()
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass

def plain(instance):
    hang()

async def coroutine(instance):
    hang()
"""


@contextmanager
def hanging_build(folder: Path, kind: str, timeout: float) -> Iterator[subprocess.Popen[str]]:
    """A build in a process of its own, whose generator hangs."""
    (folder / "hanging.py").write_text(HANGING, encoding="utf-8")
    content = {
        **{"name": "run", "round": "r1", "select": {"strategy": "natural"}},
        "base_set": {"kind": "python", "function": "hanging:records"},
        "cells": CELL,
        "generators": [{"name": "g", "kind": "python", "function": f"hanging:{kind}", "timeout": timeout}],
        "panel": {"verifiers": [{"name": "v", "kind": "python", "function": "hanging:agree"}]},
    }
    process = start(write_config(folder, content), folder / "out", cwd=folder)
    deadline = time.monotonic() + 60
    try:
        while not (folder / "hanging").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_a_function_that_hangs_is_a_stored_failure_and_the_process_ends(kind: str, tmp_path: Path) -> None:
    with hanging_build(tmp_path, kind, 0.5) as process:
        out, err = process.communicate(timeout=10)
    assert json.loads(out)["errors"] == 1, err
    assert "no reply within 0.5 s" in err


def test_a_coroutine_that_blocks_its_loop_holds_up_no_other_job(tmp_path: Path) -> None:
    released = threading.Event()

    async def cut(instance: BaseInstance, levers: tuple[Lever, ...]) -> Any:
        if "1968" in instance.answers:
            released.wait()
        return {"context": "It has two cafés.", "lever": levers[0].name}

    def agree(instance: BaseInstance) -> bool:
        return True

    entry = {"name": "cutter", "function": cut, "max_connections": 1, "timeout": 0.5}
    try:
        run = perturb.build(
            base_set=records, generators=[entry], verifiers=[agree], cells=CELL, out=tmp_path, progress=False
        )
    finally:
        released.set()
    assert (run.facts["errors"], run.facts["accepted"]) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_an_interrupt_ends_a_process_whose_function_hangs(
    kind: str, number: signal.Signals, tmp_path: Path
) -> None:
    with hanging_build(tmp_path, kind, 600) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    said = "perturb: stopped: run the same command again to resume\n"
    assert (process.returncode, out, err) == (130, "", said)


# -- metrics ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> perturb.Evaluation:
    """The embedded evaluation."""
    return perturb.evaluate(out=tmp_path_factory.mktemp("evaluated"), progress=False)


def missed(replies: list[dict[str, Any]]) -> float | None:
    """The missed refusal rate, once more."""
    asked = [
        reply
        for reply in replies
        if reply["expected_rag_behavior"] != "ANSWER_CORRECTLY" and reply["predicted"]
    ]
    return sum(one["outcome"] == "missed_refusal" for one in asked) / len(asked) if asked else None


def test_a_metric_of_ones_own_has_the_interval_of_the_registered_one(evaluated: perturb.Evaluation) -> None:
    for model in evaluated.score(resamples=200, metrics=[missed]).models:
        own, known = model.metrics["missed"], model.metrics["missed_refusal_rate"]
        assert own.value == pytest.approx(known.value)
        assert own.se == pytest.approx(known.se)
        # The registered one knows that it rests on the items to refuse alone, and is the wider for it.
        assert known.low is not None
        assert own.low == pytest.approx(known.low, abs=0.05)
    assert evaluated.score(resamples=5, metrics=[missed]).to_pandas()["missed"].notna().all()


def test_the_range_of_a_metric_bounds_its_interval(evaluated: perturb.Evaluation) -> None:
    def quality(replies: list[dict[str, Any]]) -> float | None:
        graded = [reply["quality"] for reply in replies if reply["quality"] is not None]
        return sum(graded) / len(graded) if graded else None

    entry = {"name": "mean_quality", "function": quality, "range": (1, 5)}
    models = evaluated.score(resamples=20, metrics=[entry, {"name": "beyond", "function": quality}]).models
    for found in (model.metrics for model in models):
        assert found["mean_quality"].value == found["mean_quality"].high == 5.0
        assert (found["beyond"].low, found["beyond"].high) == (None, None)
        assert "range of 0 to 1" in str(found["beyond"].reason)


def test_a_metric_without_a_value_says_so(evaluated: perturb.Evaluation) -> None:
    found = evaluated.score(resamples=5, metrics=[{"name": "none", "function": lambda _: None}]).models[0]
    assert found.metrics["none"].value is None


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda replies: 1 / 0, "ZeroDivisionError: division by zero: return a number, or None"),
        (lambda replies: "much", "could not convert string to float"),
        (lambda replies: sys.exit(0), "SystemExit: 0: return a number, or None"),
        (lambda replies: cancel(), "CancelledError: stop: return a number, or None"),
        ({"function": missed, "name": "refusal_rate"}, "metric 'refusal_rate': the name is taken"),
        ({"function": missed, "rnage": (0, 1)}, "unknown key 'rnage': did you mean 'range'"),
        ("missed", "metric 'missed': not a function: write package.module:function"),
        ("no_module:missed", "cannot be imported"),
    ],
)
def test_a_metric_that_cannot_be_used_is_one_line(
    evaluated: perturb.Evaluation, metric: Any, message: str
) -> None:
    given = {"name": "own", "function": metric} if callable(metric) else metric
    with pytest.raises(ConfigError) as caught:
        evaluated.score(resamples=5, metrics=[given])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
