"""Inspect logs to observations."""
