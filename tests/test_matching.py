"""Texts of any script: what counts as the same, what stands in what, and what words there are."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perturb.text.matching import _DIGITS, folded, holds_answer, may_hold_answer, words

SCRIPTS = st.sampled_from(
    "abzßéüİıſАяЁίΣ东京長が한국กำที่หনিरामि्काعربُיִם0123९८٤４٣_ -.,'’“”„。，！?\u0301\u200d\n"
)
TEXTS = st.one_of(st.text(SCRIPTS, max_size=40), st.text(max_size=40))
ANSWERS = st.one_of(st.text(SCRIPTS, min_size=1, max_size=8), st.text(min_size=1, max_size=8)).filter(folded)
LATIN = st.text(st.sampled_from("abcxyzäöüßéñçøł0189_ -.,'’“”\n"), max_size=60)


@given(TEXTS)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


def test_every_digit_is_folded() -> None:
    every = [char for char in map(chr, range(0x80, 0x10000)) if unicodedata.decimal(char, None) is not None]
    assert [folded(char) for char in every] == [str(unicodedata.decimal(char)) for char in every]
    assert all(unicodedata.decimal(char) == int(digit) for char, digit in _DIGITS.items())


@given(TEXTS, ANSWERS, TEXTS)
def test_an_answer_between_blanks_is_found_in_any_script_and_form(
    before: str, answer: str, after: str
) -> None:
    text = f"{before} {answer} {after}"
    assert holds_answer(text, answer)
    assert holds_answer(unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", answer))


@given(TEXTS, ANSWERS)
def test_what_stands_in_a_text_may_stand_in_it(text: str, answer: str) -> None:
    assert may_hold_answer(text, answer) >= holds_answer(text, answer)


@given(LATIN)
def test_words_of_a_script_with_blanks_are_runs_of_letters(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text)


@given(TEXTS)
def test_words_leave_out_no_letter_and_no_digit(text: str) -> None:
    kept = [char for char in "".join(words(text)) if re.match(r"\w", char)]
    assert kept == re.findall(r"\w", text)


@pytest.mark.parametrize(
    ("text", "answer", "held", "may"),
    [
        ("Goethes Faust", "Goethe", False, True),
        ("die Straße nach Köln", "STRASSE", True, True),
        ("la ville de Cordoba", "Córdoba", False, True),
        ("schon", "schön", False, True),
        ("в Нижнем Новгороде", "Нижний Новгород", False, True),
        ("في القاهرة", "قاهرة", False, True),
        ("كتبَ", "كتب", False, True),
        ("रामायण", "राम", False, True),
        ("१९८४ में", "1984", True, True),
        ("112小时", "12小时", False, False),
        ("大约12小时左右", "12小时", True, True),
        ("１９８４年", "1984", True, True),
        ("최초로 서울은", "서울", True, True),
        ("ไปกรุงเทพมหานคร", "กรุงเทพ", True, True),
        ("Istanbul", "İstanbul", False, True),
        ("im Jahr 19845", "1984", False, False),
        ("Berlin", "Wien", False, False),
    ],
)
def test_what_is_surely_and_what_may_be_there(text: str, answer: str, held: bool, may: bool) -> None:
    assert (holds_answer(text, answer), may_hold_answer(text, answer)) == (held, may)


@given(ANSWERS)
def test_an_answer_in_another_form_of_the_same_characters_is_the_same(answer: str) -> None:
    assume(unicodedata.normalize("NFD", answer).strip())
    assert may_hold_answer(unicodedata.normalize("NFD", answer), answer)
