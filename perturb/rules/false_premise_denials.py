"""Denials for P-FalsePremise at MEDIUM: a factive verb over the opposite of what the passage asserts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.rules import false_premise_medium_words as say
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import answer_person_of, done_of
from perturb.rules.answers import AnswerType
from perturb.rules.false_premise_negations import denial_of, other_form
from perturb.rules.query_edits import KITS, fill, question_of, with_query
from perturb.rules.question_parsing import inflected
from perturb.rules.rule import Draft
from perturb.rules.subjects import WORKS, subject_of
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
    r"|together with|one of|below|listed)\b"
)
"""What makes a sentence say less than a plain claim, so that its denial is no plain falsehood."""
_TIMELY = re.compile(
    r"\b(?:last time|(?:this|last|next|new|latest) (?:season|series)|new|now|currently|year)\b"
)


def factive_fits(a: Analysis) -> bool:
    """Whether an answering sentence asserts what the question says, its verb included, and the denial can be worded."""
    if not _asserted(a) or not says_verb(a) or _TIMELY.search(a.query.lower()):
        return False
    if not a.single_answer or is_hedged(a) or _holds_for_a_time(a):
        return False
    return done_of(answer_person_of(a)) is not None or denial_of(a) is not None


def factive(a: Analysis, rng: random.Random) -> Draft | None:
    """A question that takes the denial as a fact that somebody noticed, regretted or revealed."""
    doer = answer_person_of(a)
    done = done_of(doer)
    denial = denial_of(a)
    why = "The question takes as fact the opposite of what the passage states."
    if doer is not None and done is not None:
        why = f"The passage says that {doer.name} {doer.did}; the question takes the opposite as fact."
        if rng.random() < _BY_THE_DOER:
            return with_query(a, question_of(fill(rng, say.NEVER, name=doer.name, done=done)), why)
        verb, _, rest = doer.did.partition(" ")
        base = inflected(verb.lower(), "VB") or verb.lower()
        wordings = say.NOT_BY_NOW if verb.lower() == inflected(base, "VBZ") else say.NOT_BY
        denial = fill(rng, wordings, name=doer.name, did=doer.did, undone=f"{base} {rest}")
    if denial is None:
        return None
    askings = say.FOUND_NOT if a.answer_type is AnswerType.NUMBER else say.NOT
    return with_query(a, question_of(fill(rng, askings, denial=denial, **bystanders(a, rng))), why)


_BY_THE_DOER = 0.3
"""Share of the denied deeds that their own doer regrets or admits."""


def bystanders(a: Analysis, rng: random.Random) -> dict[str, str]:
    """People, a source and a gathering, for those who noticed, heard or wrote."""
    s = subject_of(a)
    public = (KITS[s.sort].people,) if s is not None and s.sort in WORKS else ()
    return {
        "people": rng.choice((*say.PEOPLE, *public)),
        "source": rng.choice(say.SOURCES),
        "gathering": rng.choice(say.GATHERED),
    }


_LOOSE = content_stems(
    "movie film song show series tv television book novel name number called actor actress character person one come "
    "take took happen new lyrics before"
)
"""Words of questions that a statement need not repeat; "real", "last" and "first" are none of them."""
_SUNG_BY_OTHERS = re.compile(r"\b(?:populari[sz]ed|cover(?:s|ed)?|versions?|re-?recorded)\b")


def _asserted(a: Analysis) -> bool:
    """Whether the passage about an answering sentence says all that the question says of the answer.

    A qualifier that is missing there ("the real killer", "their first match") would leave the denial standing.
    """
    if re.match(r"who (?:sings|sang|sung|recorded)\b", a.query) and _SUNG_BY_OTHERS.search(a.text):
        return False
    wanted = content_stems(a.instance.query) - _LOOSE
    for index in a.answer_sentences:
        own = a.sentences[index]
        title = a.instance.passages[own.passage].title
        about_answer = bool(content_stems(title) & content_stems(a.answer))
        near = a.sentences_in(own.passage) if about_answer else a.sentences[max(0, index - 1) : index + 2]
        said = content_stems(" ".join([title, *(s.text for s in near if s.passage == own.passage)]))
        alike = (content_stems(f"{verb} {words}") for verb, words in SENSES.items())
        if not wanted - said.union(*(words for words in alike if words & said)):
            return True
    return False


def is_hedged(a: Analysis) -> bool:
    """Whether an answering sentence says less than the question's claim: "essentially the first mainstream beer"."""
    texts = [a.sentences[i].text for i in a.answer_sentences]
    part = not _same_first(a.query, a.text)
    asked = set(tokens(a.query.lower()))
    return part or any(m.group().lower() not in asked for text in texts for m in _HEDGES.finditer(text))


def _same_first(query: str, text: str) -> bool:
    after = re.search(r"\bfirst (\w+)", query.lower())
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


def says_verb(a: Analysis) -> bool:
    """Whether an answering sentence speaks of the deed as the question does: what was written need not be sung."""
    q = a.question
    if q is None:
        return other_form(a) is not None
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
