"""What Inspect finds under `askew/...`: tasks, solvers, scorers, metrics and the respondents.

Whatever is defined in a module that is imported here is registered by its decorator.
"""

from askew.papers import papers
from askew.respondents import provider
from askew.solvers import chain
from askew.treatments import design

_PARTS = [paper.part(part) for paper in papers() for part in ("tasks", "scorer")]

__all__ = ["chain", "design", "provider"]
