"""What a run says while it works: models in trouble at once, and a log that programs can read."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perturb.cli.output import styled
from perturb.reports.model import Report, Section, Table
from perturb.reports.rendering import render_text
from tests.building import (
    KEY,
    KEY_NAME,
    command,
    content_of,
    environment,
    model,
    perturb,
    serve,
    write_config,
)
from tests.evaluation.rows import single, write_rows
from tests.loopback.faults import Fault, RandomFaults


def first_words(folder: Path, *arguments: object) -> str:
    """The first line of stderr while the command is at work; it is stopped then."""
    env = environment(**{KEY_NAME: KEY})
    started = subprocess.Popen(
        command(*arguments), cwd=folder, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with started:
        assert started.stderr is not None
        line = started.stderr.readline()
        assert started.poll() is None, "it said so only at its end"
        started.send_signal(signal.SIGINT)
        started.communicate(timeout=60)
    return line.strip()


@pytest.mark.parametrize(
    ("asking", "cause"),
    [
        ("build", "status 500: Something broke."),
        ("evaluate", "cannot connect to 127.0.0.1:9: Connection refused"),
    ],
)
def test_a_server_in_trouble_is_named_while_the_run_goes_on(tmp_path: Path, asking: str, cause: str) -> None:
    with serve(faults=RandomFaults({Fault.SERVER_ERROR: 1.0})) as server:
        if asking == "build":
            config = write_config(tmp_path, content_of(server.url, generators=("beta",), limit=1))
            arguments = ["build", config]
        else:
            rows = write_rows(tmp_path / "rows.jsonl", [single(0)])
            entry = model("beta", "http://127.0.0.1:9/v1")
            (tmp_path / "models.yaml").write_text(json.dumps({"models": [entry]}))
            arguments = ["evaluate", rows, "--model", "beta", "--models", "models.yaml", "--out", "run"]
        line = first_words(tmp_path, *arguments, "--log", "events.jsonl", "--wait")
    assert line.startswith(("beta: paused", "beta: failing")), line
    assert cause in line
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert {"retry", "trouble"} <= {event["event"] for event in events}
    (trouble,) = (event for event in events if event["event"] == "trouble")
    assert (trouble["model"], trouble["level"]) == ("beta", "warning")
    assert trouble["cause"].startswith(cause)
    assert KEY not in (tmp_path / "events.jsonl").read_text()


def test_the_log_tells_of_every_call_and_job(tmp_path: Path) -> None:
    with serve() as server:
        config = write_config(tmp_path, content_of(server.url, limit=1))
        env = environment(**{KEY_NAME: KEY})
        built = perturb(
            "build", config, "--out", tmp_path, "--json", "--quiet", "--log", tmp_path / "l", env=env
        )
    assert (built.returncode, built.stderr) == (0, "")
    facts = built.json
    events = [json.loads(line)["event"] for line in (tmp_path / "l").read_text().splitlines()]
    assert events.count("call") == facts["calls"]
    assert events.count("job") == facts["jobs"]
    assert events.count("decision") == facts["candidates"]


def test_a_log_that_cannot_be_written_and_options_that_contradict_each_other(tmp_path: Path) -> None:
    assert "cannot be written" in perturb("build", "--log", tmp_path, cwd=tmp_path).stderr
    assert perturb("build", "--quiet", "--verbose", cwd=tmp_path).returncode == 2


def test_watching_ends_when_nothing_is_left(tmp_path: Path) -> None:
    with serve() as server:
        config = write_config(tmp_path, content_of(server.url, limit=1))
        perturb("build", config, "--out", tmp_path)
    assert "0 of 36 jobs left" in perturb("status", tmp_path / "run", "--watch").stdout


def test_colour_is_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report("Title", "", [Section("s", "", tables=[Table("t", "Head", {"a": "text"}, [("b",)])])])
    assert "\x1b" not in render_text(report)
    assert render_text(report, colour=True) == render_text(report).replace(
        "Title", "\x1b[1mTitle\x1b[0m"
    ).replace("Head", "\x1b[1mHead\x1b[0m")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert styled("no", "red") != "no"
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled("no", "red") == "no"
