"""The protocols of the paper, ready to run but for keys: `perturb init --from paper-nq` and `paper-garage`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from perturb.config import load_config, load_panel
from perturb.files.resources import data_folder
from tests.building import perturb

IDENTIFIERS = {
    "claude-4-sonnet": "bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0",
    "deepseek-r1": "bedrock/converse/us.deepseek.r1-v1:0",
    "gpt-4o": "openai/gpt-4o-2024-08-06",
    "nova-pro": "bedrock/us.amazon.nova-pro-v1:0",
}


@pytest.mark.parametrize(("name", "embedded"), [("nq", "demo"), ("garage", "garage")])
def test_a_dry_run_counts_the_calls_of_the_whole_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, embedded: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(key, raising=False)
    source = data_folder("base_sets") / f"{embedded}.jsonl"
    shutil.copy(source, f"{name}.jsonl")
    assert perturb("init", "build.yaml", "--from", f"paper-{name}").returncode == 0
    done = perturb("build", "build.yaml", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    estimate = done.json
    instances = source.read_text(encoding="utf-8").count('"query":')
    jobs = instances * 18 * 4
    assert (estimate["instances"], estimate["jobs"]) == (instances, jobs)
    assert estimate["planted"] > 0
    assert estimate["calls"] == jobs + 4 * (jobs + estimate["planted"])
    assert estimate["cost_usd"] > 0
    assert "OPENAI_API_KEY" in estimate["missing_keys"]


@pytest.mark.parametrize("name", ["nq", "garage"])
def test_the_four_models_generate_and_judge_as_in_the_authors_code(name: str) -> None:
    config = load_config(data_folder("base_sets") / f"paper-{name}.build.yaml")
    panel = load_panel(Path("verifiers/paper.yaml"), Path())
    assert {generator.name: generator.model for generator in config.generators} == IDENTIFIERS
    assert [verifier.settings() for verifier in config.verifiers] == [
        generator.settings() for generator in config.generators
    ]
    assert [verifier.settings() for verifier in panel.verifiers] == [
        generator.settings() for generator in config.generators
    ]
    assert {(verifier.params["temperature"], verifier.params["top_p"]) for verifier in panel.verifiers} == {
        (0.1, 0.99)
    }
    assert (config.lever_choice, config.levers) == ("generator", ())
    quota = {"nq": ("balanced", 400, 22), "garage": ("natural", 400, 22)}[name]
    assert (config.select.strategy, config.select.per_generator, config.select.min_per_cell) == quota
