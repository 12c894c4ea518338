"""Turns jobs into candidates, by model or by rule."""
