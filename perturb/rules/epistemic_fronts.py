"""A remark set before the question, where the question has no place for an aside after its subject."""

from __future__ import annotations

import random
import re

from perturb.rules import pools
from perturb.rules.analyse import Analysis
from perturb.rules.answers import AnswerType
from perturb.rules.epistemic_scenes import beside
from perturb.rules.fact_kinds import Pair
from perturb.rules.marking import aside_place, named_subject, open_to_more
from perturb.rules.passage_edits import added
from perturb.rules.query_edits import Applies, printed, slots
from perturb.rules.rule import Draft
from perturb.rules.subject_names import with_its_article
from perturb.rules.subjects import Subject, edited_passage
from perturb.rules.words import plain, spans_of

_OPENERS = ("given that", "considering that", "bearing in mind that")
_NAME = re.compile(r"(?:[A-Z][\w'’-]*!?)(?: (?:of|the|and|for|&|[A-Z][\w'’-]*!?))+$")


def fronted_subject(a: Analysis) -> Subject | None:
    """One thing that the query names and "it" can stand for, though no aside fits after its name.

    After "what" or "which" stands another thing, so that "it" might be taken for that.
    """
    subject = named_subject(a) or _titled(a)
    if subject is None or subject.sort == "person" or plain(subject.name.split()[-1]).endswith("s"):
        return None
    if re.search(r"s (?:of|and|for) ", subject.name) or not re.match(r"(?:who|when|where) ", a.query.lower()):
        return None
    return None if aside_place(a, subject) is not None or not _stands_alone(a, subject) else subject


_GOES_ON = re.compile(
    r"(?:in|on|at|for|before|after|since|until|during|to|from|by|with|and|as|is|was|were|has|had|start|begin|end|open|"
    r"come|take|happen|get|go|become|first|last|finish|originate|celebrated|signed|written|founded|built|located|held|"
    r"played|made|filmed|created|established|passed|introduced|released|invented|published|fought)\b"
)
"""What may follow a name that is a phrase of its own; another noun would make it part of a compound."""


def _stands_alone(a: Analysis, subject: Subject) -> bool:
    """Whether the query names the subject in a phrase of its own, so that "it" can stand for that."""
    tail = "" if subject.span is None else a.query[subject.span[1] :].strip("? ")
    return not tail or _GOES_ON.match(tail) is not None


def _titled(a: Analysis) -> Subject | None:
    """The thing that the edited passage is titled by, if the query names it in full, in more than one word."""
    home = edited_passage(a)
    if home is None:
        return None
    name = re.sub(r" \(.*\)$", "", a.instance.passages[home].title)
    first = plain(name.split()[0]) if name.split() else ""
    if not _NAME.match(name) or first in pools.MALE_NAMES | pools.FEMALE_NAMES:
        return None
    if len(spans_of(a.query, name)) != 1 or name not in a.query or name not in a.instance.passages[home].text:
        return None
    start, end = spans_of(a.query, name)[0]
    article = "the " if a.query[:start].lower().endswith(" the ") else ""
    full = f"{article}{name}" if article else with_its_article(name, a.instance.passages)
    return Subject(name, "", "thing", full, home, "", None, None, (start, end))


def can_front(figures: bool = True) -> Applies:
    """A precondition: a remark can go before the question; `figures` if it brings numbers along."""

    def fits(a: Analysis) -> bool:
        if figures and a.answer_type is AnswerType.NUMBER:
            return False
        return open_to_more(a) and fronted_subject(a) is not None

    return fits


def fronted(a: Analysis, rng: random.Random, pairs: tuple[Pair, ...], why: str) -> Draft | None:
    """A draft whose question opens with a remark on what the passage now says of the subject."""
    subject = fronted_subject(a)
    tied = [pair for pair in pairs if pair[1].startswith("{of_")]
    if subject is None or not tied:
        return None
    sentence, aside = rng.choice(tied)
    words = {**slots(subject), **beside(a, rng, subject)}
    remark = aside.replace("{of_", "{it_").format(**words)
    passages = added(a, sentence.format(**words))
    if passages is None:
        return None
    return Draft(
        printed(a, f"{rng.choice(_OPENERS)} {remark}, {a.query}"), passages, why.format(full=subject.full)
    )
