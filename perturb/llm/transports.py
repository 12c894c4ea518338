"""Chooses the transport of a model's calls: litellm, or direct requests to an OpenAI-compatible server.

The code that both transports share is here too: failures, headers, schemas, usage, and texts without keys.
"""

from __future__ import annotations

import os
import re
import time
import urllib.request
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from perturb.errors import ConfigError, ModelError, PermanentModelError, TransientModelError
from perturb.llm.client import ChatReply, ModelSettings
from perturb.llm.redaction import HELD_KEY, redact, without_keys
from perturb.llm.replies import whole_characters

COMPATIBLE: tuple[str, ...] = ("hosted_vllm", "openai", "custom_openai", "lm_studio", "llamafile")
"""Prefixes of OpenAI-compatible servers that litellm calls at `api_base` without changing the request."""

# A model string begins with a prefix and "/". The tables below are of such prefixes, which litellm calls providers.

# Prefixes of servers that support JSON schemas for every model.
_READS_SCHEMAS = frozenset({"hosted_vllm", "lm_studio"})

# Key variables of providers for servers of the user. OpenAI's key must not go to other servers.
_OWN_KEYS = {name: f"{name.upper()}_API_KEY" for name in ("hosted_vllm", "lm_studio", "llamafile")}

_OWN_SERVERS: Mapping[str, str | None] = {
    **{
        name: f"{name.upper()}_API_BASE"
        for name in (
            "hosted_vllm",
            "lm_studio",
            "llamafile",
            "xinference",
            "openai_like",
            "lemonade",
            "infinity",
            "docker_model_runner",
            "litellm_proxy",
            "ragflow",
            "langgraph",
            "langflow",
        )
    },
    **dict.fromkeys(("ollama", "ollama_chat"), "OLLAMA_API_BASE"),
    **dict.fromkeys(("custom_openai", "oobabooga", "triton")),
}
"""Prefix for a server of the user → the variable from which litellm also takes the address; None if it has none.

Without an address, litellm sends the prompt to OpenAI, or to any program that listens on a certain local port.
"""

# Beginnings of the names of models that OpenAI itself serves. litellm has their prices and rewrites their parameters.
_OPENAIS_OWN = re.compile(
    r"(ft:)?(gpt-(?!oss)|chatgpt|chat-latest|o\d|codex|computer-use|daybreak|davinci|babbage)"
)

# Parameters that litellm handles itself.
_FOR_LITELLM = frozenset(
    {
        "additional_drop_params",
        "allowed_openai_params",
        "api_version",
        "base_model",
        "base_url",
        "cache",
        "caching",
        "custom_llm_provider",
        "drop_params",
        "fallbacks",
        "guardrails",
        "headers",
        "metadata",
        "input_cost_per_token",
        "output_cost_per_token",
        "mock_response",
        "organization",
        "ssl_verify",
        "supports_system_message",
        "thinking",
        "use_litellm_proxy",
    }
)


def transport_of(settings: ModelSettings) -> Literal["litellm", "direct"]:
    """The transport of a model. `auto` means `direct` if litellm would add nothing to the call.

    Raises `ConfigError` if the settings ask for `direct` and it is not possible.

    >>> transport_of(ModelSettings("m", "hosted_vllm/tiny", api_base="http://127.0.0.1:8000/v1"))
    'direct'
    >>> transport_of(ModelSettings("m", "anthropic/tiny"))
    'litellm'
    """
    if settings.transport == "litellm":
        return "litellm"
    obstacle = _obstacle(settings)
    if settings.transport == "direct":
        if obstacle is not None:
            raise ConfigError(
                f"model '{settings.name}': {obstacle}, so 'transport: direct' cannot be: leave it out"
            )
        return "direct"
    return "litellm" if obstacle is not None or is_listed(settings.model) else "direct"


def _provider(model: str) -> str:
    """The prefix of a model string: `openai` of `openai/gpt-4o`."""
    return model.partition("/")[0]


def is_listed(model: str) -> bool:
    """Whether litellm's table of prices may list a model. Models of other OpenAI-compatible servers are not in it.

    >>> is_listed("openai/gpt-4o"), is_listed("openai/my-model"), is_listed("hosted_vllm/gpt-4o")
    (True, False, False)
    """
    provider, _, name = model.partition("/")
    # Other servers use these prefixes too, so the name of the model decides.
    if provider in ("openai", "custom_openai"):
        return _OPENAIS_OWN.match(name) is not None
    return provider not in COMPATIBLE


def reads_schemas(model: str) -> bool:
    """Whether the servers of a model's provider support JSON schemas for all models."""
    return _provider(model) in _READS_SCHEMAS


def own_key_variable(model: str) -> str | None:
    """The variable with the key of a model's provider, for models without `api_key_env`."""
    return _OWN_KEYS.get(_provider(model))


def needs_address(model: str) -> bool:
    """Whether a model runs on a server of the user, so that it needs an address.

    >>> needs_address("hosted_vllm/qwen"), needs_address("openai/gpt-4o")
    (True, False)
    """
    return _provider(model) in _OWN_SERVERS


def check_address(settings: ModelSettings, *, by_variable: bool = True) -> None:
    """Raise `ConfigError` if a server of the user has no address, which its variable may give with `by_variable`.

    `aiohttp_openai/` is always refused, since litellm follows redirects there and would send the prompt along.
    """
    provider = _provider(settings.model)
    if provider == "aiohttp_openai":
        name = settings.model.removeprefix("aiohttp_openai/")
        raise ConfigError(
            f"model '{settings.name}': 'aiohttp_openai/' follows redirects to other hosts: write 'hosted_vllm/{name}'"
        )
    if settings.api_base or provider not in _OWN_SERVERS:
        return
    variable = _OWN_SERVERS[provider] if by_variable else None
    if variable is None or not os.environ.get(variable):
        advice = f", or export {variable}" if variable else ""
        raise ConfigError(
            f"model '{settings.name}': '{provider}/' is a server of your own: give its address as api_base{advice}"
        )


def proxy_for(scheme: str, host: str) -> str | None:
    """The address of the proxy that the environment names for a host; None if the host is called directly."""
    # `NO_PROXY` may exclude the host.
    if not host or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy:
        return None
    # A proxy without a scheme is an HTTP proxy, as for other programs.
    return proxy if "://" in proxy else f"http://{proxy}"


def _obstacle(settings: ModelSettings) -> str | None:
    """The reason why a direct call is not possible; None if it is possible."""
    provider = _provider(settings.model)
    if provider not in COMPATIBLE:
        return f"'{provider}' is not one of the OpenAI-compatible providers ({', '.join(COMPATIBLE)})"
    if settings.api_base is None:
        return "it has no api_base"
    if not _is_address(settings.api_base):
        return "its api_base is not an http:// or https:// address"
    if names := sorted(_FOR_LITELLM & settings.params.keys()):
        return f"'{names[0]}' in its params is for litellm"
    return None


def _is_address(text: str) -> bool:
    try:
        url = urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False


# HTTP statuses below 500 after which another try may succeed: time-outs, conflicts, requests too early or too often.
_RETRIED_STATUS = frozenset({408, 409, 425, 429})
# How many characters of an error are kept. Some servers put a whole page into it.
_LONGEST_MESSAGE = 500
# A larger count of tokens is an error of the server. Sums of such counts would not fit into the database.
_MOST_TOKENS = 10**12


def is_worth_retrying(status: object, message: str = "") -> bool:
    """Whether another try may succeed, judged by the HTTP status, if there is one, and by the `message`.

    >>> is_worth_retrying(503), is_worth_retrying(None), is_worth_retrying(400)
    (True, True, False)
    >>> is_worth_retrying(429), is_worth_retrying(429, "code: insufficient_quota")
    (True, False)
    """
    # If a quota is used up, another try does not help.
    if "insufficient_quota" in message:
        return False
    # Without a status, the connection itself failed.
    return not isinstance(status, int) or status in _RETRIED_STATUS or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that the provider asks to wait, from a number or a date in its headers; None without a header.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (7.0, 0.25, None)
    """
    # The header in milliseconds is more exact, so it goes first.
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            return _until_date(value)
        return max(0.0, seconds) if seconds < float("inf") else None
    return None


def _until_date(value: str) -> float | None:
    """The seconds until a date in the format of HTTP headers; None if it cannot be read."""
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema as the parameter of a chat completion."""
    # Providers refuse schemas in strict mode if they allow other properties.
    strict = schema.get("additionalProperties") is False
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": strict},
    }


def redirect_words(location: str) -> str:
    """The message for a response that redirects the request to another address."""
    return f"sent on to {location}: redirects are not followed, give that address as api_base or url"


def connection_cause(error: OSError) -> str:
    """Why a connection failed, in the words of the operating system; empty if it gives none."""
    number = error.errno or 0
    # A failed lookup has a negative number, for which `strerror` has no words, and a time-out has none.
    return os.strerror(number) if number > 0 else error.strerror or ""


def failure(settings: ModelSettings, words: str, *, transient: bool, wait: float | None = None) -> ModelError:
    """A failed call as one line that names the model and holds no key."""
    # Keys are removed before the text is cut, since half a key would not be recognised.
    words = redact(" ".join(words.split()))
    message = f"model '{settings.name}': {whole_characters(words[:_LONGEST_MESSAGE])}"
    return TransientModelError(message, retry_after=wait) if transient else PermanentModelError(message)


def chat_reply(
    settings: ModelSettings, text: str, usage: tuple[Any, Any], seconds: float, finish_reason: Any
) -> ChatReply:
    """A reply with its cost, with whole characters and without keys.

    `usage` are the numbers of prompt and completion tokens as the provider reported them.
    """
    characters = whole_characters(text)
    text = without_keys(characters)
    prompt, completion = map(count_of, usage)
    # Some servers report 0 if they did not count. A real prompt is never empty.
    if not prompt:
        prompt = completion = None
    cost = None
    if settings.price is not None and prompt is not None and completion is not None:
        cost = settings.price.of(prompt, completion)
    return ChatReply(
        text=text,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost_usd=cost,
        seconds=seconds,
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        problem="" if text == characters else HELD_KEY,
    )


def count_of(value: Any) -> int | None:
    """A reported number of tokens; None if it cannot be right.

    >>> count_of(7), count_of(-1), count_of(10**30), count_of("7")
    (7, None, None, None)
    """
    # `type` and not `isinstance`, since True is also an integer.
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None
