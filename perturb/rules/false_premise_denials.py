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
from perturb.rules.words import content_stems, plain, tokens

SENSES: Mapping[str, str] = {
    "play": "play portray star act cast role actor actress appear voice perform as",
    "portray": "play portray star act cast role character actor actress appear perform as",
    "voice": "voice voices voicing speak portray cast play as",
    "sing": "sing sang sung record recorded perform vocals vocal singer",
    "record": "record recorded recording",
    "write": "write wrote written author writer pen co-written songwriter",
    "compose": "compose composer",
    "direct": "direct director",
    "invent": "invent inventor patent devise",
    "discover": "discover discoverer",
    "design": "design designer architect",
    "found": "found founder establish",
    "create": "create creator",
    "make": "make maker",
    "build": "build builder construct complete erect finish",
    "win": "win won winner gold champion victory victorious beat",
    "coin": "coin phrase catchphrase",
    "host": "host present presenter",
    "come": "release publish premiere issue",
    "release": "release issue publish",
    "publish": "publish issue",
    "premiere": "premiere debut",
    "air": "air broadcast premiere debut",
    "debut": "debut premiere",
    "start": "start begin",
    "begin": "begin start",
    "open": "open inaugurate",
    "film": "film shoot shot filming location",
    "end": "end finish conclude",
    "happen": "happen fight fought occur take place break battle",
    "own": "own owner",
    "sponsor": "sponsor sponsorship",
}
"""A verb of questions, and the words by which a passage says the same; other verbs must stand there themselves."""
_DATED_SENSES: Mapping[str, str] = {
    "make": "make",
    "create": "create establish",
    "write": "write",
    "build": "build construct complete",
}
"""What counts for a date or place: what was made or written has a date of its own."""
_SUNG_BY = re.compile(
    r"\b(?:song|single|hit|tune|track|ballad|recording)\b "
    r"(?!(?:\w+ ){0,3}(?:written|composed|penned) )(?:\w+ ){0,3}by\b"
)
_NOT_YET = re.compile(r"\b(?:slated|scheduled|set to|planned|expected|will|due|rumou?red|would)\b")
_HEDGES = re.compile(
    r"\b(?:essentially|arguably|reported(?:ly)?|allegedly|alleged|claim(?:s|ed)?|possibly|perhaps|probably|likely|may"
    r"|might"
    r"|supposed(?:ly)?|believed|considered|regarded|thought to|said to|often|generally|usually|commonly|widely"
    r"|attributed|rumou?red|approximately|nearly|roughly|(?:about|around) (?=\d)|mainstream|co-\w+|along with"
    r"|together with|one of)\b"
)
"""What makes a sentence say less than a plain claim, so that its denial is no plain falsehood."""
_TIMELY = re.compile(
    r"\b(?:last time|(?:this|last|next|new|latest) (?:season|series)|new|now|currently|year)\b"
)


def factive_fits(a: Analysis) -> bool:
    """Whether an answering sentence asserts what the question says, its verb included, and the denial can be worded."""
    if not _asserted(a) or not _says_verb(a) or _TIMELY.search(a.query.lower()):
        return False
    if not a.single_answer or is_hedged(a) or _holds_for_a_time(a):
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
        asking(
            rng, fill(rng, say.FOUND_NOT if a.answer_type is AnswerType.NUMBER else say.NOT, denial=denial)
        ),
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


def is_hedged(a: Analysis) -> bool:
    """Whether an answering sentence says less than the question's claim: "essentially the first mainstream beer"."""
    texts = [a.sentences[i].text for i in a.answer_sentences]
    part = not _same_first(a.query, a.text)
    asked = set(tokens(a.query.lower()))
    return part or any(m.group().lower() not in asked for text in texts for m in _HEDGES.finditer(text))


def _same_first(query: str, text: str) -> bool:
    after = re.search(r"\bthe (?:very )?first (\w+)", query.lower())
    return after is None or re.search(rf"\bfirst {re.escape(after.group(1))}", text.lower()) is not None


def _holds_for_a_time(a: Analysis) -> bool:
    """Whether a figure or a post is told of one time only, or beside figures of other times."""
    held = " ".join(a.sentences[i].text for i in a.answer_sentences)
    if a.answer_type is AnswerType.NUMBER:
        unit = (a.answer.split()[1:2] or [""])[0]
        rivals = re.findall(rf"\d[\d,.]* {re.escape(unit)}\b", a.text) if unit else []
        years = set(re.findall(r"\b(?:1[89]|20)\d\d\b", held)) - set(re.findall(r"\b\d{4}\b", a.query))
        return bool(years) or len(set(rivals)) > 1
    if re.match(r"(?:who|what) (?:is|are) the\b", a.query.lower()):
        return re.search(r"\b(?:would|will|announced|until|former\w*|from \d{4} to)\b", held) is not None
    return False


def _says_verb(a: Analysis) -> bool:
    """Whether an answering sentence speaks of the deed as the question does: what was written need not be sung."""
    q = a.question
    if q is None:
        return _other_form(a) is not None
    verb = inflected(q.verb.lower(), "VB") or q.verb.lower()
    dated = q.gap in ("date", "place")
    if verb in ("be", "is", "was", "are", "were", "call") or (verb == "become" and not dated):
        return True
    if verb in ("play", "voice", "portray") and _beside_part(a):
        return True
    senses = (_DATED_SENSES.get(verb) if dated else None) or SENSES.get(verb, verb)
    wanted = {form for word in senses.split() for form in _forms(word, dated)}
    for text in _around_answer(a) if dated else [a.sentences[i].text for i in a.answer_sentences]:
        said = {plain(word) for word in tokens(text) if word[0].islower() or text.startswith(word)}
        if wanted & said or (verb == "sing" and _SUNG_BY.search(text)):
            return True
    return False


def _beside_part(a: Analysis) -> bool:
    """Whether a cast list sets the player in brackets after the part: "Shmuel (Jack Scanlon)"."""
    asked = content_stems(a.query)
    for m in a.mentions:
        before = a.instance.passages[m.passage].text[: m.start]
        name = re.search(r"(\w+) \($", before)
        if name and content_stems(name.group(1)) & asked:
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
        return _not_the(doer_of(a)) or _is_not(a, q) or _not_done(a, q)
    if q.gap == "number":
        return _not_so_many(a, q)
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


def _is_not(a: Analysis, q: Question) -> str | None:
    """Denies that somebody is what a who-question asks: "Meri is not the first wife on Sister Wives"."""
    found = re.match(r"(is|was) (the (?!first\b(?! \w+ (?:of|on|in)\b)).+)$", q.after)
    if found is None or not re.match(r"[A-Z]\w", a.answer) or not 1 <= len(a.answer.split()) <= 4:
        return None
    if re.search(r"[(),;:\d]", a.answer) or "current" in q.after:
        return None
    return f"{a.answer} {found.group(1)} not {found.group(2)}"


def _not_so_many(a: Analysis, q: Question) -> str | None:
    """Denies a count: "there are not 100 senators in the US Senate"."""
    figure = re.match(r"(?:\d[\d,]*|[a-z]+)(?=$| )", a.answer)
    if figure is None or not re.match(r"there (?:are|were)$", q.before):
        return None
    return f"{q.before} not {figure.group()} {q.after}"


def _not_done(a: Analysis, q: Question) -> str | None:
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


def _not_so(a: Analysis, q: Question) -> str | None:
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
