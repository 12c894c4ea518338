"""What a machine sees is wrong with a candidate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from perturb.building.checks import GROWTH_ALLOWANCE, MAX_GROWTH, copy_unchanged_parts, find_fault
from perturb.catalogue.levers import Catalogue
from perturb.records import ALL_CELLS, BaseInstance, Candidate, Cell, Intensity, Passage, PerturbationClass
from perturb.text.matching import holds_answer

CATALOGUE = Catalogue.load()
QUERY = "When did the mill open?"
TEXT = "The mill opened in 1984. It is red."
ORIGINAL = BaseInstance("i", "test", QUERY, (Passage(TEXT, title="Mill"),), ("1984", "the year 1984"))


def candidate(
    name: str, intensity: str, query: str = QUERY, text: str = TEXT, lever: str | None = None
) -> Candidate:
    cell = Cell(PerturbationClass(name), Intensity(intensity))
    lever = CATALOGUE.levers_of(cell)[0].name if lever is None else lever
    return Candidate("c", "i", "g", cell, lever, query, (Passage(text, title="Mill"),), "r", "e")


ODD = "The mill opened in 1984 or 1990. It is red."
GONE = "The mill opened long ago. It is red."
ASKED = "When did the mill, which never opened, open?"

TABLE = [
    ("P-Ambiguity", "LOW", QUERY, ODD, None),
    ("P-Ambiguity", "LOW", ASKED, TEXT, None),
    ("P-Ambiguity", "LOW", ASKED, ODD, None),
    ("P-Ambiguity", "LOW", QUERY, TEXT, "nothing was changed"),
    ("P-Ambiguity", "LOW", ASKED, GONE, "no accepted answer stands in the context any more"),
    ("P-Ambiguity", "HIGH", ASKED, GONE, None),
    ("P-Contradiction", "HIGH", QUERY, ODD, None),
    ("P-Contradiction", "HIGH", ASKED, ODD, "the query was changed, which P-Contradiction does not allow"),
    ("P-Contradiction", "LOW", QUERY, GONE, "no accepted answer stands in the context any more"),
    ("P-MissingInfo", "HIGH", QUERY, GONE, None),
    ("P-MissingInfo", "MEDIUM", QUERY, ODD, "the answer '1984' is left in the context"),
    ("P-MissingInfo", "LOW", QUERY, "The mill opened in 1984.", None),
    ("P-MissingInfo", "HIGH", ASKED, GONE, "the query was changed, which P-MissingInfo does not allow"),
    ("P-FalsePremise", "MEDIUM", ASKED, TEXT, None),
    ("P-FalsePremise", "MEDIUM", ASKED, ODD, "the context was changed, which P-FalsePremise does not allow"),
    ("P-GranularityMismatch", "HIGH", ASKED, ODD, None),
    ("P-EpistemicMismatch", "HIGH", " ", ODD, "the query is empty"),
    ("P-EpistemicMismatch", "HIGH", ASKED, "\n", "the context is empty"),
]


@pytest.mark.parametrize(("name", "intensity", "query", "text", "fault"), TABLE)
def test_faults(name: str, intensity: str, query: str, text: str, fault: str | None) -> None:
    assert find_fault(CATALOGUE, ORIGINAL, candidate(name, intensity, query, text)) == fault


def test_the_lever_must_be_of_the_cell_and_the_one_asked_for() -> None:
    here, other = (lever.name for lever in CATALOGUE.levers_of(ALL_CELLS[3])[:2])
    strange = CATALOGUE.levers_of(ALL_CELLS[4])[0].name
    text = "The mill opened in 1984 or so."

    def fault(lever: str, *offered: str) -> str | None:
        return find_fault(
            CATALOGUE, ORIGINAL, candidate("P-Contradiction", "LOW", QUERY, text, lever), offered
        )

    assert fault(here) is None
    assert fault(here, here) is None
    assert fault(here, other, here) is None
    assert fault(here, other) == f"lever '{here}' was used, '{other}' was asked for"
    assert (
        fault(strange) == f"lever '{strange}' belongs to P-Contradiction/MEDIUM, not to P-Contradiction/LOW"
    )
    assert fault("nonsense " * 30) == f"unknown lever '{('nonsense ' * 30)[:80]}'"


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_a_text_may_grow_so_far_and_no_further(more: int, fits: bool) -> None:
    limit = MAX_GROWTH * len(TEXT) + GROWTH_ALLOWANCE
    text = TEXT + "x" * (limit - len(TEXT) + more)
    fault = find_fault(CATALOGUE, ORIGINAL, candidate("P-Contradiction", "HIGH", QUERY, text))
    assert (fault is None) == fits
    if fault:
        assert f"has {limit + 1} characters, more than the {limit} allowed" in fault


@pytest.mark.parametrize(
    ("text", "answer", "held"),
    [
        ("in 1984.", "1984", True),
        ("in 19845", "1984", False),
        ("the  Red\nMILL", "red mill", True),
        ("costs $5.", "$5", True),
        ("it’s “so”", 'it\'s "so"', True),
        ("caf\u00e9", "cafe\u0301", True),
        ("A.B", "a.b", True),
        ("AxB", "a.b", False),
        ("Straße", "STRASSE", True),
    ],
)
def test_an_answer_stands_as_whole_words(text: str, answer: str, held: bool) -> None:
    assert holds_answer(text, answer) is held


def test_unchanged_parts_are_copied_from_the_original() -> None:
    retyped = candidate("P-Ambiguity", "LOW", "When did  the mill open?", TEXT.replace(" It", "\u00a0It"))
    copied = copy_unchanged_parts(ORIGINAL, retyped)
    assert (copied.query, copied.passages) == (ORIGINAL.query, ORIGINAL.passages)
    changed = candidate("P-Ambiguity", "LOW", ASKED, ODD)
    assert copy_unchanged_parts(ORIGINAL, changed) == changed


GERMAN = BaseInstance(
    "g",
    "test",
    "Wer schrieb den Faust?",
    (Passage("Den Faust schrieb Goethe. Er ist lang."),),
    ("Goethe",),
    language="de",
)
CHINESE = BaseInstance(
    "z", "test", "谁改进了纸？", (Passage("蔡伦改进了造纸的方法。"),), ("蔡伦",), language="zh"
)


@pytest.mark.parametrize(
    ("original", "name", "intensity", "text", "fault"),
    [
        (GERMAN, "P-MissingInfo", "HIGH", "Der Faust ist lang.", None),
        (
            GERMAN,
            "P-MissingInfo",
            "HIGH",
            "Den Faust schrieb GOETHE.",
            "the answer 'Goethe' is left in the context",
        ),
        (GERMAN, "P-Contradiction", "LOW", "Goethes Faust ist lang.", None),
        (
            GERMAN,
            "P-Contradiction",
            "LOW",
            "Der Faust ist lang.",
            "no accepted answer stands in the context any more",
        ),
        (
            CHINESE,
            "P-MissingInfo",
            "HIGH",
            "东汉的蔡伦改进了它。",
            "the answer '蔡伦' is left in the context",
        ),
        (
            CHINESE,
            "P-Contradiction",
            "LOW",
            "有人改进了它。",
            "no accepted answer stands in the context any more",
        ),
    ],
)
def test_answers_in_other_languages(
    original: BaseInstance, name: str, intensity: str, text: str, fault: str | None
) -> None:
    made = candidate(name, intensity, original.query)
    made = replace(made, passages=(replace(original.passages[0], text=text),))
    assert find_fault(CATALOGUE, original, made) == fault


def test_a_text_retyped_with_other_marks_is_put_back() -> None:
    text = "Er sagte „nein“ in １９８４, auf S. ٣."
    made = replace(
        candidate("P-Ambiguity", "LOW", "?"), passages=(Passage('Er sagte "nein" in 1984, auf S. 3.'),)
    )
    assert copy_unchanged_parts(replace(GERMAN, passages=(Passage(text),)), made).passages[0].text == text


MILLS = (
    "The mill opened in 1984. It is red.",
    "The mill has two floors.",
    "A guide says that the mill opened in 1990.",
)
NO_FLAW = (*MILLS[:2], "A guide says that the mill is red.")
PROOF = ("The mill opened in 1984.", "A guide says that the mill opened in 1990.")


def deep_candidate(
    intensity: str = "HIGH",
    query: str = QUERY,
    texts: tuple[str, ...] = MILLS,
    control: tuple[str, ...] = NO_FLAW,
    proof: tuple[str, ...] = PROOF,
    construction: str | None = None,
) -> Candidate:
    stated = {
        "depth": "deep",
        "construction": construction or CATALOGUE.constructions[0].name,
        "proof": proof,
        "control": [{"text": text} for text in control],
    }
    made = candidate("P-Contradiction", intensity, query)
    return replace(made, passages=tuple(map(Passage, texts)), stated=stated)


LOST = ("The mill opened long ago. It is red.", *MILLS[1:])
DEEP_FAULTS: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"intensity": "LOW"}, None),
    ({"construction": "nonsense"}, "unknown construction 'nonsense'"),
    ({"texts": MILLS[:2]}, "a deep item has 2 passages, at least 3 are needed"),
    ({"texts": MILLS * 4}, "12 passages, at most 6 may be added to 1"),
    ({"texts": (*MILLS, "x" * 3001)}, "passage 4 has 3001 characters, more than the 3000 allowed"),
    ({"proof": PROOF[:1]}, "the proof has 1 sentences, 2 to 12 are needed"),
    ({"proof": (PROOF[0], "It is blue.")}, "the proof quotes a sentence that the item does not hold: 'It is blue.'"),
    ({"proof": (PROOF[0], "guide says")}, "the proof quotes a fragment, not a sentence: 'guide says'"),
    ({"proof": (PROOF[0], "The mill opened in 1984. It is red.")}, "the proof quotes one place only: "
                                                                  "a deep flaw lies in several"),
    ({"control": MILLS}, "nothing carries the flaw: item and control are the same"),
    ({"query": ASKED}, "the query was changed, which P-Contradiction does not allow"),
    ({"control": LOST}, "no accepted answer stands in the context without the flaw"),
    ({"texts": LOST, "proof": MILLS[1:], "intensity": "LOW"}, "no accepted answer stands in the context any more"),
    ({"texts": LOST, "proof": MILLS[1:]}, None),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault"), DEEP_FAULTS)
def test_faults_of_deep_items(changes: dict[str, Any], fault: str | None) -> None:
    assert find_fault(CATALOGUE, ORIGINAL, deep_candidate(**changes)) == fault
