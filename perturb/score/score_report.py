"""Every score of every model in one report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from perturb.errors import ConfigError, SourceError
from perturb.metrics.estimates import plain
from perturb.metrics.resampling import check_resampling
from perturb.score.flips import Flips, measure_flips
from perturb.score.item_response import ItemResponseReport, measure_item_response
from perturb.score.model_comparison import ModelComparison, compare_models
from perturb.score.model_scores import ModelScores, Resampling, Unit, score_model
from perturb.score.own_metrics import read_metrics
from perturb.score.result_sources import read_results
from perturb.score.self_generated import SelfGeneratedComparison, compare_self_generated
from perturb.score.table import ModelReplies, ResultTable


class PartScores(NamedTuple):
    """The scores on those of the items that are in a snapshot."""

    source: str
    models: tuple[ModelScores, ...]


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """All scores of an evaluation; `to_dict` gives the JSON of spec section 11."""

    source: str
    resampling: Resampling
    warnings: tuple[str, ...]
    """What a reader must know before quoting the scores."""
    models: tuple[ModelScores, ...]
    comparisons: tuple[ModelComparison, ...]
    own_items: tuple[SelfGeneratedComparison, ...]
    flips: tuple[Flips, ...]
    """Empty unless the snapshot has control rows."""
    stops: Mapping[str, Mapping[str, Any]]
    """Of models that were asked under a rule for stopping: how far, and the interval reached."""
    item_response: ItemResponseReport | None = None
    """None unless asked for."""
    part: PartScores | None = None
    """None unless asked for."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what is undefined is None beside a reason."""
        content = plain(self)
        for asked_for in ("item_response", "part"):
            if content[asked_for] is None:
                del content[asked_for]
        return {**content.pop("resampling"), "until": content.pop("stops"), **content}


def score(
    source: ResultTable | Path | str,
    *,
    resamples: int = 1000,
    seed: int = 0,
    unit: Unit | str = Unit.BASE,
    item_response: bool = False,
    models: Collection[str] = (),
    metrics: Iterable[Any] = (),
    part: Path | None = None,
) -> ScoreReport:
    """Score an evaluation's folder, a file of results, or results in memory; no model is asked.

    Intervals are 95 % bootstrap intervals over `unit`s: "base" instances or "item"s. `item_response` also fits item
    response models. Of all models, or of those named. `metrics` are functions of the user's own, as `read_metrics`
    takes them. `part` is a snapshot, such as one of the strategy `hard`: the items in it are also scored alone.

    Raises `SourceError` if the results cannot be read, contradict themselves, or are too few to fit, `LedgerError` if
    the folder holds no evaluation, `ConfigError` if an option cannot be used.
    """
    check_resampling(resamples, seed)
    if unit not in list(Unit):
        raise ConfigError(f"unit is '{unit}': give one of {', '.join(Unit)}")
    table = source if isinstance(source, ResultTable) else read_results(source)
    if models:
        table = table.of_models(models)
    resampling, own = Resampling(resamples, seed, Unit(unit)), read_metrics(metrics)

    def scores_of(models: Iterable[ModelReplies]) -> tuple[ModelScores, ...]:
        return tuple(
            score_model(one, resampling, codes=table.codes, raf=table.raf, own=own) for one in models
        )

    return ScoreReport(
        source=table.source,
        resampling=resampling,
        warnings=table.warnings,
        models=scores_of(table.models),
        comparisons=compare_models(table.models, resampling, raf=table.raf),
        own_items=compare_self_generated(table.models, resampling, raf=table.raf),
        flips=measure_flips(table.models, table.controls, resampling),
        item_response=measure_item_response(table) if item_response else None,
        stops=table.stops,
        part=None if part is None else PartScores(str(part), scores_of(_in_part(table, part))),
    )


def _in_part(table: ResultTable, part: Path) -> list[ModelReplies]:
    """The replies to the items that are in a snapshot too."""
    from perturb.evaluate.loading import load_made_items

    ids = frozenset(item.id for item in load_made_items(part))
    found = [replies for one in table.models if (replies := one.only(ids)).rows]
    if not found:
        raise SourceError(
            f"{part}: {table.source} has no reply to an item of it: give a snapshot of the same run"
        )
    return found
