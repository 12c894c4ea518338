"""The build configuration: what it understands, and how it refuses the rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from perturb.config import BuildConfig, ModelEntry, default_config, expand, load_config, load_panel
from perturb.errors import ConfigError
from perturb.files.resources import data_folder
from perturb.files.yaml_files import YamlFile
from perturb.records import ALL_CELLS, Cell, Intensity, PerturbationClass

GOOD = """name: mine
round: 2026-Q4
seed: 7
base_set: {path: base.jsonl, limit: 10}
generators:
  - name: gpt
    model: openai/gpt-4o
    api_key_env: MY_KEY
    params: {temperature: 0.1}
  - {name: rules, kind: rules}
panel:
  consensus: k_of_n
  k: 1
  verifiers:
    - {name: judge, model: hosted_vllm/judge, api_base: "${JUDGE_URL}"}
    - {name: words, kind: rules, check: fluency}
select: {strategy: natural}
"""


def load(folder: Path, text: str | bytes = GOOD) -> BuildConfig:
    path = folder / "build.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_config(path)


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert (config.name, config.round, config.seed) == ("mine", "2026-Q4", 7)
    assert config.base_set.path == tmp_path / "base.jsonl"
    assert config.chosen_cells == ALL_CELLS
    assert [entry.name for entry in config.generators] == ["gpt", "rules"]
    assert [entry.check for entry in config.verifiers] == [None, "fluency"]
    assert config.resolved_panel.needed == 1
    assert config.budget_usd is None


def test_the_offline_default_needs_nothing() -> None:
    config = default_config()
    assert [entry.kind for entry in config.generators] == ["rules"]
    assert {entry.kind for entry in config.verifiers} == {"rules"}
    assert config.resolved_panel.name == "offline"
    assert config.base_set.demo == "demo"


def test_the_file_of_init_can_be_loaded() -> None:
    assert load_config(data_folder("base_sets") / "init.build.yaml").name == "my-benchmark"


REPLACEMENTS = [
    ("seed: 7", "seeds: 7", 3, "unknown key 'seeds': did you mean 'seed'?"),
    ("round: 2026-Q4", "ronud: 2026-Q4", 2, "unknown key 'ronud': did you mean 'round'?"),
    ("seed: 7", "planted: 7", 3, "unknown key 'planted': put it under 'panel'"),
    ("seed: 7", "colour: 7", 3, "unknown key 'colour': remove it"),
    (
        "    model: openai/gpt-4o",
        "    modle: openai/gpt-4o",
        7,
        "unknown key 'generators[0].modle': did you mean 'model'?",
    ),
    (
        "kind: rules, check: fluency",
        "kind: rules, chek: fluency",
        16,
        "unknown key 'panel.verifiers[1].chek': did you mean 'check'?",
    ),
    ("  k: 1\n", "", 11, "'k' goes with 'consensus: k_of_n'"),
    ("  k: 1", "  k: 3", 11, "'k' is 3, but the panel has 2 verifiers"),
    ("  k: 1", "  k: 0", 13, "field 'panel.k'"),
    ("k_of_n", "most", 12, "field 'panel.consensus'"),
    ("name: mine", "name: ../up", 1, "field 'name'"),
    ("name: mine", "name: ''", 1, "field 'name'"),
    ("name: mine\n", "", 1, "field 'name' is missing"),
    ("round: 2026-Q4", "round: [1]", 2, "field 'round'"),
    ("round: 2026-Q4", "round: true", 2, "field 'round'"),
    ("seed: 7", "seed: seven", 3, "field 'seed'"),
    ("seed: 7", "seed: 7\nseed: 8", 4, "key 'seed' appears twice (first in line 3)"),
    ("{path: base.jsonl, limit: 10}", "{limit: 10}", 4, "give either 'path'"),
    ("{path: base.jsonl, limit: 10}", "{path: a, demo: demo}", 4, "give either 'path'"),
    ("limit: 10", "limit: 0", 4, "field 'base_set.limit'"),
    ("  - {name: rules, kind: rules}", "  - {name: gpt, kind: rules}", 5, "two generators are called 'gpt'"),
    ("{name: words", "{name: judge", 14, "two verifiers are called 'judge'"),
    ("    api_key_env: MY_KEY", "    api_key_env: sk-abc-123", 8, "never the key itself"),
    ("temperature: 0.1", "api_key: abc", 9, "'api_key' may not stand here"),
    ("temperature: 0.1", "extra_headers: [{Authorization: x}]", 9, "'Authorization' may not stand here"),
    ("temperature: 0.1", "temperature: .nan", 9, "JSON has no word for"),
    ("temperature: 0.1", "day: 2026-01-01", 9, "JSON has no word for"),
    ('"${JUDGE_URL}"', "http://me:pw@host/v1", 15, "the address holds a secret"),
    ('"${JUDGE_URL}"', "http://host/v1?api_key=abc", 15, "the address holds a secret"),
    (", kind: rules, check: fluency", ", kind: rules", 16, "'check' names an offline check"),
    ("{name: rules, kind: rules}", "{name: rules, kind: rules, model: x/y}", 10, "takes no model"),
    ("    model: openai/gpt-4o\n", "", 6, "needs 'model'"),
    ("    params", "    timeout: 0\n    params", 9, "field 'generators[0].timeout'"),
    ("    params", "    timeout: .inf\n    params", 9, "field 'generators[0].timeout'"),
    ("    params", "    max_connections: 0\n    params", 9, "field 'generators[0].max_connections'"),
    ("seed: 7", "executor: {kind: ray, workers: 1025}", 3, "field 'executor.workers'"),
    ("    params", "    price: {input: 1}\n    params", 9, "field 'generators[0].price.output' is missing"),
    ("natural}", "balanced, per_generator: 10}", 17, "need 396 rows, but per_generator is 10"),
    ("natural}", "best}", 17, "field 'select.strategy'"),
    ("seed: 7", "cells: []", 3, "name at least one cell"),
    ("seed: 7", "cells: some", 3, "field 'cells'"),
    ("seed: 7", "cells:\n - {class: P-X, intensity: LOW}", 4, "field 'cells[0].class'"),
    ("seed: 7", "cells:\n - {class: P-Ambiguity}", 4, "field 'cells[0].intensity' is missing"),
    ("seed: 7", "budget_usd: 0", 3, "field 'budget_usd'"),
    ("seed: 7", "budget_usd: .inf", 3, "field 'budget_usd'"),
    ("seed: 7", "replicates: 0", 3, "field 'replicates'"),
    ("seed: 7", "executor: cloud", 3, "field 'executor'"),
    ("seed: 7", "generators: []", 5, "key 'generators' appears twice (first in line 3)"),
    ("seed: 7", "seed: [7", 4, "not valid YAML"),
    ("seed: 7", "? [a, b]\n: 7", 3, "not valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), REPLACEMENTS)
def test_bad_values_are_refused_at_their_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert GOOD.count(old) == 1
    message = refusal(tmp_path, GOOD.replace(old, new))
    assert message.startswith(f"build.yaml:{line}: "), message
    assert words in message


@pytest.mark.parametrize("panel", ["5", "[a]", "null"])
def test_a_panel_is_a_path_or_a_mapping(tmp_path: Path, panel: str) -> None:
    text = GOOD[: GOOD.index("panel:")] + f"panel: {panel}\n"
    assert refusal(tmp_path, text).startswith("build.yaml:11: field 'panel': give the path")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must hold a mapping"),
        ("[1, 2]", "must hold a mapping"),
        (b"name: \xff", "not UTF-8 text at byte 6"),
        ("name: a\x07b", "not valid YAML"),
        ("name: !!python/object:os.system x", "not valid YAML"),
        ("&a [*a]", "not valid YAML"),
        ("a: " + "[" * 20_000, "not valid YAML"),
    ],
)
def test_files_that_are_no_configuration_are_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    message = refusal(tmp_path, text)
    assert message.startswith("build.yaml")
    assert words in message


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="is a folder: name the file in it"):
        load_config(tmp_path)


@pytest.mark.parametrize(
    ("written", "read"), [("2026", "2026"), ("2026-10-01", "2026-10-01"), ("'007'", "007"), ("a b", "a b")]
)
def test_a_round_may_look_like_a_number_or_a_date(tmp_path: Path, written: str, read: str) -> None:
    assert load(tmp_path, GOOD.replace("2026-Q4", written)).round == read


def test_cells_come_in_the_order_of_the_taxonomy_and_once(tmp_path: Path) -> None:
    cells = (
        "cells: [{class: P-FalsePremise, intensity: HIGH}, {class: P-Ambiguity, intensity: LOW},"
        " {class: P-FalsePremise, intensity: HIGH}]"
    )
    config = load(tmp_path, GOOD.replace("seed: 7", cells))
    assert config.chosen_cells == (
        Cell(PerturbationClass.AMBIGUITY, Intensity.LOW),
        Cell(PerturbationClass.FALSE_PREMISE, Intensity.HIGH),
    )


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "my-panel.yaml").write_text("verifiers: [{name: w, kind: rules, check: fluency}]\n")
    text = GOOD[: GOOD.index("panel:")] + "panel: my-panel.yaml\nlevers: [own]\nselect: {strategy: natural}\n"
    config = load(folder, text)
    assert config.resolved_panel.name == "my-panel"
    assert config.levers == (folder / "own",)
    assert config.base_set.path == folder / "base.jsonl"


@pytest.mark.parametrize("name", ["offline", "paper", "local"])
def test_embedded_panels_are_found_from_anywhere(tmp_path: Path, name: str) -> None:
    assert load_panel(Path(f"verifiers/{name}.yaml"), tmp_path).name == name


def test_a_panel_file_of_ones_own_comes_first(tmp_path: Path) -> None:
    (tmp_path / "verifiers").mkdir()
    (tmp_path / "verifiers" / "offline.yaml").write_text(
        "verifiers: [{name: w, kind: rules, check: fluency}]\n"
    )
    assert len(load_panel(Path("verifiers/offline.yaml"), tmp_path).verifiers) == 1


def test_a_missing_panel_file_is_refused_with_the_embedded_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"embedded panels: local, offline, paper"):
        load_panel(Path("verifiers/none.yaml"), tmp_path)


def test_a_bad_panel_file_is_refused_at_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("schedule: full\nverifiers: [{name: w, kind: rules, chek: a}]\n")
    message = refusal(tmp_path, GOOD[: GOOD.index("panel:")] + "panel: p.yaml\n")
    assert message.startswith("p.yaml:2: unknown key 'verifiers[0].chek'")


# -- the environment -------------------------------------------------------------------------------------------


def test_variables_are_put_in_only_when_a_model_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_URL", "http://somewhere:1/v1")
    config = load(tmp_path)
    assert config.verifiers[0].api_base == "${JUDGE_URL}"
    assert config.verifiers[0].settings().api_base == "http://somewhere:1/v1"
    assert "somewhere" not in config.to_yaml()


def test_an_unset_variable_is_named_with_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGE_URL", raising=False)
    with pytest.raises(ConfigError, match="model 'judge': environment variable JUDGE_URL is not set"):
        load(tmp_path).verifiers[0].settings()


def test_variables_are_put_in_at_any_depth_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "${B}")
    monkeypatch.setenv("B", "no")
    value: dict[str, Any] = {"x": ["${A}!", {"y": "a${B}b"}], "n": 1}
    assert expand(value, "m") == {"x": ["${B}!", {"y": "anob"}], "n": 1}


def test_the_stored_form_reads_back_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "the-key-itself")
    config = load(tmp_path)
    text = config.to_yaml()
    assert "the-key-itself" not in text
    again = tmp_path / "again.yaml"
    again.write_text(text, encoding="utf-8")
    assert load_config(again) == config
    assert load_config(again).to_yaml() == text


def test_fingerprints_follow_what_decides_a_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_URL", "http://a/v1")

    def fingerprint(old: str = "", new: str = "") -> str:
        return load(tmp_path, GOOD.replace(old, new) if old else GOOD).generators[0].settings().fingerprint()

    assert fingerprint("temperature: 0.1", "temperature: 0.2") != fingerprint()
    assert fingerprint("gpt-4o", "gpt-4o-mini") != fingerprint()
    assert fingerprint("    params", "    rpm: 5\n    params") == fingerprint()
    assert fingerprint("MY_KEY", "OTHER_KEY") == fingerprint()
    assert fingerprint("name: gpt", "name: other") == fingerprint()


def test_a_server_that_moves_keeps_the_jobs_of_its_model() -> None:
    entry = {"name": "own", "model": "hosted_vllm/tiny", "params": {"temperature": 0}}
    here, there = (
        ModelEntry(**entry, api_base=f"http://127.0.0.1:{port}/v1").settings() for port in (8001, 8002)
    )
    assert here.identity() == there.identity() != ModelEntry(**{**entry, "params": {}}).settings().identity()
    assert here.fingerprint() != there.fingerprint()


NESTED = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
MERGED = "a0: &a0 {k: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NESTED, "its aliases stand for more than 1,000,000 values: write out fewer"),
        (MERGED, "its aliases stand for more than 1,000,000 values: write out fewer"),
        (f"{NESTED}? *a9\n: 1\n", "its aliases stand for more than 1,000,000 values: write out fewer"),
        (
            "name: x\na: &a [*a]\n",
            "build.yaml:2: not valid YAML: it holds itself as an alias: cut the circle",
        ),
        ("[" * 100_000, "not valid YAML: nested more than 100 deep: write it flatter"),
        ("# " + "x" * 2**24, "has more than 16,777,216 bytes: name the right file"),
    ],
    ids=["nested", "merged", "key", "circle", "deep", "long"],
)
def test_no_file_takes_all_memory_or_time(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "build.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(words)) as caught:
        load_config(path)
    assert "\n" not in str(caught.value)


def test_an_alias_may_be_used(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("a: &a [1, 2]\nb: *a\n", encoding="utf-8")
    assert YamlFile(path).content == {"a": [1, 2], "b": [1, 2]}


def test_floors_that_fit_exactly_are_taken(tmp_path: Path) -> None:
    text = GOOD.replace("natural}", "balanced, per_generator: 396}")
    (tmp_path / "build.yaml").write_text(text, encoding="utf-8")
    assert load_config(tmp_path / "build.yaml").select.per_generator == 396


def test_a_folder_of_levers_beside_the_file_goes_before_an_embedded_one_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "build.yaml"
    path.write_text(f"{GOOD}levers: [levers/side-clause]\n", encoding="utf-8")
    assert load_config(path).levers == (Path("levers/side-clause"),)
    (tmp_path / "levers" / "side-clause").mkdir(parents=True)
    assert load_config(path).levers == (tmp_path / "levers" / "side-clause",)
