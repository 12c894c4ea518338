"""P-Ambiguity at HIGH: lists of three closed by "respectively" against two values, with the thing asked about between.

The one in the middle of three may go with the first value or with the second, so that no mapping can be defended.
"""

from __future__ import annotations

import random
import re

from perturb.rules import ambiguity_words as say
from perturb.rules import pools
from perturb.rules.ambiguity_gap import Gap, gap_of, sibling_claim, work_gap_of
from perturb.rules.ambiguity_restated import restated_soundly
from perturb.rules.ambiguity_rivals import half_named, hinted_year, is_old, rival_of, vague_outing
from perturb.rules.ambiguity_side import at_its_place, neighbour, side_counts, side_events, side_questions
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import is_clean, is_well_formed, like_a_search, maybe_person
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import answer_sentence, fill
from perturb.rules.question_parsing import ParsedQuestion, inflected
from perturb.rules.rule import Draft
from perturb.rules.words import capitalise, has_word


def respectively_fits(analysis: Analysis) -> bool:
    """Whether the question can stand in print, the answer in a whole sentence, and a second value is at hand."""
    return (
        all(value is not None and is_one(value) for value in (analysis.answer, rival_of(analysis)))
        and answer_sentence(analysis) is not None
        and (_in_print(analysis) or is_well_formed(analysis))
        and not half_named(analysis)
        and not hinted_year(analysis)
        and not vague_outing(analysis)
    )


def is_one(value: str) -> bool:
    """Whether a value can stand in a list: it is no list itself, and no hedge goes before it."""
    hedged = r"(?:at least|at most|about|around|circa|nearly|almost|over|under|since|until|before|after)\b"
    return " and " not in value and re.match(hedged, value.lower()) is None


def _to_come(analysis: Analysis) -> bool:
    """Whether a date is asked for in the present tense, so that events of the past cannot stand beside it."""
    timely = analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR)
    return timely and re.search(r"\b(?:is|are|does|do|will)\b", analysis.query.lower()) is not None


def _in_print(analysis: Analysis) -> bool:
    """Whether the question can stand in print; else it is only quoted as it was typed."""
    return is_clean(analysis) and not like_a_search(analysis)


def respectively(analysis: Analysis, rng: random.Random) -> Draft | None:
    """Three names and two values, matched "respectively", in the place of all that points to the answer."""
    printed = (_three_names, _three_events, _three_questions)
    forms = printed if _in_print(analysis) else (_three_questions,)
    passages = None
    for _ in range(_TRIES):
        new = rng.choice(forms)(analysis, rng)
        passages = restated_soundly(analysis, new) if new else None
        if passages is not None:
            break
    if passages is None or _region_known(analysis, "\n".join(passage.text for passage in passages)):
        return None
    return Draft(
        analysis.instance.query,
        passages,
        "Names and values in two rows of unequal length are matched 'respectively', so either fits.",
    )


_TRIES = 16
"""Wordings tried before the rule gives up: the passage must not get much shorter."""


def _region_known(analysis: Analysis, text: str) -> bool:
    """Whether what is left names a state or country, so that a rival from elsewhere would not do for a place."""
    if analysis.answer_type is not AnswerType.PLACE or analysis.alternative is not None:
        return False
    return any(has_word(text, land) for land in ("state", "states", *pools.US_STATES, *pools.COUNTRIES))


def _listed(first: str, middle: str, last: str) -> str:
    return f"{first}, {middle} and {last}"


def _two_values(analysis: Analysis, rng: random.Random) -> list[str]:
    values = [
        re.sub(r"^(?:By|In|On|At) ", lambda m: m.group().lower(), value)
        for value in (analysis.answer, rival_of(analysis) or "")
    ]
    if analysis.answer_type is AnswerType.NUMBER:
        values = [re.sub(r"^[A-Z][a-z]+(?=\b)", lambda m: m.group().lower(), value) for value in values]
    rng.shuffle(values)
    return values


def _three_names(analysis: Analysis, rng: random.Random) -> str | None:
    """The question's claim about its subject and two invented neighbours at once, with two values."""
    gap = _three_names_gap(analysis)
    if gap is None:
        return None
    work = work_gap_of(analysis) is not None
    pool = pools.SIBLING_TITLES if work else [neighbour(rng, gap.subject.sort) for _ in range(4)]
    free = [name for name in dict.fromkeys(pool) if not has_word(analysis.text, name)]
    if len(free) < 2:
        return None
    first, last = rng.sample(free, 2)
    names = [
        f"“{name}”" if work else name
        for name in (first, gap.subject.name if work else gap.subject.full, last)
    ]
    claim = sibling_claim(gap, _listed(*names), " and ".join(_two_values(analysis, rng)))
    if claim is None:
        return None
    for one, many in ((" was ", " were "), (" is ", " are "), (" has ", " have ")):
        claim = claim.replace(one, many)
    claim = re.sub(
        r"(?<=” )(begins|starts|premieres|airs|comes|ends|opens)\b", lambda m: m.group()[:-1], claim
    )
    return _told(rng, say.RESPECTIVELY, claim=claim)


def _told(rng: random.Random, wordings: tuple[str, ...], **values: str) -> str:
    """One of the wordings, with a source, people to hear of it and a word for the order of the list."""
    source, sheet, news = rng.choice(say.SOURCES), rng.choice(say.SHEETS), rng.choice(say.NEWS)
    return fill(
        rng, wordings, source=source, Source=capitalise(source), sheet=sheet, Sheet=capitalise(sheet),
        news=news, News=capitalise(news),
        group=rng.choice(say.PEOPLE), order=rng.choice(say.IN_ORDER), **values,
    )  # fmt: skip


def _three_names_gap(analysis: Analysis) -> Gap | None:
    """The question around a subject that invented neighbours can stand beside."""
    gap = gap_of(analysis)
    if gap is None or gap.possessive or gap.subject.name.lower().endswith("s"):
        return None
    question = analysis.question
    if question is None or question.wh == "which":
        return None
    if question.wh == "who" and inflected(question.verb.lower(), "VBD") != question.verb.lower():
        return None
    return gap if work_gap_of(analysis) is not None or gap.subject.sort in say.SIBLINGS else None


def _three_events(analysis: Analysis, rng: random.Random) -> str | None:
    """What is dated, placed or counted, and two things around it, with two values for the three."""
    question = analysis.question
    if question is None or not _is_listed(question) or _to_come(analysis):
        return None
    counted = question.gap == "number"
    first, last = side_counts(analysis, rng) if counted else side_events(analysis, rng, is_old(analysis))
    events = _listed(
        *(f"{question.wh} {p}" for p in (first, question.after if counted else question.before, last))
    )
    values = [at_its_place(question.with_preposition(value)) for value in _two_values(analysis, rng)]
    return _told(rng, say.THREE_EVENTS, events=events, values=" and ".join(values))


def _is_listed(question: ParsedQuestion) -> bool:
    """Whether a question for a date, place or count can stand in a list of such questions."""
    if question.gap == "number":
        return question.wh == "how many" and not question.before
    return question.gap in ("date", "place") and not question.after and "time" not in question.before


def _three_questions(analysis: Analysis, rng: random.Random) -> str | None:
    """The question itself, quoted between two others that a value of the same kind answers."""
    kind = _kind_of_value(analysis)
    if kind is None or not re.match(r"(?:who|when|where|what|which|how)\b", analysis.query.lower()):
        return None
    values = _two_values(analysis, rng)
    if kind in ("when", "coming") and any(re.match(r"(?:in|on|at|by) ", value) for value in values):
        return None
    first, last = side_questions(analysis, rng, kind)
    asked = capitalise(re.sub(r"\s+", " ", analysis.query).strip().rstrip("? ")) + "?"
    three = [first, asked, last]
    wordings: tuple[str, ...] = say.THREE_QUESTIONS
    if not _in_print(analysis):
        three, wordings = [question.lower().rstrip("?") for question in three], say.THREE_SEARCHES
    questions = _listed(*(f"“{question}”" for question in three))
    return _told(rng, wordings, questions=questions, values=" and ".join(values))


def _kind_of_value(analysis: Analysis) -> str | None:
    """What the answer measures or names, as the side questions are sorted; None where no other question asks for it."""
    kind, answer = analysis.answer_type, analysis.answer.lower()
    if kind is AnswerType.PERSON or (kind is AnswerType.PHRASE and maybe_person(analysis)):
        return "who"
    if kind in (AnswerType.DATE, AnswerType.YEAR):
        if is_old(analysis):
            return None
        return "coming" if _to_come(analysis) else "when"
    if kind is AnswerType.PLACE:
        return "where" if analysis.query.lower().startswith("where") else None
    if kind is not AnswerType.NUMBER:
        return None
    if "%" in answer or "per cent" in answer or "percent" in answer:
        return None if "annum" in answer else "share"
    if re.search(r"[$£€]|\b(?:dollars?|pounds?|euros?|million|billion|trillion)\b", answer):
        large = re.search(r"illion\b", answer)
        return "how much" if re.search(r"[$£€]|dollar|pound|euro", answer) and not large else None
    if re.search(r"\b(?:minutes?|seconds?)\b", answer):
        return "how brief"
    if re.search(r"\b(?:years?|months?|weeks?|days?|hours?)\b", answer):
        return "how long"
    if re.search(r"\d\s+[a-z]", answer):
        return None
    if re.search(r"\bpopulation of\b", analysis.query):
        return "residents"
    many = re.match(r"how many\b|.*\bnumber of\b", analysis.query.lower())
    odd = re.search(r"\b(?:first|people|atomic|jersey|phone|[a-z]+th)\b", analysis.query.lower())
    return _size(analysis) if many and not odd else None


def _size(analysis: Analysis) -> str:
    """Whether the number that answers is one of few or of many."""
    digits = re.search(r"\d[\d,]*", analysis.answer)
    return "many" if digits and int(digits.group().replace(",", "")) > _FEW else "few"


_FEW = 40
"""The most experts or talks that a report is likely to speak of."""
