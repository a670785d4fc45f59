"""Shouting: each question calm, and in capitals."""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset

from askew.assembly import assemble, place_of, sample_of
from askew.parameters import check_parameters
from askew.schema import SampleMeta
from askew.sources.loading import spread

from .items import load
from .paper import PAPER
from .scorer import shouting_scorer


@task
@check_parameters
def shouting(data: str = "bundled", subset: str | None = None, tone: str | None = None,
             items: int | None = None, seed: int = 0) -> Task:  # fmt: skip
    """Ask every question calmly, and in capitals."""
    loaded, says = load(data, subset), {"calm": str, "shouted": str.upper}
    samples = [
        sample_of(PAPER, SampleMeta, says[t](i.question), i.answer, **place_of(i), tone=t)
        for i in spread(loaded.items, items, seed)
        for t in PAPER.factor("tone").select(tone)
    ]
    return assemble(PAPER, dataset=MemoryDataset(samples), loaded=loaded, scorer=shouting_scorer())
