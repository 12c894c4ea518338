"""Plans a build: reads what the configuration names, and fixes everything that decides the jobs and their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from perturb.building.generate import GENERATOR_PARAMETERS
from perturb.building.jobs import PlanSettings, plan_digest, plan_jobs
from perturb.building.panel import Panel, classes_judged, refuse_unjudged_classes, refuse_unknown_checks
from perturb.building.solvers import SolverPlan, other_roles
from perturb.building.verify import VERIFIER_PARAMETERS
from perturb.catalogue.classes import Judges
from perturb.catalogue.levers import Catalogue
from perturb.catalogue.prompts import PromptKind, Prompts, folder_version, prompt_kind
from perturb.config import (
    BaseSetEntry,
    BuildConfig,
    HiddenDepth,
    ModelEntry,
    VerifierEntry,
    own_functions,
    with_own_cells,
)
from perturb.curation.base_sets import BaseSet, embedded_path, load_base_set
from perturb.curation.source import read_by_function
from perturb.errors import ConfigError, RecordingError
from perturb.files.resources import code_version, digest
from perturb.ledger.ends import Place
from perturb.ledger.plans import CurrentPlan, Ledger, instance_key
from perturb.ledger.queries import StageCounts
from perturb.llm.client import ModelSettings
from perturb.llm.functions import OwnFunction
from perturb.llm.recording import Recording, Replay
from perturb.records import BaseInstance, Job, PerturbationClass, taxonomy_place
from perturb.snapshots.card import ExportedReplies
from perturb.snapshots.freshness import PriorRounds
from perturb.text.wording import ENGLISH, is_english, language_with_code, listed

if TYPE_CHECKING:
    from perturb.building.offline.engine import DonorTable


NO_SOLVERS = "strategy hard now needs difficulty.solvers; use balanced"
"""The message if hard items are to be selected, but no solver tells which items are hard."""


@dataclass(frozen=True)
class BuildPlan:
    """A build, ready to run.

    Three digests say what changes with the configuration:

    - A job's id changes with its instance, cell, offered levers and generator (`_generator_fingerprint`).
    - The digest of the panel changes with its verifiers (`_verifier_fingerprint`) and rules. Then votes are asked anew.
    - The digest of the plan changes with its jobs. Then the plan is a new one in the ledger.
    """

    config: BuildConfig
    catalogue: Catalogue
    prompts: Prompts
    base_set: BaseSet
    generator_settings: Mapping[str, ModelSettings]
    """Settings of the generators that are models, by name."""
    verifier_settings: Mapping[str, ModelSettings]
    """Settings of the verifiers that are models, by name."""
    prior_rounds: PriorRounds | None = None
    """The earlier rounds whose items must not be repeated, if the configuration names any."""
    replay: Replay | None = None
    """Recorded replies, which answer instead of models. Models may fill gaps if the replay allows it."""

    @cached_property
    def instances(self) -> tuple[tuple[str, BaseInstance], ...]:
        """Content key and base instance, in the order of the base set."""
        return tuple((instance_key(instance), instance) for instance in self.base_set.instances)

    @property
    def instances_by_id(self) -> dict[str, BaseInstance]:
        """Base instances by their ids."""
        return {instance.id: instance for instance in self.base_set.instances}

    @property
    def asks_models(self) -> bool:
        """Whether models may be called: not if all replies come from a recording."""
        return self.replay is None or self.replay.fill

    @property
    def exported_replies(self) -> ExportedReplies | None:
        """The file that all replies come from; None if models may be asked."""
        if self.replay is None or self.replay.fill:
            return None
        recording = self.replay.recording
        return ExportedReplies(recording.path, recording.digest, len(recording))

    @property
    def model_settings(self) -> list[ModelSettings]:
        """The settings of all models of the build: generators, verifiers, solvers and their judge."""
        settings = [*self.generator_settings.values(), *self.verifier_settings.values()]
        if self.solvers is not None:
            settings += [*self.solvers.settings.values(), self.solvers.judge]
        return settings

    @cached_property
    def prompt_kinds(self) -> tuple[PromptKind, ...]:
        """The kinds of prompts that the base set needs."""
        kinds = {prompt_kind(instance) for instance in self.base_set.instances}
        return tuple(kind for kind in ("single", "several") if kind in kinds)

    @cached_property
    def job_settings(self) -> PlanSettings:
        """The settings that the jobs are planned from."""
        config = self.config
        return PlanSettings(
            round=config.round,
            seed=config.seed,
            cells=config.chosen_cells,
            replicates=config.replicates,
            generators=self._generator_fingerprints("single"),
            lever_choice=config.lever_choice,
            rule_engines=frozenset(entry.name for entry in config.generators if entry.kind == "rules"),
            generators_of_several=self._generator_fingerprints("several")
            if "several" in self.prompt_kinds
            else {},
            language_version=self._language_versions,
            depth_shares=config.depth,
            hiding_generators={depth: self._hidden_fingerprints(depth) for depth in config.hidden_depths},
        )

    @cached_property
    def solvers(self) -> SolverPlan | None:
        """The solvers of accepted items; None if there are no solvers."""
        entry = self.config.difficulty
        return None if entry is None else SolverPlan.of(entry, self.catalogue, replayed=not self.asks_models)

    @property
    def _solver_facts(self) -> dict[str, Any]:
        if self.solvers is None:
            return {}
        return {
            "solvers": self.solvers.fingerprints,
            "solver_judge": self.solvers.judge.name,
            "solver_roles": other_roles(self.config),
        }

    def _hidden_fingerprints(self, depth: HiddenDepth) -> dict[str, str]:
        """Generator → fingerprint of its jobs of this depth. Only models can hide a flaw."""
        # A deep prompt shows any number of passages. The quiet prompt only adds an instruction to the usual ones.
        kinds: tuple[PromptKind, ...] = ("deep",) if depth == "deep" else ("quiet", *self.prompt_kinds)
        versions = [self.prompts.version("generate", kind) for kind in kinds]
        avoided = [self.prior_rounds.digest] if self.prior_rounds else []
        return {
            name: digest(settings.identity(), *versions, *avoided)
            for name, settings in self.generator_settings.items()
        }

    @cached_property
    def donors(self) -> DonorTable:
        """The table of instances from which the offline engine may take rival statements and passages."""
        from perturb.building.offline.engine import DonorTable

        return DonorTable.of(
            instance for instance in self.base_set.instances if is_english(instance.language)
        )

    @cached_property
    def generator_functions(self) -> Mapping[str, OwnFunction]:
        """The generators that are functions, by name. Raises `ConfigError` if one cannot be called."""
        return own_functions(self.config.generators, GENERATOR_PARAMETERS)

    @cached_property
    def verifier_functions(self) -> Mapping[str, OwnFunction]:
        """The verifiers that are functions, by name. Raises `ConfigError` if one cannot be called."""
        return own_functions(self.config.verifiers, VERIFIER_PARAMETERS)

    @cached_property
    def cells_without_rule(self) -> tuple[str, ...]:
        """The cells that get no item, since only the rule engine generates and has no rule for them."""
        if any(entry.kind != "rules" for entry in self.config.generators):
            return ()
        return tuple(map(str, self.catalogue.cells_without_rule(self.config.chosen_cells)))

    @cached_property
    def panel(self) -> Panel:
        """The panel, with the fingerprints under which its votes are stored."""
        entry = self.config.resolved_panel
        members = {verifier.name: self._verifier_fingerprint(verifier) for verifier in entry.verifiers}
        all_classes = tuple(sorted(self.catalogue.classes, key=taxonomy_place))
        judged_classes = {
            verifier.name: classes_judged(verifier, all_classes) for verifier in entry.verifiers
        }
        # A verifier that judges all classes is stored without a list, so that its panel keeps its digest.
        classes = {name: judged for name, judged in judged_classes.items() if judged != all_classes}
        identity: list[Any] = [
            list(members.items()),
            entry.needed,
            entry.schedule,
            entry.audit_fraction,
            self.config.seed,
        ]
        # Settings that were added later enter only if they are used, so that earlier panels keep their digests.
        if classes:
            identity.append(sorted(classes.items()))
        if entry.target is not None:
            identity.append(entry.target)
        return Panel(
            name=entry.name,
            judges=Judges(members, classes, all_classes),
            needed=entry.needed,
            economy=entry.schedule == "economy",
            audit_fraction=entry.audit_fraction,
            seed=self.config.seed,
            digest=digest(*identity),
            target=entry.target,
        )

    @cached_property
    def digest(self) -> str:
        """Digest of the plan's jobs. The panel and the selection may change without new jobs."""
        plan = plan_digest(self.job_settings, [key for key, _ in self.instances], self.catalogue)
        if self.config.until is not None:
            plan = digest(plan, self.config.until)
        if self.solvers is not None and self.solvers.harden:
            plan = digest(plan, "harden", self.solvers.harden)
        # In a replay, jobs keep the ids of the recording (`Recording.adopt`). If templates or levers have changed, the
        # plan alone no longer gives these ids, so the recording enters too.
        if self.replay and self.changed_since_recording:
            return digest(plan, self.replay.recording.digest)
        return plan

    @cached_property
    def changed_since_recording(self) -> tuple[str, ...]:
        """The inputs that have changed since the replies were recorded: `templates`, `catalogue`."""
        if self.replay is None:
            return ()
        recorded, current = self.replay.recording.header.get("digests", {}), self.facts["digests"]
        return tuple(name for name in ("templates", "catalogue") if recorded.get(name) != current[name])

    def jobs(self) -> Iterator[Job]:
        """Yield every job. In a replay, a job takes the id under which its replies are recorded, if there are any."""
        keys = {instance.id: key for key, instance in self.instances}
        for job in plan_jobs(self.job_settings, self.instances, self.catalogue):
            if self.replay is not None and job.generator in self.generator_settings:
                yield self.replay.recording.as_recorded(job, keys[job.instance_id])
            else:
                yield job

    @property
    def places(self) -> list[Place]:
        """Every generator in every cell. A quota counts the accepted items of each place."""
        config = self.config
        return [(generator.name, cell) for cell in config.chosen_cells for generator in config.generators]

    @property
    def most_jobs(self) -> int:
        """How many jobs there are. With a quota, a build need not do all of them."""
        return len(self.instances) * self.config.replicates * len(self.places)

    @property
    def least_jobs(self) -> int:
        """How many jobs the build does at least: enough for its quota, or all jobs without a quota."""
        quota = self.config.quota
        return self.most_jobs if quota is None else min(self.most_jobs, quota * len(self.places))

    @cached_property
    def facts(self) -> dict[str, Any]:
        """How the items are made, for the ledger and the manifest, without keys and passwords."""
        config = self.config
        judged = self.panel.judges.classes
        facts: dict[str, Any] = {
            "name": config.name,
            "round": config.round,
            "seed": config.seed,
            "code_version": code_version(),
            "digests": self._digests,
            "base_set": self._base_set_facts,
            "panel": self._panel_facts,
            "generators": [_described(entry) for entry in config.generators],
            "verifiers": [_described(entry, judged.get(entry.name, ())) for entry in config.verifiers],
            "cells": [str(cell) for cell in config.chosen_cells],
            "select": config.select.model_dump(),
            "note": config.note,
            **self._solver_facts,
        }
        # Options that are not used are left out, as in runs that are older than the option.
        if config.hidden_depths:
            facts["depth"] = dict(config.depth)
        if config.quota:
            facts["quota"] = config.quota
        if self.catalogue.own_classes:
            facts["classes"] = [entry.to_payload() for entry in self.catalogue.own_classes]
        return facts

    @property
    def _digests(self) -> dict[str, str]:
        templates = [*self._versions("generate"), *self._versions("verify"), *self._language_versions]
        digests = {
            "catalogue": self.catalogue.digest,
            "templates": digest(*templates),
            "base_set": self.base_set.digest,
            "panel": self.panel.digest,
        }
        if self.prior_rounds:
            digests["avoided"] = self.prior_rounds.digest
        return digests

    @property
    def _base_set_facts(self) -> dict[str, Any]:
        facts = {name: getattr(self.base_set, name) for name in ("name", "licence", "attribution")}
        if self.base_set.since:
            facts["since"] = self.base_set.since
        return facts

    @property
    def _panel_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "name": self.panel.name,
            "members": dict(self.panel.members),
            "classes": {name: list(judged) for name, judged in self.panel.judges.classes.items()},
            "digest": self.panel.digest,
            "needed": self.panel.needed,
            "schedule": self.config.resolved_panel.schedule,
            "audit_fraction": self.panel.audit_fraction,
            "offline": any(verifier.kind == "rules" for verifier in self.config.verifiers),
        }
        if self.panel.target is not None:
            facts["target"] = self.panel.target
        return facts

    def _generator_fingerprints(self, kind: PromptKind) -> dict[str, str]:
        fingerprints = {
            entry.name: self._generator_fingerprint(entry, kind) for entry in self.config.generators
        }
        if self.prior_rounds is None:
            return fingerprints
        return {
            name: digest(fingerprint, self.prior_rounds.digest) for name, fingerprint in fingerprints.items()
        }

    def _generator_fingerprint(self, entry: ModelEntry, kind: PromptKind) -> str:
        if entry.kind == "rules":
            from perturb.building.offline.engine import RULE_VERSION

            return digest("rules", RULE_VERSION, self.catalogue.rules_digest, self.donors.digest)
        if entry.kind == "python":
            return digest("python", self.generator_functions[entry.name].version)
        settings = self.generator_settings[entry.name]
        return digest(settings.identity(), self.prompts.version("generate", kind))

    def _verifier_fingerprint(self, entry: VerifierEntry) -> str:
        if entry.kind == "rules":
            from perturb.building.offline.judge import CHECK_VERSION

            return digest("rules", entry.check, CHECK_VERSION)
        if entry.kind == "python":
            return digest("python", self.verifier_functions[entry.name].version)
        settings = self.verifier_settings[entry.name]
        # The levers that a prompt shows do not belong here: a changed lever gives its cell new candidates.
        return digest(settings.identity(), *self._versions("verify"), self.catalogue.codes)

    @property
    def _language_versions(self) -> tuple[str, ...]:
        """Digest of the prompts' rules about languages; empty if all texts are English."""
        return (folder_version("language"),) if self.base_set.languages != (ENGLISH,) else ()

    def _versions(self, name: str) -> list[str]:
        """Digests of the templates that are used, one for each kind of prompt."""
        # The hidden depths have prompts of the same names.
        kinds: list[PromptKind] = [*self.prompt_kinds, *self.config.hidden_depths]
        if name == "verify" and "deep" in kinds:
            kinds.append("blind")
        return [self.prompts.version(name, kind) for kind in kinds]


@dataclass(frozen=True, slots=True)
class OpenBuild:
    """A build whose ledger is open and holds its plan."""

    plan: BuildPlan
    ledger: Ledger
    stored: CurrentPlan
    """The plan as the ledger stores it."""

    @property
    def number(self) -> int:
        """The number of the plan in the ledger."""
        return self.stored.number

    def add_jobs(self, jobs: Sequence[Job]) -> None:
        """Add jobs to those of the plan, such as the next wave of a quota."""
        if jobs:
            self.ledger.add_jobs(self.number, jobs, self.plan.instances_by_id, first=False)

    def count_stages(self) -> StageCounts:
        """How many jobs have reached each stage."""
        return self.stored.count_stages(self.ledger.db)


def plan_build(config: BuildConfig, replay: Replay | None = None) -> BuildPlan:
    """Load everything that the configuration names. Nothing is written and no model is called.

    Raises `ConfigError`, `CatalogueError` or `SourceError`, and `RecordingError` for replies of another round.
    """
    if replay is not None:
        replay.recording.require("build", round=config.round, seed=config.seed)
    catalogue = Catalogue.load(config.levers)
    config = with_own_cells(config, catalogue)
    all_classes = tuple(sorted(catalogue.classes, key=taxonomy_place))
    refuse_unknown_checks(config, all_classes)
    refuse_unjudged_classes(config, all_classes)
    _refuse_depth_without_models(config)
    if config.select.strategy == "hard" and config.difficulty is None:
        raise ConfigError(NO_SOLVERS)
    if replay is not None and replay.own_base_set:
        base_set = _recorded_base_set(replay.recording)
    else:
        base_set = _read_base_set(config.base_set)
    base_set = replace(base_set, warnings=(*base_set.warnings, *_offline_gaps(config, base_set)))
    only_replays = replay is not None and not replay.fill

    def settings(entries: Sequence[ModelEntry]) -> dict[str, ModelSettings]:
        return {
            entry.name: entry.settings(replayed=only_replays) for entry in entries if entry.kind == "model"
        }

    build_plan = BuildPlan(
        config=config,
        catalogue=catalogue,
        prompts=Prompts(catalogue),
        base_set=base_set,
        generator_settings=settings(config.generators),
        verifier_settings=settings(config.verifiers),
        prior_rounds=PriorRounds(config.avoid) if config.avoid else None,
        replay=replay,
    )
    # These are computed when first used. Using them here reports a wrong name before the build starts.
    _ = build_plan.generator_functions, build_plan.verifier_functions, build_plan.solvers
    if replay is not None:
        _require_a_common_job(build_plan, replay.recording)
    return build_plan


def _refuse_depth_without_models(config: BuildConfig) -> None:
    """Raise `ConfigError` if some jobs are to hide their flaw and no generator is a model."""
    # The rule engine and functions of the user get no instruction on how to hide a flaw.
    if config.hidden_depths and not any(entry.kind == "model" for entry in config.generators):
        raise ConfigError(
            f"depth: only models write {listed(config.hidden_depths)} flaws: name one under 'generators', or write"
            " 'depth: {open: 1}'"
        )


def _recorded_base_set(recording: Recording) -> BaseSet:
    """The base set that a recording holds, with the digest that it had when it was recorded."""
    instances = tuple(map(BaseInstance.from_payload, recording.instances))
    return BaseSet(recording.header["name"], instances, recording.header["digests"]["base_set"], None, ())


def _read_base_set(entry: BaseSetEntry) -> BaseSet:
    """The base set that the configuration names: by a function, as an embedded set or as a file."""
    if entry.function is not None:
        return read_by_function(entry.function, entry.path, entry.limit, entry.language or ENGLISH)
    path = entry.path or embedded_path(str(entry.demo))  # the entry has one of the two
    return load_base_set(path, entry.format, entry.limit, entry.language or ENGLISH, entry.columns)


def _offline_gaps(config: BuildConfig, base_set: BaseSet) -> Iterator[str]:
    """Yield a line for each role in which the offline engine skips instances of a base set.

    Raises `ConfigError` if a role would have no instance left.
    """
    unread_languages = [
        language_with_code(language) for language in base_set.languages if not is_english(language)
    ]
    roles: dict[str, Sequence[ModelEntry]] = {"generators": config.generators, "verifiers": config.verifiers}
    for role, entries in roles.items():
        offline = [entry.name for entry in entries if entry.kind == "rules"]
        if unread_languages and offline:
            line = f"base set '{base_set.name}': the offline engine reads English only, not {listed(unread_languages)}"
            # Without a model in the role, every instance would be skipped.
            if not any(map(is_english, base_set.languages)) and len(offline) == len(entries):
                raise ConfigError(f"{line}: name a model under '{role}'")
            yield f"{line}: {listed(offline)} under '{role}' pass over what is not English"


def _require_a_common_job(build_plan: BuildPlan, recording: Recording) -> None:
    """Raise `RecordingError` if the plan and the recording do not share a job."""
    recorded_ids = {job.id for job in recording.jobs.values()}
    # Otherwise the replay would run through and report every reply as missing.
    if recorded_ids and not any(job.id in recorded_ids for job in build_plan.jobs()):
        raise RecordingError(
            f"{recording.path}: holds no reply about this base set, these cells and these generators: give the file of"
            " this round"
        )


def _described(entry: ModelEntry, judged: Sequence[PerturbationClass] = ()) -> dict[str, Any]:
    """Name, model and settings of an entry as they were written. Of a key, only the variable is named.

    `judged` are the classes that a verifier judges, unless it judges all.
    """
    content = entry.model_dump(mode="json", exclude_none=True)
    classes = {"classes": [str(name) for name in judged]} if judged else {}
    if entry.kind == "rules":
        check = {"check": content["check"]} if "check" in content else {}
        return {"name": entry.name, "model": "rules", **check, **classes}
    if entry.kind == "python":
        return {"name": entry.name, "model": entry.function, **classes}
    # These do not change what the model replies; `classes` is given above, with the defaults filled in.
    left_out = ("kind", "max_connections", "rpm", "tpm", "classes")
    return {key: value for key, value in content.items() if key not in left_out} | classes
