"""Names of subjects: whether a title can be one, and how a sentence writes it, with its noun or article."""

from __future__ import annotations

import re

from perturb.records import Passage
from perturb.rules import pools
from perturb.rules.subject_kinds import WORKS, Sort
from perturb.rules.topics import bare_title
from perturb.rules.words import STOP_WORDS, is_common, plain, spans_of, word_list

_WITH_ARTICLE = frozenset(
    word_list(
        """
    cup open ocean sea war wars bowl rumble party river canal bridge dam mountains desert declaration games game
    ceremony award awards finals center centre revolution dynasty league group empire union company
    """
    )
)
"""Last words of names that an article goes before."""

_BAD_NAME = re.compile(
    r"^(?:list|history|\d{4} |outline|timeline)\b|[:;\[\]{}|]|\n|\b(?:secretary|president|minister|leader|governor|"
    r"ceo|chairman|senator)\b",
    re.IGNORECASE,
)


def same_name(title: str, name: str) -> bool:
    return re.sub(r"^(?:the|a|an) ", "", title.lower()) == re.sub(r"^(?:the|a|an) ", "", name.lower())


def is_good_name(name: str) -> bool:
    capitals = [w for w in name.split() if w[:1].isupper() or w[:1].isdigit()]
    return (
        3 <= len(name) <= 60
        and name.isprintable()
        and (name[-1].isalnum() or name[-1] == ")")
        and bool(capitals)
        and (name[:1].isupper() or name[:1].isdigit())
        and not _BAD_NAME.search(name)
        and all(w in capitals or plain(w) in STOP_WORDS or not w[:1].isalpha() for w in name.split())
    )


def has_cut_title(title: str, name: str) -> bool:
    """Whether the brackets of a title are part of the name, as in "Fool (If You Think It's Over)"."""
    bracket = re.search(r"\(([^()]*)\)\s*$", title)
    return bool(bracket and bracket.group(1)[:1].isupper() and len(bracket.group(1).split()) > 2 and name)


def is_like_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 3 and plain(words[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES


def called_by_surname(name: str, text: str) -> bool:
    """Whether a passage goes on with the last of two or three capitalised words alone, as with persons."""
    words = name.split()
    if not 2 <= len(words) <= 3 or not all(word[0].isupper() and word.isalpha() for word in words):
        return False
    whole = len(spans_of(text, f"{words[-2]} {words[-1]}"))
    return len(re.findall(rf"(?<!\w){words[-1]}(?!\w)", text)) > whole


def full_name(name: str, noun: str, sort: Sort, query: str, passages: tuple[Passage, ...]) -> str:
    if sort in WORKS:
        return f"the {noun} {with_its_article(name, passages)}"
    if re.match(r"(?:The|A|An) ", name):
        return name
    head = name.split(" of ", maxsplit=1)[0]
    if _stands_bare(name, passages):
        return name
    if " of " in name and " " not in head and is_common(plain(head)) and plain(head) not in ("isle", "book"):
        return f"the {name}"
    if plain(name.rsplit(maxsplit=1)[-1]) in _WITH_ARTICLE and not re.search(r"['’]s? ", name):
        return f"the {name}"
    with_article = without = 0
    for text in (query, *(p.text for p in passages)):
        for start, end in spans_of(text, name):
            follows = re.match(r"['’]s?\b|[ -][A-Za-z]+", text[end : end + 15])
            if follows and _carries(follows.group()):
                continue
            if text[max(0, start - 4) : start].lower() == "the ":
                with_article += 1
            else:
                without += 1
    return f"the {name}" if with_article > without else name


_BEFORE_BARE = re.compile(
    r"(?:^|[.!?\n,(\"“]|\b(?:in|of|at|for|by|from|on|to|with|and|as|that|when|since))\s*$", re.I
)


def _stands_bare(name: str, passages: tuple[Passage, ...]) -> bool:
    """Whether the passages never give a name an article, and have it after a preposition somewhere."""
    before = [p.text[max(0, s - 12) : s] for p in passages for s, _ in spans_of(p.text, name)]
    if any(text.lower().endswith("the ") for text in before):
        return False
    return any(_BEFORE_BARE.search(text) for text in before)


def with_its_article(name: str, passages: tuple[Passage, ...]) -> str:
    """The title of a work with the article that the passages write as a part of it."""
    if re.match(r"(?:The|A|An) ", name):
        return name
    before = [p.text[max(0, s - 4) : s] for p in passages for s, _ in spans_of(p.text, name)]
    titled = any(bare_title(p.title) == f"The {name}" for p in passages)
    return f"The {name}" if titled or (before and all(b == "The " for b in before)) else name


def _carries(follows: str) -> bool:
    """Whether the word after a name makes the name its attribute, as in "the Celsius scale"."""
    word = plain(follows.strip(" -"))
    light = (
        word in STOP_WORDS
        or word.endswith("ed")
        or word in ("first", "last", "start", "end", "open", "begin")
    )
    return follows.startswith("-") or (not light and is_common(word))
