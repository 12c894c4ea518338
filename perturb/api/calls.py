"""Turns the arguments of the functions of `perturb` into configurations and plans, and runs them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from perturb.api.runs import QuestionRun, Run, path_of, run_of
from perturb.building.run import build
from perturb.config import BuildConfig, current_round, default_config, load_config, recorded_config, resolve
from perturb.curation.base_sets import BaseSet, embedded_path
from perturb.curation.hub import PREFIX, HubSource
from perturb.curation.source import PLAIN, SourceRequest, load_recipe, read_by_function
from perturb.errors import ConfigError, SnapshotError, SourceError
from perturb.evaluation.loading import read_questions
from perturb.evaluation.models_under_test import ModelNames, ModelsFile
from perturb.evaluation.question_writing import curate_source
from perturb.evaluation.reading import JudgeRule
from perturb.evaluation.run import QuestionPlan, TaskMaker, ask_questions
from perturb.files.resources import demo_recording
from perturb.files.yaml_files import Strict, parse_content
from perturb.llm.client import BatchLimits
from perturb.llm.factory import ExecutorEntry
from perturb.llm.functions import ADDRESS, name_function
from perturb.llm.recording import Replay, read_recording
from perturb.records import Facts, JobOutcome, JsonObject
from perturb.runtime import call
from perturb.snapshots.snapshot import Snapshot
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class BuildCall:
    """The arguments of a build that decide its configuration, from Python or the command line."""

    config: BuildConfig | Facts | str | PathLike[str] | None
    changes: Facts
    base_set: Any
    generators: Sequence[Any] | None
    verifiers: Sequence[Any] | None
    api_base: str | None = None
    """The server of models without an `api_base`."""

    @property
    def is_bare(self) -> bool:
        """Whether no argument is given, which means the embedded round."""
        arguments = (self.config, self.base_set, self.generators, self.verifiers)
        return not self.changes and all(argument is None for argument in arguments)

    def resolve(self, out: Path) -> BuildConfig:
        """The configuration. A base set in memory is written into the folder of the run."""
        content = dict(self._content())
        base_set = self.base_set
        if callable(base_set):
            base_set = read_by_function(name_function(base_set))
        if self.config is None:
            content |= self._default_names(base_set, out)
        content |= self.changes
        content |= self._models()
        if base_set is not None:
            # The folder of the run is known only after all names are settled.
            content["base_set"] = base_set_entry(base_set, out / str(content.get("name", "run")))
        return resolve(parse_content(content, BuildConfig), Path())

    def _models(self) -> JsonObject:
        """The fields of the configuration for the generators and verifiers that were named."""
        check_list("generators", self.generators)
        check_list("verifiers", self.verifiers)
        generators, verifiers = self.generators or (), self.verifiers or ()
        # Generators and verifiers together, so that a model in both roles gets one name.
        entries = model_entries([*generators, *verifiers])
        if self.api_base is not None:
            entries = [
                {"api_base": self.api_base, **entry} if "model" in entry else entry for entry in entries
            ]
        fields: JsonObject = {}
        if self.generators is not None:
            fields["generators"] = entries[: len(generators)]
        if self.verifiers is not None:
            fields["panel"] = {"verifiers": entries[len(generators) :]}
        return fields

    def _default_names(self, base_set: Any, out: Path) -> Facts:
        """The names of the run and its round: the run is named after its base set, the round after the quarter.

        A run that is resumed keeps its round. A run of the rule engine alone on an embedded set is a demo and keeps
        the round of the demo.
        """
        names = {}
        is_embedded = base_set is None
        if isinstance(base_set, BaseSet):
            names["name"] = as_name(base_set.name)
        elif base_set is not None:
            entry = base_set_entry(base_set, out)
            source = entry.get("path") or entry.get("demo") or entry.get("function")
            names["name"] = as_name(Path(str(source)).stem)
            is_embedded = bool(entry.get("demo"))
        if is_embedded and self.generators is None and self.verifiers is None:
            return names
        name = self.changes.get("name") or names.get("name") or default_config().name
        names["round"] = current_round()
        # A run that was begun in the last quarter goes on under the name of that round.
        with suppress(ConfigError):
            names["round"] = load_config(out / str(name) / "build.yaml").round
        return names

    def _content(self) -> Facts:
        config = default_config() if self.config is None else self.config
        if isinstance(config, Mapping):
            return config
        loaded = config if isinstance(config, BuildConfig) else load_config(Path(config))
        return loaded.model_dump(by_alias=True)


def run_build(
    arguments: BuildCall, out: Path, replay: Path | None, fill: bool, retry_unparsed: bool, **options: bool
) -> Run:
    """Build and return the run; `options` are those of `building.run.build`."""
    if fill and replay is None:
        raise ConfigError("fill goes with replay: name the file of replies, or leave it out")
    embedded = demo_recording("recorded") if arguments.is_bare and replay is None else None
    config = recorded_config() if embedded is not None else arguments.resolve(out)
    replies = replay or embedded
    recorded = None if replies is None else Replay(read_recording(replies), fill)
    retry = frozenset({JobOutcome.UNPARSED} if retry_unparsed else ())
    report = build(config, out / config.name, retry=retry, replay=recorded, **options)
    return run_of(Run, report)


@dataclass(frozen=True, slots=True)
class ModelArguments:
    """The arguments that are common to all functions that ask models under test."""

    models: Sequence[Any]
    judge: Any
    replay: Any
    executor: str
    batch: bool | Mapping[str, float]
    judge_rule: JudgeRule | None
    wait: bool
    out: str | PathLike[str] | None
    budget_usd: float | None

    def plan(self, source: Any, kind: str) -> JsonObject:
        """The fields that all plans have: models and judges, or recorded replies, and options. Raises `ConfigError`.

        Without `source` and models, the embedded replies are used.
        """
        check_list("models", self.models)
        judges = self.judge or ()
        if not isinstance(judges, list | tuple):
            judges = [judges]
        # A name is resolved later; entries and functions are checked now, with the rules of a models file.
        not_names = model_entries(model for model in (*self.models, *judges) if not isinstance(model, str))
        entries = {entry.get("name"): entry for entry in not_names}
        parsed = parse_content({"models": list(entries.values())}, ModelsFile).models if entries else ()
        is_bare = source is None and not self.models
        file = self.replay or (demo_recording(kind) if is_bare else None)
        return {
            "models": tuple(map(_model_name, self.models)),
            "judges": tuple(map(_model_name, judges)),
            "judge_rule": self.judge_rule,
            "names": ModelNames(entries={entry.name: entry for entry in parsed}),
            "replay": None if file is None else Replay(read_recording(Path(file)), False),
            "out": None if self.out is None else Path(self.out),
            "budget_usd": self.budget_usd,
            **run_options(self.executor, self.batch, self.wait),
        }


def run_options(executor: str, batch: bool | Mapping[str, float], wait: bool) -> JsonObject:
    """The fields of `RunOptions` that say where and how calls are made. Raises `ConfigError`."""
    kind = parse_content({"kind": executor}, ExecutorEntry)
    return {"executor": kind, "batch": batch_limits(batch), "wait": wait}


def batch_limits(batch: bool | Mapping[str, float]) -> BatchLimits | None:
    """The limits of batches, as Python code gives them. Raises `ConfigError`.

    >>> batch_limits({"rows": 500}).max_rows
    500
    """
    if not isinstance(batch, Mapping):
        return BatchLimits() if batch else None
    limits = parse_content(batch, _Batches)
    return BatchLimits(max_rows=limits.rows, first_poll=limits.poll)


class _Batches(Strict):
    rows: int = Field(default=10_000, ge=1, le=50_000)
    poll: float = Field(default=15.0, ge=0.01)


def model_entry(model: Any) -> JsonObject:
    """The entry of a model in a configuration: `openai/gpt-4o` becomes an entry called `gpt-4o`.

    >>> model_entry("openai/gpt-4o")
    {'name': 'gpt-4o', 'model': 'openai/gpt-4o'}
    >>> model_entry("my.module:writer")
    {'kind': 'python', 'name': 'my.module-writer', 'function': 'my.module:writer'}
    """
    if isinstance(model, str):
        if ADDRESS.fullmatch(model):
            return {"kind": "python", "name": as_name(model), "function": model}
        return {"name": as_name(model.rsplit("/", 1)[-1]), "model": model}
    if callable(model):
        model = {"function": model}
    if not isinstance(model, Mapping):
        raise ConfigError(f"{model!r:.80} is not a model: give a name, an entry or a function")
    entry = dict(model)
    if callable(function := entry.get("function")):
        address = name_function(function)
        entry = {"name": as_name(getattr(function, "__name__", "function")), **entry, "function": address}
    return {"kind": "python", **entry} if "function" in entry else entry


def model_entries(models: Iterable[Any]) -> list[JsonObject]:
    """The entries of models. Raises `ConfigError` for two functions with the same address.

    >>> [entry["name"] for entry in model_entries(["openai/gpt-4o", "azure/gpt-4o", "openai/gpt-4o", "x/other"])]
    ['openai-gpt-4o', 'azure-gpt-4o', 'openai-gpt-4o', 'other']
    """
    models = list(models)
    different_names = {model for model in models if isinstance(model, str)}
    # The same model may have several roles. Only different models may not share a name.
    uses = Counter(str(model_entry(name).get("name")) for name in different_names)
    functions: JsonObject = {}
    entries = []
    for model in models:
        entry = model_entry(model)
        if isinstance(model, str) and uses[entry["name"]] > 1:  # the short name would stand for two models
            entry["name"] = as_name(model)
        function = model.get("function") if isinstance(model, Mapping) else model
        if callable(function):
            first_of_name = functions.setdefault(entry["function"], function)
            if first_of_name is not function:
                raise ConfigError(f"two functions are called '{entry['function']}': give each its own name")
        entries.append(entry)
    return entries


def check_list(argument: str, models: Any) -> None:
    """Reject a single model instead of a list. A string would be read as a list of its letters."""
    if isinstance(models, str | Mapping) or callable(models):
        raise ConfigError(f"{argument}: give a list, even for one model")


def as_name(text: str) -> str:
    """A text as the name of a model or a run.

    >>> as_name("Qwen3 8B (local)")
    'Qwen3-8B-local'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:64] or "unnamed"


def base_set_entry(base_set: Any, run: Path) -> Any:
    """The entry of a base set. One in memory is written into the folder of the run, in a file named by its digest."""
    if isinstance(base_set, BaseSet):
        file = run / f"base_set-{base_set.digest[:8]}.jsonl"
        return {"path": base_set.write(file).absolute(), "format": "jsonl"}
    if isinstance(base_set, Mapping):
        return base_set
    # A path is made absolute, since the configuration is stored and read from another folder.
    if Path(base_set).suffix or Path(base_set).exists():
        return {"path": Path(base_set).absolute()}
    return {"demo": Path(embedded_path(str(base_set))).stem}


def source_name(snapshot: Any) -> str:
    """The name of a snapshot for `ItemSource`."""
    if isinstance(snapshot, Run):
        snapshot = snapshot.snapshot
        if snapshot is None:
            raise SnapshotError(
                "the run has no snapshot, so there is nothing to evaluate or publish: see its warnings"
            )
    return str(snapshot.folder if isinstance(snapshot, Snapshot) else snapshot)


def _model_name(model: Any) -> str:
    return model if isinstance(model, str) else str(model_entry(model).get("name"))


class HubPart(NamedTuple):
    """The part of a data set on the Hub, and the names of its columns, as `HubSource.named` takes them."""

    subset: str | None
    split: str | None
    columns: Mapping[str, str] | None


def curate_base_set(
    source: str,
    on_hub: HubPart,
    out: Path,
    recipe: str | PathLike[str] | None,
    models: Facts,
    **options: Any,
) -> BaseSet:
    """Curate a source and return the base set. Raises `PerturbError`s.

    `models` are arguments of `perturb.evaluation.question_writing.curate_source`, `options` fields of the request.
    """
    opened: Path | HubSource = Path(source)
    columns = on_hub.columns
    if source.startswith(PREFIX):
        opened = HubSource.named(source, *on_hub)
        columns = None  # they are part of the source now
    elif on_hub.subset or on_hub.split:
        raise SourceError(f"{source}: subset and split go with {PREFIX}OWNER/NAME: leave them out")
    elif Path(source).resolve() == out.resolve():
        raise SourceError(f"{out}: is the source itself: choose another name")
    loaded_recipe = PLAIN if recipe is None else load_recipe(str(recipe))
    request = SourceRequest(opened, recipe=loaded_recipe, columns=columns or {}, **options)
    curation, _ = curate_source(request, out, **models)
    written = BaseSet.read(out, "jsonl")
    return replace(written, warnings=(*_left_out(curation.report), *written.warnings))


def _left_out(report: Facts) -> Iterator[str]:
    for entry in report["left_out"]:
        if entry["count"]:
            yield f"{entry['step']}: {counted(entry['count'], 'record')} left out: {entry['reason']}"
    for missed in report["shortfalls"]:
        yield f"short: {missed['domain'] or 'all'}: {missed['got']} of {missed['wanted']}"


class QuestionDraw(NamedTuple):
    """The format of a set of questions, and how many of them are drawn."""

    form: str
    limit: int | None
    seed: int


@contextmanager
def tables_to_score(
    kind: Literal["refusal-index", "bas"],
    source: Any,
    arguments: ModelArguments,
    make_task: TaskMaker,
    draw: QuestionDraw,
    progress: bool,
) -> Iterator[tuple[list[Path], QuestionRun | None]]:
    """The tables of `source`; or, where models are asked, the folder of the run, and the run.

    The caller scores the tables within the block. If nothing can be scored, the error begins with the first warning of
    the run, which is the likely cause.
    """

    def ask() -> QuestionRun:
        if not isinstance(source, str | PathLike | None):
            raise ConfigError("source: name one set of questions where models are asked")
        questions = None
        if source is not None:
            questions = read_questions(str(source), draw.form).draw(draw.limit, draw.seed)
        fields = arguments.plan(source, kind)
        plan = QuestionPlan(kind=kind, questions=questions, make_task=make_task, **fields)
        report = ask_questions(plan, progress=progress)
        return run_of(QuestionRun, report)

    # Without a source, the embedded replies are scored.
    asks_models = source is None or bool(arguments.models) or arguments.replay is not None
    run = call(ask) if asks_models else None
    # A text is iterable too, but it is one path.
    sources = source if isinstance(source, Iterable) and not isinstance(source, str) else [source]
    try:
        yield [run.folder] if run else [path_of(table) for table in sources], run
    except SourceError as error:
        if run is None or not run.warnings:
            raise
        raise SourceError(f"{run.warnings[0]} ({error})") from None
