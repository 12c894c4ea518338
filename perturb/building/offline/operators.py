"""The operators: what the rule of a lever can do to a question and its passages.

A rule names its operator in `do`. It may also have

- `say`: wordings with gaps, such as "Did {subject} end before {before}?",
- `what`: the part of the text that the operator changes,
- `words`: words of the question, as patterns, with their replacements.

A `Filling` fills the gaps for one instance. `filling.facts` are the facts about the instance, and `filling.local` are
values of gaps that the operator itself finds. An operator yields drafts, and the engine takes the first sound one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

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
from perturb.building.offline.words import capitalise, compiled, has_word, measures_in, rounded
from perturb.catalogue.features import word_bank, word_pattern
from perturb.records import Passage, Rule


@dataclass(frozen=True, slots=True)
class Draft:
    """A perturbed question with perturbed signal passages."""

    query: str
    passages: tuple[Passage, ...]


Operator = Callable[[Rule, Filling], Iterator[Draft]]
"""A function that applies a rule with one filling of its gaps, and yields drafts."""


def _ask(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the question."""
    text = filling.fill(rule.say)
    if text is not None:
        yield Draft(as_question(text), filling.facts.passages)


def _remark(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Insert a remark into the question, before or after the subject's name."""
    facts, text = filling.facts, filling.fill(rule.say)
    if text is None or facts.query_name is None:
        return
    query = facts.query.rstrip()
    remark = text if is_cased(query) else text.lower()
    name_start, name_end = facts.query_name
    if query[name_end:].startswith(("'", "’")):
        return  # nothing can stand between a name and its possessive ending
    if rule.what == "before":
        remarked = _with_remark_before(query, name_start, remark)
    else:
        remarked = _with_remark_after(query, name_end, remark)
    if remarked is not None:
        yield Draft(remarked, facts.passages)


def _with_remark_before(query: str, name_start: int, remark: str) -> str | None:
    """The question with a remark before a name and its article; None if nothing may stand there."""
    article = re.search(r"\b(?:the|an?) $", query[:name_start], re.IGNORECASE)
    insert_at = article.start() if article else name_start
    # Nothing may come between a name and the noun that introduces it, as in "the film Jaws".
    if re.search(r"\b(?:song|movie|film|book|novel|show|series|play|called) $", query[:insert_at]):
        return None
    return f"{query[:insert_at]}{remark} {query[insert_at:]}"


def _with_remark_after(query: str, name_end: int, remark: str) -> str | None:
    """The question with a remark after a name; None if the remark would read badly there."""
    before, after = query[:name_end], query[name_end:]
    # At the end of the question, no comma closes the aside.
    if not after.strip("?. "):
        return f"{before}, {remark}{after}"
    # Within a question, an aside reads well only between the subject and its verb.
    if _begins_with_verb(after) and query.lower().startswith(("when", "where")):
        return f"{before}, {remark},{after}"
    return None


def _begins_with_verb(text_after: str) -> bool:
    """Whether the text after a name continues with the verb of the question, and not with a longer name."""
    first_word = text_after.split(maxsplit=1)[0].rstrip("?")
    return first_word in word_bank("event_verb") or first_word in ("first", "filmed", "located")


def _reword(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace a word of the question by another one."""
    query = filling.facts.query
    for pattern, replacements in filling.rng.sample(rule.words, len(rule.words)):
        match = compiled(rf"(?<![\w'-]){pattern}(?![\w'-])", re.IGNORECASE).search(query)
        if match is not None and not _in_a_name(filling.facts, match.span()):
            # A replacement may refer to groups of the pattern.
            replacement = match.expand(filling.rng.choice(replacements))
            reworded = query[: match.start()] + replacement + query[match.end() :]
            yield Draft(reworded, filling.facts.passages)


def _in_a_name(facts: InstanceFacts, span: tuple[int, int]) -> bool:
    """Whether a span of the question touches a name: the subject's, or a word with a capital in its proper spelling."""
    if len(facts.cased_query) > len(facts.query):
        return True  # the two spellings differ in length, so the span cannot be looked up in the proper one
    start, end = span
    name_start, name_end = facts.query_name or (0, 0)  # an empty span touches nothing
    if start < name_end and name_start < end:
        return True
    return any(char.isupper() for char in facts.cased_query[start:end])


def _rename(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the name of a work by a description, if the texts mention no other work of its kind."""
    subject = filling.facts.subject
    is_work = filling.value("if:work") is not None
    if is_work and subject is not None and _only_one(filling.facts, subject.noun):
        yield from _renamed(rule, filling, filling.facts.passages)


def _renamed(rule: Rule, filling: Filling, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """Yield the question with a wording instead of the subject's name and of the noun before the name."""
    facts, text = filling.facts, filling.fill(rule.say)
    if facts.query_name is None or text is None:
        return
    query = facts.query
    name_start, name_end = facts.query_name
    after = query[name_end:]
    # Other words than a verb may belong to a longer name, as in "Jaws 2".
    if not after.strip("?. ") or _begins_with_verb(after):
        before = word_pattern("subject_noun").sub("", query[:name_start])
        yield Draft(before + text + after, passages)


def _only_one(facts: InstanceFacts, noun: str) -> bool:
    """Whether the texts mention only one thing that this noun can mean: no plural, no "another", no sequel."""
    text = f"{facts.query} {facts.text}".lower()
    return not re.search(
        rf"\b(?:another|other|second|first|two|three|{noun}s|films|movies|songs|books|novels|sequel|remake|cover\w*)\b",
        text,
    )


# The beginning of a sentence that refers to the sentence before it. Nothing may be inserted between the two.
_LEANS_BACK = re.compile(
    # "It was …", "When he …"
    r"(?:(?:Although|Though|While|Since|When|After|Because|As) )?(?:this|that|these|those|it|he|she|they|however|but)\b"
    # "Two days later, …": a time that is counted from an event of the sentence before
    r"|.*\b(?:days?|weeks?|months?) (?:earlier|later|before|after)\b",
    re.IGNORECASE,
)


def _add(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Add a sentence to a signal passage, after a sentence that the rule's `what` names."""
    facts = filling.facts
    # Each sentence with the sentence after it, which may be of the next passage.
    for sentence, next_sentence in zip_longest(facts.sentences, facts.sentences[1:]):
        states_answer = sentence in facts.answer_sentences
        is_signal = facts.passages[sentence.passage].role == "signal"
        # Only `what: answer` adds to a sentence with the answer. A date or a figure must come from another sentence.
        if states_answer != (rule.what == "answer") or not sentence.complete or not is_signal:
            continue
        values: dict[str, str] | None = {}
        if rule.what == "figure":
            values = _rounded_figure(facts, sentence.text)
        elif rule.what == "date":
            values = _moved_date(filling, sentence.text)
        if values is None:
            continue
        filling.local |= values
        if next_sentence is not None and _LEANS_BACK.match(next_sentence.text):
            continue
        text = filling.fill(rule.say)
        if text is not None:
            passage_text = facts.passages[sentence.passage].text
            longer_text = f"{passage_text[: sentence.end]} {capitalise(text)}{passage_text[sentence.end :]}"
            yield Draft(facts.query, facts.with_text(sentence.passage, longer_text))


# A sentence that sets a threshold. Rounding its figure would change what it says.
_THRESHOLD = re.compile(
    r"\b(?:must|needs?|secure|requires?|required|majority|at least|at most|minimum|maximum|limit)\b"
)
# People give a smaller count exactly.
_LEAST_FIGURE = 120


def _rounded_figure(facts: InstanceFacts, sentence: str) -> dict[str, str] | None:
    """Values for the gaps `figure` and `round_figure`, from the only figure of a sentence.

    "The hall has 1,234 seats" gives `1,234` and `1,200 seats`. None if there is no such figure, or if it cannot be
    rounded.
    """
    figures: list[str] = word_pattern("figure").findall(sentence)
    years = re.findall(r"\b(?:1\d|20)\d\d\b(?!,)", sentence)
    numbers_but_years = len(re.findall(r"\d[\d,.]*", sentence)) - len(years)
    # With a second number beside it, a reader could not tell which of the two was rounded.
    if len(figures) != 1 or numbers_but_years != 1:
        return None
    figure = figures[0].rstrip(",.")
    if "." in figure or not may_be_cut(facts, figure) or _THRESHOLD.search(sentence):
        return None
    is_rough = re.search(
        rf"(?:about|around|nearly|over|some|roughly|approximately|than|[$£€]) ?{re.escape(figure)}", sentence
    )
    # The wording repeats the noun that the figure counts, so there must be a plural.
    after = sentence[sentence.index(figure) + len(figure) :]
    counted = re.match(r" ((?:[a-z]+ )?(?:[a-z]{3,}s|people|men|women|children))\b", after)
    value = int(figure.replace(",", ""))
    round_value = rounded(value)
    if is_rough or counted is None or value < _LEAST_FIGURE or round_value == value:
        return None
    return {"figure": figure, "round_figure": f"{round_value:,} {counted[1]}"}


def _moved_date(filling: Filling, sentence: str) -> dict[str, str] | None:
    """A value for the gap `other_date`: a date some days from the only full date of a sentence; None if it has none."""
    month = word_pattern("month").pattern
    # "May 4, 1818" (group 1 is the day), or "4 May 1818" (group 2).
    month_first = rf"{month} (\d{{1,2}}),? (?:1\d|20)\d\d"
    day_first = rf"(\d{{1,2}}) {month} (?:1\d|20)\d\d"
    match = compiled(rf"\b(?:{month_first}|{day_first})\b").search(sentence)
    years = re.findall(r"\b(?:1\d|20)\d\d\b", sentence)
    # A second date would have a year of its own.
    if match is None or len(years) != 1:
        return None
    date: str = match[0]
    is_end_of_range = re.search(rf"[–-] ?{re.escape(date)}", sentence)
    if is_end_of_range or not may_be_cut(filling.facts, date):
        return None
    day = match[1] or match[2]
    # Later in the first part of the month and earlier in the rest, so that the other day exists in every month.
    days_later = filling.rng.choice((3, 4, 6)) if int(day) < 20 else -filling.rng.choice((3, 5, 8))
    other_date = re.sub(rf"\b{day}\b", str(int(day) + days_later), date, count=1)
    # A date that the passages mention has a meaning of its own.
    return None if has_word(filling.facts.text, other_date) else {"other_date": other_date}


# The end of the text before an answer that another noun phrase may replace.
_CLEAN_LEFT = re.compile(
    r"\b(?:in|on|at|by|of|from|to|for|with|between|until|since|as|named|called|is|was|are|were|be|cost|costs|paid|earned)"
    r"(?: the)? $",
    re.IGNORECASE,
)
# The beginning of the text after such an answer. Before other words, the answer may be part of a longer phrase.
_CLEAN_RIGHT = re.compile(
    r"(?:[.,;)]|$|\s+(?:and|or|in|on|to|for|is|was|by|at|from|with|as|who|which|that|when|of|during)\b)"
)


def _substitute(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Replace the only mention of the answer by a vague wording."""
    facts, text = filling.facts, filling.fill(rule.say)
    spans = [mention_spans(facts, passage.text) for passage in facts.passages]
    # With two mentions, the other one would still give the answer.
    if text is None or sum(map(len, spans)) != 1 or facts.kind in ("text", "number"):
        return
    passage_text = facts.passages[facts.home].text
    start, end = spans[facts.home][0]
    # Quotation marks or brackets directly around the answer go with it.
    before, after = passage_text[:start], passage_text[end:]
    if (before[-1:], after[:1]) in (('"', '"'), ("“", "”"), ("(", ")")):
        before, after = before[:-1], after[1:]
    if _CLEAN_LEFT.search(before) and _CLEAN_RIGHT.match(after):
        yield from _without_answer(facts, facts.with_text(facts.home, before + text + after))


def _without_answer(facts: InstanceFacts, passages: tuple[Passage, ...]) -> Iterator[Draft]:
    """Yield a draft in which titles with the answer are empty, unless something still gives the answer away."""
    without_titles = []
    for passage in passages:
        names_answer = any(has_word(passage.title, alias) for alias in facts.answers)
        without_titles.append(replace(passage, title="") if names_answer else passage)
    if answer_gone(facts, tuple(without_titles)) is None:
        yield Draft(facts.query, tuple(without_titles))


def _delete(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Cut a part of a passage. The rule's `what` names the part."""
    for cut in CUTTERS[rule.what or ""](filling.facts):
        # A cut leaves a blank before the mark that follows it.
        text = re.sub(r" +([,.;])", r"\1", cut.remaining)
        passages = filling.facts.with_text(cut.passage, text)
        if rule.what in TAKES_ANSWER:
            yield from _without_answer(filling.facts, passages)
        else:
            yield Draft(filling.facts.query, passages)


def _exchange(_: Rule, filling: Filling) -> Iterator[Draft]:
    """Exchange the passages for passages of another instance."""
    passages = unrelated_passages(filling)
    if passages is not None:
        yield Draft(filling.facts.query, passages)


def _join(rule: Rule, filling: Filling) -> Iterator[Draft]:
    """Add a passage on a thing of the same kind, and ask about the two by their common noun."""
    subject = filling.facts.subject
    if subject is None or not subject.kind or not filling.facts.one_answer:
        return
    for joined in joined_passages(filling, subject):
        filling.local["noun"] = joined.noun
        passages = filling.facts.with_text(filling.facts.home, joined.text)
        yield from _renamed(rule, filling, passages)


# Characters that may stand between the end of an answer, which may be the bare number, and the end of its unit.
_LONGEST_UNIT = 15


def _convert(_: Rule, filling: Filling) -> Iterator[Draft]:
    """Add the value in another unit to the measure that answers the question."""
    facts = filling.facts
    for index, passage in enumerate(facts.passages):
        mention_ends = [mention.end for mention in facts.mentions if mention.passage == index]
        for end, converted in measures_in(passage.text):
            # Other measures are not what the question asks for.
            if any(0 <= end - mention_end <= _LONGEST_UNIT for mention_end in mention_ends):
                text = f"{passage.text[:end]} ({converted}){passage.text[end:]}"
                yield Draft(facts.query, facts.with_text(index, text))


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
"""Name of an operator -> its function. `catalogue.levers.OPERATORS` describes them for authors of rules."""
