"""A generator of logic questions with a complete prover."""
