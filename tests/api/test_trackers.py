"""The recipes of docs/python.md for Weights & Biases and MLflow, run as they are printed, without a network.

`make trackers` installs both in an environment of their own; the tests are skipped without it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import perturb

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-trackers" / "bin" / "python"
OFFLINE = {
    "WANDB_MODE": "offline",
    "WANDB_SILENT": "true",
    "MLFLOW_TRACKING_URI": "sqlite:///mlflow.db",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}

READ_MLFLOW = """
import json, mlflow
client = mlflow.MlflowClient()
[experiment] = [one for one in client.search_experiments() if one.name == "refusal"]
runs = client.search_runs([experiment.experiment_id])
facts = [mlflow.artifacts.load_dict(one.info.artifact_uri + "/facts.json") for one in runs]
print(json.dumps([[one.info.run_name, one.data.metrics, fact] for one, fact in zip(runs, facts)]))
"""
"""Prints the name, the metrics and the facts of each run."""

READ_WANDB = """
import json, struct
from pathlib import Path
from wandb.proto.wandb_internal_pb2 import Record

def records(data):
    # the log format of LevelDB, behind a header of 7 bytes: blocks with fragments, each with sum, length and kind
    start, whole = 7, b""
    while start + 7 <= len(data):
        if 32768 - start % 32768 < 7:
            start += 32768 - start % 32768
            continue
        length, kind = struct.unpack_from("<HB", data, start + 4)
        whole += data[start + 7 : start + 7 + length]
        start += 7 + length
        if kind in (1, 4):
            yield Record.FromString(whole)
            whole = b""

runs = []
for path in sorted(Path("wandb").glob("offline-run-*/*.wandb")):
    name, facts, metrics = None, {}, {}
    for one in records(path.read_bytes()):
        if one.HasField("run"):
            name = one.run.display_name
            facts |= {item.key: json.loads(item.value_json) for item in one.run.config.update}
        for item in one.history.item:
            metrics[item.key or item.nested_key[0]] = json.loads(item.value_json)
    runs.append([name, {key: value for key, value in metrics.items() if key[0] != "_"}, facts])
print(json.dumps(runs))
"""
"""Prints the same. Weights & Biases has no reader for the files that wait for `wandb sync`."""


@pytest.mark.parametrize(
    ("recipe", "reader"), [("log_to_mlflow.py", READ_MLFLOW), ("log_to_wandb.py", READ_WANDB)]
)
def test_the_recipe_of_the_page_logs_the_scores_of_every_model(
    tmp_path: Path, recipe: str, reader: str
) -> None:
    if not PYTHON.exists():
        pytest.skip("Weights & Biases and MLflow are not installed: run `make trackers`")
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    [code] = re.findall(rf"```python\n# {re.escape(recipe)}\n(.*?)```", page, re.DOTALL)
    assert len(code.splitlines()) <= 12

    run_there(code, tmp_path)
    logged = json.loads(run_there(reader, tmp_path).splitlines()[-1])
    scores = perturb.score(tmp_path / "outputs" / "evaluate-demo-items").to_dict()
    expected = {
        model["model"]: {
            name: one["value"] for name, one in model["metrics"].items() if one["value"] is not None
        }
        for model in scores["models"]
    }
    assert len(expected) == 3
    assert {name: metrics for name, metrics, _ in logged} == expected
    for _, _, facts in logged:
        assert [fact["model"] for fact in facts["models"]] == list(expected)


def run_there(code: str, folder: Path) -> str:
    """What a script prints in the environment of the trackers."""
    environment: dict[str, Any] = {**os.environ, **OFFLINE, "HOME": str(folder)}
    done = subprocess.run(
        [PYTHON, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
