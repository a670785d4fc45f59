"""Format bias: does a reply follow its format, and how right is the answer it holds?"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.files import toml_of
from askew.papers.format_bias.credit import (
    Credit,
    average_precision,
    contained_credit,
    mapping_f1,
    phrase_credit,
    ranking_score,
    set_f1,
    token_credit,
    token_f1,
)
from askew.papers.format_bias.paper import CLOSED, PAPER, READING, FormatBiasMeta
from askew.parameters import check_parameters, choose
from askew.reading import formats
from askew.reading.literals import read_python, read_yaml
from askew.reading.names import LETTERS
from askew.reading.reply import after_reasoning, refuses
from askew.schema import Outcome
from askew.scoring import grader, outcome
from askew.stats.tables import OVERALL

Extraction = Literal["published", "strict"]
# What is shown while a task runs, and in which order.
_SHOWN = ("bias_f", "est_true", "fi", "sys_e")


def headlines(table: pd.DataFrame) -> pd.DataFrame:
    """One number a metric and category or format, for display while a task runs.

    Names are `bias_f_<category>`, `fi_<format>` and the like; those of arms other than the plainest
    carry the arm. The table is of one model, pooled.
    """
    shown = table[table["metric"].isin(_SHOWN)]
    shown = shown.sort_values("metric", key=lambda m: m.map(_SHOWN.index), kind="stable")
    of = shown["format"].where(shown["format"] != OVERALL, shown["category"])
    arm = "_demos" + shown["demos"].astype(str) + "_repeat" + shown["repeat"].astype(str)
    plainest = (shown["demos"] == shown["demos"].min()) & (shown["repeat"] == shown["repeat"].min())
    name = shown["metric"] + "_" + of + arm.mask(plainest, "")
    return pd.DataFrame({"metric": name, "subset": OVERALL, "value": shown["value"]})


@metric(name="format_bias_metrics", scores="unreduced")
def format_bias_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """BiasF by category of formats; FI, SysE and EstTrue by format."""
    return outcome.live(PAPER, shown, headline, named=headlines, pooled_only=True)


@dataclass(frozen=True)
class ParsedReply:
    """What a reply holds, or why it holds nothing."""

    outcome: Outcome
    value: Any = None
    why: str = ""

    @property
    def answer(self) -> str | None:
        return _display(self.value)


@scorer(metrics=[format_bias_metrics(), outcome.item_accuracy("score")])
@check_parameters
def format_bias_scorer(
    extraction: Extraction = "published", casefold: bool = False, credit: Credit = "declared",
    parser: grader.Parser = "rules",
) -> Scorer:  # fmt: skip
    """Score one reply: `format_ok` (FI), and `score`, the rightness of what it holds.

    Args:
        extraction: "published" scores whatever the format's extractor finds, as the authors'
            scripts do; "strict" scores only replies that follow the format (Eq. 3), and lets no
            departure pass.
        casefold: whether case does not count between keyphrases.
        credit: "declared" counts aliases, numbers in words and optional phrases where a question
            declares them; "exact" is the paper's measure everywhere; "contained" takes a short
            answer for right wherever it stands in the reply, so that verbosity costs nothing.
        parser: who reads choices; all else rules read always.
    """
    choose("extraction", extraction, ("published", "strict"))
    choose("credit", credit, READING["credit"])

    @grader.mark_unscored
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(FormatBiasMeta)
        reply = after_reasoning(outcome.reply_of(state.output))
        choices = [choice.value for choice in state.choices]
        reading = formats.read(
            reply, formats.get_format(meta.format), expected_answer(meta, choices)
        )
        strict = extraction == "strict"
        followed = reading.format_ok and not (strict and reading.tolerated)
        # Of a reply that misses its format nothing counts where "strict" reads.
        asks = meta.kind in CLOSED and choices and (followed or not strict)
        content, more = await grader.score_reply(
            parser if asks else "rules",
            ParsedReply(_outcome(state, reply, reading), reading.value, reading.why),
            lambda: question_of(reply, choices),
            lambda verdict, why: from_grader(verdict, why, choices, meta),
        )
        right = rightness(content.value, target.text, meta, casefold, credit)
        details: dict[str, str | float] = {}
        if reading.tolerated:
            details["tolerated"] = reading.tolerated
        if meta.kind == "ranking":
            marks = published_marks(reply, meta)
            details["format_ok_as_published"] = float(marks is not None)
            details["map_as_published"] = average_precision(marks or [])
        score = 0.0 if strict and not followed else right
        return outcome.make_score(
            state, {"format_ok": float(followed), "score": score}, content.answer, content.outcome,
            content.why, **details, **more,
        )  # fmt: skip

    return score


def question_of(reply: str, choices: Sequence[str]) -> grader.Question:
    """Ask which option a reply chooses, in whatever format."""
    asked = toml_of(PAPER.home, "prompts.toml")["grader"]["asked"]
    return grader.closed_question(asked, reply, grader.answers_of_options(choices, LETTERS))


def from_grader(
    verdict: str, why: str, choices: Sequence[str], meta: FormatBiasMeta
) -> ParsedReply:
    """What the grader's verdict makes of a reply: a letter, or the option in words."""
    if verdict not in LETTERS:
        return ParsedReply("unparsed", why=why)
    return ParsedReply(
        "ok", verdict if meta.kind == "letter" else choices[LETTERS.index(verdict)], why
    )


def grader_case(shown: Mapping[str, str]) -> grader.Question:
    """The question of a validation case."""
    return question_of(shown["reply"], shown["shown"].split(" | "))


def expected_answer(meta: FormatBiasMeta, choices: Sequence[str]) -> formats.ExpectedAnswer:
    """The answer that a sample asks for."""
    keys = tuple(meta.keys.split(",")) if meta.keys else ()
    return formats.ExpectedAnswer(meta.kind, tuple(choices), keys, meta.n_elements, meta.prompting)


def rightness(
    value: Any, target: str, meta: FormatBiasMeta, casefold: bool = False,
    credit: Credit = "declared",
) -> float:  # fmt: skip
    """How right an extracted answer is, from 0 to 1; 0 where there is none."""
    if value is None:
        return 0.0
    if meta.kind in ("letter", "option"):
        return float(value.casefold() == target.casefold())
    declared = json.loads(meta.accepted) if meta.accepted and credit != "exact" else None
    if meta.kind == "text" and credit == "contained":
        return contained_credit(value, [target, *(declared or [])])
    if meta.kind == "text":
        if declared is None:
            return token_f1(value, target)
        return token_credit(value, [target, *declared])
    truth = json.loads(target)
    if meta.kind == "ranking":
        return ranking_score(value, truth, seed=meta.item)
    if meta.kind == "keyphrases" and declared is not None:
        return phrase_credit(value, truth, declared)
    return set_f1(value, truth, casefold) if meta.kind == "keyphrases" else mapping_f1(value, truth)


def published_marks(reply: str, meta: FormatBiasMeta) -> list[int] | None:
    """The marks of a ranking as the authors' script takes them; None where it takes none.

    It takes a list of any length of nothing but 0 and 1, as the format writes it: nothing stands
    before, between or behind. A chain of thought need not close the tag. Its score is the average
    precision of these marks themselves: the truth is never asked, so a list of nothing but ones
    gets 1. For comparison with the print only.
    """
    text = reply
    if meta.format == "python" and "```python" in text:
        text = text.replace("```python", "").replace("```", "")
    if meta.prompting == "cot":
        opened = text.split(formats.OPENING_TAG)[1:2]
        text = opened[0].split(formats.CLOSING_TAG)[0].strip() if opened else ""
    texts = text.split("\n" if meta.format == "newline" else formats.SEPARATOR)
    with suppress(ValueError, TypeError):
        written = {"python": read_python, "bullet": read_yaml}.get(meta.format)
        marks = written(text) if written else texts
        if isinstance(marks, list):
            found = [mark if meta.format == "python" else int(mark) for mark in marks]
            return [*map(int, found)] if all(mark in (0, 1) for mark in found) else None
    return None


def _outcome(state: TaskState, reply: str, reading: formats.FormatReading) -> Outcome:
    if reading.value is not None:
        return "ok"
    if outcome.is_filtered(state.output):
        return "filtered"
    if outcome.is_truncated(state.output):
        return "truncated"
    if not reply.strip():
        return "empty"
    return "refused" if refuses(reply) else "unparsed"


def _display(value: Any) -> str | None:
    """An answer as a short text; an empty one is shown as such."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or "(empty)"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return ", ".join(str(element) for element in value)
