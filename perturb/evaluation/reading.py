"""Reads replies without a judge, and combines the votes of several judges.

- `read_block` reads replies to questions. They end in a block `### FINAL DECISION` with an answer, a confidence from 0
  to 1, or both.
- `read_code` and `read_confidence` read replies to items of RefusalBench. Such a reply may be a refusal code, and may
  state one of five levels of confidence in a line of its own.
- `panel_value` makes one judgement of the votes of several judges.

The form is read tolerantly: Markdown, percent signs, decimal commas, a repeated block. The content is read strictly: a
number is never guessed. A confidence of `high`, a range, or 85 without a percent sign make a block unreadable.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Literal, TypeVar

from perturb.llm.replies import ReplyError, after_thinking, ends_in_thinking
from perturb.metrics.outcomes import CORRECT_FROM, LEVELS
from perturb.records import ANSWER_CORRECTLY, REFUSE_OTHER, Facts, JsonObject, Judgement, JudgementStatus
from perturb.snapshots.harness import DECORATION, STATED_CONFIDENCE

# The line that opens a block, such as `### FINAL DECISION` or `**FINAL DECISION**`; what follows `###` may stay on it.
_HEADER = re.compile(
    r"""
    ^ [ \t>*_`]*
    (?:
        \#{1,6} [ \t*_`]* FINAL [ \t]+ DECISION \b [ \t*_`:]*    # a heading
      | FINAL [ \t]+ DECISION [ \t*_`:]* $                       # the two words alone on a line
    )
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# The label of an answer at the start of a line, as in `**Answer:** Ada`, `1. Answer: Ada` or `- Answer 2 = Ada`.
_ANSWER = re.compile(
    r"""
    ^ [ \t>*_`•-]*
    (?: \(? \d+ [.):] [ \t*_`]* )?                 # the number of an entry
    Answer (?: [ \t]+ \d+ )? [*_`]* [ \t]* [:=] [ \t]*
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# The label of a confidence with the rest of its line, as in `Confidence: 85 %` or `Ada (Probability score = 0.7)`.
_CONFIDENCE = re.compile(
    r"""
    (?: ^ | (?<= [\s,;|(–—-] ) )
    [*_`]* (?:Confidence|Probability) (?: [ \t]+ score )? [*_`]* [ \t]* [:=] [ \t]*
    ([^\n]*)
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# A number at the start of a text, as in `0.85`, `,7`, `85 % (fairly sure)` or `85/100`.
_NUMBER = re.compile(
    r"""
    (?P<number> \d+ (?: [.,] \d* )? | [.,] \d+ ) \s*
    (?P<percent> % | per \s? cent \b | / \s* 100 \b )?
    (?P<rest> .* )
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_WORDS = re.compile(r"[a-z]+", re.IGNORECASE)
# Characters that may stand around an answer, and further ones that may stand around a confidence.
_AROUND = " \t\r,;|*_`"
_QUOTES = "\"'~≈"
_BRACKETS = "[]()<>"

# What is read from a block.
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DecisionEntry:
    """One answer of a block, with its confidence."""

    answer: str
    confidence: float
    """In [0, 1]."""


def read_block(text: str, read: Callable[[str], T]) -> T:
    """The content of the last block of a reply.

    `read` reads a block with what was asked for: `answers_with_confidence`, `answers_alone` or `confidence_alone`.
    Raises `ReplyError` if there is no block, if the last one lacks something, or if an earlier complete one differs.

    >>> read_block("Well.\\n### FINAL DECISION\\n**Answer:** Ada\\n**Confidence:** 85 %", answers_with_confidence)
    (DecisionEntry(answer='Ada', confidence=0.85),)
    """
    reply = after_thinking(text)
    headers = list(_HEADER.finditer(reply))
    if not headers:
        raise ReplyError("an empty reply" if not reply else "no block that begins with '### FINAL DECISION'")
    *earlier_blocks, final_block = _after_each(headers, reply)
    decision = read(final_block)
    for block in earlier_blocks:
        try:
            earlier_decision = read(block)
        except ReplyError:
            continue  # not a decision: the model repeats the form that it was asked for
        if earlier_decision != decision:
            raise ReplyError("blocks that differ: end with exactly one")
    return decision


def answers_with_confidence(block: str) -> tuple[DecisionEntry, ...]:
    """The answers in a block, each with its confidence. Raises `ReplyError`."""
    texts = _answer_texts(block)
    if len(texts) == 1:
        # The confidence of a single answer may come before it, so the whole block is searched.
        return (DecisionEntry(_answer(texts[0]), confidence_alone(block)),)
    return tuple(DecisionEntry(_answer(text), confidence_alone(text)) for text in texts)


def answers_alone(block: str) -> tuple[str, ...]:
    """The answers in a block. Raises `ReplyError`."""
    return tuple(map(_answer, _answer_texts(block)))


def confidence_alone(text: str) -> float:
    """The single confidence in a text. Raises `ReplyError` if there are several, or if it cannot be read."""
    confidences = _CONFIDENCE.findall(text)
    if not confidences:
        raise ReplyError("a block without 'Confidence:' for each answer")
    if len(confidences) > 1:
        raise ReplyError("a block with more confidences than answers")
    return read_probability(confidences[0])


def _answer_texts(block: str) -> list[str]:
    """The texts after the labels of answers, at least one."""
    labels = list(_ANSWER.finditer(block))
    if not labels:
        raise ReplyError("a block without 'Answer:'")
    return _after_each(labels, block)


def _answer(text: str) -> str:
    """The first line with an answer in the text after a label. A confidence behind the answer is cut off."""
    confidence = _CONFIDENCE.search(text)
    before = text[: confidence.start()] if confidence else text
    for line in before.splitlines():
        # A bracket or a dash at the end belongs to the confidence, as in `Ada (Confidence: 0.8)`.
        answer = line.strip(_AROUND).rstrip("(–—-").strip(_AROUND)
        if answer:
            return answer
    raise ReplyError("a block with an empty answer")


def _after_each(labels: Sequence[re.Match[str]], text: str) -> list[str]:
    """The text after each of some labels, up to the next label."""
    ends = [label.start() for label in labels[1:]] + [len(text)]
    return [text[label.end() : end] for label, end in zip(labels, ends, strict=True)]


def read_probability(text: str) -> float:
    """The confidence that a text states: 0 to 1, a percentage with its sign, or one of the five levels.

    A level stands for the middle of its range (spec, section 7). Words may follow a percentage and not a bare number:
    in "1 of 10" the first number is not the confidence. Raises `ReplyError` for anything else.

    >>> read_probability("0,85"), read_probability("85% (fairly sure)"), read_probability("Very confident.")
    (0.85, 0.85, 0.95)
    >>> read_probability("high")
    Traceback (most recent call last):
    ...
    perturb.llm.replies.ReplyError: a confidence of 'high', which is not a number
    """
    # NFKC turns full-width digits and signs into ASCII ones.
    normal = unicodedata.normalize("NFKC", text).strip(_AROUND + _QUOTES)
    # `<0.9` is a bound. `<0.9>` is not: the signs are brackets if the text also ends with one.
    if re.match(r"[<>≤≥](?!.*>\s*$)", normal):
        raise ReplyError(f"a confidence of '{_short(normal)}', which is a bound and not a number")
    core = normal.strip(_AROUND + _BRACKETS + _QUOTES)
    if not core:
        raise ReplyError("an empty confidence")
    has_digit = re.search(r"\d", core)
    level = LEVELS.get("_".join(_WORDS.findall(core)).upper())
    if level is not None and not has_digit:
        return level
    return _read_number(core)


def _read_number(text: str) -> float:
    """The probability that a text begins with, as a number or a percentage."""
    confidence = f"a confidence of '{_short(text)}'"
    match = _NUMBER.match(text)
    if match is None:
        raise ReplyError(f"{confidence}, which is not a number")
    number, is_percentage, rest = match["number"], match["percent"] is not None, match["rest"]
    if re.search(r"\d", rest):
        raise ReplyError(f"{confidence}, which is more than one number")
    has_letter = re.search(r"[^\W\d_]", rest)
    if has_letter and not is_percentage:
        raise ReplyError(f"{confidence}, with words after the number")
    # `1,000` and `1.000` may be one or a thousand.
    if re.fullmatch(r"[1-9]\d*[.,]\d{3}", number) and not is_percentage:
        raise ReplyError(f"{confidence}, which may be thousands")
    value = float(number.replace(",", "."))
    if is_percentage:
        value /= 100
    if value > 1:
        raise ReplyError(f"{confidence}, which lies outside 0 to 1")
    return value


def _short(text: str) -> str:
    return " ".join(text.split())[:40]


# The classification of an answer attempt, right or wrong; that of a refusal is its canonical code.
ANSWER = "ANSWER"

# The line of a reply that states a confidence: `Confidence: VERY_CONFIDENT`.
_CONFIDENCE_LINE = re.compile(STATED_CONFIDENCE, re.IGNORECASE | re.MULTILINE)
# A word in capitals with underscores, such as `**REFUSE_AMBIGUOUS**`, whether or not it is a code.
_CODE = re.compile(rf"{DECORATION}([A-Z]+(?:_[A-Z]+)+){DECORATION}", re.IGNORECASE)
# The most characters of a reply that can be just a code and a line of confidence.
_LONGEST_CODE = 200


def read_code(text: str, codes: Mapping[str, str]) -> str | None:
    """The canonical refusal code, if the whole reply is a code or a known short form of one; else None.

    `codes` maps every known spelling to its canonical form (`Catalogue.codes`). Thinking before the code, a
    statement of confidence after it, quotes, brackets and Markdown around it do not matter.

    >>> codes = {"REFUSE_AMBIGUOUS": "REFUSE_AMBIGUOUS_QUERY", "ANSWER_CORRECTLY": "ANSWER_CORRECTLY"}
    >>> read_code("**REFUSE_AMBIGUOUS** | CONFIDENCE: [CONFIDENT]", codes)
    'REFUSE_AMBIGUOUS_QUERY'
    >>> read_code("REFUSE_AMBIGUOUS, since two are meant", codes), read_code("ANSWER_CORRECTLY", codes)
    (None, None)
    """
    reply = after_thinking(text)
    if len(reply) > _LONGEST_CODE or ends_in_thinking(text):
        return None
    match = _CODE.fullmatch(_CONFIDENCE_LINE.sub("", reply))
    if match is None:
        return None
    code = codes.get(match[1].upper())
    return None if code == ANSWER_CORRECTLY else code


def read_confidence(text: str) -> str | None:
    """The level of confidence that a reply states at the end of a line, the last if there are several; None if none.

    >>> read_confidence("It is Ada. CONFIDENCE: very confident"), read_confidence("I lack confidence.")
    ('VERY_CONFIDENT', None)
    """
    stated_levels = _CONFIDENCE_LINE.findall(after_thinking(text))
    if not stated_levels:
        return None
    level = "_".join(_WORDS.findall(stated_levels[-1])).upper()
    return level if level in LEVELS else None


def refusal_codes(codes: Mapping[str, str]) -> tuple[str, ...]:
    """The canonical codes of a refusal: one for each class, and `REFUSE_OTHER` at the end."""
    canonical_codes = dict.fromkeys(codes.values())  # without repetitions, in order
    class_codes = [code for code in canonical_codes if code not in (ANSWER_CORRECTLY, REFUSE_OTHER)]
    return (*class_codes, REFUSE_OTHER)


# How many of several judges must agree: more than half of them, or all.
JudgeRule = Literal["majority", "unanimity"]
# The author of a judgement that several judges made together.
PANEL = "panel"
# The start of the reason if too few of them agree.
DISAGREE = "the judges disagree"


def is_disagreement(unscored: str) -> bool:
    """Whether a row is unscored because the judges disagree; its reason is `STAGE: the judges disagree: …`."""
    return f": {DISAGREE}" in unscored


def votes_needed(rule: JudgeRule, judges: int) -> int:
    """How many of the judges must say the same: more than half of them, or all.

    >>> votes_needed("majority", 3), votes_needed("majority", 4), votes_needed("unanimity", 3)
    (2, 3, 3)
    """
    return judges if rule == "unanimity" else judges // 2 + 1


def panel_value(votes: Sequence[Judgement], rule: JudgeRule) -> JsonObject | None:
    """The value of each part of the judgement that enough judges agree on; None if too few agree on some part.

    A vote that could not be read agrees with no other, and still counts as a judge. Grades of quality agree as
    `_agreed_quality` says.
    """
    values = [vote.value for vote in votes if vote.status is JudgementStatus.READ]
    needed = votes_needed(rule, len(votes))
    if len(values) < needed:
        return None
    if "quality" in values[0]:
        quality = _agreed_quality([int(value["quality"]) for value in values], needed)
        return None if quality is None else {"quality": quality}
    agreed = {}
    for part in values[0]:
        commonest, n_votes = Counter(value[part] for value in values).most_common(1)[0]
        if n_votes < needed:
            return None
        agreed[part] = commonest
    return agreed


def _agreed_quality(qualities: Sequence[int], needed: int) -> int | None:
    """The median grade of the judges who agree whether an answer is correct (4 and 5); of two medians, the lower one.

    >>> _agreed_quality([5, 4, 2], needed=2), _agreed_quality([5, 4, 2], needed=3)
    (4, None)
    """
    good = [quality for quality in qualities if quality >= CORRECT_FROM]
    bad = [quality for quality in qualities if quality < CORRECT_FROM]
    for agreeing in (good, bad):
        if len(agreeing) >= needed:
            return median_low(agreeing)
    return None


def describe_votes(votes: Sequence[Judgement]) -> str:
    """The vote of each judge, in one line."""
    return "; ".join(f"{vote.judge}: {vote_words(vote.value) or 'not readable'}" for vote in votes)


def vote_words(value: Facts) -> str:
    """A vote, with one word for each of its parts.

    >>> vote_words({"grade": "CORRECT", "answer": "Ada"}), vote_words({"eligible": True, "factual_all": False})
    ('CORRECT', 'eligible True, factual_all False')
    """
    parts = {part: word for part, word in value.items() if part not in ("answer", "reason")}
    if len(parts) == 1:
        (word,) = parts.values()
        return str(word)
    return ", ".join(f"{part} {word}" for part, word in parts.items())
