"""Reads a reply without a judge: its `### FINAL DECISION` block, its refusal code and its confidence.

The form is read tolerantly: Markdown, percent signs, decimal commas, a repeated block. The content is read strictly: a
number is never guessed. A confidence of `high`, a range, or 85 without a percent sign make a block unreadable.

The end of the module combines the votes of several judges.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from perturb.llm.replies import ReplyError, after_thinking, ends_in_thinking
from perturb.metrics.outcomes import LEVELS
from perturb.records import ANSWER_CORRECTLY, REFUSE_OTHER, Facts, JsonObject, Judgement, JudgementStatus
from perturb.snapshots.harness import DECORATION, STATED_CONFIDENCE

# The line that opens a block, such as `### FINAL DECISION` or `**FINAL DECISION**`; what follows `###` may stay on it.
_HEADER = re.compile(
    r"^[ \t>*_`]*(?:\#{1,6}[ \t*_`]*FINAL[ \t]+DECISION\b[ \t*_`:]*|FINAL[ \t]+DECISION[ \t*_`:]*$)",
    re.IGNORECASE | re.MULTILINE,
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
    r"(?P<number>\d+(?:[.,]\d*)?|[.,]\d+)\s*(?P<percent>%|per\s?cent\b|/\s*100\b)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile(r"[a-z]+", re.IGNORECASE)
# Characters that may stand around an answer or a confidence.
_AROUND = " \t\r,;|*_`"


@dataclass(frozen=True, slots=True)
class DecisionEntry:
    """One answer of a block, with its confidence."""

    answer: str
    """Empty if only a confidence was asked for."""
    confidence: float | None
    """In [0, 1]; None if only answers were asked for."""


def read_block(text: str, *, answers: bool = True, confidence: bool = True) -> tuple[DecisionEntry, ...]:
    """The entries of the last block of a reply, with what was asked for: answers, confidence, or both in pairs.

    Raises `ReplyError` if there is no block, if the last one lacks something, or if an earlier complete one differs.

    >>> read_block("Well.\\n### FINAL DECISION\\n**Answer:** Ada\\n**Confidence:** 85 %")
    (DecisionEntry(answer='Ada', confidence=0.85),)
    """
    reply = after_thinking(text)
    headers = list(_HEADER.finditer(reply))
    if not headers:
        raise ReplyError("an empty reply" if not reply else "no block that begins with '### FINAL DECISION'")
    *earlier_blocks, final_block = _after_each(headers, reply)
    entries = tuple(_entries(final_block, answers, confidence))
    for block in earlier_blocks:
        try:
            earlier = tuple(_entries(block, answers, confidence))
        except ReplyError:
            continue  # not a block of its own: the model repeats the form it was asked for
        if earlier != entries:
            raise ReplyError("blocks that differ: end with exactly one")
    return entries


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
    normal = unicodedata.normalize("NFKC", text).strip(_AROUND + "\"'~≈")
    # `<0.9` is a bound; `<0.9>` only stands in brackets
    if re.match(r"[<>≤≥](?!.*>\s*$)", normal):
        raise ReplyError(f"a confidence of '{_short(normal)}', which is a bound and not a number")
    core = normal.strip(_AROUND + "[]()<>\"'~≈")
    level = LEVELS.get("_".join(_WORDS.findall(core)).upper())
    if level is not None and not re.search(r"\d", core):
        return level
    match = _NUMBER.match(core)
    if match is None:
        raise ReplyError(
            f"a confidence of '{_short(core)}', which is not a number" if core else "an empty confidence"
        )
    if re.search(r"\d", match["rest"]):
        raise ReplyError(f"a confidence of '{_short(core)}', which is more than one number")
    if not match["percent"] and re.search(r"[^\W\d_]", match["rest"]):
        raise ReplyError(f"a confidence of '{_short(core)}', with words after the number")
    if re.fullmatch(r"[1-9]\d*[.,]\d{3}", match["number"]) and not match["percent"]:
        raise ReplyError(f"a confidence of '{_short(core)}', which may be thousands")
    value = float(match["number"].replace(",", "."))
    value = value / 100 if match["percent"] else value
    if value > 1:
        raise ReplyError(f"a confidence of '{_short(core)}', which lies outside 0 to 1")
    return value


def _entries(block: str, answers: bool, confidence: bool) -> Iterator[DecisionEntry]:
    """The entries of a block; the flags as in `read_block`."""
    if not answers:
        yield DecisionEntry("", _only_confidence(block))
        return
    labels = list(_ANSWER.finditer(block))
    if not labels:
        raise ReplyError("a block without 'Answer:'")
    texts = _after_each(labels, block)
    if confidence and len(texts) == 1:
        # A single pair may come in either order.
        yield DecisionEntry(_answer(texts[0]), _only_confidence(block))
        return
    for text in texts:
        yield DecisionEntry(_answer(text), _only_confidence(text) if confidence else None)


def _answer(text: str) -> str:
    """The first line of the text after the label, up to the confidence."""
    match = _CONFIDENCE.search(text)
    before = text[: match.start()] if match else text
    lines = [line.strip(_AROUND).rstrip("(–—-").strip(_AROUND) for line in before.splitlines()]
    answer = next((line for line in lines if line), "")
    if not answer:
        raise ReplyError("a block with an empty answer")
    return answer


def _only_confidence(text: str) -> float:
    """The single confidence in a text. Raises `ReplyError` if there are several, or if it cannot be read."""
    levels = _CONFIDENCE.findall(text)
    if not levels:
        raise ReplyError("a block without 'Confidence:' for each answer")
    if len(levels) > 1:
        raise ReplyError("a block with more confidences than answers")
    return read_probability(levels[0])


def _short(text: str) -> str:
    return " ".join(text.split())[:40]


# The classification of an answer attempt, right or wrong; that of a refusal is its canonical code.
ANSWER = "ANSWER"

# The five levels a model may state, from the highest down (spec, section 7: midpoints .95, .80, .60, .40, .15).
CONFIDENCE_LEVELS: tuple[str, ...] = (
    "VERY_CONFIDENT",
    "CONFIDENT",
    "SOMEWHAT_CONFIDENT",
    "UNCERTAIN",
    "VERY_UNCERTAIN",
)

# The line of a reply that states a confidence: `Confidence: VERY_CONFIDENT`.
_CONFIDENCE_LINE = re.compile(STATED_CONFIDENCE, re.IGNORECASE | re.MULTILINE)
# A word in capitals with underscores, such as `**REFUSE_AMBIGUOUS**`, whether or not it is a code.
_CODE = re.compile(rf"{DECORATION}([A-Z]+(?:_[A-Z]+)+){DECORATION}", re.IGNORECASE)
# Characters; a longer reply is more than a code and a line of confidence.
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
    code = codes.get(match[1].upper()) if match else None
    return None if code == ANSWER_CORRECTLY else code


def read_confidence(text: str) -> str | None:
    """The level of confidence that a reply states at the end of a line, the last if there are several; None if none.

    >>> read_confidence("It is Ada. CONFIDENCE: very confident"), read_confidence("I lack confidence.")
    ('VERY_CONFIDENT', None)
    """
    lines = _CONFIDENCE_LINE.findall(after_thinking(text))
    level = "_".join(re.findall("[A-Z]+", lines[-1].upper())) if lines else None
    return level if level in CONFIDENCE_LEVELS else None


def refusal_codes(codes: Mapping[str, str]) -> tuple[str, ...]:
    """The canonical codes of a refusal: one for each class, and `REFUSE_OTHER` at the end."""
    class_codes = dict.fromkeys(
        code for code in codes.values() if code not in (ANSWER_CORRECTLY, REFUSE_OTHER)
    )
    return (*class_codes, REFUSE_OTHER)


# How many of several judges must agree: more than half of them, or all.
JudgeRule = Literal["majority", "unanimity"]
# The author of a judgement that several judges made together.
PANEL = "panel"
# How the reason begins where they could not make one.
DISAGREE = "the judges disagree"
# The lowest quality that counts as correct.
GOOD_QUALITY = 4


def votes_needed(rule: JudgeRule, judges: int) -> int:
    """How many of the judges must say the same: more than half of them, or all.

    >>> votes_needed("majority", 3), votes_needed("majority", 4), votes_needed("unanimity", 3)
    (2, 3, 3)
    """
    return judges if rule == "unanimity" else judges // 2 + 1


def panel_value(votes: Sequence[Judgement], rule: JudgeRule) -> JsonObject | None:
    """The value of each part of the judgement that enough judges agree on; None if too few agree on some part.

    A vote that could not be read agrees with no other, and still counts as a judge. On a quality from 1 to 5, judges
    agree if they agree whether it is correct (4 and 5); the value is then the median of theirs, the lower one of two.
    """
    values = [vote.value for vote in votes if vote.status is JudgementStatus.READ]
    needed = votes_needed(rule, len(votes))
    if len(values) < needed:
        return None
    if "quality" in values[0]:
        qualities = sorted(int(value["quality"]) for value in values)
        for is_good in (True, False):
            agreeing = [quality for quality in qualities if (quality >= GOOD_QUALITY) == is_good]
            if len(agreeing) >= needed:
                return {"quality": agreeing[(len(agreeing) - 1) // 2]}
        return None
    agreed = {}
    for part in values[0]:
        commonest, n_votes = Counter(value[part] for value in values).most_common(1)[0]
        if n_votes < needed:
            return None
        agreed[part] = commonest
    return agreed


def describe_votes(votes: Sequence[Judgement]) -> str:
    """The vote of each judge, in one line."""
    return "; ".join(f"{vote.judge}: {vote_words(vote.value) or 'not readable'}" for vote in votes)


def vote_words(value: Facts) -> str:
    """A vote, with one word for each of its parts.

    >>> vote_words({"grade": "CORRECT", "answer": "Ada"}), vote_words({"eligible": True, "factual_all": False})
    ('CORRECT', 'eligible True, factual_all False')
    """
    shown_values = {part: word for part, word in value.items() if part not in ("answer", "reason")}
    words = [str(word) if len(shown_values) == 1 else f"{part} {word}" for part, word in shown_values.items()]
    return ", ".join(words)
