"""The subject of a passage: its name in the passage, the noun that says what it is, and its first year.

The *noun* is the passage's own word, such as "sitcom". The *kind*, such as `series`, comes from the table `kinds` of
`levers/words.yaml`, which lists the nouns of each kind.
"""

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
    first_year: int | None
    """The year in which it appeared, began or was born; None unless the passage gives exactly one year."""
    definition: str
    """The rest of the sentence "NAME is a …", from the name on; empty if the passage has no such sentence."""


@cache
def _kind_of_noun() -> dict[str, str]:
    """Each noun of the table `kinds` with its kind: "sitcom" has the kind "series"."""
    return {noun: kind for kind, nouns in word_table("kinds").items() for noun in nouns}


# Works: kinds whose name needs the noun before it in a sentence: `the film Jaws`.
_WORKS = ("song", "album", "film", "series", "book", "text", "stage", "game")
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

    1. The title, as far as the passage has it, gives the name.
    2. The passage's definition of the name ("NAME is a ...") gives the kind and the noun.
    3. The kind decides whether the name is a proper name, whose capital stays.
    4. The full name is the name with the noun or the article that a sentence needs.
    """
    text = passage.text
    title = passage.title if has_word(text, passage.title) else bare_title(passage.title)
    mentions = spans_of(text, title)
    if not mentions or not _may_be_name(title):
        return None
    name = _as_written(text, title, query)
    definition = _definition(name, text)
    kind, noun = _kind_and_noun(name, title, passage, definition.noun_phrase, query)
    if kind in (*_WORKS, *_NAMED_BARE):
        # `_as_written` distrusts a capital at the start of a sentence, but these kinds have proper names.
        first_start, first_end = mentions[0]
        name = text[first_start:first_end]
    if _is_doubtful(name, kind, text, definition.sentence):
        return None
    full = _full_name(name, kind, noun, text)
    # The question may show the article if the passage does not.
    if full == name and kind in ("", "building", "structure") and has_word(query, f"the {name}"):
        full = f"the {name}"
    if not kind and full == name and not _stands_bare(name, text):
        return None  # the passage does not show whether the name takes an article
    return Subject(name, kind, noun, full, _first_year(kind, text), definition.sentence)


def _may_be_name(title: str) -> bool:
    """Whether a title may be the name of one thing. A title that begins with a mark cannot be found as a whole word."""
    is_headline = _NO_SUBJECT.search(title) or len(title.split()) > _MOST_TITLE_WORDS
    return title[:1].isalnum() and not is_headline


def _is_doubtful(name: str, kind: str, text: str, definition: str) -> bool:
    """Whether sentences about the subject would be wrong or odd."""
    if kind == "person" and not _is_person(name):
        return True
    # The rules state facts of nature and history, which do not hold for fiction.
    if kind not in _WORKS and re.search(r"\b(?:fictional|mythical|legendary)\b", definition):
        return True
    return _may_be_plural(name, kind, text) or (not kind and _may_be_person(name, text, definition))


def _as_written(text: str, title: str, query: str) -> str:
    """The name as the passage writes it inside a sentence; a common noun in small letters."""
    # The first word of a sentence has a capital in any case. Before it stand a mark and a blank.
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
    is_acronym = title[:2].isupper()
    # "Safety pin" is a common noun, but "Safety Act" is a name.
    is_common_noun = is_common(plain(first_word)) and following == following.lower() and not is_acronym
    return title[:1].lower() + title[1:] if is_common_noun else title


# The end of the noun phrase of a definition: "a 1975 film | directed by …".
_AFTER_NOUN_PHRASE = re.compile(
    r"[,;.()\[]| (?:of|by|that|which|who|in|on|from|for|with|and|at|to|about|near|between|whose|where|than"
    r"|\w{3,}ed|set|written|starring|sung|fought|won|held|consisting|originally|native|known|used|built|made)\b"
)
# The text between a name and the noun phrase of its definition, and the rest of the sentence (group 1)
_IS_A = re.compile(
    r"""
    [\"”']?
    (?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?             # a bracket, maybe with others inside: "(1975)"
    ,?(?:\s[^.;]{3,70},)?                               # an aside: ", also called the Shark,"
    \s+(?:is|was)\s+(?:both\ )?(?:an?|the|one\ of\ the)\s+
    ([^;\n]{3,160})
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A definition that follows the name after a comma: `, a film …`.
_APPOSED = re.compile(r"[\"”']?, an? ([^;\n]{3,100})")
_END_OF_SENTENCE = re.compile(r"\.(?:\s|$)")


class _Definition(NamedTuple):
    """The sentence "NAME is a …". Both fields are empty if the passage has no such sentence."""

    sentence: str = ""
    """The sentence from the name on."""
    noun_phrase: str = ""
    """The words after "is a", up to the noun: "1975 film"."""


def _definition(name: str, text: str) -> _Definition:
    """The definition of a name in a passage."""
    mentions = spans_of(text, re.sub(r"^(?:The|A|An|the) ", "", name))
    # A sentence with "is" defines the name more surely than an apposition.
    for pattern in (_IS_A, _APPOSED):
        for start, end in mentions:
            if match := pattern.match(text, end):
                end_mark = _END_OF_SENTENCE.search(text, match.start(1))
                sentence = text[start : end_mark.start() if end_mark else len(text)]
                return _Definition(sentence, _AFTER_NOUN_PHRASE.split(match[1])[0])
    return _Definition()


class _KindAndNoun(NamedTuple):
    """The kind of a subject, and the noun for it."""

    kind: str = ""
    noun: str = ""


_UNCLEAR = _KindAndNoun()


def _kind_and_noun(name: str, title: str, passage: Passage, noun_phrase: str, query: str) -> _KindAndNoun:
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
    # "Jaws (film)"
    bracket = re.search(r"\(([^()]*)\)\s*$", passage.title)
    in_bracket = bracket[1] if bracket else ""
    if re.search(r"\b(?:disambiguation|character|franchise|comics?)\b", in_bracket):
        return _UNCLEAR
    if "season" in in_bracket or re.search(r"\bTV series\b", in_bracket):
        return _KindAndNoun("series", "series")
    by_head_noun = _by_head_noun(in_bracket) or _by_head_noun(noun_phrase)
    if by_head_noun is not None:
        return by_head_noun
    # A definition with a noun that is not in the table leaves the kind unclear.
    if noun_phrase:
        return _UNCLEAR
    return _by_word_before(name, query) or _by_last_word(title)


def _by_word_before(name: str, query: str) -> _KindAndNoun | None:
    """Kind and noun by the word before the name in a question, as in "the film Jaws"; None if it is not a work."""
    # If the question does not have the name, the text before it is empty.
    start = max(0, query.lower().find(name.lower().removeprefix("the ")))
    text_before = query[:start].lower().rstrip()
    *_, noun = re.sub(r" (?:the|called|named)$", "", text_before).split(" ")
    kind = _kind_of_noun().get(noun, "")
    return _KindAndNoun(kind, noun) if kind in _WORKS else None


def _by_last_word(title: str) -> _KindAndNoun:
    """Kind and noun by the last word of a title, such as "River" in "Kanawha River"."""
    last_word = title.rsplit(maxsplit=1)[-1]
    noun = plain(last_word)
    kind = _kind_of_noun().get(noun, "")
    # People and works may have any noun in their names, and the nouns below often end names of other things.
    if kind in ("", "person", *_WORKS) or noun in ("play", "bank", "club", "heart"):
        return _UNCLEAR
    return _KindAndNoun(kind, noun) if " " in title and last_word[:1].isupper() else _UNCLEAR


# A series of books, games or events is another thing than a series on television, and so is a show on a stage.
_ON_TELEVISION = {
    "series": re.compile(r"\b(?:television|tv|drama|comedy|web|crime|anime|streaming)\b"),
    "show": re.compile(r"\b(?:television|tv|talk|game|reality|variety)\b"),
}


def _by_head_noun(noun_phrase: str) -> _KindAndNoun | None:
    """Kind and noun by the last words of a noun phrase; None if they are not in the table of nouns."""
    words = noun_phrase.lower().split()
    # Nouns of two words first, so that "opera house" is not read as "house".
    for noun in (" ".join(words[-2:]), " ".join(words[-1:])):
        kind = _kind_of_noun().get(noun)
        if kind is not None:
            needed = _ON_TELEVISION.get(noun)
            is_other_thing = needed is not None and not needed.search(noun_phrase.lower())
            return None if is_other_thing else _KindAndNoun(kind, noun)
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


def _may_be_plural(name: str, kind: str, text: str) -> bool:
    """Whether a name is plural, or may be: the wordings of rules fit singular subjects only."""
    if kind in (*_WORKS, "person", "band", "team", "company"):
        return False
    # The word after each mention, which is often the verb.
    words_after = {text[end + 1 :].split(" ", 1)[0].lower() for _, end in spans_of(text, name)}
    if not words_after.isdisjoint(("are", "were", "have")):
        return True
    has_singular_verb = not words_after.isdisjoint(("is", "was", "has"))
    # Without such a sign, a noun in small letters may be plural, as in "peasants and samurai".
    shows_singular = (
        has_singular_verb
        or "does" in words_after
        or re.search(rf"\b(?:an?|the) {re.escape(name)}\b", text, re.IGNORECASE)
    )
    if not kind and name.islower() and not shows_singular:
        return True
    last_word = plain(name.rsplit(maxsplit=1)[-1])
    has_plural_ending = (
        last_word.endswith("s")
        and not last_word.endswith(("ss", "us", "is"))
        and last_word not in ("series", "texas", "massachusetts")
    )
    return has_plural_ending and not has_singular_verb


def _stands_bare(name: str, text: str) -> bool:
    """Whether the passage uses a name without an article: at the start of a sentence or after a preposition."""
    # The eight characters before a mention hold the longest of these prepositions.
    before_bare = re.compile(r"(?:^|[.!?]\s+|\b(?:of|in|to|for|with|from|by|at|and|that) )[\"“]?$")
    return any(before_bare.search(text[max(0, start - 8) : start]) for start, _ in spans_of(text, name))


# The text after a name that is part of another one, as "Kanawha" is in "Kanawha River".
_NAME_GOES_ON = re.compile(r" [A-Z]")
# The text after a name that is not part of a longer phrase, such as "the Google Glass prototype".
_ENDS_NAME = re.compile(
    r"[,.;:)\"”]|$|\s+(?:\(|(?:is|are|was|were|has|had|in|of|by|and|or|to|for|from|on|at|with|that|which|who|as)\b)"
)


def _full_name(name: str, kind: str, noun: str, text: str) -> str:
    """The name as a sentence needs it, with the article that the passage gives it at least half of the time."""
    if kind in _QUOTED:
        return f'the {noun} "{name}"'
    if kind in _WORKS:
        return f"the {noun} {name}"
    if kind == "person":
        return name
    # "The" with a capital within a sentence belongs to the name, as in "The Beatles".
    if name.startswith("The ") and re.search(rf"[a-z,] {re.escape(name)}\b", text):
        return name
    if re.match(r"(?:the|a|an) ", name, re.IGNORECASE):
        return f"the {name.split(maxsplit=1)[1]}"
    return _with_article(name, kind, text)


def _with_article(name: str, kind: str, text: str) -> str:
    """A name that has no article of its own, with the article that the passage gives it."""
    mentions = [(start, end) for start, end in spans_of(text, name) if not _NAME_GOES_ON.match(text, end)]
    standing_alone = [(start, end) for start, end in mentions if _ENDS_NAME.match(text, end)]
    if not standing_alone and (not kind or kind in _NAMED_BARE):
        return name
    # The four characters before a mention hold the longest article and its blank.
    texts_before = [text[max(0, start - 4) : start].lower() for start, _ in standing_alone or mentions]
    if texts_before.count("the ") * 2 >= len(texts_before):
        return f"the {name}"
    if kind not in _NAMED_BARE and any(re.search(r"\ban? $", before) for before in texts_before):
        return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
    return name


_YEAR = r"\b(1[4-9]\d\d|20[0-2]\d)\b"
# Patterns by which a passage tells the first year. The year is in one of the groups.
_BORN = rf"\(born [^()]*?{_YEAR}|\([^()]{{0,60}}?{_YEAR}\s*[–-]"
_ISSUED = rf"\b(?:released|published|premiered|aired|debuted|broadcast|recorded)\b[^.;]{{0,60}}?{_YEAR}|\ban? {_YEAR} "
_FOUNDED = (
    rf"\b(?:founded|established|opened|formed|incorporated|built|completed|created)\b[^.;]{{0,40}}?{_YEAR}"
)
# A passage on several versions or seasons of a work: the year may be that of another one.
_VERSIONS = re.compile(r"\b(?:covered|cover|remake|version|(?:second|third|final|last|\w+th) season)\b")


def _first_year(kind: str, text: str) -> int | None:
    """The year in which a subject of this kind appeared, began or was born; None if the text leaves a doubt."""
    if not kind or (kind in _WORKS and _VERSIONS.search(text)):
        return None
    pattern = _FOUNDED  # for organisations, buildings and other things that somebody founds or builds
    if kind == "person":
        pattern = _BORN
    elif kind in _WORKS:
        pattern = _ISSUED
    years = [int(match[match.lastindex or 0]) for match in re.finditer(pattern, text)]
    # Biographies give the year of birth first. Other subjects may have several years, none of which is certain.
    is_certain = kind == "person" or len(set(years)) == 1
    return years[0] if years and is_certain else None
