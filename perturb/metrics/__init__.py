"""Metrics as pure functions over arrays: lists, NumPy arrays and pandas columns in, floats and frozen records out.

The modules of this room import NumPy alone at the top, and scipy or pandas where they use them, so that importing
the package costs little more than NumPy. The import of `refusal_index`, which shares its name with its module, makes
`perturb.metrics.refusal_index` the function.
"""

from perturb.metrics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pabak,
    raw_agreement,
)
from perturb.metrics.bas import bas_score, bas_utility, decision_curve
from perturb.metrics.bas_report import BASReport
from perturb.metrics.calibration import (
    answering_probability,
    aurc,
    auroc,
    brier_loss,
    expected_calibration_error,
    log_loss,
    reliability_bins,
    risk_coverage_curve,
)
from perturb.metrics.index_companions import (
    compare_copulas,
    gaussian_win_rates,
    linear_probe,
    text_calibrator,
)
from perturb.metrics.inputs import Estimate
from perturb.metrics.item_response import item_responses
from perturb.metrics.outcomes import ReplyCounts, reply_outcome
from perturb.metrics.ranking import (
    additive_isotonic_residuals,
    coefficient_of_variation,
    isotonic_residuals,
    kendalls_w,
    normalised_difference,
    subset_size_cv,
    winner_entropy,
)
from perturb.metrics.refusal_index import (
    RefusalIndex,
    accuracy_refusal_curve,
    questions_for_cv,
    refusal_index,
    refusal_index_from_counts,
    refusal_index_from_rates,
)
from perturb.metrics.refusal_registry import REFUSAL_METRICS
from perturb.metrics.resampling import bootstrap_means

__all__ = [
    "REFUSAL_METRICS",
    "BASReport",
    "Estimate",
    "RefusalIndex",
    "ReplyCounts",
    "accuracy_refusal_curve",
    "additive_isotonic_residuals",
    "answering_probability",
    "aurc",
    "auroc",
    "bas_score",
    "bas_utility",
    "bootstrap_means",
    "brier_loss",
    "coefficient_of_variation",
    "cohen_kappa",
    "compare_copulas",
    "decision_curve",
    "expected_calibration_error",
    "fleiss_kappa",
    "gaussian_win_rates",
    "gwet_ac1",
    "isotonic_residuals",
    "item_responses",
    "kendalls_w",
    "krippendorff_alpha",
    "linear_probe",
    "log_loss",
    "normalised_difference",
    "pabak",
    "questions_for_cv",
    "raw_agreement",
    "refusal_index",
    "refusal_index_from_counts",
    "refusal_index_from_rates",
    "reliability_bins",
    "reply_outcome",
    "risk_coverage_curve",
    "subset_size_cv",
    "text_calibrator",
    "winner_entropy",
]
