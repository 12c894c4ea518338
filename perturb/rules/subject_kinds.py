"""What kind of thing a subject is: the noun that says so, by query, title, definition, name or passage."""

from __future__ import annotations

import re
from typing import Literal

from perturb.records import Passage
from perturb.rules.words import plain, word_list

Sort = Literal[
    "music", "film", "series", "book", "stage", "game", "place", "body", "event", "person", "thing"
]

WORKS: frozenset[str] = frozenset(("music", "film", "series", "book", "stage", "game"))


_NOUNS: tuple[tuple[Sort, str], ...] = (
    ("music", "song single album soundtrack hymn carol ballad anthem tune"),
    ("film", "film movie documentary short"),
    ("series", "series sitcom show miniseries soap anime"),
    ("book", "novel book poem story memoir novella comic autobiography"),
    ("stage", "play musical opera ballet"),
    ("game", "game"),
    (
        "place",
        "river mountain island lake desert park building tower arena stadium bridge castle canal dam "
        "skyscraper "
        "museum lighthouse hotel resort cathedral monument palace road highway street square stairway "
        "mountains "
        "cemetery zoo port airport station tunnel peninsula fortress",
    ),
    (
        "body",
        "band team club company corporation organization organisation university college foundation retailer "
        "network duo group agency department chain restaurant brand manufacturer",
    ),
    ("event", "war battle tournament festival election revolution race championship ceremony battles final"),
    (
        "person",
        "actor actress singer writer author politician player coach musician scientist physicist announcer "
        "footballer songwriter comedian rapper director model philosopher artist dancer producer composer "
        "athlete swimmer poet journalist lawyer wrestler skydiver host presenter",
    ),
)
SORTS: dict[str, Sort] = {noun: sort for sort, nouns in _NOUNS for noun in nouns.split()}

NAME_TAILS = frozenset(
    word_list(
        """
    river island bridge canal park tower mountains mountain lake dam university college war battle resort hotel
    museum castle foundation championship election stadium arena airport company corporation
    """
    )
)
"""Last words of a name that say what it is."""

_CUT = re.compile(
    r",|;|\.|\(| (?:of|by|that|which|who|in|on|from|for|with|and|at|to|about|near|between|whose|where|than|based|"
    r"written|set|created|directed|recorded|starring|produced|released|located|performed|published|sung|consisting|"
    r"adapted|composed|originally|developed|native|distributed|devoted|dedicated|known|used|designed|built|held|owned|"
    r"operated|played|made|broadcast|hosted|headquartered|situated)\b"
)


def defined(name: str, passage: Passage) -> tuple[list[str], str]:
    """The words of "is a …" up to the first preposition, and the whole sentence."""
    bare = re.sub(r"^(?:The|A|An) ", "", name)
    define = re.search(
        rf"(?<!\w){re.escape(bare)}[\"”']?(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?,?(?:\s[^.;]{{3,70}},)?\s+(?:is|was|are|were)\s+"
        r"(?:both )?(?:an?|the|one of the)\s+([^;\n]{3,140})",
        passage.text,
    )
    if define is None:
        return [], ""
    head = _CUT.split(define.group(1))[0]
    stop = re.search(r"\.(?:\s|$)", passage.text[define.start() :])
    end = define.start() + stop.start() if stop else define.end()
    return head.split(), passage.text[define.start() : end]


def noun_of(words: list[str], passage: Passage, name: str, query: str) -> str:
    """The noun that says what a thing is: by the query, else the title, the definition, the name or the passage."""
    place = query.lower().find(name.lower())
    before = query[:place].lower().split() if place > 0 else []
    if before and before[-1] in (
        "song",
        "movie",
        "film",
        "book",
        "novel",
        "play",
        "album",
        "musical",
        "story",
    ):
        return before[-1]
    bracket = re.search(r"\(([^()]*)\)\s*$", passage.title)
    inside = [plain(word) for word in reversed(bracket.group(1).split())] if bracket else []
    if "comic" in inside or "comics" in inside:
        return "comic"
    if inside[:1] == ["series"] and {"film", "novel", "book"} & set(inside):
        return ""
    for word in inside:
        if word in SORTS or word == "season":
            return word if word in SORTS else "series"
    tail = plain(name.rsplit(maxsplit=1)[-1])
    if words:
        defined = _defining(words)
        return defined or (tail if tail in NAME_TAILS else "")
    if tail in NAME_TAILS:
        return tail
    if before[-2:] in (["tv", "show"], ["tv", "series"]):
        return before[-1]
    if before[:1] == ["who"] and before[1:] in (
        ["sings"],
        ["sang"],
        ["sings", "the", "song"],
        ["sang", "the", "song"],
    ):
        return "song"
    return _spoken_of(passage.text)


def _defining(words: list[str]) -> str:
    """The noun at the head of "is a …", if it is a known one and not the first part of something else."""
    last, all_words = plain(words[-1]), " ".join(words)
    if last in ("program", "programme", "show", "drama", "comedy"):
        televised = re.search(r"television|TV|soap|talk|game show|sitcom|reality", all_words)
        return ("series" if last == "drama" else "show") if televised else ""
    if last == "series":
        return (
            last
            if re.search(r"television|TV|web|drama|comedy|crime|sitcom|streaming|anime", all_words)
            else ""
        )
    if last == "group":
        return last if "musical" in words else ""
    return "series" if last == "opera" and "soap" in words else last if last in SORTS else ""


def _spoken_of(text: str) -> str:
    """The kind of work by which a passage speaks of its subject throughout: "the song", "this film"."""
    found = [
        plain(m.group(1))
        for m in re.finditer(
            r"\b(?:the|this) (song|film|movie|series|show|novel|book|musical|hymn|album)(?='s|[,.]| [a-z])",
            text,
            re.IGNORECASE,
        )
    ]
    kinds = {SORTS[noun] for noun in found}
    return found[0] if len(kinds) == 1 else ""
