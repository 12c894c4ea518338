"""The claim of a question, denied in a clause: "the film was not released in 1984"."""

from __future__ import annotations

import re

from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import AnswerPerson, answer_person_of, is_clean
from perturb.rules.answers import AnswerType
from perturb.rules.question_parsing import ParsedQuestion, inflected


def denial_of(a: Analysis) -> str | None:
    """The question's claim, denied; None where that makes no sensible clause."""
    q = a.question
    if not is_clean(a):
        return None
    other = other_form(a)
    if other is not None or q is None:
        return other
    if q.gap == "subject":
        return _not_the(answer_person_of(a)) or _is_not(a, q) or _not_done(a, q)
    if q.gap == "number":
        return _not_so_many(a, q)
    if q.after:
        return None
    if q.wh == "what" and q.gap == "thing":
        return _not_so(a, q)
    if not _plain_value(a, q.gap):
        return None
    return _not_then(a, q)


_OTHER_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"who has ([a-z]+(?:ed|en|on|de)) (.+)$"), r"{answer} has not \1 \2"),
    (re.compile(r"(?:what|which) (?:is|are|was|were) (.+) called(| in .+)$"), r"\1 {be} not called {answer}\2"),
    (re.compile(r"where (does|did) (.+) come from(| (?:in|on) .+)$"), r"\2 \1 not come from {answer}\3"),
    (re.compile(r"who did (.+) (portray|play|beat|marry|voice)(| in .+)$"), r"\1 did not \2 {answer}\3"),
)  # fmt: skip
"""Questions that parse to no claim of their own, and how their claim is denied."""


def other_form(a: Analysis) -> str | None:
    """The denial of a question that parses to no claim of its own; None if it is of no such form."""
    answer = a.answer
    if not a.single_answer or len(answer.split()) > 5 or re.search(r"[(),;:\d]", answer):
        return None
    named = (
        answer
        if answer.isupper() or not answer.startswith(("The ", "A "))
        else answer[0].lower() + answer[1:]
    )
    query = a.query.rstrip("? ")
    for pattern, denied in _OTHER_FORMS:
        found = pattern.match(query)
        if found:
            be = query.split()[1]
            return found.expand(denied.replace("{be}", be)).replace("{answer}", named)
    return None


def _not_the(doer: AnswerPerson | None) -> str | None:
    """Denies that somebody is what the question says: "Ann Lee was not the director of Emma"."""
    found = re.match(r"(is|was) (the .+)$", doer.did) if doer is not None else None
    return None if doer is None or found is None else f"{doer.name} {found.group(1)} not {found.group(2)}"


def _is_not(a: Analysis, q: ParsedQuestion) -> str | None:
    """Denies that somebody is what a who-question asks: "Meri is not the first wife on Sister Wives"."""
    found = re.match(r"(is|was) (the (?!first\b(?! \w+ (?:of|on|in)\b)).+)$", q.after)
    if found is None or not re.match(r"[A-Z]\w", a.answer) or not 1 <= len(a.answer.split()) <= 4:
        return None
    if re.search(r"[(),;:\d]", a.answer) or "current" in q.after:
        return None
    return f"{a.answer} {found.group(1)} not {found.group(2)}"


def _not_so_many(a: Analysis, q: ParsedQuestion) -> str | None:
    """Denies a count: "there are not 100 senators in the US Senate"."""
    figure = re.match(r"(?:\d[\d,]*|[a-z]+)(?=$| )", a.answer)
    if figure is None or not re.match(r"there (?:are|were)$", q.before):
        return None
    return f"{q.before} not {figure.group()} {q.after}"


def _not_done(a: Analysis, q: ParsedQuestion) -> str | None:
    """Denies a deed of somebody or some body: "Friedman Ramsey did not sponsor the Open"."""
    verb, _, rest = q.after.partition(" ")
    base, name = inflected(verb.lower(), "VB"), re.sub(r"^the (?:[a-z]+ )+(?=[A-Z])", "", a.answer)
    if base is None or not rest or verb.lower() in ("is", "was", "has", "had", "become", "became"):
        return None
    if not re.match(r"(?:the )?[A-Z]", name) or len(name.split()) > 6 or re.search(r"[(),;:\d]", name):
        return None
    if re.search(r"\blyrics$|\b(?:this|last) (?:year|season)\b|\b(?:19|20)\d\d$", rest):
        return None
    if verb.lower() == inflected(base, "VBD"):
        return f"{name} did not {base} {rest}"
    if verb.lower() != inflected(base, "VBZ"):
        return None
    return f"{name} {'do' if ' and ' in name else 'does'} not {base} {rest}"


_CLASSES = re.compile(
    r"\b(?:kind|type|sort|name for|word for|term for|another name|(?:real|original|full) name|purpose"
    r"|function|one of)\b"
)


def _not_so(a: Analysis, q: ParsedQuestion) -> str | None:
    """Denies what something is or amounts to, where the answer names one thing and no class of things."""
    if re.search(r"\b(?:1[5-9]|20)\d\d\b", f"{a.answer} {q.before}"):
        return None
    number = a.answer_type is AnswerType.NUMBER
    marks = r"[(),;:]" if number else r"[(),;:\d]"
    if len(a.answer.split()) > 4 or re.search(marks, a.answer) or not q.before.startswith("the "):
        return None
    if (" name of the " in q.before and not re.fullmatch(r"[A-Z][a-z]+", a.answer)) or _CLASSES.search(
        q.before
    ):
        return None
    return f"{q.before} not {a.answer}"


def _not_then(a: Analysis, q: ParsedQuestion) -> str | None:
    """Denies a date or a place: "the film was not released in 1984"."""
    verb = a.query.split()[1].lower()
    if verb in ("was", "were"):
        return _once(q.claim(a.answer), f" {verb} ", f" {verb} not ")
    base = inflected(q.verb, "VB")
    return (
        None
        if verb not in ("did", "does") or base is None
        else _once(q.claim(a.answer), f" {q.verb} ", f" did not {base} ")
    )


def _plain_value(a: Analysis, gap: str) -> bool:
    """Whether the answer is a date or a place that a claim can end on."""
    if gap == "place":
        return a.answer_type is AnswerType.PLACE or bool(
            re.match(r"(?:in|at|on|near|across) [\w ]+$", a.answer)
        )
    if gap != "date" or a.answer_type not in (AnswerType.DATE, AnswerType.YEAR):
        return False
    return bool(re.match(r"(?:in |on )?(?:[A-Z]\w+ )?\d", a.answer) and re.search(r"\d{4}$|^[A-Z]", a.answer))


def _once(claim: str, old: str, new: str) -> str | None:
    return claim.replace(old, new) if claim.count(old) == 1 else None
