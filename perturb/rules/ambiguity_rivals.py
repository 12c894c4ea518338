"""Second values for the P-Ambiguity rules, where the analysis has none to offer."""

from __future__ import annotations

import re

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answer_person import maybe_person
from perturb.rules.answers import AnswerType
from perturb.rules.question_parsing import ParsedQuestion
from perturb.rules.subjects import WORKS, subject_of
from perturb.rules.values import dice, new_person
from perturb.rules.words import has_word, tokens, word_list

_YEAR = re.compile(r"\b(?:1[0-9]\d\d|20\d\d)\b")


_WOMEN = frozenset(
    word_list(
        "mother mom grandmother sister girlfriend wife queen girl woman daughter aunt princess actress she her"
    )
)
_MEN = frozenset(
    word_list("father dad grandfather brother boyfriend husband king boy man son uncle prince actor he his")
)
"""Words of a question that tell who may have played the part."""


def rival_of(analysis: Analysis) -> str | None:
    """A value of the answer's type that no passage holds: the alternative, else an invented person for a person.

    It follows from the instance alone, so that a rule and its promise speak of the same one.
    """
    if analysis.alternative is not None:
        return analysis.alternative
    if maybe_person(analysis):
        return anybody(analysis)
    held = re.search(r"\b(?:filmed|shot|held|built|take place|took place)$", analysis.query.rstrip("? "))
    return any_town(analysis) if held and analysis.query.lower().startswith("where ") else None


def anybody(analysis: Analysis) -> str | None:
    """An invented person, of the answer's gender where that is known."""
    if analysis.answer_type is AnswerType.PERSON and analysis.alternative is not None:
        return analysis.alternative
    rng = dice("rival", analysis.instance.query, analysis.instance.answers)
    asked = set(analysis.query.lower().split())
    sex = analysis.gender or ("f" if asked & _WOMEN else "m" if asked & _MEN else rng.choice("mf"))
    for _ in range(8):
        name = new_person(sex, analysis.text, rng)
        if name and not any(has_word(f"{analysis.text} {analysis.query}", word) for word in name.split()):
            return name
    return None


def any_town(analysis: Analysis) -> str | None:
    """A town that neither question nor passages name."""
    free = [town for town in pools.NEW_CITIES if not has_word(f"{analysis.query} {analysis.text}", town)]
    return dice("town", analysis.instance.query, analysis.instance.answers).choice(free) if free else None


def deed_of(question: ParsedQuestion) -> str:
    """What a who-question says was done, with the article that searchers leave out: "wrote the song X"."""
    return re.sub(r"^(\w+) ((?:theme )?(?:song|movie|film|book)s?\b)", r"\1 the \2", question.after)


def half_named(analysis: Analysis) -> bool:
    """Whether the question says a part of the answer's name, by which the passage goes on to call it."""
    return any(word[:1].isupper() and has_word(analysis.query, word) for word in tokens(analysis.answer))


_POST = r"(?:CEO|President|Speaker|Secretary|Minister|King|Queen|Governor|Director|Coach)\b"
_NAME = re.compile(r"(?:\bthe )?\b[A-Z][\w'’.:-]*(?: (?:(?:of|the|and|&|to|a) ){0,2}[A-Z0-9][\w'’.:-]*)+")


_LONG_NAME = re.compile(
    r"\b[A-Z][\w'’.:-]*(?: (?:(?:of|the|and|&|at|in|on|to|a|for) ){0,2}[A-Z0-9][\w'’.:-]*)+"
)


def thing_of(analysis: Analysis) -> str:
    """What the question is about, by a name that a new clause can use; "this subject" where it names nothing."""
    subject, query = subject_of(analysis), analysis.query
    known = subject is not None and subject.span is not None and subject.sort != "person" and "&" not in query
    if known and subject is not None and not re.match(rf"(?:the )?{_POST}", subject.full):
        return subject.full
    posts = re.compile(rf"^(?:the )?{_POST}(?: of(?= ))? ")
    held = " ".join(f"{passage.title} {passage.text}" for passage in analysis.instance.passages)
    long = [run for run in _LONG_NAME.findall(query) if has_word(held, run)]
    runs = [posts.sub("", run.rstrip("?.'’")) for run in [*long, *_NAME.findall(query)]]
    runs = [run for run in runs if len(re.findall(r"[A-Z0-9]", run)) > 1 and " " in run]
    if not runs:
        return "this subject"
    name = max(runs, key=len)
    following = query.partition(name)[2].split()[:1]
    if not following or following[0].strip("?") not in pools.TOPIC_KINDS:
        return _with_its_article(name, held)
    article = "" if name.lower().startswith("the ") else "the "
    return f"{article}{name} {following[0]}"


def _with_its_article(name: str, held: str) -> str:
    """The name with the "the" that the passages always put before it, if they do."""
    found = re.findall(rf"(\bthe )?\b{re.escape(name)}\b(?! \d)", held, flags=re.IGNORECASE)
    return f"the {name}" if found and all(found) else name


def hinted_year(analysis: Analysis) -> bool:
    """Whether a sentence that stays names a year next to the answer's, and the rival lies farther from it."""
    rival, held = rival_of(analysis) or "", {analysis.sentences[i] for i in analysis.answer_sentences}
    true, other = _YEAR.search(analysis.answer), _YEAR.search(rival)
    if true is None or other is None:
        return False
    year, false = int(true.group()), int(other.group())
    near = [int(y) for s in analysis.sentences if s not in held for y in _YEAR.findall(s.text)]
    return any(0 < abs(y - year) <= 1 and abs(y - false) > 1 for y in near)


def vague_outing(analysis: Analysis) -> bool:
    """Whether "come out" is asked of what is no work: a band, say, of which each record comes out."""
    subject = subject_of(analysis)
    work = subject is not None and subject.sort in WORKS
    coming = re.search(r"\b(?:come|comes|coming) out\b", analysis.query)
    return (
        coming is not None
        and not work
        and not re.search(r"\b(?:movie|film|song|book|game|album)s?\b|DLC", analysis.query)
    )


def years_in(text: str) -> frozenset[str]:
    """The years that a text names."""
    return frozenset(_YEAR.findall(text))


def is_dated(analysis: Analysis) -> bool:
    """Whether the question asks for a date and the answer holds a year."""
    question = analysis.question
    return question is not None and question.gap == "date" and bool(_YEAR.search(analysis.answer))


def is_old(analysis: Analysis) -> bool:
    """Whether the answer is a date before the days of newspapers and lectures."""
    years = [int(year) for year in _YEAR.findall(analysis.answer)]
    timely = analysis.answer_type in (AnswerType.DATE, AnswerType.YEAR)
    return timely and (min(years, default=1000) < 1880)
