"""Batch APIs of providers, called through litellm: uploads, batches, and the lines of output and error files.

The lines of a file come in any order, and some may be missing or broken. A line that cannot be read counts as missing.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from perturb.errors import ConfigError, ModelError
from perturb.files.resources import canonical
from perturb.llm.client import (
    BatchGoneError,
    BatchView,
    ChatReply,
    ChatRequest,
    ModelSettings,
    Price,
    RowOutcome,
)
from perturb.llm.remote import (
    address_and_key,
    as_model_error,
    check_model,
    load_litellm,
    provider_of,
    wants_schema,
    without_redirects,
)
from perturb.llm.transports import chat_reply, check_address, failure, is_worth_retrying, response_format

PROVIDERS = ("openai", "azure", "vertex_ai", "bedrock", "hosted_vllm")
"""Providers whose batches litellm can create, poll and read."""

DISCOUNT = 0.5
"""The price of a batch as a share of the price of single calls."""

# The endpoint that the rows of a file are meant for.
_ENDPOINT = "/v1/chat/completions"
# Seconds allowed for the upload or download of a file.
_FILE_SECONDS = 600.0

# Providers with OpenAI's batch API: they list batches with our tags, and get the file of requests as it is. For the
# others, litellm translates the file.
_LIKE_OPENAI = frozenset({"openai", "azure", "hosted_vllm"})
# Providers whose list of batches litellm can read, though it does not show our tags, but only the input files.
_LISTED_BY_FILE = frozenset({"vertex_ai"})
# HTTP statuses of servers that cannot list batches.
_NO_LIST = frozenset({404, 405, 501})

# How many pages of 100 batches are searched for a lost batch, newest first.
_PAGES = 20

# Providers whose client requires a key. Without one of ours, it would send OpenAI's key to another server.
_OPENAI_CLIENTS = frozenset({"openai", "hosted_vllm"})


# Parameters of the connection, which are not part of the requests.
_OPTION_PREFIXES = ("aws_", "s3_", "vertex_", "gcs_", "bedrock_", "azure_")
_OPTIONS = frozenset({"api_version", "organization", "extra_headers"})

# The states of a batch that has not ended. Any other word of a provider counts as an end.
_RUNNING = frozenset({"validating", "in_progress", "finalizing", "cancelling", "queued", "pending"})


def can_batch(settings: ModelSettings) -> bool:
    """Whether litellm supports batches of the model's provider."""
    return provider_of(settings) in PROVIDERS


def check_batches(settings: ModelSettings) -> None:
    """Raise `ConfigError` if the model cannot be called, or not with batch APIs."""
    check_model(settings)
    if not can_batch(settings):
        raise ConfigError(
            f"model '{settings.name}': provider {provider_of(settings)} has no batches that can be used:"
            f" leave out --batch, or name a model of {', '.join(PROVIDERS)}"
        )
    # litellm ignores address variables here. Without api_base, it would send the file to OpenAI.
    check_address(settings, by_variable=False)


def discounted(settings: ModelSettings) -> ModelSettings:
    """The settings with the price of batches, if there is a price."""
    price = settings.price
    if price is None:
        return settings
    return dataclasses.replace(settings, price=Price(price.input * DISCOUNT, price.output * DISCOUNT))


class LiteLLMBatches:
    """The batch calls of one model, each without retries.

    Every call raises `TransientModelError`, `PermanentModelError`, or `BatchGoneError` if the provider does not have
    the batch or file, or has no list of batches.
    """

    def __init__(self, settings: ModelSettings) -> None:
        """`settings` must have the price of batches."""
        self.settings = settings
        self._provider = provider_of(settings)
        self._options = self._connection()
        self._wants_schema = wants_schema(settings)
        self._model = str(load_litellm().get_llm_provider(settings.model, api_base=settings.api_base)[0])
        self._params_by_schema: dict[str, dict[str, Any]] = {}

    def line(self, custom_id: str, request: ChatRequest) -> bytes:
        """The line of a request in OpenAI's format, which litellm translates for other providers."""
        schema = request.schema if self._wants_schema else None
        body = {"model": self._model, "messages": request.turns(), **self._params(schema)}
        row = {"custom_id": custom_id, "method": "POST", "url": _ENDPOINT, "body": body}
        return json.dumps(row).encode("ascii") + b"\n"

    async def upload(self, content: bytes) -> str:
        """Upload a file of requests. Returns the id of the file."""
        file = ("requests.jsonl", content, "application/jsonl")
        file_object = await self._call("acreate_file", seconds=_FILE_SECONDS, file=file, purpose="batch")
        return str(file_object.id)

    async def create(self, input_file: str, tag: str) -> str:
        """Create a batch with our tag, which some providers ignore. Returns the id of the batch."""
        batch = await self._call(
            "acreate_batch",
            completion_window="24h",
            endpoint=_ENDPOINT,
            input_file_id=input_file,
            metadata={"perturb": tag},
        )
        return str(batch.id)

    async def find(self, input_file: str, tag: str) -> str | None:
        """The id of a batch with this tag or input file; None if the provider's list has no such batch.

        It is needed for a batch that was created just before the program ended, so that its id was not noted. For
        providers whose list litellm cannot read, it is None without a call.
        """
        if self._provider not in _LIKE_OPENAI | _LISTED_BY_FILE:
            return None
        after: str | None = None
        for _ in range(_PAGES):
            page = await self._call("alist_batches", gone_statuses=_NO_LIST, after=after, limit=100)
            batches = list(_field(page, "data") or ())
            for batch in batches:
                by_tag = (_field(batch, "metadata") or {}).get("perturb") == tag
                by_file = self._provider in _LISTED_BY_FILE and _field(batch, "input_file_id") == input_file
                if by_tag or by_file:
                    return str(_field(batch, "id"))
            next_page = _field(page, "next_page_token")
            # Providers that have no token for the next page take the id of the last batch.
            if not next_page and batches:
                next_page = _field(batches[-1], "id")
            if not next_page or not _field(page, "has_more"):
                break
            after = str(next_page)
        return None

    async def view(self, batch_id: str) -> BatchView:
        """The state of a batch."""
        batch = await self._call(
            "aretrieve_batch",
            batch_id=batch_id,
            # Otherwise litellm downloads the files of an ended batch to compute a cost, which we do not need.
            litellm_metadata={"batch_ignore_default_logging": True},
        )
        status = str(batch.status)
        files = (batch.output_file_id, batch.error_file_id)
        return BatchView(
            status=status,
            ended=status not in _RUNNING,
            files=tuple(str(file) for file in files if file),
            problem=_problem(batch),
        )

    async def outcomes(self, file_id: str) -> Iterator[tuple[str, RowOutcome]]:
        """The outcome of each request in an output or error file, by its custom id."""
        content = await self._call("afile_content", seconds=_FILE_SECONDS, file_id=file_id)
        return RowReader(self.settings).read(content.content)

    async def close(self) -> None:
        """Do nothing, since no connection stays open between calls."""

    def _connection(self) -> dict[str, Any]:
        """The options of every call: provider, address, key, and parameters of the connection."""
        settings = self.settings
        options: dict[str, Any] = {name: value for name, value in settings.params.items() if _is_option(name)}
        options |= {"custom_llm_provider": self._provider, "max_retries": 0, "timeout": _FILE_SECONDS}
        if self._provider == "bedrock":
            options["model"] = settings.model
        if self._provider in _LIKE_OPENAI:
            # litellm makes a client for each call and never closes it, so its connection would stay open.
            options["extra_headers"] = {**options.get("extra_headers", {}), "Connection": "close"}
        return options | address_and_key(settings, _OPENAI_CLIENTS)

    def _params(self, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        """The parameters as a single call would send them, kept for each schema."""
        key = "" if schema is None else canonical(dict(schema))
        if key not in self._params_by_schema:
            params = {name: value for name, value in self.settings.params.items() if not _is_option(name)}
            if schema is not None:
                params.setdefault("response_format", response_format(schema))
            self._params_by_schema[key] = self._as_sent(params)
        return self._params_by_schema[key]

    def _as_sent(self, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters under the names that the provider knows."""
        if self._provider not in _LIKE_OPENAI:
            return params
        # litellm's single calls use this function too, and by default we let them drop what a provider does not know.
        # So a batch gets the same parameters as a single call.
        options = {"drop_params": True, **params}
        mapped: dict[str, Any] = load_litellm().utils.get_optional_params(
            model=self._model, custom_llm_provider=self._provider, **options
        )
        # Parameters that litellm does not know are in `extra_body`. In a request they stand beside the others.
        extra = mapped.pop("extra_body", None) or {}
        mapped.pop("stream", None)
        return {**mapped, **extra}

    async def _call(
        self,
        name: str,
        *,
        seconds: float | None = None,
        gone_statuses: frozenset[int] = frozenset({404}),
        **arguments: Any,
    ) -> Any:
        """Call a function of litellm and return its answer. Raises `BatchGoneError` for a status in `gone_statuses`."""
        function = getattr(load_litellm(), name)
        with without_redirects() as redirect_targets:
            try:
                async with asyncio.timeout(seconds or self.settings.timeout):
                    return await function(**arguments, **self._options)
            except Exception as error:  # noqa: BLE001  (providers' clients raise anything)
                mapped = as_model_error(error, self.settings, redirect_targets)
                if getattr(error, "status_code", None) in gone_statuses:
                    raise BatchGoneError(str(mapped)) from None
                raise mapped from None


def _is_option(name: str) -> bool:
    return name in _OPTIONS or name.startswith(_OPTION_PREFIXES)


def _field(value: Any, name: str) -> Any:
    """A field of an answer, which is an object for some providers and a mapping for others."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _problem(batch: Any) -> str:
    """The first error of a batch as a whole, on one line; empty if it has no error."""
    errors = list(_field(_field(batch, "errors"), "data") or ())
    if not errors:
        return ""
    return " ".join(str(_field(errors[0], "message")).split())[:300]


# What other providers say instead of OpenAI's `length` if a reply was cut short.
_CUT_SHORT = ("max_tokens", "MAX_TOKENS")


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the output and error files of a model's batches."""

    settings: ModelSettings

    def read(self, content: bytes) -> Iterator[tuple[str, RowOutcome]]:
        """Yield the custom id and the outcome of each line that can be read."""
        for line in content.splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the row counts as missing and is asked for again
            custom_id = _at(row, "custom_id") or _at(row, "recordId")  # Bedrock's name
            if isinstance(custom_id, str):
                yield custom_id, self._outcome(row)

    def _outcome(self, row: Mapping[str, Any]) -> RowOutcome:
        """The reply or error of a row.

        OpenAI's rows have `response.status_code` and `response.body`, and `error` in the row or in the body. Bedrock's
        rows have `modelOutput`, or `error` with an `errorCode`. So one look at all of these paths is enough.
        """
        status = _at(row, "response", "status_code")
        error = _at(row, "error") or _at(row, "response", "body", "error")
        if status is None:
            status = _at(error, "errorCode")
        if error or (isinstance(status, int) and status >= 400):
            return self._error(error, status)
        body = _at(row, "response", "body") or _at(row, "modelOutput")
        reply = self._reply(body) if isinstance(body, Mapping) else None
        return reply or failure(self.settings, "a row of a batch holds no reply", transient=True)

    def _error(self, error: Any, status: Any) -> ModelError:
        words = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        # A row without a status failed because its batch expired or was cancelled.
        message = f"in a batch, status {status or 'unknown'}: {words}"
        return failure(self.settings, message, transient=is_worth_retrying(status, words))

    def _reply(self, body: Mapping[str, Any]) -> ChatReply | None:
        """The reply in a completion in the format of OpenAI, Anthropic or Amazon's Nova; None for any other body."""
        finish_reason: Any
        if _at(body, "choices"):
            text = _at(body, "choices", 0, "message", "content")
            finish_reason = _at(body, "choices", 0, "finish_reason")
        elif isinstance(_at(body, "content"), list):
            text, finish_reason = _joined(body["content"]), _at(body, "stop_reason")
        elif isinstance(_at(body, "output", "message", "content"), list):
            text, finish_reason = _joined(body["output"]["message"]["content"]), _at(body, "stopReason")
        else:
            return None
        usage = _at(body, "usage")
        tokens = (
            _first(usage, "prompt_tokens", "input_tokens", "inputTokens"),
            _first(usage, "completion_tokens", "output_tokens", "outputTokens"),
        )
        finish_reason = "length" if finish_reason in _CUT_SHORT else finish_reason
        text = text if isinstance(text, str) else ""
        return chat_reply(self.settings, text, tokens, 0.0, finish_reason)


def _joined(blocks: list[Any]) -> str:
    """The texts of a reply that comes in blocks, some of which hold no text."""
    return "".join(text for block in blocks if isinstance(text := _at(block, "text"), str))


def _first(value: Any, *names: str) -> Any:
    """The value under the first of these names that is present; None if all are missing."""
    return next((entry for name in names if (entry := _at(value, name)) is not None), None)


def _at(value: Any, *path: str | int) -> Any:
    """The value at a path of keys and positions; None if the path leads nowhere."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value
