"""Fills the gaps in the wordings of rules.

A wording such as "Did {subject} end before {before}?" takes its values from the question, the passage or a donor.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce

from perturb.building.offline.facts import InstanceFacts
from perturb.building.offline.question import inflected
from perturb.building.offline.words import (
    capitalise,
    content_stems,
    has_word,
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
    local: dict[str, str] = field(default_factory=dict)
    """Values that are already decided, for instance by the operator for the place in the text where it works."""
    absent: set[str] = field(default_factory=set)
    """Gaps for which the instance has no value."""
    used: set[str] = field(default_factory=set)
    """The ids of donors that lent something."""

    @cached_property
    def rng(self) -> random.Random:
        """The source of random choices."""
        return seeded_random(*self.draw)

    def fill(self, wordings: Sequence[str]) -> str | None:
        """A wording with all of its gaps filled, drawn at random; None if no wording can be filled."""
        for wording in self.rng.sample(wordings, len(wordings)):
            values: dict[str, str] = {}
            for gap in gaps_in(wording):
                # A gap such as {person|subject} takes the first of these things that the instance has.
                value = next(
                    (filled for name in gap.split("|") if (filled := self.value(name)) is not None), None
                )
                if value is None:
                    break  # on to the next wording
                values[gap] = value
            else:
                return reduce(lambda text, gap: text.replace(f"{{{gap}}}", values[gap]), values, wording)
        return None

    def value(self, name: str) -> str | None:
        """The value of a gap; None if the instance has no such thing."""
        if name in self.local:
            return self.local[name]
        if name in self.absent:
            return None
        if kinds := kinds_of_gap(name):
            return self._of_kind(name, kinds)
        maker = MAKERS.get(name)
        value = None if maker is None else maker(self)
        # The outcome is kept in either case, since several wordings have the same gaps.
        if value is not None:
            self.local[name] = value
        elif maker is not None:
            self.absent.add(name)
        return value

    def _of_kind(self, name: str, kinds: frozenset[str]) -> str | None:
        """The subject if it is of one of these kinds; None if it is not."""
        if name == "person":
            return self.facts.person
        subject = self.facts.subject
        if subject is None or subject.kind not in kinds:
            return None
        # A gap such as {if:work} only sets a condition and leaves nothing in the text.
        return "" if name.startswith("if:") else subject.full


# Each of these functions fills a gap. `catalogue.levers.GAPS` describes the gaps, and `MAKERS` maps them to functions.


def _subject(filling: Filling) -> str | None:
    subject = filling.facts.subject
    # Other gaps are for persons. A name with "a" or "an" does not fit sentences about a certain thing.
    if subject is None or subject.kind == "person" or re.match(r"an? ", subject.full):
        return None
    return subject.full


def _thing(filling: Filling) -> str | None:
    subject = filling.facts.subject
    return subject.full if subject is not None and not subject.kind else None


def _noun(filling: Filling) -> str | None:
    subject = filling.facts.subject
    # An empty noun counts as missing.
    return (subject.noun or None) if subject is not None else None


def _has_single_answer(filling: Filling) -> bool:
    return filling.facts.one_answer and bool(filling.facts.answer)


def _claim(filling: Filling) -> str | None:
    question = filling.facts.question
    answer = filling.facts.answer
    if question is None or not _has_single_answer(filling):
        return None
    # "in Paris" is good English, but most other answers to "where" would need another preposition.
    is_place = answer in word_bank("city") | word_bank("region") or ", " in answer
    if question.question_word == "where" and not is_place:
        return None
    # "The Beatles is" would be wrong.
    if question.verb in ("is", "are") and answer.startswith("The "):
        return None
    return question.claim(answer)


def _denial(filling: Filling) -> str | None:
    question = filling.facts.question
    if question is None or _claim(filling) is None or not _states_claim(filling, question.action_verb):
        return None
    return question.denial(filling.facts.answer)


# A passage states a role if the sentences with the answer hold this share of the question's words.
_ROLE_SUPPORT = 0.6
# The end of the noun that names a role: "the killer | in …".
_AFTER_ROLE = re.compile(r" (?:of|in|on|for|at|to|from|by|with|that|behind)\b")


def _states_claim(filling: Filling, verb: str) -> bool:
    """Whether a sentence with the answer states the claim with the question's verb.

    With an empty `verb`, the question asks for the person in a role. Then the sentences must hold most of its words.
    """
    if not verb:
        title, question = filling.facts.passages[filling.facts.home].title, filling.facts.question
        stated_text = " ".join(sentence.text for sentence in filling.facts.answer_sentences)
        if question is None or support(question.after_verb, f"{title} {stated_text}") < _ROLE_SUPPORT:
            return False
        # The noun itself must be there: "the killer in …" is not stated by a sentence about the victim.
        noun = _AFTER_ROLE.split(question.after_verb)[0].rsplit(maxsplit=1)[-1]
        return bool(content_stems(noun) & content_stems(stated_text))
    forms = {inflected(verb, tag) for tag in ("VB", "VBZ", "VBD", "VBN")} - {None}
    return any(
        has_word(sentence.text, form) for sentence in filling.facts.answer_sentences for form in forms if form
    )


def _never(filling: Filling) -> str | None:
    question = filling.facts.question
    if question is None or question.question_word != "who" or _claim(filling) is None:
        return None
    participle = question.as_participle()
    return f"{filling.facts.answer} had never {participle}" if participle else None


def _would(filling: Filling) -> str | None:
    question = filling.facts.question
    if question is None or question.question_word != "who" or not _claim(filling):
        return None
    participle = question.as_participle()
    return f"would have {participle}" if participle else None


def _before(filling: Filling) -> str | None:
    start = filling.facts.subject.first_year if filling.facts.subject is not None else None
    if start is None:
        return None  # without a first year, no year is certainly before the subject
    texts = f"{filling.facts.text} {filling.facts.query}"
    years = [int(year) for year in re.findall(r"\b(1[3-9]\d\d|20\d\d)\b", texts)]
    # Before every year that the texts mention, in case one of them belongs to an earlier version of the subject.
    # The distance is drawn, so that the items of a base set do not share one.
    return str(min([start, *years]) - filling.rng.randint(4, 14))


# Only a person who was born since this year is likely to be alive.
_MAYBE_ALIVE = 1960


def _living(filling: Filling) -> str | None:
    subject = filling.facts.subject
    if subject is None or subject.kind != "person" or (subject.first_year or 0) < _MAYBE_ALIVE:
        return None
    is_alive = re.search(rf"{re.escape(subject.name)} \(born [^()]*\)[^.]*? is\b", filling.facts.text)
    has_died = re.search(r"\b(?:died|death|late)\b", filling.facts.text)
    return subject.name if is_alive and not has_died else None


def _office(filling: Filling) -> str | None:
    question = filling.facts.question
    if (
        question is None
        or question.question_word != "who"
        or question.verb != "is"
        or filling.facts.kind == "organisation"
        or not _claim(filling)
    ):
        return None
    office = word_pattern("office_asked").match(question.after_verb)
    is_held = any(
        re.search(r"\b(?:is|current|currently|incumbent)\b", s.text) for s in filling.facts.answer_sentences
    )
    return question.after_verb if office and is_held else None


# "who wrote", "who is the author of": the question asks for the author.
_AUTHORED = re.compile(r"who (?:wrote|is the (?:author|writer) of|painted|composed)\b", re.IGNORECASE)


def _authored(filling: Filling) -> str | None:
    subject = filling.facts.subject
    if (
        subject is None
        or subject.kind not in ("book", "text", "song", "stage")
        or not _AUTHORED.match(filling.facts.query)
    ):
        return None
    # A second contributor would make "the author" unclear.
    has_contributors = re.search(
        r"\b(?:sung|recorded|performed|covered|edited|translated) by\b|\billustrat\w+|\bpictures\b|\bdrawings\b",
        filling.facts.text,
    )
    return subject.name if _has_single_answer(filling) and not has_contributors else None


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


def _nationality(filling: Filling) -> str | None:
    subject = filling.facts.subject
    if (
        subject is None
        or not subject.noun
        or not any(has_word(subject.definition, nationality) for nationality in word_bank("nationality"))
    ):
        return None
    # Sorted, since the order of a set changes from run to run and would change the draw.
    wrong_nationalities = sorted(
        nationality
        for nationality in word_bank("other_nationality")
        if not has_word(filling.facts.text, nationality)
    )
    return filling.rng.choice(wrong_nationalities) if wrong_nationalities else None


MAKERS: Mapping[str, Callable[[Filling], str | None]] = {
    "subject": _subject,
    "thing": _thing,
    "name": lambda filling: None if filling.facts.subject is None else filling.facts.subject.name,
    "noun": _noun,
    "answer": lambda filling: filling.facts.answer if _has_single_answer(filling) else None,
    "claim": _claim,
    "denial": _denial,
    "never": _never,
    "would": _would,
    "before": _before,
    "living": _living,
    "office": _office,
    "later": lambda filling: str(filling.rng.randint(2065, 2098)),
    "authored": _authored,
    "nationality": _nationality,
    "lasting": lambda filling: None if _ENDED.search(filling.facts.text) else "",
    "unreviewed": lambda filling: None if _REVIEWED.search(filling.facts.text) else "",
}
"""Name of a gap -> the function that fills it. The operators fill the other gaps of `catalogue.levers.GAPS`."""


def as_question(text: str) -> str:
    """A filled wording as a question: with a capital at its start and one question mark at its end."""
    return capitalise(re.sub(r"\s+", " ", text).strip().rstrip("?. ")) + "?"
