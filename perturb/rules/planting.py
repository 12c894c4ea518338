"""Facts set into a passage, and questions that go beyond what it says."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from perturb.records import Passage
from perturb.rules.analyse import Analysis
from perturb.rules.asides import Applies, fill, question_of, slots, with_query
from perturb.rules.kinds import Entry, Pair, kind_of, suiting
from perturb.rules.rule import Draft
from perturb.rules.sentences import Sentence, inserted_after
from perturb.rules.subjects import anchor_of, edited_passage
from perturb.rules.words import capitalise, has_word

_LEADS_ON = re.compile(
    r"^(?:He|She|It|They|His|Her|Its|Their|This|These|That|Those|Such|Both|There|Here|However|But|And|Or|So|Thus|"
    r"Then|Later|Afterwards?|Meanwhile|Instead|Therefore|Also|Another|The (?:latter|former|same|other|two))\b"
)


def addition_place(a: Analysis) -> Sentence | None:
    """The last whole sentence of the edited passage after which a new sentence disturbs nothing."""
    index = edited_passage(a)
    if index is None:
        return None
    own = a.sentences_in(index)
    for place in range(len(own) - 1, -1, -1):
        following = own[place + 1].text if place + 1 < len(own) else ""
        if (
            own[place].complete
            and not _LEADS_ON.match(following.lstrip("\"'“"))
            and "\n" not in own[place].text
        ):
            return own[place]
    return None


def added(a: Analysis, addition: str) -> tuple[Passage, ...] | None:
    """The passages with a new sentence; None where it finds no place or would say the answer or repeat a figure."""
    sentence = addition_place(a)
    if sentence is None or _tells(a, addition):
        return None
    text = a.instance.passages[sentence.passage].text
    return a.with_passage(sentence.passage, inserted_after(text, sentence, capitalise(addition)))


def _tells(a: Analysis, addition: str) -> bool:
    return any(has_word(addition, alias) for cluster in a.clusters for alias in cluster.aliases)


def entry_for(a: Analysis, rng: random.Random, bank: Mapping[str, tuple[Entry, ...]]) -> Entry | None:
    """An entry of the bank that suits the subject, or the person who is the answer; None if there is none."""
    subject = anchor_of(a)
    entries = () if subject is None else suiting(bank, kind_of(a, subject))
    return rng.choice(entries) if entries else None


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
            subject is not None and bool(suiting(bank, kind_of(a, subject))) and addition_place(a) is not None
        )

    return fits


def has_anchor(a: Analysis) -> bool:
    """Whether there is a subject or a person to ask about."""
    return anchor_of(a) is not None
