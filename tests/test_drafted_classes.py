"""`perturb levers draft`: a class from a sentence, by the command, with the real client against a loopback server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perturb.building.drafting import TRIED_ON, read_class
from perturb.catalogue.levers import Catalogue
from perturb.llm.replies import ReplyError
from perturb.records import Intensity
from tests.building import perturb
from tests.loopback import LoopbackServer
from tests.loopback.replay import Turns


def lever(number: int, intensity: str) -> dict[str, str]:
    return {
        "name": f"Stale Edition {number}",
        "intensity": intensity,
        "instruction": "Let the question name an edition that is newer than the passage.",
        "query": "Who runs Tarn Bridge by the new guide?",
        "context": "By the old guide, Ada Vole runs Tarn Bridge.",
        "why": "the guide is old",
    }


def drafted(**changes: Any) -> dict[str, Any]:
    """What a model may reply."""
    content = {
        "class": "P-OutOfDate",
        "summary": "The passage is older than what is asked.",
        "target": ["query"],
        "refusal_code": "REFUSE_OUT_OF_DATE",
        "refuse_when": "the passage is too old for the question.",
        "example": "A question about 2020, and a text of 1990.",
        "criteria": {str(one): f"The {one} sentence." for one in Intensity},
        "levers": [lever(number, str(one)) for number, one in enumerate([*Intensity, *Intensity])],
    }
    return {**content, **changes}


class DraftPlayer:
    """Drafts a class, at first with a code that is taken; its fifth lever cannot be applied."""

    def __init__(self) -> None:
        self.drafts: list[Turns] = []

    def play(self, model: str, messages: Turns) -> str:
        data = json.loads(messages[1]["content"])
        if "flaw" in data:
            self.drafts.append(messages)
            code = "REFUSE_OUT_OF_DATE" if len(messages) > 2 else "REFUSE_AMBIGUOUS_QUERY"
            return json.dumps(drafted(refusal_code=code))
        offered = next(
            name for name in (f"Stale Edition {n}" for n in range(6)) if name in messages[0]["content"]
        )
        if offered == "Stale Edition 4":
            return json.dumps({"lever_not_applicable": "there is no edition"})
        texts = {
            "perturbed_query": f"By the new edition, {data['query']}",
            "perturbed_context": data["context"],
        }
        return json.dumps({**texts, "lever_selected": offered, "implementation_reasoning": "It is newer."})


def test_a_class_is_drafted_checked_and_tried(tmp_path: Path) -> None:
    out, player = tmp_path / "my-levers", DraftPlayer()
    asked = ("draft", "the passage is out of date", "--model", "hosted_vllm/m", "--out", out, "--json")
    with LoopbackServer(player) as server:
        told = perturb("levers", *asked, "--api-base", server.url).json
    assert len(player.drafts) == 2
    assert "the code REFUSE_AMBIGUOUS_QUERY is that of P-Ambiguity" in player.drafts[1][-1]["content"]
    catalogue = Catalogue.load([out])
    (entry,) = catalogue.own_classes
    assert (told["perturbation_class"], told["refusal_code"]) == ("P-OutOfDate", "REFUSE_OUT_OF_DATE")
    assert (str(entry.name), entry.refusal_code) == ("P-OutOfDate", "REFUSE_OUT_OF_DATE")
    levers = [one for one in catalogue.levers if one.cell.perturbation_class == entry.name]
    assert [len(catalogue.levers_of(cell)) for cell in catalogue.cells[-3:]] == [2, 2, 2]
    assert len(told["trials"]) == TRIED_ON * len(levers)
    outcomes = {one["lever"]: one["outcome"] for one in told["trials"]}
    assert outcomes["Stale Edition 4"] == "not_applicable"
    made = [one for one in told["trials"] if one["outcome"] == "candidate"]
    assert {one["lever"] for one in made} == {f"Stale Edition {n}" for n in (0, 1, 2, 3, 5)}
    assert all("{+" in one["query"] for one in made)
    page = (out / "trials.md").read_text()
    assert page.count("\n## ") == len(told["trials"])
    assert "there is no edition" in page
    listed = perturb("levers", "--levers", out, "--class", "P-OutOfDate")
    assert "Stale Edition 5" in listed.stdout


def test_a_draft_resumes_and_replaces_no_file(tmp_path: Path) -> None:
    out = tmp_path / "my-levers"
    with LoopbackServer(DraftPlayer()) as server:
        asked = ("draft", "out of date", "--model", "hosted_vllm/m", "--out", out, "--api-base", server.url)
        assert perturb("levers", *asked, "--json").returncode == 0
        before = sum(server.counters.requests.values())
        perturb("levers", *asked, "--json").fails("holds lever files already")
        (file,) = out.glob("*.yaml")
        file.unlink()
        assert perturb("levers", *asked, "--json").returncode == 0
        assert sum(server.counters.requests.values()) - before <= 1  # the first draft could not be read


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class": "P-Ambiguity"}, "is fixed"),
        ({"class": "Out of date"}, "class"),
        ({"levers": "none"}, "must be a list of objects"),
        ({"levers": [lever(1, "LOW")]}, "holds none for MEDIUM"),
        ({"levers": [{**lever(1, "LOW"), "query": 3}]}, "a lever has no 'query'"),
        ({"target": "query"}, "target"),
    ],
)
def test_a_reply_that_is_not_a_class_is_refused_with_the_reason(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReplyError, match=message):
        read_class(json.dumps(drafted(**changes)))


def test_draft_is_reserved_and_levers_are_shown_as_before(tmp_path: Path) -> None:
    assert Catalogue.load().find("draft") is None
    assert perturb("levers", "Delete Color Adjective").returncode == 0
    for arguments in (["draft", "a flaw"], ["draft"], ["Delete Color Adjective", "--out", str(tmp_path)]):
        assert perturb("levers", *arguments).returncode == 2
