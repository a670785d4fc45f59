"""Makes and checks question sets for askew: builders, lints, baselines of guessers."""
