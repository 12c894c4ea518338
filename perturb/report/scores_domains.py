"""The chapter on domains: how many items each has, which model is best in it, and what is hard there.

RefusalBench, figures 7 and 28 to 30.
"""

from __future__ import annotations

from perturb.metrics.estimates import Estimate
from perturb.report.figures import Mark, draw_bars
from perturb.report.model import Figure, Section, Table
from perturb.report.scores_breakdowns import (
    Models,
    draw_group_map,
    group_names,
    in_group,
    in_percent,
    mean_known,
)
from perturb.report.scores_figures import draw_grouped_bars

MAX_DOMAINS = 30


def domains_section(models: Models) -> Section:
    """Items, champions, difficulty of answering and of refusing, and the models' scores, domain by domain."""
    quality = any(one.metrics["answer_quality"].value is not None for one in models)
    answering = "answer_quality" if quality else "answer_accuracy"
    metrics = {answering: answering.replace("_", " "), "refusal_accuracy": "refusal accuracy"}
    names = group_names(models, "domain")
    ranked = sorted(names, key=lambda name: -(_difficulties(models, name, tuple(metrics))[-1] or 0.0))
    shown = ranked[:MAX_DOMAINS]
    whose = "Mean over the models" if len(models) > 1 else f"Of {models[0].model}, with 95 % intervals"
    figures = [
        Figure(
            "domain-difficulty",
            "Difficulty of domains",
            "100 less the mean over the models; the domain that is hardest in both together comes first.",
            draw_grouped_bars(
                shown,
                [
                    (task, [Estimate(_difficulties(models, name, (metric,))[0]) for name in shown])
                    for task, metric in zip(("answering", "refusing"), metrics, strict=True)
                ],
                x_label="difficulty",
            ),
        ),
        *(
            Figure(
                f"domain-{metric.replace('_', '-')}",
                f"{heading.capitalize()} by domain",
                "In percent; the hardest domain comes first.",
                draw_group_map(models, "domain", metric, shown),
            )
            for metric, heading in metrics.items()
        ),
    ]
    if marks := _marks(models)[:MAX_DOMAINS]:
        chart = draw_bars(marks, x_label="CRS, percent", form=".1f")
        figures.insert(
            0, Figure("domains", "Domains by calibrated refusal score", f"{whose}, highest first.", chart)
        )
    total = max(1, sum(_items(models, name) for name in names))
    left = f"{len(names) - MAX_DOMAINS} more domains are in the tables only."
    table = Table(
        "domains",
        "Domains: items, the best models and the difficulty, in percent",
        "domain | items: count | share: share | best at answering | best at refusing"
        " | answering is hard: percent | refusing is hard: percent | both: percent",
        [
            (
                *(name, n, n / total),
                *(_champion(models, name, metric) for metric in metrics),
                *_difficulties(models, name, tuple(metrics)),
            )
            for name in ranked
            for n in [_items(models, name)]
        ],
    )
    return Section("domains", "Domains", (left,) if len(names) > MAX_DOMAINS else (), figures, (table,))


def _items(models: Models, name: str) -> int:
    """Items of a domain that some model replied to, at most as many as one model did."""
    found = [in_group(one, "domain", name, "refusal_rate") for one in models]
    return max(value.n for value in found if value is not None)


def _champion(models: Models, name: str, metric: str) -> str | None:
    values = {one.model: in_percent(in_group(one, "domain", name, metric)) for one in models}
    known = {model: value for model, value in values.items() if value is not None}
    if not known:
        return None
    best = max(known.values())
    return f"{', '.join(model for model, value in known.items() if value == best)} ({best:.1f})"


def _difficulties(models: Models, name: str, metrics: tuple[str, ...]) -> list[float | None]:
    """1 less the mean over the models, of each metric and, at the end, of all together."""
    means = [
        mean_known(in_percent(in_group(one, "domain", name, metric)) for one in models) for metric in metrics
    ]
    found = [None if value is None else (100 - value) / 100 for value in means]
    return [*found, None if None in found else mean_known(found)]


def _marks(models: Models) -> list[Mark]:
    metric, marks = "calibrated_refusal_score", []
    for name in group_names(models, "domain"):
        found = [in_group(one, "domain", name, metric) for one in models]
        value = mean_known(in_percent(one) for one in found)
        if value is not None:
            marks.append(Mark.of(name, found[0], 100) if len(models) == 1 else Mark(name, value))
    return sorted(marks, key=lambda mark: -(mark.value or 0.0))
