from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest

from perturb.curate.base_sets import load_base_set
from perturb.records import ALL_CELLS, BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules.analyse import analyse
from perturb.rules.answer_leakage import leak, substitute_left
from perturb.rules.engine import RuleCandidate, covered_levers, perturb_by_rule
from perturb.rules.redaction import without_names

CONTEXT_ONLY = (PerturbationClass.CONTRADICTION, PerturbationClass.MISSING_INFO)
OURS = (PerturbationClass.AMBIGUITY, *CONTEXT_ONLY)
NQ = Path(__file__).resolve().parents[1] / "data" / "nq-400.jsonl.gz"


def instance(query: str, text: str, *answers: str, title: str = "") -> BaseInstance:
    return BaseInstance("i1", "test", query, (Passage(text, title),), answers)


BRIDGE = instance(
    "When was the Corran Bridge opened?",
    "The Corran Bridge is a stone bridge in Leeds, Vermont. The Corran Bridge was opened in 1901 by the mayor. "
    "Before the great flood, a ferry crossed the river. Its blue railings (made of cast iron) are famous among "
    "painters of the valley. The toll house, also known as the Bee House, was sold, with 14 rooms for rent.",
    "1901",
    title="Corran Bridge",
)
SONG = instance(
    "who wrote the song the copper road",
    '"The Copper Road" is a song about a strike. "The Copper Road" was written by David Pryce. '
    "On 4 May 1954, the miners sang the song for the first time in the chapel, and it has been sung ever since.",
    "David Pryce",
    title="The Copper Road",
)
COUNT = instance(
    "how many miners are there in Eastmere",
    "There are 4,812 miners in Eastmere. Most of them live near the old harbour.",
    "4,812",
    title="Eastmere",
)


def made(base: BaseInstance, lever: str, seed: int = 1) -> RuleCandidate | None:
    cell = next(rule.cell for rule in covered_levers() if rule.lever == lever)
    result = perturb_by_rule(base, cell, lever, seed)
    return result if isinstance(result, RuleCandidate) else None


def text_of(base: BaseInstance, lever: str, seed: int = 1) -> str:
    candidate = made(base, lever, seed)
    assert candidate is not None, lever
    return candidate.passages[0].text


@pytest.mark.parametrize(
    ("lever", "lost"),
    [
        ("Parenthetical Excise", " (made of cast iron)"),
        ("Remove City Phrase", "Leeds, "),
        ("Strip Non-queried Statistic", ", with 14 rooms for rent"),
        ("Intro Clause Removal", "Before the great flood, "),
    ],
)
def test_details_that_are_not_needed_are_deleted(lever: str, lost: str) -> None:
    text = text_of(BRIDGE, lever)
    assert lost not in text
    assert len(text) == len(BRIDGE.passages[0].text) - len(lost)
    assert "1901" in text


def test_a_date_beside_the_question_keeps_its_year() -> None:
    assert "In 1954, the miners" in text_of(SONG, "Trim Month but Keep Year")


def test_only_a_sentence_marked_as_an_example_is_dropped() -> None:
    assert made(BRIDGE, "Drop Example Sentence") is None
    text = f"{BRIDGE.passages[0].text} For example, a mill lost its road."
    exemplified = instance(BRIDGE.query, text, "1901", title="Corran Bridge")
    assert text_of(exemplified, "Drop Example Sentence") == BRIDGE.passages[0].text


def test_a_citation_abstains_where_a_description_or_a_rival_says_who_is_meant() -> None:
    plain = instance(
        "who opened the mill", "The mill was idle for years. It was opened at last by Ann Lee.", "Ann Lee"
    )
    assert made(plain, "Placeholder Citation") is not None
    for told in (
        "The mill was idle for years. The king's wife, Ann Lee, opened the mill.",
        "The mill was idle for years. It was opened at last by Ann Lee, the mayor of Corran.",
        "The mill was idle for years. It was opened at last by Ann Lee, and Mary Price spoke.",
    ):
        assert made(instance(plain.query, told, "Ann Lee"), "Placeholder Citation") is None


def test_the_clause_alone_is_excised_where_a_clause_holds_the_answer() -> None:
    text = "The Corran Mill, founded in 1901, is a mill in the north of the valley. It has two wheels and a shop."
    mill = instance("when was the corran mill founded", text, "1901", title="Corran Mill")
    assert text_of(mill, "Answer Clause Excised") == text.replace(", founded in 1901,", "")


def test_excising_abstains_when_another_date_could_step_in() -> None:
    assert made(BRIDGE, "Answer Clause Excised") is not None
    dated = instance(
        BRIDGE.query, f"{BRIDGE.passages[0].text} It was rebuilt in 1950.", "1901", title="Corran Bridge"
    )
    assert made(dated, "Answer Clause Excised") is None


def test_the_answer_leaves_every_text_of_missing_info() -> None:
    for base in (BRIDGE, SONG, COUNT):
        analysis = analyse(base)
        for rule in covered_levers():
            if (
                rule.cell.perturbation_class is PerturbationClass.MISSING_INFO
                and rule.cell.intensity != Intensity.LOW
            ):
                candidate = made(base, rule.lever)
                if candidate is not None:
                    assert leak(analysis, candidate.passages[0].text) is None, rule.lever
                    assert base.answers[0] not in candidate.passages[0].text


def test_name_parts_and_roots_are_leaks() -> None:
    analysis = analyse(SONG)
    assert leak(analysis, "It was Pryce's best.") is not None
    assert leak(analysis, "The prices rose.") is None
    element = instance(
        "which element has the number 107", "Bohrium is the element with the number 107.", "Bohrium"
    )
    assert leak(analyse(element), "It is named after Niels Bohr.") == "Bohr"
    country = instance("where was the film Rust shot", "The film Rust was shot in Canada.", "Canada")
    assert leak(analyse(country), "A Canadian crew shot it.") == "Canadian"


def test_other_people_could_be_taken_for_the_answer() -> None:
    assert substitute_left(analyse(SONG), "It was sung by Ann Lee.") is not None
    assert substitute_left(analyse(SONG), "It was sung by the choir.") is None


def test_names_are_blacked_out_across_a_text() -> None:
    text = without_names(
        'Although Ann saw "The Rose" in Rome, Dr. B. Lee of the BBC left in May. The end.', "[X]"
    )
    assert text == "Although [X] saw [X] in [X], [X] of the [X] left in May. The end."


@pytest.mark.parametrize(
    "lever",
    [
        "Source-Timing Drift",
        "Modal Dilution",
        "Exclusive-Or Violation",
        "Mutual Exclusion Claim",
    ],
)
@pytest.mark.parametrize("base", [BRIDGE, SONG, COUNT], ids=["date", "person", "number"])
def test_clashing_statements_differ_in_the_answer_alone(lever: str, base: BaseInstance) -> None:
    text = text_of(base, lever)
    rival = analyse(base).alternative
    assert rival is not None
    assert base.answers[0] in text
    assert rival in text
    assert "official" not in text


def test_dates_of_two_authorities_clash() -> None:
    years = set(re.findall(r"opened in (\d{4})", text_of(BRIDGE, "Dual-authoritative Dates")))
    assert len(years) == 2


def test_an_order_of_magnitude_lies_between_the_figures() -> None:
    assert "481,200" in text_of(COUNT, "Order-of-Magnitude Numeric Clash")


def test_a_rounded_figure_is_a_correct_rounding() -> None:
    assert "4,800" in text_of(COUNT, "Minor Numeric Rounding")


def test_a_clash_takes_the_place_of_every_sentence_that_tells_who_is_right() -> None:
    told = instance(
        SONG.query, f"{SONG.passages[0].text} Pryce was a poet.", "David Pryce", title="The Copper Road"
    )
    candidate = made(told, "Source-Timing Drift")
    assert candidate is not None
    assert "Pryce was a poet" not in candidate.passages[0].text


def test_wordings_vary_with_the_seed() -> None:
    for rule in covered_levers():
        if rule.lever in (
            "Peripheral Attribute Clash",
            "Modal Dilution",
            "Binary State Flip",
        ):
            assert len({text_of(SONG, rule.lever, seed) for seed in range(40)}) >= 6


def test_ambiguity_keeps_two_answers_in_the_context() -> None:
    rival = analyse(SONG).alternative
    assert rival is not None
    for rule in covered_levers():
        if (
            rule.cell.perturbation_class is PerturbationClass.AMBIGUITY
            and rule.cell.intensity != Intensity.LOW
        ):
            candidate = made(SONG, rule.lever)
            if candidate is not None:
                assert rival in candidate.passages[0].text, rule.lever
                assert "David Pryce" in candidate.passages[0].text, rule.lever


def test_a_pronoun_takes_the_place_of_the_topic() -> None:
    candidate = made(BRIDGE, "Salient-antecedent Pronoun")
    assert candidate is not None
    assert re.search(r"the Corran Bridge.*when was it opened\?$", candidate.query)


@pytest.mark.parametrize(
    "base",
    [
        instance("من كتب النشيد الوطني الجديد هنا", "كتب علي النشيد الوطني الجديد هنا. غنى الناس.", "علي"),
        instance(
            "who wrote {{ 7 * 7 }} in {x}",
            "Ann Lee wrote {{ 7 * 7 }} in {x}. {% raw %} It is {0} old.",
            "Ann Lee",
        ),
        instance(
            "who wrote \ud83d\ude00 hymn for us",
            "Ann Lee wrote the \ud83d\ude00 hymn for us. It is old.",
            "Ann Lee",
        ),
        instance(
            "who wrote the ((( hymn [song",
            "Ann Lee wrote the ((( hymn [song. It is old.",
            "Ann Lee",
            title="(((",
        ),
        instance(
            "who wrote the hymn of Tarn",
            "Ann Lee wrote the hymn of Tarn\n\n\t* Ann Lee\n* Bo",
            "Ann Lee",
            "Ann",
        ),
    ],
)
def test_odd_texts_do_not_crash_a_rule(base: BaseInstance) -> None:
    for rule in covered_levers():
        for seed in range(3):
            result = perturb_by_rule(base, rule.cell, rule.lever, seed)
            if isinstance(result, RuleCandidate):
                assert "49" not in result.query


@lru_cache(maxsize=1)
def questions() -> tuple[BaseInstance, ...]:
    return load_base_set(NQ, "nq").instances


@pytest.mark.parametrize("cell", [c for c in ALL_CELLS if c.perturbation_class in OURS], ids=str)
def test_targets_and_answers_over_the_questions_of_nq(cell: Cell) -> None:
    count = 0
    for number, base in enumerate(questions()):
        result = perturb_by_rule(base, cell, None, number)
        if not isinstance(result, RuleCandidate):
            continue
        count += 1
        text = result.passages[0].text
        if cell.perturbation_class in CONTEXT_ONLY:
            assert result.query == base.query
        if cell.intensity is Intensity.LOW:
            standing = [a for a in base.answers if a in base.passages[0].text]
            assert all(a in text for a in standing)
        elif cell.perturbation_class is PerturbationClass.MISSING_INFO:
            assert leak(analyse(base), f"{result.passages[0].title} {text}") is None
        assert not re.search(r"\{\w+\}", f"{result.query} {text}")
    assert count >= 60


def test_nothing_is_put_between_a_sentence_and_one_that_leans_on_it() -> None:
    leaning = instance(
        SONG.query,
        "The Copper Road is a song. It was written by David Pryce. It lasts three minutes. The choir sings it.",
        "David Pryce",
        title="The Copper Road",
    )
    candidate = made(leaning, "Peripheral Attribute Clash")
    assert candidate is not None
    assert "David Pryce. It lasts three minutes." in candidate.passages[0].text
