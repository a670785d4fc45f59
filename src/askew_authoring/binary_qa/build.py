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
from inspect_ai.scorer import Scorer, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.files import toml_of
from askew.papers.binary_qa.items import BinaryRecord
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, PAPER, SUBSETS
from askew.papers.binary_qa.tasks import FORM_MARK, OPTIONS, PASSAGE_AND_QUESTION
from askew.parameters import choose
from askew.reading.reply import plain, refuses, visible
from askew.reading.yesno import read_yes_no
from askew.respondents.answering import REFUSAL, seeded
from askew.sources.loading import digest
from askew.sources.pinned import SourceError, fetch, sha256_of
from askew_authoring import building
from askew_authoring.binary_qa.rules import (
    REWRITES,
    WORDINGS,
    conversion_problems,
    in_words,
    problems,
)  # fmt: skip
from askew_authoring.binary_qa.sources import (
    FILES,
    HELD,
    LOADERS,
    Candidate,
    SourceFormatError,
    candidates,
    draw,
    quotas,
    shortages,
)  # fmt: skip
from askew_authoring.building import (
    CHECKER,
    WRITTEN,
    Finished,
    Plan,
    Record,
    Tendencies,
    tokens_of,
)  # fmt: skip

NAME = "binary_qa_builder"
SOURCE_OF = {domain: source for source, (domain, _) in LOADERS.items()}
ATTEMPTS = 3
# What a second model says that answers neither Yes nor No.
UNCLEAR = "unclear"
_PROMPTS = toml_of(__package__, "prompts.toml")
REWRITE = {form: _PROMPTS["form"].format(**how) for form, how in _PROMPTS["rewrite"].items()}
CHECK = f"{PASSAGE_AND_QUESTION}\n\n{OPTIONS.format(options='Yes/No')}"
TENDENCIES = building.tendencies_in(_PROMPTS)
# A rewritten question has about as many.
_TOKENS_A_QUESTION, _TOKENS_AN_ANSWER = 30, 5


# --- What is asked ---


def plan_build(
    model: str | Model, folder: str | Path, checker: str | Model = "",
    domains: str | Sequence[str] | None = None, items: int = 200, spares: int = 0, seed: int = 0,
) -> Plan[SheetRow]:  # fmt: skip
    """Fetch the sources, choose the questions and count what rewriting them costs."""
    tasks: dict[str, Task] = {}
    chosen: list[Candidate] = []
    told, unreachable, short = [], [], []
    # One folder for each way of building a domain, so that a changed plan mixes with no other.
    how = digest("/".join(map(str, (items, spares, seed, model, checker))))
    for domain in choose("domains", domains, SUBSETS):
        wanted, held = quotas(domain, items), HELD[SOURCE_OF[domain]]
        try:
            drawn = drawn_items(domain, items, spares, seed)
        except (SourceError, SourceFormatError) as error:
            unreachable.append(f"{domain}: not built. {error}")
            continue
        short += shortages((each.quota for each in drawn), wanted)
        if drawn:
            chosen += drawn
            tasks[f"{domain}-{how}"] = _task(domain, drawn)
            of = f"from {held['revision']} (licence: {held['licence']})"
            told.append(f"{domain}: {len(drawn)} items {of}")
    told += [*unreachable, *(f"too few questions: {what}" for what in short)]
    told.append(f"in all: {len(chosen):,} items")
    writes = len(REWRITES) * len(chosen) + sum(each.check is not None for each in chosen)
    checks = len(WORDINGS) * len(chosen) if checker else 0
    characters = sum(_shown(each, bool(checker)) for each in chosen)
    out = writes * _TOKENS_A_QUESTION + checks * _TOKENS_AN_ANSWER
    return Plan(
        Path(folder), model, checker, tasks, SheetRow, rows_of, told, (writes, checks),
        (tokens_of(characters), out),
    )  # fmt: skip


def _shown(each: Candidate, checked: bool) -> int:
    """How many characters are shown of a question and around it, in all requests about it."""
    prompts = [*REWRITE.values(), *([_PROMPTS["convert"]] if each.check else [])]
    prompts += [CHECK + each.passage] * len(WORDINGS) if checked else []
    return sum(len(prompt) + len(each.question) for prompt in prompts)


def drawn_items(domain: str, items: int, spares: int, seed: int) -> list[Candidate]:
    """The domain's balanced choice of questions; fetches its source where need be."""
    source = SOURCE_OF[domain]
    found = candidates(source, [fetch(file) for file in FILES[source]])
    return draw(domain, found, items, spares, seed)


def _task(domain: str, drawn: Sequence[Candidate]) -> Task:
    """Rewrite the questions of one domain of Binary QA."""
    sources = [
        {"revision": s.revision, "url": s.url, "sha256": sha256_of(fetch(s))}
        for s in FILES[SOURCE_OF[domain]]
    ]
    return building.builder_task(
        f"{NAME}_{domain}", PAPER, map(_sample, drawn),
        binary_qa_rewriting(_PROMPTS["convert"], REWRITE, _PROMPTS["mend"], CHECK),
        binary_qa_rewriting_scorer(), domain=domain, sources=sources,
    )  # fmt: skip


def _sample(drawn: Candidate) -> Sample:
    told = {key: getattr(drawn, key) for key in ("subset", "kind", "answer", "question", "passage")}
    compared = drawn.check.model_dump() if drawn.check else {}
    return Sample(
        id=drawn.id, input=drawn.question, target=str(drawn.answer),
        metadata={"task": NAME, "item": drawn.id, **told, **compared},
    )  # fmt: skip


@dataclass
class Rewrite:
    """What became of one form of an item."""

    question: str
    expected: str
    problems: list[str] = field(default_factory=list)
    attempts: int = 0
    checker: str = ""  # what a second model answered; empty where none was asked


@solver
def binary_qa_rewriting(
    convert: str, rewrite: dict[str, str], mend: str, check: str, attempts: int = ATTEMPTS
) -> Solver:
    """Fill the sample's metadata `written` with its five questions."""

    async def written(
        asked: str, expected: str, rule: Callable[[str], list[str]], state: TaskState, **hint: str
    ) -> Rewrite:
        """A question that keeps its rule, or the last of several tries with what is wrong."""
        messages: list[ChatMessage] = [ChatMessageUser(content=asked)]
        made = Rewrite("", expected)
        for attempt in range(1, attempts + 1):
            state.output = await building.asked(messages, {**hint, "attempt": attempt})
            question = rewritten_question(state.output.completion)
            made = Rewrite(question, expected, rule(question), attempt)
            if not made.problems:
                break
            again = ChatMessageUser(content=mend.format(problem=made.problems[0]))
            messages = [*messages, state.output.message, again]
        return made

    async def answered(form: str, made: Rewrite, passage: str) -> str:
        """What the second model says to a rewrite over its passage."""
        prompt = check.format(passage=passage, question=made.question)
        message = ChatMessageUser(content=prompt, metadata={FORM_MARK: form})
        hint = {"asks": "check", "form": form, "expected": made.expected}
        output = await building.asked([message], hint, role=CHECKER)
        return read_yes_no(output.completion).answer or UNCLEAR

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = state.metadata
        original = Rewrite(str(item["question"]), str(item["answer"]))
        if item.get("op"):
            op, n = str(item["op"]), float(item["n"])
            asked = convert.format(question=original.question, wanted=in_words(op, n))
            rule = partial(conversion_problems, op=op, n=n)
            original = await written(asked, original.expected, rule, state, asks="convert")
        question, answer = original.question, original.expected
        built = {"original": original}
        for form in REWRITES:
            asked = rewrite[form].format(question=question)
            expected = OPPOSITE[answer] if FORMS[form].flips else answer
            rule = partial(problems, form, question)
            built[form] = await written(asked, expected, rule, state, asks=form, original=question)
        if CHECKER in model_roles():
            for form, made in built.items():
                made.checker = await answered(form, made, str(item["passage"]))
        state.metadata[WRITTEN] = {form: asdict(made) for form, made in built.items()}
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def binary_qa_rewriting_scorer() -> Scorer:
    """Shares of an item's questions without a problem, and of those answered as expected."""

    def measures(built: Any, metadata: Mapping[str, Any]) -> tuple[dict[str, float], str]:
        wrong = [f"{form}: {p}" for form, made in built.items() for p in made["problems"]]
        differs = [
            f"{form}: the second model says {made['checker']}"
            for form, made in built.items()
            if made["checker"] not in ("", made["expected"])
        ]
        kept = sum(not made["problems"] for made in built.values())
        shares = {"rules_kept": kept / len(built), "as_expected": 1 - len(differs) / len(built)}
        return shares, "; ".join([*wrong, *differs]) or "nothing to remark"

    return building.scoring(measures)


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
    lines = [bare for line in building.lines_of(text) if (bare := _bare(line))]
    return next((line for line in lines if line.endswith("?")), lines[0] if lines else "")


def _bare(line: str) -> str:
    text = _LABEL.sub("", line).strip(" \t_")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one request of the builder."""
    asks, at = str(truth["asks"]), (truth.get("form", ""), truth.get("attempt", 1))
    rng = seeded(seed, name, truth["sample_id"], asks, *at)
    if rng.random() < tendencies.refuses:
        return REFUSAL
    if asks == "check":
        wrong = rng.random() < tendencies.misjudges
        return OPPOSITE[truth["expected"]] if wrong else str(truth["expected"])
    question = str(truth.get("original") or truth["question"])
    # A crude rewrite says what its form is to say: it quotes the question in a new one.
    wanted = in_words(truth["op"], truth["n"]) if asks == "convert" else ""
    quoted = f'the right answer to "{question}"'
    crude = str(_PROMPTS["crude"][asks].format(wanted=wanted, quoted=quoted))
    made = question if rng.random() < tendencies.botches else crude
    return f"Rewritten question:\n\n**{made}**\n\nIt keeps the rule." if tendencies.chatty else made


# --- What a person decides ---


@dataclass(frozen=True)
class SheetRow(building.Reviewed):
    """One question of one item, for a person to accept, mend or reject."""

    WHOLE, FIXED, MENDED = len(WORDINGS), "answer", "question"
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

    def judged(self, trust_checks: bool) -> bool | None:
        """A person's word, or that all checks passed and the second model answered as expected."""
        clean = trust_checks and not self.problems and self.checker == self.answer
        return self.verdict if self.verdict is not None or not clean else True


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


def record(rows: Sequence[SheetRow]) -> Record:
    """The line of the final file that an item's five rows make."""
    forms = {row.form: row for row in rows}
    original = forms["original"]
    made = {
        **{key: getattr(original, key) for key in ("id", "subset", "kind", "passage", "answer")},
        **{form: forms[form].question for form in WORDINGS},
        **({"check": json.loads(original.check)} if original.check else {}),
    }
    BinaryRecord.model_validate(made)
    return made


def finish_build(
    sheet: str | Path, out: str | Path, items: int | None = None, trust_checks: bool = False
) -> Finished:
    """Write the accepted items of a review sheet as the file that `data=PATH` takes.

    Where it is said how many items a domain has, those beyond its balance are left out.
    """
    done = building.finished(building.read_sheet(Path(sheet), SheetRow), record, trust_checks)
    subsets = dict.fromkeys(made["subset"] for made in done.records)
    wanted = Counter({q: n for s in subsets if items for q, n in quotas(s, items).items()})
    kept = []
    for made in done.records:
        quota = (made["subset"], made["kind"], made["answer"])
        wanted[quota] -= 1
        if items is None or wanted[quota] >= 0:
            kept.append(made)
    building.write_records(out, kept)
    return Finished(kept, done.rejected, done.pending)
