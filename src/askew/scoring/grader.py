"""Who decides what a reply says: rules, the role `grader` where they leave it open, or nobody.

The grader is asked on which of a closed set of answers a reply settles, never what is right. Its
trial are replies whose right verdict is plain to a careful reader. Each paper keeps such cases in a
table; they are run as an evaluation, so a grader's answers can be read in its log.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal, TypeVar, get_args

import pandas as pd
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, get_model
from inspect_ai.model import ChatMessageSystem as System
from inspect_ai.model import ChatMessageUser as User
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, chain
from inspect_ai.tool import ToolFunction, ToolInfo, ToolParam, ToolParams

from askew.files import toml_of
from askew.papers import get_paper, papers
from askew.parameters import choose
from askew.schema import GRADER, GRADER_MARK, NOT_READ
from askew.scoring.outcome import ANSWERED, label, make_unscored, no_output
from askew.stats.intervals import wilson
from askew.stats.tables import OVERALL

Parser = Literal["rules", "rules_then_grader", "grader"]
PARSERS: tuple[Parser, ...] = get_args(Parser)
ATTEMPTS = 3
WORDS: Mapping[str, str] = toml_of(__package__, "grader.toml")
NO_ANSWER, UNDECIDED = "no_answer", "undecided"
# A paper's cases, with their right verdicts.
CASES = "grader_cases.csv"
# A reading by rules: it has an outcome, an answer or none, and says why.
Read = TypeVar("Read", bound=Any)
# Of a long reply its beginning and end are shown: the answer stands in one of them.
_HEAD, _TAIL = 2_000, 4_000


@dataclass(frozen=True)
class Question:
    """What the grader is asked, as the scorer of a task puts it."""

    question: str
    verdicts: Sequence[str]
    system: str = ""
    simulated_verdict: str = ""  # what simulated graders answer: the verdict by rules


def closed_question(
    prompt: str, reply: str, answers: Mapping[str, str], shown: str = "", sets: Sequence[str] = ()
) -> Question:
    """Ask on which of a closed set of answers, given with their meanings, a reply settles.

    Of `sets`, verdicts without a line of their own, the first answer describes all.
    """
    offered = {**answers, NO_ANSWER: WORDS["no_answer"]}
    long = len(reply) > _HEAD + _TAIL
    text = WORDS["question"].format(
        asked=prompt,
        shown=f"{shown}\n\n" if shown else "",
        answers="\n".join(f"- {verdict}: {meaning}" for verdict, meaning in offered.items()),
        reply=f"{reply[:_HEAD]}\n[...]\n{reply[-_TAIL:]}" if long else reply,
    )
    verdicts = (*sets, *[*offered][bool(sets) :])
    return Question(text, verdicts, simulated_verdict=_named_first(reply[-_TAIL:], verdicts))


def _named_first(text: str, verdicts: Sequence[str]) -> str:
    """The verdict that a text names first; single letters count as they are written."""
    words = "|".join(v if len(v) == 1 else f"(?i:{v})" for v in verdicts if v != NO_ANSWER)
    named = re.search(rf"\b(?:{words})\b", text)
    first = named[0].casefold() if named else NO_ANSWER
    return next(v for v in (*verdicts, NO_ANSWER) if v.casefold() == first)


def answers_of_options(options: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """Options as possible answers, by what each is called."""
    return {
        name: WORDS["option"].format(option=option)
        for name, option in zip(labels, options, strict=False)
    }


class NoVerdictError(Exception):
    """The grader was asked, and chose nothing; `told` is what its score tells all the same."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.told: dict[str, str] = {}


@contextmanager
def attach_if_no_verdict(**metadata: str) -> Iterator[None]:
    """If the grader gives no verdict inside, add this metadata to the unscored sample."""
    try:
        yield
    except NoVerdictError as nothing:
        nothing.told |= metadata
        raise


async def ask_grader(query: Question) -> str:
    """Ask the role `grader` to choose one of the verdicts, a bounded number of times.

    The choice is forced through a tool with an enumerated argument, so a grader that rambles
    decides nothing. What a careful reader would choose, as far as rules can tell, is carried as
    message metadata, which only simulated graders read.
    """
    model = get_model(role=GRADER, required=True)
    chosen = ToolParam(type="string", description="The verdict.", enum=list(query.verdicts))
    parameters = ToolParams(properties={"verdict": chosen}, required=["verdict"])
    tool = ToolInfo(name="verdict", description="Give your verdict.", parameters=parameters)
    messages: list[ChatMessage] = [System(content=query.system)] if query.system else []
    messages.append(User(content=query.question, metadata={GRADER_MARK: query.simulated_verdict}))
    forced = ToolFunction(name=tool.name)
    for attempt in range(ATTEMPTS):
        # A second try must not be answered from the first one's cache entry.
        how = GenerateConfig(temperature=0.0, seed=attempt)
        output = await model.generate(messages, tools=[tool], tool_choice=forced, config=how)
        for call in output.message.tool_calls or []:
            if (given := call.arguments.get("verdict")) in query.verdicts:
                return str(given)
    verdicts = ", ".join(query.verdicts)
    raise NoVerdictError(f"the grader chose none of {verdicts} in {ATTEMPTS} tries")


def mark_unscored(score: Scorer) -> Scorer:
    """Decorate a scorer: without an output, or without a verdict, the sample is unscored."""

    async def scored(state: TaskState, target: Target) -> Score | None:
        try:
            return no_output(state) or await score(state, target)
        except NoVerdictError as nothing:
            metadata = nothing.told | {"decided_by": "nobody"}
            return make_unscored(state, str(nothing), reason="grader_failed", **metadata)

    return scored


def grader_metadata(by_rules: Read) -> dict[str, str]:
    """Metadata of a score that the grader decided, with the answer by rules."""
    answer = {"rules_answer": label(by_rules.answer)} if by_rules.answer else {}
    return {"decided_by": GRADER, **answer}


async def score_reply(
    parser: Parser, by_rules: Read, question: Callable[[], Question],
    meaning: Callable[[str, str], Read], is_open: bool | None = None,
) -> tuple[Read, dict[str, str]]:  # fmt: skip
    """What a reply says, and what its score tells of who decided that.

    `meaning` is what a verdict makes of the reply, with the words that explain it; `is_open`,
    whether rules leave the reply to the grader, is by default whether they read no answer.
    """
    left = by_rules.outcome in NOT_READ
    asks = left if is_open is None else is_open
    if parser == "grader":
        asks = left or by_rules.outcome in ANSWERED
    if parser == "rules" or not asks:
        return by_rules, {"decided_by": "nobody" if left else "rules"}
    metadata = grader_metadata(by_rules)
    with attach_if_no_verdict(**metadata):
        query = question()
        if by_rules.answer:
            alike = (v for v in query.verdicts if meaning(v, "").answer == by_rules.answer)
            query = replace(query, simulated_verdict=next(alike, query.simulated_verdict))
        given = await ask_grader(query)
    return meaning(given, f"{by_rules.why}; the grader says {given}"), metadata


def graded_tasks() -> tuple[str, ...]:
    """The tasks whose grader can be put on trial, by name."""
    return tuple(sorted(p.task for p in papers() if (files(p.home) / CASES).is_file()))


def grader_cases(task: str) -> list[Sample]:
    """The cases of one task, in its order: what a grader is asked, and what is right."""
    paper, samples = get_paper(task), []
    with (files(paper.home) / CASES).open(encoding="utf-8") as table:
        rows = pd.read_csv(table, dtype=str, keep_default_na=False).to_dict("records")
    for row in rows:
        case, verdict = row.pop("id"), row.pop("verdict")
        # What is left of a row is what the grader is shown.
        query: Question = paper.part("scorer").grader_case(row)
        meta = {"task": task, "case": case, "verdicts": [*query.verdicts], "system": query.system}
        name = f"{task}/{case}"
        samples.append(Sample(id=name, input=query.question, target=verdict, metadata=meta))
    return samples


class JudgeCheckError(RuntimeError):
    """The grader could not be asked."""


@dataclass(frozen=True)
class JudgeCheck:
    """How a grader did.

    `agreement` has a row for all cases, for each task, and for each expected verdict of a task
    ("options" stands for every set of options), with Wilson's interval; without a verdict there
    is no agreement. `misses` lists the cases without it.
    """

    grader: str
    agreement: pd.DataFrame
    misses: pd.DataFrame
    log: EvalLog


def check_grader(
    grader: str | Model, tasks: str | Sequence[str] | None = None, *, log_dir: str | None = None,
    **options: Any,
) -> JudgeCheck:  # fmt: skip
    """Run the cases of tasks, default all that have some, through a grader.

    `options` are passed on to Inspect's `eval`, such as `max_connections` or `limit`.
    """
    wanted = choose("tasks", tasks, graded_tasks())
    trial = Task(
        name="grader_check",
        dataset=MemoryDataset([c for t in wanted for c in grader_cases(t)], name="grader-cases"),
        # Nothing is to be solved: the reply to read is part of the case.
        solver=chain(),
        scorer=grader_check_scorer(),
        metadata={"grader_check": [*wanted]},
    )
    how = {"display": "none", **options}
    (log,) = run_eval(trial, model="none", model_roles={GRADER: grader}, log_dir=log_dir, **how)
    name = grader if isinstance(grader, str) else f"{grader.api.model_name}"
    if log.status != "success" or not log.samples:
        why = log.error.message if log.error else f"the run ended as {log.status!r}"
        raise JudgeCheckError(f"the grader {name} failed: {why}")
    rows = pd.DataFrame(
        {
            **{key: sample.metadata[key] for key in ("task", "case")},
            "expected": sample.target,
            "given": next((s.answer for s in (sample.scores or {}).values()), UNDECIDED),
        }
        for sample in log.samples
    )
    misses = rows[rows["given"] != rows["expected"]].reset_index(drop=True)
    return JudgeCheck(name, _agreement(rows), misses, log)


@scorer(metrics=[accuracy()])
def grader_check_scorer() -> Scorer:
    """1 where the grader gives the expected verdict, 0 where it gives another or none."""

    async def score(state: TaskState, target: Target) -> Score:
        verdicts, system = state.metadata["verdicts"], state.metadata["system"]
        # A simulated grader is told the expected verdict: with one, this checks the machinery.
        try:
            given = await ask_grader(Question(state.input_text, verdicts, system, target.text))
        except NoVerdictError:
            given = UNDECIDED
        return Score(value=float(given == target.text), answer=given)

    return score


def _agreement(rows: pd.DataFrame) -> pd.DataFrame:
    kind = rows["expected"].map(lambda verdict: "options" if verdict[:1].isdecimal() else verdict)
    parts: list[tuple[Any, Any, pd.DataFrame]] = [(OVERALL, OVERALL, rows)]
    for task, of_task in rows.groupby("task", sort=False):
        of_kind = of_task.groupby(kind[of_task.index], sort=False)
        parts += [(task, OVERALL, of_task), *((task, verdict, part) for verdict, part in of_kind)]
    lines = []
    for task, verdict, part in parts:
        n, agreed = len(part), int((part["given"] == part["expected"]).sum())
        undecided = int((part["given"] == UNDECIDED).sum())
        lines.append((task, verdict, n, agreed, undecided, agreed / n, *wilson(agreed / n, n)))
    columns = ["task", "verdict", "n", "agreed", "undecided", "agreement", "low", "high"]
    return pd.DataFrame(lines, columns=columns)
