"""MEDIUM rules of P-FalsePremise: what is asked hinges on something that the passage rules out."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.records import Intensity, PerturbationClass
from perturb.rules import false_premise_medium_words as say
from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.asides import fill, refusal_rule, slots, told_in, with_query
from perturb.rules.doers import doer_of, is_clean
from perturb.rules.false_premise_asking import asking
from perturb.rules.false_premise_denials import factive, factive_fits, is_hedged
from perturb.rules.questions import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, appeared_in, subject_of
from perturb.rules.words import has_word, spans_of

_CLASS = PerturbationClass.FALSE_PREMISE

_BEGAN = re.compile(
    r"^when (?:was|is|did|does) (?:the )?(?:song |movie |film |book |novel |tv show |show )?\x00 (?:first )?"
    r"(?:founded|released|published|written|built|created|made|opened|open|established|formed|aired|air|premiered?|"
    r"start|begin|come out|coming out)$"
)

_COPULA = frozenset(("is", "was", "are", "were", "become", "became"))


def _beginning(a: Analysis, s: Subject) -> int | None:
    """The year in which the subject began, by the passage or by the answer."""
    if a.answer_type in (AnswerType.DATE, AnswerType.YEAR) and s.span is not None:
        query = a.query.rstrip("? ")
        bare = f"{query[: s.span[0]].lower()}\x00{query[s.span[1] :].lower()}"
        year = re.search(r"\b(1[5-9]\d\d|20[01]\d)\b", a.answer)
        return int(year.group()) if year and _BEGAN.match(bare) and a.single_answer else s.year
    return appeared_in(a, s)


_OPPOSITES: Mapping[str, tuple[str, str]] = {
    "open": ("close", ""), "start": ("end", ""), "begin": ("end", ""), "join": ("leave", ""), "go": ("leave", "to"),
    "move": ("leave", "to"), "arrive": ("leave", "in"), "premiere": ("end", ""), "air": ("end", ""),
    "debut": ("end", ""), "happen": ("end", ""), "occur": ("end", ""),
}  # fmt: skip
"""A verb of beginning: the verb that ends it, and the preposition that falls away."""
_UNDONE: Mapping[str, str] = {
    "open": "closed", "opened": "closed", "created": "abolished", "founded": "dissolved", "established": "dissolved",
    "released": "withdrawn", "come": "withdrawn", "introduced": "abolished", "built": "torn down",
    "formed": "dissolved", "published": "withdrawn", "aired": "cancelled", "broadcast": "cancelled",
    "signed": "revoked", "adopted": "dropped", "ratified": "repealed", "passed": "repealed", "launched": "shut down",
}  # fmt: skip


def _start_year(a: Analysis) -> int | None:
    """The year that answers a when-question, where there is no doubt about it."""
    q = a.question
    year = re.search(r"\b(1[5-9]\d\d|20[012]\d)\b", a.answer)
    fit = q is not None and q.gap == "date" and not q.after and a.single_answer and is_clean(a)
    if re.search(r"\b(?:at least|about|around|early|late|mid|by)\b", a.answer.lower()):
        return None
    again = re.search(r"\b(?:last|again|return|second|reopen|re-|remake|new)\b", a.query, re.I)
    anew = re.search(
        r"\b(?:again|return(?:s|ed)?|reopen\w*|remake|reviv\w+|reinstat\w+|relaunch\w*|predecessor|earlier|old)\b",
        a.text,
        re.I,
    )
    return int(year.group()) if fit and year and not again and not anew else None


def _stop(a: Analysis, rng: random.Random) -> str | None:
    """A question why something ended years before it began by the passage."""
    q, began = a.question, _start_year(a)
    if q is None or began is None:
        return None
    year = str(began - rng.randint(3, 11))
    did = re.match(r"when (?:did|does) ", a.query)
    verb = inflected(q.verb.lower(), "VB") or ""
    if did and verb in _OPPOSITES and q.before.count(f" {q.verb} ") <= 1:
        who, _, rest = f"{q.before} ".partition(f" {q.verb} ")
        end, prep = _OPPOSITES[verb]
        rest = re.sub(rf"^{prep} ", "", rest) if prep else rest
        return fill(rng, say.GAVE_UP, who=who, end=f"{end} {rest}".strip(), year=year)
    if did and verb == "come" and q.before.endswith(f" {q.verb} out"):
        return fill(
            rng, say.WAS_ENDED, who=q.before.removesuffix(f" {q.verb} out"), ended="withdrawn", year=year
        )
    made = re.match(r"when was (.+) (\w+)$", a.query.rstrip("? "))
    if made and made.group(2) in _UNDONE and not re.search(r"\bfirst\b", made.group(1)):
        return fill(rng, say.WAS_ENDED, who=made.group(1), ended=_UNDONE[made.group(2)], year=year)
    return None


_LIFE = r"\((?:[^()]*?\bborn )?[^()\d]*(?:\d{1,2}[^()\d]*)?\b(1[4-9]\d\d|200\d)\b(?=\)|,| ?[–-]| in\b)"
"""The bracket after a person's name, up to the year of birth."""
_FULL_NAME = r"[A-Z][a-z]+(?: [A-Z][\w.]*){1,3}"


def _born(a: Analysis) -> tuple[str, int] | None:
    """A person, told with the deed, and the year of birth that the passage gives in brackets after the name."""
    doer, s = doer_of(a), subject_of(a)
    names = [(doer.name, doer.relative)] if doer else []
    if s is not None and s.sort == "person":
        names.append((s.name, s.name))
    for name, told in names:
        found = re.search(rf"{re.escape(name)} {_LIFE}", a.text)
        if found:
            return told, int(found.group(1))
    other = re.match(rf"({_FULL_NAME}) {_LIFE}(?=[^.]*\b(?:is|was) an?\b)", a.text)
    return (other.group(1), int(other.group(2))) if other else None


def _ended_fits(a: Analysis) -> bool:
    return _subject_ended(a) or _born(a) is not None or _stop(a, random.Random(0)) is not None  # noqa: S311


def _subject_ended(a: Analysis) -> bool:
    s = subject_of(a)
    if (
        s is None
        or s.sort not in say.ENDED
        or re.search(
            r"\b(?:sequel|remake|revival|original series|based on the|[Vv]ideo|trailer|soundtrack)\b", a.text
        )
    ):
        return False
    if s.sort == "place" and s.noun in (
        "river",
        "lake",
        "island",
        "mountain",
        "mountains",
        "desert",
        "peninsula",
    ):
        return False
    return _beginning(a, s) is not None and "season" not in a.query.lower()


def _ended(a: Analysis, rng: random.Random) -> Draft | None:
    s, born = subject_of(a), _born(a)
    began = _beginning(a, s) if s is not None and _subject_ended(a) else None
    if began is None and born is not None and (year := born[1] - rng.randint(4, 12)):
        retired = told_in(rng, say.RETIRED, told=born[0], year=str(year))
        why = f"By the passage the person was born in {born[1]}, and so cannot have given anything up in {year}."
        return with_query(a, asking(rng, retired), why)
    if s is None or began is None:
        text = _stop(a, rng)
        why = "By the passage it began only later, so that it cannot have ended in the year that the question names."
        return None if text is None else with_query(a, asking(rng, text), why)
    year = began - rng.randint(3, 11)
    wordings = say.ENDED[s.sort]
    if s.noun in ("band", "duo", "group"):
        wordings = tuple(w for w in wordings if "work" not in w and "shut" not in w)
    text = fill(rng, wordings, year=str(year), **slots(s))
    return with_query(
        a,
        asking(rng, text),
        f"{s.full} began only in {began} by the passage, so that nothing of it can have ended in {year}.",
    )


def _living(a: Analysis) -> tuple[str, str] | None:
    """A person whom a passage gives a recent birth date and speaks of in the present: name, and name with deed."""
    doer, s = doer_of(a), subject_of(a)
    names = [(doer.name, doer.relative)] if doer else []
    if s is not None and s.sort == "person":
        names.append((s.name, s.name))
    for name, told in names:
        last = re.escape(name.split()[-1])
        born = re.search(
            rf"{last}[^.()]{{0,20}}\([^()]*\bborn\b[^()]*\b(19[5-9]\d|200\d)\)[^.]{{0,40}}?\bis an?\b", a.text
        )
        if born and not re.search(r"\b(?:died|death|late|killed|funeral|buried|posthumous\w*)\b", a.text):
            return name, told
    return None


def _burial(a: Analysis, rng: random.Random) -> Draft | None:
    found = _living(a)
    if found is None:
        return None
    text = told_in(rng, say.BURIALS, told=found[1])
    return with_query(
        a, asking(rng, text), f"The passage speaks of {found[0]} as alive, so that there was no funeral."
    )


def _post(a: Analysis) -> tuple[str, str] | None:
    """Holder and post, where question and passage speak of the post in the present."""
    doer = doer_of(a)
    if doer is None or not doer.did.startswith("is the "):
        return None
    post = doer.did.removeprefix("is the ").removeprefix("current ")
    if re.search(
        r"\b(?:original|first|director of|singer|writer|author|signatory|composer|designer|speaker in|\w+th)\b",
        post,
    ):
        return None
    now = re.search(r"\b(?:current|incumbent|serving|currently|present|is the|is an?)\b", a.text)
    return (
        (doer.name, post)
        if now and re.search(r"ceo|coach|president|leader|chair|minister|host|governor", post.lower())
        else None
    )


def _resigned(a: Analysis, rng: random.Random) -> Draft | None:
    found = _post(a)
    if found is None:
        return None
    text = fill(rng, say.RESIGNED, name=found[0], post=found[1])
    return with_query(
        a, asking(rng, text), f"By the passage {found[0]} still holds the post, so that nobody took it over."
    )


def _first_thing(a: Analysis) -> tuple[str, str, str] | None:
    """Verb, participle and thing of a question about the first of its kind, where the passage calls it so."""
    found = re.match(r"who (\w+) the (?:very )?first ((?:[\w'’-]+ ?){1,7})$", a.query.rstrip("? "))
    if found is None or not is_clean(a) or not has_word(a.text, "first"):
        return None
    verb, thing = found.groups()
    participle = inflected(verb.lower(), "VBN")
    if (
        participle is None
        or verb.lower() in _COPULA
        or re.match(r"(?:lady|wife|president|world)\b", thing, re.I)
    ):
        return None
    return (verb, participle, thing) if inflected(verb.lower(), "VBD") == verb.lower() else None


_DATED_FIRST = re.compile(
    r"(?:when|where) (was|were) the (?:very )?first ((?:[\w'’-]+ ){1,7}?)(\w+(?:ed|en|lt|de|ut))"
    r"((?: in| on| at) [\w' ]+)?$"
)
_FIRST_DONE = re.compile(r"(?:when|where) (was|were) ((?:[\w'’&:.-]+ ){1,8}?)first (\w+(?:ed|en|lt|de))$")


def _dated_first(a: Analysis) -> dict[str, str] | None:
    """The words of a question for the date of the first of its kind."""
    found = _DATED_FIRST.match(a.query.rstrip("? "))
    if found is None or not is_clean(a) or not re.search(r"\b(?:first|earliest|debut\w*)\b", a.text):
        return None
    was, thing, done, rest = found.groups()
    return {"was": was, "thing": thing.strip(), "done": f"{done}{rest or ''}"}


def _first_done(a: Analysis) -> dict[str, str] | None:
    """The words of a question for the date or place at which something was first done."""
    found = _FIRST_DONE.match(a.query.rstrip("? "))
    if found is None or not is_clean(a) or not re.search(r"\b(?:first|originally|debut\w*)\b", a.text):
        return None
    was, who, done = found.groups()
    return {"who": who.strip(), "verb": "it was" if was == "was" else "they were", "done": done}


def _before_first_fits(a: Analysis) -> bool:
    return a.single_answer and not is_hedged(a) and bool(_first_thing(a) or _dated_first(a) or _first_done(a))


def _before_first(a: Analysis, rng: random.Random) -> Draft | None:
    found = _first_thing(a)
    if found is not None:
        verb, done, thing = found
        text = fill(rng, say.BEFORE_FIRST, verb=verb, done=done, thing=thing)
        why = f"The passage speaks of the first {thing}, so that none can have come before it."
        return with_query(a, asking(rng, text), why)
    why = "Nothing of the kind can have come before the first, or have been done before it first was."
    dated, begun = _dated_first(a), _first_done(a)
    if dated is not None:
        return with_query(a, asking(rng, fill(rng, say.DATED_BEFORE_FIRST, **dated)), why)
    if begun is not None:
        return with_query(a, asking(rng, fill(rng, say.BEFORE_BEGINNING, **begun)), why)
    return None


def _season_count(a: Analysis) -> tuple[Subject, int] | None:
    """The number of seasons that a series had in all, by the passage."""
    s = subject_of(a)
    if (
        s is None
        or s.sort != "series"
        or re.search(r"\b(?:renewed|ongoing|upcoming|currently|current|spin-off)\b", a.text)
    ):
        return None
    words = "|".join(pools.SMALL_NUMBERS[1:10])
    counts = re.findall(rf"\b({words}|[1-9])[ -](?:complete |full )?seasons?\b", a.text.lower())
    ended = re.search(
        r"\b(?:cancell?ed|ended|concluded|final season|final episode|last episode|ran for|one season|after one)\b",
        a.text,
    )
    values = {pools.SMALL_NUMBERS.index(c) if c in pools.SMALL_NUMBERS else int(c) for c in counts}
    if len(values) != 1 or not ended:
        return None
    number = values.pop()
    return (s, number) if number <= 9 else None


def _phantom(a: Analysis, rng: random.Random) -> Draft | None:
    found = _season_count(a)
    if found is None:
        return None
    s, number = found
    ordinal = pools.ORDINALS[min(number + rng.randint(0, 1), len(pools.ORDINALS) - 1)]
    if spans_of(a.text, f"{ordinal} season"):
        return None
    text = fill(rng, say.PHANTOM, ordinal=ordinal, **slots(s))
    return with_query(
        a,
        asking(rng, text),
        f"By the passage {s.full} ended after {number} seasons, so that there is no {ordinal} one.",
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "First vs. Second Mission Clash",
        "a question about the first of its kind, or when something was first done; the passage speaks of a first",
        _before_first_fits,
        _before_first,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Stopped vs. Never Started",
        "a work, body, building or event that began in one year, or a person whose year of birth is told",
        _ended_fits,
        _ended,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Abdication Falsehood",
        "a who-is question about the holder of a post, whom the passage speaks of in the present",
        lambda a: _post(a) is not None,
        _resigned,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Burial for a Living Person",
        "a person whom the passage gives a birth date after 1950 and no death, and speaks of in the present",
        lambda a: _living(a) is not None,
        _burial,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Phantom Product Line",
        "a series that by the passage has ended after a number of seasons that it states",
        lambda a: _season_count(a) is not None,
        _phantom,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Factive Verb Contradiction",
        "the query parses to a claim, of a deed, a date or a place, that the answering sentences support "
        "to 60 %",
        factive_fits,
        factive,
    ),
)
