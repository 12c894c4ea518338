"""The report page on refusals: accuracy against refusal with iso-RI curves, scores with intervals, copulas."""

from __future__ import annotations

from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.model import (
    COUNT,
    NUMBER,
    CellValue,
    Figure,
    Report,
    Section,
    Table,
    TableRows,
    table_columns,
)
from perturb.reports.refusal_sections import (
    MEDIAN,
    NAMES,
    by_model,
    draw_iso_curves,
    draw_iso_metrics,
    draw_spreads,
    sampling_section,
    stability_section,
    subset_spreads,
)
from perturb.reports.scores_breakdowns import datasets_section, mean_known
from perturb.scoring.datasets import ALL_ROWS
from perturb.scoring.refusal_report import ALL_UNSCORED, GroupResult, RefusalReport
from perturb.scoring.refusal_table import METRICS
from perturb.text.wording import counted, listed


def make_refusal_page(report: RefusalReport) -> Report:
    """The page of a report; scores, counts, copulas and stability also go into CSV files."""
    sections = [_scores(report)]
    if report.means:
        titles = {name: METRICS[name] for name in ("refusal_index", "correct_rate", "refusal_rate")}
        values = ((group, group.metrics) for group in report.groups)
        sections.append(datasets_section(values, report.means, titles, "setting"))
    sections.append(_curves(report))
    if sampling := sampling_section(report):
        sections.append(sampling)
    sections.append(_copulas(report))
    if report.stability or report.ranking:
        sections.append(stability_section(report))
    return Report("Refusal Index", report.source, sections)


def _scores(report: RefusalReport) -> Section:
    figure = Figure(
        "refusal-index",
        "Refusal Index",
        "95 % intervals. 1: the model refuses where it errs; 0: refusal ignores errors.",
        draw_intervals(
            [("RI", [Mark.of(group.name, group.metrics["refusal_index"]) for group in report.groups])],
            x_label="Refusal Index",
            zero=True,
        ),
    )
    scores = Table(
        "scores",
        "Scores with 95 % intervals",
        {**NAMES, "n": "count", **dict.fromkeys(METRICS.values(), NUMBER)},
        [
            (*_labels(group), group.index.n if group.index else 0, *(group.metrics[name] for name in METRICS))
            for group in report.groups
        ],
        note="Weighted scores: the text of the Refusal Index paper takes p = 0.2, its table 7 p = 1.",
    )
    counts = ("refused, wrong", "refused, right", "answered, wrong", "answered, right", "unscored", "needed")
    questions = Table(
        "questions",
        "Questions",
        {**NAMES, **dict.fromkeys(counts, COUNT)},
        [(*_labels(group), *_counts(group), group.unscored, _needed(group)) for group in report.groups],
        note=f"Needed: questions at which the coefficient of variation of RI would be {report.options.cv:g}.",
    )
    tables = [scores, questions]
    figures = [figure]
    sizes = sorted({size for group in report.groups for size in group.subset_cv.get("refusal_index", ())})
    if sizes:
        rows = [
            (*_labels(group), *(group.subset_cv.get("refusal_index", {}).get(size, "-") for size in sizes))
            for group in report.groups
        ]
        title = "Coefficient of variation of RI over random subsets, by their size"
        numbers = dict.fromkeys(map(str, sizes), NUMBER)
        spreads = subset_spreads(report.groups, sizes)
        metrics_title = f"The same of each metric: {MEDIAN}"
        tables += [
            Table("subsets", title, {**NAMES, **numbers}, rows),
            Table("subset-metrics", metrics_title, {"metric": "text", **numbers}, spreads),
        ]
        caption, drawing = f"By the number of questions, {MEDIAN}.", draw_spreads(sizes, spreads)
        figures.append(Figure("subsets", "Coefficient of variation over subsets", caption, drawing))
    warnings = [f"{group.name}: {text}." for group in report.groups for text in warnings_of(group)]
    return Section("scores", "Scores", warnings, figures, tables)


def warnings_of(group: GroupResult) -> list[str]:
    """Warnings to read before quoting the figures of a group."""
    if group.index is None:
        return [ALL_UNSCORED]
    lines = [text for text in (group.index.reason, group.index.warning) if text]
    return [*lines, f"{counted(group.unscored, 'row')} unscored and left out"] if group.unscored else lines


def _labels(group: GroupResult) -> tuple[str, str, str]:
    """Model, data set and setting of a group, for the columns of `NAMES`; empty where the group comprises several."""
    setting = group.setting or (ALL_ROWS if group.name == ALL_ROWS else "")
    return group.model or "", group.dataset or "", setting


def _counts(group: GroupResult) -> tuple[int, ...]:
    index = group.index
    return (index.n11, index.n10, index.n01, index.n00) if index else (0, 0, 0, 0)


def _needed(group: GroupResult) -> CellValue:
    needed = group.questions_needed
    return needed if needed.value is None else round(needed.value)


def _curves(report: RefusalReport) -> Section:
    figures = []
    for number, (name, model_groups) in enumerate(by_model(report.groups).items(), start=1):
        groups = [group for group in model_groups if group.index is not None]
        if groups:
            figures.append(
                Figure(
                    f"iso-ri-{number}",
                    f"Accuracy and refusal{f': {name}' if name else ''}",
                    "A point for each setting. Grey: what a model of equal knowledge would reach at the index written"
                    " on the curve; the coloured curve is the one of the mean index of the points.",
                    draw_iso_curves(groups),
                )
            )
        # With a single point, every curve would pass through it.
        if len(groups) > 1:
            figures.append(
                Figure(
                    f"iso-metrics-{number}",
                    f"What each metric takes for equal{f': {name}' if name else ''}",
                    "The curves on which RI, C/A, F and the weighted score (p = 0.2) keep their mean over the settings:"
                    " where the points would lie if the metric did not move with refusals.",
                    draw_iso_metrics(groups),
                )
            )
    sentence = "A model with one index moves along a curve as it is made to refuse more or less."
    return Section("curves", "Accuracy against refusal", (sentence,), figures)


def _copulas(report: RefusalReport) -> Section:
    rows: TableRows = [
        [
            *_labels(group),
            fit.family,
            fit.log_likelihood,
            ", ".join(f"{name} {value:.3g}" for name, value in fit.parameters.items()),
            fit.aic,
            fit.bic,
        ]
        for group in report.groups
        for fit in group.copulas.fits
    ]
    fits = (fit for group in report.groups for fit in group.copulas.fits)
    notes = dict.fromkeys(f"{fit.family}: {fit.note}." for fit in fits if fit.note)
    undefined: dict[str, list[str]] = {}
    for group in report.groups:
        if group.copulas.reason and group.index is not None:
            undefined.setdefault(group.copulas.reason, []).append(group.name)
    sentences = (
        "One table of four counts cannot tell copula families apart: every family that can reach it fits it exactly.",
        *(
            f"Gaussian against {rival}: ahead by log-likelihood in {rates['log_likelihood']:.0%} of the groups,"
            " a tie counting one half."
            for rival, rates in report.win_rates.items()
        ),
        *(f"No fit for {listed(names)}: {reason}." for reason, names in undefined.items()),
    )
    columns = NAMES | table_columns(
        "family | log-likelihood: number | parameters | AIC: number | BIC: number"
    )
    table = Table("copulas", "Fits", columns, rows, note=" ".join(notes))
    return Section("copulas", "Copulas", sentences, tables=(_copula_means(report), table))


def _copula_means(report: RefusalReport) -> Table:
    """Refusal Index paper, table 6."""
    # A group at a bound, or without a margin, has no fits.
    fitted = [group.copulas.fits for group in report.groups if group.copulas.fits]
    criteria = ("log_likelihood", "aic", "bic")
    rows: TableRows = []
    for family_fits in zip(*fitted, strict=True):  # every group has the same families in the same order
        family = family_fits[0].family
        means = [mean_known(getattr(fit, name) for fit in family_fits) for name in criteria]
        win_rates = report.win_rates.get(family, {})
        rows.append([family, len(family_fits), *means, *(win_rates.get(name, "") for name in criteria)])
    return Table(
        "copulas-mean",
        "Means over all groups, and how often the Gaussian copula fits better",
        "family | groups: count | log-likelihood: number | AIC: number | BIC: number"
        " | Gaussian ahead: share | by AIC: share | by BIC: share",
        rows,
    )
