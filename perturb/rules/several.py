"""Rules over several passages: they work on the signal passages, and no passage left alone may undo what they did."""

from __future__ import annotations

from collections.abc import Iterator

from perturb.passages import removes_answer
from perturb.records import BaseInstance, Cell, Intensity, Passage
from perturb.rules.answers import leak, other_value
from perturb.rules.facts import Facts
from perturb.rules.sentences import split_sentences
from perturb.rules.words import has_word, support

_BEARS_ON = 0.34
"""A sentence that holds this share of a question's content words, with the title above it, bears on the question."""
_OFFERS = 0.5
"""A sentence that holds this share of a question's content words, with the title above it, may answer it otherwise."""


def with_noise(instance: BaseInstance, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """All passages of the instance, those of its signal part as given."""
    if len(passages) == len(instance.passages):
        return passages
    changed = iter(passages)
    return tuple(next(changed) if old.role == "signal" else old for old in instance.passages)


def undone_by(
    instance: BaseInstance, cell: Cell, facts: Facts, query: str, passages: tuple[Passage, ...]
) -> str | None:
    """Which passage undoes the draft and how, in one line; None if none does."""
    noise = (
        ()
        if len(passages) == len(instance.passages)
        else tuple(p for p in instance.passages if p.role != "signal")
    )
    if removes_answer(cell):
        return _answer_left(facts, noise)
    if query != facts.instance.query:
        return _offered(facts, query, noise)
    if cell.intensity is Intensity.LOW:
        return None
    kept = (old for old, new in zip(facts.passages, passages, strict=True) if old.text == new.text)
    return _settled(facts, (*kept, *noise))


def _answer_left(facts: Facts, noise: tuple[Passage, ...]) -> str | None:
    query = facts.instance.query
    for passage in noise:
        for alias in facts.instance.answers:
            if has_word(f"{passage.title}\n{passage.text}", alias):
                return f"the answer {alias!r} stands in a noise passage"
    for title, sentence in _sentences(noise):
        share = support(query, f"{title} {sentence}")
        word = leak(facts, sentence) if share >= _BEARS_ON else None
        if word is None and share >= _OFFERS:
            word = other_value(facts, sentence)
        if word is not None:
            return f"{word!r} in a noise passage could be taken for the answer"
    return None


def _offered(facts: Facts, query: str, noise: tuple[Passage, ...]) -> str | None:
    for title, sentence in _sentences(noise):
        share = support(query, f"{title} {sentence}")
        if share >= _OFFERS and share > support(facts.instance.query, f"{title} {sentence}"):
            return "a noise passage speaks of what the new question asks"
    return None


def _settled(facts: Facts, untouched: tuple[Passage, ...]) -> str | None:
    """A passage left alone that still gives the answer tells a reader which reading or which side is right."""
    for title, sentence in _sentences(untouched):
        near = f"{title} {sentence}"
        if (
            any(has_word(near, alias) for alias in facts.instance.answers)
            and support(facts.instance.query, near) >= _BEARS_ON
        ):
            return "a passage that was left alone settles the question"
    return None


def _sentences(passages: tuple[Passage, ...]) -> Iterator[tuple[str, str]]:
    """The sentences of some passages, each with the title of its passage."""
    for passage in passages:
        for sentence in split_sentences(passage.text, 0):
            yield passage.title, sentence.text
