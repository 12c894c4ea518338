"""The report page of any run folder or table, and the page that shows several of them side by side.

`make_any_page` finds out what a folder or table holds and makes its page. `gather` reads several of them and
`make_side_by_side_page` puts RefusalBench, Refusal Index and BAS of the same models into one table. The *way* is how a
model was asked: the setting of the Refusal Index, or the elicitation of confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from perturb.errors import SourceError
from perturb.files.tables import column_names
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import CONFIDENCE_TABLE, REFUSAL_TABLE, read_facts
from perturb.metrics.inputs import Estimate, mean_of_independent
from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.model import Figure, Report, Section, Table, TableRows
from perturb.reports.scores_breakdowns import HEADLINES, headline_figure
from perturb.scoring import confidence_table, score_report
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from perturb.scoring.datasets import run_dataset, source_datasets
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from perturb.scoring.result_rows import REQUIRED


class SourceKind(Enum):
    """What a run folder or a table holds."""

    BUILD = "build"
    """The run of `perturb build`."""
    SCORES = "scores"
    """Replies to items: `perturb evaluate`, or a results table."""
    REFUSALS = "refusals"
    """Refusals and errors: `perturb refusal-index run`, or its table."""
    CONFIDENCE = "confidence"
    """Correctness and confidence: `perturb bas run`, or its table."""


# The columns that tell what a table holds; they are tried in this order.
_NEEDED_COLUMNS = {
    SourceKind.SCORES: REQUIRED,
    SourceKind.REFUSALS: ("refused", "wrong"),
    SourceKind.CONFIDENCE: confidence_table.NEEDED,
}


def source_kind(source: Path) -> SourceKind:
    """The kind of a run folder, by its table or ledger, or of a table, by its columns.

    Raises `SourceError` for any other file, `LedgerError` for a folder without a run.
    """
    if not source.is_dir():
        columns = set(column_names(source))
        for kind, needed in _NEEDED_COLUMNS.items():
            if set(needed) <= columns:
                return kind
        raise SourceError(
            f"{source}: is not a table of scores: such a table has the columns {', '.join(REQUIRED)};"
            " refused and wrong; or is_correct and confidence"
        )
    if (source / REFUSAL_TABLE).is_file():
        return SourceKind.REFUSALS
    if (source / CONFIDENCE_TABLE).is_file():
        return SourceKind.CONFIDENCE
    with reading(source) as db:
        return SourceKind.SCORES if "models" in read_facts(db) else SourceKind.BUILD


def make_any_page(
    source: Path, *, items: int = 1000, resamples: int = 1000, seed: int = 0, shortcuts: bool = False
) -> Report:
    """The report of a run or a table, whatever its kind; up to `items` items can be leafed through.

    `shortcuts` adds the shortcut audit to the report of a build.

    Raises `SourceError` or `LedgerError` for a file or folder that no report can be made of.
    """
    kind = source_kind(source)
    if kind is SourceKind.BUILD:
        from perturb.reports.audit_page import make_page

        return make_page(source, items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
    page = _evaluation_page(source, kind, items, resamples, seed)
    # A table of results has no judgements, so nothing can be said about its judges.
    if not (source / LEDGER_FILE).is_file():
        return page
    from perturb.reports.audit_sections import judges_section_of_run
    from perturb.reports.review_sections import checked_judge_section

    # Each is None for an evaluation without a panel of judges, or without people who checked the judge.
    sections = (
        make(source, seed=seed, resamples=resamples)
        for make in (judges_section_of_run, checked_judge_section)
    )
    return replace(page, sections=(*page.sections, *filter(None, sections)))


def _evaluation_page(source: Path, kind: SourceKind, items: int, resamples: int, seed: int) -> Report:
    # Pages are imported where they are made, so that a command loads the code of a single kind.
    if kind is SourceKind.REFUSALS:
        from perturb.reports.refusal_index_page import make_refusal_page

        return make_refusal_page(report_refusals([source], RefusalOptions(resamples=resamples, seed=seed)))
    if kind is SourceKind.CONFIDENCE:
        from perturb.reports.bas_page import make_bas_page

        precision = ConfidenceOptions(resamples=resamples, seed=seed)
        return make_bas_page(score_confidence([source], options=precision), str(source))
    from perturb.reports.scores_page import make_run_page, make_scores_page

    if source.is_dir():
        return make_run_page(source, items=items, resamples=resamples, seed=seed)
    return make_scores_page(score_report.score(source, resamples=resamples, seed=seed))


def figures_folder(source: Path, page: Path) -> Path:
    """The folder for figures and tables: `audit` if the page lies in the run of a build, else one beside the page."""
    inside = page.resolve().is_relative_to(source.resolve())
    return source / "audit" if inside and source_kind(source) is SourceKind.BUILD else page.with_suffix("")


# All scores of the common table, and their headings.
SCORES: Mapping[str, str] = {**HEADLINES, "refusal_index": "RI", "bas_uniform": "BAS"}
# The columns of the common table; Refusal Index and BAS are not shares, so they are not in percent.
_SCORE_COLUMNS = " | ".join(
    [*(f"{heading}, percent: percent" for heading in HEADLINES.values()), "RI: number", "BAS: number"]
)


class ModelScore(NamedTuple):
    """One score of a model on one data set, asked in one way."""

    model: str
    metric: str
    """As in `SCORES`."""
    dataset: str
    """Empty if the source does not name it."""
    way: str
    """Empty for RefusalBench, and if the source does not name it."""
    value: Estimate


@dataclass(frozen=True)
class SideBySide:
    """Every score of every model of every source."""

    sources: tuple[str, ...]
    scores: tuple[ModelScore, ...]
    """By name of the model."""
    warnings: tuple[str, ...]
    """Warnings to read before quoting the figures."""

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(self._scores_by_model)

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets, in order of appearance."""
        return list(dict.fromkeys(score.dataset for score in self.scores if score.dataset))

    @cached_property
    def _scores_by_model(self) -> dict[str, list[ModelScore]]:
        scores_by_model: dict[str, list[ModelScore]] = {}
        for score in self.scores:
            scores_by_model.setdefault(score.model, []).append(score)
        return scores_by_model

    def of(self, model: str, *metrics: str) -> list[ModelScore]:
        """The scores of a model by these metrics."""
        return [score for score in self._scores_by_model.get(model, ()) if score.metric in metrics]

    def combined(self, model: str, metric: str, dataset: str | None = None) -> Estimate | None:
        """The score of a model, on one data set if one is named; the mean if there are several values.

        Means over data sets have an interval; means over ways, which share questions, have none.
        """
        scores = [score for score in self.of(model, metric) if dataset in (None, score.dataset)]
        if len(scores) < 2:
            return scores[0].value if scores else None
        mean = mean_of_independent([score.value for score in scores])
        all_on_different_data = len({score.dataset for score in scores}) == len(scores)
        if all_on_different_data or mean.value is None:
            return mean
        return Estimate(mean.value, n=mean.n)


def gather(sources: Sequence[Path], *, resamples: int = 1000, seed: int = 0) -> SideBySide:
    """Compute the scores of each source and collect them by the names of the models; asks no model.

    Raises `SourceError` for a source that cannot be used, and where two have one model on one data set.
    """
    by_kind: dict[SourceKind, list[Path]] = {}
    for source in sources:
        by_kind.setdefault(source_kind(source), []).append(source)
    if SourceKind.BUILD in by_kind:
        raise SourceError(
            f"{by_kind[SourceKind.BUILD][0]}: the run of a build has no scores: give runs of evaluate, refusal-index"
            " and bas"
        )
    readers = {
        SourceKind.SCORES: _read_scores,
        SourceKind.REFUSALS: _read_refusals,
        SourceKind.CONFIDENCE: _read_confidence,
    }
    scores: list[ModelScore] = []
    warnings: list[str] = []
    for kind, paths in by_kind.items():
        # All sources of a kind are read together, since a model may answer one data set in several of them.
        scores += readers[kind](paths, max(2, resamples), seed, warnings)
    ordered = sorted(scores, key=lambda score: score.model)
    return SideBySide(tuple(map(str, sources)), tuple(ordered), tuple(dict.fromkeys(warnings)))


# The readers yield the scores of all sources of one kind, and add warnings about them to `warnings`.


def _read_scores(
    sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]
) -> Iterator[ModelScore]:
    source_of: dict[tuple[str, str], Path] = {}  # by model and data set
    reports = [score_report.score(source, resamples=resamples, seed=seed) for source in sources]
    model_names = [{model.model for model in report.models} for report in reports]
    names = source_datasets(list(zip(sources, model_names, strict=True)))
    for source, report, name in zip(sources, reports, names, strict=True):
        warnings += report.warnings
        dataset = name or _only_dataset(sources)
        for model in report.models:
            earlier = source_of.setdefault((model.model, dataset), source)
            if earlier is not source:
                raise SourceError(
                    f"{source}: '{model.model}' is also in {earlier}, on the same data set: leave one out, or give the"
                    " models different names"
                )
            for metric in HEADLINES:
                yield ModelScore(model.model, metric, dataset, "", model.metrics[metric])


def _read_refusals(
    sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]
) -> Iterator[ModelScore]:
    metric = "refusal_index"
    for group in report_refusals(sources, RefusalOptions(resamples=resamples, seed=seed)).groups:
        if group.index is not None and group.index.warning:
            warnings.append(f"{group.name}: {group.index.warning}")
        model, dataset = group.model or sources[0].stem, group.dataset or _only_dataset(sources)
        yield ModelScore(model, metric, dataset, group.setting or "", group.metrics[metric])


def _read_confidence(
    sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]
) -> Iterator[ModelScore]:
    metric = "bas_uniform"
    for scored in score_confidence(sources, options=ConfidenceOptions(resamples=resamples, seed=seed)).groups:
        group = scored.group
        warnings += group.warnings
        dataset = group.dataset or _only_dataset(sources)
        yield ModelScore(group.model, metric, dataset, group.elicitation or "", scored.report.metrics[metric])


def _only_dataset(sources: Sequence[Path]) -> str:
    """The data set of a single source. With several sources a missing name could stand for different data sets."""
    return (run_dataset(sources[0]) or "") if len(sources) == 1 else ""


def scores_by_model(side_by_side: SideBySide) -> list[tuple[str, dict[str, Estimate]]]:
    """The row of each model in the common table, by heading, without what no source has."""
    measured = {score.metric for score in side_by_side.scores}
    missing = Estimate.undefined("no source has it")
    rows = []
    for model in side_by_side.models:
        row = {
            heading: side_by_side.combined(model, metric) or missing
            for metric, heading in SCORES.items()
            if metric in measured
        }
        rows.append((model, row))
    return rows


def make_side_by_side_page(side_by_side: SideBySide) -> Report:
    """The page: one table for all, one by data set, then each score by itself."""
    sections = [_overview_section(side_by_side)]
    if len(side_by_side.datasets) > 1:
        sections.append(_by_dataset_section(side_by_side))
    for metric, chapter in _CHAPTERS.items():
        scores = [score for score in side_by_side.scores if score.metric == metric]
        if scores:
            sections.append(_single_score_section(scores, chapter))
    return Report("Models side by side", ", ".join(side_by_side.sources), sections)


def _overview_section(side_by_side: SideBySide) -> Section:
    rows: TableRows = []
    for model in side_by_side.models:
        datasets = {score.dataset for score in side_by_side.of(model, *SCORES)}
        settings = {score.way for score in side_by_side.of(model, "refusal_index")}
        elicitations = {score.way for score in side_by_side.of(model, "bas_uniform")}
        combined_scores = [side_by_side.combined(model, metric) for metric in SCORES]
        rows.append([model, *combined_scores, len(datasets), len(settings), len(elicitations)])
    table = Table(
        "side-by-side",
        "RefusalBench, Refusal Index and BAS",
        f"model | {_SCORE_COLUMNS} | data sets: count | settings: count | elicitations: count",
        rows,
        "With 95 % intervals. A model with several data sets, settings or elicitations gets their mean. A mean over"
        " data sets alone has an interval, other means have none. NA: no source has the score, or it is undefined"
        " for one of them.",
    )
    figures = []
    if any(score.metric in HEADLINES for score in side_by_side.scores):
        headline_scores = {
            model: {metric: side_by_side.combined(model, metric) for metric in HEADLINES}
            for model in side_by_side.models
        }
        figures.append(headline_figure("refusal-bench", "RefusalBench", headline_scores))
    sentences = [
        "RefusalBench: does a model answer what the text answers, and refuse the rest for the right reason? Refusal"
        " Index: does it refuse the questions that it would get wrong? BAS: does its stated confidence support"
        " decisions?"
    ]
    sentences += [f"{text}." for text in side_by_side.warnings]
    for metric, heading in SCORES.items():
        scores_of_models = (side_by_side.of(model, metric) for model in side_by_side.models)
        data_of_models = {
            frozenset(score.dataset for score in scores) for scores in scores_of_models if scores
        }
        if len(data_of_models) > 1:
            sentences.append(
                f"{heading}: not all models were measured on the same data sets, so their means do not compare."
            )
    return Section("overview", "Side by side", sentences, figures, (table,))


def _by_dataset_section(side_by_side: SideBySide) -> Section:
    rows: TableRows = []
    for model, dataset in product(side_by_side.models, side_by_side.datasets):
        values = [side_by_side.combined(model, metric, dataset) for metric in SCORES]
        if any(value is not None for value in values):
            rows.append([model, dataset, *values])
    title = "Each model on each data set"
    table = Table("datasets", title, f"model | data set | {_SCORE_COLUMNS}", rows)
    return Section("datasets", "Data sets", tables=(table,))


class _Chapter(NamedTuple):
    """The texts of the section on one score."""

    name: str
    title: str
    way_heading: str
    caption: str


_CHAPTERS = {
    "refusal_index": _Chapter(
        "refusal-index",
        "Refusal Index",
        "setting",
        "95 % intervals. 1: the model refuses where it errs; 0: refusal ignores errors.",
    ),
    "bas_uniform": _Chapter(
        "bas",
        "Behavioral Alignment Score",
        "elicitation",
        "95 % intervals, uniform prior. 0 is what always abstaining earns.",
    ),
}


def _single_score_section(scores: Sequence[ModelScore], chapter: _Chapter) -> Section:
    """One score of all models, by data set and way."""
    name, title, way_heading, caption = chapter
    value_of = {(score.model, score.dataset, score.way): score.value for score in scores}
    models = dict.fromkeys(score.model for score in scores)
    series = []
    for dataset, way in dict.fromkeys((score.dataset, score.way) for score in scores):
        marks = [Mark.of(model, value_of.get((model, dataset, way))) for model in models]
        series.append((" / ".join(filter(None, (dataset, way))), marks))
    figure = Figure(name, title, caption, draw_intervals(series, x_label=title, zero=True))
    table = Table.of(
        name,
        f"{title} by {way_heading}",
        f"model | data set = dataset | {way_heading} = way | value: number | n = value.n: count",
        scores,
    )
    return Section(name, title, figures=(figure,), tables=(table,))
