"""What each lever must leave behind in the finished text, for the levers that leave something to see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

from perturb.rules.checks.checked_item import CheckedItem
from perturb.rules.checks.cues import any_of
from perturb.rules.checks.lever_wordings import CONTEXT_WORDINGS, QUESTION_WORDINGS
from perturb.rules.checks.readings import holds_alias
from perturb.rules.checks.texts import STOP_WORDS, content_stems, coverage, normal, words
from perturb.rules.checks.values import MONTHS, numbers_in, years_in

LeverTest = Callable[[CheckedItem], bool]


def _asks(wordings: str) -> LeverTest:
    """The question has one of these wordings that the original question lacks."""
    pattern = any_of(wordings)

    def test(item: CheckedItem) -> bool:
        return bool(_found(pattern, item.candidate.query) - _found(pattern, item.original.query))

    return test


def _says(wordings: str) -> LeverTest:
    """The question has one of these wordings, new or not."""
    pattern = any_of(wordings)
    return lambda item: bool(pattern.search(item.candidate.query))


def _adds(wordings: str) -> LeverTest:
    """Some added or changed sentence has one of these wordings."""
    pattern = any_of(wordings)
    return lambda item: any(pattern.search(s) for s in item.added)


def _found(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(match.group().lower() for match in pattern.finditer(text))


def _both(*tests: LeverTest) -> LeverTest:
    return lambda item: all(test(item) for test in tests)


def _one_of(*tests: LeverTest) -> LeverTest:
    return lambda item: any(test(item) for test in tests)


def _only_cut(item: CheckedItem) -> bool:
    """The context lost words and gained next to none."""
    return sum(item.new_words.values()) <= 2 and len(item.text) < len(item.reading.text)


def _lost(item: CheckedItem) -> str:
    """The original's sentences that were cut or changed, as one text."""
    return " ".join(item.removed)


def _trimmed_date(item: CheckedItem) -> bool:
    """A month is gone and every year of the original still stands."""
    gone = [
        m
        for m in MONTHS
        if m in item.reading.words and words(item.text).count(m) < item.reading.words.count(m)
    ]
    return bool(gone) and years_in(item.reading.text) <= years_in(item.text)


def _sentence_dropped(item: CheckedItem) -> bool:
    """Whole sentences of the original are gone, and no sentence was added or changed."""
    return bool(item.removed) and not item.added


def _parenthesis_gone(item: CheckedItem) -> bool:
    before, after = (len(re.findall("[(–—]", text)) for text in (item.reading.text, item.text))
    return after < before and _only_cut(item)


def _opening_cut(item: CheckedItem) -> bool:
    """A changed sentence is the tail of an original one that opened with a clause and a comma."""
    tails = [normal(old.split(",", 1)[1]) for old in item.removed if "," in old]
    tails += [normal(part) for old in item.removed for part in old.split(",")[2:]]
    return any(any(normal(new)[-25:] == tail[-25:] for tail in tails) for new in item.added) and _only_cut(
        item
    )


def _number_cut(item: CheckedItem) -> bool:
    return bool(numbers_in(_lost(item)) - numbers_in(" ".join(item.added))) and _only_cut(item)


def _colour_cut(item: CheckedItem) -> bool:
    colours = re.compile(
        r"\b(?:red|blue|green|yellow|white|black|brown|grey|gray|orange|purple|pink|golden|gold|silver|scarlet|crimson|violet"
        r"|dark|pale|bright)\b", re.I)  # fmt: skip
    return len(colours.findall(item.text)) < len(colours.findall(item.reading.text)) and _only_cut(item)


def _answer_sentence_gone(item: CheckedItem) -> bool:
    return any(holds_alias(item.reading, old) for old in item.removed)


def _replaced_passage(item: CheckedItem) -> bool:
    """The passages that were changed, of several the signal ones, have little left and speak of something else."""
    pairs = zip(item.original.passages, item.candidate.passages, strict=False)
    changed = [(old.text, new.text) for old, new in pairs if old.text != new.text]
    before = content_stems(" ".join(old for old, _ in changed))
    after = content_stems(" ".join(new for _, new in changed))
    return bool(changed) and coverage(after, before) < 0.4 and len(item.reading.query_stems & after) <= 2


def _rounded(item: CheckedItem) -> bool:
    """A fresh number lies close to one of the original's, and differs from it."""
    known = numbers_in(item.reading.text)
    fresh = {n for s in item.added for n in numbers_in(s)} - known
    return any(0 < abs(n - a) <= 0.15 * abs(a) for n in fresh for a in known)


def _magnitude_apart(item: CheckedItem) -> bool:
    accepted = {n for answer in item.reading.all_aliases for n in numbers_in(answer)}
    fresh = {n for s in item.added for n in numbers_in(s)} - accepted
    return any(n > 0 and a > 0 and max(n / a, a / n) >= 8 for n in fresh for a in accepted)


def _other_date(item: CheckedItem) -> bool:
    fresh = {y for s in item.added for y in years_in(s)}
    dated = {w for s in item.added for w in words(s)}
    return bool(fresh - years_in(" ".join(item.reading.support))) or bool(dated & set(MONTHS))


_TWO_SIDES = re.compile(
    r"\b(?:another|other|others|second|elsewhere|but|while|whereas|also|again|next|according|beside|calls?|one|says?)\b",
    re.I,
)


def _side_fact_clash(item: CheckedItem) -> bool:
    """Added words set two versions side by side: they say so, or say twice what the passage had once or not at all."""
    originals = [content_stems(s) for s in item.reading.sentences]
    known = STOP_WORDS.union(item.reading.words)
    told = Counter(word for s in item.added for word in words(s) if word not in known)
    twice = sum(times > 1 for times in told.values()) >= 2
    return twice or any(
        _TWO_SIDES.search(s) or any(len(old & content_stems(s)) >= 3 for old in originals) for s in item.added
    )


def _year_asked(item: CheckedItem) -> bool:
    return bool(years_in(item.candidate.query) - years_in(item.original.query) - years_in(item.reading.text))


_ANY_REDACTION = re.compile(r"\[[^\]]*\]|[█▒]|_{3,}|\b(?:redacted|withheld|removed|unnamed)\b", re.I)
_IF = "if; had; suppose; supposing; imagine; assuming; would; were"


def _redacted(item: CheckedItem) -> bool:
    """Something is blacked out, and no sentence was swallowed with it."""
    whole = len(item.sentences) >= len(item.reading.sentences)
    return whole and any(_ANY_REDACTION.search(s) for s in item.added)


_NAME = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)*"
_PHRASE_AFTER_TWO = re.compile(
    rf"{_NAME} (?:\w+ ){{1,6}}?{_NAME}(?: \w+){{0,3}}? (?:with|in|as|from|by|for|on|at|near) (?:the|an?|his|her|their) "
)
"""Two names with a few words between them, and after the second one a phrase that may belong to either."""


def _phrase_after_two(item: CheckedItem) -> bool:
    """Some added sentence names the answer and another one, with a phrase after both."""
    return any(holds_alias(item.reading, s) and _PHRASE_AFTER_TWO.search(s) for s in item.added)


def _next_to_nothing_new(item: CheckedItem) -> bool:
    return sum(item.new_words.values()) <= 4


_STRUCTURES: Mapping[str, LeverTest] = {
    "PP-Attachment Ambiguity": _phrase_after_two,
    "Resolvable Appositive Ambiguity": lambda item: item.context_changed and item.query_changed,
    "Minor Numeric Rounding": _rounded,
    "Approx vs Exact": _rounded,
    "Peripheral Attribute Clash": _side_fact_clash,
    "Order-of-Magnitude Numeric Clash": _magnitude_apart,
    "Dual-authoritative Dates": _other_date,
    "Delete Color Adjective": _colour_cut,
    "Remove City Phrase": _only_cut,
    "Drop Example Sentence": _sentence_dropped,
    "Strip Non-queried Statistic": _number_cut,
    "Trim Month but Keep Year": _trimmed_date,
    "Parenthetical Excise": _parenthesis_gone,
    "Intro Clause Removal": _opening_cut,
    "Redundant Synonym Skipped": _only_cut,
    "Missing Temporal Adjunct": _both(_only_cut, _answer_sentence_gone),
    "Answer Clause Excised": _both(_only_cut, _answer_sentence_gone),
    "Price Redacted": _one_of(
        _adds(
            "undisclosed; unspecified; certain; secret; unnamed; "
            "(?:not|never) (?:been )?(?:disclosed|revealed|stated|made)"
        ),
        _redacted,
    ),
    "Placeholder Entity Substitution": _answer_sentence_gone,
    "Answer Token Purge": _answer_sentence_gone,
    "Agent Deletion": _both(_answer_sentence_gone, _next_to_nothing_new),
    "Zero-Row Table": lambda item: "|" in item.text,
    "All Names Redacted": _redacted,
    "Entirely Irrelevant Context": _replaced_passage,
    "Over-specific Year": _year_asked,
    "Mis-dated Discovery": _year_asked,
    "Explicit Total Line": _both(
        _adds(
            "totals?; totall\\w+; in all; altogether; sum\\w*; combined; overall; add\\w* up; together; makes?; making"
            "; all told"
        ),
        _adds("\\d[\\d,.]*; one; two; three; four; five; six; seven; eight; nine; ten"),
    ),
    "Exact Degree Value": _one_of(
        _asks("exact\\w*; precis\\w+; specific\\w*; day; to the \\w+"),
        _adds("exact\\w*; precis\\w+; specific\\w*"),
    ),
    "Global Average from Street Data": _both(
        _asks("averag\\w+; mean; typical\\w*; norm"),
        _says(
            "glob\\w+; world\\w*; planet\\w*; earth\\w*; international\\w*; every country; all countries; "
            "all continents; all nations"
        ),
    ),
    "Counterfactual Necessity": _both(
        _asks(_IF),
        _asks(
            "could not possibly; failed to; of necessity; "
            "must; necessar\\w+; inevitabl[ey]; bound; have to; had to; certain\\w*; unavoidabl[ey]; need\\w*; "
            "could not but; no choice; follow\\w*; destined; guarante\\w+"
        ),
    ),
}
"""Levers whose trace is more than a wording."""

LEVER_TESTS: Mapping[str, LeverTest] = MappingProxyType(
    {lever: _asks(wordings) for lever, wordings in QUESTION_WORDINGS.items()}
    | {lever: _adds(wordings) for lever, wordings in CONTEXT_WORDINGS.items()}
    | dict(_STRUCTURES)
)
"""Lever name -> a test of the finished item; a lever that is absent has no test."""
