"""Where questions come from: pinned files, users' files, the cache."""
