"""Shouting: each question calm, and in capitals."""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from askew.assembly import assemble
from askew.parameters import checked
from askew.schema import sample_id
from askew.solvers.chain import format_instruction
from askew.sources.loading import spread

from .items import Question, load
from .paper import PAPER, ShoutingMeta
from .scorer import shouting_scorer

INSTRUCTION = "Answer in one word."


@task
@checked
def shouting(data: str = "bundled", subset: str | None = None, tone: str | None = None,
             items: int | None = None, seed: int = 0) -> Task:  # fmt: skip
    """Ask every question calmly, and in capitals."""
    loaded, tones = load(data, subset), PAPER.factor("tone").select(tone)
    chosen = spread(loaded.items, items, seed)
    return assemble(
        PAPER,
        dataset=MemoryDataset([_sample(item, asked) for item in chosen for asked in tones]),
        loaded=loaded,
        prompts=(INSTRUCTION,),
        setup=[format_instruction()],
        scorer=shouting_scorer(),
    )


def _sample(item: Question, tone: str) -> Sample:
    meta = ShoutingMeta(task=PAPER.task, item=item.id, unit=item.unit, subset=item.subset,
                        tone=tone, gold=item.answer, format_instruction=INSTRUCTION)  # fmt: skip
    return Sample(
        id=sample_id(item.id, {"tone": tone}),
        input=item.question.upper() if tone == "shouted" else item.question,
        target=item.answer,
        metadata=meta.as_metadata(),
    )
