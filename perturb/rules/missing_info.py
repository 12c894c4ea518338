"""Rules of P-MissingInfo, MEDIUM and HIGH: the answer leaves the context; LOW is in `missing_details`."""

from __future__ import annotations

import random
import re

from perturb.records import Cell, Intensity, Passage, PerturbationClass
from perturb.rules import missing_info_words as say
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_leakage import leak, substitute_left
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import query_kept
from perturb.rules.missing_clues import ONE_OF_MANY, betrayed_beside
from perturb.rules.missing_cuts import without_answers, without_clauses, without_time
from perturb.rules.missing_details import LOW_RULES
from perturb.rules.missing_replaced import audio, has_fact, table, unrelated
from perturb.rules.redaction import answer_spans, clean_title, redacted, reworded, without_names
from perturb.rules.rule import Draft, Rule
from perturb.rules.words import content_stems

MEDIUM = Cell(PerturbationClass.MISSING_INFO, Intensity.MEDIUM)
HIGH = Cell(PerturbationClass.MISSING_INFO, Intensity.HIGH)

_ASKS_PURPOSE = re.compile(
    r"\b(?:purpose|why|used for|function|mean|meaning)\b",
    re.IGNORECASE,
)
"""Questions whose answer the rest of a passage tends to tell in other words."""

_SOMEBODY = re.compile(r"(?:[A-Z]?[a-z]+\W+){0,3}(?:he|she|him|his|her)\b")
"""An opening in which a pronoun stands before any name."""


def _draft(analysis: Analysis, passages: tuple[Passage, ...] | None, reasoning: str) -> Draft | None:
    return None if passages is None else Draft(analysis.instance.query, passages, reasoning)


def _gone(analysis: Analysis, draft: Draft) -> str | None:
    """The question stands and nothing betrays the answer."""
    for passage in draft.passages:
        word = leak(analysis, f"{passage.title}\n{passage.text}")
        if word is not None:
            return f"{word!r} still betrays the answer"
    return query_kept(analysis, draft)


def _gone_without_substitute(analysis: Analysis, draft: Draft) -> str | None:
    for passage in draft.passages:
        other = substitute_left(analysis, passage.text)
        if other is not None:
            return f"{other!r} could be taken for the answer"
    return _gone(analysis, draft)


# MEDIUM


def _excisable(analysis: Analysis) -> bool:
    return len(analysis.answer_sentences) < len(analysis.sentences) or without_clauses(analysis) is not None


def _pronoun_orphaned(analysis: Analysis, passages: tuple[Passage, ...]) -> bool:
    """Whether a sentence speaks of "his" or "her" right after one that was cut with a name in it."""
    for own in map(analysis.sentences_in, range(len(passages))):
        for place, cut in enumerate(own[:-1]):
            left = passages[cut.passage].text
            named = re.search(r"(?<= )[A-Z][a-z]+", cut.text)
            if cut.text not in left and named and _SOMEBODY.match(own[place + 1].text):
                return True
    return False


def _hinted(analysis: Analysis, left: str) -> bool:
    """Whether a word that the answer shares with the question still stands: "the rib section" for "the primal rib"."""
    shared = content_stems(analysis.answer) & content_stems(analysis.query)
    return bool(shared & content_stems(left))


def _excise(analysis: Analysis, _rng: random.Random) -> Draft | None:
    passages = without_clauses(analysis) or without_answers(analysis)
    if passages is None or _ASKS_PURPOSE.search(analysis.query) or ONE_OF_MANY.search(analysis.query.lower()):
        return None
    left = "\n".join(passage.text for passage in passages)
    if _pronoun_orphaned(analysis, passages) or _hinted(analysis, left):
        return None
    if support(analysis.instance.query, left) < 0.2:
        return None
    return _draft(
        analysis,
        passages,
        "What states the answer is cut, a clause or its sentence; the rest of the topic stays.",
    )


def _placeholder(analysis: Analysis, rng: random.Random) -> Draft | None:
    if betrayed_beside(analysis):
        return None
    phrases = say.PLACEHOLDERS.get(analysis.answer_type, say.THINGS)
    return _draft(
        analysis,
        reworded(analysis, phrases, rng),
        "Every mention of the answer gives way to a description of its kind.",
    )


def _citation(analysis: Analysis, rng: random.Random) -> Draft | None:
    if betrayed_beside(analysis):
        return None
    bare = analysis.answer_type not in (AnswerType.NUMBER, AnswerType.DATE, AnswerType.YEAR)
    n, m = rng.sample(range(3, 48), 2)
    source = rng.choice(say.SOURCES)
    named = f"[see {source}]" if analysis.answer_type is AnswerType.NUMBER else f"[{source} {n}]"
    opens = any(start == 0 for p in analysis.instance.passages for start, _ in answer_spans(analysis, p.text))
    numbered = bare and (opens or rng.random() < 0.7)
    mark = rng.choice(say.NUMBERED).format(n=n, m=m) if numbered else named
    return _draft(
        analysis,
        redacted(analysis, mark),
        "A reference to a source that is not given stands in the place of the answer.",
    )


_ENDS_PHRASE = re.compile(
    r"[.,;:)”\"]|$|\s(?:and|or|but|as|in|on|at|by|for|from|to|of|with|after|before|during|until|when|where|which|who|while|"
    r"because|is|was|are|were|has|had)\b"
)
_WANTS_NOUN = re.compile(r"\b(?:an?|its|his|her|their|new|first|second|third|not|never)\s+$", re.IGNORECASE)

_OPENS = re.compile(r" (?:was|were|went|became|won|had|\w{3,}ed)\b")
"""What a passage may go on with that opens with a mark; "is a" would make a definition of nothing."""


def _few_mentions(analysis: Analysis) -> bool:
    """At most three places to fill; at the very start of a passage only before a deed."""
    spans = [(p, s) for p in analysis.instance.passages for s in answer_spans(analysis, p.text)]
    if len(spans) == 2 and spans[0][0] is spans[1][0]:
        between = spans[0][0].text[spans[0][1][1] : spans[1][1][0]]
        if len(between.split()) < 4 and "." not in between:
            return False
    if re.match(r"(?:he|she|it|they|his|her|its|their|to)\b", analysis.answer.lower()):
        return False
    described = analysis.answer_type is AnswerType.PHRASE and any(
        re.search(r"\b(?:an?|the|its|\w*\d[\w.-]*,) (?:[a-z]\w+(?:-\w+)? ){1,3}$", p.text[: s[0]])
        and p.text[s[0]].islower() | ("-" in p.text[s[0] : s[1]])
        for p, s in spans
    )
    if described:
        return False
    return 0 < len(spans) <= 3 and all(
        (span[0] > 0 or _OPENS.match(p.text[span[1] :]))
        and _ends_phrase(analysis, p.text[span[1] :])
        and not _WANTS_NOUN.search(p.text[: span[0]])
        for p, span in spans
    )


def _ends_phrase(analysis: Analysis, rest: str) -> bool:
    """Whether a phrase ends with the mention before this; a figure may stand before what it counts."""
    counts = analysis.answer_type is AnswerType.NUMBER and re.match(r" [a-z]{3,}", rest) is not None
    acts = analysis.answer_type is AnswerType.PERSON and re.match(
        r" (?:became|also|would|will|\w+ed|\w+ing|won|wrote|sang|plays)\b", rest
    )
    return counts or acts is not None or _ENDS_PHRASE.match(rest) is not None


def _is_timely(analysis: Analysis) -> bool:
    return analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR)


def _adjunct(analysis: Analysis, _rng: random.Random) -> Draft | None:
    passages = []
    for passage in analysis.instance.passages:
        text = passage.text
        for start, end in reversed(answer_spans(analysis, text)):
            edited = without_time(text, start, end)
            if edited is None:
                return None
            text = edited
        passages.append(Passage(text, clean_title(analysis, passage.title), passage.role))
    return _draft(
        analysis, tuple(passages), "The time expression that answers is deleted, the event stays told."
    )


_MONEY = re.compile(r"[$£€₹]\s?\d|\d (?:(?:m|b)illion )?(?:dollars|pounds|euros|rupees)\b")


def _is_price(analysis: Analysis) -> bool:
    """An amount of money, and no other one in the context."""
    return _MONEY.search(analysis.answer) is not None and len(_MONEY.findall(analysis.text)) == len(
        [m for m in analysis.mentions if _MONEY.search(m.text)]
    )


def _price(analysis: Analysis, rng: random.Random) -> Draft | None:
    mark = rng.choice(
        ("[amount not disclosed]", "[sum never disclosed]", "[price not made public]", "[amount kept confidential]",
         "an undisclosed sum", "an amount that was never made public")
    )  # fmt: skip
    return _draft(analysis, redacted(analysis, mark), "The amount of money is withheld.")


# HIGH


def _purge(analysis: Analysis, rng: random.Random) -> Draft | None:
    if betrayed_beside(analysis):
        return None
    phrases = say.PURGED.get(analysis.answer_type, say.PURGED_THINGS)
    return _draft(
        analysis, reworded(analysis, phrases, rng), "Every word of the answer is gone from the passage."
    )


def _purgeable(analysis: Analysis) -> bool:
    """Whether no "by somebody" would come of it, which says nothing."""
    texts = ((p.text, s) for p in analysis.instance.passages for s in answer_spans(analysis, p.text))
    return not any(re.search(r"\bby (?:\w+ ){0,2}$", text[: span[0]]) for text, span in texts)


def _agent(analysis: Analysis, _rng: random.Random) -> Draft | None:
    passages = []
    for passage in analysis.instance.passages:
        text = passage.text
        for start, end in reversed(answer_spans(analysis, text)):
            found = re.search(
                r"\b[a-z]+(?:ed|en|wn|ung|ade|uilt|ound)(?P<agent> by (?:(?:the|a|an|[A-Z]?[\w-]+) ){0,4})$",
                text[:start],
            )
            if found is None or not re.match(
                r"\s*(?:[.,;)]|in\b|on\b|at\b|as\b|for\b|from\b|during\b)", text[end:]
            ):
                return None
            text = text[: found.start("agent")] + text[end:]
        passages.append(Passage(text, clean_title(analysis, passage.title), passage.role))
    return _draft(analysis, tuple(passages), "The one who did it is deleted from the passive sentence.")


def _is_who(analysis: Analysis) -> bool:
    return re.match(r"who\b", analysis.instance.query.lower()) is not None


def _is_named(analysis: Analysis) -> bool:
    """Whether the answer is a name of which the question says no part."""
    if content_stems(analysis.answer) & content_stems(analysis.query):
        return False
    return analysis.answer_type in (AnswerType.PERSON, AnswerType.PLACE) or (
        _is_who(analysis) and analysis.answer[:1].isupper()
    )


def _half_named(text: str, mark: str) -> bool:
    """Whether part of a name stands beside its mark, or a name was spared for looking like a common word."""
    return (
        re.search(rf"(?:\b(?:I|de|van|von|la|del) |&){re.escape(mark)}|\b[A-Z][a-z]+['’]s\b", text)
        is not None
    )


def _names(analysis: Analysis, rng: random.Random) -> Draft | None:
    mark = rng.choice(say.MARKS)
    if any(re.search(r"\w-[A-Z][a-z]{2,}", p.text) for p in analysis.instance.passages):
        return None
    passages = tuple(Passage(without_names(p.text, mark), "", p.role) for p in analysis.instance.passages)
    if all(p.text.count(mark) > 0.3 * len(p.text.split()) for p in passages):
        return None
    if any(_half_named(p.text, mark) for p in passages):
        return None
    return _draft(analysis, passages, "Every proper name in the passage is blacked out.")


def _always(_analysis: Analysis) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    *LOW_RULES,
    Rule("Answer Clause Excised", MEDIUM, "other sentences remain, without a rival to the answer",
         _excisable, _excise, _gone_without_substitute),
    Rule("Placeholder Entity Substitution", MEDIUM, "every mention stands where a description fits",
         _always, _placeholder, _gone),
    Rule("Placeholder Citation", MEDIUM, "at most three mentions, each ending a phrase; no definition opens with one",
         _few_mentions, _citation, _gone),
    Rule("Missing Temporal Adjunct", MEDIUM, "a date that stands as a mere adjunct; no other time in the passage",
         _is_timely, _adjunct, _gone_without_substitute),
    Rule("Price Redacted", MEDIUM, "the answer is an amount of money", _is_price, _price, _gone),
    Rule("Answer Token Purge", HIGH, "every mention stands where a general word fits; nothing of its kind is left",
         _purgeable, _purge, _gone_without_substitute),
    Rule("Agent Deletion", HIGH, "a who-question; each mention follows a passive verb and 'by'",
         _is_who, _agent, _gone_without_substitute),
    Rule("All Names Redacted", HIGH, "the answer is a name", _is_named, _names, _gone),
    Rule("Entirely Irrelevant Context", HIGH, "as many unrelated texts as passages, cut to their length",
         _always, unrelated, _gone),
    Rule("Audio-only Reference", HIGH, "one passage, and a question that parses", has_fact, audio, _gone),
    Rule("Zero-Row Table", HIGH, "one passage, and a question that parses", has_fact, table, _gone),
)  # fmt: skip
