"""How large a round has to be, and what contamination does to a benchmark that stays as it is."""
