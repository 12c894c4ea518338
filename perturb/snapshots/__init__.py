"""Snapshots: the published rows, manifest and card, the Hub, harness files and training export."""
