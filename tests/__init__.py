"""The tests. Here is what has to stand before anything imports Inspect."""

from functools import cache
from importlib import metadata

# Inspect looks through all installed files for a task's package: once is enough for all.
metadata.packages_distributions = cache(metadata.packages_distributions)
