"""What an instance is about, in words that a new question can use: "the song Emma Lee", "the Suez Canal"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from perturb.records import Passage
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import gender_of
from perturb.rules.doers import doer_of, is_small_word
from perturb.rules.topics import Topic, bare_title, proper_title
from perturb.rules.words import STOP_WORDS, is_common, plain, spans_of, word_list

Sort = Literal[
    "music", "film", "series", "book", "stage", "game", "place", "body", "event", "person", "thing"
]

WORKS: frozenset[str] = frozenset(("music", "film", "series", "book", "stage", "game"))


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing that a passage is about."""

    name: str
    noun: str
    """`song`, `film`, `river`, …; empty for a plain thing."""
    sort: Sort
    full: str
    """How a sentence names it: a work with its noun, other things with their article."""
    passage: int
    """The passage whose title it is."""
    definition: str
    """What that passage says it is: the sentence that defines it, or nothing."""
    year: int | None
    """The year of its first appearance, where the definition gives just one."""
    gender: str | None = None
    """Of a person."""
    span: tuple[int, int] | None = None
    """Where it stands in the query."""


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
_SORTS: dict[str, Sort] = {noun: sort for sort, nouns in _NOUNS for noun in nouns.split()}

_NAME_TAILS = frozenset(
    word_list(
        """
    river island bridge canal park tower mountains mountain lake dam university college war battle resort hotel
    museum castle foundation championship election stadium arena airport company corporation
    """
    )
)
"""Last words of a name that say what it is."""

_WITH_ARTICLE = frozenset(
    word_list(
        """
    cup open ocean sea war wars bowl rumble party river canal bridge dam mountains desert declaration games game
    ceremony award awards finals center centre revolution dynasty league group empire union company
    """
    )
)
"""Last words of names that an article goes before."""

_CUT = re.compile(
    r",|;|\.|\(| (?:of|by|that|which|who|in|on|from|for|with|and|at|to|about|near|between|whose|where|than|based|"
    r"written|set|created|directed|recorded|starring|produced|released|located|performed|published|sung|consisting|"
    r"adapted|composed|originally|developed|native|distributed|devoted|dedicated|known|used|designed|built|held|owned|"
    r"operated|played|made|broadcast|hosted|headquartered|situated)\b"
)
_YEAR = re.compile(r"\b(1[5-9]\d\d|20[01]\d)\b")
_BAD_NAME = re.compile(
    r"^(?:list|history|\d{4} |outline|timeline)\b|[:;\[\]{}|]|\n|\b(?:secretary|president|minister|leader|governor|"
    r"ceo|chairman|senator)\b",
    re.IGNORECASE,
)


def subject_of(a: Analysis) -> Subject | None:
    """The subject of an instance: its topic, else the person or named thing that the answering passage is titled by."""
    return _subject(a.query, a.instance.passages, a.topic, _home(a))


def _home(a: Analysis) -> int:
    return edited_passage(a) or 0


def edited_passage(a: Analysis) -> int | None:
    """The first signal passage that holds an answer: the one that a rule may edit."""
    passages = a.instance.passages
    return next((m.passage for m in a.mentions if passages[m.passage].role == "signal"), None)


_TOO_WIDE = frozenset((*pools.COUNTRIES, *pools.US_STATES, "First Lady", "President of the United States"))


@lru_cache(maxsize=64)
def _subject(query: str, passages: tuple[Passage, ...], topic: Topic | None, home: int) -> Subject | None:
    if topic is None or not topic.whole_title:
        work = _work_at_end(query, passages, home)
        if work is not None:
            return work
    found = _titled(query, passages, topic, home)
    if found is None:
        found = _name_at_end(query, passages, home)
        return None if found is None or _plural(found) else found
    if _plural(found):
        return None
    if topic is not None and topic.whole_title and topic.text == found.name:
        return replace(found, span=(topic.start, topic.end))
    return found


def _plural(s: Subject) -> bool:
    """Whether a name calls for a verb in the plural, as "the San Juan Mountains" does."""
    first, last = plain(s.name.split()[0]), plain(s.name.rsplit(maxsplit=1)[-1])
    if s.sort in WORKS or s.sort == "person":
        return False
    return first in ("battles", "islands") or (
        len(last) > 3
        and last.endswith("s")
        and not last.endswith(("ss", "us", "is"))
        and last not in ("series", "olympics")
    )


def _name_at_end(query: str, passages: tuple[Passage, ...], home: int) -> Subject | None:
    """A name of several words that ends the query and stands in the answering passage just so."""
    found = re.search(
        r" (?:in|on|of|for|at|by|from|the) ((?:[A-Z][\w'’.&–-]*)(?: (?:of |the |and |for )*[A-Z][\w'’.&–-]*)+)$",
        query.rstrip("? "),
    )
    if found is None or home >= len(passages):
        return None
    name = found.group(1)
    if name not in passages[home].text or not _good_name(name) or _like_person(name) or name in _TOO_WIDE:
        return None
    if any(name in title and name != title for title in map(proper_title, passages)):
        return None
    tail = plain(name.rsplit(maxsplit=1)[-1])
    sort = _SORTS.get(tail, "thing")
    noun = tail if tail in _NAME_TAILS and sort in ("place", "body", "event") else ""
    full = _full(name, noun, sort if noun else "thing", query, passages)
    return Subject(name, noun, sort if noun else "thing", full, home, "", None, None, found.span(1))


def _work_at_end(query: str, passages: tuple[Passage, ...], home: int) -> Subject | None:
    """The film or series in which, by the end of the query, somebody played a part."""
    found = re.match(
        r"who (?:plays?|played|voices?|voiced|portray\w+) .+ (?:in|on|from) "
        r"((?:the )?(?:[A-Z][\w'’.&]*(?: |$)|of |the |and |in |to |\d+$)+)$",
        query,
    )
    if found is None or home >= len(passages):
        return None
    name, text = found.group(1), passages[home].text
    bare = re.sub(r"^the ", "", name)
    if not spans_of(f"{passages[home].title} {text}", bare) or not bare[:1].isupper() or len(bare) < 4:
        return None
    films = len(re.findall(r"\b(?:films?|movies?|blockbuster)\b", text, re.IGNORECASE))
    shows = len(re.findall(r"\b(?:series|seasons?|sitcom|episodes?|show)\b", text, re.IGNORECASE))
    if (not films and not shows) or (films and shows and not (films >= 3 * shows or shows >= 3 * films)):
        return None
    noun: str = "film" if films > shows else "series"
    return Subject(
        bare,
        noun,
        "film" if films > shows else "series",
        f"the {noun} {bare}",
        home,
        "",
        None,
        None,
        found.span(1),
    )


def _titled(query: str, passages: tuple[Passage, ...], topic: Topic | None, home: int) -> Subject | None:
    if topic is not None and topic.whole_title:
        at = next((i for i, p in enumerate(passages) if _same(proper_title(p), topic.text)), home)
        name = topic.text
    elif home < len(passages):
        at, name = home, bare_title(passages[home].title)
    else:
        return None
    passage = passages[at]
    if is_small_word(name, passage.text):
        return None
    if not _good_name(name) or _cut_title(passage.title, name):
        return None
    words, definition = _defined(name, passage)
    if re.search(
        r"\b(?:character|superhero|surname|given name|person|protagonist|monster)\b", " ".join(words)
    ):
        return None
    noun = _noun(words, passage, name, query)
    sort = _SORTS.get(noun, "thing")
    in_query = topic is not None and topic.whole_title
    if not in_query and sort not in ("person", "body", "place"):
        return None
    if not spans_of(passage.text, name) and not in_query:
        return None
    if (
        words
        and not noun
        and re.search(r"\b(?:character|surname|given name|person|protagonist)\b", " ".join(words))
    ):
        return None
    if sort == "person":
        return _person(name, noun, at, passage, definition)
    years = set(_YEAR.findall(definition))
    year = int(years.pop()) if len(years) == 1 else None
    if sort == "thing" and (len(name.split()) < 2 or _like_person(name)):
        return None
    if not definition and sort != "place" and (_like_person(name) or _called_by_surname(name, passage.text)):
        return None
    return Subject(name, noun, sort, _full(name, noun, sort, query, passages), at, definition, year)


def _same(title: str, name: str) -> bool:
    return re.sub(r"^(?:the|a|an) ", "", title.lower()) == re.sub(r"^(?:the|a|an) ", "", name.lower())


def _good_name(name: str) -> bool:
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


def _cut_title(title: str, name: str) -> bool:
    """Whether the brackets of a title are part of the name, as in "Fool (If You Think It's Over)"."""
    bracket = re.search(r"\(([^()]*)\)\s*$", title)
    return bool(bracket and bracket.group(1)[:1].isupper() and len(bracket.group(1).split()) > 2 and name)


def _defined(name: str, passage: Passage) -> tuple[list[str], str]:
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


def _noun(words: list[str], passage: Passage, name: str, query: str) -> str:
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
    for word in inside:
        if word in _SORTS or word == "season":
            return word if word in _SORTS else "series"
    tail = plain(name.rsplit(maxsplit=1)[-1])
    if words:
        defined = _defining(words)
        return defined or (tail if tail in _NAME_TAILS else "")
    if tail in _NAME_TAILS:
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
    return "series" if last == "opera" and "soap" in words else last if last in _SORTS else ""


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
    kinds = {_SORTS[noun] for noun in found}
    return found[0] if len(kinds) == 1 else ""


def _person(name: str, noun: str, at: int, passage: Passage, definition: str) -> Subject | None:
    words = name.split()
    known = plain(words[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES
    if not 2 <= len(words) <= 4 or not all(w[0].isupper() for w in words) or not known:
        return None
    born = re.search(r"\b(?:1[5-9]|20)\d\d\b", definition)
    year = int(born.group()) if born else None
    return Subject(name, noun, "person", name, at, definition, year, gender_of(name, passage.text))


def _like_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 3 and plain(words[0]) in pools.MALE_NAMES | pools.FEMALE_NAMES


def _called_by_surname(name: str, text: str) -> bool:
    """Whether a passage goes on with the last of two or three capitalised words alone, as with persons."""
    words = name.split()
    if not 2 <= len(words) <= 3 or not all(word[0].isupper() and word.isalpha() for word in words):
        return False
    whole = len(spans_of(text, f"{words[-2]} {words[-1]}"))
    return len(re.findall(rf"(?<!\w){words[-1]}(?!\w)", text)) > whole


def _full(name: str, noun: str, sort: Sort, query: str, passages: tuple[Passage, ...]) -> str:
    if sort in WORKS:
        return f"the {noun} {_with_its_article(name, passages)}"
    if re.match(r"(?:The|A|An) ", name):
        return name
    head = name.split(" of ", maxsplit=1)[0]
    bare = [p.text[max(0, s - 4) : s].lower() != "the " for p in passages for s, _ in spans_of(p.text, name)]
    if bare and all(bare):
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


def _with_its_article(name: str, passages: tuple[Passage, ...]) -> str:
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


_APPEARANCE = re.compile(
    r"\b(?:released|published|premiered|aired|founded|established|opened|broadcast|formed|debuted)\b[^.;]{0,40}?"
    r"\b(1[5-9]\d\d|20[01]\d)\b"
)


def appeared_in(a: Analysis, s: Subject) -> int | None:
    """The one year in which a subject came out or began, by its definition or else by the whole passage."""
    if s.year is not None:
        return s.year
    years = set(_APPEARANCE.findall(a.instance.passages[s.passage].text))
    years |= set(re.findall(r"\b(?:is|was) an? (1[5-9]\d\d|20[01]\d) ", s.definition))
    return int(years.pop()) if len(years) == 1 and s.sort != "person" else None


def about_thing(a: Analysis) -> bool:
    """Whether the instance has a subject that is no person."""
    subject = subject_of(a)
    return subject is not None and subject.sort != "person"


def anchor_of(a: Analysis) -> Subject | None:
    """The subject, or else the real person who is the answer."""
    subject = subject_of(a)
    if subject is not None:
        return subject
    doer = doer_of(a)
    if doer is None:
        return None
    return Subject(doer.name, "person", "person", doer.name, _home(a), "", None, doer.gender)
