"""The chapters of the report page on prompt settings and on replies drawn more than once.

Settings: the exam gap, both readings, and what free replies do. Samples: how often behaviour flips, and what that adds
to standard errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from perturb.metrics.kinds import BehaviourKind
from perturb.reports.model import PERCENT, CellValue, Figure, Section, Table, table_columns
from perturb.reports.scores_figures import draw_stacks
from perturb.scoring.model_scores import ModelScores
from perturb.scoring.score_report import ScoreReport
from perturb.scoring.settings import ALL_CLASSES, ExamGap, KindCount

_READ = {
    "refusal_accuracy": "refusal accuracy",
    "correct_refusal_rate": "correct refusal rate",
    "false_refusal_rate": "FRR",
    "answer_accuracy": "answer accuracy",
    "calibrated_refusal_score": "CRS",
}


def settings_section(report: ScoreReport) -> Section:
    """Settings beside each other; for reports with exam gaps or kinds of free replies."""
    sentences = [
        "Free replies are read twice. Strict: only a reply that offers nothing as an answer is a refusal. Lenient: a"
        " list without a preference is a refusal too. The other chapters have the strict reading."
    ]
    figures = [_figure(report.kinds)] if report.kinds else []
    tables = [_gaps(report), _readings(report), _kinds(report.kinds)]
    return Section(
        "settings", "Prompt settings", sentences if report.kinds else (), tuple(figures), tuple(tables)
    )


def samples_section(report: ScoreReport) -> Section:
    """How often models behave differently on the same item; for reports with samples."""
    flips = Table(
        "flips",
        "Behaviour on the same item, by model and class, in percent",
        "model | class | items: count | samples: number | answered and refused: percent | two replies differ: percent",
        [
            (
                one.model,
                "all classes" if one.perturbation_class == ALL_CLASSES else one.perturbation_class,
                *(one.items, one.samples, one.flips, one.disagreement),
            )
            for one in report.samples
        ],
        note="Two replies differ if one answers and the other refuses, or if they refuse with two codes. More samples"
        " find more items that are both answered and refused; the chance that two replies differ stays.",
    )
    errors = Table(
        "sample-errors",
        "Standard errors in two parts, in percent",
        "model | metric | all: percent | items: percent | replies: percent | variance within items: percent",
        [
            (one.model, one.metric.replace("_", " "), one.se, one.se_items, one.se_replies, one.within)
            for one in report.sample_errors
        ],
        note="More samples lower the part of the replies, more items lower both: see `perturb power --replies`.",
    )
    return Section("samples", "Replies drawn more than once", tables=(flips, errors))


def _gaps(report: ScoreReport) -> Table:
    """A row for each model, setting, reading and class; the JSON of `score` has every metric."""
    found: dict[tuple[str, str, str, str], dict[str, ExamGap]] = {}
    for one in report.exam_gaps:
        key = one.model, one.prompt, one.reading, one.perturbation_class
        found.setdefault(key, {})[one.metric] = one
    rows: list[list[CellValue]] = [
        [
            *key[:3],
            "all classes" if key[3] == ALL_CLASSES else key[3],
            gaps["refusal_accuracy"].codes,
            gaps["refusal_accuracy"].other,
            gaps["refusal_accuracy"].difference,
            gaps["false_refusal_rate"].difference,
        ]
        for key, gaps in found.items()
    ]
    values = ("codes", "other", "gap", "gap of FRR")
    return Table(
        "exam-gap",
        "Exam gap: refusal accuracy with the codes, in the other setting, and the difference, in percent",
        table_columns("model | prompt | reading | class") | dict.fromkeys(values, PERCENT),
        rows,
    )


def _readings(report: ScoreReport) -> Table:
    lenient = {one.model: one for one in report.lenient}
    pairs: list[tuple[ModelScores, str]] = []
    for one in report.models:
        pairs.append((one, "strict"))
        if one.model in lenient:
            pairs.append((lenient[one.model], "lenient"))
    rows: list[list[CellValue]] = [
        [one.model, reading, *(one.metrics[name] for name in _READ)] for one, reading in pairs
    ]
    columns = table_columns("model | reading") | dict.fromkeys(_READ.values(), PERCENT)
    return Table("readings", "Both readings of free replies, in percent", columns, rows if lenient else [])


def _kinds(kinds: Sequence[KindCount]) -> Table:
    rows: list[list[CellValue]] = [
        [
            one.model,
            one.perturbation_class,
            "answer" if one.answerable else "refuse",
            one.kind.replace("_", " "),
            one.replies,
        ]
        for one in kinds
    ]
    head = "model | class | to do | kind | replies: count"
    return Table("kinds", "What free replies do", head, rows)


def _figure(kinds: Sequence[KindCount]) -> Figure:
    counts: dict[str, dict[str, int]] = {}
    for one in kinds:
        if not one.answerable:
            label = f"{one.model}: {one.perturbation_class}"
            counts.setdefault(label, {})[one.kind] = one.replies
    shares: list[dict[str, float | None]] = [
        {kind: of_kind.get(kind, 0) / sum(of_kind.values()) for kind in (*BehaviourKind, "unscored")}
        for of_kind in counts.values()
    ]
    nothing: dict[str, float | None] = dict.fromkeys((*BehaviourKind, "unscored"))
    return Figure(
        "kinds",
        "What free replies do to items that cannot be answered",
        "By model and class, in percent of the replies.",
        draw_stacks(list(counts) or ["no such item"], shares or [nothing]),
    )
