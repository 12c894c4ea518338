"""The offline engine: picks a lever of the cell whose rule fits the instance, applies it and checks the result.

A *cell* is a perturbation class with an intensity, and a *lever* is a way to perturb instances for a cell. A rule
yields *drafts*: perturbed questions with perturbed passages. The first draft without a fault becomes the item.
With several passages, rules work on the signal passages, and no other passage may undo their effect. Some rules take
material from *donors*: other instances of the base set, which come from a `DonorTable`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from perturb.building.offline.answers import leak, other_value
from perturb.building.offline.facts import InstanceFacts, facts_of
from perturb.building.offline.gaps import Filling
from perturb.building.offline.operators import OPERATIONS, Draft
from perturb.building.offline.words import has_word, seeded_random, support
from perturb.catalogue.features import Need, word_bank, word_pattern
from perturb.catalogue.levers import Catalogue
from perturb.files.resources import digest, fraction_of, seed_of
from perturb.records import BaseInstance, Cell, Intensity, Lever, Passage
from perturb.text.matching import beyond_reading
from perturb.text.passages import removes_answer, split_sentences

RULE_VERSION = "3"
"""Part of the id of every rule job. Change it whenever a rule makes other items, and only then."""

# A sentence that holds this share of a question's content words, its title included, is relevant to the question.
_RELEVANT = 0.34
# A sentence that holds this share of a question's content words may give the question another answer.
_ANSWERING = 0.5

# How many donors the table keeps for each kind of answer and each way of asking.
_DONORS_PER_GROUP = 24
# How many donors of each group an instance gets.
_DONORS_PER_INSTANCE = 10
# A donor's first passage has at most this many characters.
_LONGEST_PASSAGE = 4_000


@dataclass(frozen=True, slots=True)
class Abstention:
    """The engine has no sound item for this instance and cell."""

    reason: str


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A perturbed instance that a rule has made."""

    lever: str
    query: str
    passages: tuple[Passage, ...]
    reasoning: str


def perturb_by_rule(
    catalogue: Catalogue,
    instance: BaseInstance,
    cell: Cell,
    lever: str | None,
    seed: int,
    donors: Sequence[BaseInstance] = (),
) -> RuleCandidate | Abstention:
    """Perturb an instance for a cell by a lever. If `lever` is None, the seed draws among the levers that fit.

    `donors` are other instances of the base set, which may lend rivals and passages. An exception is a fault of the
    engine, and a note on it names the lever.
    """
    levers = [entry for entry in catalogue.levers_of(cell) if entry.rule and lever in (None, entry.name)]
    if not levers:
        return Abstention(
            f"no rule for {cell}" if lever is None else f"no rule for the lever {lever!r} in {cell}"
        )
    if unread := beyond_reading(instance.query, instance.passages):
        return Abstention(unread)
    facts = facts_of(instance)
    if facts.unfit is not None:
        return Abstention(facts.unfit)
    # Each job has its own seed, so that the items of a cell spread over its levers.
    seeded_random("order", seed).shuffle(levers)
    failures: list[str] = []
    # The first lever with a sound draft wins. The reasons of the others go into the message if none succeeds.
    for entry in levers:
        try:
            result = _apply(entry, instance, facts, seed, donors)
        except Exception as error:
            error.add_note(f"rule '{entry.name}'")
            raise
        if isinstance(result, RuleCandidate):
            return result
        if result is not None:
            failures.append(f"{entry.name}: {result}")
    return Abstention("; ".join(failures) or f"no rule of {cell} fits")


def _apply(
    lever: Lever, instance: BaseInstance, facts: InstanceFacts, seed: int, donors: Sequence[BaseInstance]
) -> RuleCandidate | str | None:
    """The candidate that the lever's rule makes, or what is wrong with its last draft; None if there is no draft."""
    rule = lever.rule
    if rule is None or not all(Need.read(need).holds(facts.features) for need in (*lever.needs, *rule.needs)):
        return None
    filling = Filling(facts, donors, (lever.name, seed))
    problem: str | None = None
    # The first sound draft wins. If no draft is sound, the reason is that of the last draft.
    for draft in OPERATIONS[rule.do](rule, filling):
        problem = _draft_fault(facts, lever.cell, draft) or _undone_by(instance, lever.cell, facts, draft)
        if problem is None:
            # The reason has gaps too. If one of them has no value, the reason is given with its gaps.
            reasoning = filling.fill((rule.why,)) or rule.why
            if filling.used:
                reasoning += f" Taken from {', '.join(sorted(filling.used))}."
            return RuleCandidate(lever.name, draft.query, _with_noise(instance, draft.passages), reasoning)
    return problem


def _with_noise(instance: BaseInstance, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """All passages of the instance, with `passages` in place of its signal passages."""
    if len(passages) == len(instance.passages):
        return passages
    # Noise passages keep their positions between the changed signal passages.
    changed = iter(passages)
    return tuple(next(changed) if old.role == "signal" else old for old in instance.passages)


def _draft_fault(facts: InstanceFacts, cell: Cell, draft: Draft) -> str | None:
    """One line on what is wrong with a draft for the cell; None if the draft is sound."""
    # These checks hold for every operator, so operators need not repeat them.
    if not all(passage.text.strip() for passage in draft.passages):
        return "nothing would be left of a passage"
    if (draft.query, draft.passages) == (facts.query, facts.passages):
        return "nothing changed"
    names_answer = any(has_word(draft.query, mention.text) for mention in facts.mentions)
    is_asked_anew = draft.query != facts.query
    # At MEDIUM and HIGH the question may name the answer, since it must not be answered any more.
    if is_asked_anew and names_answer and cell.intensity is Intensity.LOW:
        return "the question gives the answer away"
    holds_answer = any(has_word(passage.text, facts.answer) for passage in draft.passages)
    if not holds_answer and not removes_answer(cell):
        return "the answer is gone"
    return None


def _undone_by(instance: BaseInstance, cell: Cell, facts: InstanceFacts, draft: Draft) -> str | None:
    """One line on a passage that undoes the effect of a draft; None if no passage does."""
    if len(instance.passages) == 1:
        return None
    # The facts are about the signal passages, or about all passages if no passage is marked as signal.
    noise = tuple(passage for passage in instance.passages if passage not in facts.passages)
    # The answer was removed: it must not stand in the noise.
    if removes_answer(cell):
        return _answer_left(facts, noise)
    # The question was changed: the noise must not answer the new one. The rule itself has read the signal passages.
    if draft.query != facts.query:
        return _new_question_answered(facts, draft.query, noise)
    # At LOW, the item must stay answerable, so a passage that answers it does no harm.
    if cell.intensity is Intensity.LOW:
        return None
    # At MEDIUM and HIGH, an untouched passage that gives the answer would resolve the flaw.
    pairs = zip(facts.passages, draft.passages, strict=True)
    unchanged = [old for old, new in pairs if old.text == new.text]
    return _settled(facts, (*unchanged, *noise))


def _answer_left(facts: InstanceFacts, noise: tuple[Passage, ...]) -> str | None:
    """One line if a noise passage gives the answer that was removed, or another value for it."""
    query = facts.query
    for passage in noise:
        for alias in facts.answers:
            if has_word(f"{passage.title}\n{passage.text}", alias):
                return f"the answer {alias!r} stands in a noise passage"
    for titled_sentence, sentence in _titled_sentences(noise):
        share = support(query, titled_sentence)
        # Single words of the answer betray it already in a sentence that is merely relevant.
        word = leak(facts, sentence) if share >= _RELEVANT else None
        if word is None and share >= _ANSWERING:
            word = other_value(facts, sentence)
        if word is not None:
            return f"{word!r} in a noise passage could be taken for the answer"
    return None


def _new_question_answered(facts: InstanceFacts, query: str, noise: tuple[Passage, ...]) -> str | None:
    """One line if a noise passage may answer the new question."""
    for titled_sentence, _ in _titled_sentences(noise):
        share = support(query, titled_sentence)
        # A noise passage that fits the original question just as well does not answer either of the two.
        if share >= _ANSWERING and share > support(facts.query, titled_sentence):
            return "a noise passage speaks of what the new question asks"
    return None


def _settled(facts: InstanceFacts, untouched: tuple[Passage, ...]) -> str | None:
    """One line if an unchanged passage gives the answer, which shows which reading or which side is right."""
    for titled_sentence, _ in _titled_sentences(untouched):
        names_answer = any(has_word(titled_sentence, alias) for alias in facts.answers)
        if names_answer and support(facts.query, titled_sentence) >= _RELEVANT:
            return "a passage that was left alone settles the question"
    return None


def _titled_sentences(passages: tuple[Passage, ...]) -> Iterator[tuple[str, str]]:
    """The sentences of some passages, each with the title of its passage before it, and without."""
    for passage in passages:
        for sentence in split_sentences(passage.text):
            yield f"{passage.title} {sentence.text}", sentence.text


@dataclass(frozen=True, eq=False)
class DonorTable:
    """A few instances of a base set for each kind of answer and each way of asking.

    The table hardly changes when the base set grows, and an instance always gets the same donors from it.
    """

    groups: Mapping[str, tuple[BaseInstance, ...]] = field(default_factory=dict)
    """Name of a group, such as `answer date` or `asked who wrote`, and the donors that belong to it."""

    @classmethod
    def of(cls, instances: Iterable[BaseInstance]) -> DonorTable:
        """Draw the table of a base set."""
        donors = [
            instance
            for instance in instances
            if not beyond_reading(instance.query, instance.passages)
            and all(len(passage.text) <= _LONGEST_PASSAGE for passage in instance.passages[:1])
        ]
        # Drawn by the hash of the id and not by position, so that a longer base set keeps most of the table.
        donors.sort(key=lambda donor: (fraction_of("donor", donor.id), donor.id))
        groups: dict[str, list[BaseInstance]] = {}
        for donor in donors:
            for group in _groups_of(donor.query, donor.answers):
                groups.setdefault(group, []).append(donor)
        return cls({name: tuple(members[:_DONORS_PER_GROUP]) for name, members in sorted(groups.items())})

    @cached_property
    def digest(self) -> str:
        """Digest of the table, which enters the identity of rule jobs, since their items depend on the donors."""
        return digest([[name, [donor.id for donor in donors]] for name, donors in self.groups.items()])

    def lent_to(self, instance: BaseInstance) -> tuple[BaseInstance, ...]:
        """The donors for an instance: some with its kind of answer, some with its way of asking, and a few others."""
        donors: dict[str, BaseInstance] = {}
        # Each instance starts at another place of the group, so that not all of them get the same donors.
        start = seed_of("lend", instance.id)
        for group in _groups_of(instance.query, instance.answers):
            members = self.groups.get(group, ())
            # One more than needed is taken, since the instance itself may be among them.
            for offset in range(min(len(members), _DONORS_PER_INSTANCE + 1)):
                donor = members[(start + offset) % len(members)]
                if donor.id != instance.id:
                    donors[donor.id] = donor
        return tuple(donors.values())


def _groups_of(query: str, answers: tuple[str, ...]) -> list[str]:
    """The groups that an instance belongs to, judged by the wording of its question and of its first answer.

    >>> _groups_of("who wrote emma", ("Jane Austen",))
    ['answer person', 'asked who wrote', 'any']
    """
    words = query.lower().split()
    answer = answers[0] if answers else ""
    # After "who", the verb tells more than the question word.
    way_of_asking = " ".join(words[:2] if words[:1] == ["who"] else words[:1])
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
    return [f"answer {kind}", f"asked {way_of_asking}", "any"]
