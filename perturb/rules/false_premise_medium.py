"""MEDIUM rules of P-FalsePremise: what is asked hinges on something that the passage rules out."""

from __future__ import annotations

import random
import re

from perturb.records import Intensity, PerturbationClass
from perturb.rules import pools
from perturb.rules.analyse import Analysis, support
from perturb.rules.answers import AnswerType
from perturb.rules.asides import fill, question_of, refusal_rule, slots, told_in, with_query
from perturb.rules.doers import Doer, doer_of, done_of, is_clean
from perturb.rules.questions import inflected
from perturb.rules.rule import Draft, Rule
from perturb.rules.subjects import Subject, appeared_in, subject_of
from perturb.rules.words import has_word, spans_of, stem, tokens, word_list

_CLASS = PerturbationClass.FALSE_PREMISE

_NEVER = (
    "Why does {name} regret never having {done}?",
    "Why was {name} so relieved never to have {done}?",
    "When did {name} first admit to never having {done}?",
    "Who was the first to notice that {name} had never {done}?",
    "How did the public find out that {name} had never {done}?",
    "What made {name} sorry never to have {done}?",
    "In which interview did {name} say how glad {pronoun} was never to have {done}?",
)
_NOT = (
    "Who was the first to notice that {denial}?",
    "When did it come to light that {denial}?",
    "How was it discovered that {denial}?",
    "Why do some people still regret that {denial}?",
    "When did the public learn that {denial}?",
    "Who found out by chance that {denial}?",
    "Why was it such a relief to many that {denial}?",
)

_ENDED: dict[str, tuple[str, ...]] = {
    "film": (
        "Why was {full} withdrawn from cinemas in {year}?",
        "Who decided to take {full} out of cinemas in {year}?",
        "Why did cinemas stop showing {full} in {year}?",
        "What made distributors give up on {full} in {year}?",
        "How did audiences react when {full} was pulled from cinemas in {year}?",
        "Why did the last cinema to show {full} drop it in {year}?",
    ),
    "music": (
        "Why did radio stations stop playing {full} in {year}?",
        "Who had {full} taken out of the shops in {year}?",
        "Why was {full} dropped from the air in {year}?",
        "What led record shops to stop selling {full} in {year}?",
        "Why was {full} withdrawn from sale in {year}?",
        "Which radio station was the first to stop playing {full} in {year}?",
    ),
    "series": (
        "Why was {full} taken off the air in {year}?",
        "Who decided to cancel {full} in {year}?",
        "Why did the network stop showing {full} in {year}?",
        "How did viewers react when {full} was cancelled in {year}?",
        "What led to the cancellation of {full} in {year}?",
        "Why did {full} lose its place in the schedule in {year}?",
    ),
    "book": (
        "Why did {full} go out of print in {year}?",
        "Who decided to stop printing {full} in {year}?",
        "Why was {full} withdrawn from bookshops in {year}?",
        "What made the publisher give up on {full} in {year}?",
        "Why did libraries stop lending {full} in {year}?",
        "How did readers react when {full} went out of print in {year}?",
    ),
    "body": (
        "Why did {full} break up in {year}?",
        "What led {full} to shut down in {year}?",
        "Why did {full} give up its work in {year}?",
        "Who decided that {full} should disband in {year}?",
        "How did the public react when {full} was dissolved in {year}?",
        "Why did {full} cease to exist in {year}?",
    ),
    "place": (
        "Why was {full} closed in {year}?",
        "Who ordered the closing of {full} in {year}?",
        "Why did {full} stop admitting people in {year}?",
        "What led to the closing of {full} in {year}?",
        "Why was {full} abandoned in {year}?",
        "How long did the repairs take after {full} was shut in {year}?",
    ),
}
_BEGAN = re.compile(
    r"^when (?:was|is|did|does) (?:the )?(?:song |movie |film |book |novel |tv show |show )?\x00 (?:first )?"
    r"(?:founded|released|published|written|built|created|made|opened|open|established|formed|aired|air|premiered?|"
    r"start|begin|come out|coming out)$"
)

_BURIALS = (
    "In which cemetery was {told} buried?",
    "Where was {told} laid to rest?",
    "Who gave the eulogy at the funeral of {told}?",
    "In which year was {told} buried?",
    "Which church held the funeral of {told}?",
    "Where were the ashes of {told} scattered?",
    "What is carved on the gravestone of {told}?",
)
_RESIGNED = (
    "In whose favour did {name} give up the post of {post}?",
    "Why did {name} step down as {post}?",
    "When did {name} hand over the post of {post}?",
    "To whom did {name} pass on the post of {post}?",
    "What made {name} resign as {post}?",
    "How did {name} announce the decision to leave the post of {post}?",
)
_BEFORE_FIRST = (
    "Who {verb} the {thing} that came just before the very first one?",
    "Who {verb} the {thing} that preceded the first one?",
    "Who had {done} the earlier {thing} before the first one came about?",
    "Who {verb} the last {thing} before the very first one?",
    "Who {verb} the {thing} that was older than the first one?",
    "Before the first one, who {verb} the previous {thing}?",
)
_PHANTOM = (
    "When did the {ordinal} season of {full} premiere?",
    "How many episodes does the {ordinal} season of {full} have?",
    "Which episode opens the {ordinal} season of {full}?",
    "Who joined the cast in the {ordinal} season of {full}?",
    "How does the {ordinal} season of {full} end?",
    "Where was the {ordinal} season of {full} filmed?",
)
_COPULA = frozenset(("is", "was", "are", "were", "become", "became"))


def _asserted(a: Analysis) -> bool:
    """Whether an answering sentence, with its neighbours and title, holds most of what the question says."""
    for index in a.answer_sentences:
        own = a.sentences[index]
        near = [s.text for s in a.sentences[max(0, index - 1) : index + 2] if s.passage == own.passage]
        title = a.instance.passages[own.passage].title
        if support(a.instance.query, " ".join([title, *near])) >= 0.6:
            return True
    return False


def _denial(a: Analysis) -> str | None:
    """The claim of a when-, where- or what-is-question, denied."""
    q = a.question
    if q is None or q.after or not is_clean(a) or not a.single_answer:
        return None
    if q.wh == "what" and q.gap == "thing":
        short = len(a.answer.split()) <= 4 and not re.search(r"[(),;:\d]", a.answer)
        denied = f"{q.before} not {a.answer}"
        return denied if short and q.before.startswith("the ") and " name of the " not in q.before else None
    if not _plain_value(a, q.gap):
        return None
    verb = a.query.split()[1].lower()
    if verb in ("was", "were"):
        return _once(q.claim(a.answer), f" {verb} ", f" {verb} not ")
    base = inflected(q.verb, "VB")
    return (
        None
        if verb != "did" or base is None
        else _once(q.claim(a.answer), f" {q.verb} ", f" did not {base} ")
    )


def _plain_value(a: Analysis, gap: str) -> bool:
    """Whether the answer is a date or a place that a claim can end on."""
    if gap == "place":
        return a.answer_type is AnswerType.PLACE
    if gap != "date" or a.answer_type not in (AnswerType.DATE, AnswerType.YEAR):
        return False
    return bool(re.match(r"(?:in |on )?(?:[A-Z]\w+ )?\d", a.answer) and re.search(r"\d{4}$|^[A-Z]", a.answer))


def _once(claim: str, old: str, new: str) -> str | None:
    return claim.replace(old, new) if claim.count(old) == 1 else None


_APPEARING = frozenset(
    word_list("come release publish premiere air broadcast debut open start begin found establish")
)


def _says_verb(a: Analysis) -> bool:
    """Whether an answering sentence speaks of a dated deed as the question does: a recording is no release."""
    q = a.question
    if q is None or q.gap != "date" or q.verb in ("was", "were", "is", "are"):
        return True
    verb = inflected(q.verb, "VB") or q.verb
    said = {stem(w) for i in a.answer_sentences for w in tokens(a.sentences[i].text)}
    alike = _APPEARING if verb in _APPEARING else {verb}
    forms = {form for v in alike for form in (v, inflected(v, "VBD"), inflected(v, "VBN")) if form}
    return bool(said & {stem(form) for form in forms})


def _factive_fits(a: Analysis) -> bool:
    doer = doer_of(a)
    if not a.single_answer or not _asserted(a) or not _says_verb(a):
        return False
    if re.search(r"\b(?:last time|season|new|now|currently|year)\b", a.query.lower()):
        return False
    return done_of(doer) is not None or _denial(a) is not None or _not_the(doer) is not None


def _not_the(doer: Doer | None) -> str | None:
    """Denies that somebody is what the question says: "Ann Lee was not the director of Emma"."""
    found = re.match(r"(is|was) (the .+)$", doer.did) if doer is not None else None
    return None if doer is None or found is None else f"{doer.name} {found.group(1)} not {found.group(2)}"


def _factive(a: Analysis, rng: random.Random) -> Draft | None:
    doer = doer_of(a)
    done = done_of(doer)
    if doer is not None and done is not None:
        pronoun = {"m": "he", "f": "she"}.get(doer.gender or "")
        wordings = _NEVER if pronoun else _NEVER[:-1]
        text = fill(rng, wordings, name=doer.name, done=done, pronoun=pronoun or "")
        return with_query(
            a,
            question_of(text),
            f"The passage says that {doer.name} {doer.did}; the question takes the opposite as fact.",
        )
    denial = _not_the(doer) or _denial(a)
    if denial is None:
        return None
    text = fill(rng, _NOT, denial=denial)
    return with_query(
        a, question_of(text), "The question takes as fact the opposite of what the passage states."
    )


def _beginning(a: Analysis, s: Subject) -> int | None:
    """The year in which the subject began, by the passage or by the answer."""
    if a.answer_type in (AnswerType.DATE, AnswerType.YEAR) and s.span is not None:
        query = a.query.rstrip("? ")
        bare = f"{query[: s.span[0]].lower()}\x00{query[s.span[1] :].lower()}"
        year = re.search(r"\b(1[5-9]\d\d|20[01]\d)\b", a.answer)
        return int(year.group()) if year and _BEGAN.match(bare) and a.single_answer else None
    return appeared_in(a, s)


def _ended_fits(a: Analysis) -> bool:
    s = subject_of(a)
    if (
        s is None
        or s.sort not in _ENDED
        or re.search(r"\b(?:sequel|remake|revival|original series|based on the)\b", a.text)
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
    s = subject_of(a)
    began = None if s is None else _beginning(a, s)
    if s is None or began is None:
        return None
    year = began - rng.randint(3, 11)
    wordings = _ENDED[s.sort]
    if s.noun in ("band", "duo", "group"):
        wordings = tuple(w for w in wordings if "work" not in w and "shut" not in w)
    text = fill(rng, wordings, year=str(year), **slots(s))
    return with_query(
        a,
        question_of(text),
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
    text = told_in(rng, _BURIALS, told=found[1])
    return with_query(
        a, question_of(text), f"The passage speaks of {found[0]} as alive, so that there was no funeral."
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
    text = fill(rng, _RESIGNED, name=found[0], post=found[1])
    return with_query(
        a, question_of(text), f"By the passage {found[0]} still holds the post, so that nobody took it over."
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


def _before_first(a: Analysis, rng: random.Random) -> Draft | None:
    found = _first_thing(a)
    if found is None:
        return None
    verb, done, thing = found
    text = fill(rng, _BEFORE_FIRST, verb=verb, done=done, thing=thing)
    return with_query(
        a,
        question_of(text),
        f"The passage speaks of the first {thing}, so that none can have come before it.",
    )


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
    text = fill(rng, _PHANTOM, ordinal=ordinal, **slots(s))
    return with_query(
        a,
        question_of(text),
        f"By the passage {s.full} ended after {number} seasons, so that there is no {ordinal} one.",
    )


RULES: tuple[Rule, ...] = (
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "First vs. Second Mission Clash",
        "a who-question about the first of its kind, which the passage calls the first too",
        lambda a: _first_thing(a) is not None,
        _before_first,
    ),
    refusal_rule(
        _CLASS,
        Intensity.MEDIUM,
        "Stopped vs. Never Started",
        "a work, body or building that the passage dates to one year, with no earlier form of it spoken of",
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
        _factive_fits,
        _factive,
    ),
)
