"""A model as a user names it in YAML: a generator, a verifier, a model under test; keys are named, never written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from perturb.classes import ClassName
from perturb.errors import ConfigError
from perturb.functions import ADDRESS, OwnFunction
from perturb.llm.client import MAX_REPLY_BYTES, ModelSettings, Price, Transport
from perturb.yaml_files import Strict

Text = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_WORDS = re.compile(r"api[_-]?key|secret|token$|password|credential|authorization", re.IGNORECASE)
_SECRET_ADDRESS = re.compile(r"//[^/@]*@|[?&][^=]*(key|token|secret)[^=]*=(?!\$\{)", re.IGNORECASE)
_AS_WRITTEN = {
    *("api_key_env", "system", "max_connections", "rpm", "tpm", "timeout", "max_retries", "max_reply_bytes"),
    "transport",
}
"""Fields that the settings of a model have too."""


class PriceEntry(Strict):
    """What a model costs, in USD per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class Covariates(Strict):
    """What is known of a model under test, for scores to be set against; a models file may leave out any of it."""

    family: Text | None = None
    size_b: float | None = Field(default=None, gt=0)
    """Parameters, in billions."""
    release: date | None = None
    reasoning_tokens: int | None = Field(default=None, ge=0)
    """The budget of tokens that it may think."""
    training: Literal["base", "sft", "dpo", "rl"] | None = None
    """The last stage of its training."""


class ModelEntry(Strict):
    """One model, the embedded rule engine (`kind: rules`), or a function (`kind: python`), with its limits."""

    name: Name
    kind: Literal["model", "rules", "python"] = "model"
    function: str | None = Field(default=None, pattern=rf"^{ADDRESS.pattern}$")
    """A function of your own, `package.module:function`."""
    model: Text | None = None
    """A litellm model name, such as `openai/gpt-4o` or `hosted_vllm/my-model`."""
    api_base: Text | None = None
    api_key_env: str | None = None
    """The name of the environment variable that holds the key."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Extra parameters of the request: temperature, max_tokens, seed, …"""
    system: Annotated[str, Field(max_length=20_000)] = ""
    """A system message of your own, sent before the prompt."""
    max_connections: int = Field(default=32, ge=1, le=4096)
    rpm: int | None = Field(default=None, ge=1)
    tpm: int | None = Field(default=None, ge=1)
    timeout: float = Field(default=60.0, gt=0)
    """Seconds for a whole call."""
    max_retries: int = Field(default=6, ge=0, le=100)
    max_reply_bytes: int = Field(default=MAX_REPLY_BYTES, ge=1_000, le=1_000_000_000)
    """A longer reply counts as unreadable."""
    price: PriceEntry | None = None
    json_schema: Literal["auto"] | bool = "auto"
    """Ask for a JSON schema: where litellm knows the model supports it, always, or never."""
    transport: Transport = "auto"
    """What carries the calls: litellm, or (`direct`) perturb itself, to an OpenAI-compatible server."""

    @field_validator("api_key_env")
    @classmethod
    def _only_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError("give the name of an environment variable, never the key itself")
        return value

    @field_validator("api_base")
    @classmethod
    def _no_key_in_address(cls, value: str | None) -> str | None:
        return refuse_secret_address(value)

    @field_validator("params")
    @classmethod
    def _plain_and_without_keys(cls, value: dict[str, Any]) -> dict[str, Any]:
        if (field := _named_secret(value)) is not None:
            raise ValueError(f"'{field}' may not stand here: keys come from the environment (api_key_env)")
        try:
            json.dumps(value, allow_nan=False, sort_keys=True)
        except (TypeError, ValueError):
            raise ValueError(
                "holds a value that JSON has no word for: put dates and the like in quotes"
            ) from None
        return value

    @model_validator(mode="after")
    def _kind_fits(self) -> ModelEntry:
        if self.kind == "model" and self.model is None:
            raise ValueError(
                f"'{self.name}' needs 'model' (a litellm model name), 'kind: rules', or 'kind: python' with 'function'"
            )
        if (self.kind == "python") != (self.function is not None):
            raise ValueError(
                f"'{self.name}': 'function' names a function of your own and goes with 'kind: python'"
            )
        if self.kind != "model" and (
            self.model or self.api_base or self.api_key_env or self.params or self.system
        ):
            raise ValueError(
                f"'{self.name}' is of kind {self.kind} and takes no model, api_base, api_key_env, params or system"
            )
        return self

    def settings(self, *, replayed: bool = False) -> ModelSettings:
        """The settings for `perturb.llm`, `${NAME}` put in from the environment, which a replay does without.

        Raises `ConfigError` naming a variable that is not set.
        """
        if self.model is None:
            raise ConfigError(f"'{self.name}' is not a model: it is run by the rule engine or a function")
        schema = {"auto": "auto", True: "on", False: "off"}[self.json_schema]
        filled: Callable[[Any], Any] = (lambda text: text) if replayed else partial(expand, owner=self.name)
        return ModelSettings(
            self.name,
            filled(self.model),
            api_base=filled(self.api_base),
            params=filled(self.params),
            price=Price(self.price.input, self.price.output) if self.price else None,
            json_schema=schema,  # type: ignore[arg-type]
            **self.model_dump(include=_AS_WRITTEN),
        )


class VerifierEntry(ModelEntry):
    """A member of the panel: a model, or one of the offline checks (`kind: rules`, `check: …`)."""

    check: str | None = None
    classes: Annotated[tuple[ClassName, ...], Field(min_length=1)] | None = None
    """The classes that it judges; for the others it is absent. None: all, or all that its check has an opinion on."""

    @model_validator(mode="after")
    def _check_fits(self) -> VerifierEntry:
        if (self.kind == "rules") != (self.check is not None):
            raise ValueError(f"'{self.name}': 'check' names an offline check and goes with 'kind: rules'")
        return self


def refuse_secret_address(address: str | None) -> str | None:
    """The address as it is; raises `ValueError` if a password or a key stands in it."""
    if address is not None and _SECRET_ADDRESS.search(address):
        raise ValueError("the address holds a secret: export it under a NAME and write ${NAME} in a file")
    return address


def expand(value: Any, owner: str, environment: Mapping[str, str] | None = None) -> Any:
    """Put environment variables in for `${NAME}`, in strings, lists and mappings.

    Raises `ConfigError` naming the variable and the model (`owner`) if one is not set.

    >>> expand({"a": ["${HOST}/v1"]}, "m", {"HOST": "http://localhost"})
    {'a': ['http://localhost/v1']}
    """
    known = os.environ if environment is None else environment

    def replace(match: re.Match[str]) -> str:
        if match[1] not in known:
            raise ConfigError(f"model '{owner}': environment variable {match[1]} is not set: export it")
        return known[match[1]]

    if isinstance(value, str):
        return _VARIABLE.sub(replace, value)
    if isinstance(value, Mapping):
        return {key: expand(item, owner, environment) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item, owner, environment) for item in value]
    return value


def _named_secret(value: Any) -> str | None:
    """The name of a field that is meant for a secret, however deep, if there is one."""
    if isinstance(value, list):
        return next((found for item in value if (found := _named_secret(item))), None)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if _SECRET_WORDS.search(str(key)):
                return str(key)
            if (found := _named_secret(item)) is not None:
                return found
    return None


def own_functions(entries: Sequence[ModelEntry], offered: Sequence[str]) -> dict[str, OwnFunction]:
    """The functions of a user's own among the entries, by name. Raises `ConfigError` if one cannot be called."""
    return {
        one.name: OwnFunction(
            one.function,
            offered,
            f"'{one.name}': {one.function}",
            width=one.max_connections,
            timeout=one.timeout,
        )
        for one in entries
        if one.function is not None
    }
