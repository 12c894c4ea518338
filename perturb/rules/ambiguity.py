"""Rules of P-Ambiguity: question and context come to allow a second reading."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_words as say
from perturb.rules.ambiguity_gap import Gap, gap_of, sibling_claim, sibling_title, with_note, work_gap_of
from perturb.rules.ambiguity_lists import is_one, respectively, respectively_fits
from perturb.rules.ambiguity_low import LOW_RULES
from perturb.rules.ambiguity_people import PEOPLE_RULES
from perturb.rules.ambiguity_restated import restated_soundly
from perturb.rules.ambiguity_rivals import (
    any_town,
    anybody,
    deed_of,
    is_dated,
    rival_of,
    thing_of,
    vague_outing,
    years_in,
)
from perturb.rules.ambiguity_side import Deed, deeds, neighbour, pointer, thing_told
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_person import asserts_deed, is_clean, like_a_search, maybe_person
from perturb.rules.drafts import answer_sentence, fill, in_style
from perturb.rules.rule import Draft, Rule
from perturb.rules.sentences import split_sentences
from perturb.rules.values import later_date
from perturb.rules.words import capitalise, content_stems, has_word, plural

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
    sibling = f"“{sibling_title(analysis, rng)}”" if work else neighbour(rng, gap.subject.sort)
    claim = sibling_claim(gap, sibling, rival)
    if claim is None or has_word(analysis.text, sibling):
        return None
    note = fill(
        rng,
        say.DEICTIC_NOTES,
        noun=gap.subject.noun,
        nouns=plural(gap.subject.noun),
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
    if question is None or answer_sentence(analysis) is None or _joined(analysis):
        return False
    if not is_clean(analysis) or like_a_search(analysis) or vague_outing(analysis) or not _is_told(analysis):
        return False
    if question.wh == "who":
        named = thing_told(analysis) is not None
        return named and maybe_person(analysis) and anybody(analysis) is not None
    if re.search(
        r"\b(?:is|are|was|were|time|located|situated)$|\b(?:mentioned|found)\b|\bfirst time\b",
        question.before,
    ):
        return False
    if question.gap == "place":
        placed = question.before.endswith((question.verb, "took place"))
        return thing_told(analysis) is not None and any_town(analysis) is not None and placed
    valued = is_dated(analysis) or analysis.alternative is not None
    return question.gap == "date" and valued and thing_told(analysis) is not None


def _is_told(analysis: Analysis) -> bool:
    """Whether the passages say what the question takes for granted."""
    told = " ".join(f"{passage.title} {passage.text}" for passage in analysis.instance.passages)
    missing = content_stems(analysis.query) - content_stems(told)
    return support(analysis.instance.query, told) >= 0.5 and len(missing) <= 2 and asserts_deed(analysis)


def _joined(analysis: Analysis) -> bool:
    """Whether the question has an "and" outside the names in it."""
    topic = analysis.topic
    rest = analysis.query if topic is None else analysis.query[: topic.start] + analysis.query[topic.end :]
    rest = re.sub(r"[A-Z][\w'’]* and (?:the )?(?=[A-Z])", "", rest.replace(thing_of(analysis), ""))
    return "and" in rest.lower().split()


def _sluice(analysis: Analysis, rng: random.Random) -> Draft | None:
    question, thing = analysis.question, thing_told(analysis)
    if question is None or thing is None:
        return None
    notes: tuple[str, ...]
    deed = deeds(analysis, rng)[0]
    meant = pointer(rng, thing, deed_of(question) if question.wh == "who" else question.before)
    if question.wh == "who":
        rival = anybody(analysis)
        two = [deed_of(question), deed.done(meant)]
        wording, notes, auxiliary = rng.choice(say.SLUICES_WHO), say.DEED_NOTES, "was"
    else:
        rival = _side_value(analysis, rng)
        if re.search(r"\b(?:is|are|does|do)\b", analysis.query.lower()):
            deed, auxiliary = Deed("place", rng.choice(say.OCCASIONS)), "takes"
        else:
            auxiliary = "was"
        two = [question.before, deed.undergone(meant, auxiliary)]
        wording, notes = rng.choice(say.SLUICES), say.EVENT_NOTES
    if rival is None or not is_one(rival.removeprefix("in ")):
        return None
    if meant == thing:
        rng.shuffle(two)
    query = wording.format(x=two[0], y=two[1], wh=question.wh)
    note = fill(
        rng, notes, rival=rival, Rival=capitalise(rival), deed=deed.done(thing), verb=deed.verb,
        event=deed.undergone(thing, auxiliary),
    )  # fmt: skip
    return with_note(
        analysis, in_style(analysis, query), note,
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


def _homonym_fits(analysis: Analysis) -> bool:
    gap = work_gap_of(analysis)
    if gap is None or analysis.alternative is None or answer_sentence(analysis) is None:
        return False
    dated = analysis.question is not None and analysis.question.gap == "date" and is_clean(analysis)
    out = re.search(r"\b(?:come out|comes out|coming out|released|launched)\b", f"{gap.left} {gap.right}")
    return dated and out is not None and len(content_stems(f"{gap.left} {gap.right}")) <= 1


def _homonym(analysis: Analysis, rng: random.Random) -> Draft | None:
    """Two short parallel statements about two things of one name, in the place of what is said of the one."""
    gap = work_gap_of(analysis)
    if gap is None or analysis.alternative is None:
        return None
    noun, other = gap.subject.noun, rng.choice(say.HOMONYM_NOUNS)
    two = [
        sibling_claim(gap, f"the {noun}", analysis.answer),
        sibling_claim(gap, f"the {other}", analysis.alternative),
    ]
    if None in two or has_word(analysis.text, other):
        return None
    rng.shuffle(two)
    first, second = (capitalise(claim or "") for claim in two)
    new = fill(
        rng, say.HOMONYMS, name=f"“{gap.subject.name}”", first=first, second=second,
        noun=f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}", other=f"a {other}",
    )  # fmt: skip
    passages = restated_soundly(analysis, new)
    if passages is None or len(split_sentences("\n".join(p.text for p in passages))) > _LONGEST_PAIR:
        return None
    return Draft(
        in_style(analysis, gap.filled(gap.subject.name)), passages,
        "Two unrelated things share the name that the question uses bare.",
    )  # fmt: skip


_LONGEST_PAIR = 5
"""Sentences of a passage on two things of one name: more would say more of the one than of the other."""


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
    *PEOPLE_RULES,
    Rule("Pure Homonymy Clash", HIGH, "a bare work title is all that the question says of what came out",
         _homonym_fits, _homonym, _both),
    Rule("Ambiguous 'Respectively' Mapping", HIGH,
         "a clean question for a person, date, place or number, or of a work, place, body or event",
         respectively_fits, respectively, _both),
)  # fmt: skip
