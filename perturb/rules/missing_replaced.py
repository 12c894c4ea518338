"""P-MissingInfo, HIGH: the passage gives way to an unrelated text, a pointer to a recording, or an empty table."""

from __future__ import annotations

import random
import re

from perturb.records import Passage
from perturb.rules import missing_replaced_words as say
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_leakage import leak, substitute_left
from perturb.rules.answer_person import is_clean
from perturb.rules.answers import AnswerType
from perturb.rules.drafts import DANGLING, fill
from perturb.rules.missing_cuts import COUNTS_ON
from perturb.rules.missing_texts import unrelated_texts
from perturb.rules.question_parsing import embedded
from perturb.rules.redaction import clean_title
from perturb.rules.rule import Draft
from perturb.rules.words import content_stems


def _as_long(told: tuple[str, ...], words: int) -> str | None:
    """The opening of a text, up to the sentence that comes nearest to a number of words; None if none is near."""
    cuts = (" ".join(told[: n + 1]) for n in range(len(told)))
    best = min(cuts, key=lambda text: abs(len(text.split()) - words))
    return best if abs(len(best.split()) - words) <= 0.15 * words else None


def unrelated(analysis: Analysis, rng: random.Random) -> Draft | None:
    """Other texts in the place of all passages, each about as long."""
    texts = list(unrelated_texts())
    rng.shuffle(texts)
    texts.sort(key=lambda told: len(told) > _USUAL)
    passages = []
    for passage in analysis.instance.passages:
        words = len(passage.text.split())
        told = next((t for t in texts if _as_long(t, words) and _is_foreign(analysis, " ".join(t))), None)
        if told is None:
            return None
        texts.remove(told)
        passages.append(Passage(_as_long(told, words) or "", "", passage.role))
    reasoning = "The whole context gives way to a text on another subject."
    return Draft(analysis.instance.query, tuple(passages), reasoning)


_USUAL = 8
"""Sentences of a text at most; the few longer ones are for passages that no other text can match in length."""

_MOST_SHARED = 2
"""Content words that an unrelated text may share with the context, such as "year" or "built"."""


def _is_foreign(analysis: Analysis, text: str) -> bool:
    """Whether a text has no word of question or answer, and next to none of the context."""
    instance, stems = analysis.instance, content_stems(text)
    if stems & content_stems(f"{instance.query} {' '.join(instance.answers)}"):
        return False
    return len(stems & content_stems(analysis.text)) <= _MOST_SHARED and leak(analysis, text) is None


def has_fact(analysis: Analysis) -> bool:
    """Whether there is one passage, and a question that can stand inside a sentence."""
    return len(analysis.instance.passages) == 1 and _fact(analysis) is not None


def _fact(analysis: Analysis) -> str | None:
    """The question as part of a sentence: "who wrote Emma", "when the bridge was opened"."""
    if analysis.question is None or not is_clean(analysis) or _QUOTES.search(analysis.query.lower()):
        return None
    return embedded(analysis.query, analysis.question)


_QUOTES = re.compile(r"\b(?:said|says|sayings?|quotes?|phrases?|motto|line|term|word)\b")
"""Questions that hold somebody's words without quotation marks."""


def _in_place_of_all(analysis: Analysis, text: str, reasoning: str) -> Draft:
    """A draft in which a text stands in the place of the only passage."""
    passage = analysis.instance.passages[0]
    told = Passage(text, clean_title(analysis, passage.title), passage.role)
    return Draft(analysis.instance.query, (told,), reasoning)


def audio(analysis: Analysis, rng: random.Random) -> Draft | None:
    """A sentence that leaves the fact to a recording, with the sentences of the passage that tell nothing of it."""
    fact = _fact(analysis)
    if fact is None:
        return None
    asked = rng.random() < 0.6
    on = rng.choice(say.INTERVIEWS if asked else say.TALKS)
    note = fill(
        rng,
        say.AUDIO + say.ASKED if asked else say.AUDIO,
        fact=fact,
        on=on,
        recording=on.split(" ", 1)[1],
        attached=rng.choice(say.ATTACHED),
        speaker=rng.choice(say.GUESTS if asked else say.SPEAKERS),
        says=rng.choice(say.SAYS),
        start=rng.choice(say.STARTS),
    )
    beside = _beside(analysis)[:3]
    if beside and rng.random() < 0.3:
        note += f" [{rng.choice(say.UNWRITTEN)}.]"
    text = " ".join([note, *(beside or [rng.choice(say.CLOSINGS)])])
    return _in_place_of_all(
        analysis, text, "The fact asked for is left to a sound recording that is not transcribed."
    )


def _beside(analysis: Analysis) -> list[str]:
    """Whole sentences on the topic that neither tell the answer nor hold a value that could be taken for it."""
    kept = [
        s
        for s in analysis.sentences
        if not leak(analysis, s.text)
        and s.complete
        and not DANGLING.match(s.text)
        and not s.text.startswith("(")
        and (s.start == 0 or not COUNTS_ON.match(s.text))
    ]
    return [
        s.text
        for s in kept
        if substitute_left(analysis, s.text) is None and support(analysis.instance.query, s.text) > 0
    ]


_ASKED_KINDS = {
    "who": AnswerType.PERSON,
    "when": AnswerType.DATE,
    "where": AnswerType.PLACE,
    "how": AnswerType.NUMBER,
}


def table(analysis: Analysis, rng: random.Random) -> Draft | None:
    """A table that would list the fact: a title and headings, and no row."""
    fact = _fact(analysis)
    if fact is None:
        return None
    kind = _ASKED_KINDS.get(analysis.query.lower().split()[0], analysis.answer_type)
    asked = say.ASKED_COLUMNS.get(kind, say.ENTRY_COLUMNS)
    columns = [rng.choice(names) for names in (say.FIRST_COLUMNS, asked, say.LAST_COLUMNS)]
    short = len(fact.split()) < 6
    head = columns if short else columns[slice(*rng.choice(((0, 2), (1, 3), (0, 3))))]
    title = fill(rng, say.TITLES, fact=fact, list=rng.choice(say.LISTS))
    below = rng.choice(say.NO_ROWS) if short or rng.random() < 0.5 else ""
    lines = [title, " | ".join(head), " | ".join("---" for _ in head), below]
    text = "\n".join(line for line in lines if line)
    return _in_place_of_all(
        analysis, text, "The passage gives way to a table on the topic that has headings and no rows."
    )
