"""Rules over several passages: they work on the signal passages, and no passage left alone may undo what they did.

A noise passage undoes a flaw when the answer stands in it, when it offers something else to a question that was
changed, or when it settles a contradiction; so does a signal passage that the rule did not touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perturb.records import BaseInstance, Cell, Intensity, Passage, PerturbationClass
from perturb.rules.analyse import Analysis, support
from perturb.rules.answer_leakage import leak, substitute_left
from perturb.rules.rule import Draft
from perturb.rules.sentences import split_sentences
from perturb.rules.words import has_word

BEARS_ON = 0.34
"""A sentence that holds this share of a question's content words, with the title above it, bears on the question."""

OFFERS = 0.5
"""A sentence that holds this share of a question's content words, with the title above it, may answer it otherwise."""


def signal_part(instance: BaseInstance) -> BaseInstance:
    """The instance with its signal passages only: what the rules read and write."""
    signal = tuple(passage for passage in instance.passages if passage.role == "signal")
    return replace(instance, passages=signal) if signal else instance


def with_noise(instance: BaseInstance, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """All passages of the instance, those of its signal part as given."""
    if len(passages) == len(instance.passages):
        return passages
    changed = iter(passages)
    return tuple(next(changed) if old.role == "signal" else old for old in instance.passages)


def undone_by(instance: BaseInstance, cell: Cell, analysis: Analysis, draft: Draft) -> str | None:
    """Which passage undoes the draft and how, in one line; None if none does.

    `analysis` and `draft` are of the instance's signal part.
    """
    noise = tuple(passage for passage in instance.passages if passage.role != "signal")
    if len(analysis.instance.passages) == len(instance.passages):
        noise = ()
    untouched = tuple(
        old
        for old, new in zip(analysis.instance.passages, draft.passages, strict=True)
        if old.text == new.text
    )
    if cell.perturbation_class is PerturbationClass.MISSING_INFO and cell.intensity is not Intensity.LOW:
        return _answer_left(analysis, noise)
    if draft.query != analysis.instance.query:
        return _offered(analysis, draft, noise)
    if cell.intensity is Intensity.LOW:
        return _rival_backed(analysis, draft, noise)
    return _settled(analysis, (*untouched, *noise))


def _answer_left(analysis: Analysis, noise: tuple[Passage, ...]) -> str | None:
    query = analysis.instance.query
    for passage in noise:
        for alias in analysis.instance.answers:
            if has_word(f"{passage.title}\n{passage.text}", alias):
                return f"the answer {alias!r} stands in a noise passage"
    for title, sentence in _sentences(noise):
        share = support(query, f"{title} {sentence}")
        word = leak(analysis, sentence) if share >= BEARS_ON else None
        if word is None and share >= OFFERS:
            word = substitute_left(analysis, sentence)
        if word is not None:
            return f"{word!r} in a noise passage could be taken for the answer"
    return None


def _offered(analysis: Analysis, draft: Draft, noise: tuple[Passage, ...]) -> str | None:
    """A noise passage that suits the new question better than the old one."""
    for title, sentence in _sentences(noise):
        near = f"{title} {sentence}"
        share = support(draft.query, near)
        if share >= OFFERS and share > support(analysis.instance.query, near):
            return "a noise passage speaks of what the new question asks"
    return None


def _rival_backed(analysis: Analysis, draft: Draft, noise: tuple[Passage, ...]) -> str | None:
    """A value that the draft brought in against the answer, and that a noise passage holds too."""
    rival = analysis.alternative
    if rival is None or not any(has_word(passage.text, rival) for passage in draft.passages):
        return None
    backed = any(has_word(f"{passage.title}\n{passage.text}", rival) for passage in noise)
    return f"a noise passage holds {rival!r}, too" if backed else None


def _settled(analysis: Analysis, untouched: tuple[Passage, ...]) -> str | None:
    """A passage left alone that still gives the answer: it tells a reader which reading or which side is right."""
    for title, sentence in _sentences(untouched):
        near = f"{title} {sentence}"
        held = any(has_word(near, alias) for alias in analysis.instance.answers)
        if held and support(analysis.instance.query, near) >= BEARS_ON:
            return "a passage that was left alone settles the question"
    return None


def _sentences(passages: tuple[Passage, ...]) -> Iterator[tuple[str, str]]:
    """The sentences of some passages, each with the title of its passage."""
    for passage in passages:
        for sentence in split_sentences(passage.text, 0):
            yield passage.title, sentence.text
