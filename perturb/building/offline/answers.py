"""Cuts an answer out of passages, and checks whether the remaining text still gives it away.

`cut_answer`, `cut_time` and `cut_agent` yield what is left of a passage. `answer_gone` then checks all passages. A word
*betrays* the answer if it is one of its words or much like one (`leak`). A value *could be taken for* the answer if it
is of the same kind and stands in a sentence about the question (`other_value`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from perturb.building.offline.facts import InstanceFacts
from perturb.building.offline.words import (
    Span,
    capitalise,
    compiled,
    content_stems,
    has_word,
    is_function_word,
    plain,
    spans_of,
    stem,
    support,
    tokens,
    without_span,
)
from perturb.catalogue.features import word_bank, word_pattern, word_table
from perturb.records import Passage
from perturb.text.passages import Sentence

# Times other than full dates: "1984", "1990s", "a century", "today"
_TIME = re.compile(r"\b(?:1[0-9]|20)\d\d(?:s\b|\b)|\bcentury\b|\b\d{1,2}0s\b|\b(?:today|decade)\b")
# Two or more words with capitals in a row: "Ray Bell"
_NAMES = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]+\.?\s*){2,}")
# Two words that begin with this many equal letters count as related.
_PREFIX_LENGTH = 5


@dataclass(frozen=True, slots=True)
class _Signs:
    """The signs that betray an answer: its words, their stems and prefixes, without words of the question."""

    words: frozenset[str]
    stems: frozenset[str]
    prefixes: frozenset[str]
    query_stems: frozenset[str]
    """Stems of the question, which betray nothing."""


@lru_cache(maxsize=1024)
def _signs(query: str, answers: tuple[str, ...], is_number: bool) -> _Signs:
    """The signs of the accepted answers; for a number only its numerals and number words, not the unit."""
    query_tokens = tokens(query)
    query_words = {*map(plain, query_tokens), *map(stem, query_tokens)}
    words: set[str] = set()
    for alias in answers:
        for word in map(plain, tokens(alias)):
            if is_function_word(word) or word in query_words or stem(word) in query_words:
                continue
            is_numeral = any(char.isdecimal() for char in word) or word in _number_words()
            if is_number and not is_numeral:
                continue  # a unit
            # A number of one or two digits is part of many dates, and betrays only a number that is asked for.
            if is_number or not word.isdecimal() or len(word) > 2:
                words.add(word)
            words.update(_other_spelling(word))
    stems = frozenset(map(stem, words)) - {""}
    long_words = [word for word in words if len(word) >= _PREFIX_LENGTH and not word.isdecimal()]
    prefixes = frozenset(word[:_PREFIX_LENGTH] for word in long_words)
    return _Signs(frozenset(words), stems, prefixes, query_stems=content_stems(query))


def _other_spelling(word: str) -> list[str]:
    """The number word for digits, or the digits for a number word: "3" and "three" betray each other."""
    if word in _number_words():
        return [str(_number_words().index(word))]
    if word.isdecimal() and int(word) < len(_number_words()):
        return [_number_words()[int(word)]]
    return []


@lru_cache(maxsize=1)
def _number_words() -> tuple[str, ...]:
    """The number words from zero to twenty, in order."""
    return ("zero", "one", *word_table("ordered")["numbers"])


def leak(facts: InstanceFacts, text: str) -> str | None:
    """A word of the text that betrays an answer; None if the text is clean.

    Words of an answer, words with the same stem and words with the same beginning betray it.
    """
    signs = _signs(facts.query, facts.answers, facts.kind == "number")
    for token in dict.fromkeys(tokens(text)):
        # "German-born" betrays "German".
        if any(_betrays(plain(word), signs) for word in {token, *token.split("-")}):
            return token
    for answer in facts.answers:
        # An answer whose words are all in the question would be found in every text.
        has_telling_word = not signs.words.isdisjoint(map(plain, tokens(answer)))
        if has_telling_word and has_word(text, answer):
            return answer
    return None


def _betrays(word: str, signs: _Signs) -> bool:
    """Whether a word of a text, in its plain form, betrays the answer."""
    if word in signs.words:
        return True
    # Words of the question stand in many sentences and betray nothing.
    if len(word) < 3 or is_function_word(word) or stem(word) in signs.query_stems:
        return False
    if stem(word) in signs.stems or word[:_PREFIX_LENGTH] in signs.prefixes:
        return True
    # A short form such as "Phil" betrays "Philip".
    return len(word) >= 4 and any(
        len(answer_word) > len(word) and answer_word.startswith(word) for answer_word in signs.words
    )


# Share of the question above which a text speaks of what the question asks.
_MUCH_OF_QUESTION = 0.75


def other_value(facts: InstanceFacts, text: str) -> str | None:
    """A value in the text that a reader might take for the answer, since it is of the same kind; None if none is.

    The first of these that fits the question decides: a date, a count, a description, a place, a name.
    """
    query = facts.query.lower()
    if facts.kind == "date" or query.startswith("when"):
        time = _TIME.search(text) or word_pattern("month").search(text)
        return time[0] if time else None
    if facts.kind in ("number", "money") or query.startswith("how"):
        return next((token for token in tokens(text) if _is_count(plain(token))), None)
    if facts.kind == "text":
        return "much of the question" if support(query, text) > _MUCH_OF_QUESTION else None
    # Names in the question and in titles belong to the subject, so a reader does not take them for the answer.
    naming_texts = [query, *(passage.title for passage in facts.passages)]
    named_words = {plain(token) for naming_text in naming_texts for token in tokens(naming_text)}
    if re.match(r"where|(?:in|at|on|near|from|to) (?:which|what)\b", query):
        places = re.findall(r"\b(?:in|at|near|from|to|of|on|and)\s+(?:the\s+)?([A-Z][\w’'-]+)", text)
        return next((place for place in places if plain(place) not in named_words), None)
    for match in _NAMES.finditer(text):
        words = {plain(token) for token in tokens(match[0])}
        if any(word not in named_words and not is_function_word(word) for word in words):
            return match[0].strip()
    return None


def _is_count(word: str) -> bool:
    """Whether a word is a number that may count something. Most passages have years, which do not."""
    is_year = word.isdecimal() and len(word) == 4 and 1000 < int(word) < 2100
    has_digit = any(char.isdigit() for char in word)
    return word in word_bank("number_words") or (has_digit and not is_year)


class Cut(NamedTuple):
    """What is left of a passage after something was cut."""

    passage: int
    """Index of the passage."""
    remaining: str


# Wordings that let a reader work out a date from another date.
_INTERVAL = re.compile(
    r"(?:\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|several))[- ]years?\b|\banniversary\b"
)
# A sentence that holds this share of the question's content words may seem to answer it with another value.
_LEAST_SHARE = 1 / 3
# A passage must keep at least this many words when its sentences with the answer are cut.
_LEAST_WORDS = 20


def cut_answer(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the clause that states the answer, or the one or two sentences of a single passage that state it."""
    # A reason or a description is seldom stated in one place only.
    if facts.kind == "text" or any(mention.passage != facts.home for mention in facts.mentions):
        return
    text = facts.passages[facts.home].text
    without_clause = _without_clause(facts, text) if len(facts.mentions) == 1 else None
    for remaining in (without_clause, _without_sentences(facts, text)):
        if remaining is not None:
            yield Cut(facts.home, remaining)


def _without_sentences(facts: InstanceFacts, text: str) -> str | None:
    """The text without the sentences that state the answer; None if what is left would be unclear or too short."""
    stating = facts.answer_sentences
    # More than two sentences with the answer mean that the passage is about the answer itself.
    if len(stating) > 2:
        return None
    remaining = text
    for sentence in reversed(stating):  # from the end, so that the positions of earlier sentences stay valid
        remaining = without_span(remaining, sentence.start, sentence.end)
    for sentence in stating:
        following = facts.sentence_after(sentence)
        # A sentence that refers to a sentence that is gone would be unclear.
        if following is not None and following not in stating and _refers_back(following, stating):
            return None
    # A pronoun in the remaining text would still point to the person who was cut out.
    is_person = facts.query.lower().startswith("who") or "answer:person" in facts.features
    if is_person and _PERSONS.search(remaining):
        return None
    if word_pattern("leans").match(remaining) or _uses_bare_surname(remaining, facts.answer_text):
        return None
    return remaining.strip() if len(remaining.split()) >= _LEAST_WORDS else None


# Words for a person who was named before.
_PERSONS = re.compile(
    r"\b(?:he|him|his|she|her|hers|the (?:other|latter|former|above|said))\b", re.IGNORECASE
)


def _refers_back(sentence: Sentence, cut: tuple[Sentence, ...]) -> bool:
    """Whether a sentence refers to the cut sentences: it opens with a pronoun, or its pronoun may lose its name."""
    if word_pattern("leans").match(sentence.text):
        return True
    pattern = _PERSONS.pattern
    if cut[0].start == 0:
        # The first sentence of a passage introduces its subject, so other pronouns may refer to it too.
        pattern += r"|\b(?:it|its|they|their|them|also|too|fellow)\b"
    return compiled(pattern, re.IGNORECASE).search(sentence.text) is not None


def _uses_bare_surname(remaining: str, cut_text: str) -> bool:
    """Whether the remaining text uses the surname of a person whose full name stood only in the cut text."""
    surnames = re.findall(r"\b[A-Z][\w.’'-]+ ([A-Z][\w’'-]+)", cut_text)
    return any(
        has_word(remaining, surname) and not re.search(rf"\b[A-Z][\w.’'-]+ {re.escape(surname)}\b", remaining)
        for surname in surnames
    )


def _without_clause(facts: InstanceFacts, text: str) -> str | None:
    """The text without the clause that states the answer; None if there is no such clause.

    "The bridge, built by Ray Bell, was opened" becomes "The bridge was opened".
    """
    mention, sentence = facts.mentions[0], facts.answer_sentences[0]
    # A clause between commas or a subordinate clause at the end can go without harm to the sentence.
    opening = word_pattern("answer_clause").search(text[sentence.start : mention.start])
    closing = re.match(r"[^,;:().]*(?:,(?= [a-z])|(?=\.(?:\s|$)))", text[mention.end :])
    if opening is None or closing is None:
        return None
    return text[: sentence.start + opening.start()] + text[mention.end + closing.end() :]


def cut_time(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the time expression that answers a when-question.

    "The bridge opened in 1984." becomes "The bridge opened.", and "In 1984, the bridge opened" "The bridge opened".
    """
    if len(facts.mentions) != 1 or facts.kind != "date":
        return
    mention = facts.mentions[0]
    text = facts.passages[mention.passage].text
    before, after = text[: mention.start], text[mention.end :]
    if not before:
        return  # the rest of the passage would begin within a sentence
    # The preposition stands before the answer or is its first word.
    preposition = re.search(r",? \b(?:in|on|by|around|about) (?:the )?$", before)
    begins_with_preposition = re.match(r"(?:in|on)\s", mention.text)
    can_end_here = re.match(r"[.;]|$| (?:by|as|with|at|for|to|when|and|under)\b", after)
    if (preposition is None and begins_with_preposition is None) or not can_end_here:
        # "In 1984, the bridge opened": the time opens the sentence.
        if re.search(r"(?:^|[.!?] )(?:In|On) $", before) and after.startswith(", "):
            yield Cut(mention.passage, before[: -len("In ")] + capitalise(after.removeprefix(", ")))
        return
    if preposition is None:
        # With the answer, which begins with its preposition, goes the blank before it.
        yield Cut(mention.passage, before[:-1] + after)
        return
    # Of the two commas around an aside, the first goes with the time and the second must go too.
    if preposition[0].startswith(","):
        after = after.removeprefix(",")
    yield Cut(mention.passage, before[: preposition.start()] + after)


def cut_agent(facts: InstanceFacts) -> Iterator[Cut]:
    """Cut the agent of a passive: "was written by X" becomes "was written"."""
    if len(facts.mentions) != 1:
        return
    mention = facts.mentions[0]
    text = facts.passages[mention.passage].text
    agent_phrase = word_pattern("agent_phrase").search(text[: mention.start])
    after = text[mention.end :]
    can_end_here = re.match(r"[,.;]|$| (?:in|on|for|at|as|from|during|when|after|to)\b", after)
    if agent_phrase is not None and can_end_here:
        # The group begins with the blank before "by".
        yield Cut(mention.passage, text[: agent_phrase.start(1)] + after)


def answer_gone(facts: InstanceFacts, passages: tuple[Passage, ...]) -> str | None:
    """One line on what still betrays the answer or could be taken for it; None if the answer is gone."""
    for passage in passages:
        # Readers see titles only if there are several passages.
        shown_title = passage.title if len(passages) > 1 else ""
        if word := leak(facts, f"{shown_title} {passage.text}"):
            return f"{word!r} still betrays the answer"
        if facts.kind == "date" and (interval := _INTERVAL.search(passage.text)):
            return f"the answer may be worked out from {interval[0]!r}"
    for passage in passages:
        for text in re.split(r"(?<=[.!?])\s+", passage.text):
            # A sentence with a date seldom repeats the subject, which the title names.
            titled_text = f"{passage.title} {text}" if facts.kind == "date" else text
            seems_to_answer = support(facts.query, titled_text) >= _LEAST_SHARE
            value = other_value(facts, text) if seems_to_answer else None
            if value:
                return f"{value!r} could be taken for the answer"
    return None


def mention_spans(facts: InstanceFacts, text: str) -> list[Span]:
    """The spans of answers and of parts of a person's name in a text. Spans that touch are merged."""
    spans = [span for answer in facts.answers for span in spans_of(text, answer)]
    if facts.kind == "person":
        for name_part in facts.answer.split():
            # Initials and "de" stand in other names too.
            if len(name_part) > 2 and not has_word(facts.query, name_part):
                part_spans = spans_of(text, name_part)
                spans += [(start, end) for start, end in part_spans if text[start].isupper()]
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start <= merged[-1][1] + 1:
            previous_start, previous_end = merged[-1]
            merged[-1] = (previous_start, max(end, previous_end))
        else:
            merged.append((start, end))
    return merged
