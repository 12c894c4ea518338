"""What may have been done beside the thing asked about, for the P-Ambiguity rules: deeds, events and questions."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import takewhile

from perturb.rules import ambiguity_words as say
from perturb.rules import pools, scenery
from perturb.rules.ambiguity_rivals import thing_of
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import fact_kind, suiting
from perturb.rules.query_edits import a_
from perturb.rules.scenery import Side
from perturb.rules.subjects import subject_of
from perturb.rules.words import has_word


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done with a thing or a gathering about the subject, told with a regular past form."""

    verb: str
    """The past form, which is the participle as well: "reviewed"."""
    side: Side

    def done(self, thing: str) -> str:
        """The predicate: "reviewed a lecture on Emma"."""
        return f"{self.verb} {a_(self.side.noun)} {self.side.prep} {thing}"

    def undergone(self, thing: str, auxiliary: str = "was") -> str:
        """The clause without a doer: "a lecture on Emma was reviewed"."""
        return f"{a_(self.side.noun)} {self.side.prep} {thing} {auxiliary} {self.verb}"

    @property
    def bare(self) -> str:
        """The predicate without the subject: "reviewed a lecture"."""
        return f"{self.verb} {a_(self.side.noun)}"


def deeds(analysis: Analysis, rng: random.Random, count: int = 1) -> list[Deed]:
    """Different deeds, with different nouns, that suit the subject; no word of their nouns stands in the question."""
    found: list[Deed] = []
    for _ in range(60):
        gathering = rng.random() < 0.5
        side = rng.choice(say.TALKS) if gathering else object_of(analysis, rng)
        new = not any(has_word(analysis.query, word) for word in side.noun.split())
        verb = rng.choice(say.DEEDS_AT_GATHERINGS if gathering else say.DEEDS_WITH_OBJECTS)
        if new and all(side.noun != d.side.noun and verb != d.verb for d in found):
            found.append(Deed(verb, side))
        if len(found) == count:
            break
    return found


def object_of(analysis: Analysis, rng: random.Random) -> Side:
    """A plain object that suits the subject."""
    subject = subject_of(analysis)
    kind = "any" if subject is None else fact_kind(analysis, subject)
    found = suiting(scenery.OBJECTS, kind) or scenery.OBJECTS["any"]
    return rng.choice([side for side in found if side.noun not in say.ODD_OBJECTS])


def side_questions(analysis: Analysis, rng: random.Random, kind: str) -> list[str]:
    """Two questions that a value of the kind answers as well as the one asked."""
    if kind in ("coming", "how long", "how brief"):
        two = [Deed("held", side) for side in rng.sample(say.OCCASIONS, 2)]
    else:
        two = deeds(analysis, rng, 2)
    wordings = rng.sample(say.SIDE_QUESTIONS[kind], 2)
    return [
        wording.format(verb=deed.verb, noun=deed.side.noun)
        for wording, deed in zip(wordings, two, strict=True)
    ]


def side_events(analysis: Analysis, rng: random.Random, old: bool) -> list[str]:
    """Two clauses without a doer, which a date or a place can be told of."""
    if old:
        return rng.sample(say.OLD_SIDE_EVENTS, 2)
    return [f"the {deed.side.noun} was {deed.verb}" for deed in deeds(analysis, rng, 2)]


def side_counts(analysis: Analysis, rng: random.Random) -> list[str]:
    """Two clauses that go on from "how many"."""
    two = deeds(analysis, rng, 2)
    wordings = rng.sample(say.SIDE_COUNTS, 2)
    return [f"{wording} the {deed.side.noun}" for wording, deed in zip(wordings, two, strict=True)]


def pointer(rng: random.Random, thing: str, clause: str) -> str:
    """ "it" where the thing opens the clause or is all that follows its verb, else the thing; so at random as well."""
    near = thing.startswith("the ") and (clause.startswith(thing) or clause.partition(" ")[2] == thing)
    many = any(word.endswith("s") for word in thing.lower().split())
    return "it" if near and not many and rng.random() < 0.6 else thing


def thing_told(analysis: Analysis) -> str | None:
    """What the question is about: the name in it, else what it asks of with "when" or "where"."""
    thing, question = thing_of(analysis), analysis.question
    named = re.search(
        rf"\bthe (?:movie|film|song|(?:tv )?show|book|novel|series|first) {re.escape(thing.removeprefix('the '))}",
        "" if question is None else f"{question.before} {question.after}",
    )
    if named:
        return named.group()
    if thing != "this subject" or question is None:
        return None if thing == "this subject" else thing
    if question.wh not in ("when", "where"):
        made = question.after.partition(" ")[2]
        short = len(made.split()) <= _LONGEST_THING and question.verb not in ("is", "was")
        return made if short and made.startswith("the ") else None
    asked = analysis.query.split()[2:]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(asked, question.before.split(), strict=False))
    name = re.sub(r" (?:first|last|finally)$", "", " ".join(word for word, _ in same))
    return name if re.match(r"the |.*[A-Z]", name) else None


_LONGEST_THING = 7
"""Words of the longest object of a question that another clause takes up."""


def neighbour(rng: random.Random, sort: str) -> str:
    """An invented place, body or event that may stand beside the subject."""
    place = rng.choice(pools.INVENTED_PLACES)
    return place if sort == "place" else f"the {place} {rng.choice(say.SIBLINGS[sort])}"


def at_its_place(value: str) -> str:
    """A value with "at" in the place of "in" before a school, a hall or a ground.

    >>> at_its_place("in Gettysburg College"), at_its_place("in Rome")
    ('at Gettysburg College', 'in Rome')
    """
    return re.sub(rf"^in (?=.*\b(?:{_GROUNDS})$)", "at ", value)


_GROUNDS = (
    "College|University|School|Academy|Institute|Stadium|Center|Centre|Field|Arena|Airport|Hall|Theatre|Theater|"
    "Studios?|House|Castle|Palace|Museum|Hospital|Church|Station|Court|Gardens?"
)
