"""Questions at LOW that pick out their subject by a planted fact, and still ask for the original answer."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_leakage import leak
from perturb.rules.answer_person import is_clean, is_well_formed
from perturb.rules.answers import AnswerType
from perturb.rules.fact_kinds import LANDS, Entry, Pair, fact_kind, suiting
from perturb.rules.passage_edits import added, addition_place
from perturb.rules.query_edits import Applies, asks, printed, slots, splice_place, spliced
from perturb.rules.rule import Draft
from perturb.rules.subject_names import with_its_article
from perturb.rules.subjects import WORKS, Subject, edited_passage, subject_of
from perturb.rules.topics import is_cased
from perturb.rules.words import has_word, plain, spans_of

_KIND_BEFORE = re.compile(
    r"(?:\b(?:the )?(?:song|movie|film|book|novel|novella|story|show|tv show|series|play|album) |\bthe )$",
    re.IGNORECASE,
)
_OPEN_HEAD = re.compile(
    r"(?:\b(?:of|in|on|from|at|for|by|to|with|about|near|wrote|sings|sang|directed|made|owns|did|does|was|were|is|are) "
    r"|^(?:when|where) )$",
    re.IGNORECASE,
)
_OPEN_TAIL = re.compile(
    r"^(?: (?:in|at|on|from|start|begin|end|open|air|located|filmed|first|founded|written|released|finished|coming|come"
    r"|built|made|take|located|are|is|was|live|were)\b.*)?$"
)
_PLACE_TAIL = re.compile(r"^ (?:(?:in|at) (?:the )?[A-Z][\w.]+(?: [A-Z][\w.]+)?|by the [A-Za-z]+)$")
_MIDDLE = re.compile(
    r"^ (?:are there|come out|start|begin|end|open|air|(?:was |were )?(?:located|made)|finished being built"
    r"|first develop|live(?: in the world)?|are on [A-Z]\w+)$"
)


_NAME_AT_END = re.compile(
    r"(?<= )\w[\w'’-]* (?:in|on|of|for|at|by|from|to(?= the )|with) (the )?"
    r"((?:[A-Z][\w'’.&-]*)(?: (?:of |the |and |for |& )*(?:[A-Z][\w'’.&-]*|\d+))*)$"
)


def named_subject(a: Analysis) -> Subject | None:
    """The subject as the query names it, if no person, else the name of a thing or a country that ends the query."""
    subject = subject_of(a)
    if subject is not None and subject.span is not None:
        if subject.sort != "person":
            return subject
        other = _named_last(a)
        return None if other is None or has_word(subject.name, other.name) else other
    if subject is not None and subject.sort != "person" and len(spans_of(a.query, subject.name)) == 1:
        return replace(subject, span=spans_of(a.query, subject.name)[0])
    return _listed(a) or _common(a) or _named_last(a)


def _named_last(a: Analysis) -> Subject | None:
    found = _NAME_AT_END.search(a.query.rstrip("? "))
    home = edited_passage(a)
    if found is None or home is None:
        return None
    name = found.group(2)
    first, last = plain(name.split()[0]), plain(name.rsplit(maxsplit=1)[-1])
    if name in LANDS and (
        name in pools.CITIES or re.search(r" [A-Z]", a.query[: found.start(1 if found.group(1) else 2)])
    ):
        return None
    lone = " " not in name and not _with_article(a, found.group(1), name)
    titled = found.group(1) is None and found.group().split()[1] in ("in", "on")
    many = last.endswith("s") and not titled
    if name not in LANDS and (lone or many or first in pools.MALE_NAMES | pools.FEMALE_NAMES):
        return None
    if name not in a.instance.passages[home].text or leak(a, name) is not None:
        return None
    full = f"the {name}" if found.group(1) else with_its_article(name, a.instance.passages)
    return Subject(name, "", "thing", full, home, "", None, None, found.span(2))


def _with_article(a: Analysis, article: str | None, name: str) -> bool:
    """Whether a single word is a name by its article, in the query as in the passages: "the Kremlin"."""
    return bool(article) and f"the {name}" in a.text


def _listed(a: Analysis) -> Subject | None:
    """The series whose episodes or characters the answering passage lists, where the query names it."""
    home = edited_passage(a)
    title = "" if home is None else a.instance.passages[home].title
    found = re.match(r"List of (?:The )?([A-Z].+?) episodes$", title)
    places = spans_of(a.query, found.group(1)) if found else []
    if found is None or home is None or len(places) != 1:
        return None
    name = title.removeprefix("List of ").removesuffix(" episodes")
    start, end = places[0]
    start -= 4 if a.query[max(0, start - 5) : start].lower() == " the " else 0
    return Subject(name, "series", "series", f"the series {name}", home, "", None, None, (start, end))


def _common(a: Analysis) -> Subject | None:
    """A thing that the answering passage is titled by and that is no name, as the query writes it: "the red wolf"."""
    home = edited_passage(a)
    if a.topic is None or not a.topic.whole_title or not a.topic.text.islower() or home is None:
        return None
    name = a.topic.text
    start = a.topic.start
    if a.query[max(0, start - 5) : start].lower() != " the " or name.endswith("s") or " " not in name:
        return None
    return Subject(name, "", "thing", f"the {name}", home, "", None, None, (start, a.topic.end))


def marked(a: Analysis, pair: Pair | None, why: str, /, **values: str) -> Draft | None:
    """A draft whose passage says more of the subject, and whose question has that as an aside after it."""
    subject = named_subject(a)
    if subject is None or pair is None:
        return None
    words = {**slots(subject), **values}
    query = spliced(a, pair[1].format(**words), aside_place(a, subject))
    return _draft(a, query, pair[0].format(**words), why.format(**words))


def qualified(a: Analysis, sentence: str, adjective: str, why: str, /, **values: str) -> Draft | None:
    """A draft whose passage settles a word of judgement, and whose question calls the subject by that word."""
    subject = named_subject(a)
    if subject is None:
        return None
    words = {**slots(subject), **values}
    query = _renamed(a, subject, f"the {adjective} {subject.full.removeprefix('the ')}")
    return _draft(a, query, sentence.format(**words), why.format(**words))


def compared(a: Analysis, sentence: str, phrase: str, why: str, /, **values: str) -> Draft | None:
    """A draft whose passage sets another thing beside the subject, and whose question picks out one of the two."""
    subject = named_subject(a)
    if subject is None:
        return None
    words = {**slots(subject), **values}
    query = _renamed(a, subject, phrase.format(**words))
    return _draft(a, query, sentence.format(**words), why.format(**words))


def _draft(a: Analysis, query: str | None, sentence: str, why: str) -> Draft | None:
    passages = added(a, sentence)
    return None if passages is None or query is None else Draft(query, passages, why)


def _renamed(a: Analysis, subject: Subject, phrase: str) -> str | None:
    """The query with a phrase in the place of its subject, of the article and of the noun before it."""
    place = _name_place(a, subject)
    if place is None:
        return None
    return printed(a, f"{a.query[: place[0]]}{phrase}{a.query[place[1] :].rstrip('? ')}")


def _name_place(a: Analysis, subject: Subject) -> tuple[int, int] | None:
    """Where the subject stands with what belongs to it, if other words for it can stand there as well."""
    if subject.span is None:
        return None
    if subject.sort not in WORKS:
        return None
    head = _KIND_BEFORE.sub("", a.query[: subject.span[0]])
    tail = a.query[subject.span[1] :].rstrip("? ")
    fits = _OPEN_HEAD.search(head) and _OPEN_TAIL.match(tail)
    return (len(head), subject.span[1]) if fits else None


def aside_place(a: Analysis, subject: Subject) -> tuple[int, int] | None:
    """Where an aside can follow the subject: after its name, or after the place that the name stands with."""
    if subject.span is None:
        return None
    start, end = subject.span
    tail = a.query[end:].rstrip("? ")
    if _PLACE_TAIL.match(tail):
        return start, end + len(tail)
    return subject.span if not tail or _MIDDLE.match(tail) else splice_place(a)


def open_to_more(a: Analysis) -> bool:
    """Whether a base that holds at LOW takes a sentence more in the passage and a remark in the question."""
    printable = is_clean(a) or (is_well_formed(a) and not is_cased(a.instance.query))
    return asks(a) and printable and addition_place(a) is not None and _answers_alone(a)


_OR_ELSE = re.compile(r"[\s,\"”'’]*\bor (?:the |an? )?[\"“'‘A-Z]")
_FROM_PLACE = re.compile(r"\bfrom (?:the )?([A-Z][\w'’-]+)")


def _answers_alone(a: Analysis) -> bool:
    """Whether the base holds at LOW: every name of the query stands in the passages, and no rival of the answer.

    A rival is a second version after "or", or another origin where the query asks where something came from.
    """
    names = re.findall(r"(?<= )[A-Z][\w-]{2,}", a.query)
    said = f"{a.text} {' '.join(p.title for p in a.instance.passages)}".lower()
    if not all(plain(name).removesuffix("s") in said for name in names):
        return False
    if (
        any(_OR_ELSE.match(a.instance.passages[m.passage].text[m.end :]) for m in a.mentions)
        and a.single_answer
    ):
        return False
    if re.match(
        r"who (?:took part|takes part|participated|fought|changed|is the real)\b", a.query
    ) or not _said_of_it(a):
        return False
    if not re.search(r"\bwhere\b.*\b(?:come|came) from\b", a.query):
        return True
    aliases = " ".join(alias for cluster in a.clusters for alias in cluster.aliases)
    return all(has_word(aliases, origin) for origin in _FROM_PLACE.findall(a.text))


_SEQUEL = re.compile(r"(?<= )[A-Z][\w'’-]+ \d{1,2}$")
_SERVICE = re.compile(r"\bon ((?:Netflix|Hulu|Amazon|Disney|DVD)\b)", re.IGNORECASE)


def _only_titled(said: str, title: str, sequel: str) -> bool:
    """Whether the passage is titled by a sequel, and the sentence does not speak of the first part instead."""
    return has_word(title, sequel) and not has_word(said, sequel.rpartition(" ")[0])


def _said_of_it(a: Analysis) -> bool:
    """Whether the answering sentence speaks of just what is asked: the sequel, the service, the one sort of date."""
    said = " ".join(a.sentences[i].text for i in a.answer_sentences)
    home = edited_passage(a)
    title = "" if home is None else a.instance.passages[home].title
    query = a.query.rstrip("? ")
    sequels, services = [m.group() for m in _SEQUEL.finditer(query)], _SERVICE.findall(query)
    if not all(has_word(said, name) or _only_titled(said, title, name) for name in sequels):
        return False
    if not all(has_word(said, name) for name in services):
        return False
    if a.answer_type not in (AnswerType.DATE, AnswerType.YEAR):
        return True
    if re.search(r"\bwritten\b|\bwrote\b", query) and not re.search(r"\b(?:writ\w+|wrote|compos\w+)\b", said):
        return False
    subject = named_subject(a)
    return a.single_answer and not (
        query.endswith("come out") and subject is not None and subject.sort not in WORKS
    )


def can_mark(bank: Mapping[str, tuple[Entry, ...]], figures: bool = True) -> Applies:
    """A precondition: an aside from the bank can follow the subject; `figures` if it brings numbers along."""

    def fits(a: Analysis) -> bool:
        s = named_subject(a)
        return (
            s is not None
            and open_to_more(a)
            and not (figures and a.answer_type is AnswerType.NUMBER)
            and aside_place(a, s) is not None
            and bool(suiting(bank, fact_kind(a, s)))
        )

    return fits


def can_qualify(bank: Mapping[str, tuple[Entry, ...]]) -> Applies:
    """A precondition: a word of judgement from the bank can stand before the subject in the query."""

    def fits(a: Analysis) -> bool:
        s = named_subject(a)
        return (
            s is not None
            and open_to_more(a)
            and a.answer_type is not AnswerType.NUMBER
            and _name_place(a, s) is not None
            and bool(suiting(bank, fact_kind(a, s)))
        )

    return fits


def marking_entry(a: Analysis, rng: random.Random, bank: Mapping[str, tuple[Entry, ...]]) -> Entry | None:
    """An entry of the bank that suits the subject of the query."""
    subject = named_subject(a)
    entries = () if subject is None else suiting(bank, fact_kind(a, subject))
    return rng.choice(entries) if entries else None
