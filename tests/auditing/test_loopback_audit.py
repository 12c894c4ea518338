"""A build over the loopback provider with a partial panel, audited: the estimates beside what was planted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from perturb.auditing.audit_report import audit
from tests.building import content_of, run_build
from tests.loopback import LoopbackServer
from tests.loopback.players import GeneratorPlayer, RolePlayer, VerifierPlayer, read_request
from tests.loopback.replay import Turns

KAPPA = 0.5
"""Planted agreement of verifiers with the same pass rate."""

OTHERS, OWN = 0.75, 0.97
"""Pass rates: of everybody for other models' candidates, and of v1 for its own."""


class Authors:
    """Generators whose candidates are remembered, and verifiers of which v1 favours what it made itself."""

    def __init__(self) -> None:
        self._generator = GeneratorPlayer()
        self._fair = VerifierPlayer({"*": OTHERS}, correlation=KAPPA)
        self._fond = VerifierPlayer({"v1": OWN}, correlation=KAPPA)
        self._made: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._favoured: set[tuple[str, str]] = set()

    def player(self) -> RolePlayer:
        """Both roles for one server."""
        return RolePlayer(_Role(self.generate), _Role(self.verify))

    def generate(self, model: str, messages: Turns) -> str:
        """Generate and remember."""
        text = self._generator.play(model, messages)
        reply = json.loads(text)
        self._made[reply["perturbed_query"].strip(), reply["perturbed_context"].strip()].add(model)
        return text

    def verify(self, model: str, messages: Turns) -> str:
        """Vote, v1 with more favour for its own."""
        candidate = read_request(messages).data["candidate"]
        texts = candidate["query"], candidate["context"]
        if model == "v1" and self._made[texts] == {"v1"}:
            self._favoured.add(texts)
            return self._fond.play(model, messages)
        return self._fair.play(model, messages)

    @property
    def favoured_share(self) -> float:
        """Share of v1's candidates that it favoured: the rest it made in the same words as another generator."""
        own = [texts for texts, makers in self._made.items() if "v1" in makers]
        return sum(texts in self._favoured for texts in own) / len(own)


class _Role:
    """A function as a player."""

    def __init__(self, reply: Callable[[str, Turns], str]) -> None:
        self._reply = reply

    def play(self, model: str, messages: Turns) -> str:
        """What the function says."""
        return self._reply(model, messages)


@pytest.mark.slow
def test_planted_agreement_and_favour_are_found(tmp_path: Path) -> None:
    authors = Authors()
    with LoopbackServer(authors.player()) as server:
        report = run_build(tmp_path, content_of(server.url, generators=["g1", "v1"], limit=60))
    found = audit(report.run).to_dict()
    pairs = {(pair["a"], pair["b"]): pair for pair in found["kappa"]["pairs"]}
    assert pairs["v2", "v3"]["low"] <= KAPPA <= pairs["v2", "v3"]["high"]
    bias = {row["model"]: row for row in found["self_bias"]}
    planted = 100 * (OWN - OTHERS) * authors.favoured_share
    assert bias["v1"]["low"] <= planted <= bias["v1"]["high"]
    assert bias["v1"]["low"] > 0
    assert bias["v1"]["p_value"] < 0.05
    assert bias["v2"]["bias_pp"] is None
    print(f"kappa {pairs['v2', 'v3']['kappa']:.3f}, bias {bias['v1']['bias_pp']:.1f} against {planted:.1f}")
