"""Cutting what states the answer, and whether anything left betrays it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from perturb.features import word_pattern
from perturb.records import Passage
from perturb.rules.answers import leak, other_value
from perturb.rules.facts import Facts
from perturb.rules.sentences import Sentence
from perturb.rules.words import Span, capitalise, compiled, content_stems, has_word, spans_of, without_span

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
    passages = {one.passage for one in facts.mentions}
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
    spans = [span for one in facts.instance.answers for span in spans_of(text, one)]
    if facts.kind == "person":
        parts = [
            one for one in facts.answer.split() if len(one) > 2 and not has_word(facts.instance.query, one)
        ]
        spans += [span for one in parts for span in spans_of(text, one) if text[span[0]].isupper()]
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
