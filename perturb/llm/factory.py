"""From the settings of a run's models to models that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from perturb.llm.budget import Budget, bounded
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.limits import LimitedModel
from perturb.llm.recording import Replay, ReplayedModel
from perturb.llm.remote import LiteLLMModel, check_model, with_price
from perturb.llm.transports import transport_of

Opener = Callable[[ModelSettings], ChatModel]
"""Makes a model from its settings, without limits and retries: a function or class that workers can import."""


def open_models(
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Check every model, then make them, by name; close each when the run is over.

    `transport` makes the model that carries single calls, where it is not one of this process.
    Raises `ConfigError` if a model cannot be called, or has no known price under a limited budget.
    """
    checked = []
    for settings in all_settings:
        check_model(settings)
        checked.append(bounded(with_price(settings), budget))
    return {settings.name: LimitedModel((transport or open_transport)(settings)) for settings in checked}


def open_replay(
    replay: Replay,
    all_settings: Iterable[ModelSettings],
    budget: Budget,
    transport: Callable[[ModelSettings], ChatModel] | None = None,
) -> dict[str, ChatModel]:
    """Models by name that say what is on record; as `open_models` where they are to be asked for the rest."""
    wanted = list(all_settings)
    live = open_models(wanted, budget, transport) if replay.fill else {}
    return {one.name: ReplayedModel(one, replay.recording, live.get(one.name)) for one in wanted}


def open_transport(settings: ModelSettings) -> ChatModel:
    """One model over the transport that its calls go by, without limits and retries.

    Raises `ConfigError` if it cannot be called that way.
    """
    if transport_of(settings) == "litellm":
        return LiteLLMModel(settings)
    from perturb.llm.direct import DirectModel

    return DirectModel(with_price(settings))
