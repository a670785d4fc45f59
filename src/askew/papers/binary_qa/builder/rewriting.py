"""Build one Binary QA item: have its question rewritten, check the rewrites, have them answered.

Every call stands in the log, so the log of a build says where each question came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, get_model, model_roles
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.papers.binary_qa.builder.review import CHECKER, REWRITTEN, UNCLEAR, Rewrite
from askew.papers.binary_qa.paper import FORMS, OPPOSITE
from askew.papers.binary_qa.rules import REWRITES, conversion_problems, in_words, problems
from askew.reading.reply import plain, refuses, visible
from askew.reading.yesno import read_yes_no
from askew.schema import TRUTH_KEY

_LABEL = re.compile(
    r"(?:(?:the |my )?(?:rewritten|reformulated|revised|rephrased|new|converted)?[ \t]{0,2}"
    r"(?:question|rewrite|version|answer|rewritten))[ \t]{0,3}[:\-\u2013][ \t]{0,3}",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-\u2022>]|\d{1,2}[.)])[ \t]+")
_LONGEST_LINE = 2_000
_LINES = 40


def rewritten_question(reply: str) -> str:
    """The one question that the reply holds; empty where it holds none or declines.

    A reply may wrap its question in quotes, markdown or a label, and comment on it; of several
    questions the first counts.
    """
    text = plain(visible(reply))
    if not text or refuses(text):
        return ""
    lines = [_bare(line) for line in text.split("\n", _LINES)[:_LINES]]
    questions = [line for line in lines if line.endswith("?")]
    return questions[0] if questions else next((line for line in lines if line), "")


def _bare(line: str) -> str:
    text = line[:_LONGEST_LINE].strip()
    for pattern in (_BULLET, _LABEL):
        match = pattern.match(text)
        if match is not None:
            text = text[match.end() :]
    text = text.strip(" \t_")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


ATTEMPTS = 3


@solver
def binary_qa_rewriting(
    convert: str, rewrite: dict[str, str], mend: str, check: str, attempts: int = ATTEMPTS
) -> Solver:
    """Fill the sample's metadata `rewritten` with its five questions.

    Args:
        convert: asks for a yes/no question about a number; names `question` and `wanted`.
        rewrite: by form, asks for a rewrite; names `question`.
        mend: asks for another try; names `problem`.
        check: asks a question over its passage; names `passage` and `question`.
        attempts: how often a form is asked for until it keeps its rule.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = state.metadata
        write = partial(_written, state=state, mend=mend, attempts=attempts)
        original = Rewrite(str(item["question"]), str(item["answer"]))
        if item.get("op"):
            op, n = str(item["op"]), float(item["n"])
            asked = convert.format(question=original.question, wanted=in_words(op, n))
            rule = partial(conversion_problems, op=op, n=n)
            original = await write(asked, original.expected, rule, {"asks": "convert"})
        built = {"original": original}
        for form in REWRITES:
            flips = FORMS[form].flips
            built[form] = await write(
                rewrite[form].format(question=original.question),
                OPPOSITE[original.expected] if flips else original.expected,
                partial(problems, form, original.question),
                {"asks": form, "original": original.question},
            )
        if CHECKER in model_roles():
            for form, made in built.items():
                made.checker = await _answered(item, form, made, check)
        state.metadata[REWRITTEN] = {form: asdict(made) for form, made in built.items()}
        return state

    return solve


async def _written(
    asked: str,
    expected: str,
    rule: Callable[[str], list[str]],
    hint: Mapping[str, Any],
    *,
    state: TaskState,
    mend: str,
    attempts: int,
) -> Rewrite:
    """A question that keeps its rule, or the last of several tries with what is wrong in it."""
    messages: list[ChatMessage] = [ChatMessageUser(content=asked)]
    made = Rewrite("", expected)
    for attempt in range(1, attempts + 1):
        _tell({**hint, "attempt": attempt})
        state.output = await get_model().generate(messages, config=GenerateConfig(temperature=0.0))
        question = rewritten_question(state.output.completion)
        made = Rewrite(question, expected, rule(question), attempt)
        if not made.problems:
            break
        again = ChatMessageUser(content=mend.format(problem=made.problems[0]))
        messages = [*messages, state.output.message, again]
    return made


async def _answered(item: Mapping[str, Any], form: str, made: Rewrite, check: str) -> str:
    """What the second model says to a rewrite over its passage."""
    _tell({"asks": "check", "form": form, "expected": made.expected})
    prompt = check.format(passage=item["passage"], question=made.question)
    message = ChatMessageUser(content=prompt, metadata={"askew_form": form})
    output = await get_model(role=CHECKER, required=True).generate(
        [message], config=GenerateConfig(temperature=0.0)
    )
    return read_yes_no(output.completion).answer or UNCLEAR


def _tell(hint: Mapping[str, Any]) -> None:
    """Tell a simulated model what it is asked; where none plays a part, there is no truth."""
    truth = store().get(TRUTH_KEY)
    if isinstance(truth, Mapping):
        store().set(TRUTH_KEY, {**truth, **hint})


@scorer(metrics={"*": [mean()]})
def binary_qa_rewriting_scorer() -> Scorer:
    """Shares of an item's questions without a problem, and of those answered as expected."""

    async def score(state: TaskState, target: Target) -> Score:
        built: Mapping[str, Mapping[str, Any]] = state.metadata.get(REWRITTEN) or {}
        if not built:
            return Score.unscored(reason="scoring_failed", explanation="nothing was rewritten")
        wrong = [f"{form}: {p}" for form, made in built.items() for p in made["problems"]]
        differs = [
            f"{form}: the second model says {made['checker']}"
            for form, made in built.items()
            if made["checker"] and made["checker"] != made["expected"]
        ]
        kept = sum(not made["problems"] for made in built.values())
        return Score(
            value={
                "rules_kept": kept / len(built),
                "as_expected": 1 - len(differs) / len(built),
            },
            explanation="; ".join([*wrong, *differs]) or "nothing to remark",
        )

    return score
