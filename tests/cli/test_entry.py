"""Ctrl-C while the command line is still loading: one line and exit code 130, as later."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SLOW_LIBRARY = """
import sys

print("loading", flush=True)
sys.stdin.read()
"""
"""Stands in for typer: its import says that it has begun, and goes on until somebody stops it."""


def console_script() -> list[str]:
    """What the script does that an installation makes of `[project.scripts]`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["perturb"].partition(":")
    return ["-c", f"import sys; from {module} import {function}; sys.exit({function}())"]


@pytest.mark.parametrize("start", [console_script(), ["-m", "perturb"]], ids=["script", "module"])
def test_an_interrupt_while_loading_is_one_line(tmp_path: Path, start: list[str]) -> None:
    (tmp_path / "typer.py").write_text(SLOW_LIBRARY)
    started = subprocess.Popen(
        [sys.executable, *start, "levers"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert started.stdout.readline() == "loading\n"
        started.send_signal(signal.SIGINT)
        words = started.stderr.read()
        assert (started.wait(timeout=60), words) == (
            130,
            "perturb: stopped: run the same command again to resume\n",
        )
