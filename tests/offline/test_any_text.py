"""No text stops a rule or a check: whatever the question, the passages and the answers are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from perturb.building.offline.checked_item import NO_OPINION, RuleVerdict
from perturb.building.offline.engine import Abstention, DonorTable, RuleCandidate, perturb_by_rule
from perturb.building.offline.facts import facts_of
from perturb.building.offline.judge import CHECKS, judge_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import embedded_path, load_base_set
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Passage
from perturb.text.matching import MAX_CHARS, beyond_reading

CATALOGUE = Catalogue.load()
KNOWN = tuple(
    instance
    for name in ("demo", "garage")
    for instance in load_base_set(embedded_path(name), limit=25).instances
)
DONORS = DonorTable.of(KNOWN)

WORDS = """who when how many where which what did is the of and in 1984 12.5 -3 May Ada Lovelace U.S. Dr. St. Louis . ,
; : ( ) [ ] " ' — – … % $ 's First, However, It He They not no"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\n\n"]) | st.text(max_size=12)
TEXTS = st.lists(PIECES, min_size=1, max_size=12).map(" ".join)


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    """The text with something cut out, put in or said twice; or another one."""
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    end = min(end, start + 40)
    return draw(
        st.sampled_from(
            (text, text[:start] + text[end:], text + text[start:end], text[start:end], text.upper())
        )
        | TEXTS.map(lambda new: text[:start] + new + text[end:])
        | TEXTS
    )


@st.composite
def instances(draw: st.DrawFn) -> BaseInstance:
    """A known instance with any of its texts edited; an answer may be any words of its passages."""
    known = draw(st.sampled_from(KNOWN))
    passages = tuple(
        Passage(draw(edited(passage.text)), draw(st.just(passage.title) | TEXTS), passage.role)
        for passage in known.passages[: draw(st.integers(1, 3))]
    )
    spoken = " ".join(passage.text for passage in passages).split() or ["nothing"]
    ends = [place for place, word in enumerate(spoken) if word.endswith(".")] or [0]
    first = draw(st.integers(0, len(spoken) - 1) | st.sampled_from(ends))
    span = " ".join(spoken[first : first + draw(st.integers(1, 4))])
    answers = draw(
        st.sampled_from((known.answers, (span,), (span,), (span, *known.answers))) | st.tuples(TEXTS)
    )
    return replace(known, query=draw(edited(known.query)), passages=passages, answers=answers)


def judge_all(
    instance: BaseInstance, cell: Cell, lever: str, query: str, passages: tuple[Passage, ...]
) -> list[RuleVerdict]:
    code = CATALOGUE.expected_behavior(cell)
    candidate = Candidate("c", instance.id, "rules", cell, lever, query, passages, "", code)
    target = CATALOGUE.classes[cell.perturbation_class].target
    return [judge_by_rule(check, instance, candidate, target) for check in CHECKS]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(instance=instances(), seed=st.integers(0, 9))
def test_no_text_stops_a_rule_or_a_check_of_what_it_made(instance: BaseInstance, seed: int) -> None:
    assume(facts_of(instance).unfit is None)  # the engine tries no rule on what it cannot make out
    for lever in CATALOGUE.levers:
        made = perturb_by_rule(CATALOGUE, instance, lever.cell, lever.name, seed, DONORS.lent_to(instance))
        if isinstance(made, RuleCandidate):
            judge_all(instance, lever.cell, made.lever, made.query, made.passages)


@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), instance=instances())
def test_no_change_of_an_instance_stops_a_check(
    cell: Cell, data: st.DataObject, instance: BaseInstance
) -> None:
    passages = tuple(replace(passage, text=data.draw(edited(passage.text))) for passage in instance.passages)
    lever = data.draw(st.sampled_from(CATALOGUE.levers_of(cell))).name
    judge_all(instance, cell, lever, data.draw(edited(instance.query)), passages)


STORY = "Leonardo da Vinci painted the Mona Lisa in Florence in 1503. The sitter is Lisa Gherardini. It hangs in Paris."
PAINTED = BaseInstance(
    "painted",
    "by hand",
    "who painted the mona lisa",
    (Passage(STORY, "Mona Lisa", "signal"),),
    ("Leonardo da Vinci",),
)
UNITS = [
    "\n",
    " ",
    "\xa0",
    *"[(\"'1A.,-_●",
    "ab",
    "1,",
    "[a] ",
    "“A ",
    "and ",
    "a. ",
    ". ",
    "A B. ",
    "U.S. ",
    "Ada, ",
]


def followed_by(unit: str, length: int) -> BaseInstance:
    """The instance with a passage of so many characters, most of them one unit said again and again."""
    text = f"{STORY} {unit * length}"[:length]
    return replace(PAINTED, passages=(replace(PAINTED.passages[0], text=text),))


@pytest.mark.parametrize("length", [15_000, 49_000])
@pytest.mark.parametrize("unit", [*UNITS, "12 May 1999 ", "Leonardo da Vinci "])
def test_texts_on_which_patterns_take_minutes_are_left_alone(unit: str, length: int) -> None:
    long = followed_by(unit, length)
    for cell in ALL_CELLS:
        made = perturb_by_rule(CATALOGUE, long, cell, None, 1)
        assert isinstance(made, Abstention)
        assert made.reason in (beyond_reading(long.query, long.passages), f"no rule for {cell}")
        lever = CATALOGUE.levers_of(cell)[0].name
        for one, other in ((long, PAINTED), (PAINTED, long)):
            judged = judge_all(one, cell, lever, "Who painted it?", other.passages)
            assert judged == [NO_OPINION] * len(CHECKS)


@pytest.mark.parametrize("unit", ["a. ", "U.S. ", "A B. ", "12 May 1999 ", "[a] ", "Leonardo da Vinci "])
def test_the_longest_texts_that_are_read_stop_nothing(unit: str) -> None:
    line = f"{unit * (2_900 // len(unit))}Painting is an art.\n"
    long = followed_by(line, MAX_CHARS - 100)
    assert beyond_reading(long.query, long.passages) is None
    for cell in ALL_CELLS:
        made = perturb_by_rule(CATALOGUE, long, cell, None, 1)
        if isinstance(made, RuleCandidate):
            assert len(judge_all(long, cell, made.lever, made.query, made.passages)) == len(CHECKS)
