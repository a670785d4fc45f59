"""Moved to `askew.respondents.answering`."""

from askew.respondents.answering import Expectation, mean, population_variance

__all__ = ["Expectation", "mean", "population_variance"]
