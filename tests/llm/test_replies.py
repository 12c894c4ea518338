from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.llm.replies import ReplyError, read_object, whole_characters

WANTED = frozenset({"verdict", "issues"})
PASS = {"verdict": "PASS", "issues": []}
FAIL = {"verdict": "FAIL", "issues": ["the question is unchanged"]}
P = json.dumps(PASS)
F = json.dumps(FAIL)

READABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "bare": (P, PASS),
    "blanks around": (f"\n\n  {P}\n ", PASS),
    "indented": (json.dumps(PASS, indent=4), PASS),
    "fenced": (f"```json\n{P}\n```", PASS),
    "fenced without a language": (f"```\n{P}\n```", PASS),
    "fence that never ends": (f"```json\n{P}", PASS),
    "prose before": (f"Here is my verdict: {P}", PASS),
    "prose after": (f"{P}\n\nI hope this helps!", PASS),
    "prose with apostrophes and quotes": (f'It\'s "clear" that we\'ll say {P} and "more', PASS),
    "a set in prose before": (f"The options {{PASS, FAIL}} leave {P}", PASS),
    "an open brace in prose": (f"The set {{1, 2 and so on. {P}", PASS),
    "an empty object before": (f"{{}} {P}", PASS),
    "thinking": (f"<think>Perhaps {F}? No.</think>\n{P}", PASS),
    "thinking with an open brace": (f'<think>Perhaps {{"verdict": "FAIL", ...</think>\n{P}', PASS),
    "thinking tag in capitals": (f"<THINKING>{F}</THINKING>{P}", PASS),
    "two blocks": (f"<reasoning>{F}</reasoning>\n<think>{F}</think> {P}", PASS),
    "thinking in brackets": (f"[THINK]Perhaps {F}?[/THINK]\n{P}", PASS),
    "thinking in triangles": (f"◁think▷Perhaps {F}?◁/think▷{P}", PASS),
    "thinking in a channel": (
        f"<|channel|>analysis<|message|>Perhaps {F}?<|end|><|start|>assistant<|channel|>final<|message|>{P}",
        PASS,
    ),
    "thinking after prose": (f"Let me see. <think>It holds.</think> {P}", PASS),
    "thinking whose opening tag was swallowed": (f"Perhaps, perhaps not.</think>{P}", PASS),
    "the same twice": (f"{P}\n{json.dumps(PASS, indent=1)}", PASS),
    "another object without the keys": (f'{{"note": "draft"}} {P}', PASS),
    "in a list": (f"[{P}]", PASS),
    "trailing commas": ('{"verdict": "PASS", "issues": [],}', PASS),
    "trailing comma in a list": (
        '{"verdict": "PASS", "issues": ["a,]", "b", ],\n}',
        PASS | {"issues": ["a,]", "b"]},
    ),
    "raw line break": ('{"verdict": "PASS", "issues": ["a\nb\tc"]}', PASS | {"issues": ["a\nb\tc"]}),
    "byte-order mark": ("\ufeff" + P, PASS),
    "extra keys": (json.dumps(PASS | {"why": 1}), PASS | {"why": 1}),
    "thinking tags in a string": (
        json.dumps(PASS | {"issues": ["<think>x</think>"]}),
        PASS | {"issues": ["<think>x</think>"]},
    ),
    "braces in a string": (json.dumps(PASS | {"issues": ["}{", '"}']}), PASS | {"issues": ["}{", '"}']}),
    "a broken object without the keys": (f'{{"draft" "x"}} {P}', PASS),
    "the other verdict quoted in a string": (
        json.dumps(PASS | {"issues": [f"the passage says {F}"]}),
        PASS | {"issues": [f"the passage says {F}"]},
    ),
    "a lone surrogate": ('{"verdict": "PASS", "issues": ["\\ud800"]}', PASS | {"issues": ["\ufffd"]}),
    "an escaped pair": ('{"verdict": "PASS", "issues": ["\\ud83d\\ude00"]}', PASS | {"issues": ["😀"]}),
}

UNREADABLE: dict[str, tuple[str, str]] = {
    "nothing": ("", "an empty reply"),
    "blanks": (" \n\t", "an empty reply"),
    "prose": ("I would rather not say.", "text without a JSON object"),
    "prose that names the verdict": ("Verdict: PASS", "text without a JSON object"),
    "a number": ("42", "text without a JSON object"),
    "cut off": (P[:-3], "cut off"),
    "cut off in a string": ('{"verdict": "PASS", "issues": ["and th', "cut off"),
    "cut off in an escape": ('{"verdict": "PASS", "issues": ["and\\', "cut off"),
    "only thinking": (f"<think>{P}</think>", "text without a JSON object"),
    "thinking that never ends": (f"<think>I wonder. {P}", "never ends"),
    "two blocks with words between": (f"<think>{F}</think> so <think>{F}</think> {P}", "2 different"),
    "a draft in thinking whose opening tag was swallowed": (f"Perhaps {F}? No.</think>{P}", "2 different"),
    "a draft before a stray closing tag": (f"{P}</think>", "part of the thinking"),
    "the same on both sides of a stray closing tag": (f"{P}</think>{P}", "part of the thinking"),
    "another verdict in thinking after": (f"{P}<think>or {F}?</think>", "2 different"),
    "thinking after": (f"{P}<think>or not?</think>", "part of the thinking"),
    "prose, then thinking that never ends": (f"Well. <think>I wonder. {P}", "part of the thinking"),
    "between quoted tags": (f'It says "<think>": {F} "</think>" {P}', "2 different"),
    "missing key": ('{"verdict": "PASS"}', "without 'issues'"),
    "nested": (json.dumps({"result": PASS}), "without 'issues', 'verdict'"),
    "nested in single quotes": (f"{{'result': {P}}}", "text without a JSON object"),
    "double braces": (f"{{{P}}}", "text without a JSON object"),
    "two different": (f"{P}\n{F}", "2 different JSON objects"),
    "said twice": ('{"verdict": "FAIL", "verdict": "PASS", "issues": []}', "'verdict' is given twice"),
    "not a number": ('{"verdict": NaN, "issues": []}', "NaN is not JSON"),
    "infinite": ('{"verdict": 1e999, "issues": []}', "out of range"),
    "a very long number": ('{"issues": [], "verdict": ' + "1" * 5000 + "}", "broken JSON object"),
    "single quotes": ("{'verdict': 'PASS', 'issues': []}", "text without a JSON object"),
    "unescaped quotes": ('{"verdict": "PASS", "issues": ["he said "no""]}', "broken JSON object"),
    "the verdict quoted with unescaped quotes": (
        f'{{"issues": ["the passage says "{P}""], "verdict": "FAIL"}}',
        "broken JSON object",
    ),
    "quoted in an object that is cut off": (f'{{"note": {json.dumps(P)}, "verdict": "FA', "cut off"),
    "a draft that is cut off after a good one": (f'{P} No, wait: {{"verdict": "FAIL", "iss', "cut off"),
    "too deep": ('{"verdict":' * 50_000, "cut off"),
    "too deep but closed": ('{"verdict":' * 50_000 + "1" + "}" * 50_000, "too deeply"),
}


@pytest.mark.parametrize("name", READABLE)
def test_readable(name: str) -> None:
    text, wanted = READABLE[name]
    assert read_object(text, WANTED) == wanted


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable(name: str) -> None:
    text, words = UNREADABLE[name]
    with pytest.raises(ReplyError) as caught:
        read_object(text, WANTED)
    assert words in str(caught.value)
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
