"""What an instance offers, against labels given to 200 instances by reading them.

The labels stand in `labelled_features.csv`: `half` is `unseen` for those that no pattern was written after. NQ passages
(CC BY-SA 3.0) are named by id only; where their file is not at hand, the instances of our own are measured alone.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from perturb.building.jobs import may_fit
from perturb.catalogue.features import Need, features_of, vocabulary
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import load_base_set
from perturb.records import BaseInstance, Passage

HERE = Path(__file__).resolve().parent
BASE_SETS = (
    HERE.parent / "base_sets" / "demo.jsonl",
    HERE.parent / "base_sets" / "garage.jsonl",
    HERE.parents[1] / "shared" / "data" / "nq-open-oracle-400.jsonl",
)
EVERY = {f"{group}:{name}" for group, names in vocabulary().items() for name in names}


def labels() -> dict[str, set[str]]:
    with (HERE / "labelled_features.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: set(row["features"].split()) for row in csv.DictReader(file)}


def test_features_that_rule_levers_out_are_right() -> None:
    """At least 98 % of those reported are there; and the worst of them is found in a fifth of its instances."""
    instances = {
        instance.id: instance
        for path in BASE_SETS
        if path.exists()
        for instance in load_base_set(path).instances
    }
    labelled = {name: wanted for name, wanted in labels().items() if name in instances}
    assert len(labels()) == 200
    assert len(labelled) >= 96
    assert set().union(*labelled.values()) <= EVERY
    reported: Counter[str] = Counter()
    right: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for name, wanted in labelled.items():
        found = {feature for feature in features_of(instances[name]) if not feature.startswith("passages:")}
        assert found <= EVERY
        reported.update(found)
        right.update(found & wanted)
        there.update(wanted)
    wrong = {feature for feature in reported if right[feature] < 0.98 * reported[feature]}
    assert not wrong
    assert sum(right.values()) / sum(there.values()) > 0.7
    assert not {feature for feature, times in there.items() if times >= 10 and right[feature] < times / 5}


def test_the_labels_say_one_kind_of_question_each() -> None:
    for wanted in labels().values():
        assert sum(feature.startswith("question:") for feature in wanted) == 1


def offered(query: str, text: str, *answers: str, title: str = "") -> frozenset[str]:
    return features_of(BaseInstance("i", "test", query, (Passage(text, title),), answers))


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Who built it?", "who"),
        ("by whom was it built", "who"),
        ("In what year was it built?", "when"),
        ("the mill was built in which year", "when"),
        ("how long is it", "how_many"),
        ("how do mills work", "how"),
        ("why was it built", "why"),
        ("In which town is it?", "which"),
        ("what's its name", "what"),
        ("Is it a mill?", "yes_no"),
        ("the man who built the mill", "phrase"),
        ("builder of the mill", "phrase"),
    ],
)
def test_kinds_of_questions(query: str, kind: str) -> None:
    found = offered(query, "A mill.", "x")
    assert {feature for feature in found if feature.startswith("question:")} == {f"question:{kind}"}


@pytest.mark.parametrize(
    ("query", "text", "answer", "kinds"),
    [
        ("how much did the dairy cost", "It cost $2,500 at the time.", "$2,500", {"number", "money"}),
        ("how long is it", "It is 42.195 km long.", "42.195 km", {"number", "measure"}),
        ("how many are there", "There are seven of them.", "seven", {"number"}),
        ("when was it built", "It was built in 1984.", "1984", {"date"}),
        ("who built it", "It was built by Mary Stone.", "Mary Stone", {"named", "person"}),
        ("who built it", "It was built by the Stone Company.", "Stone Company", {"named", "organisation"}),
        ("in which city is it", "It stands in Oslo.", "Oslo", {"named", "place"}),
        ("which gas is it", "It is carbon dioxide.", "carbon dioxide", {"text"}),
    ],
)
def test_kinds_of_answers(query: str, text: str, answer: str, kinds: set[str]) -> None:
    found = {feature for feature in offered(query, text, answer) if feature.startswith("answer:")}
    assert found == {f"answer:{kind}" for kind in kinds}


@pytest.mark.parametrize(
    ("feature", "there", "not_there"),
    [
        ("colour", "Ada built the red mill.", "Ada built the mill, which a great white shark visits."),
        ("city", "Ada built it in Springfield Road, near Leeds, England.", "Ada built it in Leeds."),
        ("spare_bracket", "Ada built it (after a long rest).", "It was built (by Ada) then."),
        ("spare_date", "Ada built it. It burned on 4 May 1984.", "Ada built it. It burned in 1984."),
        ("opening", "In those days, Ada built it.", "In Ada, they had a friend."),
        ("living_person", "Ada (born 1961) built it.", "Ada (born 1861, died 1901) built it."),
        ("figure", "Ada built it. It has 1,283 bricks.", "Ada built it. It has 1,000 bricks."),
    ],
)
def test_what_stands_beside_the_answer(feature: str, there: str, not_there: str) -> None:
    assert f"has:{feature}" in offered("who built the mill", there, "Ada")
    assert f"has:{feature}" not in offered("who built the mill", not_there, "Ada")


def test_only_signal_passages_count() -> None:
    noise = Passage("The red barn has 283 beams.", role="noise")
    one = BaseInstance("i", "test", "who built it", (Passage("Ada built it."), noise), ("Ada",))
    assert "passages:several" in features_of(one)
    assert features_of(one).isdisjoint({"has:colour", "has:spare_figure"})
    lever = Catalogue.load().find("Delete Color Adjective")
    assert lever is not None
    assert not may_fit(lever, one, features_of(one))


def test_needs_hold_or_not() -> None:
    found = frozenset({"answer:date", "question:when"})
    assert Need.read("answer:person|date").holds(found)
    assert not Need.read("answer:person|place").holds(found)
    assert not Need.read("not question:when").holds(found)
    assert Need.read("not question:who|where").holds(found)


@pytest.mark.parametrize(
    "need", ["colour", "has:", "has:smell", "have:colour", "not has", "has:colour|smell"]
)
def test_unknown_needs_are_refused(need: str) -> None:
    with pytest.raises(ValueError, match=r"GROUP:FEATURE|unknown feature"):
        Need.read(need)


def test_every_lever_has_been_considered() -> None:
    for path in sorted((HERE.parent / "levers").glob("*_*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n    needs: [") == text.count("\n  - name: "), path.name
    used = {
        feature
        for lever in Catalogue.load().levers
        for need in lever.needs
        for feature in Need.read(need).features
    }
    assert used <= EVERY
