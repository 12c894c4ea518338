"""Questions written from articles, by the command, with the real client against a server on the loopback interface."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies

from perturb.curation.base_sets import load_base_set
from perturb.curation.source import load_recipe
from perturb.evaluation.loading import read_questions
from perturb.evaluation.question_writing import SECTION_WORDS, split_sections
from tests.building import perturb, write_rows
from tests.loopback import Fault, LoopbackServer, ScriptedFaults
from tests.loopback.replay import Turns

pytestmark = pytest.mark.filterwarnings("ignore:Item.*using the `ReadOnly` qualifier:UserWarning")

PLANTED = {
    "no-question": "its text allows no question",
    "no-answer": "its text does not answer the question",
    "long-answer": "the answer has more than 10 words",
    "gives-away": "the question holds its answer",
    "unreadable": "'reader' gives no readable reply",
    "short": "no part of it has 150 words",
}


class WriterPlayer:
    """Asks for the year in an article's text and answers it, but for articles whose title names a fault."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []

    def play(self, model: str, messages: Turns) -> str:
        data = json.loads(messages[1]["content"])
        self.seen.append((model, data))
        year = data["text"].split("founded in ")[1][:4]
        if "title" in data:
            asked = (
                f"When was {data['title']} founded{', if not ' + year if 'gives' in data['title'] else ''}?"
            )
            return json.dumps({"question": "" if "no-question" in data["title"] else asked})
        if "unreadable" in data["question"]:
            return "I would say so."
        answer = f"the year {year} " * 4 if "long-answer" in data["question"] else year
        return json.dumps({"answerable": "no-answer" not in data["question"], "answer": answer})


def article(number: int, fault: str = "") -> dict[str, Any]:
    """As HalluLens has them; every sentence of eight words says when it was founded."""
    title = f"Mill {number} {fault}".strip()
    sentence = f"Then {title} was founded in {1800 + number} there."
    document = " ".join([sentence] * (3 if fault == "short" else 120))
    return {"title": title, "document": document, "h_score_cat": number % 2, "pageid": 1000 + number}


def set_up(tmp_path: Path, server: LoopbackServer, **changes: Any) -> list[str]:
    faults = [fault for fault in PLANTED for _ in range(2)]  # one of each at both levels
    rows = [article(number, fault) for number, fault in enumerate([*faults, *[""] * 28])]
    write_rows(tmp_path / "wiki.jsonl", rows)
    recipe = {
        "name": "wiki",
        "licence": "CC-BY-SA-4.0",
        "by": "difficulty",
        "domains": ["0", "1"],
        "per_domain": 14,
    }
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(recipe))
    models = {
        name: {"name": name, "model": f"hosted_vllm/{name}", "api_base": server.url, "max_retries": 0}
        for name in ("writer", "reader")
    }
    (tmp_path / "w.yaml").write_text(yaml.safe_dump({**models, **changes}))
    files = {"--recipe": "r.yaml", "--writer": "w.yaml", "--out": "base.jsonl"}
    options = [part for name, file in files.items() for part in (name, str(tmp_path / file))]
    return ["curate", str(tmp_path / "wiki.jsonl"), *options, "--json", "--force"]


def test_questions_are_written_by_difficulty_and_what_falls_is_counted(tmp_path: Path) -> None:
    player = WriterPlayer()
    with LoopbackServer(player) as server:
        told = perturb(*set_up(tmp_path, server)).json
    instances = load_base_set(tmp_path / "base.jsonl").instances
    assert Counter(instance.metadata["difficulty"] for instance in instances) == {"0": 14, "1": 14}
    assert told["shortfalls"] == []
    fallen = {one["reason"]: one["count"] for one in told["left_out"] if one["step"] == "writing"}
    assert set(fallen) <= set(PLANTED.values())
    # The draw goes on until both levels are full: 14 of 14 good articles, so that every planted one was drawn.
    assert fallen == dict.fromkeys(PLANTED.values(), 2)
    for instance in instances:
        (passage,) = instance.passages
        assert instance.query == f"When was {passage.title} founded?"
        assert instance.answers[0] in passage.text
        assert SECTION_WORDS[0] <= len(passage.text.split()) <= SECTION_WORDS[1]
    assert told["writing"]["models"] == {"writer": "hosted_vllm/writer", "reader": "hosted_vllm/reader"}
    assert all(set(data) == {"title", "text"} for model, data in player.seen if model == "writer")
    assert all(set(data) == {"question", "text"} for model, data in player.seen if model == "reader")


def test_the_set_is_asked_without_its_passages(tmp_path: Path) -> None:
    with LoopbackServer(WriterPlayer()) as server:
        assert perturb(*set_up(tmp_path, server)).returncode == 0
    questions = read_questions(str(tmp_path / "base.jsonl")).questions
    assert len(questions) == 28
    assert all(
        question.context is None and question.answers and question.text.startswith("When was")
        for question in questions
    )


def test_what_was_written_is_not_asked_for_again(tmp_path: Path) -> None:
    with LoopbackServer(WriterPlayer()) as server:
        arguments = set_up(tmp_path, server)
        first, again = perturb(*arguments).json, perturb(*arguments).json
        assert (
            server.counters.repeated == 2 * 2
        )  # replies that could not be read are asked for once more, in each run
    assert again["digest"] == first["digest"]


def test_an_outage_decides_nothing_and_the_command_goes_on_from_there(tmp_path: Path) -> None:
    with LoopbackServer(WriterPlayer(), faults=ScriptedFaults([Fault.SERVER_ERROR])) as server:
        arguments = set_up(tmp_path, server)
        perturb(*arguments).fails("run the same command again")
        assert not (tmp_path / "base.jsonl").exists()
    with LoopbackServer(WriterPlayer()) as server:
        assert perturb(*set_up(tmp_path, server)).json["instances"] == 28


def test_one_model_may_write_and_read(tmp_path: Path) -> None:
    with LoopbackServer(WriterPlayer()) as server:
        arguments = set_up(tmp_path, server)
        content = yaml.safe_load((tmp_path / "w.yaml").read_text())
        (tmp_path / "w.yaml").write_text(yaml.safe_dump({"writer": content["writer"]}))
        assert perturb(*arguments).json["writing"]["models"] == {"writer": "hosted_vllm/writer"}
        assert set(server.counters.requests) == {"writer"}


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with LoopbackServer(WriterPlayer()) as server:
        arguments = set_up(tmp_path, server)
        same = yaml.safe_load((tmp_path / "w.yaml").read_text())
        same["reader"]["name"] = "writer"
        (tmp_path / "w.yaml").write_text(yaml.safe_dump(same))
        perturb(*arguments).fails("writer and reader are both called 'writer'")
        set_up(tmp_path, server)
        (tmp_path / "wiki.jsonl").write_text('{"document": "No title."}\n')
        perturb(*arguments).fails("most fell because title must be a string")
    assert not (tmp_path / "base.jsonl").exists()


def test_a_budget_is_kept(tmp_path: Path) -> None:
    price = {"input": 1000.0, "output": 1000.0}
    with LoopbackServer(WriterPlayer()) as server:
        arguments = set_up(tmp_path, server, budget_usd=0.5)
        content = yaml.safe_load((tmp_path / "w.yaml").read_text())
        for entry in ("writer", "reader"):
            content[entry]["price"] = price
        (tmp_path / "w.yaml").write_text(yaml.safe_dump(content))
        perturb(*arguments).fails("budget")


def test_the_recipe_is_that_of_the_paper() -> None:
    recipe = load_recipe("precisewikiqa")
    assert recipe.by == "difficulty"
    assert len(recipe.domains) * (recipe.per_domain or 0) == 2000


@given(strategies.lists(strategies.integers(1, 60), min_size=1, max_size=80))
def test_sections_are_whole_sentences_of_bounded_length(lengths: list[int]) -> None:
    text = " ".join(" ".join(["Word", *["word"] * (n - 1)]) + "." for n in lengths)
    sections = split_sections(text)
    assert all(SECTION_WORDS[0] <= len(section.split()) <= SECTION_WORDS[1] for section in sections)
    assert all(section.endswith(".") and section in text for section in sections)
    if sum(lengths) >= 2 * SECTION_WORDS[1]:
        assert sections
