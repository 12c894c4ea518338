"""`perturb build` with models and base sets on the command line: what is used, what it is called, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.config import current_round, load_config
from tests.building import content_of, perturb, serve, write_config

CSV = (
    "query,context,answers\n"
    "When was the bridge of Alden opened?,The bridge of Alden was opened in 1932. Ada Stone built it.,1932\n"
    "Who built the bridge of Alden?,The bridge of Alden was opened in 1932. Ada Stone built it.,Ada Stone\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a base set `q.csv`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def build_json(*options: str) -> dict[str, Any]:
    ended = perturb("build", "--json", *options)
    facts: dict[str, Any] = ended.json
    return facts


def stored(run: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(Path(run, "build.yaml").read_text(encoding="utf-8"))
    return content


def test_models_of_the_command_line_build_and_stand_in_the_stored_configuration(folder: Path) -> None:
    with serve() as server:
        options = ["--base-set", "q.csv", "--generator", "hosted_vllm/g", "--api-base", server.url]
        options += ["--verifier", "hosted_vllm/v1", "--verifier", "hosted_vllm/v2"]
        ended = perturb("build", *options, cwd=folder)
        assert ended.returncode == 0, ended.stderr
        assert "rule engine" not in ended.stdout
        first, calls = stored("outputs/q"), server.counters.total
        assert calls > 0
        assert [one["model"] for one in first["generators"]] == ["hosted_vllm/g"]
        assert [one["model"] for one in first["panel"]["verifiers"]] == ["hosted_vllm/v1", "hosted_vllm/v2"]
        assert {one["api_base"] for one in first["generators"] + first["panel"]["verifiers"]} == {server.url}
        again = perturb("build", "outputs/q/build.yaml", "--json", cwd=folder)
        assert (again.json["run"], server.counters.total) == ("outputs/q", calls)
    assert build_json("--base-set", "q.csv", "--generator", "openai/m", "--budget-usd", "5", "--dry-run")


def test_the_budget_of_the_command_line_is_the_one_of_the_configuration(folder: Path) -> None:
    build_json("--base-set", "q.csv", "--budget-usd", "5")
    assert stored("outputs/q")["budget_usd"] == 5


def test_a_round_goes_by_the_quarter_until_it_has_a_name(folder: Path) -> None:
    build_json("--base-set", "q.csv")
    assert stored("outputs/q")["round"] == current_round()
    build_json("--base-set", "q.csv", "--name", "mine", "--round", "first")
    build_json("--base-set", "q.csv", "--name", "mine")
    assert stored("outputs/mine")["round"] == "first"
    build_json("--demo", "rules", "--limit", "1")
    assert stored("outputs/rules")["round"] == "demo"
    assert perturb("init").returncode == 0
    assert load_config(folder / "build.yaml").round == current_round()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--base-set", "q.csv"), "The rule engine writes and offline checks verify: "),
        (("--demo", "rules", "--base-set", "q.csv"), "The rule engine writes and offline checks verify: "),
        (("--base-set", "q.csv", "--verifier", "openai/v", "--dry-run"), "The rule engine writes: "),
        (("--base-set", "q.csv", "--generator", "openai/g", "--dry-run"), "Offline checks verify: "),
    ],
)
def test_the_first_line_says_what_works_without_models(
    folder: Path, options: tuple[str, ...], words: str
) -> None:
    ended = perturb("build", *options)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.startswith(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("build.yaml", "--generator", "openai/g"), "--generator: build.yaml names the models"),
        (("build.yaml", "--verifier", "openai/v"), "--verifier: build.yaml names the models"),
        (("--demo", "rules", "--generator", "openai/g"), "--generator: --demo rules asks no models"),
        (("--generator", "openai/g", "--generator", "openai/g"), "is given 2 times"),
        (("--api-base", "http://localhost"), "--api-base is the server of --generator and --verifier"),
        (("--api-base", "http://a:b@c", "--generator", "openai/g"), "--api-base: the address holds a secret"),
        (("--base-set", "q.csv", "--budget-usd", "-1"), "--budget-usd must be"),
    ],
)
def test_what_contradicts_itself_is_refused(folder: Path, options: tuple[str, ...], words: str) -> None:
    write_config(folder, content_of("http://127.0.0.1:1"))
    ended = perturb("build", *options, cwd=folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert not (folder / "outputs").exists()
