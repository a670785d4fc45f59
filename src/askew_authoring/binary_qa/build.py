"""Build a Binary QA set: from public sources over rewrites and their review to a file.

The paper's set was never published. This rebuilds one from the same sources with the paper's
balance (Section 2.1) and its four reformulations (Section 2.2): one request a form, one example
each, every rewrite held against its form's rule and, where a second model plays `checker`,
answered over its passage. A source that can't be reached is named, and the others are built.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, Model, model_roles
from inspect_ai.solver import TaskState

from askew.files import toml_of
from askew.papers.binary_qa.items import BinaryRecord
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, SUBSETS
from askew.papers.binary_qa.tasks import FORM_MARK, OPTIONS, PASSAGE_AND_QUESTION
from askew.parameters import choose
from askew.reading.reply import plain, refuses, visible
from askew.reading.yesno import read_yes_no
from askew.sources.pinned import SourceError, fetch, sha256_of
from askew.untrusted import digest
from askew_authoring import building
from askew_authoring.binary_qa import rules, sources
from askew_authoring.binary_qa.rules import REWRITES, WORDINGS
from askew_authoring.building import CHECKER, WRITTEN, Plan, Record, ReviewResult

ATTEMPTS = 3
# What a second model says that answers neither Yes nor No.
UNCLEAR = "unclear"
_TOLD = toml_of(__package__, "prompts.toml")
PROMPTS: Mapping[str, Any] = {
    "rewrite": {form: _TOLD["form"].format(**how) for form, how in _TOLD["rewrite"].items()},
    "check": f"{PASSAGE_AND_QUESTION}\n\n{OPTIONS.format(options='Yes/No')}",
    **{name: _TOLD[name] for name in ("convert", "mend")},
}


# --- What is asked ---


def plan_build(
    model: str | Model, folder: str | Path, checker: str | Model = "",
    domains: str | Sequence[str] | None = None, items: int = 200, spares: int = 0, seed: int = 0,
) -> Plan[SheetRow]:  # fmt: skip
    """Fetch the sources, choose the questions and count what rewriting them costs."""
    tasks: dict[str, Task] = {}
    chosen: list[sources.Candidate] = []
    lines, missing = [], []
    # One folder for each way of building a domain, so that a changed plan mixes with no other.
    how = digest("/".join(map(str, (items, spares, seed, model, checker))))
    for domain in choose("domains", domains, SUBSETS):
        wanted, kept_out = sources.quotas(domain, items), sources.HELD[sources.SOURCE_OF[domain]]
        try:
            drawn = drawn_items(domain, items, spares, seed)
        except (SourceError, sources.SourceFormatError) as error:
            missing.append(f"{domain}: not built. {error}")
            continue
        short = Counter(wanted) - Counter(each.quota for each in drawn)
        missing += [
            f"too few questions: {', '.join(map(str, quota))}: {wanted[quota] - n} of "
            f"{wanted[quota]} items" for quota, n in short.items()
        ]  # fmt: skip
        if drawn:
            chosen += drawn
            tasks[f"{domain}-{how}"] = _task(domain, drawn)
            of = f"from {kept_out['revision']} (licence: {kept_out['licence']})"
            lines.append(f"{domain}: {len(drawn)} items {of}")
    writes = len(REWRITES) * len(chosen) + sum(each.check is not None for each in chosen)
    checks = len(WORDINGS) * len(chosen) if checker else 0
    return Plan(
        Path(folder), model, checker, tasks, SheetRow, rows_of,
        [*lines, *missing, f"in all: {len(chosen):,} items"], (writes, checks),
    )  # fmt: skip


def drawn_items(domain: str, items: int, spares: int, seed: int) -> list[sources.Candidate]:
    """The domain's balanced choice of questions; fetches its source where need be."""
    source = sources.SOURCE_OF[domain]
    found = sources.candidates(source, [fetch(file) for file in sources.FILES[source]])
    return sources.draw(domain, found, items, spares, seed)


def _task(domain: str, drawn: Sequence[sources.Candidate]) -> Task:
    """Rewrite the questions of one domain."""
    files = [
        {"revision": s.revision, "url": s.url, "sha256": sha256_of(fetch(s))}
        for s in sources.FILES[sources.SOURCE_OF[domain]]
    ]
    columns = ("subset", "kind", "answer", "question", "passage")
    samples = (
        Sample(
            id=each.id, input=each.question, target=str(each.answer),
            metadata={
                "task": "binary_qa_builder", "item": each.id,
                **{key: getattr(each, key) for key in columns},
                **(each.check.model_dump() if each.check else {}),
            },
        )
        for each in drawn
    )  # fmt: skip
    return building.builder_task(
        "binary_qa", samples, PROMPTS, f"_{domain}", domain=domain, sources=files
    )


@dataclass
class Rewrite:
    """What became of one form of an item."""

    question: str
    expected: str
    problems: list[str] = field(default_factory=list)
    attempts: int = 0
    checker: str = ""  # what a second model answered; empty where none was asked


async def write(state: TaskState, prompts: Mapping[str, Any]) -> dict[str, Any]:
    """An item's five questions, by form."""
    item = state.metadata
    original = Rewrite(str(item["question"]), str(item["answer"]))
    if item.get("op"):
        op, n = str(item["op"]), float(item["n"])
        wanted = rules.in_words(op, n)
        prompt = prompts["convert"].format(question=original.question, wanted=wanted)
        rule = partial(rules.conversion_problems, op=op, n=n)
        crude = _crude("convert", original.question, wanted)
        original = await _write_question(
            state, "convert", prompt, original.expected, rule, crude, prompts
        )
    question, answer = original.question, original.expected
    built = {"original": original}
    for form in REWRITES:
        prompt = prompts["rewrite"][form].format(question=question)
        expected = OPPOSITE[answer] if FORMS[form].flips else answer
        rule, crude = partial(rules.problems, form, question), _crude(form, question)
        built[form] = await _write_question(state, form, prompt, expected, rule, crude, prompts)
    if CHECKER in model_roles():
        for form, made in built.items():
            prompt = prompts["check"].format(passage=item["passage"], question=made.question)
            message = ChatMessageUser(content=prompt, metadata={FORM_MARK: form})
            sides = [(made.expected, OPPOSITE[made.expected])]
            output = await building.ask([message], ("check", form, 1), sides, role=CHECKER)
            made.checker = read_yes_no(output.completion).answer or UNCLEAR
    return {form: asdict(made) for form, made in built.items()}


async def _write_question(
    state: TaskState, asks: str, prompt: str, expected: str, rule: Callable[[str], list[str]],
    drafts: Sequence[tuple[str, str]], prompts: Mapping[str, Any],
) -> Rewrite:  # fmt: skip
    """A question that keeps its rule, or the last of several tries with what is wrong."""
    messages: list[ChatMessage] = [ChatMessageUser(content=prompt)]
    made = Rewrite("", expected)
    for attempt in range(1, ATTEMPTS + 1):
        state.output = await building.ask(messages, (asks, "", attempt), drafts)
        question = rewritten_question(state.output.completion)
        made = Rewrite(question, expected, rule(question), attempt)
        if not made.problems:
            break
        again = ChatMessageUser(content=prompts["mend"].format(problem=made.problems[0]))
        messages = [*messages, state.output.message, again]
    return made


def _crude(asks: str, question: str, wanted: str = "") -> list[tuple[str, str]]:
    """A simulated writer's question, which quotes the one it is made of, and that one itself."""
    quoted = f'the right answer to "{question}"'
    return [(_TOLD["crude"][asks].format(wanted=wanted, quoted=quoted), question)]


_LABEL = re.compile(
    r"^(?:(?:the |my )?(?:rewritten|reformulated|revised|rephrased|new|converted)?[ \t]{0,2}"
    r"(?:question|rewrite|version|answer|rewritten))[ \t]{0,3}[:\-\u2013][ \t]{0,3}",
    re.IGNORECASE,
)


def rewritten_question(reply: str) -> str:
    """The one question that the reply holds; empty where it holds none or declines.

    A reply may wrap its question in quotes, markdown or a label, and comment on it; of several
    questions the first counts.
    """
    text = plain(visible(reply))
    if not text or refuses(text):
        return ""
    lines = []
    for line in building.lines_of(text):
        bare = _LABEL.sub("", line).strip(" \t_")
        if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
            bare = bare[1:-1].strip()
        lines += [bare] if bare else []
    return next((line for line in lines if line.endswith("?")), lines[0] if lines else "")


# --- What a person decides ---


@dataclass(frozen=True)
class SheetRow(building.ReviewRow):
    """One question of one item, for a person to accept, mend or reject."""

    WHOLE, FIXED, MENDED = len(WORDINGS), "answer", "question"
    PLACE, BUILT = ("id", "form"), "subset"
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

    def judged(self, trust_checks: bool) -> bool | None:
        """A person's word, or that all checks passed and the second model answered as expected."""
        clean = trust_checks and not self.problems and self.checker == self.answer
        return self.verdict if self.verdict is not None or not clean else True

    @staticmethod
    def record(rows: Sequence[SheetRow]) -> Record:
        """The line of the final file that an item's five rows make."""
        forms = {row.form: row for row in rows}
        first = forms["original"]
        made = {
            **{key: getattr(first, key) for key in ("id", "subset", "kind", "passage", "answer")},
            **{form: forms[form].question for form in WORDINGS},
            **({"check": json.loads(first.check)} if first.check else {}),
        }
        BinaryRecord.model_validate(made)
        return made


def rows_of(item: Mapping[str, Any]) -> Iterator[SheetRow]:
    """The five rows of a built item, from its metadata.

    A question taken from its source as it was needs no acceptance, unless the second model
    answers it otherwise than the source says.
    """
    built = item[WRITTEN]
    compared = {key: item[key] for key in ("value", "op", "n") if item.get("op")}
    for form in WORDINGS:
        one = Rewrite(**built[form])
        untouched = form == "original" and not compared and one.checker in ("", one.expected)
        yield SheetRow(
            str(item["item"]), str(item["subset"]), str(item["kind"]), form, one.expected,
            str(built["original"]["question"]), one.question, "yes" if untouched else "",
            "; ".join(one.problems), one.checker, json.dumps(compared) if compared else "",
            str(item["passage"]),
        )  # fmt: skip


def finish_build(
    sheet: str | Path, out: str | Path, items: int | None = None, trust_checks: bool = False
) -> ReviewResult:
    """Write the accepted items of a review sheet as the file that `data=PATH` takes.

    Where it is said how many items a domain has, those beyond its balance are left out.
    """
    done = building.finish_review(building.read_sheet(Path(sheet), SheetRow), trust_checks)
    subsets = dict.fromkeys(made["subset"] for made in done.records)
    wanted = Counter({q: n for s in subsets if items for q, n in sources.quotas(s, items).items()})
    kept = []
    for made in done.records:
        quota = (made["subset"], made["kind"], made["answer"])
        wanted[quota] -= 1
        if items is None or wanted[quota] >= 0:
            kept.append(made)
    building.write_records(out, kept)
    return ReviewResult(kept, done.rejected, done.pending)
