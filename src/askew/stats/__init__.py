"""Sums per cluster, resamples, intervals, paired differences."""
