"""Helpers for running the work: asyncio, interrupts, events and the local web server."""
