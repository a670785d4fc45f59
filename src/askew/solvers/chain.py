"""The steps of a dialogue: each puts one treatment of a sample's condition into it, or nothing."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentText,
    ModelName,
    model_roles,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.schema import QUOTED_REPLY, RESPONDENT_API, TREATMENTS, TRUTH_KEY
from askew.untrusted import make_whole


def treatment(state: TaskState, name: str) -> str:
    """The text of one treatment of this sample; empty where the sample does not need it."""
    # A step for this alone would cost each sample a span and a comparison of states.
    reveal(state)
    text = state.metadata.get(name, "")
    if not isinstance(text, str):
        raise TypeError(f"metadata {name!r} of sample {state.sample_id} is not a text: {text!r}")
    return text


@solver
def system_prompt() -> Solver:
    """Put the sample's `system_prompt` in front of the dialogue, once; else change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = treatment(state, "system_prompt")
        if text and not any(m.role == "system" and m.text == text for m in state.messages):
            state.messages.insert(0, ChatMessageSystem(content=text))
        return state

    return solve


@solver
def framing_insertion() -> Solver:
    """Insert the sample's `framing` at its `framing_position`; without one, change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        framing = treatment(state, "framing")
        if framing:
            prompt = state.user_prompt
            position = state.metadata.get("framing_position", "begin")
            prompt.text = add_framing(prompt.text, framing, position)
        return state

    return solve


def add_framing(question: str, framing: str, position: str) -> str:
    """A question with its framing in front ("begin") or behind ("end")."""
    if position not in ("begin", "end"):
        raise ValueError(f"framing_position={position!r}: valid are begin, end")
    parts = (framing, question) if position == "begin" else (question, framing)
    return "\n\n".join(parts)


@solver
def multi_turn_reflection() -> Solver:
    """Where the sample has a `reflection`, answer first, then ask it as a second turn.

    One that opens a dialogue stands alone: it quotes the reply in place of what came before.
    The first turn is generated here, so that one `generate` can close every dialogue:
    without a reflection this step changes nothing, and with one it leaves the follow-up
    question as the last message.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        follow_up = treatment(state, "reflection")
        if follow_up:
            state = await generate(state, tool_calls="none")
            if not state.completed:
                state.messages[-1] = assistant_text(state.output.message)
                if opens_dialogue(state.metadata):
                    follow_up = quoting(follow_up, state.messages[-1].text.strip())
                    state.messages = [m for m in state.messages if m.role == "system"]
                state.messages.append(ChatMessageUser(content=follow_up))
        return state

    return solve


def assistant_text(reply: ChatMessageAssistant) -> ChatMessageAssistant:
    """A reply as a further turn can follow it.

    Providers refuse a dialogue in which a call has no result (none was on offer), a message says
    nothing, or reasoning ends one; and no log holds a turn with half a character.
    """
    make_whole(reply)
    message = reply.model_copy(update={"tool_calls": None})
    if not reply.text.strip():
        parts = [] if isinstance(reply.content, str) else reply.content
        kept = [part for part in parts if not isinstance(part, ContentText)]
        message.content = [*kept, ContentText(text=NO_REPLY)] if kept else NO_REPLY
    return message


NO_REPLY = "(no reply)"


def opens_dialogue(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample's reflection is asked without the dialogue before it."""
    return bool(metadata.get("reflection_opens") == "dialogue")


def quoting(follow_up: str, reply: str) -> str:
    """A follow-up with the reply in its place."""
    return follow_up.replace(QUOTED_REPLY, reply, 1)


@solver
def format_instruction() -> Solver:
    """Append the sample's `format_instruction` to the last user message; else change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = treatment(state, "format_instruction")
        if text:
            questions = [m for m in state.messages if m.role == "user"]
            if not questions:
                raise ValueError(f"sample {state.sample_id} has no user message to add to")
            questions[-1].text = add_instruction(questions[-1].text, text)
        return state

    return solve


def add_instruction(question: str, instruction: str) -> str:
    """A question with an instruction behind it: as it stands, where it begins on a new line."""
    return question + ("" if instruction.startswith("\n") else "\n\n") + instruction


@solver
def one_step(*steps: Solver) -> Solver:
    """Run steps in their order as one step of the plan.

    For each step of a plan Inspect opens a span and compares the states before and after it,
    which takes longer than what the chain's steps do. The log's plan names the steps within.

    Args:
        *steps: what to run; none of them after one that completes the sample.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for step in steps:
            if state.completed:
                break
            state = await step(state, generate)
        return state

    return solve


AFRESH = "user, in a dialogue of its own"


def planned_dialogue(sample: Sample) -> list[tuple[str, str]]:
    """Messages as (role, text), a reply as "..."; what opens another dialogue has role `AFRESH`."""
    metadata = sample.metadata or {}
    system, framing, reflection, instruction = (str(metadata.get(t, "")) for t in TREATMENTS)
    text = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    if framing:
        text = add_framing(text, framing, str(metadata.get("framing_position", "begin")))
    turns = [("system", system)] if system else []
    turns.append(("user", text))
    if reflection:
        role = AFRESH if opens_dialogue(metadata) else "user"
        turns += [("assistant", "..."), (role, quoting(reflection, "..."))]
    if instruction:
        role, last = turns[-1]
        turns[-1] = (role, add_instruction(last, instruction))
    return turns


@solver
def reveal_truth() -> Solver:
    """Let respondents that play a part know the truth of the sample; real models never meet this.

    The steps of the chain that insert a treatment do the same, so a task needs this step only
    where it has none of them in its setup.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        reveal(state)
        return state

    return solve


def reveal(state: TaskState) -> None:
    """Mark the sample's store where a respondent is the model or plays a role.

    The mark holds the epoch alone: a respondent reads the sample from the transcript.
    """
    bound = model_roles().values()
    models = [m for b in bound for m in (b if isinstance(b, list) else [b])]
    if RESPONDENT_API in (state.model.api, *(ModelName(m).api for m in models)):
        shared = store()
        if shared.get(TRUTH_KEY) is None:
            shared.set(TRUTH_KEY, {"epoch": state.epoch})
