"""The check of fluency: simple signs that a text was not written by a careful person.

The signs are odd questions, contexts of an unlikely length, fragments of sentences, repetition and slips of grammar. A
sign counts only if the original does not have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from perturb.building.offline.checked_item import BRACKETED, CheckedItem, RuleVerdict, verdict
from perturb.building.offline.checked_words import WORDS, normal, overlap, word_list, words
from perturb.records import PerturbationClass

# Fewest and most words of a question.
_MIN_QUERY_WORDS, _MAX_QUERY_WORDS = 3, 48

# A word by which a text can be a question: "who", "is", or "name" as in "name the capital of Peru".
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|name|is|are|was|were|do|does|did|has|have|had|can|could|will|"
    r"would|should|might|must|may)\b",
    re.I,
)
# A finite verb: one of the word list, a short form ("isn't", "'s"), or a word with a typical ending ("filmed").
_VERB = re.compile(
    rf"\b(?:{'|'.join(word_list(WORDS.verbs))}|\w+n['’]t|'s|'re|'ve|\w{{2,}}(?:ed|es|ing|ates|ises|izes|ifies))\b",
    re.I,
)
# An auxiliary, also as "'s".
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|be|do|does|did|has|have|had|can|could|will|would|should|might|must|may)\b|['’]s\b",
    re.I,
)
# "1984 | Oslo", a line in brackets, or "Table 2: "
_TABLE_ROW = re.compile(r"\||^\([^()]*\)$|^Table(?: \d+)?: ")
# An end mark at the end of a sentence, maybe before closing quotation marks or brackets.
_ENDED = re.compile(r"[.!?:][\"”’')\]]*$")
# "did", "would" and the like, before which the plain form of a verb may stand: "did she have"
_NOT_AFTER_AUXILIARY = "".join(
    f"(?<!{auxiliary} )" for auxiliary in ("did", "does", "will", "would", "could", "should", "might", "must")
)
# The name of each mistake of grammar, as its message uses it, and the pattern that finds it.
_SLIPS: Mapping[str, re.Pattern[str]] = {
    "a subject that does not agree with its verb": re.compile(
        rf"{_NOT_AFTER_AUXILIARY}\b(?:he|she|it|He|She|It)\s+(?:are|have)\b"  # wrong: "she have"
        r"|\b(?:they|we|you|They|We)\s+(?:is|was|has)\b"  # wrong: "they was"
        r"|\b[Tt]hese\s+\w+\s+(?:is|was|has)\b|\b[Tt]his\s+\w+\s+(?:are|were|have)\b"  # wrong: "these songs is"
    ),
    # wrong: "Paris is false"; right: "Each was true", which may speak of statements. Names that only begin like one of
    # these words, such as "Thebes", are passed over too.
    "a thing called true or false that is not a statement": re.compile(
        r"\b(?!It|This|That|The|What|Each|Neither|Both|One)[A-Z]\w+ (?:is|was) (?:true|false)\b"
    ),
    # wrong: "she write"; right: "did she write"
    "a plain form after 'he', 'she' or 'it'": re.compile(
        rf"{_NOT_AFTER_AUXILIARY}(?<!can )"
        r"\b(?:he|she|it) (?:become|write|sing|play|win|direct|invent|discover)\b"
    ),
    # wrong: "at least 1984"; right: "since at least 1984", "at least 300"
    "a year that is measured": re.compile(r"(?<!since )\bat least (?:1[5-9]|20)\d\d\b"),
    # wrong: "Where did Ann, who had two children left?". The last word belongs to the main clause.
    "an aside without its closing comma": re.compile(
        r", who [^,?]+\b(?:take place|have|married|youngest|eldest|oldest|left|named|called|born|buried)\?$"
    ),
    # wrong: "did he wrote", "did she filmed"; right: "did she need"
    "a past form after 'did'": re.compile(
        r"\b[Dd]id(?:\s+not|n['’]t)?\s+(?:(?:he|she|it|they|[A-Z][\w.]+)\s+){0,4}"
        r"(?:wrote|won|sang|made|built|held|took|came|went|gave|led|ran|said|sent|sold|became|bought|chose|was|were)\b"
        r"|\b[Dd]id(?:\s+not|n['’]t)?\s+(?:(?:he|she|it|they)\s+)?[a-z]{3,}(?<!e)ed\b"
    ),
    # wrong: "to was", "to wrote"; right: "to write"
    "a past form after 'to'": re.compile(
        r"\bto\s+(?:was|were|is|has been|wrote|won|sang|became|took|gave|went)\b", re.I
    ),
    # wrong: "did is", "would was"
    "two verbs in a row": re.compile(
        r"\b(?:does|do|did)\s+(?:does|do|did|is|was|are|were)\b|\b(?:is|was|are|were)\s+(?:does|do|did)\b"
        r"|\b(?:would|could|should|will|must|might)\s+(?:would|could|should|will|must|is|was|did|does|wrote|won)\b",
        re.I,
    ),
    # wrong: "who when wrote", "the who is the"; right: "who is which"
    "a question word out of place": re.compile(
        r"\b(?:who|what|when|where|which)\s+(?:who|what|when|where|which|why)\b(?!\s+is\s+which)"
        r"|\b(?:of|by|that|the)\s+(?:who|when|where|how)\s+(?:is|was|did|do|does)\s+(?:the|a)\s+who\b",
        re.I,
    ),
    # wrong: "1 children"
    "a number with the wrong noun": re.compile(
        r"\b1\s+(?:people|men|women|children|years|members|times|songs|episodes)\b", re.I
    ),
    # wrong: "a women", "one nations"; right: "a women's team"
    "a wrong plural": re.compile(
        r"\b(?:a|an|one|this)\s+(?:men|women|children|people|[a-z]+(?:tions|ments|ists|ers))\b(?!['’])",
        re.I,
    ),
}

# A context with fewer words is too short for a passage.
_MIN_CONTEXT_WORDS = 8
# Share of the words that must remain in items of MissingInfo at LOW, whose missing part must be harmless.
_MIN_SHARE_AFTER_LOW_CUT = 0.3
# Share of the words that must remain in items of other classes, which add or edit sentences.
_MIN_SHARE_AFTER_EDIT = 0.45
# Words that an added sentence may have, since one sentence may be longer than a short passage.
_LONG_SENTENCE = 60
# From this overlap on, a sentence counts as the remainder of an original sentence that was cut.
_SAME_ORIGIN = 0.3
# A sentence of at most so many characters may stand twice, such as an exclamation.
_EXCLAMATION = 20
# A phrase of six words may stand at most so many times as often as in the original.
_MOST_REPEATS = 3


def check_fluency(item: CheckedItem) -> RuleVerdict:
    """Judge `linguistic_soundness` of the changed parts by length, sentence shape, repetition and agreement."""
    faults = []
    if item.query_changed:
        faults += _question(item)
    if item.context_changed:
        faults += _length(item) + _sentence_shapes(item) + _repetition(item)
    faults += _slips(item)
    return verdict(item, {"linguistic_soundness": faults})


def _question(item: CheckedItem) -> list[str]:
    """One line on the first fault of the changed question."""
    query, original = item.candidate.query.strip(), item.original.query.strip()
    size = len(words(query))
    if not _MIN_QUERY_WORDS <= size <= _MAX_QUERY_WORDS:
        return [f"A question of {size} words has an implausible length."]
    if not _ASKS.search(query):
        return ["The question asks nothing."]
    # A question that had no auxiliary to begin with, such as "who wrote Emma", may do without.
    lost_auxiliary = _AUXILIARY.search(original) and not _AUXILIARY.search(query)
    if lost_auxiliary and _verbs(query) <= _verbs(original):
        return ["The question lost its verb."]
    # Questions in small letters come from search logs and often have no question mark.
    if query[0].isupper() and not query.rstrip("\"”').").endswith("?") and original.endswith("?"):
        return ["The question lost its question mark."]
    if query.count("?") > 1 and original.count("?") <= 1:
        return ["The question asks twice."]
    if query[0].islower() and original[:1].isupper():
        return ["The question starts in lower case."]
    return []


def _verbs(text: str) -> frozenset[str]:
    """The finite verbs of a text, in small letters."""
    return frozenset(m.group().lower() for m in _VERB.finditer(text))


def _length(item: CheckedItem) -> list[str]:
    """One line if the context is much shorter or longer than the edit of its class explains."""
    before, after = len(item.reading.words), len(words(item.text))
    if item.kind is PerturbationClass.MISSING_INFO:
        # The flaw of the class is a missing part, so a short context is expected.
        least_share = _MIN_SHARE_AFTER_LOW_CUT if item.low else 0.0
        return (
            []
            if after >= max(_MIN_CONTEXT_WORDS, least_share * before)
            else [f"Only {after} of {before} words are left of the context."]
        )
    if after > 2 * before + _LONG_SENTENCE:
        return [f"The context grew from {before} to {after} words."]
    if after < _MIN_SHARE_AFTER_EDIT * before:
        return [f"The context shrank from {before} to {after} words."]
    return []


def _sentence_shapes(item: CheckedItem) -> list[str]:
    """At most two lines on added sentences without an end mark, without a verb or with hardly a word."""
    faults = []
    for sentence in item.added:
        # Ragged edges, headings and table rows come from the original and need no end mark.
        is_line = _is_separate_line(item, sentence) or _TABLE_ROW.search(sentence)
        if is_line or _is_edge_of_original(item, sentence):
            continue
        is_inserted = sentence in item.inserted
        # An inserted sentence of two words may be a whole sentence. After a cut, two words are a fragment.
        fewest_words = 2 if is_inserted else 3
        if not _ENDED.search(sentence):
            faults.append(f"A sentence has no end: {sentence[-40:]!r}.")
        elif len(words(sentence)) < fewest_words:
            faults.append(f"A fragment was left: {sentence!r}.")
        elif not is_inserted and _lost_its_verb(item, sentence):
            faults.append(f"A sentence seems to lack a verb: {sentence[:60]!r}.")
    return faults[:2]


def _is_separate_line(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence fills a line of its passage, as headings and the lines of lists do."""
    texts = (passage.text for passage in item.candidate.passages)
    return any("\n" in text and sentence in text.splitlines() for text in texts)


def _lost_its_verb(item: CheckedItem, sentence: str) -> bool:
    """True if a sentence has no known verb although the original sentence that it comes from had one.

    The end of an original sentence that merely lost its opening phrase counts as a clause with a verb.
    """
    if _VERB.search(sentence):
        return False
    tail = normal(sentence)[1:]  # without the first letter, which a cut may have changed
    if len(tail) > 30 and any(normal(old).endswith(tail) for old in item.removed):
        return False
    return any(_VERB.search(old) for old in item.removed if overlap(sentence, old) >= _SAME_ORIGIN)


def _is_edge_of_original(item: CheckedItem, sentence: str) -> bool:
    """True if the sentence ends without an end mark because the original passage did too."""
    for old, new in zip(item.original.passages, item.candidate.passages, strict=False):
        text = old.text.rstrip()
        # The sentence ends with the passage, either with the original's last words or with the candidate's.
        ends_alike = normal(text[-12:]) == normal(sentence[-12:]) or new.text.rstrip().endswith(
            sentence.strip()
        )
        if ends_alike and not _ENDED.search(text):
            return True
    return False


def _repetition(item: CheckedItem) -> list[str]:
    """One line if the context repeats a sentence, or six words in a row, more often than the original."""
    old_sentences = Counter(normal(sentence) for sentence in item.reading.sentences)
    new_sentences = Counter(normal(sentence) for sentence in item.sentences)
    for sentence, count in new_sentences.items():
        if count > max(1, old_sentences[sentence]) and len(sentence) > _EXCLAMATION:
            return ["A sentence stands twice in the context."]
    old_phrases = _sequences(item.reading.words)
    for phrase, count in _sequences(words(BRACKETED.sub(" ", item.text))).items():
        if count > _MOST_REPEATS * max(1, old_phrases[phrase]):
            return [f"The context repeats itself: {' '.join(phrase)!r}."]
    return []


def _sequences(text_words: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count the sequences of six words. Shorter ones repeat in normal texts, such as names with titles."""
    return Counter(tuple(text_words[start : start + 6]) for start in range(len(text_words) - 5))


def _slips(item: CheckedItem) -> list[str]:
    """One line for each mistake of grammar that the change brought in."""
    slips = []
    pairs = ((item.original.query, item.candidate.query), (item.reading.text, " ".join(item.added)))
    for before, after in pairs:
        if before == after:
            continue
        for name, pattern in _SLIPS.items():
            match = pattern.search(after)
            # If the original has the same slip, it was not the edit that made it.
            if match and match.group() not in before:
                slips.append(f"There is {name}: {match.group()!r}.")
    return slips
