"""Answers: where they stand in the passages, which aliases mean the same thing, and what type of thing it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from perturb.records import BaseInstance, Passage
from perturb.rules import pools
from perturb.rules.words import STOP_WORDS, plain, spans_of, tokens


class AnswerType(StrEnum):
    """What kind of thing answers the question."""

    PERSON = "person"
    DATE = "date"
    """A date finer than a year: a day, a month, a decade, a century."""
    YEAR = "year"
    NUMBER = "number"
    PLACE = "place"
    WORK = "work"
    """A titled work."""
    PHRASE = "phrase"
    """Anything else."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An accepted answer standing in a passage."""

    passage: int
    start: int
    end: int
    text: str
    """As the passage writes it."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Aliases that mean the same answer."""

    aliases: tuple[str, ...]
    mentions: tuple[Mention, ...]
    """Longest match at each place, in the order of the passages; never empty in an analysis."""

    @property
    def longest(self) -> str:
        """The fullest form that stands in a passage."""
        return max((m.text for m in self.mentions), key=len)


_MONTH = "|".join(pools.MONTHS)
_YEAR = re.compile(r"^(?:in |c\. |by |around )?\(?(?:1[0-9]|20)\d\d\)?$")
_DATE = re.compile(
    rf"(?:{_MONTH})|^(?:in |by )?(?:the )?"
    r"(?:early |late |mid-?)?(?:1[0-9]|20)\d0s$|\bcentury\b|\b(?:1[0-9]|20)\d\d\b|\d+ (?:BC|AD)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = "|".join(
    [*pools.SMALL_NUMBERS[1:], "thirty", "forty", "fifty", "hundred", "thousand", "million"]
)
_NUMBER = re.compile(
    rf"^(?:US)?[$£€]?\d[\d,.]*%?(?:[ -]\w+){{0,3}}$|^(?:{_NUMBER_WORDS})(?:-\w+)?(?: \w+){{0,2}}$",
    re.IGNORECASE,
)
_PERSON_CUE = re.compile(
    r"\b(?:actor|actress|singer|songwriter|writer|author|composer|musician|poet|novelist|director|architect|scientist|"
    r"physicist|philosopher|president|king|queen|coach|player|artist|designer|producer|rapper|inventor|engineer|chef|"
    r"quarterback|captain|swimmer|physician|economist|journalist|screenwriter|lyricist|guitarist|Sir|Dr\.?|Mr\.?|Mrs\.?|Lord|Lady)\s+$"
)
_GROUP_WORD = re.compile(
    r"\b(?:team|family|band|company|party|court|corporation|club|university|church|army|government|union|congress|senate|"
    r"empire|league|council|group|brothers|sisters|states?|rivers?|studios?|pictures|records|society|association|fc|"
    r"orchestra|committee|ministry|department|emperor|house|band)\b",
    re.IGNORECASE,
)
_PLACE_TAIL = re.compile(
    r"\b(?:River|Lake|Island|Islands|Mountain|Mountains|Ocean|Sea|Valley|City|County|Street|Avenue|Road|Desert|Bay|Beach|"
    r"Peninsula|Hill|Hills|Park|Square)$"
)
_PLACES = frozenset(
    plain_place.lower() for plain_place in (*pools.COUNTRIES, *pools.US_STATES, *pools.CITIES)
)


def mentions_of(passages: tuple[Passage, ...], aliases: tuple[str, ...]) -> tuple[Mention, ...]:
    """Every place where one of the aliases stands, the longest first where they overlap."""
    found: list[Mention] = []
    for index, passage in enumerate(passages):
        taken: list[tuple[int, int]] = []
        for alias in sorted(set(aliases), key=lambda a: (-len(a), a)):
            for start, end in spans_of(passage.text, alias.strip()):
                if all(end <= s or start >= e for s, e in taken):
                    taken.append((start, end))
        found.extend(Mention(index, s, e, passage.text[s:e]) for s, e in sorted(taken))
    return tuple(found)


def clusters_of(instance: BaseInstance) -> tuple[Cluster, ...]:
    """Group the accepted answers by meaning, keeping the groups that stand in a passage.

    Two aliases belong together when the content words of one are among those of the other.
    """
    groups: list[list[str]] = []
    for alias in sorted(instance.answers, key=lambda a: (-len(a), a)):
        words = _core(alias)
        home = next((g for g in groups if words and any(words <= _core(a) for a in g)), None)
        if home is None:
            groups.append([alias])
        else:
            home.append(alias)
    clusters = (Cluster(tuple(group), mentions_of(instance.passages, tuple(group))) for group in groups)
    return tuple(cluster for cluster in clusters if cluster.mentions)


def _core(alias: str) -> frozenset[str]:
    words = [plain(token) for token in tokens(alias)]
    values = {str(i): word for i, word in enumerate(pools.SMALL_NUMBERS)}
    return frozenset(values.get(word, word) for word in words if word not in STOP_WORDS or len(words) == 1)


def type_of_answer(query: str, cluster: Cluster, passages: tuple[Passage, ...]) -> AnswerType:
    """The type of an answer, from its form and the question's words; PHRASE when in doubt."""
    answer = cluster.longest.strip().strip("\"“”'")
    lowered = query.lower()
    if _YEAR.match(answer):
        return AnswerType.YEAR
    if (
        _DATE.search(answer)
        and len(answer.split()) <= 6
        and ("when" in lowered or "date" in lowered or "year" in lowered)
    ):
        return AnswerType.DATE
    if _NUMBER.match(answer) and not re.search(r"\b(?:one of|following)\b", answer):
        return AnswerType.NUMBER
    if is_place(answer) and not lowered.startswith(("who", "whos")):
        return AnswerType.PLACE
    if re.search(
        r"\bwho(?:'s|s|m|se)?\b|\b(?:actor|actress|singer|author|writer|artist|president)\b", lowered
    ) and is_person(answer, cluster, passages):
        return AnswerType.PERSON
    quoted = cluster.longest[:1] in '"“'
    if quoted and re.search(r"\b(?:song|film|movie|episode|book|album|novel)\b", lowered):
        return AnswerType.WORK
    return AnswerType.PHRASE


def is_place(text: str) -> bool:
    """Whether a text is a place of the pools, or has the form "Town, Region" or "Blue River".

    >>> is_place("Covington, Kentucky"), is_place("the duodenum")
    (True, False)
    """
    bare = re.sub(r"^(?:in |at |the )+", "", text, flags=re.IGNORECASE).strip()
    if bare.lower() in _PLACES:
        return True
    head, comma, tail = bare.rpartition(", ")
    if comma and head[:1].isupper() and (tail.lower() in _PLACES or tail in ("USA", "UK")):
        return True
    return bool(bare[:1].isupper() and _PLACE_TAIL.search(bare) and len(bare.split()) <= 4)


def is_person(answer: str, cluster: Cluster, passages: tuple[Passage, ...]) -> bool:
    """Whether an answer names one person, by a known first name or an occupation standing before it."""
    name = person_name(answer)
    words = name.split()
    if (
        not 2 <= len(words) <= 4
        or _GROUP_WORD.search(answer)
        or not all(w[0].isupper() or w in ("de", "van", "von", "al", "bin") for w in words)
    ):
        return False
    if re.search(r"\band\b|,|&|\d", answer) or words[0].lower() in ("the", "my", "our") or is_place(name):
        return False
    if plain(words[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES or re.match(r"^(?:[A-Z]\.){1,3}$", words[0]):
        return True
    return any(
        _PERSON_CUE.search(passages[m.passage].text[max(0, m.start - 40) : m.start]) for m in cluster.mentions
    )


def person_name(answer: str) -> str:
    """The name without an occupation before it.

    >>> person_name("actress Dakota Johnson"), person_name("Philosopher George Berkeley")
    ('Dakota Johnson', 'George Berkeley')
    """
    words = answer.strip("\"“”' ").split()
    known = pools.MALE_NAMES | pools.FEMALE_NAMES
    for place in range(min(4, len(words) - 1)):
        if plain(words[place]) in known and words[place][0].isupper():
            return " ".join(words[place:])
        if words[place][0].isupper() and place and words[place - 1].islower():
            return " ".join(words[place:])
    return " ".join(words)


def gender_of(name: str, text: str) -> str | None:
    """`m`, `f` or None for a person, from the first name, checked against the pronouns around.

    A name that both genders bear counts by the pronouns alone; contrary evidence gives None.
    """
    first = plain(name.split(maxsplit=1)[0]) if name.split() else ""
    by_name = None
    if first not in pools.UNISEX:
        by_name = "m" if first in pools.MALE_NAMES else "f" if first in pools.FEMALE_NAMES else None
    male = len(re.findall(r"\b(?:he|him|his|himself)\b", text, re.IGNORECASE))
    female = len(re.findall(r"\b(?:she|her|hers|herself)\b", text, re.IGNORECASE))
    if by_name is not None:
        return by_name
    if male >= 2 and not female:
        return "m"
    if female >= 2 and not male:
        return "f"
    return None
