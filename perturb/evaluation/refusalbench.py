"""The task of RefusalBench: reply to each item of a snapshot; replies are classified, and answers graded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from perturb.catalogue.levers import Catalogue
from perturb.errors import ConfigError
from perturb.evaluation.adapters import respond_request
from perturb.evaluation.loading import (
    ItemSet,
    ItemSource,
    find_items,
    find_models,
    load_items,
    recorded_items,
)
from perturb.evaluation.models_under_test import ModelSet
from perturb.evaluation.planted_replies import judge_planted, plant_replies, planted_number
from perturb.evaluation.reading import ANSWER, DISAGREE
from perturb.evaluation.results import (
    RESULTS_FILE,
    EvaluationRun,
    answer_kind,
    judge_author,
    judge_rubric,
    kinds_author,
    outcome_of,
    rule_author,
    run_of,
    write_rows,
)
from perturb.evaluation.run import run_task
from perturb.evaluation.session import (
    NOT_JUDGED,
    AskPlan,
    EvaluationReport,
    Session,
    Task,
    Unscored,
    judges_fingerprint,
)
from perturb.evaluation.stop_rule import AskingOrder, Stop, StopRule
from perturb.files.resources import digest
from perturb.files.tables import ending_of
from perturb.ledger.evaluations import PLANTED_FACT, EvaluationLedger, read_facts
from perturb.metrics.outcomes import ReplyOutcome
from perturb.records import Item
from perturb.runtime.asyncs import gather_all
from perturb.snapshots.items import Variant
from perturb.snapshots.settings import (
    CODES,
    CODES_SETTING,
    PromptSetting,
    fingerprint_of,
    prompt_settings,
    sample_variant,
    samples_of,
    settings_of,
)
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class EvaluationPlan(AskPlan):
    """The items and settings of an evaluation."""

    source: ItemSource | None
    """None to take the items of the recording."""
    variant: Variant = "plain"
    prompts: tuple[str, ...] = ()
    """The settings that models are asked in: `codes`, `plain` or template files; `codes` unless given."""
    samples: int = 1
    """Replies to each item in each setting, 1 or more; a recording that holds more is replayed whole."""
    until: StopRule | None = None
    """When a model has been asked enough; None to ask it about every item."""
    planted_judgements: int | None = None
    """Replies of known behaviour that judges read beside the real ones; None for 24 beside 200 replies or more."""


def evaluate(plan: EvaluationPlan, *, progress: bool = False) -> EvaluationReport:
    """Evaluate models on a snapshot, or go on with an evaluation that was stopped.

    Raises `PerturbError`s for everything a user can mend; after an interrupt the same call goes on from the ledger.
    """
    task, models = prepare_evaluation(plan)
    run = plan.out or Path("outputs") / f"evaluate-{_as_folder(task.item_set.name)}"
    return run_task(task, models, run, plan, progress=progress)


def prepare_evaluation(plan: EvaluationPlan) -> tuple[RefusalBench, ModelSet]:
    """The task of an evaluation and its models; nobody is asked. Raises `PerturbError`s as `evaluate` does."""
    if not plan.models and plan.replay is None:
        raise ConfigError("no model is given: name at least one with --model")
    named_set = None if plan.source is None else load_items(plan.source)
    item_set = find_items(
        "evaluation", named_set, plan.replay, recorded_items, "no snapshot is given: name one"
    )
    header = plan.replay.recording.header if plan.replay else {}
    variant = header.get("variant", plan.variant)
    recorded = tuple(PromptSetting(prompt["name"], prompt["source"]) for prompt in header.get("prompts", ()))
    settings = prompt_settings(plan.prompts) if plan.prompts or not recorded else recorded
    models = find_models(plan)
    samples = plan.samples if plan.until else max(plan.samples, header.get("samples", 1))
    _check_settings(plan, settings, models)
    if plan.until and plan.batch:
        raise ConfigError(
            f"'{plan.until}' and batches exclude each other: a batch asks about all items at once"
        )
    order = AskingOrder.of(plan.until, item_set) if plan.until else None
    catalogue = Catalogue.load().with_classes(item_set.classes)
    planted = plan.planted_judgements
    if plan.replay and not plan.replay.fill:
        planted = header.get("planted_judgements", 0)
    task = RefusalBench(
        item_set, variant, catalogue, order, settings=settings, samples=samples, planted=planted
    )
    return task, models


def _check_settings(plan: EvaluationPlan, settings: Sequence[PromptSetting], models: ModelSet) -> None:
    """Refuse settings that cannot be asked in: all refusals are `ConfigError`s."""
    own_functions = [model.name for model in models.under_test.values() if model.opener is not None]
    if plan.prompts and own_functions:
        raise ConfigError(
            f"--prompt: model '{own_functions[0]}' is a service or a function, which gets the user's question and has"
            " a prompt of its own: leave out --prompt"
        )
    if plan.until and len(settings) > 1:
        raise ConfigError(f"'{plan.until}' stops one setting at a time: give one --prompt")
    if plan.samples < 1:
        raise ConfigError(f"--samples must be at least 1, got {plan.samples}")
    if plan.until and plan.samples > 1:
        raise ConfigError(f"'{plan.until}' counts one reply to each item: leave out --samples")
    if plan.variant == "confidence" and any(setting.free for setting in settings):
        raise ConfigError("--confidence goes with the prompt 'codes' alone: leave out one of the two")


def _as_folder(name: str) -> str:
    """The name of a snapshot as one of a folder, without the ending of a table.

    >>> _as_folder("demo-items.jsonl"), _as_folder("owner/name@v1")
    ('demo-items', 'owner-name-v1')
    """
    name = name.removesuffix(ending_of(Path(name)) or "")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "snapshot"


@dataclass(frozen=True, slots=True)
class RefusalBench(Task[Item]):
    """The items of a snapshot as a task."""

    item_set: ItemSet
    variant: Variant
    catalogue: Catalogue
    """The meaning and the accepted spellings of codes."""

    order: AskingOrder | None = None
    """How items are asked about, and when a model has been asked enough; None for all, in their order."""
    outcomes: dict[str, dict[str, ReplyOutcome]] = field(default_factory=dict)
    """Outcomes so far, by model and item, under a rule for stopping."""
    settings: tuple[PromptSetting, ...] = (CODES_SETTING,)
    """The prompt settings; each item is asked about in all of them."""
    samples: int = 1
    """Number of replies to each item in each setting."""
    planted: int | None = None
    """Replies of known behaviour that judges read; None for the default."""

    fact = "snapshot"
    unit = "reply"

    @property
    def items(self) -> tuple[Item, ...]:
        """Those of the snapshot."""
        return self.item_set.items

    @property
    def at_once(self) -> int:
        """All items, or few under a rule for stopping: items in progress when it is met are asked for nothing."""
        return len(self.items) if self.order is None else max(8, len(self.items) // 25)

    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Note what is evaluated, and how; models that are not under test this time stay as they are."""
        facts, item_set = self.known_facts(ledger), self.item_set
        recorded = facts.get(self.fact)
        if recorded is not None and recorded["digest"] != item_set.digest:
            raise ConfigError(
                f"{ledger.folder}: holds an evaluation of another snapshot ({recorded['name']}, digest"
                f" {recorded['digest'][:8]}), and items of two cannot be mixed: give another --out"
            )
        ledger.add_items((item.id, item.to_payload()) for item in self.items)
        own_classes = [entry.to_payload() for entry in item_set.classes]
        ledger.write_fact(
            self.fact,
            {
                **{"name": item_set.name, "digest": item_set.digest, "round": item_set.round},
                **({"classes": own_classes} if own_classes else {}),
            },
        )
        # A run that was begun without planted replies stays without.
        if "models" not in facts and (number := self.planted_number(models)):
            ledger.write_fact(PLANTED_FACT, {"number": number, "entries": []})
        entries = dict(facts.get("models", {}))
        entries |= {name: self._entry(models, name, entries.get(name, {})) for name in models.under_test}
        ledger.write_fact("models", entries)

    def agenda(self, ledger: EvaluationLedger, model: str) -> Iterator[Item]:
        """All items; or under a rule for stopping, blocks until the rule is met. Stored replies count at once."""
        if self.order is None:
            return iter(self.items)
        self.outcomes[model] = self._outcomes(run_of(ledger.db, ledger.folder), model)
        return self.order.until_reached(self.outcomes[model])

    def planted_number(self, models: ModelSet) -> int:
        """How many replies are planted for each judge."""
        if not models.judges or (self.planted is None and self.order is not None):
            return 0  # nobody knows how many replies it takes until the rule is met
        replies = len(self.items) * len(self.settings) * self.samples * len(models.under_test)
        return planted_number(self.planted, replies)

    async def check_judges(self, session: Session) -> None:
        """Have each judge read the planted replies that it has not read yet."""
        ledger = session.ledger
        fact = read_facts(ledger.db).get(PLANTED_FACT) or {"number": 0, "entries": []}
        planted = list(plant_replies(self.items, self.settings, fact["number"]))
        entries = await judge_planted(session, planted, self.catalogue, fact["entries"])
        if planted:
            ledger.write_fact(PLANTED_FACT, {**fact, "entries": entries})

    async def solve(self, session: Session, model: str, item: Item) -> None:
        """Each sample in each setting: the reply, what it does, and the grade of an answer if there is one."""
        await gather_all(
            self._solve(session, model, item, setting, sample)
            for setting in self.settings
            for sample in range(1, self.samples + 1)
        )

    async def _solve(
        self, session: Session, model: str, item: Item, setting: PromptSetting, sample: int
    ) -> None:
        values: dict[str, Any] = {}
        with suppress(Unscored):
            response = await session.reply(
                item.id,
                model,
                sample_variant(setting.variant(self.variant), sample),
                respond_request(item, self.variant, self.catalogue.own_codes, setting),
                purpose="respond",
                version=self._version(session.fingerprints[model], setting),
                salt="" if sample == 1 else str(sample),
            )

            async def judge_kind(kind: str) -> Mapping[str, Any]:
                return await session.judge(
                    response,
                    lambda judge: judge_rubric(
                        kind, item, response, judge, self.catalogue, free=setting.free
                    ),
                )

            values |= await judge_kind("classification")
            if values.get("predicted") == ANSWER and item.answerable:
                values |= await judge_kind(answer_kind(item))
        if self.order is not None:
            self.outcomes[model][item.id] = outcome_of(item.expected_behavior, values)

    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:  # noqa: ARG002 - counts tell
        """Write `results.jsonl`, and count by model."""
        models, run = session.models, session.ledger.folder
        state = run_of(session.ledger.db, run)
        table = run / RESULTS_FILE
        write_rows(table, (result.to_dict() for result in state.results))
        stops: dict[str, Stop] = {}
        if self.order is not None:
            stops = {name: self.order.stop(self._outcomes(state, name)) for name in models.under_test}
            entries = {
                name: {**entry, "until": asdict(stops[name])} if name in stops else entry
                for name, entry in state.facts["models"].items()
            }
            session.ledger.write_fact("models", entries)
        facts = {
            "snapshot": state.facts["snapshot"],
            "items": state.items,
            "judge": models.judge_name,
            "judge_under_test": list(models.own_judges),
            "models": [
                {**_counts(name, state), **({"until": asdict(stops[name])} if stops else {})}
                for name in models.under_test
            ],
        }
        early = (f"{name}: {stop}" for name, stop in stops.items() if stop.early)
        warnings = (*self.item_set.warnings, *early, *_left_to_do(facts))
        return EvaluationReport(run, facts, warnings, table)

    def _version(self, fingerprint: str, setting: PromptSetting) -> str:
        version = setting.version(self.catalogue.own_codes)
        return digest(fingerprint, setting.variant(self.variant), version, self.item_set.digest)

    def _outcomes(self, state: EvaluationRun, model: str) -> dict[str, ReplyOutcome]:
        """The outcomes of a model's first replies, by item, leaving out those that are still to be judged."""
        prompt = self.settings[0].name
        rows = (row for row in state.results if (row.model, row.prompt, row.sample) == (model, prompt, 1))
        return {
            row.item_id: outcome_of(row.expected_rag_behavior, row.to_dict())
            for row in rows
            if NOT_JUDGED not in (row.unscored or "")
        }

    def _prompt_facts(self, fingerprint: str, former: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a model, those of earlier sessions included.

        One variant and fingerprint stand for a model that is asked with the codes alone, as in ledgers from before
        there were settings.
        """
        prompts: dict[str, dict[str, str | None]] = {}
        names = [setting.name for setting in self.settings]
        for variant, setting in (settings_of(former) if former else {}).items():
            if setting.name not in names:
                version = fingerprint_of(former, variant)
                prompts[variant] = {"name": setting.name, "source": setting.source, "fingerprint": version}
        for setting in self.settings:
            version = self._version(fingerprint, setting)
            prompts[setting.variant(self.variant)] = {
                "name": setting.name,
                "source": setting.source,
                "fingerprint": version,
            }
        with_codes = [variant for variant, prompt in prompts.items() if prompt["name"] == CODES]
        main = with_codes[0] if with_codes else next(iter(prompts))
        facts: dict[str, Any] = {"variant": main, "fingerprint": prompts[main]["fingerprint"]}
        if any(prompt["source"] for prompt in prompts.values()):
            facts["prompts"] = prompts
        return facts

    def _sample_facts(self, prompts: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
        """How many samples each setting has, if any has several; those of earlier sessions still count."""
        earlier = former.get("samples", {})
        present = {setting.variant(self.variant) for setting in self.settings}
        several = {}
        for variant in settings_of(prompts):
            count = self.samples if variant in present else 1
            if variant in earlier and fingerprint_of(former, variant) == fingerprint_of(prompts, variant):
                count = max(count, earlier[variant])
            if count > 1:
                several[variant] = count
        return {"samples": several} if several else {}

    def _entry(self, models: ModelSet, name: str, former: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of one model in the ledger; without a judge, that of an earlier session still counts."""
        judge, model = models.judge, models.under_test[name]
        prints = {judge.name: judge.settings.fingerprint() for judge in models.judges}
        judges_print, own_codes = judges_fingerprint(models, prints), self.catalogue.own_codes
        authors = [rule_author(self.catalogue.codes)]
        if judges_print is None:
            authors += former.get("authors", [])[1:]  # the first author is the rule
        else:
            authors.append(judge_author(judges_print, own_codes))
            if any(setting.free for setting in self.settings):
                authors.append(kinds_author(judges_print, own_codes))
        facts = judge.facts() if judge and len(models.judges) == 1 else {}
        prompts = self._prompt_facts(model.settings.fingerprint(), former)
        return {
            **model.facts(),
            **prompts,
            **self._sample_facts(prompts, former),
            "judge": former.get("judge") if judge is None else {"name": models.judge_name, **facts},
            "authors": authors,
            "judges_itself": (
                former.get("judges_itself", False) if judge is None else name in models.own_judges
            ),
            **({} if self.order is None else {"until": asdict(self.order.stop({}))}),
        }


def _counts(name: str, state: EvaluationRun) -> dict[str, Any]:
    rows = [row for row in state.results if row.model == name]
    unscored = [row.unscored for row in rows if row.unscored is not None]
    errors = [reason.removeprefix("response: ") for reason in unscored if reason.startswith("response: ")]
    split = sum(f": {DISAGREE}" in reason for reason in unscored)
    return {
        "model": name,
        "replies": len(rows) - len(errors),
        "answers": sum(row.predicted == ANSWER for row in rows),
        "refusals": sum(row.predicted not in (None, ANSWER) for row in rows),
        "unscored": len(unscored) - len(errors),
        "errors": len(errors),
        "missing": state.items * sum(samples_of(state.facts["models"][name]).values()) - len(rows),
        "first_error": errors[0] if errors else None,
        **({"disagreed": split} if split else {}),
    }


def _left_to_do(facts: Mapping[str, Any]) -> Iterator[str]:
    for model in facts["models"]:
        name, unscored = model["model"], model["unscored"] - model.get("disagreed", 0)
        replies = counted(unscored, "reply", "replies")
        if model["errors"]:
            yield f"{name}: {counted(model['errors'], 'item')} without a reply: run the same command again to retry"
        if unscored and facts["judge"] is None:
            yield f"{name}: {replies} not judged yet: run again with --judge"
        elif unscored:
            yield f"{name}: {replies} unscored: run again with --retry-unscored to ask the judge again"
