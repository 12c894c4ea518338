"""Calls OpenAI-compatible servers directly over aiohttp, which takes a fraction of litellm's processor time."""

from __future__ import annotations

import asyncio
import functools
import json
import re
import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

import aiohttp
from yarl import URL

from perturb.errors import ConfigError, ModelError
from perturb.llm.client import ChatReply, ChatRequest, ModelSettings
from perturb.llm.redaction import read_key
from perturb.llm.remote import wants_schema
from perturb.llm.transports import (
    chat_reply,
    connection_cause,
    failure,
    is_worth_retrying,
    own_key_variable,
    proxy_for,
    redirect_words,
    response_format,
    retry_after,
)

# The path of completions below `api_base`.
_PATH = "chat/completions"
# A block of thinking at the start of a reply.
_THINKING = re.compile(r"\A<(think|thinking)>.*?</(think|thinking)>", re.DOTALL)


class DirectModel:
    """A model of an OpenAI-compatible server, called once per `complete`, without retries."""

    def __init__(self, settings: ModelSettings) -> None:
        """Raises `ConfigError` if the address, or a proxy in the environment, cannot be used."""
        self.settings = settings
        key = read_key(settings.api_key_env or own_key_variable(settings.model))
        self._url = _address(settings)
        # A redirect could take the prompt and the key to another server.
        self._connection: dict[str, Any] = {
            "proxy": _proxy(self._url, settings.name),
            "allow_redirects": False,
        }
        if self._url.scheme == "https":
            self._connection["ssl"] = _trusted()
        self._headers = _headers(settings, key)
        self._options = _options(settings)
        self._wants_schema = wants_schema(settings)
        # JSON may write a one-byte character with six bytes. A mebibyte more leaves room for the rest of the body.
        self._most_bytes = 6 * settings.max_reply_bytes + 2**20

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Send a request and wait at most `timeout` seconds.

        Raises `TransientModelError` for status 408, 409, 425, 429 and 5xx, a broken connection, a time-out, a body that
        is not a completion, and a reply without choices. Raises `PermanentModelError` otherwise. No message holds the
        key.
        """
        body = self._body(request)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.settings.timeout):
                status, headers, content = await self._post(body)
        except TimeoutError:
            raise self._failure(f"no reply within {self.settings.timeout:g} s") from None
        except ValueError as error:
            raise self._failure(f"the request cannot be sent: {error}", transient=False) from None
        except aiohttp.ClientResponseError as error:
            # The text of this error ends with the address, which may hold a password.
            reason = f"{type(error).__name__}: status {error.status}: {error.message}"
            raise self._failure(reason) from None
        except aiohttp.ClientConnectorError as error:
            cause = connection_cause(error)
            raise self._failure(f"cannot connect to {error.host}:{error.port}: {cause}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._failure(f"{type(error).__name__}: {error}") from None
        if not 200 <= status < 300:
            raise self._status_failure(status, headers, content)
        seconds = time.perf_counter() - started
        if len(content) > self._most_bytes:
            # The body was cut off, so it is not JSON. The caller gets its beginning as a text of one byte more than
            # `max_reply_bytes`. So it finds the text too long, and stores it as a reply that cannot be read.
            text = content[: self.settings.max_reply_bytes + 1].decode(errors="replace")
            return chat_reply(self.settings, text, (None, None), seconds, "length")
        return self._reply(content, seconds)

    async def close(self) -> None:
        """Close the connections, which all models of the event loop share, after its last model is closed."""
        await _close_session_if_unused(self)

    def _body(self, request: ChatRequest) -> bytes:
        body = {**self._options, "messages": request.turns()}
        if request.schema is not None and self._wants_schema:
            body.setdefault("response_format", response_format(request.schema))
        return json.dumps(body).encode()

    async def _post(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        session = _session(self)
        async with session.post(self._url, data=body, headers=self._headers, **self._connection) as response:
            return response.status, response.headers, await self._read(response.content)

    async def _read(self, stream: aiohttp.StreamReader) -> bytes:
        """The body, or its beginning if it is longer than any readable reply."""
        chunks, size = [], 0
        while chunk := await stream.readany():
            chunks.append(chunk)
            size += len(chunk)
            if size > self._most_bytes:
                break
        return b"".join(chunks)

    def _reply(self, content: bytes, seconds: float) -> ChatReply:
        """The reply in the body of a response."""
        try:
            completion = json.loads(content)
        except (ValueError, RecursionError):
            raise self._failure(f"the body is not JSON: {_as_text(content)}") from None
        if not isinstance(completion, dict):
            raise self._failure("the body is not a completion")
        choices = completion.get("choices")
        if not isinstance(choices, list) or not choices:
            raise self._no_choices_failure(completion)
        try:
            text = _text(choices[0]["message"])
        except (AttributeError, KeyError, TypeError):
            raise self._failure("the reply's first choice holds no message") from None
        usage = completion.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        tokens = counts.get("prompt_tokens"), counts.get("completion_tokens")
        finish_reason = choices[0].get("finish_reason") or "stop"
        return chat_reply(self.settings, text, tokens, seconds, finish_reason)

    def _no_choices_failure(self, completion: Mapping[str, Any]) -> ModelError:
        """The failure of a reply without choices."""
        # Some gateways answer with status 200 and put the error, with its real status, into the body.
        error = completion.get("error")
        if not error:
            return self._failure("the reply holds no choices")
        status = error.get("code") if isinstance(error, dict) else None
        words = f"the reply is an error: {_error_message(completion)}"
        return self._failure(words, transient=is_worth_retrying(status, str(error)))

    def _status_failure(self, status: int, headers: Mapping[str, str], content: bytes) -> ModelError:
        """The failure of a response with a status other than 2xx."""
        text = _as_text(content)
        if 300 <= status < 400:
            words = redirect_words(headers.get("Location", "nowhere"))
            return self._failure(f"status {status}: {words}", transient=False)
        try:
            words = _error_message(json.loads(content))
        except (ValueError, RecursionError):
            words = text
        transient = is_worth_retrying(status, text)
        return self._failure(f"status {status}: {words}", transient=transient, wait=retry_after(headers))

    def _failure(self, words: str, *, transient: bool = True, wait: float | None = None) -> ModelError:
        return failure(self.settings, words, transient=transient, wait=wait)


class _Pool:
    """The connections of an event loop, and the models that use them."""

    def __init__(self) -> None:
        # `max_connections` limits the number of calls, so the connector has no limit. Without a cookie jar, cookies of
        # one server cannot reach another.
        connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=None)
        self.session = aiohttp.ClientSession(
            connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
        )
        self.users: WeakSet[DirectModel] = WeakSet()


# The connections of each event loop, since a session cannot be used in another loop. An entry goes when the last of its
# models is closed.
_pools: dict[asyncio.AbstractEventLoop, _Pool] = {}


def _session(model: DirectModel) -> aiohttp.ClientSession:
    """The session of the running loop. It stays open until all models that have used it are closed."""
    loop = asyncio.get_running_loop()
    pool = _pools.get(loop)
    if pool is None:
        pool = _pools[loop] = _Pool()
    pool.users.add(model)
    return pool.session


async def _close_session_if_unused(model: DirectModel) -> None:
    """Close the session of the running loop if this was the last model that used it."""
    loop = asyncio.get_running_loop()
    pool = _pools.get(loop)
    if pool is None:
        return
    pool.users.discard(model)
    if not pool.users:
        del _pools[loop]
        await pool.session.close()


def _address(settings: ModelSettings) -> URL:
    """The address of requests: `api_base` with the path of completions, unless it already has that path."""
    try:
        url = urlsplit(settings.api_base or "")
        path = url.path if _PATH in url.path else f"{url.path.rstrip('/')}/{_PATH}"
        return URL(url._replace(path=path).geturl())
    except ValueError as error:
        raise ConfigError(
            f"model '{settings.name}': api_base is not an address ({error}): write it as http://HOST:PORT/v1"
        ) from None


def _proxy(url: URL, name: str) -> str | None:
    """The proxy that the environment names for an address. It is looked up once, since that reads all variables."""
    proxy = proxy_for(url.scheme, url.host or "")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise ConfigError(
            f"model '{name}': the proxy set in the environment is not an HTTP proxy: set NO_PROXY, or use"
            " transport: litellm"
        )
    return proxy


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The trusted certificates, chosen as by litellm: `SSL_CERT_FILE` or `SSL_CERT_DIR`, or those of certifi."""
    import httpx

    return httpx.create_ssl_context()


def _headers(settings: ModelSettings, key: str | None) -> dict[str, str]:
    """The headers of all requests. The key goes last, so that no other header can replace it."""
    headers = {"Content-Type": "application/json"}
    headers |= {name: str(value) for name, value in settings.params.get("extra_headers", {}).items()}
    return {**headers, "Authorization": f"Bearer {key}"} if key else headers


def _options(settings: ModelSettings) -> dict[str, Any]:
    """The fields of a request's body that are the same for all requests."""
    params = {
        name: value for name, value in settings.params.items() if name not in ("extra_headers", "extra_body")
    }
    _, _, model = settings.model.partition("/")  # without the provider: "openai/NAME" becomes "NAME"
    return {**params, **settings.params.get("extra_body", {}), "model": model}


def _text(message: Any) -> str:
    """The text of a message whose content is a string, a list of parts, or missing."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part["text"]) for part in content if part.get("type", "text") == "text")
    if content is not None and not isinstance(content, str):
        raise TypeError("content is not text")
    # A server without a parser for thinking leaves it at the start of the text. Like litellm, we remove it there.
    if content and "reasoning_content" not in message and "reasoning" not in message:
        content = _THINKING.sub("", content, count=1)
    return content or ""


def _error_message(content: Any) -> str:
    """The message of an error in the forms that servers use. An error of another form is given as JSON.

    >>> _error_message({"error": {"message": "no"}}), _error_message({"detail": "no"}), _error_message({"error": "no"})
    ('no', 'no', 'no')
    """
    for name in ("error", "message", "detail"):
        if isinstance(content, dict) and content.get(name):
            content = content[name]
    return content if isinstance(content, str) else json.dumps(content)


def _as_text(content: bytes) -> str:
    """The beginning of a body, for messages."""
    return content[:10_000].decode("utf-8", "replace")
