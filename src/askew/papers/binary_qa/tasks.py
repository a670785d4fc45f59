"""Binary QA: how good, how biased and how consistent are a model's Yes and No?

Every item is asked eight times: as it is, reworded (twice with the same meaning, twice with the
opposite one), with its options swapped, and twice again. The paper's words stand at the end.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser

from askew.assembly import Settings, assemble, check_shared, place_of, sample_of
from askew.papers.binary_qa.items import BinaryItem, chosen, load
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, PAPER, Answer, BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from askew.parameters import check_parameters
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.sources.loading import of_tier

# Message metadata is part of the key of Inspect's cache: with its form as a mark, a repeat is
# asked anew although its text is that of the original.
FORM_MARK = "askew_form"


@task
@check_parameters
def binary_qa(
    data: str = "bundled",
    subset: str | None = None,
    tier: str = "all",
    form: str | None = None,
    items: int | None = None,
    parser: Parser = "rules",
    seed: int = 0,
    settings: Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
) -> Task:
    """Binary question answering: performance, bias, consistency (Khrapunova).

    Args:
        data: `bundled`, or a JSONL or CSV file, such as one that `askew data build` wrote.
        subset: `reading`, `multi_hop`, `numerical`, `translation`, `ethics`; default all.
        tier: `core`, `hard` or `all` of the bundled questions.
        form: Forms to run; default all eight, which MBS needs.
        items: Number of items, spread over domains and labels; default all.
        parser: `rules`, `rules_then_grader` or `grader`.
        seed: For the choice of items.
        settings: `default` or `paper`; both are temperature 0.
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the primary metric is known this well: 0.05 is 5 points.
    """
    check_shared(
        items=items, seed=seed, metrics=metrics, stop_when=stop_when, settings=settings,
        parser=parser,
    )  # fmt: skip
    forms = PAPER.factor("form").select(form)
    loaded = of_tier(load(data, subset), tier)
    samples = [
        _sample(item, name)
        for item in chosen(loaded.items, items, seed)
        for name in forms
        if item.question(name)
    ]
    return assemble(
        PAPER,
        dataset=MemoryDataset(samples, name=f"binary_qa-{data}"),
        loaded=loaded,
        prompts=(PASSAGE_AND_QUESTION, QUESTION, OPTIONS),
        scorer=binary_qa_scorer(parser=parser),
        metrics=metrics,
        stop_when=stop_when,
        parser=parser,
    )


def _sample(item: BinaryItem, form: str) -> Sample:
    template = PASSAGE_AND_QUESTION if item.passage else QUESTION
    return render_question(
        form,
        template.format(passage=item.passage, question=item.question(form)),
        item.answer,
        **place_of(item),
        kind=item.kind,
        format_instruction=OPTIONS.format(options=FORMS[form].options),
    )


def render_question(form: str, asked: str, truth: Answer, **told: Any) -> Sample:
    """A question in a form, with the right answer of that."""
    right = OPPOSITE[truth] if FORMS[form].flips else truth
    message = ChatMessageUser(content=asked, metadata={FORM_MARK: form})
    told |= {"form": form, "truth": truth, "expected": right}
    return sample_of(PAPER, BinaryMeta, [message], right, **told)


# Section 2.2: the options, in either order, end every prompt.
OPTIONS = "Choose one of the following answers: {options}"

# Ours: the paper prints no template for what stands before them.
PASSAGE_AND_QUESTION = "Passage:\n{passage}\n\nQuestion: {question}"
QUESTION = "Question: {question}"
