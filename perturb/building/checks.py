"""Checks a candidate by machine, before verifiers vote on it, since votes cost money.

`find_fault` returns the first thing that is wrong with a candidate, for instance that nothing was changed.

The flaw of a *deep* candidate is spread over several passages, and its passages may be longer and more than those of
the original. Its *control* has the same passages without the flaw. Its *proof* is a list of sentences that together
show the flaw, and its *construction* says how the flaw is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perturb.catalogue.levers import Catalogue
from perturb.records import BaseInstance, Candidate, Intensity, Passage
from perturb.text.matching import folded, holds_answer, may_hold_answer
from perturb.text.passages import passages_fault, removes_answer, shown_texts
from perturb.text.wording import is_english

MAX_GROWTH = 4
"""A perturbed text may be this many times as long as the original, and `GROWTH_ALLOWANCE` characters more."""
GROWTH_ALLOWANCE = 2000
"""Characters for short originals, to which even one added sentence is much."""

# The limits of deep items.
MIN_PASSAGES = 3
"""The least number of passages: with fewer, the flaw is not spread widely enough."""
MAX_ADDED = 6
"""How many passages a generator may add to those of the instance."""
MAX_PASSAGE_CHARS = 3000
"""The length that every passage may reach. Twice the length of the longest original passage is allowed too."""
MIN_QUOTES, MAX_QUOTES = 2, 12
"""How many sentences a proof has."""
MIN_QUOTE_WORDS = 4
"""A quote with fewer words is a fragment, which proves nothing."""


def find_fault(
    catalogue: Catalogue,
    original: BaseInstance,
    candidate: Candidate,
    offered: Sequence[str] = (),
    constructions: Sequence[str] = (),
) -> str | None:
    """The first fault of a candidate in one line, or None.

    `offered` are the levers that the generator could choose from; if empty, all levers of the cell. `constructions` are
    those that a deep candidate could choose from.
    """
    if candidate.depth == "deep":
        return (
            _lever_fault(catalogue, candidate, offered)
            or _construction_fault(catalogue, candidate, constructions)
            or _deep_passages_fault(original, candidate)
            or _proof_fault(candidate)
            or _target_fault(catalogue, original, candidate)
            or _deep_answer_fault(catalogue, original, candidate)
        )
    return (
        _lever_fault(catalogue, candidate, offered)
        or _target_fault(catalogue, original, candidate)
        or passages_fault(original, candidate)
        or _length_fault(original, candidate)
        or _answer_fault(catalogue, original, candidate)
    )


def _lever_fault(catalogue: Catalogue, candidate: Candidate, offered: Sequence[str]) -> str | None:
    """One line on a lever that is unknown, of another cell or was not offered."""
    lever = catalogue.find(candidate.lever)
    if lever is None:
        return f"unknown lever '{candidate.lever[:80]}'"
    if lever.cell != candidate.cell:
        return f"lever '{lever.name}' belongs to {lever.cell}, not to {candidate.cell}"
    return _choice_fault("lever", lever.name, offered)


def _construction_fault(catalogue: Catalogue, candidate: Candidate, offered: Sequence[str]) -> str | None:
    """One line on a construction that is unknown or was not offered."""
    name = candidate.construction or ""
    if catalogue.construction(name) is None:
        return f"unknown construction '{name[:80]}'"
    return _choice_fault("construction", name, offered)


def _choice_fault(label: str, name: str, offered: Sequence[str]) -> str | None:
    """One line on a lever or a construction that was not among those offered, if there was an offer."""
    if not offered or name in offered:
        return None
    offered_names = " or ".join(f"'{offered_name}'" for offered_name in offered)
    return f"{label} '{name}' was used, {offered_names} was asked for"


def _target_fault(catalogue: Catalogue, original: BaseInstance, candidate: Candidate) -> str | None:
    """One line if there is no flaw, or if it lies in a part that the class does not allow."""
    name = candidate.cell.perturbation_class
    target = catalogue.classes[name].target
    is_deep = candidate.depth == "deep"
    # A longer context by itself is not a flaw, so a deep item is compared with its control.
    query_changed = candidate.query != original.query
    context_changed = candidate.passages != (candidate.control if is_deep else original.passages)
    if not query_changed and not context_changed:
        return "nothing carries the flaw: item and control are the same" if is_deep else "nothing was changed"
    if query_changed and "query" not in target:
        return f"the query was changed, which {name} does not allow"
    if context_changed and "context" not in target:
        change = "carries the flaw" if is_deep else "was changed"
        return f"the context {change}, which {name} does not allow"
    return None


def _length_fault(original: BaseInstance, candidate: Candidate) -> str | None:
    """One line if a text is empty or much longer than its original."""
    for name, before, after in (
        ("query", original.query, candidate.query),
        ("context", original.context, candidate.context),
    ):
        if not after.strip():
            return f"the {name} is empty"
        limit = MAX_GROWTH * len(before) + GROWTH_ALLOWANCE
        if len(after) > limit:
            return f"the {name} has {len(after)} characters, more than the {limit} allowed for this instance"
    return None


def _answer_fault(catalogue: Catalogue, original: BaseInstance, candidate: Candidate) -> str | None:
    """One line if the passages lack an answer that the cell needs, or hold one that the cell forbids."""
    if removes_answer(candidate.cell):
        context = shown_texts(candidate.passages)
        remaining = [answer for answer in original.answers if holds_answer(context, answer)]
        return f"the answer '{remaining[0][:80]}' is left in the context" if remaining else None
    if not _keeps_answer(catalogue, candidate):
        return None
    # Some answers, such as summaries, stand in no passage of the original either. Then nothing can be checked.
    had_answer = _holds_answer(original, original.passages)
    if had_answer and not _holds_answer(original, candidate.passages):
        return "no accepted answer stands in the context any more"
    return None


def _holds_answer(original: BaseInstance, passages: tuple[Passage, ...]) -> bool:
    """Whether the passages hold an accepted answer, or may hold it inflected if it is not English."""
    # Other languages inflect words more, so an exact search would miss answers.
    holds = holds_answer if is_english(original.language) else may_hold_answer
    return any(holds(passage.text, *original.answers) for passage in passages)


def _keeps_answer(catalogue: Catalogue, candidate: Candidate) -> bool:
    """Whether the answer of the original must still stand in the context."""
    lever = catalogue.find(candidate.lever)
    # Only items of LOW are still answered. A lever with an answer of its own asks another question than the original.
    return candidate.cell.intensity is Intensity.LOW and not (lever and lever.answer)


def _deep_passages_fault(original: BaseInstance, candidate: Candidate) -> str | None:
    """One line on too few or too many passages, or on one that is too long."""
    passages = candidate.passages
    if len(passages) < MIN_PASSAGES:
        return f"a deep item has {len(passages)} passages, at least {MIN_PASSAGES} are needed"
    if len(passages) > len(original.passages) + MAX_ADDED:
        return f"{len(passages)} passages, at most {MAX_ADDED} may be added to {len(original.passages)}"
    # An instance with long passages may have longer ones in its item too.
    longest_original = max(len(passage.text) for passage in original.passages)
    limit = max(MAX_PASSAGE_CHARS, 2 * longest_original)
    for number, passage in enumerate(passages, start=1):
        if len(passage.text) > limit:
            return f"passage {number} has {len(passage.text)} characters, more than the {limit} allowed"
    return None


def _proof_fault(candidate: Candidate) -> str | None:
    """One line if the proof does not quote sentences of several parts of the item."""
    proof = candidate.proof
    if not MIN_QUOTES <= len(proof) <= MAX_QUOTES:
        return f"the proof has {len(proof)} sentences, {MIN_QUOTES} to {MAX_QUOTES} are needed"
    question = folded(candidate.query)
    texts = [question] + [folded(passage.text) for passage in candidate.passages]
    places: set[int] = set()  # numbers of the texts that hold a quote: 0 for the question, then the passages
    for quote in map(folded, proof):
        holding = [index for index, text in enumerate(texts) if quote in text]
        if not holding:
            return f"the proof quotes a sentence that the item does not hold: '{quote[:80]}'"
        is_short = len(quote.split()) < MIN_QUOTE_WORDS
        # A quote of the whole question, or of a text without blanks such as Chinese, may be short.
        if is_short and quote != question and " " in quote:
            return f"the proof quotes a fragment, not a sentence: '{quote[:80]}'"
        places.update(holding)
    # A deep flaw shows only when sentences from at least two passages are compared.
    if len(places) < 2:
        return "the proof quotes one place only: a deep flaw lies in several"
    return None


def _deep_answer_fault(catalogue: Catalogue, original: BaseInstance, candidate: Candidate) -> str | None:
    """One line if the control, or an item that must still be answered, has lost the answer of the original."""
    # No passage holds some answers verbatim, such as summaries. Then nothing can be checked.
    if not _shows_answer(original, original.passages):
        return None
    if not _shows_answer(original, candidate.control):
        return "no accepted answer stands in the context without the flaw"
    if _keeps_answer(catalogue, candidate) and not _shows_answer(original, candidate.passages):
        return "no accepted answer stands in the context any more"
    return None


def _shows_answer(original: BaseInstance, passages: tuple[Passage, ...]) -> bool:
    """Whether an accepted answer stands in the passages."""
    return holds_answer(shown_texts(passages), *original.answers)


def copy_unchanged_parts(original: BaseInstance, candidate: Candidate) -> Candidate:
    """Restore the original text where a generator copied it with other blanks or quotation marks."""
    same_query = folded(candidate.query) == folded(original.query)
    passages = tuple(
        old if folded(old.text) == folded(new.text) else new
        for old, new in zip(original.passages, candidate.passages, strict=True)
    )
    return replace(candidate, query=original.query if same_query else candidate.query, passages=passages)
