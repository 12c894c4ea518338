"""The panel's rule: nothing is accepted without the passes it needs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.building.panel import Panel, decide, gather_votes, is_final
from perturb.catalogue.classes import Judges
from perturb.errors import FAULT, BudgetSpent
from perturb.records import PerturbationClass, Verdict, VerdictState

STATES = {
    "P": VerdictState.PASS,
    "F": VerdictState.FAIL,
    "U": VerdictState.UNSCORED,
    "A": VerdictState.ABSTAIN,
}


def panel(size: int = 3, needed: int | None = None, economy: bool = False, audit: float = 0.0) -> Panel:
    members = {f"v{n}": f"print{n}" for n in range(size)}
    return Panel("p", Judges(members), needed or size, economy, audit, 7, "digest")


def votes_of(marks: str) -> dict[str, Verdict]:
    """`P`, `F`, `U` and `A` for v0, v1, …; `u` for an unread reply, `-` for a vote that is missing."""
    return {f"v{n}": vote(f"v{n}", mark) for n, mark in enumerate(marks) if mark != "-"}


def vote(name: str, mark: str) -> Verdict:
    return Verdict("c", name, STATES[mark.upper()], raw="hm" if mark == "u" else "")


TABLE = [
    (3, "PPP", "accepted", "3 of 3 verifiers passed it"),
    (3, "PPF", "rejected", "failed by v2"),
    (3, "FPF", "rejected", "failed by v0, v2"),
    (3, "PPU", "undecided", "no vote from v2"),
    (3, "PP-", "undecided", "no vote from v2"),
    (3, "---", "undecided", "no vote from v0, v1, v2"),
    (3, "UUU", "undecided", "no vote from v0, v1, v2"),
    (3, "FU-", "rejected", "failed by v0"),
    (2, "PPF", "accepted", "2 of 3 verifiers passed it"),
    (2, "PPU", "accepted", "2 of 3 verifiers passed it"),
    (2, "PFF", "rejected", "failed by v1, v2"),
    (2, "PFU", "undecided", "no vote from v2"),
    (2, "PUU", "undecided", "no vote from v1, v2"),
    (1, "FFP", "accepted", "1 of 3 verifiers passed it"),
    (1, "FFF", "rejected", "failed by v0, v1, v2"),
    (1, "FFU", "undecided", "no vote from v2"),
    (3, "PAP", "accepted", "2 of 2 verifiers passed it"),
    (3, "PAA", "accepted", "1 of 1 verifiers passed it"),
    (3, "AFA", "rejected", "failed by v1"),
    (3, "PA-", "undecided", "no vote from v2"),
    (3, "AAA", "undecided", "every verifier abstained"),
    (3, "AAU", "undecided", "no vote from v2"),
    (2, "PAA", "accepted", "1 of 1 verifiers passed it"),
    (2, "PAF", "rejected", "failed by v2"),
    (1, "AAF", "rejected", "failed by v2"),
]


@pytest.mark.parametrize(("needed", "marks", "acceptance", "reason"), TABLE)
def test_decisions(needed: int, marks: str, acceptance: str, reason: str) -> None:
    decision = decide(panel(needed=needed), "c", votes_of(marks))
    assert (decision.acceptance, decision.reason) == (acceptance, reason)


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(1, n), st.text("PFUA-", max_size=n))
    )
)
def test_nothing_is_accepted_without_the_passes_it_needs(drawn: tuple[int, int, str]) -> None:
    size, needed, marks = drawn
    acceptance = decide(panel(size, needed), "c", votes_of(marks)).acceptance
    judges = size - marks.count("A")
    assert (acceptance == "accepted") == (judges > 0 and marks.count("P") >= min(needed, judges))
    if acceptance == "rejected":
        assert judges - marks.count("F") < min(needed, judges)


@pytest.mark.parametrize(("needed", "acceptance"), [(1, "accepted"), (2, "undecided"), (3, "undecided")])
def test_who_does_not_judge_a_class_is_absent_for_it(needed: int, acceptance: str) -> None:
    missing, ambiguity = PerturbationClass.MISSING_INFO, PerturbationClass.AMBIGUITY
    judges = Judges({f"v{n}": f"print{n}" for n in range(3)}, {"v0": (missing,)})
    one = Panel("p", judges, needed, False, 0.0, 7, "digest")
    assert list(one.of_class(missing).members) == ["v0", "v1", "v2"]
    assert list(one.of_class(ambiguity).members) == ["v1", "v2"]
    assert decide(one.of_class(ambiguity), "c", votes_of("-P-")).acceptance == acceptance
    assert decide(one.of_class(ambiguity), "c", votes_of("FPP")).acceptance == "accepted"
    assert decide(one.of_class(missing), "c", votes_of("PPP")).acceptance == "accepted"


def test_strangers_have_no_vote() -> None:
    strangers = {f"x{n}": vote(f"x{n}", "P") for n in range(5)}
    assert decide(panel(), "c", strangers).acceptance == "undecided"


class Verifiers:
    """Answers as told and remembers the order."""

    def __init__(self, marks: str) -> None:
        self.marks = marks
        self.asked: list[str] = []

    async def ask(self, name: str) -> Verdict:
        self.asked.append(name)
        await asyncio.sleep(0)
        return vote(name, self.marks[int(name[1:])])


async def gather(one: Panel, marks: str, known: str = "") -> tuple[Mapping[str, Verdict], Sequence[str]]:
    verifiers = Verifiers(marks)
    votes = await gather_votes(one, "c", votes_of(known), verifiers.ask)
    return votes, verifiers.asked


async def test_full_asks_everybody() -> None:
    votes, asked = await gather(panel(), "FPF")
    assert asked == ["v0", "v1", "v2"]
    assert {name: v.state for name, v in votes.items()} == {"v0": "fail", "v1": "pass", "v2": "fail"}


@pytest.mark.parametrize(
    ("needed", "marks", "asked"),
    [
        (3, "FPP", 1),
        (3, "PFP", 2),
        (3, "PPP", 3),
        (3, "UFP", 2),
        (3, "UPP", 3),
        (2, "PPF", 2),
        (2, "FFP", 2),
        (1, "PFF", 1),
    ],
)
async def test_economy_asks_in_turn_until_it_is_certain(needed: int, marks: str, asked: int) -> None:
    _, names = await gather(panel(needed=needed, economy=True), marks)
    assert names == [f"v{n}" for n in range(asked)]


@pytest.mark.parametrize("marks", ["".join(marks) for marks in product("PFUA", repeat=3)])
@pytest.mark.parametrize("needed", [1, 2, 3])
async def test_economy_decides_as_full_does(needed: int, marks: str) -> None:
    full, economy = panel(needed=needed), panel(needed=needed, economy=True)
    outcomes = [decide(one, "c", (await gather(one, marks))[0]).acceptance for one in (full, economy)]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("economy", "known", "asked"),
    [
        (False, "P-U", ["v1", "v2"]),
        (False, "PPP", []),
        (True, "F--", []),
        (True, "P--", ["v1", "v2"]),
        (True, "U--", ["v0", "v1", "v2"]),
        (True, "A--", ["v1", "v2"]),
        (False, "AAA", []),
        (False, "P-u", ["v1"]),
        (True, "u--", ["v1", "v2"]),
    ],
)
async def test_only_missing_and_failed_votes_are_asked_for(
    economy: bool, known: str, asked: list[str]
) -> None:
    _, names = await gather(panel(economy=economy), "PPP", known)
    assert names == asked


async def test_an_audited_candidate_gets_every_vote() -> None:
    _, names = await gather(panel(economy=True, audit=1.0), "FFF")
    assert names == ["v0", "v1", "v2"]


async def test_a_spent_budget_lets_the_other_votes_come_in() -> None:
    came_in = []

    async def ask(name: str) -> Verdict:
        if name == "v0":
            raise BudgetSpent("spent")
        await asyncio.sleep(0.01)
        came_in.append(name)
        return vote(name, "P")

    with pytest.raises(BudgetSpent):
        await gather_votes(panel(), "c", {}, ask)
    assert came_in == ["v1", "v2"]


def test_the_audit_share_is_seeded_and_of_the_size_asked_for() -> None:
    ids = [f"candidate-{n}" for n in range(5000)]
    share = panel(economy=True, audit=0.1)
    drawn = [one for one in ids if share.is_audited(one)]
    assert drawn == [one for one in ids if share.is_audited(one)]
    assert 420 < len(drawn) < 580
    other = Panel("p", share.judges, 3, True, 0.1, 8, "digest")
    assert drawn != [one for one in ids if other.is_audited(one)]
    wider = panel(economy=True, audit=0.2)
    assert set(drawn) <= {one for one in ids if wider.is_audited(one)}


def test_none_and_all_may_be_audited() -> None:
    ids = [f"candidate-{n}" for n in range(200)]
    assert not any(panel(economy=True, audit=0.0).is_audited(one) for one in ids)
    assert all(panel(economy=True, audit=1.0).is_audited(one) for one in ids)
    assert all(panel(audit=0.0).is_audited(one) for one in ids), "under full every candidate gets every vote"


async def test_known_votes_are_kept_and_a_fault_of_a_check_is_not_asked_for_again() -> None:
    votes, names = await gather(panel(), "PPP", "P-F")
    assert names == ["v1"]
    assert {name: one.state for name, one in votes.items()} == {
        "v0": VerdictState.PASS,
        "v1": VerdictState.PASS,
        "v2": VerdictState.FAIL,
    }
    for why, final in ((f"{FAULT} rule broke", True), ("the connection failed", False)):
        assert is_final(Verdict("c", "v1", VerdictState.UNSCORED, issues=(why,), raw=why)) is final
