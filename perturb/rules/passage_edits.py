"""Facts set into a passage, and questions that go beyond what it says."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.records import Passage
from perturb.rules.analyse import Analysis
from perturb.rules.fact_kinds import Entry, Pair, fact_kind, suiting
from perturb.rules.query_edits import Applies, fill, question_of, slots, with_query
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence, inserted_after
from perturb.rules.subjects import anchor_of, edited_passage
from perturb.rules.words import capitalise, has_word

_LEADS_ON = re.compile(
    r"\b(?:he|she|it|they|him|them|his|her|its|their|this|these|that|those|such|both|there|here|however|thus|then|"
    r"later|afterwards?|meanwhile|instead|therefore|also|still|again|next|another|other|same|latter|former|although|"
    r"though|despite|since|after|following)\b|^(?:but|and|or|so|yet|for|the|an?) ",
    re.IGNORECASE,
)
"""Words by which a sentence hangs on the one before it, wherever they stand."""
_OPENS = re.compile(r"(?:In|On|By) [\w, ]*\b\d{4},|[A-Z]\w+ [A-Z]\w+ ")
"""The opening of a sentence that begins anew: a date, or a name of two words."""


def addition_place(a: Analysis) -> Sentence | None:
    """The last sentence of the edited passage; where that is cut off and begins anew, the one before it."""
    index = edited_passage(a)
    own = () if index is None else a.sentences_in(index)
    if not own:
        return None
    last = own[-1]
    if not last.complete and len(own) > 1 and _begins_anew(a, last.text):
        last = own[-2]
    return last if last.complete and "\n" not in last.text else None


def _begins_anew(a: Analysis, text: str) -> bool:
    """Whether a sentence opens with a date, a name or the subject's noun, and hangs on nothing else before it."""
    subject = anchor_of(a)
    named = subject is not None and (
        (bool(subject.noun) and text.startswith(f"The {subject.noun} "))
        or text.removeprefix("The ").startswith(f"{subject.name.removeprefix('The ')} ")
    )
    return bool(named or _OPENS.match(text)) and not _LEADS_ON.search(text.removeprefix("The "))


def added(a: Analysis, addition: str) -> tuple[Passage, ...] | None:
    """The passages with a new sentence; None where it has no place, tells the answer or has a figure after a figure."""
    sentence = addition_place(a)
    if sentence is None or _tells(a, addition) or re.search(r"\d \d", addition):
        return None
    text = a.instance.passages[sentence.passage].text
    return a.with_passage(sentence.passage, inserted_after(text, sentence, capitalise(addition)))


def _tells(a: Analysis, addition: str) -> bool:
    return any(has_word(addition, alias) for cluster in a.clusters for alias in cluster.aliases)


def planted(a: Analysis, pair: Pair | None, why: str, /, **values: str) -> Draft | None:
    """A draft whose passage says something more of the subject, and whose question asks beyond it."""
    subject = anchor_of(a)
    if subject is None or pair is None:
        return None
    words = {**slots(subject), **values}
    passages = added(a, pair[0].format(**words))
    if passages is None:
        return None
    return Draft(question_of(pair[1].format(**words)), passages, why.format(**words))


def asked(
    a: Analysis, rng: random.Random, wordings: tuple[str, ...], why: str, /, **values: str
) -> Draft | None:
    """A draft with a new question about the subject, the passages as they are."""
    subject = anchor_of(a)
    if subject is None:
        return None
    words = {**slots(subject), **values}
    return with_query(a, question_of(fill(rng, wordings, **words)), why.format(**words))


def takes(bank: Mapping[str, tuple[Entry, ...]]) -> Applies:
    """A precondition: something of the bank can be said of the subject, and the passage takes an addition."""

    def fits(a: Analysis) -> bool:
        subject = anchor_of(a)
        return (
            subject is not None
            and bool(suiting(bank, fact_kind(a, subject)))
            and addition_place(a) is not None
        )

    return fits


def has_anchor(a: Analysis) -> bool:
    """Whether there is a subject or a person to ask about."""
    return anchor_of(a) is not None
