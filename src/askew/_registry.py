"""What Inspect finds under `askew/...`: whatever a module imported here defines is registered."""

from askew.papers import papers
from askew.respondents import provider
from askew.solvers import chain
from askew.treatments import design

_PARTS = [paper.part(part) for paper in papers() for part in ("tasks", "scorer")]

__all__ = ["chain", "design", "provider"]
