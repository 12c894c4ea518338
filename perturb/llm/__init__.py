"""Calls of language models: clients, transports, limits, recordings, batches and workers."""
