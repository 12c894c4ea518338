"""Evaluation: models under test are asked, their replies are read and judged."""
