"""Helpers for running the work: asyncio, interrupts and events."""
