"""A step of its own: another model polishes the question before it is asked."""

import re
from collections.abc import Sequence

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.papers.instruction_boundary.paper import POLISHED
from askew.papers.instruction_boundary.questions import PROMPTS
from askew.reading.literals import strip_fence
from askew.schema import POLISH_MARK

ROLE = "polisher"
ATTEMPTS = 3
# What simulated polishers put in front of the original.
PREFACE = "I would be grateful if you could give the following your careful attention."


class PolishError(RuntimeError):
    """The polisher gave no rewrite that keeps what it must keep."""


@solver
def prompt_polishing(setting: str = POLISHED.setting, variant: str = POLISHED.variant) -> Solver:
    """Let the role `polisher` rewrite the question of samples in the condition given.

    The rewrite replaces the user message and stands in the transcript beside the original. One
    that loses a label or an option is asked for again; after a few tries the sample fails. Other
    samples are left as they are.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if (state.metadata.get("setting"), state.metadata.get("variant")) != (setting, variant):
            return state
        prompt = state.user_prompt
        original = prompt.text
        rewrite = await _polish(original, _to_keep(state))
        transcript().info({"original": original, "polished": rewrite}, source="prompt_polishing")
        prompt.text = rewrite
        return state

    return solve


def _to_keep(state: TaskState) -> Sequence[str]:
    """What a rewrite must still hold: options with their numbers, and labels."""
    offered = [choice.value for choice in state.choices]
    if state.metadata.get("family") != "choice":
        return offered
    return [*(f"{n}. {option}" for n, option in enumerate(offered, start=1)), "several", "none"]


async def _polish(original: str, keep: Sequence[str]) -> str:
    polisher = get_model(role=ROLE, required=True)
    message = ChatMessageUser(
        content=PROMPTS["polish"].format(prompt=original),
        metadata={POLISH_MARK: f"{PREFACE}\n\n{original}"},
    )
    lost: list[str] = []
    for attempt in range(ATTEMPTS):
        output = await polisher.generate([message], config=GenerateConfig(seed=attempt))
        rewrite = strip_quotes(output.completion)
        lost = missing(rewrite, keep)
        if rewrite and not lost:
            return rewrite
    what = f"lost {', '.join(map(repr, lost[:3]))}" if lost else "gave nothing"
    raise PolishError(
        f"the model bound to the role {ROLE!r} {what} in each of {ATTEMPTS} rewrites of the "
        "question: bind one that keeps labels and options, or use polish=fixed"
    )


def missing(rewrite: str, keep: Sequence[str]) -> list[str]:
    """Which of the texts to keep a rewrite no longer holds; case and marks don't count."""

    def words(text: str) -> str:
        return " ".join(("", *re.findall(r"\w+", text.casefold()), ""))

    return [text for text in keep if words(text) not in words(rewrite)]


def strip_quotes(rewrite: str) -> str:
    """A rewrite without the quotes or the fence that a model may put around it."""
    text = strip_fence(rewrite)
    for mark in ('"""', '"'):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)].strip()
    return text
