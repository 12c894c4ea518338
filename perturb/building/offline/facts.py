"""What the operators need to know about an instance, each found once and only when asked for."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property

from perturb.building.offline.question import Question, parse_question, recase
from perturb.building.offline.subject import Subject, subject_of
from perturb.building.offline.words import (
    Span,
    has_word,
    is_common,
    is_small,
    plain,
    spans_of,
    stem,
    support,
    tokens,
)
from perturb.catalogue.features import features_of, word_bank, word_pattern
from perturb.records import BaseInstance, Passage
from perturb.text.passages import Sentence, split_sentences

MIN_SUPPORT = 0.5
"""Share of the question's content words that the answering sentence, with title and neighbours, must hold."""
_KINDS = ("date", "money", "number", "person", "organisation", "place", "title", "named", "text")


_NAME = re.compile(r"[A-Z][^\s,]*(?: (?:[A-Z][^\s,]*|de|van|von|da|bin|al|la))*")
_ONE_PERSON = re.compile(r"(?:[A-Z][\w.’'-]+ ){1,3}[A-Z][\w.’'-]+")
_ASKS_TWICE = re.compile(r"\band (?:[a-z]+ )?(?:what|which|when|where|who|whom|how|why)\b", re.IGNORECASE)
_FOREWORD = re.compile(r"^(?:the )?(?:[A-Z]\w+ )?(?:[a-z]+ )+(?=[A-Z])")
"""What may stand before a person's name: "Argentine composer"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An accepted answer standing in a passage."""

    passage: int
    start: int
    end: int
    text: str


class Facts:
    """An instance as the operators see it: its signal passages, its question, its answer."""

    def __init__(self, instance: BaseInstance) -> None:
        self.instance = instance
        self.passages = instance.passages

    @cached_property
    def features(self) -> frozenset[str]:
        """What `perturb.catalogue.features` reports."""
        return features_of(self.instance)

    @cached_property
    def text(self) -> str:
        """All passages' texts in a row."""
        return "\n\n".join(passage.text for passage in self.passages)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Of all passages, in order."""
        return tuple(s for i, one in enumerate(self.passages) for s in split_sentences(one.text, i))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every place where an accepted answer stands, the longest where they overlap."""
        found: list[Mention] = []
        for index, passage in enumerate(self.passages):
            taken: list[Span] = []
            for alias in sorted(self.instance.answers, key=lambda one: (-len(one), one)):
                taken += [
                    span
                    for span in spans_of(passage.text, alias.strip())
                    if all(span[1] <= start or span[0] >= end for start, end in taken)
                ]
            found += [Mention(index, start, end, passage.text[start:end]) for start, end in sorted(taken)]
        return tuple(found)

    @cached_property
    def kind(self) -> str:
        """What kind of thing the answer is, by the features."""
        return next((kind for kind in _KINDS if f"answer:{kind}" in self.features), "")

    @cached_property
    def answer(self) -> str:
        """The answer as a passage writes it, the fullest form; a person without occupation."""
        said = sorted({one.text.strip(' "“”') for one in self.mentions}, key=lambda one: (-len(one), one))
        if self.instance.query.lower().startswith("who"):
            names = [one for one in said if _NAME.fullmatch(one) and len(one.split()) > 1]
            said = names[:1] or [_FOREWORD.sub("", one) for one in said]
        return said[0] if said else ""

    @cached_property
    def one_answer(self) -> bool:
        """Whether all accepted answers that stand in a passage mean the same thing."""
        said = [frozenset(plain(w) for w in tokens(one.text) if not is_small(w)) for one in self.mentions]
        longest = max(said, key=len, default=frozenset())
        return all(words <= longest for words in said)

    @cached_property
    def answer_sentences(self) -> tuple[Sentence, ...]:
        """The sentences that hold an answer."""
        return tuple(
            s
            for s in self.sentences
            if any(m.passage == s.passage and m.start < s.end and m.end > s.start for m in self.mentions)
        )

    @cached_property
    def home(self) -> int:
        """The first passage that holds an answer."""
        return self.mentions[0].passage if self.mentions else 0

    @cached_property
    def query(self) -> str:
        """The question with its names in proper letter case, without an end mark."""
        return recase(self.instance.query, self.passages).strip().rstrip("?. ")

    @cached_property
    def question(self) -> Question | None:
        """The question taken apart, where it can be printed as a clause."""
        return parse_question(self.query) if all(map(self._printable, tokens(self.query))) else None

    def _printable(self, word: str) -> bool:
        """Whether a word of the question is spelt as print wants it: no slip, no name in small letters."""
        if not word.islower() or is_small(word):
            return True
        forms = [self.text[start:end] for start, end in spans_of(self.text, word)]
        return any(form.islower() for form in forms) if forms else is_common(plain(word))

    @cached_property
    def subject(self) -> Subject | None:
        """What the passage with the answer is about."""
        return subject_of(self.query, self.passages[self.home]) if self.passages else None

    @cached_property
    def person(self) -> str | None:
        """A person to ask about: the subject, or the answer to a who-question of a maker or player."""
        if self.subject is not None and self.subject.kind == "person":
            return self.subject.name
        words = self.query.lower().split()
        made = words[:1] == ["who"] and words[1:2] and words[1] in word_bank("made_verb")
        alone = self.one_answer and _ONE_PERSON.fullmatch(self.answer)
        return self.answer if made and alone and self.kind == "person" else None

    @cached_property
    def query_name(self) -> Span | None:
        """Where the subject's name stands in the question as it was asked."""
        if self.subject is None:
            return None
        found = spans_of(self.instance.query, re.sub(r"^(?:The|A|An) ", "", self.subject.name))
        return found[0] if len(found) == 1 else None

    @cached_property
    def unfit(self) -> str | None:
        """Why the instance is unfit for any rule; None if it is fit."""
        query = self.instance.query.strip()
        if not self.mentions:
            return "no accepted answer stands in a passage"
        if not 4 <= len(tokens(query)) <= 25 or "\n" in query:
            return "the question is too short or too long to be read by rule"
        if _ASKS_TWICE.search(query):
            return "the question asks for two things"
        asked = {stem(word) for word in tokens(query)}
        for alias in {one.text for one in self.mentions}:
            if has_word(query, alias) or {stem(word) for word in tokens(alias)} <= asked:
                return "an answer stands in the question"
        if len({plain(one.text) for one in self.mentions}) > 4:
            return "the answers are a list"
        if all(len(re.sub(r"\W", "", one.text)) < 2 and not one.text.isdigit() for one in self.mentions):
            return "the answer is a single letter"
        if self._mismatched(query.lower()):
            return "the answer is not of the kind that the question asks for"
        best = max((self._local_support(one) for one in self.answer_sentences), default=0.0)
        if best < MIN_SUPPORT:
            return f"weak support: the passage near the answer holds {best:.0%} of the question's words"
        return None

    def _mismatched(self, query: str) -> bool:
        dated = any(word_pattern("dated").search(one.text) for one in self.mentions)
        if query.startswith("when"):
            return not dated and re.search(r"\d", self.answer) is None
        if query.startswith("who"):
            return self.answer[:1].isdigit() or (dated and not re.search(r"[A-Z]", self.answer))
        return query.startswith("how many") and self.kind not in ("number", "money")

    def _local_support(self, sentence: Sentence) -> float:
        """Support by the sentence, those beside it and the title of its passage."""
        place = self.sentences.index(sentence)
        near = [
            s.text for s in self.sentences[max(0, place - 1) : place + 2] if s.passage == sentence.passage
        ]
        return support(self.instance.query, " ".join([self.passages[sentence.passage].title, *near]))

    def with_text(self, passage: int, text: str) -> tuple[Passage, ...]:
        """The passages with the text of one of them changed."""
        return tuple(replace(one, text=text) if i == passage else one for i, one in enumerate(self.passages))


_KEPT = 256
_known: OrderedDict[tuple[object, ...], Facts] = OrderedDict()


def facts_of(instance: BaseInstance) -> Facts:
    """The facts of an instance's signal passages, kept for the other cells and for those it is a donor to."""
    key = (instance.query, instance.passages, instance.answers)
    facts = _known.pop(key, None)
    if facts is None:
        signal = tuple(one for one in instance.passages if one.role == "signal")
        facts = Facts(replace(instance, passages=signal) if signal else instance)
    _known[key] = facts
    if len(_known) > _KEPT:
        _known.popitem(last=False)
    return facts
