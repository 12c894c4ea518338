"""Import paths that the documentation of 0.1 showed work for one more version."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import perturb

PATHS = [
    ("perturb.audit.audit_report", "audit"),
    ("perturb.audit.votes", "vote_table"),
    ("perturb.build_run", "build"),
    ("perturb.curate.base_sets", "BaseSet"),
    ("perturb.evaluate.run", "run_task"),
    ("perturb.export.snapshot", "read_snapshot"),
    ("perturb.items", "render_prompt"),
    ("perturb.llm.scripted", "ScriptedModel"),
    ("perturb.llm.wire", "response_format"),
    ("perturb.local_server", "LocalServer"),
    ("perturb.report.figures", "draw_bars"),
    ("perturb.report.model", "Report"),
    ("perturb.report.page", "write_page"),
    ("perturb.report.text", "render_text"),
    ("perturb.score.refusal_report", "report_refusals"),
]


@pytest.mark.parametrize(("path", "name"), PATHS)
def test_a_path_of_the_last_version_works_and_warns(path: str, name: str) -> None:
    module = import_module(path)
    with pytest.warns(DeprecationWarning, match=f"{path} is now perturb"):
        found = getattr(module, name)
    assert found.__module__ in sys.modules
    assert all(
        callable(function) for function in (perturb.audit, perturb.curate, perturb.evaluate, perturb.score)
    )


def test_an_import_statement_reaches_it_and_leaves_the_functions_alone() -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "from perturb.score.refusal_report import report_refusals\n"
        "import perturb.evaluate.run\n"
        "import perturb\n"
        "print(callable(report_refusals), callable(perturb.score), callable(perturb.evaluate))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "True True True\n"


def test_a_name_that_never_was_is_an_import_error() -> None:
    with (
        pytest.raises(AttributeError, match="nothing_of_this_name"),
        pytest.warns(DeprecationWarning, match="reports.model"),
    ):
        _ = import_module("perturb.report.model").nothing_of_this_name
