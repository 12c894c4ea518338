"""Asks a model under test about an item and keeps whatever it says."""

from __future__ import annotations

from perturb.evaluate.prompts import respond_request
from perturb.items import Variant
from perturb.llm.asking import Asker
from perturb.records import Item, Response, ResponseStatus


async def respond(asker: Asker, item: Item, model: str, variant: Variant, fingerprint: str) -> Response:
    """A model's reply to an item, be it empty; or the error, when the call failed for good.

    `fingerprint` stands for the model, its settings and the prompt. Raises `BudgetSpent` when the call could overspend.
    """
    asked = await asker.ask(model, respond_request(item, variant), str, purpose="respond", subject=item.id)
    failed = asked.status != "read"
    return Response(
        item_id=item.id,
        model=model,
        variant=variant,
        status=ResponseStatus.ERROR if failed else ResponseStatus.ANSWERED,
        text=asked.value or "",
        error=asked.error,
        fingerprint=fingerprint,
    )
