"""Denials for P-FalsePremise at MEDIUM: a factive verb over the opposite of what the passage asserts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.rules import false_premise_medium_words as say
from perturb.rules.analyse import Analysis, support
from perturb.rules.answers import AnswerType
from perturb.rules.asides import fill, with_query
from perturb.rules.doers import Doer, doer_of, done_of, is_clean
from perturb.rules.false_premise_asking import asking
from perturb.rules.questions import Question, inflected
from perturb.rules.rule import Draft
from perturb.rules.words import plain, tokens

_SENSES: Mapping[str, str] = {
    "play": "play portray star act cast role character actor actress appear voice perform as",
    "portray": "play portray star act cast role character actor actress appear perform as",
    "voice": "voice voices voicing speak portray cast play as",
    "sing": "sing sang sung record recorded perform vocals vocal singer",
    "record": "record recorded recording",
    "write": "write wrote written author writer pen compose lyrics songwriter",
    "compose": "compose composer write wrote written",
    "direct": "direct director",
    "invent": "invent inventor patent devise",
    "discover": "discover discoverer find found",
    "design": "design designer architect",
    "found": "found founder establish create form start",
    "create": "create creator establish make",
    "make": "make maker create design artist build",
    "build": "build builder construct complete erect finish",
    "win": "win won winner gold champion victory victorious beat",
    "coin": "coin phrase catchphrase",
    "host": "host present presenter",
    "come": "release publish premiere debut air broadcast issue open",
    "release": "release premiere debut publish issue come",
    "publish": "publish release issue appear",
    "premiere": "premiere air broadcast debut release",
    "air": "air broadcast premiere debut",
    "debut": "debut premiere air release",
    "start": "start begin premiere launch air debut open",
    "begin": "begin start premiere launch air debut open",
    "open": "open inaugurate",
    "film": "film shoot shot filming location",
    "end": "end finish conclude cease close abolish",
    "happen": "happen fight fought occur take place break battle",
    "own": "own owner",
    "sponsor": "sponsor sponsorship",
}
"""A verb of questions, and the words by which a passage says the same; other verbs must stand there themselves."""
_DATED_SENSES: Mapping[str, str] = {
    "make": "make film shoot produce",
    "create": "create establish form found",
    "write": "write",
    "build": "build construct complete",
}
"""What counts for a date or place: what was made or written has a date of its own."""
_SUNG_BY = re.compile(
    r"\b(?:song|single|hit|tune|track|ballad|recording)\b "
    r"(?!(?:\w+ ){0,3}(?:written|composed|penned) )(?:\w+ ){0,3}by\b"
)
_NOT_YET = re.compile(r"\b(?:slated|scheduled|set to|planned|expected|will|due|rumou?red|would)\b")
_TIMELY = re.compile(r"\b(?:last time|season|new|now|currently|year)\b")


def factive_fits(a: Analysis) -> bool:
    """Whether an answering sentence asserts what the question says, its verb included, and the denial can be worded."""
    if not _asserted(a) or not _says_verb(a) or _TIMELY.search(a.query.lower()):
        return False
    if not a.single_answer and re.match(
        r"who (?:wrote|sings?|sang|composed|won)\b|what\b|which\b", a.query.lower()
    ):
        return False
    return done_of(doer_of(a)) is not None or _denial(a) is not None


def factive(a: Analysis, rng: random.Random) -> Draft | None:
    """A question that takes the denial as a fact that somebody noticed, regretted or revealed."""
    doer = doer_of(a)
    done = done_of(doer)
    if doer is not None and done is not None:
        pronoun = {"m": "he", "f": "she"}.get(doer.gender or "")
        wordings = (*say.NEVER, *say.NEVER_WITH_PRONOUN) if pronoun else say.NEVER
        text = fill(rng, wordings, name=doer.name, done=done, pronoun=pronoun or "")
        return with_query(
            a,
            asking(rng, text),
            f"The passage says that {doer.name} {doer.did}; the question takes the opposite as fact.",
        )
    denial = _denial(a)
    if denial is None:
        return None
    return with_query(
        a,
        asking(rng, fill(rng, say.NOT, denial=denial)),
        "The question takes as fact the opposite of what the passage states.",
    )


def _asserted(a: Analysis) -> bool:
    """Whether an answering sentence, with its neighbours and title, holds most of what the question says."""
    for index in a.answer_sentences:
        own = a.sentences[index]
        near = [s.text for s in a.sentences[max(0, index - 1) : index + 2] if s.passage == own.passage]
        title = a.instance.passages[own.passage].title
        if support(a.instance.query, " ".join([title, *near])) >= 0.6:
            return True
    return False


def _says_verb(a: Analysis) -> bool:
    """Whether an answering sentence speaks of the deed as the question does: what was written need not be sung."""
    q = a.question
    if q is None:
        return _other_form(a) is not None
    verb = inflected(q.verb.lower(), "VB") or q.verb.lower()
    if verb in ("be", "is", "was", "are", "were", "become", "call"):
        return True
    dated = q.gap in ("date", "place")
    senses = (_DATED_SENSES.get(verb) if dated else None) or _SENSES.get(verb, verb)
    wanted = {form for word in senses.split() for form in _forms(word, dated)}
    for text in _around_answer(a) if dated else [a.sentences[i].text for i in a.answer_sentences]:
        if wanted & {plain(word) for word in tokens(text)} or (verb == "sing" and _SUNG_BY.search(text)):
            return True
    return False


def _around_answer(a: Analysis) -> list[str]:
    """The clause about each mention of a date or place, as far as commas and "and" allow; none about the future."""
    found = []
    for mention in a.mentions:
        text = a.instance.passages[mention.passage].text
        own = next((s for s in a.sentences_in(mention.passage) if s.start <= mention.start < s.end), None)
        if own is None or _NOT_YET.search(own.text):
            continue
        before = re.split(r"[;:]|, (?=[a-z])| and ", text[own.start : mention.start])[-1]
        after = re.split(r"[;:]| and ", text[mention.end : own.end])[0]
        found.append(f"{before} {after[:60]}")
    return found


def _forms(word: str, dated: bool) -> set[str]:
    """A word with the forms it takes as a verb; with a date no "making", which seldom is the deed itself."""
    tags = ("VBD", "VBN", "VBZ") if dated else ("VBD", "VBN", "VBZ", "VBG")
    found = {word, f"{word}s", *(inflected(word, tag) for tag in tags)}
    return {form for form in found if form}


def _denial(a: Analysis) -> str | None:
    """The question's claim, denied; None where that makes no sensible clause."""
    q = a.question
    if not is_clean(a):
        return None
    other = _other_form(a)
    if other is not None or q is None:
        return other
    if q.gap == "subject":
        return _not_the(doer_of(a)) or _not_done(a, q)
    if q.after:
        return None
    if q.wh == "what" and q.gap == "thing":
        return _not_so(a, q)
    if not _plain_value(a, q.gap):
        return None
    return _not_then(a, q)


_BASE = r"([a-z]+)"
_OTHER_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"who has ([a-z]+(?:ed|en|on|de)) (.+)$"), r"{answer} has not \1 \2"),
    (re.compile(r"(?:what|which) (?:is|are|was|were) (.+) called(| in .+)$"), r"\1 {be} not called {answer}\2"),
    (re.compile(r"where (does|did) (.+) come from(| (?:in|on) .+)$"), r"\2 \1 not come from {answer}\3"),
    (re.compile(r"who did (.+) (portray|play|beat|marry|voice)(| in .+)$"), r"\1 did not \2 {answer}\3"),
)  # fmt: skip
"""Questions that parse to no claim of their own, and how their claim is denied."""


def _other_form(a: Analysis) -> str | None:
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


def _not_the(doer: Doer | None) -> str | None:
    """Denies that somebody is what the question says: "Ann Lee was not the director of Emma"."""
    found = re.match(r"(is|was) (the .+)$", doer.did) if doer is not None else None
    return None if doer is None or found is None else f"{doer.name} {found.group(1)} not {found.group(2)}"


def _not_done(a: Analysis, q: Question) -> str | None:
    """Denies a deed of somebody or some body: "Friedman Ramsey did not sponsor the Open"."""
    verb, _, rest = q.after.partition(" ")
    base, name = inflected(verb.lower(), "VB"), a.answer
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


_CLASSES = re.compile(r"\b(?:kind|type|sort|name for|word for|term for|another name|one of)\b")


def _not_so(a: Analysis, q: Question) -> str | None:
    """Denies what something is or amounts to, where the answer names one thing and no class of things."""
    if re.search(r"\b(?:1[5-9]|20)\d\d\b", f"{a.answer} {q.before}"):
        return None
    number = a.answer_type is AnswerType.NUMBER
    marks = r"[(),;:]" if number else r"[(),;:\d]"
    if len(a.answer.split()) > 4 or re.search(marks, a.answer) or not q.before.startswith("the "):
        return None
    if " name of the " in q.before or _CLASSES.search(q.before):
        return None
    return f"{q.before} not {a.answer}"


def _not_then(a: Analysis, q: Question) -> str | None:
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
