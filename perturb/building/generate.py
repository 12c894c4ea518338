"""Runs a generation job: by a model, by the offline engine or by a function of the user.

A job names a base instance and a *cell*, which is a perturbation class and an intensity. A *lever* is one way of
changing the instance. The *offers* of the job are groups of levers: a generator chooses a lever from the first group,
and gets the next group if it declines. The result of a job is a candidate that has passed the machine checks, or the
reason why there is none.

The flaw of a *deep* item is spread over several passages. Its reply gives all passages of the item, each also without
its part of the flaw (which together are the *control*), a *proof* (the sentences that show the flaw) and the
*construction* (how the flaw is hidden).

`generate_by_model`, `generate_by_rule` and `generate_by_function` run a job. The `read_...` functions read what a
generator returned and make the candidate.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from perturb.building.checks import copy_unchanged_parts, find_fault
from perturb.building.offline.engine import Abstention, perturb_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import DECLINED_KEY, Prompts
from perturb.errors import fault_line
from perturb.files.resources import digest, seed_of
from perturb.llm.functions import FunctionError, OwnFunction
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError, read_object
from perturb.records import EXPECTED_ANSWER, BaseInstance, Candidate, Job, JobOutcome, Lever, Passage
from perturb.text.matching import folded
from perturb.text.passages import without_telling_titles
from perturb.text.wording import why_not_read_offline


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of one job."""

    outcome: JobOutcome
    detail: str
    """One line: why there is no candidate, or the lever that the candidate uses."""
    raw: str = ""
    """The raw reply; the ledger keeps it with the call."""
    candidate: Candidate | None = None
    """Present if the outcome is `CANDIDATE` or `REJECTED`."""
    declined: Mapping[str, str] = field(default_factory=dict)
    """Lever → reason, for the levers of all offers that the generator declined."""


# The fields that every reply must have as texts, and those by which the generator says what it has achieved.
_TEXT_FIELDS = frozenset({"perturbed_query", "lever_selected", "implementation_reasoning"})
_CLAIM_FIELDS = ("intensity_achieved", "answer_constraint_satisfied", "expected_rag_behavior")
# The fields that a reply with a deep item must have.
_DEEP_FIELDS = frozenset({"perturbed_query", "passages", "lever_selected", "construction_selected", "proof"})
# How many characters of a reason are stored. The call keeps the whole reply.
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of a generator's reply."""

    query: str
    texts: Mapping[int, str]
    """The changed passages by their number, from 1. A single passage is always included."""
    lever: str
    reasoning: str
    claims: Mapping[str, str]


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


@dataclass(frozen=True, slots=True)
class Declined:
    """A generator's statement that it can carry out none of the levers that it was offered."""

    reason: str


async def generate_by_model(
    client: ModelClient,
    prompts: Prompts,
    job: Job,
    instance: BaseInstance,
    seed: int,
    earlier: Mapping[str, Any] | None = None,
) -> GenerationResult:
    """Run one job, with a call for each offer until one is not declined.

    `earlier` is the item that the job should make harder by a quieter flaw, which is harder to see, with replies to it.
    Raises `BudgetSpent` if a call could overspend; every other failure is a result.
    """
    catalogue = prompts.catalogue
    query_only = catalogue.classes[job.cell.perturbation_class].query_only

    def read(text: str) -> Reply | DeepReply | Declined:
        if job.depth == "deep":
            return read_deep_reply(text, len(instance.passages))
        return read_reply(text, len(instance.passages), query_only=query_only)

    async def ask(number: int, offer: Sequence[str]) -> GenerationResult:
        levers = known_levers(catalogue, offer)
        request = prompts.generation(job.cell, instance, levers, job.depth, job.constructions)
        if earlier is not None:
            request = prompts.quieter(request, earlier)
        answer = await client.ask(
            job.generator,
            request,
            read,
            purpose="generate",
            subject=job.id,
            part=str(number),
            salt=_salt(job, seed),
        )
        if answer.status == "error":
            return GenerationResult(JobOutcome.ERROR, answer.error)
        if answer.value is None:
            return GenerationResult(JobOutcome.UNPARSED, answer.error, answer.raw)
        if isinstance(answer.value, Declined):
            return GenerationResult(JobOutcome.NOT_APPLICABLE, answer.value.reason, answer.raw)
        candidate = read_candidate(catalogue, job, instance, answer.value)
        return check_candidate(catalogue, job, instance, candidate, offer, answer.raw)

    return await offer_in_turn(job, ask)


def known_levers(catalogue: Catalogue, names: Sequence[str]) -> list[Lever]:
    """The levers with these names. Names that the catalogue lacks are left out."""
    levers = map(catalogue.find, names)
    return [lever for lever in levers if lever is not None]


def _salt(job: Job, seed: int) -> str:
    """What keeps the calls of two jobs with equal prompts apart, so that the second does not get a cached reply."""
    parts: list[str | int] = [job.round, seed, job.replicate]
    # Attempts to make an item harder have the round and replicate of the item, so their own id tells them apart.
    if job.hardens:
        parts.append(job.id)
    return digest(*parts)


async def offer_in_turn(
    job: Job, ask: Callable[[int, Sequence[str]], Awaitable[GenerationResult]]
) -> GenerationResult:
    """The result of the first offer that is not declined. `ask` takes the number of an offer and its levers."""
    result = GenerationResult(JobOutcome.NOT_APPLICABLE, "no lever of the cell fits this instance")
    declined: dict[str, str] = {}
    # A job without offers leaves the choice of the lever to the generator. It counts as one offer without names.
    offers = ((),) if job.offers is None else job.offers
    for number, offer in enumerate(offers):
        result = await ask(number, offer)
        if result.outcome is not JobOutcome.NOT_APPLICABLE:
            break
        declined |= dict.fromkeys(offer, result.detail)
    return replace(result, declined=declined)


def check_candidate(
    catalogue: Catalogue,
    job: Job,
    instance: BaseInstance,
    candidate: Candidate,
    offer: Sequence[str],
    raw: str = "",
) -> GenerationResult:
    """The result of a job with this candidate, by the machine checks."""
    fault = find_fault(catalogue, instance, candidate, offer, job.constructions)
    if fault is not None:
        return GenerationResult(JobOutcome.REJECTED, fault, raw, candidate)
    return GenerationResult(JobOutcome.CANDIDATE, candidate.lever, raw, candidate)


def generate_by_rule(
    catalogue: Catalogue, job: Job, instance: BaseInstance, seed: int, donors: Sequence[BaseInstance] = ()
) -> GenerationResult:
    """Run one job. If no rule of the cell fits the instance, the job abstains, which is not a failure.

    No text may stop a run: an exception is a fault of our code and becomes the outcome of this job.
    """
    try:
        if unread := why_not_read_offline(instance.language):
            return GenerationResult(JobOutcome.ABSTAINED, unread)
        # Without an offer, the engine chooses the lever itself.
        lever = job.offers[0][0] if job.offers else None
        draw = seed_of("rule", instance.id, instance.query, str(job.cell), job.round, seed, job.replicate)
        result = perturb_by_rule(catalogue, instance, job.cell, lever, draw, donors)
        if isinstance(result, Abstention):
            return GenerationResult(JobOutcome.ABSTAINED, result.reason)
        candidate = Candidate(
            id=job.id,
            instance_id=instance.id,
            generator=job.generator,
            cell=job.cell,
            lever=result.lever,
            query=result.query,
            passages=result.passages,
            reasoning=result.reasoning,
            expected_behavior=catalogue.expected_behavior(job.cell),
        )
        return check_candidate(catalogue, job, instance, candidate, () if lever is None else (lever,))
    except Exception as error:  # noqa: BLE001  (a rule may fail on a text in any way)
        return GenerationResult(JobOutcome.ERROR, fault_line(error, f"the offline engine, {job.cell}"))


GENERATOR_PARAMETERS = ("instance", "cell", "levers", "seed")
"""The parameters that a generator function may declare."""
# What a generator function may return.
_RETURNED_KEYS = ("query", "context", "passages", "lever", "reasoning")


async def generate_by_function(
    function: OwnFunction, catalogue: Catalogue, job: Job, instance: BaseInstance, seed: int
) -> GenerationResult:
    """Run one job, offer after offer as for a model. An exception of the function is stored as an error."""

    async def ask(_: int, offer: Sequence[str]) -> GenerationResult:
        levers = tuple(known_levers(catalogue, offer))
        # Each replicate gets another seed, so that a seeded function does not repeat its item.
        arguments = {"instance": instance, "cell": job.cell, "levers": levers, "seed": seed + job.replicate}
        try:
            returned = await function.call(arguments)
        except FunctionError as error:
            return GenerationResult(JobOutcome.ERROR, str(error))
        if returned is None:
            return GenerationResult(JobOutcome.NOT_APPLICABLE, "the function declined")
        try:
            reply = read_returned(returned, instance, levers)
        except ReplyError as error:
            return GenerationResult(JobOutcome.UNPARSED, str(error), repr(returned)[:2000])
        return check_candidate(
            catalogue, job, instance, read_candidate(catalogue, job, instance, reply), offer
        )

    return await offer_in_turn(job, ask)


def read_returned(returned: Any, instance: BaseInstance, levers: Sequence[Lever]) -> Reply:
    """Read what a function returned as a reply. Texts that it leaves out stay as they were.

    Raises `ReplyError` that says what is wrong.
    """
    if not isinstance(returned, Mapping):
        raise ReplyError(
            f"returned {type(returned).__name__}: return a dictionary with {', '.join(_RETURNED_KEYS)}, or None"
        )
    unknown = [key for key in returned if key not in _RETURNED_KEYS]
    if unknown:
        raise ReplyError(f"unknown key '{unknown[0]}': return {', '.join(_RETURNED_KEYS)} or some of them")
    passages = _returned_passages(returned, instance)
    # With a single lever on offer, the function need not name it.
    lever = returned.get("lever", levers[0].name if len(levers) == 1 else None)
    if lever is None:
        raise ReplyError("names no 'lever': several were offered")
    texts = {
        "query": returned.get("query", instance.query),
        "lever": lever,
        "reasoning": returned.get("reasoning", ""),
    }
    texts |= {f"passages[{number}]": text for number, text in enumerate(passages)}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise ReplyError(f"'{key}' must be a text, got {type(text).__name__}")
    return Reply(
        query=texts["query"],
        texts=dict(enumerate(passages, start=1)),
        lever=lever,
        reasoning=texts["reasoning"],
        claims={},
    )


def _returned_passages(returned: Mapping[str, Any], instance: BaseInstance) -> Sequence[Any]:
    """The passages that a function returned, or those of the instance. Raises `ReplyError` for a wrong number."""
    passages = returned.get("passages")
    # A function may return a single context instead of a list of passages.
    if "passages" not in returned and "context" in returned:
        passages = [returned["context"]]
    if passages is None:
        return [passage.text for passage in instance.passages]
    is_list = isinstance(passages, Sequence) and not isinstance(passages, str)
    if not is_list or len(passages) != len(instance.passages):
        raise ReplyError(f"must return {len(instance.passages)} passages, each as a text")
    return tuple(passages)


def read_reply(text: str, n_passages: int = 1, *, query_only: bool = False) -> Reply | Declined:
    """Read a generator's reply about an instance with `n_passages` passages.

    With `query_only`, the reply may leave out the passages, since the class cannot change them. Raises a `ReplyError`
    that says what is missing or wrong.
    """
    # A single passage is written out in full. Of several passages, the reply has the changed ones.
    context_field = "perturbed_context" if n_passages == 1 else "changed_passages"
    item_fields = _TEXT_FIELDS if query_only else _TEXT_FIELDS | {context_field}
    declined = _read_declined(text, item_fields)
    if declined is not None:
        return declined
    content = read_object(text, item_fields)
    required = {key: _required_text(content[key], key) for key in sorted(_TEXT_FIELDS)}
    context = content.get(context_field)
    texts: dict[int, str] = {}
    if context or not query_only:
        if n_passages == 1:
            texts = {1: _required_text(context, context_field)}
        else:
            texts = _changed_passages(context, n_passages)
    return Reply(
        query=required["perturbed_query"],
        texts=texts,
        lever=" ".join(required["lever_selected"].split()),
        reasoning=required["implementation_reasoning"],
        claims=_texts_of(content, _CLAIM_FIELDS),
    )


def _texts_of(content: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """The fields that the reply has as texts."""
    return {name: content[name] for name in fields if isinstance(content.get(name), str)}


def _changed_passages(value: Any, n_passages: int) -> dict[int, str]:
    """The changed passages of a reply by their number, from 1; `n_passages` is how many the instance has."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ReplyError("field 'changed_passages' must be a list of objects with 'number' and 'text'")
    texts: dict[int, str] = {}
    for entry in value:
        number = _whole_number(entry.get("number"))
        if number is None:
            raise ReplyError("field 'changed_passages' must give each passage its 'number'")
        if not 1 <= number <= n_passages:
            raise ReplyError(
                f"field 'changed_passages' names passage {number}, the passages are 1 to {n_passages}"
            )
        if number in texts:
            raise ReplyError(f"field 'changed_passages' names passage {number} twice")
        texts[number] = _required_text(entry.get("text"), "changed_passages.text")
    return texts


def read_deep_reply(text: str, n_passages: int) -> DeepReply | Declined:
    """Read a reply with a deep item about an instance with `n_passages` passages, or with a reason to decline.

    Raises a `ReplyError` that says what is missing or wrong.
    """
    declined = _read_declined(text, frozenset({"perturbed_query", "passages", "proof"}))
    if declined is not None:
        return declined
    content = read_object(text, _DEEP_FIELDS)
    entries = content["passages"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ReplyError(
            "field 'passages' must be a list of objects with 'from', 'title', 'text', 'without_flaw'"
        )
    deep_passages = tuple(
        _deep_passage(entry, number, n_passages) for number, entry in enumerate(entries, start=1)
    )
    # The flaw must not come from a passage that was left out.
    missing = set(range(1, n_passages + 1)) - {passage.source for passage in deep_passages}
    if missing:
        raise ReplyError(f"field 'passages' leaves out the original passage {min(missing)}")
    proof = content["proof"]
    if not isinstance(proof, list) or not all(isinstance(quote, str) and quote.strip() for quote in proof):
        raise ReplyError("field 'proof' must be a list of exact sentences")
    return DeepReply(
        query=_required_text(content["perturbed_query"], "perturbed_query"),
        passages=deep_passages,
        lever=" ".join(_required_text(content["lever_selected"], "lever_selected").split()),
        construction=" ".join(
            _required_text(content["construction_selected"], "construction_selected").split()
        ),
        proof=tuple(quote.strip() for quote in proof),
        reasoning=_required_text(content.get("implementation_reasoning") or "", "implementation_reasoning"),
        claims=_texts_of(content, ("trap", *_CLAIM_FIELDS)),
    )


def _deep_passage(entry: Mapping[str, Any], number: int, n_passages: int) -> DeepPassage:
    """Entry `number` of the reply's passages. Raises `ReplyError` if it cannot be used."""
    source = _whole_number(entry.get("from", 0))
    if source is None or not 0 <= source <= n_passages:
        raise ReplyError(f"'from' of passage {number} must be 0 or an original passage, 1 to {n_passages}")
    texts = {}
    for key in ("title", "text", "without_flaw"):
        value = entry.get(key) or ""
        if not isinstance(value, str):
            raise ReplyError(f"'{key}' of passage {number} must be a text")
        texts[key] = value.strip()
    passage = DeepPassage(source, **texts)
    is_unchanged_original = source > 0 and not passage.without_flaw
    if not passage.text and not is_unchanged_original:
        raise ReplyError(
            f"passage {number} has no 'text': only an unchanged original passage may leave it empty"
        )
    return passage


def _read_declined(text: str, item_fields: frozenset[str]) -> Declined | None:
    """The reason why a reply declines; None if it gives no reason. `item_fields` are those of a reply with an item."""
    if DECLINED_KEY not in text:
        return None
    try:
        content = read_object(text, frozenset({DECLINED_KEY}))
    except ReplyError:
        return None  # the caller reads the reply as an item, and reports what is wrong with it
    reason = content[DECLINED_KEY]
    if not isinstance(reason, str) or not reason.strip():
        return None
    # A schema may force a model to write the fields of an item as well. Then they are empty.
    item = content if item_fields <= content.keys() else _read_item(text, item_fields)
    if item.get("perturbed_query"):
        raise ReplyError(f"an item and '{DECLINED_KEY}' in one reply: give one of the two")
    return Declined(" ".join(reason.split())[:_MAX_REASON])


def _read_item(text: str, item_fields: frozenset[str]) -> Mapping[str, Any]:
    """The item in another object than the reason to decline; empty if the reply holds no such object."""
    try:
        return read_object(text, item_fields)
    except ReplyError:
        return {}


def _whole_number(value: Any) -> int | None:
    """The number of a passage, which models sometimes write as a text; None if the value is not a whole number."""
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _required_text(value: Any, field: str) -> str:
    """The text of a field without blanks around it. Raises `ReplyError` if it is not a text or is blank."""
    if not isinstance(value, str) or not value.strip():
        raise ReplyError(f"field '{field}' must be a non-empty string")
    return value.strip()


def read_candidate(
    catalogue: Catalogue, job: Job, instance: BaseInstance, reply: Reply | DeepReply
) -> Candidate:
    """The candidate that a reply describes, unchecked."""
    if isinstance(reply, DeepReply):
        return _deep_candidate(catalogue, job, instance, reply)
    passages = tuple(
        replace(passage, text=reply.texts.get(number, passage.text))
        for number, passage in enumerate(instance.passages, start=1)
    )
    candidate = _candidate(catalogue, job, reply, passages, reply.claims)
    if job.depth != "open":
        candidate = replace(candidate, stated={**candidate.stated, "depth": job.depth})
    return without_telling_titles(instance, copy_unchanged_parts(instance, candidate))


def _deep_candidate(catalogue: Catalogue, job: Job, instance: BaseInstance, reply: DeepReply) -> Candidate:
    """The candidate of a reply. An added passage counts as noise unless the proof quotes it."""
    # Generators copy with other quotation marks and blanks, so texts are compared in folded form.
    quotes = [folded(quote) for quote in reply.proof]
    perturbed, control = [], []
    for deep_passage in reply.passages:
        original = Passage("", role="noise")
        if deep_passage.source:
            original = instance.passages[deep_passage.source - 1]
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
    construction = catalogue.construction(reply.construction)
    claims = {
        **reply.claims,
        "depth": job.depth,
        "construction": construction.name if construction else reply.construction,
        "proof": list(reply.proof),
        "control": [asdict(passage) for passage in control],
    }
    candidate = _candidate(catalogue, job, reply, tuple(perturbed), claims)
    return (
        candidate
        if folded(reply.query) != folded(instance.query)
        else replace(candidate, query=instance.query)
    )


def _candidate(
    catalogue: Catalogue,
    job: Job,
    reply: Reply | DeepReply,
    passages: tuple[Passage, ...],
    claims: Mapping[str, Any],
) -> Candidate:
    """The candidate of a job with these passages. `claims` is what the generator says about its item."""
    lever = catalogue.find(reply.lever)
    new_answer = {EXPECTED_ANSWER: lever.answer} if lever and lever.answer else {}
    return Candidate(
        id=job.id,
        instance_id=job.instance_id,
        generator=job.generator,
        cell=job.cell,
        lever=lever.name if lever else reply.lever,
        query=reply.query,
        passages=passages,
        reasoning=reply.reasoning,
        expected_behavior=catalogue.expected_behavior(job.cell),
        stated={**claims, **new_answer},
    )
