"""Scoring: tables of replies become scores, comparisons and plans of power."""
