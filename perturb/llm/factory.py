"""From the settings of a run's models to models that can be asked."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from perturb.errors import UnreachableError
from perturb.llm.budget import Budget, bounded
from perturb.llm.client import ChatModel, ModelSettings
from perturb.llm.limits import LimitedModel
from perturb.llm.recording import Replay, ReplayedModel
from perturb.llm.remote import LiteLLMModel, check_model, with_price
from perturb.llm.transports import proxy_for, transport_of
from perturb.runtime.asyncs import in_thread

CONNECT_SECONDS = 3.0
"""Within so many seconds a server, or the proxy before it, must take a connection."""

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


@dataclass(frozen=True, slots=True)
class _Server:
    """Where the calls of some models go first."""

    host: str
    port: int
    proxy_to: str = ""
    """The host that the calls are for, if this is a proxy of the environment."""

    async def connect(self) -> None:
        """Open a connection to any of the addresses of the host, and close it. Raises `OSError`, `TimeoutError`."""
        async with asyncio.timeout(CONNECT_SECONDS):
            # A look-up that hangs must not keep the event loop from closing.
            looking = in_thread(partial(socket.getaddrinfo, self.host, self.port, type=socket.SOCK_STREAM))
            addresses = {entry[4][0] for entry in await asyncio.wrap_future(looking)}
            attempts = [asyncio.create_task(_knock(str(address), self.port)) for address in addresses]
            try:
                for attempt in asyncio.as_completed(attempts):
                    try:
                        return await attempt
                    except OSError as error:
                        failure = error
                raise failure
            finally:
                for left in attempts:
                    left.cancel()
                await asyncio.gather(*attempts, return_exceptions=True)

    def __str__(self) -> str:
        """The address, with what it is if it is a proxy."""
        address = f"{self.host}:{self.port}"
        return (
            f"the proxy {address}, which the environment names for {self.proxy_to}"
            if self.proxy_to
            else address
        )


async def _knock(address: str, port: int) -> None:
    _, writer = await asyncio.open_connection(address, port)
    writer.close()
    await writer.wait_closed()


class ConnectionCheck:
    """Connects to every server of a run once, before the first call; nothing is sent."""

    def __init__(self, proxied: Iterable[ModelSettings], services: Iterable[ModelSettings] = ()) -> None:
        """Models without `api_base` are not checked; a proxy of the environment does not apply to `services`."""
        self._models: dict[_Server, list[str]] = {}
        for uses_proxy, group in ((True, proxied), (False, services)):
            for settings in group:
                server = _server_of(settings, uses_proxy)
                if server is not None and settings.name not in self._models.setdefault(server, []):
                    self._models[server].append(settings.name)
        self._checking: asyncio.Task[None] | None = None

    async def passed(self) -> None:
        """Return once all servers took a connection. Raises `UnreachableError` with one line for those that did not."""
        if self._checking is None:
            self._checking = asyncio.create_task(self._connect_all())
        await asyncio.shield(self._checking)

    async def _connect_all(self) -> None:
        ends = await asyncio.gather(*(one.connect() for one in self._models), return_exceptions=True)
        failed = []
        for (server, names), end in zip(self._models.items(), ends, strict=True):
            if isinstance(end, OSError):  # a time-out is one
                failed.append(f"{', '.join(names)}: cannot connect to {server} ({_cause(end)})")
            elif end is not None:
                raise end
        if failed:
            raise UnreachableError(
                f"{'; '.join(failed)}: check that it is running and that the address (api_base, proxy) is right, or"
                " give --wait (wait=True in Python) to keep trying"
            )


def _cause(error: OSError) -> str:
    """What is wrong; a failed look-up has a negative number of its own, and a time-out has none."""
    if (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)
    return error.strerror or str(error) or f"no connection within {CONNECT_SECONDS:g} s"


def _server_of(settings: ModelSettings, uses_proxy: bool) -> _Server | None:
    """Where the calls of a model go first; None if its settings do not say."""
    host, port, scheme = _parts(settings.api_base)
    proxy = proxy_for(scheme, host) if uses_proxy else None
    if proxy is None:
        return _Server(host, port) if host else None
    proxy_host, proxy_port, _ = _parts(proxy)
    return _Server(proxy_host, proxy_port, host) if proxy_host else None


_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}


def _parts(address: str | None) -> tuple[str, int, str]:
    """Host, port and scheme of an address; an empty host if it has none that can be read."""
    try:
        parts = urlsplit(address or "")
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return "", 0, ""
    return parts.hostname or "", port, parts.scheme
