"""Taking an answer out of the passages, every mention and name part, and putting other words in its place."""

from __future__ import annotations

import random
import re

from perturb.records import Passage
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_leakage import leak
from perturb.rules.answers import AnswerType, person_name
from perturb.rules.drafts import passage_of
from perturb.rules.sentences import split_sentences
from perturb.rules.words import STOP_WORDS, capitalise, has_word, is_common, plain, spans_of, word_list

Span = tuple[int, int]

_CLEAN_LEFT = re.compile(
    r"(?:^|[.!?]\s+|[,;:(–—]\s*|\b(?:by|to|with|from|of|for|as|is|was|are|were|and|or|that|when|while|where|stars|starring|"
    r"than|named|called|played|including|through|into|about|between|against|after|before|than|while|which|who|has|had)\s+)$"
)
_ARTICLED = re.compile(
    r"\b(?:the|a|an)\s+(?:(?!from|by|of|with|to|for|in|on|at|and|or|as|is|was)[\w-]+\s+){1,4}$", re.IGNORECASE
)


_MOST_REWORDED = 2
"""More general phrases than this in one context read badly."""


def answer_spans(analysis: Analysis, text: str) -> list[Span]:
    """Where answers, their aliases and the parts of a person's name stand, merged where they touch."""
    spans: list[Span] = []
    for alias in sorted(analysis.instance.answers, key=lambda a: (-len(a), a)):
        spans += spans_of(text, alias)
    if analysis.answer_type is AnswerType.PERSON:
        for part in person_name(analysis.answer).split():
            if len(part) > 2 and part[:1].isupper() and not has_word(analysis.instance.query, part):
                spans += [s for s in spans_of(text, part) if _alone(text, s)]
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _alone(text: str, span: Span) -> bool:
    """Whether a name part stands by itself, not inside the name of somebody else."""
    before = re.search(r"([^\W\d]\w*)\s$", text[: span[0]])
    inside = before is not None and before.group(1)[0].isupper() and len(text[: before.start()].strip()) > 0
    return text[span[0]].isupper() and not inside and re.match(r"\s[A-Z]\w", text[span[1] :]) is None


def redacted(analysis: Analysis, mark: str) -> tuple[Passage, ...] | None:
    """The passages with one mark in the place of every answer; None if something still betrays it."""
    passages = []
    for passage in analysis.instance.passages:
        text = passage.text
        for found in reversed(answer_spans(analysis, text)):
            start, end = _with_quotes(text, *_without_unit(analysis, text, *found))
            text = text[:start] + mark + text[end:]
        passages.append(passage_of(passage, text, clean_title(analysis, passage.title)))
    return _unless_leaking(analysis, tuple(passages))


def reworded(analysis: Analysis, phrases: tuple[str, ...], rng: random.Random) -> tuple[Passage, ...] | None:
    """The passages with a general phrase in the place of every answer, if the grammar allows it."""
    phrase = rng.choice(phrases)
    passages = []
    for passage in analysis.instance.passages:
        text = passage.text
        for start, end in reversed(answer_spans(analysis, text)):
            edited = _reword_one(analysis, text, (start, end), phrase)
            if edited is None:
                return None
            text = edited
        passages.append(passage_of(passage, text, clean_title(analysis, passage.title)))
    return _unless_leaking(analysis, tuple(passages))


def _kind_asked(analysis: Analysis) -> AnswerType | None:
    """The type by which an answer is reworded; None where its form does not suit the question word."""
    kind, query = analysis.answer_type, analysis.instance.query.lower()
    if kind is AnswerType.PHRASE and query.startswith(
        ("who", "where", "when", "how many", "how long", "how much")
    ):
        return None
    return kind


def _reword_one(analysis: Analysis, text: str, span: Span, phrase: str) -> str | None:
    start, end = span
    left, right, kind = text[:start], text[end:], _kind_asked(analysis)
    if kind is None or len(answer_spans(analysis, analysis.text)) > _MOST_REWORDED:
        return None
    if re.match(r"[\w-]|['’]s?\w", right) or re.search(r"[\w-]$|[\"“(]$", left) or re.match(r"\s*\(", right):
        return None
    if kind in (AnswerType.DATE, AnswerType.YEAR):
        return _reword_time(text, span, phrase)
    if re.search(r",\s*$", left) and re.match(r"\s*[.,;]", right):
        return None
    if kind is AnswerType.PLACE:
        return _reword_place(text, span, phrase)
    if kind is AnswerType.NUMBER:
        return _reword_number(text, span, phrase)
    if kind is AnswerType.PERSON:
        return _reword_person(text, span, phrase)
    return _reword_thing(analysis, text, span, phrase)


def _reword_place(text: str, span: Span, phrase: str) -> str | None:
    left, right = text[: span[0]], text[span[1] :]
    found = re.search(r"\b(?:in|at)\s+(?:the\s+)?$", left, re.IGNORECASE)
    if found is None or re.match(r"[,]?\s*[A-Z]|['’]", right):
        return None
    return _spliced(left[: found.start()], phrase, right)


def _reword_number(text: str, span: Span, phrase: str) -> str | None:
    own, left = text[span[0] : span[1]], text[: span[0]]
    number = re.match(r"(?:over |about |more than )?[\d,.]+|[A-Za-z-]+", own)
    rest = own[number.end() :] + text[span[1] :] if number else text[span[1] :]
    if re.match(r"(?:one|1)\b", own.lower()) or "%" in own:
        return None
    if not re.match(r"\s+[a-z]{3,}", rest) or re.match(r"\s+(?:of|in|and|to|million|percent|per)\b", rest):
        return None
    if re.search(r"\b(?:an?|the|its|their|than|over|about|first|last|of)\s+$", left):
        return None
    return _spliced(left, phrase, rest)


def _reword_person(text: str, span: Span, phrase: str) -> str | None:
    left, right = text[: span[0]], text[span[1] :]
    if _CLEAN_LEFT.search(left):
        return _spliced(left, phrase, right)
    described = _ARTICLED.search(left) and not re.match(r"['’]", right)
    return left.rstrip() + right if described else None


def _reword_thing(analysis: Analysis, text: str, span: Span, phrase: str) -> str | None:
    left, right = text[: span[0]], text[span[1] :]
    if len(answer_spans(analysis, analysis.text)) > 1 or not _CLEAN_LEFT.search(left):
        return None
    if not left.strip() or left.rstrip()[-1] in ".!?—–" or text[span[0]].isupper():
        return None
    if not re.match(r"\s*(?:[.,;]|$|and\b|or\b|in\b|to\b|for\b|is\b|was\b)", right):
        return None
    return _spliced(left, phrase, right)


def _reword_time(text: str, span: Span, phrase: str) -> str | None:
    start, end = span
    left, right = text[:start], text[end:]
    own = re.match(r"(?:in|on|by|after)\s", text[start:end], re.IGNORECASE)
    found = re.search(r"\b(?:in|on)\s+(?:the\s+)?$", left, re.IGNORECASE)
    if re.search(r"\b(?:since|until|till|from|to|between|than|by)\s*$", left):
        return None
    if re.match(r"\s*(?:[–-]|to\b|until\b|\w*s\b|[A-Z])", right) or (own is None and found is None):
        return None
    return _spliced(left if own or found is None else left[: found.start()], phrase, right)


def _spliced(left: str, phrase: str, right: str) -> str:
    opens = not left.strip() or left.rstrip()[-1] in ".!?"
    return left + (capitalise(phrase) if opens else phrase) + right


def _with_quotes(text: str, start: int, end: int) -> Span:
    """The span with the quotation marks or brackets that hold nothing else."""
    pair = (text[start - 1 : start], text[end : end + 1])
    return (start - 1, end + 1) if pair in (('"', '"'), ("“", "”"), ("(", ")")) else (start, end)


def _without_unit(analysis: Analysis, text: str, start: int, end: int) -> Span:
    """The span of a number without the noun that it counts: "360" of "360 members"."""
    figure = re.match(r"(?:(?:over|about|nearly|around|more than) )?\d[\d,.]*(?= [a-z])", text[start:end])
    counted = analysis.answer_type is AnswerType.NUMBER and figure is not None
    return (start, start + figure.end()) if counted and figure is not None else (start, end)


def clean_title(analysis: Analysis, title: str) -> str:
    """The title, or none if it betrays the answer."""
    return "" if leak(analysis, title) else title


def _unless_leaking(analysis: Analysis, passages: tuple[Passage, ...]) -> tuple[Passage, ...] | None:
    return None if any(leak(analysis, p.text) for p in passages) else passages


_LINK = r"(?:the|de|la|van|von|du|del|&)"
_CAPITAL = r"(?:(?:Dr|Mrs?|Ms|St|Prof|Jr|Sr)\.|(?:[^\W\d_a-z]\.)+|[^\W\d_a-z][\w’'-]*)"
_OPENER = r"(?:The|An?|It|He|She|They|This|His|Her|In|On|At|As|After|By|When|While|There)\b"
_NAME = re.compile(
    rf"(?<![\w’'-]){_CAPITAL}(?:(?:\s+|-)(?:(?:{_LINK}\s+){{0,2}}(?!{_OPENER}){_CAPITAL}|\d+\b))*"
)
_QUOTE_OR_NAME = re.compile(rf"[\"“][^\W\d_a-z][^\"“”.?!]{{2,60}}[\"”]|{_NAME.pattern}")
_KEPT = frozenset(
    word_list(
        """
    tv dvd cd mw kw gw km mph ghz mb gb usd ceo fm am pm vs bce ce mph dna rna gdp ok
    i monday tuesday wednesday thursday friday saturday sunday ad bc although though while during because however
    when since until despite unlike like another after before throughout among amongst along within without today
    between whereas both either neither each several many most whether nevertheless moreover furthermore through
    """
    )
) | frozenset(month.lower() for month in pools.MONTHS)
"""Words that a capital makes no name of."""


def without_names(text: str, mark: str) -> str:
    """A text with one mark in the place of every proper name; months, weekdays and openings of sentences stay.

    >>> without_names("In May, Ann Lee met the Duke of York. She sang.", "[X]")
    'In May, [X] met the [X] of [X]. She sang.'
    """
    pieces, cursor = [], 0
    text = re.sub(r"(?<=\w) \((?:the|an?|meaning|literally) [^()]*\)", "", text)
    common = frozenset(re.findall(r"\b[a-z]{4,}\b", text))
    for sentence in split_sentences(text):
        pieces += [text[cursor : sentence.start], _sentence_without_names(sentence.text, mark, common)]
        cursor = sentence.end
    return "".join([*pieces, text[cursor:]])


def _sentence_without_names(text: str, mark: str, common: frozenset[str]) -> str:
    def blacked(match: re.Match[str]) -> str:
        words = match.group()
        if words[0] in '"“':
            return mark
        numbered = words == "No" and re.match(r"\. ?\d", text[match.end() :])
        if numbered or (words.lower() in common and is_common(words.lower())):
            return words
        before = text[: match.start()].rstrip()
        opens = not before.strip("\"“'‘(") or before[-1] in ":—.!?"
        first, _, rest = words.partition(" ")
        plain_opening = (
            opens
            and is_common(plain(first))
            and first[1:].islower()
            and (not rest[:1].isupper() or plain(first) in STOP_WORDS)
        )
        if plain(first) in _KEPT or plain_opening:
            return f"{first} {_sentence_without_names(f', {rest}', mark, common)[2:]}" if rest else first
        ending = re.search(r"['’]s$", words)
        return mark + (ending.group() if ending else "")

    return _QUOTE_OR_NAME.sub(blacked, text)
