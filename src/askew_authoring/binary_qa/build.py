"""From sources to a file of questions: plan what a build costs, run it, finish it after review.

Nothing is asked before a plan was made. A run can be stopped and started again: finished items
are not asked twice. A source that can't be reached is named, and the others are built.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import DisplayType

from askew.papers.binary_qa.items import BinaryRecord, items_of
from askew.papers.binary_qa.paper import SUBSETS
from askew.parameters import choose
from askew.sources.loading import digest, with_own_ids
from askew.sources.pinned import SourceError
from askew_authoring.binary_qa.rewriting import (
    CHECK,
    CONVERT,
    REWRITE,
    REWRITTEN,
    SOURCE_OF,
    Rewrite,
    binary_qa_builder,
    drawn_items,
)
from askew_authoring.binary_qa.rules import REWRITES, WORDINGS, problems, shape_problems
from askew_authoring.binary_qa.sources import (
    HELD,
    Candidate,
    Quota,
    SourceFormatError,
    quotas,
    shortages,
)
from askew_authoring.building import (
    SHEET,
    Reviewed,
    ReviewError,
    ask,
    made,
    put_on_sheet,
    read_sheet,
    sorted_out,
    write_records,
)

# Four characters a token is the usual rule of thumb; a rewritten question has about thirty.
_CHARACTERS_A_TOKEN = 4
_TOKENS_A_QUESTION = 30
_TOKENS_AN_ANSWER = 5


@dataclass(frozen=True)
class BuildPlan:
    """What a build will ask, before it asks; the first fields are as in `plan_build`."""

    folder: Path
    model: str | Model
    checker: str | Model
    items: int
    spares: int
    seed: int
    drawn: Mapping[str, Sequence[Candidate]]  # the chosen questions by domain
    short: Sequence[str]  # cells for which there were too few, in words
    unreachable: Mapping[str, str]  # why a domain can't be built

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
    """What a run left."""

    sheet: Path
    n_items: int  # on the sheet
    undecided: int  # rows of it
    incomplete: Mapping[str, int]  # by domain, chosen items that failed; run again to retry them
    unreachable: Mapping[str, str]  # why a domain was not built at all


def run_build(plan: BuildPlan, display: DisplayType | None = None, **options: Any) -> Built:
    """Ask for all rewrites of a plan and write the review sheet."""
    rows: list[SheetRow] = []
    final: list[SheetRow] = []
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
            built = made(folder, REWRITTEN)
            there = [built[each.id] for each in drawn if each.id in built]
            rows += [row for item in there for row in rows_of(item, item[REWRITTEN])]
            final = put_on_sheet(sheet, SheetRow, rows)
        if missing := len(drawn) - len(there):
            incomplete[domain] = missing
    n_items, undecided = len({row.id for row in final}), sum(row.verdict is None for row in final)
    return Built(sheet, n_items, undecided, incomplete, plan.unreachable)


@dataclass(frozen=True)
class SheetRow(Reviewed):
    """One question of one item, for a person to accept, mend or reject."""

    FIXED, MENDED = "answer", "question"
    id: str
    subset: str
    kind: str
    form: str
    answer: str
    original: str
    question: str
    accept: str = ""
    problems: str = ""
    checker: str = ""
    check: str = ""
    passage: str = ""

    @property
    def place(self) -> str:
        return f"{self.id}, {self.form}"

    @property
    def built_with(self) -> str:
        return self.subset

    @property
    def trusted(self) -> bool | None:
        """A person's word, or that all checks passed and the second model answered as expected."""
        clean = not self.problems and self.checker == self.answer
        return True if self.verdict is None and clean else self.verdict


def rows_of(item: Mapping[str, Any], built: Mapping[str, Mapping[str, Any]]) -> Iterator[SheetRow]:
    """The five rows of a built item, from its metadata.

    A question taken from its source as it was needs no acceptance, unless the second model
    answers it otherwise than the source says.
    """
    compared = {key: item[key] for key in ("value", "op", "n") if item.get("op")}
    for form in WORDINGS:
        one = Rewrite(**built[form])
        untouched = form == "original" and not compared and one.checker in ("", one.expected)
        yield SheetRow(
            id=str(item["item"]),
            subset=str(item["subset"]),
            kind=str(item["kind"]),
            form=form,
            answer=one.expected,
            original=str(built["original"]["question"]),
            question=one.question,
            accept="yes" if untouched else "",
            problems="; ".join(one.problems),
            checker=one.checker,
            check=json.dumps(compared) if compared else "",
            passage=str(item["passage"]),
        )


@dataclass(frozen=True)
class Finished:
    """What a review left over."""

    records: list[dict[str, Any]]  # the accepted items, as lines of the final file
    rejected: list[str]  # ids of items of which a person rejected a question
    pending: list[str]  # of those with a question that nobody decided on
    surplus: list[str]  # of accepted ones beyond what the balance asks for
    remarks: list[str]  # what is odd: rules that an accepted question breaks, short quotas


def finish_build(
    sheet: str | Path, out: str | Path, items: int | None = None, trust_checks: bool = False
) -> Finished:
    """Write the accepted items of a review sheet as the file that `data=PATH` takes."""
    result = finished(read_sheet(Path(sheet), SheetRow), items, trust_checks)
    # Checked as it will be read.
    with_own_ids(items_of([BinaryRecord.model_validate(record) for record in result.records]))
    write_records(out, result.records)
    return result


def finished(
    rows: Sequence[SheetRow], items: int | None = None, trust_checks: bool = False
) -> Finished:
    """The items whose five questions are all accepted, as `finish_build` takes them."""
    verdict = attrgetter("trusted" if trust_checks else "verdict")
    found = sorted_out(rows, len(WORDINGS), verdict)
    accepted = [{row.form: row for row in own} for own in found.accepted]
    records = [_record(forms) for forms in accepted]
    remarks = [odd for forms in accepted for odd in _remarks(forms)]
    subsets = dict.fromkeys(str(record["subset"]) for record in records)
    wanted = {q: n for subset in subsets if items for q, n in quotas(subset, items).items()}
    taken: Counter[Quota] = Counter()
    kept, surplus = [], []
    for record in records:
        quota = (record["subset"], record["kind"], record["answer"])
        taken[quota] += 1
        if items is None or taken[quota] <= wanted.get(quota, 0):
            kept.append(record)
        else:
            surplus.append(str(record["id"]))
    remarks += shortages(taken.elements(), wanted)
    return Finished(kept, found.rejected, found.pending, surplus, remarks)


def _record(forms: Mapping[str, SheetRow]) -> dict[str, Any]:
    original = forms["original"]
    record = {
        **{key: getattr(original, key) for key in ("id", "subset", "kind", "passage", "answer")},
        **{form: forms[form].question for form in WORDINGS},
        **({"check": json.loads(original.check)} if original.check else {}),
    }
    try:
        BinaryRecord.model_validate(record)
    except ValueError as error:
        raise ReviewError(f"{original.id}: {error}") from error
    return record


def _remarks(forms: Mapping[str, SheetRow]) -> Iterator[str]:
    """Rules that accepted questions break."""
    original = forms["original"]
    for problem in shape_problems(original.question):
        yield f"{original.id}, original: {problem}"
    for form in REWRITES:
        for problem in problems(form, original.question, forms[form].question):
            yield f"{original.id}, {form}: {problem}"
