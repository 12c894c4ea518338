"""Deep items: reads a generator's reply, makes the candidate and checks it by machine.

The flaw of a deep item is spread over several passages. The generator may lengthen and split passages and add new ones.
The *control* of the item has the same passages without the flaw, and the original question. The *proof* is a list of
sentences of the item which together show the flaw. The *construction* says how the flaw is hidden.

`read_deep_reply` reads the reply, `deep_candidate` makes the candidate, and `deep_fault` finds its first fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from perturb.catalogue.levers import Catalogue
from perturb.llm.replies import ReplyError, read_object
from perturb.records import EXPECTED_ANSWER, BaseInstance, Candidate, Intensity, Job, Passage
from perturb.text.matching import folded, holds_answer
from perturb.text.passages import shown_texts

MIN_PASSAGES = 3
"""The least number of passages of a deep item."""
MAX_ADDED = 6
"""How many passages a generator may add to those of the instance."""
MAX_PASSAGE_CHARS = 3000
"""The length that every passage may reach. Twice the length of the longest original passage is allowed too."""
MIN_QUOTES, MAX_QUOTES = 2, 12
"""How many sentences a proof has."""
MIN_QUOTE_WORDS = 4
"""A quote with fewer words is a fragment, which proves nothing."""

# The fields that a reply must have, and those by which the generator says what it has achieved.
_NEEDED = frozenset({"perturbed_query", "passages", "lever_selected", "construction_selected", "proof"})
_CLAIMS = ("intensity_achieved", "answer_constraint_satisfied", "expected_rag_behavior")


@dataclass(frozen=True, slots=True)
class DeepPassage:
    """One passage of a deep reply."""

    source: int
    """The number of the original passage, from 1; 0 for an added passage."""
    title: str
    text: str
    """Empty if the passage is unchanged."""
    without_flaw: str
    """The text of the control; empty if the passage has no part of the flaw."""


@dataclass(frozen=True, slots=True)
class DeepReply:
    """The content of a generator's reply with a deep item."""

    query: str
    passages: tuple[DeepPassage, ...]
    lever: str
    construction: str
    proof: tuple[str, ...]
    reasoning: str
    claims: Mapping[str, str]


def read_deep_reply(text: str, n_passages: int) -> DeepReply:
    """Read a generator's reply about an instance with `n_passages` passages.

    Raises `ReplyError` that says what is wrong.
    """
    content = read_object(text, _NEEDED)
    entries = content["passages"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ReplyError(
            "field 'passages' must be a list of objects with 'from', 'title', 'text', 'without_flaw'"
        )
    deep_passages = tuple(
        _passage(entry, number, n_passages) for number, entry in enumerate(entries, start=1)
    )
    # The flaw must not come from a passage that was left out.
    missing = set(range(1, n_passages + 1)) - {passage.source for passage in deep_passages}
    if missing:
        raise ReplyError(f"field 'passages' leaves out the original passage {min(missing)}")
    proof = content["proof"]
    if not isinstance(proof, list) or not all(isinstance(quote, str) and quote.strip() for quote in proof):
        raise ReplyError("field 'proof' must be a list of exact sentences")
    claims = {key: content[key] for key in ("trap", *_CLAIMS) if isinstance(content.get(key), str)}
    return DeepReply(
        query=required_text(content["perturbed_query"], "perturbed_query"),
        passages=deep_passages,
        lever=" ".join(required_text(content["lever_selected"], "lever_selected").split()),
        construction=" ".join(
            required_text(content["construction_selected"], "construction_selected").split()
        ),
        proof=tuple(quote.strip() for quote in proof),
        reasoning=required_text(content.get("implementation_reasoning") or "", "implementation_reasoning"),
        claims=claims,
    )


def _passage(entry: Mapping[str, Any], number: int, n_passages: int) -> DeepPassage:
    """Entry `number` of the reply's passages. Raises `ReplyError` if it cannot be used."""
    # Models sometimes write numbers as texts.
    source = entry.get("from", 0)
    if isinstance(source, str) and source.strip().isdecimal():
        source = int(source)
    if not isinstance(source, int) or isinstance(source, bool) or not 0 <= source <= n_passages:
        raise ReplyError(f"'from' of passage {number} must be 0 or an original passage, 1 to {n_passages}")
    texts = {}
    for key in ("title", "text", "without_flaw"):
        value = entry.get(key) or ""
        if not isinstance(value, str):
            raise ReplyError(f"'{key}' of passage {number} must be a text")
        texts[key] = value.strip()
    passage = DeepPassage(
        source, title=texts["title"], text=texts["text"], without_flaw=texts["without_flaw"]
    )
    is_unchanged_original = source > 0 and not passage.without_flaw
    if not passage.text and not is_unchanged_original:
        raise ReplyError(
            f"passage {number} has no 'text': only an unchanged original passage may leave it empty"
        )
    return passage


def required_text(value: Any, field: str) -> str:
    """The text of a field without blanks around it. Raises `ReplyError` if it is not a text or is blank."""
    if not isinstance(value, str) or not value.strip():
        raise ReplyError(f"field '{field}' must be a non-empty string")
    return value.strip()


def deep_candidate(catalogue: Catalogue, job: Job, instance: BaseInstance, reply: DeepReply) -> Candidate:
    """The candidate of a reply. An added passage counts as noise unless the proof quotes it."""
    lever, construction = catalogue.find(reply.lever), catalogue.construction(reply.construction)
    # Generators copy with other quotation marks and blanks, so texts are compared in folded form.
    quotes = [folded(quote) for quote in reply.proof]
    perturbed, control = [], []
    for deep_passage in reply.passages:
        original = (
            instance.passages[deep_passage.source - 1] if deep_passage.source else Passage("", role="noise")
        )
        text = deep_passage.text or original.text
        if folded(text) == folded(original.text):
            # A copy that differs only in blanks counts as unchanged and is stored as the original.
            text = original.text
        # A quoted passage is part of the flaw, so it is signal even if it was added.
        quoted = any(quote in folded(text) for quote in quotes)
        role = "signal" if quoted else original.role
        title = deep_passage.title or original.title
        perturbed.append(Passage(text, title, role))
        control.append(Passage(deep_passage.without_flaw or text, title, role))
    query = instance.query if folded(reply.query) == folded(instance.query) else reply.query
    # What the generator says of its item, and what only deep items have. It is stored with the candidate.
    statement: dict[str, Any] = {
        **reply.claims,
        "depth": job.depth,
        "construction": construction.name if construction else reply.construction,
        "proof": list(reply.proof),
        "control": [asdict(passage) for passage in control],
    }
    if lever and lever.answer:
        statement[EXPECTED_ANSWER] = lever.answer
    return Candidate(
        id=job.id,
        instance_id=instance.id,
        generator=job.generator,
        cell=job.cell,
        lever=lever.name if lever else reply.lever,
        query=query,
        passages=tuple(perturbed),
        reasoning=reply.reasoning,
        expected_behavior=catalogue.expected_behavior(job.cell),
        stated=statement,
    )


def deep_fault(
    catalogue: Catalogue, original: BaseInstance, candidate: Candidate, offered: Sequence[str]
) -> str | None:
    """The first fault of a deep candidate in one line, or None; `offered` are the constructions of its job."""
    return (
        _construction_fault(catalogue, candidate, offered)
        or _passages_fault(original, candidate)
        or _proof_fault(candidate)
        or _target_fault(catalogue, original, candidate)
        or _answer_fault(catalogue, original, candidate)
    )


def _construction_fault(catalogue: Catalogue, candidate: Candidate, offered: Sequence[str]) -> str | None:
    name = candidate.construction or ""
    if catalogue.construction(name) is None:
        return f"unknown construction '{name[:80]}'"
    if offered and name not in offered:
        offered_names = " or ".join(f"'{construction}'" for construction in offered)
        return f"construction '{name}' was used, {offered_names} was asked for"
    return None


def _passages_fault(original: BaseInstance, candidate: Candidate) -> str | None:
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


def _target_fault(catalogue: Catalogue, original: BaseInstance, candidate: Candidate) -> str | None:
    """One line on a flaw in a part that the class does not allow. A longer context by itself is not a flaw."""
    name = candidate.cell.perturbation_class
    target = catalogue.classes[name].target
    in_query = candidate.query != original.query
    in_context = candidate.passages != candidate.control
    if not in_query and not in_context:
        return "nothing carries the flaw: item and control are the same"
    if in_query and "query" not in target:
        return f"the query was changed, which {name} does not allow"
    if in_context and "context" not in target:
        return f"the context carries the flaw, which {name} does not allow"
    return None


def _answer_fault(catalogue: Catalogue, original: BaseInstance, candidate: Candidate) -> str | None:
    """One line if the control, or an item that must still be answered, has lost the answer of the original."""
    # No passage holds some answers verbatim, such as summaries. Then nothing can be checked.
    if not _holds_answer(original, original.passages):
        return None
    if not _holds_answer(original, candidate.control):
        return "no accepted answer stands in the context without the flaw"
    lever = catalogue.find(candidate.lever)
    # The item of a lever with an answer of its own asks another question than the original.
    keeps_answer = candidate.cell.intensity is Intensity.LOW and not (lever and lever.answer)
    if keeps_answer and not _holds_answer(original, candidate.passages):
        return "no accepted answer stands in the context any more"
    return None


def _holds_answer(original: BaseInstance, passages: tuple[Passage, ...]) -> bool:
    """Whether an accepted answer stands in the passages."""
    return holds_answer(shown_texts(passages), *original.answers)
