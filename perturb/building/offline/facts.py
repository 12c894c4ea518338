"""Facts about a base instance that the operators use. Each fact is computed once, when it is first needed.

A *mention* is an occurrence of an accepted answer in a passage, and the *home* of the answer is the first passage with
one. `InstanceFacts.unfit` says why no rule can use the instance at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain

from perturb.building.offline.question import Question, parse_question, recase
from perturb.building.offline.subject import Subject, subject_of
from perturb.building.offline.words import (
    Span,
    has_word,
    is_common,
    is_function_word,
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
"""Share of the question's content words that the sentence with the answer, its neighbours and the title must hold.

With less, the passage may mention the answer without answering the question.
"""
# Kinds of answers. Specific kinds come first, since an amount of money is also a number.
_KINDS = ("date", "money", "number", "person", "organisation", "place", "title", "named", "text")

# Words with capitals, with small words of names between them: "Ludwig van Beethoven"
_NAME = re.compile(r"[A-Z][^\s,]*(?: (?:[A-Z][^\s,]*|de|van|von|da|bin|al|la))*")
# Two to four words with capitals: "John F. Kennedy"
_ONE_PERSON = re.compile(r"(?:[A-Z][\w.’'-]+ ){1,3}[A-Z][\w.’'-]+")
# "and when", "and in what": a second question
_ASKS_TWICE = re.compile(r"\band (?:[a-z]+ )?(?:what|which|when|where|who|whom|how|why)\b", re.IGNORECASE)
# A description before a person's name: "Argentine composer ".
_FOREWORD = re.compile(r"^(?:the )?(?:[A-Z]\w+ )?(?:[a-z]+ )+(?=[A-Z])")
# Shorter and longer questions do not fit the wordings of the rules.
_LEAST_TOKENS, _MOST_TOKENS = 4, 25
# More different answers in the passages make a list. A rule would have to treat all of them.
_MOST_ANSWERS = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of an accepted answer in a passage."""

    passage: int
    """Index of the passage."""
    start: int
    end: int
    text: str
    """The answer as the passage writes it."""

    def overlaps(self, sentence: Sentence) -> bool:
        """Whether the sentence has a part of the mention."""
        is_in_span = self.start < sentence.end and sentence.start < self.end
        return self.passage == sentence.passage and is_in_span


class InstanceFacts:
    """An instance as the operators see it: its passages, its question and its answer."""

    def __init__(self, instance: BaseInstance) -> None:
        self.query = instance.query
        self.passages = instance.passages
        self.answers = instance.answers
        self._instance = instance

    @cached_property
    def features(self) -> frozenset[str]:
        """The features of the instance, see `perturb.catalogue.features`."""
        return features_of(self._instance)

    @cached_property
    def text(self) -> str:
        """The texts of all passages, joined."""
        return "\n\n".join(passage.text for passage in self.passages)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of all passages, in order."""
        by_passage = (split_sentences(passage.text, number) for number, passage in enumerate(self.passages))
        return tuple(chain.from_iterable(by_passage))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every occurrence of an accepted answer; of occurrences that overlap, only the longest."""
        mentions: list[Mention] = []
        for number, passage in enumerate(self.passages):
            spans: list[Span] = []
            # The longest answer comes first, so that "New York City" is one mention and not also one of "New York".
            for answer in sorted(self.answers, key=_longest_first):
                spans += [
                    (start, end)
                    for start, end in spans_of(passage.text, answer.strip())
                    if all(end <= other_start or start >= other_end for other_start, other_end in spans)
                ]
            mentions += [Mention(number, start, end, passage.text[start:end]) for start, end in sorted(spans)]
        return tuple(mentions)

    @cached_property
    def kind(self) -> str:
        """The kind of the answer, from the features; empty if it is unknown."""
        return next((kind for kind in _KINDS if f"answer:{kind}" in self.features), "")

    @cached_property
    def answer(self) -> str:
        """The longest form in which a passage writes the answer; a person's name without a description before it."""
        forms = sorted({mention.text.strip(' "“”') for mention in self.mentions}, key=_longest_first)
        if self.query.lower().startswith("who"):
            names = [form for form in forms if _NAME.fullmatch(form) and len(form.split()) > 1]
            forms = names or [_FOREWORD.sub("", form) for form in forms]
        return forms[0] if forms else ""

    @cached_property
    def one_answer(self) -> bool:
        """Whether all mentions mean the same thing: the words of the longest include those of the others."""
        words_of_mentions = [
            frozenset(plain(word) for word in tokens(mention.text) if not is_function_word(word))
            for mention in self.mentions
        ]
        longest = max(words_of_mentions, key=len, default=frozenset())
        return all(words <= longest for words in words_of_mentions)

    @cached_property
    def answer_sentences(self) -> tuple[Sentence, ...]:
        """The sentences that hold an answer or a part of one."""
        return tuple(
            sentence
            for sentence in self.sentences
            if any(mention.overlaps(sentence) for mention in self.mentions)
        )

    @cached_property
    def answer_text(self) -> str:
        """The answer sentences, joined."""
        return " ".join(sentence.text for sentence in self.answer_sentences)

    def sentence_after(self, sentence: Sentence) -> Sentence | None:
        """The next sentence of the same passage; None for the last one."""
        following = self.sentences[self.sentences.index(sentence) + 1 :]
        return following[0] if following and following[0].passage == sentence.passage else None

    @cached_property
    def home(self) -> int:
        """Where the answer is at home: the index of the first passage that holds one; 0 if none does."""
        return self.mentions[0].passage if self.mentions else 0

    @cached_property
    def cased_query(self) -> str:
        """The question with capitals where the passages have them, without an end mark."""
        return recase(self.query, self.passages).strip().rstrip("?. ")

    @cached_property
    def question(self) -> Question | None:
        """The parsed question; None if it cannot be parsed or a word of it may be misspelt."""
        return (
            parse_question(self.cased_query)
            if all(map(self._is_well_spelt, tokens(self.cased_query)))
            else None
        )

    def _is_well_spelt(self, word: str) -> bool:
        """Whether a word of the question can be printed in a sentence: no typing error, no name in small letters."""
        if not word.islower() or is_function_word(word):
            return True
        forms = [self.text[start:end] for start, end in spans_of(self.text, word)]
        if forms:  # a name would always have its capital
            return any(form.islower() for form in forms)
        return is_common(plain(word))

    @cached_property
    def subject(self) -> Subject | None:
        """The subject of the passage with the answer; None if it is unclear."""
        return subject_of(self.cased_query, self.passages[self.home]) if self.passages else None

    @cached_property
    def person(self) -> str | None:
        """A person to ask about: the subject, or the only answer to a question such as "who wrote …"."""
        if self.subject is not None and self.subject.kind == "person":
            return self.subject.name
        words = self.cased_query.lower().split()
        asks_for_maker = len(words) > 1 and words[0] == "who" and words[1] in word_bank("made_verb")
        if not asks_for_maker or self.kind != "person" or not self.one_answer:
            return None
        return self.answer if _ONE_PERSON.fullmatch(self.answer) else None

    @cached_property
    def query_name(self) -> Span | None:
        """The span of the subject in the original question; None unless the question names it exactly once."""
        if self.subject is None:
            return None
        spans = spans_of(self.query, re.sub(r"^(?:The|A|An) ", "", self.subject.name))
        return spans[0] if len(spans) == 1 else None

    @cached_property
    def unfit(self) -> str | None:
        """Why no rule can use the instance; None if rules can."""
        fault = self._fault_of_question() or self._fault_of_answers()
        if fault is not None:
            return fault
        best_support = max(map(self._local_support, self.answer_sentences), default=0.0)
        if best_support >= MIN_SUPPORT:
            return None
        return f"weak support: the passage near the answer holds {best_support:.0%} of the question's words"

    def _fault_of_question(self) -> str | None:
        query = self.query.strip()
        if not self.mentions:
            return "no accepted answer stands in a passage"
        if not _LEAST_TOKENS <= len(tokens(query)) <= _MOST_TOKENS or "\n" in query:
            return "the question is too short or too long to be read by rule"
        return "the question asks for two things" if _ASKS_TWICE.search(query) else None

    def _fault_of_answers(self) -> str | None:
        query = self.query.strip()
        query_stems = {stem(word) for word in tokens(query)}
        answers = {mention.text for mention in self.mentions}
        for answer in answers:
            all_words_in_question = query_stems.issuperset(stem(word) for word in tokens(answer))
            if all_words_in_question or has_word(query, answer):
                return "an answer stands in the question"
        if len({plain(answer) for answer in answers}) > _MOST_ANSWERS:
            return "the answers are a list"
        # Too many other words hold a single letter for the checks to find it.
        if all(len(re.sub(r"\W", "", answer)) < 2 and not answer.isdigit() for answer in answers):
            return "the answer is a single letter"
        if self._is_of_wrong_kind(query.lower()):
            return "the answer is not of the kind that the question asks for"
        return None

    def _is_of_wrong_kind(self, query: str) -> bool:
        """Whether the answer cannot answer a question that begins with "when", "who" or "how many"."""
        has_date = any(word_pattern("dated").search(mention.text) for mention in self.mentions)
        if query.startswith("when"):
            return not has_date and re.search(r"\d", self.answer) is None
        if query.startswith("who"):
            # "1984", "the 1990s"
            return self.answer[:1].isdigit() or (has_date and not re.search(r"[A-Z]", self.answer))
        return query.startswith("how many") and self.kind not in ("number", "money")

    def _local_support(self, sentence: Sentence) -> float:
        """Support of the question by a sentence, its neighbours and the title of its passage."""
        index = self.sentences.index(sentence)
        neighbours = self.sentences[max(0, index - 1) : index + 2]
        texts = [neighbour.text for neighbour in neighbours if neighbour.passage == sentence.passage]
        return support(self.query, " ".join([self.passages[sentence.passage].title, *texts]))

    def with_text(self, passage: int, text: str) -> tuple[Passage, ...]:
        """The passages, with a new text for the passage with this index."""
        changed = replace(self.passages[passage], text=text)
        return (*self.passages[:passage], changed, *self.passages[passage + 1 :])


def _longest_first(text: str) -> tuple[int, str]:
    """A key for sorting: the longest text first, texts of the same length by the alphabet."""
    return -len(text), text


def facts_of(instance: BaseInstance) -> InstanceFacts:
    """The facts of an instance, or of its signal passages alone if it has any; cached for its jobs in other cells."""
    # Operators read only the texts of an instance. Its metadata have no hash, so they cannot be a key of the cache.
    return _facts_of_texts(instance.query, instance.passages, instance.answers)


# The cache holds more instances than a build works on at the same time.
@lru_cache(maxsize=256)
def _facts_of_texts(query: str, passages: tuple[Passage, ...], answers: tuple[str, ...]) -> InstanceFacts:
    signal = tuple(passage for passage in passages if passage.role == "signal")
    return InstanceFacts(BaseInstance("", "", query, signal or passages, answers))
