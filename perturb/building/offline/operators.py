"""The operators of the offline engine: each applies a rule to an instance and yields drafts.

The best draft comes first, and the engine takes the first that passes its checks. An operator that yields no draft
abstains, which is the most frequent result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from perturb.building.offline.answers import answer_gone, mention_spans
from perturb.building.offline.facts import Facts
from perturb.building.offline.gaps import Filling, as_question
from perturb.building.offline.material import CUTTERS, TAKES_ANSWER, beside_answer, joined, unrelated
from perturb.building.offline.question import is_cased
from perturb.building.offline.words import capitalise, compiled, has_word, measures_in
from perturb.catalogue.features import word_bank, word_pattern
from perturb.records import Passage, Rule


@dataclass(frozen=True, slots=True)
class Draft:
    """A perturbed question with perturbed signal passages."""

    query: str
    passages: tuple[Passage, ...]


Operator = Callable[[Rule, Filling], Iterator[Draft]]


def _ask(rule: Rule, filling: Filling) -> Iterator[Draft]:
    text = filling.fill(rule.say)
    if text is not None:
        yield Draft(as_question(text), filling.facts.passages)


def _in_style(query: str, text: str) -> str:
    """The text, in lower case if the question has no capitals."""
    return text if is_cased(query) else text.lower()


def _remark(rule: Rule, filling: Filling) -> Iterator[Draft]:
    query = filling.facts.instance.query.rstrip()
    text = filling.fill(rule.say)
    if text is None:
        return
    span = filling.facts.query_name
    if span is None or re.match(r"['’]", query[span[1] :]):
        return
    left, right = query[: span[1]], query[span[1] :]
    if rule.what == "before":
        article = re.search(r"\b(?:the|an?) $", query[: span[0]], re.IGNORECASE)
        start = article.start() if article else span[0]
        if re.search(r"\b(?:song|movie|film|book|novel|show|series|play|called) $", query[:start]):
            return
        yield Draft(query[:start] + _in_style(query, f"{text} ") + query[start:], filling.facts.passages)
        return
    if not right.strip("?. "):
        yield Draft(f"{left}, {_in_style(query, text)}{right}", filling.facts.passages)
    elif _goes_on(right) and query[:4].lower() in ("when", "wher"):
        yield Draft(f"{left}, {_in_style(query, text)},{right}", filling.facts.passages)


def _goes_on(right: str) -> bool:
    """Whether the text after a name in a question goes on with the verb, not with the name."""
    return right.split(maxsplit=1)[0].rstrip("?") in word_bank("event_verb") | {"first", "filmed", "located"}


def _reword(rule: Rule, filling: Filling) -> Iterator[Draft]:
    query = filling.facts.instance.query
    for old, new in filling.rng.sample(rule.words, len(rule.words)):
        found = compiled(rf"(?<![\w'-]){old}(?![\w'-])", re.IGNORECASE).search(query)
        if found is not None and not _in_a_name(filling.facts, found.span()):
            word = found.expand(filling.rng.choice(new))
            yield Draft(query[: found.start()] + word + query[found.end() :], filling.facts.passages)


def _in_a_name(facts: Facts, span: tuple[int, int]) -> bool:
    """Whether a span of the question touches a name: the subject's, or a word with a capital in its proper spelling."""
    if len(facts.query) > len(facts.instance.query):
        return True  # the proper spelling cannot be aligned
    name = facts.query_name
    return (name is not None and span[0] < name[1] and name[0] < span[1]) or (
        any(char.isupper() for char in facts.query[slice(*span)])
    )


def _rename(rule: Rule, filling: Filling) -> Iterator[Draft]:
    subject = filling.facts.subject
    if (
        filling.value("if:work") is not None
        and subject is not None
        and _only_one(filling.facts, subject.noun)
    ):
        yield from _renamed(rule, filling, filling.facts.passages)


def _renamed(rule: Rule, filling: Filling, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """The question with a wording instead of the subject's name and the noun before it."""
    query, span, text = filling.facts.instance.query, filling.facts.query_name, filling.fill(rule.say)
    if span is None or text is None:
        return
    right = query[span[1] :]
    if not right.strip("?. ") or _goes_on(right):
        head = word_pattern("subject_noun").sub("", query[: span[0]])
        yield Draft(head + text + right, passages)


def _only_one(facts: Facts, noun: str) -> bool:
    """Whether the texts mention only one thing of the kind: no plural, no other thing with this noun."""
    text = f"{facts.instance.query} {facts.text}".lower()
    return not re.search(
        rf"\b(?:another|other|second|first|two|three|{noun}s|films|movies|songs|books|novels|sequel|remake|cover\w*)\b",
        text,
    )


_LEANS_BACK = re.compile(
    r"(?:(?:Although|Though|While|Since|When|After|Because|As) )?(?:this|that|these|those|it|he|she|they|however|but)\b"
    r"|.*\b(?:days?|weeks?|months?) (?:earlier|later|before|after)\b",
    re.IGNORECASE,
)
"""A sentence that refers to the one before it, so that nothing may be put in between."""


def _add(rule: Rule, filling: Filling) -> Iterator[Draft]:
    facts = filling.facts
    for index, sentence in enumerate(facts.sentences):
        holds = sentence in facts.answer_sentences
        if (
            holds != (rule.what == "answer")
            or not sentence.complete
            or (facts.passages[sentence.passage].role != "signal")
        ):
            continue
        if rule.what == "figure" and not _set_figure(filling, sentence.text):
            continue
        if rule.what == "date" and not _set_date(filling, sentence.text):
            continue
        after = facts.sentences[index + 1] if index + 1 < len(facts.sentences) else None
        if after is not None and _LEANS_BACK.match(after.text):
            continue
        text = filling.fill(rule.say)
        if text is not None:
            old = facts.passages[sentence.passage].text
            new = f"{old[: sentence.end]} {capitalise(text)}{old[sentence.end :]}"
            yield Draft(facts.instance.query, facts.with_text(sentence.passage, new))


def _set_figure(filling: Filling, sentence: str) -> bool:
    """Set the gaps `figure` and `round_figure` from the only large figure of a sentence; False if there is none."""
    figures = word_pattern("figure").findall(sentence)
    numbers = re.findall(r"\d[\d,.]*", sentence)
    if len(figures) != 1 or len(numbers) - len(re.findall(r"\b(?:1\d|20)\d\d\b(?!,)", sentence)) != 1:
        return False
    figure = figures[0].rstrip(",.")
    if "." in figure or not beside_answer(filling.facts, figure):
        return False
    if re.search(
        r"\b(?:must|needs?|secure|requires?|required|majority|at least|at most|minimum|maximum|limit)\b",
        sentence,
    ):
        return False  # a threshold is exact
    value = int(figure.replace(",", ""))
    if value < 120 or re.search(
        rf"(?:about|around|nearly|over|some|roughly|approximately|than|[$£€]) ?{re.escape(figure)}", sentence
    ):
        return False
    place, digits = sentence.index(figure), len(str(value)) - (2 if value < 10_000 else 3)
    step = 10**digits
    rounded = (value + step // 2) // step * step
    counted = re.match(
        r" ((?:[a-z]+ )?(?:[a-z]{3,}s|people|men|women|children))\b", sentence[place + len(figure) :]
    )
    if rounded == value or counted is None:
        return False
    filling.local |= {"figure": figure, "round_figure": f"{rounded:,} {counted[1]}"}
    return True


def _set_date(filling: Filling, sentence: str) -> bool:
    """Set the gap `other_date` to a date some days from the only full date of a sentence; False if there is none."""
    month = word_pattern("month").pattern
    dates = list(
        re.finditer(
            rf"\b(?:{month} (\d{{1,2}}),? (?:1\d|20)\d\d|(\d{{1,2}}) {month} (?:1\d|20)\d\d)\b", sentence
        )
    )
    years = re.findall(r"\b(?:1\d|20)\d\d\b", sentence)
    if (
        len(dates) != 1
        or len(years) != 1
        or re.search(rf"[–-] ?{re.escape(dates[0][0])}", sentence)
        or not beside_answer(filling.facts, dates[0][0])
    ):
        return False
    day = next(filter(None, dates[0].groups()))
    other = (
        int(day) + filling.rng.choice((3, 4, 6))
        if int(day) < 20
        else int(day) - filling.rng.choice((3, 5, 8))
    )
    filling.local["other_date"] = re.sub(rf"\b{day}\b", str(other), dates[0][0], count=1)
    return not has_word(filling.facts.text, filling.local["other_date"])


_CLEAN_LEFT = re.compile(
    r"\b(?:in|on|at|by|of|from|to|for|with|between|until|since|as|named|called|is|was|are|were|be|cost|costs|paid|earned)"
    r"(?: the)? $",
    re.IGNORECASE,
)
"""The text before a noun phrase that another may replace."""
_CLEAN_RIGHT = re.compile(
    r"(?:[.,;)]|$|\s+(?:and|or|in|on|to|for|is|was|by|at|from|with|as|who|which|that|when|of|during)\b)"
)


def _substitute(rule: Rule, filling: Filling) -> Iterator[Draft]:
    facts, text = filling.facts, filling.fill(rule.say)
    spots = [(i, span) for i, one in enumerate(facts.passages) for span in mention_spans(facts, one.text)]
    if text is None or len(spots) != 1 or facts.kind in ("text", "number"):
        return
    passages = list(facts.passages)
    for index, span in reversed(spots):
        old = passages[index].text
        start, end = _with_quotes(old, *span)
        if not (_CLEAN_LEFT.search(old[:start]) and _CLEAN_RIGHT.match(old[end:])):
            return
        passages[index] = replace(passages[index], text=old[:start] + text + old[end:])
    yield from _without_answer(facts, tuple(passages))


def _with_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, including quotation marks or brackets directly around it."""
    pair = text[max(0, start - 1) : start] + text[end : end + 1]
    return (start - 1, end + 1) if pair in ('""', "“”", "()") else (start, end)


def _without_answer(facts: Facts, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """The draft without titles that hold the answer, unless something else still gives it away."""
    clean = tuple(
        replace(passage, title="")
        if any(has_word(passage.title, alias) for alias in facts.instance.answers)
        else passage
        for passage in passages
    )
    if answer_gone(facts, clean) is None:
        yield Draft(facts.instance.query, clean)


def _delete(rule: Rule, filling: Filling) -> Iterator[Draft]:
    for index, text in CUTTERS[rule.what or ""](filling.facts):
        passages = filling.facts.with_text(index, re.sub(r" +([,.;])", r"\1", text))
        if rule.what in TAKES_ANSWER:
            yield from _without_answer(filling.facts, passages)
        else:
            yield Draft(filling.facts.instance.query, passages)


def _exchange(_: Rule, filling: Filling) -> Iterator[Draft]:
    for passages in unrelated(filling):
        yield Draft(filling.facts.instance.query, passages)


def _join(rule: Rule, filling: Filling) -> Iterator[Draft]:
    subject = filling.facts.subject
    if subject is None or not subject.kind or not filling.facts.one_answer:
        return
    for noun, text in joined(filling):
        filling.local["noun"] = noun
        yield from _renamed(rule, filling, filling.facts.with_text(filling.facts.home, text))


_UNIT = 15
"""Characters that may stand between a number and the end of its unit."""


def _convert(_: Rule, filling: Filling) -> Iterator[Draft]:
    for index, passage in enumerate(filling.facts.passages):
        for end, other in measures_in(passage.text):
            if not any(
                mention.passage == index and 0 <= end - mention.end <= _UNIT
                for mention in filling.facts.mentions
            ):
                continue  # another measure than the one that is asked for
            yield Draft(
                filling.facts.instance.query,
                filling.facts.with_text(index, f"{passage.text[:end]} ({other}){passage.text[end:]}"),
            )


OPERATIONS: Mapping[str, Operator] = {
    "ask": _ask,
    "remark": _remark,
    "reword": _reword,
    "rename": _rename,
    "add": _add,
    "substitute": _substitute,
    "convert": _convert,
    "delete": _delete,
    "exchange": _exchange,
    "join": _join,
}
"""The name of an operator in rules -> its function."""
