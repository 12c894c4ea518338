"""The task of RefusalBench: models reply to each item of a snapshot; judges classify replies and grade answers.

Some words for what the ledger stores:

- A *setting* is a wording of the prompt: `codes`, `plain`, or the template of a user.
- A *variant* is the key of a setting's replies in the ledger, such as `prompt/plain`. For `codes` it is `plain` or
  `confidence`: without or with a request to state a confidence.
- A *fingerprint* of replies is a digest of the model, the prompt and the items. Replies with another one do not count.
- The *entry* of a model has its settings and their fingerprints, and those of earlier sessions over the same ledger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

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
from perturb.evaluation.planted_replies import AUTO_FROM, AUTO_NUMBER, judge_planted, plant_replies
from perturb.evaluation.reading import ANSWER, is_disagreement
from perturb.evaluation.results import (
    CALL_FAILED,
    RESULTS_FILE,
    EvaluationRun,
    answer_kind,
    judge_author,
    judge_rubric,
    outcome_of,
    rule_author,
    run_of,
    write_json_lines,
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
from perturb.evaluation.stop_rule import AskingOrder, StopRule
from perturb.files.resources import digest
from perturb.files.tables import ending_of
from perturb.ledger.evaluations import PLANTED_FACT, EvaluationLedger, Stop, read_facts
from perturb.metrics.outcomes import ReplyOutcome
from perturb.records import Facts, Item, JsonObject, Response
from perturb.runtime import gather_all
from perturb.snapshots.items import Variant
from perturb.snapshots.settings import (
    CODES,
    CODES_SETTING,
    PromptSetting,
    fingerprint_of,
    load_settings,
    samples_by_variant,
    settings_by_variant,
)
from perturb.text.wording import counted


@dataclass(frozen=True, slots=True)
class EvaluationPlan(AskPlan):
    """The items and settings of an evaluation."""

    source: ItemSource | None
    """None means the items of the recording."""
    variant: Variant = "plain"
    prompts: tuple[str, ...] = ()
    """The prompt settings: `codes`, `plain` or template files; empty means `codes`."""
    samples: int = 1
    """Number of replies to each item in each setting; a recording with more samples is replayed as a whole."""
    until: StopRule | None = None
    """The rule that ends the questions to a model early; None asks about every item."""
    planted_judgements: int | None = None
    """Number of planted replies for the judges; None means 24 with 200 real replies or more, and 0 otherwise."""


def evaluate(plan: EvaluationPlan, *, progress: bool = False) -> EvaluationReport:
    """Evaluate models on a snapshot, or continue an evaluation that was stopped.

    Raises `PerturbError`s for faults that a user can correct. After an interrupt the same call continues from the
    ledger.
    """
    task, models = prepare_evaluation(plan)
    run = plan.out or Path("outputs") / f"evaluate-{_as_folder(task.item_set.name)}"
    return run_task(task, models, run, plan, progress=progress)


def prepare_evaluation(plan: EvaluationPlan) -> tuple[RefusalBench, ModelSet]:
    """The task of an evaluation and its models; this calls no model. Raises `PerturbError`s as `evaluate` does."""
    if not plan.models and plan.replay is None:
        raise ConfigError("no model is given: name at least one with --model")
    named_set = None if plan.source is None else load_items(plan.source)
    item_set = find_items(
        "evaluation", named_set, plan.replay, recorded_items, "no snapshot is given: name one"
    )
    header = plan.replay.recording.header if plan.replay else {}
    settings = _settings_to_ask(plan, header)
    models = find_models(plan)
    _check_settings(plan, settings, models)
    if plan.until and plan.batch:
        raise ConfigError(
            f"'{plan.until}' and batches exclude each other: a batch asks about all items at once"
        )
    planted = plan.planted_judgements
    if not plan.asks_models:
        # No judge can be asked, so the planted replies are those that were judged when the run was recorded.
        planted = header.get("planted_judgements", 0)
    task = RefusalBench(
        item_set,
        variant=header.get("variant", plan.variant),
        catalogue=Catalogue.load().with_classes(item_set.classes),
        order=AskingOrder.of(plan.until, item_set) if plan.until else None,
        settings=settings,
        # A stopping rule counts one reply to each item, whatever was recorded.
        samples=plan.samples if plan.until else max(plan.samples, header.get("samples", 1)),
        planted=planted,
    )
    return task, models


def _settings_to_ask(plan: EvaluationPlan, header: Facts) -> tuple[PromptSetting, ...]:
    """The settings that are given or, without any, those of the recording, since it has no replies to others."""
    recorded = header.get("prompts")
    if plan.prompts or not recorded:
        return load_settings(plan.prompts)
    return tuple(PromptSetting(prompt["name"], prompt["source"]) for prompt in recorded)


def _check_settings(plan: EvaluationPlan, settings: Sequence[PromptSetting], models: ModelSet) -> None:
    """Raise `ConfigError` for settings that cannot be combined."""
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
    if plan.variant == "confidence" and any(setting.is_free_form for setting in settings):
        raise ConfigError("--confidence goes with the prompt 'codes' alone: leave out one of the two")


def _as_folder(name: str) -> str:
    """The name of a snapshot as the name of a folder, without the ending of a table.

    >>> _as_folder("demo-items.jsonl"), _as_folder("owner/name@v1")
    ('demo-items', 'owner-name-v1')
    """
    name = name.removesuffix(ending_of(Path(name)) or "")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "snapshot"


# The most items of a model in progress under a stopping rule: a 25th of all items, but at least 8. If the rule is met
# meanwhile, their replies are paid for in vain.
_DIVISOR_IN_PROGRESS = 25
_LEAST_IN_PROGRESS = 8


@dataclass(frozen=True, slots=True)
class RefusalBench(Task[Item]):
    """The items of a snapshot as a task."""

    item_set: ItemSet
    variant: Variant
    catalogue: Catalogue
    """The meaning and the accepted spellings of codes."""

    order: AskingOrder | None = None
    """The order of the items under a stopping rule; None asks about all items in the order of the snapshot."""
    outcomes: dict[str, dict[str, ReplyOutcome]] = field(default_factory=dict)
    """Outcomes so far, by model and item; only under a stopping rule."""
    settings: tuple[PromptSetting, ...] = (CODES_SETTING,)
    """The prompt settings; each item is asked about in all of them."""
    samples: int = 1
    """Number of replies to each item in each setting."""
    planted: int | None = None
    """Number of planted replies for the judges; None means the default."""

    fact = "snapshot"
    unit = "reply"

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the snapshot."""
        return self.item_set.items

    @property
    def at_once(self) -> int:
        """All items, or a few under a stopping rule."""
        if self.order is None:
            return len(self.items)
        return max(_LEAST_IN_PROGRESS, len(self.items) // _DIVISOR_IN_PROGRESS)

    def register_run(self, ledger: EvaluationLedger, models: ModelSet) -> None:
        """Store the facts of the run in the ledger; the entries of models from earlier sessions do not change."""
        facts, item_set = self.stored_facts(ledger), self.item_set
        stored = facts.get(self.fact)
        # Two snapshots may have the same name, so the digests are compared.
        if stored is not None and stored["digest"] != item_set.digest:
            raise ConfigError(
                f"{ledger.folder}: holds an evaluation of another snapshot ({stored['name']}, digest"
                f" {stored['digest'][:8]}), and items of two cannot be mixed: give another --out"
            )
        ledger.add_items((item.id, item.to_payload()) for item in self.items)
        snapshot: JsonObject = {"name": item_set.name, "digest": item_set.digest, "round": item_set.round}
        # The classes are stored, since later commands have only the ledger to read the codes from.
        if item_set.classes:
            snapshot["classes"] = [entry.to_payload() for entry in item_set.classes]
        ledger.write_fact(self.fact, snapshot)
        former_entries = facts.get("models", {})
        n_planted = self.planted_number(models)
        # A run that began without planted replies continues without them.
        if n_planted and not former_entries:
            ledger.write_fact(PLANTED_FACT, {"number": n_planted, "entries": []})
        entries = {
            name: self._entry(models, name, former_entries.get(name, {})) for name in models.under_test
        }
        ledger.write_fact("models", {**former_entries, **entries})

    def agenda(self, ledger: EvaluationLedger, model: str) -> Iterator[Item]:
        """All items or, under a stopping rule, blocks of items until the rule is met. Stored replies count at once."""
        if self.order is None:
            return iter(self.items)
        self.outcomes[model] = self._outcomes(run_of(ledger.db, ledger.folder), model)
        # `_solve` adds outcomes to this mapping while the items are taken.
        return self.order.until_reached(self.outcomes[model])

    def planted_number(self, models: ModelSet) -> int:
        """The number of replies that are planted for each judge."""
        if not models.judges:
            return 0
        if self.planted is not None:
            return self.planted
        # By default it depends on the number of real replies, which a stopping rule leaves open.
        if self.order is not None:
            return 0
        replies = len(self.items) * len(self.settings) * self.samples * len(models.under_test)
        return AUTO_NUMBER if replies >= AUTO_FROM else 0

    async def check_judges(self, session: Session) -> None:
        """Let each judge read the planted replies that it has not read yet."""
        ledger = session.ledger
        fact = read_facts(ledger.db).get(PLANTED_FACT) or {"number": 0, "entries": []}
        planted = list(plant_replies(self.items, self.settings, fact["number"]))
        entries = await judge_planted(session, planted, self.catalogue, fact["entries"])
        if planted:
            ledger.write_fact(PLANTED_FACT, {**fact, "entries": entries})

    async def solve(self, session: Session, model: str, item: Item) -> None:
        """Get each sample in each setting: the reply, its classification and, for an answer, its grade."""
        await gather_all(
            self._solve(session, model, item, setting, sample)
            for setting in self.settings
            for sample in range(1, self.samples + 1)
        )

    async def _solve(
        self, session: Session, model: str, item: Item, setting: PromptSetting, sample: int
    ) -> None:
        values: JsonObject = {}
        # If the reply is unscored, the ledger has the reason, and the run goes on.
        with suppress(Unscored):
            response = await session.reply(
                item.id,
                model,
                setting.variant(self.variant),
                respond_request(item, self.variant, self.catalogue.own_codes, setting),
                purpose="respond",
                fingerprint=self._fingerprint(session.fingerprints[model], setting),
                sample=sample,
            )
            values |= await self._judge(session, "classification", item, response, setting)
            if values.get("predicted") == ANSWER and item.answerable:
                values |= await self._judge(session, answer_kind(item), item, response, setting)
        if self.order is not None:
            self.outcomes[model][item.id] = outcome_of(item.expected_behavior, values)

    async def _judge(
        self, session: Session, kind: str, item: Item, response: Response, setting: PromptSetting
    ) -> Facts:
        """The values of one kind of judgement of a reply, by name. Raises `Unscored` and `BudgetSpent`."""
        make_rubric = partial(
            judge_rubric, kind, item, response, catalogue=self.catalogue, free=setting.is_free_form
        )
        return await session.judge(response, make_rubric)

    async def finish(self, session: Session, *, stopped: bool) -> EvaluationReport:  # noqa: ARG002
        """Write `results.jsonl`, and count replies by model; the counts say whether replies are missing."""
        models, run = session.models, session.ledger.folder
        state = run_of(session.ledger.db, run)
        write_json_lines(run / RESULTS_FILE, (result.to_dict() for result in state.results))
        counts = {name: _counts(name, state) for name in models.under_test}
        stops: dict[str, Stop] = {}
        if self.order is not None:
            stops = {name: self.order.stop(self._outcomes(state, name)) for name in models.under_test}
            entries = dict(state.facts["models"])
            for name, stop in stops.items():
                until = asdict(stop)
                counts[name]["until"] = until
                entries[name] = {**entries[name], "until": until}
            session.ledger.write_fact("models", entries)
        facts = {
            "snapshot": state.facts["snapshot"],
            "items": state.items,
            "judge": models.judge_name,
            "judge_under_test": list(models.own_judges),
            "models": list(counts.values()),
        }
        early_stops = (f"{name}: {stop}" for name, stop in stops.items() if stop.early)
        warnings = (*self.item_set.warnings, *early_stops, *_left_to_do(facts))
        return EvaluationReport(run, facts, warnings)

    def _fingerprint(self, model_fingerprint: str, setting: PromptSetting) -> str:
        """The fingerprint of a model's replies in a setting."""
        version = setting.version(self.catalogue.own_codes)
        return digest(model_fingerprint, setting.variant(self.variant), version, self.item_set.digest)

    def _outcomes(self, state: EvaluationRun, model: str) -> dict[str, ReplyOutcome]:
        """Item → the outcome of the model's first reply; replies that are not judged yet are left out."""
        prompt = self.settings[0].name  # with a stopping rule there is only one
        outcomes = {}
        for row in state.results:
            is_first_reply = row.model == model and row.prompt == prompt and row.sample == 1
            if is_first_reply and NOT_JUDGED not in (row.unscored or ""):
                outcomes[row.item_id] = outcome_of(row.expected_rag_behavior, row.to_dict())
        return outcomes

    def _entry(self, models: ModelSet, name: str, former: Facts) -> JsonObject:
        """The entry of one model in the ledger; `former` is its entry from earlier sessions, or empty."""
        judge, model = models.judge, models.under_test[name]
        prompts = self._prompt_facts(model.settings.fingerprint(), former)
        entry = {**model.facts(), **prompts, **self._sample_facts(prompts, former)}
        if judge is None:
            # The judge of an earlier session still counts.
            entry["judge"] = former.get("judge")
            entry["judges_itself"] = former.get("judges_itself", False)
        else:
            facts = judge.facts() if len(models.judges) == 1 else {}
            entry["judge"] = {"name": models.judge_name, **facts}
            entry["judges_itself"] = name in models.own_judges
        entry["authors"] = self._authors(models, former)
        if self.order is not None:
            entry["until"] = asdict(self.order.stop({}))
        return entry

    def _authors(self, models: ModelSet, former: Facts) -> list[str]:
        """The authors whose judgements count: first the rule, then the judges."""
        by_rule = rule_author(self.catalogue.codes)
        panel_fingerprint = judges_fingerprint(
            models, {judge.name: judge.settings.fingerprint() for judge in models.judges}
        )
        if panel_fingerprint is None:
            _, *former_judges = former.get("authors", [by_rule])
            return [by_rule, *former_judges]
        authors = [by_rule, judge_author(panel_fingerprint, self.catalogue.own_codes)]
        if any(setting.is_free_form for setting in self.settings):
            authors.append(judge_author(panel_fingerprint, self.catalogue.own_codes, free=True))
        return authors

    def _prompt_facts(self, model_fingerprint: str, former: Facts) -> JsonObject:
        """The settings in which a model is asked, and those of earlier sessions.

        A model that is asked only in the setting `codes` has one variant and one fingerprint, as in ledgers from before
        there were settings.
        """
        prompts: dict[str, JsonObject] = {}
        names_asked_now = [setting.name for setting in self.settings]
        former_settings = settings_by_variant(former) if former else {}
        for variant, setting in former_settings.items():
            if setting.name not in names_asked_now:
                prompts[variant] = {**asdict(setting), "fingerprint": fingerprint_of(former, variant)}
        for setting in self.settings:
            fingerprint = self._fingerprint(model_fingerprint, setting)
            prompts[setting.variant(self.variant)] = {**asdict(setting), "fingerprint": fingerprint}
        variants_with_codes = (variant for variant, prompt in prompts.items() if prompt["name"] == CODES)
        main_variant = next(variants_with_codes, next(iter(prompts)))
        facts: JsonObject = {
            "variant": main_variant,
            "fingerprint": prompts[main_variant]["fingerprint"],
        }
        if any(prompt["source"] for prompt in prompts.values()):
            facts["prompts"] = prompts
        return facts

    def _sample_facts(self, prompts: Facts, former: Facts) -> JsonObject:
        """The numbers of samples by variant, if one has several; `prompts` is the result of `_prompt_facts`.

        Samples of earlier sessions still count as long as the fingerprint of their replies is the same.
        """
        former_samples = former.get("samples", {})
        variants_asked_now = {setting.variant(self.variant) for setting in self.settings}
        samples = {}
        for variant in settings_by_variant(prompts):
            n_samples = self.samples if variant in variants_asked_now else 1
            former_count = former_samples.get(variant, 1)
            if former_count > n_samples and fingerprint_of(former, variant) == fingerprint_of(
                prompts, variant
            ):
                n_samples = former_count
            if n_samples > 1:
                samples[variant] = n_samples
        return {"samples": samples} if samples else {}


def _counts(name: str, state: EvaluationRun) -> JsonObject:
    """The numbers of replies of one model, as `perturb evaluate --json` prints them."""
    rows = [row for row in state.results if row.model == name]
    unscored = [row.unscored for row in rows if row.unscored is not None]
    errors = [reason.removeprefix(CALL_FAILED) for reason in unscored if reason.startswith(CALL_FAILED)]
    disagreed = sum(map(is_disagreement, unscored))
    expected = state.items * sum(samples_by_variant(state.facts["models"][name]).values())
    return {
        "model": name,
        "replies": len(rows) - len(errors),
        "answers": sum(row.predicted == ANSWER for row in rows),
        "refusals": sum(row.predicted not in (None, ANSWER) for row in rows),
        "unscored": len(unscored) - len(errors),
        "errors": len(errors),
        "missing": expected - len(rows),
        "first_error": errors[0] if errors else None,
        **({"disagreed": disagreed} if disagreed else {}),
    }


def _left_to_do(facts: Facts) -> Iterator[str]:
    """Warnings about missing and unscored replies, with the command that helps."""
    for model in facts["models"]:
        name = model["model"]
        # Judges that disagree would do so again, so asking them again does not help.
        unscored = model["unscored"] - model.get("disagreed", 0)
        replies = counted(unscored, "reply", "replies")
        if model["errors"]:
            yield f"{name}: {counted(model['errors'], 'item')} without a reply: run the same command again to retry"
        if unscored and facts["judge"] is None:
            yield f"{name}: {replies} not judged yet: run again with --judge"
        elif unscored:
            yield f"{name}: {replies} unscored: run again with --retry-unscored to ask the judge again"
