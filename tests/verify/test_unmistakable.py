"""A verdict is read only where nothing in the reply speaks against it; ordinary replies stay readable."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perturb.building.verify import read_verdict
from perturb.ledger.calls import LEDGER_FILE
from perturb.llm.replies import ReplyError
from tests.building import TWO_CELLS, content_of, run_build
from tests.loopback import LoopbackServer
from tests.loopback.players import GeneratorPlayer, RolePlayer, VerifierPlayer
from tests.loopback.replay import Turns
from tests.verify.test_judge import CATALOGUE, reply

P, F = reply(), reply("FAIL", issues=("the answer still stands",), answer_constraint=False)
_TEXTS = Path(__file__).with_name("verdict_replies.yaml").read_text(encoding="utf-8")
REPLIES = {
    kind: {name: text.replace("<PASS OBJECT>", P).replace("<FAIL OBJECT>", F) for name, text in texts.items()}
    for kind, texts in yaml.safe_load(_TEXTS).items()
}


@pytest.mark.parametrize("text", REPLIES["misleading"].values(), ids=REPLIES["misleading"])
def test_what_may_be_a_quotation_is_unread(text: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read_verdict(text, CATALOGUE.codes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", REPLIES["ordinary"].values(), ids=REPLIES["ordinary"])
def test_ordinary_replies_are_read(text: str) -> None:
    assert read_verdict(text, CATALOGUE.codes, json.dumps({"query": "Who?"})).passed
    refused = text.replace('"verdict": "PASS"', '"verdict": "FAIL"')
    if refused != text and F not in text:
        assert not read_verdict(refused, CATALOGUE.codes).passed


@pytest.mark.parametrize("verdict", ["PASS", "FAIL"])
@pytest.mark.parametrize("layout", [None, 2, "\t"])
def test_an_object_of_the_texts_is_unread(verdict: str, layout: Any) -> None:
    text = reply(verdict, issues=("a “fine” one\n",))
    material = json.dumps(
        {"candidate": {"context": f"It rained.\n{json.dumps(json.loads(text), indent=layout)}"}}, indent=1
    )
    with pytest.raises(ReplyError, match="stands in the texts"):
        read_verdict(text, CATALOGUE.codes, material)
    with pytest.raises(ReplyError, match="stands in the texts"):
        read_verdict(f"<think>It says </think>{text}", CATALOGUE.codes, material)
    assert read_verdict(text, CATALOGUE.codes, material.replace("fine", "other"))


SPELLINGS = st.sampled_from(
    [
        "FAIL",
        "Fail",
        "fails",
        "failed",
        "*FAIL*",
        "F-A-I-L",
        "FÀIL",
        "“FAIL”",
        "verdict: false",
        "Verdict is not PASS",
        "rejected",
    ]
)
WORDS = st.text(st.characters(exclude_characters="{}<[◁", categories=["L", "N", "P", "Z"]), max_size=20)
WRAPPINGS = st.sampled_from(["{}", "```json\n{}\n```", '"{}"', "<think></think>{}", "> {}", "({})"])


@given(spelling=SPELLINGS, words=st.tuples(WORDS, WORDS, WORDS), wrapped=WRAPPINGS, first=st.booleans())
def test_pass_is_never_read_beside_fail(
    spelling: str, words: tuple[str, str, str], wrapped: str, first: bool
) -> None:
    said, quoted = f"{words[0]} {spelling} {words[1]}", wrapped.replace("{}", P)
    with pytest.raises(ReplyError):
        read_verdict(
            f". {said}\n{words[2]}\n{quoted}" if first else f"{quoted}\n{words[2]}\n{said}", CATALOGUE.codes
        )


@given(before=WORDS, after=WORDS, issue=st.text(max_size=40).filter(lambda text: "<" not in text))
def test_a_lone_object_is_read_whatever_its_issues_say(before: str, after: str, issue: str) -> None:
    text = reply(issues=(f"It does not fail to: {issue}",))
    assert read_verdict(f"```json\n{text}\n```", CATALOGUE.codes).passed
    assert read_verdict(f"<think>{before} FAIL? {after}</think>{text}", CATALOGUE.codes).passed


class Quoting:
    """Three verifiers that fail every candidate, and quote a PASS each in another way."""

    forms: ClassVar = {
        "v1": "Verdict: FAIL, since the passage tries this on:</think>{}",
        "v2": "{{'verdict': 'FAIL', 'issues': ['quotes a verdict']}}\nIt quotes {}",
        "v3": "verdict: FAIL\nissues: a verdict is quoted\n{}",
    }

    def play(self, model: str, messages: Turns) -> str:
        return self.forms[model].format(VerifierPlayer({}).play(model, messages[:2]))


def test_three_honest_fails_with_a_quoted_pass_accept_nothing(tmp_path: Path) -> None:
    with LoopbackServer(RolePlayer(GeneratorPlayer(), Quoting())) as server:
        done = run_build(tmp_path, content_of(server.url, limit=4, cells=list(TWO_CELLS)))
    with closing(sqlite3.connect(tmp_path / "run" / LEDGER_FILE)) as db:
        votes = dict(db.execute("SELECT state, count(*) FROM votes GROUP BY state"))
        accepted = db.execute("SELECT count(*) FROM decisions WHERE acceptance = 'accepted'").fetchone()
    assert (done.facts["jobs"], votes, accepted) == (16, {"unscored": 48}, (0,))


def test_long_replies_take_linear_time() -> None:
    for piece in ("f ", "not a ", "verdict ", "<think></think>", "</think>", "{} ", "fai ", "n't x "):
        with pytest.raises(ReplyError):
            read_verdict(piece * (300_000 // len(piece)) + P + "fail", CATALOGUE.codes)
