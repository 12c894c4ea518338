"""The operators of the offline engine. Each applies a rule to an instance and yields drafts.

The best draft comes first, and the engine takes the first draft that passes its checks. Most operators yield no draft
for most instances, which means that they abstain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from perturb.building.offline.answers import answer_gone, mention_spans
from perturb.building.offline.facts import InstanceFacts
from perturb.building.offline.gaps import Filling, as_question
from perturb.building.offline.material import (
    CUTTERS,
    TAKES_ANSWER,
    joined_passages,
    may_be_cut,
    unrelated_passages,
)
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
"""Applies a rule with one filling of its gaps, and yields drafts."""


# These functions are the operators of `OPERATIONS`. `catalogue.levers.OPERATORS` describes them for authors of rules.


def _ask(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the question."""
    text = filling.fill(rule.say)
    if text is not None:
        yield Draft(as_question(text), filling.facts.passages)


def _in_style(query: str, text: str) -> str:
    """The text, in lower case if the question has no capitals."""
    return text if is_cased(query) else text.lower()


def _remark(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Insert a remark into the question, before or after the subject's name."""
    query = filling.facts.instance.query.rstrip()
    text = filling.fill(rule.say)
    if text is None:
        return
    if filling.facts.query_name is None:
        return
    name_start, name_end = filling.facts.query_name
    before, after = query[:name_end], query[name_end:]
    if after.startswith(("'", "’")):
        return  # nothing can stand between a name and its possessive ending
    if rule.what == "before":
        article = re.search(r"\b(?:the|an?) $", query[:name_start], re.IGNORECASE)
        insert_at = article.start() if article else name_start
        # Nothing may come between a name and the noun that introduces it, as in "the film Jaws".
        if re.search(r"\b(?:song|movie|film|book|novel|show|series|play|called) $", query[:insert_at]):
            return
        remark = _in_style(query, f"{text} ")
        yield Draft(query[:insert_at] + remark + query[insert_at:], filling.facts.passages)
        return
    # At the end of the question, no comma closes the aside.
    if not after.strip("?. "):
        yield Draft(f"{before}, {_in_style(query, text)}{after}", filling.facts.passages)
    # Within a question, an aside reads well only between the subject and its verb.
    elif _begins_with_verb(after) and query.lower().startswith(("when", "where")):
        yield Draft(f"{before}, {_in_style(query, text)},{after}", filling.facts.passages)


def _begins_with_verb(text_after: str) -> bool:
    """Whether the text after a name continues with the verb of the question, and not with a longer name."""
    return text_after.split(maxsplit=1)[0].rstrip("?") in word_bank("event_verb") | {
        "first",
        "filmed",
        "located",
    }


def _reword(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace a word of the question by another one."""
    query = filling.facts.instance.query
    for old, new in filling.rng.sample(rule.words, len(rule.words)):
        match = compiled(rf"(?<![\w'-]){old}(?![\w'-])", re.IGNORECASE).search(query)
        if match is not None and not _in_a_name(filling.facts, match.span()):
            word = match.expand(filling.rng.choice(new))
            yield Draft(query[: match.start()] + word + query[match.end() :], filling.facts.passages)


def _in_a_name(facts: InstanceFacts, span: tuple[int, int]) -> bool:
    """Whether a span of the question touches a name: the subject's, or a word with a capital in its proper spelling."""
    if len(facts.query) > len(facts.instance.query):
        return True  # the two spellings differ in length, so the span cannot be looked up in the proper one
    start, end = span
    if facts.query_name is not None:
        name_start, name_end = facts.query_name
        if start < name_end and name_start < end:
            return True
    return any(char.isupper() for char in facts.query[start:end])


def _rename(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the name of a work by a description, if the texts mention no other work of its sort."""
    subject = filling.facts.subject
    is_work = filling.value("if:work") is not None
    if is_work and subject is not None and _only_one(filling.facts, subject.noun):
        yield from _renamed(rule, filling, filling.facts.passages)


def _renamed(rule: Rule, filling: Filling, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """Yield the question with a wording instead of the subject's name and of the noun before the name."""
    query, span, text = filling.facts.instance.query, filling.facts.query_name, filling.fill(rule.say)
    if span is None or text is None:
        return
    name_start, name_end = span
    after = query[name_end:]
    if not after.strip("?. ") or _begins_with_verb(after):
        before = word_pattern("subject_noun").sub("", query[:name_start])
        yield Draft(before + text + after, passages)


def _only_one(facts: InstanceFacts, noun: str) -> bool:
    """Whether the texts mention only one thing that this noun can mean: no plural, no "another", no sequel."""
    text = f"{facts.instance.query} {facts.text}".lower()
    return not re.search(
        rf"\b(?:another|other|second|first|two|three|{noun}s|films|movies|songs|books|novels|sequel|remake|cover\w*)\b",
        text,
    )


# The beginning of a sentence that refers to the sentence before it. Nothing may be inserted between the two.
_LEANS_BACK = re.compile(
    r"(?:(?:Although|Though|While|Since|When|After|Because|As) )?(?:this|that|these|those|it|he|she|they|however|but)\b"
    r"|.*\b(?:days?|weeks?|months?) (?:earlier|later|before|after)\b",
    re.IGNORECASE,
)


def _add(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Add a sentence to a signal passage, after a sentence that the rule's `what` names."""
    facts = filling.facts
    for index, sentence in enumerate(facts.sentences):
        states_answer = sentence in facts.answer_sentences
        is_signal = facts.passages[sentence.passage].role == "signal"
        if states_answer != (rule.what == "answer") or not sentence.complete or not is_signal:
            continue
        if rule.what == "figure" and not _set_figure(filling, sentence.text):
            continue
        if rule.what == "date" and not _set_date(filling, sentence.text):
            continue
        next_sentence = facts.sentences[index + 1] if index + 1 < len(facts.sentences) else None
        if next_sentence is not None and _LEANS_BACK.match(next_sentence.text):
            continue
        text = filling.fill(rule.say)
        if text is not None:
            passage_text = facts.passages[sentence.passage].text
            longer_text = f"{passage_text[: sentence.end]} {capitalise(text)}{passage_text[sentence.end :]}"
            yield Draft(facts.instance.query, facts.with_text(sentence.passage, longer_text))


# A sentence that sets a threshold. Rounding its figure would change what it says.
_THRESHOLD = re.compile(
    r"\b(?:must|needs?|secure|requires?|required|majority|at least|at most|minimum|maximum|limit)\b"
)
# People give a smaller count exactly.
_LEAST_FIGURE = 120


def _set_figure(filling: Filling, sentence: str) -> bool:
    """Set the gaps `figure` and `round_figure` from the only figure of a sentence; False if none can be rounded."""
    figures = word_pattern("figure").findall(sentence)
    numbers = re.findall(r"\d[\d,.]*", sentence)
    years = re.findall(r"\b(?:1\d|20)\d\d\b(?!,)", sentence)
    # With a second number beside it, a reader could not tell which of the two was rounded.
    if len(figures) != 1 or len(numbers) - len(years) != 1:
        return False
    figure = figures[0].rstrip(",.")
    if "." in figure or not may_be_cut(filling.facts, figure) or _THRESHOLD.search(sentence):
        return False
    is_rough = re.search(
        rf"(?:about|around|nearly|over|some|roughly|approximately|than|[$£€]) ?{re.escape(figure)}", sentence
    )
    value = int(figure.replace(",", ""))
    rounded = _rounded(value)
    after = sentence[sentence.index(figure) + len(figure) :]
    # The wording repeats the noun that the figure counts, so there must be a plural.
    counted = re.match(r" ((?:[a-z]+ )?(?:[a-z]{3,}s|people|men|women|children))\b", after)
    if value < _LEAST_FIGURE or is_rough or rounded == value or counted is None:
        return False
    filling.local |= {"figure": figure, "round_figure": f"{rounded:,} {counted[1]}"}
    return True


def _rounded(value: int) -> int:
    """The number to two leading digits, or to three from 10,000 on: 1,234 becomes 1,200."""
    leading_digits = 2 if value < 10_000 else 3
    step: int = 10 ** max(0, len(str(value)) - leading_digits)
    return (value + step // 2) // step * step


def _set_date(filling: Filling, sentence: str) -> bool:
    """Set the gap `other_date` to a date some days from the only full date of a sentence; False if there is none."""
    month = word_pattern("month").pattern
    dates = list(
        re.finditer(
            rf"\b(?:{month} (\d{{1,2}}),? (?:1\d|20)\d\d|(\d{{1,2}}) {month} (?:1\d|20)\d\d)\b", sentence
        )
    )
    years = re.findall(r"\b(?:1\d|20)\d\d\b", sentence)
    if len(dates) != 1 or len(years) != 1:
        return False
    date = dates[0][0]
    is_end_of_range = re.search(rf"[–-] ?{re.escape(date)}", sentence)
    if is_end_of_range or not may_be_cut(filling.facts, date):
        return False
    # The day is in the first group or in the second, depending on whether the month comes first.
    day = next(filter(None, dates[0].groups()))
    # Later in the first part of the month and earlier in the rest, so that the other day exists in every month.
    days_later = filling.rng.choice((3, 4, 6)) if int(day) < 20 else -filling.rng.choice((3, 5, 8))
    other_day = str(int(day) + days_later)
    filling.local["other_date"] = re.sub(rf"\b{day}\b", other_day, date, count=1)
    return not has_word(filling.facts.text, filling.local["other_date"])


# The end of the text before an answer that another noun phrase may replace.
_CLEAN_LEFT = re.compile(
    r"\b(?:in|on|at|by|of|from|to|for|with|between|until|since|as|named|called|is|was|are|were|be|cost|costs|paid|earned)"
    r"(?: the)? $",
    re.IGNORECASE,
)
# The beginning of the text after such an answer: elsewhere the answer may be part of a longer phrase.
_CLEAN_RIGHT = re.compile(
    r"(?:[.,;)]|$|\s+(?:and|or|in|on|to|for|is|was|by|at|from|with|as|who|which|that|when|of|during)\b)"
)


def _substitute(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the only mention of the answer by a vague wording."""
    facts, text = filling.facts, filling.fill(rule.say)
    mentions = [
        (index, span)
        for index, passage in enumerate(facts.passages)
        for span in mention_spans(facts, passage.text)
    ]
    # With two mentions, the other one would still give the answer.
    if text is None or len(mentions) != 1 or facts.kind in ("text", "number"):
        return
    index, span = mentions[0]
    passage_text = facts.passages[index].text
    start, end = _with_quotes(passage_text, *span)
    before, after = passage_text[:start], passage_text[end:]
    if _CLEAN_LEFT.search(before) and _CLEAN_RIGHT.match(after):
        yield from _without_answer(facts, facts.with_text(index, before + text + after))


def _with_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, widened by quotation marks or brackets directly around it."""
    marks = text[max(0, start - 1) : start] + text[end : end + 1]
    return (start - 1, end + 1) if marks in ('""', "“”", "()") else (start, end)


def _without_answer(facts: InstanceFacts, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """Yield a draft with empty titles where the title holds the answer, unless something still gives it away."""
    without_titles = []
    for passage in passages:
        names_answer = any(has_word(passage.title, alias) for alias in facts.instance.answers)
        without_titles.append(replace(passage, title="") if names_answer else passage)
    if answer_gone(facts, tuple(without_titles)) is None:
        yield Draft(facts.instance.query, tuple(without_titles))


def _delete(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Cut a part of a passage. The rule's `what` names the part."""
    for index, text in CUTTERS[rule.what or ""](filling.facts):
        # A cut leaves a blank before the mark that follows it.
        passages = filling.facts.with_text(index, re.sub(r" +([,.;])", r"\1", text))
        if rule.what in TAKES_ANSWER:
            yield from _without_answer(filling.facts, passages)
        else:
            yield Draft(filling.facts.instance.query, passages)


def _exchange(_: Rule, filling: Filling) -> Iterator[Draft]:
    """Exchange the passages for passages of another instance."""
    passages = unrelated_passages(filling)
    if passages is not None:
        yield Draft(filling.facts.instance.query, passages)


def _join(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Add a passage on a thing of the same kind, and ask about the two by their common noun."""
    subject = filling.facts.subject
    if subject is None or not subject.kind or not filling.facts.one_answer:
        return
    for joined in joined_passages(filling, subject):
        filling.local["noun"] = joined.noun
        passages = filling.facts.with_text(filling.facts.home, joined.text)
        yield from _renamed(rule, filling, passages)


# Characters that may stand between a number and the end of its unit.
_UNIT = 15


def _convert(_: Rule, filling: Filling) -> Iterator[Draft]:
    """Add the value in another unit to the measure that answers the question."""
    facts = filling.facts
    for index, passage in enumerate(facts.passages):
        mention_ends = [mention.end for mention in facts.mentions if mention.passage == index]
        for end, converted in measures_in(passage.text):
            # Other measures are not what the question asks for.
            if any(0 <= end - mention_end <= _UNIT for mention_end in mention_ends):
                text = f"{passage.text[:end]} ({converted}){passage.text[end:]}"
                yield Draft(facts.instance.query, facts.with_text(index, text))


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
