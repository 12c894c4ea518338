"""The wheel: what it carries, and that it works where no checkout is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from perturb.files.resources import DATA_FOLDERS

ROOT = Path(__file__).resolve().parents[1]


def test_one_version_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == version
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    named = re.findall(r"^## \[(.+?)\] - (?:unreleased|\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    assert named[0] == version
    linked = re.findall(r"^\[(.+?)\]: \.\./\.\./(?:releases/tag|compare)/\S*v(\S+)$", changelog, re.MULTILINE)
    assert linked == [(one, one) for one in named], "each version is linked to its tag"


def test_hosted_files_are_well_formed_and_the_container_copies_what_the_wheel_needs() -> None:
    for path in [*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml"]:
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
    container = (ROOT / ".github" / "Containerfile").read_text(encoding="utf-8")
    assert set(re.findall(r"^COPY (\w+) ", container, flags=re.MULTILINE)) == {"perturb", *DATA_FOLDERS}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    ended = subprocess.run(build, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return next(folder.glob("*.whl"))


def test_the_wheel_adds_one_package_and_holds_the_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert "perturb" in tops
    assert [name.partition("-")[0] for name in tops - {"perturb"}] == ["refusalbench_builder"]
    for folder in DATA_FOLDERS:
        tracked = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        carried = {
            name.removeprefix("perturb/_data/")
            for name in names
            if name.startswith(f"perturb/_data/{folder}/")
        }
        assert carried == tracked
        assert carried
    assert "perturb/py.typed" in names
    assert not [name for name in names if "tests" in Path(name).parts]


@pytest.mark.slow
def test_an_installed_wheel_builds_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    target, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    ended = subprocess.run(install, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    env = {**os.environ, "PYTHONPATH": str(target), "PYTHONSAFEPATH": "1"}

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, *arguments], cwd=work, env=env, capture_output=True, text=True, timeout=120
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert run("-c", "import perturb; print(perturb.__file__)").startswith(str(target))
    for command in ("perturb", "refusalbench-builder"):  # uvx and pipx look for the distribution's name
        assert run(str(target / "bin" / command), "--help").startswith("Usage: perturb ")
    assert len(json.loads(run("-m", "perturb", "levers", "--json"))) == 176
    facts = json.loads(run("-m", "perturb", "build", "--demo", "rules", "--limit", "3", "--json"))
    assert facts["rows"] > 0
    assert (work / "outputs" / "rules" / "snapshot" / "README.md").exists()
