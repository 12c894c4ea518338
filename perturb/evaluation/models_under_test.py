"""From names on the command line to the models and judges of a run (`ModelNames.find_all`).

A name is a litellm name, an address, a function, or an entry of a models file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from perturb.config import Covariates, ModelEntry, Name, expand
from perturb.errors import ConfigError
from perturb.evaluation.adapters import DEFAULT_REPLY, DEFAULT_REQUEST, FunctionModel, ServiceModel
from perturb.evaluation.reading import JudgeRule
from perturb.files.resources import digest
from perturb.files.yaml_files import Strict, YamlFile
from perturb.llm.client import ModelSettings
from perturb.llm.factory import Opener
from perturb.llm.functions import ADDRESS, find_function, source_of
from perturb.llm.redaction import redact
from perturb.llm.transports import needs_address
from perturb.records import Facts, JsonObject

# The decoding parameters of each paper, by command; the code of RefusalBench leaves all to the provider.
PAPER_DECODING: Mapping[str, Facts] = {
    "refusal-index": {"temperature": 0.7, "top_p": 0.95, "max_tokens": 4096},
    "bas": {"temperature": 0},
    "evaluate": {},
}
# Names of decoding parameters at any provider; a preset replaces them.
_DECODING = frozenset(
    ("temperature", "top_p", "top_k", "min_p", "max_tokens", "max_completion_tokens", "num_predict")
)

# The start of the address of a service: `http://localhost:8000/answer`.
_SERVICE = re.compile(r"https?://")
# Defaults of services and functions.
_CONNECTIONS, _TIMEOUT_SECONDS = 8, 120.0


class EntryUnderTest(ModelEntry, Covariates):
    """A model, as a models file writes it."""


class ServiceEntry(Covariates):
    """A RAG service behind HTTP, as a models file writes it."""

    name: Name
    url: str = Field(pattern=r"^https?://[^\s@]+$")
    request: JsonObject = Field(default_factory=lambda: dict(DEFAULT_REQUEST))
    """The JSON body, with `{query}`, `{passages}`, `{context}`, `{prompt}`, `{item_id}` where the item's parts go."""
    reply: str = Field(default=DEFAULT_REPLY, min_length=1)
    """Path to the text in the JSON response: `answer`, `choices.0.text`."""
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The variable whose value is sent as a bearer token."""
    max_connections: int = Field(default=_CONNECTIONS, ge=1, le=4096)
    rpm: int | None = Field(default=None, ge=1)
    timeout: float = Field(default=_TIMEOUT_SECONDS, gt=0)
    max_retries: int = Field(default=6, ge=0, le=100)

    @field_validator("url")
    @classmethod
    def _no_query(cls, value: str) -> str:
        if urlsplit(value).query:
            raise ValueError(
                "an address with a query may hold a secret: leave it out, use api_key_env and 'request'"
            )
        return value

    def settings(self) -> ModelSettings:
        """The settings for `ServiceModel`."""
        same_name_in_both = {"name", "api_key_env", "max_connections", "rpm", "timeout", "max_retries"}
        return ModelSettings(
            model=expand(self.url, self.name),
            params={"request": self.request, "reply": self.reply},
            json_schema="off",
            **self.model_dump(include=same_name_in_both),
        )


class FunctionEntry(Covariates):
    """A Python function, as a models file writes it."""

    name: Name
    kind: Literal["python"] = "python"
    function: str = Field(pattern=rf"^{ADDRESS.pattern}$")
    max_connections: int = Field(default=_CONNECTIONS, ge=1, le=256)
    timeout: float = Field(default=_TIMEOUT_SECONDS, gt=0)

    def settings(self) -> ModelSettings:
        """The settings for `FunctionModel`."""
        return ModelSettings(
            name=self.name,
            model=self.function,
            max_connections=self.max_connections,
            timeout=self.timeout,
            max_retries=0,  # a function can try again by itself
            json_schema="off",
        )


def _kind_of_entry(value: Any) -> str:
    """Which of three entries a value is, for pydantic: then a fault is reported for this kind of entry alone."""
    if isinstance(value, ServiceEntry) or (isinstance(value, Mapping) and "url" in value):
        return "service"
    if isinstance(value, FunctionEntry) or (isinstance(value, Mapping) and "function" in value):
        return "function"
    return "provider"


ModelsFileEntry = Annotated[
    Annotated[EntryUnderTest, Tag("provider")]
    | Annotated[ServiceEntry, Tag("service")]
    | Annotated[FunctionEntry, Tag("function")],
    Discriminator(_kind_of_entry),
]


class ModelsFile(Strict):
    """The file of `--models`: models, services and functions by name, and who judges."""

    models: tuple[ModelsFileEntry, ...] = Field(min_length=1)
    judges: tuple[str, ...] = ()
    """The judge if none is named: a name of the file, or a model as `--judge` takes it."""
    judge_rule: JudgeRule = "majority"
    """How many of several judges must say the same."""

    @model_validator(mode="after")
    def _no_rules_or_repeats(self) -> ModelsFile:
        require_models(self.models, "be evaluated")
        return self


def require_models(entries: Sequence[ModelsFileEntry], use: str) -> None:
    """Raise `ValueError` for a name given twice, and for an entry that is not a model; `use` completes the message."""
    names = [entry.name for entry in entries]
    for entry in entries:
        if isinstance(entry, ModelEntry) and entry.kind != "model":
            raise ValueError(f"'{entry.name}' is of kind {entry.kind} and cannot {use}: name a model")
        if names.count(entry.name) > 1:
            raise ValueError(f"two models are called '{entry.name}': give each its own name")


@dataclass(frozen=True, slots=True)
class ModelUnderTest:
    """A model under test, or a judge."""

    settings: ModelSettings
    opener: Opener | None = None
    """For a service or a function: what opens the model; others use the transports of `perturb.llm`."""

    @property
    def name(self) -> str:
        """The name of the model in the results."""
        return self.settings.name

    @property
    def identity(self) -> tuple[str, str | None]:
        """The model and its server, whatever name it has here."""
        return self.settings.model, self.settings.api_base

    def facts(self) -> JsonObject:
        """The entry in the ledger. It holds no key, not even one in an address from an environment variable."""
        settings = self.settings
        facts = {"model": settings.model, "api_base": settings.api_base, "params": dict(settings.params)}
        if settings.system:
            facts["system"] = settings.system
        cleaned: JsonObject = json.loads(redact(json.dumps(facts)))
        return cleaned


@dataclass(frozen=True, slots=True)
class ModelSet:
    """The models of one run."""

    under_test: Mapping[str, ModelUnderTest]
    judges: tuple[ModelUnderTest, ...] = ()
    """The judges: none, one, or a panel."""
    rule: JudgeRule = "majority"
    """How many of several judges must say the same."""

    @property
    def judge(self) -> ModelUnderTest | None:
        """The judge, or the first of several."""
        return next(iter(self.judges), None)

    @property
    def called(self) -> dict[str, ModelUnderTest]:
        """The models under test and the judges, by name."""
        return {**self.under_test, **{judge.name: judge for judge in self.judges}}

    @property
    def own_judges(self) -> dict[str, str]:
        """The names of models under test that also judge, and their names as judges."""
        # If two judges are the same model, the first of them counts, so it comes last here.
        judge_names = {judge.identity: judge.name for judge in reversed(self.judges)}
        return {
            name: judge_names[model.identity]
            for name, model in self.under_test.items()
            if model.identity in judge_names
        }

    @property
    def judge_name(self) -> str | None:
        """The judge's name in facts; several names are joined."""
        return ", ".join(sorted(judge.name for judge in self.judges)) or None

    def check(self, *, in_batches: bool) -> None:
        """Raise `ConfigError` for a model that cannot be called, or not with batch APIs."""
        from perturb.llm.remote import check_model
        from perturb.llm.remote_batches import check_batches

        check = check_batches if in_batches else check_model
        for model in self.under_test.values():
            if model.opener is None:
                check(model.settings)
            elif in_batches:
                raise ConfigError(
                    f"model '{model.name}': a service or a function cannot be called with batch APIs: leave out --batch"
                )
        for judge in self.judges:
            # A judge may be one of the models under test, but not another model of the same name.
            twin = self.under_test.get(judge.name, judge)
            if twin.settings.fingerprint() != judge.settings.fingerprint():
                raise ConfigError(
                    f"--judge: a model under test is called '{judge.name}' too: give it another name"
                )
            if judge.opener is None:
                check_model(judge.settings)

    def panel_facts(self) -> JsonObject | None:
        """The entry on a panel of judges in facts; None for a single judge."""
        if len(self.judges) < 2:
            return None
        judges = {judge.name: judge.facts() for judge in self.judges}
        # The facts are published, and the address of a server is private.
        for facts in judges.values():
            del facts["api_base"]
        return {"judges": judges, "rule": self.rule, "own_judges": self.own_judges}


@dataclass(frozen=True, slots=True)
class ModelNames:
    """How names on the command line are understood."""

    file: Path | None = None
    """A models file, whose names come first."""
    request: Facts = field(default_factory=lambda: dict(DEFAULT_REQUEST))
    """The body sent to a service that is named by its address."""
    reply: str = DEFAULT_REPLY
    decoding: Facts | None = None
    """How models under test decode, whatever the file says; judges, services and functions keep their own."""
    api_base: str | None = None
    """The server of models under test that have no address of their own, and of judges that need one."""
    entries: Mapping[str, ModelsFileEntry] = field(default_factory=dict)
    """Models that Python code names, by name; they come before the file's."""

    def find_all(
        self, names: Sequence[str], judges: Sequence[str] = (), rule: JudgeRule | None = None
    ) -> ModelSet:
        """The models under test and the judges with these names; without `judges` and `rule`, those of the models file.

        Raises `ConfigError` for an unknown name and a name given twice.
        """
        models_file = YamlFile(self.file).parse(ModelsFile) if self.file else None
        file_models = models_file.models if models_file else ()
        entries = {**{entry.name: entry for entry in file_models}, **self.entries}
        if models_file:
            judges = judges or models_file.judges
            rule = rule or models_file.judge_rule
        _refuse_repeats("model", names, "name each model once")
        _refuse_repeats("judge", judges, "its votes would count double: name it once")

        def find(name: str) -> ModelUnderTest:
            # A name of the file or of Python code hides a litellm name that is spelt the same.
            return model_under_test(entries[name].settings() if name in entries else self._settings(name))

        under_test = {name: self._as_model_under_test(find(name)) for name in names}
        # A model that is also a judge is one model, with one set of limits.
        judging = [under_test.get(name) or self._as_judge(find(name)) for name in judges]
        return ModelSet(under_test, tuple(judging), rule or "majority")

    def _as_model_under_test(self, model: ModelUnderTest) -> ModelUnderTest:
        """A model with the common address and decoding; services and functions keep their own."""
        if model.opener is not None:
            return model
        params = model.settings.params
        if self.decoding is not None:
            other_params = {name: value for name, value in params.items() if name not in _DECODING}
            params = {**other_params, **self.decoding}
        api_base = model.settings.api_base or self.api_base
        return replace(model, settings=replace(model.settings, api_base=api_base, params=params))

    def _as_judge(self, judge: ModelUnderTest) -> ModelUnderTest:
        """A judge with the address of the models under test if it needs one; the judges of a provider stay there."""
        settings = judge.settings
        if self.api_base is None or settings.api_base or judge.opener or not needs_address(settings.model):
            return judge
        return replace(judge, settings=replace(settings, api_base=self.api_base))

    def _settings(self, name: str) -> ModelSettings:
        """The settings of a model that no entry describes: an address, a function or a litellm name."""
        if _SERVICE.match(name):
            if "@" in urlsplit(name).netloc or urlsplit(name).query:
                raise ConfigError(
                    "the address of a service may not hold a secret: name it in a models file instead"
                )
            params = {"request": dict(self.request), "reply": self.reply}
            return ModelSettings(
                name,
                name,
                params=params,
                json_schema="off",
                max_connections=_CONNECTIONS,
                timeout=_TIMEOUT_SECONDS,
            )
        if ADDRESS.fullmatch(name):
            # It is not validated, because the address of a function has a colon and so is not a `Name`.
            return FunctionEntry.model_construct(name=name, function=name).settings()
        if "/" not in name:
            file_names = f"a name from {self.file}, " if self.file else ""
            raise ConfigError(
                f"model '{name}' is not known: give {file_names}PROVIDER/MODEL as litellm writes it, http://…, or"
                " module:function"
            )
        return ModelSettings(name, name)


def _refuse_repeats(role: str, names: Sequence[str], advice: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{role} '{name}' is given twice: {advice}")


def read_covariates(file: Path) -> dict[str, Covariates]:
    """The facts about models in a models file, by name. Raises `ConfigError` for a file that cannot be used."""
    return {entry.name: entry for entry in YamlFile(file).parse(ModelsFile).models}


def model_under_test(settings: ModelSettings) -> ModelUnderTest:
    """The model with these settings. Raises `ConfigError` for a function that cannot be imported."""
    if _SERVICE.match(settings.model):
        return ModelUnderTest(settings, ServiceModel)
    if ADDRESS.fullmatch(settings.model):
        FunctionModel(settings)  # raises unless the function exists and can be called
        text = source_of(find_function(settings.model, f"model '{settings.model}'"))
        return ModelUnderTest(replace(settings, params={"source": digest(text)}), FunctionModel)
    return ModelUnderTest(settings)
