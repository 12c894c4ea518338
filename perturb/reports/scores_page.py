"""The report page on models under test: the ranking, the scores in detail, and the replies.

CRS is the calibrated refusal score, FRR and MRR are the rates of false and missed refusals, ECE is the expected
calibration error, and RAF is relevance-aware factuality.

Sections with figures and breakdowns come from `scores_sections`, `scores_chapters` and `scores_breakdowns`; this module
puts them together and makes the tables of metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from perturb.errors import PublishError
from perturb.metrics.inputs import Estimate
from perturb.metrics.ranking import BEYOND_CHANCE
from perturb.metrics.refusal_registry import REFUSAL_METRICS, Range
from perturb.reports.model import (
    NUMBER,
    PERCENT,
    CellFormat,
    ItemBrowser,
    Report,
    Section,
    Table,
    TableRows,
    metric_columns,
    show,
    table_columns,
)
from perturb.reports.run_data import browse_replies
from perturb.reports.scores_breakdowns import (
    HEADLINES,
    Models,
    answer_parts_section,
    comparison_section,
    group_names,
    groups_section,
    headline_figure,
    in_group,
)
from perturb.reports.scores_chapters import (
    domains_section,
    item_response_section,
    samples_section,
    settings_section,
)
from perturb.reports.scores_sections import (
    balance_section,
    behaviour_section,
    calibration_section,
    codes_section,
    outcomes_table,
)
from perturb.scoring.human_grades import CORRECTED
from perturb.scoring.model_scores import ModelScores
from perturb.scoring.score_report import ScoreReport, score
from perturb.scoring.table import table_of_run
from perturb.text.wording import counted

# The metrics of the first table, with their headings.
DASHBOARD = {**HEADLINES, "false_refusal_rate": "FRR", "missed_refusal_rate": "MRR"}
# The metrics of the table on refusing, with their headings.
DETAILS = {
    "refusal_rate": "refusal rate",
    "detection_precision": "detection precision",
    "detection_recall": "detection recall",
    "detection_f1": "detection F1",
    "category_accuracy": "category accuracy",
    "hierarchical_refusal_score": "hierarchical score",
}
# Metrics that are defined only for items of several passages, or with stated confidence.
RARE = {
    "answer_quality": "answer quality (RAF)",
    "hybrid_score": "hybrid score",
    "ece": "ECE",
    "ece_answers": "ECE of answers",
    "ece_refusals": "ECE of refusals",
}
# Models that the overview shows at most, so that it fits a screen.
_MOST_IN_OVERVIEW = 8


def make_scores_page(
    report: ScoreReport,
    browser: ItemBrowser | None = None,
    source_notes: tuple[str, ...] = (),
    by: Collection[str] = ("class", "intensity"),
) -> Report:
    """The page of the scores; `source_notes` say where they come from, `by` names the breakdowns to list."""
    title = "Ranking, in percent with 95 % intervals"
    tables = [_ranking_table("dashboard", title, report.models)]
    if report.part:
        source, models = report.part
        tables.append(_ranking_table("part", f"The same on the items of {source} alone", models))
    sentences = [*_summary(report), *source_notes, *(f"{text}." for text in report.warnings)]
    sections = [
        Section("summary", "Summary", sentences, tables=tables, verdict=_verdict(report)),
        _dashboard_section(report),
        balance_section(report.models),
        behaviour_section(report.models),
        codes_section(report.models),
        groups_section(report.models, by),
    ]
    # A section is left out if its report has nothing for it.
    if any(model.groups["domain"] for model in report.models):
        sections.append(domains_section(report.models))
    if any(model.answer_parts for model in report.models):
        sections.append(answer_parts_section(report.models))
    if any(model.calibration for model in report.models):
        sections.append(calibration_section(report.models))
    if report.comparisons or report.own_items or report.flips:
        sections.append(comparison_section(report))
    if report.judge_errors is not None:
        sections.append(_corrected_section(report))
    if report.exam_gaps or report.kinds:
        sections.append(settings_section(report))
    if report.samples:
        sections.append(samples_section(report))
    if report.read_again:
        sections.append(_read_again_section(report))
    if report.item_response is not None:
        sections.append(item_response_section(report.item_response))
    return Report("Selective refusal: scores", report.source, sections, browser)


def make_scores_overview(report: ScoreReport) -> Report:
    """The scores on one screen: verdict, ranking, outcomes of the replies, and refusal accuracy by class."""
    models = _ranked(report.models)[:_MOST_IN_OVERVIEW]
    ranking = _metrics_table("ranking", "Ranking, in percent with 95 % intervals", models, HEADLINES)
    rows: TableRows = []
    for name in group_names(models, "class"):
        estimates = [in_group(model, "class", name, "refusal_accuracy") for model in models]
        rows.append([name, *(None if estimate is None else estimate.value for estimate in estimates)])
    shown_note = f", the best {_MOST_IN_OVERVIEW} shown" if len(report.models) > _MOST_IN_OVERVIEW else ""
    sentences = [
        f"{_count_models_and_items(report)}{shown_note}.",
        *_unscored(report),
        *(f"{text}." for text in report.warnings[:3]),  # a screen has no room for more
        "Every table: --all.",
    ]
    tables = (
        ranking,
        outcomes_table(models),
        Table(
            "by-class",
            "Refusal accuracy by class, in percent",
            {"class": "text", **{model.model: PERCENT for model in models}},
            rows,
        ),
    )
    section = Section("summary", "", sentences, tables=tables, verdict=_verdict(report))
    return Report("Selective refusal: scores", report.source, (section,))


def make_run_page(run: Path, *, items: int = 1000, resamples: int = 1000, seed: int = 0) -> Report:
    """The page of an evaluation's folder, with up to `items` items and their replies.

    Raises `LedgerError` if the folder holds no evaluation, `SourceError` if it has no reply yet.
    """
    from perturb.evaluation.results import read_run

    evaluation = read_run(run)
    table, facts = table_of_run(evaluation, run), evaluation.facts
    judges = sorted({entry["judge"]["name"] for entry in facts["models"].values() if entry["judge"]})
    sentences = [f"The items are those of {facts['snapshot']['name']}."]
    sentences.append(f"Replies were judged by {', '.join(judges)}." if judges else "No judge was named.")
    report = score(table, resamples=resamples, seed=seed)
    return make_scores_page(report, browse_replies(run, evaluation, table, items), tuple(sentences))


def scores_for_card(run: Path, folder: Path) -> str:
    """The ranking of an evaluation of the snapshot in `folder`, for its card. Raises `PublishError`."""
    from perturb.evaluation.results import read_run
    from perturb.snapshots.published_card import scores_section
    from perturb.snapshots.snapshot import read_snapshot

    evaluation = read_run(run)
    if evaluation.facts["snapshot"]["digest"] != read_snapshot(folder).content_digest:
        raise PublishError(f"{run}: is an evaluation of another snapshot than {folder}: evaluate this one")
    ranking = _ranking_table("dashboard", "", score(table_of_run(evaluation, run)).models)
    return scores_section([(column.heading, column.texts) for column in ranking.columns_shown])


def _corrected_section(report: ScoreReport) -> Section:
    """Scores and differences with the judge's errors taken out, as far as people graded a sample."""
    metrics = {name: DASHBOARD[name] for name in CORRECTED}
    scores = Table.of(
        "corrected",
        "Corrected by people's grades, in percent with 95 % intervals",
        f"model | {metric_columns('corrected', metrics)}",
        _ranked(report.models),
        note="The judge's rates, moved by what people change in a sample (prediction-powered inference).",
    )
    differences = Table(
        "corrected-differences",
        "Corrected differences, in percentage points",
        "metric | models | difference: change",
        [
            (comparison.metric.replace("_", " "), f"{comparison.a} - {comparison.b}", comparison.corrected)
            for comparison in report.comparisons
            if comparison.corrected
        ],
    )
    errors = Table.of(
        "judge-errors",
        "How often the judge errs, in percent",
        "model | judgement = kind | passes what people fail = false_pass: percent"
        " | fails what people pass = false_fail: percent",
        report.judge_errors or (),
        note="A judge that errs more often in favour of one model moves the ranking.",
    )
    return Section("corrected", "What people change", tables=(scores, differences, errors))


def _read_again_section(report: ScoreReport) -> Section:
    table = Table(
        "read-again",
        "Items to read again",
        "item | cell | why | right | wrong",
        [
            (item.item_id, item.cell, item.reason, ", ".join(item.right), ", ".join(item.wrong))
            for item in report.read_again
        ],
        note="Every model fails these items, or the stronger models fail and the weaker ones pass. Their labels may be"
        " wrong.",
        shown=20,
    )
    return Section("read-again", "Items to read again", tables=(table,))


def _ranked(models: Models) -> list[ModelScores]:
    """The models by calibrated refusal score, those without a score last."""

    def place(model: ModelScores) -> tuple[bool, float]:
        score = model.metrics["calibrated_refusal_score"].value
        return score is None, -(score or 0.0)

    return sorted(models, key=place)


def _ranking_table(name: str, title: str, models: Models) -> Table:
    columns = f"model | {metric_columns('metrics', DASHBOARD)} | replies = n: count | unscored: count"
    return Table.of(name, title, columns, _ranked(models))


def _verdict(report: ScoreReport) -> str:
    name = "calibrated_refusal_score"
    ranked = [model for model in _ranked(report.models) if model.metrics[name].value is not None]
    if not ranked:
        return "No model has a calibrated refusal score."
    best = ranked[0]
    sentence = f"{best.model} has a calibrated refusal score of {show(best.metrics[name], 'share')}"
    if len(ranked) == 1:
        return f"{sentence}."
    second = ranked[1]
    p_value = None
    for comparison in report.comparisons:
        if comparison.metric == name and {comparison.a, comparison.b} == {best.model, second.model}:
            # Corrected for the number of pairs, if there are several.
            p_value = comparison.p_value if comparison.p_holm is None else comparison.p_holm
    if p_value is None:
        return f"{sentence}, the highest."
    chance = "is beyond chance" if p_value < BEYOND_CHANCE else "may be chance"
    return f"{sentence}; its lead over {second.model} {chance} (p = {p_value:.2g})."


def _summary(report: ScoreReport) -> Iterable[str]:
    resampling = report.resampling
    units = {"base": "base instances", "item": "items"}[str(resampling.unit)]
    yield (
        f"{_count_models_and_items(report)}; 95 % intervals from {resampling.resamples:,} resamples of {units}."
    )
    for name in HEADLINES:
        scored = [model for model in report.models if model.metrics[name].value is not None]
        if scored:
            best = max(scored, key=lambda model: model.metrics[name].value or 0.0)
            yield f"Highest {name.replace('_', ' ')}: {best.model} with {show(best.metrics[name], 'share')}."
    yield from _unscored(report)


def _count_models_and_items(report: ScoreReport) -> str:
    largest = max(model.n for model in report.models)
    return f"{counted(len(report.models), 'model')} on up to {largest:,} items"


def _unscored(report: ScoreReport) -> Iterable[str]:
    unscored = [f"{model.model} {model.unscored:,}" for model in report.models if model.unscored]
    if unscored:
        yield f"Unscored replies, which do not count as right or wrong: {', '.join(unscored)}."


def _dashboard_section(report: ScoreReport) -> Section:
    models = _ranked(report.models)
    figure = headline_figure(
        "scores", "Answering and refusing", {model.model: model.metrics for model in models}
    )
    tables = [
        _metrics_table("details", "Whether to refuse, and why", models, DETAILS),
        *_optional_tables(models),
        _every_metric_table(models),
    ]
    return Section("scores", "Scores", figures=(figure,), tables=tables)


def _optional_tables(models: Models) -> Iterable[Table]:
    """Tables on metrics that only some evaluations have, and on unscored replies."""
    # A column of metrics that no model has would say nothing.
    defined = {name for model in models for name, value in model.metrics.items() if value.value is not None}
    rare = {name: heading for name, heading in RARE.items() if name in defined}
    if rare:
        yield _metrics_table("more", "Several passages and confidence, in percent", models, rare)
    own_metrics = {name: name for name in models[0].metrics if name not in REFUSAL_METRICS}
    if own_metrics:
        yield _metrics_table("own", "Metrics of your own", models, own_metrics, NUMBER)
    with_unscored = [model for model in models if model.unscored]
    if with_unscored:
        yield _bounds_table(with_unscored)
        yield _cell_bounds_table(models)


def _every_metric_table(models: Models) -> Table:
    """All metrics, for the CSV file alone: other tools read them from there."""
    rows: TableRows = []
    for model in models:
        for name, value in model.metrics.items():
            low, high = model.bounds.get(name) or (None, None)
            rows.append([model.model, name, value, value.se, value.n, low, high])
    columns = "model | metric | value: number | se: number | n: count | lowest: number | highest: number"
    return Table("metrics", "Every metric", columns, rows, shown=0)


def _metrics_table(
    name: str,
    title: str,
    models: Models,
    metrics: Mapping[str, str],
    cell_format: CellFormat = PERCENT,
) -> Table:
    return Table.of(name, title, f"model | {metric_columns('metrics', metrics, cell_format)}", models)


def _bounds_table(models: Models) -> Table:
    metrics = {**DASHBOARD, **{name: DETAILS[name] for name in ("detection_f1", "category_accuracy")}}
    rows: TableRows = []
    for model in models:
        lowest, highest = zip(*(model.bounds[name] or (None, None) for name in metrics), strict=True)
        rows += [[model.model, "lowest", *lowest], [model.model, "highest", *highest]]
    title = "Range, whatever the unscored replies would have been, in percent"
    columns = table_columns("model | reading") | dict.fromkeys(metrics.values(), PERCENT)
    return Table("bounds", title, columns, rows)


def _cell_bounds_table(models: Models) -> Table:
    metrics = {
        "answer_accuracy": "answer accuracy",
        "refusal_accuracy": "refusal accuracy",
        "refusal_rate": "refusal rate",
    }
    rows = []
    for model in models:
        for cell, ranges in model.group_bounds["cell"].items():
            estimates = model.groups["cell"][cell]
            values = {name: _in_range(estimates[name], ranges[name]) for name in metrics}
            row = {"cell": cell, "model": model.model, "read": estimates["refusal_rate"].n, "values": values}
            rows.append(row)
    return Table.of(
        "bounds-by-cell",
        "Cells with unscored replies, in percent",
        f"cell | model | replies read = read: count | {metric_columns('values', metrics)}",
        rows,
        note="In brackets is the range, whatever the unscored replies would have been, not a 95 % interval.",
    )


def _in_range(estimate: Estimate, bounds: Range | None) -> Estimate | None:
    """The value, with the bounds in place of its interval, so that a table shows them in brackets."""
    return None if bounds is None else replace(estimate, low=bounds.low, high=bounds.high)
