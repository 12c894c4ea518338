"""Compares two rounds: how fresh the newer one is, and what has shifted."""
