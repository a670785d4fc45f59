"""What scorers share: outcomes, the grader, live metrics."""
