"""Curation: base instances read from files, the Hub and articles."""
