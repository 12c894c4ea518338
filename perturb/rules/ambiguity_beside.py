"""P-Ambiguity at LOW: a comparison cut short, or an adjective with two senses, that a new sentence settles."""

from __future__ import annotations

import random

from perturb.rules import ambiguity_low_words as say
from perturb.rules.ambiguity_gap import sibling_title
from perturb.rules.ambiguity_side import neighbour
from perturb.rules.ambiguity_words import BOOKS, PEOPLE, SOURCES, TALKS
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import fact_kind
from perturb.rules.marking import marked, named_subject, qualified
from perturb.rules.query_edits import a_
from perturb.rules.rule import Draft
from perturb.rules.subjects import WORKS
from perturb.rules.words import capitalise, has_word

COMPARED = {"any": say.COMPARED, "work": say.COMPARED}
"""The comparisons, which suit every kind of subject but a person."""
ADJECTIVES = {"work": say.ADJECTIVES}


def compared(analysis: Analysis, rng: random.Random) -> Draft | None:
    """An aside with a comparative that lacks its second half, and a sentence with the only thing it can be."""
    subject = named_subject(analysis)
    if subject is None or " by the " in analysis.query[subject.span[1] if subject.span else 0 :]:
        return None
    kind = fact_kind(analysis, subject)
    if subject.sort in WORKS and subject.noun:
        other = f"the {subject.noun} “{sibling_title(analysis, rng)}”"
    elif kind in ("place", "body", "event"):
        other = neighbour(rng, kind)
    else:
        return None
    if has_word(analysis.text, other):
        return None
    talk, source, book = rng.choice(TALKS), rng.choice(SOURCES), rng.choice(BOOKS)
    return marked(
        analysis, rng.choice(say.COMPARED),
        "The comparison lacks its second half, for which the passage offers one thing alone.",
        other=other, Other=capitalise(other), source=source, Source=capitalise(source),
        group=rng.choice(PEOPLE), Book=capitalise(book),
        on=talk.prep, A_talk=capitalise(a_(talk.noun)),
    )  # fmt: skip


def adjective(analysis: Analysis, rng: random.Random) -> Draft | None:
    """An adjective before the subject with a sense that the passage confirms and one that cannot be meant."""
    word, reason, other = rng.choice(say.ADJECTIVES)
    if has_word(f"{analysis.query} {analysis.text}", word):
        return None
    source = rng.choice(SOURCES)
    sentence = rng.choice(say.COERCED)
    return qualified(
        analysis, sentence, word, "The adjective has two senses, of which only one can be meant of {full}.",
        adj=word, reason=reason, other=other, source=source, Source=capitalise(source),
        group=rng.choice(PEOPLE),
    )  # fmt: skip
