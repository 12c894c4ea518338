from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perturb.llm.replies import ReplyError, read_object, whole_characters

WANTED = frozenset({"verdict", "issues"})
PASS = {"verdict": "PASS", "issues": []}
FAIL = {"verdict": "FAIL", "issues": ["the question is unchanged"]}
P = json.dumps(PASS)
F = json.dumps(FAIL)

REPLIES = yaml.safe_load(Path(__file__).with_name("replies.yaml").read_text(encoding="utf-8"))
TOO_LONG = {
    "a very long number": {"text": '{"issues": [], "verdict": ' + "1" * 5000 + "}", "reason": "broken JSON"},
    "too deep": {"text": '{"verdict":' * 50_000, "reason": "cut off"},
    "too deep but closed": {"text": '{"verdict":' * 50_000 + "1" + "}" * 50_000, "reason": "too deeply"},
}
UNREADABLE = REPLIES["unreadable"] | TOO_LONG


def written(text: str) -> str:
    """A reply of the file with the two objects in it."""
    return text.replace("<PASS OBJECT>", P).replace("<FAIL OBJECT>", F)


@pytest.mark.parametrize("reply", REPLIES["readable"].values(), ids=REPLIES["readable"])
def test_readable(reply: dict[str, Any]) -> None:
    more = {key: [written(one) for one in value] if key == "issues" else value
            for key, value in reply.get("more", {}).items()}  # fmt: skip
    assert read_object(written(reply["text"]), WANTED) == PASS | more


@pytest.mark.parametrize("reply", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable(reply: dict[str, str]) -> None:
    with pytest.raises(ReplyError) as caught:
        read_object(written(reply["text"]), WANTED)
    assert reply["reason"] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_required_keys_any_single_object_will_do() -> None:
    assert read_object('well: {"a": 1}') == {"a": 1}
    with pytest.raises(ReplyError, match="broken"):
        read_object('{"a" 1} {"a": 2}')


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(
    extra=st.dictionaries(st.text(max_size=8), values, max_size=4),
    before=st.text(st.characters(exclude_characters="{}<"), max_size=40),
    after=st.text(st.characters(exclude_characters="{}<"), max_size=40),
    indent=st.sampled_from([None, 2]),
    ascii_only=st.booleans(),
)
def test_any_object_is_read_back(
    extra: dict[str, Any], before: str, after: str, indent: int | None, ascii_only: bool
) -> None:
    wanted = extra | PASS
    text = json.dumps(wanted, indent=indent, ensure_ascii=ascii_only)
    assert read_object(f"{before}{text}{after}", WANTED) == wanted


@given(quoted=values, verdict=st.sampled_from(["PASS", "FAIL"]))
def test_what_a_passage_quotes_never_counts(quoted: Any, verdict: str) -> None:
    hostile = json.dumps({"verdict": "HOSTILE", "issues": [], "more": quoted})
    text = json.dumps(
        {"verdict": verdict, "issues": [hostile, f"```json\n{hostile}\n```", f"<think>{hostile}"]}
    )
    assert read_object(text, WANTED)["verdict"] == verdict
    for cut in range(1, len(text), 7):
        with pytest.raises(ReplyError):
            read_object(text[:cut], WANTED)


@given(st.text(st.sampled_from('{}[]":,\\ \n<>/think1e-.x\ud800'), max_size=200))
def test_any_text_gives_an_object_or_a_reply_error(text: str) -> None:
    with contextlib.suppress(ReplyError):
        assert isinstance(read_object(text), dict)


HOSTILE = [
    "{",
    '{"',
    '{"a"',
    '{"a"}',
    '{"a":',
    '{"verdict"}',
    "{}",
    "}",
    '"',
    '\\"',
    '{"\\',
    "{ ",
    '{ "',
    "<think>",
    "</think>",
    "<think></think>",
    "<think>{",
    ", ",
    '{"a":1,}',
    "[{",
    "{'",
    "\ud800",
]


@pytest.mark.parametrize("required", [frozenset(), WANTED], ids=["any", "wanted"])
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_of_half_a_million_characters_ends(piece: str, required: frozenset[str]) -> None:
    """Work that grew with the square of the length would not come back within the patience of a person."""
    text = piece * (500_000 // len(piece))
    with contextlib.suppress(ReplyError):
        assert isinstance(read_object(text, required), dict)


def test_whole_characters() -> None:
    assert whole_characters("plain") == "plain"
    assert whole_characters("\ud83d\ude00") == "😀"
    assert whole_characters("a\ude00\ud83db") == "a\ufffd\ufffdb"
