"""Calls models through litellm. Only this module imports it, and only when a model is checked or called.

litellm talks to the providers. Retries, limits and budgets are ours (`perturb.llm.limits`, `perturb.llm.budget`).

litellm follows redirects, so a server could pass a prompt and its key on to another server. `without_redirects`
prevents that in three steps:

1. It marks the current call as one of ours, by a list in the context variable `_redirect_targets`.
2. Before the first of our calls, `_Guard` replaces the methods of httpx that send requests. The new methods do not
   follow redirects in marked calls. They note where a redirect led to, so that the error can say it.
3. After the last of our calls, `_Guard` puts the old methods back.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from perturb.errors import ConfigError, ModelError, TransientModelError
from perturb.llm.client import ChatReply, ChatRequest, ModelSettings, Price
from perturb.llm.redaction import read_key
from perturb.llm.transports import (
    chat_reply,
    check_address,
    failure,
    is_listed,
    is_worth_retrying,
    reads_schemas,
    redirect_words,
    response_format,
    retry_after,
    transport_of,
)

# Parameters that perturb sets itself, and names of parameters that would hold a key.
_RESERVED_PARAMS = frozenset(
    {"model", "messages", "stream", "n", "timeout", "max_retries", "num_retries", "api_base"}
)
_SECRET_PARAM = re.compile(r"key|token$|secret|password|credential|authorization", re.IGNORECASE)
# Providers whose client requires a key even if the server does not.
_KEYLESS_PROVIDERS = frozenset({"openai", "custom_openai", "anthropic"})


@functools.cache
def load_litellm() -> Any:
    """Import litellm without a request over the network, and silence it."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # The pool must not limit calls more than `max_connections`, which is the limit that users set.
    os.environ.setdefault("AIOHTTP_CONNECTOR_LIMIT", "10000")
    os.environ.setdefault("AIOHTTP_CONNECTOR_LIMIT_PER_HOST", "10000")
    import litellm

    litellm.suppress_debug_info = True
    # Its loggers would print failed calls with their texts.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


# The addresses to which servers redirected the current call through litellm; None outside of such a call.
_redirect_targets: ContextVar[list[str] | None] = ContextVar("redirect_targets", default=None)


@contextmanager
def without_redirects() -> Iterator[list[str]]:
    """Within the block, calls through litellm follow no redirects. Yields the list of redirect targets so far."""
    targets: list[str] = []
    token = _redirect_targets.set(targets)
    _guard.enter()
    try:
        yield targets
    finally:
        _guard.leave()
        _redirect_targets.reset(token)


class _Guard:
    """Wraps httpx while calls of ours are under way. Calls of other code stay as they are.

    We cannot give litellm a client of ours instead, since it accepts one only for some providers. But all of its own
    clients send through httpx. httpx also logs addresses, and the address of some providers holds the key.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._restore: Callable[[], None] = lambda: None

    def enter(self) -> None:
        """Note that a call of ours begins."""
        with self._lock:
            self._calls += 1
            if self._calls == 1:
                self._restore = _guard_httpx()

    def leave(self) -> None:
        """Note that a call of ours ends. After the last call, httpx is restored."""
        with self._lock:
            self._calls -= 1
            if self._calls == 0:
                self._restore()


# One for the process, since httpx is shared too.
_guard = _Guard()


def _is_our_call() -> bool:
    """Whether the current call through httpx is one of ours. Other code of the process may use httpx too."""
    return _redirect_targets.get() is not None


def _log_only_other_code(_: logging.LogRecord) -> bool:
    """A filter of a logger, which drops the records of our calls."""
    return not _is_our_call()


def _guard_httpx() -> Callable[[], None]:
    """Stop redirects and the logging of addresses for calls of ours. Returns a function that restores httpx."""
    import httpx

    log = logging.getLogger("httpx")
    original, original_async = httpx.Client.send, httpx.AsyncClient.send

    @functools.wraps(original)
    def guarded(*args: Any, **options: Any) -> Any:
        if _is_our_call():
            options["follow_redirects"] = False
        return _note_redirect(original(*args, **options))

    @functools.wraps(original_async)
    async def guarded_async(*args: Any, **options: Any) -> Any:
        if _is_our_call():
            options["follow_redirects"] = False
        return _note_redirect(await original_async(*args, **options))

    def restore() -> None:
        log.removeFilter(_log_only_other_code)
        # If other code has wrapped our function meanwhile, restoring would remove that wrapper too.
        if httpx.Client.send is guarded:
            httpx.Client.send = original  # type: ignore[method-assign]
        if httpx.AsyncClient.send is guarded_async:
            httpx.AsyncClient.send = original_async  # type: ignore[method-assign]

    log.addFilter(_log_only_other_code)
    httpx.Client.send, httpx.AsyncClient.send = guarded, guarded_async  # type: ignore[method-assign]
    return restore


def _note_redirect(response: Any) -> Any:
    """Keep the target of a redirect that answers a call of ours; return the response."""
    targets = _redirect_targets.get()
    if targets is not None and response.has_redirect_location:
        targets.append(response.headers["Location"])
    return response


def check_model(settings: ModelSettings, *, needs_key: bool = True) -> None:
    """Refuse, before anything is spent, a model that cannot be called.

    Raises `ConfigError` for a parameter that is not allowed, a provider that does not exist, a server without an
    address and, if it `needs_key`, a key that is not in the environment.
    """
    prefix = f"model '{settings.name}'"
    for name in sorted(_RESERVED_PARAMS & settings.params.keys()):
        raise ConfigError(f"{prefix}: params may not hold '{name}': perturb sets it itself")
    for name in sorted({*settings.params, *settings.params.get("extra_headers", {})}):
        if _SECRET_PARAM.search(name):
            raise ConfigError(
                f"{prefix}: params may not hold '{name}': keys come from the environment (api_key_env)"
            )
    if transport_of(settings) == "litellm":
        try:
            provider_of(settings)
        except _foreign_errors() as error:
            raise ConfigError(
                f"{prefix}: '{settings.model}' names no provider: write it as PROVIDER/MODEL, "
                "for example openai/gpt-4o or hosted_vllm/Qwen/Qwen3-8B"
            ) from error
    check_address(settings)
    missing = missing_key(settings) if needs_key else None
    if missing:
        raise ConfigError(
            f"{prefix}: environment variable {missing} is not set: export it, or name another in api_key_env"
        )


def with_price(settings: ModelSettings) -> ModelSettings:
    """The settings with the price of litellm's table, if they have no price and the table has one."""
    if settings.price is not None or not is_listed(settings.model):
        return settings
    return dataclasses.replace(settings, price=_table_price(settings.model))


class LiteLLMModel:
    """A model of any provider that litellm knows, called once per `complete`, without retries."""

    def __init__(self, settings: ModelSettings) -> None:
        """The price comes from litellm's table if `settings` has no price."""
        self.settings = with_price(settings)
        self._options = _options(self.settings)
        self._wants_schema = wants_schema(settings)
        self._closed = False
        _open_models.add(self)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Send a request and wait at most `timeout` seconds.

        Raises `TransientModelError` for status 408, 409, 425, 429 and 5xx, a broken connection, a time-out, and a reply
        without choices. Raises `PermanentModelError` otherwise. No message holds the key.
        """
        options = dict(self._options)
        if request.schema is not None and self._wants_schema:
            options.setdefault("response_format", response_format(request.schema))
        # The first import takes seconds, which must not count against the time-out of the call.
        litellm = load_litellm()
        started = time.perf_counter()
        with without_redirects() as redirect_targets:
            try:
                async with asyncio.timeout(self.settings.timeout):
                    response = await litellm.acompletion(messages=request.turns(), **options)
            except Exception as error:  # noqa: BLE001  (providers' clients raise anything)
                raise as_model_error(error, self.settings, redirect_targets) from None
        return self._reply(response, time.perf_counter() - started)

    async def close(self) -> None:
        """Close the connections after the last model is closed, since litellm shares them among models."""
        if self._closed:
            return
        self._closed = True
        _open_models.discard(self)
        if not _open_models:
            litellm = load_litellm()
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()

    def _reply(self, response: Any, seconds: float) -> ChatReply:
        """The reply in litellm's response."""
        if not response.choices:
            raise TransientModelError(f"model '{self.settings.name}': the reply holds no choices")
        choice, usage = response.choices[0], getattr(response, "usage", None)
        tokens = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        text = choice.message.content or ""
        return chat_reply(self.settings, text, tokens, seconds, choice.finish_reason)


# The models that are not closed. A model that was forgotten does not keep the connections open.
_open_models: WeakSet[LiteLLMModel] = WeakSet()


def as_model_error(
    error: Exception, settings: ModelSettings, redirect_targets: Sequence[str] = ()
) -> ModelError:
    """Turn an error of litellm, its clients or the network into one of ours, without the key.

    `redirect_targets` is the list of `without_redirects`. If it is not empty, the error follows from a redirect.
    """
    if redirect_targets:
        return failure(settings, redirect_words(redirect_targets[-1]), transient=False)
    if isinstance(error, TimeoutError):
        return failure(settings, f"no reply within {settings.timeout:g} s", transient=True)
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    words = _LITELLMS_PREFIX.sub(r"\1: ", str(error))
    return failure(settings, words, transient=_is_transient(error), wait=retry_after(headers))


# The prefix that litellm puts before the provider's message, often twice.
_LITELLMS_PREFIX = re.compile(r"^litellm\.(\w+): (?:\1: )?(?:\w+Exception - )?")


def _is_transient(error: Exception) -> bool:
    """Whether another try may succeed, judged by the type of an error or by its HTTP status."""
    import httpx
    import openai

    if isinstance(error, OSError | openai.APIConnectionError | httpx.TransportError):
        return True
    status = getattr(error, "status_code", None)
    message = f"{error} {getattr(error, 'body', '')}"
    # For litellm, a body that is not a completion is an error with the status 200. It is a fault of the server.
    if status == 200:
        status = 500
    return isinstance(status, int) and is_worth_retrying(status, message)


def _foreign_errors() -> tuple[type[Exception], ...]:
    """The exceptions that litellm raises for an unknown model."""
    return (load_litellm().exceptions.BadRequestError, ValueError)


def provider_of(settings: ModelSettings) -> str:
    """The provider's name in litellm: `openai`, `hosted_vllm`, `vertex_ai`."""
    _, provider, *_ = load_litellm().get_llm_provider(settings.model, api_base=settings.api_base)
    return str(provider)


def missing_key(settings: ModelSettings) -> str | None:
    """The environment variable that is missing for a call; None if no variable is missing.

    Providers with other ways to sign in (cloud profiles, instance roles) count as signed in.
    """
    if settings.api_key_env:
        return None if read_key(settings.api_key_env) else settings.api_key_env
    if settings.api_base:
        return None
    usual_variable = f"{provider_of(settings).upper()}_API_KEY"
    if os.environ.get(usual_variable) == "":  # litellm takes an empty variable for a key
        return usual_variable
    environment = load_litellm().validate_environment(settings.model)
    if environment["keys_in_environment"]:
        return None
    # Variables with other names, such as AWS_ACCESS_KEY_ID, are those of clouds, where one can sign in in other ways.
    keys = [name for name in environment["missing_keys"] if name.endswith(("_API_KEY", "_API_TOKEN"))]
    return " or ".join(keys) if keys else None


def _options(settings: ModelSettings) -> dict[str, Any]:
    """The options that are the same for all calls of a model."""
    options: dict[str, Any] = {
        "drop_params": True,
        **settings.params,
        "model": settings.model,
        # This time-out holds for each read. Ours covers the whole call and must end it first.
        "timeout": settings.timeout + 5,
        "max_retries": 0,
    }
    return options | address_and_key(settings, _KEYLESS_PROVIDERS)


def address_and_key(settings: ModelSettings, keyless: frozenset[str]) -> dict[str, str]:
    """The address and the key for litellm. A server of a `keyless` provider gets a placeholder if it has no key."""
    options = {"api_base": settings.api_base} if settings.api_base else {}
    if key := read_key(settings.api_key_env):
        options["api_key"] = key
    elif settings.api_base and provider_of(settings) in keyless:
        options["api_key"] = "no-key"
    return options


def wants_schema(settings: ModelSettings) -> bool:
    """Whether a JSON schema is sent to the model."""
    if settings.json_schema != "auto":
        return settings.json_schema == "on"
    if reads_schemas(settings.model):
        return True
    if not is_listed(settings.model):
        return False
    return bool(load_litellm().supports_response_schema(settings.model))


def _table_price(model: str) -> Price | None:
    """The price in litellm's table; None if it has no price, or 0, which it also uses for unknown prices."""
    litellm = load_litellm()
    try:
        # The table has one entry for several spellings of a model. `key` is the spelling in the table.
        table_key = litellm.get_model_info(model)["key"]
        entry = litellm.model_cost[table_key]
    except (*_foreign_errors(), litellm.exceptions.ModelNotMappedError, KeyError):
        return None
    input_price, output_price = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    prices = (input_price, output_price)
    if not all(isinstance(price, int | float) for price in prices) or not any(prices):
        return None
    return Price(input=input_price * 1e6, output=output_price * 1e6)  # litellm's prices are for one token
