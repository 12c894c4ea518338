"""The embedded recording, if there is one: replies of a language model, read, checked and audited by today's code."""

from __future__ import annotations

from pathlib import Path

import pytest

from perturb.audit import audit
from perturb.build import build
from perturb.config import recorded_config
from perturb.llm.recording import Replay, read_recording
from perturb.resources import demo_recording

FILE = demo_recording("recorded")


@pytest.mark.skipif(FILE is None, reason="no recording is embedded yet")
def test_the_recorded_round_is_whole_and_has_something_to_show(tmp_path: Path) -> None:
    assert FILE is not None
    assert FILE.stat().st_size < 3_000_000
    facts = build(recorded_config(), tmp_path / "run", replay=Replay(read_recording(FILE))).facts
    assert facts["missing_replies"] == []
    assert facts["undecided"] == facts["errors"] == 0
    assert facts["candidates"] >= 400
    assert facts["cells_filled"] == 18
    assert facts["accepted"] < facts["candidates"]
    found = audit(tmp_path / "run", resamples=100).to_dict()
    assert all(pair["kappa"] is not None for pair in found["kappa"]["pairs"])
    assert {one["model"] for one in found["self_bias"]} >= {"writer-a", "writer-b"}
