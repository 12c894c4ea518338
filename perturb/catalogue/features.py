"""What an instance offers: the closed vocabulary in which levers say what they need, and how it is read off the texts.

A feature is a text such as `question:when` or `has:colour`. Features are read cautiously, by patterns and word banks:
one that is reported should be there, one that is not may have been missed. Vocabulary, banks and patterns stand in
`levers/words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from perturb.files.resources import data_folder
from perturb.records import BaseInstance

FEATURES_VERSION = "fbb0296dd996e5a7"
"""Enters the digest of the levers' needs. Change it whenever an instance may have other features than before."""

ADVISORY: frozenset[str] = frozenset()
"""Features that are not read surely enough to rule a lever out (less than 98 % of those reported are there)."""


@dataclass(frozen=True, slots=True)
class Need:
    """One need of a lever: `has:colour`; `answer:person|place`, one of the two; `not question:when`."""

    features: frozenset[str]
    negated: bool = False

    @classmethod
    @cache
    def read(cls, text: str) -> Need:
        """Read a need; raises `ValueError` that says what is unknown.

        >>> sorted(Need.read("answer:person|place").features)
        ['answer:person', 'answer:place']
        """
        positive = text.removeprefix("not ")
        group, colon, names = positive.partition(":")
        known = vocabulary()
        if group not in known or not colon:
            raise ValueError(f"write it as GROUP:FEATURE, where GROUP is one of {', '.join(known)}")
        for name in names.split("|"):
            if name not in known[group]:
                raise ValueError(f"unknown feature '{group}:{name}': choose from {', '.join(known[group])}")
        return cls(frozenset(f"{group}:{name}" for name in names.split("|")), positive != text)

    def holds(self, features: frozenset[str]) -> bool:
        """Whether an instance with these features meets it."""
        return self.negated == self.features.isdisjoint(features)

    def may_hold(self, features: frozenset[str]) -> bool:
        """The same, but a need that hangs on an advisory feature rules nothing out."""
        return not self.features.isdisjoint(ADVISORY) or self.holds(features)


def features_of(instance: BaseInstance) -> frozenset[str]:
    """The features of an instance, as far as they can be told from its texts."""
    query = " ".join(instance.query.lower().replace("’", "'").split()).rstrip(" ?.")
    kind = _question_kind(query)
    features = {f"question:{kind}", f"passages:{'one' if len(instance.passages) == 1 else 'several'}"}
    features |= {f"answer:{name}" for name in _answer_kinds(query, kind, instance)}
    features |= {
        f"asks:{name}" for name in vocabulary()["asks"] if word_pattern(f"asks_{name}").search(query)
    }
    texts = _Texts(instance, query)
    features |= {f"has:{name}" for name, test in _HAS.items() if test(texts)}
    if "answer:person" in features or any(name.lower() in query for name in texts.people):
        features.add("about:person")
    if word_pattern("organisation_named").search(query):
        features.add("about:organisation")
    return frozenset(
        features | {f"about:{name}" for name in ("work", "product") if _words(name).search(query)}
    )


# -- words and patterns ------------------------------------------------------------------------------------------


def words_file() -> Path:
    """The file of the vocabulary and the words, which is not a file of levers."""
    return data_folder("levers") / "words.yaml"


@cache
def _content() -> Mapping[str, Any]:
    return dict(yaml.safe_load(words_file().read_text(encoding="utf-8")))


def vocabulary() -> Mapping[str, Mapping[str, str]]:
    """Group → feature → what it says of an instance."""
    features: Mapping[str, Mapping[str, str]] = _content()["features"]
    return features


@cache
def word_bank(name: str) -> frozenset[str]:
    """The words of a bank."""
    return frozenset(_content()["words"][name].split(", "))


@cache
def word_table(name: str) -> Mapping[str, tuple[str, ...]]:
    """A table of words: the words under each head."""
    return {head: tuple(words.split(", ")) for head, words in _content()[name].items()}


@cache
def _source(name: str) -> str:
    """The text of a pattern, with others put in; of a bank, its words as alternatives."""
    if name in _content()["words"]:
        return f"(?:{'|'.join(map(re.escape, sorted(word_bank(name), key=len, reverse=True)))})"
    return re.sub(r"<([a-z_]+)>", lambda found: _source(found[1]), "".join(_content()["patterns"][name]))


@cache
def word_pattern(name: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern of `levers/words.yaml`."""
    return re.compile(_source(name), flags)


@cache
def _words(bank: str) -> re.Pattern[str]:
    """One of the words of a bank; names of places and people only with their capitals."""
    flags = 0 if bank in ("city", "region", "first_name") else re.IGNORECASE
    return re.compile(rf"(?<![\w-]){_source(bank)}(?![\w-])", flags)


@cache
def _full_name() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){_source('first_name')}(?![\w-]){_source('name')}")


# -- question and answer -----------------------------------------------------------------------------------------

_KINDS = ("how_many", "how", "when", "who", "where", "why", "which", "what")


def _question_kind(query: str) -> str:
    bare = re.sub(rf"^{_source('preposition')} ", "", query)
    inside = word_pattern("question_inside").search(query)
    for text in (query, bare, *((inside[1] or inside[2],) if inside else ())):
        for kind in _KINDS:
            if word_pattern(f"question_{kind}").match(text):
                return kind
    return "yes_no" if word_pattern("question_yes_no").match(query) else "phrase"


def _answer_kinds(query: str, kind: str, instance: BaseInstance) -> Iterator[str]:
    answers = [answer.strip(" \"'“”.") for answer in instance.answers]
    dated = all(word_pattern("dated").search(answer) for answer in answers)
    if dated and (kind == "when" or all(word_pattern("month").search(answer) for answer in answers)):
        yield "date"
    elif kind != "when" and all(map(_is_number, answers)):
        yield "number"
        if all(word_pattern("money", re.IGNORECASE).search(answer) for answer in answers):
            yield "money"
        elif any(word_pattern("measure", re.IGNORECASE).search(answer) for answer in answers):
            yield "measure"
    elif kind != "when" and all(map(_is_named, answers)) and _stands_inside(answers[0], instance):
        yield "named"
        yield from _named_kinds(query, answers, instance)
    elif kind != "when" and not any(
        re.search(r"\d|[A-Z]", answer) or _is_number(answer) for answer in answers
    ):
        yield "text"


def _named_kinds(query: str, answers: list[str], instance: BaseInstance) -> Iterator[str]:
    if word_pattern("group", re.IGNORECASE).search(answers[0]):
        yield "organisation"
    elif word_pattern("person_asked").search(query) and _is_person(answers[0], instance):
        yield "person"
    elif word_pattern("title_asked").search(query):
        yield "title"
    elif word_pattern("place_asked").search(query) or set(answers) <= word_bank("city") | word_bank("region"):
        yield "place"


def _is_number(answer: str) -> bool:
    return word_pattern("number", re.IGNORECASE).fullmatch(answer) is not None


def _is_named(answer: str) -> bool:
    """Whether all words that carry a meaning have capitals."""
    words = [word for word in answer.split() if word.lower() not in word_bank("small")]
    return len("".join(words)) > 1 and all(
        word[:1].isupper() and not re.search(r"\d", word) for word in words
    )


def _is_person(name: str, instance: BaseInstance) -> bool:
    """Whether it begins with a first name, or stands behind an occupation or a form of address."""
    words = name.split()
    if len(words) > 4 or re.search(r"\d|,|&| and ", name):
        return False
    return (len(words) > 1 and words[0] in word_bank("first_name")) or any(
        word_pattern("person_cue").search(passage.text, max(0, found.start() - _LONGEST_CUE), found.start())
        for passage in instance.passages
        for found in re.finditer(rf"{re.escape(name)}\b", passage.text)
    )


_LONGEST_CUE = 24
"""Characters before a name in which an occupation or a form of address can stand."""


def _stands_inside(answer: str, instance: BaseInstance) -> bool:
    """Whether the answer has its capital inside a sentence too, where common nouns have none."""
    head = re.sub(r"^the ", "", answer, flags=re.IGNORECASE)
    pieces = (piece for one in instance.passages for piece in one.text.split(head or answer)[:-1])
    return any(_INSIDE.search(piece[-2:]) for piece in pieces)


_INSIDE = re.compile(r"[\w,;:(\"'“] ?$")


# -- passage -----------------------------------------------------------------------------------------------------


class _Texts:
    """What the features of the passage are read from; the passage is that of the signal passages."""

    def __init__(self, instance: BaseInstance, query: str) -> None:
        signal = [one.text for one in instance.passages if one.role == "signal"]
        passages = signal or [one.text for one in instance.passages]
        self.query = query
        self.text = "\n".join(passages)
        self.both = f"{query}\n{self.text}"
        self.sentences = [one for text in passages for one in word_pattern("sentence").split(text)]
        self.answers = [answer.lower() for answer in instance.answers]

    def spare(self, piece: str) -> bool:
        """Whether a piece of the passage holds no answer, is not part of one, and does not stand in the question."""
        low = piece.lower().strip()
        return not any(low in kept or kept in low for kept in (*self.answers, self.query))

    def any_spare(self, pattern: str) -> bool:
        """Whether one of the pattern's finds is spare: of its groups, if it has any."""
        found = word_pattern(pattern).finditer(self.text)
        return any(self.spare(next(filter(None, one.groups()), one[0])) for one in found)

    @cached_property
    def people(self) -> frozenset[str]:
        names = {found[0] for found in _full_name().finditer(self.text)}
        return frozenset(name for name in names if not word_pattern("group", re.IGNORECASE).search(name))

    @cached_property
    def figures(self) -> list[str]:
        return [found[1].rstrip(",.") for found in word_pattern("figure").finditer(self.text)]


def _names_spare_person(texts: _Texts) -> bool:
    asked = set(texts.query.split())
    return any(texts.spare(name) and asked.isdisjoint(name.lower().split()) for name in texts.people)


def _has_spare_date(texts: _Texts) -> bool:
    months_needed = any(word_pattern("month", re.IGNORECASE).search(answer) for answer in texts.answers)
    return not months_needed and texts.any_spare("full_date")


_HAS: Mapping[str, Callable[[_Texts], bool]] = {
    "colour": lambda t: not re.search(" colou?r", t.query) and t.any_spare("colour_use"),
    "city": lambda t: t.any_spare("city_phrase"),
    "place": lambda t: bool(word_pattern("place_named").search(t.text)),
    "example": lambda t: (
        len(t.sentences) > 2
        and any(word_pattern("example").search(sentence) and t.spare(sentence) for sentence in t.sentences)
    ),
    "figure": lambda t: any(len(re.sub(r"[,.]", "", figure).strip("0")) >= 3 for figure in t.figures),
    "spare_figure": lambda t: any(map(t.spare, t.figures)) or t.any_spare("counted"),
    "spare_date": _has_spare_date,
    "spare_person": _names_spare_person,
    "two_people": lambda t: len({name.split()[-1] for name in t.people}) > 1,
    "living_person": lambda t: bool(word_pattern("alive").search(t.text)),
    "office": lambda t: bool(_words("office").search(t.both)),
    "spare_bracket": lambda t: t.any_spare("bracket"),
    "opening": lambda t: any(
        (found := word_pattern("opening").search(sentence)) is not None and t.spare(found[0])
        for sentence in t.sentences
    ),
    "alias": lambda t: t.any_spare("alias"),
    "origin_date": lambda t: bool(word_pattern("origin").search(t.text)),
    "ordinal": lambda t: bool(word_pattern("ordinal").search(t.text)),
    "organism": lambda t: bool(re.search(rf"(?<![\w-]){_source('organism')}(?![\w-])", t.text)),
    "institution": lambda t: bool(_words("institution").search(t.both)),
    "cause": lambda t: bool(word_pattern("cause").search(t.text)),
}
