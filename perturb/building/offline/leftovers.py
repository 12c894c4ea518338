"""The check of leftovers: small scars of cutting and filling that the original text does not have.

A *scar* is a place where a text is broken: "born in, and", "the the", a quotation that never ends. Most scars are found
by a pattern, and others by comparing the candidate with the original: a name that lost its article or its capital.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from perturb.building.offline.checked_item import CheckedItem, RuleVerdict, verdict
from perturb.building.offline.checked_words import STOP_WORDS, WORDS, normal, word_set, words
from perturb.records import PerturbationClass

_MALE_NAMES, _FEMALE_NAMES = word_set(WORDS.male_names), word_set(WORDS.female_names)
# First names in small letters -> "m" or "f". A name that both genders have tells nothing.
_GENDERS = dict.fromkeys(_MALE_NAMES - _FEMALE_NAMES, "m") | dict.fromkeys(_FEMALE_NAMES - _MALE_NAMES, "f")

# Words that stand twice in good English ("had had") or in names ("Walla Walla").
_DOUBLED_OK = word_set("had that new bora pago walla baden yo chop knock bang ha la")

# Name of a scar and its pattern. A scar counts only if the new text has more of it than the original.
_SCARS: Mapping[str, re.Pattern[str]] = {
    # "in Rome ."
    "a blank before a mark": re.compile(r"(?<=[\w)\"”])[ \xa0]+[,;:!?.](?=[\s\"”)]|$)"),
    "two marks in a row": re.compile(
        r"""
              ,\s*[,.;:!?]                                    # "in Rome,."
            | ;\s*[.,;]
            | (?<!\.)\.\.(?!\.)                               # two points, but not the three of an ellipsis
            | (?<![A-Z])(?<!Jr)(?<!Sr)(?<!\.m)[.!?]\s*,       # "he sang.,"; not "U.S.,", "Jr.," or "p.m.,"
            | :\s*[.,;] | \?\. | !\. | \.\?
            """,
        re.VERBOSE,
    ),
    # "()", "( , )", "[]", two quotation marks without a text
    "an empty bracket": re.compile(r"\(\s*[,;.]?\s*\)|\[\s*\]|\"\"|“”"),
    # "(, born 1901)", "(1901, )", "( born", "1901 )"
    "a bracket with a stray mark": re.compile(r"\(\s*[,;:.]\s|[,;:]\s*\)|\(\s+\w|\w\s+\)"),
    # A line that begins ", who sang"
    "a mark at the start": re.compile(r"(?:^|\n)\s*[,;:.!?)]"),
    # "born in, and", "sang the.": the words after the preposition or article are gone. "U.S." is not a scar.
    "a dangling joint": re.compile(
        r"(?<!-)\b(?:and|or|of|the|an?|in|at|by|from|with|to|for|as)\s*[,;)]"
        r"|\b(?:and|or|the|an?|by)\s*(?<!U\.S)\.(?=\s+[A-Z]|$)"
    ),
    "two joints in a row": re.compile(
        r"""
              \b(?:of|by|from)\s+(?:and|by|of|from)\b                      # "the capital of and"
            | \b(?:at|in|on|for|with)\s+of\s+(?:the|an?)\b | \bat\s+(?:of|from)\b
            | \b(?:the|an?)\s+(?:the|an?|of|in|at|by|is|was|and)\b         # "the the", "a was"
            | \b(?:and\s+(?:and|or)|or\s+(?:and|or)|is\s+is|was\s+was|to\s+to|(?<!-)in\s+in)\b
            """,
        re.VERBOSE | re.I,
    ),
    # " 's album", "Ray's's"; a block stands for a word that was blacked out
    "a possessive without an owner": re.compile(r"(?<![\w.)\]█\"”'’])['’]s\b|['’]s['’]s|\bs's's\b"),
    # "the his album"
    "two determiners in a row": re.compile(
        r"\b(?:the|a|an|this|his|her|its|their)\s+(?:this|his|her|its|their|the|these)\s+\w", re.I
    ),
    # "He left. and sang": the sentence lost its beginning.
    "a lower-case start": re.compile(r"(?<=[a-z]{3}[a-z)]\.)\s+[a-z]\w*(?=[\s,])"),
    # "[redacted]%": the number before the sign is gone, and the sign tells its kind.
    "a blacked-out joint": re.compile(r"\][%&]"),
    # 'He sang " Jolene': a blank after a mark that may open a quotation
    "a broken quotation": re.compile(r"(?:^|\s)[\"”]\s(?=\w)"),
}

# "the the"; not "12 12.5" or a part of "well-known known"
_DOUBLED = re.compile(r"(?<![-\w.,])([A-Za-z]+|\d{2,})\s+\1\b(?![.,]\d)", re.I)
# An article and the next word, as two groups: "an" and "apple"
_ARTICLE = re.compile(r"\b(an?)\s+[\"“'‘(]?([A-Za-z]+|\d+)", re.I)
# Beginnings of words with a written vowel but a spoken consonant
_CONSONANT_SOUND = re.compile(
    r"""
    ^(?: uni(?=[cfqtv]|on|s[^s])                       # "unique", "union"; but not "unimportant"
       | us[aeiu] | ut[ei] | ub | uk | uro | ura | uv  # "user", "utility", "ubiquitous", "UK", "uranium"
       | u\b | u[a-z]?\d | ufo                         # "U", "UB40", "UFO"
       | eu | ewe                                      # "European", "ewe"
       | one | once | ou(?:ija)                        # "one", "ouija"
    )
    """,
    re.VERBOSE | re.I,
)
# Words that take "an", always ("hour") or for some writers ("historic")
_SILENT_H = re.compile(r"^(?:hour|honest|honou?r|heir|herb|homage|histor|hotel)", re.I)
# Acronyms whose first letter is spoken with a vowel: "FBI" is "eff bee eye".
_LETTER_VOWEL = re.compile(r"^[AEFHILMNORSX][A-Z0-9]*$")
# Characters that may stand before the first letter of a passage.
_OPENING = " \"“'‘("
# Names that begin with a small letter: "iPhone", "de Gaulle", "will.i.am"
_MIXED_CASE = re.compile(r"^[a-z]+[A-Z]|^(?:de|von|van|al|e|i|x|p|bell|will\.i)\b")


def check_leftovers(item: CheckedItem) -> RuleVerdict:
    """Judge `linguistic_soundness` by the scars in the changed parts. Scars of the original do not count."""
    scars: list[str] = []
    # Questions of data sets often have slips, which an item may repeat.
    query = normal(item.original.query)
    if item.context_changed:
        scars += _scars_in("context", item.reading.text, item.text, query)
        scars += (
            _lost_articles(item, item.inserted)
            + _lower_case_starts(item)
            + _lost_ends(item)
            + _names_in_lower_case(item, " ".join(item.inserted))
        )
    if item.query_changed:
        scars += _scars_in("question", item.original.query, item.candidate.query, query)
        # A question in small letters writes all names in small letters.
        if item.candidate.query[:1].isupper():
            scars += _names_in_lower_case(item, item.candidate.query)
            scars += _lost_articles(item, (item.candidate.query,))
    if item.kind is PerturbationClass.AMBIGUITY and not item.low:
        scars += _telling_pronouns(item)
    return verdict(item, {"linguistic_soundness": scars})


def _scars_in(text_name: str, before: str, after: str, query: str) -> list[str]:
    """One line for each scar that the text before did not have and that does not come from the original question."""
    # The difference of counters keeps the scars that the new text has more often.
    new_scars = Counter(_scars_of(after)) - Counter(_scars_of(before))
    lines = []
    for scar, wording in new_scars:
        # The question may leave a preposition behind before an aside: "where does it come from, as …".
        is_stranded = text_name == "question" and _STRANDED.match(wording)
        # The original question has the same words twice.
        is_quoted = scar == "a doubled word" and wording in query
        if not is_stranded and not is_quoted:
            lines.append(f"The {text_name} shows {scar}: {wording!r}.")
    return lines


# "in,", "from,"
_STRANDED = re.compile(r"(?:in|at|by|from|with|to|for|of),$")


@lru_cache(maxsize=1024)
def _scars_of(text: str) -> tuple[tuple[str, str], ...]:
    """Every scar of a text with the wording that shows it."""
    scars = [(scar, m.group().strip()) for scar, pattern in _SCARS.items() for m in pattern.finditer(text)]
    scars += [("a doubled word", m.group().lower()) for m in _DOUBLED.finditer(text) if _is_slip(m)]
    scars += [("a wrong article", m.group()) for m in _ARTICLE.finditer(text) if _wrong_article(m)]
    if "  " in text:
        scars += [("two blanks", "  ")] * len(re.findall(r"(?<=\S) {2,}(?=\S)", text))
    for opening, closing in ("()", "[]", "“”"):
        unmatched = abs(text.count(opening) - text.count(closing))
        scars += [("an unmatched bracket", opening)] * unmatched
    if text.count('"') % 2:
        scars.append(("an unmatched quotation mark", '"'))
    return tuple(scars)


def _is_slip(match: re.Match[str]) -> bool:
    """Whether a doubled word is a mistake. "Duran Duran" is a name, and "had had" is good English."""
    word, repetition = match.group(1), match.group().split()[-1]
    is_name = word[0].isupper() and repetition[0].isupper()
    return not is_name and word.lower() not in _DOUBLED_OK


def _wrong_article(match: re.Match[str]) -> bool:
    """Whether "a" or "an" does not fit the sound of the next word. In doubt it fits."""
    is_an, word = match.group(1).lower() == "an", match.group(2)
    if word.isdigit():
        # "an 8", "an 11" and "an 18" are right. A longer number with 8, such as 800, may be read in several ways.
        may_have_vowel_sound = word.startswith("8") or word in ("11", "18")
        if is_an:
            return not may_have_vowel_sound
        return may_have_vowel_sound and len(word) <= 2
    if len(word) == 1:
        return False  # a single letter may be a symbol or a grade
    if word.isupper():
        # Acronyms are read letter by letter, as in "an FBI agent", or as words, as in "a NATO base". After these first
        # letters the two ways need different articles, so either article may be right.
        if word[0] in "UFHLMNRSX":
            return False
        return is_an != bool(_LETTER_VOWEL.match(word))
    if word[0].lower() in "aeiou":
        return is_an == bool(_CONSONANT_SOUND.match(word))
    return is_an and not _SILENT_H.match(word)


def _lower_case_starts(item: CheckedItem) -> list[str]:
    """One line for each passage that starts in lower case although its original did not."""
    lines = []
    for old, new in zip(item.original.passages, item.candidate.passages, strict=False):
        # Quotation marks and brackets before the first letter do not matter.
        old_text, new_text = old.text.lstrip(_OPENING), new.text.lstrip(_OPENING)
        if old_text[:1].isupper() and new_text[:1].islower() and not _MIXED_CASE.match(new_text):
            lines.append(f"A passage starts in lower case: {new_text[:40]!r}.")
    return lines


# How many characters of a sentence are searched for in a text. A cut may have changed its end.
_SEARCHED_LENGTH = 40
# A sentence of at most so many characters may also be in other places.
_AMBIGUOUS_LENGTH = 30


def _lost_ends(item: CheckedItem) -> list[str]:
    """One line if a changed sentence breaks off without an end mark before a sentence of the original.

    Only the first such place is reported, since the others usually come from the same cut.
    """
    for sentence in item.reading.sentences:
        opening = sentence[:_SEARCHED_LENGTH]
        start = item.text.find(opening)
        if len(sentence) <= _AMBIGUOUS_LENGTH or start <= 1:
            continue  # it has no word and blank before it, or may be a part of another sentence
        before = item.text[:start]
        # "born in Rome | He sang": a word and a blank stand before the sentence. After "that", indirect speech begins.
        if before[-1] == " " and before[-2].isalnum() and not before.endswith("that "):
            return [f"A sentence has no end before {opening!r}."]
    return []


@lru_cache(maxsize=256)
def _capitals_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names and the acronyms of a text, in small letters.

    A name always has a capital inside sentences, and an acronym is always written in capitals.
    """
    lower_words = frozenset(re.findall(r"\b[a-z]{2,}\b", text))
    # After a small letter or a comma, a capital is not due to the beginning of a sentence.
    names = frozenset(w.lower() for w in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", text))
    acronyms = frozenset(w.lower() for w in re.findall(r"\b[A-Z]{3,}\b", text))
    return names - lower_words, acronyms - lower_words


def _names_in_lower_case(item: CheckedItem, text: str) -> list[str]:
    """A line on the first name that a new text writes in lower case: an acronym, or two words that need capitals."""
    names, acronyms = _capitals_of(item.reading.text)
    tokens = re.findall(r"[A-Za-z]+", text)
    faults = [token for token in tokens if token in acronyms]
    # A single name may also be a common word, such as "rose". Two names in a row hardly are.
    name_parts = names - STOP_WORDS
    faults += [f"{a} {b}" for a, b in pairwise(tokens) if a in name_parts and b in name_parts]
    return [f"A name stands in lower case: {faults[0]!r}."] if faults else []


# Words with capitals and the small words between them: "Bank of England"
_NAME = r"[A-Z][\w'’-]*(?: (?:(?:of|and|the|in|for|a|to) ){0,2}[A-Z0-9][\w'’-]*)*"
# A name (group 1) directly after a word that needs an article before most things: "about Google Glass"
_AFTER_PREPOSITION = re.compile(
    r"\b(?:about|on|of|for|with|from|in|by|than|is|if|that|does|did|would|could|should|had|regarding|concerning) "
    rf"({_NAME})"
)
# A verb with the word after it: "sells the"
_VERB = r"\w+s (?:the|an?|in|on|to)"
# The text after a name that is not part of a longer phrase, such as `the Google Glass prototype`.
_NAME_ENDS = (
    r"(?=[,.;:)]|$| (?:is|are|was|were|has|have|had|in|of|by|and|to|for|from|on|at|with|that|which|who"
    rf"|as|goes|{_VERB})\b)"
)


def _lost_articles(item: CheckedItem, texts: tuple[str, ...]) -> list[str]:
    """A line on the first name without an article in a new text, if the original always gives it an article."""
    original_query = normal(item.original.query)
    for text in texts:
        for match in _AFTER_PREPOSITION.finditer(text):
            name = match.group(1).removesuffix("'s")
            # The original question may leave the article out.
            if normal(match.group()) not in original_query and _always_has_article(name, item.reading.text):
                return [f"A name lost its article: {match.group()!r}."]
    return []


def _always_has_article(name: str, text: str) -> bool:
    """True if a text uses a name of two words or more, and each time with an article."""
    if " " not in name or name not in text:
        return False
    words_before = re.findall(rf"(\w+) {re.escape(name)}\b{_NAME_ENDS}", text)
    # "The Bank of England sells": the name may be the subject of a verb.
    if re.match(rf"The {re.escape(name)} \w+s\b", text):
        words_before.append("The")
    return bool(words_before) and all(word.lower() in ("the", "a", "an") for word in words_before)


# Pronouns of one gender. "they" and "it" tell nothing.
_PRONOUNS = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}


def _telling_pronouns(item: CheckedItem) -> list[str]:
    """A line on a pronoun that gives the answer away, since its gender fits only one of the two people."""
    for sentence in item.added:
        pronouns = {_PRONOUNS[word] for word in words(sentence) if word in _PRONOUNS}
        genders = {_GENDERS.get(first_name.lower()) for first_name in _first_names(sentence)} - {None}
        # With two people of different gender, "he" or "she" can mean only one of them.
        if len(pronouns) == 1 and len(genders) == 2:
            return [f"The gender of a pronoun gives the answer away: {sentence[:60]!r}."]
    return []


def _first_names(sentence: str) -> list[str]:
    """The words that may be first names, since they have a capital and stand before another word with a capital.

    >>> _first_names("Ann Lee met Bob Ray.")
    ['Ann', 'Bob']
    """
    # No word stands before a name at the start of the sentence or after a mark.
    at_start = re.findall(r"(?<![\w’'] )\b([A-Z][a-z]+)(?= [A-Z])", sentence)
    # Within a sentence, a word in small letters stands before the name.
    within = re.findall(r"\b[a-z]+ ([A-Z][a-z]+)(?= [A-Z])", sentence)
    return at_start + within
