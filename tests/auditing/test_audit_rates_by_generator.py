"""Pass rates by generator × class and × intensity: RefusalBench, figures 9 and 11."""

from __future__ import annotations

from collections import defaultdict

import pytest

from perturb.auditing.audit_report import audit
from tests.simulated_intervals import Panel, additive


def test_rates_by_generator_are_shares_of_its_votes() -> None:
    import numpy as np

    table = Panel(additive(), 40).draw(np.random.default_rng(1))
    report = audit(table, resamples=20)
    votes: dict[str, list[float]] = defaultdict(list)
    for code, row in zip(table.generator.codes, table.votes, strict=True):
        votes[table.generator.names[code]] += list(row)
    for by in ("class", "intensity"):
        found = {name: rates[0] for name, rates in report.generator_rates[by].items()}
        assert {name: rate.rate for name, rate in found.items()} == pytest.approx(
            {name: sum(own) / len(own) for name, own in votes.items()}
        )
        assert {rate.n for rate in found.values()} == {160}
    assert report.to_dict()["generator_rates"]["class"]["m0"][0]["rate"] == found["m0"].rate
