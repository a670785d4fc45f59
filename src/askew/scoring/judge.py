"""A judge: a bound model role that must choose one of a few verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.tool import ToolFunction, ToolInfo, ToolParam, ToolParams

from askew.schema import JUDGE_MARK

ROLE = "grader"
ATTEMPTS = 3


@dataclass(frozen=True)
class Verdict:
    """What the judge chose, or why there is no choice."""

    choice: str | None
    why: str = ""


@dataclass(frozen=True)
class JudgeQuestion:
    """What a judge is asked, as the scorer of a task puts it."""

    question: str
    verdicts: Sequence[str]
    system: str = ""


async def ask_judge(
    question: str,
    verdicts: Sequence[str],
    careful: str,
    attempts: int = ATTEMPTS,
    system: str = "",
) -> Verdict:
    """Ask the role `grader` to choose one of the verdicts, a bounded number of times.

    The choice is forced through a tool with an enumerated argument, so a judge that rambles
    decides nothing.

    Args:
        question: the whole question, with everything the judge needs.
        verdicts: what it may choose.
        careful: what a careful reader would choose, as far as rules can tell; carried as message
            metadata, which only simulated judges read.
        attempts: how often to ask before giving up.
        system: a system prompt in front of the question, where the paper has one.
    """
    model = get_model(role=ROLE, required=True)
    tool = _verdict_tool(verdicts)
    message = ChatMessageUser(content=question, metadata={JUDGE_MARK: careful})
    asked: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    asked.append(message)
    why = ""
    for attempt in range(attempts):
        # A judge's second try must not be answered from the first one's cache entry.
        output = await model.generate(
            asked,
            tools=[tool],
            tool_choice=ToolFunction(name=tool.name),
            config=GenerateConfig(temperature=0.0, seed=attempt),
        )
        chosen = _chosen(output.message.tool_calls or [], verdicts)
        if chosen is not None:
            return Verdict(chosen)
        why = f"the judge chose none of {', '.join(verdicts)} in {attempt + 1} tries"
    return Verdict(None, why)


def _verdict_tool(verdicts: Sequence[str]) -> ToolInfo:
    return ToolInfo(
        name="verdict",
        description="Give your verdict.",
        parameters=ToolParams(
            properties={
                "verdict": ToolParam(type="string", description="The verdict.", enum=list(verdicts))
            },
            required=["verdict"],
        ),
    )


def _chosen(calls: Sequence[object], verdicts: Sequence[str]) -> str | None:
    for call in calls:
        arguments = getattr(call, "arguments", None)
        if isinstance(arguments, dict) and arguments.get("verdict") in verdicts:
            return str(arguments["verdict"])
    return None
