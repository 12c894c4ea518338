"""A model under test of known replies, its judge, and the numbers that `perturb score` gives for it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perturb.catalogue.levers import Catalogue
from perturb.records import Item
from perturb.snapshots.items import render_prompt
from perturb.snapshots.snapshot import Snapshot
from perturb.text.matching import holds_answer
from tests.building import perturb
from tests.evaluation.rows import run
from tests.loopback.replay import Turns
from tests.snapshots.harness.snapshots import items_of

CATALOGUE = Catalogue.load()

TO_UNANSWERABLE = (
    "{code}",
    "{wrong}",
    "{short}",
    "I must say {code}, since the passage is silent.",
    "",
    "It was {answer}.",
    "<think>REFUSE_OTHER?\n\nNo.</think>\n\n**`{lower}`**.",
    "{short}\nCONFIDENCE: VERY_CONFIDENT",
    "REFUSE_OTHER",
    "REFUSE_TO_SAY",
    "ANSWER_CORRECTLY",
)
"""Replies to items that must be refused, in turn."""

TO_ANSWERABLE = (
    "{wrong}",
    "It was {last}, they say.",
    "It was Wrongham.",
    "",
    "**refuse_missing**",
    "{answer}0",
)
"""Replies to items that must be answered, in turn."""


def known_replies(snapshot: Snapshot) -> dict[str, str]:
    """Prompt -> what the model says."""
    said: dict[str, str] = {}
    places: dict[bool, int] = defaultdict(int)
    for item in items_of(snapshot).values():
        forms = TO_ANSWERABLE if item.answerable else TO_UNANSWERABLE
        said[render_prompt(item)] = _fill(forms[places[item.answerable] % len(forms)], item)
        places[item.answerable] += 1
    return said


def _fill(form: str, item: Item) -> str:
    entry = CATALOGUE.classes[item.cell.perturbation_class]
    codes = [one.refusal_code for one in CATALOGUE.classes.values() if one is not entry]
    return form.format(
        code=entry.refusal_code,
        lower=entry.refusal_code.lower(),
        short=entry.short_forms[0] if entry.short_forms else entry.refusal_code,
        wrong=codes[0],
        answer=item.answers[0],
        last=item.answers[-1],
    )


class KnownModel:
    """Says what is known, and keeps what it was asked; as `judge`, takes whatever is no bare code for an answer."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self._said = said
        self.asked: defaultdict[str, list[Turns]] = defaultdict(list)
        """By model, the messages of each request."""

    def play(self, model: str, messages: Turns) -> str:
        """The reply of `model`."""
        if model == "judge":
            return self._judge(json.loads(messages[-1]["content"]))
        self.asked[model].append(messages)
        return self._said.get(str(messages[-1]["content"]), "What was that?")

    def _judge(self, data: Mapping[str, Any]) -> str:
        if "accepted" in data:
            right = any(holds_answer(data["reply"], one) for one in data["accepted"])
            return json.dumps({"quality": 5 if right else 1, "reason": ""})
        if "signal" in data:
            right = holds_answer(data["reply"], data["reference"])
            return json.dumps({"eligible": right, "factual_all": right, "factual_signal": right})
        return json.dumps({"behaviour": "answer", "code": ""})


def our_scores(folder: Path, snapshot: Snapshot, url: str) -> dict[str, float | None]:
    """Metric -> value, as `perturb evaluate` and `perturb score` give them for the model `ours`."""
    done = run(folder, snapshot.folder, url, ["ours"])
    scored = perturb("score", done.run, "--json")
    assert scored.returncode == 0, scored.stderr
    (model,) = scored.json["models"]
    return {name: entry["value"] for name, entry in model["metrics"].items()}
