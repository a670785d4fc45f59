"""Shouting: a small paper in a package of its own, to see that askew takes it as it is."""
