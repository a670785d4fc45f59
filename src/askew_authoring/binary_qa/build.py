"""From sources to a file of questions: plan what a build costs, run it, finish it after review.

Nothing is asked before a plan was made. A run can be stopped and started again: finished items
are not asked twice. A source that can't be reached is named, and the others are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import DisplayType

from askew.papers.binary_qa.paper import SUBSETS
from askew.parameters import choose
from askew.sources.loading import digest
from askew.sources.pinned import SourceError
from askew_authoring.binary_qa import review
from askew_authoring.binary_qa.rewriting import (
    CHECK,
    CONVERT,
    REWRITE,
    SOURCE_OF,
    binary_qa_builder,
    drawn_items,
)
from askew_authoring.binary_qa.rules import REWRITES
from askew_authoring.binary_qa.sources import HELD, Candidate, SourceFormatError, quotas, shortages
from askew_authoring.building import SHEET, ask, made

# Four characters a token is the usual rule of thumb; a rewritten question has about thirty.
_CHARACTERS_A_TOKEN = 4
_TOKENS_A_QUESTION = 30
_TOKENS_AN_ANSWER = 5


@dataclass(frozen=True)
class BuildPlan:
    """What a build will ask, before it asks; the first fields are as in `plan_build`.

    Args:
        drawn: the chosen questions by domain.
        short: cells for which there were too few questions, in words.
        unreachable: why a domain can't be built, by domain.
    """

    folder: Path
    model: str | Model
    checker: str | Model
    items: int
    spares: int
    seed: int
    drawn: Mapping[str, Sequence[Candidate]]
    short: Sequence[str]
    unreachable: Mapping[str, str]

    @property
    def _chosen(self) -> list[Candidate]:
        return [each for drawn in self.drawn.values() for each in drawn]

    @property
    def n_items(self) -> int:
        return len(self._chosen)

    @property
    def writer_calls(self) -> int:
        """Without further tries: a question that breaks a rule is asked for up to three times."""
        numbers = sum(each.check is not None for each in self._chosen)
        return len(REWRITES) * self.n_items + numbers

    @property
    def checker_calls(self) -> int:
        return (len(REWRITES) + 1) * self.n_items if self.checker else 0

    @property
    def input_tokens(self) -> int:
        """An estimate from the lengths of prompts, questions and passages."""
        characters = 0
        for each in self._chosen:
            prompts = [*REWRITE.values(), *([CONVERT] if each.check else [])]
            characters += sum(len(prompt) + len(each.question) for prompt in prompts)
            if self.checker:
                shown = len(CHECK) + len(each.question) + len(each.passage)
                characters += (len(REWRITES) + 1) * shown
        return characters // _CHARACTERS_A_TOKEN

    @property
    def output_tokens(self) -> int:
        return self.writer_calls * _TOKENS_A_QUESTION + self.checker_calls * _TOKENS_AN_ANSWER

    def describe(self) -> str:
        """The plan in lines for a terminal."""
        lines = [
            f"{domain}: {len(drawn)} items from {HELD[SOURCE_OF[domain]]['revision']} "
            f"(licence: {HELD[SOURCE_OF[domain]]['licence']})"
            for domain, drawn in self.drawn.items()
        ]
        lines += [f"{domain}: not built. {why}" for domain, why in self.unreachable.items()]
        lines += [f"too few questions: {what}" for what in self.short]
        calls = f"{self.writer_calls:,} of {self.model}"
        if self.checker:
            same = " (the writer itself)" if str(self.checker) == str(self.model) else ""
            calls += f" and {self.checker_calls:,} of {self.checker}{same}"
        else:
            calls += "; no second model answers the rewrites (--checker), so read them all the more"
        lines.append(f"in all: {self.n_items:,} items; calls: {calls}")
        lines.append(
            f"about {self.input_tokens:,} tokens in and {self.output_tokens:,} out, before "
            "reasoning and second tries"
        )
        return "\n".join(lines)


def plan_build(
    model: str | Model,
    folder: str | Path,
    checker: str | Model = "",
    domains: str | Sequence[str] | None = None,
    items: int = 200,
    spares: int = 0,
    seed: int = 0,
) -> BuildPlan:
    """Fetch the sources, choose the questions and count what rewriting them costs."""
    drawn: dict[str, Sequence[Candidate]] = {}
    unreachable: dict[str, str] = {}
    short: list[str] = []
    for domain in choose("domains", domains, SUBSETS):
        wanted = quotas(domain, items)
        try:
            found = drawn_items(domain, items, spares, seed)
            short += shortages((each.quota for each in found), wanted)
            if found:
                drawn[domain] = found
        except (SourceError, SourceFormatError) as error:
            unreachable[domain] = str(error)
    return BuildPlan(Path(folder), model, checker, items, spares, seed, drawn, short, unreachable)


@dataclass(frozen=True)
class Built:
    """What a run left.

    Args:
        sheet: the review sheet.
        n_items: items in it.
        undecided: rows in it that a person must still decide on.
        incomplete: by domain, how many chosen items could not be built; run again to retry them.
        unreachable: why a domain was not built at all, by domain.
    """

    sheet: Path
    n_items: int
    undecided: int
    incomplete: Mapping[str, int]
    unreachable: Mapping[str, str]


def run_build(plan: BuildPlan, display: DisplayType | None = None, **options: Any) -> Built:
    """Ask for all rewrites of a plan and write the review sheet."""
    rows: list[review.SheetRow] = []
    incomplete: dict[str, int] = {}
    sheet = plan.folder / SHEET
    # One folder for each way of building a domain, so that a changed plan mixes with no other.
    how = "/".join(map(str, (plan.items, plan.spares, plan.seed, plan.model, plan.checker)))
    for domain, drawn in plan.drawn.items():
        folder = plan.folder / "logs" / f"{domain}-{digest(how)}"
        task = binary_qa_builder(domain, plan.items, plan.spares, plan.seed)
        try:
            ask(task, folder, plan.model, plan.checker, display=display, **options)
        finally:
            # Whatever ended the run: what was built so far is on the sheet.
            built = list(_built_rows(folder, drawn))
            rows += built
            reviewed = review.read_sheet(sheet) if sheet.exists() else []
            review.write_sheet(sheet, review.merged(rows, reviewed))
        if missing := len(drawn) - len({row.id for row in built}):
            incomplete[domain] = missing
    final = review.read_sheet(sheet) if sheet.exists() else []
    n_items, undecided = len({row.id for row in final}), sum(row.verdict is None for row in final)
    return Built(sheet, n_items, undecided, incomplete, plan.unreachable)


def finish_build(
    sheet: str | Path, out: str | Path, items: int | None = None, trust_checks: bool = False
) -> review.Finished:
    """Write the accepted items of a review sheet as the file that `data=PATH` takes."""
    result = review.finished(review.read_sheet(Path(sheet)), items, trust_checks)
    if result.records:
        review.write_items(Path(out), result.records)
    return result


def _built_rows(folder: Path, drawn: Sequence[Candidate]) -> Iterator[review.SheetRow]:
    """Rows of every item that some log of the folder holds complete, in the order of the plan."""
    built = made(folder, review.REWRITTEN)
    for each in drawn:
        metadata = built.get(each.id)
        if metadata is not None:
            yield from review.rows_of(metadata, metadata[review.REWRITTEN])
