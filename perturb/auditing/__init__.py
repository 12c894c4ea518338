"""Auditing: agreement, bias and shortcuts of a panel, and review by people."""
