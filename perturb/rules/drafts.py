"""What the rules of several classes share: making drafts, wording in the style of the query, common promises."""

from __future__ import annotations

import random
import re

from perturb.records import Passage
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_leakage import leak, substitute_left
from perturb.rules.answers import AnswerType, person_name
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence, inserted_after
from perturb.rules.topics import is_cased
from perturb.rules.words import capitalise, has_word, is_common, plain, spans_of

LONGEST_SENTENCE = 48
"""Words of the longest sentence that a rule will say twice."""

_CONNECTOR = re.compile(
    r"^(?:However|But|And|Or|Also|Thus|Therefore|Then|This|These|That|Those|Instead|Nevertheless|Although|So|Yet|"
    r"Another|Other|Meanwhile|Finally|Furthermore|Moreover|Additionally|In addition|"
    r"As a result|Similarly|Such|Both|Either|Neither|Each|As such|Here|Later|Afterwards|Fellow|Further|"
    r"The (?:defeat|victory|win|loss|move|decision|change|others?))\b"
)
_PRONOUN_START = re.compile(r"^(?:He|She|It|They|His|Her|Its|Their|The (?:former|latter|same))\b")


DANGLING = re.compile(f"{_CONNECTOR.pattern}|{_PRONOUN_START.pattern}")
"""The opening of a sentence that leans on the one before it."""

_EARLY_PRONOUN = re.compile(
    r"^(?:In|On|At|By|After|Before|During|Since|From|When|While|As|For|With|Despite|Until|Upon|Following|To|\d+)\b"
    r"(?:\W+\w+){0,7}?\W+(?:he|she|it|they|his|her|its|their)\b"
)


def following(analysis: Analysis, sentence: Sentence) -> Sentence | None:
    """The next sentence of the same passage."""
    own = analysis.sentences_in(sentence.passage)
    place = own.index(sentence) + 1
    return own[place] if place < len(own) else None


def leans(text: str) -> bool:
    """Whether a sentence needs the one before it to be understood.

    >>> leans("It was sold."), leans("In 1984 she left."), leans("The town lies in a valley.")
    (True, True, False)
    """
    text = text.lstrip('("“‘')
    return bool(DANGLING.match(text) or _EARLY_PRONOUN.match(text))


def calm_place(analysis: Analysis, sentence: Sentence) -> Sentence | None:
    """The first whole sentence, from the given one on, after which other words part nothing that hangs together."""
    own = analysis.sentences_in(sentence.passage)
    for place in own[own.index(sentence) :]:
        after = following(analysis, place)
        if place.complete and (after is None or not leans(after.text)):
            return place
    return None


def in_style(analysis: Analysis, text: str) -> str:
    """A new question written as the original is: without capital and question mark where that has none."""
    original = analysis.instance.query.strip()
    body = re.sub(r"\s+", " ", text).strip().rstrip("?.! ")
    if original.endswith("?") or is_cased(original) or original[:1].isupper():
        return capitalise(body) + ("?" if original.endswith("?") else "")
    return body


def fill(rng: random.Random, wordings: tuple[str, ...], **values: str) -> str:
    """One of the wordings, its gaps filled, beginning with a capital."""
    text = rng.choice(wordings).format(**values)
    return capitalise(re.sub(r" {2,}", " ", text).strip())


def with_text(analysis: Analysis, passage: int, text: str, reasoning: str) -> Draft:
    """A draft that changes one passage and leaves the question."""
    return Draft(analysis.instance.query, analysis.with_passage(passage, text), reasoning)


def with_addition(analysis: Analysis, sentence: Sentence, addition: str, reasoning: str) -> Draft | None:
    """A draft that adds to a passage, after one of its sentences; None where the next one leans on that."""
    after = following(analysis, sentence)
    if after is not None and leans(after.text):
        return None
    text = analysis.instance.passages[sentence.passage].text
    return with_text(analysis, sentence.passage, inserted_after(text, sentence, addition), reasoning)


def with_replacement(analysis: Analysis, sentence: Sentence, new: str, query: str, reasoning: str) -> Draft:
    """A draft that puts other words in the place of a sentence, with the question given."""
    text = analysis.instance.passages[sentence.passage].text
    changed = text[: sentence.start] + new + text[sentence.end :]
    return Draft(query, analysis.with_passage(sentence.passage, changed), reasoning)


def restated(analysis: Analysis, new: str) -> tuple[Passage, ...] | None:
    """The passages with new words in the place of all that points to the answer; None if little would be left of them.

    Every sentence that holds an answer, part of one, or a value that could be taken for it gives way, and with it
    those that lean on it or speak of somebody whom only it introduced; the new words stand where the first of them
    stood.
    """
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    passages = list(analysis.instance.passages)
    for index, passage in enumerate(passages):
        own = analysis.sentences_in(index)
        home = held[0].passage == index
        cut = _given_way(analysis, own, new if home else "")
        if len(cut) > 1 and len(cut) > 0.8 * len(own) and not (home and len(own) == 2):
            return None
        text = passage.text
        for before, sentence in reversed(list(zip((None, *own), own, strict=False))):
            tail = text[sentence.end :]
            if sentence not in cut:
                kept = _ALSO.sub("", sentence.text, count=1) if before in cut else sentence.text
                text = text[: sentence.start] + kept + tail
                continue
            words = new if home and sentence == held[0] else ""
            text = text[: sentence.start] + words + (tail if words else tail.lstrip())
        passages[index] = passage_of(passage, text.strip())
    return tuple(passages)


_ALSO = re.compile(r"\balso (?=[a-z])")
"""A word that looks back, which the sentence after the lost one does without."""


def _given_way(analysis: Analysis, own: tuple[Sentence, ...], new: str) -> list[Sentence]:
    """The sentences of a passage that cannot stay beside the new words."""
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    known = f"{analysis.query} {new}"
    cut: list[Sentence] = []
    lost = ""
    for place, s in enumerate(own):
        follows = bool(cut) and cut[-1] == own[place - 1]
        leaning = follows and (leans(s.text) or _POINTS_BACK.search(s.text) is not None)
        if (
            s in held
            or leak(analysis, s.text)
            or leaning
            or _rivals(analysis, s.text)
            or _orphaned(s.text, known, lost)
        ):
            cut.append(s)
            lost += f" {s.text}"
        else:
            known += f" {s.text}"
    return cut


_POINTS_BACK = re.compile(
    r"\b(?:fellow|further \w+ed|(?:years?|months|weeks|days) (?:later|earlier)|the following (?:year|month|day)|"
    r"(?:the same|that) (?:year|month|day)|sequels?)\b|^The (?:work|story|piece|plot)\b"
)
"""Words by which a sentence hangs on the date or the person of the one before it."""


def _rivals(analysis: Analysis, text: str) -> bool:
    """Whether a sentence speaks of what is asked and holds a value that could be taken for the answer."""
    return support(analysis.query, text) >= 0.5 and substitute_left(analysis, text) is not None


def _orphaned(text: str, known: str, lost: str) -> bool:
    """Whether a sentence calls by a single name somebody whom only the lost words introduced."""
    for match in _SINGLE_NAME.finditer(text):
        name = match.group(1).removesuffix("'s").removesuffix("’s")
        if not has_word(lost, name) or has_word(known, name):
            continue
        full = re.search(rf"\b[A-Z][\w.’'-]+ {re.escape(name)}\b|\b{re.escape(name)} [A-Z]", lost)
        if full or not is_common(plain(name)):
            return True
    return False


_SINGLE_NAME = re.compile(r"(?<![A-Z][\w.’'-] )(?<![\w.’'-])([A-Z][\w.]*[\w](?:['’]s)?)(?![\w.’'-]| [A-Z])")


def answer_sentence(analysis: Analysis) -> Sentence | None:
    """The complete sentence holding an answer that covers the question best, if there is one."""
    held = [analysis.sentences[i] for i in analysis.answer_sentences]
    whole = [s for s in held if s.complete]
    return max(whole, key=lambda s: support(analysis.instance.query, s.text)) if whole else None


def statement(analysis: Analysis) -> Sentence | None:
    """The only sentence that answers, when it can stand quoted by itself and nothing else points to the answer."""
    sentence = analysis.only_sentence
    if sentence is None or not sentence.complete or len(sentence.text.split()) > LONGEST_SENTENCE:
        return None
    if _CONNECTOR.match(sentence.text) or re.search(r"[“”\[\]{}\n;]|\(born|https?:", sentence.text):
        return None
    if sentence.text.count('"') % 2:
        return None
    text = analysis.text.replace(sentence.text, " ")
    if leak(analysis, text) or re.search(r"\b\d+[- ]year", sentence.text):
        return None
    near = sentence.text
    own = analysis.sentences_in(sentence.passage)
    place = own.index(sentence)
    if _PRONOUN_START.match(sentence.text):
        if not place:
            return None
        near = f"{own[place - 1].text} {near}"
    return sentence if support(analysis.instance.query, near) >= 0.5 else None


def quoted(sentence: str) -> str:
    """A sentence between quotation marks, the marks inside it made single."""
    return "“" + sentence.strip().replace('"', "'") + "”"


def rival_statement(analysis: Analysis, sentence: Sentence) -> str | None:
    """The sentence with the alternative in the place of the answer; None where that cannot be done cleanly."""
    return None if analysis.alternative is None else substituted(analysis, sentence, analysis.alternative)


def substituted(analysis: Analysis, sentence: Sentence, value: str) -> str | None:
    """The sentence with a value in the place of its one mention of the answer."""
    answer, text = analysis.answer, sentence.text
    places = spans_of(text, answer)
    if len(places) != 1:
        return None
    start, end = places[0]
    before = re.search(r"\b([A-Z][\w’'-]+)\s$", text[:start])
    if analysis.answer_type is AnswerType.PERSON and before and not is_common(plain(before.group(1))):
        return None
    rest = f"{text[:start]} | {text[end:]}"
    parts = person_name(answer).split() if analysis.answer_type is AnswerType.PERSON else []
    aliases = [alias for cluster in analysis.clusters for alias in cluster.aliases]
    if any(has_word(rest, part) for part in [*parts, *aliases] if len(part) > 2):
        return None
    number = analysis.answer_type is AnswerType.NUMBER
    if number and (
        re.search(r"\b(?:an?|about|over|nearly|than)\s+$", text[:start]) or re.match(r"\s*\(|-\w", text[end:])
    ):
        return None
    if re.search(r"(?:\bfrom|\bbetween|[–-])\s*$", text[:start]) or re.match(
        r"\s*(?:–|-|to |and \d)", text[end:]
    ):
        return None
    return text[:start] + value + text[end:]


# Promises that a draft keeps.


def query_kept(analysis: Analysis, draft: Draft) -> str | None:
    """The question stands letter for letter."""
    return None if draft.query == analysis.instance.query else "the question changed"


def answer_kept(analysis: Analysis, draft: Draft) -> str | None:
    """Each answer that stood in a passage stands there at least as often as before."""
    for cluster in analysis.clusters:
        for alias in cluster.aliases:
            before = sum(len(spans_of(p.text, alias)) for p in analysis.instance.passages)
            after = sum(len(spans_of(p.text, alias)) for p in draft.passages)
            if after < before:
                return f"the answer {alias!r} was lost"
    return None


def kept_both(analysis: Analysis, draft: Draft) -> str | None:
    """Question and answer both stand."""
    return query_kept(analysis, draft) or answer_kept(analysis, draft)


def answer_stands(analysis: Analysis, draft: Draft) -> str | None:
    """The question stands, and the answer somewhere in the context."""
    text = "\n".join(p.text for p in draft.passages)
    return query_kept(analysis, draft) or (None if has_word(text, analysis.answer) else "the answer is gone")


def both_values_stand(analysis: Analysis, draft: Draft) -> str | None:
    """Answer and rival both stand in the context, the rival new to it."""
    text = "\n".join(p.text for p in draft.passages)
    if not has_word(text, analysis.answer):
        return "the answer is gone"
    if analysis.alternative is None or not has_word(text, analysis.alternative):
        return "the rival is missing"
    return None


def clash_of_values(analysis: Analysis, draft: Draft) -> str | None:
    """The question stands, and so do both values."""
    return query_kept(analysis, draft) or both_values_stand(analysis, draft)


def passage_of(passage: Passage, text: str, title: str | None = None) -> Passage:
    """A passage with other text, and another title if given."""
    return Passage(text, passage.title if title is None else title, passage.role)
