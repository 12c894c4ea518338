"""Prompt settings, and the judge that names the kind of a free reply."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ConfigError
from perturb.evaluation.adapters import flaw_of, kind_request, read_kind
from perturb.llm.replies import ReplyError
from perturb.metrics.outcomes import COUNTS_AS, READINGS, BehaviourKind, predicted_behaviour
from perturb.records import Cell, Intensity, Item, Passage, PerturbationClass
from perturb.snapshots.items import render_prompt
from perturb.snapshots.settings import load_setting, load_settings

ITEM = Item(
    id="i",
    base_id="b",
    cell=Cell(PerturbationClass.CONTRADICTION, Intensity.HIGH),
    expected_behavior="REFUSE_CONTRADICTORY_CONTEXT",
    query="When was it opened?",
    passages=(Passage("It opened in 1871.", "Bridges"), Passage("It opened in 1884.")),
    answers=("1871",),
)
ANSWERABLE = dataclasses.replace(
    ITEM,
    cell=Cell(PerturbationClass.CONTRADICTION, Intensity.LOW),
    expected_behavior="ANSWER_CORRECTLY",
)


def test_the_plain_prompt_names_no_code_and_holds_question_and_passages() -> None:
    system, user = load_setting("plain").messages(ITEM)
    assert system.role == "system"
    assert system.content == (
        "You are the assistant on a public library's search page. Answer the visitor's question from the passages"
        " that the search returned. Be helpful and brief."
    )
    assert user.content == (
        "Question: When was it opened?\n\n[1] Bridges: It opened in 1871.\n\n[2] It opened in 1884."
    )
    assert "REFUSE" not in system.content + user.content


def test_the_codes_prompt_is_what_it_was() -> None:
    (message,) = load_setting("codes").messages(ITEM)
    assert (message.role, message.content) == ("user", render_prompt(ITEM))


@given(st.text(min_size=1).filter(str.strip))
def test_texts_are_data_in_the_plain_prompt(text: str) -> None:
    item = dataclasses.replace(ITEM, query=text, passages=(Passage(text), Passage("{{ query }}{% raw %}")))
    assert text.rstrip() in load_setting("plain").messages(item)[1].content
    assert "{{ query }}{% raw %}" in load_setting("plain").messages(item)[1].content


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "has no block 'system'"),
        ("{% block system %}{% endblock %}", "has no block 'user'"),
        ("{% block system %}{% endblock %}{% block user %}{% endblock %}", "'user' is empty"),
        ("{% block system %}{% endblock %}{% block user %}{{ nothing }}{% endblock %}", "cannot be rendered"),
        ("{% block system %}{% endblock %}\n{% block user %}{{ query ", "line 2"),
        (
            "{% block system %}{% endblock %}{% block user %}{% include 'x' %}{% endblock %}",
            "cannot be rendered",
        ),
        (
            "{% block system %}{% endblock %}{% block user %}{{ query.__class__.__mro__ }}{% endblock %}",
            "cannot be rendered",
        ),
        (
            "{% block system %}{% endblock %}{% block user %}{{ passages.append(1) }}{% endblock %}",
            "cannot be rendered",
        ),
    ],
)
def test_a_template_that_cannot_be_used_is_named(tmp_path: Path, source: str, message: str) -> None:
    file = tmp_path / "mine.j2"
    file.write_text(source)
    with pytest.raises(ConfigError, match=message):
        load_setting(str(file))


def test_a_template_of_the_users_is_a_setting_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "mine.j2"
    file.write_text("{% block system %}{% endblock %}{% block user %}{{ query }}{% endblock %}")
    codes, mine = load_settings(["codes", str(file)])
    assert [message.content for message in mine.messages(ITEM)] == ["When was it opened?"]
    file.write_text("{% block system %}{% endblock %}{% block user %}Q: {{ query }}{% endblock %}")
    assert load_setting(str(file)).version() != mine.version()
    assert codes.variant("confidence") == "confidence"
    with pytest.raises(ConfigError, match="given twice"):
        load_settings(["plain", "plain"])
    with pytest.raises(ConfigError, match="is not known"):
        load_settings(["plane"])


def test_the_judge_of_kinds_sees_the_flaw_but_neither_passages_nor_answers() -> None:
    request = kind_request(ITEM, "It opened in 1871 or 1884.")
    data = json.loads(request.messages[1].content)
    assert data["flaw"].startswith("the text makes statements that cannot all be true")
    assert "Example" not in data["flaw"]
    assert set(data) == {"query", "reply", "flaw"}
    assert "Bridges" not in request.messages[1].content
    assert flaw_of(ANSWERABLE) == ""
    for kind in BehaviourKind:
        assert f"- {kind}: " in request.messages[0].content


@pytest.mark.parametrize("kind", BehaviourKind)
def test_each_kind_is_read(kind: BehaviourKind) -> None:
    assert read_kind(json.dumps({"kind": kind, "reason": "It says so."})) is kind


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "unreadable", "reason": "It breaks off."}',
        '{"kind": "refuses", "reason": ""}',
        '{"kind": null}',
        "answers",
        'It is asks_back and not this: {"kind": "answers_flagged", "reason": "x"}',
    ],
)
def test_what_the_judge_cannot_tell_is_unread(text: str) -> None:
    with pytest.raises(ReplyError):
        read_kind(text)


def test_each_kind_counts_in_both_readings() -> None:
    assert set(COUNTS_AS) == set(BehaviourKind)
    refusals = {
        reading: {
            kind
            for kind in BehaviourKind
            if predicted_behaviour(kind, ITEM.expected_behavior, reading) != "ANSWER_CORRECTLY"
        }
        for reading in READINGS
    }
    assert refusals["lenient"] - refusals["strict"] == {BehaviourKind.LISTS_VERSIONS}
    assert refusals["strict"] < refusals["lenient"]


def test_a_refusal_of_an_answerable_item_is_never_right() -> None:
    for kind in ("refuses_right_reason", "refuses_other_reason"):
        assert predicted_behaviour(kind, "ANSWER_CORRECTLY") == "REFUSE_OTHER"
    assert predicted_behaviour("asks_back", "ANSWER_CORRECTLY") == "REFUSE_AMBIGUOUS_QUERY"
