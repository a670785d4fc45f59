"""Build a Binary QA set: an eval whose samples are items and whose log is the audit trail.

The paper's set was never published. This rebuilds one from the same sources with the paper's
balance (Section 2.1) and its four reformulations (Section 2.2): one request a form, one example
each, every rewrite held against its form's rule and, where a second model plays `checker`,
answered over its passage. Every call stands in the log, so it says where each question came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import task as built_by
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, get_model, model_roles
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.files import toml_of
from askew.papers.binary_qa.paper import FORMS, OPPOSITE, PAPER, SUBSETS
from askew.papers.binary_qa.tasks import FORM_MARK, OPTIONS, PASSAGE_AND_QUESTION
from askew.parameters import choose
from askew.reading.reply import plain, refuses, visible
from askew.reading.yesno import read_yes_no
from askew.respondents.answering import REFUSAL, seeded
from askew.solvers.chain import reveal_truth
from askew.sources.pinned import fetch, sha256_of
from askew_authoring.binary_qa.rules import REWRITES, conversion_problems, in_words, problems
from askew_authoring.binary_qa.sources import FILES, LOADERS, Candidate, candidates, draw
from askew_authoring.building import CHECKER, Tendencies, tell

NAME = "binary_qa_builder"
SOURCE_OF = {domain: source for source, (domain, _) in LOADERS.items()}
ATTEMPTS = 3
# Metadata of a built sample, and what a second model says that answers neither Yes nor No.
REWRITTEN, UNCLEAR = "rewritten", "unclear"
_EXACT = GenerateConfig(temperature=0.0)
_PROMPTS = toml_of(__package__, "prompts.toml")


@dataclass
class Rewrite:
    """What became of one form of an item."""

    question: str
    expected: str
    problems: list[str] = field(default_factory=list)
    attempts: int = 0
    checker: str = ""  # what a second model answered; empty where none was asked


# Under its own name, `inspect list tasks` would list it among the evaluations.
@built_by
def binary_qa_builder(
    domain: str = "reading", items: int = 200, spares: int = 0, seed: int = 0
) -> Task:
    """Rewrite the questions of one domain of Binary QA."""
    choose("domain", domain, SUBSETS)
    drawn = drawn_items(domain, items, spares, seed)
    if not drawn:
        raise ValueError(f"{domain}: the source has no question that fits")
    return Task(
        name=f"{NAME}_{domain}",
        dataset=MemoryDataset([_sample(each) for each in drawn], name=f"{NAME}-{domain}"),
        setup=[reveal_truth()],
        solver=binary_qa_rewriting(CONVERT, dict(REWRITE), MEND, CHECK),
        scorer=binary_qa_rewriting_scorer(),
        config=_EXACT,
        continue_on_fail=True,
        metadata={
            "benchmark": "askew-builder",
            "paper": PAPER.task,
            "domain": domain,
            "sources": [
                {"revision": s.revision, "url": s.url, "sha256": sha256_of(fetch(s))}
                for s in FILES[SOURCE_OF[domain]]
            ],
        },
    )


def drawn_items(domain: str, items: int, spares: int, seed: int) -> Sequence[Candidate]:
    """The domain's balanced choice of questions; fetches its source where need be."""
    source = SOURCE_OF[domain]
    paths = tuple(fetch(file) for file in FILES[source])
    return _drawn(source, paths, domain, items, spares, seed)


@lru_cache(maxsize=8)
def _drawn(
    source: str, paths: tuple[Path, ...], domain: str, items: int, spares: int, seed: int
) -> tuple[Candidate, ...]:
    return tuple(draw(domain, candidates(source, paths), items, spares, seed))


def _sample(drawn: Candidate) -> Sample:
    return Sample(
        id=drawn.id,
        input=drawn.question,
        target=str(drawn.answer),
        metadata={
            "task": NAME,
            "item": drawn.id,
            **{key: getattr(drawn, key) for key in ("subset", "kind", "answer")},
            "question": drawn.question,
            "passage": drawn.passage,
            **(drawn.check.model_dump() if drawn.check else {}),
        },
    )


@solver
def binary_qa_rewriting(
    convert: str, rewrite: dict[str, str], mend: str, check: str, attempts: int = ATTEMPTS
) -> Solver:
    """Fill the sample's metadata `rewritten` with its five questions."""

    async def written(
        asked: str, expected: str, rule: Callable[[str], list[str]], state: TaskState, **hint: str
    ) -> Rewrite:
        """A question that keeps its rule, or the last of several tries with what is wrong."""
        messages: list[ChatMessage] = [ChatMessageUser(content=asked)]
        made = Rewrite("", expected)
        for attempt in range(1, attempts + 1):
            tell({**hint, "attempt": attempt})
            state.output = await get_model().generate(messages, config=_EXACT)
            question = rewritten_question(state.output.completion)
            made = Rewrite(question, expected, rule(question), attempt)
            if not made.problems:
                break
            again = ChatMessageUser(content=mend.format(problem=made.problems[0]))
            messages = [*messages, state.output.message, again]
        return made

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
            built[form] = await written(
                rewrite[form].format(question=question),
                OPPOSITE[answer] if FORMS[form].flips else answer,
                partial(problems, form, question),
                state,
                asks=form,
                original=question,
            )
        if CHECKER in model_roles():
            for form, made in built.items():
                made.checker = await _answered(item, form, made, check)
        state.metadata[REWRITTEN] = {form: asdict(made) for form, made in built.items()}
        return state

    return solve


async def _answered(item: Mapping[str, Any], form: str, made: Rewrite, check: str) -> str:
    """What the second model says to a rewrite over its passage."""
    tell({"asks": "check", "form": form, "expected": made.expected})
    prompt = check.format(passage=item["passage"], question=made.question)
    message = ChatMessageUser(content=prompt, metadata={FORM_MARK: form})
    output = await get_model(role=CHECKER, required=True).generate([message], config=_EXACT)
    return read_yes_no(output.completion).answer or UNCLEAR


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
            if made["checker"] not in ("", made["expected"])
        ]
        kept = sum(not made["problems"] for made in built.values())
        return Score(
            value={"rules_kept": kept / len(built), "as_expected": 1 - len(differs) / len(built)},
            explanation="; ".join([*wrong, *differs]) or "nothing to remark",
        )

    return score


_LABEL = re.compile(
    r"^(?:(?:the |my )?(?:rewritten|reformulated|revised|rephrased|new|converted)?[ \t]{0,2}"
    r"(?:question|rewrite|version|answer|rewritten))[ \t]{0,3}[:\-\u2013][ \t]{0,3}",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(?:[-\u2022>]|\d{1,2}[.)])[ \t]+")
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
    lines = [line for each in text.split("\n", _LINES)[:_LINES] if (line := _bare(each))]
    return next((line for line in lines if line.endswith("?")), lines[0] if lines else "")


def _bare(line: str) -> str:
    text = _LABEL.sub("", _BULLET.sub("", line[:_LONGEST_LINE].strip())).strip(" \t_")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


TENDENCIES: Mapping[str, Tendencies] = {
    name: Tendencies(**told) for name, told in _PROMPTS["tendencies"].items()
}


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
    crude = _PROMPTS["crude"][asks].format(
        wanted=wanted, quoted=f'the right answer to "{question}"'
    )
    made = question if rng.random() < tendencies.botches else str(crude)
    return f"Rewritten question:\n\n**{made}**\n\nIt keeps the rule." if tendencies.chatty else made


REWRITE = {form: _PROMPTS["form"].format(**how) for form, how in _PROMPTS["rewrite"].items()}
CONVERT, MEND = str(_PROMPTS["convert"]), str(_PROMPTS["mend"])
CHECK = f"{PASSAGE_AND_QUESTION}\n\n{OPTIONS.format(options='Yes/No')}"
