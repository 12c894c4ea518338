"""Features of base instances, and the needs of levers, which are written in terms of them.

A feature is a text such as `question:when` or `has:colour`. Patterns and word banks recognise features, and they err on
the side of caution: a feature that is reported should be there, but one that is not reported may have been missed. A
feature with *spare* in its name reports a piece of a passage that a rule may cut or change, since neither the question
nor the answer needs it. The vocabulary, the banks and the patterns are in `levers/words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from perturb.files.resources import data_folder
from perturb.records import BaseInstance

FEATURES_VERSION = "fbb0296dd996e5a7"
"""Part of the digest of the levers' needs.

Any other text will do: change it whenever instances may get other features than before.
"""


@dataclass(frozen=True, slots=True)
class Need:
    """A need of a lever: `has:colour`, `answer:person|place` (either of the two) or `not question:when`."""

    features: frozenset[str]
    negated: bool = False

    @classmethod
    @cache
    def read(cls, text: str) -> Need:
        """Read a need. Raises a `ValueError` that says which part is unknown.

        >>> sorted(Need.read("answer:person|place").features)
        ['answer:person', 'answer:place']
        """
        positive = text.removeprefix("not ")
        group, colon, alternatives = positive.partition(":")
        names = alternatives.split("|")
        groups = vocabulary()
        if group not in groups or not colon:
            raise ValueError(f"write it as GROUP:FEATURE, where GROUP is one of {', '.join(groups)}")
        for name in names:
            if name not in groups[group]:
                raise ValueError(f"unknown feature '{group}:{name}': choose from {', '.join(groups[group])}")
        return cls(frozenset(f"{group}:{name}" for name in names), negated=positive != text)

    def holds(self, features: frozenset[str]) -> bool:
        """Whether an instance with these features meets the need."""
        has_feature = not self.features.isdisjoint(features)
        return has_feature != self.negated


def features_of(instance: BaseInstance) -> frozenset[str]:
    """The features that can be recognised in the texts of an instance."""
    # The patterns of questions are written for small letters, straight apostrophes and no end mark.
    query = " ".join(instance.query.lower().replace("’", "'").split()).rstrip(" ?.")
    kind = _question_kind(query)
    features = {f"question:{kind}", f"passages:{'one' if len(instance.passages) == 1 else 'several'}"}
    features |= {f"answer:{name}" for name in _answer_kinds(query, kind, instance)}
    asks = (name for name in vocabulary()["asks"] if word_pattern(f"asks_{name}").search(query))
    features |= {f"asks:{name}" for name in asks}
    texts = _Texts(instance, query)
    features |= {f"has:{name}" for name in vocabulary()["has"] if _has(name, texts)}
    if "answer:person" in features or any(name.lower() in query for name in texts.people):
        features.add("about:person")
    if word_pattern("organisation_named").search(query):
        features.add("about:organisation")
    features |= {f"about:{name}" for name in ("work", "product") if _bank_pattern(name).search(query)}
    return frozenset(features)


# -- words and patterns ------------------------------------------------------------------------------------------


def words_file() -> Path:
    """The file of the vocabulary. It lies among the lever files but is not one of them."""
    return data_folder("levers") / "words.yaml"


@cache
def _content() -> Mapping[str, Any]:
    """The content of the file: `features`, `words`, `patterns` and some tables."""
    return dict(yaml.safe_load(words_file().read_text(encoding="utf-8")))


def vocabulary() -> Mapping[str, Mapping[str, str]]:
    """Group → feature → its meaning, for an instance that has it."""
    features: Mapping[str, Mapping[str, str]] = _content()["features"]
    return features


@cache
def word_bank(name: str) -> frozenset[str]:
    """The words of a bank."""
    return frozenset(_content()["words"][name].split(", "))


@cache
def word_table(name: str) -> Mapping[str, tuple[str, ...]]:
    """A table of words: heading → the words under it."""
    return {heading: tuple(words.split(", ")) for heading, words in _content()[name].items()}


@cache
def _pattern_text(name: str) -> str:
    """The text of a pattern. A pattern may contain others as `<name>`. The name of a bank means any of its words."""

    def referred_text(reference: re.Match[str]) -> str:
        return _pattern_text(reference[1])

    if name in _content()["words"]:
        # Longer words first, since a pattern takes the first alternative that fits.
        return f"(?:{'|'.join(map(re.escape, sorted(word_bank(name), key=len, reverse=True)))})"
    # The file may break a pattern into several lines.
    pattern = "".join(_content()["patterns"][name])
    return re.sub(r"<([a-z_]+)>", referred_text, pattern)


@cache
def word_pattern(name: str, flags: int = 0) -> re.Pattern[str]:
    """A compiled pattern of `levers/words.yaml`."""
    return re.compile(_pattern_text(name), flags)


@cache
def _bank_pattern(bank: str) -> re.Pattern[str]:
    """A pattern for any word of a bank, in any letter case."""
    return re.compile(rf"(?<![\w-]){_pattern_text(bank)}(?![\w-])", re.IGNORECASE)


@cache
def _full_name() -> re.Pattern[str]:
    """A pattern for a first name with a family name."""
    return re.compile(rf"(?<![\w-]){_pattern_text('first_name')}(?![\w-]){_pattern_text('name')}")


# -- question and answer -----------------------------------------------------------------------------------------

# Kinds of questions by their question word. The order matters, since `how` also matches "how many".
_QUESTION_KINDS = ("how_many", "how", "when", "who", "where", "why", "which", "what")


# How many characters before a name are searched for an occupation or a form of address.
_LONGEST_CUE = 24
# The end of a text that goes on within a sentence: a word or a comma, maybe with a blank or an opening mark.
_MIDDLE_OF_SENTENCE = re.compile(r"[\w,;:(\"'“] ?$")


def _question_kind(query: str) -> str:
    """The kind of question, by its first words or by those of a question inside it."""
    # "in which year …" is read as "which year …".
    texts = [query, re.sub(rf"^{_pattern_text('preposition')} ", "", query)]
    if inner := word_pattern("question_inside").search(query):
        # Of the two groups of the pattern, the one that matched holds the question.
        texts += filter(None, inner.groups())
    for text in texts:
        for kind in _QUESTION_KINDS:
            if word_pattern(f"question_{kind}").match(text):
                return kind
    return "yes_no" if word_pattern("question_yes_no").match(query) else "phrase"


def _answer_kinds(query: str, kind: str, instance: BaseInstance) -> list[str]:
    """The kinds of the accepted answers to a question of this kind, the general one first; none if they are unclear."""
    answers = [answer.strip(" \"'“”.") for answer in instance.answers]
    hold_dates = all(word_pattern("dated").search(answer) for answer in answers)
    # A year alone is a date only if the question asks for one: "1984" may also be a title or a number.
    if hold_dates and (kind == "when" or all(word_pattern("month").search(answer) for answer in answers)):
        return ["date"]
    # The answer to "when" is a date or unclear.
    if kind == "when":
        return []
    if all(map(_is_number, answers)):
        return ["number", *_number_kinds(answers)]
    if all(map(_is_named, answers)) and _is_proper_noun(answers[0], instance):
        return ["named", *_named_kinds(query, answers, instance)]
    has_name_or_number = any(re.search(r"\d|[A-Z]", answer) or _is_number(answer) for answer in answers)
    return [] if has_name_or_number else ["text"]


def _number_kinds(answers: list[str]) -> list[str]:
    """The specific kind of answers that are numbers; empty if it is unclear."""
    if all(word_pattern("money", re.IGNORECASE).search(answer) for answer in answers):
        return ["money"]
    is_measure = any(word_pattern("measure", re.IGNORECASE).search(answer) for answer in answers)
    return ["measure"] if is_measure else []


def _named_kinds(query: str, answers: list[str], instance: BaseInstance) -> list[str]:
    """The specific kind of a named answer, judged by its words first and then by the question; empty if unclear."""
    if word_pattern("group", re.IGNORECASE).search(answers[0]):
        return ["organisation"]
    if word_pattern("person_asked").search(query) and _is_person(answers[0], instance):
        return ["person"]
    if word_pattern("title_asked").search(query):
        return ["title"]
    is_known_place = set(answers) <= word_bank("city") | word_bank("region")
    return ["place"] if word_pattern("place_asked").search(query) or is_known_place else []


def _is_number(answer: str) -> bool:
    return word_pattern("number", re.IGNORECASE).fullmatch(answer) is not None


def _is_named(answer: str) -> bool:
    """Whether every word has a capital, except small words such as "of"."""
    words = [word for word in answer.split() if word.lower() not in word_bank("small")]
    is_single_letter = len("".join(words)) <= 1  # an option or a grade, or nothing at all
    return not is_single_letter and all(re.fullmatch(r"\D+", word) and word[0].isupper() for word in words)


def _is_person(name: str, instance: BaseInstance) -> bool:
    """Whether the name begins with a first name, or follows an occupation or a form of address in a passage."""
    words = name.split()
    if len(words) > 4 or re.search(r"\d|,|&| and ", name):
        return False
    if len(words) > 1 and words[0] in word_bank("first_name"):
        return True
    for passage in instance.passages:
        for match in re.finditer(rf"{re.escape(name)}\b", passage.text):
            start = match.start()
            if word_pattern("person_cue").search(passage.text, max(0, start - _LONGEST_CUE), start):
                return True
    return False


def _is_proper_noun(answer: str, instance: BaseInstance) -> bool:
    """Whether the answer has its capital in the middle of a sentence, where a common noun has a small letter."""
    name = re.sub(r"^the ", "", answer, flags=re.IGNORECASE) or answer
    texts_before = (text for passage in instance.passages for text in passage.text.split(name)[:-1])
    return any(_MIDDLE_OF_SENTENCE.search(text[-2:]) for text in texts_before)


# -- passage -----------------------------------------------------------------------------------------------------


class _Texts:
    """The texts in which features are recognised: the question, and the signal passages if any are marked."""

    def __init__(self, instance: BaseInstance, query: str) -> None:
        signal = [passage.text for passage in instance.passages if passage.role == "signal"]
        passages = signal or [passage.text for passage in instance.passages]
        self.query = query
        self.text = "\n".join(passages)
        self.both = f"{query}\n{self.text}"
        self.sentences = [sentence for text in passages for sentence in word_pattern("sentence").split(text)]
        self.answers = [answer.lower() for answer in instance.answers]

    def is_spare(self, piece: str) -> bool:
        """Whether a piece of the passage may be cut: it shares no text with an answer or with the question."""
        lowered = piece.lower().strip()
        return not any(lowered in needed or needed in lowered for needed in (*self.answers, self.query))

    def has_spare(self, pattern: str) -> bool:
        """Whether a match of the pattern may be cut. If the pattern has groups, the first group that matched counts."""
        matches = word_pattern(pattern).finditer(self.text)
        return any(self.is_spare(match[match.lastindex or 0]) for match in matches)

    @cached_property
    def people(self) -> frozenset[str]:
        """The full names of people in the passages. "Elton John Band" is a group."""
        names = {match[0] for match in _full_name().finditer(self.text)}
        return frozenset(name for name in names if not word_pattern("group", re.IGNORECASE).search(name))

    @cached_property
    def figures(self) -> list[str]:
        """The figures in the passages, without a mark that follows them."""
        return [match[1].rstrip(",.") for match in word_pattern("figure").finditer(self.text)]


def _has_spare_colour(texts: _Texts) -> bool:
    asks_for_colour = re.search(" colou?r", texts.query)
    return not asks_for_colour and texts.has_spare("colour_use")


def _has_spare_example(texts: _Texts) -> bool:
    examples = [sentence for sentence in texts.sentences if word_pattern("example").search(sentence)]
    # A shorter passage would say too little without its example.
    return len(texts.sentences) > 2 and any(map(texts.is_spare, examples))


def _has_spare_opening(texts: _Texts) -> bool:
    openings = (word_pattern("opening").search(sentence) for sentence in texts.sentences)
    return any(opening is not None and texts.is_spare(opening[0]) for opening in openings)


def _has_exact_figure(texts: _Texts) -> bool:
    # A figure with fewer than three digits before its zeros, such as 1,200, is rounded already.
    return any(len(re.sub(r"[,.]", "", figure).strip("0")) >= 3 for figure in texts.figures)


def _names_spare_person(texts: _Texts) -> bool:
    # A person who shares a name with somebody in the question may be a relative, whom the question needs.
    query_words = set(texts.query.split())
    return any(texts.is_spare(name) and query_words.isdisjoint(name.lower().split()) for name in texts.people)


def _has_spare_date(texts: _Texts) -> bool:
    months_needed = any(word_pattern("month", re.IGNORECASE).search(answer) for answer in texts.answers)
    return not months_needed and texts.has_spare("full_date")


# Feature of the group `has` -> the pattern of which the passages must have a match
_IN_TEXT = {
    "place": "place_named",
    "living_person": "alive",
    "origin_date": "origin",
    "ordinal": "ordinal",
    "cause": "cause",
}
# Feature of the group `has` -> the pattern of which the passages must have a match that may be cut
_SPARE_IN_TEXT = {"city": "city_phrase", "spare_bracket": "bracket", "alias": "alias"}
# Feature of the group `has` -> the test for it
_TESTS: Mapping[str, Callable[[_Texts], bool]] = {
    "colour": _has_spare_colour,
    "example": _has_spare_example,
    "opening": _has_spare_opening,
    "figure": _has_exact_figure,
    "spare_figure": lambda texts: any(map(texts.is_spare, texts.figures)) or texts.has_spare("counted"),
    "spare_date": _has_spare_date,
    "spare_person": _names_spare_person,
    "two_people": lambda texts: len({name.split()[-1] for name in texts.people}) > 1,
    "office": lambda texts: bool(_bank_pattern("office").search(texts.both)),
    "organism": lambda texts: bool(re.search(rf"(?<![\w-]){_pattern_text('organism')}(?![\w-])", texts.text)),
    "institution": lambda texts: bool(_bank_pattern("institution").search(texts.both)),
}


def _has(name: str, texts: _Texts) -> bool:
    """Whether the texts have the feature of this name of the group `has`."""
    if name in _IN_TEXT:
        return word_pattern(_IN_TEXT[name]).search(texts.text) is not None
    if name in _SPARE_IN_TEXT:
        return texts.has_spare(_SPARE_IN_TEXT[name])
    return _TESTS[name](texts)
