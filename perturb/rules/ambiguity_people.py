"""Rules of P-Ambiguity that set one or more people beside the one who is the answer."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_people_words as say
from perturb.rules import pools
from perturb.rules.ambiguity_restated import restated_soundly
from perturb.rules.ambiguity_rivals import anybody, deed_of, half_named, thing_of
from perturb.rules.ambiguity_side import deeds
from perturb.rules.ambiguity_words import OCCASIONS, SOURCES
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import is_clean, like_a_search, maybe_person
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import answer_sentence, fill
from perturb.rules.query_edits import Apply, a_
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import new_person
from perturb.rules.words import content_stems, has_word

MEDIUM = Cell(PerturbationClass.AMBIGUITY, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)


def _person_fits(analysis: Analysis) -> bool:
    """Whether the question for who did something can stand in print and an invented person beside the answer."""
    question = analysis.question
    return (
        question is not None
        and question.wh == "who"
        and maybe_person(analysis)
        and anybody(analysis) is not None
        and analysis.single_answer
        and answer_sentence(analysis) is not None
        and content_stems(question.remainder) != frozenset()
        and is_clean(analysis)
        and not like_a_search(analysis)
        and not half_named(analysis)
    )


def _couple_fits(analysis: Analysis) -> bool:
    """The same for a person whose gender is known, so that one pronoun suits both."""
    return (
        _person_fits(analysis)
        and analysis.answer_type is AnswerType.PERSON
        and analysis.gender is not None
        and analysis.alternative is not None
    )


def _restated(analysis: Analysis, new: str, reasoning: str) -> Draft | None:
    passages = restated_soundly(analysis, new)
    return None if passages is None else Draft(analysis.instance.query, passages, reasoning)


def _two(analysis: Analysis, rng: random.Random) -> list[str] | None:
    rival = anybody(analysis)
    if rival is None:
        return None
    people = [analysis.answer, rival]
    rng.shuffle(people)
    return people


def _others(analysis: Analysis, rng: random.Random, count: int) -> list[str] | None:
    """More invented people, of whom nobody shares a name with another or with anybody in the passages."""
    known = f"{analysis.text} {analysis.query} {analysis.answer} {anybody(analysis)}"
    first = (anybody(analysis) or "").partition(" ")[0]
    sex = analysis.gender or ("f" if first in (*pools.NEW_FEMALE, *pools.NEW_INDIAN_FEMALE) else "m")
    found: list[str] = []
    for _ in range(30):
        name = new_person(sex, known, rng)
        if name and not any(has_word(known, word) for word in name.split()):
            found.append(name)
            known += f" {name}"
        if len(found) == count:
            return found
    return None


def _source(rng: random.Random) -> str:
    return rng.choice(SOURCES)


def _couple(
    analysis: Analysis, rng: random.Random, wordings: tuple[str, ...], reasoning: str
) -> Draft | None:
    """All that points to the answer gives way to wording in which a pronoun may mean the answer or a rival."""
    question, people = analysis.question, _two(analysis, rng)
    if question is None or people is None:
        return None
    subject, object_, possessive = ("he", "him", "his") if analysis.gender == "m" else ("she", "her", "her")
    new = fill(
        rng, wordings, first=people[0], second=people[1], subject=subject, Subject=subject.capitalize(),
        object=object_, possessive=possessive, did=deed_of(question), source=_source(rng),
    )  # fmt: skip
    return _restated(analysis, new, reasoning)


def _dual(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.DUAL, "One pronoun may mean the answer or a rival of the same gender.")


def _chain(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.CHAINS, "A chain of pronouns never tells which of two people is meant.")


def _braid(analysis: Analysis, rng: random.Random) -> Draft | None:
    return _couple(analysis, rng, say.BRAIDS, "Three pronouns or more may each mean either of two people.")


_PLAYS = ("play", "portray", "voice")
_MAKES = (
    "write", "sing", "compose", "direct", "produce", "design", "invent", "discover", "found", "create", "win",
    "host", "narrate",
)  # fmt: skip
_POST = re.compile(
    r"(?:[\w-]+ ){0,6}(?:president|ceo|director|writer|author|singer|coach|leader|minister|governor|head|chairman|"
    r"king|queen|captain|host|manager)\b",
    re.IGNORECASE,
)


def _role(analysis: Analysis) -> tuple[str, tuple[str, ...]] | None:
    """What the answer is or did by the question, with the wordings for that: "writing the song Emma"."""
    question = analysis.question
    if question is None:
        return None
    rest = deed_of(question).partition(" ")[2]
    if question.verb in ("is", "was"):
        post = rest.removeprefix("the ")
        return (post, say.POSTS) if post != rest and _POST.match(post) else None
    verb = inflected(question.verb.lower(), "VB") or ""
    if verb in _PLAYS:
        part = re.match(r"(?:the |[A-Z])", rest)
        return (rest, say.ROLES) if part and verb != "voice" else None
    plain = not re.match(r"(?:at|for|in|on|with|to|most|by)\b", rest)
    return (f"{inflected(verb, 'VBG')} {rest}", say.MAKERS) if verb in _MAKES and plain else None


def _attachment(analysis: Analysis, rng: random.Random) -> Draft | None:
    role, people = _role(analysis), _two(analysis, rng)
    if role is None or people is None:
        return None
    words, wordings = role
    gathering, thing = rng.choice(OCCASIONS), thing_of(analysis)
    about = "" if thing == "this subject" or wordings != say.ROLES else f" {gathering.prep} {thing}"
    new = fill(
        rng, wordings, first=people[0], second=people[1], part=words, making=words, post=words,
        occasion=f"{a_(gathering.noun)}{about}",
    )  # fmt: skip
    return _restated(analysis, new, "The phrase that tells the role may belong to either of two people.")


def _ellipsis_fits(analysis: Analysis) -> bool:
    question = analysis.question
    return _person_fits(analysis) and question is not None and question.verb not in ("is", "was")


def _ellipsis(analysis: Analysis, rng: random.Random) -> Draft | None:
    question, people, others = analysis.question, _two(analysis, rng), _others(analysis, rng, 1)
    if question is None or people is None or others is None:
        return None
    verb, _, rest = deed_of(question).partition(" ")
    participle = inflected(verb.lower(), "VBN")
    three = [f"{participle} {rest}", *(deed.bare for deed in deeds(analysis, rng, 2))]
    rng.shuffle(three)
    new = fill(
        rng, say.ELLIPSES, other=others[0], first=people[0], second=people[1], source=_source(rng),
        deeds=f"{three[0]}, {three[1]} or {three[2]}", neither=" nor ".join(three),
    )  # fmt: skip
    return _restated(analysis, new, "A bare 'had' takes up one of three deeds, and nothing tells which.")


def _cascade(analysis: Analysis, rng: random.Random) -> Draft | None:
    question, people, others = analysis.question, _two(analysis, rng), _others(analysis, rng, 2)
    if question is None or people is None or others is None:
        return None
    four = [*people, *others]
    rng.shuffle(four)
    new = fill(
        rng,
        say.CASCADES,
        a=four[0],
        b=four[1],
        c=four[2],
        d=four[3],
        did=deed_of(question),
        source=_source(rng),
    )
    return _restated(analysis, new, "The closing clause may belong to each of four people.")


def _tried(apply: Apply) -> Apply:
    """The same with other wordings tried where the first would leave too short a passage."""
    return lambda analysis, rng: next((d for d in (apply(analysis, rng) for _ in range(8)) if d), None)


def _both_named(analysis: Analysis, draft: Draft) -> str | None:
    """Answer and rival both stand in the context, the rival there alone."""
    text, rival = "\n".join(passage.text for passage in draft.passages), anybody(analysis)
    if not has_word(text, analysis.answer):
        return "the answer is gone"
    return None if rival is not None and has_word(text, rival) else "the rival is missing"


_ASKED = "a clean who-question that parses; the answer is a person"
_GENDERED = f"{_ASKED} of known gender"

PEOPLE_RULES: tuple[Rule, ...] = (
    Rule("Dual-eligible Pronoun", MEDIUM, _GENDERED, _couple_fits, _tried(_dual), _both_named),
    Rule("Multi-Sentence Coreference Chain", MEDIUM, _GENDERED, _couple_fits, _tried(_chain), _both_named),
    Rule("PP-Attachment Ambiguity", MEDIUM, f"{_ASKED}, who played a part or made something",
         lambda a: _person_fits(a) and _role(a) is not None, _tried(_attachment), _both_named),
    Rule("Multi-pronoun Braid", HIGH, _GENDERED, _couple_fits, _tried(_braid), _both_named),
    Rule("Dangling VP Ellipsis", HIGH, f"{_ASKED} who did something", _ellipsis_fits, _tried(_ellipsis), _both_named),
    Rule("Attachment Cascade", HIGH, _ASKED, _person_fits, _tried(_cascade), _both_named),
)  # fmt: skip
"""The rules with people at MEDIUM and HIGH."""
