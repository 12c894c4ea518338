"""The offline checks: what each of them passes and fails, and when it has no opinion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from perturb.building.offline.checked_item import RuleVerdict
from perturb.building.offline.judge import judge_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.records import BaseInstance, Candidate, Cell, Passage

DATA = yaml.safe_load(Path(__file__).with_name("checked_items.yaml").read_text(encoding="utf-8"))
BASES = {
    name: BaseInstance(name, "test", base["query"], (Passage(base["text"]),), tuple(base["answers"]))
    for name, base in DATA["bases"].items()
}
ITEMS = [
    pytest.param(check, verdict == "passes", item, id=f"{check} {verdict} {name}")
    for check, verdicts in DATA["checks"].items()
    for verdict, items in verdicts.items()
    for name, item in items.items()
]


def judge(
    catalogue: Catalogue, check: str, item: dict[str, Any], base: BaseInstance | None = None
) -> RuleVerdict:
    """Ask one check about an item, of another base instance than its own if one is given."""
    base = base or BASES[item["base"]]
    text = item.get("passage", base.context)
    for edit in item.get("replace", ()):
        assert edit["old"] in text, edit
        text = text.replace(edit["old"], edit["new"])
    text = f"{text} {item['append']}" if "append" in item else text
    cell = Cell.read(item["cell"])
    candidate = Candidate(
        id="c",
        instance_id=base.id,
        generator="test",
        cell=cell,
        lever=item.get("lever", "-"),
        query=item.get("query", base.query),
        passages=(Passage(text),),
        reasoning="",
        expected_behavior=catalogue.expected_behavior(cell),
    )
    return judge_by_rule(check, base, candidate, catalogue.classes[cell.perturbation_class].target)


@pytest.mark.parametrize(("check", "passes", "item"), ITEMS)
def test_fit_items_pass_and_unfit_ones_fail_with_a_reason(
    catalogue: Catalogue, check: str, passes: bool, item: dict[str, Any]
) -> None:
    verdict = judge(catalogue, check, item)
    assert verdict.passed is passes, verdict.issues
    if not passes:
        assert verdict.issues
        assert not all(verdict.checks.values())


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_every_base_instance_holds_its_answers_and_has_no_scars(
    catalogue: Catalogue, base: BaseInstance
) -> None:
    assert all(answer in base.context for answer in base.answers)
    untouched = {"base": base.id, "cell": "P-Contradiction/MEDIUM"}
    assert judge(catalogue, "leftovers", untouched).passed
    assert judge(catalogue, "fluency", untouched).passed


def test_it_has_no_opinion_where_no_answer_stands_in_the_passage(catalogue: Catalogue) -> None:
    long_form = replace(
        BASES["opera"],
        answers=("A composer from the north wrote it in the end, as far as anybody knows today.",),
    )
    scorned = {"cell": "P-Contradiction/MEDIUM", "replace": [{"old": "praised", "new": "scorned"}]}
    verdict = judge(catalogue, "answer-state", scorned, long_form)
    assert verdict.passed is None
    assert not verdict.checks


def test_it_predicts_an_answer_where_a_trace_is_left(catalogue: Catalogue) -> None:
    traced = DATA["checks"]["answer-state"]["fails"]["year of the date stays"]
    verdict = judge(catalogue, "answer-state", traced)
    assert verdict.predicted_behavior == "ANSWER_CORRECTLY"
    assert verdict.checks == {"answer_constraint": False, "predicted_behavior": False}
