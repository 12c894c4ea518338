"""Cuts the sentences that state an answer, and checks whether what remains still gives it away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from perturb.building.offline.facts import Facts
from perturb.building.offline.words import (
    Span,
    capitalise,
    compiled,
    content_stems,
    has_word,
    is_small,
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

_TIME = re.compile(r"\b(?:1[0-9]|20)\d\d(?:s\b|\b)|\bcentury\b|\b\d{1,2}0s\b|\b(?:today|decade)\b")
_NAMES = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]+\.?\s*){2,}")
_LEAST_SHARED = 5
"""Letters that two words must share at their beginning to be taken for relatives."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """What betrays an answer: its words, their stems and their beginnings; what the question says does not count."""

    words: frozenset[str]
    stems: frozenset[str]
    beginnings: frozenset[str]
    asked: frozenset[str]


@lru_cache(maxsize=1024)
def _signs(query: str, answers: tuple[str, ...], counted: bool) -> _Signs:
    asked = {form for token in tokens(query) for form in (plain(token), stem(token))}
    numbers = ["zero", "one", *word_table_numbers()]
    words: set[str] = set()
    for alias in answers:
        for word in map(plain, tokens(alias)):
            numeric = any(char.isdecimal() for char in word)
            if (
                is_small(word)
                or word in asked
                or stem(word) in asked
                or (counted and not numeric and word not in numbers)
            ):
                continue
            if counted or not word.isdecimal() or len(word) > 2:
                words.add(word)
            if word.isdecimal() and int(word) < len(numbers):
                words.add(numbers[int(word)])
            if word in numbers:
                words.add(str(numbers.index(word)))
    return _Signs(
        frozenset(words),
        frozenset(map(stem, words)) - {""},
        frozenset(
            word[:_LEAST_SHARED] for word in words if len(word) >= _LEAST_SHARED and not word.isdecimal()
        ),
        content_stems(query),
    )


@lru_cache(maxsize=1)
def word_table_numbers() -> tuple[str, ...]:
    """The number words from two to twenty, in order."""
    return word_table("ordered")["numbers"]


def leak(facts: Facts, text: str) -> str | None:
    """A word of the text that betrays an answer, by being it, sharing its stem or beginning like it; None if clean."""
    signs = _signs(facts.instance.query, facts.instance.answers, facts.kind == "number")
    for token in dict.fromkeys(tokens(text)):
        parts = (token, *token.split("-")) if "-" in token else (token,)
        if any(_betrays(plain(part), signs) for part in parts):
            return token
    telling = (
        answer
        for answer in facts.instance.answers
        if any(plain(word) in signs.words for word in tokens(answer))
    )
    return next((one for one in telling if has_word(text, one)), None)


def _betrays(word: str, signs: _Signs) -> bool:
    if word in signs.words:
        return True
    if len(word) < 3 or is_small(word) or stem(word) in signs.asked:
        return False
    if stem(word) in signs.stems or word[:_LEAST_SHARED] in signs.beginnings:
        return True
    return len(word) >= 4 and any(len(one) > len(word) and one.startswith(word) for one in signs.words)


def other_value(facts: Facts, text: str) -> str | None:
    """Something of the answer's kind in the text that a reader might take for the answer; None if nothing."""
    query = facts.instance.query.lower()
    if facts.kind == "date" or query.startswith("when"):
        found = _TIME.search(text) or word_pattern("month").search(text)
        return found and found[0]
    if facts.kind in ("number", "money") or query.startswith("how"):
        return next((token for token in tokens(text) if _counts(plain(token))), None)
    known = {plain(token) for p in facts.passages for token in tokens(p.title)} | {
        plain(token) for token in tokens(query)
    }
    if facts.kind == "text":
        return "much of the question" if support(query, text) > 0.75 else None
    if re.match(r"where|(?:in|at|on|near|from|to) (?:which|what)\b", query):
        spots = re.findall(r"\b(?:in|at|near|from|to|of|on|and)\s+(?:the\s+)?([A-Z][\w’'-]+)", text)
        return next((spot for spot in spots if plain(spot) not in known), None)
    for match in _NAMES.finditer(text):
        words = [plain(token) for token in tokens(match[0])]
        if not {word for word in words if not is_small(word)} <= known:
            return match[0].strip()
    return None


def _counts(word: str) -> bool:
    year = word.isdecimal() and len(word) == 4 and 1000 < int(word) < 2100
    return (any(char.isdigit() for char in word) and not year) or word in word_bank("number_words")


Cut = tuple[int, str]
"""A passage and what is left of its text."""
_INTERVAL = re.compile(
    r"(?:\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|several))[- ]years?\b|\banniversary\b"
)
"""What lets a date be worked out from another one."""
_MOST_APART = 3
"""A sentence with one in so many of the question's content words may answer it otherwise."""
_LEAST_WORDS = 20
"""A passage must keep so many words when its answering sentences are cut."""


def cut_answer(facts: Facts) -> Iterator[Cut]:
    """The clause, or else the one or two sentences of one passage, that state the answer."""
    held = facts.answer_sentences
    passages = {mention.passage for mention in facts.mentions}
    if len(passages) != 1 or facts.kind == "text":
        return  # a reason or a description is seldom stated once
    index = passages.pop()
    text = facts.passages[index].text
    if len(facts.mentions) == 1 and (left := _without_clause(facts, held[0], text)) is not None:
        yield index, left
    if len(held) > 2:
        return
    left, after = text, [_following(facts, one) for one in held]
    for sentence in reversed(held):
        left = without_span(left, sentence.start, sentence.end)
    if any(one is not None and one not in held and _leans(one, held) for one in after):
        return
    person = facts.instance.query.lower().startswith("who") or "answer:person" in facts.features
    if person and _PERSONS.search(left):
        return
    if len(left.split()) >= _LEAST_WORDS and not word_pattern("leans").match(left) and not _hangs(left, held):
        yield index, left.strip()


_PERSONS = re.compile(
    r"\b(?:he|him|his|she|her|hers|the (?:other|latter|former|above|said))\b", re.IGNORECASE
)


def _leans(sentence: Sentence, cut: tuple[Sentence, ...]) -> bool:
    """Whether a sentence needs what the cut ones said: it opens with a pronoun, or has one whose name may be lost."""
    if word_pattern("leans").match(sentence.text):
        return True
    pattern = (
        rf"{_PERSONS.pattern}|\b(?:it|its|they|their|them|also|too|fellow)\b"
        if cut[0].start == 0
        else _PERSONS.pattern
    )
    return compiled(pattern, re.IGNORECASE).search(sentence.text) is not None


def _hangs(left: str, cut: tuple[Sentence, ...]) -> bool:
    """Whether somebody is called by a surname alone whom only the cut sentences introduced."""
    lost = " ".join(one.text for one in cut)
    full = re.findall(r"\b[A-Z][\w.’'-]+ ([A-Z][\w’'-]+)", lost)
    return any(
        has_word(left, name) and not re.search(rf"\b[A-Z][\w.’'-]+ {re.escape(name)}\b", left)
        for name in full
    )


def _following(facts: Facts, sentence: Sentence) -> Sentence | None:
    place = facts.sentences.index(sentence) + 1
    after = facts.sentences[place] if place < len(facts.sentences) else None
    return after if after is not None and after.passage == sentence.passage else None


def _without_clause(facts: Facts, own: Sentence, text: str) -> str | None:
    mention = facts.mentions[0]
    opening = word_pattern("answer_clause").search(text[own.start : mention.start])
    closing = re.match(r"[^,;:().]*(?:,(?= [a-z])|(?=\.(?:\s|$)))", text[mention.end :])
    if opening is None or closing is None:
        return None
    return text[: own.start + opening.start()] + text[mention.end + closing.end() :]


def cut_time(facts: Facts) -> Iterator[Cut]:
    """The time expression that answers a when-question."""
    if len(facts.mentions) != 1 or facts.kind != "date":
        return
    mention = facts.mentions[0]
    text = facts.passages[mention.passage].text
    lead = re.search(r",? \b(?:in|on|by|around|about) (?:the )?$", text[: mention.start])
    own = re.match(r"(?:in|on)\s", mention.text)
    right = text[mention.end :]
    if (lead is None and own is None) or not re.match(
        r"[.;]|$| (?:by|as|with|at|for|to|when|and|under)\b", right
    ):
        if re.search(r"(?:^|[.!?] )(?:In|On) $", text[: mention.start]) and right.startswith(", "):
            yield mention.passage, text[: mention.start - 3] + capitalise(right[2:])
        return
    start = lead.start() if lead else mention.start - 1
    both = lead is not None and lead[0].startswith(",") and right.startswith(",")
    yield mention.passage, text[:start] + (right[1:] if both else right)


def cut_agent(facts: Facts) -> Iterator[Cut]:
    """The doer of a passive who is the answer: "was written by X" becomes "was written"."""
    if len(facts.mentions) != 1:
        return
    mention = facts.mentions[0]
    text = facts.passages[mention.passage].text
    lead = word_pattern("agent_phrase").search(text[: mention.start])
    right = text[mention.end :]
    if lead is None or not re.match(r"[,.;]|$| (?:in|on|for|at|as|from|during|when|after|to)\b", right):
        return
    yield mention.passage, text[: lead.start(1)] + right


def answer_gone(facts: Facts, passages: tuple[Passage, ...]) -> str | None:
    """What is left that betrays the answer or could be taken for it, in one line; None if nothing is."""
    query = facts.instance.query
    for passage in passages:
        if word := leak(facts, f"{passage.title if len(passages) > 1 else ''} {passage.text}"):
            return f"{word!r} still betrays the answer"
        if facts.kind == "date" and (found := _INTERVAL.search(passage.text)):
            return f"the answer may be worked out from {found[0]!r}"
    wanted = content_stems(query)
    for passage in passages:
        for text in re.split(r"(?<=[.!?])\s+", passage.text):
            near = f"{passage.title} {text}" if facts.kind == "date" else text
            shared = len(wanted & content_stems(near))
            if shared * _MOST_APART >= len(wanted) and (value := other_value(facts, text)):
                return f"{value!r} could be taken for the answer"
    return None


def mention_spans(facts: Facts, text: str) -> list[Span]:
    """Where answers and the parts of a person's name stand in a text, merged where they touch."""
    spans = [span for answer in facts.instance.answers for span in spans_of(text, answer)]
    if facts.kind == "person":
        parts = [
            one for one in facts.answer.split() if len(one) > 2 and not has_word(facts.instance.query, one)
        ]
        spans += [span for part in parts for span in spans_of(text, part) if text[span[0]].isupper()]
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
