"""Rules of P-Ambiguity: question and context come to allow a second reading."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_words as say
from perturb.rules import pools
from perturb.rules.ambiguity_gap import Gap, gap_of, sibling_claim, sibling_title, with_note, work_gap_of
from perturb.rules.ambiguity_low import LOW_RULES
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.doers import is_clean
from perturb.rules.drafts import (
    answer_sentence,
    both_values_stand,
    fill,
    in_style,
    restated,
)
from perturb.rules.questions import Question
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import later_date, new_person
from perturb.rules.words import capitalise, content_stems, has_word

MEDIUM = Cell(PerturbationClass.AMBIGUITY, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)

# MEDIUM and HIGH: two readings or more, each with its own answer.

_YEAR = re.compile(r"\b(?:1[0-9]\d\d|20\d\d)\b")


def _rival_work(analysis: Analysis) -> bool:
    gap = work_gap_of(analysis)
    if (
        gap is None
        or analysis.alternative is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    return analysis.question is not None and is_clean(analysis) and sibling_claim(gap, "“X”", "Y") is not None


def _deictic(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = work_gap_of(analysis), analysis.alternative
    if gap is None or rival is None:
        return None
    sibling = f"“{sibling_title(analysis, rng)}”"
    claim = sibling_claim(gap, sibling, rival)
    if claim is None:
        return None
    note = fill(
        rng,
        say.DEICTIC_NOTES,
        noun=gap.subject.noun,
        name=f"“{gap.subject.name}”",
        sibling=sibling,
        claim=capitalise(claim),
    )
    query = in_style(analysis, gap.filled(f"{rng.choice(('this', 'that'))} {gap.subject.noun}"))
    return with_note(
        analysis, query, note, "'This' may point to either of two works, which have different answers."
    )


def _sluice_fits(analysis: Analysis) -> bool:
    question = analysis.question
    if (
        question is None
        or analysis.alternative is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    if {"first", "and"} & set(analysis.query.lower().split()):
        return False
    if question.wh == "who":
        return analysis.answer_type is AnswerType.PERSON and question.verb not in ("is", "was")
    return question.gap in ("date", "place") and not re.search(
        r"\b(?:is|are|was|were|time)$", question.before
    )


def _sluice(analysis: Analysis, rng: random.Random) -> Draft | None:
    question, rival = analysis.question, analysis.alternative
    if question is None or rival is None:
        return None
    if question.wh == "who":
        clause, note = rng.choice(say.SLUICED_WHO)
        query = f"someone {question.after} and {clause}, but who"
    else:
        present = re.search(r"\b(?:is|are|does|do)\b", analysis.query.lower()) is not None
        clause, note = rng.choice(say.SLUICED_PRESENT if present else say.SLUICED_PAST)
        query = f"{question.before} and {clause}, but {question.wh}"
        if _is_dated(analysis):
            rival = later_date(analysis.answer, rng)
            if rival is None:
                return None
        rival = re.sub(r"^(?:By|In|On|At) ", lambda m: m.group().lower(), question.with_preposition(rival))
    return with_note(
        analysis, in_style(analysis, query), capitalise(note.format(rival=rival)),
        "The bare question word may be completed from either of two clauses, which have different answers.",
    )  # fmt: skip


def _is_dated(analysis: Analysis) -> bool:
    question = analysis.question
    return question is not None and question.gap == "date" and _YEAR.search(analysis.answer) is not None


def _sluiced(analysis: Analysis, draft: Draft) -> str | None:
    """Both answers stand; the rival of a dated answer is a year that was not there."""
    if not _is_dated(analysis):
        return _both(analysis, draft)
    text = "\n".join(passage.text for passage in draft.passages)
    if not has_word(text, analysis.answer):
        return "the answer is gone"
    new = set(_YEAR.findall(text)) - set(_YEAR.findall(analysis.instance.context))
    return None if new else "no new date stands beside the answer"


def _couple_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return (
        analysis.answer_type is AnswerType.PERSON
        and analysis.gender is not None
        and analysis.alternative is not None
        and question is not None
        and question.wh == "who"
        and analysis.single_answer
        and content_stems(question.remainder) != frozenset()
        and is_clean(analysis)
    )


def _couple(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    """All that points to the answer gives way to wording in which a pronoun may mean the answer or a rival."""
    question, rival = analysis.question, analysis.alternative
    if question is None or rival is None:
        return None
    people = [analysis.answer, rival]
    rng.shuffle(people)
    subject, object_, possessive = ("he", "him", "his") if analysis.gender == "m" else ("she", "her", "her")
    new = fill(
        rng, wordings, first=people[0], second=people[1], subject=subject, Subject=subject.capitalize(),
        object=object_, possessive=possessive, did=question.after,
    )  # fmt: skip
    passages = restated(analysis, new)
    return None if passages is None else Draft(analysis.instance.query, passages, reasoning)


def _dual(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.DUAL, "One pronoun may mean the answer or a rival of the same gender.")


def _chain(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.CHAINS, "A chain of pronouns never tells which of two people is meant.")


def _braid(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.BRAIDS, "Three pronouns or more may each mean either of two people.")


def _homonym_fits(analysis: Analysis) -> bool:
    gap = work_gap_of(analysis)
    if (
        gap is None
        or analysis.alternative is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    return gap.subject.sort in say.HOMONYM_NOUNS and len(content_stems(f"{gap.left} {gap.right}")) <= 1


def _homonym(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = work_gap_of(analysis), analysis.alternative
    if gap is None or rival is None:
        return None
    note = fill(
        rng, say.HOMONYMS, name=f"“{gap.subject.name}”", noun=rng.choice(say.HOMONYM_NOUNS[gap.subject.sort]),
        question=_asked(gap), rival=rival,
    )  # fmt: skip
    return with_note(
        analysis, in_style(analysis, gap.filled(gap.subject.name)), note,
        "Two unrelated things share the name that the question uses bare.",
    )  # fmt: skip


def _asked(gap: Gap) -> str:
    """The question with a pronoun for its subject, properly written."""
    words = gap.filled("its" if gap.possessive else "it")
    return capitalise(re.sub(r"\s+", " ", words).strip(" ?.")) + "?"


def _respectively_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return (
        question is not None
        and question.wh != "which"
        and analysis.alternative is not None
        and answer_sentence(analysis) is not None
        and is_clean(analysis)
        and (
            (question.wh == "who" and analysis.answer_type is AnswerType.PERSON)
            or _is_listed(question)
            or _three_names_gap(analysis) is not None
        )
    )


def _respectively(analysis: Analysis, rng: random.Random) -> Draft | None:
    new = _three_names(analysis, rng) or _three_people(analysis, rng) or _three_events(analysis, rng)
    passages = restated(analysis, new) if new else None
    if passages is None:
        return None
    return Draft(
        analysis.instance.query,
        passages,
        "Names and values in two rows of unequal length are matched 'respectively', so either fits.",
    )


def _three_names_gap(analysis: Analysis) -> Gap | None:
    """The question around a subject that invented neighbours can stand beside."""
    gap = gap_of(analysis)
    if gap is None or gap.possessive or gap.subject.name.lower().endswith("s"):
        return None
    return gap if work_gap_of(analysis) is not None or gap.subject.sort in say.SIBLINGS else None


def _three_names(analysis: Analysis, rng: random.Random) -> str | None:
    """The question's claim about its subject and two invented neighbours at once, with two values."""
    gap = _three_names_gap(analysis)
    if gap is None or analysis.alternative is None:
        return None
    work = work_gap_of(analysis) is not None
    pool = pools.SIBLING_TITLES if work else say.SIBLINGS[gap.subject.sort]
    free = [name for name in pool if not has_word(analysis.text, name)]
    if len(free) < 2:
        return None
    others = rng.sample(free, 2)
    names = [f"“{name}”" for name in (gap.subject.name, *others)] if work else [gap.subject.full, *others]
    values = [analysis.answer, analysis.alternative]
    rng.shuffle(names)
    rng.shuffle(values)
    claim = sibling_claim(gap, f"{names[0]}, {names[1]} and {names[2]}", " and ".join(values))
    if claim is None:
        return None
    for one, many in ((" was ", " were "), (" is ", " are "), (" has ", " have ")):
        claim = claim.replace(one, many)
    claim = re.sub(
        r"(?<=” )(begins|starts|premieres|airs|comes|ends|opens)\b", lambda m: m.group()[:-1], claim
    )
    return fill(rng, say.RESPECTIVELY, claim=claim)


def _three_people(analysis: Analysis, rng: random.Random) -> str | None:
    """The answer among three people, who share two deeds."""
    question, rival = analysis.question, analysis.alternative
    third = new_person(rng.choice("mf"), f"{analysis.text} {rival}", rng)
    if question is None or question.wh != "who" or rival is None or third is None:
        return None
    people = [analysis.answer, rival, third]
    deeds = [question.after, rng.choice(say.OTHER_DEEDS)]
    rng.shuffle(people)
    rng.shuffle(deeds)
    return fill(
        rng, say.THREE_PEOPLE, people=f"{people[0]}, {people[1]} and {people[2]}", one=deeds[0], two=deeds[1]
    )


def _three_events(analysis: Analysis, rng: random.Random) -> str | None:
    """What is dated, placed or counted, and two things around it, with two values for the three."""
    question, rival = analysis.question, analysis.alternative
    if question is None or rival is None or not _is_listed(question):
        return None
    counted = question.gap == "number"
    sides = rng.sample(say.SIDE_COUNTS if counted else say.SIDE_EVENTS, 2)
    events = [f"{question.wh} {part}" for part in (question.after if counted else question.before, *sides)]
    values = [question.with_preposition(value) for value in (analysis.answer, rival)]
    rng.shuffle(values)
    rng.shuffle(events)
    return fill(
        rng, say.THREE_EVENTS, events=f"{events[0]}, {events[1]} and {events[2]}", values=" and ".join(values)
    )


def _is_listed(question: Question) -> bool:
    """Whether a question for a date, place or count can stand in a list of such questions."""
    if question.gap == "number":
        return question.wh == "how many" and not question.before
    return question.gap in ("date", "place") and not question.after and "time" not in question.before


def _both(analysis: Analysis, draft: Draft) -> str | None:
    """Both answers stand, the rival in the context alone."""
    if analysis.alternative and has_word(draft.query, analysis.alternative):
        return "the rival stands in the question"
    return both_values_stand(analysis, draft)


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Ambiguous Deictic Reference", MEDIUM, "the question names a work and parses; a value of the answer's type",
         _rival_work, _deictic, _both),
    Rule("Sluiced-Wh Ambiguity", MEDIUM, "a who-, when- or where-question that parses; a value of the answer's type",
         _sluice_fits, _sluice, _sluiced),
    Rule("Dual-eligible Pronoun", MEDIUM, "a who-question that parses; a person of known gender",
         _couple_fits, _dual, _both),
    Rule("Multi-Sentence Coreference Chain", MEDIUM, "as the dual-eligible pronoun", _couple_fits, _chain, _both),
    Rule("Pure Homonymy Clash", HIGH, "a bare work title is all that the question says of its topic",
         _homonym_fits, _homonym, _both),
    Rule("Multi-pronoun Braid", HIGH, "as the dual-eligible pronoun", _couple_fits, _braid, _both),
    Rule("Ambiguous 'Respectively' Mapping", HIGH,
         "a clean question that parses and asks for a person, date or place, or of a work, place, body or event",
         _respectively_fits, _respectively, _both),
)  # fmt: skip
