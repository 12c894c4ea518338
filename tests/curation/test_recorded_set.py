"""The base set of the recorded round: some of the other two, as they stand there."""

from __future__ import annotations

from collections import Counter

from perturb.config import load_config
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.files.resources import data_folder

RECORDED = load_base_set(embedded_path("recorded"))


def test_every_row_stands_in_another_set() -> None:
    lines = [set(embedded_path(name).read_text("utf-8").splitlines()[1:]) for name in ("demo", "garage")]
    own = embedded_path("recorded").read_text("utf-8").splitlines()[1:]
    assert len(own) == 12
    assert set(own) <= lines[0] | lines[1]
    assert (RECORDED.licence, RECORDED.warnings) == ("Apache-2.0", ())


def test_kinds_of_contexts_and_answers() -> None:
    assert Counter(len(instance.passages) for instance in RECORDED.instances) == {1: 9, 10: 3}
    kinds = {instance.metadata["kind"] for instance in RECORDED.instances}
    assert kinds == {"person", "date", "number", "place", "work", "phrase"}
    assert len({instance.domain for instance in RECORDED.instances}) >= 8


def test_both_writers_sit_on_the_panel_beside_a_third() -> None:
    config = load_config(data_folder("base_sets") / "recorded.build.yaml")
    writers = [entry.name for entry in config.generators]
    assert [entry.name for entry in config.verifiers] == [*writers, "third"]
