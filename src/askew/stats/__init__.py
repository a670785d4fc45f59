"""Sums per unit, resamples, intervals, paired differences."""
