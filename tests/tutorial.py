"""Executes docs/tutorial.ipynb; `python -m tests.tutorial` also writes what came out into the file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


def execute(folder: Path) -> nbformat.NotebookNode:
    """The notebook as it comes out of a new kernel that works in `folder`. Raises what a cell raises."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False)
    client.execute(cwd=str(folder), env={**os.environ, "PYTHONPATH": str(ROOT)})
    for cell in notebook.cells:
        cell.metadata.clear()
        bars = "".join(one.text for one in cell.get("outputs", ()) if one.get("name") == "stderr")
        assert "\x1b[A" not in bars, "a notebook cannot go back to a line above"
        assert bars.count("\n") <= 1, "progress is one line"
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return notebook


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        nbformat.write(execute(Path(place)), NOTEBOOK)
