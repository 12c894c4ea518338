"""Rules of P-Ambiguity: question and context come to allow a second reading."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_words as say
from perturb.rules.ambiguity_gap import Gap, gap_of, sibling_claim, sibling_title, with_note, work_gap_of
from perturb.rules.ambiguity_lists import respectively, respectively_fits
from perturb.rules.ambiguity_low import LOW_RULES
from perturb.rules.ambiguity_rivals import any_town, anybody, deed_of, is_dated, rival_of, years_in
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.doers import is_clean
from perturb.rules.drafts import answer_sentence, fill, in_style, restated
from perturb.rules.rule import Draft, Rule
from perturb.rules.values import later_date
from perturb.rules.words import capitalise, content_stems, has_word

MEDIUM = Cell(PerturbationClass.AMBIGUITY, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.AMBIGUITY, Intensity.HIGH)

# MEDIUM and HIGH: two readings or more, each with its own answer.


def _pointed_gap(analysis: Analysis) -> Gap | None:
    """The question around a work, place, body or event that "this" and a noun can stand for."""
    gap = work_gap_of(analysis) or gap_of(analysis)
    if gap is None or gap.possessive or not gap.subject.noun:
        return None
    return gap if work_gap_of(analysis) is not None or gap.subject.sort in say.SIBLINGS else None


def _rival_thing(analysis: Analysis) -> bool:
    gap = _pointed_gap(analysis)
    if (
        gap is None
        or rival_of(analysis) is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    return analysis.question is not None and is_clean(analysis) and sibling_claim(gap, "“X”", "Y") is not None


def _deictic(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = _pointed_gap(analysis), rival_of(analysis)
    if gap is None or rival is None:
        return None
    work = work_gap_of(analysis) is not None
    sibling = f"“{sibling_title(analysis, rng)}”" if work else rng.choice(say.SIBLINGS[gap.subject.sort])
    claim = sibling_claim(gap, sibling, rival)
    if claim is None or has_word(analysis.text, sibling):
        return None
    note = fill(
        rng,
        say.DEICTIC_NOTES,
        noun=gap.subject.noun,
        nouns=gap.subject.noun if gap.subject.noun.endswith("s") else f"{gap.subject.noun}s",
        name=f"“{gap.subject.name}”" if work else gap.subject.full,
        sibling=sibling,
        claim=capitalise(claim),
    )
    query = in_style(analysis, gap.filled(f"{rng.choice(('this', 'that'))} {gap.subject.noun}"))
    return with_note(
        analysis, query, note, "'This' may point to either of two things, which have different answers."
    )


def _sluice_fits(analysis: Analysis) -> bool:
    question = analysis.question
    if question is None or answer_sentence(analysis) is None or _joined(analysis) or not is_clean(analysis):
        return False
    if question.wh == "who":
        return anybody(analysis) is not None and (
            analysis.single_answer or analysis.answer_type is AnswerType.PERSON
        )
    if (
        re.search(r"\b(?:is|are|was|were|time|located|situated)$|\b(?:mentioned|found)\b", question.before)
        or "first" in analysis.query.lower().split()
    ):
        return False
    if question.gap == "place":
        return any_town(analysis) is not None
    return question.gap == "date" and analysis.alternative is not None


def _joined(analysis: Analysis) -> bool:
    """Whether the question has an "and" outside the name of its topic."""
    topic = analysis.topic
    rest = analysis.query if topic is None else analysis.query[: topic.start] + analysis.query[topic.end :]
    return "and" in rest.lower().split()


def _sluice(analysis: Analysis, rng: random.Random) -> Draft | None:
    question = analysis.question
    if question is None:
        return None
    if question.wh == "who":
        rival = anybody(analysis)
        deed, note = rng.choice(say.SIDE_DEEDS)
        query = rng.choice(say.SLUICES_WHO).format(did=deed_of(question), deed=deed)
    else:
        rival = _side_value(analysis, rng)
        present = re.search(r"\b(?:is|are|does|do)\b", analysis.query.lower()) is not None
        event, note = rng.choice(say.SIDE_EVENTS_PRESENT if present else say.SIDE_EVENTS_PAST)
        query = rng.choice(say.SLUICES).format(claim=question.before, event=event, wh=question.wh)
        query = re.sub(r" was (it|that)$", r" is \1", query) if present else query
    if rival is None:
        return None
    return with_note(
        analysis, in_style(analysis, query), capitalise(note.format(rival=rival)),
        "The bare question word may be completed from either of two clauses, which have different answers.",
    )  # fmt: skip


def _side_value(analysis: Analysis, rng: random.Random) -> str | None:
    """Where or when the side event took place, with its preposition."""
    question = analysis.question
    if question is None:
        return None
    if question.gap == "place":
        return f"in {any_town(analysis)}"
    value = later_date(analysis.answer, rng) if is_dated(analysis) else analysis.alternative
    if value is None:
        return None
    return re.sub(r"^(?:By|In|On|At) ", lambda m: m.group().lower(), question.with_preposition(value))


def _sluiced(analysis: Analysis, draft: Draft) -> str | None:
    """The answer stands, and something that was not there beside it; for a dated answer it is a year."""
    text = "\n".join(passage.text for passage in draft.passages)
    if not has_word(text, analysis.answer):
        return "the answer is gone"
    if is_dated(analysis):
        return None if years_in(text) - years_in(analysis.text) else "no new date stands beside the answer"
    question = analysis.question
    if question is not None and question.gap == "date":
        return _both(analysis, draft)
    rival = anybody(analysis) if question is not None and question.wh == "who" else any_town(analysis)
    return None if rival is not None and has_word(text, rival) else "the rival is missing"


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
        object=object_, possessive=possessive, did=deed_of(question),
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
        or rival_of(analysis) is None
        or not analysis.single_answer
        or answer_sentence(analysis) is None
    ):
        return False
    return gap.subject.sort in say.HOMONYM_NOUNS and len(content_stems(f"{gap.left} {gap.right}")) <= 1


def _homonym(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap, rival = work_gap_of(analysis), rival_of(analysis)
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


def _both(analysis: Analysis, draft: Draft) -> str | None:
    """Answer and rival both stand in the context, the rival there alone."""
    rival, text = rival_of(analysis), "\n".join(passage.text for passage in draft.passages)
    if not has_word(text, analysis.answer):
        return "the answer is gone"
    if rival is None or not has_word(text, rival):
        return "the rival is missing"
    return "the rival stands in the question" if has_word(draft.query, rival) else None


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Ambiguous Deictic Reference", MEDIUM,
         "the question names a thing of known kind and parses; a value of the answer's type",
         _rival_thing, _deictic, _both),
    Rule("Sluiced-Wh Ambiguity", MEDIUM, "a who-, when- or where-question that parses",
         _sluice_fits, _sluice, _sluiced),
    Rule("Dual-eligible Pronoun", MEDIUM, "a who-question that parses; a person of known gender",
         _couple_fits, _dual, _both),
    Rule("Multi-Sentence Coreference Chain", MEDIUM, "as the dual-eligible pronoun", _couple_fits, _chain, _both),
    Rule("Pure Homonymy Clash", HIGH, "a bare work title is all that the question says of its topic",
         _homonym_fits, _homonym, _both),
    Rule("Multi-pronoun Braid", HIGH, "as the dual-eligible pronoun", _couple_fits, _braid, _both),
    Rule("Ambiguous 'Respectively' Mapping", HIGH,
         "a clean question for a person, date, place or number, or of a work, place, body or event",
         respectively_fits, respectively, _both),
)  # fmt: skip
