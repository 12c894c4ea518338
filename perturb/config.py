"""The build configuration: strict YAML, read into frozen models.

In this order: one model (`ModelEntry`), the base set and the cells, the panel with its planted items (`PanelEntry`),
the whole build (`BuildConfig`), and the reading of files (`load_config`).

Relative paths are relative to the file. `${NAME}` in a value stands for an environment variable. It is replaced in
memory only, so that stored configurations still hold `${NAME}`. A configuration names the variables of keys and never
holds a key.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from perturb.catalogue.classes import ClassName, unknown_class
from perturb.catalogue.levers import Catalogue, embedded_levers
from perturb.errors import CatalogueError, ConfigError
from perturb.files.resources import data_folder
from perturb.files.yaml_files import Strict, YamlFile, describe_fault
from perturb.llm.client import MAX_REPLY_BYTES, ModelSettings, Price, Transport
from perturb.llm.factory import ExecutorEntry
from perturb.llm.functions import ADDRESS, OwnFunction
from perturb.records import ALL_CELLS, Cell, Depth, Intensity, LeverChoice, taxonomy_place
from perturb.text.wording import Language, counted

Text = Annotated[str, Field(min_length=1, max_length=200)]
"""A text on one line, such as the name of a model."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A name that can also be part of a file name."""

# `${NAME}`, with NAME as group 1.
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# Names of fields that look like secrets. A false alarm costs a rename, a leak costs a key.
_SECRET_WORDS = re.compile(r"api[_-]?key|secret|token$|password|credential|authorization", re.IGNORECASE)
# `//user:password@` and `?api_key=…`; but `?api_key=${NAME}` holds no secret.
_SECRET_ADDRESS = re.compile(r"//[^/@]*@|[?&][^=]*(key|token|secret)[^=]*=(?!\$\{)", re.IGNORECASE)
# Fields of a model entry that `ModelSettings` takes over under the same names.
_AS_WRITTEN = {
    "api_key_env",
    "system",
    "max_connections",
    "rpm",
    "tpm",
    "timeout",
    "max_retries",
    "max_reply_bytes",
    "transport",
}


class PriceEntry(Strict):
    """The price of a model, in USD per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class Covariates(Strict):
    """Facts about a model under test that scores can be compared with. All of them are optional."""

    family: Text | None = None
    size_b: float | None = Field(default=None, gt=0)
    """Parameters, in billions."""
    release: date | None = None
    reasoning_tokens: int | None = Field(default=None, ge=0)
    """The budget of tokens for thinking."""
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
    """The longest readable reply, in bytes."""
    price: PriceEntry | None = None
    json_schema: Literal["auto"] | bool = "auto"
    """Ask for a JSON schema: where litellm knows the model supports it, always, or never."""
    transport: Transport = "auto"
    """The code that makes the calls: litellm, or perturb itself with `direct`, for an OpenAI-compatible server."""

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
            # The parameters enter digests and requests, which are both JSON.
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
        # Settings that have no effect would mislead a reader of the configuration.
        if self.kind != "model" and (
            self.model or self.api_base or self.api_key_env or self.params or self.system
        ):
            raise ValueError(
                f"'{self.name}' is of kind {self.kind} and takes no model, api_base, api_key_env, params or system"
            )
        return self

    def settings(self, *, replayed: bool = False) -> ModelSettings:
        """The settings for `perturb.llm`, with environment variables for `${NAME}` unless the model is replayed.

        Raises `ConfigError` naming a variable that is not set.
        """
        if self.model is None:
            raise ConfigError(f"'{self.name}' is not a model: it is run by the rule engine or a function")
        # YAML reads `on` and `off` as booleans.
        schema = {"auto": "auto", True: "on", False: "off"}[self.json_schema]

        def fill_in(value: Any) -> Any:
            # A replay calls no model, so it must not fail on a variable that only the recording machine had.
            return value if replayed else expand(value, owner=self.name)

        return ModelSettings(
            self.name,
            fill_in(self.model),
            api_base=fill_in(self.api_base),
            params=fill_in(self.params),
            price=Price(self.price.input, self.price.output) if self.price else None,
            json_schema=schema,  # type: ignore[arg-type]
            **self.model_dump(include=_AS_WRITTEN),
        )


class VerifierEntry(ModelEntry):
    """A member of the panel: a model, or one of the offline checks (`kind: rules`, `check: …`)."""

    check: str | None = None
    classes: Annotated[tuple[ClassName, ...], Field(min_length=1)] | None = None
    """The classes that it judges. None means all classes, or all that an offline check can judge."""

    @model_validator(mode="after")
    def _check_fits(self) -> VerifierEntry:
        if (self.kind == "rules") != (self.check is not None):
            raise ValueError(f"'{self.name}': 'check' names an offline check and goes with 'kind: rules'")
        return self


def refuse_secret_address(address: str | None) -> str | None:
    """The unchanged address. Raises `ValueError` if it contains a password or a key."""
    if address is not None and _SECRET_ADDRESS.search(address):
        raise ValueError("the address holds a secret: export it under a NAME and write ${NAME} in a file")
    return address


def expand(value: Any, owner: str) -> Any:
    """Replace `${NAME}` by environment variables, in strings, lists and mappings.

    Raises `ConfigError` if a variable is not set. The error names the variable and the model, which is `owner`.
    """

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise ConfigError(f"model '{owner}': environment variable {name} is not set: export it")
        return os.environ[name]

    if isinstance(value, str):
        return _VARIABLE.sub(replace, value)
    if isinstance(value, Mapping):
        return {key: expand(item, owner) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item, owner) for item in value]
    return value


def _named_secret(value: Any) -> str | None:
    """The first field, at any depth, whose name says that it holds a secret; None if there is no such field."""
    if isinstance(value, list):
        return next(filter(None, map(_named_secret, value)), None)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if _SECRET_WORDS.search(str(key)):
                return str(key)
            if (secret_name := _named_secret(item)) is not None:
                return secret_name
    return None


def own_functions(entries: Sequence[ModelEntry], offered: Sequence[str]) -> dict[str, OwnFunction]:
    """The user's functions among the entries, by name. Raises `ConfigError` if one cannot be called.

    `offered` are the names of the arguments that a function may take.
    """
    return {
        entry.name: OwnFunction(
            entry.function,
            offered,
            f"'{entry.name}': {entry.function}",
            width=entry.max_connections,
            timeout=entry.timeout,
        )
        for entry in entries
        if entry.function is not None
    }


EntryT = TypeVar("EntryT", bound=ModelEntry)


def _distinct(entries: tuple[EntryT, ...], role: str) -> tuple[EntryT, ...]:
    """The unchanged entries. Raises `ValueError` if two of them share a name."""
    names = [entry.name for entry in entries]
    # Names are the keys of ledgers and reports.
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two {role}s are called '{repeated[0]}': give each its own name")
    return entries


def _as_text(value: Any) -> Any:
    """A year or a date as text, since YAML reads them as numbers and dates."""
    # In Python, booleans are integers and moments are dates. Neither is the name of a round.
    is_year_or_date = isinstance(value, int | date) and not isinstance(value, bool | datetime)
    return str(value) if is_year_or_date else value


Round = Annotated[
    Text, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "integer"], "maxLength": 200})
]
"""The name of a round, which is often a year or a date."""


class BaseSetEntry(Strict):
    """The source of the base instances: a file, an embedded demo set, or a function (`kind: python`)."""

    kind: Literal["python"] | None = None
    function: str | None = Field(default=None, pattern=rf"^{ADDRESS.pattern}$")
    """A reader of your own, `package.module:function`; it is called with `path`, if that is given."""
    path: Path | None = None
    demo: str | None = None
    format: str = "auto"
    limit: int | None = Field(default=None, ge=1)
    columns: dict[str, str] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Our field → the column of a table that has another name: `{context: passage}`."""
    language: Language | None = None
    """The language of instances for which the set gives none; English by default."""

    @model_validator(mode="after")
    def _one_source(self) -> BaseSetEntry:
        if (self.kind == "python") != (self.function is not None):
            raise ValueError("'function' names a reader of your own and goes with 'kind: python'")
        if self.function is not None and self.demo is None:
            return self
        if (self.path is None) == (self.demo is None):
            raise ValueError("give either 'path' (a file) or 'demo' (the name of an embedded set)")
        return self


class CellEntry(Strict):
    """One cell of the taxonomy, as written under `cells`."""

    perturbation_class: ClassName = Field(alias="class")
    intensity: Intensity


# Planted items have labels that are known, and the panel votes on them without knowing. Their *origin* is `mechanical`
# (a fault made by rule), `written` (a fault written by a generator) or `right` (an embedded item without a fault).

PLANTED_FROM = 200
"""Rounds with fewer planned jobs plant nothing by default."""
# Fewer than 24 faults give intervals too wide to be of use, and would be too large a part of a small round.
LEAST_PLANTED = 24
PLANTED_SHARE = 0.05
"""The number of faults made by rule, as a share of the planned jobs."""
RIGHT_SHARE = 0.01
"""The number of right items, as a share of the planned jobs."""
LEAST_RIGHT, MOST_RIGHT = 18, 54
"""The number of right items: at least one for each of the 18 cells, and at most the 54 that are embedded."""


class PlantedEntry(Strict):
    """How many items with known labels the panel votes on."""

    mechanical: Literal["auto"] | Annotated[int, Field(ge=0, le=5000)] = "auto"
    """Faults made by rule: a number, or 5 % of the jobs (24 at least) in rounds of 200 jobs or more."""
    written: int = Field(default=0, ge=0, le=5000)
    """Faults that the round's generators write."""

    def numbers(self, jobs: int) -> dict[str, int]:
        """How many items of each origin a round with this number of planned jobs plants.

        >>> PlantedEntry(written=24).numbers(270)
        {'mechanical': 24, 'written': 24, 'right': 18}
        """
        by_default = max(LEAST_PLANTED, round(PLANTED_SHARE * jobs)) if jobs >= PLANTED_FROM else 0
        mechanical = by_default if self.mechanical == "auto" else self.mechanical
        right = min(MOST_RIGHT, max(LEAST_RIGHT, round(RIGHT_SHARE * jobs)))
        # Right items alone would measure only how many good items the panel rejects.
        has_faults = mechanical + self.written > 0
        return {"mechanical": mechanical, "written": self.written, "right": right if has_faults else 0}


Planted = Literal["auto"] | Annotated[int, Field(ge=0, le=5000)] | PlantedEntry
"""What a panel may give under `planted`: a number means faults made by rule."""


class PanelEntry(Strict):
    """The voting verifiers, and the rule by which their votes decide."""

    name: Name = "panel"
    file: Path | None = Field(default=None, exclude_if=lambda value: value is None)
    """A panel file, which gives all other fields except `planted`."""
    planted: Planted = Field(default="auto", exclude_if=lambda value: value == "auto")
    """How many items with known labels the panel votes on without knowing."""
    consensus: Literal["unanimous", "k_of_n", "certified"] = "unanimous"
    """Under `certified`, the votes on planted items choose the cheapest rule for each class that meets the `target`."""
    target: float | None = Field(default=None, gt=0, lt=1, exclude_if=lambda value: value is None)
    """Under `certified`: the highest share of wrong labels."""
    k: int | None = Field(default=None, ge=1)
    """Under `k_of_n`: how many verifiers must pass a candidate."""
    schedule: Literal["full", "economy"] = "full"
    """Under `economy`, a candidate gets no further votes once the decision is certain."""
    audit_fraction: float = Field(default=0.1, ge=0, le=1)
    """Share of candidates that get every vote under the economy schedule."""
    verifiers: Annotated[tuple[VerifierEntry, ...], AfterValidator(partial(_distinct, role="verifier"))] = (
        Field(default=(), min_length=1)
    )

    @model_validator(mode="after")
    def _consistent(self) -> PanelEntry:
        if self.file is not None and (other_fields := self.model_fields_set - {"file", "planted"}):
            raise ValueError(
                f"'{min(other_fields)}' stands in the panel file: beside 'file' only 'planted' may stand"
            )
        if self.file is None and not self.verifiers:
            raise ValueError("name the 'verifiers', or a panel 'file'")
        if (self.consensus == "k_of_n") != (self.k is not None):
            raise ValueError("'k' goes with 'consensus: k_of_n': give both or neither")
        if (self.consensus == "certified") != (self.target is not None):
            raise ValueError("'target' goes with 'consensus: certified': give both or neither")
        if self.consensus == "certified" and self.planted == 0:
            raise ValueError("'consensus: certified' rests on planted items: give a number under 'planted'")
        if self.k is not None and self.k > len(self.verifiers):
            raise ValueError(f"'k' is {self.k}, but the panel has {counted(len(self.verifiers), 'verifier')}")
        return self

    @property
    def planting(self) -> PlantedEntry:
        """`planted` as an entry."""
        if isinstance(self.planted, PlantedEntry):
            return self.planted
        return PlantedEntry(mechanical=self.planted)

    @property
    def plants_by_default(self) -> bool:
        """Whether the configuration leaves the number open. Then a run that began without planted items gets none."""
        return self.planted == "auto"

    @property
    def needed(self) -> int:
        """How many passes accept a candidate."""
        # Without `k`, all members must pass a candidate. Certified rules replace this for their classes.
        return self.k if self.k is not None else len(self.verifiers)


class SelectEntry(Strict):
    """How rows are drawn from the accepted candidates."""

    strategy: Literal["balanced", "natural", "hard"] = "balanced"
    """`balanced` draws the same number for every generator, `natural` takes all, `hard` draws what solvers fail."""
    per_generator: int = Field(default=400, ge=1)
    """The number of rows from each generator."""
    min_per_cell: int = Field(default=22, ge=0)
    """The least number of rows of each generator in each cell; 22 in 18 cells are 396 of 400 rows."""
    at_least: float = Field(default=0.5, gt=0, le=1)
    """Under `hard`: the share of the solvers that must fail an item."""
    controls: bool = Field(default=False, validation_alias=AliasChoices("controls", "twins"))
    """Export the unperturbed original of each row beside it; `twins` is the former name."""
    shortcuts: bool = False
    """Measure how well baselines guess labels from a part of a row, for the card."""


def _as_executor(value: Any) -> Any:
    # `executor: ray` is short for `executor: {kind: ray}`.
    return {"kind": value} if isinstance(value, str) else value


class _KindAlone:
    """Lets the JSON schema accept the kind of an executor alone: `executor: ray`.

    `_as_executor` accepts it too, but pydantic does not see that in the schema. It calls the hook below to write it.
    """

    @staticmethod
    def __get_pydantic_json_schema__(core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        entry = handler(core)
        return {"anyOf": [{"enum": ["local", "processes", "ray"]}, entry]}


# "cell >= 22", with the number as group 1.
_QUOTA_RULE = re.compile(r"\s*cell\s*>=\s*([1-9]\d{0,5})\s*")


def read_quota(text: str) -> int:
    """How many accepted items each generator needs in each cell. Raises `ValueError` if the text is not a rule.

    >>> read_quota("cell >= 22")
    22
    """
    match = _QUOTA_RULE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a rule: write 'cell >= N', as in 'cell >= 22'")
    return int(match.group(1))


def _check_quota(text: str) -> str:
    """The rule in one spelling, so that blanks do not make another configuration."""
    return f"cell >= {read_quota(text)}"


QuotaRule = Annotated[str, AfterValidator(_check_quota)]
"""A rule in the form that a configuration uses: `cell >= 22`."""


class DifficultyEntry(Strict):
    """Models that answer every accepted item, to measure how hard it is."""

    solvers: Annotated[tuple[ModelEntry, ...], AfterValidator(partial(_distinct, role="solver"))] = Field(
        min_length=1
    )
    judge: ModelEntry
    """The model that classifies the solvers' replies."""
    prompt: Text = "plain"
    """How solvers are asked: `plain`, `codes`, or a template file."""
    samples: int = Field(default=2, ge=1, le=100)
    """Replies of each solver to each item."""
    harden: int = Field(default=0, ge=0, le=2)
    """How often an item that all solvers master goes back to its generator for a quieter attempt."""

    @field_validator("solvers", "judge")
    @classmethod
    def _models_only(cls, value: Any) -> Any:
        for entry in value if isinstance(value, tuple) else (value,):
            if entry.kind != "model":
                raise ValueError(
                    f"'{entry.name}' is of kind {entry.kind}: solvers and their judge are models"
                )
        return value


def _check_shares(value: dict[Depth, float]) -> dict[Depth, float]:
    # Shares such as three times 0.333333 do not add up exactly.
    if abs(sum(value.values()) - 1) > 1e-6:
        raise ValueError("the shares must add up to 1, as in {open: 0.5, deep: 0.5}")
    return value


DepthShares = Annotated[
    dict[Depth, Annotated[float, Field(ge=0, le=1)]], Field(min_length=1), AfterValidator(_check_shares)
]
"""Depth -> the share of a model's jobs with this depth."""


HiddenDepth = Literal["quiet", "deep"]
"""A depth other than `open`."""


def _all_open() -> dict[Depth, float]:
    """The shares in the paper, where no flaw is hidden."""
    return {"open": 1.0}


class BuildConfig(Strict):
    """Everything `perturb build` needs to know."""

    name: Name
    round: Round
    seed: int = 0
    base_set: BaseSetEntry
    levers: tuple[Path, ...] = ()
    """Folders with extra levers."""
    avoid: tuple[Text, ...] = ()
    """Earlier rounds that no item may repeat: snapshot folders, tables, or `hub:OWNER/NAME[@TAG]`."""
    cells: Literal["all"] | tuple[CellEntry, ...] = "all"
    replicates: int = Field(default=1, ge=1, le=1000)
    lever_choice: LeverChoice = "covering"
    """Which levers a model is offered, see `LeverChoice`."""
    depth: DepthShares = Field(default_factory=_all_open)
    """How well flaws are hidden: the shares of `open`, `quiet` and `deep` among the jobs of each model and cell."""
    generators: Annotated[tuple[ModelEntry, ...], AfterValidator(partial(_distinct, role="generator"))] = (
        Field(min_length=1)
    )
    panel: PanelEntry | Path
    select: SelectEntry = SelectEntry()
    note: Text | None = None
    """A note for the card on how the data set was made."""
    difficulty: DifficultyEntry | None = None
    """Ask solvers about every accepted item; None leaves it out."""
    budget_usd: float | None = Field(default=None, gt=0)
    until: QuotaRule | None = None
    """Stop once each cell of each generator has enough accepted items: `cell >= 22`."""
    executor: Annotated[ExecutorEntry, BeforeValidator(_as_executor), _KindAlone()] = ExecutorEntry()

    @field_validator("panel", mode="before")
    @classmethod
    def _file_or_inline(cls, value: Any) -> Any:
        if not isinstance(value, str | Path | Mapping | PanelEntry):
            raise ValueError("give the path of a panel file, or the panel itself")
        return Path(value) if isinstance(value, str) else value

    @field_validator("cells")
    @classmethod
    def _some_cells(cls, value: Any) -> Any:
        if not value:
            raise ValueError("name at least one cell, or write 'all'")
        return value

    @field_validator("select")
    @classmethod
    def _quota_fits(cls, value: SelectEntry, info: ValidationInfo) -> SelectEntry:
        cells = info.data.get("cells", "all")
        # Classes of the user add cells, which `with_own_cells` checks once they are known.
        _refuse_high_floors(value, len(ALL_CELLS if cells == "all" else set(cells)))
        return value

    @property
    def verifiers(self) -> tuple[VerifierEntry, ...]:
        """The members of the panel (resolved)."""
        return self.resolved_panel.verifiers

    @property
    def resolved_panel(self) -> PanelEntry:
        """The panel, once `load_config` has read its file."""
        if isinstance(self.panel, PanelEntry) and self.panel.file is None:
            return self.panel
        raise ConfigError(
            f"panel file {self._panel_file} is not resolved: load the configuration with load_config"
        )

    @property
    def _panel_file(self) -> Path | None:
        return self.panel if isinstance(self.panel, Path) else self.panel.file

    @property
    def quota(self) -> int | None:
        """How many accepted items each generator needs in each cell; None without `until`."""
        return None if self.until is None else read_quota(self.until)

    @property
    def hidden_depths(self) -> tuple[HiddenDepth, ...]:
        """The depths other than `open` that some jobs have."""
        hidden: tuple[HiddenDepth, ...] = ("quiet", "deep")
        return tuple(depth for depth in hidden if self.depth.get(depth))

    @property
    def chosen_cells(self) -> tuple[Cell, ...]:
        """The cells of the build, in the order of the taxonomy."""
        if self.cells == "all":
            return ALL_CELLS
        chosen = {Cell(cell.perturbation_class, cell.intensity) for cell in self.cells}
        return tuple(sorted(chosen, key=lambda cell: taxonomy_place(str(cell))))

    def to_yaml(self) -> str:
        """The resolved configuration for storage: without keys, and with `${NAME}` not replaced."""
        content = self.model_dump(mode="json", by_alias=True)
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)


def load_config(path: Path) -> BuildConfig:
    """Read a build configuration, resolve its paths and read its panel file.

    Raises `ConfigError` with file, line and field.
    """
    file = YamlFile(path)
    written = file.parse(BuildConfig)
    config = resolve(written, path.parent)
    try:
        catalogue = Catalogue.load(config.levers)
    except CatalogueError:
        return config  # a missing folder of levers is reported later, when the build is planned
    for field_path, message in _unknown_classes(config, catalogue):
        panel_file = written._panel_file
        if field_path[0] == "panel" and panel_file is not None:
            # The panel has its own file, so the fault is there and not in build.yaml.
            panel_path = field_path[1:]
            panel_yaml = YamlFile(_panel_path(panel_file, path.parent))
            raise panel_yaml.fault(panel_path, describe_fault(panel_path, "", message))
        raise file.fault(field_path, describe_fault(field_path, "", message))
    return config


def current_round() -> str:
    """The name of a round that begins today: its quarter, as in `2026-Q4`."""
    today = date.today()
    return f"{today.year}-Q{(today.month + 2) // 3}"


def default_config() -> BuildConfig:
    """The offline default: the embedded demo set, the rule engine and the offline panel."""
    return load_config(data_folder("base_sets") / "demo.build.yaml")


def recorded_config(name: str = "recorded") -> BuildConfig:
    """The configuration of a round whose replies are embedded. All of its models are contexts of one language model."""
    return load_config(data_folder("base_sets") / f"{name}.build.yaml")


def resolve(config: BuildConfig, folder: Path) -> BuildConfig:
    """Join the configuration's relative paths to `folder` and read its panel file."""
    base_set = config.base_set
    if base_set.path is not None:
        base_set = base_set.model_copy(update={"path": folder / base_set.path})
    panel = config.panel
    if isinstance(panel, Path):
        panel = load_panel(panel, folder)
    elif panel.file is not None:
        panel = load_panel(panel.file, folder).model_copy(update={"planted": panel.planted})
    # A folder of the user goes before an embedded one with the same name.
    levers = tuple(
        lever if embedded_levers(lever) and not (folder / lever).is_dir() else folder / lever
        for lever in config.levers
    )
    avoid = tuple(
        round_path if round_path.startswith("hub:") else str(folder / round_path)
        for round_path in config.avoid
    )
    changes = {"base_set": base_set, "panel": panel, "levers": levers, "avoid": avoid}
    difficulty = config.difficulty
    if difficulty is not None and difficulty.prompt.endswith(".j2"):
        template_path = str(folder / difficulty.prompt)
        changes["difficulty"] = difficulty.model_copy(update={"prompt": template_path})
    return config.model_copy(update=changes)


def with_own_cells(config: BuildConfig, catalogue: Catalogue) -> BuildConfig:
    """The configuration with a list of all cells instead of `cells: all`, if the user has own classes.

    Raises `ConfigError` for a class that is not in the catalogue.
    """
    for field_path, message in _unknown_classes(config, catalogue):
        raise ConfigError(describe_fault(field_path, "", message))
    if config.cells != "all" or not catalogue.own_classes:
        return config
    try:
        _refuse_high_floors(config.select, len(catalogue.cells))
    except ValueError as error:
        raise ConfigError(f"select: {error}") from None
    all_cells = tuple(
        CellEntry(perturbation_class=cell.perturbation_class, intensity=cell.intensity)
        for cell in catalogue.cells
    )
    return config.model_copy(update={"cells": all_cells})


def _unknown_classes(
    config: BuildConfig, catalogue: Catalogue
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the field of each class that is not in the catalogue, with a message."""
    named_classes: list[tuple[tuple[str | int, ...], str]] = [
        (("cells", number, "class"), cell.perturbation_class)
        for number, cell in enumerate(() if config.cells == "all" else config.cells)
    ]
    named_classes += [
        (("panel", "verifiers", number, "classes", position), name)
        for number, verifier in enumerate(config.verifiers)
        for position, name in enumerate(verifier.classes or ())
    ]
    for field_path, name in named_classes:
        if name not in catalogue.classes:
            yield field_path, f"there is no class {name}: {unknown_class(name, catalogue.classes)}"


def _refuse_high_floors(select: SelectEntry, cells: int) -> None:
    """Raise `ValueError` if the least numbers of rows of all cells add up to more rows than are selected."""
    needed_rows = select.min_per_cell * cells
    if select.strategy != "natural" and select.per_generator < needed_rows:
        raise ValueError(
            f"the floors of all cells need {needed_rows} rows, but per_generator is {select.per_generator}: "
            "raise it or lower min_per_cell"
        )


def load_panel(path: Path, folder: Path) -> PanelEntry:
    """Read a panel file, relative to `folder`. `verifiers/NAME.yaml` also finds embedded panels."""
    panel_path = _panel_path(path, folder)
    panel = YamlFile(panel_path).parse(PanelEntry)
    return panel if "name" in panel.model_fields_set else panel.model_copy(update={"name": panel_path.stem})


def _panel_path(path: Path, folder: Path) -> Path:
    """The panel file at a path relative to `folder`, or the embedded panel of that name."""
    embedded = data_folder("verifiers") / path.name
    panel_path = folder / path
    # The user's file goes before the embedded panel.
    if not panel_path.exists() and path.parent in (Path("verifiers"), Path()) and embedded.exists():
        panel_path = embedded
    if not panel_path.exists():
        names = ", ".join(sorted(file.stem for file in embedded.parent.glob("*.yaml")))
        raise ConfigError(f"{panel_path}: no such panel file: check the path (embedded panels: {names})")
    return panel_path
