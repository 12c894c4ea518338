"""Which room may import which: the walls of the design, held over the import statements."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from perturb.building.run import build
from perturb.config import default_config

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "perturb"


def imports_of(path: Path) -> Iterator[str]:
    """The absolute names that a module imports, wherever in it."""
    package = path.relative_to(ROOT).with_suffix("").parts[: None if path.name == "__init__.py" else -1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")


MODULES = {name_of(path): set(imports_of(path)) for path in sorted(PACKAGE.rglob("*.py"))}


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def importers(room: str) -> set[str]:
    """The modules outside a room that import something of it."""
    return {
        module
        for module, names in MODULES.items()
        if not within(module, room) and any(within(name, room) for name in names)
    }


def reached_from(room: str) -> set[str]:
    """Every module of ours that a room imports, directly or through others."""
    reached: set[str] = set()
    waiting = [module for module in MODULES if within(module, room)]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            # the package itself loads the names of its interface when they are used
            waiting += [name for name in MODULES[module] if name in MODULES and name != "perturb"]
    return reached


def test_the_records_import_nothing_of_ours() -> None:
    for module in ("perturb.records", "perturb.errors"):
        assert not {name for name in MODULES[module] if within(name, "perturb")}


def test_the_root_holds_three_modules_and_at_most_sixteen_packages() -> None:
    inside = [path for path in PACKAGE.iterdir() if path.name not in ("__pycache__", "_data", "py.typed")]
    assert {path.name for path in inside if path.suffix == ".py"} == {
        *("__init__.py", "__main__.py"),
        *("errors.py", "records.py", "config.py"),
    }
    assert len([path for path in inside if path.is_dir()]) <= 16


def test_nothing_below_the_command_line_imports_it() -> None:
    assert importers("perturb.cli") == {"perturb.__main__"}


@pytest.mark.parametrize(
    ("library", "home"),
    [
        ("litellm", {"perturb.llm.remote"}),
        ("huggingface_hub", {"perturb.snapshots.hub"}),
        ("jinja2", {"perturb.files.templating"}),
    ],
)
def test_a_library_has_one_home(library: str, home: set[str]) -> None:
    assert importers(library) == home


@pytest.mark.parametrize("room", ["perturb.metrics", "perturb.building.offline", "perturb.snapshots.select"])
def test_rooms_that_compute_never_reach_a_model(room: str) -> None:
    inside = [module for module in MODULES if within(module, room)]
    assert inside
    assert not [module for module in reached_from(room) if within(module, "perturb.llm")]


@pytest.mark.parametrize("module", ["audit_report", "judge_audit", "review_agreement"])
def test_the_audit_calls_no_model(module: str) -> None:
    # It reads the ledger, whose writing side knows what a call is.
    assert "perturb.llm.remote" not in reached_from(f"perturb.auditing.{module}")


def room_of(module: str) -> str:
    """The folder or the single module of the package that a module stands in."""
    return module.split(".")[1] if "." in module else module


def graph_of(place: Callable[[str], str]) -> dict[str, set[str]]:
    """Which places (rooms or modules) import which others."""
    graph: dict[str, set[str]] = {}
    for module, names in MODULES.items():
        # `from package import module` names both; the module is meant.
        packages = {
            name
            for name in names
            for other in names
            if other in MODULES and within(other, name) and other != name
        }
        ours = {place(name) for name in names - packages if name in MODULES and name != "perturb"}
        graph.setdefault(place(module), set()).update(ours - {place(module)})
    return graph


@pytest.mark.parametrize("place", [room_of, str], ids=["rooms", "modules"])
def test_nothing_imports_in_a_circle(place: Callable[[str], str]) -> None:
    TopologicalSorter(graph_of(place)).prepare()  # raises CycleError, which names the places


def test_the_map_for_contributors_shows_every_room_below_those_it_imports() -> None:
    text = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("| package or module |")[2]
        .partition("\n\n")[0]
    )
    rows = [re.findall(r"\w+", row.split("|")[1]) for row in text.splitlines()[2:]]
    place = {room: number for number, row in enumerate(rows) for room in row}
    ours = {module: room_of(module) for module in MODULES if room_of(module) not in ("perturb", "__main__")}
    assert sorted(place) == sorted(set(ours.values()))
    for module, room in ours.items():
        below = {name for name in MODULES[module] if name in ours and place[ours[name]] > place[room]}
        assert not below, f"{module} imports what stands below it in the map"


def test_metrics_stand_alone() -> None:
    assert {name for name in reached_from("perturb.metrics") if not within(name, "perturb.metrics")} <= {
        "perturb.errors"
    }


def test_the_checking_rules_share_nothing_with_the_generating_ones() -> None:
    offline = {name for name in MODULES if name.startswith("perturb.building.offline.")}
    checking, reached = set[str](), {"perturb.building.offline.judge"}
    while reached - checking:
        checking |= reached
        reached = {name for module in checking for name in MODULES[module] if name in offline}
    generating = MODULES["perturb.building.offline.engine"] & offline
    assert generating
    assert not checking & generating


def test_nothing_of_the_package_imports_the_tests() -> None:
    assert importers("tests") == set()


def loaded_by(arguments: list[str], libraries: tuple[str, ...]) -> list[str]:
    """Which of the libraries a command has imported when it ends, in a process of its own."""
    code = (
        "import sys; from perturb.cli.entry import main\n"
        "try: main()\n"
        f"except SystemExit: print([name for name in {libraries!r} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
    )
    listed: list[str] = ast.literal_eval(ended.stderr.splitlines()[-1])
    return listed


@pytest.mark.parametrize("command", [[], ["build"], ["levers"], ["status"]])
def test_the_help_pulls_in_no_heavy_library(command: list[str]) -> None:
    heavy = (
        "litellm",
        "datasets",
        "pandas",
        "sklearn",
        "numpy",
        "scipy",
        "pyarrow",
        "huggingface_hub",
        "matplotlib",
        "aiohttp",
        "httpx",
        "jinja2",
        "yaml",
        "rich",
    )
    assert loaded_by([*command, "--help"], heavy) == []


def test_status_and_levers_need_no_library_for_tables(tmp_path: Path) -> None:
    config = default_config()
    build(config.model_copy(update={"base_set": config.base_set.model_copy(update={"limit": 1})}), tmp_path)
    heavy = ("pandas", "numpy", "pyarrow", "litellm", "jinja2")
    assert loaded_by(["status", str(tmp_path)], heavy) == []
    assert loaded_by(["levers"], heavy) == []


def test_an_offline_build_never_imports_litellm(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from perturb.config import default_config\n"
        "from perturb.building.run import build\n"
        "config = default_config()\n"
        "one = config.model_copy(update={'base_set': config.base_set.model_copy(update={'limit': 1})})\n"
        f"build(one, Path({str(tmp_path / 'run')!r})); print('litellm' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.returncode) == ("False\n", 0), ended.stderr
