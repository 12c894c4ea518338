"""Scores of models under test: every refusal metric from stored results, with intervals and without a call."""

from perturb.score.result_sources import read_results
from perturb.score.score_report import ScoreReport, score
from perturb.score.table import ResultTable, result_table

__all__ = ["ResultTable", "ScoreReport", "read_results", "result_table", "score"]
