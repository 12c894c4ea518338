"""Rules over several passages: signal passages change, and no other passage undoes the flaw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perturb.catalogue import Catalogue
from perturb.curate import demo_path, load_base_set
from perturb.generate.by_rule import generate_by_rule
from perturb.records import (
    ALL_CELLS,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Job,
    JobOutcome,
    Passage,
    PerturbationClass,
)
from perturb.rules import engine
from perturb.rules.analyse import analyse
from perturb.rules.checks import judge_by_rule
from perturb.rules.engine import Abstention, RuleCandidate, perturb_by_rule
from perturb.rules.several import signal_part

CATALOGUE = Catalogue.load()
ANSWERING = Passage(
    '"The Copper Road" is a song about a miners\' strike. It was written by the Welsh poet David Pryce. '
    "Its tune (an old march) is known all over the valley, and the choir still sings it every winter.",
    "The Copper Road",
)
NOISE = (
    Passage("The valley had nine pits. The last of them closed in the spring.", "Pits", "noise"),
    Passage("Copper is a metal that conducts heat well.", "Copper", "noise"),
)
BASE = BaseInstance(
    "i1", "test", "who wrote the copper road", (NOISE[0], ANSWERING, NOISE[1]), ("David Pryce",)
)
CONTRADICTION = Cell(PerturbationClass.CONTRADICTION, Intensity.MEDIUM)
AMBIGUITY = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)
MISSING = Cell(PerturbationClass.MISSING_INFO, Intensity.MEDIUM)


def with_passage(text: str, role: str, title: str = "Notes") -> BaseInstance:
    """The base instance with one passage more."""
    more = Passage(text, title, "signal" if role == "signal" else "noise")
    return replace(BASE, passages=(*BASE.passages, more))


def made(instance: BaseInstance, cell: Cell) -> list[RuleCandidate]:
    drafts = [perturb_by_rule(instance, cell, None, seed) for seed in range(8)]
    return [draft for draft in drafts if isinstance(draft, RuleCandidate)]


def reasons(instance: BaseInstance, cell: Cell) -> str:
    drafts = [perturb_by_rule(instance, cell, None, seed) for seed in range(8)]
    return "\n".join(draft.reason for draft in drafts if isinstance(draft, Abstention))


@pytest.mark.parametrize("cell", ALL_CELLS, ids=str)
def test_noise_stays_letter_for_letter_and_in_its_place(cell: Cell) -> None:
    for draft in made(BASE, cell):
        assert (draft.passages[0], draft.passages[2]) == NOISE
        assert len(draft.passages) == 3


def test_what_a_single_passage_allows_is_allowed_beside_noise() -> None:
    alone = replace(BASE, passages=(ANSWERING,))
    for cell in (CONTRADICTION, MISSING, AMBIGUITY):
        assert (
            {draft.lever for draft in made(BASE, cell)}
            == {draft.lever for draft in made(alone, cell)}
            != set()
        )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Later David Pryce taught in Swansea.", "Teachers"),
        ("A teacher from Swansea.", "David Pryce"),
        ("The writer of The Copper Road, Pryce by name, taught in Swansea.", "Teachers"),
        ("The Copper Road was first sung by Gwen Howell, who wrote its preface.", "Songs"),
    ],
)
def test_a_noise_passage_that_tells_the_answer_or_another_keeps_it_from_going_missing(
    text: str, title: str
) -> None:
    instance = with_passage(text, "noise", title)
    assert made(instance, MISSING) == []
    assert "noise passage" in reasons(instance, MISSING)


@pytest.mark.parametrize("role", ["signal", "noise"])
def test_a_passage_that_backs_the_answer_settles_a_clash(role: str) -> None:
    backed = with_passage("The Copper Road was written by David Pryce.", role)
    beside = with_passage("The pits are said to be haunted.", role)
    assert made(backed, CONTRADICTION) == []
    assert made(beside, CONTRADICTION) != []
    assert "left alone settles the question" in reasons(backed, CONTRADICTION) or role == "signal"


@pytest.mark.parametrize("role", ["signal", "noise"])
def test_only_an_ambiguity_of_the_question_survives_a_plain_statement_elsewhere(role: str) -> None:
    backed = with_passage("The Copper Road was written by David Pryce.", role)
    assert any(draft.query == BASE.query for draft in made(BASE, AMBIGUITY))
    assert all(draft.query != BASE.query for draft in made(backed, AMBIGUITY))


def test_a_low_rival_is_not_one_that_a_noise_passage_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_RULES", engine._ALL_RULES)
    cell, lever = Cell(PerturbationClass.CONTRADICTION, Intensity.LOW), "Fringe vs. Official Source"
    rival = analyse(signal_part(BASE)).alternative
    assert rival is not None
    assert isinstance(perturb_by_rule(BASE, cell, lever, 1), RuleCandidate)
    backed = perturb_by_rule(with_passage(f"The mayor was {rival}.", "noise"), cell, lever, 1)
    assert isinstance(backed, Abstention)
    assert "a noise passage holds" in backed.reason


def test_every_candidate_of_the_embedded_set_keeps_to_the_passages_it_may_change() -> None:
    instances = load_base_set(demo_path("garage")).instances
    kept = 0
    for instance in instances:
        for cell in ALL_CELLS:
            job = Job("j", instance.id, cell, "rules", 0, "r1")
            result = generate_by_rule(CATALOGUE, job, instance, 7)
            assert result.outcome in (JobOutcome.CANDIDATE, JobOutcome.ABSTAINED), result.detail
            kept += result.outcome is JobOutcome.CANDIDATE
    assert kept >= 34


def candidate(instance: BaseInstance, cell: Cell, *changes: tuple[int, str], lever: str = "-") -> Candidate:
    passages = list(instance.passages)
    for index, text in changes:
        passages[index] = replace(passages[index], text=text)
    return Candidate(
        "c", "i1", "g", cell, lever, instance.query, tuple(passages), "", CATALOGUE.expected_behavior(cell)
    )


RIVAL = "It was written by the Welsh poet Owen Gethin."


def test_an_offline_verifier_counts_the_passages_on_each_side() -> None:
    target = CATALOGUE.classes[PerturbationClass.CONTRADICTION].target
    said = "The Copper Road was written by the Welsh poet David Pryce."

    def settled(instance: BaseInstance, *changes: tuple[int, str]) -> bool:
        result = judge_by_rule(
            "contradiction", instance, candidate(instance, CONTRADICTION, *changes), target
        )
        return any("settles the clash" in issue for issue in result.issues)

    both = ANSWERING.text.replace("It was written", f"{RIVAL} It was written")
    other = ANSWERING.text.replace("David Pryce", "Owen Gethin")
    two, three = with_passage(said, "signal"), replace(with_passage(said, "signal"))
    three = replace(three, passages=(*three.passages, Passage(said, "More", "signal")))
    assert not settled(BASE, (1, both))
    assert settled(two, (1, both)), "one passage has both sides, the other backs the answer"
    assert not settled(two, (1, other)), "one passage for each side"
    assert settled(three, (1, other)), "two passages against one"


def test_the_number_of_a_passage_is_no_trace_of_an_answer() -> None:
    instance = BaseInstance(
        "n",
        "test",
        "how many bells hang in the tower",
        (Passage("In the old tower hang 2 bells. It is tall.", "Tower"), Passage("A road.", "Road", "noise")),
        ("2",),
    )
    target = CATALOGUE.classes[PerturbationClass.MISSING_INFO].target
    gone = candidate(instance, MISSING, (0, "In the old tower hang bells. It is tall."))
    assert judge_by_rule("answer-state", instance, gone, target).passed
    titled = replace(gone, passages=(gone.passages[0], replace(gone.passages[1], title="2 bells")))
    assert not judge_by_rule("answer-state", instance, titled, target).passed


def test_a_company_in_whose_house_a_book_lay_is_no_book() -> None:
    (instance,) = (one for one in load_base_set(demo_path("garage")).instances if "east india" in one.query)
    drafts = [draft for cell in ALL_CELLS for draft in made(instance, cell)]
    written = "\n".join(text for draft in drafts for text in (draft.query, *(p.text for p in draft.passages)))
    assert "the Dutch East India Company" in written
    assert "book Dutch East India Company" not in written
