"""The eval that has pairs written: a sample is a category and a label, its log the audit trail."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import count, islice
from typing import Any

from inspect_ai import Task
from inspect_ai import task as built_by
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.files import toml_of
from askew.papers.mathcomp.arithmetic import evaluate
from askew.papers.mathcomp.framings import USUAL, Scenario
from askew.papers.mathcomp.paper import LABELS, PAPER, SUBSETS, subset_of
from askew.parameters import choose, whole_number
from askew.respondents.answering import REFUSAL, seeded
from askew.solvers.chain import reveal_truth
from askew_authoring.building import Tendencies, tell
from askew_authoring.drawing import shared_out
from askew_authoring.mathcomp.generator import PAPER_LABELS, PAPER_TOPICS, generate
from askew_authoring.mathcomp.pairs import SheetRow, pairs_of, row_of

NAME = "mathcomp_builder"
WRITTEN = "written"
# As many pairs as the paper asked for at once, and how many requests more than that needs.
BATCH, SPARE_REQUESTS = 20, 2
TOLD = toml_of(__package__, "prompts.toml")
# Of reasons no more is told to a writer.
_REASONS = 5


# Under its own name, `inspect list tasks` would list it among the evaluations.
@built_by
def mathcomp_builder(
    items: int = 300, subset: str | Sequence[str] | None = None, mark: str = ""
) -> Task:
    """Have pairs of sentences written by Table 6's prompt."""
    samples = [
        Sample(
            id=f"{subset_of(category)}-{label}",
            input=_prompt(category, label, min(wanted, BATCH)),
            metadata={
                "task": NAME, "category": category, "label": label, "wanted": wanted, "mark": mark,
            },
        )
        for (category, label), wanted in cells(items, subset).items()
    ]  # fmt: skip
    return Task(
        name=NAME,
        dataset=MemoryDataset(samples, name=NAME),
        setup=[reveal_truth()],
        solver=mathcomp_writing(),
        scorer=mathcomp_writing_scorer(),
        continue_on_fail=True,
        metadata={"benchmark": "askew-builder", "paper": PAPER.task},
    )


def cells(items: int, subset: str | Sequence[str] | None = None) -> dict[tuple[str, str], int]:
    """How many pairs of each category and label, in the paper's proportions."""
    whole_number("items", items, most=100_000)
    wanted = choose("subset", subset, SUBSETS)
    counts: Counter[str] = Counter()
    for (category, _), n in PAPER_TOPICS.items():
        counts[category] += n
    ratios = {
        f"{category}/{label}": float(counts[category] * PAPER_LABELS[label])
        for category in counts
        for label in LABELS
        if subset_of(category) in wanted
    }
    shares = shared_out(items, ratios)
    return {(*cell.split("/"),): n for cell, n in shares.items() if n}  # type: ignore[misc]


def _prompt(category: str, label: str, n: int) -> str:
    return str(TOLD["prompt"]).strip().format(
        label=TOLD["labels"][label], n=n, category=category,
        definition=TOLD["definitions"][category],
    )  # fmt: skip


@solver
def mathcomp_writing() -> Solver:
    """Fill the sample's metadata `written` with as many sound pairs as it wants, and the others."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        told, wanted = state.metadata, int(state.metadata["wanted"])
        messages: list[ChatMessage] = [*state.messages]
        rows: list[SheetRow] = []
        fresh: list[SheetRow] = []
        seen: set[tuple[str, str]] = set()
        for _ in range(-(-wanted // BATCH) + SPARE_REQUESTS):
            missing = min(wanted - sum(not row.problems for row in rows), BATCH)
            if missing <= 0:
                break
            if rows or len(messages) > 1:
                messages.append(ChatMessageUser(content=_again(fresh, missing)))
            tell({"n": missing, "asked": len(rows)})
            state.output = await get_model().generate(messages)
            messages.append(state.output.message)
            fresh = [
                row_of(f"{state.sample_id}{told['mark']}-{number:03d}", values, told, seen)
                for number, values in enumerate(
                    pairs_of(state.output.completion), start=len(rows) + 1
                )
            ]
            rows += fresh
        state.messages = messages
        state.metadata[WRITTEN] = [asdict(row) for row in rows]
        return state

    return solve


def _again(fresh: Sequence[SheetRow], missing: int) -> str:
    reasons = dict.fromkeys(row.problems for row in fresh if row.problems)
    told = "; ".join([*reasons][:_REASONS])
    problems = str(TOLD["rejected"]).format(reasons=told) if told else ""
    return str(TOLD["again"]).format(problems=problems, n=missing)


@scorer(metrics={"*": [mean()]})
def mathcomp_writing_scorer() -> Scorer:
    """The share of pairs that can be used, and of those wanted that there are."""

    async def score(state: TaskState, target: Target) -> Score:
        rows = state.metadata.get(WRITTEN) or []
        if not rows:
            return Score.unscored(reason="scoring_failed", explanation="no pair was written")
        sound = sum(not row["problems"] for row in rows)
        return Score(
            value={
                "sound": sound / len(rows),
                "complete": min(sound / state.metadata["wanted"], 1),
            },
            explanation="; ".join(r["problems"] for r in rows if r["problems"]) or "all are sound",
        )

    return score


TENDENCIES: Mapping[str, Tendencies] = {
    name: Tendencies(**told) for name, told in TOLD["tendencies"].items()
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The pairs of a simulated writer: our generator's, as Table 6 wants them written."""
    n, asked = int(truth["n"]), int(truth["asked"])
    rng = seeded(seed, name, truth["sample_id"], asked)
    if rng.random() < tendencies.refuses:
        return REFUSAL
    drawn = islice(_generated(truth["category"], truth["label"], seed), asked, asked + n)
    lines = [_line(told, rng.random() < tendencies.botches) for told in drawn]
    if tendencies.chatty:
        lines = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
        lines = ["Here are the pairs:", "", *lines, "", "Each equation gives its total."]
    return "\n".join(lines)


def _generated(category: str, label: str, seed: int) -> Iterator[Scenario]:
    for number in count():
        for told in _set(seed * 1_000 + number):
            if (told.category, told.label) == (category, label) and told.quantity in USUAL:
                yield told


@lru_cache(maxsize=8)
def _set(seed: int) -> Sequence[Scenario]:
    return tuple(generate(sum(PAPER_TOPICS.values()), seed))


def _line(told: Scenario, wrong: bool) -> str:
    names = {"{A}": "[PERSON_A]", "{B}": "[PERSON_B]"}
    sentences = (
        re.sub(r"\{[AB]\}", lambda m: names[m[0]], s) for s in (told.sentence1, told.sentence2)
    )
    second = f"{told.equation2} = {evaluate(told.equation2) + 1}" if wrong else told.equation2
    values = (*sentences, told.category, told.quantity, told.equation1, second, told.task)
    return " | ".join(values)
