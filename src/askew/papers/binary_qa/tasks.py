"""Binary QA: accuracy, bias and consistency of a model's Yes/No answers.

An item runs in up to eight forms: original, reworded (twice with the same meaning, twice with the
opposite one), with its options swapped, and repeated twice unchanged. Prompts are at the end.
"""

from typing import Annotated, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from pydantic import BeforeValidator

from askew.assembly import Settings, assemble, check_shared, place_of, sample_of
from askew.logs.replies import AskedReply
from askew.papers.binary_qa.generator import generate
from askew.papers.binary_qa.items import BinaryItem, canonical_answer, choose_items, load
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, PAPER, Answer, BinaryMeta
from askew.papers.binary_qa.scorer import binary_qa_scorer
from askew.parameters import DATA, check_parameters
from askew.scoring.grader import Parser
from askew.scoring.outcome import Shown
from askew.sources.levels import select_questions

# Message metadata is part of the key of Inspect's cache. A repeat has the text of the original, but
# another form in its metadata, so the model is called again.
FORM_MARK = "askew_form"


@task
@check_parameters
def binary_qa(
    data: str = DATA,
    subset: str | None = None,
    tier: str = "all",
    difficulty: int | str | None = None,
    form: str | None = None,
    items: int | None = None,
    parser: Parser = "rules",
    seed: int = 0,
    settings: Settings = "default",
    metrics: Shown = "few",
    stop_when: float | None = None,
) -> Task:
    """Binary question answering: performance, bias, consistency (Khrapunova 2025).

    Args:
        data: `bundled`, `generated` (`multi_hop` and `numerical`, from `seed`), both with a comma,
            or a JSONL or CSV file, such as one that `askew data build` wrote.
        subset: `reading`, `multi_hop`, `numerical`, `translation`, `ethics`; default all.
        tier: `core`, `hard` or `all` of the bundled questions.
        difficulty: Levels of generated questions, 1 to 10: `3`, or `4-8` (default).
        form: Forms to run; default all eight, which the Model Binary Score needs.
        items: Number of items, spread over subsets and labels; default all.
        parser: `rules`, `rules_then_grader` or `grader`.
        seed: For generated questions and the choice of items.
        settings: `default` or `paper`. No effect here: both are temperature 0.
        metrics: Metrics that Inspect shows: `few` or `all`.
        stop_when: Stop when the CI of the primary metric is narrower than this: 0.05 is 5 points.
    """
    shared = check_shared(**locals())
    forms = PAPER.factor("form").select(form)
    loaded, chosen = select_questions(
        data, subset, tier, difficulty, items, seed, load=load, generate=generate,
        choose_items=choose_items,
    )  # fmt: skip
    samples = [
        _sample(item, name)
        for item in chosen
        for name in forms
        if item.question(name)  # not every item has every form
    ]
    return assemble(
        PAPER, dataset=MemoryDataset(samples, name=f"binary_qa-{data}"), loaded=loaded,
        prompts=(PASSAGE_AND_QUESTION, QUESTION, OPTIONS), scorer=binary_qa_scorer(parser=parser),
        **shared,
    )  # fmt: skip


def _sample(item: BinaryItem, form: str) -> Sample:
    template = PASSAGE_AND_QUESTION if item.passage else QUESTION
    return make_sample(
        form, template.format(passage=item.passage, question=item.question(form)), item.answer,
        **place_of(item), kind=item.kind,
        format_instruction=OPTIONS.format(options=FORMS[form].options),
    )  # fmt: skip


def make_sample(form: str, prompt: str, item_answer: Answer, **metadata: Any) -> Sample:
    """Make the sample of one form, with the answer that is correct for this form."""
    target = OPPOSITE[item_answer] if FORMS[form].flips else item_answer
    message = ChatMessageUser(content=prompt, metadata={FORM_MARK: form})
    # The fields name the answers to the original form and to this form.
    metadata |= {"form": form, "truth": item_answer, "expected": target}
    return sample_of(PAPER, BinaryMeta, [message], target, **metadata)


# Section 2.2: the options in either order. A solver step appends them to every prompt.
OPTIONS = "Choose one of the following answers: {options}"

# Our templates: the paper prints none for passage and question.
PASSAGE_AND_QUESTION = "Passage:\n{passage}\n\nQuestion: {question}"
QUESTION = "Question: {question}"


class Reply(AskedReply):
    """One reply, with the form it was asked in; `answer` is right for the original question."""

    paper = PAPER

    kind: str = ""
    form: str
    answer: Annotated[Answer, BeforeValidator(canonical_answer)]

    def as_sample(self) -> Sample:
        kind = self.kind or self.subset
        return make_sample(self.form, self.prompt, self.answer, **self.place, kind=kind)
