"""Alternative values: something of the answer's type that the passages do not say."""

from __future__ import annotations

import random
import re
from typing import Any

from perturb.digests import seed_of
from perturb.rules import pools
from perturb.rules.answers import AnswerType
from perturb.rules.words import has_word

_INDIAN = re.compile(r"\b(?:India|Indian|Hindi|Tamil|Telugu|Bollywood|Kannada|Malayalam|Mumbai|Delhi)\b")


def dice(*parts: Any) -> random.Random:
    """A generator of choices that depends on nothing but the parts."""
    return random.Random(seed_of(*parts))  # noqa: S311


def alternative(
    answer: str, kind: AnswerType, gender: str | None, context: str, rng: random.Random
) -> str | None:
    """A value of the same type as the answer and written like it; None where none can be made safely."""
    for _ in range(8):
        value = _draw(answer, kind, gender, context, rng)
        if value is None:
            return None
        if value.lower() != answer.lower() and not _stands(value, context, kind):
            return value
    return None


def _stands(value: str, context: str, kind: AnswerType) -> bool:
    """Whether a made-up value, or the name part that identifies it, is in the context already."""
    probe = value.rsplit(maxsplit=1)[-1] if kind is AnswerType.PERSON else value
    return has_word(context, probe)


def _draw(answer: str, kind: AnswerType, gender: str | None, context: str, rng: random.Random) -> str | None:
    if kind is AnswerType.PERSON:
        return new_person(gender, context, rng)
    if kind in (AnswerType.YEAR, AnswerType.DATE):
        return shifted_date(answer, context, rng)
    if kind is AnswerType.NUMBER:
        return changed_number(answer, rng)
    if kind is AnswerType.PLACE:
        return other_place(answer, rng)
    return None


def new_person(gender: str | None, context: str, rng: random.Random) -> str | None:
    """An invented full name of the given gender; None if the gender is unknown."""
    if gender is None:
        return None
    if len(_INDIAN.findall(context)) >= 2:
        first = rng.choice(pools.NEW_INDIAN_MALE if gender == "m" else pools.NEW_INDIAN_FEMALE)
        return f"{first} {rng.choice(pools.NEW_INDIAN_SURNAMES)}"
    first = rng.choice(pools.NEW_MALE if gender == "m" else pools.NEW_FEMALE)
    return f"{first} {rng.choice(pools.NEW_SURNAMES)}"


def shifted_date(answer: str, context: str, rng: random.Random) -> str | None:
    """A date in the form of the answer, some years away, that swaps places with no other year of the context.

    >>> shifted_date("in 1984", "It began in 1983.", random.Random(1)) in ("in 1985", "in 1986", "in 1987")
    True
    """
    years = re.findall(r"\b(?:1[0-9]\d\d|20\d\d)\b", answer)
    if len(re.findall(r"\d{4}", answer)) > 1 or re.search(r"century|BCE?\b|\d{4}\D\d{2}\b|\d{4}s", answer):
        return None
    text = answer
    if years:
        old = int(years[0])
        others = {int(y) for y in re.findall(r"\b(?:1[0-9]\d\d|20\d\d)\b", context)} - {old}
        if re.match(r"(?:by|until|since|before|after)\b", answer, re.IGNORECASE) or re.search(
            r"\bworld war\b", context, re.I
        ):
            return None
        moves = [d for d in (-3, -2, -1, 1, 2, 3) if _keeps_order(old, old + d, others) and old + d <= 2022]
        moves = [d for d in moves if abs(d) < 3] or moves
        if not moves:
            return None
        text = answer.replace(years[0], str(old + rng.choice(moves)))
    month = next((m for m in pools.MONTHS if m in text and has_word(text, m)), None)
    if month:
        other = pools.MONTHS[(pools.MONTHS.index(month) + rng.choice((1, 2, 3, 8, 9, 10))) % 12]
        text = text.replace(month, other)
        text = re.sub(r"\b(29|30|31)\b", lambda _: str(rng.randint(11, 27)), text)
    return text if text != answer else None


def later_date(answer: str, rng: random.Random) -> str | None:
    """A date in the form of the answer on which something about it could have happened: after it, and in the age of
    radio and booklets. None if the answer has several years, none at all, or one too late for that.

    >>> later_date("14 October 1066", random.Random(2))
    '4 February 1958'
    """
    years = re.findall(r"\b(?:1[0-9]\d\d|20\d\d)\b", answer)
    if len(years) != 1 or re.search(r"century|BCE?\b|\d{4}\D\d{2}\b|\d{4}s", answer):
        return None
    first = max(int(years[0]) + 1, 1955)
    if first > 2025:
        return None
    text = answer.replace(years[0], str(rng.randint(first, min(first + 40, 2025))))
    month = next((m for m in pools.MONTHS if m in text and has_word(text, m)), None)
    if month:
        text = text.replace(month, rng.choice([m for m in pools.MONTHS if m != month]))
        text = re.sub(r"\b([1-9]|[12]\d|3[01])\b(?!\d)", lambda _: str(rng.randint(2, 27)), text, count=1)
    return text


def _keeps_order(old: int, new: int, others: set[int]) -> bool:
    return all(new != other and (old < other) == (new < other) for other in others)


def changed_number(answer: str, rng: random.Random, factor: float | None = None) -> str | None:
    """Another number in the form of the answer: digits with their commas, or a word up to twenty.

    >>> changed_number("888,246", random.Random(0), factor=100)
    '88,824,600'
    """
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", answer)
    if digits:
        if len(re.findall(r"\d[\d,.]*", answer)) > 1:
            return None
        raw = digits.group().rstrip(",")
        value = float(raw.replace(",", ""))
        if value == 0:
            return None
        decimals = len(raw.partition(".")[2])
        moved = value * factor if factor else value * rng.choice((0.6, 0.7, 0.8, 1.25, 1.4, 1.6))
        if not factor and abs(moved - value) < 1:
            moved = value + rng.choice((1, 2))
        if not decimals:
            moved = round(moved)
        if "%" in answer and moved > 100:
            return None
        text = f"{moved:,.{decimals}f}" if "," in raw or moved >= 10000 else f"{moved:.{decimals}f}"
        return answer[: digits.start()] + text + answer[digits.start() + len(raw) :]
    return _changed_number_word(answer, rng, factor)


def _changed_number_word(answer: str, rng: random.Random, factor: float | None) -> str | None:
    for pool in (pools.SMALL_NUMBERS, pools.ORDINALS):
        for index, word in enumerate(pool):
            found = re.search(rf"\b{word}\b", answer, re.IGNORECASE)
            if not found or word == "zero":
                continue
            if (word == "one" and " " in answer.strip()) or (factor and pool is pools.ORDINALS):
                return None
            if factor:
                new = f"{index * factor:,.0f}"
            else:
                new = pool[index + rng.choice((1, 2, 3))] if index + 3 < len(pool) else pool[index - 3]
            new = new.capitalize() if found.group()[0].isupper() else new
            return answer[: found.start()] + new + answer[found.end() :]
    return None


def other_place(answer: str, rng: random.Random) -> str | None:
    """Another place of the same sort: country, state, city, or "Town, Region"."""
    bare = re.sub(r"^(?:in |at |the )+", "", answer, flags=re.IGNORECASE)
    prefix = answer[: len(answer) - len(bare)] if bare else ""
    if bare in pools.COUNTRIES:
        prefix = re.sub(r"the ", "", prefix, flags=re.IGNORECASE)
        return prefix + rng.choice(pools.NEW_COUNTRIES)
    if bare in pools.US_STATES:
        return prefix + rng.choice(pools.NEW_STATES)
    if bare in pools.CITIES:
        return prefix + rng.choice(pools.NEW_CITIES)
    head, comma, tail = bare.rpartition(", ")
    if comma and tail in pools.US_STATES and "," not in head and len(head.split()) <= 3:
        return f"{prefix}{rng.choice(('Fairmont', 'Brookfield', 'Milton', 'Ashland'))}, {rng.choice(pools.NEW_STATES)}"
    return None
