"""The report page on refusals: accuracy against refusal with iso-RI curves, scores with intervals, copulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perturb.records import Facts
from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.model import (
    NUMBER,
    CellValue,
    Figure,
    Report,
    Section,
    Table,
    TableRows,
    metric_columns,
)
from perturb.reports.refusal_sections import (
    MEDIAN,
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

# The columns that name a group, for rows that `_row` makes.
_NAMES = "model = group.model | data set = group.dataset | setting"


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
    scores = Table.of(
        "scores",
        "Scores with 95 % intervals",
        f"{_NAMES} | n: count | {metric_columns('group.metrics', METRICS, NUMBER)}",
        [_row(group, n=group.index.n if group.index else 0) for group in report.groups],
        note="Weighted scores: the text of the Refusal Index paper takes p = 0.2, its table 7 p = 1.",
    )
    questions = Table.of(
        "questions",
        "Questions",
        f"{_NAMES} | refused, wrong = n11: count | refused, right = n10: count | answered, wrong = n01: count"
        " | answered, right = n00: count | unscored = group.unscored: count | needed: count",
        [_row(group, needed=_needed(group), **_counts(group)) for group in report.groups],
        note=f"Needed: questions at which the coefficient of variation of RI would be {report.options.cv:g}.",
    )
    tables = [scores, questions]
    figures = [figure]
    # Without random subsets there are no sizes.
    sizes = sorted({size for group in report.groups for size in group.subset_cv.get("refusal_index", ())})
    if sizes:
        spreads = subset_spreads(report.groups, sizes)
        tables += _subset_tables(report.groups, sizes, spreads)
        caption, drawing = f"By the number of questions, {MEDIAN}.", draw_spreads(sizes, spreads)
        figures.append(Figure("subsets", "Coefficient of variation over subsets", caption, drawing))
    warnings = [f"{group.name}: {text}." for group in report.groups for text in warnings_of(group)]
    return Section("scores", "Scores", warnings, figures, tables)


def _subset_tables(
    groups: Sequence[GroupResult], sizes: Sequence[int], spreads: Mapping[str, Sequence[float | None]]
) -> list[Table]:
    """The spread of RI in each group, and that of every metric, which `subset_spreads` gives."""
    rows = []
    for group in groups:
        spread_of_size = group.subset_cv.get("refusal_index", {})
        rows.append(_row(group, spreads={str(size): spread_of_size.get(size, "-") for size in sizes}))
    size_columns = metric_columns("spreads", {str(size): str(size) for size in sizes}, NUMBER)
    metric_rows = []
    for heading, medians in spreads.items():
        spreads_by_size = dict(zip(map(str, sizes), medians, strict=True))
        metric_rows.append({"metric": heading, "spreads": spreads_by_size})
    return [
        Table.of(
            "subsets",
            "Coefficient of variation of RI over random subsets, by their size",
            f"{_NAMES} | {size_columns}",
            rows,
        ),
        Table.of(
            "subset-metrics", f"The same of each metric: {MEDIAN}", f"metric | {size_columns}", metric_rows
        ),
    ]


def warnings_of(group: GroupResult) -> list[str]:
    """Warnings to read before quoting the figures of a group."""
    if group.index is None:
        return [ALL_UNSCORED]
    lines = [text for text in (group.index.reason, group.index.warning) if text]
    return [*lines, f"{counted(group.unscored, 'row')} unscored and left out"] if group.unscored else lines


def _row(group: GroupResult, **values: object) -> Facts:
    """A row of a table with the columns `_NAMES`; the setting is empty where the group comprises several."""
    setting = group.setting or (ALL_ROWS if group.name == ALL_ROWS else "")
    return {"group": group, "setting": setting, **values}


def _counts(group: GroupResult) -> dict[str, int]:
    """The four counts of questions; 0 without an index."""
    return {name: getattr(group.index, name, 0) for name in ("n11", "n10", "n01", "n00")}


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
    rows = []
    notes: list[str] = []
    for group in report.groups:
        for fit in group.copulas.fits:
            parameters = ", ".join(f"{name} {value:.3g}" for name, value in fit.parameters.items())
            rows.append(_row(group, fit=fit, parameters=parameters))
            if fit.note:
                notes.append(f"{fit.family}: {fit.note}.")
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
    columns = (
        f"{_NAMES} | family = fit.family | log-likelihood = fit.log_likelihood: number | parameters"
        " | AIC = fit.aic: number | BIC = fit.bic: number"
    )
    table = Table.of("copulas", "Fits", columns, rows, note=" ".join(dict.fromkeys(notes)))
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
