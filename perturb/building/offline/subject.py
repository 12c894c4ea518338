"""The subject of a passage: its name in the passage, the noun that says what it is, and its first year."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from perturb.building.offline.question import bare_title, is_cased
from perturb.building.offline.words import has_word, is_common, plain, spans_of
from perturb.catalogue.features import word_bank, word_table
from perturb.records import Passage


@dataclass(frozen=True, slots=True)
class Subject:
    """The thing, person or event that a passage is about."""

    name: str
    kind: str
    """One of the kinds of `levers/words.yaml`; empty if it is unclear."""
    noun: str
    """The noun that the passage uses for it: `ballad`, `sitcom`."""
    full: str
    """Its name as a sentence needs it: a work with its noun, other things with their article."""
    start: int | None
    """The year in which it appeared, began or was born; None unless the passage gives exactly one year."""
    definition: str
    """The rest of the sentence "NAME is a …", from the name on; empty if the passage has no such sentence."""


@cache
def _kind_of_noun() -> dict[str, str]:
    """Each noun of the table `kinds` with its kind: "sitcom" has the kind "series"."""
    return {noun: kind for kind, nouns in word_table("kinds").items() for noun in nouns}


# Kinds whose name needs the noun before it in a sentence: `the film Jaws`.
_NAMED_WITH_NOUN = ("song", "album", "film", "series", "book", "text", "stage", "game")
# Kinds whose name also needs quotation marks.
_QUOTED = ("song", "text")
# Kinds whose name stands without an article unless the passage writes one.
_NAMED_BARE = ("person", "band", "company", "country", "city", "state", "school")
# A longer title is a headline and not a name.
_MOST_TITLE_WORDS = 8
# Titles that do not name one thing: "List of rivers", "Friends characters", and bare numbers.
_NO_SUBJECT = re.compile(
    r"^(?:List|Lists|History|Timeline|Economic history|Index|Outline|Glossary) |\bcharacters$|^\d+$"
)


@lru_cache(maxsize=512)
def subject_of(query: str, passage: Passage) -> Subject | None:
    """The subject of a passage, found by its title.

    None if the passage does not name it, or if it is unclear how a sentence should name it. In doubt the answer is
    None: a rule that abstains costs one item, and a wrong name spoils one.
    """
    title = passage.title if has_word(passage.text, passage.title) else bare_title(passage.title)
    if not title or _NO_SUBJECT.search(title) or len(title.split()) > _MOST_TITLE_WORDS:
        return None
    if not re.match(r"[^\W_]", title):
        return None  # a title that begins with a mark cannot be found as a whole word
    spans = spans_of(passage.text, title)
    if not spans:
        return None
    name = _as_written(passage.text, title, query)
    definition, noun_phrase = _defined(name, passage.text)
    kind, noun = _kind(name, title, passage, noun_phrase, query)
    if kind in (*_NAMED_WITH_NOUN, *_NAMED_BARE):
        # These kinds have proper names, so the spelling in the passage holds even at the start of a sentence.
        start, end = spans[0]
        name = passage.text[start:end]
    if kind == "person" and not _is_person(name):
        return None
    if kind not in _NAMED_WITH_NOUN and re.search(r"\b(?:fictional|mythical|legendary)\b", definition):
        return None  # the rules state facts of nature and history, which do not hold for fiction
    if not kind and _may_be_person(name, passage.text, definition):
        return None
    full = _full(name, kind, noun, passage.text)
    if full == name and kind in ("", "building", "structure") and has_word(query, f"the {name}"):
        full = f"the {name}"
    if _is_plural(name, kind, passage.text):
        return None
    if not kind and full == name and not _stands_bare(name, passage.text):
        return None  # the passage does not show whether the name takes an article
    return Subject(name, kind, noun, full, _start_year(kind, passage.text), definition)


def _as_written(text: str, title: str, query: str) -> str:
    """The name as the passage writes it inside a sentence; a common noun in small letters."""
    # The first word of a sentence has a capital in any case, so it shows nothing.
    forms = [
        text[start:end]
        for start, end in spans_of(text, title)
        if start > 1 and text[start - 2] not in '.!?\n"'
    ]
    if is_cased(query):
        forms += [query[start:end] for start, end in spans_of(query, title) if start]
    if forms:
        return forms[0]
    first_word, _, following = title.partition(" ")
    is_common_noun = (
        is_common(plain(first_word)) and following == following.lower() and not title[:2].isupper()
    )
    return title[:1].lower() + title[1:] if is_common_noun else title


# The end of the noun phrase of a definition: "a 1975 film | directed by …".
_CUT = re.compile(
    r"[,;.()\[]| (?:of|by|that|which|who|in|on|from|for|with|and|at|to|about|near|between|whose|where|than|"
    r"based|written|set|created|directed|recorded|starring|produced|released|located|performed|published|sung|fought|won|held|\w{3,}ed|"
    r"consisting|adapted|composed|originally|developed|native|known|used|designed|built|held|owned|made|hosted)\b"
)
# The text between a name and its definition, and the definition (group 1): `(1975), also called X, was a film …`.
_IS_A = re.compile(
    r"[\"”']?(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?,?(?:\s[^.;]{3,70},)?\s+(?:is|was)\s+"
    r"(?:both )?(?:an?|the|one of the)\s+([^;\n]{3,160})",
    re.IGNORECASE,
)
# A definition that follows the name after a comma: `, a film …`.
_APPOSED = re.compile(r"[\"”']?, an? ([^;\n]{3,100})")
_STOP = re.compile(r"\.(?:\s|$)")


def _defined(name: str, text: str) -> tuple[str, str]:
    """The sentence that defines a name, from the name on, and the noun phrase of its "is a …".

    Both are empty if no sentence defines the name.
    """
    spans = spans_of(text, re.sub(r"^(?:The|A|An|the) ", "", name))
    # A sentence with "is" defines the name more surely than an apposition.
    for pattern in (_IS_A, _APPOSED):
        for start, after in spans:
            if match := pattern.match(text, after):
                stop = _STOP.search(text, match.start(1))
                return text[start : stop.start() if stop else len(text)], _CUT.split(match[1])[0]
    return "", ""


class _KindAndNoun(NamedTuple):
    """The kind of a subject, and the noun for it."""

    kind: str = ""
    noun: str = ""


_UNCLEAR = _KindAndNoun()


def _kind(name: str, title: str, passage: Passage, noun_phrase: str, query: str) -> _KindAndNoun:
    """Kind and noun of a subject, or `_UNCLEAR`; `noun_phrase` is that of its definition.

    The sources in order of trust: fixed names, the title's bracket, the definition, the word before the name in the
    question, and the last word of the name itself.
    """
    if re.match(r"World War\b", name):
        return _KindAndNoun("war", "war")
    if name in word_bank("city"):
        return _KindAndNoun("city", "city")
    if name in word_bank("region"):
        return _KindAndNoun("country", "country")
    bracket = re.search(r"\(([^()]*)\)\s*$", passage.title)
    inside = bracket[1] if bracket else ""
    if re.search(r"\b(?:disambiguation|character|franchise|comics?)\b", inside):
        return _UNCLEAR
    if "season" in inside or re.search(r"\bTV series\b", inside):
        return _KindAndNoun("series", "series")
    for words in (inside, noun_phrase):
        if kind_and_noun := _head_noun(words):
            return kind_and_noun
    if noun_phrase:
        return _UNCLEAR  # there is a definition, but with a noun that is not in the table
    start = query.lower().find(re.sub(r"^the ", "", name.lower()))
    before_name = re.sub(r" (?:the|called|named)$", "", query[:start].lower().rstrip()) if start > 0 else ""
    *_, noun = before_name.split(" ")
    if _kind_of_noun().get(noun) in _NAMED_WITH_NOUN:
        return _KindAndNoun(_kind_of_noun()[noun], noun)
    return _by_last_word(title)


def _by_last_word(title: str) -> _KindAndNoun:
    """Kind and noun by the last word of a title, such as "River" in "Kanawha River"."""
    last_word = title.rsplit(maxsplit=1)[-1]
    noun = plain(last_word)
    kind = _kind_of_noun().get(noun, "")
    # People and works may have any noun in their names, and the nouns below often end names of other things.
    if kind in ("", "person", *_NAMED_WITH_NOUN) or noun in ("play", "bank", "club", "heart"):
        return _UNCLEAR
    return _KindAndNoun(kind, noun) if " " in title and last_word[:1].isupper() else _UNCLEAR


def _head_noun(words: str) -> _KindAndNoun | None:
    """Kind and noun by the last words of a noun phrase; None if they are not in the table of nouns."""
    lowered = words.lower().split()
    # Nouns of two words first, so that "opera house" is not read as "house".
    for length in (2, 1):
        noun = " ".join(lowered[-length:])
        if len(lowered) >= length and (kind := _kind_of_noun().get(noun)):
            # A series of books, games or events is another thing, and so is a show on a stage.
            if noun == "series" and not re.search(
                r"\b(?:television|tv|drama|comedy|web|crime|anime|streaming)\b", words.lower()
            ):
                return None
            if noun == "show" and not re.search(
                r"\b(?:television|tv|talk|game|reality|variety)\b", words.lower()
            ):
                return None
            return _KindAndNoun(kind, noun)
    return None


def _is_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 4 and all(word[:1].isupper() for word in words)


def _may_be_person(name: str, text: str, definition: str) -> bool:
    """Whether a subject of an unclear kind may be a person, a character or a personal name."""
    return (
        name.split(maxsplit=1)[0] in word_bank("first_name")
        or re.search(rf"\b{re.escape(name)},? (?:was born|died|grew up)\b", text) is not None
        or re.search(r"\b(?:character|surname|given name|protagonist)\b", definition) is not None
    )


def _is_plural(name: str, kind: str, text: str) -> bool:
    """Whether a name is plural, or may be: the wordings of rules fit singular subjects only."""
    if kind in (*_NAMED_WITH_NOUN, "person", "band", "team", "company"):
        return False
    last_word = plain(name.rsplit(maxsplit=1)[-1])
    has_plural_ending = (
        last_word.endswith("s")
        and not last_word.endswith(("ss", "us", "is"))
        and last_word not in ("series", "texas", "massachusetts")
    )
    # The word after each mention, which is often the verb.
    verbs = {text[end + 1 :].split(" ", 1)[0].lower() for _, end in spans_of(text, name)}
    if (
        not kind
        and name.islower()
        and not verbs & {"is", "was", "has", "does"}
        and not re.search(rf"\b(?:an?|the) {re.escape(name)}\b", text, re.IGNORECASE)
    ):
        return True  # no verb or article shows that the noun is singular, as in "peasants and samurai"
    return bool(verbs & {"are", "were", "have"}) or (has_plural_ending and not verbs & {"is", "was", "has"})


def _stands_bare(name: str, text: str) -> bool:
    """Whether the passage uses a name without an article: at the start of a sentence or after a preposition."""
    before = (text[max(0, start - 8) : start] for start, _ in spans_of(text, name))
    return any(
        re.search(r"(?:^|[.!?]\s+|\b(?:of|in|to|for|with|from|by|at|and|that) )[\"“]?$", text_before)
        for text_before in before
    )


# The text after a name that is not part of a longer phrase, such as "the Google Glass prototype".
_ENDS_NAME = re.compile(
    r"[,.;:)\"”]|$|\s+(?:\(|(?:is|are|was|were|has|had|in|of|by|and|or|to|for|from|on|at|with|that|which|who|as)\b)"
)


def _full(name: str, kind: str, noun: str, text: str) -> str:
    """The name as a sentence needs it, with the article that the passage gives it at least half of the time."""
    if kind in _QUOTED:
        return f'the {noun} "{name}"'
    if kind in _NAMED_WITH_NOUN:
        return f"the {noun} {name}"
    if kind == "person":
        return name
    # "The" with a capital within a sentence belongs to the name, as in "The Beatles".
    if name[:4] == "The " and re.search(rf"[a-z,] {re.escape(name)}\b", text):
        return name
    if re.match(r"(?:the|a|an) ", name, re.IGNORECASE):
        return f"the {name.split(maxsplit=1)[1]}"
    # "Kanawha" in "Kanawha River" is a part of another name and shows nothing about its article.
    complete = [
        (start, end) for start, end in spans_of(text, name) if not re.match(r" [A-Z]", text[end : end + 2])
    ]
    standing_alone = [(start, end) for start, end in complete if _ENDS_NAME.match(text, end)]
    if not standing_alone and (not kind or kind in _NAMED_BARE):
        return name
    # The four characters before a mention hold the longest article and its blank.
    before_names = [text[max(0, start - 4) : start].lower() for start, _ in standing_alone or complete]
    if before_names.count("the ") * 2 >= len(before_names):
        return f"the {name}"
    if kind not in _NAMED_BARE and any(re.search(r"\ban? $", before) for before in before_names):
        return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
    return name


# The patterns by which a passage tells the first year: `(born 4 May 1929`, `released in 1975`, `founded … in 1882`.
_YEAR = r"\b(1[4-9]\d\d|20[0-2]\d)\b"
_BEGAN = {
    "person": rf"\(born [^()]*?{_YEAR}|\([^()]{{0,60}}?{_YEAR}\s*[–-]",
    "work": (
        rf"\b(?:released|published|premiered|aired|debuted|broadcast|recorded)\b[^.;]{{0,60}}?{_YEAR}|\ban? {_YEAR} "
    ),
    "body": rf"\b(?:founded|established|opened|formed|incorporated|built|completed|created)\b[^.;]{{0,40}}?{_YEAR}",
}


def _start_year(kind: str, text: str) -> int | None:
    """The year in which a subject of this kind appeared, began or was born; None if the text leaves a doubt."""
    if not kind:
        return None
    sort = "body"  # organisations, buildings and other things that somebody founds or builds
    if kind == "person":
        sort = "person"
    elif kind in _NAMED_WITH_NOUN:
        sort = "work"
    if sort == "work" and re.search(
        r"\b(?:covered|cover|remake|version|(?:second|third|final|last|\w+th) season)\b", text
    ):
        return None  # the year may be that of another version
    years = [int(next(filter(None, match.groups()))) for match in re.finditer(_BEGAN[sort], text)]
    # Biographies give the year of birth first. Other subjects may have several years, none of which is certain.
    if sort == "person":
        return years[0] if years else None
    return years[0] if len(set(years)) == 1 else None
