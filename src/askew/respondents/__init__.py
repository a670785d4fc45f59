"""Simulated models with known biases."""
