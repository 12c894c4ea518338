"""Fills the gaps in the wordings of rules.

A wording such as "Did {subject} end before {before}?" has two gaps. The values come from the facts about an instance:
its question, its passage, its answer. `FACT_GAPS` and `DRAWN_GAPS` have a function for each gap, which returns None if
the instance has no such value. Then the wording cannot be used, and the next one is tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from perturb.building.offline.facts import InstanceFacts
from perturb.building.offline.question import Question
from perturb.building.offline.words import (
    capitalise,
    content_stems,
    has_word,
    inflected,
    seeded_random,
    support,
)
from perturb.catalogue.features import word_bank, word_pattern
from perturb.catalogue.levers import gaps_in, kinds_of_gap
from perturb.records import BaseInstance


@dataclass
class Filling:
    """One attempt to fill wordings for an instance."""

    facts: InstanceFacts
    donors: Sequence[BaseInstance]
    draw: tuple[str, int]
    """The lever and the seed: all random choices depend on them alone."""
    local: dict[str, str | None] = field(default_factory=dict)
    """Values of gaps that are already decided, by the operator or by an earlier wording; None if there is no value."""
    used: set[str] = field(default_factory=set)
    """The ids of donors that lent something."""

    @cached_property
    def rng(self) -> random.Random:
        """The source of random choices."""
        return seeded_random(*self.draw)

    def fill(self, wordings: Sequence[str]) -> str | None:
        """A wording with all of its gaps filled, drawn at random; None if no wording can be filled."""
        for wording in self.rng.sample(wordings, len(wordings)):
            filled = self._fill_one(wording)
            if filled is not None:
                return filled
        return None

    def _fill_one(self, wording: str) -> str | None:
        text = wording
        for gap in gaps_in(wording):
            value = self._first_value(gap)
            if value is None:
                return None
            text = text.replace(f"{{{gap}}}", value)
        return text

    def _first_value(self, gap: str) -> str | None:
        """The value of a gap such as `person|subject`, which takes the first of these things that the instance has."""
        for name in gap.split("|"):
            value = self.value(name)
            if value is not None:
                return value
        return None

    def value(self, name: str) -> str | None:
        """The value of a gap; None if the instance has no such thing."""
        if name in self.local:
            return self.local[name]
        if kinds := kinds_of_gap(name):
            return self._of_kind(name, kinds)
        # The outcome is kept even if it is None, since several wordings have the same gaps.
        if name in FACT_GAPS:
            self.local[name] = FACT_GAPS[name](self.facts)
        elif name in DRAWN_GAPS:
            self.local[name] = DRAWN_GAPS[name](self.facts, self.rng)
        return self.local.get(name)

    def _of_kind(self, name: str, kinds: frozenset[str]) -> str | None:
        """The subject if it is of one of these kinds; None if it is not."""
        if name == "person":
            return self.facts.person
        subject = self.facts.subject
        if subject is None or subject.kind not in kinds:
            return None
        # A gap such as {if:work} only sets a condition and leaves nothing in the text.
        return "" if name.startswith("if:") else subject.full


# Each of these functions fills the gap of its name. `catalogue.levers.GAPS` describes the gaps, with examples.


def _subject(facts: InstanceFacts) -> str | None:
    subject = facts.subject
    if subject is None or subject.kind == "person":
        return None  # other gaps are for persons
    # A name with "a" or "an" does not fit sentences about a certain thing.
    return None if re.match(r"an? ", subject.full) else subject.full


def _thing(facts: InstanceFacts) -> str | None:
    """A subject whose kind is unknown."""
    return None if facts.subject is None or facts.subject.kind else facts.subject.full


def _noun(facts: InstanceFacts) -> str | None:
    return None if facts.subject is None else facts.subject.noun or None


def _has_single_answer(facts: InstanceFacts) -> bool:
    return facts.one_answer and bool(facts.answer)


def _claim(facts: InstanceFacts) -> str | None:
    question = facts.question
    answer = facts.answer
    if question is None or not _has_single_answer(facts):
        return None
    # "in Paris" is good English, but most other answers to "where" would need another preposition.
    is_place = answer in word_bank("city") | word_bank("region") or ", " in answer
    if question.question_word == "where" and not is_place:
        return None
    # "The Beatles is" would be wrong.
    if question.verb in ("is", "are") and answer.startswith("The "):
        return None
    return question.claim(answer)


def _denial(facts: InstanceFacts) -> str | None:
    question = facts.question
    if question is None or _claim(facts) is None:
        return None
    # The passage must state the claim clearly. Otherwise nothing contradicts its denial.
    verb = question.action_verb
    is_stated = _states_deed(facts, verb) if verb else _states_role(facts, question)
    return question.denial(facts.answer) if is_stated else None


# A passage states a role if the sentences with the answer hold this share of the question's words.
_ROLE_SUPPORT = 0.6
# The end of the noun that names a role: "the killer | in …".
_AFTER_ROLE = re.compile(r" (?:of|in|on|for|at|to|from|by|with|that|behind)\b")


def _states_deed(facts: InstanceFacts, verb: str) -> bool:
    """Whether a sentence with the answer has the verb of the question, in any form."""
    forms = [inflected(verb, tag) for tag in ("VB", "VBZ", "VBD", "VBN")]
    return any(has_word(facts.answer_text, form) for form in forms if form)


def _states_role(facts: InstanceFacts, question: Question) -> bool:
    """Whether the sentences with the answer speak of the role that the question asks for, as in "who is the killer"."""
    title = facts.passages[facts.home].title
    if support(question.after_verb, f"{title} {facts.answer_text}") < _ROLE_SUPPORT:
        return False
    # The noun itself must be there: "the killer in …" is not stated by a sentence about the victim.
    noun = _AFTER_ROLE.split(question.after_verb)[0].rsplit(maxsplit=1)[-1]
    return not content_stems(noun).isdisjoint(content_stems(facts.answer_text))


def _never(facts: InstanceFacts) -> str | None:
    """As in "Jane Austen had never written Emma"."""
    participle = _participle_of_claim(facts)
    return f"{facts.answer} had never {participle}" if participle else None


def _would(facts: InstanceFacts) -> str | None:
    """As in "would have written Emma"."""
    participle = _participle_of_claim(facts)
    return f"would have {participle}" if participle else None


def _participle_of_claim(facts: InstanceFacts) -> str | None:
    """What the person in the answer did, for a who-question: "written Emma"; None if no claim can be made."""
    question = facts.question
    if question is None or question.question_word != "who" or _claim(facts) is None:
        return None
    return question.as_participle()


def _before(facts: InstanceFacts, rng: random.Random) -> str | None:
    if facts.subject is None or facts.subject.first_year is None:
        return None  # no year is certainly before the subject
    texts = f"{facts.text} {facts.cased_query}"
    years = [int(year) for year in re.findall(r"\b(1[3-9]\d\d|20\d\d)\b", texts)]
    # Before every year that the texts mention, in case one of them belongs to an earlier version of the subject.
    # The distance is drawn, so that the items of a base set do not share one.
    return str(min([facts.subject.first_year, *years]) - rng.randint(4, 14))


# Only a person who was born since this year is likely to be alive.
_MAYBE_ALIVE = 1960


def _living(facts: InstanceFacts) -> str | None:
    subject = facts.subject
    if subject is None or subject.kind != "person" or (subject.first_year or 0) < _MAYBE_ALIVE:
        return None
    is_alive = re.search(rf"{re.escape(subject.name)} \(born [^()]*\)[^.]*? is\b", facts.text)
    has_died = re.search(r"\b(?:died|death|late)\b", facts.text)
    return subject.name if is_alive and not has_died else None


def _office(facts: InstanceFacts) -> str | None:
    question = facts.question
    if question is None or question.question_word != "who" or question.verb != "is":
        return None
    if facts.kind == "organisation" or _claim(facts) is None:
        return None
    is_office = word_pattern("office_asked").match(question.after_verb)
    is_held = re.search(r"\b(?:is|current|currently|incumbent)\b", facts.answer_text)
    return question.after_verb if is_office and is_held else None


# "who wrote", "who is the author of": the question asks for the author.
_AUTHORED = re.compile(r"who (?:wrote|is the (?:author|writer) of|painted|composed)\b", re.IGNORECASE)


def _authored(facts: InstanceFacts) -> str | None:
    subject = facts.subject
    if subject is None or subject.kind not in ("book", "text", "song", "stage"):
        return None
    if not _AUTHORED.match(facts.cased_query):
        return None
    # A second contributor would make "the author" unclear.
    has_contributors = re.search(
        r"\b(?:sung|recorded|performed|covered|edited|translated) by\b|\billustrat\w+|\bpictures\b|\bdrawings\b",
        facts.text,
    )
    return subject.name if _has_single_answer(facts) and not has_contributors else None


# A passage with these words praises or reviews the subject, so an opinion is no longer missing.
_REVIEWED = re.compile(
    r"\b(?:acclaim\w*|praise\w*|critic\w*|review\w*|award\w*|nominat\w*|great(?:est)?|best|finest|favou?rite|delicious"
    r"|popular|famous|beloved|classic|hit|success\w*|tasty|beautiful)\b",
    re.IGNORECASE,
)

# A passage with these words may say that the subject no longer exists.
_ENDED = re.compile(
    r"\b(?:collapsed?|demolished|destroyed|burn(?:t|ed) down|broke up|fell|torn down|replacement|former|defunct"
    r"|dissolved|disbanded|abolished|bankrupt\w*|ceased|merged|extinct|clos(?:ed|ing)|ended|lost|only one"
    r"|until (?:1\d|20)\d\d|took place|(?:was|were) (?:held|fought)|running of)\b"
)


def _nationality(facts: InstanceFacts, rng: random.Random) -> str | None:
    subject = facts.subject
    if subject is None or not subject.noun:
        return None
    # The wordings change a nationality, so the passage must give one.
    if not any(has_word(subject.definition, nationality) for nationality in word_bank("nationality")):
        return None
    # Sorted, since the order of a set changes from run to run and would change the draw.
    wrong_nationalities = sorted(
        nationality for nationality in word_bank("other_nationality") if not has_word(facts.text, nationality)
    )
    return rng.choice(wrong_nationalities) if wrong_nationalities else None


FACT_GAPS: Mapping[str, Callable[[InstanceFacts], str | None]] = {
    "subject": _subject,
    "thing": _thing,
    "name": lambda facts: None if facts.subject is None else facts.subject.name,
    "noun": _noun,
    "answer": lambda facts: facts.answer if _has_single_answer(facts) else None,
    "claim": _claim,
    "denial": _denial,
    "never": _never,
    "would": _would,
    "living": _living,
    "office": _office,
    "authored": _authored,
    "lasting": lambda facts: None if _ENDED.search(facts.text) else "",
    "unreviewed": lambda facts: None if _REVIEWED.search(facts.text) else "",
}
"""Name of a gap -> the function that fills it from the facts about the instance.

The operators fill the gaps of `catalogue.levers.GAPS` that are neither here nor in `DRAWN_GAPS`.
"""
DRAWN_GAPS: Mapping[str, Callable[[InstanceFacts, random.Random], str | None]] = {
    "before": _before,
    # far beyond what any source covers
    "later": lambda _, rng: str(rng.randint(2065, 2098)),
    "nationality": _nationality,
}
"""Name of a gap -> the function that draws its value at random."""


def as_question(text: str) -> str:
    """A filled wording as a question: with a capital at its start and one question mark at its end."""
    return capitalise(re.sub(r"\s+", " ", text).strip().rstrip("?. ")) + "?"
