"""Reports as Python objects: the data of a report, which a notebook shows as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

from perturb.auditing.audit_report import AuditReport
from perturb.auditing.judge_audit import JudgeAudit
from perturb.auditing.shortcuts import Shortcuts
from perturb.metrics.inputs import Estimate
from perturb.reports.audit_page import make_shortcuts_report
from perturb.reports.audit_sections import make_audit_report, make_panel_report
from perturb.reports.rendering import render_fragment
from perturb.reports.scores_page import make_scores_page
from perturb.scoring.score_report import ScoreReport

if TYPE_CHECKING:
    import pandas

_BY = ("class", "intensity")


class Shown:
    """The fields of a report, and how a notebook shows them."""

    @classmethod
    def of(cls, report: Any, **beside: Any) -> Self:
        """The same figures, with what stands beside them."""
        made = cls(**{field.name: getattr(report, field.name) for field in fields(report)})
        for name, value in beside.items():
            object.__setattr__(made, name, value)
        return made


class Audit(Shown, AuditReport):
    """What the votes say of the verifiers; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_audit_report(self, _BY))


class JudgesAudit(Shown, JudgeAudit):
    """What the votes of several judges say of them; shown and given likewise."""

    def _repr_html_(self) -> str:
        return render_fragment(make_panel_report(self))


class ShortcutAudit(Shown, Shortcuts):
    """What baselines tell from a part of each item; a notebook shows its tables, and `to_dict` gives every figure."""

    def _repr_html_(self) -> str:
        return render_fragment(make_shortcuts_report(self, _BY))


def metric_values(metrics: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Metric -> its value, None where it is undefined."""
    return {name: found.value for name, found in metrics.items()}


class Scores(Shown, ScoreReport):
    """The scores of models; a notebook shows their tables, and `to_dict` gives every figure."""

    def to_pandas(self) -> pandas.DataFrame:
        """The metrics as a data frame: a row for each model, a column for each metric, NaN where it is undefined."""
        import pandas as pd

        rows = {model.model: metric_values(model.metrics) for model in self.models}
        return pd.DataFrame.from_dict(rows, orient="index", dtype=float)

    def _repr_html_(self) -> str:
        return render_fragment(make_scores_page(self, by=_BY))
