"""Simulated models with planted tendencies of known size."""
