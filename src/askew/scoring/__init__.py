"""What scorers share: outcomes, the judge, live metrics."""
