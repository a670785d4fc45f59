"""Build a MathComp set as the paper did: a model writes pairs by Table 6's prompt.

One request asks for up to twenty pairs of one category and label. Every pair is held against the
exact arithmetic that stands in it: what can't be read, states a wrong total or has another label
is rejected, with the reason. The rest goes onto a sheet for a person to accept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model
from inspect_ai.solver import TaskState
from pydantic import ValidationError

from askew.files import toml_of
from askew.papers.mathcomp.framings import FIXES, QUANTITIES, USUAL, Scenario
from askew.papers.mathcomp.generator import generate
from askew.papers.mathcomp.items import (
    Equation,
    EquationError,
    evaluate,
    parse_record,
    read_equation,
)
from askew.papers.mathcomp.paper import LABELS, PAPER, SUBSETS, subset_of
from askew.parameters import check_int, choose
from askew.untrusted import digest
from askew_authoring import building
from askew_authoring.building import WRITTEN, Made, Plan, Record, largest_remainder
from askew_authoring.mathcomp.lint import findings, framing_words, number_findings

# As many pairs as the paper asked for at once, and how many requests more than that needs.
BATCH, SPARE_REQUESTS = 20, 2
PROMPTS = toml_of(__package__, "prompts.toml")
# The paper's file, counted: its categories and labels.
PAPER_CATEGORIES = {
    category: sum(counts.values())
    for category, counts in toml_of(PAPER.home, "published/topics.toml").items()
}
PAPER_LABELS = {"equal": 94, "less": 119, "more": 87}
# Of reasons no more is told to a writer.
_REASONS = 5
_CELLS = ("sentence1", "sentence2", "category", "quantity", "equation1", "equation2", "task")
_PHRASE = ("noun", "verb", "verb_s", "rest")
_RULE = re.compile(r"[-: ]*")
Cell = tuple[str, str]
"""A category and a label."""


# --- What is asked ---


def plan_build(
    model: str | Model, folder: str | Path, items: int = 300,
    subset: str | Sequence[str] | None = None,
) -> Plan[SheetRow]:  # fmt: skip
    """Count what pairs in the paper's proportions take."""
    way = digest("/".join(map(str, (model, items, subset, PROMPTS["prompt"]))))
    wanted = cells(items, subset)
    samples = (_sample(*cell, n, f"-{way[:4]}") for cell, n in wanted.items())
    task = building.builder_task("mathcomp", samples, PROMPTS, config=GenerateConfig())
    requests = sum(-(-n // BATCH) for n in wanted.values())

    def left(made: Made) -> dict[str, int]:
        info = [(row, (of["category"], of["label"])) for of in made.values() for row in of[WRITTEN]]
        sound = Counter(cell for row, cell in info if not row["problems"])
        missing = {f"missing, {' '.join(at)}": n - sound[at] for at, n in wanted.items()}
        rejected = {"rejected": len(info) - sound.total()}
        return {why: n for why, n in {**rejected, **missing}.items() if n > 0}

    info = [f"{items} pairs, asked for again up to {SPARE_REQUESTS} times a category and label"]
    return Plan(
        Path(folder), model, None, {way: task}, SheetRow,
        lambda of: [SheetRow(**row) for row in of[WRITTEN]], info, (requests, 0), left=left,
    )  # fmt: skip


def cells(items: int, subset: str | Sequence[str] | None = None) -> dict[Cell, int]:
    """How many pairs of each category and label, in the paper's proportions."""
    check_int("items", items, most=100_000)
    wanted = choose("subset", subset, SUBSETS)
    ratios = {
        f"{category}/{label}": float(count * PAPER_LABELS[label])
        for category, count in PAPER_CATEGORIES.items()
        for label in LABELS
        if subset_of(category) in wanted
    }
    shares = largest_remainder(items, ratios)
    return {(*cell.split("/"),): n for cell, n in shares.items() if n}  # type: ignore[misc]


def _sample(category: str, label: str, wanted: int, mark: str) -> Sample:
    prompt = str(PROMPTS["prompt"]).strip().format(
        label=PROMPTS["labels"][label], n=min(wanted, BATCH), category=category,
        definition=PROMPTS["definitions"][category],
    )  # fmt: skip
    metadata = {"category": category, "label": label, "wanted": wanted, "mark": mark}
    name = f"{subset_of(category)}-{label}"
    return Sample(id=name, input=prompt, metadata={"task": "mathcomp_builder", **metadata})


async def write(state: TaskState, prompts: Mapping[str, Any]) -> list[dict[str, str]]:
    """As many sound pairs as a sample wants, and those that were rejected."""
    item, wanted = state.metadata, int(state.metadata["wanted"])
    rows: list[SheetRow] = []
    fresh: list[SheetRow] = []
    seen: set[tuple[str, str]] = set()
    for _ in range(-(-wanted // BATCH) + SPARE_REQUESTS):
        missing = min(wanted - sum(not row.problems for row in rows), BATCH)
        if missing <= 0:
            break
        if len(state.messages) > 1:
            state.messages.append(ChatMessageUser(content=_again(fresh, missing, prompts)))
        drafts = islice(_drafts(item["category"], item["label"]), len(rows), len(rows) + missing)
        state.output = await building.ask(state.messages, (len(rows),), drafts, GenerateConfig())
        state.messages.append(state.output.message)
        pairs = enumerate(pairs_of(state.output.completion), start=len(rows) + 1)
        name = f"{state.sample_id}{item['mark']}"
        fresh = [row_of(f"{name}-{n:03d}", values, item, seen) for n, values in pairs]
        rows += fresh
    return [asdict(row) for row in rows]


def _again(fresh: Sequence[SheetRow], missing: int, prompts: Mapping[str, Any]) -> str:
    reasons = [*dict.fromkeys(row.problems for row in fresh if row.problems)][:_REASONS]
    problems = prompts["rejected"].format(reasons="; ".join(reasons)) if reasons else ""
    return str(prompts["again"].format(problems=problems, n=missing))


def _drafts(category: str, label: str) -> Iterator[tuple[str, str]]:
    """What a simulated writer writes: our generator's pairs, and the same with a wrong total."""
    for seed in count():
        for made in generate((1,), BATCH, seed, subset_of(category)).items:
            if made.label == label and made.quantity in USUAL:
                wrong = f"{made.equation2} = {evaluate(made.equation2) + 1}"
                yield _line(made, made.equation2), _line(made, wrong)


def _line(pair: Scenario, equation2: str) -> str:
    sentences = f"{pair.sentence1} | {pair.sentence2}".format(A="[PERSON_A]", B="[PERSON_B]")
    rest = (pair.category, pair.quantity, pair.equation1, equation2, pair.task)
    return " | ".join((sentences, *rest))


# --- What a person decides ---


@dataclass(frozen=True)
class SheetRow(building.ReviewRow):
    """One pair, for a person to accept, mend or reject."""

    id: str
    accept: str = ""
    problems: str = ""  # why it can't be used as it is
    remarks: str = ""  # what to look at: a machine can't tell whether it is wrong
    label: str = ""
    sentence1: str = ""
    sentence2: str = ""
    category: str = ""
    quantity: str = ""
    equation1: str = ""
    equation2: str = ""
    task: str = ""
    noun: str = ""
    verb: str = ""
    verb_s: str = ""
    rest: str = ""

    def judged(self, trust_checks: bool) -> bool | None:
        """A person's word; what is wrong needs nobody's."""
        now = check_pair(self)
        if self.verdict is not None or now.problems:
            return bool(self.verdict)
        return (trust_checks and not (self.problems or now.remarks)) or None

    @property
    def told(self) -> Record:
        """As `data=FILE` takes it."""
        told = {name: getattr(self, name) for name in ("id", "label", *_CELLS, *_PHRASE)}
        return {name: value for name, value in told.items() if value}

    @staticmethod
    def record(rows: Sequence[SheetRow]) -> Record:
        """An accepted pair, checked once more."""
        now = check_pair(rows[0])
        if now.problems or needs_words(now):
            raise ValueError(now.problems or now.remarks)
        return now.told


def pairs_of(reply: str) -> Iterator[list[str]]:
    """The lines of a reply that separate values, each as its values; prose around them is none."""
    for line in building.lines_of(reply):
        values = [value.strip(" \t*`") for value in line.strip("|` \t").split("|")]
        is_head = "sentence1" in map(str.casefold, values) or _RULE.fullmatch("".join(values))
        if len(values) > 2 and not is_head:
            yield values


def row_of(
    name: str, values: Sequence[str], fields: Mapping[str, Any], seen: set[tuple[str, str]]
) -> SheetRow:
    """A line of a reply as a row, checked; `seen` are the pairs before it."""
    row = SheetRow(id=name, label=str(fields["label"]))
    if len(values) != len(_CELLS):
        line = " | ".join(values)
        return replace(row, sentence1=line, problems=f"{len(values)} values, not {len(_CELLS)}")
    row = replace(row, **dict(zip(_CELLS, values, strict=True)))
    row = check_pair(replace(row, quantity=row.quantity.casefold()), str(fields["category"]))
    pair = (row.sentence1.casefold(), row.sentence2.casefold())
    if pair in seen and not row.problems:
        row = replace(row, problems="the same two sentences as another pair")
    seen.add(pair)
    return row


def check_pair(row: SheetRow, category: str = "") -> SheetRow:
    """A pair, of the category that was asked for if any, with what is wrong with it or odd."""
    problems = []
    if category and row.category != category:
        problems.append(f"its category is {row.category!r:.40}, not {category!r}")
    if words := framing_words(f"{row.sentence1}\n{row.sentence2}"):
        problems.append(f"its sentences contain {', '.join(words)}")
    for name in ("equation1", "equation2"):
        # What can't be read at all, the record's own check names.
        with suppress(EquationError):
            if len(_calculation(getattr(row, name)).operands) < 2:
                problems.append(f"{name} {getattr(row, name)!r:.40} calculates nothing")
    open_words = needs_words(row)
    remarks = ["its question needs words: fill in noun, verb and verb_s"] if open_words else []
    # Without them the rest can be checked all the same.
    worded = replace(row, noun="x", verb="x", verb_s="x") if open_words else row
    try:
        remarks += _remarks(row, parse_record(worded.told).scenario(1))
    except ValidationError as error:
        for flaw in error.errors():
            text, where = str(flaw["msg"]).removeprefix("Value error, "), map(str, flaw["loc"])
            problems.append(": ".join([*filter(None, [".".join(where)]), text]))
    except ValueError as error:
        problems.append(str(error))
    return replace(row, problems="; ".join(problems), remarks="; ".join(remarks))


def needs_words(row: SheetRow) -> bool:
    """Whether nobody has worded the question for a quantity that the usual words don't fit."""
    worded = row.noun or (row.task, row.quantity) in FIXES
    return row.quantity in QUANTITIES and row.quantity not in USUAL and not worded


def _calculation(equation: str) -> Equation:
    """An equation without the total that it states."""
    return read_equation(equation.partition("=")[0])


def _remarks(row: SheetRow, scenario: Scenario) -> Iterator[str]:
    for sentence, name in ((row.sentence1, "equation1"), (row.sentence2, "equation2")):
        calculation = _calculation(getattr(row, name))
        for found in number_findings(row.id, name, sentence, calculation):
            yield f"{found.kind.replace('_', ' ')}: {found.message}"
    yield from (f"{found.kind}: {found.message}" for found in findings([scenario]))


finish_build = partial(building.finish_build, SheetRow)
