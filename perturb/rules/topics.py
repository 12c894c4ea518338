"""The topic: what question and title share, as the title writes it, and what kind of thing it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from perturb.records import Passage
from perturb.rules import pools
from perturb.rules.words import STOP_WORDS, TOKEN, is_common, plain, spans_of

Family = Literal["work", "person", "character", "group", "organisation", "place", "event", "name", "other"]


@dataclass(frozen=True, slots=True)
class Topic:
    """The thing that a question is about."""

    text: str
    """Its name in proper letter case, without an article before it and without a bracketed addition."""
    start: int
    end: int
    """Where it stands in the query (the recased one)."""
    kind: str
    """`song`, `film`, `band`, `city`, …; `topic` when unknown."""
    family: Family
    whole_title: bool
    """Whether it is the title of a passage, whole."""


def recase(query: str, passages: tuple[Passage, ...]) -> str:
    """The query with the names in it written as titles and passages write them; a cased query stays.

    >>> recase("who wrote pride and prejudice", (Passage("Pride and Prejudice is a novel.", "Pride and Prejudice"),))
    'who wrote Pride and Prejudice'
    """
    if is_cased(query):
        return query
    query = re.sub(r"\b(the|in) us\b", r"\1 US", query)
    query = re.sub(r"\bworld war (?:one|two|i{1,2}|1|2)\b", lambda m: _war(m.group()), query)
    for name in sorted({proper_title(p) for p in passages if p.title}, key=lambda n: (-len(n), n)):
        span = _match(query, name)
        if span is None:
            continue
        start, written = span[0], name.strip(" .…")
        article = re.search(r"\b(?:the|a|an) $", query[:start], re.IGNORECASE)
        if article and name.lower().startswith(article.group()):
            start = article.start()
        elif re.match(r"(?:The|A|An) ", name):
            written = name.partition(" ")[2]
        head, tail = query[:start], query[span[1] :]
        return f"{_recased_part(head, passages)}{written}{_recased_part(tail, passages)}"
    return _recased_part(query, passages)


def _war(name: str) -> str:
    """A world war as a name: "World War One", "World War II"."""
    number = name.rsplit(maxsplit=1)[-1]
    return f"World War {number.upper() if number.startswith('i') else number.capitalize()}"


def is_cased(query: str) -> bool:
    """Whether a query writes its names with capitals, as its first word alone does not show."""
    return any(m.group()[0].isupper() for m in list(TOKEN.finditer(query))[1:])


def _recased_part(query: str, passages: tuple[Passage, ...]) -> str:
    matches = list(TOKEN.finditer(query))
    sources = [bare_title(p.title) for p in passages if p.title] + [p.text for p in passages]
    result, position, cursor = "", 0, 0
    while position < len(matches):
        for length in range(min(8, len(matches) - position), 0, -1):
            span = matches[position : position + length]
            cased = _cased_form(query[span[0].start() : span[-1].end()], sources)
            if cased is not None:
                result += query[cursor : span[0].start()] + cased
                cursor = span[-1].end()
                position += length
                break
        else:
            position += 1
    return result + query[cursor:]


def _cased_form(phrase: str, sources: list[str]) -> str | None:
    words = phrase.split()
    if len(words) == 1:
        return _cased_word(phrase, sources)
    if phrase.lower() in _PLACE_NAMES:
        return _PLACE_NAMES[phrase.lower()]
    if plain(words[0]) in STOP_WORDS or plain(words[-1]) in STOP_WORDS:
        return None
    forms = [source[start:end] for source in sources for start, end in spans_of(source, phrase)]
    if not forms or any(form == phrase for form in forms):
        return None
    ends = forms[0].split()
    return re.sub(r"\s+", " ", forms[0]) if ends[0][:1].isupper() and ends[-1][:1].isupper() else None


def _cased_word(word: str, sources: list[str]) -> str | None:
    """A single word in capitals only if no dictionary knows it as a common word."""
    key = plain(word)
    if key in pools.ABBREVIATIONS:
        return pools.ABBREVIATIONS[key]
    if word.lower() in _PLACE_NAMES:
        return _PLACE_NAMES[word.lower()]
    if key in STOP_WORDS or len(key) < 3 or is_common(key):
        return None
    forms = [source[start:end] for source in sources for start, end in spans_of(source, word)]
    if forms and all(form[:1].isupper() for form in forms):
        return forms[0]
    return word.capitalize() if not forms and key in pools.MALE_NAMES | pools.FEMALE_NAMES else None


_PLACE_NAMES = {name.lower(): name for name in (*pools.COUNTRIES, *pools.US_STATES, *pools.CITIES)}


def topic_of(query: str, passages: tuple[Passage, ...]) -> Topic | None:
    """The longest name that the (recased) query shares with a title, else with the opening of a passage."""
    best: Topic | None = None
    for passage in passages:
        name = proper_title(passage)
        if not name:
            continue
        span = _match(query, name)
        if span is None:
            continue
        kind = _kind(name, passage, query, span)
        topic = Topic(re.sub(r"^(?:The|A|An) (?=[a-z])", "", name), *span, kind, _family(kind), True)
        if best is None or len(topic.text) > len(best.text):
            best = topic
    return best or _capitalised(query, passages)


def bare_title(title: str) -> str:
    """A title without a bracketed addition: "Rocky (film)" is "Rocky"."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", title).strip()


def proper_title(passage: Passage) -> str:
    """The bare title, its first letter small where the passage itself writes the thing in small letters."""
    name = bare_title(passage.title)
    small = name[:1].lower() + name[1:]
    if name[:2].isupper() or small == name or not is_common(plain(name.split()[0])):
        return name
    texts = [passage.text[start:end] for start, end in spans_of(passage.text, name)]
    return small if small in texts else name


def _match(query: str, name: str) -> tuple[int, int] | None:
    """Where all content words of a name stand in the query, in order and without anything foreign between."""
    wanted = [plain(m.group()) for m in TOKEN.finditer(name.replace("&", "and"))]
    while wanted and wanted[0] in ("the", "a", "an"):
        wanted = wanted[1:]
    if not wanted or all(word in STOP_WORDS for word in wanted):
        return None
    have = list(TOKEN.finditer(query))
    for place in range(1, len(have) - len(wanted) + 1):
        window = have[place : place + len(wanted)]
        if [plain(m.group()) for m in window] == wanted:
            end = window[-1].end()
            if query[:end].lower().endswith(("'s", "’s")) and not name.lower().endswith(("'s", "’s")):
                end -= 2
            return window[0].start(), end
    return None


def _kind(name: str, passage: Passage, query: str, span: tuple[int, int]) -> str:
    bracket = re.search(r"\(([^()]*)\)\s*$", passage.title)
    words = [plain(w) for w in (bracket.group(1).split() if bracket else [])]
    for word in reversed(words):
        if word in pools.TOPIC_KINDS:
            return word
    define = re.search(
        re.escape(name) + r"[\"”]?(?:\s*\([^()]*\))?,?(?:\s[^.,;]{3,60},)?"
        r"\s+(?:is|was|are|were)\s+(?:an?|the|one of the)\s+([^.;]{3,110})",
        passage.text,
        re.IGNORECASE,
    )
    if define:
        head = re.split(
            r",| (?:of|by|that|which|who|in|on|from|for|based|written|set|created|directed|recorded|with|and)\b",
            define.group(1),
        )[0]
        for word in reversed(head.split()):
            if plain(word) in pools.TOPIC_KINDS:
                return plain(word)
    neighbours = query[: span[0]].split()[-1:] + query[span[1] :].split()[:1]
    for word in neighbours:
        if pools.TOPIC_KINDS.get(plain(word)) == "work":
            return plain(word)
    verbs = query.lower().split()[:3]
    if query[span[1] :].strip(" ?") == "" and {"sings", "sang"} & set(verbs):
        return "song"
    return "topic"


def _family(kind: str) -> Family:
    return pools.TOPIC_KINDS.get(kind, "other")  # type: ignore[return-value]


def _capitalised(query: str, passages: tuple[Passage, ...]) -> Topic | None:
    """The longest run of capitalised words in the query that also stands in a passage.

    A single capitalised word, or one after a noun that it may belong to, is too little to go by.
    """
    runs = re.finditer(
        r"(?<=\s)[A-Z][\w’'.-]*(?:\s+(?:(?:of|the|and|in|for|de|la|du|&)\s+){0,2}[A-Z0-9][\w’'.-]*)*", query
    )
    best: Topic | None = None
    for run in runs:
        name = run.group().rstrip("?.'’")
        home = next((p for p in passages if spans_of(p.text, name)), None)
        if home is None or " " not in name or (best and len(name) <= len(best.text)):
            continue
        span = (run.start(), run.start() + len(name))
        kind = _kind(name, home, query, span)
        best = Topic(name, *span, kind, _family(kind), False)
    return best
