"""Files: tables, YAML, text, spools, digests, atomic folders and the data that comes with the package."""
