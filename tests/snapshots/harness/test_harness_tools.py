"""Other harnesses run a snapshot: the prompts that reach the model are ours, and so are the scores.

`make harness` installs them. Nothing but the loopback interface is reached.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from perturb.evaluation.adapters import kind_request
from perturb.metrics.outcomes import ANSWER, READINGS, BehaviourKind, predicted_behaviour
from perturb.snapshots.publish import publish
from perturb.snapshots.settings import load_setting
from perturb.snapshots.snapshot import Snapshot, check_snapshot
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns
from tests.loopback_hub import LoopbackHub
from tests.snapshots.harness.replies import KnownModel, known_replies, our_scores
from tests.snapshots.harness.snapshots import items_of, write_both

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PLAIN = load_setting("plain")
OURS = (
    *(
        "refusal_accuracy",
        "false_refusal_rate",
        "missed_refusal_rate",
        "refusal_rate",
        "correct_refusal_rate",
    ),
    *("detection_precision", "detection_recall", "detection_f1", "category_accuracy"),
    "hierarchical_refusal_score",
)
"""Metrics that need no judge."""


def tool(venv: str, name: str) -> str:
    """The path of a harness; skips where it is not installed, but not in CI."""
    path = ROOT / venv / "bin" / name
    if not path.exists():
        missing = f"{name} is not installed in {venv}: run `make harness`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return str(path)


@dataclass(frozen=True)
class Bench:
    """A snapshot, a model of known replies that is served, and what we score it."""

    snapshot: Snapshot
    model: KnownModel
    url: str
    said: dict[str, str]
    scores: dict[str, float | None]

    def run(self, *arguments: str, cwd: Path, **variables: str) -> None:
        """Run a harness from the shell, without a network."""
        environment = {
            **os.environ,
            # Python would write compiled task files into the snapshot, which would then not match its manifest.
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(cwd),
            "HF_HOME": str(cwd / "hf"),
            "HF_HUB_OFFLINE": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_HUB_DISABLE_XET": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_API_KEY": "none",
            "LOOPBACK_API_KEY": "none",
            "LOOPBACK_BASE_URL": self.url,
            **variables,
        }
        done = subprocess.run(
            arguments, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def prompts_to(self, model: str) -> list[str]:
        """The distinct prompts that a model got, each of which was a conversation of a single message."""
        requests = self.model.asked[model]
        assert {len(messages) for messages in requests} == {1}
        assert {messages[0]["role"] for messages in requests} == {"user"}
        return sorted({messages[0]["content"] for messages in requests})

    def expected(self, *names: str) -> dict[str, Any]:
        """Our scores of these metrics, for comparison."""
        return {name: pytest.approx(self.scores[name]) for name in names}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The bench that all harnesses share."""
    folder = tmp_path_factory.mktemp("bench")
    snapshot = write_both(folder / "snapshot")
    said = known_replies(snapshot)
    model = KnownModel(said)
    with LoopbackServer(model) as server:
        yield Bench(snapshot, model, server.url, said, our_scores(folder, snapshot, server.url))
    assert check_snapshot(snapshot.folder) == (), "a harness changed the snapshot"


def test_the_known_replies_tell_the_metrics_apart(bench: Bench) -> None:
    values = [bench.scores[name] for name in OURS if name != "detection_recall"]
    assert None not in values
    assert 0.0 not in values
    assert 1.0 not in values
    assert bench.scores["category_accuracy"] != bench.scores["refusal_accuracy"]


def test_inspect_runs_the_task_file(bench: Bench, tmp_path: Path) -> None:
    bench.run(
        *(tool(".venv-harness", "inspect"), "eval"),
        f"{bench.snapshot.folder}/harness/inspect_task.py@perturb",
        *("--model", "openai-api/loopback/inspect", "--log-format", "json", "--log-dir", "logs"),
        cwd=tmp_path,
    )
    (log,) = map(read, (tmp_path / "logs").glob("*.json"))
    (result,) = log["results"]["scores"]
    metrics = {name: entry["value"] for name, entry in result["metrics"].items()}
    assert bench.prompts_to("inspect") == sorted(bench.said)
    assert metrics.pop("answer_match") == pytest.approx(2 / 12)
    assert metrics == bench.expected(*OURS)


class PlainModel:
    """Gives each question of the plain prompt a reply, and names the kinds of those replies as `grader`."""

    REPLIES = (
        ("The passages do not say.", "refuses_right_reason"),
        ("I cannot help with that.", "refuses_other_reason"),
        ("Which mill do you mean?", "asks_back"),
        ("It was either Ada or Eve.", "lists_versions"),
        ("It was {answer}.", "answers"),
        ("Let me think", "no kind at all"),
    )

    def __init__(self, snapshot: Snapshot) -> None:
        self.items = items_of(snapshot)
        self.number = {
            PLAIN.messages(item)[-1].content: number for number, item in enumerate(self.items.values())
        }
        self.asked: defaultdict[str, list[Turns]] = defaultdict(list)

    def kind(self, number: int) -> str:
        """The kind of the reply to an item, by its place in the snapshot."""
        return self.REPLIES[number % len(self.REPLIES)][1]

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model`."""
        self.asked[model].append(messages)
        if model == "grader":
            judged = json.loads(str(messages[-1]["content"]))
            number = next(n for n, item in enumerate(self.items.values()) if item.query == judged["query"])
            return json.dumps({"kind": self.kind(number), "reason": ""})
        text = str(messages[-1]["content"])
        number = self.number.get(text, self.number.get(text.partition("\n\n")[2], -1))
        item = list(self.items.values())[number]
        return self.REPLIES[number % len(self.REPLIES)][0].format(answer=item.answers[0])

    def answered(self, answerable: bool) -> float:
        """The share of items whose reply holds an accepted answer."""
        places = [n for n, item in enumerate(self.items.values()) if item.answerable is answerable]
        return sum(self.kind(n) == "answers" for n in places) / len(places)


@pytest.fixture
def plain(bench: Bench) -> Iterator[tuple[Bench, PlainModel]]:
    """The bench with a model that is asked in the setting `plain`."""
    model = PlainModel(bench.snapshot)
    with LoopbackServer(model) as server:
        yield replace(bench, url=server.url), model


def test_inspect_judges_free_replies_with_our_prompt(plain: tuple[Bench, PlainModel], tmp_path: Path) -> None:
    bench, model = plain
    bench.run(
        *(tool(".venv-harness", "inspect"), "eval"),
        f"{bench.snapshot.folder}/harness/inspect_task.py@perturb_plain",
        *("--model", "openai-api/loopback/inspect", "--model-role", "grader=openai-api/loopback/grader"),
        *("--log-format", "json", "--log-dir", "logs"),
        cwd=tmp_path,
    )
    (log,) = map(read, (tmp_path / "logs").glob("*.json"))
    metrics = {name: entry["value"] for name, entry in log["results"]["scores"][0]["metrics"].items()}
    messages = [[message.content for message in PLAIN.messages(item)] for item in model.items.values()]
    assert sorted([turn["content"] for turn in asked] for asked in model.asked["inspect"]) == sorted(messages)
    assert {str(asked[0]["content"]) for asked in model.asked["grader"]} == {
        kind_request(next(iter(model.items.values())), "A reply").messages[0].content
    }
    pairs = [(item, model.kind(number)) for number, item in enumerate(model.items.values())]
    scored = [(item, kind) for item, kind in pairs if kind in list(BehaviourKind)]
    assert metrics["unscored"] == pytest.approx(1 - len(scored) / len(pairs))
    assert metrics["answer_match"] == pytest.approx(model.answered(True))
    for reading in READINGS:
        predicted = [
            (item, predicted_behaviour(kind, item.expected_behavior, reading)) for item, kind in scored
        ]
        refuse = [(item.expected_behavior, code) for item, code in predicted if not item.answerable]
        refused = [pair for pair in refuse if pair[1] != ANSWER]
        falsely = [code != ANSWER for item, code in predicted if item.answerable]
        right = sum(expected == code for expected, code in refused)
        expected = {
            "correct_refusal_rate": len(refused) / len(refuse),
            "refusal_accuracy": right / len(refuse),
            "category_accuracy": right / len(refused),
            "false_refusal_rate": sum(falsely) / len(falsely),
        }
        ours = {name: metrics[f"{reading}_{name}"] for name in expected}
        assert ours == pytest.approx(expected), reading


def test_inspect_asks_for_a_judge_of_free_replies(plain: tuple[Bench, PlainModel], tmp_path: Path) -> None:
    bench, _ = plain
    bench.run(
        *(tool(".venv-harness", "inspect"), "eval"),
        f"{bench.snapshot.folder}/harness/inspect_task.py@perturb_plain",
        *("--model", "openai-api/loopback/inspect", "--log-format", "json", "--log-dir", "logs"),
        cwd=tmp_path,
    )
    (log,) = map(read, (tmp_path / "logs").glob("*.json"))
    assert log["status"] == "error"
    assert "Model role 'grader' is required" in log["error"]["message"]


def test_lm_eval_runs_the_plain_tasks(plain: tuple[Bench, PlainModel], tmp_path: Path) -> None:
    bench, model = plain
    bench.run(
        *(tool(".venv-harness", "lm_eval"), "run", "--model", "local-chat-completions"),
        *("--model_args", f"model=lm,base_url={bench.url}/chat/completions,num_concurrent=4"),
        *("--tasks", "perturb_plain", "--include_path", f"{bench.snapshot.folder}/harness/lm_eval"),
        *("--apply_chat_template", "--output_path", "out"),
        cwd=tmp_path,
    )
    (path,) = (tmp_path / "out").rglob("results_*.json")
    results = read(path)["results"]
    messages = [[message.content for message in PLAIN.messages(item)] for item in model.items.values()]
    assert sorted([turn["content"] for turn in asked] for asked in model.asked["lm"]) == sorted(messages)
    given = results["perturb_plain_refusal"]["original_answer_given,none"]
    assert given == pytest.approx(model.answered(False))
    assert results["perturb_plain_answer"]["answer_match,none"] == pytest.approx(model.answered(True))


def test_lighteval_runs_the_plain_tasks(plain: tuple[Bench, PlainModel], tmp_path: Path) -> None:
    bench, model = plain
    bench.run(
        *(tool(".venv-lighteval", "lighteval"), "endpoint", "litellm"),
        f"model_name=openai/light,base_url={bench.url},api_key=none",
        *("perturb_plain_refusal,perturb_plain_answer", "--output-dir", "out"),
        *("--custom-tasks", f"{bench.snapshot.folder}/harness/lighteval_task.py"),
        cwd=tmp_path,
    )
    (path,) = (tmp_path / "out").rglob("results_*.json")
    results = read(path)["results"]
    texts = {
        "\n\n".join(message.content for message in PLAIN.messages(item)) for item in model.items.values()
    }
    assert {asked[0]["content"] for asked in model.asked["light"]} == texts
    assert results["perturb_plain_refusal|0"] == {
        "original_answer_given": pytest.approx(model.answered(False))
    }
    assert results["perturb_plain_answer|0"] == {"answer_match": pytest.approx(model.answered(True))}


# huggingface_hub sends large files in a way that httpx warns about.
@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_runs_eval_yaml_from_the_hub(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect = tool(".venv-harness", "inspect")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "ours"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    with LoopbackHub() as hub:
        monkeypatch.setenv("HF_TOKEN", hub.token)
        publish(bench.snapshot.folder, "someone/refusals", endpoint=hub.url)
        bench.run(
            *(inspect, "eval", "hf/someone/refusals", "--model", "openai-api/loopback/hub"),
            *("--log-format", "json", "--log-dir", "logs"),
            cwd=tmp_path,
            HF_ENDPOINT=hub.url,
            HF_HUB_OFFLINE="0",
        )
    logs = {log["eval"]["task"]: log for log in map(read, (tmp_path / "logs").glob("*.json"))}
    accuracy = {
        name: log["results"]["scores"][0]["metrics"]["accuracy"]["value"] for name, log in logs.items()
    }
    assert bench.prompts_to("hub") == sorted(bench.said)
    assert accuracy == {
        "hf/someone/refusals/refusal": pytest.approx(bench.scores["refusal_accuracy"]),
        "hf/someone/refusals/answer": pytest.approx(2 / 12),
    }


def test_lm_eval_runs_the_tasks(bench: Bench, tmp_path: Path) -> None:
    bench.run(
        *(tool(".venv-harness", "lm_eval"), "run", "--model", "local-chat-completions"),
        *("--model_args", f"model=lm,base_url={bench.url}/chat/completions,num_concurrent=4"),
        *("--tasks", "perturb", "--include_path", f"{bench.snapshot.folder}/harness/lm_eval"),
        *("--apply_chat_template", "--output_path", "out"),
        cwd=tmp_path,
    )
    (path,) = (tmp_path / "out").rglob("results_*.json")
    results = read(path)["results"]
    refusal, answer = results["perturb_refusal"], results["perturb_answer"]
    assert bench.prompts_to("lm") == sorted(bench.said)
    assert refusal["exact_match,code"] == pytest.approx(bench.scores["refusal_accuracy"])
    for name in ("missed_refusal_rate", "category_accuracy"):
        assert refusal[f"{name},code"] == pytest.approx(bench.scores[name])
    assert answer["false_refusal_rate,none"] == pytest.approx(bench.scores["false_refusal_rate"])
    assert answer["answer_match,none"] == pytest.approx(2 / 12)


def test_lighteval_runs_the_tasks(bench: Bench, tmp_path: Path) -> None:
    bench.run(
        *(tool(".venv-lighteval", "lighteval"), "endpoint", "litellm"),
        f"model_name=openai/light,base_url={bench.url},api_key=none",
        *("perturb_refusal,perturb_answer", "--output-dir", "out"),
        *("--custom-tasks", f"{bench.snapshot.folder}/harness/lighteval_task.py"),
        cwd=tmp_path,
    )
    (path,) = (tmp_path / "out").rglob("results_*.json")
    results = read(path)["results"]
    assert bench.prompts_to("light") == sorted(bench.said)
    assert results["perturb_refusal|0"] == bench.expected(
        "refusal_accuracy", "missed_refusal_rate", "category_accuracy"
    )
    assert results["perturb_answer|0"] == {
        **bench.expected("false_refusal_rate"),
        "answer_match": pytest.approx(2 / 12),
    }


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
