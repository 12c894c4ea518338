"""What is fixed about an evaluation before its first call: plan, items, models, judge; and its trace in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perturb.catalogue import Catalogue
from perturb.digests import digest
from perturb.errors import ConfigError
from perturb.evaluate.contestants import Contestant, ModelNames
from perturb.evaluate.judge import judge_author, rule_author
from perturb.evaluate.loading import ItemSet, ItemSource, load_items
from perturb.items import Variant, respond_version
from perturb.llm.batches import BatchLimits
from perturb.store import EvaluationLedger
from perturb.store.evaluations import read_facts


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is to be evaluated, and how."""

    source: ItemSource
    models: tuple[str, ...]
    """A litellm name, an address (`http://…`), `module:function`, or a name from the models file."""
    judge: str | None = None
    """Without one, only replies that are a code and nothing else are classified; the others wait for a judge."""
    out: Path | None = None
    """The run folder; `outputs/evaluate-NAME` unless given."""
    variant: Variant = "plain"
    names: ModelNames = field(default_factory=ModelNames)
    budget_usd: float | None = None
    """What the calls of the run may cost together; services and functions do not count."""
    retry_unscored: bool = False
    """Ask a judge again where no judgement could be read."""
    batch: BatchLimits | None = None
    """Ask by the batch, at half the price, in batches of at most this size."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A plan with everything it names found and read."""

    plan: EvaluationPlan
    item_set: ItemSet
    contestants: Mapping[str, Contestant]
    judge: Contestant | None
    codes: Mapping[str, str]
    """Every known spelling of a code, mapped to its canonical form."""

    def response_version(self, model: str) -> str:
        """Digest of a model under test, its settings, the prompts and the snapshot."""
        settings = self.contestants[model].settings
        return digest(settings.fingerprint(), self.plan.variant, respond_version(), self.item_set.digest)

    @property
    def judges_itself(self) -> tuple[str, ...]:
        """Models under test that are the judge as well, under whatever name."""
        if self.judge is None:
            return ()
        judge = self.judge.settings
        return tuple(
            name
            for name, one in self.contestants.items()
            if (one.settings.model, one.settings.api_base) == (judge.model, judge.api_base)
        )

    def goes_by_batch(self, seat: Contestant) -> bool:
        """Whether a model is asked by the batch; a judge that cannot be is called as usual."""
        from perturb.llm.remote_batches import can_batch

        return self.plan.batch is not None and seat.adapter is None and can_batch(seat.settings)


def set_up(plan: EvaluationPlan) -> Setting:
    """Find the models and read the items. Raises `ConfigError`, `SnapshotError` or `SourceError`."""
    if not plan.models:
        raise ConfigError("no model is given: name at least one with --model")
    catalogue = Catalogue.load()
    contestants = plan.names.find(plan.models)
    judge = None
    if plan.judge is not None:
        judge = contestants.get(plan.judge) or plan.names.find([plan.judge])[plan.judge]
    return Setting(plan, load_items(plan.source, catalogue), contestants, judge, catalogue.codes)


def enter(setting: Setting, ledger: EvaluationLedger) -> None:
    """Note in the ledger what is evaluated, and with which settings.

    Facts of models that are not under test this time stay as they are. Raises `ConfigError` if the ledger is that of
    something else.
    """
    item_set = setting.item_set
    facts = read_facts(ledger.db)
    known = facts.get("snapshot")
    if known is None and ledger.db.execute("SELECT 1 FROM plans").fetchone():
        raise ConfigError(f"{ledger.folder}: is the run of a build: give another --out")
    if known is None and facts:
        raise ConfigError(f"{ledger.folder}: holds another kind of run: give another --out")
    if known is not None and known["digest"] != item_set.digest:
        raise ConfigError(
            f"{ledger.folder}: holds an evaluation of another snapshot ({known['name']}, digest"
            f" {known['digest'][:8]}), and items of two cannot be mixed: give another --out"
        )
    ledger.add_items((item.id, item.to_payload()) for item in item_set.items)
    ledger.write_fact("snapshot", {"name": item_set.name, "digest": item_set.digest, "round": item_set.round})
    models = dict(facts.get("models", {}))
    models |= {name: _model_facts(setting, name, models.get(name, {})) for name in setting.contestants}
    ledger.write_fact("models", models)
    ledger.flush()


def _model_facts(setting: Setting, name: str, former: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of one model; without a judge, that of an earlier session still counts."""
    judge = setting.judge
    authors = [rule_author(setting.codes)]
    authors += former.get("authors", [])[1:] if judge is None else [judge_author(judge.settings)]
    return {
        **setting.contestants[name].facts(),
        "variant": setting.plan.variant,
        "fingerprint": setting.response_version(name),
        "judge": former.get("judge") if judge is None else {"name": judge.name, **judge.facts()},
        "authors": authors,
        "judges_itself": (
            former.get("judges_itself", False) if judge is None else name in setting.judges_itself
        ),
    }
