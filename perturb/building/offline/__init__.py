"""The rule engine: items and votes without a language model."""
