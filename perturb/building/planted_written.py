"""Items with a wrong label that a generator writes, each wrong in one quiet way that is named in advance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from perturb.building.generate import Declined, Reply, read_candidate, read_reply
from perturb.building.jobs import may_fit
from perturb.building.verify import find_fault
from perturb.catalogue.prompts import Prompts
from perturb.files.resources import digest, seed_of
from perturb.llm.model_client import ModelClient
from perturb.llm.replies import ReplyError, read_object
from perturb.records import ALL_CELLS, BaseInstance, Cell, Intensity, Job, PerturbationClass, PlantedItem
from perturb.text.matching import folded

WAYS: Mapping[str, tuple[Cell, ...]] = {
    way: tuple(
        cell
        for cell in ALL_CELLS
        if (cell.intensity is Intensity.LOW) == (kind is None) and kind in (None, cell.perturbation_class)
    )
    for way, kind in {
        "paraphrase": PerturbationClass.MISSING_INFO,
        "no_clash": PerturbationClass.CONTRADICTION,
        "shifted_answer": None,
        "supported_premise": PerturbationClass.FALSE_PREMISE,
        "agreeing_rival": PerturbationClass.CONTRADICTION,
        "settled_reading": PerturbationClass.AMBIGUITY,
        "given_level": PerturbationClass.GRANULARITY,
        "factual": PerturbationClass.EPISTEMIC,
    }.items()
}
"""Way → the cells whose items can be wrong in it; its instruction is a file in `templates/plant/ways/`."""

ATTEMPTS = 4
"""Base instances that are tried for one item before it is given up."""

_OFFERED = 3
_MOST_SENTENCES = 8


@dataclass(frozen=True, slots=True)
class Commission:
    """One written item that is asked for."""

    id: str
    instance: BaseInstance
    cell: Cell
    way: str
    levers: tuple[str, ...]
    writer: str


def commissions(
    prompts: Prompts,
    instances: Sequence[BaseInstance],
    cells: Sequence[Cell],
    writers: Sequence[str],
    seed: int,
) -> Iterator[Commission]:
    """What is asked for, without an end: ways in turn, base instances in an order that the seed draws."""
    open_ways = [way for way in WAYS if any(cell in cells for cell in WAYS[way])]
    order = sorted(instances, key=lambda one: seed_of("written", seed, one.id, one.query))
    number = 0
    while open_ways and order and writers:
        way, instance = open_ways[number % len(open_ways)], order[number % len(order)]
        drawn = seed_of("written cell", seed, number)
        possible = [cell for cell in WAYS[way] if cell in cells]
        cell = possible[drawn % len(possible)]
        levers = [one.name for one in prompts.catalogue.levers_of(cell) if not one.answer]
        levers = [one for one in levers if may_fit(prompts.catalogue, one, instance)] or levers
        levers.sort(key=lambda name: seed_of("written lever", seed, number, name))
        name = digest("written", seed, number, instance.id, instance.query, str(cell), way)
        writer = writers[(number // len(open_ways)) % len(writers)]
        yield Commission(name, instance, cell, way, tuple(levers[:_OFFERED]), writer)
        number += 1


async def write_fault(client: ModelClient, prompts: Prompts, one: Commission) -> PlantedItem | None:
    """The item that comes of a commission; None if the writer declined, failed, or a machine check catches the item.

    Raises `BudgetSpent` when the call could overspend.
    """
    catalogue, instance = prompts.catalogue, one.instance
    levers = [lever for name in one.levers if (lever := catalogue.find(name)) is not None]
    query_only = catalogue.classes[one.cell.perturbation_class].query_only
    answer = await client.ask(
        one.writer,
        prompts.planted_fault(one.cell, instance, levers, one.way),
        partial(read_written, instance=instance, query_only=query_only),
        purpose="plant",
        subject=one.id,
    )
    if answer.value is None:
        return None
    reply, proof = answer.value
    if isinstance(reply, Declined):
        return None
    job = Job(one.id, instance.id, one.cell, one.writer, 0, "")
    candidate = read_candidate(catalogue, job, instance, reply)
    if find_fault(catalogue, instance, candidate, one.levers) is not None:
        return None
    return PlantedItem("written", instance, candidate, proof, one.way)


def read_written(
    text: str, *, instance: BaseInstance, query_only: bool
) -> tuple[Reply | Declined, tuple[str, ...]]:
    """A writer's reply and its proof. Raises `ReplyError` if a sentence of the proof is not in the item."""
    reply = read_reply(text, len(instance.passages), query_only=query_only)
    if isinstance(reply, Declined):
        return reply, ()
    proof = read_object(text, frozenset({"proof"}))["proof"]
    proof = [proof] if isinstance(proof, str) else proof
    if not isinstance(proof, list) or not 0 < len(proof) <= _MOST_SENTENCES:
        raise ReplyError(f"field 'proof' must be a list of 1 to {_MOST_SENTENCES} sentences of the item")
    after = {number: passage.text for number, passage in enumerate(instance.passages, start=1)} | dict(
        reply.texts
    )
    texts = [folded(text) for text in (reply.query, *after.values())]
    for sentence in proof:
        quoted = folded(sentence) if isinstance(sentence, str) else ""
        if not quoted or not any(quoted in text for text in texts):
            raise ReplyError(
                f"field 'proof': {str(sentence)[:80]!r} does not stand in the item: copy it exactly"
            )
    return reply, tuple(proof)
