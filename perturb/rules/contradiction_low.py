"""Rules of P-Contradiction at LOW: the clash is beside the point, or a weak source stands against a strong one."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import contradiction_low_words as say
from perturb.rules import pools, scenery
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import asserts_deed
from perturb.rules.answers import AnswerType, person_name
from perturb.rules.contradiction_claims import claims, known_text, voices
from perturb.rules.contradiction_sources import equals, two_names, two_towns
from perturb.rules.drafts import (
    answer_sentence,
    calm_place,
    fill,
    following,
    kept_both,
    with_addition,
)
from perturb.rules.fact_kinds import fact_kind, suiting
from perturb.rules.query_edits import a_
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import Sentence
from perturb.rules.subjects import subject_of
from perturb.rules.words import capitalise, has_word, plain, tokens

LOW = Cell(PerturbationClass.CONTRADICTION, Intensity.LOW)

_FIGURE = re.compile(r"(?<![\w.,$£€#-])(\d{1,3}(?:,\d{3})+|\d{3,})(?![\w.,:%–-]*\d|\w|%|st|nd|rd|th)")


_UNIT = re.compile(
    r"[\s-]*(?:square |cubic )?(?:km|kilomet|miles?\b|m\b|met(?:re|er)|feet|foot|ft|acres?|hectares?|kg|tons?\b|"
    r"tonnes?|lit(?:re|er)|gallons?|degrees?|sq\b|mi\b|inch|yards?)"
)
"""What follows a figure that is measured rather than counted."""
_LOOKS_BACK = re.compile(
    r"^(?:\W*\w+){0,7}?\W+(?:he|she|it|they|him|them|his|its|their)\b|"
    r"^(?:after|despite|following|apart from|since then|until then)\b|"
    r"^(?:\w+ ){1,4}?\w+,? however\b|^(?-i:The [a-z]+ )",
    re.IGNORECASE,
)
"""A sentence that looks back early on, though it opens with other words: "Some critics praised it", "The laws were"."""


def _still_place(analysis: Analysis, sentence: Sentence) -> Sentence | None:
    """The first whole sentence, from the given one on, after which nothing looks back at what it said."""
    place = calm_place(analysis, sentence)
    while place is not None:
        after = following(analysis, place)
        if after is None or not _LOOKS_BACK.match(after.text):
            return place
        place = calm_place(analysis, after)
    return None


def _single_and_stated(analysis: Analysis) -> bool:
    return analysis.single_answer and answer_sentence(analysis) is not None


def _has_fringe_value(analysis: Analysis) -> bool:
    return _single_and_stated(analysis) and analysis.alternative is not None


def _fringe(analysis: Analysis, rng: random.Random) -> Draft | None:
    found = answer_sentence(analysis)
    sentence = None if found is None else calm_place(analysis, found)
    if sentence is None or analysis.alternative is None:
        return None
    bare = re.compile(r"^(?:in|on|at|by) ", re.IGNORECASE)
    wordings = say.FRINGE_NAMES if analysis.answer_type is AnswerType.PERSON else say.FRINGE_VALUES
    addition = fill(
        rng,
        wordings,
        answer=bare.sub("", analysis.answer),
        rival=bare.sub("", analysis.alternative),
        official=rng.choice(say.OFFICIAL),
        fringe=rng.choice(say.FRINGE),
    )
    return with_addition(
        analysis, sentence, addition, "A source of no weight gives a rival that an official source rules out."
    )


def _peripheral_fits(analysis: Analysis) -> bool:
    words = set(map(plain, tokens(f"{analysis.instance.query} {' '.join(analysis.instance.answers)}")))
    return (
        answer_sentence(analysis) is not None
        and subject_of(analysis) is not None
        and not words & (pools.COLOURS | {"color", "colour", "day", "archive"})
    )


def _peripheral(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, subject, pair = answer_sentence(analysis), subject_of(analysis), equals(rng, known_text(analysis))
    sentence = None if found is None else _still_place(analysis, found)
    if sentence is None or subject is None:
        return None
    things = _MEETINGS if rng.random() < 0.4 else _papers(fact_kind(analysis, subject))
    bank = say.OF_GATHERINGS if things is _MEETINGS else say.OF_OBJECTS
    predicate, values = rng.choice(bank)
    one, two = (predicate.format(value) for value in rng.sample(values, 2))
    thing = rng.choice(things).one.format(full=subject.full)
    addition = fill(
        rng, say.SIDE_CLASH, thing=thing, Thing=capitalise(thing), one=one, two=two, **voices(pair)
    )
    return with_addition(
        analysis, sentence, addition, "Two statements clash on a side detail that nobody asks for."
    )


_MEETINGS = tuple(
    side
    for side in scenery.GATHERINGS
    if side.noun
    in ("lecture", "evening class", "quiz", "talk", "debate", "slide show", "workshop", "seminar")
)
_NO_PAPER = frozenset(
    {"choir edition", "sheet of music", "record sleeve", "piano arrangement", "disc", "trade advertisement",
     "television guide", "title card", "quiz book", "reading guide", "relief model", "visitors' leaflet", "panorama",
     "letterhead", "wall chart", "framed page", "translation", "school edition", "essay", "review", "study",
     "newspaper advertisement", "magazine article", "collection of essays", "diary entry", "stamp", "display board",
     "quiz card", "newspaper page", "banner", "typed report", "folder of papers", "ticket stub from a showing",
     "annual report"}
)  # fmt: skip


def _papers(kind: str) -> tuple[scenery.Side, ...]:
    """Things about a subject of a kind that somebody can own, sell and store."""
    return tuple(side for side in suiting(scenery.OBJECTS, kind) if side.noun not in _NO_PAPER) or tuple(
        side for side in scenery.OBJECTS["any"] if side.noun not in _NO_PAPER
    )


def _soft_fits(analysis: Analysis) -> bool:
    subject = subject_of(analysis)
    return (
        answer_sentence(analysis) is not None
        and subject is not None
        and bool(suiting(say.SOFT, fact_kind(analysis, subject)))
    )


def _soft(analysis: Analysis, rng: random.Random) -> Draft | None:
    found, subject = answer_sentence(analysis), subject_of(analysis)
    pair = equals(rng, known_text(analysis), kinds=("person",))
    sentence = None if found is None else _still_place(analysis, found)
    if sentence is None or subject is None:
        return None
    if rng.random() < 0.5:
        return None  # half of them are left to the clash of side details, so that no lever makes most of its cell
    one, two = rng.sample(rng.choice(suiting(say.SOFT, fact_kind(analysis, subject))), 2)
    if has_word(known_text(analysis), one) or has_word(known_text(analysis), two):
        return None
    full = subject.full
    addition = fill(
        rng, say.OPPOSED, full=full, Full=capitalise(full), one=one, two=two, One=capitalise(one),
        Two=capitalise(two), **(voices(pair) | {"w": rng.choice(("says", "writes"))}),
    )  # fmt: skip
    return with_addition(
        analysis, sentence, addition, "Two opposite words of taste are used of the subject; the fact stands."
    )


def _is_claimed(analysis: Analysis) -> bool:
    return claims(analysis) is not None and analysis.single_answer and asserts_deed(analysis)


def _around(analysis: Analysis, rng: random.Random) -> dict[str, str]:
    """A person, a town, writings and an occasion that an instance does not name."""
    text, writing, paper = known_text(analysis), rng.choice(_BOOKS + _JOURNALS), rng.choice(_JOURNALS)
    return {
        "name": two_names(rng, text)[0], "town": two_towns(rng, text)[0], "book": rng.choice(_BOOKS), "paper": paper,
        "Paper": capitalise(paper), "writing": writing, "Writing": capitalise(writing),
        "event": a_(rng.choice(_OCCASIONS)),
    }  # fmt: skip


_JOURNALS = ("a newspaper", "a magazine", "a journal", "a newsletter", "a weekly")
_BOOKS = (
    "a handbook", "a yearbook", "a guide", "an encyclopaedia", "a textbook", "a reference work",
    "an almanac",
)  # fmt: skip
_OCCASIONS = (
    "lecture",
    "workshop",
    "conference",
    "seminar",
    "study day",
    "round table",
    "meeting",
    "public debate",
)


def _speaker(analysis: Analysis, rng: random.Random) -> Draft | None:
    held, found, around = answer_sentence(analysis), claims(analysis), _around(analysis, rng)
    sentence = None if held is None else _still_place(analysis, held)
    if sentence is None or found is None:
        return None
    titles = rng.choice(say.RANKS)
    if rng.random() < 0.85:
        office, (first, second) = rng.choice(say.OFFICES), rng.choice(say.POSTS)
        titles = first.format(office), second.format(office)
    if any(has_word(known_text(analysis), title.split()[-1]) for title in titles):
        return None
    x, y = (f"{title} {around['name']}" for title in titles)
    addition = fill(
        rng, say.SPEAKERS, Claim=capitalise(found[0]), x=x, y=y, X=capitalise(x), Y=capitalise(y), **around
    )  # fmt: skip
    return with_addition(
        analysis,
        sentence,
        addition,
        "A speaker who states the answer bears two titles that cannot both be right.",
    )


def _has_nickname(analysis: Analysis) -> bool:
    words = analysis.answer.split()
    return (
        analysis.answer_type is AnswerType.PERSON
        and _single_and_stated(analysis)
        and asserts_deed(analysis)
        and 2 <= len(words) <= 3
        and plain(words[0]) in pools.NICKNAMES
    )


def _nickname(analysis: Analysis, rng: random.Random) -> Draft | None:
    sentence = answer_sentence(analysis)
    words = person_name(analysis.answer).split()
    nickname = pools.NICKNAMES.get(plain(words[0]))
    around = _around(analysis, rng)
    if sentence is None or nickname is None or has_word(analysis.text, nickname):
        return None
    addition = fill(rng, say.NICKNAMES, short=f"{nickname} {words[-1]}", answer=analysis.answer, **around)
    return with_addition(
        analysis, sentence, addition, "The same person is credited under a nickname as well."
    )


def _figure(analysis: Analysis) -> tuple[Sentence, str] | None:
    """A figure that is worth rounding: the answer, else one in an answering sentence; never a year."""
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    others = [s for s in analysis.sentences if s not in held]
    for sentence in (*held, *others):
        if not sentence.complete:
            continue
        for match in _FIGURE.finditer(sentence.text):
            value = int(match.group(1).replace(",", ""))
            year_like = "," not in match.group(1) and 1000 <= value <= 2100
            large = "," in match.group(1) or (value >= 200 and match.group(1) in analysis.answer.split()[:1])
            measured = re.match(r"\s*(?:\(|°|degrees|[A-Z])", sentence.text[match.end() :])
            label = re.search(
                r"(?:\(|\b(?:number|no\.|nos\.|patent|page|room))\s*$", sentence.text[: match.start()].lower()
            )
            if (
                large
                and not (year_like or measured or label)
                and _rounded(value) != value
                and sentence.text.count(match.group(1)) == 1
            ):
                return sentence, match.group(1)
    return None


def _rounded(value: int) -> int:
    """A correct rounding to fewer digits: tens under a thousand, else two or three leading digits."""
    unit = 10 if value < 1000 else 100 if value < 20000 else 10 ** (len(str(value)) - 3)
    return (value + unit // 2) // unit * unit


def _has_figure(analysis: Analysis) -> bool:
    return _figure(analysis) is not None


def _rounding(analysis: Analysis, rng: random.Random) -> Draft | None:
    found = _figure(analysis)
    if found is None:
        return None
    sentence, figure = found
    rounded = _rounded(int(figure.replace(",", "")))
    around = _around(analysis, rng)
    if has_word(analysis.text, f"{rounded:,}"):
        return None
    addition = fill(rng, say.ROUNDED, figure=figure, rounded=f"{rounded:,}", **around)
    return with_addition(analysis, sentence, addition, "A figure is repeated, correctly rounded.")


def _approximate(analysis: Analysis, rng: random.Random) -> Draft | None:
    found = _figure(analysis)
    if found is None:
        return None
    sentence, figure = found
    value = int(figure.replace(",", ""))
    unit = 10 ** max(1, len(str(value)) - 2)
    estimate = (int(value * rng.choice((0.91, 1.08))) + unit // 2) // unit * unit
    around = _around(analysis, rng)
    if estimate in (value, _rounded(value)) or has_word(analysis.text, f"{estimate:,}"):
        return None
    after = sentence.text.split(figure, 1)[1]
    check = "an exact measurement" if _UNIT.match(after) else "an exact count"
    addition = fill(rng, say.ESTIMATED, figure=figure, estimate=f"{estimate:,}", check=check, **around)
    return with_addition(analysis, sentence, addition, "A loose estimate stands beside the exact figure.")


LOW_RULES: tuple[Rule, ...] = (
    Rule("Minor Numeric Rounding", LOW, "a figure of a thousand or more, or the answer, that is not round",
         _has_figure, _rounding, kept_both),
    Rule("Approx vs Exact", LOW, "a figure of a thousand or more, or the answer, that is not round",
         _has_figure, _approximate, kept_both),
    Rule("Peripheral Attribute Clash", LOW, "a topic or title; neither colours nor days are asked for",
         _peripheral_fits, _peripheral, kept_both),
    Rule("Soft Antonym Modifiers", LOW, "a topic or title of a kind that has words of taste",
         _soft_fits, _soft, kept_both),
    Rule("Fringe vs. Official Source", LOW, "one answer, and a value of its type to set against it",
         _has_fringe_value, _fringe, kept_both),
    Rule("Nickname vs Legal Name", LOW, "a person whose first name has a common short form",
         _has_nickname, _nickname, kept_both),
    Rule("Contradiction in Speaker's Title", LOW, "a question that parses to a short claim; one answer",
         _is_claimed, _speaker, kept_both),
)  # fmt: skip
"""The rules of the cell."""
