"""What the benchmarks share: timing, tables of results, and logs of any size."""
