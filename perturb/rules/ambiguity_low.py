"""Rules of P-Ambiguity at LOW: a second reading that falls away."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, PerturbationClass
from perturb.rules import ambiguity_beside as beside
from perturb.rules import ambiguity_low_words as say
from perturb.rules import pools, scenery
from perturb.rules.ambiguity_gap import gap_of, sibling_title, with_note
from perturb.rules.ambiguity_senses import sense, sense_fits, styled
from perturb.rules.ambiguity_side import neighbour
from perturb.rules.ambiguity_words import BOOKS, PEOPLE, SIBLINGS, SOURCES, TALKS
from perturb.rules.analyse import Analysis
from perturb.rules.drafts import (
    answer_kept,
    answer_sentence,
    fill,
)
from perturb.rules.marking import can_mark, can_qualify
from perturb.rules.query_edits import a_
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import WORKS, Subject
from perturb.rules.words import capitalise, content_stems, has_word

LOW = Cell(PerturbationClass.AMBIGUITY, Intensity.LOW)


def _pronoun_fits(analysis: Analysis) -> bool:
    gap = gap_of(analysis)
    return (
        gap is not None
        and answer_sentence(analysis) is not None
        and (bool(gap.subject.sort in WORKS and gap.subject.noun) or gap.subject.sort in SIBLINGS)
        and not gap.left.lower().rstrip().endswith(" at")
        and gap.subject.noun not in ("band", "team", "club", "group")
        and not gap.subject.name.lower().endswith("s")
        and len(analysis.query.split()) - len(gap.subject.name.split()) >= 2
        and re.match(r"(?:who|when|where|how|what|which)\b", gap.left.lower()) is not None
        and not re.search(
            r"\b(?:a|an|this|that|his|her|its|their|\w+'s|my|first|last|of the|new|old)\s+$",
            gap.left,
            re.IGNORECASE,
        )
    )


def _pronoun(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = gap_of(analysis)
    if gap is None:
        return None
    subject = gap.subject
    if subject.sort in WORKS and subject.noun:
        decoy = rng.choice(say.WORK_DECOYS).format(noun=subject.noun, sibling=sibling_title(analysis, rng))
    else:
        decoy = neighbour(rng, subject.sort)
    if content_stems(decoy) & content_stems(analysis.query):
        return None
    question = re.sub(r"\s+", " ", gap.filled("its" if gap.possessive else "it")).strip()
    question = question[0].lower() + question[1:]
    query = rng.choice(say.FRONTS).format(full=subject.full, question=question)
    return with_note(
        analysis, styled(analysis, query),
        _told_beside(rng, decoy, subject),
        "The question uses a pronoun that could mean a decoy but plainly means the topic it names first.",
    )  # fmt: skip


_PAPERS = tuple(
    side for side in scenery.OBJECTS["any"] if side.noun in ("book", "booklet", "handbook", "leaflet")
)


def _told_beside(rng: random.Random, decoy: str, subject: Subject) -> str:
    """A sentence that names the topic and the decoy."""
    talk, side = rng.choice(TALKS), rng.choice(_PAPERS)
    source, book = rng.choice(SOURCES), rng.choice(BOOKS)
    return fill(
        rng, say.DECOYS, decoy=decoy, Decoy=capitalise(decoy), full=subject.full, Full=capitalise(subject.full),
        source=source, Source=capitalise(source), group=rng.choice(PEOPLE), by=side.prep,
        on=talk.prep, a_talk=a_(talk.noun),
        A_side=capitalise(a_(side.noun)), book=book, Book=capitalise(book),
    )  # fmt: skip


def _epithet_fits(analysis: Analysis) -> bool:
    gap = gap_of(analysis)
    return (
        gap is not None
        and bool(gap.subject.noun)
        and not gap.possessive
        and answer_sentence(analysis) is not None
        and not any(has_word(alias, gap.subject.noun) for c in analysis.clusters for alias in c.aliases)
    )


def _epithet(analysis: Analysis, rng: random.Random) -> Draft | None:
    gap = gap_of(analysis)
    if gap is None:
        return None
    first, second = rng.sample(pools.EPITHETS, 2)
    noun = gap.subject.noun
    names = [n for n in say.EPITHET_NAMES if "{noun}" in n or not gap.right.strip(" ?")]
    name = rng.choice(names).format(noun=noun, epithet=first)
    full, source = gap.subject.full, rng.choice(SOURCES)
    note = fill(
        rng, say.EPITHET_NOTES, full=full, Full=capitalise(full), epithet=first, other=second, noun=noun,
        source=source, Source=capitalise(source), group=rng.choice(PEOPLE),
    )  # fmt: skip
    return with_note(
        analysis, styled(analysis, gap.filled(name)), note,
        "The topic is called by an epithet that the context ties to it alone.",
    )  # fmt: skip


LOW_RULES: tuple[Rule, ...] = (
    Rule("Dominant-sense Polysemy", LOW,
         "a who-question that parses, for a person or a named body, or a verb that has a synonym of several senses",
         sense_fits, sense, answer_kept),
    Rule("Comparative Ellipsis Resolved", LOW, "a clean question that names its subject; the passage takes an addition",
         can_mark(beside.COMPARED, figures=False), beside.compared, answer_kept),
    Rule("Coercive Adjective Polysemy", LOW, "a clean question that names a work; the passage takes an addition",
         can_qualify(beside.ADJECTIVES), beside.adjective, answer_kept),
    Rule("Salient-antecedent Pronoun", LOW, "the question names its topic, which is no person or group",
         _pronoun_fits, _pronoun, answer_kept),
    Rule("Resolvable Appositive Ambiguity", LOW, "the question names a topic of known kind",
         _epithet_fits, _epithet, answer_kept),
)  # fmt: skip
"""The rules of the cell."""
