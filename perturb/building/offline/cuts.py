"""What can be cut from a passage: each cutter yields the texts that are left, the first of which may be taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from perturb.building.offline.answers import Cut, cut_agent, cut_answer, cut_time
from perturb.building.offline.facts import Facts
from perturb.building.offline.words import Span, capitalise, compiled, content_stems, has_word, without_span
from perturb.catalogue.features import word_bank, word_pattern
from perturb.text.passages import Sentence


def beside_answer(facts: Facts, piece: str) -> bool:
    """Whether a piece of a passage may go: it holds no answer and no word that ties the answer to the question."""
    answers = facts.instance.answers
    if any(has_word(piece, one) or has_word(one, piece.strip()) for one in answers):
        return False
    return not content_stems(piece) & content_stems(facts.instance.query)


def _matches(facts: Facts, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, re.Match[str]]]:
    for index, passage in enumerate(facts.passages):
        for found in pattern.finditer(passage.text):
            if _stands_whole(facts, index, found.span()):
                yield index, passage.text, found


def _stands_whole(facts: Facts, index: int, span: Span) -> bool:
    """Whether the span lies in one sentence that begins and ends like one."""
    return any(
        s.passage == index and s.start <= span[0] and span[1] <= s.end and s.complete for s in facts.sentences
    )


def _bracket(facts: Facts) -> Iterator[Cut]:
    for index, text, found in _matches(
        facts, compiled(r" ?\([^()]{4,160}\)| [–—] [^–—.()]{8,150} [–—](?= [a-z])")
    ):
        inner = found[0].strip(" ()–—")
        if (
            re.match(r"[^\d]*[a-z]{3}", inner)
            and beside_answer(facts, inner)
            and text[found.end() : found.end() + 1] in " ,.;"
        ):
            yield index, without_span(text, *found.span())


def _opening(facts: Facts) -> Iterator[Cut]:
    for sentence in facts.sentences:
        found = word_pattern("opening").search(sentence.text)
        if found is None or not sentence.complete or not beside_answer(facts, found[0]):
            continue
        if re.match(r"(?:After|Following|Because|Since|Due|Thanks)\b", found[0]):
            continue  # what follows may need its cause
        if re.match(r"(?:In|On|At|During|By|From|For|With|Along)\b.* (?:it|he|she|they) ", found[0]):
            continue  # a clause with a subject of its own, and what follows goes on with it
        rest = sentence.text[found.end() - 1 :]  # the pattern ends with the first letter of the main clause
        if re.match(r"(?:Jr|Sr)\b|[a-z]+ed\b|(?:built|made|held|known|led|set|won|written) ", rest):
            continue
        names = re.findall(r"\b[A-Z]\w+", found[0][1:])
        if names and re.match(r"(?:he|she|it|they|his|her|its|their|this|these|that)\b", rest):
            continue
        if re.match(r"(?:(?:the|an?) [^,.]{2,60}|[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,3}), ", rest):
            continue  # what follows the comma may only say who or what was named last
        if re.search(r"\b(?:then|too|also|instead|therefore)\b", rest[:60]):
            continue
        if re.match(r"In (?:the )?[A-Z]", sentence.text) and re.search(r"\b(?:1\d|20)\d\d\b", rest):
            continue  # what came out there on that day came out elsewhere on another
        yield sentence.passage, _spliced(facts, sentence, capitalise(rest))


def _spliced(facts: Facts, sentence: Sentence, new: str) -> str:
    text = facts.passages[sentence.passage].text
    return text[: sentence.start] + new + text[sentence.end :]


def _city(facts: Facts) -> Iterator[Cut]:
    for index, text, found in _matches(facts, word_pattern("city_phrase")):
        before = re.search(r"\b(?:in|at|from|near|of|to) (?:[A-Z][\w ]+, )?$", text[: found.start()])
        clause = re.match(r"[A-Z][\w.]*(?: [A-Z][\w.]*)* [a-z]+(?:s|ed)\b", text[found.end() :])
        if before and not clause and before[0].count(",") == 0 and beside_answer(facts, found[1]):
            yield index, text[: found.start()] + text[found.end() :]


def _colour(facts: Facts) -> Iterator[Cut]:
    for index, text, found in _matches(facts, word_pattern("colour_use")):
        left = text[: found.start()]
        if re.search(r"\b(?:and|or|an?|[a-z]+ish|dark|light|bright|pale|,) $", left) and not re.search(
            r"\ba $", left
        ):
            continue
        noun = re.match(r" ([a-z]+)", text[found.end() :])
        if noun and beside_answer(facts, f"{found[0]} {noun[1]}") and not _article_changes(left, noun[1]):
            yield index, left + text[found.end() :].lstrip()


def _article_changes(left: str, following: str) -> bool:
    return left.endswith(" a ") and following[0] in "aeiou"


def _example(facts: Facts) -> Iterator[Cut]:
    for place, sentence in enumerate(facts.sentences):
        own = [s for s in facts.sentences if s.passage == sentence.passage]
        after = facts.sentences[place + 1] if place + 1 < len(facts.sentences) else None
        leans = (
            after is not None
            and after.passage == sentence.passage
            and word_pattern("leans").match(after.text)
        )
        if (
            len(own) > 2
            and sentence.complete
            and not leans
            and _is_example(sentence.text)
            and beside_answer(facts, sentence.text)
        ):
            yield (
                sentence.passage,
                without_span(facts.passages[sentence.passage].text, sentence.start, sentence.end),
            )


def _is_example(text: str) -> bool:
    return re.match(r"For (?:example|instance)\b", text) is not None


def _figure(facts: Facts) -> Iterator[Cut]:
    number = rf"(?:\d[\d,]*|{'|'.join(sorted(word_bank('number_words'), key=len, reverse=True))})"
    pattern = compiled(
        rf"\b(?:the|its|his|her|their|these|those) ({number} )(?=[a-z]{{3,}}s\b(?! (?:of|and|or|to)\b))"
    )
    for index, text, found in _matches(facts, pattern):
        noun = re.match(r"[a-z]+", text[found.end() :])
        if noun and noun[0] not in word_bank("counted_closely") and beside_answer(facts, found[1] + noun[0]):
            yield index, text[: found.start(1)] + text[found.end(1) :]


def _month(facts: Facts) -> Iterator[Cut]:
    month = word_pattern("month").pattern
    day = rf"(?:\d{{1,2}} {month}|{month}(?: \d{{1,2}})?),?"
    pattern = compiled(
        rf"\b([Oo]n|[Ii]n) (?:the )?{day} ((?:1\d|20)\d\d)\b(?!\s*(?:[–-]|to\b|until\b|and \w+ \d))"
    )
    if any(word_pattern("month").search(one) for one in facts.instance.answers):
        return
    for index, text, found in _matches(facts, pattern):
        piece = text[found.start() : found.start(2)]
        if not beside_answer(facts, piece):
            continue
        right = text[found.end() :]
        before = re.split(r"[.!?\n]", text[: found.start()])[-1]
        closes = "," in piece and "," not in before and len(before.split()) > 2  # the comma of "May 4, 1818,"
        if closes and re.match(
            r", (?!and|but|which|who|with|when|where|after|before|it|he|she|they)[a-z]", right
        ):
            right = right[1:]
        yield index, f"{text[: found.start()]}{'In' if piece[0].isupper() else 'in'} {found[2]}{right}"


def _alias(facts: Facts) -> Iterator[Cut]:
    pattern = compiled(
        r",? (?:also|sometimes|commonly|better|popularly|formerly|originally|previously|often) "
        r"(?:known (?:simply )?as|called|spelled|abbreviated|nicknamed|termed|referred to as)"
        r" (?:the |an? )?[^,.;()]{2,50}(,)"
    )
    for index, text, found in _matches(facts, pattern):
        if (
            found[0].startswith(",")
            and beside_answer(facts, found[0])
            and not re.match(r" (?:or|and) ", text[found.end() :])
        ):
            yield index, text[: found.start()] + text[found.end() :]


def _companion(facts: Facts) -> Iterator[Cut]:
    name = r"[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,2}"
    pattern = compiled(rf",? {word_pattern('companion').pattern} {name}(?=[,.])")
    for index, text, found in _matches(facts, pattern):
        rest = text[found.end() :]
        surname = found[0].rsplit(maxsplit=1)[-1]
        related = re.match(r",? (?:who|whom|whose|which|the|an?)\b", rest)
        if beside_answer(facts, found[0]) and not has_word(rest, surname) and not related:
            yield (
                index,
                text[: found.start()] + (rest[1:] if found[0][0] == "," and rest[:1] == "," else rest),
            )


CUTTERS: Mapping[str, Callable[[Facts], Iterator[Cut]]] = {
    "bracket": _bracket,
    "opening": _opening,
    "city": _city,
    "colour": _colour,
    "example": _example,
    "figure": _figure,
    "month": _month,
    "alias": _alias,
    "companion": _companion,
    "answer": cut_answer,
    "time": cut_time,
    "agent": cut_agent,
}
TAKES_ANSWER = ("answer", "time", "agent")
"""The cutters that take the answer out."""
