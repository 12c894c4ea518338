"""The report page of any run folder or table, and the page that shows several of them side by side.

`make_any_page` finds out what a folder or table holds and makes its page. `gather` reads several of them and
`make_side_by_side_page` puts RefusalBench, Refusal Index and BAS of the same models into one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from perturb.errors import SourceError
from perturb.files.tables import column_names
from perturb.ledger.calls import LEDGER_FILE, reading
from perturb.ledger.evaluations import CONFIDENCE_TABLE, REFUSAL_TABLE, read_facts
from perturb.metrics.inputs import Estimate, mean_of_independent
from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.model import (
    NUMBER,
    PERCENT,
    TEXT,
    Figure,
    Report,
    Section,
    Table,
    TableRows,
    table_columns,
)
from perturb.reports.scores_breakdowns import HEADLINES, headline_figure
from perturb.scoring import confidence_table
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from perturb.scoring.datasets import run_dataset, source_datasets
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from perturb.scoring.result_rows import REQUIRED
from perturb.scoring.score_report import score


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
    return make_scores_page(score(source, resamples=resamples, seed=seed))


def figures_folder(source: Path, page: Path) -> Path:
    """The folder for figures and tables: `audit` if the page lies in the run of a build, else one beside the page."""
    inside = page.resolve().is_relative_to(source.resolve())
    return source / "audit" if inside and source_kind(source) is SourceKind.BUILD else page.with_suffix("")


# All scores of the common table, and their headings.
SCORES: Mapping[str, str] = {**HEADLINES, "refusal_index": "RI", "bas_uniform": "BAS"}
# The columns of the common table; Refusal Index and BAS are not shares, so they are not in percent.
_COLUMNS = {f"{head}, percent": PERCENT for head in HEADLINES.values()} | {"RI": NUMBER, "BAS": NUMBER}

# Data set, and setting or elicitation; an empty text if a source does not name it.
Condition = tuple[str, str]


@dataclass(slots=True)
class ModelLine:
    """The scores of one model from all sources."""

    model: str
    scores: dict[str, dict[Condition, Estimate]] = field(default_factory=dict)
    """Name of the score, as in `SCORES` → condition → value; only scores and conditions that a source has."""

    def datasets(self, metric: str) -> frozenset[str]:
        """The data sets on which the score was measured."""
        return frozenset(dataset for dataset, _ in self.scores[metric])

    def combined(self, metric: str, dataset: str | None = None) -> Estimate | None:
        """The score, on one data set if one is named; the mean if there are several values.

        Means over data sets have an interval; means over settings or elicitations, which share questions, have none.
        """
        estimates = self.scores.get(metric, {})
        matching = {
            condition: value for condition, value in estimates.items() if dataset in (None, condition[0])
        }
        values = list(matching.values())
        if len(values) < 2:
            return values[0] if values else None
        mean = mean_of_independent(values)
        all_on_different_data = len({dataset for dataset, _ in matching}) == len(values)
        if all_on_different_data or mean.value is None:
            return mean
        return Estimate(mean.value, n=mean.n)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Every model of every source."""

    sources: tuple[str, ...]
    lines: tuple[ModelLine, ...]
    """By name of the model."""
    warnings: tuple[str, ...]
    """Warnings to read before quoting the figures."""

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets, in order of appearance."""
        conditions = [
            condition for line in self.lines for values in line.scores.values() for condition in values
        ]
        return [name for name in dict.fromkeys(dataset for dataset, _ in conditions) if name]


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
    lines: dict[str, ModelLine] = {}
    warnings: list[str] = []
    readers = {
        SourceKind.SCORES: _read_scores,
        SourceKind.REFUSALS: _read_refusals,
        SourceKind.CONFIDENCE: _read_confidence,
    }
    for kind, paths in by_kind.items():
        # All sources of a kind are read together, since a model may answer one data set in several of them.
        for result in readers[kind](paths, max(2, resamples), seed, warnings):
            line = lines.setdefault(result.model, ModelLine(result.model))
            line.scores.setdefault(result.metric, {})[result.condition] = result.value
    ordered = tuple(lines[name] for name in sorted(lines))
    return SideBySide(tuple(map(str, sources)), ordered, tuple(dict.fromkeys(warnings)))


def scores_by_model(side_by_side: SideBySide) -> list[tuple[str, dict[str, Estimate]]]:
    """The row of each model in the common table, by heading, without what no source has."""
    metrics = [metric for metric in SCORES if any(metric in line.scores for line in side_by_side.lines)]
    missing = Estimate.undefined("no source has it")
    return [
        (line.model, {SCORES[metric]: line.combined(metric) or missing for metric in metrics})
        for line in side_by_side.lines
    ]


def make_side_by_side_page(side_by_side: SideBySide) -> Report:
    """The page: one table for all, one by data set, then each score by itself."""
    sections = [_overview_section(side_by_side)]
    if len(side_by_side.datasets) > 1:
        sections.append(_by_dataset_section(side_by_side))
    captions = {
        "refusal_index": "95 % intervals. 1: the model refuses where it errs; 0: refusal ignores errors.",
        "bas_uniform": "95 % intervals, uniform prior. 0 is what always abstaining earns.",
    }
    for metric, caption in captions.items():
        lines = [line for line in side_by_side.lines if metric in line.scores]
        if lines:
            sections.append(_single_score_section(metric, lines, caption))
    return Report("Models side by side", ", ".join(side_by_side.sources), sections)


class _Score(NamedTuple):
    """One score of a model under one condition."""

    model: str
    condition: Condition
    metric: str
    value: Estimate


def _read_scores(sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]) -> Iterable[_Score]:
    source_of: dict[tuple[str, str], Path] = {}  # by model and data set
    reports = [score(source, resamples=resamples, seed=seed) for source in sources]
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
                yield _Score(model.model, (dataset, ""), metric, model.metrics[metric])


def _read_refusals(
    sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]
) -> Iterable[_Score]:
    for group in report_refusals(sources, RefusalOptions(resamples=resamples, seed=seed)).groups:
        if group.index is not None and group.index.warning:
            warnings.append(f"{group.name}: {group.index.warning}")
        condition = (group.dataset or _only_dataset(sources), group.setting or "")
        model = group.model or sources[0].stem
        yield _Score(model, condition, "refusal_index", group.metrics["refusal_index"])


def _read_confidence(
    sources: Sequence[Path], resamples: int, seed: int, warnings: list[str]
) -> Iterable[_Score]:
    for scored in score_confidence(sources, options=ConfidenceOptions(resamples=resamples, seed=seed)).groups:
        warnings += scored.group.warnings
        condition = (scored.group.dataset or _only_dataset(sources), scored.group.elicitation or "")
        yield _Score(scored.group.model, condition, "bas_uniform", scored.report.metrics["bas_uniform"])


def _only_dataset(sources: Sequence[Path]) -> str:
    """The data set of a single source. With several sources a missing name could stand for different data sets."""
    return (run_dataset(sources[0]) or "") if len(sources) == 1 else ""


def _overview_section(side_by_side: SideBySide) -> Section:
    counts = table_columns("data sets: count | settings: count | elicitations: count")
    columns = {"model": TEXT, **_COLUMNS, **counts}
    rows: TableRows = []
    for line in side_by_side.lines:
        datasets = {dataset for metric in line.scores for dataset in line.datasets(metric)}
        settings, elicitations = (
            {setting for _, setting in line.scores.get(metric, {})}
            for metric in ("refusal_index", "bas_uniform")
        )
        scores = [line.combined(metric) for metric in SCORES]
        rows.append([line.model, *scores, len(datasets), len(settings), len(elicitations)])
    note = (
        "With 95 % intervals. A model with several data sets, settings or elicitations gets their mean. A mean over"
        " data sets alone has an interval, other means have none. NA: no source has the score, or it is undefined"
        " for one of them."
    )
    table = Table("side-by-side", "RefusalBench, Refusal Index and BAS", columns, rows, note)
    figures = []
    if any(metric in line.scores for line in side_by_side.lines for metric in HEADLINES):
        headline_scores = {
            line.model: {metric: line.combined(metric) for metric in HEADLINES} for line in side_by_side.lines
        }
        figures.append(headline_figure("refusal-bench", "RefusalBench", headline_scores))
    sentences = [
        "RefusalBench: does a model answer what the text answers, and refuse the rest for the right reason? Refusal"
        " Index: does it refuse the questions that it would get wrong? BAS: does its stated confidence support"
        " decisions?"
    ]
    sentences += [f"{text}." for text in side_by_side.warnings]
    for metric, heading in SCORES.items():
        data_of_models = {line.datasets(metric) for line in side_by_side.lines if metric in line.scores}
        if len(data_of_models) > 1:
            sentences.append(
                f"{heading}: not all models were measured on the same data sets, so their means do not compare."
            )
    return Section("overview", "Side by side", sentences, figures, (table,))


def _by_dataset_section(side_by_side: SideBySide) -> Section:
    columns = {"model": TEXT, "data set": TEXT, **_COLUMNS}
    rows: TableRows = []
    for line in side_by_side.lines:
        for name in side_by_side.datasets:
            values = [line.combined(metric, name) for metric in SCORES]
            if any(value is not None for value in values):
                rows.append([line.model, name, *values])
    table = Table("datasets", "Each model on each data set", columns, rows)
    return Section("datasets", "Data sets", tables=(table,))


def _single_score_section(metric: str, lines: Sequence[ModelLine], caption: str) -> Section:
    """The section on the Refusal Index or the Behavioral Alignment Score, by data set and by setting or elicitation."""
    if metric == "refusal_index":
        name, title, setting_column = "refusal-index", "Refusal Index", "setting"
    else:
        name, title, setting_column = "bas", "Behavioral Alignment Score", "elicitation"
    series = []
    for condition in dict.fromkeys(condition for line in lines for condition in line.scores[metric]):
        marks = [Mark.of(line.model, line.scores[metric].get(condition)) for line in lines]
        series.append((" / ".join(filter(None, condition)), marks))
    figure = Figure(name, title, caption, draw_intervals(series, x_label=title, zero=True))
    rows: TableRows = [
        [line.model, *condition, value, value.n]
        for line in lines
        for condition, value in line.scores[metric].items()
    ]
    columns = f"model | data set | {setting_column} | value: number | n: count"
    table = Table(name, f"{title} by {setting_column}", columns, rows)
    return Section(name, title, figures=(figure,), tables=(table,))
