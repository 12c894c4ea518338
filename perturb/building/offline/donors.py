"""Donors: other instances of the base set, from which second referents and unrelated passages are taken.

A table keeps a few donors for each kind of answer and each way of asking, those with the smallest digest, so that it
hardly changes when the base set grows; each instance is lent the same few of them wherever its job is done.

Passages taken from donors: unrelated ones in place of an instance's own, or one that answers a like question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from perturb.building.offline.answers import leak
from perturb.building.offline.facts import Facts, facts_of
from perturb.building.offline.gaps import Filling
from perturb.building.offline.words import content_stems, has_word
from perturb.catalogue.features import word_bank, word_pattern
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.records import BaseInstance, Passage
from perturb.text.matching import beyond_reading

_IN_TABLE = 24
"""Donors kept for each kind of answer and each way of asking."""
_LENT = 10
"""Donors of each sort that an instance is lent."""
_LONGEST = 4_000
"""Characters: passages longer than that lend nothing."""


@dataclass(frozen=True, eq=False)
class DonorTable:
    """A few instances of a base set for each kind of answer and each way of asking."""

    groups: Mapping[str, tuple[BaseInstance, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, instances: Iterable[BaseInstance]) -> DonorTable:
        """Draw the table of a base set."""
        groups: dict[str, list[tuple[float, BaseInstance]]] = {}
        for one in instances:
            if (
                beyond_reading(one.query, one.passages)
                or sum(len(p.text) for p in one.passages[:1]) > _LONGEST
            ):
                continue
            for group in _groups_of(one.query, "".join(one.answers[:1])):
                groups.setdefault(group, []).append((fraction_of("donor", one.id), one))
        return cls(
            {
                name: tuple(
                    one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].id))[:_IN_TABLE]
                )
                for name, found in sorted(groups.items())
            }
        )

    @cached_property
    def digest(self) -> str:
        """Digest of the table: the items that rules make hang on it."""
        return digest([[name, [one.id for one in found]] for name, found in self.groups.items()])

    def lent_to(self, instance: BaseInstance) -> tuple[BaseInstance, ...]:
        """The donors of one instance: of its kind of answer, of its way of asking, and a few of any."""
        return _lent(self, instance.id, instance.query, "".join(instance.answers[:1]))


@lru_cache(maxsize=256)
def _lent(table: DonorTable, borrower: str, query: str, answer: str) -> tuple[BaseInstance, ...]:
    lent: dict[str, BaseInstance] = {}
    first = seed_of("lend", borrower)
    for group in _groups_of(query, answer):
        found = table.groups.get(group, ())
        order = (found[(first + n) % len(found)] for n in range(min(len(found), _LENT + 1)))
        lent |= {one.id: one for one in order if one.id != borrower}
    return tuple(lent.values())


def _groups_of(query: str, answer: str) -> list[str]:
    """The groups that an instance belongs to, told from the look of its question and first answer alone."""
    words = query.lower().split()
    asked = " ".join(words[:2]) if words[:1] == ["who"] else next(iter(words), "")
    if word_pattern("dated").search(answer):
        kind = "date"
    elif re.search(r"\d", answer):
        kind = "number"
    elif any(word in word_bank("first_name") for word in answer.split()):
        kind = "person"
    elif answer in word_bank("city") | word_bank("region"):
        kind = "place"
    else:
        kind = "other"
    return [f"answer {kind}", f"asked {asked}", "any"]


_MOST_TIMES = 2.5
"""A donor's passage is at most so many times longer or shorter than the instance's own."""


_CREDIT = re.compile(
    r"\b(?:writ\w+|wrote|compos\w+|author\w*|poe[mt]\w*|music\w*|lyric\w*|songs?|songwriter|sing(?:s|er|ers)?|sang|sung|record\w*|play(?:s|ed)"
    r"|starr?(?:s|ed|ing)|portray\w*|voice[sd]?|direct\w+)\b",
    re.IGNORECASE,
)
"""Words by which a work is credited to somebody."""


def unrelated(f: Filling) -> Iterator[tuple[Passage, ...]]:
    """The passages of donors that share no word with the question, one for each signal passage."""
    wanted = content_stems(f.facts.instance.query)
    own = f.facts.passages
    chosen: list[tuple[str, Passage]] = []
    for donor in f.donors:
        if len(chosen) == len(own):
            break
        if facts_of(donor).kind == f.facts.kind:
            continue  # its answer is of the kind that is asked for
        if _CREDIT.search(f.facts.query) and _CREDIT.search(donor.passages[0].text):
            continue  # it may credit somebody with what is asked for
        for passage in facts_of(donor).passages[:1]:
            told = f"{passage.title} {passage.text}"
            if (
                _alike_in_length(passage.text, own[len(chosen)].text)
                and _begins_and_ends(passage.text)
                and not content_stems(told) & wanted
                and leak(f.facts, told) is None
            ):
                chosen.append((donor.id, replace(passage, text=re.sub(r" {2,}", " ", passage.text))))
    if len(chosen) < len(own):
        return
    f.used |= {name for name, _ in chosen}
    yield tuple(replace(new, role=old.role) for old, (_, new) in zip(own, chosen, strict=True))


def _alike_in_length(one: str, other: str) -> bool:
    return len(one) <= len(other) * _MOST_TIMES and len(other) <= len(one) * _MOST_TIMES


def _begins_and_ends(text: str) -> bool:
    """Whether a passage begins and ends with whole sentences."""
    if re.match(r"[A-Z]\w*(?: \w+){0,2}, (?:but|and|where|which)\b", text) or re.search(r"\(\s|\s\)", text):
        return False
    return re.match(r"[\"“(]?[A-Z]", text) is not None and re.search(r"[.!?][\"”)]?\s*$", text) is not None


def joined(f: Filling) -> Iterator[tuple[str, str]]:
    """For each donor that asks the same of another thing of the kind: the noun for both, and both passages in a row."""
    facts = f.facts
    own = facts.passages[facts.home].text
    for donor in f.donors:
        other = facts_of(donor)
        if other.unfit is not None or other.subject is None or facts.subject is None or not other.one_answer:
            continue
        text = other.passages[other.home].text
        if (
            other.subject.kind != facts.subject.kind
            or other.subject.kind == "person"
            or _asked(other) != _asked(facts)
        ):
            continue
        if (
            has_word(text, facts.answer)
            or has_word(own, other.answer)
            or not (_begins_and_ends(own) and _begins_and_ends(text))
        ):
            continue
        if not _alike_in_length(text, own):
            continue
        f.used.add(donor.id)
        noun = facts.subject.noun if facts.subject.noun == other.subject.noun else facts.subject.kind
        yield noun, f"{own.rstrip()}\n\n{text.strip()}"


def _asked(facts: Facts) -> frozenset[str]:
    """What is asked of the subject, whatever it is: the stems of the question without its name and noun."""
    subject = facts.subject
    rest = facts.instance.query.lower()
    if subject is not None:
        rest = rest.replace(re.sub(r"^the ", "", subject.name.lower()), " ").replace(subject.noun, " ")
    return content_stems(rest) - content_stems("song movie film book novel show series lyrics")
